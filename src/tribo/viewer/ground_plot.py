"""Plots of a motion on the compliant ground: force, deformation and contact state over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.recording.figure import GRID, INK, new_figure, save_figure

if TYPE_CHECKING:
    from tribo.ground import Motion

STICKING, SLIPPING = "#2f7f6f", "#d9822b"
MAX_LINES = 40  # points that are shown
MANY_LABELS = 12  # points on one axis
ROWS = 2000  # times that a plot shows


def plot(motion: Motion, path: str | Path, title: str = "", points: Any = None) -> None:
    """Write forces, deformations, contact states and energies of a motion as a picture.

    Args:
        motion: From `tribo.ground.simulate`.
        path: File to write; its ending is the format.
        title: Above the plots.
        points: Numbers of the points to show; None: those that touch, up to forty.

    Raises:
        ImportError: Matplotlib is missing.
        OSError: The file cannot be written.
    """
    at = motion.at(np.linspace(motion.time[0], motion.time[-1], ROWS))
    if points is None:
        points = np.flatnonzero((at.contact > 0).any(axis=0))[:MAX_LINES]
    figure, (normal, tangential, depth, u, state, energy) = new_figure(6, height=1.7)
    size = np.linalg.norm(at.force[:, :-1], axis=1)
    strain = np.linalg.norm(at.u, axis=1)
    for k in points:
        for axis, values in (
            (normal, at.force[:, -1, k]), (tangential, size[:, k]), (depth, 1e3 * at.depth[:, k]),
            (u, 1e3 * strain[:, k]),
        ):  # fmt: skip
            axis.plot(at.time, values, lw=1.1, label=f"point {k}")
    for axis, text in (
        (normal, "normal force [N]"), (tangential, "friction [N]"), (depth, "depth [mm]"),
        (u, "|u| [mm]"),
    ):  # fmt: skip
        axis.set_ylabel(text, color=INK)
    if 0 < len(points) <= 6:
        normal.legend(frameon=False, fontsize=8, ncols=3)
    _states(state, at, points)
    sums = {
        "kinetic": at.energy[:, 0], "potential": at.energy[:, 1], "given to the ground": at.work,
        "sum": at.energy.sum(axis=1) + at.work,
    }  # fmt: skip
    for name, values in sums.items():
        energy.plot(at.time, values, lw=1.3, label=name, ls="--" if name == "sum" else "-")
    energy.set_ylabel("energy [J]", color=INK)
    energy.legend(frameon=False, fontsize=8, ncols=4)
    energy.set_xlabel("time [s]", color=INK)
    if title:
        normal.set_title(title, fontsize=11, color=INK, loc="left")
    save_figure(figure, path)


def _states(axis: Any, at: Motion, points: Any) -> None:
    """Draw a bar per point: green where it sticks, orange where it slips."""
    for row, k in enumerate(points):
        axis.axhline(row, color=GRID, lw=0.6)
        for number, color in ((1, STICKING), (2, SLIPPING)):
            there = (at.contact[:, k] == number).astype(int)
            edges = np.flatnonzero(np.diff(np.concatenate([[0], there, [0]])))
            for first, last in edges.reshape(-1, 2):
                begin, end = at.time[first], at.time[min(last, len(at.time) - 1)]
                axis.barh(row, end - begin, left=begin, height=0.7, color=color)
    every = 1 + (len(points) - 1) // MANY_LABELS
    axis.set_yticks(range(0, len(points), every), [str(k) for k in points[::every]], fontsize=7)
    axis.set_ylabel("sticks, slips", color=INK)
    axis.grid(visible=False)
