"""Numbers that no step survives are refused where they are read, with place, value and remedy."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError

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
        ('stiffness="1" springref="1e308"', "springref"),
        ('range="-1e308 1e308"', "range"),
        ('frictionloss="1e16"', "frictionloss"),
        ('ref="1e308"', "ref"),
        ('actuatorfrcrange="-1 1e308"', "actuatorfrcrange"),
    ],
)
def test_mjcf_joints_refuse_what_no_step_survives(joint, what):
    world = tribo.World()
    place = rf"<joint name='elbow'>: {what}='[-e0-9 ]+': numbers must be at most 1e\+15"
    remedy = "leave it out for no limit" if what.endswith("range") else "units are SI"
    with pytest.raises(DescriptionError, match=f"{place} in size; {remedy}"):
        world.load_mjcf(MJCF.format(body="", joint=joint))
    assert len(world.objects) == 0


def test_urdf_joints_refuse_what_no_step_survives():
    world = tribo.World()
    with pytest.raises(DescriptionError, match=r"damping of joint 'elbow' must be at most 1e\+15"):
        world.add_articulated_system(URDF)
    assert len(world.objects) == 0


@pytest.mark.parametrize("what", ["spring_reference", "position"])
def test_joints_from_python_refuse_what_no_step_survives(what):
    base = tribo.LinkDescription("base", 1.0, inertia=np.eye(3))
    arm = base.add_child("arm", "revolute", joint_name="elbow")
    arm.mass, arm.inertia = 1.0, np.eye(3)
    setattr(arm.joint, what, (1e308,) * (3 if what == "position" else 1))
    world = tribo.World()
    with pytest.raises(DescriptionError, match=rf"{what} of joint 'elbow' must be at most 1e\+15"):
        world.add_articulated_system(base)
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


SCENE = """<mujoco>{default}<worldbody><body name="arm" {body}><joint name="elbow" type="hinge"/>
<geom name="skin" size="0.1" {geom}/></body></worldbody><actuator>{actuator}</actuator></mujoco>"""
PLAIN = {"default": "", "body": "", "geom": "", "actuator": ""}
SERVO = '<position name="servo" joint="elbow" {}/>'
INCLUDED = '<mujoco><actuator><motor name="m" joint="elbow" gear="1e308"/></actuator></mujoco>'


@pytest.mark.parametrize(
    ("what", "text", "place"),
    [
        ("actuator", SERVO.format('kp="1e308"'), "<position name='servo'>: kp='1e308'"),
        ("actuator", SERVO.format('kv="1e16"'), "<position name='servo'>: kv='1e16'"),
        ("actuator", SERVO.format('gear="1e308"'), "<position name='servo'>: gear='1e308'"),
        ("actuator", SERVO.format('forcerange="0 1e308"'), "<position name='servo'>: forcerange='0 1e308'"),
        ("actuator", SERVO.format('ctrlrange="-1e99 1"'), "<position name='servo'>: ctrlrange='-1e99 1'"),
        ("actuator", '<general joint="elbow" gainprm="1e308"/>', "<general>: gainprm='1e308'"),
        ("geom", 'friction="1e308"', "<geom name='skin'>: friction='1e308'"),
        ("geom", 'density="1e308"', "<geom name='skin'>: density='1e308'"),
        ("body", 'gravcomp="1e308"', "<body name='arm'>: gravcomp='1e308'"),
        ("default", '<default><joint ref="1e308"/></default>', "<joint name='elbow'>: ref='1e308'"),
        ("default", '<default><general biasprm="1e308"/></default>', "<general>: biasprm='1e308'"),
    ],
)  # fmt: skip
def test_mjcf_refuses_numbers_that_no_step_survives(what, text, place):
    actuator = {} if what == "actuator" else {"actuator": SERVO.format('kp="1"')}
    world = tribo.World()
    with pytest.raises(DescriptionError) as caught:
        world.load_mjcf(SCENE.format(**(PLAIN | actuator | {what: text})))
    assert f"{place}: numbers must be at most 1e+15 in size; " in str(caught.value)
    assert len(world.objects) == 0


def test_files_that_mjcf_includes_are_read_by_the_same_rule(tmp_path):
    (tmp_path / "drives.xml").write_text(INCLUDED)
    path = tmp_path / "scene.xml"
    path.write_text(SCENE.format(**PLAIN).replace("<worldbody>", '<include file="drives.xml"/><worldbody>'))
    with pytest.raises(DescriptionError, match=r"drives.xml:1: <motor name='m'>: gear='1e308': .*1e\+15"):
        tribo.World().load_mjcf(path)


def test_the_largest_number_that_mjcf_may_hold_is_one_that_a_step_survives():
    number = '"1e15"'
    servo = SERVO.format(f'kp={number} kv={number} forcerange="-1e15 1e15"')
    world = tribo.World()
    (arm,) = world.load_mjcf(SCENE.format(**(PLAIN | {"actuator": servo, "geom": 'friction="1e6"'})))
    world.step(3)
    assert abs(arm.generalized_coordinate[0]) < 1e-9
