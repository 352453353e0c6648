"""RaiSim's two pages on materials, statement by statement, through its own interface.

`test_page0_…` are statements of the page of five properties (2.0), `test_page1_…` those that the page of
seven properties (2.3) adds, numbered in their order.
"""

import numpy as np
import pytest
from scenes import QUADRUPED

from tribo import raisimpy as raisim

G = 9.81
DT = 0.001


def ground_world(*pair, dt=DT):
    """Return a world whose ground and bodies have a pair; bodies are of "body"."""
    world = raisim.World()
    world.setTimeStep(dt)
    world.addGround(0.0, "ground")
    if pair:
        world.setMaterialPairProp("ground", "body", *pair)
    return world


def run(world, steps):
    for _ in range(steps):
        world.integrate()


def rebound(world, ball, speed):
    """Return how fast a ball leaves the ground that comes down with a speed, from 10.3 steps above it."""
    ball.setPosition(0, 0, ball.getRadius() + 10.3 * DT * speed)
    ball.setVelocity(0, 0, -speed, 0, 0, 0)
    fastest = 0.0
    for _ in range(12):
        world.integrate()
        v, gap = ball.getLinearVelocity()[2], max(0.0, ball.getPosition()[2] - ball.getRadius())
        fastest = max(fastest, np.sqrt(v * v + 2 * G * gap) if v > 1e-9 else 0.0)
    return fastest


def at_ground(speed):
    """Return the speed with which the ball of `rebound` meets the ground."""
    return np.sqrt(speed**2 + 2 * G * 10.3 * DT * speed)


def slid(world, box, steps=100):
    start = box.getLinearVelocity()[0]
    run(world, steps)
    return (start - box.getLinearVelocity()[0]) / (steps * world.getTimeStep())


def test_page0_01_properties_belong_to_pairs():
    world = ground_world(0.2, 0.0, 0.0)
    world.setMaterialPairProp("ground", "other", 0.4, 0.0, 0.0)
    found = {}
    for k, material in enumerate(("body", "other")):
        box = world.addBox(0.2, 0.2, 0.2, 1.0, material)
        box.setPosition(0, k, 0.1)
        box.setLinearVelocity(3, 0, 0)
        found[material] = box
    run(world, 200)
    loss = [3 - found[name].getLinearVelocity()[0] for name in ("body", "other")]
    assert loss == pytest.approx([0.2 * G * 0.2, 0.4 * G * 0.2], rel=1e-6)


def test_page0_02_there_are_five_properties():
    found = ground_world(0.5, 0.1, 0.2, 0.7, 0.01).getMaterialPairProp("ground", "body")
    assert (found.c_f, found.c_r, found.r_th) == (0.5, 0.1, 0.2)
    assert (found.c_static_f, found.v_static_speed) == (0.7, 0.01)


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.5])
def test_page0_03_friction_is_mu_times_the_normal_force(mu):
    world = ground_world(mu, 0.0, 0.0)
    box = world.addBox(0.2, 0.2, 0.05, 1.0, "body")
    box.setPosition(0, 0, 0.025)
    box.setLinearVelocity(3, 0, 0)
    assert slid(world, box) == pytest.approx(mu * G, abs=1e-6)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_page0_04_restitution_is_elasticity(e):
    world = ground_world(0.8, e, 0.0)
    found = rebound(world, world.addSphere(0.5, 1.0, "body"), 3.0)
    assert found == pytest.approx(e * at_ground(3.0), abs=1e-8)


def test_page0_05_slow_impacts_do_not_rebound():
    world = ground_world(0.8, 0.9, 0.5)
    ball = world.addSphere(0.5, 1.0, "body")
    assert rebound(world, ball, 0.35) == pytest.approx(0.0, abs=1e-9)
    assert rebound(world, ball, 0.7) > 0.1


def test_page0_06_static_friction_is_at_least_the_dynamic_one():
    world = raisim.World()
    with pytest.raises(ValueError, match="static_friction"):
        world.setMaterialPairProp("a", "b", 0.8, 0.0, 0.0, 0.5, 0.001)


def pulled(world, force, steps=300):
    box = world.addBox(0.2, 0.2, 0.05, 1.0, "body")
    box.setPosition(0, 0, 0.025)
    for _ in range(steps):
        box.setExternalForce(0, [force, 0, 0])
        world.integrate()
    return box.getLinearVelocity()[0]


def test_page0_07_static_friction_acts_at_rest_and_is_the_dynamic_one_by_default():
    # 6 N are between 0.4 m g and 0.9 m g.
    assert pulled(ground_world(0.4, 0.0, 0.0, 0.9, 0.001), 6.0) == pytest.approx(0.0, abs=1e-9)
    assert pulled(ground_world(0.4, 0.0, 0.0), 6.0) == pytest.approx((6 - 0.4 * G) * 0.3, rel=1e-3)
    assert ground_world(0.4, 0.0, 0.0).getMaterialPairProp("ground", "body").c_static_f == 0.4


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_page0_08_between_rest_and_the_speed_it_is_interpolated(share):
    """One short step at a part of v_s: the mean speed of the step differs by μ g Δt / 2 at most."""
    world = ground_world(0.4, 0.0, 0.0, 0.8, 1.0, dt=1e-5)
    box = world.addBox(0.2, 0.2, 0.05, 1.0, "body")
    box.setPosition(0, 0, 0.025)
    box.setLinearVelocity(share, 0, 0)
    assert slid(world, box, 1) / G == pytest.approx(0.8 - share * 0.4, abs=1e-4)


def test_page0_08b_beyond_the_speed_it_is_disregarded():
    world = ground_world(0.4, 0.0, 0.0, 0.8, 0.1)
    box = world.addBox(0.2, 0.2, 0.05, 1.0, "body")
    box.setPosition(0, 0, 0.025)
    box.setLinearVelocity(3, 0, 0)
    assert slid(world, box) == pytest.approx(0.4 * G, abs=1e-6)


def test_page0_09_the_bounce_velocity():
    """Its graph: c_r (v − r_th); the printed formula has c_th in both places."""
    world = ground_world(0.8, 0.5, 1.0)
    ball = world.addSphere(0.5, 1.0, "body")
    for speed in (1.5, 2.0, 4.0):
        assert rebound(world, ball, speed) == pytest.approx(0.5 * (at_ground(speed) - 1.0), abs=1e-8)


@pytest.mark.parametrize("material", ["steel", "rubber", "copper"])
@pytest.mark.parametrize("dt", [0.001, 0.005])
def test_page0_09b_rebound_heights(material, dt):
    """The balls of the page rise to (c_r (v − r_th))²/2g, 0.1012 m for rubber.

    The highest sample lies within half a step of the top, and so at most g Δt²/8 below it: 3e-5 m at 5 ms.
    """
    world = in_code()
    world.setTimeStep(dt)
    ball = world.getObjList()[1 + list(MATERIALS).index(material)]
    fall = int(np.sqrt(2 * 4.5 / G) / dt)
    run(world, fall - 1)
    heights = []
    for _ in range(int(1.1 / dt)):
        world.integrate()
        heights.append(ball.getPosition()[2] - 0.5)
    lowest = int(np.argmin(heights[: int(0.02 / dt)]))
    speed = MATERIALS[material] * (np.sqrt(2 * G * 4.5) - 0.001)
    assert -G * dt**2 / 8 - 1e-8 < max(heights[lowest:]) - speed**2 / (2 * G) < 1e-8


def test_page0_10_a_material_is_named_at_creation():
    world = raisim.World()
    assert world.addSphere(1, 1, "steel").getMaterial() == "steel"
    assert world.addSphere(1, 1).getMaterial() == "default"


def test_page0_11_the_world_has_a_manager_of_all_pairs():
    world = ground_world(0.7, 0.1, 0.15)
    manager = world.getMaterialManager()
    assert manager.getMaterialPairProp("body", "ground").c_f == 0.7
    assert len(manager.materials_) == 1


def test_page0_12_pairs_that_were_not_defined_use_the_default():
    world = raisim.World()
    world.setDefaultMaterial(0.25, 0.5, 0.125)
    found = world.getMaterialPairProp("nobody", "set this")
    assert (found.c_f, found.c_r, found.r_th) == (0.25, 0.5, 0.125)


def test_page0_13_the_default_of_the_default():
    found = raisim.World().getMaterialPairProp("a", "b")
    assert (found.c_f, found.c_r, found.r_th) == (0.8, 0.0, 0.0)


def test_page0_14_the_order_of_names_is_free():
    world = raisim.World()
    world.setMaterialPairProp("steel", "glass", 0.7, 0.1, 0.15)
    for names in (("steel", "glass"), ("glass", "steel")):
        found = world.getMaterialPairProp(*names)
        assert (found.c_f, found.c_r, found.r_th) == (0.7, 0.1, 0.15)


MATERIALS = {"steel": 0.95, "rubber": 0.15, "copper": 0.65}
SCENE = """<?xml version="1.0" ?>
<raisim version="2.0.0"><timeStep value="0.001"/>
<objects><ground name="ground" material="steel"/>{balls}</objects>
<material><default friction="0.8" restitution="0" restitution_threshold="0"/>{pairs}</material>
<camera follow="anymal" x="1" y="1" z="1"/></raisim>"""
BALL = (
    '<sphere name="sphere_{m}" mass="1" material="{m}"><dim radius="0.5"/>'
    '<state pos="{x} 0 5" quat="1 0 0 0" linVel="0 0 0" angVel="0 0 0"/></sphere>'
)
PAIR = '<pair_prop name1="steel" name2="{m}" friction="0.8" restitution="{e}" restitution_threshold="0.001"/>'


def from_xml(path):
    balls = "".join(BALL.format(m=m, x=2.0 * k - 2.0) for k, m in enumerate(MATERIALS))
    pairs = "".join(PAIR.format(m=m, e=e) for m, e in MATERIALS.items())
    path.write_text(SCENE.format(balls=balls, pairs=pairs))
    return raisim.World(str(path))


def in_code():
    world = raisim.World()
    world.setTimeStep(0.001)
    world.addGround(0, "steel")
    for k, (material, e) in enumerate(MATERIALS.items()):
        world.addSphere(0.5, 1.0, material).setPosition(2.0 * k - 2.0, 0, 5)
        world.setMaterialPairProp("steel", material, 0.8, e, 0.001)
    return world


def test_page0_15_three_balls_from_a_file(tmp_path):
    world = from_xml(tmp_path / "world.xml")
    assert world.getTimeStep() == 0.001
    for material, e in MATERIALS.items():
        ball = world.getObject(f"sphere_{material}")
        assert (ball.getRadius(), ball.getMaterial(), ball.getPosition()[2]) == (0.5, material, 5)
        assert world.getMaterialPairProp("steel", material).c_r == e


def test_page0_16_the_same_in_code_moves_the_same(tmp_path):
    first, second = from_xml(tmp_path / "world.xml"), in_code()
    run(first, 1500)
    run(second, 1500)
    for a, b in zip(first.getObjList(), second.getObjList(), strict=True):
        assert np.array_equal(a.getPosition(), b.getPosition())
    height = [ball.getPosition()[2] for ball in second.getObjList()[1:]]
    assert height[0] > height[2] > height[1]


def test_page0_17_a_urdf_names_materials_in_contact():
    text = """<robot name="foot"><link name="LF_FOOT"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
      <collision><origin xyz="0 0 0.02325"/><geometry><sphere radius="0.035"/></geometry>
      <material name=""><contact name="ice"/></material></collision></link></robot>"""
    robot = raisim.World().addArticulatedSystem(text)
    assert robot.getCollisionBody("LF_FOOT/0").getMaterial() == "ice"


def test_page0_18_and_19_materials_of_links_are_set_and_read():
    robot = raisim.World().addArticulatedSystem(str(QUADRUPED))
    robot.getCollisionBody("LF_FOOT/0").setMaterial("ice")
    assert robot.getCollisionBody("LF_FOOT/0").getMaterial() == "ice"
    assert robot.getCollisionBody("RF_FOOT/0").getMaterial() != "ice"


def test_page0_20_the_pair_of_two_bodies():
    world = raisim.World()
    ground = world.addGround(0.0, "floor")
    robot = world.addArticulatedSystem(str(QUADRUPED))
    robot.getCollisionBody("LF_FOOT/0").setMaterial("ice")
    world.setMaterialPairProp("ice", "floor", 0.05, 0.0, 0.0)
    found = world.getMaterialPairProp(
        robot.getCollisionBody("LF_FOOT/0").getMaterial(), ground.getCollisionObject().getMaterial()
    )
    assert found.c_f == 0.05


def test_page0_21_members_of_a_pair():
    found = ground_world(0.5, 0.1, 0.2, 0.7, 0.01).getMaterialPairProp("ground", "body")
    assert found.v_static_speed_inv == pytest.approx(100.0)


def test_page0_22_a_manager_from_a_file(tmp_path):
    path = tmp_path / "materials.xml"
    path.write_text(f"<material>{PAIR.format(m='rubber', e=0.15)}</material>")
    manager = raisim.MaterialManager(str(path))
    assert manager.getMaterialPairProp("rubber", "steel").c_r == 0.15
    assert set(manager.materialKeys_) >= {"steel", "rubber"}
    assert manager.nextMaterialIdx_ == len(manager.materialKeys_)
    assert manager.defaultMaterial_.c_f == 0.8


def test_page0_07b_a_box_that_starts_in_the_ground_stands_when_it_is_pulled():
    """RaiSim's static-friction scene: it begins 1 mm deep, and 5 N are less than 0.95 m g."""
    world = ground_world(0.8, 0.0, 0.0, 0.95, 0.001)
    box = world.addBox(1, 1, 1, 1.0, "body")
    box.setPosition(0, 0, 0.499)
    for _ in range(1000):
        box.setExternalForce(0, [5.0, 0, 0])
        world.integrate()
        assert np.abs(box.getLinearVelocity()[:2]).max() < 1e-9
    assert np.abs(box.getPosition()[:2]).max() < 1e-9
    assert np.abs(box.getLinearVelocity()).max() < 1e-9
    assert box.getPosition()[2] > 0.499


# -- the page of seven properties -----------------------------------------------------------------


def rolling(shape, mu_r, mu_spin=0.0, along="y"):
    """Return world and body that rolls along y with 2 m/s, its spin about x; or along x."""
    world = ground_world(1.0, 0.0, 0.0, 1.0, 1e-3, mu_r, mu_spin)
    body = world.addSphere(0.5, 1.0, "body")
    if shape == "cylinder":
        world.removeObject(body)
        body = world.addCylinder(0.5, 0.8, 1.0, "body")
        body.setOrientation(np.sqrt(0.5), *((0, np.sqrt(0.5), 0) if along == "y" else (np.sqrt(0.5), 0, 0)))
    body.setPosition(0, 0, 0.5)
    body.setVelocity(*((0, 2, 0, -4, 0, 0) if along == "y" else (2, 0, 0, 0, 4, 0)))
    return world, body


def spinning(shape, mu_spin, mu=0.0):
    world = ground_world(mu, 0.0, 0.0, mu, 1e-3, 0.0, mu_spin)
    body = (
        world.addSphere(0.5, 1.0, "body") if shape == "sphere" else world.addCylinder(0.3, 0.8, 1.0, "body")
    )
    body.setPosition(0, 0, 0.5 if shape == "sphere" else 0.4)
    body.setVelocity(0, 0, 0, 0, 0, 12)
    return world, body


def test_page1_01_there_are_seven_properties():
    found = ground_world(0.9, 0.0, 0.0, 1.1, 1e-3, 0.05, 0.02).getMaterialPairProp("body", "ground")
    assert (found.c_rolling_f, found.c_spinning_f) == (0.05, 0.02)


def test_page1_02_and_05_both_are_off_by_default_and_change_nothing_then():
    world, body = rolling("sphere", 0.0)
    other = ground_world(1.0, 0.0, 0.0, 1.0, 1e-3)
    twin = other.addSphere(0.5, 1.0, "body")
    twin.setPosition(0, 0, 0.5)
    twin.setVelocity(0, 2, 0, -4, 0, 0)
    run(world, 100)
    run(other, 100)
    assert np.array_equal(body.getPosition(), twin.getPosition())
    assert body.getLinearVelocity()[1] == pytest.approx(2.0, abs=1e-9)


def test_page1_03_spinning_friction_resists_rotation_about_the_normal_alone():
    world, body = spinning("sphere", 0.08)
    body.setVelocity(1, 0, 0, 0, 0, 12)
    run(world, 100)
    assert body.getAngularVelocity()[2] < 12.0
    assert body.getLinearVelocity()[0] == pytest.approx(1.0, abs=1e-9)


def test_page1_04_the_long_form_has_nine_values():
    world = raisim.World()
    world.setMaterialPairProp("rubber", "floor", 0.9, 0.0, 0.0, 1.1, 1e-3, 0.05, 0.02)
    found = world.getMaterialPairProp("floor", "rubber")
    assert [found.c_f, found.c_static_f, found.c_rolling_f] == [0.9, 1.1, 0.05]


def test_page1_06_z_is_up():
    assert raisim.World().getGravity().tolist() == [0, 0, -9.81]


def test_page1_07_a_cylinder_stands_along_z():
    world = raisim.World()
    cylinder = world.addCylinder(0.3, 0.8, 1.0)
    assert cylinder.getOrientation()[:, 2].tolist() == [0, 0, 1]
    assert cylinder.getInertiaMatrix_B()[2, 2] == pytest.approx(0.5 * 0.3**2)


def test_page1_08_a_cylinder_that_stands_does_not_roll_and_one_that_lies_does():
    world, lying = rolling("cylinder", 0.0)
    assert np.abs(lying.getOrientation()[2, 2]) < 1e-9
    run(world, 100)
    assert lying.getPosition()[1] == pytest.approx(0.2, rel=1e-6)
    world, standing = spinning("cylinder", 0.0, mu=1.0)
    run(world, 100)
    assert np.abs(standing.getPosition()[:2]).max() < 1e-9


def test_page1_09_and_10_axes_of_a_contact():
    """z is the normal: the rolling coefficient bounds rotation about x and y, the spinning one about z."""
    world, body = rolling("sphere", 0.0, mu_spin=0.08)
    run(world, 100)
    frame = body.getContacts()[0].getContactFrame()
    assert np.abs(frame[:, 2]).tolist() == pytest.approx([0, 0, 1])
    assert body.getAngularVelocity()[0] == pytest.approx(-4.0, abs=1e-9)
    world = ground_world(0.0, 0.0, 0.0, 0.0, 1e-3, 0.08, 0.0)
    ball = world.addSphere(0.5, 1.0, "body")
    ball.setPosition(0, 0, 0.5)
    ball.setVelocity(0, 0, 0, 3, 0, 12)
    run(world, 100)
    assert ball.getAngularVelocity()[2] == pytest.approx(12.0, abs=1e-9)
    assert ball.getAngularVelocity()[0] < 3.0


@pytest.mark.parametrize(("shape", "ratio"), [("sphere", 0.4), ("cylinder", 0.5)])
def test_page1_11_the_rolling_torque_is_bounded_by_mu_r_p_n_r_e(shape, ratio):
    """A body that rolls with I = ratio m r² loses speed at μ_r g / (1 + ratio), where r_e = r."""
    world, body = rolling(shape, 0.05)
    run(world, 300)
    lost = (2.0 - body.getLinearVelocity()[1]) / 0.3
    assert lost == pytest.approx(0.05 * G / (1.0 + ratio), rel=1e-6)


@pytest.mark.parametrize(("shape", "arm"), [("sphere", 0.5), ("cylinder", 0.5)])
def test_page1_12_the_spinning_torque_is_bounded_by_mu_spin_p_n_r_e(shape, arm):
    """From the rim of the cylinder, √(0.3² + 0.4²) m, to its centre of mass."""
    world, body = spinning(shape, 0.08)
    inertia = body.getInertiaMatrix_B()[2, 2]
    run(world, 100)
    assert 12 - body.getAngularVelocity()[2] == pytest.approx(0.08 * G * arm / inertia * 0.1, rel=1e-6)


def test_page1_13_the_normal_impulse_is_that_of_the_step():
    world, body = spinning("sphere", 0.08)
    inertia = body.getInertiaMatrix_B()[2, 2]
    body.setExternalForce(0, [0, 0, -3 * G])
    world.integrate()
    assert 12 - body.getAngularVelocity()[2] == pytest.approx(0.08 * 4 * G * 0.5 / inertia * DT)


@pytest.mark.parametrize("way", ["distance", "normal"])
def test_page1_14_r_e_is_the_distance_from_contact_to_centre_of_mass(way):
    """A box on its four corners: √(0.3² + 0.4² + 0.6²) m; tribo's own way is the height alone, 0.6 m."""
    world = ground_world(0.0, 0.0, 0.0, 0.0, 1e-3, 0.0, 0.08)
    assert world.tribo.effective_radius == "distance"
    world.tribo.effective_radius = way
    box = world.addBox(0.6, 0.8, 1.2, 1.0, "body")
    box.setPosition(0, 0, 0.6)
    box.setVelocity(0, 0, 0, 0, 0, 12)
    run(world, 100)
    radius = {"distance": np.sqrt(0.3**2 + 0.4**2 + 0.6**2), "normal": 0.6}[way]
    inertia = box.getInertiaMatrix_B()[2, 2]
    assert 12 - box.getAngularVelocity()[2] == pytest.approx(0.08 * G * radius / inertia * 0.1, rel=1e-6)


def test_page1_14b_r_e_follows_the_centre_of_mass():
    """A ball of 0.5 m whose centre of mass lies 0.1 m below its middle spins down with 0.4 m."""
    world, ball = spinning("sphere", 0.08)
    ball.setCom([0, 0, -0.1])
    ball.setPosition(0, 0, 0.5)
    run(world, 100)
    inertia = ball.getInertiaMatrix_B()[2, 2]
    assert 12 - ball.getAngularVelocity()[2] == pytest.approx(0.08 * G * 0.4 / inertia * 0.1, rel=1e-6)


@pytest.mark.parametrize(("shape", "radius"), [("sphere", 0.5), ("cylinder", 0.5)])
def test_page1_15_r_e_of_spheres_and_of_cylinders_on_their_side_is_the_radius(shape, radius):
    """A cylinder that lies on its side spins down with its radius, not the distance to the ends, 0.64 m."""
    world, body = rolling(shape, 0.0, mu_spin=0.001)
    body.setVelocity(0, 0, 0, 0, 0, 12)
    world.setMaterialPairProp("ground", "body", 0.0, 0.0, 0.0, 0.0, 1e-3, 0.0, 0.001)
    inertia = body.getInertiaMatrix_W()[2, 2]
    run(world, 100)
    assert 12 - body.getAngularVelocity()[2] == pytest.approx(0.001 * G * radius / inertia * 0.1, rel=1e-6)


def test_page1_16_of_two_bodies_the_radii_are_averaged():
    world = raisim.World()
    world.setTimeStep(DT)
    world.addGround()
    world.setMaterialPairProp("a", "b", 0.0, 0.0, 0.0, 0.0, 1e-3, 0.0, 0.05)
    below, above = world.addSphere(0.5, 50.0, "a"), world.addSphere(0.1, 1.0, "b")
    below.setPosition(0, 0, 0.5)
    above.setPosition(0, 0, 1.1)
    above.setVelocity(0, 0, 0, 0, 0, 30)
    world.integrate()
    inertia = above.getInertiaMatrix_B()[2, 2]
    assert 30 - above.getAngularVelocity()[2] == pytest.approx(0.05 * G * 0.3 / inertia * DT, rel=1e-6)


@pytest.mark.parametrize("kind", [raisim.BodyType.STATIC, raisim.BodyType.KINEMATIC])
def test_page1_17_bodies_that_do_not_move_contribute_nothing(kind):
    """On a box that stands a ball spins down as on the ground, with its own radius alone."""
    world = raisim.World()
    world.setTimeStep(DT)
    world.setMaterialPairProp("a", "b", 0.0, 0.0, 0.0, 0.0, 1e-3, 0.0, 0.05)
    box, ball = world.addBox(2, 2, 0.2, 1.0, "a"), world.addSphere(0.1, 1.0, "b")
    box.setBodyType(kind)
    ball.setPosition(0, 0, 0.2)
    ball.setVelocity(0, 0, 0, 0, 0, 30)
    run(world, 10)
    inertia = ball.getInertiaMatrix_B()[2, 2]
    assert 30 - ball.getAngularVelocity()[2] == pytest.approx(0.05 * G * 0.1 / inertia * 10 * DT, rel=1e-6)


def test_page1_18_within_its_bound_the_torque_stops_the_rotation():
    world, body = spinning("sphere", 0.08)
    body.setVelocity(0, 0, 0, 0, 0, 1e-3)
    world.integrate()
    assert body.getAngularVelocity()[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("along", ["x", "y"])
@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
def test_page1_19_and_27_what_rolls_stops_and_stays_on_the_ground(shape, along):
    world, body = rolling(shape, 0.3, along=along)
    heights = []
    for _ in range(1500):
        world.integrate()
        heights.append(body.getPosition()[2])
    assert np.abs(body.getLinearVelocity()).max() < 1e-6
    assert np.abs(body.getAngularVelocity()).max() < 1e-6
    assert np.abs(np.array(heights) - 0.5).max() < 1e-6


def test_page1_20_the_torque_belongs_to_the_solve_and_lifts_nothing():
    world, ball = rolling("sphere", 0.3, mu_spin=0.1)
    ball.setVelocity(0, 2, 0, -4, 0, 3)
    for _ in range(300):
        world.integrate()
        assert ball.getPosition()[2] == pytest.approx(0.5, abs=1e-9)
        assert abs(ball.getLinearVelocity()[2]) < 1e-9


@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
def test_page1_21_and_27_spinning_friction_works_without_coulomb_friction(shape):
    world, body = spinning(shape, 0.08)
    z = body.getPosition()[2]
    run(world, 4000)
    assert abs(body.getAngularVelocity()[2]) < 1e-9
    assert body.getPosition()[2] == pytest.approx(z, abs=1e-6)
    assert np.abs(body.getLinearVelocity()).max() < 1e-6


def test_page1_22_the_sphere_of_the_example():
    """Rolling about y: v 2 m/s and ω −4 rad/s is back-spin, so it slips first: v → (5 v + 2 r ω)/7."""
    world = ground_world(1.0, 0.0, 0.0, 1.0, 1e-3, 0.0, 0.0)
    ball = world.addSphere(0.5, 1.0, "body")
    ball.setPosition(0.0, 0.0, 0.5)
    ball.setVelocity(2.0, 0.0, 0.0, 0.0, -4.0, 0.0)
    run(world, 1000)
    assert ball.getLinearVelocity()[0] == pytest.approx((5 * 2.0 + 2 * 0.5 * -4.0) / 7.0, rel=1e-6)
    world.setMaterialPairProp("ground", "body", 1.0, 0.0, 0.0, 1.0, 1e-3, 0.05, 0.0)
    run(world, 4000)
    assert np.abs(ball.getLinearVelocity()).max() < 1e-9


def test_page1_23_a_cylinder_that_slips_comes_to_roll():
    """Its axis along x and ω about x; v_y of the point that touches is v_y + ω_x r."""
    world = ground_world(1.0, 0.0, 0.0, 1.0, 1e-3, 0.0, 0.0)
    cylinder = world.addCylinder(0.3, 0.8, 1.0, "body")
    cylinder.setOrientation(0.7071067812, 0.0, 0.7071067812, 0.0)
    cylinder.setPosition(0.0, 0.0, 0.3)
    cylinder.setVelocity(0.0, 2.4, 0.0, 14.0, 0.0, 0.0)
    run(world, 1000)
    v, w = cylinder.getLinearVelocity()[1], cylinder.getAngularVelocity()[0]
    # Angular momentum about the ground stays: m v − I ω / r, I = m r² / 2, and v = −ω r at the end.
    assert v + 0.3 * w == pytest.approx(0.0, abs=1e-6)
    assert v == pytest.approx((2.4 - 0.5 * 0.3 * 14.0) / 1.5, rel=1e-3)


def test_page1_24_the_upright_cylinder_of_the_example_stops_when_the_page_says():
    """ω̇ = 2 μ_spin g r_e / r² with r_e = 0.5 m: 12 rad/s are gone after 1.376147 s."""
    world, body = spinning("cylinder", 0.08)
    stop = 12.0 * 0.3**2 / (2 * 0.08 * G * 0.5)
    run(world, int(stop / DT))
    assert 0.0 < body.getAngularVelocity()[2] < 2 * 0.08 * G * 0.5 / 0.3**2 * DT
    run(world, 2)
    assert abs(body.getAngularVelocity()[2]) < 1e-9


@pytest.mark.parametrize("mu_r", [0.01, 0.05])
def test_page1_26_larger_coefficients_stop_sooner(mu_r):
    world, body = rolling("sphere", mu_r)
    run(world, 100)
    assert 2.0 - body.getLinearVelocity()[1] == pytest.approx(mu_r * G / 1.4 * 0.1, rel=1e-6)


def test_page1_28_many_balls_and_cylinders_that_spin_fast_come_to_rest_on_the_ground():
    world = ground_world(0.8, 0.0, 0.0, 0.8, 1e-3, 0.3, 0.3)
    bodies = []
    for k in range(10):
        body = world.addSphere(0.1, 1.0, "body") if k % 2 else world.addCylinder(0.1, 0.2, 1.0, "body")
        body.setOrientation(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
        body.setPosition(k, 0, 0.1)
        body.setVelocity(0, 0, 0, 20, 0, 20)
        bodies.append(body)
    run(world, 3000)
    for body in bodies:
        assert np.abs(body.getLinearVelocity()).max() < 1e-6
        assert np.abs(body.getAngularVelocity()).max() < 1e-6
        assert body.getPosition()[2] == pytest.approx(0.1, abs=1e-6)


def test_page1_25_rolling_and_spinning_friction_in_files(tmp_path):
    path = tmp_path / "materials.xml"
    path.write_text(
        '<material><default friction="0.8" restitution="0" restitution_threshold="0"/>'
        '<pair_prop name1="ground" name2="ball" friction="1.0" restitution="0" restitution_threshold="0" '
        'static_friction="1.0" static_friction_velocity_threshold="0.001" rolling_friction="0.05" '
        'spinning_friction="0.02"/></material>'
    )
    found = raisim.MaterialManager(str(path)).getMaterialPairProp("ball", "ground")
    assert (found.c_f, found.c_static_f, found.v_static_speed) == (1.0, 1.0, 0.001)
    assert (found.c_rolling_f, found.c_spinning_f) == (0.05, 0.02)
