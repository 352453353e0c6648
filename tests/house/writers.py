"""Which kernels write a field of a record: `PYTHONPATH=tests:src python3 -m house.writers …`.

Read from the sources, not from names alone: an assignment to a part of a field, also as one of several
targets (`work.a[k], b = …`); a shorter name (`bound = work.body_bound`); a call that hands the field
to a kernel which writes that argument (`set_errors(…, work.spring_error)`). Without a field all are listed.
"""

import ast
import functools
import sys
from collections import defaultdict
from typing import NamedTuple

from tribo.compiler.sources import BESIDE, LAYERS, PACKAGE, files_of


class Writer(NamedTuple):
    """A line that writes a field."""

    field: str  # "work.contact_target"
    file: str  # from the root of the repository
    line: int
    kernel: str


class Kernel:
    """A function of a compiled layer, as far as who writes what is concerned."""

    def __init__(self, module, node, named):
        self.module, self.node, self.named = module, node, named
        self.parameters = [argument.arg for argument in node.args.args]
        self.written = {}  # (argument, field or None for the argument itself) → line

    def assignments(self):
        """Return (target, value) of every assignment, tuples taken apart."""
        found = []
        for node in ast.walk(self.node):
            if isinstance(node, ast.Assign):
                found += [pair for target in node.targets for pair in pairs_of(target, node.value)]
            elif isinstance(node, ast.AugAssign | ast.AnnAssign):
                found.append((node.target, node.value))
        return found

    @functools.cached_property
    def aliases(self):
        """Return what shorter names stand for: sets of (argument, field or None)."""
        found = {name: {(name, None)} for name in self.parameters}
        for _ in range(3):  # names of names
            for target, value in self.assignments():
                if isinstance(target, ast.Name) and (places := self.places(value, found)):
                    found[target.id] = found.get(target.id, set()) | places
        return found

    def places(self, node, aliases=None):
        """Return the (argument, field) that an expression is, or is a part of."""
        aliases = self.aliases if aliases is None else aliases
        if isinstance(node, ast.IfExp):
            return self.places(node.body, aliases) | self.places(node.orelse, aliases)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "world_of":
            return self.places(node.args[0], aliases)
        if isinstance(node, ast.Subscript):
            return self.places(node.value, aliases)
        if isinstance(node, ast.Attribute):
            return {(name, node.attr) for name, field in self.places(node.value, aliases) if field is None}
        return aliases.get(node.id, set()) if isinstance(node, ast.Name) else set()

    def note(self, places, line):
        """Note what is written; return whether that is news."""
        news = {place for place in places if place not in self.written}
        self.written.update(dict.fromkeys(news, line))
        return bool(news)

    def note_assignments(self):
        """Note what is assigned to."""
        for target, _ in self.assignments():
            if isinstance(target, ast.Subscript | ast.Attribute):
                self.note(self.places(target), target.lineno)


def pairs_of(target, value):
    """Yield (target, value) of an assignment, tuples taken apart."""
    if not isinstance(target, ast.Tuple):
        yield target, value
        return
    is_one_by_one = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
    values = value.elts if is_one_by_one else [value] * len(target.elts)
    for one, other in zip(target.elts, values, strict=True):
        yield from pairs_of(one, other)


def module_of(path):
    """Return the dotted name of a source."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def names_in(tree, module):
    """Return what the names of a module stand for: dotted names of functions and modules."""
    named = {node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            named.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    return named


def kernels_of(sources):
    """Return the functions of some sources, {module: text}, by dotted name, each with what it writes."""
    found = {}
    for module, text in sources.items():
        tree = ast.parse(text)
        named = names_in(tree, module)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                found[f"{module}.{node.name}"] = Kernel(module, node, named)
    for kernel in found.values():
        kernel.note_assignments()
    is_news = True
    while is_news:
        is_news = sum(follow_calls(kernel, found) for kernel in found.values()) > 0
    return found


def calls_of(kernel, found):
    """Yield (dotted name, call) of each call of a kernel that leads to one of those that were found."""
    for node in ast.walk(kernel.node):
        if not isinstance(node, ast.Call):
            continue
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            name = f"{kernel.named.get(func.value.id, func.value.id)}.{func.attr}"
        else:
            name = kernel.named.get(getattr(func, "id", ""), "")
        if name in found:
            yield name, node


def longest_chain(found, start):
    """Return the longest chain of calls from a kernel, dotted names, itself first; circles are cut."""
    known = {}

    def chain(name, above):
        if name not in known:
            inner = {n for n, _ in calls_of(found[name], found)} - above
            longest = [chain(n, above | {name, n}) for n in sorted(inner)]
            known[name] = [name, *max(longest, key=len, default=[])]
        return known[name]

    return chain(start, {start})


def follow_calls(kernel, found):
    """Note the fields that a kernel hands to one which writes them; return whether that is news."""
    news = False
    for name, node in calls_of(kernel, found):
        called = found[name]
        given = dict(zip(called.parameters, node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords})
        for argument, value in given.items():
            if (argument, None) not in called.written:
                continue
            news = kernel.note(kernel.places(value), node.lineno) or news
    return news


def writers(kernels):
    """Return all writers of fields, in the order of fields and files."""
    found = [
        Writer(f"{argument}.{field}", f"src/{kernel.module.replace('.', '/')}.py", line, kernel.node.name)
        for kernel in kernels.values()
        for (argument, field), line in kernel.written.items()
        if field is not None
    ]
    return sorted(found)


@functools.cache
def all_kernels():
    """Return all functions of the compiled layers, by dotted name."""
    layers = [name for name in (*LAYERS, *BESIDE) if name != "compiler"]
    paths = [path for layer in layers for path in files_of(layer) if path.suffix == ".py"]
    return kernels_of({module_of(path): path.read_text("utf-8") for path in paths})


@functools.cache
def all_writers():
    """Return all writers of fields in the package."""
    return writers(all_kernels())


def main():
    """Print the writers of the fields that are named, or of all."""
    asked = set(sys.argv[1:])
    shown = defaultdict(list)
    for row in all_writers():
        if not asked or asked & {row.field, row.field.split(".")[1]}:
            shown[row.field].append(f"  {row.file}:{row.line} {row.kernel}")
    for field, lines in shown.items():
        sys.stdout.write("\n".join([field, *lines, ""]))


if __name__ == "__main__":
    main()
