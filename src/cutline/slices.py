"""evaluate(by=...): the evaluation of each slice of the cases, such as each site, and who is served worse.

All slices have one cut and one kind of score, decided on all cases. A slice is a ranking, and its rest is the merge of
the others, so that every measure can be compared between slices.
"""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core import validation
from cutline.core.counts import Counts
from cutline.core.errors import Argument, InputError, ParameterError, Text, UnknownNameError, near
from cutline.core.merging import merge
from cutline.core.messages import listed
from cutline.core.ranking import Array, Ranking
from cutline.core.table import Table, p_shown, plain, shown
from cutline.core.validation import LEVEL, check_choice, check_level, check_whole
from cutline.evaluation import Evaluation
from cutline.inference import delong, simultaneous
from cutline.inference.simultaneous import Equality, Pairs, Pooled
from cutline.inference.single.proportions import wilson
from cutline.inference.slice_auc import MOST_CASES, PERMUTATIONS, Areas, Slicing, permutation_test
from cutline.inputs import column_source, out_of_core
from cutline.inputs.rank import rank
from cutline.inputs.slicing import check_few, code_slices, cross_slices, slice_rules
from cutline.measures import MEASURES, Measure, Needs, Proportion
from cutline.measures.aliases import under
from cutline.results.base import Tabulated
from cutline.results.estimate import Estimate, Limits, quantile
from cutline.results.measure_selection import Named, headlines
from cutline.results.method_titles import method_title
from cutline.results.notes import Note
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from pathlib import Path

    from cutline.charts import Picture

OVERALL = "(all cases)"
COLUMNS = ("measure", "value", "low", "high", "method", "reason", "note", "at_least", "at_most")
FEWEST = 5  # cases of a class that a slice needs to be tested
FEW_FOR_SHARES = 20  # cases in a slice below which Newcombe's pairs are less certain
MOST_IN_SUMMARY = 2_000_000  # rows that are held case by case for the AUCs of slices
ADJUST = ("auto", "westfall_young", "holm", "bh", "none")
ALTERNATIVES = ("two-sided", "worse", "better")
_ADJUSTED = {
    "westfall_young": "Westfall-Young permutation",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "none": "no adjustment",
}
MAY_BE_EQUAL = "The lower limit is 0: the slices may be equal."
_FAIRNESS_RATES = {
    "Demographic parity difference": "predicted_positive_rate",
    "Equal opportunity difference": "recall",
    "False positive rate difference": "fpr",
    "Predictive parity difference": "precision",
}


@dataclass(frozen=True, eq=False)
class Slices(Mapping[Any, Evaluation]):
    """The evaluations of slices by the value that the cases of each have in common."""

    evaluations: Mapping[Any, Evaluation]
    by: str
    overall: Any = field(default=None)  # the Evaluation of all cases
    columns: tuple[str, ...] = ()
    left_out: int = 0  # rows without a slice
    few: int = 0  # slices that were left out because they have fewer cases than `least`
    least: int = 0

    def __post_init__(self) -> None:
        if self.overall is None:
            first = next(iter(self.evaluations.values()))
            merged = merge(ev.ranking for ev in self.evaluations.values())
            how: dict[str, Any] = {} if first.cut.is_default else first.cut.parameters
            object.__setattr__(self, "overall", Evaluation(merged, name=first.name, **how))
        if not self.columns:
            object.__setattr__(self, "columns", (self.by,))

    def __getitem__(self, value: Any) -> Evaluation:
        try:
            return self.evaluations[value]
        except KeyError:
            known = ", ".join(map(repr, list(self)[:8]))
            hint = near(value, map(str, self))
            raise UnknownNameError(f"There is no slice {value!r} of {self.by} among {known}.{hint}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def together(self) -> Evaluation:
        """The evaluation of all slices together, which is `overall`.

        A quota is that of each slice, and all slices together have none: `quota_by` evaluates it.
        """
        if next(iter(self.values())).cut.by_quota:
            raise ParameterError(
                "The quota is filled in each slice, so that all slices together have no cut",
                Text("pass ", Argument("quota_by"), " instead of ", Argument("by"), " to pool them"),
            )
        whole: Evaluation = self.overall
        return whole

    def title(self, key: Any) -> str:
        """Return the name of a slice, such as "site 07"; of crossed slices with all columns."""
        values = key if isinstance(key, tuple) and len(self.columns) > 1 else (key,)
        return ", ".join(f"{name} {value}" for name, value in zip(self.columns, values, strict=True))

    def label(self, key: Any) -> str:
        """Return the values of a slice as one text."""
        return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)

    @property
    def has_common_cut(self) -> bool:
        """Whether all slices are cut at one threshold."""
        return len({ev.threshold for ev in self.values()}) == 1

    # ------------------------------------------------------------------ tables

    def summaries(
        self, measures: Iterable[Named] | Named | None = None, *, simultaneous: bool = False, **options: Any
    ) -> dict[Any, Summary]:
        """Return the summary of all cases, then that of each slice, by key.

        Args:
            measures: Which ones, as in `Evaluation.summary`; the headlines when None.
            simultaneous: Whether the intervals of one measure hold for all slices together.
            options: What `Evaluation.summary` takes, such as `level` or `resamples`.
        """
        chosen = headlines(self.overall.cut) if measures is None else measures
        own = dict(options)
        if simultaneous:
            own["level"] = sidak(check_level(options.get("level", LEVEL)), len(self))
        made = {key: ev.summary(chosen, **own) for key, ev in self.items()}
        return {OVERALL: self.overall.summary(chosen, **options), **made}

    def summary(
        self, measures: Iterable[Named] | Named | None = None, *, simultaneous: bool = False, **options: Any
    ) -> Table:
        """Return one table: a row for each measure of all cases and of each slice.

        Args:
            measures: Which ones, as in `Evaluation.summary`; the headlines when None.
            simultaneous: Whether the intervals of one measure hold for all slices together (Sidak); otherwise each
                holds by itself.
            options: What `Evaluation.summary` takes, such as `level` or `resamples`.
        """
        table = common_table(self.by, self.summaries(measures, simultaneous=simultaneous, **options))
        if not simultaneous:
            return table
        level = check_level(options.get("level", LEVEL))
        return replace(table, below=(simultaneous_words(level, len(self)),))

    def to_frame(self, backend: str = "pandas", **options: Any) -> Any:
        """Return the summary as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
            options: What `summary()` takes.
        """
        return self.summary(**options).to_frame(backend)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the reader should know: about all cases, and which slices cannot be compared."""
        notes = list(self.overall.data_notes)
        if self.left_out:
            notes.append(Note("slices", f"{validation.counted(self.left_out, 'row')} without {self.by} left out."))
        if self.few:
            text = f"{validation.counted(self.few, 'slice')} with fewer than {self.least} cases left out."
            notes.append(Note("slices", text))
        one_class = [key for key, ev in self.items() if not ev.ranking.positives or not ev.ranking.negatives]
        if one_class:
            notes.append(Note("slices", f"{self._named(one_class)} only one class, so that the AUC is undefined."))
        few = [key for key, ev in self.items() if key not in one_class and _fewest(ev.ranking) < FEWEST]
        if few:
            text = f"{self._named(few)} fewer than {FEWEST} cases of a class: shown, but not tested."
            notes.append(Note("slices", text))
        if not self.has_common_cut:
            notes.append(Note("slices", "Each slice has its own threshold."))
        return tuple(notes)

    def _named(self, keys: list[Any]) -> str:
        """Return slices as the subject of a sentence, of many the number, with "has" or "have"."""
        if len(keys) > 3:
            return f"{len(keys)} slices have"
        return f"{_capital(listed([self.title(key) for key in keys]))} {'has' if len(keys) == 1 else 'have'}"

    # ------------------------------------------------------------------ comparisons

    def against_rest(
        self,
        measure: str | Measure = "auc",
        *,
        adjust: str = "auto",
        alternative: str = "two-sided",
        margin: float = 0.0,
        level: float = LEVEL,
        permutations: int = PERMUTATIONS,
        seed: int = 0,
        **parameters: Any,
    ) -> AgainstRest:
        """Compare each slice with all other cases, adjusted for the number of slices.

        Args:
            measure: The measure.
            adjust: "auto" permutes the slices for the AUC of up to 200,000 cases ("westfall_young") and is "holm"
                otherwise. "holm" controls any false alarm, "bh" the share of false alarms; "none" adjusts nothing.
            alternative: "two-sided", or whether the slice is "worse" or "better".
            margin: By how much more than this a slice must be worse, or better; not for "two-sided".
            level: The level of the intervals, which hold together; one minus it is that of the tests.
            permutations: How often the slices are permuted.
            seed: The seed of the permutations.
            parameters: Those of the measure.
        """
        check_choice(adjust, "adjust", ADJUST)
        check_choice(alternative, "alternative", ALTERNATIVES)
        level, margin = check_level(level), validation.check_number(margin, "margin")
        if margin < 0 or (margin and alternative == "two-sided"):
            way_out = "pass a margin from 0, with the alternative 'worse' or 'better'"
            raise ParameterError(f"is {margin:g}", way_out, argument="margin")
        self._check_several()
        found = _Measured.of(self, measure, parameters)
        better = found.measure.better
        if alternative != "two-sided" and better is None:
            raise ParameterError(f"{found.measure.name} is neither better high nor low", "pass 'two-sided'")
        side = alternative
        if alternative != "two-sided":
            side = "less" if (alternative == "worse") == (better == "higher") else "greater"
        shift = margin if side == "greater" else -margin
        asked = _Asked(side, shift, level, adjust, check_whole(permutations, "permutations", 1), seed)
        tests = found.tests(asked)
        return AgainstRest(self, found.measure, level, alternative, margin, tests.method, tests.adjust, tests.rows)

    def gap(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> Estimate:
        """Estimate the largest difference between any two slices, with an interval that holds for all pairs at once.

        Args:
            measure: The measure.
            level: The level of the interval.
            parameters: Those of the measure.
        """
        self._check_several()
        found, level = _Measured.of(self, measure, parameters), check_level(level)
        pairs = found.pairs(simultaneous.tukey_quantile(level, max(2, len(found.keys))))
        return found.gap_estimate(pairs, level)

    def pairs(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> Table:
        """Compare all pairs of slices, with intervals that hold together (Tukey-Kramer).

        Args:
            measure: The measure.
            level: The level of the intervals.
            parameters: Those of the measure.
        """
        self._check_several()
        found, level = _Measured.of(self, measure, parameters), check_level(level)
        found.check_two()
        pairs = found.pairs(simultaneous.tukey_quantile(level, len(found.keys)))
        names = [self.label(key) for key in found.keys]
        rows = [
            (names[i], names[j], float(d), float(low), float(high), "differ" if low > 0 or high < 0 else "")
            for i, j, d, low, high in zip(*pairs, strict=True)
        ]
        title = f"{found.measure}: first minus second"
        below = (
            f"All intervals hold together with {100 * level:g} % probability ({method_title(found.pair_method)}).",
        )
        return Table(("first", "second", "difference", "low", "high", "verdict"), tuple(rows), title, below=below)

    def pooled(self, measure: str | Measure = "auc", *, level: float = LEVEL, **parameters: Any) -> PooledSlices:
        """Pull the slices towards their common mean, each by how uncertain it is; and test whether all are equal.

        Args:
            measure: The measure.
            level: The level of the intervals.
            parameters: Those of the measure.
        """
        self._check_several()
        found, level = _Measured.of(self, measure, parameters), check_level(level)
        found.check_two()
        values, variances, back = found.scaled()
        known = np.isfinite(values) & np.isfinite(variances) & (variances > 0)
        if known.sum() < 2:
            raise InputError(
                f"Fewer than two slices have a standard error of {found.measure.name}", "pass another measure"
            )
        keys = [key for key, is_known in zip(found.keys, known, strict=True) if is_known]
        made = simultaneous.partial_pooling(values[known], variances[known])
        limits = simultaneous.morris_limits(made, level)
        equality = simultaneous.cochran_q(values[known], variances[known])
        rows = [
            (
                self.label(key),
                float(raw),
                float(back(v)),
                plain(float(back(low))),
                plain(float(back(high))),
                float(pull),
            )
            for key, raw, v, low, high, pull in zip(
                keys, found.values[known], made.values, *limits, made.pull, strict=True
            )
        ]
        return PooledSlices(found.measure, level, float(back(made.mean)), made, equality, tuple(rows))

    def fairness(self, *, cut: float | None = None, level: float = LEVEL) -> Fairness:
        """Estimate the criteria of group fairness at the cut: gaps of rates, their ratio, calibration and AUC.

        Args:
            cut: Another threshold than that of the slices.
            level: The level of the intervals; each criterion's interval holds by itself.
        """
        self._check_several()
        level = check_level(level)
        slices = self if cut is None else self.with_threshold(cut)
        return _fairness(slices, level)

    def with_threshold(self, threshold: float) -> Slices:
        """Return the same slices at another cut.

        Args:
            threshold: The score from which on a case is predicted positive.
        """
        moved = {key: ev.with_cut(threshold=threshold) for key, ev in self.items()}
        return replace(self, evaluations=moved, overall=self.overall.with_cut(threshold=threshold))

    def with_least(self, least: int) -> Slices:
        """Return the slices with at least so many cases, so that no value can be traced to a few people.

        Args:
            least: The smallest number of cases.
        """
        kept = {key: ev for key, ev in self.items() if ev.ranking.total >= least}
        if not kept:
            raise InputError(f"No slice by {self.by} has {least} cases", "pass a smaller number", argument="least")
        return replace(self, evaluations=kept, few=self.few + len(self) - len(kept), least=least)

    def verdict(self, measure: str | Measure = "auc", **options: Any) -> str:
        """Return who is served worse, in a sentence.

        Args:
            measure: The measure.
            options: What `against_rest` takes.
        """
        return self.against_rest(measure, **options).verdict

    def _check_several(self) -> None:
        if len(self) < 2:
            raise InputError(
                f"There is one slice by {self.by}, so there is no rest to compare it with",
                "pass a column with several values",
                argument="by",
            )

    # ------------------------------------------------------------------ views

    def chart(self, name: str = "slices", **parameters: Any) -> Picture:
        """Draw a chart: "slices" is the forest plot of a measure; "roc" and others show each slice as a model.

        Args:
            name: The name of the chart.
            parameters: Those of the chart; for "slices" `measure` and what `against_rest` takes.
        """
        if name == "slices":
            from cutline.charts.forest import forest

            drawing = {key: parameters.pop(key) for key in ("theme", "title", "width") if key in parameters}
            return forest(self.against_rest(**parameters).forest, **drawing)
        from cutline.charts import chart

        return chart(name, {self.label(key): ev for key, ev in self.items()}, **parameters)

    def to_dict(self, measures: Iterable[Named] | Named | None = None, **options: Any) -> dict[str, Any]:
        """Return all that is known, ready for JSON.

        Args:
            measures: Which measures; the headlines when None.
            options: What `summary()` takes.
        """
        return slices_document(self, self.summaries(measures, **options))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        measure: str | Measure = "auc",
        least: int = 5,
        overwrite: bool = False,
        **options: Any,
    ) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the forest plot (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            measure: The measure that slices are compared by.
            least: The values of slices with fewer cases are left out.
            overwrite: Whether a file that exists is replaced; refused otherwise.
            options: What `against_rest` takes, such as `level`.
        """
        written: Path = import_module("cutline.report.slice_page").save(
            self, path, measure=measure, least=check_whole(least, "least", 0), overwrite=overwrite, **options
        )
        return written

    @property
    def _table(self) -> Table:
        """The headlines side by side, all cases first."""
        chosen = headlines()
        rows = []
        for value, ev in {OVERALL: self.overall, **self.evaluations}.items():
            r = ev.ranking
            fitting = [ev.value(m) if m.fits(r) else None for m in chosen]
            rows.append((self.label(value), r.total.item(), r.positives.item(), *fitting))
        return Table((self.by, "cases", "positives", *(m.name for m in chosen)), tuple(rows))

    def __repr__(self) -> str:
        more = "more: .summary(), .against_rest(), .gap(), .fairness(), .chart('slices')"
        return f"{validation.counted(len(self), 'slice')} by {self.by}\n{self._table!r}\n{more}"

    def _repr_html_(self) -> str:
        head = f"{validation.counted(len(self), 'slice')} by {self.by}"
        return f"<p>{html.escape(head)}</p>{self._table._repr_html_()}"


def sidak(level: float, count: int) -> float:
    """Return the level of each of `count` slices whose intervals hold together."""
    return simultaneous.sidak_level(level, count)


def simultaneous_words(level: float, count: int) -> str:
    """Return how simultaneous intervals were made, in a sentence."""
    return (
        f"The intervals of a measure hold for all {count} slices together with {100 * level:g} % probability "
        f"(Sidak: each at {100 * sidak(level, count):.4g} %)."
    )


def slices_document(slices: Slices, summaries: Mapping[Any, Summary]) -> dict[str, Any]:
    """Return the finished summaries of slices, ready for JSON."""
    parts = [
        {"slice": _json_key(key), "evaluation": summary.document()}
        for key, summary in summaries.items()
        if key is not OVERALL
    ]
    return {
        "schema": "cutline/slices/1",
        "by": slices.by,
        "overall": summaries[OVERALL].document() if OVERALL in summaries else None,
        "slices": parts,
        "notes": [note.to_dict() for note in slices.notes],
    }


def _json_key(key: Any) -> Any:
    """Return a key as JSON can hold it: dates are text, tuples lists."""
    if isinstance(key, tuple):
        return [_json_key(part) for part in key]
    return key if isinstance(key, bool | int | float | str) else str(key)


def common_table(by: str, summaries: Mapping[Any, Summary]) -> Table:
    """Return the numbers of all slices, a row for each slice and measure."""
    rows: list[tuple[Any, ...]] = []
    for value, summary in summaries.items():
        name = ", ".join(map(str, value)) if isinstance(value, tuple) else value
        facts = (name, summary.data.cases, summary.data.positives)
        rows += [(*facts, *(row[column] for column in COLUMNS)) for row in summary]
    return Table((by, "cases", "positives", *COLUMNS), tuple(rows), hidden=("method", "note"))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fewest(r: Ranking) -> float:
    return float(min(r.positives, r.negatives))


def _prevalence(r: Ranking) -> float:
    return float(r.positives / r.total)


# ---------------------------------------------------------------------- one measure of all slices


@dataclass(frozen=True)
class _Asked:
    """What is asked of the tests: `side` is two-sided, less or greater, and `shift` belongs to the hypothesis."""

    side: str
    shift: float
    level: float
    adjust: str
    permutations: int
    seed: int


@dataclass(frozen=True)
class RestRow:
    """A slice beside the rest of the cases."""

    key: Any
    slice: str
    cases: float
    prevalence: float
    verdict: str
    value: float = math.nan
    rest: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan


NUMBERS = ("value", "rest", "difference", "low", "high", "p_value", "p_adjusted")


@dataclass(frozen=True)
class _Tests:
    method: str
    adjust: str
    rows: tuple[RestRow, ...]


@dataclass(frozen=True, eq=False)
class _Measured:
    """A measure of every slice that has a value, and how its slices are compared: as AUCs, as shares, or otherwise."""

    slices: Slices
    measure: Measure
    parameters: Mapping[str, Any]
    keys: list[Any]
    values: Array
    undefined: Mapping[Any, str]

    @classmethod
    def of(cls, slices: Slices, measure: str | Measure, parameters: Mapping[str, Any]) -> _Measured:
        """Compute the measure of each slice; those without a value are left out with their reason."""
        chosen = under(MEASURES[measure], measure)
        if not chosen.fits(slices.overall.ranking):
            raise InputError(
                f"{chosen.name} is undefined here: {chosen.reason(slices.overall.ranking)}", "pass another measure"
            )
        keys, values, undefined = [], [], {}
        for key, ev in slices.items():
            value = ev.value(chosen, **parameters)
            if math.isfinite(value):
                keys.append(key)
                values.append(value)
            else:
                undefined[key] = ev.reason(chosen, **parameters) or "infinite"
        return cls(slices, chosen, dict(parameters), keys, np.array(values), undefined)

    @property
    def evaluations(self) -> list[Evaluation]:
        return [self.slices.evaluations[key] for key in self.keys]

    @cached_property
    def is_auc(self) -> bool:
        return self.measure.name == "auc"

    @cached_property
    def counts(self) -> tuple[Array, Array] | None:
        """Cases of a share and among how many, where the measure is a share of whole cases at a threshold."""
        kind = self.measure.kind
        where = {"quota", "share"} & self.parameters.keys()
        if not isinstance(kind, Proportion) or where or not all(ev.ranking.integral for ev in self.evaluations):
            return None
        if any(ev.cut.by_quota for ev in self.evaluations) and "threshold" not in self.parameters:
            return None
        found = [kind.of(self._counts_of(ev)) for ev in self.evaluations]
        return tuple(np.array([float(pair[i]) for pair in found]) for i in (0, 1))  # type: ignore[return-value]

    def _counts_of(self, ev: Evaluation) -> Counts:
        at = self.parameters.get("threshold")
        return ev.counts if at is None else ev.at(threshold=at)

    @cached_property
    def variances(self) -> Array:
        """DeLong's variances of the AUCs."""
        return np.array([float(delong.variance(ev.ranking)) for ev in self.evaluations])

    @property
    def pair_method(self) -> str:
        return "tukey_kramer" if self.is_auc else "newcombe_pairs" if self.counts is not None else "mover_pairs"

    def check_two(self) -> None:
        """Refuse a comparison of fewer than two values."""
        if len(self.keys) < 2:
            raise InputError(
                f"Fewer than two slices have a value of {self.measure.name}", "pass another measure or other slices"
            )

    def limits(self, level: float) -> Limits:
        """Return the limits of each slice from which those of pairs follow (square and add)."""
        if self.is_auc:
            half = quantile(level) * np.sqrt(self.variances)
            low, high = self.values - half, self.values + half
            for i, ev in enumerate(self.evaluations):
                if not self.variances[i] > 0:  # one case of a class, or none out of order
                    low[i], high[i] = delong.newcombe(self.values[i], ev.ranking.positives, ev.ranking.negatives, level)
            return Limits(low, high)
        if self.counts is not None:
            then: Any = self.measure.kind.then  # type: ignore[union-attr]
            return Limits(*(np.array([then(limit) for limit in side]) for side in wilson(*self.counts, level)))
        return self._own_limits(self.evaluations, level)

    def _own_limits(self, evaluations: Iterable[Evaluation], level: float) -> Limits:
        found = [ev.estimate(self.measure, level=level, **self.parameters) for ev in evaluations]
        return Limits(*(np.array([getattr(one, side) for one in found]) for side in ("low", "high")))

    def pairs(self, critical: float) -> Pairs:
        """Return all pairs, with limits at a critical value."""
        self.check_two()
        return simultaneous.mover_pairs(self.values, *self.limits(simultaneous.coverage_of(critical)))

    def scaled(self) -> tuple[Array, Array, Any]:
        """Return values and variances on the scale where they are about normal, and the way back."""
        if self.is_auc:
            spread = np.square(self.values * (1 - self.values))
            with np.errstate(divide="ignore", invalid="ignore"):
                return simultaneous.logit(self.values), self.variances / spread, simultaneous.expit
        if self.counts is not None and self.measure.kind.then is float:  # type: ignore[union-attr]
            k, n = self.counts
            if ((k == 0) | (k == n)).any():  # half a case is added to both sides of every slice
                k, n = k + 0.5, n + 1
            return simultaneous.logit(k / n), 1 / k + 1 / (n - k), simultaneous.expit
        low, high = self._own_limits(self.evaluations, 0.95)
        return self.values, np.square((high - low) / (2 * quantile(0.95))), lambda value: value

    # ---- the gap

    def gap_estimate(self, pairs: Pairs, level: float) -> Estimate:
        """Return the largest gap with its notes."""
        value, limits = pairs.gap
        return Estimate(
            f"gap({self.measure})", value, *limits, level, self.pair_method, self.gap_notes(limits, pairs.widest)
        )

    def gap_notes(self, limits: Limits, widest: tuple[int, int]) -> tuple[str, ...]:
        """Return which slices are apart, with their prevalences, and what qualifies the gap."""
        ends = [self._described(i) for i in widest]
        notes = [f"Highest: {ends[0]}; lowest: {ends[1]}."]
        if limits.low == 0:
            notes.append(MAY_BE_EQUAL)
        notes += self.left_out()
        if self.counts is not None and self.counts[1].min() < FEW_FOR_SHARES:
            few = int((self.counts[1] < FEW_FOR_SHARES).sum())
            cases = validation.counted(few, "slice")
            notes.append(f"{cases} with fewer than {FEW_FOR_SHARES} cases: the interval is approximate.")
        return tuple(notes)

    def _described(self, i: int) -> str:
        key, r = self.keys[i], self.evaluations[i].ranking
        return f"{self.slices.title(key)} {shown(float(self.values[i]))} (prevalence {100 * _prevalence(r):.1f} %)"

    def left_out(self) -> list[str]:
        """Return how many slices have no value, and why."""
        if not self.undefined:
            return []
        reasons = listed(list(dict.fromkeys(self.undefined.values())))
        return [f"{validation.counted(len(self.undefined), 'slice')} without a value left out ({reasons})."]

    # ---- each slice against the rest

    def tests(self, asked: _Asked) -> _Tests:
        """Compare each slice with its rest."""
        if self.is_auc:
            return self._area_tests(asked)
        if self.counts is not None:
            return self._share_tests(asked)
        return self._other_tests(asked)

    @cached_property
    def slicing(self) -> Slicing | None:
        """The cases of all slices one by one, where they are whole and not too many."""
        rankings = [ev.ranking for ev in self.slices.values()]
        if not all(r.integral and r.exact for r in rankings) or sum(int(r.total) for r in rankings) > MOST_IN_SUMMARY:
            return None
        parts = [
            (np.repeat(r.score, cells), np.full(int(cells.sum()), positive), np.full(int(cells.sum()), i))
            for i, r in enumerate(rankings)
            for positive, cells in ((True, r.pos), (False, r.neg))
        ]
        score, positive, number = (np.concatenate(column) for column in zip(*parts, strict=True))
        score = score if rankings[0].higher_is_positive else -score
        return Slicing.of(positive, score, number, len(rankings))

    def _areas(self) -> Areas:
        """Return the AUCs of the slices with a value and of their rests."""
        if self.slicing is not None:
            which = [i for i, key in enumerate(self.slices) if key in set(self.keys)]
            return Areas(*(column[which] for column in self.slicing.areas))
        rests = [self._rest(key).ranking for key in self.keys]
        return Areas(
            self.values,
            self.variances,
            np.array([float(MEASURES["auc"].compute(r)) for r in rests]),
            np.array([float(delong.variance(r)) for r in rests]),
        )

    def _rest(self, key: Any) -> Evaluation:
        if not self.slices.has_common_cut and self.measure.needs is Needs.COUNTS:
            raise InputError(
                f"The slices have different thresholds, so {self.measure.name} of the rest is undefined",
                "pass a rate such as recall, or one threshold",
            )
        rest = merge(ev.ranking for other, ev in self.slices.items() if other != key)
        return Evaluation(rest, threshold=self.slices[key].threshold)

    def _is_tested(self, least: Iterable[float]) -> Array:
        return np.array([fewest >= FEWEST for fewest in least])

    def _area_tests(self, asked: _Asked) -> _Tests:
        areas = self._areas()
        tested = self._is_tested(_fewest(ev.ranking) for ev in self.evaluations) & np.isfinite(areas.rest_variance)
        cases = sum(int(ev.ranking.total) for ev in self.slices.values())
        adjust = asked.adjust
        if adjust == "auto":
            adjust = "westfall_young" if self.slicing is not None and cases <= MOST_CASES else "holm"
        if adjust == "westfall_young":
            if self.slicing is None:
                raise InputError(
                    "The permutation test needs whole cases one by one, which these slices do not hold",
                    "pass adjust='holm'",
                )
            every = np.zeros(len(self.slices), bool)
            which = [i for i, key in enumerate(self.slices) if key in set(self.keys)]
            every[which] = tested
            if not every.any():
                p = adjusted = np.full(len(self.keys), np.nan)
            else:
                made = permutation_test(
                    self.slicing,
                    every,
                    alternative=asked.side,
                    margin=asked.shift,
                    permutations=asked.permutations,
                    seed=asked.seed,
                )
                p, adjusted = made.p_value[which], made.adjusted[which]
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = simultaneous.logit_z(areas.area, areas.variance, areas.rest + asked.shift, areas.rest_variance)
            p = np.where(tested, simultaneous.normal_p(z, asked.side), np.nan)
            adjusted = simultaneous.adjusted(p, adjust)
        own = _logit_limits(areas.area, areas.variance, asked.level, self)
        rest = _logit_limits(areas.rest, areas.rest_variance, asked.level, self)
        return self._rows(asked, areas.rest, own, rest, p, adjusted, "delong_logit", adjust)

    def _share_tests(self, asked: _Asked) -> _Tests:
        k, n = self.counts  # type: ignore[misc]
        if self.undefined:  # their cases belong to the rest all the same
            kind: Any = self.measure.kind
            pairs = [kind.of(self._counts_of(ev)) for ev in self.slices.values()]
            total = [float(sum(float(pair[i]) for pair in pairs)) for i in (0, 1)]
        else:
            total = [float(k.sum()), float(n.sum())]
        rest_k, rest_n = total[0] - k, total[1] - n
        then: Any = self.measure.kind.then  # type: ignore[union-attr]
        with np.errstate(divide="ignore", invalid="ignore"):
            rest_share = np.true_divide(rest_k, rest_n)
        rest = np.array([then(share) for share in rest_share])
        level = sidak(asked.level, len(self.slices))
        own, other = (
            Limits(*(np.array([then(limit) for limit in side]) for side in wilson(counts[0], counts[1], level)))
            for counts in ([k, n], [rest_k, rest_n])
        )
        tested = self._is_tested(n) & (rest_n >= FEWEST)
        adjust = "holm" if asked.adjust in ("auto", "westfall_young") else asked.adjust
        if asked.shift:
            p = _mover_p(self.values - rest - asked.shift, self.values, rest, own, other, quantile(level), asked.side)
        else:
            whole = [np.rint(column).astype(np.int64) for column in (k, n, rest_k, rest_n)]
            p = simultaneous.fisher_p(whole[0], whole[1], whole[2], whole[3], asked.side)
        p = np.where(tested, p, np.nan)
        return self._rows(
            asked,
            rest,
            own,
            other,
            p,
            simultaneous.adjusted(p, adjust),
            "newcombe_pairs" if asked.shift else "fisher",
            adjust,
        )

    def _other_tests(self, asked: _Asked) -> _Tests:
        rests = [self._rest(key) for key in self.keys]
        level = sidak(asked.level, len(self.slices))
        values = np.array([rest.value(self.measure, **self.parameters) for rest in rests])
        own, other = (self._own_limits(some, level) for some in (self.evaluations, rests))
        tested = self._is_tested(_fewest(ev.ranking) for ev in self.evaluations)
        p = _mover_p(self.values - values - asked.shift, self.values, values, own, other, quantile(level), asked.side)
        p = np.where(tested, p, np.nan)
        adjust = "holm" if asked.adjust in ("auto", "westfall_young") else asked.adjust
        return self._rows(asked, values, own, other, p, simultaneous.adjusted(p, adjust), "mover_pairs", adjust)

    def _rows(
        self,
        asked: _Asked,
        rest: Array,
        own: Limits,
        other: Limits,
        p: Array,
        adjusted: Array,
        method: str,
        adjust: str,
    ) -> _Tests:
        difference = self.values - rest
        low = difference - np.hypot(self.values - own.low, other.high - rest)
        high = difference + np.hypot(own.high - self.values, rest - other.low)
        rows = []
        for key, ev in self.slices.items():
            r = ev.ranking
            facts = {
                "key": key,
                "slice": self.slices.label(key),
                "cases": r.total.item(),
                "prevalence": _prevalence(r),
            }
            if key not in self.keys:
                rows.append(RestRow(**facts, verdict=f"undefined: {self.undefined[key]}"))
                continue
            i = self.keys.index(key)
            columns = (self.values, rest, difference, low, high, p, adjusted)
            numbers: dict[str, Any] = dict(zip(NUMBERS, (float(column[i]) for column in columns), strict=True))
            verdict = self._verdict(numbers["difference"], numbers["p_adjusted"], asked.level)
            rows.append(RestRow(**facts, **numbers, verdict=verdict))
        return _Tests(method, adjust, tuple(rows))

    def _verdict(self, difference: float, p: float, level: float) -> str:
        if math.isnan(p):
            return "not tested: too few cases"
        if p > 1 - level:
            return ""
        if self.measure.better is None:
            return "higher" if difference > 0 else "lower"
        return "better" if (difference > 0) == (self.measure.better == "higher") else "worse"


def _logit_limits(areas: Array, variances: Array, level: float, found: _Measured) -> Limits:
    """Return limits of AUCs at the level that makes all slices hold together; those of an AUC of 0 or 1 are its own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = delong.delong_logit(areas, variances, sidak(level, len(found.slices)))
    known = np.isfinite(low) & np.isfinite(high)
    return Limits(np.where(known, low, areas), np.where(known, high, areas))


def _mover_p(excess: Array, values: Array, rest: Array, own: Limits, other: Limits, z: float, side: str) -> Array:
    """Return p-values of differences whose standard error on the side of the hypothesis the limits give."""
    below = np.hypot(values - own.low, other.high - rest) / z
    above = np.hypot(own.high - values, rest - other.low) / z
    with np.errstate(divide="ignore", invalid="ignore"):
        return simultaneous.normal_p(excess / np.where(excess > 0, below, above), side)


# ---------------------------------------------------------------------- results


@dataclass(frozen=True, eq=False)
class AgainstRest(Tabulated):
    """Each slice beside all other cases."""

    slices: Slices
    measure: Measure
    level: float
    alternative: str
    margin: float
    method: str
    adjust: str
    rows: tuple[RestRow, ...]
    notes: tuple[Note, ...] = ()

    @property
    def significant(self) -> tuple[RestRow, ...]:
        """The slices that differ: the worse ones first, and of these the most certain."""
        found = [row for row in self.rows if row.p_adjusted <= 1 - self.level]
        first = ("worse", "lower")
        return tuple(sorted(found, key=lambda row: (row.verdict not in first, row.p_adjusted, -abs(row.difference))))

    @property
    def name(self) -> str:
        """The measure in a sentence."""
        title = self.measure.title
        return "AUC" if self.measure.name == "auc" else title if title.isupper() else title[:1].lower() + title[1:]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        names = ("slice", "cases", "prevalence", "value", "rest", "difference", "low", "high")
        rows = tuple(
            (*(getattr(row, name) for name in names), row.p_value, row.p_adjusted, row.verdict) for row in self.rows
        )
        title = f"{self.measure.title} of each slice by {self.slices.by} against all other cases"
        return Table((*names, "p", "p_adjusted", "verdict"), rows, title, below=(self.verdict, self.how))

    @property
    def how(self) -> str:
        """How the comparison was made, in a sentence."""
        if self.adjust == "westfall_young":
            test = "p-values by permutation within each class, adjusted for all slices (Westfall-Young)"
        else:
            test = f"p-values by {method_title(self.method)}, {_ADJUSTED[self.adjust]}"
        question = {"two-sided": "differs", "worse": "is worse", "better": "is better"}[self.alternative]
        by = f" by more than {self.margin:g}" if self.margin else ""
        return f"Test whether a slice {question}{by}: {test}; the intervals hold together ({100 * self.level:g} %)."

    @property
    def verdict(self) -> str:
        """Who is served worse, in a sentence."""
        found = self.significant
        after = "" if self.adjust == "none" else f" after {_ADJUSTED[self.adjust]}"
        tested = sum(not math.isnan(row.p_adjusted) for row in self.rows)
        if not tested:
            return f"No slice has enough cases to be compared with the rest ({FEWEST} of each class)."
        if not found:
            least = min(row.p_adjusted for row in self.rows if not math.isnan(row.p_adjusted))
            what = {"two-sided": "differs from", "worse": "is worse than", "better": "is better than"}[self.alternative]
            return f"No slice {what} the rest in {self.name} (smallest p {p_shown(least)}{after}, {tested} slices)."
        parts = [self._phrase(row, after if not i else "", is_first=not i) for i, row in enumerate(found[:3])]
        more = len(found) - len(parts)
        end = f"{more} more slices differ" if more else "no other slice differs"
        return f"{_capital('; '.join(parts))}; {end}."

    def _phrase(self, row: RestRow, after: str, *, is_first: bool) -> str:
        verb = "ranks" if self.measure.name == "auc" else "does"
        how = f"{verb} {row.verdict}" if row.verdict in ("worse", "better") else f"is {row.verdict}"
        name = f"{self.name} " if is_first else ""
        values = f"{name}{row.value:.3f} against {row.rest:.3f}, p {p_shown(row.p_adjusted)}{after}"
        return f"{self.slices.title(row.key)} {how} than the rest: {values}"

    @property
    def forest(self) -> dict[str, Any]:
        """What the forest plot shows: each slice with its simultaneous interval, and the value of all cases."""
        level = sidak(self.level, len(self.slices))
        overall = self.slices.overall.value(self.measure)
        rows = []
        for row in self.rows:
            if math.isnan(row.value):
                continue
            own = self.slices[row.key].estimate(self.measure, level=level)
            rows.append(
                {"slice": row.slice, "cases": plain(row.cases), "value": row.value, "low": plain(own.low)}
                | {"high": plain(own.high), "verdict": row.verdict, "p": plain(row.p_adjusted)}
            )
        words = f"{100 * self.level:g} % intervals that hold for all slices together"
        return {
            "measure": self.measure.title,
            "by": self.slices.by,
            "overall": plain(overall),
            "rows": rows,
            "verdict": self.verdict,
            "words": words,
        }

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "schema": "cutline/against_rest/1",
            "measure": self.measure.name,
            "by": self.slices.by,
            "level": self.level,
            "alternative": self.alternative,
            "margin": self.margin,
            "method": self.method,
            "adjust": self.adjust,
            "verdict": self.verdict,
            "slices": self.to_dict(),
        }

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, eq=False)
class PooledSlices(Tabulated):
    """Slices pulled towards the mean of all slices, with what is known about how much they differ."""

    measure: Measure
    level: float
    mean: float
    pooling: Pooled
    equality: Equality
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[Note, ...] = ()

    @property
    def tau(self) -> float:
        """The standard deviation between slices, on the scale of the pooling."""
        return math.sqrt(self.pooling.tau2)

    @property
    def table(self) -> Table:
        """The rows as a table."""
        e = self.equality
        spread = (
            f"Mean of all slices {shown(self.mean)}; spread between slices (tau) {shown(self.tau)}; "
            f"{100 * e.inconsistency:.0f} % of the variation is more than chance (I squared)."
        )
        below = [
            spread,
            f"Test that all slices are equal: Q = {e.statistic:.4g}, df {e.freedom}, p {p_shown(e.p_value)}.",
        ]
        if len(self.rows) < simultaneous.FEWEST_FOR_MORRIS:
            below.append("Fewer than five slices: no intervals of the pooled values.")
        return Table(
            ("slice", "value", "pooled", "low", "high", "pull"),
            self.rows,
            f"{self.measure.title}: slices pulled towards the mean of all slices",
            below=tuple(below),
        )

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, eq=False)
class Fairness(Tabulated):
    """The criteria of group fairness, each an estimate."""

    slices: Slices
    level: float
    estimates: Mapping[str, Estimate]
    missing: Mapping[str, str]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, criterion: str) -> Estimate:
        return self.estimates[criterion]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        rows = [
            (name, one.value, one.low, one.high, method_title(one.method), " ".join(one.notes))
            for name, one in self.estimates.items()
        ]
        rows += [(name, math.nan, math.nan, math.nan, "", reason) for name, reason in self.missing.items()]
        cut = self.slices.overall.cut.words(self.slices.overall.ranking)
        rates = [
            f"{self.slices.label(key)} {100 * _prevalence(ev.ranking):.1f} %"
            for key, ev in list(self.slices.items())[:12]
        ]
        more = "" if len(self.slices) <= 12 else ", ..."
        below = (
            f"{100 * self.level:g} % intervals of the largest difference between any two slices.",
            f"Prevalences: {', '.join(rates)}{more}.",
            "Different prevalences alone move the share of flagged cases and the precision.",
        )
        title = f"Fairness by {self.slices.by}; predicted positive: {cut}"
        return Table(("criterion", "value", "low", "high", "method", "note"), tuple(rows), title, ("method",), below)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def _fairness(slices: Slices, level: float) -> Fairness:
    """Estimate each criterion that the slices allow."""
    estimates: dict[str, Estimate] = {}
    missing: dict[str, str] = {}
    measured = {}
    for criterion, name in _FAIRNESS_RATES.items():
        found = measured[name] = _Measured.of(slices, name, {})
        if len(found.keys) < 2:
            missing[criterion] = f"fewer than two slices have a value of {name}"
            continue
        pairs = found.pairs(simultaneous.tukey_quantile(level, len(found.keys)))
        estimates[criterion] = found.gap_estimate(pairs, level)
        if name == "predicted_positive_rate" and found.counts is not None:
            estimates["Demographic parity ratio"] = _parity_ratio(found, level)
    rates = [measured["recall"], measured["fpr"]]
    if all(len(found.keys) >= 2 for found in rates):
        # The positives and the negatives are different cases: both families of pairs hold at the square root.
        joint = simultaneous.sidak_level(level, 2)
        families = [f.pairs(simultaneous.tukey_quantile(joint, len(f.keys))) for f in rates]
        value, limits = simultaneous.joint_gap(families)
        notes = (MAY_BE_EQUAL,) if limits.low == 0 else ()
        estimates["Equalised odds difference"] = Estimate(
            "equalised odds difference", value, *limits, level, "newcombe_pairs", notes
        )
    extra = {"AUC gap": "auc"}
    if slices.overall.ranking.are_probabilities:
        extra["Calibration gap (observed over expected)"] = "o_e_ratio"
    else:
        missing["Calibration gap (observed over expected)"] = "the scores are not probabilities"
    for criterion, name in extra.items():
        found = _Measured.of(slices, name, {})
        if len(found.keys) < 2:
            missing[criterion] = f"fewer than two slices have a value of {name}"
            continue
        pairs = found.pairs(simultaneous.tukey_quantile(level, len(found.keys)))
        estimates[criterion] = found.gap_estimate(pairs, level)
    return Fairness(slices, level, estimates, missing)


def _parity_ratio(found: _Measured, level: float) -> Estimate:
    k, n = found.counts  # type: ignore[misc]
    ratio = simultaneous.smallest_ratio(k, n, simultaneous.tukey_quantile(level, len(found.keys)))
    notes = ["Smallest over largest share of flagged cases; below 0.8 the four-fifths rule is broken."]
    if ratio.is_corrected:
        notes.append("A slice has no flagged case: half a case was added to both counts of every slice.")
    if ratio.limits.high == 1:
        notes.append("The upper limit is 1: the slices may be equal.")
    return Estimate("demographic parity ratio", ratio.value, *ratio.limits, level, "log_ratio_pairs", tuple(notes))


# ---------------------------------------------------------------------- from rows to slices


def evaluate_slices(
    labels: Any, scores: Any, weights: Any, by: Any, *, data: Any, how: Mapping[str, Any], cut: Mapping[str, Any]
) -> Slices:
    """Evaluate each slice; `by` holds the value of each case, or with `data` names the columns that do.

    Args:
        labels: As in `evaluate`.
        scores: As in `evaluate`.
        weights: As in `evaluate`.
        by: The values; a mapping of names to values, which are crossed; or with `data` the names of columns, in a
            mapping with the ranges that make slices of each.
        data: As in `evaluate`.
        how: The options of `evaluate` that say how the columns are read.
        cut: Those that say where to cut; a mapping as threshold gives each slice its own.
    """
    if data is None:
        values = dict(by) if isinstance(by, Mapping) else {"slice": by}
        found = {"labels": labels, "scores": scores, "weights": weights}
        rows = {key: value for key, value in found.items() if value is not None}
        rankings, left_out = _of_rows(rows, values, dict.fromkeys(values), how)
        return _slices(rankings, tuple(values), cut, left_out)
    rules = slice_rules(by)
    asked = column_source.asked_of(labels, scores, weights, positive=how.get("positive"))
    source = column_source.opened(data, memory=how.get("memory"))
    more = {_key(i): column_source.Ask("groups", name) for i, name in enumerate(rules)}
    column_source.check(source, {**asked, **more})
    engine = source.engine(asked)
    if engine is not None and out_of_core.is_large(engine) and list(rules.values()) == [None]:
        rankings = _one_by_one(source, (labels, scores, weights), next(iter(rules)), how)
        return _slices(rankings, tuple(rules), cut, 0)
    with column_source.reading(source, {**asked, **more}, any_order=True) as rows:
        values = {name: rows.pop(_key(i)) for i, name in enumerate(rules)}
        rankings, left_out = _of_rows(rows, values, rules, how)
        return _slices(rankings, tuple(rules), cut, left_out)


def _key(number: int) -> str:
    return "by" if not number else f"by{number}"


def _slices(rankings: Mapping[Any, Ranking], columns: tuple[str, ...], cut: Mapping[str, Any], left_out: int) -> Slices:
    """Evaluate the slices at one cut and as one kind of score, decided on all cases."""
    options = dict(cut)
    own = options.pop("threshold", None)
    merged = merge(rankings.values())
    if not merged.are_probabilities:
        rankings = {key: replace(r, are_scores=True) if r.are_probabilities else r for key, r in rankings.items()}
    if isinstance(own, Mapping):
        lacking = [key for key in rankings if key not in own]
        if lacking:
            raise ParameterError(
                f"has no value for the slice {lacking[0]!r}", "pass one for each slice", argument="threshold"
            )
        overall = Evaluation(merged, **options)
        thresholds = {key: validation.check_number(own[key], "threshold") for key in rankings}
    else:
        overall = Evaluation(merged, threshold=own, **options)
        thresholds = dict.fromkeys(rankings, overall.threshold)
    filled = {name: options.get(name) for name in ("quota", "share")}
    if any(value is not None for value in filled.values()):  # a quota is filled in each slice
        made = {key: Evaluation(ranking, name=options.get("name"), **filled) for key, ranking in rankings.items()}
        return Slices(made, " and ".join(columns), overall, columns, left_out)
    made = {
        key: Evaluation(ranking, threshold=thresholds[key], name=options.get("name"))
        for key, ranking in rankings.items()
    }
    return Slices(made, " and ".join(columns), overall, columns, left_out)


def _of_rows(
    found: Mapping[str, Any], values: Mapping[str, Any], rules: Mapping[str, Any], how: Mapping[str, Any]
) -> tuple[dict[Any, Ranking], int]:
    """Rank the slices of rows that are here, and count the rows without a slice."""
    rest: dict[str, Any] = {key: validation.column(value, key) for key, value in found.items()}
    keys = {name: validation.column(column, "by") for name, column in values.items()}
    for name, column in (*rest.items(), *(("by", column) for column in keys.values())):
        if len(column) != len(rest["labels"]):
            found_many = f"has {len(column)} values but labels has {len(rest['labels'])}"
            raise InputError(found_many, "pass one for each label", argument=name)
    absent = np.zeros(len(rest["labels"]), bool)
    for column in keys.values():
        mask = validation.missing_mask(column)
        if mask is not None and mask.any():
            if how.get("missing") != "drop":
                raise validation.missing_error("by", mask, None)
            absent |= mask
    if absent.all():
        raise InputError("holds no value", "pass a column with values", argument="by")
    if absent.any():
        keys = {name: column[~absent] for name, column in keys.items()}
        rest = {key: value[~absent] for key, value in rest.items()}
    codes, names = cross_slices([code_slices(name, column, rules[name]) for name, column in keys.items()])
    check_few(len(names))
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    options: dict[str, Any] = {key: value for key, value in how.items() if key not in ("exact", "memory")}
    options["positive"] = _positive(rest["labels"], options.get("positive"))
    return {
        name: rank(**({key: column[order[start:end]] for key, column in rest.items()} | options))
        for name, start, end in zip(names, ends[:-1], ends[1:], strict=True)
    }, int(absent.sum())


def _positive(labels: Array, positive: Any) -> Any:
    """Return the positive label that all labels together tell, so that a slice of one class knows it too."""
    if positive is not None:
        return positive
    present = labels[~mask] if (mask := validation.missing_mask(labels)) is not None else labels
    return None if not len(present) else rank(present, np.zeros(len(present))).positive


def _one_by_one(source: Any, named: tuple[Any, Any, Any], by: str, how: Mapping[str, Any]) -> dict[Any, Ranking]:
    """Rank the slices of data that are too many to collect, aggregated one after the other."""
    asked = {"by": column_source.Ask("groups", by), "text": column_source.Ask("groups", by, as_text=True)}
    grouped = source.grouped(asked)
    found = source.rows(asked) if grouped is None else grouped[0]
    values, texts = (validation.column(found[name], "by") for name in asked)
    if grouped is None:  # the rows are here: each value once
        first = np.unique(texts.astype(str), return_index=True)[1]
        values, texts = values[first], texts[first]
    absent = validation.missing_mask(values)
    if absent is not None and absent.any():
        if how.get("missing") != "drop":
            raise InputError("holds missing values", "fill them, or pass missing='drop'", argument="by")
        values, texts = values[~absent], texts[~absent]
    codes, keys = code_slices(by, values)
    check_few(len(keys))
    parts: dict[Any, list[Ranking]] = {key: [] for key in keys}
    for code, text in zip(codes.tolist(), texts.tolist(), strict=True):
        parts[keys[code]].append(rank(*named, data=source.restricted(by, text), **how))
    return {key: some[0] if len(some) == 1 else merge(some) for key, some in parts.items()}
