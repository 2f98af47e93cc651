"""Resampling: samplers, the bootstrap, and its limits."""
