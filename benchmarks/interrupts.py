"""How long calls do not listen to Ctrl-C: `python benchmarks/interrupts.py [call ...]`.

A timer sends a signal every 10 ms while a call runs. The longest time between two runs of its handler is the
longest that Ctrl-C would have waited. Time is that of processors, so that other programs do not count; where
threads share the work, it is divided by their number.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import tribo
from tribo import spatial

EVERY = 0.01  # [s]
LIMIT = 0.2  # [s] that a call may not listen
LONGEST = 20.0  # [s] for one call, then it is ended
COMPILED = 300.0  # [s] the same for the call that compiles all kernels
SHARED = ("Batch.", "train")  # calls whose work two threads share
WARM_UP = "warm_up(everything), compiled"
FOLDER = Path(tempfile.mkdtemp())


def _world(boxes: int) -> tribo.World:
    world = tribo.World()
    world.add_ground()
    for k in range(boxes):
        place = (0.11 * (k % 5), 0.11 * (k // 5 % 5), 0.051 + 0.102 * (k // 25))
        world.add_box((0.1, 0.1, 0.1), 1.0, position=place, name=f"box{k}")
    return world


def _mesh(kind: str) -> Path:
    import trimesh

    path = FOLDER / f"mesh.{kind}"
    trimesh.creation.icosphere(8).export(path)
    return path


def _points(count: int) -> np.ndarray:
    made = np.random.default_rng(0).normal(size=(count, 3))
    return made / np.linalg.norm(made, axis=1)[:, None]


def _rays(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    starts = np.random.default_rng(0).normal(size=(*shape, 3)) + np.array((0.0, 0.0, 3.0))
    return starts, np.broadcast_to((0.0, 0.0, -1.0), starts.shape)


def _surface() -> Callable[[], object]:
    import trimesh

    ball, world = trimesh.creation.icosphere(8), tribo.World()
    corners, faces = np.array(ball.vertices), np.array(ball.faces)
    return lambda: (world.add_surface(corners, faces), world.step())


def _heights() -> Callable[[], object]:
    def run() -> None:
        world = tribo.World()
        world.add_height_map(tribo.HeightField.fractal(samples=(3000, 3000), z_scale=1.0))
        world.add_sphere(0.1, 1.0, position=(0, 0, 3))
        world.step()

    return run


def _depth() -> Callable[[], object]:
    world = _world(100)
    camera = world.add_depth_camera(world["box0"], width=1500, height=1500)
    return lambda: (world.step(), camera.reading)


def _build() -> Callable[[], object]:
    def run() -> None:
        world = tribo.World()
        for k in range(10_000):
            world.add_sphere(0.1, 1.0, position=(k, 0, 1))
        world.step()

    return run


def _export() -> Callable[[], object]:
    world = _world(30)
    with world.record(FOLDER / "run.zarr"):
        world.step(2000)
    recording = tribo.Recording(FOLDER / "run.zarr")
    return lambda: [recording.export(FOLDER / f"run.{kind}") for kind in ("csv", "parquet", "npz")]


def _film() -> Callable[[], object]:
    from tribo.viewer.film import save_film

    frames = [np.full((720, 1280, 3), k, np.uint8) for k in range(60)]
    return lambda: save_film(frames, FOLDER / "film.mp4", 30)


def _train() -> Callable[[], object]:
    import torch  # noqa: F401  # that it is loaded is no matter of the call

    from tribo.learn import Settings, train

    settings = Settings(iterations=3)
    return lambda: train("Quadruped", FOLDER / "training", settings)


def _chain() -> Callable[[], object]:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><mass value="1"/>{inertia}</inertial>'
    links = "".join(f'<link name="l{k}">{inertial}</link>' for k in range(500))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(499)
    )
    world = tribo.World()
    return lambda: (world.add_articulated_system(f'<robot name="r">{links}{joints}</robot>'), world.step(20))


def _batch(worlds: int) -> Callable[[], object]:
    batch = tribo.Batch(_world(30), worlds, threads=2)
    return lambda: batch.step(200)


def _batch_rays() -> Callable[[], object]:
    batch = tribo.Batch(_world(30), 256, threads=2)
    starts, ways = _rays(256, 20_000)
    return lambda: batch.ray_test_batch(starts, ways)


def _world_rays() -> Callable[[], object]:
    world = _world(30)
    starts, ways = _rays(2_000_000)
    return lambda: world.ray_test_batch(starts, ways)


def _rollout() -> Callable[[], object]:
    batch = tribo.Batch(_world(30), 64, threads=2)
    plan = np.zeros((64, 200, 6))
    return lambda: batch.rollout(forces={"box0": plan}, steps_per_control=10)


def _ground() -> Callable[[], object]:
    start = [1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0]
    ground = tribo.ground.Ground(1e6, 2e3)
    return lambda: tribo.ground.simulate(spatial.rollingdisc(8), ground, 5.0, xfb=start)


def _decomposed() -> Callable[[], object]:
    import trimesh

    from tribo.formats import convex_parts

    ring = trimesh.creation.torus(1.0, 0.3, major_sections=96, minor_sections=48)
    convex_parts.cache_root = lambda: FOLDER  # type: ignore[assignment]  # nothing is kept from before
    return lambda: convex_parts.convex_parts(np.array(ring.vertices), np.array(ring.faces))


def _step() -> Callable[[], object]:
    world = _world(25)
    return lambda: world.step(1000)


def _hull() -> Callable[[], object]:
    points, world = _points(100_000), tribo.World()
    return lambda: world.add_convex(points, 1.0)


def _loaded(kind: str) -> Callable[[], object]:
    path, world = _mesh(kind), tribo.World()
    return lambda: world.add_mesh(path, mass=1.0)


def _many_worlds() -> Callable[[], object]:
    world = _world(30)
    return lambda: tribo.Batch(world, 20_000)


CALLS: dict[str, Callable[[], Callable[[], object]]] = {
    "World.step, 25 boxes": _step,
    "Batch.step, 512 worlds": lambda: _batch(512),
    "Batch.rollout": _rollout,
    "World.ray_test_batch, 2e6 rays": _world_rays,
    "Batch.ray_test_batch, 5e6 rays": _batch_rays,
    "depth camera, 2e6 pixels": _depth,
    "add_mesh, STL of 1.3e6 triangles": lambda: _loaded("stl"),
    "add_mesh, OBJ of 1.3e6 triangles": lambda: _loaded("obj"),
    "add_surface, 1.3e6 triangles": _surface,
    "add_convex, hull of 1e5 points": _hull,
    "convex decomposition": _decomposed,
    "height map, 9e6 samples": _heights,
    "10 000 bodies": _build,
    "robot of 500 links": _chain,
    "Batch of 20 000 worlds": _many_worlds,
    "ground.simulate": _ground,
    "Recording.export": _export,
    "film of 60 frames": _film,
    "train": _train,
    WARM_UP: lambda: lambda: tribo.warm_up(everything=True, quiet=True),
}


class _TooLongError(BaseException):
    """A call was ended."""


def longest(name: str) -> float:
    """Return the longest time in which a call does not listen [s]."""
    call, gaps, began = CALLS[name](), [0.0], time.process_time()
    last, late = [began], list[str]()

    def ring(_: int, frame: FrameType | None) -> None:
        now = time.process_time()
        gaps.append(now - last[0])
        last[0] = now
        if gaps[-1] > LIMIT and frame is not None:  # where the call goes on
            late.append(f"    {gaps[-1]:.3f} s {frame.f_code.co_filename}:{frame.f_lineno}\n")
        if now - began > (COMPILED if name == WARM_UP else LONGEST):
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            raise _TooLongError

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    try:
        call()
    except _TooLongError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    gaps.append(time.process_time() - last[0])
    sys.stderr.writelines(late)
    return max(gaps) / (2.0 if name.startswith(SHARED) else 1.0)


def main() -> int:
    """Measure each call in a process of its own; return 1 if one listens too late."""
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        print(f"{longest(sys.argv[2]):.3f}")
        return 0
    failed = 0
    for name in sys.argv[1:] or CALLS:
        compiled = {"TRIBO_KERNELS": "compiled", "XDG_CACHE_HOME": str(FOLDER)} if name == WARM_UP else {}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, "--one", name],
            env={**os.environ, **compiled},
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout.strip().splitlines()[-1:] or done.stderr.strip().splitlines()[-1:]
        is_late = done.returncode != 0 or float(said[0]) > LIMIT
        failed |= is_late
        print(f"{name:36} {said[0] if said else '?':>8} s{'  LATE' if is_late else ''}", flush=True)
        if is_late:
            print(done.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
