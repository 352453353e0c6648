"""A step that brings energy or overlap that there was not says so: `Status.TIME_STEP_TOO_LONG`."""

from itertools import pairwise

import numpy as np
import pytest

import tribo
from tribo import Status

CORNERS = np.array([[x, y, z] for x in (-0.05, 0.05) for y in (-0.15, 0.15) for z in (-0.03, 0.03)])


def hang(seed, time_step, masses=(5.0, 0.05, 5.0)):
    """Return a world in which boxes hang in a row, the light ones between heavy ones, and are thrown."""
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=time_step)
    boxes = [
        world.add_box((0.1, 0.15, 0.2), mass, position=(0, 0.3 * k, 0.5 + 0.35 * k), collision_mask=0)
        for k, mass in enumerate(masses)
    ]
    for box in boxes:
        box.linear_velocity = rng.normal(size=3)
        box.angular_velocity = 3.0 * rng.normal(size=3)
    for one, other in pairwise(boxes):
        world.add_wire(one, other)
    world.add_wire(boxes[-1], None, second_point=np.add(boxes[-1].position, (0.0, 0.3, 0.5)))
    return world


@pytest.mark.parametrize("erp", [0.0, 1.0])
@pytest.mark.parametrize(("seed", "time_step"), [(0, 4e-3), (1, 2e-3), (1, 4e-3)])
def test_wires_that_bring_energy_say_so(seed, time_step, erp):
    """A wire whose direction turns by θ in a step exchanges θ³/8 of the energy; turns of 0.1 rad go unsaid.

    The energy is that of motion, and of weight at the height of a body: half the diagonal of a box. A box
    that flies falls to second order exactly, so wires alone can bring energy.
    """
    world = hang(seed, time_step)
    for wire in world.constraints:
        wire.erp = erp
    height = (
        sum(9.81 * body.mass for body in world.objects if body.mass) * 0.5 * np.linalg.norm((0.1, 0.15, 0.2))
    )
    most = said = 0.0
    energy = world.energy
    for _ in range(400):
        world.step()
        gain = (world.energy - energy) / (world.kinetic_energy + height)
        if world.status & Status.TIME_STEP_TOO_LONG:
            said = max(said, gain)
        else:
            most = max(most, gain)
        energy = world.energy
    assert most <= 0.1**3 / 8
    assert said > 0.1**3 / 8  # the scene asks


def test_a_corner_that_a_hit_turns_into_the_ground_says_so(caplog):
    """A box that rebounds on one corner turns another one into the ground by 1.7 mm within a step of 4 ms."""
    world = tribo.World(time_step=4e-3)
    world.add_ground()
    world.set_material_pair("default", "default", friction=0.8, restitution=0.8)
    box = world.add_box((0.1, 0.3, 0.06), 1.0, position=(0, 0, 0.5))
    rng = np.random.default_rng(50)
    box.orientation = (turn := rng.normal(size=4)) / np.linalg.norm(turn)
    box.linear_velocity = (0, 0, -3)
    box.angular_velocity = 10.0 * rng.normal(size=3)
    deepest = depth = 0.0
    for _ in range(40):
        world.step()
        before, depth = (
            depth,
            -min(0.0, (box.position + CORNERS @ np.transpose(box.rotation_matrix))[:, 2].min()),
        )
        deepest = max(deepest, depth - before)
        assert depth - before < 1e-3 or world.status & Status.TIME_STEP_TOO_LONG
    assert deepest > 1e-3  # the scene asks
    assert "too long for a hit that turns another corner of a body" in caplog.text


@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.78, 1.0])
def test_a_ball_that_rebounds_at_its_own_time_says_nothing(restitution):
    """It flies up from the ground at e times the speed of its fall, from the instant of the impact on."""
    world = tribo.World(time_step=2e-3)
    world.impact = "propagate"
    world.add_ground()
    world.set_material_pair("default", "default", restitution=restitution, restitution_threshold=0.0)
    ball = world.add_sphere(0.02, 0.0027, position=(0, 0, 0.4))
    fall, fast = np.sqrt(2 * 0.38 / 9.81), np.sqrt(2 * 0.38 * 9.81)
    up = 2 * restitution * fast / 9.81
    while world.time < fall + 0.9 * up:
        world.step()
        assert not world.status
        since = world.time - fall
        if since > 0.0:
            height = restitution * fast * since - 0.5 * 9.81 * since**2
            assert ball.position[2] - 0.02 == pytest.approx(height, abs=1e-5)


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize(("seed", "time_step"), [(2, 4e-3), (4, 4e-3), (14, 4e-3), (5, 2e-3), (13, 2e-3)])
def test_a_chain_whose_links_touch_gains_no_energy(seed, time_step, ground):
    """Boxes on pins that turn by up to a radian in a step, and touch each other and the ground.

    A step may bring a thousandth of what moves (`energy_limiter.ERROR`).
    """
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=time_step, gravity=(0, 0, -9.81 * ground))
    if ground:
        world.add_ground()
    boxes = [
        world.add_box((0.2, 0.16, 0.12), 10 ** rng.uniform(-1.5, 0), position=(0.22 * k, 0, 0.3))
        for k in range(4)
    ]
    for box in boxes:
        box.angular_velocity = 200.0 / 1.7 * rng.normal(size=3)
    for one, other in pairwise(boxes):
        world.add_pin(one, other).collide = True
    energy = world.energy
    for _ in range(200):
        world.step()
        assert world.energy <= 1.001**200 * energy


@pytest.mark.parametrize("seed", [2, 7, 15, 18])
@pytest.mark.parametrize("time_step", [1e-3, 2e-3])
def test_a_closed_chain_that_presses_bodies_into_one_another_gains_no_energy(seed, time_step):
    """Ties that hold two boxes in an overlap, and the contact between them, push by 1e5 N s and more.

    What ties give more than a hundredth of the energy is taken back (`energy_limiter.REMOVED_WORK`).
    """
    rng = np.random.default_rng(seed)
    world = tribo.World(time_step=time_step, gravity=(0, 0, 0))
    boxes = [
        world.add_box((0.2, 0.2, 0.2), 10 ** rng.uniform(-1, 0.5), position=(0.3 * k, 0, 0.3))
        for k in range(3)
    ]
    boxes.append(world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.48, 0, 0.3)))
    for box in boxes:
        box.linear_velocity = rng.normal(size=3)
        box.angular_velocity = 10.0 * rng.normal(size=3)
    for box in boxes:
        box.orientation = (turn := rng.normal(size=4)) / np.linalg.norm(turn)
    kinds = [world.add_hinge, world.add_pin, world.add_hinge, world.add_weld]
    ring = [boxes[k] for k in (0, 1, 3, 2, 0)]
    for k, (one, other) in enumerate(pairwise(ring)):
        rng.choice(kinds)(one, other).collide = k == 1
    world.step()
    first = energy = world.energy
    for _ in range(100):
        world.step()
        assert world.energy <= 1.01 * energy
        energy = world.energy
    assert energy <= first


def whirl(lies):
    """Return the energies of three links that whirl between stops, with a box on their base or without."""
    links = "".join(
        f'<link name="l{k}"><inertial><origin xyz="{0.1 * (k == 2)} 0 .25"/><mass value="{mass}"/>'
        f'<inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz=".002"/></inertial></link>'
        f'<joint name="j{k}" type="revolute"><parent link="{"base" if k == 0 else f"l{k - 1}"}"/>'
        f'<child link="l{k}"/><origin xyz="0 0 .5"/><axis xyz="{k % 2} {1 - k % 2} 0"/>'
        '<limit lower="-1" upper="1" effort="100" velocity="1000"/></joint>'
        for k, (mass, i) in enumerate([(1.0, 0.02), (0.3, 0.006), (0.1, 0.002)])
    )
    world = tribo.World(time_step=2e-3)
    robot = world.add_articulated_system(
        '<robot name="r"><link name="world"/><link name="base"><collision><geometry><box size=".2 .2 .2"/>'
        '</geometry></collision></link><joint name="w" type="fixed"><parent link="world"/>'
        f'<child link="base"/></joint>{links}</robot>'
    )
    robot.generalized_velocity = 150.0 * np.random.default_rng(6).normal(size=3)
    if lies:
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1999))
    energies = []
    for _ in range(100):
        world.step()
        energies.append(robot.energy)
    return energies


def test_what_lies_on_the_base_of_a_robot_leaves_its_stops_as_they_are():
    """A box on the base is no contact of the links: the energy that stops may bring is bounded alike."""
    alone = whirl(lies=False)
    np.testing.assert_allclose(whirl(lies=True), alone, rtol=1e-6)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
@pytest.mark.parametrize("tie", ["add_wire", "add_pin"])
def test_a_pendulum_that_swings_slowly_says_nothing(integrator, tie):
    """At most 0.02 rad in a step, whatever the order of the method."""
    world = tribo.World(time_step=4e-3)
    world.integrator = integrator
    bob = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.5, 0, 0))
    place = {"second_point": (0, 0, 0.866)} if tie == "add_wire" else {"position": (0, 0, 0.866)}
    getattr(world, tie)(bob, None, **place)
    for _ in range(500):
        world.step()
        assert not world.status & Status.TIME_STEP_TOO_LONG
