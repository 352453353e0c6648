"""`Trajectory`: what was measured of a motion, by name, with times, units, noise and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation as facing
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.identification import trajectory_files
from tribo.identification.state_layout import product
from tribo.identification.trajectory_files import INPUTS, MEASURED, Heading, heading, parted
from tribo.recording import Recording
from tribo.recording.fields import folder

STARTS = ("measured", "known", "all")


class Trajectory(Sealed):
    """A measured motion: numbers over time, in world axes and SI units, and the commands that were given.

    Columns are called as `Recording.export` calls them: "q/ball/z" is a coordinate, "q/arm/elbow" a joint,
    "v/ball/vx" a velocity, "body_position/arm/hand/x" the origin of a link, "net_contact_force/ball/ball/z"
    the sum of the contact forces on a link, world axes. An orientation is the four columns "q/box/qw" …
    "q/box/qz". A unit in brackets is converted: "q/ball/z [mm]".

    Args:
        time: Times of the rows, (n,) [s], increasing; the simulation begins at the first.
        measured: Columns by name, each (n,); NaN where nothing was measured.
        noise: Standard deviation of the measuring error by column, in the unit of the column, of an
            orientation "q/box/rotation" [rad]; or one number for all; None: it is found from the numbers.
        inputs: Commands by name, each (n,), held from their row to the next: "feedforward/arm/elbow" [N m],
            "target_q/arm/elbow" [rad], "target_v/arm/elbow" [rad/s].
        start: "measured": state at the first row of the dofs that are measured is found with the
            parameters, that of the others is the world's; "known": the state of the world is the start;
            "all": that of all dofs is found.
        gravity: In this experiment, (3,) [m/s²], world axes; None: the world's.
        name: For messages and plots.

    Raises:
        TypeError, ValueError: A column is unknown or has a wrong shape, times do not increase, a noise
            is not > 0.

    Example:
        >>> film = Trajectory([0.0, 0.01, 0.02], {"q/ball/z [mm]": [500, 499, 498]}, noise=0.5)
        >>> film.measured["q/ball/z"].tolist(), film.noise["q/ball/z"]
        ([0.5, 0.499, 0.498], 0.0005)
    """

    def __init__(
        self, time: Any, measured: Mapping[str, Any], *, noise: Any = None,
        inputs: Mapping[str, Any] | None = None, start: str = "measured", gravity: Any = None,
        name: str = "recording",
    ) -> None:  # fmt: skip
        self._name = check.name(name, "name of the recording")
        what = f"time of {self._name}"
        self._time = check.array(time, what, "numbers (n,) [s]")
        if self._time.ndim != 1 or len(self._time) < 2:
            raise ValueError(f"{what} must have shape (n,) with n ≥ 2, got {self._time.shape}")
        if not (np.isfinite(self._time).all() and (np.diff(self._time) > 0.0).all()):
            bad = int(np.flatnonzero(~(np.diff(self._time) > 0.0))[0]) + 1
            raise ValueError(f"{what} must increase; row {bad} is {self._time[bad]!r} s")
        given = check.mapping(measured, f"columns of {self._name}", "names to numbers")
        self._headings: dict[str, Heading] = {}
        self._measured = {
            head.name: numbers for head, numbers in (self._column(*item, MEASURED) for item in given.items())
        }
        if not self._measured:
            raise ValueError(f"{self._name} has no columns: nothing was measured")
        commands = {} if inputs is None else check.mapping(inputs, "inputs", "names to numbers")
        self._inputs = {
            head.name: numbers for head, numbers in (self._column(*item, INPUTS) for item in commands.items())
        }
        self._noise = self._checked_noise(noise)
        self._start = check.choice(start, STARTS, f"start of {self._name}")
        self._gravity = None if gravity is None else check.vector(gravity, "gravity", 3)

    def __repr__(self) -> str:
        """Return name, rows, times and columns."""
        return (
            f"<Trajectory {self._name!r}: {len(self._time)} rows, t = {self._time[0]:g} … "
            f"{self._time[-1]:g} s, {len(self._measured)} measured columns, {len(self._inputs)} inputs>"
        )

    def __len__(self) -> int:
        return len(self._time)

    def _column(self, label: Any, values: Any, kinds: Mapping[str, str]) -> tuple[Heading, np.ndarray]:
        """Return heading and numbers of a column, in SI units; of what is measured, NaN is allowed."""
        head = heading(check.name(label, f"column of {self._name}"))
        parted(head.name, kinds, self._name)
        self._headings[head.name] = head
        what = f"{head.name} of {self._name}"
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "fiu" or numbers.shape != self._time.shape:
            raise ValueError(
                f"{what} must be numbers of shape ({len(self._time)},), one for each time, got "
                f"{check.shown(values)}"
            )
        made = numbers.astype(float) * head.factor
        bad = np.isinf(made) if kinds is MEASURED else ~np.isfinite(made)
        if bad.any():
            raise ValueError(f"{what}: row {int(np.flatnonzero(bad)[0])} is no finite number")
        return head, made

    def _checked_noise(self, noise: Any) -> dict[str, float]:
        """Return standard deviations by channel, those that were given."""
        if noise is None:
            return {}
        names = [c for c in self._measured if c.rpartition("/")[2] not in ("qx", "qy", "qz")]
        names = [f"{c[:-2]}rotation" if c.endswith("/qw") else c for c in names]
        if not isinstance(noise, Mapping):
            noise = dict.fromkeys(names, noise)
        made = {}
        for label, value in noise.items():
            head = heading(check.name(label, "noise"))
            column = check.known(head.name, names, f"column of {self._name} with a noise")
            own = head if head.unit else self._headings.get(column, head)
            made[column] = own.factor * check.positive(value, f"noise of {column} of {self._name}")
        return made

    # -- read ----------------------------------------------------------------------------------
    @classmethod
    def read(
        cls, path: Any, columns: Mapping[str, str] | Sequence[str] | None = None, *,
        time: str = "time [s]", **options: Any,
    ) -> Self:  # fmt: skip
        r"""Read a table (.csv, .parquet), arrays (.npz) or a recording of tribo.

        Args:
            path: Of the file, or the folder of the recording.
            columns: {heading in the file: name of the column}, the heading with its unit, "height [mm]"; or
                headings that are names already; None: all headings that are names of coordinates or commands,
                as `Recording.export` writes them.
            time: Heading of the times, with their unit.
            options: noise, start, gravity, name as `Trajectory` has them.

        Raises:
            FileNotFoundError: There is no such file.
            ImportError: Parquet needs pyarrow; the message names the extra.
            KeyError: There is no such heading; the message proposes the nearest.
            TypeError, ValueError: The file is no table of numbers, too large, or what it says is no
                trajectory.

        Example:
            >>> import tempfile, pathlib
            >>> path = pathlib.Path(tempfile.mkdtemp()) / "film.csv"
            >>> _ = path.write_text("t [ms],height [cm]\n0,50\n10,49.9\n20,49.8\n")
            >>> Trajectory.read(path, {"height [cm]": "q/ball/z"}, time="t [ms]")
            <Trajectory 'film': 3 rows, t = 0 … 0.02 s, 1 measured columns, 0 inputs>
        """
        file = folder(path)
        table = trajectory_files.read(file)
        clock = heading(check.known(time, table, f"heading of {file.name}"))
        named = trajectory_files.chosen(table, columns, file.name)
        times = table[time] * clock.factor
        split: dict[str, dict[str, np.ndarray]] = {"inputs": {}, "measured": {}}
        for label, values in named.items():
            is_input = label.partition("/")[0] in INPUTS
            split["inputs" if is_input else "measured"][label] = values
        options.setdefault("name", file.stem)
        return cls(times, split["measured"], inputs=split["inputs"], **options)

    @classmethod
    def of(cls, recording: Recording, *arrays: str, **options: Any) -> Self:
        """Return what a recording of tribo has of coordinates and commands.

        Args:
            recording: The recording.
            arrays: Measured quantities: "q", "v", "body_position"; none: "q".
            options: noise, start, gravity, name as `Trajectory` has them.

        Raises:
            KeyError: There is no such array.
            ValueError: The clock was set back in between, or there are less than two frames.
        """
        recording.check_in_order()
        measured: dict[str, np.ndarray] = {}
        for array in arrays or ("q",):
            measured |= trajectory_files.columns_of(
                recording, check.known(array, MEASURED, "array that can count as measured")
            )
        inputs: dict[str, np.ndarray] = {}
        for array in INPUTS:
            inputs |= trajectory_files.columns_of(recording, array)
        inputs = {k: v for k, v in inputs.items() if not k.endswith(("/qw", "/qx", "/qy", "/qz"))}
        options.setdefault("name", recording.path.stem)
        return cls(recording.time, measured, inputs=inputs, **options)

    # -- numbers -------------------------------------------------------------------------------
    @property
    def name(self) -> str:
        """Name for messages and plots."""
        return self._name

    @property
    def time(self) -> np.ndarray:
        """Times of the rows, (n,) [s]."""
        return frozen(self._time)

    @property
    def measured(self) -> dict[str, np.ndarray]:
        """Measured columns by name, each (n,), SI units, world axes."""
        return {name: frozen(values) for name, values in self._measured.items()}

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        """Commands by name, each (n,), SI units."""
        return {name: frozen(values) for name, values in self._inputs.items()}

    def unit(self, column: str) -> str:
        """Return the unit of SI of a column that was given with a unit; "": it was given without.

        Raises:
            KeyError: There is no such column.
        """
        return self._headings[check.known(column, self._headings, "column")].unit

    @property
    def noise(self) -> dict[str, float]:
        """Standard deviations that were given, by column, SI units."""
        return dict(self._noise)

    @property
    def start(self) -> str:
        """How the state at the first row is known: "measured", "known" or "all"."""
        return self._start

    @property
    def gravity(self) -> np.ndarray | None:
        """Gravity of this experiment, (3,) [m/s²], world axes; None: the world's."""
        return None if self._gravity is None else frozen(self._gravity)

    def in_world(self, position: Any = (0, 0, 0), orientation: Any = (1, 0, 0, 0)) -> Trajectory:
        """Return the trajectory in world axes, if it was measured in the axes of a camera or a table.

        Args:
            position: Origin of these axes, (3,) [m], world.
            orientation: Turns vectors from these axes into the world's: a quaternion (w, x, y, z), a
                rotation matrix or SciPy's `Rotation`.

        Raises:
            TypeError, ValueError: It is no such pose, or axes that turn have less than all three columns of a
                vector, or four of a quaternion.

        Example:
            >>> film = Trajectory([0, 1], {f"q/ball/{a}": [0.0, 1.0] for a in "xyz"}, noise=0.1)
            >>> film.in_world((0, 0, 2)).measured["q/ball/z"].tolist()
            [2.0, 3.0]
        """
        origin = check.vector(position, "position", 3)
        turn = facing(orientation, "orientation")
        made = dict(self._measured)
        for first in [name for name in made if name.endswith(("/x", "/y", "/z", "/vx", "/wx"))]:
            _place_vector(made, self._measured, first, origin, turn, self._name)
        for name in [name for name in made if name.endswith("/qw")]:
            names = [f"{name[:-1]}{axis}" for axis in "wxyz"]
            turned = product(turn, np.stack([self._measured[n] for n in names], axis=-1))
            made |= dict(zip(names, turned.T, strict=True))
        return Trajectory(
            self._time, made, noise=self._noise or None, inputs=self._inputs or None,
            start=self._start, gravity=self._gravity, name=self._name,
        )  # fmt: skip


def _place_vector(
    made: dict[str, np.ndarray], given: Mapping[str, np.ndarray], name: str, origin: np.ndarray,
    turn: np.ndarray, owner: str,
) -> None:  # fmt: skip
    """Write the three columns of a vector, of which one is named, in world axes."""
    axis, stem = name[-1], name[:-1]
    names = [f"{stem}{a}" for a in "xyz"]
    is_place = stem.endswith("/") and name.partition("/")[0] in ("q", "body_position")
    shift = origin if is_place else np.zeros(3)
    if np.allclose(turn, (1.0, 0.0, 0.0, 0.0)):
        made[name] = given[name] + shift["xyz".index(axis)]
        return
    if not all(n in given for n in names):
        raise ValueError(f"{owner}: axes that turn need all of {', '.join(names)}; it has not all of them")
    rows = np.stack([given[n] for n in names], axis=-1)
    vector = np.concatenate([np.zeros((len(rows), 1)), rows], axis=-1)
    back = turn * np.array([1.0, -1.0, -1.0, -1.0])
    turned = product(product(turn, vector), back)[:, 1:] + shift
    made |= dict(zip(names, turned.T, strict=True))
