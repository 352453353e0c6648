"""Colours of objects, in Python and in files; meshes are drawn as they are."""

import numpy as np
import pytest

import tribo

pytest.importorskip("trimesh", reason="mesh files need trimesh")
pytest.importorskip("scipy", reason="hulls need SciPy")
import trimesh

from tribo.model import Shape
from tribo.tools.demo import ASSETS
from tribo.viewer import scene

BLUE = (0.1, 0.2, 0.8, 1.0)
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
ADD = {
    "sphere": lambda w, **o: w.add_sphere(0.1, 1.0, **o),
    "box": lambda w, **o: w.add_box((1, 1, 1), 1.0, **o),
    "capsule": lambda w, **o: w.add_capsule(0.1, 0.2, 1.0, **o),
    "cylinder": lambda w, **o: w.add_cylinder(0.1, 0.2, 1.0, **o),
    "cone": lambda w, **o: w.add_cone(0.1, 0.2, 1.0, **o),
    "ellipsoid": lambda w, **o: w.add_ellipsoid((0.1, 0.2, 0.3), 1.0, **o),
    "compound": lambda w, **o: w.add_compound([tribo.CompoundPart("sphere", 0.1)], 1.0, **o),
    "height map": lambda w, **o: w.add_height_map(np.zeros((3, 3)), (1, 1), **o),
    "robot": lambda w, **o: w.add_articulated_system(ASSETS / "quadruped.urdf", **o),
}
WITHOUT_FILE = {
    "convex": lambda w, **o: w.add_convex(CORNERS, 1.0, **o),
    "surface": lambda w, **o: w.add_surface(CORNERS[:3], [(0, 1, 2)], **o),
    "mesh in memory": lambda w, **o: w.add_mesh((CORNERS, FACES), mass=1.0, **o),
}


def colors_of(world):
    return {item.color for item in scene.describe(world).visual.items}


@pytest.mark.parametrize("kind", [*ADD, *WITHOUT_FILE])
def test_everything_is_drawn_in_its_colour(kind):
    world = tribo.World()
    part = (ADD | WITHOUT_FILE)[kind](world, color=BLUE[:3])
    assert part.color == BLUE
    assert colors_of(world) == {BLUE[:3]}
    part.color = "red"
    assert colors_of(world) == {(0.80, 0.22, 0.20)}
    part.color = None
    assert colors_of(world).isdisjoint({BLUE[:3], (0.80, 0.22, 0.20)})


@pytest.mark.parametrize("kind", ADD)
def test_a_colour_stays_in_a_file(kind, tmp_path):
    world = tribo.World()
    part = ADD[kind](world, color=(0.1, 0.2, 0.8, 0.5))
    world.save(tmp_path / "world.xml")
    assert tribo.World.load(tmp_path / "world.xml")[part.name].color == (0.1, 0.2, 0.8, 0.5)


@pytest.mark.parametrize(
    ("value", "says"),
    [("redd", "did you mean 'red'"), ((1, 2, 3), "0 … 1"), ((0.1, 0.2), "0 … 1"), (None, None)],
)
def test_what_is_no_colour_is_refused_and_leaves_the_world(value, says):
    world = tribo.World()
    if says is None:
        assert world.add_sphere(0.1, 1.0, color=None).color is None
        return
    with pytest.raises(ValueError, match=says):
        world.add_sphere(0.1, 1.0, color=value)
    assert world.objects == ()
    ball = world.add_sphere(0.1, 1.0, color="green")
    with pytest.raises(ValueError, match=says):
        ball.color = value
    assert ball.color == (0.25, 0.60, 0.33, 1.0)


def hollow():
    """A box with a notch: its hull has more volume than the mesh."""
    outer = trimesh.creation.box((1.0, 1.0, 1.0))
    return trimesh.util.concatenate([outer, trimesh.creation.box((0.2, 0.2, 2.0))])


@pytest.mark.parametrize("from_file", [True, False])
def test_a_mesh_is_drawn_as_it_is_where_it_collides_as_a_hull(from_file, tmp_path):
    mesh = hollow()
    mesh.export(tmp_path / "part.obj")
    world = tribo.World()
    item = tmp_path / "part.obj" if from_file else mesh
    com = (0.1, 0.2, 0.3)
    body = world.add_mesh(item, mass=1.0, com=com, position=(1, 2, 3), material="steel")
    made = scene.describe(world)
    (seen,), (touched,) = made.visual.items, made.collision.items
    assert (seen.kind, touched.kind) == (Shape.MESH, Shape.MESH)
    assert len(seen.mesh.faces) == len(mesh.faces) > 0
    assert seen.color == scene.MATERIALS["steel"]
    corners = np.asarray(seen.mesh.vertices) + seen.position
    np.testing.assert_allclose(corners.min(axis=0), mesh.vertices.min(axis=0) - com, atol=1e-12)
    body.com = (0.0, 0.0, 0.0)  # what is drawn stays where it is, as the shapes do
    (seen,) = scene.describe(world).visual.items
    corners = np.asarray(seen.mesh.vertices) + seen.position
    np.testing.assert_allclose(corners.max(axis=0), mesh.vertices.max(axis=0), atol=1e-12)
