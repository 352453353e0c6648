"""Parameters are found again, with intervals; doubts are said."""

import numpy as np
import pytest

import tribo
from tribo.identification import Trajectory, body, inertial, joint, motors, offset, pair, tilt


def table(restitution=0.6):
    world = tribo.World(time_step=0.004)
    world.impact = "propagate"
    world.add_ground(material="table")
    world.add_sphere(0.02, 0.003, "ball", position=(0, 0, 0.3), name="ball")
    world.set_material_pair("table", "ball", restitution=restitution)
    return world


def heights(world, rows=50, every=4):
    """Return times and heights of the ball."""
    made = []
    for _ in range(rows):
        made.append(world["ball"].position[2])
        world.step(every)
    return world.time_step * every * np.arange(rows), np.array(made)


def film(restitution=0.8, noise=2e-3, seed=0, **options):
    times, exact = heights(table(restitution))
    errors = np.random.default_rng(seed).normal(0.0, noise, len(times))
    options.setdefault("noise", noise)
    return Trajectory(times, {"q/ball/z": exact + errors}, **options)


RESTITUTION = pair("table", "ball", restitution=(0.3, 0.95))


@pytest.mark.parametrize("search", ["scan", "cma", "differential_evolution", "none"])
def test_a_restitution_is_found(search):
    """Four standard errors: 1 in 16 000 by chance; a restitution of 0.7 would be 30 off."""
    world = table(0.75)
    found = tribo.identify(world, film(), RESTITUTION, search=search, threads=1)
    one = found["table/ball/restitution"]
    assert abs(one.value - 0.8) < 4.0 * one.standard_error < 0.02
    assert one.low < one.value < one.high
    assert one.is_seen
    assert not one.is_at_bound
    assert found.remarks == ()
    assert 0.5 < found.reduced_chi_square < 1.7
    assert world.materials.pair("table", "ball").restitution == 0.75


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 20 sets, 15 or less within 95 % happen once in 400 times; the command of benchmarks has 100."""
    inside = 0
    for seed in range(20):
        made = film(seed=seed)
        one = tribo.identify(table(0.75), made, RESTITUTION, search="none", threads=1).estimates[0]
        inside += one.low <= 0.8 <= one.high
    assert inside >= 16


def test_a_noise_that_is_not_given_is_found():
    found = tribo.identify(table(), _silent(), RESTITUTION, threads=1)
    assert found.residuals[0].noise == pytest.approx(2e-3, rel=0.3)  # 3 σ of 50 numbers: 30 %
    assert found.reduced_chi_square == pytest.approx(1.0, abs=0.1)


def _silent():
    made = film()
    return Trajectory(made.time, made.measured)


def test_the_bootstrap_agrees_with_the_hessian():
    """The width of an interval of 200 draws is known to some 10 %."""
    one = tribo.identify(table(), film(), RESTITUTION, bootstrap=200, threads=1).estimates[0]
    low, high = one.bootstrap
    assert (high - low) == pytest.approx(one.high - one.low, rel=0.35)
    assert abs(low + high - one.low - one.high) < one.high - one.low


def test_several_recordings_know_more_than_one():
    alone = tribo.identify(table(), film(), RESTITUTION, threads=1).estimates[0]
    films = [film(seed=k, name=f"film {k}") for k in range(4)]
    together = tribo.identify(table(), films, RESTITUTION, threads=1)
    share = together.estimates[0].standard_error / alone.standard_error
    assert share == pytest.approx(0.5, abs=0.05)
    assert next(one.column for one in together.residuals) == "film 0: q/ball/z"


def test_results_are_the_same_with_any_number_of_threads():
    values = [tribo.identify(table(), film(), RESTITUTION, bootstrap=5, threads=n).estimates for n in (1, 2)]
    assert values[0] == values[1]


def test_rows_between_steps_and_gaps_are_taken():
    """26 frames per second are no multiple of 4 ms; some are missing."""
    world, times = table(0.8), np.arange(25) / 26.0
    fine = table(0.8)
    fine.time_step = 1.0 / 2600.0
    made = []
    for _ in times:
        made.append(fine["ball"].position[2])
        fine.step(100)
    measured = np.array(made) + np.random.default_rng(3).normal(0, 1e-3, 25)
    measured[[4, 11]] = np.nan
    shown = Trajectory(times, {"q/ball/z": measured}, noise=1e-3)
    one = tribo.identify(world, shown, RESTITUTION, threads=1).estimates[0]
    assert abs(one.value - 0.8) < 4.0 * one.standard_error


def test_multiple_shooting_finds_the_same_with_small_jumps():
    """Jumps of a micrometre and a micrometre per second leave the data what they say about the whole."""
    whole = tribo.identify(table(), film(), RESTITUTION, threads=1).estimates[0]
    found = tribo.identify(table(), film(), RESTITUTION, segments=3, defects=(1e-6, 1e-6), threads=1)
    parts = found.estimates[0]
    assert abs(parts.value - whole.value) < 0.1 * whole.standard_error
    assert parts.standard_error == pytest.approx(whole.standard_error, rel=0.05)


def test_jumps_that_are_allowed_make_an_interval_wider():
    whole = tribo.identify(table(), film(), RESTITUTION, threads=1).estimates[0]
    parts = tribo.identify(table(), film(), RESTITUTION, segments=3, threads=1).estimates[0]
    assert abs(parts.value - 0.8) < 4.0 * parts.standard_error
    assert parts.standard_error > whole.standard_error


def test_what_the_data_do_not_show_is_said():
    """A ball that bounces upright says nothing about friction; mass and drag enter as their ratio."""
    seeks = [pair("table", "ball", restitution=(0.3, 0.95), friction=(0.0, 1.0))]
    found = tribo.identify(table(), film(), seeks, threads=1)
    assert not found["table/ball/friction"].is_seen
    assert found["table/ball/restitution"].is_seen
    assert found["table/ball/friction"].standard_error == np.inf
    assert "say nothing about table/ball/friction" in found.remarks[0]
    assert "data say nothing" in str(found["table/ball/friction"])


def test_a_bound_that_is_reached_and_a_misfit_are_said():
    low = pair("table", "ball", restitution=(0.3, 0.7))
    found = tribo.identify(table(), film(), low, threads=1)
    assert found.estimates[0].is_at_bound
    assert any("at its bound" in one for one in found.remarks)
    assert any("times the noise that was given" in one for one in found.remarks)


def test_rough_motion_is_said():
    """Rebounds at the ends of steps of 4 ms move the heights by more than the noise."""
    world = table()
    world.impact = "simultaneous"
    found = tribo.identify(world, film(noise=2e-4), RESTITUTION, threads=1)
    assert any("rough" in one or "times the noise" in one for one in found.remarks)


def test_materials_are_saved_and_loaded(tmp_path):
    found = tribo.identify(table(), film(), RESTITUTION, threads=1)
    found.save_materials(tmp_path / "found.xml")
    other = table(0.1)
    other.load_materials(tmp_path / "found.xml")
    assert other.materials.pair("ball", "table").restitution == found.estimates[0].value
    again = table(0.1)
    found.apply(again)
    assert again.materials.pair("ball", "table") == other.materials.pair("ball", "table")
    with pytest.raises(ValueError, match=r"ending must be \.xml"):
        found.save_materials(tmp_path / "found.yaml")


def test_plots_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    found = tribo.identify(table(), film(), RESTITUTION, bootstrap=20, threads=1)
    figure = found.plot(tmp_path / "found.png")
    assert (tmp_path / "found.png").stat().st_size > 0
    curve, parabola = (line.get_ydata() for line in figure.axes[0].lines[:2])
    assert np.abs(curve - parabola).max() < 1.0  # of 9 at the ends: it is smooth
    fit = found.plot_fit()
    assert len(fit.axes) == 1
    assert len(fit.axes[0].lines) == 2


def test_batches_are_randomized_over_what_is_known():
    found = tribo.identify(table(), film(), RESTITUTION, threads=1)
    batch = tribo.Batch(table(), 400, threads=1)
    drawn = batch.randomize(found, slice(0, 399), seed=3)["table/ball/restitution"]
    got = batch.material_pair("table", "ball")["restitution"]
    one = found.estimates[0]
    assert np.array_equal(got[:399], drawn)
    assert got[399] == 0.6
    # Mean and deviation of 399 draws: 4 standard errors, σ/√n and σ/√(2n).
    assert abs(drawn.mean() - one.value) < 4 * one.standard_error / np.sqrt(399)
    assert abs(drawn.std() / one.standard_error - 1.0) < 4 / np.sqrt(2 * 399)
    same = tribo.Batch(table(), 399, threads=1).randomize(found, seed=3)
    assert np.array_equal(same["table/ball/restitution"], drawn)
    with pytest.raises(TypeError, match=r"what tribo\.identify returns"):
        batch.randomize({"friction": 1.0})


def test_the_height_of_the_ground_is_found():
    times, exact = heights(table(0.8))
    shifted = exact + 0.05 + np.random.default_rng(0).normal(0, 1e-3, len(times))
    lifted = Trajectory(times, {"q/ball/z": shifted}, noise=1e-3)
    found = tribo.identify(table(), lifted, [RESTITUTION, offset("q/ball/z", (-0.1, 0.1))], threads=1)
    for one, true in zip(found.estimates, (0.8, 0.05), strict=True):
        assert abs(one.value - true) < 4.0 * one.standard_error < 0.02


def pendulum(damping=0.02, armature=0.01):
    world = tribo.World(time_step=0.005)
    base = tribo.LinkDescription("base")
    rod = base.add_child("rod", "revolute", axis=(0, 1, 0))
    rod.add_shape("box", (0.04, 0.06, 0.5), mass=0.8, position=(0, 0, -0.25), collides=False)
    robot = world.add_articulated_system(base, name="arm", fixed_base=True)
    robot.generalized_coordinate = [0.6]
    robot.joint("rod_joint").damping = damping
    robot.joint("rod_joint").armature = armature
    return world


def swing(world, noise=2e-3, rows=120):
    generator = np.random.default_rng(5)
    robot, angles = world["arm"], []
    times = 0.02 * np.arange(rows)
    torque = 1.5 * np.sin(2.0 * np.pi * (0.5 + 0.8 * times) * times)
    for value in torque:
        angles.append(robot.generalized_coordinate[0])
        robot.generalized_force = [value]
        world.step(4)
    measured = np.array(angles) + generator.normal(0.0, noise, rows)
    inputs = {"feedforward/arm/rod_joint": torque}
    return Trajectory(times, {"q/arm/rod_joint": measured}, noise=noise, inputs=inputs)


def test_joint_and_mass_are_found_under_torque():
    seeks = [
        joint("arm", "rod_joint", damping=(0.0, 0.2), armature=(0.0, 0.1)),
        body("arm", "rod", mass=(0.3, 2.0)),
    ]
    found = tribo.identify(pendulum(0.1, 0.05), swing(pendulum()), seeks, threads=1)
    for one, true in zip(found.estimates, (0.02, 0.01, 0.8), strict=True):
        assert abs(one.value - true) < 4.0 * one.standard_error, one
    assert found.remarks == ()


def test_an_inertia_shows_what_can_be_shown():
    """On one hinge the data show m·x, m·z and the moment about it: seven of ten are unseen."""
    found = tribo.identify(pendulum(), swing(pendulum()), inertial("arm", "rod", span=0.5),
                           threads=1)  # fmt: skip
    assert sum("only a combination" in one or "say nothing" in one for one in found.remarks) >= 6
    assert not found["arm/rod/mass"].is_seen
    assert len(found.derived) == 10


def test_the_tilt_of_the_ground_is_found_from_a_slide():
    def slope(angle):
        world = tribo.World(time_step=0.005)
        world.add_ground(material="table")
        world.set_material_pair("table", "wood", friction=0.2)
        box = world.add_box((0.2, 0.2, 0.05), 1.0, "wood", position=(0, 0, 0.025), name="box")
        box.linear_velocity = (2.0, 0.0, 0.0)
        world.gravity = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
        return world, box

    world, box = slope(0.05)
    rows = []
    for _ in range(40):
        rows.append(box.position[0])
        world.step(4)
    noisy = np.array(rows) + np.random.default_rng(1).normal(0, 1e-3, 40)
    slide = Trajectory(0.02 * np.arange(40), {"q/box/x": noisy}, noise=1e-3)
    one = tribo.identify(slope(0.0)[0], slide, tilt(y=(-0.15, 0.15)), threads=1).estimates[0]
    assert abs(one.value - 0.05) < 4.0 * one.standard_error < 0.01
    both = [tilt(y=(-0.15, 0.15)), pair("table", "wood", friction=(0.0, 0.6))]
    found = tribo.identify(slope(0.0)[0], slide, both, threads=1)
    assert any("apart" in one or "say nothing" in one for one in found.remarks)


def test_poses_are_measured():
    """A box that slides and turns."""

    def dropped(friction):
        world = tribo.World(time_step=0.005)
        world.add_ground(material="table")
        world.set_material_pair("table", "wood", friction=friction)
        box = world.add_box((0.2, 0.2, 0.1), 1.0, "wood", position=(0, 0, 0.05), name="box")
        box.linear_velocity, box.angular_velocity = (1.5, 0.0, 0.0), (0.0, 0.0, 3.0)
        return world, box

    world, box = dropped(0.3)
    rows, turns = [], []
    for _ in range(40):
        rows.append(np.array(box.position))
        turns.append(np.array(box.orientation))
        world.step(2)
    generator = np.random.default_rng(2)
    rows, turns = np.array(rows) + generator.normal(0, 1e-3, (40, 3)), np.array(turns)
    columns = {f"q/box/{a}": rows[:, k] for k, a in enumerate("xyz")}
    columns |= {f"q/box/q{a}": turns[:, k] for k, a in enumerate("wxyz")}
    noise = {f"q/box/{a}": 1e-3 for a in "xyz"} | {"q/box/rotation": 1e-3}
    pose = Trajectory(0.01 * np.arange(40), columns, noise=noise, start="known")
    one = tribo.identify(dropped(0.5)[0], pose, pair("table", "wood", friction=(0.05, 1.0)),
                         threads=1).estimates[0]  # fmt: skip
    assert abs(one.value - 0.3) < 4.0 * one.standard_error < 0.004


def test_contact_forces_are_measured():
    """A box slides all the time: the friction force is μ m g, known to σ/√n, and σ/(m g √n) is that of μ."""

    def sliding(friction):
        world = tribo.World(time_step=0.005)
        world.add_ground(material="table")
        world.set_material_pair("table", "wood", friction=friction)
        box = world.add_box((0.2, 0.2, 0.02), 1.0, "wood", position=(0, 0, 0.01), name="box")
        box.linear_velocity = (9.0, 0.0, 0.0)
        return world

    batch = tribo.Batch(sliding(0.3), 1, threads=1)
    forces = []
    for _ in range(40):
        batch.step(2)
        forces.append(batch["box"].net_contact_force[0, 0])
    noisy = np.array(forces) + np.random.default_rng(0).normal(0, 0.1, 40)
    column = "net_contact_force/box/box/x"
    seen = Trajectory(0.01 * np.arange(0, 41), {column: [np.nan, *noisy]}, noise=0.1)
    one = tribo.identify(sliding(0.5), seen, pair("table", "wood", friction=(0.05, 1.0)), threads=1)
    estimate = one.estimates[0]
    assert abs(estimate.value - 0.3) < 4.0 * estimate.standard_error
    assert estimate.standard_error == pytest.approx(0.1 / (9.81 * np.sqrt(40)), rel=1e-3)


@pytest.mark.parametrize(
    ("films", "seeks", "options", "kind", "said"),
    [
        ([], RESTITUTION, {}, ValueError, "recordings are empty"),
        ([3], RESTITUTION, {}, TypeError, r"Trajectory\.read makes one"),
        (film(), [], {}, ValueError, "parameters are empty"),
        (film(), [RESTITUTION, RESTITUTION], {}, ValueError, "sought twice"),
        (film(), ["restitution"], {}, TypeError, "must be made by"),
        (film(), RESTITUTION, {"search": "swarm"}, ValueError, "search"),
        (film(), RESTITUTION, {"segments": 40}, ValueError, "at most half"),
        (film(), RESTITUTION, {"confidence": 1.5}, ValueError, "confidence"),
        (film(), pair("table", "bal", restitution=(0, 1)), {}, KeyError, "did you mean 'ball'"),
        (film(), offset("q/ball/z", (-1, 1), unit="rad"), {}, ValueError, "say unit='m'"),
        (Trajectory([0, 1], {"q/bal/z": [0, 1]}), RESTITUTION, {}, KeyError, "did you mean 'ball/z'"),
        (Trajectory([0, 1], {"q/ball/z [deg]": [0, 1]}), RESTITUTION, {}, ValueError, "given in rad"),
        (Trajectory([0, 1], {"q/ball/qw": [1, 1]}), RESTITUTION, {}, ValueError, "q/ball/qx, too"),
        (Trajectory([0, 1], {"q/ball/z": [1, 1]}), RESTITUTION, {}, ValueError, "cannot show 3 unknown"),
    ],
)
def test_what_cannot_be_identified_is_refused(films, seeks, options, kind, said):
    with pytest.raises(kind, match=said):
        tribo.identify(table(), films, seeks, threads=1, **options)


def driven_pendulum():
    """Return a world of a pendulum under PD, whose batches may have motors."""
    world, base = tribo.World(time_step=0.005), tribo.LinkDescription("base")
    base.fix_to_world()
    rod = base.add_child("rod", "revolute", axis=(0, 1, 0), joint_name="hinge", damping=0.05)
    rod.add_shape("box", (0.05, 0.05, 0.5), mass=1.0, position=(0, 0, -0.25), collides=False)
    robot = world.add_articulated_system(base, name="swing")
    robot.generalized_coordinate = [0.1]
    robot.set_pd_gains([30.0], [1.0])
    return world


def test_a_delay_is_a_whole_number_of_steps_that_the_data_fix():
    """A delay of 4 steps: one of 3 or 5 is off by hundreds of standard deviations of the noise."""
    times = 0.005 * np.arange(200)
    targets = 0.8 * np.sin(6.0 * times) + 0.3 * np.sin(17.0 * times)
    batch = tribo.Batch(driven_pendulum(), 1, threads=1)
    swing, angles = batch["swing"], []
    swing.set_motors(delay=0.02, time_constant=0.03)
    for target in targets:
        swing.pd_target = np.array([[target]])
        angles.append(swing.generalized_coordinate[0, 0])
        batch.step()
    seen = np.array(angles) + np.random.default_rng(1).normal(size=200) * 1e-4
    made = Trajectory(
        times, {"q/swing/hinge": seen}, inputs={"target_q/swing/hinge": targets},
        noise={"q/swing/hinge": 1e-4},
    )  # fmt: skip
    sought = motors("swing", delay=(0.0, 0.05), time_constant=(0.001, 0.1))
    found = tribo.identify(driven_pendulum(), made, sought, threads=1)
    delay, lag = found["swing/motors/delay"], found["swing/motors/time_constant"]
    assert delay.value == pytest.approx(0.02, abs=1e-12)
    assert delay.is_seen
    assert delay.low <= 0.0175 + 1e-9 < 0.0225 - 1e-9 <= delay.high  # at least half a step on either side
    assert 0.005 / np.sqrt(12.0) <= delay.standard_error < 0.002
    assert lag.low < 0.03 < lag.high
    assert found.remarks == ()
    drawn = tribo.Batch(driven_pendulum(), 50, threads=1).randomize(found, seed=0)
    assert np.rint(drawn["swing/motors/delay"] / 0.005).tolist() == [4.0] * 50
