"""The units into which the step is split for compilation: kernels with which a unit begins.

LLVM does not inline these into the whole step either, because they are too large for their callers. So a step
in units has the same calls; but units can be compiled side by side, and an edit recompiles only one or two. A
missing line costs compile time, a superfluous one a call in a step.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from tribo.batch_kernels.records import Course, Motors, Pilot
from tribo.compiler.jit import backend
from tribo.compiler.signature import Field, boolean, float64, int64
from tribo.model import Command, Model, Settings, State, Work

# The callees of `run_at`: together the whole step.
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
    "contact.stabilisation.projection_energy.conserve_energy",
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
HEADS = (*_INNER, *WHOLE)  # in the order of typing: the whole step last
# In the order of code generation: the largest first, but those that are typed last not at once.
PIECES = (*_INNER[:8], *WHOLE, *_INNER[8:])

# Names of parameters of kernels, and their types (docs/develop/kernels.md).
_RECORDS = {
    "model": Model, "state": State, "command": Command, "settings": Settings, "work": Work,
    "gear": Motors, "course": Course, "pilot": Pilot,
}  # fmt: skip
_FIELDS = {"q", "v"}
_WHOLE_NUMBERS = {"rows", "count", "begin", "end", "first", "last"}  # and all single letters


def kernel(name: str) -> Any:
    """Return a kernel by its name within the package."""
    module, function = name.rsplit(".", 1)
    return getattr(importlib.import_module(f"tribo.{module}"), function)


def _kind(parameter: str) -> Any:
    """Return the type of a parameter by its name."""
    if parameter in _RECORDS:
        return _RECORDS[parameter]
    if parameter in _FIELDS:
        return Field(float64, 1)
    if parameter.startswith("is_"):
        return boolean
    return int64 if len(parameter) == 1 or parameter in _WHOLE_NUMBERS else float64


def arguments(name: str) -> tuple[Any, ...] | None:
    """Return the argument types of a kernel, by their names, as `backend.numba_type` takes them.

    None: its first parameter is no record. Processes that compile side by side begin with kernels whose
    argument types are known before a caller is typed. A wrong guess only wastes time: the step finds its code
    by the types of its callers.
    """
    names = list(inspect.signature(kernel(name).py_func).parameters)
    return tuple(map(_kind, names)) if names[0] in _RECORDS else None


def compile_kernel(name: str) -> Any:
    """Type and lower a kernel and its callees, or load it; return its code.

    Raises:
        Exception: The arguments do not fit.
    """
    inner, types = kernel(name).dispatcher, _types(name)
    inner.compile(types)
    return inner.overloads[types].library


def is_taken(name: str) -> bool:
    """Tell whether another compiling process has, or had, a kernel."""
    found: bool = kernel(name).dispatcher.cache.is_taken(_types(name))
    return found


def _types(name: str) -> tuple[Any, ...]:
    return tuple(map(backend().numba_type, arguments(name) or ()))


def fields() -> list[tuple[str, int, Any]]:
    """Return the fields of the records of a step: record, number, and name, type and shape."""
    return [(r.__qualname__, k, row) for r in _RECORDS.values() for k, row in enumerate(r.layout)]


def roots() -> list[Any]:
    """Return the code of the parts of the step, typed and lowered."""
    return [compile_kernel(name) for name in WHOLE]


def parts() -> Any:
    """Return the units of the step."""
    from tribo.compiler.linking import Units

    return Units(f"tribo.{name}" for name in HEADS)
