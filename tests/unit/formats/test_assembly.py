"""Robots built in Python from links: the same as from a URDF, and wrong ones refused."""

import copy

import numpy as np
import pytest
import reference
from scenes import empty_world, random_inertia, random_state

from tribo.description import inertias
from tribo.description.trees import (
    DescriptionError,
    JointDescription,
    LinkDescription,
    ShapeDescription,
    internal_size,
)
from tribo.formats import urdf
from tribo.formats.assembly import assemble
from tribo.model import Joint, Shape

QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # about z


def robot():
    """Return a base with a turning arm, a fixed plate under a fixed mast, and a ball joint on it."""
    base = LinkDescription("base", 2.0, (0.1, 0, 0), inertias.box(2.0, (0.4, 0.3, 0.2)))
    base.add_shape("box", (0.4, 0.3, 0.2), material="steel", color=(1, 0, 0, 1))
    base.add_shape("sphere", (0.1,), position=(0, 0, 0.2), is_drawn=False)
    arm = LinkDescription("arm", 0.5, (0, 0, 0.2), inertias.cylinder(0.5, 0.03, 0.4))
    arm.add_shape("cylinder", (0.03, 0.4), position=(0, 0, 0.2))
    base.attach(arm, JointDescription("hip", Joint.REVOLUTE, (0.2, 0, 0), QUARTER, (0, 2, 0), -1.0, 1.0))
    mast = LinkDescription("mast", 0.3, (0, 0, 0.1), inertias.capsule(0.3, 0.02, 0.2))
    base.attach(mast, JointDescription("mast_joint", Joint.FIXED, (0, 0.1, 0.1), QUARTER))
    plate = LinkDescription("plate", 0.2, (0.05, 0, 0), inertias.box(0.2, (0.1, 0.1, 0.01)))
    plate.add_shape("capsule", (0.02, 0.1), material="rubber")
    mast.attach(plate, JointDescription("plate_joint", Joint.FIXED, (0.1, 0, 0.2), QUARTER))
    tail = LinkDescription("tail", 0.1, (0, 0, -0.1), inertias.capsule(0.1, 0.02, 0.1))
    plate.attach(tail, JointDescription("tail_joint", Joint.SPHERICAL, (0, 0, -0.1), armature=0.01))
    return base


def test_bodies_frames_and_shapes():
    """Depth first; fixed links are merged, stay as frames and hand their shapes and children on."""
    tree = assemble(robot())
    assert [(b.name, b.parent, b.joint.type) for b in tree.bodies] == [
        ("base", -1, Joint.FREE), ("arm", 0, Joint.REVOLUTE), ("tail", 0, Joint.SPHERICAL),
    ]  # fmt: skip
    frames = {frame.name: frame for frame in tree.frames}
    assert set(frames) == {
        "base", "hip", "arm", "mast", "mast_joint", "plate", "plate_joint", "tail", "tail_joint",
    }  # fmt: skip
    # The mast turns x into y: (0.1, 0, 0.2) of it is (0, 0.1, 0.2) of the base.
    np.testing.assert_allclose(frames["plate"].position, (0, 0.2, 0.3), atol=1e-15)
    np.testing.assert_allclose(np.abs(frames["plate"].quaternion), (0, 0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(tree.bodies[2].joint.position, (0, 0.2, 0.2), atol=1e-15)
    np.testing.assert_allclose(tree.bodies[1].joint.axis, (0, 1, 0))
    base = tree.bodies[0]
    assert [s.name for s in base.shapes] == ["base/0", "base/1", "plate/0"]
    assert [s.material for s in base.shapes] == ["steel", "default", "rubber"]
    np.testing.assert_allclose(base.shapes[2].position, (0, 0.2, 0.3), atol=1e-15)
    assert len(base.visuals) == 2
    assert base.mass == pytest.approx(2.5)
    # Steiner: the plate's centre stands at (0, 0.2, 0.3) − (0.05, 0, 0).
    moment = 2.0 * np.array([0.1, 0, 0]) + 0.3 * np.array([0, 0.1, 0.2]) + 0.2 * np.array([-0.05, 0.2, 0.3])
    np.testing.assert_allclose(base.com, moment / 2.5, atol=1e-15)


def test_the_same_as_from_a_urdf():
    """The written URDF reads as the same robot: mass matrix and frames in a random state."""
    rng = np.random.default_rng(1)
    made = empty_world().add_articulated_system(robot())
    read = empty_world().add_articulated_system(made.to_urdf())
    random_state(rng, made)
    at = read.at(made.generalized_coordinate)
    np.testing.assert_allclose(made.mass_matrix, at.mass_matrix, atol=1e-14)
    for name in made.frame_names:
        np.testing.assert_allclose(made.frame(name).position, at.frame(name).position, atol=1e-14)


def test_merging_keeps_the_dynamics():
    """A chain whose links are cut in two by fixed joints moves like the one that is not cut."""
    rng = np.random.default_rng(2)
    robots = []
    masses = [(1.0, random_inertia(rng, 1.0)) for _ in range(3)]
    for cut in (False, True):
        root = LinkDescription("l0", *_solid(masses[0]))
        above = root
        for k in (1, 2):
            joint = JointDescription(f"j{k}", Joint.REVOLUTE, (0.1, 0.2, 0.3), QUARTER, (1, 2, 3))
            mass, com, inertia = _solid(masses[k])
            if not cut:
                link = LinkDescription(f"l{k}", mass, com, inertia)
                above.attach(link, joint)
            else:
                link = LinkDescription(f"l{k}", 0.4 * mass, com, 0.4 * inertia)
                above.attach(link, joint)
                turn = reference.rotation_of(QUARTER)
                rest = LinkDescription(
                    f"r{k}", 0.6 * mass, tuple(turn.T @ (np.array(com) - [1, 2, 3])),
                    0.6 * turn.T @ inertia @ turn,
                )  # fmt: skip
                link.attach(rest, JointDescription(f"f{k}", Joint.FIXED, (1, 2, 3), QUARTER))
            above = link
        robots.append(empty_world().add_articulated_system(root))
    random_state(rng, robots[0])
    q, v = robots[0].generalized_coordinate, robots[0].generalized_velocity
    np.testing.assert_allclose(robots[1].at(q).mass_matrix, robots[0].mass_matrix, atol=1e-13)
    np.testing.assert_allclose(robots[1].at(q, v).bias_force, robots[0].bias_force, atol=1e-12)


def _solid(part):
    return part[0], (0.1, -0.2, 0.3), part[1]


def test_a_fixed_base():
    root = robot()
    root.joint = JointDescription("stand", Joint.FIXED)
    made = empty_world().add_articulated_system(root, position=(1, 2, 3))
    assert made.dof == 4
    np.testing.assert_array_equal(made.frame("base").position, (1, 2, 3))


def test_the_links_stay_as_they_are():
    """One description makes many robots."""
    root = robot()
    before = copy.deepcopy(root)
    world = empty_world()
    first, second = world.add_articulated_system(root), world.add_articulated_system(root)
    first.link("arm").mass = 9.0
    assert second.link("arm").mass == 0.5
    assert repr(root) == repr(before)


def test_a_long_chain_is_no_recursion():
    root = above = LinkDescription("l0", 1.0, inertia=np.eye(3))
    for k in range(1, 3000):
        link = LinkDescription(f"l{k}", 1.0, inertia=np.eye(3))
        above.attach(link, JointDescription(f"j{k}", Joint.REVOLUTE))
        above = link
    assert len(assemble(root).bodies) == 3000


def arm_of(root):
    return root.children[0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: setattr(arm_of(r), "name", "base"), "link 'base' appears twice"),
        (lambda r: setattr(arm_of(r), "name", ""), "has no name"),
        (lambda r: setattr(arm_of(r).joint, "name", "mast_joint"), "joint 'mast_joint' appears twice"),
        (lambda r: setattr(arm_of(r), "joint", None), "link 'arm' has no joint; use parent.attach"),
        (lambda r: setattr(arm_of(r).joint, "type", Joint.FREE), "must be one of REVOLUTE"),
        (lambda r: setattr(r, "joint", JointDescription("x", Joint.REVOLUTE)), "must be one of FREE"),
        (lambda r: setattr(arm_of(r).joint, "axis", (0, 0, 0)), "axis of joint 'hip' has no direction"),
        (lambda r: setattr(arm_of(r).joint, "quaternion", (1, 1, 0, 0)), "unit quaternion"),
        (lambda r: setattr(arm_of(r).joint, "lower", 2.0), "lower 2.0 is above upper 1.0"),
        (lambda r: setattr(arm_of(r).joint, "damping", -1.0), "damping of joint 'hip' must be ≥ 0"),
        (lambda r: setattr(arm_of(r), "mass", -1.0), "mass of link 'arm' must be ≥ 0"),
        (lambda r: setattr(arm_of(r), "com", (0, np.nan, 0)), "com of link 'arm' must be finite"),
        (lambda r: setattr(arm_of(r), "inertia", np.ones(3)), "must be a symmetric"),
        (lambda r: setattr(arm_of(r), "inertia", -np.eye(3)), "has eigenvalue -1"),
        (lambda r: r.attach(arm_of(r), JointDescription("again", Joint.REVOLUTE)), "appears twice"),
        (
            lambda r: r.attach(LinkDescription("air"), JointDescription("j", Joint.REVOLUTE)),
            "link 'air': moves .* has mass",
        ),
        (
            lambda r: r.shapes.append(ShapeDescription(Shape.SPHERE, (1.0,), (0, 0, np.inf))),
            "position of a shape of link 'base' must be finite",
        ),
    ],
)
def test_wrong_links_are_refused(change, says):
    root = robot()
    change(root)
    world = empty_world()
    with pytest.raises(DescriptionError, match=says):
        world.add_articulated_system(root)
    assert world.objects == ()


def test_a_loop_of_links_is_refused():
    root = robot()
    arm_of(root).attach(arm_of(root), JointDescription("back", Joint.REVOLUTE))
    with pytest.raises(DescriptionError, match="link 'arm' appears twice"):
        assemble(root)


@pytest.mark.parametrize(
    ("kind", "size", "says"),
    [("cube", (1,), "shape 'cube' is unknown"), ("box", (1, 2), "must be 3 numbers"),
     ("sphere", (0.0,), "must be 1 numbers > 0"), ("sphere", (np.inf,), "must be 1 numbers > 0")],
)  # fmt: skip
def test_wrong_shapes_are_refused(kind, size, says):
    with pytest.raises(DescriptionError, match=says):
        LinkDescription("a").add_shape(kind, size)


def test_sizes_are_those_of_users():
    assert internal_size("box", (1, 2, 3)) == (Shape.BOX, (0.5, 1.0, 1.5))
    assert internal_size("capsule", (0.1, 1.0)) == (Shape.CAPSULE, (0.1, 0.5))
    text = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0"
        iyy="1" iyz="0" izz="1"/></inertial><collision><geometry><cylinder radius="0.1" length="1"/>
        </geometry></collision></link></robot>"""
    assert urdf.read(text).bodies[0].shapes[0].size == internal_size("cylinder", (0.1, 1.0))[1]


# -- children and solids -----------------------------------------------------------------------


def test_children_are_what_attach_makes():
    """Every argument of `add_child` arrives at its joint; the new link is returned."""
    one, other = (LinkDescription("base", 1.0, inertia=np.eye(3)) for _ in range(2))
    arm = one.add_child("arm", "revolute", position=(1, 2, 3), quaternion=QUARTER, axis=(0, 2, 0),
                        lower=-1.0, upper=2.0, effort=30.0, damping=0.1, joint_name="hip")  # fmt: skip
    arm.mass, arm.inertia = 0.5, 0.1 * np.eye(3)
    arm.add_child("tip", "fixed", position=(0, 0, 1))
    same = LinkDescription("arm", 0.5, inertia=0.1 * np.eye(3))
    other.attach(
        same,
        JointDescription(
            "hip", Joint.REVOLUTE, (1, 2, 3), QUARTER, (0, 2, 0), -1.0, 2.0, effort=30.0, damping=0.1
        ),
    )
    tip = JointDescription("tip_joint", Joint.FIXED, (0, 0, 1))
    same.attach(LinkDescription("tip"), tip)
    found, expected = assemble(one), assemble(other)
    assert [b.joint for b in found.bodies] == [b.joint for b in expected.bodies]
    assert found.frames == expected.frames
    assert one.add_child("wheel", "continuous").joint.type == Joint.REVOLUTE


def test_a_root_that_stands():
    root = LinkDescription("stand", 1.0)
    root.fix_to_world()
    root.add_child("arm", "revolute", axis=(0, 1, 0)).add_shape("sphere", (0.1,), mass=1.0)
    part = empty_world().add_articulated_system(root, position=(1, 2, 3))
    assert (part.is_floating, part.dof) == (False, 1)
    np.testing.assert_array_equal(part.frame("arm").position, (1, 2, 3))


def test_solids_make_the_mass_of_their_link():
    """A dumbbell, lying: closed forms of its mass, centre and inertia; what is only drawn has none."""
    link = LinkDescription("dumbbell", 0.25, (0.1, 0, 0), 0.01 * np.eye(3))
    turn = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # z to x
    link.add_shape("cylinder", (0.02, 1.0), mass=2.0, quaternion=turn)
    link.add_shape("sphere", (0.1,), density=1000.0, position=(0.5, 0, 0), collides=False)
    link.add_shape("box", (1, 1, 1), is_drawn=False)
    link.add_shape("sphere", (1.0,), collides=False)
    (body,) = assemble(link).bodies
    ball = 4 / 3 * np.pi * 0.1**3 * 1000.0
    mass = 0.25 + 2.0 + ball
    x = (0.25 * 0.1 + ball * 0.5) / mass
    along = 0.01 + 0.5 * 2.0 * 0.02**2 + 0.4 * ball * 0.1**2
    across = 0.01 + 2.0 / 12 * (3 * 0.02**2 + 1) + 0.4 * ball * 0.1**2
    across += 0.25 * (0.1 - x) ** 2 + 2.0 * x**2 + ball * (0.5 - x) ** 2
    assert body.mass == pytest.approx(mass, rel=1e-15)
    np.testing.assert_allclose(body.com, (x, 0, 0), atol=1e-15)
    np.testing.assert_allclose(body.inertia, np.diag([along, across, across]), atol=1e-15)
    assert [shape.kind for shape in body.shapes] == [Shape.CYLINDER, Shape.BOX]
    assert [look.kind for look in body.visuals] == [Shape.CYLINDER, Shape.SPHERE, Shape.SPHERE]


def test_the_cone_has_its_mass_a_quarter_up():
    link = LinkDescription("cone")
    link.add_shape("cone", (0.3, 0.8), mass=3.0, position=(0, 0, 0.4))
    (body,) = assemble(link).bodies
    np.testing.assert_allclose(body.com, (0, 0, 0.2), atol=1e-15)
    np.testing.assert_allclose(body.inertia, inertias.cone(3.0, 0.3, 0.8), rtol=1e-14)


def test_meshes_collide_and_are_drawn(tmp_path):
    """A tetrahedron from a file: a hull for collision, the file for the viewer, no mass of its own."""
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "part.obj").write_text("\n".join(lines))
    link = LinkDescription("link", 1.0, inertia=np.eye(3))
    link.add_mesh(tmp_path / "part.obj", scale=(2, 1, 1), position=(0, 0, 1), material="steel")
    link.add_mesh(tmp_path / "part.obj", collides=False, color=(1, 0, 0, 1))
    part = empty_world().add_articulated_system(link)
    (shape,) = part.collision_bodies
    assert (shape.shape, shape.material, part.mass) == (Shape.HULL, "steel", 1.0)
    assert len(part.links[0].visuals) == 2
    again = urdf.read(part.to_urdf(), package_dirs=[tmp_path])
    assert again.bodies[0].shapes[0].mesh.scale == (2.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda link: link.add_child("a", "hinge"), "joint 'hinge' is unknown; use one of continuous"),
        (lambda link: link.add_child("a", "free"), "joint 'free' is unknown"),
        (
            lambda link: link.add_child("a", "fixed", force=1.0),
            "a joint has no 'force'; did you mean 'stop_force'",
        ),
        (lambda link: link.add_shape("sphere", (1,), mass=1, density=1), "a mass or a density, not both"),
        (lambda link: link.add_shape("sphere", (1,), mass=-1.0), "mass of a sphere of 'base' must be ≥ 0"),
        (lambda link: link.add_shape("sphere", (1,), density=np.inf), "must be ≥ 0, got inf"),
        (lambda link: link.add_mesh("nothing.stl"), "mesh 'nothing.stl' of link 'base' does not exist"),
    ],
)
def test_wrong_children_and_solids(change, says):
    link = LinkDescription("base", 1.0)
    with pytest.raises(DescriptionError, match=says):
        change(link)
    assert (link.children, link.shapes, link.visuals, link.solids) == ([], [], [], [])


def test_a_description_in_place_of_a_name_is_refused_where_it_is_given():
    """It went through and failed later, with the whole description as the name."""
    base, arm = LinkDescription("base", 1.0), LinkDescription("arm", 1.0)
    with pytest.raises(TypeError, match="attach takes one that is there already"):
        base.add_child(arm, "revolute")
    with pytest.raises(TypeError, match="kind of a joint is a str"):
        base.add_child("arm", Joint.REVOLUTE)
    with pytest.raises(TypeError, match="takes a LinkDescription, got a str"):
        base.attach("arm", None)
    with pytest.raises(TypeError, match="takes a JointDescription, got a str"):
        base.attach(arm, "revolute")
    assert base.children == []
