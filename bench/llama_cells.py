"""The cells of a small Llama and of a larger one, tokens one at a time and prompts; what each costs. Measures nothing
and knows no system."""

from dataclasses import dataclass

from whole_cells import WholeCell


@dataclass(frozen=True)
class LlamaCell(WholeCell):
    """RMSNorm before each block, rotary positions (half split), grouped queries, a gated feed-forward, no biases, and
    logits by the embedding's weight."""
    few_heads: int = 0  # of keys and values
    mid: int = 0  # width of the feed-forward
    family = "llama_"
    theta = 10000.0

    @property
    def d_ff(self):
        return self.mid

    @property
    def key_heads(self):
        return self.few_heads

    @property
    def matrix_numbers(self):
        return self.d_model * (2 * self.d_model + 2 * self.few_heads * self.d_head + 3 * self.mid)

    @property
    def vector_numbers(self):
        return 2 * self.d_model


def _cell(length, cached=0):
    return LlamaCell(1, length, 1024, 16, 12, cached=cached, vocab=8000, narrow=True, few_heads=4, mid=2816)


def _large(length, cached=0):
    """754 million parameters: what one token reads is far more than any cache holds."""
    return LlamaCell(1, length, 2048, 32, 16, cached=cached, vocab=8000, narrow=True, few_heads=8, mid=5632)


CALLS = ((1, 128), (1, 2048), (128, 0), (512, 0))  # rows, and those before them
NARROW = [make(length, cached) for make in (_cell, _large) for length, cached in CALLS]


def spec_fields(cell):
    """The lines of a spec: every size a literal."""
    return [
        'kind = "encoder"', f'name = "{cell.model}"', f"d_model = {cell.d_model}", f"n_heads = {cell.heads}",
        f"n_kv_heads = {cell.few_heads}", f"d_ff = {cell.mid}", f"n_layers = {cell.layers}",
        f"seq_len = {cell.length}", f"batch = {cell.batch}", "mask = { lengths = false, causal = true }",
        f"cache = {cell.capacity}", f"vocab_size = {cell.vocab}", "bias = false",
        f'rope = {{ layout = "half_split", theta = {cell.theta:.0f} }}',
        f'norm = {{ kind = "rms", eps = {cell.eps}, place = "pre" }}',
        'ffn = { activation = "silu", gated = true, bias = false }', 'logits = { kind = "linear", tied = true }',
    ]
