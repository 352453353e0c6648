"""PPO of Stable-Baselines3 keeps a pole up: any library that takes many worlds learns on `tribo.gym`."""

import sys

import numpy as np

from tribo.gym import VectorEnv, load

try:
    from stable_baselines3 import PPO
except ImportError:
    print("skipped: pip install stable-baselines3")
    sys.exit()

import torch

from tribo.gym.stable_baselines import StableBaselinesEnv

torch.set_num_threads(1)  # the network is small: threads that wait for one another slow all down
envs = StableBaselinesEnv(load("CartPole"), 64)
model = PPO(
    "MlpPolicy", envs, n_steps=32, batch_size=512, n_epochs=5, gae_lambda=0.95, learning_rate=1e-3,
    policy_kwargs={"log_std_init": -0.5}, seed=0, device="cpu",
)  # fmt: skip
model.learn(100_000)

test = VectorEnv(load("CartPole"), 16)
seen, _ = test.reset(seed=1000)
total, alive = np.zeros(16), np.ones(16, bool)
for _ in range(500):
    actions, _ = model.predict(seen.astype(np.float32), deterministic=True)
    seen, rewards, ended, _, _ = test.step(actions)
    total += rewards * alive
    alive &= ~ended
print(f"returns of 16 new episodes: {np.sort(total)[:4]} … {total.max()} of 500")
assert np.median(total) > 400.0
