"""Every pair of convex shapes against the library coal: distance, depth and normal in random poses.

    PYTHONPATH=src:tests:validation python validation/against_coal.py [--poses 10000] [--write-docs]

A pose is judged where coal can be: its distance must be the gap of the two solids along its own
normal (to 1e-7 m), which plain NumPy computes from support points. No direction has a gap larger than
the true distance, so where ours has a larger one than coal's, ours is proved to be better.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coal_terrain
import numpy as np
from coal_peer import ASK, KINDS, arguments, gap_and_normal, near_poses, peer, place, steepest, tight_request
from shapes import records, separation

from tribo.collision import lazily_compiled, meeting
from tribo.compiler.jit import script
from tribo.engine import layout

layout.CLOSED_FORM = ()  # room for the general path, whatever the pair
SIZES = 20  # different solids of each pair
BEGIN, END = "<!-- coal: begin -->", "<!-- coal: end -->"
PAGE = Path(__file__).parents[1] / "docs" / "physics" / "collision.md"
SURE = 1e-7  # [m] coal's distance against the gap along its normal
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


@script
def ours(model, work, poses, margin, is_general, found, deepest):
    """Write gap and normal of each pose, and the gap of the deepest contact. Writes: work, found."""
    for k in range(poses.shape[0]):
        place(work, poses, k)
        gap_and_normal(model, work, found, k)
        if is_general:
            n = lazily_compiled.convex(model, work, 0, 1, margin)
        else:
            n = meeting.primitives(model, work, 0, 1, margin)
        least = np.inf
        for m in range(n):
            least = min(least, work.manifold[m, 6])
        deepest[k] = least


def targets(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return gaps of ±1e-4 … ±3e-2 m."""
    return np.asarray(rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-4, -1.5, count))


def compare(coal: Any, names: tuple[str, str], count: int, seed: int = 0) -> Row:
    """Return what differs for one pair of shapes in `count` poses."""
    kinds = [KINDS[name] for name in names]
    row = Row(" with ".join(names))
    rng = np.random.default_rng((seed, *kinds))
    request = tight_request(coal)
    result = coal.DistanceResult()
    sets = min(SIZES, count)
    for _ in range(sets):
        sizes = [tuple(rng.uniform(0.1, 0.4, 3)) for _ in kinds]
        model, work = records(
            *((kind, np.zeros(3), np.eye(3), size) for kind, size in zip(kinds, sizes, strict=True))
        )
        poses = near_poses(model, work, targets(count // sets, rng), rng)
        found, deepest = np.empty((len(poses), 4)), np.empty(len(poses))
        is_general = lazily_compiled.family_of(*kinds) >= 0
        ours(model, work, poses, 0.05, is_general, found, deepest)
        solids = [peer(coal, kind, size) for kind, size in zip(kinds, sizes, strict=True)]
        for pose, (gap, *normal), least in zip(poses, found, deepest, strict=True):
            places = [(pose[:3], pose[3:12].reshape(3, 3)), (pose[12:15], pose[15:].reshape(3, 3))]
            transforms = [coal.Transform3s(rot, pos) for pos, rot in places]
            result.clear()
            theirs = coal.distance(solids[0], transforms[0], solids[1], transforms[1], request, result)
            a, b = (
                (kind, pos, rot, size) for kind, (pos, rot), size in zip(kinds, places, sizes, strict=True)
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
        if not gap > claim - 1e-6:  # whatever coal does, its direction bounds the distance from below
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
        best = steepest(lambda n: separation(a, b, n), normal if own >= claim else their_normal)
        angle, peer_angle = (float(np.linalg.norm(n - best)) for n in (normal, their_normal))
        row.peer_normal = max(row.peer_normal, peer_angle)
    row.normal = max(row.normal, angle)
    if difference > 1e-6 or angle > 1e-4:
        row.worst.append((a, b, gap, theirs, angle))


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
    parser = arguments(__doc__, 10_000)
    parser.add_argument("--seed", type=int, default=0)
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
            f"{rows[-1].name}: {len(rows[-1].worst)} beyond, {time.process_time() - start:.1f} s", flush=True
        )
        for case in rows[-1].worst[:2]:
            print("   ", case)
    lines = coal_terrain.campaign(coal, options.poses, options.seed, options.only)
    tables = "\n\n".join([*([table(rows)] if rows else []), *([coal_terrain.table(lines)] if lines else [])])
    print(tables)
    if options.write_docs:
        text = PAGE.read_text("utf-8")
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        PAGE.write_text(f"{head}{BEGIN}\n\n{tables}\n\n{END}{tail}", "utf-8")


if __name__ == "__main__":
    main()
