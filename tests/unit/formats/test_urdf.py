"""URDF: what is read, how fixed joints merge, and which defects are named."""

import importlib.metadata
import math
import pathlib

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import urdf
from tribo.model import Joint, Shape

DATA = pathlib.Path(__file__).parents[2] / "data"
QUADRUPED = pathlib.Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
MASS = (
    '<inertial><mass value="{m}"/><inertia ixx="{i}" ixy="0" ixz="0" iyy="{i}" iyz="0" izz="{i}"/></inertial>'
)
SOLID = MASS.format(m=1, i=0.1)


LIMIT = '<limit lower="-1" upper="1"/>'


def link(name, inside=SOLID):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, kind="revolute", inside='<limit lower="-1" upper="1"/>'):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'
    )


def robot(*parts):
    return "<robot>\n" + "\n".join(parts) + "\n</robot>"


def pair(kind="revolute", inside="", child=SOLID):
    return robot(link("a"), link("b", child), joint("j", "a", "b", kind, inside))


def test_example_of_the_manual_has_a_fixed_base():
    tree = urdf.read(DATA / "two_dof_arm.urdf")
    assert [body.name for body in tree.bodies] == ["world", "link2"]
    assert [body.joint.type for body in tree.bodies] == [Joint.FIXED, Joint.REVOLUTE]
    arm = tree.bodies[1]
    assert arm.parent == 0
    assert arm.mass == 1.0
    assert arm.com == (0.0, 0.0, 0.2)
    assert arm.joint.position == (0.0, 0.0, 0.3)
    assert arm.joint.axis == (1.0, 0.0, 0.0)
    assert (arm.joint.lower, arm.joint.upper) == (-1.0, 1.0)
    assert (arm.joint.effort, arm.joint.velocity) == (80.0, 15.0)
    assert tree.source == DATA / "two_dof_arm.urdf"


def test_foot_link_of_the_manual():
    foot = (DATA / "raisim_foot_link.xml").read_text()
    tree = urdf.read(robot(foot, link("base"), joint("j", "LF_FOOT", "base", "fixed", "")))
    (shape,) = tree.bodies[0].shapes
    assert (shape.name, shape.kind, shape.size) == ("LF_FOOT/0", Shape.SPHERE, (0.035,))
    assert (shape.material, shape.position) == ("ice", (0.0, 0.0, 0.02325))


@pytest.mark.parametrize(("name", "kind"), [("world", 0), ("World", 0), ("base", 4)])
def test_root_called_world_is_fixed(name, kind):
    tree = urdf.read(robot(link(name), link("b"), joint("j", name, "b")))
    assert tree.bodies[0].joint.type == kind


def test_world_keeps_all_its_children():
    names = ("b", "c")
    tree = urdf.read(
        robot(link("world", ""), *map(link, names), *(joint(f"j{n}", "world", n) for n in names))
    )
    assert [body.parent for body in tree.bodies] == [-1, 0, 0]


def test_fixed_joints_merge_masses():
    tree = urdf.read(DATA / "merged.urdf")
    base, arm = tree.bodies
    assert [body.name for body in tree.bodies] == ["base", "arm"]
    # Turned by 90° about z: x → y, y → −x.
    mass = 2.0 + 1e-6
    com = np.array([0.0, 0.6, 0.0]) * 2.0 / mass
    inertia = np.array([[0.3, -0.01, 0.0], [-0.01, 0.2, 0.0], [0.0, 0.0, 0.4]])
    for m, at in ((2.0, np.array([0.0, 0.6, 0.0])), (1e-6, np.zeros(3))):
        r = at - com
        inertia += m * (r @ r * np.eye(3) - np.outer(r, r))
    assert base.mass == mass
    assert np.allclose(base.com, com, rtol=0, atol=1e-15)
    assert np.allclose(base.inertia, inertia, rtol=0, atol=1e-15)
    assert np.array_equal(base.inertia, base.inertia.T)
    assert arm.mass == 2.0
    assert arm.com == (0.0, 0.0, 0.475)
    transverse = 0.011 + 1.5 * 0.175**2 + 0.5 * 0.525**2
    assert np.allclose(np.diag(arm.inertia), [transverse, transverse, 0.011], rtol=1e-14)


def test_merged_links_move_joints_shapes_and_frames():
    tree = urdf.read(DATA / "merged.urdf")
    base, arm = tree.bodies
    assert np.allclose(arm.joint.position, (1.0, 1.0, 0.0), atol=1e-15)
    assert np.allclose(arm.joint.quaternion, (math.sqrt(0.5), 0, 0, math.sqrt(0.5)), atol=1e-15)
    assert arm.joint.axis == (0.0, 1.0, 0.0)
    assert (arm.joint.damping, arm.joint.friction, arm.joint.armature) == (0.1, 0.2, 0.03)
    assert [(s.name, s.kind, s.size) for s in base.shapes] == [
        ("base/0", Shape.BOX, (1.0, 2.0, 3.0)),
        ("base/1", Shape.CYLINDER, (0.5, 1.5)),
    ]
    (hand,) = arm.shapes
    assert (hand.name, hand.kind, hand.size, hand.material) == (
        "hand/0",
        Shape.CAPSULE,
        (0.05, 0.2),
        "rubber",
    )
    assert hand.position == (0.0, 0.0, 1.1)
    assert base.visuals[0].color == (0.0, 0.0, 1.0, 0.5)
    frames = {frame.name: (frame.body, frame.position) for frame in tree.frames}
    assert frames["wrist"] == frames["hand"] == (1, (0.0, 0.0, 1.0))
    assert frames["mount"] == (0, (1.0, 0.0, 0.0))
    assert frames["shoulder"] == frames["arm"] == (1, (0.0, 0.0, 0.0))
    assert frames["base"] == (0, (0.0, 0.0, 0.0))
    assert len(frames) == len(tree.frames) == 9


def test_bodies_are_depth_first_in_the_order_of_the_file():
    names = "abcdef"
    tree = urdf.read(
        robot(
            *map(link, names),
            joint("j1", "a", "d"),
            joint("j2", "a", "b", "fixed", ""),
            joint("j3", "d", "f"),
            joint("j4", "b", "c"),
            joint("j5", "d", "e"),
        )
    )
    assert [body.name for body in tree.bodies] == ["a", "d", "f", "e", "c"]
    assert [body.parent for body in tree.bodies] == [-1, 0, 1, 1, 0]


def test_single_link_keeps_its_numbers_bitwise():
    inside = (
        '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="0.3"/>'
        '<inertia ixx="0.7" ixy="0.1" ixz="0.01" iyy="0.8" iyz="0.02" izz="0.9"/></inertial>'
    )
    (body,) = urdf.read(robot(link("a", inside))).bodies
    assert body.mass == 0.3
    assert body.com == (0.1, 0.2, 0.3)
    assert body.inertia.tolist() == [[0.7, 0.1, 0.01], [0.1, 0.8, 0.02], [0.01, 0.02, 0.9]]


def test_roll_pitch_yaw_turn_about_fixed_axes():
    tree = urdf.read(pair(inside='<origin rpy="0.3 -0.5 1.1"/><limit lower="-1" upper="1"/>'))
    w, x, y, z = tree.bodies[1].joint.quaternion
    got = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )

    def turn(angle, axis):
        c, s = math.cos(angle), math.sin(angle)
        m = np.eye(3)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        m[i, i] = m[j, j] = c
        m[i, j], m[j, i] = -s, s
        return m

    assert np.allclose(got, turn(1.1, 2) @ turn(-0.5, 1) @ turn(0.3, 0), atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "limit", "lower", "upper"),
    [
        ("revolute", 'lower="-1" upper="2"', -1.0, 2.0),
        ("revolute", 'lower="0" upper="0"', -math.inf, math.inf),
        ("revolute", "", -math.inf, math.inf),
        ("continuous", 'lower="-1" upper="2"', -math.inf, math.inf),
        ("prismatic", 'lower="-1e-2" upper=".5"', -0.01, 0.5),
        ("prismatic", 'lower="0.1" upper="0.1"', 0.1, 0.1),
        ("prismatic", 'lower="0" upper="0"', -math.inf, math.inf),
        ("prismatic", 'lower="0" upper="0" compliance="1e-4"', 0.0, 0.0),
        ("revolute", 'force="5"', 0.0, 0.0),
        ("continuous", 'force="5"', -math.inf, math.inf),
    ],
)
def test_limits(kind, limit, lower, upper):
    tree = urdf.read(pair(kind, f"<limit {limit}/>"))
    assert (tree.bodies[1].joint.lower, tree.bodies[1].joint.upper) == (lower, upper)


@pytest.mark.parametrize("word", ["inf", "+Infinity", "INF"])
def test_efforts_and_velocities_may_be_infinite(word):
    tree = urdf.read(pair(inside=f'<limit lower="-1" upper="1" effort="{word}" velocity="{word}"/>'))
    joint = tree.bodies[1].joint
    assert (joint.effort, joint.velocity) == (math.inf, math.inf)
    assert tree.notes == []
    with pytest.raises(DescriptionError, match="must be finite"):
        urdf.read(pair(inside='<limit lower="-1" upper="1" effort="-inf"/>'))


def test_effort_of_zero_is_no_limit_and_noted():
    tree = urdf.read(pair(inside='<limit lower="-1" upper="1" effort="0"/>'))
    assert tree.bodies[1].joint.effort == math.inf
    assert "effort='0'" in tree.notes[0]


def test_springs():
    """RaiSim's attributes: a number for hinges, a quaternion (w, x, y, z) for spherical joints."""
    inside = '<limit lower="-1" upper="1"/><dynamics stiffness="3" spring_mount="0.2"/>'
    arm = urdf.read(pair(inside=inside)).bodies[1].joint
    assert (arm.stiffness, arm.spring_reference) == (3.0, (0.2,))
    inside = '<dynamics stiffness="3" spring_mount="0.6 0 0.8 0"/>'
    arm = urdf.read(pair("spherical", inside)).bodies[1].joint
    assert (arm.stiffness, arm.spring_reference) == (3.0, (0.6, 0.0, 0.8, 0.0))
    inside = '<limit lower="-1" upper="1"/><dynamics stiffness="3"/>'
    assert urdf.read(pair(inside=inside)).bodies[1].joint.spring_reference is None


def test_spherical_joint_and_its_cone():
    joint = urdf.read(pair("spherical")).bodies[1].joint
    assert (joint.type, joint.upper, joint.axis) == (Joint.SPHERICAL, math.inf, (0.0, 0.0, 1.0))
    inside = '<axis xyz="0 2 0"/><limit upper="0.5"/>'
    joint = urdf.read(pair("spherical", inside)).bodies[1].joint
    assert (joint.upper, joint.axis) == (0.5, (0.0, 1.0, 0.0))


def test_a_lower_limit_of_a_spherical_joint_is_said():
    """Its cone is `upper`: `lower` alone was called to be above upper=0, and beside it lost in silence."""
    tree = urdf.read(pair("spherical", '<limit lower="1"/>'))
    assert tree.bodies[1].joint.upper == math.inf
    assert "lower=1 of the spherical" in tree.doubts[0]
    assert 'write upper="ANGLE"' in tree.doubts[0]
    tree = urdf.read(pair("spherical", '<limit lower="-1" upper="0.5"/>'))
    assert tree.bodies[1].joint.upper == 0.5
    assert "its cone is upper=0.5" in tree.doubts[0]
    with pytest.raises(DescriptionError, match="lower"):
        urdf.read(pair("spherical", '<limit lower="1"/>'), strict=True)


def test_a_mimic_of_nobody_is_noted():
    text = pair(inside=LIMIT + '<mimic joint="jj"/>')
    tree = urdf.read(text)
    assert tree.bodies[1].joint.mimic is None
    assert "'jj'" in tree.notes[0]
    with pytest.raises(DescriptionError, match="no joint that moves"):
        urdf.read(text, strict=True)


def test_mimic():
    text = robot(
        *map(link, "abc"),
        joint("j", "a", "b"),
        joint("k", "b", "c", "prismatic", LIMIT + '<mimic joint="j" multiplier="-2" offset="0.5"/>'),
    )
    tree = urdf.read(text)
    assert tree.bodies[2].joint.mimic == ("j", -2.0, 0.5)
    assert not tree.notes
    assert urdf.read(text.replace(' multiplier="-2" offset="0.5"', "")).bodies[2].joint.mimic == (
        "j",
        1.0,
        0.0,
    )


def test_massless_link_may_carry_others():
    tree = urdf.read(robot(link("a"), link("b", ""), link("c"), joint("j", "a", "b"), joint("k", "b", "c")))
    assert tree.bodies[1].mass == 0.0
    assert "no mass of its own" in tree.notes[0]


def test_massless_root_floats_with_the_mass_behind_a_fixed_joint():
    tree = urdf.read(robot(link("a", ""), link("b"), joint("j", "a", "b", "fixed", "")))
    assert tree.bodies[0].mass == 1.0


def test_rotor_inertia_carries_a_massless_link():
    dynamics = '<limit lower="-1" upper="1"/><dynamics rotor_inertia="0.1"/>'
    assert urdf.read(pair(inside=dynamics, child="")).bodies[1].joint.armature == 0.1


def test_joint_has_the_frame_when_a_link_has_its_name():
    tree = urdf.read(
        robot(*map(link, "abc"), joint("x", "a", "c", "fixed", '<origin xyz="1 0 0"/>'), joint("c", "a", "b"))
    )
    (frame,) = (f for f in tree.frames if f.name == "c")
    assert frame.body == 1
    assert "'c'" in tree.notes[-1]


BAD = {
    "negative mass": (robot(link("a", MASS.format(m=-1, i=1))), ["<URDF text>:2", "'a'", "-1.0", "≥ 0"]),
    "inertia": (robot(link("a", MASS.format(m=1, i=-0.5))), [":2: <inertia>", "'a'", "-0.5", "signs"]),
    "point mass": (pair(child=MASS.format(m=1, i=0)), ["'b'", "without inertia", "'j'"]),
    "heavy": (robot(link("a", MASS.format(m="1e308", i=1))), ["<URDF text>:2", "'a'", "at most 1e+15"]),
    "far": (pair(inside='<origin xyz="1e200 0 0"/>'), ["<origin>", "1e200", "at most 1e+15"]),
    "nan": (robot(link("a", MASS.format(m="nan", i=1))), ["<mass>", "'nan'", "finite"]),
    "inf": (robot(link("a", MASS.format(m="1e999", i=1))), ["<mass>", "1e999", "too large"]),
    "word": (robot(link("a", MASS.format(m="1,5kg", i=1))), ["<mass>", "'1,5kg'", "not a number"]),
    "two numbers": (pair(inside='<axis xyz="1 2"/>'), ["<axis>", "'1 2'", "2 numbers", "3"]),
    "zero axis": (pair(inside='<axis xyz="0 0 0"/>'), ["<axis>", "no direction"]),
    "joint type": (pair("revolut"), ["<joint name='j'>", "'revolut'", "did you mean 'revolute'"]),
    "planar": (pair("planar"), ["'planar'", "not supported yet", "prismatic"]),
    "floating": (pair("floating"), ["'floating'", "not supported yet", "root link"]),
    "missing link": (robot(link("a"), joint("j", "a", "bb")), ["'j'", "child link 'bb'", "not exist"]),
    "joint twice": (
        robot(*map(link, "abc"), joint("j", "a", "b"), joint("j", "a", "c")),
        [":6:", "line 5", "rename"],
    ),
    "two parents": (
        robot(*map(link, "abc"), joint("j", "a", "c"), joint("k", "b", "c")),
        ["2 root links", "'a', 'b'"],
    ),
    "two roots": (robot(link("a"), link("b")), ["2 root links", "'a', 'b'"]),
    "loop": (robot(*map(link, "ab"), joint("j", "a", "b"), joint("k", "b", "a")), ["loop", "a → b → a"]),
    "loop aside": (robot(*map(link, "abc"), joint("j", "b", "c"), joint("k", "c", "b")), ["loop", "'b'"]),
    "damping": (pair(inside='<dynamics damping="-1"/>'), ["<dynamics>", "'-1'", "≥ 0"]),
    "spring": (pair(inside='<dynamics stiffness="-3"/>'), ["<dynamics>", "'-3'", "≥ 0"]),
    "mimic of itself": (pair(inside=LIMIT + '<mimic joint="j"/>'), ["'j'", "circle"]),
    "mimic without a joint": (pair(inside=LIMIT + "<mimic/>"), ["<mimic>", "joint"]),
    "mimic of nothing finite": (pair(inside=LIMIT + '<mimic joint="j" multiplier="nan"/>'), ["multiplier"]),
    "cone": (pair("spherical", '<limit upper="4"/>'), ["upper=4.0", "cone", "π"]),
    "spring mount": (
        pair("spherical", '<dynamics stiffness="3" spring_mount="1 1 0 0"/>'),
        ["spring_mount", "unit quaternion", "1.41421"],
    ),
    "spring mount of a hinge": (
        pair(inside='<dynamics stiffness="3" spring_mount="1 0 0 0"/>'),
        ["spring_mount"],
    ),
    "box": (
        robot(link("a", SOLID + '<collision><geometry><box size="1 -1 1"/></geometry></collision>')),
        ["<box>", "'1 -1 1'", "> 0"],
    ),
    "geometry": (
        robot(link("a", SOLID + "<visual><geometry><spere/></geometry></visual>")),
        ["<spere>", "did you mean 'sphere'"],
    ),
    "root": ("<sdf/>", ["<sdf>", "(URDF)"]),
    "empty": ("<robot/>", ["no <link>"]),
    "xacro": ('<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:leg/></robot>', ["xacro", "run xacro"]),
    "constraints": (
        robot(link("a"), "<constraints><pin/></constraints>"),
        ["<constraints>", "'nominal_config' is missing"],
    ),
}


@pytest.mark.parametrize("where", ["collision", "visual"])
@pytest.mark.parametrize(
    "shape",
    [
        '<sphere radius="1e300"/>',
        '<box size="1 1e300 1"/>',
        '<cylinder radius="1" length="1e-300"/>',
        '<capsule radius="1e-300" length="1"/>',
        '<capsule radius="1" length="1e300"/>',
        '<ellipsoid radii="1 1 1e-300"/>',
    ],
)
def test_a_size_with_which_nothing_can_be_calculated_is_named(shape, where):
    text = robot(link("a", f"{SOLID}<{where}><geometry>{shape}</geometry></{where}>"))
    with pytest.raises(DescriptionError, match=r"1e-?300.* must be from 1e-15 to 1e\+15 m; units"):
        urdf.read(text)


@pytest.mark.parametrize("name", BAD)
def test_defect_is_named(name):
    text, words = BAD[name]
    with pytest.raises(DescriptionError) as caught:
        urdf.read(text)
    for word in words:
        assert word in str(caught.value)


def test_unknown_names_are_noted_and_strict_refuses_them():
    text = robot(link("a", SOLID + "<colision/>"), "<gazebo><x/></gazebo>")
    assert "did you mean 'collision'" in urdf.read(text).notes[0]
    with pytest.raises(DescriptionError, match="colision"):
        urdf.read(text, strict=True)


def test_negative_moment_of_a_small_link_is_noted_when_the_body_is_sound():
    inertia = (
        '<inertial><mass value="1e-6"/>'
        '<inertia ixx="2e-8" ixy="6e-8" ixz="0" iyy="2e-8" iyz="0" izz="4e-8"/></inertial>'
    )
    tree = urdf.read(robot(link("a"), link("b", inertia), joint("j", "a", "b", "fixed", "")))
    assert "eigenvalue -4e-08" in tree.notes[0]


def mesh(reference):
    return robot(link("a", SOLID + f'<visual><geometry><mesh filename="{reference}"/></geometry></visual>'))


def test_meshes_are_found_near_the_file(tmp_path):
    (tmp_path / "pkg" / "urdf").mkdir(parents=True)
    (tmp_path / "pkg" / "meshes").mkdir()
    stl = tmp_path / "pkg" / "meshes" / "a.stl"
    stl.write_text("solid")
    file = tmp_path / "pkg" / "urdf" / "a.urdf"
    for reference in ("../meshes/a.stl", "package://pkg/meshes/a.stl", f"file://{stl}",
                      "file://../meshes/a.stl"):  # fmt: skip
        file.write_text(mesh(reference))
        (visual,) = urdf.read(file).bodies[0].visuals
        assert (visual.kind, visual.mesh.path) == (Shape.MESH, stl.resolve())
        assert visual.mesh.reference == reference
    text = mesh("package://pkg/meshes/a.stl")
    assert urdf.read(text).bodies[0].visuals[0].mesh.path is None
    assert urdf.read(text, package_dirs=[tmp_path]).bodies[0].visuals[0].mesh.path == stl.resolve()


def test_meshes_elsewhere_are_never_used(tmp_path):
    home = tmp_path / "a" / "b" / "c" / "pkg"
    home.mkdir(parents=True)
    (tmp_path / "secret.stl").write_text("solid")
    (home / "secret.txt").write_text("text")
    (home / "link.stl").symlink_to(tmp_path / "secret.stl")
    up = "../../../.."
    for reference in (
        f"{up}/secret.stl",
        f"package://pkg/{up}/secret.stl",
        f"package://../{up}/secret.stl",
        str(tmp_path / "secret.stl"),
        f"file://{tmp_path}/secret.stl",
        f"file://{up}/secret.stl",
        "link.stl",
        "secret.txt",
        "https://example.org/a.stl",
        "missing.stl",
    ):
        (home / "a.urdf").write_text(mesh(reference))
        tree = urdf.read(home / "a.urdf")
        assert tree.bodies[0].visuals[0].mesh.path is None, reference
        assert "mesh" in tree.notes[0]


def test_quadruped_of_the_package():
    tree = urdf.read(QUADRUPED, strict=True)
    assert tree.notes == []
    assert math.isclose(sum(body.mass for body in tree.bodies), 12.0)
    assert [body.joint.name for body in tree.bodies[1:]] == [
        f"{leg}_{part}" for leg in ("LF", "RF", "LH", "RH") for part in ("HAA", "HFE", "KFE")
    ]
    rubber = [s.name for body in tree.bodies for s in body.shapes if s.material == "rubber"]
    assert rubber == ["LF_FOOT/0", "RF_FOOT/0", "LH_FOOT/0", "RH_FOOT/0"]


# Robots of example-robot-data that cannot be simulated, and why.
DEFECTS = {"ur3.urdf": "no <link>"}


def test_robots_of_example_robot_data():
    try:
        found = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package example-robot-data is not installed")
    folder = pathlib.Path(found.locate_file("cmeel.prefix/share/example-robot-data/robots"))
    files = sorted(folder.rglob("*.urdf"))
    assert len(files) > 60
    for file in files:
        if file.name in DEFECTS:
            with pytest.raises(DescriptionError, match=DEFECTS[file.name]):
                urdf.read(file)
        else:
            assert urdf.read(file).bodies
    anymal = urdf.read(folder / "anymal_b_simple_description" / "robots" / "anymal.urdf")
    assert len(anymal.bodies) == 13
    assert math.isclose(sum(body.mass for body in anymal.bodies), 30.475397462)
    mesh_path = anymal.bodies[0].visuals[0].mesh.path
    assert mesh_path is not None
    assert mesh_path.is_file()


def test_a_turn_may_be_given_bit_for_bit_beside_its_angles():
    """1.2e-16 beside what the three angles give; a turn that is another one is refused."""
    angles = '<origin rpy="0.3 -0.5 1.1"{}/><limit lower="-1" upper="1"/>'
    usual = urdf.read(pair(inside=angles.format(""))).bodies[1].joint.quaternion
    near = (math.nextafter(usual[0], 0.0), *usual[1:])
    given = f' quaternion="{" ".join(map(repr, near))}"'
    assert urdf.read(pair(inside=angles.format(given))).bodies[1].joint.quaternion == near
    with pytest.raises(DescriptionError, match="and rpy are different turns"):
        urdf.read(pair(inside=angles.format(' quaternion="1 0 0 0"')))


def test_what_one_mesh_collides_as_is_one_of_three_words():
    text = '<collision><geometry><mesh filename="a.stl" collision="{}"/></geometry></collision>'
    (body,) = urdf.read(robot(link("a", SOLID + text.format("exact")))).bodies
    assert body.shapes[0].mesh.collision == "exact"
    with pytest.raises(DescriptionError, match="collision='auto' must be one of hull, decomp"):
        urdf.read(robot(link("a", SOLID + text.format("auto"))))
