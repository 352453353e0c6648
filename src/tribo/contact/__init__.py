"""Contacts, joint limits and constraints as one problem of rows, and its solution."""
