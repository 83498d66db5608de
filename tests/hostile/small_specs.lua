-- small_specs.lua: specs of every kind with each field that is a whole number or a length at the smallest it may be:
-- each is refused in words or becomes C that compiles with every warning an error. Walks the list of fields; one that
-- no spec here takes at its smallest is a failure, so that a new field is asked for.
--
--     lua small_specs.lua least|all [CC]
--
-- least: each field at its smallest value in one of the specs, most of them compiled for one instruction set. all: in
-- every spec, at 1, 2 and 3 and for every instruction set, and every two fields at 1 together; portable C is compiled
-- to the end, the rest for its syntax. What fails is left in out/small, one file each.
local checks = dofile("tests/hostile/spec_checks.lua")
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local spec = require "spec"

local FOLDER = "out/small"
local MOST = 3

-- What the fields are set in: every kind, and between them every field of a table that has a number.
local BASES = {
  { name = "layer", d_model = 6, n_heads = 2, d_head = 3, seq_len = "1..5", kv_seq_len = "1..5", k_dim = 5, v_dim = 7,
    d_out = 4, ["mask.causal"] = true, ["mask.window"] = 4, vocab_size = 5, outputs = { "attention" }, batch = 2 },
  { name = "even", d_model = 2, n_heads = 1, seq_len = "1..5", mask_fill = -2.5,
    activation = { v = "gelu" }, ["mask.tensor"] = "bool" },
  { name = "shared", d_model = 6, n_heads = 2, d_head = 3, heads = "shared" },
  { name = "bare", d_model = 6, n_heads = 2, projections = "qkv", ["mask.causal"] = true,
    relative_bias = { num_buckets = 2, max_distance = 2 } },
  { name = "distant", d_model = 6, n_heads = 2, seq_len = "1..5", disentangled = { span = 2 } },
  { name = "turned", d_model = 12, n_heads = 2, n_kv_heads = 2, d_head = 6, seq_len = 1, cache = 9,
    qk_norm = { kind = "rms" }, rope = { layout = "half_split", rotary_dim = 4 } },
  { name = "placed", d_model = 12, n_heads = 2, seq_len = 1, rope = { layout = "interleaved", positions = 20,
    scaling = "dynamic", factor = 2, original_positions = 4 } },
  { name = "alone", kind = "sdpa", n_heads = 2, n_kv_heads = 2, d_head = 5, d_v = 3, outputs = { "scores" } },
  { name = "coder", kind = "encoder", d_model = 6, n_heads = 2, d_head = 3, d_ff = 5, n_layers = 2, vocab_size = 7,
    seq_len = "1..5", token_types = 2, positions = { kind = "learned", rows = 9, first = 2 },
    pool = { kind = "mean", normalize = true }, logits = { kind = "softmax", size = 4 } },
  { name = "gated", kind = "encoder", d_model = 6, n_heads = 2, d_head = 3, d_ff = 5, n_layers = 2, vocab_size = 7,
    cache = 9, seq_len = "1..5", ffn = { gated = true, activation = "silu" }, norm = { kind = "rms", place = "pre" },
    positions = { kind = "sinusoidal" }, ["mask.causal"] = true, logits = { kind = "linear", tied = true } },
  { name = "late", kind = "encoder", d_model = 6, n_heads = 2, d_ff = 5, n_layers = 1, vocab_size = 5, seq_len = "1..9",
    ["mask.tensor"] = "bool", logits = { kind = "unit", size = 4 }, text_input = { query_marker = 1,
    document_marker = 2, query_length = 5, document_length = 6, expansion = 3, expansion_length = 5, unscored = 4 } },
  { name = "answers", kind = "encoder", d_model = 6, n_heads = 2, d_ff = 5, n_layers = 1, vocab_size = 5,
    ["mask.causal"] = true, seq_len = "1..5", logits = { kind = "linear" },
    text_input = { answers = 1, pair = "{query} {document}" } },
  { name = "forward", kind = "encoder", d_model = 6, d_ff = 5, n_layers = 1, layer = { attention = false } },
  { name = "rows", kind = "encoder", d_model = 6, n_layers = 0, norm = { final = true }, vocab_size = 5,
    pool = { kind = "cls" }, classifier = { labels = 4 }, logits = { kind = "log_softmax", size = 4 } },
  { name = "residual", kind = "encoder", d_model = 6, n_layers = 0, sublayer = true,
    norm = { kind = "rms", final = true } },
  { name = "joint", kind = "decoder", d_model = 6, n_heads = 2, d_head = 3, d_ff = 5, n_layers = 2, cache = 9,
    seq_len = "1..5", kv_seq_len = "1..5" },
  { name = "both", kind = "transformer", d_model = 6, n_heads = 2, d_head = 3, d_ff = 5, n_layers = 2,
    n_decoder_layers = 2, vocab_size = 5, src_vocab_size = 4, seq_len = "1..5", kv_seq_len = "1..5",
    logits = { kind = "linear" } },
}

local extent, cc = arg[1], arg[2] or "cc"
local SETS = checks.sets_of(cc)
assert(extent == "least" or extent == "all", "usage: small_specs.lua least|all [CC]")
local is_all = extent == "all"
local sums, failures, met = { tried = 0, refused = 0, compiled = 0 }, 0, {}

-- -- Fields and specs -------------------------------------------------------------------------------------------------

-- The smallest whole number from 0 on that a field takes; nil for one that takes none, or that takes a fraction.
local function smallest(field)
  if field.check(0.5) ~= nil or field.check(1.5) ~= nil then return nil end
  for value = 0, MOST do
    if field.check(value) ~= nil then return value end
  end
end

-- { name, smallest } of each field that is a whole number or a length, in order.
local function whole_fields()
  local list = {}
  for _, field in ipairs(spec.fields()) do
    local least = smallest(field)
    if least then list[#list + 1] = { name = field.field, least = least } end
  end
  return list
end

-- A base with the groups { rope = { layout = x } } as ["rope.layout"] = x, and some fields set to values.
local function fields_with(base, values)
  local fields = {}
  for key, value in pairs(base) do
    local is_group = type(value) == "table" and #value == 0 and key ~= "activation"
    for inner, v in pairs(is_group and value or { [key] = value }) do
      fields[is_group and key .. "." .. inner or key] = v
    end
  end
  for name, value in pairs(values) do fields[name] = value end
  return fields
end

-- -- Judging ----------------------------------------------------------------------------------------------------------

local function fail(what, text, why)
  failures = failures + 1
  local path = ("%s/failed_%d.lua"):format(FOLDER, failures)
  assert(fs.write_if_changed(path, text) ~= nil)
  print(("FAIL %s: %s\n%s"):format(path, what, why))
end

-- What is wrong with a spec and its C for an instruction set, or nil.
local function bad_for(s, set)
  local files = emit.files(s, { set.name })
  sums.compiled = sums.compiled + 1
  local is_whole = is_all and set.arch == "any"
  return checks.bad_files(files) or checks.bad_compilation(FOLDER, files, set, cc, is_whole)
end

-- Tries a base with fields set to values; compiles what it becomes for the instruction sets called so. Returns whether
-- the spec was taken.
local function try(base, values, names)
  local what = { base.name }
  for name, value in pairs(values) do what[#what + 1] = ("%s = %s"):format(name, value) end
  table.sort(what)
  what = table.concat(what, ", ")
  sums.tried = sums.tried + 1
  local s, errors = spec.from_fields(fields_with(base, values))
  if not s then
    sums.refused = sums.refused + 1
    local why = checks.bad_messages(errors)
    if why then fail(what .. " is refused", "", why) end
    return false
  end
  local why = checks.bad_plan(s)
  for _, name in ipairs(why and {} or names) do why = why or bad_for(s, isa.get(name)) end
  if why then fail(what, spec.text(s), why) end
  return true
end

-- -- The sweep --------------------------------------------------------------------------------------------------------

-- The bases in which a field is tried: all, or the last that takes it at its smallest.
local function bases_of(field)
  if is_all then return BASES end
  local list = {}
  for _, base in ipairs(BASES) do
    local is_taken = spec.from_fields(fields_with(base, { [field.name] = field.least }))
    if is_taken then list[1] = base end
  end
  return list
end

-- The portable instruction set is the last; the others take ten times as long to compile.
local function sets_of(turn)
  if is_all then return SETS end
  return { SETS[turn % 16 == 1 and (turn - 1) / 16 % #SETS + 1 or #SETS] }
end

local function sweep_one(fields)
  local turn = 0
  for _, field in ipairs(fields) do
    for _, base in ipairs(bases_of(field)) do
      for value = field.least, is_all and MOST or field.least do
        turn = turn + 1
        local is_taken = try(base, { [field.name] = value }, sets_of(turn))
        met[field.name] = met[field.name] or is_taken
      end
    end
  end
end

local function sweep_pairs(fields)
  local names = isa.names()
  for _, base in ipairs(BASES) do
    for i, first in ipairs(fields) do
      for j = i + 1, #fields do try(base, { [first.name] = 1, [fields[j].name] = 1 }, { names[#names] }) end
    end
  end
end

-- The longest names: parts of a model add to them.
local function sweep_names()
  local names, longest = isa.names(), ("n"):rep(96)
  for _, base in ipairs(BASES) do
    if is_all or base.kind == "transformer" then
      local taken = try(base, { name = longest }, { names[#names] })
      if not taken then fail(base.name, "", "a name of 96 letters is refused") end
    end
  end
end

checks.make_include(FOLDER)
local fields = whole_fields()
sweep_one(fields)
if is_all then sweep_pairs(fields) end
sweep_names()
for _, field in ipairs(fields) do
  if not met[field.name] then fail(field.name, "", "no spec takes it at " .. field.least) end
end
print(("%d specs tried, %d refused, %d compilations"):format(sums.tried, sums.refused, sums.compiled))
print(("%d passed, %d failed"):format(sums.tried - failures, failures))
os.exit(failures == 0)
