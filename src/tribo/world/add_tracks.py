"""The part of a world that lays tracks: belts of pads round wheels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import of_matrices as quaternions
from tribo.description.belts import links
from tribo.engine.builder import ALL_GROUPS
from tribo.objects.track import Track, TrackWheel
from tribo.objects.world_view import WorldView
from tribo.world.add_cables import WorldCables
from tribo.world.add_constraints import WorldConstraints, frame_about
from tribo.world.add_objects import WorldObjects

FEWEST, MOST = 3, 1000  # pads of a track
IN_PLANE = 1e-3  # [–] of the largest distance of two wheels, by which one may be beside the others


class WorldTracks:
    """Laying tracks."""

    def __init__(self, world: WorldView, adding: WorldObjects, ties: WorldConstraints,
                 cables: WorldCables) -> None:  # fmt: skip
        self._world, self._adding, self._ties, self._cables = world, adding, ties, cables

    def add_track(self, wheels: Sequence[TrackWheel], *, axis: Any = (0, 1, 0), pads: int, width: float,
                  thickness: float, pad_mass: float | None = None, density: float | None = None,
                  material: str = "default", pad_length: float = 0.9, compliance: float = 1e-7,
                  angular_compliance: float = 1e-6, spook_damping: float = 0.01,
                  name: str = "") -> Track:  # fmt: skip
        """Lay a track: boxes, hinged to a closed belt that runs, taut, round wheels as they stand.

        The belt is the hull of the wheels; those inside it are left out. Its pads touch everything but each
        other; what drives it is the friction of its wheels (docs/howto/wires).

        Args:
            wheels: Two or more, in one plane, in any order.
            axis: (3,) of the wheels, world. Pads follow one another as a turn about it leads.
            pads: How many; their pitch follows from it.
            width: Of a pad, along the axis [m].
            thickness: Of a pad [m]: it lies on its wheels.
            pad_mass, density: Of each [kg], or of what it is made of [kg/m³]: one of both.
            material: Of the pads. Rigid contacts of a belt hold it more than once: give its pairs a contact
                material.
            pad_length: Of a pad, in parts of the pitch, 0…1.
            compliance, angular_compliance, spook_damping: Of the hinges [m/N], [rad/(N m)], [s]; a closed
                chain of hinges that do not give way holds itself more than once, too.
            name: Empty: "track_0" and so on.

        Raises:
            ValueError, TypeError: A value is wrong; the world stays as it was.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> sideways = (0.5**0.5, 0.5**0.5, 0, 0)
            >>> wheels = [
            ...     world.add_cylinder(0.15, 0.4, 5.0, position=(x, 0, 1), orientation=sideways)
            ...     for x in (-0.3, 0.3)
            ... ]
            >>> track = world.add_track(
            ...     [tribo.TrackWheel(wheel, 0.15) for wheel in wheels],
            ...     pads=24, width=0.4, thickness=0.03, pad_mass=0.3,
            ... )
            >>> len(track.pads), round(track.pitch, 3)
            (24, 0.094)
        """
        self._world.check_editable("the list of objects")
        frame = frame_about(axis)
        centres, radii = self._wheels(wheels, frame)
        count = check.integer(pads, "pads", FEWEST)
        if count > MOST:
            raise ValueError(f"pads must be at most {MOST}, got {count}")
        size = check.positive(width, "width"), check.positive(thickness, "thickness")
        share = check.number(pad_length, "pad_length", minimum=0.0, maximum=1.0, exclusive=True)
        numbers = {
            "compliance": compliance, "angular_compliance": angular_compliance,
            "spook_damping": spook_damping, "angular_spook_damping": spook_damping, "collide": False,
        }  # fmt: skip
        joints, pitch = links(centres[:, :2], radii, count, size[1])
        height = float(centres[:, 2].mean())
        points = np.column_stack([joints, np.full(count, height)]) @ frame.T
        title = self._cables.free_name(name, "track")
        bit = self._cables.free_group()
        laid: list[Any] = []
        try:
            for k, (start, stop) in enumerate(itertools.pairwise([*points, points[0]])):
                along = (stop - start) / pitch
                turn = np.column_stack([along, frame[:, 2], np.cross(along, frame[:, 2])])
                laid.append(self._adding.add_box(
                    (share * pitch, size[0], size[1]), pad_mass, material, density=density,
                    position=0.5 * (start + stop), orientation=quaternions(turn[None])[0],
                    name=f"{title}/{k}", collision_group=bit, collision_mask=ALL_GROUPS & ~bit,
                ))  # fmt: skip
            hinges = []
            for k, point in enumerate(points):
                hinge = self._ties.add_hinge(
                    laid[k - 1], laid[k], point, frame[:, 2], name=f"{title}/hinge_{k}"
                )
                for number, value in numbers.items():
                    setattr(hinge, number, value)
                hinge.is_marked = False
                hinges.append(hinge)
        except Exception:
            for pad in laid:
                self._world.remove(pad)
            raise
        return Track(self._world, title, pitch, laid, hinges)

    def _wheels(self, wheels: Any, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return centres (n, 3) [m] of wheels, in axes whose third is theirs, and their radii (n,) [m]."""
        made = check.listed(wheels, "wheels", "TrackWheel")
        for wheel in made:
            check.instance(wheel, TrackWheel, "wheels must be TrackWheel")
        if len(made) < 2:
            raise ValueError(f"a track needs two wheels or more, got {len(made)}")
        places = [
            self._cables.place(wheel.body, wheel.point, f"body of wheels[{k}]")[0]
            for k, wheel in enumerate(made)
        ]
        centres = np.array(places) @ frame
        beside = np.ptp(centres[:, 2])
        if beside > IN_PLANE * np.ptp(centres[:, :2], axis=0).max():
            raise ValueError(
                f"the wheels of a track must lie in one plane across its axis, these are {beside:.3g} m "
                "apart along it; shift them by the point of their TrackWheel"
            )
        return centres, np.array([wheel.radius for wheel in made])
