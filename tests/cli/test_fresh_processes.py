"""The page written by fresh processes, where the order in which modules are loaded decides."""

import subprocess
import sys

import pytest

# Notes every module of ours that is looked for on another thread than the main one while the command runs.
WATCHING_IMPORTS = """
import sys, threading
class Watch:
    def find_spec(self, name, path=None, target=None):
        is_watched = name.split(".")[0] in ("cutline", "vl_convert", "altair")
        if is_watched and threading.current_thread() is not threading.main_thread():
            print("IMPORTED ON A THREAD", name, file=sys.stderr)
sys.meta_path.insert(0, Watch())
from cutline.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
PAGES = [
    ("evaluate", "--score", "logistic", "--measures", "auc", "--resamples", "100"),
    ("evaluate", "--score", "tree", "--measures", "f1,auc", "--resamples", "0"),
    ("compare", "--score", "logistic", "--score", "tree", "--measures", "auc", "--resamples", "0"),
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=" ".join)
def test_a_page_with_few_measures_is_written_and_nothing_is_imported_on_a_thread(tmp_path, tumours, page):
    command, *options = page
    arguments = [
        command,
        str(tumours),
        "--label",
        "label",
        "--positive",
        "malignant",
        *options,
        "--html",
        "r.html",
        "--quiet",
    ]
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", WATCHING_IMPORTS, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "r.html").stat().st_size > 100_000
