"""Scratch of the queries that `Work` has no place for."""

from tribo.compiler.record import Record, field


class Scratch(Record):
    """Arrays of one query besides `Work`, for one tree."""

    still = field("nv")  # [m/s², rad/s²] zero acceleration
    dof_rate = field("nv", 6)  # [1/s] time derivative of the motion axes, spatial
    dof_force = field("nv", 6)  # I^A s of a motion axis s, spatial
    dof_pivot = field("nv")  # [1/kg, 1/(kg m²)] 1 / (sᵀ I^A s + armature)
    dof_rest = field("nv")  # [N, N m] remaining generalized force of its dof
    articulated = field("nbody", 36)  # I^A, row-major; spatial
    body_rate = field("nbody", 36)  # B with Ṁ − 2 C skew (`coriolis`), row-major; spatial
