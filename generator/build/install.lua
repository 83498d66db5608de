-- install.lua: what `ninja install` puts where: the list that tools/install.sh goes through, and the texts of the files
-- by which pkg-config and CMake find a library. Installs nothing itself.
local fill = require "build.fill"

local install = {}

install.LIST = "out/install/files.list"

-- Files of a model that are filled in: the template, and the name in out/install.
local MODEL = {
  { template = "model.pc.in", name = "%s.pc", to = "libdir", under = "/pkgconfig/%s" },
  { template = "config.cmake.in", name = "%s-config.cmake", to = "libdir", under = "/cmake/@/%s" },
  { template = "config_version.cmake.in", name = "%s-config-version.cmake", to = "libdir", under = "/cmake/@/%s" },
}
-- That of a model whose weights may come from files.
local WEIGHTS = { template = "weights.pc.in", name = "%s-weights.pc", to = "libdir", under = "/pkgconfig/%s" }
-- That of libga_text.
local TEXT = { template = "ga_text.pc.in", name = "ga_text.pc", to = "libdir", under = "/pkgconfig/%s" }
-- What a program prints of itself: its option, the name in out/install, and where it goes.
install.PRINTED = {
  { option = "--man", name = "%s.1", to = "mandir", under = "/man1/%s" },
  { option = "--completion bash", name = "%s.bash", to = "datadir", under = "/bash-completion/completions/@" },
  { option = "--completion zsh", name = "%s.zsh", to = "datadir", under = "/zsh/site-functions/_@" },
  { option = "--completion fish", name = "%s.fish", to = "datadir", under = "/fish/vendor_completions.d/%s" },
}

-- -- Paths in the syntax of others ----------------------------------------------------------------------------------

-- A path within double quotes of a file of pkg-config.
local function in_pkg_config(path)
  return (path:gsub('[\\"#]', "\\%0"):gsub("%$", "$$"))
end

-- A folder of the installation as CMake finds it: from the file that says so where both are below the prefix, so that
-- the tree may be moved.
local function in_cmake(prefix, path)
  local below = path:sub(1, #prefix + 1) == prefix .. "/" and path:sub(#prefix + 1)
  if below then return ('"${_ga_prefix}%s"'):format((below:gsub('[\\"$;]', "\\%0"))) end
  return ("[==[%s]==]"):format(path)
end

-- The way from the folder of CMake's files to the prefix.
local function up(prefix, folder)
  local below = folder:sub(1, #prefix + 1) == prefix .. "/" and folder:sub(#prefix + 1) or ""
  return (below:gsub("/[^/]+", "../"))
end

-- -- Texts ----------------------------------------------------------------------------------------------------------

-- What stands for @name@ and the like in the files of a model, but for folders.
local function words_of(name, answers, release)
  local jansson, text = answers.jansson and answers.jansson.libraries or "", answers.text or {}
  return { name = name, version = release.version, minor = release.version:match("^%d+%.%d+"),
    abi = tostring(release.abi), jansson = jansson, cmake_jansson = (jansson:gsub("%s+", ";")),
    text_requires = text.requires, text_libraries = text.plain }
end

-- The folders of an installation, into words.
local function add_folders(words, settings)
  words.prefix, words.libdir = in_pkg_config(settings.prefix), in_pkg_config(settings.libdir)
  words.includedir, words.quote = in_pkg_config(settings.includedir), '"'
  words.up = up(settings.prefix, settings.libdir .. "/cmake/" .. words.name)
  words.cmake_libdir = in_cmake(settings.prefix, settings.libdir)
  words.cmake_includedir = in_cmake(settings.prefix, settings.includedir)
end

-- Those of an installation below a prefix that is not known yet; pkg-config escapes blanks in pcfiledir itself.
local MOVABLE = { prefix = "${pcfiledir}/../..", libdir = "${prefix}/lib", includedir = "${prefix}/include",
  quote = "", up = "../../../", cmake_libdir = '"${_ga_prefix}/lib"',
  cmake_includedir = '"${_ga_prefix}/include"' }

local function rows_of(answers)
  local rows = {}
  for i, row in ipairs(MODEL) do rows[i] = row end
  if answers.jansson then rows[#rows + 1] = WEIGHTS end
  return rows
end

-- The file of pkg-config for libga_text.
local function text_file(settings, answers, release)
  local words = words_of("ga_text", answers, release)
  add_folders(words, settings)
  return { TEXT.name, fill("install/" .. TEXT.template, words) }
end

-- The files that are filled in, of libga_text and of all these models: { name, text } each, for fs.write_all in
-- out/install. names: the models'; release: version and abi.
function install.texts(names, settings, answers, release)
  local texts = answers.text and { text_file(settings, answers, release) } or {}
  for _, name in ipairs(names) do
    local words = words_of(name, answers, release)
    add_folders(words, settings)
    for _, row in ipairs(rows_of(answers)) do
      texts[#texts + 1] = { row.name:format(name), fill("install/" .. row.template, words) }
    end
  end
  return texts
end

-- The same of one model, for any prefix: libraries are in its lib, headers in its include.
function install.movable_texts(name, answers, release)
  local texts, words = {}, setmetatable(words_of(name, answers, release), { __index = MOVABLE })
  for i, row in ipairs(rows_of(answers)) do
    texts[i] = { row.name:format(name), fill("install/" .. row.template, words) }
  end
  return texts
end

-- -- The list -------------------------------------------------------------------------------------------------------

-- The path of a file that a program prints of itself.
function install.printed_path(row, model)
  return "out/install/" .. row.name:format(model)
end

-- Appends rows of MODEL or of PRINTED.
local function add_rows(lines, rows, name, settings)
  for _, row in ipairs(rows) do
    local file = row.name:format(name)
    local under = row.under:gsub("@", name):format(file)
    lines[#lines + 1] = { "644", "out/install/" .. file, settings[row.to] .. under }
  end
end

local function add_files(lines, paths, mode, folder)
  for _, path in ipairs(paths) do
    local is_link = path:find("%.so$")
    lines[#lines + 1] = { is_link and "link" or mode, path, folder .. "/" .. path:match("[^/]*$") }
  end
end

-- The text of install.LIST. given: names of models, and paths: programs, shared (objects and their links), archives,
-- headers, runtime_headers; prints: whether programs run here, and so can print their manual.
function install.list(given, settings, answers)
  local lines = {}
  add_files(lines, given.programs, "755", settings.bindir)
  add_files(lines, given.shared, "755", settings.libdir)
  add_files(lines, given.archives, "644", settings.libdir)
  add_files(lines, given.headers, "644", settings.includedir)
  add_files(lines, given.runtime_headers, "644", settings.includedir .. "/genattn")
  if answers.text then add_rows(lines, { TEXT }, "ga_text", settings) end
  for _, name in ipairs(given.names) do
    add_rows(lines, rows_of(answers), name, settings)
    if given.prints then add_rows(lines, install.PRINTED, name, settings) end
  end
  for i, line in ipairs(lines) do lines[i] = table.concat(line, "\t") .. "\n" end
  return table.concat(lines)
end

return install
