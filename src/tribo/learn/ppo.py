"""Proximal policy optimisation over a `VectorEnv`: play, look back, improve."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.gym.task import Task
from tribo.gym.vector_env import VectorEnv
from tribo.learn.network import ActorCritic
from tribo.learn.settings import Settings
from tribo.learn.torch_extra import torch

RATES = 1e-5, 1e-2  # least and greatest learning rate
REMEMBERED = 100  # episodes of which means are shown


@dataclass
class Rollout:
    """What was seen, done and got, (horizon, worlds, …) each."""

    seen: Any
    actions: Any
    chances: Any  # logarithms of the probability densities of the actions
    values: Any
    rewards: Any  # scaled; what would have come after a cut is in it
    ended: Any  # whether an episode ended or was cut in this step


class Learner:
    """A task, a policy, and all that training goes on with.

    Args:
        task: What is learnt.
        settings: How; `Settings.resolved` first.

    Example:
        >>> from tribo.gym import load
        >>> learner = Learner(load("CartPole"), Settings(worlds=4, horizon=8, threads=1))
        >>> sorted(learner.iterate())[:3]
        ['deviation', 'divergence', 'episodes']
    """

    def __init__(self, task: Task, settings: Settings) -> None:
        module = torch()
        module.set_num_threads(settings.torch_threads)
        self.settings = settings
        self.envs = VectorEnv(
            task, settings.worlds, threads=settings.threads, autoreset_mode="SameStep"
        )
        space, n = self.envs.single_action_space, self.envs.single_observation_space.shape[0]
        self.networks = ActorCritic(
            n, space.low, space.high, settings.hidden, settings.deviation, settings.seed
        )
        self.optimizer = module.optim.Adam(self.networks.parameters(), lr=settings.learning_rate)
        self.random = module.Generator().manual_seed(settings.seed + 1)
        self.seen, _ = self.envs.reset(seed=settings.seed)
        self.iteration, self.last_reward = 0, 0.0
        self.returns: deque[float] = deque(maxlen=REMEMBERED)
        self.lengths: deque[int] = deque(maxlen=REMEMBERED)
        self.running = np.zeros((3, settings.worlds))  # return, length, discounted return so far
        self.scale = np.array([0.0, 1.0, 1e-4])  # mean, variance, count of discounted returns

    def iterate(self) -> dict[str, float]:
        """Play a rollout and improve the policy with it; return what became of it, by name."""
        rollout = self.play()
        result = self.improve(rollout)
        self.iteration += 1
        return {
            "iteration": self.iteration,
            "samples": self.iteration * self.settings.samples,
            "return": float(np.mean(self.returns)) if self.returns else float("nan"),
            "length": float(np.mean(self.lengths)) if self.lengths else float("nan"),
            "episodes": len(self.returns),
            "reward": float(self.last_reward),
            **result,
        }

    # -- playing -------------------------------------------------------------------------------
    def play(self) -> Rollout:
        """Return what the present policy does in `horizon` steps."""
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

    # -- learning ------------------------------------------------------------------------------
    def improve(self, rollout: Rollout) -> dict[str, float]:
        """Improve actor and critic; return divergence, deviation, learning rate and loss of the critic."""
        module, settings = torch(), self.settings
        advantages, targets = self._advantages(rollout)
        flat = [
            part.reshape(settings.samples, *part.shape[2:])
            for part in (rollout.seen, rollout.actions, rollout.chances, advantages, targets)
        ]
        scaled = self.networks.scaled(flat[0])
        with module.no_grad():
            before = self.networks.distribution(scaled)
            middle, spread = before.loc, before.scale[0].clone()
        losses, divergences = [], []
        for _ in range(settings.epochs):
            order = module.randperm(settings.samples, generator=self.random)
            for rows in module.chunk(order, settings.minibatches):
                parts = [scaled[rows], *(part[rows] for part in flat[1:])]
                loss, divergence = self._descend(parts, middle[rows], spread)
                losses.append(loss)
                divergences.append(divergence)
        self.networks.watch(flat[0])  # from here on what is seen is scaled anew
        return {
            "divergence": float(np.mean(divergences)),
            "deviation": float(self.networks.log_deviation.detach().exp().mean()),
            "learning_rate": float(self.optimizer.param_groups[0]["lr"]),
            "value_loss": float(np.mean(losses)),
        }

    def _advantages(self, rollout: Rollout) -> tuple[Any, Any]:
        """Return generalised advantages, mean 0 and deviation 1, and targets of the critic."""
        module, settings = torch(), self.settings
        with module.no_grad():
            last = module.from_numpy(self.seen.astype(np.float32))
            following = self.networks.value(self.networks.scaled(last))
            advantages = module.zeros_like(rollout.rewards)
            carried = module.zeros_like(following)
            for k in reversed(range(settings.horizon)):
                goes_on = 1.0 - rollout.ended[k]
                error = (
                    rollout.rewards[k] + settings.discount * goes_on * following - rollout.values[k]
                )
                carried = error + settings.discount * settings.trace * goes_on * carried
                advantages[k], following = carried, rollout.values[k]
            targets = advantages + rollout.values
        return (advantages - advantages.mean()) / (advantages.std() + 1e-8), targets

    def _descend(self, parts: list[Any], middle: Any, spread: Any) -> tuple[float, float]:
        """Take a step of the optimiser; return the loss of the critic and the divergence before it."""
        module, settings = torch(), self.settings
        scaled, actions, chances, advantages, targets = parts
        now = self.networks.distribution(scaled)
        with module.no_grad():
            ratio_of_spreads = (spread / now.scale) ** 2
            off = ((middle - now.loc) / now.scale) ** 2
            each = 0.5 * (ratio_of_spreads + off - 1.0 - ratio_of_spreads.log())
            divergence = float(each.sum(dim=-1).mean())
        self._adapt(divergence)
        ratio = (now.log_prob(actions).sum(dim=-1) - chances).exp()
        limited = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        gain = module.minimum(ratio * advantages, limited * advantages).mean()
        value_loss = ((self.networks.value(scaled) - targets) ** 2).mean()
        loss = value_loss - gain - settings.entropy * now.entropy().sum(dim=-1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        module.nn.utils.clip_grad_norm_(self.networks.parameters(), settings.gradient)
        self.optimizer.step()
        return float(value_loss.detach()), divergence

    def _adapt(self, divergence: float) -> None:
        """Let the learning rate follow the divergence of the policy."""
        group = self.optimizer.param_groups[0]
        if divergence > 2.0 * self.settings.divergence:
            group["lr"] = max(group["lr"] / 1.5, RATES[0])
        elif 0.0 < divergence < 0.5 * self.settings.divergence:
            group["lr"] = min(group["lr"] * 1.5, RATES[1])

    # -- keeping it ----------------------------------------------------------------------------
    def state(self) -> dict[str, Any]:
        """Return all that training goes on with, bit for bit."""
        return {
            "iteration": self.iteration, "networks": self.networks.state(),
            "optimizer": self.optimizer.state_dict(), "random": self.random.get_state(),
            "envs": self.envs.state(), "returns": list(self.returns), "lengths": list(self.lengths),
            "running": self.running, "scale": self.scale,
        }  # fmt: skip

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `state` returned, of a learner with the same task and settings."""
        self.iteration = saved["iteration"]
        self.networks.set_state(saved["networks"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.random.set_state(saved["random"])
        self.seen = self.envs.set_state(saved["envs"])
        self.returns.extend(saved["returns"])
        self.lengths.extend(saved["lengths"])
        self.running, self.scale = saved["running"], saved["scale"]
