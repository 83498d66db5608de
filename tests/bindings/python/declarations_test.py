"""declarations_test.py: the ctypes made of the public headers against what a C compiler says of these headers: sizes,
offsets, values: declarations_test.py LUA CC. Needs neither numpy nor a library."""
import ctypes
import os
import shlex
import subprocess
import sys
import tempfile

SCRIPT = "bindings/python/declarations.lua"


def written(lua, what):
    return subprocess.run([*shlex.split(lua), SCRIPT, what], check=True, capture_output=True, text=True).stdout


def said_by(lua, cc):
    """The lines of the program that prints them."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "declared.c"), os.path.join(folder, "declared")
        with open(source, "w") as file:
            file.write(written(lua, "c"))
        subprocess.run([*shlex.split(cc), "-std=c11", "-I", "runtime/include/genattn", "-I", "text", "-I",
                        "bindings/python", "-o", program, source], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def found(declared, kind, name):
    if kind == "value":
        return [declared[name]]
    if kind == "size":
        return [ctypes.sizeof(declared[name])]
    struct, field = name.split(".")
    place = getattr(declared[struct], field)
    return [place.size, place.offset]


def main(lua, cc):
    declared, passed, failed = {}, 0, 0
    exec(compile(written(lua, "python"), "_declarations.py", "exec"), declared)
    structs = set()
    for line in said_by(lua, cc):
        kind, name, *numbers = line.split()
        structs.add(name) if kind == "size" else None
        if found(declared, kind, name) == [int(n) for n in numbers]:
            passed += 1
        else:
            failed += 1
            print("FAIL: the compiler says %s, ctypes %s" % (line, found(declared, kind, name)))
    if not {"ga_io", "ga_model", "ga_error", "ga_loaded", "ga_stack", "ga_pack_map", "ga_python_ids"} <= structs:
        failed += 1
        print("FAIL: structs are missing: " + " ".join(sorted(structs)))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main(*sys.argv[1:])
