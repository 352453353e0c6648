"""Links and joints by name: state, and numbers of the model that change at run time."""

import numpy as np
import pytest
import reference
from scenes import QUADRUPED, empty_world, ground_world, random_inertia, random_state, random_tree

import tribo
from tribo.model import Joint

GRAVITY = (0.7, -1.1, -9.81)


def make(bodies=6, seed=4, floating=True, shapes=False):
    """Return a world, a robot in a random state, and random numbers."""
    rng = np.random.default_rng(seed)
    world = empty_world(1e-3, GRAVITY)
    world.add_sphere(radius=0.1, mass=1.0, position=(9, 9, 9))
    tree = random_tree(rng, bodies, floating=floating, shapes=shapes)
    robot = world.add_articulated_system(tree, name="robot", collision_group=0, collision_mask=0)
    random_state(rng, robot)
    return world, robot, rng


def randomise(robot, rng):
    """Change everything that can be changed, of every link and joint."""
    for link in robot.links:
        link.mass = rng.uniform(0.5, 2.0)
        link.com = rng.normal(size=3) * 0.1
        link.inertia = random_inertia(rng, link.mass)
    for joint in robot.joints:
        joint.position_in_parent = rng.normal(size=3) * 0.2
        x = rng.normal(size=4)
        joint.orientation_in_parent = x / np.linalg.norm(x)
        joint.armature = rng.uniform(0, 0.1)
        joint.damping = rng.uniform(0, 0.1)
        if joint.type in (Joint.REVOLUTE, Joint.PRISMATIC):
            joint.axis_in_joint = rng.normal(size=3)


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("bodies", [1, 6])
def test_edits_are_like_a_new_robot(bodies, floating):
    """Description, M, h and the next steps are those of a robot built like this; a rebuild keeps it."""
    world, robot, rng = make(bodies, 4, floating)
    world.step()
    randomise(robot, rng)
    fresh = empty_world(1e-3, GRAVITY)
    fresh.add_sphere(radius=0.1, mass=1.0, position=(9, 9, 9))
    other = fresh.add_articulated_system(robot.description, collision_group=0, collision_mask=0)
    other.generalized_coordinate = robot.generalized_coordinate
    other.generalized_velocity = robot.generalized_velocity
    described = robot.description.bodies
    q, v = robot.generalized_coordinate, robot.generalized_velocity
    m = reference.mass_matrix(described, q)
    np.testing.assert_allclose(robot.mass_matrix, m, atol=1e-10 * np.abs(m).max(initial=1))
    np.testing.assert_allclose(robot.mass_matrix, other.mass_matrix, atol=1e-13, rtol=1e-12)
    h = reference.bias_force(described, q, v, GRAVITY)
    np.testing.assert_allclose(robot.bias_force, h, atol=1e-10 * np.abs(h).max(initial=1))
    world.integrator = fresh.integrator = "semi_implicit"  # does not look at past accelerations
    world.step(5)
    fresh.step(5)
    np.testing.assert_allclose(robot.generalized_velocity, other.generalized_velocity, rtol=1e-9, atol=1e-9)
    before = robot.mass_matrix
    world.add_sphere(radius=0.1, mass=1.0, position=(5, 5, 5))
    np.testing.assert_allclose(robot.mass_matrix, before, atol=1e-13, rtol=1e-13)


def test_read_back():
    """What is set is read, also from the description."""
    _, robot, _ = make()
    link, joint = robot.link("b2"), robot.joint("b2_joint")
    link.mass, link.com, link.inertia = 3, (0.1, 0.2, 0.3), (1, 2, 3)
    joint.position_in_parent, joint.axis_in_joint = (1, 2, 3), (0, 0, 2)
    joint.orientation_in_parent = (0, 1, 0, 0)
    joint.armature, joint.damping = 0.5, 0.25
    body = robot.description.bodies[2]
    assert (link.mass, body.mass) == (3.0, 3.0)
    assert robot.mass == sum(part.mass for part in robot.links)
    np.testing.assert_array_equal(link.com, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(link.inertia, np.diag([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(body.inertia, np.diag([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(joint.position_in_parent, [1, 2, 3])
    np.testing.assert_array_equal(joint.axis_in_joint, [0, 0, 1])
    np.testing.assert_array_equal(joint.orientation_in_parent, [0, 1, 0, 0])
    assert (joint.armature, joint.damping) == (0.5, 0.25)
    assert joint.link.name == "b2"
    assert link.joint.name == "b2_joint"
    assert link.parent.name == robot.body_names[body.parent]
    assert "b2" in [child.name for child in link.parent.children]


def test_a_snapshot_takes_edits_back():
    """The model, and the description that a rebuild reads."""
    world, robot, rng = make()
    world.step()
    before, saved = robot.mass_matrix, world.snapshot()
    randomise(robot, rng)
    assert np.abs(robot.mass_matrix - before).max() > 0.01
    world.restore(saved)
    np.testing.assert_array_equal(robot.mass_matrix, before)
    world.add_sphere(radius=0.1, mass=1.0)
    np.testing.assert_allclose(robot.mass_matrix, before, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize(
    "edit",
    [
        lambda robot: setattr(robot.links[1], "mass", 3.0),
        lambda robot: setattr(robot.joints[1], "position_in_parent", (0, 0, 1)),
    ],
)
def test_a_world_file_does_not_lose_edits(edit, tmp_path):
    """The format refers to the URDF; what differs from it is refused, and the remedy works."""
    world = empty_world()
    robot = world.add_articulated_system(QUADRUPED)
    world.save(tmp_path / "before.xml")
    edit(robot)
    with pytest.raises(tribo.DescriptionError, match="export_urdf"):
        world.save(tmp_path / "after.xml")
    robot.export_urdf(tmp_path / "dog.urdf")
    other = empty_world()
    other.add_articulated_system(tmp_path / "dog.urdf")
    other.save(tmp_path / "after.xml")


@pytest.mark.parametrize(
    ("what", "value", "says"),
    [
        ("mass", 0.0, "mass of b2 must be > 0"),
        ("mass", -1.0, "mass of b2 must be > 0"),
        ("mass", float("nan"), "must be finite"),
        ("mass", "heavy", "must be numbers"),
        ("com", (1, 2), "com of b2 must have shape"),
        ("inertia", np.diag([1.0, 1.0, -1.0]), "positive definite"),
        ("inertia", [[1, 2, 0], [0, 1, 0], [0, 0, 1]], "symmetric"),
    ],
)
def test_bad_numbers_of_links_change_nothing(what, value, says):
    _, robot, _ = make()
    before = robot.mass_matrix
    with pytest.raises((ValueError, TypeError), match=says):
        setattr(robot.link("b2"), what, value)
    np.testing.assert_array_equal(robot.mass_matrix, before)


@pytest.mark.parametrize(
    ("what", "value", "says"),
    [
        ("axis_in_joint", (0, 0, 0), "has no direction"),
        ("orientation_in_parent", (1, 1, 0, 0), "unit quaternion"),
        ("armature", -0.1, "must be ≥ 0"),
        ("coordinate", (1, 2), "must have shape"),
        ("velocity", np.inf, "must be finite"),
    ],
)
def test_bad_numbers_of_joints_change_nothing(what, value, says):
    _, robot, _ = make()
    name = next(j.name for j in robot.joints if j.type == Joint.REVOLUTE)
    before = robot.mass_matrix
    with pytest.raises(ValueError, match=says):
        setattr(robot.joint(name), what, value)
    np.testing.assert_array_equal(robot.mass_matrix, before)


def test_wrong_names_and_wrong_joints():
    world = empty_world()
    robot = world.add_articulated_system(QUADRUPED)
    with pytest.raises(KeyError, match=r"'LF_FOOT' is fixed to link '.*' and a part of it"):
        robot.link("LF_FOOT")
    with pytest.raises(KeyError, match="did you mean"):
        robot.link("trunkk")
    with pytest.raises(KeyError, match="did you mean 'LF_FOOT'"):
        robot.link("LF_FOT")  # merged into its shank
    fixed = next(name for name in robot.frame_names
                 if name not in robot.joint_names and name not in robot.body_names)  # fmt: skip
    with pytest.raises(KeyError, match="does not move; use frame"):
        robot.joint(fixed)
    root = robot.joint(robot.body_names[0])
    assert root.type == Joint.FREE
    with pytest.raises(ValueError, match="the root has no parent"):
        root.position_in_parent = (0, 0, 1)
    with pytest.raises(ValueError, match="it has no axis"):
        root.axis_in_joint = (0, 0, 1)


def test_no_edits_between_update_and_advance():
    world, robot, _ = make()
    world.update()
    for edit in (
        lambda: setattr(robot.link("b1"), "mass", 2.0),
        lambda: setattr(robot.joint("b1_joint"), "coordinate", robot.joint("b1_joint").coordinate),
    ):
        with pytest.raises(tribo.EditError):
            edit()
    world.advance()


def test_state_by_joint_name():
    """Coordinates and velocities by name, one or all, land where `coordinate_slice` says."""
    _, robot, rng = make(8)
    for joint in robot.joints:
        width = len(range(*joint.coordinate_slice.indices(99)))
        value = rng.normal(size=width)
        value /= np.linalg.norm(value) if width == 4 else 1.0
        joint.coordinate = value if width > 1 else float(value[0])
        np.testing.assert_allclose(
            robot.generalized_coordinate[robot.coordinate_slice(joint.name)], value, rtol=1e-15
        )
        joint.velocity = np.full(np.shape(joint.velocity), 0.5)
        assert (robot.generalized_velocity[robot.velocity_slice(joint.name)] == 0.5).all()
    by_name = robot.joint_coordinates
    assert list(by_name) == list(robot.joint_names)
    for owner in (robot, tribo.Batch(robot.world, 2, threads=1)[robot.name]):  # hinges and ball joints
        coordinates, velocities = owner.joint_coordinates, owner.joint_velocities
        for joint in owner.joints:
            assert np.array_equal(coordinates[joint.name], joint.coordinate)
            assert np.array_equal(velocities[joint.name], joint.velocity)
            assert np.shape(velocities[joint.name]) == np.shape(joint.velocity)
    robot.joint_velocities = {name: 0.0 * np.asarray(x) for name, x in robot.joint_velocities.items()}
    assert (robot.generalized_velocity[6:] == 0.0).all()
    first, *_, last = robot.joint_names
    before = robot.generalized_coordinate.copy()
    with pytest.raises(ValueError, match="must be finite"):
        robot.joint_coordinates = {first: by_name[first] * 0 + 1, last: by_name[last] * np.nan}
    np.testing.assert_array_equal(robot.generalized_coordinate, before)


def test_base_velocity():
    """That of the base's origin and frame, as the velocities of its frame say."""
    _, robot, _ = make(5)
    robot.linear_velocity, robot.angular_velocity = (1, 2, 3), (4, 5, 6)
    np.testing.assert_array_equal(robot.generalized_velocity[:6], [1, 2, 3, 4, 5, 6])
    base = robot.frame(robot.body_names[0])
    np.testing.assert_allclose(base.linear_velocity, robot.linear_velocity, atol=1e-14)
    np.testing.assert_allclose(base.angular_velocity, robot.angular_velocity, atol=1e-14)
    for name in ("linear_velocity", "angular_velocity"):
        with pytest.raises(ValueError, match=f"{name} of robot must have shape"):
            setattr(robot, name, (1, 2))
        with pytest.raises(ValueError, match="read-only"):
            getattr(robot, name)[0] = 1.0


def test_a_fixed_base_has_no_velocity():
    root = tribo.LinkDescription("stand", 1.0)
    root.fix_to_world()
    root.add_child("arm", "revolute", axis=(0, 1, 0)).add_shape("sphere", (0.1,), mass=1.0)
    robot = tribo.World().add_articulated_system(root)
    robot.generalized_velocity = [3.0]
    np.testing.assert_array_equal([robot.linear_velocity, robot.angular_velocity], np.zeros((2, 3)))
    with pytest.raises(ValueError, match="fixed to the world and has none"):
        robot.linear_velocity = (1, 0, 0)


def test_state_as_a_whole():
    """Both or neither."""
    _, robot, rng = make(5)
    q, v = robot.generalized_coordinate.copy(), rng.normal(size=robot.dof)
    q[:3] = 1, 2, 3
    robot.set_state(q, v)
    np.testing.assert_array_equal(robot.generalized_coordinate, q)
    np.testing.assert_array_equal(robot.generalized_velocity, v)
    q[3:7] *= 2
    for wrong in ((q, v + 1), (q[:-1], v), (robot.generalized_coordinate + 0, v[:-1])):
        before = robot.generalized_coordinate.copy()
        with pytest.raises(ValueError, match="of robot"):
            robot.set_state(*wrong)
        np.testing.assert_array_equal(robot.generalized_coordinate, before)
        np.testing.assert_array_equal(robot.generalized_velocity, v)


def test_axis_in_the_world():
    """A revolute joint's Jacobian column is its axis."""
    _, robot, _ = make(8)
    for joint in robot.joints:
        if joint.type == Joint.REVOLUTE:
            column = joint.rotational_jacobian()[:, joint.velocity_slice.start]
            np.testing.assert_allclose(joint.axis, column, atol=1e-14)


def test_collision_bodies_of_a_link():
    robot = ground_world().add_articulated_system(QUADRUPED)
    names = [body.name for link in robot.links for body in link.collision_bodies]
    assert names == [body.name for body in robot.collision_bodies]
    robot.links[0].collision_bodies[0].material = "ice"
    assert robot.collision_bodies[0].material == "ice"


def test_every_world_of_a_batch_has_its_own_numbers():
    """Worlds with masses of their own step and answer, bit for bit, like single worlds with these masses."""
    world, robot, rng = make(6)
    batch = tribo.Batch(world, 3, threads=1)
    masses, coms = rng.uniform(0.5, 2.0, 3), rng.normal(size=(3, 3)) * 0.1
    many = batch["robot"]
    before = many.mass_matrix
    np.testing.assert_array_equal(before, np.tile(robot.mass_matrix, (3, 1, 1)))
    many.link("b2").mass = masses
    many.link("b2").com = coms
    many.joint("b3_joint").position_in_parent = coms
    many.joint("b1_joint").velocity = np.multiply.outer(masses, np.ones(3))[
        :, : np.size(robot.joint("b1_joint").velocity)
    ].squeeze()
    np.testing.assert_array_equal(many.link("b2").mass, masses)
    np.testing.assert_array_equal(many.joint("b3_joint").position_in_parent, coms)
    matrices, foot = many.mass_matrix, many.frame("b5").position
    batch.step(4)
    for e in range(3):
        world, robot, _ = make(6)
        robot.link("b2").mass, robot.link("b2").com = masses[e], coms[e]
        robot.joint("b3_joint").position_in_parent = coms[e]
        speed = many.joint("b1_joint").velocity
        robot.joint("b1_joint").velocity = np.full(np.shape(speed)[1:], masses[e])
        np.testing.assert_array_equal(robot.mass_matrix, matrices[e])
        np.testing.assert_array_equal(robot.frame("b5").position, foot[e])
        world.step(4)
        np.testing.assert_array_equal(robot.generalized_coordinate, many.generalized_coordinate[e])
        np.testing.assert_array_equal(robot.bias_force, many.bias_force[e])
    at = many.at(many.generalized_coordinate)  # makes quaternions unit again: round-off
    np.testing.assert_allclose(at.mass_matrix, many.mass_matrix, atol=1e-13)
    with pytest.raises(ValueError, match="must have shape"):
        many.at(np.zeros((2, many.generalized_coordinate.shape[1])) + many.generalized_coordinate[0])


def test_a_single_free_body_of_a_batch_with_its_own_centre():
    """One body takes a short cut while its centre of mass is its origin; in a batch world by world."""
    results = []
    for com in ((0, 0, 0), (0.1, 0, 0)):
        world, robot, _ = make(1)
        robot.link("b0").com = com
        world.step(5)
        results.append(robot.generalized_coordinate)
    world, robot, _ = make(1)
    robot.link("b0").com = (0, 0, 0)
    batch = tribo.Batch(world, 2, threads=1)
    batch["robot"].link("b0").com = [(0, 0, 0), (0.1, 0, 0)]
    batch.step(5)
    np.testing.assert_array_equal(batch["robot"].generalized_coordinate, results)


@pytest.mark.parametrize("in_batch", [False, True])
def test_answers_are_read_only_and_typos_errors(in_batch):
    """An edit that would be lost is refused, on a robot, at a state and in a batch."""
    world, robot, _ = make(5, 3, True)
    world.step()
    owner = tribo.Batch(world, 2, threads=1)["robot"] if in_batch else robot
    link, joint, frame = owner.links[1], owner.joints[0], owner.frames[0]
    answers = [
        owner.mass_matrix, owner.inverse_mass_matrix, owner.bias_force, owner.com_position,
        owner.composite_inertia, owner.angular_momentum_about((0, 0, 1)), owner.at().mass_matrix,
        *owner.body_poses(), frame.position, frame.orientation, frame.jacobian(), frame.dofs,
        *frame.sparse_jacobian(), frame.position_in_body, link.com, link.inertia,
        joint.position_in_parent, joint.orientation_in_parent,
    ]  # fmt: skip
    for k, answer in enumerate(answers):
        assert not answer.flags.writeable, k
    for handle in (owner, link, joint, frame, owner.at()):
        with pytest.raises(AttributeError, match="masss"):
            handle.masss = 1.0


def test_a_removed_robot_refuses_edits_of_its_parts():
    world, robot, _ = make(5, 3, True)
    link, joint = robot.links[1], robot.joints[0]
    before = link._body_description.mass
    world.remove(robot)
    with pytest.raises(tribo.EditError, match="removed"):
        link.mass = 2.0
    with pytest.raises(tribo.EditError, match="removed"):
        joint.coordinate = joint.coordinate
    with pytest.raises(tribo.EditError, match="removed"):
        _ = robot.mass_matrix
    assert link._body_description.mass == before


def test_a_snapshot_gives_masses_back_to_its_own_world_only():
    world, robot, _ = make(5, 3, True)
    saved, mass = world.snapshot(), robot.links[1].mass
    robot.links[1].mass = 2.0 * mass
    world.restore(saved)
    assert robot.links[1].mass == mass
    twin, other, _ = make(5, 3, True)
    twin.restore(saved)  # same numbers
    other.links[1].mass = 2.0 * mass
    with pytest.raises(ValueError, match="other numbers"):
        twin.restore(saved)
    assert other.links[1].mass == 2.0 * mass


def test_the_root_is_not_among_the_joints_that_an_error_names():
    robot = tribo.World().add_articulated_system(QUADRUPED)
    root = robot.description.bodies[0].joint.name
    with pytest.raises(KeyError) as caught:
        robot.joint("nope")
    message = caught.value.args[0]
    assert "known: LF_HAA, " in message
    assert root not in message
    assert robot.joint(root).coordinate.shape == (7,)
