"""Berrar, section 6 and references 27-28: which ranking measures keep the order of two models under noise and skew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.core.table import Table
from cutline.studies import study_charts
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings, do_parts

MEASURES = (
    *("auc", "taks", "average_gain", "ks", "average_precision"),
    *("average_lift", "average_qrecall", "average_hit_rate", "partial_auc"),
)
FLIPPED = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)  # share of the labels that are wrong
PREVALENCES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
CASES = 1000
BETTER, WORSE = 1.5, 1.2  # distance of the class means; both classes are normal with variance 1
OVERLAP = 0.7  # correlation of the two models' noise: they score the same cases


def keeps_order(flipped: float, prevalence: float, samples: int, seed: int) -> dict[str, float]:
    """Return how often each measure puts the better model first; a tie counts half."""
    rng = np.random.default_rng([seed, round(1e6 * flipped), round(1e6 * prevalence)])
    won = dict.fromkeys(MEASURES, 0.0)
    for _ in range(samples):
        truth = np.arange(CASES) < round(prevalence * CASES)
        better, worse = _draw_scores(rng, truth)
        labels = truth ^ (rng.random(CASES) < flipped)
        pair = [cl.evaluate(labels, scores) for scores in (better, worse)]
        for name in MEASURES:
            first, second = (ev.value(name) for ev in pair)
            won[name] += 0.5 if first == second else float(first > second)
    return {name: count / samples for name, count in won.items()}


def _draw_scores(rng: np.random.Generator, truth: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    shared = rng.normal(size=len(truth))
    own = [np.sqrt(OVERLAP) * shared + np.sqrt(1 - OVERLAP) * rng.normal(size=len(truth)) for _ in range(2)]
    return own[0] + BETTER * truth, own[1] + WORSE * truth


def run(settings: StudySettings) -> StudyReport:
    """Label noise at balanced classes, then skew without noise, then both tables as lines."""
    samples = 100 if settings.quick else 2000
    noise_parts = [(flipped, 0.5, samples) for flipped in FLIPPED]
    skew_parts = [(0.0, prevalence, samples) for prevalence in PREVALENCES]
    results = do_parts(keeps_order, noise_parts + skew_parts, settings, "noise 1")
    noisy = dict(zip(FLIPPED, results, strict=False))
    skewed = dict(zip(PREVALENCES, results[len(FLIPPED) :], strict=True))
    error = 1.96 * 0.5 / np.sqrt(samples)
    sections = (
        _make_section("Under label noise", "wrong labels", noisy, "noise-labels", samples, error),
        _make_section("Under class skew", "prevalence", skewed, "noise-skew", samples, error),
    )
    answer = (
        _describe_population(),
        *_describe_groups(
            {("noise", at): row for at, row in noisy.items()} | {("skew", at): row for at, row in skewed.items()}
        ),
        _write_verdict(noisy, samples),
        _write_skew_verdict(skewed, samples),
    )
    return StudyReport(*STUDY.heading, answer, sections, settings.seed, settings.quick)


def _make_section(
    title: str, axis: str, results: dict[float, dict[str, float]], name: str, samples: int, error: float
) -> StudySection:
    rows = [(_find_title(measure), *(results[at][measure] for at in results)) for measure in MEASURES]
    groups = _group_measures(results)
    long = [
        {axis: at, "order kept": results[at][names[0]], "measure": _join_names(names)}
        for names in groups
        for at in results
    ]
    chart = study_charts.draw_lines(
        long,
        x=axis,
        y="order kept",
        series="measure",
        title=f"{title}: how often the better model comes first",
        subtitle=[
            f"{samples} samples of {CASES} cases; a coin gives 0.5; Monte Carlo error at most {error:.3f}",
        ],
        log_x=axis == "prevalence",
        ticks=list(results),
        legend_below=True,
    )
    text = (f"Share of {samples} samples in which the better of two models gets the better value; a tie counts half.",)
    columns = ("measure", *(f"{axis} {at:g}" for at in results))
    return StudySection(title, text, Table(columns, tuple(rows)), chart, name)


def _describe_population() -> str:
    return (
        f"Each sample has {CASES} cases. The scores of both classes are normal with variance 1; the means of the "
        f"classes are {BETTER:g} apart for the better model and {WORSE:g} for the other, and the two models' scores "
        f"have a correlation of {OVERLAP:g} within a class. Labels are flipped at random, with balanced classes; the "
        "classes are made unbalanced without flipped labels. A tie of the two models counts half."
    )


def _group_measures(results: Mapping[Any, dict[str, float]]) -> list[list[str]]:
    """Group the measures that have the same shares throughout."""
    rows: dict[tuple[float, ...], list[str]] = {}
    for name in MEASURES:
        rows.setdefault(tuple(row[name] for row in results.values()), []).append(name)
    return list(rows.values())


def _describe_groups(results: Mapping[Any, dict[str, float]]) -> Iterator[str]:
    """Describe which measures have the same shares throughout."""
    groups = [_join_names(group) for group in _group_measures(results) if len(group) > 1]
    if groups:
        yield (
            f"Equal in every column: {'; '.join(groups)}. For models that score the same cases, taKS and the average "
            "gain are linear in the AUC, so all three put models in one order; without tied scores the average hit "
            "rate is the average precision."
        )


def _join_names(names: list[str]) -> str:
    return " = ".join(_find_title(name) for name in names)


def _find_title(measure: str) -> str:
    return cl.MEASURES[measure].title


def _do_differ(share: float, other: float, samples: int) -> bool:
    """Whether two shares differ significantly, by a test that treats the samples as independent."""
    error = np.sqrt((share * (1 - share) + other * (1 - other)) / samples)
    return bool(abs(share - other) > 1.96 * error)


def _write_verdict(results: dict[float, dict[str, float]], samples: int) -> str:
    most = results[max(results)]
    ranked = sorted(most, key=lambda name: -most[name])
    ks, taks, auc = (most[name] for name in ("ks", "taks", "auc"))
    agrees = taks > ks and _do_differ(taks, ks, samples)
    says = "agrees" if agrees else "does not agree beyond the error of the simulation"
    return (
        f"With {100 * max(results):g} % wrong labels the order is kept most often by: {_find_title(ranked[0])} "
        f"({most[ranked[0]]:.3f}), and least often by: {_find_title(ranked[-1])} ({most[ranked[-1]]:.3f}). "
        f"The text calls KS sensitive to noise and taKS more robust: {ks:.3f} against {taks:.3f} here, which {says}. "
        f"It calls the AUC relatively robust: {auc:.3f}."
    )


def _write_skew_verdict(results: dict[float, dict[str, float]], samples: int) -> str:
    rare = results[min(results)]
    ranked = sorted(rare, key=lambda name: -rare[name])
    auc, precision = rare["auc"], rare["average_precision"]
    more = "more often than" if auc > precision else "less often than"
    which = more if _do_differ(auc, precision, samples) else "about as often as"
    return (
        f"With {100 * min(results):g} % positives the order is kept most often by: {_find_title(ranked[0])} "
        f"({rare[ranked[0]]:.3f}). The AUC keeps it {which} average precision does ({auc:.3f} and {precision:.3f}). "
        "The text calls the AUC relatively robust to imbalanced classes and recommends average precision for highly "
        "imbalanced ones; which of them keeps the order is only one side of that."
    )


STUDY = Study(
    name="noise",
    title="Which measures keep the order of two models under noise and skew?",
    source="Berrar, section 6 and Definition 30, after references 27 and 28",
    question="One of two models is better. Labels are flipped, or positives become rare: which measure still sees it?",
    run=run,
)
