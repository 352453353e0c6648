"""Stage `position_pass.correct`: overlaps and joints beyond their stops are corrected in the positions.

A velocity that closes an overlap would stay after the overlap is gone. So the solve of the step asks for
gap + dt v ≥ 0 alone. At the end of the step the island moves once more, by dt z. In the whitened dofs z is
the minimum of

    f(z) = ½ ‖z‖² + ½ Σ eᵢ²/Rᵢ,   eᵢ = bᵢ − yᵢ z,   Rᵢ = ε Gᵢ,

over the rows that hold: contacts along the normal, stops and wires where eᵢ > 0; equations, and the tangents
of contacts that stick, either way. bᵢ is the correction that a row asks for (a share `erp` of its error in a
step, at most `max_push_out_speed`), less its velocity beyond its target: an open gap may close. f is convex
and has one minimum, also where rows contradict one another: these share the shift, and ‖z‖² ≤ Σ bᵢ²/Rᵢ.
Gᵢ is a row's own G, of a contact the mean of its three: one that hardly moves along its normal is left.
Conjugate gradients need no matrix, do not depend on the order of rows, and may end early, since f never
grows. Velocities and impulses stay as they are.
Source: split of velocity and position, Cline and Pai 2003; conjugate gradients, Polak and Ribière 1969.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.constraints.position_projection import shift_coordinates
from tribo.contact.problem.contact_targets import NOTHING, step_speed
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.scalar_rows import GIVES_WAY
from tribo.contact.problem.whitened_products import (
    add_scalar_to,
    add_to,
    moved_by,
    scalar_moved_by,
)
from tribo.dynamics.momentum import shift_goals
from tribo.math import vec
from tribo.model import Status

SLOWED = int(Status.SLOWED)
GIVES = 1e-2  # [–] ε of a contact
HOLDS = 1e-6  # [–] ε of all other rows: where both jam, links overlap and stops hold
ROUNDS = 120  # of conjugate gradients
ENOUGH = 0.03  # ‖∇f‖ over ‖z‖ at which they end; its square: of the slope along a line at which a search ends
JAMMED = 0.9  # [–] of what is asked for: where more of it stays, rows contradict one another
SEARCHES = 8  # Newton steps along a direction
ZERO = (0.0, 0.0, 0.0)
OUT, ABOVE, BELOW, BOTH = 0, 1, 2, 3  # how a scalar row holds: not at all, e > 0, e < 0, either way


@kernel
def hold_of(work, n):
    """Return how scalar row n holds. A spring, a drive, or one at a bound of its force, does not."""
    lower, upper = work.scalar_lower[n], work.scalar_upper[n]
    impulse = work.scalar_impulse[n]
    gives = work.scalar_compliance[n] > HOLDS * work.scalar_delassus[n]
    if gives or work.scalar_reach[n] == GIVES_WAY:
        return OUT
    if lower == -inf and upper == inf:
        return BOTH
    if lower == 0.0:
        return ABOVE if impulse < upper else OUT
    if upper == 0.0:
        return BELOW if impulse > lower else OUT
    is_held = work.scalar_shift[n] != 0.0 and lower < impulse < upper
    return BOTH if is_held else OUT


@kernel
def sticks(work, c):
    """Tell whether the tangents of contact c hold: its impulse is inside its cone of friction."""
    x, y, z = vec.load(work.contact_impulse, c)
    bound = work.contact_friction[c] * z
    return x * x + y * y < bound * bound * (1.0 - NOTHING)


@kernel
def ask(model, work, t, nothing):
    """Write what each row of island t asks for; return whether one asks for more than `nothing` [m/s].

    Writes: work.
    """
    is_asked = False
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_correction[c] > nothing:
            is_asked = True
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if abs(work.scalar_shift[n]) > nothing and hold_of(work, n) != OUT:
            is_asked = True
    if not is_asked:
        return False
    is_asked = False
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        start = vec.load(work.contact_start, c)
        _, _, w = moved_by(model, work, work.contact_row, c, work.response, start)
        work.shift_holds[c] = 1 if sticks(work, c) else 0
        want = work.contact_correction[c] - w
        vec.store(work.shift_error, c, (0.0, 0.0, want))
        if work.contact_compliance[c, 2] > 0.0:
            work.shift_holds[c] = -1
        elif want > nothing:
            is_asked = True
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        hold = hold_of(work, n)
        work.shift_hold[n] = hold
        if hold == OUT:
            continue
        w = scalar_moved_by(model, work, n, work.response, work.scalar_start[n])
        want = work.scalar_shift[n] - (w if hold != BOTH else 0.0)
        work.shift_scalar_error[n] = want
        if hold == BOTH:
            is_asked = is_asked or abs(want) > nothing
        else:
            is_asked = is_asked or (want if hold == ABOVE else -want) > nothing
    return is_asked


@kernel
def is_acting(hold, error):
    """Tell whether a scalar row with an error acts."""
    return hold == BOTH or (hold == ABOVE and error > 0.0) or (hold == BELOW and error < 0.0)


@kernel
def left_open(work, t):
    """Return Σ e²/G over the rows of island t that ask for a correction, and the largest e [m/s, rad/s]."""
    total = most = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_correction[c] > 0.0 and work.shift_holds[c] >= 0:
            error = max(0.0, work.shift_error[c, 2])
            total += error * error / work.contact_own[c]
            most = max(most, error)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        error = work.shift_scalar_error[n]
        if work.scalar_shift[n] != 0.0 and is_acting(work.shift_hold[n], error):
            total += error * error / work.scalar_delassus[n]
            most = max(most, abs(error))
    return total, most


@kernel
def take_dofs(model, work, body, length, count):
    """Append the dofs of the chain of a body to those of the island; return how many these are now.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(length):
        dof = model.chain_dof[chain + p]
        if work.shift_is_listed[dof] == 0:
            work.shift_is_listed[dof] = 1
            work.shift_dof[count] = dof
            for k in range(4):
                work.shift_z[k, dof] = 0.0
            count += 1
    return count


@kernel
def list_dofs(model, work, t):
    """List the dofs that the rows of island t move; return how many they are.

    Writes: work.
    """
    count = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for side in range(2):
            body = work.contact_body[c, side]
            count = take_dofs(model, work, body, work.contact_len[c, side], count)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        for side in range(2):
            body = work.scalar_body[n, side]
            count = take_dofs(model, work, body, work.scalar_len[n, side], count)
    return count


@kernel
def slope(model, work, t, count):
    """Write −∇f at the errors at hand; return its square.   −∇f = Σ yᵢ eᵢ/Rᵢ − z

    Writes: work.
    """
    out = work.shift_z[1]
    for k in range(count):
        dof = work.shift_dof[k]
        out[dof] = -work.shift_z[0, dof]
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.shift_holds[c] < 0:
            continue
        x, y, z = vec.load(work.shift_error, c)
        r = GIVES * work.contact_own[c]
        push = (
            x / r if work.shift_holds[c] == 1 else 0.0,
            y / r if work.shift_holds[c] == 1 else 0.0,
            max(0.0, z) / r,
        )
        if push[0] != 0.0 or push[1] != 0.0 or push[2] != 0.0:
            add_to(model, work, work.contact_row, c, push, out)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        error = work.shift_scalar_error[n]
        if is_acting(work.shift_hold[n], error):
            add_scalar_to(model, work, n, error / (HOLDS * work.scalar_delassus[n]), out)
    square = 0.0
    for k in range(count):
        x = out[work.shift_dof[k]]
        square += x * x
    return square


@kernel
def set_rates(model, work, t):
    """Write how fast each error falls along the direction at hand.   yᵢ p

    Writes: work.
    """
    way = work.shift_z[2]
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.shift_holds[c] >= 0:
            rate = moved_by(model, work, work.contact_row, c, way, ZERO)
            vec.store(work.shift_rate, c, rate)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.shift_hold[n] != OUT:
            work.shift_scalar_rate[n] = scalar_moved_by(model, work, n, way, 0.0)


@kernel
def search_terms(work, t, step):
    """Return what the rows of island t add to −f′ and f″ after a step along the direction at hand."""
    force = stiffness = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.shift_holds[c] < 0:
            continue
        first = 0 if work.shift_holds[c] == 1 else 2
        r = GIVES * work.contact_own[c]
        for axis in range(first, 3):
            rate = work.shift_rate[c, axis]
            error = work.shift_error[c, axis] - step * rate
            if axis < 2 or error > 0.0:
                force += error * rate / r
                stiffness += rate * rate / r
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.shift_hold[n] == OUT:
            continue
        rate = work.shift_scalar_rate[n]
        error = work.shift_scalar_error[n] - step * rate
        if is_acting(work.shift_hold[n], error):
            r = HOLDS * work.scalar_delassus[n]
            force += error * rate / r
            stiffness += rate * rate / r
    return force, stiffness


@kernel
def best_step(work, t, along, square):
    """Return how far along p the minimum of f is, by Newton on f′; along: z·p, square: p·p."""
    step = first = 0.0
    for _ in range(SEARCHES):
        force, stiffness = search_terms(work, t, step)
        force -= along + step * square
        if first == 0.0:
            first = abs(force)
        if abs(force) <= ENOUGH * ENOUGH * first:
            break
        step += force / (stiffness + square)
    return step


@kernel
def follow_direction(work, t, count, step):
    """Go a step along the direction at hand.

    Writes: work.
    """
    for k in range(count):
        dof = work.shift_dof[k]
        work.shift_z[0, dof] += step * work.shift_z[2, dof]
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.shift_holds[c] >= 0:
            for axis in range(3):
                work.shift_error[c, axis] -= step * work.shift_rate[c, axis]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.shift_hold[n] != OUT:
            work.shift_scalar_error[n] -= step * work.shift_scalar_rate[n]


@kernel
def find_shift(model, work, t, count):
    """Find the shift of island t, `shift_z[0]`; ‖z − z*‖ ≤ ‖∇f‖, since f is at least as curved as ½ ‖z‖².

    Writes: work.
    """
    z = work.shift_z
    size = slope(model, work, t, count)
    part = 0.0
    for _ in range(ROUNDS):
        along = square = 0.0
        for k in range(count):
            dof = work.shift_dof[k]
            z[2, dof] = z[1, dof] + part * z[2, dof]
            along += z[0, dof] * z[2, dof]
            square += z[2, dof] * z[2, dof]
            z[3, dof] = z[1, dof]
        set_rates(model, work, t)
        follow_direction(work, t, count, best_step(work, t, along, square))
        before = size
        size = slope(model, work, t, count)
        length = mixed = 0.0
        for k in range(count):
            dof = work.shift_dof[k]
            length += z[0, dof] * z[0, dof]
            mixed += z[1, dof] * z[3, dof]
        if not size > ENOUGH * ENOUGH * length:
            break
        part = max(0.0, (size - mixed) / before)


@kernel
def correct(model, state, settings, work):
    """Shift the positions at the end of the step by what overlaps, stops and gaps ask for.

    Where less than a tenth of it is reached, links or bodies jam: the status says `SLOWED`.

    Writes: state, work.
    """
    nothing = NOTHING * step_speed(settings)
    is_any = False
    for t in range(work.tree_island.shape[0]):
        if not ask(model, work, t, nothing):
            continue
        if not is_any:
            is_any = True
            for dof in range(work.pile_step.shape[0]):
                work.pile_step[dof] = 0.0
                work.shift_is_listed[dof] = 0
        count = list_dofs(model, work, t)
        before, _ = left_open(work, t)
        find_shift(model, work, t, count)
        after, fastest = left_open(work, t)
        if after > JAMMED * JAMMED * before and fastest > step_speed(settings):
            work.status[0] |= SLOWED
        for k in range(count):
            dof = work.shift_dof[k]
            work.pile_step[dof] = settings.dt * work.shift_z[0, dof]
    if is_any:
        shift_goals(model, work, work.pile_step)
        shift_coordinates(model, state, work, work.pile_step)
