"""A world may be edited at any time between steps, and never half-edited."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, QUADRUPED, empty_world, ground_world, slider, standing_quadruped

import tribo
import tribo.world.building
from tribo.description.trees import TreeDescription


def fingerprint(world):
    """Return everything of a world that a failed edit must leave alone."""
    snapshot = world.snapshot()
    arrays = [array.tobytes() for record in snapshot.arrays.values() for array in record.values()]
    names = tuple((part.name, part.id, part.body_type) for part in world.objects)
    return names, arrays, world.material_names, snapshot.shapes


@pytest.fixture
def scene():
    """A world with a ground, a ball, a static box and a robot, after some steps."""
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, name="ball", position=(1, 0, 0.3))
    world.add_box((1, 1, 1), 1.0, name="wall", position=(3, 0, 0.5), body_type="static")
    standing_quadruped(world, name="robot")
    world.step(20)
    return world


NAN, INF = math.nan, math.inf
EDITS = {
    "nan position": lambda w: setattr(w["ball"], "position", (0, 0, NAN)),
    "short position": lambda w: setattr(w["ball"], "position", (0, 0)),
    "text position": lambda w: setattr(w["ball"], "position", "abc"),
    "far quaternion": lambda w: setattr(w["ball"], "orientation", (1, 1, 0, 0)),
    "zero quaternion": lambda w: setattr(w["ball"], "orientation", (0, 0, 0, 0)),
    "infinite velocity": lambda w: setattr(w["ball"], "linear_velocity", (INF, 0, 0)),
    "long velocity": lambda w: setattr(w["ball"], "angular_velocity", (0, 0, 0, 0)),
    "static velocity": lambda w: setattr(w["wall"], "linear_velocity", (1, 0, 0)),
    "nan force": lambda w: w["ball"].apply_force((NAN, 0, 0)),
    "nan torque": lambda w: w["ball"].apply_torque((NAN, 0, 0)),
    "short coordinates": lambda w: setattr(w["robot"], "generalized_coordinate", np.zeros(5)),
    "zero rotation": lambda w: setattr(w["robot"], "generalized_coordinate", np.zeros(19)),
    "nan velocities": lambda w: setattr(w["robot"], "generalized_velocity", np.full(18, NAN)),
    "short target": lambda w: setattr(w["robot"], "pd_target", np.zeros(18)),
    "negative gain": lambda w: w["robot"].set_pd_gains(-1.0, 0.0),
    "second gain negative": lambda w: w["robot"].set_pd_gains(np.full(18, 7.0), np.full(18, -1.0)),
    "long force": lambda w: setattr(w["robot"], "generalized_force", np.zeros(19)),
    "unknown link": lambda w: w["robot"].apply_force("no_such_link", (0, 0, 1)),
    "negative mass": lambda w: w.add_sphere(0.1, -1.0),
    "zero mass": lambda w: w.add_sphere(0.1, 0.0),
    "nan mass": lambda w: w.add_sphere(0.1, NAN),
    "text mass": lambda w: w.add_sphere(0.1, "heavy"),
    "negative radius": lambda w: w.add_sphere(-0.1, 1.0),
    "flat box": lambda w: w.add_box((1, 0, 1), 1.0),
    "two edges": lambda w: w.add_box((1, 1), 1.0),
    "no height": lambda w: w.add_capsule(0.1, -1.0, 1.0),
    "indefinite inertia": lambda w: w.add_sphere(0.1, 1.0, inertia=(1, 1, -1)),
    "asymmetric inertia": lambda w: w.add_sphere(0.1, 1.0, inertia=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]),
    "unknown option": lambda w: w.add_sphere(0.1, 1.0, postion=(0, 0, 1)),
    "unknown body type": lambda w: w.add_sphere(0.1, 1.0, body_type="dynamical"),
    "moving static": lambda w: w.add_sphere(0.1, 1.0, body_type="static", linear_velocity=(1, 0, 0)),
    "bad group": lambda w: w.add_sphere(0.1, 1.0, collision_group=1.5),
    "big mask": lambda w: w.add_sphere(0.1, 1.0, collision_mask=1 << 70),
    "duplicate name": lambda w: w.add_sphere(0.1, 1.0, name="ball"),
    "number as a name": lambda w: w.add_sphere(0.1, 1.0, name=7),
    "number as a material": lambda w: w.add_sphere(0.1, 1.0, 7),
    "zero normal": lambda w: w.add_ground(normal=(0, 0, 0)),
    "missing file": lambda w: w.add_articulated_system("no_such_robot.urdf"),
    "broken text": lambda w: w.add_articulated_system("<robot><link></robot>"),
    "static robot": lambda w: w.add_articulated_system(QUADRUPED, body_type="static"),
    "robot with a bad place": lambda w: w.add_articulated_system(QUADRUPED, position=(0, 0, NAN)),
    "robot with a bad turn": lambda w: w.add_articulated_system(QUADRUPED, orientation=(2, 0, 0, 0)),
    "robot with a bad group": lambda w: w.add_articulated_system(QUADRUPED, collision_group="x"),
    "negative friction": lambda w: w.set_material_pair("a", "b", friction=-0.1),
    "static below sliding": lambda w: w.set_material_pair("a", "b", friction=0.5, static_friction=0.4),
    "restitution above one": lambda w: w.set_material_pair("a", "b", restitution=1.1),
    "unknown property": lambda w: w.set_material_pair("a", "b", frictoin=0.4),
    "default pair": lambda w: setattr(w, "default_pair", 0.5),
    "zero time step": lambda w: setattr(w, "time_step", 0.0),
    "nan gravity": lambda w: setattr(w, "gravity", (0, 0, NAN)),
    "erp above one": lambda w: setattr(w, "erp", 1.5),
    "unknown integrator": lambda w: setattr(w, "integrator", "euler"),
    "unknown filter": lambda w: setattr(w, "collision_filter", "and"),
    "no sweeps": lambda w: setattr(w, "max_sweeps", 0),
    "negative steps": lambda w: w.step(-1),
    "half a step": lambda w: w.step(0.5),
    "too many steps": lambda w: w.step(2**70),
    "nothing as a robot": lambda w: w.add_articulated_system(None),
    "bytes as a robot": lambda w: w.add_articulated_system(b"<robot/>"),
    "empty path": lambda w: w.add_articulated_system(""),
    "robot without bodies": lambda w: w.add_articulated_system(TreeDescription([])),
    "nothing as a batch": lambda w: tribo.Batch(None, 2),
    "no steps": lambda w: w.step(None),
    "huge radius": lambda w: w.add_sphere(1e200, 1.0),
    "tiny radius": lambda w: w.add_sphere(1e-200, 1.0),
    "long integer": lambda w: w.add_sphere(10**400, 1.0),
    "text radius": lambda w: w.add_sphere("1", 1.0),
    "true radius": lambda w: w.add_sphere(True, 1.0),
    "no radius": lambda w: w.add_sphere(None, 1.0),
    "ragged radius": lambda w: w.add_sphere([1, [1, 2]], 1.0),
    "list as a name": lambda w: w.add_sphere(0.1, 1.0, name=[]),
    "no material": lambda w: w.add_sphere(0.1, 1.0, ""),
    "text inertia": lambda w: w.add_sphere(0.1, 1.0, inertia="x"),
    "nan inertia": lambda w: w.add_sphere(0.1, 1.0, inertia=(1, 1, NAN)),
    "impossible inertia": lambda w: w.add_sphere(0.1, 1.0, inertia=(1, 1, 100)),
    "number as a body type": lambda w: setattr(w["ball"], "body_type", 7),
    "words as position": lambda w: setattr(w["ball"], "position", ("1", "2", "3")),
    "truth as position": lambda w: setattr(w["ball"], "position", (True, False, True)),
    "nothing as position": lambda w: setattr(w["ball"], "position", None),
    "ragged position": lambda w: setattr(w["ball"], "position", [[1], [1, 2]]),
    "far position": lambda w: setattr(w["ball"], "position", (1e300, 0, 0)),
    "complex position": lambda w: setattr(w["ball"], "position", (1j, 0, 0)),
    "huge gain": lambda w: w["robot"].set_pd_gains(1e300, 1.0),
    "text gain": lambda w: w["robot"].set_pd_gains("1", 1.0),
    "no gain": lambda w: w["robot"].set_pd_gains(None, 1.0),
    "huge friction": lambda w: w.set_material_pair("a", "b", friction=1e300),
    "text friction": lambda w: w.set_material_pair("a", "b", friction="1"),
    "true friction": lambda w: w.set_material_pair("a", "b", friction=True),
    "friction without a name": lambda w: w.set_material_pair("a", "b", 0.5),
    "pair without a name": lambda w: w.set_material_pair("a", "", friction=0.5),
    "one number as gravity": lambda w: setattr(w, "gravity", -9.81),
    "no gravity": lambda w: setattr(w, "gravity", None),
    "tiny time step": lambda w: setattr(w, "time_step", 1e-300),
    "no integrator": lambda w: setattr(w, "integrator", None),
    "list as object": lambda w: w[["ball"]],
    "remove nothing": lambda w: w.remove(None),
    "unknown object": lambda w: w.remove("bal"),
    "foreign object": lambda w: w.remove(tribo.World().add_sphere(0.1, 1.0)),
}


@pytest.mark.parametrize("name", EDITS)
def test_bad_input_leaves_the_world_as_it_was(scene, name):
    """Every refused edit names what is wrong and changes nothing: same objects, materials and bits."""
    before = fingerprint(scene)
    with pytest.raises((ValueError, TypeError, KeyError, OSError)) as caught:
        EDITS[name](scene)
    assert len(str(caught.value)) > 10
    assert fingerprint(scene) == before
    scene.step(5)


def test_messages_name_value_and_remedy():
    """A few of the messages, word for word where it matters."""
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        _ = world["bal"]
    with pytest.raises(TypeError, match="did you mean 'position'"):
        world.add_sphere(0.1, 1.0, postion=(0, 0, 1))
    with pytest.raises(ValueError, match=r"mass must be > 0.*-1"):
        world.add_sphere(0.1, -1.0)
    with pytest.raises(ValueError, match=r"unit quaternion .*length 1\.41"):
        world["ball"].orientation = 1, 1, 0, 0
    with pytest.raises(ValueError, match="entry 2 is"):
        world["ball"].position = 0, 0, NAN
    with pytest.raises(tribo.DescriptionError, match="no_such_robot"):
        world.add_articulated_system("no_such_robot.urdf")


# -- update and advance ------------------------------------------------------------------------

BETWEEN = {
    "add": lambda w: w.add_sphere(0.1, 1.0),
    "remove": lambda w: w.remove("ball"),
    "position": lambda w: setattr(w["ball"], "position", (0, 0, 1)),
    "velocity": lambda w: setattr(w["ball"], "linear_velocity", (0, 0, 1)),
    "coordinates": lambda w: setattr(w["robot"], "generalized_coordinate", w["robot"].pd_target),
    "gravity": lambda w: setattr(w, "gravity", (0, 0, -1)),
    "time step": lambda w: setattr(w, "time_step", 2e-3),
    "filter": lambda w: setattr(w, "collision_filter", "both"),
    "material": lambda w: setattr(w["ball"], "material", "ice"),
    "pair": lambda w: w.set_material_pair("a", "b", friction=0.1),
    "default pair": lambda w: setattr(w, "default_pair", tribo.PairProperties()),
    "body type": lambda w: setattr(w["ball"], "body_type", "kinematic"),
    "group": lambda w: setattr(w["ball"].collision_bodies[0], "collision_group", 2),
    "mask": lambda w: setattr(w["ball"].collision_bodies[0], "collision_mask", 2),
    "self-collision": lambda w: w["robot"].ignore_collision("LF_FOOT", "RF_FOOT"),
    "time": lambda w: setattr(w, "time", 0.0),
    "snapshot": lambda w: w.snapshot(),
    "second update": lambda w: w.update(),
    "step": lambda w: w.step(),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_edits_between_update_and_advance_are_refused(scene, name):
    """Contacts just found would no longer belong to the state. After `advance` all is allowed again."""
    scene.update()
    with pytest.raises(tribo.EditError) as caught:
        BETWEEN[name](scene)
    for inside in ("dt", "gravity_x", "filter_both"):
        assert inside not in str(caught.value).split()
    scene.advance()
    if name != "second update":
        BETWEEN[name](scene)
        scene.step()
    else:
        scene.update()
        scene.advance()


def test_advance_without_update_is_refused(scene):
    with pytest.raises(tribo.EditError):
        scene.advance()
    scene.step()
    with pytest.raises(tribo.EditError):
        scene.advance()


def test_commands_between_update_and_advance_are_allowed():
    """A controller reads M and h at mid-step and decides then; what it commands acts in this step."""
    world = empty_world(1e-3, (0, 0, 0))
    robot = world.add_articulated_system(slider(2.0))
    ball = world.add_sphere(0.1, 4.0)
    world.update()
    robot.generalized_force = [6.0]
    ball.apply_force((8.0, 0, 0))
    world.advance()
    assert robot.generalized_velocity[0] == pytest.approx(3e-3, rel=1e-12)
    assert ball.linear_velocity[0] == pytest.approx(2e-3, rel=1e-12)


def test_update_and_advance_are_a_step(scene):
    """Bit for bit, with robot and contacts, and mixed with steps."""
    saved = scene.snapshot()
    scene.step(40)
    expected = fingerprint(scene)
    scene.restore(saved)
    for k in range(40):
        if k % 3:
            scene.update()
            scene.advance()
        else:
            scene.step()
    assert fingerprint(scene) == expected


def test_n_steps_are_n_times_one_step(scene):
    saved = scene.snapshot()
    scene.step(60)
    expected = fingerprint(scene)
    scene.restore(saved)
    for _ in range(60):
        scene.step()
    assert fingerprint(scene) == expected


# -- adding and removing -----------------------------------------------------------------------


def count_builds(monkeypatch):
    """Count how often a world's arrays are built."""
    calls = []
    build = tribo.world.building.build_model

    def counted(*arguments):
        calls.append(1)
        return build(*arguments)

    monkeypatch.setattr(tribo.world.building, "build_model", counted)
    return calls


def test_a_thousand_objects_cost_one_build(monkeypatch):
    world = tribo.World()
    world.add_ground()
    world.step()
    calls = count_builds(monkeypatch)
    for k in range(1000):
        world.add_sphere(0.01, 1.0, position=(k % 32, k // 32, 1))
    assert calls == []
    world.step(3)
    assert len(calls) == 1


def test_moving_things_and_materials_cost_no_build(monkeypatch):
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 1))
    world.step()
    calls = count_builds(monkeypatch)
    ball.position = 0, 0, 2
    ball.linear_velocity = 1, 0, 0
    world.gravity = 0, 0, -1
    world.set_material_pair("default", "default", friction=0.1)
    ball.apply_force((1, 0, 0))
    ball.collision_bodies[0].collision_mask = 3
    world.objects[0].position = 0, 0, -1
    world.step(5)
    assert calls == []


def test_the_rest_goes_on_when_something_is_removed():
    """A ball's flight is the same, bit for bit, whether a far neighbour is removed on the way or not."""
    ends = []
    for remove in (False, True):
        world = ground_world(restitution=0.5)
        other = world.add_sphere(0.1, 1.0, position=(9, 0, 1))
        ball = world.add_sphere(0.1, 1.0, position=(0, 0, 1), linear_velocity=(1, 0, 0))
        world.step(300)
        if remove:
            world.remove(other)
        world.step(300)
        ends.append((*ball.position, *ball.linear_velocity, *ball.orientation))
    assert ends[0] == ends[1]


def test_removed_objects_refuse_to_act():
    world = ground_world()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    robot = world.add_articulated_system(slider())
    world.step()
    for part in (ball, robot):
        world.remove(part)
        assert part.name not in world
        assert part not in world.objects
        with pytest.raises(KeyError):
            world.remove(part)
    with pytest.raises(RuntimeError):
        ball.apply_force((1, 0, 0))
    with pytest.raises(RuntimeError):
        _ = robot.applied_torque
    again = world.add_sphere(0.1, 1.0, name="ball")
    assert again.id not in {ball.id, robot.id}
    world.step()


def test_ids_and_names_are_stable():
    world = tribo.World()
    made = [world.add_sphere(0.1, 1.0, position=(k, 0, 0)) for k in range(5)]
    ids = [part.id for part in made]
    assert len(set(ids)) == 5
    world.remove(made[2])
    world.step()
    late = world.add_box((1, 1, 1), 1.0)
    assert late.id not in ids
    assert [part.id for part in world.objects] == [*ids[:2], *ids[3:], late.id]
    assert all(world[part.name] is part for part in world.objects)


def test_support_may_be_removed_under_a_resting_body():
    """The plank goes, the box falls: free fall from rest, to round-off."""
    world = ground_world(friction=0.5)
    plank = world.add_box((1, 1, 0.1), 1.0, position=(0, 0, 0.95), body_type="static")
    box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 1.1))
    world.step(200)
    assert box.position[2] == pytest.approx(1.1, abs=1e-9)
    world.remove(plank)
    world.step(100)
    assert box.linear_velocity[2] == pytest.approx(-0.1 * GRAVITY, abs=1e-9)


# -- body types --------------------------------------------------------------------------------


def test_body_type_switches_at_run_time():
    """Dynamic falls, kinematic keeps its velocity, static stays, dynamic falls again from where it is."""
    world = empty_world(1e-3)
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 5))
    world.step(100)
    speed = ball.linear_velocity[2]
    assert speed == pytest.approx(-0.1 * GRAVITY, rel=1e-12)
    ball.body_type = "kinematic"
    start = ball.position
    world.step(100)
    np.testing.assert_array_equal(ball.linear_velocity, [0, 0, speed])
    np.testing.assert_allclose(ball.position, start + np.array([0, 0, 0.1 * speed]), atol=1e-12)
    ball.body_type = tribo.STATIC
    start = ball.position
    world.step(100)
    np.testing.assert_array_equal(ball.position, start)
    np.testing.assert_array_equal(ball.linear_velocity, 0)
    ball.body_type = tribo.DYNAMIC
    np.testing.assert_array_equal(ball.position, start)
    world.step(100)
    assert ball.linear_velocity[2] == pytest.approx(-0.1 * GRAVITY, rel=1e-12)


def test_a_static_body_may_be_moved_by_hand():
    """Contacts follow at once, before and after the first step."""
    world = empty_world(friction=0.5)
    shelf = world.add_box((1, 1, 0.1), 1.0, position=(0, 0, -0.05), body_type="static")
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    world.step(50)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-12)
    shelf.position = 0, 0, -1.05
    world.step(50)
    assert ball.linear_velocity[2] == pytest.approx(-0.05 * GRAVITY, rel=1e-9)


def test_a_robot_may_become_kinematic():
    """Its joints then turn at the speed they are given."""
    world = empty_world()
    robot = world.add_articulated_system(slider())
    robot.body_type = "kinematic"
    robot.generalized_velocity = [0.5]
    world.step(100)
    assert robot.generalized_coordinate[0] == pytest.approx(0.05, abs=1e-12)
    with pytest.raises(ValueError, match="static"):
        robot.body_type = "static"


# -- external forces ---------------------------------------------------------------------------


def test_external_force_lasts_one_step():
    world = empty_world(1e-3, (0, 0, 0))
    ball = world.add_sphere(0.1, 2.0)
    ball.apply_force((10, 0, 0))
    ball.apply_force((10, 0, 0))  # forces add up
    world.step(5)
    assert ball.linear_velocity[0] == pytest.approx(20 * 1e-3 / 2.0, rel=1e-14)


def test_external_force_survives_a_rebuild():
    """An object added after the force was applied does not swallow it."""
    world = empty_world(1e-3, (0, 0, 0))
    ball = world.add_sphere(0.1, 2.0)
    world.step()
    ball.apply_force((10, 0, 0))
    ball.apply_torque((0, 0, 1))
    world.add_sphere(0.1, 1.0, position=(5, 0, 0))
    world.step()
    assert ball.linear_velocity[0] == pytest.approx(5e-3, rel=1e-14)
    assert ball.angular_velocity[2] > 0.0


def test_force_at_a_point_turns_the_body():
    """τ = (p − c) × f: ω⁺ = dt I⁻¹ τ."""
    world = empty_world(1e-3, (0, 0, 0))
    box = world.add_box((1, 2, 3), 6.0, position=(1, 2, 3))
    box.apply_force((0, 0, 4.0), point=(1.5, 2, 3))
    world.step()
    inertia = 6.0 / 12 * (1**2 + 3**2)
    np.testing.assert_allclose(box.angular_velocity, [0, -1e-3 * 2.0 / inertia, 0], atol=1e-15)


# -- collision filters -------------------------------------------------------------------------
