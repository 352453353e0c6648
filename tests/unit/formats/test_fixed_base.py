"""A robot whose file lets it float can stand fixed where it is added."""

import numpy as np
import pytest
from robots import robot_folder
from scenes import QUADRUPED

import tribo
from tribo.description.trees import DescriptionError

SOLID = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ARM = f"""<robot name="arm">
<link name="link0">{SOLID}<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="link1">{SOLID}</link><link name="hand">{SOLID}</link>
<joint name="joint1" type="revolute"><parent link="link0"/><child link="link1"/><origin xyz="0 0 0.3"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="80" velocity="2"/></joint>
<joint name="joint2" type="fixed"><parent link="link1"/><child link="hand"/><origin xyz="0.4 0 0"/></joint>
</robot>"""
HALF = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))


def test_an_arm_floats_by_default_and_stands_when_asked_to():
    world = tribo.World()
    loose = world.add_articulated_system(ARM, position=(0, 0, 5))
    fixed = world.add_articulated_system(ARM, fixed_base=True, position=(1, 2, 0.5), orientation=HALF)
    assert (loose.dof, fixed.dof) == (7, 1)
    assert (loose.is_floating, fixed.is_floating) == (True, False)
    assert fixed.body_names == loose.body_names == ("link0", "link1")
    assert fixed.joint_names == ("joint1",)
    world.step(200)
    assert loose.position[2] < 5.0
    np.testing.assert_array_equal(fixed.position, (1, 2, 0.5))
    np.testing.assert_allclose(fixed.orientation, HALF, atol=1e-15)
    angle = fixed.joint("joint1").coordinate
    assert angle > 0.01  # it falls about its hinge
    np.testing.assert_allclose(
        fixed.frame("hand").position, (1, 2 + 0.4 * np.cos(angle), 0.8 - 0.4 * np.sin(angle)), atol=1e-12
    )


def test_it_moves_as_one_whose_file_fixes_it():
    mount = '<link name="world"/><joint name="mount" type="fixed"><parent link="world"/>'
    mount += '<child link="link0"/></joint>'
    robots = [
        tribo.World().add_articulated_system(ARM, fixed_base=True),
        tribo.World().add_articulated_system(ARM, modules=[mount]),
    ]
    for robot in robots:
        robot.world.step(50)
    for name in ("generalized_coordinate", "generalized_velocity", "mass_matrix"):
        np.testing.assert_array_equal(getattr(robots[0], name), getattr(robots[1], name))


def test_the_quadruped_on_a_stand_keeps_its_joints():
    world = tribo.World()
    free = world.add_articulated_system(QUADRUPED)
    stand = world.add_articulated_system(QUADRUPED, fixed_base=True, position=(2, 0, 1))
    assert stand.dof == free.dof - 6
    assert stand.joint_names == free.joint_names
    np.testing.assert_allclose(stand.mass_matrix, free.mass_matrix[6:, 6:], rtol=1e-12, atol=1e-15)


def test_a_panda():
    file = robot_folder() / "panda_description/urdf/panda.urdf"
    world = tribo.World()
    free = world.add_articulated_system(file, collision_meshes="none")
    fixed = world.add_articulated_system(file, collision_meshes="none", fixed_base=True)
    assert fixed.dof == free.dof - 6
    assert fixed.body_names == free.body_names


def test_mjcf_stands_where_its_file_draws_it():
    text = """<mujoco><worldbody><body name="cart" pos="0 0 0.2" quat="0.6 0 0 0.8"><freejoint/>
      <geom type="box" size="0.2 0.1 0.1"/><body name="pole" pos="0 0 0.1"><joint name="hinge" axis="0 1 0"/>
      <geom size="0.05" pos="0 0 0.5"/></body></body></worldbody>
      <keyframe><key name="tilted" qpos="0 0 0.2 1 0 0 0 0.3"/></keyframe></mujoco>"""
    robot = tribo.World().add_articulated_system(text, fixed_base=True)
    assert robot.dof == 1
    np.testing.assert_allclose(robot.position, (0, 0, 0.2))
    np.testing.assert_allclose(robot.orientation, (0.6, 0, 0, 0.8))
    assert robot.description.keyframes == {"tilted": (0.3,)}
    there = tribo.World().add_articulated_system(text, fixed_base=True, position=(1, 0, 0))
    np.testing.assert_array_equal(there.position, (1, 0, 0))


def test_loops_of_a_file_stay_closed():
    text = ARM.replace(
        "</robot>",
        '<constraints nominal_config="0 0 0 1 0 0 0 0.2"><pin name="tie" body1="link0" body2="link1" '
        'anchor="0 0 0.3"/></constraints></robot>',
    )
    robot = tribo.World().add_articulated_system(text, fixed_base=True)
    assert robot.description.closed == (0.2,)
    assert len(robot.world.constraints) == 1


def test_a_python_robot_is_not_changed_by_it():
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    world = tribo.World()
    assert world.add_articulated_system(root, fixed_base=True).dof == 0
    assert world.add_articulated_system(root).dof == 6


def test_what_is_fixed_already_cannot_float():
    root = tribo.LinkDescription("base", mass=1.0, inertia=np.eye(3))
    root.fix_to_world()
    world = tribo.World()
    with pytest.raises(DescriptionError, match=r"fixed_base=False: the root 'base' is fixed"):
        world.add_articulated_system(root, fixed_base=False)
    assert world.objects == ()
    assert not world.add_articulated_system(root, fixed_base=True).is_floating
    assert world.add_articulated_system(ARM, fixed_base=False).is_floating
    with pytest.raises(TypeError, match="fixed_base must be True or False"):
        world.add_articulated_system(ARM, fixed_base="yes")


def test_it_is_saved_with_its_world(tmp_path):
    world = tribo.World()
    robot = world.add_articulated_system(
        ARM, name="arm", fixed_base=True, position=(1, 2, 3), orientation=HALF
    )
    robot.generalized_coordinate = [0.3]
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")["arm"]
    assert again.body_names == robot.body_names
    np.testing.assert_array_equal(again.position, robot.position)
    np.testing.assert_allclose(again.orientation, robot.orientation, atol=1e-15)
    np.testing.assert_array_equal(again.generalized_coordinate, [0.3])
