"""Exported recordings read back as the same numbers, bit for bit, in every format."""

import csv

import numpy as np
import pytest

import tribo
from tribo.recording import export
from tribo.tools import cli


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    world = tribo.World()
    world.add_ground(name="ground")
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.0999), name='=ball, "1"')
    ball.linear_velocity = 1.0, 0.1, 0.0
    with world.record(folder / "run.zarr"):
        world.step(30)
    return folder / "run.zarr"


@pytest.fixture(params=[7, 4096])
def blocks(request, monkeypatch):
    """Tables are written in parts, of 7 frames or in one."""
    monkeypatch.setattr(export, "BLOCK", request.param)


def of_csv(file):
    with file.open(newline="") as stream:
        head, *rows = csv.reader(stream)
    return dict(zip(head, zip(*rows, strict=True), strict=True))


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_hold_every_number(path, tmp_path, ending):
    recording = tribo.Recording(path)
    out = tmp_path / f"run.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    recording.export(out)
    table = read(out)
    assert np.array_equal(numbers(table["time [s]"]), recording.time)
    count = 1
    for name in set(recording.names) - {"time", "contact_end"}:
        if name.startswith("contact_"):
            continue
        array = recording[name].reshape(recording.frames, -1)
        for k, (column, unit) in enumerate(recording.columns(name)):
            heading = f"{name} [{unit}]" if column == name else f"{name}/{column} [{unit}]"
            assert np.array_equal(numbers(table[heading]), array[:, k], equal_nan=True), heading
            count += 1
    assert len(table) == count

    recording.export(out, contacts=True)
    table = read(out)
    assert np.array_equal(numbers(table["frame"]), recording.contact_frame)
    assert np.array_equal(numbers(table["contact_force/z [N]"]), recording["contact_force"][:, 2])
    names = {text.lstrip("'") for side in "AB" for text in table[f"body {side}"]}
    assert names == set(recording.bodies)
    assert "time [s]" in table


def read(out):
    if out.suffix == ".csv":
        return of_csv(out)
    from pyarrow import parquet

    return parquet.read_table(out).to_pydict()


def numbers(column):
    return np.array([float(value) for value in column])


def test_a_name_is_no_formula(path, tmp_path):
    tribo.Recording(path).export(tmp_path / "c.csv", contacts=True)
    cells = of_csv(tmp_path / "c.csv")["body A"] + of_csv(tmp_path / "c.csv")["body B"]
    assert cells
    assert not [text for text in cells if text.startswith("=")]


def test_arrays(path, tmp_path):
    recording = tribo.Recording(path)
    recording.export(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        for name in recording.names:
            np.testing.assert_array_equal(file[name], recording[name], name)
        assert tuple(file["dof_names"]) == recording.dof_names
        assert "q: m, rad, –" in file["units"]


def test_a_choice_and_what_is_refused(path, tmp_path):
    recording = tribo.Recording(path)
    recording.export(tmp_path / "run.csv", ["time", "potential_energy"])
    assert list(of_csv(tmp_path / "run.csv")) == ["time [s]", "potential_energy [J]"]
    with pytest.raises(ValueError, match="contacts=True"):
        recording.export(tmp_path / "run.csv", ["contact_force"])
    with pytest.raises(ValueError, match=r"\.parquet"):
        recording.export(tmp_path / "run.xlsx")
    with pytest.raises(KeyError, match="energ"):
        recording.export(tmp_path / "run.csv", ["energy"])
    with pytest.raises(TypeError, match="list"):
        recording.export(tmp_path / "run.csv", "q")
    with pytest.raises(FileNotFoundError, match="folder"):
        recording.export(tmp_path / "no" / "run.csv")


def test_the_command_exports(path, tmp_path, capsys):
    out = tmp_path / "run.csv"
    assert cli.main(["export", str(path), str(out), "--arrays", "v", "--from", "0.01"]) == 0
    assert "21 frames" in capsys.readouterr().out
    assert len(of_csv(out)["time [s]"]) == 21
    assert cli.main(["export", str(path), str(out), "--from", "9"]) == 1
    assert cli.main(["export", str(tmp_path / "none.zarr"), str(out)]) == 1
