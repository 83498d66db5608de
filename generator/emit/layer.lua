-- emit/layer.lua: what the layer's template needs in addition to the plan: tables of kernels and counts as C text.
-- Decides nothing; every number comes from the plan.
local layer = {}

-- NULL-led lists of kernel symbols by height, as the layer's tables hold them.
function layer.kernel_list(family, nv)
  local symbols = {}
  for _, kernel in ipairs(family.kernels) do
    if kernel.nv == nv and kernel.np == 1 and not kernel.tail then symbols[kernel.mr] = kernel.symbol end
  end
  return table.concat(symbols, ", ")
end

-- The same for panel i of a family's cover; the last panel may have kernels of its own.
function layer.panel_kernels(family, i)
  local nv = family.widths[i]
  if i < #family.widths or (family.tail or 0) == 0 then return layer.kernel_list(family, nv) end
  local symbols = {}
  for _, kernel in ipairs(family.kernels) do
    if kernel.tail then symbols[kernel.mr] = kernel.symbol end
  end
  return table.concat(symbols, ", ")
end

-- The kernel of the lowest height for panel i of a family's cover.
function layer.one_kernel(family, i)
  return family.symbol(1, family.widths[i])
end

-- By height, what passes a tile by: { kernel, panels at a time }.
function layer.steps(family)
  local texts = {}
  for mr, np in ipairs(family.wide) do
    texts[mr] = ("{%s, %d}"):format(family.full > 0 and family.symbol(mr, family.nv * np) or "NULL", np)
  end
  return table.concat(texts, ", ")
end

-- The running sums down a family's panels as a C initializer: counts, then lengths, of up to two kinds.
function layer.panel_sums(family)
  local first, second = family.sums[1], family.sums[2] or { count = 0, length = 0 }
  return ("{{%d, %d}, {%d, %d}}"):format(first.count, second.count, first.length, second.length)
end

-- Whether there is a narrow product among families.
function layer.has_narrow(families)
  for _, family in ipairs(families) do
    if family.rows then return true end
  end
  return false
end

-- The height of the tallest tile among families.
function layer.max_height(families)
  local most = 0
  for _, family in ipairs(families) do most = math.max(most, family.mr) end
  return most
end

local OWNERS = { slot = "sizes->slots * ", thread = "sizes->places * ", round = "" }
local UNITS = {
  slot = { q_row = "sizes->q_rows * ", kv_row = "sizes->kv_rows * " },
  thread = { panel = "sizes->panels * ", once = "" },
  round = { q_row = "sizes->round_q_rows * ", kv_row = "sizes->round_kv_rows * " },
}

-- A buffer's size in floats, in the terms of the layer's struct sizes.
function layer.buffer_count(buffer)
  return OWNERS[buffer.owner] .. UNITS[buffer.owner][buffer.unit] .. ("%d"):format(buffer.floats)
end

-- A function from a buffer's name to its floats for each unit.
function layer.buffer_floats(buffers)
  return function(name)
    for _, buffer in ipairs(buffers) do
      if buffer.name == name then return ("%d"):format(buffer.floats) end
    end
    error("no buffer is called " .. name)
  end
end

-- The names by which the C calls the widths of rows: those of key, value and output where they differ from d_model.
function layer.widths(spec)
  local function named(width, name) return width == spec.d_model and "D_MODEL" or name end
  return {
    q = "D_MODEL", k = named(spec.k_dim, "K_DIM"), v = named(spec.v_dim, "V_DIM"), o = named(spec.d_out, "D_OUT"),
  }
end

-- Where the rows of a head's attention go, as a C expression in the layer's attend_sequence.
local PLACES = {
  project = "r->b.concat + (g->q_from + q_from) * CONCAT + h * D_HEAD_PAD",
  narrow = "r->b.concat + (g->q_from + q_from) * CONCAT + h * D_HEAD_PAD",
  in_place = "r->output + (g->q_from + q_from) * CONCAT + h * D_HEAD_PAD",
  by_head = "r->b.concat + (g->q_from + q_from) * CONCAT + h * D_V_PAD",
  by_head_in_place = "r->output + (sequence * N_HEADS + h) * io->q_len * D_V",
}

function layer.head_place(plan)
  return PLACES[plan.finish]
end

return layer
