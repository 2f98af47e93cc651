"""Slices: parts of the cases, evaluated, compared with the rest and with each other, and searched."""
