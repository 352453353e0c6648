"""Rollouts as functions of JAX, differentiable in both modes (docs/howto/rollout); extra `jax`."""

from tribo.jax.rollout import Rollout

__all__ = ["Rollout"]
