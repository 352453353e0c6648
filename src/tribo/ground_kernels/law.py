"""The compliant ground at one point: state, force, and how far the state is from changing.

A point is at height z [m] with velocity zd; `v` and `u` are its velocity and the ground's deformation
along two tangents. s = √max(0, −z) multiplies all forces, so that what decides between states is free
of it: the pressure n = −K z − D zd and the trial friction t = K u + D v, both in N/√m.

Source: Azad & Featherstone 2010 for spheres; for points as in Spatial_v2 (2012).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.enums import ContactState


@kernel
def point_state(K, D, mu, z, zd, v, u):
    """Return the state of a point.   contact: z < 0 and n > 0; sticks: |t| ≤ μ n."""
    n = pressure(K, D, z, zd)
    if min(-K * z, n) <= 0.0:
        return ContactState.LIFTED
    return ContactState.STICKING if mu * n - trial_size(K, D, v, u) >= 0.0 else ContactState.SLIPPING


@kernel
def pressure(K, D, z, zd):
    """Return n = −K z − D zd."""
    return -K * z - D * zd


@kernel
def trial_size(K, D, v, u):
    """Return |K u + D v|."""
    first = K * u[0] + D * v[0]
    second = K * u[1] + D * v[1]
    return sqrt(first * first + second * second)


@kernel
def response(state, K, D, mu, z, zd, v, u):
    """Return tangential force, normal force and rate of u of a point that is in a given state.

    A state is continued beyond its own region, so that an integrator sees smooth functions.
    """
    if state == ContactState.LIFTED:
        rate = -K / D
        return (0.0, 0.0), 0.0, (rate * u[0], rate * u[1])
    s = sqrt(max(0.0, -z))
    n = pressure(K, D, z, zd)
    first = K * u[0] + D * v[0]
    second = K * u[1] + D * v[1]
    if state == ContactState.STICKING:
        return (-s * first, -s * second), s * n, (v[0], v[1])
    size = trial_size(K, D, v, u)
    part = mu * n / size if size > 0.0 else 0.0
    rate = ((part * first - K * u[0]) / D, (part * second - K * u[1]) / D)
    return (-s * part * first, -s * part * second), s * n, rate


@kernel
def margin(state, K, D, mu, z, zd, v, u):
    """Return how far a point is from leaving its state; negative: it has left it [N/√m]."""
    n = pressure(K, D, z, zd)
    touch = min(-K * z, n)
    if state == ContactState.LIFTED:
        return -touch
    reserve = mu * n - trial_size(K, D, v, u)
    return min(touch, reserve if state == ContactState.STICKING else -reserve)
