"""Numbers and names among arguments, before C takes them: ctypes cuts a number to the bits of its type without a word,
and C a text at its first NUL. Arrays are _arrays.py's.
"""
import operator
from typing import Any, Optional


def whole(name: str, value: Any, least: int = 0, most: Optional[int] = None) -> int:
    """A whole number of Python's, numpy's or PyTorch's from `least` to `most`. TypeError: no whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError("%s is %r; expected a whole number" % (name, value))
    if number < least or (most is not None and number > most):
        expected = "at least %d" % least if most is None else "%d..%d" % (least, most)
        raise ValueError("%s is %d; expected %s" % (name, number, expected))
    return number


def as_text(name: str, value: Optional[str]) -> Optional[bytes]:
    """A text as C takes it, or None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError("%s is %r; expected a str" % (name, value))
    if "\0" in value:
        raise ValueError("%s is %r; expected a str without NUL" % (name, value))
    return value.encode()
