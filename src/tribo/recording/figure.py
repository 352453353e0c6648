"""Figures of one look, without a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.replacing import replaced

INK = "#30343b"
GRID = "#d9dde3"


def new_figure(rows: int, width: float = 9.0, height: float = 2.6, *, share: bool = True) -> tuple[Any, Any]:
    """Return a Matplotlib figure and its axes, one below the other, without a window.

    Args:
        rows: How many axes.
        width, height: Of the figure and of each row [in].
        share: Whether all have one x axis.

    Raises:
        ImportError: Matplotlib is missing; the message says how to get it.
    """
    with check.needed('plots need Matplotlib: pip install "tribo[plot]"'):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    figure = Figure(figsize=(width, height * rows), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1, sharex=share, squeeze=False)[:, 0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.spines[["left", "bottom"]].set_color(INK)
        axis.tick_params(colors=INK, labelsize=9)
        axis.grid(color=GRID, linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, axes


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure, format by its ending; without one it is a PNG file and gets that ending.

    Raises:
        ValueError: Matplotlib does not know the ending.
        OSError: It cannot be written; an old file of that name is still there.
    """
    file = Path(path)
    if not file.suffix:
        file = file.with_name(f"{file.name}.png")
    with replaced(file) as stream:
        figure.savefig(stream, format=file.suffix[1:].lower())
