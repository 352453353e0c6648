"""What people meet in their first hour: mistakes that ended in an error about inner parts, or in none."""

import copy
import logging
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.tools.cli import main
from tribo.tools.demo import ASSETS

QUADRUPED = ASSETS / "quadruped.urdf"


@pytest.fixture
def world():
    made = tribo.World()
    made.add_ground(name="ground")
    made.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 1))
    return made


# -- arguments and names ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w: w.add_sphere(), r"^World\.add_sphere: missing .*'radius'; .* World\.add_sphere\("),
        (lambda w: w.add_sphere(radus=0.1, mass=1), r"^World\.add_sphere: .*'radus'; did you mean 'radius'"),
        (lambda w: w.add_pin(w["ball"], colide=False), r"^World\.add_pin: has no .*did you mean 'collide'"),
        (
            lambda w: w.add_articulated_system(QUADRUPED, fixedbase=True),
            r"^World\.add_articulated_system: has no argument 'fixedbase'; did you mean 'fixed_base'",
        ),
        (lambda w: tribo.World(timestep=1e-3), r"^World: has no .*did you mean 'time_step'"),
        (lambda w: tribo.Batch(w, world=3), r"^Batch: "),
        (lambda w: tribo.PairProperties(fricton=0.3), r"^PairProperties: has no .*did you mean 'friction'"),
        (lambda w: tribo.Material("a", denstiy=1.0), r"^Material: has no .*did you mean 'density'"),
        (lambda w: tribo.SingleBody(), r"^SingleBody is not made by itself\. Use the `add_…` methods"),
        (lambda w: tribo.Wire(w), r"^Wire is not made by itself\. Use the `add_…` methods"),
        (lambda w: setattr(w, "default_pair", {"friction": 1.0}), r"world\.default_pair = tribo\.PairProp"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_said_by_the_public_name(world, call, words):
    before = world.hash()
    with pytest.raises(TypeError, match=words) as caught:
        call(world)
    assert "__init__" not in str(caught.value)
    assert "WorldObjects" not in str(caught.value)
    assert world.hash() == before


def test_an_error_within_a_call_stays_what_it_is(world):
    with pytest.raises(TypeError, match="radius"):
        world.add_sphere("wide", mass=1.0)


def test_a_misspelt_property_of_a_pair_is_named(world):
    with pytest.raises(AttributeError, match="no property 'fricton'; did you mean 'friction'"):
        world.default_pair.fricton = 0.3
    with pytest.raises(AttributeError, match=r"friction of PairProperties cannot be changed; .*replace"):
        world.default_pair.friction = 0.3
    with pytest.raises(AttributeError, match="cannot be changed"):
        del world.default_pair.friction
    assert world.default_pair == tribo.PairProperties()
    assert copy.deepcopy(world.default_pair) == pickle.loads(pickle.dumps(world.default_pair))


def test_load_belongs_to_the_class(world):
    with pytest.raises(AttributeError, match=r"load makes a new world: world = tribo\.World\.load"):
        world.load(ASSETS / "three_spheres.xml")
    assert not hasattr(world, "load")
    assert len(tribo.World.load(ASSETS / "three_spheres.xml").objects) == 4


def test_a_world_goes_through_its_objects(world):
    assert list(world) == list(world.objects)
    assert world["ball"] in world
    assert "ball" in world
    assert tribo.World().add_sphere(0.1, mass=1.0, name="ball") not in world
    with pytest.raises(KeyError, match=r"world\.objects\[0\]"):
        world[0]


def test_other_things_in_place_of_a_world_or_a_file_are_refused(world):
    pytest.importorskip("viser")
    for show in (tribo.Viewer, tribo.Renderer):
        with pytest.raises(TypeError, match=r"world must be a tribo\.World, got None"):
            show(None)
    with pytest.raises(TypeError, match=r"got the path 'hills\.png'; .*from_image"):
        world.add_height_map("hills.png", (1, 1))
    with pytest.raises(KeyError, match=r"batch\[name\], got 0"):
        list(tribo.Batch(world, 2, threads=1))


def test_completion_shows_what_users_call(world):
    inner = {
        "check_editable",
        "tie_described",
        "take_scene",
        "shape_ids",
        "span",
        "let_go",
        "is_as_built",
        "part",
    }
    robot = world.add_articulated_system(QUADRUPED)
    for item in (world, world["ball"], robot):
        assert not inner & set(dir(item))
    pin, imu = world.add_pin(world["ball"]), world.add_imu(world["ball"])
    wire = world.add_wire(world["ball"], second_point=(0, 0, 3))
    for item in (pin, wire, imu):
        inner = {"attach", "detach", "tie", "loads", "run_over", "get_state", "set_state", "restart"}
        assert not (inner | {"drop", "due", "update"}) & set(dir(item))
    assert {"force", "compliance", "is_on"} <= set(dir(pin)) & set(dir(wire))
    assert {"reading", "measure", "update_rate"} <= set(dir(imu))
    assert {"add_sphere", "step", "contacts"} <= set(dir(world))
    assert {"position", "apply_force", "mass"} <= set(dir(world["ball"]))
    assert {"kp", "joint", "mass_matrix"} <= set(dir(robot))


def test_every_value_of_a_contact_is_described():
    values = [made for made in vars(tribo.Contact).values() if isinstance(made, property)]
    assert len(values) > 18
    assert all(made.__doc__ for made in values)


# -- writes and forces that would do nothing ------------------------------------------------------------
def test_what_is_written_into_a_reading_is_refused_by_its_name(world):
    ball = world["ball"]
    robot = world.add_articulated_system(QUADRUPED, position=(3, 0, 1))
    for item, name in [
        (ball, "position"), (ball, "orientation"), (ball, "linear_velocity"), (ball, "angular_velocity"),
        (ball, "inertia"), (ball, "com"), (world, "gravity"), (robot, "position"), (robot, "linear_velocity"),
        (robot.links[0], "com"), (robot.links[0], "inertia"), (ball.collision_bodies[0], "position_in_body"),
    ]:  # fmt: skip
        found = getattr(item, name)
        with pytest.raises(ValueError, match=f"assign {name} as a whole"):
            found[0] = 1.0
        assert type(found + 1.0) is np.ndarray
        assert repr(found) == repr(np.array(found))
        mine = found.copy()
        mine[...] = 1.0
        assert type(mine) is np.ndarray
        assert not np.array_equal(getattr(item, name), mine)
    with pytest.raises(ValueError, match="assign the property as a whole"):
        robot.effort_limits[1][6] = 1.0


def test_readings_are_added_to_as_numbers_are(world):
    ball = world["ball"]
    ball.position += (1.0, 0.0, 0.0)
    ball.linear_velocity -= np.ones(3)
    ball.inertia *= 2.0
    ball.linear_velocity /= 2.0
    assert ball.position.tolist() == [1.0, 0.0, 1.0]
    assert ball.linear_velocity.tolist() == [-0.5, -0.5, -0.5]
    before = ball.position
    after = before
    after += 1.0
    assert before.tolist() == [1.0, 0.0, 1.0]


def test_other_ways_to_write_into_a_reading(world):
    ball = world["ball"]
    for write in (
        lambda p: p.fill(0.0), lambda p: p.sort(), lambda p: p.__setitem__(slice(2), 0.0),
        lambda p: p[:2].__setitem__(0, 1.0), lambda p: p.reshape(3, 1).fill(0.0),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="assign position as a whole"):
            write(ball.position)
    assert ball.position.tolist() == [0.0, 0.0, 1.0]
    ball.position += (1.0, 2.0, 0.0)
    ball.position **= 2
    ball.position //= 2.0
    ball.position %= 2.0
    assert ball.position.tolist() == [0.0, 0.0, 0.0]
    mine = ball.inertia[[0, 1]]  # numbers that were picked are a copy
    mine.fill(3.0)
    mine.sort()
    assert mine.tolist() == [[3.0] * 3] * 2


def test_a_force_that_moves_nothing_is_said_once(world, caplog):
    belt = world.add_box((1, 1, 0.1), mass=1.0, body_type="kinematic", name="belt", position=(5, 0, 0))
    with caplog.at_level(logging.WARNING, "tribo"):
        world["ball"].apply_force((0, 0, 1))
        assert not caplog.records
        for _ in range(3):
            world["ground"].apply_force((0, 0, 1))
            belt.apply_torque((0, 0, 1))
    assert [record.getMessage() for record in caplog.records] == [
        "ground is static: forces and torques on it have no effect (said once)",
        "belt is kinematic: forces and torques on it have no effect (said once)",
    ]
    caplog.clear()
    batch = tribo.Batch(world, 2, threads=1)
    with caplog.at_level(logging.WARNING, "tribo"):
        for _ in range(2):
            batch["belt"].apply_force((0, 0, 1))
            batch["ball"].apply_force((0, 0, 1))
    assert [record.getMessage()[:4] for record in caplog.records] == ["belt"]


# -- files ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arm.body", r"body file of Choreonoid, not a world; world\.load_body"),
        ("steel.yaml", r"table of materials, not a world; world\.load_materials"),
        ("rock.obj", r"mesh, not a world; world\.add_mesh"),
        ("run.zarr", r"recording, not a world; tribo\.Recording"),
        ("then.state", r"saved state, not a world; .*world\.load_state"),
        ("then", r"saved state, not a world"),
    ],
)
def test_what_is_no_world_says_which_call_reads_it(world, tmp_path, name, words):
    path = tmp_path / name
    path.write_bytes(world.dump_state() if name.startswith("then") else b"materials: []\n")
    with pytest.raises(ValueError, match=words):
        tribo.World.load(path)


def test_a_hull_is_made_of_points(world):
    for path in ("rock.obj", Path("rock.obj")):
        with pytest.raises(TypeError, match=r"points, got the path 'rock\.obj'; .*add_mesh"):
            world.add_convex(path, mass=1.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 0 0\nv 1 0 0\nv 0 x 0\nf 1 2 3\n", r"line 3, 'v 0 x 0': 'x' is no number"),
        (
            "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 9\n",
            r"line 5, 'f 1 2 9': there is no vertex 9, the file has 3",
        ),
        ("v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", r"line 1, 'v 0 0': v needs 3 numbers, got 2"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 two 3\n", r"line 4, 'f 1 two 3': 'two' is no corner"),
    ],
)
def test_a_damaged_obj_file_names_the_line(world, tmp_path, text, words):
    pytest.importorskip("trimesh")
    path = tmp_path / "rock.obj"
    path.write_text(text)
    before = world.hash()
    with pytest.raises(ValueError, match=r"rock\.obj: " + words):
        world.add_mesh(path, mass=1.0)
    assert world.hash() == before


@pytest.mark.parametrize("ending", ["ply", "stl", "glb"])
def test_other_damaged_meshes_say_that_they_are(world, tmp_path, ending):
    pytest.importorskip("trimesh")
    path = tmp_path / f"rock.{ending}"
    path.write_bytes(b"\x00\x01nothing")
    with pytest.raises(ValueError, match=rf"rock\.{ending}: "):
        world.add_mesh(path, mass=1.0)


def test_folders_that_are_not_there_are_refused(world, tmp_path):
    missing = tmp_path / "meshes"
    for call in (
        lambda: tribo.World.load(ASSETS / "three_spheres.xml", package_dirs=missing),
        lambda: world.add_articulated_system(QUADRUPED, package_dirs=[tmp_path, missing]),
        lambda: world.load_mjcf("<mujoco/>", package_dirs=missing),
    ):
        with pytest.raises(ValueError, match=r"package_dirs: there is no folder .*meshes"):
            call()
    assert len(world.objects) == 2


@pytest.mark.parametrize(
    ("name", "text"), [("empty.yaml", ""), ("nothing.yaml", "materials:\n"), ("empty.xml", "<materials/>")]
)
def test_a_material_file_without_materials_is_said(world, tmp_path, caplog, name, text):
    pytest.importorskip("yaml")
    path = tmp_path / name
    path.write_text(text)
    with caplog.at_level(logging.WARNING, "tribo"):
        world.load_materials(path)
    assert "Is it the right file?" in caplog.text
    if name.endswith("yaml"):
        with pytest.raises(ValueError, match="holds no material and no pair"):
            tribo.read_materials(path, strict=True)


# -- the command line ---------------------------------------------------------------------------------
def test_an_older_recording_is_refused_in_words_of_the_command_line(tmp_path, capsys, monkeypatch):
    pytest.importorskip("zarr")
    monkeypatch.setenv("COLUMNS", "500")
    out = tmp_path / "run.zarr"
    out.mkdir()
    assert main(["record", str(ASSETS / "three_spheres.xml"), str(out), "--seconds", "0.01"]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "--overwrite" in said
    assert "overwrite=True" not in said


def test_benchmarks_without_their_extra_say_how_to_get_it():
    folder = Path(tribo.__file__).parents[2] / "benchmarks"
    program = """
from importlib import metadata
def missing(name):
    raise metadata.PackageNotFoundError(name)
metadata.files = missing
import scenes
scenes.robot_path("anymal.urdf")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "pip install -e '.[bench]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_misspelt_material_is_remarked_on_once(caplog):
    world = tribo.World()
    world.set_material_pair("steel", "rubber", friction=0.9)
    world.add_ground(material="steel")
    world.add_sphere(0.1, mass=1.0, material="ruber", position=(0, 0, 1))
    world.add_sphere(0.1, mass=1.0, material="chalk", position=(1, 0, 1))  # like none: meant so
    world.step()
    world.add_sphere(0.1, mass=1.0, material="ruber", position=(2, 0, 1))
    world.step()
    assert caplog.text.count("material 'ruber' is in no pair") == 1
    assert "did you mean 'rubber'?" in caplog.text
    assert "chalk" not in caplog.text
