"""The least-squares problem: residuals of candidates in units of the noise, and their Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tribo.identification.channels import Channel
from tribo.identification.simulator import Runs, Simulator
from tribo.identification.starts import Start
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown

FAILED = 1e4  # [σ] residual of a row that a world did not reach
MIN_STEP, MAX_STEP = 1e-5, 2e-2  # of a difference, in spans of the bounds
FIRST_STEP = 1e-3
STEPS_OF_START = (1e-8, 1e-4, 2e-2)  # least, first and largest of a start's number [m, rad, m/s, rad/s]


class Problem:
    """Residuals of candidates x = (u, starts): u are parameters, or their logarithms, in spans of bounds.

    Args:
        unknowns: Parameters.
        channels: Measured quantities of each recording.
        simulator: Runs candidates.
        starts: Where the segments start.
        layout: Of the world's states.
        defects: Standard deviations of the jump between two segments: of coordinates [m, rad] and of
            velocities [m/s, rad/s].
    """

    def __init__(
        self, unknowns: Sequence[Unknown], channels: Sequence[Sequence[Channel]], simulator: Simulator,
        starts: Sequence[Start], layout: StateLayout, defects: tuple[float, float],
    ) -> None:  # fmt: skip
        self.bounds = [one for unknown in unknowns for one in unknown.bounds]
        self.channels, self.simulator, self.starts = channels, simulator, list(starts)
        self._layout, self._defects = layout, defects
        self.count = len(self.bounds)
        ends = np.cumsum([self.count, *(start.size for start in self.starts)])
        self._of_start = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        self.size = int(ends[-1])
        self.is_log = np.array([one.is_log for one in self.bounds])
        low, high = (np.array([getattr(one, side) for one in self.bounds]) for side in ("low", "high"))
        self._low = np.where(self.is_log, np.log(np.where(self.is_log, low, 1.0)), low)
        top = np.where(self.is_log, np.log(np.where(self.is_log, high, 1.0)), high)
        self._span = top - self._low
        self.grains = np.array([one.grain for one in self.bounds]) / self._span  # in spans
        self._shifts = self._shifts_of(unknowns)
        self.noise = [{one.label: one.noise() for one in of} for of in channels]
        self.steps = np.full(self.size, STEPS_OF_START[1])
        self.steps[: self.count] = self._in_grains(np.full(self.count, FIRST_STEP), np.ceil)
        self._place_rows()

    @staticmethod
    def _shifts_of(unknowns: Sequence[Unknown]) -> dict[str, list[int]]:
        """Return by column the places of the parameters that are added to it."""
        shifts: dict[str, list[int]] = {}
        place = 0
        for unknown in unknowns:
            for k in range(len(unknown.bounds)):
                for column in unknown.columns:
                    shifts.setdefault(column, []).append(place + k)
            place += len(unknown.bounds)
        return shifts

    def _place_rows(self) -> None:
        """Say where the residuals of each channel of each segment stand."""
        self.rows_of: dict[tuple[int, int], slice] = {}  # segment, channel
        self.defect_rows: dict[int, slice] = {}
        at = 0
        for g, segment in enumerate(self.simulator.segments):
            for c, channel in enumerate(self.channels[segment.recording]):
                count = channel.width * int(channel.is_there[segment.rows].sum())
                self.rows_of[g, c] = slice(at, at + count)
                at += count
            if segment.end is not None:
                self.defect_rows[g] = slice(at, at + 2 * self._layout.nv)
                at += 2 * self._layout.nv
        self.rows = at

    # -- parameters ----------------------------------------------------------------------------
    def values(self, u: np.ndarray) -> np.ndarray:
        """Return parameters (…, count) of their places in the bounds, 0 … 1."""
        inner = self._low + np.clip(u, 0.0, 1.0) * self._span
        return np.asarray(np.where(self.is_log, np.exp(np.where(self.is_log, inner, 0.0)), inner))

    def places(self, values: np.ndarray) -> np.ndarray:
        """Return the places in the bounds, 0 … 1, of parameters (…, count)."""
        logs = np.log(np.where(self.is_log, values, 1.0))
        return np.asarray((np.where(self.is_log, logs, values) - self._low) / self._span)

    def slopes(self, u: np.ndarray) -> np.ndarray:
        """Return how fast parameters change with their places, (count,)."""
        return np.asarray(self._span * np.where(self.is_log, self.values(u), 1.0))

    def rounded(self, x: np.ndarray) -> np.ndarray:
        """Return a candidate (size,) whose numbers that act in grains are whole grains, within the bounds."""
        made, u, low = x.copy(), x[: self.count], self._low / self._span
        nearest = self._in_grains(low + u, np.rint) - low
        is_moved = (self.grains > 0.0) & (np.abs(nearest - 0.5) < 0.5 + 1e-9)
        made[: self.count] = np.where(is_moved, np.clip(nearest, 0.0, 1.0), u)
        return made

    def _in_grains(self, sizes: np.ndarray, rounding: np.ufunc) -> np.ndarray:
        """Return numbers (count,), in spans, as whole grains of those that have one."""
        grains = np.where(self.grains > 0.0, self.grains, 1.0)
        return np.asarray(np.where(self.grains > 0.0, rounding(sizes / grains) * grains, sizes))

    @property
    def least(self) -> np.ndarray:
        """Lower bounds of a candidate, (size,)."""
        return np.concatenate([np.zeros(self.count), np.full(self.size - self.count, -np.inf)])

    @property
    def most(self) -> np.ndarray:
        """Upper bounds of a candidate, (size,)."""
        return np.concatenate([np.ones(self.count), np.full(self.size - self.count, np.inf)])

    # -- residuals -----------------------------------------------------------------------------
    def runs_of(self, x: np.ndarray) -> Runs:
        """Return the runs of all segments with one candidate (size,)."""
        groups = len(self.starts)
        return self._runs(np.arange(groups), np.tile(x, (groups, 1)))

    def _runs(self, segments: np.ndarray, candidates: np.ndarray) -> Runs:
        """Return runs of segments (w,), each with a candidate (w, size)."""
        q = np.empty((len(segments), self._layout.nq))
        v = np.empty((len(segments), self._layout.nv))
        for g, start in enumerate(self.starts):
            own = segments == g
            changes = candidates[own][:, self._of_start[g]]
            q[own], v[own] = start.states(self._layout, changes)
        return Runs(segments, self.values(candidates[:, : self.count]), q, v)

    def residuals(self, candidates: np.ndarray, after: np.ndarray | None = None) -> np.ndarray:
        """Return residuals (n, rows) of candidates (n, size), in standard deviations of the noise.

        Args:
            candidates: Places of parameters in their bounds, and changes of starts.
            after: A candidate (size,) whose starts stand behind each segment in place of the candidate's own.
        """
        groups = len(self.starts)
        segments = np.tile(np.arange(groups), len(candidates))
        seen, q, v = self.simulator.run(self._runs(segments, np.repeat(candidates, groups, axis=0)))
        made = np.empty((len(candidates), self.rows))
        for g in range(groups):
            own, mixed = slice(g, None, groups), candidates
            if after is not None:
                mixed = candidates.copy()
                mixed[:, self.count :] = after[self.count :]
            self._fill(made, g, seen[own], (q[own], v[own]), mixed)
        return made

    def _fill(
        self, made: np.ndarray, g: int, seen: np.ndarray, ends: tuple[np.ndarray, np.ndarray],
        candidates: np.ndarray,
    ) -> None:  # fmt: skip
        """Write the residuals of a segment into those (n, rows) of candidates (n, size)."""
        segment = self.simulator.segments[g]
        values = self.values(candidates[:, : self.count])
        for c, channel in enumerate(self.channels[segment.recording]):
            rows = self.simulated(g, c, seen)
            shift = values[:, self._shifts.get(channel.label, [])].sum(axis=1)
            part = Channel(channel.label, channel.unit, channel.sources, channel.measured[segment.rows])
            found = part.misfit(rows + shift[:, None, None] if channel.width == 1 else rows)
            found = found[:, part.is_there] / self.noise[segment.recording][channel.label]
            made[:, self.rows_of[g, c]] = found.reshape(len(candidates), -1)
        if segment.end is not None:
            nv, jumps = self._layout.nv, self.defect_rows[g]
            q, v = self.starts[g + 1].states(self._layout, candidates[:, self._of_start[g + 1]])
            place, speed = self._defects
            made[:, jumps.start : jumps.start + nv] = self._layout.minus(ends[0], q) / place
            made[:, jumps.start + nv : jumps.stop] = (ends[1] - v) / speed
        made[~np.isfinite(made)] = FAILED

    def simulated(self, g: int, c: int, seen: np.ndarray) -> np.ndarray:
        """Return the numbers of a channel, (n, rows of the segment, 1 or 4), among those that were read."""
        segment = self.simulator.segments[g]
        channel = self.channels[segment.recording][c]
        places = [self.simulator.reader.place[source] for source in channel.sources]
        return seen[:, : len(segment.times)][:, :, places]

    # -- derivatives ---------------------------------------------------------------------------
    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """Return the Jacobian (rows, size) by central differences, all in one run; remember the next steps.

        The step of a parameter is the standard error that it alone would have, 1/‖∂r/∂x‖: differences
        over less show the roughness of impacts between two time steps, those over more are not local. It
        is in whole grains. Starts of different segments move in one run: a segment depends on its own alone.
        """
        widest = max(start.size for start in self.starts)
        candidates = []
        for k in range(self.count):
            for sign in (1.0, -1.0):
                candidate = x.copy()
                candidate[k] = np.clip(x[k] + sign * self.steps[k], 0.0, 1.0)
                candidates.append(candidate)
        for k in range(widest):
            for sign in (1.0, -1.0):
                candidate = x.copy()
                for own in self._of_start:
                    if k < own.stop - own.start:
                        candidate[own.start + k] += sign * self.steps[own.start + k]
                candidates.append(candidate)
        found = self.residuals(np.array(candidates), x)
        made = np.zeros((self.rows, self.size))
        for k in range(self.count):
            rise = candidates[2 * k][k] - candidates[2 * k + 1][k]
            made[:, k] = (found[2 * k] - found[2 * k + 1]) / rise
        for k in range(widest):
            at = 2 * (self.count + k)
            difference = 0.5 * (found[at] - found[at + 1])
            for g, own in enumerate(self._of_start):
                place = own.start + k
                if place < own.stop:
                    rows = self._rows_of_segment(g)
                    made[rows, place] = difference[rows] / self.steps[place]
        self._add_defects(made)
        self._choose_steps(made)
        return made

    def roughness(self, x: np.ndarray) -> np.ndarray:
        """Return how far residuals are from linear over a standard error, (count,) [–]: 0: they are linear.

        It is ‖r(x + h) + r(x − h) − 2 r(x)‖ / ‖r(x + h) − r(x − h)‖ with the steps h of the Jacobian.
        """
        moves = np.zeros((self.count, self.size))
        moves[:, : self.count] = np.diag(self.steps[: self.count])
        inner = np.clip(x, self.least + self.steps, self.most - self.steps)
        found = self.residuals(np.concatenate([inner[None], inner + moves, inner - moves]))
        ahead, behind = found[1 : self.count + 1], found[self.count + 1 :]
        change = np.linalg.norm(ahead - behind, axis=1)
        bend = np.linalg.norm(ahead + behind - 2.0 * found[0], axis=1)
        return np.asarray(bend / np.maximum(change, 1e-9))

    def _rows_of_segment(self, g: int) -> slice:
        first = self.rows_of[g, 0].start
        last = self.rows_of[g, len(self.channels[self.simulator.segments[g].recording]) - 1].stop
        return slice(first, self.defect_rows[g].stop if g in self.defect_rows else last)

    def _add_defects(self, made: np.ndarray) -> None:
        """Write how jumps depend on the start of the segment behind them: −1/σ."""
        nv = self._layout.nv
        for g, jumps in self.defect_rows.items():
            start, place, first = self.starts[g + 1], self._of_start[g + 1].start, jumps.start
            for k, dof in enumerate(start.places):
                made[first + dof, place + k] = -1.0 / self._defects[0]
            for k, dof in enumerate(start.speeds):
                made[first + nv + dof, place + len(start.places) + k] = -1.0 / self._defects[1]

    def _choose_steps(self, jacobian: np.ndarray) -> None:
        """Choose the steps of the next differences."""
        size = np.linalg.norm(jacobian, axis=0)
        alone = 1.0 / np.maximum(size, 1e-300)
        self.steps[: self.count] = self._in_grains(np.clip(alone[: self.count], MIN_STEP, MAX_STEP), np.ceil)
        least, _, most = STEPS_OF_START
        self.steps[self.count :] = np.clip(alone[self.count :], least, most)
