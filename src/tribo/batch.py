"""Many worlds of one model, each with its own state, stepped in parallel."""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np

from tribo import check, kernels
from tribo.builder import Span
from tribo.description import TreeDescription
from tribo.engine import Engine
from tribo.model import Joint, Kind, Status
from tribo.objects.named_parts import NamedParts
from tribo.objects.states import States
from tribo.tree_model import TreeRecords, tree_records
from tribo.world import World


class ObjectBatch(NamedParts):
    """One object in all worlds of a batch: arrays whose first axis is the world.

    The arrays of states and commands are the records themselves, not copies: write into them with
    ``[...] =``. What is computed (mass matrix, frames, …) is fresh. Properties of links and joints may
    differ from world to world: ``batch["robot"].link("trunk").mass = masses``.
    """

    _is_batch = True

    def __init__(self, batch: Batch, name: str, span: Span, description: TreeDescription) -> None:
        """Use ``batch[name]``."""
        self._batch, self.name, self._span, self.description = batch, name, span, description

    def _records(self) -> TreeRecords:
        return self._batch.records_of(self.name)

    def _states(self) -> States:
        q, v, vdot = (
            np.array(self._array("state", name, index))
            for name, index in (("q", "q"), ("v", "v"), ("vdot", "v"))
        )
        return States(self.name, self._records(), q, v, vdot, False)

    def _count(self) -> int:
        return len(self._batch)

    def _live(self, name: str) -> np.ndarray:
        return self._array("state", name, name)

    def _set_parameter(self, field: str, row: int, value: np.ndarray, what: str) -> None:
        engine = self._batch.engine
        engine.own(field, "tree_is_single")
        self._records().model.arrays[field][:, row] = value
        if field == "body_com" and len(self.description.bodies) == 1:
            is_free = self.description.bodies[0].joint.type == Joint.FREE
            single = engine.model.arrays["tree_is_single"]
            single[:, self._span.tree] = is_free & (value == 0.0).all(axis=1)

    def _array(self, record: str, name: str, index: str) -> np.ndarray:
        array: np.ndarray = getattr(self._batch.engine, record).arrays[name]
        return array[:, getattr(self._span, index)]

    @property
    def generalized_coordinate(self) -> np.ndarray:
        """Coordinates q, (worlds, nq) [m, rad, –]; a single body: position and quaternion."""
        return self._array("state", "q", "q")

    @property
    def generalized_velocity(self) -> np.ndarray:
        """Velocities v, (worlds, dof) [m/s, rad/s]."""
        return self._array("state", "v", "v")

    @property
    def generalized_force(self) -> np.ndarray:
        """Feed-forward force, (worlds, dof) [N, N m]."""
        return self._array("command", "tau", "v")

    @property
    def pd_target(self) -> np.ndarray:
        """Target coordinates of the drives, (worlds, nq)."""
        return self._array("command", "target_q", "q")

    @property
    def pd_velocity_target(self) -> np.ndarray:
        """Target velocities of the drives, (worlds, dof)."""
        return self._array("command", "target_v", "v")

    @property
    def kp(self) -> np.ndarray:
        """Stiffness of the drives, (worlds, dof) [N/m, N m/rad]."""
        return self._array("command", "kp", "v")

    @property
    def kd(self) -> np.ndarray:
        """Damping of the drives, (worlds, dof) [N s/m, N m s/rad]."""
        return self._array("command", "kd", "v")

    @property
    def applied_torque(self) -> np.ndarray:
        """What the drives did in the last step, (worlds, dof) [N, N m]."""
        return self._array("work", "applied_torque", "v")


class Batch:
    """Copies of a world that share its model and go their own ways.

    Each world gives bitwise the same numbers as it would alone, with any number of threads.

    Args:
        world: What every world starts as; it is copied, not used.
        worlds: How many, ≥ 1.
        threads: Worker threads; None: one for each processor.

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

    def __init__(self, world: World, worlds: int, *, threads: int | None = None) -> None:
        """Copy a world's present state `worlds` times."""
        world.check_editable("a world that is copied into a batch")
        count = check.integer(worlds, "worlds", 1)
        world.write_materials()
        source = world.engine
        self.engine = Engine(_copied_model(source), source.sizes, source.capacity, count)
        for name in ("state", "command", "settings"):
            for field, array in getattr(source, name).arrays.items():
                getattr(self.engine, name).arrays[field][...] = array
        self._parts = {
            part.name: (part.body_type, part.span, copy.deepcopy(part.description))
            for part in world.objects
        }
        self._records: dict[str, TreeRecords] = {}
        self.threads = threads

    @property
    def threads(self) -> int:
        """Worker threads that `step` uses."""
        return self._threads

    @threads.setter
    def threads(self, value: int | None) -> None:
        available = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
        self._threads = (available or 1) if value is None else check.integer(value, "threads", 1)

    def __len__(self) -> int:
        """Return the number of worlds."""
        return self.engine.worlds

    def __getitem__(self, name: str) -> ObjectBatch:
        """Return an object in all worlds, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        kind, span, description = self._parts[check.known(name, self._parts, "object")]
        if kind == Kind.STATIC or span is None:
            raise ValueError(f"{name} is static: it has no state of its own in a batch")
        return ObjectBatch(self, name, span, description)

    def records_of(self, name: str) -> TreeRecords:
        """Return the records with which queries about an object compute; for `ObjectBatch`."""
        found = self._records.get(name)
        if found is None or found.world_model is not self.engine.model:
            span = self._parts[name][1]
            assert span is not None
            found = self._records[name] = tree_records(self.engine, span)
        return found

    def step(self, n: int = 1) -> np.ndarray:
        """Advance every world by n steps; return which worlds made it, (worlds,) of bool.

        A world whose velocity stops being finite stays at its last valid state and is reported here
        and in `status`; the others are not affected.
        """
        check.integer(n, "number of steps", 0)
        kernels.warm_up()
        left = self.engine.run_all(n, min(self._threads, len(self)))
        return np.asarray(left == 0)

    @property
    def time(self) -> np.ndarray:
        """World times, (worlds,) [s]."""
        return self.engine.state.arrays["time"][:, 0]

    @property
    def status(self) -> np.ndarray:
        """Bits of `Status` of every world after its last step, (worlds,)."""
        return self.engine.status[:, 0]

    @property
    def is_valid(self) -> np.ndarray:
        """Which worlds are still going, (worlds,) of bool."""
        return np.asarray(self.engine.status[:, 0] & Status.INVALID == 0)

    @property
    def residual(self) -> np.ndarray:
        """Residuals of the last contact solves, (worlds, 3)."""
        residual: np.ndarray = self.engine.work.arrays["residual"]
        return residual

    def snapshot(self) -> dict[str, dict[str, np.ndarray]]:
        """Return a copy of states, commands and settings of all worlds; properties of links are not in it."""
        return {
            name: {field: a.copy() for field, a in getattr(self.engine, name).arrays.items()}
            for name in ("state", "command", "settings")
        }

    def restore(self, saved: dict[str, dict[str, np.ndarray]], worlds: Any = slice(None)) -> None:
        """Go back to a snapshot, in all worlds or in those of an index or mask."""
        for name, arrays in saved.items():
            for field, old in arrays.items():
                shape = getattr(self.engine, name).arrays[field].shape
                if field not in ("warm_key", "warm_impulse") and shape != old.shape:
                    raise ValueError(
                        f"the snapshot is of another batch: {field} {old.shape}, here {shape}"
                    )
        for name, arrays in saved.items():
            for field, old in arrays.items():
                array = getattr(self.engine, name).arrays[field]
                region = (worlds, *(slice(0, n) for n in old.shape[1:]))
                array[region] = old[worlds]


def _copied_model(source: Engine) -> Any:
    arrays = {name: array.copy() for name, array in source.model.arrays.items()}
    return type(source.model).wrap(arrays)
