"""Values of a batch by name, as type checkers and editors see them: one for all worlds, or one for each."""

from __future__ import annotations

from typing import TypedDict

from tribo.checks.types import Numbers


class SettingValues(TypedDict, total=False):
    """Numbers of `Batch.set_settings`."""

    time_step: Numbers
    gravity: Numbers
    erp: Numbers
    sleeping: Numbers
    sleep_speed: Numbers
    sleep_angular_speed: Numbers
    sleep_time: Numbers


class LinkValues(TypedDict, total=False):
    """Properties of a link."""

    mass: Numbers
    com: Numbers
    inertia: Numbers
    gravity_compensation: Numbers


class JointValues(TypedDict, total=False):
    """Properties of a joint."""

    armature: Numbers
    damping: Numbers
    stiffness: Numbers
    dry_friction: Numbers
    velocity_limit: Numbers
    effort_limits: Numbers | tuple[Numbers, Numbers]
    limits: tuple[Numbers, Numbers]
    position_in_parent: Numbers


class MotorValues(TypedDict, total=False):
    """Numbers of motors between drives and joints."""

    delay: Numbers
    time_constant: Numbers
    stall_torque: Numbers
    no_load_speed: Numbers


class PairNumbers(TypedDict, total=False):
    """Numbers of a pair of materials: of `PairProperties`, or of `ContactMaterial`."""

    friction: Numbers
    restitution: Numbers
    restitution_threshold: Numbers
    static_friction: Numbers
    static_friction_velocity: Numbers
    rolling_friction: Numbers
    spinning_friction: Numbers
    stiffness: Numbers
    damping: Numbers
    rolling_length: Numbers
    spinning_length: Numbers
    youngs_modulus: Numbers
    spook_damping: Numbers
    secondary_friction: Numbers
    surface_viscosity: Numbers
    secondary_surface_viscosity: Numbers
    adhesion_force: Numbers
    adhesive_overlap: Numbers
    constant_normal_force: Numbers
    elastic_rest_length: Numbers
