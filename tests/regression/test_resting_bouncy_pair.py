"""A resting contact of a pair with restitution must not be taken for an impact that is yet to come."""

import numpy as np

import tribo


def test_a_sliding_box_of_a_bouncy_pair_does_not_tip() -> None:
    """Round-off approach speeds made single corners inactive: at step 47 the box began to rock.

    The stop distance is v²/2μg: v = 1000 μ g dt is a whole number of steps, so it is exact.
    """
    world = tribo.World()
    world.add_ground(material="steel")
    world.set_material_pair("steel", "rubber", friction=0.3, restitution=0.5)
    box = world.add_box((1, 1, 0.5), 2.0, "rubber", position=(0, 0, 0.25), linear_velocity=(2.943, 0, 0))
    for _ in range(11):
        world.step(100)
        assert np.abs(box.angular_velocity).max() < 1e-9
    assert abs(box.position[0] - 2.943**2 / (2 * 0.3 * 9.81)) < 1e-9
    assert np.abs(box.position[1:] - (0.0, 0.25)).max() < 1e-9
