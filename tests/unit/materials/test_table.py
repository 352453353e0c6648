"""The table of material pairs: ranges, order of names, defaults and where a value comes from."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tribo
from tribo.materials import ContactMaterial, MaterialTable, PairProperties
from tribo.model import Pair

NAMES = [item.name for item in fields(PairProperties)]


def test_standard_values():
    standard = PairProperties()
    expected = [0.8, 0, 0, 0.8, 1e-3, 0, 0, None, 0, 0, 0]
    assert [getattr(standard, name) for name in NAMES] == expected


def test_columns_of_the_array_are_the_fields_in_order():
    rigid = list(Pair)[: len(NAMES)]
    assert [member.name.lower() for member in rigid] == NAMES
    assert [member.value for member in rigid] == list(range(len(NAMES)))
    assert MaterialTable().array().shape[2] == max(Pair) + 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "much", [1.0]])
def test_values_outside_the_range_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        PairProperties(**{name: value})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"restitution": 1.01}, "restitution must be within 0…1, got 1.01"),
        ({"friction": 0.5, "static_friction": 0.4}, "static_friction must be ≥ friction"),
        ({"static_friction_velocity": 0.0}, "static_friction_velocity must be > 0"),
    ],
)
def test_messages_say_property_range_and_value(values, message):
    with pytest.raises(ValueError, match=message):
        PairProperties(**values)


def test_an_error_in_a_pair_names_both_materials_and_changes_nothing():
    table = MaterialTable()
    with pytest.raises(ValueError, match="material pair 'steel', 'ice': friction must be"):
        table.set_pair("steel", "ice", friction=-1.0)
    assert table.names == ("default",)
    assert table.pair("steel", "ice") == table.default


def test_an_unknown_property_gets_a_proposal():
    table = MaterialTable()
    with pytest.raises(TypeError, match="'frictoin'; did you mean 'friction'"):
        table.set_pair("steel", "ice", frictoin=0.1)
    with pytest.raises(TypeError, match="'colour'; known: friction, restitution"):
        table.set_pair("steel", "ice", colour=0.1)


def test_the_order_of_the_names_does_not_matter():
    table = MaterialTable()
    table.set_pair("steel", "rubber", friction=0.9, restitution=0.3)
    assert table.pair("rubber", "steel") == table.pair("steel", "rubber")
    table.set_pair("rubber", "steel", friction=0.1)
    assert table.pair("steel", "rubber") == PairProperties(friction=0.1)
    assert len(list(table)) == 1


def test_static_friction_follows_friction_unless_given():
    assert PairProperties(friction=0.3).static_friction == 0.3
    assert PairProperties(friction=0.3, static_friction=0.5).static_friction == 0.5


def test_a_pair_that_was_not_set_takes_the_default_pair():
    table = MaterialTable(PairProperties(friction=0.2))
    assert table.pair("wood", "wood").friction == 0.2
    table.default = PairProperties(friction=0.6)
    assert table.pair("wood", "wood").friction == 0.6
    with pytest.raises(TypeError, match="default must be PairProperties or a ContactMaterial, got float"):
        table.default = 0.5


def test_explain_says_where_each_value_comes_from():
    table = MaterialTable()
    table.set_pair("steel", "rubber", friction=0.9)
    origin = table.explain("rubber", "steel").origin
    assert origin["friction"] == "set for this pair"
    assert origin["static_friction"].startswith("equal to friction")
    assert origin["restitution"].startswith("standard value")
    table.index("wood")
    assert set(table.explain("steel", "wood").origin.values()) == {"default pair (this pair was never set)"}
    text = str(table.explain("steel", "rubber"))
    assert text.splitlines()[0] == "steel | rubber"
    assert len(text.splitlines()) == 1 + len(NAMES)


def test_setting_whole_properties_marks_all_as_set():
    table = MaterialTable()
    table.set_pair("steel", "rubber", PairProperties(friction=0.9), restitution=0.5)
    explained = table.explain("steel", "rubber")
    assert set(explained.origin.values()) == {"set for this pair"}
    assert (explained.properties.friction, explained.properties.restitution) == (0.9, 0.5)


def test_every_change_is_noticed():
    table = MaterialTable()
    seen = [table.revision]
    for change in (
        lambda: table.index("steel"),
        lambda: table.set_pair("steel", "steel", friction=0.1),
        lambda: setattr(table, "default", PairProperties()),
    ):
        change()
        seen.append(table.revision)
    assert seen == sorted(set(seen))
    table.index("steel")
    assert table.revision == seen[-1]


def test_a_name_must_be_a_string():
    with pytest.raises(TypeError, match="a material name must be a string, got 3"):
        MaterialTable().index(3)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.floats(0, 2))))
def test_the_array_is_symmetric_and_holds_the_last_value_set(changes):
    table = MaterialTable()
    last = {}
    for first, second, friction in changes:
        table.set_pair(first, second, friction=friction)
        last[frozenset((first, second))] = friction
    array = table.array()
    assert array.shape[:2] == (len(table.names), len(table.names))
    assert np.array_equal(array, array.transpose(1, 0, 2))
    for first in table.names:
        for second in table.names:
            row = array[table.index(first), table.index(second)]
            assert row[Pair.FRICTION] == last.get(frozenset((first, second)), 0.8)


@pytest.mark.parametrize(
    ("law", "values", "kind"),
    [
        ("rigid", {"friction": 0.5, "restitution": 0.2}, PairProperties),
        ("ground", {"friction": 0.5, "stiffness": 1e6, "damping": 2e3}, PairProperties),
        ("compliant", {"friction": 0.5}, ContactMaterial),
        ("compliant", {"youngs_modulus": 1e8}, ContactMaterial),
        (None, {"friction": 0.5}, PairProperties),
    ],
)
def test_a_law_is_chosen_by_its_name(law, values, kind):
    table = MaterialTable()
    table.set_pair("a", "b", law=law, **values)
    made = table.pair("a", "b")
    assert type(made) is kind
    assert all(getattr(made, name) == value for name, value in values.items())
    assert "law" not in dict(table.explain("a", "b").origin)


@pytest.mark.parametrize(
    ("law", "values", "words"),
    [
        ("rigid", {"stiffness": 1e6}, "stiffness does not belong to law='rigid'"),
        ("rigid", {"youngs_modulus": 1e8}, "youngs_modulus does not belong to law='rigid'"),
        ("ground", {"friction": 0.5}, 'law="ground" needs a stiffness'),
        ("compliant", {"rolling_friction": 0.1}, "rolling_friction does not belong"),
        ("rigd", {}, "did you mean 'rigid'"),
    ],
)
def test_a_value_of_another_law_is_refused(law, values, words):
    table = MaterialTable()
    with pytest.raises(ValueError, match=words):
        table.set_pair("a", "b", law=law, **values)
    assert list(table) == []


def test_a_law_is_not_said_twice():
    with pytest.raises(ValueError, match="leave law out"):
        MaterialTable().set_pair("a", "b", PairProperties(), law="rigid")


def test_a_world_sets_a_whole_pair_and_a_batch_what_is_given():
    """Both are so documented; `World.set_material_pair` keeps what it gets as a law."""
    world = tribo.World()
    world.set_material_pair("steel", "rubber", friction=0.6, restitution=0.4)
    batch = tribo.Batch(world, 1, threads=1)
    batch.set_material_pair("steel", "rubber", friction=0.3)
    assert batch.material_pair("steel", "rubber")["restitution"] == [0.4]
    world.set_material_pair("steel", "rubber", world.materials.pair("steel", "rubber"), rolling_friction=0.1)
    pair = world.materials.pair("steel", "rubber")
    assert (pair.friction, pair.restitution, pair.rolling_friction) == (0.6, 0.4, 0.1)
    world.set_material_pair("steel", "rubber", friction=0.3)
    assert world.materials.pair("steel", "rubber").restitution == 0.0
