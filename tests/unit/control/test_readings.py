"""C and D of what a state alone determines: exact, and as differences of the same numbers are."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo import identification
from tribo.control import Reading
from tribo.tools.demo import ASSETS

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from linearize import TOLERANCE, random_tree

OF_A_FRAME = ("position", "orientation", "velocity", "angular_velocity", "gyro")


def moving(seed):
    """A floating robot with hinges, slides and balls, and a box that tumbles."""
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.002)
    world.tolerance = TOLERANCE
    root = random_tree(generator, floats=True)
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 1))
    q = np.array(robot.generalized_coordinate)
    q[3:7] = tribo.quaternion(rpy=(0.3, -0.5, 0.9))
    robot.generalized_coordinate = q
    robot.generalized_velocity = generator.normal(size=robot.dof)
    box = world.add_box((0.1, 0.2, 0.3), 1.0, name="box", position=(3, 0, 1))
    box.angular_velocity, box.linear_velocity = (3, 2, -1), (1, 2, 3)
    world.step(2)
    return world, robot


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_frames_and_bodies_are_read_exactly(seed, steps):
    world, robot = moving(seed)
    last = robot.frame_names[-1]
    outputs = [Reading("robot", one, last) for one in OF_A_FRAME] + [
        Reading("box", one) for one in OF_A_FRAME
    ]
    outputs += [Reading("robot", "coordinate"), Reading("box", "rate")]
    given = {"outputs": outputs, "steps": steps, "controls": ("force", "wrench")}
    found = tribo.linearize(world, **given)
    moved = tribo.linearize(world, method="differences", step=1e-5, **given)
    assert (found.method, found.obstacle) == ("exact", "")
    assert len(found.output_names) == len(found.C) == 30 + robot.dof + 6
    assert np.abs(found.C[:30]).max(axis=1).min() > 0.0
    for one, other in ((found.C, moved.C), (found.D, moved.D)):
        assert np.allclose(one, other, rtol=0, atol=2e-9 * max(1.0, np.abs(other).max()))


def test_a_turned_gyroscope_reads_the_other_axis():
    world = tribo.World(gravity=(0, 0, 0))
    ball = world.add_sphere(0.1, mass=1.0, name="ball")
    ball.angular_velocity = (0.0, 0.0, 5.0)
    found = tribo.linearize(world, outputs=Reading("ball", "gyro"), controls="wrench")
    # Turned by δ about world x after a turn about z it sees ω_z δ along its y, turned back by that turn.
    turn = 5.0 * world.time_step
    got = [found.of(f"gyro/ball/{axis}", "q/ball/rx") for axis in "xyz"]
    assert np.allclose(got, [0.0, 5.0, 0.0], rtol=0, atol=1e-9)
    assert found.of("gyro/ball/x", "v/ball/wx") == pytest.approx(np.cos(turn), rel=1e-4)


def test_a_length_moves_what_is_read_besides_the_state():
    world = tribo.World(time_step=0.002)
    root = tribo.LinkDescription("base")
    root.fix_to_world()
    arm = root.add_child("arm", "revolute", axis=(0, 1, 0), position=(0, 0, -0.4), joint_name="elbow")
    arm.add_shape("box", (0.1, 0.1, 0.4), mass=1.0, position=(0, 0, -0.2), collides=False)
    robot = world.add_articulated_system(root, name="robot", position=(0, 0, 2))
    robot.generalized_coordinate = [0.3]
    length = identification.joint("robot", "elbow", distance=(0.1, 0.9))
    found = tribo.linearize(world, parameters=length, outputs=Reading("robot", "position", "arm"))
    assert found.method == "exact, parameters by differences"
    assert "besides the state" in found.obstacle
    assert np.allclose(found.F[:, 0], (0.0, 0.0, -1.0), rtol=0, atol=1e-9)


def test_readings_are_checked():
    world = tribo.World()
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 1))
    world.add_sphere(0.1, mass=1.0, name="ball", position=(2, 0, 1))
    with pytest.raises(ValueError, match="quantity"):
        Reading("dog", "place", "LF_FOOT")
    with pytest.raises(KeyError, match="LF_FOOT"):
        tribo.linearize(world, outputs=Reading("dog", "position", "LF_FOT"))
    with pytest.raises(KeyError, match="dog"):
        tribo.linearize(world, outputs=Reading("dgo", "position", "LF_FOOT"))
    with pytest.raises(ValueError, match="name the frame"):
        tribo.linearize(world, outputs=Reading("dog", "position"))
    with pytest.raises(ValueError, match="of no frame"):
        tribo.linearize(world, outputs=Reading("ball", "position", "LF_FOOT"))
    with pytest.raises(ValueError, match="none of the objects"):
        tribo.linearize(world, outputs=Reading("ball", "position"), objects=["dog"])
    with pytest.raises(TypeError, match="Reading"):
        tribo.linearize(world, outputs=[Reading("ball", "position"), "LF_FOOT"])
    del dog
