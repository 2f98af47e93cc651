"""Settings for all tests."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from browsing import axe, browser  # noqa: F401 - one browser for all: two cannot be driven by one process
from cutline.report import chart_specs

# Machines are noisy: no test is timed. In CI the examples are the same every time; elsewhere they go on exploring.
settings.register_profile(
    "cutline",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
)
settings.load_profile("cutline")

# The modules that look at the still pictures of reports, which take half of the time that a page takes.
WITH_PICTURES = ("test_pictures", "test_clinical")
MOST_BYTES = chart_specs.MOST_BYTES


SLOW_FIXTURES = {"browser", "site", "spark"}


def pytest_collection_modifyitems(items):
    """Mark tests that open a browser, build the site or start a cluster; others say `slow` themselves.

    On Windows, skip those that need what only POSIX systems have.
    """
    for item in items:
        if sys.platform == "win32" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="Windows has no such signals, pipes, modes or links"))
        if SLOW_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module", autouse=True)
def pictures_only_where_they_are_looked_at(request):
    """Elsewhere a page says that its charts appear later, as a page of very many charts does."""
    module = getattr(request, "module", None)  # doctests have none
    with pytest.MonkeyPatch.context() as patch:
        if module is None or module.__name__.rpartition(".")[2] not in WITH_PICTURES:
            patch.setattr(chart_specs, "MOST_BYTES", 0)
        yield


@pytest.fixture
def with_pictures(monkeypatch):
    """For a single test: all still pictures, as users get them."""
    monkeypatch.setattr(chart_specs, "MOST_BYTES", MOST_BYTES)


@pytest.fixture
def by_duckdb(monkeypatch):
    """Have DuckDB read small CSV files too, as it reads large ones."""
    monkeypatch.setattr("cutline.inputs.files._SMALL", -1)
