"""Arbel & Rokach, section 4.2: selective voting. Which number of voters does each measure pick?

Their 52 data sets of applicants are not public. The stand-in has their shape: 250 training and 50 test cases, 20 % of
them positive, and 52 base models, each of which sees a part of the features only, as each of their missions tested
other skills. The features are the pixels of scikit-learn's handwritten digits; positive is one of the digits.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

import cutline as cl
from cutline.charts import Picture
from cutline.core.table import Table
from cutline.studies import study_charts
from cutline.studies.study import Settings, Study, do_parts
from cutline.studies.study_report import Section, StudyReport

MODELS, TRAINING, TEST, SHARE = 52, 250, 50, 0.2
DIGIT = 8  # the digit that is hardest to tell from the others
PIXELS = 6  # that a base model sees
MEASURES = ("average_hit_rate", "average_qrecall", "pem", "pearson", "auc")
TITLES = {
    "average_hit_rate": "Average Hit-rate",
    "average_qrecall": "Average Qrecall",
    "pem": "PEM",
    "pearson": "Pearson Correlation Coefficient",
    "auc": "AUC",
}
# Table 7 as printed: the correlation of the marks in experiments 1 to 4.
PUBLISHED = {
    ("average_hit_rate", "average_qrecall"): (0.878913, 0.779044, -0.01978, 0.639342),
    ("average_hit_rate", "pem"): (0.941348, 0.871575, 0.457021, 0.78519),
    ("average_hit_rate", "pearson"): (0.951883, 0.892064, 0.79621, 0.859306),
    ("average_qrecall", "pem"): (0.98482, 0.982845, 0.870869, 0.974288),
    ("average_qrecall", "pearson"): (0.92394, 0.939599, 0.419468, 0.912067),
    ("pem", "pearson"): (0.970244, 0.971571, 0.758552, 0.971114),
}
# Table 6 as printed: the number of voters at which each measure is largest.
PUBLISHED_BEST = {
    "average_hit_rate": ("32", "23", "12", "38"),
    "average_qrecall": ("11", "13", "33", "13"),
    "pem": ("11 and 31", "13 and 25", "12", "26"),
    "pearson": ("32", "25", "12", "31"),
}


def experiment(number: int, seed: int) -> dict[str, list[float]]:
    """The marks of the ensembles of the best 1, 2, ... 52 models, by each measure."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    digits = load_digits()
    rng = np.random.default_rng([seed, number])
    rows = _sample(rng, digits.target == DIGIT)
    train, test = rows[:TRAINING], rows[TRAINING:]
    x, y = digits.data / 16, digits.target == DIGIT
    validated, predicted = [], []
    for _ in range(MODELS):
        pixels = rng.choice(x.shape[1], PIXELS, replace=False)
        model = LogisticRegression(C=1.0, max_iter=500)
        inner = cross_val_predict(model, x[train][:, pixels], y[train], cv=5, method="predict_proba")[:, 1]
        validated.append(cl.auc(y[train], inner))
        predicted.append(model.fit(x[train][:, pixels], y[train]).predict_proba(x[test][:, pixels])[:, 1])
    best_first = np.argsort(-np.array(validated), kind="stable")
    votes = np.cumsum(np.array(predicted)[best_first], axis=0) / np.arange(1, MODELS + 1)[:, None]
    return {name: [float(cl.evaluate(y[test], vote).value(name)) for vote in votes] for name in MEASURES}


def _sample(rng: np.random.Generator, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """250 training rows, then 50 test rows, one in five of each positive."""
    parts = []
    hits, rest = (rng.permutation(np.flatnonzero(positive == is_hit)) for is_hit in (True, False))
    for size in (TRAINING, TEST):
        wanted = round(SHARE * size)
        parts.append(np.concatenate((hits[:wanted], rest[: size - wanted])))
        hits, rest = hits[wanted:], rest[size - wanted :]
    return np.concatenate(parts)


def run(settings: Settings) -> StudyReport:
    """Four experiments as in the text, and more of them for what four cannot tell."""
    repeats = 4 if settings.quick else 60
    found = do_parts(experiment, [(number,) for number in range(repeats)], settings, "voting 1")
    correlations = {pair: _correlations(found, pair) for pair in itertools.combinations(MEASURES, 2)}
    sections = (
        Section("Figure 10: the marks of the ensembles", (), None, _figure_10(found[:4]), "voting-figure-10"),
        Section(
            "Table 6: where each measure is largest",
            ("The number of voters at which the measure is largest, here and in the text (theirs in brackets).",),
            _table_6(found[:4]),
            name="voting-table-6",
        ),
        Section(
            "Table 7: correlation of the marks",
            (f"The first four experiments, the mean over {repeats}, and the text's mean over its four.",),
            _table_7(correlations),
            name="voting-table-7",
        ),
        Section("Figure 11: correlation of the marks", (), None, _figure_11(correlations), "voting-figure-11"),
    )
    return StudyReport(
        *STUDY.heading,
        _answer(found, correlations),
        sections,
        settings.seed,
        settings.quick,
    )


def _correlations(found: list[dict[str, list[float]]], pair: tuple[str, str]) -> list[float]:
    return [float(np.corrcoef(one[pair[0]], one[pair[1]])[0, 1]) for one in found]


def best(marks: list[float]) -> list[int]:
    """The numbers of voters at which the marks are largest.

    >>> best([0.2, 0.5, 0.4, 0.5])
    [2, 4]
    """
    top = max(marks)
    return [i + 1 for i, mark in enumerate(marks) if mark >= top - 1e-12]


def _runs(numbers: list[int]) -> str:
    """Whole numbers in words, with neighbours as a range: "3", "13 to 22 and 52"."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return " and ".join(str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def _answer(found: list[dict[str, list[float]]], correlations: dict[tuple[str, str], list[float]]) -> tuple[str, ...]:
    same = {
        pair: np.mean([bool({*best(one[pair[0]])} & {*best(one[pair[1]])}) for one in found])
        for pair in itertools.combinations(MEASURES, 2)
    }
    least = min(same, key=lambda pair: same[pair])
    means = {pair: float(np.mean(values)) for pair, values in correlations.items()}
    closest = max((pair for pair in means if "auc" not in pair), key=lambda pair: means[pair])
    pem_auc = float(np.min(correlations["pem", "auc"]))
    together = (
        f"Two measures' marks have a mean correlation from {min(means.values()):.2f} to {max(means.values()):.2f}: "
        "they rise and fall together, as the text says. They are largest at different numbers of voters: "
        f"{TITLES[least[0]]} and {TITLES[least[1]]} share a best number in {100 * same[least]:.0f} % of {len(found)} "
        "experiments."
    )
    near = (
        f"The closest pair is {TITLES[closest[0]]} and {TITLES[closest[1]]} (mean correlation {means[closest]:.3f}); "
        "the text finds Qrecall and PEM, and PEM and Pearson, above 0.95 in three of four experiments."
    )
    linear = (
        f"PEM and the AUC have a correlation of at least {pem_auc:.6f} in every experiment: PEM is 2 AUC - 1, so the "
        "text's new measure is linear in the AUC."
    )
    data = "The numbers cannot be those of the text, whose data are not public: these are other data of the same shape."
    return together, near, linear, data


def _figure_10(found: list[dict[str, list[float]]]) -> Picture:
    rows = [
        {"voters": k + 1, "mark": _scaled(one[name])[k], "measure": TITLES[name], "experiment": f"Experiment {i + 1}"}
        for i, one in enumerate(found)
        for name in MEASURES
        for k in range(MODELS)
    ]
    return study_charts.lines(
        rows,
        x="voters",
        y="mark",
        series="measure",
        title="Marks of the average of the best models",
        subtitle=["Each measure scaled to run from 0 to 1 in its experiment; PEM is 2 AUC - 1, so both share a line"],
        facet="experiment",
    )


def _scaled(marks: list[float]) -> list[float]:
    low, high = min(marks), max(marks)
    return [(mark - low) / (high - low) if high > low else 0.5 for mark in marks]


def _figure_11(correlations: dict[tuple[str, str], list[float]]) -> Picture:
    rows = [
        {"pair": f"{TITLES[a]} and {TITLES[b]}", "correlation": values[i], "experiment": f"Experiment {i + 1}"}
        for (a, b), values in correlations.items()
        for i in range(4)
    ]
    title = "Correlation between the measures' marks"
    return study_charts.bars(rows, x="correlation", y="pair", group="experiment", title=title)


def _table_6(found: list[dict[str, list[float]]]) -> Table:
    rows = []
    for name in MEASURES:
        theirs: tuple[str, ...] = PUBLISHED_BEST.get(name, ("not given",) * 4)
        cells = [f"{_runs(best(one[name]))} ({theirs[i]})" for i, one in enumerate(found)]
        rows.append((TITLES[name], *cells))
    return Table(("measure", *(f"experiment {i + 1}" for i in range(len(found)))), tuple(rows))


def _table_7(correlations: dict[tuple[str, str], list[float]]) -> Table:
    rows = []
    for pair, values in correlations.items():
        theirs = float(np.mean(PUBLISHED[pair])) if pair in PUBLISHED else None
        low, high = (float(x) for x in np.quantile(values, (0.025, 0.975)))
        rows.append((f"{TITLES[pair[0]]} # {TITLES[pair[1]]}", *values[:4], float(np.mean(values)), low, high, theirs))
    columns = ("measures", *(f"exp. {i}" for i in range(1, 5)), "mean", "2.5 %", "97.5 %", "the text's mean")
    return Table(columns, tuple(rows))


STUDY = Study(
    name="voting",
    title="Selective voting: which number of voters does each measure pick?",
    source="Arbel & Rokach, section 4.2, Figures 10 and 11, Tables 6 and 7",
    question="52 models are ranked, the best k are averaged, and each average is marked by several measures.",
    run=run,
)
