"""Collect what a reader of a file should know: unknown names, features that are ignored."""

from __future__ import annotations

from pathlib import Path

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

    def is_full(self, key: str) -> bool:
        """Tell whether a note of a key would only be counted."""
        return key in self._notes or len(self._notes) >= MAX_NOTES

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


def warning(owner: str, doubts: list[str], kept: str = "description.notes") -> str:
    """Return the one warning that a robot or scene gives of all doubts; the first few in full.

    Args:
        owner: The robot, scene or file of the doubts.
        doubts: At least one.
        kept: Where all of them are.

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
        f"{owner}: {len(doubts)} things may not be as the file means them; all of them are in {kept}, "
        f"strict=True makes them errors:{shown}{more}"
    )


def _counted(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({count} times)"
