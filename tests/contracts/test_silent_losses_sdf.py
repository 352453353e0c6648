"""Everything in SDF moves something, is said not to be read, or is listed as moving nothing.

The elements and attributes are those of the descriptions of SDF 1.12, of <surface> in 1.9, and of PyBullet's
<contact> in a link (data/sdf_schema.txt; attributes are in lines with @). The lists of what moves nothing are
`SILENT` and `ATTRIBUTES` in tribo.formats.sdf.unread.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts.test_silent_losses_mjcf import REFUSED, flat
from lxml import etree

from tribo.checks.errors import DescriptionError
from tribo.formats.sdf.reading import read
from tribo.formats.sdf.unread import ATTRIBUTES, BULLET, READ, SAID, SAME, SILENT
from tribo.formats.surface_friction import BULLET_SILENT, BULLET_WORDS

SCHEMA = Path(__file__).parents[1] / "data" / "sdf_schema.txt"
LINES = [line.partition(":")[::2] for line in SCHEMA.read_text("utf-8").splitlines()]
CASES = [(kind, tag) for kind, tags in LINES for tag in tags.split() if not kind.endswith("@")]
NAMED = [(kind[:-1], key) for kind, keys in LINES for key in keys.split() if kind.endswith("@")]
SCENE = """
<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity>
  <physics><max_step_size>0.002</max_step_size></physics>
  <include><uri>model://ground_plane</uri></include>
  <model name="m"><frame name="f"><pose>0 0 0 0 0 0</pose></frame>
    <link name="a"><inertial><mass>2</mass>
      <inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>
      <collision name="box"><geometry><box><size>1 1 1</size></box></geometry><surface>
        <bounce><restitution_coefficient>.5</restitution_coefficient><threshold>.1</threshold></bounce>
        <friction><ode><mu>.5</mu></ode>
          <torsional><coefficient>.5</coefficient><patch_radius>.1</patch_radius></torsional></friction>
        <contact><ode/></contact></surface></collision>
      <collision name="ball"><geometry><sphere><radius>.1</radius></sphere></geometry>
        <surface><friction><bullet><friction>.5</friction></bullet></friction></surface></collision>
      <collision name="c1"><geometry><capsule><radius>.1</radius><length>1</length></capsule></geometry>
      </collision>
      <collision name="c2"><geometry><cone><radius>.1</radius><length>1</length></cone></geometry></collision>
      <collision name="c3"><geometry><cylinder><radius>.1</radius><length>1</length></cylinder></geometry>
      </collision>
      <collision name="e"><geometry><ellipsoid><radii>.1 .2 .3</radii></ellipsoid></geometry></collision>
      <collision name="t"><geometry><mesh><uri>none.stl</uri></mesh></geometry></collision></link>
    <link name="b"/><link name="c"><contact/>
      <collision name="d"><geometry><sphere><radius>.1</radius></sphere></geometry></collision></link>
    <joint name="j" type="universal"><parent>a</parent><child>b</child>
      <axis><xyz>0 1 0</xyz><limit><upper>1</upper></limit>
        <dynamics><spring_stiffness>5</spring_stiffness></dynamics></axis>
      <axis2><xyz>1 0 0</xyz></axis2></joint>
    <joint name="k" type="revolute"><parent>b</parent><child>c</child>
      <axis><xyz>0 1 0</xyz><mimic joint="j"><multiplier>2</multiplier></mimic></axis></joint></model>
  <model name="ground"><static>1</static><link name="l"><collision name="p"><geometry><plane>
    <normal>0 0 1</normal></plane></geometry></collision></link></model>
</world></sdf>
"""
PLACED = '<model name="m"><pose>0 0 1 0 .5 0</pose>'
ATTRIBUTED = SCENE.replace('<model name="m">', PLACED).replace(
    '<link name="b"/>',
    """<link name="b"><pose>0 0 0 0 .5 0</pose>
  <visual name="v"><geometry><sphere><radius>.2</radius></sphere></geometry></visual>
  <inertial><mass>3</mass></inertial>
  <collision name="o"><density>7</density>
  <geometry><sphere><radius>.2</radius></sphere></geometry></collision></link>""",
)
VALUES = ("0.37", "0.1 0.2 0.3", "0.1 0.2 0.3 0.4 0.5 0.6", "false", "true", "nothing")
INSIDE = {  # of what has no value of its own: something in it
    "inertia": "<ixx>2</ixx>", "plane": "<normal>1 0 0</normal>", "empty": "", "light": "",
    "mesh": "<uri>other.stl</uri>", "axis": "<xyz>0 0 1</xyz>", "axis2": "<xyz>0 0 1</xyz>",
    "limit": "<upper>.3</upper>", "dynamics": "<damping>3</damping>",
    "physics": "<max_step_size>.1</max_step_size>",
    "model": "<link name='x'/>", "include": "<uri>model://sun</uri>", "inertial": "<mass>3</mass>",
    "bounce": "<restitution_coefficient>.2</restitution_coefficient><threshold>.1</threshold>",
    "torsional": "<coefficient>.7</coefficient><patch_radius>.3</patch_radius>",
    "mimic": "<multiplier>3</multiplier>", "ode": "<mu>.9</mu><kp>7</kp>",
    "bullet": "<friction>.3</friction>",
    "friction": "<ode><mu>.7</mu></ode>", "surface": "<friction><ode><mu>.7</mu></ode></friction>",
    "collision": "<geometry><sphere><radius>1</radius></sphere></geometry>",
    "visual": "<geometry><sphere><radius>1</radius></sphere></geometry>",
    "geometry": "<sphere><radius>1</radius></sphere>", "box": "<size>2 2 2</size>",
    "capsule": "<radius>2</radius><length>2</length>", "cone": "<radius>2</radius><length>2</length>",
    "cylinder": "<radius>2</radius><length>2</length>", "ellipsoid": "<radii>2 2 2</radii>",
    "sphere": "<radius>2</radius>", "frame": "<pose>1 0 0 0 0 0</pose>", "contact": "<kp>3</kp>",
}  # fmt: skip


def described(root: etree._Element) -> str:
    """Return all that a scene says, its notes included; or what is wrong with it."""
    try:
        return repr(flat(read(etree.tostring(root, encoding="unicode"))[0]))
    except DescriptionError as error:
        return f"{REFUSED}{error}"


def variants(kind: str, tag: str) -> list[etree._Element]:
    """Return an element with some values, or with something in it."""
    if tag in INSIDE and kind != "dynamics":
        return [etree.fromstring(f'<{tag} name="new">{INSIDE[tag]}</{tag}>')]
    made = [etree.Element(tag, name="new") for _ in VALUES]
    for one, value in zip(made, VALUES, strict=True):
        one.text = value
    return made


def place(root: etree._Element, kind: str) -> etree._Element:
    """Return the element of a kind that takes another one."""
    found = root if kind == "sdf" else root.find(".//" + kind)
    assert found is not None
    return found


ELSEWHERE = {  # what matters together with something else only, and has a test of its own in test_sdf.py
    ("model", "frame"),  # test_poses_are_relative_to_frames
    ("collision", "density"),  # test_a_mass_from_densities
    ("inertial", "density"),
    ("friction", "bullet"),  # counts where there is no <ode>: see friction/bullet
}
CASES = [case for case in CASES if case not in ELSEWHERE]


@pytest.mark.parametrize(("kind", "tag"), CASES, ids=[f"{kind}-{tag}" for kind, tag in CASES])
def test_every_element_is_read_or_said_or_listed(kind: str, tag: str) -> None:
    table = SAME.get(kind, kind)
    tables = (READ.get(table, ""), SILENT.get(table, ""))
    if kind == BULLET:
        tables = (" ".join(BULLET_WORDS), " ".join(BULLET_SILENT))
    assert any(tag in words.split() for words in tables) or tag in SAID.get(table, {})
    root = etree.fromstring(SCENE)
    before = described(root)
    found = place(root, kind)
    changed = False
    for new in variants(kind, tag):
        root = etree.fromstring(SCENE)
        found = place(root, kind)
        for old in found.findall(tag) if tag not in MANY else ():
            found.remove(old)
        if kind == "geometry":
            for old in list(found):
                found.remove(old)
        found.append(new)
        after = described(root)
        changed = changed or after != before
    is_silent = tag in SILENT.get(table, "").split() or tag in ENGINES
    assert changed != is_silent


ENGINES = ("contact_cfm", "contact_erp", "friction_anchor")  # settings of PyBullet's solver
WORDS = (
    "true", "quat_xyzw", "convex_hull", "axis2", "f", "j", "prismatic", "nothing", "1.4", "other",
)  # fmt: skip
APART = {  # what matters together with something else only, and has a test of its own in test_sdf.py
    ("include", "merge"),  # test_models_are_included_and_nested
    ("model", "canonical_link"),  # test_a_frame_is_attached_to_the_canonical_link
    ("frame", "name"),  # test_poses_are_relative_to_frames
    ("frame", "attached_to"),
    ("physics", "default"),  # test_the_default_profile_of_physics_counts
}


@pytest.mark.parametrize(("kind", "key"), NAMED, ids=[f"{kind}@{key}" for kind, key in NAMED])
def test_every_attribute_is_read_or_listed(kind: str, key: str) -> None:
    read_ones, _, silent = ATTRIBUTES[kind].partition(";")
    assert (key in read_ones.split()) != (key in silent.split())
    changed = False
    for word in WORDS:
        root = etree.fromstring(ATTRIBUTED)
        before = described(root)
        place(root, kind).set(key, word)
        changed = changed or described(root) != before
    assert changed or key in silent.split() or (kind, key) in APART
    assert not (changed and key in silent.split())


def test_an_unknown_attribute_is_said() -> None:
    for kind in ATTRIBUTES:
        root = etree.fromstring(ATTRIBUTED)
        place(root, kind).set("odd", "1")
        assert f"<{kind}" in described(root), kind
        assert "unknown attribute 'odd'" in described(root), kind


MANY = ("link", "joint", "model", "include", "collision", "visual", "frame", "plugin", "sensor")


def test_nothing_is_in_two_tables() -> None:
    for kind in READ:
        words = [*READ[kind].split(), *SILENT.get(kind, "").split(), *SAID.get(kind, {})]
        assert len(words) == len(set(words)), kind
    assert SILENT.keys() | SAID.keys() <= READ.keys()
