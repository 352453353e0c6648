"""Tasks by name: those of this package, and functions of users."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.gym.task import Task

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


@answered_call
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
        raise ImportError(f"{name!r} must be module:function of a task, from this folder: {error}") from None
    finally:
        if is_new:
            sys.path.remove(here)
    return of_function(make, name)


def of_function(make: Any, name: str) -> Task:
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
