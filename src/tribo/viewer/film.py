"""Pictures and films as files."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.files import to_write
from tribo.checks.replacing import draft_of, replaced

INK = (48, 52, 59)


def beside(panels: Sequence[np.ndarray], gap: int = 4) -> np.ndarray:
    """Put pictures of one height next to one another."""
    line = np.full((panels[0].shape[0], gap, 3), 255, np.uint8)
    parts = [panels[0]]
    for panel in panels[1:]:
        parts += [line, panel]
    return np.concatenate(parts, axis=1)


def label(image: np.ndarray, text: str, at: tuple[int, int] = (16, 12), size: int = 20) -> np.ndarray:
    """Write a line of text on a picture; return a new one."""
    pillow, drawing, font = _pillow()
    made = pillow.fromarray(image)
    drawing.Draw(made).text(at, text, fill=INK, font=font.load_default(size))
    return np.asarray(made)


@answered_call
def save_picture(image: np.ndarray, path: str | Path) -> None:
    """Write a picture, format by its ending."""
    pillow, _, _ = _pillow()
    form = _format_of(pillow, Path(path))
    with replaced(path) as stream:
        pillow.fromarray(image).save(stream, form, optimize=True)


def _format_of(pillow: Any, path: Path) -> str:
    """Return Pillow's name of the format of an ending."""
    form = pillow.registered_extensions().get(path.suffix.lower())
    if form is None or form not in pillow.SAVE:
        raise ValueError(f"{path}: the ending must be that of a picture, as .png")
    return str(form)


@answered_call
def save_film(frames: Iterable[np.ndarray], path: str | Path, rate: int) -> None:
    """Write pictures of one size as mp4 that every browser plays.

    Args:
        frames: Pictures (h, w, 3) uint8; they are cut to even sizes.
        path: File to write; an existing one is replaced.
        rate: Pictures per second.

    Raises:
        ImportError: The encoder is missing; the message says how to get it.
        ValueError: There is no picture.
        OSError: The file cannot be written.
    """
    with check.needed('films need imageio-ffmpeg: pip install "tribo[plot]"'):
        import imageio_ffmpeg
    to_write(Path(path))  # before any picture is drawn
    remaining = iter(frames)
    first = next(remaining, None)
    if first is None:
        raise ValueError("a film needs at least one picture")
    height, width = (n - n % 2 for n in first.shape[:2])
    with draft_of(path) as draft:
        frames = itertools.chain([first], remaining)
        _encode(imageio_ffmpeg.get_ffmpeg_exe(), frames, (width, height), draft, rate)


def _encode(encoder: str, frames: Iterable[np.ndarray], size: tuple[int, int], path: Path, rate: int) -> None:
    """Have the encoder write a file."""
    width, height = size
    command = [
        encoder, "-y", "-loglevel", "error",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(rate), "-i", "-",
        "-c:v", "libx264", "-crf", "23", "-preset", "fast", "-pix_fmt", "yuv420p",
        "-movflags", "+faststart", "-f", "mp4", str(path.absolute()),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=complaints) as process:
            assert process.stdin is not None
            try:
                for frame in frames:
                    process.stdin.write(np.ascontiguousarray(frame[:height, :width]).tobytes())
            except BrokenPipeError:
                pass  # the encoder gave up: it says why below
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip()
            raise OSError(said or f"the encoder of films ended with code {process.returncode}")


def _pillow() -> tuple[Any, Any, Any]:
    with check.needed('pictures need Pillow: pip install "tribo[plot]"'):
        from PIL import Image, ImageDraw, ImageFont
    return Image, ImageDraw, ImageFont
