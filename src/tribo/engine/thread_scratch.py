"""Scratch of many worlds: a table for each thread, but for what a world keeps after its step.

But for a few fields a step reads nothing in `Work` that it has not written, so worlds that are stepped one
after the other can use the same memory: it stays in the processor's cache, and a world needs a fifth of what
it would need with scratch of its own. A world keeps the fields that are read after a step, that say why it
stopped, and that the next step only amends.
"""

from __future__ import annotations

import numpy as np

from tribo.batch_kernels.records import Pilot
from tribo.model import Work

READ = frozenset(  # by `Batch` and its objects, after a step
    ("contact_count", "contact_shape", "contact_pos", "contact_axes", "contact_gap", "contact_impulse",
     "contact_spin_impulse", "contact_impact", "applied_torque", "residual", "sweeps", "mid_q")
)  # fmt: skip
STOPPED = frozenset(  # why a step stopped, for `Engine.grow`
    ("status", "lazy_wanted", "candidate_count", "row_count", "column_count", "dense_count",
     "node_count", "value_count", "friction_count")
)  # fmt: skip
AMENDED = frozenset(  # the order of the broadphase; who sleeps, and M of those who do
    ("sweep_order", "sweep_count", "sweep_is_listed", "tree_is_resting", "mass_factor", "dof_scale")
)
OF_WORLDS = READ | STOPPED | AMENDED


def allocate(sizes: dict[str, int], worlds: int) -> Work:
    """Return zeroed scratch for some worlds that are stepped in one thread."""
    alone = Work.allocate(sizes)
    arrays = {
        name: np.zeros((worlds, *array.shape[1:]), array.dtype) if name in OF_WORLDS else array
        for name, array in alone.arrays.items()
    }
    return Work.wrap(arrays)


def for_another_thread(work: Work) -> Work:
    """Return scratch that shares with `work` what belongs to worlds, and nothing else."""
    arrays = {
        name: array if name in OF_WORLDS else np.zeros_like(array) for name, array in work.arrays.items()
    }
    return Work.wrap(arrays)


def pilot_of_another_thread(pilot: Pilot) -> Pilot:
    """Return a policy that shares everything with another one but what its layers hold."""
    return Pilot.wrap({**pilot.arrays, "hidden": np.zeros_like(pilot.arrays["hidden"])})
