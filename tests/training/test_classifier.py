"""LinearMeasureClassifier: an estimator like others, trained for the measure, and never worse than the baseline."""

import itertools
import pickle
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import cutline as cl
from cutline import LinearMeasureClassifier
from cutline.training import linear

EVERY = {
    "error": {},
    "ber": {},
    "f1": {},
    "f_beta": {"beta": 2},
    "jaccard": {},
    "mcc": {},
    "kappa": {},
    "gmean": {},
    "precision_at_k": {"quota": 30},
    "recall_at_k": {"quota": 120},
    "prbep": {},
    "auc": {},
    "average_precision": {},
    "partial_auc": {"max_fpr": 0.1},
    "roc_n": {"n": 20},
}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(600, n_features=6, n_informative=3, weights=[0.85], class_sep=1.2, random_state=3)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def crooked():
    """A population of several clusters for each class, in which no line is right."""
    X, y = make_classification(
        12_000, n_features=10, n_informative=6, n_clusters_per_class=4, weights=[0.95], random_state=1
    )
    return X[:6000], y[:6000], X[6000:], y[6000:]


# The checks of scikit-learn in full with the choice, and once for each way of training.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        LinearMeasureClassifier(),
        LinearMeasureClassifier("average_precision", solver="smooth"),
        LinearMeasureClassifier("error", solver="structural", C=1.0, tol=0.01),
    ]
)
def test_it_is_an_estimator_like_others(estimator, check):
    check(estimator)


@pytest.mark.parametrize("solver", ["auto", "structural", "smooth"])
@pytest.mark.parametrize("measure", EVERY)
def test_every_measure_can_be_trained_for_by_every_solver(measure, solver, data):
    X, y = data
    rough = {} if solver == "smooth" else {"tol": 0.02}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearMeasureClassifier(
            measure, parameters=EVERY[measure], solver=solver, threshold="tune", random_state=0, **rough
        ).fit(X, y)
    ev = cl.evaluate(y, model.decision_function(X), threshold=0.0)

    assert model.train_measure_ == pytest.approx(ev.value(measure, **EVERY[measure]))
    assert np.any(model.coef_) or model.bound_ratio_ >= 0.99
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) >= 0).astype(int))
    if solver != "structural":
        assert ev.auc > 0.8


@pytest.mark.parametrize(
    ("written", "name", "parameters"),
    [
        ("precision@k", "hit_rate", {"k": 30}),
        ("precision@30", "hit_rate", {"quota": 30}),
        ("Recall @ 120", "qrecall", {"quota": 120}),
        ("recall_at_120", "qrecall", {"quota": 120}),
        ("G-mean", "g_mean", {}),
        ("F1", "f1", {}),
        ("F2", "f_beta", {"beta": 2}),
        ("f0.5", "f_beta", {"beta": 0.5}),
        ("auPRC", "average_precision", {}),
        ("ROC_20", "roc_n", {"n": 20}),
        ("BER", "balanced_error_rate", {}),
    ],
)
def test_measures_may_be_written_as_people_write_them(written, name, parameters, data):
    X, y = data
    own = parameters if written.endswith("k") else {}
    model = LinearMeasureClassifier(written, parameters=own, solver="baseline").fit(X, y)
    ev = cl.evaluate(y, model.decision_function(X), threshold=0.0)

    assert model.train_measure_ == pytest.approx(ev.value(name, **({"quota": 30} if "k" in parameters else parameters)))


def test_a_callable_is_trained_for_like_the_measure_it_equals(data):
    X, y = data
    named = LinearMeasureClassifier("f1", solver="structural").fit(X, y)
    own = LinearMeasureClassifier(lambda tp, fp, P, N: 2 * tp / (tp + fp + P), solver="structural").fit(X, y)

    np.testing.assert_allclose(own.coef_, named.coef_, rtol=1e-6)


@pytest.mark.parametrize("name", ["auc", "f1", "break_even", "error_rate", "roc_n", "mcc"])
def test_the_name_of_a_callable_does_not_make_it_a_measure(name, data):
    X, y = data
    profit = lambda tp, fp, P, N: 50 * tp - 20 * fp  # noqa: E731
    nameless = LinearMeasureClassifier(profit, solver="structural", C=1.0, threshold="tune").fit(X, y)
    profit.__name__ = name
    named = LinearMeasureClassifier(profit, solver="structural", C=1.0, threshold="tune").fit(X, y)

    np.testing.assert_array_equal(named.coef_, nameless.coef_)
    assert named.train_measure_ == nameless.train_measure_


def test_profit_can_be_trained_for(data):
    X, y = data
    profit = lambda tp, fp, P, N: 50 * tp - 20 * fp  # noqa: E731
    model = LinearMeasureClassifier(profit, solver="smooth").fit(X, y)
    found = model.predict(X)

    assert 50 * (found & y).sum() - 20 * (found & (1 - y)).sum() == pytest.approx(model.train_measure_)
    assert model.train_measure_ > 0


def test_a_measure_with_its_parameters_bound_is_the_same(data):
    X, y = data
    one = LinearMeasureClassifier("f_beta", parameters={"beta": 2}, solver="smooth").fit(X, y)
    other = LinearMeasureClassifier(cl.MEASURES["f_beta"].with_(beta=2), solver="smooth").fit(X, y)

    np.testing.assert_array_equal(one.coef_, other.coef_)


# ---------------------------------------------------------------------- the choice


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "parameters"), [("ap", {}), ("f1", {}), ("roc_n", {"n": 50})])
def test_where_no_line_is_right_training_for_the_measure_pays(measure, parameters, crooked):
    X, y, X_test, y_test = crooked
    values = {}
    for solver in ("auto", "baseline"):
        model = LinearMeasureClassifier(measure, parameters=parameters, solver=solver, random_state=0).fit(X, y)
        values[solver] = cl.evaluate(y_test, model.decision_function(X_test), threshold=0).value(measure, **parameters)

    assert values["auto"] > values["baseline"]


@pytest.mark.slow
def test_the_choice_says_what_each_candidate_reached(crooked):
    model = LinearMeasureClassifier("ap", random_state=0).fit(*crooked[:2])
    first, *others = model.candidates_

    assert first.solver == "baseline"
    assert first.gain == first.error == 0
    assert {c.solver for c in others} == {"structural", "smooth"}
    assert model.solver_ == "smooth"
    assert next(c for c in others if c.solver == "smooth").is_better
    assert 0 < model.bound_ratio_ < 1


def test_noise_does_not_leave_the_baseline():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 5)), rng.integers(0, 2, 800)
    chosen = [LinearMeasureClassifier("auc", random_state=seed).fit(X[:, seed:], y).solver_ for seed in range(4)]

    assert chosen.count("baseline") >= 2


def test_a_vacuous_bound_is_not_silent(crooked):
    X, y = crooked[:2]
    with pytest.warns(ConvergenceWarning, match=r"^The convex bound of partial_auc is vacuous here") as seen:
        model = LinearMeasureClassifier("partial_auc", parameters={"max_fpr": 0.01}, solver="structural").fit(X, y)

    assert model.bound_ratio_ >= 0.99
    assert str(seen[0].message).endswith("pass solver='auto' or 'smooth'.")
    assert seen[0].filename == __file__


def test_balancing_the_classes_is_offered_where_a_vacuous_bound_has_prices(crooked):
    with pytest.warns(ConvergenceWarning, match=r"or 'smooth', or psi='balanced'\.$"):
        LinearMeasureClassifier("f1", solver="structural").fit(*crooked[:2])


def test_a_small_c_is_not_called_a_vacuous_bound(data):
    X, y = data
    with pytest.warns(ConvergenceWarning, match=r"^C = 0\.0001 is too small for f1 here: .* pass a larger C\.$"):
        LinearMeasureClassifier("f1", solver="structural", C=1e-4).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LinearMeasureClassifier("f1", solver="structural", C=100.0).fit(X, y).bound_ratio_ < 0.99


def test_few_rounds_are_not_called_a_vacuous_bound(data):
    X, y = data
    with pytest.warns(ConvergenceWarning, match=r"^The structural solver stopped after 1 iterations.*larger max_iter"):
        LinearMeasureClassifier("mcc", solver="structural", C=1e4, max_iter=1).fit(X, y)


def test_without_a_constant_ignorance_is_equal_scores(data):
    """Nobody can be flagged without a constant, so the risk of flagging nobody is no measuring stick."""
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearMeasureClassifier("error", solver="structural", C=1e-6, fit_intercept=False).fit(X, y)

    assert model.bound_ratio_ == pytest.approx(1, abs=1e-3)


def test_the_choice_falls_back_when_its_bound_is_vacuous_on_all_cases(data, monkeypatch):
    """What was chosen on a part of the cases may know nothing on all of them."""
    import cutline.training.classifier as module

    def vacuous(recipe, X, split, **more):
        model = real(recipe, X, split, **more)
        if recipe.solver != "structural":
            return model
        return replace(model, coef=0 * model.coef, solution=model.solution._replace(bound_ratio=1.0))

    real = module.fit
    trials = lambda *_, **__: [  # noqa: E731
        module.Trial(module.Candidate(name, 0.5, gain, 0.0, ratio), None)
        for name, gain, ratio in (("baseline", 0.0, np.nan), ("structural", 0.2, 0.9), ("smooth", 0.1, np.nan))
    ]
    monkeypatch.setattr(module, "fit", vacuous)
    monkeypatch.setattr(module, "_hold_out", trials)
    X, y = data
    model = LinearMeasureClassifier("f1", random_state=0).fit(X, y)

    assert model.solver_ == "smooth"
    assert model.coef_.any()
    assert model.bound_ratio_ == 1.0


@pytest.mark.parametrize(("measure", "level"), [*((name, 7.0) for name in EVERY), ("auc", 0.0), ("f1", 0.0)])
def test_equal_scores_are_not_silent(measure, level):
    y = np.arange(200) < 130
    model = LinearMeasureClassifier(measure, parameters=EVERY[measure], random_state=0)
    with pytest.warns(ConvergenceWarning, match="^All cases have one score: pass columns that vary"):
        model.fit(np.full((200, 2), level), y)

    assert model.solver_ == "baseline"
    assert np.ptp(model.decision_function(np.full((200, 2), level))) == 0


def test_columns_too_small_to_count_are_not_silent(data):
    X, y = data
    with pytest.warns(ConvergenceWarning, match="bring each to a deviation of about 1"):
        LinearMeasureClassifier("f1", solver="smooth").fit(1e-9 * X, y)


def test_rare_classes_cost_one_fit_for_each_part_and_candidate(data, monkeypatch):
    import cutline.training.classifier as selection
    import cutline.training.solvers as solvers

    X, y = data
    fits, real = [], solvers.fit_scores
    for module in (solvers, selection):
        monkeypatch.setattr(
            module, "fit_scores", lambda recipe, *rest: fits.append(recipe.solver) or real(recipe, *rest)
        )
    model = LinearMeasureClassifier("f1", random_state=0).fit(X, y)

    assert y.sum() < 100
    assert len(model.candidates_) == 3
    assert len(fits) == 3 * 4 + 1


def test_balanced_measures_have_balanced_prices(data):
    """With them the bound of the balanced error rate is the hinge with balanced class weights."""
    X, y = data
    ours = LinearMeasureClassifier("ber", solver="structural", C=1.0, fit_intercept=False, tol=1e-5).fit(X, y)
    P, N = y.sum(), (1 - y).sum()
    weight = np.where(y == 1, 0.5 / P, 0.5 / N)
    machine = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, tol=1e-8, max_iter=1_000_000)
    peer = machine.fit(X, y, sample_weight=weight)
    hinge = weight @ np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ peer.coef_[0]))

    assert ours.objective_ == pytest.approx(peer.coef_[0] @ peer.coef_[0] / 2 + hinge, rel=1e-4)


def test_the_choice_never_takes_a_model_without_skill(crooked):
    X, y, X_test, y_test = crooked
    for measure in ("f1", "partial_auc", "prbep"):
        model = LinearMeasureClassifier(measure, random_state=0).fit(X, y)
        assert model.bound_ratio_ >= 0.95  # the structural candidate knew next to nothing ...
        assert model.solver_ != "structural"
        assert cl.auc(y_test, model.decision_function(X_test)) > 0.6  # ... and was not chosen


# ---------------------------------------------------------------------- cuts


def test_the_cut_of_a_table_measure_is_its_best_on_the_training_scores(data):
    X, y = data
    model = LinearMeasureClassifier("f1", solver="smooth", threshold="tune").fit(X, y)
    counts = cl.rank(y, model.decision_function(X)).counts

    assert model.train_measure_ == pytest.approx(counts.f1.max())


def test_the_cut_of_an_order_flags_as_many_as_are_positive(data):
    X, y = data
    model = LinearMeasureClassifier("auc", solver="newton").fit(X, y)

    assert model.predict(X).sum() == y.sum()


def test_a_cut_out_of_fold_is_not_the_best_on_the_training_scores(data):
    X, y = data
    models = {t: LinearMeasureClassifier("f1", solver="baseline", threshold=t, random_state=0) for t in (5, "tune")}
    values = {t: model.fit(X, y).train_measure_ for t, model in models.items()}

    np.testing.assert_array_equal(models[5].coef_, models["tune"].coef_)
    assert values[5] <= values["tune"]
    assert values[5] > 0.8 * values["tune"]


def test_rare_classes_are_cut_out_of_fold(data):
    X, y = data
    assert y.sum() < 100
    auto, four = (
        LinearMeasureClassifier("f1", solver="baseline", threshold=t, random_state=0).fit(X, y).intercept_
        for t in ("auto", 4)
    )

    assert auto == four


@pytest.mark.parametrize("measure", ["f1", "mcc", "ap"])
def test_a_baseline_that_is_chosen_is_the_baseline_with_its_cut(measure):
    """Where the model is right and positives are rare, nothing can be lost by the choice."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 4))
    y = X @ [2, -1, 1, 0] + rng.logistic(size=400) > 4
    chosen, alone = (LinearMeasureClassifier(measure, solver=s, random_state=0).fit(X, y) for s in ("auto", "baseline"))

    assert y.sum() < 100
    assert chosen.solver_ == "baseline"
    np.testing.assert_array_equal(chosen.coef_, alone.coef_)
    np.testing.assert_array_equal(chosen.intercept_, alone.intercept_)


def test_zero_keeps_the_constant_that_was_trained(data):
    X, y = data
    model = LinearMeasureClassifier("f1", solver="baseline", threshold="zero").fit(X, y)

    np.testing.assert_array_equal(model.predict(X), (X @ model.coef_[0] + model.intercept_[0] >= 0).astype(int))


# ---------------------------------------------------------------------- the estimator


def test_a_seed_fixes_the_model(data):
    X, y = data
    one, other = (LinearMeasureClassifier("ap", random_state=7).fit(X, y) for _ in range(2))

    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.candidates_ == other.candidates_


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["f1", "auc", "ap"])
def test_sparse_and_dense_data_give_the_same_model(measure, data):
    X, y = data
    X = np.where(np.abs(X) > 0.5, X, 0)
    dense, thin = (LinearMeasureClassifier(measure, random_state=0).fit(m, y) for m in (X, sparse.csr_matrix(X)))

    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(thin.predict(sparse.csr_matrix(X)), dense.predict(X))


def test_labels_may_be_words(data):
    X, y = data
    words = np.where(y == 1, "yes", "no")
    model = LinearMeasureClassifier("f1", solver="baseline").fit(X, words)

    assert set(model.predict(X)) == {"yes", "no"}
    assert cl.scorer("f1")(model, X, words) == pytest.approx(model.train_measure_)


@pytest.mark.parametrize("measure", ["f1", "average_precision"])
def test_the_first_class_can_be_the_positive_one(measure, data):
    """Of "case" and "control", which scikit-learn's order would take the wrong way round."""
    X, y = data
    words = np.where(y == 1, "case", "control")
    model = LinearMeasureClassifier(measure, positive="case", random_state=0).fit(X, words)
    same = LinearMeasureClassifier(measure, random_state=0).fit(X, y)

    np.testing.assert_array_equal(model.predict(X) == "case", same.predict(X) == 1)
    assert (list(model.classes_), model.positive_) == (["case", "control"], "case")
    assert model.train_measure_ == same.train_measure_
    assert cl.scorer(measure, positive="case")(model, X, words) == pytest.approx(same.train_measure_)
    scores = model.decision_function(X)  # of the second class, as all of scikit-learn expects
    assert get_scorer("roc_auc")(model, X, words) == pytest.approx(cl.auc(y, same.decision_function(X)))
    ev = cl.evaluate(words, scores, positive="case", higher_is_positive=False)
    assert ev.auc == pytest.approx(cl.auc(y, same.decision_function(X)))
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X, words)
    assert cl.auc(y, calibrated.predict_proba(X)[:, 0]) > 0.8


@pytest.mark.parametrize("measure", ["error", "ber", "auc", "f1", "ap"])
def test_weights_are_repetitions(measure, data):
    X, y = data
    weight = np.arange(len(y)) % 3
    solver = {"error": "structural", "ber": "structural", "auc": "newton"}.get(measure, "smooth")
    weighted = LinearMeasureClassifier(measure, solver=solver, threshold="tune").fit(X, y, sample_weight=weight)
    repeated = LinearMeasureClassifier(measure, solver=solver, threshold="tune").fit(
        X.repeat(weight, 0), y.repeat(weight)
    )

    cosine = weighted.coef_[0] @ repeated.coef_[0]
    cosine /= np.linalg.norm(weighted.coef_) * np.linalg.norm(repeated.coef_)
    assert cosine > 0.999
    assert weighted.train_measure_ == pytest.approx(repeated.train_measure_, abs=0.01)


def test_pairs_written_out_give_the_model_of_sorted_ones(data):
    X, y = data
    pairs, by_sorting = (
        LinearMeasureClassifier("auc", solver="newton", method=m, tol=1e-8, max_iter=10_000).fit(X[:200], y[:200])
        for m in ("pairs", "sorted")
    )

    assert pairs.objective_ == pytest.approx(by_sorting.objective_, rel=1e-5)
    np.testing.assert_allclose(pairs.coef_, by_sorting.coef_, atol=1e-2)


def test_the_time_limit_is_kept(crooked, monkeypatch):
    X, y = crooked[:2]
    model = LinearMeasureClassifier("mcc", solver="structural", C=1e6, tol=1e-9, time_limit=0.5)
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 100)  # each look at it takes a hundredth of a second
    monkeypatch.setattr(linear, "time", clock)
    with pytest.warns(ConvergenceWarning, match="larger time_limit, or a smaller C"):
        model.fit(X, y)

    assert next(ticks) < 100
    assert not model.converged_


def test_what_did_not_converge_says_so(data):
    X, y = data
    for solver in ("structural", "smooth", "newton", "baseline"):
        C = {"C": 1e4} if solver in ("structural", "newton") else {}
        model = LinearMeasureClassifier("auc", solver=solver, max_iter=2, **C)
        with pytest.warns(
            ConvergenceWarning, match=f"^The {solver} solver stopped after 2 iterations, .* larger max_iter"
        ):
            model.fit(X, y)
        assert not model.converged_
    with pytest.warns(ConvergenceWarning, match="^The newton solver stopped after 2 iterations"):
        LinearMeasureClassifier("auc", method="pairs", max_iter=2).fit(X[:200], y[:200])


def test_verbose_tells_what_happens(data, capsys):
    X, y = data
    LinearMeasureClassifier("ap", verbose=1, random_state=0).fit(X, y)
    chosen = capsys.readouterr().out
    LinearMeasureClassifier("f1", verbose=1, solver="structural", tol=0.1).fit(X, y)
    planes = capsys.readouterr().out
    LinearMeasureClassifier("f1", solver="smooth").fit(X, y)

    assert "held out: Candidate(solver='smooth'" in chosen
    assert "chosen: " in chosen
    assert "cutting planes 1: objective" in planes
    assert capsys.readouterr().out == ""


def test_it_works_with_the_tools_of_scikit_learn(data):
    X, y = data
    pipe = make_pipeline(StandardScaler(), LinearMeasureClassifier("auc", solver="newton"))
    search = GridSearchCV(pipe, {"linearmeasureclassifier__C": [1, 100]}, scoring=cl.scorer("auc"), cv=3).fit(X, y)

    assert cross_val_score(pipe, X, y, scoring=cl.scorer("auc"), cv=3).mean() > 0.8
    assert search.best_score_ > 0.8
    assert set(
        OneVsRestClassifier(LinearMeasureClassifier("f1", solver="baseline")).fit(X, y + (X[:, 0] > 1)).classes_
    ) == {0, 1, 2}
    fitted = pickle.loads(pickle.dumps(search.best_estimator_))  # noqa: S301
    np.testing.assert_array_equal(fitted.predict(X), search.best_estimator_.predict(X))
    assert clone(pipe)[-1].measure == "auc"


@pytest.mark.parametrize("measure", EVERY)
def test_a_public_oracle_takes_lists_and_whole_numbers(measure):
    from cutline.training import oracle

    labels, scores = [1, 0, 1, 0, 0], [3, 2, 1, 0, -1]
    parameters = {name: min(value, 2) for name, value in EVERY[measure].items()}
    bound = oracle(measure, labels, parameters=parameters)

    assert bound(scores).value == bound(np.array(scores, dtype=float)).value


def test_a_public_oracle_is_the_bound_that_is_minimised(data):
    from cutline.training import oracle

    X, y = data
    model = LinearMeasureClassifier("auc", solver="structural", C=10).fit(X, y)
    risk = oracle("auc", y)(X @ model.coef_[0]).value

    assert model.objective_ == pytest.approx(model.coef_[0] @ model.coef_[0] / 2 + 10 * risk)
    assert model.lower_bound_ <= model.objective_


def test_training_passes_the_door_for_people_at_most_a_handful_of_times(monkeypatch):
    """Its own scores need no checks; they are ranked by the trusted door."""
    from cutline.inputs import rank

    passed = []
    read = rank._read_complete_rows
    monkeypatch.setattr(rank, "_read_complete_rows", lambda *given: passed.append(1) or read(*given))
    X, y = make_classification(300, weights=[0.8], random_state=0)

    LinearMeasureClassifier("f1", random_state=0).fit(X, y)

    assert len(passed) <= 5
