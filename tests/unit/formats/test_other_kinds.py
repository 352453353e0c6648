"""Files of formats that are not read say so, and xacro runs where it is asked for."""

import sys

import pytest

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import xacro_files
from tribo.tools.load_file import kind_of_file


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("robot.urdf", b"PXR-USDC\0\xff", r"is USD; World\.load reads it if its name ends"),
        ("robot.urdf", b"#usda 1.0\n", r"is USD; World\.load reads it if its name ends"),
        ("robot.step", b"ISO-10303-21;", "is a CAD file; export a URDF"),
        ("robot.urdf", b"#VRML V2.0 utf8\n", r"is a mesh \(VRML\)"),
        ("robot.mjb", b"", "is a compiled model of MuJoCo; write its XML"),
        ("robot.urdf", b"<html><body/></html>", "is a web page"),
        ("robot.urdf", b"<COLLADA/>", r"is a mesh \(COLLADA\)"),
        ("robot.urdf.xacro", b"<robot/>", r"is a xacro file; .*xacro=\{\}.*xacro FILE > robot\.urdf"),
        ("robot.srdf", b"<robot/>", "is an SRDF; give the URDF beside it"),
        ("puck.xml", b"<mujocoinclude/>", "is a part that scenes of MuJoCo include.*; give the file"),
    ],
)
def test_a_file_of_a_format_that_is_not_read_says_so(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    for read in (tribo.World.load, tribo.World().add_articulated_system, kind_of_file):
        with pytest.raises(DescriptionError, match=says):
            read(tmp_path / name)


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="m" default="1"/>
<xacro:macro name="l" params="n"><link name="${n}"><inertial><mass value="$(arg m)"/>
<inertia ixx="${0.1 * 2}" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link></xacro:macro>
<xacro:l n="a"/></robot>"""


def test_xacro_runs_where_it_is_asked_for(tmp_path):
    pytest.importorskip("xacro")
    (tmp_path / "arm.urdf.xacro").write_text(XACRO)
    made = tribo.World().add_articulated_system(tmp_path / "arm.urdf.xacro", xacro={"m": 3})
    assert (made.body_names, made.mass) == (("a",), 3.0)
    (tmp_path / "arm.urdf.xacro").write_text(XACRO.replace("0.1 * 2", "nothing"))
    with pytest.raises(DescriptionError, match=r"xacro: .*nothing"):
        tribo.World().add_articulated_system(tmp_path / "arm.urdf.xacro", xacro={})


def test_xacro_that_is_not_installed_is_named(tmp_path, monkeypatch):
    for name in ("xacro", "xacrodoc"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "arm.urdf.xacro").write_text(XACRO)
    with pytest.raises(ImportError, match="pip install xacrodoc"):
        xacro_files.expand(tmp_path / "arm.urdf.xacro", {})
    with pytest.raises(TypeError, match="give the path of one"):
        xacro_files.expand(XACRO, {})
