"""Convex shapes on terrain, and compounds, against the library coal: the second half of `against_coal`.

Terrain is met triangle by triangle by coal, and the nearest triangle counts. Poses are found by coming
nearer from outside along the normal. Where surfaces overlap, a set of triangles has no depth of its own, so
depths are judged where they have a meaning: balls, capsules and rods down to their core, anything on a flat
map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from coal_peer import ASK, peer, steepest, tight_request
from shapes import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    SPHERE,
    farthest,
    hull_of,
    rotation,
    separation,
)
from world_shapes import bumpy, triangles_of

import tribo
from tribo.collision import lazily_compiled
from tribo.compiler.jit import script
from tribo.description.hulls import convex_hull
from tribo.engine import lazy_kernels
from tribo.model import Late

SOLIDS = {
    "sphere": (SPHERE, (0.1, 0.0, 0.0)),
    "box": (BOX, (0.1, 0.07, 0.14)),
    "capsule": (CAPSULE, (0.05, 0.12, 0.0)),
    "rod": (CAPSULE, (0.001, 0.15, 0.0)),  # thin
    "cylinder": (CYLINDER, (0.08, 0.12, 0.0)),
    "cone": (CONE, (0.1, 0.12, 0.0)),
    "ellipsoid": (ELLIPSOID, (0.1, 0.07, 0.14)),
    "hull": (HULL, (0.1, 0.08, 0.13)),
}
TERRAIN = int(Late.TERRAIN)
CORE = 1e-9  # [m] radius that stands for none
MARGIN = 0.05  # [m]
STEPS = 12  # of coming nearer
TIE = 1e-6  # [m] triangles, and directions, whose gaps differ by less may both be the nearest
FACE = 1e-3  # [-] of the solid: how much better an edge has to be than a face


@dataclass
class Line:
    """What came out for one solid on one ground."""

    name: str
    poses: int = 0
    distance: float = 0.0  # [m] largest difference
    depth: float = 0.0
    normal: float = 0.0  # [rad]
    peer_normal: float = 0.0  # [rad] of coal, where the two differ
    better: int = 0  # ours is proved to be better by more than 1e-6 m
    faces: int = 0  # a face was preferred to an edge that is hardly better, its gap or the edge's
    ties: int = 0
    beyond: int = 0


@dataclass
class Answer:
    """What coal says of one pose."""

    gap: float  # [m]
    normal: np.ndarray  # into the solid
    is_tied: bool = False  # another triangle is as near, another way
    along: Callable[[np.ndarray], float] | None = None  # gap of the nearest pair along a normal [m]
    shared: Callable[[np.ndarray], float] | None = None  # the greatest of all as near [m]
    slop: float = 0.0  # [m] by which a face may be worse than an edge


@dataclass
class Ground:
    """Terrain, and the triangles that stand for it."""

    name: str
    world: tribo.World
    triangles: np.ndarray  # (n, 3, 3) [m]
    is_closed: bool = False  # around the origin
    is_flat: bool = False


def add_solid(world: tribo.World, kind: int, size: Any) -> None:
    """Add a solid as coal has it."""
    a, b, c = size
    add = {
        SPHERE: lambda: world.add_sphere(a, 1.0),
        BOX: lambda: world.add_box((2 * a, 2 * b, 2 * c), 1.0),
        CAPSULE: lambda: world.add_capsule(a, 2 * b, 1.0),
        CYLINDER: lambda: world.add_cylinder(a, 2 * b, 1.0),
        CONE: lambda: world.add_cone(a, 2 * b, 1.0),
        ELLIPSOID: lambda: world.add_ellipsoid(size, 1.0),
        HULL: lambda: world.add_convex(hull_of(size), 1.0),
    }
    add[kind]()


def grounds() -> Iterator[tuple[str, Any]]:
    """Return names and makers of all grounds."""
    rough = 0.25 * bumpy(24, 20)
    points, faces = triangles_of(rough, 0.1, 0.1)
    turned = np.random.default_rng(2).permutation(len(faces))
    flat = np.zeros((20, 24))
    flat_points, flat_faces = triangles_of(flat, 0.1, 0.1)
    solid = convex_hull(hull_of((0.5, 0.4, 0.6)))
    corners = np.asarray(solid.vertices)

    def with_map(heights: np.ndarray) -> tribo.World:
        world = tribo.World()
        extent = (0.1 * (heights.shape[1] - 1), 0.1 * (heights.shape[0] - 1))
        world.add_height_map(tribo.HeightField(heights, extent))
        return world

    def with_surface(vertices: np.ndarray, triangles: np.ndarray) -> tribo.World:
        world = tribo.World()
        world.add_surface(vertices, triangles)
        return world

    yield "height map", lambda: Ground("height map", with_map(rough), points[faces])
    yield ("triangles", lambda: Ground("triangles", with_surface(points, faces[turned]), points[faces]))
    yield ("flat map", lambda: Ground("flat map", with_map(flat), flat_points[flat_faces], is_flat=True))
    yield (
        "closed triangles",
        lambda: Ground(
            "closed triangles",
            with_surface(corners, solid.triangles),
            corners[solid.triangles],
            is_closed=True,
        ),
    )


@script
def ours(model, work, poses, margin, found):
    """Write gap and normal of the deepest contact of the last shape and shape 0. Writes: work, found."""
    shape = model.shape_kind.shape[0] - 1
    body = model.shape_body[shape]
    for k in range(poses.shape[0]):
        for i in range(9):
            work.body_rot[body, i] = poses[k, 3 + i]
        for i in range(3):  # of a cone or a hull the body's origin is its centre of mass
            work.body_pos[body, i] = poses[k, i]
            for m in range(3):
                work.body_pos[body, i] -= poses[k, 3 + 3 * i + m] * model.shape_pos[shape, m]
        n = lazily_compiled.call_late(model.lazy_address[TERRAIN], model, work, shape, 0, margin)
        found[k, 0] = np.inf
        for m in range(n):
            if work.manifold[m, 6] < found[k, 0]:
                found[k, 0] = work.manifold[m, 6]
                for i in range(3):
                    found[k, 1 + i] = work.manifold[m, 3 + i]


def flat(coal: Any, corners: np.ndarray) -> Any:
    """Return a triangle as a convex solid of coal, which meets every other."""
    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in corners:
        vertices.append(corner)
    for face in ((0, 1, 2), (0, 2, 1)):
        triangles.append(coal.Triangle(*face))
    return coal.Convex(vertices, triangles)


class Oracle:
    """Coal's answer for one solid and many triangles."""

    def __init__(self, coal: Any, kind: int, size: Any, ground: Ground) -> None:
        """Build coal's solids. Balls and capsules are met by their cores: so depth is distance."""
        self.coal, self.ground, self.kind, self.size = coal, ground, kind, size
        self.rounding = size[0] - CORE if kind in {SPHERE, CAPSULE} else 0.0
        self.solid = peer(coal, kind, (CORE, *size[1:]) if self.rounding else size)
        self.reach = float(np.linalg.norm(np.asarray(size))) + size[0]
        self.triangles = [flat(coal, corners) for corners in ground.triangles]
        self.low, self.high = ground.triangles.min(axis=1), ground.triangles.max(axis=1)
        self.here = coal.Transform3s(np.eye(3), np.zeros(3))
        self.request, self.result = tight_request(coal), coal.DistanceResult()

    def nearest(self, pose: np.ndarray, limit: float) -> Answer:
        """Return gap, normal and triangle; an infinite gap if nothing is near."""
        reach = self.reach + limit
        near = ((self.low < pose[:3] + reach) & (self.high > pose[:3] - reach)).all(axis=1)
        at = self.coal.Transform3s(pose[3:].reshape(3, 3), pose[:3])
        gaps, normals = [], []
        for t in (numbers := np.flatnonzero(near)):
            self.result.clear()
            gaps.append(
                self.coal.distance(self.solid, at, self.triangles[t], self.here, self.request, self.result)
            )
            normals.append(-np.array(self.result.normal))
        if not gaps:
            return Answer(np.inf, np.zeros(3))
        best = int(np.argmin(gaps))
        rivals = [k for k, gap in enumerate(gaps) if gap < gaps[best] + TIE]
        is_tied = any(np.linalg.norm(normals[k] - normals[best]) > 1e-2 for k in rivals)
        corners = self.ground.triangles[numbers]  # (near, 3, 3)
        solid = (self.kind, pose[:3].copy(), pose[3:].reshape(3, 3), self.size)

        def along(n: np.ndarray) -> float:
            return float(n @ farthest(solid, -n) - (corners[best] @ n).max())

        def shared(n: np.ndarray) -> float:
            return float(n @ farthest(solid, -n) - (corners[rivals] @ n).max(axis=1).min())

        slop = FACE * min(x for x in self.size if x > 0.0)
        return Answer(gaps[best] - self.rounding, normals[best], is_tied, along, shared, slop)


def approach(oracle: Oracle, pose: np.ndarray, target: float) -> np.ndarray | None:
    """Return a pose with about a given gap, reached from outside; None if that fails."""
    pose = pose.copy()
    for _ in range(STEPS):
        seen = oracle.nearest(pose, 0.4)
        if seen.gap == np.inf:
            pose[2] -= 0.3
        elif seen.gap <= -oracle.rounding + CORE:  # the core is in the ground
            return None
        elif abs(seen.gap - target) < 1e-9:
            break
        else:
            pose[:3] -= (seen.gap - target) * seen.normal
    return pose


def start(ground: Ground, rng: np.random.Generator) -> np.ndarray:
    """Return a pose outside of a ground."""
    turn = rotation(rng.normal(size=3) * 2.0).ravel()
    if not ground.is_closed:
        return np.r_[rng.uniform(-0.7, 0.7, 2), 0.5, turn]
    way = rng.normal(size=3)
    return np.r_[way / np.linalg.norm(way), turn]


def compare(coal: Any, name: str, ground: Ground, count: int, seed: int) -> Line:
    """Return what differs for one solid on one ground."""
    kind, size = SOLIDS[name]
    line = Line(f"{name} on {ground.name}")
    rng = np.random.default_rng((seed, len(name), len(ground.name)))
    add_solid(ground.world, kind, size)
    ground.world.step(0)
    engine = ground.world.engine
    engine.update()  # where the ground is
    engine.model.lazy_address[TERRAIN] = lazy_kernels.address(Late.TERRAIN)
    oracle = Oracle(coal, kind, size, ground)
    poses: list[np.ndarray] = []
    answers: list[Answer] = []
    while len(poses) < count:
        target = 10.0 ** rng.uniform(-4, -1.5)
        deepest = 0.5 * oracle.rounding
        if rng.random() < 0.5 and deepest > 0.0:
            target = -deepest * rng.uniform(0.01, 1.0)
        pose = approach(oracle, start(ground, rng), target)
        if pose is None:
            continue
        answer = oracle.nearest(pose, 0.1)
        if ground.is_flat and rng.random() < 0.5:
            pose[2] -= answer.gap + rng.uniform(1e-4, 0.01)
            answer = on_plane((kind, pose[:3], pose[3:].reshape(3, 3), size))
        if answer.gap < MARGIN:
            poses.append(pose)
            answers.append(answer)
    found = np.empty((count, 4))
    ours(engine.model, engine.work, np.array(poses), MARGIN, found)
    for answer, row in zip(answers, found, strict=True):
        add(line, answer, row)
    return line


def on_plane(solid: Any) -> Answer:
    """Return the answer of the plane z = 0."""
    up = np.array([0.0, 0.0, 1.0])
    return Answer(float(farthest(solid, -up)[2]), up)


def add(line: Line, answer: Answer, found: np.ndarray) -> None:
    """Add one pose to a line."""
    line.poses += 1
    normal = found[1:]
    difference = abs(found[0] - answer.gap)
    if answer.along is not None and found[0] > answer.gap + 1e-6:
        if abs(answer.along(normal) - found[0]) < 1e-9:  # no direction shows more than the true gap
            line.better += 1
            return
    angle = 2.0 * np.arcsin(min(1.0, 0.5 * float(np.linalg.norm(normal - answer.normal))))
    along = answer.along
    is_tied = along is not None and abs(along(normal) - along(answer.normal)) < TIE
    if (answer.is_tied or is_tied) and angle > 1e-2:
        line.ties += 1
        angle = 0.0
    if angle > ASK and answer.along is not None:
        gap = answer.along
        best = steepest(gap, normal if gap(normal) >= gap(answer.normal) else answer.normal)
        angle = float(np.linalg.norm(normal - best))
        line.peer_normal = max(line.peer_normal, float(np.linalg.norm(answer.normal - best)))
        shared = (answer.shared or gap)(normal)  # a corner belongs to several triangles
        if angle > 1e-4 and shared >= answer.gap - answer.slop:
            line.faces += 1
            angle = 0.0
            difference = max(0.0, found[0] - answer.gap, shared - found[0])
    if answer.gap > 0.0:
        line.distance = max(line.distance, difference)
    else:
        line.depth = max(line.depth, difference)
    line.normal = max(line.normal, angle)
    line.beyond += difference > 1e-6 or angle > 1e-4


def compounds(coal: Any, count: int, seed: int) -> Line:
    """Return what differs for two compounds of three solids each, asked by `world.distance`."""
    line = Line("compound with compound")
    rng = np.random.default_rng(seed)
    names = (("box", "sphere", "cylinder"), ("cone", "capsule", "box"))
    world, sides, bodies = tribo.World(), [], []
    for part_names in names:
        parts, solids = [], []
        for k, name in enumerate(part_names):
            kind, (a, b, c) = SOLIDS[name]
            own = {SPHERE: (a,), BOX: (2 * a, 2 * b, 2 * c)}.get(kind, (a, 2 * b))
            place = np.array([0.15 * (k - 1), 0.05 * k, 0.0])
            parts.append(tribo.CompoundPart(name, own, position=place))
            solids.append((peer(coal, kind, (a, b, c)), place, kind, (a, b, c)))
        bodies.append(world.add_compound(parts, 1.0, com=(0.0, 0.0, 0.0)))
        sides.append(solids)
    request, result = tight_request(coal), coal.DistanceResult()
    for _ in range(count):
        for body in bodies:
            turn = rng.normal(size=4)
            body.orientation = turn / np.linalg.norm(turn)
            body.position = rng.normal(size=3)
        target = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4, -1.5)
        for _ in range(3):
            seen = world.distance(*bodies)
            bodies[1].position = bodies[1].position - (target - seen.distance) * seen.normal
        seen = world.distance(*bodies)
        best = Answer(np.inf, np.zeros(3))
        for one in sides[0]:
            for other in sides[1]:
                result.clear()
                a, b = (
                    (kind, body.position + body.rotation_matrix @ place, body.rotation_matrix, size)
                    for body, (_, place, kind, size) in zip(bodies, (one, other), strict=True)
                )
                transforms = [coal.Transform3s(solid[2], solid[1]) for solid in (a, b)]
                gap = coal.distance(one[0], transforms[0], other[0], transforms[1], request, result)

                def along(n: np.ndarray, a: Any = a, b: Any = b) -> float:
                    return float(separation(a, b, n))

                normal = -np.array(result.normal)
                if gap < seen.distance - 1e-6:  # is it? no direction shows more than the true gap
                    ways = rng.normal(size=(2000, 3))
                    ways /= np.linalg.norm(ways, axis=1)[:, None]
                    way = steepest(along, max(ways, key=along))
                    if along(way) >= seen.distance - 1e-9:
                        line.better += 1
                        gap, normal = along(way), way
                if gap < best.gap:
                    best = Answer(gap, normal, along=along)
        add(line, best, np.r_[seen.distance, seen.normal])
    return line


def table(lines: list[Line]) -> str:
    """Return the figures as Markdown."""
    rows = [
        f"{lines[0].poses} poses of each:",
        "",
        "| what | distance [m] | depth [m] | normal [rad] | coal's normal | better | faces | ties | beyond |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for line in lines:
        values = (line.distance, line.depth, line.normal, line.peer_normal)
        figures = " | ".join(f"{x:.1e}" for x in values)
        rows.append(
            f"| {line.name} | {figures} | {line.better} | {line.faces} | {line.ties} | {line.beyond} |"
        )
    return "\n".join(rows)


def campaign(coal: Any, count: int, seed: int, only: list[str]) -> list[Line]:
    """Return the lines of all solids on all grounds, and of compounds."""
    lines = []
    for ground, make in grounds():
        for name in SOLIDS:
            if only and not set(only) & {name, ground}:
                continue
            lines.append(compare(coal, name, make(), count, seed))
            print(lines[-1], flush=True)
    if not only or "compound" in only:
        lines.append(compounds(coal, count, seed))
        print(lines[-1], flush=True)
    return lines
