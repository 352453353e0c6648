"""Looking at worlds: the browser viewer, pictures and films without a GPU, recordings, plots."""

from tribo.viewer.server import Viewer

__all__ = ["Viewer"]
