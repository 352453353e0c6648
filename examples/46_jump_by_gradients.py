"""A leg jumps to a height: gradients through stance, lift-off and flight, by all of its forces."""

import numpy as np

import tribo

HEIGHT, CONTROLS, PUSHES = 0.3, 30, 20  # [m] of the trunk after 30 controls of 0.01 s
world = tribo.World(time_step=0.001)
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
robot.set_state([0.2, 0.17], [0.0, 0.0])  # the foot touches the floor
robot.set_pd_gains([0.0, 300.0], [0.0, 10.0])  # a spring in the leg, which takes the foot along
robot.pd_target = [0.0, 0.17]
weight = 2.0 * 9.81
function = tribo.control.RolloutFunction(world, forces={"hopper": ["leg"]}, steps_per_control=10)

force = np.full((1, CONTROLS, 1), weight)
force[0, PUSHES:] = 0.0  # 0.2 s of pushing, then the spring alone
for round_ in range(30):
    ways = function.run(force)
    height = ways.coordinate("hopper")[0, -1, 0]
    miss = height - HEIGHT
    print(f"round {round_}: {height:.6f} m, at most {force.max():.1f} N")
    if abs(miss) < 1e-6:
        break
    last = np.zeros((CONTROLS, 2))
    last[-1, 0] = 1.0
    slope = np.array(ways.vjp(coordinate=last).commands)
    slope[0, PUSHES:] = 0.0
    change = -miss / (slope**2).sum() * slope  # the least that should do, to first order
    force += change * min(1.0, 10.0 / np.abs(change).max())

foot = height - ways.coordinate("hopper")[0, -1, 1] - 0.03
print(f"the foot is {foot:.3f} m above the floor; differences in {ways.obstacles or 'no step'}")
assert abs(miss) < 1e-6
assert foot > 0.05
