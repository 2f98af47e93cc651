"""Extras: cutline without its optional packages, and the table that says which extra installs what."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cutline.core.extras import EXTRAS, explain_missing, require

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.slow
def test_the_core_works_without_the_extras():
    command = [sys.executable, str(ROOT / "tests" / "core_alone.py"), "--hide"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("1 passed, 0 failed\n")


@pytest.mark.parametrize("extra", sorted({*EXTRAS.values()}))
def test_every_extra_that_a_refusal_names_is_declared(extra):
    assert DECLARED[extra]


def test_a_package_that_is_no_extra_is_not_explained():
    assert explain_missing(ModuleNotFoundError("No module named 'somebody'", name="somebody")) is None


def test_a_broken_package_is_not_called_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import a_part_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_part_that_is_not_there"):
        require("broken_package", "files")
