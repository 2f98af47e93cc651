"""The numbers of the page: every measure with its interval, its formula and its source."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from cutline.comparison import Comparison
from cutline.core.table import Table, plain, shown
from cutline.evaluation import Evaluation
from cutline.inference.one.intervals import RESAMPLING
from cutline.measures import MEASURES, Family, Measure, Needs
from cutline.measures.kinds import MeanOfCases
from cutline.measures.references import sources
from cutline.results.estimate import Estimate

RESAMPLES = 2000
FEWEST = 200  # resamples, below which limits would be little more than noise
_PAIRED_AT_ONCE = 80_000_000  # resampled scores of all models in the tests of differences, which are fewer measures
_SCORES_AT_ONCE = 10_000_000  # resampled scores of all models, which take less than ten seconds


def resamples(evaluation: Evaluation, models: int = 1) -> int:
    """How many resamples give the intervals that no formula gives; 0 where the lists are too long to wait for them."""
    rounds = min(RESAMPLES, _SCORES_AT_ONCE // (models * max(len(evaluation.ranking), 1)))
    return rounds if rounds >= FEWEST else 0


def rows_of(
    evaluation: Evaluation, level: float, models: int = 1, summary: Table | None = None
) -> list[dict[str, Any]]:
    """The measures of an evaluation as its summary gives them, and more intervals; `summary` is a finished one."""
    table = list(evaluation.summary(level=level, intervals="formula") if summary is None else summary)
    rounds = resamples(evaluation, models)
    more = _more_intervals(evaluation, [row["measure"] for row in table if _is_open(row)], rounds, level)
    for row in table:
        found = more.get(row["measure"])
        if found is not None and found.has_interval:
            row |= {"low": found.low, "high": found.high, "method": found.method}
    return table


def _more_intervals(evaluation: Evaluation, names: list[str], rounds: int, level: float) -> dict[str, Estimate]:
    """Intervals where the summary has none: for one cut the page's own, else resampled when the list allows it."""
    wanted = [MEASURES[name] for name in names if MEASURES[name].fits(evaluation.ranking)]
    is_grouped = evaluation.groups is not None
    smooth = [m for m in wanted if not is_grouped and (m.needs is Needs.COUNTS or (_is_mean(m) and not rounds))]
    rest = [m for m in wanted if m not in smooth] if rounds else []
    # BCa reads far into the tails, where few resamples are, and leaves out each lot of cases besides.
    method = "auto" if rounds == RESAMPLES else "bootstrap"
    found = [
        *evaluation.estimates(smooth, level=level, method="influence"),
        *(evaluation.estimates(rest, level=level, method=method, resamples=rounds) if rest else ()),
    ]
    return {estimate.measure: estimate for estimate in found}


def _is_open(row: dict[str, Any]) -> bool:
    """Whether a measure lacks an interval, or has another than the page gives when the cut moves."""
    return row["low"] is None or (row["method"] in RESAMPLING and MEASURES[row["measure"]].needs is Needs.COUNTS)


def _is_mean(measure: Measure) -> bool:
    return isinstance(measure.kind, MeanOfCases)


def differences(comparison: Comparison, level: float) -> tuple[Table, str]:
    """The tests of the headlines, and in words what lists that are too long to be resampled changed about them."""
    scores = sum(len(evaluation.ranking) for evaluation in comparison.values())
    rounds = min(RESAMPLES, _PAIRED_AT_ONCE // max(scores, 1))
    if rounds >= FEWEST:
        few = f"The tests by bootstrap have {rounds} resamples." if rounds < RESAMPLES else ""
        return comparison.summary(level=level, resamples=rounds), few
    headlines = [m for m in MEASURES if m.headline]
    by_formula = [m for m in headlines if comparison.method(m) != "bootstrap"]
    left = (
        "Lists so long are not resampled here, so only tests by formula are shown: compare().test(measure) resamples."
    )
    return comparison.summary(by_formula, level=level), left


def by_question(rows: list[dict[str, Any]], *, live: bool) -> list[dict[str, Any]]:
    """The rows under the questions that they answer: those of one cut, which the page keeps alive, or the others."""
    groups = []
    for family in Family:
        own = [
            row | {"facts": facts(MEASURES[row["measure"]])}
            for row in rows
            if row["family"] == family.name.lower() and (MEASURES[row["measure"]].needs is Needs.COUNTS) == live
        ]
        if own:
            groups.append({"question": family.value, "rows": own})
    return groups


@cache
def facts(measure: Measure) -> dict[str, Any]:
    """What is known of a measure, for its row."""
    known = sources()
    better = {"higher": "higher is better", "lower": "lower is better", None: "neither is better"}[measure.better]
    low, high = (f"{bound:g}".replace("inf", "∞").replace("-", "\N{MINUS SIGN}") for bound in measure.range)
    return {
        "formula": mathml(measure.formula),
        "meaning": measure.meaning,
        "range": f"From {low} to {high}; {better}.",
        "undefined": measure.undefined_when,
        "aliases": ", ".join(measure.aliases),
        "sources": [known.get(key, key).replace("*", "") for key in measure.source],
    }


def mathml(latex: str) -> str:
    """A formula in the markup that browsers draw by themselves."""
    from latex2mathml.converter import convert

    return str(convert(latex))


def count_measures() -> list[dict[str, Any]]:
    """What the page has to know of the measures of one cut, beside how to compute them."""
    return [
        {
            "name": m.name,
            "title": m.title,
            "unit": m.unit,
            "better": m.better,
            "range": [plain(float(bound)) for bound in m.range],
            "undefined": m.undefined_when,
        }
        for m in MEASURES.search(needs=Needs.COUNTS)
    ]


# ---------------------------------------------------------------------- cards

CARDS = tuple(m.name for m in MEASURES if m.card and m.needs is not Needs.COUNTS)
CUT_CARDS = tuple(m.name for m in MEASURES if m.card and m.needs is Needs.COUNTS)


def cards(rows: list[dict[str, Any]], names: tuple[str, ...] = (*CARDS, *CUT_CARDS)) -> list[dict[str, Any]]:
    """The numbers that are shown first."""
    by_name = {row["measure"]: row for row in rows}
    found = [by_name[name] for name in names if name in by_name]
    return [
        row | {"scale": scale(row), "meaning": MEASURES[row["measure"]].meaning}
        for row in found
        if row["value"] is not None and not math.isnan(row["value"])
    ]


def scale(row: dict[str, Any]) -> str:
    """Where value, interval and chance stand on the range of the measure, in percent, for a small picture."""
    low, high = MEASURES[row["measure"]].range
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    places = {"value": row["value"], "low": row["low"], "high": row["high"], "chance": row["knowing nothing"]}
    return ";".join(
        f"--{name}:{100 * (number - low) / (high - low):.2f}"
        for name, number in places.items()
        if number is not None and math.isfinite(number)
    )


def interval(row: dict[str, Any]) -> str:
    """The limits in words; empty when there are none."""
    return "" if row["low"] is None else f"{shown(float(row['low']))} to {shown(float(row['high']))}"
