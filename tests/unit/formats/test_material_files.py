"""Material files in Choreonoid's YAML: lists of names, merges, tables over tables, what is wrong where."""

import json
import logging
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from material_schema import schema

import tribo
from tribo.checks.errors import DescriptionError
from tribo.formats import yaml_nodes
from tribo.formats.material_files import read_materials
from tribo.materials import ContactMaterial, Material, MaterialLibrary, complaints
from tribo.tools import cli
from tribo.tools.demo import ASSETS

SAMPLE = (Path(__file__).parents[2] / "data" / "choreonoid_materials.yaml").read_text("utf-8")


def pair(library, first, second, *names):
    return tuple(getattr(library.pair(first, second).law, name) for name in names)


def test_the_sample_reads_as_it_is_meant():
    library = read_materials(SAMPLE)
    assert library.names == ("default", "Ground", "agxMat5", "ice")
    assert library.material("Default").roughness == 0.8
    assert pair(library, "agxMat5", "Ground", "youngs_modulus", "adhesion_force") == (1e5, 100.0)
    # Explicit keys win over merged ones wherever they stand; 1e10 is a text to YAML 1.1.
    for names in (("Ground", "default"), ("ice", "Default"), ("Ground", "ice")):
        assert pair(library, *names, "friction", "youngs_modulus", "spook_damping") == (0.7, 1e10, 0.05)
    assert not library.pair("Ground", "Ground").is_explicit
    assert len(library.doubts) == 1
    assert "25:35: material 'ice' is not in materials" in library.doubts[0]


def test_one_name_twice_is_the_pair_of_a_material_with_itself():
    library = read_materials("contact_materials:\n - { materials: [ a, b, a ], friction: 0.9 }\n")
    explicit = {(p.first, p.second) for p in library if p.is_explicit}
    assert explicit == {("a", "a"), ("a", "b")}


def test_both_spellings_in_one_entry():
    both = read_materials("materials:\n - { name: a, spookDamping: 0.1, spook_damping: 0.2 }\n")
    assert both.material("a").spook_damping == 0.2
    assert "2:15: spookDamping of material 'a' is ignored: spook_damping stands there too" in both.doubts[0]


def test_tables_are_put_over_a_default_table():
    below = "materials:\n - { name: steel, roughness: 0.2 }\n - { name: Default, roughness: 0.9 }\n"
    below += "contact_materials:\n - { materials: [ steel, Default ], friction: 0.1 }\n"
    below += " - { materials: [ steel, steel ], friction: 0.2 }\n"
    above = "materials:\n - { name: rubber }\n"
    above += "contactMaterials:\n - { materials: [ steel, rubber, Default ], friction: 0.8 }\n"
    library = read_materials(below, above)
    assert library.doubts == ()
    assert library.material("steel").roughness == 0.2  # named in a pair above, not replaced
    assert library.material("default").roughness == 0.9
    assert pair(library, "steel", "default", "friction") == (0.8,)
    assert pair(library, "steel", "steel", "friction") == (0.2,)
    replaced = read_materials(below, "materials:\n - name: steel\n")
    assert replaced.material("steel") == Material("steel")


def test_merges_of_lists_and_of_merges():
    text = "a: &a { friction: 0.1, restitution: 0.1 }\nb: &b { friction: 0.2, spookDamping: 0.3 }\n"
    text += "c: &c { <<: [ *a, *b ] }\ncontact_materials:\n - { materials: [ x, x ], <<: *c }\n"
    library = read_materials(text)
    assert pair(library, "x", "x", "friction", "restitution", "spook_damping") == (0.1, 0.1, 0.3)


DOUBTS = [
    ("materials:\n - { name: a, roughnes: 1 }\n", "2:15: 'roughnes' of material 'a' is unknown, ignored"),
    ("materials:\n - { name: a, roughnes: 1 }\n", "you mean 'roughness'?"),
    ("materials:\n - { name: a, youngsModulus: }\n", "2:30: youngsModulus of material 'a' has no value"),
    ("materials:\n - { name: a, density: 1e9x }\n", "2:24: density of material 'a' is no number ('1e9x')"),
    ("materials:\n - { name: a, density: true }\n", "2:24: density of material 'a' is no number ('true')"),
    ("materials:\n - { roughness: 1 }\n", "2:4: a material without name is left out"),
    ("materials:\n - { name: a }\n - { name: a, roughness: 1 }\n", "material 'a' stands in line 2 already"),
    ("materials:\n - { name: a, density: 1, density: 2 }\n", "2:27: 'density' stands in line 2 already"),
    ("contactMaterial:\n - 1\n", "1:1: 'contactMaterial' is unknown here, ignored; did you mean"),
    ("contact_materials: []\ncontactMaterials: []\n", "2:1: 'contactMaterials' is ignored"),
    ("materials:\n - { name: a, density: !!python/name:os.system 2 }\n", "the tag 'tag:yaml.org,2002:python"),
]  # fmt: skip
PAIR = "materials: [ { name: a } ]\ncontact_materials:\n - { materials: [ a, a ], %s }\n"
DOUBTS += [
    (PAIR % "secondaryfriction: 1", "'secondaryfriction' of a contact material is unknown, ignored; did you"),
    (PAIR % "frictionModel: [ boxx, direct ]", "got 'boxx'; did you mean 'box'?; the default is used"),
    (PAIR % "frictionModel: box", "friction_model must be two words, model and solver"),
    (PAIR % "contactReductionMode: none", "contact_reduction_mode must be one of"),
    (PAIR % "friction: 0.4, dynamicFriction: 0.3", "dynamic friction is ignored"),
    (
        "contactMaterials:\n - materials: [ default, Default ]\n - materials: [ Default, default ]\n",
        "3:4: the pair 'default', 'default' stands in line 2 already; the last one counts",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), DOUBTS)
def test_what_may_not_be_as_it_is_meant_is_said_and_an_error_if_strict(text, message):
    library = read_materials(text)
    assert len(library.doubts) == 1, library.doubts
    assert message in library.doubts[0]
    with pytest.raises(DescriptionError, match=r"an error because of strict=True"):
        read_materials(text, strict=True)


ERRORS = [
    ("a: [\n", "not YAML"),
    ("a:\n\t- 1\n", "2:1: not YAML"),
    ("- 1\n- 2\n", "1:1: a material file must be a mapping, got a list"),
    ("materials: 5\na: 1\n", "1:12: materials must be a list, got '5'"),
    ("materials:\n - 5\n", "2:4: an entry of materials must be a mapping, got '5'"),
    ("contact_materials:\n - { friction: 1 }\n", "2:4: a contact material needs materials"),
    ("contact_materials:\n - { materials: [ a ] }\n", "2:17: a contact material joins two materials"),
    ("contact_materials:\n - { material: [ a, b ] }\n", "did you mean 'material'"),
    ("materials:\n - { name: a, density: -1 }\n", "2:24: density of material 'a' must be ≥ 1e-15 kg"),
    ("materials:\n - { name: a, density: -1 }\n", "1e-15 kg/m³, got '-1'"),
    ("materials:\n - { name: a, density: .inf }\n", "must be ≥ 1e-15 and ≤ 1e+15 kg/m³, got '.inf'"),
    ("materials:\n - { name: a, density: 1e200 }\n", "must be ≥ 1e-15 and ≤ 1e+15 kg/m³, got '1e200'"),
    (PAIR % "primaryDirection: [ 1, 0 ]", "must be a list of 3 numbers, got 2 entries"),
    (PAIR % "contactReductionBinResolution: 1.5", "must be a whole number"),
    (PAIR % "contactReductionBinResolution: 300", "must be ≤ 255"),
    ("a: *b\nb: 1\n", r"1:4: *b is used but &b is not defined above it"),
    ("a: &a [ *a ]\nb: 1\n", r"1:9: *a stands inside of what it names"),
    ("? [ 1 ]\n: 2\n", "1:3: a key must be a text, got a list"),
    ("a: { <<: 5 }\nb: 1\n", "1:6: << takes a mapping or a list of mappings, got '5'"),
    ("a: 1\n---\nb: 1\n", "a second document begins"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_errors_say_where_and_what(text, message):
    with pytest.raises(DescriptionError) as caught:
        read_materials(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith("<material file>:")


def test_all_that_is_wrong_in_a_file_is_said_at_once():
    """No remark that "wood" is in no list: it is, but could not be read."""
    text = """materials:
  - { name: wood, roughness: -1.0 }
  - { name: steel, roughnes: 0.3 }
contactMaterials:
  - { materials: [steel, wood], restitution: 1.4 }
  - { materials: [steel] }
"""
    with pytest.raises(tribo.DescriptionError) as raised:
        tribo.read_materials(text)
    lines = str(raised.value).splitlines()
    assert [re.search(r":(\d+):\d+: ", line)[1] for line in lines] == ["2", "5", "6", "3"]
    assert "roughness" in lines[0]
    assert "restitution" in lines[1]
    assert "two materials" in lines[2]
    assert lines[3].startswith("also: ")
    assert "did you mean 'roughness'" in lines[3]
    many = "materials:\n" + "  - { name: a, density: -1 }\n" * 50
    with pytest.raises(tribo.DescriptionError, match=r"… and 30 more$") as raised:
        tribo.read_materials(many)
    assert len(str(raised.value).splitlines()) == 21


def test_static_friction_replaces_friction():
    library = read_materials(PAIR % "friction: 0.4, static_friction: 0.6")
    assert pair(library, "a", "a", "friction") == (0.6,)


# -- nobody vouches for the file -------------------------------------------------------------------
def test_aliases_cannot_exhaust_memory():
    lines = ["a0: &a0 [ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 ]"]
    lines += [f"a{k}: &a{k} [ {', '.join([f'*a{k - 1}'] * 10)} ]" for k in range(1, 12)]
    with pytest.raises(DescriptionError, match="values with its aliases written out"):
        read_materials("\n".join(lines))


def test_merges_cannot_exhaust_memory():
    keys = ", ".join(f"k{i}: 1" for i in range(1000))
    text = f"a: &a {{ {keys} }}\nb:\n" + " - { <<: *a }\n" * 600
    with pytest.raises(DescriptionError, match=r"merged entries \(<<\)|aliases written out"):
        read_materials(text)


@pytest.mark.parametrize("text", ["a: " + "[" * 100_000 + "\n", "a: \n" + "- " * 100_000])
def test_depth_is_bounded(text):
    # libyaml, which reads ahead, refuses a thousand levels itself since PyYAML 6.0.4.
    with pytest.raises(DescriptionError, match=r":\d+:\d+: (.* 128 levels deep|.*maximum nesting depth)"):
        read_materials(text)


def test_depth_through_aliases_is_bounded():
    lines = ["a0: &a0 1"] + [f"a{k}: &a{k} [ *a{k - 1} ]" for k in range(1, 200)]
    with pytest.raises(DescriptionError, match="more than 128 levels deep with its aliases"):
        read_materials("\n".join(lines))


def test_size_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(yaml_nodes, "MAX_BYTES", 1000)
    path = tmp_path / "m.yaml"
    path.write_text("# " + "x" * 1000 + "\nmaterials: []\n")
    with pytest.raises(DescriptionError, match="larger than"):
        read_materials(path)
    monkeypatch.setattr(yaml_nodes, "MAX_NODES", 100)
    with pytest.raises(DescriptionError, match="more than 100 values"):
        read_materials("a:\n" + " - 1\n" * 101)


def test_what_cannot_be_read_is_said(tmp_path):
    with pytest.raises(DescriptionError, match=r"nix\.yaml: cannot read the material file: No such file"):
        read_materials(tmp_path / "nix.yaml")
    with pytest.raises(DescriptionError, match="cannot read the material file"):
        read_materials(tmp_path)
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"materials:\n - { name: \xe4 }\n")
    with pytest.raises(DescriptionError, match=r"latin\.yaml:2: not UTF-8"):
        read_materials(path)


# -- the schema --------------------------------------------------------------------------------------
def test_the_published_schema_is_that_of_the_reader():
    published = json.loads((ASSETS / "material-file.schema.json").read_text("utf-8"))
    assert published == schema()
    Draft202012Validator.check_schema(published)


NUMBERS = st.one_of(
    st.floats(-2.0, 2e16, allow_nan=False), st.sampled_from([0, 1, -1, 0.5, "1e10", "1e-7", "much", True])
)  # fmt: skip
WORDS = st.sampled_from(["default", "box", "direct", "split", "cone", "reduceALL", "reduce_none", "boxx"])


def entries(definition, label):
    """Return entries with a few keys of a definition of the schema, right and wrong ones."""
    keys = sorted(schema()["$defs"][definition]["properties"])
    # Keys without effect and second spellings, of which the reader says so, are left out.
    skipped = {"poisson_ratio", "poissonRatio", "dynamic_friction", "dynamicFriction", *label}
    plain = [key for key in keys if key not in skipped and key.lower() == key] + ["frictoin"]
    values = st.one_of(NUMBERS, WORDS, st.lists(WORDS, max_size=3), st.lists(NUMBERS, min_size=3, max_size=3))
    return st.dictionaries(st.sampled_from(plain), values, max_size=3).map(lambda made: made | label)


@settings(max_examples=150, deadline=None)
@given(entries("materials", {"name": "a"}), entries("contact_materials", {"materials": ["a", "b"]}))
def test_the_schema_takes_what_the_reader_takes_without_a_doubt(material, contact):
    document = {"materials": [material, {"name": "b"}], "contact_materials": [contact]}
    text = yaml.safe_dump(document)
    takes = Draft202012Validator(schema()).is_valid(yaml.safe_load(text))
    try:
        read_materials(text, strict=True)
        reads = True
    except DescriptionError:
        reads = False
    if takes != reads:  # numbers as text have no range in a schema, whole numbers no size in a list
        assert takes
        assert any(isinstance(v, str) for v in [*material.values(), *contact.values()])


# -- diagnosis -------------------------------------------------------------------------------------
def said(law, **sizes):
    library = MaterialLibrary()
    library.set_pair("a", "b", law)
    return complaints(library.pair("a", "b"), **sizes)


def test_diagnosis_of_short_spook_damping():
    assert said(ContactMaterial(spook_damping=0.01), time_step=0.005) == []
    (text,) = said(ContactMaterial(spook_damping=0.00999), time_step=0.005)
    assert text.startswith("a | b: spook_damping 0.00999 s is less than two time steps of 0.005 s")
    assert said(ContactMaterial(spook_damping=0.0)) == []  # without a time step nothing is judged


def test_diagnosis_of_stiffness_without_the_direct_solver():
    soft, stiff = 4.0 * 3.0 / 0.01**2, 4.0 * 3.0 / 0.01**2 * 1.001  # ω h = 2 at 3 kg and 10 ms
    for solver, modulus, count in [
        ("iterative", stiff, 1), ("iterative", soft, 0), ("split", stiff, 0), ("direct", stiff, 0),
    ]:  # fmt: skip
        law = ContactMaterial(youngs_modulus=modulus, friction_model=("box", solver))
        found = said(law, time_step=0.01, mass=3.0)
        assert len(found) == count
        assert all("too stiff for sweeps alone" in text for text in found)


def test_diagnosis_of_adhesion():
    law = ContactMaterial(adhesion_force=10.0, adhesive_overlap=0.1)
    assert said(law, thickness=0.2) == []
    assert "not thinner than the shape (0.1 m)" in said(law, thickness=0.1)[0]
    assert "only across gaps" in said(ContactMaterial(adhesion_force=10.0))[0]
    assert "nothing pulls" in said(ContactMaterial(adhesive_overlap=0.1))[0]


def test_diagnosis_of_parameters_without_effect():
    oriented = {"friction_model": ("oriented_box", "split")}
    assert len(said(ContactMaterial(**oriented))) == 2
    whole = {"primary_direction": (1, 0, 0), "reference_link": "L"}
    assert said(ContactMaterial(**oriented, **whole, secondary_friction=0.1)) == []
    assert "secondaryFriction has no effect" in said(ContactMaterial(secondary_friction=0.1))[0]
    viscous = ContactMaterial(**oriented, **whole, secondary_surface_viscosity=1e-3)
    assert "secondarySurfaceViscosity has no effect" in said(viscous)[0]
    assert "has no effect" in said(ContactMaterial(constant_normal_force=3.0))[0]
    assert "beyond 10" in said(ContactMaterial(contact_reduction_bin_resolution=11))[0]


# -- into a world ------------------------------------------------------------------------------------
PLAIN = "materials:\n - { name: steel, roughness: 0.2, viscosity: 1 }\n - { name: ice, roughnes: 1 }\n"
PLAIN += "contact_materials:\n - { materials: [ steel, ice ], friction: 0.05, restitution: 0.25 }\n"


def test_a_world_takes_contact_materials_as_they_are(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(PLAIN)
    world = tribo.World()
    world.load_materials(path)
    law = world.materials.pair("ice", "steel")
    assert isinstance(law, ContactMaterial)
    assert (law.friction, law.restitution, law.youngs_modulus) == (0.05, 0.25, 2e8)
    mixed = world.materials.pair("steel", "steel")
    assert (mixed.youngs_modulus, mixed.friction) == pytest.approx((2e8, 0.2))
    origin = world.explain_pair("steel", "steel").origin
    assert origin["friction"].startswith("mixed: √(r₁ r₂)")
    assert isinstance(world.default_pair, ContactMaterial)


def test_what_a_rigid_pair_cannot_be_leaves_the_world_as_it_was():
    world = tribo.World()
    before = world.materials.revision
    with pytest.raises(DescriptionError, match="no adhesion_force=5 N"):
        world.load_materials(PLAIN + " - { materials: [ ice, ice ], adhesionForce: 5 }\n", rigid=True)
    assert world.materials.revision == before


def test_contact_materials_come_back_from_a_world_file(tmp_path):
    """Every property, and the default pair; what steps read of them is the same."""
    world = tribo.World()
    law = ContactMaterial(
        youngs_modulus=1.5e5, restitution=0.3, spook_damping=0.02, friction=0.7, secondary_friction=0.1,
        surface_viscosity=1e-4, secondary_surface_viscosity=3e-4, adhesion_force=2.0, adhesive_overlap=1e-3,
        friction_model=("oriented_box", "direct"), contact_reduction_mode="reduce_all",
        contact_reduction_bin_resolution=3, primary_direction=(0, 1, 0), reference_body="sled",
        reference_link="body", constant_normal_force=4.0,
    )  # fmt: skip
    world.set_material_pair("steel", "ice", law)
    world.default_pair = ContactMaterial(youngs_modulus=1e6)
    world.save(tmp_path / "world.xml")
    again = tribo.World.load(tmp_path / "world.xml")
    assert again.materials.pair("ice", "steel") == law
    assert again.default_pair == ContactMaterial(youngs_modulus=1e6)
    assert np.array_equal(again.materials.array(), world.materials.array())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('youngs_modulus="1e6" rolling_friction="0.1"', "unknown attribute 'rolling_friction'"),
        ('youngs_modulus="-1"', "youngs_modulus .* must be > 0"),
        ('youngs_modulus="1e6" friction_model="bx direct"', "did you mean 'box'"),
    ],
)
def test_a_wrong_contact_material_in_a_world_file_is_said(tmp_path, text, message):
    path = tmp_path / "world.xml"
    path.write_text(
        f'<raisim version="1.0"><material><pair_prop name1="a" name2="b" {text}/></material></raisim>'
    )
    with pytest.raises(DescriptionError, match=message):
        tribo.World.load(path, strict=True)


def test_rigid_pairs_have_friction_and_restitution_of_every_pair(caplog):
    world = tribo.World()
    with caplog.at_level(logging.WARNING, "tribo"):
        world.load_materials(PLAIN, rigid=True)
    assert "did you mean 'roughness'" in caplog.text
    expected = {
        ("steel", "ice"): (0.05, 0.25),
        ("steel", "steel"): (0.2, 0.0),  # √(0.2 · 0.2), √(0 · 0)
        ("ice", "default"): (0.5, 0.5),
        ("nowhere", "default"): (0.5, 0.5),
    }
    for names, numbers in expected.items():
        found = world.materials.pair(*names)
        assert (found.friction, found.restitution) == pytest.approx(numbers, rel=1e-15)
        assert found.static_friction == found.friction
    origin = world.explain_pair("ice", "steel").origin
    assert origin["friction"] == "explicit"
    assert world.explain_pair("steel", "steel").origin["friction"].startswith("mixed: √(r₁ r₂)")
    assert origin["rolling_friction"].startswith("standard value")


def test_pairs_that_no_shape_has_can_be_left_out():
    text = PLAIN + " - { materials: [ Ground, Tire ], frictionModel: [ box, direct ] }\n"
    library = read_materials(text)
    world = tribo.World()
    with pytest.raises(DescriptionError, match=r"'Ground', 'Tire'.*'box'.*library\.subset"):
        world.load_materials(library, rigid=True)
    some = library.subset("steel", "ice", "Ground")
    assert some.names == ("default", "steel", "ice", "Ground")
    world.load_materials(some, rigid=True)
    assert world.materials.pair("steel", "ice").friction == 0.05
    assert some.pair("steel", "ice").is_explicit
    with pytest.raises(KeyError, match="unknown material 'stell'; did you mean 'steel'"):
        library.subset("stell")


@pytest.mark.parametrize(
    ("law", "what"),
    [
        (ContactMaterial(adhesion_force=1.0), "adhesion_force=1 N"),
        (ContactMaterial(adhesive_overlap=0.1), "adhesive_overlap=0.1 m"),
        (
            ContactMaterial(secondary_friction=0.1, friction_model=("oriented_iterative", "split")),
            "secondary_friction=0.1",
        ),
        (ContactMaterial(friction_model=("box", "direct")), "friction model 'box'"),
        (ContactMaterial(friction_model=("oriented_box", "split")), "friction model 'oriented_box'"),
    ],
)
def test_what_a_rigid_pair_cannot_do_is_refused(law, what):
    with pytest.raises(ValueError, match="a rigid pair has no") as caught:
        law.rigid()
    assert what in str(caught.value)


def test_a_box_slides_down_as_its_file_says():
    """a = g (sin θ − μ cos θ): the friction of a file acts as that of a rigid pair does."""
    world = tribo.World(time_step=0.002)
    world.load_materials(PLAIN, rigid=True)
    angle = 0.3
    world.gravity = (9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle))
    world.add_ground(material="steel")
    box = world.add_box((0.4, 0.4, 0.1), 1.0, "ice", position=(0, 0, 0.05))
    world.step(250)
    expected = 0.5 * 9.81 * (np.sin(angle) - 0.05 * np.cos(angle))
    assert box.linear_velocity[0] == pytest.approx(expected, rel=1e-9)


# -- command line ----------------------------------------------------------------------------------
def test_check_prints_pairs_origins_and_doubts(tmp_path, capsys):
    path = tmp_path / "m.yaml"
    path.write_text(SAMPLE)
    assert cli.main(["check", str(path), "--time-step", "0.06", "--thickness", "0.1"]) == 0
    out = capsys.readouterr().out
    (row,) = [line for line in out.splitlines() if line.startswith("Ground | agxMat5")]
    assert row.split()[3:7] == ["100000", "e", "0.1", "e"]
    (row,) = [line for line in out.splitlines() if line.startswith("agxMat5 | agxMat5")]
    assert row.split()[3:7] == ["2e+08", "m", "0.5", "m"]
    assert "e explicit, m mixed by formula from both materials, d default value" in out
    assert "warning: Ground | agxMat5: adhesive_overlap 0.2 m is not thinner" in out
    assert "is less than two time steps of 0.06 s" in out
    assert "material 'ice' is not in materials" in out


def test_check_prints_one_pair_in_full(tmp_path, capsys):
    path, below = tmp_path / "m.yaml", tmp_path / "below.yml"
    path.write_text(SAMPLE)
    below.write_text("materials:\n - { name: ice, roughness: 0.02 }\n")
    arguments = ["check", str(path), "--default-table", str(below), "--pair", "ice", "ice"]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    assert "√(r₁ r₂) of roughness: ice 0.02, ice 0.02" in out
    assert "is not in materials" not in out
    assert cli.main(["check", str(ASSETS / "quadruped.urdf"), "--time-step", "0.1"]) == 1
    assert "--time-step is for material files" in capsys.readouterr().err
    assert cli.main(["check", str(path), "--materials", str(below)]) == 1
    assert "--default-table" in capsys.readouterr().err
    assert cli.main([*arguments[:-1], "icy"]) == 1
    assert "unknown material 'icy'; did you mean 'ice'" in capsys.readouterr().err


# -- written ----------------------------------------------------------------------------------------
def test_what_is_written_is_read_the_same(tmp_path):
    """All parameters, odd names, pairs of a material with itself and with default, 1e-300 to 1e15."""
    library = MaterialLibrary()
    numbers = dict.fromkeys(("density", "viscosity", "roughness", "wire_spook_damping_bend"), 0.3)
    library.add(Material("über: #1, [x]", **numbers))
    library.add(Material("5", youngs_modulus=1e15, surface_viscosity=1e-300))
    library.add(Material("true"))
    library.add(Material(adhesion_force=2.0, adhesive_overlap=1e-3, spook_damping=1 / 3))
    library.set_pair("5", "only in a pair", ContactMaterial(
        youngs_modulus=1e10, restitution=0.5, spook_damping=0.01, friction=0.0, secondary_friction=0.2,
        surface_viscosity=1e-9, secondary_surface_viscosity=-1.0, adhesion_force=3.0, adhesive_overlap=0.1,
        friction_model=("oriented_box", "direct"), contact_reduction_mode="reduce_all",
        contact_reduction_bin_resolution=4, primary_direction=(1, 2, 3), reference_body="a: b",
        reference_link="~", constant_normal_force=1.0, elastic_rest_length=0.02,
    ))  # fmt: skip
    library.set_pair("true", "true", ContactMaterial(friction=0.5))
    library.set_pair("default", "5", ContactMaterial())
    path = tmp_path / "m.yaml"
    tribo.write_materials(library, path)
    again = read_materials(path)
    assert set(again.names) == set(library.names)
    assert set(again.given_names) == set(library.given_names)
    for name in library.names:
        assert again.material(name) == library.material(name)
    for pair in library:
        found = again.pair(pair.first, pair.second)
        assert found.law == pair.law
        assert found.origin == pair.origin
    twice = tmp_path / "again.yaml"
    tribo.write_materials(again, twice)
    assert read_materials(twice).pair("5", "default") == again.pair("5", "default")
    with pytest.raises(TypeError, match="takes a MaterialLibrary"):
        tribo.write_materials("materials.yaml", path)
    with pytest.raises(TypeError, match="path must be the path of a file, got 3"):
        tribo.write_materials(library, 3)
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        tribo.write_materials(library, tmp_path / "none" / "materials.yaml")


def test_yaml_of_one_line_is_a_path_and_that_is_said():
    """Text without a line break was "No such file or directory", and no more."""
    with pytest.raises(DescriptionError, match="text of one line is taken for a path"):
        read_materials("materials: [ { name: ice } ]")
    with pytest.raises(DescriptionError) as missing:
        read_materials("ice.yaml")
    assert "line" not in str(missing.value)


def test_a_stiffness_beyond_what_a_double_solves_with_is_taken_as_the_limit():
    """AGX's sample of materials has 2.0e20 Pa for what is meant to be rigid; it was refused."""
    text = "materials:\n - { name: rock, youngsModulus: 2.0e20 }\n"
    text += "contactMaterials:\n - { materials: [rock, rock], youngsModulus: 2.0e20 }\n"
    library = tribo.read_materials(text)
    assert library.pair("rock", "rock").law.youngs_modulus == 1e15
    assert sum("more than a double solves with" in note for note in library.notes) == 2


def test_a_misspelt_material_is_answered_with_the_nearest():
    text = "materials:\n  - { name: rubber }\ncontactMaterials:\n  - { materials: [ {}, rubber ] }\n"
    said = [read_materials(text.replace("{}", name)).doubts for name in ("ruber", "ice")]
    assert "'ruber' is not in materials: it has standard values; did you mean 'rubber'?" in said[0][0]
    assert said[1][0].endswith("'ice' is not in materials: it has standard values")
