"""Files are replaced, never written over: whoever looks sees the old file or the new one, both whole.

Each writer of this package ends here. The new content goes to a draft beside the file, from there to the
disk (fsync), and then the draft takes the file's name: one call of the system, which happens or does not. So
a full disk, a broken one, an exception or a kill leave the old file as it was. After a kill, and after
nothing else, a draft `.NAME.….part` may be left.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from tribo.checks.files import to_write

DRAFTS = ".*.part"  # names of files that are being written
STAYS = "nothing was written, what was there before stays"
_LONGEST = 40  # characters of a file's name in that of its draft
_NEVER_MIND = frozenset((errno.EINVAL, errno.ENOTSUP, errno.ENOSYS))  # no fsync in this file system


def write_whole(path: str | Path, data: bytes) -> None:
    """Replace a file, or make it.

    Args:
        path: Where.
        data: What.

    Raises:
        OSError: It cannot be written; the old file is still there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "a", b"text")
        ...     (Path(folder) / "a").read_bytes()
        b'text'
    """
    write_all_whole({Path(path): data})


def write_all_whole(files: Mapping[Path, bytes]) -> None:
    """Replace some files: none of them before all of their content is on the disk.

    Raises:
        OSError: One of them cannot be written; all old files are still there.
    """
    with ExitStack() as drafts:
        for path, data in reversed(list(files.items())):  # left from its end
            stream = drafts.enter_context(replaced(path))
            stream.write(data)
            stream.flush()
            _sync(stream.fileno())


@contextmanager
def replaced(path: str | Path) -> Iterator[BinaryIO]:
    """Open a stream of bytes whose content replaces a file when the block ends, but not if it raises.

    Args:
        path: Of the file; where it is a link, the file that it leads to is replaced.

    Raises:
        OSError: It cannot be written; the old file is still there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "a"
        ...     with replaced(file) as stream:
        ...         _ = stream.write(b"text")
        ...         there = file.exists()
        ...     there, file.read_bytes()
        (False, b'text')
    """
    with draft_of(path) as draft:
        stream = cast(BinaryIO, io.BufferedWriter(raw_stream(draft)))
        try:
            yield stream
            if not stream.closed:
                stream.flush()
        finally:
            with contextlib.suppress(OSError, ValueError):
                stream.close()


@contextmanager
def draft_of(path: str | Path) -> Iterator[Path]:
    """Make an empty draft that replaces a file when the block ends, but not if it raises.

    For what writes files by name, as encoders of films do; what has a stream to write to takes `replaced`.

    Raises:
        OSError: It cannot be written; the old file is still there.
    """
    given = to_write(Path(path))
    target = given.resolve() if given.is_symlink() else given
    draft = target.with_name(f".{target.name[:_LONGEST]}.{secrets.token_hex(6)}.part")
    try:
        with _explained(draft, target, STAYS):
            _make(draft, target)
            yield draft
            with draft.open("r+b") as written:
                _sync(written.fileno())
            os.replace(draft, target)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    said = "it is written, but may not outlast a power cut"
    with _explained(target.parent, target, said):
        _sync_folder(target.parent)


def raw_stream(draft: Path) -> io.RawIOBase:
    """Open a draft, without a buffer."""
    return io.FileIO(draft, "wb")


def _make(draft: Path, target: Path) -> None:
    """Make a draft with the permissions of the file that it replaces; nobody can have put a link there."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is write-protected")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    with contextlib.suppress(OSError):  # another owner's file: the new one is ours
        if target.exists():
            draft.chmod(stat.S_IMODE(target.stat().st_mode))


@contextmanager
def _explained(own: Path, target: Path, said: str) -> Iterator[None]:
    """Say of failures of writing which file they are of, and how things stand."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and str(error.filename) != str(own):
            raise
        if error.errno is None:
            raise OSError(f"{target}: {error}; {said}") from error
        text = error.strerror or os.strerror(error.errno)
        raise OSError(error.errno, f"{text}; {said}", str(target)) from error


def _sync(number: int) -> None:
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in _NEVER_MIND:
            raise


def _sync_folder(folder: Path) -> None:
    """Have the new name last, too, where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _sync(number)
        finally:
            os.close(number)
