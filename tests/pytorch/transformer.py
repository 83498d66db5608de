"""Compares whole transformers with live modules: the one of the well-known tutorial of "Attention Is All You Need",
written out here under its parameters' names, from token ids of source and target to logits, and torch.nn.Transformer.
Arguments: the programs. The last line printed is 'N passed, N failed'."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch import nn

BATCH, SRC_VOCAB, TRG_VOCAB = 3, 53, 61


class Attention(nn.Module):
    """w_q, w_k, w_v, heads, softmax, w_concat."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.fill = n_heads, -math.inf
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v, self.w_concat = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask):
        def split(x):
            return x.view(x.shape[0], x.shape[1], self.n_heads, -1).transpose(1, 2)
        q, k, v = split(self.w_q(q)), split(self.w_k(k)), split(self.w_v(v))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        weights = torch.softmax(scores.masked_fill(~mask, self.fill), dim=-1)
        x = (weights @ v).transpose(1, 2)
        return self.w_concat(x.reshape(x.shape[0], x.shape[1], -1))


class Norm(nn.Module):
    """LayerNorm with parameters called gamma and beta."""

    def __init__(self, d_model, eps=1e-12):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return self.gamma * centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + self.eps) + self.beta


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, d_ff, n_heads):
        super().__init__()
        self.attention, self.norm1 = Attention(d_model, n_heads), Norm(d_model)
        self.ffn, self.norm2 = FeedForward(d_model, d_ff), Norm(d_model)

    def forward(self, x, src_mask):
        x = self.norm1(x + self.attention(x, x, x, src_mask))
        return self.norm2(x + self.ffn(x))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, d_ff, n_heads):
        super().__init__()
        self.self_attention, self.norm1 = Attention(d_model, n_heads), Norm(d_model)
        self.enc_dec_attention, self.norm2 = Attention(d_model, n_heads), Norm(d_model)
        self.ffn, self.norm3 = FeedForward(d_model, d_ff), Norm(d_model)

    def forward(self, x, memory, trg_mask, src_mask):
        x = self.norm1(x + self.self_attention(x, x, x, trg_mask))
        x = self.norm2(x + self.enc_dec_attention(x, memory, memory, src_mask))
        return self.norm3(x + self.ffn(x))


class Embedding(nn.Module):
    """Token embeddings plus sines and cosines in turn."""

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        x = self.tok_emb(ids)
        place = torch.arange(ids.shape[1], dtype=torch.float64)[:, None]
        angle = place / 10000 ** (torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
        waves = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
        return x + waves.to(x.dtype)


class Side(nn.Module):
    def __init__(self, vocab_size, layers, linear=None):
        super().__init__()
        self.emb = Embedding(vocab_size, layers[0].norm1.gamma.shape[0])
        self.layers = nn.ModuleList(layers)
        if linear is not None:
            self.linear = linear


class Tutorial(nn.Module):
    def __init__(self, d_model, d_ff, n_heads, n_layers):
        super().__init__()
        sizes = d_model, d_ff, n_heads
        self.encoder = Side(SRC_VOCAB, [EncoderLayer(*sizes) for _ in range(n_layers)])
        self.decoder = Side(TRG_VOCAB, [DecoderLayer(*sizes) for _ in range(n_layers)], nn.Linear(d_model, TRG_VOCAB))

    def forward(self, src, trg, src_lengths):
        src_mask = (torch.arange(src.shape[1]) < src_lengths[:, None])[:, None, None, :]
        trg_mask = torch.ones(trg.shape[1], trg.shape[1], dtype=torch.bool).tril()
        return self.masked(src, trg, src_mask, trg_mask, src_mask)

    def masked(self, src, trg, src_mask, trg_mask, memory_mask):
        memory, x = self.encoder.emb(src), self.decoder.emb(trg)
        for layer in self.encoder.layers:
            memory = layer(memory, src_mask)
        for layer in self.decoder.layers:
            x = layer(x, memory, trg_mask, memory_mask)
        return self.decoder.linear(x)


def randomize(module):
    """Weights that bend activations and make attention sharp; norms near one."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
            else:
                parameter.uniform_(-0.5, 0.5)
                parameter += name.endswith(("gamma", "weight"))
    return module.eval()


def blank(x, lengths):
    """Rows past the lengths as zeros, which is how programs write them."""
    return x * (torch.arange(x.shape[1]) < lengths[:, None])[..., None]


def tolerance(got, exact):
    """No worse than twice what PyTorch's own floats lose, and a few of the largest number's last places."""
    return 2 * (got - exact).abs().max().item() + 4 * 2.0 ** -23 * exact.abs().max().item()


class Comparison:
    """One program with one file of weights: its calls, its counts."""

    def __init__(self, path, module, folder):
        self.path, self.folder, self.passed, self.failed, self.largest = path, pathlib.Path(folder), 0, 0, 0.0
        info = json.loads(subprocess.run([path, "info", "--json"], check=True, capture_output=True, text=True).stdout)
        self.isas = [variant["isa"] for variant in info["variants"] if variant["runs_here"]]
        self.weights = self.folder / "weights.safetensors"
        save_file({name: value.contiguous() for name, value in module.state_dict().items()}, self.weights)

    def run(self, tensors, name, wanted, exact):
        """One output of a call on every instruction set, held against what PyTorch gives in float and in double."""
        given, out = self.folder / "in.safetensors", self.folder / "out.safetensors"
        save_file(tensors, given)
        for isa in self.isas:
            ran = subprocess.run([self.path, "run", "--weights", self.weights, "--input", given, "--output", out,
                                  "--outputs", name, "--isa", isa], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                self.tell(False, f"{isa}: {ran.stderr}")
                continue
            error = (load_file(out)[name].double() - exact).abs().max().item()
            self.largest = max(self.largest, error)
            self.tell(error <= tolerance(wanted.double(), exact), f"{isa}: {name} is {error:.3g} off, "
                      f"PyTorch's floats {(wanted.double() - exact).abs().max().item():.3g}")

    def tell(self, good, text):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAIL {self.path}: {text}")


    def generate(self, tensors, wanted):
        """Tokens after tokens by a cache, and by computing everything anew: those PyTorch gives, both ways."""
        given, out = self.folder / "in.safetensors", self.folder / "out.safetensors"
        save_file(tensors, given)
        for way in ([], ["--recompute"]):
            ran = subprocess.run([self.path, "generate", "--weights", self.weights, "--input", given, "--output", out,
                                  "--new", str(NEW), *way], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                self.tell(False, ran.stderr)
                continue
            found = load_file(out)
            for b, tokens in enumerate(wanted):
                self.tell(found["tokens"][b, :found["lengths"][b]].tolist() == tokens, f"sequence {b} goes on otherwise"
                          f"{' '.join(['', *way])}: {found['tokens'][b].tolist()} in place of {tokens}")


NEW = 20  # tokens to generate
LENGTHS = ((1, 1), (5, 9), (40, 17), (23, 40))  # of source and target


def lengths(src_len, trg_len):
    return (torch.tensor([src_len, max(1, src_len // 2), 1], dtype=torch.int32),
            torch.tensor([trg_len, 1, max(1, trg_len // 3)], dtype=torch.int32))


def compare_tutorial(path, folder):
    """From token ids to logits."""
    model = randomize(Tutorial(48, 96, 4, 2))
    comparison = Comparison(path, model, folder)
    for src_len, trg_len in LENGTHS:
        src, trg = torch.randint(0, SRC_VOCAB, (BATCH, src_len)), torch.randint(0, TRG_VOCAB, (BATCH, trg_len))
        src_lengths, trg_lengths = lengths(src_len, trg_len)
        with torch.no_grad():
            wanted = blank(model.float()(src, trg, src_lengths), trg_lengths)
            exact = blank(model.double()(src, trg, src_lengths), trg_lengths)
        comparison.run({"src": src, "trg": trg, "src_lengths": src_lengths, "trg_lengths": trg_lengths}, "logits",
                       wanted, exact)
    compare_generated(comparison, model)
    return comparison


def compare_tutorial_masks(path, folder, fill):
    """The same as the tutorial calls it: padding is a token, which masks of source, target and memory hide with a
    number; the mask of the memory has a row for all of the target, or one for each, which hides all from padding."""
    model = randomize(Tutorial(48, 96, 4, 2))
    for attention in (module for module in model.modules() if isinstance(module, Attention)):
        attention.fill = fill
    comparison = Comparison(path, model, folder)
    for src_len, trg_len in LENGTHS:
        src, trg = torch.randint(0, SRC_VOCAB, (BATCH, src_len)), torch.randint(0, TRG_VOCAB, (BATCH, trg_len))
        src_lengths, trg_lengths = lengths(src_len, trg_len)
        src_real = (torch.arange(src_len) < src_lengths[:, None])[:, None, None, :]
        trg_real = (torch.arange(trg_len) < trg_lengths[:, None])[:, None, :, None]
        trg_mask = trg_real.mT & torch.ones(trg_len, trg_len, dtype=torch.bool).tril()
        for memory_mask in (src_real, src_real & trg_real):
            with torch.no_grad():
                wanted, exact = (model.to(kind).masked(src, trg, src_real, trg_mask, memory_mask)
                                 for kind in (torch.float32, torch.float64))
            comparison.run({"src": src, "trg": trg, "src_mask": src_real, "trg_mask": trg_mask,
                            "memory_mask": memory_mask.clone()}, "logits", wanted, exact)
    return comparison


def greedy(model, src, trg):
    """What a sequence goes on with, everything computed anew for each token."""
    for _ in range(NEW):
        logits = model(src[None], trg[None], torch.tensor([src.shape[0]]))
        trg = torch.cat([trg, logits[0, -1:].argmax(-1)])
    return trg.tolist()


def compare_generated(comparison, model):
    src, trg = torch.randint(0, SRC_VOCAB, (BATCH, 13)), torch.randint(0, TRG_VOCAB, (BATCH, 6))
    src_lengths, trg_lengths = lengths(13, 6)
    with torch.no_grad():
        wanted = [greedy(model.double(), src[b, :src_lengths[b]], trg[b, :trg_lengths[b]]) for b in range(BATCH)]
    comparison.generate({"src": src, "trg": trg, "src_lengths": src_lengths, "trg_lengths": trg_lengths}, wanted)


def masks(src_len, trg_len, additive):
    """One for both and one between them, of shapes that broadcast: every row sees itself, and some of the others."""
    src = torch.rand(BATCH, 4, src_len, src_len) < 0.6
    trg = torch.rand(trg_len, trg_len) < 0.7
    memory = torch.rand(BATCH, 4, trg_len, src_len) < 0.6
    memory[..., 0] = True
    shown = src | torch.eye(src_len, dtype=torch.bool), trg | torch.eye(trg_len, dtype=torch.bool), memory
    return [torch.randn(one.shape).masked_fill(~one, -math.inf) if additive else one for one in shown]


def compare_masks(comparison, model, additive):
    """nn.Transformer's src_mask, tgt_mask and memory_mask, beside the causal one that a decoder has anyway."""
    for src_len, trg_len in LENGTHS:
        src, trg = torch.randn(BATCH, src_len, 48), torch.randn(BATCH, trg_len, 48)
        src_mask, trg_mask, memory_mask = masks(src_len, trg_len, additive)
        causal = torch.ones(trg_len, trg_len, dtype=torch.bool).triu(1)
        with torch.no_grad():
            wanted, exact = (
                model.to(kind)(src.to(kind), trg.to(kind),
                               src_mask=(src_mask.to(kind) if additive else ~src_mask).flatten(0, 1),
                               tgt_mask=(trg_mask.to(kind).masked_fill(causal, -math.inf) if additive
                                         else ~trg_mask | causal),
                               memory_mask=(memory_mask.to(kind) if additive else ~memory_mask).flatten(0, 1))
                for kind in (torch.float32, torch.float64))
        comparison.run({"src": src, "trg": trg, "src_mask": src_mask, "trg_mask": trg_mask,
                        "memory_mask": memory_mask}, "output", wanted, exact)


def compare_torch(path, folder, norm_first):
    """torch.nn.Transformer, from rows to rows, and its decoder alone over what its encoder gave."""
    model = randomize(nn.Transformer(48, 4, 2, 1, 96, dropout=0, norm_first=norm_first, batch_first=True))
    comparison = Comparison(path, model, folder)
    for src_len, trg_len in LENGTHS:
        src, trg = torch.randn(BATCH, src_len, 48), torch.randn(BATCH, trg_len, 48)
        src_lengths, _ = lengths(src_len, trg_len)
        padding = torch.arange(src_len) >= src_lengths[:, None]
        causal = torch.ones(trg_len, trg_len, dtype=torch.bool).triu(1)
        with torch.no_grad():
            wanted, exact = (model.to(kind)(src.to(kind), trg.to(kind), tgt_mask=causal, src_key_padding_mask=padding,
                                            memory_key_padding_mask=padding) for kind in (torch.float32, torch.float64))
        comparison.run({"src": src, "trg": trg, "src_lengths": src_lengths}, "output", wanted, exact)
        with torch.no_grad():
            memory = model.float().encoder(src, src_key_padding_mask=padding)
            wanted, exact = (model.to(kind).decoder(trg.to(kind), memory.to(kind), tgt_mask=causal,
                                                    memory_key_padding_mask=padding)
                             for kind in (torch.float32, torch.float64))
        comparison.run({"memory": memory, "trg": trg, "memory_lengths": src_lengths}, "output", wanted, exact)
    compare_masks(comparison, model, additive=norm_first)
    return comparison


COMPARISONS = {
    "live_tutorial": compare_tutorial,
    "live_tutorial_masks": lambda path, folder: compare_tutorial_masks(path, folder, -1e-12),
    "live_tutorial_fill": lambda path, folder: compare_tutorial_masks(path, folder, -1e9),
    "live_transformer_post": lambda path, folder: compare_torch(path, folder, False),
    "live_transformer_pre": lambda path, folder: compare_torch(path, folder, True),
}


def main():
    passed = failed = 0
    torch.backends.mha.set_fastpath_enabled(False)  # which makes NaN of a mask of numbers
    for path in sys.argv[1:]:
        torch.manual_seed(7)
        with tempfile.TemporaryDirectory() as folder:
            comparison = COMPARISONS[pathlib.Path(path).name](path, folder)
        print(f"{path}, on {', '.join(comparison.isas)}: {comparison.passed} passed, {comparison.failed} failed, "
              f"largest difference {comparison.largest:.2g}")
        passed, failed = passed + comparison.passed, failed + comparison.failed
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
