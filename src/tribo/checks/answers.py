"""Answers to names that do not exist: the word of another engine, a misspelt one, or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parents[1] / "assets"
TABLE = ASSETS / "synonyms.txt"
RAISIM = ASSETS / "raisim_names.txt"  # written by docs/make_raisim_page.py from `tribo.raisimpy`
SECTIONS = {
    "World": ("World", "world"),
    "body": ("body", "body or robot"),
    "robot": ("robot", "body or robot"),
    "joint": ("joint", "frame"),
    "hills": ("hills", "body", "body or robot"),
    "camera": ("camera", "sensor"),
    "imu": ("imu", "sensor"),
    "lidar": ("lidar", "sensor"),
}  # of the table, by what examples call the thing, the first one first; all others: their own
VERBS = {
    "create": "add", "make": "add", "spawn": "add", "new": "add", "insert": "add", "append": "add",
    "import": "load", "open": "load", "parse": "load", "read": "load",
    "delete": "remove", "destroy": "remove", "del": "remove",
}  # fmt: skip
QUIET = (
    "get_", "set_", "is_", "has_", "reset_", "compute_", "calc_", "calculate_", "read_", "num_", "write_",
)  # fmt: skip
LONGEST = 60  # characters of a name that is looked up


def spelt(name: str) -> str:
    """Return a name in lower case with underscores: addSphere → add_sphere, loadURDF → load_urdf."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name[:LONGEST])
    return re.sub(r"_+", "_", parted.lower()).strip("_")


def forms(name: str) -> list[str]:
    """Return the forms in which a guess may stand in the table, or be a name, the most exact first."""
    plain = spelt(name)
    verb, _, rest = plain.partition("_")
    found = [name, plain, plain.removesuffix("_by_name")]
    if rest and verb in VERBS:
        found.append(f"{VERBS[verb]}_{rest}")
    for form in (plain, plain.removesuffix("_by_name")):
        found += [form.removeprefix(quiet) for quiet in QUIET if form.startswith(quiet)]
    return list(dict.fromkeys(form for form in found if form))


@cache
def table(path: Path = TABLE) -> dict[str, list[tuple[str, list[str]]]]:
    """Return the answers of each section of a table, each with the words that lead to it."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        elif line.startswith(" "):
            section[-1][1].extend(line.split())
        elif line and line[0] != "#":
            section.append((line, []))
    return found


@cache
def _words(kind: str, path: Path = TABLE) -> dict[str, str]:
    """Return a table's answer to each word for a kind of thing; of two answers the first one."""
    found: dict[str, str] = {}
    for section in SECTIONS.get(kind, (kind,)):
        for answer, words in table(path).get(section, ()):
            for word in words:
                found.setdefault(word, answer.replace("{it}", kind))
    return found


def distance(a: str, b: str) -> int:
    """Return how many letters must be inserted, left out, replaced or exchanged with their neighbour.

    Source: Damerau 1964, as restricted edit distance.
    """
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        now = [i]
        for j in range(1, len(b) + 1):
            is_same = a[i - 1] == b[j - 1]
            cost = min(last[j] + 1, now[j - 1] + 1, last[j - 1] + (not is_same))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            now.append(cost)
        before, last = last, now
    return last[-1]


def misspelt(name: str, names: Collection[str]) -> str:
    """Return the name that was misspelt, or nothing if none is as near as a slip of the finger is.

    Words between underscores are compared one by one: `add_plane` is no misspelt `add_cone`.
    """
    plain = spelt(name)
    if len(plain) < 3:
        return ""
    best, found = 3, ""
    for other in names:
        if other[0] == "_":
            continue
        known = other.lower()
        a, b = plain.split("_"), known.split("_")
        if plain.replace("_", "") == known.replace("_", ""):
            return other
        if len(a) != len(b):
            a, b = [plain.replace("_", "")], [known.replace("_", "")]
        if any(abs(len(x) - len(y)) > 2 for x, y in zip(a, b, strict=True)):
            continue
        off = [distance(x, y) for x, y in zip(a, b, strict=True)]
        is_slip = all(n <= (len(x) > 2) + (len(x) > 6) for n, x in zip(off, a, strict=True))
        if is_slip and sum(off) < best:
            best, found = sum(off), other
    return found


def answer(kind: str, name: str, names: Collection[str]) -> str:
    """Return the end of a message about an attribute that does not exist, or nothing.

    Args:
        kind: The name of the thing in examples.
        name: The attribute that was asked for.
        names: Names of the thing; those that begin with an underscore are never proposed.
    """
    return _answer(kind, name, tuple(names))


@lru_cache(maxsize=256)  # `hasattr` in a loop asks the same again
def _answer(kind: str, name: str, names: tuple[str, ...]) -> str:
    words, public = _words(kind), [own for own in names if own[0] != "_"]
    tried = forms(name)
    for form in tried:
        if form in public:
            return f"; did you mean {form!r}?"
        if form in words:
            return f"; use {words[form]}"
    said = _words(kind, RAISIM).get(spelt(name), "")
    if said:
        return f"; {said}"
    near = misspelt(tried[-1] if tried else "", public) or misspelt(name, public)
    return f"; did you mean {near!r}?" if near else ""


def of_module(module: str, kind: str, names: Collection[str]) -> Callable[[str], Any]:
    """Return a `__getattr__` with which a package imports its parts and answers other names."""

    def missing(name: str) -> Any:
        if name[0] != "_" and find_spec(f"{module}.{name}"):
            return import_module(f"{module}.{name}")
        hint = "" if name[0] == "_" else answer(kind, name, names)
        said = f"module {module!r} has no attribute {name!r}{hint}"
        raise AttributeError(said, name=name, obj=None)

    return missing


def argument(name: str, names: Collection[str]) -> str:
    """Return the end of a message about an argument that a call does not have, or nothing.

    Args:
        name: The argument that was given.
        names: Those that the call has.
    """
    tried = forms(name)
    for form in tried:
        if form in names:
            return f"; did you mean {form!r}?"
    near = misspelt(name, names)
    if near:
        return f"; did you mean {near!r}?"
    for form in tried:
        for meant, words in table()["arguments"]:
            if meant in names and form in words:
                return f"; did you mean {meant!r}?"
        for remark, words in table()["remarks"]:
            if form in words:
                return f"; {remark}"
    return ""


def listed(names: Collection[str]) -> str:
    """Return the end of a message that lists the first of the names that exist."""
    options = list(names)
    return f"; known: {', '.join(options[:12]) or 'none'}{', …' if len(options) > 12 else ''}"
