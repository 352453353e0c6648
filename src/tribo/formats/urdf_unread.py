"""Words for other programs in URDF files, remarks on those that are not read, and surplus parts."""

from __future__ import annotations

from tribo.formats.nodes import Node, is_number, words_of

GAZEBO_READ = ("mu1", "mu2", "kp", "kd")  # `surface_friction`
# Pictures, hints of converters, and settings of Gazebo's solvers without a meaning for the motion here.
GAZEBO_SILENT = (
    "material", "visual", "maxContacts", "max_contacts", "maxVel", "minDepth", "laserRetro",
    "preserveFixedJoint", "disableFixedJointLumping", "implicitSpringDamper", "cfmDamping",
    "provideFeedback", "stopCfm", "stopErp", "fudgeFactor",
    "fdir1",
)  # fmt: skip
_DAMPER = "is not read; write it in <dynamics> of the joint"
GAZEBO_SAID = {
    "turnGravityOff": "is not read: gravity acts on all links",
    "selfCollide": 'is not read; give self_collision="all"',
    "self_collide": 'is not read; give self_collision="all"',
    "kinematic": "is not read: the link moves by the forces on it",
    "static": "is not read; let a link named world be the root",
    "dampingFactor": "is not read: nothing slows the link down",
    "velocity_decay": "is not read: nothing slows the link down",
    "springStiffness": _DAMPER,
    "springReference": _DAMPER,
    "bounce": "is not read; set the restitution of a material",
    "initial_joint_position": "is not read; set generalized_coordinate",
}
PROGRAMS = {  # a remark, no warning: programs around the simulation read them
    "plugin": "is a program of Gazebo: it does not run",
    "sensor": "is not read; add sensors with World.add_imu and those like it",
    "transmission": "is not read: controllers act on the joints",
    "ros2_control": "is not read: controllers act on the joints",
    "mujoco": "is not read: MuJoCo's settings for this file have no effect",
    "safety_controller": "is not read: a controller keeps its limits; those of <limit> hold",
}
LINK_SAID = {
    "gravity": "is not read: gravity acts on all links",
    "kinematic": "is not read: the link moves by the forces on it",
    "self_collide": 'is not read; give self_collision="all"',
    "gazebo": 'has no effect in a link; put it beside the links with reference="LINK"',
}
OFF = {"gravity": ("true", "1")}  # values with which an element changes nothing; of others: off
NO = ("false", "0", "0.0")


def screen(robot: Node) -> None:
    """Say what of a robot is not read."""
    for node in robot.children:
        if node.tag == "gazebo":
            known = (*GAZEBO_READ, *GAZEBO_SILENT, *GAZEBO_SAID, *PROGRAMS, "gravity")
            for child in node.children:
                if child.tag not in known:
                    child.note("unknown in <gazebo>, ignored", f"gazebo/{child.tag}")
            _say(node, GAZEBO_SAID | {"gravity": LINK_SAID["gravity"]})
        elif node.tag == "link":
            _say(node, LINK_SAID)
        elif node.tag == "joint":
            _say(node, {"gazebo": LINK_SAID["gazebo"].replace("link", "joint", 1)})
    _say(robot, {})


def _say(owner: Node, said: dict[str, str]) -> None:
    for node in owner.children:
        key = f"{owner.tag}/{node.tag} unread"
        if node.tag in said:
            value = (node.word("value") or node.content).lower()
            if value not in OFF.get(node.tag, NO):
                node.doubt(said[node.tag], key)
        elif node.tag in PROGRAMS:
            node.note(PROGRAMS[node.tag], key)


SINGLE = {  # elements that may stand once, by the one that holds them
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
}
VECTORS = {"origin": ("xyz", "rpy"), "axis": ("xyz",), "mesh": ("scale",)}


def drop_surplus(robot: Node) -> None:
    """Drop repeated elements and surplus numbers, as readers of the first one do, and doubt them."""
    for part in robot.children:
        if part.tag in {"link", "joint"}:
            _drop(part)


def _drop(node: Node) -> None:
    surplus = [other for tag in SINGLE.get(node.tag, ()) for other in [*node.all(tag)][1:]]
    for other in surplus:
        other.doubt(f"stands again in {node.place}: the first one is read; keep one", f"second {other.tag}")
    gone = set(map(id, surplus))
    node.children = [child for child in node.children if id(child) not in gone]
    for name in VECTORS.get(node.tag, ()):
        words = words_of(node.attributes.get(name, ""))
        if len(words) > 3 and all(map(is_number, words)):
            node.doubt(
                f"{name} has {len(words)} numbers, must have 3: the first three are read",
                f"{name} of {len(words)}",
            )
            node.attributes[name] = " ".join(words[:3])
    for child in node.children:
        _drop(child)
