"""The AUC and its interval by the packages that people would use instead; those that are not installed are left out."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np

os.environ.setdefault("TQDM_DISABLE", "1")  # no bars of progress between the figures

Work = Callable[[], object]


@cache
def _works(package: str) -> bool:
    """Whether a package can be imported here, with all that it needs."""
    try:
        import_module(package)
    except Exception:  # any, because packages fail in many ways
        return False
    return True


def auc_by_others(labels: np.ndarray, scores: np.ndarray) -> dict[str, Work]:
    """The AUC by each package that is here."""
    found: dict[str, Work] = {}
    if _works("polars_ds"):
        import polars as pl
        import polars_ds as pds

        frame = pl.DataFrame({"y": labels, "s": scores})
        found["polars_ds"] = lambda: frame.select(pds.query_roc_auc("y", "s")).item()
    if _works("fastauc"):
        from fastauc.fast_auc import fast_auc

        found["fastauc"] = lambda: fast_auc(labels, scores)
    if _works("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_auroc

        truth, predicted = torch.from_numpy(labels.astype(int)), torch.from_numpy(scores)
        found["torchmetrics"] = lambda: binary_auroc(predicted, truth)
    return found


def interval_by_others(labels: np.ndarray, scores: np.ndarray) -> dict[str, Work]:
    """An interval of the AUC by each package that is here."""
    found: dict[str, Work] = {}
    truth = labels.astype(int)
    if _works("confidenceinterval"):
        from confidenceinterval import roc_auc_score

        found["confidenceinterval"] = lambda: roc_auc_score(truth, scores)
    if _works("MLstatkit"):
        from MLstatkit import Bootstrapping

        found["MLstatkit"] = lambda: Bootstrapping(truth, scores, "roc_auc", n_bootstraps=1000)
    return found


def missing() -> list[str]:
    """The packages that are not here."""
    every = ("polars_ds", "fastauc", "torchmetrics", "confidenceinterval", "MLstatkit")
    return [name for name in every if not _works(name)]
