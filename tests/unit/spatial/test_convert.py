"""Models to tribo and back, to files and back; files that are wrong are refused."""

import io
import json
import struct
import warnings
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from scenes import empty_world, random_state, random_tree

from tribo import spatial
from tribo.model import Joint
from tribo.spatial import files

GRAVITY = (0.7, -1.1, -9.81)


def robot_in_a_world(seed, bodies, floating):
    """Return a random robot without what Spatial_v2 lacks, in a random state."""
    rng = np.random.default_rng(seed)
    description = random_tree(rng, bodies, floating=floating)
    for body in description.bodies:
        joint = body.joint
        if joint.type == Joint.SPHERICAL:
            joint.type = Joint.REVOLUTE
        joint.damping = joint.armature = joint.friction = 0.0
        joint.lower, joint.upper = -np.inf, np.inf
    world = empty_world(1e-3, GRAVITY)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(description)
    random_state(rng, robot)
    return world, robot


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("bodies", [2, 4, 9])
def test_the_engine_and_the_toolbox_agree(bodies, floating):
    """M, h and energies of a robot in a world are those of its model structure."""
    world, robot = robot_in_a_world(bodies, bodies, floating)
    model = spatial.from_tribo(robot)
    assert model.gravity.tolist() == list(GRAVITY)
    world.update()
    h = world.engine.work.bias_force
    M = robot.mass_matrix
    rng = np.random.default_rng(1)
    tau = rng.normal(size=robot.dof)
    vdot = np.linalg.solve(M, tau - h)
    if not floating:
        q, qd = spatial.state_from_tribo(robot)
        H, C = spatial.HandC(model, q, qd)
        assert np.abs(H - M).max() < 1e-11 * np.abs(M).max()
        assert np.abs(C - h).max() < 1e-11 * max(np.abs(h).max(), np.abs(M).max())
        energy = spatial.EnerMo(model, q, qd)
    else:
        xfb, q, qd = spatial.state_from_tribo(robot)
        # Force and moment on the base act at its origin, given in world axes.
        wrench = spatial.Fpt(tau[:3, None], xfb[4:7, None])[:, 0] + [*tau[3:6], 0, 0, 0]
        f_ext = [None] * 5 + [wrench] + [None] * (model.NB - 6)
        xd, qdd = spatial.FDfb(model, xfb, q, qd, tau[6:], f_ext)
        w, r = xfb[7:10], xfb[4:7]
        # d/dt of v = vO + w × r
        linear = xd[10:] + np.cross(xd[7:10], r) + np.cross(w, xd[4:7])
        assert np.allclose(np.concatenate([linear, xd[7:10], qdd]), vdot, rtol=1e-8, atol=1e-8)
        energy = spatial.EnerMofb(model, xfb, q, qd)
        back = spatial.state_to_tribo(xfb, q, qd)
        assert np.allclose(back[0], robot.generalized_coordinate, atol=1e-15)
        assert np.allclose(back[1], robot.generalized_velocity, atol=1e-14)
    assert pytest.approx(world.kinetic_energy, rel=1e-11) == energy.KE
    root = robot.description.bodies[0]
    standing = 0.0  # the weight of a fixed root is no part of the model
    if not floating:
        standing = -root.mass * np.dot(GRAVITY, robot.position + robot.rotation_matrix @ root.com)
    assert energy.PE + standing == pytest.approx(world.potential_energy, rel=1e-10)


def sample(name):
    """Return models of all kinds."""
    made = {
        "tree": spatial.autoTree(5, 2, 0.3, 0.9), "planar": spatial.planar(3), "disc": spatial.rollingdisc(8),
        "scissor": spatial.crossed_rods(), "single": spatial.planar(1), "vee": spatial.hinged_rods(0.5),
    }[name]  # fmt: skip
    if name == "planar":
        made.gc = spatial.GroundContact([2, 0], [[1.0, 0.5], [0.0, 0.1]])
        made.gravity = np.array([0.0, -9.81])
    return made


MODELS = ["tree", "planar", "disc", "scissor", "single", "vee"]


@pytest.mark.parametrize("name", MODELS)
def test_there_and_back(name):
    """A model that went through tribo has the same dynamics; planar ones became spatial."""
    model = sample(name)
    again = spatial.from_tribo(spatial.to_tribo(model), [0.0, 0.0, -9.81])
    rng = np.random.default_rng(0)
    if model.is_planar:
        q, qd, tau = rng.normal(size=(3, model.NB))
        model.gravity = np.array([0.0, -9.81])
        expected = spatial.FDab(model, q, qd, tau)
        assert np.allclose(spatial.FDab(again, q, qd, tau), expected, rtol=1e-11, atol=1e-11)
        return
    if name == "tree":
        q, qd, tau = rng.normal(size=(3, model.NB))
        assert np.allclose(spatial.FDab(again, q, qd, tau), spatial.FDab(model, q, qd, tau), rtol=1e-11)
        return
    model.gravity = None
    n = model.NB - 6
    x = np.concatenate([[0.5, -0.5, 0.5, 0.5], rng.normal(size=9)])
    q, qd, tau = rng.normal(size=(3, n))
    for ours, theirs in zip(
        spatial.FDfb(again, x, q, qd, tau), spatial.FDfb(model, x, q, qd, tau), strict=True
    ):
        assert np.allclose(ours, theirs, rtol=1e-11, atol=1e-11)


def test_what_has_no_place_is_said():
    joint = spatial.JointType("H", {"pitch": 0.1})
    screw = spatial.Model([-1], [joint], [np.eye(6)], [np.eye(6)])
    with pytest.raises(ValueError, match="helical"):
        spatial.to_tribo(screw)
    description = spatial.to_tribo(spatial.autoTree(2))
    description.bodies[1].joint.damping = 1.0
    with pytest.warns(spatial.ConversionWarning, match="damping left out"):
        spatial.from_tribo(description)
    description.bodies[1].joint.damping = 0.0
    description.bodies[2].joint.type = Joint.SPHERICAL
    with pytest.raises(ValueError, match="three revolute"):
        spatial.from_tribo(description)
    assert any("triangles" in note for note in spatial.to_tribo(sample("disc")).notes)


def assert_same(one, other):
    assert (one.parent, one.NB, one.name) == (other.parent, other.NB, other.name)
    assert [spatial.joints.jcode(j) for j in one.jtype] == [spatial.joints.jcode(j) for j in other.jtype]
    for name in ("Xtree", "I", "gravity"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(a, b)
    for a, b in ((one.gc, other.gc),):
        assert (a is None) == (b is None)
        assert a is None or (a.body == b.body and np.array_equal(a.point, b.point))
    assert files._checked_looks(one.appearance.base, 9) == other.appearance.base
    assert [files._checked_looks(b, 9) for b in one.appearance.body] == other.appearance.body
    assert (one.camera is None) == (other.camera is None)
    assert one.camera is None or one.camera.body == other.camera.body


@pytest.mark.parametrize("ending", [".json", ".mat"])
@pytest.mark.parametrize("name", MODELS)
def test_files_keep_models(tmp_path, name, ending):
    model = sample(name)
    spatial.save(model, tmp_path / f"model{ending}")
    assert_same(model, spatial.load(tmp_path / f"model{ending}"))


def test_matlab_counts_from_one(tmp_path):
    model = sample("disc")
    spatial.save(model, tmp_path / "disc.mat")
    inside = scipy.io.loadmat(tmp_path / "disc.mat", simplify_cells=True)["model"]
    assert inside["parent"].tolist() == [0, 1, 2, 3, 4, 5]
    assert inside["gc"]["body"].tolist() == [6] * 16
    assert inside["jtype"][0] == "Px"
    looks = inside["appearance"]["body"][5]
    assert int(np.min(looks[5])) == 1  # triangles number their vertices from 1


def test_helical_joints_keep_their_pitch(tmp_path):
    joint = spatial.JointType("H", {"pitch": 0.1})
    model = spatial.Model([-1], [joint], [np.eye(6)], [np.eye(6)], appearance=spatial.Appearance())
    for ending in (".json", ".mat"):
        spatial.save(model, tmp_path / f"screw{ending}")
        assert spatial.joints.jcode(spatial.load(tmp_path / f"screw{ending}").jtype[0]) == ("H", 0.1)


def test_compressed_files_are_read(tmp_path):
    model = sample("tree")
    with (tmp_path / "tree.mat").open("wb") as stream:
        scipy.io.savemat(stream, {"m": files._matlab(model)}, do_compression=True, oned_as="row")
    assert_same(model, spatial.load(tmp_path / "tree.mat"))


def refused(path, message):
    with pytest.raises(ValueError, match=message):
        spatial.load(path)


def test_a_function_is_not_saved(tmp_path):
    with pytest.warns(UserWarning, match="gamma_q"):
        spatial.save(spatial.doubleElbow(), tmp_path / "elbow.json")
    assert spatial.load(tmp_path / "elbow.json").gamma_q is None


def test_wrong_json_is_refused(tmp_path):
    path = tmp_path / "model.json"
    good = files._plain(sample("tree"))
    for change, message in (
        ({"format": "x"}, "format"),
        ({"version": 2}, "version"),
        ({"parent": [0, 0, 0, 0, 0]}, r"parent\[0\]"),
        ({"Xtree": [[[1.0]]] * 5}, "6×6"),
        ({"I": [[[float("nan")] * 6] * 6] * 5}, "finite"),
        ({"jtype": ["R", "R", "R", "R", "import os"]}, "joint code"),
        ({"appearance": {"base": [["exec", 1]]}}, "unknown drawing"),
        ({"gc": {"body": [7], "point": [[0], [0], [0]]}}, r"gc\.body"),
        ({"parent": [-1] * 20_000}, "bodies"),
    ):
        path.write_text(json.dumps({**good, **change}))
        refused(path, message)
    path.write_text("[" * 200_000)
    refused(path, "not a model")
    path.write_bytes(b"\xff\xfe")
    refused(path, "not a model")
    (tmp_path / "model.pickle").write_bytes(b"")
    with pytest.raises(ValueError, match=r"\.json or \.mat"):
        spatial.load(tmp_path / "model.pickle")
    with path.open("wb") as stream:
        stream.truncate(files.LARGEST + 1)
    refused(path, "at most")


def mat(variables, **options):
    """Return the bytes of a .mat file."""
    stream = io.BytesIO()
    scipy.io.savemat(stream, variables, **options)
    return stream.getvalue()


def test_wrong_mat_is_refused(tmp_path):
    path = tmp_path / "model.mat"
    good = mat({"model": files._matlab(sample("tree"))}, oned_as="row")
    bomb = zlib.compress(bytes(files.LARGEST + 1000))
    claim = bytearray(mat({"model": {"parent": np.zeros((1, 3))}}))
    sparse = mat({"model": scipy.sparse.csc_matrix(np.eye(3))})
    claims = bytearray(mat({"x": np.array([["a", np.eye(2)]], object)}))
    at = claims.index(struct.pack("<ii", 1, 2))
    claims[at : at + 8] = struct.pack("<ii", 30_000, 30_000)
    for content, message in (
        (b"hello", "version 5"),
        (b"\0" * 128, "version 5"),
        (good[:300], "claims more bytes"),
        (good[:128] + struct.pack("<II", 15, len(bomb)) + bomb, "unpacks"),
        (good[:128] + struct.pack("<II", 15, 5) + b"hello", "compression"),
        (sparse, "sparse"),
        (bytes(claims), "ends within"),
        (bytes(claim), "not a model"),
        (mat({"x": np.eye(3)}), "one structure"),
        (good[:126] + b"XX" + good[128:], "version 5"),
    ):
        path.write_bytes(content)
        refused(path, message)


@pytest.mark.parametrize("seed", range(200))
def test_damaged_mat_never_does_worse_than_an_error(tmp_path, seed):
    rng = np.random.default_rng(seed)
    content = bytearray(mat({"model": files._matlab(sample("disc"))}, oned_as="row"))
    for _ in range(int(rng.integers(1, 6))):
        content[int(rng.integers(len(content)))] = int(rng.integers(256))
    path = tmp_path / "model.mat"
    path.write_bytes(bytes(content))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            spatial.load(path)
        except ValueError as error:
            complaint = str(error)
        else:
            complaint = "model.mat"  # the damage did no harm
    assert "model.mat" in complaint
