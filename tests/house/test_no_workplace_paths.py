"""Nothing kept names a machine on which it was written."""

from house.repository import kept_text

WORDS = ("/" + "work/", "/." + "library", "../" + "shared", "/" + "root/", "/" + "tmp/pv")


def test_no_file_names_a_workplace():
    found = [f"{name}: {word}" for name, text in kept_text() for word in WORDS if word in text]
    assert found == []
