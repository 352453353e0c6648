"""Policies: trained by PPO, kept in checkpoints, exported and played (docs/howto/train)."""

from tribo.learn.play import film, play
from tribo.learn.policy import Policy
from tribo.learn.settings import Settings, preset
from tribo.learn.training import has_checkpoint, settings_of, train

__all__ = ["Policy", "Settings", "film", "has_checkpoint", "play", "preset", "settings_of", "train"]
