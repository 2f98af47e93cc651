"""Several labels at once: a case may have any number of them. One ranking for each label, means, and whole cases.

The labels of one case belong together, so intervals resample whole cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError, make_unknown_name_error
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import Table
from cutline.core.validation import (
    LEVEL,
    check_choice,
    check_level,
    check_number,
    check_whole,
    clean_model_name,
    format_count,
    is_among,
    list_names,
)
from cutline.evaluation import Evaluation
from cutline.inference.caveats import make_estimate, note_groups
from cutline.inference.survey import ClusterRatio, estimate_cluster_ratio, student_limits, wilson_limits
from cutline.inputs.column_source import Request, open_source, read_rows
from cutline.inputs.in_memory import rank_cases
from cutline.inputs.rank import choose_default_threshold
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.registry import list_measures
from cutline.multiclass.statistic import MACRO, MEANS, MICRO, make_ranking_function
from cutline.results.base import Summarized
from cutline.results.estimate import Estimate

OF_CASES = {"hamming_loss": "Hamming loss", "subset_accuracy": "Subset accuracy"}
LABEL_MEASURES = ("auc", "average_precision", "precision", "recall", "f1")  # which a summary shows
RESAMPLES = 1000
_AT_ONCE = 2**22  # weights of cases in resamples held at once


def is_indicator(labels: Any) -> bool:
    """Whether labels are a matrix of 0 and 1, with a column for each of several labels."""
    try:
        matrix = np.asarray(labels)
    except Exception:  # any, because labels may be of any class: they are refused as a column
        return False
    return matrix.ndim == 2 and matrix.shape[1] > 1


def read_labels(
    labels: Any, scores: Any, *, names: Sequence[Any] | None, name: str | None, data: Any, groups: Any
) -> MultiLabel:
    """Return the cases of several labels, checked.

    Args:
        labels: A row for each case with 0 or 1 for each label; with `data`, the names of these columns.
        scores: A row for each case with a score for each label, or the columns by label; with `data`, their names.
        names: The names of the labels.
        name: What to call the model.
        data: A data frame or a file whose columns the other arguments name.
        groups: The group of each case.
    """
    if data is not None:
        score_columns = list_names(list(scores.values()) if isinstance(scores, Mapping) else scores, "scores")
        if len(score_columns) != len(labels):
            problem = f"names {format_count(len(score_columns), 'column')} for {format_count(len(labels), 'label')}"
            raise InputError(problem, "name one for each label", argument="scores")
        requests: dict[Any, Request] = {("y", i): Request("labels", column) for i, column in enumerate(labels)}
        requests |= {("s", i): Request("scores", column) for i, column in enumerate(score_columns)}
        if groups is not None:
            requests["groups"] = Request("groups", groups)
        names = list(scores) if names is None and isinstance(scores, Mapping) else names or list(labels)
        with read_rows(open_source(data), requests) as rows:
            columns = [_read_label(rows["y", i], column) for i, column in enumerate(labels)]
            matrix = np.column_stack(
                [validation.as_scores(rows["s", i]).astype(float) for i in range(len(score_columns))]
            )
            return _check_cases(np.column_stack(columns), matrix, names, name, rows.get("groups"))
    if isinstance(scores, Mapping):
        names = list(scores) if names is None else names
        scores = np.column_stack([validation.as_scores(scores[name]).astype(float) for name in names])
    return _check_cases(np.asarray(labels), validation.as_score_matrix(scores, "scores"), names, name, groups)


def _read_label(values: Any, column: Any) -> Array:
    """Return the 0 and 1 of a label, refused where they are text."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"Column {column!r} is not of 0 and 1 alone", "name columns that hold 0/1, one for each label"
        ) from None


def _check_cases(truth: Array, scores: Array, names: Any, name: str | None, groups: Any) -> MultiLabel:
    if truth.dtype.kind not in "biuf" or not np.isin(truth, (0, 1)).all():
        raise InputError("has several columns, but not of 0 and 1 alone", "pass 0/1 for each label", argument="labels")
    if truth.shape != scores.shape:
        shapes = " x ".join(map(str, truth.shape)), " x ".join(map(str, scores.shape))
        raise InputError(f"is {shapes[0]} but scores is {shapes[1]}", "pass equal shapes", argument="labels")
    if np.isnan(scores).any():
        raise InputError("holds missing values", "fill them, or leave the rows out", argument="scores")
    own = tuple(range(truth.shape[1])) if names is None else tuple(names)
    if len(own) != truth.shape[1] or len(set(own)) < len(own):
        raise ParameterError(f"names {len(own)} of {truth.shape[1]} labels", "name each once", argument="classes")
    codes = None
    if groups is not None:
        codes = validation.encode_groups(validation.as_column(groups, "groups"))[1]
        if len(codes) != len(truth):
            raise InputError(f"has {len(codes)} values for {len(truth)} cases", "pass one for each", argument="groups")
    return MultiLabel(own, truth.astype(bool), scores, clean_model_name(name), codes)


@public
@dataclass(frozen=True, eq=False)
class MultiLabel(Summarized, Mapping[Any, Evaluation]):
    """Several labels: a mapping of the evaluation of each, their means, and measures of whole cases.

    Attributes:
        labels: The names of the labels.
        truth: Whether each case has each label.
        scores: The score of each case for each label.
        name: What the model is called.
        groups: The number of the group of each case; None where each is one by itself.

    >>> import cutline as cl
    >>> found = cl.one_vs_rest([[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.6, 0.7], [0.4, 0.3]])
    >>> found.value("subset_accuracy"), found.value("hamming_loss"), found.value("auc")
    (0.6666666666666666, 0.16666666666666666, 1.0)
    """

    labels: tuple[Any, ...]
    truth: Array
    scores: Array
    name: str | None = None
    groups: Array | None = None

    def __post_init__(self) -> None:
        for column in (self.truth, self.scores):
            column.setflags(write=False)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, label: Any) -> Evaluation:
        if not is_among(label, self.labels):
            raise make_unknown_name_error("label", label, self.labels)
        return Evaluation(self._rankings[self.labels.index(label)], name=str(label))

    @cached_property
    def _rankings(self) -> list[Ranking]:
        return [rank_cases(self.truth[:, i], self.scores[:, i], None) for i in range(len(self))]

    @property
    def cases(self) -> int:
        """Number of cases."""
        return len(self.truth)

    def _choose_thresholds(self, threshold: Any) -> Array:
        """Return the cut of each label: one for all, or what suits the scores of each."""
        if threshold is None:
            return np.array([choose_default_threshold(r) for r in self._rankings])
        return np.full(len(self), check_number(threshold, "threshold"))

    # ------------------------------------------------------------------ values

    def each(self, measure: str | Measure, threshold: float | None = None, **parameters: Any) -> dict[Any, float]:
        """Return the value of a measure for each label; NaN where it is undefined.

        Args:
            measure: The measure, or its name.
            threshold: The cut of measures of one cut; what suits the scores of each label when None.
            parameters: Those of the measure.
        """
        values = self._compute_each(_choose_measure(measure, parameters), threshold)(np.ones(self.cases))
        return dict(zip(self.labels, values.tolist(), strict=True))

    def _compute_each(self, measure: Measure, threshold: Any) -> Callable[[Array], Array]:
        """Return a measure of each label as a function of the weights of the cases; the labels are the last axis."""
        ranked = [
            make_ranking_function(self.scores[:, i], self.truth[:, i], np.arange(self.cases)) for i in range(len(self))
        ]
        if measure.needs is not Needs.COUNTS:
            return lambda w: np.stack([np.asarray(measure.compute(stack(w))) for stack in ranked], axis=-1)
        cuts = self._choose_thresholds(threshold)
        return lambda w: np.stack(
            [np.asarray(measure.compute(stack(w).at_threshold(t))) for stack, t in zip(ranked, cuts, strict=True)],
            axis=-1,
        )

    def _compute_micro(self, measure: Measure, threshold: Any) -> Callable[[Array], Array]:
        if measure.needs is not Needs.COUNTS:
            rows = np.repeat(np.arange(self.cases), len(self))
            ranked = make_ranking_function(self.scores.ravel(), self.truth.ravel(), rows)
            return lambda w: np.asarray(measure.compute(ranked(w)))
        flagged = self._flag(threshold)
        kinds = [(flagged & self.truth), (flagged & ~self.truth), (~flagged & self.truth), (~flagged & ~self.truth)]
        counts = [kind.sum(1).astype(float) for kind in kinds]
        return lambda w: np.asarray(measure.compute(Counts(*(np.matmul(w.astype(float), count) for count in counts))))

    def _flag(self, threshold: Any) -> Array:
        return np.asarray(self.scores >= self._choose_thresholds(threshold))

    def _make_function(self, measure: Measure, mean: str, threshold: Any) -> Callable[[Array], Array]:
        if mean == MICRO:
            return self._compute_micro(measure, threshold)
        each = self._compute_each(measure, threshold)
        if mean == MACRO:
            return lambda w: each(w).mean(-1)

        def weighted(w: Array) -> Array:
            sizes = np.matmul(w.astype(float), self.truth.astype(float))
            share = sizes / sizes.sum(-1, keepdims=True)
            return np.asarray(np.where(share > 0, share * each(w), 0.0).sum(-1))

        return weighted

    def value(
        self, measure: str | Measure, mean: str = MACRO, *, threshold: float | None = None, **parameters: Any
    ) -> float:
        """Return a mean over the labels, the Hamming loss or the subset accuracy; NaN where it is undefined.

        Args:
            measure: A measure, or its name; "hamming_loss" is the share of wrong labels, "subset_accuracy" that of the
                cases whose labels are all right.
            mean: "macro" for the plain mean over the labels, "weighted" by how many cases have each, "micro" for the
                measure of all pairs of a case and a label.
            threshold: The cut of measures of one cut; what suits the scores of each label when None.
            parameters: Those of the measure.
        """
        if is_among(measure, OF_CASES):
            return float(self._score_cases(str(measure), threshold).mean())
        check_choice(mean, "mean", MEANS)
        return float(self._make_function(_choose_measure(measure, parameters), mean, threshold)(np.ones(self.cases)))

    def _score_cases(self, measure: str, threshold: Any) -> Array:
        wrong = self._flag(threshold) != self.truth
        return np.asarray(wrong.mean(1) if measure == "hamming_loss" else ~wrong.any(1), dtype=float)

    # ------------------------------------------------------------------ how sure

    def estimate(
        self,
        measure: str | Measure,
        mean: str = MACRO,
        *,
        threshold: float | None = None,
        level: float = LEVEL,
        resamples: int = RESAMPLES,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """Return a mean over the labels, the Hamming loss or the subset accuracy, with its interval.

        The Hamming loss and the subset accuracy are means over the cases; other standard errors come from resamples of
        whole cases (whole groups, where there are some), and the limits are Wilson's for that standard error.

        Args:
            measure: The measure, as in `value`.
            mean: The kind of mean, as in `value`.
            threshold: The cut of measures of one cut.
            level: The level of the interval.
            resamples: The number of resamples.
            seed: The seed of the resamples.
            parameters: Those of the measure.
        """
        level, resamples = check_level(level), check_whole(resamples, "resamples", 2)
        notes = [] if self.groups is None else [note_groups(int(self.groups.max()) + 1)]
        if is_among(measure, OF_CASES):
            ratio = self._estimate_case_ratio(self._score_cases(str(measure), threshold))
            return make_estimate(str(measure), float(ratio.value), wilson_limits(ratio, level), (0.0, 1.0), level,
                            "ratio_wilson", notes)  # fmt: skip
        check_choice(mean, "mean", MEANS)
        chosen = _choose_measure(measure, parameters)
        function, name = self._make_function(chosen, mean, threshold), f"{chosen.name} ({mean} mean)"
        value = float(function(np.ones(self.cases)))
        if math.isnan(value):
            lacking = [label for label, own in self.each(chosen, threshold).items() if math.isnan(own)]
            why = f"undefined: label {lacking[0]!r} has no value" if lacking else "undefined"
            return Estimate(name, math.nan, math.nan, math.nan, level, "none", (why,))
        draws = self._resample(function, resamples, check_whole(seed, "seed", 0))
        finite = draws[np.isfinite(draws)]
        if len(finite) < len(draws):
            notes.append(f"{len(draws) - len(finite)} of {len(draws)} resamples had no value and were left out.")
        ratio = ClusterRatio(
            np.asarray(value), np.asarray(finite.std(ddof=1) if len(finite) > 1 else np.nan), self.cases
        )
        is_share = chosen.range == (0, 1)
        limits = wilson_limits(ratio, level) if is_share else student_limits(ratio, level)
        return make_estimate(
            name, value, limits, chosen.range, level, "bootstrap_wilson" if is_share else "normal", notes
        )

    def _estimate_case_ratio(self, values: Array) -> ClusterRatio:
        if self.groups is None:
            return estimate_cluster_ratio(values, np.ones(self.cases))
        return estimate_cluster_ratio(np.bincount(self.groups, values), np.bincount(self.groups))

    def _resample(self, function: Callable[[Array], Array], resamples: int, seed: int) -> Array:
        """Return the values of a function of the weights over resamples of whole cases, or of whole groups."""
        rng, replicates = np.random.default_rng(seed), []
        units = self.cases if self.groups is None else int(self.groups.max()) + 1
        at_once = max(1, min(resamples, _AT_ONCE // (self.cases * len(self))))
        for start in range(0, resamples, at_once):
            times = rng.multinomial(units, np.full(units, 1 / units), size=min(at_once, resamples - start))
            replicates.append(
                np.asarray(function(times if self.groups is None else times[:, self.groups]), dtype=float)
            )
        return np.concatenate(replicates)

    # ------------------------------------------------------------------ all of it

    def summary(
        self,
        measures: Sequence[str] | None = None,
        *,
        threshold: float | None = None,
        level: float = LEVEL,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Table:
        """Return the measures of whole cases, the means over the labels and the values of each label, in one table.

        Args:
            measures: Which ones, by name; those of `LABEL_MEASURES` and of whole cases when None.
            threshold: The cut of measures of one cut.
            level: The level of the intervals.
            resamples: The number of resamples.
            seed: The seed of the resamples.
        """
        chosen_names = [*OF_CASES, *LABEL_MEASURES] if measures is None else list_measures(measures)
        how: dict[str, Any] = {"threshold": threshold, "level": level, "resamples": resamples, "seed": seed}
        rows: list[tuple[Any, ...]] = []
        for name in chosen_names:
            if is_among(name, OF_CASES):
                e = self.estimate(name, **how)
                rows.append((name, "cases", e.value, e.low, e.high, e.method, " ".join(e.notes)))
                continue
            for mean in MEANS:
                e = self.estimate(name, mean, **how)
                rows.append((name, f"{mean} mean", e.value, e.low, e.high, e.method, " ".join(e.notes)))
            for label, value in self.each(name, threshold).items():
                rows.append((name, str(label), value, None, None, "", ""))
        title = f"{self.name}: " if self.name else ""
        per_case = self.truth.sum() / self.cases
        title += f"{format_count(self.cases, 'case')}, {len(self)} labels, {per_case:.3g} labels a case on average"
        names = ("measure", "of", "value", "low", "high", "method", "note")
        return Table(names, tuple(rows), title, ("method", "note"))

    def __repr__(self) -> str:
        return repr(self.summary(resamples=200))

    def _repr_html_(self) -> str:
        return self.summary(resamples=200)._repr_html_()


def _choose_measure(measure: str | Measure, parameters: dict[str, Any]) -> Measure:
    chosen = MEASURES[measure].with_(**parameters)
    if chosen.required:
        chosen.check({})
    return chosen
