"""Many worlds of one model, each with its own state, stepped in parallel."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.batch.collisions import BatchCollisions, CollisionWatch
from tribo.batch.constraints import BatchConstraints
from tribo.batch.contacts import BatchContacts
from tribo.batch.interior import BatchInterior
from tribo.batch.materials import BatchMaterials
from tribo.batch.objects import ObjectBatch
from tribo.batch.policy import BatchPolicies, BatchPolicy
from tribo.batch.pool import BatchStates
from tribo.batch.rays import BatchRays
from tribo.batch.rollout import BatchRollout
from tribo.batch.sensors import BatchSensors
from tribo.batch.settings import BatchSettings
from tribo.batch.shapes import BatchShapes
from tribo.batch.values import Spread
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.engine import Engine
from tribo.model import Kind, Status
from tribo.objects.forwards import forward, seen
from tribo.world.world import World

# Names that were in `Batch` and never meant for users: what to use.
GONE = {
    "check_idle": "one thread for each batch",
    "chosen_worlds": "numpy.arange(len(batch))[worlds]",
    "kept_arrays": "Batch.snapshot",
    "records_of": "ObjectBatch.at",
}


class Batch(BatchSettings):
    """Copies of a world that share its model and go their own ways.

    Each world gives bitwise the same numbers as it would alone, with any number of threads.

    Args:
        world: Start of every world; it is copied, not used.
        worlds: How many, ≥ 1.
        threads: Worker threads, at most 1024: each is one of the system's, and more than processors gain
            nothing; None: one for each processor.

    Raises:
        MemoryError: So many worlds do not fit into memory; the message says how much they need.
        ValueError: A cable of the world adapts by itself: the worlds have the same segments.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball", position=(0, 0, 1))
        >>> batch = tribo.Batch(world, 4, threads=1)
        >>> batch["ball"].generalized_coordinate[:, 2] = 1, 2, 3, 4
        >>> bool(batch.step(100).all())
        True
        >>> batch["ball"].generalized_coordinate.shape
        (4, 7)
    """

    _inside: BatchInterior
    _called = "batch"
    _plain = frozenset(("step",))

    def __init__(self, world: World, worlds: int, *, threads: int | None = None) -> None:
        """Copy a world's present state `worlds` times."""
        super().__init__(BatchInterior(world, worlds, threads))

    def __repr__(self) -> str:
        """Return worlds, objects, threads and how many worlds are still valid."""
        t = self.time
        times = f"t = {t.min():g} s" if t.min() == t.max() else f"t = {t.min():g} … {t.max():g} s"
        return (
            f"<Batch of {len(self)} worlds at {times}: {len(self._inside.parts)} objects each, "
            f"{self.threads} threads, {int(self.is_valid.sum())} valid>"
        )

    def __reduce__(self) -> Any:
        """Refuse copies and pickling: two batches would share one state."""
        raise TypeError("a batch cannot be copied or pickled; use batch.snapshot() to keep its states")

    if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything

        def __getattr__(self, name: str) -> Any:
            """Return what was a name of batches until it moved inside, with what to use instead."""
            if name not in GONE:
                return super().__getattr__(name)
            warnings.warn(f"Batch.{name} is for the engine; use {GONE[name]}", DeprecationWarning, 2)
            return getattr(self._inside.states if name == "kept_arrays" else self._inside, name)

    @property
    def engine(self) -> Engine:
        """Records of all worlds."""
        return self._inside.engine

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objects that have a state, for ``batch[name]``."""
        return tuple(name for name, part in self._inside.parts.items() if part.kind != Kind.STATIC)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an object of this name."""
        return isinstance(name, str) and name in self._inside.parts

    @property
    def threads(self) -> int:
        """Worker threads that `step` uses."""
        return self._inside.threads

    @threads.setter
    def threads(self, value: int | None) -> None:
        self._inside.set_threads(value)

    def __len__(self) -> int:
        """Return the number of worlds."""
        return len(self._inside)

    def __getitem__(self, name: str) -> ObjectBatch:
        """Return an object in all worlds, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        return self._inside[name]

    poses_of = forward("", BatchInterior.poses_of)

    def step(self, n: int = 1, *, hold_forces: bool = False) -> np.ndarray:
        """Advance every world by n steps; return which worlds made it, (worlds,) of bool [–].

        A world whose velocity stops being finite stays at its last valid state and is reported here
        and in `status`; the others are not affected. The meaning of a status is logged once per batch.

        Args:
            n: How many, ≥ 0.
            hold_forces: Let forces and torques of `apply_force` and its kin act in all n steps, force
                and torque at the centre of mass staying as they are in world axes, those given in axes of a
                body, too; otherwise they act in the first step alone. Afterwards there are none.

        Example:
            >>> import tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> batch = tribo.Batch(world, 2, threads=1)
            >>> batch["ball"].apply_force((1.0, 0.0, 0.0))
            >>> _ = batch.step(100, hold_forces=True)
            >>> batch["ball"].linear_velocity[:, 0].round(9).tolist()
            [0.5, 0.5]
        """
        check.integer(n, "number of steps", 0)
        check.boolean(hold_forces, "hold_forces")
        return self._inside.go(n, None, hold_forces)

    def randomize(
        self, spread: Spread, worlds: Any = slice(None), *, seed: int | None = None
    ) -> dict[str, np.ndarray]:
        """Give worlds parameters as uncertain as an identification left them: domain randomization from data.

        Args:
            spread: `tribo.identify` returns it: an `Identification` of parameters that this batch has.
            worlds: Index, slice or mask of the worlds that are set; the others stay.
            seed: Of the random numbers, ≥ 0; None: from the system.

        Returns:
            By name of the parameter what the n worlds got, (n,), units as the identification has them.

        Raises:
            EditError: Another thread steps the batch.
            KeyError: The batch has no such object, joint or material.
            TypeError, ValueError: There is no such world, or `spread` is something else.

        Example:
            >>> import numpy as np, tribo
            >>> from tribo.identification import Trajectory, pair
            >>> world = tribo.World(time_step=0.01)
            >>> ground = world.add_ground(material="ice")
            >>> stone = world.add_box((1, 1, 1), 1.0, "stone", position=(0, 0, 0.5), name="stone")
            >>> world.set_material_pair("ice", "stone", friction=0.1)
            >>> t = np.linspace(0.0, 1.0, 21)
            >>> slide = 2.0 * t - 0.5 * 0.1 * 9.81 * t**2 + np.random.default_rng(0).normal(0, 0.01, 21)
            >>> film = Trajectory(t, {"q/stone/x": slide}, noise=0.01)
            >>> found = tribo.identify(world, film, pair("ice", "stone", friction=(0, 1)), threads=1)
            >>> batch = tribo.Batch(world, 100, threads=1)
            >>> drawn = batch.randomize(found, seed=1)["ice/stone/friction"]
            >>> bool((batch.material_pair("ice", "stone")["friction"] == drawn).all() and drawn.std() < 0.02)
            True
        """
        self._inside.check_idle("randomize")
        chosen = self._inside.chosen_worlds(worlds).ravel()
        if not hasattr(spread, "draw") or not hasattr(spread, "set_in_batch"):
            raise TypeError(f"randomize takes what tribo.identify returns, got {check.shown(spread)}")
        generator = np.random.default_rng(None if seed is None else check.integer(seed, "seed", 0))
        values = spread.draw(len(chosen), generator)
        spread.set_in_batch(self, values, chosen)
        return dict(zip(spread.names, values.T, strict=True))

    @property
    def time(self) -> np.ndarray:
        """World times, (worlds,) [s]."""
        return frozen(self.engine.state.arrays["time"][:, 0].copy())

    @property
    def status(self) -> np.ndarray:
        """Bits of `Status` of every world, all steps of the last call combined, (worlds,) [–]."""
        return frozen(self.engine.status[:, 0].copy())

    @property
    def is_valid(self) -> np.ndarray:
        """Which worlds are still going, (worlds,) of bool [–]."""
        return frozen(self.engine.status[:, 0] & Status.INVALID == 0)

    @property
    def residual(self) -> np.ndarray:
        """Residuals of the last contact solves, (worlds, 3) [–], as `World.residual`."""
        return frozen(self.engine.work.arrays["residual"].copy())

    @property
    def contacts(self) -> BatchContacts:
        """The points that touched in the last step, of all worlds, as arrays: `BatchContacts`."""
        return self._inside.watch.contacts()

    watch_collisions: bool = seen("watch", CollisionWatch.watch_collisions)
    collisions: BatchCollisions = seen("watch", CollisionWatch.collisions)
    constraint_names: tuple[str, ...] = seen("ties", BatchConstraints.constraint_names)
    sensor_names: tuple[str, ...] = seen("sensors", BatchSensors.sensor_names)

    @property
    def policy(self) -> BatchPolicy | None:
        """The policy that commands the worlds within `step`, set by `set_policy`; None: there is none."""
        return self._inside.policies.policy

    # -- parts ---------------------------------------------------------------------------------
    material_pair = forward("materials", BatchMaterials.material_pair)
    set_material_pair = forward("materials", BatchMaterials.set_material_pair)
    shape_size = forward("shapes", BatchShapes.shape_size)
    set_shape_size = forward("shapes", BatchShapes.set_shape_size)
    sensor = forward("sensors", BatchSensors.sensor)
    constraint = forward("ties", BatchConstraints.constraint)
    snapshot = forward("states", BatchStates.snapshot)
    restore = forward("states", BatchStates.restore)
    pool = forward("states", BatchStates.pool)
    reset = forward("states", BatchStates.reset)
    copy_worlds = forward("states", BatchStates.copy_worlds)
    set_from_world = forward("states", BatchStates.set_from_world)
    hash = forward("states", BatchStates.hash)
    set_policy = forward("policies", BatchPolicies.set_policy)
    clear_policy = forward("policies", BatchPolicies.clear_policy)
    rollout = forward("plans", BatchRollout.rollout)
    ray_test_batch = forward("rays", BatchRays.ray_test_batch)
    height_scan = forward("rays", BatchRays.height_scan)
