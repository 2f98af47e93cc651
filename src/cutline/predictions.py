"""The door: labels, scores and weights go in, a valid `Ranking` comes out, or one clear sentence.

Everything behind this door trusts what it gets. The door repairs nothing silently.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.contingency import Counts
from cutline.engines import arrays
from cutline.errors import InputError, NotProbabilitiesError, ParameterError
from cutline.ranking import Ranking

Array = npt.NDArray[Any]
Missing = Literal["error", "drop"]

_EXACT_INTEGERS = 2**53  # float64 tells all integers up to here apart


def rank(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    positive: Any = None,
    higher_is_positive: bool = True,
    missing: Missing = "error",
) -> Ranking:
    """The ranking of labelled, scored cases: the only way in.

    `labels` are booleans, 0/1 or -1/+1, or any two values with `positive` naming the positive one. `scores` are
    numbers, infinities included; `higher_is_positive=False` says that low scores mean positive. `weights` are case
    weights: a whole number equals that many equal rows, and zero an absent one. Rows with a missing value are refused,
    or dropped and counted with `missing="drop"`.

    >>> rank([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])
    Ranking of 4 cases, 2 of them positive, at 3 distinct scores
    """
    rows, is_positive, positive, dropped = _read(labels, scores, weights, positive, missing)
    cells = arrays.aggregate(rows.scores, is_positive, _whole_if_possible(rows.weights), descending=higher_is_positive)
    if np.isnan(cells.key[-1]):  # sorted last; only now is it worth looking where
        raise _missing_error("scores", np.isnan(rows.scores), rows.position)
    return Ranking(
        -cells.key if higher_is_positive else cells.key,
        *cells[1:],
        higher_is_positive=higher_is_positive,
        positive=positive,
        dropped=dropped,
    )


def cases(
    labels: npt.ArrayLike, scores: npt.ArrayLike, *, positive: Any = None, probabilities: bool = False
) -> tuple[Array, Array]:
    """Which cases are positive, and their scores, case by case: for what is asked of each case and not of all."""
    found = complete(labels, scores, positive=positive)
    if probabilities:
        check_probabilities("This", float(found.scores.min()), float(found.scores.max()))
    return found.is_positive, found.scores.astype(float)


class Cases(NamedTuple):
    """Complete cases one by one, where each was in the caller's data, and how many were dropped."""

    is_positive: Array
    scores: Array
    weights: Array | None
    position: Array
    positive: Any
    dropped: int


def complete(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    positive: Any = None,
    missing: Missing = "error",
) -> Cases:
    """The cases that `rank` would rank, one by one."""
    rows, is_positive, positive, dropped = _read(labels, scores, weights, positive, missing)
    if np.isnan(rows.scores).any():
        raise _missing_error("scores", np.isnan(rows.scores), rows.position)
    position = np.arange(len(rows.scores)) if rows.position is None else rows.position
    return Cases(is_positive, rows.scores, _whole_if_possible(rows.weights), position, positive, dropped)


def _read(labels: Any, scores: Any, weights: Any, positive: Any, missing: Missing) -> tuple[_Rows, Array, Any, int]:
    """The rows to rank, which of them are positive, the label that says so, and how many were dropped."""
    if missing not in ("error", "drop"):
        raise ParameterError(f'missing must be "error" or "drop", but it is {missing!r}.')
    rows = _Rows(_column(labels, "labels"), _scores(scores), None if weights is None else _weights(weights))
    rows.check_lengths()
    if rows.weights is not None:
        rows = rows.keep(rows.weights != 0, "all weights are zero: pass weights=None to weigh all cases alike")
    rows, dropped = _without_missing(rows, missing)
    return rows, *_binary(rows.labels, positive), dropped


def check_probabilities(who: str, low: float, high: float, *, higher_is_positive: bool = True) -> None:
    """Refuse scores that cannot be probabilities of the positive class."""
    if not higher_is_positive:
        found = "low scores mean positive here: pass 1 - score with higher_is_positive=True"
    elif low < 0 or high > 1:
        found = f"scores run from {low:g} to {high:g}: pass probabilities of the positive class, from 0 to 1"
    else:
        return
    raise NotProbabilitiesError(f"{who} needs probabilities, but {found}.")


class _Rows(NamedTuple):
    """Columns of one length, and where each row was in the caller's data (None: where it is)."""

    labels: Array
    scores: Array
    weights: Array | None
    position: Array | None = None

    def check_lengths(self) -> None:
        n, m = len(self.labels), len(self.scores)
        if n != m:
            raise InputError(f"labels has {n} values but scores has {m}: pass one score for each label.")
        if self.weights is not None and len(self.weights) != n:
            raise InputError(
                f"weights has {len(self.weights)} values but labels has {n}: pass one weight for each label."
            )
        if n == 0:
            raise InputError("labels and scores are empty: pass at least one case.")

    def keep(self, mask: Array, nothing_left: str) -> _Rows:
        if mask.all():
            return self
        if not mask.any():
            raise InputError(f"Nothing can be ranked, {nothing_left}.")
        position = np.flatnonzero(mask) if self.position is None else self.position[mask]
        weights = None if self.weights is None else self.weights[mask]
        return _Rows(self.labels[mask], self.scores[mask], weights, position)


# ---------------------------------------------------------------------- cuts


def cut(
    ranking: Ranking, *, threshold: float | None = None, quota: float | None = None, share: float | None = None
) -> Counts:
    """The table of one cut of a ranking, which a threshold, a quota or a share of the list names."""
    given = {
        name: value
        for name, value in (("threshold", threshold), ("quota", quota), ("share", share))
        if value is not None
    }
    if len(given) != 1:
        what = "nothing" if not given else " and ".join(given)
        raise ParameterError(f"A cut is named by one of threshold, quota and share, but {what} was given: pass one.")
    if threshold is None:
        return ranking.at_quota(places(ranking, quota=quota, share=share))
    return ranking.at_threshold(check_number(threshold, "threshold"))


def places(ranking: Ranking, *, quota: float | None = None, share: float | None = None) -> Any:
    """How many places of the list a quota or a share takes.

    A share is a capacity, so part of a place does not count: 5 % of 1010 cases are 50 places. Weights that are not
    whole numbers have no places, and then the share is taken exactly.
    """
    n = ranking.total
    if quota is not None:
        quota = check_number(quota, "quota")
        if ranking.integral and quota != int(quota):
            raise ParameterError(f"quota is {quota:g}: pass a whole number of places.")
        if np.min(n) < 1:
            raise ParameterError(f"quota is {quota:g}, but the weights add up to {np.min(n):g} places: pass share=.")
        if not 1 <= quota <= np.min(n):
            raise ParameterError(
                f"quota is {quota:g}, but the list has {np.min(n):g} places: pass a quota from 1 to {np.min(n):g}."
            )
        return quota
    share = check_number(share, "share")
    if not 0 < share <= 1:
        raise ParameterError(f"share is {share:g}: pass a share of the list above 0 and up to 1.")
    if not ranking.integral:
        return share * n
    taken = np.floor(np.round(share * n, 6))  # 0.29 * 100 is 28.999999999999996
    if np.min(taken) < 1:
        raise ParameterError(
            f"share is {share:g}, less than one place of a list of {np.min(n):g}: pass a larger share."
        )
    return taken


def check_number(value: Any, name: str) -> float:
    """A number, or a refusal that names the argument."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {value!r}: pass a number.") from None
    if np.isnan(number):
        raise ParameterError(f"{name} is NaN: pass a number.")
    return number


# ---------------------------------------------------------------------- columns


def _column(values: npt.ArrayLike, name: str) -> Array:
    """The values as a one-dimensional array, masked entries as None."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} cannot be read as one column of values ({error}): pass a flat sequence.") from None
    if array.ndim != 1:
        raise InputError(_not_a_column(array, name))
    mask = np.ma.getmask(values) if isinstance(values, np.ma.MaskedArray) else np.ma.nomask
    if mask is not np.ma.nomask and mask.any():
        array = array.astype(object)
        array[mask] = None
    return array


def _not_a_column(array: Array, name: str) -> str:
    shape = " x ".join(map(str, array.shape))
    if array.ndim == 2 and array.shape[1] == 2 and name == "scores":
        return (
            f"scores has 2 columns ({shape}), as predict_proba gives them: "
            "pass the column of the positive class, usually scores[:, 1]."
        )
    if array.ndim == 2 and 1 in array.shape:
        return f"{name} has the shape {shape}: pass one flat column, for example {name}.ravel()."
    if array.ndim == 0:
        return f"{name} is a single {type(array.item()).__name__}: pass a sequence with one value for each case."
    return f"{name} has the shape {shape}: pass one flat column with one value for each case."


def _scores(values: npt.ArrayLike) -> Array:
    """The scores as floats of their own width; integers and booleans as float64."""
    array = _numbers(values, "scores")
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.min())), abs(int(array.max()))) > _EXACT_INTEGERS:
        as_float = array.astype(float)
        if any(int(f) != int(i) for f, i in zip(as_float.tolist(), array.tolist(), strict=True)):
            raise InputError(
                "scores holds integers beyond 2**53 that float64 cannot tell apart: pass smaller ones, or ranks."
            )
    return array.astype(float)


def _weights(values: npt.ArrayLike) -> Array:
    array = _numbers(values, "weights")
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    if array.size == 0:
        return array
    is_negative = array < 0
    if is_negative.any():
        first = int(np.argmax(is_negative))
        raise InputError(
            f"weights holds {_many(is_negative, 'negative value')}, the first, {array[first]:g}, at position {first}: "
            "pass weights of zero or more."
        )
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise InputError(f"weights is infinite at position {int(np.argmax(np.isinf(array)))}: pass finite weights.")
    return array


def _numbers(values: npt.ArrayLike, name: str) -> Array:
    """A column of real numbers; text is not one, even when it spells a number."""
    array = _column(values, name)
    if array.dtype.kind in "fiub":
        return array
    if array.dtype.kind == "O":
        text = [i for i, value in enumerate(array) if isinstance(value, str | bytes)]
        if not text:
            try:
                return np.array([np.nan if _is_missing(value) else value for value in array], dtype=float)
            except (TypeError, ValueError):
                kind = next(type(v).__name__ for v in array if not isinstance(v, int | float))
                raise InputError(f"{name} holds values of type {kind}: pass numbers.") from None
        example, position = array[text[0]], text[0]
    elif array.dtype.kind in "USTV" and array.size:
        example, position = array[0], 0
    else:
        raise InputError(f"{name} is of type {array.dtype}: pass numbers.")
    raise InputError(
        f"{name} is text, for example {str(example)!r} at position {position}: "
        f"pass numbers, such as {name}.astype(float)."
    )


def _whole_if_possible(weights: Array | None) -> Array | None:
    """Weights that are whole numbers as integers, so that all counts stay exact."""
    if weights is None:
        return None
    if weights.dtype.kind in "iu":
        return weights.astype(np.int64)
    if weights.sum() < _EXACT_INTEGERS and (weights == np.floor(weights)).all():
        return weights.astype(np.int64)
    return weights.astype(float)


# ---------------------------------------------------------------------- missing values


def _without_missing(rows: _Rows, missing: Missing) -> tuple[_Rows, int]:
    """The rows that are complete, and how many were dropped."""
    absent = {"labels": _missing_mask(rows.labels)}
    if rows.weights is not None:
        absent["weights"] = _missing_mask(rows.weights)
    if missing == "drop":
        absent["scores"] = np.isnan(rows.scores)
    found = {name: mask for name, mask in absent.items() if mask is not None and mask.any()}
    if not found:
        return rows, 0  # with missing="error", NaN scores are found after the sort, for nothing
    if missing == "error":
        raise _missing_error(*next(iter(found.items())), rows.position)
    incomplete = np.logical_or.reduce(list(found.values()))
    kept = rows.keep(~incomplete, "every row has a missing label, score or weight: pass complete rows")
    return kept, int(incomplete.sum())


def _missing_mask(labels: Array) -> Array | None:
    """Which labels are missing; None when the type has no way to be missing."""
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind in "mM":
        return np.isnat(labels)
    if labels.dtype.kind in "OT":
        return np.fromiter((_is_missing(label) for label in labels), dtype=bool, count=len(labels))
    return None


def _is_missing(value: object) -> bool:
    """None, NaN, or the NA of a data frame library (which cannot be compared)."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _missing_error(name: str, absent: Array, position: Array | None) -> InputError:
    first = int(np.argmax(absent))
    first = first if position is None else int(position[first])
    return InputError(
        f"{name} holds {_many(absent, 'missing value')} (NaN), the first at position {first}: "
        'fill them, or pass missing="drop".'
    )


def _many(mask: Array, noun: str) -> str:
    """How many, with the noun in its number.

    >>> _many(np.array([True, True]), "missing value")
    '2 missing values'
    """
    count = int(mask.sum())
    return f"{count} {noun}" + ("s" if count > 1 else "")


# ---------------------------------------------------------------------- labels


def _binary(labels: Array, positive: Any) -> tuple[Array, Any]:
    """Which cases are positive, and the label that says so."""
    if labels.dtype.kind == "O":
        labels = _as_simple(labels)
    if positive is not None:
        return _named_positive(labels, positive)
    if labels.dtype.kind == "b":
        return labels, True
    if labels.dtype.kind in "iuf":
        low, high = labels.min(), labels.max()
        if low == high and low in (-1, 0, 1):
            return labels == 1, 1
        if low in (-1, 0) and high == 1:
            is_positive = labels == 1
            if (is_positive | (labels == low)).all():
                return is_positive, 1
    found = _distinct(labels)
    if len(found) > 2:
        raise InputError(_too_many(found))
    kind = "text" if labels.dtype.kind in "UST" else "values that do not say which is positive"
    raise InputError(
        f"labels holds {kind}, {_listed(found)}: pass positive= with the positive one, such as positive={found[-1]!r}."
    )


def _named_positive(labels: Array, positive: Any) -> tuple[Array, Any]:
    is_positive = np.asarray(labels == positive)
    if is_positive.shape != labels.shape:  # numpy answers a comparison it cannot make with a single False
        is_positive = np.fromiter((label == positive for label in labels), dtype=bool, count=len(labels))
    rest = labels[~is_positive]
    if len(rest) and not np.asarray(rest == rest[0]).all():
        found = _distinct(labels)
        if len(found) > 2:
            raise InputError(_too_many(found))
        raise InputError(f"positive={positive!r} is not among the labels, {_listed(found)}: pass one of them.")
    return is_positive, positive


def _as_simple(labels: Array) -> Array:
    """Objects that are all numbers or booleans as such an array; others as they are."""
    if all(isinstance(label, bool | np.bool_) for label in labels):
        return labels.astype(bool)
    if all(isinstance(label, bool | np.bool_ | int | float | np.number) for label in labels):
        return labels.astype(float)
    return labels


def _distinct(labels: Array) -> list[Any]:
    """The distinct labels in a fixed order, for a message."""
    return sorted(
        set(labels.tolist()),
        key=lambda label: (str(type(label)), label if isinstance(label, int | float) else str(label)),
    )


def _too_many(found: list[Any]) -> str:
    return (
        f"labels holds {len(found)} different values, {_listed(found)}, but cutline takes two classes: "
        "compare one class with the rest, for example labels == " + repr(found[-1]) + "."
    )


def _listed(found: list[Any]) -> str:
    shown = [repr(label) for label in found[:4]]
    return " and ".join(shown) if len(found) == 2 else ", ".join(shown) + (", ..." if len(found) > 4 else "")
