"""Sizes of shapes, world by world: each world does what a world built with these sizes does, bit for bit."""

import numpy as np
import pytest
from scenes import ground_world, standing_quadruped

import tribo

KINDS = {  # how it is added, sizes of three worlds as `World.add_…` has them, the same as the model has them
    "sphere": ([(0.1,), (0.17,), (0.08,)], lambda r: (r,)),
    "box": ([(0.2, 0.3, 0.4), (0.5, 0.3, 0.1), (0.25, 0.26, 0.27)], lambda *e: tuple(x / 2 for x in e)),
    "capsule": ([(0.1, 0.3), (0.05, 0.6), (0.2, 0.1)], lambda r, h: (r, h / 2)),
    "cylinder": ([(0.1, 0.3), (0.15, 0.2), (0.07, 0.5)], lambda r, h: (r, h / 2)),
    "ellipsoid": ([(0.1, 0.2, 0.3), (0.2, 0.2, 0.1), (0.15, 0.1, 0.12)], lambda *a: a),
}  # fmt: skip


def thrown(kind, size):
    """Return a world with a solid that flies turning onto the ground, beside a ball that it may hit."""
    world = ground_world(friction=0.6)
    solid = getattr(world, f"add_{kind}")(
        *((size,) if kind in ("box", "ellipsoid") else size), mass=1.5, name="solid",
        position=(0, 0, 0.7),
    )  # fmt: skip
    solid.generalized_velocity = 0.3, 0.1, 0.0, 2.0, 3.0, 1.0
    world.add_sphere(0.2, 1.0, position=(0.35, 0.1, 0.2), name="ball")
    return world


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_is_as_if_built_with_its_size(kind):
    """Contacts, bounds, margins, rays and, as asked here, inertia: 600 steps of flight and impacts."""
    given, in_model = KINDS[kind]
    batch = tribo.Batch(thrown(kind, given[0]), 3, threads=1)
    sizes = np.array([in_model(*size) for size in given])
    batch.set_shape_size("solid", sizes[1:], worlds=[1, 2], update_inertia=True)
    np.testing.assert_array_equal(batch.shape_size("solid"), sizes)
    alone = [thrown(kind, size) for size in given]
    for world in alone:
        world.step(600)
    batch.step(600)
    assert batch.hash() == [world.hash() for world in alone]
    assert len(set(batch.hash())) == 3
    origins = np.array([[w["solid"].position + np.array([0.02, 0.01, 3.0])] for w in alone])
    hits = batch.ray_test_batch(origins, (0, 0, -1))
    for k, world in enumerate(alone):
        hit = world.ray_test(origins[k, 0], (0, 0, -1))
        assert hit.object is world["solid"]
        assert hit.distance == hits.distance[k, 0]


def test_feet_of_a_robot_and_a_static_step():
    """A shape among others of a body, and one of an object that stands: as edited in a world alone."""

    def build(foot=None, half=(0.2, 0.2, 0.05)):
        world = ground_world(friction=0.8)
        dog = standing_quadruped(world, kp=60.0, kd=2.0, name="dog")
        step = world.add_box((0.4, 0.4, 0.1), 1.0, position=(0.3, 0.2, 0.0), body_type="static",
                             name="step")  # fmt: skip
        step.collision_bodies[0].size = half
        if foot is not None:
            dog.collision_body("LF_FOOT/0").size = foot
        return world

    batch = tribo.Batch(build(), 4, threads=1)
    mask = np.array([False, True, False, True])
    batch.set_shape_size("dog", [0.03, 0.035], "LF_FOOT/0", worlds=mask)
    batch.set_shape_size("step", (0.2, 0.2, 0.08), worlds=3)
    batch.step(200)
    alone = [build(), build(0.03), build(), build(0.035, (0.2, 0.2, 0.08))]
    for world in alone:
        world.step(200)
    assert batch.hash() == [world.hash() for world in alone]
    assert batch.hash(0) == batch.hash(2) != batch.hash(1)


def test_masses_stay_unless_the_inertia_is_asked_for():
    batch = tribo.Batch(thrown("sphere", (0.1,)), 3, threads=1)
    before = batch["solid"].inertia.copy()
    batch["solid"].mass = 1.0, 2.0, 3.0
    batch.set_shape_size("solid", [0.2, 0.3, 0.4])
    np.testing.assert_array_equal(batch["solid"].inertia, before)
    batch.set_shape_size("solid", 0.5, worlds=2, update_inertia=True)
    assert batch["solid"].mass.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(batch["solid"].inertia[:2], before[:2])
    np.testing.assert_allclose(batch["solid"].inertia[2], 0.4 * 3.0 * 0.25 * np.eye(3), rtol=1e-15)


def test_what_sleeps_on_a_step_that_shrinks_wakes():
    """It falls by the difference, in that world alone."""
    world = ground_world()
    world.sleeping = True
    world.add_box((1, 1, 0.4), 1.0, position=(0, 0, 0), body_type="static", name="step")
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.3), name="box")
    batch = tribo.Batch(world, 2, threads=1)
    batch.step(400)
    assert batch["box"].is_asleep.all()
    batch.set_shape_size("step", (0.5, 0.5, 0.1), worlds=1)
    batch.step(400)
    height = batch["box"].position[:, 2]
    # It rests on the lower step; what stands is as deep as rounding of contacts lets it, below 1e-6 m.
    np.testing.assert_allclose(height, [0.3, 0.2], atol=1e-6)


def hull_world():
    world = ground_world()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    world.add_convex(corners, 1.0, position=(0, 0, 2), name="hull")
    world.add_sphere(0.1, 1.0, position=(3, 0, 1), name="ball")
    world.add_box((1, 1, 1), 1.0, position=(6, 0, 1), name="box")
    world.add_cone(0.2, 0.4, 1.0, position=(9, 0, 1), name="cone")
    standing_quadruped(world, name="dog")
    return world


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("hull", 0.1), {}, ValueError, ["hull", "more than lengths", "before the batch is made"]),
        (("ground_0", 0.1), {}, ValueError, ["plane", "more than lengths"]),
        (("bal", 0.1), {}, KeyError, ["ball"]),
        (("dog", 0.1), {}, ValueError, ["collision shapes; name one of them", "LF_FOOT/0"]),
        (("dog", 0.1, "LF_FOOT/1"), {}, KeyError, ["LF_FOOT/0"]),
        (("ball", -0.1), {}, ValueError, ["> 0", "radius", "world 0", "-0.1"]),
        (("ball", [0.1, 0.0, 0.1]), {}, ValueError, ["world 1"]),
        (("ball", [0.1, np.nan, 0.1]), {}, ValueError, ["finite"]),
        (("ball", [0.1, 0.2]), {}, ValueError, ["(3,)", "(2,)"]),
        (("ball", "big"), {}, TypeError, ["numbers"]),
        (("box", 0.1), {}, ValueError, ["(3,)", "half of each edge"]),
        (("box", np.ones((2, 3))), {}, ValueError, ["(3, 3)", "(2, 3)"]),
        (("box", (1, 1, 1)), {"worlds": 7}, ValueError, ["3 worlds", "7"]),
        (("box", (1, 1, 1)), {"update_inertia": 1}, TypeError, ["update_inertia"]),
        (("cone", (0.1, 0.2)), {"update_inertia": True}, ValueError, ["update_inertia", "set_link"]),
        (("dog", 0.1, "LF_FOOT/0"), {"update_inertia": True}, ValueError, ["single bodies"]),
    ],
)  # fmt: skip
def test_wrong_sizes_change_nothing(arguments, options, error, words):
    batch = tribo.Batch(hull_world(), 3, threads=1)
    before = batch.engine.model.arrays["shape_size"].copy()
    with pytest.raises(error) as caught:
        batch.set_shape_size(*arguments, **options)
    for word in words:
        assert word in str(caught.value)
    np.testing.assert_array_equal(batch.engine.model.arrays["shape_size"], before)
    fresh = tribo.Batch(hull_world(), 3, threads=1)
    for one in (batch, fresh):
        one.step(5)
    assert batch.hash() == fresh.hash()


def test_snapshots_leave_sizes():
    """As they leave masses; a batch of the world that was copied is not touched by another's sizes."""
    world = thrown("sphere", (0.1,))
    batch, other = tribo.Batch(world, 2, threads=1), tribo.Batch(world, 2, threads=1)
    saved = batch.snapshot()
    batch.set_shape_size("solid", 0.3)
    batch.restore(saved)
    assert batch.shape_size("solid").tolist() == [[0.3], [0.3]]
    assert other.shape_size("solid").tolist() == [[0.1], [0.1]]
    assert world["solid"].collision_bodies[0].size == (0.1,)
