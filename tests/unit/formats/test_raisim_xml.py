"""RaiSim's world files: the examples of its manual as printed, templates, defects, round trip."""

import dataclasses
import math
import pathlib
import shutil

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError, ObjectDescription, WorldDescription
from tribo.formats import raisim_template, raisim_xml, substitution
from tribo.materials.table import PairProperties
from tribo.model import Kind

DATA = pathlib.Path(__file__).parents[2] / "data"


def world(*parts):
    return '<raisim version="2.0.0">\n' + "\n".join(parts) + "\n</raisim>"


def objects(*parts):
    return world("<objects>", *parts, "</objects>")


def ball(more="", dim='<dim radius="0.5"/>', name="ball"):
    return f'<sphere name="{name}" mass="1" {more}>{dim}</sphere>'


@pytest.mark.parametrize(("version", "rolling"), [("2_0", (0.0, 0.0)), ("2_3", (0.02, 0.01))])
def test_single_bodies_of_the_manual(version, rolling):
    made = raisim_xml.read(DATA / f"raisim_materials_{version}.xml", strict=True)
    assert made.time_step == 0.001
    assert made.gravity == (0.0, 0.0, -9.81)
    assert made.notes == []
    ground, steel, rubber, copper = made.objects
    assert (ground.type, ground.name, ground.material, ground.size, ground.kind) == (
        "ground",
        "ground",
        "steel",
        (0.0,),
        Kind.STATIC,
    )
    assert [item.name for item in (steel, rubber, copper)] == [
        "sphere_steel",
        "sphere_rubber",
        "sphere_copper",
    ]
    assert [item.material for item in (steel, rubber, copper)] == ["steel", "rubber", "copper"]
    assert [item.position[0] for item in (steel, rubber, copper)] == [-2.0, 0.0, 2.0]
    for item in (steel, rubber, copper):
        assert (item.type, item.size, item.mass, item.kind) == ("sphere", (0.5,), 1.0, Kind.DYNAMIC)
        assert item.position[1:] == (0.0, 5.0)
        assert item.quaternion == (1.0, 0.0, 0.0, 0.0)
        assert item.group is None
        assert item.mask is None
    assert made.default_pair == PairProperties(0.8, 0.0, 0.0)
    assert set(made.pairs) == {("steel", "steel"), ("rubber", "steel"), ("copper", "steel")}
    steel_steel = made.pairs["steel", "steel"]
    assert (steel_steel.restitution, steel_steel.restitution_threshold) == (0.95, 0.001)
    assert (steel_steel.rolling_friction, steel_steel.spinning_friction) == rolling
    assert made.pairs["rubber", "steel"].restitution == 0.15
    assert made.pairs["copper", "steel"].restitution == 0.65
    assert made.camera == {"follow": "anymal", "x": "1", "y": "1", "z": "1"}


def test_material_block_of_the_manual(tmp_path):
    block = (DATA / "raisim_material_block.xml").read_text()
    pair = PairProperties(1.0, 0.0, 0.0, 1.0, 1e-3, 0.05, 0.02)
    assert raisim_xml.read(world(block), strict=True).pairs == {("ball", "ground"): pair}
    file = tmp_path / "materials.xml"
    for text in (block, block.replace("material>", "materials>"), world(block)):
        file.write_text(text)
        default, pairs, _ = raisim_xml.read_materials(file)
        assert (default, pairs) == (PairProperties(0.8), {("ball", "ground"): pair})
    file.write_text("<raisim/>")
    with pytest.raises(DescriptionError, match="holds no materials"):
        raisim_xml.read_materials(file)


def test_what_a_file_gives_is_told_from_standard_values(tmp_path):
    """`explain_pair` called all eleven values "set for this pair", whatever the file had."""
    line = '<pair_prop name1="ice" name2="shoe" friction="0.1" restitution="0"/>'
    file = tmp_path / "world.xml"
    file.write_text(world(f'<material><default friction="0.8"/>{line}</material>'))
    other = tribo.World()
    other.load_materials(file)
    for made in (tribo.World.load(file), other):
        said = made.explain_pair("shoe", "ice").origin
        assert said["friction"] == said["restitution"] == f"{file}:2: <pair_prop>"
        assert said["damping"] == "standard value (not in the file)"
        assert said["static_friction"] == "equal to friction (not in the file)"


CAMEL = """<raisim Version="1.0"><timeStep value="0.002"/><gravity value="0, 0, -1"/>
<erp erp="0.1" erp2="0.002"/>
<objects>
<box name="b" mass="2" bodyType="kinematic" collisionGroup="collision[1|4|6]" collisionMask="-1"
     com="0.1 0 0" appearance="red">
  <dim x="1" y="2" z="3"/>
  <inertia xx="1" xy="0.1" xz="0" yy="2" yz="0" zz="2.5"/>
  <state pos="1 2 3" quat="0 0 0 1" linVel="1 0 0" angVel="0 0 2"/>
</box>
<capsule name="c" mass="1" collisionMask="collision[63]"><dim radius="0.1" height="0.4"/></capsule>
<cylinder name="d" bodyType="static"><dim radius="0.1" height="0.4"/></cylinder>
</objects></raisim>"""
SNAKE = (
    CAMEL.replace("timeStep", "time_step").replace("bodyType", "body_type").replace("Version", "version")
    .replace("collisionGroup", "collision_group").replace("collisionMask", "collision_mask")
    .replace("linVel", "lin_vel").replace("angVel", "ang_vel")
)  # fmt: skip


@pytest.mark.parametrize("text", [CAMEL, SNAKE], ids=["camelCase", "snake_case"])
def test_both_spellings(text):
    made = raisim_xml.read(text, strict=True)
    assert (made.time_step, made.gravity) == (0.002, (0.0, 0.0, -1.0))
    assert (made.erp, made.erp2) == (0.1, 0.002)
    box, capsule, cylinder = made.objects
    assert (box.kind, box.size, box.com) == (Kind.KINEMATIC, (1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
    assert (box.group, box.mask) == (2 | 16 | 64, -1)
    assert box.inertia.tolist() == [[1.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 2.5]]
    assert (box.linear_velocity, box.angular_velocity) == ((1.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    assert box.quaternion == (0.0, 0.0, 0.0, 1.0)
    assert (capsule.size, capsule.mask) == ((0.1, 0.4), -(2**63))
    assert cylinder.kind == Kind.STATIC


def test_template_of_the_manual():
    text = objects(
        '<array idx="@@idx" start="0" end="@@count" increment="1">',
        '<sphere name="sphere_@@idx" mass="1" exist="@@spawn">',
        '<dim radius="{0.5+@@idx*0.001}"/>',
        '<state pos="{cos(0.1*@@idx)*(@@idx*0.2+0.1)} {-@@height} {@@height+@@idx*1.0}"/></sphere>',
        '<box name="box_@@idx_left" mass="1" exist="{1-@@spawn}"><dim x="1" y="1" z="1"/></box>',
        "</array>",
    )
    values = {"count": 2, "@@spawn": 1, "height": -1.5}
    made = raisim_xml.read(text, parameters=values).objects
    assert [item.name for item in made] == ["sphere_0", "sphere_1", "sphere_2"]
    assert [item.size for item in made] == [(0.5,), (0.501,), (0.502,)]
    assert made[2].position == (math.cos(0.1 * 2.0) * (2 * 0.2 + 0.1), 1.5, -1.5 + 2.0)
    made = raisim_xml.read(text, parameters={**values, "spawn": 0}).objects
    assert [item.name for item in made] == ["box_0_left", "box_1_left", "box_2_left"]
    with pytest.raises(DescriptionError, match=r"@@count has no value; define it in <params>"):
        raisim_xml.read(text)


def test_arrays_nest_and_params_build_on_each_other():
    made = raisim_xml.read(
        world(
            '<params><n value="2"/><step value="{@@n*0.25}"/></params>',
            "<objects>",
            '<array idx="i" start="1" end="3" increment="@@n">',
            '<array idx="@@j" start="0" end="@@i" increment="1">',
            '<ground name="g@@i@@j" height="{@@i*@@step+@@j}"/>',
            "</array></array></objects>",
        )
    )
    names = ["g10", "g11", "g30", "g31", "g32", "g33"]
    assert [item.name for item in made.objects] == names
    assert made.objects[4].size == (3.5,)


def test_classes():
    made = raisim_xml.read(
        world(
            "<objectClass>",
            '<bigBall type="sphere" mass="3" material="steel" com="0 0 0.1">',
            '<dimension radius="2"/><inertia xx="1" xy="0" xz="0" yy="1" yz="0" zz="1"/></bigBall>',
            "</objectClass>",
            '<objects><bigBall name="x"><state pos="0 0 9"/></bigBall>',
            '<bigBall name="y" material="ice"><dim radius="1"/></bigBall></objects>',
        ),
        strict=True,
    )
    x, y = made.objects
    assert (x.type, x.mass, x.material, x.size, x.com) == ("sphere", 3.0, "steel", (2.0,), (0.0, 0.0, 0.1))
    assert x.position == (0.0, 0.0, 9.0)
    assert (y.material, y.size, y.mass) == ("ice", (1.0,), 3.0)


def test_includes_come_first_and_params_stay_in_their_file(tmp_path):
    (tmp_path / "parts").mkdir()
    top = tmp_path / "top.xml"
    top.write_text(
        world(
            '<timeStep value="0.002"/>',
            '<params><height value="1"/></params>',
            '<objects><ground name="own" height="@@height"/></objects>',
            '<include value="[THIS_DIR]/parts/a.xml"/>',
        )
    )
    (tmp_path / "parts" / "a.xml").write_text(
        world('<timeStep value="0.1"/>', '<objects><ground name="a" height="@@height"/></objects>')
    )
    with pytest.raises(DescriptionError, match=r"a.xml:3: <ground name='a'>: @@height .*included from .*top"):
        raisim_xml.read(top)
    made = raisim_xml.read(top, parameters={"height": 2})
    assert [(item.name, item.size) for item in made.objects] == [("a", (2.0,)), ("own", (1.0,))]
    assert made.time_step == 0.002


def test_includes_are_confined(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.xml").write_text(world())
    top = tmp_path / "in" / "top.xml"
    for value in ("../out.xml", "[THIS_DIR]/../out.xml", str(tmp_path / "out.xml")):
        top.write_text(world(f'<include value="{value}"/>'))
        with pytest.raises(DescriptionError, match=r"top.xml:2: <include>: .*outside"):
            raisim_xml.read(top)
    top.write_text(world('<include value="b.xml"/>'))
    (top.parent / "b.xml").write_text(world('<include value="top.xml"/>'))
    with pytest.raises(DescriptionError, match=r"includes itself \(top.xml → b.xml\)"):
        raisim_xml.read(top)
    with pytest.raises(DescriptionError, match="text has no folder"):
        raisim_xml.read(world('<include value="b.xml"/>'))


def test_loops_that_make_nothing_end():
    """Only what they made was counted: empty loops in one another ran for minutes, full ones for half one."""
    loop = '<array idx="@@{}" start="0" end="{}" increment="1">'
    for inner in ("9999", "{@@i*0+9999}"):
        nested = [loop.format("i", "9999"), loop.format("j", "9999"), loop.format("k", inner)]
        for content in ("", '<sphere name="s@@i" mass="{1+@@j}"/>'):
            with pytest.raises(DescriptionError, match="grows beyond"):
                raisim_xml.read(objects(*nested, content, "</array></array></array>"))


def test_growth_is_bounded(monkeypatch, tmp_path):
    loop = '<array idx="{}" start="0" end="{}" increment="1">'
    with pytest.raises(DescriptionError, match="more than 100000 repetitions"):
        raisim_xml.read(objects(loop.format("i", 100_000), "</array>"))
    monkeypatch.setattr(raisim_template, "MAX_NODES", 1000)
    nested = [loop.format(name, 99) for name in "ijk"]
    with pytest.raises(DescriptionError, match="grows beyond 1000 elements"):
        raisim_xml.read(objects(*nested, '<ground name="x"/>', "</array></array></array>"))
    monkeypatch.setattr(substitution, "MAX_CHARACTERS", 1000)
    doubled = "".join(f'<p{i} value="@@p{i - 1}@@p{i - 1}"/>' for i in range(1, 60))
    with pytest.raises(DescriptionError, match="parameters write more than 1000 characters"):
        raisim_xml.read(world(f'<params><p0 value="x"/>{doubled}</params>'))
    monkeypatch.setattr(raisim_template, "MAX_INCLUDES", 10)
    (tmp_path / "top.xml").write_text(world(*['<include value="b.xml"/>'] * 11))
    (tmp_path / "b.xml").write_text(world())
    with pytest.raises(DescriptionError, match="10 includes"):
        raisim_xml.read(tmp_path / "top.xml")


def robot_world(folder):
    (folder / "robots").mkdir()
    shutil.copy(DATA / "two_dof_arm.urdf", folder / "robots")
    file = folder / "world.xml"
    file.write_text(
        objects(
            '<articulatedSystem name="arm" urdfPath="[THIS_DIR]/robots/two_dof_arm.urdf"',
            'resDir="[THIS_DIR]/robots" collisionGroup="1">',
            '<state qpos="0.5" qvel="-0.25"/></articulatedSystem>',
        )
    )
    return file


def test_articulated_system(tmp_path):
    (arm,) = raisim_xml.read(robot_world(tmp_path)).objects
    assert arm.type == "articulated_system"
    assert arm.urdf == (tmp_path / "robots" / "two_dof_arm.urdf").resolve()
    assert arm.urdf_reference == "[THIS_DIR]/robots/two_dof_arm.urdf"
    assert (arm.generalized_coordinate, arm.generalized_velocity) == ((0.5,), (-0.25,))


BAD = {
    "root": ("<mujoco/>", ["<mujoco>", "not a RaiSim world"]),
    "mesh": (objects('<mesh name="m"/>'), [":3: <mesh name='m'>", "'mass' is missing"]),
    "compound": (objects("<compound/>"), [":3: <compound>", "'mass' is missing"]),
    "heightmap": (objects('<heightmap name="h"/>'), ["<heightmap", "one of height, png, text"]),
    "wire": (world('<wire name="w"/>'), [":2: <wire name='w'>", "<object1> is missing"]),
    "tendon": (world('<tendon name="w"/>'), ["<tendon name='w'>", "not supported yet"]),
    "object": (objects("<spher/>"), ["<spher>", "did you mean 'sphere'"]),
    "radius": (objects(ball(dim='<dim radius="-1"/>')), ["<dim>", "'-1'", "≥ 0"]),
    "zero": (objects(ball(dim='<dim radius="0"/>')), ["<dim>", "must be > 0"]),
    "dim": (objects(ball(dim="")), ["'ball'", "<dim> is missing"]),
    "mass": (objects('<sphere name="s" mass="0"><dim radius="1"/></sphere>'), ["mass='0'", "> 0"]),
    "no mass": (objects('<sphere name="s"><dim radius="1"/></sphere>'), ["'mass' is missing"]),
    "pos": (objects(ball(dim='<dim radius="1"/><state pos="1 2"/>')), ["pos='1 2'", "2 numbers"]),
    "quat": (
        objects(ball(dim='<dim radius="1"/><state pos="0 0 0" quat="1 0.1 0 0"/>')),
        ["<state>", "'1 0.1 0 0'", "1.00499", "w x y z"],
    ),
    "inertia": (
        objects(ball(dim='<dim radius="1"/><inertia xx="1" xy="2" xz="0" yy="1" yz="0" zz="1"/>')),
        ["<inertia>", "eigenvalue -1"],
    ),
    "body type": (objects(ball('body_type="dynamik"')), ["'dynamik'", "did you mean 'dynamic'"]),
    "group": (objects(ball('collision_group="collision[64]"')), ["collision[64]", "0…63"]),
    "mask": (objects(ball('collision_mask="all"')), ["'all'", "whole number"]),
    "twice": (objects(ball('bodyType="static" body_type="static"')), ["'body_type' is given twice"]),
    "friction": (
        world('<material><pair_prop name1="a" name2="b" friction="-1"/></material>'),
        ["<pair_prop>", "'a', 'b'", "friction", "≥ 0"],
    ),
    "no friction": (world("<material><default/></material>"), ["default pair", "'friction' is missing"]),
    "static": (
        world('<material><default friction="1" static_friction="0.5"/></material>'),
        ["static_friction", "≥ friction"],
    ),
    "time step": (world('<timeStep value="0"/>'), ["<timeStep>", "from 1e-09 to 10 s"]),
    "gravity": (world('<gravity value="nan 0 0"/>'), ["<gravity>", "finite"]),
    "brace": (objects(ball('appearance="{1"')), ["without its partner"]),
    "expression": (objects(ball('appearance="{a+1}"')), ["'a'", "not allowed"]),
    "increment": (
        objects('<array idx="i" start="0" end="1" increment="0"></array>'),
        ["increment=0", "> 0"],
    ),
    "start": (objects('<array idx="i" start="2" end="1" increment="1"></array>'), ["start=2", "end=1"]),
    "include": (objects('<include value="a.xml"/>'), ["direct child"]),
    "exist": (objects(ball('exist="maybe"')), ["exist='maybe'"]),
    "urdf": (objects('<articulated_system urdf_path="missing.urdf"/>'), ["missing.urdf", "no file"]),
    "a long name": (objects(f'<articulated_system urdf_path="{"x" * 5000}"/>'), ["xxx", "no file"]),
    "tuning": (objects(ball(dim='<dim radius="1"/><tuning/>')), ["<tuning>", "not supported yet"]),
    "class name": (world('<object_class><sphere type="box"/></object_class>'), ["rename"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_defect_is_named(name):
    text, words = BAD[name]
    with pytest.raises(DescriptionError) as caught:
        raisim_xml.read(text)
    message = str(caught.value).replace("<time_step>", "<timeStep>")
    assert message.startswith("<RaiSim XML text>:")
    for word in words:
        assert word in message


def test_unknown_names_are_noted_and_strict_refuses_them():
    text = objects(ball('matrial="steel"'), ball(name="other", more='matrial="steel"'))
    (note,) = raisim_xml.read(text).notes
    assert "did you mean 'material'" in note
    assert note.endswith("(2 times)")
    with pytest.raises(DescriptionError, match="matrial"):
        raisim_xml.read(text, strict=True)
    assert "solver settings" in raisim_xml.read(world("<simulation/>")).notes[0]


def same(a, b):
    """Compare two descriptions, numbers by their bits."""
    if isinstance(a, np.ndarray):
        return a.tobytes() == np.asarray(b).tobytes()
    if dataclasses.is_dataclass(a):
        skip = {"source", "notes", "urdf_reference", "pair_origins"}
        names = [f.name for f in dataclasses.fields(a) if f.name not in skip]
        return type(a) is type(b) and all(same(getattr(a, n), getattr(b, n)) for n in names)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return isinstance(b, float) and a.hex() == b.hex()
    return a == b


def test_round_trip_of_the_examples(tmp_path):
    robots = robot_world(tmp_path)
    materials = [DATA / f"raisim_materials_{version}.xml" for version in ("2_0", "2_3")]
    for source in (*materials, CAMEL, robots):
        made = raisim_xml.read(source)
        raisim_xml.write(made, tmp_path / "again.xml")
        assert same(made, raisim_xml.read(tmp_path / "again.xml", strict=True))
    text = (tmp_path / "again.xml").read_text()
    assert 'urdf_path="[THIS_DIR]/robots/two_dof_arm.urdf"' in text


finite = st.floats(allow_nan=False, allow_infinity=False)
vectors = st.tuples(finite, finite, finite)
positive = st.floats(1e-15, 1e15)


@hypothesis.given(finite, vectors, vectors, vectors, positive, st.integers(-(2**63), 2**63 - 1), positive)
@hypothesis.settings(max_examples=30, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_round_trip_is_bitwise(tmp_path, height, place, speed, spin, size, bits, mass):
    made = WorldDescription(
        time_step=min(max(size, 1e-9), 10.0), gravity=place, erp=size,
        default_pair=PairProperties(min(mass * 1e-9, 1e6)),
    )  # fmt: skip
    mu = min(size * 1e-9, 1e6)
    made.pairs["a b", "ü\"<&>'"] = PairProperties(mu, 0.1 + 0.2, mass, 1e6, size, mu, mu)
    quaternion = raisim_quaternion(spin)
    made.objects = [
        ObjectDescription("ground", "g", size=(height,), kind=Kind.STATIC, mask=bits),
        ObjectDescription(
            "box", "b", "stone", mass, (size, mass, size), Kind.DYNAMIC, bits, bits, "red",
            place, np.diag([mass, mass, mass]), place, quaternion, speed, spin,
        ),
    ]  # fmt: skip
    raisim_xml.write(made, tmp_path / "world.xml")
    assert same(made, raisim_xml.read(tmp_path / "world.xml", strict=True))


def raisim_quaternion(v):
    """Return some unit quaternion."""
    angle = math.remainder(sum(math.fmod(x, 10.0) for x in v), 6.0)
    return (math.cos(angle), math.sin(angle), 0.0, 0.0)


def test_what_cannot_be_written_is_named(tmp_path):
    for item, word in (
        (ObjectDescription("mesh", "m"), "'mesh'"),
        (ObjectDescription("sphere", "{x}", size=(1.0,)), "brace"),
        (ObjectDescription("sphere", "a\nb", size=(1.0,)), "control"),
        (ObjectDescription("sphere", "s", size=(math.nan,)), "nan"),
        (ObjectDescription("sphere", "s", size=(1.0, 2.0)), "radius"),
        (ObjectDescription("articulated_system", "r"), "without a URDF"),
    ):
        with pytest.raises(DescriptionError, match=word):
            raisim_xml.write(WorldDescription(objects=[item]), tmp_path / "x.xml")
    assert not (tmp_path / "x.xml").exists()


def test_a_world_file_with_parameters(tmp_path):
    """World.load(file, parameters=…): @@name is what is given; MJCF has none."""
    text = '<raisim><objects><sphere name="s" mass="@@m"><dim radius="{@@r/2}"/></sphere></objects></raisim>'
    path = tmp_path / "world.xml"
    path.write_text(f'<!-- tool --><?xml version="1.0"?>{text}')
    world = tribo.World.load(path, parameters={"m": 2, "@@r": 0.5})
    assert world["s"].mass == 2.0
    assert "sphere(0.25)" in repr(world["s"])
    with pytest.raises(DescriptionError, match="@@r"):
        tribo.World.load(path, parameters={"m": 2})
    with pytest.raises(DescriptionError, match="has no @@parameters"):
        tribo.World.load("<mujoco/>", parameters={"m": 2})
    assert any("very start" in note for note in raisim_xml.read(path, parameters={"m": 1, "r": 1}).notes)
