"""`StepJacobians`: derivatives of a step that is made again, by all that the next step depends on.

Under the midpoint rule a step depends on q, v and the accelerations a, b of the last two steps, which predict
v̄ = v + dt/2 (a + ¾ (a − b)). So z = (δq, δv, δa, δb), and under `semi_implicit` z = (δq, δv):

    z⁺ = F z + G δu,   δa⁺ = (δv⁺ − δv)/dt, or that of the velocity without impulses of contacts,   δb⁺ = δa.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.checks.errors import NotDifferentiableError, SimulationError
from tribo.control.exact_parameters import ForcesOfParameters, changed_fields
from tribo.control.exact_step import PARTS, ExactStep, remembering
from tribo.control.inputs import COMMANDS, bundle_ways
from tribo.control.kept_states import Held, Kept, put, take_over
from tribo.engine.engine import Engine
from tribo.identification.state_layout import StateLayout
from tribo.model import Integrator

MAX_INPUTS = 64  # of the worlds that are moved at a time

Matrices = tuple[np.ndarray, np.ndarray]


class StepJacobians:
    """Derivatives of single steps from states that were kept, of one rollout after the other.

    Args:
        layout: Of the states.
        commands: Kind (of `COMMANDS`) and place of each number that is controlled.
        method: "auto": exact where the equations of the step are known, else differences; "exact";
            "differences"; "bundled": of the mean of a step over normally distributed inputs.
        step: [m, rad, m/s, rad/s] by which coordinates and velocities are moved, or, of a bundle, their
            standard deviation.
    """

    def __init__(
        self, layout: StateLayout, commands: Sequence[tuple[str, int]], method: str, step: float
    ) -> None:
        self._layout, self._commands, self._method = layout, list(commands), method
        self._step = step
        self._nv = layout.nv
        self.width = 0  # of z
        self._by_own: np.ndarray | None = None  # by parameters, of the step of the last `at`
        self._held: Held | None = None
        self._moved: dict[int, Engine] = {}

    def take(self, held: Held) -> int:
        """Take over what the steps of a rollout have in common; return how many numbers z has."""
        if held is self._held:
            return self.width
        if self._held is None or held.model is not self._held.model:
            self._seat = Engine(held.model, held.sizes, held.capacity, 1)
            self._exact = ExactStep(self._seat, self._layout.names_of_bodies, has_memory=True)
            self._moved = {}
            self._remembers = remembering(held.model.arrays)
        self._held = held
        self._dt = float(held.settings["dt"].flat[0])
        self._is_midpoint = held.settings["integrator"].flat[0] != Integrator.SEMI_IMPLICIT
        self.width = (4 if self._is_midpoint else 2) * self._nv
        self._sizes = np.array(
            [self._step * (held.inertia[place] / self._dt if kind == "force" else 1.0)
             for kind, place in self._commands]
        )  # fmt: skip
        return self.width

    def at(
        self, kept: Kept, commands: np.ndarray, is_first: bool, world: int, obstacles: dict[str, int]
    ) -> Matrices:
        """Return F and G of the step of one world from a kept state, of the rollout that was taken last.

        Args:
            kept: States before the step.
            commands: Values (commands,) that are held in it.
            is_first: Whether external wrenches act in it.
            world: Its number.
            obstacles: Why steps were differenced and how many, to which this step is added.

        Raises:
            NotDifferentiableError: The method is "exact", and something has no exact derivative.
            SimulationError: A step from a moved state leads to what is no number.
        """
        self._by_own = None
        if self._method == "bundled":
            return self._bundled(kept, commands, is_first, world)
        self._set(self._seat, kept, commands, is_first, world)
        why = "differences were asked for"
        if self._method != "differences":
            made = self._exactly()
            if not isinstance(made, str):
                return made
            why = made
            if self._method == "exact":
                raise NotDifferentiableError(
                    f"a step of the rollout has no exact derivatives: {why}; take method='auto'"
                )
        obstacles[why] = obstacles.get(why, 0) + 1
        return self._by_differences(kept, commands, is_first, world)

    def _set(self, engine: Engine, kept: Kept, commands: np.ndarray, is_first: bool, world: int) -> None:
        """Put all worlds of an engine where one was before its step."""
        assert self._held is not None
        put(kept, world, engine)
        has_own = self._held.moved is not None and engine is self._held.moved.engine
        take_over(self._held, engine, is_own=has_own)
        arrays = engine.command.arrays
        for value, (kind, place) in zip(commands, self._commands, strict=True):
            arrays[COMMANDS[kind]][:, place] = value
        if not is_first:
            arrays["wrench"][...] = arrays["has_wrench"][...] = 0

    def by_parameters(self, kept: Kept, commands: np.ndarray, is_first: bool, world: int) -> np.ndarray:
        """Return derivatives (z, parameters) of z⁺ by the parameters, of the step of the last `at`.

        Exact where its equations tell what a parameter changes, else by differences.

        Raises:
            SimulationError: A step with a moved parameter leads to what is no number.
        """
        assert self._held is not None
        if self._by_own is not None:
            return self._by_own
        moved = self._held.moved
        assert moved is not None
        self._set(moved.engine, kept, commands, is_first, world)
        moved.engine.state.arrays["tree_motion"][..., 0] = 0.0  # with other masses its momentum is another
        if moved.engine.run_all(1, min(self._held.threads, moved.engine.worlds)).any():
            raise SimulationError("a step of the rollout with a moved parameter leads to what is no number")
        ends = self._ends(moved.engine)[1:].reshape(len(moved.sizes), 2, self.width)
        return np.asarray(((ends[:, 1] - ends[:, 0]) / (2.0 * moved.sizes[:, None])).T)

    # -- by the equations of the step --------------------------------------------------------------
    def _exactly(self) -> Matrices | str:
        """Return F and G of the step from where the seat is, or why there are none."""
        step, n, width = self._exact, self._nv, self.width
        why = step.take_or_say()
        if why:
            return why
        if step.contradicts():
            return PARTS
        table = step.central()[: 2 * n]
        forces, own = self._forces(), self._forces_of_parameters()
        f, g = np.zeros((width, width)), np.zeros((width, len(self._commands)))
        f[: 2 * n, : 2 * n], g[: 2 * n] = table[:, : 2 * n], table[:, 2 * n :] @ forces
        if own is not None:
            push, target = own
            by_own = self._by_own = np.zeros((width, push.shape[1]))
            by_own[: 2 * n] = table[:, 2 * n :] @ push + step.by_targets(target)
        if not self._is_midpoint:
            return f, g
        f[: 2 * n, 2 * n :] = step.by_memory()
        rates = step.rates()
        if rates is None:
            self._by_own = None
            return "the acceleration that the next step counts on is not that of forces alone"
        if step.counts_without_impulses:  # of these accelerations a parameter's force is not known
            own = self._by_own = None
        remembers = self._remembers[:, None]
        f[2 * n : 3 * n, : 2 * n] = np.where(remembers, rates[:, : 2 * n], 0.0)
        f[2 * n : 3 * n, 2 * n :] = np.where(remembers, rates[:, 3 * n : 5 * n], 0.0)
        g[2 * n : 3 * n] = np.where(remembers, rates[:, 2 * n : 3 * n] @ forces, 0.0)
        if own is not None:
            by_own[2 * n : 3 * n] = np.where(remembers, rates[:, 2 * n : 3 * n] @ own[0], 0.0)
        f[3 * n :, 2 * n : 3 * n] = np.eye(n)
        return f, g

    def _forces_of_parameters(self) -> Matrices | None:
        """Return joint forces and targets of contacts of a unit of each parameter; None if there are none.

        A robot that rebounds remembers another acceleration than that of its target. Contacts that share
        a load in more ways than one may be asked for different targets.
        """
        if self._held is None or self._held.moved is None:
            return None
        forces = ForcesOfParameters(self._exact)
        engine, sizes = self._held.moved.engine, self._held.moved.sizes
        pushes, targets = [], []
        for k, size in enumerate(sizes):
            made = forces.of(changed_fields(engine, 1 + 2 * k, 2 + 2 * k, 2.0 * size))
            if isinstance(made, str):
                return None
            if made[1].any() and (self._remembers.any() or self._exact.redundant):
                return None
            pushes.append(made[0])
            targets.append(made[1])
        return np.stack(pushes, axis=1), np.stack(targets, axis=1)

    def _forces(self) -> np.ndarray:
        """Return the joint forces (nv, commands) of commands of one unit each."""
        made = np.zeros((self._nv, len(self._commands)))
        for k, (kind, place) in enumerate(self._commands):
            dof = self._layout.dof_of[place] if kind == "target" else place
            made[:, k] = self._exact.forces_of(kind, np.array([dof]))[:, 0]
        return made

    # -- by differences ----------------------------------------------------------------------------
    def _by_differences(self, kept: Kept, commands: np.ndarray, is_first: bool, world: int) -> Matrices:
        """Return F and G from steps in which every number of z and of the commands is moved both ways."""
        width, sizes = self.width, self._moves()
        made = np.zeros((width, len(sizes)))
        both = np.array([-1.0, 1.0])[:, None]
        for first in range(0, len(sizes), MAX_INPUTS):
            inputs = np.arange(first, min(first + MAX_INPUTS, len(sizes)))
            amounts = (np.diag(sizes)[inputs][:, None] * both).reshape(-1, len(sizes))
            ends = self._ends_from(kept, commands, is_first, world, amounts)
            ends = ends.reshape(len(inputs), 2, width)
            made[:, inputs] = ((ends[:, 1] - ends[:, 0]) / (2.0 * sizes[inputs, None])).T
        return made[:, :width], made[:, width:]

    def _bundled(self, kept: Kept, commands: np.ndarray, is_first: bool, world: int) -> Matrices:
        """Return F and G of the mean of the step over normally distributed z and commands (`linearize`)."""
        sizes, width = self._moves(), self.width
        ways = bundle_ways(len(sizes))
        halves = []
        for first in range(0, len(ways), MAX_INPUTS):
            some = ways[first : first + MAX_INPUTS] * sizes
            ends = self._ends_from(kept, commands, is_first, world, np.concatenate([some, -some]))
            halves.append(0.5 * (ends[: len(some)] - ends[len(some) :]))
        fitted = np.linalg.lstsq(ways, np.concatenate(halves), rcond=None)[0]
        made = fitted.T / sizes
        return made[:, :width], made[:, width:]

    def _moves(self) -> np.ndarray:
        """Return by how much each number of z and of the commands is moved."""
        n, width = self._nv, self.width
        state, memory = np.full(2 * n, self._step), np.full(width - 2 * n, self._step / self._dt)
        return np.concatenate([state, memory, self._sizes])

    def _ends_from(
        self, kept: Kept, commands: np.ndarray, is_first: bool, world: int, amounts: np.ndarray
    ) -> np.ndarray:
        """Return z⁺ (n, width) of steps with z and commands changed by amounts (n, z and commands)."""
        assert self._held is not None
        n, count = self._nv, 1 + len(amounts)
        if count not in self._moved:
            held = self._held
            self._moved[count] = Engine(held.model, held.sizes, held.capacity, count)
        engine = self._moved[count]
        self._set(engine, kept, commands, is_first, world)
        state, command = engine.state.arrays, engine.command.arrays
        turned = 1 + np.flatnonzero(amounts[:, :n].any(axis=1))  # else no quaternion is normalized
        state["q"][turned] = self._layout.plus(state["q"][turned], amounts[turned - 1, :n])
        for block, name in enumerate(("v", "vdot", "vdot_before")[: self.width // n - 1], start=1):
            state[name][1:] += amounts[:, block * n : (block + 1) * n]
        for k, (kind, place) in enumerate(self._commands):
            command[COMMANDS[kind]][1:, place] += amounts[:, self.width + k]
        if engine.run_all(1, min(self._held.threads, engine.worlds)).any():
            raise SimulationError(
                f"a step of the rollout from a state moved by {self._step:g} leads to what is no number"
            )
        return self._ends(engine)[1:]

    def _ends(self, engine: Engine) -> np.ndarray:
        """Return z⁺ of each world, (worlds, width); δq is counted from where world 0 is."""
        state = engine.state.arrays
        start = np.broadcast_to(state["q"][0], state["q"].shape)
        parts = [self._layout.minus(state["q"], start), state["v"]]
        if self._is_midpoint:
            parts += [state["vdot"], state["vdot_before"]]
        return np.concatenate(parts, axis=1)
