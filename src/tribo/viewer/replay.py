"""A recording as something to look at: poses and contact forces of a recording in the scene of its world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.description.extents import rotation_matrices
from tribo.model import Shape
from tribo.recording.fields import describe as describe_model
from tribo.viewer.raster import Camera
from tribo.viewer.scene import NOWHERE, Drawable, Forces, Group, Scene, describe, material_color
from tribo.viewer.take import ARROW, Take
from tribo.viewer.views import camera_of_box

if TYPE_CHECKING:
    from tribo.recording import Recording
    from tribo.world.world import World

SIZES = {"sphere": 1, "box": 3, "capsule": 2, "cylinder": 2, "ellipsoid": 3}  # numbers of each
LARGEST = 1e6  # [m]


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """The bodies of all stretches of a recording, each once: first those of the first stretch."""

    names: tuple[str, ...]
    stands: np.ndarray  # (bodies,) of bool: of a static object
    rows: tuple[np.ndarray, ...]  # per stretch, of its bodies in `names`
    late: tuple[Drawable, ...]  # what is to be seen of those that came later

    @classmethod
    def of(cls, recording: Recording) -> Cast:
        """Return the bodies of a recording.

        Raises:
            ValueError: It describes a body that came later as nothing that can be drawn.
        """
        place: dict[str, int] = {}
        still: set[int] = set()
        rows, late = [], []
        for number, stretch in enumerate(recording.stretches):
            known = len(place)
            of_bodies = np.array([place.setdefault(n, len(place)) for n in stretch.bodies], int)
            rows.append(of_bodies)
            for item in stretch.model["objects"]:
                if item.get("kind") == "static":
                    still.update(of_bodies[slice(*item["bodies"])].tolist())
            if number:
                late += _looks(stretch, of_bodies, known)
        stands = np.array([k in still for k in range(len(place))], bool)
        return cls(tuple(place), stands, tuple(rows), tuple(late))

    def poses(self, recording: Recording, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions [m] and quaternions of all bodies, (frames, bodies, 3 and 4).

        A body that is absent in a frame is far below everything.
        """
        position = np.tile(np.array(NOWHERE), (len(frames), len(self.names), 1))
        turns = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(frames), len(self.names), 1))
        before = 0
        for stretch, rows in zip(recording.stretches, self.rows, strict=True):
            at = np.flatnonzero((frames >= before) & (frames < before + stretch.frames))
            if len(at):
                own = frames[at] - before
                position[np.ix_(at, rows)] = stretch["body_position"][own]
                turns[np.ix_(at, rows)] = stretch["body_orientation"][own]
            before += stretch.frames
        return position, turns

    def dressed(self, scene: Scene) -> Scene:
        """Return a scene of the bodies of the first stretch with those that came later."""
        if not self.late:
            return scene
        return replace(scene, visual=Group([*scene.visual.items, *self.late]))


def _looks(stretch: Recording, rows: np.ndarray, known: int) -> list[Drawable]:
    """Return what is to be seen of bodies whose rows are `known` and more."""
    made = []
    try:
        for item in stretch.model["shapes"]:
            body = int(rows[item["body"]])
            if body >= known:
                made.append(_drawable(item, body))
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"{stretch.path}: damaged recording: a shape cannot be drawn ({check.shown(str(error))})"
        ) from None
    return made


def _drawable(item: dict[str, Any], body: int) -> Drawable:
    """Return a shape that a recording describes.

    Raises:
        LookupError, TypeError, ValueError: It is none, or one that needs more than a few numbers.
    """
    kind, name, material = str(item["kind"]), str(item["name"]), str(item["material"])
    if kind not in SIZES:
        raise ValueError(f"{kind} is no shape of a few numbers")
    size, position, rotation = (np.array(item[key], float) for key in ("size", "position", "rotation"))
    if size.shape != (SIZES[kind],) or position.shape != (3,) or rotation.shape != (9,):
        raise ValueError(f"{kind} {name} has other numbers than it needs")
    numbers = np.concatenate([size, position, rotation])
    if not (np.abs(numbers) <= LARGEST).all() or not (size > 0.0).all():
        raise ValueError(f"{kind} {name} has numbers that are not finite, or are out of range")
    return Drawable(
        name, name.rsplit("/", 2)[0], body, Shape[kind.upper()], tuple(size.tolist()), position,
        rotation.reshape(3, 3), material_color(material),
    )  # fmt: skip


LASTING = 0.985  # part of all contact forces that are drawn no longer than `ARROW`
LONGEST = 3.0  # times `ARROW`: arrows of impacts are cut there
MAX_POSES = 1 << 24  # frames times bodies: 1.5 GiB
FAR = 1e6  # [m] beyond it nothing is drawn


@dataclass(frozen=True, slots=True, eq=False)
class Replay(Take):
    """Frames of a recording: `point` and `force` are those of all contacts, one frame after another."""

    rows: np.ndarray  # (n, 2) first and past-the-last contact of each frame
    moving: np.ndarray  # bodies that a camera should see

    def forces(self, k: int) -> Forces:
        """Return the contact forces of a frame; those of impacts are cut to three times the usual length."""
        first, stop = self.rows[k]
        force = self.force[first:stop]
        drawn = np.linalg.norm(force, axis=1, keepdims=True) * self.arrow
        return Forces(
            self.point[first:stop], force * np.minimum(1.0, LONGEST * ARROW / np.maximum(drawn, 1e-300))
        )

    def camera(self, direction: Sequence[float] = (0.5, -1.0, 0.35)) -> Camera:
        """Return a camera that sees the whole motion from a direction."""
        places = self.position[:, self.moving]
        there = places[places[..., 2] > 0.5 * NOWHERE[2]]
        return camera_of_box(there.min(axis=0), there.max(axis=0), direction)


def replay(recording: Recording, world: World, rate: float = 60.0) -> Replay:
    """Return the frames of a recording, to be played by `Player` or saved as a film.

    Args:
        recording: The recording; `between` gives a part of it.
        world: Made as the recorded one was: it says what the bodies look like. It stays as it is. Segments
            that cables got later are drawn as the recording describes them.
        rate: Frames per second of world time; each shows the recorded frame that is nearest.

    Raises:
        ValueError: The world has other objects or bodies than the recording; there are no frames; times are
            not in order; poses are not finite; it is too long to be shown at once.

    Example:
        >>> import tempfile, pathlib, tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 1), name="ball")
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.zarr"
        >>> with world.record(path):
        ...     world.step(100)
        >>> take = replay(tribo.Recording(path), world, rate=50)
        >>> len(take.time), float(take.position[-1, 0, 2].round(4))
        (6, 0.9509)
    """
    _check_same(recording.stretches[0], world)
    cast = Cast.of(recording)
    time = recording.time
    if not len(time):
        raise ValueError(f"{recording.path}: there are no frames to show")
    if not np.isfinite(time).all():
        raise ValueError(f"{recording.path}: has times that are not finite")
    recording.check_in_order()
    intervals = max(1.0, np.round((time[-1] - time[0]) * check.positive(rate, "rate")))
    if intervals * max(1, len(cast.names)) > MAX_POSES:
        raise ValueError(
            f"{recording.path}: {time[-1] - time[0]:g} s at {rate:g} frames per second are more than are "
            "shown at once; take a part of it (between), or a lower rate"
        )
    wanted = np.linspace(time[0], time[-1], int(intervals) + 1)
    after = np.clip(np.searchsorted(time, wanted), 1, max(1, len(time) - 1))
    is_before = wanted - time[after - 1] <= time[after % len(time)] - wanted
    chosen = np.where(is_before, after - 1, after % len(time))
    position, turns = cast.poses(recording, chosen)
    norm = np.linalg.norm(turns, axis=-1, keepdims=True)
    if not (np.abs(position) < FAR).all() or not (np.abs(norm - 1.0) < 1e-6).all():
        raise ValueError(f"{recording.path}: has poses that are not finite, or are far away")
    ends = recording["contact_end"]
    starts = np.concatenate([[0], ends[:-1]])
    force = np.concatenate([_away_from_static(one) for one in recording.stretches])
    usual = float(np.quantile(np.linalg.norm(force, axis=1), LASTING)) if len(force) else 0.0
    moving = np.flatnonzero(~cast.stands)
    return Replay(
        scene=cast.dressed(describe(world)), time=wanted, position=position,
        rotation=rotation_matrices(turns / norm), point=recording["contact_position"], force=force,
        arrow=ARROW / usual if usual > 0.0 else 0.0,
        scale=1.0, rows=np.stack([starts, ends], axis=1)[chosen],
        energy=np.stack([recording["kinetic_energy"], recording["potential_energy"]], axis=1)[chosen],
        moving=moving if len(moving) else np.arange(position.shape[1]),
    )  # fmt: skip


def _check_same(recording: Recording, world: World) -> None:
    """Refuse a world whose bodies are not those of the recording."""
    model = describe_model(world)
    for what in ("objects", "bodies"):
        here = [item["name"] for item in model[what]]
        there = [item["name"] for item in recording.model[what]]
        if here != there:
            raise ValueError(
                f"the scene is not the recorded one: its {what} are {check.shown(here)}, "
                f"those of {recording.path} {check.shown(there)}"
            )


def _away_from_static(recording: Recording) -> np.ndarray:
    """Return the contact forces, (contacts, 3) [N], on what moves if one of the two stands."""
    stands = np.zeros(len(recording.bodies), bool)
    for item in recording.model["objects"]:
        stands[slice(*item["bodies"])] = item.get("kind") == "static"
    body, force = recording["contact_body"], recording["contact_force"]
    flipped = stands[body[:, 0]] & ~stands[body[:, 1]]
    return np.asarray(np.where(flipped[:, None], -force, force))
