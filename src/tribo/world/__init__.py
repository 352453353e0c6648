"""The world: its objects, constraints and steps."""
