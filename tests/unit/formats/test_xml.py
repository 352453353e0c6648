"""Files from strangers: no bombs, no foreign files, no traceback but ours."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

import tribo
import tribo.spatial
from tribo.description.trees import DescriptionError
from tribo.formats import nodes, raisim_xml, urdf, xml
from tribo.formats.report import Report
from tribo.formats.substitution import evaluate

LINK = (
    '<link name="{}"><inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
)
BOMB = (
    '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>\n<robot name="&c;"/>'
)
EXTERNAL = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<robot>&x;</robot>'
OUTER = '<!DOCTYPE robot SYSTEM "http://example.org/robot.dtd">\n<robot/>'


@pytest.mark.parametrize("text", [BOMB, EXTERNAL, OUTER], ids=["bomb", "external", "outer"])
@pytest.mark.parametrize("prolog", ["", "<?xml version='1.0'?>\n", "\n <!-- <a> -->\n<?x y?> "])
@pytest.mark.parametrize("read", [urdf.read, raisim_xml.read])
def test_document_types_are_refused(text, prolog, read, tmp_path):
    line = prolog.count("\n") + 1
    with pytest.raises(DescriptionError, match=rf":{line}: <!DOCTYPE"):
        read(prolog + text)
    for encoding in ("utf-8", "utf-16"):
        file = tmp_path / "robot.xml"
        file.write_bytes((prolog + text).encode(encoding))
        with pytest.raises(DescriptionError, match="DOCTYPE"):
            read(file)


def test_strange_encodings_are_refused(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(b'<?xml version="1.0" encoding="utf-7"?>+ADwAIQ-DOCTYPE robot+AD4-<robot/>')
    with pytest.raises(DescriptionError, match="utf-7"):
        urdf.read(file)
    file.write_bytes(b"<robot>\n\xff</robot>")
    with pytest.raises(DescriptionError, match=r":2: byte 0xff is not utf-8"):
        urdf.read(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_usual_encodings_are_read(tmp_path, encoding):
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><robot>{LINK.format("Körper")}</robot>'
    file = tmp_path / "robot.urdf"
    file.write_bytes(text.encode(encoding))
    assert urdf.read(file).bodies[0].name == "Körper"


def test_undeclared_entities_and_broken_xml_give_the_line():
    for text in ("<robot>\n&x;</robot>", "<robot>\n<link></robot>", "<robot>\n<a b=1/></robot>"):
        with pytest.raises(DescriptionError, match=r"<URDF text>:2:\d+: not well-formed XML"):
            urdf.read(text)


@pytest.mark.parametrize("text", ["<", "<robot", "<robot>\0</robot>", "<robot>\ud800</robot>", "<?xml?>"])
def test_garbage_is_refused(text):
    with pytest.raises(DescriptionError):
        urdf.read(text)


def test_sizes_are_bounded(monkeypatch, tmp_path):
    monkeypatch.setattr(xml, "MAX_BYTES", 1000)
    file = tmp_path / "robot.urdf"
    file.write_text("<robot>" + " " * 1000 + "</robot>")
    with pytest.raises(DescriptionError, match="larger than 1000 bytes"):
        urdf.read(file)
    with pytest.raises(DescriptionError, match="1016 characters"):
        urdf.read(file.read_text() + " ")
    monkeypatch.setattr(xml, "MAX_TAGS", 10)
    with pytest.raises(DescriptionError, match="more than 10 tags"):
        urdf.read("<robot>" + "<a/>" * 20 + "</robot>")
    monkeypatch.setattr(xml, "MAX_ATTRIBUTES", 3)
    with pytest.raises(DescriptionError, match="<a> has more than 3 attributes"):
        urdf.read('<robot><a b="1" c="1" d="1" e="1"/></robot>')


def test_deep_nesting_is_refused():
    with pytest.raises(DescriptionError, match="more than 256 deep"):
        urdf.read("<robot>" * 5000 + "</robot>" * 5000)


def test_long_chains_need_no_recursion():
    links = [LINK.format(i) for i in range(3000)]
    joints = [
        f'<joint name="j{i}" type="fixed"><parent link="{i}"/><child link="{i + 1}"/></joint>'
        for i in range(2999)
    ]
    (body,) = urdf.read("<robot>" + "".join(links + joints) + "</robot>").bodies
    assert body.mass == 3000.0


def test_unreadable_paths_are_named(tmp_path):
    for path in (tmp_path, tmp_path / "missing.urdf", "nul\0"):
        with pytest.raises(DescriptionError, match=r"folder|cannot read"):
            urdf.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "a", "2**3", "(1).real", "[1]", "1 if 1 else 2", "sin(1, 2)", "sin", "x=1",
        "1/0", "log(-1)", "exp(1e6)", "1e999", "'a'", "True", "1j", "sin(*[1])", "", "(" * 900, "-" * 999,
        "9" * 999, "1+" * 600 + "1", "lambda: 1", "1;2", "f(1)", "1//2", "7%2",
    ],
)  # fmt: skip
def test_expressions_are_arithmetic_only(text):
    with pytest.raises(ValueError, match=r"expression|defined"):
        evaluate(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1+2*3", 7.0), ("(1+2)*-3/2", -4.5), ("cos(0)+exp(0)+log(1)+sin(0)", 2.0), (" pi ", 3.141592653589793)],
)
def test_expressions(text, value):
    assert evaluate(text) == value


def test_world_files_open_robots_of_their_own_folders_only(tmp_path):
    """As for meshes, heights and includes: three levels, no link out of them, or `package_dirs`."""
    outside = tmp_path / "far" / "robot.urdf"
    outside.parent.mkdir()
    outside.write_text(f"<robot>{LINK.format('base')}</robot>")
    world = tmp_path / "a" / "b" / "c" / "world.xml"
    world.parent.mkdir(parents=True)
    (world.parent / "link.urdf").symlink_to(outside)
    (world.parent / "near.urdf").write_text(outside.read_text())

    def read(path, **options):
        world.write_text(f'<raisim><objects><articulatedSystem urdfPath="{path}"/></objects></raisim>')
        return raisim_xml.read(world, **options).objects[0].urdf

    for path in ("../../../far/robot.urdf", outside.as_posix(), "[THIS_DIR]/link.urdf", "/etc/passwd"):
        with pytest.raises(DescriptionError, match=r"world.xml:1: .*urdf_path=.* is refused.*package_dirs"):
            read(path)
    assert read("near.urdf") == world.parent / "near.urdf"
    assert read("../../../far/robot.urdf", package_dirs=[outside.parent]) == outside


def test_a_saved_world_says_which_folders_it_needs(tmp_path, caplog):
    robot = tmp_path / "far" / "robot.urdf"
    robot.parent.mkdir()
    robot.write_text(f"<robot>{LINK.format('base')}</robot>")
    world = tribo.World()
    world.add_articulated_system(robot, name="robot")
    file = tmp_path / "a" / "b" / "c" / "world.xml"
    file.parent.mkdir(parents=True)
    world.save(file)
    assert str(robot.parent) in caplog.text
    with pytest.raises(DescriptionError, match="package_dirs"):
        tribo.World.load(file)
    assert tribo.World.load(file, package_dirs=robot.parent)["robot"].mass == 1.0
    caplog.clear()
    world.save(tmp_path / "world.xml")
    assert "package_dirs" not in caplog.text
    assert tribo.World.load(tmp_path / "world.xml")["robot"].mass == 1.0


def test_worlds_look_their_files_up_in_package_dirs(tmp_path):
    robots = tmp_path / "robots"
    (robots / "arm" / "urdf").mkdir(parents=True)
    robot = robots / "arm" / "urdf" / "arm.urdf"
    robot.write_text(f"<robot>{LINK.format('base')}</robot>")
    world = tmp_path / "a" / "b" / "c" / "world.xml"
    world.parent.mkdir(parents=True)

    def read(path, **options):
        world.write_text(f'<raisim><objects><articulatedSystem urdfPath="{path}"/></objects></raisim>')
        return raisim_xml.read(world, **options).objects[0].urdf

    for path, folder in (
        ("arm/urdf/arm.urdf", robots), ("arm.urdf", robot.parent),
        ("package://arm/urdf/arm.urdf", robots), ("package://arm/urdf/arm.urdf", robots / "arm"),
    ):  # fmt: skip
        assert read(path, package_dirs=[folder]) == robot
        with pytest.raises(DescriptionError, match=r"world.xml:1: .*package_dirs"):
            read(path)
    (world.parent / "arm.urdf").write_text(robot.read_text())  # its own folder comes first
    assert read("arm.urdf", package_dirs=[robot.parent]) == world.parent / "arm.urdf"
    for path in ("[THIS_DIR]/urdf/arm.urdf", "package://../../etc/passwd", "http://x/arm.urdf"):
        with pytest.raises(DescriptionError, match=r"world.xml:1: .*urdf_path"):
            read(path, package_dirs=[robots])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot>" + 300 * "<a>" + 300 * "</a>" + "</robot>", "more than 256 deep"),
        (f'<robot name="{"x" * 10_000_001}"/>', "more than 10000000 characters"),
        (f"<robot>{'x' * 10_000_001}</robot>", "more than 10000000 characters"),
    ],
    ids=["deep", "attribute", "text"],
)
def test_limits_of_the_parser_are_told_in_our_words(text, says):
    with pytest.raises(DescriptionError, match=says) as found:
        tribo.World().add_articulated_system(text)
    assert "HUGE" not in str(found.value)


@pytest.mark.parametrize("value", ["1e-15", "1e15", "0", "-0.001", "11"])
def test_time_steps_that_no_world_can_make_are_refused(value):
    says = "from 1e-09 to 10 s"
    with pytest.raises(DescriptionError, match=rf"<option>: timestep must be {says}"):
        tribo.World().load_mjcf(f'<mujoco><option timestep="{value}"/><worldbody/></mujoco>')
    with pytest.raises(DescriptionError, match=rf"<time_step>: value must be {says}"):
        raisim_xml.read(f'<raisim><timeStep value="{value}"/></raisim>')
    world = tribo.World()
    with pytest.raises(ValueError, match=f"time_step must be {says}"):
        world.time_step = float(value)
    batch = tribo.Batch(world, 2)
    with pytest.raises(ValueError, match=f"time_step must be {says}"):
        batch.time_step = [0.001, float(value)]
    assert world.time_step == 0.001
    for good in (1e-9, 10):
        world.time_step = good
        assert world.time_step == good


BALL = """<robot name="b"><link name="ball"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""
DECLARED = '<?xml version="1.0" encoding="utf-8"?>'


@pytest.mark.parametrize(
    "prolog",
    [
        f"<!-- made by a tool -->\n{DECLARED}\n",
        f"\n\n  {DECLARED}",
        f"{DECLARED}\n<!-- again -->\n{DECLARED}\n",
        f"\ufeff<!-- Ünïcode -->{DECLARED}",
        '<!-- x --><?xml version="1.0"?>\n<?pi here?>\n<?xml version="1.1" ?>',
    ],
)
def test_a_declaration_that_is_not_at_the_start_is_read_with_a_note(prolog, tmp_path):
    """RaiSim's own files have comments, blanks and second declarations before their first element."""
    path = tmp_path / "ball.urdf"
    path.write_text(prolog + BALL, encoding="utf-8")
    for source in (path, prolog + BALL):
        tree = urdf.read(source)
        assert tree.bodies[0].mass == 2.0
        assert sum("belongs once at the very start" in note for note in tree.notes) == 1
        assert tree.doubts == []
        lines = xml.parse(source, "URDF", Report(strict=False)).children[0].line
        assert lines == 1 + prolog.count("\n")


@pytest.mark.parametrize("prolog", ["", DECLARED, f"{DECLARED}\n<!-- c -->\n", "<!-- c -->\n"])
def test_a_declaration_in_its_place_needs_no_note(prolog):
    assert urdf.read(prolog + BALL).notes == []


def test_an_encoding_behind_a_comment_counts(tmp_path):
    path = tmp_path / "ball.urdf"
    text = '<!-- c --><?xml version="1.0" encoding="iso-8859-1"?>' + BALL.replace("ball", "bäll")
    path.write_bytes(text.encode("iso-8859-1"))
    assert urdf.read(path).bodies[0].name == "bäll"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (f"<robot>{DECLARED}</robot>", "remove it"),
        ("<robot/><robot/>", "only one outermost element"),
        ("<robot><link></robot>", "close the tag"),
        ("<robot><link>", "close the open tags"),
    ],
)
def test_what_is_not_well_formed_says_what_to_do(text, remedy):
    with pytest.raises(DescriptionError, match=remedy):
        urdf.read(text)


def test_pipes_and_devices_are_no_files(tmp_path):
    """A named pipe waits for a writer for ever, a device never ends."""
    pipe = tmp_path / "pipe.xml"
    os.mkfifo(pipe)
    world = tribo.World()
    reads = [
        tribo.World.load, tribo.read_materials, world.add_articulated_system, world.load_materials,
        world.load_state, tribo.HeightField.from_text,
        lambda path: tribo.HeightField.from_image(path, (1, 1), scale=1.0),
        lambda path: tribo.spatial.load(path.rename(path.with_suffix(".json"))),
    ]  # fmt: skip
    for read in reads:
        with pytest.raises(ValueError, match="it is a named pipe, not a plain file"):
            read(pipe)
    with pytest.raises(DescriptionError, match="it is a device"):
        tribo.World.load(Path("/dev/zero"))


def test_long_vectors_are_read_as_number_by_number():
    """All words at once: taken if, and only if, each is a number of its own, and as the same numbers."""
    rng = np.random.default_rng(0)
    letters = "0123456789.eE+-_ xnaif１"
    known = ["1_0", "inf", "nan", "+-1", "1e", "--1", "1.", ".5", ".", "-.5e-3", "1E+7", "1e999", "１", "0x1"]
    words = known + ["".join(rng.choice(list(letters), rng.integers(1, 6))) for _ in range(20_000)]
    accepted = 0
    for word in words:
        is_number = nodes._NUMBER.fullmatch(word) is not None and math.isfinite(float(word))
        assert nodes._all_numbers(["2", word], math.inf) == ((2.0, float(word)) if is_number else ())
        accepted += is_number
    assert accepted > 1000
    assert nodes._all_numbers([], math.inf) == ()
    assert nodes._all_numbers(["3", "-4"], 3.5) == ()


def test_a_file_name_that_the_system_refuses_is_named():
    """It has 300 letters; asking what the file is fails already."""
    for read in (urdf.read, tribo.World.load):
        with pytest.raises(DescriptionError, match=r"a{20}.*: cannot read the"):
            read(Path("a" * 300 + ".xml"))
