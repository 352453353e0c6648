"""Small fixed-size algebra on tuples (see `tribo.math.vec` for the conventions)."""
