"""Recordings: what a world did over time, in one file that survives a crash."""

from tribo.recording.recorder import Recorder
from tribo.recording.recording import Recording, RecordingError

__all__ = ["Recorder", "Recording", "RecordingError"]
