"""The designs in which two audits found defaults that failed, run with the defaults of today.

    python benchmarks/audit_designs.py run [minutes]   # adds samples to audit_results.json
    python benchmarks/audit_designs.py                 # prints the table, which docs/coverage.md has too

A design is a population, an interval or test of its samples, and the figure of the audit. `held` counts intervals that
held the truth, or tests of equal models that rejected at 5 %.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from populations import Population, bells, development, is_warned, threshold_of, validation

import cutline as cl
from cutline.core import parallel
from cutline.measures import Needs

RESULTS = Path(__file__).with_name("audit_results.json")
RESAMPLES = 200  # 2000 in use
ENOUGH = 400  # samples of a design
SEED = 2  # another one draws other samples

Outcome = tuple[bool, bool, float]  # held (or rejected), noted, width


@dataclass(frozen=True)
class Design:
    """A population, an interval or test of its samples, and the figure of the audit."""

    what: str
    population: Population
    ask: Callable[[Population, np.random.Generator, int], Outcome]
    was: str
    kind: str = "interval"  # or "test", or "band"

    @property
    def name(self) -> str:
        p = self.population
        return f"{self.what}: {p.positives} + {p.negatives}, {p.name}"


# ---------------------------------------------------------------------- intervals and tests


@cache
def _truth(p: Population, measure: str, given: tuple[tuple[str, float], ...]) -> float:
    found = cl.MEASURES[measure]
    where = {"threshold": threshold_of(p)} if found.needs is Needs.COUNTS else {}
    data, rest = found.prepare(p.ranking(), {**where, **dict(given)})
    return float(found.compute(data, **rest))


def interval(measure: str, **given: float) -> Callable[..., Outcome]:
    def ask(p: Population, rng: np.random.Generator, seed: int) -> Outcome:
        truth = _truth(p, measure, tuple(given.items()))
        ev = cl.evaluate(**p.sample(rng), threshold=threshold_of(p))
        found = ev.estimate(measure, resamples=RESAMPLES, seed=seed, **given)
        held = found.low - 1e-9 <= truth <= found.high + 1e-9
        return held, is_warned(found.notes), found.high - found.low

    return ask


def test(measure: str) -> Callable[..., Outcome]:
    def ask(p: Population, rng: np.random.Generator, seed: int) -> Outcome:
        found = _models(p, rng).test(measure, resamples=RESAMPLES, seed=seed).pairs[0]
        return found.p_value <= 0.05, is_warned(found.notes), math.nan

    return ask


def _models(p: Population, rng: np.random.Generator) -> Any:
    cases = p.sample_pair(rng)
    models = {name: cases.pop(name) for name in ("a", "b")}
    return cl.compare(cases.pop("labels"), models, threshold=threshold_of(p), **cases)


def contradiction(p: Population, rng: np.random.Generator, _: int) -> Outcome:
    """Whether p-value and interval disagree, and whether a note says which to trust."""
    models = _models(p, rng)
    found, p_value = models.difference("accuracy"), models.test("accuracy").pairs[0].p_value
    disagree = (p_value <= 0.05) != (not found.low <= 0 <= found.high)
    return disagree, disagree and any("trust the test" in note for note in found.notes), math.nan


def dominance(p: Population, rng: np.random.Generator, seed: int) -> Outcome:
    """Whether a region is named where one of two equal models leads."""
    found = _models(p, rng).regions("roc", resamples=RESAMPLES, seed=seed)
    return bool(found.spans), False, math.nan


def roc_point(fpr: float) -> Callable[..., Outcome]:
    def ask(p: Population, rng: np.random.Generator, seed: int) -> Outcome:
        truth = float(_roc(p, (fpr,))[0])
        ev = cl.evaluate(**p.sample(rng))
        found = cl.roc_band(ev, [fpr], resamples=RESAMPLES, seed=seed)
        return bool(found.low[0] - 1e-9 <= truth <= found.high[0] + 1e-9), False, float(found.high[0] - found.low[0])

    return ask


@cache
def _roc(p: Population, fpr: tuple[float, ...]) -> Any:
    r = p.ranking()
    return np.interp(fpr, r.fpr, r.tpr)


@cache
def _pr(p: Population, recall: tuple[float, ...]) -> Any:
    r = p.ranking()
    fpr = np.interp(recall, r.tpr, r.fpr)
    hits = p.positives * np.array(recall)
    return hits / (hits + p.negatives * fpr)


def whole_curve(kind: str) -> Callable[..., Outcome]:
    def ask(p: Population, rng: np.random.Generator, seed: int) -> Outcome:
        ev = cl.evaluate(**p.sample(rng))
        found = (cl.roc_band if kind == "roc" else cl.pr_band)(ev, simultaneous=True, resamples=RESAMPLES, seed=seed)
        x = tuple(np.asarray(found.x).tolist())
        truth = (_roc if kind == "roc" else _pr)(p, x)
        held = bool(((found.low - 1e-9 <= truth) & (truth <= found.high + 1e-9)).all())
        return held, False, float(np.mean(found.high - found.low))

    return ask


# ---------------------------------------------------------------------- the designs


def designs() -> list[Design]:
    """Return all designs, in the order of the audits."""

    def normal(positives: int, negatives: int, auc: float, spread: float = 1.0, **more: Any) -> Population:
        shape = f", spread {spread:g}" if spread != 1 else ""
        return Population(f"normal {auc:g}{shape}", positives, negatives, bells(auc, spread), **more)

    by_name = {(p.positives, p.negatives, p.name): p for p in (*development(), *validation())}
    mixed, heavy = by_name[20, 1980, "60 % of positives at 3"], by_name[50, 100, "t with 2 degrees"]
    auc = [
        *((normal(20, 180, 0.8, s), was) for s, was in ((1, "95.7"), (1.5, "90.7"), (2, "86.6"), (3, "82.3"))),
        *((normal(20, 980, 0.8, 3), "79.9"), (mixed, "86.0"), (normal(100, 900, 0.995), "89.6")),
        *((normal(50, 450, 0.99), "89.8"), (normal(35, 300, 0.98), "90.2"), (normal(50, 450, 0.95, 3), "89.5")),
    ]
    by_class, by_score = by_name[20, 980, "sampled by class"], by_name[60, 240, "sampled by score"]
    weighted = [
        *((name, by_class, was) for name, was in (("npv", "100"), ("precision", "50 to 83"), ("accuracy", "50 to 83"))),
        *(("recall", by_score, "90.2 to 92.4"), ("average_precision", by_score, "88 to 90")),
        ("average_precision", by_class, "88 to 90"),
    ]
    other = [
        *(("ks", normal(100, 100, 0.8), "86 to 90"), ("ks", normal(10, 90, 0.9), "70 to 81")),
        *(("max_youden_j", normal(100, 100, 0.8), "86 to 90"), ("auch", normal(10, 90, 0.9), "below 90")),
        *(("h_measure", normal(20, 180, 0.8), "below 90"), ("log_loss", heavy, "88.8")),
    ]
    few, groups = normal(10, 90, 0.8), Population("60 groups of 5", 100, 200, bells(0.8), groups=5)
    tests = [
        *(("mcc", few, "8.5"), ("f1", few, "7.1"), ("brier", normal(5, 95, 0.8), "8.5")),
        *(("log_loss", normal(5, 95, 0.8), "8.5"), ("precision", normal(50, 450, 0.98), "7.7")),
        *(("recall", groups, "8.2"), ("precision", by_name[60, 240, "importance"], "8.8")),
        *(("recall", normal(5, 95, 0.8), "0 to 0.7"), ("recall", few, "0 to 0.7")),
    ]
    even, high = normal(100, 100, 0.8), normal(100, 100, 0.95)
    six, twelve = by_name[120, 1200, "6 + 60 groups of 20"], by_name[240, 1200, "12 + 60 groups of 20"]
    uneven, near_one = by_name[300, 900, "groups of 1 to 40"], by_name[40, 100, "specificity 0.998"]
    missed = by_name[90, 210, "a missed subtype of 2 %"]
    extreme, heavy_too = by_name[90, 210, "too extreme"], by_name[20, 180, "t with 2 degrees"]
    lines = [
        *(extreme, heavy, heavy_too, missed, by_name[60, 240, "too sure"], by_name[60, 240, "too high"]),
        *(by_name[30, 300, "too timid and too low"], by_name[10, 140, "too sure, few"]),
    ]
    second = [
        *(("recall", six, "89.6"), ("auc", six, "90.1"), ("recall", twelve, "92.9"), ("auc", twelve, "92.7")),
        *(("f1", uneven, "91.7"), ("recall", uneven, "92.7")),
        *(("specificity", near_one, "84.7"), ("lr_plus", near_one, "90.0")),
        *(("log_loss", missed, "70.5"), ("brier", missed, "82.5")),
        *(("calibration_slope", p, "72 to 73" if p is extreme else "71.5" if p is heavy else "") for p in lines),
        *(("calibration_intercept", p, "72 to 73" if p is extreme else "") for p in lines),
    ]
    return [
        *(Design("AUC", p, interval("auc"), was) for p, was in auc),
        *(Design(name, p, interval(name), was) for name, p, was in (*weighted, *other, *second)),
        Design("precision at recall 0.8", normal(50, 450, 0.995), interval("precision_at_recall", recall=0.8), "41.8"),
        Design("ROC band at FPR 0.8", high, roc_point(0.8), "42", "band"),
        Design("simultaneous ROC band", even, whole_curve("roc"), "100 (width 0.43)", "band"),
        Design("simultaneous ROC band", high, whole_curve("roc"), "100", "band"),
        Design("simultaneous PR band", even, whole_curve("pr"), "none", "band"),
        Design("simultaneous PR band", high, whole_curve("pr"), "none", "band"),
        *(Design(f"test of {name}", p, test(name), was, "test") for name, p, was in tests),
        Design("p and interval disagree", normal(50, 50, 0.8), contradiction, "1.0", "test"),
        Design("leads by region", even, dominance, "92.7", "test"),
    ]


# ---------------------------------------------------------------------- running


def read() -> dict[str, list[float]]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def run(minutes: float) -> None:
    """Add samples to the designs that have fewest, for some minutes or until each has enough."""
    parallel.WORTH_THREADS = sys.maxsize
    end, found = time.monotonic() + 60 * minutes, read()
    whole = designs()
    while time.monotonic() < end:
        design = min(whole, key=lambda one: found.get(one.name, [0])[0])
        row = found.setdefault(design.name, [0, 0, 0, 0.0])
        if row[0] >= ENOUGH:
            break
        rng = np.random.default_rng([sum(design.name.encode()), int(row[0]), SEED])
        for i in range(20):
            held, noted, width = design.ask(design.population, rng, i)
            row[0], row[1], row[2] = row[0] + 1, row[1] + held, row[2] + noted
            row[3] = round(row[3] + (0 if math.isnan(width) else width), 4)
        RESULTS.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def table() -> list[str]:
    """Return the lines of a table in Markdown."""
    found, rows = read(), []
    for design in designs():
        made, held, noted, width = found.get(design.name, [0, 0, 0, 0.0])
        if made:
            wide = f"{width / made:.3f}" if width else ""
            rows.append(
                f"| {design.name} | {design.was} | {100 * held / made:.1f} | {wide} | {100 * noted / made:.0f} % "
                f"| {made:.0f} |"
            )
    return ["| design | found by the audit, % | now, % | width | noted | samples |", "|---|---|---|---|---|---|", *rows]


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(float(sys.argv[2]) if len(sys.argv) > 2 else 10)
    print(*table(), sep="\n")
