"""What there is to draw: shapes, poses, forces, pictures; no browser needed."""

import logging
from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.description.trees import MeshFile
from tribo.formats import mesh_reading
from tribo.model import Shape
from tribo.viewer import draw, film, raster, scene, stage, surface

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
SOLIDS = [
    (Shape.SPHERE, (0.5,), 4 / 3 * np.pi * 0.5**3),
    (Shape.BOX, (0.1, 0.2, 0.3), 8 * 0.1 * 0.2 * 0.3),
    (Shape.CYLINDER, (0.2, 0.4), np.pi * 0.2**2 * 0.8),
    (Shape.ELLIPSOID, (0.1, 0.2, 0.3), 4 / 3 * np.pi * 0.1 * 0.2 * 0.3),
    (Shape.CAPSULE, (0.2, 0.4), np.pi * 0.2**2 * 0.8 + 4 / 3 * np.pi * 0.2**3),
]


def volume(made):
    """Return the volume that a surface encloses if all its faces look outward."""
    a, b, c = np.moveaxis(made.vertices[made.faces], 1, 0)
    return np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0


@pytest.mark.parametrize(("kind", "size", "expected"), SOLIDS, ids=lambda v: getattr(v, "name", None))
def test_surfaces_enclose_the_shape(kind, size, expected):
    # A 64-gon inside a circle is smaller by 1 − sin(2π/n)/(2π/n) = 0.16 %; a ball twice over.
    made = surface.of_shape(kind, size, 64)
    assert volume(made) == pytest.approx(expected, rel=8e-3)
    assert volume(made) <= expected * (1.0 + 1e-12)
    np.testing.assert_allclose(np.linalg.norm(made.normals, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize(("kind", "size", "_"), SOLIDS, ids=lambda v: getattr(v, "name", None))
def test_normals_point_where_the_faces_look(kind, size, _):
    made = surface.of_shape(kind, size)
    a, b, c = np.moveaxis(made.vertices[made.faces], 1, 0)
    outward = np.cross(b - a, c - a)
    mean = made.normals[made.faces].mean(axis=1)
    assert (np.einsum("ni,ni->n", outward, mean) >= 0.0).all()


def robot_world():
    world = tribo.World()
    world.add_ground(material="steel")
    ball = world.add_sphere(0.2, 1.0, "rubber", position=(1.0, 2.0, 0.2))
    robot = world.add_articulated_system(QUADRUPED, name="quad", position=(0, 0, 1))
    return world, ball, robot


def test_a_scene_lists_what_is_seen_and_what_touches():
    world, ball, robot = robot_world()
    made = scene.describe(world)
    visuals = sum(len(body.visuals) for body in robot.description.bodies)
    assert sum(d.owner == "quad" for d in made.visual.items) >= visuals
    assert {d.owner for d in made.collision.items} <= {"quad"}
    assert [d.kind for d in made.planes.items] == [Shape.PLANE]
    assert made.names == (ball.name, "quad")
    (seen,) = (d for d in made.visual.items if d.owner == ball.name)
    assert seen.color == scene.MATERIALS["rubber"]


def test_shapes_are_placed_where_their_bodies_are():
    world, ball, robot = robot_world()
    made = scene.describe(world)
    position, rotation = made.visual.place(scene.read_poses(world))
    k = next(k for k, d in enumerate(made.visual.items) if d.owner == ball.name)
    np.testing.assert_array_equal(position[k], ball.position)
    places, turns = robot.body_poses()
    for k, item in enumerate(made.visual.items):
        if item.owner == "quad":
            row = item.body - made.root["quad"]
            np.testing.assert_allclose(position[k], places[row] + turns[row] @ item.position, atol=1e-15)
            np.testing.assert_allclose(rotation[k], turns[row] @ item.rotation, atol=1e-15)


def test_forces_are_those_of_the_contacts_on_what_gives_way():
    world, ball, _ = robot_world()
    world.step(50)
    forces = scene.read_forces(world)
    (contact,) = ball.contacts
    k = int(np.argmin(np.linalg.norm(forces.point - contact.position, axis=1)))
    np.testing.assert_allclose(forces.force[k], contact.force, rtol=1e-12, atol=1e-12)
    assert forces.force[k, 2] > 0.0


def test_the_lowest_point_of_a_robot():
    world, _, robot = robot_world()
    # All joints at zero: legs straight down, a foot of radius 25 mm at 0.48 m below the trunk.
    assert scene.lowest_point(world, robot) == pytest.approx(1.0 - 0.48 - 0.025, abs=1e-3)


# -- constraints ---------------------------------------------------------------------------------
def tied_world():
    """Return a ball on a wire of the world, and a box with a pin, a hinge and a weld."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 1.0, name="ball", position=(0.5, 0, 1))
    box = world.add_box((0.2, 0.2, 0.2), 1.0, name="box", position=(2, 0, 1))
    wire = world.add_wire(None, ball, (0, 0, 2), (0, 0, 0.1), name="rope")
    spring = world.add_wire(ball, box, stiffness=100.0)
    world.add_pin(box, None, position=(2.1, 0, 1.1), name="pin")
    world.add_hinge(None, box, position=(2, 0.1, 1), axis=(0, 1, 0), name="hinge")
    world.add_motor(None, box, (0, 1, 0), max_force=1.0)
    return world, ball, box, wire, spring


def test_wires_end_where_they_are_attached():
    world, ball, _, wire, spring = tied_world()
    made = scene.describe(world)
    world.step(100)
    ends, colors = made.lines.place(scene.read_poses(world))
    np.testing.assert_allclose(ends, [wire.points, spring.points], atol=1e-15)
    np.testing.assert_allclose(ends[0, 0], (0, 0, 2))
    assert tuple(colors[0]) == scene.WIRES["stiff"]
    assert tuple(colors[1]) == scene.WIRES["compliant"]
    wire.is_on = False
    ends, _ = made.lines.place(scene.read_poses(world))
    np.testing.assert_allclose(ends, [spring.points], atol=1e-15)
    spring.break_force = 1e-9
    world.step(2)
    assert spring.is_broken
    assert made.lines.place(scene.read_poses(world))[0].shape == (0, 2, 3)
    assert ball.position[2] < 1.0


def test_pins_and_hinges_are_marked_where_they_hold():
    world, _, _, _, _ = tied_world()
    world.step(50)
    made = scene.describe(world)
    position, rotation = made.visual.place(scene.read_poses(world))
    at = {item.name: k for k, item in enumerate(made.visual.items)}
    for tie in world.constraints:
        if tie.type in {"pin", "hinge"}:
            k = at[tie.name]
            np.testing.assert_allclose(position[k], tie.points[0], atol=1e-9)
    np.testing.assert_allclose(rotation[at["hinge"]][:, 2], (0, 1, 0), atol=1e-9)


def test_marks_of_what_is_off_or_broken_are_not_drawn():
    world, _, _, _, _ = tied_world()
    made = scene.describe(world)
    at = {item.name: k for k, item in enumerate(made.visual.items)}
    world.constraint("hinge").is_on = False
    world.constraint("pin").break_force = 1e-9
    world.step(2)
    assert world.constraint("pin").is_broken
    poses = scene.read_poses(world)
    shown = made.visual.is_shown(poses)
    assert not shown[at["pin"]]
    assert not shown[at["hinge"]]
    assert shown.sum() == len(shown) - 2
    assert (made.visual.place(poses)[0][~shown, 2] < -1e3).all()
    world.constraint("hinge").is_on = True
    assert made.visual.is_shown(scene.read_poses(world))[at["hinge"]]


def test_a_mark_in_the_browser_is_that_of_its_constraint():
    """The cylinder of a hinge stayed where the hinge was off or broken."""
    world, _, _, _, _ = tied_world()
    marks = [item for item in scene.describe(world).visual.items if item.constraint >= 0]
    assert {"hinge", "pin"} <= {item.name for item in marks}
    for item in marks:
        assert {part.constraint for part, _ in stage._parts(item)} == {item.constraint}


def test_a_wire_is_seen_in_a_picture():
    """Pixels on the line between its ends have its colour, and none is there without it."""
    world, _, _, wire, spring = tied_world()
    spring.is_on = False
    camera = raster.Camera((0.3, -4.0, 1.5), (0.3, 0.0, 1.5))
    made = scene.describe(world)
    pictures = []
    for is_on in (True, False):
        wire.is_on = is_on
        pictures.append(draw.picture(made, scene.read_poses(world), camera, draw.Style(400, 300, 2)))
    middle = camera.project(wire.points.mean(axis=0)[None], 400, 300)[0, :2].astype(int)
    shades = [int(picture[middle[1], middle[0]].sum()) for picture in pictures]
    assert shades[0] < 400
    assert shades[1] > 600


def test_the_browser_gets_the_wires():
    """As line segments of a viser server; one that breaks leaves."""
    viser = pytest.importorskip("viser")
    from tribo.viewer.stage import Stage

    world, _, _, wire, _ = tied_world()
    server = viser.ViserServer(host="127.0.0.1", port=8420, verbose=False)
    try:
        made = Stage(server, scene.describe(world), scene.read_poses(world))
        first = made._wires.node
        np.testing.assert_allclose(first.points[0], wire.points, atol=1e-6)
        world.step(100)
        made.move(scene.read_poses(world))
        assert made._wires.node is first
        np.testing.assert_allclose(first.points[0], wire.points, atol=1e-6)
        wire.is_on = False
        made.move(scene.read_poses(world))
        assert made._wires.node.points.shape == (1, 2, 3)
        made.remove()
    finally:
        server.stop()


# -- meshes ------------------------------------------------------------------------------------
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
LINK = """<robot name="r"><link name="world"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{}" scale="2 2 2"/></geometry></visual>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="world"/><child link="arm"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def mesh_world(folder, name):
    (folder / "r.urdf").write_text(LINK.format(name))
    world = tribo.World()
    world.add_articulated_system(folder / "r.urdf", name="r")
    return world


def test_a_mesh_is_read_with_its_scale(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    made = scene.describe(mesh_world(tmp_path, "t.obj"))
    (seen,) = made.visual.items
    assert seen.kind == Shape.MESH
    np.testing.assert_array_equal(np.ptp(seen.mesh.vertices, axis=0), (2, 2, 2))
    assert [d.kind for d in made.collision.items] == [Shape.SPHERE]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.obj", b"v 0 0\nf 1 2 3\n"),
        ("empty.stl", b""),
        ("bomb.dae", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><COLLADA>&b;</COLLADA>'),
        ("nan.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    ],
)
def test_a_mesh_that_fails_is_one_line_and_the_collision_shapes(tmp_path, caplog, name, content):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(content)
    with caplog.at_level(logging.WARNING, "tribo"):
        made = scene.describe(mesh_world(tmp_path, name))
    assert [d.kind for d in made.visual.items] == [Shape.SPHERE]
    assert sum("is not drawn" in record.getMessage() for record in caplog.records) == 1


def test_a_missing_mesh_shows_the_collision_shapes(tmp_path, caplog):
    made = scene.describe(mesh_world(tmp_path, "nowhere.stl"))
    assert [d.kind for d in made.visual.items] == [Shape.SPHERE]
    assert "nowhere.stl" in caplog.text


def test_a_large_mesh_is_not_read(tmp_path, monkeypatch, caplog):
    pytest.importorskip("trimesh")
    monkeypatch.setattr(mesh_reading, "MAX_BYTES", 10)
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    assert surface.load(MeshFile(tmp_path / "t.obj", "t.obj")) is None
    assert "MiB" in caplog.text


def test_textures_outside_the_folder_are_not_read(tmp_path):
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "meshes").mkdir()
    beside = mesh_reading._Beside(tmp_path / "meshes" / "t.obj")
    for name in ("../secret.png", str(tmp_path / "secret.png"), "passwd"):
        with pytest.raises(FileNotFoundError):
            beside.get(name)


# -- pictures ----------------------------------------------------------------------------------
CAMERA = raster.Camera((0.0, -10.0, 0.0), (0.0, 0.0, 0.0), fov=30.0)


def seen_ball(x=0.0, radius=1.0):
    world = tribo.World()
    world.add_sphere(radius, 1.0, position=(x, 0.0, 0.0))
    made = scene.describe(world)
    heap = draw.heap_of(draw.parts_of(made.visual, scene.read_poses(world)))
    return raster.rasterize(heap, CAMERA, 200, 200)


def test_a_ball_covers_its_disc():
    seen = seen_ball()
    rows, columns = seen.pixel // 200, seen.pixel % 200
    # A ball of radius r at distance d appears as a disc of radius f r / √(d² − r²).
    radius = CAMERA.focal(200) / np.sqrt(99.0)
    assert len(seen.pixel) == pytest.approx(np.pi * radius**2, rel=0.02)
    assert rows.mean() == pytest.approx(99.5, abs=0.5)
    assert columns.mean() == pytest.approx(99.5, abs=0.5)
    assert seen.depth.min() == pytest.approx(9.0, abs=0.01)
    assert (seen.normal[:, 1] <= 0.15).all()  # towards the camera


def test_right_is_right_and_near_hides_far():
    assert (seen_ball(x=1.0).pixel % 200).mean() > 110
    world = tribo.World()
    world.add_sphere(1.0, 1.0, "copper", position=(0, 0, 0))
    world.add_sphere(0.5, 1.0, "steel", position=(0, -3, 0))
    image = draw.picture(scene.describe(world), scene.read_poses(world), CAMERA, draw.Style(100, 100))
    red, _, blue = image[50, 50].astype(int)
    assert blue > red  # steel before copper


def test_a_ground_has_tiles_a_shadow_and_a_horizon():
    world = tribo.World()
    world.add_ground()
    high = raster.Camera((0.0, -6.0, 3.0), (0.0, 0.0, 0.5))
    style = draw.Style(160, 120)
    empty = draw.picture(scene.describe(world), scene.read_poses(world), high, style)
    assert len(np.unique(empty[80:].reshape(-1, 3), axis=0)) > 2
    world.add_sphere(0.5, 1.0, position=(0, 0, 1.5))
    full = draw.picture(scene.describe(world), scene.read_poses(world), high, style)
    darker = (empty.astype(int).sum(axis=2) - full.astype(int).sum(axis=2) > 60).sum()
    assert darker > 100  # ball and shadow
    assert full.shape == (120, 160, 3)


def test_what_is_behind_the_camera_is_not_drawn():
    world = tribo.World()
    world.add_sphere(0.5, 1.0, position=(0, -20, 0))
    heap = draw.heap_of(draw.parts_of(scene.describe(world).visual, scene.read_poses(world)))
    assert len(raster.rasterize(heap, CAMERA, 64, 64).pixel) == 0


def test_a_film_plays(tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    world, _, _ = robot_world()
    renderer, frames = tribo.Renderer(world, 64, 48, samples=1), []
    for _ in range(5):
        frames.append(renderer.rgb_array(CAMERA, forces=True))
        world.step(20)
    film.save_film(frames, tmp_path / "f.mp4", 10)
    assert imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "f.mp4")) == (5, 0.5)
    with pytest.raises(OSError, match="nowhere"):
        film.save_film(frames, tmp_path / "nowhere" / "f.mp4", 10)
    with pytest.raises(ValueError, match="one picture"):
        film.save_film([], tmp_path / "g.mp4", 10)
