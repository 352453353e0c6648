"""`tribo.torch.Rollout`: the states of a rollout as a `torch.autograd.Function` of commands and start."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.control.coordinate_rollout import ArrayRollout, CoordinateRollout

NEEDS = 'tribo.torch needs PyTorch: pip install "tribo[torch]"'

try:
    import torch
except ImportError as error:
    raise ImportError(NEEDS) from error


class Rollout(ArrayRollout):
    """States on the way as tensors, with `backward` and forward-mode derivatives through all steps.

    Args:
        world: The world; it stays as it is. Where no start is given, its present state is one.
        forces, targets, velocity_targets: Which numbers are commands, as `tribo.control.RolloutFunction` has
            them: {object: names of joints}, {object: "joints"}, {object: None}.
        parameters: `tribo.identification` unknowns whose values are an input, too.
        steps_per_control: Steps for which each control is held, ≥ 1.
        threads: As `Batch` has them.
        method, step: Of derivatives, as `tribo.control.RolloutFunction` has them.

    Raises:
        ImportError: PyTorch is not installed.
        KeyError, TypeError, ValueError: As `tribo.control.RolloutFunction`.

    Example:
        >>> import torch, tribo, tribo.torch
        >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
        >>> rollout = tribo.torch.Rollout(world, forces={"ball": None}, threads=1)
        >>> pushes = torch.zeros(3, 100, 6, dtype=torch.float64, requires_grad=True)
        >>> q, v = rollout(pushes)
        >>> v[:, -1, 0].sum().backward()
        >>> pushes.grad[:, 0, 0].round(decimals=6).tolist()
        [0.005, 0.005, 0.005]
    """

    def __call__(
        self, commands: Any, q: Any = None, v: Any = None, parameters: Any = None
    ) -> tuple[Any, Any]:
        """Return coordinates (worlds, T, nq) and velocities (worlds, T, nv) of all objects.

        Numbers have the type and the place of `commands`, those of whole numbers PyTorch's default type; the
        engine computes on the CPU in 64 bits.

        Args:
            commands: Tensor (worlds, T, commands) or (T, commands) [N, N m, rad, m, rad/s, m/s].
            q: Tensor of first coordinates (worlds, nq) or (nq,); quaternions are normalized. None: the
                present ones of the world.
            v: Tensor of first velocities (worlds, nv) or (nv,), or None.
            parameters: Tensor of the values (parameters,) of all worlds, by `parameter_names`, or None: those
                that the world has.

        Raises:
            TypeError: Something is no tensor, or has complex numbers.
            ValueError: A tensor has a wrong shape or is not finite.
        """
        for name, one in (("commands", commands), ("q", q), ("v", v), ("parameters", parameters)):
            check.instance(one, torch.Tensor | None, f"{name} must be a tensor")
            if one is not None and one.is_complex():
                raise TypeError(f"{name} must be a tensor of real numbers, got {one.dtype}")
        if not commands.is_floating_point():
            commands = commands.to(torch.get_default_dtype())
        made: tuple[Any, Any] = _Function.apply(
            self._inside, *self._inputs(commands, q, v, parameters, _like, torch.broadcast_to)
        )
        return made


def _like(one: Any, other: Any) -> Any:
    """Return a tensor of the start: numbers of the world and whole numbers get the type of another tensor."""
    if isinstance(one, torch.Tensor):
        return one if one.is_floating_point() else one.to(other.dtype)
    return torch.as_tensor(one, dtype=other.dtype, device=other.device)


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().double().numpy())


class _Function(torch.autograd.Function):
    """The rollout as PyTorch calls it."""

    @staticmethod
    def forward(ctx: Any, inside: CoordinateRollout, commands: Any, q: Any, v: Any, own: Any) -> Any:
        ctx.inside, ctx.start = inside, _array(q)
        ctx.ways = inside.run(_array(commands), ctx.start, _array(v), _array(own))
        ctx.like = [(one.dtype, one.device) for one in (commands, q, v, own)]
        return tuple(commands.new_tensor(np.array(one)) for one in (ctx.ways.q, ctx.ways.v))

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, by_q: Any, by_v: Any) -> Any:
        found = ctx.inside.vjp(ctx.ways, ctx.start, (_array(by_q), _array(by_v)))
        made = [
            torch.as_tensor(np.array(one), dtype=dtype, device=device)
            for one, (dtype, device) in zip(found, ctx.like, strict=True)
        ]
        return None, *made

    @staticmethod
    def jvp(ctx: Any, _: Any, *changes: Any) -> Any:
        ways = ctx.ways
        shapes = [(*ways.v.shape[:2], len(ways.command_names)), ctx.start.shape, ways.v[:, 0].shape,
                  (len(ways.parameter_names),)]  # fmt: skip
        given = [
            np.zeros(shape) if one is None else _array(one)
            for one, shape in zip(changes, shapes, strict=True)
        ]
        found = ctx.inside.jvp(ways, ctx.start, tuple(given))
        dtype, device = ctx.like[0]
        return tuple(torch.as_tensor(one, dtype=dtype, device=device) for one in found)
