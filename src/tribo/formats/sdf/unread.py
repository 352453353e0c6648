"""Which elements and attributes of SDF are read, which mean nothing here, and which are left out and say so.

`screen` looks at everything in an element once. An element or attribute in none of the tables is unknown,
which is said as well.
"""

from __future__ import annotations

from tribo.formats.nodes import Node, walk

_HARD = "has no effect: contacts and stops are hard here"
_SOLVER = "is not read: it belongs to a solver of Gazebo that is not here"
_WIND = "is not read: there is no wind"
_BITS = "is not read: give the objects collision groups and masks"
# The elements that are read, by the one around them. Elements that hold others have a line of their own,
# with the element around it before a slash where they mean different things in different ones.
READ = {
    "sdf": "world model",
    "world": "include gravity physics model",
    "physics": "max_step_size",
    "include": "uri name static pose placement_frame",
    "model": "static self_collide pose link joint frame model include",
    "frame": "pose",
    "link": "pose inertial collision visual gravity contact",
    "inertial": "pose mass inertia density",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "collision": "pose geometry surface density",
    "geometry": "box capsule cone cylinder ellipsoid empty mesh plane sphere heightmap image polyline",
    "box": "size",
    "capsule": "radius length",
    "cone": "radius length",
    "cylinder": "radius length",
    "ellipsoid": "radii",
    "sphere": "radius",
    "plane": "normal",
    "mesh": "uri scale submesh",
    "surface": "friction bounce contact",
    "bounce": "restitution_coefficient threshold",
    "friction": "ode bullet torsional",
    "friction/ode": "mu mu2",
    "friction/bullet": "friction friction2 rolling_friction",
    "torsional": "coefficient use_patch_radius patch_radius",
    "contact": "ode",
    "contact/ode": "",
    "joint": "parent child axis axis2 pose",
    "axis": "xyz limit dynamics mimic use_parent_model_frame",
    "limit": "lower upper effort velocity",
    "dynamics": "damping friction spring_reference spring_stiffness",
    "mimic": "joint multiplier offset reference",
}
SAME = {"axis2": "axis"}  # elements that hold what others hold
BULLET = "link/contact"  # PyBullet's words of friction, screened by `surface_friction.of_bullet`
# The attributes that are read, by element; after a semicolon those that move nothing.
ATTRIBUTES = {
    "sdf": "version",
    "world": "; name",
    "physics": "default; name type",
    "include": "merge",
    "model": "name canonical_link placement_frame",
    "frame": "name attached_to",
    "pose": "relative_to frame degrees rotation_format",
    "link": "name",
    "inertial": "auto",
    "collision": "; name concave",  # shapes are called LINK/number; what stands is exact anyway
    "visual": "; name",
    "mesh": "optimization",
    "joint": "name type",
    "xyz": "expressed_in",
    "mimic": "joint axis",
}
# Pictures, hints of editors, and settings of solvers without a meaning for the motion here.
SILENT = {
    "sdf": "light",
    "world": "light gui scene atmosphere magnetic_field spherical_coordinates audio road",
    "physics": "real_time_factor real_time_update_rate max_contacts dart simbody bullet ode",
    "model": "allow_auto_disable",
    "link": "light projector audio_sink audio_source battery particle_emitter material must_be_base_link",
    "collision": "laser_retro max_contacts auto_inertia_params",
    "plane": "size",
    "mesh": "convex_decomposition",
    "contact/ode": "max_vel min_depth",
    "friction/ode": "fdir1",  # matters where mu and mu2 differ, of which a note tells
    "friction/bullet": "fdir1",
}
# Elements that are left out although they could move something, and why, as the log says.
SAID = {
    "sdf": {"actor": "is not read: actors do not move"},
    "world": {
        "wind": _WIND,
        "plugin": "is not read: plugins are programs of Gazebo",
        "state": "is not read: models start where their poses say",
        "population": "is not read: write the models out",
        "actor": "is not read: actors do not move",
        "joint": "of a world is not read: it is left out",
        "frame": "of a world is not read: it is left out",
    },
    "include": {"plugin": "is not read: plugins are programs of Gazebo",
                "experimental:params": "is not read: the model is taken as its file has it"},
    "model": {
        "enable_wind": _WIND,
        "plugin": "is not read: plugins are programs of Gazebo",
        "gripper": "is not read: it holds nothing",
    },
    "link": {
        "self_collide": "of a link is not read; write it in the <model>",
        "kinematic": "is not read: the link moves by the forces on it",
        "enable_wind": _WIND,
        "velocity_decay": "is not read: nothing slows the link down; write <damping> at its joint",
        "sensor": "is not read; add sensors with World.add_imu and those like it",
        "plugin": "is not read: plugins are programs of Gazebo",
    },
    "inertial": {"fluid_added_mass": "is not read: there is no fluid"},
    "surface": {"soft_contact": "has no effect: bodies are rigid"},
    "friction/ode": {"slip1": "is not read: friction holds without slip",
                     "slip2": "is not read: friction holds without slip"},
    "torsional": {"surface_radius": "is not read; give patch_radius",
                  "ode": "is not read: friction holds without slip"},
    "contact": {
        "collide_without_contact": "is not read: the shape collides",
        "collide_without_contact_bitmask": _BITS,
        "collide_bitmask": _BITS,
        "category_bitmask": _BITS,
        "poissons_ratio": _HARD,
        "elastic_modulus": _HARD,
        "bullet": _HARD,
    },
    "contact/ode": dict.fromkeys(("soft_cfm", "soft_erp", "kp", "kd"), _HARD),
    "joint": {
        "physics": _SOLVER,
        "sensor": "is not read; add sensors with World.add_imu and those like it",
        "gearbox_ratio": "is not read",
        "gearbox_reference_body": "is not read",
        "thread_pitch": "is not read",
        "screw_thread_pitch": "is not read",
    },
    "axis": {"initial_position": "is not read: joints start where the poses say"},
    "limit": {"stiffness": _HARD, "dissipation": _HARD},
}  # fmt: skip
PROGRAMS = ("plugin", "sensor")  # which most files have: a remark, no warning
BITS = ("-1", "65535", "0xffff")  # all of them
# Values that change nothing; of others: zero, false, nothing.
DEFAULTS = {"kp": 1e12, "kd": 1.0, "soft_erp": 0.2, "erp": 0.2, "stiffness": 1e8, "dissipation": 1.0}
WEIGHTLESS = ("provide_feedback", "implicit_spring_damper", "cfm_damping", "must_be_loop_joint")


def screen(node: Node) -> None:
    """Say what in an element, and of itself, is not read; a model that it holds is screened for itself."""
    todo = [(node, node.tag)]
    _check_attributes(node)
    while todo:
        owner, kind = todo.pop()
        said, silent = SAID.get(kind, {}), SILENT.get(kind, "").split()
        owner.check_children(READ[kind].split(), silent=(*silent, *said))
        for child in owner.children:
            inner = f"{kind}/{child.tag}"
            inner = inner if inner in READ or inner == BULLET else SAME.get(child.tag, child.tag)
            if child.tag in said:
                _say(child, said[child.tag], kind)
            elif child.tag in READ[kind].split() and child.tag != "model" and inner != BULLET:
                _check_attributes(child)
                if inner in READ:
                    todo.append((child, inner))


def _check_attributes(node: Node) -> None:
    words = ATTRIBUTES.get(node.tag, "").replace(";", "").split()
    node.check_attributes(words)


def _say(node: Node, why: str, kind: str) -> None:
    if all(_changes_nothing(one) for one in walk(node) if not one.children):
        return
    key = f"sdf {kind}/{node.tag}"
    if node.tag in PROGRAMS:
        node.note(f"{why}", key)
    else:
        node.doubt(why, key)


def _changes_nothing(node: Node) -> bool:
    """Tell whether an element has the value that counts where it is not written."""
    words = node.content.lower().split()
    if node.tag in WEIGHTLESS or words in ([], ["false"]) or (len(words) == 1 and words[0] in BITS):
        return True
    try:
        return all(float(word) in (0.0, DEFAULTS.get(node.tag)) for word in words)
    except ValueError:
        return False
