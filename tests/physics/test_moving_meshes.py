"""Bodies with holes that move: rings on shafts, nuts on bolts; meshes of boxes beside boxes."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest
import threads

import tribo

G = 9.81
PITCH, MINOR, MAJOR = 1.5e-3, 4.08e-3, 5e-3  # [m] M10
CLEARANCE = 0.1e-3  # [m] radial
# Axial way of a nut between the flanks: a flank rises by MAJOR − MINOR over 5/16 of the pitch.
PLAY = 2 * CLEARANCE * (5 / 16 * PITCH) / (MAJOR - MINOR)


def energy(body: tribo.SingleBody) -> float:
    """Return kinetic and potential energy of a body [J]."""
    turn = body.rotation_matrix.T @ body.angular_velocity
    v = body.linear_velocity
    return float(body.mass * (0.5 * v @ v + G * body.position[2]) + 0.5 * turn @ body.inertia @ turn)


def test_ring_falls_freely_over_a_shaft() -> None:
    world = tribo.World(time_step=1e-3)
    world.add_cylinder(9.9e-3, 0.4, 1.0, body_type="static", position=(0, 0, 0.2))
    ring = world.add_mesh(
        threads.ring(10.1e-3, 15e-3, 8e-3), density=7800.0, mode="exact", position=(3e-5, 2e-5, 0.5)
    )
    assert ring.mass == pytest.approx(7800 * 3.0799e-6, rel=1e-4)
    world.step(300)
    assert world.status == 0
    assert np.allclose(ring.position, (3e-5, 2e-5, 0.5 - 0.5 * G * 0.3**2), rtol=0, atol=1e-12)
    assert not ring.angular_velocity.any()


@pytest.mark.parametrize("shaft", ["cylinder", "mesh"])
def test_tilted_ring_gains_no_energy_on_a_shaft(shaft: str) -> None:
    world = tribo.World(time_step=1e-3)
    world.set_material_pair("default", "default", friction=0.0, restitution=0.0)
    if shaft == "cylinder":
        world.add_cylinder(9.9e-3, 0.4, 1.0, body_type="static", position=(0, 0, 0.2))
    else:
        outline = np.array([(1e-4, 0.0), (9.9e-3, 0.0), (9.9e-3, 0.4), (1e-4, 0.4)])
        world.add_mesh(threads.turned(outline, 2 * pi * np.arange(48) / 48), mode="exact")
    ring = world.add_mesh(
        threads.ring(10.1e-3, 15e-3, 8e-3), density=7800.0, mode="exact", position=(5e-5, 0, 0.3)
    )
    ring.angular_velocity = (1.0, 0.5, 0.0)
    first = most = energy(ring)
    for _ in range(150):
        world.step()
        most = max(most, energy(ring))
    fallen = 0.3 - ring.position[2]
    assert most - first < 1e-6 * ring.mass * G * fallen
    assert 0.0 < fallen < 0.5 * G * 0.15**2 + 1e-9
    assert np.hypot(*ring.position[:2]) < 0.4e-3  # it is still on the shaft


def nut_on_bolt(friction: float) -> tuple[tribo.World, tribo.SingleBody]:
    world = tribo.World(time_step=1e-3)
    world.set_material_pair("default", "default", friction=friction, restitution=0.0)
    world.add_mesh(threads.threaded(PITCH, MINOR, MAJOR, 0.0, 8 * PITCH), mode="exact")
    nut = threads.threaded(PITCH, MINOR + CLEARANCE, MAJOR + CLEARANCE, 3 * PITCH, 5 * PITCH, outer=8e-3)
    made = world.add_mesh(nut, density=7800.0, mode="exact")
    made.position = -np.array(made.description.origin)
    return world, made


def turn_of(world: tribo.World, nut: tribo.SingleBody, steps: int, torque: float = 0.0) -> float:
    """Step, and return by how much the nut has turned about z [rad]."""
    total, last = 0.0, 0.0
    for _ in range(steps):
        if torque:
            nut.apply_torque((0.0, 0.0, torque))
        world.step()
        r = nut.rotation_matrix
        now = float(np.arctan2(r[1, 0], r[0, 0]))
        total, last = total + (now - last + pi) % (2 * pi) - pi, now
    return total


@pytest.mark.parametrize("sign", [-1, 1])
def test_nut_turns_along_its_bolt(sign: int) -> None:
    """Without friction: down under its weight, up under twice the torque that would hold it."""
    world, nut = nut_on_bolt(0.0)
    start, first = float(nut.position[2]), energy(nut)
    torque = 2 * nut.mass * G * PITCH / (2 * pi) if sign > 0 else 0.0
    turn = turn_of(world, nut, 400, torque)
    way = float(nut.position[2]) - start
    assert sign * turn > 1.0
    assert abs(way - PITCH * turn / (2 * pi)) < PLAY
    assert energy(nut) - first < torque * turn + 1e-3 * nut.mass * G * PITCH


def test_friction_holds_a_nut() -> None:
    """A thread is self-locking if μ > tan(lead angle) cos(half angle): about 0.05 here."""
    world, nut = nut_on_bolt(0.2)
    start = float(nut.position[2])
    turn = turn_of(world, nut, 400)
    assert abs(turn) < 0.02
    assert -PLAY < nut.position[2] - start < 1e-6


@pytest.mark.parametrize("ground", ["plane", "box", "mesh", "height map"])
def test_box_of_triangles_is_a_box(ground: str) -> None:
    """Dropped flat with some speed and friction: as a box, to rounding; it slides 3 cm."""
    ends = []
    for is_mesh in (False, True):
        world = tribo.World(time_step=1e-3)
        world.set_material_pair("default", "default", friction=0.5, restitution=0.0)
        if ground == "plane":
            world.add_ground()
        elif ground == "box":
            world.add_box((2, 2, 1), 1.0, body_type="static", position=(0, 0, -0.5))
        elif ground == "mesh":
            world.add_mesh(threads.box(2, 2, 1), mode="exact", position=(0, 0, -0.5))
        else:
            world.add_height_map(np.zeros((21, 21)), size=(2.0, 2.0))
        if is_mesh:
            made = world.add_mesh(
                threads.box(0.2, 0.3, 0.1), density=800.0, mode="exact", position=(0.01, 0.02, 0.06)
            )
        else:
            made = world.add_box((0.2, 0.3, 0.1), density=800.0, position=(0.01, 0.02, 0.06))
        assert np.allclose(made.inertia, np.diag(made.inertia.diagonal()), atol=1e-15)
        made.linear_velocity = (0.5, 0.0, 0.0)
        world.step(400)
        ends.append(np.concatenate([made.position, made.orientation, made.linear_velocity]))
        assert abs(made.position[2] - 0.05) < 1e-9
        assert np.abs(made.linear_velocity).max() < 1e-9
    assert np.abs(ends[0] - ends[1]).max() < 1e-12


def test_crossing_edges_meet_where_they_cross() -> None:
    """Two bars on their edges, crossed, further than a resolution from all corners."""
    world = tribo.World(time_step=1e-3)
    eighth = (np.cos(pi / 8), np.sin(pi / 8), 0.0, 0.0)
    across = (np.cos(pi / 8), 0.0, np.sin(pi / 8), 0.0)
    world.add_mesh(threads.box(1.0, 0.1, 0.1), mode="exact", orientation=eighth)
    bar = world.add_mesh(
        threads.box(0.1, 0.9, 0.1), density=500.0, mode="exact", orientation=across,
        position=(0.013, 0.0, 0.1 * 2**0.5 + 1e-4),
    )  # fmt: skip
    world.step(8)
    (contact,) = bar.contacts
    assert np.allclose(contact.position, (0.013, 0.0, 0.05 * 2**0.5), atol=1e-6)
    assert np.allclose(np.abs(contact.normal), (0.0, 0.0, 1.0), atol=1e-9)
    assert bar.position[2] == pytest.approx(0.1 * 2**0.5, abs=1e-7)


def test_a_world_of_moving_meshes_is_saved_and_batched(tmp_path: Path) -> None:
    write_obj(tmp_path / "ring.obj", threads.ring(10.1e-3, 15e-3, 8e-3, 16))
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    ring = world.add_mesh(
        tmp_path / "ring.obj", mass=0.1, mode="exact", resolution=5e-4, position=(0, 0, 0.01), name="ring"
    )
    ring.angular_velocity = (3.0, 0.0, 1.0)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    batch = tribo.Batch(world, 2)
    for one in (world, again, batch):
        one.step(60)
    assert again["ring"].description.bodies[0].shapes[0].size[1] == 5e-4
    assert np.array_equal(again["ring"].position, ring.position)
    assert np.array_equal(batch["ring"].position[1], ring.position)


def test_a_kinematic_mesh_becomes_dynamic_and_static_as_other_bodies_do() -> None:
    world = tribo.World()
    body = world.add_mesh(threads.box(1, 1, 1), mass=2.0, mode="exact", body_type="kinematic")
    body.body_type = "dynamic"
    assert (body.mass, body.inertia[0, 0]) == pytest.approx((2.0, 1 / 3))
    body.body_type = "static"
    terrain = world.add_mesh(threads.box(1, 1, 1), mode="exact")
    assert terrain.mass == 0.0
    with pytest.raises(ValueError, match="surface of triangles: it can only be static"):
        terrain.body_type = "dynamic"


def test_open_meshes_do_not_move() -> None:
    vertices, faces = threads.box(1, 1, 1)
    with pytest.raises(ValueError, match="not a closed surface: triangles that move need an inside"):
        tribo.World().add_mesh((vertices, faces[1:]), mass=1.0, mode="exact")
    with pytest.raises(ValueError, match='resolution is of mode="exact"'):
        tribo.World().add_mesh((vertices, faces), mass=1.0, resolution=0.1)
    with pytest.raises(ValueError, match="of triangles that move: give mass or density too"):
        tribo.World().add_mesh((vertices, faces), mode="exact", resolution=0.1)


def test_a_resolution_has_a_lower_bound(tmp_path: Path) -> None:
    """In code and in world files: 1e-12 m would take a day for each step."""
    vertices, faces = threads.box(1.0, 2.0, 0.5)
    said = r"resolution=1e-12 m is less than a thousandth of its longest side, 2 m; give 0.002 m or more"
    with pytest.raises(ValueError, match=f"mesh: {said}"):
        tribo.World().add_mesh((vertices, faces), mass=1.0, mode="exact", resolution=1e-12)
    tribo.World().add_mesh((vertices, faces), mass=1.0, mode="exact", resolution=0.002)
    write_obj(tmp_path / "box.obj", (vertices, faces))
    text = (
        '<raisim><objects><mesh mass="1" file_name="box.obj" collision="exact" resolution="{}"/>'
        "</objects></raisim>"
    )
    file = tmp_path / "world.xml"
    file.write_text(text.format("1e-12"))
    with pytest.raises(tribo.DescriptionError, match=rf"world\.xml: .*box\.obj: {said}"):
        tribo.World.load(file)
    file.write_text(text.format("0.002"))
    assert len(tribo.World.load(file).objects) == 1


def write_obj(path: Path, mesh: threads.Triangles) -> None:
    vertices, faces = mesh
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    path.write_text("\n".join(lines))


def test_a_mesh_with_mass_that_stands_is_saved_with_it(tmp_path: Path) -> None:
    world = tribo.World()
    write_obj(tmp_path / "box.obj", threads.box(1.0, 2.0, 0.5))
    terrain = world.add_mesh(tmp_path / "box.obj", mode="exact", name="terrain", position=(5, 0, 0))
    body = world.add_mesh(
        tmp_path / "box.obj", mass=3.0, mode="exact", resolution=0.125, name="body",
        com=(0.25, 0.0, 0.125), inertia=(1.0, 2.0, 2.5), position=(0.0, 0.5, 2.0),
        orientation=(0.6, 0.0, 0.8, 0.0),
    )  # fmt: skip
    body.body_type = "static"
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    made = again["body"]
    for name in ("body_type", "mass", "inertia", "com", "position", "orientation"):
        assert np.array_equal(getattr(made, name), getattr(body, name)), name
    shape, old = made.description.bodies[0].shapes[0], body.description.bodies[0].shapes[0]
    assert (shape.size, shape.position) == (old.size, old.position)
    made.body_type = "dynamic"
    again.step()
    assert np.array_equal(again["terrain"].position, terrain.position)
    with pytest.raises(ValueError, match="it can only be static"):
        again["terrain"].body_type = "dynamic"


@pytest.mark.parametrize("is_ground_first", [True, False])
def test_a_mesh_in_a_flat_surface_comes_out(is_ground_first: bool) -> None:
    """It is 3 cm deep at first; which of the two is added first does not matter."""
    world = tribo.World(time_step=1e-3)

    def add_ground() -> None:
        corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
        world.add_mesh((corners, [(0, 1, 2), (0, 2, 3)]), mode="exact")

    if is_ground_first:
        add_ground()
    body = world.add_mesh(threads.box(0.2, 0.2, 0.2), mass=1.0, mode="exact", position=(0.0, 0.0, 0.07))
    if not is_ground_first:
        add_ground()
    world.step(800)
    assert world.status == 0
    assert np.allclose(body.position, (0.0, 0.0, 0.1), rtol=0, atol=1e-6)
    assert np.allclose(np.abs(body.orientation), (1.0, 0.0, 0.0, 0.0), rtol=0, atol=1e-6)
