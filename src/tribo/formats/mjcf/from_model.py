"""A model that MuJoCo compiled, as the elements of an MJCF file: what it says in arrays, nothing by default.

MuJoCo is imported within the call: whichever the model came from, 3 or 4.
Source: MuJoCo's reference of mjModel; compared with its own XML in tests/compare.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks.check import LARGEST, shown
from tribo.formats.mjcf.compiler import read_compiler
from tribo.formats.mjcf.source import Rules, Source
from tribo.formats.nodes import Node
from tribo.formats.report import Report

KIND = "MjModel"
TRANSMISSIONS = ("joint", "jointinparent", "tendon", "site", "body")
UNREAD = {  # arrays without effect; behind a colon their names in files
    "geom": "solref solimp solmix margin gap adhesion surfacevel fluid:fluidshape",
    "jnt": "solref:solreflimit solimp:solimplimit margin actgravcomp:actuatorgravcomp",
    "dof": "solref:solreffriction solimp:solimpfriction",
    "pair": "solref solreffriction solimp margin gap adhesion",
    "eq": "solref solimp",
    "tendon": "margin solref_lim:solreflimit solimp_lim:solimplimit solref_fri:solreffriction "
    "solimp_fri:solimpfriction",
}
STANDARD = {"solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0), "solmix": (1.0,)}


def as_source(model: Any, report: Report) -> Source:
    """Return an MjModel, an MjSpec or what wraps one (`ptr`, `_model`) as a file that was read.

    Raises:
        TypeError: It is none of them.
    """
    for name in ("ptr", "_model"):  # dm_control, robosuite
        model = getattr(model, name, model)
    if hasattr(model, "worldbody") and hasattr(model, "compile"):
        model = model.compile()
    if not hasattr(model, "body_parentid"):
        raise TypeError(f"model must be an MjModel or an MjSpec of MuJoCo, got {shown(model)}")
    root = _Writer(model, report).root()
    return Source(root, None, [], Rules(read_compiler(root), None))


class _Writer:
    """Writes one model."""

    def __init__(self, model: Any, report: Report) -> None:
        import mujoco

        self._model, self._mujoco, self._report = model, mujoco, report
        self._names: dict[tuple[str, int], str] = {}
        for kind, count in (
            ("body", model.nbody), ("jnt", model.njnt), ("geom", model.ngeom), ("site", model.nsite),
            ("mesh", model.nmesh), ("hfield", model.nhfield), ("tendon", model.ntendon),
            ("actuator", model.nu), ("eq", model.neq), ("key", model.nkey), ("sensor", model.nsensor),
        ):  # fmt: skip
            own = [str(getattr(model, kind)(k).name or "") for k in range(count)]
            taken = set(own)
            for k, name in enumerate(own):
                unique = name or f"{'joint' if kind == 'jnt' else kind}_{k}"
                while not name and unique in taken:
                    unique += "_"
                self._names[kind, k] = unique
                taken.add(unique)

    def _node(self, tag: str, parent: Node | None = None, **values: Any) -> Node:
        """Return an element; None is left out, arrays are written with all their digits."""
        made = Node(tag, KIND, 0, self._report, largest=LARGEST)
        made.attributes = {k: _text(v) for k, v in values.items() if v is not None}
        if parent is not None:
            parent.children.append(made)
        return made

    def root(self) -> Node:
        """Return the whole model."""
        m = self._model
        root = self._node("mujoco")
        self._node("compiler", root, angle="radian", autolimits="false")
        self._options(root)
        self._assets(self._node("asset", root))
        world = self._node("worldbody", root)
        bodies = [world]
        for k in range(1, m.nbody):
            bodies.append(self._body(k, bodies[m.body_parentid[k]]))
        for k in range(m.ngeom):
            self._geom(k, bodies[m.geom_bodyid[k]])
        for k in range(m.nsite):
            self._node("site", bodies[m.site_bodyid[k]], name=self._names["site", k],
                       pos=m.site_pos[k], quat=m.site_quat[k])  # fmt: skip
        self._contacts(self._node("contact", root))
        self._equalities(self._node("equality", root))
        self._tendons(self._node("tendon", root))
        self._actuators(self._node("actuator", root))
        self._sensors(self._node("sensor", root))
        for tag, count, section in (("flex", m.nflex, "deformable"), ("plugin", m.nplugin, "extension")):
            if count:  # that they are not read is said as of files
                self._node(tag, self._node(section, root))
        keys = self._node("keyframe", root)
        for k in range(m.nkey):
            self._node("key", keys, name=self._names["key", k], qpos=m.key_qpos[k] if m.nq else None,
                       qvel=m.key_qvel[k] if m.nv and m.key_qvel[k].any() else None,
                       ctrl=m.key_ctrl[k] if m.nu else None,
                       act=m.key_act[k] if m.na else None)  # fmt: skip
        return root

    def _options(self, root: Node) -> None:
        option, mujoco = self._model.opt, self._mujoco
        given = {
            name: value for name in ("density", "viscosity", "wind") if np.any(value := getattr(option, name))
        }
        groups = int(option.disableactuator)
        idle = " ".join(str(k) for k in range(groups.bit_length()) if groups >> k & 1)
        node = self._node("option", root, timestep=option.timestep, gravity=option.gravity,
                          actuatorgroupdisable=idle or None, **given)  # fmt: skip
        for bits, word in ((mujoco.mjtDisableBit, "disable"), (mujoco.mjtEnableBit, "enable")):
            flags = int(getattr(option, f"{word}flags"))
            names = [name for name, bit in bits.__members__.items() if "_" in name and flags & int(bit)]
            self._node("flag", node, **{name.split("_", 1)[1].lower(): word for name in names})

    def _unread(self, kind: str, k: int) -> dict[str, Any]:
        """Return what of an element has no effect and is not MuJoCo's standard, to be listed as of files."""
        given: dict[str, Any] = {}
        for array, _, name in (word.partition(":") for word in UNREAD[kind].split()):
            value = np.ravel(getattr(self._model, f"{kind}_{array}", np.zeros((k + 1, 1)))[k])
            if value.any() and tuple(value.tolist()) != STANDARD.get(array[:6]):
                given[name or array] = value
        return given

    def _assets(self, root: Node) -> None:
        m = self._model
        colliding = {int(m.geom_dataid[k]) for k in range(m.ngeom) if m.geom_type[k] == 7}
        for k in sorted(colliding):
            first, count = m.mesh_vertadr[k], m.mesh_vertnum[k]
            faces = m.mesh_face[m.mesh_faceadr[k] : m.mesh_faceadr[k] + m.mesh_facenum[k]]
            self._node("mesh", root, name=self._names["mesh", k], face=faces.ravel(),
                       vertex=m.mesh_vert[first : first + count].astype(float).ravel())  # fmt: skip
        for k in range(m.nhfield):
            rows, columns, first = int(m.hfield_nrow[k]), int(m.hfield_ncol[k]), m.hfield_adr[k]
            data = m.hfield_data[first : first + rows * columns].reshape(rows, columns)
            self._node("hfield", root, name=self._names["hfield", k], nrow=rows, ncol=columns,
                       size=m.hfield_size[k], elevation=data[::-1].astype(float).ravel())  # fmt: skip

    def _body(self, k: int, parent: Node) -> Node:
        m = self._model
        mocap = "true" if m.body_mocapid[k] >= 0 else None
        support = float(m.body_gravcomp[k]) or None
        node = self._node("body", parent, name=self._names["body", k], pos=m.body_pos[k],
                          quat=m.body_quat[k], mocap=mocap, gravcomp=support)  # fmt: skip
        self._node("inertial", node, mass=m.body_mass[k], pos=m.body_ipos[k],
                   quat=m.body_iquat[k], diaginertia=m.body_inertia[k])  # fmt: skip
        for j in range(m.body_jntadr[k], m.body_jntadr[k] + m.body_jntnum[k]):
            self._joint(j, node)
        return node

    def _joint(self, j: int, body: Node) -> None:
        m = self._model
        kind, q, dof = self._word("Joint", m.jnt_type[j]), m.jnt_qposadr[j], m.jnt_dofadr[j]
        given: dict[str, Any] = {
            "damping": _first(m.dof_damping[dof]), "armature": m.dof_armature[dof],
            "frictionloss": m.dof_frictionloss[dof], "stiffness": _first(m.jnt_stiffness[j]),
        } | self._unread("jnt", j) | self._unread("dof", dof)  # fmt: skip
        if kind in {"slide", "hinge"}:
            given |= {"axis": m.jnt_axis[j], "ref": m.qpos0[q], "springref": m.qpos_spring[q]}
        if kind != "free":
            given["pos"] = m.jnt_pos[j]
        if m.jnt_limited[j]:
            given |= {"limited": "true", "range": m.jnt_range[j]}
        if m.jnt_actfrclimited[j]:
            given |= {"actuatorfrclimited": "true", "actuatorfrcrange": m.jnt_actfrcrange[j]}
        self._node("joint", body, name=self._names["jnt", j], type=kind, **given)

    def _geom(self, k: int, body: Node) -> None:
        m = self._model
        kind = self._word("Geom", m.geom_type[k])
        data = int(m.geom_dataid[k])
        given = {
            "mesh": self._names["mesh", data] if kind == "mesh" else None,
            "hfield": self._names["hfield", data] if kind == "hfield" else None,
            "size": m.geom_size[k] if kind not in {"mesh", "hfield", "sdf"} else None,
        }
        material = int(m.geom_matid[k])
        color = m.geom_rgba[k]
        if material >= 0 and np.array_equal(color, np.array([0.5, 0.5, 0.5, 1.0])):
            color = m.mat_rgba[material]
        self._node(
            "geom", body, name=self._names["geom", k], type=kind, pos=m.geom_pos[k], quat=m.geom_quat[k],
            friction=m.geom_friction[k], condim=m.geom_condim[k], priority=m.geom_priority[k],
            contype=m.geom_contype[k], conaffinity=m.geom_conaffinity[k], group=m.geom_group[k],
            rgba=color, **given, **self._unread("geom", k),
        )  # fmt: skip

    def _contacts(self, root: Node) -> None:
        m = self._model
        for k in range(m.npair):
            self._node("pair", root, geom1=self._names["geom", m.pair_geom1[k]],
                       geom2=self._names["geom", m.pair_geom2[k]], condim=m.pair_dim[k],
                       friction=m.pair_friction[k], **self._unread("pair", k))  # fmt: skip
        for signature in np.asarray(m.exclude_signature).tolist():
            first, second = (self._names["body", int(k)] for k in divmod(signature, 1 << 16))
            if first != second:
                self._node("exclude", root, body1=first, body2=second)

    def _equalities(self, root: Node) -> None:
        m = self._model
        for k in range(m.neq):
            kind, data = self._word("Eq", m.eq_type[k]), m.eq_data[k]
            first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
            given: dict[str, Any] = {"name": self._names["eq", k]} | self._unread("eq", k)
            if not m.eq_active0[k]:
                given["active"] = "false"
            word = kind
            if kind in {"connect", "weld"}:
                word = "site" if m.eq_objtype[k] == 6 else "body"
                given |= {"anchor": data[:3]} if word == "body" else {}
            if kind == "weld":
                given |= {"relpose": data[3:10]} if word == "body" else {}
                given |= {"torquescale": data[10]} if data[10] != 1.0 else {}
            elif kind in {"joint", "tendon"}:
                given["polycoef"] = data[:5]
            for end, number in (("1", first), ("2", second)):
                if number >= 0 and word in {"site", "body", "joint", "tendon"}:
                    given[word + end] = self._names["jnt" if word == "joint" else word, number]
            self._node(kind, root, **given)

    def _tendons(self, root: Node) -> None:
        m = self._model
        for k in range(m.ntendon):
            wraps = range(m.tendon_adr[k], m.tendon_adr[k] + m.tendon_num[k])
            is_fixed = all(m.wrap_type[w] == 1 for w in wraps)
            given: dict[str, Any] = {
                "stiffness": _first(m.tendon_stiffness[k]), "damping": _first(m.tendon_damping[k]),
                "frictionloss": m.tendon_frictionloss[k], "springlength": m.tendon_lengthspring[k],
                "armature": float(getattr(m, "tendon_armature", np.zeros(m.ntendon))[k]),
            } | self._unread("tendon", k)  # fmt: skip
            if m.tendon_limited[k]:
                given |= {"limited": "true", "range": m.tendon_range[k]}
            name = self._names["tendon", k]
            node = self._node("fixed" if is_fixed else "spatial", root, name=name, **given)
            for w in wraps:
                self._wrap(node, int(m.wrap_type[w]), int(m.wrap_objid[w]), float(m.wrap_prm[w]))

    def _wrap(self, node: Node, kind: int, number: int, value: float) -> None:
        """Write what a tendon is over: joints, pulleys, sites, geoms."""
        if kind == 1:
            self._node("joint", node, joint=self._names["jnt", number], coef=value)
        elif kind == 2:
            self._node("pulley", node, divisor=value)
        elif kind == 3:
            self._node("site", node, site=self._names["site", number])
        else:
            side = {"sidesite": self._names["site", int(value)]} if value >= 0.0 else {}
            self._node("geom", node, geom=self._names["geom", number], **side)

    def _actuators(self, root: Node) -> None:
        m = self._model
        for k in range(m.nu):
            word = self._word("Trn", m.actuator_trntype[k])
            target, reference = (int(number) for number in m.actuator_trnid[k])
            given: dict[str, Any] = {}
            if word in TRANSMISSIONS:
                given[word] = self._names["jnt" if word.startswith("joint") else word, target]
                if word == "site" and reference >= 0:
                    given["refsite"] = self._names["site", reference]
            elif word == "slidercrank":
                given["cranksite"] = self._names["site", target]
                given["slidersite"] = self._names["site", reference]
                given["cranklength"] = m.actuator_cranklength[k]
            else:  # what later versions have
                self._node("transmission", root, name=self._names["actuator", k])
                continue
            if m.actuator_lengthrange[k].any():
                given["lengthrange"] = m.actuator_lengthrange[k]
            for what in ("ctrl", "force", "act"):
                if getattr(m, f"actuator_{what}limited")[k]:
                    limits = getattr(m, f"actuator_{what}range")[k]
                    given |= {f"{what}limited": "true", f"{what}range": limits}
            for what in ("dyn", "gain", "bias"):
                given[f"{what}type"] = self._word(what.capitalize(), getattr(m, f"actuator_{what}type")[k])
                given[f"{what}prm"] = getattr(m, f"actuator_{what}prm")[k]
            self._node("general", root, name=self._names["actuator", k], gear=m.actuator_gear[k], **given)

    def _sensors(self, root: Node) -> None:
        m = self._model
        for k in range(m.nsensor):
            tag = self._word("Sensor", m.sensor_type[k])
            what, name = self._object(m.sensor_objtype[k], m.sensor_objid[k])
            given = {what: name} if what else {}
            if tag.startswith("frame"):
                given = {"objtype": what, "objname": name}
                what, name = self._object(m.sensor_reftype[k], m.sensor_refid[k])
                given |= {"reftype": what, "refname": name} if what else {}
            self._node(tag, root, name=self._names["sensor", k], noise=m.sensor_noise[k], **given)

    def _object(self, kind: Any, number: Any) -> tuple[str, str]:
        """Return what an element refers to: the word for it and its name; empty: nothing."""
        word = self._word("Obj", kind)
        name = self._names.get(({"joint": "jnt", "xbody": "body"}.get(word, word), int(number)), "")
        return (word, name) if name else ("", "")

    def _word(self, kind: str, number: Any) -> str:
        """Return the word for a number of an enumeration of MuJoCo: "hinge" of `mjtJoint`."""
        name: str = getattr(self._mujoco, f"mjt{kind}")(int(number)).name
        return name.partition("_")[2].lower()


def _first(value: Any) -> float:
    """Return the linear coefficient, which is the only one in MuJoCo 3."""
    return float(np.ravel(value)[0])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(map(repr, np.ravel(np.asarray(value)).tolist()))
