"""Handles: misspelt names are errors, removed objects say so, contacts can be read from either side."""

import copy
import pickle
import threading

import numpy as np
import pytest
from scenes import GRAVITY, empty_world, ground_world, slider, standing_quadruped

import tribo


@pytest.fixture
def scene():
    world = tribo.World()
    world.add_ground(name="ground", material="steel")
    world.add_sphere(0.1, 2.0, "rubber", name="ball", position=(3, 0, 0.1))
    standing_quadruped(world, name="robot")
    world.step(10)
    return world


# -- names -------------------------------------------------------------------------------------

TYPOS = {
    "ball.linear_velocty": "linear_velocity",
    "ball.positon": "position",
    "robot.pd_targt": "pd_target",
    "world.time_stp": "time_step",
    "world.gravty": "gravity",
    "shape.materil": "material",
    "table.defualt": "default",
    "batch.thread": "threads",
    "rows.pd_targets": "pd_target",
}


@pytest.mark.parametrize("name", TYPOS)
def test_assigning_to_a_misspelt_name_proposes_the_nearest(scene, name):
    batch = tribo.Batch(scene, 2, threads=1)
    owners = {
        "ball": scene["ball"], "robot": scene["robot"], "world": scene, "batch": batch,
        "shape": scene["ball"].collision_bodies[0], "table": scene.materials, "rows": batch["robot"],
    }  # fmt: skip
    owner, _, attribute = name.partition(".")
    with pytest.raises(AttributeError, match=f"'{attribute}'.*did you mean '{TYPOS[name]}'"):
        setattr(owners[owner], attribute, 1.0)


def test_methods_and_readouts_cannot_be_assigned_to(scene):
    with pytest.raises(AttributeError, match=r"it is called: apply_force\(…\)"):
        scene["ball"].apply_force = (0, 0, 1)
    with pytest.raises(AttributeError, match="kinetic_energy"):
        scene["ball"].kinetic_energy = 3.0


def test_classes_of_users_are_open():
    class Mine(tribo.World):
        def __init__(self):
            super().__init__()
            self.score = 3

    assert Mine().score == 3


def test_the_package_lists_its_public_names():
    assert set(tribo.__all__) <= set(dir(tribo))
    assert {name for name in dir(tribo) if name[0] != "_"} == set(tribo.__all__)
    with pytest.raises(AttributeError, match="did you mean 'World'"):
        _ = tribo.Wrld


def test_a_name_given_later_is_not_given_twice():
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="sphere_1")
    late = world.add_sphere(0.1, 1.0)
    assert len({part.name for part in world.objects}) == 2
    assert world[late.name] is late


# -- texts -------------------------------------------------------------------------------------


def test_one_line_says_what_it_is(scene):
    batch = tribo.Batch(scene, 3, threads=1)
    expected = {
        scene: ("World", "3 objects", "24 dofs", "t = 0.01 s"),
        scene["ball"]: ("'ball'", "sphere(0.1)", "'rubber'", "2 kg", "dynamic"),
        scene["robot"]: ("'robot'", "floating", "12 joints", "18 dofs"),
        scene["ball"].collision_bodies[0]: ("sphere/0", "'ball'", "'rubber'"),
        scene.materials: ("3 materials", "steel", "rubber"),
        batch: ("3 worlds", "3 objects", "1 threads", "3 valid"),
        batch["robot"]: ("'robot'", "3 worlds", "19 coordinates", "18 dofs"),
        scene.snapshot(): ("t = 0.01 s", "3 objects"),
        scene["ball"].contacts[0]: ("'ball'", "'ground'", "steel", "rubber", "force"),
    }
    for item, words in expected.items():
        text = repr(item)
        assert "\n" not in text
        assert all(word in text for word in words), text


def test_a_summary_has_a_line_for_each_object(scene):
    lines = scene.summary().splitlines()
    assert [line.split(":")[0].strip() for line in lines[-3:]] == ["ground", "ball", "robot"]
    assert "contacts: 5" in scene.summary()


def test_a_table_prints_its_pairs(scene):
    scene.set_material_pair("steel", "rubber", friction=0.123)
    line = next(line for line in str(scene.materials).splitlines() if "rubber" in line)
    assert "0.123" in line


# -- removed objects ---------------------------------------------------------------------------

SETTERS = {
    "position": (0, 0, 1), "orientation": (1, 0, 0, 0), "material": "ice", "body_type": "kinematic",
    "generalized_coordinate": None, "generalized_velocity": None,
}  # fmt: skip
OF_BALL = {"linear_velocity": (0, 0, 0), "angular_velocity": (0, 0, 0)}
OF_ROBOT = {
    "pd_target": np.zeros(12), "pd_velocity_target": np.zeros(12), "generalized_force": np.zeros(12),
    "kp": 1.0, "kd": 1.0,
}  # fmt: skip
CALLS = {
    "apply_force": lambda r: r.apply_force("trunk", (0, 0, 1)),
    "apply_force at a point": lambda r: r.apply_force("trunk", (0, 0, 1), (0, 0, 0)),
    "apply_torque": lambda r: r.apply_torque("trunk", (0, 0, 1)),
    "set_pd_gains": lambda r: r.set_pd_gains(1.0, 1.0),
    "ignore_collision": lambda r: r.ignore_collision("trunk", "LF_FOOT"),
    "frame_position": lambda r: r.frame_position("trunk"),
    "frame_orientation": lambda r: r.frame_orientation("trunk"),
    "body_poses": lambda r: r.body_poses(),
    "mass_matrix": lambda r: r.mass_matrix,
    "applied_torque": lambda r: r.applied_torque,
    "contacts": lambda r: r.contacts,
    "shape material": lambda r: setattr(r.collision_bodies[0], "material", "ice"),
    "shape group": lambda r: setattr(r.collision_bodies[0], "collision_group", 1),
    "shape mask": lambda r: setattr(r.collision_bodies[0], "collision_mask", 1),
}


@pytest.mark.parametrize("name", [*SETTERS, *OF_BALL])
def test_setters_of_a_removed_body_refuse(scene, name):
    ball = scene["ball"]
    scene.remove(ball)
    value = {**SETTERS, **OF_BALL}[name]
    with pytest.raises(tribo.EditError, match=r"ball.* was removed"):
        setattr(ball, name, np.zeros(7) if value is None else value)
    assert "removed" in repr(ball)


@pytest.mark.parametrize("name", [*SETTERS, *OF_ROBOT])
def test_setters_of_a_removed_robot_refuse(scene, name):
    robot = scene["robot"]
    scene.remove(robot)
    value = {**SETTERS, **OF_ROBOT}[name]
    with pytest.raises(tribo.EditError, match=r"robot.* was removed"):
        setattr(robot, name, np.zeros(19) if value is None else value)


@pytest.mark.parametrize("name", CALLS)
def test_methods_of_a_removed_robot_refuse(scene, name):
    robot = scene["robot"]
    scene.remove(robot)
    with pytest.raises(tribo.EditError, match=r"robot.* was removed"):
        CALLS[name](robot)


# -- contacts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ground_first", [True, False])
def test_force_and_normal_do_not_depend_on_the_order(ground_first):
    """The ball's weight is carried upwards, the ground is pressed down."""
    world = empty_world(friction=0.5)
    ground = world.add_ground(material="steel") if ground_first else None
    ball = world.add_sphere(0.1, 2.0, "rubber", position=(0, 0, 0.1))
    ground = ground or world.add_ground(material="steel")
    world.step(5)
    (contact,) = world.contacts
    assert contact.other(ball) is ground
    assert contact.other(ground) is ball
    np.testing.assert_allclose(contact.force_on(ball), [0, 0, 2 * GRAVITY], atol=1e-9)
    np.testing.assert_array_equal(contact.force_on(ground), -contact.force_on(ball))
    np.testing.assert_allclose(contact.impulse_on(ball), [0, 0, 2e-3 * GRAVITY], atol=1e-12)
    np.testing.assert_array_equal(contact.normal_on(ball), [0, 0, 1])
    seen = contact.seen_from(ground)
    assert (seen.object_a, seen.materials) == (ground, ("steel", "rubber"))
    np.testing.assert_array_equal(contact.seen_from(ball).force, ball.contacts[0].force)
    with pytest.raises(ValueError, match="'far' is not part of this contact"):
        contact.force_on(world.add_sphere(0.1, 1.0, name="far"))


def readings(world):
    """Return what the last step left to be read."""
    contacts = [
        (c.object_a.name, c.object_b.name, c.body_a, c.body_b, tuple(c.position), tuple(c.force), c.depth)
        for c in world.contacts
    ]
    return (contacts, world.status, tuple(world.residual), world.sweeps, *world["robot"].applied_torque)


def test_contacts_stay_when_objects_come_and_go(scene):
    """Those of what is removed go with it; the rest is as the last step left it."""
    scene["robot"].set_pd_gains(100.0, 1.0)
    far = scene.add_sphere(0.1, 1.0, position=(9, 0, 0.1))
    scene.step()
    before = readings(scene)
    assert len(before[0]) == 6
    assert any(before[4:])
    scene.add_box((1, 1, 1), 1.0, position=(0, 9, 3), name="box")
    assert readings(scene) == before
    scene.remove("ball")
    kept = [c for c in before[0] if "ball" not in c]
    assert readings(scene) == (kept, *before[1:])
    assert [c.other(far).name for c in far.contacts] == ["ground"]
    scene.remove("ground")
    assert scene.contacts == []


def test_contacts_are_restored_with_the_state(scene):
    """After a reset a reward may be computed from contacts at once."""
    saved, before = scene.snapshot(), readings(scene)
    scene["ball"].position = 3, 0, 5
    scene.step(20)
    assert readings(scene) != before
    scene.restore(saved)
    assert readings(scene) == before


# -- materials ---------------------------------------------------------------------------------


def test_a_table_that_was_kept_outlives_a_restore(scene):
    table, saved = scene.materials, scene.snapshot()
    scene.set_material_pair("steel", "rubber", friction=0.1)
    scene.restore(saved)
    assert scene.materials is table
    assert table.pair("steel", "rubber") == table.default
    table.set_pair("steel", "rubber", friction=0.25)
    scene.step()
    assert scene["ball"].contacts[0].pair.friction == 0.25
    row = scene.engine.model.pair_table[table.index("steel"), table.index("rubber")]
    assert row[0] == 0.25


def test_a_table_refuses_edits_between_update_and_advance(scene):
    scene.update()
    with pytest.raises(tribo.EditError, match="material pair"):
        scene.materials.set_pair("steel", "rubber", friction=0.1)
    with pytest.raises(tribo.EditError, match="default pair"):
        scene.materials.default = tribo.PairProperties()
    scene.advance()
    scene.materials.set_pair("steel", "rubber", friction=0.1)


def test_explaining_an_unknown_material_proposes_the_nearest(scene):
    with pytest.raises(KeyError, match="unknown material 'steal'; did you mean 'steel'"):
        scene.explain_pair("steal", "rubber")


def test_materials_are_known_as_soon_as_they_are_used():
    world = tribo.World()
    world.add_ground(material="steel")
    assert world.explain_pair("steel", "steel").properties == world.default_pair


def test_tables_and_snapshots_can_be_copied_and_kept_in_files(scene):
    scene.set_material_pair("steel", "rubber", friction=0.3)
    for table in (copy.deepcopy(scene.materials), pickle.loads(pickle.dumps(scene.materials))):
        assert table.pair("rubber", "steel").friction == 0.3
        table.set_pair("steel", "rubber", friction=0.9)
    assert scene.materials.pair("rubber", "steel").friction == 0.3
    scene.restore(pickle.loads(pickle.dumps(scene.snapshot())))


def test_a_batch_that_does_not_fit_says_how_many_worlds_and_bytes_it_asked_for():
    world = tribo.World()
    world.add_sphere(0.1, 1.0)
    for count in (10**12, 10**18, 2**63 - 1):
        with pytest.raises(MemoryError, match=rf"^{count} worlds of \d+ bytes each need .* GiB"):
            tribo.Batch(world, count)
    with pytest.raises(ValueError, match="threads must be ≤ 1024, got 1000000; None"):
        tribo.Batch(world, 2, threads=10**6)
    batch = tribo.Batch(world, 2, threads=1024)
    with pytest.raises(ValueError, match="threads must be ≤ 1024"):
        batch.threads = 1025
    assert batch.threads == 1024


# -- threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["world", "batch"])
def test_a_second_thread_in_the_same_world_is_refused(kind, monkeypatch):
    """The first is held inside its step until the second has tried."""
    world = ground_world()
    world.add_articulated_system(slider())
    world.step()
    owner = tribo.Batch(world, 2, threads=1) if kind == "batch" else world
    inside, tried = threading.Event(), threading.Event()
    name = "run_all" if kind == "batch" else "run"
    run = getattr(owner.engine, name)

    def held(*arguments):
        inside.set()
        assert tried.wait(30)
        return run(*arguments)

    monkeypatch.setattr(owner.engine, name, held)
    first = threading.Thread(target=owner.step)
    first.start()
    assert inside.wait(30)
    try:
        with pytest.raises(tribo.EditError, match="another thread"):
            owner.step()
        if kind == "world":
            with pytest.raises(tribo.EditError, match="another thread"):
                owner.update()
            with pytest.raises(tribo.EditError, match="another thread"):
                owner.add_sphere(0.1, 1.0)
    finally:
        tried.set()
        first.join()
    owner.step()


def test_an_error_in_a_step_leaves_the_world_usable():
    world = empty_world(1e-3, (0, 0, 0))
    robot = world.add_articulated_system(slider())
    saved = world.snapshot()
    robot.generalized_velocity[0] = np.nan
    for _ in range(2):
        with pytest.raises(tribo.SimulationError):
            world.step()
    world.restore(saved)
    world.step()


# -- snapshots of other worlds -----------------------------------------------------------------


def pile(count, mass=1.0):
    world = ground_world()
    for k in range(count):
        world.add_box((0.1, 0.1, 0.1), mass, position=(0.2 * k, 0, 0.05))
    return world


def test_a_snapshot_with_more_contacts_than_the_tables_hold():
    """The warm start of 40 boxes, 160 contacts, taken over by a world whose tables held 32."""
    first, second = pile(40), pile(40)
    first.step(20)
    second.restore(first.snapshot())
    assert second.engine.capacity.contacts >= len(first.contacts)
    for world in (first, second):
        world.step(20)
    np.testing.assert_array_equal(first.engine.state.q, second.engine.state.q)
    assert readings_of(first) == readings_of(second)


def readings_of(world):
    return [tuple(contact.force) for contact in world.contacts]


def test_a_batch_takes_a_snapshot_with_more_contacts():
    world = pile(40)
    small, large = tribo.Batch(world, 2, threads=1), tribo.Batch(world, 2, threads=1)
    large.step(20)
    small.restore(large.snapshot())
    small.step(5)
    large.step(5)
    np.testing.assert_array_equal(small.engine.state.arrays["q"], large.engine.state.arrays["q"])


def test_a_snapshot_of_a_world_with_other_masses_is_refused():
    saved = pile(2, 1.0).snapshot()
    world = pile(2, 5.0)
    before = world.snapshot().arrays["state"]["q"]
    with pytest.raises(ValueError, match="body_mass"):
        world.restore(saved)
    np.testing.assert_array_equal(world.engine.state.arrays["q"], before)


@pytest.mark.parametrize("bad", [None, 3, {}, {"state": {}}])
def test_what_is_no_snapshot_is_refused(bad):
    world = pile(1)
    with pytest.raises(TypeError, match="snapshot"):
        world.restore(bad)
    with pytest.raises(TypeError, match="snapshot"):
        tribo.Batch(world, 2, threads=1).restore(bad)


@pytest.mark.parametrize("worlds", [7, "a", [True, False, True], None])
def test_a_batch_restores_only_worlds_that_it_has(worlds):
    batch = tribo.Batch(pile(1), 2, threads=1)
    saved = batch.snapshot()
    batch.step(3)
    if worlds is None:
        worlds = 1.5
    with pytest.raises(ValueError, match="worlds must be"):
        batch.restore(saved, worlds)
    assert (batch.time > 0).all()
    batch.restore(saved, [1])
    assert batch.time.tolist() == [pytest.approx(3e-3), 0.0]


def test_one_package_folder_is_enough(tmp_path):
    """A path is not taken for a list of its letters."""
    (tmp_path / "pack").mkdir()
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="package://pack/m.obj"/>'
        "</geometry></visual></link></robot>"
    )
    (tmp_path / "pack" / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    robot = tribo.World().add_articulated_system(text, package_dirs=str(tmp_path))
    assert robot.description.bodies[0].visuals[0].mesh.path == tmp_path / "pack" / "m.obj"


@pytest.mark.parametrize("attempt", [copy.copy, copy.deepcopy, pickle.dumps])
def test_handles_worlds_and_batches_refuse_copies(attempt):
    """Also before the first step; a second handle would miss the next build."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0)
    for item in (ball, world, tribo.Batch(world, 2, threads=1)):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            attempt(item)


def test_a_static_body_has_no_coordinates():
    """Neither to read nor to set, and they come back when it moves again."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 2), body_type="static")
    assert ball.generalized_coordinate.shape == ball.generalized_velocity.shape == (0,)
    ball.generalized_coordinate = []
    with pytest.raises(ValueError, match=r"must have shape \(0,\)"):
        ball.generalized_coordinate = np.zeros(7)
    ball.body_type = "dynamic"
    assert ball.generalized_coordinate[2] == 2.0


def test_an_object_by_name():
    """`object(name)` is `[name]`, as `sensor(name)` and `constraint(name)` are."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    assert world.object("ball") is ball is world["ball"]
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        world.object("bal")
