"""Make docs/_static/viewer.png, what a browser shows: PYTHONPATH=tests python docs/make_viewer_picture.py."""

import math
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from contracts import browser

import tribo
from tribo.tools.demo import ASSETS

OUT = Path(__file__).parent / "_static" / "viewer.png"
RAMP = np.array([-0.6, 1.6, 0.4])  # [m]
TEXTS = 40.0  # [s] until a page without a GPU has drawn texts


def scene() -> tribo.World:
    """Return a robot that stands and will be pulled, a copper box on a ramp of ice, and a ball."""
    world = tribo.World()
    world.add_ground(material="steel", name="ground")
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", name="robot", position=(0, 0, 0.5))
    gains = np.r_[np.zeros(6), np.full(12, 60.0)]
    robot.set_pd_gains(gains, 0.05 * gains)
    tilt = math.radians(14.0)
    turn = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    world.add_box((1.6, 0.8, 0.1), 1.0, "ice", name="ramp", position=RAMP, orientation=turn,
                  body_type="static")  # fmt: skip
    up = np.array([math.sin(tilt), 0.0, math.cos(tilt)])
    along = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    world.add_box((0.2, 0.2, 0.2), 2.0, "copper", name="slider", orientation=turn,
                  position=RAMP + 0.1501 * up - 0.5 * along)  # fmt: skip
    world.set_material_pair("ice", "copper", friction=0.3)
    world.add_sphere(0.2, 1.0, "rubber", name="ball", position=(-0.9, 0.2, 0.2))
    return world


def look(viewer: tribo.Viewer, folder: Path) -> None:
    """Be the person at the page."""
    with browser.opened(viewer.address, folder, (1280, 860)) as page:
        page.wait_for("real-time factor")
        time.sleep(12.0)  # the page fades in
        page.run("document.querySelector('[class*=Notification] button')?.click()")
        for text in ("Friction cones", "Names"):
            page.check(text)
        place = page.run("[innerWidth * 0.5, innerHeight * 0.5]")
        page.mouse("Moved", *place, ctrl=True)
        time.sleep(0.5)
        page.mouse("Pressed", *place, ctrl=True)
        for k in range(5):
            page.mouse("Moved", place[0] + 20 * k, place[1] - 12 * k, ctrl=True)
            time.sleep(0.1)
        time.sleep(TEXTS)
        OUT.write_bytes(page.screenshot())


world = scene()
with tribo.Viewer(world, port=8499) as viewer, tempfile.TemporaryDirectory() as folder:
    viewer.set_camera((1.2, -2.0, 1.0), (0, 0, 0.5))
    viewer.add_visual_sphere("goal", 0.12, color=(1, 0.5, 0, 0.5), position=(-0.75, -0.7, 0.35))
    viewer.add_visual_text("goal text", "goal", position=(-0.75, -0.7, 0.5))
    turn = np.linspace(0, 6 * np.pi, 200)
    coil = np.stack([0.2 * np.cos(turn) - 0.75, 0.2 * np.sin(turn) - 0.7, turn / 40], axis=1)
    viewer.add_visual_polyline("path", coil, color=(0.6, 0.1, 0.6))
    person = threading.Thread(target=look, args=(viewer, Path(folder)))
    person.start()
    while person.is_alive():
        viewer.run(0.2)
