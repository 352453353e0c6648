"""Attributes that would change what happens, and are not read: each is said in a note."""

import pytest

from tribo.formats.mjcf import reading

FILE = """<mujoco>
<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" {mesh}/></asset>
<worldbody>
<body name="ball" pos="0 0 2"><freejoint/><geom size="0.1"/><site name="s"/></body>
<body name="stone" pos="0 0 4"><freejoint/><geom type="mesh" mesh="m"/></body>
<body name="hand" mocap="true"/>
</worldbody>
<sensor><gyro name="g" site="s" {sensor}/></sensor>
<keyframe><key name="k" {key}/></keyframe>
</mujoco>"""
LOST = [
    ("sensor", 'cutoff="3"', "cutoff is not read: clip what the sensor measures"),
    ("sensor", 'delay="0.1"', "delay is not read"),
    ("sensor", 'nsample="3"', "nsample is not read"),
    ("sensor", 'interp="linear"', "interp is not read"),
    ("mesh", 'maxhullvert="4"', "maxhullvert is not read: the hull keeps all its corners"),
    ("key", 'time="2"', "time is not read: worlds begin at 0 s"),
    ("key", 'mpos="0 0 1"', "mpos is not read: put the mocap bodies there"),
    ("key", 'mquat="1 0 0 0"', "mquat is not read: turn the mocap bodies"),
]


def notes(**given: str) -> str:
    return "\n".join(reading.read(FILE.format(**{"mesh": "", "sensor": "", "key": ""} | given)).notes)


def test_a_file_without_them_has_no_such_note():
    assert "is not read" not in notes()


@pytest.mark.parametrize(("element", "attribute", "said"), LOST, ids=[one[1] for one in LOST])
def test_what_is_not_read_is_said(element, attribute, said):
    assert said in notes(**{element: attribute})
