"""Inference: intervals and tests."""
