"""Plain files: pipes and devices never end, or let nobody go on."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from tribo.checks.check import is_path, shown

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


def to_read(value: Any, what: str) -> Path:
    """Return the path of a file that is to be read; say in words if it is none or not there.

    Raises:
        TypeError: It is neither text nor a path.
        ValueError: No file can have that name.
        FileNotFoundError: It is not there.
        OSError: It cannot be looked at: a name that is too long, a folder that may not be entered.
    """
    if not is_path(value):
        raise TypeError(f"{what} must be the path of a file, got {shown(value)}")
    path, name = Path(value), shown(str(value))
    if "\0" in str(path):
        raise ValueError(f"{what} must be the path of a file, got {name}")
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"{path}: there is no such file; mend the path") from None
    except OSError as error:
        raise OSError(f"{what} {name}: {error.strerror}") from None
    return path


def to_write(path: Path) -> Path:
    """Return the path of a file that is to be written; say before any work if it cannot be.

    Raises:
        FileNotFoundError: Its folder is not there.
        NotPlainError: It is a folder, pipe or device, or lies in a file.
    """
    folder = path.absolute().parent
    if not folder.exists():
        raise FileNotFoundError(f"{path}: its folder does not exist; make it first")
    if not folder.is_dir():
        raise NotPlainError(f"{path}: {folder} is no folder")
    if path.exists():
        try:
            plain(path)
        except NotPlainError as error:
            raise NotPlainError(f"{path}: {error}") from None
    return path
