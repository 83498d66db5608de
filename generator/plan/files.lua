-- plan/files.lua: which files a spec becomes, in order: the template of each, whose plan it shows, and the specs that a
-- spec is made of. Renders nothing and writes nothing.
local arithmetic = require "arithmetic"
local isa_api = require "isa"
local layer = require "plan"
local stack = require "plan.stack"
local transformer = require "plan.transformer"

local files = {}

-- The specs that a spec is made of, as it calls them and as its plans do.
files.PARTS = { "encoder", "decoder", "attention", "memory" }

-- Those of the whole model; tells: its text tells of the other files.
local MODEL = {
  { name = "%s.h", kind = "header", template = "model/model.h.lt" },
  { name = "%s_internal.h", kind = "internal", template = "model/internal.h.lt" },
  { name = "%s.c", kind = "library", template = "model/model.c.lt", tells = true },
  { name = "%s_main.c", kind = "program", template = "model/main.c.lt" },
}

-- Templates whose text says how weights are packed.
local PACKS = {
  ["model/isa.h.lt"] = true, ["model/pack.c.lt"] = true, ["model/pack_none.c.lt"] = true,
  ["schedule/stack.h.lt"] = true, ["schedule/stack_pack.c.lt"] = true, ["schedule/transformer.c.lt"] = true,
}

-- A spec's parts and theirs, in order.
function files.parts(s)
  local list = {}
  for _, field in ipairs(files.PARTS) do
    local part = s[field .. "_spec"]
    list[#list + 1] = part
    for _, inner in ipairs(part and files.parts(part) or {}) do list[#list + 1] = inner end
  end
  return list
end

local function planner(s)
  return s.kind == "transformer" and transformer or s.stack and stack or layer
end

-- A plan for each instruction set: best first, whatever the order of the names, as a run takes the first variant that
-- its CPU has.
function files.plans(s, isa_names)
  local plans = {}
  for _, name in ipairs(isa_api.ordered(isa_names)) do
    local set = isa_api.get(name)
    plans[#plans + 1] = arithmetic.runs_on(s.dtype, set) and planner(s).make(s, set) or nil
  end
  return plans
end

-- A function that appends a file of a plan; suffix: what its name has after the plan's.
local function adder(p, list)
  return function(suffix, template, kind)
    list[#list + 1] = { path = p.prefix .. suffix, kind = kind or "library", template = template, isa = p.isa.name,
      plan = p, packs = PACKS[template] }
  end
end

-- Appends the file of a family of kernels.
local function add_family(p, list, family, template)
  list[#list + 1] = { path = family.file, kind = "library", template = template, isa = p.isa.name, plan = p,
    family = family }
end

-- The products of rows with packed weights, of a layer or of a stack.
local function add_products(p, list, add)
  for _, family in ipairs(p.products) do add_family(p, list, family, "linear/gemm.c.lt") end
  if #p.products > 0 then add("_multiply.c", "linear/multiply.c.lt") end
end

local function add_layer(p, list)
  local add = adder(p, list)
  add(".h", "model/isa.h.lt", "internal")
  add_products(p, list, add)
  add_family(p, list, p.score, "attention/score.c.lt")
  add_family(p, list, p.value, "attention/value.c.lt")
  add("_pack.c", #p.spec.roles > 0 and "model/pack.c.lt" or "model/pack_none.c.lt")
  add("_attend.c", "attention/attend.c.lt")
  add("_layer.c", "schedule/layer.c.lt")
end

-- Those of a stack, then those of the attentions that its layers have.
local function add_stack(p, list)
  local add = adder(p, list)
  add(".h", "schedule/stack.h.lt", "internal")
  add_products(p, list, add)
  add("_pack.c", "schedule/stack_pack.c.lt")
  add("_stack.c", "schedule/stack.c.lt")
  for i = #p.parts, 1, -1 do add_layer(p.parts[i], list) end
end

local function add_plan(p, list)
  if not p.encoder then return (p.spec.stack and add_stack or add_layer)(p, list) end
  adder(p, list)("_sides.c", "schedule/transformer.c.lt")
  add_stack(p.encoder, list)
  add_stack(p.decoder, list)
end

-- Every file of a spec with these plans, in order: { path, kind = "header" | "internal" | "library" | "program",
-- template, isa, plan, family, part, packs, tells }; paths are relative.
function files.list(s, plans)
  local list = {}
  for i, file in ipairs(MODEL) do
    list[i] = { path = file.name:format(s.name), kind = file.kind, template = file.template, tells = file.tells }
  end
  for _, part in ipairs(files.parts(s)) do
    list[#list + 1] = { path = part.name .. "_internal.h", kind = "internal", template = "model/internal.h.lt",
      part = part }
  end
  for _, p in ipairs(plans) do add_plan(p, list) end
  return list
end

-- What the compiler is told of an instruction set, by a spec's arithmetic.
local function cflags(s, name)
  local set, list = isa_api.get(name), {}
  for _, flags in ipairs({ set.cflags, arithmetic.needs(s.dtype, set).cflags }) do
    for _, flag in ipairs(flags) do list[#list + 1] = flag end
  end
  return list
end

-- The files a spec becomes, as a build needs them: { path, kind, isa, cflags }; cflags: nil where there is no set.
function files.outputs(s, isa_names)
  local outputs = {}
  for i, file in ipairs(files.list(s, files.plans(s, isa_names))) do
    outputs[i] = { path = file.path, kind = file.kind, isa = file.isa, cflags = file.isa and cflags(s, file.isa) }
  end
  return outputs
end

return files
