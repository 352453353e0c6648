"""Products of derivatives along rollouts against differences of whole rollouts.

A central difference of steps s errs by ε |x|/s and s² f'''/6. With s = 1e-6, |x| ≤ 5 and 80 steps that round
one after the other, that is 4e-8 at most; with third derivatives up to 1e3 the other part is 2e-10. A contact
solve adds its tolerance of 1e-9 m/s over s in steps that slip: 1e-6 of the largest number is asked.
"""

import sys

import numpy as np
import pytest
from scenes import ground_world, two_links

import tribo
from tribo.control import NotDifferentiableError, RolloutFunction, step_jacobians
from tribo.tools.demo import ASSETS

CLOSE = 1e-6
SIZE = 1e-6


def pendulum(integrator="midpoint", time_step=0.002):
    """Two links that turn about different axes, one driven by a spring, thrown."""
    world = tribo.World(time_step=time_step)
    world.integrator = integrator
    arm = world.add_articulated_system(two_links(), name="arm")
    arm.set_pd_gains([0.0, 3.0], [0.0, 0.05])
    arm.set_state([0.4, -0.3], [0.8, -0.5])
    return world


def ball_joint():
    """A link on a ball joint, and one on a hinge behind it."""
    world = tribo.World(time_step=0.001)
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    link = root.add_child("link", "spherical", joint_name="ball")
    link.add_shape("box", (0.1, 0.2, 0.4), mass=1.0, position=(0.05, 0, -0.2), collides=False)
    end = link.add_child("end", "revolute", axis=(1, 0, 0), position=(0, 0, -0.4), joint_name="end")
    end.add_shape("box", (0.1, 0.1, 0.2), mass=0.3, position=(0, 0.03, -0.1), collides=False)
    arm = world.add_articulated_system(root, name="arm")
    arm.set_state([*tribo.quaternion(rpy=(0.3, 0.2, 0.1)), 0.2], [0.9, -0.7, 0.6, 0.5])
    return world


def slider():
    """A robot of one slide and one hinge whose foot, a ball, slips over the ground."""
    world = ground_world(friction=0.4)
    world.erp = 1.0
    root = tribo.LinkDescription("rail")
    root.fix_to_world()
    cart = root.add_child("cart", "prismatic", axis=(1, 0, 0), joint_name="slide")
    cart.add_shape("box", (0.1, 0.1, 0.1), mass=1.0, collides=False)
    leg = cart.add_child("leg", "revolute", axis=(0, 1, 0), joint_name="hip")
    leg.add_shape("sphere", (0.05,), mass=0.4, position=(0.3, 0, 0))
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 0.2))
    robot.set_state([0.0, np.arcsin(0.15 / 0.3) - 1e-5], [0.8, 0.1])
    return world


def flying_box():
    """A free body that tumbles, and a floating robot beside it."""
    world = tribo.World(time_step=0.002)
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.orientation = tribo.quaternion(rpy=(0.2, 0.1, 0.3))
    box.angular_velocity = (1.0, 2.0, -1.5)
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.1, 0.1), mass=1.0, collides=False)
    tail = root.add_child("tail", "revolute", axis=(0, 1, 0), joint_name="tail")
    tail.add_shape("box", (0.3, 0.05, 0.05), mass=0.4, position=(0.2, 0, 0), collides=False)
    cat = world.add_articulated_system(root, name="cat", position=(2, 0, 1))
    cat.generalized_velocity = [0.1, 0, 0.2, 0.5, 0.4, -0.3, 1.0]
    return world


def tumbling_box():
    """A free body whose inertia is another one about each axis."""
    world = tribo.World(time_step=0.002)
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.orientation = tribo.quaternion(rpy=(0.2, 0.1, 0.3))
    box.angular_velocity = (10.0, 20.0, -15.0)
    return world


CASES = {
    "tumbles": (tumbling_box, {"box": None}, "exact", 30),
    "pendulum": (pendulum, {"arm": None}, "exact", 30),
    "semi-implicit": (lambda: pendulum("semi_implicit"), {"arm": ["elbow"]}, "exact", 30),
    "ball joint": (ball_joint, {"arm": None}, "exact", 30),
    "slips": (slider, {"robot": None}, "exact", 40),
    "flies": (flying_box, {"cat": ["tail"], "box": None}, "exact", 12),
}


def moved(function, ways, q, v, u, by_q, by_v, by_u, size):
    """Return δq, δv of whole rollouts by central differences."""
    layout, ends = function.layout, []
    for sign in (-size, size):
        start = layout.plus(q, sign * by_q[None])[0]
        ends.append(function.run(u + sign * by_u, start, v + sign * by_v))
    worlds, horizon = ways.v.shape[:2]
    shape = (worlds * horizon, -1)
    change = layout.minus(ends[1].q.reshape(shape), ends[0].q.reshape(shape))
    dv = ends[1].v - ends[0].v
    return change.reshape(dv.shape) / (2 * size), dv / (2 * size)


@pytest.mark.parametrize("case", CASES)
def test_products_are_differences_of_rollouts(case):
    make, forces, method, horizon = CASES[case]
    world = make()
    generator = np.random.default_rng(3)
    function = RolloutFunction(world, forces=forces, steps_per_control=2, threads=1, method=method)
    width = len(function.command_names)
    u = generator.normal(size=(2, horizon, width)) * 0.5
    q, v = world.engine.state.arrays["q"][0].copy(), world.engine.state.arrays["v"][0].copy()
    ways = function.run(u, q, v)
    assert ways.made_it.all()
    n = ways.v.shape[2]
    by_q, by_v = generator.normal(size=(2, n))
    by_u = generator.normal(size=u.shape)
    found = ways.jvp(by_q, by_v, by_u)
    expected = moved(function, ways, q, v, u, by_q, by_v, by_u, SIZE)
    for one, other in zip(found, expected, strict=True):
        scale = np.abs(other).max(axis=(0, 1))
        assert (np.abs(one - other) <= CLOSE * np.maximum(scale, 1.0)).all()
    # Both modes are one linear map: y · (F x) = (Fᵀ y) · x, to rounding of sums of its size.
    of_q, of_v = generator.normal(size=(2, *ways.v.shape))
    gradient = ways.vjp(of_q, of_v)
    forward = (of_q * found[0]).sum() + (of_v * found[1]).sum()
    parts = (gradient.coordinate * by_q, gradient.velocity * by_v, gradient.commands * by_u)
    backward = sum(part.sum() for part in parts)
    size = sum(np.abs(part).sum() for part in parts)
    assert abs(forward - backward) <= 1e-10 * size
    assert not ways.obstacles


def test_plans_with_derivatives_lead_where_plans_lead():
    """Bit for bit; commands stand in the order in which they were given."""
    world = pendulum()
    plans = np.random.default_rng(0).normal(size=(3, 8))
    controls = {"forces": {"arm": {"elbow": plans}}, "targets": {"arm": np.ones((8, 2))}}
    ways = tribo.rollout(world, **controls, steps_per_control=3, threads=1)
    ours = tribo.rollout(world, **controls, steps_per_control=3, threads=1, derivatives=True)
    np.testing.assert_array_equal(ours.q, ways.q)
    np.testing.assert_array_equal(ours.v, ways.v)
    np.testing.assert_allclose(ours.time, ways.time, rtol=1e-14)
    assert ours.command_names == ("force/arm/elbow", "target/arm/shoulder", "target/arm/elbow")
    assert ours.state_names == ("arm/shoulder", "arm/elbow")
    assert "3 worlds over 8 controls" in repr(ours)
    gradient = ours.vjp(velocity=np.ones((8, 2)))
    assert gradient.commands.shape == (3, 8, 3)
    assert (gradient.commands[..., 1] == 0.0).all()  # no gain, no effect
    assert (gradient.commands[..., 2] != 0.0).all()


def test_a_wrench_acts_in_the_first_step_alone():
    world = tribo.World(gravity=(0, 0, 0), time_step=0.01)
    ball = world.add_sphere(0.1, mass=2.0, name="ball")
    ball.apply_force((4.0, 0.0, 0.0))
    ways = tribo.rollout(world, forces={"ball": np.zeros((5, 6))}, derivatives=True, threads=1)
    assert np.allclose(ways.v[0, :, 0], 0.02, rtol=1e-12)
    faster = ways.jvp(velocity=[1, 0, 0, 0, 0, 0])[1]
    assert np.allclose(faster[0, :, 0], 1.0, rtol=1e-9)


def test_a_world_that_fails_has_no_products():
    world = tribo.World(gravity=(0, 0, 0))
    world.add_sphere(0.1, mass=1.0, name="ball")
    function = RolloutFunction(world, forces={"ball": None}, threads=1)
    told = np.zeros((2, 3, 6))
    told[1, 1, 0] = 1e308
    ways = function.run(told, v=np.zeros(6))
    assert ways.made_it.tolist() == [True, False]
    gradient = ways.vjp(velocity=np.ones((3, 6)))
    assert np.isfinite(gradient.commands[0]).all()
    assert np.isnan(gradient.commands[1]).all()


def test_wrong_arguments_are_refused():
    world = pendulum()
    with pytest.raises(KeyError, match="elbow"):
        RolloutFunction(world, forces={"arm": ["elbo"]})
    with pytest.raises(TypeError, match="list of joints"):
        RolloutFunction(world, forces={"arm": "elbow"})
    with pytest.raises(ValueError, match="needs commands"):
        RolloutFunction(world)
    with pytest.raises(ValueError, match="method"):
        RolloutFunction(world, forces={"arm": None}, method="autodiff")
    function = RolloutFunction(world, forces={"arm": None}, threads=1)
    with pytest.raises(ValueError, match=r"\(worlds, T, 2\)"):
        function.run(np.zeros((3, 4, 1)))
    with pytest.raises(ValueError, match="q must have shape"):
        function.run(np.zeros((3, 4, 2)), q=np.zeros(3))
    ways = function.run(np.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match="commands must have shape"):
        ways.jvp(commands=np.zeros((4, 1)))
    fly = flying_box()
    fly.add_pin(fly["box"], None, position=(0, 0, 1))
    ways = tribo.rollout(fly, forces={"box": np.zeros((2, 6))}, derivatives=True, method="exact", threads=1)
    with pytest.raises(NotDifferentiableError, match="constraints"):
        ways.jvp()


@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_a_standing_quadruped_has_exact_products(friction):
    """Differences of whole rollouts: 1e-16 of 0.5 m over 1e-4 rad and the speeds that follow, 1e-3 m/s."""
    world = ground_world(friction=friction)
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 0.5))
    for leg, sign in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        dog.joint(f"{leg}_HFE").coordinate = 0.5 * sign
        dog.joint(f"{leg}_KFE").coordinate = -1.0 * sign
    dog.set_pd_gains(np.repeat([0.0, 60.0], [6, 12]), np.repeat([0.0, 2.0], [6, 12]))
    tribo.equilibrium(world).apply(world)
    targets = np.tile(dog.generalized_coordinate[7:], (4, 1))
    ways = tribo.rollout(world, targets={"dog": targets}, derivatives=True, threads=1)
    push = np.zeros((1, *targets.shape))
    push[..., 2] = 1.0
    _, faster = ways.jvp(commands=push)
    assert not ways.obstacles
    size = 1e-4
    up, down = (
        tribo.rollout(world, targets={"dog": targets + side * size * push[0]}, threads=1) for side in (1, -1)
    )
    expected = (up.velocity("dog") - down.velocity("dog")) / (2 * size)
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(faster, expected, atol=1e-8 * np.abs(expected).max())


def test_a_run_takes_the_gains_and_settings_of_its_world():
    """Products after a change are those of another function that was made after it."""
    world = pendulum()
    arm = world.objects[0]
    function = RolloutFunction(world, forces={arm.name: "joints"}, threads=1)
    made = []
    for gains in (None, 30.0):
        if gains is not None:
            arm.set_pd_gains(np.full(arm.dof, gains), np.full(arm.dof, 1.0))
            world.gravity = (0, 0, -3.0)
        commands = np.full((1, 20, 2), 0.3)
        ways, other = (
            one.run(commands)
            for one in (function, RolloutFunction(world, forces={arm.name: "joints"}, threads=1))
        )
        by = np.ones(ways.v.shape)
        made.append(ways.vjp(velocity=by).commands)
        assert np.array_equal(made[-1], other.vjp(velocity=by).commands)
    assert not np.allclose(*made)


def test_a_joint_is_commanded_once():
    world = pendulum()
    arm = world.objects[0]
    with pytest.raises(ValueError, match="twice"):
        RolloutFunction(world, forces={arm.name: ["elbow", "elbow"]})


def test_an_older_rollout_keeps_masses_gains_and_settings():
    """Its products are the same bits, whatever becomes of the world and however many runs come between."""
    world = pendulum()
    arm = world.objects[0]
    function = RolloutFunction(world, forces={"arm": "joints"}, threads=1)
    first = function.run(np.full((1, 10, 2), 0.3))
    by = np.ones(first.v.shape)
    before = first.vjp(velocity=by)
    arm.set_pd_gains(np.full(2, 30.0), np.full(2, 1.0))
    world.gravity, world.time_step = (0, 0, -3.0), 0.001
    arm.link("lower").mass *= 2.0
    second = function.run(np.full((1, 10, 2), 0.3))
    after = second.vjp(velocity=by)
    assert not np.allclose(after.commands, before.commands)
    for name in ("commands", "coordinate", "velocity"):
        assert np.array_equal(getattr(first.vjp(velocity=by), name), getattr(before, name))
        assert np.array_equal(getattr(second.vjp(velocity=by), name), getattr(after, name))


def test_steps_are_differentiated_where_a_product_asks(monkeypatch):
    made = []
    real = step_jacobians.ExactStep
    monkeypatch.setattr(
        step_jacobians, "ExactStep", lambda *given, **more: made.append(1) or real(*given, **more)
    )  # fmt: skip
    function = RolloutFunction(pendulum(), forces={"arm": None}, threads=1)
    runs = [function.run(np.zeros((1, 3, 2))) for _ in range(3)]
    assert not made
    for ways in runs:
        ways.jvp(velocity=np.ones(2))
    assert len(made) == 1  # one for all runs of one model


def test_rooms_are_asked_for_as_contacts_come(monkeypatch):
    """Impulses of contacts are part of a state: boxes that land one after the other need more and more."""
    asked = []
    monkeypatch.setattr(sys.modules["tribo.control.rollout"], "_check_room", asked.append)
    world = ground_world()
    for k in range(12):
        world.add_box((0.1, 0.1, 0.1), 1.0, name=f"box{k}", position=(k, 0, 0.0501 + 0.001 * k))
    function = RolloutFunction(world, forces={"box0": None}, threads=1)
    ways = function.run(np.zeros((1, 60, 6)))
    assert asked == sorted(set(asked))
    assert len(asked) > 1
    assert asked[-1] >= sum(array.nbytes for array in ways._kept[-1].values()) * 60


def test_arguments_of_a_rollout_are_checked_with_and_without_derivatives():
    world = pendulum()
    for derivatives in (True, False):
        with pytest.raises(ValueError, match="method"):
            tribo.rollout(world, forces={"arm": np.zeros((3, 2))}, method="autodiff", derivatives=derivatives)
        with pytest.raises(TypeError, match="forces must be a mapping of objects' names"):
            tribo.rollout(world, forces=[1], derivatives=derivatives)
    with pytest.raises(TypeError, match="forces must be a mapping of objects' names"):
        RolloutFunction(world, forces=[1])


def test_matrices_of_a_control_are_the_products_of_its_steps():
    world = tribo.World(time_step=0.002)
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(0, 0, 1))
    box.angular_velocity = (10.0, 20.0, -15.0)
    function = tribo.control.RolloutFunction(world, forces={"box": None}, steps_per_control=3, threads=1)
    ways = function.run(np.random.default_rng(0).normal(size=(2, 2, 6)))
    for column in range(6):
        push = np.zeros((2, 2, 6))
        push[1, 0, column] = 1.0
        moved, faster = ways.jvp(commands=push)
        _, first = ways.matrices(0, 1)
        then, _ = ways.matrices(1, 1)
        n = ways.v.shape[2]
        for table, k in ((first, 0), (then @ first, 1)):
            assert np.allclose(table[:n, column], moved[1, k], rtol=0, atol=1e-15)
            assert np.allclose(table[n : 2 * n, column], faster[1, k], rtol=0, atol=1e-15)
    for control, name in ((2, 0), (0, 2), (-1, 0)):
        with pytest.raises(ValueError, match=r"control|world"):
            ways.matrices(control, name)
