"""Vectors that are shorter than they could be: what they leave out is what the default class says."""

import pytest

from tribo.formats import mjcf


def only_tree(bodies, *sections):
    text = f"<mujoco>{''.join(sections)}<worldbody>{bodies}</worldbody></mujoco>"
    (made,) = (item.tree for item in mjcf.read(text).objects if item.tree is not None)
    return made


def test_a_short_friction_keeps_what_its_class_says():
    """With MuJoCo's standard behind it instead, it would be 0.9, 0.005, 0.0001."""
    default = '<default><geom friction=".7 .1 .2"/></default>'
    made = only_tree('<body><freejoint/><geom size="1" friction=".9"/></body>', default)
    assert made.bodies[0].shapes[0].material == "mjcf 0.9 0.1 0.2 condim 3"


def test_a_class_within_a_class_and_an_element_each_change_the_first_numbers_only():
    default = (
        '<default><geom friction=".7 .1 .2"/><default class="leg"><geom friction=".6 .3"/></default>'
        "</default>"
    )
    made = only_tree('<body><freejoint/><geom class="leg" size="1" friction=".9"/></body>', default)
    assert made.bodies[0].shapes[0].material == "mjcf 0.9 0.3 0.2 condim 3"


def test_a_short_size_keeps_what_its_class_says():
    default = '<default><geom type="box" size="1 2 3"/></default>'
    made = only_tree('<body><freejoint/><geom size="4"/></body>', default)
    assert made.bodies[0].shapes[0].size == (4.0, 2.0, 3.0)


def test_a_short_friction_of_a_pair_keeps_what_its_class_says():
    default = '<default><pair condim="6" friction="1 1 .3 .4 .4"/></default>'
    bodies = '<geom name="f" type="plane" size="1 1 1"/><body><freejoint/><geom name="b" size="1"/></body>'
    pair = '<contact><pair geom1="f" geom2="b" friction=".5 .5"/></contact>'
    scene = mjcf.read(f"<mujoco>{default}{pair}<worldbody>{bodies}</worldbody></mujoco>")
    (law,) = (law for names, law in scene.pairs.items() if names[0] != names[1])
    assert (law.friction, law.spinning_length, law.rolling_length) == (0.5, 0.3, 0.4)


def test_a_short_polynomial_of_an_equality_keeps_what_its_class_says():
    default = '<default><equality polycoef="0.1 3 0 0 0"/></default>'
    bodies = '<body><joint name="a"/><geom size="1"/><body><joint name="b"/><geom size="1"/></body></body>'
    tie = '<equality><joint joint1="b" joint2="a" polycoef="0.2"/></equality>'
    assert only_tree(bodies, default, tie).bodies[2].joint.mimic == ("a", 3.0, 0.2)


@pytest.mark.parametrize(
    ("own", "gain", "bias"),
    [('biasprm="1"', 5.0, (1.0, -5.0, -2.0)), ('gainprm="6"', 6.0, (0.0, -5.0, -2.0))],
)
def test_short_numbers_of_an_actuator_keep_what_its_class_says(own, gain, bias):
    default = '<default><general biastype="affine" gainprm="5" biasprm="0 -5 -2"/></default>'
    act = f'<actuator><general joint="a" {own}/></actuator>'
    made = only_tree('<body><joint name="a"/><geom size="1"/></body>', default, act)
    assert (made.actuators[0].gain, made.actuators[0].bias) == (gain, bias)
