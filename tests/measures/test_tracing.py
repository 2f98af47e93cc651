"""Definitions as programs: each says what the definition says, on every table, by another interpreter than numpy."""

import itertools
import json
import math

import numpy as np
import pytest

import cutline as cl
from cutline.core.counts import Counts, divide
from cutline.inference import delong
from cutline.measures import MEASURES, Family, Needs
from cutline.measures.forms import Proportion
from cutline.measures.tracing import (
    INPUTS,
    OPERATIONS,
    Program,
    UntraceableError,
    list_columns,
    make_column,
    make_symbol,
    make_symbolic_ranking,
    trace,
    trace_ranking,
)

COUNT_MEASURES = cl.MEASURES.search(needs=Needs.COUNTS)
COSTS = ("cost_fp", "cost_fn")
TABLES = [
    *itertools.product((0, 1, 7), repeat=4),
    *np.random.default_rng(0).integers(0, 400, (40, 4)).tolist(),
    *np.random.default_rng(1).gamma(1, 30, (20, 4)).tolist(),
]
THRESHOLDS = (0.0, 0.3, 0.999, 1.0, 2.5, -1.0, math.nan, math.inf)


# ---------------------------------------------------------------------- a second interpreter, of plain Python numbers


def _divide(a, b):
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    return a / b


def _log(x):
    return math.nan if math.isnan(x) or x < 0 else -math.inf if x == 0 else math.log(x)


def _least(a, b):
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


def _most(a, b):
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


KNOWN = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": _divide,
    "negative": lambda a: -a,
    "power": lambda a, b: a**b,
    "sqrt": lambda a: math.nan if math.isnan(a) or a < 0 else math.sqrt(a),
    "log": _log,
    "minimum": _least,
    "maximum": _most,
    "equal": lambda a, b: a == b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_not": lambda a: not a,
    "where": lambda condition, yes, no: yes if condition else no,
    "frexp_exponent": lambda a: math.frexp(a)[1],
    "ldexp": math.ldexp,
}


def run(steps, inputs):
    found = []
    for operation, *rest in json.loads(json.dumps(steps, allow_nan=False)):  # as a page reads them
        if operation == "number":
            found.append(float(rest[0]))
        elif operation == "input":
            found.append(inputs[rest[0]])
        else:
            found.append(KNOWN[operation](*(found[place] for place in rest)))
    return found


def tables():
    """Tables with their thresholds, and whether the scores are probabilities."""
    for i, table in enumerate(TABLES):
        yield (*map(float, table), THRESHOLDS[i % len(THRESHOLDS)], i % 3 != 0)


# ---------------------------------------------------------------------- the registry


@pytest.mark.parametrize("measure", COUNT_MEASURES, ids=str)
def test_the_program_of_a_measure_gives_the_values_of_its_definition(measure):
    found, program = trace(measure, COSTS), Program()
    places = [program.add(e) for e in (found.value, found.baseline, *(holds for _, holds in found.undefined))]
    assert {step[0] for step in program.steps} <= {*OPERATIONS, "input", "number"}
    for table in tables():
        counts = Counts(*table)
        value, baseline, *undefined = (
            run(program.steps, dict(zip(INPUTS, table, strict=True)) | dict(found.parameters))[i] for i in places
        )
        assert value == pytest.approx(float(measure.compute(counts)), rel=1e-12, abs=1e-13, nan_ok=True), table
        words = " and ".join(w for (w, _), holds in zip(found.undefined, undefined, strict=True) if holds)
        assert words == measure.reason(counts), table
        if not words:
            assert baseline == pytest.approx(measure.baseline_value(counts), rel=1e-12, abs=1e-13, nan_ok=True), table


@pytest.mark.parametrize("measure", [m for m in COUNT_MEASURES if isinstance(m.form, Proportion)], ids=str)
def test_a_traced_proportion_has_its_numerator_and_denominator(measure):
    found, program = trace(measure), Program()
    some, every = (program.add(expression) for expression in found.share)
    for table in tables():
        results = run(program.steps, dict(zip(INPUTS, table, strict=True)))
        assert (results[some], results[every]) == pytest.approx([float(x) for x in measure.form.of(Counts(*table))])
    if found.then is not None:
        then = Program()
        place = then.add(found.then)
        assert run(then.steps, {"share": 0.4})[place] == pytest.approx(measure.form.then(0.4))
    assert (found.then is None) == (measure.form.then is float)


def test_costs_stay_adjustable_where_they_are_open():
    measure = cl.MEASURES["expected_cost"]
    assert trace(measure, COSTS).parameters == {"expected_cost.cost_fp": 1.0, "expected_cost.cost_fn": 1.0}
    bound = trace(measure.with_(cost_fn=20), COSTS)
    assert bound.parameters == {"expected_cost.cost_fp": 1.0}
    program = Program()
    place = program.add(bound.value)
    inputs = {"tp": 3.0, "fp": 1.0, "fn": 2.0, "tn": 4.0, "expected_cost.cost_fp": 5.0}
    assert run(program.steps, inputs)[place] == (5 * 1 + 20 * 2) / 10


def test_a_step_stands_once():
    program = Program()
    x = make_symbol("tp") + 1
    program.add(x * x)
    assert program.steps == [["input", "tp"], ["number", 1.0], ["add", 0, 1], ["multiply", 2, 2]]
    assert program.add(make_symbol("tp") + 1) == 2
    assert program.run({"tp": np.array([1.0, 2.0])})[-1].tolist() == [4.0, 9.0]


def test_infinity_and_nan_are_text_in_programs():
    program = Program()
    program.add(make_symbol("tp") * math.inf)
    program.add(make_symbol("tp") * math.nan)
    assert [step[1] for step in program.steps if step[0] == "number"] == ["Infinity", "NaN"]


# ---------------------------------------------------------------------- anybody's definition


def defined(function, monkeypatch, **more):
    """A measure of one cut, in the registry for the time of the test."""
    monkeypatch.setattr(MEASURES, "_measures", dict(MEASURES._measures))
    monkeypatch.setattr(MEASURES, "_by_name", dict(MEASURES._by_name))
    facts = {
        "title": "Mine", "formula": "x", "range": (-math.inf, math.inf),
        "better": "higher", "perfect": 1, "baseline": 0,
        "needs": Needs.COUNTS, "family": Family.CUT, "source": (),
    }  # fmt: skip
    from cutline.measures.registry import measure

    return measure(**(facts | more))(function)


def of_attributes(c):
    return 2 * c.precision * c.recall / (c.precision + c.recall)


def of_operators(c):
    return abs(c.tp - c.fp) ** 2 / (1 + c.fn) - -c.tn


def of_numpy(c):
    return np.where(c.tp > 3, np.log1p(c.fp), np.clip(divide(c.fn, c.total), 0.1, 0.5))


@pytest.mark.parametrize("function", [of_attributes, of_operators, of_numpy])
def test_a_measure_of_ones_own_is_traced(function, monkeypatch):
    mine = defined(function, monkeypatch)
    program = Program()
    place = program.add(trace(mine).value)
    for table in ((3, 1, 2, 4), (40, 3, 7, 100)):
        inputs = dict(zip(INPUTS, (*map(float, table), 0.5, True), strict=True))
        assert float(program.run(inputs)[place]) == pytest.approx(float(mine.compute(Counts(*table))))


def decides(c):
    return c.tp if c.tp > 3 else c.fp


def asks_for_a_number(c):
    return math.sqrt(c.tp)


def makes_an_array(c):
    return np.asarray(c.tp, dtype=float) / 2


def sums_up(c):
    return np.sum(c.tp)


def hides_that_it_decides(c):
    try:
        return c.tp if np.all(c.tp > 3) else c.fp
    except Exception:
        return 0.0


@pytest.mark.parametrize("function", [decides, asks_for_a_number, makes_an_array, sums_up, hides_that_it_decides])
def test_a_definition_that_asks_for_values_is_not_traced(function, monkeypatch):
    assert trace(defined(function, monkeypatch)) is None


def test_a_baseline_that_cannot_be_traced_leaves_the_measure():
    from cutline.measures.metadata import ReferenceValue

    measure = cl.MEASURES["recall"]
    from dataclasses import replace

    found = trace(replace(measure, baseline=ReferenceValue("", lambda s, **_: math.sqrt(s.flagged))))
    assert found is not None
    assert found.baseline is None


def test_a_measure_of_the_whole_list_has_no_program_of_one_cut():
    assert trace(cl.MEASURES["auc"]) is None


# ---------------------------------------------------------------------- measures of the ranking

RANKED = ("auc", "average_precision", "ks", "max_youden_j", "eer", "brier", "log_loss", "brier_skill", "gini")


def random_ranking(seed, weighted=False):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 200))
    labels, scores = random.integers(0, 2, n), random.integers(0, 40, n) / 40
    labels[:2] = (0, 1) if seed % 5 else labels[0]  # of some, perhaps one class
    return cl.rank(labels, scores, random.gamma(2, 1, n) if weighted else None, positive=1)


@pytest.mark.parametrize("name", RANKED)
def test_the_program_of_a_measure_of_the_ranking_says_what_its_definition_does(name):
    measure, program = cl.MEASURES[name], Program()
    place = program.add(trace_ranking(measure).value)
    for seed, weighted in itertools.product(range(20), (False, True)):
        r = random_ranking(seed, weighted)
        with np.errstate(all="ignore"):
            found = program.run(list_columns(r))[place]
        assert float(found) == pytest.approx(float(measure.compute(r)), rel=1e-12, abs=1e-12, nan_ok=True)


def test_a_program_of_the_ranking_says_when_the_measure_is_undefined():
    found, program = trace_ranking(cl.MEASURES["auc"]), Program()
    places = {words: program.add(holds) for words, holds in found.undefined}
    with np.errstate(all="ignore"):
        results = program.run(list_columns(cl.rank([0, 0, 0], [0.1, 0.5, 0.5], positive=1)))

    assert [words for words, place in places.items() if results[place]] == ["there is no positive case"]


def test_delongs_interval_is_traced_from_the_ranking():
    symbolic, program = make_symbolic_ranking(), Program()
    area = cl.MEASURES["auc"].function(symbolic)
    places = [program.add(limit) for limit in delong.delong_logit(area, delong.compute_variance(symbolic), 0.9)]
    for seed in range(1, 5):
        r = random_ranking(seed, weighted=seed == 2)
        results = program.run(list_columns(r))
        expected = delong.delong_logit(cl.MEASURES["auc"].compute(r), delong.compute_variance(r), 0.9)
        assert [float(results[place]) for place in places] == pytest.approx([float(x) for x in expected], rel=1e-12)


def test_what_chooses_among_the_data_cannot_be_traced():
    assert trace_ranking(cl.MEASURES["auch"]) is None  # the hull is searched for
    assert trace_ranking(cl.MEASURES["recall"]) is None  # a measure of one cut
    scores = make_column("score")
    for broken in (
        lambda: scores[scores > 0],
        lambda: scores[::2],
        lambda: scores.astype(int),
        lambda: bool(scores > 0),
    ):
        with pytest.raises(UntraceableError):
            broken()
