"""Contacts of an island that nothing presses, left out of its solve until they are needed.

A robot that moves has many contacts within reach, of its links with one another most of all, and few that
touch: a dog of 79 dofs some 75, of which four push. An open contact that parts, λ = 0 and w_n > 0, obeys its
law whatever its other velocities are, and changes nothing. So those that part fast enough are set aside and
the others solved alone; then each one that was set aside is asked whether it still parts. If one does not,
the solve goes on with it. So the solution is that of all contacts.
Source: working sets, as of Gill, Murray and Wright 1981, section 5.2.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import usual_speed
from tribo.contact.problem.islands import contacts_in
from tribo.contact.problem.whitened_products import normal_velocity


@kernel
def is_zero(impulses, c):
    """Tell whether contact c has no impulse in a table of impulses."""
    return impulses[c, 0] == 0.0 and impulses[c, 1] == 0.0 and impulses[c, 2] == 0.0


@kernel
def parts(model, settings, work, c):
    """Tell whether contact c has no impulse and parts faster than forces would close it in a step."""
    if not (is_zero(work.contact_impulse, c) and is_zero(work.contact_spin_impulse, c)):
        return False
    return normal_velocity(model, work, c) > usual_speed(model, settings, work, c)


@kernel
def set_aside(model, settings, work, t):
    """Take the contacts of island t that part off its list; return how many.

    Writes: work.
    """
    left = 0
    place = work.island_contact_start[t]
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if parts(model, settings, work, c):
            work.contact_aside[left] = c
            left += 1
        else:
            work.island_contact[place] = c
            place += 1
    work.island_contact_start[t + 1] = place
    return left


@kernel
def take_back(work, t, left):
    """Put the contacts that were set aside back into the list of island t, in the order of their numbers.

    Writes: work.
    """
    first = work.island_contact_start[t]
    k = work.island_contact_start[t + 1] - 1
    work.island_contact_start[t + 1] += left
    place = work.island_contact_start[t + 1] - 1
    while left > 0:
        if k >= first and work.island_contact[k] > work.contact_aside[left - 1]:
            work.island_contact[place] = work.island_contact[k]
            k -= 1
        else:
            left -= 1
            work.island_contact[place] = work.contact_aside[left]
        place -= 1


@kernel
def all_part(model, work, left):
    """Tell whether none of the contacts that were set aside approaches now."""
    closing = 0
    for k in range(left):
        if not normal_velocity(model, work, work.contact_aside[k]) >= 0.0:
            closing += 1
    return closing == 0
