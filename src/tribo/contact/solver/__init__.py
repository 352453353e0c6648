"""Solution of the contact problem, and its residual."""
