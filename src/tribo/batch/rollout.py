"""Rollouts: where do many plans of controls lead? All worlds follow theirs in one call to compiled code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.part import KINDS, Part, place_of, places_of
from tribo.batch.pool import BatchStates
from tribo.batch_kernels.records import Course
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.plans import Plan
from tribo.world.world import World

Controls = Mapping[str, Any]  # by object: (…, T, k), or by joint (…, T)
Column = tuple[int, int, np.ndarray]  # kind (`part.KINDS`), place in the command, plan (1 or worlds, T)


def machine_memory() -> float:
    """Return the bytes of memory of this machine; inf where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return inf


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rollout:
    """The states to which plans lead: after each of T controls, in each world."""

    made_it: np.ndarray  # (worlds,) of bool: which worlds went to the end
    time: np.ndarray  # (worlds, T) [s]
    q: np.ndarray  # (worlds, T, nq) of all objects; NaN from where a world failed
    v: np.ndarray  # (worlds, T, nv)
    parts: Mapping[str, Part]

    def __repr__(self) -> str:
        """Return how many worlds and controls there are."""
        return f"<Rollout of {len(self.q)} worlds over {self.q.shape[1]} controls>"

    def coordinate(self, name: str) -> np.ndarray:
        """Return the coordinates of an object, (worlds, T, nq) [m, rad, –], read-only.

        Raises:
            KeyError: There is no such object; the message proposes the nearest name.
        """
        return frozen(self.q[:, :, self._part(name).span.q])

    def velocity(self, name: str) -> np.ndarray:
        """Return the velocities of an object, (worlds, T, dof) [m/s, rad/s], read-only."""
        return frozen(self.v[:, :, self._part(name).span.v])

    def _part(self, name: str) -> Part:
        return self.parts[check.known(name, self.parts, "object")]


class PlanReader:
    """Reads plans that a user gives, by object or by joint.

    Args:
        parts: The objects of the worlds, by name.
        worlds: How many worlds there are.
        width: Numbers of a state, of which each control leaves one.
    """

    def __init__(self, parts: Mapping[str, Part], worlds: int, width: int) -> None:
        self._parts, self._worlds, self._width = parts, worlds, width

    def columns(
        self, forces: Controls | None, targets: Controls | None, velocity_targets: Controls | None
    ) -> list[Column]:
        """Return kind, place in the command and plan (1 or worlds, T) of each number that is controlled.

        Raises:
            KeyError, TypeError, ValueError, MemoryError: As `BatchRollout.rollout` has them.
        """
        found: list[Column] = []
        for kind, given in (
            ("forces", forces), ("targets", targets), ("velocity_targets", velocity_targets)
        ):  # fmt: skip
            plans = {} if given is None else check.mapping(given, kind, "objects' names to plans")
            for name, plan in plans.items():
                found += self._columns(kind, name, plan)
        if not found:
            raise ValueError("rollout needs controls: forces, targets or velocity_targets")
        lengths = {plan.shape[1] for _, _, plan in found}
        if len(lengths) > 1:
            raise ValueError(f"all plans must have one length, got {sorted(lengths)}")
        return found

    def _columns(self, kind: str, name: str, plan: Any) -> list[Column]:
        """Return kind, place in the command and plan (1 or worlds, T) of each number that is controlled."""
        part = self._parts[check.known(name, self._parts, "object")]
        places = places_of(part, kind)
        if isinstance(plan, Mapping):
            named = {joint: place_of(places, joint, name) for joint in plan}
            return [
                (KINDS[kind], named[joint], self._plan(numbers, kind, f"{name}, {joint}", 2))
                for joint, numbers in plan.items()
            ]
        given = self._plan(plan, kind, name, 3)
        alone = [place for joint, place in places if joint is not None]
        chosen = {len(places): [place for _, place in places], len(alone): alone}
        if given.shape[2] not in chosen:
            widths = " or ".join(str(n) for n in sorted(chosen))
            raise ValueError(
                f"{kind} of {name} must have {widths} numbers for each control, got {given.shape[2]}"
            )
        return [(KINDS[kind], place, given[:, :, c]) for c, place in enumerate(chosen[given.shape[2]])]

    def _check_room(self, horizon: int, what: str) -> None:
        """Refuse plans whose states no memory of this machine holds, before the system ends the process.

        Raises:
            MemoryError: They are so long.
        """
        need = 8 * horizon * self._worlds * self._width
        if need > machine_memory():
            raise MemoryError(
                f"{what}: the states after {horizon} controls in {self._worlds} worlds need "
                f"{need / 2**30:.3g} GiB, more than this machine has; plan for fewer at a time"
            )

    def _plan(self, value: Any, kind: str, name: str, axes: int) -> np.ndarray:
        """Return a checked plan with the world (or 1) as first axis."""
        what = f"{kind} of {name}"
        shape = np.shape(check.values(value, what))
        if len(shape) in (axes - 1, axes):
            self._check_room(shape[len(shape) - axes + 1], what)
        made = check.within_range(check.array(value, what, "numbers"), what)
        if made.ndim == axes - 1:
            made = made[None]
        if made.ndim != axes or made.shape[0] not in (1, self._worlds) or not made.shape[1]:
            tail = ", joints or dof" if axes == 3 else ""
            raise ValueError(
                f"{what} must have shape ({self._worlds}, T{tail}), or that without the first axis, "
                f"T ≥ 1, got {np.shape(value)}"
            )
        return made


class BatchRollout:
    """The part of a batch that follows plans."""

    def __init__(self, batch: BatchOwner, states: BatchStates) -> None:
        self._batch, self._states = batch, states

    def rollout(
        self, *, forces: Controls | None = None, targets: Controls | None = None,
        velocity_targets: Controls | None = None, steps_per_control: int = 1,
        start: World | None = None,
    ) -> Rollout:  # fmt: skip
        """Let every world follow its plan of T controls; return all states on the way.

        One call to compiled code makes T · `steps_per_control` steps in every world, on all threads. The
        motion of a world is, bit for bit, that with the same commands set step by step. The worlds stay
        where the plans led them, and the last commands stay set: give `start` each time, or `reset`.

        Args:
            forces: Feed-forward forces [N, N m] by object: (worlds, T, dof), for a floating base also those
                of the joints alone; or by joint of an object, {joint: (worlds, T)}. Without the first axis,
                one plan stands for all worlds.
            targets: The same for targets of the drives of joints [rad, m], (worlds, T, joints).
            velocity_targets: The same for their target velocities [rad/s, m/s].
            steps_per_control: Steps for which each control is held, ≥ 1.
            start: A world in whose state all worlds begin; None: where they are.

        Raises:
            KeyError: There is no such object or joint; the message proposes the nearest name.
            TypeError, ValueError: An array has a wrong shape or is not finite, or there is no control at all;
                nothing is changed.
            MemoryError: The states on the way need more than this machine has.
            EditError: Another thread steps the batch.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> pushes = np.zeros((3, 50, 6))
            >>> pushes[:, :, 0] = [[1.0], [2.0], [3.0]]
            >>> ways = batch.rollout(forces={"ball": pushes}, start=world)
            >>> ways.coordinate("ball").shape, ways.velocity("ball")[:, -1, 0].round(9).tolist()
            ((3, 50, 7), [0.5, 1.0, 1.5])
        """
        self._batch.check_idle("rollout")
        check.integer(steps_per_control, "steps_per_control", 1)
        arrays = self._batch.engine.state.arrays
        reader = PlanReader(self._batch.parts, len(self._batch), arrays["q"].shape[1] + arrays["v"].shape[1])
        columns = reader.columns(forces, targets, velocity_targets)
        horizon = columns[0][2].shape[1]
        course = self._course(columns, horizon, steps_per_control)
        if start is not None:
            self._states.set_from_world(start)
        engine = self._batch.engine
        state, dt = engine.state.arrays, engine.settings.arrays["dt"].reshape(-1, 1)
        begin = state["time"][:, :1].copy()
        is_kept = engine.pilot.arrays["every"].flat[0] == 0 or bool(engine.motors.arrays["is_on"].any())
        made_it = self._batch.go(horizon * steps_per_control, Plan(course, is_kept=is_kept))
        time = begin + dt * steps_per_control * np.arange(1, horizon + 1)
        q, v = course.arrays["q"], course.arrays["v"]
        return Rollout(frozen(made_it), frozen(time), frozen(q), frozen(v), self._batch.parts)

    def _course(self, columns: list[Column], horizon: int, every: int) -> Course:
        """Return the record that compiled code reads and writes."""
        worlds = len(self._batch)
        nq, nv = (self._batch.engine.state.arrays[name].shape[1] for name in ("q", "v"))
        sizes = {"ncontrol": len(columns), "nhorizon": horizon, "nq": nq, "nv": nv}
        own = max(len(plan) for _, _, plan in columns)  # 1: one plan for all worlds
        none = {**sizes, "nhorizon": 0}
        arrays = dict(Course.allocate(none, shared=True).arrays)
        arrays["every"][...] = every
        arrays["kind"][0] = [kind for kind, _, _ in columns]
        arrays["place"][0] = [place for _, place, _ in columns]
        arrays["control"] = np.empty((own, horizon, len(columns)))
        for c, (_, _, plan) in enumerate(columns):
            arrays["control"][:, :, c] = plan
        arrays["q"] = np.empty((worlds, horizon, nq))  # every row is written
        arrays["v"] = np.empty((worlds, horizon, nv))
        return Course.wrap(arrays)
