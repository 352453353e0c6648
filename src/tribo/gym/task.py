"""Tasks: a world, actions, observations, rewards, ends, and how episodes begin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np

from tribo.checks import check
from tribo.checks.calls import record
from tribo.checks.sealed import Answering
from tribo.world.world import World

# A `Simulation` runs a task and a task's terms are asked about it: here it is `Any`, so that it is above.
Term = Callable[[Any], Any]  # of the `Simulation` → (worlds,) or (worlds, k)
Change = Callable[[Any, np.ndarray], None]  # of the `Simulation` and the worlds with these numbers, (n,)


PLAIN = ("observations", "terminations", "resets", "randomisations", "endings", "notes", "infos")


@record
@dataclass(slots=True)
class Actions:
    """Actions of a policy.

    `apply` writes commands into the batch, which hold for the whole control step. It gets the actions after
    they were limited to low … high, (worlds, k); the reward terms see them as the policy gave them.

    Example:
        >>> import numpy as np
        >>> def push(sim, actions):
        ...     sim.object("cart").generalized_force[:, 0] = 10.0 * actions[:, 0]
        >>> Actions([-1.0], [1.0], push).size
        1
    """

    low: Any  # (k,)
    high: Any  # (k,)
    apply: Callable[[Any, np.ndarray], None]  # of the `Simulation` and the actions

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            TypeError, ValueError: They are no numbers, do not have one shape (k,), or a lower one is not
                below its upper one.
        """
        given = [check.array(self.low, "low of actions", "numbers"),
                 check.array(self.high, "high of actions", "numbers")]  # fmt: skip
        for limits in given:
            if (np.isfinite(limits) & (np.abs(limits) > check.LARGEST)).any():
                raise ValueError(
                    f"limits of actions must be at most {check.LARGEST:g} in size, got {check.shown(limits)}"
                )
        self.low, self.high = (limits.astype(np.float32) for limits in given)
        if self.low.ndim != 1 or self.low.shape != self.high.shape or not self.low.size:
            raise ValueError(
                f"low and high of actions must have one shape (k,), got {self.low.shape}, {self.high.shape}"
            )
        if not (self.low < self.high).all():
            raise ValueError(f"low of actions must be below high, got {self.low} and {self.high}")

    @property
    def size(self) -> int:
        """Number of actions k."""
        return int(self.low.size)


class TaskOptions(TypedDict, total=False):
    """The numbers of a task, and how it is watched."""

    steps_per_action: int
    episode_steps: int
    camera: tuple[Any, Any]
    follows: str


@record
@dataclass
class Task(Answering):
    """A task, declared by terms. All are plain dictionaries: add to them, replace, or delete.

    A term is a function of the `Simulation` that returns an array whose first axis is the world. It must
    compute each world's row from that world alone; then a world does in a batch, bit for bit, what it does
    alone. (Sums over `axis=1` and products element by element do; products of matrices by BLAS may not.)

    A term of change is a function of the `Simulation` and the numbers of the worlds that it shall change,
    (n,). Random numbers come from ``sim.draws``, with these numbers as their first argument.

    Example:
        >>> import numpy as np, tribo
        >>> def world():
        ...     made = tribo.World(time_step=0.01)
        ...     made.add_sphere(0.1, mass=1.0, name="ball")
        ...     return made
        >>> def lift(sim, actions):
        ...     sim.object("ball").generalized_force[:, 2] = 20.0 * actions[:, 0]
        >>> hover = Task("hover", world, Actions([0.0], [1.0], lift))
        >>> hover.observations["height"] = lambda sim: sim.object("ball").position[:, 2]
        >>> hover.rewards["near"] = 1.0, lambda sim: 1.0 - sim.object("ball").position[:, 2] ** 2
        >>> hover.terminations["lost"] = lambda sim: np.abs(sim.object("ball").position[:, 2]) > 1.0
    """

    _called = "task"
    name: str
    make_world: Callable[[], World]  # builds a new one with each call
    actions: Actions
    observations: dict[str, Term] = field(default_factory=dict)
    rewards: dict[str, tuple[float, Term]] = field(default_factory=dict)  # weight and term
    terminations: dict[str, Term] = field(default_factory=dict)  # (worlds,) of bool
    resets: dict[str, Change] = field(default_factory=dict)  # at the start of an episode, in this order
    randomisations: dict[str, Change] = field(default_factory=dict)  # as resets, before them
    endings: dict[str, Change] = field(
        default_factory=dict
    )  # as an episode ends, while its last state is still there: for curricula
    events: dict[str, tuple[float, Change]] = field(default_factory=dict)  # every so many seconds [s]
    notes: dict[str, Term] = field(default_factory=dict)  # kept before each step: ``sim.before[name]``
    noise: dict[str, Any] = field(default_factory=dict)  # standard deviation, by observation
    infos: dict[str, Term] = field(default_factory=dict)
    steps_per_action: int = 1
    episode_steps: int = 1000  # actions after which an episode is cut off
    camera: tuple[Any, Any] = ((2.0, -3.0, 1.2), (0.0, 0.0, 0.4))  # [m] eye, what it looks at
    follows: str = ""  # the object with which the camera goes along

    def __post_init__(self) -> None:
        """Check the numbers."""
        check.integer(self.steps_per_action, "steps_per_action", 1)
        check.integer(self.episode_steps, "episode_steps", 1)

    def check(self) -> None:
        """Refuse a task that cannot be played.

        Raises:
            TypeError: A value that is given as a term is none: no function, or no weight or period with it.
            ValueError: It has no observation or no reward, or a weight, a period or the noise is out of its
                range.
        """
        check.text(self.name, "name of a task")
        whose = f"of task {self.name!r}"
        check.instance(self.actions, Actions, f"actions {whose} must be tribo.gym.Actions")
        _callable(self.make_world, f"make_world {whose}")
        _callable(self.actions.apply, f"apply of the actions {whose}")
        for what in ("observations", "rewards"):
            if not getattr(self, what):
                raise ValueError(f"task {self.name!r} has no {what}: add one, task.{what}[name] = …")
        for part, what in zip(
            _two(self.camera, f"camera {whose}", "eye and target"), ("eye", "target"), strict=True
        ):
            check.vector(part, f"{what} of the camera {whose}", 3)
        for what in PLAIN:
            for name, term in getattr(self, what).items():
                _callable(term, f"{what}[{name!r}] {whose}")
        for name, entry in self.rewards.items():
            weight, term = _two(entry, f"reward {name!r} {whose}", "a weight and a function")
            check.number(weight, f"weight of reward {name!r} {whose}")
            _callable(term, f"reward {name!r} {whose}")
        for name, occasion in self.events.items():
            seconds, change = _two(occasion, f"event {name!r} {whose}", "seconds and a function")
            check.positive(seconds, f"period of event {name!r} {whose}")
            _callable(change, f"event {name!r} {whose}")
        for name, deviation in self.noise.items():
            check.known(name, self.observations, f"observation {whose}")
            what = f"noise of observation {name!r} {whose}"
            given = check.within_range(check.array(deviation, what, "numbers"), what)
            check.not_negative(given, what)


def _callable(term: Any, what: str) -> None:
    """Refuse what is no function."""
    if not callable(term):
        raise TypeError(f"{what} must be a function, got {check.shown(term)}")


def _two(entry: Any, what: str, expected: str) -> tuple[Any, Any]:
    """Return the two parts of an entry."""
    if not isinstance(entry, tuple | list) or len(entry) != 2:
        raise TypeError(f"{what} must be {expected}, one tuple; got {check.shown(entry)}")
    return entry[0], entry[1]
