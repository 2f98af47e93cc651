"""Inputs of several models: their cases are aligned in one order, or refused with how they differ."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import Argument, InputError, ParameterError, PositionError, Text
from cutline.core.validation import as_column, check_length, check_number, check_simple, convert_weights
from cutline.inputs.column_source import Request, open_source, read_rows, request_columns
from cutline.inputs.rank import Cases, Missing, WeightsAre, select_complete_cases

INCOMPLETE_GROUPS = ("needs complete rows", "drop those with missing values from all columns first")


class SharedCases(NamedTuple):
    """The cases that every model scored, and how many were dropped because a value was missing."""

    is_positive: Array
    scores: dict[str, Array]
    weights: Array | None
    position: Array
    rows: int
    positive: Any
    negative: Any
    dropped: int

    def of(self, model: str) -> Cases:
        """Return the cases as one model scored them."""
        return Cases(self.is_positive, self.scores[model], *self[2:])


class Joined(NamedTuple):
    """The columns of the models' frames in the order of the first, and the id of each case."""

    labels: Array
    scores: dict[str, Any]
    weights: Array | None
    groups: Array | None
    strata: Array | None
    ids: Array


class _ModelColumns(NamedTuple):
    """Columns of one model's frame."""

    ids: Array
    labels: Array
    scores: Any
    weights: Array | None
    groups: Array | None
    strata: Array | None


def share_cases(
    labels: Any,
    scores: Mapping[str, Any],
    weights: Any,
    *,
    positive: Any,
    missing: Missing,
    ids: Array | None = None,
    weights_are: WeightsAre | None = None,
) -> SharedCases:
    """Return the cases of models whose scores are columns of one length, in one order; refusals name a case by its
    id.
    """
    _check_models(scores)
    cases_by_model: dict[str, Cases] = {}
    for name, own in scores.items():
        try:
            cases_by_model[str(name)] = select_complete_cases(
                labels, own, weights, positive=positive, missing=missing, weights_are=weights_are
            )
        except InputError as error:
            about_all = isinstance(error, PositionError) and error.argument == "labels"  # which the models share
            raise _add_id(error if about_all else error.about(f"Model {name!r}"), ids) from None
    if len(cases_by_model) < len(scores):
        raise InputError("Two models have the same name", "give each its own")
    first = next(iter(cases_by_model.values()))
    common = reduce(_find_common, (cases.position for cases in cases_by_model.values()))
    if not len(common):
        raise InputError("No case has a score from every model", "pass complete rows")
    aligned = {name: cases.scores[_find_places(cases.position, common)] for name, cases in cases_by_model.items()}
    mine = _find_places(first.position, common)
    weights = None if first.weights is None else convert_weights(first.weights[mine], weights_are)
    dropped = first.dropped + len(first.position) - len(common)
    names = (first.positive, first.negative)
    return SharedCases(first.is_positive[mine], aligned, weights, common, first.rows, *names, dropped)


def _check_models(scores: Any) -> None:
    """Raise unless the scores of at least two models are given by name."""
    if not isinstance(scores, Mapping):
        raise InputError(
            f"is a {type(scores).__name__}",
            'pass the scores of each model by its name, such as {"a": scores_a, "b": scores_b}',
            argument="scores",
        )
    if len(scores) < 2:
        raise InputError(
            f"holds {_format_model_count(len(scores))}",
            "pass at least two to compare, or use evaluate()",
            argument="scores",
        )
    if any(not str(name).strip() for name in scores):
        raise InputError("The name of a model is empty", "give each a name that can be read")


def _add_id(error: InputError, ids: Array | None) -> InputError:
    """Add the id of the case to a refusal, if cases have ids: a case has another row in each frame."""
    if ids is None or not isinstance(error, PositionError) or error.position is None:
        return error
    return error.altered(place=f"of case {ids.tolist()[error.position]!r}")


def align_groups(groups: Any, cases: Cases | SharedCases, argument: str = "groups") -> Array:
    """Return the group, or the stratum, of each case; a case without weight has none."""
    if cases.dropped:
        raise ParameterError(*INCOMPLETE_GROUPS, argument=argument)
    values = as_column(groups, argument)
    check_simple(values, argument)
    check_length(values, cases.rows, argument)
    return values if len(cases.position) == cases.rows else values[cases.position]


def _find_common(ids: Array, other_ids: Array) -> Array:
    """Return the positions that both have; usually both are equal."""
    return ids if np.array_equal(ids, other_ids) else np.intersect1d(ids, other_ids, assume_unique=True)


def _find_places(position: Array, common: Array) -> Any:
    """Return the index of the common positions among all positions."""
    return slice(None) if len(position) == len(common) else np.searchsorted(position, common)


def join_frames(
    labels: str,
    score: Any,
    weights: Any,
    frames: Any,
    key: Any,
    positive: Any = None,
    groups: Any = None,
    strata: Any = None,
) -> Joined:
    """Return the labels, the scores by model, weights, groups and strata of frames that are joined by the ids of the
    cases.

    `score` names the column of the scores, the same in each frame or one for each model; `groups` and `strata` are
    columns of the first.
    """
    _check_frames(score, frames, key)
    scores = score if isinstance(score, Mapping) else dict.fromkeys(frames, score)
    columns = {}
    for place, (name, frame) in enumerate(frames.items()):
        design = (None, None) if place else (groups, strata)
        requests = request_columns(labels, scores[name], weights, *design, positive=positive)
        columns[str(name)] = _read_frame(frame, name, key, requests)
    rows = {name: _index_by_id(name, model.ids) for name, model in columns.items()}
    (first, base), *others = columns.items()
    joined = {first: base.scores}
    for name, model in others:
        _check_same_ids(first, rows[first], name, rows[name])
        mine = np.fromiter((rows[name][case] for case in rows[first]), dtype=np.intp, count=len(base.ids))
        for what, ours, theirs in (("label", base.labels, model.labels), ("weight", base.weights, model.weights)):
            unequal = 0 if ours is None or theirs is None else _count_unequal(ours, theirs[mine])
            if unequal:
                raise InputError(
                    f"The {what} of {unequal} of {len(mine)} cases differs between {name!r} and {first!r}",
                    f"pass one {what} for each case",
                )
        joined[name] = model.scores[mine]
    return Joined(base.labels, joined, base.weights, base.groups, base.strata, base.ids)


def _check_frames(score: Any, frames: Any, key: Any) -> None:
    """Raise unless the frames of at least two models are given, with the names of their id and score columns."""
    if not isinstance(frames, Mapping) and isinstance(score, list | tuple):
        raise InputError(
            f"is a {type(score).__name__}",
            'pass the columns by the names of their models, such as {"a": "score_a", "b": "score_b"}',
            argument="scores",
        )
    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise InputError(
            "holds the frames of fewer than two models",
            'pass one frame for each by its name, such as {"a": frame_a, "b": frame_b}',
            argument="data",
        )
    if not isinstance(key, str):
        raise ParameterError(
            Text(Argument("id"), " is missing, and frames are joined by the ids of their cases"),
            "pass the name of the column that holds them",
            argument="id",
        )
    if isinstance(score, Mapping) and set(score) != set(frames):
        raise InputError(
            f"names a column for {', '.join(map(repr, score))}, but data has frames of {', '.join(map(repr, frames))}",
            "name one for each",
            argument="scores",
        )


def _check_same_ids(name: str, ids: Mapping[Any, int], other: str, other_ids: Mapping[Any, int]) -> None:
    lacking, extra = len(ids.keys() - other_ids.keys()), len(other_ids.keys() - ids.keys())
    if lacking or extra:
        raise InputError(
            f"The cases differ, because {lacking} ids of {name!r} are not in {other!r}, and {extra} ids of "
            f"{other!r} are not in {name!r}",
            "pass predictions of the same cases",
        )


def _index_by_id(name: str, ids: Array) -> dict[Any, int]:
    """Return the row of each case by its id; raise if an id is missing or repeated."""
    rows = {case: row for row, case in enumerate(ids.tolist())}
    if any(case is None or case != case for case in rows):
        raise InputError(f"Model {name!r} has rows without an id", "name every case")
    if len(rows) < len(ids):
        raise InputError(
            f"Model {name!r} repeats an id in {len(ids) - len(rows)} of its {len(ids)} rows",
            "pass one row for each case",
        )
    return rows


def _count_unequal(ours: Array, theirs: Array) -> int:
    """Count the values that differ; two missing values are equal."""
    return int(((ours != theirs) & ~((ours != ours) & (theirs != theirs))).sum())


def read_models(
    labels: Any,
    scores: Mapping[str, Any],
    weights: Any,
    data: Any,
    positive: Any,
    groups: Any = None,
    strata: Any = None,
) -> tuple[Any, dict[str, Any], Any, Any, Any]:
    """Return the labels, the scores by model, the weights, groups and strata of one frame or file that holds them
    all.
    """
    requests = request_columns(labels, None, weights, groups, strata, positive=positive)
    del requests["scores"]
    models = {(name,): Request("scores", column) for name, column in scores.items()}
    with read_rows(open_source(data), {**requests, **models}, any_order=True) as columns:
        by_model = {name: columns[(name,)] for name in scores}
        return columns["labels"], by_model, columns.get("weights"), columns.get("groups"), columns.get("strata")


def _read_frame(frame: Any, model: Any, key: str, requests: dict[Any, Request]) -> _ModelColumns:
    """Return the columns of one model's frame or file."""
    source = open_source(frame, f"The frame of model {model!r}")
    with read_rows(source, {**requests, "ids": Request("id", key)}) as columns:
        have = {name: np.asarray(values) for name, values in columns.items()}
        others = (have.get(role) for role in ("weights", "groups", "strata"))
        return _ModelColumns(have["ids"], have["labels"], have["scores"], *others)


def resolve_thresholds(threshold: Any, names: tuple[str, ...]) -> dict[str, float]:
    """Return the threshold of each model: one for all, or one for each."""
    if not isinstance(threshold, Mapping):
        return dict.fromkeys(names, check_number(threshold, "threshold"))
    threshold = {str(name): value for name, value in threshold.items()}  # as models may be named by numbers
    if set(threshold) != set(names):
        raise ParameterError(
            f"is given for {', '.join(map(repr, threshold)) or 'no model'}, but the models are "
            f"{', '.join(map(repr, names))}",
            "pass one for each",
            argument="threshold",
        )
    return {name: check_number(threshold[name], f"threshold of {name!r}") for name in names}


def _format_model_count(count: int) -> str:
    return "no model" if not count else f"{count} model" + ("s" if count > 1 else "")
