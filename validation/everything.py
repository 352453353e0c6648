"""All cases: importing this module enters them."""

from __future__ import annotations

import a_friction
import a_structures
import b_rolling
import b_tops
import c_impact
import d_robots
import d_smooth
import d_ties
import d_trees
import e_drives
import e_ground
import e_materials
import e_wires
import f_drop
import f_houses
import f_motion
import f_passes
import f_stacks
import f_system
import f_terrain
import g_control
import r_founding

FAMILIES = {
    "A": "Friction",
    "B": "Rolling and spinning",
    "C": "Impact",
    "D": "Smooth dynamics",
    "E": "Drives, wires, compliance",
    "F": "Solver, geometry and system",
    "G": "Derivatives, identification, inverse problems",
    "R": "The founding text's own list",
}
MODULES = (
    a_friction, a_structures, b_rolling, b_tops, c_impact, d_robots, d_smooth, d_ties, d_trees, e_drives,
    e_ground, e_materials, e_wires,
    f_drop, f_houses, f_motion, f_passes, f_stacks, f_system, f_terrain, g_control, r_founding,
)  # fmt: skip
