"""Sonnenburg's comparison slide: accuracy, auROC and auPRC of one model, from balanced classes to 1 : 10 000."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import cutline as cl
from cutline.core.table import Table
from cutline.studies import study_charts
from cutline.studies.study import Settings, Study, do_parts
from cutline.studies.study_report import Section, StudyReport

RATIOS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)  # negatives to one positive
DISTANCE = 2.0  # between the means of two normal classes of variance 1
POSITIVES = 100
THRESHOLD = DISTANCE / 2  # the best cut of balanced classes, kept while the classes become unbalanced


def expected(ratio: float) -> dict[str, float]:
    """The values of the population, by formula: the normal distributions have means 0 and `DISTANCE`."""
    from scipy.integrate import quad
    from scipy.stats import norm

    recall, fpr = norm.sf(THRESHOLD - DISTANCE), norm.sf(THRESHOLD)

    def precision(cut: float) -> float:
        found, alarms = norm.sf(cut - DISTANCE), ratio * norm.sf(cut)
        return float(found / (found + alarms))

    # The area under precision over recall: recall falls by the density of the positives when the cut rises.
    area = quad(lambda cut: precision(cut) * norm.pdf(cut - DISTANCE), -10, 10 + DISTANCE, limit=200)[0]
    return {
        "accuracy": float((recall + ratio * (1 - fpr)) / (1 + ratio)),
        "accuracy of flagging nobody": ratio / (1 + ratio),
        "balanced accuracy": float((recall + 1 - fpr) / 2),
        "auROC": float(norm.cdf(DISTANCE / np.sqrt(2))),
        "auPRC": float(area),
        "auPRC of the baseline": 1 / (1 + ratio),
    }


def simulated(ratio: int, samples: int, seed: int) -> dict[str, list[float]]:
    """The mean and the middle 95 % of each value over samples with `ratio` negatives for each positive."""
    rng = np.random.default_rng([seed, ratio])
    found: list[tuple[float, ...]] = []
    for _ in range(samples):
        scores = np.concatenate((rng.normal(DISTANCE, 1, POSITIVES), rng.normal(0, 1, POSITIVES * ratio)))
        ev = cl.evaluate(np.arange(len(scores)) < POSITIVES, scores, threshold=THRESHOLD)
        found.append((ev.accuracy, ev.balanced_accuracy, ev.auc, ev.average_precision))
    names = ("accuracy", "balanced accuracy", "auROC", "auPRC")
    values = np.array(found)
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    return {name: [float(values[:, i].mean()), float(low[i]), float(high[i])] for i, name in enumerate(names)}


def run(settings: Settings) -> StudyReport:
    """Each ratio by formula and by simulation."""
    samples = 20 if settings.quick else 200
    ratios = [ratio for ratio in RATIOS if not settings.quick or ratio <= 1000]
    parts = [(ratio, samples) for ratio in ratios]
    drawn = dict(zip(ratios, do_parts(simulated, parts, settings, "skew 1"), strict=True))
    rows = list(_rows(ratios, drawn))
    answer = _answer(ratios, drawn, samples)
    chart = study_charts.lines(
        [{"negatives for one positive": r, "value": v, "measure": n} for r in ratios for n, v in expected(r).items()],
        x="negatives for one positive",
        y="value",
        series="measure",
        title="Accuracy, auROC and auPRC of one model under class skew",
        subtitle=[f"Two normal classes, means {DISTANCE:g} apart, threshold {THRESHOLD:g}; by formula"],
        log_x=True,
        y_domain=(0, 1),
    )
    columns = ("negatives : positives", "measure", "formula", "simulated mean", "low", "high")
    sections = (
        Section("The slide, drawn", (), None, chart, "skew-slide"),
        Section(
            "By formula and by simulation",
            (f"{samples} samples of {POSITIVES} positives each.",),
            Table(columns, tuple(rows)),
            name="skew-values",
        ),
    )
    return StudyReport(*STUDY.heading, answer, sections, settings.seed, settings.quick)


def _answer(ratios: list[int], drawn: dict[int, dict[str, list[float]]], samples: int) -> tuple[str, ...]:
    first, last = expected(ratios[0]), expected(ratios[-1])
    ranking = (
        f"The model does not change, and neither does its auROC, {first['auROC']:.4f}: it is independent of the class "
        f"skew, as the slides say. Its auPRC falls from {first['auPRC']:.3f} to {last['auPRC']:.3f}."
    )
    accuracy = (
        f"Accuracy at the same threshold stays at {last['accuracy']:.3f}, while flagging nobody reaches "
        f"{last['accuracy of flagging nobody']:.4f} at 1 : {ratios[-1]:,}: on unbalanced data accuracy does not tell a "
        "model from none. Balanced accuracy does not move."
    )
    apart = {
        name: max(abs(drawn[ratio][name][0] - expected(ratio)[name]) for ratio in ratios) for name in drawn[ratios[0]]
    }
    widest = ", ".join(f"{name} {gap:.4f}" for name, gap in apart.items())
    agree = f"The largest distance between the formula and the mean of {samples} simulated samples: {widest}."
    return ranking, accuracy, agree


def _rows(ratios: list[int], drawn: dict[int, dict[str, list[float]]]) -> Iterator[tuple[Any, ...]]:
    for ratio in ratios:
        for name, formula in expected(ratio).items():
            yield (ratio, name, formula, *drawn[ratio].get(name, (None, None, None)))


STUDY = Study(
    name="skew",
    title="Accuracy, auROC and auPRC under class skew",
    source="Sonnenburg, slide COMPARISON",
    question="One model, evaluated on balanced classes and on ever rarer positives: which of its numbers move?",
    run=run,
)
