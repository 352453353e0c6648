"""Recordings as USD: poses over time come back as they were."""

import numpy as np
import pytest

import tribo
from tribo.tools.cli import main

pytest.importorskip("zarr")
pxr = pytest.importorskip("pxr")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((0.2, 0.3, 0.4), 1.0, position=(0, 0, 1), name="a box", angular_velocity=(1, 2, 3))
    world.add_ellipsoid((0.1, 0.2, 0.3), 1.0, position=(1, 0, 1), name="egg")
    path = tmp_path_factory.mktemp("usd") / "run.zarr"
    with world.record(path, every=0.01):
        world.step(100)
    return path


@pytest.mark.parametrize("ending", ["usd", "usda", "usdc", "usdz"])
def test_poses_over_time_come_back(run, tmp_path, ending):
    from pxr import Usd, UsdGeom

    out = tmp_path / f"out.{ending}"
    assert main(["export", str(run), str(out)]) == 0
    recording = tribo.Recording(run)
    stage = Usd.Stage.Open(str(out))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    body = stage.GetPrimAtPath("/World/a_box").GetChildren()[0]
    place, turn = UsdGeom.Xformable(body).GetOrderedXformOps()
    codes = place.GetTimeSamples()
    assert np.array(codes) / stage.GetTimeCodesPerSecond() == pytest.approx(recording.time)
    k = [name.split("/")[0] for name in recording.bodies].index("a box")
    places = np.array([place.Get(code) for code in codes])
    turns = np.array([[q.GetReal(), *q.GetImaginary()] for q in (turn.Get(code) for code in codes)])
    # double precision throughout; text has 17 digits
    assert np.array_equal(places, recording["body_position"][:, k])
    assert np.array_equal(turns, recording["body_orientation"][:, k])
    assert body.GetChildren()[0].GetTypeName() == "Cube"
    assert stage.GetPrimAtPath("/World/a_box").GetCustomDataByKey("tribo:name") == "a box"


def test_what_stands_has_one_pose(run, tmp_path):
    from pxr import Usd, UsdGeom

    tribo.Recording(run).export(tmp_path / "out.usda")
    stage = Usd.Stage.Open(str(tmp_path / "out.usda"))
    ground = stage.GetPrimAtPath("/World/ground").GetChildren()[0]
    assert UsdGeom.Xformable(ground).GetOrderedXformOps()[0].GetTimeSamples() == []


def test_tables_and_usd_are_two_things(run, tmp_path):
    with pytest.raises(ValueError, match="leave arrays and contacts out"):
        tribo.Recording(run).export(tmp_path / "out.usd", ["q"])
