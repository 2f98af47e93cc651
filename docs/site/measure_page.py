"""The page of one measure, from the registry, from trying it, from the ledger and from the study of coverage."""

from __future__ import annotations

import math
from functools import cache

from behaviour import ignored
from by_hand import CUT, required, ten_cases, working
from evidence import coverage, other_tools
from symbols import legend
from terminal import session

from cutline import evaluate, examples
from cutline.core.errors import CutlineError
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES, Measure
from cutline.measures.references import load_bibliography
from cutline.results.method_titles import format_method

_COLUMNS = f"ten_cases.csv --label label --score score --threshold {CUT}"
_BETTER = {"higher": "Higher is better", "lower": "Lower is better", None: "Neither direction is better"}
_REACTIONS = (
    "The scores of positives and negatives are normal, 1.5 standard deviations apart. Each panel changes one thing: "
    "the share of positives, while the scores in each class stay the same; the share that is flagged; or the number of "
    "distinct scores, to which the scores are rounded."
)


def page(measure: Measure, chart: str | None) -> str:
    """All that is known about a measure.

    Args:
        measure: The measure.
        chart: The address of its small charts, if there are any.
    """
    parts = [
        f"# {measure.title}",
        f"`{measure.name}`" + "".join(f", `{alias}`" for alias in measure.aliases),
        measure.meaning,
        f"$$\n{measure.formula}\n$$" if measure.formula else "",
        legend(measure),
        _facts(measure),
        "## What it is blind to",
        measure.blind_to,
        _tried(measure),
        *(_reactions(measure, chart) if chart else ()),
        "## Its interval",
        _interval(measure),
        _by_slice(measure),
        "## In other packages",
        _elsewhere(measure),
        "## By hand",
        working(measure),
        "## In Python",
        _in_python(measure),
        "## In the terminal",
        _in_terminal(measure),
        _relatives(measure),
        _sources(measure),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _tried(measure: Measure) -> str:
    found = "\n".join(f"- {line}" for line in ignored(measure))
    return f"Found by changing one thing and looking whether it moves:\n\n{found}" if found else ""


def _reactions(measure: Measure, chart: str) -> tuple[str, ...]:
    return (
        "## How it reacts to prevalence, threshold and ties",
        f"![How {measure.name} reacts to prevalence, to the cut and to ties]({chart})",
        _REACTIONS,
    )


def _facts(measure: Measure) -> str:
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in measure.range)
    rows = [
        ("Question", measure.family.value),
        ("Computed from", measure.needs.value),
        ("Range", f"{low} to {high}"),
        ("Direction", _BETTER[measure.better]),
        ("Perfect model", f"${measure.perfect.latex}$"),
        ("Baseline", f"${measure.baseline.latex}$"),
        ("Undefined when", measure.undefined_when if measure.undefined else "never, as long as there are cases"),
        *((f"Parameter `{name}`", _parameter(measure, name)) for name in measure.parameters),
    ]
    first, *others = (f"| {name} | {_cell(text)} |" for name, text in rows)
    return "\n".join([first, "|---|---|", *others])


def _parameter(measure: Measure, name: str) -> str:
    words = measure.parameters[name].words
    if name in measure.required:
        return f"{words}; has to be given"
    value = measure.defaults[name]
    return f"{words}; {'e' if value == math.e else repr(value)} unless given"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


@cache
def _tumours() -> Evaluation:
    found = examples.load("tumours")
    return evaluate(found.labels, next(iter(found.scores.values())), positive=found.positive, name="tumours")


def _interval(measure: Measure) -> str:
    try:
        found = _tumours().estimate(measure, resamples=200, **required(measure))
    except CutlineError as error:
        return f"The example of this page has none: {error}"
    if not found.has_interval:
        return "There is no interval for this measure on the example of this page. " + " ".join(map(str, found.notes))
    limits = f"[{found.low:.4f}, {found.high:.4f}]"
    resampled = ", here with 200 resamples" if "bootstrap" in format_method(found.method) else ""
    method = f"{format_method(found.method)}{resampled}"
    how = f"Of the 569 tumours it is {found.value:.4f} {limits}, by the default method: {method}."
    more = "[How intervals are chosen](../intervals.md)."
    return " ".join(part for part in (how, measure.caveat, coverage(measure), more) if part)


def _by_slice(measure: Measure) -> str:
    """Where slices are compared by the measure; nothing where it needs a parameter."""
    if required(measure):
        return ""
    return (
        "## Between slices\n\n"
        f"Who is served worse by it, such as which site: `cutline slices FILE --by site --measure {measure.name}`, or "
        f'`cl.evaluate(..., by="site").against_rest("{measure.name}")`, with its largest gap by `--gap` or '
        f'`.gap("{measure.name}")`. [Compare slices](../slices.md).'
    )


def _elsewhere(measure: Measure) -> str:
    table = other_tools(measure)
    more = "[All conventions, and why they differ](../ledger.md)."
    if table:
        star = (
            " A star marks packages that were not run: what stands here is from their documentation."
            if "\\*" in table
            else ""
        )
        return f'{table}\n\n"As here" means that the number agrees with this page.{star} {more}'
    if measure.equivalent is not None:
        other = MEASURES[measure.equivalent.to]
        return f"See [{other.title}]({other.name}.md), of which it is another form. {more}"
    return f"None of the {_tools()} packages in the ledger prints it under a name of its own. {more}"


def _tools() -> int:
    from cutline.ledger import TOOLS

    return len(TOOLS)


def _in_python(measure: Measure) -> str:
    given = required(measure)
    arguments = "".join(f", {name}={value!r}" for name, value in given.items())
    try:
        value = ten_cases().value(measure, **given)
    except CutlineError as error:
        return f"Berrar's ten cases cannot show it. {error}"
    return "\n".join(
        [
            "```python",
            ">>> import cutline as cl",
            '>>> ten = cl.examples.load("ten_cases")',
            f'>>> ev = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive, threshold={CUT})',
            f">>> round(ev.value({measure.name!r}{arguments}), 4)",
            repr(round(value, 4)),
            "",
            "```",
        ]
    )


def _in_terminal(measure: Measure) -> str:
    """A requirement that the ten cases pass, with what the command prints."""
    given = required(measure)
    at = "@" + ",".join(f"{name}={value}" for name, value in given.items()) if given else ""
    try:
        value = ten_cases().value(measure, **given)
    except CutlineError:
        value = math.nan
    bound = f"<= {_above(value):g}" if measure.better == "lower" else f">= {-_above(-value):g}"
    lines = [f"cutline check {_COLUMNS} --require '{measure.name}{at} {bound}'"]
    shown = "" if math.isnan(value) else session(lines)[0]
    return "\n".join(
        [
            "With [ten_cases.csv](../assets/ten_cases.csv):",
            "",
            "```console",
            *([f"$ {lines[0]}", shown] if shown else ()),
            f"$ cutline evaluate {_COLUMNS} --measures '{measure.name}{at}' --json",
            "```",
        ]
    )


def _above(value: float) -> float:
    """A round number that is a little larger."""
    if not math.isfinite(value):
        return value
    step = 10.0 ** math.floor(math.log10(max(abs(value), 0.1)))
    return round((math.floor(value / step) + 1) * step, 6)


def _relatives(measure: Measure) -> str:
    same = [m for m in MEASURES if m.equivalent is not None and MEASURES[m.equivalent.to] is measure]
    lines = []
    if measure.equivalent is not None:
        other = MEASURES[measure.equivalent.to]
        lines.append(f"- It is another form of [{other.title}]({other.name}.md): {measure.equivalent.how}.")
    lines += [f"- [{m.title}]({m.name}.md) is another form of it: {m.equivalent.how}." for m in same if m.equivalent]
    if not lines:
        return (
            "## Equivalent measures\n\nNo other measure is a function of it alone. [All identities](../identities.md)."
        )
    return "## Equivalent measures\n\n" + "\n".join([*lines, "- [All identities](../identities.md)"])


def _sources(measure: Measure) -> str:
    """The texts that define it, each with the place and in full."""
    full = load_bibliography()
    lines = [f"- {full.get(key, key)}" + (f" **{place}**" if place else "") for key, place in measure.source.items()]
    return "## Sources\n\n" + "\n".join(lines) if lines else ""
