"""Measured motions: names, units, noise, files, frames."""

import numpy as np
import pytest

import tribo
from tribo.identification import Trajectory


def test_units_in_brackets_become_si():
    film = Trajectory([0, 1], {"q/ball/z [mm]": [1, 2], "q/arm/elbow [deg]": [90, 180]}, noise=2.0)
    assert film.measured["q/ball/z"].tolist() == [0.001, 0.002]
    assert film.measured["q/arm/elbow"].tolist() == pytest.approx([np.pi / 2, np.pi])
    assert film.noise == pytest.approx({"q/ball/z": 0.002, "q/arm/elbow": np.deg2rad(2.0)})
    assert film.unit("q/ball/z") == "m"
    assert film.unit("q/arm/elbow") == "rad"


@pytest.mark.parametrize(
    ("time", "columns", "options", "said"),
    [
        ([0, 0], {"q/a/z": [1, 2]}, {}, "row 1 is"),
        ([0], {"q/a/z": [1]}, {}, "n ≥ 2"),
        ([0, 1], {"q/a/z": [1, 2, 3]}, {}, r"shape \(2,\)"),
        ([0, 1], {"p/a/z": [1, 2]}, {}, "no column that is known here"),
        ([0, 1], {"q/a/z [furlong]": [1, 2]}, {}, "unit must be one of"),
        ([0, 1], {"q/a/z": [1, np.inf]}, {}, "row 1 is no finite number"),
        ([0, 1], {}, {}, "nothing was measured"),
        ([0, 1], {"q/a/z": [1, 2]}, {"noise": 0.0}, "noise of q/a/z"),
        ([0, 1], {"q/a/z": [1, 2]}, {"inputs": {"feedforward/a/b": [1, np.nan]}}, "row 1"),
        ([0, 1], {"q/a/z": [1, 2]}, {"start": "there"}, "start of recording"),
    ],
)
def test_what_is_no_trajectory_is_refused(time, columns, options, said):
    with pytest.raises(ValueError, match=said):
        Trajectory(time, columns, **options)


def test_a_misspelt_column_with_a_noise_is_refused():
    with pytest.raises(KeyError, match="did you mean 'q/a/z'"):
        Trajectory([0, 1], {"q/a/z": [1, 2]}, noise={"q/a/y": 1.0})


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz", "zarr"])
def test_recordings_and_their_exports_are_read(tmp_path, ending):
    world = tribo.World(time_step=0.01)
    world.add_box((0.1, 0.2, 0.3), 1.0, position=(0, 0, 2), name="box").angular_velocity = (1, 2, 3)
    with world.record(tmp_path / "run.zarr"):
        world.step(20)
    recording = tribo.Recording(tmp_path / "run.zarr")
    if ending != "zarr":
        recording.export(tmp_path / f"run.{ending}")
    film = Trajectory.read(tmp_path / f"run.{ending}", time="time [s]")
    assert len(film) == 21
    assert np.array_equal(film.measured["q/box/z"], recording.of("box", "q")[:, 2])
    assert np.array_equal(film.time, Trajectory.of(recording).time)
    assert set(film.measured) == {f"q/box/{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz")}


def test_a_table_says_where_it_is_wrong(tmp_path):
    path = tmp_path / "film.csv"
    path.write_text("time [s],h [cm]\n0,1\n1,up\n", "utf-8")
    with pytest.raises(ValueError, match="line 3: 'up' is no number"):
        Trajectory.read(path, {"h [cm]": "q/ball/z"})
    path.write_text("time [s],h [cm]\n0,1\n1\n", "utf-8")
    with pytest.raises(ValueError, match="line 3: 1 cells, the headings are 2"):
        Trajectory.read(path, {"h [cm]": "q/ball/z"})
    path.write_text("time [s],h [cm]\n0,1\n1,\n2,3\n", "utf-8")
    assert np.isnan(Trajectory.read(path, {"h [cm]": "q/ball/z"}).measured["q/ball/z"][1])
    with pytest.raises(KeyError, match=r"did you mean 'h \[cm\]'"):
        Trajectory.read(path, {"h [mm]": "q/ball/z"})
    with pytest.raises(ValueError, match="no heading is the name of a coordinate"):
        Trajectory.read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="UTF-8"):
        Trajectory.read(path)
    with pytest.raises(ValueError, match="the ending must be one of"):
        Trajectory.read(tmp_path / "film.xlsx")


def test_the_axes_of_a_camera_become_those_of_the_world():
    """A camera that looks along −y, its y down: x stays, its z is the world's −y, its y the world's −z."""
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, -1, 0]]) * np.array([1.0, 1, 1])
    turn = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    film = Trajectory([0, 1], {f"q/b/{a}": [k, k + 1] for k, a in enumerate("xyz")}, noise=0.1)
    placed = film.in_world((10, 20, 30), turn)
    rows = np.stack([film.measured[f"q/b/{a}"] for a in "xyz"], axis=1)
    expected = rows @ turn.T + (10, 20, 30)
    found = np.stack([placed.measured[f"q/b/{a}"] for a in "xyz"], axis=1)
    assert np.abs(found - expected).max() < 1e-14
    with pytest.raises(ValueError, match="axes that turn need all of"):
        Trajectory([0, 1], {"q/b/x": [0, 1]}).in_world(orientation=turn)
