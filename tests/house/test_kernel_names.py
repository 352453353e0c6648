"""A name of a kernel stands for one kernel, so that a search finds it. `math/`: an operation of each type."""

import ast
from collections import defaultdict

from house.repository import PACKAGE, kept_modules, statements


def is_compiled(function):
    """Tell whether a function is decorated with @kernel or @entry, with arguments or without."""
    called = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    return any(isinstance(one, ast.Name) and one.id in ("kernel", "entry") for one in called)


def kernels_of(text):
    """Return the names of the kernels and entries of a file, in its order."""
    if "@kernel" not in text and "@entry" not in text:
        return []
    functions = [one for one in statements(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    return [one.name for one in functions if is_compiled(one)]


def doubled(files):
    """Return names that stand in more than one of some files, name of a file → its text."""
    places = defaultdict(list)
    for file, text in files.items():
        for name in kernels_of(text):
            places[name].append(file)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_kernels_have_one_name():
    files = {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in kept_modules()
        if path.parent != PACKAGE / "math"
    }
    assert sum(text.count("\n@kernel") for text in files.values()) > 1000
    assert doubled(files) == {}


def test_a_doubled_name_is_found():
    one = "@kernel\ndef reach(a):\n    return a\n"
    other = "@entry(x)\ndef reach(b):\n    return b\n"
    assert doubled({"a": one, "b": other}) == {"reach": ["a", "b"]}
    assert doubled({"a": one, "b": "def reach(b):\n    return b\n"}) == {}
