"""Points of pins and hinges in the frames of the bodies, as wires take them."""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS


@pytest.fixture
def world():
    made = tribo.World(gravity=(0, 0, 0))
    made.add_box((1.0, 0.1, 0.1), 1.0, position=(2, 1, 0), rpy=(0, 0, np.pi / 2), name="bar")
    made.add_sphere(0.1, 1.0, position=(2, 1.7, 0), name="ball")
    return made


def places(tie):
    return [end.pose()[0] for end in tie.ends]


@pytest.mark.parametrize("add", ["add_pin", "add_hinge"])
def test_a_point_of_the_first_body(world, add):
    tie = getattr(world, add)(world["bar"], world["ball"], first_point=(0.5, 0, 0))
    np.testing.assert_allclose(places(tie), [(2, 1.5, 0)] * 2, atol=1e-12)


def test_a_point_of_the_second_body(world):
    tie = world.add_pin(world["bar"], world["ball"], second_point=(0, -0.2, 0))
    np.testing.assert_allclose(places(tie), [(2, 1.5, 0)] * 2, atol=1e-12)


def test_a_gap_between_two_points_is_closed(world):
    points = {"first_point": (0.5, 0, 0), "second_point": (0, 0, 0)}
    tie = world.add_pin(world["bar"], world["ball"], **points, collide=False)
    np.testing.assert_allclose(places(tie), [(2, 1.5, 0), (2, 1.7, 0)], atol=1e-12)
    world.step(1000)  # 0.2 m at max_push_out_speed, 0.3 m/s, take 0.67 s
    assert np.abs(tie.gap).max() < 1e-6


def test_points_of_links_and_of_the_world(world):
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
    link = robot.link(robot.body_names[3])
    tie = world.add_pin(link, None, first_point=(0.01, 0.02, 0.03))
    np.testing.assert_allclose(places(tie)[1], link.to_world((0.01, 0.02, 0.03)), atol=1e-12)
    hung = world.add_pin(world["ball"], None, second_point=(2, 1.7, 0.3))
    np.testing.assert_allclose(places(hung), [(2, 1.7, 0.3)] * 2, atol=1e-12)


def test_a_place_is_not_given_twice(world):
    before = world.hash()
    with pytest.raises(TypeError, match="are the same twice"):
        world.add_pin(world["bar"], None, position=(0, 0, 0), first_point=(0, 0, 0))
    with pytest.raises(ValueError, match="second_point"):
        world.add_pin(world["bar"], None, second_point=(0, 0))
    assert world.hash() == before
    assert world.constraints == ()
