-- next_step_test.lua: what --from-hf and --from-gguf say of an argument that is no model, with what to do about it.
local fact = dofile("tests/generator/fact.lua")
local gguf = dofile("tests/generator/gguf_files.lua")
local compat = require "base.compat"
local from_gguf = require "import.from_gguf"
local from_hf = require "import.from_hf"
local fs = require "base.fs"
local near_specs = require "import.near_specs"
local other_types = require "import.from_hf.other_types"

local folder = fact.folder("next_step_test")
local MODEL = "a folder as transformers saves a model, with config.json and model.safetensors"

-- A file in the test's own folder, with the folders above it.
local function write(name, content)
  assert(compat.execute("mkdir -p " .. (folder .. name):match("^(.*)/")))
  assert(fs.write_if_changed(folder .. name, content or "") ~= nil)
end

-- The one message of an importer about a path.
local function said(import, path)
  local result, errors = import(path, {}, { ignored = {} })
  fact.equal(result, nil)
  fact.equal(#errors, 1)
  return errors[1]
end

fact.holds("a name of the hub is met with the command that gets it", function()
  for _, name in ipairs({ "nowhere-org/all-MiniLM-L6-v2", "Nowhere_7/x.y" }) do
    fact.equal(said(from_hf, name), ("%s: there is no such folder; if that is a name of the Hugging Face hub: " ..
      "hf download %s --local-dir %s, then --from-hf %s"):format(name, name, name, name))
    for _, form in ipairs({ name, name .. ":Q4_K_M" }) do
      fact.equal(said(from_gguf, form), ("%s: there is no such file; if that is a name of the Hugging Face hub: hf " ..
        "download %s --include '*.gguf' --local-dir %s, then --from-gguf with the path of one file"):format(form, name,
        name))
    end
  end
  for _, path in ipairs({ "nowhere", "/nowhere/there", "./no/where", "a/b/c", "-a/b" }) do
    fact.equal(said(from_hf, path), path .. ": there is no such folder; expected " .. MODEL)
    fact.equal(said(from_gguf, path), path .. ": No such file or directory")
  end
end)

fact.holds("a folder without config.json is told by what it holds", function()
  for name, expected in pairs({
    ["adapter/adapter_config.json"] = "it holds an adapter: merge it into its model",
    ["gguf/model-Q4_0.gguf"] = "it holds model-Q4_0.gguf, which --from-gguf takes",
    ["diffusers/model_index.json"] = "it holds a pipeline of diffusers",
    ["models--a--b/snapshots/1/config.json"] = "it is of a cache of Hugging Face: the folder in its snapshots/",
    ["original/params.json"] = "it holds the model's original files (params.json)",
    ["bare/model.safetensors"] = "expected " .. MODEL .. ", as 'hf download ORG/NAME --local-dir DIR' gets it",
  }) do
    write(name)
    local path = folder .. name:match("^[^/]*")
    fact.contains(said(from_hf, path .. "/"), path .. "/config.json: there is no such file; " .. expected)
  end
end)

fact.holds("the other importer is named for what it takes", function()
  write("file.gguf")
  fact.equal(said(from_hf, folder .. "file.gguf"), folder .. "file.gguf: is a file; --from-gguf takes it")
  write("whole/config.json")
  fact.equal(said(from_hf, folder .. "whole/config.json"),
    folder .. "whole/config.json: is a file; expected the folder that it is in")
  fact.equal(said(from_gguf, folder .. "whole/"),
    folder .. "whole: is a folder; expected a GGUF file; --from-hf takes it")
  write("several/b.gguf")
  fact.equal(said(from_gguf, folder .. "several"),
    ("%sseveral: is a folder; expected a GGUF file, as %sseveral/b.gguf"):format(folder, folder))
  write("whole/model.safetensors", ("x"):rep(40))
  fact.contains(said(from_gguf, folder .. "whole/model.safetensors"),
    "--from-hf takes the folder of a safetensors file")
  write("pointer.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
  fact.contains(said(from_gguf, folder .. "pointer.gguf"), "'git lfs pull' gets the file itself")
end)

-- Architectures of GGUF that transformers calls otherwise.
local OF_GGUF = { command_r = true, gemma_embedding = true, jina_bert_v2 = true, starcoder = true, t5encoder = true }

fact.holds("a spec that comes near is there, for types that are not read", function()
  local count = 0
  for name, path in pairs(near_specs) do
    assert(fs.exists(path), path)
    assert(other_types[name] or OF_GGUF[name], name .. " is no type that is not read")
    count = count + 1
  end
  assert(count > 60, count)
  write("gemma.gguf", gguf.file({ { "general.architecture", "text", "gemma-embedding" } }, {}))
  fact.contains(said(from_gguf, folder .. "gemma.gguf"), "; specs/gemma2_layer.lua comes near: edit a copy for --spec")
end)

fact.finish()
