"""Every block of code in the README and in the documentation runs, and what it shows is what comes out.

Python with `>>>` is compared with its output, other Python is executed, commands are run in a folder with the files
that they name (docs/example_files.py), and data are parsed. What another test runs is listed, with that test.
"""

import doctest
import importlib.util
import re
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.linear_model import LogisticRegression

import cutline as cl
from cutline.charts import renderer
from cutline.report import chart_specs

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path += [str(DOCS), str(DOCS / "site")]

import example_files  # noqa: E402
import terminal  # noqa: E402

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("studies/*.md"))]
# Lines that are for another program: package managers, make, a warehouse.
ELSEWHERE = ("pip install ", "make ", "bq query ")
RUN_ELSEWHERE = {
    "mlflow.models.evaluate(": "tests/test_mlflow_evaluator.py",
    "cutline demo": "tests/cli/test_cli_evaluate.py",
    "cutline app": "tests/app/test_access.py",
    "cutline study": "tests/studies/test_study_command.py",
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9"/>'
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", flags=re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?:    [^\n]*\n|\n)+)")


def blocks(text):
    """The language and the text of each block: fenced, or set in by four spaces (which is code or commands)."""
    found = [(language, re.sub(f"(?m)^{indent}", "", code)) for indent, language, code in FENCE.findall(text)]
    plain = re.sub(
        r"(?m)^ {0,3}(?:[-*]|\d+\.) .*(\n+ {2,}.*)*", "", FENCE.sub("", text)
    )  # without lists, which are set in too
    for code in INDENTED.findall(plain):
        lines = [line[4:] for line in code.splitlines() if line.strip()]
        if lines:
            found.append((_language(lines), "\n".join(lines) + "\n"))
    return found


def _language(lines):
    kinds = {"sh" if line.startswith(("cutline ", *ELSEWHERE)) else "python" for line in lines}
    if kinds == {"sh", "python"}:
        return "sh" if any(line.endswith("\\") for line in lines) else "both"
    return "text" if re.match(r"[A-Z]\(|MEASURE", lines[0]) else kinds.pop()


def commands(code):
    """The commands of a block, with continued lines joined."""
    lines = code.replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ").strip() for line in lines if line.strip() and not line.startswith("#")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files of the documentation, in the current folder; reports are made quickly."""
    example_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cutline.results.resample_budget.RESAMPLES", 30)
    monkeypatch.setattr(chart_specs, "MOST_BYTES", 0)
    monkeypatch.setattr(renderer, "render_svg", lambda spec: SVG)  # seen elsewhere
    return tmp_path


def names():
    """What the code of the pages supposes to be there."""
    rows = np.array(example_files.predictions(), dtype=float)[::4]
    labels, a, b = rows[:, 2], rows[:, 3], rows[:, 5]
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 3)) + 0.8 * y[:, None]
    classes = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, 60)]
    frame = pd.DataFrame({"y": labels, "label": labels, "p": a, "score": a, "w": 1.0, "case": np.arange(len(a))})
    ev = cl.evaluate(labels, a)
    tables = {"one": cl.Counts(tp=3, fp=1, fn=2, tn=4), "two": cl.Counts(tp=4, fp=2, fn=1, tn=3)}
    reader = types.SimpleNamespace(
        read=types.SimpleNamespace(parquet=lambda path: frame)
    )  # the place of a Spark session
    models = cl.compare(labels, {"a": a, "b": b})
    found = cl.one_vs_rest(classes, rng.dirichlet([1, 1, 1], 60))
    return {
        "cl": cl, "np": np, "labels": labels, "scores": a, "weights": None, "a": a, "b": b,
        "scores_a": a, "scores_b": b, "folds": np.arange(len(a)) % 5, "estimator": LogisticRegression(),
        "ev": ev, "ev1": ev, "ev2": ev, "cmp": models, "models": models, "found": found, "tables": tables,
        "frame": frame, "frame_a": frame, "frame_b": frame, "spark": reader, "X": X, "y": y, "X_new": X,
        **{name: pytest.importorskip(name) for name in ("lightgbm", "xgboost")},
    }  # fmt: skip


def is_run_elsewhere(code):
    """Whether another test runs it; that test must name it."""
    for start, test in RUN_ELSEWHERE.items():
        if start in code:
            words = start.rstrip("(").split()[-1].split(".")[-1]
            assert words in (ROOT / test).read_text(encoding="utf-8"), test
            return True
    return False


def run_commands(code):
    for command in commands(code):
        if not command.startswith(ELSEWHERE) and not is_run_elsewhere(command):
            if "--class-scores a,b,c" in command:
                write_classes(Path.cwd(), ("a", "b", "c"))
            command, _, target = command.partition(" > ")
            shown = terminal.run(command, (0, 1) if command.startswith("cutline check") else (0,))
            if "--class-scores a,b,c" in command:
                example_files.write(Path.cwd())
            if target:
                Path(target.strip()).write_text(shown, encoding="utf-8")


def run_python(code, known):
    if is_run_elsewhere(code):
        return
    exec(code, known)  # noqa: S102
    for name, test in list(known.items()):
        if name.startswith("test_"):  # with the fixture of its argument
            [argument] = test.__code__.co_varnames[: test.__code__.co_argcount]
            test(known[argument].__wrapped__())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_block_of_a_page_runs(path, folder):
    known = names()
    if path.stem == "several-classes":
        write_classes(folder, ("ant", "bee", "cat"))
    for language, code in blocks(path.read_text(encoding="utf-8")):
        if ">>>" in code or language in ("", "text"):
            continue  # compared below, or no program
        if language in ("sh", "console"):
            run_commands(code)
        elif language == "both":
            run_commands("\n".join(line for line in code.splitlines() if line.startswith("cutline ")))
            run_python("\n".join(line for line in code.splitlines() if not line.startswith("cutline ")), known)
        elif language == "python":
            run_python(code, known)
        else:
            assert {"toml": tomllib.loads, "yaml": yaml.safe_load}[language](code)


def write_classes(folder, labels):
    """Predictions of three classes, by several models."""
    rng = np.random.default_rng(1)
    rows = {"y": np.array(labels)[rng.integers(0, 3, 90)], "patient": np.arange(90) // 2}
    for prefix in ("", "p_", "f_", "n_"):
        scores = rng.dirichlet([1, 1, 1], 90)
        rows |= {f"{prefix}{name}": scores[:, i] for i, name in enumerate(labels)}
    pd.DataFrame(rows).to_csv(folder / "predictions.csv", index=False)


SHOWN = [path for path in PAGES if path.name != "README.md" and ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_what_a_page_shows_is_what_comes_out(path, tmp_path, monkeypatch):
    example_files.write(tmp_path)
    monkeypatch.chdir(tmp_path)

    failed, tried = doctest.testfile(str(path), module_relative=False)

    assert (failed, tried > 3) == (0, True)


def test_a_block_that_is_wrong_is_found(folder):
    with pytest.raises(NameError):
        run_python("nothing_of_that_name\n", {})
    with pytest.raises(RuntimeError, match="ended with"):
        run_commands("cutline evaluate predictions.csv --label no_such_column\n")


@pytest.fixture(scope="module")
def make_cli():
    spec = importlib.util.spec_from_file_location("make_cli", DOCS / "make_cli.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_each_command_has_a_page_and_no_page_is_left_over(make_cli):
    assert sorted(path.stem for path in make_cli.FOLDER.glob("*.md")) == sorted(make_cli.commands())


@pytest.mark.parametrize("name", sorted(path.stem for path in (DOCS / "cli").glob("*.md")))
def test_the_page_of_a_command_shows_its_help_and_what_its_example_prints(make_cli, name):
    written = (make_cli.FOLDER / f"{name}.md").read_text(encoding="utf-8")

    assert written == make_cli.command_page(name), "run `make docs`"


def test_the_file_that_the_site_offers_is_the_one_that_the_pages_use(tmp_path):
    example_files.write(tmp_path)

    for name in ("predictions.csv", "ten_cases.csv"):
        assert (DOCS / "assets" / name).read_bytes() == (tmp_path / name).read_bytes()
