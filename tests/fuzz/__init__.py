"""Fuzzers: inputs that nobody would write, fed to every reader and every public call (`make fuzz`)."""
