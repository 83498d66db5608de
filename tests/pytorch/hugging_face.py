"""The attention modules of Hugging Face's transformers as oracles, with random weights made from a configuration:
nothing is fetched. A program whose spec names the layout of one is compared with it, and held to refuse files whose
biases are not those of the spec. compare.py hands the programs over."""

import os
import tempfile

import torch

import forms
import modules

os.environ["HF_HUB_OFFLINE"] = "1"  # before any module imports transformers


def added_mask(allowed):
    """0 where a query may look at a key and the lowest number elsewhere, as transformers' masks are."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)


# -- Oracles: make(program) gives the module, call(module, query, key, allowed) its output and attention -------------
# `crosses`: keys may be another sequence's. allowed: bool [B, 1, 1, Lk], the keys within the lengths. What the module
# adds of its own (a causal mask) is the program's to match.

def make_bert(program):
    from transformers.models.bert.modeling_bert import BertAttention, BertConfig
    return BertAttention(BertConfig(hidden_size=program.d_model, num_attention_heads=program.n_heads,
                                    attn_implementation="eager"))


def call_bert(module, query, key, allowed):
    x, attention = module.self(query, added_mask(allowed), encoder_hidden_states=key)
    return module.output.dense(x), attention


def make_vit(program):
    from transformers.models.vit.modeling_vit import ViTAttention, ViTConfig
    return ViTAttention(ViTConfig(hidden_size=program.d_model, num_attention_heads=program.n_heads,
                                  qkv_bias=program.has_role("q_bias"), attn_implementation="eager"))


def call_vit(module, query, _, __):
    attention = module.attention(query)[1]
    return module(query), attention


def make_sam(program):
    from transformers.models.sam.modeling_sam import SamVisionAttention, SamVisionConfig
    return SamVisionAttention(SamVisionConfig(hidden_size=program.d_model, num_attention_heads=program.n_heads,
                                              qkv_bias=program.has_role("q_bias"), use_rel_pos=False), window_size=0)


def call_sam(module, query, _, __):
    """An image one pixel wide is a sequence."""
    output, attention = module(query[:, :, None])
    return output[:, :, 0], attention.unflatten(0, (query.shape[0], -1))


def make_gpt2(program):
    from transformers.models.gpt2.modeling_gpt2 import GPT2Attention, GPT2Config
    return GPT2Attention(GPT2Config(n_embd=program.d_model, n_head=program.n_heads, attn_implementation="eager"))


def call_gpt2(module, query, _, allowed):
    return module(query, attention_mask=added_mask(allowed))[:2]


def make_t5(program):
    from transformers.models.t5.modeling_t5 import T5Attention, T5Config
    module = T5Attention(T5Config(d_model=program.d_model, num_heads=program.n_heads, d_kv=program.d_head),
                         has_relative_attention_bias=program.has_role("relative_bias"))
    modules.activate(module, "qkvo", program.spec)
    return module


def call_t5(module, query, key, allowed):
    output, _, attention = module(query, mask=added_mask(allowed), key_value_states=key, query_length=query.shape[1],
                                  output_attentions=True)
    return output, attention


ORACLES = {  # layout: (make, call, crosses, takes a mask)
    "bert": (make_bert, call_bert, True, True),
    "vit": (make_vit, call_vit, False, False),
    "timm": (make_sam, call_sam, False, False),  # SAM's names are timm's
    "gpt2": (make_gpt2, call_gpt2, False, True),
    "t5": (make_t5, call_t5, True, True),
}


def is_one(program):
    """Whether the program's spec names the layout of an oracle."""
    return program.said.get("weights") in ORACLES


def layouts(program):
    """The spec's own, and the others that come to the same layer: causal or not, scaled or not as it is."""
    own = program.said["weights"]
    alike = {"bert": ["bert", "vit", "timm"], "vit": ["vit", "timm"]}
    return [layout for layout in alike.get(own, [own]) if layout in program.layouts]


# -- Comparing ------------------------------------------------------------------------------------------------------

class Comparison(forms.Comparison):
    """One program and one of transformers' modules."""

    def __init__(self, program, layout, folder):
        make, self.call, self.crosses, self.masks = ORACLES[layout]
        super().__init__(program, layout, folder, make(program))

    def cases(self):
        p, (q_max, kv_max) = self.program, (self.program.q_range["max"], self.program.kv_range["max"])
        q_len, batch = 2 * q_max // 3, 4
        kv_len = min(kv_max, q_len + 5)

        def rows(*shape):
            return torch.randn(*shape, p.d_model)

        yield "one sequence", {"query": rows(q_len)}
        yield "one row", {"query": rows(2, 1)}
        yield "longest", {"query": rows(2, q_max)}
        yield "ragged", {"query": rows(batch, q_len), "q_lengths": torch.randint(1, q_len + 1, (batch,))}
        if self.crosses:
            yield "cross", {"query": rows(2, q_len), "key": rows(2, kv_max)}
            yield "cross, ragged", {"query": rows(batch, q_len), "key": rows(batch, kv_len),
                                    "q_lengths": torch.randint(0, q_len + 1, (batch,)),
                                    "kv_lengths": torch.randint(1, kv_len + 1, (batch,))}

    def one_by_one(self, query, lengths):
        """What a module without masks gives for sequences of several lengths: each alone, the rest zeros."""
        output = torch.zeros(query.shape)
        attention = torch.zeros(query.shape[0], self.program.n_heads, query.shape[1], query.shape[1])
        for b, length in enumerate(lengths):
            output[b:b + 1, :length], attention[b:b + 1, :, :length, :length] = self.call(
                self.module, query[b:b + 1, :length], None, None)
        return output, attention

    def expected(self, inputs):
        query = inputs["query"] if inputs["query"].dim() == 3 else inputs["query"][None]
        key, q_lengths = inputs.get("key"), inputs.get("q_lengths")
        kv_len = query.shape[1] if key is None else key.shape[1]
        allowed = modules.allowed_keys(query.shape[0], 1, kv_len, inputs.get("kv_lengths", q_lengths))
        with torch.no_grad():
            if q_lengths is not None and not self.masks:
                output, attention = self.one_by_one(query, q_lengths)
            else:
                output, attention = self.call(self.module, query, key, allowed)
        if q_lengths is not None:
            past = torch.arange(query.shape[1]) >= q_lengths[:, None]
            output = output.masked_fill(past[:, :, None], 0)
            attention = attention.masked_fill(past[:, None, :, None], 0)
        return {"output": output.reshape(inputs["query"].shape), "attention": attention}

    def refuses_other_biases(self):
        """A bias too many beside any weight, or one too few, is an error that names the tensor."""
        state = {name: tensor.contiguous() for name, tensor in self.module.state_dict().items()}
        inputs = {"query": torch.randn(1, self.program.d_model)}
        forms.save_file(inputs, self.folder / "in.safetensors")
        weights = {tensor.removeprefix(self.program.prefix) for tensor in self.program.linears[self.layout]}
        for weight in sorted(weights):
            bias = weight.removesuffix("weight") + "bias"
            changed = {name: tensor for name, tensor in state.items() if name != bias}
            if bias not in state:
                changed[bias] = torch.zeros(4)
            self.save(changed)
            ran = self.program.call("run", "--weights", self.weights, "--weights-layout", self.layout, "--input",
                                    self.folder / "in.safetensors", "--output", self.folder / "out.safetensors")
            good = ran.returncode == 1 and f"tensor '{self.program.prefix + bias}'" in ran.stderr
            self.tell(good, f"{'no' if bias in state else 'a'} {bias}", f"exit {ran.returncode}: {ran.stderr}")
        self.save(state)


def compare_program(program):
    """(passed, failed) of one program with each oracle that comes to the same layer."""
    passed = failed = 0
    for layout in layouts(program):
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(program, layout, folder)
            comparison.run_all()
            comparison.refuses_other_biases()
        print(f"{program.name}, transformers' {type(comparison.module).__name__}, on {', '.join(program.isas)}: "
              f"{comparison.passed} passed, {comparison.failed} failed, "
              f"largest difference {comparison.largest:.2g}")
        passed += comparison.passed
        failed += comparison.failed
    return passed, failed
