"""The door: labels, scores and weights go in, a valid `Ranking` comes out, or one clear sentence.

Everything behind this door trusts what it gets. The door repairs nothing silently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from cutline.core import validation
from cutline.core.counts import Counts, written
from cutline.core.errors import (
    Argument,
    InputError,
    NotProbabilitiesError,
    ParameterError,
    PositionError,
    Text,
    briefly,
)
from cutline.core.public import public
from cutline.core.ranking import Array, Ranking
from cutline.core.validation import check_choice
from cutline.inputs import column_source, in_memory, out_of_core
from cutline.inputs.labels import Sides, binary

Missing = Literal["error", "drop"]
DEFAULT_THRESHOLD = 0.5  # of probabilities
ONE_CUT = "pass threshold, quota or share"
WeightsAre = Literal["counts", "sampling", "importance"]

# Why nothing is left to rank, and the way out.
_NO_WEIGHT = ("all weights are zero", "pass positive weights, or leave them out to weigh all cases alike")
_NO_ROW = ("every row has a missing label, score or weight", "pass complete rows")


@public
def rank(
    labels: Any,
    scores: Any,
    weights: Any | None = None,
    *,
    positive: Any = None,
    higher_is_positive: bool = True,
    missing: Missing = "error",
    data: Any = None,
    weights_are: WeightsAre | None = None,
    exact: bool | None = None,
    memory: str | None = None,
    threshold: float | None = None,
) -> Ranking:
    """The ranking of labelled, scored cases: the only way in.

    Args:
        labels: Booleans, 0/1 or -1/+1, or any two values if `positive` names the positive one.
        scores: Numbers; they may be infinite.
        weights: Case weights: a whole number equals that many equal rows, and zero an absent one.
        positive: The label that is positive.
        higher_is_positive: Whether high scores mean positive.
        missing: What to do with rows that have a missing value: "error" refuses them, "drop" drops and counts them.
        data: A data frame of any kind, or the path of a file; `labels`, `scores` and `weights` are then names of its
            columns. Files, and frames that another engine holds, are aggregated where they are.
        exact: True collects all distinct scores, False puts them into bins. When None, more than about four million
            distinct scores of frames elsewhere, or of files of more than 33 million rows, are put into bins, which
            leave the AUC certain to one millionth, and every other measure with its own bracket.
        memory: How much memory DuckDB may use, such as "2GB".
        threshold: A threshold that no bin straddles.
        weights_are: What weights are: "counts" of equal rows, as whole numbers are by default, "sampling" or
            "importance" (docs/intervals.md).

    >>> rank([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])
    Ranking of 4 cases, 2 of them positive, at 3 distinct scores
    """
    check_weights_are(weights_are, weights)
    options = _Options(positive, higher_is_positive, missing, weights_are)
    if data is not None:
        asked = column_source.asked_of(labels, scores, weights, positive=positive)
        source = column_source.opened(data, memory=memory)
        ranking = _rank_named(source, asked, options, (exact, threshold, memory))
        notes = column_source.notes_on(source, asked)
        return replace(ranking, read_as=notes) if notes else ranking
    return _rank_rows(options, labels, scores, weights)


class _Options(NamedTuple):
    """How the columns are to be read."""

    positive: Any
    higher_is_positive: bool
    missing: Missing
    weights_are: WeightsAre | None = None


def check_weights_are(weights_are: Any, weights: Any) -> None:
    """Refuse to be told what weights are where there are none, or what they cannot be."""
    if weights_are is not None:
        check_choice(weights_are, "weights_are", get_args(WeightsAre))
    if weights_are is not None and weights is None:
        raise ParameterError(
            f"is {briefly(weights_are)}, but there are no weights",
            Text("pass ", Argument("weights"), " too"),
            argument="weights_are",
        )


def _rank_rows(options: _Options, labels: Any, scores: Any, weights: Any = None, times: Array | None = None) -> Ranking:
    """The ranking of rows, each of which may stand for several."""
    rows, sides, dropped = _read(labels, scores, weights, options, times)
    found = in_memory.rank_cases(
        sides.is_positive,
        rows.scores,
        rows.weights,
        times=rows.times,
        higher_is_positive=options.higher_is_positive,
        positive=sides.positive,
        negative=sides.negative,
        dropped=dropped,
    )
    if found.score[-1] != found.score[-1]:  # NaN, sorted last; only now is it worth looking where
        raise validation.missing_error("scores", np.isnan(rows.scores), rows.position)
    return found


def _rank_named(
    source: column_source.Source,
    asked: dict[Any, column_source.Ask],
    options: _Options,
    how: tuple[bool | None, float | None, Any],
) -> Ranking:
    """The ranking of the columns of a frame or a file, aggregated where they live if they are not here."""
    exact, threshold, memory = how
    if exact is not None and not isinstance(exact, bool | np.bool_):
        raise ParameterError(f"is {briefly(exact)}", "pass True or False", argument="exact")
    column_source.check(source, asked)
    file: Any = source if hasattr(source, "scan") else None
    if exact is not False and file is not None and file.fits(_room(memory, exact=exact)):
        columns = file.scan(asked)
        if columns is not None:
            return _rank_scanned(options, source, asked, columns)
        with column_source.reading(source, asked) as rows:  # which knows what is wrong
            return _rank_rows(options, **rows)
    try:
        engine = source.engine(asked)
        if engine is not None and (out_of_core.is_large(engine) or exact is not None):
            limit = _memory(memory)
            return out_of_core.rank_large(
                engine, out_of_core.Wanted(*options[:3], exact, threshold, limit, options.weights_are), binary
            )
    except PositionError as error:
        raise column_source.told(error, source, asked) from None
    try:
        grouped = source.grouped(asked)
        if grouped is not None:
            found, times = grouped
            if "weights" not in found:
                return _rank_rows(options, **found, times=times)
            # Sums of weights depend on the order of the rows, so they are added up here.
            return _rank_rows(options, **{name: np.repeat(values, times) for name, values in found.items()})
    except InputError:
        pass  # the rows tell where it is
    with column_source.reading(source, asked) as found:
        return _rank_rows(options, **found)


def _rank_scanned(
    options: _Options, source: Any, asked: dict[Any, column_source.Ask], columns: dict[Any, Any]
) -> Ranking:
    """Rank the columns of one typed scan: text labels are compared once each, by their codes."""
    labels, scores = columns["labels"], columns["scores"]
    if isinstance(labels, column_source.Coded):
        used = np.flatnonzero(np.bincount(labels.code, minlength=len(labels.values)))
        is_complete = "weights" not in columns and used[-1] < len(labels.values) - 1
        is_complete = is_complete and scores.dtype.kind == "f" and not np.isnan(scores).any()
        if is_complete and options.missing in get_args(Missing):
            sides = binary(_as_array(labels.values[used]), options.positive)
            of_code = np.zeros(len(labels.values), bool)
            of_code[used] = sides.is_positive
            return in_memory.rank_cases(
                of_code[labels.code],
                scores,
                higher_is_positive=options.higher_is_positive,
                positive=sides.positive,
                negative=sides.negative,
            )
        columns = columns | {"labels": _as_array(labels.expand())}
    try:
        return _rank_rows(options, **columns)
    except PositionError as error:
        raise column_source.told(error, source, asked) from None


def _as_array(labels: Array) -> Array:
    """Return labels as an array of their own type, where all are numbers or booleans and none is missing."""
    kinds = set(map(type, set(labels.tolist())))
    return labels.astype(next(iter(kinds))) if len(kinds) == 1 and kinds <= {int, float, bool} else labels


def _room(memory: Any, *, exact: bool | None) -> int:
    """Return the bytes that columns may take: beyond so many rows, bins answer as well in a tenth of the memory."""
    from cutline.inputs.duck import bytes_of

    limit = bytes_of(memory)
    return limit if exact else min(limit, out_of_core.MOST_IN_MEMORY * 16)


def _memory(limit: Any) -> int:
    """The bytes that an exact ranking may take."""
    from cutline.inputs.duck import bytes_of, of_machine

    return of_machine() if limit is None else bytes_of(limit)


def cases(labels: Any, scores: Any, *, positive: Any = None, name: str = "scores") -> tuple[Array, Array]:
    """Which cases are positive, and their scores, case by case: for what is asked of each case and not of all."""
    rows = _Rows(validation.column(labels, "labels"), validation.scores(scores, name), None)
    rows.check_lengths(name)
    for what, values in (("labels", rows.labels), (name, rows.scores)):
        absent = validation.missing_mask(values)
        if absent is not None and absent.any():
            raise validation.missing_error(what, absent, None, "fill them, or remove the rows")
    return binary(rows.labels, positive)[0], rows.scores.astype(float)


class Cases(NamedTuple):
    """Complete cases one by one, where each was among the caller's rows, and how many were dropped."""

    is_positive: Array
    scores: Array
    weights: Array | None
    position: Array
    rows: int
    positive: Any
    negative: Any
    dropped: int

    def ranked(self, *, higher_is_positive: bool = True) -> Ranking:
        """Their ranking; the columns are not read again."""
        how = {"higher_is_positive": higher_is_positive, "positive": self.positive, "negative": self.negative}
        return in_memory.rank_cases(self.is_positive, self.scores, self.weights, **how, dropped=self.dropped)


def complete(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    missing: Missing = "error",
    weights_are: WeightsAre | None = None,
) -> Cases:
    """The cases that `rank` would rank, one by one."""
    check_weights_are(weights_are, weights)
    validation.check_one_order({"labels": labels, "scores": scores, "weights": weights})  # while they have an index
    labels, options = validation.column(labels, "labels"), _Options(positive, True, missing, weights_are)
    rows, sides, dropped = _read(labels, scores, weights, options)
    if np.isnan(rows.scores).any():
        raise validation.missing_error("scores", np.isnan(rows.scores), rows.position)
    position = np.arange(len(rows.scores)) if rows.position is None else rows.position
    return Cases(sides.is_positive, rows.scores, rows.weights, position, len(labels), *sides[1:], dropped)


def _read(
    labels: Any, scores: Any, weights: Any, options: _Options, times: Array | None = None
) -> tuple[_Rows, Sides, int]:
    """The rows to rank, which of them are positive and by which labels, and how many were dropped."""
    missing = options.missing
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        raise ParameterError(f"is {briefly(missing)}", 'pass "error" or "drop"', argument="missing")
    validation.check_one_order({"labels": labels, "scores": scores, "weights": weights})
    heavy = None if weights is None else validation.weights(weights)
    rows = _Rows(validation.column(labels, "labels"), validation.scores(scores), heavy, times=times)
    rows.check_lengths("scores")
    if rows.weights is not None:
        rows = rows.keep(rows.weights != 0, _NO_WEIGHT)
    rows, dropped = _without_missing(rows, missing)
    if rows.weights is not None:
        rows = rows._replace(weights=validation.weighed(rows.weights, options.weights_are))
    return rows, binary(rows.labels, options.positive), dropped


def check_probabilities(who: str, low: float, high: float, *, higher_is_positive: bool = True) -> None:
    """Refuse scores that cannot be probabilities of the positive class."""
    if not higher_is_positive:
        found = f"{who} needs probabilities of the positive class, but low scores mean positive here"
        way_out = Text("pass 1 - score without ", Argument("higher_is_positive", False))
        raise NotProbabilitiesError(found, way_out)
    if low < 0 or high > 1:
        found = f"{who} needs probabilities, but scores run from {low:g} to {high:g}"
        raise NotProbabilitiesError(found, "pass probabilities of the positive class, from 0 to 1")


class _Rows(NamedTuple):
    """Columns of one length, where each row was in the caller's data (None: here), and how many cases it is."""

    labels: Array
    scores: Array
    weights: Array | None
    position: Array | None = None
    times: Array | None = None

    def check_lengths(self, scores: str) -> None:
        n = len(self.labels)
        for name, column in ((scores, self.scores), ("weights", self.weights)):
            if column is not None and len(column) != n:
                found = f"has {validation.counted(n, 'value')} but {name} has {len(column)}"
                raise InputError(found, f"pass one {name[:-1]} for each label", argument="labels")
        if n == 0:
            raise InputError(f"labels and {scores} are empty", "pass at least one case")

    def keep(self, mask: Array, nothing_left: tuple[str, str]) -> _Rows:
        if mask.all():
            return self
        if not mask.any():
            raise InputError(f"Nothing can be ranked, because {nothing_left[0]}", nothing_left[1])
        position = np.flatnonzero(mask) if self.position is None else self.position[mask]
        weights = None if self.weights is None else self.weights[mask]
        times = None if self.times is None else self.times[mask]
        return _Rows(self.labels[mask], self.scores[mask], weights, position, times)


# ---------------------------------------------------------------------- cuts


def cut(
    ranking: Ranking, *, threshold: float | None = None, quota: float | None = None, share: float | None = None
) -> Counts:
    """The table of one cut of a ranking, which a threshold, a quota or a share of the list names."""
    named = (("threshold", threshold), ("quota", quota), ("share", share))
    given = [name for name, value in named if value is not None]
    if len(given) != 1:
        what = " and ".join(given) or "none"
        raise ParameterError(f"Pass exactly one of threshold, quota or share (got {what})")
    if threshold is None:
        return ranking.at_quota(places(ranking, quota=quota, share=share))
    return ranking.at_threshold(validation.check_number(threshold, "threshold"))


def default_threshold(ranking: Ranking) -> float:
    """0.5 for scores from 0 to 1; otherwise the score at which about as many cases are flagged as are positive.

    >>> default_threshold(rank([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.2]))
    0.5
    >>> default_threshold(rank([1, 0, 1, 0], [700, 400, 650, 300]))
    650.0
    """
    first, last = float(ranking.score[0]), float(ranking.score[-1])
    if min(first, last) >= 0 and max(first, last) <= 1:
        return DEFAULT_THRESHOLD
    if ranking.pos.ndim > 1:
        raise ParameterError("A stack of rankings by scores that are not probabilities has no default cut", ONE_CUT)
    most = max(len(ranking) - 1, 1)  # a cut that flags everybody is none, if there is another
    flagged = np.asarray(ranking.tp + ranking.fp, dtype=float)[1 : most + 1]
    nearest = 1 + int(np.argmin(np.abs(flagged - float(ranking.positives))))
    return float(ranking.thresholds[nearest])


def places(ranking: Ranking, *, quota: float | None = None, share: float | None = None) -> Any:
    """How many places of the list a quota or a share takes.

    A share is a capacity, so part of a place does not count: 5 % of 1010 cases are 50 places. Weights that are not
    whole numbers have no places, and then the share is taken exactly.
    """
    if quota is not None and share is not None:
        raise ParameterError("quota and share are both given", "pass one of them")
    n = float(np.min(ranking.total))
    if quota is not None:
        quota = validation.check_number(quota, "quota")
        if n < 1:
            raise ParameterError(
                f"is {quota:g}, but the weights add up to {n:g}", Text("pass ", Argument("share")), argument="quota"
            )
        if not 1 <= quota <= n:
            found = f"is {written(quota)}, but there are {written(n)} cases"
            raise ParameterError(found, f"pass a quota from 1 to {written(np.floor(n))}", argument="quota")
        if ranking.integral and quota != int(quota):
            raise ParameterError(f"is {quota:g}", "pass a whole number of cases", argument="quota")
        return quota
    share = validation.check_number(share, "share")
    if not 0 < share <= 1:
        raise ParameterError(f"is {share:g}", "pass a share of the list above 0 and up to 1", argument="share")
    if ranking.integral and ranking.pos.ndim == 1 and round(share * n, 6) < 1:
        raise ParameterError(
            f"is {share:g}, less than one of {written(n)} cases", "pass a larger share", argument="share"
        )
    return places_of_share(ranking, share)


def places_of_share(ranking: Ranking, share: float) -> Any:
    """The places of a share of the list; at least one, because a short resample still has its first place."""
    if not ranking.integral:
        return share * ranking.total
    return np.maximum(np.floor(np.round(share * ranking.total, 6)), 1)  # 0.29 * 100 is 28.999999999999996


def _without_missing(rows: _Rows, missing: Missing) -> tuple[_Rows, int]:
    """The rows that are complete, and how many were dropped."""
    absent = {"labels": validation.missing_mask(rows.labels)}
    if rows.weights is not None:
        absent["weights"] = validation.missing_mask(rows.weights)
    if missing == "drop":
        absent["scores"] = np.isnan(rows.scores)
    found = {name: mask for name, mask in absent.items() if mask is not None and mask.any()}
    if not found:
        return rows, 0  # with missing="error", NaN scores are found after the sort, for nothing
    if missing == "error":
        raise validation.missing_error(*next(iter(found.items())), rows.position)
    incomplete = np.logical_or.reduce(list(found.values()))
    kept = rows.keep(~incomplete, _NO_ROW)
    return kept, int(incomplete.sum() if rows.times is None else rows.times[incomplete].sum())
