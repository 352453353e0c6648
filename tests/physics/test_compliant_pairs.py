"""Compliant pairs in a world at fixed steps: the closed forms E6, E7, E8, and the adaptive integration."""

import numpy as np
import pytest

import tribo
from tribo import ground, spatial
from tribo.ground import ContactState
from tribo.tools.demo import ASSETS

K, D, MU, G = 1e6, 2e3, 0.5, 9.81


def stage(dt=1e-3, stiffness=K, damping=D, friction=MU, **options):
    """Return a world with a ground of "soil" on which "wood" is compliant."""
    world = tribo.World(dt, **options)
    world.add_ground(material="soil")
    world.set_material_pair("soil", "wood", friction=friction, stiffness=stiffness, damping=damping)
    return world


def on_its_way(restless, seconds):
    """Step a world until a time; return it."""
    restless.step(round(seconds / restless.time_step))
    return restless


# -- E6: static depth, maximal depth, contact time ----------------------------------------------


@pytest.mark.parametrize("dt", [2e-4, 1e-3, 5e-3])
def test_static_depth_does_not_depend_on_the_step(dt):
    """n K d^1.5 = m g: at rest every weight of the rule gives the same force."""
    world = stage(dt)
    box = world.add_box((0.2, 0.2, 0.2), 1.0, "wood", position=(0, 0, 0.1))
    ball = world.add_sphere(0.1, 3.0, "wood", position=(1, 0, 0.1))
    on_its_way(world, 2.0)
    depths = [0.1 - box.position[2], 0.1 - ball.position[2]]
    known = [ground.rest_depth(G, K, 4), ground.rest_depth(3 * G, K)]
    # What is left of the oscillation after 2 s: e^(−D s t/2m) and faster, s ≥ 0.013.
    assert np.allclose(depths, known, rtol=1e-9)
    assert np.allclose([c.force_on(box)[2] for c in world.contacts_of(box)], G / 4, rtol=1e-9)
    assert {c.state for c in world.contacts} == {ContactState.STICKING}


def drop(dt, beta, phase=0.0, stiffness=1e4, **options):
    """Return depth, duration and end speed of a ball of 1 kg that meets the ground at 1 m/s."""
    world = stage(dt, stiffness, beta * stiffness**0.6, gravity=(0, 0, 0), **options)
    ball = world.add_sphere(0.1, 1.0, "wood", position=(0, 0, 0.1 + phase * dt))
    ball.linear_velocity = 0, 0, -1
    deepest, touching = 0.0, 0
    while ball.linear_velocity[2] < 0 or touching == 0 or ball.contacts:
        world.step()
        deepest = max(deepest, 0.1 - ball.position[2])
        touching += any(c.force_on(ball)[2] > 0 for c in ball.contacts)
        assert world.status == 0
    return deepest, touching * dt, float(ball.linear_velocity[2])


def test_undamped_impact():
    """Depth, duration and speed; the ball is sampled every h: errors of h/2 · curvature, one step, h²."""
    dt = 2e-4
    depth, duration, speed = drop(dt, 0.0, 0.3)
    known = ground.impact_depth(1e4, 1.0, 1.0)
    curvature = 1e4 * known**1.5  # the largest acceleration
    assert abs(depth - known) < curvature * dt**2
    assert abs(duration - ground.contact_time(1e4, 1.0, 1.0)) < 2 * dt
    assert abs(speed - 1.0) < 1e-4


# -- E7: restitution ----------------------------------------------------------------------------


@pytest.mark.parametrize(("beta", "e"), [(0.05, 0.944397), (0.4, 0.654113), (1.0, 0.393931)])
def test_restitution_converges_with_the_step(beta, e):
    """Order 3/2 at least: between touch-down and the first look the force goes with √δ."""
    errors = [max(abs(drop(dt, beta, p)[2] - e) for p in (0.0, 0.4)) for dt in (4e-4, 1e-4)]
    assert errors[1] < 2e-5  # with 800 steps in an impact
    assert errors[1] < errors[0] / 4**1.5 * 1.2


def test_a_bounce_never_gains():
    """However stiff the ground is for the step, undamped, a drop ends with no more than it had."""
    for stiffness in (1e4, 1e6, 1e8, 1e10, 1e13):
        for phase in (0.0, 0.3, 0.7):
            world = stage(1e-3, stiffness, 0.0, gravity=(0, 0, 0))
            ball = world.add_sphere(0.1, 1.0, "wood", position=(0, 0, 0.1 + phase * 1e-3))
            ball.linear_velocity = 0, 0, -1
            world.step(300)
            assert ball.linear_velocity[2] <= 1.0 + 1e-12, (stiffness, phase)


# -- E8: tangential spring, slip, recovery ------------------------------------------------------


def test_slip_costs_mu_g_and_keeps_to_the_cone():
    """|f_t| = μ f_n at every point and step; μ g of deceleration once u has settled."""
    world = stage(gravity=(0, 0, -G))
    box = world.add_box((0.2, 0.2, 0.02), 1.0, "wood", position=(0, 0, 0.01))
    on_its_way(world, 1.0)
    box.linear_velocity = 1.2, 0.9, 0
    on_its_way(world, 0.05)
    start = box.linear_velocity
    for _ in range(100):
        world.step()
        for contact in world.contacts_of(box):
            assert contact.state == ContactState.SLIPPING
            force = contact.frame @ contact.force_on(box)
            assert np.hypot(*force[:2]) == pytest.approx(MU * abs(force[2]), rel=1e-9)
    lost = np.linalg.norm(start) - np.linalg.norm(box.linear_velocity)
    # The box nods: its weight is there on the mean of a swing only.
    assert lost / 0.1 == pytest.approx(MU * G, rel=2e-3)


def test_sticking_has_no_creep():
    """On a slope of half the friction angle the springs hold for ever, displaced by tan θ times the depth."""
    tilt = np.arctan(0.25)
    world = stage(gravity=(G * np.sin(tilt), 0, -G * np.cos(tilt)))
    box = world.add_box((0.4, 0.4, 0.02), 1.0, "wood", position=(0, 0, 0.01))
    on_its_way(world, 3.0)
    before = box.generalized_coordinate.copy()
    on_its_way(world, 3.0)
    assert np.abs(box.generalized_coordinate - before).max() < 1e-14
    assert {c.state for c in world.contacts} == {ContactState.STICKING}
    total = sum(c.force_on(box) for c in world.contacts_of(box))
    assert np.allclose(total, -world.gravity, rtol=1e-9)


def test_tangential_swing():
    """A loaded point swings at ω² = K s/m about rest."""
    dt = 1e-4
    world = stage(dt, damping=20.0)
    ball = world.add_articulated_system(sledge(), name="sledge")
    s = np.sqrt(ground.rest_depth(G, K))
    ball.generalized_coordinate = [0.0, -(s**2)]
    ball.generalized_velocity = [1e-4, 0.0]
    crossings, last = [], 1e-4
    for k in range(6000):
        world.step()
        speed = float(ball.generalized_velocity[0])
        if last > 0 >= speed:
            crossings.append((k - speed / (speed - last)) * dt)
        last = speed
    omega = np.sqrt(K * s)
    damped = np.sqrt(omega**2 - (20.0 * s / 2) ** 2)
    measured = 2 * np.pi / np.mean(np.diff(crossings))
    assert measured == pytest.approx(damped, rel=(omega * dt) ** 2 / 12 + 1e-4)


def test_without_contact_the_ground_recovers():
    """u fades as e^(−K t/D), exactly, and is forgotten when nothing is left."""
    world = stage()
    foot = world.add_articulated_system(sledge(), name="sledge")
    foot.generalized_coordinate = [0.0, -ground.rest_depth(G, K)]
    foot.generalized_velocity = [1.0, 0.0]
    world.step(20)
    state = world.engine.state
    depth = -foot.generalized_coordinate[1]
    slid = MU * depth  # u = μ f_n/(K s), and f_n = K s d within the nod of the foot
    assert np.linalg.norm(state.yield_displacement[0]) == pytest.approx(slid, rel=0.2)
    foot.generalized_velocity = [1.0, 5.0]
    world.step(2)
    assert not foot.contacts
    kept = state.yield_displacement[0].copy()
    world.step(5)
    assert np.allclose(state.yield_displacement[0], kept * np.exp(-K / D * 5e-3), rtol=1e-12)
    world.step(60)
    assert state.yield_count[0] == 0  # e^(−30) of 50 µm is below 1e-15 m


def sledge():
    """Return a point-like foot of 1 kg that slides along x and z and does not turn."""
    from tribo.description.trees import BodyDescription, JointDescription, ShapeDescription, TreeDescription
    from tribo.model import Joint, Shape

    foot = ShapeDescription(Shape.SPHERE, (0.1,), name="foot/0", material="wood")
    inertia = 0.01 * np.eye(3)
    return TreeDescription([
        BodyDescription("base", -1, JointDescription("root", Joint.FIXED), 0.0, (0, 0, 0), 0 * inertia),
        BodyDescription("slide", 0, JointDescription("x", Joint.PRISMATIC, axis=(1.0, 0.0, 0.0)), 0.0,
                        (0, 0, 0), 0 * inertia),
        BodyDescription("foot", 1, JointDescription("z", Joint.PRISMATIC, axis=(0.0, 0.0, 1.0),
                                                    position=(0, 0, 0.1)), 1.0, (0, 0, 0), inertia,
                        shapes=[foot]),
    ])  # fmt: skip


# -- against the adaptive integration -----------------------------------------------------------


def test_a_box_that_bounces_and_slides_follows_the_adaptive_integration():
    """The box of example 22 for 0.3 s, three bounces: errors of the fixed step fall at least as h^(3/2)."""
    mass, size = 2.0, np.array([0.4, 0.3, 0.2])
    corners = 0.5 * size[:, None] * np.array(
        [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    ).T  # fmt: skip
    inertia = mass / 12 * np.diag([size[1] ** 2 + size[2] ** 2, size[0] ** 2 + size[2] ** 2,
                                   size[0] ** 2 + size[1] ** 2])  # fmt: skip
    body = spatial.floatbase(
        spatial.Model([-1], ["R"], [np.eye(6)], [spatial.mcI(mass, [0, 0, 0], inertia)],
                      gc=spatial.GroundContact([0] * 8, corners))
    )  # fmt: skip
    start = [1, 0, 0, 0, 0, 0, 0.102, 0, 0, 0, 1.0, 0.4, 0]
    motion = ground.simulate(
        body, ground.Ground(1e5, 800.0, 0.3), 0.3, xfb=start, method="DOP853", rtol=1e-10, atol=1e-12
    )
    known = motion.xfb[-1, 4:7]
    errors = []
    for dt in (1e-3, 2.5e-4):
        world = stage(dt, 1e5, 800.0, 0.3)
        box = world.add_box(tuple(size), mass, "wood", position=(0, 0, 0.102))
        box.linear_velocity = 1.0, 0.4, 0.0
        on_its_way(world, 0.3)
        errors.append(np.abs(box.position - known).max())
    assert errors[0] < 1e-4
    assert errors[1] < errors[0] / 4


# -- in company ---------------------------------------------------------------------------------


def test_rigid_and_compliant_pairs_live_together():
    """A rigid box on a plate on soft ground: the plate sinks under both weights, the box lies on it."""
    world = stage(2e-3)
    plate = world.add_box((0.4, 0.4, 0.04), 1.0, "wood", position=(0, 0, 0.02))
    load = world.add_box((0.1, 0.1, 0.1), 3.0, "steel", position=(0, 0, 0.09))
    on_its_way(world, 3.0)
    assert 0.02 - plate.position[2] == pytest.approx(ground.rest_depth(4 * G, K, 4), rel=1e-6)
    assert load.position[2] - plate.position[2] == pytest.approx(0.07, abs=1e-6)
    states = [c.state for c in world.contacts_of(load)]
    assert states == [None] * 4
    assert sum(c.force_on(plate)[2] for c in world.contacts_of(plate)) == pytest.approx(G, rel=1e-6)


def test_kinematic_ground_carries_along():
    """A conveyor of a soft material takes a box up to its own speed, and sticks to it."""
    world = tribo.World()
    belt = world.add_box((4, 1, 0.1), 1.0, "soil", position=(0, 0, -0.05), body_type="kinematic")
    belt.linear_velocity = 0.3, 0, 0
    box = world.add_box((0.2, 0.2, 0.02), 1.0, "wood", position=(0, 0, 0.01))
    world.set_material_pair("soil", "wood", friction=MU, stiffness=K, damping=D)
    on_its_way(world, 2.0)
    assert np.allclose(box.linear_velocity, [0.3, 0, 0], atol=1e-9)
    assert {c.state for c in box.contacts} == {ContactState.STICKING}


def test_terrain_and_boxes_are_grounds_too():
    heights = tribo.HeightField(np.zeros((9, 9)), (2.0, 2.0))
    for add in (
        lambda w: w.add_height_map(heights, material="soil"),
        lambda w: w.add_box((2, 2, 1), 1.0, "soil", position=(0, 0, -0.5), body_type="static"),
    ):
        world = tribo.World(2e-3)
        add(world)
        box = world.add_box((0.2, 0.2, 0.2), 1.0, "wood", position=(0.03, 0.01, 0.1))
        world.set_material_pair("soil", "wood", friction=MU, stiffness=K, damping=D)
        on_its_way(world, 2.0)
        depth = ground.rest_depth(G, K, len(box.contacts))
        assert 0.1 - box.position[2] == pytest.approx(depth, rel=1e-6)


def test_a_step_that_is_too_long_for_a_bounce_is_said_once(caplog):
    """What lies there is carried as it should be, however stiff its ground; only a bounce is off."""
    world = stage(1e-2, 1e12)
    box = world.add_box((0.2, 0.2, 0.2), 1.0, "wood", position=(0, 0, 0.1), name="crate")
    world.step(50)
    assert world.status == 0
    box.position = 0, 0, 0.5
    while not world.status & tribo.Status.TIME_STEP_TOO_LONG:
        world.step()
    world.step(50)
    said = [r.message for r in caplog.records if "bounce of compliant pairs" in r.message]
    assert len(said) == 1
    assert "of crate" in said[0]


@pytest.mark.parametrize("dt", [2e-4, 1e-3])
@pytest.mark.parametrize(("beta", "e"), [(0.0, 1.0), (0.05, 0.944397), (0.4, 0.654113)])
def test_restitution_is_the_laws_or_the_step_is_said_to_be_too_long(dt, beta, e):
    """Off by at most 2 % wherever the status is silent, from soft to a bounce within one step."""
    silent = 0
    for stiffness in 10.0 ** np.arange(4.0, 9.1, 0.5):
        for phase in (0.1, 0.6):
            world = stage(dt, stiffness, beta * stiffness**0.6, gravity=(0, 0, 0))
            ball = world.add_sphere(0.1, 1.0, "wood", position=(0, 0, 0.1 + phase * dt))
            ball.linear_velocity = 0, 0, -1
            said = 0
            while not (ball.linear_velocity[2] > 0 and not ball.contacts):
                world.step()
                said |= world.status
            is_right = abs(ball.linear_velocity[2] / e - 1.0) <= 0.02
            assert is_right or said == tribo.Status.TIME_STEP_TOO_LONG, (
                stiffness,
                phase,
                ball.linear_velocity,
            )
            silent += said == 0
    assert silent >= 8


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 3e6])
def test_an_undamped_ground_gives_back_what_it_took(stiffness):
    """The mean force over the way of a step has the work of the law: e = 1, but for (x/4)⁴ of it."""
    x = 1e-3 * np.sqrt(ground.impact_depth(stiffness, 1.0, 1.0)) * 1.5e-3 * stiffness
    assert abs(drop(1e-3, 0.0, 0.3, stiffness)[2] - 1.0) < 1e-10 + (x / 4.0) ** 4


# -- Between two bodies that move ---------------------------------------------------------------


def pair_of_balls(stiffness, damping, friction):
    """Return a world without weight in which two balls will meet, and them."""
    world = tribo.World(1e-3, gravity=(0, 0, 0))
    world.set_material_pair("a", "b", friction=friction, stiffness=stiffness, damping=damping)
    first = world.add_sphere(0.1, 1.0, "a", position=(-0.15, 0, 0.003))
    second = world.add_sphere(0.1, 2.0, "b", position=(0.15, 0.05, 0))
    first.linear_velocity, second.linear_velocity = (1, 0, 0), (-1, 0, 0)
    first.angular_velocity = 3, 20, 5
    return world, (first, second)


def motion(balls):
    """Return the sums of kinetic energy, momentum and angular momentum of balls of 0.1 m."""
    energy, p, l = 0.0, np.zeros(3), np.zeros(3)
    for ball in balls:
        v, w, inertia = ball.linear_velocity, ball.angular_velocity, 0.4 * ball.mass * 0.01
        energy += 0.5 * ball.mass * v @ v + 0.5 * inertia * w @ w
        p += ball.mass * v
        l += ball.mass * np.cross(ball.position, v) + inertia * np.asarray(w)
    return energy, p, l


@pytest.mark.parametrize("stiffness", [1e4, 1e6])
def test_two_balls_that_give_way_keep_momentum_and_without_loss_their_energy(stiffness):
    world, balls = pair_of_balls(stiffness, 0.0, 0.0)
    before = motion(balls)
    deepest = 0.0
    for _ in range(300):
        world.step()
        deepest = max([deepest, *(c.depth for c in world.contacts)])
        assert world.status == 0
    after = motion(balls)
    assert deepest > 1e-3  # a rigid pair would not overlap
    x = 1e-3 * np.sqrt(deepest) * 1.5e-3 * stiffness * 1.5  # 1/m is 1/1 + 1/2
    assert after[0] == pytest.approx(before[0], rel=1e-10 + 2.0 * (x / 4.0) ** 4)
    assert np.allclose(after[1], before[1], atol=1e-14)
    assert np.allclose(after[2], before[2], atol=1e-13)


def test_friction_between_two_that_give_way_only_takes_and_keeps_to_the_cone():
    world, balls = pair_of_balls(1e5, 300.0, 0.3)
    before = motion(balls)
    last = before[0]
    for _ in range(300):
        world.step()
        for contact in world.contacts:
            x, y, z = contact.frame @ contact.force_on(balls[0])
            assert np.hypot(x, y) <= 0.3 * abs(z) * (1 + 1e-9)
    energy, p, l = motion(balls)
    assert energy < last - 0.01
    assert np.allclose(p, before[1], atol=1e-14)
    assert np.allclose(l, before[2], atol=1e-13)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_box_on_a_box_rests_at_the_depth_of_the_law(dt):
    """The lower one stands rigidly: pairs of both laws meet in one body."""
    world = stage(dt)
    world.set_material_pair("a", "b", friction=MU, stiffness=K, damping=D)
    low = world.add_box((0.2, 0.2, 0.2), 5.0, "a", position=(0, 0, 0.1))
    top = world.add_box((0.1, 0.1, 0.1), 1.0, "b", position=(0.02, 0, 0.25))
    on_its_way(world, 2.0)
    depth = 0.25 - top.position[2] - (0.1 - low.position[2])
    assert depth == pytest.approx(ground.rest_depth(G, K, 4), rel=1e-9)
    states = [c.state for c in world.contacts_of(top)]
    assert states == [ContactState.STICKING] * 4
    assert world.status == 0


def test_the_step_that_would_do_is_the_same_on_a_ground_and_between_bodies(caplog):
    """It goes by the apparent mass: two balls of 2 kg are one of 1 kg on the ground."""
    steps = []
    for other in ("static", "dynamic"):
        caplog.clear()
        world = tribo.World(1e-3, gravity=(0, 0, 0))
        world.set_material_pair("a", "b", friction=0.0, stiffness=1e7, damping=10.0)
        mass = 1.0 if other == "static" else 2.0
        world.add_sphere(0.1, mass, "a", position=(0, 0, 0), body_type=other)
        ball = world.add_sphere(0.1, mass, "b", position=(0, 0, 0.20001))
        ball.linear_velocity = 0, 0, -2
        world.step()
        said = next(r.message for r in caplog.records if "would follow" in r.message)
        steps.append(float(said.split("which ")[1].split(" s would follow")[0]))
    assert steps[0] == pytest.approx(steps[1], rel=0.05)


def test_what_sleeps_wakes_when_its_pair_becomes_compliant():
    world = tribo.World(2e-3)
    world.sleeping = True
    world.add_ground()
    boxes = [world.add_box((0.1, 0.1, 0.1), 1.0, "wood", position=(0, 0, 0.05 + 0.1 * k)) for k in range(3)]
    on_its_way(world, 2.0)
    assert all(box.is_asleep for box in boxes)
    world.set_material_pair("wood", "wood", friction=0.8, stiffness=1e4, damping=3e2)
    on_its_way(world, 3.0)
    depth = ground.rest_depth(G, 1e4, 4)
    assert boxes[1].position[2] - boxes[2].position[2] + 0.1 == pytest.approx(depth, rel=1e-4)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
def test_robots_and_crates_that_give_way_are_the_same_in_a_batch(integrator):
    """A quadruped with soft links on a soft crate: one world, three of a batch and a snapshot, bit by bit."""

    def make():
        world = tribo.World(1e-3)
        world.integrator = integrator
        world.add_ground()
        world.add_box((0.8, 0.6, 0.2), 20.0, "soft", position=(0, 0, 0.1))
        robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 0.75))
        for pair in (("soft", "rubber"), ("soft", "default"), ("default", "default")):
            world.set_material_pair(*pair, friction=0.6, stiffness=1e5, damping=1e3)
        for body in robot.collision_bodies:
            body.material = "default" if body.material != "rubber" else "rubber"
        return world

    alone = make()
    alone.step(150)
    kept = alone.snapshot()
    alone.step(150)
    batch = tribo.Batch(make(), 3)
    batch.step(300)
    assert set(batch.hash()) == {alone.hash()}
    after = alone.hash()
    alone.restore(kept)
    alone.step(150)
    assert alone.hash() == after
    assert any(c.state is not None for c in alone.contacts)


def test_forces_keep_to_the_law_also_where_a_step_is_not_solved():
    """A limp quadruped drops on a ground of 1e8: pushes only, within the cone, whatever the status says."""
    world = tribo.World(1e-3)
    soil = world.add_ground(material="soil")
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", name="quadruped")
    world.set_material_pair("soil", "default", friction=0.6, stiffness=1e8, damping=1e5)
    for body in robot.collision_bodies:
        body.material = "default"
    q = robot.generalized_coordinate
    q[2] = 0.6
    q[3:7] = np.array([0.96, 0.1, 0.2, 0.15]) / np.linalg.norm([0.96, 0.1, 0.2, 0.15])
    robot.generalized_coordinate = q
    unsolved = 0
    for _ in range(1500):
        world.step()
        unsolved += bool(world.status & tribo.Status.NOT_CONVERGED)
        forces = [contact.frame @ contact.force for contact in world.contacts_of(soil)]
        exact = 1e-11 * max([0.0, *(np.linalg.norm(f) for f in forces)])  # to which a step is solved
        for x, y, z in forces:
            assert z >= 0.0
            assert np.hypot(x, y) <= 0.6 * z + 2.0 * exact
    assert unsolved < 30


def test_points_by_hand_take_the_place_of_the_corners():
    world = stage(2e-3)
    marks = [(x, y, -0.1) for x in (-0.05, 0.05) for y in (-0.05, 0.0, 0.05)]
    box = world.add_box((0.2, 0.2, 0.2), 1.0, "wood", position=(0, 0, 0.1), ground_points=marks)
    stone = world.add_box((0.2, 0.2, 0.2), 1.0, "steel", position=(0, 0, 0.3))
    assert [body.is_point for body in box.collision_bodies] == [False] + 6 * [True]
    on_its_way(world, 2.0)
    depth = ground.rest_depth(2 * G, K, 6)
    assert 0.1 - box.position[2] == pytest.approx(depth, rel=1e-6)
    feet = [c for c in world.contacts_of(box) if c.state is not None]
    assert sorted(tuple(np.round(c.position[:2], 9)) for c in feet) == sorted(m[:2] for m in marks)
    assert len(world.contacts_of(stone)) == 4  # on the box's own corners
    world.set_material_pair("soil", "wood", friction=0.5)  # rigid again: the corners are back
    on_its_way(world, 0.2)
    assert len([c for c in world.contacts_of(box) if c.object_b is not stone]) == 4


@pytest.mark.parametrize("points", [[], [(0, 0)], [(0, 0, np.nan)], [(0, 0, np.inf)], "feet", [[[0, 0, 0]]]])
def test_points_that_are_none_are_refused(points):
    world = stage()
    with pytest.raises((ValueError, TypeError), match="ground_points of box"):
        world.add_box((1, 1, 1), 1.0, ground_points=points)
    assert len(world.objects) == 1


def test_feet_of_a_robot_by_hand():
    world = stage()
    robot = world.add_articulated_system(sledge(), ground_points={"foot": [(0, 0, -0.1), (0, 0.1, -0.1)]})
    on_its_way(world, 2.0)
    assert -robot.generalized_coordinate[1] == pytest.approx(ground.rest_depth(G, K, 2), rel=1e-6)
    with pytest.raises(KeyError, match="foot"):
        world.add_articulated_system(sledge(), ground_points={"fot": [(0, 0, 0)]})
    assert "point 0" not in robot.to_urdf()


def scene():
    world = stage()
    box = world.add_box((0.2, 0.3, 0.1), 1.0, "wood", position=(0, 0, 0.2),
                        orientation=(0.9, 0.3, 0.2, np.sqrt(0.06)))  # fmt: skip
    box.linear_velocity = 1.0, 0.2, -1.0
    return world, box


def test_one_by_one_all_at_once_from_a_snapshot_and_in_a_batch():
    world, box = scene()
    world.step(150)
    world.step(150)
    end = box.generalized_coordinate.copy()
    world, box = scene()
    while world.engine.state.yield_count[0] == 0:
        world.step()
    snapshot = world.snapshot()
    left = 300 - round(world.time / world.time_step)
    assert left > 100
    world.step(left)
    assert np.array_equal(box.generalized_coordinate, end)
    world.restore(snapshot)
    world.step(left)
    assert np.array_equal(box.generalized_coordinate, end)
    world, box = scene()
    batch = tribo.Batch(world, 3, threads=2)
    batch.step(300)
    assert (batch[box.name].generalized_coordinate == end).all()


def test_a_pair_may_become_compliant_and_rigid_again():
    world = stage()
    box = world.add_box((0.2, 0.2, 0.2), 1.0, "wood", position=(0, 0, 0.1))
    world.step(10)
    world.set_material_pair("soil", "wood", friction=0.5)
    on_its_way(world, 0.5)
    assert abs(box.position[2] - 0.1) < 1e-6
    world.set_material_pair("soil", "wood", friction=0.5, stiffness=K, damping=D)
    on_its_way(world, 2.0)
    assert 0.1 - box.position[2] == pytest.approx(ground.rest_depth(G, K, 4), rel=1e-6)
    box.material = "steel"
    on_its_way(world, 0.5)
    assert abs(box.position[2] - 0.1) < 1e-5


def test_a_compliant_pair_goes_through_a_file(tmp_path):
    world, _ = scene()
    world.save(tmp_path / "soft.xml")
    again = tribo.World.load(tmp_path / "soft.xml")
    assert again.materials.pair("wood", "soil") == world.materials.pair("wood", "soil")
    assert again.materials.pair("wood", "soil").is_compliant


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stiffness": 0.0}, "stiffness must be > 0"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"stiffness": np.nan}, "stiffness"),
        ({"stiffness": np.inf}, "stiffness"),
        ({"damping": 5.0}, "give its stiffness too"),
        ({"stiffness": 1e6, "damping": -1.0}, "damping"),
        ({"stiffness": 1e6, "restitution": 0.5}, "restitution=0.5 belongs to a rigid pair"),
        ({"stiffness": 1e6, "rolling_length": 0.1}, "rolling_length=0.1 belongs to a rigid pair"),
        ({"stiffness": 1e6, "static_friction": 0.9}, "static_friction=0.9 belongs to a rigid pair"),
    ],
)
def test_numbers_without_a_law_are_refused(values, message):
    world = stage()
    with pytest.raises(ValueError, match=message):
        world.set_material_pair("soil", "ice", **values)
    assert world.materials.pair("soil", "ice") == world.default_pair
