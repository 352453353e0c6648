"""Every attribute of MJCF is read, said not to be read, or listed here as one that moves nothing.

MuJoCo's own schema names the attributes (data/mjcf_schema.txt). Each is written into a scene in which it
matters; then the description of the scene, its notes included, must be another one.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from tribo.checks.errors import DescriptionError
from tribo.formats.mjcf.reading import read

REFUSED = "refused: "
SCHEMA = Path(__file__).parents[1] / "data" / "mjcf_schema.txt"
SCENE = """
<mujoco model="all">
  <compiler angle="radian"/>
  <option><flag/></option>
  <default><general/></default>
  <asset>
    <mesh name="tetra" vertex="0 0 0  .3 0 0  0 .2 0  0 0 .1"/>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 .2 .1" elevation="0 0 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1" pos="0 0 -3"/>
    <geom name="terrain" type="hfield" hfield="hills" pos="9 9 0"/>
    <body name="arm" pos="0 0 1">
      <inertial pos="0 0 .1" mass="1" diaginertia=".02 .03 .04"/>
      <joint name="shoulder" axis="0 1 0" range="-1 1"/>
      <geom name="upper" type="box" size=".1 .2 .3"/>
      <site name="tip" pos=".1 .2 .3"/>
      <body name="hand" pos=".5 0 0">
        <joint name="elbow" axis="0 1 0" range="-2 2"/>
        <geom name="palm" type="mesh" mesh="tetra" mass=".1"/>
        <site name="nail" pos=".2 0 .1"/>
        <geom name="pulley" type="sphere" size=".02" pos="0 .4 0" mass=".1"/>
        <site name="side" pos="0 .5 0"/>
      </body>
    </body>
    <body name="ball" pos="3 0 0"><freejoint name="float"/><geom name="round" size=".1"/><site name="top"/>
    </body>
    <body name="cube" pos="5 0 0"><freejoint/><geom name="edges" type="box" size=".1 .2 .3"/></body>
    <frame name="shelf"><geom name="board" type="box" size=".1 .1 .1" pos="-5 0 0"/></frame>
    <replicate count="2" offset="0 0 .5"><geom name="rung" size=".1" pos="-7 0 0"/></replicate>
  </worldbody>
  <contact><pair name="touching" geom1="upper" geom2="round"/><exclude body1="arm" body2="ball"/></contact>
  <tendon>
    <fixed name="sum" range="-9 9"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="2"/></fixed>
    <spatial name="string" range=".1 9">
      <site site="tip"/><geom geom="pulley" sidesite="side"/><site site="nail"/>
      <pulley divisor="2"/><site site="tip"/><site site="nail"/></spatial>
  </tendon>
  <equality>
    <connect name="pin" body1="ball" body2="cube" anchor="0 0 0"/>
    <weld name="glue" body1="ball" body2="cube"/>
    <joint name="mimic" joint1="elbow" joint2="shoulder"/>
    <tendon name="tied" tendon1="sum" tendon2="string"/>
  </equality>
  <actuator>
    <general name="g" joint="elbow"/><motor name="m" joint="elbow"/><position name="p" joint="elbow"/>
    <velocity name="v" joint="elbow"/><intvelocity name="i" joint="elbow" actrange="-1 1"/>
    <damper name="d" joint="elbow" ctrlrange="0 1"/><cylinder name="c" joint="elbow"/>
    <muscle name="u" joint="elbow"/><adhesion name="a" body="ball" ctrlrange="0 1"/>
  </actuator>
  <sensor>
    <accelerometer name="acc" site="tip"/><gyro name="gyr" site="tip"/>
    <force name="frc" site="nail"/><torque name="trq" site="nail"/>
    <jointpos name="jp" joint="elbow"/><jointvel name="jv" joint="elbow"/>
  </sensor>
  <keyframe><key name="home"/></keyframe>
</mujoco>
"""
# -- what moves nothing, in one place: by element ("*": all), and the attributes ---------------------------
PICTURES = {
    "*": "group rgba material user",
    "geom": "castshadow", "spatial": "width", "tendon": "width rgba", "site": "type size mesh",
    "mesh": "smoothnormal normal texcoord", "compiler": "texturedir discardvisual",
}  # fmt: skip
STORAGE = {  # how MuJoCo keeps or saves a model, and names that only MuJoCo's calls use
    "mujoco": "model",
    "compiler": "conflict fusestatic passthrough savecanonical savecompiled saveinertial usethread",
    "body": "fuse simple sleep", "mesh": "content_type", "hfield": "content_type", "model": "content_type",
    "pair": "name", "exclude": "name", "joint": "name",
}  # fmt: skip
NUMERICS = {  # of solvers that are not here; `o_…` act only with <flag override="enable">, which is said
    "option": "ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations "
    "ls_tolerance noslip_iterations noslip_tolerance sdf_initpoints sdf_iterations sleep_tolerance solver "
    "tolerance o_friction o_margin o_solimp o_solref magnetic",
    "flag": "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd "
    "refsafe sensor sleep speculative warmstart",
}  # fmt: skip
NO_USE = {  # what has no effect in MuJoCo either: noise of sensors, lengths of what is no muscle
    "accelerometer gyro force torque jointpos jointvel": "noise",
    "general motor position velocity intvelocity damper cylinder": "lengthrange",
}  # fmt: skip
DRAWN_SECTIONS = (
    "size", "statistic", "visual", "custom", "asset/skin", "asset/texture", "asset/material",
    "default/texture", "default/material", "default/camera", "default/light", "body/camera", "body/light",
    "deformable/skin", "compiler/lengthrange",
)  # fmt: skip
# Elements that a note calls unread as a whole.
WHOLE = (
    "extension/plugin", "asset/mesh/plugin", "body/plugin", "body/geom/plugin", "body/flexcomp",
    "deformable/flex", "equality/flex", "equality/flexstrain", "actuator/orientation", "actuator/pid",
    "actuator/dcmotor", "actuator/plugin", "sensor/",
)  # fmt: skip
UNREAD_DEFAULTS = ("default/orientation", "default/pid", "default/dcmotor")  # of kinds that are not read
# -- in which surroundings an attribute matters: other attributes of its element, None: without it ---------
CRANK: dict[str, str | None] = {"joint": None, "cranksite": "tip", "slidersite": "nail", "cranklength": "2"}
NO_CRANK = ("joint", "adhesion")
WITH: dict[tuple[str, str], dict[str, str | None]] = {
    ("joint", "springref"): {"stiffness": "5"}, ("joint", "springyield"): {"stiffness": "5"},
    ("fixed", "springlength"): {"stiffness": "5"}, ("spatial", "springlength"): {"stiffness": "5"},
    ("geom", "fitscale"): {"mesh": "tetra", "size": None, "type": "box"},
    ("tendon", "springlength"): {"stiffness": "5"},
    ("general", "actlimited"): {"dyntype": "integrator"}, ("general", "actrange"): {"dyntype": "integrator"},
    ("general", "dynprm"): {"dyntype": "filter"}, ("general", "biasprm"): {"biastype": "affine"},
    ("general", "inheritrange"): {"biastype": "affine", "biasprm": "0 -1 0"},
    ("geom", "hfield"): {"type": "hfield", "size": None},
    ("inertial", "fullinertia"): {"diaginertia": None}, ("site", "fromto"): {"pos": None},
}  # fmt: skip
MESH = ("asset/mesh", {"vertex": None, "file": "folder/none.stl"})
AROUND: dict[tuple[str, str], tuple[str, dict[str, str | None]]] = {  # attributes of another element
    ("compiler", "meshdir"): MESH, ("compiler", "assetdir"): MESH, ("compiler", "strippath"): MESH,
    ("compiler", "balanceinertia"): ("worldbody/body/inertial", {"diaginertia": "1 1 5"}),
    ("compiler", "eulerseq"): ("worldbody/body", {"euler": "0.1 0.2 0.3"}),
    ("compiler", "angle"): ("worldbody/body", {"euler": "0.1 0.2 0.3"}),
    ("compiler", "fitaabb"): (
        "worldbody/body/body/geom", {"type": "box", }
    ),
    ("compiler", "inertiagrouprange"): ("compiler", {"inertiafromgeom": "true"}),
}  # fmt: skip
PLACES = {"geom": "round"}  # which element of a kind is written to
VALUES = (
    "0.37", "0.1 0.7", "-0.5 0.5", "0.1 0.2 0.3", "0.1 0.2 0.3 0.4", "true", "false", "disable", "enable",
    "1 2", "0.1 0.2 0.3 0.9 0.8 0.5", "nothing",
)  # fmt: skip


def flat(item: Any) -> Any:
    """Return a description as plain values, which can be compared."""
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return [type(item).__name__, *(flat(getattr(item, f.name)) for f in dataclasses.fields(item))]
    if isinstance(item, dict):
        return [(flat(key), flat(value)) for key, value in item.items()]
    if isinstance(item, (list, tuple)):
        return [flat(one) for one in item]
    return item.tolist() if isinstance(item, np.ndarray) else item


def described(root: etree._Element) -> str:
    """Return all that a scene says, its notes included; or what is wrong with it."""
    try:
        return repr(flat(read(etree.tostring(root, encoding="unicode"), keyframe="home")))
    except DescriptionError as error:
        return f"{REFUSED}{error}"


def schema() -> list[tuple[str, list[str]]]:
    """Return the elements that MuJoCo knows and their attributes."""
    lines = SCHEMA.read_text("utf-8").splitlines()
    return [(path, names.split()) for path, _, names in (line.partition(":") for line in lines)]


def listed(tag: str, name: str) -> bool:
    """Tell whether an attribute is listed as one that moves nothing."""
    for group in (PICTURES, STORAGE, NUMERICS, NO_USE):
        for tags, names in group.items():
            if (tags == "*" or tag in tags.split()) and name in names.split():
                return True
    return False


def written(path: str, name: str) -> tuple[etree._Element, etree._Element]:
    """Return a scene in which an attribute matters, and the element that takes it."""
    scene = etree.fromstring(SCENE)
    tag = path.rpartition("/")[2]
    if path == "mujoco":
        return scene, scene
    holders = ("fixed", "spatial") if tag == "tendon" else (tag,)
    own = scene.findall("equality/*") if tag == "equality" else [*scene.iter(*holders)]
    own = [one for one in own if one.getparent().tag not in {"sensor", "fixed", "spatial", "default"}]
    taken = [one for one in own if one.get("name") == PLACES.get(tag)] or own
    node = taken[0] if PLACES.get(tag) else scene.find(".//" + path)
    extra = (CRANK if name in CRANK and name != "joint" and tag not in NO_CRANK else {}) | WITH.get(
        (tag, name), {}
    )
    if path.startswith("default/"):
        node = scene.find(path)
        node = etree.SubElement(scene.find("default"), tag) if node is None else node
        for one in own:
            one.attrib.pop(name, None)
        extra = {key: value for key, value in extra.items() if key != name}
    for key, value in AROUND.get((path, name), ("", {}))[1].items():
        change(scene.find(AROUND[path, name][0]), key, value)
    for one in taken if path.startswith("default/") else [node]:
        for key, value in extra.items():
            change(one, key, value)
    return scene, node


def change(node: etree._Element, key: str, value: str | None) -> None:
    """Set an attribute, or take it away (None)."""
    node.attrib.pop(key, None)
    if value is not None:
        node.set(key, value)


def is_told(path: str, name: str) -> bool:
    """Tell whether any of some values changes the description, or is refused by name."""
    scene, node = written(path, name)
    before, old = described(scene), node.get(name, name)
    for value in VALUES:
        node.set(name, value)
        after = described(scene)
        named = any(word in after for word in (name, repr(value), repr(old)))
        if after != before and (before.startswith(REFUSED) or not after.startswith(REFUSED) or named):
            return True
    return False


READ_FROM_FILES = ("asset/model", "body/attach")  # tests/unit/formats/mjcf/test_attach.py
NOT_TRIED = (*DRAWN_SECTIONS, *WHOLE, *UNREAD_DEFAULTS, *READ_FROM_FILES)
ELEMENTS = [(path, names) for path, names in schema() if not path.startswith(NOT_TRIED)]


@pytest.mark.parametrize(("path", "names"), ELEMENTS, ids=[path for path, _ in ELEMENTS])
def test_every_attribute_is_read_or_said(path: str, names: list[str]) -> None:
    tag = path.rpartition("/")[2]
    silent = [name for name in names if not listed(tag, name) and not is_told(path, name)]
    assert not silent, f"<{path}>: {silent} are neither read, nor said, nor listed"


WHOLES = [
    path
    for path, _ in schema()
    if path in WHOLE or (path.rpartition("/")[0] == "sensor" and f"<{path[7:]} " not in SCENE)
]


@pytest.mark.parametrize("path", WHOLES)
def test_elements_that_are_not_read_are_said(path: str) -> None:
    scene = etree.fromstring(SCENE)
    before = described(scene)
    *above, tag = path.split("/")
    node = scene
    for name in above:
        found = node.find(".//" + name)
        node = etree.SubElement(node, name) if found is None else found
    etree.SubElement(node, tag, name="new", objtype="body", objname="arm")
    after = described(scene)
    assert after != before
    assert tag in after


def test_the_schema_has_all_that_the_installed_mujoco_knows() -> None:
    """A newer MuJoCo has new attributes: they come into the file, and are then asked for."""
    found = importlib.util.find_spec("mujoco")
    libraries = [] if found is None or not found.origin else Path(found.origin).parent.glob("libmujoco.so*")
    library = next(iter(libraries), None)
    if library is None:
        pytest.skip("MuJoCo is not installed")
    text = ctypes.create_string_buffer(1 << 20)
    ctypes.CDLL(str(library)).mj_printSchema(None, text, len(text), 0, 0)
    words = {word for word in re.findall(r"[A-Za-z_]\w*", text.value.decode()) if word != "R"}
    known = set(re.findall(r"[A-Za-z_]\w*", SCHEMA.read_text("utf-8"))) | {"world"}
    assert words
    assert words <= known, f"new in MuJoCo: {sorted(words - known)}"
