"""Write docs/how-intervals-are-made.md from the tables of methods and constants and the coverage study: `make docs`.

A test checks that the page is up to date.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from cutline.core.ranking import Ranking
from cutline.inference import constants
from cutline.inference.methods import BY_NAME, DEFAULTS, Method, default_method
from cutline.inference.single.estimand import Estimand
from cutline.measures import MEASURES, Measure, Needs

PAGE = Path(__file__).with_name("how-intervals-are-made.md")
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import ablation  # noqa: E402
from coverage_page import FEWEST, Tally, tallies  # noqa: E402

HALVES = {"development": "coverage_results.jsonl", "validation": "coverage_held_out.jsonl"}

# The six methods: what they are for, how they work in a sentence, and the names by which results call them.
SIX: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "Wilson and MOVER",
        "a share at a cut; functions of prevalence, recall and false positive rate; ratios of shares; points of curves",
        (
            "Wilson 1927, modified for 1 to 3 cases of a kind (Brown, Cai and DasGupta 2001); sums by Newcombe 1998; "
            "likelihood ratios by Donner and Zou 2012; odds ratios by Woolf 1955. For three shares it is our extension "
            "of Zou and Donner's MOVER (2008), which is for two."
        ),
        ("wilson", "wilson_modified", "square_and_add", "mover", "log"),
    ),
    (
        "DeLong with Student's t",
        "the AUC and what is linear in it",
        (
            "DeLong et al. 1988, whose variance is a consistent estimate, on the logit scale, with the degrees of "
            "freedom of Brunner and Munzel 2000; where these are fewer than 15, Newcombe's (2006) if they are wider"
        ),
        ("delong_student", "newcombe_delong", "delong_logit", "newcombe"),
    ),
    (
        "Student's t on the measure's scale",
        (
            "other smooth measures: average precision, partial areas, losses; percentiles at a quota, where the cut "
            "itself is random, and for your own functions, whose range is unknown"
        ),
        (
            "standard error by the bootstrap (Efron 1979) or, from 10,000 cases of each class on, by the infinitesimal "
            "jackknife (Jaeckel 1972); degrees of freedom by Satterthwaite 1946"
        ),
        ("student", "influence", "bootstrap"),
    ),
    (
        "smoothed bootstrap, bias-corrected",
        "the best over all cuts or recalibrations: KS, Youden's J, AUCH, H, least cost, CORP discrimination",
        "Bantis, Nakas and Reiser 2019; twice the resampled bias where groups or weights leave nothing to smooth",
        ("smoothed", "bias_corrected"),
    ),
    (
        "test inversion; sandwich variance",
        "calibration errors; slope, intercept and O:E ratio",
        (
            "tests of every curve between the diagonal and the isotonic one (Dimitriadis, Gneiting and Jordan 2021), "
            "inverted; MacKinnon and White 1985; Debray et al. 2017"
        ),
        ("inversion", "sandwich", "delta"),
    ),
    (
        "linearised variance",
        "one cut, the AUC and means over the cases, with sampling weights, strata or groups",
        "Binder 1983, as in R's survey package; degrees of freedom from the groups of the class concerned",
        ("linearised",),
    ),
)

START = """# How intervals are made

Written by `make docs` from the table of methods (`cutline.inference.methods`), the numbers they rest on
(`cutline.inference.constants`) and the results of the coverage study. Five minutes; [Intervals](intervals.md) has
the details, [How often they cover](coverage.md) every figure.

**What is assumed.** One fixed model, and cases that it was not fitted on, drawn independently, or in whole groups, or
with known sampling weights, from the population that the numbers are to hold for. Out-of-fold scores of a
cross-validation are scores of several models: pass `folds=` ([Cross-validation](cross-validation.md)).

**One table.** Every measure declares its statistical form; the table has a row of methods for each form, and
`method="auto"` takes the first method of the row whose condition holds. Nothing else decides. Six methods make nearly
all intervals:
"""

WORDS = """
Two rows need an explanation. **Points of curves** (precision at a recall) jump where scores are tied: the limits cover
every cut that may reach the recall in the population. **At a quota** the number of flagged cases is fixed and the cut
is random, so that no formula for independent decisions applies.

Methods that a regulator, a paper or another package asks for (Wald, Clopper-Pearson, Agresti-Coull, Jeffreys, plain
DeLong, percentiles, BCa, likelihood) can be chosen by name, and are never a default ("newcombe" is his method 5 for
the AUC, not his square and add for sums of shares): {references}.

**Near the ends.** A value at an end of its range has at least Wilson's limit for a share of none, or of all, of the
smaller class, because resamples of a perfect sample are perfect. Wilson's own coverage falls to 84 % where 0.2 cases of
a kind are expected; the modified limits hold 93 % or more there.

**Few cases** are recognised by one number: Satterthwaite's degrees of freedom of the influence function.
Below {few:g} a detail says on about how many cases a result rests. The quantile is Student's with these degrees of
freedom, so that such intervals are wide, and mostly hold (the discrimination slope with few cases in 91 %).

**Warnings.** At most one for an estimate. They mark intervals that miss about twice as often as others. All other notes
are details. {warnings}
"""

RULES = """
## What each rule buys

`python benchmarks/ablation.py` makes the same intervals with a rule and without it, on the same samples of the
populations in which it can fire. "Held" is the coverage where it made a difference; for a warning, of the intervals
that carry it, and of the others. "Width" is the median ratio of mean widths, with the rule to without. A cell is a
measure in a population: without the rule "worse" cells lose a point of coverage or more and are below 95 %, "better"
ones gain. A cell has few samples, so that some change by chance: pooled figures decide.
"""

CONSTANTS = """
## The numbers behind it

"Source" is a publication; "chosen" names the command whose figures it was chosen by, on the development half of the
populations; "a convention" is a definition, or decides only what is said; "by judgement" is a number that nobody has
fitted, of which the study checks only what it does.
"""


def page() -> str:
    """Return the page."""
    lines = {half: _read(name) for half, name in HALVES.items()}
    cells = {half: tallies(read) for half, read in lines.items()}
    words = WORDS.format(references=", ".join(_references()), few=constants.FEW, warnings=_warnings(lines))
    text = [START, *_methods(lines), words, *_measures(cells), RULES, *ablation.table(), CONSTANTS, *_constants()]
    return "\n".join(text).rstrip() + "\n"


def _read(name: str) -> list[dict[str, Any]]:
    """Return the results of the intervals of one half."""
    return [json.loads(line) for line in (BENCHMARKS / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def _methods(lines: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the six methods with their sources and their pooled coverage."""
    rows = []
    for title, use, source, names in SIX:
        held = [_shown(_of_methods(lines[half], names)) for half in HALVES]
        rows.append(f"| {title} | {use} | {source} | {' | '.join(held)} |")
    head = "| method | for | source | held, % (intervals): development | validation |"
    return [head, "|---|---|---|---|---|", *rows]


def _of_methods(lines: list[dict[str, Any]], names: tuple[str, ...]) -> Tally:
    """Return the intervals that some methods made."""
    total = Tally()
    for line in lines:
        for key, row in line["found"].items():
            if key.partition("|")[2] in names:
                total = total.plus(row)
    return total


def _shown(tally: Tally) -> str:
    return f"{100 * tally.share:.1f} ({tally.made:,})" if tally.made else ""


def _references() -> list[str]:
    """Return the names of the methods that no rule chooses for any quantity."""
    chosen, named = ({method.name for row in table.values() for method in row} for table in (DEFAULTS, BY_NAME))
    return sorted(f"`{name}`" for name in named - chosen)


def _warnings(lines: dict[str, list[dict[str, Any]]]) -> str:
    """Return how often intervals with and without a warning missed, in a sentence for each half."""
    sentences = []
    for half, read in lines.items():
        total = Tally()
        for line in read:
            for row in line["found"].values():
                total = total.plus(row)
        if total.made:
            missed, silent = total.made - total.held, total.made - total.warned
            sentences.append(
                f"In the {half} half {100 * total.warned / total.made:.1f} % of {total.made:,} intervals carry one; "
                f"these missed the truth in {100 * total.warned_misses / max(total.warned, 1):.1f} %, the others in "
                f"{100 * (missed - total.warned_misses) / max(silent, 1):.1f} %."
            )
    return " ".join(sentences)


def _measures(cells: dict[str, dict[tuple[str, str], Tally]]) -> list[str]:
    """Return every measure with its method, its pooled coverage and its worst cell."""
    by_measure: dict[str, dict[str, Tally]] = {half: defaultdict(Tally) for half in HALVES}
    worst: dict[str, tuple[float, str]] = {}
    for half, found in cells.items():
        for (population, name), tally in found.items():
            by_measure[half][name] = by_measure[half][name].plus(tally)
            if tally.made >= FEWEST and tally.share < worst.get(name, (2.0, ""))[0]:
                worst[name] = tally.share, f"{population} ({100 * tally.share:.1f} of {tally.made})"
    rows = []
    for measure, method in _defaults():
        held = [_shown(by_measure[half].get(measure.name, Tally())) for half in HALVES]
        rows.append(
            f"| {measure.name} | {method.title} | {' | '.join(held)} | {worst.get(measure.name, (0.0, ''))[1]} |"
        )
    about = (
        "The default for a plain sample of 60 positives and 240 negatives (with groups, strata or sampling weights the "
        "next method of the row that allows for them), its coverage in percent, and the worst population of either "
        f"half with at least {FEWEST} intervals. The worst of some eighty populations with so few samples is far below "
        "95 % by chance alone; [How often they cover](coverage.md) tests which are really below."
    )
    return [
        "## Every measure",
        "",
        about,
        "",
        "| measure | default | development | validation | worst measured |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _defaults() -> Iterator[tuple[Measure, Method]]:
    """Yield each measure that has an interval, with the method of the rule."""
    probabilities = [0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95][::-1]
    ranking = Ranking.of_counts(probabilities, [14, 11, 9, 7, 6, 5, 3, 2, 2, 1], [2, 4, 8, 12, 18, 25, 32, 39, 46, 54])
    for measure in MEASURES:
        where = {"threshold": 0.5} if measure.needs is Needs.COUNTS else {}
        quota = {"quota": 30} if "quota" in measure.parameters else {}
        yield measure, default_method(Estimand.of_measure(measure, ranking, {**where, **quota}))


def _constants() -> list[str]:
    """Return the constants, each with the text below it in the module."""
    body = ast.parse(Path(constants.__file__).read_text(encoding="utf-8")).body
    rows = ["| number | value | what it is, and where it is from |", "|---|---|---|"]
    for assigned, about in pairwise(body):
        if isinstance(assigned, ast.Assign) and isinstance(about, ast.Expr) and isinstance(about.value, ast.Constant):
            name = ast.unparse(assigned.targets[0])
            text = " ".join(str(about.value.value).split()).replace("|", "\\|")
            rows.append(f"| `{name}` | {ast.unparse(assigned.value)} | {text} |")
    return rows


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
