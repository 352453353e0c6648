"""Triangles of VRML files (.wrl): their nodes, and where transforms place them.

Read are IndexedFaceSet, Extrusion, ElevationGrid, Box, Sphere, Cylinder and Cone below Shape, Group,
Transform and their kin, DEF and USE, and prototypes (PROTO, IS): an instance is the first node of its
prototype with the values given. An instance of an EXTERNPROTO is a group with its `children`. A file that
draws another one (Inline) is refused. Source: ISO/IEC 14772-1:1997 (VRML97).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.formats.mesh_bounds import MAX_DEPTH, MAX_FACES, MAX_PLACES, MeshError
from tribo.formats.vrml_shapes import SHAPES, Element, affine

_TOKEN = re.compile(
    r"""\s*(?:,\s*|\#[^\n\r]*\s*)*(?:
    (?P<numbers>\[[\s,0-9eE+.\-]*\])
    |(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<mark>[{}\[\]])
    |(?P<word>[^\s,{}\[\]"\#]+))""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?0[xX][0-9a-fA-F]+", re.ASCII)
GROUPS = ("children", "choice", "level", "proxy", "humanoidBody")
WITHOUT_FACES = frozenset({"IndexedLineSet", "PointSet", "Text"})
MAX_NODES = 1_000_000


@dataclass(frozen=True, slots=True)
class _Is:
    """The value that an instance of a prototype gives to a field, or its default."""

    name: str


@dataclass(slots=True)
class _Prototype:
    """Fields with their defaults, and the node that an instance is."""

    defaults: dict[str, Any]
    node: Element


def read(text: str) -> tuple[np.ndarray, np.ndarray]:
    r"""Return vertices (n, 3) [m] and triangles (m, 3) of a file.

    Raises:
        MeshError: It is no VRML97, too large, or broken; the message says where.

    Example:
        >>> corners = "coord Coordinate { point [0 0 0, 1 0 0, 0 1 0] } coordIndex [0 1 2 -1]"
        >>> shape = "Shape { geometry IndexedFaceSet { " + corners + " } }"
        >>> moved = "Transform { translation 0 0 2 children " + shape + " }"
        >>> vertices, triangles = read("#VRML V2.0 utf8\n" + moved)
        >>> vertices.tolist(), triangles.tolist()
        ([[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]], [[0, 1, 2]])
    """
    head = text.lstrip("\ufeff")[:20]
    if not head.startswith("#VRML V2.0"):
        what = "VRML 1.0" if head.startswith("#VRML V1.0") else "no VRML"
        raise MeshError(f"it is {what}; files that begin with '#VRML V2.0 utf8' are read")
    return _Placed().of(_Parser(text.lstrip("\ufeff")).nodes())


class _Parser:
    """Reads nodes one after another, with one token ahead."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._defined: dict[str, Element] = {}
        self._prototypes: dict[str, _Prototype] = {}
        self._within = 0  # prototypes around what is read
        self._count = 0
        self._next: str | np.ndarray | None = None
        self._advance()

    def nodes(self) -> list[Element]:
        """Return the nodes of the file."""
        made = []
        while self._next is not None:
            node = self._statement(0)
            if node is not None:
                made.append(node)
        return made

    @property
    def _ahead(self) -> str:
        """The token ahead; numbers in brackets are no word."""
        return self._next if isinstance(self._next, str) else ""

    def _advance(self) -> str | np.ndarray | None:
        """Return the token ahead and read another one; numbers in brackets are an array."""
        was = self._next
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            rest = self._text[self._at :]
            if rest.strip() and not re.fullmatch(r"(?:[\s,]|#[^\n\r]*)*", rest):
                raise self._error("cannot be read")
            self._next = None
            return was
        self._at = found.end()
        if found["numbers"] is not None:
            words = found["numbers"][1:-1].replace(",", " ").split()
            try:
                self._next = np.array(words, np.float64)
            except ValueError:
                raise self._error("holds what is no number") from None
        else:
            self._next = found.group(found.lastgroup or "word")
        return was

    def _error(self, what: str) -> MeshError:
        return MeshError(f"line {self._text.count(chr(10), 0, self._at) + 1} {what}")

    def _take(self, mark: str) -> None:
        if not isinstance(self._next, str) or self._next != mark:
            raise self._error(f"has no {mark!r} where one must be")
        self._advance()

    def _word(self) -> str:
        found = self._advance()
        if not isinstance(found, str) or found in "{}[]":
            raise self._error("lacks a word")
        return found

    def _statement(self, depth: int) -> Element | None:
        """Return a node, None for what makes none: prototypes, routes, NULL."""
        if self._ahead == "PROTO":
            self._advance()
            self._prototype(depth)
            return None
        if self._ahead == "EXTERNPROTO":
            self._advance()
            self._word()
            self._skip()
            self._skip()  # its addresses
            return None
        if self._ahead == "ROUTE":
            for _ in range(4):
                self._word()
            return None
        if self._ahead == "NULL":
            self._advance()
            return None
        return self._node(depth)

    def _skip(self) -> None:
        """Pass over a value, with all that its brackets hold."""
        depth = 0
        while self._next is not None:
            token = self._advance()
            if isinstance(token, str) and token in {"{", "["}:
                depth += 1
            elif isinstance(token, str) and token in {"}", "]"}:
                depth -= 1
            if depth <= 0:
                return
        raise self._error("ends within a bracket")

    def _prototype(self, depth: int) -> None:
        """Read a prototype; names that it defines are its own."""
        self._tally(depth)
        name, defaults = self._word(), self._interface(depth)
        outside = self._defined, self._prototypes
        self._defined, self._prototypes = {}, dict(self._prototypes)
        self._within += 1
        self._take("{")
        nodes = []
        while self._ahead != "}":
            if self._next is None:
                raise self._error("ends within a prototype")
            nodes.append(self._statement(depth + 1))
        self._within -= 1
        self._take("}")
        self._defined, self._prototypes = outside
        first = next((node for node in nodes if node is not None), Element("Group"))
        self._prototypes[name] = _Prototype(defaults, first)

    def _interface(self, depth: int) -> dict[str, Any]:
        """Read what an instance may give; return the defaults of its fields."""
        defaults: dict[str, Any] = {}
        if isinstance(self._next, np.ndarray) and not self._next.size:  # []
            self._advance()
            return defaults
        self._take("[")
        while self._ahead != "]":
            access = self._word()
            self._word()  # its type
            name = self._word()
            if access in {"field", "exposedField"}:
                defaults[name] = self._value(depth)
        self._take("]")
        return defaults

    def _instance(self, prototype: _Prototype, given: dict[str, Any], depth: int) -> Element:
        """Return the node that an instance is: a copy in which values stand for IS."""
        values = prototype.defaults | given
        copies: dict[int, Element] = {}

        def copied(value: Any, depth: int) -> Any:
            if isinstance(value, _Is):
                return values.get(value.name)
            if isinstance(value, list):
                self._tally(depth, len(value))
                return [copied(item, depth) for item in value]
            if not isinstance(value, Element):
                return value
            if id(value) not in copies:
                self._tally(depth)
                made = copies[id(value)] = Element(value.type)
                for key, held in value.fields.items():
                    filled = copied(held, depth + 1)
                    if filled is not None:
                        made.fields[key] = filled
            return copies[id(value)]

        made = copied(prototype.node, depth)
        assert isinstance(made, Element)
        return made

    def _tally(self, depth: int, number: int = 1) -> None:
        """Count nodes."""
        self._count += number
        if depth > MAX_DEPTH or self._count > MAX_NODES:
            raise self._error(f"stands in more than {MAX_DEPTH} others, or is one of too many")

    def _node(self, depth: int) -> Element:
        self._tally(depth)
        name, kind = "", self._word()
        if kind == "USE":
            name = self._word()
            if name not in self._defined:
                raise self._error(f"uses {name[:40]!r}, which no DEF names")
            return self._defined[name]
        if kind == "DEF":
            name, kind = self._word(), self._word()
        made = Element(kind)
        if self._ahead != "{":
            raise self._error(f"has {kind[:40]!r} where a value or a node, {{ … }}, must be")
        self._take("{")
        while self._ahead != "}":
            if self._next is None:
                raise self._error("ends within a node")
            if self._ahead in {"PROTO", "EXTERNPROTO", "ROUTE"}:
                self._statement(depth)
                continue
            key = self._word()
            if key in {"eventIn", "eventOut", "field", "exposedField"}:  # of a Script
                is_event = key.startswith("event")
                self._word()
                key = self._word()
                if is_event and self._ahead != "IS":  # it has no value
                    continue
            made.fields[key] = self._value(depth)
        self._take("}")
        if kind in self._prototypes:
            made = self._instance(self._prototypes[kind], made.fields, depth)
        if name:
            self._defined[name] = made
        return made

    def _value(self, depth: int) -> Any:
        """Return the value of a field."""
        if isinstance(self._next, np.ndarray):
            return self._advance()
        if self._ahead == "[":
            self._advance()
            held: list[Any] = []
            while self._ahead != "]":
                if self._next is None:
                    raise self._error("ends within a list")
                held.append(self._value(depth))
            self._take("]")
            if held and all(isinstance(item, np.ndarray) for item in held):
                return np.concatenate(held)
            return held
        if not isinstance(self._next, str) or self._ahead == "}":
            raise self._error("lacks a value")
        if self._ahead == "IS":
            self._advance()
            name = self._word()
            return _Is(name) if self._within else None
        if _NUMBER.fullmatch(self._next):
            numbers = []
            while _NUMBER.fullmatch(str(self._next)):
                word = str(self._advance())
                numbers.append(float(int(word, 16)) if "x" in word.lower() else float(word))
            return np.array(numbers)
        if self._next.startswith('"') or self._ahead in {"TRUE", "FALSE"}:
            return self._advance()
        return self._statement(depth + 1)


class _Placed:
    """Places the shapes of nodes, and counts them."""

    def __init__(self) -> None:
        self._visited = self._faces = self._corners = 0
        self._vertices: list[np.ndarray] = []
        self._triangles: list[np.ndarray] = []

    def of(self, nodes: list[Element]) -> tuple[np.ndarray, np.ndarray]:
        """Return all triangles of nodes."""
        for node in nodes:
            self._walk(node, np.eye(4), 0)
        if not self._vertices:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        return np.concatenate(self._vertices), np.concatenate(self._triangles)

    def _walk(self, node: Element, place: np.ndarray, depth: int) -> None:
        self._visited += 1
        if self._visited > MAX_PLACES or depth > MAX_DEPTH:
            raise MeshError(f"its nodes are placed more than {MAX_PLACES} times (DEF, USE)")
        if node.type == "Inline":
            raise MeshError("it draws another file (Inline), which is not read; put it into one file")
        if node.type == "Shape":
            geometry = node.fields.get("geometry")
            if isinstance(geometry, Element) and geometry.type not in WITHOUT_FACES:
                self._add(geometry, place)
            return
        if {"translation", "rotation", "scale"} & node.fields.keys():
            place = place @ affine(node)
        for child in _children(node):
            self._walk(child, place, depth + 1)

    def _add(self, geometry: Element, place: np.ndarray) -> None:
        if geometry.type not in SHAPES:
            raise MeshError(
                f"the geometry {geometry.type[:40]!r} is none of VRML97 and no PROTO of the file;"
                f" read are {', '.join(SHAPES)}"
            )
        vertices, triangles = SHAPES[geometry.type](geometry)
        self._faces += len(triangles)
        if self._faces > MAX_FACES:
            raise MeshError(f"its shapes have more than {MAX_FACES} triangles")
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise MeshError(f"an index of {geometry.type} is beyond its points")
        if np.linalg.det(place[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        self._vertices.append(vertices @ place[:3, :3].T + place[:3, 3])
        self._triangles.append(triangles + self._corners)
        self._corners += len(vertices)


def _children(node: Element) -> Iterator[Element]:
    """Iterate over the nodes that a group holds and shows."""
    for key in GROUPS:
        held = node.fields.get(key)
        shown = [held] if isinstance(held, Element) else held if isinstance(held, list) else []
        if node.type == "Switch":
            which = int(node.numbers("whichChoice", [-1])[0, 0])
            shown = shown[which : which + 1] if which >= 0 else []
        elif node.type == "LOD":
            shown = shown[:1]
        elif key == "proxy":  # of a Collision: it is not drawn
            shown = []
        yield from (item for item in shown if isinstance(item, Element))
