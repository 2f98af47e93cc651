"""The clinical validation report: four essentials, then every measure with the guidance on it, and a checklist."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

from cutline.charts import CHARTS
from cutline.core.counts import written
from cutline.core.table import shown
from cutline.evaluation import Evaluation
from cutline.report.guidance import CHECKLIST, GUIDES, Guide
from cutline.results.estimate import Estimate
from cutline.results.summary import Summary
from cutline.results.wanted import Named

FIGURES = (
    ("roc", "Discrimination: ROC curve"),
    ("reliability", "Calibration plot, with a consistency band"),
    ("net_benefit", "Clinical utility: decision curve"),
    ("risk_by_outcome", "Distribution of the risks by outcome"),
)
_CAPTION = (
    "Proper: the true risks score best on average. One focus: about statistics alone, or about decisions with what "
    "their errors cost. Measures that lack one of the two are not advised, and F1 lacks both."
)

_STYLE = """
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{border-bottom:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}td.n,th.n{
text-align:right}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}.wide{overflow-x:auto}.figures{display:grid;gap:1rem;
grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}figure{margin:0;break-inside:avoid}img{width:100%;height:auto;
background:#fff}figcaption{font-size:.9rem}tr{break-inside:avoid}thead{display:table-header-group}
.wide caption{font-weight:400}@media screen{.wide td:last-child{min-width:15rem}}
@media print{@page{size:A4;margin:15mm}body{font-size:9.5pt;max-width:none;padding:0}h2{break-after:avoid}
.wide table{font-size:8pt}.wide th,.wide td{padding:.15rem .3rem}
.wide{overflow:visible}.figures{grid-template-columns:1fr 1fr}}
"""


def asked_of(ev: Evaluation) -> list[Named]:
    """The measures of the report with their parameters, as a summary takes them."""
    return [(guide.measure, _parameters(guide, ev)) for guide in GUIDES]


def _parameters(guide: Guide, ev: Evaluation) -> dict[str, Any]:
    own = dict(guide.parameters)
    if guide.measure == "min_expected_cost" and 0 < ev.threshold < 1:
        own["cost_fn"] = (1 - ev.threshold) / ev.threshold  # what the threshold says of the costs
    return own


def clinical_report(ev: Evaluation, summary: Summary) -> str:
    """The report as one self-contained HTML page: a view of a finished summary, which is made of `asked_of(ev)`.

    Args:
        ev: What `evaluate` gives; its scores are probabilities, its threshold the risk from which cases are treated.
        summary: The numbers, with the judgement of the probabilities.
    """
    verdict = summary.probabilities.calibration.verdict if summary.probabilities else ("No verdict.",)
    estimates = [_turned(row.estimate, guide) for guide, row in zip(GUIDES, summary.rows, strict=True)]
    by_name = {guide.measure: estimate for guide, estimate in zip(GUIDES, estimates, strict=True) if guide.sign > 0}
    title = f"Validation of {ev.name}" if ev.name else "Validation of a prediction model"
    level = f"{100 * summary.level:g} %"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_population(ev))}</p>",
        "<h2>The four essentials</h2>",
        _essentials(by_name, verdict[0], level),
        f"<div class='figures'>{''.join(_figure(ev, summary, *figure) for figure in FIGURES)}</div>",
        "<h2>Can the probabilities be trusted?</h2>",
        "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in verdict) + "</ul>",
        "<h2>All measures, with the guidance on each</h2>",
        _measures(estimates, level),
        "<h2>Contingency table</h2>",
        ev.counts._repr_html_(),
        "<h2>Results, to copy</h2>",
        f"<p id='results'>{escape(_paragraph(ev, by_name, level))}</p>",
        "<h2>Checklist (TRIPOD+AI, STARD)</h2>",
        _checklist(),
        "<p>Guidance after Van Calster et al., The Lancet Digital Health, 2025 (doi 10.1016/j.landig.2025.100916).</p>",
    ]
    head = (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
        f"content='width=device-width,initial-scale=1'><title>{escape(title)}</title><style>{_STYLE}</style></head>"
    )
    return f"{head}<body><main>{''.join(body)}</main></body></html>\n"


def _turned(found: Estimate, guide: Guide) -> Estimate:
    """The estimate, with the sign that the guidance gives it."""
    if guide.sign > 0:
        return found
    return Estimate("log_loss_sum", -found.value, -found.high, -found.low, found.level, found.method, found.notes)


def _interval(estimate: Estimate) -> str:
    return f"{shown(estimate.low)} to {shown(estimate.high)}" if estimate.has_interval else "none"


def _population(ev: Evaluation) -> str:
    r = ev.ranking
    share = 100 * float(r.positives) / float(r.total)
    left_out = f" {r.dropped} rows with missing values were left out." if r.dropped else ""
    cases = f"{written(r.total)} cases, {written(r.positives)} with the outcome ({share:.3g} %)"
    return f"{cases}. Cases are flagged from a risk of {ev.threshold:g} on.{left_out}"


def _essentials(found: dict[str, Estimate], said: str, level: str) -> str:
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
    head = (
        "<th scope='col'>Measure</th><th scope='col' class='n'>Value</th>"
        f"<th scope='col' class='n'>{level} interval</th>"
    )
    caption = f"<caption>{escape(said)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"


def _figure(ev: Evaluation, summary: Summary, name: str, caption: str) -> str:
    options = {"level": summary.level, "seed": summary.options.seed}
    own = {key: value for key, value in options.items() if key in CHARTS[name].parameters}
    drawn = base64.b64encode(ev.chart(name, **own).render(".svg")).decode()
    image = f"<img alt='{escape(caption)}' src='data:image/svg+xml;base64,{drawn}'>"
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _measures(estimates: list[Estimate], level: str) -> str:
    rows, domain = [], ""
    for guide, e in zip(GUIDES, estimates, strict=True):
        first = guide.domain if guide.domain != domain else ""
        domain = guide.domain
        rows.append(
            f"<tr><td>{first}</td><th scope='row'>{escape(guide.title)}</th><td class='n'>{shown(e.value)}</td>"
            f"<td class='n'>{_interval(e)}</td><td>{guide.advice}</td><td>{_yes_or_no(guide.is_proper)}</td>"
            f"<td>{_yes_or_no(guide.has_one_focus)}</td><td>{escape(guide.why)}</td></tr>"
        )
    names = ("Domain", "Measure", "Value", f"{level} interval", "Advice", "Proper", "One focus", "Why")
    number = " class='n'"
    head = "".join(f"<th scope='col'{number if name in names[2:4] else ''}>{name}</th>" for name in names)
    table = f"<table><caption>{_CAPTION}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f"<div class='wide' tabindex='0' role='region' aria-label='All measures'>{table}</div>"


def _yes_or_no(holds: bool) -> str:
    return "yes" if holds else "no"


def _paragraph(ev: Evaluation, found: dict[str, Estimate], level: str) -> str:
    def told(name: str) -> str:
        e = found[name]
        limits = f" ({level} interval {_interval(e)})" if e.has_interval else ""
        return f"{shown(e.value)}{limits}"

    return (
        f"The model was validated in {_population(ev)[:1].lower()}{_population(ev)[1:].split('. ')[0]}. The AUROC was "
        f"{told('auc')}. The O:E ratio was {told('oe_ratio')}, the calibration intercept "
        f"{told('calibration_intercept')} and the calibration slope {told('calibration_slope')}. At a risk threshold "
        f"of {ev.threshold:g}, sensitivity was "
        f"{told('recall')}, specificity {told('specificity')}, and the net benefit {told('net_benefit')}."
    )


def _checklist() -> str:
    where = [(item, f"reported here: {here}" if here else "you must write this") for item, here in CHECKLIST]
    rows = "".join(f"<tr><th scope='row'>{escape(item)}</th><td>{escape(said)}</td></tr>" for item, said in where)
    head = "<th scope='col'>Item</th><th scope='col'>Where</th>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
