"""Mass, centre of mass and inertia of single bodies, changed between steps."""

import numpy as np
import pytest

import tribo

EDGE = 0.25
NEW = {"mass": 3.0, "com": (0.0625, -0.03125, 0.0), "inertia": (0.03, 0.05, 0.04)}


def falling(**options):
    world = tribo.World()
    world.add_ground()
    place = {"position": (0.0, 0.0, 0.5), "linear_velocity": (1.0, 0.0, 0.0)} | options
    return world, world.add_box((EDGE, EDGE, EDGE), place.pop("mass", 1.0), name="box", **place)


def change(box, numbers=NEW):
    for name, value in numbers.items():
        setattr(box, name, value)


@pytest.mark.parametrize("is_built", [False, True])
def test_a_changed_body_moves_as_one_that_was_made_so(is_built):
    # The option com leaves `position` where it is said; here the shape stays, the origin moves by com.
    made, other = falling(**(NEW | {"position": np.add((0.0, 0.0, 0.5), NEW["com"])}))
    world, box = falling()
    if is_built:
        _ = world.engine
    change(box)
    assert (box.mass, box.com.tolist()) == (3.0, list(NEW["com"]))
    assert np.array_equal(box.inertia, np.diag(NEW["inertia"]))
    for _ in range(300):
        made.step()
        world.step()
        assert np.array_equal(other.generalized_coordinate, box.generalized_coordinate)
        assert np.array_equal(other.generalized_velocity, box.generalized_velocity)
    assert box.in_contact()


def test_the_weight_on_the_ground_is_that_of_the_new_mass():
    world = tribo.World()
    world.add_ground()
    box = world.add_box((EDGE, EDGE, EDGE), mass=1.0, position=(0, 0, EDGE / 2))
    world.step(10)
    box.mass = 7.0
    world.step(10)
    assert np.allclose(box.net_contact_force, [0, 0, 7.0 * 9.81], rtol=0, atol=1e-6)


def test_a_new_centre_of_mass_leaves_the_body_where_it_is():
    world = tribo.World(gravity=(0, 0, 0))
    box = world.add_box(
        (EDGE, EDGE, EDGE), 1.0, position=(1, 2, 3), orientation=(0.5, 0.5, 0.5, 0.5),
        linear_velocity=(1, 0, 0), angular_velocity=(0, 0, 2),
    )  # fmt: skip
    pin = world.add_pin(box, None, position=(1.1, 2, 3))
    imu = world.add_imu(box, position=(0.05, 0.0, 0.0))
    place = imu.position.copy()
    corner = box.position + box.rotation_matrix @ box.collision_bodies[0].position_in_body
    box.com = 0.1, 0.0, 0.0  # the turn takes x to y
    assert np.allclose(box.position, (1.0, 2.1, 3.0), rtol=0, atol=1e-15)
    assert np.allclose(box.linear_velocity, np.add((1, 0, 0), np.cross((0, 0, 2), (0, 0.1, 0))))
    assert np.allclose(pin.points, [(1.1, 2, 3)] * 2, rtol=0, atol=1e-15)
    assert np.allclose(imu.position, place, rtol=0, atol=1e-15)
    now = box.position + box.rotation_matrix @ box.collision_bodies[0].position_in_body
    assert np.allclose(now, corner, rtol=0, atol=1e-15)
    box.com = 0.0, 0.0, 0.0
    assert np.allclose(box.position, (1, 2, 3), rtol=0, atol=1e-15)
    assert np.allclose(box.linear_velocity, (1, 0, 0), rtol=0, atol=1e-15)


def test_a_pinned_body_swings_about_its_pin_with_the_new_numbers():
    """Small swings of a physical pendulum: T = 2π √((I + m l²)/(m g l))."""
    world = tribo.World(time_step=0.001)
    bob = world.add_sphere(0.1, mass=1.0)
    world.add_pin(bob, None, position=(0, 0, 0.2))
    bob.mass, bob.inertia, bob.com = 2.0, (0.3, 0.3, 0.3), (0.0, 0.0, -0.3)
    amplitude = 1e-3
    bob.generalized_velocity[[0, 4]] = -0.5 * amplitude, amplitude
    turns = []
    for k in range(6000):
        before = bob.angular_velocity[1]
        world.step()
        if before > 0 >= bob.angular_velocity[1]:
            turns.append(k)
    period = 2 * np.pi * np.sqrt((0.3 + 2.0 * 0.5**2) / (2.0 * 9.81 * 0.5))
    assert np.diff(turns) * 1e-3 == pytest.approx(period, abs=1.01e-3)
    assert len(turns) >= 3


def test_a_snapshot_takes_the_numbers_back():
    world, box = falling()
    pin = world.add_pin(box, None, position=(0.1, 0.0, 0.5))
    world.step(5)
    before, saved, visual = world.hash(), world.snapshot(), box.description.bodies[0].visuals
    places = [v.position for v in visual]
    points = pin.points.copy()
    change(box)
    world.step(5)
    world.restore(saved)
    assert world.hash() == before
    assert (box.mass, box.com.tolist()) == (1.0, [0.0, 0.0, 0.0])
    assert np.array_equal(pin.points, points)
    assert [v.position for v in visual] == places
    world.step(5)
    end = world.hash()
    world.restore(saved)
    world.step(5)
    assert world.hash() == end


def test_a_world_file_keeps_the_numbers(tmp_path):
    world, box = falling()
    change(box)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    other = again["box"]
    assert other.mass == box.mass
    assert np.array_equal(other.inertia, box.inertia)
    world.step(200)
    again.step(200)
    assert np.array_equal(other.generalized_coordinate, box.generalized_coordinate)


def test_an_edit_wakes():
    world = tribo.World()
    world.sleeping = True
    world.add_ground()
    box = world.add_box((EDGE, EDGE, EDGE), mass=1.0, position=(0, 0, EDGE / 2))
    world.step(1000)
    assert box.is_asleep
    box.mass = 2.0
    assert not box.is_asleep


def test_worlds_of_a_batch_differ_and_move_as_they_would_alone():
    world, box = falling(position=(0, 0, 5), angular_velocity=(1.0, 2.0, 3.0))
    batch = tribo.Batch(world, 2, threads=1)
    boxes = batch["box"]
    boxes.mass = 1.0, 3.0
    boxes.inertia = np.array([box.inertia, np.diag(NEW["inertia"])])
    boxes.com = (0.0, 0.0, 0.0), NEW["com"]
    assert boxes.mass.tolist() == [1.0, 3.0]
    assert boxes.com.tolist() == [[0.0, 0.0, 0.0], list(NEW["com"])]
    start = world.snapshot()
    batch.step(200)
    for k, numbers in enumerate(({}, NEW)):
        world.restore(start)
        # In a batch the velocity is that of the old centre of mass, which `com` changes for a world.
        change(box, numbers)
        world.step(200)
        shape = box.position + box.rotation_matrix @ box.collision_bodies[0].position_in_body
        # an off-centre body goes as a tree of one joint, of second order: (dt ω)² 0.2 s 3 rad/s
        assert np.allclose(boxes.position[k], shape, rtol=0, atol=1e-5 if k else 0)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "1", None, [1.0, 2.0], 1e300])
def test_impossible_masses_are_refused(value):
    world, box = falling()
    before = world.hash()
    with pytest.raises((ValueError, TypeError), match="mass of box"):
        box.mass = value
    assert box.mass == 1.0
    assert world.hash() == before


@pytest.mark.parametrize("value", [0.0, (1.0, 1.0), (-1.0, 1.0, 1.0), np.zeros((3, 3)), (1, 2, np.inf)])
def test_impossible_inertias_are_refused(value):
    _, box = falling()
    before = box.inertia
    with pytest.raises((ValueError, TypeError), match="inertia of box"):
        box.inertia = value
    assert np.array_equal(box.inertia, before)


@pytest.mark.parametrize("value", [0.0, (1.0, 1.0), (np.nan, 0, 0), "xyz", (1e300, 0, 0)])
def test_impossible_centres_are_refused(value):
    _, box = falling()
    with pytest.raises((ValueError, TypeError), match="com of box"):
        box.com = value
    assert box.com.tolist() == [0.0, 0.0, 0.0]
    batch = tribo.Batch(box.world, 2, threads=1)
    with pytest.raises((ValueError, TypeError), match="com of box"):
        batch["box"].com = value


@pytest.mark.parametrize("name", ["mass", "inertia", "com"])
def test_terrain_has_no_mass(name):
    world = tribo.World()
    ground = world.add_ground()
    with pytest.raises(ValueError, match=f"{name} of ground_0: a half space has none"):
        setattr(ground, name, NEW[name])


def test_no_edit_between_update_and_advance():
    world, box = falling()
    world.update()
    for name, value in NEW.items():
        with pytest.raises(tribo.EditError, match=f"{name} of box"):
            setattr(box, name, value)
    world.advance()
    change(box)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
def test_drag_slows_as_the_exponential(integrator):
    """m v̇ = −d v; a step multiplies by 1/(1 + dt d/m): relative error n (dt d/m)²/2 after n of them."""
    world = tribo.World(gravity=(0, 0, 0), time_step=1e-3)
    world.integrator = integrator
    box = world.add_box((0.2, 0.3, 0.4), 2.0, linear_velocity=(1, -2, 3), angular_velocity=(0, 0, 2))
    box.linear_damping = 4.0
    _ = world.engine
    box.angular_damping = 0.02
    assert (box.linear_damping, box.angular_damping) == (4.0, 0.02)
    world.step(1000)
    bound = 1000 * (1e-3 * 2.0) ** 2 / 2 * 1.01
    assert np.allclose(box.linear_velocity, np.exp(-2.0) * np.array((1, -2, 3)), rtol=bound, atol=1e-12)
    rate = 0.02 / box.inertia[2, 2]
    assert box.angular_velocity[2] == pytest.approx(2 * np.exp(-rate), rel=bound)
    world.add_sphere(0.1, 1.0, position=(9, 9, 9))  # built anew, the drag stays
    before = box.linear_velocity[0]
    world.step()
    assert box.linear_velocity[0] < (1 - 1e-3) * before


def test_worlds_of_a_batch_have_their_own_drag_and_snapshots_take_it_back():
    world, box = falling()
    saved = world.snapshot()
    box.linear_damping = 2.0
    world.restore(saved)
    assert box.linear_damping == 0.0
    batch = tribo.Batch(world, 3, threads=1)
    boxes = batch["box"]
    boxes.linear_damping, boxes.angular_damping = (0.0, 1.0, 2.0), 0.5
    assert boxes.linear_damping.tolist() == [0.0, 1.0, 2.0]
    assert boxes.angular_damping.tolist() == [0.5] * 3
    batch.step(10)
    speeds = boxes.linear_velocity[:, 0]
    assert speeds[0] > speeds[1] > speeds[2] > 0
    with pytest.raises(ValueError, match="linear_damping of box"):
        boxes.linear_damping = -1.0


@pytest.mark.parametrize("value", [-1.0, np.nan, "1", None, (1.0, 2.0)])
@pytest.mark.parametrize("name", ["linear_damping", "angular_damping"])
def test_impossible_drags_are_refused(name, value):
    _, box = falling()
    with pytest.raises((ValueError, TypeError), match=f"{name} of box"):
        setattr(box, name, value)
    assert box.description.bodies[0].drag == (0.0, 0.0)


def test_a_file_that_leaves_drag_out_says_so(tmp_path, caplog):
    world, box = falling()
    box.linear_damping = 2.0
    world.save(tmp_path / "world.xml")
    assert "the damping of 'box'" in caplog.text


def test_a_snapshot_refuses_constraints_that_are_attached_elsewhere():
    world, box = falling()
    world.add_pin(box, None, position=(0.1, 0.0, 0.5), name="pin")
    saved = world.snapshot()
    world.remove(world.constraint("pin"))
    pin = world.add_pin(box, None, position=(0.0, 0.1, 0.5), name="pin")
    before = world.hash()
    with pytest.raises(ValueError, match="attached elsewhere"):
        world.restore(saved)
    assert world.hash() == before
    assert np.allclose(pin.points, [(0.0, 0.1, 0.5)] * 2)


def test_a_force_given_before_the_centre_of_mass_keeps_its_place():
    velocities = []
    for is_first in (True, False):
        world = tribo.World(gravity=(0, 0, 0))
        box = world.add_box((0.2, 0.2, 0.2), 1.0)
        if is_first:
            box.apply_force((0, 0, 1.0), (0, 0, 0))
        box.com = 0.1, 0.0, 0.0
        if not is_first:
            box.apply_force((0, 0, 1.0), (0, 0, 0))
        world.step()
        velocities.append(np.array(box.generalized_velocity))
    assert velocities[0][4] > 0.0
    assert np.allclose(velocities[0], velocities[1], rtol=1e-15, atol=0)


def test_a_centre_that_throws_the_body_out_of_range_is_refused():
    world = tribo.World(gravity=(0, 0, 0))
    box = world.add_box((0.2, 0.2, 0.2), 1.0, angular_velocity=(0, 0, 1e10))
    with pytest.raises(ValueError, match="linear_velocity of box_0 with this com"):
        box.com = 1e10, 0.0, 0.0
    assert box.com.tolist() == [0.0, 0.0, 0.0]
    world.step()


def test_points_of_a_body():
    _, box = falling(orientation=(0.5, 0.5, 0.5, 0.5), angular_velocity=(0.0, 0.0, 2.0))
    there = box.to_world((0.0, 0.1, 0.0))  # the turn takes y to z
    assert np.allclose(there, (0.0, 0.0, 0.6), rtol=0, atol=1e-15)
    assert np.allclose(box.to_local(there), (0.0, 0.1, 0.0), rtol=0, atol=1e-15)
    arm = box.to_world((0.1, 0.0, 0.0)) - box.position  # x to y
    expected = box.linear_velocity + np.cross((0.0, 0.0, 2.0), arm)
    assert np.allclose(box.velocity_of((0.1, 0.0, 0.0)), expected, rtol=0, atol=1e-15)


def test_forces_on_bodies_of_a_batch_are_those_of_a_world():
    force, point = (1.0, 2.0, 3.0), (0.1, 0.2, 0.6)
    world, box = falling(orientation=(0.5, 0.5, 0.5, 0.5))
    batch = tribo.Batch(world, 2, threads=1)
    for body in (box, batch["box"]):
        body.apply_force(force, point)
        body.apply_force(force, axes="body")
        body.apply_torque(force, axes="body")
    world.step()
    batch.step()
    assert np.array_equal(batch["box"].generalized_velocity, [box.generalized_velocity] * 2)


def test_messages_of_a_batch_name_the_body():
    world, _ = falling()
    box = tribo.Batch(world, 2, threads=1)["box"]
    for name, value in (("mass", -1), ("mass", "a"), ("inertia", (1, 2)), ("inertia", (0, 0, 0))):
        with pytest.raises((ValueError, TypeError), match=f"^{name} of box"):
            setattr(box, name, value)


def test_terrain_weighs_nothing():
    ground = tribo.World().add_ground()
    assert ground.mass == 0.0
    assert not ground.inertia.any()


def test_energies_and_momenta_of_bodies_add_up_to_those_of_the_world():
    """A world sums them in one compiled call; each body tells its own from its own numbers."""
    rng = np.random.default_rng(5)
    world = tribo.World(gravity=(0.3, -0.2, -9.0))
    world.add_ground()
    world.add_box((1, 1, 1), 1.0, body_type="static", position=(0, 9, 5))
    balls = []
    for k in range(4):
        moved = {"linear_velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        ball = world.add_box((1, 2, 3), 1.0 + k, position=(4 * k, 0, 5), com=(0.1, 0.2, 0.3), **moved)
        balls.append(ball)
    world.step(5)
    for name in ("kinetic_energy", "potential_energy", "energy", "linear_momentum", "angular_momentum"):
        total = sum(getattr(ball, name) for ball in balls)
        np.testing.assert_allclose(total, getattr(world, name), rtol=1e-13)
    (static,) = (part for part in world.objects if part.body_type == tribo.STATIC and part.mass)
    assert (static.kinetic_energy, static.linear_momentum.tolist()) == (0.0, [0.0, 0.0, 0.0])
    ball, point = balls[0], np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(
        ball.angular_momentum_about(point),
        ball.angular_momentum - np.cross(point, ball.linear_momentum), rtol=1e-12,
    )  # fmt: skip


def test_a_force_at_a_point_that_is_refused_leaves_none():
    world = tribo.World(gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, mass=1.0)
    with pytest.raises(ValueError, match="point"):
        ball.apply_force((1.0, 0, 0), point=np.eye(3))
    world.step()
    assert not np.any(ball.linear_velocity)


def test_a_lock_pushes_or_does_not():
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0)
    with pytest.raises(TypeError, match="pushes"):
        world.add_lock(None, ball, pushes=np.array([1, 2, 3]))


def test_no_activations_may_be_assigned_where_there_are_none():
    root = tribo.LinkDescription("base")
    root.mass, root.inertia = 1.0, np.eye(3)
    robot = tribo.World().add_articulated_system(root)
    robot.activation = np.zeros(0)
    with pytest.raises(ValueError, match="activation"):
        robot.activation = [1.0]
