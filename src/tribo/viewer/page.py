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
from tribo.viewer.page_frame import framed
from tribo.viewer.session import start_unheard, stop
from tribo.viewer.stage import Stage

if TYPE_CHECKING:
    from tribo.viewer.take import Take

MOST_NAMES = 40
FOV = 45.0  # [°] vertical


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
        view, camera = take.camera(), server.initial_camera
        camera.fov = np.radians(FOV)
        camera.position, camera.look_at = view.eye, view.target
        stage = Stage(server, take.scene, take.poses(0))
        stage.show_forces(take.forces(0), take.arrow)
        rows = list(take.scene.root.items())[:MOST_NAMES]
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
                if not np.array_equal(label.position, take.position[k, row]):
                    label.position = take.position[k, row]
            stage.show_forces(take.forces(k), take.arrow)
        page = written.as_html()
    finally:
        stop(server)
    page = re.sub(
        r"<title>.*?</title>", lambda _: f"<title>{html.escape(title)}</title>", page, count=1
    )
    content = framed(page, title, take).encode()
    write_whole(file, content)
    return len(content)
