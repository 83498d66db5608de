"""The configurations of families.py: for each family a function that draws one, with unusual sizes and the options that
its model has. Makes no model."""

import transformers


def bert(r, **more):
    heads = r.choice([1, 2, 3, 5])
    return {"hidden_size": heads * r.choice([6, 9, 14, 20]), "num_attention_heads": heads,
            "num_hidden_layers": r.choice([1, 2, 3]), "intermediate_size": r.randrange(20, 99),
            "vocab_size": r.randrange(40, 99), "max_position_embeddings": r.randrange(44, 70),
            "hidden_act": r.choice(["gelu", "gelu_new", "relu"]), "layer_norm_eps": r.choice([1e-12, 1e-5]), **more}


def roberta(r):
    return bert(r, type_vocab_size=1)


def deberta(r, i, **more):
    shared, terms, norm = [(True, "p2c|c2p", "layer_norm"), (False, ["c2p"], "none"), (False, ["p2c"], "layer_norm"),
                           (False, ["p2c", "c2p"], "none"), (True, r.choice([[], ["c2p"]]), "layer_norm")][i % 5]
    buckets, most = (-1, r.choice([5, 20])) if i % 5 == 2 else (r.choice([4, 7, 16, 32]), r.choice([-1, 40, 90]))
    return bert(r, relative_attention=i % 5 < 4 or r.random() < 0.5, share_att_key=shared, pos_att_type=terms,
                norm_rel_ebd=norm, position_biased_input=i % 2 == 1, position_buckets=buckets,
                max_relative_positions=most, type_vocab_size=i % 3, pooler_hidden_act=["gelu", "relu"][i % 2], **more)


def distilbert(r):
    heads = r.choice([1, 2, 3, 5])
    return {"dim": heads * r.choice([6, 9, 14]), "n_heads": heads, "n_layers": r.choice([1, 2, 3]),
            "hidden_dim": r.randrange(20, 99), "vocab_size": r.randrange(40, 99),
            "max_position_embeddings": r.randrange(44, 70), "activation": r.choice(["gelu", "relu"])}


def gpt2(r):
    heads = r.choice([1, 2, 3, 5])
    return {"n_embd": heads * r.choice([6, 9, 14]), "n_head": heads, "n_layer": r.choice([1, 2, 3]),
            "n_inner": r.choice([None, 37, 90]), "vocab_size": r.randrange(40, 99), "n_positions": r.randrange(44, 70),
            "activation_function": r.choice(["gelu_new", "gelu", "relu"]), "scale_attn_weights": r.random() < 0.7,
            "tie_word_embeddings": r.random() < 0.5}


def decoder(r, head_dim=True, **more):
    """What most decoders have; head_dim: whether the width of a head is a field of its own."""
    shared, kv_heads, width = r.choice([1, 2, 3]), r.choice([1, 2]), r.choice([6, 10, 16, 22])
    settings = {"hidden_size": shared * kv_heads * (r.randrange(9, 20) if head_dim else width),
                "num_attention_heads": shared * kv_heads, "num_key_value_heads": kv_heads,
                "num_hidden_layers": r.choice([1, 2, 3]), "intermediate_size": r.randrange(20, 99),
                "vocab_size": r.randrange(40, 99), "max_position_embeddings": r.randrange(44, 70),
                "rms_norm_eps": r.choice([1e-6, 1e-5]), "rope_theta": r.choice([500.0, 10000.0, 1e6]),
                "tie_word_embeddings": r.random() < 0.5, "pad_token_id": None, **more}
    return {**settings, "head_dim": width} if head_dim else settings


def scaling(r, i, width):
    """Scaled rotary positions of the i-th kind, of heads whose `width` dimensions rotate."""
    return [None, {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                   "original_max_position_embeddings": 32},
            {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 12},
            {"rope_type": "linear", "factor": r.choice([2.0, 3.5])},
            {"rope_type": "longrope", "factor": 4.0, "short_factor": [1.0 + 0.1 * n for n in range(width // 2)],
             "long_factor": [1.0 + 0.7 * n for n in range(width // 2)]}][i % 5]


def llama(r, i):
    settings = decoder(r, attention_bias=r.random() < 0.5, mlp_bias=r.random() < 0.5)
    return {**settings, "rope_scaling": scaling(r, i, settings["head_dim"])}


def gpt_neox(r, i):
    heads, width = r.choice([1, 2, 3, 5]), r.choice([8, 16, 24])
    part = r.choice([0.25, 0.5, 1.0])
    return {"hidden_size": heads * width, "num_attention_heads": heads, "num_hidden_layers": r.choice([1, 2, 3]),
            "intermediate_size": r.randrange(20, 99), "vocab_size": r.randrange(40, 99),
            "max_position_embeddings": r.randrange(44, 70), "layer_norm_eps": r.choice([1e-6, 1e-5]),
            "hidden_act": r.choice(["gelu", "gelu_new", "relu"]), "rotary_pct": part,
            "rotary_emb_base": r.choice([500, 10000]), "use_parallel_residual": r.random() < 0.6,
            "attention_bias": r.random() < 0.7, "tie_word_embeddings": r.random() < 0.3,
            "rope_scaling": [None, {"rope_type": "linear", "factor": 2.5}][i % 2]}


def granite(r):
    return decoder(r, head_dim=False, attention_bias=r.random() < 0.5, mlp_bias=r.random() < 0.5,
                   embedding_multiplier=r.choice([1.0, 3.5, 12.0]), residual_multiplier=r.choice([1.0, 0.22, 0.7]),
                   attention_multiplier=r.choice([0.3, 0.0625]), logits_scaling=r.choice([1.0, 8.0, 3.0]))


def gemma(r):
    return decoder(r, attention_bias=r.random() < 0.5, hidden_act=r.choice(["gelu_pytorch_tanh", "gelu"]))


def gemma2(r, **more):
    layers = r.choice([1, 2, 3, 5])
    settings = decoder(r, num_hidden_layers=layers, attention_bias=r.random() < 0.5,
                       sliding_window=r.choice([4, 9, 900]), query_pre_attn_scalar=r.choice([4, 10, 256]),
                       attn_logit_softcapping=r.choice([None, 2.0, 50.0]),
                       final_logit_softcapping=r.choice([None, 1.5, 30.0]), layer_types=r.choice([None, [
                           r.choice(["full_attention", "sliding_attention"]) for _ in range(layers)]]), **more)
    return {**settings, "hidden_activation": r.choice(["gelu_pytorch_tanh", "silu"])}


def gemma3(r, **more):
    settings = gemma2(r, **more)
    settings.update(attn_logit_softcapping=None)
    del settings["rope_theta"]
    thetas = r.choice([500.0, 1e6]), r.choice([300.0, 10000.0])
    scaled = r.choice([None, {"rope_type": "linear", "factor": 8.0}])
    if int(transformers.__version__.split(".")[0]) < 5:
        return {**settings, "rope_theta": thetas[0], "rope_local_base_freq": thetas[1], "rope_scaling": scaled}
    kinds = "full_attention", "sliding_attention"
    parameters = {kind: {"rope_type": "default", "rope_theta": theta} for kind, theta in zip(kinds, thetas)}
    parameters["full_attention"].update(scaled or {})
    return {**settings, "rope_parameters": parameters}


def olmo2(r, **more):
    return decoder(r, head_dim=False, attention_bias=r.random() < 0.5, **more)


def olmo3(r, i):
    settings = olmo2(r, num_hidden_layers=r.choice([2, 4, 5]), sliding_window=r.choice([4, 9, 900]))
    layers, width = settings["num_hidden_layers"], settings["hidden_size"] // settings["num_attention_heads"]
    types = [r.choice(["full_attention", "sliding_attention"]) for _ in range(layers)]
    return {**settings, "layer_types": r.choice([None, types]), "rope_scaling": scaling(r, i, width)}


def phi3(r, i):
    heads, width = r.choice([2, 4]), r.choice([8, 16, 24])
    settings = decoder(r, head_dim=False, hidden_size=heads * width, num_attention_heads=heads, num_key_value_heads=2,
                       partial_rotary_factor=r.choice([1.0, 0.75, 0.5]),
                       sliding_window=r.choice([None, 7, 900]), original_max_position_embeddings=8 if i % 2 else 64)
    width = int(width * settings["partial_rotary_factor"])
    scaled = {"type": "longrope", "short_factor": [1.0 + 0.1 * n for n in range(width // 2)],
              "long_factor": [1.0 + 0.7 * n for n in range(width // 2)]}
    return {**settings, "max_position_embeddings": 64, "rope_scaling": scaled if i else None}


def smollm3(r):
    layers = r.choice([2, 3, 4])
    return decoder(r, head_dim=False, num_hidden_layers=layers, attention_bias=r.random() < 0.5,
                   no_rope_layers=r.choice([None, [r.choice([0, 1]) for _ in range(layers)]]),
                   no_rope_layer_interval=r.choice([2, 3]))


def mistral(r):
    return decoder(r, sliding_window=r.choice([None, 5, 17]))


def modernbert(r):
    heads = r.choice([1, 2, 3])
    return {"hidden_size": heads * r.choice([6, 10, 16]), "num_attention_heads": heads,
            "num_hidden_layers": r.choice([1, 3, 4]), "intermediate_size": r.randrange(20, 99),
            "vocab_size": r.randrange(40, 99), "max_position_embeddings": r.randrange(44, 70),
            "global_attn_every_n_layers": r.choice([1, 2, 3]), "local_attention": r.choice([4, 10, 32]),
            "global_rope_theta": r.choice([500.0, 160000.0]), "local_rope_theta": r.choice([300.0, 10000.0]),
            "hidden_activation": r.choice(["gelu", "silu"]), "norm_eps": r.choice([1e-6, 1e-5]),
            "attention_bias": r.random() < 0.5, "mlp_bias": r.random() < 0.5, "norm_bias": r.random() < 0.5,
            "pad_token_id": 0, "cls_token_id": 1, "bos_token_id": 1, "sep_token_id": 2, "eos_token_id": 2}


def nomic(r):
    heads, mlp_bias = r.choice([1, 2, 3, 5]), r.random() < 0.5
    return {"n_embd": heads * r.choice([6, 10, 14, 20]), "n_head": heads, "n_layer": r.choice([1, 2, 3]),
            "n_inner": r.randrange(20, 99), "n_positions": r.randrange(44, 70), "max_trained_positions": 70,
            "vocab_size": r.randrange(40, 99), "pad_vocab_size_multiple": 1,
            "activation_function": r.choice(["swiglu", "geglu"]), "layer_norm_epsilon": r.choice([1e-12, 1e-5]),
            "rotary_emb_base": r.choice([500, 1000, 10000]), "qkv_proj_bias": r.random() < 0.5,
            "mlp_fc1_bias": mlp_bias, "mlp_fc2_bias": mlp_bias}


def nomic_saved(r):
    heads = r.choice([1, 2, 3, 5])
    return {"hidden_size": heads * r.choice([6, 10, 14, 20]), "num_attention_heads": heads,
            "head_dim": r.choice([None, 8, 14]), "num_hidden_layers": r.choice([1, 2, 3]),
            "intermediate_size": r.randrange(20, 99), "max_position_embeddings": r.randrange(44, 70),
            "vocab_size": r.randrange(40, 99), "hidden_act": r.choice(["silu", "gelu"]),
            "layer_norm_eps": r.choice([1e-12, 1e-5]), "pad_token_id": 0, "type_vocab_size": r.choice([1, 2]),
            "rope_parameters": {"rope_type": "default", "rope_theta": r.choice([500.0, 1000.0])}}


def t5(r):
    return {"d_model": r.randrange(20, 60), "num_heads": r.choice([1, 2, 3, 5]), "d_kv": r.choice([6, 9, 14]),
            "num_layers": r.choice([1, 2, 3]), "d_ff": r.randrange(20, 99), "vocab_size": r.randrange(40, 99),
            "relative_attention_num_buckets": r.choice([8, 32]), "layer_norm_epsilon": r.choice([1e-6, 1e-5]),
            "relative_attention_max_distance": r.choice([20, 32, 128]),
            "feed_forward_proj": r.choice(["relu", "gelu", "gated-gelu", "gated-silu"])}


def vit(r):
    heads = r.choice([1, 2, 3, 5])
    return {"image_size": r.choice([24, 30]), "patch_size": r.choice([6, 8]),
            "hidden_size": heads * r.choice([6, 9, 14]), "num_attention_heads": heads,
            "num_hidden_layers": r.choice([1, 2, 3]), "intermediate_size": r.randrange(20, 99),
            "hidden_act": r.choice(["gelu", "relu"]), "qkv_bias": r.random() < 0.5}


def gte(r, i):
    heads = r.choice([1, 2, 3, 5])
    return {"hidden_size": heads * r.choice([6, 10, 14, 20]), "num_attention_heads": heads,
            "num_hidden_layers": r.choice([1, 2, 3]), "intermediate_size": r.randrange(20, 99),
            "vocab_size": r.randrange(40, 99), "max_position_embeddings": r.randrange(44, 70),
            "hidden_act": r.choice(["gelu", "relu"]), "layer_norm_eps": r.choice([1e-12, 1e-5]),
            "type_vocab_size": r.choice([0, 1, 2]), "rope_theta": r.choice([500.0, 20000.0]),
            "rope_scaling": {"type": "ntk", "factor": r.choice([2.0, 8.0])} if i % 2 else None}


# A family: its class, what draws a configuration (from random numbers, and which one it is if it takes two), and its
# kind: what is compared. encoder: the last rows; decoder: logits, and tokens; reranker: logits of labels; image: the
# last rows of an image's patches.
FAMILIES = {
    "bert": ("BertModel", bert, "encoder"),
    "bert_reranker": ("BertForSequenceClassification", lambda r: bert(r, num_labels=r.choice([1, 3])), "reranker"),
    "camembert": ("CamembertModel", roberta, "encoder"),
    "deberta": ("DebertaV2Model", deberta, "encoder"),
    "deberta_reranker": ("DebertaV2ForSequenceClassification", lambda r, i: deberta(r, i, num_labels=3), "reranker"),
    "deit": ("DeiTModel", vit, "image"),
    "distilbert": ("DistilBertModel", distilbert, "encoder"),
    "eurobert": ("EuroBertModel", lambda r: decoder(r, head_dim=False), "encoder"),
    "gemma": ("GemmaForCausalLM", gemma, "decoder"),
    "gemma2": ("Gemma2ForCausalLM", gemma2, "decoder"),
    "gemma3_text": ("Gemma3ForCausalLM", gemma3, "decoder"),
    "gemma3_encoder": ("Gemma3TextModel", lambda r: gemma3(r, use_bidirectional_attention=True), "encoder"),
    "gpt2": ("GPT2LMHeadModel", gpt2, "decoder"),
    "gpt_neox": ("GPTNeoXForCausalLM", gpt_neox, "decoder"),
    "granite": ("GraniteForCausalLM", granite, "decoder"),
    "gte": ("NewModel", gte, "encoder"),
    "llama": ("LlamaForCausalLM", llama, "decoder"),
    "mistral": ("MistralForCausalLM", mistral, "decoder"),
    "modernbert": ("ModernBertModel", modernbert, "encoder"),
    "mpnet": ("MPNetModel", bert, "encoder"),
    "nomic_bert": ("NomicBertModel", nomic, "encoder"),
    "nomic_saved": ("transformers.NomicBertModel", nomic_saved, "encoder"),
    "olmo2": ("Olmo2ForCausalLM", olmo2, "decoder"),
    "olmo3": ("Olmo3ForCausalLM", olmo3, "decoder"),
    "phi3": ("Phi3ForCausalLM", phi3, "decoder"),
    "qwen2": ("Qwen2ForCausalLM", lambda r: decoder(r, head_dim=False), "decoder"),
    "qwen3": ("Qwen3ForCausalLM", lambda r: decoder(r, attention_bias=r.random() < 0.5), "decoder"),
    "roberta": ("RobertaModel", roberta, "encoder"),
    "smollm3": ("SmolLM3ForCausalLM", smollm3, "decoder"),
    "t5": ("T5EncoderModel", t5, "encoder"),
    "vit": ("ViTModel", vit, "image"),
    "xlm_roberta": ("XLMRobertaModel", roberta, "encoder"),
}
