"""Every refusal, word for word: the wording is an interface.

The sentences are in messages.txt; UPDATE_MESSAGES=1 writes them anew, for a reader to look over in the diff.
"""

import math
import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

import cutline as cl
from cutline import MEASURES, Counts, Ranking, losses, rank
from cutline.core.merging import merge
from cutline.inputs.rank import cut_ranking
from cutline.measures import Needs
from cutline.training import oracle
from grouping import each_case

SNAPSHOTS = Path(__file__).with_name("messages.txt")

LABELS, SCORES = [1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]
MARGINS = [2.0, -0.5, 0.3, -1.0]
RANKING = rank(LABELS, SCORES)
EV = cl.evaluate(LABELS, SCORES)
COUNTS = Counts(tp=3, fp=1, fn=2, tn=4)
TWO_COLUMNS = np.column_stack([1 - np.array(SCORES), SCORES])
NAN = math.nan


class Estimator:
    """A fitted estimator that knows its classes, and no more."""

    def __init__(self, *classes):
        self.classes_ = np.array(classes)


class Ranker(Estimator):
    def decision_function(self, X):
        return np.asarray(X)


class Classifier(Estimator):
    def predict_proba(self, X):
        return np.column_stack([1 - np.asarray(X), X])


class Fitted(BaseEstimator):
    """An estimator that scores by its only feature."""

    def fit(self, _, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


XS = np.array(SCORES)[:, None]
DONE = cl.bootstrap_model(Fitted(), XS, LABELS, resamples=2)
MODELS = {"a": SCORES, "b": SCORES}
TWO, THREE = cl.compare(LABELS, MODELS), cl.compare(LABELS, MODELS | {"c": SCORES})
NEVER_BOTH = {"a": [NAN, 0.5], "b": [0.5, NAN]}
FRAME = {"id": [1, 2, 3, 4], "y": LABELS, "p": SCORES, "w": [1, 2, 3, 4]}


def joined(other, weights=None):
    return cl.compare("y", "p", weights, data={"a": FRAME, "b": other}, id="id")


# Each case: its name, what it mentions (the argument, usually), and the call.
CASES = [
    # lengths and shapes
    ("scores shorter than labels", "scores", lambda: rank([1, 0, 1], [0.9, 0.1])),
    ("weights shorter than labels", "weights", lambda: rank(LABELS, SCORES, [1, 2])),
    ("no cases", "empty", lambda: rank([], [])),
    ("predict_proba with two columns", "scores[:, 1]", lambda: rank(LABELS, TWO_COLUMNS)),
    ("a matrix of one column", "scores has the shape", lambda: rank(LABELS, TWO_COLUMNS[:, 1:])),
    ("a matrix of one row", "scores has the shape", lambda: rank(LABELS, [SCORES])),
    ("labels as a matrix of one column", "labels has the shape", lambda: rank([[1], [0], [1], [0]], SCORES)),
    ("a matrix of three columns", "scores", lambda: rank(LABELS, np.ones((4, 3)))),
    ("a cube", "scores", lambda: rank(LABELS, np.ones((4, 2, 2)))),
    ("ragged rows", "scores", lambda: rank([1, 0], [[1, 2], [3]])),
    ("a single score", "scores", lambda: rank(LABELS, 0.5)),
    ("no scores", "scores", lambda: rank(LABELS, None)),
    ("a single label", "labels", lambda: rank("yes", SCORES)),
    ("a generator", "labels", lambda: rank((label for label in LABELS), SCORES)),
    # missing values
    ("one missing score", "scores", lambda: rank(LABELS, [0.9, NAN, 0.6, 0.2])),
    ("several missing scores", "scores", lambda: rank(LABELS, [0.9, 0.6, NAN, NAN])),
    ("a missing label", "labels", lambda: rank([1, None, 1, 0], SCORES)),
    ("missing labels of pandas", "labels", lambda: rank(pd.Series([pd.NA, pd.NA, 1, 0], dtype="Int64"), SCORES)),
    ("a missing weight", "weights", lambda: rank(LABELS, SCORES, [1, 2, NAN, 1])),
    ("nothing left to rank", "missing label, score or weight", lambda: rank([None], [0.5], missing="drop")),
    ("missing is neither", "missing", lambda: rank(LABELS, SCORES, missing="maybe")),
    # labels
    ("three labels", "labels", lambda: rank([0, 1, 2, 2], SCORES)),
    ("many text labels", "labels", lambda: rank(list("abcdef"), range(6))),
    ("three labels and positive", "labels", lambda: rank([0, 1, 2, 2], SCORES, positive=1)),
    ("text without positive", "positive=", lambda: rank(["spam", "ham", "spam", "ham"], SCORES)),
    ("labels 1 and 2 without positive", "positive=", lambda: rank([1, 2, 1, 2], SCORES)),
    ("labels -1 and 0 without positive", "positive=", lambda: rank([-1, 0, -1, 0], SCORES)),
    ("one label that says nothing", "positive=", lambda: rank([2, 2, 2, 2], SCORES)),
    ("labels of two types", "positive=", lambda: rank(np.array([1, "a", 1, "a"], dtype=object), SCORES)),
    ("positive is not among the text labels", "positive=", lambda: rank(["a", "b", "a", "b"], SCORES, positive="c")),
    ("positive is not among the numbers", "positive=", lambda: rank(LABELS, SCORES, positive="yes")),
    ("positive is text and the labels are not", "positive", lambda: rank([1, 1, 1, 1], SCORES, positive="1")),
    ("positive is a number and the labels are text", "positive", lambda: rank(["1"] * 4, SCORES, positive=1)),
    # scores
    ("scores are text", "scores", lambda: rank(LABELS, np.array(["0.9", "0.6", "0.6", "0.2"]))),
    ("one score is text", "scores", lambda: rank(LABELS, np.array([0.9, 0.6, "n/a", 0.2], dtype=object))),
    ("scores are complex", "scores", lambda: rank(LABELS, np.array(SCORES) + 1j)),
    ("scores are dates", "scores", lambda: rank(LABELS, np.array(["2020", "2021", "2022", "2023"], dtype="M8[Y]"))),
    ("scores are timestamps", "scores", lambda: rank([1, 0], pd.to_datetime(["2020", "2021"]).astype(object))),
    ("scores are integers too large", "scores", lambda: rank([1, 0], [2**53, 2**53 + 1])),
    # weights
    ("a negative weight", "weights", lambda: rank(LABELS, SCORES, [1, -2, 1, 1])),
    ("negative weights", "weights", lambda: rank(LABELS, SCORES, [1, 1, -0.5, -2])),
    ("weights of zero only", "weights", lambda: rank(LABELS, SCORES, [0, 0, 0, 0])),
    ("an infinite weight", "weights", lambda: rank(LABELS, SCORES, [1, 1, math.inf, 1])),
    ("weights are text", "weights", lambda: rank(LABELS, SCORES, ["a", "b", "c", "d"])),
    ("weights are complex", "weights", lambda: rank(LABELS, SCORES, [1j, 1, 1, 1])),
    ("weights next to nothing", "weights", lambda: rank(LABELS, SCORES, [1e-200] * 4)),
    ("weights beyond measure", "weights", lambda: rank(LABELS, SCORES, [1e200] * 4)),
    # finished tables
    ("a negative count", "fp", lambda: Counts(tp=1, fp=-2, fn=3, tn=4)),
    ("negative counts", "tn", lambda: Counts(tp=1, fp=2, fn=3, tn=[4, -4, -5])),
    ("a count is text", "tp", lambda: Counts(tp="many", fp=2, fn=3, tn=4)),
    ("counts are ragged", "tp", lambda: Counts(tp=[[1], [1, 2]], fp=2, fn=3, tn=4)),
    ("finished scores that ascend", "score", lambda: Ranking.of_counts([1, 2], [1, 1], [1, 1])),
    ("finished counts of another length", "pos", lambda: Ranking.of_counts([2, 1], [1], [1])),
    ("finished counts below zero", "count", lambda: Ranking.of_counts([2, 1], [1, -1], [1, 1])),
    # thresholds, quotas, shares
    ("threshold is NaN", "threshold", lambda: cl.evaluate(LABELS, SCORES, threshold=NAN)),
    ("threshold is text", "threshold", lambda: cl.evaluate(LABELS, SCORES, threshold="high")),
    ("threshold is a truth value", "threshold", lambda: cl.evaluate(LABELS, SCORES, threshold=True)),
    ("threshold is a list", "threshold", lambda: EV.at(threshold=[0.5, 0.6])),
    ("quota below 1", "quota", lambda: EV.at(quota=0)),
    ("quota beyond the list", "quota", lambda: EV.at(quota=5)),
    ("quota is not whole", "quota", lambda: EV.at(quota=2.5)),
    ("quota is text", "quota", lambda: EV.at(quota="all")),
    ("quota of a measure beyond the list", "quota", lambda: cl.hit_rate(LABELS, SCORES, quota=9)),
    ("a fixed quota beyond the list", "quota", lambda: cl.hit_rate.with_(quota=9)(LABELS, SCORES)),
    ("a fixed quota that is not whole", "quota", lambda: cl.hit_rate.with_(quota=2.5)(LABELS, SCORES)),
    ("share of nothing", "share", lambda: EV.at(share=0)),
    ("share above 1", "share", lambda: EV.at(share=1.5)),
    ("share below one place", "share", lambda: EV.at(share=0.1)),
    ("quota and share", "quota and share", lambda: EV.at(quota=1, share=0.5)),
    ("threshold and quota", "threshold and quota", lambda: cut_ranking(RANKING, threshold=0.5, quota=1)),
    ("no place to cut", "threshold, quota or share", EV.at),
    # probabilities
    ("brier of margins", "scores", lambda: cl.brier(LABELS, MARGINS)),
    ("value of margins", "scores", lambda: cl.evaluate(LABELS, MARGINS).value("log_loss")),
    ("attribute of margins", "scores", lambda: cl.evaluate(LABELS, MARGINS).brier),
    ("brier of low scores", "higher_is_positive", lambda: cl.brier(LABELS, SCORES, higher_is_positive=False)),
    ("information_scores of margins", "scores", lambda: cl.information_scores(LABELS, MARGINS)),
    # names
    ("unknown measure", "acuracy", lambda: MEASURES["acuracy"]),
    ("unknown measure with a hyphen", "F-1", lambda: MEASURES["F-1"]),
    ("unknown measure like nothing", "xyzzy", lambda: MEASURES["xyzzy"]),
    ("a number for a measure", "3", lambda: MEASURES[3]),
    ("unknown value", "brier_scor", lambda: EV.value("brier_scor")),
    ("unknown reason", "recal", lambda: EV.reason("recal")),
    ("unknown scorer", "precison", lambda: cl.scorer("precison")),
    ("unknown measure in a summary", "auroc_", lambda: EV.summary(["auroc_"])),
    ("unknown attribute of an evaluation", "preciscion", lambda: EV.preciscion),
    ("unknown attribute of counts", "recal", lambda: COUNTS.recal),
    ("a ranking measure as attribute of counts", "auc", lambda: COUNTS.auc),
    ("unknown attribute of the package", "acuracy", lambda: cl.acuracy),
    # parameters
    ("unknown parameter", "betta", lambda: cl.f_beta(LABELS, SCORES, betta=2)),
    ("unknown parameter of a measure without", "beta", lambda: cl.f1(LABELS, SCORES, beta=2)),
    ("threshold of a ranking measure", "threshold", lambda: cl.auc(LABELS, SCORES, threshold=0.5)),
    ("threshold of finished counts", "threshold", lambda: cl.precision(COUNTS, threshold=0.5)),
    ("beta below 0", "beta", lambda: EV.value("f_beta", beta=-1)),
    ("beta is text", "beta", lambda: EV.value("f_beta", beta="x")),
    ("beta is a truth value", "beta", lambda: EV.value("f_beta", beta=True)),
    ("beta is NaN", "beta", lambda: EV.value("f_beta", beta=NAN)),
    ("base is 0", "base", lambda: EV.value("log_loss", base=0)),
    ("alpha above 1", "alpha", lambda: EV.value("f_alpha", alpha=2)),
    ("alpha of a loss above 1", "alpha", lambda: EV.value("focal_loss", alpha=2)),
    ("alpha of a loss is text", "alpha", lambda: EV.value("focal_loss", alpha="unbalanced")),
    ("max_fpr is 0", "max_fpr", lambda: EV.value("partial_auc", max_fpr=0)),
    ("standardised is neither", "standardised", lambda: EV.value("partial_auc", standardised="maybe")),
    ("risk is 1", "risk", lambda: EV.value("net_benefit", risk=1)),
    ("prior is 1", "prior", lambda: EV.value("information_score", prior=1)),
    ("quota is lacking", "quota", lambda: cl.hit_rate(LABELS, SCORES)),
    ("quota is lacking in a summary", "quota", lambda: EV.summary(["hit_rate"])),
    ("quota is lacking in an attribute", "quota", lambda: EV.qrecall),
    ("a name is taken", "precision", lambda: MEASURES.add(MEASURES["precision"])),
    # what a measure is asked of
    ("auc of counts", "Ranking", lambda: cl.auc(COUNTS)),
    ("brier of counts", "Ranking", lambda: cl.brier(COUNTS)),
    ("hinge loss of counts", "Ranking", lambda: cl.hinge_loss(COUNTS)),
    ("labels without scores", "scores", lambda: cl.auc(LABELS)),
    ("the threshold of a measure without", "auc", lambda: EV.threshold_of("auc")),
    # merging
    ("merging directions", "higher_is_positive", lambda: RANKING + rank(LABELS, SCORES, higher_is_positive=False)),
    ("merging positives", "positive", lambda: merge([RANKING, rank(["a", "b"], [1, 2], positive="a")])),
    # several classes
    ("one vector for several classes", "scores", lambda: cl.one_vs_rest(["a", "b"], [0.5, 0.5])),
    ("columns and classes", "classes=", lambda: cl.one_vs_rest(["a", "b"], np.ones((2, 3)))),
    ("a class without a name", "classes", lambda: cl.one_vs_rest(["a", "z"], np.ones((2, 2)), classes=["a", "b"])),
    ("several classes of two lengths", "scores", lambda: cl.one_vs_rest(["a", "b", "a"], np.ones((2, 2)))),
    ("several classes with text scores", "scores", lambda: cl.one_vs_rest(["a", "b"], [["x", "y"], ["x", "y"]])),
    ("a class without a column", "'c'", lambda: cl.one_vs_rest(["a", "c"], {"a": [0.5, 0.5], "b": [0.5, 0.5]})),
    ("one column for several classes", "1 column", lambda: cl.one_vs_rest(["a", "b"], {"a": [0.5, 0.5]})),
    ("columns of two lengths", "lengths", lambda: cl.one_vs_rest(["a", "b"], {"a": [0.5, 0.5], "b": [0.5]})),
    ("one class of several", "two classes", lambda: cl.one_vs_rest(["a", "a"], np.ones((2, 2)), classes=["a", "b"])),
    ("classes without scores", "missing", lambda: cl.one_vs_rest(["a", "b"], [[1, NAN], [1, 2]])),
    ("classes all dropped", "complete", lambda: cl.one_vs_rest(["a", "b"], [[1, NAN], [NAN, 2]], missing="drop")),
    ("weights of several classes", "weight", lambda: cl.one_vs_rest(["a", "b"], np.eye(2), [1])),
    ("a column of a class twice", "'a' twice", lambda: cl.one_vs_rest("y", ["a", "a"], data={"y": [1], "a": [1]})),
    ("columns of classes by one name", "by class", lambda: cl.one_vs_rest("y", "a", data={"y": [1], "a": [1]})),
    (
        "a column of a class that is not there",
        "'z'",
        lambda: cl.one_vs_rest("y", ["a", "z"], data={"y": [1], "a": [1]}),
    ),
    # rules
    ("rps of a vector", "probabilities", lambda: cl.ranked_probability_score([0, 1], [0.5, 0.5])),
    ("rps of one column", "probabilities", lambda: cl.ranked_probability_score([0], [[1.0]])),
    ("rps of two lengths", "labels", lambda: cl.ranked_probability_score([0], [[0.5, 0.5], [0.5, 0.5]])),
    ("rps of rows that do not add up", "probabilities", lambda: cl.ranked_probability_score([0], [[0.5, 0.6]])),
    ("rps of a negative one", "probabilities", lambda: cl.ranked_probability_score([0], [[-0.5, 1.5]])),
    ("rps with NaN", "probabilities", lambda: cl.ranked_probability_score([0], [[NAN, 1.0]])),
    ("rps and its classes", "classes", lambda: cl.ranked_probability_score(["a"], [[0.5, 0.5]], classes=["a"])),
    ("rps of an unknown label", "classes", lambda: cl.ranked_probability_score([7], [[0.5, 0.5]])),
    ("a grid of two", "grid", lambda: cl.check_proper(lambda y, q: q, grid=2)),
    ("a rule that gives NaN", "rule", lambda: cl.check_proper(lambda y, q: np.full_like(q, NAN))),
    # losses
    ("gamma below 0", "gamma", lambda: losses.focal(LABELS, MARGINS, gamma=-1)),
    ("gamma is NaN", "gamma", lambda: losses.focal(LABELS, MARGINS, gamma=NAN)),
    ("alpha of focal above 1", "alpha", lambda: losses.focal(LABELS, MARGINS, alpha=2)),
    ("alpha of focal is text", "alpha", lambda: losses.balanced_cross_entropy(LABELS, MARGINS, alpha="half")),
    ("a loss of three labels", "labels", lambda: losses.hinge([0, 1, 2], [1, 2, 3])),
    ("embeddings of two shapes", "anchor", lambda: losses.triplet([[1, 2]], [[1, 2]], [[1, 2, 3]])),
    ("embeddings with NaN", "anchor", lambda: losses.triplet([[NAN]], [[1]], [[2]])),
    # tables and scorers
    ("unknown backend", "backend", lambda: cl.Table(("a",), ((1,),)).to_frame("excel")),
    ("a scorer of a fact", "prevalence", lambda: cl.scorer("prevalence")),
    ("a scorer without quota", "quota", lambda: cl.scorer("hit_rate")),
    ("a scorer of a ranking at a threshold", "threshold", lambda: cl.scorer("auc", threshold=0.5)),
    ("a scorer with an unknown parameter", "gamma", lambda: cl.scorer("f_beta", gamma=2)),
    ("a scorer with a bad parameter", "beta", lambda: cl.scorer("f_beta", beta=-2)),
    ("a scorer of three classes", "classes", lambda: cl.scorer("auc")(Ranker(0, 1, 2), MARGINS, LABELS)),
    ("a scorer of an unfitted estimator", "fit()", lambda: cl.scorer("auc")(object(), MARGINS, LABELS)),
    ("a scorer of another class", "positive=", lambda: cl.scorer("auc", positive=7)(Ranker(0, 1), MARGINS, LABELS)),
    ("no probabilities", "predict_proba", lambda: cl.scorer("brier")(Ranker(0, 1), MARGINS, LABELS)),
    ("no margins", "decision_function", lambda: cl.scorer("hinge_loss")(Classifier(0, 1), SCORES, LABELS)),
    ("no scores at all", "predict_proba", lambda: cl.scorer("auc")(Estimator(0, 1), SCORES, LABELS)),
    # once accepted, or refused by numpy or Python in their own words
    ("quota and share of a measure", "", lambda: cl.hit_rate(LABELS, SCORES, quota=1, share=0.5)),
    ("quota and share of a summary", "", lambda: EV.summary(quota=1, share=0.5)),
    ("quota is infinite", "", lambda: EV.at(quota=math.inf)),
    ("threshold is a number in quotes", "", lambda: EV.at(threshold="0.5")),
    ("a score that float64 cannot hold", "", lambda: rank([1, 0], [10**400, 1])),
    ("labels without a hash", "", lambda: rank(np.array([{}, [], 1], dtype=object), [1, 2, 3])),
    ("weights for a finished ranking", "", lambda: cl.auc(RANKING, weights=[1, 2, 3, 4])),
    ("positive for a finished ranking", "", lambda: cl.auc(RANKING, positive="yes")),
    ("base is 1", "", lambda: cl.log_loss(LABELS, SCORES, base=1)),
    ("base is 1 for information", "", lambda: cl.mutual_information(LABELS, SCORES, base=1)),
    ("standardised is a number", "", lambda: cl.partial_auc(LABELS, SCORES, standardised=7)),
    ("portion is not whole", "", lambda: cl.portion_lift(LABELS, SCORES, portion=1.5)),
    ("portions are not whole", "", lambda: cl.portion_lift(LABELS, SCORES, portions=2.5)),
    ("unknown family", "", lambda: EV.summary(family="nonsense")),
    ("prior of single cases", "", lambda: cl.information_scores(LABELS, SCORES, prior=2)),
    ("base of single cases", "", lambda: cl.information_scores(LABELS, SCORES, base=0)),
    ("merging nothing", "", lambda: merge([])),
    ("no bins", "", lambda: RANKING.coarsen(0)),
    ("bins are text", "", lambda: RANKING.coarsen("few")),
    ("unknown class as an object", "", lambda: cl.one_vs_rest(pd.Series(["a", "z"]), np.eye(2), classes=["a", "b"])),
    ("a missing class", "", lambda: cl.one_vs_rest(["a", None], np.eye(2))),
    ("a class twice", "", lambda: cl.one_vs_rest(["a", "b"], np.ones((2, 3)), classes=["a", "a", "b"])),
    ("several classes of ragged rows", "", lambda: cl.one_vs_rest(["a", "b"], [[1], [1, 2]])),
    ("rps of text", "", lambda: cl.ranked_probability_score([0], [["a", "b"]])),
    ("rps of nothing", "", lambda: cl.ranked_probability_score([], np.ones((0, 2)))),
    ("rps of an unknown object", "", lambda: cl.ranked_probability_score([None], [[0.5, 0.5]])),
    ("rps with a class twice", "", lambda: cl.ranked_probability_score(["a"], [[0.5, 0.5]], classes=["a", "a"])),
    ("rps with too few weights", "", lambda: cl.ranked_probability_score([0, 1], np.eye(2), weights=[1])),
    ("rps with weights of zero", "", lambda: cl.ranked_probability_score([0, 1], np.eye(2), weights=[0, 0])),
    ("rps with negative weights", "", lambda: cl.ranked_probability_score([0, 1], np.eye(2), weights=[-1, 3])),
    ("rps with missing weights", "", lambda: cl.ranked_probability_score([0, 1], np.eye(2), weights=[NAN, 3])),
    ("grid is not whole", "", lambda: cl.check_proper(lambda y, q: q, grid=5.5)),
    ("a rule of another length", "", lambda: cl.check_proper(lambda y, q: q[:3])),
    ("gamma is text", "", lambda: losses.focal(LABELS, MARGINS, gamma="x")),
    ("embeddings are text", "", lambda: losses.triplet("a", "b", "c")),
    ("embeddings are a cube", "", lambda: losses.triplet(np.ones((1, 1, 1)), np.ones((1, 1, 1)), np.ones((1, 1, 1)))),
    ("margin of triplets is NaN", "", lambda: losses.triplet([[1.0]], [[1.0]], [[1.0]], margin=NAN)),
    ("a scorer of a quota at a threshold", "", lambda: cl.scorer("hit_rate", threshold=0.5)),
    ("a scorer at two cuts", "threshold and quota", lambda: cl.scorer("precision", threshold=0.5, quota=2)),
    ("areas of labels alone", "scores", lambda: cl.pem_areas(LABELS)),
    # several models
    ("one model", "scores", lambda: cl.compare(LABELS, {"a": SCORES})),
    ("no model", "scores", lambda: cl.compare(LABELS, {})),
    ("scores without names", "scores", lambda: cl.compare(LABELS, [SCORES, SCORES])),
    ("a model with fewer scores", "'b'", lambda: cl.compare(LABELS, {"a": SCORES, "b": SCORES[:3]})),
    ("a model with a missing score", "'b'", lambda: cl.compare(LABELS, {"a": SCORES, "b": [NAN, *SCORES[1:]]})),
    ("no case that all models scored", "score", lambda: cl.compare([1, 0], NEVER_BOTH, missing="drop")),
    ("two models of one name", "name", lambda: cl.compare(LABELS, {1: SCORES, "1": SCORES})),
    ("thresholds of other models", "threshold", lambda: cl.compare(LABELS, MODELS, threshold={"a": 0.5, "c": 0.5})),
    ("a threshold that is none", "threshold", lambda: cl.compare(LABELS, MODELS, threshold={"a": 0.5, "b": "x"})),
    ("other ids", "ids", lambda: joined({"id": [1, 2, 5, 6], "y": LABELS, "p": SCORES})),
    ("fewer ids", "ids", lambda: joined({"id": [1, 2], "y": [1, 0], "p": [0.9, 0.6]})),
    ("ids of another type", "ids", lambda: joined({"id": ["1", "2", "3", "4"], "y": LABELS, "p": SCORES})),
    ("an id twice", "id", lambda: joined({"id": [1, 2, 3, 3], "y": LABELS, "p": SCORES})),
    ("a row without an id", "id", lambda: joined({"id": [1, 2, 3, None], "y": LABELS, "p": SCORES})),
    ("other labels", "label", lambda: joined({"id": [1, 2, 3, 4], "y": [1, 0, 0, 1], "p": SCORES})),
    ("other weights", "weight", lambda: joined(FRAME | {"w": [1, 2, 3, 5]}, "w")),
    ("no such column of a frame", "'p'", lambda: joined({"id": [1, 2, 3, 4], "y": LABELS, "pp": SCORES})),
    ("no such column of the frame", "labels", lambda: cl.compare("label", {"a": "p", "b": "p"}, data=FRAME)),
    ("columns of other models", "scores", lambda: cl.compare("y", {"a": "p"}, data={"a": FRAME, "b": FRAME}, id="id")),
    ("frames without an id", "id=", lambda: cl.compare("y", "p", data={"a": FRAME, "b": FRAME})),
    ("one frame for one model", "data", lambda: cl.compare("y", "p", data={"a": FRAME}, id="id")),
    ("an id without frames", "data", lambda: cl.compare(LABELS, MODELS, id="id")),
    ("columns that are no names", "labels", lambda: cl.compare(LABELS, {"a": "p", "b": "p"}, data=FRAME)),
    ("no such model", "'c'", lambda: TWO["c"]),
    ("the difference of which models", "a= and b=", lambda: THREE.difference("auc")),
    ("the difference from itself", "a and b", lambda: TWO.difference("auc", "a", "a")),
    ("the difference from nobody", "'alice'", lambda: TWO.difference("auc", "alice", "b")),
    ("no such test", "method", lambda: TWO.test("auc", "mcnemmar")),
    ("no such interval", "method", lambda: TWO.difference("auc", method="delon")),
    ("delong of another measure", "delong", lambda: TWO.test("f1", "delong")),
    ("mcnemar of another measure", "mcnemar", lambda: TWO.test("precision", "mcnemar")),
    ("mcnemar of a quota", "mcnemar_exact", lambda: TWO.test("recall", "mcnemar_exact", quota=2)),
    ("tango of another measure", "tango", lambda: TWO.difference("auc", method="tango")),
    ("a level in percent", "level", lambda: TWO.difference("auc", level=95)),
    ("a level of 1", "level", lambda: TWO.verdict("auc", level=1)),
    ("no resamples of a comparison", "resamples", lambda: TWO.test("f1", resamples=0)),
    ("resamples of a comparison that are not whole", "resamples", lambda: TWO.test("f1", resamples=10.5)),
    ("a negative seed", "seed", lambda: TWO.test("f1", seed=-1)),
    ("no such curve", "curve", lambda: TWO.dominance("rok")),
    ("dominance by a measure of all cuts", "auc", lambda: TWO.dominance("threshold", measure="auc")),
    ("probabilities of margins", "brier", lambda: cl.compare(LABELS, {"a": SCORES, "b": MARGINS}).test("brier")),
    # chance
    ("no permutations", "permutations", lambda: EV.permutation_test(permutations=0)),
    ("a test of what is neither good nor bad", "prevalence", lambda: EV.permutation_test("prevalence")),
    ("a bootstrap of one class", "y", lambda: cl.bootstrap_model(Fitted(), XS, [1, 1, 1, 1])),
    ("a bootstrap of one positive", "y", lambda: cl.bootstrap_model(Fitted(), XS, [1, 0, 0, 0])),
    ("a bootstrap of no measure", "measures", lambda: cl.bootstrap_model(Fitted(), XS, LABELS, [])),
    ("a bootstrap of no models", "resamples is", lambda: cl.bootstrap_model(Fitted(), XS, LABELS, "auc", 0)),
    (
        "going on with another seed",
        "resume",
        lambda: cl.bootstrap_model(Fitted(), XS, LABELS, seed=1, resume=DONE),
    ),
    ("an estimate of what was not measured", "brier", lambda: DONE.estimate("brier")),
    (
        "three training labels",
        "y_train",
        lambda: cl.permutation_test(Fitted(), XS, [0, 1, 2, 2], XS, LABELS),
    ),
]

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (np.arange(40) < 10).astype(int)


def trained(measure="f1", X=X, y=Y, sample_weight=None, **settings):
    """Training that is refused."""
    return cl.LinearMeasureClassifier(measure, **settings).fit(X, y, sample_weight=sample_weight)


def training_cases():
    """Refusals of cutline.training."""
    flagged = lambda tp, fp, P, N: tp + fp  # noqa: E731
    holed, infinite = X.copy(), X.copy()
    holed[3, 1], infinite[7, 2] = NAN, math.inf
    yield "training with one class", "one class", lambda: trained(y=np.ones(40))
    yield "training with one positive", "positive", lambda: trained(y=np.arange(40) == 0)
    words = np.where(Y == 1, "case", "control")
    holey = np.where(np.arange(40) == 3, None, words)
    yield "training with a missing label", "NoneType", lambda: trained(y=holey)
    yield "training for a class that is not there", "Did you mean case", lambda: trained(y=words, positive="cases")
    yield "training with NaN", "NaN", lambda: trained(X=holed)
    yield "training with an infinite value", "X", lambda: trained(X=infinite)
    yield "training with NaN in a sparse matrix", "NaN", lambda: trained(X=sparse.csr_matrix(holed))
    yield "training for several classes", "OneVsRestClassifier", lambda: trained(y=np.arange(40) % 3)
    yield "training for an unknown measure", "Did you mean", lambda: trained("f1_scor")
    yield "training for a fact", "prevalence", lambda: trained("prevalence")
    yield "training for probabilities", "mae", lambda: trained("mae")
    yield "training without the quota", "quota", lambda: trained("precision_at_k")
    yield "training for more places than positives", "quota", lambda: trained("hit_rate", parameters={"quota": 11})
    yield "training for part of a place", "quota", lambda: trained("hit_rate", parameters={"quota": 2.5})
    yield "training for places beyond the list", "quota", lambda: trained("qrecall", parameters={"quota": 41})
    yield "training for more false positives than negatives", "n is", lambda: trained("roc_n", parameters={"n": 31})
    yield "training with an unknown parameter", "betta", lambda: trained("f_beta", parameters={"betta": 2})
    yield "training for a callable with parameters", "parameters", lambda: trained(flagged, parameters={"beta": 2})
    yield "training for a callable that is not monotone", "fp", lambda: trained(flagged)
    yield "training for a callable that falls with tp", "tp", lambda: trained(lambda tp, fp, P, N: (tp - 3) ** 2)
    yield "training for a callable that is infinite", "finite", lambda: trained(lambda tp, fp, P, N: tp / fp)
    yield "training for a callable of numbers", "vectorised", lambda: trained(lambda tp, fp, P, N: tp if tp > fp else 0)
    yield "training for a callable that is constant", "perfect", lambda: trained(lambda tp, fp, P, N: 0 * tp)
    yield "training for a callable that divides by zero", "division", lambda: trained(lambda tp, fp, P, N: 1 / 0)
    yield "training for a callable of two counts", "(tp, fp, P, N)", lambda: trained(lambda tp, fp: tp)
    weighted = {"sample_weight": np.ones(40)}
    profit = lambda tp, fp, P, N: 5 * tp - fp  # noqa: E731
    yield (
        "weights for the bound of a callable",
        "of the callable",
        lambda: trained(profit, solver="structural", **weighted),
    )
    yield "weights for a bound without", "sample_weight", lambda: trained("mcc", solver="structural", **weighted)
    yield "weights for a quota", "sample_weight", lambda: trained("prbep", **weighted)
    yield "negative weights for training", "sample_weight", lambda: trained(sample_weight=-np.ones(40))
    yield "unknown solver", "solver", lambda: trained(solver="smoth")
    yield "unknown method", "method", lambda: trained("auc", method="all")
    yield "newton for another measure", "newton", lambda: trained(solver="newton")
    yield "pairs for another measure", "pairs", lambda: trained(method="pairs")
    yield "unknown psi", "psi", lambda: trained(psi="none")
    yield "C below 0", "C is", lambda: trained(C=-1)
    yield "C without end", "C is", lambda: trained(C=math.inf)
    yield "C in words", "C is", lambda: trained(C="a")
    yield "tol of nothing", "tol", lambda: trained(tol=0)
    yield "smoothing below 0", "smoothing", lambda: trained("auc", smoothing=-1)
    yield "trust below 0", "trust", lambda: trained("auc", trust=-1)
    yield "trust in words", "trust", lambda: trained("auc", trust="some")
    yield "time limit of nothing", "time_limit", lambda: trained(time_limit=0)
    yield "time limit in words", "time_limit", lambda: trained(time_limit="1h")
    yield "training for no rounds", "max_iter", lambda: trained(max_iter=0)
    yield "training for half a round", "max_iter", lambda: trained(max_iter=1.5)
    yield "C for the baseline", "C has no effect", lambda: trained(C=1, solver="baseline")
    yield "C for a smooth order", "C has no effect", lambda: trained("auc", C=1, solver="smooth")
    yield "smoothing of a cut", "smoothing has no effect", lambda: trained(smoothing=0.1)
    yield "trust of cutting planes", "trust has", lambda: trained("ap", trust=1, solver="structural")
    yield "psi for pairs", "psi has no effect", lambda: trained("auc", psi="uniform", solver="structural")
    yield "tol of a smooth risk", "tol has no effect", lambda: trained(tol=1e-5, solver="smooth")
    yield "holdout without a choice", "holdout", lambda: trained(holdout=0.5, solver="smooth")
    yield "pairs for another solver", "pairs", lambda: trained("auc", method="pairs", solver="smooth")
    yield "training for a quota given twice", "quota", lambda: trained("precision@5", parameters={"k": 3})
    yield "training for an unknown spelling", "Did you mean", lambda: trained("precison@k")
    yield "holdout of all", "holdout", lambda: trained(holdout=1)
    yield "folds of one", "threshold", lambda: trained(threshold=1)
    yield (
        "too many pairs",
        "pairs",
        lambda: trained("auc", X=np.zeros((20_000, 2)), y=np.arange(20_000) % 2, method="pairs"),
    )
    yield "a report of an unknown kind", ".xlsx", lambda: EV.save("report.xlsx")
    yield "a report without a kind", "suffix", lambda: EV.save("report")
    yield "a report in no folder", "folder", lambda: EV.save("no/such/folder/report.html")
    yield "an oracle of one class", "one class", lambda: oracle("auc", [1, 1])
    yield "an oracle with unknown psi", "psi", lambda: oracle("f1", [1, 0], psi="none")
    yield "an oracle of pairs with psi", "psi", lambda: oracle("auc", [1, 0], psi="uniform")
    yield "an oracle of too few scores", "scores has 2", lambda: oracle("f1", [1, 0, 0])([0.5, 1.0])
    yield "an oracle of missing scores", "position 1", lambda: oracle("f1", [1, 0, 0])([0.5, NAN, 1.0])
    yield "an oracle of words", "scores", lambda: oracle("f1", [1, 0])(["a", "b"])
    yield "too few weights of pairs", "weights", lambda: cl.auc_pairs(LABELS, MARGINS, [1, 2])
    yield "negative weights of pairs", "weights", lambda: cl.auc_pairs(LABELS, MARGINS, [1, 2, 3, -4])
    yield "unknown loss for boosting", "focall", lambda: cl.boosting_loss("focall")
    yield "unknown parameter of a boosting loss", "beta", lambda: cl.boosting_loss("focal", beta=2)
    yield "a fact for boosting", "prevalence", lambda: cl.boosting_metric("prevalence")
    yield "unknown parameter of a boosting metric", "beta", lambda: cl.boosting_metric("auc", beta=2)
    yield "a boosting metric without its quota", "quota", lambda: cl.boosting_metric("precision_at_k")
    yield "where to start with one class", "one class", lambda: cl.boosting_loss("focal").start([1, 1])
    yield "probabilities of hinges", "log-odds", lambda: cl.boosting_loss("hinge").probabilities([0.0])
    balanced = cl.boosting_loss("balanced_cross_entropy")
    yield "probabilities of balanced classes", "prevalence", lambda: balanced.probabilities([0.0])
    focal = cl.boosting_loss("focal")
    yield "a prevalence that is not needed", "prevalence", lambda: focal.probabilities([0.0], prevalence=0.1)


CASES += training_cases()

FILES = {
    "an empty file": ("empty.csv", b"", "empty"),
    "a header without rows": ("header.csv", b"y,p\n", "no rows"),
    "text among the scores of a file": ("text.csv", b"y,p\n1,0.5\n0,abc\n", "row 2"),
    "a decimal comma": ("comma.csv", b"y;p\n1;0,5\n0;0.2\n", "decimal point"),
    "separators of thousands": ("thousands.csv", b"y;p\n1;1,234.5\n0;0.2\n", "thousands"),
    "a missing score in a file": ("missing.csv", b"y,p\n1,0.5\n0,NA\n", "row 2 below the header"),
    "a column that a file does not have": ("other.csv", b"y,q\n1,0.5\n", "no column 'p'"),
    "two columns of one name": ("twice.csv", b"y,p,p\n1,0.5,0.2\n", "several columns"),
    "a row that is too long": ("ragged.csv", b"y,p\n1,0.5,3\n", "line 2"),
    "a quote that does not end": ("quote.csv", b'y,p\n1,"0.5\n', "quote"),
    "a binary file": ("binary.csv", bytes(range(256)), "NUL"),
    "a file in another encoding": ("latin.csv", b"y,p\n\x81,0.5\n", "UTF-8"),
    "no Parquet": ("bad.parquet", b"none", "Parquet"),
    "no Arrow": ("bad.arrow", b"none", "Arrow"),
    "broken JSON lines": ("broken.jsonl", b'{"y": 1, "p": 0.5}\n{"y":', "JSON"),
    "half a gzip file": ("half.csv.gz", b"\x1f\x8b\x08\x00", "gzip"),
}


def read_file(name, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return rank("y", "p", data=path)


CASES += [(what, says, partial(read_file, name, content)) for what, (name, content, says) in FILES.items()]

ATTRIBUTES = {name for name, _, _ in CASES if "attribute of" in name and "margins" not in name}


def message_of(call):
    with pytest.raises((cl.CutlineError, AttributeError)) as caught:
        call()
    return caught.value, str(caught.value)


def stored():
    blocks = SNAPSHOTS.read_text(encoding="utf-8").strip().split("\n\n") if SNAPSHOTS.exists() else []
    return dict(block.split("\n", 1) for block in blocks)


@pytest.fixture(scope="module")
def snapshots():
    """The stored sentences, written anew first when UPDATE_MESSAGES says so."""
    if os.environ.get("UPDATE_MESSAGES") == "1":
        blocks = (f"{name}\n    {message_of(call)[1]}" for name, _, call in CASES)
        SNAPSHOTS.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    return stored()


@each_case(("name", "call"), [(name, call) for name, _, call in CASES], ids=[case[0] for case in CASES])
def test_a_refusal_says_what_is_stored(name, call, snapshots):
    assert message_of(call)[1] == snapshots[name].strip()


@each_case(("name", "mentions", "call"), CASES, ids=[case[0] for case in CASES])
def test_a_refusal_is_one_line_that_names_what_is_wrong(name, mentions, call):
    error, message = message_of(call)

    assert isinstance(error, AttributeError if name in ATTRIBUTES else cl.CutlineError)
    assert isinstance(error, ValueError) or name in ATTRIBUTES
    assert mentions in message
    assert "\n" not in message
    assert message == message.strip()
    assert message.endswith((".", "?")) or name == "unknown attribute of the package"


def test_no_sentence_is_stored_that_nothing_says(snapshots):
    assert list(snapshots) == [name for name, _, _ in CASES]


@each_case("name", [m.name for m in MEASURES if m.needs is not Needs.COUNTS])
def test_every_measure_that_counts_do_not_hold_says_so(name):
    with pytest.raises(cl.ParameterError, match=rf"^{name} needs .* pass a Ranking\.$"):
        MEASURES[name](COUNTS)


@each_case(("name", "parameter"), [(m.name, parameter) for m in MEASURES for parameter in m.parameters])
@each_case("value", ["nonsense", -1e9, NAN, [1, 2]])
def test_every_parameter_of_every_measure_refuses_nonsense(name, parameter, value, request):
    given = {"quota": 2} if "quota" in MEASURES[name].required else {}
    with pytest.raises(cl.CutlineError, match=rf"^{parameter} is ") as caught:
        MEASURES[name](RANKING, **{**given, parameter: value})

    assert "\n" not in str(caught.value)


def test_a_slip_of_the_pen_is_answered_with_the_right_name():
    for name in (name for name in MEASURES.names if len(name) > 4):
        slipped = name[:2] + name[3:]
        with pytest.raises(cl.UnknownNameError) as caught:
            MEASURES[slipped]

        assert name in str(caught.value).partition("Did you mean ")[2].rstrip("?").replace(" or ", ", ").split(", ")


def test_an_unknown_name_is_a_key_error_that_reads_as_a_sentence():
    error, message = message_of(lambda: MEASURES["acuracy"])

    assert isinstance(error, KeyError)
    assert isinstance(error, ValueError)
    assert message.startswith("There is no measure")


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: losses.hinge(LABELS, [1, NAN, 2, 3]), "margins"),
        (lambda: losses.focal(LABELS, [1, 2]), "margins"),
        (lambda: losses.logistic(LABELS, list("abcd")), "margins"),
        (lambda: cl.information_scores(LABELS, [0.1, NAN, 0.2, 0.3]), "scores"),
    ],
)
def test_a_refusal_speaks_of_the_arguments_of_the_function_that_was_called(call, argument):
    message = message_of(call)[1]

    assert argument in message
    assert "missing=" not in message
