"""Charts are checked against the schema of Vega-Lite where a test says so: the check takes most of the time."""

import pytest
from altair.utils import schemapi


@pytest.fixture
def checked():
    """Altair checks all that a test draws."""


@pytest.fixture(autouse=True)
def altair_checks(request, monkeypatch):
    """Altair checks nothing, unless the test asks for `checked`; the structure of a chart is the same for all data."""
    if "checked" in request.fixturenames:
        yield
        return
    monkeypatch.setattr(schemapi.SchemaBase, "validate", classmethod(lambda *_, **__: None))
    with schemapi.debug_mode(False):
        yield
