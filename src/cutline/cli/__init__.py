"""The command line: predictions in, decision out. `command_table` lists the commands, and `main` runs them."""
