"""Descriptions by users and files, as plain data, before they become arrays."""
