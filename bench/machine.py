"""What this machine is, and what it gives: instruction sets, caches, multiply-add peak, reading speed, clock."""

import ctypes
import functools
import mmap
import os
import platform
import re
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_char, c_char_p, c_double, c_size_t, c_void_p
from pathlib import Path
from statistics import median

import paths
import rungs

ISA_FLAGS = {"avx512": {"avx512f"}, "avx2": {"avx2", "fma"}}  # best first; what generator/isa asks of a CPU
LIMIT = "GENATTN_BENCH_ISA"  # the environment's word for workers: one of LIMITS, or nothing
# Instruction sets that a run may be limited to, and what engines are told then. Not all of them obey.
LIMITS = {name: {"ONEDNN_MAX_CPU_ISA": word, "OPENBLAS_CORETYPE": "Haswell"}
          for name, word in (("avx2", "AVX2"), ("avx2vnni", "AVX2_VNNI"))}
# Use all that a CPU has, PyTorch for int8 (FBGEMM): not in limited runs.
UNTOLD = ("onnxruntime", "pytorch", "nn_mha", "nn_encoder", "compile")
BURSTS = 5
HUGE_PAGE = 2 << 20


def _cpuinfo(field):
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    found = re.search(rf"^{field}\s*:\s*(.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def cpu_name():
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def cpu_slug():
    """The CPU's name as a folder's; family and model tell CPUs that hide their name apart."""
    words = [cpu_name(), _cpuinfo("cpu family") and f"family {_cpuinfo('cpu family')} model {_cpuinfo('model')}"]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(filter(None, words)).lower()).strip("-")


def free_memory():
    """Bytes that programs may take without anything being written out to make room."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise OSError("/proc/meminfo does not say how much memory is free")


def isas():
    """Instruction sets worth measuring, best first: those of vectors this CPU has, else plain C. A limited run has one:
    a set that refines it is built with it."""
    flags = set(_cpuinfo("flags").split())
    found = [isa for isa, needed in ISA_FLAGS.items() if needed <= flags] or ["scalar"]
    return ["avx2"] if LIMIT in os.environ else found


def narrow_isa():
    """The set by which our models of narrow numbers run; None: the best."""
    return "avx2" if os.environ.get(LIMIT) == "avx2" else None


def limit(isa):
    """Limits this process and its workers, before an engine is loaded."""
    os.environ.update(LIMITS[isa] | {LIMIT: isa})


def has(isa):
    """Whether this CPU has a set of LIMITS."""
    flags = {"avx2": ISA_FLAGS["avx2"], "avx2vnni": {"avx_vnni"}}[isa]
    return flags <= set(_cpuinfo("flags").split())


def caches():
    """{"L1": bytes, ...} of a CPU's data caches."""
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (index / "type").read_text().strip() != "Instruction":
            size = (index / "size").read_text().strip()
            found["L" + (index / "level").read_text().strip()] = int(size[:-1]) * {"K": 1024, "M": 1 << 20}[size[-1]]
    return found or {"L1": 32 << 10, "L2": 1 << 20, "L3": 16 << 20}


def describe():
    return {
        "cpu": cpu_name(), "slug": cpu_slug(), "cpus": os.cpu_count(), "isas": isas(), "caches": caches(),
        "system": f"{platform.system()} {platform.release()}", "libc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
    }


def _block(size):
    """size bytes of zeros, touched, on pages as large as the library's own blocks have (runtime/base/arena.c)."""
    room = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE)
    if size >= HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
        room.madvise(mmap.MADV_HUGEPAGE)
    block = (c_char * size).from_buffer(room, -ctypes.addressof(c_char.from_buffer(room)) % HUGE_PAGE)
    ctypes.memset(block, 0, size)
    return block


class System:
    """Runs in a worker like the systems it is held against, and gives numbers where they give results."""

    versions = {}

    def __init__(self, threads):
        self.threads, self.pool = threads, ThreadPoolExecutor(threads)
        self.library = ctypes.CDLL(str(paths.machine_library()))
        self.library.machine_read.restype = self.library.machine_clock.restype = c_double
        self.library.machine_read.argtypes = [c_void_p, c_size_t, c_double]
        self.library.ga_peak_gflops.restype, self.library.ga_peak_gflops.argtypes = c_double, [c_char_p]
        self.library.machine_narrow_peak.restype, self.library.machine_narrow_peak.argtypes = c_double, [c_char_p]

    def variants(self, _cell):
        return {}

    def together(self, loop, name):
        """GFLOP/s of all threads together: the median of a few bursts, each a few milliseconds."""
        burst = functools.partial(loop, name.encode())
        total = [sum(self.pool.map(lambda _: burst(), range(self.threads))) for _ in range(BURSTS)]
        return median(total)

    def peak(self, isa):
        return self.together(self.library.ga_peak_gflops, isa)

    def narrow_peak(self, numbers):
        """Giga-operations a second; 0 where the CPU has no instruction for them, or may not use it."""
        if numbers == "f32":
            return self.peak(isas()[0])
        return 0.0 if LIMIT in os.environ else self.together(self.library.machine_narrow_peak, numbers)

    def narrow_sample(self, cell):
        """What else is measured for a cell of narrow numbers: the peak of each kind of product, and the speed of
        reading what each rung reads."""
        sizes = {rung.name: int(rungs.weight_bytes(cell, rung)) + cell.cache_bytes for rung in rungs.of_cell(cell)}
        return {"peaks": {numbers: self.narrow_peak(numbers) for numbers in rungs.PEAKS},
                "reads": {name: self.read_together(size) for name, size in sizes.items()} if cell.rows == 1 else {}}

    def read(self, size):
        """GB/s of one thread that reads `size` bytes over and over: the median of a few bursts, one of which another
        process may interrupt."""
        size = max(size // 1024, 1) * 1024
        block = _block(size)
        return median(self.library.machine_read(block, size, 0.01) for _ in range(BURSTS))

    def read_together(self, size):
        """GB/s of all threads together, each of which reads its own part of `size` bytes."""
        return sum(self.pool.map(lambda _: self.read(size // self.threads), range(self.threads)))

    def sample(self, cell):
        """What is measured of the machine once a round."""
        read = self.read_together if cell.whole else self.read
        return {
            "gflops": {isa: self.peak(isa) for isa in isas()}, "gb_per_s": read(cell.read_bytes),
            "ghz": median(self.library.machine_clock() for _ in range(BURSTS)),
        } | (self.narrow_sample(cell) if cell.narrow else {})

    def levels(self):
        """GB/s out of each cache (half of it), and out of memory."""
        sizes = caches()
        speeds = {level: self.read(size // 2) for level, size in sizes.items()}
        return speeds | {"memory": self.read(min(4 * max(sizes.values()), 256 << 20))}


def open_system(threads):
    return System(threads)
