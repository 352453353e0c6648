"""A crate falls on soft ground in a world with fixed steps; beside it the same law with adaptive steps."""

import numpy as np

import tribo
from tribo.ground import Ground, check_step, rest_depth, simulate
from tribo.spatial import GroundContact, Model, floatbase, mcI

MASS, SIZE, GRAVITY = 2.0, np.array([0.4, 0.3, 0.2]), 9.81
K, D, MU = 1e5, 800.0, 0.3
HEIGHT, SPEED, END = 0.102, (1.0, 0.4, 0.0), 0.6

# In a world: one more pair of materials. Points are the crate's corners.
world = tribo.World(time_step=1e-3)
world.add_ground(material="soil")
world.set_material_pair("soil", "wood", friction=MU, stiffness=K, damping=D)
crate = world.add_box(SIZE, MASS, "wood", position=(0, 0, HEIGHT), linear_velocity=SPEED)
check_step(world.time_step, K, D, MASS, speed=0.2, points=4)  # warns if it were too long
times, depths, states = [], [], []
while world.time < END - 1e-9:
    world.step()
    times.append(world.time)
    depths.append(0.1 - crate.position[2])
    states.append([contact.state.name for contact in crate.contacts])

# The same by tribo.ground: all events located, error 1e-10.
corners = 0.5 * SIZE[:, None] * np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8)
inertia = MASS / 12 * np.diag((SIZE**2).sum() - SIZE**2)
model = Model([-1], ["R"], [np.eye(6)], [mcI(MASS, [0, 0, 0], inertia)], gc=GroundContact([0] * 8, corners))
start = [1, 0, 0, 0, 0, 0, HEIGHT, 0, 0, 0, *SPEED]
motion = simulate(floatbase(model), Ground(K, D, MU), END, xfb=start, method="DOP853", rtol=1e-10, atol=1e-12)
known = 0.1 - motion.at(np.array(times)).xfb[:, 6]

error = np.abs(np.array(depths) - known).max()
print(f"largest difference of depth in {END} s: {1e6 * error:.2f} µm of {1e3 * max(depths):.2f} mm")
print(f"at rest {1e3 * depths[-1]:.4f} mm deep, expected {1e3 * rest_depth(MASS * GRAVITY, K, 4):.4f} mm")
print(f"slid to x = {crate.position[0]:.4f} m, with adaptive steps {motion.xfb[-1, 4]:.4f} m")
print("corners at first contact:", next(s for s in states if s), "at the end:", states[-1])

try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture without matplotlib")
else:
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    fine = np.linspace(0, END, 3001)
    axes.plot(fine, 1e3 * (0.1 - motion.at(fine).xfb[:, 6]), color="tab:gray", label="adaptive steps, 1e-10")
    axes.plot(
        times[::4],
        1e3 * np.array(depths[::4]),
        ".",
        ms=4,
        color="tab:orange",
        label="world, every 4th step of 1 ms",
    )
    axes.axhline(1e3 * rest_depth(MASS * GRAVITY, K, 4), lw=0.8, ls=":", color="black", label="at rest")
    axes.set(xlabel="time [s]", ylabel="depth [mm]", title="A crate falls on soft ground")
    axes.legend()
    figure.savefig("soft_ground.png", dpi=110)

assert error < 0.02 * max(depths)
assert abs(depths[-1] / rest_depth(MASS * GRAVITY, K, 4) - 1.0) < 1e-3
assert states[-1] == ["STICKING"] * 4
assert abs(crate.position[0] - motion.xfb[-1, 4]) < 1e-4
