"""The AUCs of several models and DeLong's covariance of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.table import ComparedByFields, ShownAsTable, Table, plain
from cutline.inference.resampling.pairing import Pairing, delong_covariance
from cutline.measures import MEASURES


@dataclass(frozen=True, eq=False, repr=False)
class AreaCovariance(ShownAsTable, ComparedByFields):
    """The AUC of each model, and how they vary together over samples of cases."""

    names: tuple[str, ...]
    areas: Array
    covariance: Array

    @property
    def correlation(self) -> Array:
        """The correlations; NaN where an AUC has no variance."""
        se = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.covariance / np.outer(se, se))

    @property
    def table(self) -> Table:
        """A row for each model: its AUC, its standard error, and its covariance with each."""
        se = np.sqrt(np.diag(self.covariance))
        rows = zip(self.names, self.areas.tolist(), se.tolist(), *self.covariance.T.tolist(), strict=True)
        return Table(("model", "auc", "standard error", *(f"with {name}" for name in self.names)), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the areas and their covariance, ready for JSON."""
        return {
            "names": list(self.names),
            "areas": [plain(area) for area in self.areas.tolist()],
            "covariance": [[plain(value) for value in row] for row in self.covariance.tolist()],
        }


def area_covariance(names: tuple[str, ...], pairing: Pairing) -> AreaCovariance:
    """Return the covariance of all models' AUCs (DeLong et al. 1988)."""
    areas = np.array([float(MEASURES["auc"].compute(ranking)) for ranking in pairing.rankings])
    return AreaCovariance(names, areas, delong_covariance(pairing, np.eye(len(names))))
