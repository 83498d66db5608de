"""torch_test.py: tensors of PyTorch: layers and models called with them, the operator under torch.compile, and the
stand-in for nn.MultiheadAttention beside the module itself."""
import copy
import gc
import importlib
import pickle
import unittest

import golden_causal
import golden_causal.torch
import golden_maps
import golden_maps.torch
import live_encoder_post
import live_encoder_post.torch
import live_mask_add
import live_mask_bool
import live_mha_zero
import numpy as np
import torch
from made import arrays, rows

LAYER = golden_maps.Layer(arrays(golden_maps))
LIMIT = 2e-6


def module_for(package, **options):
    """An nn.MultiheadAttention of a package's sizes, with weights of a seed."""
    model = importlib.import_module(package.__name__ + "._library").model
    torch.manual_seed(5)
    roles = {role.name.decode() for role in model.roles[: model.n_roles]}
    options = {"bias": "q_bias" in roles, "add_bias_kv": "bias_k" in roles, **options}
    options.setdefault("add_zero_attn", model.extra_keys > options["add_bias_kv"])
    module = torch.nn.MultiheadAttention(model.d_model, model.n_heads, kdim=model.k_dim, vdim=model.v_dim, **options)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.15)
    return module.eval()


class Tensors(unittest.TestCase):
    def test_tensors_give_tensors_of_the_same_bits(self):
        x = rows(2, 7, 48)
        got = LAYER(torch.from_numpy(x), q_lengths=torch.tensor([7, 3]), outputs=["output", "attention"])
        expected = LAYER(x, q_lengths=[7, 3], outputs=["output", "attention"])
        for name, tensor in got.items():
            self.assertIsInstance(tensor, torch.Tensor)
            np.testing.assert_array_equal(tensor.numpy(), expected[name])

    def test_what_is_wrong_is_named(self):
        x = torch.from_numpy(rows(2, 7, 48))
        calls = [
            (lambda: LAYER(x.double()), TypeError, "query has dtype torch.float64; expected torch.float32"),
            (lambda: LAYER(x.half()), TypeError, "torch.float16"),
            (lambda: LAYER(x.numpy(), x), TypeError, "key is torch"),
            (lambda: LAYER(x, x.numpy()), TypeError, "key is numpy.ndarray; expected a torch tensor"),
            (lambda: LAYER(x.transpose(0, 1)), ValueError, "query is not contiguous"),
            (lambda: LAYER(x.to("meta")), ValueError, "query is on device meta; expected cpu"),
            (lambda: LAYER(x.clone().requires_grad_()), ValueError, "query requires grad"),
            (lambda: LAYER(torch._neg_view(x)), ValueError, r"query is negated where it is read; .*resolve_neg"),
            (lambda: LAYER(torch.zeros(1, 0, 48)), ValueError, "q_len is 0"),
        ]
        for call, error, words in calls:
            with self.assertRaisesRegex(error, words):
                call()
        with torch.no_grad():
            self.assertTrue(torch.equal(LAYER(x.clone().requires_grad_()), LAYER(x)))

    def test_half_and_bfloat16_weights_are_read(self):
        x = torch.from_numpy(rows(1, 5, 48))
        for dtype in (torch.bfloat16, torch.float16, torch.float64):
            weights = {name: torch.from_numpy(array).to(dtype) for name, array in arrays(golden_maps).items()}
            as_float = {name: tensor.float() for name, tensor in weights.items()}
            self.assertTrue(torch.equal(golden_maps.Layer(weights)(x), golden_maps.Layer(as_float)(x)))


class Operator(unittest.TestCase):
    def setUp(self):
        self.handle = golden_maps.torch.handle_of(LAYER)
        self.x = torch.from_numpy(rows(2, 7, 48))

    def test_it_is_the_layer(self):
        lengths = torch.tensor([7, 2])
        got = torch.ops.genattn.golden_maps(self.handle, self.x, q_lengths=lengths, output="attention")
        self.assertTrue(torch.equal(got, LAYER(self.x, q_lengths=lengths, outputs="attention")))
        both = torch.ops.genattn.golden_maps_outputs(self.handle, self.x, outputs=["attention", "output"])
        self.assertTrue(torch.equal(both[1], LAYER(self.x)))
        for bad, error in ((-1, "handle -1"), (self.handle, "'nope'")):
            with self.assertRaisesRegex(ValueError, error):
                torch.ops.genattn.golden_maps(bad, self.x, output="nope")

    def test_pytorch_finds_no_fault_with_it(self):
        for arguments in ((self.handle, self.x), (self.handle, self.x, self.x, self.x.clone())):
            torch.library.opcheck(torch.ops.genattn.golden_maps.default, arguments)

    def test_it_is_compiled_whole(self):
        module = golden_maps.torch.as_module(LAYER)
        whole = torch.nn.Sequential(torch.nn.ReLU(), module, torch.nn.Tanh())
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            compiled = torch.compile(whole, fullgraph=True, backend=backend)
            for length in (7, 5, 3):
                x = self.x[:, :length].contiguous()
                self.assertTrue(torch.equal(compiled(x), torch.tanh(LAYER(torch.relu(x)))))

    def test_whole_models_have_one(self):
        model = live_encoder_post.Model(arrays(live_encoder_post))
        width = importlib.import_module("live_encoder_post._library").model.d_model
        x = torch.from_numpy(rows(2, 6, width))
        module = live_encoder_post.torch.as_module(model)
        compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
        self.assertTrue(torch.equal(compiled(query=x), model(query=x)))


class Copies(unittest.TestCase):
    """Of modules that hold a layer, which frameworks copy."""

    def test_a_copy_and_its_origin_may_go_first(self):
        x = torch.from_numpy(rows(2, 7, 48))
        stand_in = golden_maps.from_torch(module_for(golden_maps, batch_first=True))
        for module, given in ((golden_maps.torch.as_module(golden_maps.Layer(arrays(golden_maps))), (x,)),
                              (stand_in, (x, x, x))):
            module = torch.nn.Sequential(module)[0]
            expected = module(*given)
            twin = copy.deepcopy(module)
            self.assertNotEqual(twin.handle, module.handle)
            del module
            gc.collect()
            for one, other in zip(twin(*given), expected):
                self.assertTrue(torch.equal(one, other))

    def test_stacks_and_averages_copy_them(self):
        x = torch.randn(2, 7, 48)
        torch.manual_seed(2)
        block = torch.nn.TransformerEncoderLayer(48, 3, 96, batch_first=True).eval()
        with torch.no_grad():
            expected = torch.nn.TransformerEncoder(block, 3, enable_nested_tensor=False)(x)
            block.self_attn = golden_maps.from_torch(block.self_attn)
            stack = torch.nn.TransformerEncoder(block, 3, enable_nested_tensor=False)
            average = torch.optim.swa_utils.AveragedModel(stack)
            del block
            gc.collect()
            for module in (stack, average):
                self.assertLessEqual((module(x) - expected).abs().max().item(), 1e-5)

    def test_a_pickle_of_arrays_says_what_to_do(self):
        with self.assertRaisesRegex(TypeError, "golden_maps: weights that came from arrays cannot be pickled"):
            pickle.dumps(golden_maps.torch.as_module(LAYER))


class StandIns(unittest.TestCase):
    def compare(self, package, module, *tensors, **options):
        with torch.no_grad():
            expected = module(*tensors, **options)
        got = package.from_torch(module)(*tensors, **options)
        self.assertEqual(got[0].shape, expected[0].shape)
        self.assertLessEqual((got[0] - expected[0]).abs().max().item(), LIMIT)
        self.assertEqual(got[1] is None, expected[1] is None)
        if expected[1] is not None:
            self.assertEqual(got[1].shape, expected[1].shape)
            self.assertLessEqual((got[1] - expected[1]).abs().max().item(), LIMIT)

    def test_results_are_those_of_the_module(self):
        padding = torch.arange(7)[None] >= torch.tensor([7, 3, 5])[:, None]
        for batch_first in (True, False):
            module = module_for(golden_maps, batch_first=batch_first)
            for options in ({}, {"need_weights": False}, {"average_attn_weights": False}):
                x = torch.randn(3, 7, 48)
                self.compare(golden_maps, module, x, x, x, **options)
                self.compare(golden_maps, module, x, torch.randn(3, 7, 48), torch.randn(3, 7, 48), **options)
                self.compare(golden_maps, module, x[0], x[0], x[0], **options)
                x = x if batch_first else x.transpose(0, 1)
                self.compare(golden_maps, module, x, x, x, key_padding_mask=padding, **options)

    def test_causal_layers_want_the_mask(self):
        module, x = module_for(golden_causal, batch_first=True), torch.randn(2, 6, 48)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(6)
        for one in (mask, torch.ones(6, 6).triu(1).bool()):
            self.compare(golden_causal, module, x, x, x, attn_mask=one, is_causal=True, need_weights=False)
        stand_in = golden_causal.from_torch(module)
        for one in (None, torch.zeros(6, 6), torch.ones(6, 6).triu(0).bool()):
            with self.assertRaisesRegex(ValueError, "attn_mask"):
                stand_in(x, x, x, attn_mask=one, need_weights=False)

    def test_masks_are_those_of_the_module(self):
        generator = torch.Generator().manual_seed(3)
        for package in (live_mask_bool, live_mask_add):
            model = importlib.import_module(package.__name__ + "._library").model
            module = module_for(package, batch_first=True)
            x = torch.randn(2, 6, model.d_model)
            hidden = torch.rand(2 * model.n_heads, 6, 6, generator=generator) < 0.4
            hidden[:, :, 0] = False
            padding = torch.tensor([[False] * 6, [False, True, False, False, True, True]])
            for options in ({"attn_mask": hidden}, {"attn_mask": hidden[0]}, {"key_padding_mask": padding},
                            {"attn_mask": hidden, "key_padding_mask": padding}):
                self.compare(package, module, x, x, x, need_weights=False, **options)
        self.compare(live_mask_add, module, x, x, x, need_weights=False, attn_mask=torch.randn(6, 6))

    def test_learned_and_zero_keys_are_those_of_the_module(self):
        model = importlib.import_module("live_mha_zero._library").model
        module = module_for(live_mha_zero, batch_first=True)
        self.assertTrue(module.add_zero_attn)
        x = torch.randn(2, 6, model.d_model)
        key, value = torch.randn(2, 6, model.k_dim), torch.randn(2, 6, model.v_dim)
        self.compare(live_mha_zero, module, x, key, value, need_weights=False)

    def test_it_is_compiled_whole(self):
        stand_in, x = golden_maps.from_torch(module_for(golden_maps, batch_first=True)), torch.randn(2, 5, 48)
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            got = torch.compile(stand_in, fullgraph=True, backend=backend)(x, x, x)
            for one, other in zip(got, stand_in(x, x, x)):
                self.assertTrue(torch.equal(one, other))

    def test_what_differs_is_refused(self):
        right = module_for(golden_maps, batch_first=True)
        other = torch.nn.MultiheadAttention
        modules = [
            (module_for(golden_maps).train(), ValueError, "training is True; expected False"),
            (other(32, 4).eval(), ValueError, "embed_dim is 32; expected 48"),
            (other(48, 4).eval(), ValueError, "num_heads is 4; expected 3"),
            (other(48, 3, kdim=20).eval(), ValueError, "kdim is 20; expected 48"),
            (other(48, 3, bias=False).eval(), ValueError, "q_bias is missing"),
            (other(48, 3, add_zero_attn=True).eval(), ValueError, "1; expected 0"),
            (torch.nn.Linear(2, 2), TypeError, "Linear"),
            (module_for(golden_maps).double(), TypeError, "torch.float64"),
            (module_for(golden_maps).to("meta"), ValueError, "device is meta"),
        ]
        for module, error, words in modules:
            with self.assertRaisesRegex(error, words):
                golden_maps.from_torch(module)
        stand_in, x, first = golden_maps.from_torch(right), torch.randn(2, 5, 48), torch.zeros(2, 5).bool()
        first[:, 0] = True
        calls = [({"attn_mask": torch.randn(5, 5)}, "a mask of numbers"), ({"is_causal": True}, "is_causal"),
                 ({"attn_mask": torch.ones(5, 5).triu(1).bool()}, "attn_mask is another"),
                 ({"attn_mask": torch.zeros(4, 5)}, "shape"), ({"key_padding_mask": first}, "hides keys before others"),
                 ({"key_padding_mask": torch.ones(2, 5).bool()}, "all keys"),
                 ({"key_padding_mask": first[:1]}, "shape")]
        for options, words in calls:
            with self.assertRaisesRegex(ValueError, words):
                stand_in(x, x, x, **options)


if __name__ == "__main__":
    unittest.main()
