"""A robot from whatever users give: files, texts, descriptions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tribo.checks import check
from tribo.description import placeholders
from tribo.description.joint_checks import check_joints
from tribo.description.trees import DescriptionError, LinkDescription, TreeDescription, WorldDescription
from tribo.formats import joint_order, self_collision, surface_friction, urdf, urdf_modules
from tribo.formats.assembly import assemble
from tribo.formats.fixed_base import based
from tribo.formats.other_kinds import is_body, is_usd, refuse_unread
from tribo.formats.singular import LEAST, joints_without_inertia, too_little
from tribo.formats.urdf_mass import REMEDY
from tribo.formats.xml import outermost
from tribo.materials import MaterialLibrary
from tribo.materials.table import Law
from tribo.model import Joint

Laws = dict[tuple[str, str], Law]


def read(
    source: str | Path | TreeDescription | LinkDescription,
    *,
    package_dirs: Sequence[Path | str] | Path | str,
    modules: Sequence[str | Path],
    parameters: Mapping[str, object] | None,
    srdf: str | Path | None,
    strict: bool,
    order: Sequence[str] = (),
    fixed_base: bool | None = None,
    materials: MaterialLibrary | None = None,
    xacro: Mapping[str, object] | None = None,
) -> tuple[TreeDescription, Laws]:
    """Return a robot, and the contact laws that its file brings.

    Args: as in `World.add_articulated_system`; `order` is its `joint_order`.

    Raises:
        DescriptionError: It cannot be built; the message names element, value and remedy.
    """
    laws: Laws = {}
    dirs = check.folders(package_dirs, "package_dirs")
    modules = urdf_modules.listed(modules)
    is_urdf, at = False, None
    if xacro is not None:
        from tribo.formats import xacro_files

        at, source = xacro_files.expand(source, xacro)
    elif not is_usd(source):
        refuse_unread(source)
    if isinstance(source, TreeDescription):
        made = copy.deepcopy(source)
        if not made.bodies:
            raise DescriptionError("a tree without bodies cannot be added; describe at least one")
    elif isinstance(source, LinkDescription):
        made = assemble(source)
    elif is_usd(source):
        from tribo.formats import usd

        scene, _ = usd.read(source, package_dirs=dirs, strict=strict)
        made, laws = one_robot(scene, "USD", "load_usd")
    elif is_body(source):
        from tribo.formats import choreonoid

        made, laws = choreonoid.read_robot(source, package_dirs=dirs, materials=materials, strict=strict)
    elif (root := outermost(source, "URDF")) == "sdf":
        from tribo.formats import sdf

        scene, _ = sdf.read(source, package_dirs=dirs, strict=strict)
        made, laws = one_robot(scene, "SDF", "load_sdf")
    elif root == "mujoco":
        from tribo.formats import mjcf

        scene = mjcf.read(source, package_dirs=dirs, strict=strict)
        made, laws = one_robot(scene, "MJCF", "load_mjcf")
    else:
        is_urdf = True
        made = urdf.read(
            source, package_dirs=dirs, modules=modules, parameters=parameters, strict=strict,
            is_alone=srdf is not None, at=at,
        )  # fmt: skip
    laws = {**surface_friction.laws_of(made), **laws}
    if not is_urdf and (modules or parameters is not None):
        raise DescriptionError("modules and parameters are those of a URDF; leave them out")
    if materials is not None and (is_usd(source) or not is_body(source)):
        raise DescriptionError("materials are for densities in body files of Choreonoid; leave them out")
    if srdf is not None:
        self_collision.read_srdf(made, srdf, strict=strict)
    _check(made, check_joints)
    doubtful = [text for text in placeholders.remarks(made) if text not in made.doubts]
    made.notes, made.doubts = made.notes + doubtful, made.doubts + doubtful
    if fixed_base is not None:
        made = based(made, is_fixed=check.boolean(fixed_base, "fixed_base"))
    _check(made, _check_inertia)
    if not isinstance(order, tuple) or order:
        made = joint_order.reordered(made, order)
    return made, laws


def _check(tree: TreeDescription, rule: Callable[[TreeDescription], None]) -> None:
    """Let a rule of whole robots speak, and name the file in its error."""
    try:
        rule(tree)
    except DescriptionError as error:
        if tree.source is None:
            raise
        raise DescriptionError(f"{tree.source}: {error}") from None


def _check_inertia(tree: TreeDescription) -> None:
    """Refuse a robot whose mass matrix is singular in every pose."""
    for i in joints_without_inertia(tree):
        body = tree.bodies[i]
        floats = body.joint.type == Joint.FREE
        how = "floats" if floats else f"moves (joint {body.joint.name!r})"
        if numbers := too_little(tree, i):
            raise DescriptionError(
                f"link {body.name!r} {how} with too little inertia for what it carries: {numbers}, which is "
                f"lost in rounding (a share below {LEAST:g}); give the link more, what hangs on it less, "
                "make its joint fixed, or set rotor_inertia (MJCF: armature)"
            )
        raise DescriptionError(
            f"link {body.name!r} {how} without inertia of its own: what has mass there follows other joints; "
            f"{REMEDY}{', or fixed_base=True' if floats else ''}"
        )


def one_robot(
    scene: WorldDescription, kind: str, whole: str
) -> tuple[TreeDescription, dict[tuple[str, str], Law]]:
    """Return the one tree of a scene, with the scene's remarks, and the contact laws of its materials.

    Objects that stand are left out, which is remarked on.

    Args:
        scene: The scene as read.
        kind: Format, for a scene without a file.
        whole: Method of `World` that reads all of the file.

    Raises:
        DescriptionError: There is none, or several.
    """
    robots = [item for item in scene.objects if item.tree is not None]
    trees = [item.tree for item in robots if item.tree is not None]
    if len(trees) != 1:
        names = ", ".join(repr(item.name) for item in robots[:5]) or "none"
        raise DescriptionError(
            f"{scene.source or f'{kind} text'}: {len(trees)} objects move ({names}), must be one robot; "
            f"world.{whole} takes them all"
        )
    (tree,) = trees
    left = list(dict.fromkeys(item.name for item in scene.objects if item.tree is None))
    if left:
        names = ", ".join(map(repr, left[:5])) + (", …" if len(left) > 5 else "")
        text = f"what stands in the file is left out: {names}; world.{whole} takes it, too"
        tree.notes, tree.doubts = [*tree.notes, text], [*tree.doubts, text]
    tree.notes, tree.doubts = tree.notes + scene.notes, tree.doubts + scene.doubts
    return tree, scene.pairs
