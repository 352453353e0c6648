"""Worlds of a task as a `VecEnv` of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise ImportError(
        "tribo.gym.stable_baselines needs Stable-Baselines3: pip install stable-baselines3"
    ) from None

from tribo.gym.task import Task
from tribo.gym.vector_env import LoopOptions, VectorEnv


class StableBaselinesEnv(VecEnv):
    """Worlds of a task for Stable-Baselines3, stepped in one call to compiled code.

    Observations are float32. Infos have "terminal_observation", "TimeLimit.truncated" and "episode" (return
    "r", length "l") where an episode ended, as SB3's `Monitor` gives them.

    Args:
        task: The task.
        num_envs: How many worlds, ≥ 1.
        options: threads, max_episode_steps and render_mode, as `VectorEnv` has them.

    Raises:
        ValueError: The task cannot be played.

    Example:
        >>> from stable_baselines3 import PPO
        >>> envs = StableBaselinesEnv(tribo.gym.load("CartPole"), 64)  # doctest: +SKIP
        >>> model = PPO("MlpPolicy", envs, n_steps=32, batch_size=512).learn(100_000)  # doctest: +SKIP
    """

    def __init__(self, task: Task, num_envs: int = 1, **options: Unpack[LoopOptions]) -> None:
        self.envs = VectorEnv(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.render_mode = self.envs.render_mode
        width = self.envs.single_observation_space.shape
        seen = spaces.Box(-np.inf, np.inf, width, np.float32)
        super().__init__(num_envs, seen, self.envs.single_action_space)
        self._actions = np.zeros((num_envs, task.actions.size))
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._next_seed: int | None = None

    def reset(self) -> np.ndarray:
        """Begin new episodes in all worlds; return their observations, (worlds, n)."""
        observations, _ = self.envs.reset(seed=self._next_seed)
        self._next_seed = None
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations.astype(np.float32)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Let the next `reset` begin the streams of the worlds at ``seed + i``; return these seeds."""
        self._next_seed = seed
        return [None if seed is None else seed + k for k in range(self.num_envs)]

    def step_async(self, actions: np.ndarray) -> None:
        """Note the actions, (worlds, k), for `step_wait`."""
        self._actions = np.asarray(actions, float)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the actions; return observations, rewards, which episodes are over, and infos."""
        observations, rewards, ended, cut, infos = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        over = ended | cut
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(over):
            told[row] = {
                "terminal_observation": infos["final_obs"][row].astype(np.float32),
                "TimeLimit.truncated": bool(cut[row] and not ended[row]),
                "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row])},
            }
        self._returns[over], self._lengths[over] = 0.0, 0
        return observations.astype(np.float32), rewards.astype(np.float32), over, told

    def close(self) -> None:
        """Close the worlds."""
        self.envs.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return a picture of each world, None without a render mode."""
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the `VectorEnv`, once for each of the chosen worlds."""
        return [getattr(self.envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the worlds share one `VectorEnv`, `envs`; change that.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{attr_name}: worlds share one VectorEnv; change it in `envs`")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Refuse: there is no environment for each world; call methods of `envs`.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"{method_name}: worlds share one VectorEnv; call it on `envs`")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return that no world is wrapped, for each of the chosen ones."""
        return [False for _ in self._get_indices(indices)]
