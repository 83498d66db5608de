-- program_pack.lua: weights that `pack` prepared, as commands take them; a part of program_test.lua. A file damaged in
-- any of its bytes is tests/unit/test_pack_damage.c's.
local files = require "program_files"

local D = 8 -- of the fixture

return function(path, run, expect_run, expect)
  local pack = {}

  local function write(name, bytes)
    local file = assert(io.open(path(name), "wb"))
    file:write(bytes)
    file:close()
  end

  local function expect_same(what, one, other)
    expect(files.slurp(path(one)) == files.slurp(path(other)), "%s: other bytes than from the weights", what)
  end

  -- Packs and runs with what it made, which gives the bytes that the weights themselves give.
  local function runs_alike()
    files.write(path "in", { files.tensor("query", "F32", { 2, 4, D }, function(i) return i % 7 end) })
    expect_run(0, "run --weights %weights --input %in --output %one")
    local out = expect_run(0, "pack --weights %weights --output %w.gap", "w.gap: fixture for scalar, ")
    expect(select(2, out:gsub("\n", "")) == 1, "more than a line:\n%s", out)
    for _, option in ipairs { "", " --isa scalar", " --trust-weights" } do
      expect_run(0, "run --weights %w.gap --input %in --output %other" .. option)
      expect_same("run" .. option, "one", "other")
    end
    expect_run(0, "check --weights %w.gap --input %in --expected %one --rtol 0 --atol 0", "ok:")
    expect_run(0, "draw --weights %w.gap --input %in --output %map.svg")
    expect_run(0, "pack --weights %weights --output %again.gap --isa all")
    local _, _, said = run("pack --weights %weights --output %again.gap --isa all")
    expect(said:find("is left out: it takes a CPU that runs it", 1, true), "nothing was left out aloud:\n%s", said)
    expect_same("packed again", "w.gap", "again.gap")
    write("weights_by_name", files.slurp(path "w.gap"))
    expect_run(0, "run --weights %weights_by_name --input %in --output %other")
  end

  local function inspects()
    expect_run(0, "inspect %w.gap", "bytes at 4096, layout ", ": sound\n", "packed weights of fixture, spec ",
      ", checksum before packing ", ", bits revision 1, ", "runs them by scalar")
    expect_run(0, "inspect %w.gap --json", '"model": "fixture"', '"isa": "scalar"', '"version": 3',
      '"bits_revision": 1')
  end

  -- The checksum before packing is that of the values, whatever the file's layout, types and order.
  local function identifies()
    local function checksum_of(name)
      expect_run(0, ("pack --weights %%%s --output %%sum.gap"):format(name))
      return expect_run(0, "inspect %sum.gap --json"):match '"weights": "(%x+)"'
    end
    local list = {}
    for name, found in pairs(files.read(path "weights")) do
      local shape = {}
      for axis in found.shape:gmatch "%d+" do shape[#shape + 1] = tonumber(axis) end
      list[#list + 1] = files.tensor(name, "BF16", shape, found.values)
    end
    table.sort(list, function(a, b) return a.name > b.name end)
    files.write(path "other_types", list)
    local sum = checksum_of "weights"
    for _, name in ipairs { "stacked", "other_types" } do
      expect(checksum_of(name) == sum, "%s: another checksum than of the same values", name)
    end
    list[1].values[3] = list[1].values[3] + 0.5
    files.write(path "other_types", list)
    expect(checksum_of "other_types" ~= sum, "another value has the same checksum")
  end

  local function refuses()
    local whole = files.slurp(path "w.gap")
    write("cut", whole:sub(1, -2))
    write("broken", whole:sub(1, 5000) .. string.char((whole:byte(5001) + 1) % 256) .. whole:sub(5002))
    for _, command in ipairs { "run --input %in --output %none --weights ", "inspect " } do
      expect_run(1, command .. "%cut", path "cut" .. ": ", "the file is cut off")
      expect_run(1, command .. "%broken", path "broken" .. ": the checksum of the weights for scalar is")
    end
    expect_run(0, "run --input %in --output %none --weights %broken --trust-weights")
    expect_run(1, "pack --weights %w.gap --output %none.gap", "is packed already")
    expect_run(1, "pack --weights %weights --output %absent/w.gap", "absent/w.gap: cannot make a temporary file")
    expect_run(2, "run --input %in --output %none --weights %w.gap --weights-check finite", "packed: give it to pack")
    expect_run(2, "run --input %in --output %none --weights %w.gap --weights-layout w_o", "is packed and names none")
    expect_run(2, "run --input %in --output %none --weights %weights --trust-weights", "is for a file that pack made")
    expect_run(2, "run --input %in --output %none --allow-random 1 --trust-weights", "is for a file that pack made")
    expect_run(2, "pack --weights %weights --output %none.gap --isa saclar", 'did you mean "scalar"?')
    expect_run(2, "pack --weights %weights", "--output FILE is missing")
    expect_run(2, "pack --output %none.gap", "--weights PATH is missing")
  end

  -- What a command reads is never what it writes.
  local function spares()
    local inputs, weights, packed = files.slurp(path "in"), files.slurp(path "weights"), files.slurp(path "w.gap")
    expect_run(2, "pack --weights %weights --output %weights", path "weights" .. ": would replace what --weights ",
      "give it another name")
    expect_run(2, "run --weights %weights --input %in --output %./weights", "would replace what --weights ")
    expect_run(2, "run --weights %w.gap --input %in --output %w.gap", "would replace what --weights ")
    expect_run(2, "run --weights %weights --input %in --output %in", "would replace what --input ")
    expect(files.slurp(path "in") == inputs and files.slurp(path "weights") == weights and
      files.slurp(path "w.gap") == packed, "a file that was read is another now")
  end

  function pack.fixture()
    runs_alike()
    inspects()
    identifies()
    refuses()
    spares()
  end

  -- Weights packed for the plainest set run by that, and the program says that it could do better.
  local function falls_back()
    local _, info = run("info --json")
    local names = files.isas(info)
    local best, plainest = names[1], names[#names]
    expect(best, "info names no set that is picked")
    if best == plainest then return end
    expect_run(0, "pack --allow-random 3 --output %plain.gap --isa all")
    local code, _, err = run("run --weights %plain.gap --input %in --output %other")
    expect(code == 0 and not err:find("which is slower", 1, true), "of all sets a slow one: exit %s\n%s",
      tostring(code), err)
    expect_run(0, "pack --allow-random 3 --output %plain.gap --isa " .. plainest)
    code, _, err = run("run --weights %plain.gap --input %in --output %other")
    expect(code == 0 and err:find(("no weights packed for %s, so %s runs"):format(best, plainest), 1, true),
      "fell back from %s to %s: exit %s\n%s", best, plainest, tostring(code), err)
    expect_run(1, "run --weights %plain.gap --input %in --output %other --isa " .. best,
      ("holds weights for %s, none for %s"):format(plainest, best))
    expect_run(0, "run --allow-random 3 --input %in --output %plain --isa " .. plainest)
    expect_run(0, "run --weights %w.gap --input %in --output %other --isa " .. plainest)
    expect_same("run by " .. plainest, "plain", "other")
  end

  -- Any program, on the input and with the result of its test of threads.
  function pack.any()
    local code, _, err = run("pack --allow-random 3 --output %w.gap --isa all")
    if err:find("nothing to pack", 1, true) then return end
    expect(code == 0, "pack: exit %s\n%s", tostring(code), err)
    for _, option in ipairs { "", " --trust-weights" } do
      expect_run(0, "run --weights %w.gap --input %in --output %other" .. option)
      expect_same("run" .. option, "one", "other")
    end
    expect_run(0, "inspect %w.gap", ": sound", "runs them by ")
    falls_back()
  end

  return pack
end
