"""Unknown parameters: bounds, and how they are set."""

import numpy as np
import pytest

import tribo
from tribo.identification import body, joint, motors, offset, pair, tilt


def slope():
    world = tribo.World()
    world.add_ground(material="floor")
    box = world.add_box((0.2, 0.2, 0.2), 2.0, "wood", position=(0, 0, 0.1), name="box")
    box.linear_damping = 0.3
    world.set_material_pair("floor", "wood", friction=0.4, static_friction=0.6, restitution=0.2)
    root = tribo.LinkDescription("root")
    rod = root.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("box", (0.1, 0.1, 0.5), mass=1.0, position=(0, 0, -0.25), collides=False)
    world.add_articulated_system(root, name="arm", position=(2, 0, 2), fixed_base=True)
    return world


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (pair("wood", "floor", friction=(0, 1), restitution=(0, 1)), [0.7, 0.3]),
        (pair("floor", "wood", static_friction=(0.4, 1), friction=(0, 0.4)), [0.5, 0.3]),
        (body("box", mass=(1, 5), linear_damping=(0, 1)), [4.0, 0.5]),
        (body("arm", "rod", mass=(0.5, 5)), [3.0]),
        (joint("arm", "rod_joint", damping=(0, 1), armature=(0, 1), dry_friction=(0, 1)), [0.3, 0.2, 0.1]),
    ],
    ids=lambda value: value.names[0] if hasattr(value, "names") else "",
)
def test_a_batch_and_a_world_get_the_same(made, values):
    world = slope()
    batch = tribo.Batch(world, 3, threads=1)
    start = made.read(world)
    made.set_in_batch(batch, np.array([values, start]), np.array([0, 2]))
    made.set_in_world(world, np.array(values))
    assert made.read(world) == pytest.approx(values)
    again = tribo.Batch(world, 1, threads=1)
    for name in ("pair_table", "body_inertia", "body_mass", "dof_damping", "dof_armature"):
        of_batch = batch.engine.model.arrays.get(name)
        if of_batch is None:
            continue
        one = np.broadcast_to(of_batch, (3, *of_batch.shape[1:]))[0]
        assert np.allclose(one, again.engine.model.arrays[name][0], rtol=1e-14)


def test_static_friction_is_never_below_friction():
    world = slope()
    batch = tribo.Batch(world, 2, threads=1)
    made = pair("floor", "wood", friction=(0, 1))
    made.set_in_batch(batch, np.array([[0.5], [0.9]]), np.arange(2))
    found = batch.material_pair("floor", "wood")
    assert found["static_friction"].tolist() == [0.6, 0.9]
    made.set_in_world(world, np.array([0.5]))
    assert world.materials.pair("floor", "wood").static_friction == 0.6


def test_a_tilted_ground_turns_gravity():
    world = slope()
    made = tilt(x=(-1, 1), y=(-1, 1))
    batch = tribo.Batch(world, 2, threads=1)
    made.set_in_batch(batch, np.array([[0.0, 0.2], [0.1, 0.0]]), np.arange(2))
    down, g = batch.gravity, 9.81
    assert down[0] == pytest.approx([g * np.sin(0.2), 0.0, -g * np.cos(0.2)])
    assert down[1] == pytest.approx([0.0, -g * np.sin(0.1), -g * np.cos(0.1)])
    made.set_in_world(world, np.array([0.0, 0.2]))
    assert world.gravity == pytest.approx(down[0])


def test_motors_are_set_for_all_joints():
    batch = tribo.Batch(slope(), 2, threads=1)
    motors("arm", time_constant=(0.001, 0.1)).set_in_batch(batch, np.array([[0.01], [0.02]]), np.arange(2))
    assert batch["arm"].motors["time_constant"][:, 0].tolist() == [0.01, 0.02]


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: pair("a", "b"), ValueError, "name properties"),
        (lambda: pair("a", "b", frictoin=(0, 1)), TypeError, "did you mean 'friction'"),
        (lambda: pair("a", "b", friction=(1, 0)), ValueError, "low < high"),
        (lambda: pair("a", "b", restitution=(0, 2)), ValueError, "≤ 1"),
        (lambda: pair("a", "b", friction=0.5), ValueError, r"\(low, high\)"),
        (lambda: pair("a", "b", friction=(0, 1, 2)), ValueError, "start of bounds"),
        (lambda: body("a", mass=(0, 1)), ValueError, "must be > 0"),
        (lambda: joint("a", "b", dampng=(0, 1)), TypeError, "did you mean 'damping'"),
        (lambda: tilt(z=(0, 1)), TypeError, "no property 'z'"),
        (lambda: offset("q/a/z", (1, 1)), ValueError, "low < high"),
    ],
)
def test_bounds_that_are_none_are_refused(make, kind, said):
    with pytest.raises(kind, match=said):
        make()


def test_a_property_of_another_law_is_refused():
    with pytest.raises(ValueError, match="a rigid pair, which has no stiffness"):
        pair("floor", "wood", stiffness=(1e3, 1e6)).read(slope())
    with pytest.raises(ValueError, match="which has no youngs_modulus"):
        pair("floor", "wood", youngs_modulus=(1e3, 1e6)).read(slope())
    with pytest.raises(KeyError, match="did you mean 'wood'"):
        pair("floor", "woood", friction=(0, 1)).read(slope())
