"""Every measure of one cut against its formula in rational numbers, on all small tables and on very large ones.

The formulas here are written as the literature writes them, from rates, and know nothing of how cutline computes them.
"""

import itertools
import math
import warnings
from dataclasses import dataclass, fields
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

import cutline
from cutline import MEASURES, Counts, Ranking, rank
from grouping import each_case

NAN, INF = math.nan, math.inf

# ---------------------------------------------------------------------- arithmetic that does not round


def ratio(a, b):
    """A quotient: 0/0 is NaN, x/0 is infinite, and NaN goes through."""
    if a != a or b != b:
        return NAN
    if b == 0:
        return INF if a > 0 else NAN
    return Fraction(a) / Fraction(b)


def of_decimal(function, x):
    """A function of decimal numbers, for a fraction, to fifty digits; NaN and infinity go through."""
    if not isinstance(x, Fraction):
        return x
    with localcontext() as context:
        context.prec = 50
        return Fraction(function(Decimal(x.numerator) / Decimal(x.denominator)))


def root(x):
    return of_decimal(Decimal.sqrt, x)


def log(x):
    return of_decimal(Decimal.ln, Fraction(x))


@dataclass(frozen=True)
class Table:
    """A contingency table of whole numbers or fractions, with the rates of the field under their usual names."""

    tp: Fraction
    fp: Fraction
    fn: Fraction
    tn: Fraction

    @property
    def cells(self):
        return self.tp, self.fp, self.fn, self.tn

    @cached_property
    def P(self):  # noqa: N802
        return self.tp + self.fn

    @cached_property
    def N(self):  # noqa: N802
        return self.fp + self.tn

    @cached_property
    def yes(self):
        """O+, the predicted positives."""
        return self.tp + self.fp

    @cached_property
    def no(self):
        """O-, the predicted negatives."""
        return self.fn + self.tn

    @cached_property
    def n(self):
        return sum(self.cells)

    @cached_property
    def pi(self):
        return ratio(self.P, self.n)

    @cached_property
    def tpr(self):
        return ratio(self.tp, self.P)

    @cached_property
    def tnr(self):
        return ratio(self.tn, self.N)

    @cached_property
    def fpr(self):
        return ratio(self.fp, self.N)

    @cached_property
    def fnr(self):
        return ratio(self.fn, self.P)

    @cached_property
    def precision(self):
        return ratio(self.tp, self.yes)

    @cached_property
    def npv(self):
        return ratio(self.tn, self.no)


# ---------------------------------------------------------------------- one formula per measure


def f_beta(t, beta=1):
    """(1 + beta^2) TP / ((1 + beta^2) TP + FP + beta^2 FN): it has a value where precision has none."""
    square = Fraction(beta) ** 2
    return ratio((1 + square) * t.tp, (1 + square) * t.tp + t.fp + square * t.fn)


def f_alpha(t, alpha=Fraction(1, 2)):
    """1 / (alpha / precision + (1 - alpha) / recall), multiplied by TP above and below."""
    alpha = Fraction(alpha)
    return ratio(t.tp, alpha * t.yes + (1 - alpha) * t.P)


def kappa(t):
    """(P0 - Pe) / (1 - Pe)."""
    chance = t.pi * ratio(t.yes, t.n) + (1 - t.pi) * ratio(t.no, t.n)
    return ratio(ratio(t.tp + t.tn, t.n) - chance, 1 - chance) if chance != 1 else NAN


def weighted_kappa(t, weight=0.5):
    """The excess over the baseline as a share of the largest one (Kraemer): c P (n - F) + (1 - c) N F below."""
    weight = Fraction(weight)
    return ratio(t.tp * t.tn - t.fp * t.fn, weight * t.P * t.no + (1 - weight) * t.N * t.yes)


def mcc(t):
    """TP TN - FP FN over the root of the product of the four margins."""
    below = Fraction(t.P * t.N * t.yes * t.no)
    return (t.tp * t.tn - t.fp * t.fn) / root(below) if below else NAN


def mutual_information(t, base=None):
    """The sum over the four cells of p log(p / (p(row) p(column))), with 0 log 0 = 0."""
    pairs = ((t.tp, t.yes, t.P), (t.fp, t.yes, t.N), (t.fn, t.no, t.P), (t.tn, t.no, t.N))
    nats = sum(ratio(cell, t.n) * log(ratio(cell * t.n, row * column)) for cell, row, column in pairs if cell)
    return nats if base is None else nats / log(base)


def prevalence_threshold(t):
    """(root(TPR FPR) - FPR) / (TPR - FPR), as Balayla writes it; where the two rates are equal, its limit 1/2."""
    if t.tpr != t.tpr or t.fpr != t.fpr or t.yes == 0:
        return NAN
    return Fraction(1, 2) if t.tpr == t.fpr else (root(t.tpr * t.fpr) - t.fpr) / (t.tpr - t.fpr)


def p4(t):
    """4 / (1/precision + 1/recall + 1/specificity + 1/npv), multiplied by TP TN above and below."""
    return ratio(4 * t.tp * t.tn, t.tn * (t.yes + t.P) + t.tp * (t.N + t.no))


def net_benefit(t, risk=None):
    """Without a risk and without a threshold there is no rate of exchange."""
    if risk is None:
        return NAN
    return ratio(t.tp, t.n) - ratio(t.fp, t.n) * Fraction(risk) / (1 - Fraction(risk))


def standardised_net_benefit(t, risk=None):
    """The net benefit over that of flagging exactly the positives."""
    return ratio(net_benefit(t, risk), t.pi) if t.P else NAN


FORMULAS = {
    "accuracy": lambda t: ratio(t.tp + t.tn, t.n),
    "error_rate": lambda t: ratio(t.fp + t.fn, t.n),
    "recall": lambda t: t.tpr,
    "specificity": lambda t: t.tnr,
    "fpr": lambda t: t.fpr,
    "fnr": lambda t: t.fnr,
    "precision": lambda t: t.precision,
    "npv": lambda t: t.npv,
    "fdr": lambda t: ratio(t.fp, t.yes),
    "false_omission_rate": lambda t: ratio(t.fn, t.no),
    "prevalence": lambda t: t.pi,
    "predicted_positive_rate": lambda t: ratio(t.yes, t.n),
    "youden_j": lambda t: t.tpr - t.fpr,
    "weighted_relative_accuracy": lambda t: t.pi * (1 - t.pi) * (t.tpr - t.fpr),
    "lr_plus": lambda t: ratio(t.tpr, t.fpr),
    "lr_minus": lambda t: ratio(t.fnr, t.tnr),
    "balanced_accuracy": lambda t: (t.tpr + t.tnr) / 2,
    "balanced_error_rate": lambda t: 1 - (t.tpr + t.tnr) / 2,
    "g_mean": lambda t: root(t.tpr * t.tnr),
    "f1": f_beta,
    "f_beta": f_beta,
    "f_alpha": f_alpha,
    "g_measure": lambda t: root(t.precision * t.tpr),
    "jaccard": lambda t: ratio(t.tp, t.n - t.tn),
    "lift": lambda t, prevalence=None: ratio(t.precision, t.pi if prevalence is None else Fraction(prevalence)),
    "mcc": mcc,
    "kappa": kappa,
    "weighted_kappa": weighted_kappa,
    "mutual_information": mutual_information,
    "markedness": lambda t: t.precision + t.npv - 1,
    "diagnostic_odds_ratio": lambda t: ratio(t.tp * t.tn, t.fp * t.fn),
    "p4": p4,
    "prevalence_threshold": prevalence_threshold,
    "expected_cost": lambda t, cost_fp=1, cost_fn=1: ratio(Fraction(cost_fp) * t.fp + Fraction(cost_fn) * t.fn, t.n),
    "net_benefit": net_benefit,
    "standardised_net_benefit": standardised_net_benefit,
}

# The parameters are dyadic, so that the float that cutline gets is the very number of the formula.
PARAMETERS = [
    *((name, {}) for name in FORMULAS),
    *(("f_beta", {"beta": beta}) for beta in (0, 0.5, 2, 1024)),
    *(("f_alpha", {"alpha": alpha}) for alpha in (0, 0.25, 1)),
    ("lift", {"prevalence": 0.25}),
    *(("weighted_kappa", {"weight": weight}) for weight in (0, 0.25, 1)),
    ("mutual_information", {"base": 2}),
    ("mutual_information", {"base": 10}),
    ("expected_cost", {"cost_fp": 0.5, "cost_fn": 8}),
    ("expected_cost", {"cost_fp": 0, "cost_fn": 3}),
    *((name, {"risk": risk}) for name in ("net_benefit", "standardised_net_benefit") for risk in (0, 0.125, 0.75)),
]

SMALL = [Table(*cells) for cells in itertools.product(range(5), repeat=4) if any(cells)]

LARGE = {
    "even": Table(4_000_000_001, 1_999_999_999, 1_500_000_003, 2_499_999_997),
    "rare positives": Table(1_200_007, 300_000_001, 799_999, 9_697_999_993),
    "rare errors": Table(5_000_000_007, 3, 2, 4_999_999_988),
    "worse than chance": Table(1_000_000_007, 3_999_999_979, 4_000_000_007, 1_000_000_007),
    "beyond 2**32 in every cell": Table(9_000_000_001, 5_000_000_003, 4_500_000_001, 8_000_000_011),
}


def label(name, given):
    return f"{name}({', '.join(f'{k}={v}' for k, v in given.items())})" if given else name


measures = each_case(("name", "given"), {label(name, given): (name, given) for name, given in PARAMETERS})


def counts(tables, convert=np.array):
    """The tables as one set of arrays, or of whatever `convert` makes of a list."""
    return Counts(*(convert([getattr(t, f.name) for t in tables]) for f in fields(Table)))


def differences(found, tables, name, given, *, rel, abs=0.0):
    """Where a value is not that of the formula: NaN for NaN, infinite for infinite, and otherwise close."""
    wrong = []
    for value, table in zip(found, tables, strict=True):
        expected = float(FORMULAS[name](table, **given))
        if not (value == expected or (value != value and expected != expected)) and (
            not math.isfinite(expected) or not math.isclose(value, expected, rel_tol=rel, abs_tol=abs)
        ):
            wrong.append(f"{table}: {value!r}, not {expected!r}")
    return wrong


# ---------------------------------------------------------------------- coverage


def test_every_measure_of_one_cut_has_a_formula_here():
    assert set(FORMULAS) == {m.name for m in MEASURES.search(needs="counts")}, "FORMULAS has one of each"


def test_every_parameter_of_a_measure_of_one_cut_is_tested():
    tried = {(name, parameter) for name, given in PARAMETERS for parameter in given}

    assert tried == {(m.name, parameter) for m in MEASURES.search(needs="counts") for parameter in m.parameters}


# ---------------------------------------------------------------------- all small tables


@measures
def test_it_is_its_formula_in_all_small_tables_nan_and_infinity_included(name, given):
    found = MEASURES[name](counts(SMALL), **given)

    # A difference of two rates that are equal may leave the last digit of a float.
    assert differences(found, SMALL, name, given, rel=1e-13, abs=4e-16) == []


@measures
def test_one_table_of_plain_numbers_has_the_very_value_that_it_has_among_many(name, given):
    among_many = MEASURES[name](counts(SMALL), **given)
    alone = [MEASURES[name](Counts(*table.cells), **given) for table in SMALL]

    assert {type(value) for value in alone} == {float}
    np.testing.assert_array_equal(alone, among_many)


@measures
def test_it_gives_a_reason_exactly_where_it_is_undefined(name, given):
    measure = MEASURES[name]
    is_nan = np.isnan(measure(counts(SMALL), **given))
    has_reason = np.array([bool(measure.reason(Counts(*table.cells), **given)) for table in SMALL])

    assert [table for table, differs in zip(SMALL, is_nan != has_reason, strict=True) if differs] == []


@measures
def test_its_condition_holds_exactly_for_the_undefined_tables_of_an_array(name, given):
    measure, tables = MEASURES[name], counts(SMALL)
    holds = np.zeros(len(SMALL), dtype=bool)
    for condition in measure.undefined:
        holds = holds | condition.holds(tables, **{**measure.defaults, **given})

    np.testing.assert_array_equal(np.isnan(measure(tables, **given)), holds)


@measures
def test_its_value_is_within_its_range(name, given):
    low, high = MEASURES[name].range
    values = MEASURES[name](counts(SMALL), **given)
    defined = values[~np.isnan(values)]

    assert ((low <= defined) & (defined <= high)).all()


@measures
def test_a_stack_of_tables_equals_a_loop_over_them(name, given):
    cells = np.random.default_rng(7).integers(0, 6, size=(4, 3, 5))
    stacked = MEASURES[name](Counts(*cells), **given)

    assert stacked.shape == (3, 5)
    for i, j in np.ndindex(3, 5):
        one = MEASURES[name](Counts(*cells[:, i, j].tolist()), **given)
        np.testing.assert_array_equal(stacked[i, j], one)


@measures
def test_counts_of_different_shapes_broadcast(name, given):
    shapes = (3, 5), (3, 1), (5,), ()
    rng = np.random.default_rng(8)
    cells = [rng.integers(1, 6, size=shape) for shape in shapes]
    together = MEASURES[name](Counts(*cells), **given)
    apart = MEASURES[name](Counts(*np.broadcast_arrays(*cells)), **given)

    np.testing.assert_array_equal(np.broadcast_to(together, (3, 5)), apart)


# ---------------------------------------------------------------------- ten thousand million cases

KINDS = {
    "Python integers": lambda t: Counts(*t.cells),
    "numpy integers": lambda t: Counts(*map(np.int64, t.cells)),
    "an array of integers": lambda t: counts([t]),
    "floats": lambda t: Counts(*map(float, t.cells)),
}


@pytest.mark.parametrize("kind", KINDS)
@each_case("size", [*LARGE])
@measures
def test_no_product_of_counts_overflows_at_ten_thousand_million_cases(name, given, size, kind):
    table = LARGE[size]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        found = np.ravel(MEASURES[name](KINDS[kind](table), **given))

    assert differences(found, [table], name, given, rel=1e-12) == []


@measures
def test_counts_beyond_any_machine_integer_are_still_counts(name, given):
    table = Table(4 * 10**30 + 1, 10**30, 10**29, 2 * 10**30)

    assert differences([MEASURES[name](Counts(*table.cells), **given)], [table], name, given, rel=1e-12) == []


@pytest.mark.parametrize(("dtype", "unit"), [(np.uint8, 50), (np.int16, 7_000), (np.int32, 500_000_000)])
def test_counts_in_a_narrow_integer_type_do_not_overflow(dtype, unit):
    table = Table(4 * unit, 2 * unit, unit, 3 * unit)
    narrow = Counts(*(np.array([cell], dtype=dtype) for cell in table.cells))

    for name in FORMULAS:
        assert differences(MEASURES[name](narrow), [table], name, {}, rel=1e-12) == []


@measures
def test_a_table_times_a_constant_has_the_same_value(name, given):
    small, large = counts(SMALL), counts([Table(*(3_000_000_019 * cell for cell in t.cells)) for t in SMALL])

    np.testing.assert_allclose(MEASURES[name](large, **given), MEASURES[name](small, **given), rtol=1e-13, atol=4e-16)


# ---------------------------------------------------------------------- joint probabilities


@measures
def test_a_table_of_joint_probabilities_has_the_value_of_the_counts(name, given):
    tables = [t for t in SMALL if t.n in (1, 2, 4, 8)]  # whose shares are exact floats
    shares = Counts(
        *(
            np.array([cell / t.n for t, cell in zip(tables, column, strict=True)])
            for column in zip(*(t.cells for t in tables), strict=True)
        )
    )

    assert differences(MEASURES[name](shares, **given), tables, name, given, rel=1e-13, abs=4e-16) == []


MURPHY = {
    "A": (Counts(tp=0.9, fp=0.1, fn=0, tn=0), {"accuracy": 0.9, "precision": 0.9, "recall": 1.0, "f1": 0.947}, 0.0),
    "B": (
        Counts(tp=0.8, fp=0, fn=0.1, tn=0.1),
        {"accuracy": 0.9, "precision": 1, "recall": 0.888, "f1": 0.941},
        0.1865,
    ),
    "C": (Counts(tp=0.78, fp=0, fn=0.12, tn=0.1), {"accuracy": 0.88, "precision": 1, "recall": 0.8667}, 0.1735),
}


@pytest.mark.parametrize("classifier", MURPHY)
def test_the_tables_of_murphy_have_the_values_that_he_prints(classifier):
    table, printed, information = MURPHY[classifier]

    assert {name: getattr(table, name) for name in printed} == pytest.approx(printed, abs=1e-3)
    assert table.mutual_information == pytest.approx(information, abs=5e-5)


# ---------------------------------------------------------------------- the cut's own threshold, extreme parameters


def test_net_benefit_takes_the_threshold_of_the_cut_as_the_risk():
    tables = [Table(3, 2, 1, 4), Table(3, 2, 0, 5), Table(4, 4, 0, 3), Table(1, 0, 3, 6)]
    thresholds = [0.5, 0.25, 0.0, 0.875]
    columns = zip(*(t.cells for t in tables), strict=True)
    cuts = Counts(*map(np.array, columns), threshold=np.array(thresholds))

    expected = [float(net_benefit(table, risk=t)) for table, t in zip(tables, thresholds, strict=True)]
    np.testing.assert_allclose(cuts.net_benefit, expected, rtol=1e-14)


@pytest.mark.parametrize("threshold", [1.0, 1.5, -0.25, INF, -INF, NAN])
def test_net_benefit_at_a_threshold_that_is_no_risk_is_undefined_with_a_reason(threshold):
    table = Counts(3, 2, 1, 4, threshold=threshold)

    assert math.isnan(table.net_benefit)
    assert "probability" in cutline.net_benefit.reason(table)


@pytest.mark.parametrize("beta", [1e-12, 1e-9, 1e-6, 1e6, 1e50])
def test_f_beta_gives_a_reason_exactly_where_it_is_undefined_for_extreme_beta(beta):
    found = cutline.f_beta(counts(SMALL), beta=beta)
    has_reason = [bool(cutline.f_beta.reason(Counts(*t.cells), beta=beta)) for t in SMALL]

    np.testing.assert_array_equal(np.isnan(found), has_reason)
    assert differences(found, SMALL, "f_beta", {"beta": beta}, rel=1e-9) == []


@measures
def test_a_table_without_cases_has_no_value(name, given):
    assert math.isnan(MEASURES[name](Counts(0, 0, 0, 0), **given))


def test_a_table_without_cases_gives_a_reason():
    assert [m.name for m in MEASURES.search(needs="counts") if not m.reason(Counts(0, 0, 0, 0))] == []


def test_nothing_flagged_makes_f1_zero_not_undefined():
    assert Counts(tp=0, fp=0, fn=3, tn=4).f1 == 0
    assert math.isnan(Counts(tp=0, fp=0, fn=3, tn=4).precision)


# ---------------------------------------------------------------------- the cuts of a ranking


@measures
def test_it_is_its_formula_at_every_cut_of_a_ranking(name, given):
    rng = np.random.default_rng(11)
    labels, scores = rng.integers(0, 2, 60), rng.integers(0, 12, 60)
    ranking = rank(labels, scores)
    assert isinstance(ranking, Ranking)
    tables = []
    for threshold in (INF, *sorted(set(scores.tolist()), reverse=True)):
        flagged = scores >= threshold
        cells = (labels & flagged, (1 - labels) & flagged, labels & ~flagged, (1 - labels) & ~flagged)
        tables.append(Table(*(int(cell.sum()) for cell in cells)))

    cuts = ranking.counts
    found = MEASURES[name](Counts(cuts.tp, cuts.fp, cuts.fn, cuts.tn), **given)

    assert differences(found, tables, name, given, rel=1e-13, abs=4e-16) == []
