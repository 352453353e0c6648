"""Rollouts for a learner: worlds, the policy's noise, and how the episodes went."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tribo.checks import check
from tribo.gym.task import Task
from tribo.gym.vector_env import VectorEnv
from tribo.learn.network import ActorCritic
from tribo.learn.settings import Settings
from tribo.learn.torch_extra import torch

REMEMBERED = 100  # episodes of which means are shown


@dataclass
class Rollout:
    """Observations, actions and rewards, (horizon, worlds, …) each."""

    seen: Any
    actions: Any
    chances: Any  # logarithms of the probability densities of the actions
    values: Any
    rewards: Any  # scaled; what would have come after a cut is in it
    ended: Any  # whether an episode ended or was cut in this step


class Players(Protocol):
    """The rollout side as a learner sees it, here or on other machines."""

    networks: ActorCritic
    seen: np.ndarray  # (worlds, n) after the last rollout
    last_reward: float  # mean of the last rollout
    returns: deque[float]  # of the last episodes
    lengths: deque[int]

    def play(self) -> Rollout:
        """Return what the present policy does in `horizon` steps of all worlds."""

    def state(self) -> dict[str, Any]:
        """Return all that the next rollouts depend on, but for the networks."""

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `state` returned."""


class Player:
    """Worlds of a task, and networks with which they are played.

    Args:
        task: The task.
        settings: `worlds` and `threads` of these worlds; `seed` of the first and of the networks.
        random: PyTorch's generator of the noise.

    Example:
        >>> from tribo.gym import load
        >>> settings = Settings(worlds=4, horizon=8, threads=1)
        >>> player = Player(load("CartPole"), settings, torch().Generator().manual_seed(1))
        >>> player.play().seen.shape
        torch.Size([8, 4, 4])
    """

    def __init__(self, task: Task, settings: Settings, random: Any) -> None:
        self.settings, self.random = settings, random
        self.envs = VectorEnv(task, settings.worlds, threads=settings.threads, autoreset_mode="SameStep")
        space, n = self.envs.single_action_space, self.envs.single_observation_space.shape[0]
        self.networks = ActorCritic(
            n, space.low, space.high, settings.hidden, settings.deviation, settings.seed
        )
        self.seen, _ = self.envs.reset(seed=settings.seed)
        self.last_reward = 0.0
        self.returns: deque[float] = deque(maxlen=REMEMBERED)
        self.lengths: deque[int] = deque(maxlen=REMEMBERED)
        self.running = np.zeros((3, settings.worlds))  # return, length, discounted return so far
        self.scale = np.array([0.0, 1.0, 1e-4])  # mean, variance, count of discounted returns

    def play(self) -> Rollout:
        """Return what the present policy does in `horizon` steps, all worlds."""
        module, settings, networks = torch(), self.settings, self.networks
        kept: list[tuple[Any, ...]] = []
        total = 0.0
        for _ in range(settings.horizon):
            seen = module.from_numpy(self.seen.astype(np.float32))
            with module.no_grad():
                scaled = networks.scaled(seen)
                distribution = networks.distribution(scaled)
                noise = module.randn(distribution.loc.shape, generator=self.random)
                actions = distribution.loc + distribution.scale * noise
                chances = distribution.log_prob(actions).sum(dim=-1)
                values = networks.value(scaled)
                given = networks.middle + networks.range * actions
            self.seen, rewards, ended, cut, infos = self.envs.step(given.numpy())
            total += float(rewards.mean())
            self._count(rewards, ended | cut)
            scaled_rewards = module.from_numpy((rewards / self.reward_scale()).astype(np.float32))
            only_cut = np.flatnonzero(cut & ~ended)
            if only_cut.size:
                last = np.stack(list(infos["final_obs"][only_cut])).astype(np.float32)
                with module.no_grad():
                    after = networks.value(networks.scaled(module.from_numpy(last)))
                scaled_rewards[module.from_numpy(only_cut)] += settings.discount * after
            over = module.from_numpy((ended | cut).astype(np.float32))
            kept.append((seen, actions, chances, values, scaled_rewards, over))
        self.last_reward = total / settings.horizon
        return Rollout(*(module.stack(column) for column in zip(*kept, strict=True)))

    def _count(self, rewards: np.ndarray, over: np.ndarray) -> None:
        """Take the rewards of a step into the returns of the episodes."""
        self.running[0] += rewards
        self.running[1] += 1.0
        self.running[2] = self.running[2] * self.settings.discount + rewards
        for row in np.flatnonzero(over):
            self.returns.append(float(self.running[0, row]))
            self.lengths.append(int(self.running[1, row]))
        mean, variance, count = self.scale
        n, here = self.settings.worlds, self.running[2]
        step, both = here.mean() - mean, count + self.settings.worlds
        spread = variance * count + here.var() * n + step**2 * count * n / both
        self.scale[:] = mean + step * n / both, spread / both, both
        self.running[:, over] = 0.0

    def reward_scale(self) -> float:
        """Return the deviation of the discounted returns so far, by which rewards are divided."""
        return float(np.sqrt(self.scale[1]) + 1e-6)

    def state(self) -> dict[str, Any]:
        """Return all that the next rollouts depend on, but for the networks, bit for bit."""
        return {
            "random": self.random.get_state(), "envs": self.envs.state(),
            "returns": list(self.returns), "lengths": list(self.lengths),
            "running": self.running.copy(), "scale": self.scale.copy(),
        }  # fmt: skip

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `state` returned, of a player with the same task and settings.

        Raises:
            TypeError, ValueError: It is of a training on several processes, another task or other settings.
        """
        if "runners" in saved:
            count = len(saved["runners"])
            raise ValueError(
                f"the training was begun with {count} runners; go on with as many, --runners {count}"
            )
        self.random.set_state(saved["random"])
        self.seen = self.envs.set_state(saved["envs"])
        for mine, given in ((self.returns, saved["returns"]), (self.lengths, saved["lengths"])):
            mine.clear()
            mine.extend(given)
        self.running = check.like(saved["running"], self.running, "running of the state").copy()
        self.scale = check.like(saved["scale"], self.scale, "scale of the state").copy()
