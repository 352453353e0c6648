"""State, base and contact forces of an object in a batch: each world says what it would say alone."""

import numpy as np
import pytest
from scenes import FEET, QUADRUPED, STANCE_HEIGHT, empty_world, ground_world, standing_quadruped

import tribo

SPHERES = [(0.0, 0.0, 0.6 + 0.001 * k) for k in range(12)]

WORLDS = 4


def dog_world(**pair):
    """Return a world in which a robot stands between a box on its trunk and the ground."""
    world = ground_world(**{"friction": 0.7, **pair})
    standing_quadruped(world, kp=80.0, kd=2.0, name="dog")
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, STANCE_HEIGHT + 0.2), name="box")
    return world


def states(dog, seed=0):
    """Return coordinates and velocities that differ from world to world."""
    rng = np.random.default_rng(seed)
    q = np.tile(dog.generalized_coordinate, (WORLDS, 1))
    q[:, :2] += rng.uniform(-1, 1, (WORLDS, 2))
    q[:, 2] += np.linspace(0.3, 0.0, WORLDS)
    q[:, 3:7] += rng.normal(0, 1e-4, (WORLDS, 4))  # not of unit length: it is normalized
    q[:, 7:] += rng.uniform(-0.05, 0.05, (WORLDS, 12))
    return q, rng.uniform(-0.2, 0.2, (WORLDS, 18))


def force_sums(part):
    """Return the sum of `Contact.force_on` of each body, (bodies, 3) [N]."""
    description, shapes = part.description, [s.name for s in part.collision_bodies]
    body = np.repeat(np.arange(len(description.bodies)), [len(b.shapes) for b in description.bodies])
    total = np.zeros((len(description.bodies), 3))
    for contact in part.world.contacts:
        if contact.object_a is part:
            total[body[shapes.index(contact.body_a)]] += contact.force
        if contact.object_b is part:
            total[body[shapes.index(contact.body_b)]] += contact.seen_from_b().force
    return total


def assert_alike(batch, k, world, name="dog"):
    """Check that a world of a batch is, bit for bit, a world alone."""
    alone, many = world[name], batch[name]
    for field in (
        "generalized_coordinate", "generalized_velocity", "generalized_acceleration", "position",
        "orientation", "linear_velocity", "angular_velocity",
    ):  # fmt: skip
        if hasattr(alone, field):  # a single body has no generalized_acceleration
            np.testing.assert_array_equal(getattr(many, field)[k], getattr(alone, field), field)
    for field, array in world.engine.state.arrays.items():
        room = tuple(slice(0, n) for n in array.shape[1:])
        np.testing.assert_array_equal(batch.engine.state.arrays[field][(k, *room)], array[0], field)


@pytest.mark.parametrize("settings", [{}, {"integrator": "semi_implicit"}, {"impact": "propagate"}])
def test_set_state_and_forces_are_those_of_a_world_alone(settings):
    """Robots that fall from different heights and stand, set anew in half of the worlds on the way."""
    worlds = [dog_world(restitution=0.3) for _ in range(WORLDS)]
    for world in worlds:
        for name, value in settings.items():
            setattr(world, name, value)
    batch = tribo.Batch(worlds[0], WORLDS, threads=2)
    q, v = states(worlds[0]["dog"])
    again = np.array([False, True, False, True])
    seen = pressed = 0
    batch["dog"].set_state(q, v)
    batch["box"].generalized_coordinate[:, :3] = q[:, :3] + [0, 0, 0.12]
    for k, world in enumerate(worlds):
        world["dog"].set_state(q[k], v[k])
        world["box"].position = q[k, :3] + [0, 0, 0.12]
    for part in range(12):
        batch.step(25)
        forces = batch["dog"].net_contact_force
        feet = {foot: batch["dog"].in_contact(foot) for foot in FEET}
        touches = batch["dog"].in_contact()
        for k, world in enumerate(worlds):
            world.step(25)
            assert_alike(batch, k, world)
            np.testing.assert_array_equal(forces[k], force_sums(world["dog"]))
            np.testing.assert_array_equal(world["dog"].net_contact_force, forces[k])
            np.testing.assert_array_equal(batch["box"].net_contact_force[k], force_sums(world["box"])[0])
            contacts = [(c.body_a, c.object_a.name) for c in world["dog"].contacts]
            for foot in FEET:
                assert feet[foot][k] == ((f"{foot}/0", "dog") in contacts)
                assert world["dog"].in_contact(foot) is bool(feet[foot][k])
            assert bool(touches[k]) is world["dog"].in_contact() is bool(contacts)
            seen += len(contacts)
            pressed += int(batch["box"].net_contact_force[k].any())
        if part == 6:
            batch["dog"].set_state(q[::-1][again], v[again], again)
            for k in np.flatnonzero(again):
                worlds[k]["dog"].set_state(q[::-1][k], v[k])
    assert seen > 50
    assert pressed > 5


def test_blows_that_are_handed_on_count():
    """Balls in a row: what the last step's blows gave is part of the force, as in a world alone."""
    worlds = []
    for _ in range(2):
        world = empty_world(gravity=(0, 0, 0), restitution=1.0, restitution_threshold=0.0)
        world.impact = "propagate"
        for k in range(4):
            world.add_sphere(0.1, 1.0, position=(0.2 * k, 0, 0), name=f"b{k}")
        worlds.append(world)
    batch = tribo.Batch(worlds[0], 2, threads=1)
    batch["b0"].generalized_velocity[:, 0] = 1.0, 2.0
    batch.step()
    for k, world in enumerate(worlds):
        world["b0"].generalized_velocity[0] = 1.0 + k
        world.step()
        for ball in world.objects:
            force = batch[ball.name].net_contact_force[k]
            np.testing.assert_array_equal(force, force_sums(ball)[0])
            np.testing.assert_array_equal(ball.net_contact_force, force)
        np.testing.assert_allclose(force, [1000.0 * (1 + k), 0, 0], atol=1e-6)  # m Δv / dt


def test_blows_stay_to_be_read_after_edits_and_in_states():
    """Two balls swap their speeds; forces of the step are kept when an object is added, and in a state."""
    world = empty_world(gravity=(0, 0, 0), restitution=1.0, restitution_threshold=0.0)
    world.impact = "propagate"
    hit, target = (world.add_sphere(0.1, 1.0, position=(0.2 * k, 0, 0)) for k in range(2))
    hit.linear_velocity = (1, 0, 0)
    world.step()
    before = target.net_contact_force
    np.testing.assert_allclose(before, [1000.0, 0, 0], atol=1e-6)  # m Δv / dt
    world.add_sphere(0.1, 1.0, position=(0, 0, 5.0))
    np.testing.assert_array_equal(target.net_contact_force, before)
    state = world.dump_state()
    world.step()
    assert not target.net_contact_force.any()
    world.load_state(state)
    np.testing.assert_array_equal(target.net_contact_force, before)
    np.testing.assert_array_equal(hit.net_contact_force, -before)


def test_contact_sums_of_what_is_removed_are_refused():
    world = dog_world()
    box = world["box"]
    world.step()
    world.remove(box)
    with pytest.raises(tribo.EditError, match="contact forces of box: the object was removed"):
        _ = box.net_contact_force
    with pytest.raises(tribo.EditError, match="removed"):
        box.in_contact("box")


def test_net_contact_force_bears_the_weight():
    world = ground_world(friction=0.7)
    dog = standing_quadruped(world, kp=200.0, kd=10.0, name="dog")
    batch = tribo.Batch(world, 3, threads=1)
    batch.gravity = [(0, 0, -9.81), (0, 0, -5.0), (0, 0, 0)]
    batch["dog"].generalized_coordinate[2, 2] += 1.0
    assert not batch["dog"].net_contact_force.any()  # no step yet
    batch.step(2000)
    force = batch["dog"].net_contact_force
    assert force.shape == (3, len(batch["dog"].body_names), 3)
    np.testing.assert_allclose(force[:, :, 2].sum(axis=1) / dog.mass, [9.81, 5.0, 0.0], rtol=1e-6)
    np.testing.assert_allclose(force.sum(axis=1)[:, :2], 0.0, atol=1e-4)
    assert np.flatnonzero(force[0].any(axis=1)).tolist() == [
        batch["dog"].body_names.index(batch["dog"].frame(foot).body_name) for foot in sorted(
            FEET, key=lambda foot: batch["dog"].frame(foot).body_index
        )
    ]  # fmt: skip
    assert not force.flags.writeable


def test_links_in_one_another_push_each_other():
    """A contact between two links of a robot counts on both sides: their sum is zero."""
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.2, 0.2), mass=1.0)
    slide = root.add_child("arm", "prismatic", axis=(1, 0, 0), position=(0.145, 0, 0))
    slide.add_shape("sphere", (0.05,), mass=0.1)
    world = empty_world(gravity=(0, 0, 0))
    robot = world.add_articulated_system(root, name="r")
    robot.allow_collision("base", "arm")
    batch = tribo.Batch(world, 2, threads=1)
    batch["r"].generalized_velocity[:, 6] = -1.0, 1.0
    batch.step()
    force = batch["r"].net_contact_force
    assert force[0, 1, 0] > 1.0
    np.testing.assert_array_equal(force[:, 0], -force[:, 1])
    assert batch["r"].in_contact("base").tolist() == batch["r"].in_contact("arm").tolist()


def test_in_contact_tells_a_foot_from_its_shank():
    world = dog_world()
    batch = tribo.Batch(world, 2, threads=1)
    batch["dog"].generalized_coordinate[1, 2] += 1.0
    batch.step(50)
    dog = batch["dog"]
    shank = dog.frame("LF_FOOT").body_name
    assert shank != "LF_FOOT"
    for name in ("LF_FOOT", shank):
        assert dog.in_contact(name).tolist() == [True, False]
    assert dog.in_contact("trunk").tolist() == [False, False]
    assert dog.in_contact("trunk").dtype == bool
    with pytest.raises(KeyError, match="unknown body of dog 'LF_FOOD'; did you mean 'LF_FOOT'"):
        dog.in_contact("LF_FOOD")


def test_names_and_sizes_are_those_of_the_robot():
    world = dog_world()
    batch = tribo.Batch(world, 2, threads=1)
    for name in ("dof", "body_names", "joint_names", "is_floating"):
        assert getattr(batch["dog"], name) == getattr(world["dog"], name)
    assert (batch["box"].dof, batch["box"].body_names, batch["box"].joint_names) == (6, ("box",), ())


def test_a_fixed_base_stays_where_it_was_put():
    arm = tribo.LinkDescription("arm", mass=1.0, inertia=0.1 * np.eye(3))
    arm.fix_to_world()
    tool = arm.add_child("tool", "revolute", axis=(0, 0, 1))
    tool.mass, tool.inertia = 1.0, 0.1 * np.eye(3)
    world = empty_world()
    robot = world.add_articulated_system(arm, name="arm", position=(1, 2, 3), orientation=(0.6, 0, -0.8, 0))
    batch = tribo.Batch(world, 3, threads=1)
    assert not batch["arm"].is_floating
    for k in range(3):
        assert_alike(batch, k, world, "arm")
    np.testing.assert_array_equal(batch["arm"].orientation[2], robot.orientation)


@pytest.mark.parametrize("name", ["position", "orientation", "linear_velocity", "angular_velocity",
                                  "generalized_acceleration", "net_contact_force"])  # fmt: skip
def test_readouts_refuse_writing_and_assigning(name):
    batch = tribo.Batch(dog_world(), 2, threads=1)
    with pytest.raises(ValueError, match="read-only"):
        getattr(batch["dog"], name)[0] = 1.0
    with pytest.raises(AttributeError, match=f"{name} of ObjectBatch cannot be assigned to"):
        setattr(batch["dog"], name, 1.0)


def test_set_state_wakes_what_sleeps_as_in_a_world_alone():
    worlds = [ground_world(friction=0.6) for _ in range(2)]
    for world in worlds:
        world.sleeping, world.sleep_time = True, 0.05
        for k, name in enumerate("ab"):
            world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5 + k), name=name)
    batch = tribo.Batch(worlds[0], 2, threads=1)
    batch.step(200)
    assert batch["a"].is_asleep.all()
    q, v = batch["a"].generalized_coordinate[0].copy(), [0.5, 0, 0, 0, 0, 0]
    batch["a"].set_state(q, v, 1)
    worlds[1].step(200)
    worlds[1]["a"].generalized_coordinate, worlds[1]["a"].generalized_velocity = q, v
    batch.step(20)
    worlds[0].step(220)
    worlds[1].step(20)
    assert batch["b"].is_asleep.tolist() == [True, False]
    for k, world in enumerate(worlds):
        for name in "ab":
            assert_alike(batch, k, world, name)


GOOD_Q = [0, 0, 1, 1, 0, 0, 0]
BAD = {
    "short": (GOOD_Q[:3], np.zeros(6), slice(None),
              r"coordinate of ball must have shape \(7,\), or \(4, 7\)"),
    "all for some": (np.tile(GOOD_Q, (4, 1)), np.zeros(6), [0, 1],
                     r"\(2, 7\) for the 2 worlds that are set, got \(4, 7\); .* rows of these alone"),
    "velocity": (GOOD_Q, np.zeros(7), 0, r"velocity of ball must have shape \(6,\), or \(1, 6\)"),
    "nan": (GOOD_Q, [0, 0, np.nan, 0, 0, 0], 0, "velocity of ball must be finite"),
    "text": ("abc", np.zeros(6), 0, "coordinate of ball must be numbers"),
    "mapping": ({"ball": 1.0}, np.zeros(6), 0, "by joint name: joint_coordinates"),
    "rotation": ([GOOD_Q, np.zeros(7)], np.zeros(6), [1, 3], "unit quaternion.*in world 3"),
    "world": (GOOD_Q, np.zeros(6), 4, "worlds must be an index, a slice or a mask of 4 worlds"),
    "mask": (GOOD_Q, np.zeros(6), [True, False], "worlds must be"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_state_changes_nothing(name):
    q, v, which, says = BAD[name]
    world = empty_world()
    world.add_sphere(0.1, 1.0, name="ball")
    ball = tribo.Batch(world, WORLDS, threads=1)["ball"]
    before = ball.generalized_coordinate.copy(), ball.generalized_velocity.copy()
    with pytest.raises((ValueError, TypeError), match=says):
        ball.set_state(q, v, which)
    np.testing.assert_array_equal(ball.generalized_coordinate, before[0])
    np.testing.assert_array_equal(ball.generalized_velocity, before[1])


def test_set_state_brings_a_world_back_that_failed():
    batch = tribo.Batch(dog_world(), 3, threads=1)
    q, v = batch["dog"].generalized_coordinate[0].copy(), np.zeros(18)
    batch["dog"].generalized_velocity[1, 0] = np.inf
    made_it = batch.step(5)
    assert made_it.tolist() == [True, False, True]
    batch["dog"].set_state(q, v, ~made_it)
    assert batch.step(5).all()
    assert np.isfinite(batch["dog"].net_contact_force).all()


def test_no_world_to_set_is_no_error():
    world = empty_world()
    world.add_sphere(0.1, 1.0, name="ball")
    batch = tribo.Batch(world, 3, threads=1)
    batch["ball"].set_state(GOOD_Q, np.zeros(6), np.zeros(3, bool))
    assert not batch["ball"].position.any()
    batch["ball"].set_state(GOOD_Q, np.zeros(6), [2, 0])
    assert batch["ball"].position[:, 2].tolist() == [1.0, 0.0, 1.0]


def test_effort_limits_name_every_shape_that_works():
    world = empty_world()
    world.add_articulated_system(QUADRUPED, name="dog")
    dog = tribo.Batch(world, 8, threads=1)["dog"]
    for shape in ((18,), (8, 18), (12,), (8, 12)):
        dog.effort_limits = np.full(shape, 7.0)
        np.testing.assert_array_equal(dog.effort_limits[1][:, 6:], 7.0)
    for shape in ((8,), (3, 18), (2, 8, 18), (18, 8)):
        with pytest.raises(ValueError, match=(
            r"effort_limits of dog must be one number or have shape \(18,\) or \(8, 18\), \(12,\) or "
            r"\(8, 12\) for the joints alone, got \("
        )):  # fmt: skip
            dog.effort_limits = np.ones(shape)
    with pytest.raises(ValueError, match=r"got \(8,\); a number for each world: \{joint name"):
        dog.effort_limits = np.ones(8)
    np.testing.assert_array_equal(dog.effort_limits[1][:, 6:], 7.0)
    dog.effort_limits = {"LF_KFE": np.arange(8.0)}
    np.testing.assert_array_equal(dog.joint("LF_KFE").effort_limits[1], np.arange(8.0))


def test_what_touches_is_known_after_update_and_goes_with_a_partner_that_is_removed():
    world = tribo.World()
    ground = world.add_ground()
    ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0.0999), name="ball")
    world.step()
    world.update()
    assert ball.in_contact()
    assert len(world.contacts) == 1
    assert not ball.net_contact_force.any()
    assert not world.contacts[0].force.any()
    world.advance()
    assert ball.in_contact()
    assert ball.net_contact_force[2] > 0.0
    world.remove(ground)
    assert not ball.in_contact()
    assert not ball.net_contact_force.any()


def test_a_batch_is_independent_of_its_world():
    """What happens to the world later does not shift the columns of the batch."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="a", position=(0, 0, 5))
    world.add_sphere(0.1, 1.0, name="s", position=(0, 0, 7))
    world.set_material_pair("new", "newer", restitution=0.5)
    batch = tribo.Batch(world, 2, threads=1)
    world.remove("a")
    world.step()
    assert (batch["s"].generalized_coordinate[:, 2] == 7.0).all()


def test_views_of_a_batch_outlive_larger_tables():
    """State keeps its arrays when tables grow; the status of worlds that were done stays too."""
    world = tribo.World()
    world.add_ground()
    for k, position in enumerate(SPHERES):
        world.add_box((0.1, 0.1, 0.1), 1.0, name=f"b{k}", position=(position[0], 0.2 * k, 1.0))
    batch = tribo.Batch(world, 2, threads=1)
    view = batch["b0"].generalized_coordinate
    batch.engine.state.arrays["v"][0, 2] = np.nan
    before = batch.engine.capacity
    made = batch.step(600)
    assert batch.engine.capacity != before
    assert made.tolist() == [False, True]
    assert batch.is_valid.tolist() == [False, True]
    assert view[1, 2] == batch["b0"].generalized_coordinate[1, 2] != 1.0


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("generalized_coordinate", "joint_coordinates"), ("generalized_velocity", "joint_velocities")],
)
def test_a_state_by_joint_name_is_refused_with_the_property_that_takes_it(name, remedy):
    """It went into the columns of velocities, whatever it was."""
    world = ground_world()
    dog = standing_quadruped(world)
    batch = tribo.Batch(world, 2, threads=1)
    here = batch[dog.name]
    before = getattr(here, name).copy()
    with pytest.raises(TypeError, match=remedy):
        setattr(here, name, {"LF_KFE": 0.3})
    np.testing.assert_array_equal(getattr(here, name), before)


def test_quaternions_become_unit_ones_by_the_same_bits_in_worlds_and_batches():
    """Sums in another order gave other bits in a third of all cases."""
    world = tribo.World()
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box")
    batch = tribo.Batch(world, 200, threads=1)
    q, v = np.zeros((200, 7)), np.zeros((200, 6))
    turns = np.random.default_rng(0).normal(size=(200, 4))
    q[:, 3:] = turns / np.linalg.norm(turns, axis=1)[:, None] * 1.0001
    batch["box"].set_state(q, v)
    made = batch["box"].generalized_coordinate
    for given, expected in zip(q, made, strict=True):
        box.set_state(given, v[0])
        assert np.array_equal(box.generalized_coordinate, expected)
        box.generalized_coordinate = given
        assert np.array_equal(box.generalized_coordinate, expected)
        box.orientation = given[3:]
        assert np.array_equal(box.orientation, expected[3:])


def test_set_state_of_a_body_refuses_what_that_of_a_robot_does():
    box = tribo.World().add_box((0.1, 0.2, 0.3), 1.0, name="box")
    for q, v in (((0,) * 7, (0,) * 6), ((0, 0, 0, 1, 0, 0, 0), (0,) * 5)):
        with pytest.raises(ValueError, match="of box"):
            box.set_state(q, v)
