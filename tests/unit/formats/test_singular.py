"""Robots whose mass matrix is singular in every pose are refused; massless links alone do no harm."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def link(name, mass=""):
    return f'<link name="{name}">{mass}</link>'


def joint(name, parent, child, axis, kind="continuous", more=""):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/>{more}</joint>'
    )


def robot(*parts):
    return f'<robot name="r">{"".join(parts)}</robot>'


TWO = link("a", MASS), link("m"), link("b", MASS)
COAXIAL = robot(*TWO, joint("j", "a", "m", "0 0 1"), joint("k", "m", "b", "0 0 1"))
MJCF = (
    '<mujoco><worldbody><body name="q"><joint axis="0 0 1"/><joint axis="0 0 1"/>'
    '<geom size=".1"/></body></worldbody></mujoco>'
)
SINGULAR = {
    "massless base": (robot(link("a"), link("b", MASS), joint("j", "a", "b", "0 0 1")), "floats"),
    "massless base, damped joint": (
        robot(link("a"), link("b", MASS),
              joint("j", "a", "b", "0 0 1", more='<dynamics damping="10"/>')), "floats"),
    "coaxial": (COAXIAL, "joint 'j'"),
    "coaxial, mirrored": (COAXIAL.replace("0 0 1", "0 0 -1", 1), "joint 'j'"),
    "parallel sliders": (
        robot(
            *TWO,
            *(
                joint(n, p, c, "1 0 0", "prismatic", '<limit lower="-1" upper="1" effort="1" velocity="1"/>')
                for n, p, c in (("j", "a", "m"), ("k", "m", "b"))
            ),
        ),
        "joint 'j'",
    ),
    "MJCF": (
        MJCF,
        "joint 'joint_0'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SINGULAR)
def test_what_moves_without_inertia_of_its_own_is_refused(case):
    text, says = SINGULAR[case]
    world = tribo.World()
    with pytest.raises(DescriptionError, match=f"{says}.* without inertia of its own"):
        world.add_articulated_system(text)
    assert not world.objects


def test_the_error_names_the_file(tmp_path):
    (file := tmp_path / "bare.urdf").write_text(SINGULAR["massless base"][0])
    with pytest.raises(DescriptionError, match=r"bare\.urdf: link 'a' floats without inertia of its own"):
        tribo.World().add_articulated_system(file)


def test_a_massless_base_may_be_fixed():
    text = SINGULAR["massless base"][0]
    robot = tribo.World().add_articulated_system(text, fixed_base=True)
    assert robot.mass_matrix.tolist() == [[1.0]]


SOUND = {
    "universal joint": robot(*TWO, joint("j", "a", "m", "0 1 0"), joint("k", "m", "b", "0 0 1")),
    "rotor": COAXIAL.replace('"0 0 1"/></joint>', '"0 0 1"/><dynamics rotor_inertia="0.1"/></joint>', 1),
    "damped": COAXIAL.replace('"0 0 1"/></joint>', '"0 0 1"/><dynamics damping="0.1"/></joint>'),
    "off the axis": COAXIAL.replace(
        '<axis xyz="0 0 1"/></joint></robot>', '<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/></joint></robot>'
    ),
}


@pytest.mark.parametrize("case", SOUND)
def test_massless_links_between_joints_that_differ_are_taken(case):
    world = tribo.World(gravity=(0, 0, 0))
    robot = world.add_articulated_system(SOUND[case])
    robot.generalized_velocity = 0.1 * np.arange(robot.dof)
    world.step(10)
    assert world.status == 0


def ball_chain(masses):
    """Return a chain of links of 0.3 m on ball joints that hangs from the world."""
    parent = root = tribo.LinkDescription("root")
    root.fix_to_world()
    for k, m in enumerate(masses):
        link = tribo.LinkDescription(f"l{k}", m, (0, 0, -0.15), m * np.diag([0.0075, 0.0075, 0.0002]))
        place = (0, 0, -0.3 if k else 0)
        parent.attach(link, tribo.JointDescription(f"j{k}", "spherical", position=place))
        parent = link
    return root


def test_a_link_with_too_little_inertia_for_its_load_is_told_both_numbers():
    """It was said to have none."""
    says = r"link 'l1' moves \(joint 'j1'\) with too little .*: 2e-10 kg m² of its own, \d.*e\+0[45] kg m²"
    with pytest.raises(DescriptionError, match=says):
        tribo.World().add_articulated_system(ball_chain((1, 1e-6, 1e6)))
    tribo.World().add_articulated_system(ball_chain((1e6, 1, 1e-6)))
