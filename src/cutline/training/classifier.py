"""LinearMeasureClassifier: a linear classifier trained for the measure that is reported.

Its settings are checked, and the recipes that they allow compete on cases that they have not seen.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from numbers import Integral
from typing import Any, NamedTuple, get_args

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from cutline import MEASURES, InputError, Measure, ParameterError
from cutline.core.array_ops import Array
from cutline.core.errors import hint_similar
from cutline.core.public import public
from cutline.core.validation import check_number
from cutline.training.class_order import Psi, Split
from cutline.training.linear import VACUOUS, Effort
from cutline.training.objectives import Objective, check_target, resolve_target
from cutline.training.solvers import Model, Recipe, find_threshold, fit, fit_scores, select_rows

_FEW = 10  # with fewer cases of a class than this nothing can be held out
_RARE = 100  # with fewer cases of a class the cut is chosen out of fold
_PAIRS = 100_000_000  # the most numbers in the matrix of explicit pairs


def _gives_probabilities(model: LinearMeasureClassifier) -> bool:
    """Whether the scores are log-odds: those of losses of probabilities."""
    try:
        return resolve_target(model.measure, model.parameters).is_loss
    except ParameterError:
        return False


@public
class LinearMeasureClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier of two classes that is trained for a measure: F1, MCC, AUC, average precision, ROC_N, ...

    Scale the columns first (`StandardScaler`): coefficients are kept small, and small means little for a column of
    large numbers. Classes need no weights: the measure says what each kind of error costs.

    Args:
        measure: a name or alias of the registry (`cutline.MEASURES`), also as people write it ("G-mean",
            "precision@100", "ROC_50", "F2"): any measure of one cut, auc, average_precision, partial_auc, roc_n,
            break_even, average_qrecall, hit_rate (precision@k) or qrecall (recall@k); one that is highest where auc or
            average_precision is, such as gini or pem; a loss of probabilities (log_loss, brier, balanced_cross_entropy,
            focal_loss); or a vectorised callable of (tp, fp, P, N), greater being better, that never falls with tp nor
            grows with fp.
        positive: the positive class; without it, the second in order ("good" of "bad" and "good").
        parameters: those of the measure, such as {"beta": 2}, {"max_fpr": 0.05}, {"n": 50} or {"quota": 100} (or "k");
            a quota and n count cases of the training data.
        alpha: the weight of the positives in balanced_cross_entropy and focal_loss: a number from 0 to 1, or "balanced"
            for the share of the negatives. By cross-validation: `GridSearchCV(model, {"alpha": [0.5, 0.9]})`.
        gamma: the exponent of focal_loss; 2 when None.
        solver: "structural" minimises the convex bound by cutting planes; "smooth" the measure with its steps rounded,
            from logistic regression; "newton" the squared hinge of pairs (auc only); "baseline" is logistic regression
            with a tuned cut. "auto" tries those that fit on held-out cases, and leaves the baseline only for a gain
            beyond its standard error.
        method: "sorted", or "pairs" for the pairwise SVM that writes out all P x N differences (auc only, small data):
            with the squared hinge, or with the plain hinge if the solver is "structural".
        C: how much the risk counts against the size of the coefficients; see `psi`.
        psi: what a unit of score is worth in the convex bound: "positive" 1/P, "uniform" 1/n (Joachims), "balanced"
            1/2P and 1/2N. "auto" is "balanced" for measures that do not depend on the prevalence, such as the balanced
            error rate, and "positive" for others.
        fit_intercept: whether a constant is trained along, for measures of one cut.
        threshold: "auto", "tune" (on the training scores), "zero" (as trained), or a number of folds, to choose the cut
            out of fold. "auto" does so with fewer than 100 cases of a class.
        holdout: the share of the cases that "auto" holds out.
        smoothing: the width of the rounded steps, in deviations of the scores.
        trust: how much a smooth ranking stays near that of logistic regression.
        tol: the relative gap at which cutting planes stop.
        max_iter: the largest number of iterations of a solver.
        time_limit: the most seconds of the whole fit, about.
        random_state: a seed, for the cases that are held out.
        verbose: 1 prints progress.

    Attributes:
        coef_, intercept_: the model; its scores are 0 at the cut, and above it for the second class.
        classes_, positive_: both classes in order, and which of them is the positive one.
        solver_: the solver that was used; where another measure with the same maximiser was trained for, with that
            measure in parentheses, as in "newton (auc)".
        candidates_: what each solver reached on held-out cases (empty without "auto").
        bound_ratio_: the convex bound at the solution as a share of that of a constant score; near 1 the
            bound says nothing (nan when it was not used).
        objective_, lower_bound_, n_iter_, converged_: how the solver ended.
        train_measure_: the value of the measure on the training data.

    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(400, weights=[0.9], random_state=0)
    >>> model = LinearMeasureClassifier("f1", random_state=0).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    def __init__(
        self,
        measure: str | Measure | Callable[..., Any] = "f1",
        *,
        parameters: Mapping[str, Any] | None = None,
        positive: Any = None,
        alpha: float | str | None = None,
        gamma: float | None = None,
        solver: str = "auto",
        method: str = "sorted",
        C: float = 100.0,
        psi: str = "auto",
        fit_intercept: bool = True,
        threshold: str | int = "auto",
        holdout: float = 0.25,
        smoothing: float = 0.5,
        trust: float = 0.01,
        tol: float = 1e-3,
        max_iter: int = 1000,
        time_limit: float | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.parameters = parameters
        self.positive = positive
        self.alpha = alpha
        self.gamma = gamma
        self.solver = solver
        self.method = method
        self.C = C
        self.psi = psi
        self.fit_intercept = fit_intercept
        self.threshold = threshold
        self.holdout = holdout
        self.smoothing = smoothing
        self.trust = trust
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn may ask of it."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags

    # ------------------------------------------------------------------ scikit-learn's verbs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearMeasureClassifier:
        """Train on cases of two classes; the second in order is the positive one, unless `positive` names it.

        Args:
            X: The cases.
            y: Their labels.
            sample_weight: Their weights.
        """
        started = time.perf_counter()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
        _check_finite(X)
        split = self._split(X, y, sample_weight)
        if split.weight is not None and (split.weight == 0).any():
            rows = np.flatnonzero(split.weight)
            X, split = X[rows], Split(split.is_positive[rows], split.weight[rows])
        self._check_classes(split)
        goal = self._read_goal()
        check_target(goal, split)
        names = self._choose_solvers(goal, split)
        recipe = self._make_recipe(goal, split, started)
        X = self._for_pairs(X, split) if recipe.explicit else X
        self.candidates_: list[Candidate] = []
        trials = [Trial(Candidate(names[0], math.nan), None)]
        if len(names) > 1:
            # Each candidate has its share of the time, and so has the final fit.
            effort = replace(recipe.effort, seconds=recipe.effort.seconds / (len(names) + 1))
            recipe = replace(recipe, effort=effort)
            trials = _hold_out([replace(recipe, solver=n) for n in names], X, split, share=self.holdout)
            self.candidates_ = [trial.candidate for trial in trials]
        self._fit_first(_sort_by_value(trials), recipe, X, split)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the scores of cases, for the second class: negated, where the first is the positive one."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False, ensure_all_finite=False)
        _check_finite(X)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> Array:
        """Return the predicted classes of cases."""
        scores = self.decision_function(X)
        is_second = scores >= 0 if self._sign > 0 else scores > 0  # at the cut, a case is positive
        return np.asarray(self.classes_[is_second.astype(int)])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of both classes, of a model that was trained for a loss of probabilities."""
        second = expit(self.decision_function(X))
        return np.column_stack((1 - second, second))

    # ------------------------------------------------------------------ checks

    def _read_goal(self) -> Objective:
        """Return what to train for, with alpha and gamma among its parameters."""
        own = {name: value for name, value in (("alpha", self.alpha), ("gamma", self.gamma)) if value is not None}
        goal = resolve_target(self.measure, self.parameters)
        for name in own:
            if not goal.is_loss or name not in MEASURES[goal.key].parameters:
                raise ParameterError(f"has no effect for {goal.noun}", "leave it out", argument=name)
            if name in (self.parameters or {}):
                raise ParameterError("is given, and among parameters too", "pass it once", argument=name)
        return resolve_target(self.measure, {**(self.parameters or {}), **own}) if own else goal

    def _split(self, X: Any, y: Array, sample_weight: Any) -> Split:
        try:
            check_classification_targets(y)
            kind = type_of_target(y, input_name="y", raise_unknown=True)
        except TypeError as error:  # missing labels among words, say
            raise InputError(
                f"holds labels of different kinds ({error})", "pass labels of one type", argument="y"
            ) from None
        if kind != "binary":
            raise InputError(
                f"Only binary classification is supported. The type of the target is {kind}",
                "wrap it in OneVsRestClassifier for several classes",
            )
        self.classes_ = np.unique(y)
        self.positive_ = self._choose_positive_class()
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if (weight < 0).any():
                first = int(np.argmax(weight < 0))
                raise InputError(
                    f"is {weight[first]:g} at position {first}",
                    "pass weights of zero or more",
                    argument="sample_weight",
                )
        return Split(np.asarray(y == self.positive_), weight)

    def _choose_positive_class(self) -> Any:
        classes = self.classes_.tolist()
        if self.positive is None:
            return classes[-1]
        if self.positive not in classes:
            raise InputError(
                f"is {self.positive!r}, but y holds {' and '.join(map(repr, classes))}",
                "pass one of these",
                argument="positive",
                hint=hint_similar(str(self.positive), map(str, classes)),
            )
        return self.positive

    @property
    def _sign(self) -> int:
        """Sign of the scores: -1 if the first class is positive, as scikit-learn's scores are those of the second."""
        return 1 if self.classes_[-1] == self.positive_ else -1

    def _check_classes(self, split: Split) -> None:
        if len(self.classes_) < 2 or not len(split.pos) or not len(split.neg):
            raise InputError("All cases are of one class", "pass cases of two classes")
        if len(split.pos) == 1:
            raise InputError("There is only one positive case, which is too few to learn from", "pass at least two")

    def _choose_solvers(self, goal: Objective, split: Split) -> Sequence[str]:
        """Return the solvers to try, the baseline first; or the one to use."""
        defaults = {name: parameter.default for name, parameter in signature(type(self)).parameters.items()}
        check_settings(self.get_params(deep=False), defaults, goal)
        if split.weight is not None and (
            goal.counts_places or (self.solver == "structural" and not goal.takes_weights)
        ):
            raise ParameterError(
                f"{goal.name} cannot take sample_weight, because a quota counts cases, not weights: pass no weights."
                if goal.counts_places
                else f"The convex bound of {goal.noun} cannot take sample_weight: pass solver='smooth', or no weights."
            )
        names = _list_solvers(self.solver, self.method, goal)
        if len(names) == 1:
            return names
        if min(len(split.pos), len(split.neg)) < _FEW:
            return ("baseline",)
        weightless = split.weight is not None and not goal.takes_weights
        return [name for name in names if not (name == "structural" and weightless)]

    # ------------------------------------------------------------------ training

    def _make_recipe(self, goal: Objective, split: Split, started: float) -> Recipe:
        few = min(len(split.pos), len(split.neg))
        folds: int | None = 0
        if goal.is_loss:  # whose probabilities a cut would move
            if self.threshold not in ("auto", "zero"):
                problem = f"has no effect for {goal.noun}, which is read without a cut"
                raise ParameterError(problem, "leave it out", argument="threshold")
            folds = None
        elif self.threshold == "auto":
            # The parts of the choice, so that a baseline that is chosen is the baseline to the last digit.
            folds = _choose_part_count(self.holdout) if _FEW <= few < _RARE and goal.is_table else 0
        elif self.threshold == "zero":
            folds = None
        elif not isinstance(self.threshold, str) and 2 <= _check_whole(self.threshold) <= few:
            folds = _check_whole(self.threshold)
        elif self.threshold != "tune":
            raise ParameterError(
                f"is {self.threshold!r}",
                f"pass 'auto', 'tune', 'zero', or a number of folds from 2 to {few}",
                argument="threshold",
            )
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        seconds = math.inf if self.time_limit is None else self.time_limit
        return Recipe(
            solver="baseline",
            target=goal,
            C=self.C,
            psi=self.psi,  # type: ignore[arg-type]
            fit_intercept=self.fit_intercept,
            smoothing=self.smoothing,
            trust=self.trust,
            folds=folds,
            seed=seed,
            explicit=self.method == "pairs",
            effort=Effort(self.tol, self.max_iter, seconds, self.verbose, started),
        )

    def _for_pairs(self, X: Any, split: Split) -> Array:
        numbers = len(split.pos) * len(split.neg) * X.shape[1]
        if numbers > _PAIRS:
            raise ParameterError(
                f"method='pairs' would write out {numbers:.2g} numbers", "pass method='sorted', which needs none"
            )
        return np.asarray(X.toarray() if sparse.issparse(X) else X)

    def _fit_first(self, trials: list[Trial], recipe: Recipe, X: Any, split: Split) -> None:
        """Fit on all cases with the first of the solvers that then knows something, or with the last."""
        ratios = []
        for trial in trials:
            recipe = replace(recipe, solver=trial.candidate.solver, effort=recipe.effort.start())
            model = fit(recipe, X, split, unseen=trial.unseen if self.threshold == "auto" else None)
            ratios.append(model.solution.bound_ratio)
            if not model.knows_nothing:
                break
        recipe.effort.say(f"chosen: {recipe.solver}")
        ratios += [c.bound_ratio for c in self.candidates_]
        self.bound_ratio_ = next((ratio for ratio in ratios if not math.isnan(ratio)), math.nan)
        self._take(model, recipe, X, split)

    def _take(self, model: Model, recipe: Recipe, X: Any, split: Split) -> None:
        """Store the solution, and warn of its faults."""
        solution = model.solution
        another = recipe.target.key if recipe.target.trained_measure is not recipe.target.measure else ""
        self.solver_ = f"{recipe.solver} ({another})" if another else recipe.solver
        self.coef_, self.intercept_ = self._sign * model.coef[None, :], np.array([self._sign * model.intercept])
        self.objective_, self.lower_bound_ = solution.objective, solution.bound
        self.n_iter_, self.converged_ = max(1, solution.n_iter), solution.converged
        ranking = split.rank(model.compute_scores(X))
        self.train_measure_ = recipe.target.compute_reported_value(ranking, 0.0)
        if complaint := self._find_complaint(model, recipe):
            warnings.warn(complaint, ConvergenceWarning, stacklevel=5)

    def _find_complaint(self, model: Model, recipe: Recipe) -> str:
        """Return what the user should know before using the model; usually nothing."""
        solution, goal = model.solution, recipe.target
        if solution.limited:
            more = ", or a smaller C" if recipe.solver == "structural" else ""
            limit = "max_iter" if solution.n_iter >= self.max_iter else "time_limit"
            return (
                f"The {recipe.solver} solver stopped after {solution.n_iter} iterations, before it had converged: "
                f"scale the columns, or pass a larger {limit}{more}."
            )
        if solution.is_vacuous and solution.reachable < VACUOUS:
            return (
                f"C = {self.C:g} is too small for {goal.noun} here: the risk is {solution.bound_ratio:.3f} times that "
                f"of a constant score, where {solution.reachable:.3f} can be reached; pass a larger C."
            )
        if solution.is_vacuous:
            balanced = (
                goal.uses_psi and self.psi != "balanced" and not (self.psi == "auto" and goal.is_free_of_prevalence)
            )
            return (
                f"The convex bound of {goal.noun} is vacuous here: its risk is {solution.bound_ratio:.3f} times that "
                "of a constant score, and a larger C would not help; pass solver='auto' or 'smooth'"
                f"{', or psi=' + repr('balanced') if balanced else ''}."
            )
        if model.is_flat:
            return (
                "All cases have one score: pass columns that vary with the class, and bring each to a deviation of "
                "about 1."
            )
        return ""


def _check_whole(value: object) -> int:
    """Return a whole number, numpy's too; 0 for anything else."""
    return int(value) if isinstance(value, Integral) else 0


def _check_finite(X: Any) -> None:
    """Refuse what no linear score can be made of."""
    values = X.data if sparse.issparse(X) else X
    if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum alone is nearly free
        return
    rows, columns = (X.tocoo().row, X.tocoo().col) if sparse.issparse(X) else np.indices(X.shape).reshape(2, -1)
    bad = np.flatnonzero(~np.isfinite(np.ravel(values)))
    what = "NaN" if np.isnan(np.ravel(values)[bad[0]]) else "infinite"
    raise InputError(
        f"X is {what} in row {rows[bad[0]]}, column {columns[bad[0]]}, the first of its values that are not finite",
        "fill them in, or leave the rows out",
    )


# ---------------------------------------------------------------------- the choice of a recipe

_GROUPS = 10  # of the jackknife
_MANY = 500  # cases of each class, from which on one held-out part suffices; otherwise each part is held out in turn


class Candidate(NamedTuple):
    """The value of a recipe on unseen cases, its gain over the baseline, and the standard error of the gain."""

    solver: str
    value: float
    gain: float = 0.0
    error: float = 0.0
    bound_ratio: float = math.nan

    @property
    def is_better(self) -> bool:
        """Whether the gain exceeds its standard error."""
        return self.gain > self.error


class Trial(NamedTuple):
    """A candidate, and its out-of-fold scores if every case was held out once."""

    candidate: Candidate
    unseen: Array | None


def _hold_out(recipes: Iterable[Recipe], X: Any, split: Split, *, share: float) -> list[Trial]:
    """Evaluate each recipe on held-out cases; the first is the baseline."""
    recipes = list(recipes)
    first = recipes[0]
    folds = StratifiedKFold(_choose_part_count(share), shuffle=True, random_state=first.seed)
    parts = list(folds.split(np.zeros(split.n), split.is_positive))
    if min(len(split.pos), len(split.neg)) >= _MANY:
        parts = parts[:1]
    group = np.empty(split.n, dtype=int)
    for members in (split.pos, split.neg):
        group[members] = np.random.default_rng(first.seed).permutation(len(members)) % _GROUPS
    trials: list[Trial] = []
    base: Array = np.empty(0)
    for each in recipes:
        recipe = replace(each, effort=each.effort.relax().start())
        scores, unseen, ratio = _score_unseen(recipe, X, split, parts)
        values = _average_values(recipe.target, split, parts, scores, group)
        gains = values - (base if len(base) else values)
        base = base if len(base) else values
        deleted = gains[1:]
        error = math.sqrt((_GROUPS - 1) / _GROUPS * float(((deleted - deleted.mean()) ** 2).sum()))
        candidate = Candidate(recipe.solver, float(values[0]), float(gains[0]), error, ratio)
        trials.append(Trial(candidate, unseen))
        first.effort.say(f"held out: {candidate}")
    return trials


def _choose_part_count(share: float) -> int:
    """Return the number of parts when a share of the cases is held out in turn."""
    return max(2, round(1 / share))


def _sort_by_value(trials: list[Trial]) -> list[Trial]:
    """Return the trials that beat the baseline and whose bound is not vacuous, the best first; then the baseline."""
    better = [t for t in trials[1:] if t.candidate.is_better and not t.candidate.bound_ratio >= VACUOUS]
    return [*sorted(better, key=lambda t: -t.candidate.gain), trials[0]]


def _score_unseen(
    recipe: Recipe, X: Any, split: Split, parts: list[tuple[Array, Array]]
) -> tuple[Array, Array | None, float]:
    """Return the scores of held-out cases with the cut at 0, the scores before the cut if all were held out, and the
    ratio of the bound.

    An out-of-fold cut needs no more fits: the cut of a part is chosen by the out-of-fold scores of the other parts.
    """
    is_out_of_fold = bool(recipe.folds) and len(parts) > 1
    scores, ratios = np.zeros(split.n), []
    for seen, unseen in parts:
        known = select_rows(split, seen)
        part_recipe = recipe.scale_to_part(len(seen) / split.n, known)
        if is_out_of_fold:
            model = fit_scores(part_recipe, X[seen], known)
            scores[unseen] = model.standardise(X[unseen], X[seen])
        else:
            model = fit(replace(part_recipe, folds=None if part_recipe.folds is None else 0), X[seen], known)
            scores[unseen] = model.compute_scores(X[unseen])
        ratios.append(model.solution.bound_ratio)
    ratio = float(np.mean(ratios)) if recipe.solver == "structural" else math.nan
    if not is_out_of_fold:
        return scores, None, ratio
    shifted = scores.copy()
    for others, unseen in parts:
        some = select_rows(split, others)
        goal = recipe.target.scale_to_part(len(others) / split.n, some)
        shifted[unseen] -= find_threshold(goal, some.rank(scores[others]))
    return shifted, scores, ratio


def _average_values(
    target: Objective, split: Split, parts: list[tuple[Array, Array]], scores: Array, group: Array
) -> Array:
    """Return the mean value over the parts: with all cases, then without each group of cases in turn."""
    values = np.zeros(1 + _GROUPS)
    for _, unseen in parts:
        for which in range(-1, _GROUPS):
            rest = unseen[group[unseen] != which]
            values[1 + which] += _compute_value(target, split, rest, scores[rest]) / len(parts)
    return values


def _compute_value(target: Objective, split: Split, rows: Array, scores: Array) -> float:
    """Return the value of the scores of some of the cases, with a quota scaled to their number."""
    some = select_rows(split, rows)
    if not len(some.pos) or not len(some.neg):
        return 0.0
    return target.scale_to_part(some.n / split.n, some).compute_value_at(some.rank(scores), 0.0)


# ---------------------------------------------------------------------- settings

SOLVERS = ("baseline", "structural", "smooth", "newton")
METHODS = ("sorted", "pairs")

# The solvers that read a setting, by measure; every solver reads the other settings.
_READ_BY: dict[str, Callable[[str, Objective], bool]] = {
    "C": lambda solver, goal: solver in ("structural", "newton") or (solver == "smooth" and goal.has_cut),
    "psi": lambda solver, goal: solver == "structural" and goal.uses_psi,
    "smoothing": lambda solver, goal: solver == "smooth" and not goal.has_cut,
    "trust": lambda solver, goal: solver == "smooth" and not goal.has_cut,
    "tol": lambda solver, goal: solver in ("structural", "newton"),
}


def check_settings(settings: Mapping[str, Any], defaults: Mapping[str, Any], goal: Objective) -> None:
    """Raise if a setting is invalid or has no effect."""
    _check_choices(settings, goal)
    for name in ("C", "smoothing", "tol"):
        if not 0 < check_number(settings[name], name) < math.inf:
            raise ParameterError(f"is {settings[name]!r}", "pass a finite number above 0", argument=name)
    if not 0 <= check_number(settings["trust"], "trust") < math.inf:
        raise ParameterError(f"is {settings['trust']!r}", "pass a finite number of at least 0", argument="trust")
    if not 0 < check_number(settings["holdout"], "holdout") <= 0.5:
        raise ParameterError(f"is {settings['holdout']!r}", "pass a share above 0 and up to 0.5", argument="holdout")
    if settings["time_limit"] is not None and not check_number(settings["time_limit"], "time_limit") > 0:
        raise ParameterError(
            f"is {settings['time_limit']!r}",
            "pass a number of seconds above 0, or None for no limit",
            argument="time_limit",
        )
    rounds = settings["max_iter"]
    if isinstance(rounds, bool) or not isinstance(rounds, Integral) or rounds < 1:
        raise ParameterError(f"is {rounds!r}", "pass a whole number of at least 1", argument="max_iter")
    _check_use(settings, defaults, goal)


def _check_choices(settings: Mapping[str, Any], goal: Objective) -> None:
    solver, method = settings["solver"], settings["method"]
    if solver not in (*SOLVERS, "auto"):
        raise ParameterError(
            f"is {solver!r}",
            f"pass 'auto' or one of {', '.join(SOLVERS)}",
            argument="solver",
            hint=hint_similar(solver, SOLVERS),
        )
    if method not in METHODS:
        raise ParameterError(f"is {method!r}", "pass 'sorted' or 'pairs'", argument="method")
    if goal.key != "auc" and (solver == "newton" or method == "pairs"):
        option = "solver='newton'" if solver == "newton" else "method='pairs'"
        raise ParameterError(f"{option} trains for auc, not for {goal.noun}", "pass another, or measure='auc'")
    if goal.is_loss and solver == "structural":
        raise ParameterError(f"solver='structural' bounds decisions, and {goal.noun} is a loss", "pass solver='smooth'")
    if method == "pairs" and solver not in ("auto", "newton", "structural"):
        raise ParameterError(
            f"method='pairs' is for solver='newton' or 'structural', not for {solver!r}", "pass one of them"
        )
    if settings["psi"] not in get_args(Psi):
        raise _make_psi_error(settings["psi"])


def _check_use(settings: Mapping[str, Any], defaults: Mapping[str, Any], goal: Objective) -> None:
    solvers = _list_solvers(settings["solver"], settings["method"], goal)
    for name, reads in _READ_BY.items():
        if settings[name] != defaults[name] and not any(reads(solver, goal) for solver in solvers):
            raise ParameterError(
                f"{name} has no effect for {goal.noun} with solver={settings['solver']!r}", "leave it out"
            )
    if settings["holdout"] != defaults["holdout"] and len(solvers) == 1:
        raise ParameterError(
            "has no effect without a choice of solvers", "leave it out, or pass solver='auto'", argument="holdout"
        )


def _list_solvers(solver: str, method: str, goal: Objective) -> Sequence[str]:
    """Return the solvers to try, the baseline first; or the one to use."""
    if method == "pairs":
        return ("structural" if solver == "structural" else "newton",)
    if solver != "auto":
        return (solver,)
    if goal.is_loss:
        return ("baseline", "smooth")
    return ("baseline", "newton", "smooth") if goal.key == "auc" else ("baseline", "structural", "smooth")


def check_psi(psi: object, goal: Objective) -> None:
    """Refuse a value that is no price of a unit of score, or a price for a bound that has none."""
    if psi not in get_args(Psi):
        raise _make_psi_error(psi)
    if psi != "auto" and not goal.uses_psi:
        raise ParameterError(
            f"has no effect for {goal.noun}, whose bound compares pairs", "leave it out", argument="psi"
        )


def _make_psi_error(psi: object) -> ParameterError:
    names = ", ".join(repr(name) for name in get_args(Psi))
    return ParameterError(f"is {psi!r}", f"pass one of {names}", argument="psi")
