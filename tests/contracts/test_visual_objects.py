"""Things that are only drawn: what their handles say, what the browser is told, what is refused."""

from pathlib import Path

import numpy as np
import pytest

import tribo

pytest.importorskip("viser")

from tribo.viewer import Viewer

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
TETRAHEDRON = {
    "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "faces": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
}


@pytest.fixture(scope="module")
def session():
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 1))
    with Viewer(world, port=8420) as made:
        yield made


@pytest.fixture
def viewer(session):
    yield session
    for thing in session.visuals:
        thing.remove()


def add_all(viewer):
    """Add one of each kind."""
    viewer.add_visual_sphere("sphere", 0.2)
    viewer.add_visual_box("box", (1, 2, 3))
    viewer.add_visual_cylinder("cylinder", 0.1, 1.0)
    viewer.add_visual_capsule("capsule", 0.1, 0.0)
    viewer.add_visual_arrow("arrow", 0.05, 1.0)
    viewer.add_visual_mesh("mesh", **TETRAHEDRON)
    viewer.add_visual_height_map("hills", np.zeros((3, 4)), (2, 2))
    viewer.add_visual_polyline("line", [[0, 0, 0], [1, 0, 0], [1, 1, 0]])
    viewer.add_visual_point_cloud("cloud", [[0, 0, 0], [1, 1, 1]])
    viewer.add_instanced_visuals("crowd", "box", (1, 1, 1)).update([[0, 0, 1], [0, 0, 2]])
    viewer.add_visual_text("text", "hello")
    viewer.add_visual_articulated_system("ghost", QUADRUPED)


def test_each_kind_has_a_name_moves_hides_and_goes(viewer):
    add_all(viewer)
    names = [thing.name for thing in viewer.visuals]
    assert len(names) == 12
    for name in names:
        thing = viewer.visual(name)
        thing.position = 1.0, 2.0, 3.0
        thing.orientation = 0.0, 1.0, 0.0, 0.0
        np.testing.assert_array_equal(thing.position, (1, 2, 3))
        np.testing.assert_array_equal(thing.orientation, (0, 1, 0, 0))
        thing.is_shown = False
        assert thing.is_shown is False
        assert thing.parts() == []
        thing.is_shown = True
        assert (len(thing.parts()) > 0) == (name != "text")
        viewer.remove_visual(name)
        thing.remove()  # a second time does nothing
        with pytest.raises(ValueError, match="was removed"):
            thing.position = 0, 0, 0
    assert viewer.visuals == ()
    with pytest.raises(KeyError, match="sphere"):
        viewer.visual("sphere")


def test_the_world_does_not_notice(viewer):
    world = viewer._world
    before = [part.name for part in world.objects]
    viewer.add_visual_sphere("around the ball", 5.0, position=(0, 0, 1))
    viewer.add_visual_articulated_system("ball", QUADRUPED)  # a name of its own kind
    world.step()
    assert [part.name for part in world.objects] == before
    assert world.contacts == []


def test_a_name_is_there_once(viewer):
    viewer.add_visual_sphere("goal", 0.1)
    with pytest.raises(ValueError, match="'goal' is there already"):
        viewer.add_visual_text("goal", "x")
    viewer.remove_visual("goal")
    viewer.add_visual_text("goal", "x")


def test_sizes_are_those_of_the_worlds_shapes(viewer):
    add_all(viewer)

    def extent(name):
        (surface, *_), *_ = viewer.visual(name).parts()
        return np.ptp(surface.vertices, axis=0)

    np.testing.assert_allclose(extent("box"), (1, 2, 3))
    np.testing.assert_allclose(extent("cylinder")[2], 1.0)
    np.testing.assert_allclose(extent("arrow"), (0.1, 0.1, 1.0), atol=1e-12)
    np.testing.assert_allclose(extent("hills"), (2, 2, 0))
    capsule = viewer.visual("capsule")
    capsule.size = 0.1, 0.5
    np.testing.assert_allclose(extent("capsule")[2], 0.7)  # height between the caps' centres + 2 radii
    np.testing.assert_allclose(np.ptp(capsule._node.vertices[:, 2]), 0.7, rtol=1e-6)


def test_what_changes_is_told_to_the_browser(viewer):
    add_all(viewer)
    sphere = viewer.visual("sphere")
    sphere.color = 1, 0, 0, 0.5
    assert sphere._node.color == (255, 0, 0)
    assert sphere._node.opacity == 0.5
    sphere.color = 0, 1, 0
    assert sphere._node.opacity is None
    line = viewer.visual("line")
    line.add_point((2, 2, 2))
    assert line._node.points.shape == (3, 2, 3)
    line.clear_points()
    assert line._node.points.shape == (0, 2, 3)
    cloud = viewer.visual("cloud")
    cloud.update(np.ones((5, 3)), colors=np.eye(3)[[0, 1, 2, 0, 1]])
    assert cloud._node.points.shape == (5, 3)
    assert cloud._node.colors[1].tolist() == [0, 255, 0]
    crowd = viewer.visual("crowd")
    crowd.position = 0, 0, 5
    crowd.update(np.zeros((3, 3)), scales=[1, 2, 3])  # another number: a new node at the same place
    assert len(crowd) == 3
    np.testing.assert_array_equal(crowd._node.position, (0, 0, 5))
    np.testing.assert_array_equal(crowd._node.batched_scales[:, 0], (1, 2, 3))
    mesh = viewer.visual("mesh")
    mesh.update(2.0 * np.array(TETRAHEDRON["vertices"]))
    assert mesh._node.vertices.max() == 2.0
    hills = viewer.visual("hills")
    hills.update_heights(np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(hills._node.vertices[:, 2], np.arange(12))
    viewer.visual("text").text = "other"
    assert viewer.visual("text")._node.text == "other"


def test_a_ghost_takes_coordinates_and_has_the_robots_poses(viewer):
    ghost = viewer.add_visual_articulated_system("ghost", QUADRUPED, position=(0, 0, 1))
    q = ghost.generalized_coordinate.copy()
    q[:3] = 3, 2, 1
    q[7:] = 0.1
    ghost.generalized_coordinate = q
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED)
    robot.generalized_coordinate = q
    from tribo.viewer import draw, scene

    expected = draw.parts_of(scene.describe(world).visual, scene.read_poses(world))
    for (_, place, turn, _), (_, there, turned, _) in zip(ghost.parts(), expected, strict=True):
        np.testing.assert_array_equal(place, there)
        np.testing.assert_array_equal(turn, turned)


def test_a_mesh_comes_from_a_file(viewer, tmp_path):
    (tmp_path / "t.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    )
    mesh = viewer.add_visual_mesh("file", tmp_path / "t.obj", scale=(1, 2, 3))
    np.testing.assert_allclose(np.ptp(mesh.parts()[0][0].vertices, axis=0), (1, 2, 3))
    with pytest.raises(ValueError, match="format"):
        viewer.add_visual_mesh("secret", "/etc/passwd")
    assert len(viewer.visuals) == 1


NAN = float("nan")


@pytest.mark.parametrize(
    ("call", "given", "says"),
    [
        ("add_visual_sphere", {"radius": 0.0}, "must be > 0"),
        ("add_visual_sphere", {"radius": NAN}, "finite"),
        ("add_visual_box", {"size": (1, 2)}, r"shape \(3,\)"),
        ("add_visual_capsule", {"radius": 0.1, "height": -1.0}, "must be > 0"),
        ("add_visual_sphere", {"radius": 1.0, "color": (1, 2, 0)}, "0 to 1"),
        ("add_visual_sphere", {"radius": 1.0, "position": (0, 0, NAN)}, "finite"),
        ("add_visual_sphere", {"radius": 1.0, "orientation": (2, 0, 0, 0)}, "unit quaternion"),
        ("add_visual_sphere", {"radius": 1.0, "place": (0, 0, 0)}, "option of it"),
        ("add_visual_mesh", {}, "needs a file"),
        ("add_visual_mesh", TETRAHEDRON | {"faces": [[0, 1, 4]]}, "whole numbers from 0 to 3"),
        ("add_visual_height_map", {"heights": [[1, 2]], "size": (1, 1)}, "ny ≥ 2"),
        ("add_visual_polyline", {"points": [[0, 0]]}, r"shape \(n, 3\)"),
        ("add_visual_point_cloud", {"points": [[0, 0, 1e30]]}, "at most 1e.15"),
        ("add_visual_point_cloud", {"points": [[0, 0, 0]], "colors": [[1, 0, 0], [1, 0, 0]]}, "shape"),
        ("add_instanced_visuals", {"shape": "torus", "size": (1, 1)}, "torus"),
        ("add_visual_text", {"text": "x" * 1001}, "at most 1000"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_and_draws_nothing(viewer, call, given, says):
    with pytest.raises((ValueError, TypeError, KeyError), match=says):
        getattr(viewer, call)("it", **given)
    assert viewer.visuals == ()


def test_bad_updates_leave_things_as_they_were(viewer):
    add_all(viewer)
    crowd, cloud = viewer.visual("crowd"), viewer.visual("cloud")
    with pytest.raises(ValueError, match="scales"):
        crowd.update(np.zeros((4, 3)), scales=0.0)
    with pytest.raises(ValueError, match="orientations"):
        crowd.update(np.zeros((4, 3)), orientations=np.zeros((3, 4)))
    with pytest.raises(ValueError, match="shape"):
        cloud.update(np.zeros((4, 3)), colors=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="shape"):
        viewer.visual("mesh").update(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="shape"):
        viewer.visual("hills").update_heights(np.zeros((4, 3)))
    assert len(crowd) == 2
    assert len(cloud.points) == 2


# -- charts ---------------------------------------------------------------------------------------
def test_a_time_series_keeps_the_latest_and_begins_anew_after_a_reset(viewer):
    graph = viewer.add_time_series_graph("height", ["ball", "box"], y_axis="z [m]")
    for k in range(5000):
        graph.add_data_points(0.01 * k, (k, -k))
    assert graph.data.shape == (2000, 3)
    np.testing.assert_allclose(graph.data[-1], (49.99, 4999, -4999))
    np.testing.assert_allclose(np.diff(graph.data[:, 0]), 0.01)
    graph.flush()
    np.testing.assert_array_equal(graph._node.data[1], graph.data[:, 1])
    graph.add_data_points(0.0, (1, 2))
    np.testing.assert_array_equal(graph.data, [[0, 1, 2]])
    viewer.remove_chart("height")
    graph.remove()
    with pytest.raises(ValueError, match="was removed"):
        graph.add_data_points(1.0, (1, 2))


def test_bars_are_in_proportion_and_texts_are_no_markup(viewer):
    chart = viewer.add_bar_chart("<b>forces</b>", ["<script>", "right"])
    chart.set_data([5.0, -10.0])
    chart.flush()
    text = chart._node.content
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "width:50.0%" in text
    assert "width:100.0%" in text
    chart.remove()


def test_charts_that_cannot_be_are_refused(viewer):
    chart = viewer.add_bar_chart("chart", ["a", "b"])
    with pytest.raises(ValueError, match="there already"):
        viewer.add_time_series_graph("chart", ["a"])
    for names in ([], ["x"] * 21, [""], [5]):
        with pytest.raises((ValueError, TypeError), match="name"):
            viewer.add_bar_chart("other", names)
    for values in ([1.0], [1.0, NAN], "ab"):
        with pytest.raises((ValueError, TypeError), match="values of chart"):
            chart.set_data(values)
    with pytest.raises(KeyError, match="chart"):
        viewer.remove_chart("chrt")
    chart.remove()


def test_a_painted_line_keeps_its_colour_when_it_grows(viewer):
    line = viewer.add_visual_polyline("line", [[0, 0, 0], [1, 0, 0]], color=(0, 0, 1), width=0.02)
    line.color = 1, 0, 0
    line.add_point((1, 2, 0))
    np.testing.assert_array_equal(
        np.broadcast_to(line._node.colors, (2, 2, 3)), np.tile([255, 0, 0], (2, 2, 1))
    )
    line.clear_points()
    line.points = [[0, 0, 0], [0, 0, 0], [1, 1, 0]]  # two of them are one: no rod between them
    (rod,) = line.parts()
    surface, place, turn, colors = rod
    ends = surface.vertices @ turn.T + place
    along, across = np.array([1, 1, 0]) / np.sqrt(2), np.array([1, -1, 0]) / np.sqrt(2)
    np.testing.assert_allclose([(ends @ along).min(), (ends @ along).max()], [0, np.sqrt(2)], atol=1e-12)
    np.testing.assert_allclose((ends @ across).max(), 0.01, rtol=0.02)  # 12 corners: cos 15° at worst
    np.testing.assert_array_equal(colors, np.tile([1, 0, 0], (len(colors), 1)))
