"""A lidar and a depth camera on a quadruped that stands on rough terrain.

    python examples/16_lidar.py [PICTURE.png]

The lidar turns ten times a second and sees hills and stairs; its points must lie on the terrain. With a file
name the scan and the depth image are drawn (extra: plot).
"""

import sys

import numpy as np

import tribo
from tribo.sensors import Noise
from tribo.tools.demo import ASSETS

FRONT, HIND = [0.0, 0.5, -1.0], [0.0, -0.5, 1.0]  # HAA, HFE, KFE of a leg [rad]


def build():
    """Return a world with a quadruped, its terrain and its two sensors."""
    world = tribo.World()
    hills = world.add_height_map(
        tribo.HeightField.fractal(size=(12, 12), samples=(121, 121), z_scale=0.5, seed=4),
        position=(0, 0, -0.4), material="rock",
    )  # fmt: skip
    ground = hills.height(0, 0) + hills.position[2]
    world.add_cylinder(0.3, 2.0, 1.0, body_type="static", position=(3.0, 0.8, ground + 0.8))
    world.add_box((0.6, 0.6, 0.6), 1.0, body_type="static", position=(2.2, -0.7, ground + 0.3))
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf")
    stance = np.array([0, 0, ground + 0.5, 1, 0, 0, 0, *FRONT, *FRONT, *HIND, *HIND])
    robot.generalized_coordinate = robot.pd_target = stance
    robot.set_pd_gains(100.0, 2.0)
    base = robot.body_names[0]
    lidar = world.add_lidar(
        robot, base, position=(0, 0, 0.3), yaw_samples=250, pitch=np.radians(np.linspace(-30, 10, 16)),
        range_limits=(0.2, 20.0), spin_rate=10.0, update_rate=10.0, noise=Noise(stddev=0.005), seed=1,
    )  # fmt: skip
    camera = world.add_depth_camera(
        robot, base, position=(0.35, 0, 0.15), orientation=(np.cos(0.1), 0, np.sin(0.1), 0),
        width=320, height=240, horizontal_fov=1.2, clip=(0.05, 15.0),
    )  # fmt: skip
    return world, hills, lidar, camera


def draw(path, world, lidar, camera):
    """Draw the scan from above and the depth image."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    scan, image = lidar.reading, camera.reading
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    points = scan.points @ lidar.rotation_matrix.T + lidar.position
    dots = left.scatter(points[:, 0], points[:, 1], c=points[:, 2], s=2, cmap="viridis")
    left.plot(*lidar.position[:2], "r^")
    left.set(title=f"lidar, {len(points)} points", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    figure.colorbar(dots, ax=left, label="height [m]")
    shown = right.imshow(image.depth, cmap="magma_r")
    right.set(title="depth camera", xlabel="column", ylabel="row")
    figure.colorbar(shown, ax=right, label="depth [m]", shrink=0.75)
    figure.savefig(path, dpi=80)


def main():
    """Step for a second, look, and check what was seen."""
    world, hills, lidar, camera = build()
    world.step(1000)
    scan, image = lidar.reading, camera.measure()
    points = scan.points @ lidar.rotation_matrix.T + lidar.position
    objects = np.array(world.objects, dtype=object)
    of_terrain = objects[scan.object_index[np.isfinite(scan.ranges)]] == hills
    local = points[of_terrain] - hills.position
    inside = (np.abs(local[:, :2]) < 5.99).all(axis=1)
    over = [z - hills.height(x, y) for x, y, z in local[inside]]
    print(f"{scan.ranges.size} beams, {len(points)} hits, {int(of_terrain.sum())} of them on the terrain")
    print(f"points lie {np.std(over) * 1e3:.1f} mm (standard deviation) off the terrain")
    print(f"depth image: {np.nanmin(image.depth):.2f} … {np.nanmax(image.depth):.2f} m")
    if len(sys.argv) > 1:
        draw(sys.argv[1], world, lidar, camera)
    assert len(points) > 1500
    assert np.std(over) < 0.006
    assert abs(np.mean(over)) < 0.001
    assert {"cylinder_1", "box_2"} <= {world.objects[k].name for k in np.unique(image.segmentation) if k >= 0}


if __name__ == "__main__":
    main()
