"""Many candidates at once: each world of a batch follows a segment of a recording with its own parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tribo.batch.batch import Batch
from tribo.identification.channels import Channel, Reader
from tribo.identification.state_layout import StateLayout
from tribo.identification.unknowns import Unknown
from tribo.model import Kind
from tribo.world.world import World

MAX_WORLDS = 512  # of a batch: more bring no speed, only memory
KEPT_BATCHES = 4
ROUNDING = 1e-6  # of a time step: a time so near to a step is that of the step
COMMANDS = {"feedforward": "generalized_force", "target_q": "pd_target", "target_v": "pd_velocity_target"}
PLANS = {"feedforward": "forces", "target_q": "targets", "target_v": "velocity_targets"}
MAX_BYTES = 1 << 26  # of the states of a rollout

Members = dict[int, np.ndarray]  # worlds of each segment
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]  # measured, coordinates and velocities at the ends


class Input(NamedTuple):
    """A command that is given from a step of a segment on."""

    step: int
    kind: str  # one of `COMMANDS`
    name: str  # of the object
    joint: str
    place: int  # in the object's command
    value: float


@dataclass(frozen=True)
class Segment:
    """A stretch of a recording that is simulated from a start of its own."""

    recording: int
    rows: slice
    times: np.ndarray  # (n,) [s] of its rows since its start
    end: float | None  # [s] when the next segment of the recording begins; None: there is none
    gravity: np.ndarray | None
    inputs: Sequence[Input] = ()


@dataclass(frozen=True)
class Runs:
    """Candidates: for each world its segment, parameters and start."""

    segment: np.ndarray  # (w,)
    values: np.ndarray  # (w, k)
    q: np.ndarray  # (w, nq)
    v: np.ndarray  # (w, nv)

    def part(self, rows: slice) -> Runs:
        """Return some of them."""
        return Runs(self.segment[rows], self.values[rows], self.q[rows], self.v[rows])


class Simulator:
    """Runs candidates in batches of a world.

    Args:
        world: The start of every candidate.
        layout: Of its states.
        segments: Stretches of recordings.
        channels: Measured quantities of each recording.
        unknowns: Parameters that a candidate sets.
        threads: As `Batch` has them.
    """

    def __init__(
        self, world: World, layout: StateLayout, segments: Sequence[Segment],
        channels: Sequence[Sequence[Channel]], unknowns: Sequence[Unknown], threads: int | None,
    ) -> None:  # fmt: skip
        self._world, self._layout, self._threads = world, layout, threads
        self.segments, self._unknowns = list(segments), list(unknowns)
        sources = [source for of in channels for one in of for source in one.sources]
        self.reader = Reader(sources, layout)
        self._batches: dict[int, tuple[Batch, dict[str, dict[str, np.ndarray]]]] = {}
        self._reads = [self._reads_of(segment) for segment in self.segments]
        marks = [whole + (beyond > 0.0) for whole, beyond in self._reads]
        stops = np.concatenate([*(whole for whole, _ in self._reads), *marks])
        self._last = int(stops.max())
        told = [one.step for segment in self.segments for one in segment.inputs]
        self._stride = max(1, int(np.gcd.reduce([*stops.tolist(), *told, self._last])))
        self._is_driven = {name: world[name].body_type == Kind.DYNAMIC for name, _, _ in layout.objects}
        self.steps = 0  # world steps so far

    def _reads_of(self, segment: Segment) -> tuple[np.ndarray, np.ndarray]:
        """Return whole steps before the rows of a segment and its end, (n,), and parts of a step beyond."""
        times = segment.times if segment.end is None else np.append(segment.times, segment.end)
        steps = times / self._layout.time_step
        whole = np.floor(steps + ROUNDING)
        beyond = np.where(steps - whole > ROUNDING, steps - whole, 0.0)
        return whole.astype(int), beyond

    def run(self, runs: Runs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what is measured in each run, and its state at the end of the segment.

        Returns:
            Numbers (w, n, k) at the rows of the segment, n of the longest; coordinates (w, nq) and velocities
            (w, nv) where the next segment begins. NaN where there is none, and from where a world failed.
        """
        rows = max(len(segment.times) for segment in self.segments)
        count = len(runs.segment)
        seen = np.full((count, rows, len(self.reader.place)), np.nan)
        q, v = np.full((count, self._layout.nq), np.nan), np.full((count, self._layout.nv), np.nan)
        bytes_of_world = 8 * (self._last // self._stride) * (self._layout.nq + self._layout.nv)
        most = max(1, min(MAX_WORLDS, MAX_BYTES // max(bytes_of_world, 1)))
        for first in range(0, count, most):
            chosen = slice(first, first + most)
            part = runs.part(chosen)
            members = {int(k): np.flatnonzero(part.segment == k) for k in np.unique(part.segment)}
            follow = self._step_by_step if self.reader.needs_steps else self._in_one_call
            follow(self._prepare(part), members, (seen[chosen], q[chosen], v[chosen]))
            self.steps += self._last * len(part.segment)
        return seen, q, v

    def _batch(self, count: int) -> Batch:
        """Return a batch of so many worlds, in the state of the world."""
        if count not in self._batches:
            if len(self._batches) >= KEPT_BATCHES:
                del self._batches[next(iter(self._batches))]
            made = Batch(self._world, count, threads=self._threads)
            self._batches[count] = made, made.snapshot()
        batch, start = self._batches[count]
        batch.restore(start)
        return batch

    def _prepare(self, runs: Runs) -> Batch:
        """Return a batch at the starts of runs, with their parameters."""
        batch = self._batch(len(runs.segment))
        everywhere = np.arange(len(batch))
        for k, segment in enumerate(self.segments):
            own = np.flatnonzero(runs.segment == k)
            if segment.gravity is not None and own.size:
                batch.set_settings(worlds=own, gravity=segment.gravity)
        first = 0
        for unknown in self._unknowns:
            stop = first + len(unknown.bounds)
            unknown.set_in_batch(batch, runs.values[:, first:stop], everywhere)
            first = stop
        for name, at_q, at_v in self._layout.objects:
            batch[name].set_state(runs.q[:, at_q], runs.v[:, at_v])
        return batch

    def _in_one_call(self, batch: Batch, members: Members, into: Arrays) -> None:
        """Fill in what is measured, and states at the ends, from a rollout: one call to compiled code."""
        seen, end_q, end_v = into
        first_q, first_v = self._state(batch)
        count, stride = self._last // self._stride, self._stride
        plans = self._plans(batch, members, count)
        ways = batch.rollout(
            forces=plans.get("forces"), targets=plans.get("targets"),
            velocity_targets=plans.get("velocity_targets"), steps_per_control=stride,
        )  # fmt: skip
        q = np.concatenate([first_q[:, None], ways.q], axis=1)
        v = np.concatenate([first_v[:, None], ways.v], axis=1)
        for k, own in members.items():
            whole, beyond = self._reads[k]
            at, share = whole // stride, beyond[:, None]
            after = np.minimum(at + (beyond > 0.0), count)
            rows = len(self.segments[k].times)
            numbers = self.reader.pick(q[own], v[own])
            seen[own, :rows] = (1.0 - share[:rows]) * numbers[:, at[:rows]]
            seen[own, :rows] += share[:rows] * numbers[:, after[:rows]]
            for end, states in ((end_q, q), (end_v, v)):
                if len(at) > rows:
                    end[own] = (1.0 - share[rows]) * states[own, at[rows]]
                    end[own] += share[rows] * states[own, after[rows]]

    def _plans(self, batch: Batch, members: Members, count: int) -> dict[str, dict[str, Any]]:
        """Return the commands of all worlds over time; without inputs those of the world, as they are."""
        plans: dict[str, dict[str, Any]] = {"forces": {}, "targets": {}, "velocity_targets": {}}
        for k, own in members.items():
            for one in self.segments[k].inputs:
                at = one.step // self._stride
                if at >= count:
                    continue
                plan = plans[PLANS[one.kind]]
                if one.name not in plan:
                    plan[one.name] = self._constant(batch, one.kind, one.name, count)
                if one.kind == "target_q":
                    plan[one.name][one.joint][own, at:] = one.value
                else:
                    plan[one.name][own, at:, one.place] = one.value
        if not any(plans.values()):
            name = next(name for name, _, _ in self._layout.objects if self._is_driven[name])
            plans["forces"][name] = self._constant(batch, "feedforward", name, count)[0]
        return {kind: plan for kind, plan in plans.items() if plan}

    def _constant(self, batch: Batch, kind: str, name: str, count: int) -> Any:
        """Return the present commands of an object, held: (worlds, count, dof), targets by joint."""
        now = np.array(getattr(batch[name], COMMANDS[kind]))
        if kind != "target_q":
            return np.repeat(now[:, None], count, axis=1)
        return {
            joint: np.repeat(now[:, place, None], count, axis=1)
            for joint, place in self._layout.joints_of(name).items()
        }

    def _step_by_step(self, batch: Batch, members: Members, into: Arrays) -> None:
        """Fill in the same where forces or links are measured, which are read after single steps."""
        reads: dict[int, list[tuple[int, int, float]]] = {}  # step: segment, row, weight
        tells: dict[int, list[tuple[int, Input]]] = {}
        for k in members:
            for row, (step, beyond) in enumerate(zip(*self._reads[k], strict=True)):
                reads.setdefault(int(step), []).append((k, row, 1.0 - beyond))
                if beyond:
                    reads.setdefault(int(step) + 1, []).append((k, row, beyond))
            for one in self.segments[k].inputs:
                if one.step < self._last:
                    tells.setdefault(one.step, []).append((k, one))
        at, is_well = 0, np.ones(len(batch), bool)
        for step in sorted({*reads, *tells}):
            if step > at:
                is_well &= batch.step(step - at)
                at = step
            for k, one in tells.get(step, ()):
                getattr(batch[one.name], COMMANDS[one.kind])[members[k], one.place] = one.value
            if step in reads:
                self._note(batch, reads[step], members, is_well, into)

    def _note(
        self, batch: Batch, rows: list[tuple[int, int, float]], members: Members, is_well: np.ndarray,
        into: Arrays,
    ) -> None:  # fmt: skip
        """Add what the worlds are now, with weights, to rows between two steps."""
        seen, end_q, end_v = into
        q, v = self._state(batch)
        q[~is_well] = np.nan
        numbers = self.reader.read(batch, q, v)
        numbers[~is_well] = np.nan
        for k, row, weight in rows:
            own = members[k]
            if row < len(self.segments[k].times):
                before = np.nan_to_num(seen[own, row]) if weight < 1.0 else 0.0
                seen[own, row] = before + weight * numbers[own]
            else:
                for end, values in ((end_q, q), (end_v, v)):
                    before = np.nan_to_num(end[own]) if weight < 1.0 else 0.0
                    end[own] = before + weight * values[own]

    def _state(self, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates and velocities of all objects, copies."""
        q = np.empty((len(batch), self._layout.nq))
        v = np.empty((len(batch), self._layout.nv))
        for name, at_q, at_v in self._layout.objects:
            q[:, at_q] = batch[name].generalized_coordinate
            v[:, at_v] = batch[name].generalized_velocity
        return q, v
