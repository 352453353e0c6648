"""Featherstone's toolbox: spatial and planar vectors and rigid-body dynamics, to be read.

Names and argument order are those of Spatial_v2 (MATLAB, 2012), which accompanies Featherstone's *Rigid
Body Dynamics Algorithms* (2008); the code is our own, from the equations of the book. Bodies and points
are numbered from 0, the fixed base is −1. ``docs/reference/spatial.md`` maps every function.
"""

from tribo.spatial.contact import gcFD, gcontact, gcPosVel
from tribo.spatial.convert import ConversionWarning, from_tribo, state_from_tribo, state_to_tribo, to_tribo
from tribo.spatial.dynamics import HD, ID, Energy, EnerMo, FDab, FDcrb, HandC, apply_external_forces
from tribo.spatial.files import load, save
from tribo.spatial.floating import EnerMofb, FDfb, IDfb, fbanim, fbkin, floatbase
from tribo.spatial.inertia import mcI
from tribo.spatial.joints import JointType, jcalc
from tribo.spatial.loops import FDgq
from tribo.spatial.model import Appearance, Camera, GroundContact, Model, get_gravity
from tribo.spatial.rotation import rq, rqd, rv, rx, ry, rz, skew
from tribo.spatial.samples import (
    autoTree,
    crossed_rods,
    doubleElbow,
    hinged_rods,
    planar,
    rollingdisc,
    tumbling_box,
)
from tribo.spatial.sparsity import LTDL, LTL, expandLambda, mpyH, mpyL, mpyLi, mpyLit, mpyLt
from tribo.spatial.transforms import Fpt, Vpt, Xpt, XtoV, crf, crm, plnr, pluho, plux, rotx, roty, rotz, xlt

_OTHERS = {"vee": "hinged_rods", "singlebody": "tumbling_box", "scissor": "crossed_rods"}


def __getattr__(name: str) -> None:
    """Say of the toolbox's models that are not here what is there instead."""
    if name in _OTHERS:
        raise AttributeError(
            f"the numbers of the toolbox's {name} are not published; tribo.spatial.{_OTHERS[name]} is a "
            "model of our own, for the same use"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "HD", "ID", "LTDL", "LTL", "Appearance", "Camera", "ConversionWarning", "EnerMo", "EnerMofb",
    "Energy", "FDab", "FDcrb", "FDfb", "FDgq", "Fpt", "GroundContact", "HandC", "IDfb", "JointType",
    "Model", "Vpt", "Xpt", "XtoV", "apply_external_forces", "autoTree", "crf", "crm",
    "crossed_rods", "doubleElbow", "expandLambda", "fbanim", "fbkin", "floatbase", "from_tribo",
    "gcFD", "gcPosVel", "gcontact", "get_gravity", "hinged_rods", "jcalc", "load", "mcI", "mpyH",
    "mpyL", "mpyLi", "mpyLit", "mpyLt", "planar", "plnr", "pluho", "plux", "rollingdisc", "rotx",
    "roty", "rotz", "rq", "rqd", "rv", "rx", "ry", "rz", "save", "skew", "state_from_tribo",
    "state_to_tribo", "to_tribo", "tumbling_box", "xlt",
]  # fmt: skip
