"""Use cutline without its extras: run by `make test-core` in an environment with the core's dependencies alone.

`python tests/core_alone.py --hide` hides the optional packages that are installed, so that any environment serves.
"""

import contextlib
import importlib.abc
import io
import json
import sys
import tempfile
from pathlib import Path

FRAMES = ("dask", "ibis", "pandas", "polars", "pyarrow")
CONVERTER = "latex2mathml"


class Hidden(importlib.abc.MetaPathFinder):
    """Finds no optional package, as in an environment without them."""

    def __init__(self, names):
        self.names = frozenset(names)

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        """Refuse to find what is hidden."""
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refusal(function):
    """Return the sentence with which a call is refused."""
    from cutline.core.extras import MissingExtraError

    try:
        function()
    except MissingExtraError as error:
        return str(error)
    raise AssertionError("It did not need an extra.")


def run(*arguments):
    """Run a command in this process; its exit code, output and errors."""
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
    assert refusal(lambda: ev.chart("roc")) == f"This needs altair, which is not installed: {report}"
    assert refusal(lambda: ev.save(folder / "page.html")).endswith(report)
    assert refusal(lambda: ev.ranking.save(folder / "day.ranking")).endswith(files)
    assert refusal(lambda: cl.LinearMeasureClassifier).endswith(sklearn)
    assert refusal(lambda: cl.CutClassifier).endswith(sklearn)


def check_commands():
    """The terminal works; what needs an extra names it in one line."""
    for command in (("measures", "auc"), ("demo",)):
        code, _, errors = run(*command)
        assert code == 0, (command, errors)
    code, _, errors = run("study")
    assert (code, errors.count("\n")) == (2, 1)
    assert 'pip install "cutline[report]"' in errors


def main():
    """Hide what is asked to be hidden, and run all checks."""
    from cutline.core.extras import EXTRAS

    if "--hide" in sys.argv:
        sys.meta_path.insert(0, Hidden({*EXTRAS, *FRAMES, CONVERTER}))
    with tempfile.TemporaryDirectory() as name:
        check_python(Path(name))
        check_commands()
    loaded = {name.partition(".")[0] for name in sys.modules} & {*EXTRAS, *FRAMES, CONVERTER}
    assert not loaded, loaded
    print("1 passed, 0 failed")  # noqa: T201


if __name__ == "__main__":
    main()
