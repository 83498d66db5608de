"""llama.cpp through the package llama-cpp-python, which is optional, as it is built from source: without it all
variants say that it is missing. It runs whole decoders alone (systems/narrow/llamacpp.py). A run that is limited to an
instruction set takes the package that was built for it (bench/install.sh)."""

import os
import sys
from pathlib import Path

import machine


def _is_found():
    """Whether the package that this run takes may be there; that of a limited run is found first then."""
    if machine.LIMIT not in os.environ:
        return True
    folder = Path(sys.prefix) / os.environ[machine.LIMIT]
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return (folder / "llama_cpp").is_dir()


def version():
    """Of the package; None where it is not installed."""
    if not _is_found():
        return None
    try:
        import llama_cpp
    except ImportError:
        return None
    return llama_cpp.__version__


class System:
    def __init__(self):
        self.versions = {"llama-cpp-python": version()} if version() else {}

    def variants(self, _cell):
        return {}


def open_system(_threads):
    return System()
