"""Contacts that give way like springs."""
