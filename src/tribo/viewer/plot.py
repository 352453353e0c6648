"""Plots of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tribo.viewer.recording import Series

INK = "#30343b"
GRID = "#d9dde3"
MOST_LINES = 12  # objects with a line and a name of their own


def new_figure(rows: int, width: float = 9.0, height: float = 2.6) -> tuple[Any, Any]:
    """Return a Matplotlib figure and its axes, one below the other, without a window.

    Raises:
        ImportError: Matplotlib is missing; the message says how to get it.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError('plots need Matplotlib: pip install "tribo[plot]"') from None
    figure = Figure(figsize=(width, height * rows), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.spines[["left", "bottom"]].set_color(INK)
        axis.tick_params(colors=INK, labelsize=9)
        axis.grid(color=GRID, linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, axes


def plot(series: Series, path: str | Path, title: str = "") -> None:
    """Write heights, energies and the residual of a run over time as a picture.

    Raises:
        ImportError: Matplotlib is missing.
        OSError: The file cannot be written.
    """
    figure, (heights, energies, residual) = new_figure(3)
    moving = np.flatnonzero(np.ptp(series.position, axis=0).max(axis=1) > 0.0)
    for k in moving[:MOST_LINES]:
        heights.plot(series.time, series.position[:, k, 2], label=str(series.names[k]), lw=1.4)
    for k in moving[MOST_LINES:]:
        heights.plot(series.time, series.position[:, k, 2], color=GRID, lw=0.8, zorder=0)
    heights.set_ylabel("height of the origin [m]", color=INK)
    if len(moving):
        heights.legend(frameon=False, fontsize=8, ncols=3)
    kinetic, potential = series.energy[:, 0], series.energy[:, 1]
    energies.plot(series.time, kinetic, label="kinetic", lw=1.4)
    energies.plot(series.time, potential, label="potential", lw=1.4)
    energies.plot(series.time, kinetic + potential, label="sum", color=INK, lw=1.4, ls="--")
    energies.set_ylabel("energy [J]", color=INK)
    energies.legend(frameon=False, fontsize=8, ncols=3)
    residual.semilogy(series.time, np.maximum(series.residual, 1e-18), color="#b8433f", lw=1.2)
    residual.set_ylabel("contact residual [–]", color=INK)
    residual.set_xlabel("time [s]", color=INK)
    if title:
        heights.set_title(title, fontsize=11, color=INK, loc="left")
    figure.savefig(path)
