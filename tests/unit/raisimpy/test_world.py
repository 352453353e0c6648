"""The world of tribo.raisimpy: RaiSim's manners, and forms of its calls."""

import numpy as np
import pytest

import tribo
from tribo import raisimpy as raisim
from tribo.checks.errors import EditError


@pytest.fixture
def world():
    return raisim.World()


def falling(world, height=2.0):
    ball = world.addSphere(0.1, 1.0)
    ball.setPosition(0, 0, height)
    return ball


def test_time_step_and_gravity_are_raisims(world):
    assert world.getTimeStep() == 0.005
    assert world.get_gravity().tolist() == [0, 0, -9.81]
    assert world.tribo.collision_filter == "both"


def test_integrate1_then_integrate_is_one_step(world):
    ball, other = falling(world), raisim.World()
    twin = falling(other)
    world.integrate1()
    world.integrate1()  # again: nothing is lost
    assert world.tribo.is_midway
    world.integrate()
    other.integrate()
    assert world.getWorldTime() == other.getWorldTime() == 0.005
    assert np.array_equal(ball.getPosition(), twin.getPosition())


def test_edits_between_the_halves_are_refused(world):
    falling(world)
    world.integrate1()
    with pytest.raises(EditError):
        world.addSphere(0.1, 1.0)
    world.integrate2()


@pytest.mark.parametrize("call", ["setMaterialPairProp", "set_material_pair", "set_material_pair_properties"])
def test_pairs_by_position(world, call):
    getattr(world, call)("steel", "rubber", 0.8, 0.15, 0.001)
    pair = world.tribo.materials.pair("rubber", "steel")
    assert (pair.friction, pair.restitution, pair.restitution_threshold) == (0.8, 0.15, 0.001)
    getattr(world, call)("steel", "ice", 0.1, 0.2, 0.01, 0.3, 0.002, 0.04, 0.05)
    pair = world.tribo.materials.pair("steel", "ice")
    assert (pair.static_friction, pair.static_friction_velocity) == (0.3, 0.002)
    assert (pair.rolling_friction, pair.spinning_friction) == (0.04, 0.05)
    with pytest.raises(TypeError, match="3, 5 or 7 numbers"):
        getattr(world, call)("steel", "ice", 0.1, 0.2, 0.01, 0.3)


def test_old_keywords_of_pairs(world):
    world.set_material_pair_properties("a", "b", friction=0.5, restitution=0.25, threshold=0.125)
    found = world.get_material_pair_properties("a", "b")
    assert (found.c_f, found.c_r, found.r_th) == (0.5, 0.25, 0.125)


def test_static_friction_speed_of_zero_holds_at_rest_only(world):
    world.setMaterialPairProp("default", "default", 0.4, 0.0, 0.0, 0.95, 0.0)
    world.addGround()
    boxes = []
    for k, speed in enumerate((0.0, 0.1)):
        box = world.addBox(0.2, 0.2, 0.2, 1.0)
        box.setPosition(0, k, 0.1)
        box.setLinearVelocity(speed, 0, 0)
        boxes.append(box)
    for _ in range(100):
        for box in boxes:
            box.setExternalForce(0, [5.0, 0, 0])
        world.integrate()
    assert abs(boxes[0].getLinearVelocity()[0]) < 1e-9
    # (5 − 0.4 · 9.81) N on 1 kg for 0.5 s
    assert boxes[1].getLinearVelocity()[0] == pytest.approx(0.1 + (5 - 0.4 * 9.81) * 0.5, abs=1e-3)


def test_restitution_above_one_is_one(world, caplog):
    world.setMaterialPairProp("a", "b", 0.8, 1.25, 0.0)
    assert world.getMaterialPairProp("a", "b").c_r == 1.0
    assert "1.25" in caplog.text


def test_a_manager_from_a_file(world, tmp_path):
    path = tmp_path / "materials.xml"
    path.write_text(
        '<material><default friction="0.3" restitution="0" restitution_threshold="0"/>'
        '<pair_prop name1="a" name2="b" friction="0.7" restitution="0.1" restitution_threshold="0.2"/>'
        "</material>"
    )
    manager = raisim.MaterialManager(str(path))
    assert manager.getMaterialPairProp("b", "a").r_th == 0.2
    a, b = manager.materialKeys_["a"], manager.getMaterialIdOrDefault("b")
    assert manager.getMaterialPairProp(a, b).c_f == 0.7
    assert manager.materials_[a, b].c_f == 0.7
    assert manager.defaultMaterial_.c_f == 0.3
    assert manager.nextMaterialIdx_ == len(manager.materialKeys_)
    assert manager.getMaterialIdOrDefault("nowhere") == manager.getDefaultMaterialId()
    world.updateMaterialProp(manager)
    assert world.getMaterialPairProp("a", "b").c_r == 0.1
    assert world.getMaterialManager().defaultMaterial_.c_f == 0.3


def test_worlds_as_files(world, tmp_path):
    world.addGround()
    falling(world).setName("ball")
    world.addBox(1, 2, 3, 4.0).setName("box")
    world.exportToXml(str(tmp_path), "world.xml")
    back = raisim.World(str(tmp_path / "world.xml"))
    assert back.getConfigFile().endswith("world.xml")
    assert [o.getObjectType().name for o in back.getObjList()] == ["HALFSPACE", "SPHERE", "BOX"]
    assert back.getObject("box").getDim().tolist() == [1, 2, 3]
    assert back.getObject("ball") is back.getObject(1)
    template = tmp_path / "template.xml"
    template.write_text(
        '<raisim version="2.0"><objects><sphere name="s" mass="@@m"><dim radius="0.1"/></sphere>'
        "</objects></raisim>"
    )
    made = raisim.World(str(template), [raisim.World.ParameterContainer("m", 3.0)])
    assert made.getObject("s").getMass() == 3.0


def test_mjcf_by_its_root(tmp_path):
    path = tmp_path / "scene.xml"
    path.write_text(
        "<mujoco><worldbody><body><freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>"
    )
    world = raisim.World(str(path))
    assert len(world.getObjList()) == 1
    assert len(raisim.World().loadMjcfFile(str(path))) == 1


def test_attributes_may_be_added(world):
    world.mine = 3
    assert world.mine == 3


def test_objects_are_found_and_removed(world):
    ball = falling(world)
    number = world.getConfigurationNumber()
    assert world.getObjectById(ball.getId()) is ball
    assert world.getObject("nowhere") is None
    assert world.isObjectAlive(ball)
    world.removeObject(ball)
    assert not world.isObjectAlive(ball)
    assert world.getConfigurationNumber() > number
    assert world.getObjList() == []


def wired(world, add, *more):
    pin, ball = world.addBox(0.1, 0.1, 0.1, 1.0), falling(world, 1.0)
    pin.setBodyType(raisim.BodyType.STATIC)
    pin.setPosition(0, 0, 3)
    return getattr(world, add)(pin, 0, [0, 0, 0], ball, 0, [0, 0, 0], 2.0, *more), ball


def test_stretch_type_after_the_wire_was_made(world):
    """A rope that shall only be pushed lets its load fall; as a rod it holds it."""
    wire, ball = wired(world, "addStiffWire")
    wire.setName("rope")
    wire.setStretchType("COMPRESSION_RESISTANT_ONLY")
    assert (wire.getName(), wire.getLength()) == ("rope", 2.0)
    assert world.getWires() == [wire]
    world.integrate()
    assert ball.getLinearVelocity()[2] == pytest.approx(-9.81 * 0.005)
    wire.setStretchType(raisim.StretchType.BOTH)
    for _ in range(20):
        world.integrate()
    assert abs(ball.getLinearVelocity()[2]) < 1e-6
    assert wire.getStretchType() == raisim.StretchType.BOTH
    assert world.getWire("rope") is wire is world.getConstraint("rope")


def test_wires_tell_their_ends(world):
    wire, ball = wired(world, "addCompliantWire", 500.0)
    assert wire.getBody2() is ball
    assert wire.getOb1MountPos() == [0, 0, 0]
    assert (wire.getStiffness(), wire.getWireType().name) == (500.0, "COMPLIANT")
    assert wire.getNorm().tolist() == [0, 0, -1]
    assert wire.getP1().tolist() == [0, 0, 3]
    place = ball.getPosition()
    ball.setPosition(0, 0, 3)
    assert wire.getNorm().tolist() == [0, 0, 0]  # its ends coincide
    ball.setPosition(place)
    assert (wire.getStretch(), wire.getDistance()) == (0.0, 2.0)
    world.removeObject(wire)
    assert world.getWires() == []
    other = raisim.World()
    custom, load = wired(other, "addCustomWire")
    custom.setTension(9.81)
    other.integrate()
    assert abs(load.getLinearVelocity()[2]) < 1e-9
    assert custom.isActive()


def test_a_wire_at_a_point_of_a_body_with_another_centre_of_mass(world):
    """Points are in the frame of the body, which is not its centre of mass."""
    child = raisim.CompoundObjectChild()
    child.objectType, child.objectParam = raisim.ObjectType.BOX, [1, 1, 1, 0]
    body = world.addCompound([child], 1.0, [0.2, 0, 0], np.eye(3))
    body.setPosition(0, 0, 2)
    anchor = world.addSphere(0.1, 1.0)
    anchor.setBodyType(raisim.BodyType.STATIC)
    anchor.setPosition(0, 0, 5)
    wire = world.addStiffWire(anchor, 0, [0, 0, 0], body, 0, [0.5, 0, 0.5], 2.5)
    assert wire.getP2() == pytest.approx([0.5, 0, 2.5])


@pytest.mark.parametrize("k", range(5))
def test_forms_of_height_maps(world, k, tmp_path):
    heights = np.arange(6.0)  # x runs first: 3 × 2
    text = tmp_path / "map.txt"
    text.write_text("3 2 4.0 2.0 " + " ".join(str(h) for h in heights))
    properties = raisim.TerrainProperties()
    properties.x_samples, properties.ySamples = 3, 2
    properties.xSize, properties.y_size = 4.0, 2.0
    made = [
        lambda: world.addHeightMap(3, 2, 4.0, 2.0, 1.0, 5.0, heights, "sand"),
        lambda: world.add_heightmap(
            x_samples=3, y_samples=2, x_scale=4.0, y_scale=2.0, x_center=1.0, y_center=5.0, heights=heights,
            material="sand"),
        lambda: world.addHeightMap(str(text), 1.0, 5.0, "sand"),
        lambda: world.addHeightMap(1.0, 5.0, properties, "sand"),
        lambda: world.addHeightMap(world.addHeightMap(str(text), 0.0, 0.0), 1.0, 5.0, "sand"),
    ][k]()  # fmt: skip
    assert (made.getXSamples(), made.getYSamples()) == (3, 2)
    assert (made.getXSize(), made.getYSize(), made.getCenterX(), made.getCenterY()) == (4, 2, 1, 5)
    assert made.getMaterial() == "sand"
    if k != 3:
        assert made.getHeightVector().tolist() == heights.tolist()
        assert made.getHeight(3.0, 6.0) == 5.0
        # Along x a height rises by 1 in 2 m, along y by 3 in 2 m.
        slope = np.array([-0.5, -1.5, 1.0])
        assert made.getNormal(1.0, 5.0) == pytest.approx(slope / np.linalg.norm(slope))


def test_a_picture_as_height_map(world, tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.png"
    image.fromarray(np.full((4, 5), 255, np.uint8)).save(path)
    made = world.addHeightMap(str(path), 0.0, 0.0, 2.0, 2.0, 0.01, 0.5)
    assert made.getHeight(0, 0) == pytest.approx(0.01 * 255 + 0.5)  # the pixel's own number


def test_rays_and_lidar(world):
    wall = world.addBox(1, 9, 9, 1.0)
    wall.setPosition(2.5, 0, 0)
    wall.setBodyType(raisim.BodyType.STATIC)
    assert len(world.rayTest([0, 0, 0], [1, 0, 0], 1.9)) == 0
    assert world.rayTest([0, 0, 0], [1, 0, 0], 3.0)[0].getPosition().tolist() == [2, 0, 0]
    assert world.rayTest([0, 0, 0], [1, 0, 0], 3.0, wall.getIndexInWorld()).size() == 0
    points = world.rayTestLidar(np.eye(3), [0, 0, 0], 0.0, 0.1, 1.0, 1, 1, 0.0, 0.1, 0.1, 10.0)
    assert points == pytest.approx(np.array([[2.0, 0, 0]]))


def test_depth_camera_of_the_world(world):
    wall = world.addBox(1, 9, 9, 1.0)
    wall.setPosition(2.5, 0, 0)
    seen = world.captureDepthCamera(
        [0, 0, 0], np.eye(3),
        raisim.DepthCameraProperties(width=4, height=3, captureSegmentation=True, capturePoints=True),
    )  # fmt: skip
    assert seen.depth == pytest.approx(np.full(12, 2.0))
    assert set(seen.segmentation) == {wall.getIndexInWorld()}
    assert seen.points[:, 0] == pytest.approx(np.full(12, 2.0))
    assert world.tribo.sensors == ()


def test_sleeping(world):
    world.setSleepingEnabled(True)
    world.setSleepingParameters(0.01, 0.02, 4)
    assert world.getSleepingParameters() == (0.01, 0.02, 4)
    assert world.isSleepingEnabled()
    world.addGround()
    ball = falling(world, 0.1)
    for _ in range(200):
        world.integrate()
    assert world.isObjectSleeping(ball)
    world.wakeAll()
    assert not world.isObjectSleeping(ball)
    world.wakeObject(ball)


def test_snapshot_and_clone_of_one_body(world):
    ball = falling(world)
    saved = world.captureSingleBodySnapshot(ball)
    for _ in range(10):
        world.integrate()
    world.restoreSingleBodySnapshot(ball, saved)
    assert ball.getPosition().tolist() == [0, 0, 2]
    for kind in ("addBox", "addCapsule"):
        arguments = (1, 2, 3, 4.0) if kind == "addBox" else (0.1, 0.5, 4.0)
        item = getattr(world, kind)(*arguments)
        copy = world.cloneSingleBodyObject(item)
        assert type(copy) is type(item)
        assert copy.tribo.collision_bodies[0].size == item.tribo.collision_bodies[0].size
        assert copy.getMass() == 4.0


def test_solver_and_problems(world):
    world.addGround()
    falling(world, 0.1)
    world.integrate()
    (problem,) = world.getContactProblem()
    assert (problem.mu, problem.rank) == (0.8, 3)
    assert problem.imp_i[2] == pytest.approx(9.81 * 0.005)
    # A free ball of 1 kg: 1/m along the normal, and Mapp is its inverse.
    assert problem.MappInv_i[2, 2] == pytest.approx(1.0)
    assert problem.Mapp_i @ problem.MappInv_i == pytest.approx(np.eye(3), abs=1e-9)
    world.setContactSolverParam(1.0, 1.0, 1.0, 70, 1e-7)
    config = world.getContactSolver().getConfig()
    assert (config.maxIteration, config.error_to_terminate) == (70, 1e-7)
    config.maxIteration = 90
    world.getContactSolver().updateConfig(config)
    assert world.tribo.max_sweeps == 90
    world.setERP(0.1, 0.05)
    assert (world.tribo.erp, world.tribo.erp2) == (0.1, 0.05)
    assert world.getContactSolver().get_error_history()[0] <= world.tribo.tolerance


def test_calls_that_need_nothing_do_nothing(world):
    raisim.World.setActivationKey("activation.raisim")
    raisim.World.setLicenseFile("activation.raisim")
    world.set_contact_solver_iteration_order(True)
    world.lockMutex()
    world.unlock()


def test_install_leaves_another_raisimpy_alone(monkeypatch, tmp_path):
    import sys

    for name in ("raisimpy", "raisimpy.contact", "raisimpy.constraints"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "raisimpy.py").write_text("ours = False\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="replace=True"):
        raisim.install()
    raisim.install(replace=True)
    import raisimpy
    from raisimpy.contact import Contact

    assert raisimpy is raisim
    assert Contact is raisim.Contact
    for name in ("raisimpy", "raisimpy.contact", "raisimpy.constraints"):
        sys.modules.pop(name)


def test_the_wrapper_and_the_world_are_one(world):
    ball = falling(world)
    world.tribo.object(ball.name).position = 0, 0, 7
    assert ball.getPosition().tolist() == [0, 0, 7]
    assert isinstance(world.tribo, tribo.World)


def test_names_of_a_pair_come_in_their_order(world):
    world.setMaterialPairProp("a", "b", friction=0.4, restitution=0.2)
    assert world.tribo.materials.pair("a", "b").restitution == 0.2
    with pytest.raises(TypeError, match="in that order"):
        world.setMaterialPairProp("a", "b", friction=0.5, threshold=0.1)
    with pytest.raises(TypeError, match="static_friction"):
        world.setMaterialPairProp("a", "b", 0.5, static_friction=0.9)


def test_an_object_that_nobody_asked_for_is_alive(world):
    made = world.tribo.add_sphere(0.1, 1.0)
    assert world.isObjectAlive(made.id)
    world.tribo.remove(made)
    assert not world.isObjectAlive(made.id)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (raisim.DepthCameraProperties, "clipNear", "clip_near"),
        (raisim.SolverConfiguration, "maxIteration", "max_iteration"),
        (raisim.CoacdOptions, "maxConvexHull", "max_convex_hull"),
    ],
)
def test_both_spellings_are_one_number(kind, old, new):
    made = kind()
    setattr(made, new, 7)
    assert getattr(made, old) == 7
    setattr(made, old, 8)
    assert getattr(made, new) == 8
