"""Use cutline without its extras: run by `make test-core` in an environment with the core's dependencies alone.

`python tests/core_alone.py --hide` hides the optional packages that are installed, so that any environment serves.
"""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

FRAMES = ("dask", "ibis", "pandas", "polars", "pyarrow")
CONVERTER = "latex2mathml"


def refusal(function):
    """Return the sentence with which a call is refused."""
    from cutline.core.extras import MissingExtraError

    try:
        function()
    except MissingExtraError as error:
        return str(error)
    raise AssertionError("It did not need an extra.")


def run(*arguments):
    """Run a command in this process and return its exit code, output and errors."""
    from cutline.cli.main import main

    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main([str(argument) for argument in arguments])
    return code, output.getvalue(), errors.getvalue()


def check_python(folder):
    """Measures, intervals, comparisons, cuts and gates need numpy and scipy alone."""
    import numpy as np

    import cutline as cl

    random = np.random.default_rng(1)
    labels = (random.random(300) < 0.4).astype(int)
    scores, others = (1 / (1 + np.exp(-random.normal(size=300) - slope * labels)) for slope in (1.5, 0.5))
    ev = cl.evaluate(labels, scores)
    assert "average_precision" in str(ev.summary())
    assert "<table" in ev.summary()._repr_html_()
    assert ev.estimate("average_precision").low < ev.average_precision
    assert cl.compare(labels, {"a": scores, "b": others}).test("auc").p_value < 0.05
    assert cl.choose_cut(ev, "recall >= 0.8").statement
    assert cl.recalibrate(ev, method="beta")
    assert len(cl.evaluate(labels, scores, by=random.integers(0, 3, 300))) == 3
    assert cl.evaluate(labels, scores, folds=np.arange(300) % 5).summary()
    ev.save(folder / "numbers.json")
    assert json.loads((folder / "numbers.json").read_text())["measures"]

    report, files, sklearn = (f'pip install "cutline[{extra}]".' for extra in ("report", "files", "sklearn"))
    drawn = ev.chart("roc")
    assert refusal(lambda: drawn.altair) == f"This needs altair, which is not installed: {report}"
    assert refusal(lambda: drawn.render(".svg")).endswith(report)
    assert refusal(lambda: ev.save(folder / "page.html")).endswith(report)
    assert refusal(lambda: ev.ranking.save(folder / "day.ranking")).endswith(files)
    assert refusal(lambda: cl.LinearMeasureClassifier).endswith(sklearn)
    assert refusal(lambda: cl.CutClassifier).endswith(sklearn)


def check_commands(folder):
    """A small CSV is evaluated, compared and gated in the terminal; pages and other formats name their extra."""
    rows = [f"{i % 3 == 0:d},{i * 37 % 61 / 61:.4f},{i * 53 % 67 / 67:.4f},{'ab'[i % 2]}" for i in range(90)]
    table = folder / "small.csv"
    table.write_text("\n".join(["y,p,q,site", *rows]) + "\n", encoding="utf-8")
    columns = ("--label", "y", "--score", "p")
    code, output, errors = run("evaluate", table, *columns, "--json")
    assert code == 0, errors
    assert json.loads(output)["measures"]
    for command in (
        ("evaluate", table, *columns),
        ("evaluate", table, *columns, "--csv"),
        ("evaluate", table, *columns, "--by", "site"),
        ("compare", table, *columns, "--score", "q"),
        ("check", table, *columns, "--require", "auc >= 0.1"),
        ("cut", table, *columns, "--require", "recall >= 0.5"),
        ("measures", "auc"),
        ("demo",),
    ):
        code, _, errors = run(*command)
        assert code == 0, (command, errors)
    code, _, errors = run("evaluate", table, *columns, "--html", folder / "page.html")
    assert (code, errors.count("\n")) == (2, 1)
    assert 'pip install "cutline[report]"' in errors
    (folder / "rows.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    code, _, errors = run("evaluate", folder / "rows.parquet", *columns)
    assert code == 2
    assert 'pip install "cutline[files]"' in errors


def main():
    """Hide the named packages, and run all checks."""
    from cutline.core.extras import EXTRAS

    if "--hide" in sys.argv:
        sys.modules.update(dict.fromkeys((*EXTRAS, *FRAMES, CONVERTER)))  # None: as if it were not installed
    with tempfile.TemporaryDirectory() as name:
        check_python(Path(name))
        check_commands(Path(name))
    loaded = {name.partition(".")[0] for name, module in sys.modules.items() if module} & {*EXTRAS, *FRAMES, CONVERTER}
    assert not loaded, loaded
    print("1 passed, 0 failed")  # noqa: T201


if __name__ == "__main__":
    main()
