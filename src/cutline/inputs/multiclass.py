"""Inputs of several classes: labels and a score for each class are checked and become complete cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import Argument, InputError, ParameterError, Text, shorten_repr
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields
from cutline.core.validation import check_choice, check_flag
from cutline.inputs.alignment import INCOMPLETE_GROUPS
from cutline.inputs.column_source import Request, open_source, read_rows
from cutline.inputs.in_memory import rank_cases
from cutline.inputs.rank import WeightsAre, check_weights_are

_ROUNDING = 0.01  # by which rounded probabilities may miss 1 in sum
_FILL = Text("fill them, or pass ", Argument("missing", "drop"))


@dataclass(frozen=True, eq=False)
class ClassCases(ComparedByFields):
    """Complete cases of several classes: the position of the class of each, and its score for every class.

    They stand in an order of their own, which that of the caller's rows does not change.
    """

    classes: tuple[Any, ...]
    truth: Array
    scores: Array
    weights: Array
    dropped: int = 0
    groups: Array | None = None  # the number of the group of each case; None where each is one by itself
    ordered: bool = False  # whether the classes stand in an order that means something

    def __post_init__(self) -> None:
        for column in (self.truth, self.scores, self.weights, self.groups):
            if column is not None:
                column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.truth)

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew from its fields, so that a copy carries nothing that was found before.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the cached value of `make` for these cases, computing it on the first call."""
        cache = self.__dict__.setdefault("_cache", {})
        if key not in cache:
            cache[key] = make()
        return cache[key]

    @property
    def integral(self) -> bool:
        """Whether all weights are whole numbers, each standing for that many equal rows."""
        return self.weights.dtype.kind != "f"

    @property
    def has_weights(self) -> bool:
        """Whether some case weighs other than one."""
        return not bool((self.weights == 1).all())

    @cached_property
    def squares(self) -> Array:
        """Squared weights, for the variance of a sum; the weights themselves if they count equal rows."""
        return self.weights.astype(float) if self.integral else self.weights**2

    @cached_property
    def group_count(self) -> int:
        """Number of groups; 0 without groups."""
        return 0 if self.groups is None else int(self.groups.max()) + 1

    def covariance(self, units: Array) -> Array:
        """Return the covariances of sums over the cases, given what each case more changes in each: between groups, if
        any.

        Args:
            units: A row for each sum, or one row.
        """
        rows = np.atleast_2d(units)
        if self.groups is None:
            return np.asarray(np.einsum("i,ai,bi->ab", self.squares, rows, rows))
        moved = np.stack([np.bincount(self.groups, self.weights * row, self.group_count) for row in rows])
        count = self.group_count
        return np.asarray(moved @ moved.T * (count / (count - 1) if count > 1 else np.nan))

    @cached_property
    def sizes(self) -> Array:
        """The weight of the cases of each class."""
        return np.bincount(self.truth, weights=self.weights, minlength=len(self.classes))

    @cached_property
    def effective_sizes(self) -> Array:
        """Effective sample size of each class: Kish's if weights are not whole numbers."""
        if self.integral:
            return self.sizes
        squared = np.bincount(self.truth, weights=self.squares, minlength=len(self.classes))
        with np.errstate(invalid="ignore"):
            return np.nan_to_num(self.sizes**2 / squared)

    @property
    def shares(self) -> Array:
        """The share of each class."""
        return np.asarray(self.sizes / self.sizes.sum())

    @cached_property
    def not_probabilities(self) -> str:
        """Reason why scores cannot be read as probabilities of the classes; empty if they can."""
        low, high = float(self.scores.min()), float(self.scores.max())
        if low < 0 or high > 1:
            return f"the scores run from {low:g} to {high:g} and are not probabilities"
        sums = self.scores.sum(1)
        off = int((np.abs(sums - 1) > _ROUNDING).sum())
        if not off:
            return ""
        return (
            f"the scores of {off} of {len(self)} cases do not add up to 1 "
            f"(the sums run from {sums.min():.4g} to {sums.max():.4g})"
        )

    def ranking(self, position: int) -> Ranking:
        """Return the ranking of one class against the rest."""
        how: dict[str, Any] = {"positive": self.classes[position], "dropped": self.dropped}
        ranking: Ranking = self.cached(
            ("ranking", position),
            lambda: rank_cases(self.truth == position, self.scores[:, position], self._own_weights, **how),
        )
        return ranking

    def pair_ranking(self, position: int, other: int) -> tuple[Ranking, Array]:
        """Return the ranking of one class against one other by the scores of the first, and which cases these are."""
        members = np.flatnonzero((self.truth == position) | (self.truth == other))
        weights = None if self._own_weights is None else self._own_weights[members]
        is_positive = self.truth[members] == position
        return rank_cases(is_positive, self.scores[members, position], weights), members

    def pooled_ranking(self) -> Ranking:
        """Return the ranking of all scores of all cases together: positive is the score of a case for its own class."""
        ranking: Ranking = self.cached("pooled", self._pooled)
        return ranking

    def _pooled(self) -> Ranking:
        count = len(self.classes)
        is_own = self.truth[:, None] == np.arange(count)
        weights = None if self._own_weights is None else np.repeat(self._own_weights, count)
        return rank_cases(is_own.ravel(), self.scores.ravel(), weights, dropped=self.dropped)

    @property
    def _own_weights(self) -> Array | None:
        return self.weights if self.has_weights else None


def read_class_cases(
    labels: Any,
    models: Mapping[str, Any],
    weights: Any = None,
    *,
    classes: Sequence[Any] | None = None,
    missing: str = "error",
    data: Any = None,
    groups: Any = None,
    weights_are: WeightsAre | None = None,
    ordered: bool = False,
) -> dict[str, ClassCases]:
    """Return the complete cases of some models that scored the same cases.

    Args:
        labels: The class of each case.
        models: The scores by the name of the model: a row for each case and a column for each class, or columns by
            class; with `data`, names of columns by class, or names that are those of the classes.
        weights: The weight of each case.
        classes: The classes in the order of the columns of a matrix; the sorted labels when None.
        missing: "error" refuses rows with a missing value, "drop" leaves them out and counts them.
        data: A data frame or a file whose columns the other arguments name.
        groups: The group of each case; each is one by itself when None.
        weights_are: What the weights are, as in `evaluate`.
        ordered: Whether the classes have an order.
    """
    check_flag(ordered, "ordered")
    check_choice(missing, "missing", ("error", "drop"))
    check_weights_are(weights_are, weights)
    if data is not None:
        labels, models, weights, groups = _read_columns(labels, models, weights, groups, data)
    validation.check_one_order({"labels": labels, "weights": weights, "groups": groups})
    matrices, known = {}, classes
    for name, scores in models.items():
        validation.check_one_order({"labels": labels, "scores": scores})
        matrices[name], known = _make_matrix(labels, scores, known)
    if ordered and known is None and validation.as_column(labels, "labels").dtype.kind not in "biuf":
        raise ParameterError(
            "is True, but the order of the classes is not known",
            Text("pass ", Argument("classes"), " in their order, such as ['lose', 'draw', 'win']"),
            argument="ordered",
        )
    return _align_rows(labels, matrices, _ClassOptions(weights, weights_are, groups, ordered), known, missing)


class _ClassOptions(NamedTuple):
    """Options of the cases besides labels and scores."""

    weights: Any
    weights_are: WeightsAre | None
    groups: Any
    ordered: bool = False


# ---------------------------------------------------------------------- columns


def _read_columns(
    labels: Any, models: Mapping[str, Any], weights: Any, groups: Any, data: Any
) -> tuple[Any, dict[str, Any], Any, Any]:
    """Return the labels, the columns of each model by class, the weights and the groups of a frame or a file."""
    columns = {name: _map_columns(scores) for name, scores in models.items()}
    is_text = all(isinstance(label, str) for own in columns.values() for label in own)
    requests: dict[Any, Request] = {"labels": Request("labels", labels, is_text)}
    if weights is not None:
        requests["weights"] = Request("weights", weights)
    if groups is not None:
        requests["groups"] = Request("groups", groups)
    for name, own in columns.items():
        requests |= {(name, label): Request("scores", column) for label, column in own.items()}
    with read_rows(open_source(data), requests) as rows:
        truth = validation.as_column(rows["labels"], "labels")
        by_text = {
            _spell_label(label): label for label in dict.fromkeys(truth.tolist()) if not validation.is_missing(label)
        }
        matched = {
            name: {_find_label(label, by_text): _check_scores(rows[(name, label)], own[label]) for label in own}
            for name, own in columns.items()
        }
        return truth, matched, rows.get("weights"), rows.get("groups")


def _check_scores(values: Any, column: str) -> Array:
    """Return a column of scores of a source; raise with its name if it is invalid."""
    try:
        return validation.as_scores(values)
    except InputError as error:
        raise error.altered(column=column) from None


def _map_columns(scores: Any) -> dict[Any, Any]:
    """Return the columns of a source by class; a list of names stands for the classes of these names."""
    if isinstance(scores, Mapping):
        return dict(scores)
    if isinstance(scores, str) or not isinstance(scores, Sequence):
        raise ParameterError(
            f"is {shorten_repr(scores)}",
            Text("with ", Argument("data"), ", pass the columns by class, such as {'cat': 'p_cat', 'dog': 'p_dog'}"),
            argument="scores",
        )
    if not all(isinstance(name, str) for name in scores):
        raise ParameterError(f"is {shorten_repr(scores)}", "pass names of columns", argument="scores")
    if len(set(scores)) < len(scores):
        twice = next(name for name in scores if list(scores).count(name) > 1)
        raise ParameterError(f"names the column {twice!r} twice", "name each class once", argument="scores")
    return {name: name for name in scores}


def _spell_label(label: Any) -> str:
    """Format a label; 1.0 becomes 1."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _find_label(named: Any, by_text: Mapping[str, Any]) -> Any:
    """Return the label that a name spells, which may be a number; the name itself if no case has it."""
    return by_text.get(_spell_label(named), named)


def _make_matrix(labels: Any, scores: Any, classes: Any) -> tuple[Array, Any]:
    """Return the scores as a matrix, and the classes in the order of its columns (None: the sorted labels)."""
    if not isinstance(scores, Mapping):
        return validation.as_score_matrix(scores, "scores"), classes
    if len(scores) < 2:
        problem = f"has {validation.format_count(len(scores), 'column')}"
        raise InputError(problem, "pass a column for each of two classes or more", argument="scores")
    own = list(scores)
    if classes is not None and set(classes) != set(own):
        raise InputError(
            f"has columns for {_list_labels(own)}, but the classes are {_list_labels(classes)}",
            "pass a column for each class",
            argument="scores",
        )
    order = own if classes is None else list(classes)
    by_class = [validation.as_scores(scores[label]) for label in order]
    if len({len(column) for column in by_class}) > 1:
        raise InputError("has columns of several lengths", "pass one score for each case", argument="scores")
    _check_columns(labels, order)
    return np.column_stack([column.astype(float) for column in by_class]), order


def _check_columns(labels: Any, classes: Sequence[Any]) -> None:
    """Raise if a class that occurs has no column."""
    truth = validation.as_column(labels, "labels").tolist()
    known = set(classes)
    lacking = [label for label in dict.fromkeys(truth) if not validation.is_missing(label) and label not in known]
    if lacking:
        raise InputError(
            f"holds the class {lacking[0]!r}, which has no column of scores (the columns are for "
            f"{_list_labels(classes)})",
            "name a column for every class",
            argument="labels",
        )


def _list_labels(labels: Sequence[Any]) -> str:
    shown = [repr(label) for label in list(labels)[:6]]
    return ", ".join(shown) + (", ..." if len(labels) > 6 else "")


# ---------------------------------------------------------------------- rows


def _align_rows(
    labels: Any, matrices: Mapping[str, Array], options: _ClassOptions, classes: Any, missing: str
) -> dict[str, ClassCases]:
    """Return the rows that are complete for every model, sorted by class."""
    first = next(iter(matrices.values()))
    truth = validation.as_column(labels, "labels")
    _check_lengths(truth, matrices, options.weights)
    weights = None if options.weights is None else validation.as_weights(options.weights)
    complete, dropped = _find_complete_rows(truth, matrices, weights, missing)
    coded, order = validation.encode_classes(truth[complete], classes, first.shape[1])
    if len(np.unique(coded)) < 2:
        raise InputError(
            f"holds only one class, {order[coded[0]]!r}", "pass cases of two classes or more", argument="labels"
        )
    own = (
        np.ones(len(complete), dtype=np.int64)
        if weights is None
        else validation.convert_weights(weights[complete], options.weights_are)
    )
    together = None if options.groups is None else _number_groups(options.groups, complete, len(truth), dropped)
    scores = {name: matrix[complete] + 0.0 for name, matrix in matrices.items()}  # 0.0 and -0.0 are one score
    ties = () if together is None else (together,)
    by = (*ties, own, *(column for matrix in scores.values() for column in matrix.T), coded)
    rows = np.lexsort(by)
    groups = None if together is None else together[rows]
    return {
        name: ClassCases(tuple(order), coded[rows], matrix[rows], own[rows], dropped, groups, options.ordered)
        for name, matrix in scores.items()
    }


def _number_groups(groups: Any, complete: Array, rows: int, dropped: int) -> Array:
    """Number the group of each complete row."""
    if dropped:
        raise ParameterError(*INCOMPLETE_GROUPS, argument="groups")
    values = validation.as_column(groups, "groups")
    validation.check_simple(values, "groups")
    validation.check_length(values, rows, "groups")
    return validation.encode_groups(values[complete])[1]


def _check_lengths(truth: Array, matrices: Mapping[str, Array], weights: Any) -> None:
    lengths = {name: matrix.shape for name, matrix in matrices.items()}
    widths = {shape[1] for shape in lengths.values()}
    if len(widths) > 1:
        raise InputError("of the models have several numbers of columns", "pass one for each class", argument="scores")
    for name, (length, _) in lengths.items():
        if length != len(truth):
            whose = f" of {name!r}" if len(lengths) > 1 else ""
            problem = f"has {validation.format_count(len(truth), 'value')} but scores{whose} has {length} rows"
            raise InputError(problem, "pass one row of scores for each label", argument="labels")
    if weights is not None and len(validation.as_column(weights, "weights")) != len(truth):
        count = len(validation.as_column(weights, "weights"))
        problem = f"has {validation.format_count(len(truth), 'value')} but weights has {count}"
        raise InputError(problem, "pass one weight for each label", argument="labels")


def _find_complete_rows(
    truth: Array, matrices: Mapping[str, Array], weights: Array | None, missing: str
) -> tuple[Array, int]:
    """Return the positions of the rows that count and are complete, and how many were dropped."""
    counts = np.ones(len(truth), dtype=bool) if weights is None else weights != 0
    of_labels = validation.find_missing(truth)
    absent = {
        "labels": np.zeros(len(truth), dtype=bool) if of_labels is None else of_labels,
        "scores": np.logical_or.reduce([np.isnan(matrix).any(1) for matrix in matrices.values()]),
        "weights": np.zeros(len(truth), dtype=bool) if weights is None else np.isnan(weights.astype(float)),
    }
    incomplete = np.logical_or.reduce(list(absent.values())) & counts
    if incomplete.any() and missing == "error":
        name, mask = next((name, mask & counts) for name, mask in absent.items() if (mask & counts).any())
        raise validation.make_missing_error(name, mask, None, _FILL)
    complete = np.flatnonzero(counts & ~incomplete)
    if not len(complete):
        why = "all weights are zero" if not counts.any() else "every row has a missing label, score or weight"
        raise InputError(f"Nothing can be evaluated, because {why}", "pass complete rows with positive weights")
    return complete, int(incomplete.sum())
