"""Arbel & Rokach, section 4.3: three classifiers on twenty data sets, judged by AUC, hit rate, Qrecall and PEM.

Their single split into two thirds and one third becomes many, so that each number has a spread. The smallest and the
largest class are positive in turn. Trees give many cases the same probability, so their numbers are also computed as if
ties were broken by the order of the rows, which explains some of the printed ones.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.charts import Picture
from cutline.core.errors import InputError
from cutline.core.table import Table
from cutline.studies import datasets, study_charts
from cutline.studies.datasets import DataSet
from cutline.studies.learners import LEARNERS, PLAIN_TREE, predict_probabilities
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings, do_parts

MEASURES = ("auc", "average_hit_rate", "average_qrecall", "pem")
TITLES = {"auc": "AUC", "average_hit_rate": "Average HitRate", "average_qrecall": "Average Qrecall", "pem": "PEM"}
CLASSES = ("smallest", "largest")
BY_ROWS = "pem, ties by rows"
FIELDS = (*MEASURES, BY_ROWS)
MIDDLE = (0.025, 0.975)  # of the splits: the quantiles that bound their range


class Key(NamedTuple):
    """A data set, its positive class, and a learner: the key of a number."""

    data: str
    positive: str
    learner: str


@cache
def load_published() -> dict[Key, dict[str, float | None]]:
    """Return Tables 8 and 9 as printed; PEM of the network for the smallest class is missing there."""
    with (files(__package__) / "arbel_rokach_tables_8_9.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        Key(row["data set"], row["class"], row["learner"]): {m: float(row[m]) if row[m] else None for m in MEASURES}
        for row in rows
    }


Values = dict[Key, dict[str, npt.NDArray[np.float64]]]
T = TypeVar("T")


def average_splits(values: npt.NDArray[np.float64]) -> float:
    """Return the mean over the splits that have both classes."""
    return float(np.nanmean(values)) if not np.isnan(values).all() else math.nan


def explain_cells(splits: int) -> str:
    """Return how to read a cell of the two tables."""
    return (
        f"Mean over {splits} splits and, in brackets, the range of the middle 95 % of them; after the slash the value "
        "that the text prints for its one split, with * where it lies outside that range."
    )


def make_table(values: Values, positive: str) -> Table:
    """Return Table 8 or 9: ours, and the printed value after a slash."""
    columns = ("data set", *(f"{learner} {TITLES[m]}" for learner in LEARNERS for m in MEASURES))
    rows = []
    for name in dict.fromkeys(key.data for key in values):
        cells = [format_cell(values, Key(name, positive, learner), m) for learner in LEARNERS for m in MEASURES]
        rows.append((name, *cells))
    return Table(columns, tuple(rows))


def format_cell(values: Values, key: Key, measure: str) -> str:
    """Return the mean over the splits with its range, and the printed value, with * outside the range."""
    own = values[key][measure]
    if np.isnan(own).all():
        return "undefined"
    low, high = np.nanquantile(own, MIDDLE)
    published = load_published().get(key, {}).get(measure)
    printed = "" if published is None else f" / {published:g}{'*' if compare_with_range(own, published) else ''}"
    return f"{average_splits(own):.3f} [{low:.3f}, {high:.3f}]{printed}"


def compare_with_range(own: npt.NDArray[np.float64], published: float) -> int:
    """Return -1, 0 or 1 if a printed number is below, in or above the range of our splits, up to its rounding."""
    low, high = np.nanquantile(own, MIDDLE)
    return int(published > high + 5e-4) - int(published < low - 5e-4)


def _pair_with_printed(values: Values, positive: str, learner: str, measure: str) -> list[tuple[float, float]]:
    pairs = []
    for key, own in values.items():
        published = load_published().get(key, {}).get(measure)
        if (key.positive, key.learner) == (positive, learner) and published is not None:
            pairs.append((average_splits(own[measure]), published))
    return [pair for pair in pairs if not math.isnan(pair[0])]


def correlate_with_printed(values: Values) -> Table:
    """Return the rank correlation of each column with the printed one, and how far apart they are."""
    from scipy.stats import spearmanr

    rows = []
    for positive, learner, measure in itertools.product(CLASSES, LEARNERS, MEASURES):
        pairs = np.array(_pair_with_printed(values, positive, learner, measure))
        if len(pairs) < 3 or min(len({*column}) for column in pairs.T.tolist()) < 2:
            continue
        gap = float(np.median(np.abs(pairs[:, 0] - pairs[:, 1])))
        rows.append((positive, learner, TITLES[measure], len(pairs), float(spearmanr(*pairs.T)[0]), gap))
    columns = ("class", "learner", "measure", "data sets", "rank correlation with the text", "median distance")
    return Table(columns, tuple(rows))


def _test_learners(values: Values) -> Table:
    """Return the mean rank of each learner over the data sets, and whether they differ, for each measure."""
    rows = []
    for positive, measure in itertools.product(CLASSES, MEASURES):
        names = dict.fromkeys(key.data for key in values)
        means = np.array(
            [[average_splits(values[Key(name, positive, own)][measure]) for own in LEARNERS] for name in names]
        )
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


def _explain_learner_tests() -> str:
    """Return how to read the tests of the learners."""
    return (
        "Each data set is one observation, the mean over its splits: Friedman's test with the F statistic of Iman and "
        "Davenport, and the pairs that differ by Wilcoxon's signed ranks with Holm's correction (Demsar 2006; Benavoli "
        "et al. 2016), at the level 0.05."
    )


def _tabulate_winners(values: Values) -> Table:
    """Return how often two measures put the same learner first."""
    rows = []
    for positive, (a, b) in itertools.product(CLASSES, itertools.combinations(MEASURES, 2)):
        same, of = _count_same_winner(values, positive, a, b)
        same_printed, sets = _count_same_printed(positive, a, b)
        ours = same / of if of else math.nan
        rows.append((positive, TITLES[a], TITLES[b], ours, of, same_printed / sets))
    columns = ("class", "measure", "other measure", "same winner", "splits", "same winner in the text")
    return Table(columns, tuple(rows))


def _explain_winners() -> str:
    """Return how to read the table of winners."""
    return (
        "Share of all splits of all data sets in which both measures put the same learner first; equal firsts count as "
        "the same when they share one. The last column counts the text's own tables, one split each (PEM of the "
        "network is not printed for the smallest class, so pairs with PEM have two learners there)."
    )


def _find_first(scores: dict[str, float]) -> set[str]:
    known = {name: value for name, value in scores.items() if not math.isnan(value)}
    return {name for name, value in known.items() if value >= max(known.values()) - 1e-9} if known else set()


def _count_same_winner(values: Values, positive: str, a: str, b: str) -> tuple[int, int]:
    """Return in how many splits two measures share a first learner, and the number of splits."""
    same = of = 0
    for name in dict.fromkeys(key.data for key in values):
        own = {learner: values[Key(name, positive, learner)] for learner in LEARNERS}
        for i in range(len(own[LEARNERS[0]]["auc"])):
            best_by_a, best_by_b = (
                _find_first({learner: float(own[learner][m][i]) for learner in LEARNERS}) for m in (a, b)
            )
            of += bool(best_by_a and best_by_b)
            same += bool(best_by_a & best_by_b)
    return same, of


def _count_same_printed(positive: str, a: str, b: str) -> tuple[int, int]:
    same = of = 0
    for name in dict.fromkeys(key.data for key in load_published()):
        rows = {learner: load_published()[Key(name, positive, learner)] for learner in LEARNERS}
        both = {learner: row for learner, row in rows.items() if row[a] is not None and row[b] is not None}
        best_by_a, best_by_b = (
            _find_first({learner: float(row[m] or 0) for learner, row in both.items()}) for m in (a, b)
        )
        of += 1
        same += bool(best_by_a & best_by_b)
    return same, of


def tabulate_ties(values: Values) -> Table:
    """Return PEM of the trees with ties by the rule of the text, and as the rows stand."""
    rows = []
    for key, own in values.items():
        if key.learner == "C4.5":
            published = load_published().get(key, {}).get("pem")
            exact, by_rows = own["pem"], own[BY_ROWS]
            gap = float(np.nanmax(np.abs(exact - by_rows))) if not np.isnan(exact).all() else math.nan
            rows.append(
                (
                    key.data,
                    key.positive,
                    average_splits(2 * own["auc"] - 1),
                    average_splits(exact),
                    average_splits(by_rows),
                    gap,
                    published,
                )
            )
    columns = ("data set", "class", "2 AUC - 1", "PEM", "PEM, ties by rows", "largest gap in a split", "the text's PEM")
    return Table(columns, tuple(rows))


def explain_ties(values: Values) -> str:
    """Explain the effect of ties on the PEM of a tree."""
    names = [name for name in dict.fromkeys(key.data for key in values) if _is_binary(values, name)]
    if not names:
        return "This run has no data set of two classes, of which both would have the same PEM but for ties."
    pems = [[average_splits(own[BY_ROWS]) for own in _select_both(values, name)] for name in names]
    differ = sum(abs(printed - other) > 1e-6 for printed, other in pems)
    rule = (
        "With the text's own rule for ties PEM is 2 AUC - 1, so both classes of a two-class problem have one value. "
        f"When ties stay in the order of the rows instead, the two values differ in {differ} of our {len(names)} "
        "two-class data sets."
    )
    printed = [
        _select_both(load_published(), name) for name in names if Key(name, "smallest", "C4.5") in load_published()
    ]
    apart = [rows for rows in printed if rows[0]["pem"] != rows[1]["pem"]]
    centred = [rows for rows in apart if _is_centred(*rows)]
    if not apart:
        return rule
    return (
        f"{rule} The text prints two values for C4.5 in {len(apart)} of {len(printed)}. In {len(centred)} of these "
        "their mean is 2 AUC - 1 up to rounding, which is what a fixed order of tied cases leaves: one class gains "
        "what the other loses."
    )


def _select_both(table: Mapping[Key, T], name: str) -> tuple[T, T]:
    """Select the entries for the tree, with the smallest and with the largest class as the positive one."""
    smallest, largest = (table[Key(name, positive, "C4.5")] for positive in CLASSES)
    return smallest, largest


def _is_centred(positive: dict[str, float | None], other: dict[str, float | None]) -> bool:
    pems, area = [row["pem"] or 0.0 for row in (positive, other)], positive["auc"] or 0.0
    return abs(sum(pems) / 2 - (2 * area - 1)) <= 0.0015  # all three are rounded to three digits


def _is_binary(values: Values, name: str) -> bool:
    """Whether both classes have the same AUC in every split, which only two classes have."""
    area, other = (own["auc"] for own in _select_both(values, name))
    return bool(np.allclose(area, other, equal_nan=True))


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
    """A printed number: its key, and whether it is below (-1), in (0) or above (1) the range of our splits."""

    key: Key
    measure: str
    side: int


def _list_standings(values: Values, *, tree: str = "C4.5") -> list[Standing]:
    """Return every printed number that our splits can be compared with.

    Args:
        values: The numbers of all splits.
        tree: Which of our trees stands for C4.5.
    """
    rows = []
    for name, positive, learner in itertools.product(dict.fromkeys(key.data for key in values), CLASSES, LEARNERS):
        key = Key(name, positive, learner)
        ours = values[key._replace(learner=tree) if learner == "C4.5" else key]
        for measure in MEASURES:
            published = load_published().get(key, {}).get(measure)
            if published is not None and not np.isnan(ours[measure]).all():
                rows.append(Standing(key, measure, compare_with_range(ours[measure], published)))
    return rows


def compute_expected_share(values: Values) -> float:
    """Return the share of such numbers that would lie in the range if they came from one more split of the same
    kind.

    The quantiles 0.025 and 0.975 of m values, read between their ranks, hold a further value with the probability
    0.95 (m - 1) / (m + 1).
    """
    sizes = [int((~np.isnan(values[standing.key][standing.measure])).sum()) for standing in _list_standings(values)]
    return float(np.mean([0.95 * (m - 1) / (m + 1) for m in sizes])) if sizes else float("nan")


def write_verdict(values: Values) -> Iterator[str]:
    """Write how many printed numbers lie in the range of our splits, and how many are expected to."""
    rows = _list_standings(values)
    if not rows:
        return
    inside = sum(not standing.side for standing in rows)
    by_learner = {name: [not standing.side for standing in rows if standing.key.learner == name] for name in LEARNERS}
    counts = ", ".join(f"{name} {sum(own)} of {len(own)}" for name, own in by_learner.items())
    yield (
        f"{inside} of the {len(rows)} printed numbers ({100 * inside / len(rows):.0f} %) lie in the middle 95 % of "
        "our splits; those of one more split of ours would in at least about "
        f"{100 * compute_expected_share(values):.0f} %. "
        f"By learner: {counts}."
    )
    names = dict.fromkeys(standing.key.data for standing in rows)
    outside = Counter(standing.key.data for standing in rows if standing.side)
    half = _count_for_half(outside)
    if outside:
        where = f"{half} data sets" if half > 1 else "one data set"
        yield (
            "The numbers of a data set come from one split of the text, so they leave the range together: "
            f"{len(names) - len(outside)} of {len(names)} data sets have none outside, and {where} at least half of "
            "all that are."
        )
    unpruned = [
        not standing.side for standing in _list_standings(values, tree=PLAIN_TREE) if standing.key.learner == "C4.5"
    ]
    yield (
        f"The range of our tree depends on how it is pruned and smoothed: it holds {sum(by_learner['C4.5'])} of the "
        f"{len(unpruned)} numbers printed for C4.5, and that of a tree that is neither pruned nor smoothed "
        f"{sum(unpruned)}."
    )


def _count_for_half(counts: Counter[str]) -> int:
    total = 0
    for i, (_, count) in enumerate(counts.most_common(), 1):
        total += count
        if 2 * total >= counts.total():
            return i
    return 0


def _explain_outside() -> str:
    """Return how to read the table of what lies outside."""
    return (
        "How many of the printed numbers lie below or above the range of our splits, by learner; how many of those of "
        "C4.5 are still outside with a tree that is neither pruned nor smoothed; and what the data or the print say "
        "about it."
    )


def tabulate_outside(values: Values, sets: Mapping[str, DataSet]) -> Table:
    """Return the data sets with printed numbers outside the range of our splits, those with most of them first."""
    standings = _list_standings(values)
    plain = [standing for standing in _list_standings(values, tree=PLAIN_TREE) if standing.key.learner == "C4.5"]
    rows: list[tuple[Any, ...]] = []
    for name in dict.fromkeys(standing.key.data for standing in standings):
        own = [standing for standing in standings if standing.key.data == name]
        out = [standing for standing in own if standing.side]
        if out:
            sides = [
                _describe_sides([standing for standing in out if standing.key.learner == learner])
                for learner in LEARNERS
            ]
            still = sum(bool(standing.side) for standing in plain if standing.key.data == name)
            why = "; ".join(_find_clues(out, still, sets[name])) or "nothing found"
            rows.append((name, len(out), len(own), *sides, still, why))
    rows.sort(key=lambda row: -row[1])
    columns = ("data set", "outside", "of", *LEARNERS, "C4.5, plain tree", "what may be behind it")
    return Table(columns, tuple(rows))


def _describe_sides(out: list[Standing]) -> str:
    counts = {"below": sum(standing.side < 0 for standing in out), "above": sum(standing.side > 0 for standing in out)}
    return ", ".join(f"{count} {side}" for side, count in counts.items() if count)


def _find_clues(out: list[Standing], still: int, data: DataSet) -> Iterator[str]:
    """Find possible explanations of numbers outside the range in the data or in the print."""
    yield from _find_few_cases(out, data)
    printed = PRINTED_CASES[data.name]
    if printed != len(data):
        yield f"the text counts {printed} cases, the file has {len(data)}"
    for key in dict.fromkeys(standing.key for standing in out):
        row = load_published()[key]
        area, pem = row["auc"], row["pem"]
        if key.learner != "C4.5" and area is not None and pem is not None and abs(pem - (2 * area - 1)) > ROUNDING:
            yield f"the print contradicts itself: PEM of {key.learner} is {pem:g}, and 2 AUC - 1 is {2 * area - 1:.4g}"
    trees = sum(standing.key.learner == "C4.5" for standing in out)
    if still < trees:
        yield f"{trees - still} of the {trees} numbers of C4.5 are typical of a tree neither pruned nor smoothed"
    learners = {standing.key.learner for standing in out}
    if len(learners) > 1 and len({standing.side for standing in out}) == 1:
        kind = "an easy" if out[0].side > 0 else "a hard"
        yield f"all on one side for {len(learners)} learners, which share a split: it may have been {kind} one"


def _find_few_cases(out: list[Standing], data: DataSet) -> Iterator[str]:
    for positive in dict.fromkeys(standing.key.positive for standing in out):
        cases = int((data.y == (data.smallest if positive == "smallest" else data.largest)).sum())
        if cases / 3 < FEW:
            yield f"the {positive} class has {cases} cases, about {cases / 3:.0f} in a test part of {len(data) / 3:.0f}"


SPLITS, QUICK_SPLITS, QUICK_CASES = 30, 3, 700
_ALL = (*LEARNERS, PLAIN_TREE)


def split(data: DataSet, number: int, seed: int) -> dict[str, list[float | None]]:
    """Run one split of one data set: for each class and learner the measures, or None where a part holds one class
    only.
    """
    rng = np.random.default_rng([seed, number, *data.name.encode()])
    order = rng.permutation(len(data))
    cut = round(2 * len(data) / 3)
    train, test = order[:cut], order[cut:]
    values: dict[str, list[float | None]] = {}
    if len({*data.y[train].tolist()}) < 2:
        return {f"{name} {learner}": [None] * len(FIELDS) for name in CLASSES for learner in _ALL}
    for learner in _ALL:
        predicted = predict_probabilities(
            learner, data.numeric, data.nominal, data.y, train, test, int(rng.integers(2**31))
        )
        for name, positive in (("smallest", data.smallest), ("largest", data.largest)):
            values[f"{name} {learner}"] = _compute_measures(data.y[test] == positive, predicted[:, positive])
    return values


def _compute_measures(labels: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> list[float | None]:
    if labels.all() or not labels.any():
        return [None] * len(FIELDS)
    ev = cl.evaluate(labels, scores)
    in_rows = np.empty(len(scores))
    in_rows[np.argsort(-scores, kind="stable")] = np.arange(len(scores), 0, -1)  # ties as the rows happen to stand
    return [*(float(ev.value(m)) for m in MEASURES), float(cl.evaluate(labels, in_rows).pem)]


def run(settings: StudySettings) -> StudyReport:
    """Run all splits of all available data sets, then make the tables."""
    sets, left_out, about = _load_data(settings)
    if settings.quick:
        sets, left_out = _select_small(sets, left_out)
    splits = QUICK_SPLITS if settings.quick else SPLITS
    parts = [(data.name, data.fingerprint, number) for data in sets for number in range(splits)]
    work = _Work({(data.name, data.fingerprint): data for data in sets}).split
    results = do_parts(work, parts, settings, "quota 3")
    values = _gather({(name, number): value for (name, _, number), value in zip(parts, results, strict=True)})
    left_out += _note_one_class(values, splits)
    sections = (
        StudySection(
            "Table 8, the smallest class",
            (explain_cells(splits),),
            make_table(values, "smallest"),
            name="quota-table-8",
        ),
        StudySection(
            "Table 9, the largest class", (explain_cells(splits),), make_table(values, "largest"), name="quota-table-9"
        ),
        StudySection("Ours beside theirs", (), correlate_with_printed(values), _draw_chart(values), "quota-agreement"),
        StudySection(
            "Printed numbers outside our range",
            (_explain_outside(),),
            tabulate_outside(values, {data.name: data for data in sets}),
            name="quota-outside",
        ),
        StudySection(
            "Do two measures pick the same winner?",
            (_explain_winners(),),
            _tabulate_winners(values),
            name="quota-winners",
        ),
        StudySection(
            "Do the learners differ?", (_explain_learner_tests(),), _test_learners(values), name="quota-learners"
        ),
        StudySection("What ties do to a tree's PEM", (explain_ties(values),), tabulate_ties(values), name="quota-ties"),
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


def _select_small(sets: list[DataSet], left_out: list[str]) -> tuple[list[DataSet], list[str]]:
    """Return the data sets of a quick run, and what was left out with those that are too large for it."""
    small = [data for data in sets if len(data) <= QUICK_CASES]
    if not small:
        raise InputError(f"No data set has {QUICK_CASES} cases or fewer, as a quick run needs", "run it in full")
    large = [data.name for data in sets if len(data) > QUICK_CASES]
    return small, left_out + [f"{name}: more than {QUICK_CASES} cases, which a quick run leaves out." for name in large]


class _Work(NamedTuple):
    """The work on one split, by the name of its data set; its fingerprint separates cached results of other data."""

    sets: dict[tuple[str, str], DataSet]

    def split(self, name: str, fingerprint: str, number: int, seed: int) -> dict[str, list[float | None]]:
        return split(self.sets[name, fingerprint], number, seed)


def _load_data(settings: StudySettings) -> tuple[list[DataSet], list[str], str]:
    """Return the data sets, what was left out, and where they come from."""
    if settings.data is not None:
        chosen, about = list(datasets.read_folder(settings.data)), "The data sets are those of the given folder."
    else:
        try:
            chosen, about = list(datasets.fetch_datasets()), "The data sets were fetched from OpenML."
        except (OSError, ImportError) as error:
            chosen = list(datasets.load_shipped())
            lacks_pandas = "OpenML cannot be read without pandas (pip install 'cutline[openml]')"
            why = lacks_pandas if isinstance(error, ImportError) else "OpenML could not be reached"
            about = (
                f"{why} and no folder was given, so this run has the data sets that scikit-learn ships: two of the "
                "twenty, and two others of the same kind."
            )
    sets = [data for _, data in chosen if isinstance(data, DataSet)]
    left_out = [why for _, why in chosen if isinstance(why, str)]
    if not sets:
        there = next((why for why in left_out if "there is no file" not in why), left_out[0])
        raise InputError(f"No data set can be used, beginning with {there}")
    return sets, left_out, about


def _gather(results: dict[tuple[str, int], dict[str, list[float | None]]]) -> Values:
    """Collect the numbers of all splits by key; NaN if a split lacked a class."""
    names = dict.fromkeys(name for name, _ in results)
    values: Values = {}
    for name, positive, learner in itertools.product(names, CLASSES, _ALL):
        rows = [result[f"{positive} {learner}"] for (data, _), result in results.items() if data == name]
        table = np.array([[math.nan if x is None else x for x in row] for row in rows])
        values[Key(name, positive, learner)] = {field: table[:, i] for i, field in enumerate(FIELDS)}
    return values


def _note_one_class(values: Values, splits: int) -> list[str]:
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
    yield from write_verdict(values)
    for positive in CLASSES:
        pem, total = _count_same_winner(values, positive, "auc", "pem")
        hit, _ = _count_same_winner(values, positive, "auc", "average_hit_rate")
        if total:
            yield (
                f"{positive.capitalize()} class: AUC and PEM pick the same learner in {100 * pem / total:.1f} % of "
                f"{total} splits (PEM is 2 AUC - 1); AUC and average hit rate in {100 * hit / total:.1f} %."
            )


def _draw_chart(values: Values) -> Picture | None:
    rows = [
        {
            "our mean": average_splits(own[m]),
            "the text": float(published),
            "measure": TITLES[m],
            "data set": key.data,
            "learner": key.learner,
        }
        for key, own in values.items()
        for m in MEASURES
        if (published := load_published().get(key, {}).get(m)) is not None and not np.isnan(own[m]).all()
    ]
    if not rows:
        return None
    title = "Every number of Tables 8 and 9 beside ours"
    return study_charts.draw_points(rows, x="the text", y="our mean", series="measure", title=title)


STUDY = Study(
    name="quota",
    title="Measures for a limited quota on twenty data sets",
    source="Arbel & Rokach, section 4.3, Tables 8 and 9",
    question="Do AUC, hit rate, Qrecall and PEM choose the same classifier, and are the printed values typical?",
    run=run,
)
