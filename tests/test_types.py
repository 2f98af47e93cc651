"""What type checkers say of a user's code: a measure that does not exist is an error."""

import sys
import textwrap

import pytest

api = pytest.importorskip("mypy.api")

CODE = """
import cutline as cl

ev = cl.evaluate([1, 0], [0.7, 0.2])
precise: float = ev.precision
area: float = ev.roc_auc_score
counts = ev.at(threshold=0.5).recall
number = cl.ppv([1, 0], [0.7, 0.2])
ev.precison
cl.precison([1, 0], [0.7, 0.2])
ev.at(threshold=0.5).recal
cl.expected([0.9, 0.2]).acuracy
cl.evaluate([1, 0], [0.7, 0.2], folds=[1, 2]).acuracy
reveal_type(ev)
reveal_type(cl.evaluate("y", "p", data="cases.csv", by="site"))
reveal_type(cl.evaluate([1, 0], [0.7, 0.2], folds=[1, 2]))
reveal_type(cl.evaluate([1, 0], [0.7, 0.2], quota=1, quota_by=[1, 2]))
reveal_type(cl.evaluate([1, 0], [0.7, 0.2], by=None, folds=None, quota_by=None))
reveal_type(cl.auc)
"""


@pytest.mark.slow
def test_a_misspelled_measure_fails_type_checking(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(textwrap.dedent(CODE), encoding="utf-8")
    command = ["--python-executable", sys.executable, "--cache-dir", str(tmp_path / "cache"), "--follow-imports=silent"]
    said, _, _ = api.run([*command, str(path)])

    errors = [line for line in said.splitlines() if ": error:" in line]
    assert [line.split(":")[1] for line in errors] == ["9", "10", "11", "12", "13"], said
    types = [line.rpartition('"')[0].rpartition('"')[2] for line in said.splitlines() if "Revealed type" in line]
    assert types == [
        "cutline.evaluation.Evaluation",
        "cutline.slices.evaluation.Slices",
        "cutline.folds.evaluation.FoldEvaluation",
        "cutline.quota_periods.QuotaPeriods",
        "cutline.evaluation.Evaluation",
        "cutline.measures.measure_type.Measure",
    ]
