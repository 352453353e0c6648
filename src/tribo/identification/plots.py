"""Plots of what was identified: the sum of squares along each parameter, and the fit over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.identification.problem import Problem
from tribo.identification.statistics import Certainty, Estimate
from tribo.identification.trajectory import Trajectory
from tribo.recording.figure import INK, new_figure, save_figure
from tribo.recording.plots import COLORS

POINTS = 41
REACH = 3.0  # standard errors to either side


def draw_parameters(
    problem: Problem, x: np.ndarray, known: Certainty, estimates: Sequence[Estimate],
    samples: np.ndarray | None, path: str | Path | None,
) -> Any:  # fmt: skip
    """Draw Δχ² along each parameter; arguments as `Identification` has them."""
    figure, axes = new_figure(len(estimates), height=2.8, share=False)
    jacobian = problem.jacobian(x)
    whole = np.linalg.pinv(jacobian.T @ jacobian, rcond=1e-13, hermitian=True) * known.scale
    lowest = float((problem.residuals(x[None])[0] ** 2).sum())
    for k, (axis, one) in enumerate(zip(axes, estimates, strict=True)):
        deviation = float(np.sqrt(known.spread[k, k]))
        reach = np.linspace(-REACH, REACH, POINTS) * deviation
        reach = reach[(x[k] + reach >= 0.0) & (x[k] + reach <= 1.0)]
        direction = whole[:, k] / max(whole[k, k], 1e-300)
        direction[k] = 1.0
        candidates = np.clip(x + reach[:, None] * direction, problem.least, problem.most)
        rise = ((problem.residuals(candidates) ** 2).sum(axis=1) - lowest) / known.scale
        values = problem.values(candidates[:, : problem.count])[:, k]
        axis.plot(values, rise, ".-", color=COLORS[0], lw=1.0, ms=4, label="Δχ²")
        axis.plot(values, (reach / deviation) ** 2, color=INK, lw=1.0, ls="--", label="of the Hessian")
        axis.axvspan(one.low, one.high, color=COLORS[0], alpha=0.12, lw=0, label="interval")
        axis.axvline(one.value, color=COLORS[0], lw=1.0)
        if samples is not None:
            drawn = problem.values(np.where(np.arange(problem.count) == k, samples, x[: problem.count]))[:, k]
            again = axis.twinx()
            again.hist(drawn, bins=24, color=COLORS[1], alpha=0.35)
            again.set_yticks([])
            axis.plot([], [], color=COLORS[1], lw=6, alpha=0.35, label="bootstrap")
        unit = "" if one.unit == "–" else f" [{one.unit}]"
        axis.set_xlabel(f"{one.name}{unit}".replace("$", r"\$"), color=INK)
        axis.set_ylabel("Δχ² [–]", color=INK)
        axis.set_ylim(-0.5, 1.3 * REACH**2)
        axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), labelcolor=INK)
    if path is not None:
        save_figure(figure, path)
    return figure


def draw_fit(
    films: Sequence[Trajectory], problem: Problem, fitted: Sequence[dict[str, np.ndarray]],
    path: str | Path | None,
) -> Any:  # fmt: skip
    """Draw measured and simulated numbers over time; arguments as `Identification` has them."""
    panels = [(k, one) for k, of in enumerate(problem.channels) for one in of]
    figure, axes = new_figure(len(panels), height=2.6, share=False)
    for axis, (k, channel) in zip(axes, panels, strict=True):
        simulated = fitted[k][channel.label]
        measured = channel.measured.reshape(len(channel.measured), -1)
        for column in range(measured.shape[1]):
            color = COLORS[column]
            axis.plot(films[k].time, measured[:, column], ".", color=color, ms=3, label="measured")
            axis.plot(films[k].time, simulated[:, column], color=color, lw=1.2, label="simulated")
        unit = "quaternion [–]" if measured.shape[1] == 4 else f"[{channel.unit}]"
        axis.set_ylabel(f"{channel.label}\n{unit}".replace("$", r"\$"), color=INK)
        axis.set_title(films[k].name.replace("$", r"\$"), fontsize=9, color=INK, loc="left")
        axis.set_xlabel("time [s]", color=INK)
        handles, labels = axis.get_legend_handles_labels()
        axis.legend(
            handles[:2], labels[:2], frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5),
            labelcolor=INK,
        )  # fmt: skip
    if path is not None:
        save_figure(figure, path)
    return figure
