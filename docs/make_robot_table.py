"""Write reference/robots.md: what becomes of every URDF of the package example-robot-data.

Run `python docs/make_robot_table.py` in an environment with `tribo[robots]`.
"""

import collections
import importlib.metadata
import pathlib

from tribo.description.trees import DescriptionError, TreeDescription
from tribo.formats import urdf
from tribo.model import Joint, Shape

PAGE = pathlib.Path(__file__).parent / "reference" / "robots.md"
DOFS = {Joint.FIXED: 0, Joint.REVOLUTE: 1, Joint.PRISMATIC: 1, Joint.SPHERICAL: 3, Joint.FREE: 6}
HEAD = """# Robots that load

Every URDF of the package [example-robot-data](https://pypi.org/project/example-robot-data/) {version},
read by `tribo.formats.urdf`. *Bodies* are what is left when fixed joints are merged, *dof* counts the
six of a floating base. Collision meshes collide as convex hulls.

{loaded} of {count} files load. The others have defects which no engine can repair without guessing:

{defects}

| Robot | File | Base | Dof | Mass [kg] | Bodies | Collision shapes |
|---|---|---|---:|---:|---:|---|
{rows}

This page is written by `docs/make_robot_table.py`.
"""


def row(name: str, tree: TreeDescription) -> str:
    """Return a robot's line of the table."""
    kinds = collections.Counter(shape.kind for body in tree.bodies for shape in body.shapes)
    shapes = ", ".join(f"{kinds[kind]} {kind.name.lower()}" for kind in Shape if kinds[kind])
    base = "fixed" if tree.bodies[0].joint.type == Joint.FIXED else "floating"
    dof = sum(DOFS[body.joint.type] for body in tree.bodies)
    mass = sum(body.mass for body in tree.bodies)
    robot, _, file = name.partition("/")
    robot = robot.removesuffix("_description").removesuffix("_data")
    file = file.rpartition("/")[2]
    return f"| {robot} | `{file}` | {base} | {dof} | {mass:.3f} | {len(tree.bodies)} | {shapes or '–'} |"


def main() -> None:
    """Read all robots and write the page."""
    package = importlib.metadata.distribution("example-robot-data")
    share = "cmeel.prefix/share/example-robot-data/robots"
    folder = pathlib.Path(str(package.locate_file(share)))
    rows, defects = [], []
    files = sorted(folder.rglob("*.urdf"))
    for file in files:
        name = file.relative_to(folder).as_posix()
        try:
            rows.append(row(name, urdf.read(file)))
        except DescriptionError as error:
            message = str(error).removeprefix(f"{file}:")
            defects.append(f"* `{name}`, line {message.replace('<', '`<').replace('>', '>`')}")
    page = HEAD.format(
        version=package.version,
        loaded=len(rows),
        count=len(files),
        defects="\n".join(defects),
        rows="\n".join(rows),
    )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
