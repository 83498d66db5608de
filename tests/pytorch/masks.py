"""Compares programs that take a mask with each call with live PyTorch: F.scaled_dot_product_attention,
nn.MultiheadAttention with attn_mask and key_padding_mask in all ways it gives its weights, and masked_fill as people
write it, each with masks of several shapes. Prints the largest error of each comparison; compare.py calls it."""

import math
import pathlib
import re
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

import modules

BATCH, Q_LEN, KV_LEN = 3, 13, 37


# -- What PyTorch makes of a mask -----------------------------------------------------------------------------------

def filled(q, k, v, mask, fill):
    """(x, attention, scores) by softmax of the whole padded matrix with masked_fill, a line that many modules share."""
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(mask == 0, fill)
    attention = scores.softmax(dim=-1)
    return attention @ v, attention, scores


class Filled(modules.FourLinears):
    """masked_fill between four linears, with the activations of the program's spec after them."""

    def __init__(self, program, fill):
        super().__init__(program.d_model, program.n_heads, modules.PROJECTIONS["w_o"])
        self.fill = fill
        modules.activate(self, self.names, program.spec)

    def ways(self, query, key, value, mask):
        heads = (self.split(project(x)) for project, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        x, attention, scores = filled(*heads, mask, self.fill)
        yield {"output": self.w_o(x.transpose(1, 2).flatten(-2)), "attention": attention, "scores": scores}


class FilledHeads(torch.nn.Module):
    """masked_fill in attention alone."""

    def __init__(self, _, fill):
        super().__init__()
        self.fill = fill

    def ways(self, query, key, value, mask):
        yield dict(zip(("output", "attention", "scores"), filled(query, key, value, mask, self.fill)))


class Dot(modules.FourLinears):
    """F.scaled_dot_product_attention between four linears; the attention is that of values which are a unit matrix."""

    def __init__(self, program):
        super().__init__(program.d_model, program.n_heads, modules.PROJECTIONS["w_o"])

    def ways(self, query, key, value, mask):
        q, k, v = (self.split(project(x)) for project, x in
                   ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        unit = torch.eye(k.shape[-2]).expand(*k.shape[:2], -1, -1)
        out, attention = (functional.scaled_dot_product_attention(q, k, x, attn_mask=mask) for x in (v, unit))
        yield {"output": self.w_o(out.transpose(1, 2).flatten(-2)), "attention": attention}


class Mha(torch.nn.MultiheadAttention):
    """nn.MultiheadAttention; of a mask [B,1,1,Lk] it makes its key_padding_mask, of any other its attn_mask. In eval
    mode its dropout is none."""

    def __init__(self, program, **options):
        self.options = options = {"dropout": 0.1, **options}
        super().__init__(program.d_model, program.n_heads, batch_first=True, **options)

    def masked(self, query, key, mask):
        hidden = ~mask if mask.dtype == torch.bool else mask
        if mask.shape[1:3] == (1, 1) and mask.shape[0] > 1:
            return {"key_padding_mask": hidden[:, 0, 0]}
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        return {"attn_mask": hidden.expand(shape).flatten(0, 1)}

    def ways(self, query, key, value, mask):
        """The weights of each head, their mean and none at all, with the batch as first axis and as second."""
        second = torch.nn.MultiheadAttention(self.embed_dim, self.num_heads, batch_first=False, **self.options).eval()
        second.load_state_dict(self.state_dict())
        turned, given = [x.transpose(0, 1) for x in (query, key, value)], self.masked(query, key, mask)
        for module, given_rows in ((self, (query, key, value)), (second, turned)):
            for name, wanted in (("attention", {"average_attn_weights": False}),
                                 ("attention_mean", {"average_attn_weights": True}), (None, {"need_weights": False})):
                output, weights = module(*given_rows, **wanted, **given)
                way = {"output": output if module is self else output.transpose(0, 1)}
                yield way | {name: weights} if name else way


# -- Masks ----------------------------------------------------------------------------------------------------------

def shapes(n_heads):
    """Of rank 4; a program is given them with leading axes of 1 left out too."""
    return [(1, 1, Q_LEN, KV_LEN), (BATCH, 1, 1, KV_LEN), (BATCH, 1, Q_LEN, KV_LEN), (BATCH, n_heads, Q_LEN, KV_LEN),
            (1, n_heads, 1, KV_LEN), (BATCH, 1, Q_LEN, 1)]


def random_mask(kind, shape):
    """Three quarters of it shown, and no row of keys hidden throughout."""
    shown = torch.rand(shape) < 0.75
    shown[..., 0] |= ~shown.any(dim=-1)
    return shown if kind == "bool" else torch.randn(shape).masked_fill(~shown, -math.inf)


def hide_rows(mask):
    """Every fifth row hidden throughout."""
    hidden = torch.zeros(mask.shape[-2], dtype=torch.bool)
    hidden[::5] = True
    return mask.masked_fill(hidden[:, None], False if mask.dtype == torch.bool else -math.inf)


def as_file(mask):
    """A mask as files hold it: axes of 1 in front may be left out, and Booleans come in four types."""
    if mask.shape[1] == 1:
        mask = mask[:, 0]
        mask = mask[0] if mask.shape[0] == 1 else mask
    types = (torch.bool, torch.uint8, torch.int32, torch.int64)
    return (mask.to(types[mask.dim() % 4]) if mask.dtype == torch.bool else mask).contiguous()


# -- Comparing ------------------------------------------------------------------------------------------------------

def difference(found, wanted):
    """Nothing, or what assert_close says of the first tensor that differs."""
    for name in wanted:
        try:
            torch.testing.assert_close(found[name], wanted[name])
        except (AssertionError, KeyError) as error:
            return f"{name}: {error}"
    return None


class Comparison:
    """One program and one module whose weights it reads; counts, and the largest error."""

    def __init__(self, program, module, layout, folder):
        self.program, self.module, self.layout = program, module.eval(), layout
        self.folder, self.passed, self.failed, self.error = pathlib.Path(folder), 0, 0, 0.0
        modules.spread(module)
        state = {name: value.contiguous() for name, value in module.state_dict().items()}
        save_file(state, self.weights)
        self.common = ["--weights", self.weights, "--weights-layout", layout] if state else []

    @property
    def weights(self):
        return self.folder / "weights.safetensors"

    def found(self, inputs, isa):
        source, output = self.folder / "in.safetensors", self.folder / "out.safetensors"
        save_file(inputs, source)
        ran = self.program.call("run", *self.common, "--input", source, "--output", output, "--isa", isa)
        return (load_file(output), None) if ran.returncode == 0 else ({}, f"run: {ran.stderr.strip()}")

    def compare(self, what, inputs, mask):
        """A call against each way in which the module gives its results under a mask of rank 4."""
        with torch.no_grad():
            query, key = inputs["query"], inputs["key"]
            wanted = list(self.module.ways(query, key, inputs.get("value", key), mask))
        missing = set(self.program.outputs).difference(*wanted)
        for isa in self.program.isas:
            found, why = self.found(inputs, isa)
            why = why or missing and f"nothing is compared with {missing}"
            for way in wanted:
                self.tell_one(f"{what} on {isa}", found, way, why)

    def tell_one(self, what, found, way, why):
        way = {name: tensor for name, tensor in way.items() if name in self.program.outputs}
        why = why or difference(found, way)
        self.passed += why is None
        self.failed += why is not None
        if why is not None:
            print(f"FAILED {self.program.name}, {what}: {' '.join(str(why).split())}")
            return
        for name in way:
            apart = (found[name] - way[name])[way[name].isfinite()].abs()
            self.error = max(self.error, apart.max().item())

    def tell(self, what):
        print(f"{self.program.name}, {what}: largest error {self.error:.2g}, "
              f"{self.passed} passed, {self.failed} failed")
        return self.passed, self.failed


def fill_of(program):
    fill = modules.number_of(program.spec, "mask_fill")
    return -math.inf if fill is None else fill


def is_sdpa(program):
    return 'kind = "sdpa"' in program.spec


def is_one(program):
    """Whether it is a program that this file has a module for; attention alone with -inf is forms.py's."""
    return program.takes_mask and (fill_of(program) > -math.inf or not is_sdpa(program))


def padded_mask(program, mask, kv_lengths):
    """A mask together with lengths and, where the program is causal, the causal one: the whole matrix."""
    shown = mask & (torch.arange(KV_LEN) < kv_lengths[:, None])[:, None, None]
    return shown & torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril() if program.causal else shown


def rows(program, length):
    """Rows as they are projected, or heads where the program takes those."""
    if is_sdpa(program):
        return torch.randn(BATCH, program.n_heads, length, program.d_model // program.n_heads)
    return torch.randn(BATCH, length, program.d_model)


def compare_filled(program, folder):
    module = (FilledHeads if is_sdpa(program) else Filled)(program, fill_of(program))
    comparison = Comparison(program, module, "w_o", folder)
    for shape in shapes(program.n_heads):
        for hide in (hide_rows, lambda mask: mask):
            mask = hide(random_mask("bool", shape).expand(-1, -1, shape[2], -1).clone())
            kv_lengths = torch.tensor([KV_LEN, 0, 5])
            inputs = {"query": rows(program, Q_LEN), "key": rows(program, KV_LEN), "mask": as_file(mask),
                      "kv_lengths": kv_lengths}
            comparison.compare(f"a mask {list(shape)}", inputs, padded_mask(program, mask, kv_lengths))
    return comparison.tell(f"masked_fill with {fill_of(program):g}")


def compare_module(program, kind, what, module, layout, folder, hides):
    comparison = Comparison(program, module, layout, folder)
    for shape in shapes(program.n_heads):
        masks = [random_mask(kind, shape)] + ([hide_rows(random_mask(kind, shape))] if hides else [])
        for mask in masks:
            inputs = {"query": rows(program, Q_LEN), "key": rows(program, KV_LEN), "value": rows(program, KV_LEN),
                      "mask": as_file(mask)}
            comparison.compare(f"{what}, a mask {list(shape)}", inputs, mask)
    return comparison.tell(what)


def refuse_nan(program):
    """(passed, failed): a NaN somewhere in an added mask is told, with its place, and nothing is run."""
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(program, Mha(program, add_bias_kv=True), "torch_mha", folder)
        for at in (0, 20, KV_LEN - 1):
            mask = torch.zeros(Q_LEN, KV_LEN)
            mask[5, at] = math.nan
            query, key = torch.randn(1, Q_LEN, program.d_model), torch.randn(1, KV_LEN, program.d_model)
            _, why = comparison.found({"query": query, "key": key, "mask": mask}, program.isas[0])
            told = why is not None and f"additive_mask[0][0][5][{at}] is nan" in why
            comparison.passed += told
            comparison.failed += not told
        return comparison.tell("a NaN in a mask")


def compare_all(program):
    """(passed, failed) of one program with each module it can be compared with."""
    kind = re.search(r'tensor = "(\w+)"', program.spec).group(1)
    with tempfile.TemporaryDirectory() as folder:
        if fill_of(program) > -math.inf:
            return [compare_filled(program, folder)]
        keys = {name: f"{name} = true" in program.spec for name in ("add_bias_kv", "add_zero_attn")}
        bias = "bias = false" not in program.spec
        said = [*filter(keys.get, keys), *([] if bias else ["bias=False"])]
        mha, what = Mha(program, bias=bias, **keys), " ".join(["nn.MultiheadAttention", *said])
        counts = [compare_module(program, kind, what, mha, "torch_mha", folder, any(keys.values()))]
        if kind == "additive":
            counts.append(refuse_nan(program))
        if not any(keys.values()):
            dot = Dot(program)
            counts.append(compare_module(program, kind, "F.scaled_dot_product_attention", dot, "w_o", folder, True))
        return counts
