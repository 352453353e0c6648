"""Cables that take nodes in where they bend or touch, and out where they are straight."""

import math

import numpy as np
import pytest
from cable_scenes import AREA, DT, NONE, RADIUS, catenary, hanging, material, over_a_drum, pull
from scenes import GRAVITY, empty_world

import tribo


def momenta(cable):
    """Return momentum and angular momentum about the origin."""
    linear, angular = np.zeros(3), np.zeros(3)
    for part in cable.segments:
        turn = part.rotation_matrix
        push = part.mass * part.linear_velocity
        linear += push
        angular += np.cross(part.position, push) + turn @ part.inertia @ turn.T @ part.angular_velocity
    return linear, angular


def test_a_stretched_cable_stays_stretched_as_its_nodes_go():
    """Of F L/(E A) nothing is lost, and no wave runs: what a joint gave way by, those beside it do. The
    change itself is exact to rounding; the steps after it are those of hard rows, 1e-7 of G a row."""
    world = empty_world(DT, NONE)
    hook = tribo.CableNode(NONE, kind="fixed")
    cable = world.add_cable(
        [hook, (1, 0, 0)], radius=RADIUS, segment_length=0.1, material=material(), collide=False
    )
    pull(world, cable, 100.0, (1000, 0, 0))
    world.step(600)
    end = cable.points[-1][0]
    while cable.adapt(0.05, 0.4):
        pass
    np.testing.assert_allclose(cable.lengths, [0.1, 0.4, 0.4, 0.1], rtol=1e-12)  # the ends are held
    assert cable.points[-1][0] == pytest.approx(end, abs=1e-12)
    for _ in range(20):
        world.step()
        np.testing.assert_allclose(cable.tensions, 100.0, rtol=1e-6)
        assert cable.points[-1][0] == pytest.approx(end, abs=1e-8)
    assert cable.mass == pytest.approx(1000.0 * AREA, rel=1e-12)


def test_length_mass_and_momentum_stay():
    """A cable in flight, bent in its middle: it joins where it is straight and halves where it is bent."""
    world = empty_world(DT, NONE)
    route = [(0, 0, 0), (0.8, 0, 0), (0.8, 0.8, 0)]
    cable = world.add_cable(route, radius=0.002, segment_length=0.2, material=material(), collide=False)
    for part in cable.segments:
        x, y, _ = part.position
        part.linear_velocity = (1.0 - 0.5 * y + 0.2 * x, 0.5 * x, 0.3 + 0.4 * x * y)
        part.angular_velocity = (0.1 * x, 0.2, 0.5)
    linear, angular = momenta(cable)
    length, mass, ends = cable.length, cable.mass, cable.points[[0, -1]]
    assert cable.adapt(0.15, 0.4, bend=4.0)  # nothing bends by as much: it only joins
    np.testing.assert_allclose(cable.lengths, [0.4, 0.4, 0.4, 0.4], rtol=1e-12)
    for old, new in zip((linear, angular), momenta(cable), strict=True):
        np.testing.assert_allclose(new, old, rtol=0, atol=1e-12 * np.linalg.norm(old))
    np.testing.assert_allclose(cable.points[[0, -1]], ends, atol=1e-12)
    assert cable.adapt(0.05, 0.4)
    np.testing.assert_allclose(cable.lengths, [0.4, 0.2, 0.2, 0.2, 0.2, 0.4], rtol=1e-12)
    assert cable.adapt(0.05, 0.4)
    np.testing.assert_allclose(cable.lengths, [0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4], rtol=1e-12)
    for old, new in zip((linear, angular), momenta(cable), strict=True):
        np.testing.assert_allclose(new, old, rtol=0, atol=1e-12 * np.linalg.norm(old))
    assert cable.length == pytest.approx(length, rel=1e-12)
    assert cable.mass == pytest.approx(mass, rel=1e-12)
    assert len(cable.joints) == len(cable.segments) - 1
    assert len(world.constraints) == len(cable.joints)
    assert len(world.objects) == len(cable.segments)


@pytest.mark.parametrize("by_itself", [False, True])
def test_a_hanging_cable_is_a_catenary(by_itself):
    """As with fixed nodes: sag of z = a cosh(x/a), to L/n² with the coarsest segments that it may have. It
    is finest where it bends most, in its middle."""
    world = empty_world(DT)
    cable = hanging(world, 0.1)
    if by_itself:
        cable.keep_adapting(0.02, 0.1, bend=0.3, every=100)
        world.step(6000)
    for _ in range(0 if by_itself else 60):
        cable.adapt(0.02, 0.1, bend=0.3)
        world.step(100)
    a, sag = catenary()
    assert -cable.points[:, 2].min() == pytest.approx(sag, abs=1.0 / 10**2)
    assert len(cable.segments) > 10
    middle = cable.lengths[len(cable.segments) // 2 - 1 : len(cable.segments) // 2 + 1]
    assert middle.max() < 0.1
    horizontal = 1000.0 * AREA * GRAVITY * a
    assert cable.tensions.min() == pytest.approx(horizontal, rel=0.02)


@pytest.mark.parametrize(("share", "slips"), [(0.95, False), (1.05, True)])
def test_a_drum_holds_what_the_capstan_formula_says(share, slips):
    """T₂/T₁ = e^{μβ} with 8 segments round half a drum, that become 16 or more by themselves; where the cable
    hangs it has long ones. The bracket is that of fixed nodes."""
    ratio = share * math.exp(0.3 * math.pi)
    world, load, cable = over_a_drum(0.3, ratio, count=8, shortest=0.01)
    assert np.count_nonzero(cable.lengths < 0.025) >= 16
    assert cable.lengths.max() >= 0.1
    height = load.position[2]
    cable.keep_adapting(0.01, 0.15)
    world.step(300)
    risen = load.position[2] - height
    assert risen > 0.01 if slips else abs(risen) < 1e-4


def test_what_is_held_stays():
    """Neither a load nor a fastening loses its segment; no two parts have one name."""
    world = empty_world(DT, NONE)
    hook = tribo.CableNode(NONE, kind="fixed")
    cable = world.add_cable(
        [hook, (1, 0, 0)], radius=RADIUS, segment_length=0.1, material=material(), collide=False
    )
    load = world.add_sphere(0.02, mass=1.0, position=(0.55, 0, 0), collision_mask=0)
    world.add_pin(cable.segments[5], load, position=(0.55, 0, 0), collide=False)
    held = (cable.segments[0], cable.segments[5])
    assert cable.adapt(0.05, 0.4)
    assert all(part in cable.segments and not part.is_removed for part in held)
    names = [part.name for part in cable.segments]
    assert len(set(names)) == len(names)


def test_names_that_the_user_has_taken_are_passed_over():
    world = empty_world(DT)
    cable = world.add_cable([(0, 0, 1), (1, 0, 1)], radius=RADIUS, segment_length=0.1)
    for k in range(10, 20):
        world.add_sphere(0.1, mass=1.0, name=f"cable_0/{k}", position=(k, 0, 0))
    assert cable.adapt(0.05, 0.4)
    assert len({part.name for part in world.objects}) == len(world.objects)


def test_what_stands_and_where_it_was_cut_stays():
    """A segment that the user lets stand is not thrown away, and a joint that was taken out or broke does not
    come back."""
    world = empty_world(DT)
    cable = world.add_cable([(0, 0, 1), (1, 0, 1)], radius=RADIUS, segment_length=0.1)
    for part in cable.segments:
        part.color, part.material = "blue", "tape"
        part.collision_bodies[0].collision_mask = 6
    cable.segments[0].body_type = "static"
    nail = cable.segments[0]
    world.remove(cable.joints[4])  # between 4 and 5
    parts = cable.segments[4], cable.segments[5]
    assert cable.adapt(0.05, 0.4)
    assert cable.segments[0] is nail
    for part in cable.segments:  # what is new looks and touches like what it was
        assert (part.color, part.material) == (nail.color, "tape")
        assert part.collision_bodies[0].collision_mask == 6
    assert all(part in cable.segments for part in parts)
    world.step(200)
    gap = cable.segments[cable.segments.index(parts[1])].position - parts[0].position
    assert np.linalg.norm(gap) > 0.12


@pytest.mark.parametrize(("tension", "divides"), [(50.0, True), (500.0, False)])
def test_what_is_taut_is_not_divided(tension, divides):
    """A rope of 0.31 kg/m under a beam: c Δt/ℓ of halves of 5 cm is 0.25 at 50 N, 0.8 at 500 N, above 0.6."""
    world = empty_world(DT, NONE)
    world.add_box((0.02, 1.0, 1.0), mass=1.0, body_type="static", position=(0.45, 0, 0.509))
    hook = tribo.CableNode(NONE, kind="fixed")
    cable = world.add_cable(
        [hook, (1, 0, 0)], radius=RADIUS, segment_length=0.1, material=material(stretch=1e9)
    )
    pull(world, cable, tension, (1000, 0, 50))
    world.step(300)
    for _ in range(300):  # it trembles under the beam
        if any(part.contacts for part in cable.segments):
            break
        world.step()
    assert any(part.contacts for part in cable.segments)
    assert cable.courant_number < 0.6
    assert cable.adapt(0.05, 0.1) == divides


def test_wrong_values_are_refused_and_it_stays():
    world = empty_world(DT)
    cable = world.add_cable([(0, 0, 1), (1, 0, 1)], radius=RADIUS, segment_length=0.1)
    before = cable.segments
    for wrong in [(0.0, 1.0), (-1.0, 1.0), (math.nan, 1.0), (0.1, 0.19), (0.1, math.nan), ("a", 1.0)]:
        with pytest.raises((ValueError, TypeError)):
            cable.adapt(*wrong)
    with pytest.raises(ValueError, match="bend"):
        cable.adapt(0.1, 1.0, bend=0.0)
    assert cable.segments == before
    world.update()
    with pytest.raises(tribo.EditError):
        cable.adapt(0.1, 0.2)
    world.advance()
    cable.remove()
    with pytest.raises(ValueError, match="was removed"):
        cable.adapt(0.1, 0.2)


# -- by itself -------------------------------------------------------------------------------------
def falling(every=10):
    """Return a rope that falls over a post and goes on adapting."""
    world = empty_world(DT)
    turn = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    world.add_cylinder(0.1, 0.4, mass=1.0, body_type="static", orientation=turn)
    cable = world.add_cable(
        [(-0.5, 0, 0.15), (0.5, 0, 0.15)], radius=0.01, segment_length=0.1,
        material=material(stretch=1e8, bend=1e5),
    )  # fmt: skip
    cable.keep_adapting(0.02, 0.2, every=every)
    return world, cable


def test_by_itself_it_does_what_calls_would():
    world, cable = falling(every=20)
    twin, other = falling()
    other.stop_adapting()
    assert cable.is_adapting
    assert not other.is_adapting
    world.step(7)
    world.step(300)
    twin.step(20)
    for _ in range(14):
        other.adapt(0.02, 0.2)
        twin.step(20)
    other.adapt(0.02, 0.2)
    twin.step(7)
    assert len(cable.segments) > 10
    np.testing.assert_array_equal(cable.lengths, other.lengths)
    np.testing.assert_array_equal(cable.points, other.points)
    stays = cable.segments
    cable.stop_adapting()
    world.step(100)
    assert cable.segments == stays


def test_a_restored_world_does_the_same_again_bit_for_bit():
    """The snapshot brings back the nodes, too, however often they have changed; by halves of steps, too."""
    world, cable = falling()
    world.step(105)
    then, snapshot = cable.segments, world.snapshot()
    lengths = cable.lengths.copy()
    world.step(200)
    points, after = cable.points, cable.lengths.copy()
    assert cable.segments != then
    for halves in (False, True):
        world.restore(snapshot)
        assert cable.segments == then
        assert not any(part.is_removed for part in then)
        assert world[then[3].name] is then[3]
        np.testing.assert_array_equal(cable.lengths, lengths)
        for _ in range(200):
            if halves:
                world.update()
                world.advance()
            else:
                world.step()
        np.testing.assert_array_equal(cable.lengths, after)
        np.testing.assert_array_equal(cable.points, points)
    assert len(world.constraints) == len(cable.joints)


def test_a_snapshot_of_other_objects_is_refused_and_the_cable_stays():
    world, cable = falling()
    world.step(105)
    snapshot = world.snapshot()
    world.step(100)
    world.add_sphere(0.1, mass=1.0, position=(3, 0, 0))
    now, names = cable.segments, [part.name for part in world.objects]
    with pytest.raises(ValueError, match="other objects"):
        world.restore(snapshot)
    assert cable.segments == now
    assert [part.name for part in world.objects] == names
    world.step(100)
    world, cable = falling()
    world.step(105)
    snapshot = world.snapshot()
    world.step(100)
    world.remove(cable.segments[2])
    with pytest.raises(ValueError, match="other objects"):
        world.restore(snapshot)
    world.step(100)


def test_it_ends_with_its_segments(caplog):
    world, cable = falling()
    world.step(50)
    world.remove(cable.segments[4])
    world.step(50)
    assert not cable.is_adapting
    assert "does not adapt any more" in caplog.text
    with pytest.raises(ValueError, match="was removed"):
        cable.keep_adapting(0.02, 0.2)
    cable.remove()
    world.step(50)
    world, cable = falling()
    cable.remove()
    assert not cable.is_adapting
    world.step(50)


def test_one_with_a_sensor_keeps_that_segment():
    world, cable = falling()
    world.step(15)
    stays, worn = cable.segments, cable.segments[0]
    world.add_imu(worn)
    world.step(100)
    assert cable.segments != stays
    assert worn in cable.segments


def test_a_recorded_cable_adapts_bit_for_bit_as_it_does_else(tmp_path):
    """Its bodies are recorded stretch by stretch, what is always there all through."""
    (world, cable), (twin, other) = falling(), falling()
    for one in (world, twin):
        one.add_sphere(0.1, mass=1.0, position=(5, 0, 1), name="ball")
    places = [cable.points]
    with world.record(tmp_path / "rope.zarr", every=0.01) as recorder:
        for _ in range(20):
            world.step(10)
            places.append(cable.points)
        assert recorder.frames == 21
    twin.step(200)
    np.testing.assert_array_equal(cable.points, other.points)
    recording = tribo.Recording(tmp_path / "rope.zarr")
    assert recording.is_complete
    assert recording.frames == 21
    assert len(recording.stretches) > 3
    np.testing.assert_allclose(recording.time, np.arange(21) * 0.01, atol=1e-12)
    first, last = recording.stretches[0], recording.stretches[-1]
    assert {part.name for part in world.objects} == set(last.objects)
    assert recording.objects == tuple(name for name in first.objects if name in recording.objects)
    assert {"cylinder_0", "ball"} <= set(recording.objects)
    place = last.of(cable.segments[3].name, "body_position")[-1, 0]
    np.testing.assert_array_equal(place, cable.segments[3].position)
    fallen = recording.of("ball", "body_position")[:, 0, 2]
    np.testing.assert_allclose(fallen, 1.0 - 0.5 * GRAVITY * recording.time**2, atol=1e-9)
    ends = recording["contact_end"]
    assert len(recording["contact_force"]) == len(recording.contact_frame) == ends[-1] > 0
    assert recording.net_contact_force("cylinder_0").shape == (21, 3)
    for k, frame in enumerate(ends):
        assert len(recording.contacts(k)["force"]) == frame - (ends[k - 1] if k else 0)
    late = recording.between(0.1, 0.15)
    assert late.frames == 6
    np.testing.assert_array_equal(late["kinetic_energy"], recording["kinetic_energy"][10:16])
    for what in (lambda: recording["q"], lambda: recording["contact_body"], lambda: recording.model):
        with pytest.raises(ValueError, match=r"take one of recording\.stretches"):
            what()
    assert len(first["q"]) == first.frames
    assert "stretches between which cables changed" in repr(recording)


def test_a_recording_goes_on_over_a_snapshot_of_other_segments(tmp_path):
    """Of two cables at once; other objects that come end it, as ever."""
    world, _ = falling()
    second = world.add_cable(
        [(-0.5, 0.3, 0.2), (0.5, 0.3, 0.2)], radius=0.01, segment_length=0.1, material=material(1e8, 1e5)
    )
    second.keep_adapting(0.02, 0.2, every=7)
    world.step(30)
    snapshot = world.snapshot()
    with world.record(tmp_path / "rope.zarr") as recorder:
        world.step(60)
        world.restore(snapshot)
        world.step(60)
        second.adapt(0.01, 0.2)
        world.step()
        world.add_sphere(0.1, mass=1.0)
        with pytest.raises(tribo.EditError, match="added or removed"):
            world.step()
    recording = tribo.Recording(tmp_path / "rope.zarr")
    assert recording.frames == recorder.frames == 122
    again = recording.restarts[0]
    assert again == 61
    np.testing.assert_array_equal(
        recording["kinetic_energy"][1:again], recording["kinetic_energy"][again : again + 60]
    )


def test_a_world_file_says_that_its_cable_will_not_adapt(tmp_path, caplog):
    """It holds the segments of the moment."""
    world, cable = falling()
    world.step(105)
    world.save(tmp_path / "rope.xml")
    assert "that cable 'cable_0' adapts by itself" in caplog.text
    again = tribo.World.load(tmp_path / "rope.xml")
    assert [part.name for part in again.objects] == [part.name for part in world.objects]
    caplog.clear()
    cable.stop_adapting()
    world.save(tmp_path / "rope.xml")
    assert "adapts by itself" not in caplog.text


def test_a_batch_is_refused_until_it_stays_as_it_is():
    world, cable = falling()
    world.step(105)
    with pytest.raises(ValueError, match=r"cable_0.* adapts by itself.*stop_adapting"):
        tribo.Batch(world, 2)
    cable.stop_adapting()
    assert world.cables == (cable,)
    batch = tribo.Batch(world, 2)
    last = cable.segments[-1].name
    batch.step(50)
    world.step(50)
    for place in batch[last].position:
        np.testing.assert_array_equal(place, world[last].position)
    world.remove(cable.segments[2])
    assert world.cables == ()


def test_wrong_rules_are_refused_and_it_stays():
    world, cable = falling()
    cable.stop_adapting()
    for wrong in [(0.0, 1.0), (0.1, 0.1), ("a", 1.0), (0.1, 0.4, -1.0)]:
        with pytest.raises((ValueError, TypeError)):
            cable.keep_adapting(*wrong)
    for every in (0, -1, 1.5, "a", None):
        with pytest.raises((ValueError, TypeError), match="every"):
            cable.keep_adapting(0.1, 0.4, every=every)
    world.update()
    with pytest.raises(tribo.EditError):
        cable.keep_adapting(0.1, 0.4)
    world.advance()
    assert not cable.is_adapting


def test_one_thread_at_a_time(monkeypatch):
    """A second step, or update, while cables change ends at once; before, both changed the same lists."""
    world, cable = falling()
    world.step(10)
    said = []

    def adapt(*_):
        for call in (world.step, world.update):
            with pytest.raises(tribo.EditError, match="while another thread steps this world") as error:
                call()
            said.append(str(error.value).split()[0])

    monkeypatch.setattr(type(cable), "adapt", adapt)
    world.step(1)
    assert said == ["step", "update"]
    monkeypatch.undo()
    world.step(100)
    world.update()
    with pytest.raises(tribo.EditError, match="step was called between update and advance"):
        world.step()
    world.advance()


def test_a_world_file_holds_what_it_has_become(tmp_path):
    world = empty_world(DT)
    hook = tribo.CableNode((0, 0, 2), kind="fixed")
    cable = world.add_cable([hook, (0, 0, 1)], radius=RADIUS, segment_length=0.1, material=material())
    cable.adapt(0.05, 0.4)
    world.step(10)
    world.save(tmp_path / "rope.xml")
    again = tribo.World.load(tmp_path / "rope.xml")
    assert len(again.objects) == len(cable.segments)
    assert len(again.constraints) == len(world.constraints)
    again.step(100)
    world.step(100)
    last = again[cable.segments[-1].name]
    np.testing.assert_allclose(last.position, cable.segments[-1].position, atol=1e-9)
