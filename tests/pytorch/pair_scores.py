"""Folders of decoders that judge a pair of texts by the token that they would say next (Qwen3-Reranker), with random
weights: `make` writes them, `compare` holds `rank` of their programs against transformers in double precision, and the
latter against CrossEncoder of sentence_transformers where it reads such folders (6.0 and later)."""

import pathlib
import tempfile

import sentence_transformers
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, models as token_models, pre_tokenizers

import families
from late_interaction import FACTOR, exactly, lines, write

WORDS = ["<pad>", "<unk>", "yes", "no", "a", "cat", "dog", "sat", "on", "the", "mat", "wet", ":", "Query", "Document",
         "Judge", "it", ".", "assistant"]
DOCUMENTS = ["a cat sat on the mat .", "dog", "the wet cat", "cat " * 60, "no dog : a wet mat"]
QUERIES = ["wet cat", "the dog sat on the mat", "yes no"]
LONGEST = 40

TEMPLATE = """<|start|>Judge it .
Query : {{ messages | selectattr("role", "eq", "query") | map(attribute="content") | first }}
Document : {{ messages | selectattr("role", "eq", "document") | map(attribute="content") | first }}<|end|>
<|start|>assistant
"""

QWEN = {"hidden_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_hidden_layers": 2,
        "intermediate_size": 80, "vocab_size": len(WORDS) + 2, "max_position_embeddings": LONGEST, "pad_token_id": 0}

FOLDERS = {"answers_tied": True, "answers_modules": False}  # whether logits are tied


def tokenizer():
    made = Tokenizer(token_models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([AddedToken(word, normalized=False) for word in ("<|start|>", "<|end|>")])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", unk_token="<unk>",
                                                padding_side="left", chat_template=TEMPLATE)


def make(folder):
    for name, tied in FOLDERS.items():
        path = folder / name
        module = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**QWEN, tie_word_embeddings=tied)).eval()
        for parameter in module.parameters():
            parameter.data += 0.3 * torch.randn(parameter.shape)
        module.save_pretrained(path)
        tokenizer().save_pretrained(path)
        (path / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
        if not tied:
            own = "sentence_transformers."
            write(path / "modules.json", [
                {"idx": 0, "name": "0", "path": "", "type": own + "base.modules.transformer.Transformer"},
                {"idx": 1, "name": "1", "path": "1_LogitScore",
                 "type": own + "cross_encoder.modules.logit_score.LogitScore"}])
            write(path / "1_LogitScore/config.json", {"true_token_id": 3, "false_token_id": 5,
                                                      "module_input_name": "causal_logits"})
            write(path / "config_sentence_transformers.json", {
                "model_type": "CrossEncoder", "prompts": {}, "activation_fn": "torch.nn.modules.activation.Sigmoid"})
            write(path / "sentence_bert_config.json", {
                "transformer_task": "text-generation", "module_output_name": "causal_logits", "modality_config": {
                    "text": {"method": "forward", "method_output_name": "logits"},
                    "message": {"method": "forward", "method_output_name": "logits", "format": "flat"}}})


class Model:
    """A folder by transformers: the score of a pair. A text that is too long loses the end of the document."""

    def __init__(self, folder, dtype):
        module = transformers.Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32,
                                                               attn_implementation="eager").eval()
        with exactly(dtype):
            self.module = families.exact(module) if dtype == torch.float64 else module
        self.dtype = dtype
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.yes, self.no = (2, 3) if FOLDERS[folder.name] else (3, 5)

    def score(self, query, document):
        text = self.tokenizer.apply_chat_template(
            [{"role": "query", "content": query}, {"role": "document", "content": document}], tokenize=False)
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        tail = self.tokenizer("<|end|>\n<|start|>assistant", add_special_tokens=False)["input_ids"]
        if len(ids) > LONGEST:
            ids = ids[:LONGEST - len(tail)] + tail
        with exactly(self.dtype):
            logits = self.module(input_ids=torch.tensor([ids])).logits[0, -1].double()
        return torch.sigmoid(logits[self.yes] - logits[self.no]).item()


def of_encoder(folder, plain):
    """How many scores of CrossEncoder are those of this file, of texts that fit, and how many are not."""
    if not hasattr(sentence_transformers, "MultiVectorEncoder"):
        return 0, 0
    encoder = sentence_transformers.CrossEncoder(str(folder), device="cpu")
    inputs = [(query, text) for query in QUERIES for text in DOCUMENTS if len(text) < 100]
    off = [abs(float(score) - plain.score(*texts)) for texts, score in zip(inputs, encoder.predict(inputs))]
    if max(off) > 1e-5:
        print(f"FAILED {folder.name}: CrossEncoder gives other scores, by up to {max(off):.3g}")
    return sum(value <= 1e-5 for value in off), sum(value > 1e-5 for value in off)


def compare_one(folder, program):
    plain, exact = Model(folder, torch.float32), Model(folder, torch.float64)
    passed, failed = of_encoder(folder, plain)
    off = own = 0.0
    for query in QUERIES:
        with tempfile.TemporaryDirectory() as here:
            path = pathlib.Path(here, "documents.txt")
            path.write_text("\n".join(DOCUMENTS) + "\n", encoding="utf-8")
            hits = lines(str(program), "rank", "--weights", str(folder), "--query", query, "--documents", str(path),
                         "--format", "json")
        wanted, theirs = ([model.score(query, text) for text in DOCUMENTS] for model in (exact, plain))
        off = max(off, *(abs(hit["score"] - wanted[hit["line"] - 1]) for hit in hits))
        own = max(own, *(abs(a - b) for a, b in zip(theirs, wanted)))
        good = len(hits) == len(DOCUMENTS) and hits == sorted(hits, key=lambda hit: -hit["score"])
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAILED {folder.name}: {hits} are not {len(DOCUMENTS)} documents, the best first")
    print(f"{folder.name}: scores off by {off:.2g}, {off / own:.2g} times PyTorch's own error in float32")
    if off > FACTOR * own:
        print(f"FAILED {folder.name}: scores off by {off:.3g}, PyTorch's float32 by {own:.3g}")
    return passed + (off <= FACTOR * own), failed + (off > FACTOR * own)


def compare(folder, programs):
    """How many of all folders' comparisons passed and failed."""
    passed = failed = 0
    with torch.no_grad():
        for name in FOLDERS:
            good, bad = compare_one(folder / name, programs / name)
            passed, failed = passed + good, failed + bad
    return passed, failed
