"""The scale of a range: it keeps the order, comes back, and stays within its ends."""

import math

import numpy as np
import pytest

import cutline as cl
from cutline.inference.resampling.bootstrap import Shape, describe_shapes
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.bootstrap import ResampledValues, student_limits
from cutline.inference.single.estimand import Estimand
from cutline.inference.single.smooth import Scale
from cutline.results.estimate import student_quantile
from grouping import each_case

EV = cl.evaluate([1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 6, np.random.default_rng(1).random(60))


@pytest.mark.parametrize("ends", [(0, 1), (-1, 1), (0, math.inf), (-math.inf, 1), (-math.inf, math.inf)])
def test_a_value_comes_back_from_its_scale(ends):
    scale, values = Scale(*ends, room=1e-6), np.array([0.1, 0.35, 0.6, 0.9])
    there = scale.transform(values)

    assert (np.diff(there) > 0).all()
    assert [scale.invert(float(value)) for value in there] == pytest.approx(values.tolist())
    for far in (-40.0, 40.0):
        assert ends[0] <= scale.invert(far) <= ends[1]


def test_the_interval_is_the_spread_on_the_logit_scale_times_the_quantile_of_student():
    estimand = Estimand.of_measure(cl.MEASURES["average_precision"], EV.ranking, {})
    draws = estimand.value + np.random.default_rng(0).normal(0, 0.05, 400)
    found = student_limits(ResampledValues(estimand, draws, 0.95, Shape(0.0, 10.0)))
    logits = np.log(draws / (1 - draws))
    centre = math.log(estimand.value / (1 - estimand.value))
    shift, reach = centre - logits.mean(), 2.2281388519649385 * logits.std(ddof=1)
    shift -= math.copysign(min(abs(shift), 2 * logits.std(ddof=1) / 20), shift)  # what is noise of 400 resamples
    limits = [centre + min(shift, 0) - reach, centre + max(shift, 0) + reach]

    assert tuple(found.limits) == pytest.approx([1 / (1 + math.exp(-limit)) for limit in limits])
    assert found.method == "student"


def test_resamples_that_reach_the_end_of_the_range_put_the_limit_there():
    estimand = Estimand.of_measure(cl.MEASURES["average_precision"], EV.ranking, {})
    draws = np.where(np.arange(400) < 20, 1.0, estimand.value + np.random.default_rng(0).normal(0, 0.05, 400))
    assert student_limits(ResampledValues(estimand, draws, 0.95)).limits.high == 1


def test_few_cases_that_decide_leave_few_degrees_of_freedom():
    """The change of a mean of n values with a kurtosis k is known with 2 n / (k - 1) degrees of freedom."""
    ranking = EV.ranking
    (even,) = describe_shapes(CaseSampler(ranking), [lambda r: (r.pos * np.linspace(-1, 1, len(r))).sum(-1)], 0)
    at = np.zeros(len(ranking))
    at[7] = 1.0
    (alone,) = describe_shapes(CaseSampler(ranking), [lambda r: ((r.pos + r.neg) * at).sum(-1)], 0)

    assert alone.freedom < 3 < 20 < even.freedom


def test_a_partial_area_has_the_range_of_its_stretch():
    def reach(name, **given):
        return Estimand.of_measure(cl.MEASURES[name], EV.ranking, given).range

    assert reach("partial_auc_above_recall") == pytest.approx((0, 0.2))
    assert reach("partial_auc", standardised=False, max_fpr=0.3, min_fpr=0.1) == pytest.approx((0, 0.2))
    least, most = reach("partial_auc", max_fpr=0.1)
    worst = cl.evaluate([0] * 30 + [1] * 30, range(60)[::-1]).value("partial_auc", max_fpr=0.1)
    assert (least, most) == pytest.approx((worst, 1))


@each_case("level", [0.5, 0.9, 0.95, 0.999])
@each_case("freedom", [1, 2.5, 8, 30, 1000, 1e6, math.inf])
def test_the_quantile_of_student_is_scipys(level, freedom):
    from scipy.stats import norm, t

    peer = norm if math.isinf(freedom) else t(freedom)
    assert student_quantile(level, freedom) == pytest.approx(peer.ppf((1 + level) / 2), rel=1e-6)


@pytest.mark.parametrize("freedom", [5, 900, 20_000])
def test_student_quantile_far_out_is_where_the_tail_is(freedom):
    from scipy.stats import t

    level = 1 - 1e-13

    assert t.sf(student_quantile(level, freedom), freedom) == pytest.approx((1 - level) / 2, rel=1e-6)
