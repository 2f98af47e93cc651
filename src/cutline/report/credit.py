"""The credit page: score bands, approval rates with the bad rate among the approved, KS, and the cut in use."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cutline.charts import PAGE, Picture
from cutline.core.counts import Counts
from cutline.core.errors import CutlineError
from cutline.core.ranking import plural_titles
from cutline.core.table import Table, format_value
from cutline.curves.gains import divide_into_bands
from cutline.evaluation import Evaluation
from cutline.report import sections
from cutline.report.html_page import render_plain_page
from cutline.report.measure_rows import format_limits
from cutline.results.cut_point import describe_rule, format_threshold, group_digits
from cutline.results.estimate import Estimate
from cutline.results.notes import Note
from cutline.results.summary import Summary

RATES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)  # of approval, of which the page shows what they cost
_BANDS = 10
_CHARTS = (
    ("score_distribution", "Scores of goods and bads"),
    ("tpr_fpr", "Bads and goods rejected at every cut-off, and KS"),
    ("gain", "Bads among the riskiest cases"),
)
# What the charts call positives and negatives, flagged or not.
_WORDS = {
    "missed positives": "bads approved",
    "false alarms": "goods rejected",
    "False positive rate": "Goods rejected",
    "True positives": "Bads rejected",
    "False positives": "Goods rejected",
    "False negatives": "Bads approved",
    "True negatives": "Goods approved",
    "Cases flagged": "Cases rejected",
    "Recall": "Bads rejected",
    "Threshold": "Score",
}
_GOOD = frozenset({"good", "goods", "ok", "paid", "repaid", "performing", "no default", "non-default"})
_MEASURES = ("auc", "gini", "ks", "average_precision", "brier", "oe_ratio", "calibration_slope")
_TIE = "quota-in-tie"  # the note on places that a tie shares, which this page rejects as a whole
_OMISSION = "false_omission_rate"  # the share of positives among cases that are not flagged


def render_credit_page(ev: Evaluation, summary: Summary) -> str:
    """Return the page as one self-contained file: a view of a finished summary, with its options.

    The positives are the bads; cases that are not flagged are approved.

    Args:
        ev: What `evaluate` gives.
        summary: Its numbers.
    """
    ev = ev.with_cut() if summary.cut.is_default else ev.with_cut(**summary.cut.parameters)
    if ev.cut.by_quota and math.isfinite(ev.counts.threshold):  # customers are whole: a tie is rejected as a whole
        ev = ev.with_cut(threshold=ev.counts.threshold)
    percent = f"{100 * summary.level:g} %"
    bands, rates, used = _tabulate_bands(ev), _tabulate_approvals(ev, summary), _tabulate_cut(ev, summary)
    return render_plain_page(
        title=summary.name or "Credit score",
        heading=_describe_cases(ev),
        verdict=_write_verdict(ev, summary),
        level=percent,
        charts=list(_draw_charts(ev)),
        tables=[bands, rates, used, *_tabulate_quality(summary)],
        notes=[note for note in summary.notes if note.rule != _TIE],
        warnings=[*_warn_of_label(ev), *(note for note in sections.choose_warnings(summary) if note.rule != _TIE)],
        words=_WORDS | dict(zip(plural_titles(ev.ranking), ("bads", "goods"), strict=True)),
        row_notes=summary.row_notes,
        conventions=summary.conventions
        | {"Approval": f"Cases that are not flagged are approved: all but {describe_rule(ev.ranking, ev.counts)}."},
        document=summary.document(),
        csv=bands.to_csv(),
    )


def _describe_cases(ev: Evaluation) -> str:
    """Return the numbers of cases and of bads, and the label of the bads."""
    r = ev.ranking
    share = _format_percent(float(r.positives) / float(r.total))
    bads = f"{group_digits(r.positives)} of them bad ({share}; label {r.positive!r})"
    return f"{group_digits(r.total)} cases, {bads}"


def _warn_of_label(ev: Evaluation) -> list[Note]:
    """Return a warning if the positives can hardly be the bads: most cases are positive, or the label says good."""
    r = ev.ranking
    share = float(r.positives) / float(r.total)
    if share <= 0.5 and str(r.positive).strip().lower() not in _GOOD:
        return []
    text = (
        f"This page takes the label {r.positive!r} for the bads, {_format_percent(share)} of the cases. If it means "
        "good, name the label of the bads as the positive one."
    )
    return [Note("credit-positive", text, kind="warning")]


def _format_percent(share: float) -> str:
    return "undefined" if math.isnan(share) else f"{100 * share:.2f} %"


def _format_limits(estimate: Estimate) -> str:
    return f"{_format_percent(estimate.low)} to {_format_percent(estimate.high)}" if estimate.has_interval else ""


def _count_approved(counts: Counts) -> str:
    return f"{group_digits(counts.unflagged)} of {group_digits(counts.total)}"


def _write_verdict(ev: Evaluation, summary: Summary) -> list[str]:
    """Write how well the score separates, and what the cut in use approves."""
    c = ev.counts
    named = {row.measure.name: row for row in summary.rows}
    parts = [
        f"{title} {format_value(named[name].value)}{_format_interval(named[name].estimate)}"
        for name, title in (("gini", "Gini"), ("ks", "KS"))
        if name in named and not math.isnan(named[name].value)
    ]
    first = [f"The score separates bads from goods with {' and '.join(parts)}."] if parts else []
    rate = ev.estimate(_OMISSION, level=summary.level)
    bads = f"{group_digits(c.fn)} {'bad' if c.fn == 1 else 'bads'} among them"
    second = (
        f"Rejecting {describe_rule(ev.ranking, c)} approves {_count_approved(c)} cases "
        f"({_format_percent(c.unflagged / c.total)}), with "
        f"{bads}: a bad rate of {_format_percent(float(rate.value))} instead of {_format_percent(float(c.prevalence))}."
    )
    return [*first, second]


def _format_interval(estimate: Estimate) -> str:
    limits = format_limits(estimate.low, estimate.high)
    return f" ({limits})" if limits else ""


def _tabulate_bands(ev: Evaluation) -> Table:
    bands = divide_into_bands(ev.ranking, _BANDS)
    r = ev.ranking
    rows = []
    for i in range(len(bands.cases)):
        bads = float(bands.positives[i])
        cases = float(bands.cases[i])
        rows.append(
            (
                f"{format_threshold(r, float(bands.low[i]))} to {format_threshold(r, float(bands.high[i]))}",
                group_digits(cases),
                group_digits(cases - bads),
                group_digits(bads),
                _format_percent(bads / cases),
                _format_percent(float(bands.approved[i])),
                _format_percent(float(bands.rate_approved[i])),
                format_value(max(float(bands.separation[i]), 0.0)),
            )
        )
    columns = ("score", "cases", "goods", "bads", "bad rate", "approval rate", "bad rate among approved", "KS")
    return Table(
        columns,
        tuple(rows),
        title="Score bands, the safest first; the last three columns approve this band and those above",
    )


def _tabulate_approvals(ev: Evaluation, summary: Summary) -> Table:
    """Tabulate the cost of each approval rate, at the nearest cut-off that does not exceed it."""
    r, rows = ev.ranking, []
    for rate in RATES:
        cut = next((i for i in range(len(r) + 1) if float(r.ends[i]) >= (1 - rate) * float(r.total) - 1e-9), len(r))
        threshold = float(r.thresholds[cut])
        counts = r.at_cut(cut)
        bad = ev.estimate(_OMISSION, level=summary.level, threshold=threshold)
        rows.append(
            (
                f"{100 * rate:g} %",
                describe_rule(r, counts),
                group_digits(counts.unflagged),
                group_digits(counts.fn),
                _format_percent(float(bad.value)),
                _format_limits(bad),
                _format_percent(float(counts.recall)),
                _format_percent(float(counts.fpr)),
            )
        )
    interval = f"{100 * summary.level:g} % interval"
    columns = (
        "approve",
        "reject",
        "approved",
        "bads approved",
        "bad rate among approved",
        interval,
        "bads rejected",
        "goods rejected",
    )
    return Table(columns, tuple(rows), title="Approval rates and what they cost")


def _tabulate_cut(ev: Evaluation, summary: Summary) -> Table:
    """Tabulate the counts and rates of the cut in use, with intervals."""
    c = ev.counts
    shares = (
        ("Approval rate", group_digits(c.unflagged), "predicted_positive_rate", True),
        ("Bad rate among approved", group_digits(c.fn), _OMISSION, False),
        ("Bads rejected", group_digits(c.tp), "recall", False),
        ("Goods rejected", group_digits(c.fp), "fpr", False),
        ("Bad rate among rejected", group_digits(c.tp), "precision", False),
    )
    rows = []
    for title, count, name, turned in shares:
        estimate = ev.estimate(name, level=summary.level)
        value = float(estimate.value)
        if turned:
            limits = (
                f"{_format_percent(1 - estimate.high)} to {_format_percent(1 - estimate.low)}"
                if estimate.has_interval
                else ""
            )
            rows.append((title, count, _format_percent(1 - value), limits))
        else:
            rows.append((title, count, _format_percent(value), _format_limits(estimate)))
    columns = ("what", "cases", "rate", f"{100 * summary.level:g} % interval")
    return Table(columns, tuple(rows), title=f"The cut in use: reject {describe_rule(ev.ranking, c)}")


def _tabulate_quality(summary: Summary) -> Iterator[Table]:
    rows = [
        (row.title, format_value(row.value), format_limits(*row.interval or (None, None)))
        for row in summary.rows
        if row.measure.name in _MEASURES and not row.at and not math.isnan(row.value)
    ]
    if rows:
        columns = ("measure", "value", f"{100 * summary.level:g} % interval")
        yield Table(columns, tuple(rows), title="How well the score orders the cases")


def _draw_charts(ev: Evaluation) -> Iterator[tuple[str, Picture]]:
    for name, title in _CHARTS:
        try:
            picture = ev.chart(name, theme=PAGE.name)
        except CutlineError:  # of one class there is nothing to draw
            continue
        yield title, picture
