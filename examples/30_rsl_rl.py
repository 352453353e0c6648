"""The quadruped with PPO of rsl_rl: some updates, far too few to walk, and the command that goes on."""

import sys

import numpy as np

from tribo.gym import load

try:
    from rsl_rl.runners import OnPolicyRunner
except ImportError:
    print("skipped: pip install rsl-rl-lib")
    sys.exit()

import torch

from tribo.gym.rsl_rl import RslRlEnv

WORLDS, UPDATES = 64, int(sys.argv[1]) if len(sys.argv) > 1 else 6

network = {"class_name": "MLPModel", "hidden_dims": [128, 64], "activation": "elu",
           "obs_normalization": True}  # fmt: skip
settings = {
    "num_steps_per_env": 24, "save_interval": 50, "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
    "actor": {**network, "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 0.3}},
    "critic": network,
    "algorithm": {
        "class_name": "PPO", "num_learning_epochs": 5, "num_mini_batches": 4, "learning_rate": 1e-3,
        "schedule": "adaptive", "desired_kl": 0.01, "gamma": 0.99, "lam": 0.95, "entropy_coef": 0.0,
    },
}  # fmt: skip
torch.set_num_threads(1)  # the networks are small
torch.manual_seed(0)
envs = RslRlEnv(load("Quadruped"), WORLDS, seed=0)
runner = OnPolicyRunner(envs, settings, device="cpu")
runner.learn(UPDATES, init_at_random_ep_len=True)

policy = runner.get_inference_policy("cpu")
with torch.inference_mode():
    actions = policy(envs.get_observations())
print("actions", tuple(actions.shape), "samples", WORLDS * 24 * UPDATES)
assert actions.shape == (WORLDS, 12)
assert np.isfinite(actions.numpy()).all()
