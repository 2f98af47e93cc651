"""What each rule of the intervals buys: the same samples with the rule and without it.

    python benchmarks/ablation.py [NAME ...] [--half validation] [--minutes 5]   # all rules, or those named
    python benchmarks/ablation.py --table                                        # prints the table of the docs

A rule is switched off by giving its number, or the function that applies it, a value that makes it do nothing. Both
intervals come from the same samples of the populations (`populations.py`) in which the rule can fire, so that few
samples tell them apart. Decisions are made by the development half; the validation half judges them once. A cell is a
measure in a population; it is worse without the rule if its coverage falls by a point or more, to less than 95 %.

A warning is no limit: it is worth its place if the intervals that carry it miss at least twice as often as others.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from audit_designs import whole_curve
from populations import Population, bells, development, threshold_of, validation

import cutline as cl
from cutline.core import parallel
from cutline.inference import methods
from cutline.inference.quantities import Quantity
from cutline.inference.single import auc
from cutline.results.notes import find_warning

RESULTS = Path(__file__).with_name("ablation.json")
LEVEL, RESAMPLES, SHARE = 0.95, 150, 0.1
ENOUGH = 60  # samples of a population
HALVES: Mapping[str, Callable[[], list[Population]]] = {"development": development, "validation": validation}
EMPTY = {"made": 0, "fired": 0, "on": 0, "off": 0, "fired_on": 0, "fired_off": 0, "width_on": 0.0, "width_off": 0.0}

CONSTANTS = "cutline.inference.constants."
SINGLE = "cutline.inference.single."
QUOTAS = ("hit_rate", "qrecall", "enrichment")
SMOOTH = ("average_precision", "partial_auc", "eer", "average_lift", "discrimination_slope", "brier")
LOSSES = ("log_loss", "balanced_cross_entropy", "focal_loss", "hinge_loss")
SHARES = ("recall", "specificity", "precision", "npv", "accuracy", "f1")
BEST = ("ks", "min_expected_cost")
PEAKS = ("h_measure", "dsc")
ERRORS = ("ece", "debiased_ece", "ici", "eci")
AREAS = ("average_precision", "aucpr_davis_goadrich", "aucpr_min", "aucpr_max", "mean_average_precision")


def anywhere(population: Population) -> bool:  # noqa: ARG001
    """Whether a rule can fire in a population: in any."""
    return True


def is_weighted(population: Population) -> bool:
    """Whether the cases of a population have weights that are not counts."""
    return population.weights not in ("none", "counts")


def is_plain(population: Population) -> bool:
    """Whether the cases of a population are drawn one by one, with equal weights."""
    return population.weights == "none" and population.groups == 1 and population.n < 5000


def has_design(population: Population) -> bool:
    """Whether the cases of a population come in groups or with weights."""
    return population.groups > 1 or is_weighted(population)


@dataclass(frozen=True)
class Rule:
    """A rule, the measures that it is for, and what switches it off.

    `off` maps names in modules to what they are without the rule; `warning` is the id of a warning that has no effect
    on limits; `more` are populations of no half, in which alone it can fire.
    """

    about: str
    measures: tuple[str, ...]
    off: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""
    where: Callable[[Population], bool] = is_plain
    method: str = "auto"
    more: tuple[Population, ...] = ()
    band: str = ""


def without_row(quantity: Quantity) -> dict[str, Any]:
    """Return the table of methods in which a kind of quantity has those of any smooth measure."""
    return {"cutline.inference.methods.DEFAULTS": {**methods.DEFAULTS, quantity: methods.DEFAULTS[Quantity.SMOOTH]}}


def nothing(*_: Any, **__: Any) -> None:
    """Return nothing, as a function of a rule that does not apply."""


FEW_OF_A_CLASS = tuple(
    Population(f"{few} + {10 * few} groups of 20", 20 * few, 200 * few, bells(0.8), groups=20, one_label=True)
    for few in (3, 4)
)
MANY = (Population("normal 0.85", 11_000, 11_000, bells(0.85)),)

RULES: dict[str, Rule] = {
    "two-areas": Rule(
        "FEW: with fewer degrees of freedom an AUC has the wider of DeLong's and Newcombe's limits",
        ("auc",),
        {SINGLE + "auc.is_decided_by_few": lambda area, variance, _: np.logical_not(auc.has_variance(area, variance))},
    ),
    "fewest-free": Rule(
        "FEWEST_FREE: the degrees of freedom that DeLong's variance has at least",
        ("auc",),
        {CONSTANTS + "FEWEST_FREE": 1.0},
    ),
    "poisson-up-to": Rule(
        "POISSON_UP_TO: Poisson's limits only for up to a fifth of the cases",
        SHARES,
        {CONSTANTS + "POISSON_UP_TO": math.inf},
    ),
    "few-at-quota": Rule(
        "FEW_DECISIONS: a quota with fewer than 5 decisions of a kind has MOVER's limits, not percentiles",
        QUOTAS,
        {SINGLE + "one_cut.has_few_at_quota": nothing},
    ),
    "near-the-positives": Rule(
        "NEAR_THE_POSITIVES: not so where the quota is about as long as the positives are many",
        QUOTAS,
        {CONSTANTS + "NEAR_THE_POSITIVES": 1.0},
    ),
    "few-at-the-top": Rule(
        "FEW_DECISIONS: measures of the top of the list have Wilson's limits where hardly any case errs there",
        ("rie", "bedroc"),
        {CONSTANTS + "FEW_DECISIONS": -math.inf},
    ),
    "open-ends": Rule(
        "an area between straight lines is widened by what rarer scores may add",
        ("aucpr_min", "aucpr_minmax", "aucpr_max"),
        without_row(Quantity.OPEN_ENDS),
    ),
    "at-an-end": Rule(
        "a value at an end of its range has at least Wilson's limit",
        (*SMOOTH, *QUOTAS),
        {SINGLE + "bootstrap.find_limits_at_end": nothing},
    ),
    "separated": Rule(
        "classes without an error have limits by Wilson's for the errors of both",
        (*SMOOTH, *BEST),
        {
            SINGLE + "bootstrap.find_separated_limits": nothing,
            SINGLE + "smoothed_bootstrap.find_separated_limits": nothing,
        },
    ),
    "part-of-a-case": Rule(
        "PART_OF_A_CASE: how near to an end of its range a resampled value is taken to come; here a fifth of it",
        SMOOTH,
        {CONSTANTS + "PART_OF_A_CASE": 0.05},
    ),
    "part-of-the-value": Rule(
        "PART_OF_THE_VALUE: the same for a range with one end; here a fifth of it",
        LOSSES,
        {CONSTANTS + "PART_OF_THE_VALUE": 0.02},
    ),
    "satterthwaite": Rule(
        "Student's quantile with Satterthwaite's degrees of freedom",
        (*SMOOTH, *LOSSES),
        {SINGLE + "bootstrap.ResampledValues.freedom": math.inf},
    ),
    "part-of-the-curve": Rule(
        "an area over a part of the curve has as many degrees of freedom as that part has cases",
        ("partial_auc", "partial_auc_above_recall"),
        {SINGLE + "bootstrap._count_cases_in_stretch": lambda _: math.inf},
    ),
    "plenty": Rule(
        "PLENTY: from 10,000 cases of each class on the influence function takes the place of resamples",
        ("average_precision", "brier", "log_loss", "partial_auc", "qrecall", "ks"),
        {CONSTANTS + "PLENTY": math.inf},
        where=lambda _: False,
        more=MANY,
    ),
    "unseen-bias": Rule(
        "UNSEEN_BIAS: the bias that resamples show of the best over all cuts is taken off twice",
        ("ks", "min_expected_cost", "auch"),
        {CONSTANTS + "UNSEEN_BIAS": 1},
        where=has_design,
    ),
    "uncertain-bias": Rule(
        "UNCERTAIN_BIAS: half of the bias of the best over all cuts is taken for uncertain",
        BEST,
        {CONSTANTS + "UNCERTAIN_BIAS": 0.0},
    ),
    "inside": Rule(
        "INSIDE: how near to the end of its range a corrected value may come",
        BEST,
        {CONSTANTS + "INSIDE": 1e-9},
    ),
    "far-from-no-skill": Rule(
        "FAR_FROM_NO_SKILL: no test of a score without skill where the value is far from it",
        BEST,
        {CONSTANTS + "FAR_FROM_NO_SKILL": math.inf},
    ),
    "no-skill": Rule(
        "the best over all cuts may be that of a score without skill",
        BEST,
        {SINGLE + "smoothed_bootstrap._may_have_no_skill": lambda *_: False},
    ),
    "peaks": Rule(
        "SMOOTHING_OF_PEAKS: a narrower kernel for measures that a peak of positives decides",
        PEAKS,
        {CONSTANTS + "SMOOTHING_OF_PEAKS": 0.9},
        where=lambda p: is_plain(p) and p.n <= 500,
    ),
    "tied": Rule(
        "TIED: a large tie may put the cut that is meant further along the curve",
        ("precision_at_recall",),
        {CONSTANTS + "TIED": math.inf},
        where=lambda p: is_plain(p) and (p.grid > 0.1 or "one score" in p.name),
    ),
    "grows": Rule(
        "GROWS: populations are simulated as far as a calibration error grows",
        ERRORS,
        {CONSTANTS + "GROWS": -math.inf},
        where=lambda p: is_plain(p) and p.n <= 500,
    ),
    "band-smoothing": Rule(
        "BAND_SMOOTHING: bands have a third of Silverman's bandwidth",
        ("roc", "pr"),
        {CONSTANTS + "BAND_SMOOTHING": 0.9},
        where=lambda p: is_plain(p) and p.n <= 500,
        band="both",
    ),
    "band-least": Rule(
        "BAND_LEAST: bands reach at least so far beyond a curve that hardly varies",
        ("roc", "pr"),
        {CONSTANTS + "BAND_LEAST": 0.0},
        where=lambda p: is_plain(p) and p.n <= 500,
        band="both",
    ),
    "near-an-end": Rule(
        "NEAR_AN_END: a value of the order so near to an end of its range, with few cases",
        SMOOTH,
        warning="near-an-end",
    ),
    "few-weigh": Rule(
        "HANDFUL: a mean of probabilities that a few cases decide",
        ("discrimination_slope", "information_score", "relative_information_score", "brier_skill", "mcfadden_r2"),
        warning="few-weigh",
    ),
    "rare-scores": Rule(
        "OPEN_END: an area that rarer scores may change by much of its interval",
        ("aucpr_min", "aucpr_minmax", "aucpr_max"),
        warning="open-ends",
    ),
    "weights-and-scores": Rule(
        "WEIGHTS_TREND, WEIGHTS_SPREAD, SCORES_FOR_A_TREND: weights that rise or fall with the scores",
        ("auc", "gini", "ks", "max_youden_j", "partial_auc", "specificity_at_recall", "recall_at_precision"),
        warning="weights-go-with-scores",
        where=is_weighted,
    ),
    "weights-and-class": Rule(
        "CLASS_WEIGHTS: a case of one class stands for many of the other",
        (*AREAS, "ece"),
        warning="weights-go-with-class",
        where=is_weighted,
    ),
    "few-groups": Rule(
        "FEW_GROUPS: few groups hold a case of one class",
        (*SHARES, "mcc"),
        warning="few-groups",
        where=lambda p: p.one_label,
        more=FEW_OF_A_CLASS,
    ),
    "few-surprises": Rule(
        "SURPRISES: a calibrated model leaves hardly any surprises to be expected",
        ERRORS,
        warning="few-surprises",
        where=lambda p: is_plain(p) and p.n <= 500,
    ),
    "assumes-the-line": Rule(
        "SANDWICH_LARGER: the likelihood, asked for by name, has a smaller standard error than the sandwich",
        ("calibration_slope", "joint_calibration_intercept"),
        warning="assumes-the-line",
        method="likelihood",
    ),
    "skewed-bca": Rule(
        "SKEWED: BCa, asked for by name, of a skewed measure", SMOOTH, warning="few-weigh", method="bca"
    ),
}


def owner_of(name: str) -> tuple[Any, str]:
    """Return the module, or the class in one, that has an attribute of this dotted name, and the attribute."""
    path, _, attribute = name.rpartition(".")
    try:
        return importlib.import_module(path), attribute
    except ModuleNotFoundError:
        module, _, cls = path.rpartition(".")
        return getattr(importlib.import_module(module), cls), attribute


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """Do without a rule for a while."""
    before = []
    for name, value in rule.off.items():
        owner, attribute = owner_of(name)
        before.append((owner, attribute, vars(owner)[attribute]))
        setattr(owner, attribute, value)
    try:
        yield
    finally:
        for owner, attribute, value in before:
            setattr(owner, attribute, value)


cut_of = cache(threshold_of)


@cache
def truth_of(population: Population, names: tuple[str, ...], threshold: float) -> dict[str, float]:
    """Return the true value of each measure."""
    truths = {}
    for name in names:
        measure = cl.MEASURES[name]
        given = (
            {"threshold": threshold} if measure.needs.name == "COUNTS" else {"share": SHARE} if name in QUOTAS else {}
        )
        for whole in (True, False) if name == "debiased_ece" else (False, True):
            try:
                data, rest = measure.prepare(population.ranking(whole=whole), given)
                truths[name] = float(measure.compute(data, **rest))
            except cl.CutlineError:
                truths[name] = math.nan
            if not math.isnan(truths[name]):
                break
    return truths


def estimates(rule: Rule, case: dict[str, Any], threshold: float, seed: int) -> dict[str, cl.Estimate]:
    """Return the estimate of each measure of a rule on a sample."""
    ev = cl.evaluate(**case, threshold=threshold)
    measures = [cl.MEASURES[name] for name in rule.measures]
    measures = [measure for measure in measures if measure.fits(ev.ranking)]
    total = float(ev.ranking.total)
    quota = max(1, round(SHARE * total)) if ev.ranking.integral else max(1.0, SHARE * total)
    bound = [m.with_(quota=quota) if m.name in QUOTAS else m for m in measures]
    made = ev.estimates(bound, LEVEL, resamples=RESAMPLES, seed=seed, method=rule.method)
    return {measure.name: estimate for measure, estimate in zip(measures, made, strict=True)}


def compare(rule: Rule, population: Population, number: int) -> dict[str, tuple[bool, bool, bool, float, float]]:
    """Return, for each measure of one sample, whether the rule fired, and both intervals: what held, how wide."""
    seed = [population.positives, population.negatives, sum(population.name.encode()), number]
    if rule.band:
        return _compare_bands(rule, population, seed, number)
    threshold = cut_of(population)
    truth = truth_of(population, rule.measures, threshold)
    case = population.sample(np.random.default_rng(seed))
    on = estimates(rule, case, threshold, number)
    off = on
    if rule.off:
        with switched_off(rule):
            off = estimates(rule, case, threshold, number)
    found = {}
    for name, with_rule in on.items():
        without = off[name]
        if math.isnan(truth[name]) or not with_rule.has_interval or not without.has_interval:
            continue
        limits = [(estimate.low, estimate.high) for estimate in (with_rule, without)]
        held = [low - 1e-9 <= truth[name] <= high + 1e-9 for low, high in limits]
        warning = find_warning(with_rule.notes)
        fired = warning is not None and warning.id == rule.warning if rule.warning else limits[0] != limits[1]
        found[name] = (fired, *held, *(high - low for low, high in limits))
    return found


def _compare_bands(rule: Rule, population: Population, seed: list[int], number: int) -> dict[str, Any]:
    found = {}
    for kind in rule.measures:
        one = whole_curve(kind)
        on = one(population, np.random.default_rng(seed), number)
        with switched_off(rule):
            off = one(population, np.random.default_rng(seed), number)
        found[kind] = (on[2] != off[2], bool(on[0]), bool(off[0]), on[2], off[2])
    return found


def run(name: str, half: str, minutes: float, samples: int = ENOUGH) -> dict[str, Any]:
    """Return what a rule does in one half of the populations: figures of every cell, pooled.

    Args:
        name: The rule.
        half: The half.
        minutes: The time to spend at most.
        samples: How many samples of each population at most.
    """
    rule = RULES[name]
    cells: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: dict(EMPTY))
    places = [p for p in (*HALVES[half](), *rule.more) if p in rule.more or rule.where(p)]
    end = time.monotonic() + 60 * minutes
    for number in range(samples):
        if time.monotonic() > end:
            break
        for place in places:
            for measure, (fired, on, off, wide_on, wide_off) in compare(rule, place, number).items():
                cell = cells[f"{place.positives} + {place.negatives}, {place.name}", measure]
                parts = (1, fired, on, off, fired and on, fired and off, wide_on, wide_off)
                for key, part in zip(EMPTY, parts, strict=True):
                    cell[key] += part if math.isfinite(part) else 0
    return summary(cells)


def summary(cells: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, Any]:
    """Return the figures of a rule from those of its cells: shares in percent."""
    total = {key: sum(cell[key] for cell in cells.values()) for key in EMPTY}
    some = [cell for cell in cells.values() if cell["fired"]]
    ratios = [cell["width_on"] / cell["width_off"] for cell in some if cell["width_off"] > 0]
    others = total["made"] - total["fired"]

    def changes(cell: Mapping[str, float]) -> tuple[float, float]:
        return cell["off"] / cell["made"], cell["on"] / cell["made"]

    return {
        "intervals": int(total["made"]),
        "fired": int(total["fired"]),
        "held_with": round(100 * total["fired_on"] / max(total["fired"], 1), 1),
        "held_without": round(100 * total["fired_off"] / max(total["fired"], 1), 1),
        "others_held": round(100 * (total["on"] - total["fired_on"]) / max(others, 1), 1),
        "width": round(float(np.median(ratios)), 3) if ratios else 1.0,
        "cells": len(cells),
        "worse": sum(without < 0.95 and with_rule - without >= 0.01 for without, with_rule in map(changes, some)),
        "better": sum(with_rule < 0.95 and without - with_rule >= 0.01 for without, with_rule in map(changes, some)),
    }


def read() -> dict[str, dict[str, Any]]:
    """Return the results by rule and half."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def table() -> list[str]:
    """Return the lines of a table in Markdown: a row for each rule that stayed."""
    rows = []
    for name, halves in read().items():
        for half, row in halves.items():
            rule = RULES[name]
            share = 100 * row["fired"] / max(row["intervals"], 1)
            without = row["others_held"] if rule.warning else row["held_without"]
            effect = "" if rule.warning else f"{row['width']:.2f} | {row['worse']} / {row['better']}"
            rows.append(
                f"| {name} | {rule.about} | {half} | {row['intervals']:,} | {share:.1f} | {row['held_with']:.1f} "
                f"| {without:.1f} | {effect or ' | '} |"
            )
    head = (
        "| rule | what it does | half | intervals | fired, % | held with it | without | width | cells worse / better |"
    )
    return [head, "|---" * 9 + "|", *rows]


def main() -> None:
    """Run the rules that are named, or all, and add what they do to the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--half", choices=list(HALVES), default="development")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--samples", type=int, default=ENOUGH)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        print("\n".join(table()))
        return
    parallel.WORTH_THREADS = sys.maxsize
    for name in given.names or RULES:
        row = run(name, given.half, given.minutes, given.samples)
        results = read()
        results.setdefault(name, {})[given.half] = row
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        print(name, row, flush=True)


if __name__ == "__main__":
    main()
