"""On narrow windows the page begins with its controls folded: what is sent stays whole."""

import gzip
from types import SimpleNamespace

import pytest

from tribo.viewer.access import SCRIPT, folding

PAGE = b"<html><body>world</body></html>"


def answer(body, kind="text/html; charset=utf-8", **headers):
    headers = {"Content-Type": kind, "Content-Length": str(len(body))} | headers
    return SimpleNamespace(body=body, headers=headers)


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_page_gets_the_script_and_its_length(is_packed):
    made = answer(gzip.compress(PAGE), **{"Content-Encoding": "gzip"}) if is_packed else answer(PAGE)
    sent = folding(made)
    assert sent.headers["Content-Length"] == str(len(sent.body))
    body = gzip.decompress(sent.body) if is_packed else sent.body
    assert body == b"<html><body>world" + SCRIPT + b"</body></html>"


@pytest.mark.parametrize("made", [None, answer(b""), answer(b"x"), answer(PAGE, "application/javascript")])
def test_other_answers_stay_as_they_are(made):
    before = made and made.body
    assert folding(made) is made
    assert before == (made and made.body)
