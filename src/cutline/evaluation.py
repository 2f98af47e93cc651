"""evaluate(): from predictions to every measure, on demand."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cutline.core import columns
from cutline.core.checks import LEVEL, check_whole
from cutline.core.counts import Counts, written
from cutline.core.errors import CutlineError, ParameterError, UnavailableError, near
from cutline.core.parallel import each
from cutline.core.ranking import Ranking, cases_of
from cutline.core.table import Table, plain
from cutline.inference.one.estimand import Estimand, of_function, of_measure
from cutline.inference.one.intervals import Options, by_formula, checked, estimates
from cutline.inference.permutation import PermutationTest, permute_labels
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inputs import sources
from cutline.inputs.alignment import groups_of
from cutline.inputs.predictions import Missing, complete, cut, places, rank
from cutline.measures import MEASURES, Family, Measure, Needs
from cutline.measures.definition import DEFAULT_THRESHOLD
from cutline.results.estimate import Estimate
from cutline.results.notes import Remark, remarks

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from cutline.calibration import Calibration
    from cutline.charts import Picture
    from cutline.curves import Curve


# Measures times distinct scores that are resampled in a second or so.
QUICKLY_RESAMPLED = 40_000

# The columns of a summary.
_SUMMARY = (
    *("measure", "title", "family", "value", "low", "high", "method"),
    *("knowing nothing", "better", "unit", "reason", "note"),
)


def evaluate(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float = DEFAULT_THRESHOLD,
    name: str | None = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    groups: Any = None,
    data: Any = None,
) -> Evaluation:
    """Evaluate the predictions of one model.

    `labels`, `scores` and `weights` are columns of one length; see `rank` for what they may hold. `threshold` is the
    cut at which the measures of one cut are read: a case is predicted positive when its score is at or above it.
    `groups` names for each case the group it belongs to, such as a patient with several visits: intervals then resample
    whole groups, because the cases of one are not independent. With `data`, a data frame of any kind or the path of a
    file (CSV, Parquet, JSON lines, Arrow), these four are names of its columns.

    >>> ev = evaluate([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.2])
    >>> round(ev.auc, 6), round(ev.precision, 6), round(ev.value("f_beta", beta=2), 6)
    (0.833333, 0.666667, 0.666667)
    """
    threshold = columns.number(threshold, "threshold")
    if data is not None and groups is not None:  # whole groups are drawn row by row
        asked = sources.asked_of(labels, scores, weights, groups, positive=positive)
        with sources.reading(sources.opened(data), asked) as found:
            return evaluate(
                **found,
                positive=positive,
                threshold=threshold,
                name=name,
                missing=missing,
                higher_is_positive=higher_is_positive,
            )
    if groups is None:
        how = {"positive": positive, "higher_is_positive": higher_is_positive, "missing": missing}
        return Evaluation(rank(labels, scores, weights, data=data, **how), threshold, name)
    cases = complete(labels, scores, weights, positive=positive, missing=missing)
    ranking = cases.ranked(higher_is_positive=higher_is_positive)
    sampler = GroupSampler.of(ranking, cases.is_positive, cases.scores, cases.weights, groups_of(groups, cases))
    return Evaluation(ranking, threshold, name, sampler)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What can be said about one model's predictions. Every measure is an attribute, by name or alias."""

    ranking: Ranking
    threshold: float = DEFAULT_THRESHOLD
    name: str | None = None
    groups: GroupSampler | None = None

    # ------------------------------------------------------------------ one number

    def value(self, measure: str | Measure, **parameters: Any) -> float:
        """The value of a measure; NaN where it is undefined, and `reason` says why."""
        chosen = MEASURES[measure]
        data, parameters = self._prepare(chosen, parameters)
        return float(chosen.compute(data, **parameters))

    def reason(self, measure: str | Measure, **parameters: Any) -> str:
        """Why a measure is undefined here, in words; empty when it has a value."""
        chosen = MEASURES[measure]
        if not chosen.fits(self.ranking):
            return chosen.reason(self.ranking)
        data, parameters = self._prepare(chosen, parameters)
        return chosen.reason(data, **parameters)

    def threshold_of(self, measure: str | Measure, **parameters: Any) -> float:
        """The threshold where a measure that searches the cuts, such as max_youden_j, found its value."""
        return MEASURES[measure].threshold(self.ranking, **parameters)

    def _prepare(self, measure: Measure, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return measure.prepare(self.ranking, self.completed(measure, parameters))

    def completed(self, measure: Measure, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a measure, with the threshold of this evaluation where a cut is needed and not named."""
        if measure.needs is Needs.COUNTS and not parameters.keys() & {"threshold", "quota", "share"}:
            return {**parameters, "threshold": self.threshold}
        return dict(parameters)

    # ------------------------------------------------------------------ chance

    def permutation_test(
        self, measure: str | Measure = "auc", *, permutations: int = 2000, seed: int = 0, **parameters: Any
    ) -> PermutationTest:
        """Whether the scores have to do with the labels: how often shuffled labels give as good a value.

        >>> ev = evaluate([1, 1, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
        >>> ev.permutation_test("auc", permutations=999).value  # 1 of the 20 ways to place three labels does as well
        1.0
        """
        permutations, seed = check_whole(permutations, "permutations", 1), check_whole(seed, "seed", 0)
        if self.groups is not None:
            raise ParameterError(
                "permutation_test shuffles the labels of independent cases, but these come in groups",
                "ask for estimate(), whose interval resamples whole groups",
            )
        chosen = MEASURES[measure]
        return permute_labels(self.ranking, chosen, self.completed(chosen, parameters), permutations, seed)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name not in MEASURES:
            hint = near(name, MEASURES.names)
            raise UnavailableError(f"Evaluation has no {name!r}, and no measure is called so.{hint}")
        try:
            return self.value(name)
        except CutlineError as error:  # so that hasattr() answers instead of raising
            raise UnavailableError(str(error)) from error

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *MEASURES.names]

    # ------------------------------------------------------------------ how sure

    def estimate(
        self,
        measure: str | Measure | Callable[..., float],
        level: float = LEVEL,
        method: str = "auto",
        *,
        resamples: int = 2000,
        seed: int = 0,
        stratified: bool = False,
        **parameters: Any,
    ) -> Estimate:
        """A measure with its interval; `method="auto"` chooses by what the measure is, and the result names the choice.

        `measure` may be a function of yours: of the `Ranking`, or, with `threshold`, `quota` or `share`, of the
        `Counts` of that cut. The last options are for the bootstrap.

        >>> ev = evaluate([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])
        >>> ev.estimate("recall", method="clopper_pearson", threshold=0.55)
        recall 0.6000 [0.1466, 0.9473] (95 %, clopper_pearson)
        """
        options = Options(level, method, resamples, seed, stratified)
        return estimates([self._estimand(measure, parameters)], options, self.groups)[0]

    def estimates(
        self,
        measures: Iterable[str | Measure | Callable[..., float]] | str | Measure,
        level: float = LEVEL,
        method: str = "auto",
        *,
        resamples: int = 2000,
        seed: int = 0,
        stratified: bool = False,
    ) -> list[Estimate]:
        """Several measures with their intervals, those of the bootstrap on the same resamples."""
        options = Options(level, method, resamples, seed, stratified)
        listed = [measures] if isinstance(measures, str | Measure) else measures
        return estimates([self._estimand(measure, {}) for measure in listed], options, self.groups)

    def _estimand(self, measure: str | Measure | Callable[..., float], parameters: dict[str, Any]) -> Estimand:
        grouped = self.groups is not None
        if callable(measure) and not isinstance(measure, Measure):
            return of_function(measure, self.ranking, parameters, grouped=grouped)
        chosen = MEASURES[measure]
        return of_measure(chosen, self.ranking, self.completed(chosen, parameters), grouped=grouped)

    # ------------------------------------------------------------------ one cut

    def at(self, *, threshold: float | None = None, quota: float | None = None, share: float | None = None) -> Counts:
        """The counts of one cut: of a threshold, of a quota of places, or of a share of the list.

        >>> evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).at(quota=2)  # the second place goes to one of two tied cases
        Counts(tp=1.5, fp=0.5, fn=0.5, tn=1.5, threshold=0.6)
        """
        return cut(self.ranking, threshold=threshold, quota=quota, share=share)

    @property
    def counts(self) -> Counts:
        """The counts at the threshold of this evaluation."""
        return self.at(threshold=self.threshold)

    # ------------------------------------------------------------------ curves and pictures

    def calibration(self, **options: Any) -> Calibration:
        """Whether the probabilities can be trusted: numbers, a test, a bound and a verdict; see `calibration()`."""
        from cutline.calibration import calibration

        return calibration(self, **options)

    def curve(self, name: str, **parameters: Any) -> Curve:
        """A curve by its name, or any measure of one cut over the threshold: `CURVES` lists them.

        >>> evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).curve("roc").area
        0.875
        """
        from cutline.curves import curve

        return curve(self.ranking, name, **parameters)

    def chart(self, name: str, **parameters: Any) -> Picture:
        """A chart by its name: a picture that shows itself in a notebook and saves itself as a file."""
        from cutline.charts import chart

        return chart(name, self, **parameters)

    # ------------------------------------------------------------------ many numbers

    def summary(
        self,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        *,
        family: Family | str | None = None,
        quota: float | None = None,
        share: float | None = None,
        intervals: bool | Literal["bootstrap", "formula"] = True,
        level: float = LEVEL,
        resamples: int = 2000,
        seed: int = 0,
    ) -> Table:
        """A table of measures: values, intervals, what a model that knows nothing would get, and why one is undefined.

        All of them, unless `measures` or `family` says which; those of a quota only with `quota` or `share`. Each has
        its interval, by formula or by resampling; where there is so much to resample that it takes more than a second
        or two, only `intervals="bootstrap"` does it. `intervals="formula"` resamples nothing, and `intervals=False`
        leaves all out. The column `note` says what qualifies an interval.
        """
        if intervals not in (True, False, "bootstrap", "formula"):
            raise ParameterError(
                f"is {intervals!r}", "pass True, False, 'bootstrap' or 'formula'", argument="intervals"
            )
        if measures is None:
            chosen = MEASURES.search(family=family)
            if self.ranking.are_probabilities:  # which are no signed distances
                chosen = [m for m in chosen if m.needs is not Needs.MARGINS]
        else:
            chosen = [
                MEASURES[measure] for measure in ([measures] if isinstance(measures, str | Measure) else measures)
            ]
        if quota is not None or share is not None:
            j = float(places(self.ranking, quota=quota, share=share))
            chosen = [m.with_(quota=int(j) if j.is_integer() else j) if "quota" in m.parameters else m for m in chosen]
        elif measures is None:
            chosen = [m for m in chosen if not m.required]
        options = checked(Options(level, resamples=resamples, seed=seed))
        n, grouped = len(self.ranking), self.groups is not None
        fitting = [m for m in chosen if m.fits(self.ranking)]
        estimands = each(lambda m: self._estimand(m, {}), fitting, n)
        found: list[Estimate | None] = [None] * len(estimands)
        if intervals:
            found = each(lambda t: by_formula(t, options.level, grouped=grouped), estimands, n)
            left = [i for i, one in enumerate(found) if one is None]
            if intervals == "bootstrap" or (intervals is True and len(left) * n <= QUICKLY_RESAMPLED):
                resampled = estimates([estimands[i] for i in left], options, self.groups)
                for i, one in zip(left, resampled, strict=True):
                    found[i] = one
        known = {m: pair for m, *pair in zip(fitting, estimands, found, strict=True)}
        rows = (self._row(m, *known.get(m, (None, None))) for m in chosen)
        return Table(_SUMMARY, tuple(rows), title=self._heading(), hidden=("title", "family", "method", "note"))

    def _row(self, measure: Measure, estimand: Estimand | None, found: Estimate | None) -> tuple[Any, ...]:
        value, baseline, reason = math.nan, None, "" if estimand else measure.reason(self.ranking)
        if estimand is not None:
            data, parameters = self._prepare(measure, {})
            value, reason = estimand.value, estimand.reason or ("infinite" if math.isinf(estimand.value) else "")
            baseline = plain(measure.baseline_value(data, **{**measure.bound, **parameters}))
        has_interval = found is not None and found.has_interval
        interval = (found.low, found.high, found.method) if found and has_interval else (None, None, "")
        names = str(measure), measure.title, measure.family.name.lower()
        note = "" if found is None or math.isnan(value) else " ".join(found.notes)
        return *names, value, *interval, baseline, measure.better, measure.unit, reason, note

    @property
    def notes(self) -> list[str]:
        """What the reader of the numbers should know about the data, in plain words."""
        return [remark.text for remark in self.remarks]

    @property
    def remarks(self) -> list[Remark]:
        """The notes, each with the name of its rule."""
        return [*remarks(self.ranking, self.threshold, self.groups.groups if self.groups else 0)]

    def to_dict(self, summary: Table | None = None, *, level: float = LEVEL) -> dict[str, Any]:
        """All that is known, ready for JSON (docs/schema.json); what is not a finite number is None, with its reason.

        `summary` is a finished one, of the measures, intervals and `level` that are wanted; all measures without.
        """
        r = self.ranking
        rows = (self.summary(level=level) if summary is None else summary).to_dict()
        return {
            "schema": "cutline/evaluation/1",
            "name": self.name,
            "positive": _json_label(r.positive),
            "cases": r.total.item(),
            "positives": r.positives.item(),
            "negatives": r.negatives.item(),
            "distinct_scores": len(r),
            "dropped": r.dropped,
            "threshold": plain(self.threshold),
            "higher_is_positive": r.higher_is_positive,
            "counts": self.counts.to_dict(),
            "level": level,
            "measures": [{name.replace(" ", "_"): value for name, value in row.items()} for row in rows],
            "notes": self.notes,
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The summary as a data frame of pandas, polars or pyarrow."""
        return self.summary().to_frame(backend)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, level: float = LEVEL) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the ROC curve (.png, .svg, .pdf), by the suffix."""
        from cutline.report import save

        return save(self, path, overwrite=overwrite, level=level)

    # ------------------------------------------------------------------ looks

    def _heading(self) -> str:
        r = self.ranking
        name = f"{self.name}: " if self.name else ""
        rule = ">=" if r.higher_is_positive else "<="
        share = f"{100 * r.positives / r.total:.3g} %"
        return (
            f"{name}{cases_of(r)}, {written(r.positives)} positive ({share}; positive is {r.positive!r}), "
            f"{columns.counted(len(r), 'distinct score')}; predicted positive: score {rule} {self.threshold:g}"
        )

    def _headlines(self) -> Table:
        rows = []
        for row in self.summary(m for m in MEASURES if m.headline):
            unit = f" ({row['unit']})" if row["unit"] else ""
            rows.append(
                (row["title"] + unit, *(row[name] for name in ("value", "low", "high", "knowing nothing", "reason")))
            )
        return Table(("measure", "value", "low", "high", "knowing nothing", "why"), tuple(rows))

    def __repr__(self) -> str:
        c = self.counts
        cells = [("tp", c.tp), ("fp", c.fp), ("fn", c.fn), ("tn", c.tn)]
        counts = ", ".join(f"{name} {written(count)}" for name, count in cells)
        more = f"... and {len(MEASURES) - sum(m.headline for m in MEASURES)} more measures: .summary()"
        return "\n".join(
            [self._heading(), counts, "", repr(self._headlines()), more, *(f"Note: {n}" for n in self.notes)]
        )

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<div><p>{html.escape(self._heading())}</p>{self.counts._repr_html_()}"
            f"{self._headlines()._repr_html_()}" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
        )


def _json_label(label: Any) -> Any:
    """A label as JSON can hold it."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, str | bool | int | float) else str(label)
