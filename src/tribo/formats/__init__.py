"""Readers and writers of files: they turn text into `tribo.description.trees` and back, nothing else."""
