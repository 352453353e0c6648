"""What `make fuzz` found once: arguments that were refused without words, or by a library below."""

import numpy as np
import pytest

import tribo


@pytest.fixture
def batch():
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, name="ball")
    return tribo.Batch(world, 3, threads=1)


@pytest.mark.parametrize("worlds", [1 << 63, -(1 << 64), True, False, np.False_])
def test_numbers_without_a_world_are_refused_in_words(batch, worlds):
    with pytest.raises(ValueError, match="worlds must be an index, a slice or a mask of 3 worlds"):
        batch.pool(worlds)
    with pytest.raises(ValueError, match="worlds must be an index"):
        batch.set_material_pair("a", "b", friction=0.1, worlds=worlds)


@pytest.mark.parametrize("none", [np.zeros(3, bool), np.zeros(0, int), slice(0, 0)])
def test_no_world_at_all_is_an_empty_pool(batch, none):
    before = batch.hash()
    assert len(batch.pool(none)) == 0
    assert batch.hash() == before


def test_rays_ignore_names_only(batch):
    with pytest.raises(TypeError, match=r"ignore must be names of objects, got 1\.5"):
        batch.ray_test_batch((0, 0, 5), (0, 0, -1), ignore=1.5)


@pytest.mark.parametrize("damping", [np.array([1.0, 2.0]), [1.0], "soft", float("nan"), -1.0])
def test_the_damping_of_a_wire_is_a_number(damping):
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0)
    before = world.hash()
    with pytest.raises((ValueError, TypeError), match="damping must be"):
        world.add_wire(ball, second_point=(0, 0, 1), damping=damping, stiffness=10.0)
    with pytest.raises((ValueError, TypeError), match="damping must be"):
        world.add_wire(ball, second_point=(0, 0, 1), damping=damping, tension=10.0)
    assert world.hash() == before
    assert world.constraints == ()


def test_a_name_that_is_too_long_for_a_file_is_said_so():
    world = tribo.World()
    with pytest.raises(ValueError, match="File name too long"):
        world.save("x" * 3000)
    pytest.importorskip("zarr")
    with pytest.raises(ValueError, match="File name too long"):
        world.record("x" * 3000)


@pytest.mark.parametrize(
    ("part", "error"), [("ball", TypeError), (3, TypeError), (None, TypeError)]
)
def test_contacts_are_asked_for_by_object(part, error):
    """What is no object has no contacts; an empty list would hide a slip of the pen."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(error, match="contacts_of takes an object"):
        world.contacts_of(part)


def test_contacts_of_an_object_of_another_world_are_refused():
    stranger = tribo.World().add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(ValueError, match="ball is no object of this world"):
        tribo.World().contacts_of(stranger)
