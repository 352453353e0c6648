"""`Recording`: what was recorded, by name, object and time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tribo.recording import fields
from tribo.recording.checked_store import RecordingError
from tribo.recording.export import export
from tribo.recording.plots import draw
from tribo.recording.recorded_frames import RecordedFrames

__all__ = ["Recording", "RecordingError"]


class Recording(RecordedFrames):
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

    def plot(self, *kinds: str, part: str | None = None, path: str | Path | None = None) -> Any:
        """Draw over time, one below the other, and return the Matplotlib figure.

        Args:
            kinds: "heights", "energy", "linear_momentum", "angular_momentum", "normal_forces",
                "friction_forces", "friction_use", "joint_positions", "joint_velocities", "joint_forces",
                "residual", "sweeps", "stage_times"; none: heights, energy, normal forces and residual.
            part: Name of the object that is shown; None: all, of joints the robot with the most.
            path: File to write besides; its ending is the format.

        Raises:
            ImportError: Matplotlib is missing; the message names the extra.
            KeyError: There is no such kind or object.
            OSError: The file cannot be written.
            TypeError: A file among the kinds; it goes to `path`.
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

    def plot_stage_times(self, path: str | Path | None = None) -> Any:
        """Draw how long the two halves of the step before each frame took [ms]; as `plot` does."""
        return draw(self, ("stage_times",), None, path)

    def export(
        self, path: str | Path, arrays: Sequence[str] | None = None, *, contacts: bool = False
    ) -> None:
        """Write the recording as a table (.csv, .parquet), arrays (.npz) or USD; the ending says which.

        A table has one row per frame and a column for every number, "q/dog/LF_HFE [rad]". With `contacts` it
        has one row per contact: frame, time, the names of both bodies, and the numbers. An .npz file holds
        the arrays themselves, with units and names of columns. A USD file (.usd, .usda, .usdc, .usdz) has the
        poses of all bodies over time and their shapes, for programs that draw.

        Args:
            path: File to write.
            arrays: Names of those to keep; None: all that fit the table. The time is always there.
            contacts: Of a table: the contacts instead of the frames.

        Raises:
            ImportError: Parquet needs pyarrow, USD needs usd-core; the message names the extra.
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
