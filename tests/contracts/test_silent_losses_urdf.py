"""Everything in URDF moves or draws something, is said not to be read, or is listed as moving nothing.

The elements and attributes are those of the standard's schema, and of the dialects of Gazebo, PyBullet and
Drake (data/urdf_schema.txt).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.test_silent_losses_mjcf import REFUSED, flat
from lxml import etree

from tribo.checks.errors import DescriptionError
from tribo.formats.urdf import read
from tribo.formats.urdf_unread import GAZEBO_SILENT

SCHEMA = Path(__file__).parents[1] / "data" / "urdf_schema.txt"
DRAKE = "http://drake.mit.edu"
ROBOT = f"""
<robot name="all" version="1.0" xmlns:drake="{DRAKE}">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="a"><inertial><origin xyz="0 0 .1"/><mass value="2"/>
    <inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
    <collision name="c"><geometry><box size="1 1 1"/></geometry></collision>
    <collision><geometry><cylinder radius=".1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius=".1"/></geometry></collision>
    <collision><geometry><capsule radius=".1" length="1"/></geometry></collision>
    <collision><geometry><mesh filename="none.stl"/></geometry></collision>
    <contact><lateral_friction value=".7"/></contact></link>
  <link name="b"><inertial><mass value="2"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/>
    </inertial><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="d"><inertial><mass value="2"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/>
    </inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <dynamics damping="1"/><limit lower="-1" upper="1" effort="5" velocity="5"/></joint>
  <joint name="k" type="revolute"><parent link="b"/><child link="d"/><axis xyz="0 1 0"/>
    <mimic joint="j"/><limit lower="-1" upper="1" effort="5" velocity="5"/></joint>
  <gazebo reference="b"><mu1>.5</mu1></gazebo>
</robot>
"""
MOVES_NOTHING = {  # names, pictures, hints: what is passed over without a word
    "robot@": "name version",
    "link@": "type concave",  # PyBullet's word for exact triangles, which stand here anyway
    "collision@": "name concave",  # shapes are called LINK/number
    "material:": "texture",
    "collision:": "verbose",
    "contact:": "contact_cfm contact_erp friction_anchor",
    "joint:": "calibration hardwareInterface",
    "gazebo:": " ".join(GAZEBO_SILENT),
}
VALUES = ("0.37", "0.1 0.2 0.3", "0.1 0.2 0.3 0.4", "true", "nothing")
INSIDE = {
    "link": "<link name='new'/>", "joint": "<joint name='new' type='odd'/>",
    "visual": "<visual><geometry><box size='2 2 2'/></geometry></visual>",
    "collision": "<collision><geometry><box size='2 2 2'/></geometry></collision>",
    "geometry": "<geometry><box size='2 2 2'/></geometry>", "origin": "<origin xyz='3 0 0'/>",
    "mass": "<mass value='7'/>", "inertia": "<inertia ixx='1'/>", "axis": "<axis xyz='1 0 0'/>",
    "inertial": "<inertial/>", "dynamics": "<dynamics friction='3'/>", "limit": "<limit lower='-.5'/>",
    "mimic": "<mimic joint='none'/>", "parent": "<parent link='none'/>", "child": "<child link='none'/>",
    "color": "<color rgba='0 1 0 1'/>", "contact": "<contact><restitution value='.5'/></contact>",
    "drake:proximity_properties": f"<drake:proximity_properties xmlns:drake='{DRAKE}'>"
    "<drake:mu_dynamic value='.3'/></drake:proximity_properties>",
}  # fmt: skip
CASES = [
    (kind, name)
    for kind, *names in (line.split() for line in SCHEMA.read_text("utf-8").splitlines())
    for name in names
]


def described(root: etree._Element) -> str:
    """Return all that a robot says, its notes included; or what is wrong with it."""
    try:
        tree = read(etree.tostring(root, encoding="unicode"))
    except DescriptionError as error:
        return f"{REFUSED}{error}"
    tree.text = None
    return repr(flat(tree))


@pytest.mark.parametrize(("kind", "name"), CASES, ids=[f"{kind}{name}" for kind, name in CASES])
def test_everything_is_read_or_said_or_listed(kind: str, name: str) -> None:
    root = etree.fromstring(ROBOT)
    before, changed = described(root), False
    for value in VALUES:
        root = etree.fromstring(ROBOT)
        node = root if kind[:-1] == "robot" else root.find(".//" + kind[:-1])
        assert node is not None
        if kind.endswith("@"):
            node.set(name, value)
        else:
            new = etree.fromstring(INSIDE.get(name, f'<{name} name="new" value="{value}">{value}</{name}>'))
            for old in node.findall(name) if ":" not in name and name not in {"link", "joint"} else ():
                node.remove(old)
            node.append(new)
        changed = changed or described(root) != before
    assert changed != (name in MOVES_NOTHING.get(kind, "").split())
