-- fragments_test.lua: the files of fragments keep to the stages that templates have, and say what they use of each
-- other.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local emit = require "emit"
local feature_stages = require "attention.stages"
local features = require "attention"
local fragments = require "emit.fragments"
local fs = require "base.fs"
local block_stages = require "ops.stages"
local blocks = require "ops"
local spec = require "spec"
local used_templates = dofile("tests/generator/used_templates.lua")

local LUA = compat.version:find("JIT") and "luajit" or "lua5.4"
local files, texts = used_templates.fragments(), used_templates.texts()

-- All templates that are no fragments in one text, and all fragments.
local function all_text()
  local parts = {}
  for _, text in pairs(texts) do parts[#parts + 1] = text end
  for _, file in ipairs(files) do parts[#parts + 1] = file.source end
  return table.concat(parts)
end

-- -- Stages ---------------------------------------------------------------------------------------------------------

-- By the list of stages, what takes them into a template.
local CALLS = {
  { stages = feature_stages, what = "features", calls = { "splice", "chosen", "score_modifiers" } },
  { stages = block_stages, what = "blocks", calls = { "blocks", "sublayer_stage" } },
}

fact.holds("every stage is spliced by a template, and used by a fragment", function()
  local text, used = all_text(), { features = {}, blocks = {} }
  for _, file in ipairs(files) do
    for _, stage in ipairs(file.stages) do used[file.kind.what .. "s"][stage] = true end
  end
  for _, row in ipairs(CALLS) do
    for _, stage in ipairs(row.stages) do
      local found = false
      for _, call in ipairs(row.calls) do
        found = found or text:find(('%s("%s"'):format(call, stage.name), 1, true) ~= nil
          or text:find(('%s(sublayer, "%s"'):format(call, stage.name), 1, true) ~= nil
      end
      assert(found, stage.name .. " is spliced nowhere")
      assert(used[row.what][stage.name], stage.name .. " has no fragment")
    end
  end
end)

fact.holds("a template cannot splice a stage that is not on the list", function()
  local s = assert(spec.from_fields({ d_model = 8, n_heads = 2 }))
  fact.raises("no feature may have a stage 'heads'", fragments.at, fragments.FEATURES, s, "heads")
end)

fact.holds("what is off splices nothing, and what is on its stages", function()
  local plain = assert(spec.from_fields({ d_model = 8, n_heads = 4, mask = { lengths = false } }))
  for _, stage in ipairs(feature_stages) do
    local is_of_all = stage.name:find("^operand") -- keys and values are read in one way or another
    for _, render in ipairs(is_of_all and {} or fragments.at(fragments.FEATURES, plain, stage.name)) do
      fact.equal(render({ spec = plain }), "")
    end
  end
  local causal = assert(spec.from_fields({ d_model = 8, n_heads = 4, mask = { causal = true } }))
  fact.equal(#fragments.at(fragments.FEATURES, causal, "key_range"), 1)
  fact.equal(#fragments.of_scores(causal, "score_vector"), 0)
end)

fact.holds("one feature may take the place of a template that is chosen", function()
  local s = assert(spec.from_fields({ d_model = 8, n_heads = 2, mask_fill = -1 }))
  assert(fragments.in_place_of(s, "softmax_block"))
  s = assert(spec.from_fields({ d_model = 8, n_heads = 2 }))
  fact.equal(fragments.in_place_of(s, "softmax_block"), nil)
end)

local CAUSAL = "attention/modifiers/causal.c.lt"

-- Runs a copy of the generator that has this text in this template; what it says, and its exit code.
local function generate_with(name, text)
  local copy = fact.folder("fragments") .. "copy/"
  assert(compat.execute(("rm -rf %s && mkdir -p %s && cp -RL generator templates %s"):format(copy, copy, copy)))
  assert(fs.write_if_changed(copy .. "templates/" .. name, text) ~= nil)
  return compat.capture(("%s %sgenerator/main.lua --spec specs/small.lua --isa scalar --out %sgen"):format(LUA, copy,
    copy))
end

fact.holds("a mistake in a file of fragments is an error of the generator that names file and line", function()
  local cases = {
    { CAUSAL, "$$ stage: key_ranges\n", CAUSAL .. ":1: no template has a stage 'key_ranges'" },
    { CAUSAL, "$$ stage: head\n\n$$ stage: head\n", CAUSAL .. ":3: stage 'head' again" },
    { CAUSAL, "$$ stage: key_range\n${nope}\n", CAUSAL .. ":2: undefined template name" },
    { "attention/modifiers/nobody.c.lt", "$$ stage: head\n", "templates/attention/modifiers/nobody.c.lt: no feature" },
    { "ops/nobody.c.lt", "$$ stage: block\n", "" }, -- which no layer alone looks at
    { "attention/softmax.c.lt", "\n$$ stage: keys\n", "templates/attention/softmax.c.lt:2: '$$' begins a stage" },
  }
  for _, case in ipairs(cases) do
    local said, code = generate_with(case[1], case[2])
    fact.equal(code ~= 0, case[3] ~= "")
    fact.contains(said, case[3])
  end
end)

-- -- What fragments use of each other -------------------------------------------------------------------------------

-- A file's stages: { name, c = its C with expressions as words }. Comments and lines of Lua are no C.
local function stages_of(file)
  local list = {}
  for line in file.source:gmatch("[^\n]*") do
    local stage = line:match("^%$%$ (.*)$")
    if stage then
      list[#list + 1] = { name = stage, lines = {} }
    elseif #list > 0 and not line:find("^%$") then
      local lines = list[#list].lines
      lines[#lines + 1] = line:gsub("//.*", ""):gsub("%${V%.type}", "vector"):gsub("%${W%.type}", "number")
    end
  end
  for _, stage in ipairs(list) do stage.c = table.concat(stage.lines, "\n") .. "\n" end
  return list
end

-- Calls f(name, is_local) for what a stage declares for others: functions and constants of the file, fields, and
-- variables that stand in the function where it is spliced.
local function each_declared(stage, f)
  for line in stage.c:gmatch("[^\n]+") do
    local name = line:match("^static [%w_ *]-([%w_]+)%(") or line:match("^enum { ([%w_]+)")
    local variable = line:match("^const [%w_ *]-([%w_]+) = ") or line:match("^%l[%w_ ]-[ *]([%w_]+) = [^=]")
    if name then f(name, false) end
    if variable then f(variable, true) end
    for field in (stage.name:find("_fields$") and line or ""):gmatch("[ *,]([%w_]+)%f[,;[]") do f(field, false) end
  end
end

-- Names that only one place declares, and where: variables are those of a stage.
local function key_of(file, stage, name, is_local)
  return file.kind.what .. " " .. (is_local and stage.name .. " " or "") .. name
end

-- { [key] = { [owner] = true } } of all that fragments declare.
local function declared()
  local names = {}
  for _, file in ipairs(files) do
    for _, stage in ipairs(stages_of(file)) do
      each_declared(stage, function(name, is_local)
        local key = key_of(file, stage, name, is_local)
        names[key] = names[key] or {}
        names[key][file.owner.name] = true
      end)
    end
  end
  return names
end

-- What the templates that are no fragments declare wherever: a fragment may have it from there.
local function of_templates()
  local names = {}
  for _, text in pairs(texts) do
    local c = ("\n" .. text):gsub("\n%s*%$[^\n]*", "\n"):gsub("//[^\n]*", "") -- without lines of Lua
    for name in c:gmatch("[%a_][%w_]*[%s*]+%f[%a_]([%a_][%w_]*)%s*%f[=;,()[]") do
      names[name] = true
    end
  end
  return names
end

-- Calls f(file, name, owners) for each name of other owners' fragments that a file's C has. A variable may be declared
-- by the file too, where these are not on.
local function each_use(f)
  local names, common = declared(), of_templates()
  for _, file in ipairs(files) do
    for _, stage in ipairs(stages_of(file)) do
      for name in stage.c:gsub("%${[%w_]+}", "value"):gmatch("[%a_][%w_]*") do
        local owners, variables = names[key_of(file, stage, name, false)], names[key_of(file, stage, name, true)]
        if owners and not owners[file.owner.name] and not common[name] then f(file, name, owners) end
        if variables and next(variables, next(variables)) then f(file, name, variables) end
      end
    end
  end
end

-- Whether an owner says that it uses what these declare, or stands before them in what it says.
local function is_said(owner, name, owners)
  for _, other in ipairs(owner.uses or {}) do
    if owners[other] then return true end
  end
  for _, called in ipairs(owner.calls or {}) do
    if called == name then return true end
  end
  return false
end

-- The names of a set but one, in order.
local function others_of(owners, own)
  local list = {}
  for owner in pairs(owners) do list[#list + 1] = owner ~= own and owner or nil end
  table.sort(list)
  return table.concat(list, ", ")
end

fact.holds("what a fragment uses of another's is declared", function()
  local missing, seen = {}, {}
  each_use(function(file, name, owners)
    local used_by = is_said(file.owner, name, owners)
    for owner in pairs(owners) do
      -- Of two that declare a variable at one stage, one uses the other's where both are on.
      for _, each in ipairs(file.kind.owners) do
        used_by = used_by or each.name == owner and owners[file.owner.name] and is_said(each, name, owners)
      end
    end
    local line = ("%s uses %s of %s"):format(file.owner.name, name, others_of(owners, file.owner.name))
    if not used_by and not seen[line] then missing[#missing + 1] = line end
    seen[line] = true
  end)
  table.sort(missing)
  fact.lists_equal(missing, {})
end)

fact.holds("what is declared to be used of another's is used, and what is called is defined", function()
  local used, defined = {}, declared()
  each_use(function(file, name, owners)
    for owner in pairs(owners) do used[file.owner.name .. " uses " .. owner] = true end
    used[file.owner.name .. " calls " .. name] = true
  end)
  for _, file in ipairs(files) do
    for _, owner in ipairs(file.owner.uses or {}) do
      assert(used[file.owner.name .. " uses " .. owner], file.owner.name .. " uses nothing of " .. owner)
    end
    for _, name in ipairs(file.owner.calls or {}) do
      assert(used[file.owner.name .. " calls " .. name] and defined["feature " .. name], name)
    end
  end
end)

fact.holds("an owner without a file uses nothing, and a score modifier changes scores, or q", function()
  local has_file = {}
  for _, file in ipairs(files) do
    has_file[file.owner] = table.concat(file.stages, " ") .. " "
  end
  for _, list in ipairs({ features, blocks }) do
    for _, owner in ipairs(list) do
      assert(has_file[owner] or not owner.uses and (owner.properties or not owner.on), owner.name)
    end
  end
  for _, feature in ipairs(features) do
    local stages = has_file[feature] or ""
    assert(not feature.score_order or stages:find("score_vector ") or stages:find("completed "), feature.name)
  end
end)

fact.holds("fragments are in the files that the generator looks at", function()
  local s = assert(spec.from_fields({ d_model = 8, n_heads = 2, alibi = true }))
  emit.files(s, { "scalar" })
  local inputs = table.concat(fs.inputs(), "\n") .. "\n"
  for _, path in ipairs({ "templates/attention/modifiers/alibi.c.lt", "templates/attention/modifiers/" }) do
    fact.contains(inputs, path .. "\n")
  end
end)

fact.finish()
