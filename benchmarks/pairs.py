"""The narrow phase, pair by pair, next to the C++ of coal in turns within the same process.

    PYTHONPATH=src:tests:benchmarks python benchmarks/pairs.py [--only hull32 …] [--poses 400] [--rounds 9]

Two sets of random poses of each pair: *near*, with gaps of ±1e-4 … ±1e-2 m, and *apart*, with gaps of
0.02 … 0.5 m. Both sides answer one question: the contacts with a gap of at most 1 mm. Ours is the
function that the step calls, once per pose, in one compiled loop that also writes the poses. Coal's is
`collide` on collision objects of a `NaiveCollisionManager`, which is a plain loop in C++ without any
box test, with the standard callback: one call from Python for all poses of a set. What the loop itself
costs is measured with a callback's cheapest pair (two balls far apart), shown, and not subtracted.
Tolerances are coal's own (1e-6); ours are what the step uses.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from coal_peer import KINDS, arguments, near_poses, peer, place
from shapes import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE, records

from tribo.collision import lazily_compiled, meeting
from tribo.compiler.jit import script
from tribo.engine import layout
from tribo.model import Late

MARGIN = 1e-3  # [m]
SIZES = {SPHERE: (0.2, 0, 0), BOX: (0.2, 0.15, 0.25), CAPSULE: (0.12, 0.2, 0),
         CYLINDER: (0.15, 0.2, 0), CONE: (0.2, 0.2, 0)}  # fmt: skip
HULLS = {f"hull{n}": n for n in (8, 32, 128, 250)}
PAIRS = (
    "sphere sphere", "box sphere", "capsule sphere", "cylinder sphere", "cone sphere", "box box",
    "capsule box", "capsule capsule", "cylinder box", "cylinder capsule", "cylinder cylinder",
    "cone box", "cone capsule", "cone cylinder", "cone cone", "hull32 sphere", "hull32 box",
    "hull32 capsule", "hull32 cylinder", "hull32 cone", "hull8 hull8", "hull32 hull32",
    "hull128 hull128", "hull250 hull250",
)  # fmt: skip
layout.CLOSED_FORM = ()  # room for the general path, whatever the pair


def solid(name: str) -> tuple[int, Any]:
    """Return kind and size of a shape; of a hull its corners, on a ball of 0.2 m."""
    if name not in HULLS:
        return KINDS[name], SIZES[KINDS[name]]
    count = HULLS[name]
    turn = np.pi * (1.0 + 5.0**0.5) * np.arange(count)
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    rim = np.sqrt(1.0 - z * z)
    points = np.column_stack((rim * np.cos(turn), rim * np.sin(turn), z))
    return HULL, 0.2 * points + np.random.default_rng(count).normal(size=(count, 3)) * 1e-3


@script
def ours(model, work, poses, is_general, margin):
    """Return the number of contacts of all poses. Writes: work."""
    n = 0
    for k in range(poses.shape[0]):
        place(work, poses, k)
        if is_general:
            n += lazily_compiled.call_late(model.lazy_address[0], model, work, 0, 1, margin)
        else:
            n += meeting.primitives(model, work, 0, 1, margin)
    return n


def manager(coal: Any, solids: list[Any], poses: np.ndarray) -> tuple[Callable[[], int], Any]:
    """Return a call that lets coal meet A with B in all poses, and what has to stay alive.

    The manager holds one copy of B per pose; A stays where it is, so B is moved into A's frame.
    """
    at_origin = coal.CollisionObject(solids[0], np.eye(3), np.zeros(3))
    crowd = coal.NaiveCollisionManager()
    copies = []
    for pose in poses:
        rot_a, rot_b = pose[3:12].reshape(3, 3), pose[15:].reshape(3, 3)
        arm = rot_a.T @ (pose[12:15] - pose[:3])
        copies.append(coal.CollisionObject(solids[1], rot_a.T @ rot_b, arm))
        crowd.registerObject(copies[-1])
    crowd.setup()
    callback = coal.CollisionCallBackDefault()
    callback.data.request.num_max_contacts = 10**6
    callback.data.request.security_margin = MARGIN

    def run() -> int:
        callback.data.clear()
        callback.data.request.num_max_contacts = 10**6
        callback.data.request.security_margin = MARGIN
        crowd.collide(at_origin, callback)
        return int(callback.data.result.numContacts())

    return run, (at_origin, crowd, copies, callback, solids)


def measure(jobs: list[Callable[[], int]], poses: int, rounds: int) -> list[float]:
    """Return the median time per pose of each job [ns], in turns."""
    taken: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds):
        for job, times in zip(jobs, taken, strict=True):
            start = time.process_time()
            repeat = 0
            while repeat < 1 or time.process_time() - start < 0.01:
                job()
                repeat += 1
            times.append((time.process_time() - start) / (repeat * poses) * 1e9)
    return [statistics.median(times) for times in taken]


def row(coal: Any, names: list[str], count: int, rounds: int) -> list[Any]:
    """Return the figures of one pair."""
    rng = np.random.default_rng(7)
    solids = [solid(name) for name in names]
    model, work = records(*((kind, np.zeros(3), np.eye(3), size) for kind, size in solids))
    model.lazy_address[0] = lazily_compiled.ADDRESS[Late.CONVEX]()
    is_general = lazily_compiled.family_of(*(kind for kind, _ in solids)) >= 0
    figures: list[Any] = []
    near = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-4, -2, count)
    apart = rng.uniform(0.02, 0.5, count)
    for gap in (near, apart):
        poses = near_poses(model, work, gap, rng)
        run, kept = manager(coal, [peer(coal, *s) for s in solids], poses)

        def own(poses: np.ndarray = poses) -> int:
            return int(ours(model, work, poses, is_general, MARGIN))

        met = int((gap <= MARGIN).sum())
        assert abs(run() - met) <= 0.02 * count, (names, run(), met)  # both see the same
        points = own()
        mine, theirs = measure([own, run], count, rounds)
        figures += [mine, theirs, theirs / mine, points / max(met, 1)]
        del kept
    return figures


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__, 400)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    import coal

    print("| pair | points | near [ns] | coal | ratio | apart [ns] | coal | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for pair in PAIRS:
        names = pair.split()
        if options.only and not set(options.only) & {*names, pair}:
            continue
        a, b, c, n, d, e, f, _ = row(coal, names, options.poses, options.rounds)
        print(
            f"| {names[0]} with {names[1]} | {n:.1f} | {a:.0f} | {b:.0f} | {c:.2f} "
            f"| {d:.0f} | {e:.0f} | {f:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
