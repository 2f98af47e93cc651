"""Inputs: predictions from arrays, frames and files are checked and become a valid ranking."""
