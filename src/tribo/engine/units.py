"""The pieces into which the step is parted when it is compiled: kernels with which a piece begins.

LLVM leaves these as calls also when it has the step as a whole, because they are too large for their
callers. So a step in pieces has the same calls; but the pieces can be compiled side by side, and an edit
makes one or two of them anew. What is missing here costs time while compiling, what is superfluous costs a
call in a step.
"""

from __future__ import annotations

import importlib
from typing import Any

from tribo.batch_kernels.records import Course, Motors
from tribo.compiler.jit import backend
from tribo.compiler.signature import boolean, float64, int64
from tribo.model import Command, Model, Settings, State, Work

_KINDS: dict[str, Any] = {
    "Model": Model, "State": State, "Command": Command, "Settings": Settings, "Work": Work,
    "Motors": Motors, "Course": Course, "int64": int64, "float64": float64, "bool": boolean,
}  # fmt: skip
# Heads, and their arguments where these are records and numbers: such kernels are given to processes that
# compile side by side, in this order; the others these come by.
HEADS = {
    "collision.narrowphase.contacts": "Model State Settings Work",
    "contact.stabilisation.velocity_scaling.slow": "Model State Settings Work int64 float64",
    "contact.solver.gauss_seidel.solve_island": "Model Settings Work int64 int64",
    "contact.solver.strategy.solve_as_set": "Model Settings Work int64 int64",
    "contact.solver.newton.descend": "",
    "contact.stabilisation.energy_limiter.limit": "Model State Settings Work",
    "dynamics.integrate.integrate": "Model State Settings Work",
    "collision.broadphase.candidates": "Model State Settings Work",
    "contact.constraints.projection_energy.keep_energy": "Model State Settings Work",
    "contact.solver.dense_island.solve_exactly": "Model Work int64 float64",
    "contact.problem.contact_rows.contact_rows": "Model State Work",
    "collision.inner_edges.suppress": "Model State Work",
    "contact.constraints.velocity_bound.bound": "Model Settings Work int64 int64 bool",
    "contact.impact.rebound_energy.bound": "Model Settings Work",
    "contact.impact.impact_split.meet": "Model State Settings Work int64",
    "contact.solver.newton.newton": "",
    "dynamics.middle.judge_explicit": "Model State Settings Work int64",
    "contact.stabilisation.substeps.note": "Model State Command Settings Work int64 bool",
    "dynamics.middle.settle_tree": "Model State Command Settings Work int64",
    "collision.box_box.box_box": "",
    "contact.solver.gauss_seidel_visits.sweep_contact": "Model Work int64",
    "contact.problem.scalar_rows.close_row": "Model State Work int64 float64 float64 float64 float64",
    "contact.solver.residual_report.report": "Model Settings Work",
    "contact.problem.contact_drift.bend": "Model State Settings Work int64",
    "contact.sleep.wake": "Model State Settings Work",
    "contact.problem.compliant_rows.compliance": "Model State Settings Work",
    "dynamics.actuation.collect": "Model Command Settings Work int64",
    "dynamics.integrate.next_velocity": "Model State Work",
    "contact.solver.gauss_seidel.warm_start": "Model State Settings Work",
    "contact.problem.joint_limit_rows.stops": "Model State Settings Work int64",
    "contact.stabilisation.substeps.judge": "Model State Settings Work int64",
    "dynamics.inertia.factorize_moved": "Model Work int64",
    "dynamics.momentum.tree_motion": "",
    "contact.sleep.fall_asleep": "Model State Command Settings Work",
    "contact.solver.natural_residual.contact_violation": "Model Work int64",
    "dynamics.momentum.momenta": "Model State Settings Work",
    "contact.problem.joint_friction_rows.joint_rows": "Model State Settings Work int64",
    "contact.problem.box_friction_rows.add_row": "Model State Settings Work int64 int64 float64",
    "contact.stabilisation.group_momentum.agree": "",
    "dynamics.bias.tree_bias": "",
    "step.update": "Model State Settings Work",
    "step.advance": "Model State Command Settings Work",
}


def kernel(name: str) -> Any:
    """Return a kernel by its name within the package."""
    module, function = name.rsplit(".", 1)
    return getattr(importlib.import_module(f"tribo.{module}"), function)


def arguments(kinds: str) -> tuple[Any, ...]:
    """Return arguments as `backend.numba_type` takes them."""
    return tuple(_KINDS[kind] for kind in kinds.split())


# What the step as Python calls it consists of.
WHOLE = {
    "step.update": HEADS["step.update"],
    "step.advance": HEADS["step.advance"],
    "batch_kernels.rollout.go": "Motors Course Model State Command Settings Work int64 bool",
}


def fields() -> list[tuple[str, int, Any]]:
    """Return the fields of the records of a step: record, number, and name, type and shape."""
    records = [kind for kind in _KINDS.values() if hasattr(kind, "layout")]
    return [(r.__qualname__, k, row) for r in records for k, row in enumerate(r.layout)]


def roots() -> list[Any]:
    """Return the code of what the step consists of, typed and lowered."""
    numba_type = backend().numba_type
    found = []
    for name, kinds in WHOLE.items():
        inner, types = kernel(name).dispatcher, tuple(map(numba_type, arguments(kinds)))
        inner.compile(types)
        found.append(inner.overloads[types].library)
    return found


def parts() -> Any:
    """Return how the step is parted."""
    from tribo.compiler.linking import Units

    return Units(f"tribo.{name}" for name in HEADS)
