"""Change a file a little, as files are wrong and as people are evil."""

from __future__ import annotations

import hashlib
import io
import random
import re
import zipfile

NUMBERS = (
    "0", "-0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "-inf", "NaN", "1e400",
    "99999999999999999999", "2147483648",
    "-2147483649", "0x10", "1_000", "1,5", "", " ", "abc", "1e", "٣", "1 2", "0.1 " * 50,
    "true",
)  # fmt: skip
TEXTS = (
    "", " ", "\u0000".encode("unicode_escape").decode(), "x" * 5000, "../../../../etc/passwd", "/etc/passwd",
    "file:///etc/passwd", "http://127.0.0.1:9/x", "package://x/../../etc/passwd",
    "/dev/zero",
    "/proc/self/mem", "nan", "{x}", "@@x", "${x}", "${1/0}", "${9**9**9}",
    "__import__('os').system('true')", "%s%n", "é\u202e",
    "world", "default", "con\nlf",
)  # fmt: skip
XML_PARTS = (
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;", "<![CDATA[x]]>", "<!-- -->", "<?x y?>",
    "<a/>", "</a>", "&#0;", "&amp;" * 50, "<x>" * 300, '<include file="/etc/passwd"/>',
    '<xi:include href="/etc/passwd"/>', '<link name="l"/>', '<mesh filename="/dev/zero"/>',
)  # fmt: skip
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
QUOTED = re.compile(r'"[^"<>]*"')
TAG = re.compile(r"<[^<>!?]*>")


def _replace_one(rng: random.Random, text: str, pattern: re.Pattern[str], new: str) -> str:
    """Replace one match of a pattern, chosen at random."""
    found = list(pattern.finditer(text))
    if not found:
        return text + new
    chosen = rng.choice(found)
    return text[: chosen.start()] + new + text[chosen.end() :]


def mutated(rng: random.Random, text: str) -> str:
    """Return a text with one to four changes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        text = _changed(rng, text)
    return text


def _changed(rng: random.Random, text: str) -> str:
    """Return a text with one change."""
    way = rng.randrange(10)
    at = rng.randrange(len(text) + 1)
    if way == 0:
        return _replace_one(rng, text, NUMBER, rng.choice(NUMBERS))
    if way == 1:
        return _replace_one(rng, text, QUOTED, f'"{rng.choice(TEXTS)}"')
    if way == 2:
        return _replace_one(rng, text, QUOTED, f'"{rng.choice(NUMBERS)}"')
    if way == 3:
        return _replace_one(rng, text, TAG, "")
    if way == 4:
        tags = TAG.findall(text) or [text[:50]]
        return _replace_one(rng, text, TAG, rng.choice(tags))
    if way == 5:
        return text[:at] + rng.choice(XML_PARTS) + text[at:]
    if way == 6:
        return text[:at]
    if way == 7:
        lines = text.split("\n")
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
        return "\n".join(lines)
    if way == 8:  # two elements change places
        tags = TAG.findall(text)
        return text.replace(rng.choice(tags), rng.choice(tags), 1) if tags else text
    end = min(len(text), at + rng.randrange(1, 40))
    return text[:at] + text[at:end] * rng.choice((0, 2, 20)) + text[end:]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return bytes with one to four changes."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        way = rng.randrange(5)
        at = rng.randrange(len(made) + 1)
        if way == 0 and made:
            made[at % len(made)] = rng.randrange(256)
        elif way == 1:
            del made[at:]
        elif way == 2:
            made[at:at] = rng.randbytes(rng.randrange(1, 20))
        elif way == 3:  # a number of four bytes
            made[at : at + 4] = rng.choice((b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\x00\x00\xc0\x7f"))
        else:
            end = min(len(made), at + rng.randrange(1, 64))
            made[at:end] = bytes(made[at:end]) * rng.choice((0, 2, 50))
    return bytes(made)


def repacked(rng: random.Random, data: bytes) -> bytes:
    """Return an archive of which one part is changed and the check sums are right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(item.filename, archive.read(item)) for item in archive.infolist()]
    except Exception:  # it is damaged already
        return damaged(rng, data)
    chosen = rng.randrange(len(parts)) if parts else -1
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for k, (name, content) in enumerate(parts):
            archive.writestr(name, damaged(rng, content) if k == chosen else content)
    return made.getvalue()


def resealed(rng: random.Random, data: bytes) -> bytes:
    """Return a state that is changed and whose check sum is right."""
    body = damaged(rng, data[:-32])
    return body + hashlib.blake2b(body, digest_size=32).digest()
