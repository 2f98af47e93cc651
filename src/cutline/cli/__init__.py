"""The command line: predictions in, decision out. `main` is the command; each module imports what it needs when asked."""
