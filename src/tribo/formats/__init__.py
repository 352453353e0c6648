"""Readers and writers of files: they turn text into `tribo.description` and back, nothing else."""
