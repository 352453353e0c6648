"""One world of a task as a `gymnasium.Env`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from tribo.checks import check
from tribo.checks.calls import said_by_class
from tribo.checks.sealed import Answering
from tribo.gym.rendering import MODES
from tribo.gym.task import Task
from tribo.gym.vector_env import VectorEnv


class Env(gymnasium.Env, Answering):
    """One world of a task. The worlds of a `VectorEnv` do the same, bit for bit.

    Args:
        task: The task, or the name of one, as `tribo.gym.load` has it.
        max_episode_steps: Instead of the task's `episode_steps`.
        render_mode: None, "rgb_array" or "human", as `VectorEnv` has them.

    Raises:
        ValueError: The task cannot be played, or there is no such mode.

    Example:
        >>> from tribo.gym.tasks import cart_pole
        >>> env = Env(cart_pole.task())
        >>> observation, info = env.reset(seed=1)
        >>> observation, reward, ended, cut, info = env.step(env.action_space.sample())
        >>> observation.shape, ended
        ((4,), False)
    """

    metadata = {"render_modes": list(MODES), "render_fps": 50}  # noqa: RUF012  # Gymnasium's form

    _called = "envs"

    @said_by_class
    def __init__(
        self, task: Task | str, *, max_episode_steps: int | None = None, render_mode: str | None = None
    ) -> None:
        self._envs = VectorEnv(
            task, 1, threads=1, autoreset_mode=AutoresetMode.DISABLED,
            max_episode_steps=max_episode_steps, render_mode=render_mode,
        )  # fmt: skip
        self.render_mode = render_mode
        self.metadata = {key: self._envs.metadata[key] for key in ("render_modes", "render_fps")}
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    @property
    def task(self) -> Task:
        """The task: world, actions, observations, rewards and ends."""
        return self._envs.task

    @property
    def vector(self) -> VectorEnv:
        """The same world as a `VectorEnv` of one."""
        return self._envs

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode.

        Args:
            seed: Of the random stream; None: it goes on.
            options: Not used.

        Returns:
            Observation (n,) and infos.
        """
        super().reset(seed=seed)
        observations, infos = self._envs.reset(seed=seed)
        return observations[0], _of_one(infos)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take an action, (k,); what is outside the action space is limited to it.

        Returns:
            Observation (n,), reward, whether the episode ended, whether it was cut off, infos.

        Raises:
            ValueError: The shape is wrong or a number is not finite; nothing is changed.
            RuntimeError: `reset` was not called before.
        """
        given = check.shaped(np.asarray(action), "action", self.action_space.shape)
        seen, rewards, ended, cut, infos = self._envs.step(given[None])
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), _of_one(infos)

    def render(self) -> np.ndarray | None:
        """Return a picture, (height, width, 3) of uint8, or None in other modes."""
        pictures = self._envs.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Close the world; a second time does nothing."""
        self._envs.close()


def _of_one(infos: dict[str, Any]) -> dict[str, Any]:
    """Return what infos of one world hold, without the masks."""
    return {name: value[0] for name, value in infos.items() if name[0] != "_" and infos[f"_{name}"][0]}
