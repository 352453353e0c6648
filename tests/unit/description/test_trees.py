"""Sizes of shapes of links: one number for a sphere, words for what is none."""

import pytest

import tribo


def test_a_sphere_takes_its_radius_alone():
    sizes = []
    for size in (0.1, (0.1,)):
        link = tribo.LinkDescription("ball")
        link.add_shape("sphere", size, mass=1.0)
        robot = tribo.World().add_articulated_system(link)
        sizes.append(robot.collision_bodies[0].size)
    assert sizes[0] == sizes[1] == (0.1,)


@pytest.mark.parametrize(
    ("kind", "size", "words"),
    [
        ("box", 0.1, r"size \(0\.1,\) of a box must be 3 numbers > 0"),
        ("sphere", "wide", "size 'wide' of a sphere must be 1 numbers > 0"),
        ("sphere", None, "size None of a sphere must be 1 numbers > 0"),
        ("capsule", (0.1, None), r"size \(0\.1, None\) of a capsule must be 2 numbers > 0"),
        ("sphere", -1.0, r"size \(-1\.0,\) of a sphere"),
    ],
)
def test_sizes_that_are_none_are_refused_in_words(kind, size, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        tribo.LinkDescription("a").add_shape(kind, size, mass=1.0)
