-- near_specs.lua: model types and architectures of GGUF that no importer reads, by the spec of specs/ that comes near
-- each: of the same family, so that a copy of it is a beginning. Says nothing of the names of their weights.
local FAMILIES = {
  bert_base = [[albert bert_generation electra ernie esm flaubert gte ibert jina_bert_v2 layoutlm lilt markuplm
    megatron_bert roberta_prelayernorm xlm xlm_roberta_xl]],
  bloom_layer = "bloom mpt",
  gemma2_layer = "embedding_gemma2 gemma gemma2 gemma3 gemma_embedding vaultgemma",
  gpt2 = "biogpt gpt_bigcode gpt_neo imagegpt openai_gpt opt starcoder xglm",
  gpt_oss_layer = "gpt_oss",
  llama_small = [[apertus arcee baichuan cohere cohere2 command_r exaone4 glm glm4 granite helium internlm internlm2
    internlm3 ministral ministral3 nanochat olmo olmo2 olmo3 phi3 qwen seed_oss smollm3 stablelm]],
  t5_layer = "mt5 t5 t5encoder umt5",
  transformer = [[bart blenderbot blenderbot_small fsmt m2m_100 marian mbart pegasus plbart trocr whisper]],
  vit = "audio_spectrogram_transformer clip dinov2 ijepa siglip vit_mae vit_msn yolos",
}

-- { [type] = path of a spec }; a hyphen is an underscore here.
local near = {}
for name, types in pairs(FAMILIES) do
  for word in types:gmatch("%S+") do near[word] = ("specs/%s.lua"):format(name) end
end
return near
