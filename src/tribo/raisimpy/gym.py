"""raisimGymTorch's interface over a batch, for environments written in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.checks import check
from tribo.raisimpy.spelling import remark

FIRST_COUNT = 1e-4  # of the running mean, as in raisimGymTorch


def configuration(cfg: Any) -> dict[str, Any]:
    """Return the settings of an environment: the mapping under ``environment``, else the whole.

    Args:
        cfg: A mapping, a YAML text or the path of a YAML file.

    Raises:
        ImportError: PyYAML is not installed.
        TypeError: The settings are no mapping.

    Example:
        >>> configuration("environment: {num_envs: 3, control_dt: 0.01}")["num_envs"]
        3
    """
    if not isinstance(cfg, dict):
        with check.needed('a configuration in YAML needs PyYAML: pip install "tribo[yaml]"'):
            import yaml
        if not check.is_path(cfg):
            raise TypeError(
                f"cfg must be a mapping, a YAML text or the path of a YAML file, got {check.shown(cfg)}"
            )
        text = str(cfg)
        if "\n" not in text and ":" not in text.replace(":\\", ""):
            text = check.path(cfg, "cfg").read_text("utf-8")
        try:
            cfg = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError(f"cfg is no YAML: {' '.join(str(error).split())}") from None
    found = cfg.get("environment", cfg) if isinstance(cfg, dict) else cfg
    if not isinstance(found, dict):
        raise TypeError(f"environment must be a mapping of settings, got {found!r}")
    return found


class RaisimGymEnv(ABC):
    """An environment of raisimGymTorch in Python: derive from it.

    The world of `create_world` is built once; ``self.batch`` has ``num_envs`` copies of it. Each method
    serves all copies at once: its arrays have a row for each.

    Settings, and their values if they are not given: ``num_envs`` 1, ``num_threads`` all processors,
    ``simulation_dt`` 0.0025 s, ``control_dt`` 0.01 s, ``terminal_reward`` 0, and ``coeff`` 1 of each term in
    ``reward: {NAME: {coeff: …}}``. Others are the environment's own, in ``self.cfg``.

    Args:
        resource_dir: A folder of robots and meshes, for `create_world`: ``self.resource_dir``.
        cfg: As `configuration` takes it.

    Raises:
        ValueError: ``control_dt`` is no multiple of ``simulation_dt``, or less than one world is asked for.

    Example:
        >>> import tribo.raisimpy as raisim
        >>> class Falling(raisim.RaisimGymEnv):
        ...     ob_dim, action_dim = 1, 1
        ...     def create_world(self):
        ...         world = raisim.World()
        ...         world.addSphere(0.1, 1.0).setName("ball")
        ...         return world
        ...     def reset(self, worlds):
        ...         self.batch["ball"].generalized_coordinate[worlds, 2] = 1.0
        ...         self.batch["ball"].generalized_velocity[worlds] = 0.0
        ...     def act(self, action):
        ...         self.batch["ball"].generalized_velocity[:, 2] += action[:, 0]
        ...     def observe(self):
        ...         return self.batch["ball"].generalized_coordinate[:, 2:3]
        ...     def rewards(self):
        ...         return {"height": self.observe()[:, 0]}
        >>> cfg = {"num_envs": 2, "reward": {"height": {"coeff": 0.5}}}
        >>> env = raisim.RaisimGymVecEnv(Falling("", cfg), normalize_ob=False)
        >>> reward, done = env.step(np.zeros((2, 1)))
        >>> reward.round(3).tolist(), done.tolist()
        ([0.5, 0.5], [False, False])
    """

    ob_dim: int  # length of an observation
    action_dim: int  # length of an action
    batch: tribo.Batch

    def __init__(self, resource_dir: str, cfg: Any) -> None:
        """Build the worlds."""
        self.resource_dir, self.cfg = resource_dir, configuration(cfg)
        dt = check.time_step(self.cfg.get("simulation_dt", 0.0025), "simulation_dt")
        period = check.positive(self.cfg.get("control_dt", 0.01), "control_dt")
        self.steps = round(period / dt)
        if self.steps < 1 or abs(self.steps * dt / period - 1.0) > 1e-9:
            raise ValueError(f"control_dt must be a multiple of simulation_dt, got {period!r} and {dt!r}")
        count = check.integer(self.cfg.get("num_envs", 1), "num_envs", 1)
        self.world = self.create_world()
        self.world.tribo.time_step = dt
        threads = self.cfg.get("num_threads")
        self.batch = tribo.Batch(self.world.tribo, count, threads=threads)
        self.rng = np.random.default_rng(0)

    @abstractmethod
    def create_world(self) -> Any:
        """Return the world, a `World`, of which the batch is made."""

    @abstractmethod
    def reset(self, worlds: np.ndarray) -> None:
        """Reset worlds, given by their numbers (k,)."""

    @abstractmethod
    def act(self, action: np.ndarray) -> None:
        """Turn actions (n, action_dim) into commands or states of ``self.batch``."""

    @abstractmethod
    def observe(self) -> np.ndarray:
        """Return observations (n, ob_dim)."""

    @abstractmethod
    def rewards(self) -> dict[str, np.ndarray]:
        """Return the terms of the reward by name, (n,) each; their ``coeff`` weighs them."""

    def is_terminal_state(self) -> np.ndarray:
        """Return which worlds have failed, (n,) of bool; ``terminal_reward`` is added to their reward."""
        return np.zeros(len(self.batch), bool)

    def curriculum_update(self) -> None:  # noqa: B027  # most tasks have none
        """Make the task harder: called by `RaisimGymVecEnv.curriculum_callback`."""


class RaisimGymVecEnv:
    """raisimGymTorch's calls over an environment; a world that failed is reset within `step`.

    Args:
        impl: The environment.
        normalize_ob: Whether `observe` subtracts the running mean and divides by the running standard deviation.
        seed: The seed of ``impl.rng``.
        clip_obs: Normalised observations lie within ± this.
    """

    def __init__(
        self, impl: RaisimGymEnv, normalize_ob: bool = True, seed: int = 0, clip_obs: float = 10.0
    ) -> None:  # fmt: skip
        """Reset all worlds."""
        check.instance(impl, RaisimGymEnv, "impl must be derived from RaisimGymEnv")
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
        """Give ``impl.rng`` a seed."""
        self.wrapper.rng = np.random.default_rng(seed)

    def reset(self) -> None:
        """Reset all worlds: ``impl.reset``."""
        self.wrapper.reset(np.arange(self.num_envs))

    def step(self, action: Any) -> tuple[np.ndarray, np.ndarray]:
        """Act for one control step.

        Args:
            action: (num_envs, num_acts).

        Returns:
            Rewards (num_envs,) of float32, and which worlds failed, (num_envs,) of bool: by
            `is_terminal_state`, or because their state is no number. Those are reset.

        Raises:
            ValueError: The action has another shape.
        """
        env = self.wrapper
        given = check.array(action, "action", "numbers")
        env.act(check.shaped(given, "action", (self.num_envs, self.num_acts)))
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
            {name: float(value[k]) for name, value in terms.items()} | {"reward_sum": float(total[k])}
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
        """Return for each world the weighed terms of its last reward; ``reward_sum`` has ``terminal_reward``, too."""
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
