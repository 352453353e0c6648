"""The contact problem: islands, rows of contacts, joints and couplings, and their numbers."""
