"""SPOOK: a spring with damping as a row of the contact problem, taken implicitly.

A row whose gap is g gives way like a spring of compliance ε with the damping time τ. With the time step h

    w + R λ = γ w₀ − (4 γ/h) g,   γ = 1/(1 + 4 τ/h),   R = 4 ε γ/h²

w₀ the velocity before the step, g where the step is evaluated. Contact materials and constraints share it.

Source: Lacoursière 2007, "Ghosts and Machines"; docs/physics/compliant-materials.
"""

from tribo.compiler.jit import kernel


@kernel
def spook(compliance, damping, dt):
    """Return γ [–] and R of a row that gives way by `compliance`, with a damping time [s]."""
    gamma = 1.0 / (1.0 + 4.0 * damping / dt)
    return gamma, 4.0 * compliance * gamma / (dt * dt)
