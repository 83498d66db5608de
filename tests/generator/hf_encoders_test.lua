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

-- -- ModernBERT -----------------------------------------------------------------------------------------------------

local MODERNBERT = [["model_type": "modernbert", "architectures": ["ModernBertModel"], "hidden_size": 8,
  "num_attention_heads": 2, "num_hidden_layers": 4, "intermediate_size": 12, "vocab_size": 7,
  "max_position_embeddings": 20]]

-- The words of a spec's pattern, in order.
local function pattern_of(s)
  return table.concat(s.layers.pattern, " ")
end

fact.holds("a ModernBERT has layers that see all keys, and others with a window and angles of their own", function()
  local s = reads(MODERNBERT, '"local_attention": 10, "position_embedding_type": "absolute"').spec
  fact.equal(pattern_of(s), "base near near")
  fact.equal(s.attention_spec.window, nil)
  fact.equal(s.attention_spec.rope.theta, 160000)
  fact.equal(("%d %s %d"):format(s.attention_near_spec.window, s.attention_near_spec.window_sides,
    s.attention_near_spec.rope.theta), "6 both 10000")
  fact.equal(table.concat(s.kind_of_layer, " "), "0 1 1 0")
  fact.equal(("%s %s %s %s"):format(tostring(s.norm.bias), tostring(s.norm.skips_first), tostring(s.ffn.fused),
    tostring(s.bias.q)), "false true true false")
  local same = reads(MODERNBERT, '"local_rope_theta": null').spec
  fact.equal(same.attention_near_spec.rope.theta, 160000)
  local all = reads(MODERNBERT, '"global_attn_every_n_layers": 1').spec
  fact.equal(all.layers, nil)
end)

fact.holds("a ModernBERT of transformers 5 says its layers and angles otherwise", function()
  local s = reads(MODERNBERT, '"dtype": "float32", "layer_types": ["sliding_attention", "full_attention", ' ..
    '"sliding_attention", "full_attention"], "rope_parameters": { "full_attention": { "rope_type": "default", ' ..
    '"rope_theta": 3000.0 }, "sliding_attention": { "rope_type": "default", "rope_theta": 70.0 } }').spec
  fact.equal(pattern_of(s), "near base near base")
  fact.equal(("%d %d"):format(s.attention_spec.rope.theta, s.attention_near_spec.rope.theta), "3000 70")
  refuses_config(MODERNBERT, '"layer_types": ["full_attention", "linear_attention", "full_attention", ' ..
    '"full_attention"]', "layer_types is a list; expected full_attention or sliding_attention for each layer")
  refuses_config(MODERNBERT, '"rope_scaling": { "rope_type": "yarn", "factor": 2 }',
    'rope_scaling.rope_type is "yarn"; expected "default": rotary positions are not scaled',
    "rope_scaling.factor is 2; expected none: rotary positions are not scaled")
end)

fact.holds("the heads of a ModernBERT are a dense linear, an activation, a norm and a linear", function()
  local words = reads((MODERNBERT:gsub("BertModel", "BertForMaskedLM"))).spec
  fact.equal(("%s %s %s %s"):format(words.logits.transform, tostring(words.logits.transform_bias),
    tostring(words.logits.bias), tostring(words.logits.tied)), "gelu false true true")
  local ranks = reads((MODERNBERT:gsub("BertModel", "BertForSequenceClassification")),
    '"classifier_pooling": "mean", "classifier_bias": true, "num_labels": 3').spec
  fact.equal(("%s %s %s %s %d"):format(ranks.pool.kind, ranks.classifier.activation, tostring(ranks.classifier.norm),
    tostring(ranks.classifier.dense_bias), ranks.classifier.labels), "mean gelu true true 3")
end)

-- -- NomicBERT ------------------------------------------------------------------------------------------------------

local NOMIC = [["model_type": "nomic_bert", "architectures": ["NomicBertModel"], "n_embd": 8, "n_head": 2,
  "n_layer": 2, "n_inner": 12, "n_positions": 20, "vocab_size": 7, "type_vocab_size": 2,
  "activation_function": "swiglu", "mlp_fc1_bias": false, "mlp_fc2_bias": false, "qkv_proj_bias": false,
  "auto_map": { "AutoModel": "org/code--modeling.NomicBertModel" }]]

fact.holds("a NomicBERT has rotary positions, a gated feed-forward and no biases", function()
  local s = reads(NOMIC, '"rotary_emb_base": 1000, "rotary_scaling_factor": null').spec
  fact.equal(("%s %s %s %d"):format(s.ffn.activation, tostring(s.ffn.gated), tostring(s.ffn.bias), s.rope.theta),
    "silu true false 1000")
  fact.equal(maps.source(s, maps.get("nomic_bert", true), "layers.1.gate_weight"), "encoder.layers.1.mlp.fc12.weight")
  refuses_config(NOMIC, '"rotary_scaling_factor": 2', "rotary_scaling_factor is 2; expected none: rotary positions " ..
    "are not scaled")
  refuses_config(NOMIC, '"moe_every_n_layers": 2', "moe_every_n_layers is 2; expected 0: the feed-forward is one")
  refuses_config((NOMIC:gsub("swiglu", "gelu")), nil, 'activation_function is "gelu"; expected swiglu or geglu')
  refuses_config((NOMIC:gsub('"mlp_fc2_bias": false', '"mlp_fc2_bias": true')), nil,
    "mlp_fc2_bias is true; expected false, as mlp_fc1_bias")
end)

fact.holds("a NomicBERT that transformers saved has other names, and no biases", function()
  local saved = [["model_type": "nomic_bert", "architectures": ["NomicBertModel"], "hidden_size": 8,
    "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 12, "max_position_embeddings": 20,
    "vocab_size": 7, "type_vocab_size": 2, "hidden_act": "silu", "head_dim": 6, "hidden_dropout_prob": 0.0,
    "rope_parameters": { "rope_theta": 1000.0, "rope_type": "default" }]]
  local s = reads(saved).spec
  fact.equal(("%s %s %s %s %d %d"):format(s.ffn.activation, tostring(s.ffn.gated), tostring(s.ffn.bias),
    tostring(s.bias.q), s.d_head, s.rope.theta), "silu true false false 6 1000")
  refuses_config((saved:gsub('"default"', '"linear"')), nil,
    'rope_parameters.rope_type is "linear"; expected "default": rotary positions are not scaled')
end)

-- -- GTE ------------------------------------------------------------------------------------------------------------

-- As gte-multilingual-base is published, with small sizes.
local GTE = [["model_type": "new", "architectures": ["NewModel", "NewForTokenClassification"],
  "attention_probs_dropout_prob": 0.0, "auto_map": { "AutoModel": "Alibaba-NLP/new-impl--modeling.NewModel" },
  "classifier_dropout": 0.0, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 8,
  "initializer_range": 0.02, "intermediate_size": 12, "layer_norm_eps": 1e-12, "layer_norm_type": "layer_norm",
  "max_position_embeddings": 20, "num_attention_heads": 2, "num_hidden_layers": 2, "num_labels": 1, "pack_qkv": true,
  "pad_token_id": 1, "position_embedding_type": "rope", "rope_theta": 20000, "vocab_size": 7,
  "use_memory_efficient_attention": false]]

fact.holds("a GTE has scaled rotary positions and a gated feed-forward with one bias, after its last linear", function()
  local s = reads(GTE, '"type_vocab_size": 1, "unpad_inputs": false, ' ..
    '"rope_scaling": { "factor": 16.0, "type": "ntk" }').spec
  fact.equal(("%s %g %d"):format(s.attention_spec.rope.scaling, s.attention_spec.rope.factor,
    s.attention_spec.rope.theta), "linear 4 320000") -- 16 to the power of 2 / 4
  fact.equal(("%s %s %s %s %d"):format(s.ffn.activation, tostring(s.ffn.gated), tostring(s.ffn.bias),
    tostring(s.ffn.down_bias), s.token_types), "gelu true false true 1")
  local plain = reads(GTE, '"type_vocab_size": 0, "rope_scaling": null, "unpad_inputs": "true"').spec
  fact.equal(("%s %s %d"):format(tostring(plain.token_types), tostring(plain.attention_spec.rope.scaling),
    plain.attention_spec.rope.theta), "nil nil 20000")
end)

fact.holds("up and gate of a GTE are the halves of one weight, up first", function()
  local s = reads(GTE, '"type_vocab_size": 1').spec
  local sources, first = require("plan.maps")(s, maps.get("gte", true)), {}
  for i, source in ipairs(sources) do
    if source.tensor == "encoder.layer.1.mlp.up_gate_proj.weight" then
      fact.equal(table.concat(source.shape, " "), "24 8")
      first[s.roles[i].name] = source.first
    end
  end
  fact.equal(first["layers.1.up_weight"], 0)
  fact.equal(first["layers.1.gate_weight"], 12 * 8)
end)

fact.holds("GTE's reranker and Snowflake's name for a GTE are read, and what other GTEs have is refused", function()
  local ranks = reads((GTE:gsub('%["NewModel", "NewForTokenClassification"%]', '["NewForSequenceClassification"]')),
    '"type_vocab_size": 1').spec
  fact.equal(("%s %s %d"):format(ranks.pool.kind, ranks.classifier.activation, ranks.classifier.labels), "cls tanh 1")
  reads((GTE:gsub('"new"', '"gte"'):gsub('%["NewModel", "NewForTokenClassification"%]', '["GteModel"]')),
    '"type_vocab_size": 1, "logn_attention_clip1": false, "logn_attention_scale": false')
  refuses_config(GTE, '"type_vocab_size": 1, "rope_scaling": { "factor": 2, "type": "dynamic" }',
    'rope_scaling.type is "dynamic"; expected "ntk"')
  refuses_config((GTE:gsub('"rope"', '"absolute"')), '"type_vocab_size": 1',
    'position_embedding_type is "absolute"; expected "rope": positions turn heads')
  refuses_config((GTE:gsub('"layer_norm",', '"rms_norm",')), '"type_vocab_size": 1',
    'layer_norm_type is "rms_norm"; expected "layer_norm": norms are LayerNorm')
  refuses_config((GTE:gsub('"pack_qkv": true', '"pack_qkv": false')), '"type_vocab_size": 1',
    "pack_qkv is false; expected true: q, k and v are one weight")
end)

-- -- T5 -------------------------------------------------------------------------------------------------------------

-- As sentence-t5 is published, with small sizes.
local T5 = [["model_type": "t5", "architectures": ["T5EncoderModel"], "d_ff": 12, "d_kv": 6, "d_model": 8,
  "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1, "initializer_factor": 1.0,
  "is_encoder_decoder": true, "layer_norm_epsilon": 1e-06, "n_positions": 512, "num_decoder_layers": 2,
  "num_heads": 2, "num_layers": 2, "output_past": true, "pad_token_id": 0, "relative_attention_num_buckets": 32,
  "task_specific_params": { "summarization": { "num_beams": 4 } }, "use_cache": true, "vocab_size": 7]]

fact.holds("a T5 encoder has RMSNorm, one bias by distance, and neither scaled scores nor biases of linears", function()
  local result = reads(T5, '"feed_forward_proj": "relu"')
  local s, map = result.spec, maps.get("t5", true)
  fact.contains(result.text, "  relative_bias = { num_buckets = 32, max_distance = 128, bidirectional = true, " ..
    "shared = true },\n")
  fact.equal(("%s %s %s %d %d %s"):format(s.norm.kind, s.norm.place, tostring(s.norm.final), s.scale, s.d_head,
    s.ffn.activation), "rms pre true 1 6 relu")
  fact.equal(("%s %s %s %d"):format(tostring(s.bias.q), tostring(s.ffn.bias), s.default_map, s.seq_len.max),
    "false false t5 512")
  fact.equal(maps.source(s, map, "relative_bias"),
    "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight")
  fact.equal(maps.source(s, map, "layers.1.up_weight"), "encoder.block.1.layer.1.DenseReluDense.wi.weight")
end)

fact.holds("T5's word for its feed-forward says the activation and whether it gates", function()
  local function feed_forward(word)
    local s = reads(T5, ('"feed_forward_proj": "%s"'):format(word)).spec
    return ("%s %s %s"):format(s.ffn.activation, tostring(s.ffn.gated), s.default_map)
  end
  fact.equal(feed_forward("gated-gelu"), "gelu_tanh true t5_gated")
  fact.equal(feed_forward("gated-silu"), "silu true t5_gated")
  fact.equal(feed_forward("gelu"), "gelu false t5")
  local s = reads(T5, '"feed_forward_proj": "gated-gelu"').spec
  local map = maps.get("t5_gated", true)
  fact.equal(maps.source(s, map, "layers.0.gate_weight"), "encoder.block.0.layer.1.DenseReluDense.wi_0.weight")
  refuses_config(T5, '"feed_forward_proj": "gated-glu"', 'feed_forward_proj is "gated-glu"; expected one of gelu, ' ..
    "gelu_accurate, gelu_fast, gelu_new, gelu_python, gelu_pytorch_tanh, relu, silu, swish, tanh, or \"gated-\" " ..
    "and one of these")
end)

fact.holds("a T5 with its decoder is refused, with the architecture that takes the encoder", function()
  local whole = T5:gsub("T5EncoderModel", "T5ForConditionalGeneration")
  refuses_config(whole, nil, 'architecture "T5ForConditionalGeneration" is not one that is made: T5EncoderModel; ' ..
    "--hf-architecture T5EncoderModel leaves out everything after the stack")
  local s = reads(whole, nil, nil, { architecture = "T5EncoderModel" }).spec
  fact.equal(s.n_layers, 2)
  refuses_config(hf.BERT, '"is_encoder_decoder": true',
    "is_encoder_decoder is true; expected false: the model is one stack")
end)

-- -- DeBERTa --------------------------------------------------------------------------------------------------------

-- As deberta-v3-base is published, with small sizes.
local DEBERTA = [["model_type": "deberta-v2", "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1, "hidden_size": 12, "initializer_range": 0.02, "intermediate_size": 20,
  "max_position_embeddings": 20, "relative_attention": true, "position_buckets": 8, "norm_rel_ebd": "layer_norm",
  "share_att_key": true, "pos_att_type": "p2c|c2p", "layer_norm_eps": 1e-7, "max_relative_positions": -1,
  "position_biased_input": false, "num_attention_heads": 2, "num_hidden_layers": 2, "type_vocab_size": 0,
  "vocab_size": 7]]

fact.holds("a DeBERTa v3 adds products with one table of relative positions for all layers, through a norm", function()
  local result = reads(DEBERTA)
  local s, map = result.spec, maps.get("deberta_v2", true)
  fact.contains(result.text, "  disentangled = { span = 8, max_distance = 20, terms = \"both\", norm_eps = 1e-07, " ..
    "own_linears = false },\n")
  fact.equal(("%s %s %.6f"):format(tostring(s.positions), tostring(s.token_types), s.scale), "nil nil 0.235702")
  fact.equal(maps.source(s, map, "disentangled_table"), "encoder.rel_embeddings.weight")
  fact.equal(maps.source(s, map, "disentangled_norm_bias"), "encoder.LayerNorm.bias")
  fact.equal(maps.source(s, map, "layers.1.k_weight"), "encoder.layer.1.attention.self.key_proj.weight")
end)

fact.holds("other DeBERTas have linears of positions, no buckets, one term or none, and positions of rows", function()
  local s = reads((DEBERTA:gsub('"share_att_key": true', '"share_att_key": false'):gsub("p2c|c2p", "C2P"):gsub(
    '"position_buckets": 8, "norm_rel_ebd": "layer_norm"', '"norm_rel_ebd": "none"')),
    '"conv_kernel_size": 0, "attention_head_size": 6, "pooler_hidden_size": 12, "embedding_size": 12').spec
  fact.equal(("%d %s %s %s %s %.6f"):format(s.disentangled.span, tostring(s.disentangled.max_distance),
    s.disentangled.terms, tostring(s.disentangled.norm_eps), tostring(s.disentangled.own_linears), s.scale),
    "20 nil c2p nil true 0.288675")
  fact.equal(maps.source(s, maps.get("deberta_v2", true), "layers.1.disentangled_k_bias"),
    "encoder.layer.1.attention.self.pos_key_proj.bias")
  local plain = reads((DEBERTA:gsub('"relative_attention": true', '"relative_attention": false'):gsub(
    '"position_biased_input": false', '"position_biased_input": true'))).spec
  fact.equal(("%s %s %d %.6f"):format(tostring(plain.disentangled), plain.positions.kind, plain.positions.rows,
    plain.scale), "nil learned 20 0.235702")
  fact.equal(reads((DEBERTA:gsub('"p2c|c2p"', "null"))).spec.scale, nil)
  fact.equal(reads((DEBERTA:gsub('"position_buckets": 8', '"position_buckets": 64'))).spec.disentangled.max_distance,
    nil)
end)

fact.holds("a DeBERTa's classifier has the activation of its pooler, and what is not made is refused", function()
  local ranks = reads(DEBERTA, '"architectures": ["DebertaV2ForSequenceClassification"], "pooler_hidden_act": ' ..
    '"gelu", "pooler_dropout": 0, "num_labels": 1').spec
  fact.equal(("%s %s %d"):format(ranks.pool.kind, ranks.classifier.activation, ranks.classifier.labels), "cls gelu 1")
  refuses_config(DEBERTA, '"conv_kernel_size": 3, "conv_act": "gelu"',
    "conv_kernel_size is 3; expected 0: there is no convolution after the first layer")
  refuses_config(DEBERTA, '"embedding_size": 6', "embedding_size is 6; expected 12, as hidden_size")
  refuses_config((DEBERTA:gsub("p2c|c2p", "p2p|c2p")), nil,
    'pos_att_type is "p2p|c2p"; expected c2p, p2c or both, in a list or with "|" between them')
end)

-- -- Configurations as published ------------------------------------------------------------------------------------

-- What is in the config.json of multilingual encoders made from XLM-RoBERTa besides its sizes.
local MULTILINGUAL = [["model_type": "xlm-roberta", "attention_probs_dropout_prob": 0.1, "bos_token_id": 0,
  "classifier_dropout": null, "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 1024,
  "initializer_range": 0.02, "intermediate_size": 4096, "layer_norm_eps": 1e-05, "num_attention_heads": 16,
  "num_hidden_layers": 24, "output_past": true, "pad_token_id": 1, "position_embedding_type": "absolute",
  "torch_dtype": "float32", "transformers_version": "4.38.1", "type_vocab_size": 1, "use_cache": true,
  "vocab_size": 250002]]

fact.holds("BGE-M3, multilingual E5 and BGE's reranker v2 M3 are read from their own configurations", function()
  local function longest(more)
    local s = reads(MULTILINGUAL, more).spec
    return ("%d of %d from %d"):format(s.seq_len.max, s.positions.rows, s.positions.first)
  end
  fact.equal(longest('"architectures": ["XLMRobertaModel"], "max_position_embeddings": 8194'), "8192 of 8194 from 2")
  fact.equal(longest('"architectures": ["XLMRobertaModel"], "max_position_embeddings": 514'), "512 of 514 from 2")
  local s = reads(MULTILINGUAL, '"architectures": ["XLMRobertaForSequenceClassification"], "id2label": { "0": ' ..
    '"LABEL_0" }, "label2id": { "LABEL_0": 0 }, "max_position_embeddings": 8194').spec
  fact.equal(("%s %d %s"):format(s.pool.kind, s.classifier.labels, s.classifier.scores), "cls 1 sigmoid")
end)

-- -- Refusals -------------------------------------------------------------------------------------------------------

fact.holds("an MPNet whose table has other buckets is refused, as its module looks for 32", function()
  refuses_config(MPNET, '"relative_attention_num_buckets": 16', "relative_attention_num_buckets is 16; expected 32: " ..
    "distances have one of 32 buckets, whatever the size of the table")
end)

fact.finish()
