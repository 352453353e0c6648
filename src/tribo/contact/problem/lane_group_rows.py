"""Lane groups: four contacts of free bodies in the lanes of a register; layout, velocities and responses.

Contacts that share no body are visited together, one per lane (`compiler/lanes.py`); `contact_lane_groups`
forms the groups. The data of a visit is contiguous, each number of the four contacts side by side
(`Work.lane_group_row`): per axis t₁, t₂, n the rows of both bodies' six dofs, then G, (G + lift)⁻¹, the
velocity without forces, the compliance, μ. As in `free_body_rows`, a contact with one free body has it twice,
the second time with zero rows. Empty lanes repeat the first contact, with zero rows and a separating
velocity.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4
from tribo.math import lane_rows
from tribo.math.lane_rows import LANES

SECOND = 6 * LANES  # offset of the second body: six dofs, four lanes
AXIS = 2 * SECOND  # numbers of one axis
OWN = 3 * AXIS  # G: xx, yy, zz, xy, xz, yz
INVERSE = OWN + 6 * LANES  # (G + lift)⁻¹
START = INVERSE + 6 * LANES  # velocity relative to the target, without forces
COMPLIANCE = START + 3 * LANES  # compliance R
FRICTION = COMPLIANCE + 3 * LANES
LANE_GROUP_WIDTH = FRICTION + LANES


@kernel
def load_six(array, i):
    """Return six consecutive numbers of four contacts."""
    return (
        load4(array, i),
        load4(array, i + 4),
        load4(array, i + 8),
        load4(array, i + 12),
        load4(array, i + 16),
        load4(array, i + 20),
    )


@kernel
def lane_group_contacts(work, p):
    """Return the four contacts of group p."""
    contact = work.lane_group_contact
    return (contact[p, 0], contact[p, 1], contact[p, 2], contact[p, 3])


@kernel
def lane_group_impulses(work, p):
    """Return the impulses of the contacts of group p."""
    return lane_rows.load3(work.contact_impulse, lane_group_contacts(work, p))


@kernel
def lane_group_dofs(work, p, side):
    """Return the first dofs of the four bodies on one side of group p."""
    dof = work.lane_group_dof
    return (dof[p, side], dof[p, side + 2], dof[p, side + 4], dof[p, side + 6])


@kernel
def load_lane_group_bodies(work, p, side):
    """Return the response of the bodies on one side of group p, dof by dof."""
    at = lane_group_dofs(work, p, side)
    u = lane_rows.fours(work.response, 1, 0, at)
    v = lane_rows.twos(work.response, 1, 4, at)
    return (u[0], u[1], u[2], u[3], v[0], v[1])


@kernel
def store_lane_group_bodies(work, p, side, x):
    """Store the response of the bodies on one side of group p; the first contact's last, as above.

    Writes: work.
    """
    at = lane_group_dofs(work, p, side)
    lane_rows.put_fours(work.response, 1, 0, at, x[0], x[1], x[2], x[3])
    lane_rows.put_twos(work.response, 1, 4, at, x[4], x[5])


@kernel
def dot_dofs(row, i, x):
    """Return Σ over six dofs of row · x."""
    early = load4(row, i) * x[0] + load4(row, i + 4) * x[1] + load4(row, i + 8) * x[2]
    return early + (load4(row, i + 12) * x[3] + load4(row, i + 16) * x[4] + load4(row, i + 20) * x[5])


@kernel
def axis_velocity(work, p, axis, impulse, first, second):
    """Return the velocities of the contacts of group p on one axis, relative to their targets.

    w = J v⁺ − target + R λ; impulse: on that axis; first, second: responses of the bodies.
    """
    row = work.lane_group_row
    at = LANE_GROUP_WIDTH * p
    start = load4(row, at + START + LANES * axis) + load4(row, at + COMPLIANCE + LANES * axis) * impulse
    at += AXIS * axis
    return start + (dot_dofs(row, at, first) + dot_dofs(row, at + SECOND, second))


@kernel
def lane_group_velocity(work, p, impulse, first, second):
    """Return the velocities of the contacts of group p, as `whitened_products.contact_velocity`."""
    return (
        axis_velocity(work, p, 0, impulse[0], first, second),
        axis_velocity(work, p, 1, impulse[1], first, second),
        axis_velocity(work, p, 2, impulse[2], first, second),
    )


@kernel
def lane_group_response(row, at, x, y, z, i):
    """Return the response of dof i, counted over both bodies, to impulses (x, y, z)."""
    i = at + 4 * i
    return load4(row, i) * x + load4(row, i + AXIS) * y + load4(row, i + 2 * AXIS) * z


@kernel
def pushed_six(row, at, x, y, z, i, before):
    """Return `before` plus the responses of six dofs from i on to impulses (x, y, z)."""
    return (
        before[0] + lane_group_response(row, at, x, y, z, i),
        before[1] + lane_group_response(row, at, x, y, z, i + 1),
        before[2] + lane_group_response(row, at, x, y, z, i + 2),
        before[3] + lane_group_response(row, at, x, y, z, i + 3),
        before[4] + lane_group_response(row, at, x, y, z, i + 4),
        before[5] + lane_group_response(row, at, x, y, z, i + 5),
    )


@kernel
def push_lane_group(work, p, impulse, first, second):
    """Add the response to impulses at the contacts of group p to that of their bodies.

    The first bodies are stored last: if both are the same body, the second has zero rows.

    Writes: work.
    """
    row = work.lane_group_row
    at = LANE_GROUP_WIDTH * p
    x, y, z = impulse
    store_lane_group_bodies(work, p, 1, pushed_six(row, at, x, y, z, 6, second))
    store_lane_group_bodies(work, p, 0, pushed_six(row, at, x, y, z, 0, first))
