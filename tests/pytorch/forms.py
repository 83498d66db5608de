"""Programs of other forms than four linears of one width, which compare.py hands over: rows of key and value of other
widths, no output projection, attention alone, one projection for all heads, intermediates. Random weights and inputs,
ragged lengths, every instruction set this CPU has."""

import json
import pathlib
import re
import subprocess
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import modules


class Program:
    """A program with what its form depends on."""

    def __init__(self, path):
        self.path = path
        info = json.loads(self.call("info", "--json").stdout)
        shape = info["shape"]
        self.name, self.d_model, self.n_heads = info["model"], shape["d_model"], shape["n_heads"]
        self.n_kv_heads, self.d_head = shape["n_kv_heads"], shape["d_head"]
        self.k_dim, self.v_dim, self.d_out = shape["k_dim"], shape["v_dim"], shape["d_out"]
        self.d_v, self.is_sdpa = shape["d_v"], shape["kind"] == "sdpa"
        self.q_range, self.kv_range = shape["seq_len"], shape["kv_seq_len"]
        self.isas = [variant["isa"] for variant in info["variants"] if variant["runs_here"]]
        self.layouts = [layout["layout"] for layout in info["layouts"]]
        self.linears = {layout["layout"]: {source["tensor"] for source in layout["sources"]
                                           if source["role"].endswith("_weight")}
                        for layout in info["layouts"]}
        self.roles = {role["role"] for role in info["weights"]}
        self.inputs, self.outputs, self.spec = info["inputs"], info["outputs"], info["spec"]
        self.fill = modules.number_of(self.spec, "mask_fill")
        prefix = re.search(r'weights_prefix = "([^"]*)"', info["spec"])
        self.prefix = prefix.group(1) if prefix else ""
        self.said = dict(re.findall(r'(\w+) = "?(\w+)"?', info["spec"]))
        self.is_causal = self.said.get("causal") in ("true", "top_left")

    def is_other(self):
        """Whether it is of a form that this file knows."""
        return (len({self.d_model, self.k_dim, self.v_dim, self.d_out}) > 1
                or {"projections", "kind", "heads"} & set(self.said) or len(self.outputs) > 2)

    def has_role(self, name):
        return name in self.roles

    def call(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, check=False)


def heads(x, n):
    """[B, L, n * d] -> [B, n, L, d]"""
    return x.unflatten(-1, (n, -1)).transpose(1, 2)


# -- Modules: each gives its state_dict and all tensors a program of its form may write ------------------------------

class Linears(nn.Module):
    """Attention between linears, with every intermediate under its name; w_o only where the form has one."""

    def __init__(self, program):
        super().__init__()
        self.p = p = program
        bias = p.said.get("bias") != "false"
        self.w_q = nn.Linear(p.d_model, p.n_heads * p.d_head, bias)
        self.w_k = nn.Linear(p.k_dim, p.n_kv_heads * p.d_head, bias)
        self.w_v = nn.Linear(p.v_dim, p.n_kv_heads * p.d_head, bias)
        if p.said.get("heads") == "shared":  # split first, then one linear for all heads
            self.w_q, self.w_k, self.w_v = (nn.Linear(p.d_head, p.d_head, bias) for _ in range(3))
        if p.said.get("projections") != "qkv":
            self.w_o = nn.Linear(p.n_heads * p.d_head, p.d_out, bias)
        modules.activate(self, ("w_q", "w_k", "w_v", "w_o"), p.spec)

    def forward(self, query, key, value, allowed):
        p, group = self.p, self.p.n_heads // self.p.n_kv_heads
        linears = ((self.w_q, query, p.n_heads), (self.w_k, key, p.n_kv_heads), (self.w_v, value, p.n_kv_heads))
        if p.said.get("heads") == "shared":
            q, k, v = (linear(heads(x, n)) for linear, x, n in linears)
        else:
            q, k, v = (heads(linear(x), n) for linear, x, n in linears)
        given = {"q_heads": q, "k_heads": k, "v_heads": v}
        given |= {f"{name}_proj": x.transpose(1, 2).flatten(-2) for name, x in zip("qkv", (q, k, v))}
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        scores = (q @ k.mT / p.d_head ** 0.5).masked_fill(~allowed, -torch.inf if p.fill is None else p.fill)
        attention = scores.softmax(-1)
        x = (attention @ v).transpose(1, 2).flatten(-2)
        return given | {"output": self.w_o(x) if hasattr(self, "w_o") else x, "attention": attention, "scores": scores,
                        "x_heads": attention @ v, "x_concat": x}


class TorchMha(nn.MultiheadAttention):
    """torch.nn.MultiheadAttention with kdim and vdim, and the key and value that it can learn."""

    def __init__(self, program):
        super().__init__(program.d_model, program.n_heads, kdim=program.k_dim, vdim=program.v_dim, batch_first=True,
                         add_bias_kv=program.has_role("bias_k"))

    def forward(self, query, key, value, allowed):
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        output, attention = super().forward(query, key, value, attn_mask=~allowed.expand(shape).flatten(0, 1),
                                            need_weights=True, average_attn_weights=False)
        return {"output": output, "attention": attention}


class Sdpa(nn.Module):
    """torch.nn.functional.scaled_dot_product_attention; with unit values it gives its weights."""

    def __init__(self, program):
        super().__init__()
        self.options = {"enable_gqa": program.n_kv_heads != program.n_heads,
                        "scale": modules.number_of(program.spec, "scale")}
        self.is_causal = program.is_causal

    def forward(self, query, key, value, seen):
        """seen: a mask of booleans, or of numbers that are added."""
        unit = torch.eye(key.shape[-2]).expand(*key.shape[:2], -1, -1)
        options = dict(self.options)
        if seen.dtype == torch.bool and (seen.all() or self.is_causal and seen.equal(torch.ones_like(seen).tril())):
            options["is_causal"] = self.is_causal
        else:
            options["attn_mask"] = seen
        added = torch.zeros(seen.shape).masked_fill(~seen, -torch.inf) if seen.dtype == torch.bool else seen
        return {"output": scaled_dot_product_attention(query, key, value, **options),
                "attention": scaled_dot_product_attention(query, key, unit, **options),
                "scores": self.scores(query, key) + added}

    def scores(self, query, key):
        key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
        return query @ key.mT * (self.options["scale"] or query.shape[-1] ** -0.5)


FORMS = {"w_o": Linears, "torch_mha": TorchMha, "none": Sdpa}


# -- Calls ----------------------------------------------------------------------------------------------------------

def added_mask(*shape):
    """Numbers that are added to scores, a quarter of them -inf, every seventh row -inf throughout."""
    mask = torch.randn(shape).masked_fill(torch.rand(shape) < 0.25, -torch.inf)
    mask[..., ::7, :] = -torch.inf
    return mask


def cases(program):
    """(name, inputs by name): self-attention where rows are of one width, lengths where they are taken."""
    q_max, kv_max = program.q_range["max"], program.kv_range["max"]
    q_len = max(program.q_range["min"], 2 * q_max // 3)
    kv_len = max(program.kv_range["min"], min(kv_max, q_len + 5))
    heads_of = program.n_heads, program.n_kv_heads, program.n_kv_heads
    widths = program.d_model, program.k_dim, program.v_dim

    def rows(batch, *lens):
        shapes = [(*batch, length, width) for length, width in zip(lens, widths)]
        if program.is_sdpa:
            shapes = [(*batch, n, length, width // n) for length, width, n in zip(lens, widths, heads_of)]
        return {name: torch.randn(shape) for name, shape in zip(("query", "key", "value"), shapes)}

    if program.is_sdpa and program.n_heads == 1:
        yield "one head", {"query": torch.randn(q_len, widths[0]), "key": torch.randn(kv_len, widths[1]),
                           "value": torch.randn(kv_len, widths[2])}
    if len(set(widths)) == 1:
        yield "one sequence", rows((), q_len)
        yield "self", rows((2,), q_max)
    yield "one sequence, all three", rows((), q_len, kv_len, kv_len)
    yield "all three", rows((3,), q_max, kv_max, kv_max)
    yield "shortest", rows((2,), program.q_range["min"], program.kv_range["min"], program.kv_range["min"])
    if "kv_lengths" in program.inputs:
        shortest = 1 if program.fill is None else 0  # masked_fill has an answer for rows without keys
        yield "ragged", {**rows((4,), q_len, kv_len, kv_len), "q_lengths": torch.randint(0, q_len + 1, (4,)),
                         "kv_lengths": torch.randint(shortest, kv_len + 1, (4,))}
    if "mask" in program.inputs:
        yield "mask", {**rows((), q_len, kv_len, kv_len), "mask": added_mask(q_len, kv_len)}
        yield "mask, ragged", {**rows((3,), q_len, kv_len, kv_len), "mask": added_mask(3, q_len, kv_len),
                               "q_lengths": torch.randint(0, q_len + 1, (3,)),
                               "kv_lengths": torch.randint(1, kv_len + 1, (3,))}


def expected(program, module, inputs):
    """Every tensor the module gives, with the rows past each q length written as zeros."""
    query = inputs["query"]
    key = inputs.get("key", query)
    value = inputs.get("value", key)
    added = 3 + program.is_sdpa - query.dim()
    q, k, v = (tensor[(None,) * added] for tensor in (query, key, value))
    allowed = modules.allowed_keys(q.shape[0], q.shape[-2], k.shape[-2], inputs.get("kv_lengths"),
                                   program.is_causal)
    if "mask" in inputs:
        mask = inputs["mask"]
        allowed = (mask[:, None] if mask.dim() == 3 else mask).masked_fill(~allowed, -torch.inf)
    with torch.no_grad():
        given = module(q, k, v, allowed)
    if "q_lengths" in inputs:
        for name, tensor in given.items():
            if name[0] in "kv" and program.fill is not None:
                continue  # masked_fill over the whole matrix needs the keys of padding too
            lengths = inputs["kv_lengths" if name[0] in "kv" else "q_lengths"]
            past = torch.arange(tensor.shape[-2]) >= lengths[:, None]
            given[name] = tensor.masked_fill((past[:, None] if tensor.dim() == 4 else past)[..., None], 0)
    given["output"] = given["output"][(0,) * added]
    return given


class Comparison:
    """One program under one map."""

    def __init__(self, program, layout, folder, module=None):
        self.program, self.layout, self.folder = program, layout, pathlib.Path(folder)
        self.passed, self.failed, self.largest = 0, 0, 0.0
        self.module = (module or FORMS[layout](program)).eval()
        modules.spread(self.module)
        self.weights = self.folder / "weights.safetensors"
        state = {name: tensor.contiguous() for name, tensor in self.module.state_dict().items()}
        self.save(state)
        self.common = ["--weights", self.weights, "--weights-layout", self.layout] if state else []

    def save(self, state):
        save_file({self.program.prefix + name: tensor for name, tensor in state.items()}, self.weights)

    def cases(self):
        return cases(self.program)

    def expected(self, inputs):
        return expected(self.program, self.module, inputs)

    def tell(self, good, what, why):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {self.program.name}, {self.layout}, {what}: {' '.join(str(why).split())}")

    def difference(self, found, wanted):
        if set(found) != set(self.program.outputs):
            return f"wrote {sorted(found)}, said {sorted(self.program.outputs)}"
        for name in found:
            try:
                torch.testing.assert_close(found[name], wanted[name])
            except AssertionError as error:
                return f"{name}: {error}"
            apart = (found[name] - wanted[name])[wanted[name].isfinite()].abs()
            self.largest = max(self.largest, apart.max().item() if apart.numel() else 0)
        return None

    def run(self, what, isa, inputs, wanted):
        """`run` writes PyTorch's results, and `check` agrees but where one element is off."""
        source, output, results = (self.folder / f"{name}.safetensors" for name in ("in", "out", "expected"))
        save_file({name: tensor.contiguous() for name, tensor in inputs.items()}, source)
        common = [*self.common, "--input", source, "--isa", isa]
        ran = self.program.call("run", *common, "--output", output)
        why = ran.stderr if ran.returncode else self.difference(load_file(output), wanted)
        self.tell(not why, what, why)
        if why:
            return
        given = {name: wanted[name].clone().contiguous() for name in self.program.outputs}
        for name in [None, *given]:
            if name:
                last = given[name].view(-1)[-1]
                last += 0.01 * last.abs().clamp(min=1) if last.isfinite() else 0
            save_file(given, results)
            checked = self.program.call("check", *common, "--expected", results)
            right = 0 if not name or not given[name].view(-1)[-1].isfinite() else 1
            self.tell(checked.returncode == right, what, f"check with {name} off: {checked.stdout}{checked.stderr}")
            if name:
                given[name] = wanted[name].clone().contiguous()

    def run_all(self):
        for what, inputs in self.cases():
            wanted = self.expected(inputs)
            for isa in self.program.isas:
                self.run(f"{what} on {isa}", isa, inputs, wanted)


def layouts(program):
    """The maps that have a form here; torch_mha's heads make up d_model, and it projects its output."""
    is_torch = (program.n_kv_heads == program.n_heads and program.n_heads * program.d_head == program.d_model
                and program.d_out == program.d_model and not {"projections", "heads"} & set(program.said)
                and not set(program.outputs) - {"output", "attention"})
    if program.is_sdpa:
        return ["none"]
    return [layout for layout in program.layouts if layout in FORMS and (layout != "torch_mha" or is_torch)]


def compare_program(program):
    """(passed, failed) of one program under all maps that a form has."""
    passed = failed = 0
    for layout in layouts(program):
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(program, layout, folder)
            comparison.run_all()
        print(f"{program.name}, {layout}, on {', '.join(program.isas)}: {comparison.passed} passed, "
              f"{comparison.failed} failed, largest difference {comparison.largest:.2g}")
        passed += comparison.passed
        failed += comparison.failed
    return passed, failed
