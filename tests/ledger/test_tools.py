"""What tools print: frozen answers of each, and live ones of those that are installed, equal value_as."""

import importlib.util
import json
import math
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.ledger.cases import Material, Rows
from cutline.ledger.quantity import parse_quantity
from cutline.ledger.registry import CONVENTIONS, compute_under
from cutline.ledger.tools import TOOLS, compute_printed, find_tool

ORACLES = Path(__file__).parents[1] / "oracles"


@cache
def peers():
    spec = importlib.util.spec_from_file_location("ledger_peers", ORACLES / "ledger_peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Asked again where they are installed; the others start a program of their own for each set.
LIVE = sorted({*peers().PEERS} - {"H2O", "Spark ml", "Spark mllib", *peers().OF_R})
CLOSE = 5e-3  # beyond the number of scores for which a tool's thresholds are known
RUN = sorted(name for name, one in TOOLS.items() if one.how == "run")


@cache
def frozen():
    return json.loads((ORACLES / "ledger.json").read_text())


@cache
def sets():
    found = []
    for one in frozen()["sets"]:
        labels, scores = np.array(one["labels"]), np.array(one["scores"])
        found.append((labels, scores, None if one["weights"] is None else np.array(one["weights"])))
    return found


def material(labels, scores, weights):
    return Material.of_rows(Rows(labels == 1, scores, weights, other=peers().second_model(scores)), 0.5)


def check(entry, answers, *, live=False):
    """The entry gives the answers; where a tool printed no number there is nothing to compare."""
    compare_files = 0
    for one, answer in zip(sets(), answers, strict=True):
        if answer is None or math.isnan(answer):
            continue
        q, cases = parse_quantity(entry.measure), material(*one)
        if "ties_unstable" in entry.conventions and not live:  # numpy's sort is not the same on all processors
            ends = [
                compute_under(cases, q, [CONVENTIONS["unweighted"], CONVENTIONS[f"ties_{end}"]])
                for end in ("pessimistic", "optimistic")
            ]
            assert ends[0] - 1e-9 <= answer <= ends[1] + 1e-9
            if ends[0] != ends[1]:
                continue
        is_close = len(cases.ranking) > entry.exact_up_to
        tolerance = CLOSE if is_close else entry.within or (3e-6 if entry.single else 1e-9)
        assert compute_printed(entry, q, cases) == pytest.approx(answer, rel=tolerance, abs=tolerance), entry
        compare_files += not is_close
    assert compare_files >= 5, entry


@pytest.mark.parametrize("name", RUN)
def test_what_a_tool_printed_is_what_the_ledger_says_of_it(name):
    answers = frozen()["answers"][name]

    for entry in TOOLS[name].entries:
        check(entry, answers[entry.function])


@pytest.mark.slow
@pytest.mark.parametrize("name", LIVE)
def test_what_an_installed_tool_prints_is_what_the_ledger_says_of_it(name):
    ask, package = peers().PEERS[name]
    try:
        version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [ask(*one) for one in sets()]

    for entry in TOOLS[name].entries:
        check(entry, [one[entry.function] for one in answers], live=True)


def test_the_sets_have_ties_weights_skew_and_extreme_scores():
    assert len(sets()) == 20
    assert sum(w is not None for _, _, w in sets()) == 10
    assert sum(len(np.unique(s)) < len(s) for _, s, _ in sets()) >= 10
    assert sum(y.mean() < 0.1 for y, _, _ in sets()) >= 3
    assert sum(s.min() == 0 and s.max() == 1 for _, s, _ in sets()) >= 6


def test_there_are_the_tools_that_people_compare():
    wanted = ["scikit-learn", "imbalanced-learn", "torchmetrics", "Keras", "TensorFlow", "XGBoost", "LightGBM",
              "CatBoost", "Spark ml", "Spark mllib", "H2O", "MLflow", "Evidently", "yellowbrick", "statsmodels", "pROC",
              "ROCR", "PRROC", "precrec", "caret", "yardstick", "hmeasure", "Weka", "BigQuery", "PyCM", "river",
              "Vertica", "dcurves"]  # fmt: skip

    assert len({find_tool(name).name for name in wanted}) == 27
    for one in TOOLS.values():
        assert one.version
        assert one.source
        assert one.entries
        for entry in one.entries:
            assert set(entry.conventions) <= set(CONVENTIONS)
            q = parse_quantity(entry.measure)
            hard = "hard_labels" in entry.conventions  # which are made at the cut
            assert all(
                CONVENTIONS[convention].applies(q) or (hard and convention == "strict")
                for convention in entry.conventions
            ), (
                one.name,
                entry,
            )


def test_value_as_gives_the_number_of_the_tool():
    labels, scores = [1, 0, 1, 0], [0.9, 0.5, 0.5, 0.2]
    ev = cl.evaluate(labels, scores)

    assert cl.value_as(ev, "recall", "scikit-learn") == 0.5  # of two positives, one is above 0.5
    assert cl.value_as(ev, "recall", "evidently") == 1.0  # and both are at or above it
    assert ev.value("recall", as_="sklearn") == 0.5
    assert cl.value_as(ev, "average_precision", "scikit-learn") == pytest.approx(5 / 6)
    # From (0, 1) to (1/2, 1), and to (1, 2/3): a half, and a half of 5/6.
    assert cl.value_as(ev, "average_precision", "catboost") == pytest.approx(11 / 12)
    assert cl.value_as(ev, "auc", "scikit-learn", function="roc_auc_score, hard labels") == 0.75


def test_torchmetrics_takes_scores_outside_0_and_1_for_log_odds():
    labels, scores = [1, 1, 0, 1, 0, 0, 1, 0], [2.0, 0.8, 0.4, 0.2, -0.5, -1.5, 0.0, 0.7]

    # torchmetrics 1.9.0 with its default threshold, 0.5; a threshold of 1.2 it does not take.
    for threshold in (0.5, 1.2):
        ev = cl.evaluate(labels, scores, threshold=threshold)
        assert cl.value_as(ev, "auc", "torchmetrics") == 0.75
        assert cl.value_as(ev, "accuracy", "torchmetrics") == 0.625
        assert cl.value_as(ev, "recall", "torchmetrics") == 0.75
        assert cl.value_as(ev, "ece", "torchmetrics") == pytest.approx(0.210731628, abs=1e-6)


def test_a_tool_that_ignores_weights_needs_the_rows():
    labels, scores, weights = [1, 0, 1, 0], [0.9, 0.6, 0.5, 0.2], [1.0, 2.0, 3.5, 1.0]
    ev = cl.evaluate(labels, scores, weights)

    with pytest.raises(cl.ParameterError, match="pass the labels and scores themselves with rows="):
        cl.value_as(ev, "auc", "pROC")
    assert cl.value_as(ev, "auc", "pROC", rows=(labels, scores, weights)) == 0.75
    assert cl.value_as(ev, "auc", "scikit-learn") == ev.auc != 0.75


def test_unknown_tools_measures_and_functions_are_refused_with_names_near_them():
    ev = cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.2])

    with pytest.raises(
        cl.UnknownNameError, match=r"The ledger has no tool 'torchmetric'.* Did you mean torchmetrics\?"
    ):
        cl.value_as(ev, "auc", "torchmetric")
    with pytest.raises(cl.ParameterError, match="does not know what dcurves gives for auc: it knows net_benefit"):
        cl.value_as(ev, "auc", "dcurves")
    with pytest.raises(cl.ParameterError, match="PyCM has no 'x' for auc: pass 'AUC'"):
        cl.value_as(ev, "auc", "pycm", function="x")
    with pytest.raises(cl.InputError, match="ev is 'x': pass an evaluation"):
        cl.value_as("x", "auc", "pycm")
    with pytest.raises(cl.InputError, match=r"rows is 5: pass \(labels, scores\)"):
        cl.value_as(ev, "auc", "pycm", rows=5)
    with pytest.raises(cl.UnknownNameError, match=r"There is no measure 'acu'.* Did you mean auc\?"):
        cl.value_as(ev, "acu", "pycm")


def test_a_hint_names_tools_as_they_are_written():
    with pytest.raises(cl.UnknownNameError, match=r"Did you mean scikit-learn\?$"):
        cl.evaluate([1, 0], [0.9, 0.1]).value("auc", as_="scikit_lern")
