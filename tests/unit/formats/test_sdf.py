"""SDF: frames, joints, masses, surfaces, included models, worlds."""

import math

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import sdf
from tribo.formats.robot_files import one_robot
from tribo.model import Joint, Kind

MASS = (
    "<inertial><pose>0 0 {z} 0 0 0</pose><mass>{m}</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz>"
    "</inertia></inertial>"
)
BALL = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>{}</collision>"
AXIS = "<axis><xyz>0 1 0</xyz>{}</axis>"
ABOUT_Y = AXIS.format("")


def read_robot(source, **how):
    return one_robot(sdf.read(source, **how)[0], "SDF", "load_sdf")


def link(name, pose="", inside="", m=1.0, z=0.0):
    return f"<link name='{name}'>{pose}{MASS.format(m=m, z=z)}{inside}</link>"


def joint(name, parent, child, kind="revolute", inside=ABOUT_Y):
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='{kind}'>{ends}{inside}</joint>"


def model(*parts, name="m", pose=""):
    return f"<model name='{name}'>{pose}{''.join(parts)}</model>"


def file(*parts, version="1.9"):
    return f"<sdf version='{version}'>{''.join(parts)}</sdf>"


def robot(*parts, **options):
    return tribo.World().add_articulated_system(file(model(*parts)), **options)


def test_a_pendulum_swings_as_the_formula_says():
    """Its axis goes through the joint's frame, not through the link's: T = 2 π √(I / (m g d)), small angles.

    The link's frame is 0.5 m below the joint; I = 0.1 + 1 · 0.5² kg m². Angles of 1e-3 rad: the period
    differs by θ²/16, and the integrator's by (ω h)²/24.
    """
    world = tribo.World(time_step=1e-3)
    hinge = joint("hinge", "world", "bob", inside="<pose>0 0 0.5 0 0 0</pose>" + AXIS.format(""))
    text = file(model(link("bob", "<pose>0 0 1 0 0 0</pose>"), hinge))
    pendulum = world.add_articulated_system(text)
    assert pendulum.dof == 1
    pendulum.generalized_coordinate = [1e-3]
    period = 2.0 * math.pi * math.sqrt((0.1 + 0.25) / (1.0 * 9.81 * 0.5))
    world.step(round(period / 1e-3))
    assert pendulum.generalized_coordinate[0] == pytest.approx(1e-3, rel=1e-4)


def test_poses_are_relative_to_frames():
    frames = (
        "<frame name='f'><pose degrees='true'>1 0 0 0 0 90</pose></frame>"
        "<frame name='g' attached_to='f'><pose>1 0 0 0 0 0</pose></frame>"
    )
    tree, _ = read_robot(
        file(
            model(
                link("a"),
                frames,
                link("b", "<pose relative_to='g'>0 0 3 0 0 0</pose>"),
                joint("j", "a", "b", "fixed", ""),
            )
        )
    )
    (frame,) = (f for f in tree.frames if f.name == "b")
    np.testing.assert_allclose(frame.position, (1, 1, 3), atol=1e-15)
    np.testing.assert_allclose(frame.quaternion, (math.sqrt(0.5), 0, 0, math.sqrt(0.5)), atol=1e-15)


@pytest.mark.parametrize(
    ("inside", "version", "expected"),
    [
        ("<xyz>1 0 0</xyz>", "1.9", (1, 0, 0)),
        ("<xyz expressed_in='__model__'>1 0 0</xyz>", "1.9", (0, -1, 0)),
        ("<xyz>1 0 0</xyz>", "1.4", (0, -1, 0)),
        ("<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", "1.6", (0, -1, 0)),
    ],
)
def test_axes_are_expressed_in_the_joint_or_in_a_frame(inside, version, expected):
    """The child is turned by 90° about z: x of the model is −y of the joint."""
    parts = (
        link("a"),
        link("b", "<pose>0 0 1 0 0 1.5707963267948966</pose>"),
        joint("j", "a", "b", inside=f"<axis>{inside}</axis>"),
    )
    tree, _ = read_robot(file(model(*parts), version=version))
    np.testing.assert_allclose(tree.bodies[1].joint.axis, expected, atol=1e-12)


def test_limits_dynamics_and_mimic_of_an_axis():
    limit = (
        "<limit><lower>-1</lower><upper>1e16</upper><effort>-1</effort><velocity>2</velocity></limit>"
        "<dynamics><damping>0.1</damping><friction>0.2</friction><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>0.5</spring_reference></dynamics>"
    )
    follow = (
        "<mimic joint='j'><multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic>"
    )
    parts = (
        link("a"), link("b"), link("c"),
        joint("j", "a", "b", inside=AXIS.format(limit)), joint("k", "a", "c", inside=AXIS.format(follow)),
    )  # fmt: skip
    one, other = (body.joint for body in read_robot(file(model(*parts)))[0].bodies[1:])
    assert (one.lower, one.upper, one.effort, one.velocity) == (-1.0, math.inf, math.inf, 2.0)
    assert (one.damping, one.friction, one.stiffness, one.spring_reference) == (0.1, 0.2, 3.0, (0.5,))
    assert other.mimic == ("j", 2.0, 0.5)


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("continuous", [Joint.REVOLUTE]),
        ("prismatic", [Joint.PRISMATIC]),
        ("ball", [Joint.SPHERICAL]),
        ("universal", [Joint.REVOLUTE, Joint.REVOLUTE]),
        ("fixed", []),
    ],
)
def test_types_of_joints(kind, types):
    axes = AXIS.format("") + "<axis2><xyz>1 0 0</xyz></axis2>"
    tree, _ = read_robot(file(model(link("a"), link("b"), joint("j", "a", "b", kind, axes))))
    assert [body.joint.type for body in tree.bodies[1:]] == types


def test_a_free_model_starts_where_the_file_places_it():
    pose = "<pose>1 2 3 0 0 1.5707963267948966</pose>"
    text = file(model(link("a", "<pose>1 0 0 0 0 0</pose>"), pose=pose))
    made = tribo.World().add_articulated_system(text)
    np.testing.assert_allclose(made.position, (1, 3, 3), atol=1e-12)


def test_surfaces_are_materials():
    surface = (
        "<surface><friction><ode><mu>0.3</mu><mu2>0.2</mu2></ode></friction>"
        "<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.1</threshold></bounce></surface>"
    )
    world = tribo.World()
    made = world.add_articulated_system(file(model(link("a", inside=BALL.format(surface)))))
    name = made.collision_bodies[0].material
    assert name == "gazebo friction 0.2 restitution 0.5 threshold 0.1"
    pair = world.materials.pair(name, "default")
    assert (pair.friction, pair.restitution, pair.restitution_threshold) == (0.2, 0.5, 0.1)


def test_friction_in_the_words_of_pybullet_is_a_material():
    """Grippers of pybullet_data have <contact> in their links, as its URDFs do; it was left out."""
    contact = (
        "<contact><lateral_friction value='0.8'/><spinning_friction>.1</spinning_friction>"
        "<rolling_friction>0.04</rolling_friction><stiffness>30000</stiffness></contact>"
    )
    own = "<surface><friction><ode><mu>0.3</mu></ode></friction></surface>"
    inside = contact + BALL.format("") + BALL.format(own)
    world = tribo.World()
    made = world.add_articulated_system(file(model(link("a", inside=inside))))
    name = "bullet friction 0.8 rolling 0.04 spinning 0.1"
    materials = [item.material for item in made.collision_bodies]
    assert materials == [name, "gazebo friction 0.3"]
    pair = world.materials.pair(name, "default")
    assert (pair.friction, pair.rolling_length, pair.spinning_length) == (0.8, 0.04, 0.1)
    assert any("stiffness and damping are not read" in text for text in made.description.notes)


def test_rolling_friction_of_bullet_counts_where_its_friction_does():
    bullet = "<bullet><friction>0.6</friction><rolling_friction>0.02</rolling_friction></bullet>"
    surface = "<surface><friction>{}</friction></surface>"
    both = surface.format("<ode><mu>0.3</mu></ode>" + bullet)
    inside = BALL.format(surface.format(bullet)) + BALL.format(both)
    tree, _ = read_robot(file(model(link("a", inside=inside))))
    assert [shape.material for shape in tree.bodies[0].shapes] == [
        "gazebo friction 0.6 rolling 0.02", "gazebo friction 0.3",
    ]  # fmt: skip


def test_a_joint_follows_the_second_axis_of_another():
    follow = "<mimic joint='j' axis='axis2'><multiplier>2</multiplier></mimic>"
    axes = AXIS.format("") + "<axis2><xyz>1 0 0</xyz></axis2>"
    parts = (
        link("a"), link("b"), link("c"), joint("j", "a", "b", "universal", axes),
        joint("k", "a", "c", inside=AXIS.format(follow)),
    )  # fmt: skip
    tree, _ = read_robot(file(model(*parts)))
    (found,) = (body.joint.mimic for body in tree.bodies if body.joint.mimic)
    assert found == ("j/2", 2.0, 0.0)


def test_the_default_profile_of_physics_counts():
    profile = "<physics{}><max_step_size>{}</max_step_size></physics>"
    profiles = profile.format("", 0.002) + profile.format(" default='true'", 0.004)
    text = file(f"<world name='w'>{profiles}{model(link('a'))}</world>")
    assert tribo.World.load(text).time_step == 0.004


def test_a_frame_is_attached_to_the_canonical_link():
    """A joint on a frame without attached_to hangs on that link; it hung on the first one."""
    parts = (
        link("a"), link("b"), link("c"), joint("j", "a", "b"),
        "<frame name='f'/>", joint("k", "f", "c"),
    )  # fmt: skip
    text = file(model(*parts)).replace("<model", "<model canonical_link='b'")
    tree, _ = read_robot(text)
    assert [tree.bodies[body.parent].name for body in tree.bodies[1:]] == ["a", "b"]
    with pytest.raises(DescriptionError, match="canonical_link='d' is not a link of the model"):
        read_robot(text.replace("canonical_link='b'", "canonical_link='d'"))


def test_a_mesh_collides_as_its_file_says(tmp_path):
    import trimesh

    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / "ring.stl")
    mesh = "<mesh optimization='{}'><uri>ring.stl</uri></mesh>"
    shape = f"<collision name='c'><geometry>{mesh}</geometry></collision>"
    parts = {}
    for word in ("convex_hull", "convex_decomposition"):
        path = tmp_path / f"{word}.sdf"
        path.write_text(file(model(link("a", inside=shape.format(word)))))
        parts[word] = len(tribo.World().add_articulated_system(path).collision_bodies)
    assert parts["convex_hull"] == 1 < parts["convex_decomposition"]


def test_meshes_of_static_models_collide(tmp_path):
    """They were drawn and met nothing, in silence: balls fell through floors and walls of worlds."""
    import trimesh

    trimesh.creation.box((2, 2, 0.2)).export(tmp_path / "slab.stl")
    mesh = "<collision name='c'><geometry><mesh><uri>{}</uri></mesh></geometry></collision>"
    slab = f"<static>true</static><link name='l'>{mesh.format('slab.stl')}</link>"
    ball = model(link("l", inside=BALL.format("")), name="ball", pose="<pose>0.3 0.2 0.5 0 0 0</pose>")
    path = tmp_path / "world.sdf"
    path.write_text(file(f"<world name='w'>{model(slab, name='slab')}{ball}</world>"))
    world = tribo.World.load(path)
    world.step(1000)
    assert world["ball"].position[2] == pytest.approx(0.2, abs=1e-4)
    world.save(tmp_path / "saved.xml")
    assert [item.name for item in tribo.World.load(tmp_path / "saved.xml").objects] == ["slab", "ball"]
    drawn = tribo.World()
    drawn.load_sdf(path, collision_meshes="none")
    drawn.step(1000)
    assert drawn["ball"].position[2] < -1.0
    path.write_text(path.read_text().replace("slab.stl", "none.stl"))
    with pytest.raises(DescriptionError, match=r"none\.stl.*was not found.*strict=True"):
        tribo.World().load_sdf(path, strict=True)


def test_a_bounce_without_threshold_is_none_as_in_gazebo():
    surface = "<surface><bounce><restitution_coefficient>1</restitution_coefficient></bounce></surface>"
    tree, _ = read_robot(file(model(link("a", inside=BALL.format(surface)))))
    assert tree.bodies[0].shapes[0].material == "gazebo friction 1.0"
    assert any("nothing bounces" in note for note in tree.notes)


def test_links_of_a_model_touch_one_another_if_it_says_so():
    parts = (
        link("a", inside=BALL.format("")), link("b"),
        link("c", "<pose>0 0 0.5 0 0 0</pose>", BALL.format("")),
        joint("j", "a", "b"), joint("k", "b", "c"),
    )  # fmt: skip
    assert ("a", "c") in robot(*parts).ignored_collisions
    assert ("a", "c") not in robot("<self_collide>1</self_collide>", *parts).ignored_collisions
    assert ("a", "c") not in robot(*parts, self_collision="all").ignored_collisions


def test_a_mass_from_densities():
    inside = "<inertial auto='true'><density>10</density></inertial>" + BALL.format("")
    tree, _ = read_robot(file(model(f"<link name='a'>{inside}</link>")))
    assert tree.bodies[0].mass == pytest.approx(10.0 * 4.0 / 3.0 * math.pi * 1e-3)


def test_a_link_that_is_called_world_is_one_or_the_world_itself():
    """Grippers of pybullet_data have one; what hangs on it was there twice, in the same place."""
    parts = link("a"), joint("j", "world", "a")
    (item,) = sdf.read(file(model("<link name='world'/>", *parts)))[0].objects
    assert item.tree.bodies[0].joint.type == Joint.FIXED
    assert [body.name for body in item.tree.bodies[1:]] == ["a"]
    (item,) = sdf.read(file(model(link("world"), *parts)))[0].objects
    assert item.tree.bodies[0].joint.type == Joint.FREE
    assert [body.name for body in item.tree.bodies] == ["world", "a"]


def test_a_loop_closes():
    parts = (
        link("a"), link("l", "<pose>0 0 1 0 0 0</pose>"), link("r", "<pose>1 0 1 0 0 0</pose>"),
        joint("jl", "a", "l"), joint("jr", "a", "r"), joint("top", "l", "r"),
    )  # fmt: skip
    tree, _ = read_robot(file(model(*parts, pose="<pose>0 0 5 1 0 0</pose>")))
    (item,) = tree.constraints
    assert item.type == "hinge"
    # The joint's frame is that of its child r: 1 m along x of l, which is at its own joint.
    np.testing.assert_allclose(item.points, [[1, 0, 0], [0, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(item.axes[:, :, 2], [[0, 1, 0], [0, 1, 0]], atol=1e-12)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models" / "leg").mkdir(parents=True)
    leg = model(link("thigh"), link("shin"), joint("knee", "thigh", "shin"), name="leg")
    (tmp_path / "models" / "leg" / "model.sdf").write_text(file(leg))
    return tmp_path


def test_models_are_included_and_nested(folder):
    include = "<include><uri>model://leg</uri><name>{0}</name><pose>{1} 0 0 0 0 0</pose></include>"
    trunk = model(
        link("trunk"), include.format("left", -1), include.format("right", 1),
        joint("lh", "trunk", "left::thigh"), joint("rh", "trunk", "right::thigh"), name="biped",
    )  # fmt: skip
    (folder / "world.sdf").write_text(file(f"<world name='w'>{trunk}</world>"))
    world = tribo.World.load(folder / "world.sdf", package_dirs=folder / "models")
    (biped,) = world.objects
    assert biped.name == "biped"
    assert biped.body_names == (
        "trunk", "left::thigh", "left::shin", "right::thigh", "right::shin",
    )  # fmt: skip
    assert biped.frame("right::thigh").position.tolist() == [1, 0, 0]
    assert world.time_step == 1e-3


def test_a_world_has_gravity_a_step_static_models_and_free_ones():
    plane = (
        "<static>true</static><link name='l'><collision name='c'><geometry><plane>"
        "<normal>0 0 1</normal></plane></geometry></collision></link>"
    )
    text = (
        "<world name='w'><gravity>0 0 -3.7</gravity><physics type='ode'><max_step_size>0.002</max_step_size>"
        f"</physics>{model(plane, name='ground')}"
        f"{model(link('l', inside=BALL.format('')), name='ball', pose='<pose>0 0 1 0 0 0</pose>')}</world>"
    )
    world = tribo.World.load(file(text))
    assert (world.time_step, world.gravity.tolist()) == (0.002, [0, 0, -3.7])
    ground, ball = world.objects
    assert ground.body_type == Kind.STATIC
    world.step(2000)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-4)


def test_models_of_gazebo_that_are_not_there_are_its_own(folder):
    """Most worlds of Gazebo name these two; without its installation none of them was read."""
    (folder / "models" / "lamp").mkdir()
    (folder / "models" / "lamp" / "model.sdf").write_text(file("<light name='l' type='spot'/>"))
    named = "".join(
        f"<include><uri>model://{name}</uri></include>" for name in ("sun", "ground_plane", "lamp")
    )
    ball = model(link("l", inside=BALL.format("")), name="ball", pose="<pose>40 30 0.1 0 0 0</pose>")
    (folder / "a.world").write_text(file(f"<world name='w'>{named}{ball}</world>"))
    world = tribo.World.load(folder / "a.world", package_dirs=folder / "models")
    ground, ball = world.objects
    assert (ground.name, ground.body_type) == ("ground_plane", Kind.STATIC)
    world.step(10)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-6)
    found, _ = sdf.read(folder / "a.world", package_dirs=[folder / "models"])
    assert sum("is a light" in text for text in found.notes) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (file(), "holds no model with a link"),
        (
            file("<world name='w'>", "<population name='p'>", model(link("a")), "</population></world>"),
            "holds nothing that is read: .*<population name='p'>: is not read",
        ),
        ("<model/>", "is not the outermost|is no SDF|is not a"),
        (file(model(link("a"), joint("j", "a", "b"))), "'b' does not exist"),
        (file(model(link("a"), link("b"), joint("j", "a", "b", "screw"))), "screw.*not supported"),
        (file(model(link("a", "<pose relative_to='f'/>"))), "frame 'f' does not exist"),
        (
            file(model(
                link("a", "<pose relative_to='b'/>"), link("b", "<pose relative_to='a'/>"),
            )),
            "in a circle",
        ),
        (file(model(link("a"), link("a"))), "two frames named 'a'"),
        (file(model(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a"))), "loop"),
        (file(model(link("a", "<pose>1 2</pose>"))), "has 2 numbers, must have 6"),
        (file(model(link("a", m="much"))), "<mass>.*'much'"),
        (file(model(link("a", m=0))), "neither it nor what hangs on it has mass"),
        (file(model("<include><uri>model://none</uri></include>")), "model 'model://none': not found"),
        (file(model("<include><uri>../../../etc/passwd.sdf</uri></include>")), "not found|refused"),
    ],
)  # fmt: skip
def test_a_defect_is_named(text, says):
    with pytest.raises(DescriptionError, match=says):
        read_robot(text)
    world = tribo.World()
    with pytest.raises(DescriptionError):
        world.load_sdf(text)
    assert world.objects == ()


def test_of_two_shapes_in_a_geometry_the_first_is_read_and_that_is_said():
    both = "<sphere><radius>1</radius></sphere><box><size>1 1 1</size></box>"
    inside = f"<collision name='c'><geometry>{both}</geometry></collision>"
    tree, *_ = read_robot(file(model(link("a", inside=inside))))
    assert any("<geometry>: has 2 shapes: only the first is read" in text for text in tree.notes)


def test_models_that_include_one_another_end(tmp_path):
    include = "<include><uri>model://a</uri></include>"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "model.sdf").write_text(file(model(link("l"), include, name="a")))
    with pytest.raises(DescriptionError, match="more than 32 deep"):
        sdf.read(tmp_path / "a" / "model.sdf", package_dirs=[tmp_path])


def test_what_is_not_read_is_said_and_strict_refuses_it():
    text = file(model(link("a"), "<odd/>"))
    assert any("<odd>" in note for note in read_robot(text)[0].notes)
    with pytest.raises(DescriptionError, match="odd"):
        read_robot(text, strict=True)


def test_a_second_model_of_a_name_is_named():
    text = f"<sdf version='1.9'><world name='w'>{model(link('a'))}{model(link('b'))}</world></sdf>"
    scene, _ = sdf.read(text)
    assert [item.tree.bodies[0].name for item in scene.objects] == ["a", "b"]
    assert len(scene.doubts) == 1
    assert "a model named 'm' stands in line 1 already" in scene.doubts[0]
    with pytest.raises(DescriptionError, match="rename one"):
        sdf.read(text, strict=True)


def test_a_robot_alone_says_what_of_its_file_stands():
    floor = model(link("f"), name="floor").replace("<link", "<static>1</static><link", 1)
    floor = floor.replace("</link>", f"{BALL.format('')}</link>")
    text = f"<sdf version='1.9'><world name='w'>{floor}{model(link('a'))}</world></sdf>"
    tree, _ = read_robot(text)
    assert tree.doubts == ["what stands in the file is left out: 'floor'; world.load_sdf takes it, too"]
    with pytest.raises(DescriptionError, match="0 objects move"):
        read_robot(f"<sdf version='1.9'><world name='w'>{floor}</world></sdf>")
