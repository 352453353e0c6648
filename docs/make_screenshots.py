"""Make the screenshots of docs/gallery.md: PYTHONPATH=src:tests python docs/make_screenshots.py [NAMES …].

Ten scenes as a browser shows them, a headless Chromium without a GPU: WebP of 480 × 320 pixels, the middle
of the window. It needs
Chromium and the extras `robots` and `viewer`.
"""

from __future__ import annotations

import io
import math
import runpy
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from contracts import browser
from PIL import Image

import tribo
from tribo.tools import demo
from tribo.tools.demo import ASSETS
from tribo.viewer import BatchViewer

OUT = Path(__file__).parent / "_static" / "gallery"
SIZE = (1240, 530)  # of the window; its bar takes 140 pixels, and the panel lies over its right side
CUT = (335, 0, 905, 380)  # left, top, right, bottom of what is kept: the middle
PICTURE = (480, 320)
PORT = 8480
FADE = 12.0  # [s] until a page without a GPU has faded in
ALIKE = 0.05  # of 255, mean difference of pictures that are the same
PAUSE, PATIENCE = (5.0, 300.0)  # [s] between two looks whether meshes still come; after which it is an error


def quadruped(position: Any = (0, 0, 0.5)) -> tuple[tribo.World, Any]:
    """Return the package's robot on its feet."""
    world = tribo.World()
    world.add_ground(material="steel", name="ground")
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", name="robot", position=position)
    gains = np.r_[np.zeros(6), np.full(12, 60.0)]
    robot.set_pd_gains(gains, 0.05 * gains)
    return world, robot


def stands() -> tribo.Viewer:
    """A robot stands: contact forces, friction cones, joint axes."""
    world, _ = quadruped()
    world.step(1500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.1, -1.5, 0.9), (0, 0, 0.3))
    view.show_layers(cones=True, joints=True)
    return view


def anymal() -> tribo.Viewer:
    """ANYmal C from example-robot-data, with the meshes of its makers."""
    world = tribo.World()
    world.add_ground(name="ground")
    demo.add_robot(world, demo.anymal())
    world.step(1500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.3, -1.7, 1.0), (0, 0, 0.4))
    view.show_layers(names=True)
    return view


def masses() -> tribo.Viewer:
    """A robot without its looks: body frames, centres of mass, boxes of inertia."""
    world, _ = quadruped()
    world.step(1500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((0.9, -1.2, 0.8), (0, 0, 0.3))
    view.show_layers(frames=True, masses=True, inertias=True, visual=False)
    return view


def balls() -> tribo.Viewer:
    """A pile of 300 balls."""
    world = tribo.World()
    world.add_ground(material="grass", name="ground")
    world.default_pair = tribo.PairProperties(friction=0.6, rolling_friction=0.1)
    rng = np.random.default_rng(1)
    materials = ("steel", "copper", "wood", "ice", "rubber")
    for k in range(300):
        x, y = 0.21 * (k % 5 - 2), 0.21 * (k // 5 % 5 - 2)
        place = np.array([x, y, 0.1 + 0.21 * (k // 25)]) + 0.01 * rng.uniform(-1, 1, 3)
        world.add_sphere(0.1, 1.0, materials[k % 5], position=place)
    world.step(2500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((2.2, -3.0, 1.7), (0, 0, 0.35))
    view.show_layers(forces=False, contacts=False)
    return view


def mixed() -> tribo.Viewer:
    """Boxes, capsules, cylinders and balls in a heap, with what they press on one another."""
    world = tribo.World()
    world.add_ground(name="ground")
    world.default_pair = tribo.PairProperties(friction=0.6)
    rng = np.random.default_rng(2)
    for k in range(60):
        turn = rng.normal(size=4)
        place = (*rng.uniform(-0.3, 0.3, 2), 0.3 + 0.16 * k / 2)
        options = {"position": place, "orientation": turn / np.linalg.norm(turn)}
        if k % 4 == 0:
            world.add_box((0.3, 0.2, 0.1), 1.0, "wood", **options)
        elif k % 4 == 1:
            world.add_capsule(0.07, 0.2, 1.0, "copper", **options)
        elif k % 4 == 2:
            world.add_cylinder(0.09, 0.2, 1.0, "steel", **options)
        else:
            world.add_sphere(0.09, 1.0, "rubber", **options)
    world.step(4000)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.6, -2.2, 1.3), (0, 0, 0.2))
    return view


def wires() -> tribo.Viewer:
    """A net of wires with a ball in it."""
    world = tribo.World(time_step=1e-3)
    world.add_ground(name="ground")
    n, a = 7, 0.2
    knots: dict[tuple[int, int], Any] = {}
    for i in range(n):
        for j in range(n):
            place = (a * (i - (n - 1) / 2), a * (j - (n - 1) / 2), 1.2)
            rim = i in (0, n - 1) or j in (0, n - 1)
            kind = "static" if rim else "dynamic"
            knots[i, j] = world.add_sphere(0.025, 0.05, "brass", position=place, body_type=kind)
    for (i, j), knot in knots.items():
        for other in (knots.get((i + 1, j)), knots.get((i, j + 1))):
            if other is not None and "dynamic" in (knot.body_type.name.lower(), other.body_type.name.lower()):
                world.add_wire(knot, other, length=1.1 * a)
    world.add_sphere(0.22, 2.0, "rubber", position=(0.02, 0.03, 1.45), name="ball")
    world.step(2500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.5, -1.9, 1.7), (0, 0, 0.95))
    view.show_layers(forces=False)
    return view


def terrain() -> tribo.Viewer:
    """A height map with the triangles that collide, and a robot on it."""
    world = tribo.World()
    rng = np.random.default_rng(5)
    x, y = np.meshgrid(np.linspace(-2, 2, 41), np.linspace(-2, 2, 41), indexing="ij")
    heights = 0.2 * np.cos(1.7 * x) * np.cos(1.4 * y) + 0.01 * rng.normal(size=x.shape)
    world.add_height_map(heights, (4.0, 4.0), name="hills", material="grass")
    robot = demo.add_robot(world, demo.own_robot())
    robot.generalized_coordinate[2] += 0.24
    world.step(1500)
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.9, -2.3, 1.6), (0, 0, 0.15))
    return view


def batch() -> BatchViewer:
    """Nine worlds of a batch side by side, each with friction of its own."""
    world = tribo.World()
    world.add_ground(name="ground")
    tilt = math.radians(18.0)
    turn = (math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0)
    world.add_box((1.2, 0.5, 0.06), 1.0, "ice", name="ramp", position=(0, 0, 0.3), orientation=turn,
                  body_type="static")  # fmt: skip
    up = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    along = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    world.add_box((0.16, 0.16, 0.16), 1.0, "copper", name="slider", orientation=turn,
                  position=np.array([0, 0, 0.3]) + 0.1101 * up - 0.4 * along)  # fmt: skip
    many = tribo.Batch(world, 9, threads=1)
    many.set_material_pair("ice", "copper", friction=np.linspace(0.05, 0.4, 9))
    many.step(800)
    view = BatchViewer(many, world, spacing=1.5, port=PORT)
    view.set_camera((2.6, -4.6, 3.2), (0.1, 0.1, 0.1))
    return view


def sensors() -> tribo.Viewer:
    """A lidar and a depth camera on a robot among boxes: points and image."""
    world, robot = quadruped()
    rng = np.random.default_rng(3)
    for k in range(10):
        angle = 0.63 * k + 0.3
        place = (1.6 * math.cos(angle), 1.6 * math.sin(angle), 0.2)
        world.add_box((0.2, 0.2 + 0.3 * rng.random(), 0.4), 1.0, "wood", name=f"box {k}", position=place,
                      body_type="static")  # fmt: skip
    world.step(1200)
    lidar = world.add_lidar(
        robot, yaw_samples=240, pitch=np.linspace(-0.5, 0.15, 16), name="lidar", position=(0, 0, 0.15)
    )
    camera = world.add_depth_camera(
        robot, width=96, height=64, name="camera", position=(0.35, 0, 0.05), clip=(0.05, 4.0)
    )
    lidar.measure()
    camera.measure()
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((2.2, -3.0, 2.2), (0, 0, 0.2))
    view.show_layers(sensors=True)
    return view


def arch() -> tribo.Viewer:
    """An arch of stones from mesh files, each held by its neighbours alone: friction cones."""
    made = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "14_mesh_stack.py"))
    world = made["world"]
    view = tribo.Viewer(world, port=PORT)
    view.set_camera((1.2, -3.6, 1.3), (0, 0, 0.65))
    view.show_layers(cones=True)
    return view


SCENES: dict[str, Callable[[], Any]] = {
    "stands": stands, "anymal": anymal, "masses": masses, "balls": balls, "mixed": mixed, "wires": wires,
    "terrain": terrain, "batch": batch, "sensors": sensors, "arch": arch,
}  # fmt: skip


def settled(page: browser.Page) -> Image.Image:
    """Return the middle of what is seen when it no longer changes."""
    time.sleep(FADE)
    end, before, now = time.monotonic() + PATIENCE, None, _middle(page)
    while before is None or np.abs(np.asarray(before, float) - np.asarray(now, float)).mean() > ALIKE:
        if time.monotonic() > end:
            raise TimeoutError("the page does not come to rest")
        time.sleep(PAUSE)
        before, now = now, _middle(page)
    return now


def _middle(page: browser.Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB").crop(CUT)


def shot(view: Any, file: Path) -> None:
    """Open the page as a person would, wait until it is drawn, keep what is seen."""
    done = threading.Event()
    trouble: list[BaseException] = []

    def person() -> None:
        try:
            with (
                tempfile.TemporaryDirectory() as folder,
                browser.opened(view.address, Path(folder), SIZE) as page,
            ):
                page.wait_for("time")
                page.run("document.querySelector('[class*=Notification] button')?.click()")
                picture = settled(page).resize(PICTURE, Image.Resampling.LANCZOS)
                picture.save(file, quality=80, method=6)
        except BaseException as error:
            trouble.append(error)
        finally:
            done.set()

    threading.Thread(target=person).start()
    while not done.is_set():
        view.update()
        time.sleep(0.2)
    if trouble:
        raise trouble[0]


def main(names: list[str]) -> None:
    """Make all of them, or some."""
    OUT.mkdir(exist_ok=True)
    browser.PATIENCE = PATIENCE  # a busy machine takes its time
    for name, build in SCENES.items():
        if names and name not in names:
            continue
        with build() as view:
            file = OUT / f"scene_{name}.webp"
            shot(view, file)
        print(f"{name}: {file.stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
