-- program_models.lua: the command line of whole models that were generated: what goes in by which name, and what is
-- said where something does not fit. Weights are made up; what models compute is tested elsewhere.

local files = require "program_files"
local tensor = files.tensor

local RUN = "run --allow-random 1 --input %in --output %result"

return function(path, expect_run, choose)
  local function wave(i) return i * 37 % 101 / 64 - 0.75 end

  local function write(...) files.write(path "in", { ... }) end

  -- A transformer's source by its own name, or what the encoder made of it: not both, and one of them.
  local function test_memory()
    choose "both_40_2"
    local trg, memory = tensor("trg", "F32", { 2, 3, 40 }, wave), tensor("memory", "F32", { 2, 5, 40 }, wave)
    local lengths = tensor("memory_lengths", "I32", { 2 }, { 5, 2 })
    write(trg, memory, lengths)
    expect_run(0, RUN .. " --outputs output", "output F32 [2, 3, 40]")
    write(trg, memory, tensor("src_lengths", "I32", { 2 }, { 5, 2 }))
    expect_run(0, "check --allow-random 1 --input %in --expected %result --rtol 0 --atol 0", "ok: 1 of 1")
    write(trg, tensor("src", "F32", { 2, 5, 40 }, wave), lengths)
    expect_run(1, "check --allow-random 1 --input %in --expected %result") -- rows of a source become others
    expect_run(0, "info", "takes memory, memory_lengths, src, trg")
    local refused = {
      { { trg }, 'no tensor "src", the source\'s rows or token ids, or "memory"' },
      { { trg, memory, tensor("src", "F32", { 2, 5, 40 }, 0) }, '"src" and "memory" are one input' },
      { { trg, tensor("query", "F32", { 2, 3, 40 }, 0), memory }, '"trg" and "query" are one input' },
      { { trg, memory, lengths, tensor("src_lengths", "I32", { 2 }, 1) }, "are one input" },
      { { trg, tensor("memory", "I32", { 2, 5 }, 1) }, '"memory" is I32 [2, 5]; expected F32 [2, 1..50, 40]' },
      { { trg, tensor("key", "F32", { 2, 5, 40 }, 0) }, "it is a transformer; give src, or memory" },
      { { trg, memory, tensor("kv_lengths", "I32", { 2 }, 1) }, "it is a transformer; give src_lengths" },
    }
    for _, case in ipairs(refused) do
      files.write(path "in", case[1])
      expect_run(1, RUN, path "in", case[2])
    end
  end

  for _, test in ipairs { test_memory } do
    test()
  end
end
