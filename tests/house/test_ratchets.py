"""Numbers that say how large and how entangled the engine is; each may only fall.

`PYTHONPATH=tests:src python3 -m house.test_ratchets` prints those of today. A change that lowers one lowers
its limit here; none is raised without a reason in the message of the commit.
"""

import ast
import functools
import itertools
import sys

from house.repository import PACKAGE, kept_modules
from house.test_circles import arrows
from house.writers import all_kernels, all_writers, kernels_of, longest_chain

from tribo.model import Work

# Hundreds of lines, begun. "": the files beside the folders.
LINES = {
    "": 14, "batch": 47, "batch_kernels": 4, "checks": 20, "collision": 65, "compiler": 35,
    "contact": 144, "control": 50, "description": 25, "dynamics": 45, "engine": 28, "formats": 191,
    "ground": 10, "ground_kernels": 6, "gym": 33, "identification": 31, "jax": 2, "learn": 14,
    "materials": 14, "math": 11, "objects": 78, "probes": 12, "queries": 46, "raisimpy": 51,
    "readout": 18, "recording": 21, "robots": 2, "scale": 4, "sensors": 18, "spatial": 30,
    "tools": 20, "torch": 2, "viewer": 72, "world": 41, "world_xml": 10,
}  # fmt: skip

NUMBERS = {
    "fields of Work": 290,
    "numbers at the tops of files in contact/ and dynamics/": 208,
    "kernels that write work.status": 36,
    "kernels that write work.contact_impulse": 12,
    "pairs of rooms of contact/ that import from each other": 0,
    "files": 672,
    "kernels in the longest chain of calls from step.py": 21,
}

ROOMS = PACKAGE / "contact"
STEP = ("contact", "dynamics")


def lines():
    """Return how many lines of Python each folder has, in hundreds begun; "": files beside folders."""
    found = {}
    for path in kept_modules():
        folder = "/".join(path.relative_to(PACKAGE).parts[:-1][:1])
        found[folder] = found.get(folder, 0) + len(path.read_text("utf-8").splitlines())
    return {folder: -(-number // 100) for folder, number in found.items()}


def is_number(node):
    """Tell whether an expression is made of numbers only."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def constants_of(text):
    """Return the names of numbers that a file sets at its top, outside classes."""
    found = []
    for node in ast.parse(text).body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets if value is not None else []:
            if isinstance(target, ast.Name) and is_number(value):
                found.append(target.id)
            elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=True)
                found += [one.id for one, other in pairs if is_number(other)]
            elif isinstance(target, ast.Tuple) and getattr(value, "func", None):
                found += [one.id for one in target.elts]  # A, B = range(2)
    return found


def constants():
    """Return how many numbers the files of the folders of a step name at their tops."""
    paths = [path for path in kept_modules() if path.relative_to(PACKAGE).parts[0] in STEP]
    return sum(len(constants_of(path.read_text("utf-8"))) for path in paths)


def written_by(field):
    """Return how many kernels write a field."""
    return len({(row.file, row.kernel) for row in all_writers() if row.field == field})


def rooms_both_ways():
    """Return the pairs of rooms of contact/ each of which imports from the other."""
    rooms = {one.name for one in ROOMS.iterdir() if (one / "__init__.py").exists()}

    def room_of(module):
        parts = module.split(".")
        return parts[2] if parts[:2] == ["tribo", "contact"] and parts[2:3] and parts[2] in rooms else ""

    into = {(room_of(a), room_of(b)) for a, found in arrows().items() for b in found}
    return [(a, b) for a, b in itertools.combinations(sorted(rooms), 2) if {(a, b), (b, a)} <= into]


@functools.cache
def numbers():
    """Return all numbers of today."""
    return {
        "fields of Work": len(Work.fields),
        "numbers at the tops of files in contact/ and dynamics/": constants(),
        "kernels that write work.status": written_by("work.status"),
        "kernels that write work.contact_impulse": written_by("work.contact_impulse"),
        "pairs of rooms of contact/ that import from each other": len(rooms_both_ways()),
        "files": len(kept_modules()),
        "kernels in the longest chain of calls from step.py": len(
            longest_chain(all_kernels(), "tribo.step.run")
        ),
    }


def above(found, limits):
    """Return what is above its limit, or has none: name → (found, limit)."""
    return {name: (n, limits.get(name, 0)) for name, n in found.items() if n > limits.get(name, 0)}


def test_no_folder_grows():
    assert above(lines(), LINES) == {}


def test_no_number_grows():
    assert above(numbers(), NUMBERS) == {}


def test_limits_are_of_what_is_there():
    """A limit of a folder that is gone, or far above what is found, would let others grow unseen."""
    assert set(lines()) == set(LINES)
    assert set(numbers()) == set(NUMBERS)
    found = {**lines(), **numbers()}
    assert above({name: 0.9 * n - 5 for name, n in {**LINES, **NUMBERS}.items()}, found) == {}


def test_what_grew_is_found():
    assert above({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1}) == {"b": (2, 1), "c": (1, 0)}


def test_the_longest_chain_of_calls_is_found():
    text = """
from m import b
def first(x):
    b.leaf(x)
    middle(x)
def middle(x):
    last(x)
def last(x):
    middle(x)
"""
    found = kernels_of({"m.a": text, "m.b": "def leaf(x):\n    pass\n"})
    assert longest_chain(found, "m.a.first") == ["m.a.first", "m.a.middle", "m.a.last"]


def test_numbers_at_the_top_of_a_file_are_found():
    source = """
TINY = 1e-12
LARGE: float = -2.0 * 3
A, B = 1, 2
C, D = range(2)
NAMES = ("a", "b")
TWICE = TINY * 2
class Kind:
    ONE = 1
def f():
    inner = 3
"""
    assert constants_of(source) == ["TINY", "LARGE", "A", "B", "C", "D"]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{name}: {n}\n" for name, n in {**lines(), **numbers()}.items()))
