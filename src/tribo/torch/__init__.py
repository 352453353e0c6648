"""Rollouts as functions of PyTorch, differentiable in both modes (docs/howto/rollout); extra `torch`."""

from tribo.torch.rollout import Rollout

__all__ = ["Rollout"]
