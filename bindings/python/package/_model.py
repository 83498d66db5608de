"""A whole model: layers with what stands before and after them."""
from typing import Any, Dict, List, Optional, Tuple, Union, overload

from ._cache import Cache
from ._name import NAME
from ._sampling import generate
from ._sentence import SentenceRunner

Ids = Any


class Model(SentenceRunner):
    """A whole model with its weights.

    weights: the path of a safetensors file, of a folder or an index of several, or of a file of packed weights
        (.gap); or a dict of arrays or tensors by name, such as `module.state_dict()`. They are copied and packed.
    layout: whose names the weights go by; None finds it. prefix: what stands before them, in place of the spec's.
    threads: over how many a call is spread, or "all". isa: the instruction set; None takes the CPU's best.
    strict: refuses weights that hold more than the model takes.
    tokenizer: the path of a tokenizer.json, for `encode`; None takes the one in a .gap file, else the one in the
        folder of the weights, which must be the one that the model's spec records, if it records one.

    Any number of Python's threads may call one model at the same time; the interpreter's lock is free meanwhile.
    """

    @overload
    def __call__(self, tokens: Ids = None, lengths: Ids = None, *, query: Any = None, token_types: Ids = None,
                 key: Any = None, key_tokens: Ids = None, kv_lengths: Ids = None, memory: Any = None,
                 sublayer: Any = None, mask: Any = None, src_mask: Any = None, memory_mask: Any = None,
                 position: Ids = None, cache: Optional[Cache] = None, outputs: Optional[str] = None) -> Any: ...

    @overload
    def __call__(self, tokens: Ids = None, lengths: Ids = None, *, query: Any = None, token_types: Ids = None,
                 key: Any = None, key_tokens: Ids = None, kv_lengths: Ids = None, memory: Any = None,
                 sublayer: Any = None, mask: Any = None, src_mask: Any = None, memory_mask: Any = None,
                 position: Ids = None, cache: Optional[Cache] = None,
                 outputs: Union[List[str], Tuple[str, ...]]) -> Dict[str, Any]: ...

    def __call__(self, tokens: Ids = None, lengths: Ids = None, *, query: Any = None, token_types: Ids = None,
                 key: Any = None, key_tokens: Ids = None, kv_lengths: Ids = None, memory: Any = None,
                 sublayer: Any = None, mask: Any = None, src_mask: Any = None, memory_mask: Any = None,
                 position: Ids = None, cache: Optional[Cache] = None, outputs: Any = None) -> Any:
        """Runs the model. Arrays of numpy give arrays of numpy, tensors of PyTorch give tensors.

        tokens: ids of [batch, q_len], as integers of any kind, lists too; or query, rows of [batch, q_len, d_model].
        lengths: how many of them are real in each sequence, [batch]; what stands after them changes nothing.
        token_types: of [batch, q_len], for a model that adds them.
        key_tokens or key: what a decoder attends to, or a transformer's source: [batch, kv_len], or rows of it, with
            kv_lengths; memory: what a transformer's encoder gave before, in place of them.
        sublayer: a sublayer's result for query, for a model that adds it.
        mask: bool or uint8, true where a row sees another, or float32 that is added to the scores, as the spec says;
            of any shape that spreads over [batch, heads, q_len, q_len]; src_mask: of a transformer's source.
        memory_mask: likewise, of what a decoder attends to besides: it spreads over [batch, heads, q_len, kv_len].
        position: place of each sequence's first row, [batch], for rotary positions.
        cache: what `new_cache` made, for a model generated with one; its rows come before those of this call.
        outputs: a name gives that array; a list of names gives a dict; None gives the last that the model computes,
            logits, else class_logits, else an embedding, else the rows of the last layer. Outputs of each layer
            (hidden, layer_attention) are lists of arrays.

        ValueError: a shape, a length, an id, a layout of memory. TypeError: an element type, or no array.
        """
        given = {"tokens": tokens, "q_lengths": lengths, "query": query, "token_types": token_types, "key": key,
                 "key_tokens": key_tokens, "kv_lengths": kv_lengths, "memory": memory, "sublayer": sublayer,
                 "mask": mask, "src_mask": src_mask, "memory_mask": memory_mask, "position": position, "cache": cache}
        given = {name: array for name, array in given.items() if array is not None}
        if "memory" in given and ("key" in given or "key_tokens" in given):
            raise ValueError("%s: memory is given with key or key_tokens; expected one of them" % NAME)
        return self._call(given, outputs)

    def generate(self, ids: Any, *, new: int = 32, lengths: Ids = None, temperature: float = 0.0, top_k: int = 0,
                 top_p: float = 1.0, seed: Optional[int] = None, stop: Union[int, List[int], None] = None,
                 **source: Any) -> List[List[int]]:
        """Goes on from tokens: for each sequence a list of the ids given and of those added.

        ids: a list of lists of ids, or an array of [batch, len] with lengths; a list of ids is one sequence.
        new: how many to add to each, at most. stop: an id, or several, after which a sequence ends.
        temperature: 0 takes the most likely id each time; above 0 one is drawn from softmax(logits / temperature), of
            the top_k most likely (0: of all) and of the fewest whose chances add up to top_p.
        seed: of the draws; the same seed draws the same.
        source: key, key_tokens, kv_lengths, memory, src_mask of a decoder or a transformer, and its memory_mask where
            that is the same for all rows, as they grow.

        With a cache in the spec each token takes one row; without one all rows before it are computed anew.
        """
        return generate(self, ids, new, lengths, temperature, top_k, top_p, seed, stop, source)
