"""Law 7: State is what a snapshot must save. Going on from it gives the same bits."""

import numpy as np
import pytest
from scenes import FEET, ground_world, standing_quadruped

import tribo
from tribo.engine.engine import Engine
from tribo.model import Work


def busy_world():
    """Return a world with everything that has a memory: warm starts, limits, drives, rolling friction,
    a tumbling body, a conveyor, static friction."""
    world = ground_world(friction=0.6, restitution=0.3, static_friction=0.8)
    world.set_material_pair("default", "ball", rolling_friction=0.05, spinning_friction=0.02)
    robot = standing_quadruped(world, name="robot")
    robot.position = robot.position + np.array([0, 0, 0.05])
    world.add_sphere(0.1, 1.0, "ball", position=(2, 0, 0.4), linear_velocity=(1, 0, 0))
    world.add_box((0.2, 0.3, 0.1), 1.0, position=(2, 2, 0.5), angular_velocity=(3, 5, 1))
    for k in range(3):
        world.add_box((0.2, 0.2, 0.2), 1.0 + k, position=(-2, 0.01 * k, 0.1 + 0.2 * k))
    world.add_cylinder(0.1, 0.3, 1.0, "ball", position=(-2, 2, 0.3), angular_velocity=(1, 2, 3))
    world.add_box(
        (3, 1, 0.1), 1.0, position=(0, -3, 0.05), body_type="kinematic", linear_velocity=(0.3, 0, 0)
    )
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, -3, 0.2))
    return world


def bits(world):
    """Return the state as bytes."""
    return {name: array.tobytes() for name, array in world.engine.state.arrays.items() if name[:4] != "warm"}


def course(world, steps=300):
    """Step and return all states on the way."""
    found = []
    for k in range(steps):
        if k % 50 == 20:
            world["robot"].apply_force("trunk", (30.0, 10.0, 0.0))
        world.step()
        found.append(bits(world))
    return found


@pytest.mark.parametrize("warm_up", [0, 1, 150])
def test_going_on_from_a_snapshot_is_bitwise_the_same(warm_up):
    """Twice, in the same world, in free flight, at touch-down and in the middle of contact."""
    world = busy_world()
    world.step(warm_up)
    saved = world.snapshot()
    expected = course(world)
    for _ in range(2):
        world.restore(saved)
        assert world.time == pytest.approx(warm_up * 1e-3, abs=1e-12)
        assert course(world) == expected


def test_a_fresh_scratch_gives_the_same_future():
    """Replace `Work` by a new one between two steps: nothing in it was needed."""
    world = busy_world()
    world.step(150)
    saved = world.snapshot()
    expected = course(world)
    world.restore(saved)
    found = []
    for k in range(300):
        if k % 50 == 20:
            world["robot"].apply_force("trunk", (30.0, 10.0, 0.0))
        engine: Engine = world.engine
        if k % 7 == 0:
            engine.work = Work.allocate(engine.sizes)
            engine._connect()
        world.step()
        found.append(bits(world))
    assert found == expected


def test_a_twin_world_goes_the_same_way():
    """The same script in another world: the same bits."""
    assert course(busy_world(), 200) == course(busy_world(), 200)


def test_restore_after_the_tables_have_grown():
    """A snapshot from before a pile-up, restored into larger tables, has the same future."""
    world = ground_world(friction=0.5)
    rng = np.random.default_rng(1)
    for k in range(40):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=[*rng.uniform(-0.5, 0.5, 2), 0.3 + 0.25 * k])
    saved = world.snapshot()
    small = world.engine.capacity
    world.step(800)
    expected = bits(world)
    assert world.engine.capacity.contacts > small.contacts
    world.restore(saved)
    world.step(800)
    assert bits(world) == expected


def test_a_snapshot_is_a_copy():
    """What happens later does not change it."""
    world = busy_world()
    saved = world.snapshot()
    before = {n: {f: a.copy() for f, a in r.items()} for n, r in saved.arrays.items()}
    world.step(100)
    world.gravity = 0, 0, -1
    world.set_material_pair("default", "default", friction=0.123)
    for name, record in saved.arrays.items():
        for field, array in record.items():
            np.testing.assert_array_equal(array, before[name][field])


def test_everything_is_restored():
    """State, commands, settings, materials, gains, shapes' groups, static poses and clock."""
    world = busy_world()
    robot = world["robot"]
    shelf = world.add_box((1, 1, 1), 1.0, position=(9, 9, 9), body_type="static")
    world.step(10)
    saved = world.snapshot()
    gains, target = [gain.copy() for gain in (robot.kp, robot.kd)], robot.pd_target.copy()
    pair = world.materials.pair("default", "default")
    world.step(10)
    world.time_step = 2e-3
    world.gravity = 1, 2, 3
    world.erp = 0.9
    world.set_material_pair("default", "default", friction=0.01)
    robot.set_pd_gains(1.0, 1.0)
    robot.pd_target = robot.generalized_coordinate
    robot.generalized_force = np.ones(18)
    robot.apply_force("trunk", (1, 2, 3))
    foot = robot.collision_body(f"{FEET[0]}/0")
    foot.material, foot.collision_mask = "ice", 2
    shelf.position = 0, 0, 9
    world.restore(saved)
    assert world.time_step == 1e-3
    np.testing.assert_array_equal(world.gravity, [0, 0, -9.81])
    assert world.erp == 0.2
    assert world.materials.pair("default", "default") == pair
    np.testing.assert_array_equal((robot.kp, robot.kd), gains)
    np.testing.assert_array_equal(robot.pd_target, target)
    np.testing.assert_array_equal(robot.generalized_force, 0)
    assert (foot.material, foot.collision_mask) == ("rubber", -1)
    np.testing.assert_array_equal(shelf.position, [9, 9, 9])
    assert saved.time == world.time == pytest.approx(0.01)
    world.step()


def test_a_snapshot_of_another_world_is_refused():
    """Other objects, or another body type."""
    world = busy_world()
    saved = world.snapshot()
    extra = world.add_sphere(0.1, 1.0, position=(5, 5, 5))
    with pytest.raises(ValueError, match="other objects"):
        world.restore(saved)
    world.remove(extra)
    world.restore(saved)
    world.objects[1].body_type = "kinematic"
    with pytest.raises(ValueError, match="other objects"):
        world.restore(saved)


def test_pending_forces_belong_to_a_snapshot():
    """An external force that has not acted yet is kept."""
    world = tribo.World(gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, 1.0)
    world.step()
    ball.apply_force((1, 0, 0))
    saved = world.snapshot()
    world.step()
    expected = ball.linear_velocity
    assert expected[0] > 0.0
    world.restore(saved)
    world.step()
    np.testing.assert_array_equal(ball.linear_velocity, expected)


def test_what_cannot_be_taken_between_update_and_advance_says_so(tmp_path):
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0)
    world.update()
    for ask, says in (
        (world.snapshot, "a snapshot cannot be taken between update and advance; call advance"),
        (world.dump_state, "the state cannot be dumped between update and advance; call advance"),
        (lambda: world.save_state(tmp_path / "x"), "the state cannot be dumped between update"),
        (lambda: tribo.Batch(world, 2), "a world cannot be copied into a batch between update"),
        (lambda: setattr(ball, "position", (0, 0, 1)), "cannot be changed between update"),
    ):
        with pytest.raises(tribo.EditError, match=says):
            ask()
    world.advance()
    assert world.snapshot().time == world.time


def test_a_snapshot_knows_materials_that_no_step_has_seen():
    """Materials set just before the snapshot are those after the restore."""

    def height(disturbed):
        world = tribo.World()
        world.add_ground(material="a")
        ball = world.add_sphere(0.1, 1.0, "b", position=(0, 0, 0.5))
        world.step()
        world.set_material_pair("a", "b", friction=0.5, restitution=0.9)
        saved = world.snapshot()
        if disturbed:
            world.set_material_pair("a", "b", friction=0.5)
            world.step(10)
            world.restore(saved)
        world.step(400)
        return ball.position[2]

    assert height(True) == height(False)


def test_filters_after_a_restore():
    """The list of bodies to sweep is scratch: a restored filter makes it anew."""
    world = tribo.World()
    world.add_ground()
    world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5))
    upper = world.add_box((1, 1, 1), 1.0, position=(0, 0, 1.5))
    world.step(10)
    saved = world.snapshot()
    for body in upper.collision_bodies:
        body.collision_group = body.collision_mask = 0
    world.step(10)
    world.restore(saved)
    world.step(500)
    assert upper.position[2] == pytest.approx(1.5, abs=1e-6)


def test_a_snapshot_of_another_world_is_refused_whole():
    """Same ids, other shapes: an error, and nothing is written."""
    first, second = tribo.World(), tribo.World()
    first.add_box((1, 1, 1), 1.0, position=(0, 0, 5))
    ball = second.add_sphere(0.5, 1.0, position=(0, 0, 7))
    saved = first.snapshot()
    with pytest.raises(ValueError, match="other objects"):
        second.restore(saved)
    assert ball.position[2] == 7.0


def test_zeros_of_either_sign_are_one_number():
    """Worlds that are built alike take one another's snapshots, also where a user wrote −0.0."""
    first, second = busy_world(), busy_world()
    saved = first.snapshot()
    for link in second["robot"].links:
        link.com = np.where(link.com == 0.0, -0.0, link.com)
    com = second.engine.model.arrays["body_com"]
    assert (np.signbit(com) & (com == 0.0)).any()
    second.restore(saved)
    first.step(20)
    second.step(20)
    assert np.array_equal(first["robot"].q, second["robot"].q)
