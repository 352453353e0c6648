"""Looking at worlds: the browser viewer, pictures and films without a GPU, recordings, plots."""

from typing import TYPE_CHECKING

from tribo.checks.answers import of_module
from tribo.viewer.raster import Camera
from tribo.viewer.renderer import Renderer
from tribo.viewer.sensor_marks import sensor_picture
from tribo.viewer.server import Viewer
from tribo.viewer.side_by_side import BatchViewer, SideBySide

__all__ = ["BatchViewer", "Camera", "Renderer", "SideBySide", "Viewer", "sensor_picture"]

if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything
    __getattr__ = of_module(__name__, "viewer", __all__)
