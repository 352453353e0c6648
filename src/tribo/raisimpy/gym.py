"""raisimGymTorch's interface over a batch, for environments written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.raisimpy.spelling import remark

FIRST_COUNT = 1e-4  # of the running mean, as in raisimGymTorch


def configuration(cfg: Any) -> dict[str, Any]:
    """Return the ``environment`` part of a configuration: a mapping, a YAML text or a YAML file.

    Example:
        >>> configuration("environment: {num_envs: 3, control_dt: 0.01}")["num_envs"]
        3
    """
    if not isinstance(cfg, dict):
        try:
            import yaml
        except ImportError:
            raise ImportError(
                'a configuration in YAML needs PyYAML: pip install "tribo[yaml]"'
            ) from None
        text = str(cfg)
        if "\n" not in text and ":" not in text.replace(":\\", ""):
            text = Path(cfg).read_text("utf-8")
        cfg = yaml.safe_load(text)
    found = cfg.get("environment", cfg)
    if not isinstance(found, dict):
        raise TypeError(f"environment must be a mapping of settings, got {found!r}")
    return found


class RaisimGymEnv(ABC):
    """An environment: derive from it. Each method serves all worlds at once, arrays have a row for each.

    ``cfg``: num_envs, num_threads, simulation_dt, control_dt, reward: {name: {coeff: …}} and your own.

    Args:
        resource_dir: Handed on to `create_world` as ``self.resource_dir``.
        cfg: As `configuration` takes it.

    Raises:
        ValueError: ``control_dt`` is no multiple of ``simulation_dt``, or less than one world is asked for.
    """

    ob_dim: int  # length of an observation
    action_dim: int  # length of an action
    batch: tribo.Batch

    def __init__(self, resource_dir: str, cfg: Any) -> None:
        """Build the worlds."""
        self.resource_dir, self.cfg = resource_dir, configuration(cfg)
        dt = float(self.cfg.get("simulation_dt", 0.0025))
        self.steps = round(float(self.cfg.get("control_dt", 0.01)) / dt)
        if self.steps < 1 or abs(self.steps * dt / self.cfg.get("control_dt", 0.01) - 1.0) > 1e-9:
            raise ValueError(
                f"control_dt must be a multiple of simulation_dt, got {self.cfg.get('control_dt')!r} and {dt!r}"
            )
        self.world = self.create_world()
        self.world.tribo.time_step = dt
        threads = self.cfg.get("num_threads")
        self.batch = tribo.Batch(
            self.world.tribo, int(self.cfg.get("num_envs", 1)), threads=threads
        )
        self.rng = np.random.default_rng(0)

    @abstractmethod
    def create_world(self) -> Any:
        """Return the world, a `World`, of which the batch is made."""

    @abstractmethod
    def reset(self, worlds: np.ndarray) -> None:
        """Begin anew in some worlds, given by their numbers."""

    @abstractmethod
    def act(self, action: np.ndarray) -> None:
        """Turn actions (n, action_dim) into commands of ``self.batch``."""

    @abstractmethod
    def observe(self) -> np.ndarray:
        """Return observations (n, ob_dim)."""

    @abstractmethod
    def rewards(self) -> dict[str, np.ndarray]:
        """Return the terms of the reward, (n,) each; ``cfg["reward"][name]["coeff"]`` weighs them."""

    def is_terminal_state(self) -> np.ndarray:
        """Return which worlds have failed, (n,) of bool; ``cfg["terminal_reward"]`` is added there."""
        return np.zeros(len(self.batch), bool)

    def curriculum_update(self) -> None:  # noqa: B027  # most tasks have none
        """Make the task harder: called by `RaisimGymVecEnv.curriculum_callback`."""


class RaisimGymVecEnv:
    """Many environments, with raisimGymTorch's calls; a failed world begins anew by itself.

    Args:
        impl: The environment.
        normalize_ob: Whether observations are divided by their running standard deviation.
        seed: Of ``impl.rng``.
        clip_obs: Bound of normalised observations.
    """

    def __init__(
        self, impl: RaisimGymEnv, normalize_ob: bool = True, seed: int = 0, clip_obs: float = 10.0
    ) -> None:  # fmt: skip
        """Start with all worlds as their first reset leaves them."""
        self.wrapper, self.normalize_ob, self.clip_obs = impl, normalize_ob, clip_obs
        self.num_obs, self.num_acts = impl.ob_dim, impl.action_dim
        self.count = FIRST_COUNT
        self.mean, self.var = np.zeros(self.num_obs), np.ones(self.num_obs)
        self._terms: list[dict[str, float]] = []
        self._view: Any = None
        self._film: tuple[str, Any, list[Any]] | None = None  # its file, what is drawn, pictures
        self.seed(seed)
        self.reset()

    @property
    def num_envs(self) -> int:
        """How many worlds there are."""
        return len(self.wrapper.batch)

    def seed(self, seed: int | None = None) -> None:
        """Draw from another seed: ``impl.rng``."""
        self.wrapper.rng = np.random.default_rng(seed)

    def reset(self) -> None:
        """Begin anew in all worlds."""
        self.wrapper.reset(np.arange(self.num_envs))

    def step(self, action: Any) -> tuple[np.ndarray, np.ndarray]:
        """Act for one control step.

        Args:
            action: (worlds, num_acts).

        Returns:
            Rewards (worlds,) and which worlds failed, (worlds,) of bool; these have begun anew.
        """
        env = self.wrapper
        given = np.asarray(action, float)
        if given.shape != (self.num_envs, self.num_acts):
            raise ValueError(
                f"action must have shape ({self.num_envs}, {self.num_acts}), got {given.shape}"
            )
        env.act(given)
        valid = env.batch.step(env.steps)
        weights = env.cfg.get("reward", {})
        terms = {
            name: float(weights.get(name, {}).get("coeff", 1.0)) * np.asarray(value, float)
            for name, value in env.rewards().items()
        }
        total = np.asarray(sum(terms.values(), np.zeros(self.num_envs)))
        done = np.asarray(env.is_terminal_state(), bool) | ~valid
        total = total + done * float(env.cfg.get("terminal_reward", 0.0))
        self._terms = [
            {name: float(value[k]) for name, value in terms.items()}
            | {"reward_sum": float(total[k])}
            for k in range(self.num_envs)
        ]
        if done.any():
            env.reset(np.flatnonzero(done))
        self._show()
        return total.astype(np.float32), done

    def observe(self, update_statistics: bool = True) -> np.ndarray:
        """Return observations (worlds, num_obs) of float32, normalised if that was asked for."""
        seen = np.asarray(self.wrapper.observe(), float)
        if not self.normalize_ob:
            return seen.astype(np.float32)
        if update_statistics:
            self._learn_scale(seen)
        scaled = (seen - self.mean) / np.sqrt(self.var + 1e-8)
        return np.clip(scaled, -self.clip_obs, self.clip_obs).astype(np.float32)

    def _learn_scale(self, seen: np.ndarray) -> None:
        """Join mean and variance of two sets.   Source: Chan, Golub, LeVeque (1979), eq. 2.1"""
        n, mean, var = len(seen), seen.mean(axis=0), seen.var(axis=0)
        delta, total = mean - self.mean, self.count + n
        squares = self.var * self.count + var * n + delta**2 * self.count * n / total
        self.mean, self.var = self.mean + delta * n / total, squares / total
        self.count = total

    def save_scaling(self, dir_name: str, iteration: str) -> None:
        """Write mean and variance as ``mean{iteration}.csv``, ``var{iteration}.csv``."""
        np.savetxt(Path(dir_name) / f"mean{iteration}.csv", self.mean)
        np.savetxt(Path(dir_name) / f"var{iteration}.csv", self.var)

    def load_scaling(self, dir_name: str, iteration: str, count: float = 1e5) -> None:
        """Read what `save_scaling` wrote; it weighs as much as `count` observations.

        Raises:
            ValueError: A file has another number of entries than an observation.
        """
        made = [np.loadtxt(Path(dir_name) / f"{what}{iteration}.csv") for what in ("mean", "var")]
        for found in made:
            if np.shape(np.atleast_1d(found)) != (self.num_obs,):
                raise ValueError(
                    f"{dir_name}: mean and var must have {self.num_obs} entries, got {found.shape}"
                )
        self.count, self.mean, self.var = count, np.atleast_1d(made[0]), np.atleast_1d(made[1])

    def get_reward_info(self) -> list[dict[str, float]]:
        """Return the weighed terms of the last reward of each world, and ``reward_sum``."""
        return self._terms

    def curriculum_callback(self) -> None:
        """Call ``impl.curriculum_update()``."""
        self.wrapper.curriculum_update()

    # -- looking -------------------------------------------------------------------------------
    def turn_on_visualization(self, port: int = 8080) -> None:
        """Show the first worlds side by side: `tribo.viewer.BatchViewer`."""
        from tribo.viewer import BatchViewer

        if self._view is None:
            self._view = BatchViewer(self.wrapper.batch, self.wrapper.world.tribo, port=port)
            remark(f"the worlds are shown at {self._view.address}")

    def turn_off_visualization(self) -> None:
        """Close the page."""
        if self._view is not None:
            self._view.close()
            self._view = None

    def start_video_recording(self, file_name: str) -> None:
        """Keep a picture of the first worlds after every step, for `stop_video_recording`."""
        from tribo.viewer import SideBySide

        self._film = (file_name, SideBySide(self.wrapper.batch, self.wrapper.world.tribo), [])

    def stop_video_recording(self) -> None:
        """Write the film."""
        if self._film is not None:
            from tribo.viewer.film import save_film

            name, _, pictures = self._film
            self._film = None
            rate = round(1.0 / float(self.wrapper.cfg.get("control_dt", 0.01)))
            save_film(pictures, name, max(rate, 1))

    def _show(self) -> None:
        if self._film is not None:
            _, shown, pictures = self._film
            pictures.append(shown.rgb_array())
        if self._view is not None:
            self._view.update()

    def close(self) -> None:
        """Close the page."""
        self.turn_off_visualization()
