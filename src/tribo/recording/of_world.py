"""The part of a world that is recorded: `World.record`, and the stops at which frames are taken."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tribo.checks.errors import EditError
from tribo.model import Status
from tribo.objects.world_view import WorldView
from tribo.sensors.world_sensors import WorldSensors

if TYPE_CHECKING:
    from tribo.recording.recorder import Recorder


class WorldRecording:
    """Recording of a world while it steps."""

    def __init__(self, world: WorldView, sensors: WorldSensors) -> None:
        """Start without a recording; sensors measure while steps stop for frames."""
        self._world, self._sensors = world, sensors
        self._recorder: Recorder | None = None

    def record(
        self,
        path: str | Path,
        every: float | None = None,
        *,
        chunk: int | None = None,
        overwrite: bool = False,
    ) -> Recorder:
        """Record this world from now on, for `with`; `tribo.Recording` reads it.

        The present state is the first frame. A frame holds time, coordinates, velocities, poses, commands,
        applied forces, energies, momenta, contacts with their forces, status and residual: those of the last
        step, not of the steps between two frames. A killed process leaves a readable file up to the last
        chunk that was written; see `Recorder`.

        Args:
            path: Of the recording, a folder that is made; `.zarr` is its usual ending.
            every: World time between frames [s]; None: a frame after each step.
            chunk: Frames that are written at a time; None: 256, fewer of very large worlds.
            overwrite: Whether an older recording of this name is removed.

        Raises:
            EditError: The world is recorded already, or is between `update` and `advance`.
            FileExistsError: There is something at `path`.
            ImportError: Zarr is missing; the message names the extra.
            OSError: The file cannot be written.
            ValueError: `every` or `chunk` is not positive.

        Example:
            >>> import tempfile, pathlib, tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 1), name="ball")
            >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.zarr"
            >>> with world.record(path, every=0.01):
            ...     world.step(100)
            >>> recording = tribo.Recording(path)
            >>> recording.frames, float(recording["body_position"][-1, 0, 2].round(4))
            (11, 0.9509)
        """
        if self._recorder is not None and self._recorder.is_open:
            raise EditError(f"this world is recorded already, to {self._recorder.path}; close that first")
        from tribo.recording.recorder import Recorder

        self._recorder = Recorder(self._world, path, every, chunk, overwrite)
        self._world.is_measured = True
        return self._recorder

    @property
    def is_open(self) -> bool:
        """Tell whether the world is recorded."""
        return self._recorder is not None and self._recorder.is_open

    def take_over(self, cables: tuple[str, ...]) -> None:
        """Note that cables have other segments than they had; with what the names of theirs begin."""
        if self._recorder is not None and self._recorder.is_open:
            self._recorder.take_over(cables)

    def run(self, n: int) -> int:
        """Make n steps, stopping for sensors and frames that are due; return the status of all of them."""
        recorder, sensors = self._recorder, self._sensors
        if recorder is None or not recorder.is_open:
            if recorder is not None or not sensors.has_any:
                self._recorder, self._world.is_measured = None, sensors.has_any
            if n == 1 and not sensors.timed:  # by far the most frequent call
                return sensors.step()
            return sensors.run(n, self.measure_due)
        recorder.check_same()
        said = 0
        while n > 0:
            count = min(n, recorder.steps_to_next())
            said |= self._sensors.run(count, self.measure_due, self._timed_step)
            if said & Status.INVALID:
                return said
            n -= count
        return said

    def _timed_step(self) -> bool:
        """Make the step before a frame in its two halves, by the clock; its bits are those of any other."""
        engine, recorder = self._world.engine, self._recorder
        start = perf_counter()
        engine.update()
        middle = perf_counter()
        engine.advance()
        if recorder is not None:
            recorder.stage_time = middle - start, perf_counter() - middle
        return bool(engine.status[0, 0])

    def measure_due(self) -> None:
        """Let sensors measure, and frames be taken, whose time it is."""
        self._sensors.measure_due()
        if self._recorder is not None and self._recorder.is_open:
            self._recorder.note_if_due()
