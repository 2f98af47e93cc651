"""The tutorials of the site run as they are; where one makes millions of rows, with fewer."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.py"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs(path, capsys, monkeypatch):
    monkeypatch.setenv("CUTLINE_TUTORIAL_ROWS", "60000")
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "tutorial"})  # noqa: S102

    out = capsys.readouterr().out
    assert out
    assert "Traceback" not in out
