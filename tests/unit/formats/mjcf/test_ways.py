"""Spatial tendons and slider-cranks: what becomes of sites, geoms, pulleys; what is refused or listed."""

import math

import pytest

import tribo
from tribo.enums import ElementKind
from tribo.formats import mjcf

BODIES = """<site name="w" pos="1 2 3"/><geom name="post" type="cylinder" size="0.2 1" pos="0 0 5"/>
<geom name="block" type="box" size="1 1 1" pos="9 9 9"/><site name="w2" pos="0 0 9"/>
<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom name="ball" size="0.1" pos="0.5 0 0"/>
 <site name="a" pos="0.2 0 0.1"/><site name="up" pos="0.5 0 0.3"/>
 <body name="hand" pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1"/><site name="b" pos="0.1 0 0"/></body>
 <body name="left" pos="0 1 0"><joint axis="0 1 0"/><geom size="0.1"/><site name="l"/></body>
 <body name="right" pos="0 -1 0"><joint axis="0 1 0"/><geom size="0.1"/><site name="r"/></body></body>
<body name="ship" pos="4 0 1"><freejoint/><geom size="0.2"/><site name="s" pos="0 0 0.2"/></body>"""
MOTOR = '<actuator><motor tendon="t"/></actuator>'


def read(way, numbers="", extra=MOTOR):
    tendon = f'<tendon><spatial name="t" {numbers}>{way}</spatial></tendon>' if way else ""
    scene = mjcf.read(f"<mujoco><worldbody>{BODIES}</worldbody>{tendon}{extra}</mujoco>")
    trees = {one.name: one.tree for one in scene.objects if one.tree is not None}
    return scene, trees["arm"]


def sites(*names):
    return "".join(f'<site site="{name}"/>' for name in names)


def test_a_way_is_over_points_of_bodies():
    numbers = 'stiffness="4" springlength="0.3" damping="3" frictionloss="2" range="0.1 9"'
    scene, tree = read(sites("w", "a") + '<pulley divisor="2"/>' + sites("a", "b"), numbers)
    assert not scene.doubts
    (made,) = tree.couplings
    assert [one.body for one in made.way] == [0, 1, 1, 2]  # what stands is on the robot's base
    assert [one.point for one in made.way[:2]] == [(1.0, 2.0, 3.0), (0.2, 0.0, 0.1)]
    assert [one.weight for one in made.way] == [1.0, 0.0, 0.5, 0.0]
    assert (made.stiffness, made.rest, made.damping) == (4.0, (0.3, 0.3), 3.0)
    assert (made.friction, made.lower, made.upper) == (2.0, 0.1, 9.0)


def test_it_lies_around_spheres_and_cylinders():
    way = sites("a") + '<geom geom="ball" sidesite="up"/>' + sites("b") + '<geom geom="post"/>' + sites("w")
    _, tree = read(way)
    ball, post = tree.couplings[0].way[1], tree.couplings[0].way[3]
    assert (ball.kind, ball.radius, ball.toward) == (ElementKind.SPHERE, 0.1, (0.0, 0.0, 0.3))
    assert (post.kind, post.radius, post.axis) == (ElementKind.CYLINDER, 0.2, (0.0, 0.0, 1.0))
    assert post.toward == (0.0, 0.0, 0.0)


def test_a_spring_rests_at_the_length_that_is_drawn():
    _, tree = read(sites("w", "a") + '<pulley divisor="2"/>' + sites("a", "b"), 'stiffness="4"')
    drawn = math.dist((1, 2, 3), (0.2, 0, 1.1)) + 0.5 * math.dist((0.2, 0, 1.1), (1.1, 0, 1))
    assert tree.couplings[0].rest == pytest.approx((drawn, drawn), rel=1e-14)


def test_a_tendon_that_nothing_acts_on_is_left_out():
    assert not read(sites("a", "b"), extra="")[1].couplings


def test_a_slider_crank_is_a_way():
    servo = '<actuator><position cranksite="b" slidersite="w" cranklength="4" gear="2" kp="9"/></actuator>'
    scene, tree = read("", extra=servo)
    (made,) = tree.couplings
    slider, crank = made.way
    assert (slider.kind, slider.radius, slider.axis) == (ElementKind.SLIDER, 4.0, (0.0, 0.0, 1.0))
    assert (slider.body, crank.body, crank.point) == (0, 2, (0.1, 0.0, 0.0))
    assert tree.actuators[0].law.coupling == made.name
    assert not scene.doubts


def test_between_two_objects_it_is_wires():
    numbers = 'range="1 7" stiffness="30" springlength="2 5" damping="3"'
    world = tribo.World()
    world.load_mjcf(
        f'<mujoco><worldbody>{BODIES}</worldbody><tendon><spatial name="t" {numbers}>'
        f"{sites('s', 'w', 'b')}</spatial></tendon></mujoco>"
    )
    found = {one.name: (one.resists, one.length, one.stiffness, one.damping) for one in world.constraints}
    assert found == {
        "t": ("stretch", 7.0, math.inf, 0.0),
        "t/least": ("compression", 1.0, math.inf, 0.0),
        "t/spring": ("stretch", 5.0, 30.0, 0.0),
        "t/strut": ("compression", 2.0, 30.0, 0.0),
        "t/damper": ("both", 1.0, 0.0, 3.0),
    }
    drawn = math.dist((4, 0, 1.2), (1, 2, 3)) + math.dist((1, 2, 3), (1.1, 0, 1))
    assert world.constraints[0].stretch == pytest.approx(drawn - 7.0, rel=1e-12)


@pytest.mark.parametrize(
    ("way", "numbers", "extra", "words"),
    [
        (sites("w", "w2"), "", "", "all its sites stand"),
        (sites("b", "l", "r"), 'stiffness="1"', "", "3 branches"),
        (sites("a") + '<geom geom="ball" sidesite="w"/>' + sites("b"), "", "", "on another body"),
        (sites("s", "a", "b"), 'stiffness="1"', "", "more than two bodies"),
        (sites("s", "a"), 'frictionloss="1"', "", "with friction"),
        (sites("a") + '<geom geom="ball"/>' + sites("s"), 'range="0 1"', "", "around geoms"),
        (sites("s", "a"), 'range="0 1"', MOTOR, "it does nothing"),
        (sites("a", "b"), "", '<actuator><muscle tendon="t"/></actuator>', "without lengthrange"),
        (
            "", "", '<actuator><motor cranksite="s" slidersite="a" cranklength="1"/></actuator>',
            "slider-crank between two objects",
        ),
        (sites("a", "b"), 'armature="1"', MOTOR, "armature of a spatial tendon"),
        (sites("a", "b") + "<joint/>", "", "", "joint"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_listed(way, numbers, extra, words):
    scene, _ = read(way, numbers, extra)
    assert any(words in doubt for doubt in scene.doubts), scene.doubts


@pytest.mark.parametrize(
    ("way", "extra", "words"),
    [
        (sites("a"), "", "two <site>"),
        (sites("a", "none"), "", "not a site"),
        ('<geom geom="ball"/>' + sites("a", "b"), "", "between two sites"),
        (sites("a") + '<geom geom="ball"/>', "", "between two sites"),
        (sites("a") + '<geom geom="block"/>' + sites("b"), "", "sphere or cylinder"),
        (sites("a") + '<geom geom="none"/>' + sites("b"), "", "not a geom"),
        (sites("a") + '<geom geom="ball" sidesite="none"/>' + sites("b"), "", "not a site"),
        (sites("a") + '<pulley divisor="0"/>' + sites("b"), "", "divisor"),
        (sites("a") + '<pulley divisor="1e-310"/>' + sites("b"), "", "1e-15 is the least"),
        ("", '<actuator><motor cranksite="a" slidersite="w"/></actuator>', "cranklength"),
        ("", '<actuator><motor cranksite="a" cranklength="1"/></actuator>', "slidersite"),
    ],
)
def test_broken_ways_are_refused(way, extra, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        read(way, extra=extra)


def test_many_equal_slider_cranks_have_names_of_their_own():
    """Two thousand took minutes: each looked for its name anew, letter by letter."""
    motor = '<motor cranksite="b" slidersite="w" cranklength="4"/>'
    _, tree = read("", extra=f"<actuator>{motor * 2000}</actuator>")
    names = [one.name for one in tree.couplings]
    assert len(names) == len(set(names)) == 2000
