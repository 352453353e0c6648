"""Each row of the manual's tables of parameters: a test of its name that shows what it does.

Materials are mixed here, contact materials in `test_contact_materials`: which test shows which row says
`tests/unit/materials/test_parameters_and_their_tests.py`.
"""

import math

import numpy as np
import pytest
from scenes import empty_world

import tribo

G = 9.81
DT = 1e-3
FIRM = "youngsModulus: 1e7, spookDamping: 0.01, surfaceViscosity: 0, viscosity: 1"


def mixed(first, second, *, gravity=(0.0, 0.0, -G)):
    """Return a world with a ground of one material, and the pair of two materials that only a file gives."""
    world = tribo.World(DT, gravity)
    world.load_materials(f"materials:\n  - {{ name: ground, {first} }}\n  - {{ name: body, {second} }}\n")
    assert world.explain_pair("ground", "body").origin["friction"].startswith("mixed")
    world.add_ground(material="ground")
    return world


def cube(world, height=0.0, **options):
    """Add a flat box of 1 kg that touches the ground with four points."""
    return world.add_box((0.4, 0.4, 0.02), 1.0, "body", position=(0, 0, 0.01 + height), **options)


def slope(degrees):
    angle = math.radians(degrees)
    return G * math.sin(angle), 0.0, -G * math.cos(angle)


def test_youngsModulus_of_two_materials_is_in_series():
    """E = 2e5·3e5/5e5: four points bear m g at m g/(4 E)."""
    world = mixed("youngsModulus: 2e5, spookDamping: 0.01", "youngsModulus: 3e5, spookDamping: 0.01")
    box = cube(world)
    world.step(1000)
    assert 0.01 - box.position[2] == pytest.approx(G / (4 * 1.2e5), rel=1e-6)


def test_viscosity_of_two_materials_is_the_loss_of_a_bounce():
    """e = √((1 − 0.5)(1 − 0.36)) = 0.566: it rises again to e² H, but for a step of flight: H ± v dt."""
    firm = "youngsModulus: 1e7, spookDamping: 0.01"
    world = mixed(f"{firm}, viscosity: 0.5", f"{firm}, viscosity: 0.36")
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.6))
    highest = 0.0
    for k in range(900):
        world.step()
        if k > 400:
            highest = max(highest, float(ball.position[2]) - 0.1)
    assert highest == pytest.approx(0.5 * 0.64 * 0.5, abs=np.sqrt(G) * DT)


def test_spookDamping_of_two_materials_is_the_larger_one():
    """An overlap p is undone at 4 γ p/h."""
    world = mixed("youngsModulus: 1e15, spookDamping: 0.02", "youngsModulus: 1e15, spookDamping: 0.05",
                  gravity=(0, 0, 0))  # fmt: skip
    ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.09))
    world.step()
    assert ball.linear_velocity[2] == pytest.approx(4.0 * 0.01 / (DT + 4.0 * 0.05), rel=1e-6)


def test_poissonRatio_has_no_effect():
    """The same motion, bit for bit, and a warning."""
    ends = []
    for ratio in ("0.3", "0.1"):
        world = mixed(f"{FIRM}, poissonRatio: {ratio}", FIRM)
        ball = world.add_sphere(0.1, 1.0, "body", position=(0, 0, 0.2), angular_velocity=(3, 0, 0))
        world.step(300)
        ends.append(ball.position.copy())
    assert np.array_equal(*ends)


def test_roughness_of_two_materials_is_their_friction():
    """μ = √(0.16·0.36) = 0.24: on 25° it slides at a = g (sin − μ cos)."""
    world = mixed(f"{FIRM}, roughness: 0.16", f"{FIRM}, roughness: 0.36", gravity=slope(25))
    box = cube(world)
    world.step(500)
    down, _, into = slope(25)
    assert box.linear_velocity[0] == pytest.approx((down + 0.24 * into) * 0.5, rel=1e-4)


def test_surfaceViscosity_of_two_materials_adds_up():
    """A held load creeps at (γ₁ + γ₂) F/n."""
    firm = "youngsModulus: 1e7, spookDamping: 0.01, viscosity: 1, roughness: 0.9"
    world = mixed(f"{firm}, surfaceViscosity: 2e-3", f"{firm}, surfaceViscosity: 1e-3", gravity=slope(10))
    box = cube(world)
    world.step(1000)
    assert box.linear_velocity[0] == pytest.approx(3e-3 * slope(10)[0] / 4, rel=1e-6)


def test_adhesionForce_of_two_materials_adds_up():
    """A box of 9.81 N is held against pulls below F₁ + F₂ + m g, which grow slowly: it does not swing."""
    soft = "youngsModulus: 1e5, spookDamping: 0.01, viscosity: 1"
    world = mixed(f"{soft}, adhesionForce: 2", f"{soft}, adhesionForce: 3")
    box = cube(world)
    world.step(500)
    for share, holds in ((0.999, True), (1.001, False)):
        for k in range(3000):
            box.apply_force((0, 0, share * (5.0 + G) * min(1.0, k / 2000)))
            world.step()
        assert (box.position[2] < 0.011) == holds


def test_adhesivOverlap_of_a_material_is_not_mixed():
    """The manual has no formula for it: without weight the pair rests at the depth 0."""
    soft = "youngsModulus: 1e5, spookDamping: 0.01, viscosity: 1, adhesivOverlap: 1e-3"
    world = mixed(f"{soft}, adhesionForce: 2", f"{soft}, adhesionForce: 3", gravity=(0, 0, 0))
    box = cube(world, -1e-3)
    world.step(2000)
    assert box.position[2] == pytest.approx(0.01, abs=1e-6)


def test_density_of_a_material_is_that_of_its_bodies():
    library = tribo.read_materials("materials:\n  - { name: steel, density: 7850 }\n")
    world = tribo.World()
    box = world.add_box((0.1, 0.2, 0.3), material="steel", density=library.material("steel").density)
    assert box.mass == pytest.approx(7850 * 0.006, rel=1e-12)


# -- wires -----------------------------------------------------------------------------------------
RADIUS, LENGTH = 0.01, 0.2
AREA, INERTIA = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4


def wire(world, kind, **rows):
    """Lay one segment along x from a wall, of a material of a file with these rows."""
    text = ", ".join(f"{key}: {value!r}" for key, value in rows.items())
    material = tribo.read_materials(f"materials:\n  - {{ name: wire, {text} }}\n").material("wire")
    wall = tribo.CableNode((0, 0, 0), kind=kind)
    cable = world.add_cable(
        [wall, (LENGTH, 0, 0)], radius=RADIUS, segment_length=LENGTH, material=material, collide=False
    )
    return cable.segments[0]


def test_wireYoungsModulusStretch_is_E_A_over_L():
    """Half a segment gives way between wall and its middle: x = F (L/2)/(E A)."""
    world = empty_world(DT, (0, 0, 0))
    part = wire(world, "fixed", wireYoungsModulusStretch=1e7, wireYoungsModulusBend=0.0,
                wireSpookDampingStretch=0.02)  # fmt: skip
    for _ in range(500):
        part.apply_force((10.0, 0, 0))
        world.step()
    assert part.position[0] - 0.5 * LENGTH == pytest.approx(10.0 * 0.5 * LENGTH / (1e7 * AREA), rel=1e-6)


@pytest.mark.parametrize("tau", [0.0005, 0.004, 0.05])
def test_wireSpookDampingStretch_is_the_map_of_spook_step_by_step(tau):
    """(1/m + R) λ = γ w − 4 γ g/h − w with ε = (L/2)/(E A), both ways; gaps in mid step."""
    world = empty_world(DT, (0, 0, 0))
    part = wire(world, "fixed", wireYoungsModulusStretch=1e7, wireYoungsModulusBend=0.0,
                wireSpookDampingStretch=tau)  # fmt: skip
    gamma = 1.0 / (1.0 + 4.0 * tau / DT)
    r = 4.0 * gamma * (0.5 * LENGTH / (1e7 * AREA)) / DT**2
    x, w = 0.0, 0.3
    part.linear_velocity = (w, 0, 0)
    for _ in range(100):
        x += 0.5 * DT * w
        w += (gamma * w - 4.0 * gamma / DT * x - w) / (1.0 / part.mass + r) / part.mass
        x += 0.5 * DT * w
        world.step()
        assert part.linear_velocity[0] == pytest.approx(w, abs=1e-10)
        assert part.position[0] - 0.5 * LENGTH == pytest.approx(x, abs=1e-12)


def test_wireYoungsModulusBend_is_E_I_over_L():
    """A torque turns the clamped segment by M (L/2)/(E I)."""
    world = empty_world(DT, (0, 0, 0))
    part = wire(world, "link", wireYoungsModulusStretch=6e10, wireYoungsModulusBend=1e8,
                wireSpookDampingBend=0.02)  # fmt: skip
    for _ in range(500):
        part.apply_torque((0, 1e-3, 0))
        world.step()
    axis = part.rotation_matrix[:, 2]
    assert -math.atan2(axis[2], axis[0]) == pytest.approx(1e-3 * 0.5 * LENGTH / (1e8 * INERTIA), rel=1e-5)


@pytest.mark.parametrize("tau", [0.01, 0.04])
def test_wireSpookDampingBend_is_the_time_in_which_a_bend_comes_back(tau):
    """Of a stiff bend, ε → 0, the larger root of (1 + 4d) r² + (2 − 4d) r + 1 = 0 is left, d = τ/h > 2: in
    each step the angle is r times what it was, and does not swing over."""
    world = empty_world(DT, (0, 0, 0))
    part = wire(world, "link", wireYoungsModulusStretch=1e12, wireYoungsModulusBend=1e12,
                wireSpookDampingBend=tau)  # fmt: skip
    part.angular_velocity = (0.0, 0.1, 0.0)
    part.linear_velocity = (0.0, 0.0, -0.1 * 0.5 * LENGTH)
    angles = []
    for _ in range(60):
        world.step()
        angles.append(-math.atan2(part.rotation_matrix[2, 2], part.rotation_matrix[0, 2]))
    d = tau / DT
    roots = np.roots([1.0 + 4.0 * d, 2.0 - 4.0 * d, 1.0])
    assert angles[40] > 0.0
    assert angles[50] / angles[49] == pytest.approx(float(max(roots.real)), rel=2e-3)


# -- contact materials -----------------------------------------------------------------------------
MODELS = ("iterative", "box", "scaled_box", "oriented_box", "oriented_scaled_box", "oriented_iterative")


def pushed(law, way, force):
    """Return the speed of a box at rest after 0.2 s under a horizontal force: 20 times of its damping."""
    world = tribo.World(DT)
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    box = cube(world, name="sled")
    world.step(400)
    for _ in range(200):
        box.apply_force((force * way[0], force * way[1], 0.0))
        world.step()
    return float(np.hypot(*box.linear_velocity[:2]))


@pytest.mark.parametrize("model", MODELS)
def test_frictionModel_has_its_strength_on_the_diagonal(model):
    """√2 ± 1e-6 of a box, 1 of a cone: it stays at 1 − 1e-6 of that, and goes at 1 + 1e-3."""
    law = tribo.ContactMaterial(
        youngs_modulus=1e6, spook_damping=0.01, friction=0.5, surface_viscosity=0.0,
        friction_model=(model, "direct"), primary_direction=(1, 0, 0) if "oriented" in model else (0, 0, 0),
        reference_body="sled" if "oriented" in model else "",
    )  # fmt: skip
    strength = 0.5 * G * (math.sqrt(2.0) if "box" in model else 1.0)
    diagonal = (math.sqrt(0.5), math.sqrt(0.5))
    assert pushed(law, diagonal, (1.0 - 1e-6) * strength) < 1e-9
    assert pushed(law, diagonal, (1.0 + 1e-3) * strength) > 0.5 * 1e-3 * strength * 0.2


@pytest.mark.parametrize("solver", ["split", "direct", "iterative", "direct_and_iterative"])
def test_frictionModel_solver_words_give_one_answer(solver):
    """All rows are solved exactly, whatever the word: bit for bit."""
    ends = []
    for word in ("default", solver):
        law = tribo.ContactMaterial(youngs_modulus=1e5, spook_damping=0.01, friction_model=("box", word))
        world = tribo.World(DT)
        world.default_pair = law
        world.add_ground()
        box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.15), linear_velocity=(1, 0.5, 0))
        world.step(300)
        ends.append(np.concatenate([box.position, box.orientation]))
    assert np.array_equal(*ends)


def test_iterative_friction_is_isotropic_to_1e_9():
    """A box at rest under a pull in 12 directions holds 0.999 μ N; a sliding one loses μ g dt a step."""
    law = tribo.ContactMaterial(youngs_modulus=1e6, spook_damping=0.01, friction=0.5, surface_viscosity=0.0)
    lost = []
    for k in range(12):
        angle = 0.1 + k * math.pi / 6.0
        world = tribo.World(DT)
        world.set_material_pair("ground", "body", law)
        world.add_ground(material="ground")
        ball = world.add_box((0.4, 0.4, 0.02), 1.0, "body", position=(0, 0, 0.01))
        world.step(600)
        ball.linear_velocity = (math.cos(angle), math.sin(angle), 0.0)
        world.step(100)
        lost.append(1.0 - float(np.hypot(*ball.linear_velocity[:2])))
    assert np.ptp(lost) < 1e-9
    assert lost[0] == pytest.approx(0.5 * G * 0.1, rel=1e-6)


@pytest.mark.parametrize(("link", "holds"), [("turned", True), ("straight", False)])
def test_referenceLinkName_turns_friction_with_that_link(link, holds):
    """A sled of two links, of which one is turned by 90°: friction is 1 along its y, the slope's x,
    none across."""
    law = tribo.ContactMaterial(
        youngs_modulus=1e7, spook_damping=0.01, friction=1.0, secondary_friction=0.0,
        primary_direction=(0, 1, 0), reference_body="sled", reference_link=link,
        friction_model=("oriented_scaled_box", "direct"),
    )  # fmt: skip
    world = tribo.World(DT, slope(20))
    world.set_material_pair("ground", "body", law)
    world.add_ground(material="ground")
    base = tribo.LinkDescription("straight")
    base.add_shape("box", (0.4, 0.4, 0.02), mass=1.0, material="body")
    other = base.add_child("turned", "revolute", axis=(0, 0, 1), joint_name="yaw", damping=1e3)
    other.add_shape("sphere", (0.05,), mass=0.1, collides=False)
    sled = world.add_articulated_system(base, name="sled", position=(0, 0, 0.01))
    sled.joint_coordinates = {"yaw": math.pi / 2}
    world.step(1000)
    speed = float(np.linalg.norm(sled.linear_velocity[:2]))
    assert speed < 1e-5 if holds else speed > 1.0
