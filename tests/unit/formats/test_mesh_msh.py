"""MuJoCo's binary meshes."""

import numpy as np
import pytest

from tribo.formats.mesh_bounds import MeshError
from tribo.formats.mesh_msh import read_msh

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<i4")


def written(head=(4, 4, 4, 4), faces=FACES):
    parts = [np.array(head, "<i4"), POINTS, POINTS, POINTS[:, :2], faces]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def test_vertices_and_triangles_are_found_behind_normals_and_texture_coordinates():
    points, faces = read_msh(written())
    np.testing.assert_array_equal(points, POINTS)
    np.testing.assert_array_equal(faces, FACES)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"abc", "too few"),
        (written()[:-4], "it is cut"),
        (written((4, 4, 4, 2**31 - 1)), "announces"),
        (written((-1, 4, 4, 4)), "announces"),
        (written(faces=FACES + 1), "names vertex 4"),
    ],
)
def test_broken_files_are_refused(data, words):
    with pytest.raises(MeshError, match=words):
        read_msh(data)


def test_a_geom_takes_its_hull_and_mass_from_one(tmp_path):
    pytest.importorskip("trimesh")
    pytest.importorskip("scipy")
    from tribo.formats import mjcf

    (tmp_path / "t.msh").write_bytes(written())
    (tmp_path / "m.xml").write_text(
        '<mujoco><asset><mesh file="t.msh"/></asset><worldbody><body><freejoint/>'
        '<geom type="mesh" mesh="t"/></body></worldbody></mujoco>'
    )
    body = mjcf.read(tmp_path / "m.xml").objects[0].tree.bodies[0]
    assert body.mass == pytest.approx(1000.0 / 6.0, rel=1e-12)
