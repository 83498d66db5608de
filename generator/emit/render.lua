-- emit/render.lua: renders a template with what it includes and what is spliced into it. Decides nothing.
local fragments = require "emit.fragments"
local template = require "template"

local render = {}

local compiled = {}

local function load_template(name)
  if not compiled[name] then
    local loaded, why = template.load(template.folder .. name, "templates/" .. name)
    if not loaded then error(why, 0) end
    compiled[name] = loaded
  end
  return compiled[name]
end

local expand

-- The names of the env, and those by which a template takes in others: include(name); splice(stage), which is what
-- every feature adds there; blocks(stage), the same of every block of a whole model; properties(spec) and
-- stack_properties(spec), the fields of struct ga_model and struct ga_stack that features and blocks say of a spec;
-- operation(op), the C of one of the graph; score_modifiers(stage), of features that change scores; and chosen(name),
-- which is the template of that name unless a feature has a stage of that name. more: names for what is taken in.
local function scope_over(env)
  local scope = setmetatable({}, { __index = env })
  local function inner(loaded, more)
    return expand(loaded, more and setmetatable(more, { __index = scope }) or scope)
  end
  local function all(list, more)
    local parts = {}
    for i, loaded in ipairs(list) do parts[i] = inner(loaded, more) end
    return table.concat(parts)
  end
  function scope.include(path, more) return inner(load_template(path .. ".c.lt"), more) end
  function scope.include_h(path, more) return inner(load_template(path .. ".h.lt"), more) end
  function scope.splice(stage, more)
    return all(fragments.at(fragments.FEATURES, more and more.spec or env.spec, stage), more)
  end
  function scope.score_modifiers(stage) return all(fragments.of_scores(env.spec, stage)) end
  function scope.blocks(stage, more)
    return all(fragments.at(fragments.BLOCKS, more and more.spec or env.spec, stage), more)
  end
  function scope.properties(spec) return fragments.properties(fragments.FEATURES, spec) end
  function scope.stack_properties(spec) return fragments.properties(fragments.BLOCKS, spec) end
  function scope.operation(op) return all(fragments.of_operation(op), { op = op }) end
  function scope.chosen(path)
    return inner(fragments.in_place_of(env.spec, path) or load_template("attention/" .. path .. ".c.lt"))
  end
  return scope
end

-- The text of a compiled template with the names of env.
function expand(loaded, env)
  local text, why = loaded(scope_over(env))
  if not text then error(why, 0) end
  return text
end

-- The text of the template of that name; an error is a bug of a template or of what fills it.
function render.file(name, env)
  return expand(load_template(name), env)
end

return render
