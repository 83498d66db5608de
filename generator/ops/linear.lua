-- ops/linear.lua: a product of a block of rows with packed weights, as an operation that sublayers declare. Knows none
-- of them.
return {
  name = "linear",
  -- Rows of a block as one product of integers after the other reads them; the plan knows how wide they are.
  tensors = function(spec, add)
    if spec.dtype == "f32" or #spec.sublayers == 0 then return end
    add({ name = "integers", shape = { "block", "integers" }, width = 0, stride = "INTEGERS" })
  end,
  -- The operation { name, packed, product, bias, parts, reads, writes, width, does, finish }, completed. packed,
  -- product: the part of a layer's weights and the product that multiplies by it; bias, parts: whether it adds one, and
  -- the parts of the weights whose columns lie side by side, { role, n_out, n_in }, both { number, name = in C };
  -- width: the columns of a product of the same work over rows of d_model, in C; finish: the C function of what then
  -- happens to each panel, nil for nothing.
  -- Of a spec whose linears multiply integers it makes the rows that it multiplies first, in `integers`.
  operation = function(spec, op)
    if spec.dtype ~= "f32" then op.writes[#op.writes + 1] = "integers" end
    op.op, op.phase, op.template, op.panels, op.weights = "linear", "block", "linear.block", op.packed, {}
    for _, part in ipairs(op.parts) do
      op.weights[#op.weights + 1] = part.role .. "_weight"
      op.weights[#op.weights + 1] = op.bias and part.role .. "_bias" or nil
    end
    return op
  end,
}
