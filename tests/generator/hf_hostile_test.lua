-- hf_hostile_test.lua: model folders made to harm: whatever one holds, --from-hf refuses it in words or reads it,
-- in few steps, and waits for nothing.
local hf = dofile("tests/generator/hf_folders.lua")
local compat = require "base.compat"
local from_hf = require "import.from_hf"
local fs = require "base.fs"
local json = require "import.from_hf.json"

local fact = hf.fact
if not json.available() then fact.finish() end

-- Reads a folder; the messages, or an empty list. Fails where it takes too many steps or a message says nothing.
local function judged(read)
  local result, errors = fact.within_steps(read)
  if result then return {} end
  assert(#errors > 0 and #errors <= 21, #errors)
  for _, message in ipairs(errors) do assert(#message > 10 and #message < 1500 and not message:find("%c"), message) end
  return errors
end

local function says(files, part)
  fact.contains(judged(function() return hf.read(files) end)[1], part)
end

fact.holds("JSON that nobody wrote is refused in few steps", function()
  local many = {}
  for i = 1, 60000 do many[i] = ('"f%05d": 1'):format(i) end
  says({ ["config.json"] = ("["):rep(1000000) }, "config.json: ")
  says({ ["config.json"] = ('{"a":'):rep(150000) }, "config.json: ")
  says({ ["config.json"] = '{"model_type": "' .. ("x"):rep(1000000) .. '"}' }, 'model_type is "xxx')
  says(hf.config(hf.BERT, table.concat(many, ", "):sub(1, 800000):gsub(",[^,]*$", "")), "what f00001 (1) changes")
  says({ ["config.json"] = "{" .. hf.BERT .. ', "vocab_size": NaN}' }, "config.json: no JSON at line 2, column ")
end)

fact.holds("a name that is given twice is refused, at any depth", function()
  says(hf.config(hf.BERT, '"vocab_size": 9'), "config.json: no JSON: an object gives a name twice")
  says(hf.config(hf.BERT, '"id2label": { "0": "a", "0": "b" }'), "an object gives a name twice")
  fact.lists_equal(judged(function()
    return hf.read(hf.config(hf.BERT, [["id2label": { "0": "a\": 1, \\", "1": "\"b\":" }]]))
  end), {})
end)

fact.holds("numbers of any size are refused by their field", function()
  local numbers = { "1e999", "-1", "0", "1099511627776", "9007199254740993", "1e308", "0.5", '"8"', "null", "[8]" }
  for _, number in ipairs(numbers) do
    local base = hf.BERT:gsub('"hidden_size": 8', '"hidden_size": ' .. number)
    fact.contains(judged(function() return hf.read(hf.config(base)) end)[1], "hidden_size")
  end
end)

-- A folder with a config, and lines of sh run in it.
local function folder_after(commands)
  local folder = fact.folder("hf/hostile")
  assert(fs.write_if_changed(folder .. "config.json", hf.config(hf.BERT)["config.json"]) ~= nil)
  assert(compat.execute(("cd %s && %s"):format(folder, commands)))
  return judged(function() return from_hf(folder, {}, { ignored = {} }) end)
end

fact.holds("pipes and folders in the place of files are refused and not waited for", function()
  for _, name in ipairs({ "config.json", "modules.json", "model.safetensors", "model.safetensors.index.json" }) do
    for _, make in ipairs({ "mkfifo", "mkdir" }) do
      local errors = folder_after(("rm -f %s && %s %s"):format(name, make, name))
      fact.equal(errors[1], ("out/test/generator/hf/hostile/%s: is not a regular file"):format(name))
    end
  end
end)

fact.holds("shards lie in the folder: no path leads out of it", function()
  for _, name in ipairs({ "../a.safetensors", "/etc/a.safetensors", "b/../a.safetensors", ".safetensors", "a" }) do
    local index = ('{"weight_map": {"x": "%s"}}'):format(name)
    local errors = folder_after(("printf '%%s' '%s' >model.safetensors.index.json"):format(index))
    fact.contains(errors[1], "expected a name like model-00001-of-00002.safetensors")
  end
end)

fact.holds("configs with bytes changed are read or refused, never an error of ours", function()
  local state = 1
  local function random(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
  local folder = fact.folder("hf/changed")
  local bases = { hf.BERT, hf.GPT2, hf.LLAMA, hf.VIT }
  local tokens = { "{", "}", "[", "]", ",", ":", '"', "\\", "null", "1e999", "-", "\0", "\255", '"\\ud800"', "/*" }
  for i = 1, 400 do
    local text = "{" .. bases[i % #bases + 1] .. "}"
    for _ = 1, random(3) do
      local at = random(#text)
      local inner = random(2) == 1 and tokens[random(#tokens)] or string.char(random(256) - 1)
      text = text:sub(1, at) .. inner .. text:sub(at + random(4))
    end
    local file = assert(io.open(folder .. "config.json", "wb"))
    file:write(text)
    file:close()
    judged(function() return from_hf(folder, {}, { ignored = {} }) end)
  end
end)

fact.finish()
