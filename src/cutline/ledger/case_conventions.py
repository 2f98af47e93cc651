"""Conventions that change the cases before a measure is computed: the cut, the class, ties, bins, digits, weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.core.validation import format_count
from cutline.ledger.cases import Material, Rows, has_ties, merge_equal_scores, rank_in_order
from cutline.ledger.convention import Applies, Convention, Stage
from cutline.ledger.quantity import PrintedQuantity
from cutline.measures import Family, Needs

Thresholds = Callable[[], Array]


def tie_between_thresholds(thresholds: Thresholds, *, strict: bool = False) -> Callable[[Material], Material]:
    """Tie the scores between thresholds: those at or above a threshold pass it, or those above it."""

    def act(material: Material) -> Material:
        grid = thresholds()
        return material.with_scores(lambda s: np.searchsorted(grid, s, side="left" if strict else "right") * 1.0)

    return act


def make_equal_width(bins: int) -> Thresholds:
    """Return the inner borders of bins of equal width from 0 to 1."""
    return lambda: np.linspace(0, 1, bins + 1)[1:-1]


def make_grid(count: int) -> Thresholds:
    """Return equally spaced thresholds from 0 to 1, both included."""
    return lambda: np.linspace(0, 1, count)


def make_keras_grid(count: int) -> Thresholds:
    """Return Keras's grid: evenly spaced, the first below 0 and the last above 1, as 32-bit numbers."""
    inner = (np.arange(count - 2) + 1) / (count - 1)
    return lambda: np.concatenate(([-1e-7], inner, [1 + 1e-7])).astype(np.float32).astype(float)


def make_river_grid(count: int) -> Thresholds:
    """Return River's grid: evenly spaced, the first below 0 and the last above 1."""
    return lambda: np.concatenate(([-1e-7], np.arange(1, count - 1) / (count - 1), [1 + 1e-7]))


def tie_equal_frequency(bins: int) -> Callable[[Material], Material]:
    """Tie neighbours in the list so that bins have about equally many cases; cases of one score stay together."""

    def act(material: Material) -> Material:
        r = material.ranking
        if len(r) <= bins:
            return material
        before = np.asarray(r.ends[:-1], dtype=float)
        number = np.floor(before * bins / float(r.total))
        return _tie_cells(material, r, number)

    return act


def tie_groups_of_scores(bins: int) -> Callable[[Material], Material]:
    """Tie scores as Spark's bins do: equally many distinct scores in each; none where that would be fewer than two."""

    def act(material: Material) -> Material:
        r = material.ranking
        size = len(r) // bins
        return material if size < 2 else _tie_cells(material, r, np.arange(len(r)) // size)

    return act


def _tie_cells(material: Material, ranking: Ranking, number: Array) -> Material:
    """Return the material in which cells of the same number are tied."""
    return material.with_ranking(merge_equal_scores(ranking, -np.asarray(number, dtype=float)))


# ---------------------------------------------------------------------- which quantities a convention can change


def _find_needs(q: PrintedQuantity) -> Needs | None:
    return None if q.measure is None else q.measure.needs


def is_of_cut(q: PrintedQuantity) -> bool:
    """Whether the measure is one of a cut."""
    return _find_needs(q) is Needs.COUNTS or q.of == "mcnemar"


def is_of_list(q: PrintedQuantity) -> bool:
    """Whether the measure depends on the order of the cases."""
    return _find_needs(q) is Needs.RANKING


def _is_of_ties(q: PrintedQuantity) -> bool:
    """Whether ties change the measure."""
    return is_of_list(q) or (q.measure is not None and q.measure.family is Family.QUOTA)


def _is_of_one_model(q: PrintedQuantity) -> bool:
    """Whether the quantity is not a test of two models."""
    return not q.is_test


def _is_value(q: PrintedQuantity) -> bool:
    """Whether the quantity is the value of a measure."""
    return not q.is_test and not q.is_inferred


def _is_any(_: PrintedQuantity) -> bool:
    """Return True: the convention applies to every quantity."""
    return True


# ---------------------------------------------------------------------- what they do


def flag_above(material: Material) -> Material:
    """Flag above the threshold instead of at or above it: the same as at or above the next larger number."""
    kind: Any = material.ranking.score.dtype.type if material.ranking.score.dtype.kind == "f" else float
    return replace(material, threshold=float(np.nextafter(kind(material.threshold), kind(np.inf))))


def replace_by_decision(material: Material) -> Material:
    """Replace the score by the decision."""
    return material.with_scores(lambda s: (s >= material.threshold) * 1.0, 0.5)


def _turn_scores(score: Array, ranking: Ranking) -> Array:
    """Return the score of the other class: the complement of a probability, and of other scores the negative."""
    return 1 - score if ranking.are_probabilities else -score


def take_other_column(material: Material) -> Material:
    """Return the scores of the other class: the list from its end."""
    r = material.ranking
    turned = replace(
        r, score=_turn_scores(r.score, r)[::-1], pos=r.pos[::-1], neg=r.neg[::-1], pos2=r.pos2[::-1], neg2=r.neg2[::-1]
    )
    cut = material.threshold if r.are_probabilities else -material.threshold
    return replace(_change_rows(material, turned, _turn_rows(r)), threshold=cut)


def swap_labels(material: Material) -> Material:
    """Exchange the labels, and leave the scores unchanged."""
    r = material.ranking
    exchanged = replace(r, pos=r.neg, neg=r.pos, pos2=r.neg2, neg2=r.pos2)
    return _change_rows(material, exchanged, lambda rows: replace(rows, is_positive=~rows.is_positive))


def swap_classes(material: Material) -> Material:
    """Exchange the classes, with the scores of the other class."""
    turned = swap_labels(take_other_column(material))
    if turned.ranking.are_probabilities:  # at or above t for the one class is above 1 - t for the other
        return replace(turned, threshold=float(np.nextafter(1 - material.threshold, np.inf)))
    return turned


def turn_by_medians(material: Material) -> Material:
    """Turn the scores by pROC's rule: the class with the higher median has the high scores."""
    r = material.ranking
    medians = [_find_median(r, cells) for cells in (r.pos, r.neg)]
    return take_other_column(material) if medians[0] < medians[1] else material


def turn_if_below_half(material: Material) -> Material:
    """Turn the scores by hmeasure's rule: if the AUC would be below a half."""
    pairs = material.ranking.pairs
    below = pairs.concordant + pairs.tied / 2 < pairs.every / 2
    return take_other_column(material) if below else material


def _order_ties(*, positives: bool) -> Callable[[Material], Material]:
    """Put all cases of one class before the other inside a tie."""

    def act(material: Material) -> Material:
        r = material.ranking
        if not has_ties(r):
            return material
        both = [[r.pos, r.neg * 0], [r.pos * 0, r.neg]]
        two = [[r.pos2, r.neg2 * 0], [r.pos2 * 0, r.neg2]]
        order = (0, 1) if positives else (1, 0)
        pos, neg, pos2, neg2 = (
            np.column_stack([cells[i][k] for i in order]).ravel() for cells in (both, two) for k in (0, 1)
        )
        some = (pos > 0) | (neg > 0)
        place = np.arange(some.sum(), 0, -1, dtype=float)
        return material.with_ranking(Ranking(place, pos[some], neg[some], pos2[some], neg2[some]))

    return act


def order_ties_unstably(material: Material) -> Material:
    """Order a tie as numpy's unstable sort does, which differs between its releases."""
    if not has_ties(material.ranking):
        return material
    rows = material.ordered
    return _order_rows(material, rows, np.argsort(rows.scores)[::-1])


def _order_rows(material: Material, rows: Rows, order: Array) -> Material:
    weights = None if rows.weights is None else rows.weights[order]
    return material.with_ranking(rank_in_order(rows.is_positive[order], weights))


def order_ties_by_rows(*, first: bool) -> Callable[[Material], Material]:
    """Order a tie by the rows, from the first or from the last."""

    def act(material: Material) -> Material:
        if not has_ties(material.ranking):
            return material
        rows = material.ordered
        order = np.argsort(-rows.scores, kind="stable") if first else np.argsort(rows.scores, kind="stable")[::-1]
        return _order_rows(material, rows, order)

    return act


def _round_to(digits: int) -> Callable[[Material], Material]:
    """Round scores to some decimals, as in a text file."""
    return lambda material: material.with_scores(lambda s: _round_scores(s, digits))


def _round_scores(scores: Array, digits: int) -> Array:
    """Round scores; those too large to round have no decimals."""
    rounded_scores = np.round(scores, digits)
    return np.where(np.isfinite(rounded_scores), rounded_scores, scores)


def round_to_single(material: Material) -> Material:
    """Convert scores to 32-bit numbers."""
    with np.errstate(over="ignore"):
        return material.with_scores(lambda s: s.astype(np.float32).astype(float))


def apply_logistic(material: Material) -> Material:
    """Return the logistic function of probabilities that were taken for logits."""
    return material.with_scores(_compute_sigmoid) if material.ranking.are_probabilities else material


def _compute_sigmoid(scores: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-scores)))


def apply_logistic_outside(material: Material) -> Material:
    """Return the logistic function of scores that are not all from 0 to 1, as torchmetrics does.

    It takes thresholds from 0 to 1, which are those of the probabilities; for any other, and for none, its default.
    """
    if material.ranking.are_probabilities:
        return material
    turned = material.with_scores(_compute_sigmoid)
    is_named = 0 <= turned.threshold <= 1 and not turned.is_default_cut
    return turned if is_named else replace(turned, threshold=0.5)


def drop_weights(material: Material) -> Material:
    """Count every row once."""
    return material.with_rows(lambda rows: replace(rows, weights=None)) if material.is_weighted else material


def balance_classes(material: Material) -> Material:
    """Weight the cases so that both classes have half of the total weight."""
    r = material.ranking
    classes = [float(r.total / (2 * count)) for count in (r.positives, r.negatives)]

    def weight(rows: Rows) -> Rows:
        weights = np.ones(len(rows)) if rows.weights is None else rows.weights
        return replace(rows, weights=weights * np.where(rows.is_positive, *classes))

    first, second = classes
    weighted = replace(
        r, pos=r.pos * first, neg=r.neg * second, pos2=r.pos2 * first**2, neg2=r.neg2 * second**2, reach=None
    )
    return _change_rows(material, weighted, weight)


def drop_duplicates(material: Material) -> Material:
    """Count rows of the same label and score once."""
    r = material.ranking
    pos, neg = (np.minimum(cells, 1).astype(np.int64) for cells in (r.pos > 0, r.neg > 0))
    return material.with_ranking(replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg))


def _find_median(r: Ranking, cells: Array) -> float:
    """Return R's median of one class, from its cells."""
    ascending, upto = r.score[::-1], np.cumsum(cells[::-1])
    n = upto[-1]
    at = [np.searchsorted(upto, place, side="right") for place in ((n - 1) // 2, n // 2)] if r.integral else []
    if not at:
        at = [int(np.searchsorted(upto, n / 2))]
    return float(np.mean([ascending[min(i, len(ascending) - 1)] for i in at]))


def _turn_rows(ranking: Ranking) -> Callable[[Rows], Rows]:
    return lambda rows: replace(rows, scores=_turn_scores(rows.scores, ranking))


def _change_rows(material: Material, ranking: Ranking, change: Callable[[Rows], Rows]) -> Material:
    make = material.make_rows
    return replace(material, ranking=ranking, make_rows=None if make is None else lambda: change(make()))


# ---------------------------------------------------------------------- the table


def _declare(
    name: str,
    choice: str,
    act: Callable[[Material], Material],
    applies: Applies,
    words: str,
    why: str,
    *more: Any,
    **other: Any,
) -> Convention:
    plausible, source = (*more, "")[:2]
    return Convention(name, choice, Stage.CASES, words, why, act, applies, plausible, source, **other)


_CURVES = "one point for each bin, so that cases in a bin are tied"
CONVENTIONS = (
    _declare("strict", "threshold", flag_above, is_of_cut, "with score > threshold instead of score >= threshold",
            "A case whose score equals the threshold is predicted negative.", 0.6,
            "scikit-learn's predict, torchmetrics, river, hmeasure"),
    _declare("hard_labels", "hard", replace_by_decision, is_of_list, "from hard labels (0 or 1) in place of the scores",
            "Labels leave a single cut, and tie all cases on one side of it; the AUC is the balanced accuracy there.",
            0.7,
                "caret issue 1212; modlAMP pull request 20"),
    _declare("wrong_column", "direction", take_other_column, _is_any, "from the scores of the other class",
            "Reading the other column turns the list round: an AUC of a becomes 1 - a.", 0.5,
            "the other column of predict_proba"),
    _declare("swapped_labels", "class", swap_labels, _is_any, "with the labels exchanged",
            "The other label was taken for the positive one, and the scores stayed as they are.", 0.25,
            "R's first factor level; scikit-learn's greatest label"),
    _declare("other_class", "class", swap_classes, _is_any, "for the other class as the positive one",
            "R takes the first factor level for the event, scikit-learn the greatest label.", 0.5,
            "yardstick's event_level; caret's positive"),
    _declare("auto_direction", "direction", turn_by_medians, is_of_list,
            "with the direction by the medians of the classes",
            "pROC turns the scores round where the negatives have the higher median.", 0.3,
            "pROC::roc, direction='auto'", searched=False),
    _declare("better_direction", "direction", turn_if_below_half, _is_of_one_model,
            "turned round where the AUC is below a half",
            "hmeasure turns the scores round where they would be worse than the baseline.", 0.3, "hmeasure::HMeasure",
            searched=False),
    _declare("ties_optimistic", "ties", _order_ties(positives=True), _is_of_ties,
            "with the positives first inside ties", "A tie counts as the right order.", 0.3,
            "curves with one point for each row"),
    _declare("ties_pessimistic", "ties", _order_ties(positives=False), _is_of_ties,
            "with the negatives first inside ties",
            "A tie counts as the wrong order.", 0.3, "concordance that counts only strict pairs"),
    _declare("ties_by_rows", "ties", order_ties_by_rows(first=True), _is_of_ties, "with ties in the order of the rows",
            "A stable sort keeps the order of the file inside ties, so the number changes when the file is sorted.",
            0.45, "kds, Evidently: gain and lift"),
    _declare("ties_by_rows_reversed", "ties", order_ties_by_rows(first=False), _is_of_ties,
            "with ties in the reverse order of the rows",
            "An ascending sort that is read from its end reverses the order of the file inside ties.", 0.35,
            "gain and lift of tools that sort with kind='stable' and reverse"),
    _declare("ties_unstable", "ties", order_ties_unstably, _is_of_ties,
            "with ties in the order that numpy's sort leaves",
            "Its default sort keeps no order inside ties, so the number changes with the release and the processor.",
            0.35, "MLflow, scikit-plot: gain and lift", searched=False),
    _declare("single", "digits", round_to_single, _is_any, "from scores as 32-bit numbers",
            "Scores that differ only beyond the seventh digit become equal.", 0.35,
                "XGBoost, torchmetrics, Keras, CatBoost"),
    *(
        _declare(f"digits_{d}", "digits", _round_to(d), _is_any, f"from scores with {format_count(d, 'decimal')}",
                "Scores that a text file rounds become equal, and some of them cross the threshold.", p, "text files")
        for d, p in ((6, 0.25), (5, 0.15), (4, 0.35), (3, 0.3), (2, 0.35), (1, 0.15))
    ),
    _declare("logistic", "link", apply_logistic, _is_of_one_model, "after the logistic function of the probabilities",
            "Probabilities that were taken for logits are squeezed between 0.5 and 0.73.", 0.2,
                "torchmetrics: preds outside [0, 1]"),
    _declare("logistic_outside", "link", apply_logistic_outside, _is_of_one_model,
            "after the logistic function where scores leave [0, 1]",
            "Scores outside [0, 1] are taken for logits, which are cut at 0 unless a threshold is named.", 0.2,
            "torchmetrics: preds outside [0, 1]"),
    _declare("unweighted", "weights", drop_weights, _is_of_one_model, "with the weights ignored",
            "The function has no argument for weights, or it was not passed.", 0.6, "scikit-learn's calibration_curve"),
    _declare("balanced", "weights", balance_classes, _is_value,
            "with both classes weighted alike (class_weight='balanced')",
            "Each class has half of the total weight, as if the prevalence were 0.5.", 0.3,
            "scikit-learn's compute_sample_weight('balanced'); torchmetrics' multiclass_accuracy, average='macro'"),
    _declare("distinct_rows", "duplicates", drop_duplicates, _is_of_one_model, "with duplicate rows removed",
            "Rows of the same label and score count once.", 0.2, "deduplicated tables"),
    _declare("spark_bins", "bins", tie_groups_of_scores(1000), is_of_list, "with Spark's 1000 bins of distinct scores",
            f"The curve has {_CURVES}.", 0.4, "pyspark.ml BinaryClassificationEvaluator, numBins=1000"),
    *(
        _declare(f"frequency_{k}", "bins", tie_equal_frequency(k), is_of_list, f"with {k} equal-frequency thresholds",
                f"The curve has {_CURVES}.", p, source)
        for k, p, source in ((400, 0.4, "H2O's AUC2, 400 bins"), (100, 0.4, "BigQuery ML.ROC_CURVE, 100 quantiles"),
                             (10, 0.35, "decile tables"), (20, 0.2, "vigintile tables"))
    ),
    *(
        _declare(f"width_{k}", "bins", tie_between_thresholds(make_equal_width(k)), is_of_list,
                f"with {k} bins of equal width",
                f"The curve has {_CURVES}; rare events crowd into a few of them.", p, source)
        for k, p, source in ((100, 0.35, "Vertica's ROC, 100 bins"), (10, 0.25, "ten bins of the score"),
                             (20, 0.15, "twenty bins of the score"))
    ),
    _declare("keras_200", "bins", tie_between_thresholds(make_keras_grid(200), strict=True), is_of_list,
            "with 200 thresholds of equal width", f"The curve has {_CURVES}; rare events crowd into a few of them.",
            0.45, "keras.metrics.AUC, num_thresholds=200"),
    _declare("river_10", "bins", tie_between_thresholds(make_river_grid(10), strict=True), is_of_list,
            "with 10 thresholds of equal width", f"The curve has {_CURVES}; ten are too few for rare events.", 0.3,
            "river.metrics.ROCAUC, n_thresholds=10"),
    *(
        _declare(f"grid_{k}", "bins", tie_between_thresholds(make_grid(k)), is_of_list,
                f"with {k} thresholds from 0 to 1", f"The curve has {_CURVES}.", p, "torchmetrics, thresholds=")
        for k, p in ((5, 0.1), (50, 0.1), (100, 0.2), (200, 0.2), (1000, 0.1))
    ),
)  # fmt: skip
