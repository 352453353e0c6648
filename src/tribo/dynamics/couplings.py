"""Couplings: a number that depends on joints of one tree, and how it moves with them.

    φ = Σ c q − p(s),   s = Σ c q of the joints of its second part,   p a polynomial of degree 4

A fixed tendon is a φ without p, a joint that follows another, or another tendon, an equation φ = 0.
"""

from tribo.compiler.jit import kernel


@kernel
def part_sum(model, values, at, c, part):
    """Return Σ c x of the joints of one part of coupling c; `at` says where their x are in `values`."""
    total = 0.0
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        if model.term_part[k] == part:
            total += model.term_factor[k] * values[at[k]]
    return total


@kernel
def curve_at(model, c, s):
    """Return p and dp/ds of coupling c."""
    value = slope = 0.0
    for k in range(4, -1, -1):
        slope = slope * s + value
        value = value * s + model.coupling_curve[c, k]
    return value, slope


@kernel
def length(model, q, c):
    """Return φ of coupling c at coordinates q."""
    bent, _ = curve_at(model, c, part_sum(model, q, model.term_q, c, 1))
    return part_sum(model, q, model.term_q, c, 0) - bent


@kernel
def term_slope(model, k, slope):
    """Return ∂φ/∂q of term k, where its polynomial has a slope."""
    return model.term_factor[k] * (1.0 if model.term_part[k] == 0 else -slope)


@kernel
def speed(model, q, v, c):
    """Return dφ/dt of coupling c."""
    _, slope = curve_at(model, c, part_sum(model, q, model.term_q, c, 1))
    first = part_sum(model, v, model.term_dof, c, 0)
    return first - slope * part_sum(model, v, model.term_dof, c, 1)


@kernel
def note_coupled(model, work, t):
    """Note which joints of tree t an equation between joints rules.

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
