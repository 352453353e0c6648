"""URDF as other programs write and read it: friction in their words, and what they pass over."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import surface_friction, urdf
from tribo.formats.inertia import Inertial, impossible_moments, nearest_possible
from tribo.model import Joint

MASS = '<inertial><mass value="1"/><inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/></inertial>'
SOLID = MASS.format(0.1, 0.1, 0.1)
BALL = "<collision><geometry><sphere radius='0.1'/></geometry>{}</collision>"


def link(name, inside=""):
    return f'<link name="{name}">{SOLID}{BALL.format("")}{inside}</link>'


def joint(name, parent, child, kind="revolute", inside='<limit lower="-1" upper="1"/>'):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def robot(*parts):
    return "<robot>\n" + "\n".join(parts) + "\n</robot>"


GAZEBO = '<gazebo reference="a"><mu1>0.3</mu1><mu2 value="0.2"/><kp>1e6</kp><kd>1</kd></gazebo>'
BULLET = (
    '<contact><lateral_friction value="0.4"/><rolling_friction value="0.01"/>'
    '<spinning_friction value="0.02"/><restitution value="0.5"/><stiffness value="3e4"/></contact>'
)
DRAKE = (
    '<drake:proximity_properties><drake:mu_dynamic value="0.5"/><drake:mu_static value="0.6"/>'
    "</drake:proximity_properties>"
)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (robot(link("a"), GAZEBO), "gazebo friction 0.2", {"friction": 0.2}),
        (
            robot(link("a", BULLET)),
            "bullet friction 0.4 rolling 0.01 spinning 0.02 restitution 0.5",
            {"friction": 0.4, "rolling_length": 0.01, "spinning_length": 0.02, "restitution": 0.0},
        ),
        (
            robot(f'<link name="a">{SOLID}{BALL.format(DRAKE)}</link>'),
            "drake friction 0.5 static 0.6",
            {"friction": 0.5, "static_friction": 0.6},
        ),
    ],
)
def test_friction_in_the_words_of_other_programs_is_read_and_said(text, name, expected):
    """49 of 415 public URDFs lost <mu1> without a word, 97 their <contact>."""
    world = tribo.World()
    made = world.add_articulated_system(text)
    (shape,) = made.collision_bodies
    assert shape.material == name
    pair = world.materials.pair(name, "default")
    assert {key: getattr(pair, key) for key in expected} == expected
    assert any(f"the material {name!r}" in note for note in made.description.notes)


def test_a_box_slides_as_gazebo_says():
    """A box of μ = 0.2 under a sideways gravity of 6 m/s² slides; μ = 0.8 of "default" would hold it."""
    world = tribo.World()
    world.gravity = 6.0, 0.0, -9.81
    world.add_ground()
    box = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
    body = f'<link name="a">{SOLID}{box}</link>'
    one = world.add_articulated_system(robot(body, GAZEBO), position=(0, 0, 0.1))
    world.step(100)
    # x'' = 6 − 0.2 · 9.81 m/s²; the first step's impulse is a step early or late
    expected = (6.0 - 0.2 * 9.81) * world.time
    assert one.generalized_velocity[0] == pytest.approx(expected, rel=0.02)


def test_two_surfaces_meet_as_their_program_says():
    Surface = surface_friction.Surface
    two = Surface("gazebo", 0.3), Surface("gazebo", 0.9)
    assert surface_friction.combined(*two).friction == 0.3
    two = (Surface("bullet", 0.5, restitution=0.5, rolling=0.1), Surface("bullet", 0.8, restitution=0.4))
    made = surface_friction.combined(*two)
    assert made.friction == pytest.approx(0.4)
    assert made.restitution == pytest.approx(0.2)
    assert made.rolling_length == pytest.approx(0.1 * 0.8)
    two = Surface("drake", 0.5), Surface("drake", 1.0)
    assert surface_friction.combined(*two).friction == pytest.approx(2.0 / 3.0)
    two = Surface("drake", 0.5), Surface("gazebo", 0.1)
    assert surface_friction.combined(*two).friction == 0.1


def test_surfaces_of_two_files_meet():
    world = tribo.World()
    world.add_articulated_system(robot(link("a"), GAZEBO))
    world.add_articulated_system(robot(link("a", BULLET)), position=(1, 0, 0))
    names = [name for name in world.materials.names if name != "default"]
    assert world.materials.pair(*names).friction == 0.2


def test_a_material_of_raisim_counts_more():
    own = '<material><contact name="ice"/></material>'
    body = f'<link name="a">{SOLID}{BALL.format(own)}{BULLET}</link>'
    assert urdf.read(robot(body, GAZEBO)).bodies[0].shapes[0].material == "ice"


@pytest.mark.parametrize("mu", ["1e14", "-1"])
def test_a_coefficient_beyond_all_use_is_bounded_and_said(mu):
    tree = urdf.read(robot(link("a"), f'<gazebo reference="a"><mu1>{mu}</mu1></gazebo>'))
    assert any("coefficient of friction" in note for note in tree.notes)
    name = tree.bodies[0].shapes[0].material
    assert surface_friction.of_material(name).friction == (1e6 if mu == "1e14" else 0.0)


def test_a_coefficient_that_is_no_number_is_named():
    with pytest.raises(DescriptionError, match=r"<mu1>: value='much'"):
        urdf.read(robot(link("a"), '<gazebo reference="a"><mu1>much</mu1></gazebo>'))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (robot(link("a")) + "\nThe end.", "text after the outermost element means nothing"),
        (robot(link("a"), "<sensor:camera name='x'/>"), "prefix sensor: is not declared"),
        (
            robot(link("a", "<visual><geometry><sphere radius='0'/></geometry></visual>")),
            "a visual of size 0 is not drawn",
        ),
        (
            robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit upper="1" effort="-1"/>')),
            "effort='-1' is taken as no limit",
        ),
        (robot('<link name="plane"/>'), "nothing of it has mass: it stands where it is put"),
        (robot(link("a"), link("a")), "a link of this name stands in line 2: that one is read"),
        (
            robot(link("a"), '<link name="tip"/>', joint("j", "a", "tip")),
            "moves nothing that has mass: it is held where it is",
        ),
        (
            robot(f'<link name="a">{MASS.format(-0.02, 0.1, 0.1)}</link>'),
            "replaced by the nearest one that a rigid body has",
        ),
    ],
)
def test_what_other_programs_pass_over_is_read_with_a_note(text, note):
    tree = urdf.read(text)
    assert sum(note in said for said in tree.notes) == 1
    tribo.World().add_articulated_system(text)


def test_a_plane_without_mass_stands():
    made = tribo.World().add_articulated_system(robot('<link name="plane"/>'), position=(0, 0, 2))
    assert made.dof == 0
    assert made.position.tolist() == [0, 0, 2]


def test_a_massless_end_link_is_no_degree_of_freedom():
    parts = link("a"), link("b"), '<link name="tip"/>', joint("j", "a", "b"), joint("t", "b", "tip")
    tree = urdf.read(robot(*parts))
    assert [body.joint.name for body in tree.bodies[1:]] == ["j"]
    assert "tip" in {frame.name for frame in tree.frames}


@pytest.mark.parametrize("moments", [(-0.02, 0.1, 0.1), (-0.1, 0.2, 0.5), (0.5, -0.3, 0.4)])
def test_a_repaired_inertia_is_the_nearest_of_a_rigid_body(moments):
    """No second moments of mass on a grid from their least value on are nearer."""
    repaired = nearest_possible(np.diag(moments))
    assert impossible_moments(Inertial(1.0, inertia=repaired)) is None
    grid = np.linspace(1e-3 * max(moments), 0.6, 61)
    a, b, c = np.meshgrid(grid, grid, grid)
    made = np.stack([b + c, a + c, a + b], axis=-1)
    nearest = np.sqrt(np.square(made - np.array(moments)).sum(axis=-1)).min()
    assert np.linalg.norm(repaired.diagonal() - moments) <= nearest + 1e-12


FOUR_BAR = [
    link("ground"), link("left"), link("right"), link("bar"),
    joint("l", "ground", "left"),
    joint("r", "ground", "right", "continuous", '<origin xyz="1 0 0"/><axis xyz="0 1 0"/>'),
    joint("top", "left", "bar", "continuous", '<origin xyz="0 0 1"/><axis xyz="0 1 0"/>'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "made"), [("revolute", "hinge"), ("fixed", "weld"), ("spherical", "pin")])
def test_a_second_parent_closes_a_loop(kind, made):
    """CAD exporters write closed chains so: the last joint ties the bar to the right side."""
    last = joint("last", "right", "bar", kind, '<origin xyz="-1 0 1"/><axis xyz="0 1 0"/>')
    text = robot(*FOUR_BAR, last)
    tree = urdf.read(text)
    assert any(f"it closes a loop, as a {made}" in note for note in tree.notes)
    (item,) = tree.constraints
    assert (item.type, item.name) == (made, "last")
    np.testing.assert_allclose(item.points, [[-1, 0, 1], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(item.axes[0], item.axes[1], atol=1e-15)
    if kind == "revolute":
        np.testing.assert_allclose(item.axes[0, :, 2], [0, 1, 0], atol=1e-15)
    world = tribo.World()
    world.add_articulated_system(text, self_collision="none")
    world.step(100)
    (tie,) = world.constraints
    assert tie.type == made


def test_an_open_loop_is_doubted_and_a_slider_refused():
    last = joint("last", "right", "bar", "revolute", '<origin xyz="-1 0 1.5"/><axis xyz="0 1 0"/>')
    (doubt,) = (d for d in urdf.read(robot(*FOUR_BAR, last)).doubts if "second joint" in d)
    assert "open by 0.5 m" in doubt
    with pytest.raises(DescriptionError, match="closes a loop, which a prismatic joint cannot"):
        urdf.read(robot(*FOUR_BAR, joint("last", "right", "bar", "prismatic")))


def test_the_root_of_a_plane_that_stands_is_not_the_world():
    tree = urdf.read(robot('<link name="plane"/>'))
    assert tree.bodies[0].name == "plane"
    assert tree.bodies[0].joint.type == Joint.FIXED


@pytest.mark.parametrize("moments", [(0, 0, 0), (1, 1, 0)])
def test_an_inertia_of_zero_is_that_of_the_collision_shapes(moments):
    """1000 of pybullet_data's URDFs have an inertia of diag(1, 1, 0)."""
    body = f'<link name="a">{MASS.format(*moments)}{BALL.format("")}</link>'
    made = urdf.read(robot(body))
    assert made.bodies[0].inertia.diagonal() == pytest.approx([0.4 * 0.1**2] * 3)
    assert any("inertia of 0" in text for text in made.doubts)
    with pytest.raises(DescriptionError, match="inertia of 0"):
        urdf.read(robot(body), strict=True)
    with pytest.raises(DescriptionError, match="without inertia"):
        urdf.read(robot(f'<link name="a">{MASS.format(0, 0, 0)}</link>'))


def test_a_mass_without_inertia_is_that_of_the_collision_shapes():
    """Seven files of airo-models were refused; a link without shapes still is."""
    weight = '<inertial><mass value="2"/></inertial>'
    made = urdf.read(robot(f'<link name="a">{weight}{BALL.format("")}</link>'))
    assert made.bodies[0].inertia.diagonal() == pytest.approx([2.0 * 0.4 * 0.1**2] * 3)
    assert any("inertia of 0" in text for text in made.doubts)
    with pytest.raises(DescriptionError, match="without inertia"):
        urdf.read(robot(f'<link name="a">{weight}</link>'))


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ('<axis xyz="0 1 0"/><axis xyz="1 0 0"/>', "stands again in"),
        ('<axis xyz="0 1 0"/><origin xyz="1 2 3 4"/>', "the first three are read"),
        ('<axis xyz="0 1 0"/><origin xyz="1 2 3"/><origin xyz="5 6 7"/>', "the first one is read"),
    ],
)
def test_what_stands_too_often_is_read_once(inside, said):
    """Two URDFs of pybullet_data have a second axis, and a turn of four numbers."""
    text = robot(link("a"), link("b"), joint("j", "a", "b", inside=inside))
    made = urdf.read(text)
    assert made.bodies[1].joint.axis == (0.0, 1.0, 0.0)
    assert made.bodies[1].joint.position in {(0.0, 0.0, 0.0), (1.0, 2.0, 3.0)}
    assert sum(said in one for one in made.doubts) == 1
    with pytest.raises(DescriptionError, match=said):
        urdf.read(text, strict=True)


def test_stops_that_are_crossed_are_none():
    text = robot(link("a"), link("b"), joint("j", "a", "b", inside='<limit lower="1" upper="-1"/>'))
    made = urdf.read(text)
    assert (made.bodies[1].joint.lower, made.bodies[1].joint.upper) == (-np.inf, np.inf)
    assert any("above upper" in one for one in made.doubts)


def test_a_world_that_is_not_declared_is_stood_on():
    made = urdf.read(robot(link("a"), joint("j", "world", "a")))
    assert [body.joint.type for body in made.bodies] == [Joint.FIXED, Joint.REVOLUTE]


def test_a_collision_shape_of_size_zero_is_left_out():
    empty = "<collision><geometry><sphere radius='0.00'/></geometry></collision>"
    made = urdf.read(robot(f'<link name="a">{SOLID}{empty}{BALL.format(BULLET)}</link>'))
    assert [shape.size for shape in made.bodies[0].shapes] == [(0.1,)]
    assert any("size 0" in text for text in made.doubts)


def test_a_flat_collision_mesh_does_not_collide(tmp_path, caplog):
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    mesh = "<collision><geometry><mesh filename='flat.obj'/></geometry></collision>"
    (tmp_path / "r.urdf").write_text(robot(f'<link name="a">{SOLID}{mesh}{BALL.format("")}</link>'))
    made = tribo.World().add_articulated_system(tmp_path / "r.urdf")
    assert [shape.name for shape in made.description.bodies[0].shapes] == ["a/1"]
    assert "the collision mesh of a/0 is flat" in caplog.text
    with pytest.raises(DescriptionError, match="one plane"):
        tribo.World().add_articulated_system(tmp_path / "r.urdf", strict=True)
