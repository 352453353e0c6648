"""Objects by name, other names for them, and what a notebook shows of a world."""

import pytest

import tribo


def two_balls():
    world = tribo.World()
    first = world.add_sphere(0.1, 1.0, name="first")
    return world, first, world.add_sphere(0.1, 1.0, name="second", position=(1, 0, 0))


def test_objects_are_found_by_name_number_and_slice():
    world, first, second = two_balls()
    objects = world.objects
    assert objects["second"] is objects[1] is objects[-1] is second
    assert objects[:1] == (first,)
    assert objects == (first, second)
    assert isinstance(objects, tuple)
    with pytest.raises(KeyError, match="did you mean 'first'"):
        objects["frist"]
    with pytest.raises(IndexError):
        objects[2]


def test_an_object_gets_another_name_and_keeps_its_state():
    world, first, _ = two_balls()
    first.linear_velocity = 1, 2, 3
    world.step()
    digest = world.hash()
    first.name = "ball"
    assert (first.name, world["ball"], "first" in world) == ("ball", first, False)
    assert world.hash() == digest
    first.name = "ball"  # its own is free
    third = world.add_sphere(0.1, 1.0, name="first", position=(3, 0, 0))
    assert world.objects["first"] is third
    world.remove("ball")
    assert [part.name for part in world.objects] == ["second", "first"]


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [("second", ValueError, "already an object"), ("", ValueError, "empty"), (3, TypeError, "string")],
)
def test_a_name_that_cannot_be_leaves_the_old_one(name, error, says):
    world, first, second = two_balls()
    with pytest.raises(error, match=says):
        first.name = name
    assert (world["first"], world["second"]) == (first, second)


def test_what_is_removed_or_midway_keeps_its_name():
    world, first, second = two_balls()
    world.update()
    with pytest.raises(tribo.EditError, match="between update and advance"):
        first.name = "x"
    world.advance()
    world.remove(second)
    with pytest.raises(tribo.EditError, match="removed"):
        second.name = "x"


def test_a_notebook_shows_the_summary():
    world, first, _ = two_balls()
    first.name = "<b>"
    shown = world._repr_html_()
    assert shown.startswith("<pre>World at t = 0 s: 2 objects, 12 dofs")
    assert "&lt;b&gt;: SingleBody" in shown
    for _ in range(60):
        world.add_sphere(0.1, 1.0, position=(5, 0, 0))
    assert world._repr_html_().endswith("  and 26 more</pre>")
