"""A compliant ground for points of bodies, with its states and events (Spatial_v2's contact model).

`Ground` is the law, `simulate` an adaptive integration that finds every change of state; the rest helps
to choose numbers. It needs SciPy: ``pip install "tribo[ground]"``.
"""

from tribo.ground.design import (
    GroundWarning,
    check_step,
    contact_time,
    damping_for,
    impact_depth,
    impact_ratio,
    parallel,
    recovery_time,
    rest_depth,
    stiffness_for,
)
from tribo.ground.events import Event
from tribo.ground.integrate import simulate
from tribo.ground.law import Ground
from tribo.ground.motion import Motion
from tribo.model import ContactState

__all__ = [
    "ContactState", "Event", "Ground", "GroundWarning", "Motion", "check_step", "contact_time",
    "damping_for", "impact_depth", "impact_ratio", "parallel", "recovery_time", "rest_depth",
    "simulate", "stiffness_for",
]  # fmt: skip
