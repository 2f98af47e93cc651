"""How sure one can be of one model's number: intervals, bands and tests."""
