"""Constraints of a batch: the numbers of each world, as the constraint of a world alone has them."""

import numpy as np
import pytest

import tribo
from tribo.checks.errors import EditError

READ = ("points", "gap", "force", "torque", "length", "distance", "stretch", "tension", "stiffness",
        "damping", "tensions", "speed", "max_force",
        "applied", "is_on", "is_broken", "erp", "break_force")  # fmt: skip


def tied_world():
    """Return a world with one of everything, between moving, standing and no bodies."""
    world = tribo.World()
    a = world.add_box((0.2, 0.1, 0.1), mass=1.0, position=(0.1, 0, 1), name="a")
    b = world.add_sphere(0.1, mass=1.0, position=(1, 0, 1), name="b")
    post = world.add_box((0.1, 0.1, 0.1), 1.0, position=(2, 0, 1), name="post", body_type="static")
    world.add_hinge(a, None, (0, 0, 1), (0, 1, 0), name="hinge")
    world.add_motor(None, a, (0, 1, 0), speed=1.0, max_force=3.0, name="motor")
    world.add_rod(a, b, (0.1, 0, 0), name="rod")
    world.add_wire(b, post, stiffness=50.0, damping=1.0, name="spring")
    world.add_wire(b, None, second_point=(1, 0, 3), tension=2.0, name="pull")
    world.add_weld(b, post, name="weld").is_on = False
    return world


def test_each_world_reads_as_it_would_alone():
    world = tied_world()
    batch = tribo.Batch(world, 3, threads=1)
    assert batch.constraint_names == tuple(tie.name for tie in world.constraints)
    assert batch.step(100).all()
    world.step(100)
    count = 0
    for tie in world.constraints:
        np.testing.assert_allclose(tie.impulse, tie.force * world.time_step, atol=1e-15, err_msg=tie.name)
        for what in READ:
            if not hasattr(tie, what):
                with pytest.raises(AttributeError, match=tie.name):
                    getattr(batch.constraint(tie.name), what)
                continue
            found = getattr(batch.constraint(tie.name), what)
            assert found.shape[0] == 3
            expected = np.asarray(getattr(tie, what))
            for row in found:
                np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-12, err_msg=what)
            count += 1
    assert count > 60
    assert abs(batch.constraint("hinge").force).max() > 1.0


def test_worlds_get_numbers_of_their_own():
    batch = tribo.Batch(tied_world(), 3, threads=1)
    motor, pull, spring = (batch.constraint(name) for name in ("motor", "pull", "spring"))
    motor.speed, motor.max_force = [0.0, 0.5, -0.5], 100.0
    pull.tension = 0.0
    pull.tension = [0.0, 5.0, 9.0]
    spring.stiffness[1] = 80.0
    batch.constraint("weld").is_on = [False, False, True]
    assert batch.step(50).all()
    np.testing.assert_allclose(batch["a"].generalized_velocity[:2, 4], [0.0, 0.5], atol=1e-6)
    np.testing.assert_allclose(pull.tension, [0.0, 5.0, 9.0])
    np.testing.assert_allclose(np.linalg.norm(pull.force, axis=1), [0.0, 5.0, 9.0])
    assert spring.stiffness.tolist() == [50.0, 80.0, 50.0]
    np.testing.assert_allclose(batch["b"].generalized_velocity[2], 0.0, atol=1e-6)


def test_what_breaks_in_one_world_holds_in_another():
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, position=(0, 0, 1), name="ball")
    world.add_wire(None, world["ball"], second_point=(0, 0, 0), first_point=(0, 0, 2), name="rope")
    batch = tribo.Batch(world, 2, threads=1)
    rope = batch.constraint("rope")
    rope.break_force = [5.0, 50.0]
    batch.step(20)
    assert rope.is_broken.tolist() == [True, False]
    rope.break_force = np.inf
    rope.is_broken = False
    batch.step(300)
    assert not rope.is_broken.any()
    np.testing.assert_allclose(rope.tension, 9.81, rtol=1e-3)


@pytest.mark.parametrize(
    ("name", "what", "value", "words"),
    [
        ("motor", "max_force", -1.0, "max_force of motor"),
        ("motor", "speed", [1.0, 2.0], "one for each of 3 worlds"),
        ("motor", "speed", [1.0, np.nan, 2.0], "must be finite"),
        ("hinge", "erp", 2.0, "from 0 to 1"),
        ("rod", "length", 0.0, "length of rod"),
        ("rod", "tension", 1.0, "only a custom wire"),
        ("spring", "stiffness", "stiff", "must be a number"),
    ],
)
def test_bad_numbers_change_nothing(name, what, value, words):
    batch = tribo.Batch(tied_world(), 3, threads=1)
    before = batch.engine.command.arrays["constraint"].copy()
    with pytest.raises(ValueError, match=words):
        setattr(batch.constraint(name), what, value)
    assert np.array_equal(batch.engine.command.arrays["constraint"], before)


def test_names_that_do_not_exist():
    batch = tribo.Batch(tied_world(), 2, threads=1)
    with pytest.raises(KeyError, match="motor"):
        batch.constraint("moter")
    with pytest.raises(AttributeError, match="hinge"):
        batch.constraint("hinge").speed = 1.0
    with pytest.raises(AttributeError):
        batch.constraint("hinge").force = 1.0
    batch._inside.idle.pop()
    with pytest.raises(EditError):
        batch.constraint("motor").speed = 1.0
