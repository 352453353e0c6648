"""A user's script is checked by `mypy --strict`: each typo is an error, and nothing else is."""

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

import tribo
from tribo.batch import materials, motors
from tribo.batch import settings as batch_settings
from tribo.batch.values import BatchPairNumbers, MotorValues, SettingValues
from tribo.checks.types import BodyOptions, ViewerOptions
from tribo.description.joints import JointProperties
from tribo.gym import Env, VectorEnv
from tribo.gym.vector_env import EnvOptions, VectorEnvOptions
from tribo.learn.settings import Numbers, Settings
from tribo.materials.pair_properties import PairValues
from tribo.objects.primitives import _OPTIONS
from tribo.robots.packages import RobotOptions

SCRIPT = Path(__file__).parents[1] / "data" / "typos" / "user_script.py"


def test_mypy_finds_each_typo_and_nothing_else(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, "--config-file", "", SCRIPT]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    found = {int(n) for n in re.findall(r"user_script\.py:(\d+): error", done.stdout)}
    lines = SCRIPT.read_text("utf-8").splitlines()
    assert found == {n for n, line in enumerate(lines, 1) if line.endswith("# typo")}, done.stdout
    assert len(found) >= 5


def test_the_types_list_what_is_taken():
    assert set(BodyOptions.__annotations__) == set(_OPTIONS)
    laws = {f.name for kind in (tribo.PairProperties, tribo.ContactMaterial) for f in fields(kind)}
    assert set(get_type_hints(PairValues)) == laws | {"law"}
    assert set(get_type_hints(BatchPairNumbers)) == {*materials.NAMES, *materials.COLUMNS}
    assert set(get_type_hints(SettingValues)) == set(batch_settings.NAMES)
    assert set(get_type_hints(MotorValues)) == set(motors.PARAMETERS)
    assert set(get_type_hints(Numbers)) == {f.name for f in fields(Settings)}
    joint = set(get_type_hints(JointProperties))
    posed = {"name", "type", "position", "quaternion", "axis"}
    assert joint == {f.name for f in fields(tribo.JointDescription)} - posed


@pytest.mark.parametrize(
    ("options", "call", "own"),
    [
        (ViewerOptions, tribo.Viewer, {"world"}),
        (RobotOptions, tribo.World.add_articulated_system, {"self", "source"}),
        (EnvOptions, Env, {"task"}),
        (VectorEnvOptions, VectorEnv, {"task", "num_envs"}),
    ],
)
def test_options_are_the_parameters_of_the_call(options, call, own):
    assert set(options.__annotations__) == set(inspect.signature(call).parameters) - own
