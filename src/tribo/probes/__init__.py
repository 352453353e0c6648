"""Questions about the shapes of a world: rays, distances, what is where.

A layer beside the step, as `tribo.queries` is: compiled at the first use and cached on disk. It reads
poses at the present state into scratch of its own, so a question never changes what the next step does.
"""
