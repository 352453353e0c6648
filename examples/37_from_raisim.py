"""Five programs as RaiSim's users write them, each line beside the call that it was there.

Every name is on docs/reference/names.md: robots with PD, a height map, Newton's cradle, springs and
wires, and a fan of rays.
"""

import numpy as np

import tribo
from tribo.tools.demo import ASSETS


def robots_with_pd() -> None:
    """Let two quadrupeds stand under PD."""
    world = tribo.World()  # raisim::World world;
    world.time_step = 0.001  # world.setTimeStep(0.001);
    ground = world.add_ground()  # world.addGround();
    robots = []
    for k in range(2):
        robot = world.add_articulated_system(ASSETS / "quadruped.urdf")  # world.addArticulatedSystem(urdf);
        robot.name = f"quadruped{k}"  # robot->setName(name);
        nominal = np.zeros(len(robot.generalized_coordinate))  # robot->getGeneralizedCoordinateDim()
        nominal[:7] = 2.0 * k, 0, 0.52, 1, 0, 0, 0
        nominal[7:] = robot.generalized_coordinate[7:]
        gain, damping = np.zeros(robot.dof), np.zeros(robot.dof)  # robot->getDOF()
        gain[6:], damping[6:] = 200.0, 5.0
        robot.generalized_coordinate = nominal  # robot->setGeneralizedCoordinate(nominal);
        robot.generalized_force = np.zeros(robot.dof)  # robot->setGeneralizedForce(zero);
        robot.set_pd_gains(gain, damping)  # robot->setPdGains(gain, damping);
        robot.pd_target = nominal  # robot->setPdTarget(nominal, zero);
        robot.pd_velocity_target = np.zeros(robot.dof)
        robots.append(robot)
    for _ in range(1500):
        world.step()  # world.integrate();
    for robot in robots:
        lift = 0.0
        for contact in robot.contacts:  # for (auto& contact : robot->getContacts())
            assert contact.other(robot) is ground  # contact.getPairObjectIndex()
            assert contact.body_a.startswith(("LF", "RF", "LH", "RH"))  # contact.getlocalBodyIndex()
            lift += contact.impulse[2] / world.time_step  # contact.getImpulse() / dt
        weight = robot.mass * 9.81  # robot->getTotalMass()
        assert abs(lift / weight - 1.0) < 1e-2
    print(f"two quadrupeds stand: {lift:.1f} N under the second, its weight is {weight:.1f} N")


def height_map() -> None:
    """Drop balls on fractal hills."""
    world = tribo.World()
    field = tribo.HeightField.fractal(  # raisim::TerrainProperties
        frequency=0.2, size=(20, 20), samples=(50, 50), z_scale=3.0, octaves=3, lacunarity=2.0, gain=0.25
    )  # fmt: skip
    hills = world.add_height_map(field, position=(1, 0, 0))  # world.addHeightMap(1.0, 0.0, properties);
    world.default_pair = tribo.PairProperties(friction=0.8, restitution=0.0)  # world.setDefaultMaterial(…);
    balls = []
    for x in range(-2, 3):
        z = hills.height(x - 1.0, 0.0)  # hills->getHeight(x, 0.0), there in the world's x
        ball = world.add_sphere(0.1, 1.0, position=(x, 0, z + 1.0))  # addSphere(0.1, 1.0), setPosition(…)
        ball.linear_damping = 0.5  # ball->setLinearDamping(0.5);
        balls.append(ball)
    world.step(2000)
    for ball in balls:
        x, y, z = ball.position  # ball->getPosition()
        assert z > hills.height(x - 1.0, y)
    hills.update(np.zeros((50, 50)))  # hills->update(centerX, centerY, sizeX, sizeY, heights);
    assert hills.height(0.0, 0.0) == 0.0
    print(f"five balls on hills between {field.heights.min():.2f} and {field.heights.max():.2f} m")


def newtons_cradle() -> None:
    """Swing the first of five balls on wires; without loss its height comes back."""
    world = tribo.World(time_step=1e-3)
    world.set_material_pair("steel", "steel", friction=0.0, restitution=1.0, restitution_threshold=0.0)
    world.impact = "propagate"  # blows are handed on from ball to ball
    balls = []
    for k in range(5):
        pin = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.3 * k, 0, 3))
        pin.body_type = "static"  # pin->setBodyType(raisim::BodyType::STATIC);
        pin.color = "red"  # pin->setAppearance("red");
        ball = world.add_sphere(0.1499, 0.8, "steel", position=(0.3 * k, 0, 1))
        world.add_wire(  # addStiffWire(pin, 0, {0, 0, 0}, ball, 0, {0, 0, 0}, 2.0)
            pin, ball, (0, 0, 0), (0, 0, 0), length=2.0
        )
        balls.append(ball)
    angle = 0.3
    balls[0].position = -2.0 * np.sin(angle), 0, 3.0 - 2.0 * np.cos(angle)  # ball->setPosition(…);
    begin = sum(ball.energy for ball in balls)  # ball->getEnergy(gravity)
    fastest = 0.0
    for _ in range(1200):
        world.step()
        fastest = max(fastest, float(balls[-1].linear_velocity[0]))  # getLinearVelocity()
    by_hand = np.sqrt(2.0 * 9.81 * 2.0 * (1.0 - np.cos(angle)))
    assert abs(sum(ball.energy for ball in balls) / begin - 1.0) < 1e-3
    assert abs(fastest / by_hand - 1.0) < 0.02
    print(f"the last ball leaves at {fastest:.3f} m/s, by hand {by_hand:.3f} m/s")


def springs_and_wires() -> None:
    """Hang balls on a compliant and a custom wire, and give a joint a spring."""
    world = tribo.World()
    ball = world.add_sphere(0.1, 2.0, position=(0, 0, 1))
    # world.addCompliantWire(…, 2.0, 500.0);
    soft = world.add_wire(None, ball, (0, 0, 3), length=2.0, stiffness=500.0, damping=40.0)
    other = world.add_sphere(0.1, 2.0, position=(1, 0, 1))
    # world.addCustomWire(…), wire->setTension(19.62);
    custom = world.add_wire(None, other, (1, 0, 3), tension=2.0 * 9.81)
    world.step(3000)
    assert abs(soft.stretch - 2.0 * 9.81 / 500.0) < 1e-4  # wire->getStretch()
    assert abs(other.linear_velocity[2]) < 1e-9  # its wire bears the weight
    assert custom.tension == 2.0 * 9.81

    lever = tribo.LinkDescription("base")
    lever.joint = tribo.JointDescription("world", "fixed")
    arm = lever.add_child("arm", "revolute", axis=(0, 0, 1))
    arm.add_shape("box", (0.4, 0.05, 0.05), mass=1.0)
    robot = world.add_articulated_system(lever, name="lever", position=(5, 0, 1))
    joint = robot.joint(robot.joint_names[0])
    joint.stiffness, joint.spring_reference = (20.0, 0.3)  # robot->addSpring({childBodyId, 20, q_ref})
    joint.damping = 1.0  # robot->setJointDamping(…)
    world.step(4000)
    assert abs(joint.coordinate - 0.3) < 1e-3  # robot->getJoint(name).getJointAngle()
    print(f"the wire stretches by {1e3 * soft.stretch:.2f} mm, the joint rests at {joint.coordinate:.4f} rad")


def ray_fan() -> None:
    """Look around with 90 rays."""
    world = tribo.World()
    world.add_ground()
    wall = world.add_box((0.2, 4, 2), 1.0, position=(3, 0, 1), body_type="static")
    eye = world.add_sphere(0.1, 1.0, position=(0, 0, 1))
    seen = 0
    for angle in np.linspace(-np.pi, np.pi, 90, endpoint=False):
        direction = np.cos(angle), np.sin(angle), 0.0
        hit = world.ray_test(eye.position, direction, 10.0, ignore=eye)  # world.rayTest(start, dir, 10., id)
        if hit is not None:  # if (collisions.size() > 0)
            assert hit.object is wall  # collisions[0].getObject()
            assert abs(hit.position[0] - 2.9) < 1e-9  # collisions[0].getPosition()
            seen += 1
    assert seen == int(np.arctan2(2.0, 2.9) / (2.0 * np.pi / 90.0)) * 2 + 1
    print(f"{seen} of 90 rays meet the wall")


robots_with_pd()
height_map()
newtons_cradle()
springs_and_wires()
ray_fan()
