"""Closed loops and gears: constraints q = γ(y) of explicit form."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.dynamics import External, HandC
from tribo.spatial.model import Model


def FDgq(model: Model, q: Any, qd: Any, tau: Any, f_ext: External = None) -> np.ndarray:
    """Return joint accelerations of a tree whose variables obey q = γ(y).

    ``model.gamma_q(model, q0, qd0)`` returns (q, qd, G, g): the variables that obey the constraint and
    are nearest to those given, their rates, G = ∂γ/∂y, and g of qdd = G ydd + g with stabilising terms.
    Then qdd = G (Gᵀ H G)⁻¹ Gᵀ (tau − C − H g) + g.

    Args:
        model: Tree on a fixed base with `gamma_q`.
        q, qd, tau: (NB,) variables, rates, forces.
        f_ext: External forces per body, base coordinates.

    Source: Featherstone 2008, section 3.2 (explicit constraints).

    Raises:
        ValueError: The model has no `gamma_q`.
    """
    if model.gamma_q is None:
        raise ValueError("FDgq needs model.gamma_q; use FDab for a tree without constraints")
    q0 = check.vector(np.ravel(np.asarray(q, float)), "q", model.NB)
    qd0 = check.vector(np.ravel(np.asarray(qd, float)), "qd", model.NB)
    tau = check.vector(np.ravel(np.asarray(tau, float)), "tau", model.NB)
    q, qd, G, g = model.gamma_q(model, q0, qd0)
    H, C = HandC(model, q, qd, f_ext)
    ydd = np.linalg.solve(G.T @ H @ G, G.T @ (tau - C - H @ g))
    return np.asarray(G @ ydd + g)


def stabilised(
    q: np.ndarray, qd: np.ndarray, q0: np.ndarray, qd0: np.ndarray, time_constant: float
) -> np.ndarray:
    """Return the part of g that pulls given variables q0, qd0 onto the constrained q, qd.

    2/T (qd − qd0) + 1/T² (q − q0): a critically damped return with time constant T [s].

    Source: Featherstone 2008, section 8.3 (Baumgarte's stabilisation).
    """
    return np.asarray(2.0 / time_constant * (qd - qd0) + (q - q0) / time_constant**2)
