"""Scratch of many worlds: one table per thread, except fields that a world keeps after its step.

With few exceptions a step reads nothing in `Work` that it has not written, so worlds that are stepped one
after the other can share memory: it stays in the processor's cache, and a world needs a fifth of the memory
of its own scratch. A world keeps fields that are read after a step, that say why it stopped, and that the
next step amends. `separation` is read, and shared: its rows are proofs, in whatever world they were found.
"""

from __future__ import annotations

import numpy as np

from tribo.batch_kernels.records import Pilot
from tribo.model import Work

READ = frozenset(  # read by `Batch` and its objects after a step
    ("contact_count", "contact_shape", "contact_pos", "contact_axes", "contact_gap", "contact_impulse",
     "contact_spin_impulse", "contact_impact", "applied_torque", "residual", "sweeps", "mid_q")
)  # fmt: skip
STOPPED = frozenset(  # reasons why a step stopped, for `Engine.grow`
    ("status", "lazy_wanted", "candidate_count", "row_count", "column_count", "dense_count",
     "node_count", "value_count", "friction_count")
)  # fmt: skip
AMENDED = frozenset(  # sweep order; sleeping trees, and their M
    ("sweep_order", "sweep_count", "sweep_is_listed", "tree_is_resting", "mass_factor", "dof_scale")
)
OF_WORLDS = READ | STOPPED | AMENDED


def allocate(sizes: dict[str, int], worlds: int) -> Work:
    """Return zeroed scratch for worlds that are stepped in one thread."""
    alone = Work.allocate(sizes)
    arrays = {
        name: np.zeros((worlds, *array.shape[1:]), array.dtype) if name in OF_WORLDS else array
        for name, array in alone.arrays.items()
    }
    return Work.wrap(arrays)


def for_another_thread(work: Work) -> Work:
    """Return scratch that shares the fields of worlds with `work`, and nothing else."""
    arrays = {
        name: array if name in OF_WORLDS else np.zeros_like(array) for name, array in work.arrays.items()
    }
    return Work.wrap(arrays)


def pilot_of_another_thread(pilot: Pilot) -> Pilot:
    """Return a policy that shares everything with another one except the activations of its layers."""
    return Pilot.wrap({**pilot.arrays, "hidden": np.zeros_like(pilot.arrays["hidden"])})
