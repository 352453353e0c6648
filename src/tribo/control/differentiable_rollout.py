"""`DifferentiableRollout`: states on the way, and products of their derivatives with vectors.

States before each step are kept, and derivatives of a step are found when a product asks for them: the step
is made again. Source: Griewank, Walther 2008, "Evaluating derivatives", ch. 3 (forward and reverse mode).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tribo.batch.rollout import Rollout
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.control.kept_states import Held, Kept
from tribo.control.step_jacobians import StepJacobians


@dataclass(frozen=True, eq=False, repr=False)
class Gradient:
    """Derivatives of one number by start, commands and parameters, as `DifferentiableRollout.vjp` returns."""

    coordinate: np.ndarray  # (worlds, nv) by changes of the first coordinates
    velocity: np.ndarray  # (worlds, nv) by the first velocities
    commands: np.ndarray  # (worlds, T, commands)
    parameters: np.ndarray  # (worlds, parameters)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DifferentiableRollout(Rollout):
    """Where plans lead, with products of the derivatives of these states, forward and backward.

    A change δq of coordinates has a number for each dof, of a quaternion the rotation vector δ with
    q ← exp(δ/2) q, as in `tribo.linearize`. The memory of the first step, impulses and accelerations of the
    one before it, is a constant. In worlds that did not make it all products are NaN. Masses, gains and
    settings are those that the world had in the run, whatever becomes of it.
    """

    command_names: tuple[str, ...]  # of the last axis of commands: "force/robot/cart"
    state_names: tuple[str, ...]  # of the last axis of δq: "robot/cart", "box/rx"
    parameter_names: tuple[str, ...]  # of the last axis of parameters: "floor/box/friction"
    _jacobians: StepJacobians = field(repr=False)  # of the function: all its runs share them
    _held: Held = field(repr=False)
    _kept: list[Kept] = field(repr=False)  # before each step
    _commands: np.ndarray = field(repr=False)  # (worlds, T, commands)
    _obstacles: dict[str, int] = field(repr=False, default_factory=dict)

    def __repr__(self) -> str:
        """Return how many worlds, controls and commands there are."""
        size = f"{len(self.q)} worlds over {self.q.shape[1]} controls"
        return f"<DifferentiableRollout of {size}, {len(self.command_names)} commands>"

    @property
    def obstacles(self) -> Mapping[str, int]:
        """Why steps of products were differenced, and how many; empty while all were exact [–]."""
        return dict(self._obstacles)

    def jvp(
        self, coordinate: Any = None, velocity: Any = None, commands: Any = None, parameters: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return changes δq, δv (worlds, T, nv) of all states on the way, to first order: forward mode.

        Args:
            coordinate: Changes of the first coordinates, (worlds, nv) or (nv,); None: none.
            velocity: Changes of the first velocities, the same.
            commands: Changes of the commands, (worlds, T, commands), or without the first axis.
            parameters: Changes of the parameters, (worlds, parameters) or (parameters,).

        Raises:
            TypeError, ValueError: An array has a wrong shape or is not finite.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((100, 6))}, derivatives=True, threads=1)
            >>> push = np.zeros((100, 6))
            >>> push[:, 0] = 1.0
            >>> moved, faster = ways.jvp(commands=push)
            >>> float(faster[0, -1, 0].round(6))
            0.5
        """
        z, by_own, n, every = self._begin()
        z[:, :n] = self._given(coordinate, "coordinate", z[:, :n].shape)
        z[:, n : 2 * n] = self._given(velocity, "velocity", z[:, :n].shape)
        by_commands = self._given(commands, "commands", self._commands.shape)
        by_own[...] = self._given(parameters, "parameters", by_own.shape)
        moved, faster = np.full((2, *self.v.shape), np.nan)
        for k in range(len(self._kept)):
            control = k // every
            for world in np.flatnonzero(self.made_it).tolist():
                f, g = self._matrices(k, control, world)
                z[world] = f @ z[world] + g @ by_commands[world, control]
                if by_own[world].any():
                    z[world] += self._by_parameters(k, control, world) @ by_own[world]
            moved[self.made_it, control] = z[self.made_it, :n]
            faster[self.made_it, control] = z[self.made_it, n : 2 * n]
        return moved, faster

    def vjp(self, coordinate: Any = None, velocity: Any = None) -> Gradient:
        """Return derivatives of Σ (coordinate · q + velocity · v) by all inputs: reverse mode.

        Inputs are start, commands and, where the function has any, parameters.

        Args:
            coordinate: Derivatives of a number by δq of each state on the way, (worlds, T, nv) or without the
                first axis; None: it does not depend on them.
            velocity: The same by its velocities.

        Raises:
            TypeError, ValueError: An array has a wrong shape or is not finite.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((100, 6))}, derivatives=True, threads=1)
            >>> of_last = np.zeros((100, 6))
            >>> of_last[-1, 0] = 1.0
            >>> gradient = ways.vjp(velocity=of_last)
            >>> gradient.commands[0, :3, 0].round(6).tolist(), float(gradient.velocity[0, 0].round(6))
            ([0.005, 0.005, 0.005], 1.0)
        """
        y, by_own, n, every = self._begin()
        by_q = self._given(coordinate, "coordinate", self.v.shape)
        by_v = self._given(velocity, "velocity", self.v.shape)
        by_commands = np.zeros(self._commands.shape)
        for k in reversed(range(len(self._kept))):
            control = k // every
            if k % every == every - 1:
                y[:, :n] += by_q[:, control]
                y[:, n : 2 * n] += by_v[:, control]
            for world in np.flatnonzero(self.made_it).tolist():
                f, g = self._matrices(k, control, world)
                by_commands[world, control] += y[world] @ g
                if self.parameter_names:
                    by_own[world] += y[world] @ self._by_parameters(k, control, world)
                y[world] = y[world] @ f
        y[~self.made_it] = by_commands[~self.made_it] = by_own[~self.made_it] = np.nan
        return Gradient(frozen(y[:, :n]), frozen(y[:, n : 2 * n]), frozen(by_commands), frozen(by_own))

    def matrices(self, control: int, world: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return F and G of one control of one world: z⁺ = F z + G δu.

        z has δq and δv, (nv,) each, and under the midpoint rule changes of the accelerations of the last two
        steps besides; z⁺ is that of the state at the end of the control.

        Args:
            control: Its number, 0 … T − 1.
            world: Its number.

        Raises:
            TypeError, ValueError: There is no such control or world, or the world did not make it.
            NotDifferentiableError: The method is "exact", and a step has no exact derivatives.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> ways = tribo.rollout(world, forces={"ball": np.zeros((4, 6))}, derivatives=True, threads=1)
            >>> by_state, by_force = ways.matrices(3)
            >>> by_state.shape, by_force.shape, float(by_force[6, 0].round(9))
            ((24, 24), (24, 6), 0.005)
        """
        worlds, horizon = self.v.shape[:2]
        for value, what, count in ((control, "control", horizon), (world, "world", worlds)):
            if check.integer(value, what, 0) >= count:
                raise ValueError(f"{what} must be < {count}, got {value}")
        if not self.made_it[world]:
            raise ValueError(f"world {world} did not make it: it has no derivatives")
        width, every = self._jacobians.take(self._held), len(self._kept) // horizon
        f, g = np.eye(width), np.zeros((width, len(self.command_names)))
        for k in range(every * control, every * (control + 1)):
            one, own = self._matrices(k, control, world)
            f, g = one @ f, one @ g + own
        return f, g

    def states(self, control: int) -> Kept:
        """Return what is kept of the states of all worlds before a control, by field of `State`."""
        first: int = control * (len(self._kept) // self.v.shape[1])
        return self._kept[first]

    @property
    def commands(self) -> np.ndarray:
        """Commands of all worlds, (worlds, T, commands)."""
        return frozen(self._commands)

    def _begin(self) -> tuple[np.ndarray, np.ndarray, int, int]:
        """Return zeros of z and of parameters, worlds first; how many dofs, and steps per control."""
        worlds, horizon, n = self.v.shape
        z = np.zeros((worlds, self._jacobians.take(self._held)))
        return z, np.zeros((worlds, len(self.parameter_names))), n, len(self._kept) // horizon

    def _matrices(self, k: int, control: int, world: int) -> tuple[np.ndarray, np.ndarray]:
        told = self._commands[world, control]
        return self._jacobians.at(self._kept[k], told, k == 0, world, self._obstacles)

    def _by_parameters(self, k: int, control: int, world: int) -> np.ndarray:
        told = self._commands[world, control]
        return self._jacobians.by_parameters(self._kept[k], told, k == 0, world)

    @staticmethod
    def _given(value: Any, what: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return checked numbers of a shape, or of that without its first axis."""
        if value is None:
            return np.zeros(shape)
        made = check.shaped(check.array(value, what, "numbers"), what, shape, shape[1:])
        return np.array(np.broadcast_to(made, shape))
