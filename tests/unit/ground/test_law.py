"""The compliant ground: three states, compiled law against the readable one, the whole rate of y."""

import warnings

import numpy as np
import pytest

from tribo import ground, spatial
from tribo.checks.errors import SimulationError
from tribo.ground import ContactState, Ground
from tribo.ground.system import System
from tribo.ground_kernels import law


def random_points(rng, dimension, count=400):
    """Return ground, p, pd, u of points around the surface, in all states."""
    K, D = 10 ** rng.uniform(3, 6, count), 10 ** rng.uniform(1, 3, count)
    mu = rng.choice([0.0, 0.1, 0.7, 2.0], count)
    p, pd = rng.normal(size=(dimension, count)), rng.normal(size=(dimension, count))
    p[-1] *= 1e-3
    pd[-1] *= 0.2
    u = rng.normal(size=(dimension - 1, count)) * 1e-3
    return Ground(K, D, mu), p, pd, u


def compiled(name, g, k, p, pd, u, *first):
    """Call a kernel for point k."""
    pad = np.zeros(1)
    v, w = np.append(pd[:-1, k], pad)[:2], np.append(u[:, k], pad)[:2]
    numbers = (g.K[k], g.D[k], g.mu[k], p[-1, k], pd[-1, k], tuple(v), tuple(w))
    return getattr(law, name)(*first, *numbers)


@pytest.mark.parametrize("dimension", [2, 3])
def test_compiled_law_is_the_readable_one(dimension):
    g, p, pd, u = random_points(np.random.default_rng(dimension), dimension)
    f, ud, _ = g.forces(p, pd, u)
    states = g.states(p, pd, u)
    assert set(states) == {0, 1, 2}
    for k, state in enumerate(states):
        assert compiled("point_state", g, k, p, pd, u) == state
        ft, fn, rate = compiled("response", g, k, p, pd, u, int(state))
        n = dimension - 1
        # The same formulas, factored differently: a few roundings of the largest term.
        assert np.allclose([*ft[:n], fn], f[:, k], rtol=1e-13, atol=1e-13 * np.abs(f[:, k]).max())
        assert np.allclose(rate[:n], ud[:, k], rtol=1e-12, atol=1e-12 * np.abs(ud[:, k]).max())
    for wanted in ContactState:
        margins = g.margins(np.full(len(states), wanted), p, pd, u)
        ours = [compiled("margin", g, k, p, pd, u, int(wanted)) for k in range(len(states))]
        assert np.allclose(ours, margins, rtol=1e-13)
        # A point is in a state exactly where the margin of that state is not negative.
        assert np.array_equal(margins >= 0.0, states == wanted)


@pytest.mark.parametrize("dimension", [2, 3])
def test_friction_cone_and_separation(dimension):
    g, p, pd, u = random_points(np.random.default_rng(10), dimension)
    f, ud, fcone = g.forces(p, pd, u)
    states = g.states(p, pd, u)
    tangential = np.sqrt((f[:-1] ** 2).sum(axis=0))
    assert (f[-1] >= 0.0).all()
    assert not f[:, p[-1] >= 0.0].any()
    assert (tangential <= g.mu * f[-1] * (1.0 + 1e-14)).all()
    slips = states == ContactState.SLIPPING
    assert np.allclose(tangential[slips], (g.mu * f[-1])[slips], rtol=1e-12)
    assert np.array_equal(ud[:, states == 1], pd[:-1, states == 1])
    assert ((fcone <= 1.0) == (states == 1)).all()


@pytest.mark.parametrize("boundary", ["stick and slip", "loss of contact"])
def test_force_and_rate_are_continuous(boundary):
    """Across the boundary of two touching states, and where contact is lost below the surface."""
    K, D, mu = 1e5, 300.0, 0.5
    z, zd, u = -1e-3, 0.05, 2e-4
    if boundary == "stick and slip":
        critical = (mu * (-K * z - D * zd) - K * u) / D
        states = [(z, zd, critical * (1 + e)) for e in (-1e-9, 1e-9)]
    else:
        states = [(z, -K * z / D * (1 + e), 0.3) for e in (-1e-9, 1e-9)]
    got = [spatial.gcontact(K, D, mu, [[0.0], [z]], [[v], [zd]], [[u]]) for z, zd, v in states]
    kinds = [Ground(K, D, mu).states([[0.0], [z]], [[v], [zd]], [[u]])[0] for z, zd, v in states]
    assert kinds[0] != kinds[1]
    # Both are Lipschitz with at most K √d (plus D) per length: 1e-9 relative moves them by less.
    assert np.abs(got[0][0] - got[1][0]).max() < 1e-6
    assert np.abs(got[0][1] - got[1][1]).max() < 1e-6


def disc_system(rng):
    model = spatial.rollingdisc(8)
    system = System(model, Ground(1e5, 400.0, 0.3), floats=True)
    q = rng.normal(size=4)
    x = np.concatenate([q / np.linalg.norm(q), [0.3, -0.2, 0.045], rng.normal(size=6)])
    u = rng.normal(size=(2, 16)) * 1e-4
    return model, system, x, u


def test_rate_of_a_floating_disc_is_the_closed_loop():
    """The compiled rate equals gcPosVel, gcontact, Fpt and gcFD one after another."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        model, system, x, u = disc_system(rng)
        y = system.pack(x, None, None, u)
        system.enter(system.classify(y))
        points = spatial.gcPosVel(model, x)
        f, ud, _ = spatial.gcontact(1e5, 400.0, 0.3, points[:3], points[3:], u)
        xd = spatial.gcFD(model, "FDfb", np.concatenate([x, spatial.Fpt(f, points[:3]).T.ravel()]))
        got = system.rate(0.0, y)
        assert np.abs(got[:13] - xd).max() < 1e-10 * max(1.0, np.abs(xd).max())
        assert np.allclose(got[13:-1], ud.T.ravel(), rtol=1e-11, atol=1e-12)
        assert got[-1] == pytest.approx(-(f * points[3:]).sum(), rel=1e-10, abs=1e-12)
        states, *_ = system.states, None
        positions, velocities, forces = system.observe(y[None], states[None])
        assert np.allclose(positions[0], points[:3], atol=1e-14)
        assert np.allclose(velocities[0], points[3:], atol=1e-13)
        assert np.allclose(forces[0], f, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", ["spatial", "planar", "floating"])
def test_rate_of_a_tree_is_the_readable_dynamics(kind):
    """Trees with all joint types, external contact forces and joint torques."""
    rng = np.random.default_rng(2)
    if kind == "planar":
        model = spatial.planar(4)
        model.jtype = ["px", "py", "r", "r"]
        model.gravity = np.array([0.5, -9.0])
    else:
        model = spatial.autoTree(6, 1.6, 0.7, 0.9)
        model.jtype = ["R", "Px", "Ry", spatial.JointType("H", {"pitch": 0.2}), "Py", "Rx"]
        model.gravity = np.array([1.0, 2.0, -9.0])
    n = model.dimension
    model.gc = spatial.GroundContact([0, 1, model.NB - 1], rng.normal(size=(n, 3)))
    floats = kind == "floating"
    model = spatial.floatbase(model) if floats else model
    joints = model.NB - 6 * floats
    q, qd, tau = rng.normal(size=(3, joints))
    x = np.concatenate([[0.5, 0.5, -0.5, 0.5], rng.normal(size=9)]) if floats else None
    system = System(model, Ground(1e3, 50.0, 0.4), floats=floats, tau=lambda t, c: tau * (1 + t))
    if floats:
        x[6] = -3.0  # below the surface
    u = rng.normal(size=(n - 1, 3)) * 0.1
    y = system.pack(x, q, qd, u)
    system.enter(system.classify(y))
    state = (x, q, qd) if floats else (q, qd)
    points = spatial.gcPosVel(model, *state)
    f, ud, _ = spatial.gcontact(1e3, 50.0, 0.4, points[:n], points[n:], u)
    assert f.any()
    w = np.concatenate([*state, tau, spatial.Fpt(f, points[:n]).T.ravel()])
    expected = spatial.gcFD(model, spatial.FDfb if floats else spatial.FDab, w)
    got = system.rate(0.0, y)
    base = 13 * floats
    accelerations = np.concatenate([got[:base], got[base + joints : base + 2 * joints]])
    assert np.abs(accelerations - expected).max() < 1e-11 * np.abs(expected).max()
    assert np.array_equal(got[base : base + joints], qd)
    assert np.allclose(got[system.first_u : -1], ud.T.ravel(), rtol=1e-11)
    energy = spatial.EnerMofb(model, *state) if floats else spatial.EnerMo(model, q, qd)
    assert system.energies(y[None])[0] == pytest.approx([energy.KE, energy.PE], rel=1e-11)


def test_points_may_differ():
    g = Ground([1e5, 2e5], 300.0, [0.0, 1.0])
    assert g.numbers(2)[1].tolist() == [300.0, 300.0]
    assert g.recovery_time == pytest.approx(3e-3)
    with pytest.raises(ValueError, match="2 numbers for 3"):
        g.numbers(3)
    p, pd = np.array([[0.0, 0.0], [-1e-3, -1e-3]]), np.array([[1.0, 1e-3], [0.0, 0.0]])
    assert g.states(p, pd, np.zeros((1, 2))).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [((0.0, 1.0, 0.5), "K of a ground"), ((1.0, 0.0, 0.5), "D of a ground"), ((1.0, 1.0, -0.1), "mu")],
)
def test_impossible_grounds_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Ground(*values)


def test_bad_calls_leave_a_clear_message():
    model = spatial.rollingdisc(4)
    g = Ground(1e6, 2e3)
    x = np.array([1.0, *np.zeros(12)])
    with pytest.raises(ValueError, match="no contact points"):
        ground.simulate(spatial.autoTree(2), g, 1.0)
    with pytest.raises(ValueError, match="duration"):
        ground.simulate(model, g, -1.0, xfb=x)
    with pytest.raises(KeyError, match="known: RK23"):
        ground.simulate(model, g, 1.0, xfb=x, method="rk45")
    with pytest.raises(ValueError, match="unit quaternion"):
        ground.simulate(model, g, 1.0, xfb=2.0 * x)
    with pytest.raises(ValueError, match="u must be"):
        ground.simulate(model, g, 1.0, xfb=x, u=np.zeros(3))
    arm = spatial.planar(2)
    arm.gc = spatial.GroundContact([1], [[1.0], [0.0]])
    with pytest.raises(ValueError, match="must return shape"):
        ground.simulate(arm, g, 1.0, tau=lambda t, c: np.zeros(3))
    with pytest.raises(ValueError, match="floating base"):
        ground.simulate(arm, g, 1.0, xfb=x)


def test_helpers_fit_together():
    K = ground.stiffness_for(force=20.0, depth=2e-4, points=4)
    assert ground.rest_depth(20.0, K, points=4) == pytest.approx(2e-4, rel=1e-14)
    assert ground.rest_depth(20.0, ground.parallel(K, 4)) == pytest.approx(2e-4, rel=1e-14)
    D = ground.damping_for(K, 0.004)
    assert ground.recovery_time(K, D) == pytest.approx(0.004)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        longest = ground.check_step(1e-6, K, D, mass=2.0)
    with pytest.warns(ground.GroundWarning, match="too long"):
        ground.check_step(2.0 * longest, K, D, mass=2.0)


def test_a_stiff_ground_asks_for_a_stiff_method():
    arm = spatial.planar(1)
    arm.gc = spatial.GroundContact([0], [[1.0], [5.0]])
    with pytest.warns(ground.GroundWarning, match="Radau"), pytest.raises(RuntimeError):
        ground.simulate(arm, Ground(1e12, 1.0), 1.0, tau=raising)


def raising(time, coordinates):
    """Stop a run that only its warning is wanted from."""
    raise RuntimeError


def test_states_that_change_without_end_stop_the_run():
    """A thrust that jumps with the pressure holds a point on the border of contact: no solution."""
    inertia = [spatial.mcI(0.0, [0, 0], 0.0), spatial.mcI(1.0, [0, 0], 0.0)]
    gc = spatial.GroundContact([1], [[0.0], [0.0]])
    model = spatial.Model([-1, 0], ["px", "py"], [np.eye(3)] * 2, inertia, [0.0, -9.81], gc=gc)

    def thrust(time, state):
        pressure = -1e5 * state.q[1] - 300.0 * state.qd[1]
        return np.array([0.0, 50.0 if pressure > 0.0 else -50.0])

    with pytest.raises(SimulationError, match=r"points \[0\] change their states without end"):
        ground.simulate(model, Ground(1e5, 300.0), 1.0, q=[0, -1e-3], qd=[0, 0.3], tau=thrust)


def test_a_step_that_fails_says_where():
    """A mass of zero on a joint has no acceleration."""
    gc = spatial.GroundContact([0], [[0.0], [0.0]])
    model = spatial.Model([-1], ["py"], [np.eye(3)], [np.zeros((3, 3))], [0.0, -9.81], gc=gc)
    with pytest.raises(SimulationError, match="integration stopped at t = 0 s"):
        ground.simulate(model, Ground(1e5, 300.0), 1.0, q=[1.0])


def test_progress_is_shown_on_stderr_and_changes_nothing(capfd):
    model = spatial.rollingdisc(8)
    x = [1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0]
    shown = ground.simulate(model, Ground(1e6, 2e3), 0.2, xfb=x, progress=True)
    assert "simulating" in capfd.readouterr().err
    silent = ground.simulate(model, Ground(1e6, 2e3), 0.2, xfb=x, progress=False)
    assert capfd.readouterr() == ("", "")
    assert np.array_equal(shown.y, silent.y)


@pytest.mark.parametrize("K", ["stiff", [], None, 1j, [[1.0]], -1.0, np.nan])
def test_stiffness_that_is_none_is_refused_by_name(K):
    with pytest.raises(ValueError, match="K of a ground must be > 0"):
        Ground(K=K, D=1.0)


def test_simulate_says_what_it_takes():
    with pytest.raises(TypeError, match=r"simulate takes a tribo.spatial.model.Model.*got None"):
        ground.simulate(None, Ground(1e5, 1e2), 1.0)
    with pytest.raises(TypeError, match=r"simulate takes a tribo.ground.law.Ground"):
        ground.simulate(spatial.rollingdisc(16), None, 1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ground.impact_ratio(1e5, np.nan, 1.0, 1.0),
        lambda: ground.impact_ratio(1e5, 1.0, 1.0, -1.0),
        lambda: ground.impact_depth(1e5, 1.0, np.nan),
        lambda: spatial.autoTree(3, np.nan),
    ],
)
def test_formulas_refuse_what_is_no_number(call):
    with pytest.raises(ValueError, match=r"must be|needs"):
        call()


def test_a_motion_is_read_at_its_very_end_whatever_round_off_says():
    model = spatial.rollingdisc(16)
    motion = ground.simulate(model, Ground(1e6, 2e3), 0.1, xfb=[1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    end = float(np.nextafter(0.1, 1.0))
    assert motion.at([end]).xfb[0, 6] == motion.at([0.1]).xfb[0, 6]
    with pytest.raises(ValueError, match="times must lie within"):
        motion.at([0.1001])
