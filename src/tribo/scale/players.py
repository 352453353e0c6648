"""Players in other processes: each plays a part of the worlds; one that dies is replaced, nothing is lost."""

from __future__ import annotations

import dataclasses
import logging
from collections import deque
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.gym.task import Task
from tribo.gym.task_names import load
from tribo.learn.network import ActorCritic
from tribo.learn.player import REMEMBERED, Player, Rollout
from tribo.learn.settings import Settings
from tribo.learn.torch_extra import torch
from tribo.scale.ray_extra import ray

logger = logging.getLogger("tribo")
PATIENCE = 120.0  # [s] for processes to begin, after which a warning says what may be wrong
DEATHS = 3  # of one runner in one rollout, after which it is not replaced again


class Runner:
    """A process on some machine: it plays its worlds when it is told to.

    Args:
        name: Of the task, as `tribo.gym.load` takes it.
        settings: Numbers of `Settings`: the worlds of this runner, the seed of its first one.
        noise: Seed of the policy's noise.

    Example:
        >>> settings = Settings(worlds=4, horizon=8, threads=1)
        >>> runner = Runner("CartPole", settings.as_dict(), 1)
        >>> seen, low, high = runner.sizes()
        >>> networks = ActorCritic(seen, low, high, settings.hidden, 0.5, seed=0)
        >>> runner.play(networks.state(), np.array([0.0, 1.0, 1e-4]))["rollout"]["rewards"].shape
        (8, 4)
    """

    def __init__(self, name: str, settings: dict[str, Any], noise: int) -> None:
        chosen = Settings(**settings)
        torch().set_num_threads(chosen.torch_threads)
        self.player = Player(load(name), chosen, torch().Generator().manual_seed(noise))

    def sizes(self) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the number of observations, and the limits of the actions."""
        networks = self.player.networks
        return self.player.seen.shape[1], networks.low, networks.high

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `play` returned as "state"."""
        self.player.set_state(saved)

    def play(self, networks: dict[str, Any], scale: np.ndarray) -> dict[str, Any]:
        """Return a rollout as arrays, how it went, and the state after it.

        Args:
            networks: The result of `ActorCritic.state`.
            scale: Mean, variance and count of the discounted returns of all runners.
        """
        player = self.player
        player.networks.set_state(networks)
        player.scale = scale.copy()
        rollout = player.play()
        return {
            "rollout": {f.name: getattr(rollout, f.name).numpy() for f in dataclasses.fields(rollout)},
            "seen": player.seen, "last_reward": player.last_reward, "state": player.state(),
        }  # fmt: skip


class RemotePlayers:
    """Runners that play the worlds of a learner: runner k has worlds k · n … (k + 1) · n − 1.

    After each rollout the learner has the state of all worlds and random streams. When a process or machine
    dies, another one goes on from there with the same networks: it plays what the dead one would have played,
    number by number. All runners wait for the slowest.

    Args:
        task: The task; runners load it by `name`.
        settings: All worlds; `threads` are those of each runner, 0: one.
        random: PyTorch's generator of the learner.
        name: Of the task.
        runners: How many, a divisor of the worlds.

    Raises:
        ValueError: The worlds cannot be shared out evenly.

    Attributes:
        replaced: How many runners died and were replaced.
        processes: The actors of Ray, in their order.
    """

    def __init__(self, task: Task, settings: Settings, random: Any, *, name: str, runners: int) -> None:
        if settings.worlds % runners:
            raise ValueError(f"worlds must be a multiple of the runners, got {settings.worlds} for {runners}")
        self.settings, self.random, self._name = settings, random, name
        self._each = settings.worlds // runners
        self.replaced = 0
        self._saved: list[dict[str, Any] | None] = [None] * runners
        self.processes = [self._begin(k) for k in range(runners)]
        self._wait_for_all()
        seen, low, high = ray().get(self.processes[0].sizes.remote())
        self.networks = ActorCritic(seen, low, high, settings.hidden, settings.deviation, settings.seed)
        self.seen = np.zeros((settings.worlds, seen))
        self.scale = np.array([0.0, 1.0, 1e-4])
        self.last_reward = 0.0
        self.returns: deque[float] = deque(maxlen=REMEMBERED)
        self.lengths: deque[int] = deque(maxlen=REMEMBERED)

    def _begin(self, k: int) -> Any:
        """Return a new process for runner k, in the state after the last rollout."""
        settings = self.settings
        part = dataclasses.replace(
            settings, worlds=self._each, seed=settings.seed + k * self._each,
            threads=settings.threads or 1,
            minibatches=min(settings.minibatches, self._each * settings.horizon),
        )  # fmt: skip
        noise = int(np.random.SeedSequence([settings.seed, k]).generate_state(1, np.uint32)[0])
        actor = ray().remote(num_cpus=part.threads, max_restarts=0)(Runner)
        process = actor.remote(self._name, part.as_dict(), noise)
        if self._saved[k] is not None:
            process.set_state.remote(self._saved[k])
        return process

    def _wait_for_all(self) -> None:
        """Return when all processes have begun; say so if that takes long."""
        module = ray()
        asked = [process.sizes.remote() for process in self.processes]
        left = module.wait(asked, num_returns=len(asked), timeout=PATIENCE)[1]
        if left:
            logger.warning(
                "%d of %d runners have not begun after %g s: does Ray have as many free processors? "
                "It has %s", len(left), len(asked), PATIENCE, module.available_resources().get("CPU", 0),
            )  # fmt: skip
        module.get(asked)

    def play(self) -> Rollout:
        """Return what the present policy does in `horizon` steps of all worlds.

        Raises:
            RuntimeError: A runner died again and again.
        """
        module = ray()
        given = module.put(self.networks.state()), module.put(self.scale)
        asked = [process.play.remote(*given) for process in self.processes]
        results = [self._result(k, reference, given) for k, reference in enumerate(asked)]
        self._saved = [result["state"] for result in results]
        self.seen = np.concatenate([result["seen"] for result in results])
        self.last_reward = float(np.mean([result["last_reward"] for result in results]))
        self.scale = np.mean([saved["scale"] for saved in self._saved if saved], axis=0)
        self._remember()
        parts = [result["rollout"] for result in results]
        return Rollout(**{
            name: torch().from_numpy(np.concatenate([part[name] for part in parts], axis=1))
            for name in parts[0]
        })  # fmt: skip

    def _result(self, k: int, reference: Any, given: tuple[Any, Any]) -> dict[str, Any]:
        """Return what runner k played; replace it if it died."""
        module = ray()
        for _ in range(DEATHS):
            try:
                result: dict[str, Any] = module.get(reference)
                return result
            except module.exceptions.RayActorError:
                self.replaced += 1
                self.processes[k] = self._begin(k)
                reference = self.processes[k].play.remote(*given)
        raise RuntimeError(
            f"runner {k} of task {self._name} died {DEATHS} times in one rollout; is memory short there?"
        )

    def _remember(self) -> None:
        """Take the last episodes of all runners, as many of each."""
        count = len(self._saved)
        for name, mine in (("returns", self.returns), ("lengths", self.lengths)):
            mine.clear()
            for saved in self._saved:
                if saved:
                    mine.extend(saved[name][-max(1, REMEMBERED // count) :])

    def state(self) -> dict[str, Any]:
        """Return all that the next rollouts depend on, but for the networks, bit for bit."""
        return {"random": self.random.get_state(), "runners": self._saved, "scale": self.scale.copy()}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go on from what `state` returned.

        Raises:
            TypeError, ValueError: It is of another number of runners, of a training without, or of another
                task or other settings.
        """
        found = len(saved["runners"]) if "runners" in saved else 0
        if found != len(self.processes):
            raise ValueError(
                f"the training was begun with {found or 'no'} runners, not {len(self.processes)}; "
                "go on as it was begun"
            )
        self.random.set_state(saved["random"])
        self.scale = check.like(saved["scale"], self.scale, "scale of the state").copy()
        self._saved = list(saved["runners"])
        ray().get([  # what a runner refuses is said here, not lost there
            process.set_state.remote(state)
            for process, state in zip(self.processes, self._saved, strict=True) if state is not None
        ])  # fmt: skip
        if all(self._saved):
            self._remember()
