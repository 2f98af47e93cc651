"""rank(): checks labels, scores and weights, and returns a valid `Ranking` or refuses them in one sentence.

The code behind it does not check again. Nothing is repaired silently.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts, format_number
from cutline.core.errors import (
    Argument,
    InputError,
    NotProbabilitiesError,
    ParameterError,
    PositionError,
    Text,
    shorten_repr,
)
from cutline.core.memory import parse_memory_size
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import check_choice
from cutline.inputs import column_source, in_memory, out_of_core
from cutline.inputs.column_source import convert_to_plain_type
from cutline.inputs.labels import BinaryLabels, find_positives, read_two_words
from cutline.inputs.out_of_core import (
    NO_ROW,
    NO_WEIGHT,
    RankedSlices,
    RankingOptions,
    is_large,
    rank_engine,
    rank_engine_slices,
)

Missing = Literal["error", "drop"]
DEFAULT_THRESHOLD = 0.5  # of probabilities
ONE_CUT = "pass threshold, quota or share"
WeightsAre = Literal["counts", "sampling", "importance"]


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
    """Return the ranking of labelled, scored cases: the only way in.

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
    options = RankingOptions(positive, higher_is_positive, missing, weights_are, exact, threshold, memory)
    if data is not None:
        requests = column_source.request_columns(labels, scores, weights, positive=positive)
        source = column_source.open_source(data, memory=memory)
        ranking = _rank_named(source, requests, options)
        notes = column_source.join_notes(source, requests)
        return replace(ranking, read_as=notes) if notes else ranking
    return _rank_rows(options, labels, scores, weights)


def check_weights_are(weights_are: Any, weights: Any) -> None:
    """Raise if `weights_are` is unknown, or given without weights."""
    if weights_are is not None:
        check_choice(weights_are, "weights_are", get_args(WeightsAre))
    if weights_are is not None and weights is None:
        raise ParameterError(
            f"is {shorten_repr(weights_are)}, but there are no weights",
            Text("pass ", Argument("weights"), " too"),
            argument="weights_are",
        )


def _rank_rows(
    options: RankingOptions, labels: Any, scores: Any, weights: Any = None, times: Array | None = None
) -> Ranking:
    """Rank rows, each with a multiplicity."""
    rows, sides, dropped = _read_complete_rows(labels, scores, weights, options, times)
    ranking = in_memory.rank_cases(
        sides.is_positive,
        rows.scores,
        rows.weights,
        times=rows.times,
        higher_is_positive=options.higher_is_positive,
        positive=sides.positive,
        negative=sides.negative,
        dropped=dropped,
    )
    if ranking.score[-1] != ranking.score[-1]:  # NaN, sorted last; only now is it worth looking where
        raise validation.make_missing_error("scores", np.isnan(rows.scores), rows.position)
    return ranking


def _rank_named(
    source: column_source.Source, requests: dict[Any, column_source.Request], options: RankingOptions
) -> Ranking:
    """Return the ranking of the columns of a frame or a file, aggregated by their engine if they are not in memory."""
    exact = options.exact
    if exact is not None and not isinstance(exact, bool | np.bool_):
        raise ParameterError(f"is {shorten_repr(exact)}", "pass True or False", argument="exact")
    column_source.check_columns(source, requests)
    if exact is not False and source.fits(_find_room(options)):
        columns = source.scan(requests)
        if columns is not None:
            return _rank_scanned(options, source, requests, columns)
        with column_source.read_rows(source, requests) as rows:  # which refuses what is wrong
            return _rank_rows(options, **rows)
    try:
        engine = source.engine(requests)
        if engine is not None and (is_large(engine) or exact is not None):
            return rank_engine(engine, options)
    except PositionError as error:
        raise column_source.add_place(error, source, requests) from None
    try:
        grouped = source.group_rows(requests)
        if grouped is not None:
            distinct_rows, times = grouped
            if "weights" not in distinct_rows:
                return _rank_rows(options, **distinct_rows, times=times)
            # Sums of weights depend on the order of the rows, so they are added up here.
            return _rank_rows(options, **{name: np.repeat(values, times) for name, values in distinct_rows.items()})
    except InputError:
        pass  # the rows tell where it is
    with column_source.read_rows(source, requests) as distinct_rows:
        return _rank_rows(options, **distinct_rows)


def rank_slices(
    source: column_source.SliceableSource,
    requests: dict[Any, column_source.Request],
    table: column_source.SliceTable,
    options: RankingOptions,
) -> RankedSlices | None:
    """Rank the slices of a file or of a frame in another engine; None if its rows are better collected.

    Files that fit into memory are read once; what does not fit is aggregated where it is.

    Args:
        source: The source.
        requests: The columns of labels, scores and weights.
        table: Which combinations of values belong to which slice.
        options: The options of `rank`, with a threshold that no bin straddles.
    """
    count = int(table.codes.max()) + 1
    sliced = source.with_slices(table)
    columns = requests | {"slices": column_source.Request("slices", column_source.SLICE)}
    if options.exact is not False and source.fits(_find_room(options)):
        rows: dict[Any, Any] = sliced.scan(columns) or sliced.read_columns(columns)
        code = rows.pop("slices")
        weights, cases = rows.get("weights"), _complete_scanned(options, rows)
        return rank_parts(cases, code, count, weights, options.higher_is_positive)
    engine = sliced.engine(columns, count)
    if engine is None or not (is_large(engine) or options.exact is not None):
        return None
    return rank_engine_slices(engine, options)


def rank_parts(
    cases: Cases, code: Array, count: int, weights: Array | None = None, higher_is_positive: bool = True
) -> RankedSlices:
    """Rank each slice of cases, and all cases.

    Args:
        cases: The complete cases.
        code: The number of the slice of each of the caller's rows.
        count: How many slices there are.
        weights: The weights of the caller's rows: one of 0 is that of an absent row.
        higher_is_positive: Whether high scores mean positive.
    """
    overall = cases.rank(higher_is_positive=higher_is_positive)
    own = code if len(cases.scores) == len(code) else code[cases.position]
    there = code if weights is None else code[np.asarray(weights) != 0]
    dropped = np.bincount(there, minlength=count) - np.bincount(own, minlength=count)
    order = np.argsort(own.astype(np.int16), kind="stable")
    ends = np.searchsorted(own[order], np.arange(count + 1))
    rankings: list[Ranking | None] = []
    for number, (start, end) in enumerate(pairwise(ends.tolist())):
        part = cases.subset(order[start:end])._replace(dropped=int(dropped[number]))
        rankings.append(part.rank(higher_is_positive=higher_is_positive) if end > start else None)
    return RankedSlices(rankings, cases.dropped, overall)


def _rank_scanned(
    options: RankingOptions, source: Any, requests: dict[Any, column_source.Request], columns: dict[Any, Any]
) -> Ranking:
    """Rank the columns of a typed scan."""
    try:
        sides = _find_sides_by_code(columns, options)
        if sides is not None:
            return in_memory.rank_cases(
                sides.is_positive,
                columns["scores"],
                higher_is_positive=options.higher_is_positive,
                positive=sides.positive,
                negative=sides.negative,
            )
        return _rank_rows(options, **columns | {"labels": _expand_labels(columns["labels"])})
    except PositionError as error:
        raise column_source.add_place(error, source, requests) from None


def _complete_scanned(options: RankingOptions, columns: dict[Any, Any]) -> Cases:
    """Return the complete cases of a typed scan."""
    how: dict[str, Any] = {"missing": options.missing, "weights_are": options.weights_are}
    sides = _find_sides_by_code(columns, options)
    if sides is None:
        how["positive"] = options.positive
        return select_complete_cases(**columns | {"labels": _expand_labels(columns["labels"])}, **how)
    cases = select_complete_cases(**columns | {"labels": sides.is_positive}, **how)
    return cases._replace(positive=sides.positive, negative=sides.negative)


def _find_sides_by_code(columns: dict[Any, Any], options: RankingOptions) -> BinaryLabels | None:
    """Return which cases are positive, from the codes of their labels; None without codes or with missing values."""
    labels, scores = columns["labels"], columns["scores"]
    if not isinstance(labels, column_source.CodedColumn) or options.missing not in get_args(Missing):
        return None
    if "weights" in columns or scores.dtype.kind != "f" or np.isnan(scores).any():
        return None
    used = np.flatnonzero(np.bincount(labels.code, minlength=len(labels.values)))
    if used[-1] == len(labels.values) - 1:  # the code of a missing label
        return None
    sides = find_positives(convert_to_plain_type(labels.values[used]), options.positive)
    of_code = np.zeros(len(labels.values), bool)
    of_code[used] = sides.is_positive
    return sides._replace(is_positive=of_code[labels.code])


def _expand_labels(labels: Any) -> Array:
    """Return the label of each case."""
    return convert_to_plain_type(labels.expand()) if isinstance(labels, column_source.CodedColumn) else labels


def _find_room(options: RankingOptions) -> int:
    """Return the number of bytes that columns may take; larger data are put into bins, which take a tenth."""
    limit = parse_memory_size(options.memory)
    return limit if options.exact else min(limit, out_of_core.MOST_IN_MEMORY * 16)


def read_cases(labels: Any, scores: Any, *, positive: Any = None, name: str = "scores") -> tuple[Array, Array]:
    """Return for each case whether it is positive, and its score."""
    rows = _Rows(validation.as_column(labels, "labels"), validation.as_scores(scores, name), None)
    rows.check_lengths(name)
    for what, values in (("labels", rows.labels), (name, rows.scores)):
        absent = validation.find_missing(values)
        if absent is not None and absent.any():
            raise validation.make_missing_error(what, absent, None, "fill them, or remove the rows")
    return find_positives(rows.labels, positive)[0], rows.scores.astype(float)


class Cases(NamedTuple):
    """Complete cases, their positions among the user's rows, and the number of dropped rows."""

    is_positive: Array
    scores: Array
    weights: Array | None
    position: Array
    rows: int
    positive: Any
    negative: Any
    dropped: int

    def subset(self, rows: Array) -> Cases:
        """Return some of the cases."""
        weights = None if self.weights is None else self.weights[rows]
        own = self.is_positive[rows], self.scores[rows], weights, self.position[rows]
        return Cases(*own, self.rows, self.positive, self.negative, self.dropped)

    def rank(self, *, higher_is_positive: bool = True) -> Ranking:
        """Return the ranking of the cases."""
        how = {"higher_is_positive": higher_is_positive, "positive": self.positive, "negative": self.negative}
        return in_memory.rank_cases(self.is_positive, self.scores, self.weights, **how, dropped=self.dropped)


def select_complete_cases(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    missing: Missing = "error",
    weights_are: WeightsAre | None = None,
) -> Cases:
    """Return the cases that `rank` would rank, one by one."""
    check_weights_are(weights_are, weights)
    validation.check_one_order({"labels": labels, "scores": scores, "weights": weights})  # while they have an index
    labels, options = validation.as_column(labels, "labels"), RankingOptions(positive, True, missing, weights_are)
    rows, sides, dropped = _read_complete_rows(labels, scores, weights, options)
    if np.isnan(rows.scores).any():
        raise validation.make_missing_error("scores", np.isnan(rows.scores), rows.position)
    position = np.arange(len(rows.scores)) if rows.position is None else rows.position
    return Cases(sides.is_positive, rows.scores, rows.weights, position, len(labels), *sides[1:], dropped)


def _read_complete_rows(
    labels: Any, scores: Any, weights: Any, options: RankingOptions, times: Array | None = None
) -> tuple[_Rows, BinaryLabels, int]:
    """Return the rows to rank, which of them are positive and by which labels, and how many were dropped."""
    missing = options.missing
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        raise ParameterError(f"is {shorten_repr(missing)}", 'pass "error" or "drop"', argument="missing")
    validation.check_one_order({"labels": labels, "scores": scores, "weights": weights})
    weights = None if weights is None else validation.as_weights(weights)
    words = read_two_words(labels)
    column = validation.as_column(labels, "labels") if words is None else words.codes
    rows = _Rows(column, validation.as_scores(scores), weights, times=times)
    rows.check_lengths("scores")
    if rows.weights is not None:
        rows = rows.keep(rows.weights != 0, NO_WEIGHT)
    rows, dropped = _drop_missing(rows, missing)
    if rows.weights is not None:
        rows = rows._replace(weights=validation.convert_weights(rows.weights, options.weights_are))
    sides = (
        find_positives(rows.labels, options.positive)
        if words is None
        else words.find_positives(rows.labels, options.positive)
    )
    return rows, sides, dropped


def check_probabilities(who: str, low: float, high: float, *, higher_is_positive: bool = True) -> None:
    """Refuse scores that cannot be probabilities of the positive class."""
    if not higher_is_positive:
        problem = f"{who} needs probabilities of the positive class, but low scores mean positive here"
        way_out = Text("pass 1 - score without ", Argument("higher_is_positive", False))
        raise NotProbabilitiesError(problem, way_out)
    if low < 0 or high > 1:
        problem = f"{who} needs probabilities, but scores run from {low:g} to {high:g}"
        raise NotProbabilitiesError(problem, "pass probabilities of the positive class, from 0 to 1")


class _Rows(NamedTuple):
    """Columns of one length, the position of each row in the user's data (None: its own), and its multiplicity."""

    labels: Array
    scores: Array
    weights: Array | None
    position: Array | None = None
    times: Array | None = None

    def check_lengths(self, scores: str) -> None:
        n = len(self.labels)
        for name, column in ((scores, self.scores), ("weights", self.weights)):
            if column is not None and len(column) != n:
                problem = f"has {validation.format_count(n, 'value')} but {name} has {len(column)}"
                raise InputError(problem, f"pass one {name[:-1]} for each label", argument="labels")
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


def cut_ranking(
    ranking: Ranking, *, threshold: float | None = None, quota: float | None = None, share: float | None = None
) -> Counts:
    """Return the counts of one cut of a ranking, at a threshold, a quota or a share of the list."""
    named = (("threshold", threshold), ("quota", quota), ("share", share))
    names = [name for name, value in named if value is not None]
    if len(names) != 1:
        what = " and ".join(names) or "none"
        raise ParameterError(f"Pass exactly one of threshold, quota or share (got {what})")
    if threshold is None:
        return ranking.at_quota(count_places(ranking, quota=quota, share=share))
    return ranking.at_threshold(validation.check_number(threshold, "threshold"))


def choose_default_threshold(ranking: Ranking) -> float:
    """Return 0.5 for scores from 0 to 1; otherwise the score that flags about as many cases as are positive.

    >>> choose_default_threshold(rank([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.2]))
    0.5
    >>> choose_default_threshold(rank([1, 0, 1, 0], [700, 400, 650, 300]))
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


def count_places(ranking: Ranking, *, quota: float | None = None, share: float | None = None) -> Any:
    """Return the number of places of the list that a quota or a share takes.

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
            problem = f"is {format_number(quota)}, but there are {format_number(n)} cases"
            raise ParameterError(problem, f"pass a quota from 1 to {format_number(np.floor(n))}", argument="quota")
        if ranking.integral and quota != int(quota):
            raise ParameterError(f"is {quota:g}", "pass a whole number of cases", argument="quota")
        return quota
    share = validation.check_number(share, "share")
    if not 0 < share <= 1:
        raise ParameterError(f"is {share:g}", "pass a share of the list above 0 and up to 1", argument="share")
    if ranking.integral and ranking.pos.ndim == 1 and round(share * n, 6) < 1:
        raise ParameterError(
            f"is {share:g}, less than one of {format_number(n)} cases", "pass a larger share", argument="share"
        )
    return count_places_of_share(ranking, share)


def count_places_of_share(ranking: Ranking, share: float) -> Any:
    """Return the places of a share of the list; at least one, because a short resample still has its first place."""
    if not ranking.integral:
        return share * ranking.total
    return np.maximum(np.floor(np.round(share * ranking.total, 6)), 1)  # 0.29 * 100 is 28.999999999999996


def _drop_missing(rows: _Rows, missing: str) -> tuple[_Rows, int]:
    """Drop the incomplete rows, and return the others and the number of dropped ones."""
    absent = {"labels": validation.find_missing(rows.labels)}
    if rows.weights is not None:
        absent["weights"] = validation.find_missing(rows.weights)
    if missing == "drop":
        absent["scores"] = np.isnan(rows.scores)
    masks = {name: mask for name, mask in absent.items() if mask is not None and mask.any()}
    if not masks:
        return rows, 0  # with missing="error", NaN scores are found after the sort, for nothing
    if missing == "error":
        raise validation.make_missing_error(*next(iter(masks.items())), rows.position)
    incomplete = np.logical_or.reduce(list(masks.values()))
    complete = rows.keep(~incomplete, NO_ROW)
    return complete, int(incomplete.sum() if rows.times is None else rows.times[incomplete].sum())
