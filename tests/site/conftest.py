"""The site: a part of it that is built quickly and strictly, or, if SITE names one, what `make site` built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site."""
    if os.environ.get("SITE"):
        return Path(os.environ["SITE"]).resolve()
    pytest.importorskip("mkdocs_jupyter", reason="The tools of the site are not installed: pip install -e '.[site]'")
    folder = tmp_path_factory.mktemp("site")
    quick = {"CUTLINE_SITE_WHOLE": "false", "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(  # noqa: S603
        command, cwd=ROOT, env=os.environ | quick, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder
