"""The compliant ground in motion: closed forms, numbers of the original, conservation, events."""

import csv
import itertools
import pathlib

import numpy as np
import pytest

from tribo import ground, spatial
from tribo.ground import ContactState, Ground, simulate

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "spatial_v2"
FINE = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13}


def load(name):
    """Return a table as {column: array}."""
    with (DATA / name).open() as stream:
        rows = list(csv.DictReader(stream))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def point_mass(m=1.0, g=9.81, heavy=0.0):
    """Return a planar point of mass m on joints px, py; `heavy` is mass that only x moves."""
    inertia = [spatial.mcI(heavy, [0.0, 0.0], 0.0), spatial.mcI(m, [0.0, 0.0], 0.0)]
    return spatial.Model(
        [-1, 0], ["px", "py"], [np.eye(3)] * 2, inertia, [0.0, -g],
        gc=spatial.GroundContact([1], np.zeros((2, 1))),
    )  # fmt: skip


def planar_box():
    """Return the box of traj_box_planar.csv."""
    m, w, h = 2.0, 0.4, 0.2
    empty = np.zeros((3, 3))
    corners = np.array([[-w, w, w, -w], [-h, -h, h, h]]) / 2
    return spatial.Model(
        [-1, 0, 1], ["px", "py", "r"], [np.eye(3)] * 3,
        [empty, empty, spatial.mcI(m, [0, 0], m * (w**2 + h**2) / 12)], [0.0, -9.81],
        gc=spatial.GroundContact([2] * 4, corners),
    )  # fmt: skip


def tutorial_disc(twist=0.18):
    half = 0.5 * twist
    return [np.cos(half), 0, 0, np.sin(half), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0]


# -- closed forms of one point (E6, E7, E8) -----------------------------------------------------


@pytest.mark.parametrize("count", [1, 4])
def test_static_depth(count):
    """m g = n K d^1.5, for any number of points."""
    model = point_mass(m=2.0)
    model.gc = spatial.GroundContact([1] * count, np.zeros((2, count)))
    K = 1e4
    motion = simulate(model, Ground(K, 800.0), 4.0, q=[0, 0.002], **FINE)
    expected = (2.0 * 9.81 / (count * K)) ** (2 / 3)
    assert -motion.q[-1, 1] == pytest.approx(expected, rel=1e-6)
    assert ground.rest_depth(2.0 * 9.81, K, count) == pytest.approx(expected, rel=1e-14)
    assert motion.force[-1, 1].sum() == pytest.approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize(("m", "v", "K"), [(0.1, 0.5, 1e4), (3.0, 2.0, 1e6)])
def test_undamped_impact(m, v, K):
    """d = (5 m v²/4K)^(2/5) and t = 2.94328 d/v; a damping of 1e-9 K changes neither in six digits."""
    motion = simulate(
        point_mass(m, g=0.0), Ground(K, 1e-9 * K), 0.2, q=[0, 0.01], qd=[0, -v], method="LSODA",
        rtol=1e-11, atol=1e-14,
    )  # fmt: skip
    down, up = motion.events
    assert (down.kind, up.kind) == ("touch_down", "lift_off")
    depth = (1.25 * m * v**2 / K) ** 0.4
    times = np.linspace(down.time, up.time, 2001)
    assert -motion.at(times).q[:, 1].min() == pytest.approx(depth, rel=1e-6)
    assert ground.impact_depth(K, m, v) == pytest.approx(depth, rel=1e-14)
    assert up.time - down.time == pytest.approx(2.9432751843 * depth / v, rel=1e-6)
    assert ground.contact_time(K, m, v) == pytest.approx(2.9432751843 * depth / v, rel=1e-9)
    assert motion.qd[-1, 1] == pytest.approx(v, rel=1e-6)


RESTITUTION = {
    0.05: 0.944397, 0.1: 0.892859, 0.2: 0.800965, 0.5: 0.595252, 1.0: 0.393931, 2.0: 0.211646,
}  # fmt: skip


@pytest.mark.parametrize("beta", RESTITUTION)
def test_damped_impact(beta):
    m, v, K = 0.7, 1.3, 3e5
    D = beta * v**-0.2 * m**0.4 * K**0.6
    motion = simulate(point_mass(m, g=0.0), Ground(K, D), 0.5, q=[0, 0.01], qd=[0, -v], **FINE)
    assert motion.qd[-1, 1] / v == pytest.approx(RESTITUTION[beta], abs=1e-6)
    assert ground.impact_ratio(K, D, m, v) == pytest.approx(beta, rel=1e-12)


def test_restitution_of_the_original():
    table = load("restitution.csv")
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    for row in rows[::5]:
        motion = simulate(
            point_mass(row["m"], g=0.0), Ground(row["K"], row["D"]), 8.0 * row["t_maxdepth"] + 1e-3,
            q=[0, 1e-9], qd=[0, -row["v_in"]], **FINE,
        )  # fmt: skip
        # The table has ten digits.
        assert motion.qd[-1, 1] == pytest.approx(row["v_out"], rel=1e-7)


def dragged_point(v, mu, K, D):
    """Return a motion at constant speed v and constant depth, and the depth: friction moves nothing."""
    model = point_mass(m=1.0, heavy=1e12)
    depth = (9.81 / K) ** (2 / 3)
    return simulate(model, Ground(K, D, mu), 0.05, q=[0, -depth], qd=[v, 0], **FINE), depth


def test_stick_then_slip():
    """Sticking u = v t; slip at K u + D v = μ K d; then u → μ d with time constant D/K."""
    v, mu, K, D = 0.05, 0.4, 1e5, 200.0
    motion, d = dragged_point(v, mu, K, D)
    assert motion.contact[0, 0] == ContactState.STICKING
    (event,) = motion.events
    begin = (mu * d - D / K * v) / v
    assert event.kind == "slip"
    assert event.time == pytest.approx(begin, abs=1e-10)
    at = motion.at([0.5 * begin, begin + 0.5 * D / K, 0.05])
    assert at.u[0, 0, 0] == pytest.approx(0.5 * begin * v, rel=1e-6)
    assert at.force[0, 0, 0] == pytest.approx(-np.sqrt(d) * (0.5 * K * begin * v + D * v), rel=1e-6)
    remains = (mu * d - begin * v) * np.exp(-0.5)
    assert at.u[1, 0, 0] == pytest.approx(mu * d - remains, rel=1e-6)
    assert at.force[1:, 0, 0] == pytest.approx(-mu * 9.81, rel=1e-6)
    assert at.u[2, 0, 0] == pytest.approx(mu * d, rel=1e-6)


def test_unloaded_ground_recovers():
    """u = u0 exp(−K t/D) off the ground, in two tangents."""
    model = spatial.rollingdisc(3)
    u = np.arange(12.0).reshape(2, 6) * 1e-4
    x = [1, 0, 0, 0, 0, 0, 5.0, 0, 0, 0, 0, 0, 0]
    motion = simulate(model, Ground(1e6, 2000.0), 0.01, xfb=x, u=u, **FINE)
    assert motion.u[-1] == pytest.approx(u * np.exp(-500 * 0.01), rel=1e-6, abs=1e-15)
    assert not motion.events


def test_sliding_deceleration_is_mu_g():
    """A point that stays in slip loses μ g, whatever K and D, once u has settled."""
    model = point_mass(m=0.5)
    for K, D in ((1e5, 300.0), (1e6, 800.0)):
        d = (0.5 * 9.81 / K) ** (2 / 3)
        motion = simulate(model, Ground(K, D, 0.3), 0.3, q=[0, -d], qd=[3.0, 0], **FINE)
        a, b = motion.at([0.1, 0.3]).qd[:, 0]
        assert (a - b) / 0.2 == pytest.approx(0.3 * 9.81, rel=1e-9)


# -- trajectories of the original ------------------------------------------------------------------


def test_bouncing_point_of_the_original():
    t = load("traj_point2d.csv")
    motion = simulate(point_mass(0.7), Ground(3e4, 60.0, 0.25), 3.0, q=[0, 0.3], qd=[2, -1], **FINE).at(
        t["t"]
    )
    for ours, name, tolerance in (
        (motion.q[:, 0], "px", 1e-6), (motion.q[:, 1], "py", 1e-6), (motion.qd[:, 0], "vx", 1e-5),
        (motion.qd[:, 1], "vy", 1e-5), (motion.u[:, 0, 0], "u", 1e-6),
    ):  # fmt: skip
        assert np.abs(ours - t[name]).max() < tolerance
    assert np.abs(motion.force[:, 0, 0] - t["fx"]).max() < 1e-4
    assert np.abs(motion.force[:, 1, 0] - t["fy"]).max() < 1e-4
    assert np.array_equal(motion.contact[:, 0] > 0, t["in_contact"] > 0)
    assert np.array_equal(motion.contact[:, 0] == 1, t["sticking"] > 0)


def test_sliding_box_of_the_original():
    t = load("traj_box_planar.csv")
    run = simulate(planar_box(), Ground(1e5, 800.0, 0.5), 2.0, q=[0, 0.12, 0.05], qd=[2.5, 0, 0], **FINE)
    motion = run.at(t["t"])
    for k, name in enumerate(("x", "y", "r")):
        assert np.abs(motion.q[:, k] - t[f"q{name}"]).max() < 1e-6
        assert np.abs(motion.qd[:, k] - t[f"qd{name}"]).max() < 1e-5
    for k in range(4):
        assert np.abs(motion.u[:, 0, k] - t[f"u{k + 1}"]).max() < 1e-6
        assert np.abs(motion.force[:, 1, k] - t[f"fy{k + 1}"]).max() < 1e-3
    assert np.array_equal((motion.contact > 0).sum(axis=1), t["n_contact"])
    assert np.array_equal((motion.contact == 1).sum(axis=1), t["n_stick"])
    assert motion.depth[-1].max() == pytest.approx((2 * 9.81 / 2e5) ** (2 / 3), rel=1e-3)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "LSODA"])
def test_rolling_disc_of_the_original(method):
    """Tutorial example 7 up to 1.5 s: 32 points make and break contact some 150 times."""
    t = load("traj_disc_018.csv")
    run = simulate(
        spatial.rollingdisc(16), Ground(1e6, 2000.0, 0.1), 1.5, xfb=tutorial_disc(), method=method,
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    before = t["t"] <= 1.5
    motion = run.at(t["t"][before])
    names = ("qw", "qx", "qy", "qz", "rx", "ry", "rz", "wx", "wy", "wz", "vOx", "vOy", "vOz")
    for k, name in enumerate(names):
        # Positions to 1e-6 (the table's own two integrators agree to 1e-8), velocities to 1e-4.
        assert np.abs(motion.xfb[:, k] - t[name][before]).max() < (1e-6 if k < 7 else 1e-4)
    # At instants of a change the table and we may stand on different sides.
    assert (np.count_nonzero((motion.contact > 0).sum(axis=1) != t["n_contact"][before])) <= 2
    assert (np.count_nonzero((motion.contact == 1).sum(axis=1) != t["n_stick"][before])) <= 2


def test_disc_falls_over_with_more_twist():
    """Twist 0.22: it lies flat on 16 points at 1.5 s, at a depth (m g/(16 K))^(2/3)."""
    model = spatial.rollingdisc(16)
    motion = simulate(model, Ground(1e6, 2000.0, 0.1), 1.5, xfb=tutorial_disc(0.22), **FINE)
    weight = 9.81 * spatial.mcI(model.I[5])[0]
    assert (motion.contact[-1] > 0).sum() == 16
    assert motion.depth[-1].max() == pytest.approx((weight / 16e6) ** (2 / 3), rel=1e-6)
    assert motion.xfb[-1, 4] == pytest.approx(0.2501, abs=1e-4)


# -- what must hold in every motion --------------------------------------------------------------------


def tumbling_disc(**options):
    return simulate(spatial.rollingdisc(16), Ground(1e6, 2000.0, 0.1), 1.0, xfb=tutorial_disc(), **options)


def test_energy_balance():
    """Mechanical energy and the work taken up by the ground have a constant sum."""
    motion = tumbling_disc(**FINE)
    total = motion.energy.sum(axis=1) + motion.work
    assert np.ptp(total) < 1e-8 * abs(total[0])
    # The ground gives back what its springs hold, and never more than it was given.
    stored = np.array([motion.ground.stored_energy(p) for p in motion.position]).sum(axis=1)
    assert (motion.work > -1e-9).all()
    assert motion.work[-1] > 0.01 * total[0]
    assert (motion.energy.sum(axis=1) + stored)[-1] < total[0]


def test_events_are_where_states_change():
    """1e-10 s before an event its point is still in the old state by the law; at the event it is not."""
    motion = tumbling_disc(**FINE)
    assert {e.kind for e in motion.events} == {"touch_down", "lift_off", "slip", "stick"}
    times = np.array([e.time for e in motion.events])
    assert (np.diff(times) >= 0.0).all()
    for event in motion.events:
        alone = np.abs(times - event.time) < 2e-10
        if np.count_nonzero(alone) > 1:
            continue
        for time, state in ((event.time - 1e-10, event.before), (event.time + 1e-10, event.after)):
            at = motion.at(time)
            found = motion.ground.states(at.position[0], at.velocity[0], at.u[0])[event.point]
            assert found == state
    # Between events nobody changes: each point's events follow one another.
    for point in range(32):
        own = [e for e in motion.events if e.point == point]
        assert all(a.after == b.before for a, b in itertools.pairwise(own))


def test_event_times_do_not_depend_on_the_method():
    """Touch-down after free fall is exact; later events agree to what the tolerance leaves."""
    t0 = np.sqrt(2 * 0.3 / 9.81)
    runs = []
    for method in ("RK45", "DOP853", "Radau"):
        rtol = 1e-8 if method == "Radau" else 1e-11
        run = simulate(
            point_mass(), Ground(1e5, 300.0), 0.6, q=[0, 0.3], method=method, rtol=rtol, atol=rtol / 100
        )
        assert run.events[0].time == pytest.approx(t0, abs=1e-10)
        runs.append([e.time for e in run.events])
    assert runs[0] == pytest.approx(runs[1], abs=1e-8)
    assert runs[2] == pytest.approx(runs[1], abs=1e-5)


def test_a_graze_within_one_step_is_found():
    """A point dips 1 µm below the ground for 1.3 ms within a step of 0.2 s."""
    dip = 1e-6
    height = 0.5 * 9.81 * 0.1**2 - dip
    # Upside-down gravity: the point comes down, turns and goes up again.
    motion = simulate(
        point_mass(g=-9.81), Ground(1e2, 1e-3), 0.2, q=[0, height], qd=[0, -0.981], method="DOP853"
    )
    assert [e.kind for e in motion.events] == ["touch_down", "lift_off"]
    half = np.sqrt(2 * dip / 9.81)
    assert motion.events[0].time == pytest.approx(0.1 - half, abs=1e-10)


def test_sticking_points_do_not_slip():
    """While a point sticks, it moves exactly as far as the ground's surface: no-slip rolling."""
    x = [1, 0, 0, 0, 0, 0, 0.0501, 0, 12.0, 0, 0.6 - 12.0 * 0.0501, 0, 0]
    motion = simulate(spatial.rollingdisc(24), Ground(1e6, 2000.0, 5.0), 0.5, xfb=x, **FINE)
    rolled = 0
    for point in range(48):
        sticks = motion.contact[:, point] == ContactState.STICKING
        starts = np.flatnonzero(sticks[1:] & ~sticks[:-1]) + 1
        for first in starts:
            last = first + int(np.argmin(np.append(sticks[first:], False)))
            rows = slice(first, min(last + 1, len(sticks)))
            moved = motion.position[rows, :2, point] - motion.position[first, :2, point]
            yielded = motion.u[rows, :, point] - motion.u[first, :, point]
            assert np.abs(moved - yielded).max() < 1e-10
            rolled += 1
    assert rolled > 40
    # Launched upright it rolls straight on.
    assert np.abs(motion.xfb[:, 5]).max() < 1e-9


def steady_rolling(lean, circle, R=0.05, T=0.01):
    """Return precession rate and turn rate about the axis of a disc that rolls in a circle.

    Angular momentum about the centre, Ω ẑ × (I_a ω_e e + I_t Ω cos α m), equals the moment of weight
    and centripetal force at the lower rim; no slip gives ω_e = Ω (h cos α − a)/R. `circle` is the
    radius a of the centre's path; all per mass.
    """
    h, g = 0.5 * T, 9.81
    axial, across = 0.5 * R**2, (3 * R**2 + T**2) / 12
    c, s = np.cos(lean), np.sin(lean)
    sides = axial * c * (circle - h * c) / R + across * s * c + circle * (R * c + h * s)
    rate = np.sqrt(g * (R * s - h * c) / sides)
    return rate, rate * (h * c - circle) / R


def test_precession_is_that_of_steady_rolling():
    """A leaning disc with a fine rim rolls in a circle at the rate of the rigid, round disc.

    The rim gives way by d = 0.04 mm, 0.1 % of R, a polygon of 240 corners is 0.01 % inside its circle,
    and the ground takes up 0.1 % of the energy within a second: rates agree to within 0.5 %, over half a
    second.
    """
    lean, circle, R, T = 0.3, 0.3, 0.05, 0.01
    rate, spin = steady_rolling(lean, circle)
    model = spatial.rollingdisc(240)
    c, s = np.cos(lean), np.sin(lean)
    # The circle's centre is the origin, the disc at (a, 0); its axis e leans outwards and up.
    e, up, ahead = np.array([c, 0, s]), np.array([-s, 0, c]), np.array([0.0, 1.0, 0.0])
    E = np.stack([ahead, e, np.cross(ahead, e)])
    w = (rate * c) * up + spin * e
    depth = 4e-5
    r = np.array([circle, 0.0, R * c + 0.5 * T * s - depth])
    v = rate * circle * ahead
    x = np.concatenate([spatial.rq(E), r, w, v - np.cross(w, r)])
    motion = simulate(model, Ground(3e6, 50.0, 1.0), 0.5, xfb=x, rtol=1e-7, atol=1e-9)
    at = motion.at(np.linspace(0.0, 0.5, 201))
    axes = np.array([spatial.rq(q)[1] for q in at.xfb[:, :4]])
    heading = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    leans = np.arcsin(axes[:, 2])
    assert heading[-1] == pytest.approx(0.5 * rate, rel=0.005)
    assert leans == pytest.approx(np.full(201, lean), abs=0.003)
    assert np.linalg.norm(at.xfb[:, 4:6], axis=1) == pytest.approx(np.full(201, circle), rel=0.005)
