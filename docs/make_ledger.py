"""Write docs/ledger.md from the table of the ledger: `make docs`. A test checks that the page is up to date."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtri

from cutline import MEASURES
from cutline.ledger import SIDES, TOOLS
from cutline.ledger.material import Material, Rows
from cutline.ledger.quantity import Quantity, of_measure, quantity
from cutline.ledger.search import Workshop
from cutline.ledger.side import Side

PAGE = Path(__file__).with_name("ledger.md")
RESULTS = Path(__file__).parents[1] / "benchmarks" / "ledger_results.json"

START = """# Why do two tools give two numbers?

Written by `make docs` from the table in `cutline.ledger`. Each convention is data with a function that computes the
measure under it, the tools that take it, a reason and a source. No tool's code is used.

    cutline why predictions.csv --label y --score p --measure auc --value 0.8731   # which convention gives this number?
    cutline why predictions.csv --label y --score p --value 0.8731                 # and of which measure?
    cutline why predictions.csv --label y --score p --tools                        # what would each tool say?
    cutline why predictions.csv --label y --score p --measure auc --as keras       # the number of one tool
    cutline why a.csv b.csv --label y --score p --measure auc                      # two files, two numbers

    cl.why(labels, scores, measure="auc", value="0.8731")                          # a text keeps zeros at its end
    cl.value_as(ev, "average_precision", "torchmetrics")                           # or ev.value(..., as_=...)
    ev.save("report.html", template="tools")                                       # with "What would other tools say?"

`why` tries each convention alone and those of each tool, then pairs. What prints as the given number fits. Of those
that fit, the more plausible comes first: a default of a tool before a rare habit, one convention before two. It calls
an explanation the only one when nothing else fits and the numbers around it are so sparse that an accident is
unlikely; otherwise it lists the others, or says that the evidence is weak. For a number without a measure it searches
all measures, single conventions alone. With `--group` it tries means over folds or workers, with `--score` twice the
tests `mcnemar` and `delong`, and `recall.low` names a limit of an interval. Two files are matched by `--id`, or by
what their rows hold.
"""

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
def examples() -> tuple[Workshop, ...]:
    """Three sets of cases: a few with extreme scores, some in folds with weights, many with rare positives."""
    few = Rows(
        np.array([1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]) == 1,
        np.array([1.0, 0.9, 0.8, 0.8, 0.5, 0.5, 0.4, 0.0, 0.3, 0.2, 0.1, 1.0]),
        other=np.array([0.9, 0.9, 0.4, 0.1, 0.4, 0.1, 0.2, 0.3, 0.1, 0.2, 0.1, 0.2]),
        weights=None,
    )
    close = Rows(np.array([1, 0, 1, 0]) == 1, np.array([0.30000002, 0.30000001, 0.20000002, 0.20000001]))
    worse = Rows(np.array([0, 0, 1, 1]) == 1, np.array([0.9, 0.6, 0.7, 0.2]))
    nobody = Rows(np.array([1, 0, 0, 0]) == 1, np.array([0.4, 0.3, 0.2, 0.1]))
    sets = [
        few,
        _made(240, 0.3, 2, weights=False),
        _made(240, 0.3, 2, weights=True),
        _made(6000, 0.03, 9, weights=False),
    ]
    return tuple(Workshop(Material.of_rows(rows, 0.5)) for rows in (*sets, close, worse, nobody))


def _made(n: int, prevalence: float, digits: int, *, weights: bool) -> Rows:
    place = np.arange(1, n + 1)
    u, v = place * (math.sqrt(5) - 1) / 2 % 1, place * math.sqrt(2) % 1
    y = u < prevalence
    s = np.round(expit(0.9 * math.log(prevalence / (1 - prevalence)) + ndtri(v) + 1.3 * y), digits)
    return Rows(y, s, 1.0 + place % 3 if weights else None, np.clip(s + 0.2 * np.sin(place), 0, 1), place % 4)


def example(side: Side) -> tuple[str, float, float] | None:
    """A measure that the side changes visibly on one of the examples, without and with it."""
    first = [name for name in ("auc", "average_precision", "f1", "recall", "brier", "log_loss") if name in MEASURES]
    names = [
        *first,
        *(m.name for m in MEASURES if m.name not in first and not m.required and "smooth" not in m.parameters),
    ]
    quantities: list[Quantity] = [
        *(of_measure(MEASURES[name]) for name in names),
        *(
            quantity(name)
            for name in ("recall.low", "recall.high", "auc.low", "mcnemar", "delong", "hit_rate@share=0.03")
        ),
    ]
    for workshop in examples():
        for q in quantities:
            if side.applies(q):
                exact, value = workshop.value(q, ()), workshop.value(q, (side,))
                is_new = math.isnan(exact) and math.isfinite(value)
                if is_new or number(exact) != number(value):
                    return q.name, exact, value
    return None


def number(value: float) -> str:
    """A number as the page shows it."""
    return "undefined" if math.isnan(value) else f"{value:.4f}" if abs(value) < 1000 else f"{value:.1f}"


def takers(side: Side) -> str:
    """The tools that take a side, by their functions."""
    found = [
        f"{tool.name} ({', '.join(functions)})"
        for tool in TOOLS.values()
        if (functions := [f"`{entry.function}`" for entry in tool.entries if side.name in entry.sides][:2])
    ]
    return "; ".join(found) or side.source


def choices() -> list[str]:
    """All conventions, by what they are a choice of."""
    lines = ["", "## The choices", ""]
    lines += [
        f"{len(SIDES)} conventions. The example is a measure without and with the convention, on small sets of cases."
    ]
    by_choice: dict[str, list[Side]] = {}
    for side in SIDES.values():
        by_choice.setdefault(side.choice, []).append(side)
    for choice, sides in by_choice.items():
        lines += [
            "",
            f"### {TITLES[choice]}",
            "",
            "| convention | why it differs | example | who takes it |",
            "|---|---|---|---|",
        ]
        for side in sides:
            seen = example(side)
            shown = "" if seen is None else f"`{seen[0]}` {number(seen[1])} → {number(seen[2])}"
            lines.append(f"| `{side.name}`: {side.words} | {side.explanation} | {shown} | {takers(side)} |")
    return lines


def tools() -> list[str]:
    """All tools, with what they print."""
    lines = ["", "## The tools", ""]
    lines += [
        "Those that were run gave the numbers of `value_as` on 20 sets with ties, weights, skew and extreme scores, to",
        "1e-9 or the precision of their 32-bit numbers. The others stand here by their documentation.",
        "", "| tool | version | how it is known | measure: function, conventions |", "|---|---|---|---|",
    ]  # fmt: skip
    for tool in TOOLS.values():
        parts = []
        for entry in tool.entries:
            sides = ", ".join(f"`{name}`" for name in entry.sides)
            parts.append(f"{entry.measure}: `{entry.function}`{f' ({sides})' if sides else ''}")
        how = f"{tool.how}; {tool.source}"
        lines.append(f"| {tool.name} | {tool.version} | {how} | {'; '.join(parts)} |")
    return lines


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
        f"A blind test: numbers that {', '.join(six['tools'])} printed for random cases,",
        "half of them after something was done to the data (rounding, 32-bit numbers, the wrong column, hard labels,",
        "no weights). A right explanation gives the same number with all its digits.",
        "`python benchmarks/ledger.py --numbers 300 --save` repeats it.",
        "", "| | six digits | four digits |", "|---|---|---|",
        *(f"| {words} | {a} | {b} |" for words, a, b in rows),
    ]  # fmt: skip


def page() -> str:
    """The page of the whole ledger."""
    return "\n".join([START.rstrip(), *choices(), *tools(), *blind_test()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
