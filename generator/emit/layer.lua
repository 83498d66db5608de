-- emit/layer.lua: what the layer's template needs in addition to the plan: tables of kernels and counts as C text.
-- Decides nothing; every number comes from the plan.
local family_of = require "plan.family"

local layer = {}

-- The kernels of a family that multiply panels of nv vectors, by height, a line each, as tables of C hold them.
-- is_tail: those of the last panel, where that has its own.
function layer.kernel_list(f, nv, is_tail)
  local lines = {}
  for mr = 1, f.mr do
    local kernel = family_of.kernel(f, mr, nv, 1, is_tail)
    lines[#lines + 1] = kernel and kernel.symbol .. "," or nil
  end
  return table.concat(lines, "\n")
end

-- The same for panel i of a family's cover.
function layer.panel_kernels(f, i)
  return layer.kernel_list(f, f.widths[i], i == #f.widths and (f.tail or 0) > 0)
end

-- The kernel of the lowest height for panel i of a family's cover.
function layer.one_kernel(f, i)
  return family_of.kernel(f, 1, f.widths[i]).symbol
end

-- By height, what passes a tile by: { kernel, panels at a time }, a line each.
function layer.kernel_choices(f)
  local lines = {}
  for mr, np in ipairs(f.wide) do
    lines[mr] = ("{%s, %d},"):format(f.full > 0 and family_of.kernel(f, mr, f.nv, np).symbol or "NULL", np)
  end
  return table.concat(lines, "\n")
end

-- The running sums down a family's panels as a C initializer: counts, then lengths, of up to two kinds.
function layer.panel_sums(family)
  local first, second = family.sums[1], family.sums[2] or { count = 0, length = 0 }
  return ("{{%d, %d}, {%d, %d}}"):format(first.count, second.count, first.length, second.length)
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
