"""The command line: predictions in, decision out. `main` holds the commands and loads nothing heavy."""
