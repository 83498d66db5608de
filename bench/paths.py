"""Where everything lies. Makes no folder."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "bench"


def build_folder():
    """The folder that ninja runs in: the source's own, or one elsewhere that has links to it."""
    present = Path.cwd()
    return present if (present / "bench").resolve() == HERE else ROOT


OUT = build_folder() / "out" / "bench"
DATA = OUT / "data"
SPECS = OUT / "specs"
TREE = OUT / "tree"  # the models are built in a copy, so that what the user configured stays as it is
LOGS = OUT / "log"
PEERS = OUT / "peers"
RESULTS = OUT / "results"


def library(model):
    return TREE / "out" / "lib" / f"lib{model}.so"


def program(model):
    return TREE / "out" / "bin" / model


def openblas_peer():
    return PEERS / "libopenblas_peer.so"


def machine_library():
    return PEERS / "libmachine.so"
