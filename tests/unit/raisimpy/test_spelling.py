"""Two dialects of the same classes; a name that is not there is refused in words."""

import inspect
import json
import subprocess
import sys

import pytest

from tribo import raisimpy as raisim
from tribo.raisimpy.spelling import Dialects, snake

KINDS = [
    kind
    for kind in vars(raisim).values()
    if isinstance(kind, type) and issubclass(kind, Dialects) and kind is not Dialects
]


@pytest.mark.parametrize(
    ("camel", "other"),
    [("addSphere", "add_sphere"), ("getBodyCOM_B", "get_body_com_b"), ("setERP", "set_erp"),
     ("getDOF", "get_dof"), ("integrate1", "integrate1"), ("getMinvJT", "get_minv_jt")],
)  # fmt: skip
def test_names_in_the_other_dialect(camel, other):
    assert snake(camel) == other


OTHERS = {"getCompositeCOM", "getCompositeInertia"}  # the older package has these of the whole robot


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_method_has_both_spellings_and_says_what_it_is(kind):
    for name, made in vars(kind).items():
        if name[0] == "_" or not inspect.isfunction(made):
            continue
        assert (getattr(kind, snake(name)) is getattr(kind, name)) == (name not in OTHERS)
        assert inspect.getdoc(made), f"{kind.__name__}.{name}"


def test_a_typo_is_answered():
    with pytest.raises(AttributeError, match="addSphere"):
        raisim.World().addSpere  # noqa: B018


def test_messages(caplog):
    raisim.RSWARN_IF(True, "a value is wrong")
    raisim.RSWARN_IF(False, "not said")
    assert "a value is wrong" in caplog.text
    assert "not said" not in caplog.text
    with pytest.raises(SystemExit):
        raisim.RSFATAL("the end")

    def stop():
        raise KeyError("ours")

    raisim.RaiSimMsg.setFatalCallback(stop)
    try:
        with pytest.raises(KeyError):
            raisim.RSFATAL_IF(True, "caught")
    finally:
        raisim.RaiSimMsg.setFatalCallback(None)


def test_a_script_runs_as_it_is(tmp_path):
    (tmp_path / "beside.py").write_text("HEIGHT = 2.0\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import json, sys\nimport raisimpy as raisim\nfrom raisimpy.contact import Contact\nimport beside\n"
        "ball = raisim.World().addSphere(0.1, 1.0)\nball.setPosition(0, 0, beside.HEIGHT)\n"
        "print(json.dumps([sys.argv[1:], __name__, ball.getPosition()[2]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tribo.raisimpy", str(script), "--fast"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [["--fast"], "__main__", 2.0]
    bare = subprocess.run(
        [sys.executable, "-m", "tribo.raisimpy"], capture_output=True, text=True, check=False
    )
    assert "usage" in bare.stderr
