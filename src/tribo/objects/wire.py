"""Wires, rods and springs between two points."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.enums import CONSTRAINT_SLOTS, Tuning
from tribo.model import Constraint as Kind
from tribo.objects.breaking import Number, Readout
from tribo.objects.constraint import RESISTS, STRETCH, Constraint
from tribo.objects.end import End


def check_rubs(wire: Any) -> None:
    """Refuse friction of a wire, of a world or in all worlds of a batch, that has nothing to rub on."""
    what, places = f"friction of {wire._name}", len(wire._over)
    if not 1 <= places < CONSTRAINT_SLOTS:
        raise ValueError(
            f"{what} needs 1 to {CONSTRAINT_SLOTS - 1} places over which it runs (over=[…]), it has {places}"
        )
    if wire._stretch == 0:
        raise ValueError(f"{what}: the tension of a custom wire is given, all along; leave it out")


class Wire(Constraint):
    """A wire, rod or spring between two points, as `World.add_wire` and `World.add_rod` make it.

    Stiff without a `stiffness`, compliant with one, custom if its tension is given.
    """

    _called = "wire"
    _kind = Kind.LENGTH

    def _own_numbers(self) -> dict[str, Any]:
        made = {"length": self.length} | self._rubbing()
        if self._stretch == 0:
            return made | {"tension": float(self._tuning[Tuning.FORCE])}
        return made | ({"stiffness": self.stiffness, "damping": self.damping}
                       if self.wire_type == "compliant" else {})  # fmt: skip

    def _path(self, first_body: dict[int, int]) -> list[tuple[int, np.ndarray]]:
        return [
            (-1 if end.part is None else first_body[end.part.id] + end.body, end.point) for end in self.way
        ]

    def _sides(self) -> tuple[End, End]:
        """Return places on the two bodies whose motion counts.

        Raises:
            ValueError: It runs over more than two bodies that move.
        """
        if not self._over:
            return self._ends
        moving: dict[tuple[int, int], End] = {}
        for end in self.way:
            if end.part is not None and not end.is_still:
                moving[end.part.id, end.body] = end
        if len(moving) > 2:
            names = ", ".join(end.label for end in moving.values())
            raise ValueError(
                f"{self._name} runs over {len(moving)} bodies that move ({names}); a wire without mass "
                "takes two: use a cable (add_cable), or two wires that end at a body between them"
            )
        found = [*moving.values(), *(end for end in self.way if end.part is None or end.is_still)]
        return found[0], found[1]

    def run_over(self, places: tuple[End, ...]) -> None:
        """Let it run over places between its ends, from the next build on.

        Raises:
            ValueError: More than two of all bodies on its way move.
        """
        self._over = places
        self._sides()

    def _rubbing(self) -> dict[str, Any]:
        """Return its friction, if it has any."""
        return {"friction": self.friction} if self.friction > 0.0 else {}

    friction = Number(
        Tuning.FRICTION,
        "Coefficient over each place where it runs [–]; assignable.   T₂ ≤ T₁ e^{μβ}, β its turn there",
        0.0,
    )

    def _check_number(self, name: str, value: float) -> None:
        if name == "friction" and value != 0.0:
            check_rubs(self)

    @Readout[np.ndarray]
    def tensions(self) -> np.ndarray:
        """Mean tension in the last step [N] of each part of its way, (places + 1,); alike without friction.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 1))
            >>> wire = world.add_wire(ball, None, second_point=(1, 0, 1), over=[(0, 0, 2), (1, 0, 2)])
            >>> world.step(100)
            >>> wire.tensions.round(3).tolist()
            [19.62, 19.62, 19.62]
        """
        parts, mean, numbers = len(self.way) - 1, self._mean(), self._tuning
        given = numbers[..., Tuning.FORCE] * numbers[..., Tuning.IS_ON]
        pulled = given if self._stretch == 0 else mean[..., 0]
        if parts == 1:
            return np.asarray(pulled[..., None])
        made = np.repeat(pulled[..., None], parts, axis=-1)
        rubs = numbers[..., Tuning.FRICTION] > 0.0
        for j in range(1, parts if rubs.any() else 1):  # with friction it runs over few places
            half = np.where(rubs, 0.5 * mean[..., j], 0.0)[..., None]
            made += np.where(np.arange(parts) >= j, half, -half)
        return made

    length = Number(Tuning.LENGTH, "Length at rest [m]; assign to reel it in or out.", is_positive=True)

    @Readout[float]
    def distance(self) -> np.ndarray:
        """Distance of the two points now [m], over all places where it runs."""
        points = np.stack([end.pose()[0] for end in self.way], axis=-2)
        return np.asarray(np.linalg.norm(np.diff(points, axis=-2), axis=-1).sum(axis=-1))

    @Readout[float]
    def stretch(self) -> float:
        """How much longer than at rest it is [m]; < 0: slack, or pressed together."""
        return self.distance - self.length

    @property
    def resists(self) -> str:
        """Direction of its resistance: "stretch", "compression" or "both"; "nothing": its tension is given.

        Assign to change it, unless its tension is given; in effect from the next step on.
        """
        return RESISTS[self._stretch]

    @resists.setter
    def resists(self, value: str) -> None:
        what = f"resists of {self._name}"
        self._check("resists")
        if self._stretch == 0:
            raise ValueError(f"{what} is nothing, since its tension is given; add a wire without tension=…")
        self._resisted[0] = STRETCH[check.choice(value, ["stretch", "compression", "both"], what)]

    @property
    def wire_type(self) -> str:
        """How it works: "stiff", "compliant" or "custom"."""
        if self._stretch == 0:
            return "custom"
        return "stiff" if self._tuning[Tuning.STIFFNESS] == inf else "compliant"

    stiffness = Number(
        Tuning.STIFFNESS,
        "Of a compliant wire [N/m]; inf: stiff. Assign to change it, inf to make it stiff (again).",
        0.0,
        is_endless=True,
    )
    damping = Number(Tuning.DAMPING, "Of a compliant wire [N s/m].", 0.0)

    @property
    def tension(self) -> float:
        """Mean tension in the last step [N] at its first end, < 0: pressure; of a custom wire assign it."""
        return float(self.tensions[0])

    @tension.setter
    def tension(self, value: float) -> None:
        if self._stretch != 0:
            raise ValueError(
                f"the tension of {self._name} follows from its length; only a custom wire "
                "(add_wire with tension=…) takes one"
            )
        self._check("tension")
        self._tuning[Tuning.FORCE] = check.number(value, f"tension of {self._name}")

    @Readout[np.ndarray]
    def direction(self) -> np.ndarray:
        """Unit vector from its first point to where it runs next, (3,), world; zero if these coincide."""
        return _ahead(self)

    @Readout[np.ndarray]
    def force(self) -> np.ndarray:
        """Force on the first body, (3,) [N], world: along the wire, towards where it runs next."""
        return np.asarray(_ahead(self) * self.tensions[..., :1])

    @Readout[np.ndarray]
    def torque(self) -> np.ndarray:
        """Zero: a wire has no torque besides that of its force, (3,) [N m]."""
        return np.zeros_like(self._ends[0].pose()[0])

    def loads(self, way: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return point (3,) [m], force (3,) [N], torque (3,) [N m] of each place; `way` as in `Constraint`.

        A place is pulled along the parts of the wire on both of its sides.
        """
        points = [point for point, _ in way]
        d = np.diff(np.stack(points, axis=-2), axis=-2)
        along = _along(d)
        along[~d.any(axis=(-2, -1)), :, 2] = 1.0  # a rod of length 0 pushes its ends apart
        forces = np.diff(along * self.tensions[..., None], axis=-2, prepend=0.0, append=0.0)
        return [(point, forces[..., k, :], np.zeros_like(point)) for k, point in enumerate(points)]

    @Readout[np.ndarray]
    def gap(self) -> np.ndarray:
        """How far it is from its length, (3,) [m], along the wire, from the first point to the second."""
        (first, _), (second, _) = self._poses()
        d = second - first
        size = np.maximum(np.linalg.norm(d, axis=-1), 1e-300)
        return np.asarray(d * np.asarray(self.stretch / size)[..., None])

    @property
    def potential_energy(self) -> float:
        """Energy of a compliant wire's stretch [J]; 0 where it does not resist."""
        stretch = self.stretch
        works = self._stretch & (1 if stretch > 0.0 else 2)
        if self.wire_type != "compliant" or not works:
            return 0.0
        return float(0.5 * self.stiffness * stretch * stretch)


def _ahead(wire: Wire) -> np.ndarray:
    """Return `Wire.direction`, also of a wire in all worlds of a batch, (worlds, 3)."""
    first, second = (end.pose()[0] for end in wire.way[:2])
    return _along(second - first)


def _along(d: np.ndarray) -> np.ndarray:
    """Return vectors (…, 3) of unit length; zero of those that are zero."""
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    return np.asarray(np.divide(d, length, out=np.zeros_like(d), where=length > 0.0))
