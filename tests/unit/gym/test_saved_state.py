"""States of environments from files: what is damaged is refused before compiled code runs through it."""

import copy

import numpy as np
import pytest

from tribo.gym import VectorEnv, load, randomisation


def walkers():
    """Two quadrupeds with motors, masses and friction of their own."""
    task = load("Quadruped")
    task.randomisations["mass"] = randomisation.mass("dog", "trunk", 0.9, 1.1)
    task.randomisations["friction"] = randomisation.friction("floor", "rubber", 0.3, 1.2)
    task.randomisations["motors"] = randomisation.motors("dog", delay=(0.002, 0.02))
    return VectorEnv(task, 2, threads=1)


@pytest.fixture(scope="module")
def saved():
    envs = walkers()
    envs.reset(seed=0)
    for _ in range(3):
        envs.step(np.zeros(envs.action_space.shape))
    return envs.state()


SPOILT = {
    "coordinate of a motor": ("motors", "dof_q", lambda a: a * 0 + 1_000_000, "dof_q"),
    "more motors than dofs": ("motors", "dof_q", lambda a: np.tile(a, 2), "dof_q"),
    "late command": ("motors", "delay", lambda a: a * 0 + 1_000_000, "delay"),
    "commands under way": ("motors", "sent_count", lambda a: a - 1000, "sent_count"),
    "a lag that is none": ("motors", "lag", lambda a: a * np.nan, "lag"),
    "no world": ("motors", "stall", lambda a: a[:0], "stall"),
    "whole masses": ("model", "body_mass", lambda a: a.astype(int), "body_mass"),
    "masses of one world": ("model", "body_mass", lambda a: a[:1], "body_mass"),
    "masses that are none": ("model", "body_mass", lambda a: a * np.nan, "body_mass"),
    "command": ("memory", "command", lambda a: a[:, :1], "command"),
    "phase": ("memory", "phase", lambda a: a.astype(int), "phase"),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_damaged_state_is_refused(saved, case):
    """The second of these ended the process, others read and wrote beside their tables."""
    part, field, spoil, words = SPOILT[case]
    damaged = copy.deepcopy(saved)
    place = damaged["simulation"][part]
    place[field] = spoil(place[field])
    envs = walkers()
    envs.reset(seed=1)
    with pytest.raises((TypeError, ValueError), match=words):
        envs.set_state(damaged)
    envs.step(np.zeros(envs.action_space.shape))


@pytest.mark.parametrize("field", ["body_parent", "lazy_address", "nothing"])
def test_fields_of_the_model_that_no_change_sets_are_refused(saved, field):
    """Parents of bodies are numbers of bodies: whatever else stood there was used as one."""
    damaged, envs = copy.deepcopy(saved), walkers()
    model = envs.simulation.world.engine.model.arrays
    like = model.get(field, np.zeros((1, 3)))
    damaged["simulation"]["model"][field] = np.repeat(like, 2, axis=0) + 1
    with pytest.raises(ValueError, match=field):
        envs.set_state(damaged)


def test_what_is_no_state_is_refused(saved):
    envs = walkers()
    for wrong in (None, {}, {"simulation": {}}, {**saved, "simulation": {}}, {**saved, "ended": np.zeros(3)}):
        with pytest.raises((TypeError, ValueError), match="state"):
            envs.set_state(wrong)
    with pytest.raises(ValueError, match="worlds"):
        VectorEnv(envs.task, 3, threads=1).simulation.set_state(saved["simulation"])
