"""Compiled code around the steps of many worlds: motors, rollouts, copies of states."""
