-- plan/files.lua: which files a spec becomes, in order: the template of each, whose plan it shows, and the specs that a
-- spec is made of. Renders nothing and writes nothing.
local isa_api = require "isa"
local kernels = require "plan.kernels"
local layer = require "plan"
local multiply = require "formats.vocabulary.multiplied"
local stack = require "plan.stack"
local transformer = require "plan.transformer"

local files = {}

-- The names of the specs that a spec consists of, as it calls them and as its plans do.
function files.names_of_parts(s)
  local list = { "encoder", "decoder", "attention" }
  for _, kind in ipairs(s.layer_kinds or {}) do list[#list + 1] = kind.part end
  list[#list + 1] = "memory"
  return list
end

-- Those of the whole model; tells: its text tells of the other files.
local MODEL = {
  { name = "%s.h", kind = "header", template = "model/model.h.lt" },
  { name = "%s_internal.h", kind = "internal", template = "model/internal.h.lt" },
  { name = "%s.c", kind = "library", template = "model/model.c.lt", tells = true },
  { name = "%s_main.c", kind = "program", template = "model/main.c.lt" },
}

-- A spec's parts and theirs, in order.
function files.parts(s)
  local list = {}
  for _, field in ipairs(files.names_of_parts(s)) do
    local part = s[field .. "_spec"]
    list[#list + 1] = part
    for _, inner in ipairs(part and files.parts(part) or {}) do list[#list + 1] = inner end
  end
  return list
end

local function planner(s)
  return s.kind == "transformer" and transformer or s.stack and stack or layer
end

-- What a spec's arithmetic needs of a CPU besides an instruction set, of what it lacks; features: by name what it has.
function files.lacking(s, isa_name, features)
  local set, list = isa_api.get(isa_name), {}
  for _, name in ipairs(multiply.all_need(s, set, "cpu")) do
    list[#list + 1] = features[name] ~= "usable" and name or nil
  end
  return list
end

-- The plan of a spec for a set; base, passes: as kernels.new has them.
local function plan_for(s, set, base, passes)
  return planner(s).make(s, set, kernels.new(s.name, set, s.wisdom, base, passes))
end

-- Appends the plans for a set and for those that refine it, which take its kernels where they can: best first. A set
-- that would take all of them has none. Drafts, which take none, say which that are, and what kernels are passed.
local function add_plans(s, base, plans)
  local sets, draft, has_own = multiply.variants_of(s, base), kernels.new(s.name, base), {}
  for i = 1, #sets - 1 do has_own[i] = plan_for(s, sets[i], draft).kernels.has_own end
  local own = plan_for(s, base, nil, draft.passes)
  for i = 1, #sets - 1 do plans[#plans + 1] = has_own[i] and plan_for(s, sets[i], own.kernels) or nil end
  plans[#plans + 1] = own
end

-- A plan for each variant of instruction sets: best first, whatever the order of the names, as a run takes the first
-- one that its CPU has.
function files.plans(s, isa_names)
  local plans = {}
  for _, name in ipairs(isa_api.ordered(isa_names)) do add_plans(s, isa_api.get(name), plans) end
  return plans
end

-- What a spec's arithmetic and weights need of the compiler besides the flags of sets: { isa, variant, flag }, ...
function files.flags(s, isa_names)
  local list = {}
  for _, p in ipairs(files.plans(s, isa_names)) do
    for _, flag in ipairs(multiply.all_need(s, p.isa, "cflags")) do
      list[#list + 1] = { isa = files.isa_of(p), variant = p.isa.name, flag = flag }
    end
  end
  return list
end

-- The names of the variants that multiply what the spec's dtype says by instructions for other numbers.
function files.emulated(s, isa_names)
  local names = {}
  for _, p in ipairs(files.plans(s, isa_names)) do
    names[#names + 1] = multiply.emulates(s.arithmetics, p.isa) and p.isa.name or nil
  end
  return names
end

-- The name of the instruction set that a plan's is, or refines.
function files.isa_of(p)
  return p.isa.base or p.isa.name
end

-- A function that appends a file of a plan; suffix: what its name has after the plan's.
local function adder(p, list)
  return function(suffix, template, kind)
    list[#list + 1] = { path = p.prefix .. suffix, kind = kind or "library", template = template, isa = p.isa.name,
      plan = p }
  end
end

-- The kernels of a model on the instruction set of a plan, and what declares them.
local function add_kernels(p, list)
  list[#list + 1] = { path = p.kernels.header, kind = "internal", template = "model/kernels.h.lt", isa = p.isa.name,
    plan = p, kernels = p.kernels }
  if #p.kernels.linears > 0 then
    list[#list + 1] = { path = p.kernels.prefix .. "_multiply.c", kind = "library", template = "linear/multiply.c.lt",
      isa = p.isa.name, plan = p, kernels = p.kernels }
  end
  for _, group in ipairs(p.kernels.groups) do
    local is_own = group.all == p.kernels
    list[#list + 1] = is_own and { path = group.file, kind = "library", template = group.template, isa = p.isa.name,
      plan = group.plan, group = group } or nil
  end
end

local function add_layer(p, list)
  local add = adder(p, list)
  add(".h", "model/isa.h.lt", "internal")
  add("_attend.c", "attention/attend.c.lt")
  add("_layer.c", "schedule/layer.c.lt")
end

-- Those of a stack, then those of the attentions that its layers have.
local function add_stack(p, list)
  local add = adder(p, list)
  add(".h", "schedule/stack.h.lt", "internal")
  add("_stack.c", "schedule/stack.c.lt")
  for i = #p.parts, 1, -1 do add_layer(p.parts[i], list) end
end

-- The table of what a variant's packed weights consist of.
local function add_parts(p, list)
  if p.packed.bytes == 0 then return end
  adder(p, list)("_parts.c", "model/parts.c.lt")
  list[#list].packs = true
end

local function add_plan(p, list)
  add_kernels(p, list)
  if not p.encoder then return (p.spec.stack and add_stack or add_layer)(p, list) end
  adder(p, list)("_sides.c", "schedule/transformer.c.lt")
  add_stack(p.encoder, list)
  add_stack(p.decoder, list)
end

-- Every file of a spec with these plans, in order: { path, kind = "header" | "internal" | "library" | "program",
-- template, isa, plan, group, kernels, part, packs, tells }; paths are relative.
function files.list(s, plans)
  local list = {}
  for i, file in ipairs(MODEL) do
    list[i] = { path = file.name:format(s.name), kind = file.kind, template = file.template, tells = file.tells }
  end
  for _, part in ipairs(files.parts(s)) do
    list[#list + 1] = { path = part.name .. "_internal.h", kind = "internal", template = "model/internal.h.lt",
      part = part }
  end
  for _, p in ipairs(plans) do
    add_plan(p, list)
    add_parts(p, list)
  end
  return list
end

-- What the compiler is told of a plan's instruction set and arithmetic.
local function cflags(p)
  local list = {}
  for _, flags in ipairs({ p.isa.cflags, multiply.all_need(p.spec, p.isa, "cflags") }) do
    for _, flag in ipairs(flags) do list[#list + 1] = flag end
  end
  return list
end

-- The files a spec becomes, as a build needs them: { path, kind, isa, variant, cflags }; isa: the instruction set that
-- the file is of or refines, which `variant` is or is called after; these and cflags: nil where there is no set.
function files.outputs(s, isa_names)
  local outputs = {}
  for i, file in ipairs(files.list(s, files.plans(s, isa_names))) do
    local p = file.plan
    outputs[i] = { path = file.path, kind = file.kind, isa = p and files.isa_of(p),
      variant = p and p.isa.name, cflags = p and cflags(p) }
  end
  return outputs
end

return files
