"""libga_text by ctypes: what the oracle and the benchmark call."""
import ctypes

LIBC = ctypes.CDLL(None)
LIBC.free.argtypes = [ctypes.c_void_p]

NO_SPECIAL, OFFSETS, REPLACE, NO_TRUNCATION = 1, 2, 4, 8


class View(ctypes.Structure):
    _fields_ = [("bytes", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]


class Offset(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_uint32), ("end", ctypes.c_uint32)]


class Encoding(ctypes.Structure):
    _fields_ = [
        ("count", ctypes.c_size_t),
        ("ids", ctypes.POINTER(ctypes.c_int32)),
        ("type_ids", ctypes.POINTER(ctypes.c_int32)),
        ("special", ctypes.POINTER(ctypes.c_uint8)),
        ("offsets", ctypes.POINTER(Offset)),
        ("tokens", ctypes.POINTER(View)),
        ("n_cut", ctypes.c_size_t),
    ]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 480), ("fault", ctypes.c_int),
                ("offset", ctypes.c_uint64)]


def load(path):
    library = ctypes.CDLL(path)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.ga_text_encode.argtypes = [pointer, ctypes.c_char_p, size, ctypes.c_char_p, size, ctypes.c_uint, pointer,
                                       pointer]
    library.ga_text_decode.argtypes = [pointer, pointer, size, ctypes.c_bool, pointer, pointer]
    library.ga_text_tokenizer_open_memory.argtypes = [ctypes.c_char_p, ctypes.c_char_p, size, pointer, pointer]
    library.ga_text_tokenizer_open.argtypes = [ctypes.c_char_p, pointer, pointer]
    library.ga_text_tokenizer_pack.argtypes = [ctypes.c_char_p, ctypes.c_char_p, size, ctypes.c_char_p, size, pointer,
                                               pointer, pointer]
    library.ga_text_context_open.argtypes = [pointer, pointer]
    library.ga_text_context_close.argtypes = [pointer]
    library.ga_text_tokenizer_close.argtypes = [pointer]
    return library


def text_of(view):
    return view.bytes[:view.length].decode("utf-8", "replace")


class Tokenizer:
    """A tokenizer of the library, from the text of its JSON, from what that is packed to, or from a file."""

    def __init__(self, library, json=None, packed=False, path=None):
        self.library, self.error = library, Error()
        self.tokenizer, self.context, self.encoding = ctypes.c_void_p(), ctypes.c_void_p(), Encoding()
        made, error = ctypes.byref(self.tokenizer), ctypes.byref(self.error)
        if path is not None:
            self.check(library.ga_text_tokenizer_open(path.encode(), made, error))
        else:
            data = self.pack(json.encode()) if packed else json.encode()
            self.check(library.ga_text_tokenizer_open_memory(b"tokenizer.json", data, len(data), made, error))
        assert library.ga_text_context_open(self.tokenizer, ctypes.byref(self.context)) == 0

    def check(self, status):
        if status != 0:
            raise ValueError(self.error.text.decode("utf-8", "replace"))

    def pack(self, data):
        bytes_out, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.check(self.library.ga_text_tokenizer_pack(b"tokenizer.json", data, len(data), None, 0,
                                                       ctypes.byref(bytes_out), ctypes.byref(size),
                                                       ctypes.byref(self.error)))
        packed = ctypes.string_at(bytes_out, size.value)
        LIBC.free(bytes_out)
        return packed

    def close(self):
        self.library.ga_text_context_close(self.context)
        self.library.ga_text_tokenizer_close(self.tokenizer)

    def call(self, text, pair, flags):
        one, two = text.encode(), None if pair is None else pair.encode()
        self.check(self.library.ga_text_encode(self.context, one, len(one), two, len(two or b""), flags,
                                               ctypes.byref(self.encoding), ctypes.byref(self.error)))
        return self.encoding

    def ids(self, text, pair=None, flags=0):
        encoding = self.call(text, pair, flags)
        return encoding.ids[:encoding.count]

    def encode(self, text, pair=None, flags=0):
        encoding = self.call(text, pair, flags | OFFSETS)
        count = encoding.count
        return {
            "ids": encoding.ids[:count],
            "type_ids": encoding.type_ids[:count],
            "special": encoding.special[:count],
            "offsets": [(o.begin, o.end) for o in encoding.offsets[:count]],
            "tokens": [text_of(t) for t in encoding.tokens[:count]],
        }

    def decode(self, ids, skip_special=True):
        array, view = (ctypes.c_int32 * max(1, len(ids)))(*ids), View()
        self.check(self.library.ga_text_decode(self.context, array, len(ids), skip_special, ctypes.byref(view),
                                               ctypes.byref(self.error)))
        return text_of(view)
