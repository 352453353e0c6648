"""On narrow windows, as of a telephone, a page begins with its controls folded: else they hide the world."""

from __future__ import annotations

import gzip
from typing import Any

# viser has no setting for it: the head of its sheet is pressed once, as soon as there are controls.
SCRIPT = b"""<script>(() => { if (!matchMedia('(max-width: 36em)').matches) return
const end = Date.now() + 60000
const timer = setInterval(() => { const head = [...document.querySelectorAll('div')]
  .find(e => e.children.length === 0 && e.textContent.trim() === 'tribo')
if (!document.querySelector('.mantine-Slider-root')) return
if (head) head.click()
if (head || Date.now() > end) clearInterval(timer) }, 200) })()</script>"""
END = b"</body>"


def folding(response: Any) -> Any:
    """Return the answer to a request with the script in it, if it is a page; others stay as they are."""
    if response is None or not response.body:
        return response
    is_packed = response.headers.get("Content-Encoding") == "gzip"
    body = gzip.decompress(response.body) if is_packed else response.body
    end = body.rfind(END)
    if end < 0 or not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    body = body[:end] + SCRIPT + body[end:]
    response.body = gzip.compress(body, 1) if is_packed else body
    if "Content-Length" in response.headers:
        del response.headers["Content-Length"]
        response.headers["Content-Length"] = str(len(response.body))
    return response
