"""The ellipsoid: support point, box, mass, rays, contacts. A ball is an ellipsoid of equal axes."""

import logging

import numpy as np
import pytest
from shapes import ELLIPSOID, PLANE, SPHERE, meet, random_pair, records, rotation

import tribo
from tribo import CompoundPart
from tribo.collision.broadphase import shape_bound
from tribo.collision.core import depth_in_ellipsoid
from tribo.collision.pairs import SUPPORTED
from tribo.collision.solid import farthest_of_ellipsoid
from tribo.description import inertias
from tribo.description.trees import LinkDescription, VisualDescription
from tribo.model import Shape
from tribo.spatial import convert

AXES = (0.3, 0.2, 0.1)
OTHERS = sorted({b for a, b in SUPPORTED if a == ELLIPSOID and b < Shape.SURFACE})


def ways(count, seed=0):
    made = np.random.default_rng(seed).normal(size=(count, 3))
    return made / np.linalg.norm(made, axis=1)[:, None]


# --- The solid ------------------------------------------------------------------------------------


def test_the_support_point_is_on_the_surface_and_has_the_direction_as_its_normal():
    """Σ (x/a)² = 1 and x/a² ∥ d: sums of three products of numbers below 100."""
    for d in ways(200):
        p = np.array(farthest_of_ellipsoid((ELLIPSOID, *AXES, 0, 0, 0, 0), tuple(d)))
        assert ((p / AXES) ** 2).sum() == pytest.approx(1.0, abs=4e-15)
        normal = p / np.square(AXES)
        np.testing.assert_allclose(normal / np.linalg.norm(normal), d, atol=1e-15)


def test_boxes_of_one_shape_and_of_a_body_touch_the_surface():
    """h(±eᵢ) = √ Σ (Rᵢⱼ aⱼ)², the exact box: what lies in a direction is `support` there."""
    for turn in ways(20, 1):
        rot = rotation(2.0 * turn)
        model, work = records((ELLIPSOID, np.zeros(3), rot, AXES), (SPHERE, np.ones(3), np.eye(3), (1, 0, 0)))
        bound = np.array(shape_bound(model, work, 0))
        reach = [
            (rot @ farthest_of_ellipsoid((ELLIPSOID, *AXES, 0, 0, 0, 0), tuple(row)))[k]
            for k, row in enumerate(rot)
        ]
        np.testing.assert_allclose(bound, np.r_[np.negative(reach), reach], atol=4e-16)
    world = tribo.World()
    turned = (0.8, 0.0, 0.6, 0.0)
    body = world.add_compound([CompoundPart("ellipsoid", AXES, orientation=turned)], 1.0)
    world.step(0)
    model = world.engine.model
    rot = body.rotation_matrix @ np.reshape(model.shape_rot[0], (3, 3))
    np.testing.assert_allclose(model.body_box[0, 3:], np.linalg.norm(rot * AXES, axis=1), atol=1e-15)
    assert model.body_radius[0] == max(AXES)


def test_volume_and_inertia_are_those_of_a_stretched_ball():
    """∫ x² dm of a ball is m r²/5; stretched by a along x it is m a²/5."""
    volume, centre, unit = inertias.of_shape(Shape.ELLIPSOID, AXES)
    ball, _, _ = inertias.of_shape(Shape.SPHERE, (1.0,))
    assert volume == pytest.approx(ball * np.prod(AXES), rel=1e-15)
    second = np.diag(np.square(AXES)) / 5
    np.testing.assert_allclose(unit, np.trace(second) * np.eye(3) - second, rtol=1e-15, atol=1e-18)
    np.testing.assert_array_equal(centre, 0.0)
    body = tribo.World().add_ellipsoid(AXES, 2.5)
    np.testing.assert_allclose(body.inertia, 2.5 * unit, rtol=1e-15)
    link = LinkDescription("pebble")
    link.add_shape("ellipsoid", AXES, density=1000.0)
    assert link.solids[0][0] == pytest.approx(1000.0 * volume, rel=1e-15)


WRONG = [(0, 1, 1), (1, -1, 1), (1, 1, np.nan), (1, 1, np.inf), (1, 1), 1.0, "abc"]


@pytest.mark.parametrize("axes", [*WRONG, (1, 1e-16, 1), (1, 1, 1e16)], ids=str)
def test_wrong_semi_axes_are_refused_and_the_world_stays_as_it_was(axes):
    world = tribo.World()
    with pytest.raises((ValueError, TypeError), match="semi_axes"):
        world.add_ellipsoid(axes, 1.0)
    assert len(world.objects) == 0


@pytest.mark.parametrize("axes", WRONG, ids=str)
def test_wrong_semi_axes_of_parts_and_edits_are_refused(axes):
    world = tribo.World()
    body = world.add_ellipsoid((0.1, 0.2, 0.3), 1.0)
    with pytest.raises((ValueError, TypeError)):
        world.add_compound([CompoundPart("ellipsoid", axes)], 1.0)
    with pytest.raises((ValueError, TypeError), match="size of ellipsoid/0"):
        body.collision_bodies[0].size = axes
    assert body.collision_bodies[0].size == (0.1, 0.2, 0.3)


def test_the_size_can_be_changed_at_run_time():
    """What rests on another axis after an edit is where the plane touches it, in a world and in a batch."""
    world = tribo.World()
    world.add_ground()
    body = world.add_ellipsoid((0.1, 0.1, 0.05), 1.0, position=(0, 0, 0.05))
    world.step(10)
    body.collision_bodies[0].size = (0.1, 0.1, 0.08)
    body.position = (0, 0, 0.08)
    world.step(200)
    assert body.position[2] == pytest.approx(0.08, abs=1e-9)
    batch = tribo.Batch(world, 2, threads=1)
    batch.step(50)
    world.step(50)
    for position in batch[body.name].position:
        np.testing.assert_array_equal(position, body.position)


@pytest.mark.parametrize(
    ("axes", "p", "depth"),
    [
        ((0.3, 0.2, 0.1), (0, 0, 0), 0.1),
        ((0.1, 0.3, 0.1), (0, 0, 0), 0.1),
        ((0.3, 0.2, 0.1), (0, 0, -0.04), 0.06),
        ((0.3, 0.2, 0.1), (0.05, 0, 0), 0.1 * np.sqrt(1 - 0.05**2 / 0.08)),
        ((0.3, 0.2, 0.1), (0.28, 0, 0), 0.02),
        ((0.2, 0.2, 0.2), (0.01, 0.04, -0.08), 0.11),
        ((1e3, 1.0, 1e-3), (900.0, 0, 0), 1e-3 * np.sqrt(1 - 900.0**2 / (1e6 - 1e-6))),
        ((0.3, 0.2, 0.1), (0.3, 0, 0), 0.0),
        ((0.3, 0.2, 0.1), (0.2, 0.2, 0.2), 0.0),
    ],
)
def test_depth_of_a_point_inside(axes, p, depth):
    """On the axis of a, up to (a² − c²)/a, c √(1 − p²/(a² − c²)), beyond a − p; on that of c, c − p.

    The t at which the bisection ends is off by 2⁻⁵² c², and what that moves is at most of the size of p.
    """
    found = depth_in_ellipsoid(axes, tuple(float(x) for x in p))
    assert found == pytest.approx(depth, abs=4 * 2.0**-52 * max(axes))


# --- Rays and places ------------------------------------------------------------------------------


def test_rays_enter_where_the_equation_says():
    """|D⁻¹ (o + t d)| = 1, the normal ∝ D⁻² x; a miss exactly where the discriminant is negative."""
    world = tribo.World()
    turned = np.array([0.9, 0.1, -0.3, 0.2])
    turned /= np.linalg.norm(turned)
    body = world.add_ellipsoid(AXES, 1.0, position=(0.1, -0.2, 0.3), orientation=turned)
    rng = np.random.default_rng(2)
    hits = misses = 0
    for _ in range(300):
        origin = 2.0 * rng.normal(size=3)
        d = body.position + 0.2 * rng.normal(size=3) - origin
        d /= np.linalg.norm(d)
        hit = world.ray_test(origin, d, 20.0)
        o = body.rotation_matrix.T @ (origin - body.position) / AXES
        e = body.rotation_matrix.T @ d / AXES
        a, b, c = e @ e, o @ e, o @ o - 1.0
        if c < 0.0:  # from inside
            continue
        if b * b < a * c or b > 0.0:
            assert hit is None
            misses += 1
            continue
        hits += 1
        t = (-b - np.sqrt(b * b - a * c)) / a
        assert hit.distance == pytest.approx(t, abs=1e-7)  # near a tangent √ of round-off
        x = o + t * e
        normal = body.rotation_matrix @ (x / AXES)
        np.testing.assert_allclose(hit.normal, normal / np.linalg.norm(normal), atol=1e-6)
    assert min(hits, misses) > 80


# --- Contacts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_on_a_plane_it_touches_with_its_support_point(seed):
    rng = np.random.default_rng(seed)
    rot, ground = rotation(rng.normal(size=3)), rotation(rng.normal(size=3))
    normal = ground[:, 2]
    lowest = rot @ farthest_of_ellipsoid((ELLIPSOID, *AXES, 0, 0, 0, 0), tuple(-rot.T @ normal))
    pos = rng.normal(size=3)
    foot = pos + lowest - 0.003 * normal
    (row,) = meet((ELLIPSOID, pos, rot, AXES), (PLANE, foot, ground, (0, 0, 0)))
    np.testing.assert_allclose(row[:7], [*(pos + lowest - 0.0015 * normal), *normal, 0.003], atol=2e-15)


@pytest.mark.parametrize("other", OTHERS)
def test_equal_axes_make_a_ball(other):
    """The same gaps, normals and places: two ways to compute one thing, gaps to a few dozen roundings.

    What is proved in `smooth.polished` has points that lie off the normal by at most 100 `PLANE` = 1e-10 of
    their coordinates, 2 m here.
    """
    rng = np.random.default_rng(other)
    for _ in range(30):
        ball, b = random_pair(
            (SPHERE, other), rng, overlap=rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4, -2)
        )
        made = meet((ELLIPSOID, ball[1], rotation(rng.normal(size=3)), (ball[3][0],) * 3), b, 0.02)
        rows = meet(ball, b, 0.02)
        deepest = rows[np.argmin(rows[:, 6])]
        own = made[np.argmin(made[:, 6])]
        assert len(made) == len(rows)
        np.testing.assert_allclose(own[6], deepest[6], atol=1e-14)
        np.testing.assert_allclose(own[:6], deepest[:6], atol=2e-10)


@pytest.mark.parametrize("other", [k for k in OTHERS if k != PLANE])
def test_one_contact_whose_normal_is_that_of_the_surface(other):
    """At the ellipsoid's own point p of the contact, p/a² is along the normal, and p is on the surface.

    What is proved in `smooth.polished` has a gap that is right to `PLANE` = 1e-12 of the coordinates, 2 m,
    which changes Σ (p/a)² by 2/c of it, c ≥ 0.1 m; and points off the normal by at most a hundred times that,
    which turn p/a² by 1/R of it, R ≥ c²/a = 0.025 m the least radius of curvature.
    """
    rng = np.random.default_rng((7, other))
    for _ in range(40):
        a, b = random_pair((ELLIPSOID, other), rng, overlap=10.0 ** rng.uniform(-5, -2))
        (row,) = meet(a, b)
        p = a[2].T @ (row[:3] + 0.5 * row[6] * row[3:6] - a[1])
        assert ((p / a[3]) ** 2).sum() == pytest.approx(1.0, abs=4e-11)
        normal = a[2] @ (p / np.square(a[3]))
        np.testing.assert_allclose(normal / -np.linalg.norm(normal), row[3:6], atol=8e-9)


def test_one_contact_of_one_name_carries_it_while_it_rolls():
    """One contact, the same key all the way, and the centre never lower than its support says."""
    world = tribo.World()
    world.add_ground()
    world.default_pair = tribo.PairProperties(friction=0.8)
    axes = (0.05, 0.3, 0.05)
    body = world.add_ellipsoid(
        axes, 1.0, position=(0, 0, 0.05), linear_velocity=(0.5, 0, 0), angular_velocity=(0, 10.0, 0)
    )
    keys = set()
    for _ in range(1000):
        world.step()
        keys.add(int(world.engine.work.contact_key[0]))
        assert int(world.engine.work.contact_count[0]) == 1
        assert abs(body.position[2] - 0.05) < 1e-9
    assert len(keys) == 1
    assert body.position[0] == pytest.approx(0.5, abs=1e-6)
    assert body.linear_velocity[0] == pytest.approx(0.5, abs=1e-6)


def test_it_carries_its_weight_and_stays_on_every_ground():
    values = np.zeros((8, 8))
    for add in (
        lambda w: w.add_ground(),
        lambda w: w.add_box((2, 2, 0.2), 1.0, position=(0, 0, -0.1), body_type="static"),
        lambda w: w.add_height_map(tribo.HeightField(values, (2.0, 2.0))),
        lambda w: w.add_surface([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)]),
    ):
        world = tribo.World()
        add(world)
        body = world.add_ellipsoid((0.1, 0.08, 0.05), 2.0, position=(0.013, 0.027, 0.05))
        world.step(1000)
        assert body.position == pytest.approx((0.013, 0.027, 0.05), abs=1e-9)
        (contact,) = world.contacts
        np.testing.assert_allclose(np.abs(contact.force), (0.0, 0.0, 2.0 * 9.81), atol=1e-7)


def test_rocking_has_the_period_of_the_radius_of_curvature():
    """Rolls without slip about y: ω² = m g (R − c) / (I + m c²), R = a²/c; to the amplitude²."""
    a, c, m = 0.1, 0.05, 1.0
    inertia = m / 5 * (a * a + c * c)
    omega = np.sqrt(m * 9.81 * (a * a / c - c) / (inertia + m * c * c))
    tilt = 1e-3
    world = tribo.World(time_step=1e-4)
    world.add_ground()
    world.default_pair = tribo.PairProperties(friction=1.0)
    reach = np.hypot(a * np.sin(tilt), c * np.cos(tilt))
    body = world.add_ellipsoid(
        (a, 0.07, c), m, position=(0, 0, reach), orientation=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0)
    )
    period = 2 * np.pi / omega
    world.step(round(period / 1e-4))
    lean = np.arcsin(body.rotation_matrix[0, 2])
    assert lean == pytest.approx(tilt, rel=2e-3)
    assert abs(body.angular_velocity[1]) < 0.02 * tilt * omega


def test_a_fast_one_does_not_pass_a_plate():
    for speed in (50.0, 300.0):
        world = tribo.World()
        world.add_box((1.0, 1.0, 0.005), 1.0, body_type="static")
        body = world.add_ellipsoid(
            (0.03, 0.02, 0.01), 0.1, position=(0, 0, 0.5), orientation=(0.8, 0.6, 0, 0),
            linear_velocity=(0, 0, -speed), angular_velocity=(30.0, 20.0, 0),
        )  # fmt: skip
        for _ in range(100):
            world.step()
            assert body.position[2] > 0.0


def test_drawing_instructions_of_spatial_v2_close_around_it():
    """Triangles that look outward enclose less than the ellipsoid; 16 × 8 facets leave out 6 %."""
    item = VisualDescription(Shape.ELLIPSOID, AXES, (0.0, 0.0, 1.0))
    ((_, corners), (_, faces)) = convert._instructions(item, np.eye(3))[0]
    a, b, c = np.moveaxis(np.subtract(corners, (0.0, 0.0, 1.0))[np.array(faces)], 1, 0)
    assert (np.einsum("ni,ni->n", a + b + c, np.cross(b - a, c - a)) > 0.0).all()
    whole = inertias.of_shape(Shape.ELLIPSOID, AXES)[0]
    assert 0.93 * whole < np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 < whole


# --- Files ----------------------------------------------------------------------------------------

MODEL = """<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/>
<geom type="ellipsoid" size="0.1 0.2 0.3" density="700" euler="10 20 30"/>
<geom type="ellipsoid" size="0.05" fromto="0 0 0 0.3 0.2 0.1" mass="0.4"/></body></worldbody></mujoco>"""


def test_mjcf_collides_with_mass_and_inertia_of_mujoco(caplog):
    mujoco = pytest.importorskip("mujoco")
    with caplog.at_level(logging.WARNING, logger="tribo"):
        world = tribo.World()
        robot = world.add_articulated_system(MODEL)
    assert "collide" not in caplog.text
    one, two = robot.collision_bodies
    assert (one.shape, one.size) == (Shape.ELLIPSOID, (0.1, 0.2, 0.3))
    model = mujoco.MjModel.from_xml_string(MODEL)
    np.testing.assert_allclose(one.size, model.geom_size[0], rtol=1e-15)
    np.testing.assert_allclose(two.size, model.geom_size[1], rtol=1e-14)
    np.testing.assert_allclose(robot.mass, model.body_mass[1], rtol=1e-13)
    body = robot.description.bodies[0]
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvalsh(body.inertia)), np.sort(model.body_inertia[1]), rtol=1e-11
    )
    np.testing.assert_allclose(body.com, model.body_ipos[1], atol=1e-14)


def test_a_robot_made_in_python_is_saved_with_the_world(tmp_path):
    link = LinkDescription("pebble")
    link.add_shape("ellipsoid", AXES, mass=1.5, position=(0.1, 0.0, 0.2))
    world = tribo.World()
    robot = world.add_articulated_system(link)
    world.save(tmp_path / "w.xml")
    again = tribo.World.load(tmp_path / "w.xml")
    (found,) = again.objects[0].collision_bodies
    assert (found.shape, found.size, found.position_in_body.tolist()) == (
        Shape.ELLIPSOID, AXES, robot.collision_bodies[0].position_in_body.tolist(),
    )  # fmt: skip
