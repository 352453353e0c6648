"""`StepJacobians`: derivatives of a step that is made again, by all that the next step depends on.

Under the midpoint rule a step depends on q, v and the accelerations a, b of the last two steps, which predict
v̄ = v + dt/2 (a + ¾ (a − b)). So z = (δq, δv, δa, δb), and under `semi_implicit` z = (δq, δv):

    z⁺ = F z + G δu,   δa⁺ = (δv⁺ − δv)/dt, or that of the velocity without impulses of contacts,   δb⁺ = δa.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks.errors import NotDifferentiableError, SimulationError
from tribo.control.exact_step import ExactStep
from tribo.control.inputs import COMMANDS, diagonal_of_mass
from tribo.control.kept_states import Kept, put
from tribo.identification.state_layout import StateLayout
from tribo.model import Integrator, Joint
from tribo.queries.step_tangents import step_tangents
from tribo.queries.tangents import CONTACTS, OBSTACLE, ROWS
from tribo.world.world import World

STEP = 1e-6  # [m, rad, m/s, rad/s] by which coordinates and velocities are moved
MOST_INPUTS = 64  # of a batch of moved worlds
SAME = 1e-9  # [–] of an acceleration, by which it may miss (v⁺ − v)/dt
BY_A, BY_B = 0.875, -0.375  # [–] of dt, by which accelerations of the last two steps move v̄

Matrices = tuple[np.ndarray, np.ndarray]


class StepJacobians:
    """Derivatives of single steps of a world from states that were kept.

    Args:
        world: The world whose model and settings the steps have.
        commands: Kind (of `COMMANDS`) and place of each number that is controlled.
        method: "auto": exact where the equations of the step are known, else differences; "exact";
            "differences".
        threads: Of the batch in which states are moved.
    """

    def __init__(
        self, world: World, commands: Sequence[tuple[str, int]], method: str, threads: int | None
    ) -> None:
        self._world, self._method, self._threads = world, method, threads
        self._commands = list(commands)
        self._layout = StateLayout(world)
        self._seat = self._batch(1)
        self._moved: dict[int, Batch] = {}
        engine = self._seat.engine
        self._nv = self._layout.nv
        self._dt = float(engine.settings.arrays["dt"].flat[0])
        self._is_midpoint = engine.settings.arrays["integrator"].flat[0] != Integrator.SEMI_IMPLICIT
        self.width = (4 if self._is_midpoint else 2) * self._nv  # of z
        self._exact = ExactStep(engine, {row: name for name, row in self._layout.bodies.items()})
        model = engine.model.arrays
        self._is_moved = model["dof_is_moved"][0] != 0
        self._balls = model["joint_v"][0][model["joint_type"][0] == Joint.SPHERICAL].tolist()
        inertia = diagonal_of_mass(world, self._layout)
        self._sizes = np.array(
            [STEP * (inertia[place] / self._dt if kind == "force" else 1.0)
             for kind, place in self._commands]
        )  # fmt: skip

    def at(
        self, kept: Kept, commands: np.ndarray, wrench: np.ndarray | None, world: int,
        obstacles: dict[str, int],
    ) -> Matrices:  # fmt: skip
        """Return F and G of the step of one world from a kept state.

        Args:
            kept: States before the step.
            commands: Values (commands,) that are held in it.
            wrench: External wrenches (bodies, 6) that act in it; None: none does.
            world: Its number.
            obstacles: Why steps were differenced and how many, to which this step is added.

        Raises:
            NotDifferentiableError: The method is "exact", and something has no exact derivative.
            SimulationError: A step from a moved state leads to what is no number.
        """
        self._set(self._seat, kept, commands, wrench, world)
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
        return self._by_differences(kept, commands, wrench, world)

    def _batch(self, worlds: int) -> Batch:
        batch = Batch(self._world, worlds, threads=self._threads)
        batch.set_settings(sleeping=False)
        return batch

    def _set(
        self, batch: Batch, kept: Kept, commands: np.ndarray, wrench: np.ndarray | None, world: int
    ) -> None:
        """Put all worlds of a batch where one was before its step."""
        put(kept, world, batch.engine)
        arrays = batch.engine.command.arrays
        for value, (kind, place) in zip(commands, self._commands, strict=True):
            arrays[COMMANDS[kind]][:, place] = value
        arrays["wrench"][...] = 0.0 if wrench is None else wrench
        arrays["has_wrench"][...] = 0 if wrench is None else 1

    # -- by the equations of the step --------------------------------------------------------------
    def _exactly(self) -> Matrices | str:
        """Return F and G of the step from where the seat is, or why there are none."""
        step, n, width = self._exact, self._nv, self.width
        try:
            why = step.take()
        except FloatingPointError:
            return "the step leads to what is no number"
        if why:
            return why
        if step.contradicts(np.eye(3 * n)[:, : 2 * n]):
            return "contacts share a load in more ways than one, and one of them would part"
        table = step.central()[: 2 * n]
        forces = self._forces()
        f, g = np.zeros((width, width)), np.zeros((width, len(self._commands)))
        f[: 2 * n, : 2 * n], g[: 2 * n] = table[:, : 2 * n], table[:, 2 * n :] @ forces
        if not self._is_midpoint:
            return f, g
        f[: 2 * n, 2 * n :] = self._by_memory()
        return self._acceleration(f, g, forces) or (f, g)

    def _forces(self) -> np.ndarray:
        """Return the joint forces (nv, commands) of commands of one unit each."""
        made = np.zeros((self._nv, len(self._commands)))
        for k, (kind, place) in enumerate(self._commands):
            dof = self._layout.dof_of[place] if kind == "target" else place
            made[:, k] = self._exact.forces_of(kind, np.array([dof]))[:, 0]
        return made

    def _by_memory(self) -> np.ndarray:
        """Return derivatives of δq⁺ and δv⁺ by the accelerations of the last two steps, (2n, 2n)."""
        n, arrays = self._nv, self._exact.tangents.arrays
        counts = arrays["counts"][0]
        rows, contacts = int(counts[ROWS]), int(counts[CONTACTS])
        at_q = -(-rows // 4) * 4
        answer = arrays["answer"][0, :n]
        opens = answer[:, at_q + 4 * n : at_q + 4 * n + contacts]
        opens = opens * arrays["gap_slope"][0, :contacts].mean(axis=1)
        by_mean = (
            answer[:, at_q + 2 * n : at_q + 3 * n] + opens @ arrays["gap_by_mean"][0, :contacts]
        )
        by_way = answer[:, at_q : at_q + n] + opens @ arrays["gap_by_q"][0, :contacts]
        way = self._way_by_acceleration(arrays["start_v"][0])
        made = np.zeros((2 * n, 2 * n))
        dt, end_by_v = self._dt, arrays["end_by_v"][0]
        for at, share in ((0, BY_A), (n, BY_B)):
            by = share * dt * by_mean
            if at == 0:
                by = by + by_way @ way
                made[:n, :n] = arrays["end_by_middle"][0] @ way
            made[n:, at : at + n] = by
            made[:n, at : at + n] += end_by_v @ by
        made[:, ~np.tile(self._is_moved, 2)] = 0.0
        return made

    def _way_by_acceleration(self, v: np.ndarray) -> np.ndarray:
        """Return δq_m by δa: a ball joint turns by −dt³/24 ω × ω̇ besides (`kinematics.drift_ball`).

        The left Jacobian of its turn counts as 1: what that leaves out is of the order dt⁴.
        """
        made = np.zeros((self._nv, self._nv))
        for dof in self._balls:
            x, y, z = v[dof : dof + 3]
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            made[dof : dof + 3, dof : dof + 3] = -(self._dt**3) / 24.0 * cross
        return made

    def _acceleration(self, f: np.ndarray, g: np.ndarray, forces: np.ndarray) -> str:
        """Write the rows of δa⁺ and δb⁺ into F and G; return why that cannot be, "" if it can.

        The next step counts on the acceleration that lasts: without the impulses of contacts where these
        change more than all other forces (`integrate.set_acceleration`). The step is then differentiated
        once more at the velocity to which it would have led without contacts.
        """
        n, step = self._nv, self._exact
        state, work = step.engine.state.arrays, step.engine.work.arrays
        start, end = step.tangents.arrays["start_v"][0], work["next_v"][0].copy()
        last = state["vdot"][0].copy()
        moved = self._is_moved
        off = np.abs(last - (end - start) / self._dt)[moved].max(initial=0.0)
        table = step.central()[n : 2 * n]
        by_memory = f[n : 2 * n, 2 * n :]
        if off > SAME * max(1.0, float(np.abs(last[moved]).max(initial=0.0))):
            free = start + self._dt * np.where(moved, last, 0.0)
            work["contact_count"][...] = work["scalar_count"][...] = 0
            work["next_v"][0, moved] = state["v"][0, moved] = free[moved]
            state["q"][0] = self._layout.plus(work["mid_q"][0], 0.5 * self._dt * work["next_v"])[0]
            model = step.engine.model
            step_tangents(
                model, step.engine.state, step.engine.command, step.engine.settings,
                step.engine.work, step.tangents,
            )  # fmt: skip
            if step.tangents.arrays["counts"][0, OBSTACLE]:
                return "the acceleration that is kept is that of a step with an obstacle of its own"
            table = step.central()[n : 2 * n]
            by_memory = self._by_memory()[n:]
        rows = slice(2 * n, 3 * n)
        f[rows, : 2 * n], f[rows, 2 * n :] = table[:, : 2 * n], by_memory
        f[rows, n : 2 * n] -= np.eye(n)
        f[rows] /= self._dt
        g[rows] = table[:, 2 * n :] @ forces / self._dt
        f[rows][~moved] = 0.0
        g[rows][~moved] = 0.0
        f[3 * n :, 2 * n : 3 * n] = np.eye(n)
        return ""

    # -- by differences ----------------------------------------------------------------------------
    def _by_differences(
        self, kept: Kept, commands: np.ndarray, wrench: np.ndarray | None, world: int
    ) -> Matrices:
        """Return F and G from steps in which every number of z and of the commands is moved both ways."""
        n, width = self._nv, self.width
        sizes = np.concatenate([
            np.full(2 * n, STEP), np.full(width - 2 * n, STEP / self._dt), self._sizes
        ])  # fmt: skip
        count = len(sizes)
        made = np.zeros((width, count))
        for first in range(0, count, MOST_INPUTS):
            inputs = np.arange(first, min(first + MOST_INPUTS, count))
            batch = self._batch_of(1 + 2 * len(inputs))
            self._set(batch, kept, commands, wrench, world)
            self._move(batch, inputs, sizes)
            if not batch.step().all():
                raise SimulationError(
                    "a step of the rollout from a state moved by "
                    f"{STEP:g} leads to what is no number"
                )
            ends = self._ends(batch)[1:].reshape(len(inputs), 2, width)
            made[:, inputs] = ((ends[:, 1] - ends[:, 0]) / (2.0 * sizes[inputs, None])).T
        return made[:, :width], made[:, width:]

    def _batch_of(self, worlds: int) -> Batch:
        if worlds not in self._moved:
            batch = self._moved[worlds] = self._batch(worlds)
            for ours, theirs in (  # the world may have other gains and settings by now
                (batch.engine.command, self._seat.engine.command),
                (batch.engine.settings, self._seat.engine.settings),
            ):
                for name, array in theirs.arrays.items():
                    ours.arrays[name][...] = array
        return self._moved[worlds]

    def _move(self, batch: Batch, inputs: np.ndarray, sizes: np.ndarray) -> None:
        """Move input k in worlds 1 + 2 k and 2 + 2 k, there down and here up."""
        n, state, command = self._nv, batch.engine.state.arrays, batch.engine.command.arrays
        for k, number in enumerate(inputs.tolist()):
            for world, by in ((1 + 2 * k, -sizes[number]), (2 + 2 * k, sizes[number])):
                block, dof = divmod(number, n)
                if number >= self.width:
                    kind, place = self._commands[number - self.width]
                    command[COMMANDS[kind]][world, place] += by
                elif block == 0:
                    change = np.zeros((1, n))
                    change[0, dof] = by
                    state["q"][world] = self._layout.plus(state["q"][world], change)[0]
                else:
                    state[("v", "vdot", "vdot_before")[block - 1]][world, dof] += by

    def _ends(self, batch: Batch) -> np.ndarray:
        """Return z⁺ of each world, (worlds, width); δq is counted from where world 0 is."""
        state = batch.engine.state.arrays
        start = np.broadcast_to(state["q"][0], state["q"].shape)
        parts = [self._layout.minus(state["q"], start), state["v"]]
        if self._is_midpoint:
            parts += [state["vdot"], state["vdot_before"]]
        return np.concatenate(parts, axis=1)
