-- hf/common.lua: what a config.json of Hugging Face's transformers may hold whatever its type: what it must say where
-- it says anything, and what does not change the numbers that a model gives.
return {
  -- { config field, the value it must have, why }
  requires = {
    { "quantization_config", nil, "weights are read as they are, not unpacked" },
    { "is_encoder_decoder", false, "the model is one stack" },
    { "add_cross_attention", false, "its layers would look at another sequence too" },
    { "pruned_heads", nil, "all layers have the same heads" },
    { "auto_map", nil, "its code comes with the model and may be anything" },
  },
  -- Why, and the config fields.
  ignores = {
    { "what the file is", [[architectures model_type transformers_version _name_or_path torch_dtype dtype name_or_path
      _commit_hash finetuning_task model_max_length]] },
    { "for training", [[initializer_range initializer_factor gradient_checkpointing use_bfloat16 classifier_dropout]] },
    { "of heads", "num_labels id2label label2id problem_type tie_word_embeddings" },
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
