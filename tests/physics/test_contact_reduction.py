"""Contact reduction: a body of many shapes stands, falls and slides as it does on all of its points."""

from __future__ import annotations

import numpy as np
import pytest

import tribo
from tribo.materials import ContactMaterial

G = 9.81
SIDE = 0.1  # [m] of a tile


def law(mode: str, **values: object) -> ContactMaterial:
    given: dict[str, object] = {"youngs_modulus": 1e8, "spook_damping": 0.005, "friction": 0.6}
    return ContactMaterial(contact_reduction_mode=mode, **(given | values))  # type: ignore[arg-type]


def world_of(pair: ContactMaterial) -> tribo.World:
    world = tribo.World(time_step=1e-3)
    world.set_material_pair("ground", "tile", pair)
    world.set_material_pair("tile", "tile", pair)
    world.set_material_pair("ground", "other", pair)
    world.add_ground(material="ground")
    return world


def slab(
    world: tribo.World, n: int = 5, position: tuple[float, ...] = (0, 0, 0.5 * SIDE), **options: object
) -> tribo.SingleBody:
    """Add a slab of n × n cubes: 4 n² points under it."""
    parts = [
        tribo.CompoundPart("box", (SIDE,) * 3, position=(x * SIDE, y * SIDE, 0))
        for x in np.arange(n) - 0.5 * (n - 1)
        for y in np.arange(n) - 0.5 * (n - 1)
    ]
    return world.add_compound(parts, 2.0, material="tile", position=position, **options)


def points(body: tribo.SingleBody) -> np.ndarray:
    return np.array([contact.position for contact in body.contacts])


def test_reduction_of_12_points_begins() -> None:
    """Three cubes in a row have 12 points, and all of them count; a fourth is one too many."""
    counts = []
    for n in (3, 4):
        world = world_of(law("reduce_geometry", contact_reduction_bin_resolution=1))
        parts = [tribo.CompoundPart("box", (SIDE,) * 3, position=(k * SIDE, 0, 0)) for k in range(n)]
        row = world.add_compound(parts, 1.0, material="tile", position=(0, 0, 0.5 * SIDE))
        world.step(50)
        counts.append(len(row.contacts))
    assert counts == [12, 4]


@pytest.mark.parametrize("bins", range(1, 11))
def test_contact_reduction_keeps_hull_and_reach(bins: int) -> None:
    """The corners of the slab stay; what is left out has a kept point within 1/bins of the slab's side."""
    everything = world_of(law("reduce_none"))
    all_points = slab(everything)
    fewer = world_of(law("reduce_geometry", contact_reduction_bin_resolution=bins))
    kept_points = slab(fewer)
    for world in (everything, fewer):
        world.step(100)
    whole, kept = points(all_points), points(kept_points)
    assert len(whole) == 100
    corners = 0.5 * 5 * SIDE * np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    for corner in corners:
        assert np.abs(kept[:, :2] - corner).max(axis=1).min() < 1e-6
    away = np.abs(whole[:, None, :2] - kept[None, :, :2]).max(axis=2).min(axis=1)
    assert away.max() <= (1.0 / bins) * 5 * SIDE + 1e-5
    assert 4 <= len(kept) < len(whole)


def test_more_bins_keep_more_points() -> None:
    counts = []
    for bins in range(1, 11):
        world = world_of(law("reduce_all", contact_reduction_bin_resolution=bins))
        body = slab(world)
        world.step(20)
        counts.append(len(body.contacts))
    assert counts == sorted(counts)
    assert counts[0] == 4  # the hull alone
    assert counts[-1] == 36  # the grid of 6 × 6, each place once


@pytest.mark.parametrize("mode", ["reduce_geometry", "reduce_all"])
@pytest.mark.parametrize("bins", [1, 3, 10])
def test_resting_wrench_stays(mode: str, bins: int) -> None:
    """Force m g through the centre of mass, with the weight beside the middle: within 1e-6 of it."""
    world = world_of(law(mode, contact_reduction_bin_resolution=bins))
    body = slab(world, com=(0.1, -0.07, 0.0))
    world.step(1500)
    place = body.position
    force, torque = np.zeros(3), np.zeros(3)
    for contact in body.contacts:
        force += contact.force
        torque += np.cross(contact.position - place, contact.force)
    assert force == pytest.approx((0, 0, 2.0 * G), abs=2e-6 * G)
    assert np.abs(torque).max() < 2.0 * G * SIDE * 1e-6


def test_depth_at_rest_stays() -> None:
    """n points of stiffness k bear m g at the depth m g/(n k), however few of them are kept."""
    k = 1e5
    for mode, bins in (("reduce_none", 0), ("reduce_geometry", 1), ("reduce_geometry", 3)):
        pair = law(mode, youngs_modulus=k, contact_reduction_bin_resolution=bins)
        world = world_of(pair)
        body = slab(world)
        world.step(1500)
        depth = 0.5 * SIDE - body.position[2]
        assert depth == pytest.approx(2.0 * G / (100 * k), rel=1e-6), (mode, bins)


def trajectory(mode: str, scene: str) -> np.ndarray:
    """Return where the bodies of a scene go."""
    world = world_of(law(mode, contact_reduction_bin_resolution=3))
    if scene == "box":  # falls flat, is pushed, slides and stops
        bodies = [slab(world, position=(0, 0, 0.5 * SIDE + 1e-3))]
        bodies[0].linear_velocity = (0.8, 0.3, 0)
    else:  # a pyramid of three
        bodies = [
            slab(world, 4, position=(-0.25, 0, 0.5 * SIDE)),
            slab(world, 4, position=(0.25, 0, 0.5 * SIDE)),
            slab(world, 4, position=(0, 0, 1.5 * SIDE)),
        ]
    path = []
    for _ in range(100):
        world.step(10)
        path.append([[*body.position, *body.rotation_matrix.ravel()] for body in bodies])
    return np.array(path)


@pytest.mark.parametrize("scene", ["box", "heap"])
def test_trajectory_stays(scene: str) -> None:
    """Within 1e-6 m and 1e-6 rad of that on all points, over a second."""
    whole = trajectory("reduce_none", scene)
    for mode in ("reduce_geometry", "reduce_all"):
        assert np.abs(trajectory(mode, scene) - whole).max() < 1e-6


def points_of_two_materials(world: tribo.World) -> int:
    """Lay a body of 2 × 6 cubes of two materials on the ground; return in how many points it stands."""
    parts = [
        tribo.CompoundPart(
            "box", (SIDE,) * 3, position=(x * SIDE, y * SIDE, 0), material="tile" if y else "other"
        )
        for x in range(6)
        for y in range(2)
    ]
    body = world.add_compound(parts, 1.0, position=(0, 0, 0.5 * SIDE))
    world.step(20)
    return len(body.contacts)


def two_materials(mode: str) -> int:
    """Return how many points a body of 2 × 6 cubes of two materials has on the ground."""
    world = world_of(law(mode, contact_reduction_bin_resolution=1))
    return points_of_two_materials(world)


def test_contactReductionMode_reduceGeometry_is_by_material() -> None:
    assert two_materials("reduce_geometry") == 8  # a hull for each material


def test_contactReductionMode_reduceALL_is_by_body() -> None:
    assert two_materials("reduce_all") == 4


def test_contactReductionMode_reduceNone_keeps_all() -> None:
    assert two_materials("reduce_none") == 48


def test_contactReductionMode_default_is_reduceGeometry() -> None:
    assert two_materials("default") == 8


def test_patches_of_different_laws_stay_apart() -> None:
    """Two materials with friction of their own are no one patch, in no mode."""
    world = world_of(law("reduce_all", contact_reduction_bin_resolution=1))
    world.set_material_pair(
        "ground", "other", law("reduce_all", friction=0.1, contact_reduction_bin_resolution=1)
    )
    assert points_of_two_materials(world) == 8


def test_contactReductionBinResolution_0_is_three() -> None:
    counts = []
    for bins in (0, 3):
        world = world_of(law("reduce_geometry", contact_reduction_bin_resolution=bins))
        body = slab(world)
        world.step(20)
        counts.append(len(body.contacts))
    assert counts[0] == counts[1]


def test_the_deepest_point_is_kept() -> None:
    """A ball in the middle that stands out below is kept, though no corner of the hull."""
    world = world_of(law("reduce_all", contact_reduction_bin_resolution=1, youngs_modulus=1e4))
    parts = [
        tribo.CompoundPart("box", (SIDE,) * 3, position=(x * SIDE, y * SIDE, 0))
        for x in (-2, -1, 0, 1, 2)
        for y in (-2, -1, 0, 1, 2)
    ]
    tip = tribo.CompoundPart("sphere", (0.02,), position=(0, 0, 0.02 - 0.5 * SIDE - 1e-4))
    world.gravity = (0, 0, 0)
    body = world.add_compound([*parts, tip], 2.0, material="tile", position=(0, 0, 0), com=(0, 0, 0))
    body.position = (0, 0, 0.5 * SIDE - 5e-5)  # the tiles are 0.05 mm deep, the ball 0.15
    world.update()
    assert len(world.contacts) == 5
    deepest = max(world.contacts, key=lambda contact: contact.depth)
    assert deepest.depth == pytest.approx(1.5e-4, abs=1e-12)
    assert np.abs(deepest.position[:2]).max() < 1e-9


def test_a_creep_and_a_constant_force_of_the_patch_stay() -> None:
    """Creep γ F/n on n points; friction n μ F_N of constant normal forces: n counts what was left out."""
    n, push = 100, 3.0
    creep, stop = [], []
    for mode in ("reduce_none", "reduce_geometry"):
        world = world_of(law(mode, surface_viscosity=1e-3))
        body = slab(world)
        world.step(200)
        start = body.position[0]
        for _ in range(1000):
            body.apply_force((push, 0, 0))
            world.step()
        creep.append(body.position[0] - start)
        model = ("constant_normal_force_oriented_box", "direct")
        pair = law(mode, friction_model=model, constant_normal_force=0.05, friction=0.5)
        world = world_of(pair)
        body = slab(world)
        world.step(200)
        body.linear_velocity = (1.0, 0, 0)
        world.step(100)
        stop.append(1.0 - body.linear_velocity[0])
    assert creep == pytest.approx([1e-3 * push / n] * 2, rel=1e-2)
    assert stop == pytest.approx([n * 0.5 * 0.05 / 2.0 * 0.1] * 2, rel=1e-6)


@pytest.mark.parametrize("pull", [0.9, 1.1])
@pytest.mark.parametrize("mode", ["reduce_none", "reduce_geometry", "reduce_all"])
def test_adhesion_of_all_shapes_stays(mode: str, pull: float) -> None:
    """Sixteen cubes that stick with 5 N each come off at 80 N: pairs that stick keep all points."""
    pair = law(mode, adhesion_force=5.0, contact_reduction_bin_resolution=1)
    world = world_of(pair)
    body = slab(world, 4)
    world.step(200)
    assert len(body.contacts) == 64
    for _ in range(300):
        body.apply_force((0, 0, 2.0 * G + 80.0 * pull))
        world.step()
    assert (body.position[2] > SIDE) == (pull > 1.0)


@pytest.mark.parametrize("bins", [3, 4, 10])
def test_stiffness_against_tilting_stays(bins: int) -> None:
    """Weight beside the middle, on soft points: the slab leans as on all of them."""
    lean = []
    for mode in ("reduce_none", "reduce_geometry"):
        pair = law(mode, youngs_modulus=1e4, contact_reduction_bin_resolution=bins)
        world = world_of(pair)
        body = slab(world, com=(0.04, -0.02, 0.0))
        world.step(3000)
        lean.append(np.array([*body.position[2:], *body.rotation_matrix[2]]))
    # φ: (1, u, v, u², u v, v²) of all points; exact but for the slope, (2e-5)², and the motion that is left
    assert lean[1] == pytest.approx(lean[0], abs=1e-9)
    assert abs(lean[0][1]) > 1e-6


def test_rigid_pairs_keep_all_points() -> None:
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    body = slab(world)
    world.step(10)
    assert len(body.contacts) == 100


def test_reduction_is_deterministic_and_survives_a_snapshot() -> None:
    world = world_of(law("reduce_all"))
    body = slab(world, position=(0, 0, 0.06))
    body.angular_velocity = (0.3, 0.2, 0)
    world.step(60)
    saved = world.snapshot()
    world.step(100)
    first = body.position.copy()
    world.restore(saved)
    world.step(100)
    assert (body.position == first).all()


def landing(mode: str, speed: float) -> np.ndarray:
    """Return where a tilted slab of soft points is after it has landed, seen from a ground of some speed."""
    pair = law(mode, youngs_modulus=1e4, spook_damping=0.01, contact_reduction_bin_resolution=2)
    world = tribo.World(time_step=5e-4)
    world.set_material_pair("ground", "tile", pair)
    moves = (speed, 0.0, 0.0)
    world.add_box(
        (100, 10, 1), 1.0, "ground", body_type="kinematic", position=(0, 0, -0.5), linear_velocity=moves
    )
    body = slab(world, position=(0, 0, 0.09), rpy=(0.02, 0.05, 0), linear_velocity=moves)
    world.step(300)
    return body.position - [speed * world.time, 0, 0]


def test_a_landing_is_the_same_on_a_ground_that_moves() -> None:
    """At 20 m/s points 1 cm above are in reach; in the patch of those that touch they moved it by 3e-5 m.

    On all points the paths agree to round-off; of open points, which may be hit, others are kept: 1e-8 m.
    """
    for mode, error in (("reduce_none", 1e-10), ("reduce_geometry", 1e-8)):
        assert landing(mode, 20.0) == pytest.approx(landing(mode, 0.0), abs=error)
