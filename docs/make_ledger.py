"""Write docs/ledger.md from the table of the ledger: `make docs`. A test checks that the page is up to date."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtri

from cutline import MEASURES, auc, why
from cutline.examples import load
from cutline.ledger import CONVENTIONS, TOOLS
from cutline.ledger.cases import Material, Rows
from cutline.ledger.convention import Convention
from cutline.ledger.quantity import PrintedQuantity, make_quantity, parse_quantity
from cutline.ledger.search import ConventionSearch
from cutline.ledger.tools import Tool, ToolFunction

PAGE = Path(__file__).with_name("ledger.md")
TRAINING = 0.2  # the prevalence of the data that the models of the examples were made with
RESULTS = Path(__file__).parents[1] / "benchmarks" / "ledger_results.json"

START = """# Why do two tools give two numbers?

Written by `make docs` from the table in `cutline.ledger`. Each convention is data with a function that computes the
measure under it, the tools that take it, a reason and a source. No tool's code is used.

```sh
# Which convention gives this number?
cutline why predictions.csv --label y --score p --measure auc --value 0.8731
# And of which measure?
cutline why predictions.csv --label y --score p --value 0.8731
# What would each tool say?
cutline why predictions.csv --label y --score p --tools
# The number of one tool
cutline why predictions.csv --label y --score p --measure auc --as keras
# Two files, two numbers
cutline why a.csv b.csv --label y --score p --measure auc
```

```python
# A number in quotation marks keeps the zeros at its end.
cl.why(labels, scores, measure="auc", value="0.8731")
# The same as ev.value("average_precision", as_="torchmetrics")
cl.value_as(ev, "average_precision", "torchmetrics")
# A report with the section "What would other tools say?"
ev.save("report.html", template="tools")
```

`why` tries each convention alone and those of each tool, then pairs. What prints as the given number fits. Of those
that fit, the more plausible comes first: a default of a tool before a rare habit, one convention before two. It calls
an explanation the only one when nothing else fits and the numbers around it are so sparse that an accident is
unlikely; otherwise it lists the others, or says that the evidence is weak. A share of few cases has few possible
values: where conventions reach more than one in twenty of them, none is called the only one. For a number without a
measure it searches all measures, single conventions alone. With `--group` it tries means over folds or workers, with
`--score` twice the tests `mcnemar` and `delong`, with `--training-prevalence` skill against the training data;
`recall.low` names a limit of an interval and `auc.se` a standard error. What is drawn at random, such as a bootstrap
interval, is tried where nothing else fits, and fits when another seed could give the number. Where no single
convention fits, families with a free number are tried too: any number of bins or thresholds of a curve, partial areas
up to any false positive rate, calibration errors by number of bins, borders, norm (also debiased), of the top label
and of each predicted class, F with any beta, log losses with heavier positives, and any cut ("F1 at any threshold
above 0.28 and up to 0.31"). Two files are matched by `--id`, or by what their rows hold, also where one of them was
rounded or stands in another order. """

TITLES = {
    "threshold": "Where is the cut?",
    "hard": "Are these scores?",
    "direction": "Which way do the scores run?",
    "class": "Which class is positive?",
    "ties": "What happens inside ties?",
    "digits": "How many digits do the scores have?",
    "link": "Are these probabilities?",
    "weights": "Do weights count?",
    "duplicates": "Does a row count twice?",
    "bins": "How many thresholds has the curve?",
    "formula": "Which formula?",
    "unit": "In which unit?",
    "scale": "On which scale?",
    "logarithm": "Which logarithm?",
    "mean": "A mean or a sum?",
}


@cache
def examples() -> tuple[ConventionSearch, ...]:
    """Sets of cases: a few with extreme scores, some in folds with weights, rare positives, and some for one side."""
    few = Rows(
        np.array([1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]) == 1,
        np.array([1.0, 0.9, 0.8, 0.8, 0.5, 0.5, 0.4, 0.0, 0.3, 0.2, 0.1, 1.0]),
        other=np.array([0.9, 0.9, 0.4, 0.1, 0.4, 0.1, 0.2, 0.3, 0.1, 0.2, 0.1, 0.2]),
        weights=None,
    )
    close = Rows(np.array([1, 0, 1, 0]) == 1, np.array([0.30000002, 0.30000001, 0.20000002, 0.20000001]))
    worse = Rows(np.array([0, 0, 1, 1]) == 1, np.array([0.9, 0.6, 0.7, 0.2]))
    nobody = Rows(np.array([1, 0, 0, 0]) == 1, np.array([0.4, 0.3, 0.2, 0.1]))
    log_odds = Rows(np.array([1, 1, 0, 1, 0, 0]) == 1, np.array([2.0, 0.8, 0.4, 0.2, -0.5, -1.5]))
    sets = [
        few,
        _made(240, 0.3, 2, weights=False),
        _made(240, 0.3, 2, weights=True),
        _made(6000, 0.03, 9, weights=False),
    ]
    return tuple(
        ConventionSearch(Material.of_rows(rows, 0.5, TRAINING)) for rows in (*sets, close, worse, nobody, log_odds)
    )


def _made(n: int, prevalence: float, digits: int, *, weights: bool) -> Rows:
    place = np.arange(1, n + 1)
    u, v = place * (math.sqrt(5) - 1) / 2 % 1, place * math.sqrt(2) % 1
    y = u < prevalence
    s = np.round(expit(0.9 * math.log(prevalence / (1 - prevalence)) + ndtri(v) + 1.3 * y), digits)
    return Rows(y, s, 1.0 + place % 3 if weights else None, np.clip(s + 0.2 * np.sin(place), 0, 1), place % 4)


@cache
def quantities() -> tuple[PrintedQuantity, ...]:
    """What an example may show, the best known first; measures of a smoothed curve take long, and are left out."""
    first = ("auc", "average_precision", "f1", "recall", "precision", "brier", "log_loss", "accuracy", "ks")
    rest = [m.name for m in MEASURES if m.name not in first and not m.required and "smooth" not in m.parameters]
    return (
        *(make_quantity(MEASURES[name]) for name in (*first, *rest)),
        *map(parse_quantity, ("recall.low", "recall.high", "auc.low", "brier.low", "auc.se", "recall.se", "brier.se",
                        "mcnemar", "delong", "enrichment@share=0.22", "portion_lift@portion=2")),
    )  # fmt: skip


def example(convention: Convention) -> tuple[str, float, float] | None:
    """A measure that the convention changes visibly on one of the examples, without and with it.

    A measure that is defined without the convention comes before one that is not. None for what cutline does
    anyway.
    """
    new, has_number = None, False
    for q in quantities():
        if not convention.applies(q):
            continue
        for search in examples():
            exact, value = search.value(q, ()), search.value(q, (convention,))
            if math.isfinite(exact) and math.isfinite(value) and number(exact) != number(value):
                return q.name, exact, value
            has_number |= math.isfinite(value)
            if new is None and math.isnan(exact) and math.isfinite(value):
                new = q.name, exact, value
    if not has_number:
        raise ValueError(f"no example gives a number for {convention.name}")
    return new


def number(value: float) -> str:
    """A number as the page shows it."""
    return "undefined" if math.isnan(value) else f"{value:.4f}" if abs(value) < 1000 else f"{value:.1f}"


def takers(convention: Convention) -> str:
    """The tools that have a convention, by their functions."""
    found = [
        f"{tool.name} ({', '.join(functions)})"
        for tool in TOOLS.values()
        if (functions := [f"`{entry.function}`" for entry in tool.entries if convention.name in entry.conventions][:2])
    ]
    return "; ".join(found) or convention.source


def choices() -> list[str]:
    """All conventions, by what they are a choice of."""
    lines = ["", "## The choices", ""]
    example_words = "The example is a measure without and with the convention, on small sets of cases."
    lines += [f"{len(CONVENTIONS)} conventions. {example_words}"]
    by_choice: dict[str, list[Convention]] = {}
    for convention in CONVENTIONS.values():
        by_choice.setdefault(convention.choice, []).append(convention)
    for choice, conventions in by_choice.items():
        lines += [
            "",
            f"### {TITLES[choice]}",
            "",
            "| convention | why it differs | example | who takes it |",
            "|---|---|---|---|",
        ]
        for convention in conventions:
            seen = example(convention)
            shown = "cutline's own" if seen is None else f"`{seen[0]}` {number(seen[1])} → {number(seen[2])}"
            name = f"`{convention.name}`: {convention.words}"
            lines.append(f"| {name} | {convention.explanation} | {shown} | {takers(convention)} |")
    return lines


def tools() -> list[str]:
    """All tools, with what they print: those that were run, and those of which the documentation was read."""
    known = {how: [tool for tool in TOOLS.values() if tool.how == how] for how in ("run", "documented")}
    names = ", ".join(tool.name for tool in known["documented"])
    return [
        "", "## The tools that were run", "",
        f"{len(known['run'])} tools were run on 20 sets with ties, weights, skew and extreme scores: `value_as` gives",
        "their numbers to 1e-9, or to the precision of their 32-bit numbers. The answers are in",
        "`tests/oracles/ledger.json`, made by `make_ledger_oracles.py` beside it; tests ask the tools that are",
        "installed again.",
        *_table(known["run"]),
        "", "## The tools that were not run", "",
        f"{len(known['documented'])} tools stand here by their documentation alone: {names}.",
        "Nobody compared `value_as` with what they print. In tables they have a star.",
        *_table(known["documented"]),
    ]  # fmt: skip


def _table(some: list[Tool]) -> list[str]:
    lines = ["", "| tool | version | where | measure: function, conventions |", "|---|---|---|---|"]
    for tool in some:
        parts = "; ".join(_entry(entry) for entry in tool.entries)
        lines.append(f"| {tool.name} | {tool.version} | {tool.source} | {parts} |")
    return lines


def _entry(entry: ToolFunction) -> str:
    more = [*(f"`{name}`" for name in entry.conventions), *(["weights ignored"] if entry.weights == "ignored" else [])]
    conventions = f" ({', '.join(more)})" if more else ""
    note = f": {entry.note}" if entry.note else ""
    return f"{entry.measure}: `{entry.function}`{conventions}{note}"


def sample_answer() -> list[str]:
    """Return what `why` says of one number: the AUC of hard labels, as many people compute it by mistake."""
    tumours = load("tumours")
    scores = np.array(tumours.scores["logistic"])
    value = auc(tumours.labels, (scores >= 0.5) * 1.0, positive=tumours.positive)
    answer = why(tumours.labels, scores, measure="auc", value=f"{value:.4f}", positive=tumours.positive)
    question = f"A colleague reports an AUC of {value:.4f} for the tumours of `cutline demo`, and yours is another:"
    return ["", question, "", "```text", *answer.sentences, "```", ""]


def blind_test() -> list[str]:
    """What the blind test found."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    six, four = found["6"], found["4"]
    rows = [
        ("numbers", six["numbers"], four["numbers"]),
        ("a right explanation comes first", *(f"{100 * x['right_first']:.1f} %" for x in (six, four))),
        ("exactly the conventions that were used come first", *(f"{100 * x['same_first']:.1f} %" for x in (six, four))),
        ("nothing fits", *(f"{100 * x['unexplained']:.1f} %" for x in (six, four))),
        ("called the only one that fits", *(f"{100 * x['certain']:.1f} %" for x in (six, four))),
        ("right when called so", *(f"{100 * x['right_when_certain']:.1f} %" for x in (six, four))),
        ("called so where two explanations fit", six["certain_with_several"], four["certain_with_several"]),
    ]
    return [
        "", "## How often is it right?", "",
        "Two questions were asked, and their answers are far apart.", "",
        "### Of functions that the tables above have", "",
        "This says how well the search tells known conventions apart, not how many numbers of the world it knows.",
        f"The numbers are what {', '.join(six['tools'])} printed for random cases,",
        "half of them after something was done to the data (rounding, 32-bit numbers, the wrong column, hard labels,",
        "no weights). A right explanation gives the same number with all its digits.",
        f"`python benchmarks/ledger.py --numbers 300 --save` repeats it; last done in {found['date']}.",
        "", "| | six digits | four digits |", "|---|---|---|",
        *(f"| {words} | {a} | {b} |" for words, a, b in rows),
        *blind_rounds(found["blind"]),
    ]  # fmt: skip


def blind_rounds(rounds: dict[str, dict]) -> list[str]:
    """What the numbers of functions showed that were picked without the table."""
    tables = [part["packages"] for part in rounds.values()]
    packages = dict.fromkeys(name for table in tables for name in table)
    totals = [[sum(column) for column in zip(*table.values(), strict=True)] for table in tables]
    first, second = (
        f"for {right} of {total} ({100 * right / total:.0f} %)"
        for (total, _), right in zip(totals, (part["right_when_first_tried"] for part in rounds.values()), strict=True)
    )
    rows = [[name, *(cell for table in tables for cell in table.get(name, ("", "")))] for name in packages]
    rows.append(["all", *(cell for total in totals for cell in total)])
    return [
        "", "### Of any functions of real packages", "",
        f"Somebody who had not written the ledger called functions of {len(packages)} packages from PyPI, with options",
        "of all kinds, in November 2026, and named each number as its user would. The explanation that came first was",
        f"right {first}. What was missing and is a convention was added. A second round",
        f"of other functions and new cases, tried after that, was right {second}. In both rounds no wrong",
        "explanation was called the only one. The table shows both rounds as they stand now, with what the second one",
        "lacked, so that it is no blind test any more (`python benchmarks/ledger.py --blind --save`). What is left are",
        "other measures under a wrong name (NDCG, or a distance in the ROC plane called AUC), parameters that only",
        "their user knows, numbers drawn at random, and smooth ECE on a grid.",
        "", "| package | first round | right now | second round | right now |", "|---|---|---|---|---|",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]  # fmt: skip


def page() -> str:
    """The page of the whole ledger."""
    title, _, rest = START.rstrip().partition("\n")
    return "\n".join([title, *sample_answer(), rest.strip(), *choices(), *tools(), *blind_test()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
