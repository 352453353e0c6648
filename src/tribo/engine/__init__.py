"""From descriptions to arrays, and the calls that advance them; independent of the user's objects."""
