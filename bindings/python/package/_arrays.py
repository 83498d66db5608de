"""What numpy's arrays and PyTorch's tensors are to a call: an address, a shape, a type, and room for results.

Rows of float32 are never copied: what is not contiguous float32 in the CPU's memory is refused. Whole numbers (tokens,
lengths, places) are taken as any integers, lists too, and become int32, by a copy where they are not.
"""
import ctypes
import sys
from typing import Any, List, Optional, Tuple

import numpy as np

Shape = Tuple[int, ...]

F32 = np.dtype(np.float32)
I32 = np.dtype(np.int32)
_MASKS = {np.dtype(np.bool_), np.dtype(np.uint8)}
_NOWHERE = 64  # where no elements lie: PyTorch's address of none is that of an argument which is not there
_char_of = ctypes.c_char.from_buffer
_address_of = ctypes.addressof


def address(array: Any) -> int:
    """Where an array's first element lies. ndarray.ctypes takes four times as long, and is for those never written."""
    try:
        return _address_of(_char_of(array))
    except (TypeError, ValueError):
        return int(array.ctypes.data)


def _kind(value: Any) -> str:
    return type(value).__module__.split(".")[0] + "." + type(value).__name__


class Numpy:
    """Arrays of numpy."""

    name = "a numpy array"

    @staticmethod
    def f32(name: str, array: Any) -> Tuple[int, Shape]:
        """Address and shape of rows of float32."""
        if not isinstance(array, np.ndarray):
            raise TypeError("%s is %s; expected a numpy array, as the others are" % (name, _kind(array)))
        if array.dtype != F32:
            raise TypeError("%s has dtype %s; expected float32" % (name, array.dtype))
        if not array.flags.c_contiguous:
            raise ValueError("%s is not contiguous; expected rows without gaps: numpy.ascontiguousarray(%s)"
                             % (name, name))
        return address(array), array.shape

    @staticmethod
    def host(_name: str, array: Any) -> Any:
        """The same elements as an array of numpy."""
        return array

    @staticmethod
    def empty(shape: Shape) -> Tuple[Any, int]:
        """Room for a result, and its address."""
        array = np.empty(shape, F32)
        return array, address(array)


class Torch:
    """Tensors of PyTorch, which is imported by whoever has made them."""

    name = "a torch tensor"

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def _check(self, name: str, tensor: Any) -> None:
        if not isinstance(tensor, self._torch.Tensor):
            raise TypeError("%s is %s; expected a torch tensor, as the others are" % (name, _kind(tensor)))
        if tensor.device.type != "cpu":
            raise ValueError("%s is on device %s; expected cpu" % (name, tensor.device))
        if tensor.is_neg():
            raise ValueError("%s is negated where it is read; expected %s.resolve_neg()" % (name, name))
        if tensor.requires_grad and self._torch.is_grad_enabled():
            raise ValueError("%s requires grad, and there is no backward; expected %s.detach(), or a call under "
                             "torch.no_grad()" % (name, name))

    def f32(self, name: str, tensor: Any) -> Tuple[int, Shape]:
        """Address and shape of rows of float32."""
        self._check(name, tensor)
        if tensor.dtype is not self._torch.float32:
            raise TypeError("%s has dtype %s; expected torch.float32" % (name, tensor.dtype))
        if not tensor.is_contiguous():
            raise ValueError("%s is not contiguous; expected rows without gaps: %s.contiguous()" % (name, name))
        return int(tensor.data_ptr()) or _NOWHERE, tuple(tensor.shape)

    def host(self, name: str, tensor: Any) -> Any:
        """The same elements as an array of numpy, without a copy."""
        if not isinstance(tensor, self._torch.Tensor):
            return tensor
        self._check(name, tensor)
        return tensor.detach().numpy()

    def empty(self, shape: Shape) -> Tuple[Any, int]:
        """Room for a result, and its address."""
        tensor = self._torch.empty(shape, dtype=self._torch.float32)
        return tensor, int(tensor.data_ptr()) or _NOWHERE


_torch_backend: Optional[Torch] = None


def backend(name: str, value: Any) -> Any:
    """Numpy or Torch, by an argument of a call."""
    global _torch_backend
    if isinstance(value, np.ndarray):
        return Numpy
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if _torch_backend is None:
            _torch_backend = Torch(torch)
        return _torch_backend
    raise TypeError("%s is %s; expected a numpy array or a torch tensor" % (name, _kind(value)))


def whole_numbers(name: str, array: Any) -> Any:
    """Whole numbers as a contiguous array of int32: a copy, but where they are that."""
    numbers = np.asarray(array)
    is_python = numbers.dtype.kind == "O" and all(type(number) is int for number in numbers.flat)  # beyond 64 bits
    if numbers.dtype.kind not in "iu" and not is_python and numbers.size:
        raise TypeError("%s has dtype %s; expected whole numbers" % (name, numbers.dtype))
    if numbers.dtype != I32 and numbers.size:
        least, most = int(numbers.min()), int(numbers.max())
        if least < -(2**31) or most >= 2**31:
            raise ValueError("%s holds %d; expected numbers of 32 bits" % (name, least if least < 0 else most))
    return np.ascontiguousarray(numbers, I32)


def mask_bytes(name: str, array: Any) -> Any:
    """A mask of truth values as it is."""
    if not isinstance(array, np.ndarray) or array.dtype not in _MASKS:
        found = array.dtype if isinstance(array, np.ndarray) else _kind(array)
        raise TypeError("%s is of %s; expected bool or uint8, true where a query sees the key" % (name, found))
    return array


def mask_numbers(name: str, array: Any) -> Any:
    """A mask of numbers that are added to scores, as it is."""
    if not isinstance(array, np.ndarray) or array.dtype != F32:
        found = array.dtype if isinstance(array, np.ndarray) else _kind(array)
        raise TypeError("%s is of %s; expected float32, which is added to the scores" % (name, found))
    return array


def mask_strides(name: str, array: Any, shape: Shape) -> List[int]:
    """Elements from one sequence, head, query and key to the next, in a mask that spreads over `shape`."""
    axes = array.shape
    if len(axes) > 4 or any(a not in (1, b) for a, b in zip(axes[::-1], shape[::-1])):
        raise ValueError("%s has shape %s; expected one that spreads over %s (batch, heads, queries, keys)"
                         % (name, axes, shape))
    strides = [0 if n == 1 else step // array.itemsize for n, step in zip(axes, array.strides)]
    gaps = any(step % array.itemsize for n, step in zip(axes, array.strides) if n > 1)  # a field of a struct has such
    if gaps or any(step < 0 for step in strides) or (strides and strides[-1] not in (0, 1)):
        raise ValueError("%s has strides %s bytes; expected keys side by side: numpy.ascontiguousarray(%s)"
                         % (name, array.strides, name))
    return [0] * (4 - len(axes)) + strides
