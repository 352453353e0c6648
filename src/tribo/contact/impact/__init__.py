"""Impacts: in which order they happen within a step, and that they give no energy."""
