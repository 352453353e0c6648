"""The pieces into which the step is parted when it is compiled: kernels with which a piece begins.

LLVM leaves these as calls also when it has the step as a whole, because they are too large for their
callers. So a step in pieces has the same calls; but the pieces can be compiled side by side, and an edit
makes one or two of them anew. A missing line costs time while compiling, a superfluous one a call in a step.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from tribo.batch_kernels.records import Course, Motors, Pilot
from tribo.compiler.jit import backend
from tribo.compiler.signature import Field, boolean, float64, int64
from tribo.model import Command, Model, Settings, State, Work

# What `run_at` calls: with these, the whole step.
WHOLE = ("step.update", "step.advance", "batch_kernels.rollout.roll_out")
# Heads besides these, the largest pieces first.
_INNER = (
    "collision.narrowphase.find_contacts",
    "contact.stabilisation.velocity_scaling.slow_island",
    "contact.solver.island_solve.solve_island",
    "contact.solver.method_choice.solve_by_settings",
    "contact.solver.proximal_newton.solve_in_dofs",
    "contact.stabilisation.energy_limiter.limit_energy",
    "dynamics.integrate.next_positions",
    "collision.broadphase.find_candidates",
    "contact.constraints.projection_energy.conserve_energy",
    "contact.solver.proximal_step.run_round",
    "contact.problem.contact_rows.write_contact_rows",
    "collision.inner_edges.suppress_edges",
    "contact.impact.rebound_energy.limit_rebounds",
    "contact.impact.impact_split.split_tumbling",
    "contact.solver.proximal_matrix.solve_step",
    "dynamics.mid_velocity.judge_explicit",
    "contact.stabilisation.bias_iteration.update_tree_bias",
    "dynamics.mid_velocity.iterate_tree_bias",
    "collision.box_box.box_box",
    "contact.solver.gauss_seidel_iteration.sweep_contact",
    "contact.problem.scalar_rows.close_row",
    "contact.solver.residual_report.report_residual",
    "contact.problem.contact_drift.point_drift",
    "contact.sleep.wake_trees",
    "contact.problem.compliant_rows.set_compliance",
    "dynamics.actuation.collect_forces",
    "dynamics.integrate.next_velocity",
    "contact.solver.island_solve.warm_start",
    "contact.problem.joint_limit_rows.add_joint_stops",
    "contact.stabilisation.bias_iteration.check_substeps",
    "dynamics.inertia.factorize_one_tree",
    "dynamics.momentum.tree_motion",
    "contact.sleep.fall_asleep",
    "contact.solver.natural_residual.contact_violation",
    "dynamics.momentum.set_momentum_targets",
    "contact.problem.joint_friction_rows.write_joint_rows",
    "contact.problem.box_friction_rows.open_direction_row",
    "contact.stabilisation.group_momentum.set_group_momenta",
    "dynamics.bias.compute_tree_bias",
)
HEADS = (*_INNER, *WHOLE)  # in the order in which they are typed: callers by and by
# In the order in which they become machine code: the largest first, but what is typed last not at once.
PIECES = (*_INNER[:8], *WHOLE, *_INNER[8:])

# What kernels call their parameters, and what these are (docs/develop/kernels.md).
_RECORDS = {
    "model": Model, "state": State, "command": Command, "settings": Settings, "work": Work,
    "gear": Motors, "course": Course, "pilot": Pilot,
}  # fmt: skip
_FIELDS = {"q", "v"}
_WHOLE_NUMBERS = {"rows", "count", "begin", "end", "first", "last"}  # and all of one letter


def kernel(name: str) -> Any:
    """Return a kernel by its name within the package."""
    module, function = name.rsplit(".", 1)
    return getattr(importlib.import_module(f"tribo.{module}"), function)


def _kind(parameter: str) -> Any:
    """Return what a parameter is, told by its name."""
    if parameter in _RECORDS:
        return _RECORDS[parameter]
    if parameter in _FIELDS:
        return Field(float64, 1)
    if parameter.startswith("is_"):
        return boolean
    return int64 if len(parameter) == 1 or parameter in _WHOLE_NUMBERS else float64


def arguments(name: str) -> tuple[Any, ...] | None:
    """Return the arguments of a kernel as `backend.numba_type` takes them, told by their names.

    None: it begins with no record. Processes that compile side by side begin with kernels of which
    arguments can be told before a caller was typed. If that is wrong they do in vain what nobody asks for
    and no harm: what is compiled for a step is found by its callers.
    """
    names = list(inspect.signature(kernel(name).py_func).parameters)
    return tuple(map(_kind, names)) if names[0] in _RECORDS else None


def compile_kernel(name: str) -> Any:
    """Type and lower a kernel and all that it calls, or find it; return its code.

    Raises:
        Exception: Arguments of this type do not fit it.
    """
    inner, types = kernel(name).dispatcher, _types(name)
    inner.compile(types)
    return inner.overloads[types].library


def is_taken(name: str) -> bool:
    """Tell whether a process that compiles beside this one has a kernel, or had it."""
    found: bool = kernel(name).dispatcher.cache.is_taken(_types(name))
    return found


def _types(name: str) -> tuple[Any, ...]:
    return tuple(map(backend().numba_type, arguments(name) or ()))


def fields() -> list[tuple[str, int, Any]]:
    """Return the fields of the records of a step: record, number, and name, type and shape."""
    return [(r.__qualname__, k, row) for r in _RECORDS.values() for k, row in enumerate(r.layout)]


def roots() -> list[Any]:
    """Return the code of what the step consists of, typed and lowered."""
    return [compile_kernel(name) for name in WHOLE]


def parts() -> Any:
    """Return how the step is parted."""
    from tribo.compiler.linking import Units

    return Units(f"tribo.{name}" for name in HEADS)
