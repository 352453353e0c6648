"""Jammed: contacts that no impulse can open are said, and their impulses stay of a sensible size."""

import numpy as np
import pytest
from scenes import QUADRUPED, base, empty_world, joint_body

import tribo
from tribo.contact import position_pass
from tribo.description.trees import ShapeDescription, TreeDescription
from tribo.model import Joint, Shape, Status


def jammed(tilt, kind):
    """Return a robot of two links on parallel hinges, the second 1 mm deep in a block of its own base.

    Its hinges move it along the block's face, or very nearly so: overlap asks for what they cannot give.
    """
    root = base()
    root.shapes.append(ShapeDescription(Shape.BOX, (0.2, 0.2, 0.05), (0.3, 0, 0)))
    axis = (np.sin(tilt), 0.0, np.cos(tilt))
    own = {"com": (0.1, 0.05, 0.01), "inertia": np.diag([0.01, 0.02, 0.03]), "axis": axis}
    links = [root, *(joint_body(f"l{k}", k, Joint.REVOLUTE, 1.0, position=(0.15 * k, 0.01 * k, 0), **own)
                     for k in range(2))]  # fmt: skip
    size = {Shape.BOX: (0.1, 0.1, 0.05), Shape.SPHERE: (0.05,)}[kind]
    links[-1].shapes.append(ShapeDescription(kind, size, (0.15, 0, 0.099)))
    world = empty_world(1e-3, friction=0.8)
    robot = world.add_articulated_system(
        TreeDescription(links), position=(0, 0, 1), self_collision="as in file"
    )
    return world, robot


@pytest.mark.parametrize("kind", [Shape.BOX, Shape.SPHERE])
@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-6, 1e-3, 0.1])
def test_a_jam_is_said_and_stays_finite(tilt, kind):
    """Recovery of 1 mm is 0.2 m/s, so 0.4 N s for both links. (Before, 3e11 N s.)"""
    world, robot = jammed(tilt, kind)
    for _ in range(20):
        world.step()
        assert world.status & (Status.NOT_CONVERGED | Status.CORRECTION_LIMITED) or tilt == 0.1
        largest = max(np.abs(contact.impulse).max() for contact in world.contacts)
        # At 0.1 friction locks the wedge: impulses in it that move nothing have no size of their own.
        assert largest <= 1e3 * 0.4 or tilt == 0.1
        assert np.isfinite(robot.generalized_velocity).all()
    assert np.abs(robot.generalized_velocity).max() <= 20.0


def test_a_jam_that_nothing_can_open_has_no_impulse():
    world, robot = jammed(0.0, Shape.BOX)
    world.step(20)
    assert all(not contact.impulse.any() for contact in world.contacts)
    assert not robot.generalized_velocity.any()


@pytest.mark.parametrize("beside", [0.0, 0.1, 0.2])
def test_robots_in_one_place_are_not_shot_out(beside):
    """Their overlaps bring no absurd energy: at most what 30 steps of twice the speed of recovery would."""
    world = tribo.World()
    world.add_ground()
    robots = [world.add_articulated_system(QUADRUPED, position=(0, k * beside, 0.5)) for k in range(2)]
    energy = sum(r.potential_energy for r in robots)
    a_step = 0.5 * (2.0 * world.max_push_out_speed) ** 2 * sum(r.mass for r in robots)
    for _ in range(500):
        world.step()
        total = sum(r.kinetic_energy + r.potential_energy for r in robots)
        assert total - energy <= 30.0 * a_step
    assert all(r.generalized_coordinate[2] < 0.7 for r in robots)


def test_a_light_body_pushes_heavy_ones_aside():
    """Though that takes more energy than its own overlaps need. (Before, it stayed in them for ever.)"""
    world = empty_world(1e-3, friction=0.5, gravity=(0, 0, 0))
    world.contact_solver, world.max_sweeps = "sweeps", 8
    for side in (-1, 1):
        world.add_box((0.2, 0.2, 0.2), 10.0, position=(side * 0.195, 0, 0))
    world.add_sphere(0.1, 0.5)
    world.step()
    assert not world.status & Status.NOT_CONVERGED
    deepest = max(contact.depth for contact in world.contacts)
    assert deepest == pytest.approx(5e-3)
    world.step(499)
    assert max((contact.depth for contact in world.contacts), default=0.0) < 1e-3 * deepest
    assert world.kinetic_energy <= 0.5 * (2.0 * world.max_push_out_speed) ** 2 * 20.5


def jammed_on_the_ground():
    """Return a table on the ground, an arm of which is 5 cm deep in it and cannot get out."""
    world = tribo.World()
    world.add_ground()
    root = tribo.LinkDescription("table")
    root.mass, root.inertia = 10.0, np.eye(3)
    root.add_shape("box", (0.6, 0.6, 0.2), mass=0.0)
    link = root
    for k in range(2):
        link = link.add_child(f"l{k}", "revolute", axis=(0, 0, 1), position=(0.1, 0, 0.1 * (1 - k)))
        link.mass, link.inertia = 1.0, 0.01 * np.eye(3)
    link.add_shape("box", (0.1, 0.1, 0.1), mass=0.0)
    return world, world.add_articulated_system(
        root, name="stand", position=(0, 0, 0.1), self_collision="as in file"
    )


def test_what_stands_and_jams_stands_well():
    """The correction that links refuse is no part of the solve, so the rest is solved, and cheaply.

    (Before, each step tried 160 Newton steps and left the feet with a residual of up to 0.5.)
    """
    world, robot = jammed_on_the_ground()
    weight = robot.mass * 9.81
    newton = []
    for k in range(200):
        world.step()
        newton.append(int(world.engine.work.newton_steps[0]))
        assert world.status & (Status.NOT_CONVERGED | Status.CORRECTION_LIMITED)
        borne = sum(c.force_on(robot)[2] for c in world.contacts if c.object_a is not c.object_b)
        assert borne == pytest.approx(weight, rel=1e-3) or k < 5
    assert np.mean(newton) < 20.0
    assert np.abs(robot.generalized_velocity).max() < 1e-3


def test_what_jams_and_is_in_the_ground_comes_out_of_it():
    """1 cm at 0.3 m/s at most. The jam inside ends only the recovery of what jams."""
    world, robot = jammed_on_the_ground()
    q = robot.generalized_coordinate
    q[2] -= 0.01
    robot.generalized_coordinate = q
    world.step(300)
    assert robot.generalized_coordinate[2] == pytest.approx(0.1, abs=1e-4)


def test_a_jam_goes_on_bit_for_bit_from_a_snapshot():
    world, robot = jammed_on_the_ground()
    world.step(37)
    start = world.snapshot()
    world.step(100)
    first = robot.generalized_coordinate.copy()
    world.restore(start)
    world.step(100)
    assert (robot.generalized_coordinate == first).all()


def test_links_that_always_overlap_are_named(caplog):
    world, robot = jammed_on_the_ground()
    world.step()
    assert "Deepest overlap: 0.05" in caplog.text
    assert "ignore_collision('table', 'l1')" in caplog.text
    assert robot.ignore_overlaps() == (("table", "l1"),)
    robot.allow_collision("table", "l1")
    robot.ignore_collision("table", "l1")
    world.step()
    assert world.status == 0


def _hand(stop):
    """Return a hand of four fingers that are drawn 7 mm in one another and spread up to `stop` [°]."""
    fingers = "".join(
        f"""<body pos="{0.013 * k} 0 0"><joint name="spread{k}" axis="0 1 0" range="-{stop} {stop}"/>
        <geom type="capsule" fromto="0 0 0.03 0 0 0.05" size="0.01" mass="0.01"/>
        <body pos="0 0 0.055"><joint name="bend{k}" axis="1 0 0" range="0 90"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.03" size="0.01" mass="0.006"/></body></body>"""
        for k in range(4)
    )
    return f"""<mujoco><compiler angle="degree"/><default><joint armature="2e-4" damping="2e-3"/></default>
    <worldbody><body name="palm" pos="0 0 0.3">
    <geom type="box" size="0.03 0.02 0.002" pos="0.02 0 -0.02" mass="0.3"/>{fingers}
    </body></worldbody></mujoco>"""


@pytest.mark.parametrize(("stop", "opens"), [(25, True), (2, False)])
def test_fingers_that_are_drawn_in_one_another_relax(stop, opens):
    """Four of them 20 mm thick and 13 mm apart at 30 mm: the outer ones have to spread by about 20°.

    Where their stops forbid it they stay where they are, which the status says.
    """
    world = tribo.World()
    world.load_mjcf(_hand(stop), self_collision="as in file")
    world.step()
    assert max(contact.depth for contact in world.contacts) == pytest.approx(7e-3, abs=1e-6)
    world.step(1000)
    world.step()
    deepest = max((contact.depth for contact in world.contacts), default=0.0)
    assert world.kinetic_energy < 1e-9
    if opens:
        assert deepest < 1e-5
        assert world.status == 0
    else:
        assert deepest > 5e-3
        assert world.status & tribo.Status.CORRECTION_LIMITED


def pressed_arm(tilt, dofs, rolling):
    """Return an arm of 1 or 2 joints, 20 µm deep in a wall that is inclined by `tilt`, and what presses it.

    To be called before each step.
    """
    a, radius, arm = np.radians(tilt), 0.05, 0.3
    normal = np.array([-np.sin(a), 0.0, np.cos(a)])
    world = tribo.World(time_step=0.002)
    world.set_material_pair(
        "rough", "rough", friction=1.0, rolling_friction=rolling, spinning_friction=rolling
    )
    place = np.array([arm, 0.0, 0.0])
    world.add_box(
        (0.4, 0.4, 0.2), 1.0, position=place - (radius + 0.1 - 2e-5) * normal, body_type="static",
        orientation=tribo.quaternion(rpy=(0, -a, 0)), material="rough",
    )  # fmt: skip
    link = root = tribo.LinkDescription("base")
    root.fix_to_world()
    if dofs == 2:
        link = link.add_child("yaw", "revolute", axis=(0, 0, 1))
        link.add_shape("sphere", (0.02,), mass=0.5, collides=False)
    link = link.add_child("arm", "revolute", axis=(0, -1, 0))
    link.add_shape("sphere", (radius,), mass=1.0, position=place, material="rough")
    robot = world.add_articulated_system(root)

    def press():
        robot.generalized_force = [0.0] * (dofs - 1) + [-5.0]

    return world, robot, press


@pytest.mark.parametrize("rolling", [0.0, 0.1])
@pytest.mark.parametrize("dofs", [1, 2])
@pytest.mark.parametrize("tilt", [45.0, 60.0, 75.0])
def test_an_arm_that_is_pressed_on_a_steep_wall_presses_as_hard_as_its_torque(tilt, dofs, rolling):
    """Friction locks it: a velocity that opens the overlap would contradict friction.

    Its contact has 3 rows, with rolling friction 6. In the cone of μ = 1 the least impulse is F dt over
    cos(tilt − 45°), at most 1.2 F dt; the internal part is reduced along one line only. (Before, 4e8 F dt.)
    """
    world, robot, press = pressed_arm(tilt, dofs, rolling)
    pressed = (5.0 / 0.3 + 9.81) * world.time_step
    solves = []
    for _ in range(500):
        press()
        world.step()
        (contact,) = world.contacts
        assert np.linalg.norm(contact.impulse) <= 3.0 * pressed
        assert world.status == 0
        assert world.residual.max() < 1e-3
        solves.append(int(world.engine.work.newton_steps[0]))
    assert contact.depth < 1e-8
    assert np.abs(robot.generalized_velocity).max() < 1e-6
    assert np.mean(solves) < 20.0  # (before, 150)


@pytest.mark.parametrize("body_type", ["static", "kinematic"])
def test_a_deep_body_on_a_carrier_does_not_change_another_one(body_type):
    """A plate carries two balls: what one of them overlaps is no jam of the other."""
    speeds = []
    for deep in (0.0, 1e-3):
        world = tribo.World()
        world.add_box((4, 4, 0.2), 1.0, position=(0, 0, -0.1), body_type=body_type)
        world.add_sphere(0.1, 1.0, position=(1, 0, 0.1 - deep))
        ball = world.add_sphere(0.1, 1.0, position=(-1, 0, 0.1 - 2e-5))
        world.step()
        speeds.append(float(ball.linear_velocity[2]))
    assert speeds[1] == pytest.approx(speeds[0], rel=1e-9)
    assert speeds[0] == pytest.approx(0.1 * 9.81 * 1e-3, rel=1e-6)  # a tenth of what weight gives


@pytest.mark.parametrize("mu", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("overlap", [1e-3, 2e-2])
def test_a_box_that_starts_in_a_corner_leaves_it_at_rest(overlap, mu):
    """In wall and floor alike: it slides out of both and is not lifted (in a trial it was, to 0.2 m/s)."""
    world = tribo.World()
    world.set_material_pair("all", "all", friction=mu)
    world.add_ground(material="all")
    world.add_box((0.2, 2, 2), 1.0, position=(-0.1, 0, 1), body_type="static", material="all")
    box = world.add_box((0.4, 0.3, 0.3), 2.0, position=(0.2 - overlap, 0, 0.15 - overlap), material="all")
    highest = fastest = 0.0
    for _ in range(400):
        world.step()
        highest = max(highest, float(box.position[2]))
        fastest = max(fastest, float(np.linalg.norm(box.linear_velocity)))
    np.testing.assert_allclose(box.position, (0.2, 0.0, 0.15), atol=1e-5)
    assert highest < 0.15 + 2e-5
    assert fastest < 1e-2


@pytest.mark.parametrize("sweeps", [False, True])
def test_a_jam_does_not_depend_on_scratch(sweeps):
    """The removal of internal impulses asks for the speed of this solve, not for that of an earlier one."""
    ends = []
    for stale in (0.0, 1.0):
        world, _, press = pressed_arm(10.0, 1, 0.1)
        for step in range(8):
            press()
            if step == 5:
                world.contact_solver = "sweeps" if sweeps else world.contact_solver
                world.engine.state.warm_impulse[0, 1] += 0.3 * world.engine.state.warm_impulse[0, 2]
            world.engine.work.removed_speed[0] = stale
            world.step()
        ends.append(world.hash())
    assert ends[0] == ends[1]


def wedged_ball(half, friction, overlap):
    """Return a ball of 1 kg between walls at `half` [°] to the vertical, and the height where it touches."""
    a, radius = np.radians(half), 0.1
    world = tribo.World(time_step=0.001)
    world.set_material_pair("all", "all", friction=friction)
    for side in (1, -1):
        normal = np.array([side * np.cos(a), 0.0, np.sin(a)])
        up = np.array([-side * np.sin(a), 0.0, np.cos(a)])
        world.add_box(
            (0.5, 2, 2.4), 1.0, body_type="static", material="all", position=up - 0.25 * normal,
            orientation=tribo.quaternion(rpy=(0, -side * a, 0)),
        )  # fmt: skip
    touches = radius / np.sin(a)
    place = (0, 0, touches - overlap / np.sin(a))
    return world, world.add_sphere(radius, 1.0, position=place, material="all"), touches


@pytest.mark.parametrize("overlap", [2e-5, 1e-3, 1e-2])
@pytest.mark.parametrize(("half", "friction"), [(5.0, 0.5), (10.0, 0.5), (10.0, 1.0), (30.0, 1.0)])
def test_a_wedged_ball_is_freed_and_pressed_by_its_weight_alone(half, friction, overlap):
    """Friction locks it, tan(half) < μ, so no velocity can open it. (Before, 4e5 N s, mostly flagged.)

    Two impulses that carry it, each at an angle φ to the vertical, are m g dt/(2 cos φ); the cone admits
    φ ≥ 90° − half − atan μ. That is 0.52 to 0.95 m g dt here; more is internal.
    """
    world, ball, touches = wedged_ball(half, friction, overlap)
    for _ in range(300):
        world.step()
        assert world.status == 0
        assert all(np.linalg.norm(c.impulse) <= 9.81e-3 for c in world.contacts)
        assert np.linalg.norm(ball.linear_velocity) < 1e-6
    np.testing.assert_allclose(ball.position, (0, 0, touches), atol=1e-6)


@pytest.mark.parametrize("half", [10.0, 30.0])
def test_a_wedged_ball_is_shifted_as_without_friction(half):
    """Its tangents would lock it, so they are released: m z = 2 s e/R, e = b − s z, s = sin(half).

    R = 0.01 G, G the mean 8/(3 m) of 1/m and twice 1/m + r²/I = 7/(2 m); b is `erp` of the overlap.
    """
    world, ball, _ = wedged_ball(half, 1.0, 1e-4)
    before = float(ball.position[2])
    world.step()
    give, s = 0.01 * 8.0 / 3.0, np.sin(np.radians(half))
    b = world.erp * 1e-4
    assert float(ball.position[2]) - before == pytest.approx(2.0 * s * b / (give + 2.0 * s * s), rel=1e-3)


def test_a_wedged_ball_that_is_struck_keeps_what_the_impact_gave():
    """With impacts in sequence: the balls exchange their velocities, and the walls stop the wedged one.

    The solve then leaves an overlap of 1 µm to the shift, and goes on from the velocities after the impact.
    """
    world, wedged, touches = wedged_ball(10.0, 0.5, 1e-6)
    world.impact = "propagate"
    world.set_material_pair("all", "hard", friction=0.5, restitution=1.0, restitution_threshold=1e-3)
    striker = world.add_sphere(0.1, 1.0, position=(0, 0, touches + 0.2005), material="hard")
    striker.linear_velocity = (0, 0, -1.0)
    for _ in range(2):
        world.step()
        assert abs(wedged.linear_velocity[2]) < 1e-3
    assert abs(striker.linear_velocity[2]) < 2.5 * 9.81e-3  # it falls again


@pytest.mark.parametrize("count", [15, 18])
def test_a_tower_that_overlaps_holds_its_tangents_in_the_shift(count):
    """Nothing locks its overlaps, so none is released; 15 boxes have 90 dofs, 18 are corrected by sweeps."""
    world = empty_world(1e-3, friction=0.5)
    world.add_ground()
    for k in range(count):
        world.add_box((0.2, 0.2, 0.1), 1.0, position=(0, 0, 0.049 + 0.099 * k))
    for _ in range(8):
        world.step()
        work = world.engine.work
        contacts = range(int(work.contact_count[0]))
        sticking = [c for c in contacts if position_pass.is_sticking(work, c)]
        assert len(sticking) > 2 * count
        assert all(work.shift_has_tangents[c] == 1 for c in sticking)


def test_a_long_chain_that_lies_in_the_ground_is_solved_once():
    """117 dofs, 10 µm deep, which its velocity opens: nothing is jammed, so its solve counts as it is."""
    world = tribo.World()
    world.add_ground()
    link = root = tribo.LinkDescription("l0")
    link.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    for k in range(1, 38):
        link = link.add_child(f"l{k}", "spherical", position=(0.12, 0, 0))
        link.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    robot = world.add_articulated_system(root, position=(0, 0, 0.05 - 1e-5))
    solves = []
    for _ in range(20):
        world.step()
        solves.append(int(world.engine.work.newton_steps[0]))
        assert world.status == 0
    assert robot.dof > 96
    assert np.mean(solves) < 25.0  # (solved twice, 33)
