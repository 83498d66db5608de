"""A whole model: layers with what stands before and after them."""
import os
from typing import Any, Dict, List, Optional, Tuple, Union, overload

from . import _encode
from ._cache import Cache
from ._call import Runner
from ._library import model
from ._name import NAME
from ._sampling import generate
from ._text import WHY_NOT, Tokenizer, beside, in_packed_weights
from ._weights import Source

Ids = Any


class Model(Runner):
    """A whole model with its weights.

    weights: the path of a safetensors file, of a folder or an index of several, or of a file of packed weights
        (.gap); or a dict of arrays or tensors by name, such as `module.state_dict()`. They are copied and packed.
    layout: whose names the weights go by; None finds it. prefix: what stands before them, in place of the spec's.
    threads: over how many a call is spread, or "all". isa: the instruction set; None takes the CPU's best.
    strict: refuses weights that hold more than the model takes.
    tokenizer: the path of a tokenizer.json, for `encode`; None takes the one in a .gap file, else the one beside the
        weights, which must be the one that the model's spec records, if it records one.

    Any number of Python's threads may call one model at the same time; the interpreter's lock is free meanwhile.
    """

    def __init__(self, weights: Optional[Source] = None, *, layout: Optional[str] = None, prefix: Optional[str] = None,
                 threads: Union[int, str] = 1, isa: Optional[str] = None, strict: bool = False,
                 tokenizer: Union[str, "os.PathLike[str]", None] = None) -> None:
        super().__init__(weights, layout=layout, prefix=prefix, threads=threads, isa=isa, strict=strict)
        self._weights = os.path.abspath(weights) if isinstance(weights, (str, os.PathLike)) else None
        self._tokenizer = Tokenizer(tokenizer) if tokenizer is not None else None
        self._prompts = _encode.Prompts(weights)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of `encode`, which has `encode` and `decode` of its own."""
        if WHY_NOT:
            raise ValueError(WHY_NOT)
        if self._tokenizer is None:
            self._tokenizer = self._found_tokenizer()
        return self._tokenizer

    def _found_tokenizer(self) -> Tokenizer:
        packed = in_packed_weights(self._weights)
        if packed is not None:
            return packed
        path = beside(self._weights)
        if path is None:
            raise ValueError("%s: there is no tokenizer.json beside the weights; expected tokenizer= of Model" % NAME)
        found = Tokenizer(path)
        if not found.is_recorded:
            raise ValueError("%s: %s was made for another tokenizer, whose hash its spec records; tokenizer= of Model "
                             "names one that is taken all the same" % (path, NAME))
        return found

    @property
    def prompts(self) -> Dict[str, str]:
        """What `prompt_name` of `encode` names: of config_sentence_transformers.json beside the weights, or yours."""
        return self._prompts.by_name

    @prompts.setter
    def prompts(self, by_name: Dict[str, str]) -> None:
        self._prompts = self._prompts.renamed(by_name)

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
        sublayer: what a sublayer made of query, for a model that adds it.
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
            raise ValueError("%s: memory is given beside key or key_tokens; expected one of them" % NAME)
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

    def encode(self, sentences: Any, prompt_name: Optional[str] = None, prompt: Optional[str] = None,
               batch_size: int = 32, show_progress_bar: Optional[bool] = None,
               output_value: str = "sentence_embedding", precision: str = "float32", convert_to_numpy: bool = True,
               convert_to_tensor: bool = False, device: Any = None, normalize_embeddings: bool = False,
               truncate_dim: Optional[int] = None, pool: None = None, chunk_size: None = None) -> Any:
        """Vectors of texts, with the arguments of sentence_transformers: float32 of [texts, d_model], in order.

        sentences: a str, which gives one vector, or a list of str, or of pairs of str. Those with more tokens than the
            model takes are cut, whatever length "truncation" in tokenizer.json has.
        prompt: text that stands before each; or prompt_name, which names one of `prompts`.
        batch_size: how many go through the model together, those of like lengths; the bits are the same for any.
        show_progress_bar: writes to standard error how many are done.
        output_value: "sentence_embedding", or "token_embeddings": a list of the rows of each text's tokens, as the
            last layer leaves them.
        convert_to_tensor gives one tensor of PyTorch; convert_to_numpy=False gives a list of tensors.
        truncate_dim: the first so many numbers of each vector. normalize_embeddings: scales vectors to length 1.

        ValueError: what this library has not: precision but "float32", device but "cpu", pool, chunk_size; a model
        that makes no vectors of texts, or has no tokenizer.
        """
        given = dict(precision=precision, pool=pool, chunk_size=chunk_size, device=device, output_value=output_value,
                     batch_size=batch_size, truncate_dim=truncate_dim)
        _encode.check_model()
        _encode.check_arguments(given)
        tokenizer = self.tokenizer
        texts, alone = _encode.texts_of(sentences)
        texts = _encode.with_prompt(texts, self._prompts.choose(prompt, prompt_name))
        by_token = output_value == "token_embeddings"
        results = _encode.run(self, tokenizer.ids_of(texts, model.q_len.max), batch_size=batch_size,
                              progress=bool(show_progress_bar), by_token=by_token)
        if not by_token:
            results = _encode.finish(results, truncate_dim, normalize_embeddings)
        if convert_to_tensor or not convert_to_numpy:
            results = _encode.as_tensors(results, convert_to_tensor and not by_token)
        return results[0] if alone else results
