"""`world.load_mujoco`: a compiled model becomes what MuJoCo computes with.

M of both agrees to round-off: sums of a dozen products, 1e-13 of the largest entry.
"""

from pathlib import Path

import numpy as np
import pytest

import tribo

pytest.importorskip("mujoco", reason="the peer, MuJoCo, is not installed")
pytest.importorskip("scipy", reason="hulls of meshes need SciPy")
import mujoco
from mjcf_trees import random_tree

FILES = sorted((Path(__file__).parent.parent / "data/mjcf").glob("*.xml"))
ROUNDING = 1e-13


def mass_matrix(model):
    """Return MuJoCo's M at qpos0, built from unit accelerations: MuJoCo 3 and 4 share these calls."""
    data, made = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    mujoco.mj_forward(model, data)
    for k in range(model.nv):
        mujoco.mj_mulM(model, data, made[k], np.eye(model.nv)[k])
    return made


def compare(model, objects):
    """Compare eigenvalues: bases and balls have axes of their own."""
    robots = [item for item in objects if hasattr(item, "dof") and item.body_type == tribo.DYNAMIC]
    assert sum(robot.dof for robot in robots) == model.nv
    ours, theirs = np.zeros((model.nv, model.nv)), mass_matrix(model)
    at = 0
    for robot in robots:
        ours[at : at + robot.dof, at : at + robot.dof] = robot.mass_matrix
        at += robot.dof
    one, two = np.linalg.eigvalsh(ours), np.linalg.eigvalsh(theirs)
    np.testing.assert_allclose(one, two, rtol=0, atol=ROUNDING * np.abs(theirs).max())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_that_mujoco_compiled_have_its_mass_matrix(file):
    model = mujoco.MjModel.from_xml_path(str(file))
    compare(model, tribo.World().load_mujoco(model))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_have_its_mass_matrix(seed):
    spec = mujoco.MjSpec.from_string(random_tree(seed))
    compare(spec.compile(), tribo.World().load_mujoco(spec))


TEXT = """<mujoco model="m"><option timestep="0.004" gravity="0 0 -3"/>
  <default><geom friction=".7 .1 .2"/><joint damping="0.3"/></default>
  <asset><hfield name="hills" nrow="2" ncol="3" size="1 1 2 .1" elevation="1 2 3 4 5 7"/></asset>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/><geom name="hills" type="hfield" hfield="hills"/>
   <body name="a" pos="0 0 1"><joint name="j" range="-30 40" frictionloss="0.2" armature=".1" ref="10"/>
    <geom name="g" size=".1" friction=".9" condim="4"/><site name="s" pos="0 0 .1"/>
    <body name="b" pos=".3 0 0"><joint name="k" type="slide" stiffness="5" springref=".1" range="0 1"/>
     <geom type="box" size=".1 .2 .3"/></body></body>
   <body name="m" mocap="true" pos="1 1 1"><geom size=".05" contype="0" conaffinity="0"/></body>
   <body name="f" pos="1 1 2"><freejoint/><geom size=".1" mass="2"/></body></worldbody>
  <contact><exclude body1="a" body2="f"/></contact>
  <equality><weld name="w" body1="m" body2="f"/>
   <joint joint1="k" joint2="j" polycoef="0 .5 0 0 0"/></equality>
  <actuator><position name="p" joint="j" kp="7" kv="2" ctrlrange="-1 1"/><motor name="q" joint="k" gear="3"/>
  </actuator><keyframe><key name="up" qpos=".1 .2 1 1 2 1 0 0 0" ctrl=".3 .4"/></keyframe></mujoco>"""


def test_a_compiled_model_is_read_as_its_file_is():
    """Both ways give the same joints, actuators, materials, constraints and start."""
    file, model = tribo.World(), tribo.World()
    one = file.load_mjcf(TEXT, keyframe="up")
    two = model.load_mujoco(mujoco.MjModel.from_xml_string(TEXT), keyframe="up")
    assert (model.time_step, model.gravity.tolist()) == (0.004, [0.0, 0.0, -3.0])
    assert [item.name for item in two] == [item.name for item in one]
    np.testing.assert_allclose(two[0].generalized_coordinate, one[0].generalized_coordinate, atol=1e-15)
    for a, b in zip(one[0].description.bodies, two[0].description.bodies, strict=True):
        for what in ("lower", "upper", "damping", "friction", "armature", "stiffness"):
            first, second = getattr(a.joint, what), getattr(b.joint, what)
            assert second == pytest.approx(first, rel=1e-12), what
    assert one[0].description.bodies[2].joint.mimic == pytest.approx(two[0].description.bodies[2].joint.mimic)
    assert one[0].description.actuators == two[0].description.actuators
    assert list(model.materials) == list(file.materials)
    for world in (file, model):
        world.step(50)
    np.testing.assert_allclose(two[0].generalized_coordinate, one[0].generalized_coordinate, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_flexible_bodies_of_a_compiled_model_are_listed(caplog):
    """Their corners are bodies that fall apart here; that was not said."""
    flex = '<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1"/>'
    text = f"<mujoco><worldbody>{flex}</worldbody></mujoco>"
    tribo.World().load_mujoco(mujoco.MjModel.from_xml_string(text))
    assert "flexible bodies are not read" in caplog.text


def test_what_is_no_model_of_mujoco_is_refused():
    world = tribo.World()
    with pytest.raises(TypeError, match="must be an MjModel or an MjSpec"):
        world.load_mujoco("scene.xml")
    assert not world.objects


OFF = (
    "constraint",
    "equality",
    "frictionloss",
    "limit",
    "spring",
    "damper",
    "clampctrl",
    "filterparent",
    "actuation",
)
UNREAD = f"""<mujoco><option wind="1 0 0" density="2" viscosity=".1" actuatorgroupdisable="1 4">
   <flag gravity="disable" override="enable" {" ".join(f'{name}="disable"' for name in OFF)}/></option>
  <worldbody><geom name="floor" type="plane" size="1 1 1" solref=".1 1" solimp=".8 .9 .01" solmix="2"/>
   <body name="m" mocap="true"/><body name="f" pos="1 1 2"><freejoint/><geom size=".1" mass="2"/></body>
   <body name="a"><joint name="j" range="-1 1" solreflimit=".1 1" solimplimit=".8 .9 .01" margin=".1"
     frictionloss=".1" solreffriction=".1 1" solimpfriction=".8 .9 .01" actuatorgravcomp="true"/>
    <geom name="g" size=".1" margin=".1" gap=".05" fluidshape="ellipsoid"/></body></worldbody>
  <contact><pair geom1="g" geom2="floor" solref=".1 1" solreffriction=".1 1" margin=".2" gap=".1"/></contact>
  <tendon><fixed name="t" range="-1 1" limited="true" solreflimit=".1 1" margin=".1"
    solimpfriction=".8 .9 .01">
   <joint joint="j" coef="1"/></fixed></tendon>
  <equality><joint name="e" joint1="j" solref=".1 1"/><weld name="w" body1="m" body2="f" torquescale="2"/>
   <weld name="v" body1="f" torquescale="2" active="false" solimp=".8 .9 .01"/></equality>
  <actuator><motor joint="j" group="1"/></actuator></mujoco>"""


def test_what_of_a_compiled_model_is_not_read_is_listed_as_of_its_file():
    """Disabled flags, wind, groups of actuators and softness were not: one list serves both ways."""

    def remarks(objects):
        return {note.split(": ", 1)[1] for note in objects[0].description.notes}

    file, model = tribo.World(), tribo.World()
    one = remarks(file.load_mjcf(UNREAD))
    assert remarks(model.load_mujoco(mujoco.MjModel.from_xml_string(UNREAD))) == one
    assert {f'<flag>: {name}="disable" is not read: it stays enabled' for name in OFF} < one
    assert sum("<option>: " in remark for remark in one) == 4
    assert not file.gravity.any()
    assert not model.gravity.any()
    with pytest.raises(tribo.DescriptionError, match="strict=True"):
        tribo.World().load_mujoco(mujoco.MjModel.from_xml_string(UNREAD), strict=True)
