"""Plots of a recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tribo.recording.figure import GRID, INK, new_figure
from tribo.viewer.recording import Series

__all__ = ["GRID", "INK", "new_figure", "plot"]

MOST_LINES = 12  # objects with a line and a name of their own


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
