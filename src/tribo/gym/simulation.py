"""The worlds of a task while it is played: what its terms read and write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.batch.motors import kept_motors
from tribo.batch.objects import ObjectBatch
from tribo.checks import check
from tribo.gym.draws import Draws
from tribo.gym.saved_state import check_memory, check_model, may_differ
from tribo.gym.task import Task
from tribo.model import Kind


class Simulation:
    """Worlds of a task, and what its terms need to know of the episodes in them.

    Attributes:
        batch: The worlds.
        world: The world that they are copies of, as the task made it: nominal masses and so on.
        draws: Random numbers, a stream for each world; seed them before the first `begin`.
        steps: Actions since the episode of each world began, (worlds,).
        action, previous_action: The last one and the one before, as given, (worlds, k); 0 at the start.
        before: The results of the terms in `Task.notes` just before the last step, by name.
        memory: Arrays of terms that must last, (worlds, …), by name: `remember` makes them.
        kept: The same beyond the episode: `keep` makes them.
        widths: How many numbers each observation has, by name.

    Example:
        >>> import numpy as np
        >>> from tribo.gym.tasks import cart_pole
        >>> sim = Simulation(cart_pole.task(), 3, threads=1)
        >>> sim.draws.seed(np.arange(3), [1, 2, 3])
        >>> sim.begin(np.arange(3))
        >>> bool(sim.step(np.zeros((3, 1))).all())
        True
        >>> sim.observe(np.arange(3)).shape
        (3, 4)
    """

    def __init__(self, task: Task, worlds: int, *, threads: int | None = None) -> None:
        """Build the worlds of a task.

        Args:
            task: The task.
            worlds: How many, ≥ 1.
            threads: As `tribo.Batch` has them.

        Raises:
            ValueError: The task cannot be played.
        """
        check.instance(task, Task, "task must be a tribo.gym.Task (tribo.gym.load(name) makes one of a name)")
        task.check()
        self.task = task
        self.world = task.make_world()
        self.batch = Batch(self.world, worlds, threads=threads)
        self._objects: dict[str, ObjectBatch] = {}
        self._once: dict[str, Any] = {}
        self._start = self.batch.pool([0])
        self.draws = Draws(worlds)
        self.steps = np.zeros(worlds, np.int64)
        self.action = np.zeros((worlds, task.actions.size))
        self.previous_action = np.zeros((worlds, task.actions.size))
        self.before: dict[str, np.ndarray] = {}
        self.memory: dict[str, np.ndarray] = {}
        self.kept: dict[str, np.ndarray] = {}
        self.widths: dict[str, int] = {}
        self.control_step = float(self.world.time_step) * task.steps_per_action

    def __len__(self) -> int:
        """Return the number of worlds."""
        return len(self.batch)

    # -- for terms -----------------------------------------------------------------------------
    def object(self, name: str) -> ObjectBatch:
        """Return an object in all worlds, ``batch[name]``.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        if name not in self._objects:
            self._objects[name] = self.batch[name]
        return self._objects[name]

    def remember(self, name: str, width: int) -> np.ndarray:
        """Return an array that lasts, (worlds, width), zero when first asked for; write into it.

        Args:
            name: A name of its own.
            width: Numbers for each world.
        """
        if name not in self.memory:
            self.memory[name] = np.zeros((len(self), width))
        return self.memory[name]

    def keep(self, name: str, width: int) -> np.ndarray:
        """Return an array that lasts from episode to episode, (worlds, width), as `remember` does within one.

        Args:
            name: A name of its own.
            width: Numbers for each world.
        """
        if name not in self.kept:
            self.kept[name] = np.zeros((len(self), width))
        return self.kept[name]

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return what a function returns, computed once for a state: for what several terms share.

        Args:
            name: A name of its own.
            compute: Takes nothing.
        """
        if name not in self._once:
            self._once[name] = compute()
        return self._once[name]

    @property
    def is_new(self) -> np.ndarray:
        """Whose episode has just begun, (worlds,) of bool: contact forces there are of the last episode."""
        return np.asarray(self.steps == 0)

    def contact_force(self, name: str) -> np.ndarray:
        """Return `net_contact_force` of an object, (worlds, bodies, 3) [N], world axes.

        Of a single body (worlds, 3). It is 0 before the first step of an episode.
        """
        force = self.object(name).net_contact_force
        return np.where(self.is_new.reshape(-1, *(1,) * (force.ndim - 1)), 0.0, force)

    def in_contact(self, name: str, body: str | None = None) -> np.ndarray:
        """Return `in_contact` of an object, (worlds,) of bool; false before the first step."""
        return np.asarray(self.object(name).in_contact(body) & ~self.is_new)

    # -- for environments ----------------------------------------------------------------------
    def begin(self, rows: np.ndarray) -> None:
        """Begin new episodes in some worlds, (n,): start state, randomisations, resets."""
        if not rows.size:
            return
        ended = rows[self.steps[rows] > 0]
        if ended.size:
            for change in self.task.endings.values():
                change(self, ended)
        self.batch.reset(self._start, rows)
        self.steps[rows] = 0
        self.action[rows] = self.previous_action[rows] = 0.0
        for array in self.memory.values():
            array[rows] = 0.0
        self.changed()
        for change in (*self.task.randomisations.values(), *self.task.resets.values()):
            change(self, rows)
            self.changed()

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Take a control step; return which worlds made it, (worlds,) of bool.

        Args:
            actions: (worlds, k), finite.

        Raises:
            TypeError, ValueError: They are no numbers, the shape is wrong or one is not finite; nothing is
                changed.
        """
        given = check.shaped(check.array(actions, "actions", "numbers"), "actions", self.action.shape)
        if not np.isfinite(given).all():
            world = int(np.flatnonzero(~np.isfinite(given).all(axis=1))[0])
            raise ValueError(f"actions must be finite, got {given[world].tolist()} in world {world}")
        self.before = {name: np.array(note(self)) for name, note in self.task.notes.items()}
        self.previous_action, self.action = self.action, given.copy()
        control = self.task.actions
        control.apply(self, np.clip(given, control.low, control.high))
        made_it = self.batch.step(self.task.steps_per_action)
        self.steps += 1
        self.changed()
        self._occur()
        return made_it

    def _occur(self) -> None:
        """Let events happen in the worlds in which they are due."""
        for seconds, change in self.task.events.values():
            period = max(1, round(seconds / self.control_step))
            due = np.flatnonzero(self.steps % period == 0)
            if due.size:
                change(self, due)
                self.changed()

    def changed(self) -> None:
        """Forget what `once` keeps: the state is another one."""
        self._once.clear()

    def observe(self, rows: np.ndarray) -> np.ndarray:
        """Return the observations of some worlds, (n, sizes of all terms), with their noise."""
        parts = []
        for name, term in self.task.observations.items():
            what = f"observation {name!r}"
            part = columns(term(self), len(self), what)[rows]
            if self.widths.setdefault(name, part.shape[1]) != part.shape[1]:
                raise ValueError(
                    f"{what} had {self.widths[name]} numbers for each world, now it has {part.shape[1]}"
                )
            self._check_finite(part, rows, what)
            if name in self.task.noise:
                part = part + self.draws.normal(rows, self.task.noise[name], part.shape[1])
            parts.append(part)
        return np.concatenate(parts, axis=1)

    def rewards(self) -> dict[str, np.ndarray]:
        """Return the weighted reward terms, each (worlds,)."""
        made = {}
        for name, (weight, term) in self.task.rewards.items():
            what = f"reward {name!r}"
            made[name] = weight * flat(term(self), len(self), what)
            self._check_finite(made[name], np.arange(len(self)), what)
        return made

    def _check_finite(self, values: np.ndarray, rows: np.ndarray, what: str) -> None:
        """Refuse what no policy can learn from, but for worlds whose physics failed: they are over.

        Raises:
            ValueError: A number of a world is not finite.
        """
        is_fine = np.isfinite(values)
        if is_fine.all():
            return
        bad = ~is_fine.reshape(len(rows), -1).all(axis=1) & self.batch.is_valid[rows]
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"{what} is not finite in world {rows[k]}: {np.atleast_1d(values[k]).tolist()}; a term must "
                "return finite numbers, also where nothing is seen or no step was made"
            )

    def terminations(self) -> np.ndarray:
        """Return in which worlds any termination term is true, (worlds,) of bool.

        Raises:
            TypeError, ValueError: A term gave something else than (worlds,) of bool.
        """
        ended = np.zeros(len(self), bool)
        for name, term in self.task.terminations.items():
            what = f"termination {name!r}"
            ended |= check.booleans(flat(term(self), len(self), what), what)
        return ended

    # -- keeping it ----------------------------------------------------------------------------
    def state(self) -> dict[str, Any]:
        """Return everything that the future depends on, as arrays: states, masses, streams, episodes."""
        model, nominal = self.batch.engine.model.arrays, self.world.engine.model.arrays
        changed = {
            field: array.copy()
            for field, array in model.items()
            if may_differ(field) and not np.array_equal(array, np.broadcast_to(nominal[field], array.shape))
        }
        return {
            "batch": self.batch.snapshot(),
            "model": changed,
            "motors": {name: a.copy() for name, a in self.batch.engine.motors.arrays.items()},
            "keys": self.draws.keys.copy(),
            "counts": self.draws.counts.copy(),
            "steps": self.steps.copy(),
            "action": self.action.copy(),
            "previous_action": self.previous_action.copy(),
            "memory": {name: array.copy() for name, array in self.memory.items()},
            "kept": {name: array.copy() for name, array in self.kept.items()},
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go back to what `state` returned, of a simulation of the same task with as many worlds.

        Raises:
            TypeError, ValueError: It is of another task or another number of worlds, or a number is out of
                its range.
        """
        engine, nominal = self.batch.engine, self.world.engine.model.arrays
        saved = check.mapping(saved, "state of the simulation", "names to arrays")
        own, kept, motors = self.state(), saved.get("kept", {}), saved.get("motors")
        missing = [name for name in own if name not in saved and name not in ("kept", "motors")]
        if missing:
            raise ValueError(f"the state is of another kind: it has no {missing[0]!r}")
        if len(saved["steps"]) != len(self):
            raise ValueError(f"the state is of {len(saved['steps'])} worlds, these are {len(self)}")
        for name in ("keys", "counts", "steps", "action", "previous_action"):
            check.like(saved[name], own[name], f"{name} of the state")
        check_model(saved["model"], nominal, len(self))
        check_memory(saved["memory"], self.memory, len(self), "memory")
        check_memory(kept, self.kept, len(self), "kept array")
        if motors is not None:
            engine.take_motors(kept_motors(motors, engine))
        self.batch.restore(saved["batch"])
        for field in filter(may_differ, list(engine.model.arrays)):
            if field in saved["model"]:
                engine.own(field)
                engine.model.arrays[field][...] = saved["model"][field]
            elif engine.model.arrays[field].shape[0] == len(self):
                engine.model.arrays[field][...] = nominal[field]
        self.draws.keys[:], self.draws.counts[:] = saved["keys"], saved["counts"]
        self.steps = saved["steps"].copy()
        self.action, self.previous_action = saved["action"].copy(), saved["previous_action"].copy()
        self.memory = {name: array.copy() for name, array in saved["memory"].items()}
        self.kept = {name: array.copy() for name, array in kept.items()}
        self.changed()

    def show(self, row: int) -> None:
        """Put the objects of `world` where those of a world of the batch are, to draw them."""
        part: Any
        for part in self.world.objects:
            if part.body_type != Kind.STATIC:
                here = self.object(part.name)
                part.set_state(here.generalized_coordinate[row], here.generalized_velocity[row])


def columns(value: Any, worlds: int, what: str) -> np.ndarray:
    """Return what a term gave as (worlds, k) numbers.

    Raises:
        TypeError, ValueError: It is no array of numbers, or its shape is neither (worlds,) nor (worlds, k).
    """
    given = check.values(value, what)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"{what} must be numbers, got {check.shown(value)}")
    made = given.astype(float)
    if made.ndim not in (1, 2) or made.shape[0] != worlds:
        raise ValueError(f"{what} must have shape ({worlds},) or ({worlds}, k), got {made.shape}")
    return made.reshape(worlds, -1)


def flat(value: Any, worlds: int, what: str) -> np.ndarray:
    """Return what a term gave as (worlds,).

    Raises:
        TypeError, ValueError: It is no array of numbers or truth values, or its shape is another one.
    """
    made = check.shaped(check.values(value, what), what, (worlds,))
    if made.dtype.kind not in "fiub":
        raise TypeError(f"{what} must be numbers, got {check.shown(value)}")
    return made
