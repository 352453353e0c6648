"""Borders near a step that was differentiated: contacts and joints that act otherwise as inputs move.

To first order: a number that keeps its sign while the same rows act, an impulse, a gap or what a correction
of positions has to close, is followed by its derivatives up to where an input is moved by its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tribo.control.active_set import POINTS, SLIPPING, in_words
from tribo.control.exact_step import ExactStep
from tribo.control.linearization import Change
from tribo.enums import COUPLING_SLOTS, Slot
from tribo.identification.state_layout import StateLayout
from tribo.queries.active_rows import TOUCHES

OF_GAPS = ("contact", "slips", "scalar", "gap_by")
OF_CONTACTS = (
    "contact_shape",
    "contact_impulse",
    "contact_friction",
    "contact_gap",
    "gap_allowance",
    "contact_bounce",
)
OF_SCALARS = ("scalar_slot", "scalar_body", "scalar_impulse", "scalar_lower", "scalar_upper")
OF_SHIFTS = ("shift_push", "shift_by", "shift_fallen", "is_watched")

# Columns where the inputs grow, and where they fall, of tables of both.
Pair = tuple[np.ndarray, np.ndarray]
Sides = Callable[[np.ndarray, np.ndarray], Pair]
Words = tuple[str, str]  # beyond the border, and here
Number = tuple[str, float, np.ndarray, np.ndarray, Words]


def _no_forces() -> Pair:
    """Return no commands."""
    none = np.zeros((0, 0))
    return none, none


class Taken:
    """Derivatives that a step has left, and all that tells which borders it is near to.

    It is read where it lies until the next step is made, and copied then.

    Args:
        step: That was differentiated.
        forces: Returns the joint forces (nv, commands) of commands of one unit each, as these grow and fall.
    """

    def __init__(self, step: ExactStep, forces: Callable[[], Pair] = _no_forces) -> None:
        self.nv, self._step, self._forces = step.nv, step, forces
        self._kept: tuple[np.ndarray, np.ndarray, Pair] | None = None
        step.lend(self)

    def tables(self) -> tuple[np.ndarray, np.ndarray, Pair]:
        """Return derivatives (2 nv + impulses, …) where inputs grow and where they fall, and joint forces.

        They are to be read at once.
        """
        return (*self._step.tables(), self._forces()) if self._kept is None else self._kept

    def keep(self) -> None:
        """Copy all of it, once."""
        if self._kept is not None:
            return
        step = self._step
        grown, fallen, forces = self.tables()
        first = grown.copy()
        self._kept = first, first if fallen is grown else fallen.copy(), forces
        own, work = step.tangents.arrays, step.engine.work.arrays
        self.dt = step.time_step
        self.erp = float(step.engine.settings.arrays["erp"].flat[0])
        self.contacts, self.scalars = (int(n) for n in own["counts"][0, :2])
        gaps = self.contacts + self.scalars
        self.parts = {name: own[name][0, :gaps].copy() for name in OF_GAPS}
        if self.contacts:
            count = int(work["contact_count"][0, 0])
            self.parts |= {name: work[name][0, :count].copy() for name in OF_CONTACTS}
        if self.scalars:
            count = int(work["scalar_count"][0, 0])
            self.parts |= {name: work[name][0, :count].copy() for name in OF_SCALARS}
            for name in ("scalar_side", "scalar_is_held"):
                self.parts[name] = own[name][0, : self.scalars].copy()
        self.room = step.room_of_forces()
        self.is_shifted = step.is_shifted
        if self.is_shifted:
            self.parts |= {name: own[name][0, : len(grown) - self.nv].copy() for name in OF_SHIFTS}
            self.parts |= {name: work[name][0].copy() for name in ("shift_error", "shift_scalar_error")}
            if fallen is grown:
                self.parts["shift_fallen"] = self.parts["shift_by"]

    @property
    def grown(self) -> np.ndarray:
        """Derivatives where inputs grow."""
        return self.tables()[0]

    @property
    def fallen(self) -> np.ndarray:
        """Derivatives where inputs fall."""
        return self.tables()[1]


class Borders:
    """Names of what acts in the steps of a world, and what of it is near to its border.

    Args:
        layout: Of its states.
        model: Arrays of its model.
    """

    def __init__(self, layout: StateLayout, model: dict[str, np.ndarray]) -> None:
        self._model = model
        self._dofs = list(layout.dofs)
        self._bodies = layout.names_of_bodies
        self._owner_of_shape = [layout.owners[int(row)] for row in model["shape_body"][0]]

    def changes(
        self, taken: Taken, names: Sequence[str], sizes: np.ndarray, sides: Sides
    ) -> tuple[Change, ...]:
        """Return what acts otherwise where one of the inputs is moved by its size."""
        taken.keep()
        made = list(self._of_contacts(taken, names, sizes, sides))
        for what, value, grown, fallen, words in self._numbers(taken):
            forward, backward = sides(grown[None], fallen[None])
            below, above = value - sizes * backward[0], value + sizes * forward[0]
            for k in np.flatnonzero((below * value <= 0.0) | (above * value <= 0.0)).tolist():
                said = (words[int(x * value > 0.0)] for x in (below[k], value, above[k]))
                made.append(Change(names[k], what, *said))
        return tuple(dict.fromkeys(made))

    def _of_contacts(
        self, taken: Taken, names: Sequence[str], sizes: np.ndarray, sides: Sides
    ) -> Iterator[Change]:
        """Give contacts that press or slip otherwise."""
        count = taken.contacts
        if not count:
            return
        which = taken.parts["contact"][:count]
        impulse, friction = taken.parts["contact_impulse"][which], taken.parts["contact_friction"][which]
        slips = taken.parts["slips"][:count] != 0
        rows = slice(2 * taken.nv, 2 * taken.nv + 3 * count)
        forward, backward = sides(taken.grown[rows], taken.fallen[rows])
        numbers = [
            _acting(impulse, by * amount, friction, slips)
            for by, amount in ((backward, -sizes), (forward, sizes))
        ]
        base = _acting(impulse, np.zeros((3 * count, 1)), friction, slips)
        if all((one == base).all() for one in numbers):
            return
        pairs = [self._pair(taken, int(c)) for c in which]
        for pair in dict.fromkeys(pairs):
            own = [k for k, one in enumerate(pairs) if one == pair]
            below, at, above = (x[own].sum(axis=0) for x in (numbers[0], base, numbers[1]))
            name = f"contact {pair}"
            for k in np.flatnonzero((below != at) | (above != at)).tolist():
                yield Change(names[k], name, *(in_words(name, x) for x in (below[k], at[0], above[k])))

    def _numbers(self, taken: Taken) -> Iterator[Number]:
        """Give all other numbers that keep their sign: a name, value, derivatives on both sides, words."""
        parts, nv, count = taken.parts, taken.nv, taken.contacts
        yield from self._forces(taken)
        for k in range(count):
            c = int(parts["contact"][k])
            gap = float(parts["contact_gap"][c] + parts["gap_allowance"][c])
            by, pair = parts["gap_by"][k], self._pair(taken, c)
            has_sides = taken.erp < 1.0 or parts["contact_bounce"][c] > 0.0  # else gaps close as they open
            if has_sides and abs(gap) > TOUCHES:  # nearer it has a slope on each side, and `kinks` says so
                words = ("overlaps", "open") if gap > 0.0 else ("open", "overlaps")
                yield f"gap of contact {pair}", gap, by, by, words
            if taken.is_shifted:
                is_watched = parts["is_watched"][nv + 3 * k + 2] == 1
                error = taken.dt * float(parts["shift_error"][c, 2])
                yield from _correction(
                    taken, f"contact {pair}", nv + 3 * k + 2, error if is_watched else 0.0,
                    float(parts["shift_push"][k, 2]), 1.0,
                )  # fmt: skip
        for m in range(taken.scalars):
            n = int(parts["scalar"][m])
            what = self._scalar(taken, n)
            impulse, row = float(parts["scalar_impulse"][n]), 2 * nv + 3 * count + m
            for bound, sign in ((parts["scalar_lower"][n], 1.0), (parts["scalar_upper"][n], -1.0)):
                if np.isfinite(bound):
                    yield (
                        what, sign * (impulse - float(bound)), sign * taken.grown[row],
                        sign * taken.fallen[row], _words(what, impulse),
                    )  # fmt: skip
            side = float(parts["scalar_side"][m])
            if taken.is_shifted and side != 0.0 and parts["scalar_is_held"][m] == 0:
                at = nv + 3 * count + m
                error = taken.dt * float(parts["shift_scalar_error"][n])
                yield from _correction(
                    taken, what, at, error if parts["is_watched"][at] == 1 else 0.0,
                    float(parts["shift_push"][count + m, 0]), side,
                )  # fmt: skip

    def _forces(self, taken: Taken) -> Iterator[Number]:
        """Give constant forces of drives, as far as they are within their limits."""
        for room, sign in zip(taken.room, (-1.0, 1.0), strict=True):
            for dof in np.flatnonzero(np.isfinite(room) & (room > 0.0)).tolist():
                by = np.zeros(taken.grown.shape[1])
                by[2 * taken.nv + dof] = sign
                words = ("at an effort limit", "within its limits")
                yield f"drive {self._dofs[dof]}", float(room[dof]), by, by, words

    def _pair(self, taken: Taken, c: int) -> str:
        """Return the names of the two that touch."""
        a, b = (self._owner_of_shape[int(shape)] for shape in taken.parts["contact_shape"][c])
        return f"{a}–{b}"

    def _scalar(self, taken: Taken, n: int) -> str:
        """Return what a scalar row is."""
        slot, body = int(taken.parts["scalar_slot"][n]), int(taken.parts["scalar_body"][n, 0])
        first = self._model["coupling_slot"][0]
        if ((slot >= first) & (slot < first + COUPLING_SLOTS)).any():
            return f"coupling of {self._bodies[body]}"
        place = slot - int(self._model["joint_slot"][0, body])
        dof = int(self._model["joint_v"][0, body])
        if place == Slot.LIMIT:
            return f"stop {self._dofs[dof]}"
        return f"dry friction {self._dofs[dof + place - Slot.FRICTION]}"


def _correction(
    taken: Taken, what: str, row: int, error: float, push: float, side: float
) -> Iterator[Number]:
    """Give what a row pushes in the correction of positions, or, if it does not, what it would close."""
    value = side * (push if push != 0.0 else error)
    if value != 0.0:
        grown, fallen = (side * taken.parts[name][row] for name in ("shift_by", "shift_fallen"))
        words = ("rests", "pushes") if value > 0.0 else ("pushes", "rests")
        yield f"correction of {what}", value, grown, fallen, words


def _words(what: str, impulse: float) -> Words:
    """Return how a stop, dry friction or a coupling acts beyond its border, and here."""
    kind = what.partition(" ")[0]
    if kind == "coupling":
        return "acts otherwise", "acts"
    return in_words(what, 0), in_words(what, int(np.sign(impulse)) if kind == "stop" else 1)


def _acting(impulse: np.ndarray, change: np.ndarray, friction: np.ndarray, slips: np.ndarray) -> np.ndarray:
    """Return what each contact does (contacts, inputs), as numbers of an active set."""
    x, y, z = np.moveaxis(impulse[:, :, None] + change.reshape(*impulse.shape, -1), 1, 0)
    presses = z > 0.0
    bound = friction[:, None] * z
    slides = presses & (slips[:, None] | (x * x + y * y > bound * bound))
    return np.asarray(POINTS * presses + SLIPPING * slides)
