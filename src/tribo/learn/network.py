"""The two networks of PPO: what to do, and how good it is to be there."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.learn.policy import FARTHEST, LARGEST, Policy
from tribo.learn.torch_extra import torch


def network(inputs: int, outputs: int, hidden: tuple[int, ...], last: float) -> Any:
    """Return layers with ELU between them, orthogonal at the start.

    Args:
        inputs, outputs: Their numbers.
        hidden: Widths of the layers between.
        last: Gain of the last layer.
    """
    nn = torch().nn
    layers: list[Any] = []
    widths = (inputs, *hidden, outputs)
    for k, (a, b) in enumerate(itertools.pairwise(widths)):
        layer = nn.Linear(a, b)
        nn.init.orthogonal_(layer.weight, last if k == len(hidden) else 2.0**0.5)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ELU()]
    return nn.Sequential(*layers[:-1])


def all_finite(tensors: Iterable[Any]) -> bool:
    """Tell whether tensors hold nothing but finite numbers."""
    return all(bool(torch().isfinite(tensor).all()) for tensor in tensors)


class ActorCritic:
    """Actor, critic, the deviation of the actions, and running means of what is seen.

    Args:
        seen: Number of observations.
        low, high: Limits of the actions, (k,).
        hidden: Widths of the hidden layers of both.
        deviation: Of the actions at the start, parts of half their range.
        seed: Of the weights.

    Raises:
        ValueError: A limit is not finite, or the policy would be larger than a file of one may be.
    """

    def __init__(
        self, seen: int, low: np.ndarray, high: np.ndarray, hidden: tuple[int, ...], deviation: float,
        seed: int,
    ) -> None:  # fmt: skip
        module = torch()
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(
                f"limits of actions must be finite to be learnt, got {np.asarray(low).tolist()} and "
                f"{np.asarray(high).tolist()}"
            )
        size = 4 * sum(b * (a + 1) for a, b in itertools.pairwise((seen, *hidden, len(low))))
        if size > LARGEST:
            raise ValueError(
                f"hidden {tuple(hidden)} makes a policy of {size} bytes, a policy has at most {LARGEST}"
            )
        with module.random.fork_rng(devices=[]):
            module.manual_seed(seed)
            self.actor = network(seen, len(low), hidden, 0.01)
            self.critic = network(seen, 1, hidden, 1.0)
        self.low, self.high = np.asarray(low, np.float32), np.asarray(high, np.float32)
        start = module.full((len(low),), float(np.log(deviation)))
        self.log_deviation = module.nn.Parameter(start)
        self.middle = module.from_numpy(0.5 * (self.low + self.high))
        self.range = module.from_numpy(0.5 * (self.high - self.low))
        self.mean, self.square = (module.zeros(seen, dtype=module.float64), module.ones(seen).double())
        self.count = 1e-4

    def parameters(self) -> list[Any]:
        """Return all that is learnt."""
        return [*self.actor.parameters(), *self.critic.parameters(), self.log_deviation]

    def is_sound(self) -> bool:
        """Tell whether all numbers are finite, and the deviations of the actions too, and not 0."""
        spread = self.log_deviation.detach().exp()
        return all_finite([*self.parameters(), spread]) and bool((spread > 0.0).all())

    def watch(self, seen: Any) -> None:
        """Take observations (n, seen) into the running means (Chan, Golub, LeVeque, 1983)."""
        n = len(seen)
        seen = seen.double()
        mean = seen.mean(dim=0)
        step = mean - self.mean
        total = self.count + n
        spread = seen.var(dim=0, unbiased=False) * n + self.square * self.count
        self.square = (spread + step**2 * (self.count * n / total)) / total
        self.mean = self.mean + step * (n / total)
        self.count = total

    def scaled(self, seen: Any) -> Any:
        """Return observations with mean 0 and deviation 1, at most ±10."""
        module = torch()
        value = (seen - self.mean.float()) / self.deviation_seen().float()
        return module.clamp(value, -FARTHEST, FARTHEST)

    def deviation_seen(self) -> Any:
        """Return the standard deviations of what was seen, not below 10⁻⁴."""
        return torch().clamp(torch().sqrt(self.square), min=1e-4)

    def distribution(self, scaled: Any) -> Any:
        """Return the distribution of the actions, in parts of their range about its middle."""
        return torch().distributions.Normal(self.actor(scaled), self.log_deviation.exp())

    def value(self, scaled: Any) -> Any:
        """Return the value of states, (n,)."""
        return self.critic(scaled)[..., 0]

    def state(self) -> dict[str, Any]:
        """Return all numbers, for checkpoints."""
        return {
            "actor": self.actor.state_dict(), "critic": self.critic.state_dict(),
            "log_deviation": self.log_deviation.detach().clone(),
            "mean": self.mean, "square": self.square, "count": self.count,
        }  # fmt: skip

    def set_state(self, saved: dict[str, Any]) -> None:
        """Take what `state` returned.

        Raises:
            RuntimeError, TypeError, ValueError: It is of other networks.
        """
        for name in ("log_deviation", "mean", "square"):
            here, given = getattr(self, name), saved[name]
            if not torch().is_tensor(given) or (given.shape, given.dtype) != (here.shape, here.dtype):
                raise ValueError(f"{name} of the networks must be {tuple(here.shape)} numbers")
        check.positive(saved["count"], "count of what the networks saw")
        tensors = [saved[name] for name in ("log_deviation", "mean", "square")]
        tensors += [*saved["actor"].values(), *saved["critic"].values()]
        if not all_finite(tensors):
            raise ValueError("the networks hold what is no finite number")
        self.actor.load_state_dict(saved["actor"])
        self.critic.load_state_dict(saved["critic"])
        with torch().no_grad():
            self.log_deviation.copy_(saved["log_deviation"])
        self.mean, self.square, self.count = saved["mean"], saved["square"], saved["count"]

    def policy(self, task: str) -> Policy:
        """Return the present policy as arrays of NumPy, without noise.

        Args:
            task: Name of the task, kept with it.
        """
        linear = [layer for layer in self.actor if hasattr(layer, "weight")]
        layers = [
            (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()) for layer in linear
        ]
        mean, deviation = self.mean.float().numpy(), self.deviation_seen().float().numpy()
        return Policy(task, mean.copy(), deviation.copy(), layers, self.low, self.high)
