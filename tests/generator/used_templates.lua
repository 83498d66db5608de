-- used_templates.lua: which templates there are, each stage of a file of fragments for itself, and which of them and
-- of their lines gave text. Emits nothing.
local compat = require "base.compat"
local fragments = require "emit.fragments"
local fs = require "base.fs"
local template = require "template"

local used_templates = {}

used_templates.FOLDERS = { "templates/attention/", "templates/linear/", "templates/model/", "templates/schedule/",
  "templates/table/" }

local function stage_name(file, stage)
  return file .. ": " .. stage
end

-- The stages of the file of fragments of each owner that has one: { owner, file, source, stages }, of features first.
function used_templates.fragments()
  local list = {}
  for _, kind in ipairs({ fragments.FEATURES, fragments.BLOCKS }) do
    for _, owner in ipairs(kind.owners) do
      local file = "templates/" .. kind.folder .. owner.name .. ".c.lt"
      if fs.exists(file) then
        local source = assert(fs.read(file))
        local renders, stages = template.compile_stages(source, file, kind.known)
        assert(renders, stages)
        list[#list + 1] = { owner = owner, kind = kind, file = file, source = source, stages = stages }
      end
    end
  end
  return list
end

-- The templates that are no fragments, by name: their text.
function used_templates.texts()
  local texts = {}
  for _, folder in ipairs(used_templates.FOLDERS) do
    for _, file in ipairs(assert(fs.list(folder))) do
      if file:find("%.lt$") then texts[folder .. file] = assert(fs.read(folder .. file)) end
    end
  end
  return texts
end

-- The names of all templates and stages, in order.
function used_templates.all()
  local names = {}
  for name in pairs(used_templates.texts()) do names[#names + 1] = name end
  for _, file in ipairs(used_templates.fragments()) do
    for _, stage in ipairs(file.stages) do names[#names + 1] = stage_name(file.file, stage) end
  end
  table.sort(names)
  return names
end

-- A template as Lua, each line of whose text first calls _line with its number.
local function with_numbers(lua)
  local lines = {}
  for line in (lua .. "\n"):gmatch("(.-)\n") do
    local is_text = line:find("^_out%[") or line:find("^_block%(")
    lines[#lines + 1] = is_text and ("_line(%d) %s"):format(#lines + 1, line) or line
  end
  return table.concat(lines, "\n")
end

-- From now on the lines of text that a template gives are put into the set that this returns, as "@FILE:NUMBER".
-- A template is compiled where it is first rendered, so none of them may have been so far.
function used_templates.watch_lines()
  local used, with_scope = {}, compat.with_scope
  function compat.with_scope(lua, name)
    local in_scope = with_scope(with_numbers(lua), name)
    return function(scope)
      rawset(scope, "_line", function(number) used[name .. ":" .. number] = true end)
      return in_scope(scope)
    end
  end
  return used
end

-- From now on the names of what gives text are put into the set that this returns. A template is loaded where it is
-- first rendered, so none of them may have been so far.
function used_templates.watch()
  local used, load, load_stages = {}, template.load, template.load_stages
  local function watched(render, name)
    return function(env)
      local text, why = render(env)
      if text and text ~= "" then used[name] = true end
      return text, why
    end
  end
  function template.load(path, name)
    local render, why = load(path, name)
    return render and watched(render, name), why
  end
  function template.load_stages(path, name, known)
    local renders, why = load_stages(path, name, known)
    for stage, render in pairs(renders or {}) do renders[stage] = watched(render, stage_name(name, stage)) end
    return renders, why
  end
  return used
end

return used_templates
