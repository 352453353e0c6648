"""Many worlds of a task as a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypedDict

import cloudpickle
import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from tribo.checks import check
from tribo.checks.calls import said_by_class
from tribo.checks.sealed import Answering
from tribo.gym.rendering import MODES, Painter, Window, check_render_mode
from tribo.gym.simulation import Simulation, columns
from tribo.gym.task import Task
from tribo.gym.task_names import load


class EnvOptions(TypedDict, total=False):
    """Options of an environment beside its task."""

    max_episode_steps: int | None
    render_mode: str | None


class LoopOptions(EnvOptions, total=False):
    """Options of environments of libraries, which themselves begin episodes anew."""

    threads: int | None


class VectorEnvOptions(LoopOptions, total=False):
    """Options of a `VectorEnv` beside its task and the number of worlds."""

    autoreset_mode: AutoresetMode | str


class VectorEnv(GymnasiumVectorEnv, Answering):
    """Worlds of a task that step at once, in one call to compiled code.

    World i is seeded with ``seed + i``, and does what a `tribo.gym.Env` with that seed does, bit for bit,
    whatever the number of worlds and threads.

    `infos` of a step has an array (worlds,) for each reward term, ``"reward_" + name``, and for each term of
    `Task.infos`; ``"failed"`` says in which worlds the physics stopped: these episodes are terminated. For
    every key there is ``"_" + key``, (worlds,) of bool: where it counts.

    Args:
        task: The task, or the name of one, as `tribo.gym.load` has it.
        num_envs: How many worlds, ≥ 1.
        threads: As `tribo.Batch` has them.
        autoreset_mode: The behaviour at the end of an episode. NEXT_STEP: the next `step` begins a new
            one in that
            world, ignores its action and returns reward 0. SAME_STEP: this `step` does, and returns the first
            observation of the new episode; the last one is in ``infos["final_obs"]``, the rest in
            ``infos["final_info"]``. DISABLED: call ``reset(options={"reset_mask": mask})``.
        max_episode_steps: Instead of the task's `episode_steps`.
        render_mode: None; "rgb_array": `render` returns a picture of each world; "human": the first world is
            shown in the browser as it goes, in real time (extra "viewer").

    Raises:
        TypeError, ValueError: The task is none or cannot be played, or a number or mode is wrong.

    Example:
        >>> from tribo.gym.tasks import cart_pole
        >>> envs = VectorEnv(cart_pole.task(), num_envs=4, threads=1)
        >>> observations, infos = envs.reset(seed=1)
        >>> observations, rewards, ended, cut, infos = envs.step(envs.action_space.sample())
        >>> observations.shape, rewards.shape
        ((4, 4), (4,))
    """

    _called = "envs"

    @said_by_class
    def __init__(
        self, task: Task | str, num_envs: int = 1, *, threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None, render_mode: str | None = None,
    ) -> None:  # fmt: skip
        task = load(task) if isinstance(task, str) else task
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = getattr(autoreset_mode, "value", autoreset_mode)
        self.autoreset_mode = modes[check.choice(mode, modes, "autoreset_mode")]
        self.render_mode = check_render_mode(render_mode)
        self.simulation = Simulation(task, num_envs, threads=threads)
        self.num_envs = num_envs
        if max_episode_steps is not None:
            check.integer(max_episode_steps, "max_episode_steps", 1)
        self.episode_steps = task.episode_steps if max_episode_steps is None else max_episode_steps
        self.metadata = {
            "render_modes": list(MODES),
            "render_fps": max(1, round(1.0 / self.simulation.control_step)),
            "autoreset_mode": self.autoreset_mode,
        }
        widths = {
            name: columns(term(self.simulation), num_envs, f"observation {name!r}").shape[1]
            for name, term in task.observations.items()
        }
        for name, deviation in task.noise.items():
            if np.shape(deviation) not in ((), (1,), (widths[name],)):
                raise ValueError(
                    f"noise of observation {name!r} must be a number or have shape ({widths[name]},), "
                    f"got {np.shape(deviation)}"
                )
        width = sum(widths.values())
        self.simulation.widths = widths
        self.simulation.changed()
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (width,), np.float64)
        self.single_action_space = spaces.Box(task.actions.low, task.actions.high, dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._all = np.arange(num_envs)
        self._is_seeded = False
        self._ended = np.zeros(num_envs, bool)
        self._observations = np.zeros((num_envs, width))
        self._painter: Painter | None = None
        self._window = Window(self.simulation) if render_mode == "human" else None

    @property
    def task(self) -> Task:
        """The task: world, actions, observations, rewards and ends."""
        return self.simulation.task

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes in all worlds or in some.

        Args:
            seed: Of world i: ``seed + i``, or its own in a list (None: its stream goes on). None: all
                streams go on; before the first seed, they begin anywhere.
            options: ``{"reset_mask": mask}``: only the worlds of this mask, (worlds,) of bool.

        Returns:
            Observations of all worlds, (worlds, n), and infos.

        Raises:
            TypeError, ValueError: A seed or mask is wrong; nothing is changed.
        """
        self._check_open("reset")
        rows, seeds = self._masked(options), self._seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._seed(seeds, rows)
        self.simulation.begin(rows)
        self._ended[rows] = False
        self._observations = self._observations.copy()
        self._observations[rows] = self.simulation.observe(rows)
        mask = np.zeros(self.num_envs, bool)
        mask[rows] = True
        self._show()
        return self._observations.copy(), self._infos({}, mask)

    def _masked(self, options: dict[str, Any] | None) -> np.ndarray:
        """Return the numbers of the worlds to reset."""
        given = {} if options is None else check.mapping(options, "options", "names to values")
        for name in given:
            check.known(name, ("reset_mask",), "option of reset")
        mask = given.get("reset_mask")
        if mask is None:
            return self._all
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] must be an array of bool, got {mask!r}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"options['reset_mask'] must have shape ({self.num_envs},) and be true somewhere, "
                f"got shape {mask.shape}, {int(mask.sum())} true"
            )
        return np.flatnonzero(mask)

    def _seeds(self, seed: Any) -> Sequence[int | None]:
        """Return a checked seed for each world; None: its stream goes on."""
        if seed is None:
            return [None] * self.num_envs
        if check.is_scalar(seed) or isinstance(seed, str | bool | np.bool_):
            first = check.integer(seed, "seed", 0)
            return [first + k for k in range(self.num_envs)]
        if not check.is_iterable(seed):
            raise TypeError(f"seed must be a number or one for each world, got {check.shown(seed)}")
        seeds = [
            None if one is None else check.integer(one, f"seed of world {k}", 0) for k, one in enumerate(seed)
        ]
        if len(seeds) != self.num_envs:
            raise ValueError(f"seeds must be {self.num_envs}, one for each world, got {len(seeds)}")
        return seeds

    def _check_open(self, what: str) -> None:
        """Refuse what a closed environment cannot do."""
        if self.closed:
            raise ClosedEnvironmentError(f"{what}: the environment was closed; make a new one")

    def _seed(self, seeds: Sequence[int | None], rows: np.ndarray) -> None:
        """Begin the streams of worlds that have a seed."""
        draws = self.simulation.draws
        if not self._is_seeded:
            draws.seed(self._all, seeds)
            self._is_seeded = True
            return
        given = np.array([row for row in rows if seeds[row] is not None], np.int64)
        draws.seed(given, [seeds[row] for row in given])

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take an action in every world.

        Args:
            actions: (worlds, k); what is outside the action space is limited to it.

        Returns:
            Observations (worlds, n), rewards (worlds,), which episodes ended, which were cut off, infos.

        Raises:
            TypeError, ValueError: They are no numbers, the shape is wrong or one is not finite; nothing is
                changed. Or a term of the task gave what is not finite.
            RuntimeError: `reset` was not called before.
            ClosedEnvironmentError: It was closed (of Gymnasium; so do `reset` and `render`).
        """
        self._check_open("step")
        if not self._is_seeded:
            raise RuntimeError("call reset() before the first step()")
        sim = self.simulation
        begun = self._ended & (self.autoreset_mode == AutoresetMode.NEXT_STEP)
        made_it = sim.step(actions)
        terms = sim.rewards()
        rewards = np.zeros(self.num_envs)
        for term in terms.values():
            rewards += term
        terminated = sim.terminations() | ~made_it
        truncated = sim.steps >= self.episode_steps
        infos = {f"reward_{name}": term for name, term in terms.items()} | {"failed": ~made_it}
        for array in (rewards, terminated, truncated):
            array[begun] = 0
        sim.begin(np.flatnonzero(begun))
        self._observations = sim.observe(self._all)
        result = self._infos(infos, ~begun)
        self._ended = terminated | truncated
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            result = self._start_over(result)
        self._show()
        return self._observations.copy(), rewards, terminated, truncated, result

    def _infos(self, infos: dict[str, np.ndarray], mask: np.ndarray) -> dict[str, Any]:
        """Return infos with those of the task and their masks."""
        own = {name: np.asarray(term(self.simulation)) for name, term in self.task.infos.items()}
        made: dict[str, Any] = {}
        for name, value in own.items():
            made[name], made[f"_{name}"] = value, np.ones(self.num_envs, bool)
        for name, value in infos.items():
            zero = np.zeros((), value.dtype)
            made[name], made[f"_{name}"] = np.where(mask, value, zero), mask.copy()
        return made

    def _start_over(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Begin new episodes where they ended; return infos with what is final."""
        ended = np.flatnonzero(self._ended)
        final = np.full(self.num_envs, None, object)
        for row in ended:
            final[row] = self._observations[row].copy()
        self.simulation.begin(ended)
        self._observations[ended] = self.simulation.observe(ended)
        last = {name: value & self._ended if name[0] == "_" else value for name, value in infos.items()}
        begun = {name: np.asarray(term(self.simulation)) for name, term in self.task.infos.items()}
        mask = self._ended.copy()
        return {**infos, **begun, "final_obs": final, "_final_obs": mask,
                "final_info": last, "_final_info": mask.copy()}  # fmt: skip

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return a picture of each world, (height, width, 3) of uint8, or None in other modes."""
        self._check_open("render")
        if self.render_mode != "rgb_array":
            return None
        if self._painter is None:
            self._painter = Painter(self.simulation)
        return tuple(self._painter.picture(row) for row in range(self.num_envs))

    def _show(self) -> None:
        """Show the first world, if somebody watches."""
        if self._window is not None:
            self._window.show()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the page of the first world; `close` calls it."""
        if self._window is not None:
            self._window.close()

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorEnv:
        """Return worlds of their own in the same state, which go on as these do, bit for bit."""
        return _again(type(self), copy.deepcopy(self.task, memo), *self._rest())

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make it again: its task, as Gymnasium's cloudpickle writes it, and its state."""
        return _unpickled, (type(self), cloudpickle.dumps(self.task), *self._rest())

    def _rest(self) -> tuple[dict[str, Any], dict[str, Any] | None, Any, bool]:
        """Return what makes another one like it: options, state, Gymnasium's spec, whether it is closed."""
        options = {
            "num_envs": self.num_envs, "threads": self.simulation.batch.threads,
            "autoreset_mode": self.autoreset_mode, "max_episode_steps": self.episode_steps,
            "render_mode": self.render_mode,
        }  # fmt: skip
        return options, self.state() if self._is_seeded else None, self.spec, self.closed

    def state(self) -> dict[str, Any]:
        """Return everything that the next steps depend on: for checkpoints."""
        return {
            "simulation": self.simulation.state(),
            "ended": self._ended.copy(),
            "observations": self._observations.copy(),
        }

    def set_state(self, saved: dict[str, Any]) -> np.ndarray:
        """Go back to what `state` returned; return the observations of then, (worlds, n).

        Raises:
            TypeError, ValueError: It is of another task or another number of worlds.
        """
        given = check.mapping(saved, "state", "names to arrays")
        for name in ("simulation", "ended", "observations"):
            if name not in given:
                raise ValueError(f"the state is of another kind: it has no {name!r}")
        ended = check.like(given["ended"], self._ended, "ended of the state")
        observations = check.like(given["observations"], self._observations, "observations of the state")
        self.simulation.set_state(given["simulation"])
        self._ended, self._observations = ended.copy(), observations.copy()
        self._is_seeded = True
        return self._observations.copy()


def _again(
    kind: type[VectorEnv], task: Task, options: dict[str, Any], state: dict[str, Any] | None, spec: Any,
    closed: bool,
) -> VectorEnv:  # fmt: skip
    """Return an environment like another one, in its state."""
    made = kind(task, **options)
    if state is not None:
        made.set_state(state)
    made.spec, made.closed = spec, closed
    return made


def _unpickled(kind: type[VectorEnv], task: bytes, *rest: Any) -> VectorEnv:
    return _again(kind, cloudpickle.loads(task), *rest)
