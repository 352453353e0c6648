"""Rows of a contact problem: islands, contacts, joints, and their numbers."""
