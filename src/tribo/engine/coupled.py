"""Couplings of joints, and actuators with laws of their own, from descriptions to arrays."""

from __future__ import annotations

from dataclasses import dataclass

from tribo.description.actuators import MUSCLE, ActuatorDescription, ActuatorLaw, with_laws
from tribo.description.couplings import CouplingDescription, sides
from tribo.description.trees import TreeDescription
from tribo.enums import COUPLING_SLOTS
from tribo.model import Model


@dataclass(slots=True)
class Places:
    """Next free index of each kind for a tree."""

    root: int  # its first body
    slot: int
    coupling: int
    term: int
    actuator: int
    way: int


def write(model: Model, description: TreeDescription, at: Places) -> None:
    """Write the couplings of a tree whose joints are written, then its actuators with laws."""
    tree = model.body_tree[at.root]
    couplings = description.all_couplings
    model.tree_coupling_slot[tree], model.tree_coupling_count[tree] = at.slot, len(couplings)
    numbers: dict[str, int] = {}
    joints = [body.joint.name for body in description.bodies] if couplings else []
    parents = [body.parent for body in description.bodies]
    for one in couplings:
        numbers.setdefault(one.name, at.coupling)
        _coupling(model, one, joints, parents, at)
    bodies = {body.name: at.root + k for k, body in enumerate(description.bodies)}
    for actuator in with_laws(description.actuators):
        law = actuator.law
        assert law is not None
        _actuator(model, actuator, law, at.actuator)
        if law.coupling:
            model.actuator_coupling[at.actuator] = numbers[law.coupling]
        if law.body:
            model.actuator_body[at.actuator] = bodies[law.body]
        at.actuator += 1


def _coupling(
    model: Model, one: CouplingDescription, joints: list[str], parents: list[int], at: Places
) -> None:
    c = at.coupling
    (a, b), which = sides(one, joints, parents)
    model.coupling_body[c] = at.root + a, at.root + b if b >= 0 else -1
    model.coupling_slot[c] = at.slot
    model.coupling_curve[c], model.coupling_rest[c] = one.curve, one.rest
    model.coupling_range[c] = one.lower, one.upper
    model.coupling_stiffness[c], model.coupling_damping[c] = one.stiffness, one.damping
    model.coupling_friction[c], model.coupling_inertia[c] = one.friction, one.inertia
    terms = [(0, *term) for term in one.terms] + [(1, *term) for term in one.inner]
    model.coupling_term[c] = at.term, at.term + len(terms)
    for side, (part, name, factor) in zip(which[: len(terms)], terms, strict=True):
        body = at.root + joints.index(name)
        model.term_dof[at.term], model.term_q[at.term] = model.joint_v[body], model.joint_q[body]
        model.term_side[at.term], model.term_part[at.term] = side, part
        model.term_factor[at.term] = factor
        at.term += 1
    _way(model, one, which[len(terms) :], at)
    model.coupling_path[c] = at.way - len(one.way) - len(one.inner_way), at.way
    at.coupling += 1
    at.slot += COUPLING_SLOTS


def _way(model: Model, one: CouplingDescription, which: list[int], at: Places) -> None:
    """Write the elements of both paths of a coupling."""
    parts = [(0, element) for element in one.way] + [(1, element) for element in one.inner_way]
    for side, (part, element) in zip(which, parts, strict=True):
        k = at.way
        model.element_kind[k], model.element_part[k], model.element_side[k] = element.kind, part, side
        model.element_body[k] = at.root + element.body if element.body >= 0 else -1
        model.element_point[k], model.element_weight[k] = element.point, element.weight
        model.element_radius[k], model.element_axis[k] = element.radius, element.axis
        model.element_toward[k] = element.toward
        at.way += 1


def write_ways(model: Model, one: CouplingDescription) -> None:
    """Write the path of a coupling into an otherwise empty model, to route it at any poses."""
    _way(model, one, [0] * (len(one.way) + len(one.inner_way)), Places(0, 0, 0, 0, 0, 0))
    model.coupling_path[0] = 0, len(one.way)


def _actuator(model: Model, actuator: ActuatorDescription, law: ActuatorLaw, a: int) -> None:
    model.actuator_coupling[a] = model.actuator_body[a] = -1
    model.actuator_point[a], model.actuator_wrench[a] = law.point, law.wrench
    model.actuator_adheres[a], model.actuator_gear[a] = law.adheres, law.gear
    model.actuator_dynamics[a], model.actuator_time[a] = law.dynamics, law.time
    model.actuator_is_muscle[a] = law.gain_kind == MUSCLE, law.bias_kind == MUSCLE
    model.actuator_gain[a, : len(law.gain)] = law.gain
    model.actuator_bias[a, : len(law.bias)] = law.bias
    model.actuator_length[a], model.actuator_state_range[a] = law.length_range, law.state_range
    model.actuator_control_range[a] = actuator.control_range
    model.actuator_force_range[a] = actuator.force_range
