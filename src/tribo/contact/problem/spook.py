"""SPOOK: an implicit damped spring as a row of the contact problem.

A row with gap g, compliance ε and damping time τ becomes, with the time step h,

    w + R λ = γ w₀ − (4 γ/h) g,   γ = 1/(1 + 4 τ/h),   R = 4 ε γ/h²

with w₀ the velocity before the step and g at the evaluation of the step. Used by contact materials,
constraints and stops of joints.

Source: Lacoursière 2007, "Ghosts and Machines"; docs/physics/compliant-materials.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows


@kernel
def spook_compliance(compliance, damping, dt):
    """Return γ [–] and R of a row with a compliance ε and a damping time τ [s]."""
    gamma = 1.0 / (1.0 + 4.0 * damping / dt)
    return gamma, 4.0 * compliance * gamma / (dt * dt)


@kernel
def close_soft_row(model, settings, work, n, gap, compliance, damping, lower, upper):
    """Finish a row as a damped spring: gap, compliance ε, damping time τ [s], bounds [N s, N m s].

    Writes: work.
    """
    dt = settings.dt
    gamma, r = spook_compliance(compliance, damping, dt)
    scalar_rows.close_row(model, work, n, 0.0, lower, upper, r)
    if work.scalar_count[0] == n:
        return  # nothing moves it
    before = work.scalar_start[n]
    scalar_rows.set_row_target(work, n, gamma * (before - 4.0 * gap / dt), before)
    work.scalar_reach[n] = scalar_rows.GIVES_WAY
