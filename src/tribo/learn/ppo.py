"""Proximal policy optimisation over a `VectorEnv`: play, look back, improve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.gym.task import Task
from tribo.learn.player import Player, Players, Rollout
from tribo.learn.settings import Settings
from tribo.learn.torch_extra import torch

Maker = Callable[[Task, Settings, Any], Players]
RATES = 1e-5, 1e-2  # least and greatest learning rate


class Learner:
    """A task, a policy, and all that training goes on with.

    Args:
        task: The task.
        settings: How; `Settings.resolved` first.
        make_player: Makes who plays, of task, settings and random stream.

    Example:
        >>> from tribo.gym import load
        >>> learner = Learner(load("CartPole"), Settings(worlds=4, horizon=8, threads=1))
        >>> sorted(learner.iterate())[:3]
        ['deviation', 'divergence', 'episodes']
    """

    def __init__(self, task: Task, settings: Settings, make_player: Maker = Player) -> None:
        module = torch()
        module.set_num_threads(settings.torch_threads)
        self.task, self.settings = task, settings
        self.random = module.Generator().manual_seed(settings.seed + 1)
        self.player = make_player(task, settings, self.random)
        self.networks = self.player.networks
        self.optimizer = module.optim.Adam(self.networks.parameters(), lr=settings.learning_rate)
        self.iteration = 0

    def iterate(self) -> dict[str, float]:
        """Play a rollout and improve the policy with it; return what became of it, by name.

        Raises:
            RuntimeError: The training diverged: the networks give no finite numbers any more.
        """
        rollout = self.player.play()
        result = self.improve(rollout)
        self.iteration += 1
        returns, lengths = self.player.returns, self.player.lengths
        return {
            "iteration": self.iteration,
            "samples": self.iteration * self.settings.samples,
            "return": float(np.mean(returns)) if returns else float("nan"),
            "length": float(np.mean(lengths)) if lengths else float("nan"),
            "episodes": len(returns),
            "reward": float(self.player.last_reward),
            **result,
        }

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
                if not self.networks.is_sound() or not np.isfinite(loss):
                    raise RuntimeError(
                        f"the training diverged in update {self.iteration + 1}: the networks give no finite "
                        "numbers any more; take a smaller learning_rate, or rewards of smaller numbers"
                    )
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
            last = module.from_numpy(self.player.seen.astype(np.float32))
            following = self.networks.value(self.networks.scaled(last))
            advantages = module.zeros_like(rollout.rewards)
            carried = module.zeros_like(following)
            for k in reversed(range(settings.horizon)):
                goes_on = 1.0 - rollout.ended[k]
                error = rollout.rewards[k] + settings.discount * goes_on * following - rollout.values[k]
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
            "optimizer": self.optimizer.state_dict(), **self.player.state(),
        }  # fmt: skip

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `state` returned, of a learner with the same task and settings.

        Raises:
            KeyError, RuntimeError, TypeError, ValueError: It is of another one.
        """
        iteration = check.integer(saved["iteration"], "iteration", 0)
        self.networks.set_state(saved["networks"])
        self._set_optimizer(saved["optimizer"])
        self.player.set_state(saved)
        self.iteration = iteration

    def _set_optimizer(self, saved: dict[str, Any]) -> None:
        """Take the moments and the learning rate of an optimiser; its other numbers are ours.

        Raises:
            KeyError, TypeError, ValueError: It is of other networks.
        """
        groups = self.optimizer.state_dict()["param_groups"]
        rate = check.positive(saved["param_groups"][0]["lr"], "learning rate")
        moments = dict(saved["state"])
        for k, parameter in enumerate(self.networks.parameters()):
            for name, given in moments[k].items() if k in moments else ():
                shape = torch().Size() if name == "step" else parameter.shape
                if not torch().is_tensor(given) or given.shape != shape:
                    raise ValueError(f"{name} of the optimiser must have shape {tuple(shape)}")
        groups[0]["lr"] = rate
        self.optimizer.load_state_dict({"state": moments, "param_groups": groups})
