-- dump.lua: a plan as text for people: kernels, tiles, registers, packed weights, flops, bytes and scratch.
-- Reads plans only; what it prints of a call is for the longest lengths and a batch of one.
local dump_graph = require "plan.dump_graph"
local fmt = require "base.fmt"
local tuning = require "plan.tuning"

local function grouped(n)
  local digits = ("%.0f"):format(n)
  local with_commas = digits:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return with_commas
end

local function cover(f, width)
  local counts, order = {}, {}
  for _, nv in ipairs(f.widths) do
    if not counts[nv] then order[#order + 1] = nv end
    counts[nv] = (counts[nv] or 0) + 1
  end
  local parts = {}
  for _, nv in ipairs(order) do parts[#parts + 1] = ("%d of %d"):format(counts[nv], nv * width) end
  return table.concat(parts, " + ")
end

local function sums(f)
  local parts = {}
  for _, sum in ipairs(f.sums or {}) do parts[#parts + 1] = ("%d x %d"):format(sum.count, sum.length) end
  if #parts == 0 then return "" end
  local slices = f.kc_blocks < f.n_sums and (", at most %d of them at a time"):format(f.kc_blocks) or ""
  return (", k = %d in sums of %s%s"):format(f.k, table.concat(parts, " + "), slices)
end

local function kernel_lines(p, out)
  out("kernels (heights 1..mr of each)")
  for _, f in ipairs(p.families) do
    local tile = ("%dx%d"):format(f.mr, f.nv * p.isa.width)
    out("  %-10s %-6s %2d of %d vector registers, %d kernels, panels %s%s", f.op, tile, f.registers,
      p.isa.registers, #f.kernels, cover(f, p.isa.width), sums(f))
    out("             %s; %s", f.group.name, f.why)
  end
end

local function tuning_lines(p, out)
  local lines = tuning.describe(p.kernels.tuning, p.spec.name)
  if #lines > 0 then out("tuning parameters") end
  for _, line in ipairs(lines) do out("  %s", line) end
end

-- Floats of a buffer for a batch of one on one thread, which has one slot.
local function buffer_floats(p, b)
  local s = p.spec
  local units = {
    q_row = s.seq_len.max, kv_row = s.kv_seq_len.max, panel = math.ceil(s.kv_seq_len.max / p.key_panel), once = 1,
  }
  return b.floats * units[b.unit]
end

local function packed_lines(p, out)
  for _, part in ipairs(p.packed.parts) do
    out("  %-14s at %s, %s bytes%s", part.name, grouped(part.offset), grouped(part.bytes),
      part.dtype and " of " .. part.dtype or "")
  end
end

local function memory_lines(p, out)
  out("packed weights, %s bytes", grouped(p.packed.bytes))
  packed_lines(p, out)
  local total = 0
  for _, b in ipairs(p.buffers) do total = total + math.ceil(buffer_floats(p, b) / 16) * 64 end
  out("scratch for batch 1, %d queries, %d keys: %s bytes", p.spec.seq_len.max, p.spec.kv_seq_len.max, grouped(total))
end

local function graph_lines(p, out)
  out("operations")
  dump_graph(p.graph, out, function(tensor)
    return tensor.owner and grouped(buffer_floats(p, tensor) * 4) .. " bytes"
  end)
end

-- Floats of key and value: none where they are the query's own rows, value's none where they may be key's.
local function kv_floats(s, q, kv)
  local differ = s.k_dim ~= s.d_model or s.v_dim ~= s.d_model
  if not differ and kv == q then return 0 end
  return kv * (s.k_dim + (s.v_dim ~= s.k_dim and s.v_dim or 0))
end

local function work_lines(p, out)
  local s = p.spec
  local q, kv, width = s.seq_len.max, s.kv_seq_len.max, s.n_heads * s.d_head
  local kv_width = s.n_kv_heads * s.d_head
  local projects = s.projects.q and 1 or 0
  local function n_in(row) return s.shared_heads and s.d_head or row end
  local parts = {
    { "project q", projects * 2 * q * n_in(s.d_model) * width },
    { "project k, v", projects * 2 * kv * (n_in(s.k_dim) + n_in(s.v_dim)) * kv_width },
    { "scores", 2 * q * kv * width }, { "values", 2 * q * kv * s.n_heads * s.d_v },
    { "project out", s.projects.o and 2 * q * width * s.d_out or 0 },
  }
  local total = 0
  for _, part in ipairs(parts) do total = total + part[2] end
  out("work for batch 1, %d queries, %d keys: %s flops%s", q, kv, grouped(total),
    s.window and " (without what the window leaves out)" or
    s.causal and " (without what the causal mask leaves out)" or "")
  for _, part in ipairs(parts) do
    out("  %-12s %s flops, %s %%", part[1], grouped(part[2]), fmt.fixed(100 * part[2] / total, 1))
  end
  local bytes = p.packed.bytes + (q * (s.d_model + s.d_out) + kv_floats(s, q, kv)) * 4
  out("bytes moved at least once (weights, input, output): %s, %s flops a byte", grouped(bytes),
    fmt.fixed(total / bytes, 1))
end

-- The plan of a stack: everything except the attention of its layers, whose own plan follows.
local function stack_lines(p, out)
  local s = p.spec
  out("plan %s for %s: %d layers, d_model %d, d_ff %d", s.name, p.isa.name, s.n_layers, s.d_model, s.d_ff)
  kernel_lines({ families = p.products, isa = p.isa }, out)
  tuning_lines(p, out)
  out("packed weights, %s bytes, of which a layer has %s", grouped(p.packed.bytes),
    grouped(p.layer_packed.bytes))
  packed_lines(p, out)
  out("operations, over the steps of a layer: %s", table.concat(p.steps, "; "))
  dump_graph(p.graph, out, function(tensor)
    return tensor.floats and grouped(tensor.floats) .. " floats a row"
  end)
end

-- The plan of one attention layer.
local function layer_lines(p, out)
  out("plan %s for %s: d_model %d, %d heads of %d (padded to %d), %d key heads", p.spec.name, p.isa.name,
    p.spec.d_model, p.spec.n_heads, p.spec.d_head, p.d_head_pad, p.spec.n_kv_heads)
  kernel_lines(p, out)
  tuning_lines(p, out)
  graph_lines(p, out)
  memory_lines(p, out)
  work_lines(p, out)
end

-- The plan as text that ends with a newline, and after it those of its parts.
local function dump(p)
  local lines, parts = {}, {}
  local function out(format, ...) lines[#lines + 1] = format:format(...) end
  if p.encoder then return dump(p.encoder) .. dump(p.decoder) end
  if p.spec.stack then stack_lines(p, out) else layer_lines(p, out) end
  for i, part in ipairs(p.parts or {}) do parts[i] = dump(part) end
  return table.concat(lines, "\n") .. "\n\n" .. table.concat(parts)
end

return dump
