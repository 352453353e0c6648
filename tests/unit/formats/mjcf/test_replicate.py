"""<replicate>: places and names of the copies, and what speaks of them."""

import pytest

from tribo.description.trees import DescriptionError
from tribo.formats import mjcf
from tribo.formats.mjcf import replicate

BODY = '<body name="b" pos="0 1 0"><joint name="j"/><geom size=".1"/></body>'


def scene(inner, *sections):
    return mjcf.read(f"<mujoco>{''.join(sections)}<worldbody>{inner}</worldbody></mujoco>")


def test_each_copy_is_a_step_further_and_has_a_number_with_leading_zeros():
    made = scene(f'<replicate count="10" sep="-" offset="1 0 0" euler="0 0 90">{BODY}</replicate>')
    assert [item.name for item in made.objects] == [f"b-{k:02d}" for k in range(10)]
    places = [item.tree.bodies[1].joint.position for item in made.objects[:3]]
    for found, expected in zip(places, [(0, 1, 0), (0, 0, 0), (1, 0, 0)], strict=True):
        assert found == pytest.approx(expected, abs=1e-12)


def test_copies_of_copies_get_the_inner_number_first():
    inner = f'<replicate count="2" offset="0 1 0" sep="_">{BODY}</replicate>'
    made = scene(f'<replicate count="2" offset="1 0 0">{inner}</replicate>')
    assert [item.name for item in made.objects] == ["b_00", "b_10", "b_01", "b_11"]


def test_what_speaks_of_copies_is_copied_along():
    motors = '<actuator><motor name="m" joint="j"/><motor name="n" joint="j"/></actuator>'
    made = scene(f'<replicate count="2">{BODY}</replicate>', motors)
    assert [[a.name for a in item.tree.actuators] for item in made.objects] == [["m0", "n0"], ["m1", "n1"]]
    assert [item.tree.actuators[0].joint for item in made.objects] == ["j0", "j1"]


def test_copies_in_an_attached_model_keep_its_rules(tmp_path):
    (tmp_path / "a.xml").write_text(
        '<mujoco model="a"><compiler angle="radian"/><worldbody><replicate count="2" euler="0 0 1">'
        f"{BODY}</replicate></worldbody></mujoco>"
    )
    (tmp_path / "m.xml").write_text(
        '<mujoco><asset><model file="a.xml"/></asset><worldbody><replicate count="2" offset="0 0 1">'
        '<attach model="a" prefix="p/"/></replicate></worldbody></mujoco>'
    )
    made = mjcf.read(tmp_path / "m.xml")
    assert [item.name for item in made.objects] == ["p/b00", "p/b10", "p/b01", "p/b11"]
    x, y, _ = made.objects[1].tree.bodies[1].joint.position
    assert (x, y) == pytest.approx((-0.8414709848078965, 0.5403023058681398))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('count="0"', "must be ≥ 1"),
        ('count="x"', "whole number"),
        ('count="99999999999"', "more than 500000 elements"),
    ],
)
def test_too_many_copies_or_none_are_refused(given, words):
    with pytest.raises(DescriptionError, match=words):
        scene(f"<replicate {given}>{BODY}</replicate>")


def test_many_of_them_in_a_large_file_end():
    """60 000 of them among each other would be 4·10⁹ comparisons."""
    with pytest.raises(DescriptionError, match="too many of them"):
        scene('<replicate count="1"/>' * 60_000)


def test_copies_of_copies_of_copies_end(monkeypatch):
    """10³ copies three times over would be 10⁹ bodies; the first thousand are below the bound."""
    monkeypatch.setattr(replicate, "MAX_TAGS", 50_000)
    text = BODY
    for _ in range(3):
        text = f'<replicate count="1000">{text}</replicate>'
    with pytest.raises(DescriptionError, match="more than 50000 elements"):
        scene(text)
