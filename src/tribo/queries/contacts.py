"""Contacts of the last step as rows: where, which normal, how deep, which force, which shapes."""

from tribo.compiler.jit import entry
from tribo.math import vec
from tribo.model import Impact


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
    for c in range(work.contact_count[0]):
        impulse = vec.load(work.contact_impulse, c)
        if settings.impact == Impact.PROPAGATE:
            impulse = vec.add(impulse, vec.load(work.contact_impact, c))
        if not (impulse[2] > 0.0 or work.contact_gap[c] <= reach):
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
