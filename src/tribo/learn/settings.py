"""The numbers of a training, and good ones for each task."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from tribo.checks import check
from tribo.checks.calls import answered_call, frozen_record

MAX_THREADS = 1024  # each is one of the system; PyTorch asked for more ends the process


@frozen_record
@dataclass(frozen=True)
class Settings:
    """Numbers of PPO. Names and defaults are those of its papers where they have one.

    Sources: Schulman et al., "Proximal policy optimization algorithms", 2017; "High-dimensional continuous
    control using generalized advantage estimation", 2015; the learning rate follows the divergence of the
    policy as in Rudin et al., "Learning to walk in minutes using massively parallel deep reinforcement
    learning", 2021.

    Example:
        >>> Settings(worlds=8, horizon=16).samples
        128
    """

    worlds: int = 256  # that step at once
    horizon: int = 32  # control steps between two updates
    iterations: int = 100  # updates
    epochs: int = 5  # times that each sample is looked at in an update
    minibatches: int = 4
    discount: float = 0.99  # [–] γ
    trace: float = 0.95  # [–] λ of the generalised advantage
    clip: float = 0.2  # [–] of the ratio of probabilities
    divergence: float = 0.01  # [–] wanted between two policies (Kullback–Leibler)
    learning_rate: float = 1e-3  # first; it is adapted within 1e-5 … 1e-2
    entropy: float = 0.0  # weight
    gradient: float = 1.0  # largest norm
    hidden: tuple[int, ...] = (64, 64)
    deviation: float = 0.5  # of the actions at the start, parts of their range
    seed: int = 0
    threads: int = 0  # of the physics; 0: one for each processor
    torch_threads: int = 1  # of PyTorch: networks are small, and threads that wait cost more than they give
    checkpoint_every: int = 10  # updates

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing can be learnt.

        Raises:
            TypeError, ValueError: One is not of its kind or out of its range; the message names it.
        """
        for name in (
            "worlds",
            "horizon",
            "iterations",
            "epochs",
            "minibatches",
            "checkpoint_every",
            "torch_threads",
        ):
            check.integer(getattr(self, name), name, 1)
        for name in ("seed", "threads"):
            check.integer(getattr(self, name), name, 0)
        for name in ("threads", "torch_threads"):
            check.number(getattr(self, name), name, maximum=MAX_THREADS)
        for name in ("clip", "divergence", "learning_rate", "gradient", "deviation"):
            check.positive(getattr(self, name), name)
        for name in ("discount", "trace"):
            check.number(getattr(self, name), name, minimum=0.0, maximum=1.0)
        check.number(self.entropy, "entropy", minimum=0.0)
        widths = check.listed(self.hidden, "hidden", "widths of layers")
        object.__setattr__(self, "hidden", tuple(check.integer(n, "hidden", 1) for n in widths))
        if self.samples < 2:  # advantages are scaled by their deviation
            raise ValueError("worlds · horizon must be ≥ 2, got 1")
        if self.minibatches > self.samples:
            raise ValueError(
                f"minibatches must be ≤ worlds · horizon = {self.samples}, got {self.minibatches}"
            )

    @property
    def samples(self) -> int:
        """Samples of an update: worlds · horizon."""
        return self.worlds * self.horizon

    def resolved(self) -> Settings:
        """Return the same with the number of threads of this machine instead of 0."""
        if self.threads:
            return self
        here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        return dataclasses.replace(self, threads=here or 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers by name, for `Settings(**numbers)`."""
        return dataclasses.asdict(self)


PRESETS: dict[str, dict[str, Any]] = {
    "CartPole": {"worlds": 64, "horizon": 32, "iterations": 100},
    "Reach": {"worlds": 256, "horizon": 32, "iterations": 150, "discount": 0.97},
    "BallBalance": {"worlds": 256, "horizon": 32, "iterations": 150},
    "Quadruped": {"worlds": 512, "horizon": 24, "iterations": 400, "hidden": (128, 64), "deviation": 0.3},
    "QuadrupedRough": {
        "worlds": 512, "horizon": 24, "iterations": 800, "hidden": (128, 64), "deviation": 0.3,
    },
    "Anymal": {"worlds": 512, "horizon": 24, "iterations": 400, "hidden": (128, 64), "deviation": 0.3},
    "Biped": {"worlds": 512, "horizon": 24, "iterations": 600, "hidden": (128, 64), "deviation": 0.3},
    "Ant": {"worlds": 256, "horizon": 32, "iterations": 600, "hidden": (128, 128)},
    "HalfCheetah": {"worlds": 256, "horizon": 32, "iterations": 600, "hidden": (128, 128)},
    "Hopper": {"worlds": 256, "horizon": 64, "iterations": 400, "hidden": (128, 128)},
    "Walker2d": {"worlds": 256, "horizon": 64, "iterations": 600, "hidden": (128, 128)},
    "Humanoid": {"worlds": 512, "horizon": 32, "iterations": 1000, "hidden": (256, 128)},
}  # fmt: skip


class Numbers(TypedDict, total=False):
    """The fields of `Settings`, for ``preset(task, seed=3)``; None: as it is."""

    worlds: int | None
    horizon: int | None
    iterations: int | None
    epochs: int | None
    minibatches: int | None
    discount: float | None
    trace: float | None
    clip: float | None
    divergence: float | None
    learning_rate: float | None
    entropy: float | None
    gradient: float | None
    hidden: tuple[int, ...] | None
    deviation: float | None
    seed: int | None
    threads: int | None
    torch_threads: int | None
    checkpoint_every: int | None


@answered_call
def preset(task: str, **numbers: Unpack[Numbers]) -> Settings:
    """Return the settings for a task, those of `Settings` for one of your own.

    Args:
        task: Its name.
        numbers: Changed settings by name; None stands for "as it is".

    Raises:
        TypeError, ValueError: A number is unknown or out of its range.

    Example:
        >>> preset("CartPole", seed=3).worlds
        64
    """
    chosen = PRESETS.get(task, {}) | {name: n for name, n in numbers.items() if n is not None}
    known = {field.name for field in dataclasses.fields(Settings)}
    for name in chosen:
        if name not in known:
            raise TypeError(f"unknown setting {name!r}{check.nearest(name, known)}")
    return Settings(**chosen)
