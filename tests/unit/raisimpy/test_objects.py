"""Single bodies of tribo.raisimpy."""

import numpy as np
import pytest

from tribo import raisimpy as raisim


@pytest.fixture
def world():
    return raisim.World()


def test_kinds_and_sizes(world):
    made = [
        (world.addSphere(0.1, 1.0), "SPHERE"), (world.addBox(1, 2, 3, 1.0), "BOX"),
        (world.addCylinder(0.1, 0.4, 1.0), "CYLINDER"), (world.addCapsule(0.1, 0.4, 1.0), "CAPSULE"),
        (world.addCone(0.1, 0.4, 1.0), "CONE"), (world.addGround(0.5), "HALFSPACE"),
    ]  # fmt: skip
    for item, kind in made:
        assert item.getObjectType().name == kind
        assert type(item).__name__ in {kind.capitalize(), "Ground"}
    assert made[1][0].getDim().tolist() == [1, 2, 3]
    assert [made[k][0].getHeight() for k in (2, 3, 4)] == pytest.approx([0.4, 0.4, 0.4])
    assert [made[k][0].getRadius() for k in (0, 2, 3, 4)] == [0.1] * 4
    assert made[5][0].getHeight() == 0.5
    assert made[5][0].getBodyType() == raisim.BodyType.STATIC


def compound(world):
    """Return a body whose centre of mass is (0.2, 0, 0) in its frame."""
    child = raisim.CompoundObjectChild()
    child.objectType, child.objectParam = raisim.ObjectType.SPHERE, [0.5, 0, 0, 0]
    child.trans.pos = [0.1, 0, 0]
    return world.addCompound([child], 2.0, [0.2, 0, 0], np.diag([0.1, 0.2, 0.3]))


def test_a_list_that_is_no_inertia_of_a_compound_is_refused(world):
    child = raisim.CompoundObjectChild()
    child.objectType, child.objectParam = raisim.ObjectType.SPHERE, [0.5, 0, 0, 0]
    with pytest.raises(TypeError, match="inertia"):
        world.addCompound([child], 1.0, [[1, [2, 3]], 2, 3])


def test_the_frame_of_a_body_is_not_its_centre_of_mass(world):
    body = compound(world)
    body.setPose([1, 2, 3], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])  # x to y
    assert body.getPosition() == pytest.approx([1, 2, 3])
    assert body.getComPosition() == pytest.approx([1, 2.2, 3])
    assert body.getPosition(0, [0.2, 0, 0]) == pytest.approx([1, 2.2, 3])
    body.setOrientation(np.eye(3))  # about its frame, which stays
    assert body.getPosition() == pytest.approx([1, 2, 3])
    assert body.getComPosition() == pytest.approx([1.2, 2, 3])
    assert body.getCom() == pytest.approx([0.2, 0, 0])
    body.setVelocity(1, 0, 0, 0, 0, 2)
    assert body.getVelocity(0, [0.2, 0, 0]) == pytest.approx([1, 0, 0])
    assert body.getVelocity(0, [0, 0, 0]) == pytest.approx([1, -0.4, 0])
    assert body.getInertiaMatrix_W() == pytest.approx(np.diag([0.1, 0.2, 0.3]))
    assert len(body.getObjList()) == len(body.getCollisionBodyList()) == 1


@pytest.mark.parametrize("seed", range(4))
def test_rotations_of_matrices(world, seed):
    ball = world.addSphere(0.1, 1.0)
    q = np.random.default_rng(seed).normal(size=4) * ([1e-3, 1, 1, 1] if seed else 1)
    q /= np.linalg.norm(q)
    ball.setOrientation(*q)
    turn = ball.getOrientation(0)
    ball.setOrientation(1, 0, 0, 0)
    ball.setOrientation(turn)
    assert ball.getRotationMatrix() == pytest.approx(turn)
    assert abs(ball.getQuaternion() @ q) == pytest.approx(1.0)


def test_forces_last_one_step_add_up_and_are_cleared(world):
    world.setGravity([0, 0, 0])
    body = world.addBox(1, 1, 1, 2.0)
    body.setExternalForce(0, [1, 0, 0])
    body.setExternalForce(0, [0, 0.5, 0], [3, 0, 0])  # at a point: no torque about z here, as p ∥ f × …
    assert [f.tolist() for f in body.getExternalForce()] == [[1, 0, 0], [3, 0, 0]]
    world.integrate()
    assert body.getLinearVelocity()[0] == pytest.approx(4 / 2.0 * 0.005)
    # r × f = (0, 0.5, 0) × (3, 0, 0) = (0, 0, −1.5)
    assert body.getAngularVelocity()[2] == pytest.approx(-1.5 / body.getInertiaMatrix_B()[2, 2] * 0.005)
    assert body.getExternalForce() == []
    before = body.getLinearVelocity().copy()
    world.integrate()
    assert body.getLinearVelocity() == pytest.approx(before, abs=1e-15)
    body.set_external_force([5, 0, 0])  # the older order
    body.setExternalTorque(0, [0, 0, 7])
    body.clearExternalForcesAndTorques()
    world.integrate()
    assert body.getLinearVelocity() == pytest.approx(before, abs=1e-15)


def test_energy_in_another_gravity(world):
    ball = world.addSphere(0.1, 2.0)
    ball.setPosition(0, 0, 3)
    ball.setVelocity([0, 0, 1], [0, 0, 0])
    assert ball.getPotentialEnergy(world.getGravity()) == pytest.approx(2 * 9.81 * 3)
    assert ball.getPotentialEnergy([0, 0, -1.62]) == pytest.approx(2 * 1.62 * 3)
    assert ball.getEnergy([0, 0, -1.62]) == pytest.approx(2 * 1.62 * 3 + 1)
    assert ball.getLinearMomentum() == pytest.approx([0, 0, 2])


def test_filters_look_and_damping(world):
    ball = world.addSphere(0.1, 1.0, "rubber", raisim.COLLISION(2), raisim.COLLISION(1))
    assert (ball.getCollisionGroup(), ball.getCollisionMask()) == (4, 2)
    ball.setCollisionMask(3)
    assert ball.getCollisionMask() == 3
    ball.setAppearance("red")
    assert ball.getAppearance()
    ball.setAppearance("0.5,0.5,1,1")
    assert ball.getAppearance().startswith("0.5,0.5,1")
    for name in ("hidden", "copper"):  # of RaiSim's viewers: the colour stays
        ball.setAppearance(name)
        assert ball.getAppearance() == name
        assert ball.tribo.color == (0.5, 0.5, 1.0, 1.0)
    ball.setLinearDamping(0.5)
    ball.setAngularDamping([0.1, 0.1, 0.1])
    assert (ball.tribo.linear_damping, ball.tribo.angular_damping) == (0.5, 0.1)
    ball.setMaterial("steel")
    assert ball.getCollisionBody().getMaterial() == ball.getMaterial() == "steel"


def test_both_masks_must_admit_a_pair(world):
    """RaiSim's rule: a ball whose mask leaves the ground out falls through it."""
    world.addGround()
    ball = world.addSphere(0.1, 1.0, "default", 1, 2)
    ball.setPosition(0, 0, 0.1)
    world.integrate()
    assert ball.getContacts() == []


def test_meshes(world, tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "tetra.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    hull = raisim.MeshCollisionMode.CONVEX_HULL
    mesh = world.addMesh(str(path), 2.0, 2.0, "steel", collision_mode=hull)
    assert (mesh.getMass(), mesh.getScale(), mesh.getMaterial()) == (2.0, 2.0, "steel")
    assert mesh.getVerticies().max() == 2.0
    assert mesh.getIndicies().shape == (4, 3)
    assert mesh.getMeshFileName() == str(path)
    given = world.addMesh(str(path), 1.0, np.eye(3), np.array([0.1, 0.1, 0.1]), 1.0, collision_mode=hull)
    assert given.getInertiaMatrix_B() == pytest.approx(np.eye(3))
    original = raisim.MeshCollisionMode.ORIGINAL_MESH
    exact = world.addMesh(str(path), 1.0, collision_mode=original)
    assert (exact.getBodyType(), exact.getMass()) == (raisim.BodyType.DYNAMIC, 1.0)
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n")
    still = world.addMesh(str(path), 1.0, collision_mode=original)
    assert still.getBodyType() == raisim.BodyType.STATIC


def test_a_list_that_is_no_inertia_of_a_mesh_is_refused(world, tmp_path):
    path = tmp_path / "tetra.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    with pytest.raises(TypeError, match="inertia"):
        world.addMesh(str(path), 1.0, [1, [2, 3]])


def test_contacts_of_a_ball_on_the_ground(world):
    ground, ball = world.addGround(), world.addSphere(0.1, 2.0)
    ball.setPosition(0, 0, 0.1)
    ball.setVelocity(1, 0, 0, 0, 0, 0)
    world.integrate()
    (mine,), (theirs,) = ball.getContacts(), ground.getContacts()
    assert mine.isObjectA() != theirs.isObjectA()
    assert mine.getNormal() == pytest.approx(theirs.getNormal())  # towards object A, whoever asks
    for contact, sign in ((mine, 1.0), (theirs, -1.0)):
        on_a = contact.getContactFrame().T @ contact.getImpulse() / world.getTimeStep()
        on_me = on_a if contact.isObjectA() else -on_a
        # The ground carries the ball and slows it with μ N.
        assert on_me == pytest.approx(sign * np.array([-0.8 * 2 * 9.81, 0, 2 * 9.81]), abs=1e-6)
    assert mine.getPairObjectIndex() == ground.getIndexInWorld()
    assert mine.getPairObjectBodyType() == raisim.BodyType.STATIC
    assert mine.getPairContactIndexInPairObject() == 0 == mine.getIndexContactProblem()
    assert mine.getlocalBodyIndex() == 0
    assert not mine.isSelfCollision()
    assert not mine.skip()
    assert ball.getContactPointVel(0) == pytest.approx(mine.tribo.velocity_of(ball.tribo))
    assert ball.getContactAabb(0).overlaps(ground.getContactAabb(0))
    assert {mine.getCollisionBodyA(), mine.getCollisionBodyB()} == {
        ball.tribo.collision_bodies[0].name, ground.tribo.collision_bodies[0].name,
    }  # fmt: skip
