"""tribo.spatial by identities: algorithms against one another, planar against spatial, on random trees."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tribo import spatial
from tribo.spatial import samples

SPATIAL_JOINTS = ("R", "Rx", "Ry", "Rz", "P", "Px", "Py", "Pz", spatial.JointType("H", {"pitch": 0.1}))
SIZES = (1, 2, 5, 12, 30, 60)


def random_inertia(rng):
    mass = rng.uniform(0.5, 2.0)
    arm = rng.normal(size=(3, 3)) * 0.3
    return spatial.mcI(mass, rng.normal(size=3) * 0.3, arm @ arm.T + 0.02 * np.eye(3))


def random_tree(rng, count, gravity=True):
    """Return a spatial tree whose parents, joints, frames and inertias are random."""
    parent = [-1] + [int(rng.integers(max(0, i - 4), i)) for i in range(1, count)]
    jtype = [SPATIAL_JOINTS[int(rng.integers(len(SPATIAL_JOINTS)))] for _ in range(count)]
    Xtree = [spatial.plux(spatial.rv(rng.normal(size=3)), rng.normal(size=3) * 0.4) for _ in range(count)]
    inertias = [random_inertia(rng) for _ in range(count)]
    return spatial.Model(parent, jtype, Xtree, inertias, rng.normal(size=3) * 5.0 if gravity else None)


def random_planar(rng, count):
    parent = [-1] + [int(rng.integers(0, i)) for i in range(1, count)]
    jtype = [("r", "px", "py")[int(rng.integers(3))] for _ in range(count)]
    Xtree = [spatial.plnr(rng.normal(), rng.normal(size=2)) for _ in range(count)]
    inertias = [
        spatial.mcI(rng.uniform(0.5, 2), rng.normal(size=2), rng.uniform(0.1, 1)) for _ in range(count)
    ]
    return spatial.Model(parent, jtype, Xtree, inertias, rng.normal(size=2) * 5.0)


def random_state(rng, model, joints=None):
    n = model.NB if joints is None else joints
    size = 3 if model.is_planar else 6
    f_ext = [rng.normal(size=size) if rng.random() < 0.5 else None for _ in range(model.NB)]
    return rng.normal(size=n), rng.normal(size=n), rng.normal(size=n) * 5.0, f_ext


def random_base(rng):
    q = rng.normal(size=4)
    return np.concatenate([q / np.linalg.norm(q), rng.normal(size=9)])


@pytest.mark.parametrize("count", SIZES)
def test_inverse_dynamics_undoes_forward_dynamics(count):
    rng = np.random.default_rng(count)
    model = random_tree(rng, count)
    q, qd, tau, f_ext = random_state(rng, model)
    H, C = spatial.HandC(model, q, qd, f_ext)
    by_bodies = spatial.FDab(model, q, qd, tau, f_ext)
    by_matrix = spatial.FDcrb(model, q, qd, tau, f_ext)
    back = spatial.ID(model, q, qd, by_bodies, f_ext)
    # The residual of either algorithm, against the largest term of the equation of motion.
    scale = max(np.abs(C).max(), np.abs(tau).max(), np.abs(np.abs(H) @ np.abs(by_bodies)).max())
    assert np.abs(back - tau).max() < 1e-11 * scale
    # A solve loses what the condition of H costs, for both algorithms.
    error = 1e-14 * np.linalg.cond(H) * np.abs(by_matrix).max()
    assert np.abs(by_bodies - by_matrix).max() < 10.0 * error


def test_mass_matrix_columns_are_inverse_dynamics():
    rng = np.random.default_rng(5)
    model = random_tree(rng, 20)
    q, qd, _, f_ext = random_state(rng, model)
    H, C = spatial.HandC(model, q, qd, f_ext)
    columns = [spatial.ID(model, q, qd, e, f_ext) - C for e in np.eye(20)]
    assert np.abs(H - np.array(columns).T).max() < 1e-12 * max(np.abs(H).max(), np.abs(C).max())


@pytest.mark.parametrize("count", [3, 15])
def test_planar_is_spatial_restricted(count):
    """A planar tree is a spatial one in the plane z = 0; it feels the same forces."""
    rng = np.random.default_rng(count)
    flat = random_planar(rng, count)
    names = {"r": "Rz", "px": "Px", "py": "Py"}
    Xtree, inertias = [], []
    for X, I in zip(flat.Xtree, flat.I, strict=True):
        angle, r = spatial.plnr(X)
        Xtree.append(spatial.plux(spatial.rz(angle), [*r, 0.0]))
        m, c, J = spatial.mcI(I)
        inertias.append(spatial.mcI(m, [*c, 0.0], np.diag([0.7 * J, 0.6 * J, J])))
    solid = spatial.Model(flat.parent, [names[j] for j in flat.jtype], Xtree, inertias, [*flat.gravity, 0.0])
    q, qd, tau, f_flat = random_state(rng, flat)
    f_solid = [None if f is None else [0.0, 0.0, f[0], f[1], f[2], 0.0] for f in f_flat]
    for name, rates in (("ID", tau), ("FDab", tau)):
        ours = getattr(spatial, name)(flat, q, qd, rates, f_flat)
        theirs = getattr(spatial, name)(solid, q, qd, rates, f_solid)
        assert np.abs(ours - theirs).max() < 1e-11 * np.abs(theirs).max()
    one, other = spatial.EnerMo(flat, q, qd), spatial.EnerMo(solid, q, qd)
    assert pytest.approx(other.KE, rel=1e-12) == one.KE
    assert pytest.approx(other.PE, rel=1e-12) == one.PE
    assert np.allclose(one.htot, other.htot[[2, 3, 4]], rtol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 9, 55])
def test_floating_base_in_both_forms(count):
    """Quaternion form and six joints give the same accelerations."""
    rng = np.random.default_rng(count)
    model = spatial.floatbase(random_tree(rng, count))
    q6, qd6 = rng.uniform(-1.0, 1.0, 6), rng.normal(size=6)
    n = count - 1
    q, qd, tau, f_ext = random_state(rng, model, n)
    for i in range(5):
        f_ext[i] = None
    xfb = spatial.fbkin(q6, qd6)[0]
    qdd = spatial.FDab(model, [*q6, *q], [*qd6, *qd], [*np.zeros(6), *tau], f_ext)
    xdfb, joint = spatial.FDfb(model, xfb, q, qd, tau, f_ext)
    expected = spatial.fbkin(q6, qd6, qdd[:6])[1]
    size = max(np.abs(qdd).max(), np.abs(xdfb).max())
    assert np.abs(xdfb - expected).max() < 1e-10 * size
    assert np.abs(joint - qdd[6:]).max(initial=0.0) < 1e-10 * size
    again, back = spatial.IDfb(model, xfb, q, qd, joint, f_ext)
    assert np.abs(again - xdfb).max() < 1e-10 * size
    assert np.abs(back - tau).max(initial=0.0) < 1e-10 * size
    joints = spatial.EnerMo(model, [*q6, *q], [*qd6, *qd])
    quaternion = spatial.EnerMofb(model, xfb, q, qd)
    assert pytest.approx(joints.KE, rel=1e-12) == quaternion.KE
    assert np.allclose(quaternion.htot, joints.htot, rtol=1e-11, atol=1e-12)


def test_power_is_the_rate_of_energy():
    """d(KE + PE)/dt = tau·qd, by central differences along the true acceleration."""
    rng = np.random.default_rng(3)
    model = random_tree(rng, 8)
    q, qd, tau, _ = random_state(rng, model)
    qdd = spatial.FDab(model, q, qd, tau)
    h = 1e-5
    energy = [
        sum((e.KE, e.PE))
        for s in (h, -h)
        for e in [spatial.EnerMo(model, q + s * qd + 0.5 * s * s * qdd, qd + s * qdd)]
    ]
    # Error of the difference: third derivative h² and round-off 1e-16 E/h.
    assert (energy[0] - energy[1]) / (2.0 * h) == pytest.approx(tau @ qd, abs=1e-5 * abs(energy[0]))


def test_hybrid_dynamics_between_both():
    rng = np.random.default_rng(4)
    model = random_tree(rng, 10)
    q, qd, tau, f_ext = random_state(rng, model)
    qdd = spatial.FDab(model, q, qd, tau, f_ext)
    fd = rng.random(10) < 0.5
    got = spatial.HD(model, fd, q, qd, np.where(fd, 0.0, qdd), np.where(fd, tau, 0.0), f_ext)
    assert np.allclose(got[0], qdd, rtol=1e-8, atol=1e-9 * np.abs(qdd).max())
    assert np.allclose(got[1], tau, rtol=1e-8, atol=1e-9 * np.abs(tau).max())


def test_momentum_is_conserved_in_free_space():
    """A floating tree without gravity keeps its momentum: its rate is the total of external forces."""
    rng = np.random.default_rng(6)
    model = spatial.floatbase(random_tree(rng, 6))
    model.gravity = np.zeros(3)
    xfb, (q, qd, tau, _) = random_base(rng), random_state(rng, model, 5)
    xd, qdd = spatial.FDfb(model, xfb, q, qd, tau)
    h = 1e-6
    ends = [spatial.EnerMofb(model, xfb + s * xd, q + s * qd, qd + s * qdd).htot for s in (h, -h)]
    # Second-order difference: error h² times a third derivative, and round-off 1e-16/h.
    assert np.abs(ends[0] - ends[1]).max() / (2 * h) < 1e-7 * np.abs(ends[0]).max()


def test_constraint_forces_do_no_work():
    """On the constraint, FDgq is the dynamics of the elbow with two coordinates."""
    model = spatial.doubleElbow()
    q, qd = np.array([0.3, 0.7, 0.7]), np.array([0.5, -0.4, -0.4])
    tau = np.array([1.0, 2.0, -1.0])
    qdd = spatial.FDgq(model, q, qd, tau)
    H, C = spatial.HandC(model, q, qd)
    G = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert np.abs(G.T @ (H @ qdd + C - tau)).max() < 1e-12
    assert qdd[1] == pytest.approx(qdd[2], abs=1e-12)


def test_sparse_factors_rebuild_the_matrix():
    rng = np.random.default_rng(7)
    model = random_tree(rng, 25)
    lam = model.parent
    q, qd, *_ = random_state(rng, model)
    H, _ = spatial.HandC(model, q, qd)
    x = rng.normal(size=25)
    L = spatial.LTL(H, lam)
    U, D = spatial.LTDL(H, lam)
    size = np.abs(H).max()
    assert np.abs(L.T @ L - H).max() < 1e-13 * size
    assert np.abs(U.T @ D @ U - H).max() < 1e-13 * size
    assert not L[H == 0.0].any()
    assert np.allclose(spatial.mpyH(H, lam, x), H @ x, rtol=1e-12)
    assert np.allclose(spatial.mpyLi(L, lam, spatial.mpyL(L, lam, x)), x, rtol=1e-12)
    assert np.allclose(spatial.mpyLit(L, lam, spatial.mpyLt(L, lam, x)), x, rtol=1e-12)


def test_contact_points_move_as_their_velocities_say():
    rng = np.random.default_rng(8)
    model = random_tree(rng, 5)
    model.gc = spatial.GroundContact([4, 0, 2, 4], rng.normal(size=(3, 4)))
    floating = spatial.floatbase(model)
    q, qd, *_ = random_state(rng, model)
    x = random_base(rng)
    xd = spatial.FDfb(floating, x, q[1:], qd[1:], np.zeros(4))[0]
    h = 1e-6
    for call in (
        lambda s: spatial.gcPosVel(model, q + s * qd, qd),
        lambda s: spatial.gcPosVel(floating, x + s * xd, q[1:] + s * qd[1:], qd[1:]),
    ):
        rate = (call(h)[:3] - call(-h)[:3]) / (2 * h)
        assert np.abs(rate - call(0.0)[3:]).max() < 1e-8


def test_points_velocities_and_forces_share_power():
    """Force on velocity is the same power at the points and as spatial vectors."""
    rng = np.random.default_rng(9)
    for size, n in ((6, 3), (3, 2)):
        v, p, f = rng.normal(size=size), rng.normal(size=(n, 7)), rng.normal(size=(n, 7))
        assert (v @ spatial.Fpt(f, p)).sum() == pytest.approx((spatial.Vpt(v, p) * f).sum(), rel=1e-12)


def test_closing_the_loop_adds_forces_of_one_body():
    model = spatial.rollingdisc(4)
    x = np.array([1, 0, 0, 0, 0, 0, 0.05, 0, 0, 0, 0.1, 0, 0])
    points = spatial.gcPosVel(model, x)
    f = spatial.gcontact(1e6, 2000.0, 0.1, points[:3] - [[0], [0], [1e-4]], points[3:])[0]
    assert (f[2] > 0.0).sum() == 2
    wrench = spatial.Fpt(f, points[:3])
    got = spatial.gcFD(model, "FDfb", np.concatenate([x, wrench.T.ravel()]))
    forces = [None] * 5 + [wrench.sum(axis=1)]
    assert np.allclose(got, spatial.FDfb(model, x, f_ext=forces)[0], rtol=1e-14)
    assert np.allclose(spatial.gcFD(model, spatial.FDfb, x), spatial.FDfb(model, x)[0])


def test_bad_structures_are_refused():
    good = samples.autoTree(2)
    with pytest.raises(ValueError, match=r"parent\[1\] must be"):
        spatial.Model([-1, 1], good.jtype, good.Xtree, good.I)
    with pytest.raises(ValueError, match="do not mix"):
        spatial.Model([-1, 0], ["R", "r"], good.Xtree, good.I)
    with pytest.raises(KeyError, match="did you mean"):
        spatial.Model([-1, 0], ["R", "rz"], good.Xtree, good.I)
    with pytest.raises(ValueError, match="symmetric"):
        spatial.Model([-1], ["R"], [np.eye(6)], [np.triu(np.ones((6, 6)))])
    with pytest.raises(ValueError, match="3×3 finite"):
        spatial.Model([-1], ["r"], [np.eye(6)], [np.eye(3)])
    with pytest.raises(ValueError, match=r"gc\.body\[0\]"):
        spatial.Model([-1], ["r"], [np.eye(3)], [np.eye(3)], gc=spatial.GroundContact([1], np.zeros((2, 1))))
    with pytest.raises(ValueError, match="q must have shape"):
        spatial.ID(good, [0.0], [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="pitch"):
        spatial.jcalc("H", 0.1)
    with pytest.raises(ValueError, match="floating base"):
        spatial.FDfb(good, np.zeros(13))
    with pytest.raises(ValueError, match="entry for each of 2 bodies"):
        spatial.FDab(good, [0, 0], [0, 0], [0, 0], [None])


def test_import_of_tribo_does_not_import_it():
    late = "{'tribo.spatial', 'tribo.ground', 'scipy.integrate'}"
    code = f"import sys, tribo; assert not {late} & set(sys.modules)"
    paths = os.pathsep.join(filter(None, sys.path))
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": paths})


@pytest.mark.parametrize(
    ("lam", "words"),
    [([-1, 2, 1], "lam.1. = 2 is no parent"), ([0, 0, 1], "lam.0. = 0 is no parent"),
     ([-1, 0.5, 1], "whole numbers"), ([-1, 0], "3 whole numbers"), ([-2, 0, 1], "no parent")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["LTL", "LTDL", "mpyH", "mpyL", "mpyLt", "mpyLi", "mpyLit"])
def test_parents_that_are_no_tree_are_refused(name, lam, words):
    """A loop among the parents never came back."""
    extra = () if name in ("LTL", "LTDL") else (np.ones(3),)
    with pytest.raises(ValueError, match=words):
        getattr(spatial, name)(np.eye(3), lam, *extra)


@pytest.mark.parametrize("name", ["mpyH", "mpyL", "mpyLt", "mpyLi", "mpyLit"])
@pytest.mark.parametrize("x", [np.ones(2), np.ones((3, 1)), [1, 2, np.nan]])
def test_vectors_of_another_shape_are_refused(name, x):
    with pytest.raises(ValueError, match="x must be 3 finite numbers"):
        getattr(spatial, name)(np.eye(3), [-1, 0, 0], x)


def test_matrices_that_have_no_factor_are_refused():
    for factor in (spatial.LTL, spatial.LTDL):
        with pytest.raises(ValueError, match="not positive definite: the pivot of row 0"):
            factor([[1.0, 2.0], [2.0, 1.0]], [-1, 0])
        with pytest.raises(ValueError, match="square matrix"):
            factor([[1.0, np.nan], [2.0, 1.0]], [-1, 0])
    with pytest.raises(ValueError, match="is no parent"):
        spatial.expandLambda([-1, 3], [1, 1])
