"""Every pair of convex shapes against the library coal: distance, depth and normal in random poses.

    PYTHONPATH=src:tests:validation python validation/against_coal.py [--poses 10000] [--write-docs]

A pose is judged where coal can be: its distance must be the gap of the two solids along its own
normal (to 1e-7 m), which plain NumPy computes from support points. No direction has a gap larger than
the true distance, so where ours has a larger one than coal's, ours is proved to be better.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.optimize import minimize
from shapes import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    HULL,
    SPHERE,
    hull_of,
    records,
    rotation,
    separation,
)  # fmt: skip

from tribo import builder
from tribo.collision import late, narrowphase
from tribo.collision.closest import closest
from tribo.collision.solid import load_solid
from tribo.geometry import convex_hull
from tribo.math import vec

KINDS = {
    "sphere": SPHERE,
    "box": BOX,
    "capsule": CAPSULE,
    "cylinder": CYLINDER,
    "cone": CONE,
    "hull": HULL,
}
builder.CLOSED_FORM = ()  # room for the general path, whatever the pair
SIZES = 20  # different solids of each pair
BEGIN, END = "<!-- coal: begin -->", "<!-- coal: end -->"
PAGE = Path(__file__).parents[1] / "docs" / "physics" / "collision.md"
SURE = 1e-7  # [m] coal's distance against the gap along its normal
ASK = 3e-5  # [rad] where normals differ by more, a plain search decides
TIE = 1e-6  # [m] directions over 0.01 rad apart whose gaps differ by less are not unique (bent by 1e-6 m
# over 0.01 rad a surface would have a radius of 2 cm, less than any here)


@dataclass
class Row:
    """What came out for one pair."""

    name: str
    poses: int = 0
    unsure: int = 0  # coal contradicts itself
    better: int = 0  # ours is proved to be better by more than 1e-6 m
    ties: int = 0
    distance: float = 0.0  # [m] largest difference
    depth: float = 0.0
    normal: float = 0.0  # [rad] largest angle
    peer_normal: float = 0.0  # [rad] of coal, where the two differ
    contact: float = 0.0  # [-] of max(depth, 1 mm): deepest contact against the depth
    worst: list[Any] = field(default_factory=list)


@numba.njit(error_model="numpy")  # noqa: TID251 - a script, not a kernel of the engine
def ours(model, work, poses, margin, is_general, found, deepest):
    """Write gap and normal of each pose, and the gap of the deepest contact. Writes: work, found."""
    solid_a = load_solid(model, 0)
    solid_b = load_solid(model, 1)
    for k in range(poses.shape[0]):
        for body in range(2):
            for i in range(3):
                work.body_pos[body, i] = poses[k, 12 * body + i]
            for i in range(9):
                work.body_rot[body, i] = poses[k, 12 * body + 3 + i]
        pos = vec.sub(vec.load(work.body_pos, 1), vec.load(work.body_pos, 0))
        pair = (
            solid_a,
            vec.load_mat(work.body_rot, 0),
            solid_b,
            pos,
            vec.load_mat(work.body_rot, 1),
        )
        _, gap, normal, _, _ = closest(model, work, pair, 1e3)
        found[k, 0] = gap
        found[k, 1] = normal[0]
        found[k, 2] = normal[1]
        found[k, 3] = normal[2]
        if is_general:
            n = late.convex(model, work, 0, 1, margin)
        else:
            n = narrowphase.primitives(model, work, 0, 1, margin)
        least = np.inf
        for m in range(n):
            least = min(least, work.manifold[m, 6])
        deepest[k] = least


def random_poses(model: Any, work: Any, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return (count, 24) poses of two solids whose gaps are ±1e-4 … ±3e-2 m."""
    poses = np.empty((count, 24))
    for k in range(count):
        poses[k, :3], poses[k, 12:15] = 0.0, 1.5 * rng.normal(size=3)
        poses[k, 3:12] = rotation(rng.normal(size=3) * 2.0).ravel()
        poses[k, 15:] = rotation(rng.normal(size=3) * 2.0).ravel()
    target = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-4, -1.5, count)
    found, deepest = np.empty((count, 4)), np.empty(count)
    for _ in range(2):  # bring them near: along the normal the gap changes by what B moves
        ours(model, work, poses, 0.0, True, found, deepest)
        poses[:, 12:15] -= (target - found[:, 0])[:, None] * found[:, 1:]
    return poses


def peer(coal: Any, kind: int, size: Any) -> Any:
    """Return a solid as coal has it."""
    if kind == HULL:
        hull = convex_hull(hull_of(size))
        vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for vertex in hull.vertices:
            vertices.append(vertex)
        for i, j, k in hull.triangles.tolist():
            triangles.append(coal.Triangle(i, j, k))
        return coal.Convex(vertices, triangles)
    make = {
        SPHERE: lambda s: coal.Sphere(s[0]),
        BOX: lambda s: coal.Box(2 * s[0], 2 * s[1], 2 * s[2]),
        CAPSULE: lambda s: coal.Capsule(s[0], 2 * s[1]),
        CYLINDER: lambda s: coal.Cylinder(s[0], 2 * s[1]),
        CONE: lambda s: coal.Cone(s[0], 2 * s[1]),
    }
    return make[kind](size)


def compare(coal: Any, names: tuple[str, str], count: int, seed: int = 0) -> Row:
    """Return what differs for one pair of shapes in `count` poses."""
    kinds = [KINDS[name] for name in names]
    row = Row(" with ".join(names))
    rng = np.random.default_rng((seed, *kinds))
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    result = coal.DistanceResult()
    sets = min(SIZES, count)
    for _ in range(sets):
        sizes = [tuple(rng.uniform(0.1, 0.4, 3)) for _ in kinds]
        model, work = records(
            *((kind, np.zeros(3), np.eye(3), size) for kind, size in zip(kinds, sizes, strict=True))
        )
        poses = random_poses(model, work, count // sets, rng)
        found, deepest = np.empty((len(poses), 4)), np.empty(len(poses))
        is_general = late.family_of(*kinds) >= 0
        ours(model, work, poses, 0.05, is_general, found, deepest)
        solids = [peer(coal, kind, size) for kind, size in zip(kinds, sizes, strict=True)]
        for pose, (gap, *normal), least in zip(poses, found, deepest, strict=True):
            places = [(pose[:3], pose[3:12].reshape(3, 3)), (pose[12:15], pose[15:].reshape(3, 3))]
            transforms = [coal.Transform3s(rot, pos) for pos, rot in places]
            result.clear()
            theirs = coal.distance(
                solids[0], transforms[0], solids[1], transforms[1], request, result
            )
            a, b = (
                (kind, pos, rot, size)
                for kind, (pos, rot), size in zip(kinds, places, sizes, strict=True)
            )
            judge(row, a, b, gap, np.array(normal), least, theirs, -np.array(result.normal))
    return row


def judge(row: Row, a: Any, b: Any, gap: float, normal: np.ndarray, least: float, theirs: float,
          their_normal: np.ndarray) -> None:  # fmt: skip
    """Add one pose to a row."""
    row.poses += 1
    own = separation(a, b, normal)
    claim = separation(a, b, their_normal)
    if gap < 0.03:
        row.contact = max(row.contact, abs(least - gap) / max(abs(gap), 1e-3))
    if own > claim + 1e-6:
        row.better += 1
    if not abs(claim - theirs) <= SURE or own > claim + 1e-6:
        row.unsure += 1
        if (
            not gap > claim - 1e-6
        ):  # whatever coal does, its direction bounds the distance from below
            row.worst.append((a, b, gap, claim))
        return
    difference = abs(gap - theirs)
    if theirs > 0.0:
        row.distance = max(row.distance, difference)
    else:
        row.depth = max(row.depth, difference)
    angle = 2.0 * np.arcsin(min(1.0, 0.5 * float(np.linalg.norm(normal - their_normal))))
    if angle > 0.01 and abs(own - claim) < TIE:
        row.ties += 1
        return
    if angle > ASK:  # which of the two is right? the one with the greatest gap
        best = steepest(a, b, normal if own >= claim else their_normal)
        angle, peer_angle = (float(np.linalg.norm(n - best)) for n in (normal, their_normal))
        row.peer_normal = max(row.peer_normal, peer_angle)
    row.normal = max(row.normal, angle)
    if difference > 1e-6 or angle > 1e-4:
        row.worst.append((a, b, gap, theirs, angle))


def steepest(a: Any, b: Any, start: np.ndarray) -> np.ndarray:
    """Return the direction near `start` with the greatest gap, by plain search."""
    u = np.cross(start, np.eye(3)[np.argmin(np.abs(start))])
    u /= np.linalg.norm(u)
    v = np.cross(start, u)

    def direction(x: np.ndarray) -> np.ndarray:
        n = start + x[0] * u + x[1] * v
        return np.asarray(n / np.linalg.norm(n))

    found = minimize(
        lambda x: -separation(a, b, direction(x)), np.zeros(2), method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-18, "maxiter": 2000,
                 "initial_simplex": [(0, 0), (3e-4, 0), (0, 3e-4)]},
    )  # fmt: skip
    return direction(found.x)


def pairs() -> list[tuple[str, str]]:
    """Return all pairs of convex solids."""
    names = list(KINDS)
    return [(one, other) for k, one in enumerate(names) for other in names[: k + 1]]


def table(rows: list[Row]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"{rows[0].poses} poses of each pair:",
        "",
        "| pair | distance [m] | depth [m] | normal [rad] | coal's normal | contact | coal unsure | ties |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for r in rows:
        figures = (r.distance, r.depth, r.normal, r.peer_normal, r.contact)
        shown = " | ".join(f"{x:.1e}" for x in figures)
        lines.append(f"| {r.name} | {shown} | {r.unsure} | {r.ties} |")
    return "\n".join(lines)


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    import coal

    rows = []
    for names in pairs():
        if options.only and not set(options.only) & set(names):
            continue
        start = time.process_time()
        rows.append(compare(coal, names, options.poses, options.seed))
        print(
            f"{rows[-1].name}: {len(rows[-1].worst)} beyond, {time.process_time() - start:.1f} s",
            flush=True,
        )
        for case in rows[-1].worst[:2]:
            print("   ", case)
    print(table(rows))
    if options.write_docs:
        text = PAGE.read_text("utf-8")
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        PAGE.write_text(f"{head}{BEGIN}\n\n{table(rows)}\n\n{END}{tail}", "utf-8")


if __name__ == "__main__":
    main()
