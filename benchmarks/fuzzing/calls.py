"""Calls: every public function and every public method of what they give, with sensible arguments and wrong ones.

What is public is asked of the package, so that new names are tried from then on without a word here.
"""

from __future__ import annotations

import copy
import inspect
import math
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

LABELS, SCORES = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.7, 0.1, 0.8, 0.4, 0.5, 0.3]
OTHER = [0.1, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7, 0.6, 0.5, 0.45]

# What trusts its caller, by design: the inside of a ranking, records that are only made by cutline, and what
# scikit-learn's or Python's own base classes bring along.
TRUSTED = {
    "Ranking.cached", "Ranking.at_cut", "Ranking.cut", "Ranking.position", "Ranking.at_quota", "Ranking.at_threshold",
    "Measure.compute", "Measure.prepare", "Measure.fits", "cl.measure", "cl.check_measure",
    "Ranking.one_by_one", "Registry.add", "Registry.remove", "Measure.check", "OneVsRest.compute",
    "Ranking.extreme", "Ranking.totals_at", "Ranking.cuts", "Ranking.cuts_up_to", "Charts.at",
}  # fmt: skip
RECORDS_THAT_PEOPLE_MAKE = ("Counts", "Situation")
SOME_MEASURES = ("measure:auc", "measure:f_beta", "measure:log_loss", "measure:hit_rate")


@cache
def pool() -> list[Any]:
    """What people pass by mistake."""
    import numpy as np
    import pandas as pd

    return [
        LABELS, SCORES, np.array(LABELS), np.array(SCORES), pd.Series(SCORES), tuple(LABELS), None, 0, 1, -1, 3,
        0.5, 2, 1e308, 1e-320, math.nan, math.inf, True, False, "auc", "f1", "roc", "y", "", "x" * 50, b"y", [], {}, (),
        {"a": SCORES}, {"a": 1}, {"a": SCORES, "b": OTHER}, {"y": LABELS, "p": SCORES}, [None] * 10, ["a", "b"] * 5,
        [[1], [0]] * 5, np.ones((10, 2)), np.array([]), object(), 1j, pd.DataFrame({"y": LABELS, "p": SCORES}),
        np.array(["a"] * 10), [1, 0, 2, 0] * 3, range(10), Path("no/such.csv"), {1, 0}, np.float32(0.5), np.array(0.5),
        10**400, -(10**30), "0.5", [math.nan] * 10, np.array(["2020-01-01"] * 10, dtype="M8[D]"), [True, False] * 5,
        [2**70] * 10, [1, "a", None, 0.5], "drop", "wilson", "bootstrap", "pandas", "nosuch", "x.json", "x.html",
        "no/x.csv",
        len, lambda *_: "x", lambda *_: math.nan, "recall >= 0.5", "recall >= 2", ["auc", 3], [("auc", {})],
        np.array(SCORES, dtype=np.longdouble), np.array(SCORES, dtype=np.float16), np.ma.masked_array(SCORES,
        mask=[1] * 10),
        np.datetime64("2020-01-01"), np.timedelta64(1, "D"), "\x9b", "\udcff", type, ..., [math.inf, -math.inf] * 5,
        [1.7e308, -1.7e308] * 5, [5e-324, 1e-310] * 5, [0.0, -0.0] * 5, pd.NA, pd.Series([1, 0] * 5, index=[3] * 10),
        pd.Categorical(["a", "b"] * 5), iter([1, 0] * 5), np.bool_(True), np.int8(3), np.uint64(2**63), "a" * 5000,
    ]  # fmt: skip


@cache
def more() -> list[Any]:
    """What else people pass by mistake, one at a time (see `singles`)."""
    import datetime as dt
    import decimal
    import fractions

    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    import cutline as cl

    ev = cl.evaluate(LABELS, SCORES)
    return [
        *pool(),
        pl.Series(SCORES), pl.DataFrame({"y": LABELS, "p": SCORES}), pl.LazyFrame({"y": LABELS, "p": SCORES}),
        pa.array(LABELS), pa.table({"y": LABELS}), pd.DataFrame(), pd.Series([], dtype=float), pd.Series([None, 1] * 5),
        pd.array([1, None] * 5, dtype="Int64"), pd.Timestamp("2020-01-01"), pd.NaT, dt.date(2020, 1, 1),
        decimal.Decimal("0.3"), decimal.Decimal("NaN"), fractions.Fraction(1, 3), [fractions.Fraction(1, 2)] * 10,
        np.str_("auc"), np.array("auc"), np.array([["a"]]), np.zeros((2, 2, 2)), np.full(10, None), np.void(b"abc"),
        np.array([1 + 1j] * 10), np.array([(1, 2.0)] * 10, dtype="i4,f8"), np.float64("nan"), np.longdouble("1e4000"),
        np.float16(0.1), np.int64(-1), 2**31, 2**63, -0.0, -1e-320, 0.1 + 0.2j, float(2**60),
        ev, ev.ranking, ev.counts, frozenset({"auc"}), bytearray(b"auc"), memoryview(b"auc"), slice(1, 2), [..., ...],
        {"a": OTHER, "b": SCORES, 3: SCORES}, {"a": None}, {"a": {}}, {None: SCORES}, {"a": SCORES, "b": SCORES[:3]},
        {"tp": 1}, {"cost_fp": 1, "cost_fn": "x"}, {"y": [], "p": []}, {"y": LABELS}, {"y": LABELS, "p": None},
        [[0.1, 0.2], [0.3]], (0.5,), (0.2, 0.8), (0.8, 0.2), [0.5], [0.5, "x"], [{"y": 1, "p": 0.5}], ("y", "p"),
        ["auc", None], [b"auc"], ["auc", "auc"], [["auc"]], "auc.low >= 0.5", "AUC", " auc", "auc@quota=3", "roc,roc",
        "/dev/null", "~nosuchuser/x.json", "x.json/y.json", "x\0.json", ".json", "x.JSON", "x.html.gz", Path(),
        Path("x.csv"), "1_0", "nan", "inf", "None", "True", "\n", "\x1b[2J", "=1+1", "y p", KeyError, KeyError("a"),
        lambda: 1, lambda *_: 1 / 0, NotImplemented,
    ]  # fmt: skip


@cache
def sensible() -> dict[str, list[Any]]:
    """Arguments that make sense, by the name of the parameter."""
    import numpy as np

    import cutline as cl

    ev, cmp = cl.evaluate(LABELS, SCORES), cl.compare(LABELS, {"a": SCORES, "b": OTHER})
    features = np.column_stack([SCORES, OTHER])
    from sklearn.linear_model import LogisticRegression

    return {
        "labels": [LABELS], "scores": [SCORES], "weights": [None, [1, 2] * 5, [0.5] * 10], "data": [None, ev,
        ev.ranking],
        "ranking": [ev.ranking], "ev": [ev], "cmp": [cmp], "one": ["a"], "other": ["b"], "a": ["a"], "b": ["b"],
        "measure": ["auc", "f1", "log_loss"], "measures": ["auc", ["auc", "f1"]], "name": ["auc", "roc"],
        "models": [ev, cmp],
        "curve": ["roc", "precision_recall"], "requirements": ["recall >= 0.5"], "estimator": [LogisticRegression()],
        "X": [features], "y": [LABELS], "resamples": [100], "seed": [0, 7], "level": [0.9], "x": [[0.1, 0.5]],
        "path": ["made.json"], "overwrite": [True], "backend": ["pandas", "polars", "pyarrow"], "threshold": [0.5],
        "quota": [3], "share": [0.3], "prevalence": [0.3], "tables": [{"a": ev.counts}], "probability": [0.3],
        "truth": [[0.3, 0.7]], "report": [0.4, [0.3, 0.7]], "belief": [0.4], "rule": [lambda y, q: -((y - q) ** 2)],
        "situation": [cl.Situation(goal="rank")], "margins": [SCORES], "tp": [3], "fp": [1], "fn": [2], "tn": [4],
        "suffix": [".svg", ".json", ".png"], "methods": [("logistic",)], "folds": [2], "permutations": [20],
        "n_jobs": [1],
        "value": [5.0], "cost": [1.0], "table": [cl.Discordance(3, 5, 10)], "anchor": [[1.0, 0.0]],
        "negative": [[0.0, 1.0]],
        "probabilities": [features / features.sum(1, keepdims=True)], "goal": ["rank", "quota"], "sizes": [[100, 200]],
        "document": [cl.choose_cut(ev, "recall >= 0.5", resamples=0).to_dict()], "flagged": [0.2], "score": [[0.9,
        0.2]],
        "pos": [[1, 0]], "neg": [[0, 1]], "bins": [2], "risk": [0.3], "portions": [5], "risks": [[0.1, 0.2]],
        "tool_name": ["scikit-learn"],
        "null": [0.0], "variant": ["midp"], "method": ["auto"], "word": ["rate"], "kind": ["consistency"],
    }  # fmt: skip


@cache
def own() -> dict[str, list[Any]]:
    """Arguments that make sense of one function alone, by function and parameter; they are always passed."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    import cutline as cl

    ev = cl.evaluate(LABELS, SCORES)
    models, by_slice = {"a": SCORES, "b": OTHER}, ["s", "t"] * 5
    features = np.column_stack([SCORES, OTHER])
    fitted = LogisticRegression().fit(features, LABELS)
    classes = ["a", "b", "c", "a", "b"] * 2
    of_classes = [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]] * 5
    days = {"2026-01-01": ev.ranking}
    watched = cl.monitor(ev, days)
    many = cl.evaluate([0, 1, 1, 0, 1] * 40, [(i % 10) / 10 for i in range(200)])
    return {
        "cl.advise.situation": [cl.Situation(goal="rank")],
        "cl.band.curve": [lambda r: np.array([0.2, 0.6])],
        "cl.boosting_loss.name": ["focal"],
        "cl.chart.models": [ev],
        "cl.compare.scores": [models],
        "cl.compare_by_slice.scores": [models],
        "cl.compare_by_slice.by": [by_slice],
        "cl.compare_classes.labels": [classes],
        "cl.compare_classes.scores": [{"a": of_classes, "b": of_classes[::-1]}],
        "cl.compare_datasets.table": [{"a": SCORES, "b": OTHER}],
        "cl.compare_folds.models": [models],
        "cl.compare_folds.folds": [[0, 0, 1, 1, 2, 2, 0, 1, 2, 0]],
        "cl.compare_independent.a": [ev],
        "cl.compare_independent.b": [cl.evaluate(LABELS, OTHER)],
        "cl.drift.reference": [SCORES],
        "cl.drift.sample": [OTHER],
        "cl.evaluate_model.estimator": [fitted],
        "cl.find_slices.features": [{"s": by_slice}],
        "cl.find_slices.least": [2],
        "cl.find_slices.permutations": [99],
        "cl.find_slices.measure": ["error_rate"],
        "cl.monitor.release": [ev],
        "cl.monitor.days": [days],
        "cl.one_vs_rest.labels": [classes],
        "cl.one_vs_rest.scores": [of_classes],
        "cl.plan.auc": [0.8],
        "cl.plan.auc_width": [0.1],
        "cl.pem_areas.scores": [SCORES],
        "cl.recalibrate.scores": [SCORES],
        "cl.screen.phases": [{"b": OTHER * 20}],
        "cl.screen.labels": [LABELS * 20],
        "cl.screen.keep": [0.5],
        "cl.why.value": [0.86],
        "cl.worth_recalibrating.ev": [many],
        "cl.mean_triplet_loss.positive": [[1.0, 0.0]],
        "cl.triplet_loss.positive": [[1.0, 0.0]],
        "losses.triplet.positive": [[1.0, 0.0]],
        "losses.triplet_loss.positive": [[1.0, 0.0]],
        "cl.bootstrap_model.resamples": [2],
        "cl.permutation_test.permutations": [2],
        "cl.permutation_test.X_train": [features],
        "cl.permutation_test.y_train": [LABELS],
        "cl.permutation_test.X_test": [features],
        "cl.permutation_test.y_test": [LABELS],
        "Recalibration.from_dict.document": [cl.recalibrate(ev).to_dict()],
        "Evaluation.at.quota": [3],
        "Evaluation.curve.name": ["roc"],
        "Evaluation.chart.name": ["roc"],
        "Evaluation.threshold_of.measure": ["ks"],
        "Measure.threshold.ranking": [ev.ranking],
        "Ranking.save.path": ["made.ranking"],
        "Summary.with_notes.notes": [()],
        "ComparisonSummary.with_notes.notes": [()],
        "ComparisonSummary.best.key": ["auc"],
        "Cut.surprise.flagged": [3],
        "Cut.surprise.cases": [10],
        "Measure.baseline_value.data": [ev.ranking],
        "Measure.reason.data": [ev.ranking],
        "Scorer.value.estimator": [fitted],
        "examples.load.name": ["ten_cases"],
        "Monitor.update.days": [days],
        "Monitor.update.day": ["2026-01-02"],
        "Monitor.acknowledge.day": ["2026-01-01"],
        "Monitor.acknowledge.measure": ["auc"],
        "Monitor.acknowledge.why": ["known"],
        "Monitor.merge.other": [watched],
        "Monitor.check_started_with.release": [ev],
        "Monitor.from_state.document": [watched.state()],
        "Monitor.rebaseline.release": [ev],
        "Monitor.rebaseline.why": ["retrained"],
        "Monitor.resume.days": [days],
        "Screening.apply.scores_by_phase": [{"b": OTHER}],
        "Slices.with_least.least": [1],
        "Slices.pooled.measure": ["accuracy"],
        "FoldEvaluation.fold.fold": [0],
        "CrossValidation.fold.fold": [0],
        "CrossValidation.chart.name": ["roc"],
        "FoldSummary.with_notes.notes": [()],
        "NestedCrossValidation.error.measure": ["accuracy"],
        "NestedCrossValidation.estimate.measure": ["accuracy"],
        "QuotaPeriods.baseline.measure": ["hit_rate"],
        "QuotaPeriods.estimate.measure": ["hit_rate"],
        "QuotaPeriods.optimum.measure": ["hit_rate"],
        "QuotaPeriods.value.measure": ["hit_rate"],
        "QuotaPeriods.curve.name": ["roc"],
        "CrossValidation.nested.repeats": [2],
    }


def own_arguments(name: str, parameter: str) -> list[Any] | None:
    """Return the arguments of `own` for a parameter of a function; several objects of a class share them."""
    kind, _, rest = name.partition(".")
    return own().get(f"{kind.partition(':')[0]}.{rest}.{parameter}")


@cache
def objects() -> dict[str, Any]:
    """Results of every kind, by the name of their class; several of one kind are tried in turn."""
    import cutline as cl

    ev = cl.evaluate(LABELS, SCORES)
    cmp = cl.compare(LABELS, {"a": SCORES, "b": OTHER})
    weighted = cl.evaluate(LABELS, SCORES, [0.5, 1.5] * 5)
    grouped = cl.evaluate(LABELS, SCORES, groups=["g", "h", "g", "i", "k"] * 2)
    points = cl.evaluate(LABELS, [100 * score for score in SCORES])
    found = [
        ev, weighted, grouped, points, cmp, ev.ranking, ev.counts, ev.curve("roc"), ev.summary(["auc", "f1"],
        resamples=0),
        cmp.summary("auc", resamples=0), ev.estimate("auc"), cmp.test("auc"), cmp.dominance("roc"), ev.gains(),
        ev.calibration(), cl.choose_cut(ev, "recall >= 0.5", resamples=0), cl.recalibrate(ev), cl.recalibrate(ev,
        method="beta"), cl.recalibrate(ev, method="venn_abers"),
        cl.plan(0.3, auc=0.8, auc_width=0.1), cl.cost_curve(ev), ev.chart("roc"), cl.MEASURES, cl.CURVES, cl.CHARTS,
        cl.MEASURES["auc"], cl.MEASURES["f_beta"], cl.scorer("auc"), cl.roc_band(ev, resamples=100), ev.places(),
        cl.one_vs_rest(["a", "b", "c"] * 4, [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]] * 6), cmp.hull(), cl.Discordance(3, 5,
        10),
        cl.losses, cl.examples, cl.worth_recalibrating(ev, ("intercept",), folds=2),
        cmp.confidence_curve(resamples=100), *_newer_results(),
    ]  # fmt: skip
    named: dict[str, Any] = {}
    for one in found:
        kind = one.__name__.rpartition(".")[2] if inspect.ismodule(one) else type(one).__name__
        named[kind if kind not in named else f"{kind}:{len(named)}"] = one
    return named


def _newer_results() -> list[Any]:
    """Results of folds, slices, periods, drift, several classes and models, and of watching."""
    from sklearn.linear_model import LogisticRegression

    import cutline as cl

    ev, models = cl.evaluate(LABELS, SCORES), {"a": SCORES, "b": OTHER}
    features = [[*row] for row in zip(SCORES, OTHER, strict=True)]
    by_slice, folds, classes = ["s", "t"] * 5, [0, 0, 1, 1, 2, 2, 0, 1, 2, 0], ["a", "b", "c", "a", "b"] * 2
    of_classes = [[0.2, 0.3, 0.5], [0.6, 0.2, 0.2]] * 5
    slices = cl.evaluate(LABELS, SCORES, by=by_slice)
    in_folds = cl.evaluate(LABELS, SCORES, folds=folds)
    validated = cl.cross_validate(LogisticRegression(), features, LABELS, cv=3)
    of_labels = cl.one_vs_rest([[1, 0], [0, 1]] * 5, features)
    return [
        slices, slices.summary("auc"), cl.compare_by_slice(LABELS, models, by_slice), in_folds, in_folds.summary("auc"),
        validated, validated.nested(2), cl.compare_folds(LABELS, models, folds), cl.compare_datasets(models),
        cl.compare_independent(ev, cl.evaluate(LABELS, OTHER)), cl.drift(SCORES, OTHER), cl.expected(SCORES),
        cl.monitor(ev, {"2026-01-01": ev.ranking}), cl.screen(LABELS * 20, {"b": OTHER * 20}, keep=0.5), of_labels,
        cl.compare_classes(classes, {"a": of_classes, "b": of_classes[::-1]}), cl.pem_areas(LABELS, SCORES),
        cl.evaluate(LABELS, SCORES, quota=2, quota_by=by_slice), cl.Note("rule", "text"),
        cl.find_slices(LABELS, SCORES, features={"s": by_slice}, least=2, permutations=99),
        cl.bootstrap_model(LogisticRegression(), features, LABELS, resamples=5),
        cl.why(LABELS, SCORES, value=0.86, measure="auc"), cl.compare_counts({"a": ev.counts, "b": ev.counts}),
    ]  # fmt: skip


@cache
def targets() -> dict[str, Callable[..., Any]]:
    """Everything that a person can call, by name."""
    import cutline as cl

    found: dict[str, Callable[..., Any]] = {}
    for name in cl.__all__:
        one = getattr(cl, name)
        if inspect.isfunction(one) or name in RECORDS_THAT_PEOPLE_MAKE:
            found[f"cl.{name}"] = one
    for measure in cl.MEASURES:
        found[f"measure:{measure.name}"] = measure
    found |= {"Ranking.of_counts": cl.Ranking.of_counts, "Counts.independent": cl.Counts.independent}
    found |= {"Cut.from_dict": cl.Cut.from_dict, "Recalibration.from_dict": cl.Recalibration.from_dict}
    for kind, one in objects().items():
        for name in sorted(dir(type(one)) if not inspect.ismodule(one) else dir(one)):
            member = None if name.startswith("_") else getattr(type(one), name, None) or getattr(one, name, None)
            if not callable(member) or inspect.isclass(member) or not _is_ours(member, one):
                continue
            found[f"{kind}.{name}"] = getattr(one, name)
    return {name: one for name, one in found.items() if _public(name)}


def _is_ours(member: Any, owner: Any) -> bool:
    """Whether a function is one of cutline's, and not one that a module of ours imports."""
    home = str(getattr(member, "__module__", ""))
    return home == owner.__name__ if inspect.ismodule(owner) else home.startswith("cutline")


def _public(name: str) -> bool:
    kind, _, rest = name.partition(".")
    return f"{kind.partition(':')[0]}.{rest}".removesuffix(".") not in TRUSTED


def call(identity: str) -> tuple[Callable[..., Any], list[Any], dict[str, Any]]:
    """A function with the arguments that an identity names: cl.evaluate-17, or cl.evaluate~labels~3 of `singles`."""
    name, _, single = identity.partition("~")
    name = name if single else identity.rpartition("-")[0]
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    made, given, named = targets()[name], [], {}
    if name.startswith("Monitor."):  # whose days are added to it: each call gets one of its own
        made = getattr(copy.deepcopy(objects()["Monitor"]), name.partition(".")[2])
    parameters = parameters_of(name)
    if name.startswith("measure:") and not single:
        named = {key: dice.choice(pool()) for key in (*made.parameters, "threshold", "quota") if dice.random() < 0.2}
    wrong = dice.randrange(max(len(parameters), 1)) if dice.random() < 0.9 else -1
    for place, parameter in enumerate(parameters):
        is_wrong = not single and (place == wrong or dice.random() < 0.08)
        if parameter.kind is parameter.VAR_KEYWORD:
            names = ("beta", "quota", "threshold", "share", "theme", "resamples", "level")
            named |= {dice.choice(names): dice.choice(pool())} if is_wrong else {}
            kind, _, rest = name.partition(".")
            if rest in ("to_dict", "to_frame", "save") and kind.partition(":")[0] in ("Evaluation", "Comparison"):
                named.setdefault("resamples", 0)  # of a summary with all measures
            continue
        if single.startswith(f"{parameter.name}~"):
            value = more()[int(single.rpartition("~")[2])]
        elif not is_wrong and (fitting := own_arguments(name, parameter.name)):
            value = dice.choice(fitting)
        elif parameter.default is not parameter.empty and not is_wrong and (single or dice.random() > 0.25):
            # By default there are thousands of resamples, and cl.why searches every measure.
            if parameter.name in ("resamples", "permutations") or (name == "cl.why" and parameter.name == "measure"):
                named[parameter.name] = sensible()[parameter.name][0]
            continue
        else:
            value = dice.choice(pool() if is_wrong else sensible().get(parameter.name, [parameter.default]))
            value = None if value is parameter.empty else value
        if parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty:
            named[parameter.name] = value
        else:
            given.append(value)
    return made, given, named


def parameters_of(name: str) -> list[inspect.Parameter]:
    """The parameters of a function; a measure is called with arrays, with its weights and positive label by name."""
    if name.startswith("measure:"):
        return [_parameter("labels", None), _parameter("scores", None), *_by_name("weights", "positive")]
    return [*inspect.signature(targets()[name]).parameters.values()]


def singles() -> list[str]:
    """Each parameter of each function with each wrong value, all others sensible; of the measures, one of each kind."""
    found = []
    for name in targets():
        is_asked = not name.startswith("measure:") or name in SOME_MEASURES
        for parameter in parameters_of(name) if is_asked else ():
            if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                found += [f"{name}~{parameter.name}~{place}" for place in range(len(more()))]
    return found


def _parameter(name: str, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    empty = inspect.Parameter.empty if default is None else default
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, default=empty)


def _by_name(*names: str) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
