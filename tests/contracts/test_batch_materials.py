"""Material pairs that differ from world to world of a batch: each world is as if it were alone."""

import numpy as np
import pytest
from scenes import empty_world, standing_quadruped

import tribo

FRICTIONS, BOUNCES = (0.2, 0.5, 0.9), (0.0, 0.4, 0.8)


def scene(friction=0.8, restitution=0.3):
    """Return a world with a sliding box, a falling ball and a ground of three materials."""
    world = empty_world(2e-3)
    world.add_ground(material="floor")
    world.set_material_pair("floor", "wood", friction=friction, rolling_friction=0.1)
    world.set_material_pair("floor", "rubber", friction=0.6, restitution=restitution)
    world.add_box((0.2, 0.2, 0.2), 1.0, "wood", name="box", position=(0, 0, 0.1),
                  linear_velocity=(2, 0, 0))  # fmt: skip
    world.add_sphere(0.1, 1.0, "rubber", name="ball", position=(0, 3, 0.4))
    return world


@pytest.mark.parametrize("threads", [1, 2])
def test_each_world_is_as_if_it_were_alone(threads):
    """Bit for bit, whatever the number of threads; what was not named stays."""
    batch = tribo.Batch(scene(), 3, threads=threads)
    batch.set_material_pair("wood", "floor", friction=FRICTIONS)
    batch.set_material_pair("floor", "rubber", restitution=np.array(BOUNCES))
    assert batch.step(300).all()
    for e, (friction, bounce) in enumerate(zip(FRICTIONS, BOUNCES, strict=True)):
        world = scene(friction, bounce)
        world.step(300)
        for name in ("box", "ball"):
            alone = world[name].generalized_coordinate
            np.testing.assert_array_equal(batch[name].generalized_coordinate[e], alone)
    ways = batch["box"].generalized_coordinate[:, 0]
    for way, friction in zip(ways, FRICTIONS, strict=True):
        stop = 2.0**2 / (2 * friction * 9.81) if friction * 9.81 * 0.6 > 2.0 else None
        if stop is not None:  # the midpoint rule adds less than a step's path
            assert way == pytest.approx(stop, abs=2.0 * 2e-3)


def test_readings():
    batch = tribo.Batch(scene(), 3, threads=1)
    before = batch.material_pair("floor", "wood")
    np.testing.assert_array_equal(before["friction"], [0.8] * 3)
    batch.set_material_pair("floor", "wood", friction=0.4, rolling_friction=[0.0, 0.1, 0.2])
    found = batch.material_pair("wood", "floor")
    np.testing.assert_array_equal(found["friction"], [0.4] * 3)
    np.testing.assert_array_equal(found["static_friction"], [0.4] * 3)
    np.testing.assert_array_equal(found["rolling_friction"], [0.0, 0.1, 0.2])
    np.testing.assert_array_equal(batch.material_pair("floor", "rubber")["friction"], [0.6] * 3)
    with pytest.raises(ValueError, match="read-only"):
        found["friction"][0] = 1.0


def test_the_world_and_other_batches_stay_as_they_are():
    world = scene()
    one, other = (tribo.Batch(world, 2, threads=1) for _ in range(2))
    one.set_material_pair("floor", "wood", friction=[0.1, 0.2])
    assert world.materials.pair("floor", "wood").friction == 0.8
    np.testing.assert_array_equal(other.material_pair("floor", "wood")["friction"], [0.8, 0.8])


@pytest.mark.parametrize(
    ("pair", "values", "error", "says"),
    [
        (("floor", "wod"), {"friction": 1.0}, KeyError, "unknown material 'wod'"),
        (("floor", "wood"), {"frictoin": 1.0}, TypeError, "did you mean 'friction'"),
        (("floor", "wood"), {"friction": [1.0, 2.0]}, ValueError, r"must be a number or have shape \(3,\)"),
        (("floor", "wood"), {"friction": [0.5, -1.0, 0.5]}, ValueError, "of world 1: friction must be"),
        (("floor", "wood"), {"static_friction": [0.9, 0.9, 0.1]}, ValueError, "of world 2: static_friction"),
        (("floor", "wood"), {"friction": np.nan}, ValueError, "finite"),
        (("floor", "rubber"), {"stiffness": 1e6}, ValueError, "belongs to a rigid pair"),
        (("floor", "wood"), {"stiffness": 1e6, "rolling_friction": 0.0}, ValueError, "compliant is the same"),
    ],
)  # fmt: skip
def test_wrong_values_change_nothing(pair, values, error, says):
    batch = tribo.Batch(scene(), 3, threads=1)
    before = batch.engine.model.arrays["pair_table"].copy()
    with pytest.raises(error, match=says):
        batch.set_material_pair(*pair, **values)
    np.testing.assert_array_equal(batch.engine.model.arrays["pair_table"], before)


def test_randomised_robots_step_like_single_ones():
    """Masses, centres, inertias, placements and materials at once: bit for bit as single worlds."""
    rng = np.random.default_rng(8)
    trunk, knee, worlds = "trunk", "LF_KFE", 3
    masses, coms = rng.uniform(5, 8, worlds), rng.uniform(-0.02, 0.02, (worlds, 3))
    shifts, frictions = rng.uniform(-0.01, 0.01, (worlds, 3)), rng.uniform(0.3, 1.0, worlds)
    turns = rng.uniform(0.9, 1.1, worlds)

    def make(friction=0.8):
        world = empty_world(1e-3)
        world.add_ground(material="floor")
        world.set_material_pair("floor", "rubber", friction=friction)
        return world, standing_quadruped(world, name="dog")

    world, robot = make()
    place, inertia = robot.joint(knee).position_in_parent, robot.link(trunk).inertia
    batch = tribo.Batch(world, worlds, threads=1)
    dogs = batch["dog"]
    dogs.link(trunk).mass, dogs.link(trunk).com = masses, coms
    dogs.link(trunk).inertia = np.multiply.outer(turns, inertia)
    dogs.joint(knee).position_in_parent = place + shifts
    batch.set_material_pair("floor", "rubber", friction=frictions)
    assert batch.step(100).all()
    for e in range(worlds):
        world, robot = make(frictions[e])
        robot.link(trunk).mass, robot.link(trunk).com = masses[e], coms[e]
        robot.link(trunk).inertia = turns[e] * inertia
        robot.joint(knee).position_in_parent = place + shifts[e]
        world.step(100)
        np.testing.assert_array_equal(robot.generalized_coordinate, dogs.generalized_coordinate[e])
