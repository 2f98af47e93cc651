"""Measures that are equivalent (docs/identities.md), each against its own slow definition."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.isotonic import IsotonicRegression

import cutline
import reference
from cutline import MEASURES, Counts, rank
from cutline.core.merging import merge
from cutline.measures import Needs

often = settings(max_examples=60, deadline=None)


def close(expected):
    """The value up to the last digits of a float."""
    return pytest.approx(float(expected), rel=1e-11, abs=1e-12)


# ---------------------------------------------------------------------- data sets


class Data(NamedTuple):
    """Cases with whole weights."""

    labels: list[int]
    scores: list[float]
    weights: list[int]

    @property
    def ranking(self):
        return rank(self.labels, self.scores, self.weights)

    @property
    def rows(self):
        """The labels and the scores with each case as often as it weighs."""
        return tuple([x for x, w in zip(column, self.weights, strict=True) for _ in range(w)] for column in self[:2])

    @property
    def positives(self):
        return sum(self.rows[0])

    @property
    def total(self):
        return sum(self.weights)

    @property
    def prevalence(self):
        return Fraction(self.positives, self.total)


SMALL, WEIGHTS = st.integers(0, 5), st.integers(1, 3)
PROBABILITIES = st.sampled_from([k / 8 for k in range(9)])


@st.composite
def tied(draw, scores=SMALL, weights=WEIGHTS):
    """2 to 40 cases of both classes; with six or so distinct scores, most of them are tied."""
    case = st.tuples(st.integers(0, 1), scores, weights)
    first = [(label, draw(scores), draw(weights)) for label in (1, 0)]
    cases = draw(st.permutations(first + draw(st.lists(case, max_size=38))))
    return Data(*map(list, zip(*cases, strict=True)))


@st.composite
def untied(draw):
    """2 to 40 cases of both classes, each with a score of its own and weight 1."""
    labels = draw(st.permutations([1, 0, *draw(st.lists(st.integers(0, 1), max_size=38))]))
    gaps = draw(st.lists(st.integers(1, 3), min_size=len(labels), max_size=len(labels)))
    return Data(labels, np.cumsum(gaps).tolist(), [1] * len(labels))


def either():
    """With ties and weights, or with neither."""
    return tied() | untied()


COUNT = st.integers(0, 25)
POSSIBLE = st.builds(Counts, COUNT, COUNT, COUNT, COUNT).filter(lambda c: c.positives * c.negatives > 0)
TABLES = POSSIBLE.filter(lambda c: c.flagged * c.unflagged > 0)
FULL_TABLES = st.builds(Counts, *[st.integers(1, 25)] * 4)


def as_cases(table):
    """The labels and the 0/1 predictions of the cases that a table counts."""
    cells = ((1, 1, table.tp), (0, 1, table.fp), (1, 0, table.fn), (0, 0, table.tn))
    return [y for y, _, count in cells for _ in range(count)], [q for _, q, count in cells for _ in range(count)]


# ---------------------------------------------------------------------- one cut


@often
@given(c=POSSIBLE)
def test_the_error_rate_is_what_the_accuracy_leaves(c):
    assert c.error_rate == close(1 - Fraction(c.tp + c.tn, c.total))
    assert c.accuracy + c.error_rate == close(1)


@often
@given(c=TABLES)
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("recall", "fnr"),
        ("specificity", "fpr"),
        ("precision", "fdr"),
        ("npv", "false_omission_rate"),
        ("balanced_accuracy", "balanced_error_rate"),
    ],
)
def test_a_share_and_the_share_of_the_rest_make_one(name, other, c):
    assert getattr(c, name) + getattr(c, other) == close(1)


@often
@given(c=POSSIBLE)
def test_the_balanced_error_rate_is_the_mean_of_the_error_rates_of_the_classes(c):
    assert c.balanced_error_rate == close((Fraction(c.fp, c.negatives) + Fraction(c.fn, c.positives)) / 2)


@often
@given(c=POSSIBLE)
def test_youdens_j_is_twice_the_balanced_accuracy_less_one(c):
    assert c.youden_j == close(2 * c.balanced_accuracy - 1)
    assert c.youden_j == close(c.recall + c.specificity - 1)


@often
@given(c=POSSIBLE)
def test_weighted_relative_accuracy_is_the_covariance_of_labels_and_predictions(c):
    assert c.weighted_relative_accuracy == close(np.cov(*as_cases(c), bias=True)[0, 1])
    assert c.weighted_relative_accuracy == close(c.tp / c.total - c.prevalence * c.predicted_positive_rate)


@often
@given(c=POSSIBLE, beta=st.fractions(0, 10, max_denominator=10))
def test_f_beta_is_f_alpha_with_other_units(c, beta):
    alpha = 1 / (1 + beta**2)
    assume(c.tp + alpha * c.fp + (1 - alpha) * c.fn > 0)

    assert cutline.f_beta(c, beta=float(beta)) == close(cutline.f_alpha(c, alpha=float(alpha)))
    if c.tp:  # otherwise precision or recall is 0 or undefined, and the harmonic mean has no formula
        harmonic = 1 / (alpha / Fraction(c.tp, c.flagged) + (1 - alpha) / Fraction(c.tp, c.positives))
        assert cutline.f_beta(c, beta=float(beta)) == close(harmonic)
        assert c.f1 == close(2 / (Fraction(c.flagged, c.tp) + Fraction(c.positives, c.tp)))


@often
@given(c=POSSIBLE)
def test_jaccard_is_f1_on_another_scale(c):
    f1 = Fraction(2 * c.tp, 2 * c.tp + c.fp + c.fn)

    assert c.jaccard == close(f1 / (2 - f1))


@often
@given(c=TABLES)
def test_the_square_of_the_g_measure_is_precision_times_recall(c):
    assert c.g_measure**2 == close(Fraction(c.tp, c.flagged) * Fraction(c.tp, c.positives))


@often
@given(c=TABLES)
def test_f1_is_never_above_the_g_measure(c):
    assert c.f1 <= c.g_measure + 1e-12
    assert (c.f1 == close(c.g_measure)) == (c.tp == 0 or c.flagged == c.positives)


@often
@given(c=TABLES)
def test_mcc_squared_times_n_is_chi_square(c):
    chi_square = stats.chi2_contingency([[c.tp, c.fp], [c.fn, c.tn]], correction=False).statistic

    assert c.mcc**2 * c.total == close(chi_square)


@often
@given(c=TABLES)
def test_mcc_squared_is_youdens_j_times_markedness(c):
    j = Fraction(c.tp, c.positives) - Fraction(c.fp, c.negatives)
    markedness = Fraction(c.tp, c.flagged) + Fraction(c.tn, c.unflagged) - 1

    assert c.mcc**2 == close(j * markedness)
    assert (c.youden_j, c.markedness) == (close(j), close(markedness))


@often
@given(c=TABLES)
def test_mcc_is_the_correlation_of_labels_and_predictions(c):
    assert c.mcc == close(np.corrcoef(*as_cases(c))[0, 1])


@often
@given(c=TABLES)
def test_kappa_is_the_accuracy_beyond_chance(c):
    chance = Fraction(c.flagged * c.positives + c.unflagged * c.negatives, c.total**2)

    assert c.kappa == close((Fraction(c.tp + c.tn, c.total) - chance) / (1 - chance))


@often
@given(c=TABLES)
def test_kappa_is_never_further_from_zero_than_mcc(c):
    assert abs(c.kappa) <= abs(c.mcc) + 1e-12
    assert c.kappa * c.mcc >= 0


@often
@given(tp=st.integers(0, 25), wrong=st.integers(0, 25), tn=st.integers(0, 25))
def test_kappa_mcc_youdens_j_and_markedness_agree_where_as_many_are_flagged_as_are_positive(tp, wrong, tn):
    c = Counts(tp=tp, fp=wrong, fn=wrong, tn=tn)
    assume(c.positives * c.negatives > 0)

    j = Fraction(tp, c.positives) - Fraction(wrong, c.negatives)
    assert (c.kappa, c.mcc, c.youden_j, c.markedness) == (close(j),) * 4
    assert c.precision == c.recall == c.f1 == close(Fraction(tp, c.positives))


@often
@given(c=FULL_TABLES)
def test_the_diagnostic_odds_ratio_is_the_ratio_of_the_likelihood_ratios(c):
    assert c.diagnostic_odds_ratio == close(Fraction(c.tp * c.tn, c.fp * c.fn))
    assert c.diagnostic_odds_ratio == close(c.lr_plus / c.lr_minus)


@often
@given(c=FULL_TABLES)
def test_p4_is_the_harmonic_mean_of_the_four_shares_of_the_table(c):
    four = [Fraction(c.tp, c.flagged), Fraction(c.tp, c.positives), Fraction(c.tn, c.unflagged)]
    four.append(Fraction(c.tn, c.negatives))

    assert c.p4 == close(4 / sum(1 / share for share in four))


@often
@given(c=TABLES)
def test_lift_is_precision_over_prevalence_and_recall_over_the_share_flagged(c):
    assert c.lift == close(Fraction(c.tp, c.flagged) / Fraction(c.positives, c.total))
    assert c.lift == close(Fraction(c.tp, c.positives) / Fraction(c.flagged, c.total))


@often
@given(c=POSSIBLE)
def test_the_expected_cost_is_an_error_rate_when_the_costs_are_right(c):
    balanced = {"cost_fp": c.total / c.negatives / 2, "cost_fn": c.total / c.positives / 2}

    assert cutline.expected_cost(c) == close(Fraction(c.fp + c.fn, c.total))
    assert cutline.expected_cost(c, **balanced) == close(c.balanced_error_rate)


@often
@given(c=POSSIBLE, risk=st.fractions(0, Fraction(9, 10), max_denominator=20))
def test_net_benefit_is_the_prevalence_less_an_expected_cost(c, risk):
    odds = risk / (1 - risk)
    benefit = cutline.net_benefit(c, risk=float(risk))

    assert benefit == close(Fraction(c.tp, c.total) - odds * Fraction(c.fp, c.total))
    assert benefit == close(c.prevalence - cutline.expected_cost(c, cost_fp=float(odds)))
    assert cutline.net_benefit(c, risk=0.5) == close(c.prevalence - c.error_rate)


@often
@given(data=tied(PROBABILITIES), threshold=PROBABILITIES)
def test_net_benefit_takes_the_threshold_for_the_risk_where_it_can_be_one(data, threshold):
    labels, scores = data.rows
    hits = sum(y for y, s in zip(labels, scores, strict=True) if s >= threshold)
    false = sum(1 - y for y, s in zip(labels, scores, strict=True) if s >= threshold)
    benefit = cutline.net_benefit(data.ranking, threshold=threshold)

    if threshold == 1:  # no number of false positives is worth a true one
        assert math.isnan(benefit)
    else:
        assert benefit == close((hits - false * Fraction(threshold) / (1 - Fraction(threshold))) / data.total)


@often
@given(c=TABLES)
def test_mutual_information_is_the_likelihood_ratio_statistic_over_twice_n(c):
    g = stats.chi2_contingency([[c.tp, c.fp], [c.fn, c.tn]], correction=False, lambda_="log-likelihood").statistic

    assert 2 * c.total * c.mutual_information == pytest.approx(g, rel=1e-9, abs=1e-9)


@often
@given(c=POSSIBLE)
def test_the_auc_of_bare_predictions_is_the_balanced_accuracy_of_their_cut(c):
    predictions = rank(*as_cases(c))

    assert cutline.auc(predictions) == close(c.balanced_accuracy)
    assert cutline.gini(predictions) == close(c.youden_j)
    assert cutline.max_youden_j(predictions) == close(max(c.youden_j, 0))


# ---------------------------------------------------------------------- ranking


@often
@given(data=either())
def test_auc_is_the_pairs_won_the_rank_sum_and_the_area(data):
    value = cutline.auc(data.ranking)

    assert value == close(reference.auc(*data.rows))
    assert value == close(reference.auc_by_ranks(*data.rows))
    assert value == close(reference.trapezoids(reference.roc(*data.rows)))


@often
@given(data=either())
def test_auc_is_the_concordant_pairs_and_half_of_the_tied_ones(data):
    concordant, tied = cutline.concordant_pairs(data.ranking), cutline.tied_pairs(data.ranking)

    assert concordant == close(reference.concordant_pairs(*data.rows))
    assert tied == close(reference.tied_pairs(*data.rows))
    assert cutline.auc(data.ranking) == close(concordant + tied / 2)


@often
@given(data=either())
def test_gini_is_twice_the_auc_less_one(data):
    assert cutline.gini(data.ranking) == close(2 * reference.auc(*data.rows) - 1)


@often
@given(data=either())
def test_pem_is_the_gini_index_also_with_ties(data):
    paper = reference.pem(reference.places(*data.rows))

    assert cutline.pem(data.ranking) == close(paper)
    assert cutline.gini(data.ranking) == close(paper)


@often
@given(data=either())
def test_pem_is_the_corrected_closed_form_of_the_paper(data):
    t = reference.places(*data.rows)
    n, negatives = len(t), len(t) - data.positives
    found = sum(reference.qrecall(t, j) for j in range(1, n + 1))

    assert cutline.pem(data.ranking) == close((found - Fraction(n + 1, 2)) / Fraction(negatives, 2))


@often
@given(data=either())
def test_auc_and_pem_are_the_same_whichever_class_is_called_positive(data):
    labels, scores, weights = data
    turned = rank([1 - y for y in labels], [-s for s in scores], weights)

    assert cutline.auc(turned) == close(reference.auc(*data.rows))
    assert cutline.pem(turned) == close(reference.pem(reference.places(*data.rows)))


@often
@given(data=either())
def test_average_gain_is_the_auc_in_units_of_cases(data):
    p, n = data.positives, data.total
    value = cutline.average_gain(data.ranking)

    assert value == close(reference.gain(reference.places(*data.rows)))
    assert value == close(Fraction(p * (n - p), n) * (reference.auc(*data.rows) - Fraction(1, 2)))


@often
@given(data=either())
def test_taks_is_the_auc_but_for_a_factor(data):
    n = data.total
    value = cutline.taks(data.ranking)

    assert value == close(reference.taks(reference.places(*data.rows)))
    assert value == close(Fraction(n, n - 1) * (reference.auc(*data.rows) - Fraction(1, 2)))


@often
@given(data=either())
def test_turning_the_scores_round_turns_the_auc_round(data):
    labels, scores, weights = data

    assert cutline.auc(labels, [-s for s in scores], weights) == close(1 - reference.auc(*data.rows))
    assert cutline.auc(labels, scores, weights, higher_is_positive=False) == close(1 - reference.auc(*data.rows))


@pytest.mark.parametrize("grow", [lambda s: 3 * s - 7, lambda s: s**3, lambda s: 2.0**s], ids=["line", "cube", "power"])
@settings(max_examples=25, deadline=None)
@given(data=either())
def test_what_reads_only_the_order_is_unchanged_by_an_increasing_transformation(grow, data):
    labels, scores, weights = data
    assume(max(scores) < 60)  # 2**s + 1 is then still above 2**s
    before, after = data.ranking, rank(labels, [grow(s) for s in scores], weights)

    for m in MEASURES:
        if m.needs is Needs.RANKING and m.name != "pearson":
            parameters = {name: 2 if name == "quota" else m.parameters[name].example for name in m.required}
            np.testing.assert_array_equal(m(before, **parameters), m(after, **parameters), err_msg=m.name)


@often
@given(data=either())
def test_ks_is_the_largest_gap_between_the_distributions_of_the_two_classes(data):
    labels, scores = map(np.array, data.rows)
    of_positives, of_negatives = (stats.ecdf(scores[labels == y]).cdf.evaluate(scores) for y in (1, 0))

    assert cutline.ks(data.ranking) == close(np.abs(of_positives - of_negatives).max())


@often
@given(data=either())
def test_ks_is_the_best_youdens_j_unless_the_turned_scores_do_better(data):
    labels, scores = data.rows
    best, turned = reference.max_youden_j(labels, scores), reference.max_youden_j(labels, [-s for s in scores])

    assert cutline.ks(data.ranking) == close(max(best, turned))
    assert cutline.max_youden_j(data.ranking) == close(best)
    assert (cutline.ks(data.ranking) == close(cutline.max_youden_j(data.ranking))) == (best >= turned)


def test_a_best_cut_above_chance_is_not_enough_for_ks_to_be_youdens_j():
    ranking = rank([1, 0, 0, 0, 0, 1, 1, 1], range(8, 0, -1))

    assert cutline.max_youden_j(ranking) == 1 / 4  # the first case
    assert cutline.ks(ranking) == 3 / 4  # the first five, the wrong way round


@often
@given(data=either())
def test_the_best_balanced_error_rate_of_all_cuts_is_known_from_youdens_j(data):
    cuts = reference.cuts(*data.rows)
    best = min(Fraction(c.fp, c.fp + c.tn) + Fraction(c.fn, c.tp + c.fn) for c in cuts) / 2

    assert (1 - cutline.max_youden_j(data.ranking)) / 2 == close(best)


def recalibrated(data):
    """The ranking of the same cases by their isotonic probabilities."""
    labels, scores, weights = data
    fitted = IsotonicRegression().fit_transform(scores, labels, sample_weight=weights)
    return rank(labels, fitted.round(9), weights)  # shares of at most 120 cases: all further apart than that


@often
@given(data=either())
def test_auch_is_the_auc_after_isotonic_calibration(data):
    assert cutline.auch(data.ranking) == close(cutline.auc(recalibrated(data)))


@often
@given(data=either())
def test_auch_is_never_below_the_auc_nor_below_the_best_single_cut(data):
    value = cutline.auch(data.ranking)

    assert value >= cutline.auc(data.ranking) - 1e-12
    assert value >= (1 + cutline.max_youden_j(data.ranking)) / 2 - 1e-12


@often
@given(data=either())
def test_what_reads_only_the_hull_is_unchanged_by_isotonic_calibration(data):
    for name in ("auch", "max_youden_j", "h_measure"):
        assert MEASURES[name](recalibrated(data)) == pytest.approx(MEASURES[name](data.ranking), rel=1e-9, abs=1e-12)


@often
@given(data=either())
def test_a_partial_area_up_to_the_end_is_the_whole(data):
    whole, negatives = reference.auc(*data.rows), data.total - data.positives

    for standardised in (True, False, "box"):
        assert cutline.partial_auc(data.ranking, max_fpr=1, standardised=standardised) == close(whole)
    assert cutline.roc_n(data.ranking, n=negatives) == close(whole)


@often
@given(data=either(), share=st.fractions(Fraction(1, 20), 1, max_denominator=40))
def test_roc_n_is_the_partial_area_in_a_box(data, share):
    n = float(share) * (data.total - data.positives)
    box = float(reference.area_up_to(*data.rows, share) / share)

    assert cutline.partial_auc(data.ranking, max_fpr=float(share), standardised="box") == pytest.approx(box, rel=1e-9)
    assert cutline.roc_n(data.ranking, n=n) == pytest.approx(box, rel=1e-9)


# ---------------------------------------------------------------------- precision and recall


@often
@given(data=untied())
def test_average_hit_rate_is_average_precision_where_nothing_is_tied(data):
    definition = reference.average_precision(*data.rows)

    assert cutline.average_hit_rate(data.ranking) == close(definition)
    assert cutline.average_precision(data.ranking) == close(definition)
    assert cutline.expected_average_precision(data.ranking) == close(definition)


@often
@given(data=either())
def test_average_lift_is_the_mean_precision_over_the_prevalence(data):
    t = reference.places(*data.rows)

    assert cutline.average_lift(data.ranking) == close(reference.average_lift(t))
    assert cutline.average_lift(data.ranking) == close(reference.mean_precision(t) / data.prevalence)


@often
@given(data=either())
def test_the_three_trapezoids_are_in_order(data):
    low, middle, high = (MEASURES[name](data.ranking) for name in ("aucpr_min", "aucpr_minmax", "aucpr_max"))

    assert low <= middle + 1e-12
    assert middle <= high + 1e-12


@often
@given(data=either())
def test_the_middle_trapezoid_joins_neighbouring_cuts(data):
    neighbours = reference.trapezoids(reference.precision_recall(*data.rows))

    assert cutline.aucpr_minmax(data.ranking) == close(neighbours)
    assert neighbours == reference.aucpr(*data.rows, min, max)


@often
@given(data=either())
def test_mean_average_precision_does_not_care_which_class_is_called_positive(data):
    labels, scores, weights = data
    turned = rank([1 - y for y in labels], [-s for s in scores], weights)
    rows = data.rows
    each = (
        reference.average_precision(*rows),
        reference.average_precision([1 - y for y in rows[0]], [-s for s in rows[1]]),
    )

    assert cutline.mean_average_precision(data.ranking) == close(sum(each) / 2)
    assert cutline.mean_average_precision(turned) == close(sum(each) / 2)


# ---------------------------------------------------------------------- quotas


@often
@given(data=either())
def test_a_quota_of_as_many_places_as_positives_makes_precision_and_recall_one_number(data):
    p, ranking = data.positives, data.ranking
    expected = reference.hit_rate(reference.places(*data.rows), p)

    for name in ("hit_rate", "qrecall", "precision", "recall", "f1"):
        assert MEASURES[name](ranking, quota=p) == close(expected)
    assert cutline.break_even(ranking) == close(expected)


@often
@given(data=either(), place=st.floats(0, 1))
def test_hit_rate_qrecall_and_enrichment_are_one_count_on_three_scales(data, place):
    j = 1 + int(place * (data.total - 1))
    found = sum(reference.places(*data.rows)[:j])

    assert cutline.hit_rate(data.ranking, quota=j) == close(found / j)
    assert cutline.qrecall(data.ranking, quota=j) == close(found / data.positives)
    assert cutline.enrichment(data.ranking, quota=j) == close(found / (j * data.prevalence))
    assert cutline.lift(data.ranking, quota=j) == close(found / (j * data.prevalence))


@often
@given(data=either(), portions=st.integers(1, 10))
def test_the_lifts_of_all_portions_have_the_mean_one_and_the_top_one_is_the_enrichment(data, portions):
    lifts = [cutline.portion_lift(data.ranking, portion=k + 1, portions=portions) for k in range(portions)]

    assert np.mean(lifts) == close(1)
    if data.total % portions == 0:
        assert lifts[0] == close(cutline.enrichment(data.ranking, quota=data.total // portions))


@often
@given(data=untied())
def test_pearson_is_the_correlation_with_the_labels_where_nothing_is_tied(data):
    assert cutline.pearson(data.ranking) == close(np.corrcoef(data.scores, data.labels)[0, 1])


@often
@given(data=tied())
def test_pearson_of_a_tied_list_is_the_correlation_over_the_correlation_ratio(data):
    labels, scores = data.rows
    t = reference.places(labels, scores)
    assume(len(set(scores)) > 1 and len(set(t)) > 1)
    plain = np.corrcoef(scores, labels)[0, 1]
    ratio = math.sqrt(np.var(np.array(t, dtype=float)) / np.var(labels))

    assert cutline.pearson(data.ranking) == pytest.approx(plain / ratio, rel=1e-9, abs=1e-12)
    assert abs(cutline.pearson(data.ranking)) >= abs(plain) - 1e-12


@often
@given(c=TABLES)
def test_pearson_of_two_distinct_scores_is_one_whatever_the_model(c):
    assume(c.youden_j != 0)

    assert cutline.pearson(rank(*as_cases(c))) == close(np.sign(c.youden_j))


# ---------------------------------------------------------------------- probabilities


@often
@given(data=tied(PROBABILITIES))
def test_the_quadratic_score_the_brier_score_the_rmse_and_the_skill_are_one_number(data):
    brier = sum((y - Fraction(p)) ** 2 for y, p in zip(*data.rows, strict=True)) / data.total

    assert cutline.brier(data.ranking) == close(brier)
    assert cutline.quadratic_score(data.ranking) == close(1 - brier)
    assert cutline.rmse(data.ranking) ** 2 == close(brier)
    assert cutline.brier_skill(data.ranking) == close(1 - brier / (data.prevalence * (1 - data.prevalence)))


@often
@given(data=tied(), base=st.sampled_from([2, math.e, 10]))
def test_always_saying_the_prevalence_scores_what_the_classes_dictate(data, base):
    pi = float(data.prevalence)
    constant = rank(data.labels, [pi] * len(data.labels), data.weights)
    entropy = stats.entropy([pi, 1 - pi], base=base)

    assert cutline.log_loss(constant, base=base) == close(entropy)
    assert cutline.brier(constant) == close(data.prevalence * (1 - data.prevalence))
    assert cutline.mae(constant) == close(2 * data.prevalence * (1 - data.prevalence))
    assert cutline.brier_skill(constant) == close(0)
    assert cutline.information_score(constant, base=base) == 0
    assert cutline.relative_information_score(constant) == 0


@often
@given(data=tied(PROBABILITIES))
def test_focal_loss_without_focus_is_the_log_loss_balanced_or_not(data):
    eps = np.finfo(float).eps
    lost = [-math.log(max(p if y else 1 - p, eps)) for y, p in zip(*data.rows, strict=True)]
    share = float(1 - data.prevalence)
    weighted = [(share if y else 1 - share) * loss for y, loss in zip(data.rows[0], lost, strict=True)]

    assert cutline.log_loss(data.ranking) == close(math.fsum(lost) / data.total)
    assert cutline.focal_loss(data.ranking, gamma=0) == close(math.fsum(lost) / data.total)
    assert cutline.balanced_cross_entropy(data.ranking) == close(math.fsum(weighted) / data.total)
    assert cutline.focal_loss(data.ranking, gamma=0, alpha="balanced") == close(math.fsum(weighted) / data.total)


@often
@given(data=tied(PROBABILITIES))
def test_balanced_cross_entropy_with_equal_weights_is_half_the_log_loss(data):
    assert 2 * cutline.balanced_cross_entropy(data.ranking, alpha=0.5) == close(cutline.log_loss(data.ranking))


@often
@given(data=tied(PROBABILITIES))
@pytest.mark.parametrize("name", ["log_loss", "balanced_cross_entropy", "focal_loss", "information_score"])
def test_another_base_is_another_unit(name, data):
    nats, bits = MEASURES[name](data.ranking), MEASURES[name](data.ranking, base=2)

    if math.isfinite(nats):
        assert bits == close(nats / math.log(2))
    else:
        assert bits == nats


@often
@given(c=POSSIBLE)
def test_of_hard_predictions_mae_and_brier_are_the_error_rate_and_hinge_loss_twice_that(c):
    labels, predictions = as_cases(c)

    assert cutline.mae(labels, predictions) == close(c.error_rate)
    assert cutline.brier(labels, predictions) == close(c.error_rate)
    assert cutline.hinge_loss(labels, [2 * q - 1 for q in predictions]) == close(2 * c.error_rate)


# ---------------------------------------------------------------------- weights and parts


def assert_same(one, other):
    """Both rankings have every measure in common, to the last bit."""
    first, second = reference.every_measure(one), reference.every_measure(other)
    different = [name for name in first if not np.array_equal(first[name], second[name], equal_nan=True)]
    assert different == []


@settings(max_examples=40, deadline=None)
@given(data=tied(PROBABILITIES))
def test_a_whole_weight_is_a_repetition(data):
    assert_same(data.ranking, rank(*data.rows))


@settings(max_examples=40, deadline=None)
@given(data=tied(PROBABILITIES), part=st.lists(st.integers(0, 2), min_size=40, max_size=40))
def test_the_rankings_of_the_parts_merge_to_the_ranking_of_the_whole(data, part):
    names = sorted(set(part[: len(data.labels)]))
    parts = [
        rank(*zip(*(case for case, of in zip(zip(*data, strict=True), part, strict=False) if of == name), strict=True))
        for name in names
    ]
    whole = data.ranking
    merged = merge(parts)

    for column in ("score", "pos", "neg", "pos2", "neg2"):
        np.testing.assert_array_equal(getattr(merged, column), getattr(whole, column))
    assert_same(merged, whole)
    assert_same(sum(parts), whole)


SCALE_FREE = [
    "accuracy",
    "recall",
    "precision",
    "f1",
    "mcc",
    "kappa",
    "lift",
    "mutual_information",
    "auc",
    "gini",
    "pem",
    "ks",
    "max_youden_j",
    "eer",
    "auch",
    "partial_auc",
    "h_measure",
    "average_precision",
    "aucpr_min",
    "aucpr_minmax",
    "aucpr_max",
    "aucpr_davis_goadrich",
    "mean_average_precision",
    "break_even",
    "brier",
    "log_loss",
    "focal_loss",
    "balanced_cross_entropy",
    "relative_information_score",
    "pearson",
    "rie",
    "bedroc",
]


@often
@given(data=tied(PROBABILITIES), factor=st.sampled_from([2, 3, 0.5, 0.37]))
def test_multiplying_all_weights_by_a_constant_changes_no_ratio(data, factor):
    scaled = rank(data.labels, data.scores, [factor * w for w in data.weights])

    for name in SCALE_FREE:
        np.testing.assert_allclose(MEASURES[name](scaled), MEASURES[name](data.ranking), 1e-9, 1e-9, err_msg=name)
