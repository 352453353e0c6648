"""Tendons from point to point against closed forms: pulleys, threads to the world, energy, momentum."""

import numpy as np
import pytest

import tribo

SLIDES = (
    '<site name="top" pos="0 0 2"/><site name="top r" pos="1 0 2"/><body name="base"><geom size="0.1"/>'
    '<body name="l"><joint name="l" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/>'
    '<site name="l"/></body>'
    '<body name="r" pos="1 0 0"><joint name="r" type="slide" axis="0 0 1"/><geom size="0.1" mass="5"/>'
    '<site name="r"/></body></body>'
)
OVER = ("l", "top", "top r", "r")
GRAVITY = 9.81


def loaded(bodies, way, numbers="", extra="", gravity=GRAVITY):
    world = tribo.World(gravity=(0.0, 0.0, -gravity))
    head = '<mujoco><option><flag contact="disable"/></option>'
    tendon = f'<tendon><spatial name="t" {numbers}>{way}</spatial></tendon>'
    text = f"{head}<worldbody>{bodies}</worldbody>{tendon}{extra}</mujoco>"
    robot = next(one for one in world.load_mjcf(text, take_options=False) if one.dof)
    return world, robot


def sites(names):
    return "".join(f'<site site="{name}"/>' for name in names)


def test_two_weights_over_pulleys_fall_as_in_atwoods_machine():
    """a = g (m₂ − m₁)/(m₁ + m₂); the thread is straight, so its length is linear: exact but for rounding."""
    world, robot = loaded(SLIDES, sites(OVER), 'range="0 5"')
    steps = 100
    world.step(steps)
    v = steps * world.time_step * GRAVITY * 3.0 / 7.0
    np.testing.assert_allclose(robot.generalized_velocity, [v, -v], rtol=1e-9)


def test_a_pulley_halves_a_way_and_its_force():
    """L = l₁ + l₂/2 with lᵢ = 2 − zᵢ: forces F and F/2, v̇₁ = −g + F/2 …, m = 2 and 5."""
    way = sites(("l", "top")) + '<pulley divisor="2"/>' + sites(("top r", "r"))
    motor = '<actuator><motor tendon="t"/></actuator>'
    world, robot = loaded(SLIDES, way, extra=motor)
    robot.set_controls([-40.0])  # it shortens
    world.step(50)
    time = 50 * world.time_step
    expected = np.array([40.0 / 2.0 - GRAVITY, 20.0 / 5.0 - GRAVITY]) * time
    np.testing.assert_allclose(robot.generalized_velocity, expected, rtol=1e-12)


def test_a_thread_on_a_free_body_pulls_at_its_point():
    """F along the thread at the centre of mass, which it does not turn: v = F t/m."""
    ship = (
        '<site name="w" pos="3 4 1"/><body pos="0 0 1"><freejoint/><geom size="0.1" mass="2"/>'
        '<site name="s"/></body>'
    )
    motor = '<actuator><motor tendon="t" gear="10"/></actuator>'
    world, robot = loaded(ship, sites(("w", "s")), extra=motor, gravity=0.0)
    robot.set_controls([-1.0])
    world.step(20)
    v = robot.generalized_velocity
    expected = 10.0 * 20 * world.time_step / 2.0 * np.array([0.6, 0.8, 0.0])
    np.testing.assert_allclose(v[:3], expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(v[3:], 0.0, atol=1e-13)


def test_a_thread_of_a_robot_holds_as_a_wire_does():
    """A ball on a thread of 1 m, from 0.5 rad: both are rows of one solve, of second order in the step."""
    x, z = np.sin(0.5), 2.0 - np.cos(0.5)
    ship = (
        f'<site name="w" pos="0 0 2"/><body name="ship" pos="{x} 0 {z}"><freejoint/>'
        '<geom size="0.1" mass="2"/><site name="s"/></body>'
    )
    world, robot = loaded(ship, sites(("w", "s")), 'range="0 1"')
    other = tribo.World(gravity=(0.0, 0.0, -GRAVITY))
    ball = other.add_sphere(0.1, mass=2.0, position=(x, 0.0, z))
    other.add_wire(ball, None, second_point=(0, 0, 2), length=1.0)
    for _ in range(10):
        world.step(100)
        other.step(100)
        place = robot.generalized_coordinate[:3]
        assert np.linalg.norm(place - (0, 0, 2)) == pytest.approx(1.0, abs=1e-5)
        np.testing.assert_allclose(place, ball.position, atol=2e-3)


ARM = """<site name="w" pos="-0.2 0 0.3"/><body name="arm"><joint axis="0 1 0"/>
 <geom name="ball" size="0.08" pos="0.3 0 0" mass="1"/><site name="a" pos="0.1 0 0.1"/>
 <body pos="0.3 0 0"><joint axis="0 1 0"/><geom size="0.05" pos="0.3 0 0" mass="1"/>
 <site name="b" pos="0.3 0 0.02"/></body></body>"""


def test_the_energy_of_a_spring_is_read_and_kept():
    """Around a ball, without damping: the midpoint rule keeps it to second order in the step, 4 to 1."""
    way = sites(("w", "a")) + '<geom geom="ball"/>' + sites(("b",))
    drifts = []
    for dt in (1e-3, 5e-4):
        world, robot = loaded(ARM, way, 'stiffness="200" springlength="0.3"', gravity=0.0)
        world.time_step = dt
        robot.generalized_velocity = [2.0, -1.0]
        first, most, stored = world.energy, 0.0, []
        assert robot.potential_energy == pytest.approx(world.potential_energy, rel=1e-12)
        for _ in range(100):
            world.step(round(0.005 / dt))
            most = max(most, abs(world.energy - first))
            stored.append(world.potential_energy)
        drifts.append(most)
        assert max(stored) - min(stored) > 0.5  # much of it went to and fro
    assert drifts[1] < 0.35 * drifts[0] < 0.35 * 1e-3 * first, drifts


def test_a_thread_within_a_floating_robot_keeps_its_momentum():
    body = """<body><freejoint/><geom size="0.1" mass="2"/><site name="a" pos="0 0 0.1"/>
      <body pos="0 0.3 0"><joint axis="1 0 0"/><geom size="0.06" pos="0 0.3 0" mass="0.7"/>
      <site name="b" pos="0 0.3 0.05"/></body></body>"""
    motor = '<actuator><motor tendon="t" gear="10"/></actuator>'
    world, robot = loaded(body, sites(("a", "b")), 'stiffness="50"', extra=motor, gravity=0.0)
    robot.generalized_velocity = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    robot.set_controls([-1.0])
    p, spin = world.linear_momentum.copy(), world.angular_momentum.copy()
    world.step(200)
    np.testing.assert_allclose(world.linear_momentum, p, atol=1e-12)
    np.testing.assert_allclose(world.angular_momentum, spin, atol=1e-12)


def test_a_spring_between_lengths_has_no_energy_there():
    world, robot = loaded(SLIDES, sites(OVER), 'stiffness="40" springlength="1 6"', gravity=0.0)
    assert world.potential_energy == 0.0
    robot.generalized_coordinate = [-1.5, 0.0]
    assert world.potential_energy == pytest.approx(0.5 * 40.0 * 0.5**2, rel=1e-12)
    assert robot.at([-1.5, 0.0]).potential_energy == pytest.approx(5.0, rel=1e-12)
