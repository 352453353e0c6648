"""What is shown over a scene: it is what the world says, by other ways of asking."""

from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.viewer import overlays, scene
from tribo.viewer.overlays import OPEN, SLIP, STICK, read_contact_marks
from tribo.viewer.panel import quality_of
from tribo.viewer.surface import cone

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"


@pytest.fixture(scope="module")
def posed():
    """Return a world with a robot in a pose in which no axis is one of the world's."""
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((0.2, 0.4, 0.6), 3.0, name="box", position=(2, 0, 0.3), orientation=(0.8, 0, 0.6, 0))
    robot = world.add_articulated_system(QUADRUPED, name="quad")
    q = robot.generalized_coordinate.copy()
    q[:7] = 0.3, -0.2, 0.9, 0.5, 0.5, 0.5, 0.5
    q[7:] = np.linspace(-0.7, 0.7, len(q) - 7)
    robot.generalized_coordinate = q
    return world


def test_joint_axes_are_those_of_the_joints(posed):
    places, axes = overlays.joint_axes(posed.engine, scene.read_poses(posed))
    joints = posed["quad"].joints
    assert len(axes) == len(joints)
    for place, axis, joint in zip(places, axes, joints, strict=True):
        np.testing.assert_allclose(axis, joint.axis, atol=1e-12)
        np.testing.assert_allclose(place, joint.link.position, atol=1e-12)


def test_centres_of_mass_add_up_to_that_of_the_robot(posed):
    mass, centre = overlays.mass_centres(posed.engine, scene.read_poses(posed))
    robot = posed["quad"]
    np.testing.assert_allclose(mass.sum(), robot.mass + 3.0)
    np.testing.assert_allclose(centre[0], (2, 0, 0.3), atol=1e-12)
    np.testing.assert_allclose(mass[1:] @ centre[1:] / robot.mass, robot.com_position, atol=1e-12)


def test_an_inertia_box_has_mass_and_inertia_of_its_body(posed):
    centre, turn, edges = overlays.inertia_boxes(posed.engine, scene.read_poses(posed))
    # A box's own inertia box is itself, whatever order its axes come in.
    np.testing.assert_allclose(np.sort(edges[0]), (0.2, 0.4, 0.6), rtol=1e-12)
    along = turn[0] @ np.eye(3)[int(np.argmax(edges[0]))]
    np.testing.assert_allclose(np.abs(along @ posed["box"].rotation_matrix[:, 2]), 1.0, atol=1e-12)
    # Of every link: turning the box's inertia m (b² + c²)/12 back gives that of the link.
    for k, link in enumerate(posed["quad"].links):
        a, b, c = edges[k + 1] ** 2
        own = link.mass / 12.0 * np.diag([b + c, a + c, a + b])
        world = np.asarray(link.rotation_matrix) @ link.inertia @ np.asarray(link.rotation_matrix).T
        np.testing.assert_allclose(turn[k + 1] @ own @ turn[k + 1].T, world, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(centre[k + 1], link.com_position, atol=1e-12)


def sliding_world():
    """Return a world in which one box stands, one slips, one is about to touch and one flies."""
    world = tribo.World()
    world.add_ground(material="steel", name="ground")
    world.set_material_pair("steel", "ice", friction=0.05)
    world.add_box((0.4, 0.4, 0.4), 1.0, "wood", name="stands", position=(0, 0, 0.2))
    world.add_box((0.4, 0.4, 0.4), 1.0, "ice", name="slips", position=(2, 0, 0.2), linear_velocity=(3, 0, 0))
    world.add_box((0.4, 0.4, 0.4), 1.0, "ice", name="flies", position=(4, 0, 3))
    world.step(50)
    return world


def test_marks_say_what_a_diagnosis_says():
    world = sliding_world()
    marks = read_contact_marks(world)
    row = {part.name: part.span.body.start for part in world.objects}
    for name, state in (("stands", STICK), ("slips", SLIP)):
        mine = (marks.body == row[name]).any(axis=1)
        assert mine.sum() == 4
        assert (marks.state[mine] == state).all()
        np.testing.assert_allclose(marks.normal_force[mine].sum(), 9.81, rtol=1e-6)
        said = {point.state for point in world.diagnose_contact(world[name], world["ground"]).points}
        assert said == {("open", "stick", "slip")[state]}
    assert not (marks.body == row["flies"]).any()
    slipping = marks.state == SLIP
    np.testing.assert_allclose(
        marks.friction_force[slipping], marks.friction[slipping] * marks.normal_force[slipping]
    )
    assert set(marks.state) <= {OPEN, STICK, SLIP}


def test_a_gap_is_drawn_from_where_a_constraint_is_to_where_it_should_be():
    world = tribo.World()
    a = world.add_sphere(0.1, 1.0, name="a", position=(0, 0, 1))
    b = world.add_sphere(0.1, 1.0, name="b", position=(0, 0, 2))
    tie = world.add_pin(a, b, (0, 0, 1.5))
    b.position = 0.1, 0.2, 2.3
    first, second = overlays._gap_ends(tie)
    np.testing.assert_allclose(first, tie.points[1], atol=1e-12)
    np.testing.assert_allclose(second, tie.points[0], atol=1e-12)
    tie.is_on = False
    np.testing.assert_array_equal(*overlays._gap_ends(tie))


def test_the_cone_has_the_angle_of_friction():
    made = cone()
    tip, rim = made.vertices[:24], made.vertices[24:]
    assert not tip.any()
    np.testing.assert_allclose(np.linalg.norm(rim[:, :2], axis=1), rim[:, 2])


def test_sleepers_are_known():
    world = tribo.World()
    world.add_ground()
    world.add_box((0.4, 0.4, 0.4), 1.0, name="rests", position=(0, 0, 0.2))
    world.add_box((0.4, 0.4, 0.4), 1.0, name="falls", position=(2, 0, 50))
    assert not scene.sleeping_bodies(world).any()
    world.sleeping = True
    world.step(1500)
    assert world["rests"].is_asleep
    asleep = scene.sleeping_bodies(world)
    assert [bool(asleep[part.span.body.start]) for part in world.objects] == [
        part.is_asleep for part in world.objects
    ]


def test_the_bar_says_how_a_step_went(monkeypatch):
    world = sliding_world()
    well = quality_of(world)
    assert (well.color, "well" in well.text) == ("green", True)
    assert 0.0 <= well.bar < 60.0  # far below 1e-7
    world.engine.status[0, 0] = int(tribo.Status.CORRECTION_LIMITED)
    assert quality_of(world).color == "yellow"
    world.engine.status[0, 0] = int(tribo.Status.NOT_CONVERGED | tribo.Status.CORRECTION_LIMITED)
    bad = quality_of(world)
    assert bad.color == "red"
    assert "NOT_CONVERGED" in bad.text
    assert "CORRECTION_LIMITED" in bad.text
    world.engine.work.residual[:] = np.nan
    assert quality_of(world).bar == 100.0


def test_each_status_has_a_meaning():
    from tribo.viewer.panel import MEANING

    assert set(MEANING) == set(tribo.Status)
