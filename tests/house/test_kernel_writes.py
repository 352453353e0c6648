"""A kernel's docstring says which of its arguments it writes.

Assignments through an argument (`work.next_v[i] = …`, `out[0] = …`), through a name bound to a part
of one (`pos = work.body_pos; pos[i, 0] = …`) and through `world_of` count. Calls are not followed:
an argument that is only handed on may be declared, one that is assigned to must be.
"""

import ast
import re

import pytest
from house.repository import ROOT, kept_modules
from house.writers import pairs_of

SECTION = re.compile(r"^\s*Writes:\s*(.*?)(?=\n\s*\n|\n\s*\w+:|\Z)", re.DOTALL | re.MULTILINE)


def is_kernel(function):
    """Tell whether a function is decorated with @kernel."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(called, "id", getattr(called, "attr", None)) == "kernel":
            return True
    return False


def own_nodes(function):
    """Yield the nodes of a function without those of functions defined in it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def root_of(node, aliases):
    """Return the arguments that an expression is part of."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        return aliases.get(node.id, set())
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "world_of":
        return root_of(node.args[0], aliases)
    return set()


def arguments_written(function):
    """Return (arguments assigned to, arguments handed to calls)."""
    aliases = {argument.arg: {argument.arg} for argument in function.args.args}
    nodes = list(own_nodes(function))
    assignments = []
    for node in nodes:
        if isinstance(node, ast.Assign):
            assignments += [pair for one in node.targets for pair in pairs_of(one, node.value)]
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            assignments.append((node.target, node.value))
    for _ in range(3):  # aliases of aliases
        for target, value in assignments:
            if isinstance(target, ast.Name) and (roots := root_of(value, aliases)):
                aliases[target.id] = aliases.get(target.id, set()) | roots
    written, handed_on = set(), set()
    for target, _ in assignments:
        if isinstance(target, ast.Attribute | ast.Subscript):
            written |= root_of(target, aliases)
    for node in nodes:
        if isinstance(node, ast.Call):
            for argument in node.args:
                handed_on |= root_of(argument, aliases)
    return written, handed_on


def arguments_declared(function):
    """Return the names in the docstring's `Writes:`; explanations stand in parentheses."""
    found = SECTION.search(ast.get_docstring(function, clean=True) or "")
    if not found:
        return set()
    sentence = re.sub(r"\([^)]*\)", "", found.group(1)).replace("`", "")
    return {item.strip(" \n.").split(".")[0] for item in sentence.split(",") if item.strip(" \n.")}


def complaint(function):
    """Return what is wrong with a kernel's `Writes:`, or nothing."""
    written, handed_on = arguments_written(function)
    declared = arguments_declared(function)
    if written - declared:
        return f"{function.name}: assigns to {sorted(written - declared)}, not under `Writes:`"
    if declared - written - handed_on:
        return f"{function.name}: `Writes:` names {sorted(declared - written - handed_on)} in vain"
    return ""


@pytest.mark.parametrize("path", kept_modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_kernels_declare_what_they_write(path):
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    ]
    assert [text for text in map(complaint, functions) if text] == []


HONEST = '''
@kernel
def f(model, work):
    """Fill.

    Reads: model.
    Writes: work (positions and
        velocities).
    """
    pos, vel = work.body_pos, work.body_vel
    row = pos[0]
    row[1] = 1.0
    vel[0, 0] += model.x[0]
'''


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("", ""), ""),
        (("Writes: work", "Uses: work"), "assigns to ['work']"),
        (("Writes: work", "Writes: work, model"), "names ['model'] in vain"),
        (("row[1] = 1.0", "model.x[0] = 1.0"), "assigns to ['model']"),
        (("row[1] = 1.0", "state = world_of(model, 1); state.q[0] = 1.0"), "assigns to ['model']"),
    ],
)
def test_a_planted_omission_is_found(change, expected):
    function = ast.parse(HONEST.replace(*change)).body[0]
    assert is_kernel(function)
    assert expected in complaint(function)
    assert bool(complaint(function)) == bool(expected)
