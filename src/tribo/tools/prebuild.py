"""Build the library of prebuilt machine code: every entry, for two levels of x86-64 processors.

    python -m tribo.tools.prebuild [--jobs N] [--force] [--levels here] [--output FOLDER]

Each part is compiled by Numba in a process of its own and becomes object files (`tribo.compiler.export`); the
C compiler links them with `shim.c` into one shared library per level. They go to the cache folder, where
every environment of this machine finds them as long as the sources stay as they are.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import importlib.metadata
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tribo.compiler import prebuilt
from tribo.compiler.sources import PACKAGE, PREBUILT, digest

# Parts that are compiled side by side, the longest first: modules whose functions belong to them.
PARTS = {
    "step": ("engine.",),
    "contact": ("contact.lazily_compiled",),
    "probes": ("probes.",),
    "collision": ("collision.lazily_compiled",),
    "questions": ("queries.", "dynamics.", "contact.", "batch_kernels."),
    "ground": ("ground_kernels.",),
}
# Number, name, C text of the arguments (None: called by address), name of the result's type.
Row = tuple[int, str, list[str] | None, str]
_WRITES = re.compile(r"^\s*Writes:(.*?)\.\s*$", re.MULTILINE)
_KINDS = {"int64": "INTEGER", "float64": "NUMBER", "boolean": "TRUTH", "bool": "TRUTH", "none": "NOTHING"}


class BuildError(Exception):
    """The library was not built."""


class NoMeansError(BuildError):
    """Nothing is wrong with the sources, but this machine cannot build a library."""


def part_of(function: Callable[..., Any]) -> str:
    """Return the part to which a function belongs."""
    module = function.__module__.removeprefix("tribo.") + "."
    return next(part for part, starts in PARTS.items() if module.startswith(starts))


def functions() -> list[tuple[Any, Any]]:
    """Return what the library contains: functions and their arguments, or their signatures."""
    from tribo.engine import lazy_kernels, prebuilt_entries

    entries = [(getattr(f, "py_func", f), arguments) for f, arguments in prebuilt_entries.ENTRIES]
    late = [(made.function, made.signature) for made in lazy_kernels.functions().values()]
    return [*entries, *late]


def compile_part(part: str, folder: Path, levels: Sequence[str]) -> None:
    """Write the object files of one part and what the table says of them."""
    mine = [(k, row) for k, row in enumerate(functions()) if part_of(row[0]) == part]
    (folder / f"{part}.json").write_text(json.dumps(objects_of(mine, folder, levels)), "utf-8")


def objects_of(
    numbered: Iterable[tuple[int, tuple[Any, Any]]], folder: Path, levels: Sequence[str] = prebuilt.LEVELS
) -> list[Row]:
    """Write the object files of functions; return what the table says of them.

    Args:
        numbered: Number of each function in the library, the function, and its arguments or its signature.
        folder: Where the object files go, named by number and level.
        levels: Processors that they are for.
    """
    from tribo.compiler import export
    from tribo.compiler.jit import name_of

    rows: list[Row] = []
    for number, (function, declared) in numbered:
        made = export.export(function, declared, f"tribo_{number}", tuple(levels))
        for level, content in made.objects.items():
            (folder / f"{number:02}.{level}.o").write_bytes(content)
        arguments = None
        if isinstance(declared, tuple):
            arguments = [_argument(function, k, kind) for k, kind in enumerate(declared)]
        rows.append((number, name_of(function), arguments, str(made.result)))
    return rows


def _argument(function: Callable[..., Any], k: int, declared: Any) -> str:
    """Return the C text of one argument of an entry."""
    from tribo.compiler.signature import Array, Scalar

    if isinstance(declared, Scalar):
        return f"{{{_KINDS[declared.name]}, 0, 0, 0}}"
    if isinstance(declared, Array):
        said = _WRITES.search(function.__doc__ or "")
        written = said is not None and _name(function, k) in re.findall(r"\w+", said[1])
        kind = "FLOATS" if declared.item.name == "float64" else "INTEGERS"
        return f"{{{kind}, {declared.dimensions}, {int(written)}, 0}}"
    return f"{{RECORD, 0, 0, UINT64_C({declared.stamp})}}"


def _name(function: Callable[..., Any], k: int) -> str:
    return function.__code__.co_varnames[k]


def table(rows: Iterable[Row], level: str, sources: str) -> str:
    """Return `table.h` for `shim.c`."""
    lines, entries, late = [], [], []
    for number, name, arguments, result in sorted(rows):
        if arguments is None:
            lines.append(f"extern int64_t tribo_{number}(void);")
            late.append(f'    {{"{name}", (void *)tribo_{number}}},')
            continue
        lines.append(f"extern void tribo_{number}(int64_t *);")
        lines.append(f"static const struct argument OF_{number}[] = {{{', '.join(arguments)}}};")
        entries.append(f'    {{"{name}", tribo_{number}, OF_{number}, {len(arguments)}, {_KINDS[result]}}},')
    supported = "1" if level == "x86-64" else f"(__builtin_cpu_init(), {_FEATURES})"
    return "\n".join(
        [
            *lines,
            "static const struct entry ENTRIES[] = {", *entries, "};",
            "static const struct late LATE[] = {", *late, "};",
            f'#define SOURCES "{sources}"',
            f"#define IS_SUPPORTED {supported}",
            "",
        ]
    )  # fmt: skip


# What LLVM may use at level x86-64-v3; the compiler's run time asks the processor and the system.
_NEEDED = ("avx", "avx2", "bmi", "bmi2", "fma", "popcnt")
_FEATURES = " && ".join(f'__builtin_cpu_supports("{name}")' for name in _NEEDED)


def level_here() -> str:
    """Return the fastest level that this processor runs."""
    from llvmlite.binding import get_host_cpu_features

    has = get_host_cpu_features()
    return "x86-64-v3" if all(has.get(name) for name in _NEEDED) else "x86-64"


def c_compiler() -> list[str]:
    """Return the command of the C compiler (`CC`, else `cc`).

    Raises:
        NoMeansError: There is none, or the headers of Python are missing.
    """
    command = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(command[0]) is None:
        raise NoMeansError(f"no C compiler {command[0]!r}; install one, or name it: CC=clang")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if not headers.exists():
        raise NoMeansError(f"{headers} is missing; install the headers of this Python (python3-dev)")
    return command


def link(rows: Iterable[Row], level: str, objects: Path, output: Path, sources: str) -> str:
    """Link the objects of one level with the shim; return the name of the library."""
    (objects / "table.h").write_text(table(rows, level, sources), "utf-8")
    name = f"kernels_{level.replace('-', '_')}.abi3.so"
    done = subprocess.run(
        [
            *c_compiler(), "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
            "-fvisibility=hidden", f"-I{sysconfig.get_path('include')}", f"-I{objects}",
            "-o", output / name, PACKAGE / "compiler" / "shim.c",
            *sorted(objects.glob(f"*.{level}.o")),
            "-lm", "-s", "-Wl,-z,now,-z,relro,-z,noexecstack", "-Wl,--build-id=none",
        ],
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise BuildError(f"{shlex.join(c_compiler())} did not link {name}, see above")
    return name


def makers() -> dict[str, str]:
    """Return name and version of what compiles."""
    return {name: importlib.metadata.version(name) for name in ("numba", "llvmlite")}


def is_there(place: Path, levels: Sequence[str] = prebuilt.LEVELS) -> bool:
    """Tell whether a folder has the libraries of these sources, whole and made with these compilers."""
    try:
        said = prebuilt.read_contents(place)
        if said is None or said["sources"] != prebuilt.sources() or said["made with"] != makers():
            return False
        if not {*levels} <= {*said["libraries"]}:
            return False
        return all(
            hashlib.sha256((place / row["file"]).read_bytes()).hexdigest() == row["sha256"]
            for row in said["libraries"].values()
        )
    except (prebuilt.DamagedError, OSError, KeyError):
        return False


def build(output: Path, jobs: int, levels: Sequence[str] = prebuilt.LEVELS) -> None:
    """Build the libraries and their list of contents into a folder.

    Raises:
        NoMeansError: This is no x86-64 Linux, or there is no C compiler.
        BuildError: Something fails to compile.
    """
    if prebuilt.machine() != "linux-x86_64":
        raise NoMeansError(f"libraries are built on linux-x86_64 only, this is {prebuilt.machine()}")
    c_compiler()
    output.mkdir(parents=True, exist_ok=True)  # before the minutes that follow
    begin, sources = time.perf_counter(), prebuilt.sources()
    with tempfile.TemporaryDirectory(prefix="tribo-") as place:
        objects = Path(place)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(_run_part, part, objects, levels): part for part in PARTS}
            try:
                for done in concurrent.futures.as_completed(waiting):
                    part, took = waiting[done], done.result()
                    print(f"tribo: {part} compiled, {took:.0f} s", flush=True)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        rows = [row for part in PARTS for row in json.loads((objects / f"{part}.json").read_bytes())]
        if digest(PREBUILT) != sources:
            raise BuildError("the sources were edited meanwhile; build again")
        made = objects / "made"
        made.mkdir()
        libraries = {}
        for level in levels:
            name = link(rows, level, objects, made, sources)
            key = hashlib.sha256((made / name).read_bytes()).hexdigest()
            libraries[level] = {"file": name, "sha256": key}
        contents = {
            "sources": sources,
            "machine": prebuilt.machine(),
            "libraries": libraries,
            "made with": makers(),
        }
        for row in libraries.values():
            _put(made / row["file"], output / row["file"])
        (made / prebuilt.CONTENTS).write_text(json.dumps(contents, indent=1) + "\n", "utf-8")
        _put(made / prebuilt.CONTENTS, output / prebuilt.CONTENTS)  # last: what it names is there
    print(f"tribo: {output}, {time.perf_counter() - begin:.0f} s", flush=True)


def _put(source: Path, target: Path) -> None:
    """Copy a file so that who has the old one open, or reads now, sees a whole one."""
    beside = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(source, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _run_part(part: str, folder: Path, levels: Sequence[str]) -> float:
    """Compile a part in a process of its own; return the seconds that it took."""
    begin = time.perf_counter()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    environment |= {"TRIBO_KERNELS": "compiled"}
    # Not by PYTHONPATH: from that pip's environment for builds takes away what its own can import.
    paths = [str(PACKAGE.parent), *filter(None, sys.path)]
    code = f"import sys; sys.path[:0] = {paths!r}; from tribo.tools.prebuild import main; sys.exit(main())"
    command = [sys.executable, "-P", "-c", code, "--part", part, "--output", str(folder)]
    command += ["--levels", *levels]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        raise BuildError(f"part {part!r} was ended by signal {-done.returncode} (9: no memory left?)")
    if done.returncode:
        raise BuildError(f"part {part!r} does not compile:\n{done.stderr}")
    return time.perf_counter() - begin


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status: 2 if this machine cannot build a library, 1 if it failed."""
    parser = argparse.ArgumentParser("python -m tribo.tools.prebuild", description="prebuild kernels")
    parser.add_argument("--jobs", type=int, default=min(len(PARTS), os.cpu_count() or 1))
    parser.add_argument("--output", type=Path, help="folder to copy it to from the cache")
    parser.add_argument("--force", action="store_true", help="build it even if it is there")
    parser.add_argument(
        "--levels", nargs="+", choices=(*prebuilt.LEVELS, "here"), default=prebuilt.LEVELS,
        help="processors that it is for, each optimised by itself; here: this one alone",
    )  # fmt: skip
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    levels = [level_here() if level == "here" else level for level in chosen.levels]
    if chosen.part is not None:
        compile_part(chosen.part, chosen.output, levels)
        return 0
    place = prebuilt.cache_place()
    try:
        if chosen.force or not is_there(place, levels):
            build(place, chosen.jobs, levels)
        else:
            print(f"tribo: {place} is there already")
        if chosen.output is not None:
            chosen.output.mkdir(parents=True, exist_ok=True)
            said = prebuilt.read_contents(place)
            assert said is not None
            for row in said["libraries"].values():
                _put(place / row["file"], chosen.output / row["file"])
            _put(place / prebuilt.CONTENTS, chosen.output / prebuilt.CONTENTS)
    except BuildError as error:
        print(f"tribo: {error}", file=sys.stderr)
        return 2 if isinstance(error, NoMeansError) else 1
    except OSError as error:
        remedy = "make room or the folder writable, or set NUMBA_CACHE_DIR to another one"
        print(f"tribo: no library was built: {error}; {remedy}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tribo: interrupted, no library was built", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
