"""Rays a second on one core: a quadruped on rough terrain, next to MuJoCo's mj_multiRay in the same run.

    python benchmarks/rays.py

Both engines get the same robot's shapes count, the same heights and the same rays; they take turns and the
best of several rounds counts, so that what else the machine does weighs on both alike.
"""

import math
import time

import numpy as np

import tribo
from tribo.tools.demo import ASSETS

ROUNDS = 15
CELLS = 128


def heights():
    """Return heights of an 8 m × 8 m terrain, (ny, nx) [m]."""
    return tribo.HeightField.fractal(size=(8, 8), samples=(CELLS, CELLS), z_scale=0.3, seed=1).heights


def tribo_world():
    """Return a quadruped that stands over terrain."""
    world = tribo.World()
    world.add_height_map(heights(), (8, 8))
    world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.8))
    return world


def mujoco_scene(world):
    """Return model and data with the same terrain and the same shapes at the same places."""
    import mujoco

    values = heights()
    low, top = float(values.min()), float(values.max())
    robot = world.objects[1]
    geoms = []
    engine = world.engine
    positions, rotations = robot.body_poses()
    for s in range(robot.span.shape.start, robot.span.shape.stop):
        model = engine.model
        body = model.shape_body[s] - robot.span.body.start
        at = positions[body] + rotations[body] @ model.shape_pos[s]
        turn = rotations[body] @ model.shape_rot[s].reshape(3, 3)
        kind = {1: "sphere", 2: "box", 3: "capsule", 4: "cylinder"}[int(model.shape_kind[s])]
        axes = " ".join(f"{x:.12g}" for x in (*turn[:, 0], *turn[:, 1]))
        size = " ".join(f"{max(x, 1e-3):.12g}" for x in model.shape_size[s])
        place = " ".join(f"{x:.12g}" for x in at)
        geoms.append(f'<geom type="{kind}" pos="{place}" xyaxes="{axes}" size="{size}"/>')
    text = f"""<mujoco><asset>
      <hfield name="t" nrow="{CELLS}" ncol="{CELLS}" size="4 4 {top - low} 1"/></asset>
      <worldbody><geom type="hfield" hfield="t" pos="0 0 {low}"/>
      <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{"".join(geoms)}</body>
      </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    model.hfield_data[:] = ((values - low) / (top - low)).ravel()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def lidar_rays(count, rng=None):
    """Return directions of a spinning lidar, 16 rows from −30° to 10°; or random ones."""
    if rng is not None:
        return rng.normal(size=(count, 3))
    yaw, pitch = np.meshgrid(
        np.linspace(-math.pi, math.pi, count // 16, endpoint=False), np.radians(np.linspace(-30, 10, 16))
    )
    flat = np.cos(pitch)
    return np.stack([flat * np.cos(yaw), flat * np.sin(yaw), np.sin(pitch)], axis=2).reshape(-1, 3)


def best(calls):
    """Return the least time of each call [s], taking turns."""
    least = [math.inf] * len(calls)
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            least[k] = min(least[k], time.perf_counter() - start)
    return least


def main():
    """Print the table."""
    import mujoco

    world = tribo_world()
    model, data = mujoco_scene(world)
    eye = np.array([0.1, 0.0, 1.4])
    cases = {
        "lidar, 4000 points": lidar_rays(4000),
        "100 000 random rays": lidar_rays(100_000, np.random.default_rng(0)),
    }
    print(
        f"{'':24s} {'tribo':>10s} {'rays/s':>12s} {'MuJoCo':>10s} {'ratio':>7s} {'largest difference':>20s}"
    )
    for name, toward in cases.items():
        unit = np.ascontiguousarray(toward / np.linalg.norm(toward, axis=1)[:, None])
        count = len(unit)
        geom, distance = np.zeros(count, np.int32), np.zeros(count)

        def ours(unit=unit):
            return world.ray_test_batch(eye, unit)

        def theirs(unit=unit, geom=geom, distance=distance, count=count):
            mujoco.mj_multiRay(
                model, data, eye, unit.ravel(), None, 1, -1, geom, distance, None, count, mujoco.mjMAXVAL
            )

        one, two = best([ours, theirs])
        found = ours().distance
        both = np.isfinite(found) & (distance >= 0)
        off = np.abs(found - distance)[both]
        print(
            f"{name:24s} {1e3 * one:8.2f}ms {count / one:12.3g} {1e3 * two:8.2f}ms {two / one:6.1f}× "
            f"{np.quantile(off, 0.999):12.1e} (99.9 %), "
            f"hits {np.isfinite(found).sum()} / {(distance >= 0).sum()}"
        )


if __name__ == "__main__":
    main()
