"""What only the curves of several models on the same cases tell: where each leads, and whether curves differ."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from cutline.core.checks import LEVEL, check_choice, check_level, check_whole
from cutline.core.errors import ParameterError
from cutline.inference.resampling.pairing import Pairing
from cutline.inference.two.areas import AreaCovariance, area_covariance
from cutline.inference.two.dominance import CURVES, Dominance, of_curves, of_thresholds
from cutline.inference.two.questions import two_of
from cutline.inference.two.regions import HEIGHTS, Regions, regions
from cutline.inference.two.whole_curves import RocTest, venkatraman
from cutline.measures import MEASURES, Measure, Needs
from cutline.results.budget import FEWEST_CURVES, curves_for
from cutline.views import Pictured

if TYPE_CHECKING:
    from cutline.curves import SharedHull


class SeveralModelViews(Pictured, ABC):
    """The views of several models on the same cases: where each leads, and their ROC curves as wholes."""

    pairing: Pairing

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The models."""

    def auc_covariance(self) -> AreaCovariance:
        """The AUCs of all models and their covariance (DeLong, DeLong & Clarke-Pearson 1988)."""
        return area_covariance(self.names, self.pairing)

    def venkatraman(
        self, a: str | None = None, b: str | None = None, *, permutations: int = 2000, seed: int = 0
    ) -> RocTest:
        """Whether the whole ROC curves of two models differ, wherever that may be (Venkatraman & Begg 1996).

        Args:
            a: The first model; with two models, a and b need not be named.
            b: The second model.
            permutations: How often the models' ranks are exchanged at random.
            seed: The seed of the permutations.
        """
        i, j = two_of(self.names, a, b)
        drawn = check_whole(permutations, "permutations", 1)
        names = (self.names[i], self.names[j])
        return venkatraman(self.pairing.of(i, j), names, drawn, check_whole(seed, "seed", 0))

    def hull(self) -> SharedHull:
        """The ROC convex hull of all models, and which of them owns which part: the best for some costs and skew."""
        from cutline.curves import shared_hull

        return shared_hull(dict(zip(self.names, self.pairing.rankings, strict=True)))

    def dominance(self, curve: str = "roc", *, measure: str | Measure = "accuracy", **parameters: Any) -> Dominance:
        """Over which part of an axis each model is the best, and whether one dominates everywhere.

        Args:
            curve: "roc" (by false positive rate), "quota" (positives found, by places of the list), "precision_recall"
                (by recall), or "threshold" (a measure of one cut, by the threshold that all are cut at).
            measure: The measure that "threshold" compares.
            **parameters: The parameters of that measure.
        """
        check_choice(curve, "curve", (*CURVES, "threshold"))
        rankings = list(self.pairing.rankings)
        if curve != "threshold":
            return of_curves(curve, self.names, rankings)
        chosen = MEASURES[measure]
        if chosen.needs is not Needs.COUNTS or chosen.better is None:
            raise ParameterError(f"{chosen.name} is not a measure of one cut that is good or bad", "choose another")
        return of_thresholds(chosen, self.names, rankings, **parameters)

    def regions(
        self, curve: str = "roc", *, level: float = LEVEL, resamples: int | None = None, seed: int = 0
    ) -> Regions:
        """Over which part of a curve each model is better than all others, with simultaneous confidence.

        `dominance` says who leads in this sample; this says where that cannot be chance.

        Args:
            curve: "roc" (by false positive rate), "precision_recall" (by recall) or "quota" (by share of the list).
            level: The confidence that everything that is said holds at once.
            resamples: How many resamples are drawn; 1000, or fewer for long lists, when None.
            seed: The seed of the resamples.
        """
        check_choice(curve, "curve", tuple(HEIGHTS))
        drawn = (
            curves_for(len(self.pairing)) if resamples is None else check_whole(resamples, "resamples", FEWEST_CURVES)
        )
        if not self.pairing.has_both_classes:
            raise ParameterError("All cases are of one class, and one class has no curve", "pass cases of both")
        return regions(self.pairing, self.names, curve, check_level(level), drawn, check_whole(seed, "seed", 0))
