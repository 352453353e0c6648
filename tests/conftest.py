"""Settings of the whole suite. `HYPOTHESIS_PROFILE=thorough make test` tries ten times as many cases."""

import os

import hypothesis

# Kernels compile within the first example of a test: no deadline.
hypothesis.settings.register_profile("fast", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

# Plots are written, never shown.
os.environ.setdefault("MPLBACKEND", "Agg")
