"""Plots show what was recorded, with quantity and unit at every axis."""

import re
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.recording.plots import KINDS
from tribo.tools import cli

pytest.importorskip("matplotlib")
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    world = tribo.World()
    world.default_pair = tribo.PairProperties(friction=0.5)
    world.add_ground(name="ground")
    box = world.add_box((0.2, 0.2, 0.2), 2.0, position=(3, 0, 0.1), name="_$box$")
    box.linear_velocity = 1.0, 0.0, 0.0
    dog = world.add_articulated_system(QUADRUPED, position=(0, 0, 0.53), name="dog")
    dog.set_pd_gains(80.0, 3.0)
    path = tmp_path_factory.mktemp("plots") / "run.zarr"
    with world.record(path, every=0.004):
        world.step(100)
    return tribo.Recording(path)


def drawn(axis):
    return {line.get_label().strip(): np.asarray(line.get_ydata()) for line in axis.lines}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_quantity_and_a_unit(recording, kind, tmp_path):
    figure = recording.plot(kind, path=tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    (axis,) = figure.axes
    assert re.search(r"\w.* \[[^\]]+\]$", axis.get_ylabel().replace("\n", " "))
    assert axis.get_xlabel() == "time [s]"
    assert axis.lines


def test_the_lines_are_the_numbers(recording):
    energy = drawn(recording.plot_energy().axes[0])
    assert np.array_equal(energy["sum"], recording.energy)
    linear, angular = recording.plot_momentum().axes
    assert np.array_equal(drawn(linear)["z"], recording["linear_momentum"][:, 2])
    assert np.array_equal(drawn(angular)["x"], recording["angular_momentum"][:, 0])
    position, velocity, force = recording.plot_joints().axes
    for name in ("LF_HFE", "RH_KFE"):
        q = recording.coordinate_names.index(f"dog/{name}")
        v = recording.dof_names.index(f"dog/{name}")
        assert np.array_equal(drawn(position)[name], recording["q"][:, q])
        assert np.array_equal(drawn(velocity)[name], recording["v"][:, v])
        assert np.array_equal(drawn(force)[name], recording["applied_force"][:, v])
    assert len(drawn(position)) == 12
    residual, sweeps = recording.plot_residual().axes
    primal = drawn(residual)["primal"]
    assert np.array_equal(np.nan_to_num(primal), recording["residual"][:, 0])
    assert np.array_equal(drawn(sweeps)[sweeps.lines[0].get_label()], recording["sweeps"])


def test_times_of_halves_are_dots_and_a_median(recording):
    (axis,) = recording.plot_stage_times().axes
    times = 1e3 * recording["stage_time"][1:]  # there is no step before the first frame
    for k in range(2):
        dots, median = axis.lines[2 * k : 2 * k + 2]
        assert np.array_equal(dots.get_ydata(), times[:, k])
        middle = len(times) // 2
        window = times[middle - 10 : middle + 11, k]
        assert median.get_ydata()[middle] == np.median(window)
        assert median.get_ydata()[0] == np.median(times[:11, k])


def test_a_sliding_box_uses_all_its_friction(recording):
    """Coulomb: |f_t| = μ f_n while it slips, and the normal force is its weight."""
    normal, friction, use = recording.plot_contact_forces("_$box$").axes
    name = r"_\$box\$"  # drawn as it is, not as a formula, and not hidden
    np.testing.assert_allclose(drawn(normal)[name][1:], 2.0 * 9.81, rtol=1e-6)
    np.testing.assert_allclose(drawn(friction)[name][1:], 0.5 * 2.0 * 9.81, rtol=1e-6)
    np.testing.assert_allclose(drawn(use)["a contact"], 1.0, rtol=1e-6)


def test_impacts_are_cut_and_named(tmp_path):
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, position=(0, 0, 0.11), name="ball")
    with world.record(tmp_path / "run.zarr"):
        world.step(300)
    recording = tribo.Recording(tmp_path / "run.zarr")
    axis = recording.plot("normal_forces").axes[0]
    highest = recording.net_contact_force("ball")[:, 2].max()
    assert axis.get_ylim()[1] < 20.0 < highest
    assert f"{highest:.0f} N" in axis.get_title(loc="right")


def test_refused(recording, tmp_path):
    with pytest.raises(KeyError, match="energy"):
        recording.plot("enrgy")
    for file in ("run.png", tmp_path / "run.png"):
        with pytest.raises(TypeError, match="path="):
            recording.plot(file)
    with pytest.raises(KeyError, match="dog"):
        recording.plot_joints("dogg")
    with pytest.raises(ValueError, match="joints"):
        recording.plot_joints("ground")
    with pytest.raises(ValueError, match="whole world"):
        recording.plot("energy", part="dog")
    with pytest.raises(ValueError, match="no frames"):
        recording.between(9, 10).plot()


def test_the_command_plots(recording, tmp_path, capsys):
    out = tmp_path / "run.png"
    arguments = ["plot", str(recording.path), str(out)]
    assert cli.main([*arguments, "--kinds", "heights", "joint_forces", "--object", "dog"]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    assert cli.main([*arguments[:-1], str(tmp_path / "no" / "run.png")]) == 1
    assert "folder" in capsys.readouterr().err
