"""A browser for tests: the machine's own Chromium, with a profile that is thrown away; and axe-core."""

import os
import shutil
from pathlib import Path

import pytest

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 120  # seconds that a browser may take over anything: the machine may be busy
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(os.environ.get("AXE") or Path(__file__).parents[1] / ".cache" / "node_modules" / "axe-core" / "axe.min.js")


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed, so the report is not opened: `make browser` as root installs it.")
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    path, patience = CHROMIUM, 1000 * PATIENCE
    opened = playwright.chromium.launch(executable_path=path, headless=True, args=list(ARGUMENTS), timeout=patience)

    def patiently(make):
        def made(**options):
            page = make(**{"reduced_motion": "reduce"} | options)  # else it scrolls while a test measures
            page.set_default_timeout(patience)
            return page

        return made

    opened.new_context, opened.new_page = patiently(opened.new_context), patiently(opened.new_page)
    yield opened
    opened.close()
    playwright.stop()


@pytest.fixture(scope="session")
def axe():
    if not AXE.is_file():
        pytest.skip("axe-core is not there, so accessibility is not checked: `make browser` with npm fetches it.")
    return AXE.read_text(encoding="utf-8")
