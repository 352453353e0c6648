"""Collect what a reader of a file should know: unknown names, features that are ignored."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tribo.checks.errors import DescriptionError
from tribo.formats.nodes import Node, Written, known_hint

MAX_NOTES = 1000
SHOWN = 5  # doubts that a warning holds in full
SAID: set[tuple[Path, str]] = set()  # what the log has on each file, in this process
MAX_SAID = 10_000


class Report:
    """Notes on one file; what repeats is counted, not listed."""

    def __init__(self, *, strict: bool) -> None:
        """With `strict`, doubts raise instead of becoming notes."""
        self.strict = strict
        self._notes: dict[str, tuple[str, int, bool]] = {}  # text, how often, whether it is a doubt

    @property
    def notes(self) -> list[str]:
        """All notes, doubts included, in the order in which they appeared."""
        return [_counted(text, count) for text, count, _ in self._notes.values()]

    @property
    def doubts(self) -> list[str]:
        """Those of the notes after which a robot may not do what its file says."""
        return [_counted(text, count) for text, count, doubt in self._notes.values() if doubt]

    def note(self, text: str, key: str | None = None, *, is_doubt: bool = False) -> None:
        """Keep a note; one with the same key counts as a repetition."""
        key = key or text
        if key not in self._notes and len(self._notes) >= MAX_NOTES:
            key, text = "", "more notes than are kept"
        first, count, doubted = self._notes.get(key, (text, 0, False))
        self._notes[key] = (first, count + 1, doubted or is_doubt)

    def begin(self, root: Node) -> None:
        """Keep the note on what was passed over to read a file at all, if there is one."""
        if root.note:
            self.note(f"{root.place}: {root.note}")

    def unknown(self, node: Node, name: str, what: str, key: str, known: Iterable[str]) -> None:
        """Keep a note on an unknown name, the nearest known one proposed; with `strict` an error."""
        is_kept = key not in self._notes and len(self._notes) < MAX_NOTES
        hint = known_hint(name, known) if is_kept or self.strict else ""
        self.doubt(node, what + hint, key)

    def doubt(self, node: Written, message: str, key: str | None = None) -> None:
        """Keep a note on what changes the motion, of which users are warned; with `strict` an error."""
        if self.strict:
            raise node.error(f"{message} (an error because of strict=True)")
        self.note(f"{node.place}: {message}", key, is_doubt=True)

    def check_attributes(self, node: Node, known: Iterable[str]) -> None:
        """Report the attributes of an element that are not known."""
        known = tuple(known)
        for name in node.attributes:
            if name not in known:
                what = f"unknown attribute {name[:80]!r} is ignored"
                self.unknown(node, name, what, f"{node.tag}@{name}", known)

    def check_children(self, node: Node, known: Iterable[str], silent: Iterable[str] = ()) -> None:
        """Report the children of an element that are not known; `silent` ones belong to others."""
        known, silent = tuple(known), frozenset(silent)
        for child in node.children:
            if child.tag.partition(":")[0] == "xacro":
                raise child.error(
                    "is a xacro macro; run xacro on the file first, or add_articulated_system(FILE, xacro={})"
                )
            if child.tag not in known and child.tag not in silent:
                what = f"unknown in <{node.tag}>, ignored"
                self.unknown(child, child.tag, what, f"{node.tag}/{child.tag}", known)


def is_news(source: Path | None, text: str) -> bool:
    """Tell whether the log does not have a text on a file yet; from now on it counts as said.

    A file from which a thousand worlds are built is remarked on once. A text without a
    file is always news.

    Example:
        >>> is_news(Path("ant.xml"), "solref has no effect"), is_news(Path("ant.xml"), "solref has no effect")
        (True, False)
    """
    if source is None:
        return True
    key = source.absolute(), text
    if key in SAID:
        return False
    if len(SAID) >= MAX_SAID:
        SAID.clear()
    SAID.add(key)
    return True


def warning(owner: str, doubts: list[str]) -> str:
    """Return the one warning that a robot gives of all doubts; the first few in full.

    Example:
        >>> warning("arm.urdf", ["line 3: <axs>: unknown in <joint>, ignored"])
        'arm.urdf: line 3: <axs>: unknown in <joint>, ignored'
    """
    if len(doubts) == 1:
        return f"{owner}: {doubts[0]}"
    rest = len(doubts) - SHOWN
    more = f"\n  and {rest} more" if rest > 0 else ""
    shown = "".join(f"\n  {text}" for text in doubts[:SHOWN])
    return (
        f"{owner}: {len(doubts)} things may not be as the file means them; all of them are in "
        f"description.notes, strict=True makes them errors:{shown}{more}"
    )


def _counted(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({count} times)"


def refuse(node: Node, feature: str, remedy: str) -> DescriptionError:
    """Return (not raise) the error for a feature that the engine does not have yet."""
    return node.error(f"{feature} is not supported yet; {remedy}")
