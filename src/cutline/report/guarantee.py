"""The section of the page on what its cut promises: what the template shows first, and what the program reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from cutline.core.ranking import Ranking
from cutline.core.table import shown
from cutline.core.validation import LEVEL
from cutline.cuts import statements
from cutline.cuts.cut_at import Bands, bands, cut_at, rounded
from cutline.report.cut_data import levels, precision_program, sentences, why_not
from cutline.results.cut_words import is_inside_tie
from cutline.results.summary import Summary

# What is promised: the name of the measure, what the page calls it, and which side the bound is on.
ROWS = (
    ("recall", "Positives that are flagged", "least"),
    ("fpr", "Negatives that are flagged", "most"),
    ("precision", "Flagged cases that are positive", "least"),
)


def shown_first(summary: Summary) -> dict[str, Any]:
    """Return the context of the guarantee section for the evaluation's cut."""
    r, c = summary.data.ranking, summary.counts
    reason = why_not(r, grouped=bool(summary.data.groups))
    if reason:
        return {"why_not": reason}
    tied = is_inside_tie(r, c)
    cut = cut_at(r, threshold=float(c.threshold), level=summary.level)
    bounds = bands(r, r.cut(float(c.threshold)), summary.level ** (1 / 3), None)
    return {
        "why_not": "",
        "confidence": statements.percent(summary.level),
        "tied": tied,
        "rows": [_row(name, title, side, None if tied else bounds, c) for name, title, side in ROWS],
        "statement": "" if tied else cut.statement,
        "python": "" if tied else _call(float(c.threshold), summary.level),
        "assumptions": cut.assumptions,
    }


def _call(threshold: float, level: float) -> str:
    """Return the call that gives the cut."""
    at = statements.exact(threshold) if math.isfinite(threshold) else f'float("{threshold:g}")'
    return f"cl.cut_at(ev, threshold={at}{'' if level == LEVEL else f', level={statements.exact(level)}'})"


def _row(name: str, title: str, side: str, bounds: Bands | None, counts: Any) -> dict[str, Any]:
    bound = (
        statements.NO_BOUND
        if bounds is None
        else statements.percent(rounded(getattr(bounds, name), is_floor=side == "least"))
    )
    return {
        "name": name,
        "title": title,
        "side": side,
        "bound": bound,
        "here": _describe_share(float(getattr(counts, name))),
    }


def _describe_share(share: float) -> str:
    return shown(share) if math.isnan(share) else statements.percent(round(share, 4))


def embedded(models: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the data of the page's program: the levels of each model with a guarantee, and the sentences."""
    return {
        "words": sentences(),
        "precision": precision_program(),
        "models": [_levels(own.data.ranking, own) for own in models.values()],
    }


def _levels(r: Ranking, own: Summary) -> dict[str, Any] | None:
    return None if why_not(r, grouped=bool(own.data.groups)) else levels(r, own.level)
