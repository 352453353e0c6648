"""Constraints from files: loops in URDF, wires and constraints in world files, <equality> in MJCF."""

import logging

import numpy as np
import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import raisim_xml, urdf

NONE = (0.0, 0.0, 0.0)


def link(name, x=0.0, z=0.0):
    """Return a link of 1 kg with its centre of mass at (x, 0, z)."""
    inertia = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    mass = f'<origin xyz="{x} 0 {z}"/><mass value="1"/>{inertia}'
    return f'<link name="{name}"><inertial>{mass}</inertial></link>'


def joint(name, parent, child, xyz="0 0 0", kind="continuous"):
    """Return a joint about y."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/></joint>'
    )


def four_bar(block):
    """Return a parallelogram, 1 m by 0.5 m, whose last bar hangs loose, with a <constraints> block."""
    return (
        '<robot name="bars"><link name="world"/>'
        + link("a", z=0.25) + link("b", x=0.5) + link("c", z=-0.25) + '<link name="foot"/>'
        + joint("j1", "world", "a") + joint("j2", "a", "b", "0 0 0.5") + joint("j3", "b", "c", "1 0 0")
        + joint("f", "c", "foot", "0 0 -0.5", "fixed") + block + "</robot>"
    )  # fmt: skip


PIN = '<pin body1="{}" body2="world" anchor="{}"/>'
AXES = '<axis xyz="1 0 0"/><axis xyz="1 0 1e-4"/>'  # span the plane of the bars
CLOSED = '<constraints nominal_config="0.3 -0.3 0.3">{}</constraints>'


# -- URDF --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "element",
    [
        PIN.format("c", "0 0 -0.5"),
        PIN.format("foot", "0 0 0"),
        f'<equality body1="foot" body2="world" anchor="0 0 0">{AXES}</equality>',
    ],
    ids=["pin", "pin on a merged link", "equality"],
)
def test_a_loop_of_a_urdf_stays_closed(element):
    """A parallelogram on a crank: the middle bar stays level, and the loop closed."""
    world = tribo.World()
    robot = world.add_articulated_system(four_bar(CLOSED.format(element)), collision_mask=0)
    np.testing.assert_array_equal(robot.generalized_coordinate, [0.3, -0.3, 0.3])
    (tie,) = world.constraints
    assert tie.is_from_file
    np.testing.assert_allclose(tie.points, [(1.0, 0, 0), (1.0, 0, 0)], atol=1e-15)
    for _ in range(500):
        world.step()
        assert np.abs(tie.gap).max() <= 1e-10
    q = robot.generalized_coordinate
    assert abs(q[0]) > 0.5
    assert abs(q[0] + q[1]) <= 1e-9
    energy = world.energy
    world.step(500)
    assert world.energy == pytest.approx(energy, abs=1e-3)
    world.remove(robot)
    assert world.constraints == ()


def test_an_equality_with_one_axis_keeps_a_point_on_a_plane():
    """A ball that may only leave the plane's directions: it slides freely across its normal."""
    text = (
        '<robot name="r"><link name="world"/>' + link("rail") + link("puck")
        + '<joint name="s" type="fixed"><parent link="world"/><child link="rail"/></joint>'
        + '<joint name="x" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>'
        '<limit lower="-9" upper="9"/></joint>' + link("cart")
        + '<joint name="z" type="prismatic"><parent link="cart"/><child link="puck"/><axis xyz="0 0 1"/>'
        '<limit lower="-9" upper="9"/></joint>'
        + '<constraints nominal_config="0 0"><equality body1="rail" body2="puck" anchor="0 0 0">'
        '<axis xyz="-1 0 1"/></equality></constraints></robot>'
    )  # fmt: skip
    world = tribo.World()
    robot = world.add_articulated_system(text, collision_mask=0)
    world.step(1000)
    x, z = robot.generalized_coordinate
    assert x == pytest.approx(z, abs=1e-9)
    # Down a slope of 45°: the cart (1 kg) and the puck (1 kg) move along x, the puck also along z.
    assert z == pytest.approx(-0.5 * 9.81 / 3.0, rel=1e-3)


def test_loops_come_back_from_an_exported_urdf(tmp_path):
    world = tribo.World()
    both = PIN.format("c", "0.1 0.2 -0.5") + (
        '<equality name="e" body1="a" body2="c" anchor="0 0 0"><axis xyz="0 1 0"/></equality>'
    )
    robot = world.add_articulated_system(four_bar(CLOSED.format(both)))
    assert robot.export_urdf(tmp_path / "out.urdf") == []
    again = urdf.read(tmp_path / "out.urdf")
    assert again.closed == robot.description.closed
    assert len(again.constraints) == 2
    for made, was in zip(again.constraints, robot.description.constraints, strict=True):
        assert (made.type, made.bodies, made.locked, made.name) == (
            was.type, was.bodies, was.locked, was.name or "pin_0",
        )  # fmt: skip
        np.testing.assert_allclose(made.points, was.points, atol=1e-15)
        held = [k for k in range(3) if was.locked >> k & 1]
        np.testing.assert_allclose(made.axes[:, :, held], was.axes[:, :, held], atol=1e-15)


BAD_LOOPS = {
    "no configuration": ("<constraints>" + PIN.format("c", "0 0 0") + "</constraints>", "nominal_config"),
    "too short": (CLOSED.replace("0.3 -0.3 0.3", "1 2").format(PIN.format("c", "0 0 0")), "must have 3"),
    "no link": (CLOSED.format(PIN.format("d", "0 0 0")), "'d' is not a link"),
    "itself": (CLOSED.format(PIN.format("world", "0 0 0")), "one body"),
    "anchor": (CLOSED.format('<pin body1="c" body2="world"/>'), "'anchor' is missing"),
    "no axis": (CLOSED.format('<equality body1="c" body2="a" anchor="0 0 0"/>'), "one or two"),
    "parallel": (
        CLOSED.format(
            '<equality body1="c" body2="a" anchor="0 0 0"><axis xyz="1 0 0"/><axis xyz="2 0 0"/></equality>'
        ),
        "parallel",
    ),
    "same name": (
        CLOSED.format(2 * '<pin name="p" body1="c" body2="world" anchor="0 0 0"/>'),
        "named 'p' stands in line 1",
    ),
    "far": (CLOSED.format('<pin body1="c" body2="world" anchor="1e200 0 0"/>'), "at most 1e.15"),
    "twice": (CLOSED.format(PIN.format("c", "0 0 0")) * 2, "second of its kind"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_LOOPS)
def test_a_wrong_loop_is_named(name):
    block, words = BAD_LOOPS[name]
    with pytest.raises(DescriptionError, match=words):
        urdf.read(four_bar(block))


def test_an_empty_block_is_a_note_and_an_error_if_strict():
    assert any("holds no loop" in note for note in urdf.read(four_bar("<constraints/>")).notes)
    with pytest.raises(DescriptionError, match="holds no loop"):
        urdf.read(four_bar("<constraints/>"), strict=True)


def chain_world(**options):
    """Return a world with the open chain of the four bar, at its closed configuration."""
    world = tribo.World()
    robot = world.add_articulated_system(four_bar(""), collision_mask=0, name="bars", **options)
    robot.generalized_coordinate = [0.3, -0.3, 0.3]
    return world, robot


@pytest.mark.parametrize("what", ["pin", "hinge", "weld"])
def test_constraints_from_python_are_in_an_exported_urdf(tmp_path, what):
    """They lock the same directions when they are read again: the chain moves as it did."""
    world, robot = chain_world()
    if what == "pin":
        world.add_pin(robot.link("c"), None, robot.frame("foot").position, name="loop")
    elif what == "hinge":
        place = robot.frame("foot").position
        world.add_hinge(robot.link("c"), robot.link("world"), place, axis=(0, 1, 0), name="loop")
    else:
        world.add_weld(robot.link("a"), robot.link("b"), name="loop")
    assert robot.export_urdf(tmp_path / "bars.urdf") == []
    other = tribo.World()
    again = other.add_articulated_system(tmp_path / "bars.urdf", collision_mask=0)
    np.testing.assert_array_equal(again.generalized_coordinate, robot.generalized_coordinate)
    assert [tie.type for tie in other.constraints] == {
        "pin": ["pin"], "hinge": ["pin", "equality"], "weld": ["pin", "equality", "equality"],
    }[what]  # fmt: skip
    for each in (world, other):
        each.step(300)
    difference = again.generalized_coordinate - robot.generalized_coordinate
    assert np.abs(difference).max() < 1e-7
    assert np.abs(robot.generalized_coordinate - [0.3, -0.3, 0.3]).max() > 0.05
    for tie in other.constraints:
        assert np.abs(tie.gap).max() < 1e-9
    # And again from what was read: the same file.
    assert again.to_urdf().count("<pin") == 1
    if what == "weld":
        assert abs(again.generalized_coordinate[1] + 0.3) < 1e-9


def test_a_weld_of_floating_links_is_written_about_all_axes():
    """Two links on a ball joint, welded: none of three turns is left."""
    text = (
        '<robot name="r">' + link("a") + link("b", x=0.3)
        + '<joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint></robot>'
    )  # fmt: skip
    world = tribo.World()
    robot = world.add_articulated_system(text, name="r", position=(1.0, 2.0, 3.0))
    q = np.array(robot.generalized_coordinate)
    q[7:] = 0.5, 0.5, -0.5, 0.5
    robot.generalized_coordinate = q
    world.add_weld(robot.link("a"), robot.link("b"))
    other = tribo.World(gravity=(0, 0, 0))
    again = other.add_articulated_system(robot.to_urdf())
    np.testing.assert_allclose(again.generalized_coordinate[7:], q[7:])
    np.testing.assert_array_equal(again.generalized_coordinate[:3], 0.0)
    again.generalized_velocity = [0, 0, 0, 0, 0, 0, 1.0, 2.0, 3.0]
    other.step(200)
    turn = again.generalized_coordinate[7:]
    assert np.abs(turn - q[7:]).max() < 1e-8


def test_what_an_export_leaves_out_is_named(tmp_path):
    world, robot = chain_world()
    ball = world.add_sphere(0.1, 1.0)
    world.add_rod(robot.link("a"), robot.link("c"), name="rod")
    world.add_pin(robot.link("c"), ball, name="other")
    tuned = world.add_pin(robot.link("c"), robot.link("world"), (1, 0, 0), name="tuned")
    tuned.erp = 0.5
    world.add_pin(robot.link("b"), robot.link("world"), (0, 0, 0.5), name="off").is_on = False
    robot.generalized_coordinate = [0.3, -0.3, 0.2]
    notes = robot.export_urdf(tmp_path / "bars.urdf")
    for words in ("'rod' is not written", "'other' is not written", "of constraint 'tuned' are not",
                  "'off' is not written: it is off", "'tuned' is not written: it is open"):  # fmt: skip
        assert sum(words in note for note in notes) == 1, (words, notes)
    assert [item.name for item in urdf.read(tmp_path / "bars.urdf").constraints] == []


def test_an_exported_urdf_has_every_name_once(tmp_path):
    """A pin of the robot's own file and one of the world may both be called "pin_0"."""
    world = tribo.World()
    text = four_bar(CLOSED.format(PIN.format("c", "0 0 -0.5")))
    robot = world.add_articulated_system(text, collision_mask=0, name="bars")
    world.add_pin(robot.link("b"), robot.link("world"), (0, 0, 0.5), name="pin_0")
    assert [tie.name for tie in world.constraints] == ["bars/pin_0", "pin_0"]
    assert robot.export_urdf(tmp_path / "bars.urdf") == []
    assert len({item.name for item in urdf.read(tmp_path / "bars.urdf").constraints}) == 2


def test_a_loop_of_the_file_that_was_removed_is_not_exported():
    world = tribo.World()
    robot = world.add_articulated_system(four_bar(CLOSED.format(PIN.format("c", "0 0 -0.5"))))
    assert "<pin" in robot.to_urdf()
    world.remove(world.constraints[0])
    assert "<constraints" not in robot.to_urdf()


# -- world files ---------------------------------------------------------------------------------------
BALLS = (
    '<objects><sphere name="up" mass="1"><dim radius="0.1"/><state pos="0 0 2"/></sphere>'
    '<sphere name="down" mass="2"><dim radius="0.1"/><state pos="0 0 1"/></sphere></objects>'
)
WIRE = (
    '<wire name="w" type="{}" {}><object1 name="up" local_index="0" pos="0 0 0"/>'
    '<object2 name="down" local_index="0" pos="0 0 0"/></wire>'
)


def load(tmp_path, content):
    """Return the world of a file with some content."""
    path = tmp_path / "world.xml"
    path.write_text(f'<raisim version="2.3"><gravity value="0 0 0"/>{content}</raisim>', "utf-8")
    return tribo.World.load(path)


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("stiff", 'length="1"', ("stiff", "stretch", 1.0)),
        ("stiff", 'length="0.9" stretch_type="BOTH"', ("stiff", "both", 0.9)),
        ("compliant", 'length="1.5" stiffness="200" stretchType="COMPRESSION_RESISTANT_ONLY"',
         ("compliant", "compression", 1.5)),
        ("custom", 'tension="3"', ("custom", "nothing", 1.0)),
    ],
)  # fmt: skip
def test_wires_of_a_world_file(tmp_path, kind, more, expected):
    world = load(tmp_path, WIRE.format(kind, more) + BALLS)
    (wire,) = world.constraints
    assert (wire.wire_type, wire.resists, wire.length) == expected
    assert wire.objects == (world["up"], world["down"])
    if kind == "compliant":
        assert wire.stiffness == 200.0
        world.step()
        assert wire.tension == pytest.approx(-100.0, rel=1e-2)


def test_a_wire_on_a_frame_of_a_robot(tmp_path):
    (tmp_path / "bars.urdf").write_text(four_bar(""), "utf-8")
    world = load(
        tmp_path,
        '<objects><articulatedSystem name="r" urdfPath="bars.urdf"/></objects><wire name="w" length="2">'
        '<object1 name="r" frame="foot" pos="0 0 0.1"/><object2 name="r" local_index="1" pos="0 0 0"/>'
        "</wire>",
    )
    robot, (wire,) = world["r"], world.constraints
    foot = robot.frame("foot")
    np.testing.assert_allclose(wire.points[0], foot.position + foot.rotation_matrix @ (0, 0, 0.1))
    np.testing.assert_allclose(wire.points[1], robot.link("a").position)


def test_constraints_come_back_from_a_saved_world(tmp_path, caplog):
    """Every kind with its numbers; both worlds go on bit for bit alike."""
    world = tribo.World()
    a = world.add_box((0.3, 0.2, 0.1), mass=1.0, position=(0, 0, 1), name="a", collision_mask=0)
    b = world.add_sphere(0.1, mass=2.0, position=(1, 0.2, 1), name="b", collision_mask=0)
    c = world.add_sphere(0.1, mass=2.0, position=(2, 0.2, 1), name="c", collision_mask=0)
    world.add_pin(a, None, position=(0.1, 0.2, 1.3), break_force=1e4)
    world.add_rod(a, b, (0.15, 0, 0))
    world.add_wire(b, None, second_point=(1, 0, 3), length=2.1, stiffness=300.0, damping=2.0)
    world.add_wire(c, b, tension=2.5, name="pull")
    world.add_hinge(c, None, axis=(1, 2, 3), erp=0.5)
    world.add_motor(None, c, (1, 2, 3), speed=2.0, max_force=0.3)
    world.add_weld(b, c).is_on = False
    with caplog.at_level(logging.WARNING, "tribo"):
        world.save(tmp_path / "w.xml")
    assert not caplog.records
    again = tribo.World.load(tmp_path / "w.xml")
    assert [tie.name for tie in again.constraints] == [tie.name for tie in world.constraints]
    assert [tie.type for tie in again.constraints] == [tie.type for tie in world.constraints]
    for made, was in zip(again.constraints, world.constraints, strict=True):
        np.testing.assert_array_equal(made._tuning, was._tuning)
        np.testing.assert_array_equal(made.points, was.points)
    for item in (world, again):
        item.step(50)
    for name in "abc":
        assert again[name].generalized_coordinate.tobytes() == world[name].generalized_coordinate.tobytes()
    again.save(tmp_path / "v.xml")
    ties = [raisim_xml.read(tmp_path / name).constraints for name in ("w.xml", "v.xml")]
    for made, was in zip(*ties, strict=True):
        assert made.numbers == was.numbers
        np.testing.assert_array_equal(made.axes, was.axes)


def test_bodies_that_pass_through_each_other_come_back_from_a_saved_world(tmp_path, caplog):
    """Of every kind; both worlds go on bit for bit alike, in contact with what may be touched."""
    world = tribo.World()
    a = world.add_box((1.0, 1.0, 1.0), mass=1.0, position=(0, 0, 0.5), name="a")
    b = world.add_box((1.0, 1.0, 1.0), mass=1.0, position=(0.9, 0, 0.5), name="b")
    c = world.add_box((1.0, 1.0, 1.0), mass=1.0, position=(0.4, 0, 1.45), name="c")
    ground = world.add_ground(name="ground")
    world.add_weld(a, b, collide=False)
    world.add_rod(a, c, collide=False)
    world.add_wire(b, c, collide=False)
    world.add_pin(c, None, (0.4, 0, 2.0))
    world.add_motor(a, ground, speed=0.0, max_force=1.0, collide=False)
    with caplog.at_level(logging.WARNING, "tribo"):
        world.save(tmp_path / "w.xml")
    assert not caplog.records
    assert (tmp_path / "w.xml").read_text().count('collide="0"') == 4
    again = tribo.World.load(tmp_path / "w.xml")
    assert [tie.collide for tie in again.constraints] == [False, False, False, True, False]
    for item in (world, again):
        item.step(50)
        pairs = {frozenset((x.object_a.name, x.object_b.name)) for x in item.contacts}
        assert pairs == {frozenset(("b", "ground"))}
    for name in "abc":
        assert again[name].generalized_coordinate.tobytes() == world[name].generalized_coordinate.tobytes()


def test_a_robots_loops_stay_with_its_urdf(tmp_path, caplog):
    world = tribo.World()
    world.add_articulated_system(four_bar(CLOSED.format(PIN.format("foot", "0 0 0"))), name="r")
    world.save(tmp_path / "w.xml")
    again = tribo.World.load(tmp_path / "w.xml")
    assert [tie.name for tie in again.constraints] == ["r/pin_0"]
    assert "<constraint" not in (tmp_path / "w.xml").read_text()
    for settings in ({"is_on": False}, {"collide": False}, {"erp": 0.5, "break_force": 70.0}):
        caplog.clear()
        for what, value in settings.items():
            setattr(again.constraints[0], what, value)
        with caplog.at_level(logging.WARNING, "tribo"):
            again.save(tmp_path / "w.xml")
        assert not caplog.records
        again = tribo.World.load(tmp_path / "w.xml")
        (pin,) = again.constraints
        assert (pin.name, pin.type, pin.is_from_file) == ("r/pin_0", "pin", True)
        assert {what: getattr(pin, what) for what in settings} == settings
    assert (pin.is_on, pin.collide) == (False, False)  # what was set before stays


def test_links_that_their_own_pin_lets_pass_do_so_after_every_file(tmp_path):
    """The last bar lies across the first, and the pin says that they do not touch."""
    world = tribo.World()
    text = four_bar(CLOSED.format(PIN.format("foot", "0 0 0")))
    robot = world.add_articulated_system(text, name="r")
    robot.world.constraints[0].collide = False
    ends = {end.body for end in world.constraints[0].ends}
    world.save(tmp_path / "w.xml")
    robot.export_urdf(tmp_path / "r.urdf")
    loaded = tribo.World.load(tmp_path / "w.xml")
    fresh = tribo.World()
    exported = fresh.add_articulated_system(tmp_path / "r.urdf")
    names = {robot.body_names[k] for k in ends}
    assert names in [set(pair) for pair in exported.ignored_collisions]
    for item in (world, loaded, fresh):
        model = item.engine.model
        assert {min(ends) * len(model.body_mass) + max(ends)} <= set(model.ignored_pair.tolist())


BAD_WIRES = {
    "type": (WIRE.format("rubber", ""), "'rubber' is not known"),
    "no stiffness": (WIRE.format("compliant", 'length="1"'), "'stiffness' is missing"),
    "length": (WIRE.format("stiff", 'length="-1"'), "must be > 0"),
    "stretch": (WIRE.format("stiff", 'stretch_type="all"'), "stretch_type"),
    "no object": (WIRE.format("stiff", "").replace('"down"', '"dawn"'), "no object 'dawn'"),
    "no body": (WIRE.format("stiff", "").replace('x="0"', 'x="3"'), "no body 3"),
    "frame": (WIRE.format("stiff", "").replace("local_index", "frame"), "has no frames"),
    "one end": ('<wire name="w"><object1 name="up"/></wire>', "<object2> is missing"),
    "no end": ('<wire name="w"><object1/><object2/></wire>', "both ends are in the world"),
    "erp": (WIRE.format("stiff", 'erp="2"'), "erp"),
    "collide": (WIRE.format("stiff", 'collide="no"'), "collide='no' must be 0 or 1"),
    "collide of the world": (
        '<wire name="w" collide="0"><object1 name="up"/><object2/></wire>',
        "collide=0 needs two objects",
    ),
    "kind": ('<constraint type="glue"/>', "'glue' is not known"),
    "locked": ('<constraint type="pin" locked="64"/>', "bits"),
    "axes": (
        '<constraint type="pin"><object1 name="up" axes="1 0 0 0 1 0 0 0 2"/><object2/></constraint>',
        "rotation matrix",
    ),
    "of no robot": ('<constraint type="of_robot" name="r/pin"/>', "no robot brings a constraint 'r/pin'"),
    "of a robot, nameless": ('<constraint type="of_robot" collide="0"/>', "'name' is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_WIRES)
def test_a_wrong_wire_is_named(tmp_path, name):
    text, words = BAD_WIRES[name]
    with pytest.raises(DescriptionError, match=words):
        load(tmp_path, BALLS + text)


# -- MJCF ----------------------------------------------------------------------------------------------
def scene(equality, joints="<freejoint/>"):
    """Return a scene of two bodies, an equality between them."""
    ball = '<geom size="0.1" mass="1" contype="0" conaffinity="0"/>'
    return (
        f'<mujoco><worldbody><body name="a" pos="0 0 1">{joints}{ball}<site name="s" pos="0.2 0 0"/></body>'
        f'<body name="b" pos="1 0 1"><freejoint/>{ball}<site name="t" pos="-0.8 0 0"/></body></worldbody>'
        f"<equality>{equality}</equality></mujoco>"
    )


@pytest.mark.parametrize(
    "text", ['<connect body1="a" body2="b" anchor="0.2 0 0"/>', '<connect site1="s" site2="t"/>']
)
def test_connect_is_a_pin(text):
    world = tribo.World()
    a, b = world.load_mjcf(scene(text))
    (pin,) = world.constraints
    assert (pin.type, pin.objects) == ("pin", (a, b))
    np.testing.assert_allclose(pin.points, [(0.2, 0, 1)] * 2, atol=1e-15)


def test_connect_to_the_world_and_weld():
    world = tribo.World()
    text = '<connect name="c" body1="a" anchor="0 0 0.5"/><weld body1="a" body2="b" active="false"/>'
    world.load_mjcf(scene(text))
    weld, pin = sorted(world.constraints, key=lambda tie: tie.type == "pin")
    assert (pin.type, weld.type) == ("pin", "weld")
    assert pin.name == "a/c"
    assert not weld.is_on
    world.step(300)
    assert np.abs(pin.gap).max() <= 1e-7 * 9.81 * world.time_step**2 * 1.01  # its compliance
    assert pin.force[2] == pytest.approx(9.81, rel=1e-6)


def test_an_equality_of_joints_is_a_mimic():
    text = (
        '<mujoco><worldbody><body><joint name="x" type="slide" axis="1 0 0" ref="0.1"/><geom size="0.1"/>'
        '<body><joint name="y" type="slide" axis="1 0 0" ref="0.5"/><geom size="0.1"/></body></body>'
        '</worldbody><equality><joint joint1="y" joint2="x" polycoef="0.2 3"/></equality></mujoco>'
    )
    robot = tribo.World().add_articulated_system(text)
    mimic = robot.description.bodies[2].joint.mimic
    assert mimic[0] == "x"
    np.testing.assert_allclose(mimic[1:], (3.0, 0.5 + 0.2 - 3.0 * 0.1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<joint joint1="x" joint2="y" active="false"/>', "is not read for joints"),
        ('<tendon tendon1="t"/>', "speaks of a tendon that is not read"),
        ('<flex flex="f"/>', "of this kind is not read"),
        ('<connect body1="a" body2="b" anchor="0 0 0" solref="0.1 1"/>', "equalities are hard"),
    ],
)
def test_what_is_not_read_of_equality_is_listed(text, words, caplog):
    joints = '<joint name="x" type="slide"/><joint name="y" type="slide" axis="1 0 0"/>'
    with caplog.at_level(logging.WARNING, "tribo"):
        tribo.World().load_mjcf(scene(text, joints))
    assert words in caplog.text
    with pytest.raises(DescriptionError, match=words):
        tribo.World().load_mjcf(scene(text, joints), strict=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<connect body1="a" body2="c" anchor="0 0 0"/>', "'c' is not a body"),
        ('<connect site1="s" site2="u"/>', "'u' is not a site"),
        ('<weld body1="a" body2="a"/>', "to itself"),
        ('<connect body1="a" body2="b"/>', "'anchor' is missing"),
        ('<joint joint1="z"/>', "not a joint"),
    ],
)
def test_a_wrong_equality_is_named(text, words):
    world = tribo.World()
    with pytest.raises(DescriptionError, match=words):
        world.load_mjcf(scene(text))
    assert world.objects == ()
