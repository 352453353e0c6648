"""Attributes that stand in default classes and are not read: they are said, as those of elements are."""

from __future__ import annotations

from collections.abc import Iterable

from tribo.formats.mjcf import actuators, bodies, contacts, equality, geoms, joints, meshes
from tribo.formats.mjcf.source import screen
from tribo.formats.nodes import Node
from tribo.formats.report import Report

KNOWN = {
    "joint": (joints.USED, joints.WITHOUT_EFFECT),
    "geom": (geoms.USED, geoms.WITHOUT_EFFECT),
    "site": (bodies.SITE, {}),
    "mesh": (meshes.USED, meshes.WITHOUT_EFFECT),
    "pair": (contacts.PAIR, contacts.PAIR_WITHOUT_EFFECT),
    "equality": (equality.SHARED, equality.WITHOUT_EFFECT),
} | {tag: (used, actuators.WITHOUT_EFFECT) for tag, used in actuators.USED.items()}


def screen_defaults(sections: Iterable[Node], report: Report) -> None:
    """List what default classes say and nobody reads, each attribute once."""
    todo = list(sections)
    while todo:
        for node in todo.pop().children:
            if node.tag == "default":
                todo.append(node)
            elif node.tag in KNOWN:
                screen(node, report, *KNOWN[node.tag])
