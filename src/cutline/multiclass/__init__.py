"""Several classes: each against the rest, means over them, and all of them together, on top of the binary core."""
