"""What the tests of inputs share."""

import pytest

from cutline.inputs import files


@pytest.fixture
def by_duckdb(monkeypatch):
    """Have DuckDB read small CSV files too, as it reads large ones."""
    monkeypatch.setattr(files, "_SMALL", -1)
