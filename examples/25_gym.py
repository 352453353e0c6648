"""64 poles on carts as a Gymnasium environment: a linear law keeps them up, however heavy they are."""

import numpy as np

from tribo.gym import Env, VectorEnv, load, randomisation


def law(seen):
    """Return the force of a linear feedback, (worlds, 1); seen: position, angle and their speeds."""
    return (0.1 * seen[:, :1] + 4.0 * seen[:, 1:2] + 0.2 * seen[:, 2:3] + 0.8 * seen[:, 3:]).clip(-1, 1)


task = load("CartPole")
task.randomisations["mass of the pole"] = randomisation.mass("cart_pole", "pole", 0.5, 4.0)
task.noise["state"] = 0.002

envs = VectorEnv(task, num_envs=64)
seen, _ = envs.reset(seed=10)
series, total = [seen[7]], np.zeros(64)
for _ in range(500):
    seen, rewards, ended, cut, _ = envs.step(law(seen))
    series.append(seen[7])
    total += rewards
masses = np.array(envs.simulation.object("cart_pole").link("pole").mass)
print(f"{len(masses)} poles of {masses.min():.3f} … {masses.max():.3f} kg, returns {total.min()} or more")
assert (total == 500.0).all()
assert cut.all()

# World 7 did what one environment with its seed does, bit for bit.
env = Env(task)
alone, _ = env.reset(seed=10 + 7)
for expected in series[:-1]:
    assert np.array_equal(alone, expected)
    alone, *_ = env.step(law(alone[None])[0])
