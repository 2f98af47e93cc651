"""The losses and measures that LightGBM and XGBoost accept, with the real libraries."""

import inspect
import pickle

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb
from sklearn.datasets import make_classification

import cutline as cl
from cutline import auc_pairs, boosting_loss, boosting_metric

LOSSES = {"logistic": {}, "balanced_cross_entropy": {}, "focal": {"gamma": 2.0}, "hinge": {}, "auc_pairs": {}}
every_loss = pytest.mark.parametrize("loss", [boosting_loss(n, **p) for n, p in LOSSES.items()], ids=list(LOSSES))


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(1500, n_features=8, n_informative=5, weights=[0.9], random_state=0)
    return X, y


# ---------------------------------------------------------------------- the losses


def test_the_pairs_share_out_the_mean_of_all_pairs():
    rng = np.random.default_rng(0)
    labels, margins = rng.permutation(np.arange(40) < 12), rng.normal(size=40)
    short = np.maximum(0, 1 - (margins[labels][:, None] - margins[~labels]))
    loss = auc_pairs(labels, margins)

    assert loss.value.mean() == pytest.approx((short**2).mean())
    assert loss.gradient.sum() == pytest.approx(0, abs=1e-10)


def test_the_gradient_of_pairs_is_the_slope_of_their_sum():
    rng = np.random.default_rng(1)
    labels, margins = rng.permutation(np.arange(20) < 6), rng.normal(size=20)
    shifts = 1e-6 * np.eye(20)
    slopes = [auc_pairs(labels, margins + s).value.sum() - auc_pairs(labels, margins - s).value.sum() for s in shifts]

    np.testing.assert_allclose(auc_pairs(labels, margins).gradient, np.array(slopes) / 2e-6, atol=1e-5)


@every_loss
def test_the_start_has_the_least_loss_of_all_equal_margins(loss):
    labels = np.arange(200) < 6
    of_equal = lambda margin: loss._make_loss(labels, np.full(200, margin)).value.sum()  # noqa: E731
    grid = np.linspace(-8, 8, 321)

    assert of_equal(loss.start(labels)) <= min(map(of_equal, grid)) + 1e-9


def test_the_start_of_the_logistic_loss_is_the_log_odds():
    labels = np.arange(100) < 10

    assert boosting_loss("logistic").start(labels) == pytest.approx(np.log(10 / 90))
    assert boosting_loss("balanced_cross_entropy").start(labels) == pytest.approx(0, abs=1e-9)
    assert boosting_loss("focal", gamma=2).start(labels) > np.log(10 / 90)


@every_loss
def test_trees_get_a_curvature_above_zero_and_a_weight_is_a_repetition(loss):
    rng = np.random.default_rng(2)
    labels, margins = np.arange(50) % 4 == 0, 4 * rng.normal(size=50)
    times = np.where(np.arange(50) % 8 < 4, 1, 3)  # the same in both classes, so that their balance stays
    gradient, curvature = loss(labels, margins, times)
    of_each, _ = loss(labels.repeat(times), margins.repeat(times))
    first = np.concatenate(([0], np.cumsum(times)[:-1]))

    assert (curvature > 0).all()
    np.testing.assert_allclose(gradient, np.add.reduceat(of_each, first), rtol=0.03)


def test_the_weights_of_pairs_are_repetitions_exactly():
    rng = np.random.default_rng(3)
    labels, margins, times = np.arange(40) < 12, rng.normal(size=40), rng.integers(1, 4, 40)
    weighted, repeated = auc_pairs(labels, margins, times), auc_pairs(labels.repeat(times), margins.repeat(times))
    first = np.concatenate(([0], np.cumsum(times)[:-1]))

    for of_cases, of_copies in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(of_cases, np.add.reduceat(of_copies, first))
    gap = np.maximum(0, 1 - (margins[labels][:, None] - margins[~labels])) ** 2
    mean = times[labels] @ gap @ times[~labels] / times[labels].sum() / times[~labels].sum()
    assert weighted.value.sum() / times.sum() == pytest.approx(mean)


def test_the_start_counts_weights():
    labels, times = np.arange(20) < 5, np.where(np.arange(20) < 5, 3, 1)

    assert boosting_loss("logistic").start(labels, times) == pytest.approx(0, abs=1e-9)  # 15 and 15
    assert boosting_loss("focal").start(labels, times) == pytest.approx(0, abs=1e-9)
    assert boosting_loss("hinge").start(labels) == -1
    assert boosting_loss("hinge").start(labels, 2 * times) == boosting_loss("hinge").start(labels, times)


ONE_TENTH = np.arange(100) < 10
LINKS = [
    ("logistic", {}),
    ("focal", {"gamma": 2.0}),
    ("focal", {"gamma": 1.0, "alpha": 0.25}),
    ("focal", {"gamma": 5.0}),
]


@pytest.mark.parametrize(("name", "parameters"), LINKS)
def test_the_probability_of_the_best_equal_margin_is_the_share_of_positives(name, parameters):
    loss = boosting_loss(name, **parameters)

    assert loss.probabilities(loss.start(ONE_TENTH)) == pytest.approx(0.1)
    spread = loss.probabilities(np.linspace(-40, 40, 401).reshape(1, 401))
    assert spread.shape == (1, 401)
    assert (np.diff(spread) >= 0).all()
    assert spread.min() >= 0
    assert spread.max() <= 1


@pytest.mark.parametrize(("name", "parameters"), [("balanced_cross_entropy", {}), ("focal", {"alpha": "balanced"})])
def test_classes_balanced_by_their_share_need_it_for_probabilities(name, parameters):
    loss = boosting_loss(name, **parameters)

    assert loss.probabilities(loss.start(ONE_TENTH), prevalence=0.1) == pytest.approx(0.1)
    with pytest.raises(cl.ParameterError, match="prevalence is None"):
        loss.probabilities([0.0])


def test_logistic_margins_are_log_odds_and_hinges_are_not():
    np.testing.assert_allclose(boosting_loss("logistic").probabilities([-1, 0, 1]), 1 / (1 + np.exp([1, 0, -1])))
    with pytest.raises(cl.ParameterError, match="not log-odds"):
        boosting_loss("hinge").probabilities([0])


# ---------------------------------------------------------------------- the libraries

QUIET = {"verbosity": -1, "num_threads": 1, "seed": 0}


@every_loss
def test_lightgbm_learns_with_every_loss(loss, data):
    X, y = data
    start = loss.start(y)
    seen = {}
    metric = boosting_metric("average_precision")
    train = lgb.Dataset(X[:1000], y[:1000], init_score=np.full(1000, start))
    valid = lgb.Dataset(X[1000:], y[1000:], init_score=np.full(500, start), reference=train)
    booster = lgb.train(
        {**QUIET, "objective": loss, "metric": "none"},
        train,
        num_boost_round=30,
        valid_sets=[valid],
        feval=metric.lightgbm,
        callbacks=[lgb.record_evaluation(seen)],
    )
    scores = booster.predict(X[1000:]) + start

    assert cl.auc(y[1000:], scores) > 0.85
    assert seen["valid_0"]["average_precision"][-1] == pytest.approx(cl.average_precision(y[1000:], scores))


@every_loss
def test_xgboost_learns_with_every_loss(loss, data):
    X, y = data
    metric = boosting_metric("average_precision")
    train, valid = xgb.DMatrix(X[:1000], y[:1000]), xgb.DMatrix(X[1000:], y[1000:])
    seen = {}
    booster = xgb.train(
        {"base_score": loss.start(y), "nthread": 1, "seed": 0, "disable_default_eval_metric": True},
        train,
        num_boost_round=30,
        obj=loss,
        evals=[(valid, "valid")],
        custom_metric=metric.xgboost,
        evals_result=seen,
        verbose_eval=False,
    )
    scores = booster.predict(valid, output_margin=True)

    assert cl.auc(y[1000:], scores) > 0.85
    assert seen["valid"]["average_precision"][-1] == pytest.approx(cl.average_precision(y[1000:], scores), abs=1e-5)


def test_the_estimators_of_both_libraries_accept_them_too(data):
    X, y = data
    loss, metric = boosting_loss("focal", gamma=1.0), boosting_metric("average_precision")
    light = lgb.LGBMClassifier(objective=loss, n_estimators=20, verbosity=-1, n_jobs=1)
    is_new = "eval_X" in inspect.signature(light.fit).parameters  # since LightGBM 4.7, which warns of the other
    seen = {"eval_X": X[1000:], "eval_y": y[1000:]} if is_new else {"eval_set": [(X[1000:], y[1000:])]}
    light.fit(X[:1000], y[:1000], **seen, eval_metric=metric.lightgbm)
    heavy = xgb.XGBClassifier(objective=loss, n_estimators=20, eval_metric=metric.xgboost, n_jobs=1)
    margins = {"base_margin": np.full(1000, loss.start(y)), "base_margin_eval_set": [np.full(500, loss.start(y))]}
    heavy.fit(X[:1000], y[:1000], eval_set=[(X[1000:], y[1000:])], verbose=False, **margins)

    margins = light.predict(X[1000:], raw_score=True)
    assert light.evals_result_["valid_0"]["average_precision"][-1] == pytest.approx(
        cl.average_precision(y[1000:], margins)
    )
    assert heavy.evals_result()["validation_0"]["average_precision"][-1] > 0.5


def test_models_with_them_can_be_stored(data):
    X, y = data
    loss, metric = boosting_loss("focal"), boosting_metric("average_precision")
    light = lgb.LGBMClassifier(objective=loss, n_estimators=3, verbosity=-1, n_jobs=1).fit(X, y)
    heavy = xgb.XGBClassifier(objective=loss, n_estimators=3, eval_metric=metric.xgboost, n_jobs=1)
    heavy.fit(X, y, eval_set=[(X, y)], verbose=False)

    for model, raw in ((light, {"raw_score": True}), (heavy, {"output_margin": True})):
        again = pickle.loads(pickle.dumps(model))  # noqa: S301
        np.testing.assert_array_equal(again.predict(X, **raw), model.predict(X, **raw))


def test_a_metric_may_be_written_as_people_write_it():
    labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]

    assert boosting_metric("precision@2").lightgbm(labels, scores)[1] == 0.5
    assert boosting_metric("recall@k", k=3).lightgbm(labels, scores)[1] == 1
    assert boosting_metric("F2", threshold=0.75).value(labels, scores) == pytest.approx(0.5)


def test_weights_of_a_data_set_are_used(data):
    X, y = data
    loss = boosting_loss("logistic")
    weight = np.where(y == 1, 3.0, 1.0)
    whole = xgb.DMatrix(X, y, weight=weight)
    gradient, _ = loss(np.zeros(len(y)), whole)

    np.testing.assert_allclose(gradient, weight * (0.5 - y))


def test_a_metric_says_which_way_is_better():
    assert boosting_metric("auc").greater_is_better
    assert not boosting_metric("log_loss").greater_is_better
    assert repr(boosting_metric("ap")) == "boosting_metric('average_precision')"
