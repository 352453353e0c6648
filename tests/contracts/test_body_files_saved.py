"""Body files become worlds, worlds files, and from these come the same worlds."""

import numpy as np
import pytest
from crawler_scene import SLED, SPELLINGS, crawler

import tribo
from tribo.readout.state_bytes import fingerprint, state_digest

LIFT = """
format: ChoreonoidBody
name: Lift
links:
  - { name: tower, translation: [ 0, 0, 3 ], material: Ground,
      elements: { Shape: { geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } } } }
  - name: crate
    parent: tower
    jointType: free
    translation: [ 0, 0, -2 ]
    massType: density
    material: steel
    elements:
      - { type: Shape, geometry: { type: Cylinder, radius: 0.1, height: 0.1 } }
      - type: AGXWireDevice
        radius: 0.005
        Winch: { linkName: tower, position: [ 0, 0, 0 ], pulledInLength: 0.5, haulForceRange: [ -300, 300 ] }
        Nodes:
          - { type: free, position: [ 0, 0, 1.6 ] }
          - { type: fixed, linkName: crate, position: [ 0, 0, 0.1 ] }
  - { name: lid, parent: crate, jointType: revolute, jointAxis: X, jointRange: [ -20, 40 ], jointAngle: 10,
      translation: [ 0, 0, 0.1 ], mass: 0.2, centerOfMass: [ 0, 0.05, 0 ],
      inertia: [ 0.001, 0, 0, 0.001, 0, 0.001 ], rotorInertia: 0.01, jointRangeCompliance: 1e-4,
      jointRangeSpookDamping: 0.02 }
  - { name: lamp, parent: tower, jointType: free, translation: [ 1, 0, 0 ], mass: 0.5,
      inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ],
      elements: [ { type: AGXBreakableJointDevice, link1Name: tower, link2Name: lamp, jointType: fixed,
                    breakLimitForce: 30, period: 0.01 } ] }
"""


def lift(world):
    library = tribo.read_materials(
        "materials: [ { name: Ground, roughness: 0.4 }, { name: steel, density: 7800 } ]\n"
    )
    world.load_materials(library)
    world.load_body(LIFT, materials=library).winches[0].speed = 0.1


def track(world):
    world.default_pair = tribo.ContactMaterial(youngs_modulus=1e5, spook_damping=0.01, friction=0.9)
    world.add_ground()
    car = world.load_body(crawler())[0]
    car.generalized_force = [0.0] * 6 + [20.0, 0.0]


def soft(world):
    text = LIFT.replace("jointRangeCompliance: 1e-4", "jointCompliance: 1e-5")
    world.load_body(text, compliant_joints=True)


def bounded(world):
    text = LIFT.replace("jointRangeCompliance: 1e-4", "jointForceRange: [ -1, 30 ]")
    world.load_body(text, compliant_joints=True)


def exact(world):
    text = LIFT.replace("jointRangeCompliance: 1e-4", "jointForceRange: 9, jointCompliance: 0")
    world.load_body(text, compliant_joints=True)


def apart(world):
    rules = (
        "collisionDetection: { excludeTreeDepth: 1, excludeLinks: [ lamp ], "
        "excludeLinksWireCollision: [ tower, lid ], excludeLinkGroups: [ links: [ lid, tower ] ] }"
    )
    world.load_body(LIFT.replace("name: Lift", f"name: Lift\n{rules}"))


@pytest.mark.parametrize(
    ("fill", "near"),
    [(lift, 1e-7), (track, 1e-3), (soft, 1e-7), (bounded, 1e-7), (exact, 1e-7), (apart, 1e-7)],
    ids=[
        "wire and winch",
        "track",
        "soft joints",
        "bounded joints",
        "exact to their bounds",
        "rules of collision",
    ],
)
def test_a_world_of_a_body_file_is_saved_and_loaded(fill, near, tmp_path):
    """The same objects, constraints and pairs, and the same way for 0.1 s: numbers are written in full, but
    for turns of shapes, that are angles in a URDF, 1e-15. Only the warm start is another one, which leaves
    1e-9 of an exact solve. The pads of the track begin where they just touch their wheels, so that 1e-15
    decides which do in the first step: the hull then differs by 3e-6 m, in all by less than 1 mm."""
    world = tribo.World(time_step=0.002)
    fill(world)
    world.save(tmp_path / "scene.xml")
    again = tribo.World.load(tmp_path / "scene.xml")
    assert [part.name for part in again.objects] == [part.name for part in world.objects]
    assert [tie.name for tie in again.constraints] == [tie.name for tie in world.constraints]
    for old, new in zip(world.constraints, again.constraints, strict=True):
        was, now = old.describe(), new.describe()
        assert (now.type, now.locked, now.numbers) == (was.type, was.locked, was.numbers)
        np.testing.assert_allclose(now.points, was.points, atol=1e-15)
        np.testing.assert_allclose(now.axes, was.axes, atol=1e-15)
    assert again.default_pair == world.default_pair
    for old, new in zip(world.objects, again.objects, strict=True):
        for was, now in zip(old.description.bodies, new.description.bodies, strict=True):
            assert (now.name, now.mass, now.joint) == (was.name, was.mass, was.joint)
            np.testing.assert_array_equal(now.inertia, was.inertia)
            assert [s.size for s in now.shapes] == [s.size for s in was.shapes]
            for then, there in zip(was.shapes, now.shapes, strict=True):
                np.testing.assert_allclose(there.position, then.position, atol=1e-15)
                np.testing.assert_allclose(there.quaternion, then.quaternion, atol=1e-15)
        for was, now in zip(old.collision_bodies, new.collision_bodies, strict=True):
            assert (now.name, now.material) == (was.name, was.material)
            assert (now.collision_group, now.collision_mask) == (was.collision_group, was.collision_mask)
        if hasattr(old, "generalized_force"):
            new.generalized_force = old.generalized_force
    world.step(50)
    again.step(50)
    for old, new in zip(world.objects, again.objects, strict=True):
        np.testing.assert_allclose(new.position, old.position, atol=near, err_msg=old.name)


def test_a_body_may_be_loaded_twice():
    """Constraints between its things have names of their own each time, as its things and wires have."""
    for fill in (lift, track, soft, bounded, exact):
        world = tribo.World()
        fill(world)
        count = len(world.constraints)
        first = {tie.name for tie in world.constraints}
        world.load_body(crawler() if fill is track else LIFT)
        assert len({tie.name for tie in world.constraints}) == 2 * count
        assert first <= {tie.name for tie in world.constraints}


def test_belts_run_on_in_a_world_that_is_loaded(tmp_path):
    """Of links of robots, of single bodies, and of robots that were read from a URDF."""
    world = tribo.World()
    world.add_ground()
    parts = world.load_body(SLED.format(joint=SPELLINGS[0]))
    parts.belts["belt"].speed = 0.5
    slab = world.add_box((1, 1, 0.2), 1.0, body_type="static", position=(5, 0, 0.1), name="slab")
    slab.surface_velocity = (0.1, 0.2, 0.0)
    world.save(tmp_path / "first.xml")
    again = tribo.World.load(tmp_path / "first.xml")
    again.save(tmp_path / "second.xml")  # its robot comes from a URDF now
    last = tribo.World.load(tmp_path / "second.xml")
    for made in (again, last):
        np.testing.assert_array_equal(made["slab"].surface_velocity, slab.surface_velocity)
        made.step(500)
        np.testing.assert_allclose(made["hull"].linear_velocity, [0.5, 0, 0], atol=1e-6)
    text = (tmp_path / "second.xml").read_text()
    (tmp_path / "wrong.xml").write_text(text.replace('surface_velocity="0.1', 'surface_velocity="inf'))
    with pytest.raises(tribo.DescriptionError, match="surface_velocity"):
        tribo.World.load(tmp_path / "wrong.xml")


# -- meshes ----------------------------------------------------------------------------------------
YARD = """
format: ChoreonoidBody
name: Yard
links:
  - name: floor
    translation: [ 0, 0, -0.3 ]
    rotation: [ 1, 0.2, 0, 3 ]
    elements:
      - { type: Shape, geometry: { type: ElevationGrid, xDimension: 3, zDimension: 3, xSpacing: 1,
          zSpacing: 1, height: [ 0, 0.1, 0, 0, 0.2, 0, 0.1, 0, 0 ] }, rotation: [ 1, 0, 0, 90 ],
          translation: [ -1, 1, 0 ] }
      - { type: Shape, geometry: { type: Resource, uri: prism.obj }, rotation: [ 1, 2, 3, 50 ],
          translation: [ 0.5, 0, 0 ] }
  - name: truck
    parent: floor
    jointType: free
    translation: [ 0.1, 0, 0.6 ]
    rotation: [ 3, 1, -1, 20 ]
    massType: density
    material: steel
    elements:
      - { type: Shape, geometry: { type: Resource, uri: prism.obj }, rotation: [ 0, 1, 0, 33 ],
          scale: [ 0.4, -0.3, 0.2 ], translation: [ 0.1, 0.2, 0.3 ] }
      - { type: Shape, geometry: { type: TriangleMesh, vertices: [ 0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3 ],
          faces: [ 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 ] }, rotation: [ 1, 1, 0, 77 ] }
      - { type: Visual, shape: { geometry: { type: Resource, uri: prism.obj } } }
  - name: arm
    parent: truck
    jointType: revolute
    jointAxis: [ 1, 2, 3 ]
    translation: [ 0, 0, 0.5 ]
    rotation: [ 1, 0, 2, 40 ]
    massType: density
    material: steel
    elements:
      - { type: Shape, geometry: { type: Box, size: [ 0.1, 0.2, 0.3 ] }, rotation: [ 1, 5, 0, 21 ] }
      - { type: Shape, geometry: { type: IndexedFaceSet, coordinate: [ 0, 0, 0, 0.2, 0, 0, 0.2, 0.2, 0,
          0, 0.2, 0, 0.1, 0.1, 0.3 ], coordIndex: [ 3, 2, 1, 0, -1, 0, 1, 4, -1, 1, 2, 4, -1, 2, 3, 4, -1,
          3, 0, 4, -1 ] }, translation: [ 0.05, 0, 0.2 ] }
"""
L = [(0, 0), (1, 0), (1, 0.3), (0.3, 0.3), (0.3, 0.7), (0, 0.7)]  # [m] outline of a hollow prism


def prism():
    """Return it as OBJ."""
    lines = [f"v {x} {y} {z}" for z in (0, 0.4) for x, y in L]
    lines += [f"f {k + 1} {(k + 1) % 6 + 1} {(k + 1) % 6 + 7} {k + 7}" for k in range(6)]
    return "\n".join([*lines, "f 4 3 2 1", "f 6 5 4 1", "f 7 8 9 10", "f 7 10 11 12", ""])


def yard(folder, collision_meshes="auto", mesh="prism.obj"):
    """Return a world whose meshes are files and triangles in the body file, of what stands and what moves."""
    (folder / mesh).write_text(prism())
    (folder / "yard.body").write_text(YARD.replace("prism.obj", mesh))
    library = tribo.read_materials(
        "materials: [ { name: steel, density: 2000, roughness: 0.4, viscosity: 1 } ]\n"
    )
    world = tribo.World(time_step=0.002)
    world.load_materials(library)
    world.load_body(folder / "yard.body", materials=library, collision_meshes=collision_meshes)
    return world


@pytest.mark.parametrize("mode", ["auto", "hull", "decomposition", "none"])
def test_a_body_file_of_meshes_is_saved_with_files_of_its_own(mode, tmp_path):
    """Every field of the model has the same bits, and so has every state for 200 steps, in which it lands."""
    world = yard(tmp_path, mode)
    world.save(tmp_path / "scene.xml")
    again = tribo.World.load(tmp_path / "scene.xml")
    was, now = fingerprint(world.engine), fingerprint(again.engine)
    assert [name for name in was if was[name] != now[name]] == []
    for _ in range(4):
        world.step(50)
        again.step(50)
        assert state_digest(again.engine).digest() == state_digest(world.engine).digest()
    assert len(world.contacts) > 0


def test_meshes_that_are_far_from_the_world_file_are_named(tmp_path, caplog):
    """`load` opens what is near and must be told of their folder; what is in no file is beside it."""
    (tmp_path / "body").mkdir()
    far = tmp_path / "a" / "b" / "c" / "d"
    far.mkdir(parents=True)
    world = yard(tmp_path / "body")
    world.save(far / "scene.xml")
    assert f"give package_dirs=['{tmp_path / 'body'}']" in caplog.text
    again = tribo.World.load(far / "scene.xml", package_dirs=[tmp_path / "body"])
    assert fingerprint(again.engine) == fingerprint(world.engine)


def test_files_of_which_the_world_is_made_are_not_replaced(tmp_path):
    """Not by triangles that get a file of their robot's name, nor by another robot's URDF, nor by the world.
    (Before, the mesh was overwritten and the world read back with other shapes.)"""
    world = yard(tmp_path, mesh="scene.truck.obj")
    world.save(tmp_path / "scene.xml")
    assert (tmp_path / "scene.truck.obj").read_text() == prism()
    again = tribo.World.load(tmp_path / "scene.xml")
    assert fingerprint(again.engine) == fingerprint(world.engine)
    (tmp_path / "link.truck.obj").symlink_to(tmp_path / "scene.truck.obj")
    world.save(tmp_path / "link.xml")
    assert (tmp_path / "scene.truck.obj").read_text() == prism()
    urdf = (tmp_path / "scene.truck.urdf").read_text()
    small = '<robot name="r"><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
    small += 'ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    other = tribo.World()
    other.add_articulated_system(tmp_path / "scene.truck.urdf", name="first")
    other.add_articulated_system(small, name="truck", position=(9, 0, 0))
    other.save(tmp_path / "scene.xml")
    other.save(tmp_path / "scene.xml")  # the robot's own file is replaced by what it is now
    assert (tmp_path / "scene.truck.urdf").read_text() == urdf
    assert sorted(file.name for file in tmp_path.glob("scene.truck*urdf")) == [
        "scene.truck.urdf", "scene.truck_2.urdf",
    ]  # fmt: skip
    again = tribo.World.load(tmp_path / "scene.xml")
    assert fingerprint(again.engine) == fingerprint(other.engine)
    with pytest.raises(tribo.DescriptionError, match=r"truck\.obj: the world is made of this file"):
        world.save(tmp_path / "scene.truck.obj")
    assert (tmp_path / "scene.truck.obj").read_text() == prism()


def test_a_world_whose_mesh_is_gone_is_not_saved(tmp_path):
    """(Before, it was, and read back without the mesh's shapes, or not at all.)"""
    for world in (yard(tmp_path), tribo.World()):
        if not world.objects:
            (tmp_path / "prism.obj").write_text(prism())
            world.add_mesh(tmp_path / "prism.obj", mass=1.0)
        (tmp_path / "prism.obj").unlink()
        with pytest.raises(tribo.DescriptionError, match=r"prism\.obj is no longer there.*put it back"):
            world.save(tmp_path / "scene.xml")
        assert not list(tmp_path.glob("scene*"))
