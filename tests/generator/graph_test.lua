-- graph_test.lua: the graph of a model is a graph: what is read was written, weights are read once, and steps,
-- lifetimes and what is asked for ahead follow from it; an operation that nobody has seen takes its place in the
-- schedule.
local fact = dofile("tests/generator/fact.lua")
local blocks = require "ops"
local compat = require "base.compat"
local emit = require "emit"
local fragments = require "emit.fragments"
local fs = require "base.fs"
local graph = require "plan.graph"
local isa = require "isa"
local lifetimes = require "plan.lifetimes"
local plan = require "plan"
local spec = require "spec"
local template = require "template"
local stack = require "plan.stack"
local transformer = require "plan.transformer"

local function make(more)
  local raw = { kind = "encoder", name = "g", d_model = 8, n_heads = 2, n_layers = 2, seq_len = 4 }
  for key, value in pairs(more or {}) do raw[key] = value end
  if raw.n_heads == 0 then raw.n_heads = nil end
  local s, errors = spec.from_fields(raw)
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local PRE = { place = "pre", kind = "rms" }
local GATED = { gated = true, activation = "silu" }
local FORWARD = { n_heads = 0, n_layers = 1, layer = { attention = false } }

-- Specs of whole models, each on its own; a transformer is its two sides.
local function each_stack(f)
  for _, more in ipairs({
    {}, FORWARD, { norm = PRE, ffn = GATED, vocab_size = 9, logits = { kind = "linear", tied = true } },
    { kind = "decoder", norm = PRE, pool = { kind = "cls" }, positions = { kind = "learned" } },
    { kind = "decoder", norm = { final = true }, cache = 8, logits = { kind = "linear", size = 3, bias = true } },
    { kind = "decoder", ffn = { gated = true, fused = true }, vocab_size = 9, token_types = 2,
      positions = { kind = "sinusoidal" }, embedding = { scale = true, norm = true }, pool = { kind = "mean" } },
    { kind = "transformer", vocab_size = 9, norm = PRE },
    { n_heads = 0, n_layers = 0, sublayer = true, norm = { final = true } },
    { n_heads = 0, n_layers = 1, layer = { attention = false, residual = false }, norm = { kind = "none" } },
  }) do
    local s = make(more)
    for _, side in ipairs(s.kind == "transformer" and { s.encoder_spec, s.decoder_spec } or { s }) do f(side) end
  end
end

-- An operation on one line: "name: reads -> writes".
local function line_of(op)
  local function names(tensors)
    local list = {}
    for i, tensor in ipairs(tensors) do list[i] = tensor.name end
    return table.concat(list, ", ")
  end
  return ("%s: %s -> %s"):format(op.name, names(op.reads), names(op.writes))
end

local function lines_of(operations)
  local list = {}
  for i, op in ipairs(operations) do list[i] = line_of(op) end
  return list
end

-- The roles that an operation of a spec reads, in each layer that has it, by the names of the spec's.
local function roles_read(s, op)
  local list, layers = {}, op.place == "layer" and s.n_layers or 1
  for layer = 0, layers - 1 do
    for _, name in ipairs(op.weights) do
      local of, role = name:match("^(%l+)%.(.*)$")
      local is_last = layer == s.n_layers - 1
      if op.place ~= "layer" then
        list[#list + 1] = name
      elseif of == "next" then
        list[#list + 1] = not is_last and ("layers.%d.%s"):format(layer + 1, role) or nil
      elseif of == "last" then
        list[#list + 1] = is_last and role or nil
      else
        list[#list + 1] = ("layers.%d.%s"):format(layer, name)
      end
    end
  end
  return list
end

-- -- Graphs -----------------------------------------------------------------------------------------------------------

fact.holds("the graph of a feed-forward alone is that and what joins it, without attention", function()
  fact.lists_equal(lines_of(graph.of_stack(make(FORWARD)).operations), { "rows: query -> x", "up: x -> mid",
    "down: mid -> y", "ffn_join: x, y -> x", "ffn_norm: x -> x", "output: x -> output" })
end)

fact.holds("the graph of a pre-norm decoder norms before each sublayer what the one before left", function()
  local g = graph.of_stack(make({ kind = "decoder", norm = PRE, ffn = GATED }))
  fact.lists_equal(lines_of(graph.at(g, "first")),
    { "memory_rows: key -> memory", "rows: query -> x", "first_norm: x -> n" })
  fact.lists_equal(lines_of(graph.at(g, "layer")), {
    "attention: n -> heads, attention_scratch", "out: heads -> y", "attention_join: x, y -> x",
    "memory_norm: x -> n",
    "memory: n, memory -> heads, attention_scratch", "memory_out: heads -> y", "memory_join: x, y -> x",
    "ffn_norm: x -> n", "up: n -> mid", "gate: mid -> mid", "down: mid -> y", "ffn_join: x, y -> x",
    "next_norm: x -> n",
  })
  fact.lists_equal(lines_of(graph.at(g, "last")), { "output: n -> output" })
end)

fact.holds("what an operation reads was written before, and all that is written is read", function()
  each_stack(function(s)
    local g, read = graph.of_stack(s), {}
    graph.check(g)
    for _, op in ipairs(g.operations) do
      for _, tensor in ipairs(op.reads) do read[tensor] = true end
    end
    for _, tensor in ipairs(g.tensors) do
      assert(read[tensor] or tensor.is == "output" or tensor.is == "private", tensor.name)
    end
  end)
end)

fact.holds("a graph that reads what nothing writes, or names no tensor, is refused", function()
  local g = graph.new()
  graph.add_tensor(g, { name = "a", shape = { "rows" } })
  graph.add(g, "layer", { name = "op", reads = { "a" }, writes = {} })
  fact.raises("operation op reads a, which nothing before it writes", graph.check, g)
  fact.raises("operation op names a tensor b, which nobody declares", graph.add, g, "layer",
    { name = "op", reads = { "b" }, writes = {} })
  fact.raises("two tensors are called a", graph.add_tensor, g, { name = "a" })
end)

fact.holds("every weight is read by one operation, but the embedding, which logits may share", function()
  each_stack(function(s)
    local count = {}
    for _, op in ipairs(graph.of_stack(s).operations) do
      for _, role in ipairs(roles_read(s, op)) do count[role] = (count[role] or 0) + 1 end
    end
    for _, role in ipairs(s.roles) do
      fact.equal(count[role.name], role.name == "embedding" and s.logits and s.logits.tied and 2 or 1)
      count[role.name] = nil
    end
    fact.equal(next(count), nil)
  end)
end)

fact.holds("a transformer is two graphs: what the encoder's gives, the decoder's takes as its key", function()
  local p = transformer.make(make({ kind = "transformer", vocab_size = 9 }), isa.get("avx2"))
  local encoder, decoder = p.encoder.graph, p.decoder.graph
  fact.lists_equal(lines_of(graph.at(encoder, "last")), { "output: x -> output" })
  fact.lists_equal(lines_of(graph.at(decoder, "first", "call")), { "memory_rows: key -> memory" })
  fact.equal(encoder.tensor.memory, nil)
end)

-- -- One layer of attention -------------------------------------------------------------------------------------------

local function layer_graph(more)
  local raw = { d_model = 8, n_heads = 2, seq_len = 4 }
  for key, value in pairs(more) do raw[key] = value end
  return plan.make(assert(spec.from_fields(raw)), isa.get("avx2")).graph
end

fact.holds("the graph of a layer is its projections, scores, softmax, values and output", function()
  fact.lists_equal(lines_of(layer_graph({ mask = { lengths = false }, n_heads = 1 }).operations), {
    "project_k: key -> k", "project_v: value -> v", "project_q: query -> q", "pack_keys: k -> panels",
    "score: q, panels -> scores", "softmax: scores -> scores", "value: scores, v -> concat", "out: concat -> output" })
end)

fact.holds("features stand where they act, modifiers of scores in their order", function()
  local g = layer_graph({ vocab_size = 9, rope = { layout = "half_split" }, qk_norm = { kind = "rms" }, sinks = true,
    softcap = 5, alibi = true, activation = { o = "relu" }, outputs = { "attention", "attention_mean" } })
  fact.lists_equal(lines_of(g.operations), {
    "gather: query, key, value, tokens -> x_q, x_k, x_v", "project_k: x_k -> k", "project_v: x_v -> v",
    "project_q: x_q -> q", "qk_norm: q, k -> q, k", "rope: q, k -> q, k", "pack_keys: k -> panels",
    "score: q, panels -> scores", "softcap: scores -> scores", "alibi: scores -> scores",
    "sinks: scores -> scores", "softmax: scores -> scores", "attention: scores -> attention", "keep: scores -> kept",
    "value: scores, v -> concat", "attention_mean: kept -> attention_mean", "out: concat -> y", "activate_o: y -> y",
    "scatter: y -> output" })
end)

fact.holds("a cache takes the place of keys and values of the call", function()
  local g = layer_graph({ cache = 8 })
  fact.equal(g.tensor.panels, nil)
  local lines = table.concat(lines_of(g.operations), "; ")
  fact.contains(lines, "append: k, v -> cached_keys, cached_values; score: q, cached_keys -> scores;")
  fact.contains(lines, "value: scores, cached_values -> concat")
end)

-- Calls f(spec) for every layer of attention among the specs of folders, those of whole models too.
local function each_layer(f)
  for _, folder in ipairs({ "specs/", "tests/specs/" }) do
    for _, name in ipairs(assert(fs.list(folder))) do
      local s = name:find("%.lua$") and spec.read(folder .. name)
      for _, part in ipairs(s and { s, s.attention_spec, s.memory_spec } or {}) do
        if not part.stack then f(part) end
      end
    end
  end
end

fact.holds("in every layer what is read was written, each weight is read once, and buffers live", function()
  local count = 0
  each_layer(function(s)
    local p, read = plan.make(s, isa.get("scalar")), {}
    for _, op in ipairs(p.graph.operations) do
      for _, role in ipairs(op.weights) do read[role] = (read[role] or 0) + 1 end
    end
    for _, role in ipairs(s.roles) do
      if read[role.name] ~= 1 then error(("%s: %s is read %s times"):format(s.name, role.name, read[role.name]), 0) end
      read[role.name] = nil
    end
    fact.equal(next(read), nil)
    for _, buffer in ipairs(p.buffers) do
      assert(buffer.owner and buffer.from and buffer.from < buffer.to, s.name .. ": " .. buffer.name)
    end
    count = count + 1
  end)
  assert(count > 40, count)
end)

-- -- Steps and lifetimes ----------------------------------------------------------------------------------------------

-- The plan of a spec for one instruction set, as all are alike in this.
local function plan_of(s)
  return stack.make(s, isa.get("avx2"))
end

local function lifetime(tensor)
  local list = {}
  for step, is_alive in ipairs(tensor.alive) do list[#list + 1] = is_alive and tostring(step) or nil end
  return table.concat(list, " ")
end

fact.holds("a step begins where all threads work together, and says what it does", function()
  fact.lists_equal(plan_of(make({ kind = "decoder" })).steps,
    { "attention", "joining", "attention to memory", "joining and feed-forward" })
  fact.lists_equal(plan_of(make(FORWARD)).steps, { "feed-forward" })
end)

fact.holds("a tensor is alive from what writes it to what reads it, or always where the next layer reads it", function()
  local t = plan_of(make({ kind = "decoder", norm = PRE })).graph.tensor
  for name, steps in pairs({ x = "1 2 3 4", n = "1 2 3 4", memory = "1 2 3 4", heads = "1 2 3 4", y = "2 4", mid = "4",
    attention_scratch = "1 3" }) do
    fact.equal(lifetime(t[name]), steps)
    fact.equal(t[name].is_transient, #steps < 7)
  end
end)

-- Where place_buffers of a stack's template puts each tensor, for one unit of each: buffer i takes 1.
local function placed(p)
  local places, at = {}, 0
  local function take(tensor)
    places[#places + 1] = { tensor = tensor, at = at }
    at = at + 1
  end
  for _, buffer in ipairs(p.buffers) do
    if not buffer.is_transient then take(buffer) end
  end
  local start = at
  for _, tensor in ipairs(p.graph.tensors) do
    if tensor.is == "private" then take(tensor) end
  end
  if p.shares then at = start end
  for _, buffer in ipairs(p.buffers) do
    if buffer.is_transient then take(buffer) end
  end
  return places
end

fact.holds("tensors that are alive in one step do not overlap in scratch, and some that are not do", function()
  local sharing = 0
  each_stack(function(s)
    local places = placed(plan_of(s))
    for i, a in ipairs(places) do
      for j = 1, i - 1 do
        local b = places[j]
        if a.at == b.at then sharing = sharing + 1 end
        assert(a.at ~= b.at or not lifetimes.meet(a.tensor, b.tensor), a.tensor.name .. " over " .. b.tensor.name)
      end
    end
  end)
  assert(sharing >= 6, sharing)
end)

fact.holds("a product asks for the weights of the next one, the last for those of the next layer", function()
  local s = make({ kind = "decoder", norm = PRE })
  local ahead = {}
  for _, op in ipairs(graph.of_stack(s).operations) do
    ahead[#ahead + 1] = op.next and ("%s: %s%s"):format(op.panels, op.next.panels, op.next_layer and ", next" or "")
  end
  fact.lists_equal(ahead, { "attention: out", "out: memory", "memory: memory_out", "memory_out: up", "up: down",
    "down: attention, next" })
end)

-- -- An operation that nobody has seen ------------------------------------------------------------------------------

-- Calls f(plan, the C of the schedule) for a spec with one more block, whose operations have the C `text`.
local function with_block(block, text, s, f)
  local folder = fact.folder("graph")
  assert(compat.execute("cp -r templates " .. folder))
  assert(fs.write_if_changed(("%stemplates/ops/%s.c.lt"):format(folder, block.name), "$$ operation: copy\n" .. text))
  local before = template.folder
  template.folder, fragments.BLOCKS.files = folder .. "templates/", nil
  table.insert(blocks, block)
  local ok, why = pcall(function()
    local p, written = plan_of(s), nil
    for _, file in ipairs(emit.files(s, { "scalar" })) do
      if file.path:find("_stack%.c$") then written = file.text end
    end
    f(p, written)
  end)
  table.remove(blocks)
  template.folder, fragments.BLOCKS.files = before, nil
  if not ok then error(why, 0) end
end

-- A block of that name with a buffer of blocks of rows, and one operation after the feed-forward's.
local function made_up(name, more)
  more.name, more.op, more.template, more.reads = name, "copy", name .. ".copy", { "x" }
  return {
    name = name,
    tensors = function(s, add)
      add({ name = "spare", shape = { "block", "d_model" }, width = s.d_model, stride = "D_MODEL" })
    end,
    sublayer_operations = function(_, add, sublayer)
      if sublayer.name == "ffn" then add(more) end
    end,
  }
end

fact.holds("an operation on blocks of rows joins its step: words, buffer, work and C", function()
  local block = made_up("made_up", { phase = "block", does = "what is made up", writes = { "x", "spare" },
    width = "D_MODEL" })
  local text = "memcpy(${op.writes[2].name}, x, rows * D_MODEL * sizeof *x);\n"
  with_block(block, text, make(), function(p, written)
    fact.lists_equal(p.steps, { "attention", "joining and feed-forward and what is made up" })
    fact.equal(lifetime(p.buffer.spare), "2")
    fact.equal(p.shares, true)
    fact.contains(written, "    memcpy(spare, x, rows * D_MODEL * sizeof *x);\n}\n")
    assert(written:find(",%s+%*spare = p%->b%.spare %+ thread %* %(p%->block_rows %* D_MODEL %+ APART%);\n"))
    fact.contains(written, "    b.spare = ga_arena_take(&blocks, threads * block * 8 + (threads - 1) * APART, " ..
      "sizeof(float));\n")
    fact.contains(written, "run_rows(&p, HEADS + MID + D_FF + D_MODEL, finish_thread);")
  end)
end)

fact.holds("an operation of all rows is a step of its own", function()
  local block = made_up("of_all_rows", { phase = "all rows", call = "make_up", says = "what is made up",
    writes = { "spare" } })
  with_block(block, "", make({ kind = "decoder" }), function(p, written)
    fact.lists_equal(p.steps, { "attention", "joining", "attention to memory", "joining and feed-forward",
      "what is made up" })
    fact.equal(lifetime(p.buffer.spare), "5")
    fact.contains(written, "run_rows(&p, HEADS + MID + D_FF, join_2_thread);\n        make_up(&p);\n")
    assert(not written:find("finish_thread", 1, true))
  end)
end)

fact.holds("memory of an operation's own is shared by no buffer that is alive with it", function()
  local block = made_up("in_private", { phase = "block", writes = { "spare", "attention_scratch" } })
  with_block(block, "", make(), function(p, written)
    fact.equal(lifetime(p.graph.tensor.attention_scratch), "1 2")
    fact.equal(p.shares, false)
    fact.contains(written, "    b.attention = ga_arena_take(arena, attention, 1);\n" ..
      "    struct ga_arena blocks = *arena;\n")
  end)
end)

fact.holds("a buffer that outlives its step keeps its place", function()
  local block = made_up("outlives", {})
  block.sublayer_operations = function(_, add, sublayer)
    local is_first = sublayer.name == "attention"
    add({ name = sublayer.name .. "_spare", op = "copy", phase = "block", template = "outlives.copy",
      reads = { is_first and "x" or "spare" }, writes = { is_first and "spare" or "x" } })
  end
  local s = make({ kind = "decoder" })
  with_block(block, "", s, function(p, written)
    fact.equal(lifetime(p.buffer.spare), "2 3 4")
    fact.contains(written, "    b.spare = ga_arena_take(arena, threads * block * 8 + (threads - 1) * APART, " ..
      "sizeof(float));\n")
  end)
end)

fact.finish()
