"""Losses of single cases: their means are the measures, and their derivatives are those of their values."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline import MEASURES, losses
from cutline.core import logistic
from grouping import each_case

often = settings(max_examples=100, deadline=None)

labels_and_margins = st.lists(st.tuples(st.booleans(), st.floats(-6, 6)), min_size=2, max_size=15).map(
    lambda rows: (np.array([y for y, _ in rows]), np.array([z for _, z in rows]))
)
gammas = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7])
alphas = st.sampled_from([None, "balanced", 0.0, 0.3, 1.0])


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


# ---------------------------------------------------------------------- the measures are the means


@often
@given(data=labels_and_margins)
def test_the_mean_logistic_loss_is_the_log_loss_of_the_probabilities(data):
    labels, z = data

    assert losses.logistic(labels, z).value.mean() == pytest.approx(MEASURES["log_loss"](labels, sigmoid(z)), rel=1e-9)


@often
@given(data=labels_and_margins, gamma=gammas, alpha=alphas)
def test_the_mean_focal_loss_is_the_measure(data, gamma, alpha):
    labels, z = data
    expected = MEASURES["focal_loss"](labels, sigmoid(z), gamma=gamma, alpha=alpha)

    assert losses.focal(labels, z, gamma=gamma, alpha=alpha).value.mean() == pytest.approx(
        expected, rel=1e-9, abs=1e-15
    )


@often
@given(data=labels_and_margins, alpha=st.sampled_from([None, 0.3]))
def test_the_mean_balanced_cross_entropy_is_the_measure(data, alpha):
    labels, z = data
    expected = MEASURES["balanced_cross_entropy"](labels, sigmoid(z), alpha=alpha)
    found = losses.balanced_cross_entropy(labels, z, alpha="balanced" if alpha is None else alpha)

    if alpha is None and labels.all() | ~labels.any():
        assert math.isnan(expected)  # the class that is there would weigh nothing
        assert not found.value.any()
    else:
        assert found.value.mean() == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("label", "other"), [(1, "negative"), (0, "positive")])
def test_one_class_cannot_be_balanced(label, other):
    ev = cl.evaluate([label] * 3, [0.9, 0.6, 0.2])

    assert math.isnan(ev.balanced_cross_entropy)
    assert ev.reason("balanced_cross_entropy") == f"there is no {other} case"
    assert ev.value("balanced_cross_entropy", alpha=0.5) == pytest.approx(ev.log_loss / 2)
    assert ev.reason("balanced_cross_entropy", alpha=0.5) == ""


@pytest.mark.parametrize("name", ["log_loss", "focal_loss", "balanced_cross_entropy"])
def test_a_perfect_model_loses_zero_and_not_minus_zero(name):
    loss = MEASURES[name]([1, 0, 1], [1.0, 0.0, 1.0])

    assert loss == 0
    assert math.copysign(1, loss) == 1


@often
@given(data=labels_and_margins)
def test_the_mean_hinge_loss_is_the_measure(data):
    labels, z = data

    assert losses.hinge(labels, z).value.mean() == pytest.approx(MEASURES["hinge_loss"](labels, z), rel=1e-12)


# ---------------------------------------------------------------------- values that one can count


def test_losses_at_the_boundary():
    for loss in (losses.logistic, losses.focal):
        first = loss([1, 0], [0.0, 0.0])
        assert first.value[0] == first.value[1]
        assert first.gradient[0] == -first.gradient[1] < 0
    assert losses.logistic([1, 0], [0.0, 0.0]).value == pytest.approx([math.log(2)] * 2)
    assert losses.logistic([1, 0], [0.0, 0.0]).gradient == pytest.approx([-1 / 2, 1 / 2])
    assert losses.logistic([1, 0], [0.0, 0.0]).curvature == pytest.approx([1 / 4, 1 / 4])
    assert losses.focal([1], [0.0], gamma=2).value == pytest.approx([math.log(2) / 4])


def test_the_hinge_loss_is_the_shortfall_from_a_margin_of_one():
    loss = losses.hinge([1, 1, 1, 0, 0], [2.0, 1.0, 0.5, 0.5, -3.0])

    assert loss.value.tolist() == [0, 0, 1 / 2, 3 / 2, 0]
    assert loss.gradient.tolist() == [0, 0, -1, 1, 0]
    assert loss.curvature.tolist() == [0] * 5


def test_the_classes_are_weighted_by_alpha():
    plain = losses.logistic([1, 0, 0, 0], [0.3, 0.3, -1.0, 2.0])
    weighted = losses.balanced_cross_entropy([1, 0, 0, 0], [0.3, 0.3, -1.0, 2.0])

    for one, other in zip(plain, weighted, strict=True):
        assert other == pytest.approx(one * np.array([3 / 4, 1 / 4, 1 / 4, 1 / 4]))


def test_the_positive_label_can_be_named():
    named = losses.focal(["a", "b"], [0.3, 0.7], positive="a")

    assert named.value.tolist() == losses.focal([1, 0], [0.3, 0.7]).value.tolist()


# ---------------------------------------------------------------------- derivatives

SMOOTH = {
    "logistic": losses.logistic,
    "balanced": losses.balanced_cross_entropy,
    "focal": losses.focal,
    "focal, gamma 0.5": lambda y, z: losses.focal(y, z, gamma=0.5),
    "focal, gamma 3, alpha 0.3": lambda y, z: losses.focal(y, z, gamma=3, alpha=0.3),
}


@pytest.mark.parametrize("name", SMOOTH)
@often
@given(data=labels_and_margins)
def test_the_derivatives_are_those_of_the_value(name, data):
    loss, (labels, z), step = SMOOTH[name], data, 1e-5
    above, here, below = (loss(labels, z + shift) for shift in (step, 0, -step))

    np.testing.assert_allclose(here.gradient, (above.value - below.value) / (2 * step), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(here.curvature, (above.gradient - below.gradient) / (2 * step), rtol=1e-5, atol=1e-8)


@often
@given(data=labels_and_margins)
def test_the_gradient_of_the_hinge_matches_finite_differences(data):
    labels, z = data
    z = np.where(np.abs(np.abs(z) - 1) < 1e-3, z + 0.01, z)  # away from the kink
    above, here, below = (losses.hinge(labels, z + shift) for shift in (1e-6, 0, -1e-6))

    np.testing.assert_allclose(here.gradient, (above.value - below.value) / 2e-6, atol=1e-6)


@each_case("margin", [-1000.0, -745.0, -36.0, 36.0, 745.0, 1000.0])
@each_case("name", [*SMOOTH, "hinge"])
def test_extreme_margins_stay_finite(name, margin):
    loss = (SMOOTH | {"hinge": losses.hinge})[name]([1, 0], [margin, margin])

    assert all(np.isfinite(part).all() for part in loss)
    assert (loss.value >= 0).all()


def test_a_hopeless_case_costs_its_margin():
    loss = losses.logistic([1, 0], [-1000.0, 1000.0])

    assert loss.value.tolist() == [1000, 1000]
    assert loss.gradient.tolist() == [-1, 1]


def test_a_case_infinitely_wrong_has_a_slope():
    loss = losses.logistic([1, 0], [-math.inf, math.inf])

    assert loss.value.tolist() == [math.inf, math.inf]
    assert loss.gradient.tolist() == [-1, 1]


# ---------------------------------------------------------------------- triplets

small = st.lists(st.floats(-2, 2), min_size=12, max_size=12).map(lambda values: np.reshape(values, (3, 2, 2)))


EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]  # squared distances 2 to the next, 4 to the opposite


def test_the_triplet_loss_is_the_shortfall_from_the_margin():
    assert losses.triplet([EAST], [NORTH], [WEST], margin=0.2).value == 0  # 2 - 4 + 0.2 < 0
    assert losses.triplet([EAST], [WEST], [NORTH], margin=0.5).value == 4 - 2 + 0.5
    assert cl.triplet_loss([EAST, EAST], [WEST, NORTH], [NORTH, WEST], margin=0.5) == 2.5
    assert cl.triplet_loss(EAST, WEST, NORTH, margin=0.5) == 2.5


@pytest.mark.parametrize("margin", [-1, -1e-9, float("inf")])
def test_a_margin_is_no_less_than_zero(margin):
    with pytest.raises(cl.ParameterError, match=r"^margin is .*: pass a finite number of 0 or more\.$"):
        cl.triplet_loss(EAST, WEST, NORTH, margin=margin)


def test_embeddings_have_the_norm_1_or_are_given_it():
    with pytest.raises(cl.InputError, match=r"positive has the norm 2 in row 1, .* pass normalise=True"):
        losses.triplet([EAST, EAST], [WEST, [0.0, 2.0]], [NORTH, NORTH])
    with pytest.raises(cl.InputError, match="negative has a row of zeros"):
        losses.triplet([EAST], [WEST], [[0.0, 0.0]], normalise=True)

    scaled = losses.triplet([[3.0, 0.0]], [[-0.5, 0.0]], [[0.0, 7.0]], margin=0.5, normalise=True)
    assert scaled.value == 4 - 2 + 0.5


@often
@given(data=small, margin=st.floats(0, 3))
def test_the_gradient_of_the_triplet_loss_matches_finite_differences(data, margin):
    norms = np.linalg.norm(data, axis=2, keepdims=True)
    if norms.min() < 0.1:
        return
    unit = data / norms
    excess = ((unit[0] - unit[1]) ** 2).sum(1) - ((unit[0] - unit[2]) ** 2).sum(1) + margin
    if np.abs(excess).min() < 1e-3:  # at the kink there is no slope
        return
    step = 1e-6
    loss = losses.triplet(*data, margin=margin, normalise=True)
    for which, gradient in enumerate((loss.anchor, loss.positive, loss.negative)):
        for index in np.ndindex(2, 2):
            shift = np.zeros((3, 2, 2))
            shift[(which, *index)] = step
            above, below = (
                losses.triplet(*(data + sign * shift), margin=margin, normalise=True).value for sign in (1, -1)
            )
            assert gradient[index] == pytest.approx((above - below) / (2 * step), abs=1e-4)


def test_without_normalising_the_gradient_matches_free_embeddings():
    loss = losses.triplet([EAST], [WEST], [NORTH], margin=0.5)

    assert loss.anchor.tolist() == [[2.0, 2.0]]  # 2 (negative - positive)
    assert loss.positive.tolist() == [[-4.0, 0.0]]  # 2 (positive - anchor)
    assert loss.negative.tolist() == [[2.0, -2.0]]  # 2 (anchor - negative)


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "call",
    [
        lambda: losses.focal([1, 0], [1, 2], gamma=-1),
        lambda: losses.focal([1, 0], [1, 2], gamma=math.nan),
        lambda: losses.focal([1, 0], [1, 2], alpha=2),
        lambda: losses.focal([1, 0], [1, 2], alpha="x"),
        lambda: losses.hinge([1, 0], [1]),
        lambda: losses.hinge([1, 0], [1, math.nan]),
        lambda: losses.hinge([1, 2], [1, 2]),
        lambda: losses.hinge([1, None], [1, 2]),
        lambda: losses.logistic([], []),
        lambda: losses.triplet([[1]], [[1]], [[1, 2]]),
        lambda: losses.triplet([[math.inf]], [[1]], [[1]]),
    ],
)
def test_what_has_no_loss_is_refused(call):
    with pytest.raises(cl.CutlineError):
        call()


def test_numbers_of_numpy_are_numbers():
    assert losses.focal([1, 0], [1, 2], alpha=np.float32(0.5)).value == pytest.approx(
        losses.focal([1, 0], [1, 2], alpha=0.5).value
    )


def test_a_wrong_slope_would_be_seen(monkeypatch):
    right = logistic.sigmoid
    monkeypatch.setattr(logistic, "sigmoid", lambda z: right(z) * 1.001)
    above, here, below = (losses.logistic([1], [0.5 + shift]) for shift in (1e-5, 0, -1e-5))

    assert here.gradient != pytest.approx((above.value - below.value) / 2e-5, rel=1e-5)
