"""The AUC and its interval by the packages that people would use instead; those that are not installed are left out."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

Work = Callable[[], object]


def auc_by_others(labels: np.ndarray, scores: np.ndarray) -> dict[str, Work]:
    """The AUC by each package that is here."""
    found: dict[str, Work] = {}
    if find_spec("polars_ds"):
        import polars as pl
        import polars_ds as pds

        frame = pl.DataFrame({"y": labels, "s": scores})
        found["polars_ds"] = lambda: frame.select(pds.query_roc_auc("y", "s")).item()
    if find_spec("fastauc"):
        from fastauc.fast_auc import fast_auc

        found["fastauc"] = lambda: fast_auc(labels, scores)
    if find_spec("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_auroc

        truth, predicted = torch.from_numpy(labels.astype(int)), torch.from_numpy(scores)
        found["torchmetrics"] = lambda: binary_auroc(predicted, truth)
    return found


def interval_by_others(labels: np.ndarray, scores: np.ndarray) -> dict[str, Work]:
    """An interval of the AUC by each package that is here."""
    found: dict[str, Work] = {}
    truth = labels.astype(int)
    if find_spec("confidenceinterval"):
        from confidenceinterval import roc_auc_score

        found["confidenceinterval"] = lambda: roc_auc_score(truth, scores)
    if find_spec("MLstatkit"):
        from MLstatkit import Bootstrapping

        found["MLstatkit"] = lambda: Bootstrapping(truth, scores, "roc_auc", n_bootstraps=1000)
    return found


def missing() -> list[str]:
    """The packages that are not here."""
    every = ("polars_ds", "fastauc", "torchmetrics", "confidenceinterval", "MLstatkit")
    return [name for name in every if not find_spec(name)]
