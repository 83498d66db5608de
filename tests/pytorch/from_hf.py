#!/usr/bin/env python3
"""Whole models of Hugging Face's transformers, with random weights made from a configuration: nothing is fetched.
`make FOLDER` saves one of each type as transformers does, for ./configure --from-hf; `compare FOLDER BIN` holds the
programs made from them against the same models in double precision, the tokens they generate among what is compared.
The last line is 'N passed, N failed'; the exit status is 1 where one failed."""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

os.environ["HF_HUB_OFFLINE"] = "1"
import custom_models  # noqa: E402
import transformers  # noqa: E402
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS  # noqa: E402

LENGTHS = [1, 17, 40, 33]
PROMPTS, NEW = [1, 9, 20], 14  # lengths of what is generated from, and tokens added

BERT = {"hidden_size": 48, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 80, "vocab_size": 60}
LLAMA = {**BERT, "max_position_embeddings": 48, "num_key_value_heads": 2}

MODERNBERT = {**BERT, "max_position_embeddings": 48, "local_attention": 10, "pad_token_id": 0, "num_hidden_layers": 4,
              "reference_compile": False, "global_rope_theta": 3000.0, "local_rope_theta": 50.0}

MODELS = {  # name: (class, configuration)
    "hf_bert": ("BertModel", {**BERT, "max_position_embeddings": 64}),
    "hf_labels": ("BertForTokenClassification", {**BERT, "max_position_embeddings": 48, "num_labels": 5}),
    "hf_roberta": ("RobertaModel", {**BERT, "max_position_embeddings": 42, "type_vocab_size": 1}),
    "hf_distilbert": ("DistilBertModel", {"dim": 45, "n_heads": 3, "n_layers": 2, "hidden_dim": 70, "vocab_size": 60,
                                          "max_position_embeddings": 40, "activation": "relu"}),
    "hf_ranks_bert": ("BertForSequenceClassification", {**BERT, "max_position_embeddings": 48, "num_labels": 1}),
    "hf_ranks_roberta": ("XLMRobertaForSequenceClassification", {**BERT, "max_position_embeddings": 42, "num_labels": 3,
                                                                 "type_vocab_size": 1}),
    "hf_ranks_distilbert": ("DistilBertForSequenceClassification", {
        "dim": 45, "n_heads": 3, "n_layers": 1, "hidden_dim": 70, "vocab_size": 60, "max_position_embeddings": 40}),
    "hf_camembert": ("CamembertForTokenClassification", {**BERT, "max_position_embeddings": 42, "num_labels": 3}),
    "hf_words_bert": ("BertForMaskedLM", {**BERT, "max_position_embeddings": 48, "hidden_act": "gelu_new"}),
    "hf_words_roberta": ("RobertaForMaskedLM", {**BERT, "max_position_embeddings": 42, "type_vocab_size": 1}),
    "hf_words_untied": ("XLMRobertaForMaskedLM", {**BERT, "max_position_embeddings": 42, "type_vocab_size": 1,
                                                  "tie_word_embeddings": False}),
    "hf_words_one_bias": ("CamembertForMaskedLM", {**BERT, "max_position_embeddings": 42, "type_vocab_size": 1,
                                                   "tie_word_embeddings": False}),
    "hf_words_bert_one_bias": ("BertForMaskedLM", {**BERT, "max_position_embeddings": 48,
                                                   "tie_word_embeddings": False}),
    "hf_words_distilbert": ("DistilBertForMaskedLM", {
        "dim": 45, "n_heads": 3, "n_layers": 1, "hidden_dim": 70, "vocab_size": 60, "max_position_embeddings": 40}),
    "hf_mpnet": ("MPNetModel", {**BERT, "max_position_embeddings": 202}),
    "hf_ranks_mpnet": ("MPNetForSequenceClassification", {**BERT, "max_position_embeddings": 42, "num_labels": 3}),
    "hf_words_mpnet": ("MPNetForMaskedLM", {**BERT, "max_position_embeddings": 42}),
    "hf_words_mpnet_one_bias": ("MPNetForMaskedLM", {**BERT, "max_position_embeddings": 42,
                                                     "tie_word_embeddings": False}),
    "hf_modernbert": ("ModernBertModel", {**MODERNBERT, "num_hidden_layers": 5}),
    "hf_words_modernbert": ("ModernBertForMaskedLM", {**MODERNBERT, "tie_word_embeddings": True}),
    "hf_labels_modernbert": ("ModernBertForTokenClassification", {**MODERNBERT, "num_labels": 5,
                                                                  "classifier_activation": "silu"}),
    "hf_ranks_modernbert": ("ModernBertForSequenceClassification", {
        **MODERNBERT, "num_labels": 3, "classifier_bias": True, "norm_bias": True, "attention_bias": True,
        "mlp_bias": True, "classifier_pooling": "mean", "classifier_activation": "relu"}),
    "hf_nomic": ("NomicBertModel", {"n_embd": 48, "n_head": 4, "n_layer": 2, "n_inner": 80, "n_positions": 48,
                                    "vocab_size": 60}),
    "hf_nomic_biases": ("NomicBertModel", {"n_embd": 40, "n_head": 4, "n_layer": 2, "n_inner": 72, "n_positions": 48,
                                           "vocab_size": 60, "qkv_proj_bias": True, "mlp_fc1_bias": True,
                                           "mlp_fc2_bias": True, "activation_function": "geglu"}),
    "hf_gte": ("NewModel", {**BERT, "max_position_embeddings": 48, "type_vocab_size": 0, "rope_theta": 500.0}),
    "hf_gte_ntk": ("NewModel", {**BERT, "max_position_embeddings": 48, "type_vocab_size": 2, "hidden_act": "relu",
                                "rope_scaling": {"type": "ntk", "factor": 8.0}, "rope_theta": 50.0}),
    "hf_ranks_gte": ("NewForSequenceClassification", {**BERT, "max_position_embeddings": 48, "num_labels": 3,
                                                      "rope_scaling": {"type": "ntk", "factor": 2.0}}),
    "hf_gpt2": ("GPT2LMHeadModel", {"n_embd": 48, "n_head": 4, "n_layer": 2, "vocab_size": 60, "n_positions": 40}),
    "hf_llama": ("LlamaForCausalLM", {**LLAMA, "attention_bias": True, "mlp_bias": True, "head_dim": 10,
                                      "rope_theta": 50000.0}),
    "hf_qwen2": ("Qwen2ForCausalLM", {**LLAMA, "tie_word_embeddings": True}),
    "hf_qwen3": ("Qwen3ForCausalLM", {**LLAMA, "head_dim": 12}),
    "hf_mistral": ("MistralForCausalLM", {**LLAMA, "sliding_window": 9}),
    "hf_vit": ("ViTForImageClassification", {"image_size": 24, "patch_size": 8, "hidden_size": 48, "num_labels": 7,
                                             "num_attention_heads": 4, "num_hidden_layers": 2,
                                             "intermediate_size": 80, "qkv_bias": False}),
    "hf_deit": ("DeiTForImageClassification", {"image_size": 24, "patch_size": 8, "hidden_size": 48, "num_labels": 7,
                                               "num_attention_heads": 4, "num_hidden_layers": 2,
                                               "intermediate_size": 80}),
}

# Heads that have one bias under two names in transformers 4, which saves it under the second, and two biases from 5 on.
ONE_BIAS = {"hf_words_one_bias": "lm_head", "hf_words_bert_one_bias": "cls.predictions",
            "hf_words_mpnet_one_bias": "lm_head"}

# How models are saved that are not saved as one file of F32: in what type, in shards of what size.
SAVED = {"hf_gpt2": (torch.float16, "1GB"), "hf_llama": (torch.float32, "30KB"), "hf_qwen3": (torch.bfloat16, "20KB"),
         "hf_distilbert": (torch.float64, "1GB")}

# Those that run.sh configures with a cache, and that go on from tokens.
GENERATING = ["hf_gpt2", "hf_llama", "hf_qwen2"]

# Those that run.sh configures with the attention of their layers.
ATTENDING = ["hf_bert", "hf_distilbert"]

# hf_bert is a sentence encoder: what sentence-transformers puts beside a model.
MODULES = [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
           for i, (kind, path) in enumerate([("Transformer", ""), ("Pooling", "1_Pooling"),
                                             ("Normalize", "2_Normalize")])]
SENTENCE = {
    "modules.json": MODULES,
    "sentence_bert_config.json": {"max_seq_length": 40, "do_lower_case": False},
    "1_Pooling/config.json": {"word_embedding_dimension": 48, "pooling_mode_cls_token": False,
                              "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
                              "pooling_mode_mean_sqrt_len_tokens": False},
}


def class_of(kind):
    """The class of a model by its name, None where there is none: the one here where its code comes with the model's
    folder, unless the name begins with "transformers."."""
    return getattr(custom_models, kind, None) or getattr(transformers, kind.removeprefix("transformers."), None)


def save_one_bias(path, head):
    """Saves again what transformers 5 has saved, as transformers 4 does, which is left as it is."""
    weights = load_file(path)
    weights[head + ".bias"] = weights.pop(head + ".decoder.bias", weights[head + ".bias"])
    save_file(weights, path, {"format": "pt"})


def make(folder):
    """Saves every model; vectors, which transformers starts at 0 and 1, are drawn too."""
    for name, (kind, settings) in MODELS.items():
        module = class_of(kind)
        module = module(module.config_class(**settings)).eval()
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.data += 0.3 * torch.randn(parameter.shape)
        dtype, shard = SAVED.get(name, (torch.float32, "1GB"))
        module.to(dtype).save_pretrained(folder / name, max_shard_size=shard)
        if name in ONE_BIAS:
            save_one_bias(folder / name / "model.safetensors", ONE_BIAS[name])
    for name, content in SENTENCE.items():
        path = folder / "hf_bert" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")


# -- The same in double precision -----------------------------------------------------------------------------------

@contextlib.contextmanager
def doubled():
    """Where transformers asks for float32, as in norms, softmax and angles, it gets double precision."""
    old = torch.float, torch.float32, torch.Tensor.float
    torch.float = torch.float32 = torch.float64
    torch.Tensor.float = torch.Tensor.double
    try:
        yield
    finally:
        torch.float, torch.float32, torch.Tensor.float = old


class ExactNorm(torch.nn.Module):
    """RMSNorm in the precision of its input; transformers' own goes over float32."""

    def __init__(self, norm):
        super().__init__()
        offset = 1 if type(norm).__name__.startswith("Gemma") else 0
        self.weight, self.eps = norm.weight + offset, norm.eps if offset else norm.variance_epsilon

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class ExactAngles(torch.nn.Module):
    """Rotary positions' cosines and sines; transformers' own angles are float32."""

    def __init__(self, config):
        super().__init__()
        d_head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        d_head = int(d_head * getattr(config, "partial_rotary_factor", 1))
        self.speeds = config.rope_theta ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        self.factor = 1.0
        scaling = getattr(config, "rope_scaling", None)
        if scaling:
            self.speeds, self.factor = self.scaled(config, scaling.get("rope_type") or scaling["type"])

    @staticmethod
    def scaled(config, kind):
        """Transformers' own speeds, in double precision, and factor, for the longest sequence."""
        old = torch.float
        torch.float = torch.float64
        try:
            return ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), seq_len=config.max_position_embeddings)
        finally:
            torch.float = old

    def forward(self, x, position_ids):
        angles = position_ids[..., None].double() * self.speeds
        angles = torch.cat([angles, angles], dim=-1)
        return (self.factor * angles.cos()).to(x.dtype), (self.factor * angles.sin()).to(x.dtype)


def exact(module):
    """The module in double precision, also where transformers goes back to float32."""
    module = module.double()
    for owner in list(module.modules()):
        for name, child in list(owner.named_children()):
            if type(child).__name__.endswith("RMSNorm"):
                setattr(owner, name, ExactNorm(child))
            elif type(child).__name__.endswith("RotaryEmbedding"):
                setattr(owner, name, ExactAngles(getattr(child, "config", module.config)))
    return module


# -- Comparing ------------------------------------------------------------------------------------------------------

def patches(module, pixels):
    """An image's rows as ViT or DeiT has them before it adds positions."""
    inner = getattr(module, module.base_model_prefix, module).embeddings
    rows = inner.patch_embeddings(pixels)
    tokens = [getattr(inner, name) for name in ("cls_token", "distillation_token") if hasattr(inner, name)]
    return torch.cat([token.expand(len(rows), -1, -1) for token in tokens] + [rows], dim=1)


def expected(module, inputs, attends):
    """What a module gives for one sequence, without the batch, by the program's names."""
    base = getattr(module, module.base_model_prefix, getattr(module, "model", module))
    of_base = base(**inputs, output_hidden_states=True, output_attentions=attends)
    wanted = {f"hidden_{i}": rows[0] for i, rows in enumerate(of_base.hidden_states[:-1])}
    wanted.update({f"attention_{i}": weights[0] for i, weights in enumerate(of_base.attentions if attends else [])})
    wanted["output"] = of_base.last_hidden_state[0]
    if base is not module:
        ranks = type(module).__name__.endswith("SequenceClassification")
        wanted["class_logits" if ranks else "logits"] = module(**inputs).logits[0]
    mean = wanted["output"].mean(dim=0)
    wanted["embedding"] = wanted["output"][0] if "pixel_values" in inputs else mean / mean.norm()
    return wanted


def sequences(module):
    """Inputs of several sequences for the module, one by one, and the same for the program, side by side."""
    config = module.config
    if config.model_type in ("vit", "deit"):
        images = torch.randn(3, 3, config.image_size, config.image_size)
        return [{"pixel_values": image[None]} for image in images], {"x": patches(module, images)}
    tokens = torch.randint(5, config.vocab_size, (len(LENGTHS), max(LENGTHS)))
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet"):  # whose padding takes no place
        tokens[:, 3::7] = tokens[:, 4] = config.pad_token_id
    given = {"tokens": tokens, "lengths": torch.tensor(LENGTHS)}
    ids = {"input_ids": tokens}
    if getattr(config, "type_vocab_size", 1) > 1:
        ids["token_type_ids"] = given["token_types"] = torch.randint(0, config.type_vocab_size, tokens.shape)
    return [{name: rows[b:b + 1, :length] for name, rows in ids.items()} for b, length in enumerate(LENGTHS)], given


def in_place(tensor, wanted, b):
    """What of the program's tensor stands for a sequence."""
    if wanted.dim() == 1:
        return tensor[b][0] if tensor.dim() == 3 else tensor[b]  # ViT's logits are those of row 0
    if wanted.dim() == 3:
        return tensor[b, :, :wanted.shape[1], :wanted.shape[1]]  # attention: heads, rows, keys
    return tensor[b, :len(wanted)]


class Comparison:
    """One program and the model it was made from, whose folder has its weights unless they are given. generates: it
    goes on from tokens; attends: it gives attention; pools: it gives an embedding."""

    def __init__(self, folder, program, kind, *, weights=None, generates=False, attends=False, pools=False):
        self.folder, self.program, self.name = folder, program, folder.name
        self.kind, self.weights = class_of(kind), weights or folder
        self.generates, self.attends, self.pools = generates, attends, pools
        self.passed = self.failed = 0
        self.largest = 0.0

    def run(self, given, outputs):
        with tempfile.TemporaryDirectory() as here:
            source, target = f"{here}/in.safetensors", f"{here}/out.safetensors"
            save_file({name: tensor.contiguous() for name, tensor in given.items()}, source)
            done = subprocess.run(
                [self.program, "run", "--weights", self.weights, "--input", source, "--output",
                 target, "--outputs", ",".join(outputs)], capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{self.name}: {done.stderr.strip()}")
            return load_file(target)

    def generate(self, given, *more):
        """The tokens of each sequence, those given among them."""
        with tempfile.TemporaryDirectory() as here:
            source, target = f"{here}/in.safetensors", f"{here}/out.safetensors"
            save_file(given, source)
            done = subprocess.run(
                [self.program, "generate", "--weights", self.weights, "--input", source,
                 "--output", target, "--new", str(NEW), *more], capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{self.name}: {done.stderr.strip()}")
            found = load_file(target)
            return [row[:length].tolist() for row, length in zip(found["tokens"], found["lengths"])]

    def compare_generated(self, module):
        """Tokens by the cache, and all computed anew for each: those of transformers' own greedy generate."""
        module.generation_config.eos_token_id = None
        tokens = torch.randint(5, module.config.vocab_size, (len(PROMPTS), max(PROMPTS)))
        wanted = [module.generate(tokens[b:b + 1, :length], do_sample=False, max_new_tokens=NEW, pad_token_id=0)
                  [0].tolist() for b, length in enumerate(PROMPTS)]
        stop = wanted[1][PROMPTS[1] + 3]
        stopped = [row[:row.index(stop, length) + 1] if stop in row[length:] else row
                   for row, length in zip(wanted, PROMPTS)]
        given = {"tokens": tokens, "lengths": torch.tensor(PROMPTS)}
        for more, rows in (([], wanted), (["--recompute"], wanted), (["--stop", str(stop)], stopped)):
            found = self.generate(given, *more)
            self.passed += found == rows
            self.failed += found != rows
            if found != rows:
                print(f"FAILED {self.name}, generate {' '.join(more)}: {found} in place of {rows}")

    def tell(self, what, ours, wanted, off):
        """ours may be off by twice what PyTorch's own float32 is in any of the sequences, and a little: which of them
        it is lucky in differs from machine to machine."""
        error, limit = (ours - wanted).abs().max().item(), 2 * off + 1e-6
        self.largest = max(self.largest, error)
        good = ours.shape == wanted.shape and error <= limit
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {self.name}, {what}: off by {error:.3g}, at most {limit:.3g}")

    def say(self):
        kind = f"{self.kind.__module__.split('.')[0]}.{self.kind.__name__}"
        print(f"{self.name}, {kind}: {self.passed} passed, {self.failed} failed, largest "
              f"difference {self.largest:.2g}")

    def run_all(self):
        attends = self.attends
        # What gives its weights, or caps its scores.
        way = {"attn_implementation": "eager"} if attends or "Gemma2" in self.kind.__name__ else {}
        module = self.kind.from_pretrained(self.folder, dtype=torch.float32, **way).eval()
        if self.name in ONE_BIAS:
            head = module.get_submodule(ONE_BIAS[self.name])
            head.decoder.bias = head.bias  # as transformers 4 has it
        alone, given = sequences(module)
        theirs = [expected(module, inputs, attends) for inputs in alone]
        module = exact(module)
        if self.generates:
            self.compare_generated(module)
        with doubled():
            wanted = [expected(module, {name: tensor.double() if tensor.is_floating_point() else tensor
                                        for name, tensor in inputs.items()}, attends) for inputs in alone]
        names = [name for name in wanted[0] if self.pools or name != "embedding"]
        found = self.run(given, names)
        for name in names:
            off = max((one[name] - real[name]).abs().max().item() for one, real in zip(theirs, wanted))
            for b, one in enumerate(wanted):
                self.tell(f"{name} of sequence {b}", in_place(found[name], one[name], b), one[name], off)


def comparisons(folder, programs):
    """One of each model."""
    for name, (kind, _) in MODELS.items():
        yield Comparison(folder / name, programs / name, kind, generates=name in GENERATING, attends=name in ATTENDING,
                         pools=name in ("hf_bert", "hf_vit", "hf_deit"))


def compare(all_comparisons):
    """(passed, failed) of all of them."""
    passed = failed = 0
    for comparison in all_comparisons:
        comparison.run_all()
        comparison.say()
        passed += comparison.passed
        failed += comparison.failed
    return passed, failed


def run(doc, make_all, comparisons_of):
    """The command line of a file of comparisons: what makes its models, and what compares them."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("command", choices=["make", "compare"])
    parser.add_argument("folder", type=pathlib.Path, help="of the models")
    parser.add_argument("programs", type=pathlib.Path, nargs="?", default="out/bin")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    with torch.no_grad():
        if options.command == "make":
            make_all(options.folder)
            return 0
        passed, failed = compare(comparisons_of(options.folder, options.programs))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(run(__doc__, make, comparisons))
