"""A leg jumps to a height and lands on its foot again: iLQR through stance, lift-off, flight and landing."""

import numpy as np

import tribo

DT, STEPS = 0.005, 120
HEIGHT, APEX = 0.35, 60  # [m] of the trunk after so many steps
world = tribo.World(time_step=DT)
world.integrator = "semi_implicit"
world.erp = 1.0
world.add_ground(material="floor")
world.set_material_pair("floor", "foot", friction=0.8, restitution=0.0)
rail = tribo.LinkDescription("rail")
rail.fix_to_world()
trunk = rail.add_child("trunk", "prismatic", axis=(0, 0, 1), joint_name="height")
trunk.add_shape("box", (0.2, 0.1, 0.1), mass=2.0, collides=False)
leg = trunk.add_child("leg", "prismatic", axis=(0, 0, -1), joint_name="leg")
leg.add_shape("sphere", (0.03,), mass=0.2, material="foot")
robot = world.add_articulated_system(rail, name="hopper")
robot.set_pd_gains([0.0, 300.0], [0.0, 10.0])  # a spring in the leg, which takes the foot along
robot.pd_target = [0.0, 0.17]
robot.generalized_coordinate = [0.2, 0.17]  # height, length of the leg

goal = np.array([0.2, 0.17, 0.0, 0.0])  # it stands again
top = np.array([HEIGHT, 0.17, 0.0, 0.0])
ON_WAY = np.diag([0.0, 60.0, 0.0, 0.01]) * DT
AT_END, AT_TOP = np.diag([400.0, 400.0, 4.0, 4.0]), np.diag([4000.0, 40.0, 4.0, 0.4])
weight = 2.0 * 9.81


def cost(k, q, v):
    """Return cost, slope and bend of a state."""
    stiff = {APEX: AT_TOP, STEPS: AT_END}.get(k, ON_WAY)
    miss = np.concatenate([q, v]) - (top if k == APEX else goal)
    return 0.5 * miss @ stiff @ miss, stiff @ miss, stiff


forces = np.full((STEPS, 1), weight)
forces[15:35] = 80.0  # a push that leaves the floor: from standing there is no slope towards a jump
plan = tribo.control.ilqr(
    world, cost, forces, effort=2e-4 * DT, rest=weight, lower=-150.0, upper=150.0,
    forces={"hopper": ["leg"]}, rounds=200, threads=1,
)  # fmt: skip
foot = plan.q[:, 0] - plan.q[:, 1] - 0.03
for command in plan.commands:
    robot.joint("leg").generalized_force = command[0]
    world.step()
end = np.concatenate([robot.generalized_coordinate, robot.generalized_velocity])
print(f"{plan}: trunk at {plan.q[APEX][0]:.4f} m, foot {foot.max():.3f} m above")
print(f"it ends at {end}, forces {plan.commands.min():.0f} to {plan.commands.max():.0f} N")
print("steps that were differenced:", dict(plan.obstacles))
assert abs(plan.q[APEX][0] - HEIGHT) < 0.005
assert foot.max() > 0.05
assert np.abs(end[:2] - goal[:2]).max() < 0.02
assert np.abs(end[2:]).max() < 0.1
