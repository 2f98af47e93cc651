"""The page of the coverage laboratory: tables and heat maps from the results, `python benchmarks/coverage.py page`."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from populations import registry

import cutline as cl

DOCS = Path(__file__).parents[1] / "docs"
LOW, HIGH = 0.925, 0.975
AMPLE = 30  # cases of the smaller class to be expected
FEWEST = 20  # intervals of a cell, below which it is not judged


ABOUT = """Written by `python benchmarks/coverage.py page` from `benchmarks/coverage_results.jsonl`, to which `python
benchmarks/coverage.py run` adds samples. Each sample of each known population gives the default interval of every
measure at 95 %. So far there are {populations} populations with {least} to {most} samples each, so that a single cell
of the table has a standard error of up to {error:.1f} points; pooled figures are far sharper. Which method is the
default for which measure is in [intervals.md](intervals.md); how the methods compare on eight measures, in
[coverage-methods.md](coverage-methods.md). Populations: normal scores with equal and unequal spreads, mixtures, heavy
tails, 2 and 5 distinct scores, AUC 0.5 to 0.999, prevalence 0.5 to 0.005, 5 to 5000 positives, probabilities that are
right, too sure or too high, weights of each kind, and groups of 5 and 15 (`benchmarks/populations.py`). The warnings
counted here are those before two notes were added: for values near an end of their range, and for few cases under a
linearised variance."""
EARLIER = """{count} of the populations are from an earlier run, which took only the measures with a formula; the heat
map is white where they have no figures. They are: {names}."""


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 120, break_on_hyphens=False)


class Tally(NamedTuple):
    """Intervals that were made, that held the truth (or tests that rejected it), and that carried a warning."""

    made: int = 0
    held: int = 0
    warned: int = 0

    def plus(self, other: Iterable[float]) -> Tally:
        made, held, warned, *_ = other
        return Tally(self.made + int(made), self.held + int(held), self.warned + int(warned))

    @property
    def share(self) -> float:
        return self.held / self.made if self.made else math.nan

    @property
    def error(self) -> float:
        return math.sqrt(0.95 * 0.05 / self.made) if self.made else math.nan

    @property
    def verdict(self) -> str:
        """Whether the share lies in bounds, give or take two standard errors."""
        if self.share < LOW - 2 * self.error:
            return "below"
        return "above" if self.share > HIGH + 2 * self.error else "within"

    @property
    def is_noted(self) -> bool:
        return self.warned > 0.5 * self.made


def tallies(lines: list[dict[str, Any]], kind: str) -> dict[tuple[str, str], Tally]:
    """By population and measure, over all methods of the default rule."""
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for line in lines:
        if line["kind"] == kind:
            for key, row in line["found"].items():
                cell = line["cell"], key.partition("|")[0]
                found[cell] = found[cell].plus(row)
    return found


def sizes() -> dict[str, int]:
    """The cases of the smaller class that each population leads one to expect."""
    return {f"{p.positives} + {p.negatives}, {p.name}": min(p.positives, p.negatives) for p in registry()}


def pooled(found: Mapping[tuple[str, str], Tally], place: int, keep: Any) -> dict[str, Tally]:
    sums: dict[str, Tally] = defaultdict(Tally)
    for cell, tally in found.items():
        if keep(cell):
            sums[cell[place]] = sums[cell[place]].plus(tally)
    return sums


def shown(tally: Tally | None) -> str:
    return f"{100 * tally.share:.1f} ({tally.made})" if tally and tally.made else ""


def write_page(lines: list[dict[str, Any]]) -> None:
    """docs/coverage.md and its heat map."""
    intervals, tests = tallies(lines, "intervals"), tallies(lines, "tests")
    text = [*opening(lines, intervals), *by_measure(intervals), *by_population(intervals), *of_tests(tests)]
    (DOCS / "coverage.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    draw(intervals)


def opening(lines: list[dict[str, Any]], found: Mapping[tuple[str, str], Tally]) -> list[str]:
    samples: dict[str, int] = defaultdict(int)
    for line in lines:
        if line["kind"] == "intervals":
            samples[line["cell"]] += line["samples"]
    judged = {cell: tally for cell, tally in found.items() if tally.made >= FEWEST}
    out = {cell: tally for cell, tally in judged.items() if tally.verdict == "below"}
    silent = {cell: tally for cell, tally in out.items() if not tally.is_noted}
    above = sum(tally.verdict == "above" for tally in judged.values())
    noted = sum(tally.is_noted for tally in judged.values())
    total = len(judged)
    least, most = (min(samples.values()), max(samples.values())) if samples else (0, 0)
    error = 100 * math.sqrt(0.95 * 0.05 / max(least, 1))
    listed = sorted(silent.items(), key=lambda item: item[1].share)
    return [
        "# How often the intervals hold the truth",
        "",
        *wrapped(ABOUT.format(populations=len(samples), least=least, most=most, error=error)),
        "",
        *earlier(found),
        "## In short",
        "",
        *wrapped(
            f"Of {total} cells (a measure in a population, with at least {FEWEST} intervals), "
            f"{total - len(out) - above} are between 92.5 and 97.5 % or within two standard errors of that, {above} "
            f"above, and {len(out)} below. Of those below, {len(out) - len(silent)} carry a note that says so. "
            f"{100 * noted / max(total, 1):.1f} % of all cells carry such a note."
        ),
        "",
        "Below and without a note in most samples:",
        "",
        "| population | measure | held | of |",
        "|---|---|---|---|",
        *(f"| {cell[0]} | {cell[1]} | {100 * t.share:.0f} % | {t.made} |" for cell, t in listed),
        "",
        "![Heat map of the coverage](coverage.png)",
        "",
    ]


def earlier(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    """Which populations were sampled for part of the measures alone: fewer than two thirds of those of the fullest."""
    measures: dict[str, int] = defaultdict(int)
    for cell, _ in found:
        measures[cell] += 1
    few = [cell for cell, count in measures.items() if count < max(measures.values()) * 2 / 3]
    return [*wrapped(EARLIER.format(count=len(few), names="; ".join(few))), ""] if few else []


def by_measure(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    size = sizes()
    few = pooled(found, 1, lambda cell: size.get(cell[0], 0) < AMPLE)
    ample = pooled(found, 1, lambda cell: size.get(cell[0], 0) >= AMPLE)
    whole = pooled(found, 1, lambda _: True)
    rows = [
        f"| {m.name} | {shown(ample.get(m.name))} | {shown(few.get(m.name))} "
        f"| {100 * whole[m.name].warned / whole[m.name].made:.0f} % |"
        for m in cl.MEASURES
        if m.name in whole
    ]
    return [
        "## By measure",
        "",
        *wrapped(
            "Coverage in percent (and the number of intervals), pooled over the populations with at least "
            f"{AMPLE} cases of each class to be expected and over those with fewer; and how many carry a warning."
        ),
        "",
        "| measure | ample | few | warned |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def by_population(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    families = {m.name: m.family.name.lower() for m in cl.MEASURES}
    names = list(dict.fromkeys(families.values()))
    columns = {
        family: pooled(found, 0, lambda cell, family=family: families.get(cell[1]) == family) for family in names
    }
    cells = list(dict.fromkeys(cell for cell, _ in found))
    rows = [f"| {cell} | {' | '.join(shown(columns[family].get(cell)) for family in names)} |" for cell in cells]
    return [
        "## By population",
        "",
        "Pooled over the measures of a family.",
        "",
        f"| population | {' | '.join(names)} |",
        "|---" * (1 + len(names)) + "|",
        *rows,
        "",
    ]


def of_tests(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    if not found:
        return []
    size = sizes()
    few = pooled(found, 1, lambda cell: size.get(cell[0], 0) < AMPLE)
    ample = pooled(found, 1, lambda cell: size.get(cell[0], 0) >= AMPLE)
    whole = pooled(found, 1, lambda _: True)
    rows = [
        f"| {name} | {shown(ample.get(name))} | {shown(few.get(name))} | {100 * t.warned / t.made:.0f} % |"
        for name, t in whole.items()
    ]
    return [
        "## Tests of equal models",
        "",
        "How often the default test of two models with the same distribution of scores says at 5 % that they differ.",
        "",
        "| measure | ample | few | warned |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def draw(found: Mapping[tuple[str, str], Tally]) -> None:
    """The heat map: a row for each measure, a column for each population."""
    import altair as alt

    rows = [
        {"population": cell[0], "measure": cell[1], "coverage": 100 * t.share, "warned": "!" if t.is_noted else ""}
        for cell, t in found.items()
        if t.made
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("population:N", sort=None, axis=alt.Axis(labelLimit=260, labelAngle=-60, title=None)),
        y=alt.Y("measure:N", sort=None, axis=alt.Axis(title=None)),
    )
    colour = alt.Color(
        "coverage:Q",
        scale=alt.Scale(domain=[70, 95, 100], range=["#b2182b", "#f7f7f7", "#2166ac"], clamp=True),
        legend=alt.Legend(title="held the truth, %"),
    )
    chart = base.mark_rect().encode(color=colour) + base.mark_text(fontSize=6).encode(text="warned:N")
    chart.properties(
        title="Coverage of the default intervals of 95 %; ! where most intervals carry a warning",
        width=alt.Step(11),
        height=alt.Step(9),
    ).configure_axis(labelFontSize=8).save(str(DOCS / "coverage.png"), scale_factor=1.0)
