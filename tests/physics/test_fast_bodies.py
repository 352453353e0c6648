"""Fast bodies against thin ones: contacts that a step can reach are rows of its solve, so none is missed."""

import numpy as np
import pytest
from shapes import CUBE

from tribo import CompoundPart, HeightField, Status, World

SPEED = 50.0  # [m/s]: ten times the size of the bullet per step
CORNERS = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
TARGETS = {
    "plate": lambda w: w.add_box((2.0, 2.0, 0.001), 1.0, body_type="static"),
    "loose plate": lambda w: w.add_box((2.0, 2.0, 0.001), 8.0),
    "plate of a hull": lambda w: w.add_convex(CUBE * (1.0, 1.0, 5e-4), 1.0, body_type="static"),
    "compound": lambda w: w.add_compound(
        [CompoundPart("box", (1.0, 2.0, 0.001), position=(s * 0.5, 0, 0)) for s in (-1, 1)], 8.0
    ),
    "triangles": lambda w: w.add_surface(CORNERS, [(0, 1, 2), (0, 2, 3)]),
    "height map": lambda w: w.add_height_map(HeightField(np.zeros((5, 5)), (2.0, 2.0))),
}
BULLETS = {
    "ball": lambda w, **o: w.add_sphere(0.005, 0.01, **o),
    "box": lambda w, **o: w.add_box((0.01, 0.01, 0.01), 0.01, **o),
    "cylinder": lambda w, **o: w.add_cylinder(0.005, 0.01, 0.01, **o),
    "hull": lambda w, **o: w.add_convex(0.005 * CUBE, 0.01, **o),
}


@pytest.mark.parametrize("bullet", BULLETS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_bullet_does_not_pass(target, bullet):
    rng = np.random.default_rng(3)
    for _ in range(10):
        world = World(gravity=(0, 0, 0))
        plate = TARGETS[target](world)
        way = rng.normal(size=3)
        way[2] = -abs(way[2]) - 0.5
        way /= np.linalg.norm(way)
        start = np.array([*rng.uniform(-0.3, 0.3, 2), 0.0]) - way * rng.uniform(0.1, 0.2)
        turn = rng.normal(size=4)
        options = {"position": start, "orientation": turn / np.linalg.norm(turn)}
        spin = rng.normal(size=3) * 100.0
        body = BULLETS[bullet](world, linear_velocity=SPEED * way, angular_velocity=spin, **options)
        world.step(8)
        place = plate.rotation_matrix.T @ (body.position - plate.position)
        assert place[2] > 0.0


@pytest.mark.parametrize("target", ["plate", "loose plate", "plate of a hull", "compound"])
def test_a_thin_rod_does_not_pass(target):
    """A rod of 2 mm, 0.1 m long, crosses ten times the plate in 0.2 ms; neither end stays below.

    One end hits first, and the rod is then turned by 1000 rad/s: steps of 1 ms are too long for that.
    """
    rng = np.random.default_rng(3)
    for _ in range(10):
        world = World(gravity=(0, 0, 0))
        world.time_step = 2e-4
        plate = TARGETS[target](world)
        turn = rng.normal(size=4)
        rod = world.add_capsule(
            0.001, 0.1, 0.01, position=(*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.1, 0.2)),
            orientation=turn / np.linalg.norm(turn), linear_velocity=(0.0, 0.0, -SPEED),
            angular_velocity=rng.normal(size=3) * 10.0,
        )  # fmt: skip
        world.step(40)
        half = 0.05 * rod.rotation_matrix[:, 2]
        for end in (rod.position + half, rod.position, rod.position - half):
            assert (plate.rotation_matrix.T @ (end - plate.position))[2] > 0.0


@pytest.mark.parametrize("impact", ["simultaneous", "propagate"])
@pytest.mark.parametrize("bullet", BULLETS)
@pytest.mark.parametrize("target", TARGETS)
def test_a_body_that_is_hit_does_not_pass(target, bullet, impact):
    """At rest until the step in which a hit makes it so fast that the same step crosses the plate.

    (Only the pose at the end of the step was tested: beyond the plate, where nothing overlaps.)
    """
    for speed in (12.0, 30.0, 60.0):
        world = World(gravity=(0, 0, 0))
        world.impact = impact
        plate = TARGETS[target](world)
        body = BULLETS[bullet](world, position=(0.0, 0.0, 0.0115), material="bullet")
        striker = world.add_sphere(
            0.005, 0.01, "striker", position=(0, 0, 0.05), linear_velocity=(0, 0, -speed)
        )
        world.set_material_pair("striker", "bullet", restitution=1.0)
        for _ in range(8):
            world.step()
            for ball in (body, striker):
                assert (plate.rotation_matrix.T @ (ball.position - plate.position))[2] > 0.0
        assert world.status == 0


def test_what_rebounds_is_stopped_where_it_is_hit_past_a_plate():
    """A contact in the middle of a step does not rebound: the step says that it is too long."""
    world = World(gravity=(0, 0, 0))
    TARGETS["plate"](world)
    body = world.add_sphere(0.005, 0.01, "bullet", position=(0.0, 0.0, 0.0115))
    world.add_sphere(0.005, 0.01, "striker", position=(0, 0, 0.05), linear_velocity=(0, 0, -20.0))
    world.set_material_pair("striker", "bullet", restitution=1.0)
    world.set_material_pair("default", "bullet", restitution=0.5)
    said = 0
    for _ in range(8):
        world.step()
        said |= world.status
        assert body.position[2] > 0.0
    assert said & Status.TIME_STEP_TOO_LONG
    assert body.linear_velocity[2] > 0.0


@pytest.mark.parametrize("restitution", [0.05, 0.3])
def test_a_small_ellipsoid_does_not_pass_as_its_end_rebounds(restitution):
    """The end that is hit leaves the plate and the body turns about it, but its core stays on its side.

    The step is too long for what follows the first hit, and says so where the core is stopped.
    """
    rng = np.random.default_rng(2)
    said = 0
    for _ in range(60):
        world = World(gravity=(0, 0, 0))
        world.set_material_pair("default", "default", friction=0.0, restitution=restitution)
        world.add_box((2.0, 2.0, 0.002), 1.0, body_type="static")
        turn = rng.normal(size=4)
        body = world.add_ellipsoid(
            (0.01, 0.007, 0.005), 1.0, position=(0.1, 0.05, 0.014 + 0.1 * (2.0 + rng.random())),
            orientation=turn / np.linalg.norm(turn), linear_velocity=(0.0, 0.0, -100.0),
        )  # fmt: skip
        for _ in range(8):
            world.step()
            said |= world.status
        assert body.position[2] > 0.0
    assert said & ~Status.TIME_STEP_TOO_LONG == 0


HAMMER = """<robot name="hammer"><link name="head">
<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="0.1"/>
<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="head"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"""


def falling_hammer(height):
    """Return a world in which a robot comes down at 20 m/s, by its diameter in a step of 10 ms."""
    world = World(time_step=0.01)
    world.add_ground()
    world.add_articulated_system(HAMMER, name="hammer", position=(0, 0, height))
    world["hammer"].generalized_velocity = [0, 0, -20, 0, 0, 0, 0]
    return world


def test_the_first_step_of_a_robot_sees_how_fast_it_is():
    """What a robot can reach follows from its velocity now, not from the step before."""
    world = falling_hammer(0.25)
    world.step()
    assert world["hammer"].position[2] > 0.1
    world.step()
    assert world["hammer"].position[2] == pytest.approx(0.1, abs=1e-6)
    assert world["hammer"].linear_velocity[2] > -1e-6


def test_a_fast_robot_goes_on_bit_for_bit_in_another_world():
    """The step after `load_state` has fresh scratch, which knows no velocity."""
    for steps in range(10, 15):
        world, other = falling_hammer(3.0), falling_hammer(3.0)
        world.step(steps)
        other.load_state(world.dump_state())
        world.step()
        other.step()
        assert other.hash() == world.hash()
