"""Fixed tendons: couplings of joints, and the actuators on them."""

import math

import numpy as np
import pytest

import tribo
from tribo.formats import mjcf

FINGERS = (
    '<body name="hand"><geom size="0.1"/>'
    '<body pos="0 1 0"><joint name="l" type="slide" axis="0 1 0"/><geom size="0.1"/></body>'
    '<body pos="0 -1 0"><joint name="r" type="slide" axis="0 -1 0" ref="0.1"/><geom size="0.2"/></body>'
    "</body>"
)
TIE = '<equality><joint joint1="r" joint2="l" polycoef="0.1 2 0 0 0"/></equality>'
SPLIT = (
    '<tendon><fixed name="t" {}><joint joint="l" coef="0.5"/><joint joint="r" coef="0.25"/></fixed></tendon>'
)


def text(*sections):
    fixed = FINGERS.replace('<body name="hand">', '<body name="hand"><joint name="wrist" axis="0 1 0"/>')
    return f"<mujoco><worldbody>{fixed}</worldbody>{''.join(sections)}</mujoco>"


def joints(source):
    (tree,) = (item.tree for item in mjcf.read(source).objects if item.tree is not None)
    return {body.joint.name: body.joint for body in tree.bodies}, tree


def test_a_tendon_is_a_coupling_of_its_joints():
    own = 'stiffness="4" springlength="0.3" damping="3" frictionloss="2" armature="0.1" range="0.1 0.6"'
    _, tree = joints(text(TIE, SPLIT.format(own)))
    (made,) = tree.couplings
    assert made.terms == (("l", 0.5), ("r", 0.25))
    assert (made.stiffness, made.rest, made.damping) == (4.0, (0.3, 0.3), 3.0)
    assert (made.friction, made.inertia, made.lower, made.upper) == (2.0, 0.1, 0.1, 0.6)


def test_a_tendon_that_nothing_acts_on_is_left_out():
    _, tree = joints(text(SPLIT.format("")))
    assert not tree.couplings


def test_a_spring_rests_where_those_of_its_joints_do_or_between_two_lengths():
    """Not where the file draws them: L = 0.5 · 0 + 0.25 springref, MuJoCo's tendon_lengthspring."""
    for given, rest in (("", 0.0), ('springref="0.3"', 0.075)):
        sprung = text(SPLIT.format('stiffness="4"')).replace('ref="0.1"', f'ref="0.1" {given}')
        assert joints(sprung)[1].couplings[0].rest == pytest.approx((rest, rest), rel=1e-15)
    _, tree = joints(text(SPLIT.format('stiffness="4" springlength="0.1 0.2"')))
    assert tree.couplings[0].rest == (0.1, 0.2)


CART = (
    '<body name="{0}" pos="{1} 0 0"><joint type="slide" axis="1 0 0" {2}/><geom size="0.1"/>'
    '<site name="{0}"/></body>'
)


def test_the_spring_of_a_way_rests_where_those_of_its_joints_do():
    """A cart at x = 0.4 from a point 0.3 m above 0: ‖(0.4, 0.3)‖; from another cart at x = 0.8: 0.4."""
    carts = CART.format("a", 0, 'springref="0.4" stiffness="1"') + CART.format("b", 1, 'springref="-0.2"')
    tendon = '<tendon><spatial name="t" stiffness="2"><site site="a"/><site site="{}"/></spatial></tendon>'
    scene = f'<mujoco><worldbody>{carts}<site name="w" pos="0 0 0.3"/></worldbody>{tendon}</mujoco>'
    (coupling,) = mjcf.read(scene.format("w")).objects[0].tree.couplings
    assert coupling.rest == pytest.approx((0.5, 0.5), rel=1e-15)
    (wire,) = mjcf.read(scene.format("b")).constraints
    assert wire.numbers["length"] == pytest.approx(0.4, rel=1e-15)


FREE = (
    '<body name="a"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
    '<site name="a1" pos="0.3 0 0"/><site name="a2" pos="-0.3 0 0"/></body>'
    '<body name="b" pos="0 0 0.4"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    '<site name="b1"/></body><site name="w1" pos="0.3 0 0"/><site name="w2" pos="-0.3 0 0"/>'
)


def looped(ends, own):
    """Return a world with a tendon of length 1 that runs from one object over another one and back."""
    sites = "".join(f'<site site="{name}"/>' for name in (ends[0], "b1", *ends[1:]))
    tendon = f'<tendon><spatial name="t" {own}>{sites}</spatial></tendon>'
    world = tribo.World(gravity=(0, 0, 0))
    world.load_mjcf(f"<mujoco><worldbody>{FREE}</worldbody>{tendon}</mujoco>", take_options=False)
    return world


def test_a_tendon_from_a_body_over_another_one_and_back_catches_both():
    """b leaves at 1 m/s; a wire without rebound leaves both the speed 1 · 1/(2 + 1).

    Up to dt/2 of ℓ'' = 2 · 0.36/0.5 m/s² by which its length would have changed, over 2 · 0.8 = ∂L/∂z.
    """
    world = looped(("a1", "a2"), 'range="0 1"')
    world["b"].linear_velocity = (0, 0, 1)
    world.step(100)
    speeds = [world[name].linear_velocity[2] for name in "ab"]
    error = 0.5 * world.time_step * 1.44 / 1.6
    assert speeds == pytest.approx([1 / 3, 1 / 3], abs=error)
    assert world.constraint("t").distance == pytest.approx(1.0, abs=1.6 * 0.1 * error)


@pytest.mark.parametrize(("ends", "mass"), [(("a1", "a2"), 2 / 3), (("w1", "a1", "w2"), 0.0)])
def test_the_spring_of_a_tendon_whose_ends_are_on_one_body_keeps_the_energy(ends, mass, tmp_path):
    """½ k (L − 0.8)² becomes motion: L = 2 √(0.3² + z²), and it gets there with √(2 E/μ) if none turns."""
    world = looped(ends, 'stiffness="20" springlength="0.8"')
    (wire,) = world.constraints
    energy = wire.potential_energy
    assert energy == pytest.approx(0.5 * 20 * (wire.distance - 0.8) ** 2, rel=1e-12)
    while wire.distance > 0.8:
        world.step()
        moved = sum(world[name].kinetic_energy for name in "ab")
        assert moved + wire.potential_energy == pytest.approx(energy, rel=1e-5)
    if mass:
        relative = world["b"].linear_velocity[2] - world["a"].linear_velocity[2]
        assert relative == pytest.approx(-math.sqrt(2 * energy / mass), rel=1e-3)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    assert again.constraints[0].distance == pytest.approx(wire.distance, rel=1e-12)


def test_a_servo_of_such_a_tendon_holds_its_length():
    servo = '<actuator><position name="s" tendon="t" kp="500" kv="500" ctrlrange="0 1"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(text(TIE, SPLIT.format(""), servo), take_options=False)
    robot.set_controls([0.4])
    world.step(6000)
    q = dict(zip(robot.joint_names, robot.generalized_coordinate, strict=True))
    assert 0.5 * q["l"] + 0.25 * q["r"] == pytest.approx(0.4, abs=1e-4)  # it may rest when it is slow
    robot.set_controls([7.0])  # no more than ctrlrange
    world.step(6000)
    q = dict(zip(robot.joint_names, robot.generalized_coordinate, strict=True))
    assert 0.5 * q["l"] + 0.25 * q["r"] == pytest.approx(1.0, abs=1e-4)


def test_a_motor_pulls_each_joint_by_its_coefficient():
    """gear 10, at most 3: F = 30 along L; after dt each slide has dt c F/m if nothing couples them."""
    body = "".join(
        f'<body name="{n}"><joint name="{n}" type="slide" axis="1 0 0"/><geom size="0.1" mass="{m}"/></body>'
        for n, m in (("l", 2.0), ("r", 5.0))
    )
    body = f'<body name="base"><geom size="0.1"/>{body}</body>'
    motor = '<actuator><motor name="m" tendon="t" gear="10" forcerange="-1 3"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(
        f"<mujoco><worldbody>{body}</worldbody>{SPLIT.format('')}{motor}</mujoco>", take_options=False
    )
    robot.set_controls([9.0])
    world.step(10)
    expected = 10 * world.time_step * 30.0 * np.array([0.5 / 2.0, 0.25 / 5.0])
    np.testing.assert_allclose(robot.generalized_velocity, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        (("<tendon><flex name='s'/></tendon>",), "flex tendons are not read"),
        (("<actuator><motor tendon='none'/></actuator>",), "it does nothing"),
    ],
)
def test_what_is_not_read_is_listed(sections, words):
    assert any(words in note for note in mjcf.read(text(*sections)).doubts)


@pytest.mark.parametrize(
    ("inner", "words"),
    [('<joint joint="x" coef="1"/>', "is not a joint"), ('<joint joint="l"/>', "coef"), ("", "at least one")],
)
def test_broken_tendons_are_refused(inner, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        mjcf.read(text(f'<tendon><fixed name="t">{inner}</fixed></tendon>'))


def test_a_damper_damps_as_much_as_its_control_says():
    """ω̇ I = −kv u ω over n implicit steps: ω = ω₀ (1 + dt kv u/I)⁻ⁿ."""
    arm = '<body><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/></body>'
    damper = '<actuator><damper name="d" joint="j" kv="3" gear="2" ctrlrange="0 5"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(f"<mujoco><worldbody>{arm}</worldbody>{damper}</mujoco>", take_options=False)
    robot.generalized_velocity = [1.0]
    world.step(10)
    assert robot.generalized_velocity[0] == 1.0
    robot.set_controls([0.5])
    assert robot.kd[0] == 6.0
    world.step(100)
    expected = (1.0 + world.time_step * 6.0 / 2.0) ** -100
    assert robot.generalized_velocity[0] == pytest.approx(expected, rel=1e-9)
    assert math.isfinite(robot.effort_limits[1][0].max()) is False


def test_a_cylinder_pushes_by_its_area_with_a_lag():
    """a = u (1 − (1 − dt/T)ⁿ) step by step; F = area a + 5."""
    arm = '<body><joint name="j" type="slide"/><geom size="0.1"/></body>'
    push = '<actuator><cylinder joint="j" diameter="2" timeconst="0.3" bias="5 0 0"/></actuator>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(f"<mujoco><worldbody>{arm}</worldbody>{push}</mujoco>", take_options=False)
    robot.set_controls([3.0])
    dt, mass = world.time_step, robot.mass
    state = speed = 0.0
    for _ in range(20):
        world.step()
        middle = state + 0.5 * dt / 0.3 * (3.0 - state)
        state += dt / 0.3 * (3.0 - state)
        speed += dt * (math.pi * middle + 5.0) / mass
    assert robot.activation[0] == pytest.approx(state, rel=1e-12)
    assert robot.generalized_velocity[0] == pytest.approx(speed, rel=1e-9)


def test_controls_are_those_of_the_file_for_every_robot_in_it():
    """Two robots and one actuator that is not read: each takes its own numbers out of one vector."""
    bodies = "".join(f'<body name="{n}"><joint name="{n}"/><geom size="1"/></body>' for n in "ab")
    actuators = '<motor joint="b" gear="2"/><general joint="a" dyntype="user"/><position joint="a" kp="4"/>'
    world = tribo.World()
    a, b = world.load_mjcf(
        f"<mujoco><worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )
    for robot in (a, b):
        robot.set_controls([3.0, 9.0, 0.5])
    assert (a.pd_target[0], a.generalized_force[0], b.generalized_force[0]) == (0.5, 0.0, 6.0)
    with pytest.raises(ValueError, match=r"must have shape \(3,\)"):
        a.set_controls([1.0])
    with pytest.raises(ValueError, match="finite"):
        a.set_controls([1.0, math.nan, 2.0])


def test_controls_of_a_batch_are_those_of_its_worlds():
    servo = '<actuator><position name="s" joint="l" kp="5"/><motor joint="r" gear="3"/></actuator>'
    world = tribo.World()
    (robot,) = world.load_mjcf(text(servo))
    batch = tribo.Batch(world, 3)
    many = batch[robot.name]
    u = np.array([[0.1, 1.0], [0.2, 2.0], [0.3, 3.0]])
    many.set_controls(u)
    for k in range(3):
        robot.set_controls(u[k])
        np.testing.assert_array_equal(many.pd_target[k], robot.pd_target)
        np.testing.assert_array_equal(many.generalized_force[k], robot.generalized_force)
    many.set_controls(u[0])
    assert (many.generalized_force[:, -1] == 3.0).all()
    with pytest.raises(ValueError, match=r"\(2,\) or \(3, 2\)"):
        many.set_controls(np.zeros((2, 2)))


@pytest.mark.parametrize("limited", ["", 'limited="false"', 'limited="true"'])
@pytest.mark.parametrize("tag", ["position", "intvelocity"])
@pytest.mark.parametrize("own", ["joint", "tendon"])
def test_a_servo_inherits_a_range_that_need_not_be_limited(limited, tag, own):
    """Half of −1 … 0.4: MuJoCo's actuator_ctrlrange, or actuator_actrange, is −0.65 … 0.05, gear or not."""
    span = f'range="-1 0.4" {limited}'
    body = '<body><joint name="j" {}/><geom size="0.1" pos="0.3 0 0"/></body>'
    tendon = '<tendon><fixed name="t" {}><joint joint="j" coef="2"/></fixed></tendon>'
    body = body.format(span if own == "joint" else "")
    tendon = tendon.format(span if own == "tendon" else "")
    what = {"joint": "j", "tendon": "t"}[own]
    servo = f'<{tag} name="s" {own}="{what}" kp="2" gear="3" inheritrange="0.5" {{}}/>'
    head = '<mujoco><compiler angle="radian"/>'
    scene = f"{head}<worldbody>{body}</worldbody>{tendon}<actuator>{servo}</actuator></mujoco>"
    (made,) = mjcf.read(scene.format("")).objects[0].tree.actuators
    found = made.law.state_range if tag == "intvelocity" else made.control_range
    assert found == pytest.approx((-0.65, 0.05), rel=1e-15)
    if tag == "position":
        (made,) = mjcf.read(scene.format('ctrllimited="false"')).objects[0].tree.actuators
        assert made.control_range == (-math.inf, math.inf)
