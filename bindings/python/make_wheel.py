"""make_wheel.py: puts a model's Python package into a wheel: a zip with the library, what that needs besides the C
library, the package's files and the lists that an installer reads. The same files give the same bytes. Asks no network
and no pip; compiles nothing.
"""
import argparse
import base64
import hashlib
import keyword
import os
import re
import subprocess
import sys
import zipfile

# Libraries that every host has; any other that ours needs goes into the wheel.
OF_THE_HOST = re.compile(r"^(lib(c|m|pthread|dl|rt|gcc_s)\.so|ld-linux|linux-vdso)")
SOURCE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
TAKEN = ("numpy", "torch")

METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
"""
WHEEL = """Wheel-Version: 1.0
Generator: genattn ({version})
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def needed(library):
    """The names of the shared objects that a library asks for, but those of the host."""
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
    return [name for name in names if not OF_THE_HOST.match(name)]


def found(cc, name):
    """The path of a shared object, as the compiler's linker finds it."""
    path = subprocess.run("%s -print-file-name=%s" % (cc, name), shell=True, check=True, capture_output=True,
                          text=True).stdout.strip()
    if not os.path.isabs(path):
        sys.exit("make_wheel.py: the library needs %s, which '%s' does not find" % (name, cc))
    return os.path.realpath(path)


def notices(path):
    """What must go with a shared object of Debian's."""
    name = re.sub(r"(\d?)\.so\.(\d+).*", lambda found: found[1] + ("-" if found[1] else "") + found[2],
                  os.path.basename(path))  # libjansson4, libpcre2-8-0
    copyright_file = "/usr/share/doc/%s/copyright" % name
    return {"licenses/%s" % name: read(copyright_file)} if os.path.exists(copyright_file) else {}


def record(files, info):
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        lines.append("%s,sha256=%s,%d\n" % (name, digest, len(files[name])))
    return "".join(lines) + info + "RECORD,,\n"


def write(path, files):
    """A zip whose bytes are those of the files: no dates, no owners, names in order."""
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name])
    os.replace(path + ".part", path)


def check_name(name):
    if keyword.iskeyword(name) or name in TAKEN or name in getattr(sys, "stdlib_module_names", ()):
        sys.exit("make_wheel.py: a Python module cannot be called %s; give the spec another name" % name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--name", "--version", "--platform", "--summary", "--library", "--cc", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("files", nargs="+", help="files of the package")
    given = parser.parse_args()
    check_name(given.name)
    info = "%s-%s.dist-info/" % (given.name, given.version)
    files = {"%s/%s" % (given.name, os.path.basename(path)): read(path) for path in [given.library, *given.files]}
    for name in needed(given.library):
        path = found(given.cc, name)
        files["%s/%s" % (given.name, name)] = read(path)
        files.update({info + more: data for more, data in notices(path).items()})
    words = vars(given)
    files[info + "METADATA"] = METADATA.format(**words).encode()
    files[info + "WHEEL"] = WHEEL.format(**words).encode()
    files[info + "licenses/LICENSE"] = read(os.path.join(SOURCE, "LICENSE"))
    files[info + "RECORD"] = record(files, info).encode()
    write(given.out, files)


main()
