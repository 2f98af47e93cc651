"""find_slices(): search for slices of the cases that are served worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.messages import Argument, Text, join_with_and
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_choice, check_level, check_whole, format_count
from cutline.evaluation import Evaluation
from cutline.inference.delong import compute_placements
from cutline.inference.slice_search import (
    PERMUTATIONS,
    Lattice,
    Losses,
    Search,
    build_lattice,
    code_column,
    count_affordable_rows,
    search_slices,
)
from cutline.inputs import column_source
from cutline.inputs.rank import Missing, rank, select_complete_cases
from cutline.inputs.slicing import convert_numeric_text
from cutline.results.base import Tabulated
from cutline.results.notes import Note

MEASURES_OF_LOSSES = {
    "error_rate": "error rate",
    "fnr": "share of positives that are missed",
    "fpr": "share of negatives that are flagged",
    "brier_score": "Brier score",
    "log_loss": "log loss",
    "auc": "share of misordered pairs with the cases of the other class",
}
_ALIASES = {"brier": "brier_score", "false_negative_rate": "fnr", "false_positive_rate": "fpr", "roc_auc": "auc"}
METHODS = ("permutation", "split")
MOST_SLICES = 100_000
_CANDIDATES = 5  # slices of the first half that are tested on the second
_EPS = np.finfo(float).eps


@public
def find_slices(
    labels: Any,
    scores: Any,
    *,
    data: Any = None,
    features: Any = None,
    measure: str = "error_rate",
    depth: int = 2,
    least: int = 50,
    level: float = LEVEL,
    method: str = "permutation",
    permutations: int = PERMUTATIONS,
    groups: Any = None,
    threshold: float | None = None,
    positive: Any = None,
    higher_is_positive: bool = True,
    missing: Missing = "error",
    seed: int = 0,
) -> FoundSlices:
    """Search conjunctions of conditions for slices that do worse than all other cases.

    The p-values are adjusted for the whole search (Westfall-Young by permutation), which controls false finds when
    cases are exchangeable between slices.

    Args:
        labels: As in `evaluate`.
        scores: As in `evaluate`.
        data: As in `evaluate`.
        features: With `data` the names of the columns that conditions are on; otherwise a mapping of names to values,
            or a data frame of them. Numbers are cut at their quartiles.
        measure: The mean loss that is compared: error_rate, fnr, fpr, brier_score, log_loss, or auc, which is the share
            of misordered pairs of a case with all cases of the other class.
        depth: The largest number of conditions of a slice, from 1 to 3.
        least: The smallest number of cases of a slice.
        level: One minus the probability of any false find.
        method: "permutation" searches all cases and corrects the differences found for the search; "split" searches
            one half of the cases and estimates and tests what it found on the other.
        permutations: How many permutations.
        groups: The group that each case belongs to, or with `data` the name of its column: whole groups are permuted.
        threshold: The cut, for measures of one cut.
        positive: As in `evaluate`.
        higher_is_positive: As in `evaluate`.
        missing: As in `evaluate`.
        seed: The seed of the permutations and of the halves.

    >>> import numpy as np
    >>> r = np.random.default_rng(1)
    >>> site, label = r.integers(0, 4, 2000), r.integers(0, 2, 2000)
    >>> score = np.where(r.random(2000) < np.where(site == 3, 0.4, 0.1), 1 - label, label)
    >>> found = find_slices(label, score, features={"site": site, "hour": r.integers(0, 24, 2000)}, permutations=99)
    >>> [row["slice"] for row in found]
    ['site = 3']
    """
    measure = check_choice(measure, "measure", [*MEASURES_OF_LOSSES, *_ALIASES])
    measure = _ALIASES.get(measure, measure)
    check_choice(method, "method", METHODS)
    level, seed = check_level(level), check_whole(seed, "seed", 0)
    depth, least = check_whole(depth, "depth", 1), check_whole(least, "least", 2)
    permutations = check_whole(permutations, "permutations", 1)
    if depth > 3:
        raise ParameterError(f"is {depth}", "pass 1, 2 or 3", argument="depth")
    rows, columns = _read_rows(labels, scores, groups, data, features, positive)
    cases = select_complete_cases(rows["labels"], rows["scores"], None, positive=positive, missing=missing)
    ranking = cases.rank(higher_is_positive=higher_is_positive)
    ev = Evaluation(ranking, threshold=threshold)
    own = rows["groups"][cases.position] if "groups" in rows else None
    table = _Cases.of(ev, np.asarray(cases.is_positive, bool), np.asarray(cases.scores), measure, own)
    columns = {name: values[cases.position][table.rows] for name, values in columns.items()}
    return _search_slices(table, columns, ev, measure, depth, least, level, method, permutations, seed)


def _read_rows(
    labels: Any, scores: Any, groups: Any, data: Any, features: Any, positive: Any
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the labels, scores and groups, and the columns that conditions are on."""
    if data is None:
        if hasattr(type(features), "columns") and not isinstance(features, Mapping):  # a data frame
            source = column_source.open_source(features)
            requests = {name: column_source.Request("groups", name) for name in source.columns}
            with column_source.read_rows(source, requests) as collected:
                features = dict(collected)
        if not isinstance(features, Mapping) or not features:
            remedy = Text(
                "pass a mapping of names to values, a data frame, or names of columns with ", Argument("data")
            )
            raise ParameterError("is missing", remedy, argument="features")
        rows = {"labels": validation.as_column(labels, "labels"), "scores": validation.as_column(scores, "scores")}
        if groups is not None:
            rows["groups"] = validation.as_column(groups, "groups")
        columns = {str(name): validation.as_column(values, "features") for name, values in features.items()}
    else:
        source = column_source.open_source(data)
        names = (
            [features]
            if isinstance(features, str)
            else list(features or _list_other_columns(source, labels, scores, groups))
        )
        cases = column_source.request_columns(labels, scores, None, groups, positive=positive)
        more = {("features", i): column_source.Request("groups", name) for i, name in enumerate(names)}
        with column_source.read_rows(source, {**cases, **more}) as collected:
            rows = {key: validation.as_column(collected[key], key) for key in cases}
            columns = {name: validation.as_column(collected["features", i], "features") for i, name in enumerate(names)}
    own = {"groups": rows["groups"]} if "groups" in rows else {}
    for name, values in (own | columns).items():
        if len(values) != len(rows["labels"]):
            lengths = f"{name} has {format_count(len(values), 'value')} but labels has {len(rows['labels'])}"
            raise InputError(lengths, "pass one for each label", argument="groups" if name in own else "features")
    return rows, columns


def _list_other_columns(source: column_source.Source, *named: object) -> Iterable[str]:
    """Return the columns that are neither labels nor scores nor groups."""
    return [name for name in source.columns if name not in named]


@dataclass(frozen=True, eq=False)
class _Cases:
    """The cases that a measure is a mean of: their places among all rows, their losses and their classes."""

    rows: Array
    losses: Losses
    is_positive: Array
    scores: Array

    @classmethod
    def of(cls, ev: Evaluation, is_positive: Array, scores: Array, measure: str, groups: Any) -> _Cases:
        """Compute the loss of each case."""
        r = ev.ranking
        rows = np.arange(len(scores))
        if measure in ("fnr", "fpr"):
            rows = np.flatnonzero(is_positive == (measure == "fnr"))
        positive, score = is_positive[rows], scores[rows]
        strata = None
        if measure in ("error_rate", "fnr", "fpr"):
            flagged = score >= ev.threshold if r.higher_is_positive else score <= ev.threshold
            loss = (flagged != positive).astype(float)
        elif measure == "auc":
            loss, strata = _compute_misordered_shares(r, positive, score), positive.astype(np.int64)
        else:
            if not r.are_probabilities:
                raise InputError(f"{measure} needs probabilities, but the scores are not", "pass another measure")
            right = np.where(positive, score, 1 - score)
            loss = np.square(1 - right) if measure == "brier_score" else -np.log(np.maximum(right, _EPS))
        own = None if groups is None else np.unique(np.asarray(groups)[rows].astype(str), return_inverse=True)[1]
        return cls(rows, Losses(loss, strata, own), positive, score)

    def subset(self, rows: Array) -> _Cases:
        """Return some of the cases."""
        return _Cases(self.rows[rows], self.losses.subset(rows), self.is_positive[rows], self.scores[rows])


def _compute_misordered_shares(r: Ranking, is_positive: Array, scores: Array) -> Array:
    """Return the share of the other class that each case stands on the wrong side of."""
    won = compute_placements(r)
    ascending = r.score[::-1] if r.higher_is_positive else r.score
    place = np.searchsorted(ascending, scores)
    place = len(r) - 1 - place if r.higher_is_positive else place
    return np.asarray(1 - np.where(is_positive, won.of_positives[place], won.of_negatives[place]))


def _search_slices(
    table: _Cases,
    columns: Mapping[str, Array],
    ev: Evaluation,
    measure: str,
    depth: int,
    least: int,
    level: float,
    method: str,
    permutations: int,
    seed: int,
) -> FoundSlices:
    """Search on all cases, on an affordable sample, or on one half."""
    rng = np.random.default_rng(seed)
    count = len(table.rows)
    of_a_row = sum(math.comb(len(columns), number) for number in range(1, depth + 1))
    rows = np.arange(count)
    most = count_affordable_rows(count, of_a_row, permutations)
    if most < count:
        rows = np.sort(rng.choice(count, most, replace=False))
        table = table.subset(rows)
    coded = {name: code_column(name, convert_numeric_text(values[rows])) for name, values in columns.items()}
    classes = (table.is_positive, ~table.is_positive) if measure == "auc" else ()
    lattice = build_lattice(coded, depth, least, classes)
    _check_size(lattice, least)
    searched = np.ones(len(rows), bool)
    if method == "split":
        searched = rng.random(len(rows)) < 0.5
    chosen, slices = _search(table, lattice, searched, level, method, permutations, seed)
    made = [_make_row(table, lattice, slices, number, place, ev) for place, number in enumerate(chosen)]
    smallest = float(slices.p_adjusted.min()) if len(slices.p_adjusted) else math.nan
    return FoundSlices(
        measure, tuple(made), len(lattice), tuple(columns), depth, least, level, method, len(rows), count, smallest,
        p_floor=1 / (1 + permutations),
    )  # fmt: skip


def _check_size(lattice: Lattice, least: int) -> None:
    if not len(lattice):
        raise InputError(
            f"No slice has {least} cases inside and outside",
            Text("pass other features, or a smaller ", Argument("least")),
        )
    if len(lattice) > MOST_SLICES:
        count = f"There are {len(lattice):,} slices, more than {MOST_SLICES:,}"
        raise InputError(count, Text("pass fewer features, or a smaller ", Argument("depth")))


@dataclass(frozen=True, eq=False)
class _Tested:
    """The numbers of the slices of a search, by their place in the list."""

    difference: Array
    corrected: Array
    p_adjusted: Array


def _search(
    table: _Cases, lattice: Lattice, searched: Array, level: float, method: str, permutations: int, seed: int
) -> tuple[list[int], _Tested]:
    """Return the slices found, and their numbers: corrected for the search, or from the other half."""
    how: dict[str, Any] = {"permutations": permutations, "seed": seed}
    if method == "permutation":
        result = search_slices(lattice, table.losses, **how)
        return _take_significant(result, level)
    every = np.arange(len(lattice))
    first = search_slices(lattice.of_rows(np.flatnonzero(searched), every), table.losses.subset(searched), **how)
    order = np.argsort(-first.statistic, kind="stable")[: 20 * _CANDIDATES].tolist()
    candidates = first.distinct(order)[:_CANDIDATES]
    half = lattice.of_rows(np.flatnonzero(~searched), np.array(candidates))
    second = search_slices(half, table.losses.subset(~searched), **how)
    significant = [
        i for i in np.argsort(second.p_adjusted, kind="stable").tolist() if second.p_adjusted[i] <= 1 - level
    ]
    numbers = [candidates[i] for i in significant]
    return numbers, _Tested(first.difference[numbers], second.difference[significant], second.p_adjusted[significant])


def _take_significant(result: Search, level: float) -> tuple[list[int], _Tested]:
    chosen = result.chosen(level)
    if not chosen:  # the smallest p-value is reported
        best = [int(np.argmin(result.p_adjusted))]
        return [], _Tested(result.difference[best], result.corrected[best], result.p_adjusted[best])
    return chosen, _Tested(result.difference[chosen], result.corrected[chosen], result.p_adjusted[chosen])


@dataclass(frozen=True)
class FoundSlice:
    """A slice that does worse: its size, its mean loss and the mean loss of all other cases, and the evidence."""

    slice: str
    cases: int
    share: float
    prevalence: float
    value: float
    rest: float
    difference: float
    corrected: float
    p_adjusted: float
    auc: float


def _make_row(table: _Cases, lattice: Lattice, tested: _Tested, number: int, place: int, ev: Evaluation) -> FoundSlice:
    inside = np.zeros(len(table.rows), bool)
    inside[lattice.cases(number)] = True
    loss = table.losses.values
    own = table.is_positive[inside]
    area = math.nan
    if own.any() and not own.all():
        higher = ev.ranking.higher_is_positive
        area = Evaluation(rank(own.astype(int), table.scores[inside], higher_is_positive=higher)).auc
    return FoundSlice(
        " and ".join(map(str, lattice.conditions[number])),
        int(inside.sum()),
        float(inside.mean()),
        float(own.mean()),
        float(loss[inside].mean()),
        float(loss[~inside].mean()),
        float(tested.difference[place]),
        float(tested.corrected[place]),
        float(tested.p_adjusted[place]),
        area,
    )


@dataclass(frozen=True, eq=False)
class FoundSlices(Tabulated):
    """The slices that a search found, worst first, and what was searched."""

    measure: str
    rows: tuple[FoundSlice, ...]
    searched: int
    features: tuple[str, ...]
    depth: int
    least: int
    level: float
    method: str
    rows_searched: int
    rows_given: int
    smallest_p: float
    notes: tuple[Note, ...] = ()
    p_floor: float = 0.0  # the smallest p-value that the permutations can show

    @property
    def verdict(self) -> str:
        """Return sentences on the search and on the slices found."""
        conditions = "one condition" if self.depth == 1 else f"up to {self.depth} conditions"
        names = join_with_and(list(self.features)) if len(self.features) <= 5 else f"{len(self.features)} columns"
        head = (
            f"{self.searched:,} slices of {conditions} on {names}, each with at least {self.least} cases, "
            f"were searched for a higher {MEASURES_OF_LOSSES[self.measure]}"
        )
        if not self.rows:
            p = "" if math.isnan(self.smallest_p) else f" (smallest p {format_p(self.smallest_p, self.p_floor)})"
            return f"{head}: none is worse than the other cases after adjustment for the search{p}."
        first = self.rows[0]
        others = len(self.rows) - 1
        more = (
            "" if not others else f"; {format_count(others, 'more slice')} {'is' if others == 1 else 'are'} worse too"
        )
        return (
            f"The worst slice is {first.slice} ({first.cases:,} cases): its {MEASURES_OF_LOSSES[self.measure]} is "
            f"{format_value(first.value)}, elsewhere {format_value(first.rest)} (p "
            f"{format_p(first.p_adjusted, self.p_floor)} for "
            f"the whole search){more}. {head}."
        )

    @property
    def how(self) -> str:
        """Return a sentence on how the differences were corrected, and on how many rows."""
        if self.method == "split":
            text = "Found on one half of the cases; corrected differences and p-values are from the other half."
        else:
            text = (
                "Adjusted by permutation for the whole search (Westfall-Young), valid when cases are exchangeable "
                "between slices; corrected differences are less by what the search adds by chance."
            )
        if self.rows_searched < self.rows_given:
            text += f" {self.rows_searched:,} of {self.rows_given:,} cases were searched, drawn at random."
        return text

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        names = ("slice", "cases", "prevalence", "value", "rest", "difference", "corrected", "p_adjusted", "auc")
        rows = tuple(tuple(to_json_value(getattr(row, name)) for name in names) for row in self.rows)
        return Table(names, rows, below=(self.verdict, self.how), p_floor=self.p_floor)

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "schema": "cutline/found_slices/1",
            "measure": self.measure,
            "searched": self.searched,
            "features": list(self.features),
            "depth": self.depth,
            "least": self.least,
            "level": self.level,
            "method": self.method,
            "rows_searched": self.rows_searched,
            "rows": self.rows_given,
            "verdict": self.verdict,
            "how": self.how,
            "slices": self.to_dict(),
        }

    def __repr__(self) -> str:
        return repr(self.table) if self.rows else f"{self.verdict}\n{self.how}"
