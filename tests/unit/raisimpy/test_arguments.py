"""Wrong arguments of RaiSim's calls are refused in words, and nothing has changed."""

import numpy as np
import pytest
from fuzz.raisim_calls import make, state_of

from tribo import raisimpy as raisim

NAN = float("nan")
Q, ZEROS, EYE = [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0], np.eye(3)


@pytest.fixture(scope="module")
def things():
    return make()


REFUSED = [
    # by number: of contacts, bodies, frames, materials, objects, instances
    ("ball", "getContactPointVel", (9,), IndexError, "there is no contact of sphere_1 9; there are 1"),
    ("ball", "getContactAabb", (-1,), IndexError, "no contact of sphere_1 -1"),
    ("ball", "getContactAabb", ("x",), TypeError, "a contact of sphere_1 must be an integer"),
    ("robot", "getVelocity", (-1,), IndexError, "no body of articulated_system_4 -1; there are 13"),
    ("robot", "getBodyPose", (0.7,), TypeError, "must be an integer, got 0.7"),
    ("robot", "getFrameByIdx", (None,), TypeError, "must be an integer, got None"),
    ("robot", "getJointType", (99,), IndexError, "no body of articulated_system_4 99"),
    ("robot", "getFrameIdxByName", ("LF_FOT",), KeyError, "unknown frame of .*LF_FOOT"),
    ("robot", "getSensorSet", ("base",), KeyError, "unknown link with sensors of"),
    ("robot", "setCollisionBodyPositionOffset", (999, ZEROS), IndexError, "no collision body of"),
    ("robot", "getVisObPose", (-1,), IndexError, "no visual of"),
    ("set", "getSensor", ("depht",), KeyError, "unknown sensor of base.*depth"),
    ("materials", "setMaterialPairProp", (99, "b", 0.8, 0, 0), IndexError, "no material 99"),
    ("world", "getObject", (99,), IndexError, "there is no object of the world 99"),
    ("world", "getObject", (slice(0, 2),), TypeError, "must be an integer, got slice"),
    ("many", "setPosition", (5, ZEROS), IndexError, "no instance of many 5; there are 1"),
    ("hits", "at", (1,), IndexError, "there is no hit 1; there are 1"),
    ("world", "getWire", (np.zeros((2, 2)),), TypeError, "name must be a string"),
    ("world", "getObjectById", (np.zeros(2),), TypeError, "number must be an integer"),
    ("ground", "getCollisionBody", (np.zeros(0),), KeyError, "collision body"),
    ("server", "removeVisualObject", ("nobody",), KeyError, "unknown visual object 'nobody'"),
    # objects of another kind
    ("world", "removeObject", (None,), TypeError, "item must be of tribo.raisimpy's Object or .*, got None"),
    ("world", "isObjectSleeping", ("ball",), TypeError, "item must be of .*Object, got 'ball'"),
    ("world", "updateMaterialProp", (0.5,), TypeError, "manager must be of .*MaterialManager"),
    ("world", "captureDepthCamera", (ZEROS, Q, "wide"), TypeError, "properties must be a Depth"),
    ("world", "addStiffWire", (None, 0, ZEROS, None, 0, ZEROS, 1.0), TypeError, "an end of a wire must be"),
    ("world", "addCompound", ([1], 1.0), TypeError, "an item of children must be a CompoundObjectChild"),
    ("world", "addArticulatedSystem", ("a.urdf", "", (), 1, -1, 3), TypeError, "options must be a"),
    ("solver", "updateConfig", (None,), TypeError, "config must be a SolverConfiguration"),
    ("robot", "addSpring", (3,), TypeError, "spring must be a SpringElement"),
    ("robot", "convertSparseJacobianToDense", (3, 18), TypeError, "sparse must be a SparseJacobian"),
    ("server", "integrateWorldThreadSafe", (3,), TypeError, "before must be a function, got 3"),
    # numbers and shapes
    ("ball", "getPosition", (0, [0, 0, NAN]), ValueError, "point of sphere_1 must be finite, entry 2"),
    ("ball", "getEnergy", ([0, 0],), ValueError, r"gravity must have shape \(3,\)"),
    ("ball", "setAngularDamping", (1.0, 2.0), ValueError, "must be a number or three, got 2"),
    ("ball", "setAngularDamping", (NAN,), ValueError, "angular_damping of sphere_1 must be finite"),
    ("ball", "setOrientation", (np.zeros((3, 3)),), ValueError, "orientation of sphere_1 must be a rotation"),
    ("ball", "setOrientation", (), ValueError, "orientation of sphere_1"),
    ("ball", "setExternalForce", (0,), TypeError, "setExternalForce takes a body's number and a force"),
    ("ball", "setExternalTorque", (0, ZEROS, ZEROS), TypeError, "setExternalTorque takes a body"),
    ("ball", "setAppearance", (0.5,), TypeError, "appearance of sphere_1 must be a string, got 0.5"),
    ("ball", "setBodyType", ("fast",), ValueError, "must be one of BodyType.STATIC, .*, got 'fast'"),
    ("robot", "setPdGains", (np.ones(12), np.ones(12)), ValueError, r"pgain of .* must have shape \(18,\)"),
    ("robot", "setActuationLimits", (np.ones(12), -np.ones(12)), ValueError, r"upper of .* shape \(18,\)"),
    ("robot", "setJointLimits", ([[0, 1]],), ValueError, "limits must be a list of 12, got 1"),
    ("robot", "massMatrixVecMul", ([1.0],), ValueError, r"values must have shape \(18,\)"),
    ("robot", "getMinvJT", (3.0,), ValueError, r"jacobian must have shape \(rows, 18\)"),
    ("robot", "getDenseJacobian", (0, ZEROS, np.zeros((2, 18))), ValueError, r"must have shape \(3, 18\)"),
    ("robot", "getDenseJacobian", (0, ZEROS, 3.0), TypeError, "out must be a writable array"),
    ("robot", "setCollisionBodyShapeParameters", (0, "big"), TypeError, "size of .* must be"),
    ("world", "rayTest", (ZEROS, [0, 0, -1], 1.0, "x"), TypeError, "objectId must be an integer, got 'x'"),
    ("world", "rayTestLidar", (EYE, ZEROS, 0, 1, 0.0, 1, 3, 0, 1, 0, 9), ValueError, "yawIncrement must be"),
    ("world", "rayTestLidar", (EYE, ZEROS, 0, 1, 1e-9, 1, 3, 0, 1, 0, 9), ValueError, "at most 10000000"),
    ("world", "setMaterialPairProp", ("a", "b", "c"), ValueError, "friction must be a number, got 'c'"),
    ("world", "addHeightMap", (3, 3, 1.0), TypeError, "a height map takes x_samples, .* is not given"),
    ("world", "addHeightMap", (3, 3, 1.0, 1.0, 0, 0, [1.0]), ValueError, "heights must be 9 numbers, got 1"),
    ("hills", "update", (0.0,), TypeError, "missing|update takes"),
    ("hills", "getHeight", ("x", 0.0), TypeError, "x must be a number, got 'x'"),
    ("hills", "setColor", ([],), ValueError, "colors must be a list of colours, got none"),
    ("camera", "setDepthArray", ([1.0],), ValueError, "depth must be 12 numbers, got 1"),
    ("imu", "setOrientation", ("x",), TypeError, "orientation must be numbers, got 'x'"),
    ("jacobian", "toDense", (0,), ValueError, "dof must be ≥"),
    ("visual", "setColor", (1, 0), ValueError, "color must be 3 or 4 numbers"),
    ("visual", "setPosition", (0, 0, NAN), ValueError, "position of shown must be finite"),
    ("visual", "setBoxSize", (1, 0, 1), ValueError, "size of shown must be > 0, entry 1 is 0.0"),
    ("server", "addVisualSphere", ("s", -1.0), ValueError, "size of s must be > 0, entry 0 is -1.0"),
    ("server", "addVisualSphere", (3, 1.0), TypeError, "name of a visual must be a string, got 3"),
    ("server", "addVisualMesh", ("m", [[0, 0, 0]], [0, 1, 2]), ValueError, "must name vertices 0 … 0"),
    ("server", "stepSimulation", (-1,), ValueError, "n must be ≥ 0, got -1"),
    ("chart", "addDataPoints", (0.0, [1.0, 2.0]), ValueError, r"values of chart must have shape \(1,\)"),
    ("many", "resize", (10**12,), ValueError, "size must be ≤ 10000000"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("thing", "name", "given", "error", "said"), REFUSED,
    ids=[f"{k}-{thing}.{name}" for k, (thing, name, *_) in enumerate(REFUSED)],
)  # fmt: skip
def test_a_wrong_argument_is_refused_in_words(things, thing, name, given, error, said):
    item = things[thing]
    before = state_of(things, item)
    with pytest.raises(error, match=said):
        getattr(item, name)(*given)
    assert state_of(things, item) == before


# Calls that set two values: the first alone was set where the second was refused.
PAIRS = [
    ("ball", "setVelocity", ([1, 2, 3], [0, 0, NAN])),
    ("ball", "setPose", ("x", [0.0, 1.0, 0.0, 0.0])),
    ("robot", "setPdTarget", (np.ones(19), "x")),
    ("robot", "setPdGains", (np.ones(18), -np.ones(18))),
    ("robot", "setMasses", ([2.0] * 12 + [-1.0],)),
    ("robot", "setJointPos_P", ([ZEROS] * 12 + [[NAN] * 3],)),
    ("robot", "setJointLimits", ([[-1, 1]] * 11 + [[NAN, 1]],)),
    ("world", "setERP", (0.1, "x")),
    ("world", "setContactSolverParam", (1, 1, 1, 10, -1.0)),
    ("world", "setSleepingParameters", (0.1, 0.1, "x")),
    ("world", "setSleepingVelocityThresholds", (0.1, "x")),
    ("solver", "updateConfig", (raisim.SolverConfiguration(maxIteration=7, erp=-1.0),)),
    ("hills", "update", (NAN, 0.0, raisim.TerrainProperties(xSamples=5, ySamples=5))),
    ("camera", "set_depth_array", ("x",)),
    ("wire", "setStretchType", ("x",)),
]


@pytest.mark.parametrize(("thing", "name", "given"), PAIRS, ids=[f"{a}.{b}" for a, b, _ in PAIRS])
def test_a_call_with_two_values_sets_both_or_none(things, thing, name, given):
    item = things[thing]
    before = state_of(things, item)
    with pytest.raises((TypeError, ValueError)):
        getattr(item, name)(*given)
    assert state_of(things, item) == before


def test_what_was_removed_says_so(things):
    with pytest.raises(ValueError, match="sphere_3 is no object of its world any more"):
        things["gone"].getIndexInWorld()
    with pytest.raises(RuntimeError, match="sphere_3"):
        things["gone"].setPosition(0, 0, 0)
    assert not things["world"].isObjectAlive(things["gone"])


def test_environments_say_what_is_wrong_with_them():
    with pytest.raises(TypeError, match="impl must be derived from RaisimGymEnv, got None"):
        raisim.RaisimGymVecEnv(None)
    with pytest.raises(TypeError, match="cfg must be a mapping, a YAML text or"):
        raisim.gym.configuration(None)
    with pytest.raises(TypeError, match="environment must be a mapping"):
        raisim.gym.configuration("environment: 3\n")
    with pytest.raises(ValueError, match="cfg is no YAML"):
        raisim.gym.configuration("environment: [\n")


def test_a_folder_that_is_an_array_is_refused_in_words():
    folder = np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0])
    with pytest.raises(TypeError, match="must be a folder"):
        raisim.World().addArticulatedSystem(res_path=folder)
