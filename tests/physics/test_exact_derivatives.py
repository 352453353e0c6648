"""Exact derivatives of a step against Richardson's extrapolation of differences, robots on a floor as well.

`extrapolated` of benchmarks/linearize.py says by how much it errs at most: that is the bound of a test. It
has to be below 1e-7 of the largest number of its column, or of 1, to say anything.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from linearize import TOLERANCE, extrapolated

CLOSE = 1e-7
KINDS = ("revolute", "prismatic", "spherical")


def robot(generator, fixed):
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.3, 0.2, 0.1), mass=generator.uniform(1, 5))
    if fixed:
        root.fix_to_world()
    links = [root]
    for k in range(generator.integers(1, 6)):
        parent = links[generator.integers(len(links))]
        link = parent.add_child(
            f"link{k}", KINDS[generator.integers(3)], position=generator.uniform(-0.3, 0.3, 3),
            axis=generator.normal(size=3),
        )  # fmt: skip
        shape, size = (("sphere", (0.12,)), ("capsule", (0.05, 0.2)), ("box", (0.1, 0.2, 0.3)))[
            generator.integers(3)
        ]
        link.add_shape(shape, size, mass=generator.uniform(0.5, 2), position=generator.uniform(-0.2, 0.2, 3))
        links.append(link)
    return root


def falling(seed, integrator):
    """A random robot, thrown at random, driven by springs and dampers, above a floor."""
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.001)
    world.tolerance = TOLERANCE
    world.integrator = integrator
    world.add_ground()
    part = world.add_articulated_system(robot(generator, False), position=(0, 0, 0.6))
    q = np.array(part.generalized_coordinate)
    q[3:7] = tribo.quaternion(rpy=generator.uniform(-1, 1, 3))
    part.generalized_coordinate = q
    part.generalized_velocity = generator.normal(size=part.dof) * generator.choice([0.02, 0.2, 0.4])
    driven = np.arange(part.dof) >= 6
    part.set_pd_gains(5.0 * driven, 0.5 * driven)
    return world, generator


def touches(world):
    return any(np.linalg.norm(one.impulse) > 0.0 for one in world.contacts)


def before_landing(world):
    for _ in range(800):
        state = world.snapshot()
        world.step()
        if touches(world):
            world.restore(state)
            return


def agrees(found, expected, bound):
    """Tell whether derivatives agree within the bound, and whether that says anything, by column."""
    size = np.maximum(np.abs(expected).max(axis=0), 1.0)
    told = bound.max(axis=0) <= CLOSE * size
    error = np.abs(found - expected)
    return (error[:, told] <= bound[:, told]).all(), told


def compare_exact(worlds):
    """Compare exact derivatives of worlds with the extrapolation; return of how many that says all."""
    compared = 0
    for world in worlds:
        found = tribo.linearize(world)
        if found.method != "exact":
            assert found.obstacle
            continue
        made = extrapolated(world)
        if made is not None:  # a border between the two has no derivative to compare
            agree, told = agrees(found.central, *made)
            assert agree
            compared += told.all()
    return compared


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_landing_robots_are_as_richardsons_extrapolation(integrator):
    def worlds():
        for seed in range(16):
            world, _ = falling(seed, integrator)
            before_landing(world)
            yield world

    assert compare_exact(worlds()) >= 8


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_robots_on_the_floor_are_as_differences(integrator):
    """Where a contact lasts its gap is 0, a corner of its target unless overlaps open as gaps close.

    So `erp` is 1 here. Within 1e-7 of the speed that weight gains in a step, 1e-9 m/s, a target is 0: where
    an input moves a gap a difference of 1e-7 m feels that as 1e-9/(1e-7/dt) = 1e-5 of 1/dt.
    """
    compared = 0
    for seed in range(16):
        world, generator = falling(seed, integrator)
        world.erp = 1.0
        lasted = 0
        until = generator.integers(20, 300)
        for _ in range(1200):
            world.step()
            lasted += touches(world)
            if lasted > until:
                break
        found = tribo.linearize(world)
        if found.method != "exact":
            continue
        moved = tribo.linearize(world, step=2e-7, method="differences")
        if moved.is_smooth and found.is_smooth:
            compared += 1
            error = np.abs(found.central - moved.central)
            n = len(found.state_names) // 2
            first = n if integrator == "semi_implicit" else 2 * n  # from here on no input moves a gap
            size = np.abs(moved.central[:, first:]).max(axis=0)
            # The difference itself errs by 1e-16 |x⁺|/2e-7, |x⁺| up to 10.
            assert (error[:, first:] <= CLOSE * np.maximum(size, 1.0)).all()
            assert (error <= 1e-4 / world.time_step + moved.error).all()
    assert compared >= 6


@pytest.fixture
def no_drafts(monkeypatch):
    """Let differences be those of steps without drafts of their contacts, which are good to 1e-3 alone."""
    batch_of = tribo.control.Linearizer._batch

    def without_drafts(self, world, count):
        batch = batch_of(self, world, count)
        batch.engine.work.arrays["bias_rounds"][:, 2] = 1
        return batch

    monkeypatch.setattr(tribo.control.Linearizer, "_batch", without_drafts)


@pytest.mark.usefixtures("no_drafts")
@pytest.mark.parametrize("case", ["fixed", "lands", "flies"])
def test_robots_that_turn_far_are_as_richardsons_extrapolation(case):
    """By 0.01 to 0.3 rad in a step: their bias force is taken anew, once or several times.

    A step that is differentiated as if h belonged to the predicted velocity misses by 1e-4. One that flies
    keeps its momentum to rounding, by nine numbers of its base.
    """

    def worlds():
        for seed in range(24):
            world = turning(seed, case == "fixed", case == "lands")
            if case == "lands":
                before_landing(world)
            else:
                world.step(3)
            yield world

    assert compare_exact(worlds()) >= 12


def turning(seed, fixed, has_ground):
    """A random robot that turns by 0.01 to 0.3 rad in a step."""
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.005)
    world.tolerance = TOLERANCE
    if has_ground:
        world.add_ground()
    part = world.add_articulated_system(robot(generator, fixed), position=(0, 0, 0.6))
    part.generalized_velocity = 3.0 * generator.normal(size=part.dof)
    driven = np.arange(part.dof) >= (0 if fixed else 6)
    part.set_pd_gains(5.0 * driven, 0.5 * driven)
    return world


@pytest.mark.usefixtures("no_drafts")
def test_contacts_of_robots_that_turn_far_are_solved_to_the_end():
    drafts = 0

    def worlds():
        nonlocal drafts
        for seed in range(12, 28):
            world = turning(seed, False, True)
            for _ in range(200):
                state = world.snapshot()
                world.step()
                work = world.engine.work.arrays
                pushing = sum(np.linalg.norm(one.impulse) > 0.0 for one in world.contacts)
                if pushing > 1 and work["bias_rounds"][0, 0] > 0:
                    drafts += 1
                    world.restore(state)
                    yield world
                    break

    assert compare_exact(worlds()) >= 3
    assert drafts >= 8


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("bounce", ["offset", "gate"])
def test_a_rebound_keeps_what_its_law_says(integrator, bounce):
    """E⁺ = e² E wherever in the step the ball meets the floor, so grad E⁺ · A = e² grad E.

    E = v²/2 + g z, and under `semi_implicit` less g dt v/2, which that keeps in flight.
    """
    g, e, dt = 9.81, 0.6, 0.01
    half = 0.0 if integrator == "midpoint" else 0.5 * dt
    for gap in (0.002, 0.01, 0.018):  # where the step is evaluated
        world = tribo.World(time_step=dt)
        world.integrator, world.bounce = integrator, bounce
        world.add_ground(material="floor")
        world.set_material_pair("floor", "ball", restitution=e, restitution_threshold=0.0)
        height = 0.05 + gap + (0.01 if integrator == "midpoint" else 0.0)
        ball = world.add_sphere(0.05, 1.0, "ball", name="ball", position=(0, 0, height))
        ball.linear_velocity = (0, 0, -2.0)
        found = tribo.linearize(world, method="exact")
        names = ["q/ball/z", "v/ball/vz"]
        by_state = np.array([[found.of(a, b) for b in names] for a in names])
        world.step()
        v = ball.linear_velocity[2]
        assert v > 1.0
        after = np.array([g, v - half * g]) @ by_state
        assert np.allclose(after, e * e * np.array([g, -2.0 - half * g]), rtol=1e-9)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_overlaps_and_stops_that_are_passed_are_as_richardsons_extrapolation(integrator):
    """Positions are shifted at the end of the step: feet in the floor, joints beyond stops."""
    assert compare_exact(three_legs(seed, integrator) for seed in range(12)) >= 4


def three_legs(seed, integrator):
    """A robot with feet in the floor, one of whose joints is beyond a stop or near one."""
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.002)
    world.tolerance, world.integrator = TOLERANCE, integrator
    world.add_ground()
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.3, 0.2, 0.1), mass=2.0, collides=False)
    for k in range(3):
        leg = root.add_child(
            f"leg{k}", ("revolute", "spherical", "revolute")[k], axis=generator.normal(size=3),
            position=(0.2 * np.cos(2.1 * k), 0.2 * np.sin(2.1 * k), 0),
            **({"lower": -0.4, "upper": 0.4} if k != 1 else {}),
        )  # fmt: skip
        leg.add_shape("sphere", (0.05,), mass=1.0, position=(0, 0, -0.3))
    part = world.add_articulated_system(root, position=(0, 0, 0.345))
    q = np.array(part.generalized_coordinate)
    q[7] = (0.402, 0.2, -0.401)[seed % 3]
    part.generalized_coordinate = q
    part.generalized_velocity = 0.2 * generator.normal(size=part.dof)
    return world


def test_a_robot_that_stands_is_exact_along_its_contacts():
    from tribo.tools.demo import ASSETS

    world = tribo.World()
    world.add_ground()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.5))
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = 0.5 * sign
        dog.joint(f"{leg}_KFE").coordinate = -1.0 * sign
    tribo.equilibrium(world).apply(world)
    found = tribo.linearize(world, on_contacts=True, controls=("force", "wrench"))
    moved = tribo.linearize(world, on_contacts=True, controls=("force", "wrench"), method="differences")
    assert found.method == "exact"
    assert np.abs(found.A - moved.A).max() < 1e-8
    assert np.allclose(found.B, moved.B, rtol=0, atol=1e-8 * np.abs(moved.B).max())
    # One side of a gap opens at once, the other closes by a part: both slopes are said.
    whole = tribo.linearize(world, method="exact")
    assert "q/dog/z" in whole.kinks
    sides = tribo.linearize(world, method="differences")
    for side in ("forward", "backward"):
        near = np.abs(getattr(whole, side)[:, :36] - getattr(sides, side)[:, :36]).max()
        assert near < 1e-4 / world.time_step  # the corner of the target is rounded by 1e-9 m/s


@pytest.mark.parametrize("gap", [1e-4, 3e-4])
def test_points_of_a_pair_sag_as_the_deepest(gap):
    """A capsule that turns over one of its ends, which meets the floor: the other, still high, goes along.

    What it sags by has the derivatives of the way of the end that is low. These were differences.
    """
    dt, omega, pitch = 0.005, -2.0, 0.02
    world = tribo.World(time_step=dt)
    world.tolerance, world.erp = TOLERANCE, 1.0
    world.add_ground()
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    link = root
    for name, axis in (("x", (1, 0, 0)), ("z", (0, 0, 1))):
        link = link.add_child(name, "prismatic", axis=axis)
        link.add_shape("box", (0.1, 0.1, 0.1), mass=0.5, collides=False)
    link = link.add_child("foot", "revolute", axis=(0, 1, 0))
    along = tribo.quaternion(rpy=(0, np.pi / 2, 0))
    link.add_shape("capsule", (0.05, 0.3), mass=1.0, quaternion=along)
    part = world.add_articulated_system(root)
    middle = pitch + 0.5 * dt * omega
    sinks = 0.15 * np.cos(middle) * omega - 1.3 * gap / dt
    height = 0.05 + 0.15 * np.sin(middle) + gap - 0.5 * dt * sinks
    part.generalized_coordinate = (0.0, height, pitch)
    part.generalized_velocity = (0.15 * np.sin(pitch) * omega + 0.1, sinks, omega)
    found = tribo.linearize(world, method="exact")
    agree, told = agrees(found.central, *extrapolated(world))
    assert agree
    assert told.all()


def test_a_slide_along_the_floor_that_it_touches_is_exact():
    """Nothing moves it along the normal, so the contact, with a gap of 0 and no impulse, is at no border."""
    world = tribo.World(time_step=0.01)
    world.add_ground()
    root = tribo.LinkDescription("rail")
    root.fix_to_world()
    sled = root.add_child("sled", "prismatic", axis=(1, 0, 0), damping=3.0)
    sled.add_shape("sphere", (0.1,), mass=2.0)
    world.add_articulated_system(root, name="robot", position=(0, 0, 0.1))
    world.step()
    assert len(world.contacts) == 1
    found = tribo.linearize(world, method="exact")
    assert abs(found.A[1, 1] - 2.0 / (2.0 + 3.0 * 0.01)) < 1e-12


def test_what_is_not_known_is_named():
    world = tribo.World()
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 1))
    world.add_pin(ball, None, position=(0, 0, 1.1))
    found = tribo.linearize(world)
    assert found.method == "differences"
    assert "constraints" in found.obstacle
    with pytest.raises(tribo.control.NotDifferentiableError, match="constraints"):
        tribo.linearize(world, method="exact")
    with pytest.raises(ValueError, match="method"):
        tribo.linearize(world, method="autodiff")
    assert tribo.linearize(world, method="differences").obstacle == ""
    assert "constraints" in tribo.linearize(world, steps=2).obstacle


SLOW = '<general joint="a" gainprm="9" biastype="affine" biasprm="0 -9 -1" dyntype="filter" dynprm="1"/>'
COUPLED = """<mujoco><option timestep="0.001"/><worldbody>{base}
  <geom type="box" size="0.1 0.1 0.05" mass="2" contype="0" conaffinity="0"/>
  <body pos="0.1 0 0"><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.2 0 0"/>
    <body pos="0.2 0 0"><joint name="b" axis="0 0.8 0.6"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0.05 0"/>
      <body pos="0.2 0.05 0"><joint name="c" axis="1 0 0"/><geom size="0.06" pos="0.05 0.08 0"/></body>
    </body></body></body></worldbody>
  <tendon><fixed name="t" stiffness="40" damping="0.5"><joint joint="a" coef="0.5"/>
    <joint joint="c" coef="-0.7"/></fixed>
    <fixed name="u"><joint joint="b" coef="0.5"/><joint joint="c" coef="0.3"/></fixed></tendon>
  <equality>{equality}</equality>
  <actuator><position tendon="u" kp="30" kv="0.4"/></actuator></mujoco>"""


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("base", ['<body name="base">', '<body name="base"><freejoint/>'])
@pytest.mark.parametrize("equality", ["", '<joint joint1="a" joint2="b" polycoef="0.01 0.6 0 0 0"/>'])
def test_tendons_and_joints_that_follow_others(base, equality, integrator):
    """Springs, dampers, drives and equations along linear couplings; the equation begins with a gap."""
    world = tribo.World()
    world.load_mjcf(COUPLED.format(base=base, equality=equality))
    world.tolerance, world.integrator = TOLERANCE, integrator
    robot = world["base"]
    robot.generalized_velocity = 0.3 * np.random.default_rng(0).normal(size=robot.dof)
    robot.set_controls([0.4])
    world.step(2)
    found = tribo.linearize(world, method="exact")
    agree, told = agrees(found.central, *extrapolated(world))
    assert agree
    assert told.mean() > 0.8


def test_an_actuator_that_turns_with_its_body_is_left_to_differences():
    """Its torque about the first joint depends on the second one; exact derivatives left that out."""
    text = """<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <body name="out" pos="0.3 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
      <site name="s" pos="0.3 0 0"/></body></body></worldbody>
      <actuator><motor site="s" gear="1 0 0 0 0 0"/></actuator></mujoco>"""
    world = tribo.World()
    (robot,) = world.load_mjcf(text)
    robot.set_controls([5.0])
    world.step(10)
    found = tribo.linearize(world)
    assert found.method == "differences"
    assert "actuator" in found.obstacle


@pytest.mark.parametrize("pull", [0.1, 0.9])
@pytest.mark.parametrize("actuators", ["", '<position joint="a" kp="9" kv="1"/>', SLOW])
def test_limits_of_all_actuators_of_a_joint(actuators, pull):
    """Within the limits all is followed, at them nothing, also where forward and backward forces meet.

    A servo of its own shares its bounds with other forces: at them its row is an obstacle.
    """
    text = f"""<mujoco><worldbody><body><joint name="a" axis="0 1 0" actuatorfrcrange="-0.5 0.5"/>
      <geom size="0.1" pos="0.3 0 0"/></body></worldbody>
      <tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>
      <actuator><motor tendon="t"/>{actuators}</actuator></mujoco>"""
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(text)
    world.tolerance = TOLERANCE
    robot.generalized_velocity = [0.1]
    robot.set_controls([pull, 0.0][: 1 + bool(actuators)])
    world.step(3)
    found = tribo.linearize(world)
    if actuators == SLOW and pull > 0.5:
        assert "actuator" in found.obstacle
    else:
        assert found.method == "exact"
        moved = tribo.linearize(world, method="differences")
        assert np.allclose(found.A, moved.A, rtol=0, atol=1e-6)
        assert np.allclose(found.B, moved.B, rtol=0, atol=1e-6)
    if pull > 0.5 and not actuators:
        assert not found.B.any()


TURNS = {  # of a free body: inertia of a box or a ball, angular velocity, time step
    "tumbles": ("box", (10.0, 20.0, -15.0), 0.002),
    "fast": ("box", (60.0, -90.0, 40.0), 0.004),
    "slow": ("box", (1e-3, 0.0, 2e-3), 0.002),
    "still": ("box", (0.0, 0.0, 0.0), 0.002),
    "ball": ("ball", (10.0, 20.0, -15.0), 0.002),
}


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("case", TURNS)
def test_free_bodies_are_as_richardsons_extrapolation(case, integrator):
    """One in flight and one that is pushed and has drag: nothing is solved, all rounding is that of sums."""
    shape, omega, time_step = TURNS[case]
    world = tribo.World(time_step=time_step)
    world.integrator = integrator
    for k, x in enumerate((0.0, 5.0)):
        if shape == "box":
            part = world.add_box((0.1, 0.2, 0.3), 1.0, name=f"one{k}", position=(x, 0, 1))
        else:
            part = world.add_sphere(0.1, 1.0, name=f"one{k}", position=(x, 0, 1))
        part.orientation = tribo.quaternion(rpy=(0.2, 0.1, 0.3))
        part.linear_velocity, part.angular_velocity = (1, 2, 3), omega
    part.linear_damping, part.angular_damping = 0.3, 0.002
    part.apply_force((3.0, -1.0, 2.0))
    part.apply_torque((0.3, 0.1, -0.2))
    found = tribo.linearize(world, controls="wrench", method="exact")
    agree, told = agrees(found.central, *extrapolated(world, left=0.0, controls="wrench"))
    assert agree
    assert told[:24].all()


GAPS = {"q/ball/z", "v/ball/vz", "wrench/ball/sphere/fz"}


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("slip", [0.0, 0.4])
def test_a_ball_that_rolls_or_slips(integrator, slip):
    """Columns that move no gap are differences; the others and those of a ball that rolls have closed forms.

    A gap moved by s would be felt as an overlap, too, which positions take besides. Friction makes a ball
    roll at once: v⁺ = (5 v + 2 r ω × z)/7, which its next velocity keeps; the gap closes by the next step.
    """
    world = tribo.World(time_step=0.001)
    world.integrator, world.erp, world.tolerance = integrator, 1.0, TOLERANCE
    world.add_ground(material="cloth")
    world.set_material_pair("cloth", "ivory", friction=0.3, restitution=0.0)
    ball = world.add_sphere(0.03, 0.2, "ivory", name="ball", position=(0, 0, 0.03))
    ball.linear_velocity, ball.angular_velocity = (0.6 + slip, 0.3, 0), (-10.0, 20.0, 2.0)
    world.step(5)
    found = tribo.linearize(world, controls="wrench", method="exact")
    still = [k for k, name in enumerate(found.names) if name not in GAPS]
    left = TOLERANCE * 1.0 / 0.03  # of a speed of 1 m/s at a radius of 0.03 m
    made = extrapolated(world, still, left, controls="wrench")
    agree, told = agrees(found.central[:, still], *made)
    assert agree
    assert told.all()
    assert abs(found.of("v/ball/vz", "q/ball/z") + 1.0 / world.time_step) < 1e-9
    less_friction = 0.3 / world.time_step if slip > 0.0 else 0.0  # μ times what presses less
    assert abs(found.of("v/ball/vx", "q/ball/z") - less_friction) < 1e-6
    if slip == 0.0:
        assert abs(found.of("v/ball/vx", "v/ball/vx") - 5.0 / 7.0) < 1e-12
        assert abs(found.of("v/ball/vx", "v/ball/wy") - 2.0 / 7.0 * 0.03) < 1e-12
        assert abs(found.of("v/ball/wy", "v/ball/vx") - 5.0 / 7.0 / 0.03) < 1e-10
    v = ball.linear_velocity
    assert (slip > 0.0) == (np.linalg.norm(v + np.cross(ball.angular_velocity, (0, 0, -0.03))) > 0.1)


@pytest.mark.parametrize("stop", [-1.0, 1.0])
def test_a_stop_that_another_one_pushes_open_in_the_shift(stop):
    """A joint stands at its stop, the next one comes to its own: passed, the first moves the second.

    One end is pushed into its stop and holds, the other is moved away from it and lets go.
    """
    world = tribo.World(time_step=0.001, gravity=(0, 0, 0))
    world.tolerance = TOLERANCE
    link = root = tribo.LinkDescription("base")
    root.fix_to_world()
    for k in range(2):
        link = link.add_child(
            f"l{k}", "revolute", axis=(0, 1, 0), position=(0, 0, -0.3), lower=-1.0, upper=1.0
        )
        link.add_shape("box", (0.05, 0.05, 0.3), mass=1.0, position=(0, 0, -0.15), collides=False)
    robot = world.add_articulated_system(root, name="arm", position=(0, 0, 2))
    robot.generalized_coordinate = [1.0, 0.9995 * stop]
    robot.generalized_velocity = [0.0, stop]
    robot.generalized_force = [1000.0, 0.0]
    found = tribo.linearize(world, controls=())
    moved = tribo.linearize(world, controls=(), method="differences", step=1e-5)
    assert (found.method == "exact") == (stop > 0.0)
    assert np.abs(moved.backward - moved.forward).max() > 1e-3  # at the stop: two sides
    np.testing.assert_allclose(found.forward, moved.forward, atol=1e-4)
    np.testing.assert_allclose(found.backward, moved.backward, atol=1e-4)


def test_a_correction_of_positions_that_lets_go_is_said():
    """A foot that is pushed out of the floor by less than it is moved."""
    world, _ = falling(1, "semi_implicit")
    world.step(161)
    found, nearer = (tribo.linearize(world, method="exact", step=s) for s in (1e-5, 1e-7))
    said = [str(one) for one in found.changes if one.what.startswith("correction of contact")]
    assert [one.endswith("pushes | pushes | rests") for one in said] == [True, True]
    column = found.names.index(said[0].partition(":")[0])
    wide, narrow = (tribo.linearize(world, method="differences", step=s) for s in (1e-5, 1e-7))
    off = [np.abs(one.central - found.central)[:, column].max() for one in (wide, narrow)]
    assert (off[0] > 1e-2, off[1] < 1e-4) == (True, True)
    assert not any(one.what.startswith("correction") for one in nearer.changes)
