"""The command line: what it prints, what it writes, and its exit codes."""

from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.checks import answers
from tribo.tools import cli

ASSETS = Path(tribo.__file__).parent / "assets"
SPHERES = str(ASSETS / "three_spheres.xml")
QUADRUPED = str(ASSETS / "quadruped.urdf")


def test_run_sums_up(capsys):
    assert cli.main(["run", SPHERES, "--duration", "0.5"]) == 0
    said = capsys.readouterr().out
    assert "sphere_copper" in said
    assert "500 of 1 ms" in said


def test_run_draws(tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("zarr")
    drawn, plot = [], tribo.Recording.plot
    monkeypatch.setattr(
        tribo.Recording, "plot", lambda self, **to: drawn.append(self["q"][-1]) or plot(self, **to)
    )
    path = tmp_path / "p.png"
    arguments = ["run", SPHERES, "--duration", "0.2", "--time-step", "0.002"]
    assert cli.main([*arguments, "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    # Free fall from 5 m; the midpoint rule is exact on a parabola.
    np.testing.assert_allclose(drawn[0][2], 5.0 - 0.5 * 9.81 * 0.2**2, atol=1e-12)
    assert "100 of 2 ms" in capsys.readouterr().out


def test_the_old_flag_names_its_successor(tmp_path, capsys):
    assert cli.main(["run", SPHERES, "--record", str(tmp_path / "r.npz")]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "--record is gone" in said
    assert "tribo record FILE run.zarr" in said
    with pytest.raises(SystemExit):
        cli.main(["run", "--help"])
    assert "--record" not in capsys.readouterr().out


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


SCENE = """<mujoco model="yard"><option timestep="0.005" gravity="0 0 -10"/><worldbody>
<geom name="floor" type="plane" size="5 5 0.1"/><geom name="wall" type="box" size="0.1 1 0.5" pos="2 0 0.5"/>
<body name="ball" pos="0 0 3"><freejoint/><geom name="skin" size="0.1" mass="2"/></body>
<body name="hand" mocap="true" pos="3 0 3"><geom name="palm" size="0.1"/></body>
<body name="arm" pos="0 3 3"><joint name="shoulder" type="ball" range="0 30"/>
  <geom name="upper" type="capsule" size="0.05 0.2" pos="0.3 0 0" mass="1"/>
  <body name="fore" pos="0.6 0 0"><joint name="elbow" axis="0 1 0" range="-90 45" damping="0.5"/>
    <geom name="lower" type="box" size="0.2 0.05 0.05" pos="0.2 0 0" mass="1"/></body></body>
</worldbody>
<actuator><position name="servo" joint="elbow" kp="70" kv="3" gear="2" forcerange="-5 20"/></actuator>
<equality><connect name="leash" body1="ball" body2="fore" anchor="0 0 0"/></equality>
<keyframe><key name="home" qpos="0 0 3 1 0 0 0 1 0 0 0 0.25"/></keyframe>{more}</mujoco>"""
LATE = '<actuator><motor name="late" joint="elbow" delay="0.1"/></actuator>'


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "yard.xml"
    path.write_text(SCENE.format(more=""))
    return path


def test_gains_that_are_none_have_no_sign(tmp_path, capsys):
    """A motor's gains were shown as -0."""
    path = tmp_path / "motor.xml"
    path.write_text(SCENE.format(more="").replace('<position name="servo" joint="elbow" kp="70" kv="3"',
                                                  '<motor name="servo" joint="elbow"'))  # fmt: skip
    assert cli.main(["check", str(path)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "servo" in line)
    assert [cell.strip() for cell in line.strip("│ ").split("│")][3:5] == ["0", "0"]


def test_run_takes_a_scene_of_mujoco_with_its_time_step_and_gravity(scene, capsys):
    arguments = cli._parser().parse_args(["run", str(scene)])
    world, follows = cli.load(arguments)
    assert [part.name for part in world.objects] == ["ball", "hand", "arm", "floor", "wall"]
    assert (world.time_step, world.gravity.tolist(), follows) == (0.005, [0.0, 0.0, -10.0], "")
    assert [tie.name for tie in world.constraints] == ["leash"]
    assert cli.main(["run", str(scene), "--duration", "0.5"]) == 0
    said = capsys.readouterr().out
    assert "100 of 5 ms" in said
    assert "ball" in said


def test_a_scene_of_mujoco_holds_its_posture_at_a_time_step_of_the_user(scene):
    arguments = cli._parser().parse_args(["run", str(scene), "--hold", "--time-step", "0.001"])
    world, _ = cli.load(arguments)
    world.remove(world.constraint("leash"))
    before = world["arm"].generalized_coordinate.copy()
    world.step(200)
    assert world.time == pytest.approx(0.2, abs=1e-12)
    assert np.abs(world["arm"].generalized_coordinate - before).max() < 0.02
    # The ball falls freely: the midpoint rule is exact on a parabola.
    assert world["ball"].position[2] == pytest.approx(3.0 - 0.5 * 10.0 * 0.2**2, abs=1e-12)


def test_check_says_what_a_scene_of_mujoco_holds(scene, capsys, monkeypatch):
    monkeypatch.setattr(cli.console, "width", 200)
    assert cli.main(["check", str(scene)]) == 0
    said = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines()]
    assert "3 objects move, 2 stand; time step 0.005 s, gravity (0, 0, -10) m/s²" in said
    for row in (
        ["ball", "2", "1", "6", "floating"],
        ["arm", "2", "3", "4", "fixed"],
        ["shoulder", "spherical", "up to 30°", "no limit", "0"],
        ["elbow", "revolute", "-90° … 45°", "-10 … 40", "0.5"],
        ["lower", "box", "0.4 × 0.1 × 0.1", "mjcf 1.0 0.005 0.0001 condim 3"],
        ["wall", "box", "0.2 × 2 × 1", "mjcf 1.0 0.005 0.0001 condim 3"],
        ["servo", "elbow", "2", "280", "12", "-5 … 20"],
        ["leash", "pin", "ball", "fore"],
    ):
        assert row in rows
    assert any(row[:1] == ["hand"] and row[-1] == "kinematic" for row in rows)
    assert "keyframes: home" in said
    assert "note:" not in said


def test_check_lists_what_of_a_scene_is_left_out(tmp_path, capsys):
    path = tmp_path / "yard.xml"
    path.write_text(SCENE.format(more=LATE))
    assert cli.main(["check", str(path)]) == 0
    assert "<motor name='late'>: delay is not read" in capsys.readouterr().out
    for command in ("check", "run"):
        assert cli.main([command, str(path), "--strict"]) == 1
        assert "delay is not read" in capsys.readouterr().err


def test_a_scene_includes_files_of_a_folder_that_is_named(tmp_path, capsys):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "ball.xml").write_text(
        '<mujoco><body name="ball"><freejoint/><geom size="0.1"/></body></mujoco>'
    )
    path = tmp_path / "model" / "yard.xml"
    path.parent.mkdir()
    path.write_text('<mujoco><worldbody><include file="ball.xml"/></worldbody></mujoco>')
    for command in (["check"], ["run", "--duration", "0.002"]):
        assert cli.main([*command, str(path)]) == 1
        assert "was not found" in capsys.readouterr().err
        assert cli.main([*command, str(path), "--package-dir", str(tmp_path / "parts")]) == 0
        assert "ball" in capsys.readouterr().out


def test_a_scene_that_passes_check_is_one_that_a_world_can_hold(tmp_path, capsys):
    path = tmp_path / "yard.xml"
    path.write_text('<mujoco><option timestep="1e-300"/></mujoco>')
    for command in ("check", "run"):
        assert cli.main([command, str(path)]) == 1
        said = capsys.readouterr().err.replace("\n", " ")
        assert "yard.xml" in said
        assert "1e-300" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "nowhere.xml"], "no such file"),
        (["run", __file__], "not well-formed XML"),
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


@pytest.mark.parametrize("wrong", ["x", "inf", "nan", "0", "-1"])
def test_numbers_that_must_be_positive_say_so(capsys, wrong):
    """It was: invalid _positive value, and that inf must be > 0."""
    with pytest.raises(SystemExit) as end:
        cli.main(["check", "materials.yaml", "--mass", wrong])
    assert end.value.code == 2
    assert f"argument --mass: must be a finite number > 0, got '{wrong}'" in capsys.readouterr().err


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
        '<raisim><gravity value="0 0 -1e15"/><objects><box name="a" mass="1"><dim x="1" y="2" z="3"/>'
        '<state pos="0 0 5" quat="1 0 0 0" linVel="0 0 -1e15" angVel="0 0 0"/></box></objects></raisim>'
    )
    assert cli.main(["run", str(path), "--duration", "20", "--time-step", "10"]) == 1
    assert "no longer finite" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["run"], ["run", SPHERES, "--duration", "-1"], ["run", SPHERES, "--x"]]
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


def test_check_reads_worlds(tmp_path, capsys):
    world = tribo.World(time_step=0.004)
    world.add_ground(name="floor")
    ball = world.add_sphere(0.1, 2.0, name="ball", position=(0, 0, 1))
    robot = world.add_articulated_system(QUADRUPED, name="dog", position=(2, 0, 0.6))
    world.add_wire(ball, robot, name="leash")
    world.save(tmp_path / "world.xml")
    assert cli.main(["check", str(tmp_path / "world.xml")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    for text in ("2 objects move, 1 stand", "time step 0.004 s", "ball: sphere/0", "dog: LF_FOOT/0",
                 "LF_HFE", "leash", "floor: plane/0"):  # fmt: skip
        assert text in said
    (tmp_path / "bad.xml").write_text(
        '<raisim><objects><sphere name="s" mass="1"><dim radius="-1"/></sphere></objects></raisim>'
    )
    assert cli.main(["check", str(tmp_path / "bad.xml")]) == 1


@pytest.mark.parametrize("command", ["run", "check", "view"])
def test_files_of_no_known_kind_are_told_the_kinds(tmp_path, capsys, command):
    path = tmp_path / "page.xml"
    path.write_text("<page/>")
    assert cli.main([command, str(path)]) == 1
    said = capsys.readouterr().err
    for text in ("<page>", "<raisim> is a RaiSim world", "<mujoco>", "<robot> is a robot (URDF)"):
        assert text in said


def test_the_outermost_element_says_what_a_file_is_not_its_ending(tmp_path, capsys):
    path = tmp_path / "dog.xml"
    path.write_text(Path(QUADRUPED).read_text())
    assert cli.main(["check", str(path)]) == 0
    assert "18 dof" in capsys.readouterr().out
    assert cli.main(["run", str(path), "--duration", "0.01"]) == 0
    with pytest.raises(tribo.DescriptionError, match=r"is a robot \(URDF\), not a RaiSim world; World"):
        tribo.World.load(path)
    with pytest.raises(tribo.DescriptionError, match=r"is a RaiSim world, not a robot \(URDF\)"):
        tribo.World().add_articulated_system(SPHERES)
    with pytest.raises(tribo.DescriptionError, match=r"is a robot \(URDF\), not a scene or robot of MuJoCo"):
        tribo.World().load_mjcf(path)


def test_a_run_that_would_not_end_is_refused(capsys):
    arguments = ["run", SPHERES, "--time-step", "1e-9", "--duration", "2"]
    assert cli.main(arguments) == 1
    assert "2e+09 steps" in capsys.readouterr().err
    assert cli.main(["run", SPHERES, "--time-step", "1e-15"]) == 1
    assert "from 1e-09 to 10 s" in capsys.readouterr().err


# -- templates ---------------------------------------------------------------------------------
TEMPLATE = (
    '<raisim><objects><sphere name="ball" mass="@@mass"><dim radius="@@radius"/>'
    '<state pos="0 0 {@@radius*2}" quat="1 0 0 0" linVel="0 0 0" angVel="0 0 0"/></sphere></objects></raisim>'
)
ROBOT_TEMPLATE = (
    '<robot name="r"><link name="a"><inertial><mass value="@@mass"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
)


def read(*arguments):
    """Return the world that a command would have."""
    return cli.load(cli._parser().parse_args([str(word) for word in arguments]))[0]


@pytest.mark.parametrize("command", ["run", "view", "record", "render"])
def test_values_of_a_template_are_set_on_the_command_line(tmp_path, command):
    path = tmp_path / "world.xml"
    path.write_text(TEMPLATE)
    out = [tmp_path / "out"] if command in ("record", "render") else []
    ball = read(command, path, *out, "--set", "mass=2.5", "--set", "radius=0.25")["ball"]
    assert (ball.mass, ball.position[2]) == (2.5, 0.5)
    assert ball.description.bodies[0].shapes[0].size == (0.25,)
    again = read(command, path, *out, "--set", "mass=1", "--set", "radius=0.1", "--set", "mass=3")
    assert again["ball"].mass == 3.0  # the last one counts
    robot = tmp_path / "robot.urdf"
    robot.write_text(ROBOT_TEMPLATE)
    assert read(command, robot, *out, "--set", "mass=7")["robot"].mass == 7.0


def test_values_that_a_template_lacks_or_does_not_know_are_said(tmp_path, capsys, scene):
    path = tmp_path / "world.xml"
    path.write_text(TEMPLATE)
    for arguments, says in (
        ([path], "@@mass has no value"),
        ([path, "--set", "mass=1"], "@@radius has no value"),
        ([path, "--set", "mass=heavy", "--set", "radius=1"], "heavy"),
        ([scene, "--set", "mass=1"], "MJCF, which has no @@parameters"),
    ):
        assert cli.main(["run", *map(str, arguments)]) == 1
        assert says in " ".join(capsys.readouterr().err.split())
    for text in ("mass", "=1", ""):
        with pytest.raises(SystemExit) as caught:
            cli.main(["run", str(path), "--set", text])
        assert caught.value.code == 2
        assert "must be NAME=VALUE" in capsys.readouterr().err


# -- what people type -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["vew", SPHERES], "did you mean 'view'?"),
        (["simulate", SPHERES], "did you mean 'run'?"),
        (["info", SPHERES], "did you mean 'check'?"),
        ([SPHERES], f"to show that file: tribo view {SPHERES}"),
        (["run", SPHERES, "--durration", "1"], "did you mean '--duration'?"),
        (["run", SPHERES, "--dt", "1"], "did you mean '--time-step'?"),
        (["view", QUADRUPED, "--fix-base"], "did you mean '--fixed-base'?"),
        (["record", SPHERES, "run.zarr", "--overwrit3"], "did you mean '--overwrite'?"),
        (["train", "CartPole", "--iteration=5x"], "invalid int value: '5x'"),
    ],
)
def test_a_misspelt_command_or_option_is_answered(typed, says, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(typed)
    assert end.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_an_option_that_is_like_none_gets_no_proposal(capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", SPHERES, "--qqq"])
    assert "did you mean" not in capsys.readouterr().err


def arm(joints, shape='<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>', root=1.0):
    """Return the URDF of a chain of turning joints."""
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    text = f'<link name="l0"><inertial><mass value="{root}"/>{inertia}</inertial>{shape}</link>'
    for k in range(1, joints + 1):
        text += (
            f'<link name="l{k}"><inertial><mass value="1"/>{inertia}</inertial>{shape}</link>'
            f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/>'
            '<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/></joint>'
        )
    return f'<robot name="arm">{text}</robot>'


@pytest.mark.parametrize("command", [["check"], ["run", "--duration", "0.01"]])
def test_an_arm_that_floats_is_remarked_on(tmp_path, capsys, caplog, command):
    path = tmp_path / "arm.urdf"
    path.write_text(arm(5))
    said = []
    for option in ([], ["--fixed-base"]):
        caplog.clear()
        assert cli.main([*command, str(path), *option]) == 0
        said.append(capsys.readouterr().out.replace("\n", " ") + caplog.text)
    assert "looks like an arm and its base floats" in said[0]
    assert "fixed_base=True" in said[0]
    assert "looks like an arm" not in said[1]
    assert "falls through" not in said[1]


@pytest.mark.parametrize("text", [arm(2), arm(5, root=20.0), None])
def test_what_is_no_arm_is_left_alone(tmp_path, capsys, text):
    path = tmp_path / "thing.urdf"
    path.write_text(text or Path(QUADRUPED).read_text())
    assert cli.main(["check", str(path)]) == 0
    assert "looks like an arm" not in capsys.readouterr().out


def test_a_robot_without_shapes_falls_through_the_ground(tmp_path, capsys):
    path = tmp_path / "ghost.urdf"
    path.write_text(arm(2, shape=""))
    assert cli.main(["check", str(path)]) == 0
    assert "no collision shapes" in capsys.readouterr().out


def test_a_base_is_fixed_on_request():
    parsed = cli._parser().parse_args(["run", QUADRUPED, "--fixed-base"])
    world, _ = cli.load(parsed)
    assert world["quadruped"].dof == 12


def test_a_scene_has_its_own_bases(capsys):
    for command in ("run", "check"):
        assert cli.main([command, SPHERES, "--fixed-base"]) == 1
        assert "--fixed-base is for robots" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", [["check"], ["run", "--duration", "0.01"]])
def test_a_misspelt_material_is_remarked_on(tmp_path, capsys, caplog, command):
    path = tmp_path / "spheres.xml"
    path.write_text(Path(SPHERES).read_text().replace('material="rubber"', 'material="ruber"'))
    assert cli.main([*command, str(path)]) == 0
    said = capsys.readouterr().out.replace("\n", " ") + caplog.text
    assert said.count("material 'ruber' is in no pair") == 1
    assert "did you mean 'rubber'?" in said


@pytest.mark.parametrize("meant", [row for row, _ in answers.table()["command"]])
def test_an_answer_to_a_guessed_command_is_one_that_exists(meant):
    parser = cli._parser()
    commands = parser._subparsers._group_actions[0].choices
    options = {name for made in commands.values() for name in made._option_string_actions}
    assert meant in (options if meant.startswith("--") else {*commands})
