"""Couplings: a function of the joints of one tree, and its derivatives.

    φ = s₀ − p(s₁),   s = Σ c q + ℓ of each of its two parts,   p a polynomial of degree 4

ℓ is the length of a path from body to body (`tendon_paths`). A tendon is a φ without p; a mimic joint, or a
tendon that follows another, is an equation φ = 0.
"""

from tribo.compiler.jit import kernel
from tribo.dynamics import tendon_paths


@kernel
def part_sums(model, work, q, c):
    """Return s = Σ c q + ℓ of both parts of coupling c, whose path is routed."""
    first, second = tendon_paths.path_lengths(model, work, c)
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        more = model.term_factor[k] * q[model.term_q[k]]
        if model.term_part[k] == 0:
            first += more
        else:
            second += more
    return first, second


@kernel
def curve_at(model, c, s):
    """Return p and dp/ds of coupling c."""
    value = slope = 0.0
    for k in range(4, -1, -1):
        slope = slope * s + value
        value = value * s + model.coupling_curve[c, k]
    return value, slope


@kernel
def coupling_at(model, work, q, c):
    """Return φ of coupling c at coordinates q, at which its path is routed, and dp/ds."""
    first, second = part_sums(model, work, q, c)
    bent, slope = curve_at(model, c, second)
    return first - bent, slope


@kernel
def part_slope(part, slope):
    """Return ∂φ/∂s of a part, with the slope dp/ds."""
    return 1.0 if part == 0 else -slope


@kernel
def coupling_speed(model, work, v, c, slope):
    """Return dφ/dt of coupling c, whose path is routed; slope: dp/ds."""
    first, second = tendon_paths.path_speeds(model, work, v, c)
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        more = model.term_factor[k] * v[model.term_dof[k]]
        if model.term_part[k] == 0:
            first += more
        else:
            second += more
    return first - slope * second


@kernel
def coupling_energy(model, work, q, t):
    """Return the energy of the springs of all couplings of tree t at coordinates q [J].   Σ ½ k e²

    Writes: work.
    """
    total = 0.0
    for c in range(model.coupling_slot.shape[0]):
        if model.body_tree[model.coupling_body[c, 0]] != t or model.coupling_stiffness[c] == 0.0:
            continue
        tendon_paths.route_tendon(model, work, c)
        phi, _ = coupling_at(model, work, q, c)
        low, high = model.coupling_rest[c, 0], model.coupling_rest[c, 1]
        away = phi - min(max(phi, low), high)
        total += 0.5 * model.coupling_stiffness[c] * away * away
    return total


@kernel
def note_coupled(model, work, t):
    """Mark the joints of tree t that an equation of a coupling determines.

    Writes: work.
    """
    if model.tree_coupling_count[t] == 0:
        return
    for c in range(model.coupling_slot.shape[0]):
        if model.body_tree[model.coupling_body[c, 0]] != t:
            continue
        if model.coupling_range[c, 0] < model.coupling_range[c, 1]:
            continue
        for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
            work.joint_is_ruled[model.dof_body[model.term_dof[k]]] = 1
