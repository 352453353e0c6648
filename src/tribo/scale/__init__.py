"""Training on several processes or machines, by Ray: PPO with remote worlds, and sweeps of settings."""

from tribo.scale.sweeps import sweep
from tribo.scale.training import train

__all__ = ["sweep", "train"]
