"""An MJCF file with its includes, as one tree of elements."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tribo.checks.check import LARGEST
from tribo.formats.mjcf.compiler import MAIN, Compiler, read_compiler
from tribo.formats.nodes import Node
from tribo.formats.report import Report
from tribo.formats.xml import MAX_TAGS, parse, path_of, wrong_root

KIND = "MJCF"
MAX_DEPTH = 1000  # of elements within elements
MAX_INCLUDES = 1000


@dataclass(slots=True)
class Rules:
    """How the elements of a file are read, also where they were attached to another one."""

    compiler: Compiler
    path: Path | None
    main: str = MAIN  # name of its outermost default class, where it was attached
    defaults: list[Node] = field(default_factory=list)  # its <default> sections, if it was attached


@dataclass(slots=True)
class Source:
    """The outermost element, and where its files are looked for."""

    root: Node
    path: Path | None
    folders: list[Path]  # of the file, and those that the user allows
    rules: Rules
    tags: int = 0  # how many elements it has, with all that it includes and attaches
    # Of sections and frames that were attached: them, and what they are read by (`attach`).
    attached: dict[int, tuple[Node, Rules]] = field(default_factory=dict)

    def rules_of(self, node: Node) -> Rules:
        """Return what a section is read by."""
        found = self.attached.get(id(node))
        return found[1] if found else self.rules

    def locate(self, node: Node) -> Path:
        """Return the file that an element names.

        Raises:
            DescriptionError: It is not there, or outside of the folders.
        """
        return _locate(node, self.folders)

    def sections(self, tag: str) -> Iterator[Node]:
        """Iterate over all sections of a name: MJCF lets them repeat."""
        return self.root.all(tag)


def load(source: str | Path, report: Report, package_dirs: Sequence[Path] = ()) -> Source:
    """Parse a file and all that it includes; attributes without a value count as not given, as in MuJoCo.

    Args:
        source: Path of an MJCF file, or its text.
        report: Takes remarks.
        package_dirs: Folders from which it may include files, besides its own.

    Raises:
        DescriptionError: Not readable, not MJCF, or an include is missing, outside of the folders,
            repeated or too deep.
    """
    path = path_of(source, KIND)
    root = parse(source, KIND, report, largest=LARGEST, nesting=MAX_DEPTH)
    if root.tag != "mujoco":
        raise wrong_root(root, "mujoco")
    folders = [path.resolve().parent] if path is not None else []
    folders += [Path(folder).resolve() for folder in package_dirs]
    includes = _Includes(folders, path)
    includes.expand(root)
    return Source(root, path, folders, Rules(read_compiler(root), path), includes.tags)


@dataclass(slots=True)
class _Includes:
    """Which files were taken in, and how much they held."""

    folders: list[Path]
    top: Path | None
    seen: set[Path] = field(default_factory=set)
    tags: int = 0

    def expand(self, root: Node) -> None:
        """Put the content of included files in the place of every <include>."""
        if self.top is not None:
            self.seen.add(self.top.resolve())
        todo = [(root, 1)]
        while todo:
            node, depth = todo.pop()
            blank = [name for name, value in node.attributes.items() if not value.strip()]
            for name in blank:
                del node.attributes[name]
            if depth > MAX_DEPTH:
                raise node.error(f"stands in more than {MAX_DEPTH} elements; make it flatter")
            found: list[Node] = []
            waiting = list(reversed(node.children))
            while waiting:  # what an include brings may include more
                child = waiting.pop()
                self.tags += 1
                if self.tags > MAX_TAGS:
                    raise child.error(f"with all includes there are more than {MAX_TAGS} elements")
                if child.tag == "include":
                    waiting += reversed(self._content(child))
                else:
                    found.append(child)
            node.children = found
            todo += [(child, depth + 1) for child in found]

    def _content(self, node: Node) -> list[Node]:
        path = _locate(node, self.folders)
        if path in self.seen:
            raise node.error(f"{path} is included twice or includes itself; include it once")
        if len(self.seen) > MAX_INCLUDES:
            raise node.error(f"more than {MAX_INCLUDES} files are included; join some")
        self.seen.add(path)
        root = parse(path, KIND, node.report, largest=LARGEST, nesting=MAX_DEPTH)
        if root.tag not in {"mujoco", "mujocoinclude"}:
            raise root.error("an included file must begin with <mujoco> or <mujocoinclude>")
        return root.children


def _locate(node: Node, folders: list[Path]) -> Path:
    """Return the file that an element names, in one of some folders."""
    name = node.text("file")
    if not folders:
        raise node.error("text has no folder to take files from; read it from a file")
    if not name or "\0" in name:
        raise node.error(f"file={name!r} is not a path")
    for folder in folders:
        try:
            path = (folder / name.replace("\\", "/")).resolve()
            is_file = path.is_file()
        except (OSError, ValueError, RuntimeError):
            continue
        if not any(path.is_relative_to(allowed) for allowed in folders):
            both = os.path.commonpath([path, folders[0]])
            raise node.error(
                f"file={name!r} is refused, it is outside of {folders[0]}; if the files in {both} may be "
                f"read, say root={both!r} (on the command line --root {both})"
            )
        if is_file:
            return path
    raise node.error(f"file={name!r} was not found in {folders[0]}")
