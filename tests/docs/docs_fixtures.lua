-- docs_fixtures.lua: the files that commands of the documents are given, by name: what a user would bring along. They
-- are made in the present folder when a command names them; numbers in them mean nothing.
local bert_tokenizer = dofile("tests/examples/bert_tokenizer.lua")
local compat = require "base.compat"
local files = require "program_files"
local fs = require "base.fs"

-- Numbers that repeat, as bytes of F32: making each anew would take minutes for a layer's weights.
local PERIOD = 997

local function repeated_bytes()
  local tensor = files.tensor("x", "F32", { PERIOD }, function(i) return (i * 389 % PERIOD) / 8000 end)
  files.write("fixture.part", { tensor })
  local bytes = files.slurp("fixture.part"):sub(-4 * PERIOD)
  os.remove("fixture.part")
  return bytes
end

-- A safetensors file of F32 tensors { name, sizes }.
local function write_floats(path, tensors)
  local entries, offset, bytes = {}, 0, repeated_bytes()
  for i, tensor in ipairs(tensors) do
    local size = 4
    for _, axis in ipairs(tensor[2]) do size = size * axis end
    entries[i] = ('"%s":{"dtype":"F32","shape":[%s],"data_offsets":[%d,%d]}'):format(tensor[1],
      table.concat(tensor[2], ","), offset, offset + size)
    offset = offset + size
  end
  local header = "{" .. table.concat(entries, ",") .. "}"
  header = header .. (" "):rep(-#header % 8)
  local out = assert(io.open(path, "wb"))
  out:write(string.char(#header % 256, math.floor(#header / 256) % 256, math.floor(#header / 65536), 0, 0, 0, 0, 0))
  out:write(header, bytes:rep(math.floor(offset / #bytes)), bytes:sub(1, offset % #bytes))
  out:close()
end

-- The weights of a built program, by its own names of them, which its spec's `weights = "roles"` reads.
local function own_weights(program)
  return function(path)
    local tensors = {}
    for role, shape in compat.capture("out/bin/" .. program .. " info --json"):gmatch(
      '"role": "([^"]*)",%s*"shape": %[([%d,%s]*)%]') do
      local sizes = {}
      for size in shape:gmatch("%d+") do sizes[#sizes + 1] = tonumber(size) end
      tensors[#tensors + 1] = { role, sizes }
    end
    write_floats(path, tensors)
  end
end

local function text(content)
  return function(path)
    local file = assert(io.open(path, "w"))
    file:write(content)
    file:close()
  end
end

-- Four linears of 512 x 512 with biases, as many PyTorch modules name them.
local function layer_weights(path)
  local tensors = {}
  for _, name in ipairs { "w_q", "w_k", "w_v", "w_o" } do
    tensors[#tensors + 1] = { name .. ".weight", { 512, 512 } }
    tensors[#tensors + 1] = { name .. ".bias", { 512 } }
  end
  write_floats(path, tensors)
end

-- A folder as transformers saves it, of a small BERT; without weights, which `configure` can do without.
local function bert_folder(path)
  assert(compat.execute("mkdir " .. path))
  text([[{ "model_type": "bert", "architectures": ["BertModel"], "hidden_size": 32, "num_attention_heads": 2,
    "num_hidden_layers": 1, "intermediate_size": 48, "vocab_size": 50, "max_position_embeddings": 20 }]])(
    path .. "/config.json")
end

-- A GGUF file of a small Llama, whose weights are zeros.
local function gguf_file(path)
  local gguf = dofile("tests/generator/gguf_files.lua")
  local file = assert(io.open(path, "wb"))
  file:write(gguf.model("llama"))
  file:close()
end

local fixtures = {
  ["W.safetensors"] = layer_weights,
  ["IN.safetensors"] = function(path) write_floats(path, { { "query", { 128, 512 } } }) end,
  ["words.txt"] = text(("a word\n"):rep(128)),
  ["writer.safetensors"] = own_weights "writer",
  ["encoder.safetensors"] = function(path)
    own_weights "encoder"(path)
    text(bert_tokenizer())("tokenizer.json") -- beside it
  end,
  ["PROMPT.safetensors"] = function(path) files.write(path, { files.tensor("tokens", "I32", { 5 }, 7) }) end,
  ["corpus.txt"] = text(("a cat\n\na wet day\n"):rep(20)),
  ["ids.txt"] = text("5 17 42 8\n61 3 3 29 70\n"),
  ["all-MiniLM-L6-v2"] = bert_folder,
  ["model-Q4_0.gguf"] = gguf_file,
}

-- Makes those that a command names and that are not there.
return function(command)
  for name, make in pairs(fixtures) do
    if command:find(name, 1, true) and not fs.exists(name) then make(name) end
  end
end
