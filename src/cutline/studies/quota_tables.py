"""The tables of the study quota: ours beside the printed ones, who comes first, and what ties do."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.core.table import Table
from cutline.studies.learners import LEARNERS

MEASURES = ("auc", "average_hit_rate", "average_qrecall", "pem")
TITLES = {"auc": "AUC", "average_hit_rate": "Average HitRate", "average_qrecall": "Average Qrecall", "pem": "PEM"}
CLASSES = ("smallest", "largest")
BY_ROWS = "pem, ties by rows"
FIELDS = (*MEASURES, BY_ROWS)
MIDDLE = (0.025, 0.975)  # of the splits: the quantiles that bound their range


class Key(NamedTuple):
    """What a number is about: a data set, the class that is positive, and the learner."""

    data: str
    positive: str
    learner: str


@cache
def published() -> dict[Key, dict[str, float | None]]:
    """Return Tables 8 and 9 as printed; PEM of the network for the smallest class is missing there."""
    with (files(__package__) / "arbel_rokach_tables_8_9.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        Key(row["data set"], row["class"], row["learner"]): {m: float(row[m]) if row[m] else None for m in MEASURES}
        for row in rows
    }


Values = dict[Key, dict[str, npt.NDArray[np.float64]]]
T = TypeVar("T")


def mean(values: npt.NDArray[np.float64]) -> float:
    """Return the mean over the splits that have both classes."""
    return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan


def reading(splits: int) -> str:
    """Return how to read a cell of the two tables."""
    return (
        f"Mean over {splits} splits and, in brackets, the range of the middle 95 % of them; after the slash the value "
        "that the text prints for its one split, with * where it lies outside that range."
    )


def table(values: Values, positive: str) -> Table:
    """Return Table 8 or 9: ours, and the printed value after a slash."""
    columns = ("data set", *(f"{learner} {TITLES[m]}" for learner in LEARNERS for m in MEASURES))
    rows = []
    for name in dict.fromkeys(key.data for key in values):
        cells = [cell(values, Key(name, positive, learner), m) for learner in LEARNERS for m in MEASURES]
        rows.append((name, *cells))
    return Table(columns, tuple(rows))


def cell(values: Values, key: Key, measure: str) -> str:
    """Return the mean over the splits with its range, and the printed value, with * outside the range."""
    own = values[key][measure]
    if np.isnan(own).all():
        return "undefined"
    low, high = np.nanquantile(own, MIDDLE)
    theirs = published().get(key, {}).get(measure)
    printed = "" if theirs is None else f" / {theirs:g}{'*' if standing(own, theirs) else ''}"
    return f"{mean(own):.3f} [{low:.3f}, {high:.3f}]{printed}"


def standing(own: npt.NDArray[np.float64], theirs: float) -> int:
    """Whether a printed number lies below (-1), in (0) or above (1) the range of our splits, up to its rounding."""
    low, high = np.nanquantile(own, MIDDLE)
    return int(theirs > high + 5e-4) - int(theirs < low - 5e-4)


def _pairs(values: Values, positive: str, learner: str, measure: str) -> list[tuple[float, float]]:
    pairs = []
    for key, own in values.items():
        theirs = published().get(key, {}).get(measure)
        if (key.positive, key.learner) == (positive, learner) and theirs is not None:
            pairs.append((mean(own[measure]), theirs))
    return [pair for pair in pairs if not math.isnan(pair[0])]


def agreement(values: Values) -> Table:
    """Return the rank correlation of each column with the printed one, and how far apart they are."""
    from scipy.stats import spearmanr

    rows = []
    for positive, learner, measure in itertools.product(CLASSES, LEARNERS, MEASURES):
        pairs = np.array(_pairs(values, positive, learner, measure))
        if len(pairs) < 3 or min(len({*column}) for column in pairs.T.tolist()) < 2:
            continue
        gap = float(np.median(np.abs(pairs[:, 0] - pairs[:, 1])))
        rows.append((positive, learner, TITLES[measure], len(pairs), float(spearmanr(*pairs.T)[0]), gap))
    columns = ("class", "learner", "measure", "data sets", "rank correlation with the text", "median distance")
    return Table(columns, tuple(rows))


def learner_tests(values: Values) -> Table:
    """Return the mean rank of each learner over the data sets, and whether they differ, for each measure."""
    rows = []
    for positive, measure in itertools.product(CLASSES, MEASURES):
        names = dict.fromkeys(key.data for key in values)
        means = np.array([[mean(values[Key(name, positive, own)][measure]) for own in LEARNERS] for name in names])
        complete = means[~np.isnan(means).any(axis=1)]
        if len(complete) < 2:
            continue
        comparison = cl.compare_datasets(dict(zip(LEARNERS, complete.T, strict=True)))
        apart = [pair for pair in comparison.pairs if pair.p_adjusted <= 1 - comparison.level]
        words = ", ".join(f"{p.a} over {p.b}" if p.rank_difference < 0 else f"{p.b} over {p.a}" for p in apart)
        ranks = comparison.mean_ranks.values()
        rows.append((positive, TITLES[measure], len(complete), *ranks, comparison.friedman.f_p_value, words or "none"))
    ranked = (f"mean rank of {learner}" for learner in LEARNERS)
    return Table(("class", "measure", "data sets", *ranked, "p (Iman-Davenport)", "better"), tuple(rows))


def learner_text() -> str:
    """Return how to read the tests of the learners."""
    return (
        "Each data set is one observation, the mean over its splits: Friedman's test with the F statistic of Iman and "
        "Davenport, and the pairs that differ by Wilcoxon's signed ranks with Holm's correction (Demsar 2006; Benavoli "
        "et al. 2016), at the level 0.05."
    )


def winners(values: Values) -> Table:
    """Return how often two measures put the same learner first."""
    rows = []
    for positive, (a, b) in itertools.product(CLASSES, itertools.combinations(MEASURES, 2)):
        same, of = same_winner(values, positive, a, b)
        theirs, sets = _same_printed(positive, a, b)
        ours = same / of if of else math.nan
        rows.append((positive, TITLES[a], TITLES[b], ours, of, theirs / sets))
    columns = ("class", "measure", "other measure", "same winner", "splits", "same winner in the text")
    return Table(columns, tuple(rows))


def winner_text() -> str:
    """Return how to read the table of winners."""
    return (
        "Share of all splits of all data sets in which both measures put the same learner first; equal firsts count as "
        "the same when they share one. The last column counts the text's own tables, one split each (PEM of the "
        "network is not printed for the smallest class, so pairs with PEM have two learners there)."
    )


def _first(scores: dict[str, float]) -> set[str]:
    known = {name: value for name, value in scores.items() if not math.isnan(value)}
    return {name for name, value in known.items() if value >= max(known.values()) - 1e-9} if known else set()


def same_winner(values: Values, positive: str, a: str, b: str) -> tuple[int, int]:
    """Return in how many splits two measures share a first learner, and the number of splits."""
    same = of = 0
    for name in dict.fromkeys(key.data for key in values):
        own = {learner: values[Key(name, positive, learner)] for learner in LEARNERS}
        for i in range(len(own[LEARNERS[0]]["auc"])):
            one, other = (_first({learner: float(own[learner][m][i]) for learner in LEARNERS}) for m in (a, b))
            of += bool(one and other)
            same += bool(one & other)
    return same, of


def _same_printed(positive: str, a: str, b: str) -> tuple[int, int]:
    same = of = 0
    for name in dict.fromkeys(key.data for key in published()):
        rows = {learner: published()[Key(name, positive, learner)] for learner in LEARNERS}
        both = {learner: row for learner, row in rows.items() if row[a] is not None and row[b] is not None}
        one, other = (_first({learner: float(row[m] or 0) for learner, row in both.items()}) for m in (a, b))
        of += 1
        same += bool(one & other)
    return same, of


def ties(values: Values) -> Table:
    """Return PEM of the trees with ties by the rule of the text, and as the rows stand."""
    rows = []
    for key, own in values.items():
        if key.learner == "C4.5":
            theirs = published().get(key, {}).get("pem")
            exact, by_rows = own["pem"], own[BY_ROWS]
            gap = float(np.nanmax(np.abs(exact - by_rows))) if not np.isnan(exact).all() else math.nan
            rows.append((key.data, key.positive, mean(2 * own["auc"] - 1), mean(exact), mean(by_rows), gap, theirs))
    columns = ("data set", "class", "2 AUC - 1", "PEM", "PEM, ties by rows", "largest gap in a split", "the text's PEM")
    return Table(columns, tuple(rows))


def tie_text(values: Values) -> str:
    """Return what ties do to the PEM of a tree, in words."""
    names = [name for name in dict.fromkeys(key.data for key in values) if _is_binary(values, name)]
    if not names:
        return "This run has no data set of two classes, of which both would have the same PEM but for ties."
    pems = [[mean(own[BY_ROWS]) for own in _both(values, name)] for name in names]
    differ = sum(abs(one - other) > 1e-6 for one, other in pems)
    rule = (
        "With the text's own rule for ties PEM is 2 AUC - 1, so both classes of a two-class problem have one value. "
        f"When ties stay in the order of the rows instead, the two values differ in {differ} of our {len(names)} "
        "two-class data sets."
    )
    printed = [_both(published(), name) for name in names if Key(name, "smallest", "C4.5") in published()]
    apart = [rows for rows in printed if rows[0]["pem"] != rows[1]["pem"]]
    centred = [rows for rows in apart if _is_centred(*rows)]
    if not apart:
        return rule
    return (
        f"{rule} The text prints two values for C4.5 in {len(apart)} of {len(printed)}. In {len(centred)} of these "
        "their mean is 2 AUC - 1 up to rounding, which is what a fixed order of tied cases leaves: one class gains "
        "what the other loses."
    )


def _both(table: Mapping[Key, T], name: str) -> tuple[T, T]:
    """Return what a table has for the tree, with the smallest and with the largest class as the positive one."""
    smallest, largest = (table[Key(name, positive, "C4.5")] for positive in CLASSES)
    return smallest, largest


def _is_centred(one: dict[str, float | None], other: dict[str, float | None]) -> bool:
    pems, area = [row["pem"] or 0.0 for row in (one, other)], one["auc"] or 0.0
    return abs(sum(pems) / 2 - (2 * area - 1)) <= 0.0015  # all three are rounded to three digits


def _is_binary(values: Values, name: str) -> bool:
    """Whether both classes have the same AUC in every split, which only two classes have."""
    one, other = (own["auc"] for own in _both(values, name))
    return bool(np.allclose(one, other, equal_nan=True))
