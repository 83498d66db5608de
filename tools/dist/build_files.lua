-- build_files.lua: the Makefile and the CMakeLists.txt of an archive of one model, from the list of what is in it.
-- Knows no file by name.
local contents = require "dist.contents"
local fill = require "build.fill"
local text = require "base.text"

local build_files = {}

-- Words after the beginning of a line, as lines of at most 120 columns that end with `joint` where they go on.
local function folded(words, joint)
  return table.concat(text.wrap(table.concat(words, " "), 116, 4), joint .. "\n"):gsub("^ +", "")
end

local function of(list, key)
  local values = {}
  for i, item in ipairs(list) do values[i] = item[key] end
  return values
end

local function prefixed(prefix, words)
  local list = {}
  for i, word in ipairs(words) do list[i] = prefix .. word end
  return list
end

-- -- make -----------------------------------------------------------------------------------------------------------

-- The rules of sources; own: a variable of flags that all of them have, or nil.
local function add_rules(lines, sources, own)
  for _, source in ipairs(sources) do
    local flags = table.concat(source.flags, " ")
    lines[#lines + 1] = ("%s: %s $(HEADERS)\n\t$(CC) $(BASE)%s%s $(CFLAGS) -c -o $@ %s\n"):format(source.object,
      source.path, own and " $(" .. own .. ")" or "", flags ~= "" and " " .. flags or "", source.path)
  end
end

-- The text of the Makefile. all: what contents.of gives; words: name, version and abi.
function build_files.make(all, words)
  local lines = {}
  for _, key in ipairs({ "library", "weights", "program" }) do add_rules(lines, all[key]) end
  add_rules(lines, all.check, "OWN")
  local own = { rules = table.concat(lines, "\n"):gsub("\n$", ""), headers = folded(all.headers, " \\"),
    includes = folded(prefixed("-I", all.includes), " \\"),
    test_includes = folded(prefixed("-I", contents.TEST_INCLUDES), " \\") }
  for _, key in ipairs({ "library", "weights", "program", "check" }) do
    own[key] = folded(of(all[key], "object"), " \\")
  end
  return fill("dist/Makefile.in", setmetatable(own, { __index = words }))
end

-- -- CMake ----------------------------------------------------------------------------------------------------------

-- The flags of files that have their own: a command of CMake for each set of flags, in the order of the files.
local function flag_commands(sources)
  local order, by_flags = {}, {}
  for _, source in ipairs(sources) do
    local flags = table.concat(source.flags, ";")
    if flags ~= "" and not by_flags[flags] then
      by_flags[flags] = {}
      order[#order + 1] = flags
    end
    if flags ~= "" then table.insert(by_flags[flags], source.path) end
  end
  for i, flags in ipairs(order) do
    order[i] = ("set_source_files_properties(%s\n  PROPERTIES COMPILE_OPTIONS \"%s\")"):format(
      folded(by_flags[flags], ""), flags)
  end
  return table.concat(order, "\n")
end

-- The text of the CMakeLists.txt; as above.
function build_files.cmake(all, words)
  local own = { flags = flag_commands(all.library), includes = folded(all.includes, ""),
    test_includes = folded(contents.TEST_INCLUDES, "") }
  for _, key in ipairs({ "library", "weights", "check" }) do own[key] = folded(of(all[key], "path"), "") end
  return fill("dist/CMakeLists.txt.in", setmetatable(own, { __index = words }))
end

return build_files
