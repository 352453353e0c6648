"""Looking at worlds: the browser viewer, pictures and films without a GPU, recordings, plots."""

from tribo.viewer.raster import Camera
from tribo.viewer.renderer import Renderer
from tribo.viewer.server import Viewer

__all__ = ["Camera", "Renderer", "Viewer"]
