"""evaluate(quota=, quota_by=): a quota in each period, such as 20 passengers before each flight.

Each period has its own list, whose first places are filled. The periods are the independent units: intervals follow
from how they vary (Arbel and Rokach, section 1, have the example; the variance is that of the ratio estimator).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import add_commas, divide, format_number
from cutline.core.errors import Argument, InputError, ParameterError, Text, make_unknown_name_error, shorten_repr
from cutline.core.messages import join_with_and
from cutline.core.public import public
from cutline.core.table import Table, format_p, to_json_value
from cutline.core.validation import (
    LEVEL,
    check_choice,
    check_level,
    check_number,
    clean_model_name,
    format_count,
    is_among,
)
from cutline.evaluation import Evaluation
from cutline.inference.caveats import BELOW, make_estimate
from cutline.inference.simultaneous import compute_student_p, holm
from cutline.inference.survey import (
    ClusterRatio,
    compute_standard_error,
    estimate_cluster_ratio,
    student_limits,
    wilson_limits,
)
from cutline.inputs import column_source
from cutline.inputs.in_memory import rank_cases
from cutline.inputs.rank import select_complete_cases
from cutline.results.base import Summarized, Tabulated
from cutline.results.estimate import Estimate, Limits
from cutline.results.notes import Note

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from cutline.charts import Picture

METHODS = ("auto", "student", "wilson")
FEW_HITS = 10  # hits, or misses, below which Student's interval covers too rarely (benchmarks/quota_periods.py)
_EXACT = 1e-9  # a standard error that only rounding makes


class _Measure(NamedTuple):
    title: str
    range: tuple[float, float]


MEASURES = {
    "hit_rate": _Measure("Hit rate, pooled", (0.0, 1.0)),
    "qrecall": _Measure("Qrecall, pooled", (0.0, 1.0)),
    "mean_hit_rate": _Measure("Hit rate, mean of the periods", (0.0, 1.0)),
    "mean_qrecall": _Measure("Qrecall, mean of the periods", (0.0, 1.0)),
    "mean_pem": _Measure("PEM, mean of the periods", (-1.0, 1.0)),
}
CURVES = ("hit_rate", "qrecall")


def evaluate_periods(
    labels: Any,
    scores: Any,
    weights: Any,
    period: Any,
    *,
    data: Any,
    options: Mapping[str, Any],
    quota: Any = None,
    share: Any = None,
    name: str | None = None,
) -> QuotaPeriods:
    """Evaluate a quota in each period; `period` holds the period of each case, or with `data` names its column.

    Args:
        labels: As in `evaluate`.
        scores: As in `evaluate`.
        weights: As in `evaluate`; whole numbers alone, since a quota counts places.
        period: The periods, or the name of their column.
        data: As in `evaluate`.
        options: The options of `evaluate` that say how the columns are read.
        quota: The places of each period: one number, or a number by period.
        share: The places of each period as a share of its cases.
        name: What to call the model.
    """
    if (quota is None) == (share is None):
        raise ParameterError(
            Text(Argument("quota_by"), " needs the size of the quota"),
            Text("pass ", Argument("quota"), " or ", Argument("share")),
        )
    title = "period"
    if data is not None:
        if not isinstance(period, str):
            raise ParameterError(
                f"is {shorten_repr(period)}",
                Text("with ", Argument("data"), ", pass the name of a column"),
                argument="quota_by",
            )
        title = period
        columns = column_source.request_columns(labels, scores, weights, positive=options.get("positive"))
        source = column_source.open_source(data, memory=options.get("memory"))
        with column_source.read_rows(
            source, {**columns, "quota_by": column_source.Request("groups", period)}, any_order=True
        ) as rows:
            return _evaluate_rows({"weights": None, **rows}, options, title, quota, share, name)
    rows = {"labels": labels, "scores": scores, "weights": weights, "quota_by": period}
    validation.check_one_order({"labels": labels, "quota_by": period})
    return _evaluate_rows(rows, options, title, quota, share, name)


def _evaluate_rows(
    rows: Mapping[str, Any], options: Mapping[str, Any], by: str, quota: Any, share: Any, name: str | None
) -> QuotaPeriods:
    period = validation.as_column(rows["quota_by"], "quota_by")
    validation.check_simple(period, "quota_by")
    columns = {key: rows[key] for key in ("labels", "scores", "weights")}
    labels = validation.as_column(columns["labels"], "labels")
    validation.check_length(period, len(labels), "quota_by")
    absent, dropped = validation.find_missing(period), 0
    if absent is not None and absent.any():
        if options.get("missing") != "drop":
            raise validation.make_missing_error("quota_by", absent, None)
        dropped = int(absent.sum())
        period = period[~absent]
        columns = {
            key: None if values is None else validation.as_column(values, key)[~absent]
            for key, values in columns.items()
        }
    reading = {key: options[key] for key in ("positive", "missing", "weights_are") if key in options}
    cases = select_complete_cases(**columns, **reading)
    period = period[cases.position]
    values, code = np.unique(period.astype(str) if period.dtype.kind == "O" else period, return_inverse=True)
    turned = cases.scores if options.get("higher_is_positive", True) else -cases.scores
    order = np.lexsort((-turned.astype(float), code))
    times = _count_repeats(cases.weights, order)
    listed = np.repeat(order, times)
    return QuotaPeriods(
        periods=tuple(values.tolist()),
        code=code[listed],
        is_positive=cases.is_positive[listed],
        scores=cases.scores[listed],
        places=_allot_places(np.bincount(code[listed]), values.tolist(), quota, share),
        by=by,
        name=clean_model_name(name),
        quota=_describe_quota(quota, share),
        higher_is_positive=bool(options.get("higher_is_positive", True)),
        positive=cases.positive,
        dropped=cases.dropped + dropped,
    )


def _describe_quota(quota: Any, share: Any) -> str:
    if share is not None:
        return f"share {share:g}"
    return "quotas of their own" if isinstance(quota, Mapping) else f"quota {format_number(quota)}"


def _count_repeats(weights: Array | None, order: Array) -> Array:
    """Return the number of equal rows that each case counts as, its weight."""
    if weights is None:
        return np.ones(len(order), dtype=np.int64)
    if weights.dtype.kind == "f":
        raise InputError(
            "are not whole numbers, so a list has no positions", "pass counts, or no weights", argument="weights"
        )
    return np.asarray(weights[order])


def _allot_places(sizes: Array, periods: list[Any], quota: Any, share: Any) -> Array:
    """Return the number of places in each period: the quota, or all of a period that has fewer cases."""
    if share is not None:
        share = check_number(share, "share")
        if not 0 < share <= 1:
            raise ParameterError(f"is {share:g}", "pass a share of the list above 0 and up to 1", argument="share")
        return np.asarray(np.maximum(1, np.floor(share * sizes + 1e-9)), dtype=np.int64)
    if isinstance(quota, Mapping):
        lacking = [period for period in periods if period not in quota]
        if lacking:
            raise ParameterError(f"has no quota for {lacking[0]!r}", "name one for each period", argument="quota")
        places = np.array([_check_places(quota[period]) for period in periods], dtype=np.int64)
    else:
        places = np.full(len(periods), _check_places(quota), dtype=np.int64)
    return np.minimum(places, sizes)


def _check_places(quota: Any) -> int:
    number = check_number(quota, "quota")
    if not 1 <= number < 2**31 or number != int(number):
        raise ParameterError(
            f"is {shorten_repr(quota)}", "pass a whole number of cases of at least 1", argument="quota"
        )
    return int(number)


@public
@dataclass(frozen=True, eq=False, repr=False)
class QuotaPeriods(Summarized, Mapping[Any, Evaluation]):
    """The outcome of a quota in each period: pooled over the periods, as means of them, and period by period.

    It is a mapping of the evaluation of each period at its own quota. The cases stand in the order of the lists:
    period by period, each from the top.

    Attributes:
        periods: The periods, sorted.
        code: The position of the period of each case among `periods`.
        is_positive: Whether each case is positive.
        scores: The score of each case.
        places: How many places each period has.
        by: The name of a period: that of its column.
        name: The name of the model.
        quota: The quota as text.
        higher_is_positive: Whether high scores mean positive.
        positive: The label of the positive class.
        dropped: How many rows with a missing value were left out.

    >>> import cutline as cl
    >>> flights = cl.evaluate([1, 0, 0, 1, 1, 0], [3, 2, 1, 3, 2, 1], quota=1, quota_by=["mon"] * 3 + ["tue"] * 3)
    >>> flights.value("hit_rate"), round(flights.value("qrecall"), 6)
    (1.0, 0.666667)
    """

    periods: tuple[Any, ...]
    code: Array
    is_positive: Array
    scores: Array
    places: Array
    by: str = "period"
    name: str | None = None
    quota: str = ""
    higher_is_positive: bool = True
    positive: Any = 1
    dropped: int = 0

    more: ClassVar[str] = ".table, .curve('hit_rate'), .chart('qrecall'), .save('periods.html')"

    def __post_init__(self) -> None:
        for column in (self.code, self.is_positive, self.scores, self.places):
            column.setflags(write=False)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.periods)

    def __len__(self) -> int:
        return len(self.periods)

    def __getitem__(self, period: Any) -> Evaluation:
        if period not in self.periods:
            raise make_unknown_name_error(self.by, period, self.periods)
        at = self.periods.index(period)
        own = slice(self._starts[at], self._starts[at] + int(self.cases[at]))
        options: dict[str, Any] = {"higher_is_positive": self.higher_is_positive, "positive": self.positive}
        ranking = rank_cases(self.is_positive[own], self.scores[own], None, **options)
        return Evaluation(ranking, name=str(period), quota=float(self.places[at]))

    # ------------------------------------------------------------------ the lists of all periods

    @cached_property
    def cases(self) -> Array:
        """Return the number of cases of each period."""
        return np.bincount(self.code, minlength=len(self))

    @cached_property
    def positives(self) -> Array:
        """Return the number of positives of each period."""
        return self._sum_by_period(self.is_positive)

    @cached_property
    def _starts(self) -> Array:
        return np.concatenate(([0], np.cumsum(self.cases)[:-1]))

    @cached_property
    def _place(self) -> Array:
        """Return the place of each case in the list of its period, from 0."""
        return np.arange(len(self.code)) - self._starts[self.code]

    @cached_property
    def _outcome(self) -> Array:
        """Return the expected outcome of each place: the share of positives among the tied cases that may hold it."""
        is_first = np.concatenate(([True], (self.code[1:] != self.code[:-1]) | (self.scores[1:] != self.scores[:-1])))
        tie = np.cumsum(is_first) - 1
        return np.asarray((np.bincount(tie, self.is_positive) / np.bincount(tie))[tie])

    @cached_property
    def _hits_so_far(self) -> Array:
        """Return the expected number of positives up to each place of its period."""
        total = np.cumsum(self._outcome)
        return np.asarray(total - (total - self._outcome)[self._starts][self.code])

    def _sum_by_period(self, values: Array) -> Array:
        return np.bincount(self.code, values, minlength=len(self))

    # ------------------------------------------------------------------ each period

    @cached_property
    def hits(self) -> Array:
        """Return the expected number of positives in the quota of each period."""
        return self._sum_by_period(self._outcome * (self._place < self.places[self.code]))

    @cached_property
    def random_hits(self) -> Array:
        """Return the hits that a random order of each period would have on average."""
        return np.asarray(self.places * self.positives / self.cases)

    @cached_property
    def best_hits(self) -> Array:
        """Return the hits of a perfect order of each period."""
        return np.minimum(self.places, self.positives)

    @cached_property
    def pem(self) -> Array:
        """Return the potential extract measure of each period (eq. 15); NaN where a class is lacking."""
        n, positives = self.cases, self.positives
        above = divide(self._sum_by_period(self._hits_so_far), positives) - (n + 1) / 2
        return np.asarray(divide(above, (n - positives) / 2))

    @property
    def table(self) -> Table:
        """Return a row for each period: its size, places and hits, with the hits of a random and of a perfect order."""
        names = ("cases", "positives", "places", "hits", "random_order", "optimum", "hit_rate", "qrecall", "pem")
        own: tuple[Array, ...] = (
            self.cases, self.positives.astype(int), self.places, self.hits, self.random_hits,
            self.best_hits.astype(int), divide(self.hits, self.places), divide(self.hits, self.positives), self.pem,
        )  # fmt: skip
        rows = zip(self.periods, *(column.tolist() for column in own), strict=True)
        return Table((self.by, *names), tuple(rows))

    # ------------------------------------------------------------------ all periods

    def _list_terms(self, measure: str, hits: Array) -> tuple[Array, Array]:
        """Return numerator and denominator of each period that has the measure, for some number of hits."""
        every = np.ones(len(self))
        if measure == "hit_rate":
            return hits, self.places
        if measure == "qrecall":
            return hits, self.positives
        if measure == "mean_hit_rate":
            return hits / self.places, every
        own = self.positives > 0 if measure == "mean_qrecall" else np.isfinite(self.pem)
        values = divide(hits, self.positives) if measure == "mean_qrecall" else self.pem
        return values[own], every[own]

    def _estimate_ratio(self, measure: str, hits: Array | None = None) -> ClusterRatio:
        check_choice(measure, "measure", MEASURES)
        return estimate_cluster_ratio(*self._list_terms(measure, self.hits if hits is None else hits))

    def value(self, measure: str) -> float:
        """Return a measure of all periods; NaN where it is undefined.

        Args:
            measure: "hit_rate" and "qrecall" pool the periods; "mean_hit_rate", "mean_qrecall" and "mean_pem" are
                means over the periods that have one.
        """
        return float(self._estimate_ratio(measure).value)

    def baseline(self, measure: str) -> float:
        """Return the value of a random order within each period.

        Args:
            measure: The measure, as in `value`.
        """
        return 0.0 if is_among(measure, ["mean_pem"]) else float(self._estimate_ratio(measure, self.random_hits).value)

    def optimum(self, measure: str) -> float:
        """Return the value of a perfect order within each period: the quota itself limits it.

        Args:
            measure: The measure, as in `value`.
        """
        return 1.0 if is_among(measure, ["mean_pem"]) else float(self._estimate_ratio(measure, self.best_hits).value)

    def estimate(self, measure: str, level: float = LEVEL, method: str = "auto") -> Estimate:
        """Return a measure of all periods with its interval, which follows from how the periods vary.

        Args:
            measure: The measure, as in `value`.
            level: The level of the interval.
            method: "student" is the value plus and minus its standard error times Student's quantile; "wilson" is
                Wilson's interval for the number of cases that the standard error is worth, which suits rates near 0
                and 1. "auto" is "student", or "wilson" where all periods have the same rate.
        """
        level, method = check_level(level), check_choice(method, "method", METHODS)
        ratio = self._estimate_ratio(measure)
        value, allowed, notes = float(ratio.value), MEASURES[measure].range, self._list_notes(measure)
        if math.isnan(value):
            reason = "both classes" if measure == "mean_pem" else "a positive case"
            return Estimate(measure, *(math.nan,) * 3, level, "none", (f"undefined: no {self.by} has {reason}",))
        if ratio.clusters < 2:
            note = f"There is only one {self.by}, so nothing tells how they vary."
            return Estimate(measure, value, math.nan, math.nan, level, "none", (note,))
        if not ratio.se > _EXACT:
            ratio = ratio._replace(se=np.zeros(()))
            if allowed[0] < 0:
                note = f"Every {self.by} has the same value, so nothing tells how they vary."
                return Estimate(measure, value, math.nan, math.nan, level, "none", (note,))
            if method == "auto":
                notes.append(f"Every {self.by} has the same rate: each counts as one case in Wilson's interval.")
                method = "wilson"
        if method == "wilson" and allowed[0] < 0:
            raise ParameterError("'wilson' is an interval of shares", "pass 'student' for mean_pem", argument="method")
        limits = wilson_limits(ratio, level) if method == "wilson" else student_limits(ratio, level)
        used = "ratio_wilson" if method == "wilson" else "ratio_student"
        if used == "ratio_student":
            notes += self._warn_of_few_hits(measure)
        return make_estimate(measure, value, Limits(float(limits.low), float(limits.high)), allowed, level, used, notes)

    def _list_notes(self, measure: str) -> list[str]:
        lacking = int((self.positives == 0).sum()) if measure == "mean_qrecall" else 0
        lacking = int((~np.isfinite(self.pem)).sum()) if measure == "mean_pem" else lacking
        return [f"{lacking} of {len(self)} periods have no value and are left out of the mean."] if lacking else []

    def _warn_of_few_hits(self, measure: str) -> list[str]:
        hits, places = float(self.hits.sum()), float(self.places.sum())
        few = min(hits, (places if "hit_rate" in measure else float(self.positives.sum())) - hits)
        if measure == "mean_pem" or few >= FEW_HITS:
            return []
        return [f"It rests on only {few:.3g} hits or misses: {BELOW}; method='wilson' suits them better."]

    # ------------------------------------------------------------------ all quotas

    def curve(self, measure: str = "hit_rate", level: float = LEVEL) -> Table:
        """Return the pooled hit rate or Qrecall for every quota per period, with limits, baseline and optimum.

        Args:
            measure: "hit_rate" or "qrecall".
            level: The level of the intervals, of each quota by itself.
        """
        check_choice(measure, "measure", CURVES)
        level = check_level(level)
        outcome, hits_so_far, place, most = self._outcome, self._hits_so_far, self._place, int(self.cases.max())
        before, size, positives = hits_so_far - outcome, place + 1.0, self.positives[self.code]

        def sum_up(values: Array) -> Array:
            """Sum over the periods for each quota; a period that is shorter than the quota keeps its last value."""
            return np.cumsum(np.bincount(place, values, minlength=most))

        hits, squares = sum_up(outcome), sum_up(hits_so_far**2 - before**2)
        if measure == "hit_rate":
            below, both, below2 = (
                sum_up(np.ones(len(place))),
                sum_up(hits_so_far * size - before * place),
                sum_up(2 * size - 1),
            )
        else:
            below = np.full(most, float(self.positives.sum()))
            both, below2 = sum_up(outcome * positives), np.full(most, float((self.positives**2).sum()))
        value = np.asarray(divide(hits, below))
        residuals = squares - 2 * value * both + value**2 * below2
        residuals = np.where(residuals > _EXACT * squares, residuals, 0.0)  # what cancels is rounding
        ratio = ClusterRatio(value, compute_standard_error(residuals, below, len(self)), len(self))
        low, high = (np.clip(limit, 0.0, 1.0) for limit in student_limits(ratio, level))
        random = divide(sum_up(positives / self.cases[self.code]), below)
        best = divide(sum_up((place < positives).astype(float)), below)
        own = (np.arange(1, most + 1), value, low, high, random, best)
        rows = zip(*(np.asarray(column).tolist() for column in own), strict=True)
        return Table(("quota", measure, "low", "high", "random_order", "optimum"), tuple(rows))

    def chart(self, measure: str = "hit_rate", *, level: float = LEVEL, theme: str = "light") -> Picture:
        """Return the curve over the quota per period as a picture, with its band, a random order and the optimum.

        Args:
            measure: "hit_rate" or "qrecall".
            level: The level of the band.
            theme: "light", "dark" or "print".
        """
        from cutline.charts.periods import draw_quota_curve

        level = check_level(level)
        at = self.places[0] if len(set(self.places.tolist())) == 1 else None
        columns = {name: np.array(values) for name, values in _split_columns(self.curve(measure, level)).items()}
        return draw_quota_curve(columns, measure, self.by, self.title, quota=at, level=level, theme=theme)

    # ------------------------------------------------------------------ all of it

    @property
    def title(self) -> str:
        """Return the cases, periods and quota in one line."""
        named = f"{self.name}: " if self.name else ""
        cases, positives = int(self.cases.sum()), int(self.positives.sum())
        periods = format_count(len(self), "period") + ("" if self.by == "period" else f" by {self.by}")
        return (
            f"{named}{add_commas(cases)} cases, {add_commas(positives)} of them positive, in {periods}; "
            f"{self.quota} in each, {add_commas(int(self.places.sum()))} in all"
        )

    def summary(self, *, level: float = LEVEL, method: str = "auto") -> PeriodSummary:
        """Return all measures with their intervals, baselines and optima.

        Args:
            level: The level of the intervals.
            method: How the intervals are made, as in `estimate`; mean_pem always has Student's.
        """
        check_choice(method, "method", METHODS)
        estimates = {name: self.estimate(name, level, "auto" if name == "mean_pem" else method) for name in MEASURES}
        rows = tuple(
            PeriodRow(estimate, float(self._estimate_ratio(name).se), self.baseline(name), self.optimum(name))
            for name, estimate in estimates.items()
        )
        notes = []
        if self.dropped:
            notes.append(Note("dropped", f"{format_count(self.dropped, 'row')} with a missing value dropped."))
        short = int((self.cases == self.places).sum())
        if short:
            notes.append(Note("short-periods", f"In {short} of {len(self)} periods every case has a place."))
        return PeriodSummary(self, check_level(level), rows, tuple(notes))

    def save(self, path: str | os.PathLike[str], *, level: float = LEVEL, overwrite: bool = False) -> Path:
        """Write the page (.html), the numbers (.json, .csv) or the curve of the hit rate (.png, .svg, .pdf).

        Args:
            path: Where to write.
            level: The level of the intervals.
            overwrite: Whether a file that exists is replaced; refused otherwise.
        """
        write = import_module("cutline.report.table_pages").save_periods  # which reads this module
        written_to: Path = write(self, path, level=check_level(level), overwrite=overwrite)
        return written_to


def _split_columns(table: Table) -> dict[str, list[Any]]:
    return {name: [row[i] for row in table.rows] for i, name in enumerate(table.columns)}


class PeriodRow(NamedTuple):
    """A measure of all periods, with its standard error, and its values for a random and for a perfect order."""

    estimate: Estimate
    se: float
    baseline: float
    optimum: float


@dataclass(frozen=True, eq=False, repr=False)
class PeriodSummary(Tabulated):
    """The numbers of a quota in each period, with their intervals: what every view shows."""

    periods: QuotaPeriods
    level: float
    rows: tuple[PeriodRow, ...]
    notes: tuple[Note, ...] = ()

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        names = ("measure", "title", "value", "low", "high", "se", "method", "baseline", "optimum", "note")
        rows = [
            (
                *(e.measure, MEASURES[e.measure].title, e.value, e.low, e.high, se, e.method),
                *(baseline, optimum, " ".join(e.notes)),
            )
            for e, se, baseline, optimum in self.rows
        ]
        return Table(names, tuple(rows), title=self.periods.title, hidden=("measure", "method", "note"))

    @property
    def row_notes(self) -> tuple[Note, ...]:
        """Return the notes on single rows."""
        return tuple(
            Note("periods", f"{MEASURES[row.estimate.measure].title}: {note}") for row in self.rows
            for note in row.estimate.notes
        )  # fmt: skip

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON (docs/schema.json)."""
        own = self.periods
        return {
            "schema": "cutline/quota-periods/1",
            "name": own.name,
            "by": own.by,
            "quota": own.quota,
            "level": to_json_value(self.level),
            "measures": self.to_dict(),
            "periods": own.table.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "versions": self.versions,
        }

    @property
    def verdict(self) -> tuple[str, str]:
        """Return two sentences: how many of the flagged are positive, and how many of the positives are flagged."""
        own, (hit_rate, qrecall) = self.periods, self.rows[:2]
        hit = f"{add_commas(round(float(own.hits.sum())))} of the {add_commas(int(own.positives.sum()))} positives"
        flagged = add_commas(int(own.places.sum()))
        hits = (
            f"Of the {flagged} cases that the quotas flag, {100 * hit_rate.estimate.value:.1f} % are positive"
            f"{_format_interval(hit_rate.estimate)}; a random order of each list would reach "
            f"{100 * hit_rate.baseline:.1f} %, a perfect one {100 * hit_rate.optimum:.1f} %."
        )
        positives = (
            f"They hold {hit}, {100 * qrecall.estimate.value:.1f} %{_format_interval(qrecall.estimate)}; "
            f"a perfect order would reach {100 * qrecall.optimum:.1f} %."
        )
        return hits, positives

    @property
    def _opening(self) -> tuple[str, ...]:
        return self.verdict


def _format_interval(estimate: Estimate) -> str:
    """Return the interval of a share in percent, if there is one."""
    if not estimate.has_interval:
        return ""
    return f" ({100 * estimate.level:g} % interval {100 * estimate.low:.1f} to {100 * estimate.high:.1f} %)"


# ---------------------------------------------------------------------- several models


_TESTED = ("hit_rate", "qrecall")


class PeriodDifference(NamedTuple):
    """A measure of two models whose quotas are filled in the same periods, and their difference a - b."""

    measure: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float


@dataclass(frozen=True, eq=False, repr=False)
class PeriodComparison(Tabulated):
    """Models with the same quota in the same periods: their values, differences and tests, as every view shows them."""

    models: Mapping[str, QuotaPeriods]
    level: float
    rows: tuple[PeriodDifference, ...]
    notes: tuple[Note, ...] = ()

    @property
    def verdict(self) -> tuple[str, ...]:
        """Return two sentences: which model to choose for the quota, and how many positives each finds."""
        first = next(iter(self.models.values()))
        rates = {name: own.value("hit_rate") for name, own in self.models.items()}
        leader, *others = sorted(sorted(rates), key=lambda name: -rates[name])
        tested = {
            row.b if row.a == leader else row.a: row.p_holm
            for row in self.rows
            if row.measure == "hit_rate" and leader in (row.a, row.b)
        }
        equal = [name for name in others if not tested[name] <= 1 - self.level]
        holm = ", Holm" if len(others) > 1 else ""
        over = f"over {format_count(len(first), first.by)}"
        where = f"For {first.quota} in each {first.by}"
        if equal:
            group = join_with_and([leader, *equal])
            p_value = min(tested[name] for name in equal)
            choice = f"{where}, {group} cannot be told apart (hit rate, p {format_p(p_value)}{holm}, {over})."
        else:
            p_value = max(tested.values())
            p = "< 0.001" if p_value < 0.001 else format_p(p_value)
            choice = f"{where}, choose {leader}: hit rate {rates[leader]:.4f}, the best (p {p}{holm}, {over})."
        counts = [f"{name} {add_commas(round(float(self.models[name].hits.sum())))}" for name in (leader, *others)]
        return (
            choice,
            f"Of the {add_commas(int(first.positives.sum()))} positives, the quotas hold: {', '.join(counts)}.",
        )

    @property
    def title(self) -> str:
        """Return the models, cases, periods and quota in one line."""
        first = next(iter(self.models.values()))
        return f"{len(self.models)} models; {first.title.removeprefix(f'{first.name}: ')}"

    @property
    def table(self) -> Table:
        """Return a row for each measure and pair of models."""
        return Table(PeriodDifference._fields, tuple(map(tuple, self.rows)), title=self.title, above=self.verdict)

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        first = next(iter(self.models.values()))
        return {
            "schema": "cutline/quota-period-comparison/1",
            "by": first.by,
            "quota": first.quota,
            "level": to_json_value(self.level),
            "verdict": list(self.verdict),
            "models": {name: own.summary(level=self.level).to_dict() for name, own in self.models.items()},
            "differences": self.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
            "versions": self.versions,
        }


@public
def compare_periods(models: Mapping[str, QuotaPeriods], *, level: float = LEVEL) -> PeriodComparison:
    """Compare models that fill the same quota in the same periods, such as 200 cases a day.

    The periods are the independent units: the difference of each period enters the ratio estimator, as a rate of one
    model does, so that what both models share cancels. p-values are Student's, and corrected by Holm over the pairs.

    Args:
        models: What `evaluate(..., quota=, quota_by=)` gives for each model, by name.
        level: The level of intervals and tests.

    >>> import cutline as cl
    >>> labels, days = [1, 0, 0, 1, 1, 0] * 4, [day for day in "abcdefgh" for _ in range(3)]
    >>> scores = {"up": [3, 2, 1] * 8, "down": [1, 2, 3] * 8}
    >>> made = {name: cl.evaluate(labels, own, quota=1, quota_by=days) for name, own in scores.items()}
    >>> row = cl.compare_periods(made).rows[0]
    >>> row.measure, row.value_a, row.value_b, row.difference
    ('hit_rate', 1.0, 0.0, 1.0)
    """
    level = check_level(level)
    if not isinstance(models, Mapping) or not all(isinstance(model, QuotaPeriods) for model in models.values()):
        raise InputError(
            f"is {shorten_repr(models)}", "pass what evaluate(..., quota_by=) gives for each model", argument="models"
        )
    if len(models) < 2:
        raise InputError(f"holds {format_count(len(models), 'model')}", "pass at least two", argument="models")
    named_models = {str(name): own for name, own in models.items()}
    (first_name, first), *others = named_models.items()
    for name, own in others:
        shared = first.periods == own.periods and np.array_equal(first.cases, own.cases)
        if not (shared and np.array_equal(first.positives, own.positives) and np.array_equal(first.places, own.places)):
            raise InputError(
                f"The periods, cases or quotas of {first_name!r} and {name!r} differ", "pass models of the same cases"
            )
    pairs = list(combinations(named_models, 2))
    rows: list[PeriodDifference] = []
    for measure in _TESTED:
        own_rows = [_compare_measure(measure, named_models, a, b, level) for a, b in pairs]
        corrected = holm([row.p_value for row in own_rows])
        rows += [row._replace(p_holm=p) for row, p in zip(own_rows, corrected, strict=True)]
    return PeriodComparison(named_models, level, tuple(rows), first.summary(level=level).notes)


def _compare_measure(
    measure: str, models: Mapping[str, QuotaPeriods], a: str, b: str, level: float
) -> PeriodDifference:
    """Return the difference of two models in a measure, from the difference of each period."""
    model_a, model_b = models[a], models[b]
    below = model_a.places if measure == "hit_rate" else model_a.positives
    ratio = estimate_cluster_ratio(model_a.hits - model_b.hits, below)
    value, error = float(ratio.value), float(ratio.se)
    low, high, p_value = math.nan, math.nan, math.nan
    if error > _EXACT:
        low, high = (float(limit) for limit in student_limits(ratio, level))
        p_value = float(compute_student_p(np.array(value / error), np.array(ratio.clusters - 1), "two-sided"))
    elif ratio.clusters > 1 and abs(value) <= _EXACT:  # equal in every period
        low, high, p_value = 0.0, 0.0, 1.0
    values = (model_a.value(measure), model_b.value(measure), value)
    return PeriodDifference(measure, a, b, *values, max(low, -1.0), min(high, 1.0), p_value, p_value)
