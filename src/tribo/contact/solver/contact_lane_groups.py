"""Groups of four contacts of free bodies that share no body, solved in the lanes of a register.

A contact joins the first open group in which neither of its bodies is. Each open group has a bit, and each
tree the bits of the groups that it is in, so the search is a few bit operations. A sweep visits all groups,
then one by one the contacts in none: those of robots, with rolling friction, or left over. Contacts of one
group share no body, so each is solved with all others fixed, as in any sweep. Before, `lay_out_free_bodies`
copies the rows of contacts of free bodies (`free_body_rows`).
Source: graph colouring for Gauss–Seidel's method, as in Tonge, Benevolenski, Voroshilov 2012.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import free_body_rows
from tribo.contact.problem.islands import contacts_in
from tribo.contact.problem.lane_group_rows import AXIS, COMPLIANCE, FRICTION, INVERSE, OWN, SECOND, START
from tribo.contact.solver.coulomb_cone import SLIDES, lifted_inverse
from tribo.math import spatial, vec
from tribo.math.lane_rows import LANES

FEWEST = 16  # contacts: groups do not pay for fewer
SLOTS = 62  # open groups at a time, one bit each


@kernel
def first_bit(bits):
    """Return the index of the lowest bit that is set."""
    k = 0
    while bits & 1 == 0:
        bits >>= 1
        k += 1
    return k


@kernel
def tree_of(model, work, c, side):
    """Return the tree of side `side` of contact c, or of the other side if that is not moved."""
    if work.contact_len[c, side] == 0:
        side = 1 - side
    return model.body_tree[work.contact_body[c, side]]


@kernel
def close_lane_group(model, work, p, bit):
    """Close group p: clear its bit at the trees of its contacts.

    Writes: work.
    """
    for lane in range(work.lane_group_size[p]):
        c = work.lane_group_contact[p, lane]
        work.tree_lane_groups[tree_of(model, work, c, 0)] &= ~bit
        work.tree_lane_groups[tree_of(model, work, c, 1)] &= ~bit


@kernel
def last_contact_state(work, c):
    """Return the state of contact c by its impulse: 0 stick, 1 slip, 2 open."""
    x, y, z = vec.load(work.contact_impulse, c)
    if z <= 0.0:
        return 2
    bound = SLIDES * work.contact_friction[c] * z
    return 1 if x * x + y * y >= bound * bound else 0


@kernel
def put_into_lane_group(model, work, c, count, open_slots, free_slots):
    """Add contact c to a group or to the single contacts; return count, open_slots and free_slots, updated.

    count: groups; open_slots, free_slots: bits of open groups, and bits that are not in use.

    Writes: work.
    """
    has_free_bodies = work.free_body_dof[c, 0] >= 0 and work.contact_is_spun[c] == 0
    a = b = fits = 0
    if has_free_bodies:
        a, b = tree_of(model, work, c, 0), tree_of(model, work, c, 1)
        fits = open_slots & ~(work.tree_lane_groups[a] | work.tree_lane_groups[b])
    if not has_free_bodies or (fits == 0 and free_slots == 0):
        work.ungrouped_contact[work.ungrouped_count[0]] = c
        work.ungrouped_count[0] += 1
        return count, open_slots, free_slots
    if fits == 0:
        slot = first_bit(free_slots)
        free_slots &= ~(1 << slot)
        open_slots |= 1 << slot
        work.slot_lane_group[slot] = count
        work.lane_group_size[count] = 0
        count += 1
    else:
        slot = first_bit(fits)
    bit = 1 << slot
    p = work.slot_lane_group[slot]
    work.lane_group_contact[p, work.lane_group_size[p]] = c
    work.lane_group_size[p] += 1
    work.tree_lane_groups[a] |= bit
    work.tree_lane_groups[b] |= bit
    if work.lane_group_size[p] == LANES:
        close_lane_group(model, work, p, bit)
        open_slots &= ~bit
        free_slots |= bit
    return count, open_slots, free_slots


@kernel
def form_lane_groups(model, work, t):
    """Sort the contacts of island t into groups; return their number, including groups of one contact.

    Contacts of the same state come together: four that are all open, or all stick, take less time.

    Writes: work.
    """
    count = open_slots = 0
    free_slots = (1 << SLOTS) - 1
    work.ungrouped_count[0] = 0
    for kind in range(3):
        for c in contacts_in(work, t):
            if last_contact_state(work, c) == kind:
                count, open_slots, free_slots = put_into_lane_group(
                    model, work, c, count, open_slots, free_slots
                )
    while open_slots != 0:
        slot = first_bit(open_slots)
        close_lane_group(model, work, work.slot_lane_group[slot], 1 << slot)
        open_slots &= ~(1 << slot)
    return count


@kernel
def drop_single_lane_groups(work, count):
    """Move contacts of groups of one to the single contacts; return the number of groups left.

    Writes: work.
    """
    kept = 0
    for p in range(count):
        if work.lane_group_size[p] == 1:
            work.ungrouped_contact[work.ungrouped_count[0]] = work.lane_group_contact[p, 0]
            work.ungrouped_count[0] += 1
            continue
        work.lane_group_size[kept] = work.lane_group_size[p]
        for lane in range(work.lane_group_size[p]):
            work.lane_group_contact[kept, lane] = work.lane_group_contact[p, lane]
        kept += 1
    return kept


@kernel
def write_lane(work, p, lane, c):
    """Write the numbers of contact c into a lane of group p.

    Writes: work.
    """
    row = work.lane_group_row
    rows = work.free_body_row
    for axis in range(3):
        i = free_body_rows.AXIS * axis
        to = AXIS * axis + lane
        for dof in range(4):
            row[p, to + LANES * dof] = rows[c, i + dof]
            row[p, to + SECOND + LANES * dof] = rows[c, i + free_body_rows.SECOND + dof]
        i += free_body_rows.ENDS
        to += 4 * LANES
        for dof in range(2):
            row[p, to + LANES * dof] = rows[c, i + dof]
            row[p, to + SECOND + LANES * dof] = rows[c, i + 2 + dof]
        row[p, START + LANES * axis + lane] = work.contact_start[c, axis]
        row[p, COMPLIANCE + LANES * axis + lane] = work.contact_compliance[c, axis]
    for k in range(6):
        row[p, OWN + LANES * k + lane] = work.contact_delassus[c, k]
        row[p, INVERSE + LANES * k + lane] = rows[c, free_body_rows.INVERSE + k]
    row[p, FRICTION + lane] = work.contact_friction[c]
    work.lane_group_dof[p, 2 * lane] = work.free_body_dof[c, 0]
    work.lane_group_dof[p, 2 * lane + 1] = work.free_body_dof[c, 1]


@kernel
def write_empty(work, p, lane):
    """Fill an empty lane of group p with an open contact of the bodies of its first contact.

    Writes: work.
    """
    row = work.lane_group_row
    for k in range(lane, FRICTION, LANES):
        row[p, k] = 0.0
    row[p, START + 2 * LANES + lane] = 1.0
    row[p, FRICTION + lane] = 1.0
    work.lane_group_contact[p, lane] = work.lane_group_contact[p, 0]
    work.lane_group_dof[p, 2 * lane] = work.lane_group_dof[p, 0]
    work.lane_group_dof[p, 2 * lane + 1] = work.lane_group_dof[p, 1]


@kernel
def make_lane_groups(model, work, t):
    """Form and write the groups of island t, whose contacts are laid out, if that pays.

    Writes: work.
    """
    work.lane_group_island[0] = 0
    contacts = len(contacts_in(work, t))
    if contacts < FEWEST:
        return
    work.lane_group_count[0] = drop_single_lane_groups(work, form_lane_groups(model, work, t))
    if 2 * work.ungrouped_count[0] > contacts:  # contacts of a robot, or of one body with many points
        return
    work.lane_group_island[0] = 1 + t
    for p in range(work.lane_group_count[0]):
        for lane in range(LANES):
            if lane < work.lane_group_size[p]:
                write_lane(work, p, lane, work.lane_group_contact[p, lane])
            else:
                write_empty(work, p, lane)


@kernel
def has_lane_groups(work, t):
    """Tell whether the groups that are written belong to island t."""
    return work.lane_group_island[0] == 1 + t


@kernel
def free_body_dof(model, work, c, side):
    """Return the first dof of a free body; −1 for a body that impulses do not move; −2 for any other.

    The base of a robot also has six dofs, but is no free body: its blocks are as large as the robot.
    """
    n = work.contact_len[c, side]
    if n == 0:
        return -1
    tree = model.body_tree[work.contact_body[c, side]]
    return model.tree_v[tree] if n == 6 and model.tree_nv[tree] == 6 else -2


@kernel
def lay_out_rows(work, c, side, place):
    """Copy the rows of one side of contact c to the place of the first (0) or second (1) body.

    Writes: work.
    """
    row = work.row
    out = work.free_body_row
    i = work.contact_row[c, side]
    for axis in range(3):
        to = free_body_rows.AXIS * axis
        for p in range(4):
            out[c, to + free_body_rows.SECOND * place + p] = row[i + 3 * p + axis]
        for p in range(2):
            out[c, to + free_body_rows.ENDS + 2 * place + p] = row[i + 12 + 3 * p + axis]


@kernel
def lay_out_free_bodies(model, work, t):
    """Lay out those contacts of island t whose bodies are free, mark the others, and form groups.

    Writes: work.
    """
    out = work.free_body_row
    for c in contacts_in(work, t):
        a = free_body_dof(model, work, c, 0)
        b = free_body_dof(model, work, c, 1)
        if a == -2 or b == -2:
            work.free_body_dof[c, 0] = -1
            continue
        if a < 0 or b < 0:
            for j in range(free_body_rows.INVERSE):
                out[c, j] = 0.0
        if a >= 0:
            lay_out_rows(work, c, 0, 0)
        if b >= 0:
            lay_out_rows(work, c, 1, 1 if a >= 0 else 0)
        work.free_body_dof[c, 0] = max(a, b) if a < 0 else a
        work.free_body_dof[c, 1] = max(a, b) if b < 0 else b
        inverse = lifted_inverse(spatial.load(work.contact_delassus, c))
        for j in range(6):
            out[c, free_body_rows.INVERSE + j] = inverse[j]
    make_lane_groups(model, work, t)
