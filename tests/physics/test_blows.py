"""Blows one after the other (`impact = "propagate"`): exact heights, speeds handed on, energy never grows."""

import numpy as np
import pytest
from scenes import GRAVITY

import tribo


def world_of(restitution, friction=0.0, dt=1e-2, gravity=(0, 0, -GRAVITY), ground=True, **settings):
    """Return a world in which contacts rebound one after the other."""
    world = tribo.World(time_step=dt, gravity=gravity, **settings)
    world.impact = "propagate"
    world.default_pair = tribo.PairProperties(friction=friction, restitution=restitution)
    if ground:
        world.add_ground()
    return world


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
@pytest.mark.parametrize("e", [1.0, 0.7])
def test_heights_of_bounces(integrator, e):
    """Each bounce multiplies the energy by e². By midpoints the arcs between are parabolas and the
    heights exact: round-off of some 100 steps. Semi-implicit arcs are off by up to g v dt."""
    world = world_of(e)
    world.integrator = integrator
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    energy, before = 1.0, 0.0
    heights = []
    for _ in range(250):
        world.step()
        v = ball.linear_velocity[2]
        if v > 0.0 > before:
            heights.append(ball.position[2] - 0.5 + v**2 / (2 * GRAVITY))
        before = v
    known = energy * e ** (2.0 * np.arange(1, len(heights) + 1))
    assert len(heights) >= 2
    allowed = 1e-13 if integrator == "midpoint" else 0.1
    assert np.abs(np.array(heights) - known).max() <= allowed


def test_bouncing_ends_in_rest():
    """A ball rests after √(2h/g)(1 + e)/(1 − e) less what is cut: flights shorter than a step, dt/(1 − e)
    in all. Two steps later it stands: speed 0, its weight carried."""
    world = world_of(0.5)
    ball = world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    end = np.sqrt(2 / GRAVITY) * 3.0
    world.step(round((end - 0.05) / 1e-2))
    assert abs(ball.linear_velocity[2]) > 1e-2
    world.step(7)
    assert np.abs(ball.linear_velocity).max() <= 1e-12
    assert ball.position[2] == pytest.approx(0.5, abs=1e-9)
    assert sum(c.force[2] for c in ball.contacts) == pytest.approx(GRAVITY, rel=1e-9)


@pytest.mark.parametrize("arriving", [1, 2, 3, 4])
@pytest.mark.parametrize("order", ["along", "against", "mixed"])
def test_cradle(arriving, order):
    """n of five equal balls arrive, n leave, whatever the order in which they were added."""
    world = world_of(1.0, gravity=(0, 0, 0), ground=False)
    places = {"along": [0, 1, 2, 3, 4], "against": [4, 3, 2, 1, 0], "mixed": [2, 0, 4, 1, 3]}[order]
    balls = {}
    for k in places:
        is_moving = k < arriving
        balls[k] = world.add_sphere(0.5, 1.0, position=(k - 0.25 * is_moving, 0, 0))
        balls[k].linear_velocity = (1.0 * is_moving, 0, 0)
    world.step(30)
    speeds = [balls[k].linear_velocity[0] for k in range(5)]
    assert speeds == pytest.approx([1.0 * (k >= 5 - arriving) for k in range(5)], abs=1e-13)


def test_two_impacts_in_one_step():
    """A ball of 0.1 kg follows one of 2 kg at a distance of 1 mm, 4 m/s, 10 ms: the heavy one meets the
    ground, then the light one meets it, (3M − m)/(M + m) v₀, both in one step."""
    world = world_of(1.0, gravity=(0, 0, 0))
    heavy = world.add_sphere(0.2, 2.0, position=(0, 0, 0.215))
    light = world.add_sphere(0.05, 0.1, position=(0, 0, 0.466))
    heavy.linear_velocity = light.linear_velocity = (0, 0, -4.0)
    for _ in range(5):
        count = world.engine.work.impact_count[0]
        world.step()
        if world.engine.work.impact_count[0]:
            break
    assert world.engine.work.impact_count[0] == 2 + count
    assert light.linear_velocity[2] == pytest.approx((3 * 2 - 0.1) / 2.1 * 4.0, rel=1e-14)
    assert heavy.linear_velocity[2] == pytest.approx((2 - 3 * 0.1) / 2.1 * 4.0, rel=1e-14)


def test_balls_that_meet_again_and_again():
    """27 balls that fall on a floor lose no energy in hundreds of blows, also where a contact that has
    parted is pushed together again within the step and meets only in the next: round-off, 1e-15 a blow."""
    world = world_of(1.0, dt=2e-3)
    rng = np.random.default_rng(1)
    for k in range(27):
        place = 0.21 * np.array([k % 3, k // 3 % 3, k // 9]) + rng.uniform(0, 1e-3, 3)
        place[2] += 1.0
        world.add_sphere(0.1, 1.0 + k % 4, position=place)
    before = world.energy
    blows = 0
    for _ in range(1500):
        world.step()
        blows += world.engine.work.impact_count[0]
    assert blows > 200
    assert world.energy == pytest.approx(before, rel=1e-12)


def test_flat_box_stays_flat():
    """Four corners that meet together are one blow: the box leaves with e v and without spin."""
    world = world_of(0.5, friction=0.6, gravity=(0, 0, 0))
    box = world.add_box((0.4, 0.3, 0.2), 2.0, position=(0, 0, 0.12))
    box.linear_velocity = (0, 0, -3.0)
    world.step(3)
    assert box.linear_velocity == pytest.approx([0, 0, 1.5], abs=1e-9)
    assert np.abs(box.angular_velocity).max() <= 1e-8


def test_energy_never_grows():
    """Cubes hit a floor at random poses and spins with e = 1 and friction, where Newton's
    restitution and Coulomb's friction together can create energy (Kane 1984): a blow never adds more than
    round-off. (Bodies that tumble: test_struck.py.)"""
    rng = np.random.default_rng(3)
    for _ in range(40):
        world = world_of(1.0, friction=rng.uniform(0.2, 1.5), dt=2e-3, gravity=(0, 0, 0))
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        cube = world.add_box((0.4, 0.4, 0.4), 1.0, position=(0, 0, 0.6), orientation=turn)
        cube.linear_velocity = (*rng.normal(size=2) * 3, -3.0)
        cube.angular_velocity = rng.normal(size=3) * 8
        before = world.energy
        hits = 0
        for _ in range(200):
            world.step()
            hits += world.engine.work.impact_count[0]
            assert world.energy <= before * (1 + 1e-11)
            before = world.energy
        assert hits > 0


@pytest.mark.parametrize("count", [5, 20])
def test_a_row_that_is_struck_moves_as_one(count):
    """A ball hits the first of a row of `count` touching balls, e = 1; within the row e = 0.

    The step ends with the row at v/count and no overlap. A row of 20 is a heap: its targets are relaxed, and
    it is solved to 1e-3 of the speed to remove, 1 m/s, which in three steps is 3 µm.
    """
    world = world_of(0.0, dt=1e-3, gravity=(0, 0, 0), ground=False)
    world.set_material_pair("default", "hard", friction=0.0, restitution=1.0, restitution_threshold=1e-3)
    row = [world.add_sphere(0.05, 1.0, position=(0.1 * k, 0, 0)) for k in range(count)]
    striker = world.add_sphere(0.05, 1.0, position=(-0.1005, 0, 0), material="hard")
    striker.linear_velocity = (1, 0, 0)
    for _ in range(3):
        world.step()
        assert np.diff([ball.position[0] for ball in row]).min() >= 0.1 - 3e-6
    total = sum(ball.linear_velocity[0] for ball in row)
    assert total == pytest.approx(1.0, abs=1e-3)  # restitution grows from 0 to 1 at the threshold
    assert [ball.linear_velocity[0] for ball in row] == pytest.approx([total / count] * count, abs=1e-3)


def test_reported_forces_contain_blows():
    """The force of a contact is its impulse over the time step, m (1 + e) v / dt in a blow."""
    world = world_of(0.5, gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, 2.0, position=(0, 0, 0.101))
    ball.linear_velocity = (0, 0, -1.0)
    world.step()
    assert [c.force[2] for c in ball.contacts] == pytest.approx([2.0 * 1.5 / 1e-2])


def test_same_bits_after_a_snapshot():
    """Blows leave nothing behind that a snapshot does not hold."""
    world = world_of(0.9, friction=0.3)
    balls = [world.add_sphere(0.1, 1.0, position=(0.05 * k, 0.02 * k, 0.3 + 0.25 * k)) for k in range(4)]
    world.step(60)
    kept = world.snapshot()
    world.step(100)
    first = np.concatenate([b.generalized_coordinate for b in balls])
    world.restore(kept)
    for _ in range(100):
        world.step()
    assert np.concatenate([b.generalized_coordinate for b in balls]).tobytes() == first.tobytes()


TIES = ["pin", "hinge", "weld", "motor", "rod", "wire", "lock"]


def tied_balls(tie):
    """Return a world with two balls, 0.3 m apart along y, that something ties together."""
    world = world_of(0.8, friction=0.5, dt=1e-3, gravity=(0, 0, 0), ground=False)
    a, b = (world.add_sphere(0.1, 1.0, position=(0, 0.3 * k, 0)) for k in range(2))
    {
        "pin": lambda: world.add_pin(a, b, (0, 0.15, 0)),
        "hinge": lambda: world.add_hinge(a, b, (0, 0.15, 0)),
        "weld": lambda: world.add_weld(a, b),
        "motor": lambda: world.add_motor(a, b, (0, 0, 1), speed=0.0, max_force=0.01),
        "rod": lambda: world.add_rod(a, b),
        "wire": lambda: world.add_wire(a, b),
        "lock": lambda: world.add_lock(a, b, (0, 0, 1)),
    }[tie]()
    return world, a, b


@pytest.mark.parametrize("tie", TIES)
def test_tied_bodies_keep_the_momentum_of_a_blow(tie):
    """A ball hits one of two as a free one: Δp = ½ (1 + e) m v·n along n. The sum stays, to round-off.

    n is that of the middle of the step: it errs by no more than half a step's way over the distance 2 r.
    """
    world, a, b = tied_balls(tie)
    world.add_sphere(0.1, 1.0, position=(-0.25, 0.05, 0), linear_velocity=(1, 0, 0))
    n = np.array((np.sqrt(1 - 0.25**2), -0.25, 0))
    hits = 0
    for _ in range(200):
        world.step()
        assert world.linear_momentum == pytest.approx([1, 0, 0], abs=1e-12)
        if world.engine.work.impact_count[0] > 0:
            hits += 1
            assert int(world.status) == 0  # ties take energy from what was hit
    assert hits == 1
    errs = 0.5 * world.dt / 0.2
    assert (a.linear_velocity + b.linear_velocity) @ n == pytest.approx(0.9 * n[0], abs=2 * 0.9 * errs)


@pytest.mark.parametrize("tie", TIES)
def test_tied_bodies_take_the_blow_of_a_bat(tie):
    """A bat at 5 m/s hits a ball of 1 kg at rest: (1 + e) m v is what is read out, and what the pair has."""
    world, a, b = tied_balls(tie)
    world.add_box((0.1,) * 3, 1.0, position=(-0.16, 0, 0), linear_velocity=(5, 0, 0), body_type="kinematic")
    pushed = np.zeros(3)
    while world.engine.work.impact_count[0] == 0:
        world.step()
        pushed += a.net_contact_force * world.dt
    assert pushed == pytest.approx([9, 0, 0], abs=1e-9)
    assert a.linear_velocity + b.linear_velocity == pytest.approx([9, 0, 0], abs=1e-9)


def test_what_a_blow_throws_at_a_plate_stays_in_front_of_it():
    """In the step of the blow the ball was at rest, so the plate 6.5 mm ahead was out of its reach."""
    for k in range(20):
        world = world_of(0.0, dt=1e-3, gravity=(0, 0, 0), ground=False)
        world.set_material_pair("thrown", "thrown", restitution=1.0)
        plate = world.add_box((1e-3, 1, 1), 1.0, position=(0.012, 0, 0), body_type="static")
        ball = world.add_sphere(5e-3, 0.1, "thrown")
        world.add_sphere(5e-3, 0.1, "thrown", position=(-0.1 - 5e-4 * k, 0, 0), linear_velocity=(8, 0, 0))
        for _ in range(30):
            world.step()
            assert world.distance(ball, plate).distance > -1e-9
        assert ball.linear_velocity == pytest.approx([0, 0, 0], abs=1e-9)


def test_friction_under_what_is_hit_does_no_work_on_it():
    """Two boxes with a rod slide off after a blow: the work of friction counts from the speed after it."""
    world = world_of(0.0, dt=1e-3, ground=False)
    world.set_material_pair("floor", "box", friction=0.5)
    world.set_material_pair("ball", "box", restitution=0.8)
    world.add_ground(material="floor")
    a, b = (world.add_box((0.2,) * 3, 1.0, "box", position=(0, 0.3 * k, 0.1)) for k in range(2))
    world.add_rod(a, b)
    world.step(100)
    world.add_sphere(0.1, 1.0, "ball", position=(-0.25, 0, 0.1), linear_velocity=(1, 0, 0))
    for _ in range(100):
        world.step()
        assert int(world.status) == 0
    assert a.linear_velocity[0] > 0.1


@pytest.mark.parametrize("integrator", ["midpoint", "rk4"])
@pytest.mark.parametrize("speed", [20.0, 100.0, 300.0])
@pytest.mark.parametrize("loose", [False, True])
def test_what_a_fast_ball_meets_before_the_middle_of_a_step_throws_it_back(loose, speed, integrator):
    """At the middle the ball of 5 mm may be behind the plate of 2 mm, or behind the ball that it met.

    With e = 1 the distance of the surfaces is |d₀ − u t| at the end of every step, u the speed at which they
    approach: balls of equal mass exchange their velocities. Impacts within 1e-9 of a step are one.
    """
    dt, radius = 1e-3, 5e-3
    for phase in np.linspace(0.0, 1.0, 25, endpoint=False):
        world = world_of(1.0, dt=dt, gravity=(0, 0, 0), ground=False)
        world.integrator = integrator
        approach, thick = (2 * speed, 2 * radius) if loose else (speed, radius + 1e-3)
        place = thick + approach * dt * (4 + phase)
        options = {"linear_velocity": (0, 0, -speed)}
        if loose:
            other = world.add_sphere(radius, 0.1, linear_velocity=(0, 0, speed))
        else:
            other = world.add_box((1, 1, 2e-3), 1.0, body_type="static")
        ball = world.add_sphere(radius, 0.1, position=(0, 0, place), **options)
        for k in range(1, 10):
            world.step()
            apart = ball.position[2] - other.position[2] - thick
            assert apart == pytest.approx(abs(place - thick - approach * dt * k), abs=2e-9 * approach * dt)
            assert int(world.status) & tribo.Status.TIME_STEP_TOO_LONG == 0
        assert ball.linear_velocity == pytest.approx([0, 0, speed], rel=1e-12)
