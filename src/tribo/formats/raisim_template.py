"""Expand the templates of RaiSim's XML: @@parameters, {expressions}, arrays, includes, exist.

The result is a plain tree of nodes whose names are snake_case, whatever the file spells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os.path import isfile  # False for names that are too long
from pathlib import Path

from tribo.description.trees import DescriptionError
from tribo.formats.mesh_files import LEVELS, MeshFinder, folder_and_above, robot_package
from tribo.formats.nodes import Node
from tribo.formats.report import Report
from tribo.formats.substitution import Substitution, checked, evaluate
from tribo.formats.xml import parse, path_of

KIND = "RaiSim XML"
THIS_DIR = "[THIS_DIR]"
MAX_NODES = 300_000  # elements, attributes and rounds of loops
MAX_LOOP = 100_000
MAX_INCLUDES = 1000
MAX_DEPTH = 16
ASSETS = Path(__file__).resolve().parent.parent / "assets"
ALIASES = {"timestep": "time_step"}

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def snake(name: str) -> str:
    """Return linVel as lin_vel."""
    plain = _HUMP.sub("_", name).lower()
    return ALIASES.get(plain, plain)


def folder_of(node: Node) -> Path | None:
    """Return the folder of the file that an element stands in, None for text without a file."""
    return None if node.file.startswith("<") else Path(node.file).resolve().parent


def locate(node: Node, name: str) -> Path:
    """Return the path that an attribute gives: [THIS_DIR]/…, or relative to the file."""
    value = node.text(name)
    if not value or "\0" in value:
        raise node.error(f"{name}={value!r} is not a path")
    folder = folder_of(node)
    if folder is None and THIS_DIR in value:
        raise node.error(f"{name}={value!r}: text has no folder; read it from a file")
    folder = folder or Path.cwd()
    path = Path(value.replace(THIS_DIR, str(folder)).replace("\\", "/"))
    return (path if path.is_absolute() else folder / path).resolve()


def is_near(path: Path, home: Path, package_dirs: Sequence[Path] = ()) -> bool:
    """Tell whether a world file in a folder may open a file, its path being resolved.

    It may in its own folder and the two above it, in `package_dirs`, in the installed package
    `example-robot-data`, and where tribo has its own robots.
    """
    robots = robot_package()
    roots = [*folder_and_above(home)[:LEVELS], *(Path(folder).resolve() for folder in package_dirs), ASSETS]
    roots += [robots] if robots is not None else []
    return any(path.is_relative_to(root) for root in roots)


def find_file(node: Node, name: str, package_dirs: Sequence[Path] = ()) -> Path:
    """Return a file that an attribute names, inside folders that belong to the world file (`is_near`).

    A relative path starts from the folder of the file, then from each of `package_dirs`; package://NAME/… is
    looked up as in a URDF. Symbolic links are followed before the check.
    """
    written = node.text(name)
    value = f"{name}={written[:200]!r}"
    if "://" in written:
        source = None if node.file.startswith("<") else Path(node.file)
        found, reason = MeshFinder(source, package_dirs).look_up(written)
        if found is None:
            raise node.error(f"{value}: {reason}")
        return found
    path = locate(node, name)
    if not isfile(path) and THIS_DIR not in written and not Path(written).is_absolute():
        others = (Path(folder) / written.replace("\\", "/") for folder in package_dirs)
        path = next((p.resolve() for p in others if isfile(p)), path)
    if not is_near(path, folder_of(node) or Path.cwd(), package_dirs):
        raise node.error(
            f"{value} is refused: {path} is not in the file's folder or the {LEVELS - 1} above it; move it, "
            "or list its folder in package_dirs"
        )
    if not isfile(path):
        raise node.error(
            f"{value}: no file {str(path)[:400]}; correct the path, or give its folder in package_dirs"
        )
    return path


def expand(source: str | Path, report: Report, parameters: Mapping[str, object] | None = None) -> Node:
    """Read a file and all it includes; return its root with templates filled in.

    Args:
        source: Path or text.
        report: Takes remarks.
        parameters: Values for @@name, here and in included files; a <params> in a file wins.
    """
    given = {} if parameters is None else checked(parameters)
    return _Expansion(source, report, given).root


class _Expansion:
    """One top file: what it may include, and how much it may grow."""

    def __init__(self, source: str | Path, report: Report, given: dict[str, str]) -> None:
        self._report, self._given = report, given
        self._nodes = 0
        self._fill = Substitution().fill
        self._includes = 0
        given_path = path_of(source, KIND)
        top = given_path.resolve() if given_path else None
        self._folder = top.parent if top else None
        self.root = self._file(source, [top] if top else [])

    def _file(self, source: str | Path, chain: list[Path]) -> Node:
        written = parse(source, KIND, self._report)
        values = {**self._given, **self._parameters(written)}
        root = self._filled(written, values)
        for child in written.children:
            if child.tag == "include":
                include = self._filled(child, values)
                if _exists(include):
                    root.children += self._include(include, root.tag, chain)
        root.children += self._children(written, values, is_root=True)
        return root

    def _include(self, node: Node, tag: str, chain: list[Path]) -> list[Node]:
        """Return what stands in an included file; it comes before the file's own content."""
        if self._folder is None:
            raise node.error("text has no folder to include files from; read it from a file")
        path = locate(node, "value")
        if not path.is_relative_to(self._folder):
            raise node.error(f"{path} is outside {self._folder}; move it into this folder")
        if path in chain:
            raise node.error(f"{path.name} includes itself ({' → '.join(p.name for p in chain)})")
        self._includes += 1
        if len(chain) >= MAX_DEPTH or self._includes > MAX_INCLUDES:
            raise node.error(f"more than {MAX_DEPTH} levels or {MAX_INCLUDES} includes; flatten them")
        try:
            root = self._file(path, [*chain, path])
        except DescriptionError as error:
            raise DescriptionError(f"{error} (included from {node.file}:{node.line})") from None
        if root.tag != tag:
            raise root.error(f"is included in a <{tag}>; the outermost element must be the same")
        return root.children

    def _children(self, node: Node, values: Mapping[str, str], *, is_root: bool) -> list[Node]:
        made: list[Node] = []
        for child in node.children:
            if child.tag == "array":
                made += self._array(child, values)
            elif is_root and child.tag in {"params", "include"}:
                continue
            elif child.tag == "include":
                raise child.error(f"must be a direct child of the outermost element, not of <{node.tag}>")
            else:
                copy = self._filled(child, values)
                if _exists(copy):
                    copy.children = self._children(child, values, is_root=False)
                    made.append(copy)
        return made

    def _array(self, node: Node, values: Mapping[str, str]) -> list[Node]:
        """Repeat the content for idx = start, start + increment … up to and including end."""
        loop = self._filled(node, {**values, node.text("idx").removeprefix("@@"): "0"})
        if not _exists(loop):
            return []
        name = node.text("idx").removeprefix("@@")
        if not name.isidentifier():
            raise node.error(f"idx={name!r} must be a name such as '@@i'")
        start, end, increment = (loop.integer(key) for key in ("start", "end", "increment"))
        if increment <= 0:
            raise node.error(f"increment={increment} must be > 0")
        if start > end:
            raise node.error(f"start={start} must be ≤ end={end} (end is included); or set exist='false'")
        if (end - start) // increment >= MAX_LOOP:
            raise node.error(f"more than {MAX_LOOP} repetitions; make the loop shorter")
        rounds = (end - start) // increment + 1
        self._count(node, rounds * _least(node))
        self._nodes -= rounds * _least(node)  # they are counted one by one when they are made
        made: list[Node] = []
        for index in range(start, end + 1, increment):
            self._count(node, 1)
            made += self._children(node, {**values, name: str(index)}, is_root=False)
        return made

    def _filled(self, node: Node, values: Mapping[str, str]) -> Node:
        """Copy an element without its children: snake_case names, values filled in."""
        self._count(node, 1 + len(node.attributes))
        copy = node.made(snake(node.tag))
        copy.content = node.content
        for name, value in node.attributes.items():
            key = snake(name)
            if key in copy.attributes:
                raise node.error(f"{key!r} is given twice ({name!r} is the same); keep one")
            copy.attributes[key] = self._fill(node, value, values)
        return copy

    def _count(self, node: Node, more: int) -> None:
        """Note how much the file grows; refuse a file made to grow without end before it has."""
        self._nodes += more
        if self._nodes > MAX_NODES:
            raise node.error(
                f"the file grows beyond {MAX_NODES} elements and attributes; make its loops shorter"
            )

    def _parameters(self, root: Node) -> dict[str, str]:
        """Read <params>: the tag is the name; a value may use those before it."""
        values: dict[str, str] = {}
        for params in root.all("params"):
            for child in params.children:
                known = {**self._given, **values} if "@@" in child.text("value") else {}
                values[child.tag] = self._fill(child, child.text("value"), known)
        return values


def _least(array: Node) -> int:
    """Return how many elements and attributes a round of a loop makes at least, loops within it included."""
    total = 1
    todo = [(child, 1) for child in array.children]
    while todo:
        node, times = todo.pop()
        total += times * (1 + len(node.attributes))
        if total > MAX_NODES:
            break
        words = [node.word(key) for key in ("start", "end", "increment")]
        if node.tag == "array" and "exist" not in node.attributes:
            try:
                start, end, increment = (int(word) for word in words)
                times *= max(1, (end - start) // increment + 1)
            except (ValueError, ZeroDivisionError):  # it depends on something, or is wrong: one round
                pass
        if "exist" not in node.attributes:
            todo += [(child, times) for child in node.children]
    return total


def _exists(node: Node) -> bool:
    """Take the attribute `exist` away and return what it says."""
    text = node.attributes.pop("exist", "1").strip().lower()
    if text in {"true", "false"}:
        return text == "true"
    try:
        return evaluate(text) != 0.0
    except ValueError:
        raise node.error(f"exist={text!r} must be true, false, 0, 1 or an expression") from None
