"""The prebuilt library: when it is used, what its functions take, and what happens where they do not fit."""

import ast
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.compiler import export, jit, prebuilt, switches
from tribo.compiler.jit import DISABLED, PREBUILT, name_of
from tribo.compiler.record import Record, field
from tribo.compiler.signature import Array, boolean, float64, int64
from tribo.tools import prebuild

SOURCES = prebuilt.sources()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a folder that is the only place in which libraries are looked for."""
    monkeypatch.setattr(prebuilt, "places", lambda: (tmp_path,))
    monkeypatch.setattr(prebuilt, "_reasons", [])
    for name, value in (("DISABLED", False), ("INSPECTED", []), ("KERNELS", "")):
        monkeypatch.setattr(prebuilt, name, value)
    return tmp_path


def describe(place, content, sources=SOURCES, machine=None, sha256=None):
    """Write a list of contents that names one library for all processors."""
    key = hashlib.sha256(content).hexdigest() if sha256 is None else sha256
    said = {
        "sources": sources,
        "machine": prebuilt.machine() if machine is None else machine,
        "libraries": {"x86-64": {"file": "kernels.abi3.so", "sha256": key}},
    }
    (place / prebuilt.CONTENTS).write_text(json.dumps(said), "utf-8")
    (place / "kernels.abi3.so").write_bytes(content)


def test_a_folder_without_a_library_is_passed_by(place, caplog):
    assert prebuilt._find() is None
    assert "no prebuilt library fits" in prebuilt.reason() or PREBUILT
    assert not caplog.records


def test_a_library_of_other_sources_is_passed_by_silently(place, caplog):
    describe(place, b"not looked at", sources="0" * 64)
    assert prebuilt._find() is None
    assert prebuilt._reasons == ["the sources were edited since the library was built"]
    assert not caplog.records


def test_a_library_for_another_machine_is_passed_by_silently(place, caplog):
    describe(place, b"not looked at", machine="plan9-mips")
    assert prebuilt._find() is None
    assert not caplog.records


def test_a_file_in_the_place_of_the_cache_is_no_damaged_library(place, monkeypatch, caplog):
    (place / "home").write_bytes(b"")
    monkeypatch.setattr(prebuilt, "places", lambda: (place / "home" / "prebuilt",))
    assert prebuilt._find() is None
    assert not caplog.records


def test_a_python_without_its_lock_is_another_machine(monkeypatch):
    here = prebuilt.machine()
    monkeypatch.setattr(sys, "abiflags", "t", raising=False)
    assert prebuilt.machine() == f"{here}-free-threaded"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda at: (at / prebuilt.CONTENTS).write_bytes(b"{"), "cannot be read"),
        (lambda at: (at / prebuilt.CONTENTS).write_bytes(b"[]"), "no list of contents"),
        (lambda at: (at / prebuilt.CONTENTS).write_bytes(b'{"sources": 3}'), "no list of contents"),
        (lambda at: (at / "kernels.abi3.so").unlink(), "cannot be read"),
        (lambda at: (at / "kernels.abi3.so").write_bytes(b"no"), "not as it was written"),
        (lambda at: None, "cannot be loaded"),
    ],
    ids=["cut", "list", "types", "missing", "changed", "no library"],
)
def test_damage_is_said_once_and_gone_round(place, caplog, damage, said):
    describe(place, b"these bytes are what the list says, and no library")
    damage(place)
    assert prebuilt._find() is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert said in caplog.text
    assert str(place) in caplog.text


@pytest.mark.parametrize("name", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT"])
def test_who_inspects_the_compiler_gets_the_compiler(place, monkeypatch, name):
    monkeypatch.setattr(prebuilt, "INSPECTED", [name])
    assert prebuilt._find() is None
    assert prebuilt._reasons == [f"{name} is set"]


def run(code, **environment):
    """Run code in another process."""
    paths = os.pathsep.join([*filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"TRIBO_KERNELS": "compiled"}, "pip install 'tribo[jit]'"),
        ({"TRIBO_KERNELS": "prebuilt"}, "TRIBO_KERNELS=prebuilt, but"),
        ({"TRIBO_KERNELS": "fast"}, "TRIBO_KERNELS must be"),
    ],
)
def test_without_numba_and_without_a_library_it_is_said_what_to_do(tmp_path, environment, said):
    kept = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    without = "import sys; sys.modules['numba'] = None; "
    done = run(f"{without}import tribo; tribo.World", **kept, **environment)
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]
    # Who types a command gets the message and nothing else.
    command = "import runpy; sys.argv = ['tribo', '--version']; runpy.run_module('tribo', None, '__main__')"
    done = run(without + command, **kept, **environment)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("tribo: ")
    assert said in line


def test_the_command_of_an_installed_package_is_the_same():
    text = (Path(tribo.__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    assert tomllib.loads(text)["project"]["scripts"] == {"tribo": "tribo.__main__:main"}


def test_a_damaged_library_without_a_compiler_is_said_once_by_the_command(library, tmp_path):
    """The library lies where it would lie in the cache; the package has none of these sources in a clone."""
    place = tmp_path / "prebuilt" / SOURCES[:16]
    shutil.copytree(library, place)
    for path in place.glob("*.so"):
        path.write_bytes(b"damaged")
    command = (
        "import sys, runpy; sys.modules['numba'] = None; sys.argv = ['tribo', '--version']; "
        "runpy.run_module('tribo', None, '__main__')"
    )
    kept = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0", "TRIBO_KERNELS": ""}
    done = run(command, **kept)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.count("is not as it was written") == len(prebuilt.LEVELS)
    assert "pip install 'tribo[jit]'" in line


# -- a small library -------------------------------------------------------------------------------
class Sample(Record):
    """A record of one field."""

    value = field("n")


class Other(Record):
    """Another record of one field."""

    value = field("n")


def weigh(sample, numbers, table, counts, k, share, is_twice):
    """Write sums into a row of the table and return one.

    Writes: table.
    """
    total = sample.value[k] + counts[0]
    for number in range(numbers.shape[0]):
        total += share * numbers[number]
    if is_twice:
        total *= 2.0
    table[k, 0] = total
    return total


def pick(k):
    """Return a number of a tuple; beyond its end that is an exception."""
    return (5, 7, 11)[k]


def is_even(k):
    """Tell whether a number is even."""
    return k % 2 == 0


def nothing(numbers):
    """Write 1.

    Writes: numbers.
    """
    numbers[0] = 1.0


def product(a, b, x):
    """Return a product, rounded down."""
    return int(a * b * x)


ENTRIES = [
    (weigh, (Sample, Array(float64, 1), Array(float64, 2), Array(int64, 1), int64, float64, boolean)),
    (pick, (int64,)),
    (is_even, (int64,)),
    (nothing, (Array(float64, 1),)),
    (product, int64(int64, int64, float64)),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return the functions above as a library; their names end as theirs."""
    if DISABLED:
        pytest.skip("nothing is compiled")
    if prebuilt.machine() != "linux-x86_64":
        pytest.skip("libraries are built on x86-64 Linux only")
    try:
        prebuild.c_compiler()
    except prebuild.BuildError as error:
        pytest.skip(f"the library cannot be built here: {error}")
    objects, output = tmp_path_factory.mktemp("objects"), tmp_path_factory.mktemp("library")
    rows = prebuild.objects_of(enumerate(ENTRIES), objects)
    libraries = {}
    for level in prebuilt.LEVELS:
        name = prebuild.link(rows, level, objects, output, SOURCES)
        key = hashlib.sha256((output / name).read_bytes()).hexdigest()
        libraries[level] = {"file": name, "sha256": key}
    said = {"sources": SOURCES, "machine": prebuilt.machine(), "libraries": libraries}
    (output / prebuilt.CONTENTS).write_text(json.dumps(said), "utf-8")
    return output


@pytest.fixture(params=prebuilt.LEVELS)
def loaded(library, request):
    """Return the library for a level of processors."""
    said = prebuilt.read_contents(library)
    said["libraries"] = {request.param: said["libraries"][request.param]}
    found = prebuilt.load(library, said)
    if found is None:
        pytest.skip(f"this processor is below {request.param}")
    found.set_fallback(lambda name, arguments: (name, arguments))
    return found


def sample_arguments():
    sample = Sample.allocate({"n": 3}, worlds=2)
    sample.arrays["value"][...] = np.arange(6.0).reshape(2, 3)
    arrays = np.array([1.0, 2.0, 4.0]), np.zeros((3, 2)), np.array([10])
    return [sample.at(1), *arrays, 2, 0.5, True]


def test_entries_compute_what_the_functions_compute(loaded):
    call = loaded.entries[name_of(weigh)]
    given, expected = sample_arguments(), sample_arguments()
    assert call(*given) == weigh(*expected) == 37.0
    np.testing.assert_array_equal(given[2], expected[2])
    assert call.__name__ == "weigh"
    call(*given[:4], np.int64(1), 1, False)  # numbers of other types are converted
    assert given[2][1, 0] == 4.0 + 10.0 + 7.0


def test_results_have_their_types(loaded):
    of = loaded.entries
    assert [of[name_of(pick)](k) for k in range(3)] == [5, 7, 11]
    assert of[name_of(is_even)](4) is True
    assert of[name_of(is_even)](7) is False
    numbers = np.zeros(2)
    assert of[name_of(nothing)](numbers) is None
    assert numbers.tolist() == [1.0, 0.0]


def frozen(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        (0, Other.allocate({"n": 3})),
        (0, np.zeros(3)),
        (1, np.zeros(3, np.float32)),
        (1, np.zeros(3, np.int64)),
        (1, np.zeros((3, 1))),
        (1, np.zeros(6)[::2]),
        (1, [1.0, 2.0]),
        (2, frozen(np.zeros((3, 2)))),
        (3, np.zeros(1)),
        (4, 1.5),
        (5, "half"),
    ],
)
def test_arguments_that_do_not_fit_are_handed_on(loaded, place, wrong):
    given = sample_arguments()
    given[place] = wrong
    before = given[2].copy()
    name, arguments = loaded.entries[name_of(weigh)](*given)
    assert name == name_of(weigh)
    assert all(one is other for one, other in zip(arguments, given, strict=True))
    np.testing.assert_array_equal(given[2], before)


def test_too_few_arguments_are_handed_on(loaded):
    assert loaded.entries[name_of(pick)]() == (name_of(pick), ())


def test_an_exception_of_a_kernel_is_one_of_python(loaded):
    call = loaded.entries[name_of(pick)]
    with pytest.raises(RuntimeError, match=r"a kernel in .*pick raised"):
        call(3)
    assert call(0) == 5


def test_what_is_called_by_address_takes_plain_numbers(loaded):
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)
    assert prototype(loaded.late[name_of(product)])(3, 5, 1.5) == 22


def test_a_library_that_says_other_sources_is_damaged(library, tmp_path):
    shutil.copytree(library, tmp_path, dirs_exist_ok=True)
    said = prebuilt.read_contents(tmp_path) | {"sources": "0" * 64}
    with pytest.raises(prebuilt.DamagedError, match="made of other sources"):
        prebuilt.load(tmp_path, said)


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_where_the_fast_library_is_damaged_the_other_one_is_used(library, place, caplog):
    shutil.copytree(library, place, dirs_exist_ok=True)
    said = prebuilt.read_contents(place)
    fast, plain = (place / said["libraries"][level]["file"] for level in prebuilt.LEVELS)
    content = fast.read_bytes()
    fast.write_bytes(content[:-100])
    found = prebuilt._find()
    assert found.__file__ == str(plain)
    assert found.entries[name_of(pick)](1) == 7
    (record,) = caplog.records
    assert f"{fast} is not as it was written: {plain} is used" in record.getMessage()
    caplog.clear()
    plain.unlink()
    assert prebuilt._find() is None
    (record,) = caplog.records  # both in one message
    assert str(fast) in record.getMessage()
    assert str(plain) in record.getMessage()


@pytest.mark.parametrize("kernels", ["", "prebuilt"])
def test_a_damaged_library_is_no_matter_where_another_folder_has_one(
    library, place, tmp_path_factory, monkeypatch, caplog, kernels
):
    other = tmp_path_factory.mktemp("other")
    for folder in (place, other):
        shutil.copytree(library, folder, dirs_exist_ok=True)
    for path in place.glob("*.so"):
        path.write_bytes(b"")
    monkeypatch.setattr(prebuilt, "places", lambda: (place, other))
    monkeypatch.setattr(prebuilt, "KERNELS", kernels)
    assert prebuilt._find().__file__.startswith(str(other))
    (record,) = caplog.records
    assert str(place) in record.getMessage()


@pytest.mark.parametrize("kernels", ["prebuilt", ""])
def test_a_damage_that_ends_in_an_error_is_said_by_the_error(place, monkeypatch, caplog, kernels):
    describe(place, b"these bytes are what the list says, and no library")
    monkeypatch.setattr(prebuilt, "KERNELS", kernels)
    if not kernels:
        monkeypatch.setitem(sys.modules, "numba", None)
    assert prebuilt._find() is None
    assert not caplog.records
    assert "cannot be loaded" in prebuilt._reasons[0]
    assert prebuilt.REMEDY in prebuilt._reasons[0]


def test_what_does_not_fit_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr(jit.backend(), "cache_folder", lambda layer: tmp_path)
    monkeypatch.setattr(switches, "KERNELS", "")

    def half(x):
        return 0.5 * x

    half.__module__ = "tribo.math"
    monkeypatch.setitem(jit._prebuilt, "half of it", half)
    assert jit._compile_and_call("half of it", (3,)) == 1.5
    assert jit._compile_and_call("half of it", (np.float32(3),)) == 1.5
    monkeypatch.setattr(switches, "KERNELS", "prebuilt")
    with pytest.raises(TypeError, match=r"half of it is not prebuilt for \(int, ndarray int64\(1, 2\)\)"):
        jit._compile_and_call("half of it", (3, np.zeros((1, 2), np.int64)))


def test_what_needs_the_compiler_at_run_time_is_refused(tmp_path):
    if DISABLED:
        pytest.skip("nothing is compiled")
    from tribo.compiler.export import ExportError, export

    def allocate(n):
        return np.zeros(n)[0]

    with pytest.raises(ExportError, match="NRT"):
        export(allocate, (int64,), "tribo_0", ("x86-64",))


def test_every_function_of_the_library_belongs_to_a_part():
    found = [f for f, _ in prebuild.functions() if getattr(f, "__module__", None)]
    assert {prebuild.part_of(f) for f in found} <= set(prebuild.PARTS)
    assert len(found) > 10


def test_a_machine_without_a_c_compiler_is_not_a_build_that_failed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(prebuilt, "machine", lambda: "linux-x86_64")
    monkeypatch.setattr(prebuilt, "cache_place", lambda: tmp_path)
    monkeypatch.setenv("CC", "no-such-compiler")
    assert prebuild.main(["--levels", "here"]) == 2
    assert "install one, or name it: CC=clang" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


def test_the_level_of_this_processor_is_that_of_the_library_that_it_loads(library):
    runs = (name for name in prebuilt.LEVELS if prebuilt.load(library, only(library, name)))
    assert prebuild.level_here() == next(runs)


def only(folder, level):
    """Return the list of contents of a library as if it were for one level."""
    said = prebuilt.read_contents(folder)
    return {**said, "libraries": {level: said["libraries"][level]}}


def test_a_library_for_one_level_is_not_taken_for_one_for_all(library, tmp_path, monkeypatch):
    said = prebuilt.read_contents(library)
    first = prebuilt.LEVELS[0]
    said["made with"] = prebuild.makers()
    said["libraries"] = {first: said["libraries"][first]}
    name = said["libraries"][first]["file"]
    (tmp_path / name).write_bytes((library / name).read_bytes())
    (tmp_path / prebuilt.CONTENTS).write_text(json.dumps(said), "utf-8")
    monkeypatch.setattr(prebuilt, "sources", lambda: SOURCES)
    assert prebuild.is_there(tmp_path, [first])
    assert not prebuild.is_there(tmp_path)


def test_what_kernels_call_of_the_mathematical_library_may_be_in_a_library():
    """A function that is not listed ends `make kernels` and the build of a wheel, after minutes."""
    folders = (
        "math",
        "collision",
        "dynamics",
        "contact",
        "ground_kernels",
        "queries",
        "probes",
        "batch_kernels",
    )
    used = {
        alias.name
        for folder in folders
        for path in (Path(tribo.__file__).parent / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "math"
        for alias in node.names
    }
    assert {"sin", "tanh"} <= used
    assert used - {"inf", "pi"} <= export.LIBRARY_CALLS
