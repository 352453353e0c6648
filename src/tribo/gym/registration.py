"""Names under which Gymnasium finds the tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

import gymnasium

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.gym.env import Env
from tribo.gym.task import Task
from tribo.gym.task_names import NAMES, load, of_function
from tribo.gym.vector_env import EnvOptions, VectorEnv, VectorEnvOptions


def _made(task: str | Callable[[], Task]) -> Task:
    """Return a new task by its name or from what makes it."""
    return load(task) if isinstance(task, str) else of_function(task, "task")


def make_env(name: str | Callable[[], Task], **options: Unpack[EnvOptions]) -> Env:
    """Return an `Env` of a task by name; options as `Env` has them. For Gymnasium's registry."""
    return Env(_made(name), **options)


def make_vector_env(
    name: str | Callable[[], Task], num_envs: int = 1, **options: Unpack[VectorEnvOptions]
) -> VectorEnv:
    """Return a `VectorEnv` of a task by name; options as `VectorEnv` has them. For Gymnasium's registry."""
    return VectorEnv(_made(name), num_envs, **options)


@answered_call
def register(env_id: str | None = None, task: str | Callable[[], Task] | None = None) -> None:
    """Make a task of your own known to `gymnasium.make` and `gymnasium.make_vec`.

    Without arguments it makes ``tribo/CartPole-v0`` and its kin known; importing `tribo.gym` does that.

    Args:
        env_id: Its name in Gymnasium, as "me/SwingUp-v0".
        task: "module:function", or a function that takes nothing and returns a new `Task`.

    Raises:
        TypeError: One of the two is missing or none of these.

    Example:
        >>> import gymnasium
        >>> from tribo.gym.tasks import cart_pole
        >>> register("me/Balance-v0", cart_pole.task)
        >>> gymnasium.make_vec("me/Balance-v0", num_envs=2, threads=1).reset(seed=0)[0].shape
        (2, 4)
    """
    if env_id is None and task is None:
        for name in NAMES:
            _enter(f"tribo/{name}-v0", name)
        return
    check.text(env_id, "name of an environment")
    if not isinstance(task, str) and not callable(task):
        raise TypeError(
            "task must be 'module:function' or a function that takes nothing and returns a tribo.gym.Task, "
            f"got {check.shown(task)}"
        )
    _enter(str(env_id), task)


def _enter(env_id: str, task: str | Callable[[], Task]) -> None:
    """Put a task into Gymnasium's registry."""
    gymnasium.register(
        env_id, "tribo.gym.registration:make_env",
        vector_entry_point="tribo.gym.registration:make_vector_env", kwargs={"name": task},
    )  # fmt: skip
