"""The prebuilt library has all that Python calls: each entry, and each kernel that read-outs call."""

import ast

from house.repository import PACKAGE, kept_modules

from tribo.compiler.jit import BESIDE, LAYERS

LIST = PACKAGE / "engine" / "prebuilt_entries.py"
# Called from Python only where nothing is compiled, or as plain Python (`py_func`).
PLAIN = {
    "tribo.batch_kernels.rollout.roll_out", "tribo.step.update", "tribo.step.advance",
    "tribo.math.quat.to_matrix",
}  # fmt: skip


def module_of(path):
    return ".".join(("tribo", *path.relative_to(PACKAGE).with_suffix("").parts))


def is_compiled(path):
    inner = path.relative_to(PACKAGE).with_suffix("").parts
    return inner[0] in (*LAYERS, *BESIDE) or ".".join(inner) in LAYERS


def marked():
    """Return the names of all functions with a mark, and the mark: kernel or entry."""
    found = {}
    for path in kept_modules():
        if PACKAGE in path.parents and is_compiled(path):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for mark in getattr(node, "decorator_list", []):
                    if isinstance(mark, ast.Name) and mark.id in {"kernel", "entry"}:
                        found[f"{module_of(path)}.{node.name}"] = mark.id
    return found


def used_in(path, functions):
    """Return which of these functions a file names."""
    tree = ast.parse(path.read_text("utf-8"))
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{names.get(node.value.id)}.{node.attr}")
        elif isinstance(node, ast.Name):
            found.add(names.get(node.id))
    return found & set(functions)


def test_what_python_calls_is_in_the_library():
    functions = marked()
    wanted = {name for name, mark in functions.items() if mark == "entry"}
    for path in kept_modules():
        if PACKAGE in path.parents and not is_compiled(path):
            if path.name not in {LIST.name, "warm_up.py"}:
                wanted |= used_in(path, functions)
    listed = used_in(LIST, functions)
    assert len(listed) > 30
    assert wanted - listed - PLAIN == set()
    assert listed - wanted == set()
