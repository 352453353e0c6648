"""Bodies from mesh files: mass, hull, exact triangles, and files that are refused."""

import os
import sys

import numpy as np
import pytest

from tribo import DescriptionError, World

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def crate():
    """Return a box of 0.2 × 0.3 × 0.4 m away from the origin."""
    made = trimesh.creation.box((0.2, 0.3, 0.4))
    made.apply_translation((1.0, 0.0, 0.0))
    return made


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb"])
@pytest.mark.parametrize("scale", [1.0, (2.0, 2.0, -2.0)])
def test_mass_and_inertia_are_those_of_the_solid(tmp_path, crate, ending, scale):
    path = tmp_path / f"crate.{ending}"
    crate.export(path)
    body = World().add_mesh(path, density=1000.0, scale=scale)
    factor = np.max(scale)
    assert body.mass == pytest.approx(24.0 * factor**3, rel=1e-6)  # single precision in the file
    expected = np.diag([0.25, 0.2, 0.13]) / 12.0 * body.mass * factor**2
    np.testing.assert_allclose(body.inertia, expected, atol=1e-6 * expected.max())
    assert len(body.description.bodies[0].shapes[0].geometry.vertices) == 8


def test_hollow_and_open_meshes_are_spoken_of(tmp_path, crate, caplog):
    world = World()
    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / "ring.stl")
    world.add_mesh(tmp_path / "ring.stl", mass=1.0)
    assert "1.33 times as large" in caplog.text
    trimesh.Trimesh(crate.vertices, crate.faces[:-1]).export(tmp_path / "open.stl")
    body = world.add_mesh(tmp_path / "open.stl", mass=12.0)
    assert "not a closed surface" in caplog.text
    np.testing.assert_allclose(np.diag(body.inertia), [0.25, 0.2, 0.13], atol=1e-6)


def test_hulls_of_a_robot_are_one_warning_and_said_once_for_its_file(tmp_path, caplog):
    for name, inner in (("ring", 0.1), ("thin", 0.15)):
        trimesh.creation.annulus(inner, 0.2, 0.1).export(tmp_path / f"{name}.stl")
    solid = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    meshes = "".join(
        f'<collision><geometry><mesh filename="{name}.stl"/></geometry></collision>'
        for name in ("ring", "ring", "thin")
    )
    file = tmp_path / "rings.urdf"
    file.write_text(f'<robot name="rings"><link name="base">{solid}{meshes}</link></robot>')
    for _ in range(2):
        World().add_articulated_system(file)
    (record,) = [record for record in caplog.records if "convex hulls" in record.message]
    assert "rings.urdf: convex hulls" in record.message
    assert "thin.stl 2.29 times as large, ring.stl 1.33 times as large;" in record.message
    assert 'collision_meshes="decomposition"' in record.message


def test_exact_mesh_is_static_and_stays_where_the_file_puts_it(tmp_path, crate):
    crate.export(tmp_path / "crate.stl")
    world = World()
    body = world.add_mesh(tmp_path / "crate.stl", mode="exact")
    assert body.body_type.name == "STATIC"
    assert body.description.bodies[0].shapes[0].geometry.vertices[:, 0].min() == pytest.approx(0.9)
    with pytest.raises(TypeError, match="static"):
        world.add_mesh(tmp_path / "crate.stl", mode="exact", body_type="dynamic")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": 0.0, "mass": 1.0}, "scale must not be 0"),
        ({"scale": (1.0, np.nan, 1.0), "mass": 1.0}, "scale must be finite"),
        ({}, "one of them"),
        ({"mass": 1.0, "density": 1.0}, "one of them"),
        ({"mass": 1.0, "mode": "soft"}, "mode must be"),
        ({"mass": -1.0}, "mass must be > 0"),
    ],
)
def test_bad_options_leave_the_world_as_it_was(tmp_path, crate, options, message):
    crate.export(tmp_path / "crate.stl")
    world = World()
    with pytest.raises(ValueError, match=message):
        world.add_mesh(tmp_path / "crate.stl", **options)
    assert world.objects == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.stl", b""),
        ("broken.obj", b"v 0 0 0\nf 1 2 3\n"),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"),
        ("program.exe", b"MZ"),
        ("missing.stl", None),
    ],
)
def test_bad_files_are_named(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        World().add_mesh(tmp_path / name, mass=1.0)


@pytest.mark.parametrize("scale", [1.0, (2.0, 2.0, -2.0)])
@pytest.mark.parametrize("kind", ["object", "pair", "lists", "inside out", "loose triangles"])
def test_triangles_in_memory_are_as_good_as_a_file(tmp_path, crate, kind, scale):
    crate.export(tmp_path / "crate.ply")
    vertices, faces = np.array(crate.vertices), np.array(crate.faces)
    given = {
        "object": crate, "pair": (vertices, faces), "lists": [vertices.tolist(), faces.tolist()],
        "inside out": (vertices, faces[:, ::-1]),
        "loose triangles": (vertices[faces].reshape(-1, 3), np.arange(faces.size).reshape(-1, 3)),
    }[kind]  # fmt: skip
    body = World().add_mesh(given, density=1000.0, scale=scale)
    factor = np.max(scale)
    assert body.mass == pytest.approx(24.0 * factor**3, rel=1e-12)
    expected = np.diag([0.25, 0.2, 0.13]) / 12.0 * body.mass * factor**2
    np.testing.assert_allclose(body.inertia, expected, atol=1e-12 * expected.max())
    vertices *= np.nan  # a copy was taken
    floor = World().add_mesh(crate, mode="exact", position=(0, 0, 1))
    corners = floor.description.bodies[0].shapes[0].geometry.vertices
    assert corners[:, 0].min() == pytest.approx(0.9, rel=1e-12)


@pytest.mark.parametrize(
    ("vertices", "faces", "says"),
    [
        (np.eye(4, 3), [[0, 1, 7]], "name vertex 7, there are 4"),
        (np.eye(4, 3), [[0.0, 1.0, 2.0]], r"must be \(m, 3\) integers"),
        (np.eye(4, 2), [[0, 1, 2]], r"vertices of mesh must have shape \(n, 3\)"),
        (np.full((4, 3), np.nan), [[0, 1, 2]], "must be finite"),
        (np.eye(4, 3), np.zeros((0, 3), int), "1 … 2000000 triangles, got 0"),
        (np.eye(4, 3), [[0, 1, 2]], "not a closed surface"),
    ],
)
def test_broken_triangles_in_memory_are_refused(vertices, faces, says):
    world = World()
    with pytest.raises(ValueError, match=says):
        world.add_mesh((vertices, faces), density=1.0)
    assert world.objects == ()


def test_a_world_says_that_triangles_in_memory_have_no_file(tmp_path, crate):
    world = World()
    world.add_mesh(crate, mass=1.0, name="crate")
    with pytest.raises(ValueError, match=r"'crate'.*write them to a mesh"):
        world.save(tmp_path / "world.xml")


def test_a_file_that_was_edited_is_read_again(tmp_path):
    """It was kept by its path alone: an edited file stayed as it was until the process ended."""
    path = tmp_path / "part.stl"
    for edge in (1.0, 2.0):
        trimesh.creation.box((edge, edge, edge)).export(path)
        body = World().add_mesh(path, density=10.0)
        assert body.mass == pytest.approx(10.0 * edge**3)


def test_a_pipe_is_no_mesh(tmp_path):
    """Opening a named pipe waits for a writer, for ever."""
    path = tmp_path / "part.stl"
    os.mkfifo(path)
    with pytest.raises(ValueError, match="it is a named pipe, not a plain file"):
        World().add_mesh(path, mass=1.0)


def test_a_missing_file_and_a_missing_reader_are_told_apart(tmp_path, crate, monkeypatch):
    """The one was "FileNotFoundError: [Errno 2] …", the other asked to mend the mesh."""
    with pytest.raises(ValueError, match=r"crate\.stl: there is no such file"):
        World().add_mesh(tmp_path / "crate.stl", mass=1.0)
    crate.export(tmp_path / "crate.stl")
    shape = '<collision><geometry><mesh filename="crate.stl"/></geometry></collision>'
    inertia = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    link = f'<link name="b"><inertial><mass value="1"/>{inertia}</inertial>{shape}</link>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{link}</robot>')
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match=r'^meshes need trimesh: pip install "tribo\[mesh\]"$'):
        World().add_mesh(tmp_path / "crate.stl", mass=1.0)
    with pytest.raises(ImportError, match=r'^b/0: collision meshes need .*; or collision_meshes="none"'):
        World().add_articulated_system(tmp_path / "robot.urdf")


def test_a_mesh_that_would_collide_and_is_missing_is_refused_with_strict(caplog):
    moments = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><mass value="1"/>{moments}</inertial>'
    mesh = '<geometry><mesh filename="missing.obj"/></geometry>'
    text = f'<robot name="r"><link name="a">{inertial}<{{0}}>{mesh}</{{0}}></link></robot>'
    world = World()
    with pytest.raises(DescriptionError, match=r"missing\.obj.*a/0 was not found.*strict=True"):
        world.add_articulated_system(text.format("collision"), strict=True)
    assert world.objects == ()
    world.add_articulated_system(text.format("collision"), strict=True, collision_meshes="none")
    world.add_articulated_system(text.format("visual"), strict=True)  # noted: nothing moves otherwise
    caplog.clear()
    world.add_articulated_system(text.format("collision"))
    assert "was not found: it does not collide" in caplog.text
    caplog.clear()
    many = "".join(f"<collision>{mesh}</collision>".replace("missing", f"m{k}") for k in range(7))
    world.add_articulated_system(f'<robot name="r"><link name="a">{inertial}{many}</link></robot>')
    (record,) = [one for one in caplog.records if "do not collide" in one.message]  # one, not seven
    assert "7 meshes were not found" in record.message
    assert "'m4.obj' of a/4, …" in record.message


def test_exact_meshes_of_links_that_move_have_holes(tmp_path):
    """A ring of a robot falls over a ball that is smaller than its hole, and onto its hull if it has one."""
    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / "ring.stl")
    (tmp_path / "ring.urdf").write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" '
        'iyy="0.01" iyz="0" izz="0.02"/></inertial><collision><geometry><mesh filename="ring.stl"/>'
        "</geometry></collision></link></robot>"
    )
    heights = {}
    for mode in ("exact", "hull"):
        world = World()
        world.add_ground()
        world.add_sphere(0.06, 1.0, body_type="static", position=(0, 0, 0.06))
        ring = world.add_articulated_system(
            tmp_path / "ring.urdf", position=(0, 0, 0.3), collision_meshes=mode
        )
        for _ in range(int(0.5 / world.time_step)):
            world.step()
        heights[mode] = ring.position[2]
    assert heights["exact"] == pytest.approx(0.05, abs=1e-3)
    assert heights["hull"] > 0.1


RING = """<mujoco><asset><mesh name="m" file="ring.stl" refpos="0 0 0.5"/></asset><worldbody>
  <body name="ring"><freejoint/><geom type="mesh" mesh="m" pos="0 0 0.5"/></body></worldbody></mujoco>"""


def test_meshes_of_an_mjcf_file_collide_as_the_caller_says(tmp_path):
    """A ring falls over a ball that is smaller than its hole; its hull, MuJoCo's way, does not."""
    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / "ring.stl")
    (tmp_path / "ring.xml").write_text(RING)
    heights = {}
    for mode in ("exact", "hull", "auto", "none"):
        world = World()
        world.add_ground()
        world.add_sphere(0.06, 1.0, body_type="static", position=(0, 0, 0.06))
        ring = world.add_articulated_system(
            tmp_path / "ring.xml", position=(0, 0, 0.3), collision_meshes=mode
        )
        kinds = {shape.kind.name for shape in ring.description.bodies[0].shapes}
        assert kinds == {{"exact": "SURFACE", "none": "MESH"}.get(mode, "HULL")}
        world.step(int(0.5 / world.time_step))
        heights[mode] = ring.position[2]
    assert heights["exact"] == pytest.approx(0.05, abs=1e-3)
    assert heights["hull"] == heights["auto"] > 0.1
    assert heights["none"] < -0.5
    made = World().load_mjcf(tmp_path / "ring.xml")[0].description.bodies[0].shapes
    assert [(shape.kind.name, shape.mesh) for shape in made] == [("HULL", None)]


def test_meshes_of_a_scene_collide_as_the_caller_says(tmp_path):
    """A ball of 0.06 m falls through a ring that stands, and rests on its hull, which is MuJoCo's way."""
    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / "ring.stl")
    ball = '<body name="ball" pos="0 0 0.2"><freejoint/><geom size="0.06"/></body>'
    (tmp_path / "scene.xml").write_text(
        '<mujoco><asset><mesh name="m" file="ring.stl"/></asset><worldbody>'
        f'<geom name="ring" type="mesh" mesh="m"/>{ball}</worldbody></mujoco>'
    )
    heights = {}
    for mode in ("auto", "hull", "exact", "none"):
        world = World()
        made = world.load_mjcf(tmp_path / "scene.xml", collision_meshes=mode)
        world.step(int(0.5 / world.time_step))
        heights[mode] = made[0].position[2]
    assert heights["auto"] == heights["hull"] == pytest.approx(0.11, abs=1e-3)
    assert heights["exact"] < -0.5
    assert heights["none"] < -0.5
    with pytest.raises(ValueError, match="collision_meshes"):
        World().load_mjcf(tmp_path / "scene.xml", collision_meshes="some")


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # of trimesh
def test_a_vertex_beyond_single_precision_is_named(tmp_path):
    vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e39\n"
    (tmp_path / "far.obj").write_text(vertices + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    (tmp_path / "far.xml").write_text(RING.replace("ring.stl", "far.obj"))
    with pytest.raises(DescriptionError, match=r"'m'.*beyond single precision"):
        World().load_mjcf(tmp_path / "far.xml")


def test_a_mesh_that_is_written_in_an_mjcf_file_is_a_hull_or_nothing():
    text = RING.replace('file="ring.stl"', 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"')
    with pytest.raises(DescriptionError, match=r"needs a file, but mesh 'm' is written in the MJCF"):
        World().add_articulated_system(text, collision_meshes="exact")
    for mode, kind in (("hull", "HULL"), ("none", "MESH")):
        made = World().add_articulated_system(text, collision_meshes=mode)
        assert [shape.kind.name for shape in made.description.bodies[0].shapes] == [kind]


def test_an_open_mesh_of_a_link_that_moves_is_not_exact(tmp_path, crate):
    trimesh.Trimesh(crate.vertices, crate.faces[:-1]).export(tmp_path / "open.stl")
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
        'iyz="0" izz="1"/></inertial><collision><geometry><mesh filename="open.stl"/></geometry></collision>'
        "</link></robot>"
    )
    (tmp_path / "open.urdf").write_text(text)
    with pytest.raises(DescriptionError, match="triangles that move need an inside"):
        World().add_articulated_system(tmp_path / "open.urdf", collision_meshes="exact")
