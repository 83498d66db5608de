#!/usr/bin/env python3
"""Families of models that --from-hf reads, each in configurations drawn from a seed, with unusual sizes and the options
of its configuration. `make FOLDER [FAMILY...]` saves them as transformers does; `compare FOLDER BIN` compares their
programs with transformers in double precision and prints a row for each family: the largest error as a multiple of the
error of transformers' own float32, and whether greedy tokens are equal. The last line is 'N passed, N failed'."""

import argparse
import inspect
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import zlib

import torch
from safetensors.torch import load_file, save_file

os.environ["HF_HUB_OFFLINE"] = "1"
import transformers  # noqa: E402

import from_hf  # noqa: E402
from family_settings import FAMILIES  # noqa: E402

COUNT = int(os.environ.get("CONFIGURATIONS", "5"))  # of each family
LIMIT = 4.0  # times transformers' own error
LENGTHS = [9, 12, 40, 33]
PROMPT, NEW = 11, 8


# -- Making -----------------------------------------------------------------------------------------------------------

def made(name, i):
    """The i-th model of a family, with weights that keep rows near the size 1."""
    kind, draw, _ = FAMILIES[name]
    r = random.Random(zlib.crc32(f"{name} {i}".encode()))
    settings = draw(r, i) if draw.__code__.co_argcount == 2 and not draw.__defaults__ else draw(r)
    torch.manual_seed(i)
    module = from_hf.class_of(kind)
    module = module(module.config_class(**settings)).eval()
    for parameter in module.parameters():
        if parameter.dim() == 1:
            parameter.data += 0.3 * torch.randn(parameter.shape)
        else:
            parameter.data = torch.randn(parameter.shape) * parameter[0].numel() ** -0.5
    return module


def make(folder, names):
    for name in names:
        if not from_hf.class_of(FAMILIES[name][0]):
            print(f"SKIPPED {name}: transformers {transformers.__version__} has no {FAMILIES[name][0]}")
            continue
        for i in range(COUNT):
            made(name, i).save_pretrained(folder / f"{name}_{i}")


# -- In double precision ----------------------------------------------------------------------------------------------

def exact(module):
    """A model in double precision, its tables of angles too; within from_hf.doubled()."""
    module = module.double()
    for part in list(module.modules()):
        if type(part).__name__.endswith("RotaryEmbedding"):
            asked = {"rope_type": part.rope_type} if "rope_type" in inspect.signature(type(part)).parameters else {}
            for name, buffer in type(part)(part.config, **asked).named_buffers():
                part.register_buffer(name, buffer, persistent=False)
                setattr(part, "original_" + name, buffer)
    return module


def results(module, kind, inputs):
    """What a model gives for each sequence, and the tokens that a decoder adds to a prompt."""
    rows = [module(**one) for one in inputs]
    if kind in ("encoder", "image"):
        return [row.last_hidden_state[0] for row in rows], None
    if kind == "reranker":
        return [row.logits[0] for row in rows], None
    tokens = inputs[2]["input_ids"][:, :PROMPT]
    for _ in range(NEW):
        tokens = torch.cat([tokens, module(input_ids=tokens).logits[:, -1:].argmax(-1)], 1)
    return [row.logits[0] for row in rows], tokens[0].tolist()


# -- Comparing --------------------------------------------------------------------------------------------------------

def inputs_of(module, kind):
    """Inputs of several sequences one by one, and the same for the program."""
    if kind == "image":
        images = torch.randn(3, 3, module.config.image_size, module.config.image_size)
        return [{"pixel_values": image[None]} for image in images], {"x": from_hf.patches(module, images)}
    tokens = torch.randint(5, module.config.vocab_size, (len(LENGTHS), max(LENGTHS)))
    given = {"tokens": tokens, "lengths": torch.tensor(LENGTHS)}
    return [{"input_ids": tokens[b:b + 1, :length]} for b, length in enumerate(LENGTHS)], given


def call(program, folder, command, given, *options):
    with tempfile.TemporaryDirectory() as here:
        source, target = f"{here}/in.safetensors", f"{here}/out.safetensors"
        save_file({name: tensor.contiguous() for name, tensor in given.items()}, source)
        done = subprocess.run([program, command, "--weights", folder, "--input", source, "--output", target, *options],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{folder.name}: {done.stderr.strip()}")
        return load_file(target)


OUTPUTS = {"encoder": "output", "image": "output", "decoder": "logits", "reranker": "class_logits"}


def compare_one(folder, program, name, isa):
    """The error of a program as a multiple of transformers' own, and whether its tokens are those of transformers."""
    kind_of_class, _, kind = FAMILIES[name]
    torch.manual_seed(7)
    module = from_hf.class_of(kind_of_class).from_pretrained(folder, dtype=torch.float32,
                                                               attn_implementation="eager").eval()
    inputs, given = inputs_of(module, kind)
    theirs, _ = results(module, kind, inputs)
    with from_hf.doubled():
        wanted, tokens = results(exact(module), kind, [
            {key: value.double() if value.is_floating_point() else value for key, value in one.items()}
            for one in inputs])
    found = call(program, folder, "run", given, "--outputs", OUTPUTS[kind], "--isa", isa)[OUTPUTS[kind]]
    ours = [from_hf.in_place(found, row, b) for b, row in enumerate(wanted)]
    own = max((a - b).abs().max().item() for a, b in zip(theirs, wanted))
    error = max((a - b).abs().max().item() for a, b in zip(ours, wanted))
    if tokens is None:
        return error, error / own, None
    prompt = {"tokens": given["tokens"][2:3, :PROMPT], "lengths": torch.tensor([PROMPT])}
    more = call(program, folder, "generate", prompt, "--new", str(NEW), "--isa", isa)["tokens"]
    return error, error / own, more[0].tolist() == tokens


def compare(folder, programs, isa):
    passed = failed = 0
    print(f"transformers {transformers.__version__}, {isa}")
    print(f"{'family':16} {'tried':>5} {'error':>8} {'of theirs':>9}  tokens")
    for name in FAMILIES:
        rows = [compare_one(path, programs / path.name, name, isa)
                for path in sorted(folder.glob(f"{name}_[0-9]")) if path.is_dir()]
        if not rows:
            continue
        good = sum(times <= LIMIT and tokens is not False for _, times, tokens in rows)
        passed, failed = passed + good, failed + len(rows) - good
        said = min((tokens for _, _, tokens in rows if tokens is not None), default=None)
        words = {None: "-", True: "equal", False: "NOT EQUAL"}[said]
        print(f"{name:16} {len(rows):5} {max(e for e, _, _ in rows):8.1e} {max(t for _, t, _ in rows):9.2f}  {words}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["make", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("rest", nargs="*", help="make: families, all if none is given; compare: the folder of "
                                                "programs, and an instruction set")
    options = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    with torch.no_grad():
        if options.command == "make":
            return make(options.folder, options.rest or FAMILIES)
        return compare(options.folder, pathlib.Path(options.rest[0]), options.rest[1])


if __name__ == "__main__":
    sys.exit(main())
