"""`ilqr` against the Riccati solution of linear problems, and the optimality conditions at limits."""

import numpy as np
import pytest

import tribo

DT, STEPS = 0.02, 40
MASSES = (1.5, 0.5)
END = np.diag([50.0, 80.0, 3.0, 2.0])
ON_WAY = np.diag([1.0, 0.5, 0.1, 0.2])
EFFORT = np.array([[0.02, 0.005], [0.005, 0.01]])
GOAL = np.array([0.3, -0.2, 0.0, 0.0])


def carriage(integrator):
    """A slide along y on a slide along x: two masses that move apart from one another."""
    world = tribo.World(time_step=DT, gravity=(0, 0, 0))
    world.integrator = integrator
    rail = tribo.LinkDescription("rail")
    rail.fix_to_world()
    x = rail.add_child("x", "prismatic", axis=(1, 0, 0), joint_name="x")
    x.add_shape("box", (0.1, 0.1, 0.1), mass=MASSES[0] - MASSES[1], collides=False)
    y = x.add_child("y", "prismatic", axis=(0, 1, 0), joint_name="y")
    y.add_shape("box", (0.1, 0.1, 0.1), mass=MASSES[1], collides=False)
    robot = world.add_articulated_system(rail, name="robot")
    robot.set_state([0.1, 0.2], [0.5, -0.4])
    return world, robot


def cost(k, q, v):
    miss = np.concatenate([q, v]) - GOAL
    bend = END if k == STEPS else ON_WAY
    return 0.5 * miss @ bend @ miss, bend @ miss, bend


def matrices(integrator, held=1):
    """A and B of a mass that a force pushes: v⁺ = v + dt u/m, q⁺ = q + dt v⁺ or dt (v + v⁺)/2."""
    inverse = np.diag(1.0 / np.array(MASSES))
    share = 1.0 if integrator == "semi_implicit" else 0.5
    one = np.block([[np.eye(2), DT * np.eye(2)], [np.zeros((2, 2)), np.eye(2)]])
    by = np.vstack([share * DT**2 * inverse, DT * inverse])
    A, B = np.eye(4), np.zeros((4, 2))
    for _ in range(held):
        A, B = one @ A, one @ B + by
    return A, B


def riccati(A, B, start):
    """Return the commands (T, 2), gains (T, 2, 4) and cost of the linear problem, by the miss x − goal."""
    value, gains = END, []
    for _ in range(STEPS):
        gain = -np.linalg.solve(EFFORT + B.T @ value @ B, B.T @ value @ A)
        value = ON_WAY + A.T @ value @ (A + B @ gain)
        gains.append(gain)
    gains.reverse()
    miss, told = start - GOAL, []
    for gain in gains:
        told.append(gain @ miss)
        miss = A @ miss + B @ told[-1]
    return np.array(told), np.array(gains), 0.5 * (start - GOAL) @ value @ (start - GOAL)


@pytest.mark.parametrize("held", [1, 3])
@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_a_linear_problem_has_the_riccati_solution(integrator, held):
    world, robot = carriage(integrator)
    before = world.snapshot()
    plan = tribo.control.ilqr(
        world, cost, np.zeros((STEPS, 2)), effort=EFFORT, forces={"robot": ["x", "y"]},
        tolerance=1e-12, steps_per_control=held, method="exact", threads=1,
    )  # fmt: skip
    start = np.array([0.1, 0.2, 0.5, -0.4])
    told, gains, least = riccati(*matrices(integrator, held), start)
    # Sums over 40 controls of numbers up to the largest: rounding of 1e-12 of that.
    assert np.abs(plan.commands - told).max() < 1e-12 * np.abs(gains).max()
    assert np.abs(plan.gains - gains).max() < 1e-12 * np.abs(gains).max()
    assert plan.cost == pytest.approx(least, rel=1e-12)
    assert plan.is_converged
    assert plan.rounds <= 2  # one leads to the answer, a second one mends rounding
    assert not plan.obstacles
    assert np.array_equal(robot.generalized_coordinate, [0.1, 0.2])
    robot.generalized_force = plan.commands[0]
    world.step(held)
    assert np.abs(robot.generalized_coordinate - plan.q[1]).max() < 1e-15
    world.restore(before)


def test_commands_at_their_limits_are_optimal():
    """Where a command is free the cost has no slope by it; at a limit it falls only beyond."""
    world, _ = carriage("semi_implicit")
    lower, upper = np.array([-1.0, -0.4]), np.array([2.0, 0.1])
    plan = tribo.control.ilqr(
        world, cost, np.zeros((STEPS, 2)), effort=EFFORT, rest=[0.1, 0.0], forces={"robot": "joints"},
        lower=lower, upper=upper, tolerance=1e-13, threads=1,
    )  # fmt: skip
    function = tribo.control.RolloutFunction(world, forces={"robot": "joints"}, threads=1)
    slopes = np.array([cost(k + 1, plan.q[k + 1], plan.v[k + 1])[1] for k in range(STEPS)])
    way = function.run(plan.commands)
    slope = way.vjp(slopes[None, :, :2], slopes[None, :, 2:]).commands[0]
    slope = slope + (plan.commands - [0.1, 0.0]) @ EFFORT
    at_lower, at_upper = plan.commands <= lower, plan.commands >= upper
    assert at_lower.any()
    assert at_upper.any()
    assert not (at_lower | at_upper).all()
    assert (slope[at_lower] >= 0.0).all()
    assert (slope[at_upper] <= 0.0).all()
    # The cost is within 1e-13 of itself of the least: a slope below √(2 · 1e-13 · cost · bend).
    bend = np.linalg.eigvalsh(EFFORT)[-1] + 80.0 * (STEPS * DT**2 / MASSES[1]) ** 2
    free = ~(at_lower | at_upper)
    assert np.abs(slope[free]).max() <= np.sqrt(2e-13 * plan.cost * bend)
    assert plan.is_converged


def test_a_pendulum_swings_up():
    world = tribo.World(time_step=0.02)
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0), joint_name="hinge")
    rod.add_shape("sphere", (0.05,), mass=1.0, position=(0, 0, 0.5), collides=False)
    robot = world.add_articulated_system(root, name="robot")
    robot.generalized_coordinate = [np.pi]

    def upright(k, q, v):
        bend = np.diag([100.0, 10.0]) if k == 100 else np.zeros((2, 2))
        miss = np.array([q[0], v[0]])
        return 0.5 * miss @ bend @ miss, bend @ miss, bend

    plan = tribo.control.ilqr(
        world, upright, np.full((100, 1), 0.5), effort=0.01, lower=-2.5, upper=2.5,
        forces={"robot": ["hinge"]}, threads=1,
    )  # fmt: skip
    assert plan.is_converged
    assert abs(plan.q[-1, 0]) < 0.05  # with 2.5 N m, of the 4.9 that hold it level
    assert np.abs(plan.commands).max() <= 2.5


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"effort": 0.0}, ValueError, "positive definite"),
        ({"effort": [1.0, 2.0, 3.0]}, ValueError, "effort"),
        ({"effort": [[1.0, 0.5], [0.0, 1.0]]}, ValueError, "symmetric"),
        ({"rest": [1.0]}, ValueError, "rest"),
        ({"lower": 1.0, "upper": 0.0}, ValueError, "lower"),
        ({"lower": np.nan}, ValueError, "lower"),
        ({"rounds": 0}, ValueError, "rounds"),
        ({"tolerance": 0.0}, ValueError, "tolerance"),
        ({"commands": np.zeros((STEPS, 3))}, ValueError, "commands"),
        ({"cost": 3}, TypeError, "cost"),
        ({"cost": lambda k, q, v: 1.0}, TypeError, "cost must return"),
        ({"cost": lambda k, q, v: (1.0, np.zeros(3), np.eye(4))}, ValueError, "slope"),
        ({"cost": lambda k, q, v: (1.0, np.zeros(4), np.triu(np.ones((4, 4))))}, ValueError, "symm"),
        ({"forces": {"robot": ["z"]}}, KeyError, "z"),
    ],
)
def test_wrong_arguments_are_named(change, error, says):
    world, _ = carriage("midpoint")
    given = {
        "cost": cost, "commands": np.zeros((STEPS, 2)), "effort": 0.1, "forces": {"robot": "joints"}
    } | change  # fmt: skip
    with pytest.raises(error, match=says):
        tribo.control.ilqr(world, given.pop("cost"), given.pop("commands"), threads=1, **given)
