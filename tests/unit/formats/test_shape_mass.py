"""Mass, centre of mass and inertia from a density: closed forms, hulls, meshes, compounds, links."""

import numpy as np
import pytest

import tribo
from tribo.description.trees import LinkDescription, MeshFile, ShapeDescription
from tribo.formats.assembly import assemble
from tribo.formats.inertia import merged
from tribo.formats.shape_mass import moments, solid
from tribo.model import Shape

trimesh = pytest.importorskip("trimesh")
DENSITY = 7850.0
TURN = (0.5, -0.5, 0.5, 0.5)
TIGHT = 1e-12  # [–] of the largest entry: rounding of sums over a few thousand triangles


def revolved(pieces):
    """Integrate discs of a body of revolution about z; r² is a polynomial of z within each piece.

    Gauss's rule of 12 points is exact up to degree 23, so this has round-off only. Returned are volume,
    centre and inertia per mass about the centre: dI_zz = π r⁴/2 dz, dI_xx = (π r⁴/4 + π r² z²) dz.
    """
    nodes, weights = np.polynomial.legendre.leggauss(12)
    volume = first = along = across = 0.0
    for low, high, square in pieces:
        z = 0.5 * (high + low) + 0.5 * (high - low) * nodes
        w = 0.5 * (high - low) * weights
        r2 = square(z)
        volume += np.pi * w @ r2
        first += np.pi * w @ (r2 * z)
        along += np.pi / 2 * w @ r2**2
        across += np.pi * w @ (r2**2 / 4 + r2 * z**2)
    centre = first / volume
    across = across / volume - centre**2
    return volume, np.array([0, 0, centre]), np.diag([across, across, along / volume])


R, H = 0.3, 0.7  # half of a height
REVOLVED = {
    Shape.SPHERE: ((R,), [(-R, R, lambda z: R**2 - z**2)]),
    Shape.CYLINDER: ((R, H), [(-H, H, lambda z: R**2 + 0 * z)]),
    Shape.CONE: ((R, H), [(-H, H, lambda z: (R * (H - z) / (2 * H)) ** 2)]),
    Shape.CAPSULE: (
        (R, H),
        [
            (-H - R, -H, lambda z: R**2 - (z + H) ** 2),
            (-H, H, lambda z: R**2 + 0 * z),
            (H, H + R, lambda z: R**2 - (z - H) ** 2),
        ],
    ),
    Shape.ELLIPSOID: ((R, R, H), [(-H, H, lambda z: R**2 * (1 - z**2 / H**2))]),
}


@pytest.mark.parametrize("kind", REVOLVED)
def test_closed_forms_are_integrals_over_discs(kind):
    size, pieces = REVOLVED[kind]
    for found, expected in zip(moments(ShapeDescription(kind, size)), revolved(pieces), strict=True):
        np.testing.assert_allclose(found, expected, rtol=TIGHT, atol=1e-15)


def affine(unit, factors):
    """Return the inertia per mass of a body stretched along its axes: ∫ x² scales by the factor squared."""
    second = np.diag([0.5 * np.trace(unit) - unit[k, k] for k in range(3)]) * np.square(factors)
    return np.eye(3) * np.trace(second) - second


def test_ellipsoids_and_boxes_are_stretched_balls_and_cubes():
    ball = moments(ShapeDescription(Shape.SPHERE, (1.0,)))
    cube = moments(ShapeDescription(Shape.BOX, (1.0, 1.0, 1.0)))
    factors = (0.2, 0.5, 1.7)
    for whole, kind in ((ball, Shape.ELLIPSOID), (cube, Shape.BOX)):
        volume, _, unit = moments(ShapeDescription(kind, factors))
        assert volume == pytest.approx(whole[0] * np.prod(factors), rel=TIGHT)
        np.testing.assert_allclose(unit, affine(whole[2], factors), rtol=TIGHT, atol=1e-15)


def bodies():
    """Return closed meshes: convex and not, far from the origin, turned, with a handle."""
    rng = np.random.default_rng(7)
    torus = trimesh.creation.torus(0.5, 0.2, major_sections=24, minor_sections=16)
    blob = trimesh.convex.convex_hull(rng.normal(size=(60, 3)) * (0.2, 0.5, 1.0) + (3.0, -2.0, 1.0))
    ring = trimesh.creation.annulus(0.2, 0.5, 0.3, sections=24)
    ring.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
    box = trimesh.creation.box((0.2, 0.4, 1.0))
    return {"torus": torus, "blob": blob, "ring": ring, "box": box}


MESHES = bodies()


def compare(volume, centre, unit, mesh):
    """Compare with trimesh's own integrals, each to 1e-12 of its largest entry."""
    scale = np.abs(mesh.vertices - mesh.center_mass).max()
    assert volume == pytest.approx(mesh.volume, rel=TIGHT)
    np.testing.assert_allclose(centre, mesh.center_mass, rtol=0, atol=TIGHT * np.abs(mesh.vertices).max())
    np.testing.assert_allclose(unit, mesh.moment_inertia / mesh.volume, rtol=0, atol=TIGHT * scale**2 * 10)


@pytest.mark.parametrize("name", MESHES)
def test_meshes_agree_with_trimesh(name, tmp_path):
    mesh = MESHES[name]
    path = tmp_path / "m.off"
    path.write_text(mesh.export(file_type="off", digits=17))
    shape = ShapeDescription(Shape.MESH, (), mesh=MeshFile(path, "m.off"))
    compare(*moments(shape), mesh)
    body = tribo.World().add_mesh(path, density=DENSITY)
    assert body.mass == pytest.approx(DENSITY * mesh.volume, rel=TIGHT)
    expected = DENSITY * mesh.moment_inertia
    np.testing.assert_allclose(body.inertia, expected, rtol=0, atol=TIGHT * 10 * np.abs(expected).max())


def test_scaled_and_mirrored_meshes(tmp_path):
    path = tmp_path / "m.off"
    path.write_text(MESHES["ring"].export(file_type="off", digits=17))
    factors = (0.5, -2.0, 1.5)
    scaled = MESHES["ring"].copy()
    scaled.apply_transform(np.diag([*factors, 1.0]))
    compare(*moments(ShapeDescription(Shape.MESH, (), mesh=MeshFile(path, "m", factors))), scaled)


def test_an_open_mesh_and_terrain_have_no_volume(tmp_path):
    mesh = MESHES["box"].copy()
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)
    path = tmp_path / "open.off"
    path.write_text(mesh.export(file_type="off"))
    shape = ShapeDescription(Shape.MESH, (), mesh=MeshFile(path, "open.off"), name="hull/0")
    with pytest.raises(tribo.DescriptionError, match=r"shape 'hull/0'.* is not a closed surface"):
        solid(shape, density=1.0)
    with pytest.raises(tribo.DescriptionError, match="a plane encloses no volume"):
        solid(ShapeDescription(Shape.PLANE, ()), density=1.0)
    lost = ShapeDescription(Shape.MESH, (), mesh=MeshFile(None, "lost.stl"))
    with pytest.raises(tribo.DescriptionError, match=r"lost\.stl: the file was not found"):
        solid(lost, density=1.0)


ADDED = {
    "sphere": ((0.3,), Shape.SPHERE, (0.3,)),
    "box": (((0.2, 0.4, 0.6),), Shape.BOX, (0.1, 0.2, 0.3)),
    "capsule": ((0.1, 0.5), Shape.CAPSULE, (0.1, 0.25)),
    "cylinder": ((0.1, 0.5), Shape.CYLINDER, (0.1, 0.25)),
    "cone": ((0.1, 0.5), Shape.CONE, (0.1, 0.25)),
    "ellipsoid": (((0.1, 0.2, 0.3),), Shape.ELLIPSOID, (0.1, 0.2, 0.3)),
}


@pytest.mark.parametrize("kind", ADDED)
def test_single_bodies_take_a_density_instead_of_a_mass(kind):
    arguments, shape, size = ADDED[kind]
    volume, _, unit = moments(ShapeDescription(shape, size))
    add = getattr(tribo.World(), f"add_{kind}")
    body = add(*arguments, density=DENSITY)
    assert body.mass == DENSITY * volume
    np.testing.assert_allclose(body.inertia, body.mass * unit, rtol=TIGHT, atol=1e-15)
    for wrong in ({}, {"mass": 1.0, "density": 1.0}):
        with pytest.raises(ValueError, match=r"give mass \[kg\] or density \[kg/m³\], one of them"):
            add(*arguments, **wrong)
    with pytest.raises(ValueError, match="density must be > 0"):
        add(*arguments, density=0.0)


def test_convex_hulls_take_a_density():
    mesh = MESHES["blob"]
    body = tribo.World().add_convex(mesh.vertices, density=DENSITY)
    assert body.mass == pytest.approx(DENSITY * mesh.volume, rel=TIGHT)
    np.testing.assert_allclose(body.inertia, DENSITY * mesh.moment_inertia, rtol=1e-11)


def test_parts_of_a_compound_have_densities_of_their_own():
    handle = tribo.CompoundPart("cylinder", (0.02, 0.3), density=700.0)
    head = tribo.CompoundPart("box", (0.1, 0.04, 0.04), density=DENSITY, position=(0, 0, 0.15))
    pin = tribo.CompoundPart("sphere", 0.01, mass=0.05, position=(0.03, 0, 0), orientation=TURN)
    body = tribo.World().add_compound([handle, head, pin])
    parts = [
        solid(ShapeDescription(Shape.CYLINDER, (0.02, 0.15)), density=700.0),
        solid(ShapeDescription(Shape.BOX, (0.05, 0.02, 0.02), (0, 0, 0.15)), density=DENSITY),
        solid(ShapeDescription(Shape.SPHERE, (0.01,), (0.03, 0, 0), TURN), mass=0.05),
    ]
    whole = merged(parts)
    assert body.mass == pytest.approx(whole.mass, rel=TIGHT)
    np.testing.assert_allclose(body.inertia, whole.inertia, rtol=TIGHT, atol=1e-15)
    with pytest.raises(ValueError, match="part 0 has a mass and a density"):
        tribo.World().add_compound([tribo.CompoundPart("sphere", 0.1, mass=1.0, density=1.0)])
    with pytest.raises(ValueError, match="1 of 2 parts have a mass or density"):
        tribo.World().add_compound([handle, tribo.CompoundPart("sphere", 0.1)])


def test_links_take_meshes_with_a_density_or_a_mass(tmp_path):
    mesh = MESHES["torus"]
    path = tmp_path / "m.off"
    path.write_text(mesh.export(file_type="off", digits=17))
    turn = trimesh.transformations.quaternion_matrix(TURN)
    turn[:3, 3] = 0.1, 0.2, 0.3
    placed = mesh.copy()
    placed.apply_transform(turn)
    for given in ({"density": DENSITY}, {"mass": DENSITY * mesh.volume}):
        link = LinkDescription("l")
        link.add_mesh(path, position=(0.1, 0.2, 0.3), quaternion=TURN, **given)
        body = assemble(link).bodies[0]
        compare(body.mass / DENSITY, body.com, body.inertia / body.mass, placed)
    with pytest.raises(tribo.DescriptionError, match="has a mass or a density > 0, not both"):
        LinkDescription("l").add_mesh(path, mass=1.0, density=1.0)
    with pytest.raises(tribo.DescriptionError, match="has a mass or a density > 0, not both"):
        LinkDescription("l").add_mesh(path, density=-1.0)


def test_rod_body_of_choreonoid():
    """8000 kg/m³, 1.5 × 0.15 × 0.15: 270 kg, moments 1.0125 and 51.13, as a shipped file says."""
    whole = solid(ShapeDescription(Shape.BOX, (0.75, 0.075, 0.075)), density=8000.0)
    assert whole.mass == pytest.approx(270.0, rel=TIGHT)
    np.testing.assert_allclose(np.diag(whole.inertia), (1.0125, 51.13, 51.13), rtol=1e-4)
