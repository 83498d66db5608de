-- next_step.lua: what to do about an argument that no importer can read: what it is, and which command gets it or takes
-- it. Looks at names alone; reads no file but a file's first bytes.
local fs = require "base.fs"
local near_specs = require "import.near_specs"

local next_step = {}

local LFS = "^version https://git%-lfs"
local WHOLE = "a folder as transformers saves a model, with config.json and model.safetensors"

-- ORG/NAME of the Hugging Face hub where a path has that form, as llama.cpp writes it too, or nil.
local function hub_name(path)
  return path:match("^(%w[%w._-]*/%w[%w._-]*)$") or path:match("^(%w[%w._-]*/%w[%w._-]*):[%w._-]+$")
end

local function exists(path)
  return fs.kind(path) ~= "nothing"
end

-- The names in a folder, none where it is no folder.
local function names_in(path)
  return exists(path .. "/.") and fs.list(path) or {}
end

local function first_with(names, pattern)
  for _, name in ipairs(names) do
    if name:find(pattern) then return name end
  end
end

-- What is in a folder without a config.json, and what to do with it: a pattern of a name there, and what to say.
local CONTENTS = {
  { "^adapter_config%.json$", "it holds an adapter: merge it into its model (peft's merge_and_unload) and save that" },
  { "%.gguf$", "it holds %s, which --from-gguf takes" },
  { "^model_index%.json$", "it holds a pipeline of diffusers, whose models are in folders of its own" },
  { "^snapshots$", "it is of a cache of Hugging Face: the folder in its %s/ is the model's" },
  { "^params%.json$", "it holds the model's original files (%s): get those for transformers" },
}

-- What is missing in a folder without a config.json, with what to do.
function next_step.without_config(path)
  local names = names_in((path:gsub("/?[^/]*$", "")))
  for _, row in ipairs(CONTENTS) do
    local name = first_with(names, row[1])
    if name then return ("%s: there is no such file; %s"):format(path, row[2]:format(name)) end
  end
  return ("%s: there is no such file; expected %s, as 'hf download ORG/NAME --local-dir DIR' gets it"):format(path,
    WHOLE)
end

-- Why an argument of --from-hf is no folder, with what to do, or nil where it is one.
function next_step.not_a_folder(path)
  if exists(path .. "/.") then return nil end
  if exists(path) then
    return ("%s: is a file; %s"):format(path, path:find("%.gguf$") and "--from-gguf takes it" or
      "expected the folder that it is in")
  end
  local name = hub_name(path)
  if name then
    return ("%s: there is no such folder; if that is a name of the Hugging Face hub: hf download %s --local-dir %s, " ..
      "then --from-hf %s"):format(path, name, name, name)
  end
  return ("%s: there is no such folder; expected %s"):format(path, WHOLE)
end

-- A folder in place of a GGUF file.
local function of_folder(path)
  local names = names_in(path)
  local file = first_with(names, "%.gguf$")
  return ("%s: is a folder; expected a GGUF file%s"):format(path, file and (", as %s/%s"):format(path, file) or
    first_with(names, "^config%.json$") and "; --from-hf takes it" or "")
end

-- Why an argument of --from-gguf is no file, with what to do, or nil where it may be one.
function next_step.not_a_file(path)
  if exists(path .. "/.") then return of_folder((path:gsub("(.)/+$", "%1"))) end
  local name = not exists(path) and hub_name(path)
  return name and ("%s: there is no such file; if that is a name of the Hugging Face hub: hf download %s " ..
    "--include '*.gguf' --local-dir %s, then --from-gguf with the path of one file"):format(path, name, name) or nil
end

-- What a file that is not a GGUF file is, to follow a message, or "".
function next_step.other_file(path)
  if (fs.read(path, 64) or ""):find(LFS) then
    return "; it is what git keeps in place of the file: 'git lfs pull' gets the file itself"
  end
  return path:find("%.safetensors$") and "; --from-hf takes the folder of a safetensors file" or ""
end

-- Which spec comes near a model type that is not read, to follow a message, or "".
function next_step.near(model_type)
  local path = type(model_type) == "string" and near_specs[(model_type:gsub("-", "_"))]
  return path and ("; %s comes near: edit a copy for --spec (docs/spec.md)"):format(path) or ""
end

return next_step
