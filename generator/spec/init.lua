-- spec/init.lua: a model spec, read, checked field by field, every error collected, and resolved to plain numbers.
-- Decides nothing about code: tiles, layouts and ISAs are the planner's.
local fmt = require "base.fmt"
local fs = require "base.fs"
local text = require "base.text"
local blocks = require "ops"
local features = require "attention"
local fields = require "schema.fields"
local kinds = require "schema.kinds"
local modifiers = require "attention.modifiers"
local sandbox = require "schema.sandbox"
local stack = require "spec.stack"
local types = require "schema.types"

local spec = {}

local MOST_SAID = 20   -- messages of one kind
local MOST_TEXT = 4095 -- bytes of a string that C11 (5.2.4.1) has every compiler take

-- -- The list of fields -----------------------------------------------------------------------------------------------

-- Appends the fields of owners that belong there.
local function add_fields(list, owners, belongs)
  for _, owner in ipairs(owners) do
    for _, field in ipairs(owner.fields or {}) do list[#list + 1] = belongs(field) and field or nil end
  end
end

-- Base fields, those of the blocks and those of the features, in the order they are printed. Fields that blocks add to
-- a table of the features' stand after theirs.
local function all_fields()
  local list, of_features, tables = {}, {}, {}
  local function is_any() return true end
  local function is_added(field) return tables[field.field:match("^(.+)%.") or false] end
  add_fields(of_features, features, is_any)
  for _, field in ipairs(of_features) do tables[field.field:match("^(.+)%.") or ""] = true end
  add_fields(list, { { fields = fields } }, is_any)
  add_fields(list, blocks, function(field) return not is_added(field) end)
  add_fields(list, features, is_any)
  add_fields(list, blocks, is_added)
  for _, field in ipairs(list) do types.complete(field) end
  return list
end

local FIELDS = all_fields()

-- Every field there is: { field, check, ... }, in order.
function spec.fields()
  return FIELDS
end

-- The fields that make sense on a command line: { flag, field, value, default, help, parse }, in order.
function spec.options()
  local options = {}
  for _, field in ipairs(FIELDS) do
    if field.flag then options[#options + 1] = field end
  end
  return options
end

local function field_called(name)
  for _, field in ipairs(FIELDS) do
    if field.field == name then return field end
  end
end

-- -- Reading ----------------------------------------------------------------------------------------------------------

local function split(path)
  return path:match("^([^.]+)%.(.+)$")
end

local function unknown_field(key)
  local names = {}
  for _, field in ipairs(FIELDS) do names[#names + 1] = field.field end
  local near = text.nearest(tostring(key), names)
  return ("no field is called %s%s"):format(types.shown(key), near and ("; did you mean %s?"):format(near) or "")
end

-- The messages about keys that name no field, in order; only for the first of them what was meant is looked for.
local function unknown_fields(keys)
  local order = {}
  table.sort(keys, function(a, b)
    order[a], order[b] = order[a] or tostring(a), order[b] or tostring(b)
    return order[a] < order[b]
  end)
  for i = 1, math.min(#keys, MOST_SAID) do keys[i] = unknown_field(keys[i]) end
  return text.first(keys, MOST_SAID)
end

-- { ["mask.causal"] = x } and { mask = { causal = x } } alike as { ["mask.causal"] = x }; what is neither fails.
local function flatten(raw, fail)
  local known, groups, flat, wrong, unknown = {}, {}, {}, {}, {}
  for _, field in ipairs(FIELDS) do
    known[field.field] = true
    local group, inner = split(field.field)
    if group then groups[group] = groups[group] or inner .. " = ..." end
  end
  local function take(key, value)
    if known[key] then flat[key] = value else unknown[#unknown + 1] = key end
  end
  for key, value in pairs(raw) do
    if groups[key] and type(value) == "table" then
      for inner, v in pairs(value) do take(key .. "." .. tostring(inner), v) end
    elseif groups[key] then
      wrong[#wrong + 1] = ("%s must be a table like { %s }, found %s"):format(key, groups[key], types.shown(value))
    else
      take(key, value)
    end
  end
  table.sort(wrong)
  for _, messages in ipairs({ wrong, unknown_fields(unknown) }) do
    for _, message in ipairs(messages) do fail(message) end
  end
  return flat
end

local function store(target, path, value)
  local group, inner = split(path)
  if not group then
    target[path] = value
    return
  end
  target[group] = target[group] or {}
  target[group][inner] = value
end

-- Each given field through its type; `given` keeps the values as they were written, for spec.text.
local function read_fields(flat, fail, is_part)
  local result = { given = {} }
  for _, field in ipairs(FIELDS) do
    local value = flat[field.field]
    if value ~= nil then
      local checked, why = (is_part and field.check_part or field.check)(value)
      if checked == nil then
        fail(("%s %s"):format(field.field, why))
      else
        store(result, field.field, checked)
        result.given[#result.given + 1] = { field = field.field, value = value }
      end
    elseif field.required and field.required(flat) then
      fail(("%s is missing (it is required, for example %s = %s)"):format(field.field, field.field, field.default))
    end
  end
  return result
end

-- -- Resolving --------------------------------------------------------------------------------------------------------

-- The width of a head that a spec leaves to us.
local function even_share(s, fail)
  local share = math.floor(s.d_model / s.n_heads)
  if s.d_model % s.n_heads ~= 0 then
    fail(("d_model (%d) is not a multiple of n_heads (%d)"):format(s.d_model, s.n_heads))
  else
    local ok, why = field_called("d_head").check(share)
    if not ok then fail("d_head, by default d_model / n_heads, " .. why) end
  end
  return share
end

-- A length as a spec says it.
local function range_text(range)
  return ("%d..%d"):format(range.min, range.max)
end

local function resolve_shape(s, fail)
  s.kind = s.kind or "mha"
  s.stack = kinds.is_stack(s.kind)
  s.attends = stack.attends(s)
  if not s.attends then stack.one_head(s) end
  if s.kind == "sdpa" and not s.d_model and not s.d_head then
    fail('d_head is missing (kind = "sdpa" needs it, for example d_head = 64)')
    s.d_head = 1
  end
  s.d_model = s.d_model or s.n_heads * s.d_head
  s.d_head = s.d_head or even_share(s, fail)
  s.seq_len = s.seq_len or { min = 1, max = 512 }
  s.kv_seq_len = s.kv_seq_len or s.seq_len
  s.lengths_as_given = { seq_len = range_text(s.seq_len), kv_seq_len = range_text(s.kv_seq_len) }
  s.name = s.name or (s.attends and "%s_%d_%d" or "%s_%d"):format(s.kind, s.d_model, s.n_heads)
  s.dtype, s.unroll = s.dtype or "f32", s.unroll or 2
  s.modifier_weights = modifiers.weights()
end

-- The linears in role order; PyTorch's orientation, [out][in].
local function projection_roles(s, add)
  local width, kv_width = s.n_heads * s.d_head, s.n_kv_heads * s.d_head
  local shapes = { q = { width, s.d_model }, k = { kv_width, s.k_dim }, v = { kv_width, s.v_dim },
    o = { s.d_out, width } }
  for _, p in ipairs(s.shared_heads and { "q", "k", "v" } or {}) do shapes[p] = { s.d_head, s.d_head } end
  for _, p in ipairs({ "q", "k", "v", "o" }) do
    if s.projects[p] then add(p .. "_weight", shapes[p]) end
    if s.projects[p] and s.bias[p] then add(p .. "_bias", { shapes[p][1] }) end
  end
end

local function resolve_roles(s)
  s.roles = {}
  local function add(name, shape, is_shared)
    s.roles[#s.roles + 1] = { name = name, shape = shape, is_shared = is_shared or false }
  end
  if s.stack then return stack.roles(s, add) end
  projection_roles(s, add)
  for _, feature in ipairs(features) do
    if feature.roles then feature.roles(s, add) end
  end
end

-- Fields of blocks speak of whole models.
local function check_blocks(s, fail)
  for _, block in ipairs(s.stack and {} or blocks) do
    for _, field in ipairs(block.fields or {}) do
      for _, entry in ipairs(s.given) do
        if entry.field == field.field then
          fail(('%s is given, but kind = "%s" is not a stack of layers; kind = "%s" is one'):format(
            entry.field, s.kind, block.first_kind or "encoder"))
        end
      end
    end
  end
end

-- The spec of a part of a model; where its fields make none, what is wrong is said of `where`, and it has no roles.
local function part_of(raw, where, fail)
  local part, errors = spec.from_fields(raw, nil, true)
  for _, message in ipairs(errors or {}) do fail(where .. ": " .. message) end
  return part or { roles = {} }
end

-- The encoder and the decoder of a transformer, each a spec of its own.
local function resolve_sides(s, fail, said)
  s.encoder_spec, s.decoder_spec = { roles = {} }, { roles = {} }
  for _, side in ipairs(said == 0 and { "encoder", "decoder" } or {}) do
    s[side .. "_spec"] = part_of(stack.side_fields(s, side), "in the " .. side, fail)
  end
end

-- The attention of a kind of layer, as spec[the name of its part .. "_spec"].
local function resolve_kind(s, kind, fail)
  local where = ("layers.kinds.%s"):format(kind.name)
  local others = stack.not_of_attention(kind.fields)
  if #others > 0 then
    fail(("%s.%s is not a field of a layer's attention"):format(where, others[1]))
    return
  end
  local part = part_of(stack.attention_fields(s, kind), "in a layer's attention, " .. where, fail)
  if #part.roles > 0 and not stack.same_roles(part, s.attention_spec) then
    fail(("%s has other weights than the layers that are as the spec says"):format(where))
  end
  kind.part, kind.spec = "attention_" .. kind.name, part
  s[kind.part .. "_spec"] = part
end

-- The attentions of a stack's layers, each a spec of its own; what is wrong with the stack is wrong with them too, and
-- said once.
local function resolve_attention(s, fail, said)
  if not s.attends then return end
  s.attention_spec = { roles = {} }
  if said > 0 then return end
  s.attention_spec = part_of(stack.attention_fields(s), "in a layer's attention", fail)
  if s.layer_kinds[1] then s.layer_kinds[1].spec = s.attention_spec end
  for i = 2, #s.layer_kinds do resolve_kind(s, s.layer_kinds[i], fail) end
  if s.kind == "decoder" then
    s.memory_spec = part_of(stack.memory_fields(s), "in a layer's attention to the encoder's output", fail)
  end
end

-- Features in order, then blocks, but the weights' names last: they ask which roles there are.
local function resolve(s, fail, errors)
  resolve_shape(s, fail)
  check_blocks(s, fail)
  for _, feature in ipairs(features) do
    if feature.name == "weight_maps" then
      for _, block in ipairs(blocks) do
        if block.resolve then block.resolve(s, fail) end
      end
      if s.kind == "transformer" then
        resolve_sides(s, fail, #errors)
      elseif s.stack then
        resolve_attention(s, fail, #errors)
      end
      resolve_roles(s)
    end
    if feature.resolve then feature.resolve(s, fail) end
  end
  for _, feature in ipairs(#errors == 0 and features or {}) do
    if feature.check then feature.check(s, fail) end
  end
  if not s.attends then stack.no_heads(s) end
end

-- A collector of messages, each after the label's name if there is one.
local function collector(label)
  local errors = {}
  return errors, function(message) errors[#errors + 1] = (label and label .. ": " or "") .. message end
end

-- The spec that a table of fields says, or nil and every error. label stands before each message; nil for none.
-- is_part: it is the attention of a stack, which gives it rows without padding and weights without names in a file.
function spec.from_fields(raw, label, is_part)
  local errors, fail = collector(label)
  local s = read_fields(flatten(raw, fail), fail, is_part)
  s.is_part = is_part or false
  if #errors == 0 then resolve(s, fail, errors) end
  local bytes = #errors == 0 and not is_part and #spec.text(s) or 0
  if bytes > MOST_TEXT then
    fail(("its fields take %d bytes; at most %d are what every C compiler takes as one string, which a model keeps " ..
      "them in: shorten the names of weights"):format(bytes, MOST_TEXT))
  end
  if #errors > 0 then return nil, errors end
  return s
end

-- The spec that the text of a file says, or nil and every error; label stands before each.
function spec.from_text(source, label)
  local raw, why = sandbox.read(source)
  if not raw then return nil, { label .. ": " .. why } end
  return spec.from_fields(raw, label)
end

-- The spec in a file, or nil and every error.
function spec.read(path)
  local source, why = fs.read_given(path, sandbox.MAX_BYTES + 1)
  if not source then return nil, { why } end
  return spec.from_text(source, path)
end

-- -- Writing ----------------------------------------------------------------------------------------------------------

-- A value of a field as a spec file has it.
function spec.literal(value)
  if type(value) == "string" then return '"' .. value .. '"' end
  if type(value) == "number" then return fmt.double(value) end
  if type(value) == "boolean" then return tostring(value) end
  local parts = {}
  if #value > 0 then
    for _, item in ipairs(value) do parts[#parts + 1] = spec.literal(item) end
  else
    for _, key in ipairs(text.sorted_keys(value)) do parts[#parts + 1] = key .. " = " .. spec.literal(value[key]) end
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

-- The given fields as { field, text } in declared order, those of one table field together.
local function given_texts(s)
  local texts, at = {}, {}
  for _, entry in ipairs(s.given) do
    local group, inner = split(entry.field)
    if not group then
      texts[#texts + 1] = { field = entry.field, text = spec.literal(entry.value) }
    elseif at[group] then
      at[group].text = at[group].text:gsub(" }$", "") .. ", " .. inner .. " = " .. spec.literal(entry.value) .. " }"
    else
      at[group] = { field = group, text = "{ " .. inner .. " = " .. spec.literal(entry.value) .. " }" }
      texts[#texts + 1] = at[group]
    end
  end
  return texts
end

-- A spec file that reads back as the same spec.
function spec.text(s)
  local lines = {}
  for _, entry in ipairs(given_texts(s)) do lines[#lines + 1] = "  " .. entry.field .. " = " .. entry.text .. "," end
  return "return {\n" .. table.concat(lines, "\n") .. "\n}\n"
end

-- The given fields on one line, for banners: d_model=64 n_heads=4.
function spec.line(s)
  local parts = {}
  for _, entry in ipairs(given_texts(s)) do parts[#parts + 1] = entry.field .. "=" .. entry.text end
  return table.concat(parts, " ")
end

-- What each block and each feature says of this spec, in order.
function spec.sentences(s)
  local sentences = {}
  for _, owners in ipairs({ blocks, features }) do
    for _, owner in ipairs(owners) do
      local speaks = owner.sentence and (s.attends or owners == blocks or owner.of_rows)
      sentences[#sentences + 1] = speaks and owner.sentence(s) or nil
    end
  end
  return sentences
end

-- Vector helpers beyond the usual ones that the features in use need, each once, in order.
function spec.helpers(s)
  local names, seen = {}, {}
  for _, feature in ipairs(features) do
    for _, name in ipairs(feature.helpers and feature.helpers(s) or {}) do
      if not seen[name] then names[#names + 1] = name end
      seen[name] = true
    end
  end
  return names
end

return spec
