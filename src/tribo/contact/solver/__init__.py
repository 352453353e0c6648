"""How the contact problem is solved, and how exactly it was."""
