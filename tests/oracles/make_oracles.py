"""Freeze the answers of other packages in `answers.json`, which `tests/test_oracles.py` compares cutline with.

The tests read the frozen file only: they never need the packages below, and this script does not need cutline.
To make the file again, in an environment of its own:

    pip install scikit-learn==1.9.1 scipy==1.17.1 pycm==4.6 imbalanced-learn==0.14.2 rdkit==2026.9.1 \
        hmeasure==0.1.6 dcurves==1.1.7 mlxtend==0.25.0 scores==2.7.0 ranx==0.3.21 \
        torch==2.13.0 torchmetrics==1.9.0 kornia==0.9.0
    python tests/oracles/make_oracles.py

The versions that were really used are written into the file. The data sets have fixed seeds, so the same versions give
the same file.

What a peer calls undefined is null, and an infinite answer is "inf". Where a peer has another convention than cutline,
the function of that peer says so, and translates the question or leaves it out.
"""

from __future__ import annotations

import json
import math
import platform
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# The peers are imported where they are used: pytest imports this file in search of doctests, and must not need them.

Answer = tuple[str, dict[str, Any], Any]  # cutline's name of the measure, its parameters, the peer's value

HERE = Path(__file__).parent
CUTS = (0.5, 0.3)


class Data(NamedTuple):
    """One data set; integer weights stand for repeated rows."""

    labels: np.ndarray
    scores: np.ndarray
    weights: np.ndarray | None = None

    @property
    def tied(self) -> bool:
        return len(np.unique(self.scores)) < len(self.scores)

    @property
    def case(self) -> np.ndarray:
        """The weight of each case."""
        return np.ones(len(self.labels)) if self.weights is None else self.weights

    @property
    def ordered(self) -> np.ndarray:
        """The labels from the highest score to the lowest."""
        return self.labels[np.argsort(-self.scores)]

    def flagged(self, threshold: float) -> np.ndarray:
        return (self.scores >= threshold).astype(int)

    def table(self, threshold: float) -> np.ndarray:
        """The weights of tp, fp, fn and tn."""
        cell = 2 * (1 - self.flagged(threshold)) + (1 - self.labels)
        return np.bincount(cell, self.case, minlength=4)


# ---------------------------------------------------------------------- the data


def draw(seed: int, n: int, *, prevalence: float = 0.5, shift: float = 1.0, decimals: int = 6) -> Data:
    """Scores in (0, 1), those of the positives shifted; few decimals make many ties."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) < max(1, round(prevalence * n))).astype(int)
    rng.shuffle(labels)
    scores = 1 / (1 + np.exp(-rng.normal(shift * (labels - 0.5), 1)))
    return Data(labels, np.clip(scores.round(decimals), 0.01, 0.99))


def weigh(data: Data, seed: int, *, whole: bool) -> Data:
    rng = np.random.default_rng(seed)
    n = len(data.labels)
    return data._replace(weights=rng.integers(0, 5, n) if whole else rng.gamma(2, 1, n).round(3))


def certain(data: Data) -> Data:
    """Some probabilities of exactly 0 and 1, some of them wrong, so that logarithms have to be clipped."""
    scores = data.scores.copy()
    scores[:3], scores[3:6] = 0, 1
    return data._replace(scores=scores)


def all_data() -> dict[str, Data]:
    perfect = draw(8, 12)
    return {
        "tiny": draw(24, 10, shift=0.5),
        "plain": draw(2, 60, prevalence=0.4),
        "imbalanced": draw(3, 300, prevalence=0.05, shift=2),
        "tied": draw(4, 80, decimals=1),
        "imbalanced_tied": draw(5, 200, prevalence=0.1, shift=1.5, decimals=1),
        "worse_than_chance": draw(6, 40, shift=-1),
        "certain": certain(draw(7, 30)),
        "perfect": perfect._replace(scores=(perfect.labels + perfect.scores) / 2),
        "weighted": weigh(draw(9, 60, prevalence=0.3), 10, whole=False),
        "weighted_tied": weigh(draw(11, 70, decimals=1), 12, whole=False),
        "whole_weights": weigh(draw(13, 50, decimals=1), 14, whole=True),
    }


# ---------------------------------------------------------------------- scikit-learn


def proper_cuts(data: Data) -> Iterator[float]:
    """The cuts with something in every cell, where no convention for 0/0 is needed."""
    yield from (t for t in CUTS if data.table(t).all())


def scikit_learn_cuts(data: Data) -> Iterator[Answer]:
    """It answers 0 where precision or MCC is undefined, so only cuts without such a question are asked about."""
    import sklearn.metrics as sk

    weights = {"sample_weight": data.weights}
    for threshold in proper_cuts(data):
        cut = {"threshold": threshold}
        labels, flagged = data.labels, data.flagged(threshold)
        lr_plus, lr_minus = sk.class_likelihood_ratios(labels, flagged, **weights)
        yield "lr_plus", cut, lr_plus
        yield "lr_minus", cut, lr_minus
        for name, function in {
            "accuracy": sk.accuracy_score,
            "error_rate": sk.zero_one_loss,
            "balanced_accuracy": sk.balanced_accuracy_score,
            "precision": sk.precision_score,
            "recall": sk.recall_score,
            "f1": sk.f1_score,
            "jaccard": sk.jaccard_score,
            "mcc": sk.matthews_corrcoef,
            "kappa": sk.cohen_kappa_score,
        }.items():
            yield name, cut, function(labels, flagged, **weights)
        for beta in (0.5, 2.0):
            value = sk.fbeta_score(labels, flagged, beta=beta, **weights)
            yield "f_beta", cut | {"beta": beta}, value
            yield "f_alpha", cut | {"alpha": 1 / (1 + beta**2)}, value
        # Costs are no weights of cases: the sum is divided by the number of cases.
        by_class = np.where(labels == 1, 5, 0.5) * data.case
        cost = sk.zero_one_loss(labels, flagged, sample_weight=by_class, normalize=False) / data.case.sum()
        yield "expected_cost", cut | {"cost_fp": 0.5, "cost_fn": 5}, cost
        if data.weights is None:
            information = sk.mutual_info_score(labels, flagged)
            yield "mutual_information", cut, information
            yield "mutual_information", cut | {"base": 2}, information / math.log(2)


def scikit_learn_ranking(data: Data) -> Iterator[Answer]:
    import sklearn.metrics as sk
    from sklearn.isotonic import IsotonicRegression

    labels, scores, weights = data.labels, data.scores, {"sample_weight": data.weights}
    yield "auc", {}, sk.roc_auc_score(labels, scores, **weights)
    yield "average_precision", {}, sk.average_precision_score(labels, scores, **weights)
    both = np.column_stack((1 - labels, labels)), np.column_stack((-scores, scores))
    yield "mean_average_precision", {}, sk.average_precision_score(*both, average="macro", **weights)
    calibrated = IsotonicRegression().fit_transform(scores, labels, **weights)
    # The curve of the calibrated scores is the hull.
    yield "auch", {}, sk.roc_auc_score(labels, calibrated, **weights)
    # Its curve starts at precision 1 and recall 0; cutline's starts at (0, 0), as Berrar draws it.
    precision, recall, _ = sk.precision_recall_curve(labels, scores, **weights)
    yield "aucpr_minmax", {}, sk.auc(recall, np.append(precision[:-1], 0))
    for max_fpr in (0.1, 0.25, 0.6):
        standardised = sk.roc_auc_score(labels, scores, max_fpr=max_fpr, **weights)
        area = unstandardised(standardised, max_fpr)
        yield "partial_auc", {"max_fpr": max_fpr}, standardised
        yield "partial_auc", {"max_fpr": max_fpr, "standardised": False}, area
        yield "partial_auc", {"max_fpr": max_fpr, "standardised": "box"}, area / max_fpr
    negatives = (1 - labels) @ data.case
    for n in (1, 3):
        area = unstandardised(sk.roc_auc_score(labels, scores, max_fpr=n / negatives, **weights), n / negatives)
        yield "roc_n", {"n": n}, area * negatives / n


def unstandardised(value: float, max_fpr: float) -> float:
    """The area behind the only partial AUC that it gives, McClish's."""
    chance = max_fpr**2 / 2
    return chance + (2 * value - 1) * (max_fpr - chance)


def scikit_learn_probabilities(data: Data) -> Iterator[Answer]:
    import sklearn.metrics as sk

    labels, scores, weights = data.labels, data.scores, {"sample_weight": data.weights}
    loss = sk.log_loss(labels, scores, **weights)
    yield "log_loss", {}, loss
    yield "log_loss", {"base": 2}, loss / math.log(2)
    yield "brier", {}, sk.brier_score_loss(labels, scores, **weights)
    yield "brier_skill", {}, sk.d2_brier_score(labels, scores, **weights)
    yield "mae", {}, sk.mean_absolute_error(labels, scores, **weights)
    yield "rmse", {}, sk.root_mean_squared_error(labels, scores, **weights)
    yield "hinge_loss", {}, sk.hinge_loss(labels, scores, **weights)
    case = data.case
    for alpha in (0.7, None):
        # The weights of the classes are no weights of cases: the sum is divided by the number of cases.
        of_positive = (1 - labels) @ case / case.sum() if alpha is None else alpha
        by_class = np.where(labels == 1, of_positive, 1 - of_positive)
        total = sk.log_loss(labels, scores, sample_weight=case * by_class, normalize=False)
        yield "balanced_cross_entropy", {} if alpha is None else {"alpha": alpha}, total / case.sum()


def scikit_learn(data: Data) -> Iterator[Answer]:
    yield from scikit_learn_cuts(data)
    yield from scikit_learn_ranking(data)
    yield from scikit_learn_probabilities(data)


# ---------------------------------------------------------------------- tables


PYCM = {
    "accuracy": "ACC",
    "error_rate": "ERR",
    "recall": "TPR",
    "specificity": "TNR",
    "fpr": "FPR",
    "fnr": "FNR",
    "precision": "PPV",
    "npv": "NPV",
    "fdr": "FDR",
    "false_omission_rate": "FOR",
    "prevalence": "PRE",
    "youden_j": "BM",
    "markedness": "MK",
    "lr_plus": "PLR",
    "lr_minus": "NLR",
    "diagnostic_odds_ratio": "DOR",
    "balanced_accuracy": "AUC",  # of the one cut: the mean of recall and specificity
    "g_mean": "GM",
    "g_measure": "G",
    "f1": "F1",
    "jaccard": "J",
    "lift": "LS",
    "mcc": "MCC",
}


def pycm(data: Data) -> Iterator[Answer]:
    """It answers "None" to every division by zero, where cutline tells 0/0 (NaN) from x/0 (infinite).

    Beyond all scores nothing is flagged, and at 0 everything: there most of its answers are "None".
    """
    from pycm import ConfusionMatrix

    for threshold in (*CUTS, 0, 1.5):
        cut = {"threshold": threshold}
        matrix = ConfusionMatrix(
            data.labels.tolist(),
            data.flagged(threshold).tolist(),
            sample_weight=None if data.weights is None else data.weights.tolist(),
        )
        for name, theirs in PYCM.items():
            yield name, cut, defined(getattr(matrix, theirs)[1])
        for beta in (0.5, 2.0):
            yield "f_beta", cut | {"beta": beta}, defined(matrix.F_beta(beta)[1])
        yield "kappa", cut, defined(matrix.Kappa)
        yield "mutual_information", cut | {"base": 2}, defined(matrix.MutualInformation)


def defined(value: float | str) -> float:
    return math.nan if value == "None" else float(value)


def imbalanced_learn(data: Data) -> Iterator[Answer]:
    """Not with weights: it counts the true negatives without them, so that a specificity of 14 comes out."""
    from imblearn import metrics

    for threshold in proper_cuts(data):
        cut = {"threshold": threshold}
        labels, flagged = data.labels, data.flagged(threshold)
        yield "recall", cut, metrics.sensitivity_score(labels, flagged)
        yield "specificity", cut, metrics.specificity_score(labels, flagged)
        yield "g_mean", cut, metrics.geometric_mean_score(labels, flagged, average="binary")
        yield "balanced_error_rate", cut, metrics.macro_averaged_mean_absolute_error(labels, flagged)


SCORES = {
    "accuracy": "fraction_correct",
    "recall": "probability_of_detection",
    "fpr": "probability_of_false_detection",
    "fdr": "false_alarm_ratio",
    "precision": "success_ratio",
    "npv": "negative_predictive_value",
    "prevalence": "base_rate",
    "predicted_positive_rate": "forecast_rate",
    "youden_j": "peirce_skill_score",
    "f1": "f1_score",
    "jaccard": "threat_score",
    "kappa": "heidke_skill_score",
    "diagnostic_odds_ratio": "odds_ratio",
}


def scores(data: Data) -> Iterator[Answer]:
    """The forecasters' names for the measures of a table, which they are given finished."""
    import xarray
    from scores.categorical import BasicContingencyManager

    for threshold in proper_cuts(data):
        table = data.table(threshold)
        counts = dict(zip(("tp", "fp", "fn", "tn", "total"), (*table, table.sum()), strict=True))
        manager = BasicContingencyManager({f"{name}_count": xarray.DataArray(n) for name, n in counts.items()})
        for name, theirs in SCORES.items():
            yield name, {"threshold": threshold}, float(getattr(manager, theirs)())


def mlxtend(data: Data) -> Iterator[Answer]:
    """A cut as an association rule, flagged => positive; its leverage is the weighted relative accuracy."""
    import pandas as pd
    from mlxtend.frequent_patterns import association_rules, fpgrowth

    for threshold in proper_cuts(data):
        items = pd.DataFrame({"flagged": data.flagged(threshold), "positive": data.labels}).astype(bool)
        itemsets = fpgrowth(items, min_support=1e-9, use_colnames=True)
        rules = association_rules(itemsets, metric="support", min_threshold=0)
        rule = rules[rules["antecedents"] == {"flagged"}].iloc[0]
        for name, theirs in {
            "precision": "confidence",
            "lift": "lift",
            "weighted_relative_accuracy": "leverage",
            "predicted_positive_rate": "antecedent support",
            "prevalence": "consequent support",
        }.items():
            yield name, {"threshold": threshold}, rule[theirs]


def dcurves(data: Data) -> Iterator[Answer]:
    import pandas as pd
    from dcurves import dca

    frame = pd.DataFrame({"label": data.labels, "score": data.scores})
    found = dca(data=frame, outcome="label", modelnames=["score"], thresholds=np.array([0.1, 0.3, 0.5, 0.8]))
    for row in found[found["model"] == "score"].itertuples():
        yield "net_benefit", {"threshold": row.threshold}, row.net_benefit


# ---------------------------------------------------------------------- rankings


def scipy(data: Data) -> Iterator[Answer]:
    from scipy import stats

    positives, negatives = data.scores[data.labels == 1], data.scores[data.labels == 0]
    pairs = len(positives) * len(negatives)
    yield "auc", {}, stats.mannwhitneyu(positives, negatives, method="asymptotic").statistic / pairs
    gini = stats.somersd(data.labels, data.scores).statistic
    yield "gini", {}, gini
    yield "pem", {}, gini  # the same number, ties included
    yield "ks", {}, stats.ks_2samp(negatives, positives, method="asymp").statistic
    # One-sided: how far the distribution of the negatives is above that of the positives.
    one_sided = stats.ks_2samp(negatives, positives, method="asymp", alternative="greater")
    yield "max_youden_j", {}, one_sided.statistic
    if not data.tied:  # cutline puts the mean label of a tie into each of its places, as Arbel & Rokach do
        yield "pearson", {}, stats.pearsonr(data.scores, data.labels).statistic
    for threshold in proper_cuts(data):
        odds = stats.contingency.odds_ratio(data.table(threshold).astype(int).reshape(2, 2), kind="sample")
        yield "diagnostic_odds_ratio", {"threshold": threshold}, odds.statistic


def rdkit(data: Data) -> Iterator[Answer]:
    """It takes a list in order, so it has no rule for ties: untied data only. A share of the list is rounded up."""
    from rdkit.ML.Scoring import Scoring

    ordered = data.ordered[:, None].tolist()
    yield "auc", {}, Scoring.CalcAUC(ordered, 0)
    for alpha in (5.0, 20.0, 160.9):
        yield "rie", {"alpha": alpha}, Scoring.CalcRIE(ordered, 0, alpha)
        yield "bedroc", {"alpha": alpha}, Scoring.CalcBEDROC(ordered, 0, alpha)
    for share in (0.05, 0.1, 0.33):
        # One share at a time: of several that end at the same place, it moves the later ones on by a place.
        (value,) = Scoring.CalcEnrichment(ordered, 0, [share])
        yield "enrichment", {"quota": math.ceil(share * len(ordered))}, value


def ranx(data: Data) -> Iterator[Answer]:
    """One query whose relevant documents are the positives; it has no rule for ties: untied data only."""
    from ranx import Qrels, Run, evaluate

    names = [f"case {i}" for i in range(len(data.labels))]
    relevant = {name: 1 for name, label in zip(names, data.labels, strict=True) if label}
    run = Run({"query": dict(zip(names, data.scores.tolist(), strict=True))})
    questions: dict[str, tuple[str, dict[str, Any]]] = {
        "map": ("average_precision", {}),
        "r-precision": ("break_even", {}),
    }
    for quota in (1, 4, 9):
        questions[f"precision@{quota}"] = ("hit_rate", {"quota": quota})
        questions[f"recall@{quota}"] = ("qrecall", {"quota": quota})
    found = evaluate(Qrels({"query": relevant}), run, list(questions))
    for theirs, (name, parameters) in questions.items():
        yield name, parameters, found[theirs]
    yield "average_hit_rate", {}, found["map"]  # the same number where nothing is tied
    yield "expected_average_precision", {}, found["map"]


def hmeasure(data: Data) -> Iterator[Answer]:
    """Its prior is named by a severity ratio r: Beta(2, 1 + 1/r), or the Beta of Hand and Anagnostopoulos if r < 0.

    Without r it takes P/N, which is not cutline's default: that is the one of r < 0.
    """
    from hmeasure import h_score

    positives = int(data.labels.sum())
    odds = positives / (len(data.labels) - positives)
    yield "h_measure", {}, h_score(data.labels, data.scores, severity_ratio=-1)
    yield "h_measure", {"a": 2, "b": 1 + 1 / odds}, h_score(data.labels, data.scores)
    for ratio in (1, 0.25, 4):
        value = h_score(data.labels, data.scores, severity_ratio=ratio)
        yield "h_measure", {"a": 2, "b": 1 + 1 / ratio}, value


def torchmetrics(data: Data) -> Iterator[Answer]:
    """It divides counts in single precision. Where no cut reaches the precision it answers 0 and cutline NaN."""
    import torch
    from torchmetrics.functional import classification

    columns = torch.tensor(data.scores), torch.tensor(data.labels)
    for least in (0.37, 0.83):  # no ratio of small counts, so that single precision cannot turn a comparison
        value = classification.binary_precision_at_fixed_recall(*columns, min_recall=least)[0]
        yield "precision_at_recall", {"recall": least}, value
        value = classification.binary_recall_at_fixed_precision(*columns, min_precision=least)[0]
        if value > 0:
            yield "recall_at_precision", {"precision": least}, value


def kornia(data: Data) -> Iterator[Answer]:
    """It takes logits, which probabilities of 0 and 1 do not have; and it has no weights of cases."""
    import torch
    from kornia.losses import binary_focal_loss_with_logits

    if data.scores.min() == 0 or data.scores.max() == 1:
        return
    logits, labels = torch.logit(torch.tensor(data.scores))[:, None], torch.tensor(data.labels)[:, None]
    for gamma, alpha in ((2.0, None), (0.5, None), (2.0, 0.25)):
        value = binary_focal_loss_with_logits(logits, labels.double(), alpha=alpha, gamma=gamma, reduction="mean")
        yield "focal_loss", {"gamma": gamma} | ({} if alpha is None else {"alpha": alpha}), value


# ---------------------------------------------------------------------- the file


class Peer(NamedTuple):
    answers: Callable[[Data], Iterator[Answer]]
    weights: bool = False  # whether it takes weights
    ties: bool = True  # whether its answer is independent of the order of tied cases


PEERS = {
    "scikit-learn": Peer(scikit_learn, weights=True),
    "pycm": Peer(pycm, weights=True),
    "imbalanced-learn": Peer(imbalanced_learn),
    "scores": Peer(scores, weights=True),
    "mlxtend": Peer(mlxtend),
    "dcurves": Peer(dcurves),
    "scipy": Peer(scipy),
    "rdkit": Peer(rdkit, ties=False),
    "ranx": Peer(ranx, ties=False),
    "hmeasure": Peer(hmeasure),
    "torchmetrics": Peer(torchmetrics),
    "kornia": Peer(kornia),
}


def takes(peer: Peer, data: Data) -> bool:
    return (peer.weights or data.weights is None) and (peer.ties or not data.tied)


def safe(value: Any) -> float | str | None:
    """A number that JSON can hold."""
    value = float(value)
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else value


def frozen() -> dict[str, Any]:
    data = all_data()
    return {
        "made by": "tests/oracles/make_oracles.py",
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "torch", *PEERS)},
        "data": {
            name: {column: None if values is None else values.tolist() for column, values in one._asdict().items()}
            for name, one in data.items()
        },
        "answers": {
            peer: {
                name: [(measure, parameters, safe(value)) for measure, parameters, value in how.answers(one)]
                for name, one in data.items()
                if takes(how, one)
            }
            for peer, how in PEERS.items()
        },
    }


def main() -> None:
    warnings.simplefilter("ignore")  # the peers' own, about what they call undefined
    text = json.dumps(frozen(), separators=(",", ":"), allow_nan=False)
    # One answer a line, so that a change can be read.
    (HERE / "answers.json").write_text(text.replace('],["', '],\n["').replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
