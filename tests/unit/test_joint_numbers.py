"""Numbers of joints that no step survives are refused where they are read, with joint, value and remedy."""

import pytest

import tribo
from tribo.description import DescriptionError

MJCF = """<mujoco><worldbody><body name="arm" {body}><joint name="elbow" type="hinge" {joint}/>
<geom size="0.1"/></body></worldbody></mujoco>"""
URDF = """<robot name="r"><link name="world"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>
<dynamics damping="1e308"/></joint></robot>"""


@pytest.mark.parametrize(
    ("joint", "what"),
    [
        ('damping="1e308"', "damping"),
        ('armature="1e300"', "armature"),
        ('stiffness="1e20"', "stiffness"),
        ('stiffness="1" springref="1e308"', "spring_reference"),
    ],
)
def test_mjcf_joints_refuse_what_no_step_survives(joint, what):
    world = tribo.World()
    with pytest.raises(DescriptionError, match=rf"{what} of joint 'elbow' must be at most 1e\+15"):
        world.load_mjcf(MJCF.format(body="", joint=joint))
    assert len(world.objects) == 0


def test_urdf_joints_refuse_what_no_step_survives():
    world = tribo.World()
    with pytest.raises(DescriptionError, match=r"damping of joint 'elbow' must be at most 1e\+15"):
        world.add_articulated_system(URDF)
    assert len(world.objects) == 0


@pytest.mark.parametrize(
    ("equality", "what"),
    [
        ('<connect body1="arm" anchor="1e308 0 0"/>', "anchor"),
        ('<joint joint1="elbow" joint2="wrist" polycoef="0 1e308 0 0 0"/>', "polycoef"),
    ],
)
def test_mjcf_equalities_refuse_what_no_step_survives(equality, what):
    text = """<mujoco><worldbody><body name="arm"><joint name="elbow" type="hinge"/><geom size="0.1"/>
    <body name="hand"><joint name="wrist" type="hinge"/><geom size="0.1"/></body></body></worldbody>
    <equality>%s</equality></mujoco>"""
    world = tribo.World()
    with pytest.raises(DescriptionError, match=rf"{what}=.*at most 1e\+15"):
        world.load_mjcf(text % equality)
    assert len(world.objects) == 0
