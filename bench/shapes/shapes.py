"""The shapes of embedders and rerankers that people run, with random weights, and the token ids that they are given:
as long as real sentences and passages, whatever their words. Runs nothing."""

import random
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "text_in"))
import corpus  # noqa: E402

PIECE = re.compile(r"\w+|[^\w\s]")
SPECIAL = 2  # ids before and after a text

BERT = {"vocab_size": 30522, "max_position_embeddings": 512}
XLM_R = {"vocab_size": 250002, "max_position_embeddings": 8194, "type_vocab_size": 1, "pad_token_id": 1}

# name: (class of the configuration, class of the model, fields, pooling or None for a reranker, inputs)
SHAPES = {
    "minilm_l6": ("BertConfig", "BertModel", BERT | {"hidden_size": 384, "num_hidden_layers": 6,
                  "num_attention_heads": 12, "intermediate_size": 1536}, "mean", "sentences"),
    "minilm_l12": ("BertConfig", "BertModel", BERT | {"hidden_size": 384, "num_hidden_layers": 12,
                   "num_attention_heads": 12, "intermediate_size": 1536}, "mean", "sentences"),
    "bge_small": ("BertConfig", "BertModel", BERT | {"hidden_size": 384, "num_hidden_layers": 12,
                  "num_attention_heads": 12, "intermediate_size": 1536}, "cls", "passages"),
    "bge_base": ("BertConfig", "BertModel", BERT | {"hidden_size": 768, "num_hidden_layers": 12,
                 "num_attention_heads": 12, "intermediate_size": 3072}, "cls", "passages"),
    "mpnet_base": ("MPNetConfig", "MPNetModel", {"vocab_size": 30527, "max_position_embeddings": 514,
                   "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                   "intermediate_size": 3072}, "mean", "sentences"),
    "nomic_v1_5": ("NomicBertConfig", "NomicBertModel", {"vocab_size": 30528, "max_position_embeddings": 2048,
                   "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                   "intermediate_size": 3072}, "mean", "passages"),
    "modernbert_base": ("ModernBertConfig", "ModernBertModel", {"vocab_size": 50368, "hidden_size": 768,
                        "num_hidden_layers": 22, "num_attention_heads": 12, "intermediate_size": 1152}, "cls",
                        "passages"),
    "qwen3_0_6b": ("Qwen3Config", "Qwen3Model", {"vocab_size": 151669, "hidden_size": 1024, "num_hidden_layers": 28,
                   "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072,
                   "max_position_embeddings": 32768, "tie_word_embeddings": True}, "last", "sentences"),
    "minilm_reranker": ("BertConfig", "BertForSequenceClassification", BERT | {"hidden_size": 384,
                        "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536,
                        "num_labels": 1}, None, "pairs"),
    "bge_reranker_m3": ("XLMRobertaConfig", "XLMRobertaForSequenceClassification", XLM_R | {"hidden_size": 1024,
                        "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096,
                        "num_labels": 1}, None, "pairs"),
}
LONGEST = 320  # tokens of any input


def make(name, folder):
    """Saves the model of a shape, once."""
    import torch
    import transformers
    config, model, fields, _, _ = SHAPES[name]
    if (folder / "model.safetensors").exists() or (folder / "model.safetensors.index.json").exists():
        return
    torch.manual_seed(1)
    made = getattr(transformers, model)(getattr(transformers, config)(**fields))
    made.save_pretrained(folder)


def lengths(name, count):
    """Tokens of each of `count` inputs."""
    def pieces(texts):
        return [len(PIECE.findall(text)) for text in texts]
    sentences, passages = pieces(corpus.sentences()), pieces(corpus.passages())
    kind = SHAPES[name][4]
    if kind == "sentences":
        found = [length + SPECIAL for length in sentences]
    elif kind == "passages":
        found = [length + SPECIAL for length in passages]
    else:
        found = [a + b + SPECIAL + 1 for a, b in zip(sentences, passages * 8)]
    return [min(length, LONGEST) for length in found[:count]]


def inputs(name, count):
    """Lists of token ids, which no special token is among."""
    draw = random.Random(name)
    size = SHAPES[name][2]["vocab_size"]
    return [[draw.randrange(1000, size) for _ in range(length)] for length in lengths(name, count)]


def pooled(name, rows, counts):
    """[batch][d] of rows [batch][longest][d] of so many tokens each, normalized."""
    import numpy as np
    kind = SHAPES[name][3]
    if kind == "cls":
        found = rows[:, 0]
    elif kind == "last":
        found = rows[np.arange(len(counts)), np.array(counts) - 1]
    else:
        mask = np.arange(rows.shape[1])[None, :] < np.array(counts)[:, None]
        found = (rows * mask[:, :, None]).sum(axis=1) / np.array(counts)[:, None]
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def batches(tokens, size=32):
    """Places of inputs of like lengths, `size` at a time."""
    order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
    return [order[start:start + size] for start in range(0, len(order), size)]


def padded(tokens, places):
    """(ids, mask) of a batch."""
    import numpy as np
    ids = np.zeros((len(places), max(len(tokens[i]) for i in places)), np.int64)
    mask = np.zeros_like(ids)
    for row, place in enumerate(places):
        ids[row, :len(tokens[place])], mask[row, :len(tokens[place])] = tokens[place], 1
    return ids, mask
