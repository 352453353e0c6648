"""From descriptions to arrays, and the calls that move them on; nothing here knows objects."""
