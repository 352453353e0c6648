"""Does the status tell the truth? Random scenes with books of their own, kept in NumPy from read-outs."""
