-- emit/fragments.lua: the fragments of features and blocks, each of which may have one file of stages that bears its
-- name, and their properties. Says what is spliced where, in order; knows no feature and no block by name.
local features = require "attention"
local feature_stages = require "attention.stages"
local fs = require "base.fs"
local initializer = require "emit.initializer"
local blocks = require "ops"
local block_stages = require "ops.stages"
local template = require "template"

local fragments = {}

local OPERATION = "operation " -- before the name of what is an operation's C

-- The names of stages, and what else a file may have.
local function set_of(stages, more)
  local set = {}
  for _, stage in ipairs(stages) do set[stage.name] = true end
  if more then set[more] = true end
  return set
end

-- Whose fragments there are. compiled: { [stage] = render } by the owner's name, false where it has no file.
fragments.FEATURES = {
  what = "feature", owners = features, folder = "attention/modifiers/", known = set_of(feature_stages), compiled = {},
}
fragments.BLOCKS = {
  what = "block", owners = blocks, folder = "ops/", known = set_of(block_stages, OPERATION .. "*"),
  compiled = {},
}

-- The names of the owners that have a file. A file that is nobody's is an error.
local function files_of(kind)
  if kind.files then return kind.files end
  local owned, files = {}, {}
  for _, owner in ipairs(kind.owners) do owned[owner.name .. ".c.lt"] = owner.name end
  for _, file in ipairs(assert(fs.read_folder(template.folder .. kind.folder))) do
    if not owned[file] then error(("templates/%s%s: no %s is called so"):format(kind.folder, file, kind.what), 0) end
    files[owned[file]] = true
  end
  kind.files = files
  return files
end

local function check_uses(kind, owner)
  local known = {}
  for _, other in ipairs(kind.owners) do known[other.name] = true end
  for _, name in ipairs(owner.uses or {}) do
    if not known[name] then
      error(("%s %s: uses names %s, and no %s is called so"):format(kind.what, owner.name, name, kind.what), 0)
    end
  end
end

local function compile(kind, owner)
  check_uses(kind, owner)
  if not files_of(kind)[owner.name] then return false end
  local path = kind.folder .. owner.name .. ".c.lt"
  local stages, why = template.load_stages(template.folder .. path, "templates/" .. path, kind.known)
  if not stages then error(why, 0) end
  return stages
end

-- The stages of an owner's file by their names; none where it has no file.
local function stages_of(kind, owner)
  if kind.compiled[owner.name] == nil then kind.compiled[owner.name] = compile(kind, owner) end
  return kind.compiled[owner.name] or {}
end

-- What an owner splices at a stage, whether or not it is on; nil for nothing.
local function at_stage(kind, owner, stage)
  if not kind.known[stage] then error(("no %s may have a stage '%s'"):format(kind.what, stage), 0) end
  return stages_of(kind, owner)[stage]
end

local function is_on(owner, spec)
  return not owner.on or owner.on(spec)
end

-- The fragments of a kind at a stage of a spec, as functions that render them, in the order of their owners.
function fragments.at(kind, spec, stage)
  local list = {}
  for _, owner in ipairs(kind.owners) do
    if is_on(owner, spec) then list[#list + 1] = at_stage(kind, owner, stage) end
  end
  return list
end

-- The fields of a spec's struct that owners of a kind say, one a line, in the order of their owners.
function fragments.properties(kind, spec)
  local lines = {}
  for _, owner in ipairs(kind.owners) do
    if owner.properties and is_on(owner, spec) then
      for _, field in ipairs(initializer.fields(owner.properties(spec))) do lines[#lines + 1] = field .. ",\n" end
    end
  end
  return table.concat(lines)
end

-- Those of the score modifiers, in the order in which these apply.
function fragments.of_scores(spec, stage)
  local list = {}
  for _, place in ipairs(features.SCORE_ORDER) do
    for _, feature in ipairs(features) do
      if feature.score_order == place and is_on(feature, spec) then
        list[#list + 1] = at_stage(fragments.FEATURES, feature, stage)
      end
    end
  end
  return list
end

-- That of a feature in the place of a template which may be chosen; nil where none is on that has one.
function fragments.in_place_of(spec, stage)
  local list = fragments.at(fragments.FEATURES, spec, stage)
  if #list > 1 then error("two features take over " .. stage, 0) end
  return list[1]
end

-- The C of an operation whose template is "BLOCK.NAME", as a list.
function fragments.of_operation(op)
  local owner, name = op.template:match("^([%w_]+)%.([%w_]+)$")
  for _, block in ipairs(blocks) do
    local found = block.name == owner and stages_of(fragments.BLOCKS, block)[OPERATION .. name]
    if found then return { found } end
  end
  error(("operation %s: no file of templates/ops/ has %s"):format(op.name, op.template), 0)
end

return fragments
