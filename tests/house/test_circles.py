"""No two files of the package import each other, over whatever way round; imports for types count."""

import ast
import graphlib

from house.repository import PACKAGE, kept_modules, statements

import tribo


def name_of(path):
    """Return the dotted name of a module or package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source, modules):
    """Return the modules of the package that a source names in an import, wherever the line stands."""
    found = set()
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules else node.module)
    return found & modules


def arrows():
    """Return what each module imports; `tribo` promises its packages to type checkers, and imports none."""
    paths = {name_of(path): path for path in kept_modules()}
    modules = {*paths}
    found = {name: imports_of(path.read_text("utf-8"), modules) for name, path in paths.items()}
    found["tribo"] -= {f"tribo.{package}" for package in tribo._BESIDE | tribo._WITHIN}
    return {name: targets - {name} for name, targets in found.items()}


def circle_in(graph):
    """Return the modules of a circle, [] if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_imports_have_no_circle():
    assert circle_in(arrows()) == []


def test_an_import_for_types_and_one_within_a_function_count():
    source = "if TYPE_CHECKING:\n    from a import b\ndef f():\n    import c\n"
    assert imports_of(source, {"a.b", "c"}) == {"a.b", "c"}
    assert circle_in({"a": {"b"}, "b": {"a"}}) != []
