"""Folders whose vectors of tokens are compared one by one (ColBERT), with random weights, as PyLate, colbert-ir and
sentence-transformers save them: `make` writes them, `compare` holds `embed --tokens-out` and `rank` of their programs
against transformers in double precision, and the latter against MultiVectorEncoder of sentence_transformers where that
is installed (6.0 and later)."""

import contextlib
import json
import pathlib
import subprocess
import tempfile

import numpy
import sentence_transformers
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, models as token_models, pre_tokenizers, processors

import families
import from_hf

FACTOR = 4  # times PyTorch's own largest error in float32
WIDTH, SIZE, LONGEST = 48, 21, 24
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", "a", "cat", "dog", "sat", "on", "the",
         "mat", "wet", ",", ".", "!", '"']
DOCUMENTS = ["a cat sat on the mat .", "dog", 'the " wet , cat " !', "a " * 40, "cat dog wet mat the a ."]
QUERIES = ["wet cat", "a dog , on the mat", "the " * 30]

SMALL = {"hidden_size": WIDTH, "num_attention_heads": 4, "num_hidden_layers": 3, "intermediate_size": 80,
         "vocab_size": len(WORDS) + 2, "max_position_embeddings": 48}
MODERN = {**SMALL, "local_attention": 20, "pad_token_id": 0, "cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2,
          "eos_token_id": 3, "reference_compile": False}

# name: class, configuration, how it is saved, lengths of queries and documents, whether tokens see what fills a query
FOLDERS = {
    "late_pylate": ("BertModel", SMALL, "pylate", 11, 14, False),
    "late_modern": ("ModernBertModel", MODERN, "pylate", 9, 20, False),
    "late_seen": ("ModernBertModel", MODERN, "pylate", 12, 16, True),
    "late_modules": ("BertModel", SMALL, "modules", 10, 15, False),
    "late_colbert": ("BertModel", SMALL, "colbert", 9, 13, False),
}


# -- Making -----------------------------------------------------------------------------------------------------------

def tokenizer(saved):
    made = Tokenizer(token_models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    if saved != "colbert":
        made.add_tokens([AddedToken("[Q] ", normalized=False, special=saved == "modules"),
                         AddedToken("[D] ", normalized=False, special=saved == "modules")])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=LONGEST)


def write(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


DENSE = {"in_features": WIDTH, "out_features": SIZE, "bias": False,
         "activation_function": "torch.nn.modules.linear.Identity"}
ST = "sentence_transformers."


def save_modules(folder, *modules):
    write(folder / "modules.json", [{"idx": i, "name": str(i), "path": path, "type": kind}
                                    for i, (path, kind) in enumerate(modules)])


def save_pylate(folder, queries, documents, attends):
    save_modules(folder, ("", ST + "models.Transformer"), ("1_Dense", "pylate.models.Dense.Dense"))
    write(folder / "1_Dense/config.json", DENSE)
    write(folder / "sentence_bert_config.json", {"max_seq_length": LONGEST, "do_lower_case": False})
    write(folder / "config_sentence_transformers.json", {
        "model_type": "ColBERT", "prompts": {}, "default_prompt_name": None, "similarity_fn_name": "MaxSim",
        "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": queries, "document_length": documents,
        "attend_to_expansion_tokens": attends})


def save_own(folder, queries, documents, attends):
    own = ST + "base.modules."
    save_modules(folder, ("", own + "transformer.Transformer"), ("1_Dense", own + "dense.Dense"),
                 ("2_MultiVectorMask", ST + "multi_vector_encoder.modules.multi_vector_mask.MultiVectorMask"),
                 ("3_Normalize", own + "normalize.Normalize"))
    write(folder / "1_Dense/config.json", {**DENSE, "module_input_name": "token_embeddings",
                                           "module_output_name": "token_embeddings"})
    write(folder / "2_MultiVectorMask/config.json", {"skiplist_words": [",", "!"], "skiplist_tasks": ["document"],
                                                     "keep_only_token_ids": None})
    write(folder / "3_Normalize/config.json", {"module_input_name": "token_embeddings",
                                               "module_output_name": "token_embeddings"})
    write(folder / "sentence_bert_config.json", {
        "transformer_task": "feature-extraction", "modality_config": {"text": {
            "method": "forward", "method_output_name": "last_hidden_state"}}, "module_output_name": "token_embeddings",
        "document_length": documents, "query_expansion": {"strategy": "fixed", "attend": attends, "length": queries}})
    write(folder / "config_sentence_transformers.json", {
        "model_type": "MultiVectorEncoder", "similarity_fn_name": "maxsim",
        "prompts": {"query": "[Q] ", "document": "[D] "}, "default_prompt_name": None})


def save_colbert(folder, queries, documents, attends):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    write(folder / "config.json", {**config, "architectures": ["HF_ColBERT"]})
    write(folder / "artifact.metadata", {
        "query_token_id": "[unused0]", "doc_token_id": "[unused1]", "dim": SIZE, "query_maxlen": queries,
        "doc_maxlen": documents, "attend_to_mask_tokens": attends, "mask_punctuation": True, "similarity": "cosine"})
    tensors = {"bert." + name: tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    tensors["linear.weight"] = load_file(folder / "1_Dense/model.safetensors")["linear.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "1_Dense/model.safetensors").unlink()
    (folder / "1_Dense").rmdir()


SAVED = {"pylate": save_pylate, "modules": save_own, "colbert": save_colbert}


def make(folder):
    for name, (kind, config, saved, *settings) in FOLDERS.items():
        module = getattr(transformers, kind)
        module = module(module.config_class(**config)).eval()
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.data += 0.3 * torch.randn(parameter.shape)
        module.save_pretrained(folder / name)
        tokenizer(saved).save_pretrained(folder / name)
        (folder / name / "1_Dense").mkdir()
        dense = folder / name / "1_Dense/model.safetensors"
        save_file({"linear.weight": torch.randn(SIZE, WIDTH) * WIDTH ** -0.5}, dense)
        SAVED[saved](folder / name, *settings)


# -- In PyTorch -------------------------------------------------------------------------------------------------------

def exactly(dtype):
    """Where transformers computes in a type, in double precision also what it does in float32."""
    return from_hf.doubled() if dtype == torch.float64 else contextlib.nullcontext()


class Model:
    """What a folder says, by transformers: vectors of queries and documents."""

    def __init__(self, folder, dtype):
        kind, _, self.saved, self.queries, self.documents, self.attends = FOLDERS[folder.name]
        module = getattr(transformers, kind).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
        with exactly(dtype):
            self.module = families.exact(module.eval()) if dtype == torch.float64 else module.eval()
        linear = folder / ("model.safetensors" if self.saved == "colbert" else "1_Dense/model.safetensors")
        self.linear, self.dtype = load_file(linear)["linear.weight"].to(dtype), dtype
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.unscored = [] if self.saved == "colbert" else [15, 17]
        if self.saved != "modules":
            self.unscored = [WORDS.index(word) for word in (",", ".", "!", '"')]

    def ids(self, text, marker, longest):
        names = {"colbert": ["[unused0]", "[unused1]"]}.get(self.saved, ["[Q] ", "[D] "])
        ids = self.tokenizer(text, truncation=True, max_length=longest - 1)["input_ids"]
        return ids[:1] + [self.tokenizer.convert_tokens_to_ids(names[marker])] + ids[1:]

    def vectors(self, ids, seen):
        mask = torch.arange(len(ids))[None] < seen
        with exactly(self.dtype):
            rows = self.module(input_ids=torch.tensor([ids]), attention_mask=mask.long()).last_hidden_state[0]
        return torch.nn.functional.normalize(rows.to(self.dtype) @ self.linear.T, dim=-1)

    def query(self, text):
        ids = self.ids(text, 0, self.queries)
        filled = ids + [WORDS.index("[MASK]")] * (self.queries - len(ids))
        return self.vectors(filled, len(filled) if self.attends else len(ids))

    def document(self, text):
        ids = self.ids(text, 1, self.documents)
        kept = [i for i, token in enumerate(ids) if token not in self.unscored]
        return self.vectors(ids, len(ids))[kept]


def max_sim(query, document):
    return (query.double() @ document.double().T).max(1).values.sum().item()


# -- Comparing --------------------------------------------------------------------------------------------------------

def lines(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Comparison:
    """One folder and its program."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, str(program)
        self.plain, self.exact = Model(folder, torch.float32), Model(folder, torch.float64)
        self.passed = self.failed = 0

    def expect(self, truth, message):
        self.passed += truth
        self.failed += not truth
        if not truth:
            print(f"FAILED {self.folder.name}: {message}")

    def compare(self, what, texts, method, *options):
        with tempfile.TemporaryDirectory() as here:
            path = pathlib.Path(here, "texts.txt")
            path.write_text("\n".join(texts) + "\n", encoding="utf-8")
            found = lines(self.program, "embed", "--weights", str(self.folder), "--text", str(path), "--tokens-out",
                          "--format", "json", *options)
        found = [numpy.array(line["embedding"]) for line in found]
        wanted, plain = ([getattr(model, method)(text).double().numpy() for text in texts]
                         for model in (self.exact, self.plain))
        shapes = [rows.shape for rows in found], [rows.shape for rows in wanted]
        if shapes[0] != shapes[1]:
            return self.expect(False, f"{what}: shapes {shapes[0]}, expected {shapes[1]}")
        off = max(numpy.abs(a - b).max() for a, b in zip(found, wanted))
        own = max(numpy.abs(a - b).max() for a, b in zip(plain, wanted))
        print(f"{self.folder.name}: {what}: off by {off:.2g}, {off / own:.2g} times PyTorch's own error in float32")
        return self.expect(off <= FACTOR * own, f"{what}: off by {off:.3g}, PyTorch's float32 by {own:.3g}")

    def compare_ranks(self):
        with tempfile.TemporaryDirectory() as here:
            path = pathlib.Path(here, "documents.txt")
            path.write_text("\n".join(DOCUMENTS) + "\n", encoding="utf-8")
            for query in QUERIES:
                hits = lines(self.program, "rank", "--weights", str(self.folder), "--query", query, "--documents",
                             str(path), "--format", "json")
                wanted, plain = ([max_sim(model.query(query), model.document(text)) for text in DOCUMENTS]
                                 for model in (self.exact, self.plain))
                off = max(abs(hit["score"] - wanted[hit["line"] - 1]) for hit in hits)
                limit = FACTOR * max(max(abs(a - b) for a, b in zip(plain, wanted)), 2 ** -23 * max(wanted))
                order = [hit["score"] for hit in hits]
                self.expect(len(hits) == len(DOCUMENTS) and off <= limit and order == sorted(order, reverse=True),
                            f"rank {query}: scores off by {off:.3g}, at most {limit:.3g}")

    def compare_encoder(self):
        """The words of this file against those of sentence_transformers."""
        if not hasattr(sentence_transformers, "MultiVectorEncoder"):
            return
        encoder = sentence_transformers.MultiVectorEncoder(str(self.folder), device="cpu")
        for text in QUERIES + DOCUMENTS:
            for method in ("query", "document"):
                theirs = getattr(encoder, "encode_" + method)(text)
                ours = getattr(self.plain, method)(text)
                same = theirs.shape == ours.shape and (theirs - ours).abs().max().item() < 1e-5
                self.expect(same, f"MultiVectorEncoder gives another {method} of {text}: {tuple(theirs.shape)} "
                                  f"for {tuple(ours.shape)}")

    def compare_all(self):
        with torch.no_grad():
            self.compare_encoder()
            self.compare("documents", DOCUMENTS, "document")
            self.compare("queries", QUERIES, "query", "--prompt", "query")
            self.compare_ranks()
        return self.passed, self.failed


def compare(folder, programs):
    """How many of all folders' comparisons passed and failed."""
    passed = failed = 0
    for name in FOLDERS:
        good, bad = Comparison(folder / name, programs / name).compare_all()
        passed, failed = passed + good, failed + bad
    return passed, failed
