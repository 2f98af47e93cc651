"""Sonnenburg's comparison slide: accuracy, auROC and auPRC of one model, from balanced classes to 1 : 10 000."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import cutline as cl
from cutline.core.table import Table
from cutline.studies import study_charts
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings, do_parts

RATIOS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)  # negatives to one positive
DISTANCE = 2.0  # between the means of two normal classes of variance 1
POSITIVES = 100
THRESHOLD = DISTANCE / 2  # the best cut of balanced classes, kept while the classes become unbalanced


@cache
def compute_expected(ratio: float) -> dict[str, float]:
    """Return the values of the population, by formula: the normal distributions have means 0 and `DISTANCE`."""
    from scipy.integrate import quad
    from scipy.stats import norm

    recall, fpr = norm.sf(THRESHOLD - DISTANCE), norm.sf(THRESHOLD)

    def compute_precision(cut: float) -> float:
        hits, alarms = norm.sf(cut - DISTANCE), ratio * norm.sf(cut)
        return float(hits / (hits + alarms))

    # The area under precision over recall: recall falls by the density of the positives when the cut rises.
    area = quad(lambda cut: compute_precision(cut) * norm.pdf(cut - DISTANCE), -10, 10 + DISTANCE, limit=200)[0]
    return {
        "accuracy": float((recall + ratio * (1 - fpr)) / (1 + ratio)),
        "accuracy of flagging nobody": ratio / (1 + ratio),
        "balanced accuracy": float((recall + 1 - fpr) / 2),
        "auROC": float(norm.cdf(DISTANCE / np.sqrt(2))),
        "auPRC": float(area),
        "auPRC of the baseline": 1 / (1 + ratio),
    }


@cache
def compute_expected_of_sample(ratio: int) -> float:
    """Return the mean auPRC of samples with `POSITIVES` positives, which exceeds the auPRC of the population.

    The precision at a positive of score s is (1 + A) / (1 + A + B), with A of the other positives and B of the
    negatives above it, both binomial. As 1 / (1 + A + B) is the integral of t^(A + B) from 0 to 1, the mean is a
    double integral over s and t.
    """
    from scipy.stats import norm

    score, weight = np.polynomial.legendre.leggauss(200)
    score, weight = DISTANCE + 8 * score, 8 * weight * norm.pdf(8 * score)
    above, alarms = norm.sf(score - DISTANCE)[:, None], norm.sf(score)[:, None]
    log_u = np.linspace(-35, 0, 2001)  # u = 1 - t, in logarithms, as all happens near t = 1
    u = np.exp(log_u)
    others = POSITIVES - 1
    left = 1 - above * u
    chance = left**others + others * above * (1 - u) * left ** (others - 1)
    inner = np.trapezoid(chance * np.exp(POSITIVES * ratio * np.log1p(-alarms * u)) * u, log_u, axis=1)
    return float(weight @ inner)


def simulate(ratio: int, samples: int, seed: int) -> dict[str, list[float]]:
    """Return the mean of each value over samples with `ratio` negatives for each positive, its error, and the middle 95
    %.
    """
    rng = np.random.default_rng([seed, ratio])
    samples_of_values: list[tuple[float, ...]] = []
    for _ in range(samples):
        scores = np.concatenate((rng.normal(DISTANCE, 1, POSITIVES), rng.normal(0, 1, POSITIVES * ratio)))
        ev = cl.evaluate(np.arange(len(scores)) < POSITIVES, scores, threshold=THRESHOLD)
        samples_of_values.append((ev.accuracy, ev.balanced_accuracy, ev.auc, ev.average_precision))
    names = ("accuracy", "balanced accuracy", "auROC", "auPRC")
    values = np.array(samples_of_values)
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    error = values.std(axis=0, ddof=1) / np.sqrt(samples)
    table = np.stack((values.mean(axis=0), error, low, high), axis=1)
    return {name: row.tolist() for name, row in zip(names, table, strict=True)}


def run(settings: StudySettings) -> StudyReport:
    """Compute each ratio by formula and by simulation."""
    samples = 20 if settings.quick else 200
    ratios = [ratio for ratio in RATIOS if not settings.quick or ratio <= 1000]
    parts = [(ratio, samples) for ratio in ratios]
    simulations = dict(zip(ratios, do_parts(simulate, parts, settings, "skew 2"), strict=True))
    rows = list(_make_rows(ratios, simulations))
    answer = _answer(ratios, simulations, samples)
    chart = study_charts.draw_lines(
        [
            {"negatives for one positive": r, "value": v, "measure": n}
            for r in ratios
            for n, v in compute_expected(r).items()
        ],
        x="negatives for one positive",
        y="value",
        series="measure",
        title="Accuracy, auROC and auPRC of one model under class skew",
        subtitle=[f"Two normal classes, means {DISTANCE:g} apart, threshold {THRESHOLD:g}; by formula"],
        log_x=True,
        ticks=ratios,
        y_domain=(0, 1),
    )
    columns = ("negatives : positives", "measure", "formula", "simulated mean", "its standard error", "2.5 %", "97.5 %")
    read = (
        f"By formula the values of the population, and for the auPRC also the mean of samples of {POSITIVES} "
        f"positives. Simulated are {samples} samples of {POSITIVES} positives each; 2.5 % and 97.5 % are quantiles of "
        "the samples."
    )
    sections = (
        StudySection("The slide, drawn", (), None, chart, "skew-slide"),
        StudySection("By formula and by simulation", (read,), Table(columns, tuple(rows)), name="skew-values"),
    )
    return StudyReport(*STUDY.heading, answer, sections, settings.seed, settings.quick)


def _answer(ratios: list[int], simulations: dict[int, dict[str, list[float]]], samples: int) -> tuple[str, ...]:
    first, last = compute_expected(ratios[0]), compute_expected(ratios[-1])
    population = (
        f"The scores of the positives are normal with mean {DISTANCE:g}, those of the negatives normal with mean 0, "
        f"both with variance 1; the threshold is {THRESHOLD:g}, the best one for balanced classes."
    )
    moves = {name: abs(last[name] - first[name]) for name in ("accuracy", "balanced accuracy", "auROC", "auPRC")}
    still = [f"{name} ({first[name]:.4f})" for name, move in moves.items() if move < 1e-6]
    moved = [f"{name} (from {first[name]:.3f} to {last[name]:.3f})" for name in moves if moves[name] >= 1e-6]
    ranking = (
        f"From 1 : {ratios[0]} to 1 : {ratios[-1]:,} the model stays what it is. By formula these of its numbers stay "
        f"too: {', '.join(still) or 'none'}. These move: {', '.join(moved) or 'none'}. The slides call the auROC "
        "independent of the class skew and the auPRC dependent on it."
    )
    nobody = last["accuracy of flagging nobody"]
    preferred = "flagging nobody is preferred" if nobody > last["accuracy"] else "the model is preferred"
    accuracy = (
        f"Accuracy at this threshold is {last['accuracy']:.4f} at 1 : {ratios[-1]:,}, and that of flagging nobody "
        f"{nobody:.4f}: by accuracy alone {preferred}."
    )
    return (
        population,
        ranking,
        accuracy,
        _explain_bias(ratios[-1], simulations),
        _describe_agreement(ratios, simulations, samples),
    )


def _explain_bias(ratio: int, simulations: dict[int, dict[str, list[float]]]) -> str:
    """Explain why the simulated auPRC differs from the population's."""
    whole, sample, mean = (
        compute_expected(ratio)["auPRC"],
        compute_expected_of_sample(ratio),
        simulations[ratio]["auPRC"][0],
    )
    return (
        f"At 1 : {ratio:,} the simulated auPRC has the mean {mean:.4f}, while the population has {whole:.4f}. Samples "
        f"are biased: with {POSITIVES} positives the formula expects {sample:.4f}, {100 * (sample / whole - 1):.0f} % "
        "more than in the population, because every positive counts itself when the precision at its place is taken. "
        f"At 1 : 1 the bias is {100 * (compute_expected_of_sample(1) / compute_expected(1)['auPRC'] - 1):.1f} %."
    )


def _describe_agreement(ratios: list[int], simulations: dict[int, dict[str, list[float]]], samples: int) -> str:
    """Return how far the simulated means are from what the formulas expect of such samples, in standard errors."""
    from scipy.stats import t as student

    gaps = {
        (name, ratio): abs(
            mean - (compute_expected_of_sample(ratio) if name == "auPRC" else compute_expected(ratio)[name])
        )
        / error
        for ratio in ratios
        for name, (mean, error, *_) in simulations[ratio].items()
    }
    limit = float(student.ppf(0.975, samples - 1))
    near = sum(gap <= limit for gap in gaps.values())
    (name, ratio), worst = max(gaps.items(), key=lambda item: item[1])
    return (
        f"Of {len(gaps)} means of {samples} simulated samples {near} lie within {limit:.2f} standard errors of what "
        f"the formulas expect of such samples (about {0.95 * len(gaps):.0f} should); the furthest is {name} at 1 : "
        f"{ratio:,}, {worst:.1f} standard errors away."
    )


def _make_rows(ratios: list[int], simulations: dict[int, dict[str, list[float]]]) -> Iterator[tuple[Any, ...]]:
    none = (None,) * 4
    for ratio in ratios:
        for name, formula in compute_expected(ratio).items():
            is_biased = name == "auPRC"
            yield (ratio, name, formula, *(none if is_biased else simulations[ratio].get(name, none)))
            if is_biased:
                yield (
                    ratio,
                    f"auPRC, samples of {POSITIVES} positives",
                    compute_expected_of_sample(ratio),
                    *simulations[ratio][name],
                )


STUDY = Study(
    name="skew",
    title="Accuracy, auROC and auPRC under class skew",
    source="Sonnenburg, slide COMPARISON",
    question="One model, evaluated on balanced classes and on ever rarer positives: which of its numbers move?",
    run=run,
)
