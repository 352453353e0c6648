"""Recordings: what a world did over time, in one file that survives a crash."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tribo.recording.recorder import Recorder
    from tribo.recording.recording import Recording, RecordingError

__all__ = ["Recorder", "Recording", "RecordingError"]

# A world knows this package, most never record: its names are imported when they are asked for.
_PLACES = {"Recorder": "recorder", "Recording": "recording", "RecordingError": "recording"}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = found
    return found
