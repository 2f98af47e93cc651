"""For the tests of the report: the browser, quick pages, and pages with pictures."""

import subprocess

import pytest

from browsing import ARGUMENTS, CHROMIUM
from cutline.report import pictures

MOST_BYTES = pictures.MOST_BYTES


@pytest.fixture
def print_at_once(browser, tmp_path):
    """Print a file as `chromium --print-to-pdf` does, which waits for no program; the path of what is printed."""

    def printed(path):
        pdf, profile = tmp_path / "printed.pdf", tmp_path / "profile"
        command = [CHROMIUM, "--headless", *ARGUMENTS, f"--user-data-dir={profile}", f"--print-to-pdf={pdf}"]
        subprocess.run([*command, path.as_uri()], check=True, capture_output=True, timeout=120)  # noqa: S603
        return pdf

    return printed


@pytest.fixture(scope="module", autouse=True)  # not of the session: it would change what the tests after these see
def few_resamples():
    """Reports are made quickly: their resampled intervals are tested elsewhere, with as many as they deserve."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cutline.results.budget.RESAMPLES", 200)
        yield


# The modules that look at the still pictures, which take most of the time that a page takes.
WITH_PICTURES = ("test_pictures", "test_browser_still", "test_clinical", "test_trust")


@pytest.fixture(scope="module", autouse=True)
def pictures_only_where_they_are_looked_at(request):
    """Elsewhere a page says that its charts appear later, as a page of very many charts does."""
    with pytest.MonkeyPatch.context() as patch:
        if request.module.__name__.rpartition(".")[2] not in WITH_PICTURES:
            patch.setattr(pictures, "MOST_BYTES", 0)
        yield


@pytest.fixture
def with_pictures(monkeypatch):
    """For a single test: all still pictures, as users get them."""
    monkeypatch.setattr(pictures, "MOST_BYTES", MOST_BYTES)
