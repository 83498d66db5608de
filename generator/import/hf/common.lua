-- hf/common.lua: what a config.json of Hugging Face's transformers may hold whatever its type: what it must say where
-- it says anything, and what does not change the numbers that a model gives.
local common = {
  default_of = "transformers'", -- whose defaults a data file's are
  -- Fields of the spec that an architecture with a classification head takes, as rows of a data file.
  classifier_fields = {
    { "id2label", "classifier.labels", by = "labels", also = "num_labels", default = 2 },
    { "sentence_transformers.activation_fn", "classifier.scores", by = "scores", optional = true,
      also = "sbert_ce_default_activation_function" },
  },
  -- And those of one with logits of masked words, in addition to the activation of their transform.
  words_fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
  words_fields = { { "tie_word_embeddings", "logits.tied", default = true } },
  -- { config field, the value it must have, why }
  requires = {
    { "quantization_config", nil, "weights are read as they are, not unpacked" },
    { "is_encoder_decoder", false, "the model is one stack" },
    { "add_cross_attention", false, "its layers would look at another sequence too" },
    { "pruned_heads", nil, "all layers have the same heads" },
  },
  -- What of a model changes with config fields that no model type here has, and those fields: unless they say nothing,
  -- nobody is told to leave them out.
  changes = {
    { "scores are not capped", "attn_logit_softcapping logits_soft_cap" },
    { "scores are scaled by the width of a head", "query_pre_attn_scalar attention_multiplier attn_scale" },
    { "logits are not scaled or capped", "final_logit_softcapping logit_scale logits_scaling" },
    { "rows are not scaled", "residual_multiplier scale_depth scale_emb scale_embedding embedding_multiplier" },
    { "positions are not added to scores", "alibi use_alibi relative_attention_num_buckets position_buckets" },
    { "rotary positions are alike in all layers", [[rope_local_base_freq local_rope_theta global_rope_theta
      no_rope_layers rope_interleaved rotary_pct rotary_dim rotary_emb_base rope_ratio]] },
    { "all layers see the same keys", [[sliding_window layer_types sliding_window_pattern max_window_layers
      attention_chunk_size local_attention global_attn_every_n_layers attention_window]] },
    { "heads of queries and keys have norms only where the model type has", "qk_norm use_qk_norm qk_layernorm" },
    { "a layer's blocks come one after the other", "parallel_attn use_parallel_residual parallel_attention" },
    { "the feed-forward is one", [[num_experts num_local_experts num_experts_per_tok n_routed_experts
      moe_intermediate_size]] },
    { "all layers have their own weights", "num_hidden_groups num_kv_shared_layers" },
  },
  -- Why, and the config fields.
  ignores = {
    { "what the file is", [[architectures model_type transformers_version _name_or_path torch_dtype dtype name_or_path
      _commit_hash finetuning_task model_max_length]] },
    { "code that comes with the model, which is not run", "auto_map" },
    { "for training", [[initializer_range initializer_factor gradient_checkpointing use_bfloat16 classifier_dropout]] },
    { "of heads", [[num_labels id2label label2id problem_type tie_word_embeddings
      sbert_ce_default_activation_function sentence_transformers.activation_fn sentence_transformers.version]] },
    { "how transformers runs it", [[use_cache output_attentions output_hidden_states output_past return_dict torchscript
      chunk_size_feed_forward attn_implementation _attn_implementation _attn_implementation_autoset use_return_dict
      tf_legacy_loss keep_multi_head tpu]] },
    { "tokens", [[bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id unk_token_id
      decoder_start_token_id tokenizer_class prefix]] },
    { "how text is generated", [[max_length min_length do_sample early_stopping num_beams num_beam_groups
      diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty no_repeat_ngram_size
      encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores return_dict_in_generate
      forced_bos_token_id forced_eos_token_id remove_invalid_values exponential_decay_length_penalty suppress_tokens
      begin_suppress_tokens task_specific_params cross_attention_hidden_size]] },
  },
}

-- -- Rotary positions -----------------------------------------------------------------------------------------------

-- A row about scaling: a key of rope_scaling, or of rope_parameters from transformers 5 on, for these kinds of scaling.
local function scaled(key, field, kinds, more)
  local row = { "rope_scaling." .. key, field, also = "rope_parameters." .. key, by = "of_scaling", kinds = kinds,
    optional = true, quiet = true }
  for name, value in pairs(more or {}) do row[name] = value end
  return row
end

-- Fields of all models whose layers share one table of rotary positions.
common.rotary_fields = {
  { "rope_parameters.rope_theta", "rope.theta", also = "rope_scaling.rope_theta rope_theta", default = 10000 },
  { "rope_scaling.rope_type", "rope.scaling", also = "rope_scaling.type rope_parameters.rope_type rope_parameters.type",
    by = "scaling", optional = true, quiet = true },
  scaled("factor", "rope.factor", "linear dynamic yarn longrope llama3"),
  { "original_max_position_embeddings", "rope.original_positions", by = "original_positions", optional = true,
    quiet = true, also = [[rope_scaling.original_max_position_embeddings
      rope_parameters.original_max_position_embeddings max_position_embeddings]] },
  { "max_position_embeddings", "rope.factor", by = "longer_by", optional = true, quiet = true },
  scaled("low_freq_factor", "rope.slow_turns", "llama3"),
  scaled("high_freq_factor", "rope.fast_turns", "llama3"),
  scaled("beta_slow", "rope.slow_turns", "yarn"),
  scaled("beta_fast", "rope.fast_turns", "yarn"),
  scaled("truncate", "rope.truncate", "yarn"),
  scaled("attention_factor", "rope.attention_factor", "yarn longrope"),
  scaled("short_factor", "rope.divisors", "longrope"),
  scaled("long_factor", "rope.long_divisors", "longrope"),
}

-- Names of the kind of scaling, which have the same value if more than one is there.
common.rotary_requires = {
  { "rope_scaling.mscale", nil, "the attention factor is computed from factor alone" },
  { "rope_scaling.mscale_all_dim", nil, "the attention factor is computed from factor alone" },
  { "rope_parameters.mscale", nil, "the attention factor is computed from factor alone" },
  { "rope_parameters.mscale_all_dim", nil, "the attention factor is computed from factor alone" },
}

-- Rows of fields where rope_parameters has a table for each type of layers: those of layers that see all keys.
function common.of_full_attention(rows)
  local list = {}
  for i, row in ipairs(rows) do
    list[i] = {}
    for key, value in pairs(row) do
      local is_name = key == 1 or key == "also"
      list[i][key] = is_name and value:gsub("rope_parameters%.", "rope_parameters.full_attention.") or value
    end
  end
  return list
end

-- The data file of a type whose architectures differ by the first word of their names alone.
function common.renamed(data, from, to)
  local same = {}
  for key, value in pairs(data) do same[key] = value end
  same.base, same.architectures = (data.base:gsub("^" .. from, to)), {}
  for name, entry in pairs(data.architectures) do same.architectures[(name:gsub("^" .. from, to))] = entry end
  return same
end

-- Rows of a list between others, but for those that these replace, as they have the same key, and those of config
-- fields that `without` names.
local function joined(first, rows, last, key, without)
  local list, left_out = {}, {}
  for name in without:gmatch("%S+") do left_out[name] = true end
  for _, own in ipairs({ first, last }) do
    for _, row in ipairs(own) do left_out[key(row)] = true end
  end
  for _, part in ipairs({ first, rows, last }) do
    for _, row in ipairs(part) do
      local is_left_out = part == rows and (left_out[row[1]] or left_out[key(row)])
      list[#list + 1] = not is_left_out and row or nil
    end
  end
  return list
end

local function first_word(row) return row[1] end
local function both_fields(row) return row[1] .. " " .. tostring(row[2]) end

-- The data file of a type like another one, whose architectures differ by the first word of their names. own: its own
-- maps, architectures and rows of lists, which come before the other's; of `fields`, those in first_fields do, and the
-- others come last. A row replaces one of the same config field and field of the spec, or of the same field if it is
-- fixed. without: config fields that the type does not have.
function common.like(data, from, to, own)
  local same, without = common.renamed(data, from, to), own.without or ""
  for _, list in ipairs({ "fixed", "requires", "ignores", "unread" }) do
    same[list] = joined(own[list] or {}, data[list] or {}, {}, first_word, without)
  end
  same.fields = joined(own.first_fields or {}, data.fields, own.fields or {}, both_fields, without)
  same.maps = own.maps or data.maps
  for name, entry in pairs(own.architectures or {}) do same.architectures[name] = entry end
  return same
end

return common
