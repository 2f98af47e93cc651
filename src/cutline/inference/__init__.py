"""How sure one can be of a number: intervals and tests."""
