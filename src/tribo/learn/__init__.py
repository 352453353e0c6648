"""Policies: trained by PPO, kept in checkpoints, exported and played (docs/howto/train)."""

from typing import TYPE_CHECKING

from tribo.checks.answers import of_module
from tribo.learn.play import film, play
from tribo.learn.policy import Policy
from tribo.learn.settings import Settings, preset
from tribo.learn.training import has_checkpoint, settings_of, train

__all__ = ["Policy", "Settings", "film", "has_checkpoint", "play", "preset", "settings_of", "train"]

if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything
    __getattr__ = of_module(__name__, "learn", __all__)
