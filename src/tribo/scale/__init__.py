"""Training on several processes or machines, by Ray: PPO with remote worlds, and sweeps of settings."""

from tribo.scale.training import sweep, train

__all__ = ["sweep", "train"]
