"""PyTorch's side of the package: custom operators, modules that call them, and a stand-in for nn.MultiheadAttention.

Importing this file registers two operators, which have meta kernels, so that torch.compile takes them whole:

    torch.ops.genattn.NAME(handle, ...)              -> Tensor, one output
    torch.ops.genattn.NAME_outputs(handle, ..., outputs=["output", "attention"])  -> Tensor[]

`handle` is `handle_of(layer)`, a number by which the operators find a Layer or a Model while that lives; the arguments
after it are those of its call, by name. `as_module` makes an nn.Module that calls the first. There is no backward.
"""
import itertools
import weakref
from typing import Any, Dict, List, Optional, Tuple

import torch
from torch import Tensor

from . import _tables as tables
from ._call import Runner, Sizes
from ._library import stack
from ._name import NAME
from ._stand_in import StandIn, check_module, roles_of

if not hasattr(torch.library, "custom_op"):
    raise ImportError("%s.torch needs a PyTorch with torch.library.custom_op, 2.4 or later; found %s"
                      % (NAME, torch.__version__))

_runners: "weakref.WeakValueDictionary[int, Runner]" = weakref.WeakValueDictionary()
_handles: "weakref.WeakKeyDictionary[Runner, int]" = weakref.WeakKeyDictionary()
_numbers = itertools.count(1)


def handle_of(runner: Runner) -> int:
    """The number by which the operators find a Layer or a Model, which the caller keeps alive."""
    if runner not in _handles:
        _handles[runner] = next(_numbers)
        _runners[_handles[runner]] = runner
    return _handles[runner]


# -- The operators --------------------------------------------------------------------------------------------------

# The arguments of the operators after the handle, in order, and the fields of a call that they are.
_FIELDS: Dict[str, str] = {
    "query": "query", "key": "key", "value": "value", "tokens": "tokens", "q_lengths": "q_lengths",
    "kv_lengths": "kv_lengths", "mask": "mask",
}
if stack:
    _FIELDS = {
        "tokens": "tokens", "lengths": "q_lengths", "query": "query", "token_types": "token_types", "key": "key",
        "key_tokens": "key_tokens", "kv_lengths": "kv_lengths", "memory": "memory", "mask": "mask",
        "src_mask": "src_mask", "memory_mask": "memory_mask",
    }


def _given(tensors: Dict[str, Any]) -> Dict[str, Any]:
    return {_FIELDS[name]: tensor for name, tensor in tensors.items() if tensor is not None}


def _compute(handle: int, tensors: Dict[str, Any], outputs: List[str]) -> List[Tensor]:
    runner = _runners.get(handle)
    if runner is None:
        raise ValueError("%s: handle %d is of no layer or model that lives" % (NAME, handle))
    given = {name: tensor.detach() for name, tensor in _given(tensors).items()}
    results = runner._call(given, list(outputs))
    return [results[name] for name in outputs]


def _shapes(_handle: int, tensors: Dict[str, Any], outputs: List[str]) -> List[Tensor]:
    """The meta kernel: shapes of results by those of arguments."""
    sizes, given = Sizes(), _given(tensors)
    for name, shape in {**tables.ROWS, **tables.NUMBERS}.items():
        if name in given:
            sizes.match(name, tuple(given[name].shape), shape)
    some = next(iter(given.values()))
    known = {**tables.OUTPUTS, **{name: shape for name, (_, shape) in tables.INTERMEDIATES.items()}}
    for name in outputs:
        if name not in known:
            raise ValueError("%s: outputs names %r; expected some of %s" % (NAME, name, ", ".join(sorted(known))))
    return [some.new_empty(sizes.fill(known[name]), dtype=torch.float32) for name in outputs]


def _register(name: str, last: str, result: str, pick: Any, default: Any) -> Any:
    """An operator with its kernel for the CPU and its meta kernel. last: the argument that names outputs, as a schema
    has it; default: what it is without; pick: what of the list of results is given."""
    tensors = "".join(", Tensor? %s=None" % field for field in _FIELDS)

    def kernel_of(compute: Any) -> Any:
        def kernel(handle: int, *values: Any, output: Any = default, outputs: Any = None, **named: Any) -> Any:
            given = {**dict(zip(_FIELDS, values)), **named}
            return pick(compute(handle, given, [output] if outputs is None else outputs))

        return kernel

    operator = torch.library.custom_op("genattn::" + name, kernel_of(_compute), mutates_args=(), device_types="cpu",
                                       schema="(int handle%s, *, %s) -> %s" % (tensors, last, result))
    operator.register_fake(kernel_of(_shapes))
    return operator


_default = tables.default_output()
_register(NAME, 'str output="%s"' % _default, "Tensor", lambda results: results[0], _default)
_register(NAME + "_outputs", "str[] outputs", "Tensor[]", lambda results: results, None)

_one: Any = getattr(torch.ops.genattn, NAME)
_several: Any = getattr(torch.ops.genattn, NAME + "_outputs")

# -- Modules --------------------------------------------------------------------------------------------------------


class _Module(torch.nn.Module):
    def __init__(self, runner: Runner) -> None:
        super().__init__()
        self.runner, self.handle = runner, handle_of(runner)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        self.handle = handle_of(self.runner)  # of the copy

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return _one(self.handle, *args, **kwargs)


def as_module(runner: Runner) -> torch.nn.Module:
    """An nn.Module without parameters that calls a Layer or a Model through the operator, with its arguments."""
    return _Module(runner)


class _StandIn(StandIn):
    def _attend(self, given: Dict[str, Any], outputs: List[str]) -> List[Tensor]:
        results: List[Tensor] = _several(self.handle, outputs=outputs, **given)
        return results

    def __init__(self, module: torch.nn.MultiheadAttention, layer: Runner) -> None:
        super().__init__(module)
        self.layer, self.handle = layer, handle_of(layer)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        self.handle = handle_of(self.layer)  # of the copy


def from_torch(module: torch.nn.MultiheadAttention, **options: Any) -> torch.nn.Module:
    """A module that stands in for an nn.MultiheadAttention: the same call, its results within 2e-6.

    The module is in eval mode, float32, on the CPU, of this layer's sizes and with its biases; its weights are copied.
    options: threads and isa, as of Layer. ValueError says what of the module differs from the layer, or, of a call,
    which argument asks for what the layer was generated without: weights (outputs in the spec), masks (mask.tensor),
    key_padding_mask other than at the end of sequences. Where a query sees no key PyTorch gives NaN; that is refused.

    torch.compile takes the module whole where no mask is given; a mask's numbers must be looked at before the call.
    """
    from ._layer import Layer

    check_module(module)
    return _StandIn(module, Layer(roles_of(module), **options))


__all__: Tuple[str, ...] = ("as_module", "from_torch", "handle_of")
