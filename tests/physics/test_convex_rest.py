"""Convex solids at rest: a hull in the form of a cube is a cube, and no contact comes or goes."""

import numpy as np
import pytest
from shapes import CUBE

from tribo import World

STEPS = 5000  # 10 s


def keys(world):
    """Return the features in contact."""
    work = world.engine.work
    return tuple(work.contact_key[: work.contact_count[0]].tolist())


def test_cube_as_hull_slides_and_rests_as_a_box_does():
    # F21. Same corners on the plane, so the same problem but for the order of its rows.
    paths = []
    for kind in ("box", "hull"):
        world = World(time_step=0.002)
        world.add_ground()
        options = {"position": (0, 0, 0.1), "linear_velocity": (1.0, 0.5, 0.0)}
        if kind == "box":
            body = world.add_box((0.2, 0.2, 0.2), 1.0, **options)
        else:
            body = world.add_convex(0.1 * CUBE, 1.0, **options)
        np.testing.assert_allclose(body.inertia, np.eye(3) * 0.04 / 6.0, atol=1e-15)
        path = []
        for _ in range(300):
            world.step()
            path.append(np.r_[body.position, body.linear_velocity])
        paths.append(path)
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-9)


@pytest.mark.parametrize("what", ["hull", "cylinder", "lying cylinder", "cone", "ellipsoid", "stack"])
def test_contacts_of_what_rests_on_a_box_neither_come_nor_go(what):
    world = World(time_step=0.002)
    world.add_box((1.0, 1.0, 0.2), 1.0, body_type="static", position=(0, 0, -0.1))
    side = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    if what == "hull":
        body, count = world.add_convex(0.1 * CUBE, 1.0, position=(0, 0, 0.1)), 4
    elif what == "cylinder":
        body, count = world.add_cylinder(0.1, 0.2, 1.0, position=(0, 0, 0.1)), 4
    elif what == "lying cylinder":
        body, count = world.add_cylinder(0.1, 0.2, 1.0, position=(0, 0, 0.1), orientation=side), 2
    elif what == "cone":
        body, count = world.add_cone(0.1, 0.2, 1.0, position=(0, 0, 0.05)), 4
    elif what == "ellipsoid":
        body, count = world.add_ellipsoid((0.1, 0.15, 0.05), 1.0, position=(0, 0, 0.05)), 1
    else:
        world.add_cylinder(0.1, 0.2, 1.0, position=(0, 0, 0.1))
        body, count = world.add_cylinder(0.1, 0.2, 1.0, position=(0, 0, 0.3)), 8
    world.step(100)
    before, start = keys(world), body.position
    assert len(before) == count
    for _ in range(STEPS // 50):
        world.step(50)
        assert keys(world) == before
    np.testing.assert_allclose(body.position, start, atol=1e-9)
