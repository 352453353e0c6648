"""Robots whose joints stand in another order than in their file: the same robot, its numbers permuted."""

import numpy as np
import pytest
from scenes import QUADRUPED, STANCE, STANCE_HEIGHT, ground_world, random_state, random_tree

import tribo
from tribo.description.trees import BodyDescription, DescriptionError, JointDescription, TreeDescription
from tribo.formats import urdf, urdf_write
from tribo.model import Joint

LEGS = ("LF", "RF", "LH", "RH")
BY_KIND = tuple(f"{leg}_{joint}" for joint in ("HAA", "HFE", "KFE") for leg in LEGS)


def both(world=None, order=BY_KIND):
    """Return a quadruped in the order of its file and one in another, each in a world of its own."""
    made = []
    for given in ((), order):
        own = ground_world(friction=0.8) if world is None else world()
        made.append(own.add_articulated_system(QUADRUPED, name="robot", joint_order=given))
    return made


def places(usual, other):
    """Return where the coordinates and dofs of the usual robot are in the other one."""
    q = list(range(7)) if usual.is_floating else []
    v = list(range(6)) if usual.is_floating else []
    for name in usual.joint_names:
        q += range(*other.coordinate_slice(name).indices(99))
        v += range(*other.velocity_slice(name).indices(99))
    return q, v


def test_names_stand_in_the_order_that_was_asked_for():
    usual, other = both()
    assert usual.joint_names[:3] == ("LF_HAA", "LF_HFE", "LF_KFE")
    assert other.joint_names == BY_KIND
    assert other.coordinate_slice("RF_KFE") == slice(7 + 9, 7 + 10)
    assert set(other.body_names) == set(usual.body_names)
    assert other.body_names[0] == usual.body_names[0]
    assert other.frame("LF_FOOT").body_index == other.body_names.index("LF_SHANK")


def test_dynamics_are_those_of_the_same_robot():
    usual, other = both()
    rng = np.random.default_rng(5)
    random_state(rng, usual)
    q, v = places(usual, other)
    coordinate, velocity = np.empty(19), np.empty(18)
    coordinate[q], velocity[v] = usual.generalized_coordinate, usual.generalized_velocity
    other.set_state(coordinate, velocity)
    np.testing.assert_allclose(other.mass_matrix[np.ix_(v, v)], usual.mass_matrix, rtol=0, atol=1e-13)
    acceleration = rng.normal(size=18)
    permuted = np.empty(18)
    permuted[v] = acceleration
    np.testing.assert_allclose(
        other.inverse_dynamics(permuted)[v], usual.inverse_dynamics(acceleration), atol=1e-11
    )
    np.testing.assert_allclose(
        other.frame("RH_FOOT").jacobian()[:, v], usual.frame("RH_FOOT").jacobian(), atol=1e-14
    )
    np.testing.assert_allclose(other.angular_momentum, usual.angular_momentum, atol=1e-12)


def test_a_random_tree_moves_the_same_in_any_order():
    """Joints of all kinds, with contacts off: ten steps of two orders."""
    rng = np.random.default_rng(8)
    tree = random_tree(rng, 9, floating=True)
    names = [body.joint.name for body in tree.bodies[1:]]
    order, left = [], names.copy()
    while left:  # a random order in which parents come first
        free = [
            n for n in left
            if (p := tree.bodies[names.index(n) + 1].parent) == 0 or names[p - 1] in order
        ]  # fmt: skip
        order.append(free[int(rng.integers(len(free)))])
        left.remove(order[-1])
    assert order != names
    worlds = [tribo.World() for _ in range(2)]
    usual = worlds[0].add_articulated_system(tree, collision_mask=0)
    other = worlds[1].add_articulated_system(tree, collision_mask=0, joint_order=order)
    random_state(rng, usual)
    q, v = places(usual, other)
    coordinate, velocity = np.empty(len(q)), np.empty(len(v))
    coordinate[q], velocity[v] = usual.generalized_coordinate, usual.generalized_velocity
    other.set_state(coordinate, velocity)
    usual.set_pd_gains(20.0, 1.0)
    other.set_pd_gains(20.0, 1.0)
    for world in worlds:
        world.step(10)
    np.testing.assert_allclose(other.generalized_coordinate[q], usual.generalized_coordinate, atol=1e-12)
    np.testing.assert_allclose(other.generalized_velocity[v], usual.generalized_velocity, atol=1e-10)


def test_it_stands_the_same_also_in_a_batch():
    usual, other = both()
    for robot in (usual, other):
        robot.position = (0.0, 0.0, STANCE_HEIGHT)
        for name, angle in zip(usual.joint_names, STANCE, strict=True):
            robot.joint(name).coordinate = angle
        robot.pd_target = robot.generalized_coordinate
        robot.set_pd_gains(100.0, 2.0)
    batch = tribo.Batch(other.world, 2, threads=1)
    assert batch["robot"].joint("RF_KFE").coordinate[0] == usual.joint("RF_KFE").coordinate
    for world in (usual.world, other.world, batch):
        world.step(300)
    q, _ = places(usual, other)
    np.testing.assert_allclose(other.generalized_coordinate[q], usual.generalized_coordinate, atol=1e-8)
    np.testing.assert_array_equal(batch["robot"].generalized_coordinate, [other.generalized_coordinate] * 2)


WRONG = {
    "unknown": ((*BY_KIND[:-1], "RH_KFFE"), "'RH_KFFE', which is no joint; did you mean 'RH_KFE'"),
    "missing": (BY_KIND[:-1], "lacks 'RH_KFE'"),
    "twice": ((*BY_KIND, "LF_HAA"), "'LF_HAA' twice"),
    "fixed": (("LF_FOOT", *BY_KIND), "'LF_FOOT', which is no joint that moves"),
    "child first": ((*BY_KIND[4:], *BY_KIND[:4]), "'LF_HFE' stands before 'LF_HAA'"),
    "text": ("LF_HAA LF_HFE", "sequence of names"),
    "number": ((1, 2), "sequence of names"),
    "none": (None, "sequence of names"),
    "one number": (5, "sequence of names"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_order_is_named_and_nothing_is_added(case):
    order, words = WRONG[case]
    world = tribo.World()
    with pytest.raises(DescriptionError, match=words):
        world.add_articulated_system(QUADRUPED, joint_order=order)
    assert world.objects == ()


@pytest.mark.parametrize("source", ["file", "text", "python"])
def test_a_world_file_keeps_the_order(tmp_path, source):
    given = {"file": QUADRUPED, "text": QUADRUPED.read_text("utf-8"), "python": urdf.read(QUADRUPED)}[source]
    if source == "python":
        given.source = given.text = None
    world = tribo.World()
    robot = world.add_articulated_system(given, name="robot", joint_order=BY_KIND)
    if source == "python":
        robot.ignore_collision("LF_SHANK", "RF_SHANK")
    random_state(np.random.default_rng(1), robot)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")["robot"]
    assert again.joint_names == BY_KIND
    np.testing.assert_array_equal(again.generalized_coordinate, robot.generalized_coordinate)
    np.testing.assert_array_equal(again.mass_matrix, robot.mass_matrix)
    assert again.ignored_collisions == robot.ignored_collisions


def test_an_exported_urdf_says_that_the_order_is_lost(tmp_path):
    _, other = both()
    notes = other.export_urdf(tmp_path / "robot.urdf")
    assert [note for note in notes if "parts" not in note] == [urdf_write.ORDER]
    again = tribo.World().add_articulated_system(tmp_path / "robot.urdf", joint_order=BY_KIND)
    assert again.joint_names == BY_KIND
    np.testing.assert_allclose(again.mass_matrix[6:, 6:], other.mass_matrix[6:, 6:], atol=1e-12)


def test_what_a_file_says_about_coordinates_is_permuted():
    """Loops of a URDF: the configuration in which they close, and the bodies that they join."""
    bars = urdf.read(
        '<robot name="bars"><link name="world"/>'
        + "".join(
            f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
            'ixz="0" iyz="0"/></inertial></link>'
            for name in "abc"
        )
        + "".join(
            f'<joint name="j{child}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/></joint>'
            for parent, child, xyz in (
                ("world", "a", "0 0 0"), ("a", "b", "0 0 1"), ("world", "c", "1 0 0"),
            )
        )
        + '<constraints nominal_config="0.3 -0.3 0.3"><pin name="p" body1="b" body2="c" anchor="1 0 0"/>'
        "</constraints></robot>"
    )  # fmt: skip
    world = tribo.World()
    robot = world.add_articulated_system(bars, joint_order=("jc", "ja", "jb"), collision_mask=0)
    np.testing.assert_allclose(robot.generalized_coordinate, [0.3, 0.3, -0.3])
    (tie,) = world.constraints
    np.testing.assert_allclose(tie.points[0], tie.points[1], atol=1e-15)
    world.step(200)
    assert np.abs(tie.gap).max() < 1e-9
    again = urdf.read(robot.to_urdf())
    assert again.closed == pytest.approx((0.3, 0.3, -0.3))  # branch by branch: c, a, b


def test_snapshots_belong_to_an_order():
    usual, other = both()
    saved = usual.world.snapshot()
    with pytest.raises(ValueError, match="other objects"):
        other.world.restore(saved)


def test_a_saved_order_leaves_out_joints_without_a_coordinate(tmp_path):
    """A tree of one's own may have links on fixed joints; a world file merges them. (It did not load.)"""

    def link(name, parent, kind, place):
        joint = JointDescription(f"j{name}", kind, place, axis=(0.0, 1.0, 0.0))
        return BodyDescription(name, parent, joint, 1.0, (0.0, 0.0, -0.1), 0.01 * np.eye(3))

    tree = TreeDescription(
        [
            link("base", -1, Joint.FIXED, (0.0, 0.0, 0.0)),
            link("a", 0, Joint.REVOLUTE, (0.0, 0.0, 0.0)),
            link("tip", 1, Joint.FIXED, (0.0, 0.0, -0.3)),
            link("b", 0, Joint.REVOLUTE, (0.0, 0.2, 0.0)),
            link("c", 2, Joint.REVOLUTE, (0.0, 0.0, -0.2)),
        ]
    )
    world = tribo.World()
    robot = world.add_articulated_system(tree, name="arm")
    robot.set_state([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml").objects[0]
    assert again.joint_names == ("ja", "jb", "jc")  # branch by branch it would be a, c, b
    world.step(100)
    again.world.step(100)
    np.testing.assert_allclose(again.generalized_coordinate, robot.generalized_coordinate, atol=1e-12)


def test_a_spatial_tendon_stays_on_its_bodies():
    """It kept the numbers of bodies from before: the spring then pulled another arm."""
    arm = '<body pos="{0}.3 0 0"><joint name="{1}" axis="0 1 0"/><geom size=".05" pos="{0}.3 0 0"/>{2}</body>'
    arms = arm.format("", "l", '<site name="s" pos=".2 0 .1"/>') + arm.format("-", "r", "")
    base = f'<body><freejoint/><geom size=".1"/><site name="o" pos="0 0 .2"/>{arms}</body>'
    way = '<spatial name="t" stiffness="200" springlength=".1"><site site="o"/><site site="s"/></spatial>'
    text = f"<mujoco><worldbody>{base}</worldbody><tendon>{way}</tendon></mujoco>"
    found = []
    for order in (["l", "r"], ["r", "l"]):
        world = tribo.World(time_step=0.001, gravity=(0, 0, 0))
        robot = world.add_articulated_system(text, joint_order=order)
        world.step()
        found.append([robot.generalized_velocity[robot.velocity_slice(name)].item() for name in ("l", "r")])
    assert found[1] == pytest.approx(found[0], rel=1e-9)  # sums in another order
    assert abs(found[0][0]) > 1e-3
