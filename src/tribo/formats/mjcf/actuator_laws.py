"""The laws of MJCF's actuators: gain, bias and dynamics, in whichever words a file writes them."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from tribo.enums import Dynamics
from tribo.formats.nodes import Node

Numbers = tuple[float, ...]
DYNAMICS = {
    "none": Dynamics.NONE, "integrator": Dynamics.INTEGRATOR, "filter": Dynamics.FILTER,
    "filterexact": Dynamics.FILTER_EXACT, "muscle": Dynamics.MUSCLE,
}  # fmt: skip
MUSCLE = (0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2)  # MuJoCo's standard
# Attributes of <muscle> and which of these numbers each is.
PARTS = {"force": 2, "scale": 3, "lmin": 4, "lmax": 5, "vmax": 6, "fpmax": 7, "fvmax": 8}
MUSCLE_TIME = (0.01, 0.04, 0.0)


@dataclass(slots=True)
class Law:
    """Gain, bias and dynamics while defaults and element are applied one after another."""

    gaintype: str = "fixed"
    biastype: str = "none"
    dyntype: str = "none"
    gain: Numbers = (1.0,)
    bias: Numbers = (0.0, 0.0, 0.0)
    time: Numbers = (1.0, 0.0, 0.0)
    is_muscle: bool = False  # gain has the numbers of a <muscle>

    @property
    def is_known(self) -> bool:
        """Tell whether all of it is read here."""
        return (
            self.gaintype in {"fixed", "affine", "muscle"}
            and self.biastype in {"none", "affine", "muscle"}
            and self.dyntype in DYNAMICS
        )

    @property
    def is_drive(self) -> bool:
        """Tell whether it is a motor or servo without memory: a drive of a joint can be that."""
        return self.gaintype == "fixed" and self.dyntype == "none" and self.biastype != "muscle"

    @property
    def linear_gain(self) -> Numbers:
        """Coefficients of 1, length and speed."""
        return (*self.gain, 0.0, 0.0, 0.0)[: 3 if self.gaintype == "affine" else 1]

    @property
    def linear_bias(self) -> Numbers:
        """Coefficients of 1, length and speed."""
        return (*self.bias, 0.0, 0.0, 0.0)[:3] if self.biastype == "affine" else (0.0, 0.0, 0.0)

    @property
    def damper(self) -> float:
        """Damping for a control of 1, if that is all that it does; else 0."""
        only = self.gaintype == "affine" and self.biastype == "none" and self.dyntype == "none"
        constant, stiffness, damping = (*self.linear_gain, 0.0, 0.0)[:3]
        return -damping if only and constant == stiffness == 0.0 and damping < 0.0 else 0.0


def apply(node: Node, law: Law) -> None:
    """Let a default, or the element itself, speak."""
    tag = node.tag
    if tag == "general":
        _general(node, law)
    elif tag == "motor":
        law.gaintype, law.biastype, law.dyntype = "fixed", "none", "none"
        law.gain, law.bias = (1.0,), (0.0, 0.0, 0.0)
    elif tag in {"position", "intvelocity"}:
        _servo(node, law)
    elif tag == "velocity":
        kv = node.number("kv", law.gain[0])
        law.gaintype, law.biastype, law.dyntype = "fixed", "affine", "none"
        law.gain, law.bias = (kv,), (0.0, 0.0, -kv)
    elif tag == "cylinder":
        area = node.number("area", law.gain[0], at_least=0.0)
        if "diameter" in node.attributes:
            area = 0.25 * pi * node.number("diameter", above=0.0) ** 2
        law.gaintype, law.biastype, law.dyntype = "fixed", "affine", "filter"
        law.gain, law.bias = (area,), node.vector("bias", 3, law.bias)
        law.time = (node.number("timeconst", law.time[0], at_least=0.0), 0.0, 0.0)
    elif tag == "damper":
        kv = -node.number("kv", -law.gain[2] if len(law.gain) > 2 else 1.0, at_least=0.0)
        law.gaintype, law.biastype, law.dyntype = "affine", "none", "none"
        law.gain, law.bias = (0.0, 0.0, kv), (0.0, 0.0, 0.0)
    elif tag == "adhesion":
        law.gaintype, law.biastype, law.dyntype = "fixed", "none", "none"
        law.gain = (node.number("gain", law.gain[0], at_least=0.0),)
    elif tag == "muscle":
        _muscle(node, law)
    else:
        law.gaintype = tag


def _general(node: Node, law: Law) -> None:
    for key in ("gaintype", "biastype", "dyntype"):
        if key in node.attributes:
            setattr(law, key, node.text(key))
    for key, name in (("gainprm", "gain"), ("biasprm", "bias"), ("dynprm", "time")):
        if key in node.attributes:
            given = node.vector(key, None)
            setattr(law, name, (*given, *getattr(law, name)[len(given) :]))


def _servo(node: Node, law: Law) -> None:
    kp = node.number("kp", law.gain[0])
    speed = law.bias[2] if len(law.bias) > 2 else 0.0
    if "kv" in node.attributes and "dampratio" in node.attributes:
        raise node.error("has kv and dampratio, two words for its damping; keep one")
    if "kv" in node.attributes:
        speed = -node.number("kv", at_least=0.0)
    if "dampratio" in node.attributes:
        speed = node.number("dampratio", at_least=0.0)
    if node.tag == "intvelocity":
        law.dyntype = "integrator"
    elif node.number("timeconst", 0.0) != 0.0:
        law.dyntype, law.time = "filterexact", (node.number("timeconst"), 0.0, 0.0)
    law.gaintype, law.biastype = "fixed", "affine"
    law.gain, law.bias = (kp,), (0.0, -kp, speed)


def _muscle(node: Node, law: Law) -> None:
    numbers = list(law.gain) if law.is_muscle else list(MUSCLE)
    if not law.is_muscle:
        law.time = MUSCLE_TIME
    law.gaintype = law.biastype = law.dyntype = "muscle"
    numbers[:2] = node.vector("range", 2, tuple(numbers[:2]))
    for name, k in PARTS.items():
        numbers[k] = node.number(name, numbers[k])
    law.is_muscle, law.gain = True, tuple(numbers)
    law.bias = law.gain
    rise, fall = node.vector("timeconst", 2, law.time[:2])
    law.time = rise, fall, node.number("tausmooth", law.time[2], at_least=0.0)
