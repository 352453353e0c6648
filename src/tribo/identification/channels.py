"""Which numbers of a simulated world a trajectory measures, and how far the two are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.identification.state_layout import StateLayout, rotation_vector
from tribo.identification.trajectory import Trajectory

AXES = "xyz"
OUTLIERS = 1.4826  # median of absolute deviations → standard deviation of a normal distribution
MIN_NOISE = 1e-9  # of the span of a column: what rounding and integration leave


@dataclass(frozen=True)
class Channel:
    """A column of a trajectory, or the four of an orientation."""

    label: str
    unit: str
    sources: tuple[tuple[str, int], ...]  # kind of number and its place, one or, of an orientation, four
    measured: np.ndarray  # (n,) or (n, 4)

    @property
    def width(self) -> int:
        """Numbers of a row's residual: 1, of an orientation 3."""
        return 3 if len(self.sources) == 4 else 1

    @property
    def is_there(self) -> np.ndarray:
        """Which rows were measured, (n,) of bool."""
        rows = self.measured.reshape(len(self.measured), -1)
        return np.asarray(np.isfinite(rows).all(axis=1))

    def misfit(self, simulated: np.ndarray) -> np.ndarray:
        """Return simulated (…, n, 1 or 4) minus measured, (…, n, width)."""
        if self.width == 1:
            return np.asarray(simulated - self.measured[:, None])
        length = np.linalg.norm(simulated, axis=-1, keepdims=True)
        unit = simulated / np.where(length > 0.0, length, 1.0)
        own = np.broadcast_to(self.measured, unit.shape)
        return rotation_vector(unit, own)

    def noise(self) -> float:
        """Return an estimate of the standard deviation of the measuring error, from third differences.

        They leave nothing of a smooth motion; impacts are outliers, which the median does not see. A third
        difference of independent errors has the variance (1 + 9 + 9 + 1) σ².
        """
        rows = self.measured[self.is_there]
        if self.width == 3:
            rows = rotation_vector(rows[1:], rows[:-1])
            differences, size = np.diff(rows, n=2, axis=0), np.sqrt(20.0)
            span = np.pi
        else:
            differences, size = np.diff(rows, n=3), np.sqrt(20.0)
            span = float(np.ptp(rows)) if len(rows) else 1.0
        found = OUTLIERS * float(np.median(np.abs(differences))) / size if differences.size else 0.0
        return max(found, MIN_NOISE * span, 1e-12)


def channels_of(trajectory: Trajectory, layout: StateLayout) -> list[Channel]:
    """Return the channels of a trajectory in a world.

    Raises:
        KeyError: The world has no such coordinate, dof or body; the message proposes the nearest name.
        ValueError: A unit is another one than that of the coordinate, or an orientation has less than
            four columns.
    """
    made = []
    for column, values in trajectory.measured.items():
        array, _, rest = column.partition("/")
        stem, _, last = rest.rpartition("/")
        if array == "q" and last in ("qx", "qy", "qz") and rest in layout.coordinates:
            if f"q/{stem}/qw" not in trajectory.measured:
                raise ValueError(f"{column} of {trajectory.name}: an orientation needs q/{stem}/qw, too")
            continue
        if array == "q" and last == "qw" and rest in layout.coordinates:
            made.append(_rotation(trajectory, layout, stem))
            continue
        unit, source = _source(array, rest, layout, f"{column} of {trajectory.name}")
        given = trajectory.unit(column)
        if given and given != unit:
            raise ValueError(f"{column} of {trajectory.name} is in {unit}, but was given in {given}")
        made.append(Channel(column, unit, (source,), values))
    return made


def _rotation(trajectory: Trajectory, layout: StateLayout, stem: str) -> Channel:
    names = [f"q/{stem}/q{axis}" for axis in ("w", *AXES)]
    for name in names:
        if name not in trajectory.measured:
            raise ValueError(f"{trajectory.name}: the orientation of {stem} needs {name}, too")
    first = layout.coordinates[f"{stem}/qw"]
    rows = np.stack([trajectory.measured[name] for name in names], axis=1)
    length = np.linalg.norm(rows, axis=1)
    bad = np.flatnonzero(np.abs(length - 1.0) > 0.1)
    if bad.size:
        raise ValueError(
            f"{trajectory.name}: the quaternion of {stem} in row {bad[0]} must be of unit length, "
            f"got {length[bad[0]]:.6g}"
        )
    sources = tuple(("q", first + k) for k in range(4))
    return Channel(f"q/{stem}/rotation", "rad", sources, rows / length[:, None])


def _source(array: str, rest: str, layout: StateLayout, what: str) -> tuple[str, tuple[str, int]]:
    """Return unit and place of a number."""
    if array == "q":
        at = layout.coordinates[check.known(rest, layout.coordinates, f"coordinate ({what})")]
        return layout.coordinate_units[at], ("q", at)
    if array == "v":
        at = layout.dofs[check.known(rest, layout.dofs, f"dof ({what})")]
        return layout.dof_units[at], ("v", at)
    link, _, axis = rest.rpartition("/")
    check.known(axis, AXES, f"axis ({what})")
    row = layout.bodies[check.known(link, layout.bodies, f"body ({what})")]
    unit = "m" if array == "body_position" else "N"
    return unit, (array, 3 * row + AXES.index(axis))


class Reader:
    """Reads numbers of the worlds of a batch, those that some channel needs.

    Args:
        sources: Kind and place of each.
        layout: Of the world.
    """

    def __init__(self, sources: list[tuple[str, int]], layout: StateLayout) -> None:
        self._layout = layout
        self.place = {source: k for k, source in enumerate(dict.fromkeys(sources))}
        self._of = {
            kind: [(k, at) for (own, at), k in self.place.items() if own == kind]
            for kind in ("q", "v", "body_position", "net_contact_force")
        }

    @property
    def needs_steps(self) -> bool:
        """Whether something besides coordinates and velocities is read."""
        return bool(self._of["body_position"] or self._of["net_contact_force"])

    def pick(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the numbers, (…, k), of coordinates (…, nq) and velocities (…, nv), where they are all."""
        made = np.empty((*q.shape[:-1], len(self.place)))
        for values, kind in ((q, "q"), (v, "v")):
            for k, at in self._of[kind]:
                made[..., k] = values[..., at]
        return made

    def read(self, batch: Batch, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the numbers, (worlds, k); coordinates and velocities of the batch are given."""
        made = self.pick(q, v)
        for kind in ("body_position", "net_contact_force"):
            for k, at in self._of[kind]:
                row, axis = divmod(at, 3)
                name, first = self._owner(row)
                if kind == "body_position":
                    made[:, k] = batch.poses_of(name)[0][:, row - first, axis]
                else:
                    force = batch[name].net_contact_force  # (worlds, 3) of a single body
                    made[:, k] = force.reshape(len(force), -1, 3)[:, row - first, axis]
        return made

    def _owner(self, row: int) -> tuple[str, int]:
        """Return name and first body of the object to which a body belongs."""
        return next(
            (name, first) for name, (first, stop) in self._layout.body_range.items() if first <= row < stop
        )
