"""How an interval is to be made."""

from __future__ import annotations

from typing import NamedTuple

from cutline.core.validation import LEVEL, check_flag, check_level, check_whole


class IntervalRequest(NamedTuple):
    """How an interval is to be made."""

    level: float = LEVEL
    method: str = "auto"
    resamples: int = 2000
    seed: int = 0
    stratified: bool = False


def checked(options: IntervalRequest) -> IntervalRequest:
    """The options, if they are in their domain."""
    return options._replace(
        level=check_level(options.level),
        resamples=check_whole(options.resamples, "resamples", 2),
        stratified=check_flag(options.stratified, "stratified"),
        seed=check_whole(options.seed, "seed", 0),
    )
