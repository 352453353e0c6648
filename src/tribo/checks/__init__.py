"""Checks of what users hand in, the errors that say what is wrong, arrays that are only read."""
