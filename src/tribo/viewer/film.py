"""Pictures and films as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

INK = (48, 52, 59)


def beside(panels: Sequence[np.ndarray], gap: int = 4) -> np.ndarray:
    """Put pictures of one height next to one another."""
    line = np.full((panels[0].shape[0], gap, 3), 255, np.uint8)
    parts = [panels[0]]
    for panel in panels[1:]:
        parts += [line, panel]
    return np.concatenate(parts, axis=1)


def label(
    image: np.ndarray, text: str, at: tuple[int, int] = (16, 12), size: int = 20
) -> np.ndarray:
    """Write a line of text on a picture; return a new one."""
    pillow, drawing, font = _pillow()
    made = pillow.fromarray(image)
    drawing.Draw(made).text(at, text, fill=INK, font=font.load_default(size))
    return np.asarray(made)


def save_picture(image: np.ndarray, path: str | Path) -> None:
    """Write a picture, format by its ending."""
    pillow, _, _ = _pillow()
    pillow.fromarray(image).save(path, optimize=True)


def save_film(frames: Iterable[np.ndarray], path: str | Path, rate: int) -> None:
    """Write pictures of one size as mp4 that every browser plays.

    Args:
        frames: Pictures (h, w, 3) uint8; they are cut to even sizes.
        path: File to write; an existing one is replaced.
        rate: Pictures per second.

    Raises:
        ImportError: The encoder is missing; the message says how to get it.
        ValueError: There is no picture.
    """
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ImportError('films need imageio-ffmpeg: pip install "tribo[plot]"') from None
    writer = None
    try:
        for frame in frames:
            height, width = (n - n % 2 for n in frame.shape[:2])
            if writer is None:
                writer = imageio_ffmpeg.write_frames(
                    str(path), (width, height), fps=rate, codec="libx264", quality=None,
                    macro_block_size=2, pix_fmt_out="yuv420p", ffmpeg_log_level="error",
                    output_params=["-crf", "23", "-preset", "fast", "-movflags", "+faststart"],
                )  # fmt: skip
                writer.send(None)
            writer.send(np.ascontiguousarray(frame[:height, :width]))
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise ValueError("a film needs at least one picture")


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise ImportError('pictures need Pillow: pip install "tribo[plot]"') from None
    return Image, ImageDraw, ImageFont
