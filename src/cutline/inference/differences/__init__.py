"""Inference about differences between models: intervals, tests and dominance."""
