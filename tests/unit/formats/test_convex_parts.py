"""Collision meshes of robots, and meshes split into convex parts."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from tribo import DescriptionError, World
from tribo.formats import convex_parts as decomposition
from tribo.formats import urdf, workers
from tribo.model import Shape

trimesh = pytest.importorskip("trimesh")

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def mesh(reference, scale="1 1 1"):
    geometry = f'<geometry><mesh filename="{reference}" scale="{scale}"/></geometry>'
    return f'<collision><origin xyz="0 0 0.5"/>{geometry}</collision>'


@pytest.fixture
def package(tmp_path):
    """Return a package with a box of 0.2 × 0.4 × 0.6 m and a robot that names it."""
    folder = tmp_path / "bot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "urdf").mkdir()
    trimesh.creation.box((0.2, 0.4, 0.6)).export(folder / "meshes" / "box.stl")
    return folder


def robot(folder, *links):
    """Write a robot whose first link is the base; the others hang on it by hinges."""
    text = "".join(f'<link name="{name}">{body}</link>' for name, body in links)
    for name, _ in links[1:]:
        text += (
            f'<joint name="{name}_joint" type="continuous"><parent link="{links[0][0]}"/>'
            f'<child link="{name}"/><axis xyz="0 1 0"/></joint>'
        )
    path = folder / "urdf" / "bot.urdf"
    path.write_text(f"<robot>{text}</robot>")
    return path


def test_meshes_collide_as_hulls_where_they_move_and_exactly_where_they_stand(package):
    reference = "package://bot/meshes/box.stl"
    path = robot(package, ("world", mesh(reference)), ("arm", INERTIAL + mesh(reference, "2 1 1")))
    made = World().add_articulated_system(path)
    base, arm = made.collision_bodies
    assert (base.shape, arm.shape) == (Shape.SURFACE, Shape.HULL)
    shape = made.description.bodies[1].shapes[0]
    np.testing.assert_allclose(np.ptp(shape.geometry.vertices, axis=0), (0.4, 0.4, 0.6), rtol=1e-7)
    assert shape.position == (0.0, 0.0, 0.5)
    hulls = World().add_articulated_system(path, collision_meshes="hull")
    assert [body.shape for body in hulls.collision_bodies] == [Shape.HULL, Shape.HULL]
    drawn = World().add_articulated_system(path, collision_meshes="none")
    assert [body.shape for body in drawn.collision_bodies] == [Shape.MESH, Shape.MESH]


def test_a_robot_stands_on_its_mesh(package):
    path = robot(package, ("body", INERTIAL + mesh("../meshes/box.stl")))
    world = World()
    world.add_ground()
    made = world.add_articulated_system(path, position=(0, 0, -0.2), package_dirs=package)
    world.step(3)
    assert len(world.contacts) == 4  # the corners of the box, whose underside is at 0.2 − 0.2
    assert abs(made.position[2] + 0.2) < 1e-7  # single precision in the file


def test_robots_with_meshes_are_written_once_per_mesh(package, monkeypatch, tmp_path):
    monkeypatch.setattr(decomposition, "cache_root", lambda: tmp_path / "cache")
    half = np.array(trimesh.creation.box((0.1, 0.4, 0.6)).vertices)
    monkeypatch.setattr(decomposition, "_split", lambda *_: [half, np.add(half, (0.1, 0, 0))])
    reference = "package://bot/meshes/box.stl"
    path = robot(package, ("body", INERTIAL + mesh(reference)))
    made = World().add_articulated_system(path, collision_meshes="decomposition")
    assert [body.name for body in made.collision_bodies] == ["body/0", "body/0.1"]
    made.export_urdf(package / "urdf" / "again.urdf")
    shapes = [s for b in urdf.read(package / "urdf" / "again.urdf").bodies for s in b.shapes]
    assert [(s.kind, s.mesh.reference) for s in shapes] == [(Shape.MESH, reference)]


@pytest.mark.parametrize(
    "reference",
    [
        "package://bot/../../secret.stl",
        "package://bot/meshes/../../../secret.stl",
        "../../secret.stl",
        "package://../secret.stl",
        "package://bot/link.stl",
    ],
)
def test_no_path_leads_out_of_the_package(package, tmp_path, caplog, reference):
    outside = tmp_path.parent / f"{tmp_path.name}_outside"
    outside.mkdir()
    secret = outside / "secret.stl"
    trimesh.creation.box((1, 1, 1)).export(secret)
    (tmp_path / "secret.stl").symlink_to(secret)
    (package / "link.stl").symlink_to(secret)
    path = robot(package, ("body", INERTIAL + mesh(reference)))
    made = World().add_articulated_system(path)
    assert made.collision_bodies[0].shape == Shape.MESH  # not read, and said so
    assert "does not collide" in caplog.text


def test_a_broken_mesh_names_link_and_remedy(package):
    (package / "meshes" / "box.stl").write_bytes(b"solid nothing\nendsolid\n")
    path = robot(package, ("body", INERTIAL + mesh("package://bot/meshes/box.stl")))
    world = World()
    with pytest.raises(DescriptionError, match=r'body/0: .*box\.stl.*collision_meshes="none"'):
        world.add_articulated_system(path)
    with pytest.raises(ValueError, match="collision_meshes"):
        world.add_articulated_system(path, collision_meshes="boxes")
    assert world.objects == ()


@pytest.fixture
def bracket(tmp_path, monkeypatch):
    """Return the file of an L of three cubes of 0.1 m, and keep the cache apart."""
    pytest.importorskip("coacd")
    monkeypatch.setattr(decomposition, "cache_root", lambda: tmp_path / "cache")
    outline = [(0, 0), (0.2, 0), (0.2, 0.1), (0.1, 0.1), (0.1, 0.2), (0, 0.2)]
    low = [(x, y, 0.0) for x, y in outline]
    high = [(x, y, 0.1) for x, y in outline]
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(c, b, a) for a, b, c in caps] + [(a + 6, b + 6, c + 6) for a, b, c in caps]
    for k in range(6):
        j = (k + 1) % 6
        faces += [(k, j, j + 6), (k, j + 6, k + 6)]
    made = trimesh.Trimesh(low + high, faces)
    assert made.is_watertight
    made.export(tmp_path / "bracket.obj")
    return tmp_path / "bracket.obj"


def test_an_angle_bracket_is_split_into_two_boxes_once(bracket, monkeypatch):
    made = World().add_mesh(bracket, density=1000.0, mode="decomposition")
    solids = [shape.geometry for shape in made.description.bodies[0].shapes]
    assert len(solids) == 2
    # The cut leaves a slit of the search's step, some thousandths of the size.
    assert sum(solid.volume for solid in solids) == pytest.approx(3e-3, rel=0.02)
    assert made.mass == pytest.approx(3.0, rel=1e-7)  # of the mesh, not of its parts
    monkeypatch.setattr(decomposition, "_split", None)  # from here on it must come from the disk
    again = World().add_mesh(bracket, density=1000.0, mode="decomposition")
    for one, other in zip(solids, again.description.bodies[0].shapes, strict=True):
        np.testing.assert_array_equal(one.vertices, other.geometry.vertices)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\x93NUMPY"])
def test_a_broken_cache_is_found_again(bracket, content, monkeypatch):
    half = np.array(trimesh.creation.box((0.1, 0.4, 0.6)).vertices)
    monkeypatch.setattr(decomposition, "_split", lambda *_: [half, np.add(half, (0.1, 0, 0))])
    World().add_mesh(bracket, density=1000.0, mode="decomposition")
    (kept,) = (bracket.parent / "cache" / "convex").iterdir()
    kept.write_bytes(content)
    made = World().add_mesh(bracket, density=1000.0, mode="decomposition")
    assert len(made.collision_bodies) == 2
    assert kept.stat().st_size > len(content)


def test_an_open_mesh_has_no_density(tmp_path):
    box = trimesh.creation.box((0.2, 0.3, 0.4))
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(tmp_path / "open.stl")
    world = World()
    with pytest.raises(ValueError, match="not a closed surface"):
        world.add_mesh(tmp_path / "open.stl", density=1.0)
    assert world.objects == ()


def test_a_mesh_that_is_inside_out_is_turned(tmp_path):
    box = trimesh.creation.box((0.2, 0.3, 0.4))
    box.invert()
    box.export(tmp_path / "inverse.stl")
    assert World().add_mesh(tmp_path / "inverse.stl", density=1000.0).mass == pytest.approx(24.0)
    floor = World().add_mesh(tmp_path / "inverse.stl", mode="exact")
    geometry = floor.description.bodies[0].shapes[0].geometry
    corners = geometry.vertices[geometry.triangles]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", outward, corners.mean(axis=1)) > 0.0).all()


def other_process(monkeypatch, code):
    """Let other code run instead of the decomposition; return the processes that were started."""
    started, popen = [], subprocess.Popen

    def start(_, **options):
        started.append(popen([sys.executable, "-c", code], **options))
        return started[-1]

    monkeypatch.setattr(workers.subprocess, "Popen", start)
    return started


TRIANGLES = (np.eye(4, 3), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))


def test_ctrl_c_ends_the_process_that_splits_a_mesh(monkeypatch, tmp_path):
    pytest.importorskip("coacd")
    monkeypatch.setattr(decomposition, "cache_root", lambda: tmp_path)
    started = other_process(monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(workers.time, "sleep", lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        decomposition.convex_parts(*TRIANGLES)
    assert [process.poll() for process in started] == [-signal.SIGKILL]


def test_a_process_that_dies_is_an_error_that_names_the_mesh(monkeypatch, tmp_path):
    pytest.importorskip("coacd")
    monkeypatch.setattr(decomposition, "cache_root", lambda: tmp_path)
    other_process(monkeypatch, "import os; os.kill(os.getpid(), 11)")
    with pytest.raises(ValueError, match=r"cup.stl: cannot be split .* ended with code -11"):
        decomposition.convex_parts(*TRIANGLES, what="cup.stl")
