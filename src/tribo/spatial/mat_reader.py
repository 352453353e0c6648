"""Reading numbers, text, cells and structures from a MATLAB file, and nothing else.

SciPy writes such files for us, but its reader crashes the process on some damaged ones; this one checks
every length before it believes it.

Source: MathWorks, MAT-File Format, "Level 5".
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

HEADER = 128  # bytes of text and version at the beginning
COMPRESSED, MATRIX = 15, 14  # types of elements
CELL, STRUCTURE, TEXT = 1, 2, 4  # classes of arrays
FIRST_NUMBER, LAST_NUMBER = 6, 15
REFUSED = {3: "an object", 5: "a sparse matrix", 16: "a function handle", 17: "an object"}
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
LETTERS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
COMPLEX = 0x08 << 8  # flag of an array
DEEPEST = 32


def read(content: bytes, largest: int) -> dict[str, Any]:
    """Return the variables of a file of version 5 to 7.

    Structures are dictionaries, cells lists (columns one after another), text is str, numbers are
    float arrays.

    Raises:
        ValueError: It is no such file, unpacks to more than `largest` bytes, or holds what is not data.
    """
    if len(content) < HEADER or content[126:128] not in (b"IM", b"MI"):
        raise ValueError("no MATLAB file of version 5 to 7; save it with '-v7'")
    order = "<" if content[126:128] == b"IM" else ">"
    (version,) = struct.unpack(order + "H", content[124:126])
    if version != 0x0100:
        raise ValueError(f"MATLAB file version {version:#06x}; save it with '-v7'")
    variables: dict[str, Any] = {}
    at, budget = HEADER, largest
    while at < len(content):
        kind, count, start = _tag(content, at, order)
        part = content[start : start + count]
        at = start + count if kind == COMPRESSED else _after(at, start, count)
        if kind == COMPRESSED:
            plain = _inflated(part, budget)
            kind, count, start = _tag(plain, 0, order)
            part = plain[start : start + count]
            budget -= len(plain)
        if kind != MATRIX:
            raise ValueError(f"element of type {kind} where an array should be")
        name, value = _array(part, order, DEEPEST)
        variables[name] = value
    return variables


def _inflated(packed: bytes, most: int) -> bytes:
    engine = zlib.decompressobj()
    try:
        plain = engine.decompress(packed, max(most, 1))
    except zlib.error as error:
        raise ValueError(f"broken compression ({error})") from None
    if engine.unconsumed_tail:
        raise ValueError("it unpacks to more than a model may have")
    return plain


def _tag(content: bytes, at: int, order: str) -> tuple[int, int, int]:
    """Return type, length and place of the element that begins at a place."""
    if at + 8 > len(content):
        raise ValueError("it ends within an element")
    (word,) = struct.unpack(order + "I", content[at : at + 4])
    if word >> 16:  # a small element: its data stand in the tag
        if word >> 16 > 4:
            raise ValueError("a small element claims more than four bytes")
        return word & 0xFFFF, word >> 16, at + 4
    (count,) = struct.unpack(order + "I", content[at + 4 : at + 8])
    if at + 8 + count > len(content):
        raise ValueError("an element claims more bytes than there are")
    return word, count, at + 8


def _after(at: int, start: int, count: int) -> int:
    """Return where the next element begins; small ones take 8 bytes, others are padded to 8."""
    return at + 8 if start == at + 4 else start + count + -count % 8


class _Reader:
    """Takes one element after another from the inside of an array."""

    def __init__(self, body: bytes, order: str) -> None:
        self.body, self.order, self.at = body, order, 0

    def element(self) -> tuple[int, bytes]:
        """Return type and bytes of the next element."""
        kind, count, start = _tag(self.body, self.at, self.order)
        self.at = _after(self.at, start, count)
        return kind, self.body[start : start + count]

    def integers(self) -> np.ndarray:
        """Return the next element as 32-bit integers."""
        _, data = self.element()
        return np.frombuffer(data[: len(data) // 4 * 4], self.order + "i4")


def _array(body: bytes, order: str, depth: int) -> tuple[str, Any]:
    """Return name and value of an array."""
    if depth == 0:
        raise ValueError(f"arrays are nested deeper than {DEEPEST}")
    if not body:  # an empty one may be written without anything
        return "", np.zeros((0, 0))
    reader = _Reader(body, order)
    flags = reader.integers()
    shape = [int(n) for n in reader.integers()]
    name = reader.element()[1].decode("latin-1")
    if not len(flags) or not shape or min(shape) < 0:
        raise ValueError("an array without class, or with a negative dimension")
    kind, entries = int(flags[0]) & 0xFF, 1
    for n in shape:
        entries *= n
    if kind in REFUSED:
        raise ValueError(f"it holds {REFUSED[kind]}; only numbers, text, cells and structures are read")
    if int(flags[0]) & COMPLEX:
        raise ValueError("it holds complex numbers")
    if kind == CELL:
        return name, _cells(reader, entries, depth)
    if kind == STRUCTURE:
        return name, _structure(reader, entries, depth)
    if kind != TEXT and not FIRST_NUMBER <= kind <= LAST_NUMBER:
        raise ValueError(f"an array is of the unknown class {kind}")
    if entries == 0:
        return name, "" if kind == TEXT else np.zeros(shape)
    of, data = reader.element()
    if kind == TEXT:
        if of not in LETTERS:
            raise ValueError(f"text is stored as type {of}")
        ending = ("-le" if order == "<" else "-be") if LETTERS[of] in ("utf-16", "utf-32") else ""
        return name, data.decode(LETTERS[of] + ending)
    if of not in NUMBERS:
        raise ValueError(f"numbers are stored as type {of}")
    step = np.dtype(NUMBERS[of]).itemsize
    if entries * step != len(data):
        raise ValueError(f"an array claims {entries} entries in {len(data)} bytes")
    return name, np.frombuffer(data, order + NUMBERS[of]).astype(float).reshape(shape, order="F")


def _cells(reader: _Reader, entries: int, depth: int) -> list[Any]:
    """Return the entries of a cell array; each takes 8 bytes or more, so that a false count ends soon."""
    made = []
    for _ in range(entries):
        kind, data = reader.element()
        if kind != MATRIX:
            raise ValueError(f"element of type {kind} where an array should be")
        made.append(_array(data, reader.order, depth - 1)[1])
    return made


def _structure(reader: _Reader, entries: int, depth: int) -> Any:
    """Return a structure as a dictionary; an array of several is refused."""
    length = reader.integers()
    _, names = reader.element()
    if len(length) != 1 or length[0] <= 0 or len(names) % int(length[0]):
        raise ValueError("a structure has broken field names")
    size = int(length[0])
    fields = [names[k : k + size].split(b"\0")[0].decode("latin-1") for k in range(0, len(names), size)]
    if entries != 1:
        raise ValueError(f"an array of {entries} structures where one should be")
    return dict(zip(fields, _cells(reader, len(fields), depth), strict=True))
