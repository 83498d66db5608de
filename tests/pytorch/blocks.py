#!/usr/bin/env python3
"""Blocks of whole models, each alone in a model of its own, against PyTorch's module of the same: embeddings with what
is added to them, norms, residuals, feed-forwards of every activation, pooling, a classifier, the last linear with its
softmax. `make
FOLDER` writes their specs; `compare BIN` holds the programs made from them against the modules in double precision. The
last line is 'N passed, N failed'; the exit status is 1 where one failed."""

import argparse
import copy
import math
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

LENGTHS = [1, 19, 40, 0, 7]
WIDTH, HIDDEN, IDS, TYPES, CLASSES = 45, 70, 33, 3, 51


# -- The modules, each from what the program's file of inputs holds for one sequence ----------------------------------

class Rows(nn.Module):
    """What BERT adds to a token's row, and the norm over it."""

    def __init__(self):
        super().__init__()
        self.tokens, self.types = nn.Embedding(IDS, WIDTH), nn.Embedding(TYPES, WIDTH)
        self.places, self.norm = nn.Embedding(40, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, tokens, token_types):
        return self.norm(self.tokens(tokens) + self.types(token_types) + self.places(torch.arange(len(tokens))))


class Waves(nn.Module):
    """A token's row as in "Attention Is All You Need": times sqrt(d_model), plus sines and cosines in turn; of an odd
    width there is a cosine less."""

    def __init__(self, width):
        super().__init__()
        self.tokens = nn.Embedding(IDS, width)

    def forward(self, tokens):
        width = self.tokens.weight.shape[1]
        speeds = 10000.0 ** (-torch.arange(0, width, 2).double() / width)
        angles = torch.arange(len(tokens)).double()[:, None] * speeds
        waves = torch.zeros(len(tokens), width, dtype=torch.float64)
        waves[:, 0::2], waves[:, 1::2] = angles.sin(), angles.cos()[:, :width // 2]
        return self.tokens(tokens) * math.sqrt(width) + waves.to(self.tokens.weight.dtype)


class Gated(nn.Module):
    """The feed-forward of a layer of Llama, joined to its rows, the norm before it."""

    def __init__(self, activation):
        super().__init__()
        self.norm, self.activation = nn.RMSNorm(WIDTH, eps=1e-6), activation
        self.gate_proj, self.up_proj = nn.Linear(WIDTH, HIDDEN, bias=False), nn.Linear(WIDTH, HIDDEN, bias=False)
        self.down_proj = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        normed = self.norm(x)
        return x + self.down_proj(self.activation(self.gate_proj(normed)) * self.up_proj(normed))


class Fused(nn.Module):
    """The feed-forward of a layer of ModernBERT, joined to its rows: one linear gives gate and up, chunked in two."""

    def __init__(self, activation):
        super().__init__()
        self.norm, self.activation = nn.LayerNorm(WIDTH), activation
        self.Wi, self.Wo = nn.Linear(WIDTH, 2 * HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        gate, up = self.Wi(self.norm(x)).chunk(2, dim=-1)
        return x + self.Wo(self.activation(gate) * up)


class Added(nn.Module):
    """A feed-forward joined to its rows, the norm after it."""

    def __init__(self):
        super().__init__()
        self.linear1, self.linear2, self.norm = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        return self.norm(x + self.linear2(torch.relu(self.linear1(x))))


class Joined(nn.Module):
    """Rows and what a sublayer made of them, added, and the norm after that, if there is one."""

    def __init__(self, norm):
        super().__init__()
        self.norm = norm

    def forward(self, x, sublayer):
        return self.norm(x + sublayer)


class Mean(nn.Module):
    def forward(self, x):
        return functional.normalize(x.mean(dim=0), dim=0)


class Classifier(nn.Module):
    """A classification head on the mean of a sequence's rows."""

    def __init__(self):
        super().__init__()
        self.dense, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        return self.out(functional.gelu(self.dense(x.mean(dim=0))))


def sequential(activation):
    return lambda: nn.Sequential(nn.Linear(WIDTH, HIDDEN), activation, nn.Linear(HIDDEN, WIDTH))


ALONE = """layer = { attention = false, residual = false }, norm = { kind = "none" }, d_ff = 70,
  weights = { up_weight = "0.weight", up_bias = "0.bias", down_weight = "2.weight", down_bias = "2.bias" },"""
GATED = """layer = { attention = false }, norm = { kind = "rms", place = "pre", final = false }, d_ff = 70,
  weights = { gate_weight = "gate_proj.weight", up_weight = "up_proj.weight", down_weight = "down_proj.weight",
    ffn_norm_weight = "norm.weight" },"""
FUSED = """layer = { attention = false }, norm = { place = "pre", final = false }, d_ff = 70,
  weights = { gate_up_weight = "Wi.weight", gate_up_bias = "Wi.bias", down_weight = "Wo.weight", down_bias = "Wo.bias",
    ffn_norm_weight = "norm.weight", ffn_norm_bias = "norm.bias" },"""
WAVES = """vocab_size = 33, positions = { kind = "sinusoidal" }, embedding = { scale = true },
  weights = { embedding = "tokens.weight" },"""
NORM = 'final_norm_weight = "weight"'
JOINED = 'final_norm_weight = "norm.weight"'

# Outputs that are one row of a sequence, and how wide.
OF_SEQUENCE = {"embedding": WIDTH, "class_logits": CLASSES}

# name: (module, layers, fields beside the common ones, output)
BLOCKS = {
    "block_rows": (Rows, 0, """vocab_size = 33, token_types = 3, positions = { kind = "learned" },
  embedding = { norm = true }, norm = { eps = 1e-12 }, weights = { embedding = "tokens.weight",
    token_types = "types.weight", positions = "places.weight", embedding_norm_weight = "norm.weight",
    embedding_norm_bias = "norm.bias" },""", "output"),
    "block_waves": (lambda: Waves(WIDTH + 1), 0, WAVES, "output"),
    "block_waves_odd": (lambda: Waves(WIDTH), 0, WAVES, "output"),
    "block_layer_norm": (lambda: nn.LayerNorm(WIDTH), 0,
                         f'norm = {{ final = true }}, weights = {{ {NORM}, final_norm_bias = "bias" }},', "output"),
    "block_rms_norm": (lambda: nn.RMSNorm(WIDTH, eps=1e-6), 0,
                       f'norm = {{ kind = "rms", final = true }}, weights = {{ {NORM} }},', "output"),
    "block_relu": (sequential(nn.ReLU()), 1, ALONE, "output"),
    "block_gelu": (sequential(nn.GELU()), 1, ALONE + 'ffn = { activation = "gelu" },', "output"),
    "block_gelu_tanh": (sequential(nn.GELU("tanh")), 1, ALONE + 'ffn = { activation = "gelu_tanh" },', "output"),
    "block_silu": (sequential(nn.SiLU()), 1, ALONE + 'ffn = { activation = "silu" },', "output"),
    "block_tanh": (sequential(nn.Tanh()), 1, ALONE + 'ffn = { activation = "tanh" },', "output"),
    "block_swiglu": (lambda: Gated(nn.SiLU()), 1,
                     GATED + 'ffn = { activation = "silu", gated = true, bias = false },', "output"),
    "block_geglu": (lambda: Fused(nn.GELU()), 1,
                    FUSED + 'ffn = { activation = "gelu", gated = true, fused = true },', "output"),
    "block_added": (Added, 1, """layer = { attention = false }, d_ff = 70,
  weights = { up_weight = "linear1.weight", up_bias = "linear1.bias", down_weight = "linear2.weight",
    down_bias = "linear2.bias", ffn_norm_weight = "norm.weight", ffn_norm_bias = "norm.bias" },""", "output"),
    "block_joined": (lambda: Joined(nn.LayerNorm(WIDTH)), 0, f"""sublayer = true, norm = {{ final = true }},
  weights = {{ {JOINED}, final_norm_bias = "norm.bias" }},""", "output"),
    "block_joined_rms": (lambda: Joined(nn.RMSNorm(WIDTH, eps=1e-6)), 0,
                         f'sublayer = true, norm = {{ kind = "rms", final = true }}, weights = {{ {JOINED} }},',
                         "output"),
    "block_joined_bare": (lambda: Joined(nn.Identity()), 0, 'sublayer = true, norm = { kind = "none" },', "output"),
    "block_mean": (Mean, 0, 'pool = { kind = "mean", normalize = true },', "embedding"),
    "block_classifier": (Classifier, 0, """pool = { kind = "mean" }, classifier = { labels = 51, activation = "gelu" },
  weights = { classifier_dense_weight = "dense.weight", classifier_dense_bias = "dense.bias",
    classifier_weight = "out.weight", classifier_bias = "out.bias" },""", "class_logits"),
    "block_softmax": (lambda: nn.Sequential(nn.Linear(WIDTH, CLASSES), nn.Softmax(-1)), 0,
                      """logits = { kind = "softmax", size = 51, bias = true },
  weights = { logits_weight = "0.weight", logits_bias = "0.bias" },""", "logits"),
    "block_log_softmax": (lambda: nn.Sequential(nn.Linear(WIDTH, CLASSES), nn.LogSoftmax(-1)), 0,
                          """logits = { kind = "log_softmax", size = 51, bias = true },
  weights = { logits_weight = "0.weight", logits_bias = "0.bias" },""", "logits"),
}


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (_, layers, fields, _) in BLOCKS.items():
        width = WIDTH + 1 if name == "block_waves" else WIDTH
        (folder / f"{name}.lua").write_text(
            f'return {{\n  kind = "encoder", name = "{name}", d_model = {width}, n_layers = {layers}, '
            f'seq_len = "1..40",\n  {fields}\n}}\n', encoding="utf-8")


# -- Comparing ------------------------------------------------------------------------------------------------------

def draw(module):
    """Vectors start at 0 and 1, where a lost one would not show."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            parameter += 0.3 * torch.randn_like(parameter)
    return module.eval()


def inputs_of(name):
    shape = len(LENGTHS), max(LENGTHS)
    if name == "block_rows":
        return {"tokens": torch.randint(0, IDS, shape), "token_types": torch.randint(0, TYPES, shape)}
    if name.startswith("block_waves"):
        return {"tokens": torch.randint(0, IDS, shape)}
    if name.startswith("block_joined"):
        return {"x": torch.randn(*shape, WIDTH), "sublayer": torch.randn(*shape, WIDTH)}
    return {"x": torch.randn(*shape, WIDTH)}


def run(program, module, given, output):
    with tempfile.TemporaryDirectory() as folder:
        files = {name: f"{folder}/{name}.safetensors" for name in ("weights", "in", "out")}
        save_file({**given, "lengths": torch.tensor(LENGTHS)}, files["in"])
        state = module.state_dict()
        save_file(state, files["weights"])
        command = [program, "run", "--input", files["in"], "--output", files["out"], "--outputs", output]
        done = subprocess.run(command + (["--weights", files["weights"]] if state else []), capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return load_file(files["out"])[output]


def expected(module, given, output, precision):
    """The module's output of every sequence, zeros after the lengths, as programs write them."""
    rows, module = [], copy.deepcopy(module).to(precision)
    for b, length in enumerate(LENGTHS):
        one = [tensor[b, :length].to(precision) if tensor.is_floating_point() else tensor[b, :length]
               for tensor in given.values()]
        width = OF_SEQUENCE.get(output)
        made = module(*one) if length or not width else torch.zeros(width, dtype=precision)
        rows.append(made if width else functional.pad(made, (0, 0, 0, max(LENGTHS) - length)))
    return torch.stack(rows)


def compare(programs):
    """(passed, failed) of all blocks: each at most twice as far off as PyTorch's own float32, and a little."""
    passed = failed = 0
    for name, (kind, _, _, output) in BLOCKS.items():
        module, given = draw(kind()), inputs_of(name)
        found = run(programs / name, module, given, output)
        theirs, exact = (expected(module, given, output, precision) for precision in (torch.float32, torch.float64))
        error, limit = (found - exact).abs().max().item(), 2 * (theirs - exact).abs().max().item() + 1e-6
        good = found.shape == exact.shape and error <= limit
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok' if good else 'FAILED'} {name}: off by {error:.2g}, at most {limit:.2g}")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["make", "compare"])
    parser.add_argument("folder", type=pathlib.Path, help="of the specs, or of the programs")
    options = parser.parse_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    if options.command == "make":
        make(options.folder)
        return 0
    with torch.no_grad():
        passed, failed = compare(options.folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
