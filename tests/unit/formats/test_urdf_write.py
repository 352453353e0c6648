"""A robot that is written and read again is the same robot."""

import math

import numpy as np
import pytest
from robots import robot_files
from scenes import QUADRUPED, empty_world, pendulum, random_tree

import tribo
from tribo.description.trees import DescriptionError, ShapeDescription, VisualDescription
from tribo.formats import urdf, urdf_write
from tribo.model import Joint, Shape


def assert_same(found, expected):
    """Compare bodies, joints, shapes and frames; turns go through three angles: round-off."""
    assert [b.name for b in found.bodies][1:] == [b.name for b in expected.bodies][1:]
    for one, other in zip(found.bodies, expected.bodies, strict=True):
        assert one.parent == other.parent
        assert one.joint.type == other.joint.type
        assert (one.mass, one.com) == (other.mass, other.com)
        np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-15, atol=0)  # its upper half
        if one.parent >= 0:
            for name in ("name", "position", "lower", "upper", "effort", "velocity", "damping",
                         "friction", "armature"):  # fmt: skip
                assert getattr(one.joint, name) == getattr(other.joint, name), name
            if one.joint.type != Joint.SPHERICAL:
                np.testing.assert_allclose(one.joint.axis, other.joint.axis, atol=1e-15)
            same_turn(one.joint.quaternion, other.joint.quaternion)
        for a, b in zip(one.shapes + one.visuals, other.shapes + other.visuals, strict=True):
            assert (a.kind, a.position) == (b.kind, b.position)
            np.testing.assert_allclose(a.size, b.size, rtol=1e-15)
            same_turn(a.quaternion, b.quaternion)
        assert [s.material for s in one.shapes] == [s.material for s in other.shapes]
        assert [s.name for s in one.shapes] == [s.name for s in other.shapes]
        assert [s.color for s in one.visuals] == [s.color for s in other.visuals]
    frames = {frame.name: frame for frame in found.frames}
    for frame in expected.frames:
        assert frames[frame.name].body == frame.body, frame.name
        np.testing.assert_allclose(frames[frame.name].position, frame.position, atol=1e-15)
        same_turn(frames[frame.name].quaternion, frame.quaternion)


def same_turn(a, b):
    """Compare quaternions up to sign."""
    assert abs(np.dot(a, b)) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(np.multiply(np.sign(np.dot(a, b)), a), b, atol=3e-15)


def test_the_quadruped():
    tree = urdf.read(QUADRUPED)
    text, notes = urdf_write.to_text(tree)
    assert notes == []
    assert_same(urdf.read(text, strict=True), tree)


@pytest.mark.parametrize(("at", "force"), [(0.0, 5.0), (0.0, math.inf), (0.3, math.inf)])
def test_stops_in_one_place(at, force):
    """They hold the joint there. Both at 0, hard and without a bound, is what others write for no stops."""
    tree = urdf.read(QUADRUPED)
    joint = tree.bodies[3].joint
    joint.lower = joint.upper = at
    joint.stop_force = force
    text, notes = urdf_write.to_text(tree)
    if at == 0.0 and force == math.inf:
        assert len(notes) == 1
        assert "read as none" in notes[0]
        return
    assert notes == []
    assert_same(urdf.read(text, strict=True), tree)


@pytest.mark.parametrize("floating", [True, False])
def test_random_trees(floating):
    """All joints and shapes, turned any way, and a fixed root with a name of its own."""
    rng = np.random.default_rng(3)
    tree = random_tree(rng, 7, floating=floating)
    for k, body in enumerate(tree.bodies):
        body.parent = k - 1  # written depth first, a chain keeps its order
        body.joint.damping, body.joint.friction = 0.1 * k, 0.2 * k
        if body.joint.type in (Joint.REVOLUTE, Joint.PRISMATIC):
            body.joint.lower, body.joint.upper, body.joint.effort = -1.0, 2.0, 30.0
    turn = tuple(tree.bodies[3].joint.quaternion)
    sizes = {Shape.SPHERE: (0.1,), Shape.BOX: (0.1, 0.2, 0.3), Shape.CAPSULE: (0.1, 0.2),
             Shape.CYLINDER: (0.1, 0.3), Shape.ELLIPSOID: (0.1, 0.2, 0.3)}  # fmt: skip
    for k, (kind, size) in enumerate(sizes.items()):
        tree.bodies[2].shapes.append(ShapeDescription(kind, size, (0.1, 0.2, 0.3), turn, "rubber", f"b2/{k}"))
        tree.bodies[2].visuals.append(VisualDescription(kind, size, color=(0.1, 0.2, 0.3, 0.4)))
    found = urdf.read(urdf_write.to_text(tree)[0])
    assert_same(found, tree)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-10, 1.0])
def test_turns_at_the_poles(pitch):
    """Roll and yaw coincide there; the rotation must not suffer more than some roundings."""
    from tribo.formats.pose import from_roll_pitch_yaw, matrix

    q = from_roll_pitch_yaw((0.3, pitch, -0.7))
    back = from_roll_pitch_yaw(urdf_write._roll_pitch_yaw(q))
    np.testing.assert_allclose(matrix(back), matrix(q), atol=2e-15)


def test_a_robot_in_a_world(tmp_path):
    """Edits at run time are written; the file makes an equal robot."""
    world = empty_world()
    robot = world.add_articulated_system(QUADRUPED, name="dog")
    robot.link("LF_THIGH" if "LF_THIGH" in robot.body_names else robot.body_names[2]).mass = 3.0
    robot.joints[0].position_in_parent = (0.1, 0.2, 0.3)
    path = tmp_path / "dog.urdf"
    notes = robot.export_urdf(path)
    assert len(notes) == 4  # one for each foot
    assert all(f"{leg}_FOOT" in note and "parts" in note
               for leg, note in zip(("LF", "RF", "LH", "RH"), notes, strict=True))  # fmt: skip
    other = empty_world().add_articulated_system(path)
    np.testing.assert_allclose(other.mass_matrix, robot.mass_matrix, rtol=1e-13, atol=1e-14)
    assert set(other.frame_names) == set(robot.frame_names)
    assert robot.to_urdf() == path.read_text()


def test_meshes_are_found_again(tmp_path):
    """Relative references follow the file."""
    mesh = tmp_path / "robot" / "part.stl"
    mesh.parent.mkdir()
    mesh.write_text("solid\nendsolid\n")
    text = """<robot name="r"><link name="a"><visual><geometry><mesh filename="part.stl" scale="1 2 3"/>
        </geometry></visual><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
        izz="1"/></inertial></link></robot>"""
    (mesh.parent / "r.urdf").write_text(text)
    tree = urdf.read(mesh.parent / "r.urdf")
    urdf_write.write(tree, tmp_path / "copy.urdf")
    found = urdf.read(tmp_path / "copy.urdf").bodies[0].visuals[0].mesh
    assert (found.path, found.scale) == (mesh, (1.0, 2.0, 3.0))


def test_what_is_left_out_is_told():
    tree = pendulum()
    tree.bodies[1].joint.lower = -1.0
    tree.bodies[1].joint.effort = 0.0
    tree.bodies[1].shapes.append(ShapeDescription(Shape.SPHERE, (0.1,), name="bob/0", group=2))
    notes = " | ".join(urdf_write.to_text(tree)[1])
    for words in ("missing stop", "effort 0", "group and mask of bob/0"):
        assert words in notes


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: setattr(t.bodies[1], "name", "World"), "is the world itself"),
        (lambda t: setattr(t.bodies[1], "name", "base"), "appears twice"),
        (lambda t: setattr(t.bodies[1], "mass", math.nan), "must be finite"),
        (lambda t: setattr(t.bodies[1], "name", "a\x00b"), "cannot be written"),
        (
            lambda t: t.bodies[1].shapes.append(ShapeDescription(Shape.PLANE, ())),
            "a PLANE has no URDF element",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(change, says, tmp_path):
    tree = pendulum()
    change(tree)
    path = tmp_path / "robot.urdf"
    path.write_text("precious")
    with pytest.raises(DescriptionError, match=says):
        urdf_write.write(tree, path)
    assert path.read_text() == "precious"


def test_the_robots_of_the_package():
    """All that load: written, read, the same; M, h and J of a frame in some states, too.

    Turns go through three angles, which costs some roundings a joint: 1e-12 of the largest entry.
    """
    count = 0
    rng = np.random.default_rng(5)
    for file in robot_files():
        try:
            tree = urdf.read(file)
        except DescriptionError:
            continue
        again = urdf.read(urdf_write.to_text(tree)[0])
        assert_same(again, tree)
        count += 1
        one, other = (
            tribo.World().add_articulated_system(made, collision_meshes="none", position=(0, 0, 0))
            for made in (tree, again)
        )
        if one.dof == 0:
            continue
        v = rng.normal(size=(3, one.dof))
        q = np.tile(one.generalized_coordinate, (3, 1))
        for joint in one.joints:
            if np.ndim(joint.coordinate) == 0:
                q[:, one.coordinate_slice(joint.name)] = rng.uniform(-1, 1, (3, 1))
        name = tree.bodies[-1].name
        first, second = one.at(q, v), other.at(q, v)
        for found, expected in (
            (second.mass_matrix, first.mass_matrix),
            (second.bias_force, first.bias_force),
            (second.frame(name).jacobian(), first.frame(name).jacobian()),
        ):
            scale = max(np.abs(expected).max(), 1e-9)
            assert np.abs(found - expected).max() < 1e-12 * scale, file.name
    assert count > 50


def test_a_fixed_robot_keeps_its_names_and_its_place():
    """Its root does not become the link 'world' that the file needs to fix it."""
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.2, 0.2), mass=1.0)
    root.fix_to_world()
    arm = root.add_child("arm", "revolute", position=(0, 0, 0.1), axis=(0, 1, 0))
    arm.add_shape("box", (0.1, 0.1, 0.4), mass=1.0, position=(0, 0, 0.2))
    world = tribo.World()
    made = world.add_articulated_system(root, position=(1, 0, 0))
    again = world.add_articulated_system(made.to_urdf(), position=(1, 0, 0), strict=True)
    assert again.body_names == made.body_names == ("base", "arm")
    assert again.frame_names == made.frame_names
    assert not again.is_floating
    np.testing.assert_array_equal(again.position, made.position)
    np.testing.assert_array_equal(again.mass_matrix, made.mass_matrix)
    assert again.to_urdf().replace(again.name, made.name) == made.to_urdf()
    assert_same(urdf.read(made.to_urdf()), made.description)


def test_a_world_with_a_mass_stays_what_the_base_is_called():
    """Only an empty link 'world' gives way, and only if its joint shall not collapse."""
    root = tribo.LinkDescription("base")
    root.add_shape("box", (0.2, 0.2, 0.2), mass=1.0)
    root.fix_to_world()
    text = tribo.World().add_articulated_system(root).to_urdf()
    assert urdf.read(text).bodies[0].name == "base"
    assert urdf.read(text.replace(' dont_collapse="true"', "")).bodies[0].name == "world"
    shape = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    full = text.replace('<link name="world"/>', f'<link name="world">{shape}</link>')
    assert urdf.read(full).bodies[0].name == "world"
