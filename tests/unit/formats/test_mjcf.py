"""MJCF: what becomes of geoms, joints, actuators and contacts, and what is refused or listed."""

import logging
import math
from itertools import combinations

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import mjcf
from tribo.model import Joint, Kind

BALL = '<geom size="0.1"/>'


def model(bodies, *sections):
    return f"<mujoco>{''.join(sections)}<worldbody>{bodies}</worldbody></mujoco>"


def tree(text, **options):
    (item,) = (item for item in mjcf.read(text, **options).objects if item.tree is not None)
    return item.tree


# -- joints and places ---------------------------------------------------------------------------
def test_several_joints_of_a_body_become_bodies_without_mass():
    joints = '<joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0" pos="0 0 0.1"/>'
    made = tree(model(f'<body name="arm">{joints}{BALL}</body>'))
    assert [body.name for body in made.bodies] == ["world", "arm/x", "arm"]
    assert [body.joint.type for body in made.bodies] == [Joint.FIXED, Joint.REVOLUTE, Joint.REVOLUTE]
    assert made.bodies[1].mass == 0.0 < made.bodies[2].mass
    assert made.bodies[2].com == (0.0, 0.0, -0.1)


def test_a_joint_keeps_its_numbers_in_radians():
    given = 'range="-90 45" damping="2" frictionloss="0.3" armature="0.1" actuatorfrcrange="-4 4"'
    made = tree(model(f'<body><joint name="j" {given}/>{BALL}</body>')).bodies[1].joint
    assert (made.lower, made.upper) == (math.radians(-90), math.radians(45))
    assert (made.damping, made.friction, made.armature, made.effort) == (2.0, 0.3, 0.1, 4.0)


def test_a_ball_turns_as_far_as_its_range_and_a_friction_loss_is_felt():
    given = 'type="ball" range="0 60" frictionloss="0.3"'
    robot = tribo.World().add_articulated_system(model(f'<body><joint name="j" {given}/>{BALL}</body>'))
    made = robot.description.bodies[1].joint
    assert (made.upper, made.is_cone) == (math.radians(60), False)
    assert robot.joint("j").dry_friction == 0.3
    assert not robot.description.notes


def test_a_friction_loss_of_a_free_joint_is_listed():
    text = model(f'<body><joint type="free" frictionloss="0.3"/>{BALL}</body>')
    assert tree(text).bodies[0].joint.friction == 0.0
    assert any("frictionloss of a free joint" in note for note in mjcf.read(text).notes)


@pytest.mark.parametrize("tag", ["composite", "flexcomp", "plugin"])
def test_what_a_body_holds_and_is_not_read_is_said_without_a_guess(tag):
    """`<composite>`: did you mean 'site'?"""
    notes = mjcf.read(model(f"<body><freejoint/>{BALL}<{tag}/></body>")).notes
    assert [note for note in notes if "are not read" in note]
    assert not [note for note in notes if "did you mean" in note]


def test_a_range_counts_as_limited_and_autolimits_say():
    body = f'<body><joint range="0 1" {{}}/>{BALL}</body>'
    assert tree(model(body.format(""))).bodies[1].joint.upper == math.radians(1)
    assert tree(model(body.format('limited="false"'))).bodies[1].joint.upper == math.inf
    with pytest.raises(DescriptionError, match="autolimits is off"):
        mjcf.read(model(body.format(""), '<compiler autolimits="false"/>'))


def test_springs_supports_and_one_sided_motors():
    joint = '<joint name="j" stiffness="7" springref="30"/><joint name="b" type="ball" stiffness="2"/>'
    motor = '<actuator><motor joint="j" gear="2" ctrlrange="-1 5"/></actuator>'
    made = tree(model(f'<body gravcomp="0.5">{joint}{BALL}</body>', motor)).bodies
    assert (made[1].joint.stiffness, made[1].joint.spring_reference) == (7.0, (math.radians(30),))
    assert (made[2].joint.stiffness, made[2].gravity_compensation) == (2.0, 0.5)
    assert made[1].joint.effort_range == (-2.0, 10.0)


def test_a_reference_is_where_the_file_draws_the_body():
    bodies = '<body><joint name="j" ref="30" axis="0 0 1"/><geom size="0.1" pos="1 0 0"/></body>'
    robot = tribo.World().add_articulated_system(model(bodies))
    assert robot.generalized_coordinate[0] == math.radians(30)
    np.testing.assert_allclose(robot.com_position, (1, 0, 0), atol=1e-15)


def test_keyframes_by_name_and_number():
    bodies = f'<body name="a"><freejoint/>{BALL}</body><body name="b"><joint/>{BALL}</body>'
    keys = '<keyframe><key name="up" qpos="1 2 3 2 0 0 0 0.5"/><key qpos="0 0 9 1 0 0 0 0.7"/></keyframe>'
    text = model(bodies, keys)
    for key, height, angle in (("up", 3.0, 0.5), (1, 9.0, 0.7), (None, 0.0, 0.0)):
        a, b = tribo.World().load_mjcf(text, keyframe=key)
        assert (a.position[2], b.generalized_coordinate[0]) == (height, angle)
    assert a.description.keyframes["up"] == (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0)
    with pytest.raises(DescriptionError, match="did you mean 'up'"):
        mjcf.read(text, keyframe="ups")


def test_a_mocap_body_is_kinematic_and_a_plane_cannot_move():
    (made,) = tribo.World().load_mjcf(model(f'<body mocap="true" pos="0 0 2">{BALL}</body>'))
    assert (made.body_type, made.position[2]) == (Kind.KINEMATIC, 2.0)
    plane = '<geom type="plane" size="1 1 1"/>'
    with pytest.raises(DescriptionError, match="plane cannot move"):
        mjcf.read(model(f"<body><freejoint/>{BALL}{plane}</body>"))
    scene = mjcf.read(model(f"<body pos='0 0 1'>{plane}<body><joint/>{BALL}</body></body>"))
    assert scene.objects[1].shape.kind.name == "PLANE"
    assert scene.objects[1].position == (0.0, 0.0, 1.0)


def test_names_that_appear_twice_say_what_they_are():
    site, joint = '<site name="arm" pos="0 0 1"/>', '<joint name="arm" pos="1 0 0"/>'
    robot = tribo.World().add_articulated_system(model(f'<body name="arm">{joint}{site}{BALL}</body>'))
    assert set(robot.frame_names) >= {"arm", "arm (joint)", "arm (site)"}
    assert robot.frame("arm (joint)").position.tolist() == [1.0, 0.0, 0.0]
    assert robot.frame("arm (site)").position.tolist() == [0.0, 0.0, 1.0]


# -- contacts ------------------------------------------------------------------------------------
def contact_law(first, second, *sections):
    """Return the law between a ball and a floor with some attributes."""
    floor = f'<geom name="f" type="plane" size="1 1 1" {first}/>'
    ball = f'<body><freejoint/><geom name="b" size="0.1" {second}/></body>'
    world = tribo.World()
    ball, floor = world.load_mjcf(model(floor + ball, *sections))
    return world.materials.pair(ball.material, floor.material)


@pytest.mark.parametrize(
    ("condim", "expected"),
    [(1, (0.0, 0.0, 0.0)), (3, (0.9, 0.0, 0.0)), (4, (0.9, 0.02, 0.0)), (6, (0.9, 0.02, 0.003))],
)
def test_condim_lets_friction_through(condim, expected):
    law = contact_law('friction="0.9 0.01 0.003" condim="1"', f'friction="0.2 0.02 0.001" condim="{condim}"')
    assert (law.friction, law.spinning_length, law.rolling_length) == expected
    assert law.restitution == law.rolling_friction == law.spinning_friction == 0.0


def test_the_higher_priority_wins():
    law = contact_law('friction="0.9" condim="6"', 'friction="0.2" condim="3" priority="1"')
    assert (law.friction, law.spinning_length) == (0.2, 0.0)


def test_a_pair_has_its_own_law_and_meets_in_spite_of_the_bits():
    pair = '<contact><pair geom1="f" geom2="b" condim="4" friction="0.3 0.3 0.04"/></contact>'
    law = contact_law('friction="0.9"', 'contype="0" conaffinity="0"', pair)
    assert (law.friction, law.spinning_length) == (0.3, 0.04)


@pytest.mark.parametrize("a", range(4))
@pytest.mark.parametrize("b", range(4))
def test_bits_follow_mujocos_rule(a, b):
    """Geoms meet if (contype₁ & conaffinity₂) or (contype₂ & conaffinity₁)."""
    one, two = (f'contype="{x & 1}" conaffinity="{x >> 1}"' for x in (a, b))
    bodies = f'<geom type="plane" size="1 1 1" {one}/><body><freejoint/><geom size="0.1" {two}/></body>'
    world = tribo.World()
    world.load_mjcf(model(bodies))
    world.step(5)
    meet = (a & 1) & (b >> 1) | (b & 1) & (a >> 1)
    assert len(world.contacts) == meet


def test_excluded_bodies_and_parents_of_composite_joints_pass_through_each_other():
    inner = f'<body name="c"><joint axis="1 0 0"/><joint axis="0 1 0"/>{BALL}</body>'
    inner += f'<body name="d" pos="0.1 0 0"><joint/>{BALL}</body>'
    bodies = f'<body name="a"><freejoint/>{BALL}{inner}</body>'
    exclude = '<contact><exclude body1="c" body2="d"/></contact>'
    made = tree(model(bodies, exclude))
    names = [body.name for body in made.bodies]
    c, d = names.index("c"), names.index("d")
    assert made.ignored == {(0, c), (c, d)}


def test_torsional_friction_stops_a_spinning_ball():
    """ω̇ I = −ℓ m g: a ball that spins about the normal stops after I ω / (ℓ m g)."""
    ball = '<body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="2" condim="4" friction="1 0.01 0"/></body>'
    world = tribo.World()
    (part, _) = world.load_mjcf(model(f'<geom type="plane" size="1 1 1" friction="0.5 0 0"/>{ball}'))
    part.generalized_velocity[5] = 5.0
    stop = 0.4 * 2 * 0.1**2 * 5.0 / (0.01 * 2 * 9.81)
    steps = int(0.5 * stop / world.time_step)
    world.step(steps)
    expected = 5.0 * (1 - steps * world.time_step / stop)
    assert part.generalized_velocity[5] == pytest.approx(expected, rel=1e-6)
    world.step(2 * steps)
    assert abs(part.generalized_velocity[5]) < 1e-9


def test_laws_of_a_scene_say_that_they_come_from_it():
    scene = tribo.World.load(
        model(f'<geom name="floor" type="plane" size="1 1 1"/><body name="a"><freejoint/>{BALL}</body>')
    )
    said = scene.explain_pair(scene["a"].material, scene["floor"].material).origin
    assert said["friction"].startswith("MJCF")
    assert said["restitution"] == "standard value (MJCF has none)"


# -- actuators -----------------------------------------------------------------------------------
TWO = '<position joint="j" kp="5" forcerange="-7 7"/><velocity joint="j" kv="4" forcerange="-1 1"/>'


def actuated(actuators, *sections):
    bodies = f'<body><joint name="j" range="-1 1"/>{BALL}</body>'
    return tribo.World().add_articulated_system(model(bodies, *sections, f"<actuator>{actuators}</actuator>"))


@pytest.mark.parametrize(
    ("actuators", "kp", "kd", "effort"),
    [
        ('<motor joint="j" gear="20" ctrlrange="-1 1"/>', 0, 0, 20),
        ('<position joint="j" kp="5" kv="2" gear="3"/>', 45, 18, math.inf),
        (TWO, 5, 0, 7),  # one drive has one range: the second has a law of its own
        ('<general joint="j" biastype="affine" gainprm="30" biasprm="0 -30 -6" forcerange="-9 9"/>',
         30, 6, 9),
    ],
)  # fmt: skip
def test_actuators_become_gains_and_efforts(actuators, kp, kd, effort):
    robot = actuated(actuators)
    assert (robot.kp[0], robot.kd[0], robot.effort_limits[1][0].max()) == (kp, kd, effort)
    assert robot.pd_target[0] == 0.0


def test_actuators_inherit_from_defaults_in_their_own_words():
    default = '<default><position kp="50" kv="3" ctrlrange="-2 2"/></default>'
    assert actuated('<position joint="j"/>', default).kp[0] == 50.0
    motor = actuated('<motor joint="j" gear="10"/>', default)
    assert (motor.kp[0], motor.kd[0], motor.effort_limits[1][0].max()) == (0.0, 0.0, 20.0)


def test_a_position_actuator_holds_its_target():
    robot = actuated('<position joint="j" kp="500" kv="50"/>')
    robot.world.gravity = (0, 0, 0)
    robot.pd_target = [0.01]
    robot.world.step(5000)
    assert robot.generalized_coordinate[0] == pytest.approx(0.01, abs=1e-6)


# -- what is listed, what is refused -----------------------------------------------------------------
UNREAD = {
    "equality": ('<equality><flex flex="f"/></equality>', "not read"),
    "tendon": ('<tendon><flex name="t"/></tendon>', "pull nothing"),
    "sensor": ('<sensor><touch site="s"/></sensor>', "add_contact_sensor"),
    "solref": ('<default><geom solref="0.01 1"/></default>', "contacts are hard here"),
    "solimp of a class": (
        '<default><default class="leg"><joint solimplimit="0.9 0.9 0.1"/></default></default>',
        "stops are hard here",
    ),
    "misspelt default": ('<default><geom fricton="1"/></default>', "did you mean 'friction'"),
    "unknown": ("<wurst/>", "unknown in <mujoco>"),
    "user": ('<actuator><general joint="j" dyntype="user"/></actuator>', "does nothing"),
    "flag": ('<option><flag limit="disable"/></option>', "stays enabled"),
    "fluid": ('<option viscosity="0.1"/>', "there is no fluid"),
}


@pytest.mark.parametrize("name", [key for key, (_, words) in UNREAD.items() if words])
def test_what_is_not_read_is_listed_and_strict_refuses_it(name, caplog):
    text, words = UNREAD[name]
    text = model(f'<body name="a"><joint name="j"/>{BALL}</body>', text)
    with caplog.at_level(logging.WARNING, "tribo"):
        tribo.World().load_mjcf(text)
    assert any(words in record.message and "<MJCF text>:1:" in record.message for record in caplog.records)
    with pytest.raises(DescriptionError, match="strict=True"):
        mjcf.read(text, strict=True)


def test_a_flag_lets_nothing_meet():
    """<flag contact="disable"/>: a ball falls through the floor, g t²/2 in half a second."""
    floor = '<geom type="plane" size="1 1 1"/><body name="b" pos="0 0 0.2"><freejoint/>'
    text = f'<mujoco><option timestep="0.001"><flag contact="disable"/></option><worldbody>{floor}'
    world = tribo.World.load(text + '<geom size="0.1"/></body></worldbody></mujoco>')
    world.step(500)
    assert len(world.contacts) == 0
    assert world.objects[-1].position[2] == pytest.approx(0.2 - 9.81 / 8, abs=1e-9)


def test_keyframes_of_zeros_and_short_ones():
    """As in MuJoCo: a quaternion of zeros is no turn, and what a short keyframe leaves out is as drawn."""
    joint = '<body><joint name="j" ref="30"/><geom size="0.1"/></body>'
    text = f'<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/></body>{joint}</worldbody>'
    text += '<keyframe><key name="k" qpos="1 2 3 0 0 0 0"/></keyframe></mujoco>'
    scene = mjcf.read(text, keyframe="k")
    starts = [item.tree.start for item in scene.objects]
    assert starts[0] == (1, 2, 3, 1, 0, 0, 0)
    assert starts[1] == pytest.approx((math.radians(30),))
    with pytest.raises(DescriptionError, match="qpos has 9 numbers; the coordinates are 8"):
        mjcf.read(text.replace("1 2 3 0", "1 2 3 4 5 0"))


def test_a_damping_ratio_is_that_of_the_inertia_which_the_servo_feels():
    """d = 2 ζ √(k m): one joint, m = I/gear² (a ball of 2 kg 0.3 m off the axis, with a rotor)."""
    ball = '<geom size="0.1" mass="2" pos="0 0 0.3"/>'
    bodies = f'<body><joint name="j" axis="0 1 0" armature="0.5"/>{ball}</body>'
    servo = '<actuator><position joint="j" kp="50" dampratio="0.7" gear="3"/></actuator>'
    robot = tribo.World().add_articulated_system(model(bodies, servo))
    inertia = 0.5 + 2.0 * 0.3**2 + 0.4 * 2.0 * 0.1**2
    damping = 2.0 * 0.7 * math.sqrt(50.0 * inertia / 9.0)
    np.testing.assert_allclose((robot.kp[0], robot.kd[0]), (450.0, 9.0 * damping), rtol=1e-14)
    assert not any("dampratio" in note for note in robot.description.notes)
    with pytest.raises(DescriptionError, match="two words for its damping"):
        mjcf.read(model(bodies, servo.replace("dampratio", 'kv="1" dampratio')))


def test_controls_of_a_keyframe_are_kept_and_set():
    """Force of an actuator at rest: gear (gain u + bias₀); targets are where it is zero. As in MuJoCo,
    u is held within its range and what a short keyframe leaves out is 0."""
    bodies = "".join(
        f'<body name="{name}" pos="0 0 {k}"><joint name="{name}"/>{BALL}</body>'
        for k, name in enumerate("abcd")
    )
    actuators = (
        '<position name="servo" joint="a" kp="50" kv="1" gear="2" ctrlrange="-1 0.5"/>'
        '<general joint="d" dyntype="user"/><motor name="motor" joint="b" gear="3"/>'
        '<velocity name="speed" joint="c" kv="5"/><motor joint="d"/>'
    )
    key = '<keyframe><key name="k" qpos="0.1" ctrl="0.7 9 -2 0.4"/></keyframe>'
    text = model(bodies, f"<actuator>{actuators}</actuator>", key)
    a, b, c, d = tribo.World().load_mjcf(text, keyframe="k")
    assert a.description.keyframe_controls == {"k": {"servo": 0.7}}
    assert b.description.keyframe_controls == {"k": {"motor": -2.0}}
    assert a.pd_target[0] == pytest.approx(0.5 / 2.0)
    assert (b.generalized_force[0], c.pd_velocity_target[0]) == (-6.0, pytest.approx(0.4))
    assert d.generalized_force[0] == 0.0
    assert not any("ctrl" in note for note in mjcf.read(text).notes)
    still = tribo.World().load_mjcf(text)[0]
    assert (still.pd_target[0], still.description.keyframe_controls) == (0.0, {"k": {"servo": 0.7}})
    with pytest.raises(DescriptionError, match="ctrl has 6 numbers; there are 5"):
        mjcf.read(text.replace('"0.7 9', '"1 2 0.7 9'))


BROKEN = {
    "class": ('<body><freejoint/><geom size="1" class="leg"/></body>', "no such default class"),
    "mesh": ('<body><freejoint/><geom type="mesh" mesh="m"/></body>', "not among the assets"),
    "nan": ('<body><freejoint/><geom size="1" mass="nan"/></body>', "must be finite"),
    "negative size": ('<body><freejoint/><geom size="-1"/></body>', "numbers > 0"),
    "huge": ('<body><freejoint/><geom size="1e200"/></body>', r"must be at most 1e\+15 in size"),
    "tiny": ('<body><freejoint/><geom size="1e-200"/></body>', "numbers > 0"),
    "moments": ('<body><freejoint/><inertial mass="1" diaginertia="1 1 3"/></body>', "triangle inequality"),
    "negative moment": ('<body><freejoint/><inertial mass="1" diaginertia="-1 1 1"/></body>', "must be ≥ 0"),
    "no mass": ("<body><freejoint/></body>", "mass"),
    "two rotations": (f'<body quat="1 0 0 0" euler="0 0 0"><freejoint/>{BALL}</body>', "two words"),
    "no rotation": (f'<body quat="0 0 0 0"><freejoint/>{BALL}</body>', "no direction"),
    "no axis": (f'<body><joint axis="0 0 0"/>{BALL}</body>', "no direction"),
    "condim": ('<body><freejoint/><geom size="1" condim="2"/></body>', "must be 1, 3, 4 or 6"),
    "ball": (f'<body><joint type="ball" range="-9 9"/>{BALL}</body>', "be 0 and the largest angle"),
    "range": (f'<body><joint range="1 0" limited="true"/>{BALL}</body>', "first must be the smaller"),
    "deep free": (f"<body>{BALL}<body><freejoint/>{BALL}</body></body>", "free joint"),
    "world": ("<joint/>", "world cannot move"),
    "twice": (f'<body name="a">{BALL}</body><body name="a">{BALL}</body>', "same name"),
    "depth": ("<body>" * 1100 + "</body>" * 1100, "1000 deep"),
    "include": ('<include file="x.xml"/>', "text has no folder"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_models_are_refused_and_the_world_stays(name):
    text, words = BROKEN[name]
    world = tribo.World()
    with pytest.raises(DescriptionError, match=words):
        world.load_mjcf(model(text))
    assert not world.objects
    assert world.material_names == ("default",)


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0"', "one plane"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"', "must name vertices"),
        ('inertia="exact" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 0 3 1 0 2 3 1 3 2"', "outward"),
        ('inertia="shell" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 0 1 1 1 2"', "neither surface nor"),
        ('file="missing.stl"', "not found"),
        ('builtin="cone" params="9"', "<geom>: mesh='m' has neither file nor vertex in .*<mesh name='m'>"),
        ('file="/etc/passwd"', "not a mesh format"),
        ('file="../../../../../../etc/a.stl"', "not found|refused"),
    ],
)
def test_broken_meshes_are_refused(mesh, words):
    pytest.importorskip("scipy")
    body = '<body><freejoint/><geom type="mesh" mesh="m"/></body>'
    with pytest.raises(DescriptionError, match=words):
        mjcf.read(model(body, f'<asset><mesh name="m" {mesh}/></asset>'))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"m.xml": '<mujoco><include file="m.xml"/></mujoco>'}, "includes itself"),
        ({"m.xml": '<mujoco><include file="a.xml"/></mujoco>',
          "a.xml": '<mujoco><include file="b.xml"/></mujoco>',
          "b.xml": '<mujoco><include file="a.xml"/></mujoco>'}, "includes itself"),
        ({"m.xml": '<mujoco><include file="../x.xml"/></mujoco>', "../x.xml": "<mujoco/>"}, "refused"),
        ({"m.xml": '<mujoco><include file="../../../../../../etc/passwd"/></mujoco>'}, "refused"),
        ({"m.xml": '<mujoco><include file="/etc/passwd"/></mujoco>'}, "refused"),
        ({"m.xml": '<mujoco><include file="none.xml"/></mujoco>'}, "not found"),
        ({"m.xml": '<mujoco><include file="r.xml"/></mujoco>', "r.xml": "<robot/>"}, "must begin with"),
        ({"m.xml": '<mujoco><include file="r.xml"/></mujoco>',
          "r.xml": "<!DOCTYPE a []><mujoco/>"}, "DOCTYPE"),
    ],
)  # fmt: skip
def test_includes_stay_in_their_folder(files, words, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(DescriptionError, match=words):
        mjcf.read(folder / "m.xml")


def test_a_link_out_of_the_folder_is_refused_unless_its_folder_is_allowed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "x.xml").write_text("<mujoco/>")
    (tmp_path / "in/l.xml").symlink_to(tmp_path / "x.xml")
    (tmp_path / "in/m.xml").write_text('<mujoco><include file="l.xml"/></mujoco>')
    with pytest.raises(DescriptionError, match="refused"):
        mjcf.read(tmp_path / "in/m.xml")
    mjcf.read(tmp_path / "in/m.xml", package_dirs=[tmp_path])


def test_one_robot_of_a_file_and_what_is_left_out():
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    robot = tribo.World().add_articulated_system(model(f"{floor}<body><freejoint/>{BALL}</body>"))
    assert any("'floor'" in note for note in robot.description.notes)
    two = f"<body><freejoint/>{BALL}</body>" * 2
    with pytest.raises(DescriptionError, match="load_mjcf takes them all"):
        tribo.World().add_articulated_system(model(two))


def test_a_scene_brings_step_gravity_and_files_of_one_world_share_materials(tmp_path):
    text = model(f"<body><freejoint/>{BALL}</body>", '<option timestep="0.004" gravity="0 0 -1"/>')
    (tmp_path / "s.xml").write_text(text)
    world = tribo.World.load(tmp_path / "s.xml")
    assert (world.time_step, world.gravity.tolist()) == (0.004, [0.0, 0.0, -1.0])
    other = model('<body name="b"><freejoint/><geom size="0.1" friction="2" condim="4"/></body>')
    (part,) = world.load_mjcf(other, take_options=False)
    assert world.time_step == 0.004
    law = world.materials.pair(part.material, world.objects[0].material)
    assert (law.friction, law.spinning_length) == (2.0, 0.005)
    with pytest.raises(DescriptionError, match="export_urdf"):
        world.save(tmp_path / "w.xml")


def test_a_robot_from_mjcf_goes_to_urdf_and_back():
    joints = '<joint name="x" axis="1 0 0" range="-1 1"/><joint name="y" axis="0 1 0" pos="0 0 0.1"/>'
    inner = f'<body name="b" pos="0 0 1"><joint name="z" type="slide"/>{BALL}</body>'
    robot = tribo.World().add_articulated_system(model(f'<body name="a">{joints}{BALL}{inner}</body>'))
    again = tribo.World().add_articulated_system(robot.to_urdf())
    q, v = np.array([0.3, -0.4, 0.2]), np.array([1.0, -2.0, 0.5])
    one, two = robot.at(q, v), again.at(q, v)
    np.testing.assert_allclose(two.mass_matrix, one.mass_matrix, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(two.bias_force, one.bias_force, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("first", "second"), [("world", "a"), ("a", "world"), ("a", "b")])
def test_excluded_bodies_of_different_trees_pass_through_each_other_alone(first, second):
    """Of floor, a and b, each in one place, two do not meet; all else does, what is added later, too."""
    bodies = '<geom name="floor" type="plane" size="1 1 1"/>' + "".join(
        f'<body name="{name}" pos="{x} 0 0.09"><freejoint/>{BALL}</body>'
        for name, x in (("a", 0), ("b", 0.15))
    )
    exclude = f'<contact><exclude body1="{first}" body2="{second}"/></contact>'
    world = tribo.World()
    world.load_mjcf(model(bodies, exclude))
    world.add_sphere(0.1, mass=1.0, name="c", position=(0.07, 0.15, 0.09))
    world.step()
    met = {
        frozenset("world" if part.body_type == tribo.STATIC else part.name for part in pair)
        for pair in ((c.object_a, c.object_b) for c in world.contacts)
    }
    everything = {frozenset(pair) for pair in combinations(("world", "a", "b", "c"), 2)}
    assert met == everything - {frozenset((first, second))}


def test_too_many_exclusions_between_trees_are_said():
    bodies = "".join(f'<body name="b{k}" pos="{k} 0 1"><freejoint/>{BALL}</body>' for k in range(80))
    excludes = "".join(f'<exclude body1="b{k}" body2="b{k + 1}"/>' for k in range(0, 80, 2))
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError, match="no bits are left"):
        world.load_mjcf(model(bodies, f"<contact>{excludes}</contact>"), strict=True)
    assert not world.objects


@pytest.mark.parametrize(
    "inside",
    [
        '<worldbody><flexcomp name="cloth" type="grid" count="2 2 1"/></worldbody>',
        '<deformable><flex name="cloth"/></deformable>',
    ],
)
def test_a_scene_of_flexible_bodies_says_what_it_leaves_out(inside):
    scene = mjcf.read(f"<mujoco>{inside}</mujoco>")
    assert scene.objects == []
    (doubt,) = scene.doubts
    assert "name='cloth'>: flexible bodies are not read: it is left out" in doubt
