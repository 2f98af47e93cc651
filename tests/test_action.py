"""The action for GitHub: its program, run as the runner runs it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.posix  # its program is one of bash
ROOT = Path(__file__).parents[1]
ROWS = "y,p\n" + "\n".join(f"{i % 2},{(i % 2) * 0.3 + (i * 37 % 101) / 200}" for i in range(200)) + "\n"


@pytest.fixture
def run(tmp_path):
    """Run the step that checks, with some inputs."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    step = next(step for step in steps if step.get("id") == "check")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "cutline"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cutline "$@"\n')
    command.chmod(0o755)
    (tmp_path / "new.csv").write_text(ROWS)

    def done(**inputs):
        names = {name: value.split("inputs.")[1].split()[0] for name, value in step["env"].items()}
        given = {name: inputs.get(option.replace("-", "_"), "") for name, option in names.items()}
        given["SUMMARY"] = inputs.get("summary", "true")
        files = {"GITHUB_STEP_SUMMARY": tmp_path / "summary.md", "GITHUB_OUTPUT": tmp_path / "output"}
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        env = os.environ | given | {name: str(file) for name, file in files.items()} | {"PATH": path}
        command = ["bash", "-e", "-c", step["run"]]
        found = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603
        texts = [file.read_text() if file.exists() else "" for file in files.values()]
        return found.returncode, *texts, found.stderr

    return done


def test_a_gate_that_holds_passes_and_leaves_its_table_in_the_summary(run):
    code, summary, output, _ = run(file="new.csv", label="y", score="p", require="auc >= 0.5\nrecall >= 0.1\n")
    assert code == 0
    assert output == "passed=true\n"
    assert "All requirements passed." in summary
    assert "| passed | auc &gt;= 0.5 |" in summary


def test_a_gate_that_fails_says_why_in_the_summary(run):
    code, summary, output, _ = run(file="new.csv", label="y", score="p", require="auc >= 0.999", options="--level\n0.9")
    assert code == 1
    assert output == "passed=false\n"
    assert "| **failed** | auc &gt;= 0.999 |" in summary
    assert "90 % interval" in summary


@pytest.mark.slow
def test_no_input_is_run_as_a_program(run, tmp_path):
    code, *_ = run(file="new.csv", label="y", score="$(touch hacked)", require="auc >= 0; touch hacked")
    assert code == 2
    assert not (tmp_path / "hacked").exists()


EVIL = "from pathlib import Path\nPath('imported').touch()\n"


@pytest.mark.parametrize(
    "inputs",
    [
        {"file": "--plugin=evil"},
        {"file": "-h"},
        {"file": "new.csv", "label": "--plugin=evil"},
        {"file": "new.csv", "label": "y", "score": "--plugin=evil"},
        {"file": "new.csv", "label": "y", "score": "p", "require": "--plugin=evil"},
        {"file": "new.csv", "label": "y", "score": "p", "against": "--plugin=evil"},
    ],
    ids=str,
)
def test_no_input_becomes_an_option_of_the_command(run, tmp_path, inputs):
    (tmp_path / "evil.py").write_text(EVIL)

    code, *_, said = run(**inputs)

    assert code == 2, said
    assert not (tmp_path / "imported").exists()


def test_what_is_installed_is_no_option_of_pip_and_by_default_the_action_itself(tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(step for step in action["runs"]["steps"] if step["name"] == "Install")
    (tmp_path / "python").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    (tmp_path / "python").chmod(0o755)

    def installed(what):
        env = os.environ | {
            "INSTALL": what,
            "ACTION": "/the/action",
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        }
        command = ["bash", "-e", "-c", step["run"]]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603

    assert installed(action["inputs"]["install"]["default"]).stdout.splitlines()[-2:] == ["--", "/the/action[files]"]
    assert installed("cutline==0.1.0").stdout.splitlines()[-2:] == ["--", "cutline==0.1.0"]
    assert installed("--index-url=http://127.0.0.1/").returncode == 2
