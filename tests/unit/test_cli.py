"""The command line: what it prints, what it writes, and its exit codes."""

from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo import cli
from tribo.viewer import recording

ASSETS = Path(tribo.__file__).parent / "assets"
SPHERES = str(ASSETS / "three_spheres.xml")
QUADRUPED = str(ASSETS / "quadruped.urdf")


def test_run_sums_up(capsys):
    assert cli.main(["run", SPHERES, "--duration", "0.5"]) == 0
    said = capsys.readouterr().out
    assert "sphere_copper" in said
    assert "500 of 1 ms" in said


def test_run_draws_and_records(tmp_path):
    pytest.importorskip("matplotlib")
    plot, kept = tmp_path / "p.png", tmp_path / "r.npz"
    arguments = ["run", SPHERES, "--duration", "0.2", "--time-step", "0.002"]
    assert cli.main([*arguments, "--plot", str(plot), "--record", str(kept)]) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    series = recording.load(kept)
    # Free fall from 5 m; the midpoint rule is exact on a parabola.
    fallen = 5.0 - 0.5 * 9.81 * series.time**2
    np.testing.assert_allclose(series.position[:, 1, 2], fallen, atol=1e-12)
    assert series.time[-1] == pytest.approx(0.2, abs=1e-12)


def test_a_robot_starts_on_the_ground_and_holds_its_posture(capsys):
    arguments = cli._parser().parse_args(["run", QUADRUPED, "--hold"])
    world, follows = cli.load(arguments)
    robot = world["quadruped"]
    height = robot.position[2]
    world.step(1000)
    assert follows == "quadruped"
    assert abs(robot.position[2] - height) < 5e-3
    assert np.abs(robot.generalized_coordinate[7:]).max() < 0.02


def test_check_lists_joints_and_shapes(capsys):
    assert cli.main(["check", QUADRUPED]) == 0
    said = capsys.readouterr().out
    for text in ("12 kg", "18 dof", "LF_HFE", "LF_FOOT/0", "rubber"):
        assert text in said
    assert "do not collide" not in said


def test_check_says_that_a_mesh_was_not_found(tmp_path, capsys):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="a.stl"/></geometry>'
        '</collision><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link></robot>'
    )
    assert cli.main(["check", str(path)]) == 0
    assert "a.stl': not found" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize(
    ("inertia", "says"),
    [
        ('ixx="0.1" iyy="0.1" izz="0.3"', "triangle inequality"),
        ('ixx="1e-9" iyy="1e-9" izz="1e-9"', "very small"),
        ('ixx="100" iyy="100" izz="100"', "very large"),
    ],
)
def test_check_doubts_inertias(tmp_path, capsys, inertia, says):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        f'<inertia {inertia} ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    assert cli.main(["check", str(path)]) == 0
    assert says in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "nowhere.xml"], "no such file"),
        (["run", __file__], "must end in"),
        (["check", "nowhere.urdf"], "no such file"),
        (["run", SPHERES, "--plot", "nowhere/at/all.png"], "folder does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_1(capsys, arguments, says):
    assert cli.main(arguments) == 1
    said = capsys.readouterr().err
    assert said.startswith("tribo: ")
    assert says in said
    assert "Traceback" not in said


def test_a_file_with_an_error_names_it(tmp_path, capsys):
    path = tmp_path / "w.xml"
    path.write_text(
        '<raisim><objects><sphere name="a" mass="-1"><dim radius="1"/></sphere></objects></raisim>'
    )
    assert cli.main(["run", str(path)]) == 1
    said = capsys.readouterr().err
    assert "mass" in said
    assert "w.xml" in said


def test_a_simulation_that_fails_is_exit_code_1(tmp_path, capsys):
    path = tmp_path / "w.xml"
    path.write_text(
        '<raisim><objects><box name="a" mass="1"><dim x="1" y="2" z="3"/>'
        '<state pos="0 0 5" quat="1 0 0 0" linVel="0 0 -1e15" angVel="0 0 0"/></box></objects></raisim>'
    )
    assert cli.main(["run", str(path), "--duration", "1e10", "--time-step", "1e9"]) == 1
    assert "no longer finite" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    "arguments",
    [[], ["fly"], ["run"], ["run", SPHERES, "--duration", "-1"], ["run", SPHERES, "--x"]],
)
def test_wrong_usage_is_exit_code_2(arguments):
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize("command", [[], ["run"], ["view"], ["check"], ["bench"], ["warmup"]])
def test_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as caught:
        cli.main([*command, "--help"])
    assert caught.value.code == 0
    assert "example" in capsys.readouterr().out


def test_bench_without_a_checkout_says_where_it_is(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(tribo, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    assert cli.main(["bench"]) == 1
    assert "make bench" in capsys.readouterr().err
