"""`ExactChain`: exact derivatives of several steps that are taken as one, step after step.

With z = (δq, δv) and, under the midpoint rule, the accelerations of the last two steps, each step has a
derivative D in any direction, z⁺ = D(z, δu). At a contact that touches without a gap D is no matrix: it
opens with one slope and closes with another. So the two one-sided derivatives by an input are

    z₊ ← D(z₊, δu),   z₋ ← D(z₋, −δu)   from   z₊ = δx, z₋ = −δx,

and the derivative by the input is that of both sides, (z₊ − z₋)/2. Commands and parameters are held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks.errors import SimulationError
from tribo.control.borders import Taken
from tribo.control.exact_parameters import Changes, ForcesOfParameters
from tribo.control.exact_step import CONSISTENT, PARTS, StepMap, remembering
from tribo.control.exact_table import ENDS, LENGTHS, SHARED, Exact, ExactTable
from tribo.control.inputs import Inputs
from tribo.control.linearization import Change
from tribo.control.readings import Readings
from tribo.identification.state_layout import StateLayout

Sides = tuple[np.ndarray, np.ndarray]  # as inputs grow, as they fall
Ways = tuple[StepMap, np.ndarray, np.ndarray]  # a step, and the directions in it on both sides
Look = Callable[[], tuple[Change, ...]]


class ExactChain(ExactTable):
    """Derivatives of the next steps of a batch of one world by its states, commands and parameters.

    Args:
        batch: In the state and with the commands from which the steps start, when `of_steps` is called.
        layout: Of its states.
        dofs: Numbers of the dofs that are states, (n,).
        readings: Read at the end.
    """

    def __init__(
        self, batch: Batch, layout: StateLayout, dofs: np.ndarray, readings: Readings | None = None
    ) -> None:
        super().__init__(batch.engine, layout, dofs, readings, of_several=True)
        self._batch = batch
        self._remembers = remembering(batch.engine.model.arrays)[:, None]
        self.by_own = Exact("")

    def of_steps(
        self, inputs: Inputs, directions: np.ndarray, steps: int, changes: Sequence[Changes]
    ) -> Exact:
        """Return derivatives along directions (n, m) and by commands, or why there are none.

        Those by parameters, of which `changes` says what each sets, are then `by_own`. The batch goes on by
        the steps.

        Raises:
            SimulationError: A step leads to what is no number.
        """
        self._take(inputs)
        nv, m = self._layout.nv, directions.shape[1]
        commands, own = len(inputs.command_names), len(changes)
        width = self._step.width - nv
        z = np.zeros((width, 2 * m + commands + own))
        z[self._dofs, :m] = z[nv + self._dofs, m : 2 * m] = directions
        sides: Sides = (z, -z)
        is_first, why_not_own, looks = True, "", []
        if self._readings is not None and any("joint_pos" in one for one in changes):
            why_not_own = LENGTHS
        for k in range(steps):
            made = self._advance(sides, 2 * m, changes if not why_not_own else (), why_not_own)
            if isinstance(made, str):
                return Exact(made if is_first else f"in step {k + 1}, {made}")
            taken, ways, sides, why = made
            why_not_own = why_not_own or why
            looks.append(
                partial(
                    self._borders.changes, taken, inputs.names, inputs.sizes_without_parameters,
                    partial(_sides, ways, 2 * m + commands),
                )
            )  # fmt: skip
            is_first = False
            command = self._batch.engine.command.arrays
            if not self._batch.step().all():
                raise SimulationError(ENDS)
            command["wrench"][...] = command["has_wrench"][...] = 0
        read = self._read(self._batch.engine)
        grown, fallen = (
            self._results(sign * z, directions, read) for z, sign in zip(sides, (1, -1), strict=True)
        )
        stop = 2 * m + commands
        self.by_own = Exact(why_not_own, lambda: (grown[:, stop:], fallen[:, stop:]), worlds=0)
        return Exact("", lambda: (grown[:, :stop], fallen[:, :stop]), lambda: _joined(looks))

    def _advance(
        self, sides: Sides, first: int, changes: Sequence[Changes], why_not: str
    ) -> tuple[Taken, Ways, Sides, str] | str:
        """Return what the step is near to, its directions, z⁺ on both sides, why parameters are left out.

        Or return why there are none; first: the column of the first command.
        """
        step, nv = self._step, self._layout.nv
        why = step.take_or_say()
        if why:
            return why
        if step.has_sides and step.rounds > 0:
            return "a contact touches without a gap, and the bias force was taken anew"
        forces = self._forces()
        stop = first + forces[0].shape[1]
        ways = [self._ways(sides[0], first, forces[0]), self._ways(sides[1], first, -forces[1])]
        made = step.directional()
        taken = Taken(step)
        taken.keep()
        if step.redundant and _contradict(step.left_over(), made, ways):
            return PARTS
        targets = np.zeros((2 * nv, len(changes)))
        if changes:
            why_not = self._push(ways, targets, stop, changes)
        rows = [made.along(way) for way in ways]
        if not why_not and targets.any():
            for one, sign in zip(rows, (1.0, -1.0), strict=True):
                one[: 2 * nv, stop:] += sign * targets
        ends = [one[: 2 * nv] for one in rows]
        if step.width > 3 * nv:
            rates = step.rates_map(made)
            if rates is None:
                return "the acceleration that the next step counts on is not that of forces alone"
            if changes and not why_not and step.counts_without_impulses:
                why_not = "the next step counts on the acceleration of forces alone"
            ends = [
                np.concatenate([
                    end, np.where(self._remembers, rates.along(way), 0.0), z[2 * nv : 3 * nv]
                ]) for end, way, z in zip(ends, ways, sides, strict=True)
            ]  # fmt: skip
        return taken, (made, ways[0], ways[1]), (ends[0], ends[1]), why_not

    def _ways(self, z: np.ndarray, first: int, forces: np.ndarray) -> np.ndarray:
        """Return directions (inputs of a step, columns): z and the joint forces of commands."""
        nv = self._layout.nv
        push = np.zeros((nv, z.shape[1]))
        push[:, first : first + forces.shape[1]] = forces
        return np.concatenate([z[: 2 * nv], push, z[2 * nv :]])

    def _push(
        self, ways: list[np.ndarray], targets: np.ndarray, first: int, changes: Sequence[Changes]
    ) -> str:
        """Add the joint forces of parameters, and what they ask of contacts; return why that cannot be."""
        step, nv = self._step, self._layout.nv
        forces = ForcesOfParameters(step)
        for k, one in enumerate(changes):
            made = forces.of(one)
            if isinstance(made, str):
                return made
            push, target = made
            if target.any() and step.redundant:
                return SHARED
            if target.any():
                if self._remembers.any():
                    return "a robot that rebounds remembers another acceleration"
                targets[:, k] = step.by_targets(target)
            for way, sign in zip(ways, (1.0, -1.0), strict=True):
                way[2 * nv : 3 * nv, first + k] = sign * push
        return ""


def _contradict(left: StepMap, made: StepMap, ways: Sequence[np.ndarray]) -> bool:
    """Tell whether rows that say the same ask for different changes along one of the ways."""
    rows = len(left.linear)
    for way in ways:
        size = np.abs(made.along(way)[:rows]).max(initial=0.0)
        if np.abs(left.along(way)).max(initial=0.0) > CONSISTENT * size:
            return True
    return False


def _sides(ways: Ways, stop: int, grown: np.ndarray, fallen: np.ndarray) -> Sides:
    """Return the derivatives of rows of a step by the first inputs, on both sides."""
    made, forward, backward = ways
    one = made.of_rows(0.5 * (grown + fallen))
    return one.along(forward[:, :stop]), -one.along(backward[:, :stop])


def _joined(looks: Sequence[Look]) -> tuple[Change, ...]:
    """Return what each look says, once."""
    return tuple(dict.fromkeys(change for look in looks for change in look()))
