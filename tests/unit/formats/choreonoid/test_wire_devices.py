"""Wires of body files, AGXWireDevice: route, section, material, winch, errors."""

import logging
import math

import numpy as np
import pytest

import tribo
from tribo.materials import Material, MaterialLibrary

SCENE = """
format: ChoreonoidBody
formatVersion: 1.0
name: Crane
links:
  - name: tower
    translation: [ 0, 0, 3 ]
    elements: { Shape: { geometry: { type: Box, size: [ 0.1, 0.1, 0.1 ] } } }
  - name: load
    parent: tower
    jointType: free
    translation: [ 0, 0, -2 ]
    mass: 2.0
    inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ]
    elements:
      - { type: Shape, geometry: { type: Box, size: [ 0.2, 0.2, 0.2 ] } }
      - type: AGXWireDevice
        name: rope
        radius: 0.005
        resolutionPerUnitLength: 8
        %s
"""
NODES = """Nodes:
          - { type: fixed, linkName: tower, position: [ 0, 0, 0 ] }
          - { type: fixed, linkName: load, position: [ 0, 0, 0.1 ] }
"""
WINCH = """Winch: { linkName: tower, position: [ 0, 0, 0 ], normal: [ 0, 0, -1 ], pulledInLength: %s,
                 haulForceRange: [ %s, %s ] }
        Nodes: [ { type: fixed, linkName: load, position: [ 0, 0, 0.1 ] } ]
"""


def load(text, **options):
    world = tribo.World()
    return world, world.load_body(SCENE % text, **options)


def test_it_is_laid_from_link_to_link_and_carries():
    """From the tower at 3 m to the load's top at 1.1 m: 1.9 m in ⌈1.9 · 8⌉ = 16 segments."""
    world, parts = load(NODES)
    (rope,) = parts.cables
    assert [part.name for part in parts] == ["tower", "load"]
    assert (rope.name, rope.section.radius) == ("rope", 0.005)
    assert len(rope.segments) == 16
    assert rope.length == pytest.approx(1.9, rel=1e-12)
    assert rope.points[[0, -1]] == pytest.approx(np.array([[0, 0, 3], [0, 0, 1.1]]), abs=1e-12)
    world.step(1000)
    weight = 9.81 * (2.0 + rope.mass)
    assert rope.tensions[0] == pytest.approx(weight, rel=0.02)
    assert parts[1].position[2] == pytest.approx(1.0, abs=1e-2)


def test_materialName_and_values_of_its_own():
    library = MaterialLibrary()
    library.add(Material("steel", density=7850.0, wire_youngs_modulus_stretch=2e11))
    _, parts = load(
        f"materialName: steel\n        wireYoungsModulusBend: 1e7\n        {NODES}", materials=library
    )
    section = parts.cables[0].section
    assert section.material.density == 7850.0
    assert section.stretch_stiffness == pytest.approx(2e11 * math.pi * 0.005**2)
    assert section.bend_stiffness == pytest.approx(1e7 * math.pi * 0.005**4 / 4)


@pytest.mark.parametrize(
    ("key", "name", "value"),
    [
        ("wireYoungsModulusStretch", "wire_youngs_modulus_stretch", 1e9),
        ("wireYoungsModulusBend", "wire_youngs_modulus_bend", 0.0),
        ("wireSpookDampingStretch", "wire_spook_damping_stretch", 0.1),
        ("wireSpookDampingBend", "wire_spook_damping_bend", 0.2),
    ],
)
def test_own_values(key, name, value):
    _, parts = load(f"{key}: {value}\n        {NODES}")
    assert getattr(parts.cables[0].section.material, name) == value


def test_collision_and_selfCollision():
    _, parts = load(f"collision: false\n        {NODES}")
    assert all(
        body.collision_mask == 0 and body.collision_group == 0
        for part in parts.cables[0].segments
        for body in part.collision_bodies
    )
    _, parts = load(f"selfCollision: true\n        {NODES}")
    shape = parts.cables[0].segments[0].collision_bodies[0]
    assert shape.collision_mask & shape.collision_group


def test_a_winch_hauls_the_cable_behind_its_first_node():
    """0.2 m/s for 1 s, from 1.4 m off the drum on; the cable of half a metre comes along."""
    nodes = "Nodes: [ { type: free, position: [ 0, 0, 1.6 ] },"
    text = "collision: false\n        " + (WINCH % (0.5, -50, 50)).replace("Nodes: [", nodes)
    world, parts = load(text)  # the end of a cable overlaps what it is fastened to
    (winch,), (rope,) = parts.winches, parts.cables
    assert (winch.length, rope.length) == pytest.approx((1.4, 0.5))
    world.step(500)
    assert winch.tension == pytest.approx((2.0 + rope.mass) * 9.81, rel=1e-3)
    before = parts[1].position[2]
    winch.speed = 0.2
    world.step(1000)
    mass = 2.0 + rope.mass
    start = 0.2**2 / (2 * (50.0 - 9.81 * mass) / mass)  # v²/2a: until then its motor has 50 N
    assert parts[1].position[2] - before == pytest.approx(0.2 - start, abs=1e-4)


def test_a_standing_winch_holds_up_to_its_force_and_then_lets_out():
    """What hangs weighs 20 N: haulForceRange [−50, 50] holds it, [−50, 15] lets it down to the drum's end."""
    heights = {}
    for most in (50, 15):
        world, parts = load(WINCH % (0.5, -50, most))
        (winch,) = parts.winches
        assert (winch.max_force, winch.brake_force) == (50.0, most)
        start = parts[1].position[2]
        world.step(2000)
        heights[most] = start - parts[1].position[2]
    assert abs(heights[50]) < 0.01
    assert heights[15] == pytest.approx(0.5, abs=0.02)  # pulledInLength is all that the drum has


def test_a_link_node_is_clamped():
    nodes = """Nodes:
          - { type: link, linkName: tower, position: [ 0.2, 0, 0 ], bendStiffness: 3.0, twistStiffness: 3.0 }
          - { type: free, position: [ 1.2, 0, 3 ] }
"""
    _, parts = load(nodes)
    (clamp,) = parts.cables[0].fastenings
    assert clamp.type == "weld"
    assert clamp.angular_compliance == pytest.approx(1 / 3.0)
    _, parts = load(nodes.replace("twistStiffness: 3.0", "twistStiffness: 0.5"))
    bends, twists = parts.cables[0].fastenings
    assert (bends.type, twists.type) == ("hinge", "lock")
    assert (bends.angular_compliance, twists.compliance) == (pytest.approx(1 / 3.0), 2.0)


def test_without_resolution_a_segment_has_ten_radii():
    text = SCENE.replace("        resolutionPerUnitLength: 8\n", "")
    parts = tribo.World().load_body(text % NODES)
    assert len(parts.cables[0].segments) == math.ceil(1.9 / 0.05)


def test_a_slash_in_a_name_is_none_of_a_part():
    world = tribo.World()
    text = SCENE.replace("name: rope", "name: a/b") % NODES
    assert [world.load_body(text).cables[0].name for _ in range(2)] == ["a_b", "a_b'"]


def test_a_second_load_has_a_name_of_its_own():
    world = tribo.World()
    names = [world.load_body(SCENE % NODES).cables[0].name for _ in range(2)]
    assert names == ["rope", "rope'"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Nodes: [ { type: free, position: [ 0, 0, 1 ] } ]", "needs two Nodes"),
        ((WINCH % (1, -50, 50)).replace("fixed", "free"), "fasten it"),
        ("Nodes: 3", "must be a list"),
        (NODES.replace("fixed", "welded"), "type must be one of free, fixed, link"),
        (NODES.replace("[ 0, 0, 0 ]", "[ 0, 0 ]"), "3 numbers"),
        (NODES.replace("[ 0, 0, 0 ]", "[ 0, 0, .nan ]"), "number"),
        (NODES.replace("[ 0, 0, 0 ]", "[ 0, 0, -1.9 ]"), "in one place"),
        (f"collision: 7\n        {NODES}", "true or false"),
        (f"wireYoungsModulusBend: -1\n        {NODES}", "wire_youngs_modulus_bend"),
        (WINCH % (-1, -50, 50), "pulled_in_length must be ≥ 0"),
        (WINCH % (1, 10, 50), "haulForceRange"),
        ("Nodes: [ { type: link, position: [ 0, 0, 1 ] }, { position: [ 0, 0, 2 ] } ]", "linkName"),
    ],
)
def test_errors_say_where_and_leave_the_world_alone(text, message):
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError, match=message):
        world.load_body(SCENE % text)
    assert (len(world.objects), len(world.constraints)) == (0, 0)


@pytest.mark.parametrize(
    ("key", "value"), [("radius", "0"), ("radius", "-1"), ("resolutionPerUnitLength", "1e9")]
)
def test_impossible_sizes_are_errors(key, value):
    text = (
        SCENE.replace("radius: 0.005", f"radius: {value}")
        if key == "radius"
        else SCENE.replace("resolutionPerUnitLength: 8", f"resolutionPerUnitLength: {value}")
    )
    world = tribo.World()
    with pytest.raises(tribo.DescriptionError):
        world.load_body(text % NODES)
    assert not world.objects


def test_what_is_doubtful_is_said(caplog):
    nodes = NODES.replace("linkName: tower", "linkName: towr")
    text = f"materialName: stel\n        radios: 3\n        {nodes}"
    with caplog.at_level(logging.WARNING, "tribo"):
        _, parts = load(text)
    said = "\n".join(parts[0].description.doubts)
    assert "'stel' is not known" in said
    for words in ("radios", "radius", "'towr' does not exist", "'tower'"):
        assert words in said


def test_a_robot_alone_says_that_its_wire_is_left_out():
    text = """
format: ChoreonoidBody
name: Post
links:
  - { name: post, mass: 1.0, inertia: [ 1, 0, 0, 1, 0, 1 ], elements: [
      { type: AGXWireDevice, Nodes: [ { linkName: post }, { position: [ 0, 0, 1 ] } ] } ] }
"""
    robot = tribo.World().add_articulated_system(text)
    assert any("world.load_body lays it" in said for said in robot.description.doubts)
    with pytest.raises(tribo.DescriptionError, match="load_body lays it"):
        tribo.World().add_articulated_system(text, strict=True)


APART = "[ { name: g, links: [ beam, stone ] } ]"
BEAM = """
format: ChoreonoidBody
name: Beam
{rules}
links:
  - {{ name: beam, elements: {{ Shape: {{ geometry: {{ type: Box, size: [ 0.2, 1, 0.1 ] }} }} }} }}
  - name: stone
    parent: beam
    jointType: free
    translation: [ 0, 0.4, 0.12 ]
    mass: 1
    inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ]
    elements:
      - {{ type: Shape, geometry: {{ type: Sphere, radius: 0.05 }} }}
      - {{ type: AGXWireDevice, radius: 0.01, selfCollision: {itself}, Nodes: [
            {{ type: free, position: [ -0.3, 0, 0.08 ] }}, {{ type: free, position: [ 0.3, 0, 0.08 ] }} ] }}
"""


@pytest.mark.parametrize("itself", ["true", "false"])
@pytest.mark.parametrize(
    ("rules", "falls"),
    [
        ("", False),
        ("collisionDetection: { excludeLinksWireCollision: [ stone ] }", False),
        ("collisionDetection: { excludeLinksWireCollision: [ beam ] }", True),
        ("collisionDetection: { excludeLinksDynamic: [ beam ] }", True),
        (f"collisionDetection: {{ excludeLinksDynamic: [ beam ], excludeLinkGroups: {APART} }}", True),
    ],
)
def test_wires_pass_through_links_that_a_file_excludes(rules, falls, itself):
    """A wire that lies on a beam stays, or falls g t²/2 = 0.4 m in 0.3 s; the stone lies on the beam as
    before, unless the file parts those two."""
    world = tribo.World()
    parts = world.load_body(BEAM.format(rules=rules, itself=itself))
    world.step(300)
    lowest = parts.cables[0].points[:, 2].max()
    assert lowest < -0.3 if falls else lowest > 0.0
    stone = parts[1].position[2]
    assert stone < -0.2 if "excludeLinkGroups" in rules else stone > 0.09
