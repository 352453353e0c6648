"""What a run leaves behind: state, heights, energies and residuals over time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tribo.checks.files import plain
from tribo.readout.contacts_and_energies import tree_energies

if TYPE_CHECKING:
    from tribo.world.world import World

MAX_NUMBERS = 1 << 25  # 256 MiB of floats: a longer recording keeps every second, fourth … frame
FORMAT = 1


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A finished recording; the first axis of every array is time."""

    time: np.ndarray  # (n,) [s]
    q: np.ndarray  # (n, nq) generalized coordinates of all objects, one after another
    v: np.ndarray  # (n, nv)
    position: np.ndarray  # (n, objects, 3) [m] of the root bodies
    energy: np.ndarray  # (n, 2) [J] kinetic, potential
    residual: np.ndarray  # (n,) [–] largest of the contact solve
    contacts: np.ndarray  # (n,) number of points that touched
    names: np.ndarray  # (objects,) text


class Recorder:
    """Collects frames of a world.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
        >>> recorder = Recorder(world)
        >>> for _ in range(3):
        ...     world.step(10)
        ...     recorder.note()
        >>> recorder.series().position[:, 0, 2].round(4).tolist()
        [1.0, 0.9995, 0.998, 0.9956]
    """

    def __init__(self, world: World) -> None:
        """Note the present state as the first frame; objects must not change from here on."""
        self._world = world
        self._names = tuple(part.name for part in world.objects)
        self._frames: list[tuple[np.ndarray, ...]] = []
        self._stride = 1
        self._asked = 0
        self.note()

    def note(self) -> None:
        """Take a frame.

        Raises:
            ValueError: Objects were added or removed since the recording began.
        """
        world = self._world
        if tuple(part.name for part in world.objects) != self._names:
            raise ValueError("objects were added or removed: begin a new recording")
        self._asked += 1
        if (self._asked - 1) % self._stride:
            return
        engine = world.engine
        energies = tree_energies(engine)[:, :2].sum(axis=0)
        roots = [part.span.body.start for part in world.objects if part.span is not None]
        position = engine.observe().body_pos[roots].copy()
        frame = (
            np.array(world.time), engine.state.q.copy(), engine.state.v.copy(), position, energies,
            np.array(world.residual.max()), np.array(int(engine.work.contact_count[0])),
        )  # fmt: skip
        self._frames.append(frame)
        if len(self._frames) * sum(a.size for a in frame) > MAX_NUMBERS and len(self._frames) > 2:
            self._frames = self._frames[::2]
            self._stride *= 2

    def series(self) -> Series:
        """Return what was recorded."""
        time, q, v, position, energy, residual, contacts = (
            np.stack(column) for column in zip(*self._frames, strict=True)
        )
        names = np.array(self._names, dtype=np.str_)
        return Series(time, q, v, position, energy, residual, contacts, names)


def save(series: Series, path: str | Path) -> None:
    """Write a recording as ``.npz``: one array per field of `Series`, no pickled objects.

    Raises:
        OSError: The file cannot be written.
    """
    arrays = {name: getattr(series, name) for name in Series.__slots__}
    with Path(path).open("wb") as stream:
        np.savez_compressed(stream, format=np.array(FORMAT), **arrays)


def load(path: str | Path) -> Series:
    """Read a recording; nothing in the file is executed.

    Raises:
        ValueError: The file is not a recording.
    """
    try:
        plain(Path(path))
        with np.load(Path(path), allow_pickle=False) as file:
            if int(file["format"]) != FORMAT:
                raise ValueError(f"format {int(file['format'])} is not {FORMAT}")
            series = Series(**{name: file[name] for name in Series.__slots__})
    except FileNotFoundError:
        raise
    except Exception as error:  # a broken archive raises whatever its reader stumbles over
        raise ValueError(f"{path}: not a recording of tribo ({error})") from None
    frames = len(series.time)
    if any(len(getattr(series, name)) != frames for name in Series.__slots__ if name != "names"):
        raise ValueError(f"{path}: not a recording of tribo (arrays of different lengths)")
    return series
