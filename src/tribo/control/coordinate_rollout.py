"""`CoordinateRollout`: a rollout as a function of plain arrays, with both products of its derivatives.

Libraries of automatic differentiation know no rotation vectors: here quaternions are four numbers, which the
function normalizes at the start. The last rollout is kept, so that products after it need no new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tribo.control.coordinate_changes import FORWARD, TRANSPOSED, lengths, to_coordinates, to_dofs
from tribo.control.differentiable_rollout import DifferentiableRollout
from tribo.control.rollout import Names, RolloutFunction
from tribo.identification.unknowns import Unknown
from tribo.world.world import World

Arrays = tuple[np.ndarray, ...]


class CoordinateRollout:
    """q, v (worlds, T, …) as a function of commands (worlds, T, k), first q, v (worlds, …) and parameters.

    Args:
        function: The rollout.
    """

    def __init__(self, function: RolloutFunction) -> None:
        self.function = function
        self._inputs: Arrays = ()
        self._ways: DifferentiableRollout | None = None

    def present(self) -> Arrays:
        """Return the present coordinates (nq,), velocities (nv,) and parameters of the world."""
        return (*self.function.start(), self.function.parameters())

    def run(self, commands: Any, q: Any, v: Any, parameters: Any) -> DifferentiableRollout:
        """Make the rollout of these inputs with the present gains and settings of the world; keep it."""
        self._inputs = tuple(np.array(one, float) for one in (commands, q, v, parameters))
        self._ways = self.function.run(*self._inputs[:3], parameters=self._inputs[3])
        return self._ways

    def last(self, commands: Any, q: Any, v: Any, parameters: Any) -> DifferentiableRollout:
        """Return the rollout of these inputs for products: the last one if it had the same."""
        if self._ways is not None and all(
            np.array_equal(a, b) for a, b in zip((commands, q, v, parameters), self._inputs, strict=True)
        ):
            return self._ways
        return self.run(commands, q, v, parameters)

    def jvp(
        self, ways: DifferentiableRollout, q: np.ndarray, changes: tuple[Any, Any, Any, Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return changes of q, v on the way from changes of commands, first q, v and parameters."""
        layout = self.function.layout
        d_commands, dq, dv, own = (np.asarray(one, float) for one in changes)
        start = layout.normalized(q)
        dofs = to_dofs(layout, start, dq / lengths(layout, np.asarray(q, float)), FORWARD)
        moved, faster = ways.jvp(dofs, dv, d_commands, own)
        return to_coordinates(layout, ways.q, moved, TRANSPOSED), faster

    def vjp(self, ways: DifferentiableRollout, q: np.ndarray, by: tuple[Any, Any]) -> Arrays:
        """Return derivatives by commands, first q, v and parameters from derivatives by q, v on the way."""
        layout = self.function.layout
        by_q, by_v = (np.asarray(one, float) for one in by)
        gradient = ways.vjp(to_dofs(layout, ways.q, by_q, TRANSPOSED), by_v)
        by_start = to_coordinates(layout, layout.normalized(q), gradient.coordinate, FORWARD)
        return (
            gradient.commands,
            by_start / lengths(layout, np.asarray(q, float)),
            gradient.velocity,
            gradient.parameters.sum(axis=0),
        )


class ArrayRollout:
    """Base of the rollouts of all libraries of arrays: their arguments and the shapes of their inputs."""

    def __init__(
        self, world: World, *, forces: Names | None = None, targets: Names | None = None,
        velocity_targets: Names | None = None, parameters: Unknown | Sequence[Unknown] = (),
        steps_per_control: int = 1,
        threads: int | None = None, method: str = "auto", step: float = 1e-6,
    ) -> None:  # fmt: skip
        self.function = RolloutFunction(
            world, forces=forces, targets=targets, velocity_targets=velocity_targets,
            parameters=parameters, steps_per_control=steps_per_control, threads=threads,
            method=method, step=step,
        )  # fmt: skip
        self._inside = CoordinateRollout(self.function)

    @property
    def command_names(self) -> tuple[str, ...]:
        """Names of the last axis of commands."""
        return self.function.command_names

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.function.parameter_names

    def _inputs(
        self, commands: Any, q: Any, v: Any, parameters: Any, like: Callable[[Any, Any], Any],
        broadcast: Callable[[Any, tuple[int, ...]], Any],
    ) -> tuple[Any, Any, Any, Any]:  # fmt: skip
        """Return commands (worlds, T, k), first q, v (worlds, …) and parameters as arrays of a library.

        Args:
            commands, q, v, parameters: As users give them, commands an array of the library.
            like: Returns an array of the library of an array, with the type of another.
            broadcast: Returns an array of the library, repeated to a shape.

        Raises:
            ValueError: An array has a wrong shape.
        """
        width = len(self.command_names)
        shape = tuple(commands.shape)
        if len(shape) not in (2, 3) or shape[-1] != width or 0 in shape:
            raise ValueError(f"commands must have shape (worlds, T, {width}) or (T, {width}), got {shape}")
        told = commands[None] if len(shape) == 2 else commands
        *present, own = self._inside.present()
        values = like(own if parameters is None else parameters, told)
        if tuple(values.shape) != own.shape:
            raise ValueError(f"parameters must have shape {own.shape}, got {tuple(values.shape)}")
        starts = []
        for name, given, own in zip("qv", (q, v), present, strict=True):
            one, whole = like(own if given is None else given, told), (told.shape[0], len(own))
            if tuple(one.shape) not in (whole, whole[1:]):
                raise ValueError(f"{name} must have shape {whole} or {whole[1:]}, got {tuple(one.shape)}")
            starts.append(broadcast(one, whole))
        return told, starts[0], starts[1], values
