"""For the tests of the report: printing, and quick pages."""

import subprocess

import pytest

from browsing import ARGUMENTS, CHROMIUM


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
        patch.setattr("cutline.results.resample_budget.RESAMPLES", 200)
        yield
