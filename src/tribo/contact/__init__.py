"""Contacts and joint limits as one problem of rows, and how it is solved."""
