"""All bodies of a recording, those too that came or went in between: where they are, what they look like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.model import Shape
from tribo.viewer.scene import NOWHERE, Drawable, Scene, group_of, material_color

if TYPE_CHECKING:
    from tribo.recording import Recording

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
        return replace(scene, visual=group_of([*scene.visual.items, *self.late]))


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
    size, position, rotation = (
        np.array(item[key], float) for key in ("size", "position", "rotation")
    )
    if size.shape != (SIZES[kind],) or position.shape != (3,) or rotation.shape != (9,):
        raise ValueError(f"{kind} {name} has other numbers than it needs")
    numbers = np.concatenate([size, position, rotation])
    if not (np.abs(numbers) <= LARGEST).all() or not (size > 0.0).all():
        raise ValueError(f"{kind} {name} has numbers that are not finite, or are out of range")
    return Drawable(
        name, name.rsplit("/", 2)[0], body, Shape[kind.upper()], tuple(size.tolist()), position,
        rotation.reshape(3, 3), material_color(material),
    )  # fmt: skip
