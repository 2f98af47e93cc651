"""Try the installed wheel as a new user would; run by `make test-wheel` with the Python of an empty environment."""

import importlib.metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import cutline as cl

BIN = Path(sys.executable).parent
REPOSITORY = Path(__file__).resolve().parents[1]


def run(*arguments, code=0):
    """Run the installed command and return what it printed."""
    command = [str(BIN / "cutline"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == code, f"{command} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def check_the_package():
    """It is the wheel, it says what it is, and its README has no link that an index cannot follow."""
    assert REPOSITORY not in Path(cl.__file__).resolve().parents or ".venv" in cl.__file__
    known = importlib.metadata.metadata("cutline")
    assert run("--version").strip() == f"cutline {known['Version']}"
    assert "](docs/" not in known["Description"]
    assert {"Homepage", "Issues"} <= {line.split(",")[0] for line in known.get_all("Project-URL")}
    assert importlib.metadata.distribution("cutline").read_text("entry_points.txt").count("cutline") >= 2


def check_every_format(folder):
    """Each format gives the same AUC."""
    import duckdb
    import pyarrow as pa
    import pyarrow.feather

    labels, scores = [i % 3 == 0 for i in range(60)], [i * 37 % 61 / 61 for i in range(60)]
    table = pa.table({"y": [int(label) for label in labels], "p": scores})
    pyarrow.feather.write_feather(table, folder / "x.feather")
    duckdb.register("rows", table)
    for suffix, how in (
        ("csv", ""),
        ("parquet", ""),
        ("json", "(array true)"),
        ("ndjson", "(format json)"),
        ("tsv", "(format csv, delimiter '\t', header)"),
    ):
        duckdb.sql(f"copy (select * from rows) to '{folder / f'x.{suffix}'}' {how}")  # noqa: S608
    for suffix in ("csv", "tsv", "parquet", "json", "ndjson", "feather"):
        found = json.loads(
            run("evaluate", folder / f"x.{suffix}", "--label", "y", "--score", "p", "--measures", "auc", "--json")
        )
        value = found["measures"][0]["value"]
        assert abs(value - cl.auc(labels, scores)) < 1e-12, suffix


def check_training():
    """A model is fitted for the measure."""
    x = [[i % 7, i % 5] for i in range(70)]
    y = [int(a + b > 5) for a, b in x]
    model = cl.LinearMeasureClassifier("f1").fit(x, y)
    assert cl.evaluate_model(model, x, y).auc > 0.9


def main():
    """Run all checks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_the_package()
        assert "tumours" in run("demo").lower() or "auc" in run("demo").lower()
        check_every_format(folder)
        run("evaluate", folder / "x.csv", "--label", "y", "--score", "p", "--html", folder / "x.html", "--quiet")
        assert (folder / "x.html").read_text().lower().startswith("<!doctype html>")
        run("evaluate", folder / "none.csv", code=2)
        check_training()
    print("1 passed, 0 failed")  # noqa: T201


if __name__ == "__main__":
    main()
