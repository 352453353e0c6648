"""tribo.spatial against numbers of the original (tests/data/spatial_v2/README.md)."""

import csv
import json
import pathlib

import numpy as np
import pytest

from tribo import spatial

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "spatial_v2"
PRIMITIVES = json.loads((DATA / "primitives.json").read_text())
PLANAR = json.loads((DATA / "dynamics_planar.json").read_text())["models"]
SINGLE = 1e-10  # relative: the same formulas, other orders of summation


def load(name):
    """Return a table as {column: array}."""
    with (DATA / name).open() as stream:
        rows = list(csv.DictReader(stream))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def assert_close(ours, theirs, tolerance=SINGLE):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    np.testing.assert_allclose(
        ours.reshape(theirs.shape), theirs, rtol=0.0, atol=tolerance * max(1.0, np.abs(theirs).max())
    )


def parents(values):
    """Return parents counted from 0, −1 for the base."""
    return [int(v) - 1 for v in values]


def index_free(name, args):
    """Return the arguments as Python takes them: bodies count from 0."""
    if name == "expandLambda":
        return [parents(args[0]), [int(n) for n in args[1]]]
    if name in ("LTL", "LTDL") or name.startswith("mpy"):
        return [np.array(args[0]), parents(args[1]), *map(np.array, args[2:])]
    if name == "autoTree":
        return [int(args[0]), *args[1:]]
    return [np.array(a) if isinstance(a, list) else a for a in args]


def special(name, args):
    """Call what is not called by its own name."""
    if name == "jcalc_H":
        return spatial.jcalc(spatial.JointType("H", {"pitch": args[0]}), args[1])
    if name == "fbkin_fwd":
        return spatial.fbkin(*args)
    if name == "fbkin_inv":
        return spatial.fbkin(*args)
    if name == "FDgq_doubleElbow":
        return spatial.FDgq(spatial.doubleElbow(), *args)
    q, qd, tau, f1, f3 = args
    return spatial.FDgq(spatial.doubleElbow(), q, qd, tau, [f1, None, f3])


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_primitives(name):
    # Near half a turn the rotation vector and the quaternion lose half their digits.
    tolerance = 1e-7 if name in ("rv", "rq") else SINGLE
    for case in PRIMITIVES[name]:
        args = index_free(name, case["args"])
        call = getattr(spatial, name, None)
        out = call(*args) if call else special(name, args)
        if name == "expandLambda":
            assert out == parents(case["out"][0])
            continue
        if name == "autoTree":
            assert out.parent == parents(case["out"][0])
            out = (np.array(out.Xtree), np.array(out.I))
            case["out"] = case["out"][1:]
        if name in ("rv", "rq") and np.shape(args[0]) == (3, 3):
            axis = np.asarray(out)
            half_turn = abs(np.trace(args[0]) + 1.0) < 1e-6  # the sign is arbitrary there
            out = -axis if half_turn and axis @ case["out"][0] < 0.0 else axis
        out = out if isinstance(out, tuple) else (out,)
        assert len(out) == len(case["out"])
        for ours, theirs in zip(out, case["out"], strict=True):
            assert_close(ours, theirs, tolerance)


def test_floating_base_animation():
    table = load("fbanim.csv")
    x = np.stack([table[k] for k in ("qw", "qx", "qy", "qz", "rx", "ry", "rz")])
    assert_close(spatial.fbanim(x), np.stack([table[f"Q{k}"] for k in range(1, 7)]), 1e-9)


def planar_model(data):
    return spatial.Model(
        parents(data["parent"]), data["jtype"], data["Xtree"], data["I"], gravity=data["gravity"]
    )


@pytest.mark.parametrize("case", PLANAR, ids=lambda case: case["name"])
def test_planar_dynamics(case):
    model = planar_model(case["model"])
    for state in case["states"]:
        q, qd, tau, qdd = (np.array(state[k]) for k in ("q", "qd", "tau", "qdd"))
        f_ext, out = state["f_ext"], state["out"]
        assert_close(spatial.FDab(model, q, qd, tau, f_ext), out["FDab"])
        assert_close(spatial.FDcrb(model, q, qd, tau, f_ext), out["FDcrb"], 1e-9)
        assert_close(spatial.FDab(model, q, qd, tau), out["FDab_noext"])
        H, C = spatial.HandC(model, q, qd, f_ext)
        assert_close(H, out["H"])
        assert_close(C, out["C"])
        assert_close(spatial.HandC(model, q, qd)[1], out["C_noext"])
        assert_close(spatial.ID(model, q, qd, qdd, f_ext), out["ID"])
        assert_close(spatial.ID(model, q, qd, qdd), out["ID_noext"])
        hybrid = spatial.HD(model, state["fd"], q, qd, qdd, tau, f_ext)
        assert_close(hybrid[0], out["HD_qdd"])
        assert_close(hybrid[1], out["HD_tau"])
        energy = spatial.EnerMo(model, q, qd)
        for name in ("KE", "PE", "mass", "cm", "vcm", "htot", "Itot"):
            assert_close(getattr(energy, name), out[name])


def test_ground_forces_2d():
    t = load("gcontact_2d.csv")
    p, pd = np.stack([t["px"], t["py"]]), np.stack([t["vx"], t["vy"]])
    f, ud, fcone = spatial.gcontact(t["K"], t["D"], t["mu"], p, pd, t["ux"][None])
    for ours, name in ((f[0], "fx"), (f[1], "fy"), (ud[0], "udx"), (fcone, "fcone")):
        np.testing.assert_allclose(ours, t[name], rtol=1e-12, atol=1e-15)
    status = np.where(f[1] > 0.0, np.where(fcone <= 1.0, 1, 2), 0)
    assert np.array_equal(status, t["status"])


def test_ground_forces_without_friction():
    t = load("gcontact_frictionless.csv")
    for K, D, z, zd, fn in zip(*t.values(), strict=True):
        assert spatial.gcontact(K, D, 0.0, [z], [zd]) == pytest.approx([fn], rel=1e-12)


def test_the_map_names_every_function():
    page = (DATA.parents[2] / "docs/reference/spatial.md").read_text("utf-8")
    missing = [n for n in spatial.__all__ if f"`{n}" not in page and n not in ("Energy", "ConversionWarning")]
    assert missing == []
    assert all(getattr(spatial, name).__doc__ for name in spatial.__all__)
