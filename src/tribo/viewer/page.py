"""A finished motion as one HTML file: it can be mailed, and plays in any browser without a server."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks.calls import answered_call
from tribo.checks.files import to_write
from tribo.checks.replacing import write_whole
from tribo.recording.fields import folder
from tribo.viewer.session import start_unheard, stop
from tribo.viewer.stage import Stage
from tribo.viewer.views import begin_at

if TYPE_CHECKING:
    from tribo.viewer.take import Take

WIDTH, HEIGHT, LEFT, FOOT = 280, 120, 8, 16  # [pixels] of the plot, of its margins
MAX_POINTS = 400  # of a curve
CURVES = (("kinetic", "#276eab"), ("potential", "#b8633f"), ("sum", "#1d232b"))

STYLE = """<style>
#tribo-title{position:fixed;left:14px;top:10px;z-index:50;color:#1d232b;
font:600 17px/1.3 system-ui,sans-serif;
max-width:60vw;overflow-wrap:anywhere;pointer-events:none}
#tribo-energy{position:fixed;right:12px;top:10px;z-index:50;background:rgba(255,255,255,.88);border-radius:6px;
padding:6px 8px;font:11px system-ui,sans-serif;color:#1d232b;box-shadow:0 1px 4px rgba(0,0,0,.2)}
#tribo-energy summary{cursor:pointer}
@media(max-width:700px){#tribo-energy{top:auto;bottom:64px}}
</style>"""

# The player writes the time into its first field; the line in the plot follows it.
SCRIPT = """<script>(() => { const line = document.getElementById('tribo-now'); if (!line) return
const span = [%(first)r, %(last)r], at = [%(left)r, %(right)r]
setInterval(() => { const field = document.querySelector('input')
const t = field ? parseFloat(field.value) : NaN
if (!isFinite(t)) return
const x = at[0] + (at[1] - at[0]) * Math.min(1, Math.max(0, t / Math.max(1e-9, span[1] - span[0])))
line.setAttribute('x1', x); line.setAttribute('x2', x) }, 100) })()</script>"""


def framed(page: str, title: str, take: Take) -> str:
    """Return a page with a title, and with the plot of its energies if they are known.

    Args:
        page: HTML that plays the frames.
        title: Text of the browser's tab and of the head.
        take: The frames.
    """
    body = f"{STYLE}<div id='tribo-title'>{html.escape(title)}</div>{_plot(take)}"
    end = page.rindex("</body>")
    return page[:end] + body + page[end:]


def _plot(take: Take) -> str:
    """Return the curves as SVG that can be folded, and what moves the line of the present moment."""
    if take.energy is None or len(take.time) < 2:
        return ""
    some = np.unique(np.linspace(0, len(take.time) - 1, MAX_POINTS).astype(int))
    time = take.time[some]
    energies = np.column_stack([take.energy[some], take.energy[some].sum(axis=1)])
    low, high = float(energies.min()), float(energies.max())
    span = max(high - low, 1e-12)
    x = LEFT + (WIDTH - 2 * LEFT) * (time - time[0]) / max(float(time[-1] - time[0]), 1e-12)
    curves, words = [], []
    for k, (name, color) in enumerate(CURVES):
        y = 6 + (HEIGHT - FOOT - 12) * (high - energies[:, k]) / span
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        curves.append(f"<polyline points='{points}' fill='none' stroke='{color}' stroke-width='1.5'/>")
        words.append(f"<span style='color:{color}'>{name}</span>")
    axis = (
        f"<text x='{LEFT}' y='{HEIGHT - 3}' font-size='10'>{time[0]:.3g} s</text>"
        f"<text x='{WIDTH - LEFT}' y='{HEIGHT - 3}' font-size='10' text-anchor='end'>{time[-1]:.3g} s</text>"
    )
    now = f"<line id='tribo-now' x1='{LEFT}' x2='{LEFT}' y1='2' y2='{HEIGHT - FOOT}' stroke='#888'/>"
    places = {"first": float(time[0]), "last": float(time[-1]), "left": LEFT, "right": WIDTH - LEFT}
    words_of = f"energy {low:.3g} … {high:.3g} J: {', '.join(words)}"
    drawn = f"<svg width='{WIDTH}' height='{HEIGHT}'>{''.join(curves)}{axis}{now}</svg>"
    details = f"<details id='tribo-energy' open><summary>{words_of}</summary>{drawn}</details>"
    return details + SCRIPT % places


MAX_NAMES = 40


@answered_call
def save_page(take: Take, path: Any, title: str = "tribo") -> int:
    """Write the frames of a take as one HTML file and return its size [bytes].

    The file holds viser's page and all it shows; it loads nothing from elsewhere. A reader plays, scrubs,
    changes the speed and looks from any side, with a title, the names of objects and, if they are known, the
    energies over time. Frames whose poses did not change cost nothing. No port is opened meanwhile.

    Args:
        take: Frames to show, from `tribo.viewer.replay.replay` or `Take.of`; 30 per second are enough.
        path: File to write; an existing one is replaced.
        title: Text of the browser's tab, and above the picture.

    Raises:
        ImportError: viser is missing; the message says how to get it.
        OSError: The file cannot be written.

    Example:
        >>> import tempfile, pathlib
        >>> from tribo.ground import Ground, simulate
        >>> from tribo.spatial import rollingdisc
        >>> from tribo.viewer.take import Take
        >>> disc = [1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0]
        >>> motion = simulate(rollingdisc(16), Ground(1e6, 2e3), 0.1, xfb=disc)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "disc.html"
        >>> save_page(Take.of(motion, rate=30), file) < 2e6
        True
    """
    file = folder(path)
    to_write(file)
    server = start_unheard()
    try:
        begin_at(server, take.camera())
        stage = Stage(server, take.scene, take.poses(0))
        stage.show_forces(take.forces(0), take.arrow)
        rows = list(take.scene.root.items())[:MAX_NAMES]
        labels = [
            server.scene.add_label(
                f"/names/{k}", name, anchor="bottom-center", font_screen_scale=0.7,
                position=take.position[0, row],
            )
            for k, (name, row) in enumerate(rows)
        ]  # fmt: skip
        written = server.get_scene_serializer()
        for k in range(1, len(take.time)):
            written.insert_sleep(float(take.time[k] - take.time[k - 1]))
            stage.move(take.poses(k))
            for label, (_, row) in zip(labels, rows, strict=True):
                label.position = take.position[k, row]
            stage.show_forces(take.forces(k), take.arrow)
        page = written.as_html()
    finally:
        stop(server)
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(title)}</title>", page, count=1)
    content = framed(page, title, take).encode()
    write_whole(file, content)
    return len(content)
