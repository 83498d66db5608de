-- configure_wisdom_test.lua: which wisdom configure takes: that of generator/wisdom.txt for the CPU, a file's, or none.
-- Builds nothing, and measures nothing.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local machine = require "build.machine"
local plan_files = require "plan.files"
local spec = require "spec"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_wisdom")
local here = machine.here("cc")

-- A copy of the source whose own wisdom has one entry.
fact.link_source(folder)
assert(compat.execute(("rm %sgenerator && cp -R generator %sgenerator"):format(folder, folder)))

-- An entry of wisdom for a layer of 8 / 2 on this machine, or on another CPU.
local function entry(rows, cpu)
  local form = "[wisdom]\ncpu = %s\nl1d = %s\nl2 = %s\ncompiler = %s\nplan = 1\nisa = scalar\n" ..
    "spec = d_model=8 n_heads=2\ngain = 1.010\n%s\n"
  return form:format(cpu or here.cpu, here.l1d, here.l2, here.compiler, rows and "out.rows = " .. rows or "")
end

local function write(path, content)
  fact.write(folder .. path, content)
end

-- Configures the layer; what is said, and what its edge gives the generator: a file of wisdom, or nil.
local function configure(words)
  local said, code = compat.capture(("cd %s && LUA=%s CC=cc ./configure --d-model 8 --heads 2 --isa scalar %s"):format(
    folder, lua, words or ""))
  fact.equal(code == 0 and "" or said, "")
  return said, assert(fs.read(folder .. "out/kernels.ninja")):match("%-%-wisdom=([^%s]+)")
end

local function takes(words, line)
  local said, path = configure(words)
  fact.equal(path, "out/wisdom.txt")
  fact.contains(said, "mha_8_2: wisdom of " .. line .. "\n")
end

local function takes_nothing(words)
  local said, path = configure(words)
  fact.equal(path, nil)
  return said
end

local function silent(said)
  assert(not said:find("wisdom", 1, true), said)
end

fact.holds("what was measured on this CPU is the default, and said; none leaves it out", function()
  write("generator/wisdom.txt", entry(2))
  takes("", "generator/wisdom.txt: scalar out.rows 2")
  takes("--wisdom auto", "generator/wisdom.txt: scalar out.rows 2")
  silent(takes_nothing("--wisdom none"))
end)

fact.holds("a file takes the place of the default, and another CPU's name that of this one", function()
  write("generator/wisdom.txt", entry(2) .. "\n" .. entry(3, "Other 1 2"))
  write("given.txt", entry(1))
  takes("--wisdom given.txt", "given.txt: scalar out.rows 1")
  takes("--wisdom-cpu 'Other 1 2'", "generator/wisdom.txt: scalar out.rows 3")
end)

fact.holds("a lack of wisdom is said only where it was asked for", function()
  local without, equal = "mha_8_2: no wisdom in generator/wisdom.txt is for this model and CPU\n",
    "mha_8_2: wisdom of generator/wisdom.txt: the cost model's values are the best\n"
  write("generator/wisdom.txt", entry(3, "Other 1 2"))
  silent(takes_nothing(""))
  fact.contains(takes_nothing("--wisdom auto"), without)
  write("generator/wisdom.txt", entry())
  silent(takes_nothing(""))
  fact.contains(takes_nothing("--wisdom auto"), equal)
end)

-- The spec that a key of wisdom says: its fields as a table of Lua's.
local function spec_of(key)
  local fields = (" " .. key):gsub(" ([%w_]+)=(%b{})", ", %1 = %2"):gsub(" ([%w_]+)=(\"[^\"]*\")", ", %1 = %2")
  fields = fields:gsub(" ([%w_]+)=(%S+)", ", %1 = %2"):gsub("^,", ""):gsub(",+", ",")
  return assert(spec.from_fields(assert(load("return {" .. fields .. "}"))()))
end

fact.holds("every entry of this repository is of the present plan, and fits its model", function()
  local entries = assert(wisdom.read("generator/wisdom.txt"))
  assert(#entries > 10)
  for _, one in ipairs(entries) do
    fact.equal(tonumber(one.plan), tuning.REVISION)
    local s = spec_of(one.spec)
    fact.equal(wisdom.spec_key(s), one.spec)
    s.wisdom = { [one.isa] = one.values }
    fact.lists_equal(tuning.problems(plan_files.plans(s, { one.isa }), "generator/wisdom.txt"), {})
  end
end)

fact.finish()
