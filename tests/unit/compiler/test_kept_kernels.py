"""What is kept of a kernel is used exactly as long as what it was made of is the same."""

import json
import os
import subprocess
import sys

import pytest
from forks import Forks

from tribo.compiler.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")

INNER = """
import enum
from tribo.compiler.jit import kernel
OFFSET = 100.0
class Way(enum.IntEnum):
    UP = 1
    DOWN = 2
@kernel
def shifted(x):
    return x + OFFSET
"""
LITTLE = """
import numpy as np
import inner
from tribo.compiler.jit import kernel
from tribo.compiler.record import Record, field, world_of
FACTOR = 2.0
TABLE = (1.0, 10.0)
UP = int(inner.Way.UP)
class Box(Record):
    width = field()
    depth = field("n")
@kernel
def scaled(x):
    '''Scale.'''
    return FACTOR * x
@kernel
def summed(box):
    return scaled(box.width) + box.depth[1]
@kernel
def chosen(x):
    return inner.shifted(x) + TABLE[UP]
@kernel
def of_world(box, e):
    return summed(world_of(box, e))
@kernel
def whole(box, e):
    return of_world(box, e) + chosen(0.0)
"""
# Prints the value and what was compiled; with "pieces", `summed` and `chosen` are pieces of their own.
ASK = """
import json, pathlib, sys, logging
logging.basicConfig()
import tribo.compiler.backend as backend
from tribo.compiler import jit, linking, progress
sys.path.insert(0, sys.argv[1])
said = []
progress.listeners.append(said.append)
import numpy as np
import little
def asked(box):
    return little.whole(box, 1)
asked.__module__ = "tribo.math"
backend.cache_folder = lambda layer: pathlib.Path(sys.argv[1], "kept")
heads = ["little.summed", "little.chosen"] if "pieces" in sys.argv else []
box = little.Box.allocate({"n": 2}, 2)
box.arrays["width"][1], box.arrays["depth"][1, 1] = 3.0, 0.5
make = jit.entry if "entry" in sys.argv else jit.script
with linking.parted(linking.Units(heads)):
    value = make(asked)(box)
print(json.dumps([value, sorted(said)]))
"""
ALL = [
    "kernel inner.shifted",
    *(f"kernel little.{n}" for n in ("chosen", "of_world", "scaled", "summed", "whole")),
]
PIECES = ["unit little.chosen", "unit little.summed"]
VALUE = 2.0 * 3.0 + 0.5 + 100.0 + 10.0


@pytest.fixture
def place(tmp_path):
    (tmp_path / "inner.py").write_text(INNER)
    (tmp_path / "little.py").write_text(LITTLE)
    return tmp_path


def environment(place):
    (place / "ask.py").write_text(ASK)  # Numba keeps nothing of a function without a file
    return {
        "NUMBA_CACHE_DIR": str(place / "cache"),
        "TRIBO_KERNELS": "compiled",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def start(place, *how):
    return subprocess.Popen(
        [sys.executable, str(place / "ask.py"), str(place), *how],
        env={**os.environ, **environment(place)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def forks():
    ready = Forks(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))
    yield ready
    ready.close()


@pytest.fixture
def ask(place, forks):
    """Return a call that starts a process and returns the value, what was compiled, and what was said."""

    def asked(*how):
        status, said, wrong = forks.run(place / "ask.py", place, *how, **environment(place))
        assert status == 0, wrong
        return *json.loads(said.splitlines()[-1]), wrong

    return asked


def edit(place, old, new):
    for name in ("inner.py", "little.py"):
        text = (place / name).read_text()
        if old in text:
            (place / name).write_text(text.replace(old, new))
            return
    raise AssertionError(old)


EDITS = {
    "nothing": ("import numpy as np", "import numpy as np", VALUE, []),
    "a comment and a docstring": ("'''Scale.'''", "'''Scale it.'''  # so", VALUE, []),
    "a constant": ("FACTOR = 2.0", "FACTOR = 3.0", VALUE + 3.0, ["little.scaled"]),
    "a callee": ("return FACTOR * x", "return FACTOR * x + 1.0", VALUE + 1.0, ["little.scaled"]),
    "a constant of another file": ("OFFSET = 100.0", "OFFSET = 200.0", VALUE + 100.0, ["inner.shifted"]),
    "a table": ("(1.0, 10.0)", "(1.0, 20.0)", VALUE + 10.0, ["little.chosen"]),
    "an enumeration": ("UP = 1", "UP = 0", VALUE - 9.0, ["little.chosen"]),
    "what a callee returns": (
        "return FACTOR * x", "return int(FACTOR) * int(x)", VALUE, ["little.scaled", "little.summed"],
    ),
    "a field at the end": (
        'field("n")\n', 'field("n")\n    height = field()\n', VALUE, ["little.of_world"],
    ),
    "a field in front": (
        "    width = field()\n", "    height = field()\n    width = field()\n", VALUE,
        ["little.of_world", "little.summed"],
    ),
    "the type of a field": ('field("n")', 'field("n", dtype=np.int64)', VALUE - 0.5, ["little.summed"]),
    "another callee": ("scaled(box.width)", "inner.shifted(box.width)", VALUE + 97.0, ["little.summed"]),
}  # fmt: skip


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_compiles_what_it_concerns(place, what, ask):
    old, new, value, compiled = EDITS[what]
    assert ask()[:2] == (VALUE, ALL)
    edit(place, old, new)
    assert ask()[:2] == (value, [f"kernel {name}" for name in compiled])
    assert ask()[:2] == (value, [])
    if old != new:
        edit(place, new, old)
        again = ask()
        assert again[0] == VALUE  # undone: nothing new is left
        assert {*again[1]} <= {f"kernel {name}" for name in compiled}


def test_two_layouts_of_a_record_are_kept_side_by_side(place, ask):
    """Two clones share the folder; who has one more field must not make the other one compile again."""
    reads = ["kernel little.of_world", "kernel little.summed"]
    whole = [(VALUE, ALL), (VALUE, [])]
    edits = ("    width = field()", "    height = field()\n    width = field()")
    assert [ask()[:2], ask()[:2]] == whole
    edit(place, *edits)
    assert [ask()[:2], ask()[:2]] == [(VALUE, reads), (VALUE, [])]
    edit(place, *edits[::-1])
    assert ask()[:2] == (VALUE, [])


def test_an_edit_makes_the_piece_anew_in_which_it_is(place, ask):
    assert ask("pieces")[:2] == (VALUE, [*ALL, *PIECES])
    assert ask("pieces")[:2] == (VALUE, [])
    edit(place, "FACTOR = 2.0", "FACTOR = 3.0")
    assert ask("pieces")[:2] == (VALUE + 3.0, ["kernel little.scaled", "unit little.summed"])


def damage(place, change):
    found = [p for p in (place / "cache" / "kernels").rglob("*") if p.is_file()]
    assert len(found) >= 7
    for path in found:
        path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize("change", [lambda b: b[:-5], lambda b: b[:50] + b"?" + b[51:], lambda _: b""])
def test_damaged_files_are_said_and_made_anew(place, change, ask):
    assert ask("pieces")[0] == VALUE
    damage(place, change)
    value, compiled, said = ask("pieces")
    assert (value, compiled) == (VALUE, [*ALL, *PIECES])
    assert "is damaged: compiled again" in said
    assert ask("pieces")[1:] == ([], "")


def test_what_python_calls_is_kept_with_its_pieces(place, ask):
    assert ask("pieces", "entry")[0] == VALUE
    assert ask("pieces", "entry") == (VALUE, [], "")
    damage(place, lambda _: b"")
    value, compiled, said = ask("pieces", "entry")
    assert (value, compiled) == (VALUE, [*ALL, *PIECES])
    assert "a part of it" in said


def test_two_processes_at_once(place, ask):
    two = [start(place, "pieces") for _ in range(2)]
    for process in two:
        said, wrong = process.communicate(timeout=600)
        assert process.returncode == 0, wrong
        assert json.loads(said.splitlines()[-1])[0] == VALUE
    assert ask("pieces") == (VALUE, [], "")


def test_an_interrupted_process_leaves_nothing_half(place, ask):
    process = start(place, "pieces")
    cache = place / "cache" / "kernels"
    while process.poll() is None and not any(p.is_file() for p in cache.rglob("*")):
        pass
    process.kill()
    process.communicate()
    value, _, said = ask("pieces")
    assert value == VALUE
    assert "damaged" not in said
    assert ask("pieces") == (VALUE, [], "")
