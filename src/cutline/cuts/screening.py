"""screen(): a chain of cuts for phases of screening, with the promise that all of them keep together.

Negative screening puts those aside who hardly belong to the class of interest; positive screening fills a quota with
those who most likely do; progressive screening does the first in its early phases and the second in the last (Arbel and
Rokach, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.table import ComparedByFields, ShownAsTable, Table
from cutline.core.validation import LEVEL, check_level, check_number, check_whole, format_count
from cutline.core.validation import as_scores as as_scores
from cutline.cuts.choose import choose_cut
from cutline.cuts.cut import Cut
from cutline.inputs.rank import rank, read_cases


@dataclass(frozen=True, eq=False)
class Phase(ComparedByFields):
    """One phase: its cut, and how many cases and positives came in and went on."""

    name: str
    cut: Cut
    keep: float | None
    entered: int
    kept: int
    positives_entered: int
    positives_kept: int


@public
@dataclass(frozen=True, eq=False, repr=False)
class Screening(ShownAsTable):
    """A chain of cuts, phase by phase, and what all of them promise together.

    Attributes:
        phases: The phases in their order.
        keep: The share of the positives that the negative phases keep at least, all together; NaN without one.
        confidence: With which confidence they do so, all at once.
    """

    phases: tuple[Phase, ...]
    keep: float
    confidence: float

    @property
    def table(self) -> Table:
        """Return a row for each phase."""
        names = ("phase", "threshold", "keep", "entered", "kept", "positives_entered", "positives_kept")
        rows = [
            (p.name, p.cut.threshold, p.keep, p.entered, p.kept, p.positives_entered, p.positives_kept)
            for p in self.phases
        ]
        return Table(names, tuple(rows), below=(self.statement,))

    @property
    def statement(self) -> str:
        """Return the promise about future positives, in words."""
        last = self.phases[-1]
        parts = []
        if not math.isnan(self.keep):
            negative = [p for p in self.phases if p.keep is not None]
            shares = " x ".join(f"{100 * p.keep:.4g} %" for p in negative if p.keep is not None)
            product = f" ({shares})" if len(negative) > 1 else ""
            parts.append(
                f"With {100 * self.confidence:g} % confidence at least {100 * self.keep:.4g} % of future positives"
                f"{product} pass the {len(negative)} negative phase{'s' if len(negative) > 1 else ''}."
            )
        if last.keep is None:
            parts.append(
                f"Phase {last.name} picks {last.kept} of the {last.entered} that are left; "
                f"{last.positives_kept} of them are positive here."
            )
        return " ".join(parts)

    def apply(self, scores_by_phase: Any) -> Array:
        """Return which new cases pass every phase.

        Args:
            scores_by_phase: The scores of each phase; those of a case that an earlier phase puts aside are not read.
        """
        passed: Array | None = None
        if not isinstance(scores_by_phase, Mapping):
            problem = f"is {shorten_repr(scores_by_phase)}"
            raise ParameterError(problem, "pass the scores of each phase by its name", argument="scores_by_phase")
        for phase in self.phases:
            if phase.name not in scores_by_phase:
                raise ParameterError(f"has no phase {phase.name!r}", "pass the scores of each", argument="scores")
            scores = as_scores(scores_by_phase[phase.name], phase.name)
            if passed is not None and len(scores) != len(passed):
                problem = f"has {format_count(len(scores), 'score')} for {format_count(len(passed), 'case')}"
                raise InputError(problem, "pass one for each case", argument=phase.name)
            passed = np.ones(len(scores), dtype=bool) if passed is None else passed
            left = np.flatnonzero(passed)
            passed[left] = phase.cut.apply(scores[left]) if len(left) else passed[left]
        assert passed is not None  # noqa: S101
        return passed


@public
def screen(
    labels: Any,
    phases: Mapping[str, Any],
    *,
    keep: float | Sequence[float] | None = None,
    pick: int | None = None,
    confidence: float = LEVEL,
    positive: Any = None,
) -> Screening:
    """Choose the cuts of phases of screening on cases that went through all of them.

    With `keep` alone every phase is negative, with `pick` alone there is one positive phase, with both the last phase
    fills the quota. The cut of a phase is chosen on the cases beyond the cuts before it, so its promise is about the
    positives that reach it: the shares multiply. All promises hold at once, because each has a K-th of the error.

    Args:
        labels: The class of each case.
        phases: The scores of the cases in each phase, by the name of the phase, in their order.
        keep: The share of future positives that the negative phases keep together; or a share for each of them.
        pick: How many cases the last phase picks.
        confidence: With which confidence all promises hold together.
        positive: The label that is positive; needed unless labels are 0/1, -1/1 or booleans.

    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(2000) % 4 == 0
    >>> tests = {"form": rng.normal(size=2000) + 1.5 * y, "interview": rng.normal(size=2000) + 2.0 * y}
    >>> found = screen(y, tests, keep=0.9, pick=100)
    >>> round(found.keep, 6), found.phases[-1].kept
    (0.9, 100)
    """
    confidence = check_level(confidence, "confidence")
    if not isinstance(phases, Mapping) or not phases:
        raise InputError("holds no phase", "pass the scores of each by its name", argument="phases")
    names = [str(name) for name in phases]
    shares = _check_shares(keep, pick, len(names))
    level = 1 - (1 - confidence) / max(1, sum(share is not None for share in shares))
    chain: list[Phase] = []
    left: Array | None = None
    for name, predictions, share in zip(names, phases.values(), shares, strict=True):
        is_positive, own = read_cases(labels, predictions, positive=positive)
        left = np.ones(len(own), dtype=bool) if left is None else left
        chain.append(_choose_phase(name, is_positive[left], own[left], share, pick, level))
        left = left & (own > chain[-1].cut.threshold)  # beyond the cut, where cases are as drawn from those who pass
    known_shares = [share for share in shares if share is not None]
    return Screening(tuple(chain), math.prod(known_shares) if known_shares else math.nan, confidence)


def _check_shares(keep: object, pick: object, count: int) -> list[float | None]:
    """Return the share of the positives that each phase keeps; None for the phase that fills the quota."""
    if keep is None and pick is None:
        raise ParameterError("Nothing says what the screening is for", "pass keep, pick or both")
    if pick is not None:
        check_whole(pick, "pick", 1)
    negative = count - (pick is not None)
    if keep is None:
        if negative:
            raise ParameterError(f"alone has one phase, not {count}", "pass keep too", argument="pick")
        return [None]
    if not negative:
        raise ParameterError("has no phase before the one that picks", "pass another phase", argument="keep")
    if isinstance(keep, Sequence) and not isinstance(keep, str):
        shares = [check_number(share, "keep") for share in keep]
        if len(shares) != negative:
            raise ParameterError(
                f"has {len(shares)} shares for {negative} phases", "pass one for each", argument="keep"
            )
    else:
        shares = [check_number(keep, "keep") ** (1 / negative)] * negative
    if not all(0 < share < 1 for share in shares):
        raise ParameterError(f"is {keep!r}", "pass shares between 0 and 1", argument="keep")
    return [*shares, *([None] if pick is not None else [])]


def _choose_phase(name: str, is_positive: Array, own: Array, share: float | None, pick: Any, level: float) -> Phase:
    entered, positives = len(own), int(is_positive.sum())
    if not positives or positives == entered:
        raise InputError(
            f"Only one class is left in phase {name!r}", "keep more in the phases before, or pass more cases"
        )
    r = rank(is_positive, own)
    if share is not None:
        cut = choose_cut(r, f"recall >= {share:.12g}", level=level, resamples=0)
        if not cut.possible:
            raise InputError(f"Phase {name!r} cannot promise it: {cut.statement}", "keep less, or pass more cases")
    elif pick > entered:
        raise ParameterError(f"is {pick}, but {entered} cases reach the last phase", "pass fewer", argument="pick")
    else:
        cut = choose_cut(r, quota=pick, maximize="recall", level=None, resamples=0)
    passes = own >= cut.threshold
    return Phase(name, cut, share, entered, int(passes.sum()), positives, int((passes & is_positive).sum()))
