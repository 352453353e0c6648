"""Restitution: rebound speed b = e · max(0, u − r_th), u the speed at which the surfaces meet.

The midpoint rule is exact in flight, so φ + v²/2g is constant between bounces, φ the gap. A pair that will
rebound is left alone until its gap at mid-step is less than it closes in a step. It turns round there, within
v dt of the surface, with the energy of the rebound: φ + v²/2g = b²/2g. So apexes do not depend on dt, as long
as b²/2g is more than that gap.
"""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world, ground_world, three_spheres

EXACT = 1e-9  # round-off of 1e4 steps and the solver's 1e-10 of a few m/s


def speed_at_surface(z, v, radius=0.5):
    """Return the speed that a body in free flight has where its gap is closed."""
    return math.sqrt(v * v + 2 * GRAVITY * (z - radius))


def step_to_bounce(world, ball):
    """Step up to and including the next rebound; return (z, v) before and after."""
    while True:
        before = (ball.position[2], ball.linear_velocity[2])
        world.step()
        after = (ball.position[2], ball.linear_velocity[2])
        if after[1] > 0.0 > before[1]:
            return before, after
        assert world.time < 20.0


def step_and_find_bounces(world, balls, steps):
    """Step; return for each ball a list of (z, v) before and (z, v) after every upward jump of v."""
    found = {name: [] for name in balls}
    before = {name: (b.position[2], b.linear_velocity[2]) for name, b in balls.items()}
    for _ in range(steps):
        world.step()
        for name, ball in balls.items():
            after = (ball.position[2], ball.linear_velocity[2])
            if after[1] > 0.0 > before[name][1]:
                found[name].append((before[name], after))
            before[name] = after
    return found


@pytest.fixture(scope="module")
def spheres():
    """Bounces of the three spheres in 4 s."""
    world, balls = three_spheres()
    return step_and_find_bounces(world, balls, 4000)


RESTITUTION = {"steel": 0.95, "rubber": 0.15, "copper": 0.65}


@pytest.mark.parametrize("name", RESTITUTION)
def test_rebound_speed(spheres, name):
    """b = e (u − r_th) to solver tolerance, at every bounce whose apex is above the gap at which it turns."""
    assert len(spheres[name]) >= {"steel": 2, "rubber": 3, "copper": 3}[name]
    for before, after in spheres[name][: 3 if name == "copper" else 2]:
        expected = RESTITUTION[name] * (speed_at_surface(*before) - 0.001)
        assert speed_at_surface(*after) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("name", RESTITUTION)
def test_apex_height_is_that_of_the_rebound(name):
    """z + v²/2g stays what it is at the rebound: apex = z_b + v_r²/2g; the sampled apex lies at most
    g dt²/8 below it, because some sample is within dt/2 of the top."""
    dt = 1e-3
    world, balls = three_spheres(dt)
    ball = balls[name]
    _, (z, v) = step_to_bounce(world, ball)
    apex = z + v * v / (2 * GRAVITY)
    heights = []
    while ball.linear_velocity[2] > -0.5 * v:
        world.step()
        heights.append(ball.position[2])
        energy = ball.position[2] + ball.linear_velocity[2] ** 2 / (2 * GRAVITY)
        assert energy == pytest.approx(apex, abs=EXACT)
    assert apex - GRAVITY * dt * dt / 8 - EXACT <= max(heights) <= apex + EXACT


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("name", RESTITUTION)
def test_apex_height_is_the_closed_form(name, dt, integrator):
    """H = r + e²(u − r_th)²/2g, u² = 2g·4.5 m, at any time step; of rubber b²/2g is 0.1 m, and
    v dt at most 0.05 m. The semi-implicit step keeps ½v² + gφ − ½g dt v instead."""
    world, balls = three_spheres(dt)
    world.integrator = integrator
    fall, e = 0.5 * GRAVITY * dt if integrator == "semi_implicit" else 0.0, RESTITUTION[name]
    _, (z, v) = step_to_bounce(world, balls[name])
    rebound = e * (math.sqrt(2 * GRAVITY * 4.5) - 0.001)
    expected = 0.5 + rebound**2 / (2 * GRAVITY)
    assert z + v * (v / 2 - fall) / GRAVITY == pytest.approx(expected, abs=1e-8)


def test_a_rebound_that_ends_below_the_turn_stays_there():
    """e = 0.05 from 1 m at 5 ms: b²/2g = 2.5 mm, and the ball turns round within v dt = 22 mm: it gets no
    energy but that of its place, and bounces on from there until it rests."""
    world = ground_world(5e-3, restitution=0.05)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    approach = math.sqrt(2 * GRAVITY)
    heights = []
    for _ in range(400):
        before = ball.linear_velocity[2]
        world.step()
        if heights or ball.linear_velocity[2] > before:
            heights.append(ball.position[2] - 0.5)
    assert -EXACT <= min(heights) <= max(heights) <= approach * world.time_step
    assert len(heights) > 200
    assert heights[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_force_that_lifts_counts_as_weight_does():
    """30 N lift 1 kg that comes down at 5 m/s from 0.2 m: u² = v² − 2 a h, then v² = b² + 2 a φ."""
    world = ground_world(5e-3, restitution=0.5)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 0.7))
    ball.linear_velocity = 0, 0, -5
    while ball.linear_velocity[2] < 0.0:
        ball.apply_force((0, 0, 30.0))
        world.step()
    lift, v = 30.0 - GRAVITY, ball.linear_velocity[2]
    found = v * v - 2 * lift * (ball.position[2] - 0.5)
    assert found == pytest.approx(0.25 * (25 - 2 * lift * 0.2), abs=EXACT)


def test_a_rebound_within_the_step_rests():
    """From 0.1 µm the ball meets the ground at 1.4 mm/s. Half of it is less than g dt/2 = 4.9 mm/s: weight
    would bring it back before the step ends."""
    world = ground_world(restitution=0.5)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 0.5 + 1e-7))
    for _ in range(20):
        world.step()
        assert ball.linear_velocity[2] <= 1e-12
    assert ball.position[2] == pytest.approx(0.5, abs=1e-12)


def test_full_restitution_keeps_the_energy():
    """e = 1, r_th = 0: v⁺ = −v at the same height (both half drifts cancel), so z + v²/2g is exact;
    20 s of round-off and solver tolerance leave 1e-9."""
    world = ground_world(restitution=1.0)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    start = GRAVITY * ball.position[2]
    worst = 0.0
    for _ in range(2000):
        world.step(10)
        energy = GRAVITY * ball.position[2] + 0.5 * ball.linear_velocity[2] ** 2
        worst = max(worst, abs(energy / start - 1.0))
    assert worst <= 1e-9


def test_number_of_bounces_of_the_offset_law():
    """v_{n+1} = e (v_n − r_th) gives v_n = v* + eⁿ (v₀ − v*), v* = −e r_th/(1 − e) = −0.4 m/s. From
    1 m, e = 0.8, r_th = 0.1: v₁₁ = 0.0148, v₁₂ < 0: eleven bounces, then rest. At dt = 1e-5 one bounce
    moves v by about 1.5 g dt = 1.5e-4, far from changing that."""
    dt = 1e-5
    world = ground_world(dt, restitution=0.8, restitution_threshold=0.1)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    bounces = []
    before = 0.0
    for _ in range(int(3.5 / dt)):
        world.step()
        after = ball.linear_velocity[2]
        if after > 0.0 > before:
            bounces.append(after)
        before = after
    first = math.sqrt(2 * GRAVITY)
    expected = [-0.4 + 0.8**n * (first + 0.4) for n in range(1, 12)]
    assert len(bounces) == 11
    np.testing.assert_allclose(bounces, expected, atol=11 * 1.5 * GRAVITY * dt * 2)
    assert abs(ball.linear_velocity[2]) <= 1e-12
    assert ball.position[2] == pytest.approx(0.5, abs=1e-9)


def test_below_the_threshold_nothing_rebounds():
    """v < r_th: inelastic. The ball ends the step at the ground and stays."""
    world = ground_world(restitution=0.9, restitution_threshold=1.0)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 0.54))  # impact at 0.89 m/s
    for _ in range(400):
        world.step()
        assert ball.linear_velocity[2] <= 1e-12
        assert ball.position[2] >= 0.5 - 1e-12
    assert abs(ball.linear_velocity[2]) <= 1e-12
    assert ball.position[2] == pytest.approx(0.5, abs=1e-12)


def test_erp2_is_added_to_every_restitution():
    """e = 0.3 and erp2 = 0.2 rebound as 0.5; the sum is cut at 1."""
    world = ground_world(restitution=0.3)
    world.erp2 = 0.2
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.0))
    before, after = step_to_bounce(world, ball)
    assert speed_at_surface(*after) == pytest.approx(0.5 * speed_at_surface(*before), abs=EXACT)
    world.erp2 = 0.9
    ball.position = 0, 0, 1.0
    ball.linear_velocity = 0, 0, 0
    (_, before), (_, after) = step_to_bounce(world, ball)
    assert after == pytest.approx(-before, abs=EXACT)


def test_overlap_is_removed_without_a_shot():
    """A ball placed 1 cm inside is pushed at no more than 0.3 m/s (`max_push_out_speed`), so it can
    fly no higher than 0.3²/2g above the ground, and comes to rest on it."""
    world = ground_world(restitution=0.5)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 0.49))
    for _ in range(300):
        world.step()
        assert ball.linear_velocity[2] <= world.max_push_out_speed + 1e-12
        assert ball.position[2] <= 0.5 + 0.3**2 / (2 * GRAVITY)
    assert ball.position[2] == pytest.approx(0.5, abs=1e-6)


def test_a_box_lands_flat():
    """A level box with e = 0.5 rebounds like a ball at its four corners together: same speed; no spin
    but what 1e-10 of the impact speed at a corner makes, twice over 0.1 m of arm."""
    world = ground_world(restitution=0.5, friction=0.6)
    box = world.add_box((0.4, 0.3, 0.2), 2.0, position=(0, 0, 1.1))
    before, after = step_to_bounce(world, box)
    expected = 0.5 * speed_at_surface(*before, radius=0.1)
    assert speed_at_surface(*after, radius=0.1) == pytest.approx(expected, abs=EXACT)
    assert np.abs(box.angular_velocity).max() <= 2e-10 * abs(before[1]) / 0.1


def test_a_plastic_blow_without_weight_is_solved():
    """And so is every step of the slide after it. (Before, rounding was compared with nothing.)"""
    world = empty_world(gravity=(0, 0, 0), friction=0.5)
    world.add_box((4, 4, 0.2), 1.0, body_type="static")
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.5))
    ball.linear_velocity = 1, 0, -2
    for _ in range(400):
        world.step()
        assert world.status == 0
    assert abs(ball.linear_velocity[2]) < 1e-9
