"""Plain files: pipes and devices never end, or let nobody go on."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_KINDS = (
    (stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"), (stat.S_ISSOCK, "a socket"),
)  # fmt: skip


class NotPlainError(ValueError):
    """Something is no plain file."""


def plain(path: Path) -> os.stat_result:
    """Return size and times of a file that is to be opened; a link counts as what it points to.

    Raises:
        NotPlainError: It is a folder, pipe, device or socket; the message does not name it.
        OSError: It is not there, or cannot be looked at.
    """
    found = path.stat()
    if stat.S_ISREG(found.st_mode):
        return found
    what = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), "something else")
    raise NotPlainError(f"it is {what}, not a plain file")
