"""Springs, dampers and servos as implicit rows of the contact problem: wires, tendons.

    λ = dt (F − ½ k (φ₀ + φ₁) − d w⁺) − m (w⁺ − w)

φ₀ and φ₁ are the gap at the beginning and the end of the step, so a spring without damping conserves energy.
F is a given force, m an inertia that moves with φ.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.model import Integrator


@kernel
def ends_of(settings, gap, speed):
    """Return the gap φ₀ at the beginning of the step, and the time t in φ₁ = gap + t w⁺."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return gap, settings.dt
    return gap - 0.5 * settings.dt * speed, 0.5 * settings.dt


@kernel
def set_law(settings, work, n, push, stiffness, damping, inertia):
    """Set the law of row n, which is closed: λ = dt (push − (t stiffness + damping) w⁺) − inertia (w⁺ − w).

    push: all terms without w⁺. The bounds of λ stay.

    Writes: work.
    """
    dt = settings.dt
    speed = work.scalar_start[n] + work.scalar_target[n]
    _, end = ends_of(settings, 0.0, speed)
    rate = stiffness * end + damping + inertia / dt
    if rate <= 0.0:
        pull = min(max(dt * push, work.scalar_lower[n]), work.scalar_upper[n])
        work.scalar_lower[n] = work.scalar_upper[n] = pull
        work.scalar_reach[n] = scalar_rows.GIVES_WAY
        return
    scalar_rows.set_row_target(work, n, (push + inertia / dt * speed) / rate, speed)
    work.scalar_compliance[n] = 1.0 / (dt * rate)
    work.scalar_delassus[n] += work.scalar_compliance[n]
    work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def set_spring(settings, work, n, gap, stiffness, damping):
    """Set a damped spring on row n, which is closed with target 0. λ = −dt (½ k (φ₀ + φ₁) + d w⁺)

    A spring that is slack at the beginning has λ = −½ dt k s φ₁ with s = φ₁/(φ₁ − φ₀), which is ΔU/Δφ. s is
    taken at φ₁ of the present velocity, which is the farthest, so a wire that becomes taut adds no energy.
    Source: Gonzalez 1996 (discrete gradient).

    Writes: work.
    """
    speed = work.scalar_start[n]
    begin, end = ends_of(settings, gap, speed)
    k = 0.5 * stiffness
    known = begin + gap  # of φ₀ + φ₁ without `end` w⁺
    is_slack = (begin > 0.0 and work.scalar_lower[n] == 0.0) or (begin < 0.0 and work.scalar_upper[n] == 0.0)
    if is_slack:
        there = gap + end * speed
        k *= there / (there - begin) if there * begin < 0.0 else 0.0
        known = gap
    set_law(settings, work, n, -k * known, k, damping, 0.0)
