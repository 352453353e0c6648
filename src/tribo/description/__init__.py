"""What users and files describe, as plain data, before it becomes arrays."""
