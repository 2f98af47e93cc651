"""Which printed numbers lie outside the range of our splits, and what in the data or in the print may be behind it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from cutline.core.table import Table
from cutline.studies.datasets import DataSet
from cutline.studies.learners import LEARNERS, PLAIN_TREE
from cutline.studies.quota_tables import CLASSES, MEASURES, Key, Values, published, standing

# The numbers of cases in the text's Tables 8 and 9.
PRINTED_CASES = {
    "australian": 690,
    "audiology": 226,
    "breast-cancer": 286,
    "hepatitis": 155,
    "iris": 150,
    "kr-vs-kp": 3196,
    "labor": 57,
    "lung-cancer": 32,
    "monks1": 124,
    "monks2": 169,
    "monks3": 122,
    "mushroom": 8124,
    "nursery": 12960,
    "optdigits": 5628,
    "pima-diabetes": 768,
    "sonar": 208,
    "soybean": 683,
    "vote": 290,
    "wine": 178,
    "zoo": 101,
}
FEW = 5  # positive cases in a test part, with which one split says little
ROUNDING = 0.003  # how far 2 AUC - 1 can be from PEM, both printed with three digits


class Standing(NamedTuple):
    """A printed number: of what it is, and whether it lies below (-1), in (0) or above (1) the range of our splits."""

    key: Key
    measure: str
    side: int


def standings(values: Values, *, tree: str = "C4.5") -> list[Standing]:
    """Every printed number that our splits can be compared with.

    Args:
        values: The numbers of all splits.
        tree: Which of our trees stands for C4.5.
    """
    found = []
    for name, positive, learner in itertools.product(dict.fromkeys(key.data for key in values), CLASSES, LEARNERS):
        key = Key(name, positive, learner)
        ours = values[key._replace(learner=tree) if learner == "C4.5" else key]
        for measure in MEASURES:
            theirs = published().get(key, {}).get(measure)
            if theirs is not None and not np.isnan(ours[measure]).all():
                found.append(Standing(key, measure, standing(ours[measure], theirs)))
    return found


def typical(values: Values) -> float:
    """The share of such numbers that would lie in the range if they came from one more split of the same kind.

    The quantiles 0.025 and 0.975 of m values, read between their ranks, hold a further value with the probability
    0.95 (m - 1) / (m + 1).
    """
    sizes = [int((~np.isnan(values[one.key][one.measure])).sum()) for one in standings(values)]
    return float(np.mean([0.95 * (m - 1) / (m + 1) for m in sizes])) if sizes else float("nan")


def verdict(values: Values) -> Iterator[str]:
    """How many printed numbers lie in the range of our splits, and how many would if all were as it should be."""
    found = standings(values)
    if not found:
        return
    inside = sum(not one.side for one in found)
    by_learner = {name: [not one.side for one in found if one.key.learner == name] for name in LEARNERS}
    told = ", ".join(f"{name} {sum(own)} of {len(own)}" for name, own in by_learner.items())
    yield (
        f"{inside} of the {len(found)} printed numbers ({100 * inside / len(found):.0f} %) lie in the middle 95 % of "
        f"our splits; those of one more split of ours would in at least about {100 * typical(values):.0f} %. By "
        f"learner: {told}."
    )
    names = dict.fromkeys(one.key.data for one in found)
    outside = Counter(one.key.data for one in found if one.side)
    half = _fewest_for_half(outside)
    if outside:
        where = f"{half} data sets" if half > 1 else "one data set"
        yield (
            "The numbers of a data set come from one split of the text, so they leave the range together: "
            f"{len(names) - len(outside)} of {len(names)} data sets have none outside, and {where} at least half of "
            "all that are."
        )
    plain = [not one.side for one in standings(values, tree=PLAIN_TREE) if one.key.learner == "C4.5"]
    yield (
        f"The range of our tree depends on how it is pruned and smoothed: it holds {sum(by_learner['C4.5'])} of the "
        f"{len(plain)} numbers printed for C4.5, and that of a tree that is neither pruned nor smoothed {sum(plain)}."
    )


def _fewest_for_half(counts: Counter[str]) -> int:
    total = 0
    for i, (_, count) in enumerate(counts.most_common(), 1):
        total += count
        if 2 * total >= counts.total():
            return i
    return 0


def outside_text() -> str:
    """How to read the table of what lies outside."""
    return (
        "How many of the printed numbers lie below or above the range of our splits, by learner; how many of those of "
        "C4.5 are still outside with a tree that is neither pruned nor smoothed; and what the data or the print say "
        "about it."
    )


def outside(values: Values, sets: Mapping[str, DataSet]) -> Table:
    """The data sets with printed numbers outside the range of our splits, those with most of them first."""
    found = standings(values)
    plain = [one for one in standings(values, tree=PLAIN_TREE) if one.key.learner == "C4.5"]
    rows: list[tuple[Any, ...]] = []
    for name in dict.fromkeys(one.key.data for one in found):
        own = [one for one in found if one.key.data == name]
        out = [one for one in own if one.side]
        if out:
            sides = [_sides([one for one in out if one.key.learner == learner]) for learner in LEARNERS]
            still = sum(bool(one.side) for one in plain if one.key.data == name)
            why = "; ".join(_clues(out, still, sets[name])) or "nothing found"
            rows.append((name, len(out), len(own), *sides, still, why))
    rows.sort(key=lambda row: -row[1])
    columns = ("data set", "outside", "of", *LEARNERS, "C4.5, plain tree", "what may be behind it")
    return Table(columns, tuple(rows))


def _sides(out: list[Standing]) -> str:
    counts = {"below": sum(one.side < 0 for one in out), "above": sum(one.side > 0 for one in out)}
    return ", ".join(f"{count} {side}" for side, count in counts.items() if count)


def _clues(out: list[Standing], still: int, data: DataSet) -> Iterator[str]:
    """What the data or the print say about numbers outside the range; none of it is certain."""
    yield from _few_cases(out, data)
    printed = PRINTED_CASES[data.name]
    if printed != len(data):
        yield f"the text counts {printed} cases, the file has {len(data)}"
    for key in dict.fromkeys(one.key for one in out):
        row = published()[key]
        area, pem = row["auc"], row["pem"]
        if key.learner != "C4.5" and area is not None and pem is not None and abs(pem - (2 * area - 1)) > ROUNDING:
            yield f"the print contradicts itself: PEM of {key.learner} is {pem:g}, and 2 AUC - 1 is {2 * area - 1:.4g}"
    trees = sum(one.key.learner == "C4.5" for one in out)
    if still < trees:
        yield f"{trees - still} of the {trees} numbers of C4.5 are typical of a tree neither pruned nor smoothed"
    learners = {one.key.learner for one in out}
    if len(learners) > 1 and len({one.side for one in out}) == 1:
        kind = "an easy" if out[0].side > 0 else "a hard"
        yield f"all on one side for {len(learners)} learners, which share a split: it may have been {kind} one"


def _few_cases(out: list[Standing], data: DataSet) -> Iterator[str]:
    for positive in dict.fromkeys(one.key.positive for one in out):
        cases = int((data.y == (data.smallest if positive == "smallest" else data.largest)).sum())
        if cases / 3 < FEW:
            yield f"the {positive} class has {cases} cases, about {cases / 3:.0f} in a test part of {len(data) / 3:.0f}"
