"""Names under which Gymnasium finds the tasks."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

import gymnasium

from tribo.checks import check
from tribo.gym.env import Env
from tribo.gym.task import Task
from tribo.gym.vector_env import EnvOptions, VectorEnv, VectorEnvOptions

NAMES = {  # name of the id: file in tasks/
    "CartPole": "cart_pole",
    "Reach": "reach",
    "BallBalance": "ball_balance",
    "Quadruped": "quadruped",
    "QuadrupedRough": "quadruped_rough",
    "Anymal": "anymal",
    "Biped": "biped",
    "Ant": "ant",
    "HalfCheetah": "half_cheetah",
    "Hopper": "hopper",
    "Walker2d": "walker2d",
    "Humanoid": "humanoid",
}


def names() -> tuple[str, ...]:
    """Return the names of all tasks, for `load`."""
    return tuple(NAMES)


def load(name: str) -> Task:
    """Return a new task by name.

    Args:
        name: As in ``tribo/CartPole-v0``, with or without what stands before and behind it; or
            "module:function" of your own, which takes nothing and returns a `Task`.

    Raises:
        KeyError: There is none; the message proposes the nearest name.
        ImportError: It needs files of a package that is not installed, or there is no such function.
        TypeError: Your function returns something else.

    Example:
        >>> load("CartPole").name
        'CartPole'
    """
    check.text(name, "name of a task")
    if ":" in name:
        return _of_user(name)
    short = name.removeprefix("tribo/").removesuffix("-v0")
    module = NAMES[check.known(short, NAMES, "task")]
    made: Task = importlib.import_module(f"tribo.gym.tasks.{module}").task()
    return made


def _of_user(name: str) -> Task:
    """Return what a function of the user's returns, by "module:function"."""
    module, _, function = name.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), function)):
        raise ImportError(
            f"{name!r} must be module:function of a task, from this folder, as 'pendulum:swing_up'"
        )
    here = str(Path.cwd())
    is_new = here not in sys.path
    if is_new:
        sys.path.insert(0, here)
    try:
        make = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ImportError(
            f"{name!r} must be module:function of a task, from this folder: {error}"
        ) from None
    finally:
        if is_new:
            sys.path.remove(here)
    return _checked(make, name)


def _checked(make: Any, name: str) -> Task:
    """Return what a function of the user's returns, if it is a task."""
    if not callable(make):
        raise TypeError(
            f"{name} must be a function that takes nothing and returns a tribo.gym.Task, "
            f"got {check.shown(make)}"
        )
    made = make()
    if not isinstance(made, Task):
        raise TypeError(f"{name} must return a tribo.gym.Task, got {check.shown(made)}")
    return made


def _made(task: str | Callable[[], Task]) -> Task:
    """Return a new task by its name or from what makes it."""
    return load(task) if isinstance(task, str) else _checked(task, "task")


def make_env(name: str | Callable[[], Task], **options: Unpack[EnvOptions]) -> Env:
    """Return an `Env` of a task by name; options as `Env` has them. For Gymnasium's registry."""
    return Env(_made(name), **options)


def make_vector_env(
    name: str | Callable[[], Task], num_envs: int = 1, **options: Unpack[VectorEnvOptions]
) -> VectorEnv:
    """Return a `VectorEnv` of a task by name; options as `VectorEnv` has them. For Gymnasium's registry."""
    return VectorEnv(_made(name), num_envs, **options)


def register(env_id: str | None = None, task: str | Callable[[], Task] | None = None) -> None:
    """Make a task of your own known to `gymnasium.make` and `gymnasium.make_vec`.

    Without arguments it makes ``tribo/CartPole-v0`` and its kin known; importing `tribo.gym` does that.

    Args:
        env_id: What Gymnasium shall call it, as "me/SwingUp-v0".
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
