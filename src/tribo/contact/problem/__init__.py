"""Which rows a contact problem has: islands, contacts, joints, and their numbers."""
