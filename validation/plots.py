"""Pictures of docs/validation.md: all errors over their tolerances, three curves that tell most, orders."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import orders
import play_tribo
from a_friction import low_box
from a_structures import jaws
from d_smooth import momenta
from stage import Body, Pair, Scene, incline
from suite import BULLET, MUJOCO, TRIBO, Check, Player

from tribo.recording.figure import INK, new_figure

STATIC = Path(__file__).parent.parent / "docs/_static"
COLOURS = {TRIBO: "#1f6f8b", MUJOCO: "#d08a2e", BULLET: "#9a4f96"}
LEAST, MOST = 1e-10, 1e10


def write(outcomes: list[Any], engines: dict[str, Any]) -> None:
    """Write all pictures."""
    overview(outcomes)
    orders.draw()
    curves([play_tribo.player(), *(e[0] for e in engines.values() if not isinstance(e, str))])


def overview(outcomes: list[Any]) -> None:
    """Draw error / tolerance of every check; above the line it fails."""
    run = [o for o in outcomes if o.checks]
    drawing, (axis,) = new_figure(1, 11.0, 4.2)
    for x, o in enumerate(run):
        columns: dict[str, Any] = {TRIBO: o.checks, **o.peers}
        for shift, name in enumerate((TRIBO, MUJOCO, BULLET)):
            checks = columns.get(name)
            if not isinstance(checks, list):
                continue
            heights = [ratio(c) for c in checks]
            label = name if name not in {t.get_label() for t in axis.collections} else None
            axis.scatter(
                [x + 0.25 * (shift - 1)] * len(heights), heights, s=11, color=COLOURS[name], label=label
            )
    axis.axhline(1.0, color=INK, lw=1.0)
    axis.set_yscale("log")
    axis.set_ylim(LEAST / 3, MOST * 3)
    axis.set_xlim(-1, len(run))
    axis.set_xticks(range(len(run)), [o.case.id for o in run], rotation=90, fontsize=7)
    axis.set_ylabel("error / tolerance", color=INK)
    axis.legend(frameon=False, fontsize=8, ncols=3, loc="upper right")
    drawing.savefig(STATIC / "validation-overview.png")


def ratio(check: Check) -> float:
    """Return error over tolerance, kept on the paper."""
    if check.tolerance == 0.0:
        return LEAST if check.error == 0.0 else MOST
    value = float(check.error / check.tolerance)
    return MOST if math.isnan(value) else min(max(value, LEAST), MOST)


def curves(players: list[Player]) -> None:
    """Draw creep on a slope, the ball between jaws and the energy of a tumbling body."""
    drawing, (slope, ball, energy) = new_figure(3, 9.0, 2.4)
    for player in players:
        style = {"color": COLOURS[player.name], "label": player.name, "lw": 1.3,
                 "ls": "--" if player.name == BULLET else "-"}  # fmt: skip
        gravity = incline(np.arctan(0.999 * 0.5))
        track = player.play(Scene([low_box()], 10_000, Pair(0.5), gravity=gravity, every=50))
        moved = np.linalg.norm(track.position[:, 0] - track.position[0, 0], axis=1)
        slope.semilogy(track.time, np.maximum(moved, 1e-17), **style)
        scene = Scene([Body("sphere", (0.1,), 1.0, (0.0, 0.0, 1.0))], 10_000, Pair(0.5), planes=[],
                      robots=[jaws(1.001 * 9.81)], every=50)  # fmt: skip
        track = player.play(scene)
        moved = np.linalg.norm(track.position[:, 0] - track.position[0, 0], axis=1)
        ball.semilogy(track.time, np.maximum(moved, 1e-17), **style)
        body = Body("box", (1.0, 1.0, 1.0), inertia=(1.0, 2.0, 3.0), spin=(0.01, 5.0, 0.0))
        scene = Scene([body], 20_000, planes=[], gravity=(0.0, 0.0, 0.0), every=20)
        track = player.play(scene)
        kinetic = momenta(body, track)[1]
        energy.semilogy(track.time / 2, np.maximum(np.abs(kinetic / kinetic[0] - 1.0), 1e-17), **style)
    slope.set_title("A1: box on a slope at 0.999 of the friction limit", fontsize=9, color=INK, loc="left")
    ball.set_title("A12: ball between jaws at 1.001 of the least squeeze", fontsize=9, color=INK, loc="left")
    energy.set_title(
        "D2: free tumbling about the middle axis (time halved)", fontsize=9, color=INK, loc="left"
    )
    slope.set_ylabel("moved [m]", color=INK)
    ball.set_ylabel("moved [m]", color=INK)
    energy.set_ylabel("|ΔE|/E", color=INK)
    energy.set_xlabel("time [s]", color=INK)
    slope.legend(frameon=False, fontsize=8, ncols=3)
    drawing.savefig(STATIC / "validation-curves.png")
