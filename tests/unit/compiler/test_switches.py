"""What the environment says about compiling."""

import pytest

from tribo.compiler.switches import is_set


@pytest.mark.parametrize("text", ["", " ", "0", "no", "off", "false", "False", "OFF"])
def test_words_for_no_set_nothing(monkeypatch, text):
    monkeypatch.setenv("TRIBO_OF_A_TEST", text)
    assert not is_set("TRIBO_OF_A_TEST")


@pytest.mark.parametrize("text", ["1", "yes", "generic"])
def test_all_else_is_set(monkeypatch, text):
    monkeypatch.setenv("TRIBO_OF_A_TEST", text)
    assert is_set("TRIBO_OF_A_TEST")


def test_what_is_not_there_is_not_set(monkeypatch):
    monkeypatch.delenv("TRIBO_OF_A_TEST", raising=False)
    assert not is_set("TRIBO_OF_A_TEST")
