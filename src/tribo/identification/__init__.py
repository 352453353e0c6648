"""Parameters of a world from measured motion: friction, restitution, masses, inertias, joints, motors."""

from tribo.identification.identify import identify
from tribo.identification.log_cholesky import inertial
from tribo.identification.result import Identification
from tribo.identification.statistics import Estimate
from tribo.identification.trajectory import Trajectory
from tribo.identification.unknowns import Unknown, body, joint, motors, offset, pair, tilt

__all__ = [
    "Estimate", "Identification", "Trajectory", "Unknown", "body", "identify", "inertial", "joint",
    "motors", "offset", "pair", "tilt",
]  # fmt: skip
