"""A recording is shown where its bodies were, in the scene of its world and in no other."""

import json
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.tools import cli
from tribo.viewer import scene
from tribo.viewer.replay import LONGEST, replay
from tribo.viewer.take import ARROW

pytest.importorskip("trimesh")
SPHERES = str(Path(tribo.__file__).parent / "assets" / "three_spheres.xml")
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_articulated_system(QUADRUPED, position=(0, 0, 0.6), name="dog")
    world.add_box((0.2, 0.2, 0.2), 2.0, position=(3, 0, 0.0999), name="box")
    path = tmp_path_factory.mktemp("replay") / "run.zarr"
    said = [(scene.read_poses(world), scene.read_forces(world))]
    with world.record(path, every=0.02):
        for _ in range(20):
            world.step(20)
            said.append((scene.read_poses(world), scene.read_forces(world)))
    return world, tribo.Recording(path), said


def test_frames_are_what_the_viewer_showed(run):
    world, recording, said = run
    take = replay(recording, world, rate=50)
    assert len(take.time) == 21
    for k, (poses, forces) in enumerate(said):
        shown, arrows = take.poses(k), take.forces(k)
        assert shown.time == pytest.approx(poses.time, abs=1e-9)
        assert np.array_equal(shown.position, poses.position)
        np.testing.assert_allclose(shown.rotation, poses.rotation, atol=1e-14)
        assert np.array_equal(arrows.point, forces.point)
        size = np.linalg.norm(forces.force, axis=1, keepdims=True)
        short = (size * take.arrow <= LONGEST * ARROW)[:, 0]
        np.testing.assert_allclose(arrows.force[short], forces.force[short], rtol=1e-12, atol=1e-12)
        drawn = np.linalg.norm(arrows.force, axis=1) * take.arrow
        assert (drawn <= LONGEST * ARROW * (1 + 1e-12)).all()
    assert sum(len(forces.point) for _, forces in said) > 60
    assert world.time == pytest.approx(0.4)  # the world stays as it is


def test_fewer_frames_at_equal_times(run):
    world, recording, said = run
    take = replay(recording.between(0.1, 0.3), world, rate=25)
    np.testing.assert_allclose(take.time, np.arange(6) * 0.04 + 0.1, atol=1e-12)
    assert np.array_equal(take.position[1], said[7][0].position)


def test_another_scene_is_refused(run):
    world, recording, _ = run
    other = tribo.World()
    other.add_ground(name="ground")
    with pytest.raises(ValueError, match="not the recorded one"):
        replay(recording, other)
    with pytest.raises(ValueError, match="no frames"):
        replay(recording.between(7, 8), world)


def test_the_command_shows_what_came_after_a_reset(tmp_path, capsys):
    pytest.importorskip("viser")
    world = tribo.World()
    world.add_sphere(0.1, 1.0, position=(0, 0, 1), name="ball")
    world.save(tmp_path / "world.xml")
    with world.record(tmp_path / "run.zarr", every=0.01):
        begin = world.snapshot()
        world.step(50)
        world.restore(begin)
        world.step(30)
    files = [str(tmp_path / name) for name in ("run.zarr", "world.xml", "run.html")]
    with pytest.raises(ValueError, match="set back"):
        replay(tribo.Recording(files[0]), world)
    assert cli.main(["replay", files[0], files[1], "--page", files[2]]) == 0
    assert "the clock of" in capsys.readouterr().out
    assert (tmp_path / "run.html").stat().st_size > 1e5


def test_the_command_replays_and_films(tmp_path, capsys):
    pytest.importorskip("viser")
    pytest.importorskip("imageio_ffmpeg")
    out, film = str(tmp_path / "run.zarr"), tmp_path / "run.mp4"
    assert cli.main(["record", SPHERES, out, "--seconds", "0.03"]) == 0
    assert cli.main(["replay", out, SPHERES, "--duration", "0.2", "--port", "8457"]) == 0
    assert "http://127.0.0.1:" in capsys.readouterr().out
    assert cli.main(["replay", out, SPHERES, "--film", str(film)]) == 0
    assert film.read_bytes()[4:8] == b"ftyp"
    assert cli.main(["replay", out, str(QUADRUPED)]) == 1
    assert "not the recorded one" in capsys.readouterr().err


def rope():
    """Return a world with a cable that adapts as it falls over a post."""
    world = tribo.World()
    turn = (0.5**0.5, 0.5**0.5, 0, 0)
    world.add_cylinder(0.1, 0.4, mass=1.0, body_type="static", orientation=turn)
    world.add_cable(
        [(-0.5, 0, 0.15), (0.5, 0, 0.15)], radius=0.01, segment_length=0.1,
        material=tribo.Material("hemp", wire_youngs_modulus_stretch=1e8, wire_youngs_modulus_bend=1e5),
    ).keep_adapting(0.02, 0.2)  # fmt: skip
    return world


def test_a_cable_whose_segments_came_and_went_is_shown_with_those_of_each_time(tmp_path):
    world = rope()
    (cable,) = world.cables
    said = [scene.read_poses(world)]
    there = [cable.segments]
    with world.record(tmp_path / "rope.zarr", every=0.02):
        for _ in range(10):
            world.step(20)
            said.append(scene.read_poses(world))
            there.append(cable.segments)
    recording = tribo.Recording(tmp_path / "rope.zarr")
    assert len(recording.stretches) > 2
    take = replay(recording, rope(), rate=50)
    assert len(take.time) == 11
    drawn = {item.owner: item.body for item in take.scene.visual.items}
    for k, (poses, segments) in enumerate(zip(said, there, strict=True)):
        shown = take.poses(k)
        height = shown.position[list(drawn.values()), 2]
        assert np.count_nonzero(height > 0.5 * scene.NOWHERE[2]) == len(segments) + 1
        place = shown.position[drawn[segments[-1].name]]
        assert np.abs(poses.position - place).max(axis=1).min() < 1e-12
    last = there[-1][len(there[-1]) // 2]
    (item,) = [item for item in take.scene.visual.items if item.owner == last.name]
    assert item.size == pytest.approx(last.description.bodies[0].shapes[0].size)
    assert abs(take.camera().target[2]) < 1.0
    with pytest.raises(ValueError, match="the scene is not the recorded one"):
        replay(recording, world)


@pytest.mark.parametrize(
    "change",
    [{"kind": "hull"}, {"size": [0.1]}, {"size": [0.1, float("inf")]}, {"rotation": [1.0]}, {"body": 999}],
)  # fmt: skip
def test_a_late_body_that_is_no_shape_is_refused(change, tmp_path):
    world = rope()
    with world.record(tmp_path / "rope.zarr", every=0.02):
        world.step(60)
    file = tmp_path / "rope.zarr" / "stretch_1" / "model" / "zarr.json"
    said = json.loads(file.read_text())
    said["attributes"]["shapes"][-1] |= change
    file.write_text(json.dumps(said))
    with pytest.raises(ValueError, match="damaged recording: a shape cannot be drawn"):
        replay(tribo.Recording(tmp_path / "rope.zarr"), rope())
