"""The coverage study in little: its populations are what they say, and its batches can be added up."""

import importlib.util
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import cutline as cl

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))  # for its populations


def load_coverage_study():
    """The module by its path: another package is called coverage too."""
    spec = importlib.util.spec_from_file_location("coverage_study", BENCHMARKS / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_study"] = module
    spec.loader.exec_module(module)
    return module


coverage_study = load_coverage_study()

import audit_designs  # noqa: E402
from coverage_page import Tally, judged  # noqa: E402
from populations import Shaped, validation  # noqa: E402


def test_populations_have_the_auc_that_their_name_says():
    for p in coverage_study.development():
        if p.name.startswith("normal") and p.grid < 0.1:
            auc = float(p.name.split()[1].rstrip(","))
            assert cl.auc(p.ranking()) == pytest.approx(auc, abs=2e-3), p.name


def test_the_truth_of_every_measure_is_known_or_has_none_in_a_population():
    p = coverage_study.development()[8]
    truth = coverage_study.truths(p, coverage_study.threshold_of(p))
    assert set(truth) == {m.name for m in cl.MEASURES}
    assert sum(math.isnan(value) for value in truth.values()) < 12


def test_a_sample_gives_an_interval_of_every_measure_that_has_one():
    p = next(p for p in coverage_study.development() if p.positives == p.negatives == 25)
    threshold, found = coverage_study.threshold_of(p), defaultdict(lambda: [0, 0, 0, 0, 0.0, 0])
    names = [m.name for m in cl.MEASURES]
    ev = cl.evaluate(**p.sample(np.random.default_rng(1)), threshold=threshold)
    warnings = defaultdict(lambda: [0, 0])
    coverage_study._intervals(ev, coverage_study.truths(p, threshold), 1, found, warnings, names)
    assert sum(given for given, _ in warnings.values()) == sum(row[2] for row in found.values())
    made = {key[0] for key in found}
    assert {"auc", "mcc", "recall", "average_precision", "brier", "qrecall", "ks"} <= made
    assert all(
        row[0] == 1 and row[1] in (0, 1) and row[3] <= row[2] and row[4] >= 0 and row[5] <= 1 - row[1]
        for row in found.values()
    )


def test_closed_forms_hold_about_as_often_as_they_say_with_five_positives():
    """Sixty samples: a coverage of 95 % falls below 80 % hardly ever, and one of 60 % always."""
    p = coverage_study.development()[0]
    assert (p.positives, p.negatives) == (5, 95)
    threshold = coverage_study.threshold_of(p)
    truth = coverage_study.truths(p, threshold)
    names = ("mcc", "kappa", "lift", "g_mean", "recall", "auc", "balanced_accuracy", "average_gain")
    rng, held = np.random.default_rng(5), dict.fromkeys(names, 0)
    for _ in range(60):
        ev = cl.evaluate(**p.sample(rng), threshold=threshold)
        for name, one in zip(names, ev.estimates(names), strict=True):
            held[name] += math.isnan(one.value) or one.low <= truth[name] <= one.high
    assert all(count >= 48 for count in held.values()), held


def test_the_next_batch_is_of_the_cell_that_has_fewest():
    whole = coverage_study.cells("validation")
    cell, number, names = next(coverage_study.jobs([], whole))
    line = {"cell": cell.name, "samples": dict.fromkeys(names, 20)}
    assert number == 0
    assert next(coverage_study.jobs([line], whole))[0] != cell


def test_only_measures_whose_rules_changed_are_run_anew():
    whole = [coverage_study.Cell(coverage_study.development()[0])]
    (cell, _, names) = next(coverage_study.jobs([], whole))
    line = {"cell": cell.name, "samples": dict.fromkeys(names[2:], 20)}
    assert next(coverage_study.jobs([line], whole)) == (cell, 0, names[:2])


def test_batches_add_up_and_outdated_figures_do_not_count(tmp_path):
    def line(rules, row, **warnings):
        return {"rules": rules, "cell": "c", "samples": {"auc": 1}, "found": {"auc|x": row}, "warnings": warnings}

    rules = coverage_study.RULES
    first, more = line(rules, [1, 1, 0, 0, 0.25, 0]), line(rules, [1, 0, 1, 1, 0.5, 1], few=[1, 1])
    both = coverage_study.added(coverage_study.added([first], more), line(rules, [1, 1, 1, 0, 0.25, 0], few=[1, 0]))
    assert both == [line(rules, [3, 2, 2, 1, 1.0, 1], few=[2, 1]) | {"samples": {"auc": 3}}]
    path = tmp_path / "results.jsonl"
    coverage_study.write([*both, line(rules - 1, [1, 1, 0, 0, 0.25, 0])], path)
    assert coverage_study.read(path) == both


def test_the_two_halves_share_no_cell_and_try_the_same_kinds_of_stress():
    halves = [{cell.name for cell in coverage_study.cells(half)} for half in coverage_study.RESULTS]
    assert not halves[0] & halves[1]
    for words in ("subtype", "at one score", "rounded", "0.3 %", "groups of 20", "specificity"):
        assert all(any(words in name for name in half) for half in halves), words


@pytest.mark.parametrize(
    ("made", "held", "verdict"),
    [(100, 85, "below"), (100, 89, "within"), (400, 370, "within"), (100, 100, "within"), (400, 399, "above")],
)
def test_a_cell_is_out_of_bounds_only_where_chance_cannot_explain_it(made, held, verdict):
    assert Tally(made, held).verdict == verdict


def test_a_page_names_the_cells_that_fail_silently_and_not_those_that_say_so():
    cells = {("p", "auc"): Tally(200, 160, 9, 9), ("p", "ks"): Tally(200, 160, 60, 30), ("q", "auc"): Tally(200, 190)}
    text = "\n".join(judged(cells))
    assert "| auc | p (80.0 of 200) |" in text
    assert "| ks |" not in text
    assert "2 cells are below" in " ".join(text.split())
    assert "without a warning are alone too many by this test: 1 (33.3 % of all)" in " ".join(text.split())


def test_the_largest_error_is_taken_between_the_probabilities_of_the_sample():
    p = next(p for p in validation() if p.name == "rare and narrow")
    largest, sample = (
        coverage_study.LargestError(p.ranking()),
        cl.evaluate(**p.sample(np.random.default_rng(4))).ranking,
    )
    assert largest.seen_in(p.ranking()) == pytest.approx(float(cl.MEASURES["emax"](p.ranking())))
    assert largest.seen_in(sample) < largest.seen_in(p.ranking()) / 2


def test_shapes_of_scores_are_drawn_as_their_population_says():
    for p in validation():
        if isinstance(p.pos, Shaped):
            scores = p.pos.draw(np.random.default_rng(1), np.random.default_rng(2).normal(size=4000))
            middle = np.median(scores)
            assert float(p.pos.below(np.array([middle]))[0]) == pytest.approx(0.5, abs=0.03), p.name


def test_every_design_of_the_audit_can_be_run():
    rng = np.random.default_rng(3)
    for design in audit_designs.designs():
        held, noted, width = design.ask(design.population, rng, 1)
        assert held in (True, False)
        assert noted in (True, False)
        assert math.isnan(width) or width > 0
