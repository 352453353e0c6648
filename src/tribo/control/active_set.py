"""Which contacts press and slip, which joints are at stops, which drives at limits, in worlds of a batch."""

from __future__ import annotations

import numpy as np

from tribo.batch.batch import Batch
from tribo.model import Pair, Slot

AT_BOUND = 1e-6  # [–] of a bound of friction, by which an impulse may miss it
POINTS, SLIPPING = 100, 1  # a pair's number: 100 for each point that presses, 1 for each that slips


class ActiveSet:
    """Numbers of what acts in the last step of each world of a batch, by the name of what it is.

    Args:
        batch: After a step.
        dof_names: Of all dofs.
    """

    def __init__(self, batch: Batch, dof_names: list[str]) -> None:
        self.numbers: dict[str, np.ndarray] = {}  # name: (worlds,)
        self._add_contacts(batch)
        self._add_joints(batch, dof_names)

    def _add_contacts(self, batch: Batch) -> None:
        found, worlds = batch.contacts, len(batch)
        pressing = np.einsum("ij,ij->i", found.force, found.normal)
        across = np.linalg.norm(found.force - pressing[:, None] * found.normal, axis=1)
        table = batch.engine.model.arrays["pair_table"]
        row = found.world if len(table) > 1 else np.zeros_like(found.world)
        friction = table[row, found.material[:, 0], found.material[:, 1], Pair.FRICTION]
        value = POINTS * (pressing > 0.0) + SLIPPING * (
            (pressing > 0.0) & (across >= (1.0 - AT_BOUND) * friction * pressing)
        )
        pairs, of_point = np.unique(found.shape, axis=0, return_inverse=True)
        for k, _ in enumerate(pairs):
            own = np.flatnonzero(of_point.ravel() == k)
            a, b = (found.object_names[n] for n in found.object[own[0]])
            number = np.bincount(found.world[own], value[own], worlds).astype(int)
            name = f"contact {a}–{b}"
            self.numbers[name] = self.numbers.get(name, 0) + number

    def _add_joints(self, batch: Batch, dof_names: list[str]) -> None:
        model, state = batch.engine.model.arrays, batch.engine.state.arrays
        impulse = state["scalar_impulse"]
        dt = batch.engine.settings.arrays["dt"].reshape(-1)
        body_of = model["dof_body"][0]
        for dof, name in enumerate(dof_names):
            body = body_of[dof]
            slot, place = model["joint_slot"][0, body], dof - model["joint_v"][0, body]
            dry = model["dof_friction"][:, dof]
            if dry.any():
                held = np.abs(impulse[:, slot + Slot.FRICTION + place])
                self.numbers[f"dry friction {name}"] = 1 * (held < (1.0 - AT_BOUND) * dry * dt)
            has_stop = np.isfinite(model["joint_lower"][0, body]) or np.isfinite(
                model["joint_upper"][0, body]
            )
            if has_stop:
                self.numbers[f"stop {name}"] = np.sign(impulse[:, slot + Slot.LIMIT]).astype(int)
            self.numbers[f"drive {name}"] = state["drive_mode"][:, dof].astype(int)


def in_words(name: str, number: int) -> str:
    """Return the words for a number of an active set.

    Example:
        >>> in_words("contact box–ground", 401), in_words("contact box–ground", 0)
        ('4 points press, 1 slips', 'open')
        >>> in_words("stop arm/elbow", -1), in_words("drive arm/elbow", 0)
        ('at its upper stop', 'within its limits')
    """
    kind = name.split(" ", maxsplit=1)[0]
    if kind == "contact":
        points, slip = divmod(int(number), POINTS)
        if points == 0:
            return "open"
        one = "1 point presses" if points == 1 else f"{points} points press"
        return f"{one}, {slip} {'slips' if slip == 1 else 'slip'}"
    if kind == "stop":
        return {1: "at its lower stop", -1: "at its upper stop"}.get(int(number), "free")
    if kind == "drive":
        limits = ("within its limits", "at an effort limit", "at its speed limit")
        return limits[min(abs(int(number)), 2)]
    return "sticks" if number else "slips"
