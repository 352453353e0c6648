"""VRML meshes: shapes by their volumes, transforms, DEF and USE, and files that mean harm."""

import math

import numpy as np
import pytest

import tribo
from tribo.formats import vrml, vrml_shapes
from tribo.formats.mesh_bounds import MeshError

HEAD = "#VRML V2.0 utf8\n"


def mesh(text):
    trimesh = pytest.importorskip("trimesh")
    return trimesh.Trimesh(*vrml.read(HEAD + text))


def shape(geometry):
    return f"Shape {{ appearance Appearance {{ }} geometry {geometry} }}"


TETRAHEDRON = (
    "IndexedFaceSet { coord DEF C Coordinate { point [ 0 0 0, 1 0 0, # a corner\n 0 1 0, 0 0 1 ] }"
    " coordIndex [ 0, 2, 1, -1, 0 1 3 -1, 0 3 2 -1 1 2 3 ] }"
)
DIAMOND = "1 0 0 -1 -1 0 0 1 1 0"
CIRCLE = 0.5 * 32 * math.sin(2 * math.pi / 32)  # area of a polygon of 32 corners in a unit circle


@pytest.mark.parametrize(
    ("geometry", "volume"),
    [
        (TETRAHEDRON, 1 / 6),
        ("Box { size 1 2 3 }", 6.0),
        ("Box { }", 8.0),
        ("Cylinder { radius 0.5 height 3 }", CIRCLE * 0.25 * 3),
        ("Cone { bottomRadius 2 height 3 }", CIRCLE * 4 * 3 / 3),
        ("Extrusion { }", 4.0),
        ("Extrusion { spine [0 0 0 0 2 0 0 2 3] }", None),
        (f"Extrusion {{ crossSection [{DIAMOND}] spine [0 0 0, 1 0 0] scale [1 1 0.5 0.5] }}", 7 / 6),
        ("Extrusion { crossSection [2 2 0 -2 -2 2 0 1 2 2] }", 6.0),
    ],
)  # fmt: skip
def test_a_shape_has_its_volume_and_is_closed_and_outward(geometry, volume):
    """A frustum of end areas 2 and 1/2 has 1 · (2 + 1 + 1/2) / 3; a dart of 4 · 4 / 2 − 4 · 1 / 2 m² 6 m³."""
    made = mesh(shape(geometry))
    assert made.is_watertight
    assert made.is_winding_consistent
    assert made.volume > 0.0
    if volume is not None:
        assert made.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("size", [(2, 3, 0), (0, 2, 3), (2, 0, 3)])
def test_a_box_without_thickness_is_a_plate_of_two_faces(size):
    vertices, triangles = vrml.read(HEAD + shape("Box {{ size {} {} {} }}".format(*size)))
    sides = vertices[triangles]
    normals = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]) / 2
    assert np.abs(normals).sum() == pytest.approx(2 * 6)
    np.testing.assert_array_equal(normals.sum(0), 0.0)
    assert (vertices.max(0) - vertices.min(0)).tolist() == list(size)


def test_a_sphere_is_round():
    made = mesh(shape("Sphere { radius 2 }"))
    np.testing.assert_allclose(np.linalg.norm(made.vertices, axis=1), 2.0, rtol=1e-12)
    assert made.is_watertight


def test_transforms_stand_in_one_another_and_mirror():
    text = f"""Transform {{ translation 0 0 1 rotation 0 0 1 1.5707963267948966 children [
        Transform {{ scale -2 1 1 center 1 0 0 children {shape(TETRAHEDRON)} }} ] }}"""
    made = mesh(text)
    assert made.volume == pytest.approx(2 / 6)
    # x' = −2 (x − 1) + 1 = 3 − 2 x, then x' → y, and 1 m up
    np.testing.assert_allclose(made.bounds, [[-1, 1, 1], [0, 3, 2]], atol=1e-12)


def test_definitions_and_prototypes_are_used_again():
    text = f"""PROTO Joint [ field SFVec3f center 0 0 0 exposedField MFNode children [ ] ] {{
        Transform {{ translation IS center children IS children }} }}
        EXTERNPROTO Far [ field SFFloat x ] "far.wrl"
        DEF S {shape("Box { size 1 1 1 }")}
        Transform {{ translation 5 0 0 children [ USE S, Joint {{ children USE S }} ] }}
        ROUTE A.x TO B.y"""
    assert mesh(text).volume == pytest.approx(3.0)


def test_events_of_a_script_have_no_value():
    """`url` after the last eventOut was taken for its value, and the file was refused."""
    script = """DEF S Script { field SFBool on TRUE eventIn SFBool in eventOut SFFloat out
        url ["javascript: function in(v) { out = 1; }"] directOutput TRUE }
        PROTO P [ eventIn SFBool go ] { Group { children [ Script { eventIn SFBool go IS go url "x" } ] } }
        P { } """
    assert mesh(script + shape("Box { size 1 2 3 }")).volume == pytest.approx(6.0)


HUMANOID = """PROTO Joint [ exposedField SFVec3f translation 0 0 0 exposedField MFNode children [] ]
    { Transform { translation IS translation children IS children } }
    PROTO Segment [ exposedField MFNode children [ ] eventIn MFNode addChildren field SFFloat mass 0 ]
    { Group { addChildren IS addChildren children IS children } }
    PROTO Humanoid [ exposedField MFNode humanoidBody [ ] exposedField MFNode segments [ ] ]
    { Transform { children [ Group { children IS humanoidBody } ] } }
"""


def test_a_humanoid_draws_its_body_once_and_in_its_place():
    """`segments` lists what the body draws already: drawn again, it would stand at the origin."""
    segment = f"DEF LINK Segment {{ mass 2 children {shape('Box { size 1 1 1 }')} }}"
    joint = f"DEF JOINT Joint {{ translation 0 0 5 children [ {segment} ] }}"
    made = mesh(HUMANOID + f"Humanoid {{ humanoidBody [ {joint} ] segments [ USE LINK, ] }}")
    assert made.volume == pytest.approx(1.0)
    np.testing.assert_allclose(made.bounds, [[-0.5, -0.5, 4.5], [0.5, 0.5, 5.5]])


def test_a_prototype_is_a_geometry_with_the_values_given():
    floor = "PROTO Plane [ exposedField SFVec3f size 10 10 1 ] { Box { size IS size } }"
    wide = "PROTO Wide [ field SFVec3f size 2 2 2 ] { Shape { geometry Plane { size IS size } } }"
    for used, volume in (
        (shape("Plane { }"), 100.0),
        (shape("Plane { size 1 2 3 }"), 6.0),
        ("Wide { }", 8.0),
        ("Wide { size 1 1 4 }", 4.0),
        ("PROTO No [ ] { Group { } } No { }" + shape("Box { size 1 1 1 }"), 1.0),
        ("PROTO Two [ ] { Group { children [ DEF B "
         + shape("Box { size 1 1 1 }") + " USE B ] } } Two { }", 2.0),
    ):  # fmt: skip
        assert mesh(f"{floor} {wide} {used}").volume == pytest.approx(volume)


def test_prototypes_of_prototypes_are_bounded(monkeypatch):
    monkeypatch.setattr(vrml, "MAX_NODES", 10_000)
    text = "PROTO P0 [ ] { Group { } }"
    for k in range(30):
        text += f" PROTO P{k + 1} [ ] {{ Group {{ children [ P{k} {{ }} P{k} {{ }} ] }} }}"
    with pytest.raises(MeshError, match="one of too many"):
        vrml.read(HEAD + text)
    chain = "PROTO P0 [ ] { Group { } }"
    for k in range(300):
        chain += f" PROTO P{k + 1} [ ] {{ Group {{ children P{k} {{ }} }} }}"
    with pytest.raises(MeshError, match="stands in more than"):
        vrml.read(HEAD + chain)
    with pytest.raises(MeshError, match="stands in more than"):
        vrml.read(HEAD + "PROTO P [ ] { " * 300)


def test_only_what_is_shown_is_there():
    one, other = shape("Box { size 1 1 1 }"), shape("Box { size 2 2 2 }")
    assert mesh(f"Switch {{ whichChoice 1 choice [ {one} {other} ] }}").volume == pytest.approx(8.0)
    assert mesh(f"LOD {{ level [ {one} {other} ] }}").volume == pytest.approx(1.0)
    assert mesh(f"Group {{ children [ {one} ] }} Switch {{ choice {other} }}").volume == pytest.approx(1)


def test_a_polygon_that_is_not_convex_is_cut_rightly():
    comb = np.array([[0, 0], [4, 0], [4, 3], [3, 3], [3, 1], [2, 1], [2, 3], [1, 3], [1, 1], [0, 1]], float)
    points = np.column_stack([comb, np.zeros(len(comb))])
    for order in (slice(None), slice(None, None, -1)):
        here = points[order]
        triangles = here[vrml_shapes.clipped(here)]
        areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[:, 2] / 2
        assert np.abs(areas).sum() == pytest.approx(4 + 2 + 2)
        assert len({bool(a > 0) for a in areas}) == 1


def test_an_elevation_grid():
    text = "ElevationGrid { xDimension 3 zDimension 2 xSpacing 2 height [0 1 0, 0 1 0] }"
    made = mesh(shape(text))
    assert made.area == pytest.approx(2 * math.sqrt(5))
    assert (made.face_normals[:, 1] > 0).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("solid x", "no VRML"),
        ("#VRML V1.0 ascii\nSeparator { }", "VRML 1.0"),
        (HEAD + "Inline { url \"/etc/passwd\" }", "Inline"),
        (HEAD + "Transform { children [ USE nobody ] }", "line 2 uses 'nobody'"),
        (HEAD + "Transform { children [", "ends within a list"),
        (HEAD + shape("Box { size 1 1 }"), "size of Box"),
        (HEAD + shape("Box { size 1 0 0 }"), "size of Box must be > 0; one of three"),
        (HEAD + shape("Box { size 1 -1 1 }"), "size of Box must be > 0; one of three"),
        (HEAD + shape("Sphere { radius -1 }"), "radius of Sphere must be > 0"),
        (HEAD + shape("IndexedFaceSet { coord Coordinate { point [0 0 0] } coordIndex [0 1 2] }"), "beyond"),
        (HEAD + "Group { children " * 300, "stands in more than"),
        (HEAD + shape("Plane { }"), "the geometry 'Plane' is none of VRML97"),
        (HEAD + "PROTO P [ ] { Group {", "ends within a node"),
        (HEAD + "PROTO P [ ] { Group { }", "ends within a prototype"),
        (HEAD + "PROTO P [ field SFFloat", "lacks a word"),
        (HEAD + "Group { [ 1 2 ] }", "lacks a word"),
        (HEAD + "PROTO P [ [ 1 2 ] ] { Group { } }", "lacks a word"),
        (HEAD + "[ 1 2 ]", "lacks a word"),
        (HEAD + "Coordinate { point [ 0 0 nan ] }", "line 2 has 'nan' where a value"),
        (HEAD + f"Transform {{ rotation 0 0 1 1e999 children {shape('Box { }')} }}", "is not finite"),
    ],
)  # fmt: skip
def test_a_defect_is_named(text, says):
    with pytest.raises(MeshError, match=says):
        vrml.read(text)


def test_uses_within_uses_are_bounded(monkeypatch):
    monkeypatch.setattr(vrml, "MAX_PLACES", 1000)
    text = "DEF n0 " + shape("Box { }")
    for k in range(60):
        text += f" DEF n{k + 1} Group {{ children [ USE n{k} USE n{k} ] }}"
    with pytest.raises(MeshError, match="placed more than 1000 times"):
        vrml.read(HEAD + text)


def test_a_file_is_a_mesh_of_a_world(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "box.wrl").write_text(HEAD + shape("Box { size 1 2 3 }"))
    body = tribo.World().add_mesh(tmp_path / "box.wrl", mass=12.0)
    np.testing.assert_allclose(np.diag(body.inertia), (13, 10, 5), rtol=1e-9)
