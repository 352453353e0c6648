"""Derivatives of steps against closed forms. A central difference of step s errs by s² f'''/6 + ε |x⁺|/s.

With s = 1e-6 and numbers of the size 1 that is 1e-12 + 2e-10; of sums of some ten terms less than 1e-8.
"""

import math
import sys

import numpy as np
import pytest

import tribo
from tribo.control import Linearizer
from tribo.identification import body, joint, pair

CLOSE = 1e-8


def pendulum(time_step=0.01, angle=0.7, mass=2.0, length=0.5):
    world = tribo.World(time_step=time_step)
    world.integrator = "semi_implicit"
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("sphere", (0.01,), mass=mass, position=(0, 0, -length), collides=False)
    arm = world.add_articulated_system(root, name="arm")
    arm.generalized_coordinate = [angle]
    return world, arm


def test_a_pendulum_is_as_its_formula_says():
    world, arm = pendulum()
    arm.generalized_velocity = [1.5]
    inertia = float(arm.mass_matrix[0, 0])
    stiffness = 2.0 * 9.81 * 0.5 * np.cos(0.7) / inertia
    dt = 0.01
    found = tribo.linearize(world)
    assert found.state_names == ("q/arm/rod_joint", "v/arm/rod_joint")
    expected = [[1.0 - dt**2 * stiffness, dt], [-dt * stiffness, 1.0]]
    assert np.allclose(found.A, expected, rtol=0, atol=CLOSE)
    assert np.allclose(found.B, [[dt**2 / inertia], [dt / inertia]], rtol=CLOSE, atol=0)
    assert np.abs(found.A - expected).max() <= found.error.max() + CLOSE
    assert found.is_smooth
    assert found.world_steps == 1
    assert (found.method, found.obstacle) == ("exact", "")
    moved = tribo.linearize(world, method="differences")
    assert moved.world_steps == 1 + 4 * 3
    assert np.abs(moved.A - expected).max() <= moved.error.max() + CLOSE


def test_several_steps_are_the_product_of_single_ones():
    world, arm = pendulum(angle=0.0)  # at rest and hanging: all steps have the same derivative
    one, five = tribo.linearize(world), tribo.linearize(world, steps=5)
    assert np.allclose(five.A, np.linalg.matrix_power(one.A, 5), rtol=0, atol=CLOSE)
    held = sum(np.linalg.matrix_power(one.A, k) @ one.B for k in range(5))
    assert np.allclose(five.B, held, rtol=1e-7, atol=0)
    assert five.time_step == pytest.approx(0.05)
    del arm


def test_the_world_stays_as_it_was():
    world, arm = pendulum()
    world.step(3)
    before = world.hash()
    tribo.linearize(world, parameters=body("arm", "rod", mass=(1.0, 3.0)))
    assert world.hash() == before
    assert arm.links[-1].mass == 2.0


def test_a_mass_is_a_parameter():
    world, arm = pendulum()
    arm.generalized_force = [3.0]
    found = tribo.linearize(world, parameters=body("arm", "rod", mass=(1.0, 3.0)))
    inertia = float(arm.mass_matrix[0, 0])
    # v⁺ = v + dt (τ/I − …), and the weight's part does not depend on the mass; I is in proportion to it.
    assert found.parameter_names == ("arm/rod/mass",)
    assert found.E[1, 0] == pytest.approx(-0.01 * 3.0 / inertia / 2.0, rel=1e-7)


def test_a_free_body_turns_as_rotation_vectors_do():
    world = tribo.World(time_step=0.01)
    ball = world.add_sphere(0.1, mass=2.0, name="ball", position=(0, 0, 1))
    ball.orientation = tribo.quaternion(rpy=(0.3, -0.8, 2.0))
    ball.angular_velocity = spin = np.array([1.0, 2.0, 3.0])
    found = tribo.linearize(world, controls="wrench")
    # A ball's spin is constant: R⁺ = exp(dt ω×) R, so δ⁺ = exp(dt ω×) δ.
    angle, axis = 0.01 * np.linalg.norm(spin), spin / np.linalg.norm(spin)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    assert np.allclose(found.A[3:6, 3:6], turn, rtol=0, atol=CLOSE)
    assert np.allclose(found.A[:3, 6:9], 0.01 * np.eye(3), rtol=0, atol=CLOSE)
    assert np.allclose(found.A[6:, 6:], np.eye(6), rtol=0, atol=CLOSE)
    assert np.allclose(found.B[6:9, 3:], 0.01 / 2.0 * np.eye(3), rtol=CLOSE, atol=1e-12)
    assert np.allclose(found.B[:3, 3:], 0.5e-4 / 2.0 * np.eye(3), rtol=1e-6, atol=1e-12)
    inertia = 0.4 * 2.0 * 0.1**2
    assert np.allclose(found.B[9:, :3], 0.01 / inertia * np.eye(3), rtol=1e-7, atol=1e-10)


def test_a_spring_is_the_exponential_to_third_order():
    world = tribo.World(time_step=0.002, gravity=(0, 0, 0))
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0))
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=2.0, collides=False)
    slide = world.add_articulated_system(root, name="slide")
    slide.joint("cart_joint").stiffness = 50.0
    slide.generalized_coordinate = [0.3]
    found = tribo.linearize(world)
    rate = 5.0  # √(50/2) rad/s
    phase = rate * 0.002
    exact = [[np.cos(phase), np.sin(phase) / rate], [-rate * np.sin(phase), np.cos(phase)]]
    scale = np.array([[1.0, rate], [1.0 / rate, 1.0]])  # to numbers without units
    assert np.abs((found.A - exact) * scale).max() < phase**3  # a step of second order
    assert abs(np.linalg.det(found.A) - 1.0) < CLOSE  # and it keeps areas
    # The map is linear: what a small step shows holds for a large one.
    before = np.array([0.3, 0.0])
    world.step()
    after = np.array([slide.generalized_coordinate[0], slide.generalized_velocity[0]])
    assert np.allclose(found.A @ before, after, rtol=0, atol=CLOSE)


def block(velocity=(0.0, 0.0, 0.0), friction=0.4):
    world = tribo.World(time_step=0.002)
    world.add_ground(material="ice", name="ground")
    world.set_material_pair("ice", "stone", friction=friction)
    box = world.add_box((0.4, 0.4, 0.1), 3.0, "stone", position=(0, 0, 0.05), name="box")
    world.step(5)
    box.linear_velocity = velocity
    return world, box


def test_a_sliding_block_is_as_coulomb_says():
    world, _ = block(velocity=(0.5, 0.0, 0.0))
    world.step()
    speed = world["box"].linear_velocity[0]
    found = tribo.linearize(world, controls="wrench", parameters=pair("ice", "stone", friction=(0.0, 1.0)))
    dt, lost = 0.002, 0.4 * 9.81 * 0.002
    assert found.of("v/box/vx", "v/box/vx") == pytest.approx(1.0, abs=CLOSE)
    # Friction is against v⁺: across the way it turns the velocity, v⁺ = v (1 − lost/|v|).
    assert found.of("v/box/vy", "v/box/vy") == pytest.approx(1.0 - lost / speed, abs=1e-7)
    assert found.of("v/box/vx", "ice/stone/friction") == pytest.approx(-9.81 * dt, rel=1e-6)
    assert found.of("q/box/x", "ice/stone/friction") == pytest.approx(-9.81 * dt**2 / 2, rel=1e-5)
    assert found.of("v/box/vx", "wrench/box/box/fx") == pytest.approx(dt / 3.0, rel=1e-6)
    # A load from above is one on friction, too.
    load = found.of("v/box/vx", "wrench/box/box/fz")
    assert load == pytest.approx(0.4 * dt / 3.0, rel=1e-5)


def test_a_block_at_rest_does_not_move_for_a_small_push():
    world, _ = block()
    found = tribo.linearize(world, controls="wrench")
    for result in ("v/box/vx", "v/box/vy", "v/box/wz"):
        for by in ("v/box/vx", "v/box/vy", "v/box/wz", "wrench/box/box/fx", "wrench/box/box/tz"):
            assert abs(found.of(result, by)) < CLOSE


def test_a_contact_that_would_open_is_a_border():
    world, _ = block()
    found = tribo.linearize(world, controls="wrench")
    assert not found.is_smooth
    assert "v/box/vz" in found.kinks
    assert "wrench/box/box/fx" not in found.kinks
    # It cannot go down; up it goes as it is thrown once weight is overcome, which a small push does not.
    assert found.of("v/box/vz", "wrench/box/box/fz", "backward") == pytest.approx(0.0, abs=CLOSE)


def test_what_acts_otherwise_on_the_two_sides_is_named():
    world, box = block(velocity=(0.0, 0.0, 0.0))
    grip = 0.4 * 3.0 * 9.81
    box.apply_force((grip, 0.0, 0.0))  # at the border of slipping
    found = tribo.linearize(world, controls="wrench", step=1e-5)
    said = {(one.input, one.what): one for one in found.changes}
    change = said["wrench/box/box/fx", "contact ground–box"]
    assert change.above == "4 points press, 4 slip"
    assert change.below != change.above  # some of four hold, which is enough
    assert "wrench/box/box/fx" in found.kinks
    slips, sticks = (found.of("v/box/vx", "wrench/box/box/fx", side) for side in ("forward", "backward"))
    assert slips == pytest.approx(0.002 / 3.0, rel=1e-5)
    assert sticks == pytest.approx(0.0, abs=CLOSE)


def test_a_stop_is_named():
    world, arm = pendulum(angle=0.0)
    root = tribo.LinkDescription("post")
    root.fix_to_world()
    door = root.add_child("door", "revolute", axis=(0, 1, 0), lower=-1.0, upper=0.3)
    door.add_shape("sphere", (0.01,), mass=1.0, position=(0, 0, -0.5), collides=False)
    post = world.add_articulated_system(root, name="post", position=(0, 3, 0))
    post.generalized_coordinate = [0.3]
    post.generalized_force = [9.81 * 0.5 * np.sin(0.3)]  # which only just bears the weight
    found = tribo.linearize(world, objects=["post"])
    assert {one.what for one in found.changes} == {"stop post/door_joint"}
    assert found.state_names == ("q/post/door_joint", "v/post/door_joint")
    del arm


def test_outputs_have_derivatives():
    world, arm = pendulum()
    found = tribo.linearize(world, outputs=lambda batch: batch["arm"].frame("rod").orientation[:, 2])
    world.step()
    half = 0.5 * float(arm.generalized_coordinate[0])  # the output: sin(q⁺/2)
    assert np.allclose(found.C, 0.5 * np.cos(half) * found.A[:1], rtol=0, atol=CLOSE)
    assert np.allclose(found.D, 0.5 * np.cos(half) * found.B[:1], rtol=1e-7, atol=0)


@pytest.mark.parametrize("kind", ["target", "velocity_target"])
def test_targets_are_commands(kind):
    world, arm = pendulum()
    arm.set_pd_gains([200.0], [5.0])
    found = tribo.linearize(world, controls=("force", kind))
    force, target = found.B.T
    gain = {"target": 200.0, "velocity_target": 5.0}[kind]
    assert found.command_names == ("force/arm/rod_joint", f"{kind}/arm/rod_joint")
    assert np.allclose(target, gain * force, rtol=1e-6, atol=0)  # τ = kp (q_d − q) + kd (v_d − v)


def test_bad_input_is_named():
    world, _ = pendulum()
    for bad, error, text in (
        ({"controls": "torque"}, KeyError, "kind of control"),
        ({"objects": ["arms"]}, KeyError, "arm"),
        ({"steps": 0}, ValueError, "steps"),
        ({"step": 1.0}, ValueError, "step"),
        ({"outputs": 3}, TypeError, "outputs"),
        ({"outputs": lambda batch: 1.0}, ValueError, "first axis"),
        ({"parameters": "mass"}, TypeError, "parameters"),
        ({"parameters": body("arm", "rod", mass=(2.0, 3.0))}, ValueError, "room"),
    ):
        with pytest.raises(error, match=text):
            tribo.linearize(world, **bad)
    empty = tribo.World()
    empty.add_ground(name="ground")
    with pytest.raises(ValueError, match="nothing in this world"):
        tribo.linearize(empty)
    with pytest.raises(ValueError, match="no dof"):
        tribo.linearize(empty, objects=["ground"])
    with pytest.raises(TypeError, match="World"):
        tribo.linearize(3)


def test_along_contacts_a_robot_that_stands_is_smooth():
    world, _ = block()
    found = tribo.linearize(world, controls="wrench", on_contacts=True)
    assert found.A.shape == (0, 0)  # four corners that stick hold a block in all six directions
    world = tribo.World()
    world.add_ground()
    base = tribo.LinkDescription("base")
    base.add_shape("sphere", (0.1,), mass=1.0, position=(0, 0, 0.1))
    pole = base.add_child("pole", "revolute", axis=(0, 1, 0), position=(0, 0, 0.1), joint_name="hinge")
    pole.add_shape("sphere", (0.02,), mass=0.5, position=(0, 0, 0.6), collides=False)
    robot = world.add_articulated_system(base, name="robot")
    robot.generalized_coordinate = [0, 0, 0, 1, 0, 0, 0, 0]
    world.step(2)
    found = tribo.linearize(world, on_contacts=True)
    # A ball that rolls: three of its six directions are held at the point, and the pole has one.
    assert found.directions.shape == (7, 4)
    assert found.A.shape == (8, 8)
    assert found.is_smooth
    assert abs(found.eigenvalues[0]) > 1.0
    assert not tribo.linearize(world).is_smooth


def test_a_linearizer_follows_its_world():
    world, arm = pendulum()
    linearizer = tribo.control.Linearizer(world)
    for _ in range(3):
        found = tribo.linearize(world)
        assert np.array_equal(linearizer.at(world).central, found.central)
        A, B = linearizer.matrices(world)
        assert np.array_equal(A, found.A)
        assert np.array_equal(B, found.B)
        world.step(50)
    other = tribo.World()
    other.add_sphere(0.1, mass=1.0)
    with pytest.raises(ValueError, match="built like"):
        linearizer.at(other)
    del arm


def test_random_trees_are_as_richardsons_extrapolation():
    generator = np.random.default_rng(0)
    for _ in range(10):
        root = link = tribo.LinkDescription("base")
        root.add_shape("box", (0.3, 0.2, 0.1), mass=2.0, collides=False)
        for k in range(4):
            kind = ("revolute", "prismatic", "spherical")[generator.integers(3)]
            at = generator.uniform(-0.3, 0.3, 3)
            link = link.add_child(f"link{k}", kind, position=at, axis=generator.normal(size=3))
            link.add_shape("box", (0.1, 0.2, 0.3), mass=1.0, position=at, collides=False)
        world = tribo.World(time_step=0.002)
        robot = world.add_articulated_system(root, position=(0, 0, 1))
        robot.generalized_velocity = generator.normal(size=robot.dof)
        world.step(3)
        found = tribo.linearize(world)
        near, far = (tribo.linearize(world, step=size).A for size in (1e-3, 2e-3))
        richardson = (4.0 * near - far) / 3.0  # errs by 1e-12 f⁗' and 1e-13 of rounding
        # The step of 1e-6 loses ε |x⁺|/1e-6 of rounding, |x⁺| up to 10 after some hundred operations.
        assert np.allclose(found.A, richardson, rtol=0, atol=1e-7)
        assert found.is_smooth


def test_the_length_of_a_link_is_a_parameter():
    """A bob that turns freely on the end of a rod: (I + m l²) θ̈ = −(c + m g l sin θ), by l."""
    length, bob, weight = 0.5, 1.5, 9.81
    world = tribo.World(time_step=0.01)
    world.integrator = "semi_implicit"
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0), joint_name="hip")
    rod.add_shape("sphere", (0.02,), mass=0.7, position=(0, 0, -0.2), collides=False)
    end = rod.add_child("bob", "revolute", axis=(0, 1, 0), position=(0, 0, -length), joint_name="knee")
    end.add_shape("sphere", (0.05,), mass=bob, collides=False)
    arm = world.add_articulated_system(root, name="arm")
    arm.generalized_coordinate = [0.7, 0.3]
    own = 0.4 * 0.7 * 0.02**2 + 0.7 * 0.2**2
    sine = np.sin(0.7)

    def rate(l):
        return -(0.7 * 0.2 + bob * l) * weight * sine / (own + bob * l**2)

    found = tribo.linearize(world, parameters=joint("arm", "knee", distance=(0.1, 1.0)))
    assert found.parameter_names == ("arm/knee/distance",)
    by_length = (rate(length + 1e-5) - rate(length - 1e-5)) / 2e-5
    assert found.of("v/arm/hip", "arm/knee/distance") == pytest.approx(0.01 * by_length, rel=1e-7)
    assert found.method == "exact"
    one = joint("arm", "knee", distance=(0.1, 1.0), damping=(0.0, 1.0))
    one.set_in_world(world, np.array([0.6, 0.2]))
    assert np.allclose(arm.joint("knee").position_in_parent, (0, 0, -0.6), rtol=1e-15)
    assert one.read(world) == pytest.approx([0.6, 0.2])
    with pytest.raises(ValueError, match="no direction"):
        tribo.linearize(world, parameters=joint("arm", "hip", distance=(0.1, 1.0)))


def normal(x):
    """Return the share of a normal distribution below x."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def test_a_bundle_feels_contacts_before_they_touch():
    """v⁺ = max(v − g dt, −φ/dt) with v and φ spread by s: of ∂v⁺/∂φ = −1/dt the share P(contact).

    The gap is 4 s, so that overlaps, which are another law, have a share of 3e-5.
    """
    spread, time_step, gap = 1e-3, 0.01, 4e-3
    world = tribo.World(time_step=time_step)
    world.integrator, world.erp = "semi_implicit", 1.0
    world.add_ground(material="floor")
    world.set_material_pair("floor", "ball", friction=0.0, restitution=0.0)
    ball = world.add_sphere(0.1, 1.0, "ball", name="ball", position=(0, 0, 0.1 + gap))
    ball.linear_velocity = (0, 0, -0.28)
    sharp = tribo.linearize(world, controls=(), method="exact")
    assert sharp.of("v/ball/vz", "q/ball/z") == 0.0
    found = tribo.linearize(world, controls=(), method="bundled", step=spread)
    assert (found.method, found.obstacle) == ("bundled", "")
    free = ball.linear_velocity[2] - 9.81 * time_step + gap / time_step  # by which it does not touch
    touches = normal(-free / (spread * math.hypot(1.0, 1.0 / time_step)))
    assert 0.2 < touches < 0.5
    at = found.state_names.index("v/ball/vz"), found.state_names.index("q/ball/z")
    error = found.error[at]
    assert error < 0.15 / time_step
    assert abs(found.A[at] + touches / time_step) < 3.0 * error
    again = tribo.linearize(world, controls=(), method="bundled", step=spread)
    assert np.array_equal(again.A, found.A)


def test_a_bundle_gives_friction_a_slope():
    """A slide with dry friction at rest: 0, in a bundle what breaks away; linear maps stay what they are."""
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.integrator = "semi_implicit"
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    for name, axis in (("dry", (1, 0, 0)), ("free", (0, 1, 0))):
        link = root.add_child(name, "prismatic", axis=axis, joint_name=name)
        link.add_shape("sphere", (0.1,), mass=2.0, collides=False)
    robot = world.add_articulated_system(root, name="robot")
    robot.joint("dry").dry_friction = 0.2  # 1e-3 m/s in a step
    sharp = tribo.linearize(world, controls=())
    assert sharp.of("v/robot/dry", "v/robot/dry") == 0.0
    found = tribo.linearize(world, controls=(), method="bundled", step=1e-3)
    at = found.state_names.index("v/robot/dry")
    assert abs(found.A[at, at] - 2.0 * (1.0 - normal(1.0))) < 3.0 * found.error[at, at]
    assert 0.0 < found.error[at, at] < 0.1
    free = found.state_names.index("v/robot/free")
    assert abs(found.A[free, free] - 1.0) < 1e-12


def test_a_bundle_of_many_inputs_is_stepped_in_several_batches(monkeypatch):
    module = sys.modules[Linearizer.__module__]
    most = 1 + 4 * module.MAX_INPUTS
    world = tribo.World(time_step=0.01)
    world.add_ground()
    for k in range(5):
        ball = world.add_sphere(0.1, 1.0, position=(k, 0, 0.1))
        ball.linear_velocity = (0.5, 0.0, 0.0)
    counts = []
    own = Linearizer._batch

    def counted(self, world, count):
        counts.append(count)
        return own(self, world, count)

    monkeypatch.setattr(Linearizer, "_batch", counted)
    found = tribo.linearize(world, controls=(), method="bundled", step=1e-3)
    assert len(found.state_names) == 60
    assert counts == [most, 1 + 2 * (8 * 60 - 256)]
    assert found.world_steps == sum(counts)
    counts.clear()
    monkeypatch.setattr(module, "MAX_PAIRS", 10**6)
    whole = tribo.linearize(world, controls=(), method="bundled", step=1e-3)
    assert counts == [1 + 16 * 60]
    assert np.array_equal(whole.central, found.central)
    assert np.array_equal(whole.error, found.error)
