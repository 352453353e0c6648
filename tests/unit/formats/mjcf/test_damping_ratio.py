"""Springs of mocap bodies: compliance and damping by MuJoCo's formulas, and the motion that they cause."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import mjcf

MASS, MOMENTS = 2.0, (0.2, 0.3, 0.4)
BODY = (
    '<body name="hand" pos="0 0 1"><freejoint/><inertial pos="0.1 0 0" mass="2" diaginertia="0.2 0.3 0.4"/>'
    "</body>"
)


def model(tie, mocap='<body name="m" mocap="true" pos="0 0 1"/>', body=BODY):
    """Return a file with a body that a mocap body holds."""
    return f"<mujoco><worldbody>{mocap}{body}</worldbody><equality>{tie}</equality></mujoco>"


def numbers_of(tie):
    """Return what the constraint of such a file has."""
    world = tribo.World()
    world.load_mjcf(model(tie))
    return world.constraints[0]


@pytest.mark.parametrize(
    ("words", "share", "time"),
    [
        ("", 0.05 * 0.02**2, 2 * 0.02),
        ('solref="0.1 0.5"', 0.05 * (0.1 * 0.5) ** 2, 2 * 0.1 * 0.25),
        ('solref="0.1" solimp="0.5 0.8 0.01"', 0.2 * 0.1**2, 0.2),
        ('solref="-500 -40" solimp="0.9 0.99"', 0.01 / 500, 40 / 500),
        ('solref="-500 0" solimp="0.9 2"', 1e-4 / 500, 0.0),
    ],
)
def test_compliance_and_damping_are_those_of_the_mass_that_is_held(words, share, time):
    """ε = (1 − d)(t ζ)² Â and d/k = 2 t ζ², or by stiffness and damping; Â = 1/m, and the mean of 1/I."""
    tie = numbers_of(f'<weld body1="m" body2="hand" torquescale="0.5" {words}/>')
    assert tie.compliance == pytest.approx(share / MASS, rel=1e-12)
    turned = np.mean(1.0 / np.array(MOMENTS)) * 4.0 / 0.5**2
    assert tie.angular_compliance == pytest.approx(share * turned, rel=1e-12)
    assert (tie.spook_damping, tie.angular_spook_damping) == pytest.approx((time, time), rel=1e-12)


def test_of_a_chain_it_is_the_mass_that_its_point_moves():
    """A rod on a hinge about y: only x moves at its centre, by 1 m, and only y turns."""
    rod = (
        '<body name="rod"><joint axis="0 1 0" armature="0.5"/>'
        '<inertial pos="0 0 1" mass="3" diaginertia="1 1 1"/></body>'
    )
    world = tribo.World()
    world.load_mjcf(model('<weld body1="rod" body2="m"/>', body=rod))
    (tie,) = world.constraints
    inertia = 3.0 * 1.0 + 1.0 + 0.5
    assert tie.compliance == pytest.approx(0.05 * 0.02**2 / inertia / 3.0, rel=1e-12)
    assert tie.angular_compliance == pytest.approx(4.0 * 0.05 * 0.02**2 / inertia / 3.0, rel=1e-12)


HANDS = {
    "bare": '<body name="hand" pos="0 0 0.6"/>',
    "in a frame": '<frame pos="0 0 0.1"><body name="hand" pos="0 0 0.6"/></frame>',
    "geom without mass": '<body name="hand" pos="0 0 0.6"><geom size="0.1" mass="0" pos="0.2 0 0"/></body>',
    "written": '<body name="hand" pos="0 0 0.6"><inertial pos="0 0 0.2" mass="0"/></body>',
}


@pytest.mark.parametrize(("kind", "height"), list(zip(HANDS, [1.2, 1.3, 1.2, 0.8], strict=True)))
def test_a_body_without_mass_is_pushed_where_mujoco_has_its_centre(kind, height):
    """Its `pos` in the parent, taken in its own frame: MuJoCo's body_ipos. height: over the hinge [m]."""
    rod = (
        '<body name="rod"><joint axis="0 1 0" armature="0.5"/><inertial pos="0 0 1" mass="3" '
        f'diaginertia="1 1 1"/>{HANDS[kind]}</body>'
    )
    world = tribo.World()
    world.load_mjcf(model('<connect body1="hand" body2="m" anchor="0 0 0"/>', body=rod))
    inverse = height**2 / (3.0 * 1.0 + 1.0 + 0.5) / 3.0
    assert world.constraints[0].compliance == pytest.approx(0.05 * 0.02**2 * inverse, rel=1e-12)


def test_a_body_that_boundmass_gives_its_mass_has_it_there():
    """As MuJoCo: body_ipos is `pos`, [0.4, 0, 0], where geoms and <inertial> are missing."""
    body = '<body name="hand" pos="0.4 0 0"><joint axis="0 1 0"/></body>'
    text = model("", body=body).replace("<mujoco>", '<mujoco><compiler boundmass="0.1" boundinertia="1"/>')
    tree = next(item.tree for item in mjcf.read(text).objects if item.name == "hand")
    assert tree.bodies[1].com == (0.4, 0.0, 0.0)


def test_a_connection_has_no_angular_spring():
    tie = numbers_of('<connect body1="hand" body2="m" anchor="0 0 0"/>')
    assert tie.type == "pin"
    assert tie.compliance > 0.0
    assert tie.angular_compliance == 0.0


def test_sites_of_a_mocap_body_are_held_by_a_spring_as_well():
    body = BODY.replace("</body>", '<site name="s"/></body>')
    mocap = '<body name="m" mocap="true" pos="0 0 1"><site name="t"/></body>'
    world = tribo.World()
    world.load_mjcf(model('<weld site1="s" site2="t"/>', mocap, body))
    assert world.constraints[0].compliance == pytest.approx(0.05 * 0.02**2 / MASS, rel=1e-12)


def test_a_body_is_pulled_to_where_a_user_puts_the_mocap_body_without_a_flag():
    """A gap of 0.3 m falls to 1/e in the time of the damping, 0.04 s; to first order in 2 ms over it."""
    world = tribo.World()
    m, hand = world.load_mjcf(model('<weld body1="m" body2="hand"/>', body=BODY.replace("0.1 0 0", "0 0 0")))
    world.gravity = (0, 0, 0)
    m.position = (0.3, 0, 1)
    for _ in range(20):
        world.step()
        assert world.status == 0
    assert hand.position[0] == pytest.approx(0.3 * (1 - np.exp(-1)), rel=0.05)
    world.step(1000)
    assert hand.position[0] == pytest.approx(0.3, abs=1e-9)


def test_other_equalities_stay_hard_and_say_so():
    other = '<body name="m"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    text = model('<weld body1="m" body2="hand" solref="0.1 1"/>', other)
    world = tribo.World()
    world.load_mjcf(text)
    assert world.constraints[0].compliance == 0.0
    assert any("equalities are hard here" in note for note in mjcf.read(text).notes)


@pytest.mark.parametrize("words", ["0 1", "0.1 0", "-1 1", "0.1 -1"])
def test_a_time_constant_without_a_damping_ratio_is_refused(words):
    with pytest.raises(DescriptionError, match=f"solref='{words}'.*time constant and damping ratio"):
        numbers_of(f'<weld body1="m" body2="hand" solref="{words}"/>')


def test_short_vectors_leave_the_rest_as_their_class_has_it():
    """As MuJoCo: solref="0.3" over a class of "0.05 2" is 0.3, 2."""
    default = '<default><equality solref="0.05 2" solimp="0.5 0.6"/></default>'
    text = model('<weld body1="m" body2="hand" solref="0.3" solimp="0.3"/>')
    world = tribo.World()
    world.load_mjcf(text.replace("<worldbody>", f"{default}<worldbody>"))
    (tie,) = world.constraints
    assert tie.compliance == pytest.approx(0.4 * (0.3 * 2) ** 2 / MASS, rel=1e-12)
    assert tie.spook_damping == pytest.approx(2 * 0.3 * 4, rel=1e-12)


def test_a_body_that_is_fixed_to_a_mocap_body_pulls_by_a_spring_as_well():
    mocap = '<body name="m" mocap="true" pos="0 0 1"><body name="tip" pos="0.1 0 0"/></body>'
    world = tribo.World()
    world.load_mjcf(model('<weld body1="tip" body2="hand"/>', mocap))
    assert world.constraints[0].compliance == pytest.approx(0.05 * 0.02**2 / MASS, rel=1e-12)


def test_a_weld_without_torque_is_a_pin():
    assert numbers_of('<weld body1="m" body2="hand" torquescale="0"/>').type == "pin"
    negative = numbers_of('<weld body1="m" body2="hand" torquescale="-0.5"/>')
    positive = numbers_of('<weld body1="m" body2="hand" torquescale="0.5"/>')
    assert negative.angular_compliance == positive.angular_compliance


def test_a_time_constant_is_at_least_two_time_steps_of_the_file():
    """As MuJoCo's refsafe: a shorter one would overshoot."""
    world = tribo.World()
    option = '<option timestep="0.004"/>'
    text = model('<weld body1="m" body2="hand" solref="0.001 1"/>').replace("<mujoco>", f"<mujoco>{option}")
    world.load_mjcf(text)
    assert world.constraints[0].spook_damping == pytest.approx(2 * 0.008, rel=1e-12)


@pytest.mark.parametrize("other", ["world", "n"])
def test_what_no_force_moves_is_not_joined_and_says_so(other):
    mocap = '<body name="m" mocap="true" pos="0 0 1"/><body name="n" mocap="true" pos="0 0 2"/>'
    scene = mjcf.read(model(f'<weld body1="m" body2="{other}"/>', mocap))
    assert any("joins bodies that no force moves" in note for note in scene.notes)
    world = tribo.World()
    world.load_mjcf(model(f'<weld body1="m" body2="{other}"/>', mocap))
    assert len(world.constraints) == 0


@pytest.mark.parametrize("words", ['torquescale="1e-200"', 'solref="1e12 1e9"'])
def test_a_spring_beyond_all_bounds_is_refused_with_its_place(words):
    with pytest.raises(DescriptionError, match=r":1: <weld.*beyond all bounds"):
        numbers_of(f'<weld body1="m" body2="hand" {words}/>')


def test_a_joint_on_a_mocap_body_is_refused():
    mocap = '<body name="m" mocap="true"><body name="arm"><joint name="j"/><geom size="0.1"/></body></body>'
    with pytest.raises(DescriptionError, match="hangs on the mocap body 'm'; weld a free body"):
        tribo.World().load_mjcf(model("", mocap))
