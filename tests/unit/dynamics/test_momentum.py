"""Which trees the user has set since the last step."""

from scenes import empty_world


def test_a_tree_is_noted_in_the_step_after_it_was_set():
    world = empty_world()
    balls = [world.add_sphere(0.1, 1.0, position=(k, 0, 1), angular_velocity=(1, 2, 3)) for k in range(3)]
    world.step(2)
    noted = world.engine.work.tree_was_set
    assert not noted.any()
    balls[1].linear_velocity = (0, 0, 1)
    balls[2].position = (5, 0, 1)
    world.step()
    assert noted.tolist() == [0, 1, 1]
    world.step()
    assert not noted.any()
