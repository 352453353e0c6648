"""A body file of a vehicle on a track: links of type ContinuousTrack round two wheels."""

import math

TURNS, STRAIGHT, PITCH, THICK = 6, 8, 0.1, 0.02
PADS = 2 * (STRAIGHT + TURNS - 1)
LENGTH = (STRAIGHT - 1) * PITCH  # [m] from wheel to wheel
# The pads round a wheel are sides of a regular polygon of 2 TURNS sides.
INNER = 0.5 * PITCH / math.tan(0.5 * math.pi / TURNS)
WHEEL = INNER - 0.5 * THICK
ANGLES = (
    [0.0] * (STRAIGHT - 1) + [180.0 / TURNS] * TURNS + [0.0] * (STRAIGHT - 1) + [180.0 / TURNS] * (TURNS - 1)
)


def wheel(name, x):
    return (
        f" - {{ name: {name}, parent: hull, jointType: revolute, jointAxis: Y, translation: [ {x}, 0, 0 ], "
        "mass: 5, inertia: [ 0.1, 0, 0, 0.1, 0, 0.1 ], elements: { Shape: { geometry: "
        f"{{ type: Cylinder, radius: {WHEEL}, height: 0.3 }} }} }} }}\n"
    )


def crawler(track=None, rules="", at=0.0):
    pads = track or (f"numJoints: {PADS}, jointOffset: [ {PITCH}, 0, 0 ], initialJointAngles: {ANGLES}")
    return (
        f"format: ChoreonoidBody\nname: Crawler\n{rules}links:\n"
        f" - {{ name: hull, jointType: free, translation: [ 0, {at}, {INNER + 0.5 * THICK} ], mass: 20, "
        "inertia: [ 0.5, 0, 0, 1, 0, 1 ] }\n"
        + wheel("front", 0.5 * LENGTH)
        + wheel("rear", -0.5 * LENGTH)
        + f" - {{ type: ContinuousTrack, name: pad, parent: hull, jointAxis: Y, {pads},\n"
        f"     translation: [ {-0.5 * (LENGTH + PITCH)}, 0, {INNER} ], mass: 0.3, "
        "inertia: [ 0.0023, 0, 0, 0.00026, 0, 0.0025 ],\n"
        f"     elements: {{ Shape: {{ translation: [ {0.5 * PITCH}, 0, 0 ], "
        f"geometry: {{ type: Box, size: [ {0.9 * PITCH}, 0.3, {THICK} ] }} }} }} }}\n"
    )


SLED = """
format: ChoreonoidBody
name: Sled
links:
  - {{ name: hull, jointType: free, translation: [ 0, 0, 0.1 ], mass: 1.0,
      inertia: [ 0.02, 0, 0, 0.02, 0, 0.02 ] }}
  - {{ name: belt, parent: hull, {joint}, mass: 9.0, rotation: [ 0, 0, 1, 90 ],
      inertia: [ 0.2, 0, 0, 0.2, 0, 0.2 ],
      elements: [ {{ type: Shape, translation: [ 0, -0.25, 0 ],
                    geometry: {{ type: Box, size: [ 0.4, 0.5, 0.2 ] }} }},
                  {{ type: Shape, translation: [ 0, 0.25, 0 ],
                    geometry: {{ type: Box, size: [ 0.4, 0.5, 0.2 ] }} }} ] }}
"""
SPELLINGS = (
    "jointType: pseudoContinuousTrack, jointAxis: X",
    "joint_type: pseudo_continuous_track, joint_axis: [ 2, 0, 0 ]",
    "jointType: pseudo_continuous_track, jointAxis: X, actuationMode: jointVelocity",
    "actuationMode: jointSurfaceVelocity, jointAxis: X",  # of files before 2020
)
