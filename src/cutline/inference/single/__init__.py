"""Inference about one model: intervals, bands and tests."""
