"""The texts of a model, with the names and the arguments of sentence_transformers' SentenceTransformer, so that code
which takes one takes a Model too. How texts become vectors is in _encode.py.
"""
import functools
import inspect
import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar, Union, cast

import numpy as np

from . import _encode, _processes, _similarity
from ._arguments import whole
from ._call import Runner
from ._library import model, stack
from ._name import NAME
from ._prompts import config_beside, prompts_of, with_prompt
from ._quantize import Precision, quantize_embeddings
from ._text import WHY_NOT, Tokenizer, beside, in_packed_weights, recorded_prompt, recorded_prompts
from ._weights import Source

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S", bound="SentenceRunner")


class ModelCard:
    """What evaluators of sentence_transformers leave at a model: their results, each by its evaluator."""

    base_model = None  # the name of the model that this one was trained from

    def __init__(self) -> None:
        self.eval_results_dict: Dict[Any, Dict[str, Any]] = {}

    def set_evaluation_metrics(self, evaluator: Any, metrics: Dict[str, Any], epoch: int = 0, step: int = 0) -> None:
        """Keeps the results of an evaluator, in place of those it had before."""
        self.eval_results_dict[evaluator] = dict(metrics)


def _with_prompt_of(names: Sequence[str], name: str, words: str) -> Callable[[F], F]:
    """A method that encodes as another does, but with the prompt of a task where a call names none."""
    def decorate(encode: F) -> F:
        signature = inspect.signature(encode)

        @functools.wraps(encode)
        def method(self: Any, *given: Any, **options: Any) -> Any:
            bound = signature.bind(self, *given, **options)
            if bound.arguments.get("prompt") is None and bound.arguments.get("prompt_name") is None:
                bound.arguments["prompt_name"] = self._prompts.name_for(names)
            return encode(*bound.args, **bound.kwargs)

        method.__name__, method.__doc__ = name, words
        method.__qualname__ = "%s.%s" % (encode.__qualname__.rpartition(".")[0], name)
        return cast(F, method)
    return decorate


class SentenceRunner(Runner):
    """Packed weights, calls, and vectors of texts. Arguments: see Model."""

    def __init__(self, weights: Optional[Source] = None, *, layout: Optional[str] = None, prefix: Optional[str] = None,
                 threads: Union[int, str] = 1, isa: Optional[str] = None, strict: bool = False,
                 tokenizer: Union[str, "os.PathLike[str]", None] = None) -> None:
        super().__init__(weights, layout=layout, prefix=prefix, threads=threads, isa=isa, strict=strict)
        self._weights = os.path.abspath(weights) if isinstance(weights, (str, os.PathLike)) else None
        self._tokenizer = Tokenizer(tokenizer) if tokenizer is not None else None
        config = config_beside(weights)
        self._prompts = prompts_of(config, recorded_prompt(), recorded_prompts())
        named = (config or {}).get("similarity_fn_name") if config is not None else _similarity.of_stack(stack)
        self._similarity = named if named in _similarity.FUNCTIONS else "cosine"  # as sentence_transformers takes it
        self._max_seq_length = int(model.q_len.max)
        self._truncate_dim: Optional[int] = None
        self.model_card_data = ModelCard()

    def __getstate__(self) -> Dict[str, Any]:
        """For copy, deepcopy and pickle: without what evaluators left, which belongs to them."""
        return {**super().__getstate__(), "model_card_data": ModelCard()}

    # -- Texts to ids -----------------------------------------------------------------------------------------------

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
            raise ValueError("%s: there is no tokenizer.json in the folder of the weights; expected tokenizer= of "
                             "Model" % NAME)
        found = Tokenizer(path)
        if not found.is_recorded:
            raise ValueError("%s: %s was made for another tokenizer, whose hash its spec records; tokenizer= of Model "
                             "names one that is taken all the same" % (path, NAME))
        return found

    @property
    def max_seq_length(self) -> int:
        """The most tokens of a text that `encode` takes; longer ones are cut. At first, and at most, the model's."""
        return self._max_seq_length

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        self._max_seq_length = whole("max_seq_length", tokens, 1, model.q_len.max)

    def tokenize(self, texts: Any) -> Dict[str, Any]:
        """What the model takes of texts, or of pairs: int64 of [texts, most tokens] as `input_ids`, padded with
        `tokenizer.pad_token_id`, `attention_mask`, 1 for a token and 0 for padding, and, for a model with token types,
        `token_type_ids`.
        """
        ids = self.tokenizer.ids_of(_encode.texts_of(texts)[0], self._max_seq_length)
        lengths = np.diff(ids.starts)
        seen = np.arange(lengths.max(initial=0)) < lengths[:, None]
        names = {"input_ids": (ids.ids, self.tokenizer.pad_token_id), "attention_mask": (1, 0)}
        if stack and stack.token_types:
            names["token_type_ids"] = (ids.type_ids, 0)
        made: Dict[str, Any] = {name: np.full(seen.shape, padding, np.int64) for name, (_, padding) in names.items()}
        for name, (values, _) in names.items():
            made[name][seen] = values
        return made

    def preprocess(self, inputs: Any, prompt: Optional[str] = None) -> Dict[str, Any]:
        """The same, with a prompt before each text: the name in sentence_transformers 6."""
        return self.tokenize(with_prompt(_encode.texts_of(inputs)[0], prompt or ""))

    # -- Prompts ----------------------------------------------------------------------------------------------------

    @property
    def prompts(self) -> Dict[str, str]:
        """What `prompt_name` of `encode` names: of the weights' config_sentence_transformers.json, or yours."""
        return self._prompts.by_name

    @prompts.setter
    def prompts(self, by_name: Dict[str, str]) -> None:
        self._prompts = self._prompts._replace(by_name=dict(by_name))

    @property
    def default_prompt_name(self) -> Optional[str]:
        """The prompt of a call that names none, of the same file or yours."""
        return self._prompts.default_name

    @default_prompt_name.setter
    def default_prompt_name(self, name: Optional[str]) -> None:
        self._prompts = self._prompts._replace(default_name=name)

    # -- Vectors ----------------------------------------------------------------------------------------------------

    @property
    def truncate_dim(self) -> Optional[int]:
        """How many numbers of each vector `encode` gives where a call does not say; None: all."""
        return self._truncate_dim

    @truncate_dim.setter
    def truncate_dim(self, numbers: Optional[int]) -> None:
        self._truncate_dim = None if numbers is None else whole("truncate_dim", numbers, 1, stack.d_embedding)

    def get_embedding_dimension(self) -> int:
        """How many numbers a vector of `encode` has."""
        return self._truncate_dim or int(stack.d_embedding)

    def get_sentence_embedding_dimension(self) -> int:
        """The same: the name before sentence_transformers 6."""
        return self.get_embedding_dimension()

    def encode(self, sentences: Any = None, prompt_name: Optional[str] = None, prompt: Optional[str] = None,
               batch_size: int = 32, show_progress_bar: Optional[bool] = None,
               output_value: str = "sentence_embedding", precision: Optional[Precision] = "float32",
               convert_to_numpy: bool = True, convert_to_tensor: bool = False, device: Any = None,
               normalize_embeddings: bool = False, truncate_dim: Optional[int] = None, pool: None = None,
               chunk_size: Optional[int] = None, *, inputs: Any = None, processes: int = 1) -> Any:
        """Vectors of texts, with the arguments of sentence_transformers: float32 of [texts, d_embedding], in order.

        sentences: a str, which gives one vector, or a list of str, or of pairs of str. Those with more tokens than
            max_seq_length are cut, whatever length "truncation" in tokenizer.json has. inputs: another name for it.
        prompt: text that stands before each; or prompt_name, which names one of `prompts`.
        batch_size: how many go through the model together, those of like lengths; the bits are the same for any.
        show_progress_bar: writes to standard error how many are done.
        output_value: "sentence_embedding", or "token_embeddings": a list of the rows of each text's tokens, as the
            last layer leaves them.
        precision: "int8", "uint8", "binary" or "ubinary": what quantize_embeddings makes of the vectors of this call.
        convert_to_tensor gives one tensor of PyTorch; convert_to_numpy=False gives a list of tensors.
        truncate_dim: the first so many numbers of each vector. normalize_embeddings: scales vectors to length 1.
        processes: how many encode together, each with `threads`; the bits are the same for any. They are spawned for
            this call and share the memory of the weights. chunk_size: how many texts a process takes at a time.

        ValueError: what this library has not: device but "cpu", pool; a model that makes no vectors of texts, or has no
        tokenizer; int8 and uint8 of a single vector, which tells no range.
        """
        if inputs is not None and sentences is not None:
            raise TypeError("%s: sentences and inputs are given; expected one of them" % NAME)
        truncate_dim = self._truncate_dim if truncate_dim is None else truncate_dim
        given = dict(precision=precision, pool=pool, chunk_size=chunk_size, device=device, output_value=output_value,
                     batch_size=batch_size, truncate_dim=truncate_dim, processes=processes)
        _encode.check_model()
        _encode.check_arguments(given)
        tokenizer = self.tokenizer
        texts, alone = _encode.texts_of(sentences if inputs is None else inputs)
        texts = with_prompt(texts, self._prompts.choose(prompt, prompt_name))
        by_token = output_value == "token_embeddings"
        options: Dict[str, Any] = dict(batch_size=batch_size, progress=bool(show_progress_bar), by_token=by_token)
        if processes > 1 and len(texts) > 1:
            parts = _processes.run(self, texts, processes, chunk_size, **options)
            results: Any = [rows for part in parts for rows in part] if by_token else np.concatenate(parts)
        else:
            results = _encode.run(self, tokenizer.ids_of(texts, self._max_seq_length), **options)
        if not by_token:
            results = _encode.finish(results, truncate_dim, normalize_embeddings)
        if precision not in (None, "float32"):
            results = quantize_embeddings(results, precision)
        if convert_to_tensor or not convert_to_numpy:
            results = _encode.as_tensors(results, convert_to_tensor and not by_token)
        return results[0] if alone else results

    encode_query = _with_prompt_of(
        ["query"], "encode_query", "As encode, with the prompt `query` where the call names none.")(encode)
    encode_document = _with_prompt_of(
        ["document", "passage", "corpus"], "encode_document", "As encode, with the first of the prompts `document`, "
        "`passage` and `corpus` that there is where the call names none.")(encode)

    # -- Similarity -------------------------------------------------------------------------------------------------

    @property
    def similarity_fn_name(self) -> str:
        """What `similarity` gives: "cosine", "dot", or "euclidean" or "manhattan", which are distances below 0. Of the
        file that has `prompts`, or yours.
        """
        return self._similarity

    @similarity_fn_name.setter
    def similarity_fn_name(self, name: Optional[str]) -> None:
        self._similarity = _similarity.checked_name(name)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """[n, m]: how similar each of n vectors is to each of m, by similarity_fn_name. Tensors give a tensor."""
        return _similarity.matrix(self._similarity, embeddings1, embeddings2)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """[n]: how similar each of n vectors is to the one of the same place. Tensors give a tensor."""
        return _similarity.pairwise(self._similarity, embeddings1, embeddings2)

    # -- What code that takes a SentenceTransformer reads or calls ----------------------------------------------------

    @property
    def device(self) -> Any:
        """The CPU: where PyTorch is imported a torch.device, else a str."""
        torch = sys.modules.get("torch")
        return torch.device("cpu") if torch else "cpu"

    def to(self: S, device: Any) -> S:
        """This object, whose device is the CPU. ValueError: any other device."""
        _encode.check_device(device)
        return self

    def eval(self: S) -> S:
        """This object, which has no other mode."""
        return self
