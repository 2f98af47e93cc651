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
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings, do_parts

MODELS, TRAINING, TEST, SHARE = 52, 250, 50, 0.2
DIGIT = 8  # the digit that is hardest to tell from the others
PIXELS = 6  # that a base model sees
FOLDS = 5  # of the cross-validation that ranks the base models
HIGH = 0.95  # a correlation that the text calls high
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


def run_experiment(number: int, seed: int) -> dict[str, list[float]]:
    """Return the marks of the ensembles of the best 1, 2, ... 52 models, by each measure."""
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
        inner = cross_val_predict(model, x[train][:, pixels], y[train], cv=FOLDS, method="predict_proba")[:, 1]
        validated.append(cl.auc(y[train], inner))
        predicted.append(model.fit(x[train][:, pixels], y[train]).predict_proba(x[test][:, pixels])[:, 1])
    best_first = np.argsort(-np.array(validated), kind="stable")
    votes = np.cumsum(np.array(predicted)[best_first], axis=0) / np.arange(1, MODELS + 1)[:, None]
    return {name: [float(cl.evaluate(y[test], vote).value(name)) for vote in votes] for name in MEASURES}


def _sample(rng: np.random.Generator, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Draw 250 training rows, then 50 test rows, one in five of each positive."""
    parts = []
    hits, rest = (rng.permutation(np.flatnonzero(positive == is_hit)) for is_hit in (True, False))
    for size in (TRAINING, TEST):
        positives = round(SHARE * size)
        parts.append(np.concatenate((hits[:positives], rest[: size - positives])))
        hits, rest = hits[positives:], rest[size - positives :]
    return np.concatenate(parts)


def run(settings: StudySettings) -> StudyReport:
    """Run four experiments as in the text, and more of them for what four cannot show."""
    repeats = 4 if settings.quick else 60
    results = do_parts(run_experiment, [(number,) for number in range(repeats)], settings, "voting 1")
    correlations = {pair: _list_correlations(results, pair) for pair in itertools.combinations(MEASURES, 2)}
    sections = (
        StudySection(
            "Figure 10: the marks of the ensembles", (), None, _draw_figure_10(results[:4]), "voting-figure-10"
        ),
        StudySection(
            "Table 6: where each measure is largest",
            ("The number of voters at which the measure is largest, here and in the text (theirs in brackets).",),
            _make_table_6(results[:4]),
            name="voting-table-6",
        ),
        StudySection(
            "Table 7: correlation of the marks",
            (f"The first four experiments, the mean over {repeats}, and the text's mean over its four.",),
            _make_table_7(correlations),
            name="voting-table-7",
        ),
        StudySection(
            "Figure 11: correlation of the marks", (), None, _draw_figure_11(correlations), "voting-figure-11"
        ),
    )
    return StudyReport(
        *STUDY.heading,
        _answer(results, correlations),
        sections,
        settings.seed,
        settings.quick,
    )


def _list_correlations(results: list[dict[str, list[float]]], pair: tuple[str, str]) -> list[float]:
    return [float(np.corrcoef(result[pair[0]], result[pair[1]])[0, 1]) for result in results]


def find_best(marks: list[float]) -> list[int]:
    """Return the numbers of voters at which the marks are largest.

    >>> find_best([0.2, 0.5, 0.4, 0.5])
    [2, 4]
    """
    top = max(marks)
    return [i + 1 for i, mark in enumerate(marks) if mark >= top - 1e-12]


def _join_numbers(numbers: list[int]) -> str:
    """Return whole numbers in words, with neighbours as a range: "3", "13 to 22 and 52"."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return " and ".join(str(a) if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def _answer(results: list[dict[str, list[float]]], correlations: dict[tuple[str, str], list[float]]) -> tuple[str, ...]:
    means = {pair: float(np.mean(values)) for pair, values in correlations.items()}
    own = [pair for pair in means if "auc" not in pair]  # the AUC is PEM again, so pairs with it would count twice
    least, closest = min(own, key=lambda pair: means[pair]), max(own, key=lambda pair: means[pair])
    together = (
        f"The marks of two of the text's four measures have a mean correlation from {means[least]:.3f} "
        f"({_name_pair(least)}) to {means[closest]:.3f} ({_name_pair(closest)}), and "
        f"{_count_positive(correlations, own)} of {len(own) * len(results)} correlations are above 0: "
        "the text says that they rise and fall together most of the time."
    )
    return (
        _describe_design(),
        together,
        _describe_claims(correlations),
        _describe_same_numbers(results),
        _describe_linear(results),
        _OTHER_DATA,
    )


def _describe_design() -> str:
    return (
        f"The data are scikit-learn's handwritten digits; positive is the digit {DIGIT}. Each experiment draws "
        f"{TRAINING} training and {TEST} test cases, {100 * SHARE:.0f} % of each positive, and fits {MODELS} logistic "
        f"regressions, each on {PIXELS} of the 64 pixels, drawn at random. The models are ranked by their AUC in "
        f"{FOLDS}-fold cross-validation on the training cases; the best k are averaged, and the average is marked on "
        "the test cases."
    )


_OTHER_DATA = (
    "The numbers cannot be those of the text, whose data are not public: these are other data of the same shape."
)


def _name_pair(pair: tuple[str, str]) -> str:
    return f"{TITLES[pair[0]]} and {TITLES[pair[1]]}"


def _count_positive(correlations: dict[tuple[str, str], list[float]], pairs: list[tuple[str, str]]) -> int:
    return sum(value > 0 for pair in pairs for value in correlations[pair])


def _describe_claims(correlations: dict[tuple[str, str], list[float]]) -> str:
    """Describe the two pairs that the text calls highly correlated, in our experiments and in the text."""
    sentences = []
    for pair in (("average_qrecall", "pem"), ("pem", "pearson")):
        ours, published = correlations[pair], PUBLISHED[pair]
        sentences.append(
            f"{_name_pair(pair)}: above {HIGH} in {sum(r > HIGH for r in ours)} of {len(ours)} experiments (mean "
            f"{np.mean(ours):.3f}), in the text in {sum(r > HIGH for r in published)} of {len(published)} (mean "
            f"{np.mean(published):.3f})"
        )
    return f"The text calls two pairs highly correlated. {'; '.join(sentences)}."


def _describe_same_numbers(results: list[dict[str, list[float]]]) -> str:
    """Return in how many experiments measures are largest at the same number of voters."""
    published = tuple(PUBLISHED_BEST)
    tops = [{name: {*find_best(result[name])} for name in MEASURES} for result in results]
    all_of_them = sum(bool(set.intersection(*(top[name] for name in published))) for top in tops)
    printed = [[{*map(int, row[i].split(" and "))} for row in PUBLISHED_BEST.values()] for i in range(4)]
    in_text = sum(bool(set.intersection(*row)) for row in printed)
    shared = {
        pair: sum(bool(top[pair[0]] & top[pair[1]]) for top in tops) for pair in itertools.combinations(published, 2)
    }
    least, most = min(shared, key=lambda pair: shared[pair]), max(shared, key=lambda pair: shared[pair])
    return (
        f"All four are largest at one and the same number of voters in {all_of_them} of {len(results)} experiments, in "
        f"the text in {in_text} of 4. Two of them share a best number in {shared[least]} ({_name_pair(least)}) to "
        f"{shared[most]} ({_name_pair(most)}) of {len(results)}. Where they do not, the choice of the measure "
        "decides the number of voters, as the text says."
    )


def _describe_linear(results: list[dict[str, list[float]]]) -> str:
    gap = max(abs(p - (2 * a - 1)) for result in results for p, a in zip(result["pem"], result["auc"], strict=True))
    return (
        f"PEM differs from 2 AUC - 1 by at most {gap:.0e} in all {len(results) * MODELS} marks: the text's new measure "
        "is linear in the AUC, so both pick the same number of voters, and correlations with the AUC are those with "
        "PEM."
    )


def _draw_figure_10(results: list[dict[str, list[float]]]) -> Picture:
    rows = [
        {
            "voters": k + 1,
            "mark": _rescale(result[name])[k],
            "measure": TITLES[name],
            "experiment": f"Experiment {i + 1}",
        }
        for i, result in enumerate(results)
        for name in MEASURES
        for k in range(MODELS)
    ]
    return study_charts.draw_lines(
        rows,
        x="voters",
        y="mark",
        series="measure",
        title="Marks of the average of the best models",
        subtitle=["Each measure scaled to run from 0 to 1 in its experiment; PEM is 2 AUC - 1, so both share a line"],
        facet="experiment",
    )


def _rescale(marks: list[float]) -> list[float]:
    low, high = min(marks), max(marks)
    return [(mark - low) / (high - low) if high > low else 0.5 for mark in marks]


def _draw_figure_11(correlations: dict[tuple[str, str], list[float]]) -> Picture:
    rows = [
        {"pair": f"{TITLES[a]} and {TITLES[b]}", "correlation": values[i], "experiment": f"Experiment {i + 1}"}
        for (a, b), values in correlations.items()
        for i in range(4)
    ]
    title = "Correlation between the measures' marks"
    return study_charts.draw_bars(rows, x="correlation", y="pair", group="experiment", title=title)


def _make_table_6(results: list[dict[str, list[float]]]) -> Table:
    rows = []
    for name in MEASURES:
        published: tuple[str, ...] = PUBLISHED_BEST.get(name, ("not given",) * 4)
        cells = [f"{_join_numbers(find_best(result[name]))} ({published[i]})" for i, result in enumerate(results)]
        rows.append((TITLES[name], *cells))
    return Table(("measure", *(f"experiment {i + 1}" for i in range(len(results)))), tuple(rows))


def _make_table_7(correlations: dict[tuple[str, str], list[float]]) -> Table:
    rows = []
    for pair, values in correlations.items():
        published = float(np.mean(PUBLISHED[pair])) if pair in PUBLISHED else None
        low, high = (float(x) for x in np.quantile(values, (0.025, 0.975)))
        rows.append(
            (f"{TITLES[pair[0]]} # {TITLES[pair[1]]}", *values[:4], float(np.mean(values)), low, high, published)
        )
    columns = ("measures", *(f"exp. {i}" for i in range(1, 5)), "mean", "2.5 %", "97.5 %", "the text's mean")
    return Table(columns, tuple(rows))


STUDY = Study(
    name="voting",
    title="Selective voting: which number of voters does each measure pick?",
    source="Arbel & Rokach, section 4.2, Figures 10 and 11, Tables 6 and 7",
    question="52 models are ranked, the best k are averaged, and each average is marked by several measures.",
    run=run,
)
