"""Words for other programs in URDF files: those that mean nothing here, and remarks on the others."""

from __future__ import annotations

from tribo.formats.nodes import Node

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
