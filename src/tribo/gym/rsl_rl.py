"""Worlds of a task as a `VecEnv` of rsl_rl."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode

try:
    import torch
    from rsl_rl.env import VecEnv
    from tensordict import TensorDict
except ImportError:
    raise ImportError("tribo.gym.rsl_rl needs rsl_rl: pip install rsl-rl-lib") from None

from tribo.gym.task import Task
from tribo.gym.vector_env import LoopOptions, VectorEnv


class RslRlEnv(VecEnv):
    """Worlds of a task for rsl_rl (5.x), on the processor, stepped in one call to compiled code.

    There is one group of observations, "policy", float32. Episodes that end by the time limit are in
    ``extras["time_outs"]``; the means of the reward terms and of `Task.infos` are in ``extras["log"]``.

    Args:
        task: The task.
        num_envs: How many worlds, ≥ 1.
        seed: Of world 0; world i has ``seed + i``.
        options: threads and max_episode_steps, as `VectorEnv` has them.

    Raises:
        ValueError: The task cannot be played.

    Example:
        >>> from rsl_rl.runners import OnPolicyRunner
        >>> from tribo.gym import load
        >>> envs = RslRlEnv(load("Quadruped"), 4, threads=1)
        >>> envs.step(torch.zeros(4, 12))[0]["policy"].shape
        torch.Size([4, 50])
        >>> OnPolicyRunner(envs, settings, "runs/rsl").learn(200)  # doctest: +SKIP
    """

    def __init__(
        self, task: Task, num_envs: int = 1, *, seed: int = 0, **options: Unpack[LoopOptions]
    ) -> None:
        self.envs = VectorEnv(task, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.num_envs, self.num_actions = num_envs, task.actions.size
        self.max_episode_length = self.envs.episode_steps
        self.device = torch.device("cpu")
        self.cfg = {"task": task.name, "num_envs": num_envs, "seed": seed}
        self._seen, _ = self.envs.reset(seed=seed)

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Control steps since each episode began, (worlds,); assign to set them."""
        return torch.from_numpy(self.envs.simulation.steps.copy())

    @episode_length_buf.setter
    def episode_length_buf(self, value: torch.Tensor) -> None:
        self.envs.simulation.steps[:] = value.cpu().numpy()

    def get_observations(self) -> TensorDict:
        """Return the present observations."""
        seen = torch.from_numpy(self._seen.astype(np.float32))
        return TensorDict({"policy": seen}, batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Take the actions, (worlds, k); return observations, rewards, what is over, and extras."""
        given = actions.detach().cpu().numpy().astype(float)
        self._seen, rewards, ended, cut, infos = self.envs.step(given)
        last = infos.get("final_info", infos)
        names = [name for name in self.envs.task.rewards if f"reward_{name}" in last]
        log = {f"/reward/{name}": float(np.mean(last[f"reward_{name}"])) for name in names}
        log |= {f"/{name}": float(np.mean(infos[name])) for name in self.envs.task.infos}
        extras = {"time_outs": torch.from_numpy(cut & ~ended), "log": log}
        over = torch.from_numpy(ended | cut)
        return self.get_observations(), torch.from_numpy(rewards.astype(np.float32)), over, extras
