"""The one robot of a file that may hold a whole scene."""

from __future__ import annotations

from tribo.description.trees import DescriptionError, TreeDescription, WorldDescription
from tribo.materials.table import Law


def one_robot(
    scene: WorldDescription, kind: str, whole: str
) -> tuple[TreeDescription, dict[tuple[str, str], Law]]:
    """Return the one tree of a scene, with the scene's remarks, and the contact laws of its materials.

    Args:
        scene: The scene as read.
        kind: Format, for a scene without a file.
        whole: Method of `World` that reads all of the file.

    Raises:
        DescriptionError: There is none, or several.
    """
    trees = [item.tree for item in scene.objects if item.tree is not None]
    if len(trees) != 1:
        names = ", ".join(item.name for item in scene.objects[:5])
        raise DescriptionError(
            f"{scene.source or f'{kind} text'}: holds {len(trees)} things that move ({names}), "
            f"not one robot; world.{whole} reads them all"
        )
    (tree,) = trees
    tree.notes, tree.doubts = scene.notes, scene.doubts
    return tree, scene.pairs
