-- ops/linear.lua: a product of a block of rows with packed weights, as an operation that sublayers declare. Knows none
-- of them.
local bilinear = require "base.bilinear"
local formats = require "formats"

-- Whether the rows that a linear reads may become other ones first: numbers of fewer bits, digits, or sums of pairs.
local function makes_rows(spec, linear)
  return spec.chooses or spec.arithmetic_of[linear.role] ~= "f32" or linear.levels or
    formats.of_weights(spec.weights_dtype).group ~= nil
end

-- How often a linear of these parts, which are alike, is split, at most `most` times; two of them are its halves.
local function levels_of(parts, most)
  return #parts <= 2 and bilinear.levels_of(parts[1].n_in, #parts * parts[1].n_out, most) or nil
end

-- Whether a linear of a layer other than attention's own is so.
local function has_linear(spec, is_so)
  for _, sublayer in ipairs(spec.sublayers) do
    for _, linear in ipairs(sublayer.linears) do
      if is_so(spec, linear) then return true end
    end
  end
  return false
end

local function is_fast(_, linear)
  return linear.levels
end

return {
  name = "linear",
  -- What multiplies by the weights of each, once for all that take it.
  products = function(spec, add)
    local is_added = {}
    for _, sublayer in ipairs(spec.sublayers) do
      for _, linear in ipairs(sublayer.linears) do
        if not is_added[linear.product] then
          add({ op = linear.product, role = linear.role, what = linear.what, n_in = linear.parts[1].n_in,
            n_out = linear.n_out, levels = linear.levels })
        end
        is_added[linear.product] = true
      end
    end
  end,
  -- Rows of a block as one product after the other that makes its rows reads them, and a thread's products of a tile of
  -- rows together; the plan knows how wide they are.
  tensors = function(spec, add)
    if has_linear(spec, makes_rows) then
      add({ name = "narrow", shape = { "block", "narrow" }, width = 0, stride = "NARROW" })
    end
    if has_linear(spec, is_fast) then add({ name = "products", shape = { "thread", "products" }, width = 0 }) end
  end,
  -- The operation { name, product, what, role, bias, parts, reads, writes, width, does, finish }, completed: all that
  -- is said of a linear of a layer. name: its own, and that of its part of a layer's weights; product: what multiplies
  -- by it, which several may share (nil: as its name); what: what that does; role: which linear of a layer it is; bias:
  -- whether it adds one; parts: of the weights, whose columns lie side by side, { role, n_out, n_in };
  -- width: the columns of a product of the same work over rows of d_model, in C; finish: the C function of what then
  -- happens to each panel, nil for nothing; is_pair: its columns are two linears of one width, and what reads them
  -- gathers those of ranks.
  -- Where the linear multiplies narrow numbers or rows together, it makes the rows that it multiplies in `narrow`.
  operation = function(spec, op)
    op.levels = spec.matmul_levels and levels_of(op.parts, spec.matmul_levels)
    if makes_rows(spec, op) then op.writes[#op.writes + 1] = "narrow" end
    if op.levels then op.writes[#op.writes + 1] = "products" end
    op.op, op.phase, op.template, op.panels = "linear", "block", "linear.block", op.name
    op.product, op.n_out, op.weights, op.side_by_side = op.product or op.name, 0, {}, {}
    for i, part in ipairs(op.parts) do
      local linear = { weight = part.role .. "_weight", bias = op.bias and part.role .. "_bias", rows = part.n_out }
      op.side_by_side[i], op.n_out = linear, op.n_out + part.n_out
      op.weights[#op.weights + 1] = linear.weight
      op.weights[#op.weights + 1] = linear.bias or nil
    end
    return op
  end,
}
