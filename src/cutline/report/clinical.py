"""The clinical validation report: four essentials, then every measure with the guidance on it, and a checklist."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from cutline.calibration.summary import judged_probabilities
from cutline.charts import CHARTS
from cutline.core.counts import written
from cutline.core.errors import CutlineError
from cutline.core.table import shown
from cutline.core.validation import counted
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES
from cutline.measures.references import FOLLOWED, citation
from cutline.report.guidance import CHECKLIST, GUIDES, Guide, Item
from cutline.results.estimate import Estimate
from cutline.results.summary import Row, Summary, named

FIGURES = (
    ("roc", "Discrimination: ROC curve"),
    ("reliability", "Calibration plot, with a {level} consistency band"),
    ("net_benefit", "Clinical utility: decision curve"),
    ("risk_by_outcome", "Distribution of the risks by outcome"),
)
_CAPTION = (
    "Proper: the true risks score best on average, strictly (nothing else scores as well), asymptotically (so with "
    "many cases), or semi (nothing scores better). One focus: about statistics alone, or about decisions with what "
    "their errors cost. Measures that lack one of the two are not recommended, or describe a part; F1 lacks both. "
    "Advice after Van Calster et al. 2025, Tables 1 and 2; in brackets, where a measure comes from."
)

_STYLE = """
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem}
p,ul{max-width:60rem}table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}tbody+tbody th[scope=rowgroup]{padding-top:.8rem}
th,td{border-bottom:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}td.n,th.n{
text-align:right}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}.wide{overflow-x:auto}.figures{display:grid;gap:1rem;
grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}figure{margin:0;break-inside:avoid}img{width:100%;height:auto;
background:#fff}figcaption{font-size:.9rem}tr{break-inside:avoid}thead{display:table-header-group}
@media screen and (min-width:48rem){.wide td:last-child{min-width:15rem}}
@media screen and (width<48rem){.wide thead{position:absolute;clip-path:inset(50%)}.wide tr,.wide th,.wide tbody{
display:block}.wide th,.wide td{border:0;padding:.1rem 0}.wide tr{border-bottom:1px solid #8888;padding:.3rem 0}
.wide td{display:grid;grid-template-columns:7.5rem 1fr}.wide td.n{text-align:left;white-space:normal}
.wide td::before{content:attr(data-of)}}
@media print{@page{size:A4;margin:15mm}body{font-size:9.5pt;line-height:1.4;max-width:none;padding:0}
h1,h2{margin:.5em 0 .3em;break-after:avoid}th[scope=rowgroup]{break-after:avoid}
table{break-inside:avoid}.wide table{break-inside:auto;font-size:8pt}.wide th,.wide td{padding:.12rem .25rem}
.wide td:last-child{width:42%}.wide{overflow:visible}
.figures{grid-template-columns:1fr 1fr}img{max-height:78mm;object-fit:contain;object-position:left top}}
"""


def clinical_report(ev: Evaluation, summary: Summary) -> str:
    """The report as one self-contained HTML page: a view of a finished summary, whose options it follows.

    Args:
        ev: What `evaluate` gives; its scores are probabilities.
        summary: Its numbers; those of the guidance that it lacks are made with its options. Its threshold is the risk
            from which cases are treated.
    """
    MEASURES["oe_ratio"].prepare(ev.ranking, {})  # refuses what is not a probability
    ev = ev.with_cut() if summary.cut.is_default else ev.with_cut(**summary.cut.parameters)
    summary = _guided(ev, summary)
    estimates = [_turned(row, guide) for guide, row in zip(GUIDES, summary.rows, strict=True)]
    by_name = {guide.measure: one for guide, one in zip(GUIDES, estimates, strict=True) if guide.sign > 0}
    verdict, notes = _judged(summary)
    title = f"Validation of {ev.name}" if ev.name else "Validation of a prediction model"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_population(ev))}</p>",
        "<h2>The four essentials</h2>",
        _essentials(by_name, verdict[0]),
        f"<div class='figures'>{''.join(_figure(ev, *figure, summary) for figure in FIGURES)}</div>",
        "<h2>Can the probabilities be trusted?</h2>",
        _list(verdict),
        "<h2>All measures, with the guidance on each</h2>",
        _measures(estimates),
        "<h2>Contingency table</h2>",
        ev.counts._repr_html_(),
        "<h2>Results, to copy</h2>",
        f"<p id='results'>{escape(_paragraph(ev, by_name))}</p>",
        "<h2>Checklist (TRIPOD+AI, STARD)</h2>",
        _checklist(),
        *_qualified(summary, notes),
        "<p>Guidance after Van Calster et al., The Lancet Digital Health, 2025 (doi 10.1016/j.landig.2025.100916).</p>",
    ]
    head = (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><meta http-equiv='Content-Security-Policy' "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"><meta name='viewport' "
        f"content='width=device-width,initial-scale=1'><title>{escape(title)}</title><style>{_STYLE}</style></head>"
    )
    return f"{head}<body><main>{''.join(body)}</main></body></html>\n"


# ---------------------------------------------------------------------- the numbers


def _guided(ev: Evaluation, summary: Summary) -> Summary:
    """The summary with the measures of the guidance, in their order; those that it lacks are made with its options."""
    wanted = [MEASURES[guide.measure].with_(**_costs(guide, ev)) for guide in GUIDES]
    known, options = {row.key: row for row in summary.rows}, summary.options
    missing = dict.fromkeys(measure for measure in wanted if named(measure, {}) not in known)
    how: dict[str, Any] = {name: getattr(options, name) for name in ("intervals", "level", "resamples", "seed")}
    more = ev.summary(missing, **how)
    known |= {row.key: row for row in more.rows}
    used = max(options.resamples_used, more.options.resamples_used)
    rows = tuple(known[named(measure, {})] for measure in wanted)
    return replace(summary, rows=rows, options=replace(options, resamples_used=used))


def _costs(guide: Guide, ev: Evaluation) -> dict[str, Any]:
    """What the threshold says of the costs, for the one measure that takes them."""
    takes_costs = guide.measure == "min_expected_cost" and 0 < ev.threshold < 1
    return {"cost_fn": (1 - ev.threshold) / ev.threshold} if takes_costs else {}


def _turned(row: Row, guide: Guide) -> Estimate:
    """The estimate, or that of the negative: the guidance sums the log loss, which is minus the log likelihood."""
    e = row.estimate
    return e if guide.sign > 0 else replace(e, measure="log_loss_sum", value=-e.value, low=-e.high, high=-e.low)


def _judged(summary: Summary) -> tuple[Sequence[str], Sequence[str]]:
    """The verdict on the probabilities, with what recalibration would bring, and what qualifies it."""
    found = judged_probabilities(summary).probabilities
    if found is None:
        return ["There is no verdict on the probabilities, because all cases are of one class."], []
    worth = found.worth.verdict if found.worth else found.reason
    return [*found.calibration.verdict, worth], found.calibration.notes


# ---------------------------------------------------------------------- the parts of the page


def _interval(estimate: Estimate) -> str:
    return f"{shown(estimate.low)} to {shown(estimate.high)}" if estimate.has_interval else "none"


def _population(ev: Evaluation) -> str:
    r = ev.ranking
    share = 100 * float(r.positives) / float(r.total)
    left_out = f" {counted(r.dropped, 'row')} with missing values {'was' if r.dropped == 1 else 'were'} left out."
    cases = f"{written(r.total)} cases, {written(r.positives)} with the outcome ({share:.3g} %)"
    return f"{cases}. Cases are flagged from a risk of {ev.threshold:g} on.{left_out}"


def _essentials(found: dict[str, Estimate], verdict: str) -> str:
    rows = (
        ("AUROC", found["auc"]),
        ("O:E ratio", found["oe_ratio"]),
        ("Calibration slope", found["calibration_slope"]),
        ("Net benefit", found["net_benefit"]),
    )
    cells = "".join(
        f"<tr><th scope='row'>{name}</th><td class='n'>{shown(e.value)}</td><td class='n'>{_interval(e)}</td></tr>"
        for name, e in rows
    )
    number = "<th scope='col' class='n'>"
    head = f"<th scope='col'>Measure</th>{number}Value</th>{number}{_percent(found['auc'].level)} interval</th>"
    caption = f"<caption>{escape(verdict)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"


def _figure(ev: Evaluation, name: str, caption: str, summary: Summary) -> str:
    caption = caption.format(level=_percent(summary.level))
    asked = {"level": summary.level, "seed": summary.options.seed}
    takes = CHARTS[name].parameters
    try:
        picture = ev.chart(name, **{key: value for key, value in asked.items() if key in takes})
    except CutlineError as error:  # of one class there is no curve
        return f"<figure><figcaption>{escape(caption)}: none. {escape(str(error))}</figcaption></figure>"
    drawn = base64.b64encode(picture.render(".svg")).decode()
    image = f"<img alt='{escape(caption)}' src='data:image/svg+xml;base64,{drawn}'>"
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _measures(estimates: list[Estimate]) -> str:
    names = ("Measure", "Value", f"{_percent(estimates[0].level)} interval", "Advice", "Proper", "One focus", "Why")
    number = " class='n'"
    head = "".join(f"<th scope='col'{number if name in names[1:3] else ''}>{name}</th>" for name in names)
    pairs = list(zip(GUIDES, estimates, strict=True))
    parts = [
        f"<tbody><tr><th scope='rowgroup' colspan='{len(names)}'>{domain}</th></tr>"
        + "".join(_measure(guide, e, names[1:]) for guide, e in pairs if guide.domain == domain)
        + "</tbody>"
        for domain in dict.fromkeys(guide.domain for guide in GUIDES)
    ]
    table = f"<table><thead><tr>{head}</tr></thead>{''.join(parts)}</table>"
    return f"<p>{_CAPTION}</p><div class='wide' tabindex='0' role='region' aria-label='All measures'>{table}</div>"


def _measure(guide: Guide, e: Estimate, columns: Sequence[str]) -> str:
    """A row; on a narrow screen its cells stand below each other, each with the name of its column."""
    why = f"{escape(guide.why)} [{escape(_source(guide))}]"
    focus = "yes" if guide.has_one_focus else "no"
    cells = (shown(e.value), _interval(e), guide.advice.value, guide.proper.value, focus, why)
    number = " class='n'"
    named_cells = (
        f"<td{number if place < 2 else ''} data-of='{name}'>{cell}</td>"
        for place, (name, cell) in enumerate(zip(columns, cells, strict=True))
    )
    return f"<tr><th scope='row'>{escape(guide.title)}</th>{''.join(named_cells)}</tr>"


def _source(guide: Guide) -> str:
    """Where a measure comes from, in a few words: its own paper rather than a text that tells of many."""
    keys = list(MEASURES[guide.measure].source)
    return citation(next((key for key in reversed(keys) if key not in FOLLOWED), keys[0]))


def _paragraph(ev: Evaluation, found: dict[str, Estimate]) -> str:
    def told(name: str) -> str:
        e = found[name]
        limits = f" ({_percent(e.level)} interval {_interval(e)})" if e.has_interval else ""
        return f"{shown(e.value)}{limits}"

    return (
        f"The model was validated in {_population(ev)[:1].lower()}{_population(ev)[1:].split('. ')[0]}. The AUROC was "
        f"{told('auc')}. The O:E ratio was {told('oe_ratio')}, the calibration intercept "
        f"{told('calibration_intercept')} and the calibration slope {told('calibration_slope')}. At a risk threshold "
        f"of {ev.threshold:g}, sensitivity was "
        f"{told('recall')}, specificity {told('specificity')}, and the net benefit {told('net_benefit')}."
    )


def _checklist() -> str:
    rows = "".join(
        f"<tr><th scope='row'>{escape(item.asked)}</th><td>{escape(_where(item))}</td></tr>" for item in CHECKLIST
    )
    head = "<th scope='col'>Item</th><th scope='col'>Where</th>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _where(item: Item) -> str:
    if item.here:
        return f"reported here: {item.here}"
    return f"you must write this; {item.help}" if item.help else "you must write this"


def _qualified(summary: Summary, more: Iterable[str]) -> Iterator[str]:
    """What qualifies the numbers, and how they were made."""
    notes = [*(note.text for note in (*summary.notes, *summary.row_notes)), *more]
    if notes:
        yield f"<h2>Notes</h2>{_list(notes)}"
    made = _list(f"{name}: {words}" for name, words in summary.conventions.items())
    yield f"<h2>How the numbers were made</h2>{made}"


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"
