"""Names that users guess from other engines: most exist or are answered with the right one, none wrongly."""

import re
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.checks import answers
from tribo.tools.demo import ASSETS
from tribo.viewer import charts, visual_sets, visuals

DATA = Path(__file__).parents[1] / "data"
LISTS = ("guessed_names.txt", "guessed_names_second.txt", "guessed_names_third.txt")
SHARE = 0.95  # of all guesses, right at once or answered rightly


def read(name):
    """Return the guesses of a list: what is written, and the words one of which must be answered."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    parted = [line.split(" | ") for line in lines if line and line[0] != "#"]
    return [(guess, right) for guess, *right in parted]


@pytest.fixture(scope="module")
def things():
    world = tribo.World()
    world.add_ground()
    body = world.add_sphere(0.1, mass=1.0, position=(3, 0, 0.1), name="ball")
    robot = world.add_articulated_system(ASSETS / "quadruped.urdf", position=(0, 0, 1))
    batch = tribo.Batch(world, 2, threads=1)
    world.step()
    return {
        "tribo": tribo, "World": tribo.World, "world": world, "robot": robot, "body": body, "batch": batch,
        "contact": world.contacts[0],
    }  # fmt: skip


def said(things, guess):
    """Return "works", or what an error says of a guess."""
    place, _, rest = guess.partition(".")
    name, mark, argument = re.fullmatch(r"(\w+)(\(|=)?(\w*)=?\)?", rest).groups()
    here = things[place]
    try:
        if mark == "=":
            setattr(here, name, 1.0)
        elif mark:
            getattr(here, name)(
                **REQUIRED.get(rest.partition("(")[0], {}), **{argument: VALUES.get(argument, 1.0)}
            )
        else:
            getattr(here, name)
    except (AttributeError, TypeError) as error:
        return str(error)
    return "works"


REQUIRED = {
    "add_sphere": {"mass": 1.0, "radius": 0.1}, "add_box": {"mass": 1.0},
    "add_articulated_system": {"source": ASSETS / "quadruped.urdf"},
    "set_material_pair": {"first": "a", "second": "b"},
}  # fmt: skip
VALUES = {"euler": ("xyz", (0, 0, 1)), "rpy": (0, 0, 1)}


def verdict(things, guess, right):
    """Tell whether a guess is right, wrong or without answer; the message goes along."""
    message = said(things, guess)
    if message == "works":
        return ("right" if "works" in right else "wrong"), message
    proposal = message.partition(";")[2]
    if any(re.search(rf"\b{re.escape(word)}\b", proposal) for word in right):
        return "right", message
    return ("wrong" if re.search("did you mean|use ", proposal) else "no answer"), message


@pytest.mark.parametrize("name", LISTS)
def test_guessed_names(things, name):
    found = [(guess, *verdict(things, guess, right)) for guess, right in read(name)]
    assert [one for one in found if one[1] == "wrong"] == []
    unanswered = [one for one in found if one[1] == "no answer"]
    assert len(unanswered) <= (1.0 - SHARE) * len(found), unanswered


RAISIM = {
    "World": "world", "Object": "body", "SingleBodyObject": "body", "Sphere": "body", "Box": "body",
    "Cylinder": "body", "Capsule": "body", "Cone": "body", "Ground": "body", "Mesh": "body",
    "Compound": "body", "ArticulatedSystem": "robot", "Contact": "contact", "LengthConstraint": "wire",
    "StiffLengthConstraint": "wire", "CompliantLengthConstraint": "wire", "CustomLengthConstraint": "wire",
    "PinConstraint": "pin", "PinConstraintDefinition": "pin", "JointRef": "joint", "LinkRef": "link",
    "CoordinateFrame": "link", "SpringElement": "joint", "CollisionDefinition": "shape",
    "HeightMap": "hills", "TerrainProperties": "field", "RayCollisionItem": "hit",
    "RayCollisionList": "hit", "MaterialManager": "materials", "MaterialPairProperties": "pair",
    "Single3DContactProblem": "contact", "BisectionContactSolver": "world",
    "SolverConfiguration": "world", "Sensor": "imu", "SensorSet": "imu", "RGBCamera": "camera",
    "DepthCamera": "camera", "InertialMeasurementUnit": "imu", "SpinningLidar": "lidar",
    "RaisimServer": "viewer", "OgreVis": "viewer", "Visuals": "ball", "VisualMesh": "mesh",
    "PolyLine": "line", "ArticulatedSystemVisual": "ghost", "HeightMapVisual": "terrain",
    "InstancedVisuals": "many", "PointCloud": "cloud", "Chart": "curves", "TimeSeriesGraph": "curves",
    "BarChart": "bars",
}  # fmt: skip


def listed():
    """Return RaiSim's names of each of its classes."""
    found = {}
    for line in (DATA / "raisim_names.txt").read_text("utf-8").splitlines():
        if line[0] != "#":
            kind, _, names = line.partition(": ")
            found.setdefault(kind, []).extend(names.split())
    return found


@pytest.fixture(scope="module")
def places(things):
    """Return one object of each kind that RaiSim has, too; the viewer opens no port."""
    world, body, robot = things["world"], things["body"], things["robot"]
    field = tribo.HeightField([[0.0, 0.0], [0.0, 0.0]], size=(1.0, 1.0))
    joint, link = robot.joint(robot.joint_names[0]), robot.link(robot.body_names[1])
    viewer = tribo.Viewer.__new__(tribo.Viewer)
    drawn = {
        "ball": visuals.VisualShape, "mesh": visuals.VisualMesh, "terrain": visuals.VisualHeightMap,
        "line": visual_sets.VisualPolyline, "many": visual_sets.VisualInstances,
        "cloud": visual_sets.VisualPointCloud, "ghost": visual_sets.VisualArticulatedSystem,
        "curves": charts.TimeSeriesGraph, "bars": charts.BarChart,
    }  # fmt: skip
    return things | {name: kind.__new__(kind) for name, kind in drawn.items()} | {
        "wire": world.add_wire(body, robot, length=5.0), "pin": world.add_pin(body, None),
        "shape": body.collision_bodies[0], "joint": joint, "link": link, "field": field,
        "hills": world.add_height_map(field, position=(9, 0, 0)), "materials": world.materials,
        "pair": tribo.PairProperties(), "hit": world.ray_test((3, 0, 9), (0, 0, -1), 9.0),
        "camera": world.add_depth_camera(body, width=2, height=2), "imu": world.add_imu(body),
        "lidar": world.add_lidar(body), "viewer": viewer,
    }  # fmt: skip


@pytest.mark.parametrize("kind", RAISIM)
def test_names_of_raisim_are_answered(places, kind):
    """Each name of tests/data/raisim_names.txt, typed at tribo's object, works or is answered."""
    here, guesses = type(places[RAISIM[kind]]), listed()[kind]
    assert guesses
    unanswered = []
    for name in guesses:
        if hasattr(here, name) or name in here.__annotations__:
            continue
        try:
            getattr(places[RAISIM[kind]], name)
        except AttributeError as error:
            if ";" not in str(error):
                unanswered.append(name)
    assert unanswered == []


@pytest.mark.parametrize("kind", sorted({*listed()} - {*RAISIM, "Module"}))
def test_classes_of_raisim_are_answered(kind):
    """Structures and enumerations have no object in tribo: the class is answered."""
    try:
        getattr(tribo, kind)
    except AttributeError as error:
        assert ";" in str(error)  # noqa: PT017


@pytest.mark.parametrize("name", listed()["Module"])
def test_functions_of_raisim_are_answered(name):
    try:
        getattr(tribo, name)
    except AttributeError as error:
        assert ";" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("world", "addSphere", "add_sphere"),
        ("world", "setERP", "did you mean 'erp'?"),
        ("world", "addGranularBox", "no granular media"),
        ("world", "setLogLevel", "nothing has to be called"),
        ("body", "getInertiaMatrix_W", "body.rotation_matrix @ body.inertia @ body.rotation_matrix.T"),
        ("robot", "getMinvJT", "robot.solve_mass_matrix(J.T)"),
        ("contact", "getPairObjectIndex", "world.objects.index(contact.other(object))"),
        ("hills", "getHeight", "did you mean 'height'?"),
        ("hills", "getHeightVector", "use hills.heights.ravel()"),
        ("viewer", "setCameraPositionAndLookAt", "viewer.set_camera(position, look_at)"),
        ("hit", "getCollisionBody", "did you mean 'collision_body'?"),
        ("imu", "getOrientation", "imu.measure().orientation"),
        ("camera", "getOrientation", "camera.rotation_matrix"),
        ("pin", "pos1_w", "constraint.points[0]"),
        ("many", "setScale", "visual.update(…, scales)"),
        ("curves", "addDataPoints", "did you mean 'add_data_points'?"),
        ("pair", "c_r", "use pair.restitution"),
    ],
)  # fmt: skip
def test_answers_to_names_of_raisim(places, kind, name, said):
    with pytest.raises(AttributeError) as caught:
        getattr(places[kind], name)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("key", "call"),
    [
        ("trunk", "robot.link('trunk')"), ("LF_KFE", "robot.joint('LF_KFE')"),
        ("nobody", "robot.link('nobody') or robot.joint('nobody')"), (0, "robot.links[…]"),
    ],
)  # fmt: skip
def test_brackets_at_robots_are_answered(things, key, call):
    for robot in (things["robot"], things["batch"][things["robot"].name]):
        with pytest.raises(TypeError, match=re.escape(call)):
            robot[key]
        with pytest.raises(TypeError, match="not iterable"):
            list(robot)


def test_links_and_joints_are_found_by_name(things):
    robot = things["robot"]
    assert robot.links["LF_SHANK"].name == "LF_SHANK"
    assert robot.joints["LF_KFE"].name == robot.joints[2].name == "LF_KFE"
    assert [link.name for link in robot.links[:2]] == ["trunk", "LF_HIP"]
    with pytest.raises(KeyError, match="unknown joint 'LF_KFF'; did you mean 'LF_KFE'"):
        robot.joints["LF_KFF"]
    with pytest.raises(IndexError, match="no link 13; there are 13"):
        robot.links[13]


def test_there_are_three_hundred():
    assert sum(len(read(name)) for name in LISTS) >= 300


OWNERS = {
    "world": tribo.World, "robot": tribo.ArticulatedSystem, "body": tribo.SingleBody, "batch": tribo.Batch,
    "contact": tribo.Contact, "shape": tribo.CollisionBody, "tribo": tribo, "object": tribo.objects.Object,
    "joint": tribo.objects.Joint, "frame": tribo.objects.Frame, "link": tribo.objects.Link,
}  # fmt: skip


BESIDE = {"gym", "learn", "viewer"}  # packages of `tribo`


def named():
    """Return (owner, attribute) of all that the answers name."""
    found = set()
    for section, rows in answers.table().items():
        for kind in ("body", "robot", "shape"):
            text = " ".join(answer for answer, _ in rows).replace("{it}", kind)
            if section != "body or robot" and "{it}" in " ".join(a for a, _ in rows) and kind != "shape":
                continue
            if section == "body or robot" and kind == "shape":
                continue
            found |= set(
                re.findall(
                    r"\b(world|robot|body|batch|contact|shape|tribo|object|joint|frame|link)\.(\w+)", text
                )
            )
    return sorted(found)


@pytest.mark.parametrize(("owner", "attribute"), named(), ids=str)
def test_what_an_answer_names_exists(owner, attribute):
    known = OWNERS[owner]
    fields = {name for kind in getattr(known, "__mro__", ()) for name in getattr(kind, "__annotations__", {})}
    assert attribute in dir(known) or attribute in fields or attribute in BESIDE


def test_private_names_are_never_proposed():
    robot = tribo.World().add_sphere(0.1, mass=1.0)
    for name in ("_qq", "wrld", "quaternion_", "set"):
        with pytest.raises(AttributeError) as caught:
            getattr(robot, name)
        assert not re.search(r"(use|mean) '?_", str(caught.value))
        assert caught.value.obj is None, "Python would look for private names, too"


def test_an_error_within_a_property_is_not_hidden():
    class Odd(tribo.World):
        @property
        def odd(self):
            return self.time.nowhere

    with pytest.raises(AttributeError, match="'float' object has no attribute 'nowhere'"):
        _ = Odd().odd


def test_short_names_are_the_long_ones():
    world = tribo.World(time_step=2e-3)
    ball = world.add_sphere(0.1, mass=1.0)
    assert world.dt == world.time_step
    world.dt = 1e-3
    assert world.time_step == 1e-3
    assert ball.q is ball.generalized_coordinate
    ball.v = (1, 2, 3, 4, 5, 6)
    assert np.array_equal(ball.generalized_velocity, ball.v)
    ball.q[2] = 5.0
    assert ball.position[2] == 5.0
    batch = tribo.Batch(world, 2, threads=1)
    batch[ball.name].q[:, 2] = 7.0
    assert (batch[ball.name].generalized_coordinate[:, 2] == 7.0).all()
    assert world.add_plane().collision_bodies[0].shape.name == "PLANE"
    assert world.load_urdf(ASSETS / "quadruped.urdf", fixed_base=True).dof == 12


def test_words_of_a_robot_name_what_they_mean(things):
    """The velocity of the centre of mass is not that of the base; a torque is set or was applied."""
    robot = things["robot"]
    v = robot.generalized_velocity
    try:
        robot.generalized_velocity = np.concatenate([np.zeros(6), np.ones(robot.dof - 6)])
        answer = said(things, "robot.com_velocity").partition("; use ")[2]
        found = eval(answer, {"robot": robot})
        q, rate = robot.generalized_coordinate, robot.generalized_velocity
        moved = [robot.at(np.concatenate([q[:7], q[7:] + t * rate[6:]])).com_position for t in (-1e-6, 1e-6)]
        assert found == pytest.approx((moved[1] - moved[0]) / 2e-6, abs=1e-8)
        assert np.abs(found).max() > 0.01
    finally:
        robot.generalized_velocity = v
    torque, place = said(things, "robot.torque"), said(things, "robot.joint_positions")
    assert "generalized_force" in torque
    assert "applied_torque" in torque
    assert "joint_coordinates" in place
    assert "generalized_coordinate" in place
