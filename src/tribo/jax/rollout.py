"""`tribo.jax.Rollout`: the states of a rollout as a function of JAX, by callbacks to compiled steps."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from tribo.control.coordinate_rollout import ArrayRollout, CoordinateRollout

NEEDS = 'tribo.jax needs JAX: pip install "tribo[jax]"'

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError(NEEDS) from error


class Rollout(ArrayRollout):
    """States on the way as arrays of JAX, for `jax.grad`, `jax.vjp`, `jax.jvp` and `jax.jit`.

    The worlds are the first axis of commands: `jax.vmap` of derivatives is not there. A function that
    `jax.jit` compiled keeps the start that the world had when it was traced, as it keeps all that is no
    argument of it; give `q` and `v` where the world goes on. Gains, settings and masses are those of each
    run.

    Args:
        world: The world; it stays as it is. Where no start is given, its present state is one.
        forces, targets, velocity_targets: Which numbers are commands, as `tribo.control.RolloutFunction` has
            them: {object: names of joints}, {object: "joints"}, {object: None}.
        parameters: `tribo.identification` unknowns whose values are an input, too.
        steps_per_control: Steps for which each control is held, ≥ 1.
        threads: As `Batch` has them.
        method, step: Of derivatives, as `tribo.control.RolloutFunction` has them.

    Raises:
        ImportError: JAX is not installed.
        KeyError, TypeError, ValueError: As `tribo.control.RolloutFunction`.

    Example:
        >>> import jax, jax.numpy as jnp, tribo, tribo.jax
        >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
        >>> rollout = tribo.jax.Rollout(world, forces={"ball": None}, threads=1)
        >>> speed = lambda pushes: rollout(pushes)[1][0, -1, 0]
        >>> [round(x, 6) for x in jax.grad(speed)(jnp.zeros((1, 100, 6)))[0, :3, 0].tolist()]
        [0.005, 0.005, 0.005]
    """

    @cached_property
    def _called(self) -> Any:
        """The rollout as JAX calls it."""
        return _differentiable(self._inside)

    def __call__(
        self, commands: Any, q: Any = None, v: Any = None, parameters: Any = None
    ) -> tuple[Any, Any]:
        """Return coordinates (worlds, T, nq) and velocities (worlds, T, nv) of all objects.

        Numbers have the type of `commands`, 32 bits unless JAX is told otherwise (`jax_enable_x64`); the
        engine computes in 64 bits.

        Args:
            commands: (worlds, T, commands) or (T, commands) [N, N m, rad, m, rad/s, m/s].
            q: First coordinates (worlds, nq) or (nq,); quaternions are normalized. None: those that the world
                has, under `jax.jit` those that it had when the function was traced.
            v: First velocities (worlds, nv) or (nv,), or None.
            parameters: Values (parameters,) of all worlds, in the order of `parameter_names`, or None, as q.

        Raises:
            TypeError: Something is no array of real numbers.
            ValueError: An array has a wrong shape or is not finite; under `jax.jit` JAX wraps the latter.
        """
        told = jnp.asarray(commands)
        if jnp.issubdtype(told.dtype, jnp.complexfloating):
            raise TypeError(f"commands must be real numbers, got {told.dtype}")
        if not jnp.issubdtype(told.dtype, jnp.floating):
            told = told.astype(float)
        made: tuple[Any, Any] = self._called(*self._inputs(told, q, v, parameters, _like, jnp.broadcast_to))
        return made


def _like(one: Any, other: Any) -> Any:
    """Return an array of the start with the type of another one."""
    return jnp.asarray(one, other.dtype)


def _differentiable(inside: CoordinateRollout) -> Any:
    """Return the rollout as a function with a linear rule that JAX takes forward and transposed."""
    layout = inside.function.layout

    def shapes_of(commands: Any) -> tuple[Any, Any]:
        worlds, horizon = commands.shape[:2]
        return tuple(
            jax.ShapeDtypeStruct((worlds, horizon, width), commands.dtype) for width in (layout.nq, layout.nv)
        )

    def cast(made: Any, like: Any) -> Any:
        return tuple(np.asarray(one, like.dtype) for one in made)

    def on_host(commands: Any, q: Any, v: Any, own: Any) -> Any:
        ways = inside.run(commands, q, v, own)
        return cast((ways.q, ways.v), np.asarray(commands))

    def jvp_on_host(inputs: Any, changes: Any) -> Any:
        made = inside.jvp(inside.last(*inputs), np.asarray(inputs[1]), changes)
        return cast(made, np.asarray(inputs[0]))

    def vjp_on_host(inputs: Any, by: Any) -> Any:
        made = inside.vjp(inside.last(*inputs), np.asarray(inputs[1]), by)
        return cast(made, np.asarray(inputs[0]))

    @jax.custom_jvp  # type: ignore[untyped-decorator]
    def rollout(commands: Any, q: Any, v: Any, own: Any) -> Any:
        return jax.pure_callback(on_host, shapes_of(commands), commands, q, v, own)

    @rollout.defjvp  # type: ignore[untyped-decorator]
    def rule(inputs: Any, changes: Any) -> Any:
        # One array: what is linear in some of several changes alone is not transposed.
        sizes = np.cumsum([one.size for one in inputs])[:-1]

        def parted(flat: Any) -> Any:
            parts = jnp.split(flat, sizes)
            return tuple(one.reshape(at.shape) for one, at in zip(parts, inputs, strict=True))

        def forward(at: Any, flat: Any) -> Any:
            return jax.pure_callback(jvp_on_host, shapes_of(at[0]), at, parted(flat))

        def transposed(at: Any, by: Any) -> Any:
            like = tuple(jax.ShapeDtypeStruct(one.shape, one.dtype) for one in at)
            made = jax.pure_callback(vjp_on_host, like, at, by)
            return jnp.concatenate([one.ravel() for one in made])

        flat = jnp.concatenate([one.ravel() for one in changes])
        linear = jax.custom_derivatives.linear_call(forward, transposed, inputs, flat)
        return rollout(*inputs), linear

    return rollout
