"""Numbers of a URDF that are hardly meant are remarked on, and others are not."""

import logging

import pytest

import tribo

ROBOT = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><mass value="{mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 2" rpy="{roll} 0 0"/>
<geometry><box size="{size} 0.1 0.1"/></geometry></collision></link>
<joint name="hip" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-{stop}" upper="{stop}" effort="1" velocity="1"/></joint></robot>"""
MEANT = {"mass": 1, "size": 1, "stop": 1.5, "roll": 6.2832}
REMARKS = [
    ({"mass": 0.01}, "a placeholder, or other units?"),
    ({"size": 500}, "500 m long; millimetres?"),
    ({"stop": 90}, "stops at -90 and 90 rad; degrees?"),
    ({"roll": 90}, "rpy='90 0 0' are more than two turns; degrees?"),
]


def said(caplog, **changed):
    with caplog.at_level(logging.INFO, "tribo"):
        tribo.World().add_articulated_system(ROBOT.format(**MEANT | changed), fixed_base=True)
    return caplog.text


def test_what_may_be_meant_is_not_remarked_on(caplog):
    assert "?" not in said(caplog)


@pytest.mark.parametrize(("changed", "remark"), REMARKS)
def test_what_is_hardly_meant_is_remarked_on(caplog, changed, remark):
    assert remark in said(caplog, **changed)
