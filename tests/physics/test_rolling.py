"""Rolling and spinning friction: ‖τ_xy‖ ≤ μ_r r_e λ_n and |τ_z| ≤ μ_spin r_e λ_n, inside the solve.

Rolling without slip, a ball of inertia k m r² loses μ_r g/(1 + k) per second (sphere k = 2/5,
cylinder k = 1/2). The path is exact for constant deceleration but in the last step, which begins
below a dt and covers at most a dt²/8 too much.
"""

import math

import numpy as np
import pytest
from scenes import GRAVITY, ground_world, inclined_gravity

import tribo

DT, R = 1e-3, 0.5
QUARTER = math.sqrt(0.5)
# Along x and along y: the cylinder's own axis is z.
LYING = {"x": (QUARTER, 0.0, QUARTER, 0.0), "y": (QUARTER, QUARTER, 0.0, 0.0)}


def rolling(world, shape, v, material="default"):
    """Add a ball, or a cylinder that lies along x or y, in pure rolling at speed v."""
    if shape == "sphere":
        return world.add_sphere(
            R, 1.0, material, position=(0, 0, R),
            linear_velocity=(v, 0, 0), angular_velocity=(0, v / R, 0),
        )  # fmt: skip
    along_x = shape == "cylinder x"
    return world.add_cylinder(
        R, 0.8, 1.0, material, position=(0, 0, R), orientation=LYING["x" if along_x else "y"],
        linear_velocity=(0, v, 0) if along_x else (v, 0, 0),
        angular_velocity=(-v / R, 0, 0) if along_x else (0, v / R, 0),
    )  # fmt: skip


SHAPES = {"sphere": 0.4, "cylinder x": 0.5, "cylinder y": 0.5}


@pytest.mark.parametrize("shape", SHAPES)
def test_stop_distance(shape):
    """v₀ = 2, μ_r = 0.05: d = v₀²/2a, a = μ_r g/(1 + k), at most a dt²/8 farther; then exact rest,
    on the plane to 1e-9 m all the way, with no motion to the side."""
    world = ground_world(DT, friction=1.0, rolling_friction=0.05)
    body = rolling(world, shape, 2.0)
    across = 0 if shape == "cylinder x" else 1
    a = 0.05 * GRAVITY / (1 + SHAPES[shape])
    steps = int(2.0 / a / DT) + 2
    for _ in range(steps):
        world.step()
        assert abs(body.position[2] - R) <= 1e-9
        assert abs(body.position[across]) <= 1e-9
    d = 4.0 / (2 * a)
    assert -1e-8 <= body.position[1 - across] - d <= a * DT**2 / 8 + 1e-8
    there = body.position
    for _ in range(500):
        world.step()
        assert np.abs(body.linear_velocity).max() <= 1e-12
        assert np.abs(body.angular_velocity).max() <= 1e-12
    assert np.abs(body.position - there).max() <= 1e-12


def test_rolls_without_slip_and_slows_down_evenly():
    """Every step takes a dt from the speed, and the contact point stands still."""
    world = ground_world(DT, friction=1.0, rolling_friction=0.05)
    ball = rolling(world, "sphere", 2.0)
    a = 0.05 * GRAVITY / 1.4
    for k in range(1, 2000):
        world.step()
        assert ball.linear_velocity[0] == pytest.approx(2.0 - k * a * DT, abs=1e-9)
        assert ball.linear_velocity[0] == pytest.approx(R * ball.angular_velocity[1], abs=1e-9)


def test_back_spin_reverses_the_slip_first():
    """v = 2, ω_y = −4 is back-spin: v_f = (5 v + 2 r ω)/7 = 6/7 when slip ends, with no rolling friction."""
    world = ground_world(DT, friction=1.0)
    ball = world.add_sphere(
        R, 1.0, position=(0, 0, R), linear_velocity=(2, 0, 0), angular_velocity=(0, -4, 0)
    )
    world.step(1000)
    assert ball.linear_velocity[0] == pytest.approx(6 / 7, rel=1e-8)
    assert R * ball.angular_velocity[1] == pytest.approx(6 / 7, rel=1e-8)


@pytest.mark.parametrize("shape", ["sphere", "cylinder y"])
def test_holds_and_rolls_on_a_slope(shape):
    """tan θ = 0.999 μ_r holds without creep; at 1.001 μ_r the body rolls with
    a = g (sin θ − μ_r cos θ)/(1 + k).

    Pairs with rolling friction are solved by sweeps, which are slow at the edge for the two points of
    a cylinder: the default of 300 stops, and says so, at a creep of 3e-9 m/s. They end when a sweep
    changes less than 1e-10 g dt; what is then left is that times 1/(1 − rate), up to 50 of them here.
    """
    mu = 0.05
    for factor in (0.999, 1.001):
        angle = math.atan(factor * mu)
        world = ground_world(DT, inclined_gravity(angle), friction=1.0, rolling_friction=mu)
        body = rolling(world, shape, 0.0)
        world.max_sweeps = 3000
        world.step(2000)
        assert world.residual.max() < 1e-9
        if factor < 1.0:
            assert np.abs(body.position - [0, 0, R]).max() <= 1e-9
            assert np.abs(body.angular_velocity).max() <= 1e-10
        else:
            a = GRAVITY * (math.sin(angle) - mu * math.cos(angle)) / (1 + SHAPES[shape])
            left = 2000 * 50 * world.tolerance * GRAVITY * DT
            assert body.linear_velocity[0] == pytest.approx(2.0 * a, abs=left)
            assert body.angular_velocity[1] == pytest.approx(2.0 * a / R, abs=left / R)


def test_spinning_sphere_without_friction():
    """μ = 0, μ_spin = 0.02: α = 5 μ_spin g/2r, rest after 2rω₀/(5 μ_spin g) to a step; nothing moves."""
    world = ground_world(DT, spinning_friction=0.02)
    ball = world.add_sphere(R, 1.0, position=(0, 0, R), angular_velocity=(0, 0, 3.0))
    alpha = 5 * 0.02 * GRAVITY / (2 * R)
    for k in range(1, int(3.0 / alpha / DT) + 3):
        world.step()
        expected = max(0.0, 3.0 - k * alpha * DT)
        assert ball.angular_velocity[2] == pytest.approx(expected, abs=1e-9)
    assert np.abs(ball.angular_velocity).max() <= 1e-12
    assert np.abs(ball.position - [0, 0, R]).max() <= 1e-12


@pytest.mark.parametrize(("law", "radius"), [("normal", 0.4), ("distance", 0.5)])
def test_spinning_upright_cylinder_without_friction(law, radius):
    """α = 2 μ_spin g r_e/r², the founding example r 0.3, h 0.8, ω 12, μ_spin 0.08: r_e is half the height
    (t = 1.720 s), or the distance of the rim from the centre of mass, 0.5 m (1.376 s).
    Four points share the load; their bounds add up to that of the whole."""
    world = ground_world(DT, spinning_friction=0.08)
    world.effective_radius = law
    body = world.add_cylinder(0.3, 0.8, 1.0, position=(0, 0, 0.4), angular_velocity=(0, 0, 12))
    alpha = 2 * 0.08 * GRAVITY * radius / 0.3**2
    for k in range(1, int(12 / alpha / DT) + 3):
        world.step()
        expected = max(0.0, 12.0 - k * alpha * DT)
        assert body.angular_velocity[2] == pytest.approx(expected, abs=1e-6)
        assert np.abs(body.position - [0, 0, 0.4]).max() <= 1e-9
    assert np.abs(body.angular_velocity).max() <= 1e-12


def test_spinning_upright_cylinder_with_coulomb_friction_alone():
    """The load stands on points of the rim: μ m g r brakes it, α = 2 μ g/r (a uniform pressure would give
    two thirds of that); it stops to exact rest without walking away."""
    r, mu = 0.3, 0.2
    world = ground_world(DT, friction=mu)
    body = world.add_cylinder(r, 0.4, 1.0, position=(0, 0, 0.2), angular_velocity=(0, 0, 6))
    alpha = 2 * mu * GRAVITY / r
    for k in range(1, int(6 / alpha / DT) + 3):
        world.step()
        expected = max(0.0, 6.0 - k * alpha * DT)
        assert body.angular_velocity[2] == pytest.approx(expected, abs=1e-8)
    assert np.abs(body.angular_velocity).max() <= 1e-12
    assert np.abs(body.position - [0, 0, 0.2]).max() <= 1e-9


def test_spinning_friction_beside_coulomb_friction():
    """A sphere's point contact has no Coulomb moment about its normal: the same time with μ = 0.8."""
    world = ground_world(DT, friction=0.8, spinning_friction=0.02)
    ball = world.add_sphere(R, 1.0, position=(0, 0, R), angular_velocity=(0, 0, 1.0))
    alpha = 5 * 0.02 * GRAVITY / (2 * R)
    world.step(500)
    assert ball.angular_velocity[2] == pytest.approx(1.0 - 0.5 * alpha, abs=1e-9)
    assert np.abs(ball.linear_velocity).max() <= 1e-10


def test_radius_is_the_mean_of_two_moving_bodies():
    """Two balls pressed together in free space, one spun up: μ_spin r_e N with r_e = (r₁ + r₂)/2."""
    world = ground_world(DT, gravity=(0, 0, 0), spinning_friction=0.1)
    low = world.add_sphere(0.3, 1.0, position=(0, 0, 5.0), angular_velocity=(0, 0, 5))
    top = world.add_sphere(0.1, 1.0, position=(0, 0, 5.4))
    for _ in range(50):
        low.apply_force((0, 0, 10.0))
        top.apply_force((0, 0, -10.0))
        world.step()
    torque = 0.1 * 0.2 * 10.0
    assert low.angular_velocity[2] == pytest.approx(5 - 0.05 * torque / (0.4 * 0.3**2), abs=1e-9)
    assert top.angular_velocity[2] == pytest.approx(0.05 * torque / (0.4 * 0.1**2), abs=1e-9)


def test_nothing_sinks_or_lifts_off():
    """The founding text's list: rolling sphere, cylinders along x and y, sphere and upright cylinder
    spun with spinning friction only; all stop, and stay on the plane to 1e-9 m."""
    world = ground_world(DT)
    world.set_material_pair("default", "ball", friction=1.0, rolling_friction=0.05)
    world.set_material_pair("default", "top", friction=0.0, spinning_friction=0.08)
    bodies = [rolling(world, shape, 2.0, "ball") for shape in SHAPES]
    bodies.append(world.add_sphere(R, 1.0, "top", position=(0, -9, R), angular_velocity=(0, 0, 4)))
    bodies.append(world.add_cylinder(0.3, 0.8, 1.0, "top", position=(0, 9, 0.4), angular_velocity=(0, 0, 12)))
    for k in range(3):
        bodies[k].position = [0, 3 * k - 20, R]
    heights = np.array([body.position[2] for body in bodies])
    for _ in range(700):
        world.step(10)
        now = np.array([body.position[2] for body in bodies])
        assert np.abs(now - heights).max() <= 1e-9
    left = world.tolerance * 9.81 * DT  # [m/s] what a solve may leave of what weight does in a step
    for body in bodies:
        assert np.abs(body.linear_velocity).max() <= left
        assert (
            np.abs(body.angular_velocity).max() <= left / 0.4  # their radii
        )  # at the lever arms of their friction
    assert world.status == 0


# -- rolling without losses --------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "k"), [("sphere", 0.4), ("cylinder y", 0.5)])
@pytest.mark.parametrize("tangent", [0.1, 0.3, 0.8, 1.5])
def test_rolls_down_a_slope(shape, k, tangent):
    """Pure rolling while tan θ ≤ μ (1 + 1/k): a = g sin θ/(1 + k); beyond, a = g (sin θ − μ cos θ) and
    α = μ g cos θ/(k r)."""
    mu, angle = 0.2, math.atan(tangent)
    world = ground_world(DT, inclined_gravity(angle), friction=mu)
    body = rolling(world, shape, 0.0)
    world.step(500)
    a = GRAVITY * math.sin(angle) / (1 + k)
    spin = a / R
    if tangent > mu * (1 + 1 / k):
        a = GRAVITY * (math.sin(angle) - mu * math.cos(angle))
        spin = mu * GRAVITY * math.cos(angle) / (k * R)
    assert body.linear_velocity[0] == pytest.approx(0.5 * a, rel=1e-8)
    assert body.angular_velocity[1] == pytest.approx(0.5 * spin, rel=1e-8)


def test_bowling():
    """A ball thrown without spin slips until v = 5/7 v₀ at t = 2v₀/(7μg), after 12v₀²/(49μg).

    The angular momentum about the line of contact is exact in every step, so v_f is; the step in
    which slip ends begins with a slip s < 3.5 μ g dt and shifts the path by at most μ g dt²/8 · 3.5.
    """
    v0, mu, r = 5.0, 0.2, 0.1
    world = ground_world(DT, friction=mu)
    ball = world.add_sphere(r, 1.0, position=(0, 0, r), linear_velocity=(v0, 0, 0))
    steps = 0
    while ball.linear_velocity[0] - r * ball.angular_velocity[1] > 1e-9:
        world.step()
        steps += 1
    assert ball.linear_velocity[0] == pytest.approx(5 / 7 * v0, rel=1e-8)
    time, path = 2 * v0 / (7 * mu * GRAVITY), 12 * v0**2 / (49 * mu * GRAVITY)
    assert abs(steps * DT - time) <= DT
    rolled = 5 / 7 * v0 * (steps * DT - time)
    assert abs(ball.position[0] - path - rolled) <= 3.5 * mu * GRAVITY * DT**2 / 8 + 1e-9
    world.step(1000)
    assert ball.linear_velocity[0] == pytest.approx(5 / 7 * v0, rel=1e-8)


@pytest.mark.parametrize(("v", "omega"), [(2.0, 4.0), (2.0, -4.0), (0.0, 10.0), (-1.0, 6.0), (1.0, -20)])
def test_final_speed_of_any_spin(v, omega):
    """v_f = (5 v + 2 r ω)/7 whatever slips first."""
    world = ground_world(DT, friction=0.3)
    ball = world.add_sphere(
        R, 1.0, position=(0, 0, R), linear_velocity=(v, 0, 0), angular_velocity=(0, omega, 0)
    )
    world.step(1500)
    expected = (5 * v + 2 * R * omega) / 7
    assert ball.linear_velocity[0] == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert R * ball.angular_velocity[1] == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_a_pair_that_loses_its_rolling_friction_has_no_torque_left():
    """The contact stays, and with it the impulses from which its solve begins; its torque ends at once."""
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    world.default_pair = tribo.PairProperties(friction=0.6, rolling_friction=1e-2, spinning_friction=1e-2)
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    ball.angular_velocity = (0.0, 5.0, 1.0)
    world.step(20)
    assert np.linalg.norm(world.contacts[0].torque_impulse) > 1e-6
    world.default_pair = tribo.PairProperties(friction=0.6)
    world.step(3)
    np.testing.assert_array_equal(world.contacts[0].torque_impulse, 0.0)
