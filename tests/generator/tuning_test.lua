-- tuning_test.lua: what must be true of every tuning parameter: which values it takes, what it leaves as it is, and how
-- a plan says what it took. That results keep their bits is tests/bits' fact.
local fact = dofile("tests/generator/fact.lua")
local shapes = dofile("tests/generator/shapes.lua")
local compat = require "base.compat"
local dump = require "plan.dump"
local emit = require "emit"
local fs = require "base.fs"
local files = require "plan.files"
local isa = require "isa"
local spec = require "spec"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

local ENCODER = { kind = "encoder", n_layers = 2, d_model = 96, n_heads = 6, d_ff = 1000, seq_len = "1..50" }
local DEEP = { kind = "encoder", n_layers = 2, d_model = 768, n_heads = 12, d_ff = 3072, seq_len = "1..50",
  outputs = { "attention" }, weights_dtype = "int8" }
local DECODER = { kind = "decoder", n_layers = 2, d_model = 64, n_heads = 4, d_ff = 128, seq_len = "1..50", cache = 64,
  dtype = "int8" }

local SPECS = { ENCODER, DEEP, DECODER }

local function each_spec(f)
  shapes.each(function(s) f(s) end)
  for _, fields in ipairs(SPECS) do f(assert(spec.from_fields(fields))) end
end

-- The plans of a spec with the least or the greatest candidates.
local function plans_with(s, choose)
  s.wisdom = {}
  local plans = files.plans(s, shapes.isas())
  for _, p in ipairs(plans) do
    local values = {}
    for _, parameter in ipairs(p.kernels.tuning.list) do
      values[parameter.name] = parameter.candidates[choose(#parameter.candidates)]
    end
    s.wisdom[p.isa.name] = values
  end
  plans = files.plans(s, shapes.isas())
  s.wisdom = nil
  return plans
end

local function first() return 1 end
local function last(count) return count end

local function paths(s, plans)
  local list = {}
  for i, file in ipairs(files.list(s, plans)) do list[i] = file.path end
  return table.concat(list, "\n")
end

local function packed(plans)
  local list = {}
  for i, p in ipairs(plans) do
    local parts = {}
    for at, part in ipairs(p.packed.parts) do
      parts[at] = ("%s %s %d %d"):format(p.isa.name, part.name, part.offset, part.bytes)
    end
    list[i] = table.concat(parts, "\n")
  end
  return table.concat(list, "\n")
end

fact.holds("no candidate changes a file's name, packed weights or how a cache lies", function()
  each_spec(function(s)
    local usual = files.plans(s, shapes.isas())
    for _, choose in ipairs({ first, last }) do
      local tuned = plans_with(s, choose)
      fact.equal(paths(s, tuned), paths(s, usual))
      fact.equal(packed(tuned), packed(usual))
      for i, p in ipairs(tuned) do
        fact.equal(#tuning.problems({ p }, "w.txt"), 0)
        fact.equal((p.attention or p).key_panel, (usual[i].attention or usual[i]).key_panel)
      end
    end
  end)
end)

fact.holds("the cost model's value is a candidate, and candidates are in order, each once", function()
  each_spec(function(s)
    for _, p in ipairs(files.plans(s, shapes.isas())) do
      for _, parameter in ipairs(p.kernels.tuning.list) do
        local has = {}
        for i, value in ipairs(parameter.candidates) do
          assert(i == 1 or value > parameter.candidates[i - 1])
          has[value] = true
        end
        for _, use in ipairs(parameter.uses) do assert(has[use.model], parameter.name) end
      end
    end
  end)
end)

local function tuned(fields, set, values)
  local s = assert(spec.from_fields(fields))
  s.wisdom = { [set] = values }
  return files.plans(s, { set })[1], s
end

fact.holds("kernels of a tuned plan have the height that is asked for, and registers for it", function()
  for _, name in ipairs(shapes.isas()) do
    local p = tuned(ENCODER, name, { ["up.rows"] = 2, ["attention.rows"] = 1 })
    for _, f in ipairs(p.families) do
      if f.op == "up" then fact.equal(f.mr, 2) end
      if f.op == "score" or f.op == "value" then fact.equal(f.mr, 1) end
      for _, kernel in ipairs(f.kernels) do
        assert(kernel.mr <= f.mr and kernel.mr * kernel.nv + kernel.nv + 1 <= isa.get(name).registers)
      end
    end
  end
end)

fact.holds("products that differ in a parameter alone are two", function()
  local square = { kind = "encoder", n_layers = 2, d_model = 96, n_heads = 6, d_ff = 96, seq_len = "1..50" }
  fact.equal(#tuned(square, "avx2", {}).kernels.products, 2) -- of q, k and v; of the output, up and down
  fact.equal(#tuned(square, "avx2", { ["down.panels"] = 1 }).kernels.products, 3)
  fact.equal(#tuned(square, "avx2", { ["down.prefetch"] = 0 }).kernels.products, 3)
end)

fact.holds("fast products ask for rows in each turn of the loop beside weights, unless for one line", function()
  for lines = 0, 3 do
    local p = tuned({ d_model = 768, n_heads = 12, matmul = "fast:2" }, "avx512", { ["project.prefetch"] = lines })
    local f, turns = p.kernels.products[1], 192 / 2
    fact.equal(f.levels, 2)
    fact.equal(f.asks_both, lines > 1 or nil)
    fact.equal(f.prefetches[1] + f.prefetches[2], turns * lines)
    fact.equal(lines < 2 or f.prefetches[1] == turns, true)
  end
end)

fact.holds("a value out of range and an unknown name are said by name, with what was expected", function()
  local p = tuned(ENCODER, "avx2", { ["up.rows"] = 99, ["up.colour"] = 1 })
  local messages = tuning.problems({ p }, "w.txt")
  fact.lists_equal(messages, { "w.txt: avx2: up.rows is 99; expected 1 to 6",
    "w.txt: avx2: this model has no tuning parameter up.colour" })
end)

fact.holds("a plan says which values came from wisdom", function()
  local text = dump((tuned(ENCODER, "avx2", { ["up.rows"] = 4 })))
  fact.contains(text, "  up.rows                     4  wisdom, the cost model's is 6; candidates ")
  fact.contains(text, "  out.rows                    6  cost model; candidates ")
  fact.contains(text, "4 rows by wisdom; weighed ")
end)

-- -- The generator ----------------------------------------------------------------------------------------------------

local folder = fact.folder("tuning")

local function wisdom_text(s, values, isa_name)
  return wisdom.text({ { cpu = "x", l1d = "1", l2 = "1", compiler = "gcc 12", plan = tostring(tuning.REVISION),
    isa = isa_name, spec = wisdom.spec_key(s), gain = 1.5, values = values } })
end

local function generated(lua, out, more)
  return compat.capture(("%s generator/main.lua --spec %ss.lua --isa avx2 --out %s%s %s"):format(lua, folder, folder,
    out, more))
end

fact.holds("both Luas make the same bytes of one wisdom, and other bytes than without", function()
  local s = assert(spec.from_fields({ name = "s", d_model = 64, n_heads = 4, seq_len = "1..32" }))
  assert(fs.write_all(folder:gsub("/$", ""), { { "s.lua", spec.text(s) },
    { "w.txt", wisdom_text(s, { ["out.rows"] = 3, ["attention.tiles"] = 2 }, "avx2") },
    { "bad.txt", wisdom_text(s, { ["out.rows"] = 30 }, "avx2") } }))
  for _, lua in ipairs({ "lua5.4", "luajit" }) do
    local said, code = generated(lua, lua, ("--wisdom %sw.txt"):format(folder))
    fact.equal(said, "")
    fact.equal(code, 0)
  end
  fact.equal(compat.capture(("diff -r %slua5.4 %sluajit"):format(folder, folder)), "")
  generated("lua5.4", "plain", "")
  local function read(from) return assert(fs.read(("%s%s/s__avx2_multiply.c"):format(folder, from))) end
  local function body(from) return read(from):match("\n// clang%-format off\n(.*)") end
  fact.contains(read("lua5.4"), "--wisdom ")
  assert(body("lua5.4") ~= body("plain"))
end)

fact.holds("wisdom that fits no parameter is refused, and nothing is written", function()
  local said, code = generated("lua5.4", "never", ("--wisdom %sbad.txt"):format(folder))
  fact.equal(said, ("genattn: %sbad.txt: avx2: out.rows is 30; expected 1 to 6\n"):format(folder))
  fact.equal(code, 1)
  fact.equal(fs.list(folder .. "never"), nil)
end)

fact.holds("a spec without wisdom in the file is generated as without the file, but for the command", function()
  local s = assert(spec.from_fields({ d_model = 8, n_heads = 2, seq_len = 4 }))
  local plain = emit.files(s, { "avx2" })
  s.wisdom_path = "w.txt"
  for i, file in ipairs(emit.files(s, { "avx2" })) do
    fact.equal(file.text:gsub(" %-%-wisdom 'w.txt'", ""):gsub(" %-%-wisdom w.txt", ""), plain[i].text)
  end
end)

fact.finish()
