"""Tests of the charts: a package, so that its conftest is not taken for another."""
