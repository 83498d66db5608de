-- ops/positions.lua: what a stack adds to its rows before the first layer: positions learned or of sines and
-- cosines, types of tokens, a factor of sqrt(d_model), a norm.
local fmt = require "base.fmt"
local formats = require "formats"
local types = require "schema.types"

-- Rows of learned positions that the longest sequence needs. reached: so many of the table's are ever read.
local function check_rows(spec, positions, fail)
  local longest = spec.cache or spec.seq_len.max
  if positions.kind == "learned" and positions.rows and positions.rows < longest + positions.first then
    fail(("positions.rows (%d) is less than the longest sequence (%d) from row %d (positions.first) on"):format(
      positions.rows, longest, positions.first))
  end
  positions.reached = longest + positions.first
  positions.rows = positions.rows or positions.reached
end

-- The padding's token has the row before the first place, and none of a cache's tokens is remembered.
local function check_padding(spec, positions, fail)
  local padding = positions.padding
  if not padding then return end
  if positions.kind ~= "learned" or positions.first == 0 then
    fail('positions.padding takes the row before positions.first: give positions.kind = "learned" and ' ..
      "positions.first, 1 or more")
  end
  if not spec.vocab_size or padding >= spec.vocab_size then
    fail(("positions.padding (%d) is not a token: %s"):format(padding, spec.vocab_size and
      ("vocab_size is %d"):format(spec.vocab_size) or "there is no vocab_size"))
  end
  if spec.kind ~= "encoder" then
    fail(('positions.padding is of kind "encoder", but kind is "%s"'):format(spec.kind))
  end
  if spec.cache then
    fail("positions.padding and cache cannot be given together: a cache does not know which of its tokens are padding")
  end
end

local function is_learned(spec)
  return spec.positions ~= nil and spec.positions.kind == "learned"
end

local function resolve_positions(spec, fail)
  local positions = spec.positions
  if not positions then return end
  if not positions.kind then
    fail('positions.kind is missing, but there are other fields of positions: "learned" or "sinusoidal"')
    return
  end
  positions.first = positions.first or 0
  check_rows(spec, positions, fail)
  check_padding(spec, positions, fail)
end

local function scale_text(spec)
  local embedding = spec.embedding
  return "product by " .. (embedding.is_root and "sqrt(d_model)" or fmt.double(embedding.scale or 1))
end

local is_factor = types.number(1e-6, 1e6)

-- A boolean or a factor.
local check_scale = types.described("`true`, `false`, or a number, 1e-06 to 1e+06", function(value)
  if type(value) == "boolean" then return value end
  local ok = is_factor(value)
  if ok then return value end
  return nil, ("must be true, false or a number from 1e-06 to 1e+06, found %s"):format(types.shown(value))
end)

local function parse_scale(word)
  local factor = types.to_number(word)
  if type(factor) == "number" then return factor end
  return types.to_boolean(word)
end

return {
  name = "positions",
  uses = { "added_rows" },
  weights = { "positions", "token_types" }, looked_up = { "positions", "token_types" },
  fields = {
    { field = "positions.kind", flag = "--positions", check = types.choice({ "learned", "sinusoidal" }),
      default = "none",
      help = "positions added to rows before the first layer: a learned table, or sines and cosines in turn; an " ..
      "odd d_model ends in a sine",
      group = "positions", example = 'positions = { kind = "learned" }' },
    { field = "positions.rows", flag = "--positions-rows", check = types.count(1, 1048576),
      default = "the longest sequence", help = "rows of the table of positions",
      group = "positions", example = 'positions = { kind = "learned", rows = 512 }' },
    { field = "positions.first", flag = "--positions-first", check = types.count(0, 65536), default = "0",
      help = "row of the first position (2 in RoBERTa)",
      group = "positions", example = 'positions = { kind = "learned", first = 2 }' },
    { field = "positions.padding", flag = "--positions-padding", value = "ID", check = types.count(0, 16777215),
      default = "none", help = "token id of padding, which has the row before the first " ..
      "position; positions count only the other tokens (1 in RoBERTa)",
      group = "positions", example = 'vocab_size = 9, positions = { kind = "learned", first = 2, padding = 1 }' },
    { field = "token_types", flag = "--token-types", check = types.count(1, 65536), default = "none",
      help = "rows of a table of token types, added to rows",
      group = "whole models", example = "token_types = 2" },
    { field = "embedding.scale", flag = "--embedding-scale", value = "yes|no|X", check = check_scale,
      parse = parse_scale, default = "no",
      help = "multiply rows by sqrt(d_model), or by X, before positions are added",
      group = "whole models", example = "embedding = { scale = true }" },
    { field = "embedding.norm", flag = "--embedding-norm", check = types.boolean, default = "no",
      help = "a norm over the rows before the first layer",
      group = "whole models", example = "embedding = { norm = true }" },
  },
  resolve = function(spec, fail)
    if not spec.stack then return end
    local embedding = spec.embedding or {}
    local scale = embedding.scale == true and math.sqrt(spec.d_model) or embedding.scale or false
    spec.embedding = { scale = scale, is_root = embedding.scale == true, norm = embedding.norm or false }
    resolve_positions(spec, fail)
    local adds = spec.positions ~= nil or spec.token_types ~= nil
    spec.adds_rows = spec.adds_rows or adds
  end,
  first_roles = function(spec, add)
    if is_learned(spec) then add("positions", { spec.positions.rows, spec.d_model }) end
    if spec.token_types then add("token_types", { spec.token_types, spec.d_model }) end
  end,
  packed = function(spec, add)
    local positions, width = spec.positions, spec.d_model
    if is_learned(spec) then
      formats.add_rows(add, "positions", positions.reached, width, spec.embedding_dtype)
    elseif positions then
      add("positions", positions.reached * width,
        { { kind = "angles", layout = "SINUSOIDS", places = positions.reached, width = width, theta = 10000 } })
    end
    if spec.token_types then formats.add_rows(add, "token_types", spec.token_types, width, spec.embedding_dtype) end
  end,
  tensors = function(spec, add)
    if spec.token_types then
      add({ name = "token_types", shape = { "batch", "q_len" }, dtype = "i32", is = "input" })
    end
  end,
  first_operations = function(spec, add)
    local function adds(on, name, op, reads, role)
      if not on then return end
      add({ name = name, op = op, phase = "row", reads = { "x", reads }, writes = { "x" }, weights = { role },
        template = "positions." .. name })
    end
    adds(spec.embedding.scale, "scale", scale_text(spec))
    adds(spec.token_types, "types", "sum", "token_types", "token_types")
    adds(spec.positions, "places", "sum", nil, is_learned(spec) and "positions" or nil)
  end,
  properties = function(spec)
    local embedding, positions = spec.embedding, spec.positions or {}
    return { { "embedding_scale", embedding.scale }, { "embedding_norm", embedding.norm },
      { "positions", positions.kind and "POSITIONS_" .. positions.kind:upper() }, { "n_positions", positions.rows },
      { "first_position", positions.first }, { "has_padding", positions.padding ~= nil },
      { "padding", positions.padding }, { "token_types", spec.token_types } }
  end,
  sentence = function(spec)
    if not spec.stack then return nil end
    local parts = {}
    if spec.embedding.scale then parts[#parts + 1] = (scale_text(spec):gsub("^product by", "rows times")) end
    if spec.positions then
      parts[#parts + 1] = spec.positions.kind == "learned" and
        ("learned positions, %d"):format(spec.positions.rows) or "positions of sines and cosines"
    end
    if spec.positions and spec.positions.padding then
      parts[#parts + 1] = ("for token %d, padding, row %d of them, and no token after it counts it"):format(
        spec.positions.padding, spec.positions.first - 1)
    end
    if spec.token_types then parts[#parts + 1] = ("%d types of tokens"):format(spec.token_types) end
    if spec.embedding.norm then parts[#parts + 1] = "a norm before the first layer" end
    return #parts > 0 and "added to rows at first: " .. table.concat(parts, ", ") or nil
  end,
}
