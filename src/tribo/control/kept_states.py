"""States of the worlds of a batch before each step, kept so that any step can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks.errors import NotDifferentiableError
from tribo.engine.engine import Engine
from tribo.model import Model
from tribo.readout.state_bytes import COUNTS

Kept = dict[str, np.ndarray]  # by field of `State`, worlds first


@dataclass(frozen=True, eq=False)
class Moved:
    """Worlds in which parameters are moved: number k down in world 1 + 2 k and up in world 2 + 2 k."""

    engine: Engine
    sizes: np.ndarray  # (parameters,) by which


@dataclass(frozen=True, eq=False)
class Held:
    """Model, settings and commands that all steps of a rollout have in common, those of world 0."""

    model: Model
    sizes: dict[str, int]
    capacity: Any
    threads: int
    settings: Kept
    command: Kept
    inertia: np.ndarray  # diagonal of M, (nv,) [kg, kg m²]
    moved: Moved | None


def hold(engine: Engine, inertia: np.ndarray, threads: int, last: Held | None, moved: Moved | None) -> Held:
    """Return what the next steps of a batch have in common, with the model of the last run if it is equal."""
    model = engine.model
    if any(len(array) > 1 for array in model.arrays.values()):  # all worlds have the same parameters
        model = Model.wrap({name: array[:1].copy() for name, array in model.arrays.items()})
    if last is not None and all(
        np.array_equal(array, last.model.arrays[name], equal_nan=array.dtype.kind == "f")
        for name, array in model.arrays.items()
    ):
        model = last.model
    settings, command = (
        {name: array[:1].copy() for name, array in record.arrays.items()}
        for record in (engine.settings, engine.command)
    )
    return Held(model, dict(engine.sizes), engine.capacity, threads, settings, command, inertia, moved)


def take_over(held: Held, engine: Engine, *, is_own: bool) -> None:
    """Write settings and commands into all worlds of an engine; one may have settings of its own."""
    pairs: list[tuple[Kept, Any]] = [(held.command, engine.command)]
    if not is_own:
        pairs.append((held.settings, engine.settings))
    for kept, record in pairs:
        for name, array in kept.items():
            record.arrays[name][...] = array


def keep(engine: Engine) -> Kept:
    """Return copies of the states of all worlds, tables as far as they are in use."""
    arrays = engine.state.arrays
    made = {}
    for name, array in arrays.items():
        used = int(arrays[COUNTS[name]].max(initial=0)) if name in COUNTS else None
        made[name] = (array if used is None else array[:, :used]).copy()
    return made


def put(kept: Kept, world: int, engine: Engine) -> None:
    """Write the state of one world into all worlds of an engine; nothing sleeps there."""
    engine.make_room(max(kept[name].shape[1] for name in COUNTS))
    arrays = engine.state.arrays
    for name, array in kept.items():
        row = array[world]
        region: Any = (slice(None), *(slice(0, size) for size in row.shape))
        arrays[name][region] = row


def size_of(kept: Kept) -> int:
    """Return the bytes that kept states take."""
    return sum(array.nbytes for array in kept.values())


def refuse_other_memory(engine: Engine) -> None:
    """Refuse worlds whose next step depends on more than coordinates, velocities and accelerations.

    Raises:
        NotDifferentiableError: There is such a memory; the message names it.
    """
    state = engine.state.arrays
    if state["activation"].size:
        raise NotDifferentiableError(
            "actuators with an activation have a state that products along a rollout leave out; "
            "take tribo.linearize of all steps at once, or actuators without activation"
        )
    if state["yield_count"].any():
        raise NotDifferentiableError(
            "compliant ground remembers how far it is displaced, which products along a rollout leave out; "
            "take tribo.linearize of all steps at once, or a rigid pair of materials"
        )
