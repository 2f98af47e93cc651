"""How the cases were sampled: alone or in groups, from the whole or from strata."""

from __future__ import annotations

from typing import Any

from cutline.core.errors import Argument, ParameterError, Text
from cutline.core.ranking import Ranking
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inputs.alignment import groups_of
from cutline.inputs.rank import Cases, WeightsAre


def check_strata(strata: Any, weights_are: WeightsAre | None) -> None:
    """Refuse strata of a plain sample, whose weights say how much a case counts.

    Args:
        strata: The strata, or None.
        weights_are: What the weights are.
    """
    if strata is not None and isinstance(weights_are, str) and weights_are == "importance":
        raise ParameterError(
            "is given, but weights that say how much a case counts are of a plain sample",
            Text("pass ", Argument("weights_are", "sampling"), ", or leave strata out"),
            argument="strata",
        )


def sampler_of(
    ranking: Ranking, cases: Cases, groups: Any, strata: Any, weights_are: WeightsAre | None
) -> GroupSampler:
    """What a bootstrap draws: the groups, or the cases of a sampling design, within their strata.

    Args:
        ranking: The ranking of the cases.
        cases: The cases, row by row.
        groups: The group of each case; None where each is one by itself.
        strata: The stratum of each case; None where there are none.
        weights_are: What the weights are.
    """
    check_strata(strata, weights_are)
    together = None if groups is None else groups_of(groups, cases)
    apart = None if strata is None else groups_of(strata, cases, "strata")
    return GroupSampler.of(ranking, cases.is_positive, cases.scores, cases.weights, together, apart)
