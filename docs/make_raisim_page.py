"""Write docs/reference/raisim.md and the answers to RaiSim's names: ``python docs/make_raisim_page.py``.

Both come from the layer itself: the first line of each member's docstring says what it is in tribo.
"""

import inspect
import re
from pathlib import Path

import tribo
from tribo import raisimpy, sensors
from tribo.checks import answers
from tribo.objects.handles import Joint, Link
from tribo.raisimpy.spelling import ABSENT, snake
from tribo.viewer import charts, visual_sets, visuals

PAGE = Path(__file__).parent / "reference" / "raisim.md"
BEGIN, END = "<!-- names: begin -->", "<!-- names: end -->"

# Data attributes of RaiSim's structures in tribo.
_KEPT = "the user's own; ``viewer.add_…`` takes it"
_POSE = {"rot": "``orientation=``", "pos": "``position=``"}

FIELDS: dict[str, dict[str, str]] = {
    "WorldParameterContainer": {
        "name": "key of ``tribo.World.load(path, parameters={…})``",
        "param": "value of ``tribo.World.load(path, parameters={…})``",
    },
    "CompoundObjectChild": {
        "objectType": "``tribo.CompoundPart.kind``", "objectParam": "``tribo.CompoundPart.size``",
        "material": "``tribo.CompoundPart.material``", "appearance": "``tribo.CompoundPart.color``",
        "trans": "``tribo.CompoundPart.position``, ``.orientation``",
        "transformation": "``tribo.CompoundPart.position``, ``.orientation``",
    },
    "Transformation": _POSE,
    "CoacdOptions": dict.fromkeys(
        ("threshold", "maxConvexHull", "sampleResolution", "mctsIteration"),
        "nothing: coacd runs with its standard numbers",
    ),
    "ArticulatedSystemOption": {
        "doNotCollideWithParent": "``collide_with_parent=`` of ``world.add_articulated_system``",
        "convexifyCollisionMeshes": '``collision_meshes="decomposition"``',
        "collisionMeshMode": "``collision_meshes=``",
    },
    "SpringElement": {
        "childBodyId": "``joint(name)``", "stiffness": "``joint(name).stiffness``",
        "q_ref": "``joint(name).spring_reference``",
    },
    "SparseJacobian": {"idx": "``frame.sparse_jacobian()[0]``", "v": "``frame.sparse_jacobian()[1]``"},
    "TerrainProperties": {
        name: f"``{word}=`` of ``tribo.HeightField.fractal``"
        for name, word in {
            "frequency": "frequency", "xSize": "size", "ySize": "size", "zScale": "z_scale",
            "xSamples": "samples", "ySamples": "samples", "fractalOctaves": "octaves",
            "fractalLacunarity": "lacunarity", "fractalGain": "gain", "stepSize": "step_size",
            "heightOffset": "height_offset", "seed": "seed",
        }.items()
    },
    "PinConstraintDefinition": {
        "body1": "``first=`` of ``world.add_pin``", "body2": "``second=`` of ``world.add_pin``",
        "anchor": "``position=`` of ``world.add_pin``",
    },
    "AABB": {"min": "``low`` of ``world.collision_bodies_in``", "max": "``high`` of it"},
    "SolverConfiguration": {
        "alpha_init": "nothing", "alpha_min": "nothing", "alpha_decay": "nothing",
        "error_to_terminate": "``world.tolerance``", "erp": "``world.erp``", "erp2": "``world.erp2``",
        "maxIteration": "``world.max_sweeps``",
    },
    "DepthCameraProperties": {
        "width": "``width=``", "height": "``height=``", "clipNear": "``clip=``", "clipFar": "``clip=``",
        "hFOV": "``horizontal_fov=``", "captureDepth": "``measure().depth``",
        "captureSegmentation": "``measure().segmentation``", "capturePoints": "``points()``",
        "depthNoiseType": "``noise=``", "depthNoiseMean": "``noise=``", "depthNoiseStd": "``noise=``",
        "seed": "``seed=`` of ``world.add_depth_camera``",
    },
    "DepthCameraFrame": {
        "depth": "``measure().depth``", "segmentation": "``measure().segmentation``",
        "points": "``points()``", "timestamp": "``measure().time``",
    },
    "MaterialPairProperties": {
        "c_f": "``friction``", "c_r": "``restitution``", "r_th": "``restitution_threshold``",
        "c_static_f": "``static_friction``", "v_static_speed": "``static_friction_velocity``",
        "c_rolling_f": "``rolling_friction``", "c_spinning_f": "``spinning_friction``",
    },
    "Visuals": {
        "name": "``visual.name``", "type": "``viewer.add_visual_…``", "material": _KEPT,
        "glow": _KEPT, "shadow": _KEPT,
    },
    "PolyLine": {
        "points": "``visual.points``", "color": "``visual.color``",
        "width": "``width=`` of ``viewer.add_visual_polyline``",
    },
    "PointCloud": {
        "pointSize": "``visual.point_size``", "position": "``visual.update(points, colors)``",
        "color": "``visual.update(points, colors)``",
    },
    "ColorRGB": dict.fromkeys("rgb", "a number of ``color=``"),
    "ColorRGBA": dict.fromkeys("rgba", "a number of ``color=``"),
}  # fmt: skip


def said(item: object) -> str:
    """Return the first line of a docstring, as Markdown."""
    text = inspect.getdoc(item) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("``", "`").replace("|", "\\|")


def own_rows(kind: type) -> list[tuple[str, str, str]]:
    """Return RaiSim's name, its other spellings and tribo's, of what a class has of its own."""
    fields = FIELDS.get(kind.__name__, {})
    others = getattr(kind, "spellings", {})
    aliases = {other for many in others.values() for other in many}
    rows = [
        (name, ", ".join(f"`{x}`" for x in others.get(name, ())), text.replace("``", "`"))
        for name, text in fields.items()
    ]
    members = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("tribo.raisimpy") and base.__name__ in (
            kind.__name__, *PARTS.get(kind.__name__, ()),
        ):  # fmt: skip
            members |= vars(base)
    for name, given in members.items():
        if name[0] == "_" or name in aliases or name in fields or name in INNER:
            continue
        item = given.__func__ if isinstance(given, classmethod | staticmethod) else given
        if isinstance(item, type):
            text = f"`tribo.raisimpy.{item.__name__}`"
        elif inspect.isfunction(item) or isinstance(item, property):
            text = said(item)
        else:
            text = f"`{item.value}`" if hasattr(item, "value") else ""
        rows.append((name, ", ".join(f"`{x}`" for x in others.get(name, ())), text))
    for name, reason in ABSENT.get(kind.__name__, {}).items():
        rows.append((name, "", f"not there: {reason}"))
    return rows


# Classes of the layer that make one of RaiSim's up, and names that are the layer's own.
PARTS = {
    "World": ("WorldParts",), "ArticulatedSystem": ("RobotParts", "RobotShapes"), "JointRef": ("_Placed",),
    "LinkRef": ("_Placed",), "Visuals": ("_Placed", "_Colored"), "VisualMesh": ("_Placed", "_Colored"),
    "ArticulatedSystemVisual": ("_Colored",), "Sensor": ("_Numbered",), "SensorSet": ("_Numbered",),
    "HeightMapVisual": ("_Colored",),
}  # fmt: skip
INNER = {"spellings", "tribo", "wrap", "push", "show", "law", "of", "field", "part", "body_of",
         "make_viewer", "colors", "viewer", "with_traceback"}  # fmt: skip


def kinds() -> list[type]:
    """Return the classes of the layer, in the order of its modules."""
    found = {
        item.__name__: item
        for name, item in vars(raisimpy).items()
        if name[0].isupper() and isinstance(item, type)
    }
    order = ["World", "Object", "SingleBodyObject", "ArticulatedSystem", "RaisimServer"]
    return [found[name] for name in order] + [
        item for name, item in sorted(found.items()) if name not in order
    ]


def tables() -> str:
    """Return all tables."""
    lines = []
    for kind in kinds():
        rows = own_rows(kind)
        lines += [f"## {kind.__name__}", "", said(kind), ""]
        if rows:
            lines += ["| RaiSim | also | tribo |", "| --- | --- | --- |"]
            lines += [f"| `{name}` | {other} | {text} |" for name, other, text in rows]
            lines.append("")
    for name in ("DeformableObject", "GranularSystem"):
        rows = [(key, "", f"not there: {text}") for key, text in ABSENT[name].items()]
        lines += [f"## {name}", "", "| RaiSim | also | tribo |", "| --- | --- | --- |"]
        lines += [f"| `{key}` | {other} | {text} |" for key, other, text in rows]
        lines.append("")
    lines += ["## Functions", "", "| RaiSim | tribo |", "| --- | --- |"]
    for name, item in vars(raisimpy).items():
        if inspect.isfunction(item) and name != "install":
            lines.append(f"| `{name}` | {said(item)} |")
    lines.append("| `raisimpy.contact`, `raisimpy.constraints` | the same modules in `tribo.raisimpy` |")
    return "\n".join(lines)


def page() -> str:
    """Return the page with its tables renewed."""
    text = PAGE.read_text("utf-8")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n\n{tables()}\n\n{END}{rest.split(END)[1]}"


# Sections of the answers: classes of the layer, what tribo calls the thing, its class.
SECTIONS = {
    "world": (("World", "BisectionContactSolver", "SolverConfiguration"), tribo.World),
    "body or robot": (("Object",), tribo.Object),
    "body": (
        ("SingleBodyObject", "Sphere", "Box", "Cylinder", "Capsule", "Cone", "Ground", "Mesh", "Compound"),
        tribo.SingleBody,
    ),
    "hills": (("HeightMap",), tribo.HeightMap),
    "field": (("TerrainProperties",), tribo.HeightField),
    "robot": (("ArticulatedSystem",), tribo.ArticulatedSystem),
    "contact": (("Contact", "Single3DContactProblem"), tribo.Contact),
    "joint": (("JointRef", "SpringElement"), Joint),
    "frame": (("LinkRef", "CoordinateFrame"), Link),
    "shape": (("CollisionDefinition",), tribo.CollisionBody),
    "wire": (
        ("LengthConstraint", "StiffLengthConstraint", "CompliantLengthConstraint", "CustomLengthConstraint"),
        tribo.Wire,
    ),
    "constraint": (("PinConstraint", "PinConstraintDefinition"), tribo.Constraint),
    "hit": (("RayCollisionItem", "RayCollisionList"), tribo.RayHit),
    "materials": (("MaterialManager",), tribo.MaterialTable),
    "pair": (("MaterialPairProperties",), tribo.PairProperties),
    "sensor": (("Sensor", "SensorSet", "RGBCamera"), sensors.Sensor),
    "camera": (("DepthCamera",), sensors.DepthCamera),
    "imu": (("InertialMeasurementUnit",), sensors.Imu),
    "lidar": (("SpinningLidar",), sensors.Lidar),
    "viewer": (("RaisimServer", "OgreVis"), tribo.Viewer),
    "visual": (
        ("Visuals", "VisualMesh", "PolyLine", "ArticulatedSystemVisual", "HeightMapVisual",
         "InstancedVisuals", "PointCloud"),
        visuals.VisualShape, visuals.VisualMesh, visuals.VisualHeightMap, visual_sets.VisualPolyline,
        visual_sets.VisualPointCloud, visual_sets.VisualInstances, visual_sets.VisualArticulatedSystem,
    ),
    "chart": (("Chart", "TimeSeriesGraph", "BarChart"), charts.TimeSeriesGraph, charts.BarChart),
}  # fmt: skip
LEAD = re.compile("^(use|RaiSim's, here:) ")
SHARED = {"body or robot", "sensor"}  # by several things, each with its own name
NOT_OWN = {"name", "point", "mass", "q", "v"}  # of a thing, unless the snippet begins with it
OTHERS = {"object", "joint", "frame", "link", "contact", "robot"}  # things, unless they are called


def owned(snippet: str, called: str, kinds: tuple[type, ...]) -> str:
    """Return a piece of code with the thing before its attributes: ``com`` → ``body.com``."""

    def put(match: re.Match[str]) -> str:
        word = match[1]
        is_called = snippet[match.end() :].startswith("(")
        is_own = any(hasattr(kind, word) for kind in kinds) and (match.start() == 0 or word not in NOT_OWN)
        is_own = is_own and (is_called or word not in OTHERS or word == snippet)
        return f"{called}.{word}" if is_own else word

    snippet = re.sub(rf"(?<![\w.]){re.escape(called)}\(name\)", called, snippet)
    if snippet[0] in "'\"" or snippet.startswith(("world", "tribo", "viewer")):
        return snippet
    return re.sub(r"(?<![\w.\"'=])([a-z_]+)\b(?!=)", put, snippet)


def answer_of(text: str, called: str, kinds: tuple[type, ...]) -> str:
    """Return what an error says of a name whose row says `text`."""
    text = text.replace("\\|", "|")
    if text.startswith("not there: "):
        return text.removeprefix("not there: ")
    if text.startswith("nothing: "):
        return f"nothing has to be called: {text.removeprefix('nothing: ')}".replace("`", "")
    lead = "use " if text.startswith("`") else "RaiSim's, here: "
    return lead + re.sub(r"`([^`]+)`", lambda m: owned(m[1], called, kinds), text)


def words() -> str:
    """Return the table of answers to RaiSim's names, as src/tribo/checks/answers.py reads it."""
    lines = [
        "# Written by docs/make_raisim_page.py from tribo.raisimpy: RaiSim's names, and the answer to each."
    ]
    for section, (names, *owners) in SECTIONS.items():
        called = "{it}" if section in SHARED else section
        answered: dict[str, dict[str, str]] = {}  # of each spelling: its answers, and the class of each
        for name in names:
            made = getattr(raisimpy, name, None) or getattr(raisimpy.joints, name)
            for spelled, others, text in own_rows(made):
                spellings = snake(spelled), answers.spelt(spelled), *re.findall(r"`(\w+)`", others)
                for one in dict.fromkeys(spellings):
                    if not all(hasattr(kind, one) for kind in owners):
                        answer = answer_of(text, called, tuple(owners))
                        answered.setdefault(one, {}).setdefault(answer, name)
        found: dict[str, list[str]] = {}
        for one, told in answered.items():
            first, *more = told
            also = "; ".join(f"{told[text]}: {LEAD.sub('', text)}" for text in more)
            found.setdefault(first + (f" ({also})" if also else ""), []).append(one)
        lines += ["", f"[{section}]"]
        for answer, guesses in found.items():
            lines += [answer, f"    {' '.join(guesses)}"]
    lines += ["", "[tribo]"]
    for kind in kinds():
        if not hasattr(tribo, kind.__name__):
            lines += [f"use tribo.raisimpy.{kind.__name__}, RaiSim's class over tribo",
                      f"    {answers.spelt(kind.__name__)}"]  # fmt: skip
    for name in ("DeformableObject", "GranularSystem"):
        lines += [next(iter(ABSENT[name].values())), f"    {answers.spelt(name)}"]
    functions = {
        answers.spelt(name): answer_of(said(item), "", ())
        for name, item in vars(raisimpy).items()
        if inspect.isfunction(item) and name != "install" and not hasattr(tribo, name)
    }
    lines += [line for name, text in functions.items() for line in (text, f"    {name}")]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    answers.RAISIM.write_text(words(), "utf-8")
