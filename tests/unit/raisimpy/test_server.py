"""RaisimServer bound to a viewer that is really there, and OgreVis on top of it."""

import numpy as np
import pytest
from scenes import QUADRUPED

from tribo import raisimpy as raisim

pytest.importorskip("viser")


@pytest.fixture
def world():
    made = raisim.World()
    made.addGround()
    made.addSphere(0.1, 1.0).setPosition(0, 0, 1)
    return made


def test_all_that_is_only_drawn_reaches_the_viewer(world):
    """What was added before the server was launched, and what comes after."""
    server = raisim.RaisimServer(world)
    early = [
        server.addVisualSphere("sphere", 0.1, 1, 0, 0, 1), server.addVisualBox("box", 1, 2, 3, 0, 1, 0, 1),
        server.addVisualCylinder("cylinder", 0.1, 0.2), server.addVisualCapsule("capsule", 0.1, 0.2),
        server.addVisualArrow("arrow", 0.1, 0.2),
    ]  # fmt: skip
    line, cloud = server.addVisualPolyLine("line"), server.addPointCloud("cloud")
    crowd = server.addInstancedVisuals("crowd", raisim.ShapeType.Sphere, [0.1, 0, 0], [1, 0, 0], [0, 0, 1])
    early[0].setPosition(1, 2, 3)
    server.setCameraPositionAndLookAt([3, 3, 3], [0, 0, 0])
    server.launchServer(8471)
    try:
        assert server.isConnected()
        ghost = server.addVisualArticulatedSystem("ghost", str(QUADRUPED), 0, 0, 1, 0.5)
        hills = server.addVisualHeightMap("hills", 2, 2, 1.0, 1.0, 0.0, 0.0, np.zeros(4))
        mesh = server.addVisualMesh("mesh", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        graph = server.addTimeSeriesGraph("graph", ["a"], "t", "m")
        bars = server.addBarChart("bars", ["a", "b"])
        line.addPoint([0, 0, 0])
        line.addPoint([1, 0, 0])
        crowd.addInstance([0, 0, 1], colorWeight=0.5)
        cloud.resize(3)
        cloud.position[1] = [1, 1, 1]
        ghost.setGeneralizedCoordinate([0, 0, 1, 1, 0, 0, 0] + [0.1] * 12)
        hills.update(np.ones(4))
        mesh.updateMesh([[0, 0, 1], [1, 0, 1], [0, 1, 1]])
        early[1].setBoxSize(2, 2, 2)
        early[0].setColor(0, 1, 0, 1)
        for k in range(3):
            server.integrateWorldThreadSafe()
            graph.addDataPoints(world.getWorldTime(), [k])
            bars.setData([k, 1])
        view = server.viewer
        assert len(view.visuals) == 11
        assert view.visual("sphere").position.tolist() == [1, 2, 3]
        assert tuple(view.visual("sphere").color)[:3] == (0, 1, 0)
        assert tuple(view.visual("box").size) == (2, 2, 2)
        assert view.visual("line").points.tolist() == [[0, 0, 0], [1, 0, 0]]
        assert len(view.visual("crowd")) == 1
        assert view.visual("cloud").points[1].tolist() == [1, 1, 1]
        assert view.visual("ghost").generalized_coordinate[7] == 0.1
        server.removeVisualObject("box")
        assert len(view.visuals) == 10
        server.focusOn(world.getObjList()[1])
    finally:
        server.killServer()
    assert not server.isConnected()
    assert crowd.colors()[0] == pytest.approx([0.5, 0, 0.5])


def test_pause_and_steps_by_hand(world):
    server = raisim.RaisimServer(world)
    called = []
    server.integrateWorldThreadSafe(lambda: called.append(world.getWorldTime()))
    assert (called, world.getWorldTime()) == ([0.0], 0.005)
    server.pauseSimulation()
    server.integrateWorldThreadSafe()
    assert server.isSimulationPaused()
    assert world.getWorldTime() == 0.005
    server.stepSimulation(3)
    assert world.getWorldTime() == pytest.approx(0.02)
    server.resumeSimulation()
    assert not server.isSimulationPaused()


def test_names_of_visuals_are_single(world):
    server = raisim.RaisimServer(world)
    server.addVisualSphere("one", 0.1)
    with pytest.raises(ValueError, match="another name"):
        server.addVisualBox("one", 1, 1, 1)


def test_pictures(world, tmp_path):
    pytest.importorskip("PIL")
    server = raisim.RaisimServer(world)
    server.setCameraPositionAndLookAt([3, 3, 3], [0, 0, 0])
    server.requestSaveScreenshot(str(tmp_path / "shot.png"))
    assert (tmp_path / "shot.png").stat().st_size > 1000


def test_ogre_steps_the_world_and_says_once_what_is_not_there(world, caplog):
    vis = raisim.OgreVis()
    with pytest.raises(ValueError, match="set_world"):
        vis.render_one_frame()
    vis.set_world(world)
    called = []
    vis.set_control_callback(lambda: called.append(1))
    vis.set_window_size(800, 600)
    vis.setWindowSize(800, 600)
    assert caplog.text.count("OgreVis.setWindowSize") == 1
    vis.run(0.05)
    assert len(called) == 10
    ball = world.getObjList()[1]
    assert vis.create_graphical_object(ball, "ball") == [ball]
    assert vis.create_graphical_object(ball, dimension=20, name="b", material="copper") == [ball]
    vis.get_light().set_direction([0, 0, -1]).anything_else()
    assert vis.add_visual_object("mark", "sphereMesh", "red", scale=(0.1, 0.1, 0.1)).type == "sphere"
    assert raisim.OgreVis.get() is raisim.OgreVis.get()


def test_hibernation_stops_the_page_and_not_the_world(world):
    server = raisim.RaisimServer(world)
    server.hibernate()
    server.integrateWorldThreadSafe()
    assert world.getWorldTime() == 0.005
    assert not server.isSimulationPaused()
    server.wakeup()
    server.pauseSimulation()
    server.integrateWorldThreadSafe()
    assert world.getWorldTime() == 0.005
