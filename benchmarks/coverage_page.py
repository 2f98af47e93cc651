"""The page of the coverage laboratory: tables and heat maps from the results, `python benchmarks/coverage.py page`."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from populations import registry
from scipy.special import bdtr, bdtrc

import cutline as cl

DOCS = Path(__file__).parents[1] / "docs"
LOW, HIGH = 0.925, 0.975
LEAST, MOST = 0.03, 0.07  # of tests at 5 %
TAIL = 0.025  # of the binomial test of a cell
AMPLE = 30  # cases of the smaller class to be expected
FEWEST = 20  # intervals of a cell, below which it is not judged


ABOUT = """Written by `python benchmarks/coverage.py page` from `benchmarks/coverage_results.jsonl`, to which
`python benchmarks/coverage.py run` adds samples. Each sample of each known population gives the default
interval of every measure at 95 %. {populations} of the {registered} populations of the registry have
been sampled, with {least} to {most} samples each ({middle} in the middle), so that a single cell of the
table has a standard error of {error:.1f} points, and of up to {worst:.1f} where samples are fewest;
pooled figures are far sharper. Measures that take long ({slow}) are made on one sample in {every}, and
not for 3000 cases or more; bootstraps have {resamples} resamples here. Which method is the default for
which measure is in [intervals.md](intervals.md); how older methods compare on eight measures, in
[coverage-methods.md](coverage-methods.md). The registry holds normal scores with equal and unequal
spreads, mixtures, heavy tails, 2 and 5 distinct scores, AUC 0.5 to 0.999, prevalence 0.5 to 0.005, 5 to
5000 positives, probabilities that are right, too sure or too high, weights of each kind, and groups of 5
and 15 (`benchmarks/populations.py`)."""
JUDGED = """A cell is one measure in one population, with at least {fewest} intervals. By the figure itself {inside} of
{total} ({inside_share:.1f} %) are between 92.5 and 97.5 %; if every interval held the truth in exactly 95 % of all
samples, {expected:.1f} % would be, because so few samples leave chance that much room. Judged by a binomial test at
2.5 %, {below} cells are below 92.5 % and {above} above 97.5 % ({above_share:.1f} %); at the bounds themselves 2.5 %
would be called so by chance. Of those below, {below_noted} carry a note about the coverage in most samples and
{below_silent} ({below_share:.1f} % of all) do not; of those above, {above_noted} and {above_silent}. In all,
{noted_share:.1f} % of the cells carry such a note in most samples: {noted_why}."""


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
        """Whether the share is surely out of bounds: by a binomial test at 2.5 % at the nearer bound."""
        if bdtr(self.held, self.made, LOW) < TAIL:
            return "below"
        return "above" if self.held and bdtrc(self.held - 1, self.made, HIGH) < TAIL else "within"

    @property
    def is_inside(self) -> bool:
        """Whether the share itself is within bounds, whatever chance does."""
        return LOW <= self.share <= HIGH

    @property
    def by_chance(self) -> float:
        """How often the share would be within bounds if the truth were 95 %."""
        least, most = math.ceil(LOW * self.made - 1e-9), math.floor(HIGH * self.made + 1e-9)
        return float(bdtr(most, self.made, 0.95) - (bdtr(least - 1, self.made, 0.95) if least else 0.0))

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


def write_page(
    lines: list[dict[str, Any]], held_out: list[dict[str, Any]], facts: Mapping[str, Any], *tables: list[str]
) -> None:
    """docs/coverage.md and its heat maps.

    Args:
        lines: The results.
        held_out: Those of the populations that were kept apart.
        facts: What the page tells of the run: `resamples`, `slow` and `every`.
        tables: Those of the audit's designs and of the widths.
    """
    intervals, tests = tallies(lines, "intervals"), tallies(lines, "tests")
    text = [*opening(intervals, facts), *of_tests(tests), *of_held_out(held_out), *of_audit(tables[0])]
    text += [*of_widths(tables[1]), *by_measure(intervals), *by_population(intervals)]
    (DOCS / "coverage.md").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    draw(intervals, "coverage.png", "Coverage of the default intervals of 95 %; ! where most carry a warning", LEVELS)
    title = "Tests of equal models at 5 % that reject; ! where most carry a warning"
    draw(tests, "coverage-tests.png", title, ERRORS)


def of_held_out(lines: list[dict[str, Any]]) -> list[str]:
    """The populations that were kept apart."""
    intervals, tests = tallies(lines, "intervals"), tallies(lines, "tests")
    if not intervals:
        return []
    samples = sorted(samples_of(intervals).values())
    about = (
        f"{len(samples)} populations were kept apart (`held_out()` in `benchmarks/populations.py`: skewed, "
        "exponential, uniform and beta scores, mixtures, ties, four positives, AUC 0.997, uneven groups, strata, "
        f"weights), with {samples[0]} to {samples[-1]} samples each. Methods were chosen without them; a few "
        "thresholds of the method `student` and of its notes were set with both sets in view, and flatter it a little."
    )
    return ["## Populations that were kept apart", "", *wrapped(about), "", *judged(intervals), *errors(tests)]


def of_audit(table: list[str]) -> list[str]:
    """The designs in which an audit found defaults that failed."""
    about = (
        "An audit named designs in which intervals and tests failed silently. `python benchmarks/audit_designs.py run` "
        "draws them again: the share of intervals that hold the truth, or of tests of equal models that reject at 5 %."
    )
    return ["## What an audit had found, then and now", "", *wrapped(about), "", *table, ""]


def of_widths(table: list[str]) -> list[str]:
    """How wide the defaults are beside the former ones."""
    about = (
        "`python benchmarks/interval_widths.py run` makes both on the same samples of the populations without weights "
        "and groups: the geometric mean over the populations of the ratio of mean widths, where the former default "
        "held the truth in 92.5 to 97.5 % of its samples there, where in fewer, and where in more. With so few samples "
        "a cell counts as covering by luck, too: 95 % of 30 samples are 28 or 29."
    )
    return ["## Widths beside the former defaults", "", *wrapped(about), "", *table, ""]


def samples_of(found: Mapping[tuple[str, str], Tally]) -> dict[str, int]:
    """The samples of each population: as many as its fullest measure has intervals."""
    samples: dict[str, int] = defaultdict(int)
    for (cell, _), tally in found.items():
        samples[cell] = max(samples[cell], tally.made)
    return samples


def opening(found: Mapping[tuple[str, str], Tally], facts: Mapping[str, Any]) -> list[str]:
    samples = sorted(samples_of(found).values()) or [0]
    middle = samples[len(samples) // 2]
    about = ABOUT.format(
        populations=len(samples_of(found)),
        registered=len(registry()),
        least=samples[0],
        most=samples[-1],
        middle=middle,
        error=100 * math.sqrt(0.95 * 0.05 / max(middle, 1)),
        worst=100 * math.sqrt(0.95 * 0.05 / max(samples[0], 1)),
        **{name: facts[name] for name in ("resamples", "slow", "every")},
    )
    title = "# How often the intervals hold the truth"
    picture = "![Heat map of the coverage](coverage.png)"
    return [title, "", *wrapped(about), "", "## In short", "", *judged(found), picture, ""]


def judged(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    """How many cells are within bounds, and those that are not and do not say so."""
    cells = {cell: tally for cell, tally in found.items() if tally.made >= FEWEST}
    total = max(len(cells), 1)
    out = {side: [c for c, t in cells.items() if t.verdict == side] for side in ("below", "above")}
    silent = {side: [c for c in some if not cells[c].is_noted] for side, some in out.items()}
    noted = [cell for cell, tally in cells.items() if tally.is_noted]
    inside = sum(tally.is_inside for tally in cells.values())
    told = JUDGED.format(
        fewest=FEWEST,
        inside=inside,
        total=len(cells),
        inside_share=100 * inside / total,
        expected=100 * sum(tally.by_chance for tally in cells.values()) / total,
        below=len(out["below"]),
        above=len(out["above"]),
        above_share=100 * len(out["above"]) / total,
        below_noted=len(out["below"]) - len(silent["below"]),
        below_silent=len(silent["below"]),
        below_share=100 * len(silent["below"]) / total,
        above_noted=len(out["above"]) - len(silent["above"]),
        above_silent=len(silent["above"]),
        noted_share=100 * len(noted) / total,
        noted_why=_most_noted(noted, cells),
    )
    return [
        *wrapped(told),
        "",
        *_listed("Below", silent["below"], cells),
        *_listed("Above", silent["above"], cells),
    ]


def _most_noted(noted: list[tuple[str, str]], judged: Mapping[tuple[str, str], Tally]) -> str:
    """How the cells with a note fare, in words."""
    kinds = [judged[cell].verdict for cell in noted]
    return (
        f"{kinds.count('below')} of them are below, {kinds.count('above')} above, and {kinds.count('within')} are "
        "within bounds as far as these samples can tell"
    )


def _listed(side: str, cells: list[tuple[str, str]], judged: Mapping[tuple[str, str], Tally]) -> list[str]:
    """The cells out of bounds without a note, by measure."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for population, name in sorted(cells, key=lambda cell: judged[cell].share):
        tally = judged[population, name]
        by_name[name].append(f"{population} ({100 * tally.share:.1f} of {tally.made})")
    if not cells:
        return [f"{side} the bounds without a note: none.", ""]
    return [
        f"{side} the bounds without a note in most samples:",
        "",
        "| measure | populations, with coverage in percent and intervals |",
        "|---|---|",
        *(f"| {name} | {'; '.join(places)} |" for name, places in by_name.items()),
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
    return [
        "## Tests of equal models",
        "",
        *errors(found),
        "| measure | ample | few | warned |",
        "|---|---|---|---|",
        *rows,
        "",
        "![Heat map of the tests](coverage-tests.png)",
        "",
    ]


def errors(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    """How many cells of tests err too often or too rarely, and which do so without a note."""
    if not found:
        return []
    cells = {cell: tally for cell, tally in found.items() if tally.made >= FEWEST}
    often = [c for c, t in cells.items() if t.held and bdtrc(t.held - 1, t.made, MOST) < TAIL]
    rarely = [c for c, t in cells.items() if bdtr(t.held, t.made, LEAST) < TAIL]
    silent = [c for c in (*often, *rarely) if not cells[c].is_noted]
    samples, noted = samples_of(cells), sum(t.is_noted for t in cells.values())
    inside = sum(LEAST <= t.share <= MOST for t in cells.values())
    told = (
        "How often the default test of two models with the same distribution of scores says at 5 % that they differ, "
        f"in {len(samples)} populations with {min(samples.values())} to {max(samples.values())} samples each. By the "
        f"figure itself {inside} of {len(cells)} cells are between 3 and 7 %. Judged by a binomial test at 2.5 %, "
        f"{len(often)} err more often than 7 % and {len(rarely)} more rarely than 3 %; {len(silent)} of both "
        f"({100 * len(silent) / max(len(cells), 1):.1f} % of all) do not carry a note in most samples. "
        f"{100 * noted / max(len(cells), 1):.1f} % of the cells carry one."
    )
    listed = [f"- {population}, {name}: {shown(cells[population, name])}" for population, name in silent]
    return [*wrapped(told), "", *listed, *([""] if listed else [])]


LEVELS = ([70, 95, 100], ["#b2182b", "#f7f7f7", "#2166ac"], "held the truth, %")
ERRORS = ([0, 5, 20], ["#2166ac", "#f7f7f7", "#b2182b"], "rejected, %")


def draw(found: Mapping[tuple[str, str], Tally], name: str, title: str, colours: tuple[Any, Any, str]) -> None:
    """A heat map: a row for each measure, a column for each population."""
    import altair as alt
    from PIL import Image

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
    path = DOCS / name
    chart.properties(title=title, width=alt.Step(15), height=alt.Step(12)).configure_axis(labelFontSize=10).save(
        str(path), scale_factor=1.0
    )
    with Image.open(path) as drawn:  # a quarter of the size in so many colours
        small = drawn.convert("RGB").quantize(128)
    small.save(path, optimize=True)
