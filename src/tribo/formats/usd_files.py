"""Which sources are USD, told by ending or beginning: their reader comes later."""

from __future__ import annotations

from pathlib import Path

ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
BEGINNING = "#usda"


def is_usd(source: object) -> bool:
    r"""Return whether a source is a USD file, by its ending, or the text of one.

    Example:
        >>> is_usd("robot.usdc"), is_usd("#usda 1.0\n"), is_usd("robot.urdf")
        (True, True, False)
    """
    if isinstance(source, str) and source.lstrip().startswith(BEGINNING):
        return True
    is_path = isinstance(source, Path) or (isinstance(source, str) and "\n" not in source)
    return is_path and Path(str(source)).suffix.lower() in ENDINGS
