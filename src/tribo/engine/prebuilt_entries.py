"""Contents of a prebuilt library: the functions that Python calls, each with its argument types.

`export` compiles them for these types and no others; a test finds missing ones.
"""

from __future__ import annotations

from typing import Any

from tribo.batch_kernels import copies
from tribo.compiler.signature import Array, boolean, float64, int64
from tribo.contact import position_pass
from tribo.contact.problem import scalar_rows
from tribo.contact.solver import natural_residual
from tribo.dynamics import inertia, kinematics
from tribo.engine.run_at import run_at
from tribo.ground_kernels import flow
from tribo.ground_kernels import records as ground
from tribo.model import Command, Model, Settings, State, Work
from tribo.probes import cast, near
from tribo.probes.records import Scene
from tribo.queries import (
    contacts,
    coriolis,
    forward,
    inverse,
    mass,
    momentum,
    passive,
    point,
    step_tangents,
    ways,
)
from tribo.queries.scratch import Scratch
from tribo.queries.tangents import Tangents

INTEGERS = Array(int64, 1)
LINE, TABLE, BLOCK, STACK = (Array(float64, n) for n in (1, 2, 3, 4))
TREE = (ground.Tree, ground.Scratch)
SEEN = (Model, State, Work, Scene)
RAYS = (TABLE, TABLE, float64, LINE, TABLE, INTEGERS)

ENTRIES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (run_at, (INTEGERS, INTEGERS, int64, int64, int64)),
    (copies.copy_worlds, (Array(int64, 2), INTEGERS, INTEGERS)),
    # -- queries about robots ----------------------------------------------------------------------
    (ways.lay_ways, (Model, Work)),
    (mass.mass_matrices, (Model, Work, TABLE, BLOCK)),
    (mass.solves, (Model, Work, TABLE, BLOCK, BLOCK)),
    (coriolis.coriolis_matrices, (Model, Settings, Work, Scratch, TABLE, TABLE, BLOCK)),
    (passive.passive_forces, (Model, Settings, Work, TABLE, TABLE, TABLE)),
    (inverse.inverse_dynamics, (Model, Settings, Work, TABLE, TABLE, TABLE, float64, TABLE)),
    (inverse.joint_reactions, (Model, Settings, Work, TABLE, TABLE, TABLE, BLOCK, TABLE, BLOCK)),
    (forward.forward_dynamics, (Model, Settings, Work, Scratch, TABLE, TABLE, TABLE, TABLE)),
    (momentum.totals, (Model, Settings, Work, TABLE, TABLE, TABLE)),
    (momentum.of_trees, (Model, Settings, Work, LINE, LINE, TABLE)),
    (momentum.centroidal_matrices, (Model, Work, TABLE, BLOCK)),
    (point.motions, (Model, Settings, Work, TABLE, TABLE, TABLE, int64, TABLE, TABLE)),
    (point.poses, (Model, Work, TABLE, BLOCK, BLOCK)),
    (point.velocities, (Model, Settings, Work, TABLE, TABLE, TABLE, BLOCK, BLOCK)),
    (point.jacobians, (Model, Work, TABLE, int64, TABLE, BLOCK)),
    (point.jacobian_rates, (Model, Settings, Work, Scratch, TABLE, TABLE, int64, TABLE, BLOCK)),
    (contacts.table_of_contacts, (Settings, Work, Array(int64, 2), float64, TABLE, Array(int64, 2))),
    (contacts.sum_contacts, (Settings, Work, int64, INTEGERS, TABLE, BLOCK)),
    (step_tangents.step_tangents, (Model, State, Command, Settings, Work, Tangents)),
    (step_tangents.motion_of_step, (Model, Settings, Work, Tangents)),
    # -- queries about shapes ----------------------------------------------------------------------
    (cast.closest, (*SEEN, boolean, *RAYS)),
    (cast.all_hits, (*SEEN, *RAYS)),
    (cast.closest_in_worlds, (*SEEN, int64, int64, BLOCK, BLOCK, float64, TABLE, BLOCK, Array(int64, 2))),
    (near.nearest, (*SEEN, INTEGERS, float64, LINE, INTEGERS)),
    (near.there, (*SEEN, LINE, LINE, boolean)),
    # -- the compliant ground ----------------------------------------------------------------------
    (flow.rate, (*TREE, LINE, LINE)),
    (flow.classify, (*TREE, LINE, INTEGERS)),
    (flow.state_margins, (*TREE, TABLE, TABLE)),
    (flow.observe, (*TREE, TABLE, Array(int64, 2), BLOCK, BLOCK, BLOCK)),
    (flow.energies, (*TREE, TABLE, TABLE)),
    (flow.write_poses, (*TREE, TABLE, BLOCK, STACK)),
    # -- kernels of read-outs ----------------------------------------------------------------------
    (kinematics.compute_poses, (Model, LINE, Work)),
    (inertia.compute_mass_matrix, (Model, Work)),
    (scalar_rows.constraint_of_row, (Model, Work, int64)),
    (position_pass.is_acting, (int64, float64)),
    (natural_residual.contact_violation, (Model, Work, int64)),
    (natural_residual.scalar_violation, (Model, Work, int64)),
)
