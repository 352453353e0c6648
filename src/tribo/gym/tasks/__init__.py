"""Tasks, one file each: every file has a function `task` that returns a new `Task`."""
