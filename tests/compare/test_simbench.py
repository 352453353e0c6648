"""What SimBenchmark's figures rest on: overlaps, the closed form of rolling, robots rewritten flat."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from simbench import blocks, bouncing, humanoid, overlap, robot_text, rolling, spheres, verdict
from simbench.scene import from_dict

from tribo.formats import urdf

EPS = np.finfo(float).eps
HALF = np.full((2, 3), 0.5)


def turn(axis, angle):
    return np.array([[np.cos(angle / 2), *(np.sin(angle / 2) * np.array(axis, float))]])


def cubes(second_at, *turns):
    turned = overlap.rotations(np.concatenate(turns))
    return overlap.boxes(np.array([[0.0, 0.0, 0.0], second_at]), turned, HALF, ground=False)


def test_cubes_face_to_face():
    flat = turn((0, 0, 1), 0.0)
    assert cubes((0.9, 0.2, 0.1), flat, flat) == pytest.approx([0.1], abs=8 * EPS)
    assert len(cubes((1.1, 0.2, 0.1), flat, flat)) == 0


def test_cube_edge_in_a_face():
    # The edge of a cube turned by 45° about z stands √½ from its centre.
    found = cubes((1.1, 0.0, 0.0), turn((0, 0, 1), 0.0), turn((0, 0, 1), np.pi / 4))
    assert found == pytest.approx([0.5 + np.sqrt(0.5) - 1.1], abs=16 * EPS)


def test_cubes_edge_across_edge():
    # One cube stands on an edge along y, the other hangs on one along x: only the crossed edges meet.
    found = cubes((0.0, 0.0, 1.3), turn((0, 1, 0), np.pi / 4), turn((1, 0, 0), np.pi / 4))
    assert found == pytest.approx([2 * np.sqrt(0.5) - 1.3], abs=16 * EPS)
    assert len(cubes((0.0, 0.0, 1.42), turn((0, 1, 0), np.pi / 4), turn((1, 0, 0), np.pi / 4))) == 0


def test_cube_on_a_corner_in_the_ground():
    tilt = turn(np.array([1.0, -1.0, 0.0]) / np.sqrt(2), np.arctan(np.sqrt(2)))
    found = overlap.boxes(np.array([[0, 0, 0.8]]), overlap.rotations(tilt), HALF[:1], ground=True)
    assert found == pytest.approx([np.sqrt(3) / 2 - 0.8], abs=16 * EPS)


def test_balls_against_every_pair():
    at = np.random.default_rng(0).uniform(0.0, 0.6, (40, 3))
    found = overlap.balls(at, 0.1, has_ground=True)
    expected = [0.2 - np.linalg.norm(a - b) for k, a in enumerate(at) for b in at[:k]]
    expected += [0.1 - z for z in at[:, 2]]
    assert sorted(found) == pytest.approx(sorted(d for d in expected if d > 0), abs=8 * EPS)


def test_rolling_obeys_newton():
    plate, ball = rolling.accelerations(150.0, 9.81)
    drag = 0.4 * (10.0 + 25.0) * 9.81
    assert 10.0 * plate == pytest.approx(150.0 - drag - 25 * ball, rel=16 * EPS)  # m_ball = 1
    spin = ball * 0.5 / (0.4 * 0.25)  # f r / I
    assert plate - ball == pytest.approx(spin * 0.5, rel=16 * EPS)  # no slip at the contact


def test_flat_robot_has_the_same_mass_matrix():
    tree = urdf.read(Path(tribo.__file__).parent / "assets/quadruped.urdf")
    for body in tree.bodies:
        body.joint.armature = 0.0  # rotors are dropped on purpose
    text = robot_text.flat(tree, "quadruped")
    pair = [tribo.World().add_articulated_system(source) for source in (tree, text)]
    rng = np.random.default_rng(5)
    angles = {name: rng.uniform(-1, 1) for name in pair[0].joint_names}
    for robot in pair:
        q = robot.generalized_coordinate
        for name, angle in angles.items():
            q[robot.coordinate_slice(name)] = angle
        robot.generalized_coordinate = q
    first, second = (robot.mass_matrix for robot in pair)
    assert second == pytest.approx(first, abs=1e3 * EPS * np.abs(first).max())


def test_humanoid_is_of_atlas_size_and_stands_on_its_soles():
    tree = urdf.read(humanoid.text())
    assert robot_text.mass(tree) == pytest.approx(174.25, rel=32 * EPS)
    assert len(tree.bodies) - 1 == 29 == len(humanoid.KP) == len(humanoid.KD)
    robot = tribo.World().add_articulated_system(humanoid.text(), position=(0, 0, humanoid.HEIGHT))
    foot = next(b for b in tree.bodies if b.name == "l_foot")
    sole = foot.shapes[0].position[2] - foot.shapes[0].size[2]
    assert robot.frame_position("l_foot")[2] + sole == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("family", [rolling, bouncing, spheres, blocks])
def test_scene_survives_json(family):
    for scene in family.scenes():
        copy = from_dict(json.loads(json.dumps(scene.to_dict())))
        assert json.dumps(copy.to_dict()) == json.dumps(scene.to_dict())


def test_kapla_has_the_published_blocks():
    scene = next(s for s in blocks.scenes() if s.name == "kapla")
    at = np.array([b.position for b in scene.bodies])
    half = np.array([b.size for b in scene.bodies]) / 2
    assert len(at) == 102
    found = overlap.boxes(at, overlap.rotations(np.tile([1.0, 0, 0, 0], (102, 1))), half, ground=True)
    assert found.max(initial=0.0) < 32 * EPS  # blocks touch, none is inside another


def result(ours, theirs, error=1e-9):
    figures = [{"error": error}, {"error": 1e-8}]
    entries = [{"cpu": cpu, "figures": f, "why": ""} for cpu, f in zip((ours, theirs), figures, strict=True)]
    return {"engines": {"tribo default": entries[0], "physx tgs": entries[1]}, "problems": {}}


def test_speeds_compare_the_stretch_that_both_have_run():
    total, least, most = verdict.speed_ratio(result([1.0, 3.0], [2.0, 3.0, 50.0]), "physx tgs")
    assert (total, least, most) == (1.25, 1.0, 2.0)


def test_a_fast_answer_must_be_as_good():
    scene = next(s for s in spheres.scenes() if s.name == "666")
    outcomes = [v.outcome for v in verdict.verdicts(scene, result([1.0], [2.0]))]
    assert [o.split(";")[0] for o in outcomes] == ["met", "met"]
    outcomes = [v.outcome for v in verdict.verdicts(scene, result([1.0], [2.0], error=1e-7))]
    assert [o.split(";")[0] for o in outcomes] == ["not met: × 100", "not met"]


def test_a_goal_without_a_run_says_why():
    scene = next(s for s in spheres.scenes() if s.name == "elastic_666")
    found = {"engines": {}, "problems": {"tribo propagate": "boom"}}
    assert [v.outcome for v in verdict.verdicts(scene, found)] == ["boom"]


def test_a_goal_of_a_run_that_was_cut_short_stays_open():
    scene = next(s for s in spheres.scenes() if s.name == "666")
    found = result([1.0], [2.0])
    found["engines"]["tribo default"]["why"] = "stopped after 3 steps"
    assert verdict.verdicts(scene, found)[0].outcome == "open: stopped after 3 steps"
