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
RESAMPLES = 100  # as in coverage.py
FEWEST = 20  # intervals of a cell, below which it is not judged


ABOUT = """Written by `python benchmarks/coverage.py page` from `benchmarks/coverage_results.jsonl`, to which `python
benchmarks/coverage.py run` adds samples. Each sample of each known population gives the default interval of every
measure at 95 %. So far {populations} of the {registered} populations of the registry have been sampled, with {least}
to {most} samples each ({middle} in the middle), so that a single cell of the table has a standard error of
{error:.1f} points, and of up to {worst:.1f} where samples are fewest; pooled figures are far sharper. Measures that
take long (loess, hulls) are made on every fifth sample, and bootstraps have {resamples} resamples here. Which method
is the default for which measure is in [intervals.md](intervals.md); how older methods compare on eight measures, in
[coverage-methods.md](coverage-methods.md). The registry holds normal scores with equal and unequal spreads, mixtures,
heavy tails, 2 and 5 distinct scores, AUC 0.5 to 0.999, prevalence 0.5 to 0.005, 5 to 5000 positives, probabilities
that are right, too sure or too high, weights of each kind, and groups of 5 and 15 (`benchmarks/populations.py`)."""


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
    """docs/coverage.md and its heat maps."""
    intervals, tests = tallies(lines, "intervals"), tallies(lines, "tests")
    text = [*opening(intervals), *by_measure(intervals), *by_population(intervals), *of_tests(tests)]
    (DOCS / "coverage.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    draw(intervals, "coverage.png", "Coverage of the default intervals of 95 %; ! where most carry a warning", LEVELS)
    if tests:
        draw(
            tests,
            "coverage-tests.png",
            "Tests of equal models at 5 % that reject; ! where most carry a warning",
            ERRORS,
        )


def samples_of(found: Mapping[tuple[str, str], Tally]) -> dict[str, int]:
    """The samples of each population: as many as its fullest measure has intervals."""
    samples: dict[str, int] = defaultdict(int)
    for (cell, _), tally in found.items():
        samples[cell] = max(samples[cell], tally.made)
    return samples


def opening(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    samples = sorted(samples_of(found).values()) or [0]
    judged = {cell: tally for cell, tally in found.items() if tally.made >= FEWEST}
    below = {cell: tally for cell, tally in judged.items() if tally.verdict == "below"}
    above = {cell: tally for cell, tally in judged.items() if tally.verdict == "above"}
    silent = {cell: tally for cell, tally in below.items() if not tally.is_noted}
    total, inside = max(len(judged), 1), len(judged) - len(below) - len(above)
    noted = sum(tally.is_noted for tally in judged.values())
    listed = sorted(silent.items(), key=lambda item: item[1].share)
    middle = samples[len(samples) // 2]
    about = ABOUT.format(
        populations=len(samples_of(found)),
        registered=len(registry()),
        least=samples[0],
        most=samples[-1],
        middle=middle,
        error=100 * math.sqrt(0.95 * 0.05 / max(middle, 1)),
        worst=100 * math.sqrt(0.95 * 0.05 / max(samples[0], 1)),
        resamples=RESAMPLES,
    )
    return [
        "# How often the intervals hold the truth",
        "",
        *wrapped(about),
        "",
        "## In short",
        "",
        *wrapped(
            f"Of {len(judged)} cells (a measure in a population, with at least {FEWEST} intervals), "
            f"{inside} ({100 * inside / total:.1f} %) are between "
            f"92.5 and 97.5 % or within two standard errors of that, {len(above)} above, and {len(below)} below. Of "
            f"those below, {len(below) - len(silent)} carry a note that says so, and {len(silent)} "
            f"({100 * len(silent) / total:.1f} % of all cells) do not. By chance alone as many as {0.023 * total:.0f} "
            "would be below if all intervals held the truth in 92.5 % of the samples. "
            f"{100 * noted / total:.1f} % of all cells carry a note in most samples."
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
    out = [
        (cell, t)
        for cell, t in found.items()
        if t.made >= FEWEST and not 0.03 - 2 * t.error <= t.share <= 0.07 + 2 * t.error and not t.is_noted
    ]
    return [
        "## Tests of equal models",
        "",
        *wrapped(
            "How often the default test of two models with the same distribution of scores says at 5 % that they "
            f"differ, in {len({cell for cell, _ in found})} populations with {min(samples_of(found).values())} to "
            f"{max(samples_of(found).values())} samples each; {len(out)} of {len(found)} cells are outside 3 to 7 % by "
            "more than two standard errors without a note."
        ),
        "",
        "| measure | ample | few | warned |",
        "|---|---|---|---|",
        *rows,
        "",
        *(f"- {cell[0]}, {cell[1]}: {100 * t.share:.0f} % of {t.made}" for cell, t in out),
        "",
        "![Heat map of the tests](coverage-tests.png)",
    ]


LEVELS = ([70, 95, 100], ["#b2182b", "#f7f7f7", "#2166ac"], "held the truth, %")
ERRORS = ([0, 5, 20], ["#2166ac", "#f7f7f7", "#b2182b"], "rejected, %")


def draw(found: Mapping[tuple[str, str], Tally], name: str, title: str, colours: tuple[Any, Any, str]) -> None:
    """A heat map: a row for each measure, a column for each population."""
    import altair as alt

    rows = [
        {"population": cell[0], "measure": cell[1], "share": 100 * t.share, "warned": "!" if t.is_noted else ""}
        for cell, t in found.items()
        if t.made
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("population:N", sort=None, axis=alt.Axis(labelLimit=300, labelAngle=-60, title=None)),
        y=alt.Y("measure:N", sort=None, axis=alt.Axis(title=None)),
    )
    domain, palette, legend = colours
    colour = alt.Color(
        "share:Q", scale=alt.Scale(domain=domain, range=palette, clamp=True), legend=alt.Legend(title=legend)
    )
    chart = base.mark_rect().encode(color=colour) + base.mark_text(fontSize=8).encode(text="warned:N")
    chart.properties(title=title, width=alt.Step(15), height=alt.Step(12)).configure_axis(labelFontSize=10).save(
        str(DOCS / name), scale_factor=1.0
    )
