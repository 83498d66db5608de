-- hf_encoders_test.lua: --from-hf for families of encoders that are more than another BERT: what of their config.json
-- becomes which fields of a spec, and what is refused. The words for it are in hf_folders.lua.
local hf = dofile("tests/generator/hf_folders.lua")
local json = require "import.from_hf.json"
local maps = require "import.maps"

local fact, reads, refuses_config = hf.fact, hf.reads, hf.refuses_config

if not json.available() then fact.finish() end

local MPNET = hf.BERT:gsub('"bert"', '"mpnet"'):gsub("BertModel", "MPNetModel")

fact.holds("an MPNet has one bias by distance for all layers, and positions of RoBERTa", function()
  local result = reads(MPNET, '"pad_token_id": 1')
  local s, map = result.spec, maps.get("mpnet", true)
  fact.contains(result.text, "  relative_bias = { num_buckets = 32, max_distance = 128, bidirectional = true, " ..
    "shared = true },\n")
  fact.equal(("%d %d %d"):format(s.positions.first, s.positions.padding, s.seq_len.max), "2 1 18")
  fact.equal(maps.source(s, map, "relative_bias"), "encoder.relative_attention_bias.weight")
  fact.equal(maps.source(s, map, "layers.1.q_weight"), "encoder.layer.1.attention.attn.q.weight")
  local count = 0
  for _, role in ipairs(s.roles) do count = count + (role.name:find("relative_bias", 1, true) and 1 or 0) end
  fact.equal(count, 1)
end)

fact.holds("an MPNet whose table has other buckets is refused, as its module looks for 32", function()
  refuses_config(MPNET, '"relative_attention_num_buckets": 16', "relative_attention_num_buckets is 16; expected 32: " ..
    "distances have one of 32 buckets, whatever the size of the table")
end)

fact.finish()
