"""Arbel & Rokach, section 4.3: three classifiers on twenty data sets, judged by AUC, hit rate, Qrecall and PEM.

Their single split into two thirds and one third becomes many, so that each number has a spread. The smallest and the
largest class are positive in turn. Trees give many cases the same probability, so their numbers are also computed as if
ties were broken by the order of the rows, which explains some of the printed ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.charts import Picture
from cutline.core.errors import InputError
from cutline.studies import datasets, study_charts
from cutline.studies.datasets import DataSet
from cutline.studies.learners import LEARNERS, PLAIN_TREE, probabilities
from cutline.studies.quota_outside import outside, outside_text, verdict
from cutline.studies.quota_tables import (
    CLASSES,
    FIELDS,
    MEASURES,
    TITLES,
    Key,
    Values,
    agreement,
    mean,
    published,
    reading,
    same_winner,
    table,
    tie_text,
    ties,
    winner_text,
    winners,
)
from cutline.studies.study import Settings, Study, do_parts
from cutline.studies.study_report import Section, StudyReport

SPLITS, QUICK_SPLITS, QUICK_CASES = 30, 3, 700
_ALL = (*LEARNERS, PLAIN_TREE)


def split(data: DataSet, number: int, seed: int) -> dict[str, list[float | None]]:
    """One split of one data set: for each class and learner the measures, or None where a part holds one class only."""
    rng = np.random.default_rng([seed, number, *data.name.encode()])
    order = rng.permutation(len(data))
    cut = round(2 * len(data) / 3)
    train, test = order[:cut], order[cut:]
    found: dict[str, list[float | None]] = {}
    if len({*data.y[train].tolist()}) < 2:
        return {f"{name} {learner}": [None] * len(FIELDS) for name in CLASSES for learner in _ALL}
    for learner in _ALL:
        given = probabilities(learner, data.numeric, data.nominal, data.y, train, test, int(rng.integers(2**31)))
        for name, positive in (("smallest", data.smallest), ("largest", data.largest)):
            found[f"{name} {learner}"] = _numbers(data.y[test] == positive, given[:, positive])
    return found


def _numbers(labels: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> list[float | None]:
    if labels.all() or not labels.any():
        return [None] * len(FIELDS)
    ev = cl.evaluate(labels, scores)
    in_rows = np.empty(len(scores))
    in_rows[np.argsort(-scores, kind="stable")] = np.arange(len(scores), 0, -1)  # ties as the rows happen to stand
    return [*(float(ev.value(m)) for m in MEASURES), float(cl.evaluate(labels, in_rows).pem)]


def run(settings: Settings) -> StudyReport:
    """All data sets that can be had, all splits, then the tables."""
    sets, left_out, about = _data(settings)
    if settings.quick:
        sets, left_out = _small(sets, left_out)
    splits = QUICK_SPLITS if settings.quick else SPLITS
    parts = [(data.name, data.fingerprint, number) for data in sets for number in range(splits)]
    work = _Work({(data.name, data.fingerprint): data for data in sets}).split
    done = do_parts(work, parts, settings, "quota 3")
    values = _gathered({(name, number): one for (name, _, number), one in zip(parts, done, strict=True)})
    left_out += _one_class(values, splits)
    sections = (
        Section("Table 8, the smallest class", (reading(splits),), table(values, "smallest"), name="quota-table-8"),
        Section("Table 9, the largest class", (reading(splits),), table(values, "largest"), name="quota-table-9"),
        Section("Ours beside theirs", (), agreement(values), _chart(values), "quota-agreement"),
        Section(
            "Printed numbers outside our range",
            (outside_text(),),
            outside(values, {data.name: data for data in sets}),
            name="quota-outside",
        ),
        Section("Do two measures pick the same winner?", (winner_text(),), winners(values), name="quota-winners"),
        Section("What ties do to a tree's PEM", (tie_text(values),), ties(values), name="quota-ties"),
    )
    return StudyReport(
        *STUDY.heading,
        (about, *_answer(values, splits)),
        sections,
        settings.seed,
        settings.quick,
        tuple(left_out),
        {"splits": splits, "data sets": [data.name for data in sets]},
        settings.data,
    )


def _small(sets: list[DataSet], left_out: list[str]) -> tuple[list[DataSet], list[str]]:
    """The data sets of a quick run, and what was left out with those that are too large for it."""
    small = [data for data in sets if len(data) <= QUICK_CASES]
    if not small:
        raise InputError(f"No data set has {QUICK_CASES} cases or fewer, as a quick run needs", "run it in full")
    large = [data.name for data in sets if len(data) > QUICK_CASES]
    return small, left_out + [f"{name}: more than {QUICK_CASES} cases, which a quick run leaves out." for name in large]


class _Work(NamedTuple):
    """The work on one split, by the name of its data set; its fingerprint tells kept results of other data apart."""

    sets: dict[tuple[str, str], DataSet]

    def split(self, name: str, fingerprint: str, number: int, seed: int) -> dict[str, list[float | None]]:
        return split(self.sets[name, fingerprint], number, seed)


def _data(settings: Settings) -> tuple[list[DataSet], list[str], str]:
    """The data sets, what was left out, and where they come from."""
    if settings.data is not None:
        found, about = list(datasets.read_folder(settings.data)), "The data sets are those of the given folder."
    else:
        try:
            found, about = list(datasets.fetched()), "The data sets were fetched from OpenML."
        except (OSError, ImportError) as error:
            found = list(datasets.shipped())
            lacks_pandas = "OpenML cannot be read without pandas (pip install 'cutline[openml]')"
            why = lacks_pandas if isinstance(error, ImportError) else "OpenML could not be reached"
            about = (
                f"{why} and no folder was given, so this run has the data sets that scikit-learn ships: two of the "
                "twenty, and two others of the same kind."
            )
    sets = [data for _, data in found if isinstance(data, DataSet)]
    left_out = [why for _, why in found if isinstance(why, str)]
    if not sets:
        there = next((why for why in left_out if "there is no file" not in why), left_out[0])
        raise InputError(f"No data set can be used, beginning with {there}")
    return sets, left_out, about


def _gathered(found: dict[tuple[str, int], dict[str, list[float | None]]]) -> Values:
    """The numbers of all splits, by what they are about; NaN where a split lacked a class."""
    names = dict.fromkeys(name for name, _ in found)
    values: Values = {}
    for name, positive, learner in itertools.product(names, CLASSES, _ALL):
        rows = [result[f"{positive} {learner}"] for (data, _), result in found.items() if data == name]
        table = np.array([[math.nan if x is None else x for x in row] for row in rows])
        values[Key(name, positive, learner)] = {field: table[:, i] for i, field in enumerate(FIELDS)}
    return values


def _one_class(values: Values, splits: int) -> list[str]:
    lines = []
    for name, positive in dict.fromkeys((key.data, key.positive) for key in values):
        missing = int(np.isnan(values[Key(name, positive, LEARNERS[0])]["auc"]).sum())
        if missing:
            lines.append(f"{name}, {positive} class: {missing} of {splits} splits leave one class only in a part.")
    return lines


# ---------------------------------------------------------------------- words and pictures


def _answer(values: Values, splits: int) -> Iterator[str]:
    if splits < SPLITS:
        yield f"This is a quick run: {splits} splits span less than the {SPLITS} of a full one."
    yield from verdict(values)
    for positive in CLASSES:
        pem, total = same_winner(values, positive, "auc", "pem")
        hit, _ = same_winner(values, positive, "auc", "average_hit_rate")
        if total:
            yield (
                f"{positive.capitalize()} class: AUC and PEM pick the same learner in {100 * pem / total:.1f} % of "
                f"{total} splits (PEM is 2 AUC - 1); AUC and average hit rate in {100 * hit / total:.1f} %."
            )


def _chart(values: Values) -> Picture | None:
    rows = [
        {
            "our mean": mean(own[m]),
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
    return study_charts.points(rows, x="the text", y="our mean", series="measure", title=title)


STUDY = Study(
    name="quota",
    title="Measures for a limited quota on twenty data sets",
    source="Arbel & Rokach, section 4.3, Tables 8 and 9",
    question="Do AUC, hit rate, Qrecall and PEM choose the same classifier, and are the printed values typical?",
    run=run,
)
