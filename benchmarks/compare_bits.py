"""Compare two commits bit for bit: `python benchmarks/compare_bits.py BEFORE AFTER`.

A change that only moves or renames things must not change arithmetic. Each commit is checked out beside
the repository, runs the same scenes in a process of its own, and prints a digest of the state after them
(`World.hash`). Only public calls are used, so that the scenes run on both sides of a change of layout.
AFTER may be left out: then the working tree is compared.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS = 400


def benchmark_scenes() -> Iterator[tuple[str, str]]:
    """Yield (name, digest) of the scenes of `make bench`."""
    from scenes import scenes, tribo_world

    for name, scene in scenes().items():
        world, robot = tribo_world(scene)
        for row in scene.targets()[:STEPS] if scene.is_driven else [None] * STEPS:
            if row is not None:
                target = robot.pd_target.copy()
                for joint, value in zip(scene.joints, row, strict=True):
                    target[robot.coordinate_slice(joint)] = value
                robot.pd_target = target
            world.step()
        yield name, world.hash()


def simbench_scenes() -> Iterator[tuple[str, str]]:
    """Yield (name, digest) of SimBenchmark's scenes of moderate size."""
    from simbench.engines.tribo import Engine
    from simbench.families import scenes as simbench_rows

    for name, scene in simbench_rows().items():
        if len(scene.bodies) <= 250:
            engine = Engine(scene, "default")
            engine.world.step(STEPS)
            yield name, engine.world.hash()


def own_scenes() -> Iterator[tuple[str, str]]:
    """Yield (name, digest) of scenes that touch what the others leave out."""
    import numpy as np

    import tribo

    for mode in ("midpoint", "semi_implicit", "rk4"):
        for impact in ("simultaneous", "propagate"):
            world = tribo.World(time_step=2e-3)
            world.integrator, world.impact, world.sleeping = mode, impact, True
            world.add_ground()
            world.set_material_pair("rubber", "default", friction=0.9, rolling_friction=0.01, restitution=0.5)
            rng = np.random.default_rng(5)
            bodies = []
            for k in range(4):
                place = [*rng.uniform(-0.3, 0.3, 2), 0.2 + 0.35 * k]
                bodies += [
                    world.add_box((0.2, 0.15, 0.1), 1.0, position=place),
                    world.add_capsule(0.05, 0.2, 0.5, position=np.add(place, (0.3, 0.0, 0.1))),
                    world.add_cylinder(0.08, 0.1, 0.7, position=np.add(place, (0.0, 0.3, 0.2))),
                    world.add_sphere(0.07, 0.3, position=np.add(place, (0.2, 0.2, 0.3)), material="rubber"),
                ]
            world.add_pin(bodies[0], bodies[1], position=bodies[0].position)
            world.step(STEPS)
            yield f"mixed, {mode}, {impact}", world.hash()


def golden_scenes() -> Iterator[tuple[str, str]]:
    """Yield (name, digest) of what the golden numbers test: Spatial_v2's toolbox, the compliant ground."""
    import hashlib

    import numpy as np

    from tribo import ground, spatial
    from tribo.spatial import samples

    def digest(*arrays: object) -> str:
        parts = (np.ascontiguousarray(a, np.float64).tobytes() for a in arrays)
        return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()

    rng = np.random.default_rng(3)
    for name, model in (("tree", spatial.autoTree(12, 1.5, 1, 0.9)), ("rods", samples.hinged_rods())):
        q, v, force = rng.uniform(-1.0, 1.0, (3, model.NB))
        found = (spatial.ID(model, q, v, force), spatial.FDab(model, q, v, force))
        yield f"{name}, inverse and forward dynamics", digest(*found, *spatial.HandC(model, q, v))
    start = [1, 0, 0, 0, 0, 0, 0.06, 0, 3.0, 0, 0.15, 0, 0]
    rolling = ground.simulate(spatial.rollingdisc(8), ground.Ground(1e6, 2000.0), 0.2, xfb=start)
    yield "a disc on compliant ground", digest(rolling.time, rolling.y)


GROUPS = {
    "bench": benchmark_scenes, "simbench": simbench_scenes, "own": own_scenes, "golden": golden_scenes,
}  # fmt: skip


def digests(groups: list[str]) -> dict[str, str]:
    """Return the digest of every scene, with the tribo that is imported here."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    return {f"{group}: {name}": key for group in groups for name, key in GROUPS[group]()}


def digests_of(folder: Path, groups: list[str]) -> dict[str, str]:
    """Return the digests that a checkout gives, in a process of its own."""
    paths = (folder / "src", folder / "benchmarks")
    result = subprocess.run(
        [sys.executable, __file__, "--digests", *groups],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(result.stdout))


def digests_at(commit: str, groups: list[str]) -> dict[str, str]:
    """Return the digests of a commit, checked out for the time that it takes."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "tribo"
        subprocess.run(
            ["git", "worktree", "add", "--detach", folder, commit], cwd=ROOT, check=True, capture_output=True
        )
        try:
            return digests_of(folder, groups)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def main() -> int:
    """Compare; return how many scenes differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", default="HEAD")
    parser.add_argument("after", nargs="?", help="default: the working tree")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--digests", nargs="+", choices=GROUPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.digests:
        sys.path.pop(0)  # this script's folder: the scenes are those of PYTHONPATH
        print(json.dumps(digests(options.digests)))
        return 0
    before = digests_at(options.before, options.groups)
    after = digests_at(options.after, options.groups) if options.after else digests_of(ROOT, options.groups)
    different = [name for name in sorted(before | after) if before.get(name) != after.get(name)]
    for name in sorted(before | after):
        mark = "DIFFERS" if name in different else "same"
        print(f"{mark:8} {before.get(name)} {after.get(name)}  {name}")
    print(f"{len(before | after) - len(different)} of {len(before | after)} scenes give the same bits")
    return len(different)


if __name__ == "__main__":
    sys.exit(main())
