"""Files as people have them: empty attributes, text at the end, deep trees, files of folders above."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import mjcf

BALL = '<geom size="0.1"/>'


def model(bodies, *sections):
    return f"<mujoco>{''.join(sections)}<worldbody>{bodies}</worldbody></mujoco>"


def test_an_attribute_without_a_value_counts_as_not_given():
    default = '<default><geom rgba="1 0 0 1"/></default>'
    body = '<body name=""><freejoint/><geom size="0.1" rgba="" friction=" " material=""/></body>'
    scene = mjcf.read(model(body, default))
    assert scene.objects[0].name == "body_1"
    assert scene.objects[0].tree.bodies[0].visuals[0].color == (1.0, 0.0, 0.0, 1.0)
    assert not scene.doubts


def test_text_after_the_outermost_element_is_passed_over_and_said():
    scene = mjcf.read(model(f"<body><freejoint/>{BALL}</body>") + "\n-- end of file\n")
    assert len(scene.objects) == 1
    assert any("text after the outermost element" in note for note in scene.notes)


def test_a_second_outermost_element_is_refused_still():
    with pytest.raises(DescriptionError, match="only one outermost element"):
        mjcf.read(model(f"<body><freejoint/>{BALL}</body>") + "<mujoco/>")


def test_a_chain_of_300_bodies_is_read_and_moves():
    links = "".join(f'<body pos="0 0 0.1"><joint name="j{k}"/>{BALL}' for k in range(300))
    world = tribo.World()
    (robot,) = world.load_mjcf(model(links + "</body>" * 300))
    world.step()
    assert robot.dof == 300
    assert np.isfinite(robot.generalized_coordinate).all()


def test_a_file_takes_from_above_what_one_root_holds(tmp_path):
    """The error names the folder that would do; with it as root the file is read."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "scenes/deep").mkdir(parents=True)
    (tmp_path / "assets/ball.xml").write_text(
        f"<mujocoinclude><body><freejoint/>{BALL}</body></mujocoinclude>"
    )
    file = tmp_path / "scenes/deep/s.xml"
    file.write_text(model('<include file="../../assets/ball.xml"/>'))
    with pytest.raises(DescriptionError, match=f"root='{tmp_path}'"):
        tribo.World.load(file)
    assert len(tribo.World.load(file, root=tmp_path).objects) == 1
    assert len(tribo.World().load_mjcf(file, root=tmp_path)) == 1
    with pytest.raises(DescriptionError, match="refused"):
        tribo.World.load(file, root=tmp_path / "scenes")


@pytest.mark.parametrize("inside", ["", '<site name="s"/>', '<geom size="0.1" mass="0"/>'])
def test_a_mocap_body_without_mass_holds_what_is_welded_to_it(inside):
    hand = f'<body name="hand" pos="0 0 1"><freejoint/>{BALL}</body>'
    weld = '<equality><weld body1="m" body2="hand"/></equality>'
    world = tribo.World()
    m, body = world.load_mjcf(model(f'<body name="m" mocap="true">{inside}</body>{hand}', weld))
    m.generalized_velocity[:3] = (0.5, 0, 0)
    world.step(2000)
    sag = 9.81 * 0.05 * 0.02**2  # g (1 − d) t² of MuJoCo's standard numbers: a spring by its weight
    np.testing.assert_allclose(m.position, (2.0, 0, 0), atol=1e-9)
    np.testing.assert_allclose(body.position - m.position, (0, 0, 1 - sag), atol=1e-9)


def test_a_spring_by_time_constant_and_damping_ratio_has_them():
    """One hinge of inertia I: k = I/(t ζ)², d = 2 I/t."""
    body = '<body><joint name="j" springdamper="0.5 0.8" armature="0.3"/><inertial pos="0 0 0" mass="1"'
    joint = (
        tribo.World()
        .add_articulated_system(model(f'{body} diaginertia="1 1 1"/></body>'))
        .description.bodies[1]
        .joint
    )
    assert joint.stiffness == pytest.approx(1.3 / 0.16, rel=1e-12)
    assert joint.damping == pytest.approx(2 * 1.3 / 0.5, rel=1e-12)
