"""Robots by name, from packages that are installed."""

import importlib.metadata
from pathlib import PurePosixPath

import pytest

import tribo
from tribo.robots import packages

URDF = """<robot name="r"><link name="a"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"""
MJCF = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """Pretend that two packages with robots are installed, and no other one."""
    files = {
        "example-robot-data": {"robots/dog_description/urdf/dog2.urdf": URDF,
                               "robots/arm_description/a/arm5.urdf": URDF,
                               "robots/arm_description/a/arm10.urdf": URDF},
        "mujoco-menagerie": {"menagerie/acme_dog/dog.xml": MJCF, "menagerie/acme_dog/scene.xml": MJCF},
    }  # fmt: skip
    for held in files.values():
        for name, text in held.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)

    class Entry(PurePosixPath):
        def locate(self):
            return tmp_path / str(self)

    def listed(package):
        if package not in files:
            raise importlib.metadata.PackageNotFoundError(package)
        return [Entry(name) for name in files[package]]

    monkeypatch.setattr(packages.metadata, "files", listed)
    monkeypatch.setattr(packages.importlib.util, "find_spec", lambda name: None)
    return files


def test_names_are_those_of_files_and_of_folders_with_one():
    assert tribo.robots.names() == {
        "example-robot-data": ("arm10", "arm5", "dog", "dog2"),
        "mujoco-menagerie": ("acme_dog", "dog"),
    }


@pytest.mark.parametrize(
    ("name", "mass"), [("dog", 2.0), ("arm5", 2.0), ("mujoco-menagerie/dog", 4.18879020478639)]
)
def test_a_robot_is_loaded_by_its_name(name, mass):
    """The ball of the other format has MuJoCo's standard density, 1000 kg/m³."""
    robot = tribo.robots.load(name)
    assert robot.mass == pytest.approx(mass)
    assert robot.name == name.rpartition("/")[2]
    world = tribo.World()
    assert tribo.robots.load(name, world, position=(0, 0, 1)) in world.objects


def test_a_name_that_no_package_has_is_told_with_those_near():
    with pytest.raises(KeyError, match=r"no robot 'dogs'.*near are dog"):
        tribo.robots.load("dogs")


def test_without_packages_it_is_said_what_to_install(installed):
    installed.clear()
    with pytest.raises(KeyError, match=r"no package of robots is installed; pip install"):
        tribo.robots.find("dog")
    assert tribo.robots.names() == {}
