"""Products of derivatives along rollouts by parameters, against closed forms and whole rollouts."""

import numpy as np
import pytest
from scenes import two_links

import tribo
from tribo.control import NotDifferentiableError, RolloutFunction
from tribo.identification import body, joint, motors, pair, tilt

G = 9.81
DT, STEPS = 0.002, 50


def sliding_box():
    world = tribo.World(time_step=DT, gravity=(0, 0, -G))
    world.add_ground(material="ice")
    world.set_material_pair("ice", "stone", friction=0.3)
    box = world.add_box((0.4, 0.4, 0.1), 2.0, "stone", position=(0, 0, 0.05), name="box")
    world.step(5)
    box.linear_velocity = (0.8, 0, 0)
    return world


def arm():
    world = tribo.World(time_step=DT)
    robot = world.add_articulated_system(two_links(), name="arm")
    robot.joint("elbow").damping = 0.1
    robot.set_state([0.4, -0.3], [0.8, -0.5])
    return world


def test_a_box_that_slides_has_closed_forms():
    """v = v₀ − μ g t + F t/m, and a ground turned by a about y adds g sin(a) t."""
    function = RolloutFunction(
        sliding_box(), forces={"box": None}, threads=1,
        parameters=[pair("ice", "stone", friction=(0, 1)), body("box", mass=(1, 3)), tilt(y=(-0.1, 0.1))],
    )  # fmt: skip
    assert function.parameter_names == ("ice/stone/friction", "box/mass", "tilt/y")
    told = np.zeros((2, STEPS, 6))
    told[1, :, 0] = 1.0
    ways = function.run(told)
    time = DT * (1 + np.arange(STEPS))
    for k, slope in enumerate((-G * np.array([1.0, 1.0]), [0.0, -1.0 / 4.0], [G, G])):
        _, faster = ways.jvp(parameters=np.eye(3)[k])
        # A step's difference errs by 1e-16 m/s over 1e-5 of the span, 0.2 to 2: 1e-10 in each of 50 steps,
        # and by what a contact solve leaves, 1e-13 of the speed.
        assert np.abs(faster[:, :, 0] - np.outer(slope, time)).max() < 1e-8
    of_last = np.zeros((STEPS, 6))
    of_last[-1, 0] = 1.0
    by = ways.vjp(velocity=of_last).parameters
    assert np.abs(by - time[-1] * np.array([[-G, 0, G], [-G, -0.25, G]])).max() < 1e-8


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_an_arm_is_as_differences_of_whole_rollouts(integrator):
    """A difference of whole rollouts with a step s has s² f'''/6, a quarter of what 2 s changes in it."""
    chosen = [body("arm", "lower", mass=(0.1, 1.0)), joint("arm", "elbow", damping=(0.0, 1.0))]
    world = arm()
    world.integrator = integrator
    told = np.random.default_rng(0).normal(size=(1, STEPS, 2))
    function = RolloutFunction(
        world, forces={"arm": "joints"}, steps_per_control=2, threads=1,
        parameters=chosen,
    )  # fmt: skip
    ways = function.run(told)
    for k, unknown in enumerate(chosen):
        moved, faster = ways.jvp(parameters=np.eye(2)[k])
        value = unknown.read(world)[0]
        slopes = []
        for size in (1e-4, 2e-4):
            ends = []
            for by in (size, -size):
                unknown.set_in_world(world, np.array([value + by]))
                end = function.run(told)
                ends.append(np.concatenate([end.q[0], end.v[0]], axis=1))
            slopes.append((ends[0] - ends[1]) / (2.0 * size))
        unknown.set_in_world(world, np.array([value]))
        found = np.concatenate([moved[0], faster[0]], axis=1)
        # Rounding: of each step's difference 1e-16/1e-5, which 100 steps carry on.
        bound = np.abs(slopes[0] - slopes[1]).max() + 100 * 1e-11
        assert np.abs(found - slopes[0]).max() <= bound
        assert bound < 1e-5 * np.abs(found).max()


def test_both_modes_are_one_linear_map():
    function = RolloutFunction(
        arm(), forces={"arm": "joints"}, threads=1, parameters=body("arm", "upper", mass=(0.5, 2.0))
    )
    generator = np.random.default_rng(1)
    ways = function.run(generator.normal(size=(2, STEPS, 2)))
    by_q, by_v = generator.normal(size=(2, 2, STEPS, 2))
    moved, faster = ways.jvp(parameters=[[1.0], [1.0]])
    gradient = ways.vjp(by_q, by_v)
    made = (by_q * moved + by_v * faster).sum(axis=(1, 2))
    assert np.abs(gradient.parameters[:, 0] - made).max() < 1e-12 * np.abs(made).max()


def test_a_rollout_keeps_the_parameters_of_its_run():
    world = sliding_box()
    unknown = pair("ice", "stone", friction=(0.0, 1.0))
    ways = tribo.rollout(
        world, forces={"box": np.zeros((STEPS, 6))}, derivatives=True, parameters=unknown, threads=1
    )
    before = ways.jvp(parameters=[1.0])[1]
    unknown.set_in_world(world, np.array([0.9]))
    world.gravity = (0, 0, -1.0)
    assert np.array_equal(ways.jvp(parameters=[1.0])[1], before)


def test_what_cannot_be_a_parameter_is_named():
    world = arm()
    given = {"forces": {"arm": "joints"}, "threads": 1}
    with pytest.raises(TypeError, match="parameters"):
        RolloutFunction(world, parameters=[3], **given)
    with pytest.raises(ValueError, match="no room"):
        RolloutFunction(world, parameters=joint("arm", "shoulder", damping=(0.0, 1.0)), **given)
    with pytest.raises(ValueError, match="derivatives=True"):
        tribo.rollout(
            world, forces={"arm": np.zeros((5, 2))}, parameters=body("arm", "lower", mass=(0.1, 1.0))
        )
    function = RolloutFunction(world, parameters=motors("arm", time_constant=(0.001, 0.05, 0.01)), **given)
    with pytest.raises(NotDifferentiableError, match="motors"):
        function.run(np.zeros((5, 2)))
    function = RolloutFunction(world, parameters=body("arm", "lower", mass=(0.1, 1.0)), **given)
    with pytest.raises(ValueError, match="parameters"):
        function.run(np.zeros((5, 2))).jvp(parameters=[1.0, 2.0])


def dry_slide(integrator):
    """Two slides at rest; dry friction holds one, 0.2 N on 2 kg: 1e-3 m/s in a step."""
    world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
    world.integrator = integrator
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    for name, axis in (("dry", (1, 0, 0)), ("free", (0, 1, 0))):
        link = root.add_child(name, "prismatic", axis=axis, joint_name=name)
        link.add_shape("sphere", (0.1,), mass=2.0, collides=False)
    robot = world.add_articulated_system(root, name="robot")
    robot.joint("dry").dry_friction = 0.2
    return world


def test_a_bundled_rollout_gives_friction_a_slope():
    """The motion stays at rest; a step of a bundle is that of `linearize`, of the same seed."""
    world = dry_slide("semi_implicit")
    given = {"method": "bundled", "step": 1e-3, "threads": 1}
    plan = {"robot": np.zeros((3, 2))}
    sharp = tribo.rollout(world, forces=plan, derivatives=True, threads=1)
    smooth = tribo.rollout(world, forces=plan, derivatives=True, **given)
    assert np.array_equal(smooth.q, sharp.q)
    assert sharp.matrices(0)[0][2, 2] == 0.0
    found = tribo.linearize(world, **given)
    f, g = smooth.matrices(0)
    # Both are fitted to the same differences, whose rounding is 1e-16/1e-3.
    assert np.abs(f - found.A).max() < 1e-11
    assert np.abs(g - found.B).max() < 1e-11
    assert f[2, 2] > 0.2  # 2 (1 − Φ(1)) = 0.317, of those that break away
    pushed = np.zeros((3, 2))
    pushed[0] = 1.0
    moved, faster = smooth.jvp(commands=pushed)
    along = f @ (f @ (g @ pushed[0]))
    assert np.abs(np.concatenate([moved[0, -1], faster[0, -1]]) - along).max() < 1e-12
    assert smooth.obstacles == {}


def test_a_bundle_of_a_linear_step_is_that_step():
    world = dry_slide("midpoint")
    world["robot"].joint("dry").dry_friction = 0.0
    plan = {"robot": np.ones((3, 2))}
    exact = tribo.rollout(world, forces=plan, derivatives=True, method="exact", threads=1)
    smooth = tribo.rollout(world, forces=plan, derivatives=True, method="bundled", step=1e-2, threads=1)
    for k in range(3):
        for sharp, mean in zip(exact.matrices(k), smooth.matrices(k), strict=True):
            # Rows of accelerations are velocities over dt: 1e-16/(1e-2 · 1e-2) of rounding.
            assert np.abs(sharp - mean).max() < 1e-11
    with pytest.raises(ValueError, match="step"):
        tribo.rollout(world, forces=plan, derivatives=True, method="bundled", step=1.0)
    with pytest.raises(ValueError, match="method"):
        tribo.rollout(world, forces=plan, derivatives=True, method="smooth")


def test_a_run_at_other_parameters_is_that_of_a_world_that_has_them():
    chosen = [body("arm", "lower", mass=(0.1, 1.0)), tilt(x=(-0.5, 0.5))]
    world = arm()
    function = RolloutFunction(world, forces={"arm": "joints"}, parameters=chosen, threads=1)
    told = np.random.default_rng(0).normal(size=(2, STEPS, 2))
    ways = function.run(told, parameters=[0.8, 0.2])
    moved = ways.jvp(parameters=[1.0, 0.5])
    exact = ways.jvp(velocity=[1.0, 0.0])
    assert np.array_equal(function.parameters(), [0.5, 0.0])
    for one, value in zip(chosen, (0.8, 0.2), strict=True):
        one.set_in_world(world, np.array([value]))
    other = RolloutFunction(world, forces={"arm": "joints"}, parameters=chosen[:1], threads=1)
    there = other.run(told)
    assert np.abs(ways.q - there.q).max() < 1e-13
    assert np.abs(exact[1] - there.jvp(velocity=[1.0, 0.0])[1]).max() < 1e-12
    by_mass = there.jvp(parameters=[1.0])
    by_tilt = ways.jvp(parameters=[0.0, 0.5])
    assert np.abs(moved[1] - by_mass[1] - by_tilt[1]).max() < 1e-9  # as differences of steps are known
    with pytest.raises(ValueError, match="no room"):
        function.run(told, parameters=[2.0, 0.0])
    with pytest.raises(ValueError, match="parameters must have shape"):
        function.run(told, parameters=[0.5])
    rough = RolloutFunction(
        world, forces={"arm": "joints"}, parameters=chosen[:1], threads=1, method="differences"
    )
    moved = rough.run(told, parameters=[0.8]).jvp(velocity=[1.0, 0.0])
    # Rounding of a difference of a step, 1e-16/1e-6, that 50 steps carry on.
    assert np.abs(moved[1] - exact[1]).max() < 1e-8


def test_a_mass_of_a_floating_robot_changes_no_place_at_once():
    """The momentum that the last step left is that of other masses: a moved mass shifted the robot by it."""
    world = tribo.World(time_step=DT)
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.1, 0.1), mass=1.0, collides=False)
    tail = root.add_child("tail", "revolute", axis=(0, 1, 0), joint_name="tail")
    tail.add_shape("box", (0.3, 0.05, 0.05), mass=0.4, position=(0.2, 0, 0), collides=False)
    cat = world.add_articulated_system(root, name="cat", position=(2, 0, 1))
    cat.generalized_velocity = [0.1, 0, 0.2, 0.5, 0.4, -0.3, 1.0]
    function = RolloutFunction(
        world, forces={"cat": ["tail"]}, parameters=body("cat", "tail", mass=(0.1, 1.0)), threads=1
    )
    told = np.ones((1, 10, 1))
    moved, faster = function.run(told).jvp(parameters=[1.0])
    for found, field in ((moved[:, :, :3], "q"), (faster, "v")):
        slopes = []
        for size in (1e-4, 2e-4):
            above, below = (function.run(told, parameters=[0.4 + by]) for by in (size, -size))
            change = (getattr(above, field) - getattr(below, field)) / (2.0 * size)
            slopes.append(change[:, :, : found.shape[2]])
        # Differences of 1e-4 err by a third of what twice as large ones change; each of 10 steps by
        # 1e-16/1e-5 of numbers up to 2.
        bound = np.abs(slopes[0] - slopes[1]).max() + 10 * 2e-10
        assert np.abs(found - slopes[0]).max() <= bound
