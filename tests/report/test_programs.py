"""What the page computes at a cut that is moved: programs from definitions, and what cannot be traced looked up."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

import cutline as cl
from cutline.core.counts import Counts
from cutline.inference.single.proportions import is_modified, mover_ratio, wilson_modified, woolf
from cutline.measures import Family, Needs
from cutline.measures.metadata import make_constant
from cutline.measures.registry import Measure
from cutline.measures.tracing import Program
from cutline.report.programs import compile_programs, tabulate_untraced

COUNT_MEASURES = [(m.name, m) for m in cl.MEASURES.search(needs=Needs.COUNTS)]


def branching(c):
    """A definition with a decision, of one table at a time."""
    if c.tp > 3:
        return float(c.tp) / float(c.total)
    return 0.0


MINE = Measure(
    name="branching", function=branching, title="Mine", formula="x", range=(0.0, 1.0), better="higher",
    perfect=make_constant(1), baseline=make_constant(0.25), needs=Needs.COUNTS, family=Family.CUT, source={},
)  # fmt: skip


def run(steps, **inputs):
    program = Program()
    program.steps = steps
    return program.run(inputs)


def test_every_measure_of_the_registry_has_a_program():
    found = compile_programs(COUNT_MEASURES, ["recall", "no such measure"], 0.95)

    assert [entry["name"] for entry in found["measures"]] == [name for name, _ in COUNT_MEASURES]
    assert not any("looked_up" in entry for entry in found["measures"])
    assert list(found["points"]) == ["recall"]
    assert (
        len(json.dumps(found, allow_nan=False)) < 35_000
    )  # with the limits of few cases of a kind, and of three shares


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_limits_of_shares_and_ratios_are_those_of_the_package(level):
    found = compile_programs([], [], level)["intervals"]
    for k, n in itertools.product(range(8), (3, 7, 9, 14, 15, 16, 40, 1000)):
        for some in {k, n - k} if k <= n else ():
            results = run(found["share"]["steps"], k=float(some), n=float(n))
            low, high, modified = (results[i] for i in found["share"]["results"])
            assert (low, high) == pytest.approx([float(x) for x in wilson_modified(some, n, level)])
            assert modified == is_modified(some, n)
    tables = ((3.0, 2.0, 1.0, 4.0), (30.0, 1.0, 2.0, 40.0), (3.0, 50.0, 70.0, 3.0))
    for (name, function), table in itertools.product((("ratio", mover_ratio), ("odds", woolf)), tables):
        results = run(found[name]["steps"], **dict(zip("abcd", table, strict=True)))
        expected = [float(x) for x in function(*table, level)]
        assert [results[i] for i in found[name]["results"]] == pytest.approx(expected)


def test_a_definition_that_decides_is_looked_up_at_every_cut():
    ev = cl.evaluate([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], np.linspace(0.95, 0.05, 10))
    entry = compile_programs([("branching", MINE)], [], 0.95)["measures"][0]
    found = tabulate_untraced([("branching", MINE)], ev.ranking, np.arange(11), 0.95, grouped=False)["branching"]

    assert entry["looked_up"]
    assert found["value"] == [0, 0, 0, 0, 0, 0.4, 0.4, 0.4, 0.5, 0.5, 0.5]
    assert found["baseline"] == [0.25] * 11
    assert found["reason"] is None
    without_if = dataclasses.replace(MINE, function=lambda c: np.where(c.tp > 3, c.tp / c.total, 0.0))
    expected = ev.estimate(without_if, threshold=ev.ranking.thresholds[5])
    assert (found["low"][5], found["high"][5]) == pytest.approx((expected.low, expected.high))
    assert found["method"] == expected.method
    grouped = tabulate_untraced([("branching", MINE)], ev.ranking, np.arange(11), 0.95, grouped=True)["branching"]
    assert set(grouped["low"]) == {"nan"}


def test_what_has_a_program_is_not_looked_up():
    ev = cl.evaluate([1, 0, 1], [0.9, 0.5, 0.2])

    assert tabulate_untraced(COUNT_MEASURES, ev.ranking, np.arange(4), 0.95, grouped=False) == {}


def test_a_definition_that_fails_off_the_data_has_no_interval():
    def whole_numbers_only(c):
        if float(c.tp) != int(c.tp):
            raise ValueError("no whole number")
        return float(c.tp)

    picky = dataclasses.replace(MINE, function=whole_numbers_only, range=(0.0, math.inf))
    ev = cl.evaluate([1, 0, 1], [0.9, 0.5, 0.2])
    found = tabulate_untraced([("picky", picky)], ev.ranking, np.arange(4), 0.95, grouped=False)["picky"]
    assert found["value"] == [0, 1, 1, 2]
    assert found["low"][1] == "nan"


def test_counts_are_counts():
    assert branching(Counts(4, 1, 1, 4)) == 0.4


def test_a_value_that_cuts_are_looked_for_by_has_a_program_of_its_own():
    found = compile_programs([], ["recall", "expected_cost", "total_cost"], 0.95)["points"]
    table = {"tp": 3.0, "fp": 1.0, "fn": 2.0, "tn": 4.0, "threshold": 0.5, "is_risk": True}

    def value(name, **costs):
        program = found[name]
        given = {key: costs.get(key.split(".")[-1], value) for key, value in program["parameters"].items()}
        return run(program["steps"], **table, **given)[program["result"]]

    assert value("recall") == 0.6
    assert value("total_cost") == 3
    assert value("total_cost", cost_fp=2, cost_fn=5) == 12
    assert value("expected_cost", cost_fp=2, cost_fn=5) == 1.2
    assert len(found["recall"]["steps"]) < 10
