"""The study of the coverage of calibration intervals: batches that add up, truths that are right, tables that tell."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The benchmark, with results and a page of its own."""
    spec = importlib.util.spec_from_file_location("calibration_coverage", BENCHMARKS / "calibration_coverage.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "calibration_coverage", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results.jsonl")
    monkeypatch.setattr(module, "POPULATION", 2000)
    monkeypatch.setattr(module, "PAGE", tmp_path / "page.md")
    return module


def test_a_calibrated_population_is_so_and_the_others_are_what_they_say(study):
    found = {name: study.truths(study.Cell(name, 200, 0.5)) for name in study.POPULATIONS}

    right = {"oe_ratio": 1, "calibration_intercept": 0, "calibration_slope": 1, "mcb": 0, "ici": 0}
    assert found["calibrated"] == right
    assert found["too extreme"]["calibration_slope"] == pytest.approx(0.75, abs=0.01)
    assert found["too low"]["calibration_intercept"] == pytest.approx(0.5, abs=0.01)
    assert found["bent"]["mcb"] > 0.001


def test_the_intervals_of_a_batch_are_counted_and_the_same_again(study):
    job = study.Job(study.Cell("too low", 200, 0.5), "formula", 3)
    truth = study.truths(job.cell)
    found = study.studied(job, truth, 12)

    assert found == study.studied(job, truth, 12)
    assert {tally.made for tally in found.values()} == {12}
    assert all(tally.above + tally.below <= 3 for tally in found.values())
    far = study.studied(job, dict.fromkeys(truth, 99.0), 3)
    assert {(tally.above, tally.below) for tally in far.values()} == {(0, 3)}


def test_batches_add_up_and_those_that_are_done_are_not_done_again(study):
    cell, interval = ["calibrated", 200, 0.5], "mcb inversion"
    rows = [(0, [20, 1, 0, 20]), (0, [20, 1, 0, 20]), (1, [20, 0, 1, 20]), (7, [60, 0, 0, 60])]
    study.RESULTS.write_text(
        "".join(
            json.dumps({"rules": rules, "cell": cell, "kind": "simulation", "batch": batch, "found": {interval: row}})
            + "\n"
            for batch, row in rows
            for rules in (study.RULES["simulation"], study.RULES["simulation"] - 1)
        ),
        encoding="utf-8",
    )
    study.PAGE.write_text(
        "before\n"
        + "".join(f"<!-- coverage by {kind} -->\nold\n<!-- end of coverage by {kind} -->\n" for kind in study.KINDS)
        + "after\n",
        encoding="utf-8",
    )
    study.main(["page"])
    page = study.PAGE.read_text(encoding="utf-8")
    options = type("Options", (), {"sizes": [200], "first": 0})
    waiting = [job.batch for job in study.jobs(options) if list(job.cell) == cell and job.kind == "simulation"]

    assert "| calibrated | 200 | 0.5 | 98.0* (100) |  |" in page
    assert "old" not in page
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    assert waiting[0] == 2


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ((1000, 25, 25, 0), "95.0"),
        ((1000, 100, 0, 0), "90.0!"),
        ((1000, 100, 0, 900), "90.0*"),
        ((20, 2, 0, 0), "90.0"),
        ((20, 2, 0, 20), "90.0*"),
    ],
)
def test_what_is_outside_is_marked_and_whether_a_note_says_so(study, row, shown):
    assert str(study.Tally(*row)) == shown
