"""A learnt policy at work: returns, pictures, films."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.gym.task import Task
from tribo.gym.task_names import load
from tribo.gym.vector_env import VectorEnv
from tribo.learn.policy import Policy

POLICY = "policy.npz"
FILM_RATE = 50  # [1/s] pictures at most


def policy_of(run: str | Path) -> Policy:
    """Return the policy of a run: of a folder that `train` filled, or of an .npz file.

    Raises:
        FileNotFoundError: There is none.
        ValueError: The file is no policy.
    """
    path = Path(run)
    path = path / POLICY if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such policy; 'tribo train TASK' makes one")
    return Policy.load(path)


@answered_call
def play(
    run: str | Path | Policy, episodes: int = 1, *, task: str | Task | None = None, seed: int = 0,
    render: bool = False, steps: int | None = None,
    watch: Callable[[VectorEnv], None] | None = None,
) -> tuple[list[float], list[np.ndarray]]:  # fmt: skip
    """Play episodes one after another with a policy, without noise in its actions.

    Args:
        run: Folder of a training, .npz file, or policy.
        episodes: How many, ≥ 1.
        task: A task or its name, instead of the one that the policy names. For a task of your own it is
            needed: the name in a file does not make this process import anything.
        seed: Of the first; the random stream goes on.
        render: Keep a picture of each control step.
        steps: Control steps after which an episode is cut off; None: those of the task.
        watch: Called after the start and after each step with the environment of one world.

    Returns:
        Returns of the episodes, and pictures (height, width, 3) of uint8.

    Raises:
        FileNotFoundError, ValueError: There is no such policy, or it does not fit its task, or that is one
            of your own and not given.
    """
    if steps is not None:
        check.integer(steps, "steps", 1)
    policy = run if isinstance(run, Policy) else policy_of(run)
    envs = _worlds(policy, task, steps, "rgb_array" if render else None)
    returns: list[float] = []
    pictures: list[np.ndarray] = []
    for total in _moments(envs, policy, episodes, seed):
        if total is not None:
            returns.append(total)
            continue
        pictures += envs.render() or ()
        if watch is not None:
            watch(envs)
    return returns, pictures


def film(
    run: str | Path | Policy, path: str | Path, episodes: int = 1, *, task: str | Task | None = None,
    seed: int = 0, steps: int | None = None, report: Callable[[int, int], None] | None = None,
) -> list[float]:  # fmt: skip
    """Play as `play` does, and write a film in real time (extra "plot"); pictures are not kept.

    Args:
        run, episodes, task, seed, steps: As `play` has them.
        path: File to write, .mp4; an existing one is replaced.
        report: Called before each picture with the control steps so far and how many there are at most.

    Returns:
        Returns of the episodes.

    Raises:
        FileNotFoundError, ValueError: As `play`.
        ImportError: The encoder is missing.
        OSError: The film cannot be written.
    """
    from tribo.viewer.film import save_film

    if steps is not None:
        check.integer(steps, "steps", 1)
    policy = run if isinstance(run, Policy) else policy_of(run)
    envs = _worlds(policy, task, steps, "rgb_array")
    rate = int(envs.metadata["render_fps"])
    stride = max(1, rate // FILM_RATE)
    returns: list[float] = []

    def frames() -> Iterator[np.ndarray]:
        count = 0
        for total in _moments(envs, policy, episodes, seed):
            if total is not None:
                returns.append(total)
                continue
            if count % stride == 0:
                if report is not None:
                    report(count, episodes * envs.episode_steps)
                yield from envs.render() or ()
            count += 1

    save_film(frames(), path, rate // stride)
    return returns


def _worlds(policy: Policy, task: str | Task | None, steps: int | None, mode: str | None) -> VectorEnv:
    """Return the world in which a policy is played."""
    if task is None and ":" in policy.task:
        raise ValueError(
            f"the policy is of a task of somebody's own, {policy.task}; if you trust its code, name it: "
            f"--task {policy.task} (task=…)"
        )
    chosen = task if isinstance(task, Task) else load(task or policy.task)
    return VectorEnv(
        chosen, 1, threads=1, autoreset_mode="Disabled", max_episode_steps=steps, render_mode=mode
    )


def _moments(envs: VectorEnv, policy: Policy, episodes: int, seed: int) -> Iterator[float | None]:
    """Play; yield None before each control step, and the return where an episode is over."""
    check.integer(episodes, "episodes", 1)
    for episode in range(episodes):
        seen, _ = envs.reset(seed=seed if episode == 0 else None)
        total, is_over = 0.0, False
        while not is_over:
            yield None
            seen, rewards, ended, cut, _ = envs.step(policy(seen))
            total += float(rewards[0])
            is_over = bool(ended[0] or cut[0])
        yield total
