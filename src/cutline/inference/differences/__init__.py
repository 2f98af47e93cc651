"""How sure one can be of a difference between models: intervals, tests and dominance."""
