"""The two records of a tree on a compliant ground: what it is made of, and scratch.

The numbers of a motion are one vector y: with a fixed base [q, qd, u, W], with a floating one
[x (13), q, qd, u, W]; x is Spatial_v2's state of a floating base, u has two numbers per point (planar:
one), W is the work that the ground has taken up.
"""

import numpy as np

from tribo.compiler.record import Record, field

INT = np.int64


class Tree(Record):
    """A tree of joints, its contact points and its ground. Vectors are 3-D; planar trees lie in x-y."""

    is_floating = field(dtype=INT)  # 1: body 0 is a floating base
    up = field(dtype=INT)  # index of the height coordinate: 2, planar 1
    gravity = field(3)  # [m/s²]
    tau = field("joint")  # [N m, N] joint forces; set before each call

    body_parent = field("body", dtype=INT)  # −1: the fixed base
    body_mass = field("body")  # [kg]
    body_com = field("body", 3)  # [m] body frame
    body_inertia = field("body", 6)  # [kg m²] about the centre of mass, body axes
    joint_pos = field("body", 3)  # [m] joint frame in the parent
    joint_rot = field("body", 9)  # axes of the joint frame, as columns, in the parent
    joint_axis = field("body", 3)  # unit, joint frame
    joint_turn = field("body")  # [rad] rotation about the axis per joint variable: 1 or 0
    joint_slide = field("body")  # [m] translation along it per joint variable: 0, 1, or the pitch

    point_body = field("point", dtype=INT)
    point_pos = field("point", 3)  # [m] body frame
    point_K = field("point")  # [N/m^1.5] stiffness
    point_D = field("point")  # [N s/m^1.5] damping
    point_mu = field("point")  # [–] friction coefficient
    point_state = field("point", dtype=INT)  # contact state that the integration assumes (`law`)


class Scratch(Record):
    """Scratch, computed from the tree and y. Spatial vectors: world axes, about the origin."""

    body_pos = field("body", 3)  # [m]
    body_rot = field("body", 9)  # body axes as columns
    body_vel = field("body", 6)  # [rad/s, m/s] spatial velocity
    body_mom = field("body", 10)  # m, m c (3), inertia about the origin (6)
    axis = field("body", 6)  # motion axis of the joint
    drift = field("body", 6)  # v × axis qd
    inertia = field("body", 6, 6)  # articulated-body inertia
    bias = field("body", 6)  # articulated-body bias force
    push = field("body", 6)  # inertia · axis
    axis_inertia = field("body")  # axisᵀ inertia axis
    axis_force = field("body")  # joint force minus axisᵀ bias
    acc = field("body", 6)  # [rad/s², m/s²] acceleration minus gravity
    solve = field(6, 6)

    point_pos = field("point", 3)  # [m]
    point_vel = field("point", 3)  # [m/s]
    point_force = field("point", 3)  # [N] on the body
    point_rate = field("point", 2)  # [m/s] of u
    point_u = field("point", 2)  # [m]
