"""Handles of wires: what may be edited after they were made."""

import numpy as np
import pytest

import tribo

FALLING = -9.81e-3  # [m/s] after a step of 1 ms


@pytest.fixture
def hung():
    """Return a world, a ball 1 m below a point, and the wire between them."""
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0))
    return world, ball, world.add_wire(None, ball, (0, 0, 1), length=1.0, name="rope")


def test_what_a_wire_resists_may_be_changed(hung):
    world, ball, rope = hung
    world.step()
    assert ball.linear_velocity[2] == pytest.approx(0.0, abs=1e-9)
    rope.resists = "compression"
    before = world.snapshot()
    world.step()
    assert (rope.resists, ball.linear_velocity[2]) == ("compression", pytest.approx(FALLING))
    rope.resists = "both"
    world.restore(before)
    assert rope.resists == "compression"
    world.add_ground(-5.0)  # what was chosen outlives a rebuild
    world.step()
    assert (rope.resists, ball.linear_velocity[2]) == ("compression", pytest.approx(FALLING))


def test_bad_choices_change_nothing(hung):
    world, ball, rope = hung
    with pytest.raises(ValueError, match=r"resists of rope must be .*got 'tension'"):
        rope.resists = "tension"
    pulled = world.add_wire(None, ball, length=1.0, tension=3.0, name="pulled")
    with pytest.raises(ValueError, match="tension is given"):
        pulled.resists = "both"
    with pytest.raises(ValueError, match="already a constraint named 'pulled'"):
        rope.name = "pulled"
    with pytest.raises(ValueError, match="name of rope"):
        rope.name = ""
    assert (rope.resists, pulled.resists, rope.name) == ("stretch", "nothing", "rope")


def test_a_wire_may_be_called_otherwise(hung):
    world, _, rope = hung
    rope.name = rope.name
    rope.name = "cord"
    assert world.constraint("cord") is rope
    world.add_wire(None, world.objects[0], length=2.0, name="rope")


def test_a_wire_whose_ends_coincide_has_no_direction(hung):
    _, ball, rope = hung
    assert rope.direction.tolist() == [0, 0, -1]
    ball.position = 0, 0, 1
    assert rope.direction.tolist() == [0, 0, 0]
    assert np.isfinite(rope.force).all()


def test_a_wire_over_many_places_pulls_alike_in_all_parts():
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=2.0, position=(0, 0, 0))
    places = [(0.1 * k, 0, 1 + k % 2) for k in range(8)]
    rope = world.add_wire(ball, None, second_point=(1, 0, 0), over=places, name="rope")
    world.step(50)
    assert rope.tensions.shape == (9,)
    assert np.allclose(rope.tensions, 2 * 9.81, rtol=1e-6, atol=0)
    assert rope.tension == pytest.approx(2 * 9.81, rel=1e-6)


def test_a_wire_may_return_to_its_body_over_another_one_but_not_over_itself():
    """2 √(0.3² + 0.4²) = 1 from end to end; its sides are the two bodies."""
    world = tribo.World(gravity=(0, 0, 0))
    a, b = (world.add_sphere(0.1, mass=1.0, position=(0, 0, z)) for z in (0.0, 0.4))
    points = {"first_point": (0.3, 0, 0), "second_point": (-0.3, 0, 0)}
    wire = world.add_wire(a, a, **points, over=[(b, (0, 0, 0))], tension=5.0)
    assert wire.distance == pytest.approx(1.0, rel=1e-12)
    world.step(1)
    assert b.linear_velocity[2] == pytest.approx(-2 * 5.0 * 0.8 * world.time_step, rel=1e-5)
    with pytest.raises(ValueError, match="same body"):
        world.add_wire(a, a, **points, over=[(a, (0, 0, 0))])
