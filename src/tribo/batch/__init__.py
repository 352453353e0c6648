"""Many worlds of one model, stepped in parallel."""
