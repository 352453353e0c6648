"""Where segments start: which dofs are unknown there, and first guesses from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tribo.identification.channels import Channel
from tribo.identification.state_layout import StateLayout, rotation_vector

ROWS = 7  # of the measured rows that the guess of a velocity is made of


@dataclass
class Start:
    """State at the start of a segment, and the dofs of it that are sought."""

    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    places: np.ndarray  # (k,) dofs of which the coordinate is sought
    speeds: np.ndarray  # (l,) dofs of which the velocity is sought

    @property
    def size(self) -> int:
        """How many numbers are sought."""
        return len(self.places) + len(self.speeds)

    def states(self, layout: StateLayout, changes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates (n, nq) and velocities (n, nv) that changes (n, size) lead to."""
        turn = np.zeros((len(changes), layout.nv))
        turn[:, self.places] = changes[:, : len(self.places)]
        v = np.tile(self.v, (len(changes), 1))
        v[:, self.speeds] += changes[:, len(self.places) :]
        return layout.plus(self.q, turn), v


def free_dofs(channels: Sequence[Channel], layout: StateLayout, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the dofs of which coordinate and velocity are sought at the start of a recording.

    Args:
        channels: Measured quantities.
        layout: Of the world.
        kind: As `Trajectory.start`.
    """
    if kind == "all":
        return np.arange(layout.nv), np.arange(layout.nv)
    places: set[int] = set()
    speeds: set[int] = set()
    for channel in channels if kind == "measured" else ():
        array, at = channel.sources[0]
        if array == "v":
            speeds.add(at)
        elif array == "q":
            dofs = [layout.dof_of[at]] if channel.width == 1 else _turn(layout, at)
            places.update(dofs)
            speeds.update(dofs)
    return np.array(sorted(places), int), np.array(sorted(speeds), int)


def _turn(layout: StateLayout, first: int) -> list[int]:
    dof = layout.rotation_of[first][1]
    return [dof, dof + 1, dof + 2]


def guess(
    channels: Sequence[Channel], times: np.ndarray, row: int, layout: StateLayout, q: np.ndarray,
    v: np.ndarray, offsets: dict[str, float],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return a state (nq,), (nv,) with what was measured at a row and after it in place of a given state's.

    A velocity is the slope, at the row, of the parabola through the rows that follow (a line through three).

    Args:
        channels: Measured quantities.
        times: Of all rows, (n,) [s].
        row: Where the state is wanted.
        layout: Of the world.
        q, v: The given state, (nq,) and (nv,).
        offsets: Offset of measured numbers from the world's, by column.
    """
    q, v = q.copy(), v.copy()
    speeds: dict[int, float] = {}
    for channel in channels:
        array, at = channel.sources[0]
        rows = np.flatnonzero(channel.is_there)
        rows = rows[rows >= row][:ROWS]
        if not rows.size or array not in ("q", "v"):
            continue
        since = times[rows] - times[row]
        values = channel.measured[rows]
        if array == "v":
            v[at] = values[0] - offsets.get(channel.label, 0.0)
            speeds[at] = v[at]
        elif channel.width == 1:
            place, speed = _fitted(since, values - offsets.get(channel.label, 0.0))
            q[at] = place
            v[layout.dof_of[at]] = speeds.get(layout.dof_of[at], speed)
        else:
            turns = rotation_vector(values, np.broadcast_to(values[0], values.shape))
            dofs = _turn(layout, at)
            q[at : at + 4] = values[0]
            for k, dof in enumerate(dofs):
                v[dof] = speeds.get(dof, _fitted(since, turns[:, k])[1])
    return q, v


def _fitted(since: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return value and slope at 0 of a parabola through numbers, of a line through three or two."""
    if len(values) == 1:
        return float(values[0]), 0.0
    degree = 2 if len(values) >= 5 else 1
    scale = since[-1]
    found = np.polynomial.polynomial.polyfit(since / scale, values, degree)
    return float(found[0]), float(found[1] / scale)
