"""HalfCheetah: a robot of seven links in the plane that shall run; Gymnasium's "HalfCheetah-v5".

Source: Wawrzyński, "A cat-like robot real-time learning to run", 2009.
"""

from __future__ import annotations

from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import control_cost, planar, velocity


def task() -> Task:
    """Return the task: 1000 control steps of 50 ms."""
    made = planar("HalfCheetah", "half_cheetah.xml", 5, 0.1, 0.1, normal=True)
    made.observations["velocity"] = velocity
    made.rewards["ctrl"] = -0.1, control_cost
    return made
