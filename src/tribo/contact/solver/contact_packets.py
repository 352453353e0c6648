"""Packets of four contacts of loose bodies that share no body, solved in the lanes of a register.

A contact joins the first open packet in which neither of its bodies is. Each open packet has a bit, and each
tree the bits of the packets that it is in, so the search is a few bit operations. A sweep visits all packets,
then one by one the contacts in none: those of robots, with rolling friction, or left over. Contacts of one
packet share no body, so each is solved with all others fixed, as in any sweep.
Source: graph colouring for Gauss–Seidel's method, as in Tonge, Benevolenski, Voroshilov 2012.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import loose_rows
from tribo.contact.problem.islands import contacts_in
from tribo.contact.problem.packet_rows import AXIS, FRICTION, GIVE, INVERSE, OWN, SECOND, START
from tribo.contact.solver.coulomb_cone import SLIDES
from tribo.math import vec
from tribo.math.lane_rows import LANES

FEWEST = 16  # contacts: packets do not pay for fewer
SLOTS = 62  # open packets at a time, one bit each


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
def close_packet(model, work, p, bit):
    """Close packet p: clear its bit at the trees of its contacts.

    Writes: work.
    """
    for lane in range(work.packet_size[p]):
        c = work.packet_contact[p, lane]
        work.tree_packets[tree_of(model, work, c, 0)] &= ~bit
        work.tree_packets[tree_of(model, work, c, 1)] &= ~bit


@kernel
def last_contact_state(work, c):
    """Return the state of contact c by its impulse: 0 stick, 1 slip, 2 open."""
    x, y, z = vec.load(work.contact_impulse, c)
    if z <= 0.0:
        return 2
    bound = SLIDES * work.contact_friction[c] * z
    return 1 if x * x + y * y >= bound * bound else 0


@kernel
def put_into_packet(model, work, c, count, open_slots, free_slots):
    """Add contact c to a packet or to the single contacts; return count, open_slots and free_slots, updated.

    count: packets; open_slots, free_slots: bits of open packets, and bits that are not in use.

    Writes: work.
    """
    is_loose = work.loose_dof[c, 0] >= 0 and work.contact_is_spun[c] == 0
    a = b = fits = 0
    if is_loose:
        a = tree_of(model, work, c, 0)
        b = tree_of(model, work, c, 1)
        fits = open_slots & ~(work.tree_packets[a] | work.tree_packets[b])
    if not is_loose or (fits == 0 and free_slots == 0):
        work.packet_rest[work.packet_alone[0]] = c
        work.packet_alone[0] += 1
        return count, open_slots, free_slots
    if fits == 0:
        slot = first_bit(free_slots)
        free_slots &= ~(1 << slot)
        open_slots |= 1 << slot
        work.slot_packet[slot] = count
        work.packet_size[count] = 0
        count += 1
    else:
        slot = first_bit(fits)
    bit = 1 << slot
    p = work.slot_packet[slot]
    work.packet_contact[p, work.packet_size[p]] = c
    work.packet_size[p] += 1
    work.tree_packets[a] |= bit
    work.tree_packets[b] |= bit
    if work.packet_size[p] == LANES:
        close_packet(model, work, p, bit)
        open_slots &= ~bit
        free_slots |= bit
    return count, open_slots, free_slots


@kernel
def form_packets(model, work, t):
    """Sort the contacts of island t into packets; return their number, including packets of one contact.

    Contacts of the same state come together: four that are all open, or all stick, take less time.

    Writes: work.
    """
    count = open_slots = 0
    free_slots = (1 << SLOTS) - 1
    work.packet_alone[0] = 0
    for kind in range(3):
        for k in contacts_in(work, t):
            c = work.island_contact[k]
            if last_contact_state(work, c) == kind:
                count, open_slots, free_slots = put_into_packet(model, work, c, count, open_slots, free_slots)
    while open_slots != 0:
        slot = first_bit(open_slots)
        close_packet(model, work, work.slot_packet[slot], 1 << slot)
        open_slots &= ~(1 << slot)
    return count


@kernel
def drop_single_packets(work, count):
    """Move contacts of packets of one to the single contacts; return the number of packets left.

    Writes: work.
    """
    kept = 0
    for p in range(count):
        if work.packet_size[p] == 1:
            work.packet_rest[work.packet_alone[0]] = work.packet_contact[p, 0]
            work.packet_alone[0] += 1
            continue
        work.packet_size[kept] = work.packet_size[p]
        for lane in range(work.packet_size[p]):
            work.packet_contact[kept, lane] = work.packet_contact[p, lane]
        kept += 1
    return kept


@kernel
def write_lane(work, p, lane, c):
    """Write the numbers of contact c into a lane of packet p.

    Writes: work.
    """
    row = work.packet_row
    rows = work.loose_row
    for axis in range(3):
        i = loose_rows.AXIS * axis
        to = AXIS * axis + lane
        for dof in range(4):
            row[p, to + LANES * dof] = rows[c, i + dof]
            row[p, to + SECOND + LANES * dof] = rows[c, i + loose_rows.SECOND + dof]
        i += loose_rows.ENDS
        to += 4 * LANES
        for dof in range(2):
            row[p, to + LANES * dof] = rows[c, i + dof]
            row[p, to + SECOND + LANES * dof] = rows[c, i + 2 + dof]
        row[p, START + LANES * axis + lane] = work.contact_start[c, axis]
        row[p, GIVE + LANES * axis + lane] = work.contact_compliance[c, axis]
    for k in range(6):
        row[p, OWN + LANES * k + lane] = work.contact_delassus[c, k]
        row[p, INVERSE + LANES * k + lane] = rows[c, loose_rows.INVERSE + k]
    row[p, FRICTION + lane] = work.contact_friction[c]
    work.packet_dof[p, 2 * lane] = work.loose_dof[c, 0]
    work.packet_dof[p, 2 * lane + 1] = work.loose_dof[c, 1]


@kernel
def write_empty(work, p, lane):
    """Fill an empty lane of packet p with an open contact of the bodies of its first contact.

    Writes: work.
    """
    row = work.packet_row
    for k in range(lane, FRICTION, LANES):
        row[p, k] = 0.0
    row[p, START + 2 * LANES + lane] = 1.0
    row[p, FRICTION + lane] = 1.0
    work.packet_contact[p, lane] = work.packet_contact[p, 0]
    work.packet_dof[p, 2 * lane] = work.packet_dof[p, 0]
    work.packet_dof[p, 2 * lane + 1] = work.packet_dof[p, 1]


@kernel
def make_packets(model, work, t):
    """Form and write the packets of island t, whose contacts are laid out, if that pays.

    Writes: work.
    """
    work.packet_island[0] = 0
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    if contacts < FEWEST:
        return
    work.packet_count[0] = drop_single_packets(work, form_packets(model, work, t))
    if 2 * work.packet_alone[0] > contacts:  # contacts of a robot, or of one body with many points
        return
    work.packet_island[0] = 1 + t
    for p in range(work.packet_count[0]):
        for lane in range(LANES):
            if lane < work.packet_size[p]:
                write_lane(work, p, lane, work.packet_contact[p, lane])
            else:
                write_empty(work, p, lane)


@kernel
def has_packets(work, t):
    """Tell whether the packets that are written belong to island t."""
    return work.packet_island[0] == 1 + t


@kernel
def leave_packets(work):
    """Invalidate the packets.

    Writes: work.
    """
    work.packet_island[0] = 0
