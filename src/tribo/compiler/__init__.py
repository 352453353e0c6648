"""The one entry into compiled code: the compiler, records, and how kernels reach their fields."""
