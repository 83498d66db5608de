"""nn.MultiheadAttention's call in terms of a layer's: its masks, its order of axes. Knows no operator."""
import math
from typing import Any, Dict, List, NoReturn, Optional, Tuple

import torch
from torch import Tensor

from . import _declarations as c
from . import _tables as tables
from ._library import model, stack
from ._name import NAME, SCORE_MODIFIERS
from ._weights import Roles

_ROLES = {"q_weight", "k_weight", "v_weight", "o_weight", "q_bias", "k_bias", "v_bias", "o_bias", "bias_k", "bias_v"}


def _refuse(what: str, found: Any, expected: Any) -> NoReturn:
    raise ValueError("%s: %s is %s; expected %s" % (NAME, what, found, expected))


def _other_features() -> List[str]:
    """What this layer does that nn.MultiheadAttention does not."""
    roles = {model.roles[i].name.decode() for i in range(model.n_roles)}
    scale = 1 / math.sqrt(model.d_head)
    rows = [
        (stack or tables.BY_HEAD, "is not a single layer"), (model.rope.positions, "has rotary positions"),
        (model.qk_norm.kind != c.GA_NORM_NONE, "has norms of q and k"), (model.window, "has a window"),
        (SCORE_MODIFIERS, "changes scores by " + ", ".join(SCORE_MODIFIERS)),
        (any(model.activation), "has activations"), (model.fills, "fills masked scores"),
        (model.masked_uniform, "has uniform masked rows"), (model.shared_heads, "has shared heads"),
        (model.n_kv_heads != model.n_heads, "has fewer key heads"), (model.cache, "has a cache"),
        (model.causal == c.GA_CAUSAL_BOTTOM_RIGHT, "is causal from the last row on"),
        (abs(model.scale - scale) > 1e-9 * scale, "has another scale"), (model.d_out != model.d_model, "is wider"),
        (model.weights_dtype != c.GA_STORAGE_F32, "keeps weights in fewer bits"), (roles - _ROLES, "has other weights"),
    ]
    return [what for found, what in rows if found]


def check_module(module: Any) -> None:
    """Refuses a module that this layer cannot stand in for; TypeError where it is of another type."""
    if not isinstance(module, torch.nn.MultiheadAttention):
        raise TypeError("%s: module is %s; expected nn.MultiheadAttention" % (NAME, type(module).__name__))
    for what in _other_features():
        raise ValueError("%s: the layer %s, which nn.MultiheadAttention does not" % (NAME, what))
    extra = (module.bias_k is not None) + bool(module.add_zero_attn)
    rows = [
        ("training", module.training, False), ("embed_dim", module.embed_dim, model.d_model),
        ("num_heads", module.num_heads, model.n_heads), ("kdim", module.kdim, model.k_dim),
        ("vdim", module.vdim, model.v_dim), ("keys of add_bias_kv and add_zero_attn", extra, model.extra_keys),
    ]
    for what, found, expected in rows:
        if found != expected:
            _refuse(what, found, expected)
    for name, tensor in module.state_dict().items():
        if tensor.dtype is not torch.float32:
            raise TypeError("%s: %s has dtype %s; expected torch.float32" % (NAME, name, tensor.dtype))
        if tensor.device.type != "cpu":
            _refuse(name + "'s device", tensor.device, "cpu")


def roles_of(module: Any) -> Roles:
    """A module's weights by the layer's names for them, copies of none."""
    state = {name: tensor.detach().contiguous().numpy() for name, tensor in module.state_dict().items()}
    roles = Roles()
    for at, letter in enumerate("qkv"):
        rows = slice(at * module.embed_dim, (at + 1) * module.embed_dim)
        stacked = state.get("in_proj_weight")
        roles[letter + "_weight"] = state[letter + "_proj_weight"] if stacked is None else stacked[rows]
        if "in_proj_bias" in state:
            roles[letter + "_bias"] = state["in_proj_bias"][rows]
    names = {"out_proj.weight": "o_weight", "out_proj.bias": "o_bias", "bias_k": "bias_k", "bias_v": "bias_v"}
    roles.update((role, state[name].reshape(-1) if name.startswith("bias") else state[name])
                 for name, role in names.items() if name in state)
    return roles


def _as_bool(name: str, mask: Tensor) -> Tensor:
    """True where a key is hidden, of a mask of truth values or of 0 and -inf."""
    if mask.dtype is torch.bool:
        return mask
    hidden = mask == -math.inf
    if not bool((hidden | (mask == 0)).all()):
        _refuse(name, "a mask of numbers", 'bool, or 0 and -inf (mask.tensor = "additive" in the spec takes numbers)')
    return hidden


class StandIn(torch.nn.Module):
    """A layer behind the call of nn.MultiheadAttention; _attend runs the layer."""

    def __init__(self, module: torch.nn.MultiheadAttention) -> None:
        super().__init__()
        self.batch_first = module.batch_first
        self.embed_dim, self.num_heads = module.embed_dim, module.num_heads
        # PyTorch's stacks of layers ask for these; there are no weights here that their fast path could read.
        self._qkv_same_embed_dim, self.in_proj_bias = False, None
        self.eval()

    def _attend(self, given: Dict[str, Any], outputs: List[str]) -> List[Tensor]:
        raise NotImplementedError

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Optional[Tensor] = None,
                need_weights: bool = True, attn_mask: Optional[Tensor] = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> Tuple[Tensor, Optional[Tensor]]:
        """See nn.MultiheadAttention.forward, and from_torch for what is refused."""
        is_batch = query.dim() == 3
        if is_causal and attn_mask is None:
            _refuse("is_causal", "True without attn_mask", "attn_mask too, as nn.MultiheadAttention does")
        given: Dict[str, Any] = {"query": self._rows(query, is_batch)}
        if key is not query or value is not query:
            given["key"] = self._rows(key, is_batch)
        if value is not key:
            given["value"] = self._rows(value, is_batch)
        keys = given.get("key", given["query"]).shape[1]
        given.update(self._masks(given["query"].shape[0], given["query"].shape[1], keys, attn_mask, key_padding_mask))
        names = ["output", *self._weights(need_weights, average_attn_weights)]
        results = self._attend(given, names)
        output = results[0] if self.batch_first else results[0].transpose(0, 1)
        weights = results[1] if need_weights else None
        if weights is not None and names[1] == "attention" and average_attn_weights:
            weights = weights.mean(1)
        if not is_batch:
            output = output.squeeze(0 if self.batch_first else 1)
            weights = None if weights is None else weights.squeeze(0)
        return output, weights

    def _rows(self, tensor: Tensor, is_batch: bool) -> Tensor:
        """Sequences first, without gaps: a copy where the module's are not so."""
        if not is_batch:
            return tensor.unsqueeze(0).contiguous()
        return (tensor if self.batch_first else tensor.transpose(0, 1)).contiguous()

    @staticmethod
    def _weights(need_weights: bool, average: bool) -> List[str]:
        if not need_weights:
            return []
        for name in ["attention_mean", "attention"] if average else ["attention"]:
            if name in tables.OUTPUTS:
                return [name]
        _refuse("need_weights", True, 'False, as the layer was generated without outputs = { "attention" }')

    # -- Masks ------------------------------------------------------------------------------------------------------

    def _masks(self, batch: int, rows: int, keys: int, attn_mask: Optional[Tensor],
               padding: Optional[Tensor]) -> Dict[str, Any]:
        if attn_mask is not None:
            attn_mask = self._spread(batch, rows, keys, attn_mask)
        self._check_causal(rows, keys, attn_mask)
        if padding is not None and tuple(padding.shape) not in ((batch, keys), (keys,)):
            _refuse("key_padding_mask's shape", list(padding.shape), [batch, keys])
        padding = None if padding is None else padding.reshape(batch, keys)
        if model.mask == c.GA_MASK_NONE:
            self._check_same(rows, keys, attn_mask)
            return {} if padding is None else {"kv_lengths": self._lengths(keys, padding)}
        if attn_mask is None and padding is None:
            return {}
        make = self._additive if tables.ADDITIVE["mask"] else self._visible
        return {"mask": make(attn_mask, padding)}

    @staticmethod
    def _spread(batch: int, rows: int, keys: int, mask: Tensor) -> Tensor:
        """[batch or 1, heads or 1, rows, keys]."""
        if tuple(mask.shape) == (rows, keys):
            return mask.reshape(1, 1, rows, keys)
        if tuple(mask.shape) == (batch * model.n_heads, rows, keys):
            return mask.reshape(batch, model.n_heads, rows, keys)
        _refuse("attn_mask's shape", list(mask.shape), "[%d, %d] or [%d, %d, %d]"
                % (rows, keys, batch * model.n_heads, rows, keys))

    @staticmethod
    def _later(rows: int, keys: int) -> Tensor:
        return torch.ones(rows, keys, dtype=torch.bool).triu(1)

    def _check_causal(self, rows: int, keys: int, mask: Optional[Tensor]) -> None:
        """What a causal layer hides, the mask must hide too."""
        if model.causal == c.GA_CAUSAL_NONE or rows == 1 == keys:
            return
        if mask is None or not bool((_as_bool("attn_mask", mask) | ~self._later(rows, keys)).all()):
            _refuse("attn_mask", "without what a causal mask hides", "a causal one, as the layer is causal")

    def _check_same(self, rows: int, keys: int, mask: Optional[Tensor]) -> None:
        """Of a layer that takes no mask: whether a mask hides what the layer hides, and no more."""
        if mask is None:
            return
        hides = self._later(rows, keys) if model.causal != c.GA_CAUSAL_NONE else torch.zeros(rows, keys).bool()
        if not torch.equal(_as_bool("attn_mask", mask), hides.expand_as(mask)):
            _refuse("attn_mask", "another than the layer's own", 'none, or mask.tensor = "bool" in the spec')

    @staticmethod
    def _lengths(keys: int, padding: Tensor) -> Tensor:
        hidden = _as_bool("key_padding_mask", padding)
        lengths = (~hidden).sum(1)
        if not model.lengths:
            _refuse("key_padding_mask", "given", 'None, or "lengths" in the spec\'s mask')
        if not torch.equal(torch.arange(keys)[None, :] >= lengths[:, None], hidden):
            _refuse("key_padding_mask", "one that hides keys before others",
                    'one that hides those at the end, or mask.tensor = "bool" in the spec')
        if int(lengths.min()) == 0:
            _refuse("key_padding_mask", "one that hides all keys of a sequence", "a key that is seen")
        return lengths.to(torch.int32)

    @staticmethod
    def _visible(mask: Optional[Tensor], padding: Optional[Tensor]) -> Tensor:
        hidden = torch.zeros(1, 1, 1, 1, dtype=torch.bool)
        if mask is not None:
            hidden = hidden | _as_bool("attn_mask", mask)
        if padding is not None:
            hidden = hidden | _as_bool("key_padding_mask", padding)[:, None, None, :]
        if bool(hidden.all(-1).any()) and model.extra_keys == 0:
            _refuse("the mask", "one that hides all keys of a query", "a key that is seen")
        return (~hidden).contiguous()

    @staticmethod
    def _additive(mask: Optional[Tensor], padding: Optional[Tensor]) -> Tensor:
        added = torch.zeros(1, 1, 1, 1)
        for one in (mask, None if padding is None else padding[:, None, None, :]):
            if one is not None:
                hidden = torch.zeros(one.shape).masked_fill(one, -math.inf) if one.dtype is torch.bool else one
                added = added + hidden
        if bool((added == -math.inf).all(-1).any()) and model.extra_keys == 0:
            _refuse("the mask", "one that hides all keys of a query", "a key that is seen")
        return added.contiguous()
