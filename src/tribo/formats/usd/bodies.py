"""Bodies of USD: what moves, with its mass, shapes and materials; what stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tribo.checks.check import LARGEST
from tribo.description.trees import LinkDescription, ShapeDescription, VisualDescription
from tribo.formats import surface_friction
from tribo.formats.assembly import moved
from tribo.formats.inertia import Inertial, check_inertia, merged
from tribo.formats.pose import Pose, matrix, normalized
from tribo.formats.usd.shapes import Solid, read_solid, split
from tribo.formats.usd.stage import Prim, Stage
from tribo.formats.usd.worker import SHAPES
from tribo.materials.table import DEFAULT_MATERIAL, MAX_FRICTION

DENSITY = 1000.0  # [kg/m³] where nothing says another
LONE_MASS, LONE_RADIUS = (1.0, 0.1)  # [kg, m] of a body without mass and colliders: a ball, as PhysX takes
RIGID, COLLIDES, MATERIAL = "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMaterialAPI"
PHYSICAL = ("physics:dynamicFriction", "physics:staticFriction", "physics:restitution")


@dataclass(slots=True)
class Body:
    """A rigid body, or, without a prim, all that stands."""

    prim: Prim | None
    pose: Pose  # in the world, as drawn
    stretch: np.ndarray  # (3, 3) from its units to metres
    name: str = ""
    solids: list[tuple[Prim, Solid]] = field(default_factory=list)
    is_kinematic: bool = False
    inertial: Inertial = field(default_factory=Inertial)

    @property
    def shapes(self) -> list[ShapeDescription]:
        """Its collision shapes."""
        return [shape for _, solid in self.solids for shape in solid.shapes]

    @property
    def visuals(self) -> list[VisualDescription]:
        """Shapes that are drawn."""
        return [solid.visual for _, solid in self.solids if solid.visual is not None]

    def link(self, offset: Pose) -> LinkDescription:
        """Return it as a link whose joint has this frame's origin `offset` away."""
        own = self.inertial.moved(offset)
        made = LinkDescription(self.name, own.mass, own.com, own.inertia)
        made.shapes = [moved(shape, offset) for shape in self.shapes]
        made.visuals = [moved(visual, offset) for visual in self.visuals]
        return made


class BodyReader:
    """Reads the bodies of a stage."""

    def __init__(self, stage: Stage) -> None:
        """Find what moves."""
        self._stage = stage
        self.bodies: dict[str, Body] = {}
        self._names: set[str] = set()
        for prim in stage.prims.values():
            is_on = prim.is_set("physics:rigidBodyEnabled", default=True)
            if RIGID in prim.applied and prim.world is not None and is_on:
                pose, stretch = split(prim.world)
                self.bodies[prim.path] = Body(
                    prim, pose, stretch, self._unique(prim),
                    is_kinematic=prim.is_set("physics:kinematicEnabled", default=False),
                )  # fmt: skip
        self.ground = Body(None, Pose(), np.eye(3), "world")
        for prim in stage.prims.values():
            if prim.type in SHAPES and prim.world is not None:
                self._take(prim)
        for body in self.bodies.values():
            body.inertial = self._mass(body)

    def _unique(self, prim: Prim) -> str:
        """Return a name that no other body has: the prim's own, with those above it if need be."""
        parts = prim.path.strip("/").split("/")
        name, k = parts[-1], 1
        while name in self._names:
            k += 1
            name = "/".join(parts[-k:]) if k <= len(parts) else f"{name}'"
        self._names.add(name)
        return name

    def carrier(self, path: str) -> Body | None:
        """Return the body that a prim moves with, None if it stands."""
        return next((self.bodies[p] for p in _upwards(path) if p in self.bodies), None)

    def _take(self, prim: Prim) -> None:
        """Give a geometry to the body that it moves with, or to what stands."""
        assert prim.world is not None
        body = self.carrier(prim.path)
        owner = body or self.ground
        collider = self._collider(prim, body)
        collides = collider is not None and collider.is_set("physics:collisionEnabled", default=True)
        pose, stretch = split(prim.world)
        if body is not None:
            whole = np.linalg.inv(_matrix(body.pose)) @ prim.world
            pose, stretch = split(whole)
        material = self._material(prim) if collides else DEFAULT_MATERIAL
        if collider is not None and collider is not prim:
            prim.values.setdefault("physics:approximation", collider.values.get("physics:approximation", ""))
        name = f"{owner.name}/{sum(len(s.shapes) > 0 for _, s in owner.solids)}" if body else prim.name
        made = read_solid(
            self._stage, prim, pose, stretch, collides=collides,
            moves=body is not None and not body.is_kinematic, material=material, name=name,
        )  # fmt: skip
        if made.shapes or made.visual is not None:
            owner.solids.append((prim, made))

    def _collider(self, prim: Prim, body: Body | None) -> Prim | None:
        """Return the prim that makes a geometry collide: itself, or one above it within its body."""
        for path in _upwards(prim.path):
            found = self._stage.prims.get(path)
            if found is not None and COLLIDES in found.applied:
                return found
            if body is None or (body.prim is not None and path == body.prim.path):
                return None
        return None

    def _material(self, prim: Prim) -> str:
        """Return the name of the contact material of a collider."""
        found = self._stage.prims.get(prim.shape.get("material", ""))
        if found is None or not (MATERIAL in found.applied or found.values.keys() & set(PHYSICAL)):
            return DEFAULT_MATERIAL
        sliding, static, bounce = (max(found.number(name, 0.0), 0.0) for name in PHYSICAL)
        made = surface_friction.Surface(
            surface_friction.USD, min(sliding, MAX_FRICTION), restitution=min(bounce, 1.0),
            static=min(static, MAX_FRICTION) if static > sliding else 0.0,
        )  # fmt: skip
        return made.material

    # -- mass ------------------------------------------------------------------------------------
    def _mass(self, body: Body) -> Inertial:
        """Return mass, centre of mass and inertia of a body: what it says, else what its colliders make."""
        prim, stage = body.prim, self._stage
        assert prim is not None
        mass = self._own_mass(prim) * stage.kilograms
        density = self._density(prim)
        weights = self._weights(body, density)
        whole = merged([unit.weighing(own) for unit, own in weights if own > 0.0 and unit.mass > 0.0])
        lone = whole.mass <= 0.0
        if lone:
            mass = mass or LONE_MASS * stage.kilograms
            size = mass * 0.4 * LONE_RADIUS**2
            whole = Inertial(mass, inertia=np.eye(3) * size)
        if mass > 0.0:
            whole = whole.weighing(mass)
        if not whole.mass <= LARGEST:
            raise prim.error(f"its mass is {whole.mass:g} kg, must be at most {LARGEST:g}")
        given = prim.values.get("physics:centerOfMass")
        com = whole.com
        if given is not None and not np.isinf(np.array(given, float)).any():
            com = tuple((body.stretch @ prim.vector("physics:centerOfMass", 3, (0, 0, 0))).tolist())
        moments = prim.vector("physics:diagonalInertia", 3, (0.0, 0.0, 0.0))
        if moments.any():
            q = prim.vector("physics:principalAxes", 4, (0.0, 0.0, 0.0, 0.0))
            turn = matrix(normalized(tuple(q.tolist()))) if q.any() else np.eye(3)
            unit = stage.kilograms * stage.metres**2
            own = Inertial(whole.mass, com, turn @ np.diag(moments * unit) @ turn.T)
            check_inertia(prim, own, f"body {body.name!r}")
            return own
        if lone and prim.values.get("physics:mass", 0.0) > 0.0:
            prim.doubt(f"has a mass, no colliders and no inertia: that of a ball of {LONE_RADIUS} m is taken",
                       "lone")  # fmt: skip
        return Inertial(whole.mass, com, whole.inertia)

    def _weights(self, body: Body, density: float) -> Iterator[tuple[Inertial, float]]:
        """Iterate over the solids of a body and their masses."""
        for prim, solid in body.solids:
            if solid.unit is None or not solid.shapes:
                continue
            mass = self._own_mass(prim) * self._stage.kilograms
            material = self._stage.prims.get(prim.shape.get("material", ""))
            own = self._density(prim) or self._density(material) or density or DENSITY
            yield solid.unit, mass or own * solid.unit.mass

    def _own_mass(self, prim: Prim) -> float:
        """Return the mass that a prim gives, in the stage's unit; 0: none."""
        return max(prim.number("physics:mass", 0.0), 0.0)

    def _density(self, prim: Prim | None) -> float:
        """Return the density that a body, geometry or material gives [kg/m³]; 0: none."""
        given = 0.0 if prim is None else prim.number("physics:density", 0.0)
        unit = self._stage.kilograms / self._stage.metres**3
        return given * unit if 0.0 < given < math.inf else 0.0


def _upwards(path: str) -> Iterator[str]:
    """Iterate over a path and those above it."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _matrix(pose: Pose) -> np.ndarray:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = matrix(pose.quaternion), pose.position
    return made
