"""Arbel & Rokach, section 4.3: three classifiers on twenty data sets, judged by AUC, hit rate, Qrecall and PEM.

Their single split into two thirds and one third becomes many, so that each number has a spread. The smallest and the
largest class are positive in turn. Trees give many cases the same probability, so their numbers are also computed as if
ties were broken by the order of the rows, which explains some of the printed ones.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.charts import Picture
from cutline.core.table import Table
from cutline.studies import datasets, drawing
from cutline.studies.datasets import DataSet
from cutline.studies.learners import LEARNERS, probabilities
from cutline.studies.study import Settings, Study, do_parts
from cutline.studies.study_report import Section, StudyReport

MEASURES = ("auc", "average_hit_rate", "average_qrecall", "pem")
TITLES = {"auc": "AUC", "average_hit_rate": "Average HitRate", "average_qrecall": "Average Qrecall", "pem": "PEM"}
CLASSES = ("smallest", "largest")
BY_ROWS = "pem, ties by rows"
SPLITS, QUICK_SPLITS, QUICK_CASES = 30, 3, 700
_FIELDS = (*MEASURES, BY_ROWS)


class Key(NamedTuple):
    """What a number is about: a data set, the class that is positive, and the learner."""

    data: str
    positive: str
    learner: str


@cache
def published() -> dict[Key, dict[str, float | None]]:
    """Tables 8 and 9 as they are printed; PEM of the network for the smallest class is missing there."""
    with (files(__package__) / "arbel_rokach_tables_8_9.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        Key(row["data set"], row["class"], row["learner"]): {m: float(row[m]) if row[m] else None for m in MEASURES}
        for row in rows
    }


def split(data: DataSet, number: int, seed: int) -> dict[str, list[float | None]]:
    """One split of one data set: for each class and learner the measures, or None where a part lacks a class."""
    rng = np.random.default_rng([seed, number, *data.name.encode()])
    order = rng.permutation(len(data))
    cut = round(2 * len(data) / 3)
    train, test = order[:cut], order[cut:]
    found: dict[str, list[float | None]] = {}
    for learner in LEARNERS:
        given = probabilities(learner, data.numeric, data.nominal, data.y, train, test, int(rng.integers(2**31)))
        for name, positive in (("smallest", data.smallest), ("largest", data.largest)):
            found[f"{name} {learner}"] = _numbers(data.y[test] == positive, given[:, positive])
    return found


def _numbers(labels: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> list[float | None]:
    if labels.all() or not labels.any():
        return [None] * len(_FIELDS)
    ev = cl.evaluate(labels, scores)
    in_rows = np.empty(len(scores))
    in_rows[np.argsort(-scores, kind="stable")] = np.arange(len(scores), 0, -1)  # ties as the rows happen to stand
    return [*(float(ev.value(m)) for m in MEASURES), float(cl.evaluate(labels, in_rows).pem)]


def run(settings: Settings) -> StudyReport:
    """All data sets that can be had, all splits, then the tables."""
    sets, left_out, about = _data(settings)
    if settings.quick:
        large = [data.name for data in sets if len(data) > QUICK_CASES]
        sets = [data for data in sets if len(data) <= QUICK_CASES]
        left_out += [f"{name}: more than {QUICK_CASES} cases, which a quick run leaves out." for name in large]
    splits = QUICK_SPLITS if settings.quick else SPLITS
    parts = [(data.name, number) for data in sets for number in range(splits)]
    work = _Work({data.name: data for data in sets}).split
    found = dict(zip(parts, do_parts(work, parts, settings, "quota 1"), strict=True))
    values = _gathered(found)
    left_out += _one_class(values, splits)
    sections = (
        Section(
            "Table 8, the smallest class",
            (_reading(splits),),
            _table(values, "smallest"),
            name="quota-table-8",
        ),
        Section("Table 9, the largest class", (_reading(splits),), _table(values, "largest"), name="quota-table-9"),
        Section("Ours beside theirs", (), _agreement(values), _chart(values), "quota-agreement"),
        Section("Do two measures pick the same winner?", (_winner_text(),), _winners(values), name="quota-winners"),
        Section("What ties do to a tree's PEM", (_tie_text(values),), _ties(values), name="quota-ties"),
    )
    return StudyReport(
        *STUDY.heading,
        (about, *_answer(values)),
        sections,
        settings.seed,
        settings.quick,
        tuple(left_out),
        {"splits": splits, "data sets": [data.name for data in sets]},
    )


class _Work(NamedTuple):
    """The work on one split, by the name of its data set."""

    sets: dict[str, DataSet]

    def split(self, name: str, number: int, seed: int) -> dict[str, list[float | None]]:
        return split(self.sets[name], number, seed)


def _data(settings: Settings) -> tuple[list[DataSet], list[str], str]:
    """The data sets, what was left out, and where they come from."""
    if settings.data is not None:
        found, about = (
            list(datasets.read_folder(settings.data)),
            "The data sets are those of the given folder.",
        )
    else:
        try:
            found, about = list(datasets.fetched()), "The data sets were fetched from OpenML."
        except OSError:
            found = list(datasets.shipped())
            about = (
                "OpenML could not be reached and no folder was given, so this run has the data sets that scikit-learn "
                "ships: two of the twenty, and two others of the same kind."
            )
    sets = [data for _, data in found if isinstance(data, DataSet)]
    return sets, [why for _, why in found if isinstance(why, str)], about


Values = dict[Key, dict[str, npt.NDArray[np.float64]]]


def _gathered(found: dict[tuple[str, int], dict[str, list[float | None]]]) -> Values:
    """The numbers of all splits, by what they are about; NaN where a split lacked a class."""
    names = dict.fromkeys(name for name, _ in found)
    values: Values = {}
    for name, positive, learner in itertools.product(names, CLASSES, LEARNERS):
        rows = [result[f"{positive} {learner}"] for (data, _), result in found.items() if data == name]
        table = np.array([[math.nan if x is None else x for x in row] for row in rows])
        values[Key(name, positive, learner)] = {field: table[:, i] for i, field in enumerate(_FIELDS)}
    return values


def _one_class(values: Values, splits: int) -> list[str]:
    lines = []
    for name, positive in dict.fromkeys((key.data, key.positive) for key in values):
        missing = int(np.isnan(values[Key(name, positive, LEARNERS[0])]["auc"]).sum())
        if missing:
            lines.append(f"{name}, {positive} class: {missing} of {splits} test parts hold one class only.")
    return lines


def _mean(values: npt.NDArray[np.float64]) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan


# ---------------------------------------------------------------------- tables


def _reading(splits: int) -> str:
    return (
        f"Mean over {splits} splits and, in brackets, the range of the middle 95 % of them; after the slash the value "
        "that the text prints for its one split, with * where it lies outside that range."
    )


def _table(values: Values, positive: str) -> Table:
    columns = ("data set", *(f"{learner} {TITLES[m]}" for learner in LEARNERS for m in MEASURES))
    rows = []
    for name in dict.fromkeys(key.data for key in values):
        cells = [_cell(values, Key(name, positive, learner), m) for learner in LEARNERS for m in MEASURES]
        rows.append((name, *cells))
    return Table(columns, tuple(rows))


def _cell(values: Values, key: Key, measure: str) -> str:
    own = values[key][measure]
    if np.isnan(own).all():
        return "undefined"
    low, high = np.nanquantile(own, (0.025, 0.975))
    theirs = published().get(key, {}).get(measure)
    outside = "" if theirs is None or low - 5e-4 <= theirs <= high + 5e-4 else "*"
    printed = "" if theirs is None else f" / {theirs:g}{outside}"
    return f"{_mean(own):.3f} [{low:.3f}, {high:.3f}]{printed}"


def _pairs(values: Values, positive: str, learner: str, measure: str) -> list[tuple[float, float]]:
    found = []
    for key, own in values.items():
        theirs = published().get(key, {}).get(measure)
        if (key.positive, key.learner) == (positive, learner) and theirs is not None:
            found.append((_mean(own[measure]), theirs))
    return [pair for pair in found if not math.isnan(pair[0])]


def _agreement(values: Values) -> Table:
    """The rank correlation of each column with the printed one, and how far apart they are."""
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


def _winners(values: Values) -> Table:
    rows = []
    for positive, (a, b) in itertools.product(CLASSES, itertools.combinations(MEASURES, 2)):
        same, of = _same_winner(values, positive, a, b)
        theirs, sets = _same_printed(positive, a, b)
        ours = same / of if of else math.nan
        rows.append((positive, TITLES[a], TITLES[b], ours, of, theirs / sets))
    columns = ("class", "measure", "measure ", "same winner", "splits", "same winner in the text")
    return Table(columns, tuple(rows))


def _winner_text() -> str:
    return (
        "Share of all splits of all data sets in which both measures put the same learner first; equal firsts count as "
        "the same when they share one. The last column counts the text's own tables, one split each (PEM of the "
        "network is not printed for the smallest class, so pairs with PEM have two learners there)."
    )


def _first(scores: dict[str, float]) -> set[str]:
    known = {name: value for name, value in scores.items() if not math.isnan(value)}
    return {name for name, value in known.items() if value >= max(known.values()) - 1e-9} if known else set()


def _same_winner(values: Values, positive: str, a: str, b: str) -> tuple[int, int]:
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


def _ties(values: Values) -> Table:
    rows = []
    for key, own in values.items():
        if key.learner == "C4.5":
            theirs = published().get(key, {}).get("pem")
            exact, by_rows = own["pem"], own[BY_ROWS]
            gap = float(np.nanmax(np.abs(exact - by_rows))) if not np.isnan(exact).all() else math.nan
            rows.append((key.data, key.positive, _mean(2 * own["auc"] - 1), _mean(exact), _mean(by_rows), gap, theirs))
    columns = ("data set", "class", "2 AUC - 1", "PEM", "PEM, ties by rows", "largest gap in a split", "the text's PEM")
    return Table(columns, tuple(rows))


def _tie_text(values: Values) -> str:
    share = _differing_pem(values)
    return (
        "With the text's own rule for ties PEM equals 2 AUC - 1, so both classes of a binary problem have the same "
        "value. The text prints different ones for C4.5. When ties are broken by the order of the rows, "
        f"{share:.0f} % of our binary data sets have different values for the two classes as well: the printed values "
        "ignore the rule."
    )


def _differing_pem(values: Values) -> float:
    names = [name for name in dict.fromkeys(key.data for key in values) if _is_binary(values, name)]
    differ = [
        abs(
            _mean(values[Key(name, "smallest", "C4.5")][BY_ROWS]) - _mean(values[Key(name, "largest", "C4.5")][BY_ROWS])
        )
        > 1e-6
        for name in names
    ]
    return 100 * float(np.mean(differ)) if differ else math.nan


def _is_binary(values: Values, name: str) -> bool:
    """Whether both classes have the same AUC in every split, which only two classes have."""
    one, other = (values[Key(name, positive, "C4.5")]["auc"] for positive in CLASSES)
    return bool(np.allclose(one, other, equal_nan=True))


# ---------------------------------------------------------------------- words and pictures


def _answer(values: Values) -> Iterator[str]:
    inside, of = _inside(values)
    if of:
        yield (
            f"{inside} of the {of} printed numbers ({100 * inside / of:.0f} %) lie in the middle 95 % of our splits. "
            f"{_by_learner(values)} The stand-ins are not Weka's learners, the text has a single split, and its "
            "values for trees ignore ties."
        )
    for positive in CLASSES:
        pem, total = _same_winner(values, positive, "auc", "pem")
        hit, _ = _same_winner(values, positive, "auc", "average_hit_rate")
        yield (
            f"{positive.capitalize()} class: AUC and PEM pick the same learner in {100 * pem / max(total, 1):.1f} % of "
            f"{total} splits (PEM is 2 AUC - 1); AUC and average hit rate in {100 * hit / max(total, 1):.1f} %."
        )


def _inside(values: Values, learners: Sequence[str] = LEARNERS) -> tuple[int, int]:
    """How many printed numbers lie in the range of our splits, and how many there are."""
    cells = [_cell(values, key, m) for key in values for m in MEASURES if key.learner in learners]
    known = [cell for cell in cells if " / " in cell]
    return sum(not cell.endswith("*") for cell in known), len(known)


def _by_learner(values: Values) -> str:
    counts = {learner: _inside(values, [learner]) for learner in LEARNERS}
    parts = [f"{learner} {inside} of {of}" for learner, (inside, of) in counts.items()]
    return f"By learner: {', '.join(parts)}."


def _chart(values: Values) -> Picture | None:
    rows = [
        {
            "our mean": _mean(own[m]),
            "the text": float(theirs),
            "measure": TITLES[m],
            "data set": key.data,
            "learner": key.learner,
        }
        for key, own in values.items()
        for m in MEASURES
        if (theirs := published().get(key, {}).get(m)) is not None and not np.isnan(own[m]).all()
    ]
    if not rows:
        return None
    title = "Every number of Tables 8 and 9 beside ours"
    return drawing.points(rows, x="the text", y="our mean", series="measure", title=title)


STUDY = Study(
    name="quota",
    title="Measures for a limited quota on twenty data sets",
    source="Arbel & Rokach, section 4.3, Tables 8 and 9",
    question="Do AUC, hit rate, Qrecall and PEM choose the same classifier, and are the printed values typical?",
    run=run,
)
