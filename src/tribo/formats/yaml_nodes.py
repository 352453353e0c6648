"""Read YAML that nobody vouches for into plain nodes that know their file, line and column.

Design note: nodes are built from the parser's events, so nothing is ever constructed from a tag, and an alias
is the same node again. How large a document would be with all aliases written out is added up while it is
read and bounded, as are its size, its depth and the number of merged entries.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.check import LARGEST
from tribo.checks.errors import DescriptionError
from tribo.formats.nodes import Written, file_bytes
from tribo.formats.report import Report

MAX_BYTES = 8 << 20
MAX_NODES = 500_000  # with all aliases written out
MAX_DEPTH = 128
MAX_WORD = 100  # characters of a number

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?", re.ASCII)
_TRUE, _FALSE = {"true", "yes", "on", "y"}, {"false", "no", "off", "n"}
_NULL = {"", "~", "null"}
_CORE = "tag:yaml.org,2002:"
_HARMLESS = {"!", *(_CORE + kind for kind in ("str", "int", "float", "bool", "null", "seq", "map"))}
_INFINITE = {".inf": math.inf, "inf": math.inf, "infinity": math.inf, "unlimited": math.inf}


@dataclass(slots=True, eq=False)
class YamlNode(Written):
    """A scalar (text), a list or a mapping, and where it was written."""

    kind: str  # "scalar", "list", "mapping"
    file: str
    line: int
    column: int
    report: Report
    text: str = ""  # of a scalar
    is_quoted: bool = False
    items: list[YamlNode] = field(default_factory=list)  # of a list
    entries: dict[str, tuple[YamlNode, YamlNode]] = field(default_factory=dict)  # key → key, value
    weight: int = 1  # nodes in it, aliases written out
    height: int = 0

    @property
    def place(self) -> str:
        """Where it stands: file, line, column."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def is_null(self) -> bool:
        """Whether it is an empty value."""
        return self.kind == "scalar" and not self.is_quoted and self.text.lower() in _NULL

    def get(self, *names: str) -> YamlNode | None:
        """Return the value of the first of several keys that is there and not empty."""
        for name in names:
            found = self.entries.get(name)
            if found is not None and not found[1].is_null:
                return found[1]
        return None

    def elements(self) -> list[YamlNode]:
        """Return the entries of a list; anything else that is not empty is a list of one."""
        if self.kind == "list":
            return self.items
        return [] if self.is_null else [self]

    def shown(self) -> str:
        """Return what it is for a message, cut to a readable length."""
        if self.kind != "scalar":
            return f"a {self.kind}"
        return repr(self.text if len(self.text) <= 60 else self.text[:57] + "…")

    def as_number(self) -> float | None:
        """Return a number, also one that YAML takes for text (1e10); None if it is none.

        Infinities are written .inf, inf or unlimited.
        """
        if self.kind != "scalar" or len(self.text) > MAX_WORD:
            return None
        word = self.text.strip()
        sign = -1.0 if word.startswith("-") else 1.0
        bare = word.lstrip("+-").lower()
        if bare in _INFINITE:
            return sign * _INFINITE[bare]
        return float(word.replace("_", "")) if _NUMBER.fullmatch(word) else None

    def as_bool(self) -> bool | None:
        """Return a truth value in any of YAML's spellings; None if it is none."""
        word = self.text.lower() if self.kind == "scalar" else ""
        return True if word in _TRUE else False if word in _FALSE else None

    def number(self) -> float:
        """Return a number that is not absurdly large.

        Raises:
            DescriptionError: It is none.
        """
        value = self.as_number()
        if value is None or not math.isfinite(value):
            raise self.error(f"must be a finite number, got {self.shown()}")
        if abs(value) > LARGEST:
            raise self.error(f"numbers must be at most {LARGEST:g} in size, got {self.shown()}; units are SI")
        return value

    def numbers(self, count: int | Iterable[int]) -> tuple[float, ...]:
        """Return a list of finite numbers; `count` says how many may stand there.

        Raises:
            DescriptionError: It is something else.
        """
        counts = (count,) if isinstance(count, int) else tuple(count)
        if self.kind != "list" or len(self.items) not in counts:
            held = f"{len(self.items)} entries" if self.kind == "list" else self.shown()
            raise self.error(f"must be a list of {' or '.join(map(str, counts))} numbers, got {held}")
        return tuple(item.number() for item in self.items)

    def word(self) -> str:
        """Return a text.

        Raises:
            DescriptionError: It is a list or a mapping.
        """
        if self.kind != "scalar":
            raise self.error(f"must be a text, got {self.shown()}")
        return self.text.strip()

    def need(self, kind: str, what: str) -> YamlNode:
        """Return the node itself if it is of a kind.

        Raises:
            DescriptionError: It is not.
        """
        if self.kind != kind:
            raise self.error(f"{what} must be a {kind}, got {self.shown()}")
        return self


def is_text(source: str | Path) -> bool:
    """Return whether a source is YAML text rather than a path: it has more than one line."""
    return isinstance(source, str) and "\n" in source


def parse(source: str | Path, kind: str, report: Report) -> YamlNode:
    """Return the one document of a file, or of a text of several lines; see `parse_anchored`."""
    return parse_anchored(source, kind, report)[0]


def parse_anchored(source: str | Path, kind: str, report: Report) -> tuple[YamlNode, dict[str, YamlNode]]:
    """Return the one document of a file, or of a text of several lines, and what its anchors name.

    Args:
        source: Path or text.
        kind: A description for messages.
        report: Takes a doubt for each key that stands twice in a mapping.

    Raises:
        DescriptionError: Not readable, no YAML, too large, too deep; the message says where.
        ImportError: PyYAML is missing (``pip install "tribo[yaml]"``).
    """
    with check.needed('YAML files need PyYAML: pip install "tribo[yaml]"'):
        import yaml
    text, name = _text_of(source, kind)
    builder, loader = _Builder(name, report), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return builder.document(yaml.parse(text, Loader=loader), yaml), builder.anchors
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        hint = "; indent with blanks" if "\\t" in str(error.problem) else ""
        raise DescriptionError(f"{name}{where}: not YAML: {error.problem}{hint}") from None
    except yaml.YAMLError as error:
        text = " ".join(str(error).split())
        raise DescriptionError(f"{name}: not YAML: {text[:200]}") from None


def _text_of(source: str | Path, kind: str) -> tuple[str, str]:
    if not isinstance(source, (str, Path)):
        raise TypeError(f"{kind}: expected a path or YAML text, got {source!r:.80}")
    if is_text(source):
        data, name = str(source).encode("utf-8", "surrogatepass"), f"<{kind}>"
        if len(data) > MAX_BYTES:
            raise DescriptionError(f"{name}: larger than {MAX_BYTES} bytes, which is the most that is read")
    else:
        name = str(source)
        looks = any(mark in name for mark in (": ", "{", "["))
        hint = "; text of one line is taken for a path: put a line break into it" if looks else ""
        data = file_bytes(Path(source), kind, MAX_BYTES, hint)
    try:
        return data.decode("utf-8-sig"), name
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DescriptionError(f"{name}:{line}: not UTF-8; save the file as UTF-8") from None


class _Builder:
    """Turns the events of one document into nodes."""

    def __init__(self, name: str, report: Report) -> None:
        self._name = name
        self._report = report
        self.anchors: dict[str, YamlNode] = {}
        self._open: list[tuple[YamlNode, list[YamlNode], str | None]] = []
        self._merged = 0
        self._count = 0
        self._root: YamlNode | None = None

    def document(self, events: Iterator[Any], yaml: Any) -> YamlNode:
        """Read all events; return the outermost node, an empty mapping if there is none."""
        documents = 0
        for event in events:
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise DescriptionError(
                        f"{self._name}:{line}: a second document begins (---); put it into a file of its own"
                    )
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event.anchor, line, column)
            elif isinstance(event, yaml.ScalarEvent):
                made = self._node("scalar", line, column, event.value, is_quoted=bool(event.style))
                self._check_tag(event.tag, made)
                self._remember(event.anchor, made)
                self._take(made)
            elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                kind = "list" if isinstance(event, yaml.SequenceStartEvent) else "mapping"
                opened = self._node(kind, line, column)
                self._check_tag(event.tag, opened)
                self._open.append((opened, [], event.anchor))
                if len(self._open) > MAX_DEPTH:
                    raise opened.error(f"more than {MAX_DEPTH} levels deep, which no file of this kind needs")
            elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                self._end()
        return self._root or self._node("mapping", 1, 1)

    def _node(
        self, kind: str, line: int, column: int, text: str = "", *, is_quoted: bool = False
    ) -> YamlNode:
        return YamlNode(kind, self._name, line, column, self._report, text, is_quoted)

    def _check_tag(self, tag: str | None, node: YamlNode) -> None:
        """Count a node; doubt a tag, which is never obeyed, unless it says what the node is anyway."""
        self._count += 1
        if self._count > MAX_NODES:
            raise node.error(f"more than {MAX_NODES} values; split the file")
        if tag is not None and tag not in _HARMLESS:
            node.doubt(f"the tag {tag[:60]!r} is ignored", f"tag {tag[:60]}")

    def _end(self) -> None:
        node, children, anchor = self._open.pop()
        node.weight += sum(child.weight for child in children)
        node.height = 1 + max((child.height for child in children), default=0)
        if node.kind == "list":
            node.items = children
        else:
            self._fill(node, children)
        self._bound(node)
        self._remember(anchor, node)
        self._take(node)

    def _bound(self, node: YamlNode) -> None:
        if node.weight > MAX_NODES:
            raise node.error(f"more than {MAX_NODES} values with its aliases written out; use fewer aliases")
        if node.height + len(self._open) > MAX_DEPTH:
            raise node.error(f"more than {MAX_DEPTH} levels deep with its aliases written out")

    def _take(self, node: YamlNode) -> None:
        if self._open:
            self._open[-1][1].append(node)
        else:
            self._bound(node)
            self._root = node

    def _remember(self, anchor: str | None, node: YamlNode) -> None:
        if anchor is not None:
            self.anchors[anchor] = node

    def _alias(self, anchor: str, line: int, column: int) -> None:
        where = self._node("scalar", line, column)
        if any(name == anchor for _, _, name in self._open):
            raise where.error(f"*{anchor[:60]} stands inside of what it names; write it out")
        if anchor not in self.anchors:
            raise where.error(
                f"*{anchor[:60]} is used but &{anchor[:60]} is not defined above it in this file"
            )
        self._take(self.anchors[anchor])

    def _fill(self, node: YamlNode, children: list[YamlNode]) -> None:
        """Fill a mapping from keys and values in turn; explicit keys win over merged ones."""
        merges: list[YamlNode] = []
        for key, value in zip(children[::2], children[1::2], strict=True):
            if key.kind != "scalar":
                raise key.error(f"a key must be a text, got {key.shown()}")
            if key.text == "<<" and not key.is_quoted:
                merges += self._sources(key, value)
                continue
            if key.text in node.entries:
                first = node.entries[key.text][0]
                key.doubt(f"{key.shown()} stands in line {first.line} already; the last one counts")
            node.entries[key.text] = (key, value)
        for source in merges:
            self._merged += len(source.entries)
            if self._merged > MAX_NODES:
                raise node.error(f"more than {MAX_NODES} merged entries (<<); use fewer")
            for name, entry in source.entries.items():
                if name not in node.entries:
                    node.entries[name] = entry

    @staticmethod
    def _sources(key: YamlNode, value: YamlNode) -> list[YamlNode]:
        """Return the mappings that a merge key names, the first of them strongest."""
        found = value.elements()
        for one in found:
            if one.kind != "mapping":
                raise key.error(f"<< takes a mapping or a list of mappings, got {one.shown()}")
        return found
