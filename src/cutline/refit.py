"""Berrar's procedures that fit a model again and again: how much it owes to its training set, and to chance.

Round number i draws from a random stream of its own, so that the rounds do not depend on how many run at a time, nor on
whether they ran in one go: a result that was stopped is the beginning of the one that would have come.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.former_names import former_name
from cutline.core.public import public
from cutline.core.table import ShownAsTable, Table
from cutline.core.validation import (
    LEVEL,
    as_column,
    check_choice,
    check_flag,
    check_level,
    check_whole,
    find_missing,
    format_count,
    make_missing_error,
)
from cutline.inference.permutation import PermutationTest, compare_with_permutations
from cutline.inference.resampling.bootstrap import percentile
from cutline.inference.resampling.pairing import make_stream
from cutline.measures import MEASURES, Measure
from cutline.measures.registry import list_measures
from cutline.results.estimate import Estimate
from cutline.scoring import Scorer, get_model_name

SHUFFLES = ("labels", "features")
MOST_JOBS = 10_000  # processes or threads at the same time
_EXACT = 2**53  # scikit-learn reads labels as integers, and floats hold these exactly
_PATIENCE = 10_000  # redraws of one round before it is given up


@public
@dataclass(frozen=True, eq=False, repr=False)
class ModelBootstrap(ShownAsTable):
    """A model fitted on bootstrap samples and measured on their out-of-bag cases: one row of `values` for each round.

    `redrawn` counts the sets that were drawn again because they, or the cases left out, were of one class. Pass the
    result as `resume=` to go on from where it ended.
    """

    measures: tuple[Measure, ...]
    values: Array = field(repr=False)
    redrawn: int
    requested: int
    seed: int
    level: float = LEVEL

    asked = former_name("asked", "requested")

    @property
    def rounds(self) -> int:
        """Number of bootstrap samples that were fitted; fewer than requested when it was stopped."""
        return len(self.values)

    def estimate(self, measure: str | Measure | None = None, *, level: float | None = None) -> Estimate:
        """Return the mean of a measure over the bootstrap samples, with the percentile interval (Berrar, Definition
        38).

        Args:
            measure: One of the requested measures; the first when None.
            level: The level of the interval; the level of the bootstrap when None.
        """
        level = self.level if level is None else check_level(level)
        chosen = self.measures[0] if measure is None else MEASURES[measure]
        known = [str(measure) for measure in self.measures]
        if str(chosen) not in known:
            raise ParameterError(f"{chosen} was not measured", f"choose one of {', '.join(known)}")
        values = self.values[:, known.index(str(chosen))]
        defined = np.sort(values[~np.isnan(values)])
        low, high = map(float, percentile(defined, level))
        value = float(defined.mean()) if len(defined) else float("nan")
        return Estimate(
            str(chosen), value, low, high, level, "out_of_bag_bootstrap", self._list_notes(values, low, level)
        )

    def _list_notes(self, values: Array, low: float, level: float) -> tuple[str, ...]:
        undefined = int(np.isnan(values).sum())
        conditions = (
            (self.rounds < self.requested, f"Stopped after {self.rounds} of {self.requested} bootstrap samples."),
            (
                self.redrawn,
                f"{self.redrawn} bootstrap samples or their out-of-bag cases had only one class and were redrawn.",
            ),
            (undefined, f"Undefined in {undefined} of {self.rounds} bootstrap samples, which do not count."),
            (
                low != low,
                f"{self.rounds - undefined} bootstrap samples are too few for a level of {level:g}: resume with more.",
            ),
        )
        return tuple(note for holds, note in conditions if holds)

    @property
    def table(self) -> Table:
        """Return a row for each estimate."""
        estimates = [self.estimate(measure) for measure in self.measures]
        rows = ((e.measure, e.value, e.low, e.high, " ".join(e.notes)) for e in estimates)
        title = f"Fitted on {self.rounds} bootstrap samples, measured out of bag; {100 * self.level:g} % interval"
        return Table(("measure", "mean", "low", "high", "note"), tuple(rows), title=title)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates and how they were made, ready for JSON."""
        about = {"rounds": self.rounds, "asked": self.requested, "redrawn": self.redrawn, "seed": self.seed}
        return about | {"estimates": [self.estimate(measure).to_dict() for measure in self.measures]}


class _BootstrapTask(NamedTuple):
    """What every round needs."""

    estimator: Any
    X: Any
    y: Array
    scorers: tuple[Scorer, ...]
    seed: int


@public(b="resamples")
def bootstrap_model(
    estimator: Any,
    X: Any,
    y: Any,
    measures: str | Measure | Iterable[str | Measure] = ("auc",),
    resamples: int = 1000,
    *,
    level: float = LEVEL,
    positive: Any = None,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | None = None,
    resume: ModelBootstrap | None = None,
) -> ModelBootstrap:
    """Fit a classifier on bootstrap samples, measure each on its out-of-bag cases (Berrar, section 5.4).

    It tells how the *procedure* of training does on such data, not how one fitted model does: for that, evaluate its
    predictions. Interrupted, it gives what was done so far; `resume` takes them and goes on. A measure of one cut
    is read at the estimator's own predictions. A random state that the estimator leaves open is drawn from the seed.

    Args:
        estimator: A classifier of scikit-learn, which is cloned for each fit.
        X: The cases.
        y: Their labels.
        measures: The measures, by name.
        resamples: The number of bootstrap samples.
        level: The level of the intervals.
        positive: The label that is positive.
        seed: The seed of the bootstrap samples.
        n_jobs: How many fits run at the same time.
        progress: Whether the terminal shows progress; when None, if there is a terminal.
        resume: An interrupted result to go on from.
    """
    level, seed = check_level(level), check_whole(seed, "seed", 0)
    resamples = check_whole(resamples, "resamples", 1)
    chosen = tuple(MEASURES[measure] for measure in list_measures(measures))
    if not chosen:
        raise ParameterError("is empty", "pass at least one measure", argument="measures")
    check_estimator(estimator, n_jobs)
    labels = check_two_classes(y, "y", least=2)
    check_same_length(X, labels, "X", "y")
    _check_resume(resume, ModelBootstrap)
    if resume is not None and ([*map(str, resume.measures)] != [*map(str, chosen)] or resume.seed != seed):
        raise ParameterError(
            "was made with other measures or another seed", "pass the same ones to continue", argument="resume"
        )
    done = [] if resume is None else resume.values.tolist()
    redrawn = 0 if resume is None else resume.redrawn
    task = _BootstrapTask(estimator, X, labels, tuple(Scorer(measure, positive=positive) for measure in chosen), seed)
    for values, again in run_rounds(_run_out_of_bag_round, task, range(len(done), resamples), n_jobs, progress):
        done.append(values)
        redrawn += again
    by_round = np.array(done, dtype=float).reshape(len(done), len(chosen))
    return ModelBootstrap(chosen, by_round, redrawn, max(resamples, len(done)), seed, level)


def _run_out_of_bag_round(task: _BootstrapTask, number: int) -> tuple[list[float], int]:
    """Run one round: the measures on the cases that a bootstrap sample left out, and how often it was redrawn."""
    from sklearn.utils import _safe_indexing

    rng, n = make_stream(task.seed, number), len(task.y)
    for again in range(_PATIENCE):
        sample = rng.integers(0, n, n)
        left = np.setdiff1d(np.arange(n), sample)
        if len(left) and all(len(np.unique(task.y[cases])) == 2 for cases in (sample, left)):
            fitted = fit_clone(task.estimator, _safe_indexing(task.X, sample), task.y[sample], rng)
            test = _safe_indexing(task.X, left)
            return [scorer.value(fitted, test, task.y[left]) for scorer in task.scorers], again
    raise InputError("No bootstrap sample left out cases of both classes", "pass more cases of the rarer class")


def clone_seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Clone an estimator, with random states from the stream where none is set."""
    from sklearn.base import clone

    fresh = clone(estimator)
    free = [name for name, value in fresh.get_params().items() if name.endswith("random_state") and value is None]
    return fresh.set_params(**{name: int(rng.integers(2**31)) for name in sorted(free)})


def fit_clone(estimator: Any, X: Any, y: Array, rng: np.random.Generator, where: str = "these cases") -> Any:
    """Fit a clone of an estimator; raise its error as a sentence."""
    model = clone_seeded(estimator, rng)
    try:
        return model.fit(X, y)
    except Exception as error:  # any, because the model may be of any class
        fault = f"{get_model_name(estimator)} cannot be fitted to {where} ({error})"
        raise InputError(
            fault, "pass X as the model takes it: a row for each case, a column for each feature"
        ) from error


class _Split(NamedTuple):
    """A training set whose labels are shuffled, and an unchanged test set."""

    estimator: Any
    X: Any
    y: Array
    X_test: Any
    y_test: Array
    scorer: Scorer
    seed: int


@public
def permutation_test(
    estimator: Any,
    X_train: Any,
    y_train: Any,
    X_test: Any = None,
    y_test: Any = None,
    measure: str | Measure = "auc",
    permutations: int = 1000,
    *,
    cv: Any = None,
    shuffle: str = "labels",
    groups: Any = None,
    positive: Any = None,
    seed: int = 0,
    n_jobs: int = 1,
    progress: bool | None = None,
    resume: PermutationTest | None = None,
) -> PermutationTest:
    """Test whether a classifier learned anything: refit it on shuffled training labels (Berrar, section 5.1).

    The p-value tells how often a model that was trained on shuffled labels does as well on the test set. Interrupted,
    it gives the permutations that were done; `resume` takes them and goes on.

    With `cv` the whole cross-validation is repeated on shuffled data (Ojala and Garriga 2010). Shuffled labels ask
    whether features and labels are related at all; features shuffled within each class ask whether the classifier uses
    that features depend on each other.

    Args:
        estimator: A classifier of scikit-learn, which is cloned for each fit.
        X_train: The cases that it is fitted on; with `cv`, all cases.
        y_train: Their labels, which are shuffled.
        X_test: The cases that it is measured on; none with `cv`.
        y_test: Their labels.
        measure: The measure, by name; with `cv`, its mean over the folds.
        permutations: How often the training labels are shuffled.
        cv: The number of folds, or a splitter of scikit-learn.
        shuffle: With `cv`, the columns to shuffle: "labels", or "features" within each class.
        groups: With `cv`, the groups that the splitter keeps together.
        positive: The label that is positive.
        seed: The seed of the shuffles.
        n_jobs: How many fits run at the same time.
        progress: Whether the terminal shows progress; when None, if there is a terminal.
        resume: An interrupted result to go on from.
    """
    permutations, seed = check_whole(permutations, "permutations", 1), check_whole(seed, "seed", 0)
    chosen = MEASURES[measure]
    if chosen.better is None:
        raise ParameterError(
            f"{chosen.name} is neither better nor worse when it is higher", "choose another measure to test"
        )
    check_estimator(estimator, n_jobs)
    _check_resume(resume, PermutationTest)
    if resume is not None and (resume.measure != str(chosen) or resume.seed != seed):
        raise ParameterError(
            "was made with another measure or another seed", "pass the same ones to continue", argument="resume"
        )
    check_choice(shuffle, "shuffle", SHUFFLES)
    if cv is not None:
        if X_test is not None or y_test is not None:
            raise ParameterError("X_test and cv are both given", "pass a test set, or folds of all cases")
        labels = check_two_classes(y_train, "y_train", least=1)
        check_same_length(X_train, labels, "X_train", "y_train")
        folded = _Folded(estimator, X_train, labels, cv, groups, Scorer(chosen, positive=positive), shuffle, seed)
        return _permute_folds(folded, permutations, n_jobs, progress, resume)
    if X_test is None or y_test is None:
        raise ParameterError("X_test and y_test are missing", "pass a test set, or cv= for a cross-validation")
    if shuffle != "labels":
        raise ParameterError(f"is {shuffle!r}", "pass cv=, or shuffle the labels", argument="shuffle")
    y_train, y_test = check_two_classes(y_train, "y_train", least=1), as_column(y_test, "y_test")
    check_same_length(X_train, y_train, "X_train", "y_train")
    check_same_length(X_test, y_test, "X_test", "y_test")
    scorer = Scorer(chosen, positive=positive)
    fitted = fit_clone(estimator, X_train, y_train, np.random.default_rng(seed))
    value = scorer.value(fitted, X_test, y_test)
    why = "" if value == value else "the fitted model has no such value on the test set"
    done = [] if resume is None else resume.values.tolist()
    split = _Split(estimator, X_train, y_train, X_test, y_test, scorer, seed)
    done += run_rounds(_fit_shuffled, split, range(len(done), 0 if why else permutations), n_jobs, progress)
    verdict = compare_with_permutations(chosen, value, np.array(done, dtype=float), seed, why)
    if why or verdict.permutations >= permutations:
        return verdict
    return verdict.stopped(permutations)


def _fit_shuffled(split: _Split, number: int) -> float:
    """Run one round: the measure on the test set of a model that was fitted on shuffled labels."""
    rng = make_stream(split.seed, number)
    labels = rng.permutation(split.y)
    return split.scorer.value(fit_clone(split.estimator, split.X, labels, rng), split.X_test, split.y_test)


class _Folded(NamedTuple):
    """A cross-validation that is repeated on shuffled data."""

    estimator: Any
    X: Any
    y: Array
    cv: Any
    groups: Any
    scorer: Scorer
    shuffle: str
    seed: int


def _permute_folds(
    task: _Folded, permutations: int, n_jobs: int, progress: bool | None, resume: PermutationTest | None
) -> PermutationTest:
    """Test the mean over folds against its values on shuffled data."""
    value = _mean_over_folds(task, task.X, task.y, np.random.default_rng(task.seed))
    why = "" if value == value else "it has no value in some fold"
    done = [] if resume is None else resume.values.tolist()
    done += run_rounds(_run_shuffled_round, task, range(len(done), 0 if why else permutations), n_jobs, progress)
    verdict = compare_with_permutations(task.scorer.measure, value, np.array(done, dtype=float), task.seed, why)
    return verdict if why or verdict.permutations >= permutations else verdict.stopped(permutations)


def _run_shuffled_round(task: _Folded, number: int) -> float:
    """Run one round: the mean over folds of a cross-validation of shuffled data."""
    rng = make_stream(task.seed, number)
    if task.shuffle == "labels":
        return _mean_over_folds(task, task.X, rng.permutation(task.y), rng)
    return _mean_over_folds(task, shuffle_within_classes(task.X, task.y, rng), task.y, rng)


def shuffle_within_classes(X: Any, y: Array, rng: np.random.Generator) -> Any:
    """Shuffle each feature by itself within each class, so that features no longer depend on each other there."""
    is_frame = hasattr(X, "iloc")
    columns = [X.iloc[:, j] for j in range(X.shape[1])] if is_frame else list(np.asarray(X).T)
    orders = []
    for _ in columns:
        order = np.arange(len(y))
        for label in np.unique(y):
            rows = np.flatnonzero(y == label)
            order[rows] = rng.permutation(rows)
        orders.append(order)
    if not is_frame:
        return np.column_stack([values[order] for values, order in zip(columns, orders, strict=True)])
    shuffled = X.copy()
    for j, (values, order) in enumerate(zip(columns, orders, strict=True)):
        shuffled.isetitem(j, values.array[order])
    return shuffled


def _mean_over_folds(task: _Folded, X: Any, y: Array, rng: np.random.Generator) -> float:
    from sklearn.utils import _safe_indexing

    values = []
    for train, test in split_folds(task.cv, X, y, task.groups, task.seed):
        fitted = fit_clone(task.estimator, _safe_indexing(X, train), y[train], rng)
        values.append(task.scorer.value(fitted, _safe_indexing(X, test), y[test]))
    return float(np.mean(values))


def split_folds(cv: Any, X: Any, y: Array, groups: Any, seed: int) -> list[tuple[Array, Array]]:
    """Return the rows that each model is fitted on and tested on.

    Args:
        cv: The number of folds, which are stratified and shuffled; a splitter of scikit-learn; or pairs of rows. A
            splitter that shuffles without a random state gets the seed.
        X: The cases.
        y: Their labels.
        groups: The groups that the splitter keeps together.
        seed: The seed.
    """
    if isinstance(cv, Integral) and cv is not True and cv is not False:
        from sklearn.model_selection import StratifiedKFold

        folds = check_whole(cv, "cv", 2)
        smaller = int(np.unique(y, return_counts=True)[1].min())
        if folds > smaller:
            problem = f"is {folds}, but the rarer class has {format_count(smaller, 'case')}"
            raise ParameterError(problem, "pass fewer folds, so that each has cases of both classes", argument="cv")
        cv, groups = StratifiedKFold(folds, shuffle=True, random_state=seed), None
    elif isinstance(cv, str) or not (hasattr(cv, "split") or np.iterable(cv)):
        remedy = "pass the number of folds, a splitter of scikit-learn, or pairs of rows"
        raise ParameterError(f"is {cv!r:.40}", remedy, argument="cv")
    elif getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv = copy.copy(cv)
        cv.random_state = seed
    try:
        pairs = cv.split(X, y, groups) if hasattr(cv, "split") else cv
        splits = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
        splits = [(_number_rows(train, len(y)), _number_rows(test, len(y))) for train, test in splits]
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"The cases cannot be split ({error})", "pass another splitter, or groups=") from error
    if len(splits) < 2:
        few = f"gives {format_count(len(splits), 'fold')}"
        raise InputError(few, "pass a splitter with two folds or more", argument="cv")
    return splits


def _number_rows(rows: Array, cases: int) -> Array:
    """Return the numbers of the rows of a training or test set, which may be a mask of all cases."""
    if rows.dtype.kind == "b" and rows.shape == (cases,):
        return np.flatnonzero(rows)
    if rows.dtype.kind not in "iu" or rows.ndim != 1 or (rows < 0).any() or (rows >= cases).any():
        raise InputError(
            f"gives {shorten_repr(rows)}, which are not rows of {cases} cases",
            "pass a splitter of scikit-learn, or pairs of rows",
            argument="cv",
        )
    return rows


def check_estimator(estimator: Any, n_jobs: Any) -> None:
    """Refuse what cannot be fitted again and again, or by no worker."""
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise ParameterError(
            f"is {estimator!r:.40}", "pass a classifier of scikit-learn, not fitted", argument="estimator"
        )
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool | np.timedelta64)  # which numpy counts so
    if not is_whole or not 0 < abs(int(n_jobs)) <= MOST_JOBS:
        raise ParameterError(
            f"is {shorten_repr(n_jobs)}", "pass the number of processes, or -1 for all cores", argument="n_jobs"
        )


def _check_resume(resume: Any, kind: type) -> None:
    if resume is not None and not isinstance(resume, kind):
        raise ParameterError(f"is {resume!r:.40}", f"pass the {kind.__name__} that was stopped", argument="resume")


def check_two_classes(y: Any, name: str, least: int) -> Array:
    """Return the labels of a training set, of two classes with enough cases of each."""
    labels = as_column(y, name)
    absent = find_missing(labels)
    if absent is not None and absent.any():
        raise make_missing_error(name, absent, None, "fill them, or remove the rows")
    if labels.dtype.kind == "f" and not (abs(labels.astype(float)) <= _EXACT).all():
        problem = f"holds {labels[abs(labels.astype(float)) > _EXACT][0]:g}"
        raise InputError(problem, "pass labels such as 0 and 1, or text", argument=name)
    try:
        classes, counts = np.unique(labels, return_counts=True)
    except TypeError:
        raise InputError("holds values that cannot be compared", "pass labels of one type", argument=name) from None
    if len(classes) != 2:
        raise InputError(f"must hold two classes, but it holds {len(classes)}", "pass labels of both", argument=name)
    if counts.min() < least:
        raise InputError(
            f"{name} holds {counts.min()} case of {classes.tolist()[counts.argmin()]!r}: a bootstrap sample and the "
            f"cases that it leaves out both need one, so pass at least {least}."
        )
    return labels


def check_same_length(X: Any, y: Array, rows: str, labels: str) -> None:
    """Raise if cases and labels differ in number; a bootstrap would draw some of the rows only."""
    from sklearn.utils.validation import _num_samples

    try:
        number = _num_samples(X)
    except TypeError:  # scikit-learn's, of what has no rows
        raise InputError(f"is of type {type(X).__name__}", "pass a row for each case", argument=rows) from None
    if number != len(y):
        raise InputError(f"{rows} has {number} rows but {labels} has {len(y)} labels", "pass one for each row")


# ---------------------------------------------------------------------- running


def run_rounds(
    work: Callable[[Any, int], Any], task: Any, numbers: range, n_jobs: int, progress: bool | None
) -> list[Any]:
    """Return the rounds in order, run in parallel; an interruption returns the finished ones."""
    shows = (sys.stderr.isatty() if progress is None else check_flag(progress, "progress")) and len(numbers) > 0
    done: list[Any] = []
    try:
        for result in _run(work, task, numbers, n_jobs):
            done.append(result)
            if shows:
                sys.stderr.write(f"\rround {numbers.start + len(done)} of {numbers.stop}")
    except KeyboardInterrupt:
        pass
    if shows:
        sys.stderr.write("\n")
    return done


def _run(work: Callable[[Any, int], Any], task: Any, numbers: range, n_jobs: int) -> Iterable[Any]:
    if n_jobs == 1:
        return (work(task, number) for number in numbers)
    from sklearn.utils.parallel import Parallel, delayed

    results: Iterable[Any] = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(task, i) for i in numbers)
    return results
