"""Elements of files, piece by piece: each knows where it stands, its errors and remarks say so."""

from __future__ import annotations

import difflib
import itertools
import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tribo.checks import check
from tribo.checks.errors import DescriptionError
from tribo.checks.files import plain
from tribo.formats.report import Report

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_OF_NUMBERS = re.compile(r"[0-9.eE+-]*")  # with them `float` takes what `_NUMBER` does
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
Named = TypeVar("Named")
NOTHING: Mapping[str, str] = {}


def known_hint(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean …?" if a known name is near, else ""."""
    if len(name) > 100:
        return ""
    near = difflib.get_close_matches(name, list(itertools.islice(known, 1000)), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def short(text: str) -> str:
    """Quote a value for a message, cut to a readable length."""
    return repr(text if len(text) <= 80 else text[:77] + "…")


def file_bytes(path: Path, kind: str, most: int, hint: str = "") -> bytes:
    """Return what a plain file holds, at most so many bytes; `kind` names it in messages.

    Raises:
        DescriptionError: It is larger, no plain file, or cannot be read; then the message ends with a hint.
    """
    try:
        plain(path)
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DescriptionError(f"{str(path)[:200]}: cannot read the {kind}: {reason}{hint}") from None
    if len(data) > most:
        raise DescriptionError(f"{path}: larger than {most} bytes, which is the most that is read")
    return data


def words_of(text: str) -> list[str]:
    """Return the words of a vector, apart by blanks or commas."""
    return text.replace(",", " ").split()


class Written(ABC):
    """Something that a file, or a program, describes: what is wrong with it is said of its place."""

    __slots__ = ()
    report: Report  # takes remarks on it

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, for messages."""

    def error(self, message: str) -> DescriptionError:
        """Return (not raise) an error that says where."""
        return DescriptionError(f"{self.place}: {message}")

    def note(self, message: str, key: str | None = None) -> None:
        """Keep a remark that says where; one with the same key counts as a repetition."""
        self.report.note(f"{self.place}: {message}", key)

    def doubt(self, message: str, key: str | None = None) -> None:
        """Keep a remark on what changes the motion, of which users are warned; with `strict` an error."""
        if self.report.strict:
            raise self.error(f"{message} (an error because of strict=True)")
        self.report.note(f"{self.place}: {message}", key, is_doubt=True)

    def one(self, tag: str) -> Node | None:
        """Return the element with a tag in it; None: it has none, or is no element."""
        return None


class Spot(Written):
    """A place without an element: a whole file, a link that was made in Python."""

    __slots__ = ("_place", "report")

    def __init__(self, place: str, report: Report) -> None:
        """Take its name."""
        self._place, self.report = place, report

    @property
    def place(self) -> str:
        """Its name."""
        return self._place


@dataclass(slots=True)
class Node(Written):
    """An element: tag, attributes, child elements, and where it was written."""

    tag: str
    file: str
    line: int
    report: Report
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    largest: float = math.inf  # size of a number that is still read
    content: str = ""  # the text before its first child, blanks around it removed

    @property
    def place(self) -> str:
        """Where the element is: file, line, tag and name."""
        name = self.attributes.get("name")
        label = f"<{self.tag}>" if not name else f"<{self.tag} name={short(name)}>"
        return f"{self.file}:{self.line}: {label}"

    def made(self, tag: str, attributes: dict[str, str] | None = None, children: Iterable[Node] = ()) -> Node:
        """Return an element that a reader puts in the place of this one."""
        return Node(tag, self.file, self.line, self.report, attributes or {}, list(children), self.largest)

    def refused(self, feature: str, remedy: str) -> DescriptionError:
        """Return (not raise) the error for a feature that the engine does not have yet."""
        return self.error(f"{feature} is not supported yet; {remedy}")

    def check(
        self, attributes: Iterable[str], children: Iterable[str] = (), silent: Iterable[str] = (), *,
        said: Mapping[str, str] = NOTHING,
    ) -> None:  # fmt: skip
        """Report attributes and children that are not known, as `check_attributes`, `check_children` do."""
        self.check_attributes(attributes, said)
        self.check_children(children, silent)

    def check_leaf(self, attributes: Iterable[str]) -> None:
        """Report all but known attributes of an element whose values are these alone: children, text."""
        self.check(attributes)
        if self.content:
            said = f"text {short(self.content)} is ignored: its values are attributes"
            self.doubt(said, f"{self.tag} text")

    def check_attributes(self, known: Iterable[str], said: Mapping[str, str] = NOTHING) -> None:
        """Report the attributes that are not known; `said`: why those that are known have no effect."""
        known = tuple(known)
        for name in self.attributes:
            if name in known:
                continue
            key = f"{self.tag}@{name}"
            if name in said:
                self.doubt(f"{name} {said[name]}", key)
            else:
                what = f"unknown attribute {name[:80]!r} is ignored"
                self.unknown(name, what, key, (*known, *said))

    def check_children(self, known: Iterable[str], silent: Iterable[str] = ()) -> None:
        """Report the children that are not known; `silent` ones belong to others."""
        known, silent = tuple(known), frozenset(silent)
        for child in self.children:
            if child.tag.partition(":")[0] == "xacro":
                raise child.error(
                    "is a xacro macro; run xacro on the file first, or add_articulated_system(FILE, xacro={})"
                )
            if child.tag not in known and child.tag not in silent:
                what = f"unknown in <{self.tag}>, ignored"
                child.unknown(child.tag, what, f"{self.tag}/{child.tag}", known)

    def unknown(self, name: str, what: str, key: str, known: Iterable[str]) -> None:
        """Doubt an unknown name, the nearest known one proposed."""
        hint = known_hint(name, known) if self.report.strict or not self.report.is_full(key) else ""
        self.doubt(what + hint, key)

    def all(self, tag: str) -> Iterator[Node]:
        """Iterate over the children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Node | None:
        """Return the child with a tag, None if there is none; two are an error."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error(f"appears twice in {self.place}; keep one")
        return found[0] if found else None

    def need(self, tag: str) -> Node:
        """Return the child with a tag; none is an error."""
        found = self.one(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing; add it")
        return found

    def text(self, name: str) -> str:
        """Return an attribute that must be there, blanks around it removed."""
        value = self.attributes.get(name)
        if value is None:
            hint = known_hint(name, self.attributes).replace("did you mean", "is it misspelt as")
            raise self.error(f"attribute {name!r} is missing; add it{hint}")
        return value.strip()

    def word(self, name: str, default: str = "") -> str:
        """Return an attribute, blanks around it removed; without it the default."""
        return self.attributes.get(name, default).strip()

    def choice(self, name: str, words: Iterable[str], default: str, *, fold: bool = False) -> str:
        """Return an attribute that is one of a few words; with `fold` in letters of any case."""
        word = self.word(name, default)
        word, words = (word.lower() if fold else word), tuple(words)
        if word not in words:
            known = ", ".join(words)
            raise self.error(f"{name}={short(word)} must be one of {known}{known_hint(word, words)}")
        return word

    def named(self, key: str, known: Mapping[str, Named], what: str) -> Named:
        """Return what an attribute names; `what` that is, for the message: "a body"."""
        name = self.text(key)
        if name not in known:
            raise self.error(f"{key}={short(name)} is not {what}{known_hint(name, known)}")
        return known[name]

    def number(
        self, name: str, default: float | None = None, *, at_least: float | None = None,
        above: float | None = None,
    ) -> float:  # fmt: skip
        """Return an attribute as a finite number; without `default` it must be there."""
        if default is not None and name not in self.attributes:
            return default
        value = self._number(name, self.text(name), self.largest)
        if at_least is not None and value < at_least:
            raise self.error(f"{name}={short(self.attributes[name])} must be ≥ {at_least:g}")
        if above is not None and value <= above:
            raise self.error(f"{name}={short(self.attributes[name])} must be > {above:g}")
        return value

    def numbers(self, names: Iterable[str], *, at_least: float | None = None) -> dict[str, float]:
        """Return those of several attributes that are there, as `number` does each."""
        return {name: self.number(name, at_least=at_least) for name in names if name in self.attributes}

    def time_step(self, name: str) -> float:
        """Return an attribute that is a time step [s]."""
        value = self.number(name)
        try:
            return check.time_step(value, name)
        except ValueError as error:
            raise self.error(str(error)) from None

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an attribute as a whole number; without `default` it must be there."""
        if default is not None and name not in self.attributes:
            return default
        text = self.text(name)
        if not _INTEGER.fullmatch(text) or len(text) > 20:
            raise self.error(f"{name}={short(text)} must be a whole number")
        return int(text)

    def vector(
        self, name: str, count: int | None, default: tuple[float, ...] | None = None, *,
        largest: float = math.inf,
    ) -> tuple[float, ...]:  # fmt: skip
        """Return an attribute as `count` finite numbers (None: any), apart by blanks or commas."""
        if default is not None and name not in self.attributes:
            return default
        words = words_of(self.text(name))
        if count is not None and len(words) != count:
            place = f"{name}={short(self.attributes[name])}"
            raise self.error(f"{place} has {len(words)} numbers, must have {count}")
        bound = min(self.largest, largest)
        return _all_numbers(words, bound) or tuple(self._number(name, word, bound) for word in words)

    def _number(self, name: str, word: str, largest: float) -> float:
        if not _NUMBER.fullmatch(word):
            is_infinite = word.lstrip("+-").lower() in {"nan", "inf", "infinity", ".inf", "-nan"}
            rule = "must be finite" if is_infinite else "is not a number"
            raise self.error(f"{name}={short(self.attributes[name])}: {short(word)} {rule}")
        value = float(word)
        if not math.isfinite(value):
            raise self.error(f"{name}={short(self.attributes[name])}: too large for a number")
        if abs(value) > largest:
            bound = f"{name}={short(self.attributes[name])}: numbers must be at most {largest:g} in size"
            remedy = "leave it out for no limit" if name.endswith("range") else "units are SI"
            raise self.error(f"{bound}; {remedy}")
        return value


def walk(node: Node) -> Iterator[Node]:
    """Iterate over an element and all in it."""
    todo = [node]
    while todo:
        item = todo.pop()
        yield item
        todo += item.children


def is_number(word: str) -> bool:
    """Tell whether Python takes a word for a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _all_numbers(words: list[str], largest: float) -> tuple[float, ...]:
    """Return words as numbers, faster than one by one; none if one is no number or too large."""
    if not _OF_NUMBERS.fullmatch("".join(words)):
        return ()
    try:
        numbers = tuple(map(float, words))
    except ValueError:
        return ()
    return numbers if max(map(abs, numbers), default=0.0) <= min(largest, sys.float_info.max) else ()
