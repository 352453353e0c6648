"""Which links of one robot touch each other: parents, ignored pairs, SRDF, and what becomes of the rules."""

import numpy as np
import pytest
from lxml import etree
from robots import robot_folder
from scenes import base, empty_world, joint_body

import tribo
from tribo.description.trees import DescriptionError, ShapeDescription, TreeDescription
from tribo.formats import urdf, urdf_write
from tribo.model import Joint, Shape

OVERLAP = 0.05  # [m]


def chain():
    """Return a stand with three balls on rails, one hanging on the other, each overlapping the next."""
    bodies = [base()]
    for k in range(3):
        body = joint_body(f"l{k}", k, Joint.PRISMATIC, 1.0, axis=(1, 0, 0),
                          position=((0.2 - OVERLAP) * (k > 0), 0, 0))  # fmt: skip
        body.joint.lower, body.joint.upper = -9.0, 9.0
        body.shapes.append(ShapeDescription(Shape.SPHERE, (0.1,), name=f"l{k}/0"))
        bodies.append(body)
    bodies[3].joint.position = (-(0.2 - OVERLAP) + 0.1, 0, 0)  # back over l0, and near l1
    return TreeDescription(bodies)


def touching(robot):
    """Return the pairs of links that touch after a step."""
    robot.world.step()
    return {tuple(sorted((c.body_a[:2], c.body_b[:2]))) for c in robot.internal_contacts}


def scene(self_collision="as in file", **options):
    return empty_world(1e-3, (0, 0, 0)).add_articulated_system(
        chain(), name="chain", self_collision=self_collision, **options
    )


def test_links_that_are_drawn_in_one_another_do_not_touch_by_default(caplog):
    """50 of 70 public robots said so from the first step: hulls of links that are no neighbours."""
    caplog.set_level("INFO", "tribo")
    robot = scene(self_collision=None)
    assert "1 pair of links overlap as drawn and do not collide: l0 and l2" in caplog.text
    assert robot.ignored_collisions == (("base", "l0"), ("l0", "l1"), ("l0", "l2"), ("l1", "l2"))
    assert touching(robot) == set()
    assert robot.world.status == 0


@pytest.mark.parametrize(("gap", "touch"), [(0.9e-3, set()), (1.1e-3, {("l0", "l2")})])
def test_links_within_a_millimetre_as_drawn_count_as_overlapping(gap, touch):
    """Joint positions along the rails: l2 is moved to beyond l0; then l2 is pushed into it."""
    tree = chain()
    tree.bodies[3].joint.position = (0.2 + gap - (0.2 - OVERLAP), 0, 0)
    robot = empty_world(1e-3, (0, 0, 0)).add_articulated_system(tree)
    robot.generalized_coordinate = 0, 0, -0.01
    assert touching(robot) == touch


@pytest.mark.parametrize("mode", ["all", "none", "as in file", "not overlapping"])
def test_modes_of_self_collision(mode):
    tree = chain()
    tree.ignored.add((1, 3))
    tree.bodies[3].joint.position = (0.2, 0, 0)
    robot = empty_world(1e-3, (0, 0, 0)).add_articulated_system(tree, self_collision=mode)
    robot.generalized_coordinate = 0, 0, -0.2
    assert touching(robot) == ({("l0", "l2")} if mode == "all" else set())
    count = {"all": 3, "none": 6}.get(mode, 4)
    assert len(robot.ignored_collisions) == count


def test_a_mode_that_is_none_is_refused():
    with pytest.raises(ValueError, match="self_collision must be one of 'not overlapping', 'all'"):
        scene(self_collision="some")


def test_what_a_file_lets_touch_touches_though_it_is_drawn_overlapping():
    world = empty_world(1e-3, (0, 0, 0))
    robot = world.add_articulated_system(as_urdf('<enable_collisions link1="l0" link2="l2"/>'))
    assert touching(robot) == {("l0", "l2")}


@pytest.mark.parametrize("folder", ["robots", "srdf"])
def test_the_srdf_that_comes_with_a_urdf_is_read(tmp_path, folder, caplog):
    caplog.set_level("INFO", "tribo")
    (tmp_path / "robots").mkdir()
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "robots" / "arm.urdf").write_text(as_urdf())
    (tmp_path / folder / "arm.srdf").write_text(f'<robot name="arm">{RULES}</robot>')
    world = empty_world(1e-3, (0, 0, 0))
    robot = world.add_articulated_system(tmp_path / "robots" / "arm.urdf", strict=True)
    assert robot.ignored_collisions[1:] == (("l0", "l2"), ("l1", "l2"))
    assert "rules of self-collision are those of" in caplog.text
    world.save(tmp_path / "robots" / "world.xml")
    (again,) = tribo.World.load(tmp_path / "robots" / "world.xml").objects
    assert again.ignored_collisions == robot.ignored_collisions
    own = world.add_articulated_system(
        tmp_path / "robots" / "arm.urdf", srdf='<robot name="arm"/>', self_collision="as in file"
    )
    assert own.ignored_collisions == (("base", "l0"), ("l0", "l1"), ("l1", "l2"))


def test_a_broken_srdf_beside_a_urdf_does_not_stop_it(tmp_path):
    (tmp_path / "arm.urdf").write_text(as_urdf())
    (tmp_path / "arm.srdf").write_text("<robot")
    (note,) = urdf.read(tmp_path / "arm.urdf").doubts
    assert "the SRDF that comes with it cannot be used" in note
    with pytest.raises(DescriptionError, match=r"arm\.srdf"):
        urdf.read(tmp_path / "arm.urdf", strict=True)


@pytest.mark.parametrize("mode", ["all", "none", "as in file", "not overlapping"])
@pytest.mark.parametrize("source", ["urdf", "python"])
def test_a_world_file_keeps_the_mode(tmp_path, mode, source):
    world = empty_world(1e-3, (0, 0, 0))
    made = chain() if source == "python" else as_urdf()
    robot = world.add_articulated_system(made, self_collision=mode)
    world.save(tmp_path / "world.xml")
    (again,) = tribo.World.load(tmp_path / "world.xml").objects
    assert again.ignored_collisions == robot.ignored_collisions


def test_by_default_all_but_neighbours_touch():
    robot = scene()
    assert robot.ignored_collisions == (("base", "l0"), ("l0", "l1"), ("l1", "l2"))
    assert touching(robot) == {("l0", "l2")}


def test_neighbours_touch_when_told_to():
    robot = scene(collide_with_parent=True)
    assert robot.ignored_collisions == ()
    assert touching(robot) == {("l0", "l1"), ("l0", "l2"), ("l1", "l2")}


def test_a_contact_of_two_links_is_listed_once_and_seen_from_both():
    robot = scene()
    robot.world.step()
    (contact,) = robot.internal_contacts
    assert contact.object_a is contact.object_b is robot
    assert len(robot.contacts) == 2
    assert sum(c.force for c in robot.contacts).tolist() == [0.0, 0.0, 0.0]


def test_rules_change_at_run_time():
    robot = scene()
    robot.ignore_collision("l0", "l2")
    robot.allow_collision("l1", "l0")
    assert touching(robot) == {("l0", "l1")}
    robot.allow_collision("l0", "l2")
    robot.ignore_collision("l0", "l1")
    assert touching(robot) == {("l0", "l2")}
    with pytest.raises(KeyError, match="'l5'"):
        robot.allow_collision("l0", "l5")


def test_a_snapshot_takes_rules_back():
    """Edits of both kinds after it was taken; the motion goes on as if they had not been made."""
    ends = []
    for edited in (False, True):
        robot = scene()
        robot.world.step(3)
        saved = robot.world.snapshot()
        if edited:
            robot.ignore_collision("l0", "l2")
            robot.allow_collision("l0", "l1")
            robot.world.step(2)
        robot.world.restore(saved)
        assert robot.ignored_collisions == (("base", "l0"), ("l0", "l1"), ("l1", "l2"))
        robot.world.step(5)
        ends.append(robot.generalized_coordinate.copy())
    np.testing.assert_array_equal(*ends)


def test_contacts_push_neighbours_apart_as_they_push_strangers():
    """A ball on a rail on a ball, in mutual overlap: momentum is kept, and they separate."""
    tree = TreeDescription([joint_body("ball", -1, Joint.FREE)])
    tree.bodies[0].shapes.append(ShapeDescription(Shape.SPHERE, (0.1,), name="ball/0"))
    child = joint_body("slider", 0, Joint.PRISMATIC, 1.0, axis=(1, 0, 0), position=(0.15, 0, 0))
    child.shapes.append(ShapeDescription(Shape.SPHERE, (0.1,), name="slider/0"))
    tree.bodies.append(child)
    tree.bodies[1].joint.collision_enabled = True
    robot = empty_world(1e-3, (0, 0, 0)).add_articulated_system(tree)
    robot.world.step(200)
    assert robot.generalized_coordinate[7] > 0.04
    assert np.abs(robot.linear_momentum).max() < 1e-12


RULES = """<disable_collisions link1="l0" link2="l2" reason="Never"/>
    <enable_collisions link1="l0" link2="l1"/>"""


def as_urdf(rules=""):
    """Return the chain as URDF text."""
    return urdf_write.to_text(chain())[0].replace("</robot>", rules + "</robot>")


@pytest.mark.parametrize("where", ["urdf", "srdf"])
def test_rules_of_files(where):
    world = empty_world(1e-3, (0, 0, 0))
    if where == "urdf":
        robot = world.add_articulated_system(as_urdf(RULES), strict=True)
    else:
        text = f'<robot name="chain"><group name="arm"/>{RULES}</robot>'
        robot = world.add_articulated_system(as_urdf(), srdf=text, strict=True)
    assert robot.ignored_collisions[1:] == (("l0", "l2"), ("l1", "l2"))
    assert touching(robot) == {("l0", "l1")}


def test_a_link_that_touches_nothing_but_one():
    text = as_urdf('<enable_collisions link1="l2" link2="l1"/><disable_default_collisions link="l2"/>')
    tree = urdf.read(text)
    assert tree.ignored == {(0, 3), (1, 3)}
    assert [b.joint.collision_enabled for b in tree.bodies] == [False, False, False, True]


def test_rules_survive_writing():
    tree = chain()
    tree.ignored = {(1, 3)}
    tree.bodies[2].joint.collision_enabled = True
    text, notes = urdf_write.to_text(tree)
    assert notes == []
    found = urdf.read(text, strict=True)
    assert found.ignored == tree.ignored
    assert [b.joint.collision_enabled for b in found.bodies] == [False, False, True, False]


def test_rules_do_not_exhaust_memory(monkeypatch):
    """Repetitions are free; more pairs than a robot needs are refused before they are made."""
    rule = '<disable_default_collisions link="{}"/>'
    assert len(urdf.read(as_urdf(rule.format("l0") * 1000)).ignored) == 1
    monkeypatch.setattr("tribo.formats.self_collision.MAX_PAIRS", 11)
    urdf.read(as_urdf(rule.format("l0") + rule.format("l1")))
    with pytest.raises(DescriptionError, match="more than 11 pairs of links"):
        urdf.read(as_urdf("".join(rule.format(f"l{k}") for k in range(3))))


def test_rules_for_links_that_do_not_exist():
    rules = '<disable_collisions link1="l0" link2="l9"/>'
    (note,) = urdf.read(as_urdf(rules)).notes
    assert "'l9', which does not exist" in note
    with pytest.raises(DescriptionError, match="'l9', which does not exist"):
        urdf.read(as_urdf(rules), strict=True)
    with pytest.raises(DescriptionError, match="outermost element must be <robot>"):
        scene(srdf="<srdf/>")
    with pytest.raises(DescriptionError, match="attribute 'link2' is missing"):
        urdf.read(as_urdf('<disable_collisions link1="l0"/>'))


def test_a_world_file_keeps_rules_or_says_that_it_cannot(tmp_path):
    (tmp_path / "chain.urdf").write_text(as_urdf(RULES))
    world = tribo.World()
    robot = world.add_articulated_system(tmp_path / "chain.urdf", collide_with_parent=True)
    world.save(tmp_path / "world.xml")
    (again,) = tribo.World.load(tmp_path / "world.xml").objects
    assert again.ignored_collisions == robot.ignored_collisions == (("l0", "l2"),)
    robot.ignore_collision("l0", "l1")
    with pytest.raises(DescriptionError, match="collision rules of single links"):
        world.save(tmp_path / "world.xml")
    robot.allow_collision("l0", "l1")
    robot.allow_collision("l0", "l2")
    with pytest.raises(DescriptionError, match="collision rules of single links"):
        world.save(tmp_path / "world.xml")


@pytest.mark.parametrize(
    ("srdf", "file"),
    [
        ("anymal_c_simple_description/srdf/anymal.srdf", "anymal_c_simple_description/urdf/anymal.urdf"),
        ("panda_description/srdf/panda.srdf", "panda_description/urdf/panda.urdf"),
        ("talos_data/srdf/talos.srdf", "talos_data/robots/talos_full_v2.urdf"),
    ],
)
def test_srdf_files_of_the_package(srdf, file):
    """Every pair that a file names, and no other, passes through each other."""
    tree = urdf.read(robot_folder() / file)
    robot = tribo.World().add_articulated_system(tree, srdf=robot_folder() / srdf, collision_meshes="none")
    body = {frame.name: frame.body for frame in tree.frames}
    body |= {b.name: k for k, b in enumerate(tree.bodies)}
    expected = {(b.parent, k) for k, b in enumerate(tree.bodies) if k > 0}
    for node in etree.parse(robot_folder() / srdf).iter("disable_collisions"):
        pair = [body.get(node.get(key)) for key in ("link1", "link2")]
        if None not in pair and pair[0] != pair[1]:
            expected.add(tuple(sorted(pair)))
    names = robot.body_names
    assert set(robot.ignored_collisions) == {(names[a], names[b]) for a, b in expected}
    assert len(expected) > len(tree.bodies) + 3
