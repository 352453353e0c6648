"""Environments for reinforcement learning: tasks over `tribo.Batch`, in Gymnasium's form."""

from typing import TYPE_CHECKING

try:
    import gymnasium
except ImportError:
    raise ImportError('tribo.gym needs Gymnasium: pip install "tribo[gym]"') from None

from gymnasium.vector import AutoresetMode

from tribo.checks.answers import of_module
from tribo.gym.draws import Draws
from tribo.gym.env import Env
from tribo.gym.registration import register
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Change, Task, Term
from tribo.gym.task_names import load, names
from tribo.gym.vector_env import VectorEnv

__all__ = [
    "Actions", "AutoresetMode", "Change", "Draws", "Env", "Simulation", "Task", "Term", "VectorEnv",
    "load", "names", "register",
]  # fmt: skip

assert gymnasium.__version__  # imported for its error alone; registration uses it
register()

if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything
    __getattr__ = of_module(__name__, "gym", __all__)
