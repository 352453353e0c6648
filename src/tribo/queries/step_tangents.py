"""Derivatives of one step by coordinates, velocities and joint forces, from what the step has left in `Work`.

The step has found v⁺ and λ with

    M̂ (v⁺ − v) + dt (h(q_m, v̄) − τ) − Jᵀ λ = 0   and the laws of the rows that act,

so the implicit function theorem gives δv⁺ and δλ: one linear system, with a column for each input. A point
that sticks has J_t v⁺ + β = 0, one that slips λ_t + μ λ_n w/‖w‖ = 0, each that presses J_n v⁺ = its target.
Anything that acts besides is an obstacle: then there is no answer. Equation of motion, rows and the way
are evaluated at the step's own numbers, so that a stage that is not thought of here is an obstacle, too.
Source: implicit function theorem on the active set, Robinson 1980, "Strongly regular generalized equations".
"""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.lanes import load4, store4
from tribo.dynamics import inertia, kinematics
from tribo.model import Joint
from tribo.queries.active_rows import (
    check_contact,
    check_open,
    choose_contacts,
    choose_scalars,
    take_scalar,
)
from tribo.queries.contact_row_tangents import bend_slip, take_contact
from tribo.queries.force_tangents import take_forces, take_masses, take_wrenches
from tribo.queries.single_tangents import single_axes, take_singles
from tribo.queries.step_checks import check_motion, check_trees, check_way
from tribo.queries.tangents import (
    COLUMNS,
    CONTACTS,
    OBSTACLE,
    REDUNDANT,
    ROWS,
    SCALARS,
    SIDES,
    Obstacle,
    filled_up,
    object_to,
)
from tribo.queries.tree_tangents import (
    collect_bodies,
    differentiate_dofs,
    drift_tangents,
    inverse_dynamics_tangents,
    move_bodies,
)

ROOM = int(Obstacle.ROOM)
SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)
REDUNDANT_PIVOT = 1e-10  # [kg, –] largest number left of a row that says nothing new


@entry
def step_tangents(model, state, command, settings, work, tangents):
    """Write derivatives of the step that was made last; `Tangents.counts` says where there are none, and why.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    for k in range(tangents.counts.shape[0]):
        tangents.counts[k] = 0
    check_trees(model, state, command, settings, work, tangents)
    if work.contact_count[0] + work.scalar_count[0] > tangents.contact.shape[0]:
        object_to(tangents, ROOM, 0)
        tangents.counts[ROWS] = n + 3 * work.contact_count[0] + work.scalar_count[0]
        return
    kinematics.forward(model, work.mid_q, work)
    single_axes(model, work)
    inertia_of_trees(model, work)
    check_way(model, state, settings, work, tangents)
    choose_contacts(model, settings, work, tangents)
    choose_scalars(model, settings, work, tangents)
    contacts, scalars = tangents.counts[CONTACTS], tangents.counts[SCALARS]
    rows = n + 3 * contacts + scalars
    at_q = filled_up(rows)
    columns = filled_up(at_q + 4 * n + contacts)
    tangents.counts[ROWS] = rows
    tangents.counts[COLUMNS] = columns
    if rows > tangents.system.shape[0] or columns > tangents.system.shape[1]:
        tangents.counts[OBSTACLE] = ROOM
        return
    if tangents.counts[OBSTACLE] != 0:
        return
    clear_system(tangents, rows, columns)
    for k in range(n):
        tangents.vdot[k] = (work.next_v[k] - tangents.start_v[k]) / settings.dt
    move_bodies(model, settings, work, tangents)
    collect_bodies(model, work, tangents)
    differentiate_dofs(model, work, tangents)
    drift_tangents(model, state, settings, work, tangents)
    inverse_dynamics_tangents(model, settings, work, tangents, at_q, at_q + 2 * n)
    take_singles(model, settings, work, tangents, at_q, at_q + n)
    take_forces(model, command, settings, work, tangents, at_q, at_q + n, at_q + 3 * n)
    take_masses(model, tangents, at_q + n)
    take_wrenches(model, settings, work, tangents, at_q)
    for m in range(contacts):
        take_contact(model, settings, work, tangents, m, n + 3 * m)
        check_contact(model, settings, work, tangents, m, n + 3 * m)
        tangents.system[n + 3 * m + 2, at_q + 4 * n + m] = 1.0
    for m in range(scalars):
        take_scalar(model, tangents, m, n + 3 * contacts + m, at_q)
    check_motion(model, settings, work, tangents)
    check_open(model, work, tangents)
    for m in range(contacts):
        if tangents.slips[m] == 1:
            bend_slip(model, work, tangents, m, n + 3 * m)
    if tangents.counts[OBSTACLE] != 0:
        return
    eliminate(tangents, rows, columns)
    compose(model, tangents, tangents.grown, 1.0)
    for m in range(contacts):
        if tangents.gap_slope[m, 0] != tangents.gap_slope[m, 1]:
            tangents.counts[SIDES] = 1
    if tangents.counts[SIDES] == 1:
        compose(model, tangents, tangents.fallen, -1.0)
    if tangents.counts[REDUNDANT] > 0:
        compose_lack(model, tangents)


@kernel
def inertia_of_trees(model, work):
    """Write the inertias of all bodies in world axes.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        inertia.body_inertias(model, work, model.tree_body[t], model.tree_body_count[t])


@kernel
def clear_system(tangents, rows, columns):
    """Write zeros into the system.

    Writes: tangents.
    """
    for r in range(rows):
        for k in range(columns):
            tangents.system[r, k] = 0.0
            tangents.lack[r, k] = 0.0


@kernel
def eliminate(tangents, rows, columns):
    """Solve the system in place, by elimination with the largest pivot of a column.

    A row of which nothing is left says nothing new: its impulse does not change, and what it asks for besides
    stays in `lack`.

    Writes: tangents.
    """
    a = tangents.system
    width = a.shape[1]
    inputs = filled_up(rows)
    tangents.counts[REDUNDANT] = 0
    for r in range(rows):
        tangents.order[r] = r
    for p in range(rows):
        best, at = 0.0, p
        for r in range(p, rows):
            x = abs(a[tangents.order[r], p])
            if x > best:
                best, at = x, r
        row = tangents.order[at]
        tangents.order[at] = tangents.order[p]
        tangents.order[p] = row
        if not best > REDUNDANT_PIVOT:
            tangents.counts[REDUNDANT] += 1
            for k in range(inputs, columns):
                tangents.lack[p, k] = a[row, k]
            for k in range(columns):
                a[row, k] = 0.0
            a[row, p] = 1.0
            continue
        inverse = 1.0 / a[row, p]
        first = 4 * (p // 4)
        for r in range(p + 1, rows):
            there = tangents.order[r]
            x = a[there, p] * inverse
            if x == 0.0:
                continue
            i, j = row * width, there * width
            for k in range(first, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    for p in range(rows - 1, -1, -1):
        row = tangents.order[p]
        inverse = 1.0 / a[row, p]
        i = row * width
        for k in range(inputs, columns, 4):
            store4(a, i + k, load4(a, i + k) * inverse)
        for r in range(p):
            there = tangents.order[r]
            x = a[there, p]
            if x == 0.0:
                continue
            j = there * width
            for k in range(inputs, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    for p in range(rows):
        i, j = tangents.order[p] * width, p * width
        for k in range(inputs, columns, 4):
            store4(tangents.answer, j + k, load4(a, i + k))


@kernel
def first_of_block(model, j):
    """Return the first dof of those that turn together with dof j, and how many they are."""
    body = model.dof_body[j]
    joint = model.joint_type[body]
    first = model.joint_v[body]
    if joint == FREE:
        first += 3
    elif joint != SPHERICAL:
        return j, 1
    return (first, 3) if j >= first else (j, 1)


@kernel
def compose(model, tangents, out, sign):
    """Put together δq⁺, δv⁺ and δλ by δq, δv and δτ, as these grow (sign 1) or fall (−1).

    δq_m goes with δq and δv, and a gap has one slope where it opens and another where it closes.

    Writes: out.
    """
    n = model.dof_body.shape[0]
    rows, contacts = tangents.counts[ROWS], tangents.counts[CONTACTS]
    at_q = filled_up(rows)
    for column in range(3 * n):
        for r in range(n + rows):
            out[r, column] = 0.0
    for j in range(n):
        first, size = first_of_block(model, j)
        for r in range(rows):
            by_v = tangents.answer[r, at_q + n + j] + tangents.answer[r, at_q + 2 * n + j]
            by_q = 0.0
            for m in range(first, first + size):
                x = tangents.answer[r, at_q + m]
                by_q += x * tangents.middle_by_q[m, j]
                by_v += x * tangents.middle_by_v[m, j]
            out[n + r, j] = by_q
            out[n + r, n + j] = by_v
            out[n + r, 2 * n + j] = tangents.answer[r, at_q + 3 * n + j]
        for c in range(contacts):
            gap_q = 0.0
            gap_v = tangents.gap_by_v[c, j] + tangents.gap_by_mean[c, j]
            for m in range(first, first + size):
                gap_q += tangents.gap_by_q[c, m] * tangents.middle_by_q[m, j]
                gap_v += tangents.gap_by_q[c, m] * tangents.middle_by_v[m, j]
            if gap_q == 0.0 and gap_v == 0.0:
                continue
            gap_q *= tangents.gap_slope[c, 0 if sign * gap_q > 0.0 else 1]
            gap_v *= tangents.gap_slope[c, 0 if sign * gap_v > 0.0 else 1]
            for r in range(rows):
                x = tangents.answer[r, at_q + 4 * n + c]
                out[n + r, j] += x * gap_q
                out[n + r, n + j] += x * gap_v
    for k in range(n):
        first, size = first_of_block(model, k)
        for m in range(first, first + size):
            x = tangents.end_by_v[k, m]
            for column in range(3 * n):
                out[k, column] += x * out[n + m, column]
            out[k, n + m] += tangents.end_by_start[k, m]
            x = tangents.end_by_middle[k, m]
            for j in range(first, first + size):
                out[k, j] += x * tangents.middle_by_q[m, j]
                out[k, n + j] += x * tangents.middle_by_v[m, j]


@kernel
def compose_lack(model, tangents):
    """Put together what redundant rows ask for besides, by δq, δv and δτ, gaps in the mean of both sides.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    rows, contacts = tangents.counts[ROWS], tangents.counts[CONTACTS]
    at_q = filled_up(rows)
    for r in range(rows):
        for j in range(n):
            first, size = first_of_block(model, j)
            by_v = tangents.lack[r, at_q + n + j] + tangents.lack[r, at_q + 2 * n + j]
            by_q = 0.0
            for m in range(first, first + size):
                x = tangents.lack[r, at_q + m]
                for c in range(contacts):
                    slope = 0.5 * (tangents.gap_slope[c, 0] + tangents.gap_slope[c, 1])
                    x += tangents.lack[r, at_q + 4 * n + c] * slope * tangents.gap_by_q[c, m]
                by_q += x * tangents.middle_by_q[m, j]
                by_v += x * tangents.middle_by_v[m, j]
            tangents.left[r, j] = by_q
            tangents.left[r, n + j] = by_v
            tangents.left[r, 2 * n + j] = tangents.lack[r, at_q + 3 * n + j]
