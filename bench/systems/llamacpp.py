"""llama.cpp through the package llama-cpp-python, which is optional, as it is built from source: without it all
variants say that it is missing. It runs whole decoders alone (systems/narrow/llamacpp.py)."""


def version():
    """Of the package; None where it is not installed."""
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
