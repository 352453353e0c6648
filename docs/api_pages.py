"""A page for each class of the API: members by subject, properties first. `make docs` writes them.

A block ``{api}`` of a page lists names, one a line. It becomes a table of these names, and each gets a page.
``name: a, b`` shows the members `a` and `b` only, ``name:`` none.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tribo.checks.made import Renamed

BLOCK = re.compile(r"^```\{api\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"\s+# -- (.+?) -+$")
PROPERTIES = (property, cached_property)
DUNDERS = ("__getitem__", "__contains__", "__iter__", "__len__")
# Subjects of members by the class that defines them, where its source has no headings.
OBJECTS, FILES, CONSTRAINTS = "Objects and constraints", "Files of robots and scenes", "Constraints"
SENSORS, STATES = "Sensors, rays, distances", "Recordings and saved states"
SUBJECTS = {
    "WorldObjects": OBJECTS, "WorldList": OBJECTS, "WorldBodyFiles": FILES, "WorldProjects": FILES,
    "WorldMjcf": FILES, "WorldScenes": FILES, "WorldConstraints": CONSTRAINTS, "WorldJoints": CONSTRAINTS,
    "WorldCables": CONSTRAINTS, "WorldTracks": CONSTRAINTS, "WorldSensors": SENSORS, "WorldRays": SENSORS,
    "WorldProximity": SENSORS, "WorldReadout": "How the last step went", "WorldRecording": STATES,
    "StateFiles": STATES,
    "Object": "Pose, name, shapes",
    "WorldSettings": "Settings", "BatchSettings": "Settings", "NamedParts": "Links and joints",
    "InverseKinematics": "Inverse kinematics", "Evaluable": "Dynamics at other states",
    "FrameOwner": "Frames", "Sleeper": "Sleep", "RunningSurface": "Surface velocity",
    "ContactReader": "Contacts",
}  # fmt: skip


class Entry(NamedTuple):
    """A name of the API and which members its page shows, None for all."""

    name: str
    members: tuple[str, ...] | None


def entries(text: str) -> list[Entry]:
    """Return the names that the blocks of a page list."""
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines() if line.strip()]
    parted = [line.partition(":") for line in lines]
    return [
        Entry(name.strip(), tuple(re.findall(r"\w+", chosen)) if colon else None)
        for name, colon, chosen in parted
    ]


def found(name: str) -> Any:
    """Return what a dotted name stands for."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            value = getattr(value, part)
        return value
    raise ImportError(name)


def first_line(value: Any) -> str:
    """Return the first line of a docstring, without a type in front and without a full stop."""
    if isinstance(value, enum.Enum):
        return f"Member of :class:`tribo.{type(value).__name__}`"
    return (inspect.getdoc(value) or "").partition("\n")[0].rstrip(".")


def subjects(kind: type) -> dict[str, str]:
    """Return the subject of each member that the source of a class defines: the heading above it."""
    subject, of = SUBJECTS.get(kind.__name__, ""), {}
    for line in inspect.getsource(kind).splitlines():
        heading = HEADING.match(line)
        if heading:
            subject = heading[1][0].upper() + heading[1][1:]
        defined = re.match(r"    (?:def )?(\w+)(?:\(| = |: )", line)
        if defined:
            value = vars(kind).get(defined[1])
            owner = getattr(value, "__qualname__", "").partition(".")[0]  # of what is handed on
            of[defined[1]] = subject if owner == kind.__name__ else SUBJECTS.get(owner, subject)
    return of


def is_documented(kind: type, name: str) -> bool:
    """Tell whether a member is a property or a method with a docstring of its own."""
    value = inspect.getattr_static(kind, name)
    if isinstance(value, Renamed):
        return False
    if not isinstance(value, PROPERTIES):
        value = getattr(kind, name)
    return (isinstance(value, PROPERTIES) or inspect.isroutine(value)) and bool(inspect.getdoc(value))


def grouped(kind: type, chosen: tuple[str, ...] | None) -> dict[str, list[str]]:
    """Return the members of a class by subject: properties before methods, special methods last."""
    inner = getattr(kind, "_inner", frozenset())
    names = [name for name in dir(kind) if name[0] != "_" and name not in inner]
    names = [n for n in names if is_documented(kind, n) and (chosen is None or n in chosen)]
    of: dict[str, tuple[int, str]] = {}
    for rank, base in enumerate(base for base in kind.__mro__ if base.__module__.startswith("tribo")):
        for name, subject in subjects(base).items():
            if name in vars(base):
                of.setdefault(name, (rank, subject))
    order = {name: place for place, name in enumerate(of)}
    names.sort(key=lambda name: order.get(name, len(order)))
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(of.get(name, (0, ""))[1] or "Members", []).append(name)
    for members in groups.values():
        members.sort(key=lambda name: not is_property(kind, name))
    special = [n for n in DUNDERS if chosen is None and hasattr(kind, n) and is_documented(kind, n)]
    return groups | ({"Special methods": special} if special else {})


def is_property(kind: type, name: str) -> bool:
    """Tell whether a member is read without a call."""
    return isinstance(inspect.getattr_static(kind, name), PROPERTIES)


def page(entry: Entry) -> str:
    """Return the page of a name, as reStructuredText."""
    value = found(entry.name)
    title = f"{entry.name}\n{'=' * len(entry.name)}\n\n"
    if isinstance(value, ModuleType):
        shown = f"   :members: {', '.join(entry.members or ())}\n"
        shown += "   :inherited-members: tuple,int\n   :member-order: bysource\n"
        return f"{title}.. automodule:: {entry.name}\n{shown}"
    if not inspect.isclass(value):
        directive = "autofunction" if callable(value) else "autodata"
        return f"{title}.. {directive}:: {entry.name}\n"
    if issubclass(value, BaseException):
        return f"{title}.. autoexception:: {entry.name}\n"
    if issubclass(value, enum.Enum):
        return f"{title}.. autoclass:: {entry.name}\n   :members:\n   :undoc-members:\n"
    groups = {} if entry.members == () else grouped(value, entry.members)
    lines = [title + f".. autoclass:: {entry.name}\n"]
    if sum(map(len, groups.values())) > 1:
        lines.append(".. list-table::\n   :widths: 20 80\n")
        for subject, members in groups.items():
            links = ", ".join(f":py:obj:`{name} <{entry.name}.{name}>`" for name in members)
            lines.append(f"   * - {subject}\n     - {links}")
    for subject, members in groups.items():
        lines.append(f"\n{subject}\n{'-' * len(subject)}\n")
        for name in members:
            directive = "autoproperty" if is_property(value, name) else "automethod"
            lines.append(f".. {directive}:: {entry.name}.{name}\n")
    return "\n".join(lines)


def write(folder: Path, listed: list[Entry]) -> None:
    """Write the pages of all names, and take away those of names that are gone."""
    folder.mkdir(exist_ok=True)
    wanted = {folder / f"{entry.name}.rst": entry for entry in listed}
    for old in set(folder.glob("*.rst")) - set(wanted):
        old.unlink()
    for path, entry in wanted.items():
        text = page(entry)
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def with_tables(text: str, folder: str) -> str:
    """Return a page whose blocks are tables of names, each with the first line of its docstring."""

    def table(block: re.Match[str]) -> str:
        rows, tree = [], []
        for name, _ in entries(block[0]):
            line = first_line(found(name)).replace("|", "\\|")
            rows.append(f"| [{name}]({folder}/{name}.rst) | {line} |")
            tree.append(f"{folder}/{name}")
        head = ["| name | |", "| --- | --- |"]
        return "\n".join([*head, *rows, "", "```{toctree}", ":hidden:", "", *tree, "```"])

    return BLOCK.sub(table, text)


def _whole_text(parser: Any) -> tuple[str, list[str]]:
    """Return no type, and the text of a property: a colon in its first sentence parts no type from it."""
    text = parser._dedent(parser._consume_to_end())  # noqa: SLF001
    return "", type(parser)(text, parser._config).lines()  # noqa: SLF001


def shown_signature(kind: str, made: object, signature: str | None) -> str | None:
    """Return the signature of a class as its page shows it: none if other calls make its objects."""
    said = inspect.getdoc(made.__init__) if kind == "class" else None  # type: ignore[misc]
    return "" if said and said.startswith("Use ") else signature


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    from sphinx.ext.napoleon import GoogleDocstring  # only where pages are built

    GoogleDocstring._consume_inline_attribute = _whole_text  # noqa: SLF001
    docs = Path(app.srcdir)

    def write_pages(_: Any) -> None:
        write(docs / "api", entries((docs / "reference/api.md").read_text("utf-8")))

    def sign(
        _: Any, kind: str, _name: str, made: object, _options: Any, shown: str | None, returned: str | None
    ) -> tuple[str | None, str | None]:
        return shown_signature(kind, made, shown), returned

    def read(_: Any, name: str, source: list[str]) -> None:
        if name == "reference/api":
            source[0] = with_tables(source[0], "../api")

    app.setup_extension("sphinx.ext.autodoc")  # whose event is asked for below
    app.connect("builder-inited", write_pages)
    app.connect("source-read", read)
    app.connect("autodoc-process-signature", sign)
    return {"parallel_read_safe": True}
