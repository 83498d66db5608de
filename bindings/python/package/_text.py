"""Text to token ids and back: libga_text, which the libraries of models with tokens have in them."""
import ctypes
import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union
from contextlib import contextmanager

import numpy as np

from . import _declarations as c
from ._beside import object_of, path_beside
from ._library import Constant, check, lib, model, refuse
from ._name import NAME

Pair = Tuple[str, str]
_NO_LIMIT = ctypes.c_size_t(-1).value
_ATTACHMENT = b"_tokenizer"  # of packed weights
_CONFIG = "tokenizer_config.json"
_PAD_TOKENS = ("[PAD]", "<pad>")  # of tokenizers whose configuration names none


def _why_not() -> Optional[str]:
    """Why this library has no text, or None; sets the types of its functions."""
    if model.vocab_size == 0:
        return "%s takes no token ids, so that there is nothing to make of text; set vocab_size in the spec" % NAME
    if not hasattr(lib, "ga_python_encode"):
        return ("%s: this wheel was built without text: ./configure found no utf8proc or no PCRE2 "
                "(Debian: libutf8proc-dev libpcre2-dev)" % NAME)
    for name, (result, arguments) in c.TEXT_FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return None


WHY_NOT = _why_not()


class Encoding(NamedTuple):
    """What a text became, with a row for each token."""

    ids: List[int]
    type_ids: List[int]
    tokens: List[str]
    offsets: List[Tuple[int, int]]  # code points of the text, from the first to after the last
    special_tokens_mask: List[int]  # 1: a token that was added


class Ids(NamedTuple):
    """The ids of many texts: those of text i are ids[starts[i]:starts[i + 1]]."""

    ids: Any
    type_ids: Any
    starts: Any
    n_cut: int  # texts that were cut


def _bytes_at(address: Optional[int], count: int, dtype: Any) -> Any:
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(ctypes.string_at(address, size) if address and size else b"", dtype)


def _view_text(view: Any) -> str:
    at = ctypes.c_void_p.from_buffer(view).value  # as c_char_p it would end at the first NUL
    return ctypes.string_at(at, view.length).decode("utf-8", "replace") if at else ""


def _utf8(name: str, text: Any) -> bytes:
    if not isinstance(text, str):
        raise TypeError("%s is %s; expected str" % (name, type(text).__name__))
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("%s: character %d is half of a pair (%r); expected text that UTF-8 has"
                         % (name, error.start, text[error.start])) from None


def recorded_prompt() -> str:
    """What the model's spec has before texts; "" where it has nothing."""
    if WHY_NOT:
        return ""
    made = ctypes.create_string_buffer(c.GA_TEXT_PROMPT)
    length = lib.ga_text_recorded_prompt(model.spec, made, len(made))
    return made.raw[:length].decode("utf-8", "replace")


def recorded_prompts() -> Dict[str, str]:
    """The prompts that the model's spec has by name."""
    found: Dict[str, str] = {}
    made = ctypes.create_string_buffer(c.GA_TEXT_PROMPT)

    while not WHY_NOT:
        length = lib.ga_text_prompt_name(model.spec, len(found), made, len(made))
        if length == ctypes.c_size_t(-1).value:  # GA_TEXT_NO_PROMPT
            break
        name = made.raw[:length]
        length = lib.ga_text_named_prompt(model.spec, name, made, len(made))
        found[name.decode("utf-8", "replace")] = made.raw[:length].decode("utf-8", "replace")
    return found


class Tokenizer(Constant):
    """A tokenizer.json of Hugging Face, with the values of the tokenizers package, but for what the model's
    spec says of lower case, types and truncation.

    path: of the file. content: what stands for the file's bytes, such as the tokenizer in a file of packed weights;
    None reads them. Any number of Python's threads may use one; the interpreter's lock is free while C runs.
    """

    _handle: Optional[int] = None
    _pad_token_id: Optional[int] = None

    def __init__(self, path: Union[str, "os.PathLike[str]"], content: Optional[bytes] = None) -> None:
        self._contexts: List[int] = []
        if WHY_NOT:
            raise ValueError(WHY_NOT)
        os.stat(path)  # raises what Python raises for a file that is not there
        handle = ctypes.c_void_p()
        check(lib.ga_text_tokenizer_open_for, model.spec, os.fsencode(path), content, len(content or b""),
              ctypes.byref(handle))
        self._handle, self.path = handle.value, os.fspath(path)
        self.again = Tokenizer if content is None else in_packed_weights, (os.path.abspath(path),)
        if self.n_ids > model.vocab_size:
            raise ValueError("%s: has ids up to %d; expected below %d, as %s has: it is of another model, or tokens "
                             "were added to it and not to the model"
                             % (self.path, self.n_ids - 1, model.vocab_size, NAME))

    def __del__(self) -> None:
        for context in self._contexts:
            lib.ga_text_context_close(context)
        if self._handle:
            lib.ga_text_tokenizer_close(self._handle)

    def __repr__(self) -> str:
        return "<Tokenizer of %s: %s, %d ids>" % (NAME, self.path, self.n_ids)

    @property
    def n_ids(self) -> int:
        """The largest id that the tokenizer knows, and 1."""
        return int(lib.ga_text_tokenizer_ids(self._handle))

    @property
    def is_recorded(self) -> bool:
        """Whether the model's spec records this tokenizer, or none."""
        recorded = ctypes.c_uint64()
        return (not lib.ga_text_recorded_hash(model.spec, ctypes.byref(recorded))
                or recorded.value == int(lib.ga_text_tokenizer_hash(self._handle)))

    @property
    def pad_token_id(self) -> int:
        """The id of the token that pads: `pad_token` of the tokenizer_config.json in the same folder, or else [PAD] or
        <pad>; 0 where the tokenizer has no such token."""
        if self._pad_token_id is None:
            ids = (self._id_of(token) for token in (_named_pad_token(self.path), *_PAD_TOKENS) if token)
            self._pad_token_id = next((found for found in ids if found is not None), 0)
        return self._pad_token_id

    def _id_of(self, token: str) -> Optional[int]:
        """Of a token that text cannot split."""
        found = self.encode(token, add_special_tokens=False)
        return found.ids[0] if found.tokens == [token] else None

    @contextmanager
    def _context(self, limit: int) -> Iterator[int]:
        """Work space of one call at a time, which cuts texts at `limit` tokens."""
        try:
            context = self._contexts.pop()
        except IndexError:
            made = ctypes.c_void_p()
            if lib.ga_text_context_open(self._handle, ctypes.byref(made)) != c.GA_OK:
                raise MemoryError("%s: no memory for the tokenizer" % NAME) from None
            assert made.value
            context = made.value
        try:
            lib.ga_text_context_set_limit(context, limit)
            yield context
        finally:
            self._contexts.append(context)

    def encode(self, text: str, pair: Optional[str] = None, add_special_tokens: bool = True) -> Encoding:
        """Ids, types, tokens and offsets of a text, and of the one that comes after it.

        add_special_tokens: with those that the file's post-processor adds, such as [CLS] and [SEP].
        """
        given, more = _utf8("text", text), _utf8("pair", pair) if pair is not None else None
        flags = c.GA_TEXT_OFFSETS | (0 if add_special_tokens else c.GA_TEXT_NO_SPECIAL_TOKENS)
        made = c.ga_text_encoding()
        with self._context(_NO_LIMIT) as context:
            check(lib.ga_text_encode, context, given, len(given), more, len(more or b""), flags, ctypes.byref(made))
            n = made.count
            return Encoding(_bytes_at(made.ids, n, np.int32).tolist(), _bytes_at(made.type_ids, n, np.int32).tolist(),
                            [_view_text(made.tokens[i]) for i in range(n)],
                            [(made.offsets[i].begin, made.offsets[i].end) for i in range(n)],
                            _bytes_at(made.special, n, np.uint8).tolist())

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text that ids stand for; those that the tokenizer does not know are left out."""
        from ._arrays import whole_numbers

        numbers, made = whole_numbers("ids", ids).reshape(-1), c.ga_text_view()
        with self._context(_NO_LIMIT) as context:
            check(lib.ga_text_decode, context, numbers.ctypes.data, numbers.size, skip_special_tokens,
                  ctypes.byref(made))
            return _view_text(made)

    def ids_of(self, texts: Union[Sequence[str], Sequence[Pair]], limit: int, name: str = "sentences",
               first: int = 0, pairs: Optional[bool] = None) -> Ids:
        """The ids of many texts, or of pairs of texts, each cut at `limit` tokens. name, and the index of the first
        one, stand for them in errors. pairs: what they are; None: what the first one is."""
        if pairs is None:
            pairs = bool(texts) and not isinstance(texts[0], str)
        given = [_utf8("%s[%d]" % (name, i), part) for i, text in enumerate(texts, first)
                 for part in (_checked_pair(name, i, text) if pairs else (text,))]
        ends = np.cumsum([len(text) for text in given], dtype=np.uintp)
        ends_out, error = np.zeros(len(texts) + 1, np.uintp), c.ga_error()
        what = c.ga_python_texts(b"".join(given), ends.ctypes.data, len(given), pairs, 0)
        made = c.ga_python_ids(ends=ends_out[1:].ctypes.data)
        try:
            with self._context(limit) as context:
                status = lib.ga_python_encode(context, ctypes.byref(what), ctypes.byref(made), ctypes.byref(error))
            if status != c.GA_OK:
                error.text = b"%s[%d]: %s" % (name.encode(), first + made.done, error.text[:400])
                refuse(status, error)
            return Ids(_bytes_at(made.ids, made.n_ids, np.int32), _bytes_at(made.type_ids, made.n_ids, np.int32),
                       ends_out.astype(np.intp), made.n_cut)
        finally:
            lib.ga_python_ids_free(ctypes.byref(made))


def _named_pad_token(tokenizer: Any) -> Optional[str]:
    """`pad_token` of the configuration in the folder of a tokenizer: a text, or an object that has it as `content`."""
    path = path_beside(tokenizer, _CONFIG)
    token = object_of(path, "the JSON of transformers").get("pad_token") if path else None
    token = token.get("content") if isinstance(token, dict) else token
    if token is not None and not isinstance(token, str):
        raise ValueError("%s: pad_token is %.60r; expected a text" % (path, token))
    return token


def _checked_pair(name: str, i: int, text: Any) -> Pair:
    if not isinstance(text, (list, tuple)) or len(text) != 2:
        raise TypeError("%s[%d] is %r; expected a pair of texts, as the first is" % (name, i, text))
    return text[0], text[1]


def attached(weights: Any) -> Optional[bytes]:
    """The tokenizer in a file of packed weights, where it has one."""
    if WHY_NOT or not isinstance(weights, (str, os.PathLike)) or not lib.ga_pack_is_file(os.fsencode(weights)):
        return None
    pack = c.ga_pack()
    check(lib.ga_pack_open, os.fsencode(weights), ctypes.byref(pack))
    try:
        section = lib.ga_pack_attachment(ctypes.byref(pack), _ATTACHMENT)
        if not section:
            return None
        size = ctypes.cast(section, ctypes.POINTER(c.ga_pack_section)).contents.bytes
        room = ctypes.create_string_buffer(max(1, size))
        check(lib.ga_pack_read_attachment, ctypes.byref(pack), section, room)
        return room.raw[:size]
    finally:
        lib.ga_pack_close(ctypes.byref(pack))


def in_packed_weights(path: Any) -> Optional[Tokenizer]:
    """The tokenizer in a file of packed weights, None where it has none."""
    content = attached(path)
    return None if content is None else Tokenizer(path, content)


def beside(weights: Any) -> Optional[str]:
    """The path of the tokenizer.json in the folder of weights, where there is one."""
    if WHY_NOT or not isinstance(weights, (str, os.PathLike)):
        return None
    room = ctypes.create_string_buffer(4096)
    fits = lib.ga_text_tokenizer_beside(os.fsencode(weights), ctypes.cast(room, ctypes.c_char_p), len(room))
    path = os.fsdecode(room.value)
    return path if fits and os.path.exists(path) else None
