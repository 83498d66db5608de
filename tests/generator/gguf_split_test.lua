-- gguf_split_test.lua: --from-gguf of a model in several files: the first one's name finds the others, and parts that
-- are missing, foreign or repeated are refused.
local gguf = dofile("tests/generator/gguf_files.lua")
local compat = require "base.compat"
local from_gguf = require "import.from_gguf"
local fs = require "base.fs"

local fact = gguf.fact
local FOLDER = fact.folder("gguf_split" .. (compat.version:find("JIT") and "_luajit" or ""))
local TENSORS = 12 -- of the llama below

-- The keys of part `no`, from 0 on, of `count`.
local function split(no, count, tensors)
  return { { "split.no", "u32", no }, { "split.count", "u32", count },
    { "split.tensors.count", "u32", tensors or TENSORS } }
end

-- Writes a Llama as parts: the first has the metadata and the first tensors, the others the rest in turn. parts: of
-- each its keys, in place of those that fit; false for a part that is not written.
local function write(parts)
  local rows, files = gguf.MODELS.llama[2], {}
  for i = 1, #parts do files[i] = {} end
  for i, row in ipairs(rows) do table.insert(files[(i - 1) % #parts + 1], row) end
  for i, keys in ipairs(parts) do
    local list = {}
    for _, row in ipairs(i == 1 and gguf.MODELS.llama[1] or {}) do list[#list + 1] = row end
    for _, row in ipairs(keys or {}) do list[#list + 1] = row end
    local path = ("%sTiny-1-%05d-of-%05d.gguf"):format(FOLDER, i, #parts)
    os.remove(path)
    if keys then assert(fs.write_if_changed(path, gguf.file(list, parts.tensors or files[i])) ~= nil) end
  end
  return ("%sTiny-1-00001-of-%05d.gguf"):format(FOLDER, #parts)
end

local function read(path) return from_gguf(path, {}, { ignored = {} }) end

-- Refused with this message after the folder's name.
local function refuses(path, expected)
  local result, errors = read(path)
  fact.equal(result, nil)
  fact.lists_equal(errors, { FOLDER .. expected })
end

fact.holds("a model in several files gives the spec of the same in one, and its name", function()
  local result, errors = read(write({ split(0, 3), split(1, 3), split(2, 3) }))
  if not result then error(table.concat(errors, "\n")) end
  fact.equal(result.text, gguf.reads(gguf.model("llama")).text)
  fact.contains(table.concat(result.lines, "\n"), "note: in 3 files: --weights takes the first")
end)

fact.holds("parts that are missing, foreign or repeated are refused", function()
  local path = write({ split(0, 2), false })
  local result, errors = read(path)
  fact.equal(result, nil)
  fact.contains(errors[1], FOLDER .. "Tiny-1-00002-of-00002.gguf")
  local second = "Tiny-1-00002-of-00002.gguf: is not part 2 of 2 of the model of " .. FOLDER ..
    "Tiny-1-00001-of-00002.gguf"
  for _, keys in ipairs({ {}, split(0, 2), split(1, 3), split(1, 2, TENSORS + 1) }) do
    refuses(write({ split(0, 2), keys }), second)
  end
  refuses(write({ split(0, 2), split(1, 2), tensors = { { "twice", { 2 } } } }),
    'Tiny-1-00002-of-00002.gguf: tensor "twice" is in two files')
end)

fact.holds("only the first part opens a model, by the name of a first part", function()
  local path = write({ split(0, 2), split(1, 2) })
  refuses((path:gsub("00001%-of", "00002-of")), "Tiny-1-00002-of-00002.gguf: split.no is 1 and split.count 2; " ..
    "expected 0, as the first of at most 99999 files has")
  assert(os.rename(path, FOLDER .. "first.gguf"))
  refuses(FOLDER .. "first.gguf", "first.gguf: the first of 2 files; expected a name that ends in " ..
    "-00001-of-00002.gguf, from which follow the others")
  for _, count in ipairs({ 0, 100000 }) do
    refuses(write({ split(0, count) }), ("Tiny-1-00001-of-00001.gguf: split.no is 0 and split.count %d; expected 0, " ..
      "as the first of at most 99999 files has"):format(count))
  end
end)

fact.finish()
