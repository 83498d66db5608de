-- program_samples.lua: `pack --samples` of a program whose weights are in groups: that samples change the packed
-- weights, in the same way each time, and what is refused. How near they come is tests/unit/test_rounding.c's.
local files = require "program_files"
local tensor = files.tensor

local PACK = "pack --weights %weights --output "

return function(path, expect_run, expect, choose)
  local function wave(i) return i * i % 83 / 64 - 0.625 end

  -- The tensors of a whole model's weights, by the names and shapes that `info` tells.
  local function weights()
    local list, section = {}, expect_run(0, "info"):match("\nweights\n(.-)\n\n")
    for name, shape in section:gmatch(" +(%S+) +%[([%d, ]+)%]") do
      local axes = {}
      for axis in shape:gmatch("%d+") do axes[#axes + 1] = tonumber(axis) end
      list[#list + 1] = tensor(name, "F32", axes, function(i) return wave(i + #list) / 8 end)
    end
    return list
  end

  local function test_samples()
    choose "int4_40_stack"
    files.write(path "weights", weights())
    files.write(path "samples.safetensors", { tensor("tokens", "I32", { 3, 20 }, function(i) return i * 11 % 51 end),
      tensor("memory", "F32", { 3, 9, 40 }, wave) })
    expect_run(0, PACK .. "%nearest.gap")
    for _, name in ipairs({ "%one.gap", "%other.gap" }) do
      expect_run(0, PACK .. name .. " --samples %samples.safetensors")
    end
    expect(files.slurp(path "one.gap") == files.slurp(path "other.gap"), "the same samples gave other weights")
    expect(files.slurp(path "one.gap") ~= files.slurp(path "nearest.gap"), "samples changed nothing")
    expect_run(0, "inspect %one.gap", ": sound\n")
    expect_run(0, "run --weights %one.gap --input %samples.safetensors --output %result", "output F32 [3, 20, 40]")
  end

  local function test_refused()
    expect_run(1, PACK .. "%none.gap --samples %absent", path "absent", "end in .safetensors", "is no encoder")
    expect_run(2, "pack --allow-random 1 --output %none.gap --samples %samples.safetensors", "--samples")
    choose "post_48_4"
    expect_run(1, PACK .. "%none.gap --samples %samples.safetensors", "--weights-dtype int4 or int8")
  end

  test_samples()
  test_refused()
end
