-- promises_test.lua: what documents say keeps a promise or is to be changed is there: each file they name exists,
-- each test is one of the tests, each target of ninja one of build.ninja's. Does not run any of them.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local DOCUMENTS = { "SECURITY.md", "CONTRIBUTING.md", "docs/numbers.md", "docs/testing.md" }
-- Where the names of tests, of the functions they are about, of what callers use and of stages are.
local FOLDERS = { "tests/failing/", "tests/generator/", "tests/host/", "tests/kernels/", "tests/no_libc/",
  "tests/numbers/", "tests/pytorch/", "tests/standalone/", "tests/support/", "tests/text/", "tests/threads/",
  "tests/unit/",
  "runtime/base/", "runtime/cache/", "runtime/call/", "runtime/include/genattn/", "runtime/model/", "runtime/packed/",
  "runtime/packing/", "runtime/threads/", "runtime/weights/", "templates/attention/", "templates/linear/",
  "templates/model/", "templates/schedule/", "templates/attention/modifiers/", "templates/ops/", "templates/table/" }

-- This file, which names tests that there are not.
local OWN_NAME = "promises_test.lua"

local function read_all(folders)
  local texts = {}
  for _, folder in ipairs(folders) do
    for _, name in ipairs(assert(fs.list(folder))) do
      if name:find("%.%a+$") and name ~= OWN_NAME then texts[#texts + 1] = assert(fs.read(folder .. name)) end
    end
  end
  return table.concat(texts, "\n")
end

-- The words of C and Lua in the tests and the runtime.
local words = {}
for word in read_all(FOLDERS):gmatch("[%w_]+") do words[word] = true end

local targets = assert(fs.read(fact.build_file)) .. assert(fs.read("bench/bench.ninja"))

local function is_word(word)
  return words[word] == true
end

-- A sentence that a fact of a Lua test is called by.
local function is_fact(path, sentence)
  return (assert(fs.read(path))):find('fact.holds("' .. sentence .. '"', 1, true) ~= nil
end

-- What a piece of code in a document can be, and whether that is there: the first row whose pattern fits decides.
local KINDS = {
  { pattern = "^ninja (%S+)", exists = function(target)
    return targets:find("\nbuild " .. target:gsub("%-", "%%-") .. ":") ~= nil
  end },
  { pattern = "^(%S+_test%.lua): (.+)$", exists = is_fact },
  { pattern = "^(out/%S+)$", exists = function() return true end }, -- which is made
  { pattern = "^([%w_./-]+%.%l+)$", exists = fs.exists },
  { pattern = "^([%w_.-]+/[%w_./-]*)$", exists = function(path)
    return compat.execute("test -e " .. path)
  end },
  { pattern = "^([%l%d]+_[%w_]+)$", exists = is_word },
}

-- A message of what is missing, or nil; whether it was looked for at all.
local function missing(code)
  for _, kind in ipairs(KINDS) do
    local first, second = code:match(kind.pattern)
    if first then return not kind.exists(first, second) and code or nil, true end
  end
end

for _, document in ipairs(DOCUMENTS) do
  fact.holds("what " .. document .. " names is there", function()
    local looked_for, lost = 0, {}
    for code in assert(fs.read(document)):gmatch("`([^`\n]+)`") do
      local name, known_kind = missing(code)
      lost[#lost + 1] = name
      looked_for = looked_for + (known_kind and 1 or 0)
    end
    fact.lists_equal(lost, {})
    assert(looked_for > 20, looked_for)
  end)
end

fact.holds("what is not there is found missing", function()
  for _, code in ipairs({ "ninja checks", "tests/no_such.c", "tests/nothing/", "no_test_is_called_so",
    "tests/generator/fs_test.lua: it has no such sentence" }) do
    fact.equal(missing(code), code)
  end
  for _, code in ipairs({ "ninja check", "tests/kernels/kernels.h", "tests/", "integers_come_out_exactly",
    "tests/generator/sandbox_test.lua: nesting has a limit" }) do
    fact.equal(missing(code), nil)
  end
end)

fact.finish()
