"""Contacts of the last step: as rows, and their sums on an object."""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.math import vec
from tribo.model import Impact


@kernel
def stored_contacts(work):
    """Return how many contacts the tables hold: a step that ran out of room has counted more."""
    return min(work.contact_count[0], work.contact_gap.shape[0])


@kernel
def contact_impulse_of_step(settings, work, c):
    """Return the impulse of contact c in the last step on A, contact axes [N s]."""
    impulse = vec.load(work.contact_impulse, c)
    if settings.impact == Impact.PROPAGATE:
        impulse = vec.add(impulse, vec.load(work.contact_impact, c))
    return impulse


@entry
def table_of_contacts(settings, work, owner, reach, numbers, places):
    """Write a row for each point that overlaps, is within reach or carries an impulse.   f = Rᵀ λ / dt

    Args:
        settings, work: Records of the world.
        owner: Of each shape: which object it belongs to, and which of its shapes it is, (nshape, 2).
        reach: Gap [m] up to which a point touches.
        numbers: Rows of position (3) [m], normal (3) into A, depth [m], force (3) [N] on A.
        places: Behind them, in the same rows: objects A, B; shapes A, B.

    Returns:
        How many rows there are.

    Writes: numbers, places.
    """
    count = 0
    for c in range(stored_contacts(work)):
        impulse = contact_impulse_of_step(settings, work, c)
        if not (impulse[2] != 0.0 or work.contact_gap[c] <= reach):
            continue
        axes = vec.load_mat(work.contact_axes, c)
        force = vec.scale(1.0 / settings.dt, vec.mat_t_vec(axes, impulse))
        for k in range(3):
            numbers[count, k] = work.contact_pos[c, k]
            numbers[count, 3 + k] = work.contact_axes[c, 6 + k]
            numbers[count, 7 + k] = force[k]
        numbers[count, 6] = -work.contact_gap[c]
        for side in range(2):
            shape = work.contact_shape[c, side]
            places[count, 10 + side] = owner[shape, 0]
            places[count, 12 + side] = owner[shape, 1]
        count += 1
    return count


@entry
def sum_contacts(settings, work, first, row, about, sums):
    """Add up, in all worlds, the contacts of an object that overlap or carry an impulse.

    Args:
        settings, work: Records of the worlds.
        first: First shape of the object.
        row: Of each of its shapes: row of `sums` that it counts to, −1: none.
        about: Points about which torques are taken, (worlds, 3) [m].
        sums: (worlds, rows, 7) Torque [N m] and force [N], world axes; number of contacts. Begins with zeros.

    Writes: sums.
    """
    for w in range(sums.shape[0]):
        own, setting = world_of(work, w), world_of(settings, w)
        for c in range(stored_contacts(own)):
            impulse = contact_impulse_of_step(setting, own, c)
            if impulse[2] == 0.0 and own.contact_gap[c] > 0.0:
                continue
            for side in range(2):
                shape = own.contact_shape[c, side] - first
                if not 0 <= shape < row.shape[0] or row[shape] < 0:
                    continue
                push = vec.mat_t_vec(vec.load_mat(own.contact_axes, c), impulse)
                time = setting.dt if side == 0 else -setting.dt
                force = (push[0] / time, push[1] / time, push[2] / time)
                arm = vec.sub(vec.load(own.contact_pos, c), (about[w, 0], about[w, 1], about[w, 2]))
                torque = vec.cross(arm, force)
                for k in range(3):
                    sums[w, row[shape], k] += torque[k]
                    sums[w, row[shape], 3 + k] += force[k]
                sums[w, row[shape], 6] += 1.0
