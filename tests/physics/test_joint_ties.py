"""Constraints that give way, break, lock, wind and catch, and wires over pulleys: closed forms."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world

import tribo
from tribo.viewer.scene import describe

NONE = (0.0, 0.0, 0.0)
DT = 1e-3


def ball(world, position, mass=1.0, **options):
    """Add a small ball that touches nothing."""
    return world.add_sphere(0.05, mass=mass, position=position, collision_mask=0, **options)


# -- compliance ------------------------------------------------------------------------------------
def test_a_pin_that_gives_way_is_the_map_of_spook():
    """(G M⁻¹ Gᵀ + Σ) λ = −(4γ/h) g + γ G v − G (v + h M⁻¹ f), Σ = 4 ε γ/h²: step by step, to rounding.

    The gap is that of mid steps, which move by h v⁺ from one to the next (Lacoursière 2007).
    """
    world = empty_world(DT)
    mass, compliance, damping = 2.0, 1e-3, 0.03
    bob = ball(world, NONE, mass)
    pin = world.add_pin(bob, None, position=NONE)
    pin.compliance, pin.spook_damping = compliance, damping
    gamma = 1.0 / (1.0 + 4.0 * damping / DT)
    soft = 4.0 * compliance * gamma / DT**2
    speed, gap = 0.0, 0.0
    for _ in range(200):
        gap += 0.5 * DT * speed
        free = speed - DT * GRAVITY
        impulse = (-4.0 * gamma / DT * gap + gamma * speed - free) / (1.0 / mass + soft)
        speed = free + impulse / mass
        gap += 0.5 * DT * speed
        world.step()
        assert bob.linear_velocity[2] == pytest.approx(speed, abs=1e-12)
        assert pin.force[2] == pytest.approx(impulse / DT, abs=1e-8)
    world.step(3000)
    assert bob.position[2] == pytest.approx(-mass * GRAVITY * compliance, rel=1e-9)


def test_a_weld_that_gives_way_turns_by_the_torque_on_it():
    """A beam on a weld with ε_θ: static angle θ = ε_θ m g (L/2) cos θ, whatever the damping."""
    world = empty_world(DT)
    beam = world.add_box((1.0, 0.05, 0.05), mass=1.0, position=(0.5, 0, 0))
    anchor = world.add_box((0.1, 0.1, 0.1), mass=1.0, body_type=tribo.STATIC, collision_mask=0)
    weld = world.add_weld(anchor, beam, collide=False)
    weld.angular_compliance, weld.angular_spook_damping = 0.1, 0.2
    world.step(8000)
    angle = math.atan2(-beam.rotation_matrix[2, 0], beam.rotation_matrix[0, 0])
    assert math.tan(angle) == pytest.approx(-beam.rotation_matrix[2, 0] / beam.rotation_matrix[0, 0])
    assert angle == pytest.approx(0.1 * GRAVITY * 0.5 * math.cos(angle), rel=1e-6)


# -- breaking --------------------------------------------------------------------------------------
def test_a_joint_breaks_when_the_force_has_been_too_large_for_longer_than_its_time():
    """Weight is too much from the first step on: after k steps it has been so for k dt; it breaks when k
    dt is more than the time, and that is found as the next step begins."""
    world = empty_world(DT)
    pin = world.add_pin(ball(world, NONE), None, position=NONE, break_force=5.0)
    pin.break_time = 0.05
    world.step(51)
    assert not pin.is_broken
    world.step(1)
    assert pin.is_broken
    pin.is_broken = False
    assert pin.borne_impulse == 0.0


def test_a_joint_breaks_by_the_sum_of_impulses_beyond_its_offset():
    """A pin that carries m g, of which 4 N do not count: (m g − 4) t reaches 1 N s after 0.172 s."""
    world = empty_world(DT)
    pin = world.add_pin(ball(world, NONE), None, position=NONE)
    pin.break_offset, pin.break_impulse = 4.0, 1.0
    steps = math.floor(1.0 / ((GRAVITY - 4.0) * DT)) + 1  # the step whose impulse is too much
    world.step(steps)
    assert not pin.is_broken
    assert pin.borne_impulse == pytest.approx((steps - 1) * DT * (GRAVITY - 4.0), rel=1e-6)
    world.step(1)
    assert pin.is_broken


@pytest.mark.parametrize(
    ("direction", "breaks"), [((0, 0, 1), True), ((0, 0, -1), False), ((1, 0, 0), False)]
)
def test_only_force_along_its_direction_breaks_a_joint(direction, breaks):
    """The pin carries the ball: the force on it, the first body, is upward."""
    world = empty_world(DT)
    pin = world.add_pin(ball(world, NONE), None, position=NONE, break_force=5.0)
    pin.break_direction = direction
    world.step(5)
    assert pin.is_broken is breaks


# -- motors and locks ------------------------------------------------------------------------------
def wheel(world):
    """Add a wheel of 5 kg on a hinge about z; return it and its inertia."""
    made = world.add_cylinder(0.2, 0.1, mass=5.0, collision_mask=0)
    world.add_hinge(None, made, position=NONE, axis=(0, 0, 1))
    return made, 0.5 * 5.0 * 0.2**2


def test_a_motor_has_two_largest_torques():
    """It speeds up with 0.4 N m and brakes with 0.1: ω = τ t/I each way."""
    world = empty_world(DT, NONE)
    disc, inertia = wheel(world)
    motor = world.add_motor(None, disc, speed=100.0, max_force=0.4)
    motor.force_range = (-0.1, 0.4)
    world.step(100)
    fast = 0.1 * 0.4 / inertia
    assert disc.angular_velocity[2] == pytest.approx(fast, rel=1e-6)
    motor.speed = 0.0
    world.step(100)
    assert disc.angular_velocity[2] == pytest.approx(fast - 0.1 * 0.1 / inertia, rel=1e-6)
    assert motor.applied == pytest.approx(-0.1, rel=1e-9)


def test_a_motor_with_a_compliance_lags_by_its_load():
    """Torque τ on the wheel: it turns at speed + c τ."""
    world = empty_world(DT, NONE)
    disc, _ = wheel(world)
    motor = world.add_motor(None, disc, speed=2.0, max_force=100.0)
    motor.compliance = 0.5
    load = world.add_motor(None, disc, speed=-1e6, max_force=0.2)
    world.step(3000)
    assert load.applied == pytest.approx(-0.2, rel=1e-9)
    assert disc.angular_velocity[2] == pytest.approx(2.0 - 0.5 * 0.2, rel=1e-6)


def test_a_lock_holds_an_angle_up_to_its_torque():
    """It brings the wheel to the angle, not faster than `max_push_out_speed`, and keeps it; with a
    compliance it gives way by ε τ; beyond its torque it slips."""
    world = empty_world(DT, NONE)
    disc, inertia = wheel(world)
    lock = world.add_lock(None, disc, position=0.1)
    world.step(500)
    angle = math.atan2(disc.rotation_matrix[1, 0], disc.rotation_matrix[0, 0])
    assert angle == pytest.approx(0.1, abs=1e-6)
    load = world.add_motor(None, disc, speed=1e6, max_force=0.2)
    lock.compliance, lock.spook_damping = 0.5, 0.2
    world.step(10000)
    angle = math.atan2(disc.rotation_matrix[1, 0], disc.rotation_matrix[0, 0])
    assert angle == pytest.approx(0.1 + 0.5 * 0.2, rel=1e-6)
    lock.max_force = 0.05
    before = disc.angular_velocity[2]
    world.step(50)
    assert lock.applied == pytest.approx(-0.05, rel=1e-9)
    assert disc.angular_velocity[2] - before == pytest.approx(0.05 * 0.15 / inertia, rel=1e-4)
    assert load.applied == pytest.approx(0.2, rel=1e-9)


# -- winches and pulleys ---------------------------------------------------------------------------
def test_a_winch_of_any_force_takes_in_at_its_speed():
    """With max_force=inf its row passed for a wire that only holds, and what the motor gives for energy that
    nothing gave: it was slowed, and lost a third of a metre in a second."""
    world = empty_world(DT)
    load = world.add_sphere(0.1, mass=20.0, position=(0, 0, -2))
    winch = world.add_winch(None, load, max_force=math.inf, speed=0.5)
    world.step(1000)
    assert load.linear_velocity[2] == pytest.approx(0.5, rel=1e-9)
    assert load.position[2] == pytest.approx(-1.5, abs=1e-9)
    assert winch.tension == pytest.approx(20.0 * GRAVITY, rel=1e-6)
    assert int(world.status) == 0
    assert winch.max_force == math.inf


def test_the_ends_of_the_way_of_a_winch_are_in_order():
    world = empty_world(DT)
    load = world.add_sphere(0.1, mass=1.0, position=(0, 0, -2))
    with pytest.raises(ValueError, match=r"least_length of .* must be ≤ most_length, got 3 and 1 m"):
        world.add_winch(None, load, max_force=1.0, least_length=3.0, most_length=1.0)
    assert not world.constraints
    winch = world.add_winch(None, load, max_force=1.0, least_length=0.5, most_length=4.0)
    with pytest.raises(ValueError, match="must be ≤"):
        winch.most_length = 0.4
    with pytest.raises(ValueError, match="must be ≤"):
        winch.least_length = 4.1
    assert (winch.least_length, winch.most_length) == (0.5, 4.0)


def test_a_winch_takes_in_at_its_speed_and_stalls_at_its_force():
    """5 kg at 0.5 m/s: after the first step it rises as the drum takes in. With less force than weight it
    sinks with a = g − F/m, and the drum lets out what it needs."""
    world = empty_world(DT)
    load = ball(world, (0, 0, -2), 5.0)
    winch = world.add_winch(None, load, max_force=1e4, speed=0.5)
    world.step(1000)
    assert load.position[2] == pytest.approx(-1.5, abs=1e-6)
    assert winch.length == pytest.approx(1.5, rel=1e-12)
    assert winch.tension == pytest.approx(5.0 * GRAVITY, rel=1e-6)
    winch.max_force = 30.0
    world.step(200)
    assert load.linear_velocity[2] == pytest.approx(0.5 - 0.2 * (GRAVITY - 6.0), rel=1e-6)
    assert winch.tension == pytest.approx(30.0, rel=1e-9)
    assert winch.length == pytest.approx(-load.position[2], abs=1e-9)


def test_a_brake_holds_up_to_its_force_and_an_empty_drum_any():
    """2 kg on a brake of 10 N: it slips at a = g − 5 until the drum is empty at 2.2 m, then it hangs."""
    world = empty_world(DT)
    load = ball(world, (0, 0, -2), 2.0)
    winch = world.add_winch(None, load, max_force=100.0, brake_force=10.0, most_length=2.2)
    world.step(100)
    assert load.linear_velocity[2] == pytest.approx(-0.1 * (GRAVITY - 5.0), rel=1e-6)
    world.step(1000)
    assert load.position[2] == pytest.approx(-2.2, abs=1e-6)
    assert winch.tension == pytest.approx(2.0 * GRAVITY, rel=1e-6)
    winch.brake_force = math.inf
    winch.speed = -0.3  # an empty drum lets nothing out
    world.step(100)
    assert load.position[2] == pytest.approx(-2.2, abs=1e-6)
    winch.speed = 0.3  # with 100 N it takes v²/(2 a) longer to come to that, a = 50 − g
    world.step(1000)
    assert load.position[2] == pytest.approx(-1.9 - 0.09 / (2 * (50.0 - GRAVITY)), abs=0.3 * DT)


def test_two_loads_on_a_pulley_are_atwoods_machine():
    """a = g (m₂ − m₁)/(m₂ + m₁), T = 2 g m₁ m₂/(m₁ + m₂), over two points of the world."""
    world = empty_world(DT)
    light, heavy = ball(world, (-0.5, 0, -1), 1.0), ball(world, (0.5, 0, -1), 3.0)
    wire = world.add_wire(light, heavy, over=[(-0.5, 0, 0), (0.5, 0, 0)])
    assert wire.length == pytest.approx(3.0)
    world.step(300)
    assert light.linear_velocity[2] == pytest.approx(0.3 * GRAVITY / 2, rel=1e-9)
    assert wire.tension == pytest.approx(2 * GRAVITY * 3.0 / 4.0, rel=1e-9)
    assert wire.distance == pytest.approx(3.0, abs=1e-10)


def test_a_wire_over_two_places_is_drawn_as_three_lines():
    """One from end to place, between the places, and from place to end."""
    world = empty_world(DT)
    light, heavy = ball(world, (-0.5, 0, -1), 1.0), ball(world, (0.5, 0, -1), 3.0)
    world.add_wire(light, heavy, over=[(-0.5, 0, 0), (0.5, 0, 0)])
    lines = describe(world).lines
    assert lines.number.tolist() == [0, 0, 0]
    assert lines.body.tolist() == [[0, -1], [-1, -1], [-1, 1]]


def test_a_block_and_tackle_halves_the_force():
    """From the ceiling down to a block of 4 kg, up again, and over to 2 kg: all rests, with the tension 2
    g."""
    world = empty_world(DT)
    block, load = ball(world, (0, 0, -1), 4.0), ball(world, (0, 1, -1), 2.0)
    wire = world.add_wire(None, load, over=[(block, NONE), NONE, (0, 1, 0)])
    world.step(200)
    assert abs(block.linear_velocity[2]) < 1e-6
    assert wire.tension == pytest.approx(2.0 * GRAVITY, rel=1e-6)
    with pytest.raises(ValueError, match="3 bodies that move"):
        world.add_wire(load, block, over=[(ball(world, (3, 0, 0)), NONE)])


# -- magnets ---------------------------------------------------------------------------------------
def flying_past(place, **options):
    """Return a world, a ball that flies at 1 m/s towards a post, and the magnet between them."""
    world = empty_world(DT, NONE)
    post = world.add_box((0.1, 0.1, 0.1), mass=1.0, body_type=tribo.STATIC, collision_mask=0)
    puck = ball(world, place, linear_velocity=(1.0, 0, 0))
    return world, puck, world.add_magnet(post, puck, catch_distance=0.02, **options)


def test_a_magnet_catches_what_comes_near_and_holds_it():
    """A ball flies past at 1 m/s: at 2 cm it is caught, and stays, until it is let go."""
    world, puck, magnet = flying_past((-0.2, 0, 0), catch_angle=0.2)
    world.step(175)
    assert not magnet.is_caught
    assert puck.linear_velocity[0] == pytest.approx(1.0, rel=1e-12)
    world.step(300)
    assert magnet.is_caught
    np.testing.assert_allclose(puck.position, NONE, atol=1e-8)
    np.testing.assert_allclose(puck.linear_velocity, NONE, atol=1e-7)
    magnet.is_on = False
    magnet.is_caught = False
    assert not magnet.is_caught


def test_a_magnet_that_breaks_has_caught_nothing():
    """It stops 1 kg at 1 m/s within a step of 1 ms, which takes 1000 N, and breaks at 100 N."""
    world, puck, magnet = flying_past((-0.02, 0, 0), break_force=100.0)
    world.step(50)
    assert magnet.is_broken
    assert not magnet.is_caught
    magnet.is_broken = False
    puck.position, puck.linear_velocity = (-0.5, 0, 0), (0, 0, 0)
    world.step(5)
    assert not magnet.is_caught  # a mended one holds what comes near, not from afar


def test_a_magnet_that_is_turned_too_far_does_not_catch():
    """Its axes are 0.3 rad apart, and it catches at 0.2."""
    world = empty_world(DT, NONE)
    post = world.add_box((0.1, 0.1, 0.1), mass=1.0, body_type=tribo.STATIC, collision_mask=0)
    half = 0.15
    puck = ball(world, NONE, orientation=(math.cos(half), math.sin(half), 0, 0))
    magnet = world.add_magnet(post, puck, catch_distance=0.02, catch_angle=0.2, holds="hinge")
    world.step(10)
    assert not magnet.is_caught
    magnet.catch_angle = 0.4
    world.step(2000)
    assert magnet.is_caught
    assert puck.rotation_matrix[2, 2] == pytest.approx(1.0, abs=1e-9)


# -- files, snapshots, batches ---------------------------------------------------------------------
def busy_world():
    """Return a world with one of everything."""
    world = empty_world(DT)
    post = world.add_box((0.1, 0.1, 0.1), mass=1.0, body_type=tribo.STATIC, name="post", collision_mask=0)
    one, two, three = (
        ball(world, (k, 0, -1), 1.0 + k, name=f"ball_{k}", linear_velocity=(0.3, 0, 0)) for k in range(3)
    )
    world.add_wire(one, two, over=[(0, 0, 0), (post, (0.05, 0, 0))], name="wire")
    world.add_winch(None, three, max_force=12.0, brake_force=8.0, speed=0.2, name="winch")
    pin = world.add_pin(one, post, name="pin", break_force=40.0)
    pin.compliance, pin.break_time, pin.break_impulse, pin.break_offset = 1e-3, 0.01, 3.0, 1.0
    pin.break_direction = (0, 0, 1)
    world.add_lock(None, two, (0, 0, 1), position=0.3, max_force=2.0, name="lock")
    motor = world.add_motor(None, three, (0, 0, 1), speed=2.0, max_force=1.0, name="motor")
    motor.force_range = (-0.5, 1.0)
    world.add_magnet(post, three, catch_distance=0.3, catch_angle=1.0, name="magnet")
    return world


def test_a_file_and_a_snapshot_hold_them_all(tmp_path):
    """What is loaded, and what is restored, goes on bit for bit."""
    world = busy_world()
    world.save(tmp_path / "world.xml")
    other = tribo.World.load(tmp_path / "world.xml")
    assert [repr(tie) for tie in other.constraints] == [repr(tie) for tie in world.constraints]
    saved = world.snapshot()
    world.step(300)
    other.step(300)
    first = np.concatenate([part.position for part in world.objects])
    np.testing.assert_array_equal(np.concatenate([part.position for part in other.objects]), first)
    world.restore(saved)
    world.step(300)
    np.testing.assert_array_equal(np.concatenate([part.position for part in world.objects]), first)
    assert world.constraint("winch").length != 1.0


def test_a_batch_winds_and_locks_each_world_by_itself():
    """Numbers world by world, as those of one world."""
    world = busy_world()
    batch = tribo.Batch(world, 2)
    winch = batch.constraint("winch")
    winch.speed = [0.2, -0.1]
    winch.max_force = winch.brake_force = 1e3
    assert winch.length.shape == (2,)
    before = winch.length.copy()
    batch.step(100)
    assert winch.length[0] < before[0] < winch.length[1]
    batch.constraint("lock").position = [0.1, 0.2]
    batch.constraint("motor").max_force = 0.7
    assert not batch.constraint("magnet").is_caught.any()
    assert winch.brake_force.tolist() == [1e3, 1e3]
    with pytest.raises(AttributeError, match="brake_force"):
        _ = batch.constraint("pin").brake_force
