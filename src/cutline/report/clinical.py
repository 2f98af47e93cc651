"""The clinical validation report: four essentials, then every measure with the guidance on it, and a checklist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

from cutline.calibration.summary import add_judgements
from cutline.charts import CHARTS, DARK, LIGHT, PAGE
from cutline.core.counts import format_number
from cutline.core.errors import CutlineError
from cutline.core.escaping import html_text as escape
from cutline.core.table import format_value
from cutline.core.validation import format_count
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES, Measure
from cutline.measures.references import FOLLOWED, cite
from cutline.report import chart_specs
from cutline.report.html_page import list_colours
from cutline.report.measure_rows import format_limits
from cutline.report.sections import describe_guarantee
from cutline.results.cut_point import describe_rule
from cutline.results.estimate import Estimate
from cutline.results.summary import Row, Summary, make_name


class Proper(Enum):
    """Whether the true risks score best on average, after the guidance (Table 1)."""

    STRICTLY = "strictly"  # nothing else scores as well
    ASYMPTOTICALLY = "asymptotically"  # ... with many cases
    SEMI = "semi"  # nothing scores better, but something else may score as well
    AT_A_HALF = "only at 0.5"  # a threshold of 0.5
    AT_PREVALENCE = "only at prevalence"  # a threshold that equals the prevalence
    NO = "no"

    @property
    def holds(self) -> bool:
        """Whether it is proper at any threshold."""
        return self in (Proper.STRICTLY, Proper.ASYMPTOTICALLY, Proper.SEMI)


class Advice(Enum):
    """Advice of the guidance on a measure (Table 2), quoted in the comments."""

    RECOMMENDED = "recommended"
    NOT_ESSENTIAL = "not essential"
    CAUTION = "caution"  # descriptive, beside its partner
    NOT_RECOMMENDED = "not recommended"  # inadvisable


class Guide(NamedTuple):
    """A measure with the advice on it and the reason.

    The guidance asks two things of a measure. Is it proper: do the true risks score best on average? And has it one
    focus: is it about statistics alone, or about decisions with what their errors cost?
    """

    domain: str
    title: str
    measure: str
    advice: Advice
    why: str
    proper: Proper = Proper.SEMI
    has_one_focus: bool = True
    sign: int = 1


_RANK = "describes how risks rank; it does not depend on a threshold or on the prevalence"
_PRECISION = "ignores true negatives, depends on the prevalence, and mixes ranking with the costs of errors"
_TAIL = "mixes ranking with a choice of region that ignores the costs of errors"
_WEAK = "one aspect of calibration; the plot shows more"
_FLEX = "a summary of the plot, without the direction of the errors; depends on how the curve is drawn"
_GROUPS = "a summary of a plot in groups: depends on the groups, and is biased upwards"
_OVERALL = "compares models on the same cases; hard to read by itself"
_WRONG = "wrong risks can score better than the true ones"
_CUT = "wrong risks can score better than the true ones, and the costs of the two errors are left out"
_F1 = "neither proper nor about decisions; ignores true negatives, and changes when the classes change places"
_PART = "describes one side of the decisions; report it with its partner"
_VALUE = "weights the two errors by their costs, at the threshold that is used"
_BEST = "weights the two errors by their costs, at the best threshold for these costs"

_YES, _OPEN, _CARE, _NO = Advice


def _group_guides(domain: str, *rows: tuple[Any, ...]) -> tuple[Guide, ...]:
    return tuple(Guide(domain, *row) for row in rows)


# The AUPRC is one of the 32 measures, computed in two ways.
GUIDES = (
    *_group_guides(
        "Discrimination",
        ("AUROC", "auc", _YES, _RANK),
        ("AUPRC (interpolated)", "aucpr_davis_goadrich", _NO, _PRECISION, Proper.SEMI, False),
        ("AUPRC (average precision)", "average_precision", _NO, _PRECISION, Proper.SEMI, False),
        ("Partial AUROC (recall 0.8 to 1)", "partial_auc_above_recall", _NO, _TAIL, Proper.SEMI, False),
    ),
    *_group_guides(
        "Calibration",
        ("O:E ratio", "oe_ratio", _OPEN, _WEAK),
        ("Calibration intercept", "calibration_intercept", _OPEN, _WEAK),
        ("Calibration slope", "calibration_slope", _OPEN, _WEAK),
        ("ECI", "eci", _OPEN, _FLEX),
        ("ICI", "ici", _OPEN, _FLEX),
        ("ECE (10 groups)", "ece", _OPEN, _GROUPS),
    ),
    *_group_guides(
        "Overall",
        ("Log likelihood", "log_likelihood", _OPEN, _OVERALL, Proper.STRICTLY),
        ("Log loss (sum over the cases)", "log_likelihood", _OPEN, _OVERALL, Proper.STRICTLY, True, -1),
        ("Brier score", "brier", _OPEN, _OVERALL, Proper.STRICTLY),
        ("Scaled Brier score", "brier_skill", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("McFadden R²", "mcfadden_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Cox-Snell R²", "cox_snell_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Nagelkerke R²", "nagelkerke_r2", _OPEN, _OVERALL, Proper.ASYMPTOTICALLY),
        ("Discrimination slope", "discrimination_slope", _NO, _WRONG, Proper.NO),
        ("Mean absolute prediction error", "mae", _NO, _WRONG, Proper.NO),
    ),
    *_group_guides(
        "Classification",
        ("Accuracy", "accuracy", _NO, _CUT, Proper.AT_A_HALF),
        ("Balanced accuracy", "balanced_accuracy", _NO, _CUT, Proper.AT_PREVALENCE),
        ("Youden index", "youden_j", _NO, _CUT, Proper.AT_PREVALENCE),
        ("Diagnostic odds ratio", "diagnostic_odds_ratio", _NO, _CUT, Proper.NO),
        ("Kappa", "kappa", _NO, _CUT, Proper.NO),
        ("F1", "f1", _NO, _F1, Proper.NO, False),
        ("MCC", "mcc", _NO, _CUT, Proper.NO),
        ("Sensitivity", "recall", _CARE, _PART, Proper.NO),
        ("Specificity", "specificity", _CARE, _PART, Proper.NO),
        ("Positive predictive value", "precision", _CARE, _PART, Proper.NO),
        ("Negative predictive value", "npv", _CARE, _PART, Proper.NO),
    ),
    *_group_guides(
        "Clinical utility",
        ("Net benefit", "net_benefit", _YES, _VALUE),
        ("Standardised net benefit", "standardised_net_benefit", _YES, _VALUE),
        ("Expected cost", "min_expected_cost", _YES, _BEST),
    ),
)


class Item(NamedTuple):
    """An item of reporting guidelines (TRIPOD+AI, STARD): what the page reports of it, and a hint for the author."""

    question: str
    here: str = ""
    help: str = ""
    of_risks: bool = False  # it concerns models that give risks


CHECKLIST = (
    Item("Title: a validation of a prediction model, its population and outcome"),
    Item("Source of the data, dates, setting, eligibility"),
    Item("Outcome: definition, when and how it was assessed, blinding"),
    Item("Predictors: definition, when and how they were measured"),
    Item("Sample size: how it was determined", help="cutline plan computes one for the wanted precision"),
    Item("Missing data: how they were handled", "number of rows left out"),
    Item("The model that is validated: where it is published, how risks are computed"),
    Item("Participants: numbers with and without the outcome", "numbers of cases and of positives"),
    Item("Discrimination with intervals", "AUROC"),
    Item("Calibration plot and measures", "reliability diagram, O:E ratio, intercept, slope", of_risks=True),
    Item("Distribution of the risks by outcome", "figure"),
    Item("Clinical utility at the thresholds that matter", "net benefit with decision curve", of_risks=True),
    Item("Contingency table at the threshold", "table of counts"),
    Item("Performance in subgroups, fairness", help="evaluate(..., by=) compares them"),
    Item("Updating of the model, if any", help="cutline recalibrate fits an update", of_risks=True),
    Item("Limitations, generalisability, intended use"),
    Item("Funding, conflicts of interest, protocol, data and code availability"),
)


# Of a model that gives risks, and of a biomarker or a reader's score, which order patients and nothing more.
RISK_FIGURES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("roc", "Discrimination: ROC curve", {"hull": False, "points": False}),
    ("reliability", "Calibration plot, with a {level} consistency band", {}),
    ("net_benefit", "Clinical utility: decision curve", {}),
    ("risk_by_outcome", "Distribution of the risks by outcome", {}),
)
SCORE_FIGURES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("roc", "Discrimination: ROC curve", {"hull": False, "points": False}),
    ("score_distribution", "Distribution of the values by outcome", {}),
    ("tpr_fpr", "Sensitivity and 1 - specificity at every cut", {}),
)
# What is read at the cut, under the names that clinicians know.
AT_THE_CUT = {
    "recall": "Sensitivity",
    "specificity": "Specificity",
    "lr_plus": "Positive likelihood ratio",
    "lr_minus": "Negative likelihood ratio",
    "precision": "Positive predictive value",
    "npv": "Negative predictive value",
}
# Notes that recommend what the guidance does not.
_AGAINST_GUIDANCE = ("imbalance", "threshold", "rare-positives")
# What the charts call by the names of machine learning.
_WORDS = {"False positive rate": "1 - specificity", "Recall": "Sensitivity", "Precision": "Positive predictive value"}
_PERFECT = 5e-4  # how near to 1 the O:E ratio and the slope of a model are that was fitted on the cases at hand
_CAPTION = (
    "Proper: the true risks score best on average, strictly (nothing else scores as well), asymptotically (so with "
    "many cases), or semi (nothing scores better). One focus: on statistics alone, or on decisions with the costs of "
    "their errors. Measures that lack one of the two are not recommended, or describe only one aspect; F1 lacks both. "
    "Advice after Van Calster et al. 2025, Tables 1 and 2; in brackets, where a measure comes from."
)

_STYLE = """
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem}
p,ul{max-width:60rem}table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}
caption{text-align:left;font-weight:600;padding:.3rem 0}tbody+tbody th[scope=rowgroup]{padding-top:.8rem}
th,td{border-bottom:1px solid #8888;padding:.25rem .5rem;text-align:left;vertical-align:top}td.n,th.n{
text-align:right}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}.wide{overflow-x:auto}.figures{display:grid;gap:1rem;
grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr))}.figures:has(>figure:nth-child(3):last-child){
grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}figure{margin:0;break-inside:avoid}img{width:100%;height:auto;
background:#fff}figcaption{font-size:.9rem}tr{break-inside:avoid}thead{display:table-header-group}
@media screen and (min-width:48rem){.wide td:last-child{min-width:15rem}}
h1,p,figcaption{overflow-wrap:anywhere}.warning{border-left:4px solid #c04a00;padding-left:.8rem}
.chart svg{width:100%;max-width:460px;height:auto}body{background:var(--ground);color:var(--ink)}
@media screen and (width<48rem){td.n+td.n{white-space:normal}
.wide thead{position:absolute;clip-path:inset(50%)}.wide tr,.wide th,.wide tbody{
display:block}.wide th,.wide td{border:0;padding:.1rem 0}.wide tr{border-bottom:1px solid #8888;padding:.3rem 0}
.wide td{display:grid;grid-template-columns:7.5rem 1fr}.wide td.n{text-align:left;white-space:normal}
.wide td::before{content:attr(data-of)}}
@media print{@page{size:A4;margin:15mm}body{font-size:9.5pt;line-height:1.4;max-width:none;padding:0}
h1,h2{margin:.5em 0 .3em;break-after:avoid}th[scope=rowgroup]{break-after:avoid}
table{break-inside:avoid}.wide table{break-inside:auto;font-size:8pt}.wide th,.wide td{padding:.12rem .25rem}
.wide td:last-child{width:42%}.wide{overflow:visible}
.figures,.figures:has(>figure:nth-child(3):last-child){grid-template-columns:1fr 1fr}
img{max-height:78mm;object-fit:contain;object-position:left top}}
"""


def render_clinical_page(ev: Evaluation, summary: Summary) -> str:
    """Return the report as one self-contained HTML page: a view of a finished summary, with its options.

    Args:
        ev: What `evaluate` gives: of a model that gives risks, or of a biomarker or a reader.
        summary: Its numbers; those of the guidance that it lacks are made with its options. Its threshold is the value
            from which cases are treated.
    """
    ev = ev.with_cut() if summary.cut.is_default else ev.with_cut(**summary.cut.parameters)
    are_risks = ev.ranking.are_probabilities
    guides = GUIDES if are_risks else tuple(g for g in GUIDES if g.domain in ("Discrimination", "Classification"))
    at_the_cut = _select_rows(ev, summary, [MEASURES[name] for name in AT_THE_CUT])
    rows = _select_rows(ev, summary, [MEASURES[guide.measure].with_(**_imply_costs(guide, ev)) for guide in guides])
    resamples = max(summary.options.resamples_used, at_the_cut.options.resamples_used, rows.options.resamples_used)
    summary = replace(summary, rows=rows.rows, options=replace(summary.options, resamples_used=resamples))
    estimates = [_turn_sign(row, guide) for guide, row in zip(guides, summary.rows, strict=True)]
    by_name = {guide.measure: estimate for guide, estimate in zip(guides, estimates, strict=True) if guide.sign > 0}
    by_name |= {row.measure.name: row.estimate for row in at_the_cut.rows}
    verdict, notes = _judge(summary) if are_risks else ([], [])
    suspicion = _warn_of_perfect_calibration(by_name) if are_risks else ""
    subject = "a prediction model" if are_risks else "a diagnostic score"
    title = f"Validation of {ev.name}" if ev.name else f"Validation of {subject}"
    figures = RISK_FIGURES if are_risks else SCORE_FIGURES
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(_describe_population(ev))}</p>",
        *(f"<p class='warning'>{escape(text)}</p>" for text in [_warn_of_default_cut(ev)] if text),
        f"<p class='warning'>{escape(suspicion)}</p>" if suspicion else "",
        "<h2>The four essentials</h2>" if are_risks else "<h2>The essentials</h2>",
        _render_essentials(by_name, verdict[0] if verdict else "", are_risks=are_risks),
        f"<div class='figures'>{''.join(_render_figure(ev, *figure, summary, by_name) for figure in figures)}</div>",
        f"<h2>At the cut: {escape(_name_rule(ev))}</h2>",
        _render_cut(by_name, are_risks=are_risks),
        ev.counts._repr_html_(),
        *_render_promise(ev, summary),
        *(["<h2>Can the probabilities be trusted?</h2>", _render_list(verdict)] if verdict else []),
        "<h2>All measures, with the guidance on each</h2>",
        _render_measures(guides, estimates),
        "<h2>Methods, to copy</h2>",
        f"<p id='methods'>{escape(_write_methods(ev, summary, at_the_cut))}</p>",
        "<h2>Results, to copy</h2>",
        f"<p id='results'>{escape(_write_results(ev, by_name))}</p>",
        "<h2>Checklist (TRIPOD+AI, STARD)</h2>",
        _render_checklist(are_risks=are_risks),
        *_render_notes(summary, notes),
        "<p>Guidance after Van Calster et al., The Lancet Digital Health, 2025 (doi 10.1016/j.landig.2025.100916).</p>",
    ]
    head = (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><meta http-equiv='Content-Security-Policy' "
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"><meta name='viewport' "
        f"content='width=device-width,initial-scale=1'><title>{escape(title)}</title><style>{_write_colours()}{_STYLE}</style></head>"
    )
    return f"{head}<body><main>{''.join(body)}</main></body></html>\n"


def _write_colours() -> str:
    """Return the colours of the charts as variables of the style, for a light and a dark screen."""
    light, dark = (
        ";".join(f"{name}:{colour}" for name, colour in list_colours(theme).items()) for theme in (LIGHT, DARK)
    )
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


# ---------------------------------------------------------------------- the numbers


def _select_rows(ev: Evaluation, summary: Summary, measures: Sequence[Measure]) -> Summary:
    """Return the summary with these measures in this order; missing ones are computed with its options."""
    known, options = {row.key: row for row in summary.rows}, summary.options
    missing = dict.fromkeys(measure for measure in measures if make_name(measure, {}) not in known)
    how: dict[str, Any] = {name: getattr(options, name) for name in ("intervals", "level", "resamples", "seed")}
    more = ev.summary(missing, **how)
    known |= {row.key: row for row in more.rows}
    resamples = max(options.resamples_used, more.options.resamples_used)
    rows = tuple(known[make_name(measure, {})] for measure in measures)
    return replace(summary, rows=rows, options=replace(options, resamples_used=resamples))


def _imply_costs(guide: Guide, ev: Evaluation) -> dict[str, Any]:
    """Return the costs that the threshold implies, for the measure that takes them."""
    takes_costs = guide.measure == "min_expected_cost" and 0 < ev.threshold < 1
    return {"cost_fn": (1 - ev.threshold) / ev.threshold} if takes_costs else {}


def _turn_sign(row: Row, guide: Guide) -> Estimate:
    """Return the estimate, or its negative: the guidance sums the log loss, which is minus the log likelihood."""
    e = row.estimate
    return e if guide.sign > 0 else replace(e, measure="log_loss_sum", value=-e.value, low=-e.high, high=-e.low)


def _judge(summary: Summary) -> tuple[Sequence[str], Sequence[str]]:
    """Return the verdict on the probabilities with the gain from recalibration, and its notes."""
    judgement = add_judgements(summary).probabilities
    if judgement is None:
        return ["There is no verdict on the probabilities, because all cases are of one class."], []
    worth = judgement.worth.verdict if judgement.worth else judgement.reason
    return [*judgement.calibration.verdict, worth], judgement.calibration.notes


# ---------------------------------------------------------------------- the parts of the page


def _format_number(value: float) -> str:
    """Format a number for people; rounding errors around zero are zero."""
    return "0.0000" if 0 < abs(value) < 1e-6 else format_value(value)


def _format_interval(estimate: Estimate) -> str:
    return format_limits(estimate.low, estimate.high) or "none"


def _name_rule(ev: Evaluation) -> str:
    return describe_rule(ev.ranking, ev.counts)


def _describe_population(ev: Evaluation) -> str:
    r = ev.ranking
    share = 100 * float(r.positives) / float(r.total)
    rows = format_count(r.dropped, "row") if r.dropped else "No row"
    left_out = f" {rows} with missing values {'were' if r.dropped > 1 else 'was'} left out."
    cases = f"{format_number(r.total)} cases, {format_number(r.positives)} with the outcome ({share:.3g} %)"
    if r.are_probabilities:
        return f"{cases}. Cases with a risk of {ev.threshold:g} or more are flagged.{left_out}"
    turned = "" if r.higher_is_positive else " Low values mean disease."
    return f"{cases}. The values are not risks. Cases are flagged at {_name_rule(ev)}.{turned}{left_out}"


def _warn_of_default_cut(ev: Evaluation) -> str:
    """Return a warning if the cut is the default."""
    if not ev.cut.is_default:
        return ""
    why = ", which flags about as many cases as have the outcome" if ev.cut.is_by_prevalence(ev.ranking) else ""
    return (
        f"The cut was not chosen: {_name_rule(ev)} is the default{why}. Choose one before you report what depends on "
        "it; a cut that is guaranteed to reach a sensitivity comes from choose_cut() or from the command cutline cut."
    )


def _warn_of_perfect_calibration(estimates: dict[str, Estimate]) -> str:
    """Return a warning if the calibration is perfect, which suggests the training cases."""
    ratio, slope = estimates["oe_ratio"].value, estimates["calibration_slope"].value
    if not (abs(ratio - 1) < _PERFECT and abs(slope - 1) < _PERFECT):
        return ""
    return (
        f"The O:E ratio is {format_value(ratio)} and the calibration slope {format_value(slope)}: a logistic "
        "model has exactly these "
        "values on the cases that it was fitted on. If these cases were used to fit or recalibrate the model, this is "
        "not a validation, and the calibration on other patients is still unknown."
    )


def _render_essentials(estimates: dict[str, Estimate], verdict: str, *, are_risks: bool) -> str:
    essentials = {"auc": "AUROC", "oe_ratio": "O:E ratio", "calibration_slope": "Calibration slope"}
    essentials |= {"net_benefit": "Net benefit"}
    names = essentials if are_risks else {"auc": "AUROC"} | dict(list(AT_THE_CUT.items())[:4])
    return _render_table({title: estimates[name] for name, title in names.items()}, estimates["auc"].level, verdict)


def _render_cut(estimates: dict[str, Estimate], *, are_risks: bool) -> str:
    """Render the measures at the cut that are not among the essentials."""
    names = AT_THE_CUT if are_risks else dict(list(AT_THE_CUT.items())[4:])
    return _render_table({title: estimates[name] for name, title in names.items()}, estimates["auc"].level, "")


def _render_table(rows: Mapping[str, Estimate], level: float, caption: str) -> str:
    """Render a table of measures with their intervals."""
    cells = "".join(
        f"<tr><th scope='row'>{name}</th>"
        f"<td class='n'>{_format_number(e.value)}</td><td class='n'>{_format_interval(e)}</td></tr>"
        for name, e in rows.items()
    )
    number = "<th scope='col' class='n'>"
    head = f"<th scope='col'>Measure</th>{number}Value</th>{number}{_format_percent(level)} interval</th>"
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"


def _render_promise(ev: Evaluation, summary: Summary) -> list[str]:
    """Render the guarantee of the cut for future patients."""
    promise = describe_guarantee(replace(summary, counts=ev.counts))
    if promise["why_not"]:
        return [f"<p>{escape(promise['why_not'])}</p>"]
    why = "This holds however the cut was chosen; one that was chosen for a requirement can promise more."
    return [f"<p id='promise'>{escape(promise['statement'])}</p><p>{why}</p>"] if promise["statement"] else []


def _render_figure(
    ev: Evaluation,
    name: str,
    caption: str,
    parameters: Mapping[str, Any],
    summary: Summary,
    estimates: Mapping[str, Estimate],
) -> str:
    caption = caption.format(level=_format_percent(summary.level))
    options: dict[str, Any] = {"level": summary.level, "seed": summary.options.seed, **parameters}
    if name == "roc":
        limits = (
            f" ({_format_percent(summary.level)} interval {_format_interval(estimates['auc'])})"
            if estimates["auc"].has_interval
            else ""
        )
        options["label"] = f"AUROC {format_value(estimates['auc'].value)}{limits}"
    takes = CHARTS[name].parameters
    try:
        picture = ev.chart(name, theme=PAGE.name, **{key: value for key, value in options.items() if key in takes})
    except CutlineError as error:  # of one class there is no curve
        return f"<figure><figcaption>{escape(caption)}: none. {escape(str(error))}</figcaption></figure>"
    chart = chart_specs.replace_words(chart_specs.specify_picture(picture), _WORDS)
    svg = chart_specs.render_still(chart, [], [*CHARTS].index(name))
    image = f"<div class='chart' role='img' aria-label='{escape(caption)}'>{svg}</div>"
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _render_measures(guides: Sequence[Guide], estimates: list[Estimate]) -> str:
    names = (
        "Measure",
        "Value",
        f"{_format_percent(estimates[0].level)} interval",
        "Advice",
        "Proper",
        "One focus",
        "Why",
    )
    number = " class='n'"
    head = "".join(f"<th scope='col'{number if name in names[1:3] else ''}>{name}</th>" for name in names)
    pairs = list(zip(guides, estimates, strict=True))
    parts = [
        f"<tbody><tr><th scope='rowgroup' colspan='{len(names)}'>{domain}</th></tr>"
        + "".join(_render_measure(guide, e, names[1:]) for guide, e in pairs if guide.domain == domain)
        + "</tbody>"
        for domain in dict.fromkeys(guide.domain for guide in guides)
    ]
    table = f"<table><thead><tr>{head}</tr></thead>{''.join(parts)}</table>"
    return f"<p>{_CAPTION}</p><div class='wide' tabindex='0' role='region' aria-label='All measures'>{table}</div>"


def _render_measure(guide: Guide, e: Estimate, columns: Sequence[str]) -> str:
    """Render a row; on a narrow screen its cells stand below each other, each with the name of its column."""
    why = f"{escape(guide.why)} [{escape(_cite(guide))}]"
    focus = "yes" if guide.has_one_focus else "no"
    cells = (_format_number(e.value), _format_interval(e), guide.advice.value, guide.proper.value, focus, why)
    number = " class='n'"
    named_cells = (
        f"<td{number if place < 2 else ''} data-of='{name}'>{cell}</td>"
        for place, (name, cell) in enumerate(zip(columns, cells, strict=True))
    )
    return f"<tr><th scope='row'>{escape(guide.title)}</th>{''.join(named_cells)}</tr>"


def _cite(guide: Guide) -> str:
    """Return a short reference for a measure: its own paper rather than a survey of many measures."""
    keys = list(MEASURES[guide.measure].source)
    return cite(next((key for key in reversed(keys) if key not in FOLLOWED), keys[0]))


def _write_methods(ev: Evaluation, summary: Summary, at_the_cut: Summary) -> str:
    """Write the paragraph for a paper's statistical methods."""
    method_by_measure = {row.measure.name: row.method for row in (*summary.rows, *at_the_cut.rows) if row.interval}

    def name_methods(title: str, *names: str) -> str:
        methods = dict.fromkeys(method_by_measure[name] for name in names if name in method_by_measure)
        titles = (method.replace(" (", ", ").replace(")", "") for method in methods)  # one bracket is enough
        return f"{title} ({'; '.join(titles)})" if methods else title

    are_risks = ev.ranking.are_probabilities
    parts = [name_methods("discrimination by the area under the ROC curve", "auc")]
    if are_risks:
        parts.append(
            name_methods(
                "calibration by the O:E ratio, the calibration intercept and slope", "oe_ratio", "calibration_slope"
            )
        )
        parts.append(name_methods("clinical utility by the net benefit", "net_benefit"))
    shares = name_methods("sensitivity, specificity and predictive values", "recall", "specificity", "precision", "npv")
    ratios = name_methods("likelihood ratios", "lr_plus", "lr_minus")
    parts.append(f"classification at {_name_rule(ev)} by {shares} and {ratios}")
    groups = (
        f" The cases came in {summary.data.groups} groups, which intervals allow for." if summary.data.groups else ""
    )
    resampled = summary.options.resamples_used if any("ootstrap" in part for part in parts) else 0
    times = f" Bootstrap intervals rest on {resampled} resamples (seed {summary.options.seed})." if resampled else ""
    with_version = f"cutline {summary.versions.get('cutline', '')}".strip()
    return (
        f"We assessed {'; '.join(parts)}. Intervals have a level of {_format_percent(summary.level)}.{groups}{times} "
        f"The analysis was made with {with_version}."
    )


def _write_results(ev: Evaluation, estimates: dict[str, Estimate]) -> str:
    """Write the paragraph for a paper's results: shares in per cent with one decimal, other numbers with two."""

    def say(name: str) -> str:
        e = estimates[name]
        limits = f" ({_format_percent(e.level)} CI {_round_for_paper(name, e.low)} to {_round_for_paper(name, e.high)})"
        return f"{_round_for_paper(name, e.value)}{limits if e.has_interval else ''}"

    population = _describe_population(ev)[:1].lower() + _describe_population(ev)[1:].split(". ")[0]
    what = "The model" if ev.ranking.are_probabilities else "The score"
    who = f"{what} {ev.name}" if ev.name else what
    first = f"{who} was validated in {population}. The AUROC was {say('auc')}."
    at = f"a risk threshold of {ev.threshold:g}" if ev.ranking.are_probabilities else _name_rule(ev)
    classified = (
        f"At {at}, sensitivity was {say('recall')} and specificity {say('specificity')}; the positive likelihood ratio "
        f"was {say('lr_plus')} and the negative likelihood ratio {say('lr_minus')}"
    )
    if not ev.ranking.are_probabilities:
        return f"{first} {classified}."
    return (
        f"{first} The O:E ratio was {say('oe_ratio')}, the calibration intercept {say('calibration_intercept')} and "
        f"the calibration slope {say('calibration_slope')}. {classified}; the net benefit was {say('net_benefit')}."
    )


_SHARES = ("recall", "specificity")


def _round_for_paper(name: str, value: float) -> str:
    """Format a number with the digits that journals print: AUROC 0.84, sensitivity 95.3 %, net benefit 0.041."""
    if math.isnan(value) or math.isinf(value):
        return format_value(value)
    if name in _SHARES:
        return f"{100 * value:.1f} %"
    text = f"{value:.{3 if name == 'net_benefit' else 2}f}"
    return text.removeprefix("-") if not float(text) else text


def _render_checklist(*, are_risks: bool) -> str:
    items = [item for item in CHECKLIST if are_risks or not item.of_risks]
    rows = "".join(
        f"<tr><th scope='row'>{escape(item.question)}</th><td>{escape(_describe_place(item))}</td></tr>"
        for item in items
    )
    head = "<th scope='col'>Item</th><th scope='col'>Where</th>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _describe_place(item: Item) -> str:
    if item.here:
        return f"reported here: {item.here}"
    return f"you must write this; {item.help}" if item.help else "you must write this"


def _render_notes(summary: Summary, more: Iterable[str]) -> Iterator[str]:
    """Render the notes on the numbers, and how they were made."""
    relevant = [note for note in summary.notes if note.rule not in _AGAINST_GUIDANCE]
    notes = [*(note.text for note in (*relevant, *summary.row_notes)), *more]
    if notes:
        yield f"<h2>Notes</h2>{_render_list(notes)}"
    conventions = _render_list(f"{name}: {words}" for name, words in summary.conventions.items())
    yield f"<h2>How the numbers were made</h2>{conventions}"


def _render_list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _format_percent(level: float) -> str:
    return f"{100 * level:g} %"
