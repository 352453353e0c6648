"""Bodies of several shapes: mass, centre of mass, inertia, what is refused, what they do."""

import itertools

import numpy as np
import pytest

import tribo
from tribo import CompoundPart, World

EDGES = np.array([0.2, 0.3, 0.4])


def halves(**options):
    """Return two boxes that make one of `EDGES`."""
    edges = EDGES * (0.5, 1.0, 1.0)
    return [CompoundPart("box", edges, position=(s * 0.05, 0, 0), **options) for s in (-1, 1)]


def test_two_halves_weigh_and_turn_as_the_whole():
    world = World()
    whole = world.add_box(EDGES, 3.0)
    for made in (
        world.add_compound(halves(), 3.0),
        world.add_compound(halves(mass=1.5)),
        world.add_compound(halves(), density=3.0 / EDGES.prod()),
    ):
        assert made.mass == pytest.approx(3.0, rel=1e-15)
        np.testing.assert_allclose(made.inertia, whole.inertia, rtol=1e-14, atol=1e-17)


def test_parts_are_moved_so_that_the_origin_is_the_centre_of_mass():
    parts = [
        CompoundPart("sphere", 0.1, mass=1.0, position=(1, 0, 0)),
        CompoundPart("sphere", 0.1, mass=3.0, position=(2, 0, 0)),
    ]
    made = World().add_compound(parts)
    places = [shape.position for shape in made.description.bodies[0].shapes]
    np.testing.assert_allclose(places, [(-0.75, 0, 0), (0.25, 0, 0)], atol=1e-15)
    # Two balls: 2/5 m r² each; across, the distance squared times the reduced mass.
    across = 0.4 * 4.0 * 0.01 + 0.75 * 1.0
    np.testing.assert_allclose(np.diag(made.inertia), [0.016, across, across], rtol=1e-14)


@pytest.mark.parametrize("kind", ["cone", "convex"])
def test_parts_whose_centre_of_mass_is_elsewhere(kind):
    cube = np.array(list(itertools.product((0.0, 0.2), repeat=3)))
    world = World()
    turn = (0.5, 0.5, 0.5, 0.5)  # x → y → z → x
    if kind == "cone":
        single = world.add_cone(0.1, 0.2, 2.0)
        made = world.add_compound([CompoundPart("cone", (0.1, 0.2), orientation=turn)], 2.0)
    else:
        single = world.add_convex(cube, 2.0)
        made = world.add_compound([CompoundPart("convex", cube, orientation=turn)], 2.0)
    np.testing.assert_allclose(np.diag(made.inertia), np.roll(np.diag(single.inertia), 1), rtol=1e-13)
    (shape,), (own,) = made.description.bodies[0].shapes, single.description.bodies[0].shapes
    np.testing.assert_allclose(shape.position, np.roll(own.position, 1), atol=1e-16)


def test_com_and_inertia_can_be_set():
    made = World().add_compound(halves(), 3.0, com=(0, 0, -0.1), inertia=np.diag([1.0, 2.0, 2.5]))
    np.testing.assert_allclose([s.position[2] for s in made.description.bodies[0].shapes], 0.1)
    np.testing.assert_array_equal(np.diag(made.inertia), [1.0, 2.0, 2.5])
    ball = World().add_sphere(0.1, 1.0, com=(0.05, 0, 0))
    assert ball.description.bodies[0].shapes[0].position == (-0.05, 0.0, 0.0)


def test_a_compound_slides_and_rests_as_the_body_that_it_makes_up():
    places = []
    for parts in (None, halves()):
        world = World()
        world.add_ground()
        options = {"position": (0, 0, 0.2), "linear_velocity": (1.0, 0.3, 0.0)}
        if parts is None:
            body = world.add_box(EDGES, 3.0, **options)
        else:
            body = world.add_compound(parts, 3.0, **options)
        world.step(300)
        places.append([*body.position, *body.linear_velocity, *body.orientation])
    # The same forces, but twice as many contacts share them: the solver's tolerance, 1e-10 of g dt
    # in each of 300 steps, and rounding.
    np.testing.assert_allclose(places[1], places[0], atol=1e-9)


def test_parts_of_one_body_do_not_touch_and_have_materials_of_their_own():
    world = World()
    world.add_ground()
    parts = halves()
    parts[1].material = "ice"
    made = world.add_compound(parts, 1.0, material="wood", position=(0, 0, 0.2))
    assert [body.material for body in made.collision_bodies] == ["wood", "ice"]
    world.step()
    assert len(world.contacts) == 8
    assert all({c.object_a, c.object_b} == {made, world["ground_0"]} for c in world.contacts)


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        ([], {"mass": 1.0}, "1 … 10000 parts"),
        (halves(), {}, "needs the mass"),
        (halves(), {"mass": 1.0, "density": 1.0}, "needs the mass"),
        (halves(mass=1.0), {"mass": 1.0}, "2 of 2 parts have a mass"),
        ([*halves(), *halves(mass=1.0)], {}, "2 of 4 parts have a mass"),
        ([CompoundPart("torus", 1.0)], {"mass": 1.0}, "kind of part 0"),
        ([CompoundPart("box", (1.0, 2.0))], {"mass": 1.0}, "part 0: size"),
        ([CompoundPart("sphere", np.nan)], {"mass": 1.0}, "part 0: size"),
        ([CompoundPart("ellipsoid", (1e-300,) * 3, 1.0)], {}, "of an ellipsoid must be from 1e-15 to"),
        ([CompoundPart("sphere", 1e300, 1.0)], {}, "of a sphere must be from 1e-15 to 1e"),
        ([CompoundPart("sphere", 0.1, position=(0, 0))], {"mass": 1.0}, "position of part 0"),
        ([CompoundPart("sphere", 0.1, mass=-1.0)], {}, "mass of part 0 must be > 0"),
        ([CompoundPart("convex", np.zeros((4, 3)))], {"mass": 1.0}, "points of part 0"),
        (halves(), {"mass": 1.0, "com": (0, np.inf, 0)}, "com must be finite"),
    ],
)
def test_bad_compounds_leave_the_world_as_it_was(parts, options, message):
    world = World()
    with pytest.raises(ValueError, match=message):
        world.add_compound(parts, **options)
    assert world.objects == ()


@pytest.mark.parametrize("parts", [3, CompoundPart("sphere", 1.0), ["box"]])
def test_what_is_no_list_of_parts_is_refused(parts):
    with pytest.raises(TypeError, match="CompoundPart"):
        tribo.World().add_compound(parts, 1.0)


def test_parts_have_colours_by_name(tmp_path):
    """They are saved as numbers; it was an error at `World.save`."""
    part = tribo.CompoundPart("sphere", 0.1, mass=1.0, color="blue")
    world = tribo.World()
    world.add_compound([part, tribo.CompoundPart("box", (0.1, 0.1, 0.1), mass=1.0, color=(1, 0, 0))])
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    shown = again.objects[0].description.bodies[0].visuals
    assert [visual.color for visual in shown] == [(0.22, 0.42, 0.75, 1.0), (1.0, 0.0, 0.0, 1.0)]
    with pytest.raises(ValueError, match="color of part 0 must be one of red"):
        world.add_compound([tribo.CompoundPart("sphere", 0.1, mass=1.0, color="bluish")])
