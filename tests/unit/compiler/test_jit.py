"""The cache of compiled kernels: an edit makes new keys for its own layer and all above it."""

import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from forks import Forks

import tribo.compiler.backend
import tribo.compiler.jit
import tribo.compiler.linking
from tribo.batch_kernels.records import Motors, Pilot
from tribo.compiler.backend import cache_folder
from tribo.compiler.jit import DISABLED, LAYERS, backend, name_of
from tribo.compiler.signature import float64
from tribo.engine import lazy_kernels, step_compilation, warm_up
from tribo.model import Command, Late, Model, Settings, State, Work

PACKAGE = pathlib.Path(tribo.compiler.jit.__file__).parents[1]
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tribo.compiler.backend import LAYERS, cache_folder
assert sys.modules["tribo"].__file__.startswith(sys.argv[1])
print(json.dumps({layer: str(cache_folder(layer)) for layer in LAYERS}))
"""


@pytest.fixture(scope="module")
def forks():
    ready = Forks()
    yield ready
    ready.close()


@pytest.fixture
def folders(forks):
    """Return a call that returns the cache folder of each layer of a copy, as a new process sees them."""

    def found(root, **environment):
        status, said, wrong = forks.run("-c", ASK, root, folder=root, **environment)
        assert status == 0, wrong
        return json.loads(said)

    return found


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Copy the package without what `tribo/__init__.py` imports; tests undo their edits."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "tribo", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "tribo/__init__.py").write_text('"""Empty."""\n')
    return root


@contextlib.contextmanager
def edited(path):
    """Add a comment to a file meanwhile."""
    before = path.read_bytes()
    path.write_bytes(before + b"# edited\n")
    yield
    path.write_bytes(before)


def changed(before, after):
    return [layer for layer in LAYERS if before[layer] != after[layer]]


def test_an_edit_changes_the_keys_of_its_layer_and_those_above(copy, folders):
    before = folders(copy)
    with edited(copy / "tribo/math/quat.py"):
        assert changed(before, folders(copy)) == list(LAYERS[LAYERS.index("math") :])
    assert changed(before, folders(copy)) == []  # undone: the old folder is found again


def test_a_copy_elsewhere_has_folders_of_its_own(copy, folders, tmp_path):
    """Numba looks by path: a shared folder would say "complete" and be compiled again, silently."""
    shutil.copytree(copy / "tribo", tmp_path / "tribo")
    assert changed(folders(copy), folders(tmp_path)) == list(LAYERS)


@pytest.mark.parametrize("record", [Command, Model, Motors, Pilot, Settings, State, Work])
def test_an_edit_of_a_record_changes_the_keys_of_all_that_read_it(copy, folders, record):
    """(Before, `work.py` was in no key: kept code of `dynamics` wrote beside the fields of a new Work.)"""
    before = folders(copy)
    with edited(copy / (record.__module__.replace(".", "/") + ".py")):
        after = changed(before, folders(copy))
    readers = ("batch_kernels",) if "batch" in record.__module__ else ("dynamics", "contact", "step")
    assert set(readers) <= set(after)


def test_an_edit_above_leaves_the_layers_below(copy, folders):
    before = folders(copy)
    new = copy / "tribo/contact/new.py"
    new.write_text('"""New."""\n')
    after = folders(copy)
    new.unlink()
    assert changed(before, after) == ["contact", "step", "batch_kernels", "engine.run_at"]


def test_bounds_checking_has_a_cache_of_its_own(copy):
    """Numba reads this as it is imported: in processes that do not fork."""

    def asked(value):
        command = [sys.executable, "-c", ASK, str(copy)]
        done = subprocess.run(
            command,
            env={**os.environ, "NUMBA_BOUNDSCHECK": value},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    assert changed(*map(asked, "01")) == list(LAYERS)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"NUMBA_CACHE_DIR": "mine"}, "mine"),
        ({"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "theirs"}, "theirs/tribo"),
    ],
)
def test_the_user_chooses_the_place(copy, folders, environment, expected):
    for folder in folders(copy, **environment).values():
        assert pathlib.Path(folder).is_relative_to(expected)


def test_folders_of_layers_differ():
    assert len({cache_folder(layer) for layer in LAYERS}) == len(LAYERS)


@pytest.mark.skipif(DISABLED, reason="nothing is cached without the compiler")
def test_kernels_are_cached_in_the_folder_of_their_layer():
    from tribo.math import vec

    path = vec.cross.from_python._cache.cache_path
    assert pathlib.Path(path).is_relative_to(cache_folder("math"))


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_a_kernel_compiled_for_others_can_still_be_called():
    """What other kernels compile has no call wrapper; a call from Python gets a version that has."""
    from tribo.contact.problem.contact_targets import effective_friction

    effective_friction.compile((backend().numba_type(float64),) * 4)
    assert effective_friction(0.4, 0.6, 1.0, 0.25) == pytest.approx(0.55)
    assert len(effective_friction.from_python.overloads) == 1


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize("is_called_by_address", [False, True])
def test_what_python_calls_takes_kernels_in_and_llvm_stays_as_it_was(
    is_called_by_address, monkeypatch, tmp_path
):
    """LLVM's own threshold at degree 3 is 250 (`OptAggressiveThreshold` in its InlineCost.h)."""
    said = []
    monkeypatch.setattr(tribo.compiler.linking.llvm, "set_option", lambda name, option: said.append(option))
    monkeypatch.setattr(tribo.compiler.backend, "cache_folder", lambda layer: tmp_path)

    def twice(x):
        return 2.0 * x

    twice.__module__ = "tribo.math"
    if is_called_by_address:
        assert tribo.compiler.jit.late(twice, float64(float64))()
    else:
        assert tribo.compiler.jit.entry(twice)(1.0) == 2.0
    assert said == ["-inline-threshold=2000", "-inline-threshold=250"]


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize("is_called_by_address", [False, True])
@pytest.mark.parametrize("damaged", ["*.nbc", "*.nbi"])
def test_a_damaged_cache_is_said_and_compiled_again(
    damaged, is_called_by_address, monkeypatch, tmp_path, caplog
):
    monkeypatch.setattr(tribo.compiler.backend, "cache_folder", lambda layer: tmp_path)

    def third(x):
        return x / 3.0

    third.__module__ = "tribo.math"

    def play():
        if is_called_by_address:
            address = tribo.compiler.jit.late(third, float64(float64))()
            return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)(6.0)
        return tribo.compiler.jit.entry(third)(6.0)

    assert play() == 2.0
    (path,) = tmp_path.rglob(damaged)
    path.write_bytes(path.read_bytes()[:60])
    assert not caplog.records
    assert play() == 2.0
    (record,) = caplog.records
    assert str(tmp_path) in record.getMessage()
    assert "is damaged" in record.getMessage()
    caplog.clear()
    assert play() == 2.0  # written anew
    assert not caplog.records


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_warm_up_compiles_late_functions_only_if_told(monkeypatch, tmp_path):
    compiled, steps = [], []
    monkeypatch.setattr(warm_up, "_mark", lambda layer: tmp_path / layer / "complete")
    monkeypatch.setattr(warm_up, "_warm", set())
    monkeypatch.setattr(step_compilation, "compile_step", steps.append)
    monkeypatch.setattr(step_compilation, "_cores", lambda: 1)
    monkeypatch.setattr(lazy_kernels, "address", compiled.append)
    warm_up.warm_up(quiet=True)
    assert warm_up.is_compiled()
    assert len(steps) == 1
    assert not compiled
    assert not warm_up.is_compiled("contact")
    for _ in range(2):
        warm_up.warm_up(everything=True, quiet=True)
        assert warm_up.is_compiled("contact")
        assert compiled == list(Late)


def test_late_functions_are_called_what_the_library_calls_them():
    """By these names they are found there without reading sources, which takes a tenth of a second."""
    found = {late: name_of(made.function) for late, made in lazy_kernels.functions().items()}
    assert found == lazy_kernels.NAMES
    assert set(found) == set(Late)
