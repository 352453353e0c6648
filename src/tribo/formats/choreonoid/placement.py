"""How a project puts a body into its world: where its root is, whether it moves, its joints."""

from __future__ import annotations

from dataclasses import dataclass

from tribo.formats.choreonoid.keys import value
from tribo.formats.choreonoid.links import BodyLink
from tribo.formats.pose import Pose
from tribo.model import Joint


@dataclass(frozen=True, slots=True)
class Placement:
    """Settings of a project for a body; None: as the body file says."""

    root: Pose | None = None
    joints: tuple[float, ...] = ()  # [rad, m] in the order of their ids
    is_fixed: bool | None = None
    touches_itself: bool | None = None


def place(links: dict[str, BodyLink], base: BodyLink, placement: Placement) -> None:
    """Let the links of a body start as a project says."""
    if placement.root is not None:
        base.pose = placement.root
    base.joint.position, base.joint.quaternion = base.pose.position, base.pose.quaternion
    ordered = in_order(links)
    for link, start in zip(ordered, placement.joints, strict=False):
        link.start = start
    if len(placement.joints) > len(ordered):
        base.node.doubt(
            f"the project has {len(placement.joints)} joint displacements, the body {len(ordered)} joints: "
            "those beyond have no effect"
        )


def in_order(links: dict[str, BodyLink]) -> list[BodyLink]:
    """Return the links whose joints have a coordinate: by jointId, those without one behind."""
    known, others = [], []
    for link in links.values():
        if link.joint.type in {Joint.FREE, Joint.FIXED}:
            continue
        node = value(link.node, "joint_id")
        if node is not None and node.number() >= 0.0:
            known.append((node.number(), link))
        else:
            others.append(link)
    return [link for _, link in sorted(known, key=lambda pair: pair[0])] + others
