"""Programs of the command line: the command `tribo`, the demonstration, the report on a file."""
