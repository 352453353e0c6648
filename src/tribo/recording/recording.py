"""`Recording`: what was recorded, by name, object and time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.recording import fields
from tribo.recording.checked_store import CheckedStore, RecordingError
from tribo.recording.export import export
from tribo.recording.plots import draw

__all__ = ["Recording", "RecordingError"]


class Recording:
    """A recording, opened to be read; also one that is still being written, or whose writer was killed.

    It is untrusted input: sizes and lengths are checked before memory is taken, nothing in it is executed,
    and no file outside of its folder is opened. Arrays are read when they are first asked for.

    Args:
        path: That was given to `World.record`.

    Raises:
        FileNotFoundError: There is nothing at `path`.
        RecordingError: It is no recording of tribo, or a damaged one.

    Example:
        >>> import tempfile, pathlib, tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground(name="ground")
        >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1), name="ball")
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "rest.zarr"
        >>> with world.record(path):
        ...     world.step(5)
        >>> recording = Recording(path)
        >>> recording
        <Recording of 6 frames, t = 0 … 0.005 s: 2 objects, 6 dofs, complete>
        >>> recording.of("ball", "q").shape, recording.unit("q")
        ((6, 7), 'm, rad, –')
        >>> recording.net_contact_force("ball")[-1].round(6).tolist()
        [0.0, 0.0, 19.62]
    """

    def __init__(self, path: str | Path) -> None:
        """Open a recording and check what describes it."""
        self._store = CheckedStore(fields.folder(path))
        self._first, self._stop = 0, self._store.frames
        self._kept: dict[str, np.ndarray] = {}

    def __repr__(self) -> str:
        """Return frames, times, and what moves."""
        times = self.time
        span = f", t = {times[0]:.6g} … {times[-1]:.6g} s" if len(times) else ""
        end = "complete" if self.is_complete else "not closed"
        return (
            f"<Recording of {self.frames} frames{span}: {len(self.objects)} objects, "
            f"{self._store.sizes['nv']} dofs, {end}>"
        )

    def __len__(self) -> int:
        return self.frames

    # -- what there is -------------------------------------------------------------------------
    @property
    def path(self) -> Path:
        """Folder of the recording."""
        return self._store.path

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self._stop - self._first

    @property
    def is_complete(self) -> bool:
        """Whether the recording was closed; otherwise it is being written, or its writer was killed."""
        return self._store.is_complete

    @property
    def model(self) -> dict[str, Any]:
        """What the numbers belong to, as plain data: objects, bodies, coordinates, shapes, time step."""
        return self._store.model

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all arrays."""
        return tuple(fields.BY_NAME)

    @property
    def objects(self) -> tuple[str, ...]:
        """Names of all objects."""
        return tuple(item["name"] for item in self.model["objects"])

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies, "OBJECT/LINK", in the order of `body_position`."""
        return tuple(item["name"] for item in self.model["bodies"])

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the columns of `q`: "OBJECT/JOINT", of a floating base "OBJECT/x" … "OBJECT/qz"."""
        return tuple(item["name"] for item in self.model["coordinates"])

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of the columns of `v`: "OBJECT/JOINT", of a floating base "OBJECT/vx" … "OBJECT/wz"."""
        return tuple(item["name"] for item in self.model["dofs"])

    def unit(self, name: str) -> str:
        """Return the unit of an array; `column_units` has those of its columns.

        Raises:
            KeyError: There is no such array; the message proposes the nearest name.
        """
        return self._field(name).unit

    def text(self, name: str) -> str:
        """Return what an array holds, one phrase.

        Raises:
            KeyError: There is no such array.
        """
        return self._field(name).text

    def columns(self, name: str) -> list[tuple[str, str]]:
        """Return name and unit of each number in a row of an array, in order.

        Raises:
            KeyError: There is no such array.
        """
        field = self._field(name)
        if field.axes == ("nq",):
            return [(item["name"], item["unit"]) for item in self.model["coordinates"]]
        if field.axes == ("nv",):
            per = {"rad/s": _ANGULAR, "m/s": _LINEAR}
            return [
                (item["name"], per.get(item["unit"], {}).get(name, item["unit"]))
                for item in self.model["dofs"]
            ]
        if name in {"body_position", "body_orientation"}:
            parts = ("x", "y", "z") if name == "body_position" else ("w", "x", "y", "z")
            return [(f"{body}/{part}", field.unit) for body in self.bodies for part in parts]
        if name == "residual":
            return [(part, field.unit) for part in ("primal", "dual", "complementarity")]
        if field.axes == ():
            return [(name, field.unit)]
        return [(part, field.unit) for part in ("A", "B") if field.axes == (2,)] or [
            (part, field.unit) for part in ("x", "y", "z")
        ]

    # -- numbers -------------------------------------------------------------------------------
    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array by name, read-only: (frames, …), of contacts (contacts, …).

        Raises:
            KeyError: There is no such array; the message proposes the nearest name.
            MemoryError: It is too large to be read at once: take `between`.
            RecordingError: It is damaged.
        """
        field = self._field(name)
        if name not in self._kept:
            if field.per == "contact":
                first, stop = self._contact_rows()
                found = self._store.read(field, first, stop)
            else:
                found = self._store.read(field, self._first, self._stop)
            if name == "contact_end":
                found = self._checked_ends(found) - self._contact_rows()[0]
            if name == "contact_body" and found.size:
                low, high = int(found.min()), int(found.max())
                if low < 0 or high >= self._store.sizes["nbody"]:
                    raise self._store.damaged(
                        "contact_body", f"names body {low if low < 0 else high}"
                    )
            self._kept[name] = frozen(found)
        return self._kept[name]

    def _field(self, name: str) -> fields.Field:
        return fields.BY_NAME[check.known(name, fields.BY_NAME, "array of the recording")]

    def _contact_rows(self) -> tuple[int, int]:
        """Return first and past-the-last row of the contacts of all frames here."""
        if self.frames == 0:
            return 0, 0
        ends = fields.BY_NAME["contact_end"]
        before = max(0, self._first - 1)
        found = self._checked_ends(self._store.read(ends, before, self._stop))
        return (int(found[0]) if self._first else 0), int(found[-1])

    def _checked_ends(self, ends: np.ndarray) -> np.ndarray:
        if len(ends) and (
            ends[0] < 0 or ends[-1] > self._store.contacts or (np.diff(ends) < 0).any()
        ):
            raise self._store.damaged(
                "contact_end", "does not grow from 0 to the number of contacts"
            )
        return ends

    @property
    def time(self) -> np.ndarray:
        """World time of each frame, (frames,) [s]."""
        return self["time"]

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy of all dynamic objects, (frames,) [J]."""
        return frozen(self["kinetic_energy"] + self["potential_energy"])

    def of(self, part: str, name: str) -> np.ndarray:
        """Return what an array of coordinates, dofs or bodies says of one object.

        Args:
            part: Name of the object.
            name: Of an array whose rows are over coordinates, dofs or bodies: "q", "v", "body_position" …

        Returns:
            (frames, …) with the numbers of this object alone; unit as in `unit`.

        Raises:
            KeyError: There is no such object or array.
            ValueError: The array is not one of objects.
        """
        field = self._field(name)
        check.known(part, self.objects, "object of the recording")
        item = self.model["objects"][self.objects.index(part)]
        spans = {"nq": "q", "nv": "v", "nbody": "bodies"}
        if not field.axes or field.axes[0] not in spans:
            raise ValueError(f"{name} is an array of the whole world: recording[{name!r}]")
        first, stop = item[spans[str(field.axes[0])]]
        return self[name][:, first:stop]

    def between(self, start: float | None = None, stop: float | None = None) -> Recording:
        """Return the part of the recording from `start` to `stop` [s], both included; None: to its end.

        Raises:
            ValueError: The clock was set back while it was recorded, so that times are not in order.
        """
        low = -np.inf if start is None else check.number(start, "start")
        high = np.inf if stop is None else check.number(stop, "stop")
        times = self.time
        self.check_in_order()
        first = np.searchsorted(times, low - ROUNDING, "left")
        last = np.searchsorted(times, high + ROUNDING, "right")
        return self.part(int(first), int(last))

    @property
    def restarts(self) -> tuple[int, ...]:
        """Numbers of the frames before which the clock was set back, by a reset for example."""
        return tuple(int(k) + 1 for k in np.flatnonzero(np.diff(self.time) < 0.0))

    def check_in_order(self) -> None:
        """Refuse a recording whose clock was set back in between.

        Raises:
            ValueError: It was; the message says at which frame, and how to take the frames after it.
        """
        if self.restarts:
            last = self.restarts[-1]
            raise ValueError(
                f"{self.path}: its clock was set back before frame {', '.join(map(str, self.restarts[:9]))}; "
                f"take frames between, the last ones by recording.part({last}, {self.frames})"
            )

    def part(self, first: int, stop: int) -> Recording:
        """Return the frames from `first` up to `stop`, without it; numbers outside are moved to the ends.

        Raises:
            TypeError: They are no whole numbers.
        """
        made: Recording = object.__new__(type(self))
        made._store, made._kept = self._store, {}
        low = min(check.integer(first, "first", 0), self.frames)
        made._first = self._first + low
        made._stop = self._first + max(low, min(check.integer(stop, "stop", 0), self.frames))
        return made

    def contacts(self, frame: int) -> dict[str, np.ndarray]:
        """Return the contacts of a frame: one row each in "body", "position", "normal", "depth", "force" …

        Args:
            frame: Its number; negative numbers count from the end.

        Raises:
            IndexError: There is no such frame.
        """
        ends = self["contact_end"]
        if not -len(ends) <= frame < len(ends):
            raise IndexError(f"frame {frame} of {len(ends)}")
        frame %= len(ends)
        rows = slice(int(ends[frame - 1]) if frame else 0, int(ends[frame]))
        return {
            f.name.removeprefix("contact_"): self[f.name][rows]
            for f in fields.FIELDS if f.per == "contact"
        }  # fmt: skip

    @property
    def contact_frame(self) -> np.ndarray:
        """Number of the frame to which each contact belongs, (contacts,) [–]."""
        return frozen(np.repeat(np.arange(self.frames), np.diff(self["contact_end"], prepend=0)))

    # -- pictures ------------------------------------------------------------------------------
    def plot(self, *kinds: str, part: str | None = None, path: str | Path | None = None) -> Any:
        """Draw over time, one below the other, and return the Matplotlib figure.

        Args:
            kinds: "heights", "energy", "linear_momentum", "angular_momentum", "normal_forces",
                "friction_forces", "friction_use", "joint_positions", "joint_velocities", "joint_forces",
                "residual", "sweeps"; none: heights, energy, normal forces and residual.
            part: Name of the object that is shown; None: all, of joints the robot with the most.
            path: File to write besides; its ending is the format.

        Raises:
            ImportError: Matplotlib is missing; the message names the extra.
            KeyError: There is no such kind or object.
            OSError: The file cannot be written.
            ValueError: There are no frames, or no joints.

        Example:
            >>> import tempfile, pathlib, tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 1), name="ball")
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> with world.record(folder / "run.zarr"):
            ...     world.step(50)
            >>> figure = Recording(folder / "run.zarr").plot("energy")
            >>> [line.get_label() for line in figure.axes[0].lines]
            ['kinetic', 'potential', 'sum']
        """
        return draw(self, kinds, part, path)

    def plot_energy(self, path: str | Path | None = None) -> Any:
        """Draw kinetic and potential energy and their sum [J]; as `plot` does."""
        return draw(self, ("energy",), None, path)

    def plot_momentum(self, path: str | Path | None = None) -> Any:
        """Draw linear [kg m/s] and angular [kg m²/s] momentum; as `plot` does."""
        return draw(self, ("linear_momentum", "angular_momentum"), None, path)

    def plot_contact_forces(self, part: str | None = None, path: str | Path | None = None) -> Any:
        """Draw normal and friction forces [N] of an object or of all, and how much friction is in use [–]."""
        return draw(self, ("normal_forces", "friction_forces", "friction_use"), part, path)

    def plot_joints(self, part: str | None = None, path: str | Path | None = None) -> Any:
        """Draw joint positions, velocities and applied forces of a robot, None: the one with most joints."""
        return draw(self, ("joint_positions", "joint_velocities", "joint_forces"), part, path)

    def plot_residual(self, path: str | Path | None = None) -> Any:
        """Draw the residual of the contact solve [–], where its status was not well, and its sweeps."""
        return draw(self, ("residual", "sweeps"), None, path)

    def export(
        self, path: str | Path, arrays: Sequence[str] | None = None, *, contacts: bool = False
    ) -> None:
        """Write the recording as a table (.csv, .parquet) or as arrays (.npz); the ending says which.

        A table has one row per frame and a column for every number, "q/dog/LF_HFE [rad]". With `contacts` it
        has one row per contact: frame, time, the names of both bodies, and the numbers. An .npz file holds
        the arrays themselves, with units and names of columns.

        Args:
            path: File to write.
            arrays: Names of those to keep; None: all that fit the table. The time is always there.
            contacts: Of a table: the contacts instead of the frames.

        Raises:
            ImportError: Parquet needs pyarrow; the message names the extra.
            KeyError: There is no such array.
            OSError: The file cannot be written.
            ValueError: The ending is unknown, or an array is not one of the table.

        Example:
            >>> import tempfile, pathlib, tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 1), name="ball")
            >>> folder = pathlib.Path(tempfile.mkdtemp())
            >>> with world.record(folder / "run.zarr"):
            ...     world.step(1)
            >>> Recording(folder / "run.zarr").export(folder / "run.csv", ["kinetic_energy"])
            >>> print((folder / "run.csv").read_text().splitlines()[:2])
            ['time [s],kinetic_energy [J]', '0.0,0.0']
        """
        export(self, fields.folder(path), arrays, contacts)

    def net_contact_force(self, part: str) -> np.ndarray:
        """Return the sum of all contact forces on an object, (frames, 3) [N], world axes.

        Contacts of an object with itself cancel. Forces are means over the last step before each frame.

        Raises:
            KeyError: There is no such object.
        """
        check.known(part, self.objects, "object of the recording")
        first, stop = self.model["objects"][self.objects.index(part)]["bodies"]
        is_own = (self["contact_body"] >= first) & (self["contact_body"] < stop)
        sign = is_own[:, 0].astype(float) - is_own[:, 1]
        total = np.zeros((self.frames, 3))
        np.add.at(total, self.contact_frame, sign[:, None] * self["contact_force"])
        return frozen(total)


ROUNDING = 1e-9  # [s] by which sums of time steps may miss a time that is asked for
_LINEAR = {"kp": "N/m", "kd": "N s/m", "feedforward": "N", "applied_force": "N"}
_ANGULAR = {"kp": "N m/rad", "kd": "N m s/rad", "feedforward": "N m", "applied_force": "N m"}
