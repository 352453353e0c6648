"""Spatial tendons and slider-cranks: lengths and moments as MuJoCo has them, and motion as it steps.

Lengths are closed forms in both, so they differ by rounding: 1e-12 of 1 m. Motion as in
`test_couplings_mujoco.py`: extrapolated to dt = 0, within 1e-4 in angles and metres, 1e-3 in rates. A wrap
that begins or ends, and a slack spring that catches, is of first order: those scenes get steps of a tenth.
"""

import numpy as np
import pytest

import tribo
from tribo.formats import mjcf
from tribo.formats.loops import poses_at
from tribo.formats.mjcf.damping_ratio import mass_matrix
from tribo.formats.mjcf.ways import laid, moment

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
import mujoco

BODY = """<site name="w" pos="0.1 -0.2 0.6"/><geom name="post" type="cylinder" size="0.1 1" pos="0.25 0.25 0"
   euler="20 60 0" contype="0" conaffinity="0"/><site name="post side" pos="0.25 0.25 0.3"/>
<body name="base"><geom size="0.1"/><site name="s0" pos="0 0.1 0.15"/>
 <body name="one" pos="0 0.3 0"><joint name="a" axis="0 1 0"/>
   <geom name="ball" size="0.06" pos="0.3 0 0" mass="0.7"/><site name="s1" pos="0.15 0 0.08"/>
   <site name="up" pos="0.3 0 0.2"/><site name="down" pos="0.3 0.05 -0.2"/>
   <body name="two" pos="0.3 0 0"><joint name="b" axis="0 1 0.2" armature="0.05"/>
     <geom size="0.05" pos="0.2 0 0.05" mass="0.5"/><site name="s2" pos="0.2 0.1 0" euler="10 20 30"/>
   </body></body>
 <body name="three" pos="0 -0.3 0"><joint name="c" type="slide" axis="0 0.6 0.8"/>
   <geom size="0.08" mass="1.2"/><site name="s3" pos="0.05 0 0.1" euler="0 90 20"/></body></body>"""
LINE = '<site site="s0"/><site site="s1"/><site site="s2"/>'
WAYS = {
    "straight": LINE,
    "two branches": '<site site="s2"/><site site="s0"/><site site="s3"/>',
    "world": '<site site="w"/><site site="s2"/><site site="s3"/>',
    "ball": '<site site="s1"/><geom geom="ball"/><site site="s2"/>',
    "ball above": '<site site="s1"/><geom geom="ball" sidesite="up"/><site site="s2"/>',
    "ball below": '<site site="s1"/><geom geom="ball" sidesite="down"/><site site="s2"/>',
    "post": '<site site="s0"/><geom geom="post"/><site site="s2"/>',
    "post side": '<site site="s3"/><geom geom="post" sidesite="post side"/><site site="s2"/>',
    "pulley": LINE + '<pulley divisor="2"/><site site="s0"/><site site="s3"/><site site="w"/>',
}
FREE = """<body name="base" pos="0 0 1"><freejoint/><geom size="0.1" mass="2"/><site name="f" pos="0.1 0 0"/>
 <body pos="0 0.3 0"><joint name="a" axis="0 1 0"/><geom size="0.06" pos="0.3 0 0" mass="0.7"/>
 <site name="g" pos="0.3 0.1 0"/></body></body><site name="w" pos="1 0 2"/>"""
START, SPEED = np.array([0.3, -0.4, 0.1]), np.array([0.5, 1.0, -0.3])
TIME = 0.2  # [s]


def text_of(ways, numbers="", extra="", bodies=BODY):
    tendons = "".join(f'<spatial name="{name}" {numbers}>{way}</spatial>' for name, way in ways.items())
    return (
        '<mujoco><option timestep="0.0001" integrator="RK4"><flag contact="disable"/></option>'
        f"<worldbody>{bodies}</worldbody><tendon>{tendons}</tendon>{extra}</mujoco>"
    )


def drives(ways):
    return "<actuator>" + "".join(f'<motor tendon="{name}"/>' for name in ways) + "</actuator>"


@pytest.mark.parametrize("name", WAYS)
def test_lengths_and_moments_are_mujocos(name):
    ways = {name: WAYS[name]}
    text = text_of(ways, extra=drives(ways))
    (tree,) = (one.tree for one in mjcf.read(text).objects if one.tree is not None)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    wraps = 0
    for q in rng.uniform(-1.0, 1.0, (50, 3)):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        poses = poses_at(tree, q)
        work = laid(tree.couplings[0], poses).arrays
        assert work["segment_length"].sum() == pytest.approx(data.ten_length[0], abs=1e-12)
        data.ctrl[:] = 1.0
        mujoco.mj_forward(model, data)
        row = data.qfrc_actuator.copy()
        found = moment(tree.couplings[0], tree, poses, mass_matrix(tree, q)[1])
        np.testing.assert_allclose(found, row, atol=1e-12)
        wraps += int((work["segment_next"][0] >= 0).sum() > len(tree.couplings[0].way) - 2)
    assert wraps > 0 or not ("ball" in name or "post" in name)


SEEN = {  # site, refsite, gear
    "place": ("s2", "s0", "1 0.5 -2"),
    "turn": ("s2", "s0", "0 0 0 1 2 -1"),
    "both": ("s2", "s0", "0.3 1 0.5 0.2 -0.4 1"),
    "parent": ("s2", "s1", "1 -1 0.5 2 0 1"),
    "world": ("s2", "t", "0.3 1 0.5 0.2 -0.4 1"),
    "world as seen": ("t", "s2", "0 0 0 1 0.5 -1"),
    "other branch": ("s3", "s2", "0 0 0 1 0.5 -1"),
}
TURNED = BODY + '<site name="t" pos="0.4 0.1 0.2" euler="40 -30 70"/>'


@pytest.mark.parametrize("name", SEEN)
def test_sites_as_seen_from_others_are_where_mujoco_has_them(name):
    site, seen, gear = SEEN[name]
    motor = f'<actuator><motor site="{site}" refsite="{seen}" gear="{gear}"/></actuator>'
    text = text_of({}, extra=motor, bodies=TURNED)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    for scene in (mjcf.read(text), mjcf.read_model(model)):
        tree = next(one.tree for one in scene.objects if one.tree is not None)
        (coupling,) = tree.couplings
        for q in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3)):
            data.qpos[:] = q
            mujoco.mj_forward(model, data)
            poses = poses_at(tree, q)
            work = laid(coupling, poses).arrays
            assert work["segment_length"].sum() == pytest.approx(data.actuator_length[0], abs=1e-12)
            found = moment(coupling, tree, poses, mass_matrix(tree, q)[1])
            np.testing.assert_allclose(found, data.qfrc_actuator, atol=1e-12)


def test_a_place_seen_from_another_branch_has_the_moment_of_its_length():
    """MuJoCo lets the force on the reference act there, so that a couple is left; here none is."""
    motor = '<actuator><motor site="s3" refsite="s2" gear="1 0.5 -2"/></actuator>'
    tree = mjcf.read(text_of({}, extra=motor)).objects[0].tree
    (coupling,) = tree.couplings
    q, step = np.array([0.3, -0.4, 0.1]), 1e-6
    found = moment(coupling, tree, poses_at(tree, q), mass_matrix(tree, q)[1])
    for k, unit in enumerate(step * np.eye(3)):
        ends = [laid(coupling, poses_at(tree, q + s * unit)).arrays["segment_length"].sum() for s in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(found[k], abs=1e-8)


SCENES = {
    "motor": ("straight", "", '<motor tendon="{}" gear="30"/>', [0.4]),
    "branches": ("two branches", "", '<motor tendon="{}" gear="10"/>', [0.4]),
    "servo": ("world", "", '<position tendon="{}" kp="100" kv="5"/>', [0.9]),
    "spring": ("pulley", 'stiffness="80" damping="2" springlength="0.5"', "", []),
    "dead zone": ("straight", 'stiffness="100" springlength="0 0.3"', "", []),
    "drawn": ("world", 'stiffness="100"', "", []),
    "ball": ("ball above", 'stiffness="80" springlength="0.1"', "", []),
    "post": ("post side", "", '<motor tendon="{}" gear="-8"/>', [0.9]),
    "muscle": (
        "ball above", "",
        '<muscle tendon="{}" force="40" lengthrange="0.1 0.6" timeconst="0.02 0.05"/>', [0.8],
    ),
    "critical": ("straight", "", '<position tendon="{}" kp="60" dampratio="0.6"/>', [0.2]),
    "seen": (
        "straight", "", '<position site="s2" refsite="s0" gear="0 0 1.5" kp="40" kv="2"/>', [0.2],
    ),
    "turned": (
        "straight", "", '<position site="s2" refsite="s0" gear="0 0 0 0 1 0" kp="6" dampratio="0.5"/>',
        [0.7],
    ),
    "pushed": ("straight", "", '<motor site="s2" refsite="s1" gear="2 0 3 0 1 0.5"/>', [0.8]),
    "slider": (
        "straight", "",
        '<position cranksite="s2" slidersite="s0" cranklength="0.9" kp="50" gear="1.5"/>', [-0.5],
    ),
}  # fmt: skip


def both_ends(text, controls, dt, start=START, speed=SPEED):
    ends = []
    for step in (dt, 0.5 * dt):
        world = tribo.World()
        robot = next(one for one in world.load_mjcf(text, take_options=False) if one.dof)
        world.time_step = step
        robot.generalized_coordinate, robot.generalized_velocity = start, speed
        if controls:
            robot.set_controls(controls)
        world.step(round(TIME / step))
        ends.append(np.concatenate((robot.generalized_coordinate, robot.generalized_velocity)))
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = start, speed, controls
    for _ in range(round(TIME / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return 2.0 * ends[1] - ends[0], np.concatenate((data.qpos, data.qvel))


@pytest.mark.parametrize("name", SCENES)
def test_motion_is_mujocos(name):
    way, numbers, actuator, controls = SCENES[name]
    extra = f"<actuator>{actuator.format(way)}</actuator>" if actuator else ""
    text = text_of({way: WAYS[way]}, numbers, extra)
    dt = 5e-5 if name in {"dead zone", "ball"} else 5e-4
    here, there = both_ends(text, controls, dt)
    still, _ = both_ends(text_of({}), [], dt)
    assert np.abs(here - still)[:3].max() > 1e-3  # it does something
    assert np.abs(here - there)[:3].max() < 1e-4, here - there
    assert np.abs(here - there)[3:].max() < 1e-3, here - there


def test_a_thread_of_a_floating_robot_to_the_world():
    """The base turns little, so that angular velocities agree in the axes of body and world at rest only."""
    text = text_of(
        {"t": '<site site="w"/><site site="f"/><site site="g"/>'}, 'stiffness="30" springlength="0.5"',
        bodies=FREE,
    )  # fmt: skip
    start = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.2])
    here, there = both_ends(text, [], 5e-4, start, np.zeros(7))
    assert np.abs(here - there)[:8].max() < 1e-4, here - there
    assert np.abs(here - there)[8:11].max() < 1e-3, here - there


def test_what_mujoco_compiled_has_the_same_ways():
    """Positions are MuJoCo's, to rounding of its quaternions: 1e-15 of 1 m."""
    slider = '<motor cranksite="s2" slidersite="s0" cranklength="0.9"/>'
    text = text_of(WAYS, 'stiffness="3"', f"<actuator>{slider}</actuator>")
    both = mjcf.read(text), mjcf.read_model(mujoco.MjModel.from_xml_string(text))
    one, two = (next(item.tree for item in scene.objects if item.tree is not None) for scene in both)
    assert len(one.couplings) == len(two.couplings) == len(WAYS) + 1
    for a, b in zip(one.couplings, two.couplings, strict=True):
        assert a.rest == pytest.approx(b.rest, abs=1e-12)
        for here, there in zip(a.way, b.way, strict=True):
            assert (here.body, here.kind, here.weight) == (there.body, there.kind, there.weight)
            for name in ("point", "axis", "toward", "radius"):
                assert getattr(here, name) == pytest.approx(getattr(there, name), abs=1e-12)


def test_worlds_of_a_batch_move_as_one_world_does():
    text = text_of({"t": WAYS["ball above"]}, 'stiffness="80"', drives("t"))
    world = tribo.World()
    robot = next(one for one in world.load_mjcf(text, take_options=False) if one.dof)
    robot.generalized_velocity = SPEED
    batch = tribo.Batch(world, 2)
    batch[robot.name].set_controls([[0.5], [0.0]])
    batch.step(50)
    robot.set_controls([0.5])
    world.step(50)
    found = batch[robot.name].generalized_coordinate
    np.testing.assert_array_equal(found[0], robot.generalized_coordinate)
    assert np.abs(found[1] - found[0]).max() > 1e-5
