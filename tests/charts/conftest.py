"""Charts are checked against the schema of Vega-Lite where a test says so: the check takes most of the time."""

import pytest

from cutline.charts import Picture


@pytest.fixture
def checked(monkeypatch):
    """Altair checks all that a test draws."""
    real = Picture.to_dict
    monkeypatch.setattr(Picture, "to_dict", lambda picture, **_: real(picture, check=True))
