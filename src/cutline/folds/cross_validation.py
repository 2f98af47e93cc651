"""cross_validate(): fit a classifier on folds and evaluate its out-of-fold predictions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.table import ComparedByFields
from cutline.core.validation import (
    LEVEL,
    as_column,
    check_level,
    check_number,
    check_whole,
    clean_model_name,
    encode_groups,
    format_count,
    is_among,
)
from cutline.folds.evaluation import FoldEvaluation, FoldSummary, OutOfFold, build_estimate, warn_of_leaks
from cutline.inference.folds import NestedError, estimate_nested_error
from cutline.inference.resampling.pairing import make_stream
from cutline.inputs.in_memory import rank_cases
from cutline.measures import MEASURES, Family, Measure
from cutline.measures.aliases import use_alias
from cutline.measures.forms import MeanOfCases, Proportion
from cutline.model_evaluation import compute_model_scores
from cutline.refit import (
    check_estimator,
    check_same_length,
    check_two_classes,
    fit_clone,
    run_rounds,
    split_folds,
)
from cutline.results.estimate import Estimate
from cutline.results.measure_selection import Named, find_measures
from cutline.results.notes import Note
from cutline.scoring import find_classes, get_model_name

NESTED_REPEATS = 50


class Splits(NamedTuple):
    """The rows of the training and test set of each fold, and which folds make up a repeat.

    In a repeat no case is tested twice. Random splits, which overlap, count as the folds of one repeat.
    """

    train: list[Array]
    test: list[Array]
    repeats: list[list[int]]

    @property
    def overlap(self) -> bool:
        """Whether cases are tested in several folds of one repeat."""
        return len(self.repeats) == 1 and len(np.unique(np.concatenate(self.test))) < sum(map(len, self.test))


def find_repeats(pairs: Sequence[tuple[Array, Array]]) -> Splits:
    """Group the splits into repeats; a test set that overlaps an earlier one begins a new repeat."""
    train, test = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    repeats: list[list[int]] = []
    seen: set[int] = set()
    for number, rows in enumerate(test):
        own = set(rows.tolist())
        if not repeats or seen & own:
            repeats.append([])
            seen = set()
        repeats[-1].append(number)
        seen |= own
    if any(len(own) != len(repeats[0]) for own in repeats) or len(repeats[0]) < 2:
        repeats = [list(range(len(test)))]  # random splits
    return Splits(train, test, repeats)


@public
@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(FoldEvaluation):
    """A cross-validation with its models' scores; it is what `evaluate(folds=)` gives, and can fit the model again.

    `scores` holds the scores of each fold's test set that are done. Pass the result as `resume=` to go on.
    """

    estimator: Any = field(default=None, compare=False)  # whose package compares by identity
    X: Any = None
    y: Any = None
    positive: Any = None
    splits: Splits | None = None
    scores: tuple[Array, ...] = ()
    seed: int = 0
    measures: tuple[Named, ...] | None = None

    def summary(
        self,
        measures: Iterable[Named] | Named | None = None,
        *,
        family: Family | str | None = None,
        intervals: bool = True,
        level: float = LEVEL,
    ) -> FoldSummary:
        """Return the measures with their means over the folds and intervals.

        Args:
            measures: The measures; those passed to `cross_validate`, or all, when None.
            family: All measures of one question: cut, ranking, probability, quota or cost.
            intervals: Whether intervals are made.
            level: The level of the intervals.
        """
        selected = list(self.measures) if self.measures and measures is None and family is None else measures
        return super().summary(selected, family=family, intervals=intervals, level=level)

    def nested(
        self,
        repeats: int = NESTED_REPEATS,
        *,
        n_jobs: int = 1,
        seed: int | None = None,
        progress: bool | None = None,
        resume: NestedCrossValidation | None = None,
    ) -> NestedCrossValidation:
        """Fit the model on all pairs of folds, in several splits (Bates, Hastie and Tibshirani 2023).

        A repeat with K folds takes K (K + 1) / 2 fits. Interrupted, it gives the repeats that are done.

        Args:
            repeats: How many times the cases are split; the authors advise 200, and at least 50.
            n_jobs: How many repeats run at the same time.
            seed: The seed; that of the cross-validation when None.
            progress: Whether the terminal shows progress; when None, if there is a terminal.
            resume: An interrupted result to go on from.
        """
        repeats = check_whole(repeats, "repeats", 2)
        if not hasattr(self.estimator, "fit"):
            raise ParameterError("nested fits the model again", "pass an estimator to cross_validate(), not its result")
        if self.folds < 3:
            raise ParameterError("nested leaves out two folds, and there are only 2", "pass cv=3 or more")
        check_estimator(self.estimator, n_jobs)
        seed = self.seed if seed is None else check_whole(seed, "seed", 0)
        if resume is not None and not isinstance(resume, NestedCrossValidation):
            raise ParameterError(f"is {resume!r:.40}", "pass what nested() gave", argument="resume")
        if resume is not None and (resume.seed != seed or resume.folds.max() + 1 != self.folds):
            raise ParameterError("was made with another seed or folds", "pass the same ones", argument="resume")
        done = [] if resume is None else list(zip(resume.outer, resume.inner, resume.folds, strict=True))
        task = _Nested(self.estimator, self.X, self.y, self.positive, self.folds, seed)
        done += run_rounds(_run_nested_round, task, range(len(done), repeats), n_jobs, progress)
        if not done:
            raise InputError("No repeat was finished", "let at least one finish")
        outer, inner, folds = (np.array(part) for part in zip(*done, strict=True))
        return NestedCrossValidation(np.asarray(self.y) == self.positive, outer, inner, folds, seed, repeats)

    def _estimate_by_nesting(self, measure: Measure, level: float, parameters: Mapping[str, Any]) -> Estimate:
        rest = dict(parameters)
        options = {name: rest.pop(name) for name in ("repeats", "n_jobs", "progress", "resume") if name in rest}
        _check_mean_of_cases(measure)
        return self.nested(**options).estimate(measure, level, **self.cut.complete_parameters(measure, rest))


@public
@dataclass(frozen=True, eq=False)
class NestedCrossValidation(ComparedByFields):
    """Scores of nested cross-validation: `outer` by models without the fold of a case, `inner` without a second one."""

    positive: Array = field(repr=False)
    outer: Array = field(repr=False)
    inner: Array = field(repr=False)
    folds: Array = field(repr=False)
    seed: int = 0
    planned: int = NESTED_REPEATS

    @property
    def repeats(self) -> int:
        """Return how many times the cases were split; fewer than planned when it was stopped."""
        return len(self.outer)

    def error(self, measure: str | Measure, **parameters: Any) -> NestedError:
        """Return the mean of a case loss, corrected for bias, with its root mean squared error.

        Args:
            measure: A mean over cases, such as accuracy, Brier score or log loss.
            **parameters: Its parameters, such as `threshold`.
        """
        chosen = MEASURES[measure]
        _check_mean_of_cases(chosen)
        losses = [_compute_case_losses(chosen, self.positive, part, parameters) for part in (self.outer, self.inner)]
        return estimate_nested_error(losses[0], losses[1], self.folds, self.positive)

    def estimate(self, measure: str | Measure, level: float = LEVEL, **parameters: Any) -> Estimate:
        """Return the value with its interval.

        Args:
            measure: A mean over cases, such as accuracy, Brier score or log loss.
            level: The level of the interval.
            **parameters: Its parameters, such as `threshold`.
        """
        level, chosen = check_level(level), use_alias(MEASURES[measure], measure)
        result = self.error(chosen, **parameters)
        notes = [f"Nested cross-validation, {format_count(self.repeats, 'repeat')}."]
        if self.repeats < self.planned:
            notes = [f"Stopped after {self.repeats} of {self.planned} repeats."]
        if self.repeats < NESTED_REPEATS:
            notes.append(f"Fewer than {NESTED_REPEATS} repeats: the limits depend on the seed.")
        return build_estimate(chosen, result.value, result.limits(level), level, "nested", notes)


def _check_mean_of_cases(measure: Measure) -> None:
    form = measure.form
    if isinstance(form, MeanOfCases):
        return
    if isinstance(form, Proportion) and form.paired is not None and form.paired.among is None:
        return
    raise ParameterError(
        f"nested is a method for means over cases, which {measure.name} is not", "pass accuracy, brier or log_loss"
    )


def _compute_case_losses(measure: Measure, positive: Array, scores: Array, parameters: Mapping[str, Any]) -> Array:
    """Return the loss of each case (last axis); NaN where there is no score."""
    form = measure.form
    labels = np.broadcast_to(positive, scores.shape)
    if isinstance(form, Proportion):
        assert form.paired is not None  # noqa: S101
        threshold = check_number(parameters.get("threshold", 0.5), "threshold")
        flagged = scores >= threshold
        right = {"right": flagged == labels, "wrong": flagged != labels, "flagged": flagged}[form.paired.what]
        return np.where(np.isnan(scores), np.nan, right.astype(float))
    assert isinstance(form, MeanOfCases)  # noqa: S101
    known = ~np.isnan(scores)
    ranking = rank_cases(labels[known], scores[known])
    if not measure.fits(ranking):
        raise InputError(measure.reason(ranking))
    of_positive, of_negative = form.of(ranking, **{**measure.bound, **parameters})
    place = len(ranking) - 1 - np.searchsorted(ranking.score[::-1], scores[known])
    losses = np.full(scores.shape, math.nan)
    losses[known] = np.where(labels[known], np.asarray(of_positive)[place], np.asarray(of_negative)[place])
    return losses


class _Nested(NamedTuple):
    """The data and settings of every repeat of a nested cross-validation."""

    estimator: Any
    X: Any
    y: Array
    positive: Any
    folds: int
    seed: int


def _run_nested_round(task: _Nested, number: int) -> tuple[Array, Array, Array]:
    """Run one repeat: the scores without one fold and without two, and the folds."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.utils import _safe_indexing

    rng = make_stream(task.seed, number)
    n, K = len(task.y), task.folds
    fold = np.empty(n, dtype=int)
    splitter = StratifiedKFold(K, shuffle=True, random_state=int(rng.integers(2**31)))
    for k, (_, test) in enumerate(splitter.split(np.zeros((n, 1)), task.y)):
        fold[test] = k
    outer, inner = np.empty(n), np.full((K, n), math.nan)
    for i in range(K):
        for j in range(i, K):
            rows = np.flatnonzero((fold != i) & (fold != j))
            fitted = fit_clone(task.estimator, _safe_indexing(task.X, rows), task.y[rows], rng)
            for own, other in {(i, j), (j, i)}:
                cases = np.flatnonzero(fold == own)
                scores = _compute_scores(fitted, _safe_indexing(task.X, cases), task.positive)
                if i == j:
                    outer[cases] = scores
                else:
                    inner[other, cases] = scores
    return outer, inner, fold


# ---------------------------------------------------------------------- fitting


class _FoldTask(NamedTuple):
    """The data and settings of every fold."""

    estimator: Any
    X: Any
    y: Array
    splits: Splits
    positive: Any
    seed: int


@public
def cross_validate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    measures: Iterable[Named] | Named | None = None,
    n_jobs: int = 1,
    seed: int = 0,
    groups: Any = None,
    positive: Any = None,
    name: str | None = None,
    threshold: float | None = None,
    quota: float | None = None,
    share: float | None = None,
    progress: bool | None = None,
    resume: CrossValidation | None = None,
) -> CrossValidation:
    """Cross-validate a classifier of scikit-learn: every measure as its mean over the folds, with an interval.

    The result estimates how the model fitted on all cases does on new cases. Tuning belongs inside: pass a pipeline, or
    a search such as GridSearchCV, which is then tuned within each training set. Interrupted, it gives the folds that
    are done; `resume` takes them and goes on.

    Args:
        estimator: A classifier, which is cloned for each fit; or what scikit-learn's `cross_validate` gave with
            `return_estimator=True, return_indices=True`.
        X: The cases.
        y: Their labels.
        cv: The number of folds, which are stratified and shuffled; or a splitter of scikit-learn, such as
            RepeatedStratifiedKFold, StratifiedGroupKFold or TimeSeriesSplit.
        measures: What the summary shows; all measures when None.
        n_jobs: How many fits run at the same time.
        seed: The seed of the folds and of estimators without a random state.
        groups: The group of each case, which splitters such as GroupKFold keep together.
        positive: The label that is positive; the larger of the two unless given.
        name: What to call the model; by default what its class is called.
        threshold: The cut at which measures of one cut are read, as in `evaluate`; or `quota`, or `share`.
        quota: The number of all cases that the cut flags.
        share: The cut that flags this share of the cases.
        progress: Whether the terminal shows progress; when None, if there is a terminal.
        resume: An interrupted result to go on from.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(200, random_state=0)
    >>> round(cross_validate(LogisticRegression(), X, y, cv=5).auc, 2)
    0.97
    """
    labels = check_two_classes(y, "y", least=2)
    check_same_length(X, labels, "X", "y")
    if groups is not None:
        groups = as_column(groups, "groups")
        check_same_length(groups, labels, "groups", "y")
        encode_groups(groups)
    selected = None if measures is None else tuple(find_measures(measures))
    seed = check_whole(seed, "seed", 0)
    chosen = _choose_positive_class(np.unique(labels).tolist(), positive)
    if resume is not None and not isinstance(resume, CrossValidation):
        raise ParameterError(f"is {resume!r:.40}", "pass the CrossValidation that was stopped", argument="resume")
    if resume is not None and resume.seed != seed:
        raise ParameterError("was made with another seed", "pass the same one to continue", argument="resume")
    fitted = isinstance(estimator, Mapping)
    if fitted:
        models, splits = _read_scikit_learn_result(estimator)
        scores = [
            _compute_scores(model, _take_rows(X, test), chosen) for model, test in zip(models, splits.test, strict=True)
        ]
        called = get_model_name(models[0])
    else:
        check_estimator(estimator, n_jobs)
        splits = find_repeats(split_folds(cv, X, labels, groups, seed)) if resume is None else _get_splits(resume)
        task = _FoldTask(estimator, X, labels, splits, chosen, seed)
        scores = [] if resume is None else list(resume.scores)
        scores += run_rounds(_fit_fold, task, range(len(scores), len(splits.test)), n_jobs, progress)
        called = get_model_name(estimator)
    return _build_result(
        estimator, X, labels, splits, scores, chosen, groups, seed, selected,
        {"name": clean_model_name(name) or called, "threshold": threshold, "quota": quota, "share": share},
    )  # fmt: skip


def _choose_positive_class(classes: list[Any], positive: Any) -> Any:
    """Return the label that is positive, by default the larger of the two."""
    if positive is None:
        return classes[1]
    if not is_among(positive, classes):
        raise InputError(
            f"is {shorten_repr(positive)}, which is not a label", "pass one of the two labels", argument="positive"
        )
    return positive


def _get_splits(resume: CrossValidation) -> Splits:
    if resume.splits is None:
        raise ParameterError("has no splits", "pass what cross_validate() gave", argument="resume")
    return resume.splits


def _take_rows(X: Any, rows: Array) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, rows)


def _fit_fold(task: _FoldTask, number: int) -> Array:
    """Fit on one training set and return the scores of its test set."""
    rows = task.splits.train[number]
    if len(np.unique(task.y[rows])) < 2:
        fault = f"The training set of fold {number + 1} has cases of only one class"
        raise InputError(fault, "use stratified folds, or fewer of them")
    rng = make_stream(task.seed, number)
    fitted = fit_clone(task.estimator, _take_rows(task.X, rows), task.y[rows], rng, f"fold {number + 1}")
    return _compute_scores(fitted, _take_rows(task.X, task.splits.test[number]), task.positive)


def _compute_scores(fitted: Any, X: Any, positive: Any) -> Array:
    classes, chosen = find_classes(fitted, positive)
    return np.asarray(compute_model_scores(fitted, X, classes.index(chosen)), dtype=float)


def _read_scikit_learn_result(result: Mapping[str, Any]) -> tuple[list[Any], Splits]:
    """Read the fitted models and the rows from the result of scikit-learn's cross_validate."""
    lacking = [name for name in ("estimator", "indices") if name not in result]
    if lacking:
        raise InputError(
            f"The result of cross_validate has no {' and no '.join(map(repr, lacking))}",
            "pass return_estimator=True and return_indices=True to it",
        )
    indices = result["indices"]
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(indices["train"], indices["test"], strict=True)]
    if len(pairs) < 2:
        raise InputError(f"The result has {format_count(len(pairs), 'fold')}", "pass two folds or more")
    return list(result["estimator"]), find_repeats(pairs)


def _build_result(
    estimator: Any,
    X: Any,
    y: Array,
    splits: Splits,
    scores: list[Array],
    positive: Any,
    groups: Any,
    seed: int,
    measures: tuple[Named, ...] | None,
    cut: dict[str, Any],
) -> CrossValidation:
    """Build the result from the scores of the folds that are done."""
    done = len(scores)
    notes = []
    repeats = [own for own in splits.repeats if own[-1] < done]
    if done < len(splits.test):
        if not repeats:
            repeats = [list(range(done))]
        if len(repeats[0]) < 2:
            raise InputError("Fewer than two folds were finished", "let at least two finish, or start again")
        text = f"Stopped after {done} of {format_count(len(splits.test), 'fold')}; pass resume= to go on."
        notes.append(Note("stopped", text, kind="warning"))
    if splits.overlap:
        text = "The test sets of the splits overlap, so that some cases were tested several times."
        notes.append(Note("overlap", text))
    is_positive = y == positive
    negative = next(label for label in np.unique(y).tolist() if label != positive)
    parts = tuple(
        tuple(rank_cases(is_positive[splits.test[k]], scores[k], positive=positive, negative=negative) for k in own)
        for own in repeats
    )
    fold_numbers = [k for own in repeats for k in own]
    ratio = np.mean([len(splits.test[k]) for k in fold_numbers]) / np.mean([len(splits.train[k]) for k in fold_numbers])
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
        notes += warn_of_leaks([[splits.test[k] for k in own] for own in repeats], codes)
    return CrossValidation(
        parts,
        float(ratio),
        cases=_align_cases(splits, repeats, scores, is_positive),
        warnings=tuple(notes),
        total=len(y),
        estimator=estimator,
        X=X,
        y=y,
        positive=positive,
        splits=splits,
        scores=tuple(scores),
        seed=seed,
        measures=measures,
        **cut,
    )


def _align_cases(splits: Splits, repeats: list[list[int]], scores: list[Array], positive: Array) -> OutOfFold | None:
    """Return the cases one by one, where every repeat tests the same cases once."""
    if splits.overlap:
        return None
    rows = [np.sort(np.concatenate([splits.test[k] for k in own])) for own in repeats]
    if any(len(own) != len(rows[0]) or (own != rows[0]).any() for own in rows):
        return None
    columns = np.empty((2, len(repeats), len(positive)))
    for r, own in enumerate(repeats):
        for place, k in enumerate(own):
            columns[0, r, splits.test[k]] = scores[k]
            columns[1, r, splits.test[k]] = place
    return OutOfFold(positive[rows[0]], columns[0][:, rows[0]], columns[1][:, rows[0]].astype(int))
