"""The page of the coverage study: tables and heat maps from the results, `python benchmarks/coverage.py page`."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from populations import development, validation
from scipy.special import bdtr, bdtrc

import cutline as cl

DOCS = Path(__file__).parents[1] / "docs"
LOW, HIGH = 0.925, 0.975
TAIL = 0.025  # of the binomial test of a cell
AMPLE = 30  # cases of the smaller class to be expected
FEWEST = 20  # intervals of a cell, below which it is not judged


ABOUT = """Written by `python benchmarks/coverage.py page` from the results of `python benchmarks/coverage.py run`
(`coverage_results.jsonl` and `coverage_held_out.jsonl` in `benchmarks`). Every population is known exactly, and so is
the true value of every measure. Each sample gives the default interval of every measure at 95 %.

The populations are in two halves (`benchmarks/populations.py`): the defaults were chosen by the {development} of the
**development** half, and the {validation} of the **validation** half judge them. Both have normal, skewed, mixed and
heavy-tailed scores; ties, rounded and zero-inflated scores; AUC 0.5 to 0.999; prevalence 0.003 to 0.5; 4 to 5000
positives; probabilities that are right, too extreme or too high; a subtype of 2 % that the model misses; shares near 1;
weights of each kind; and groups, also uneven ones, of one class, and few of one class.

All {made:,} intervals are by the present defaults: where one changed, its intervals were drawn anew. Only two warnings,
of areas that are near their end because nearly all cases are positive and of calibration curves that fall, are newer
than most of the samples. A population has {least} to {most} samples ({middle} in the middle, and more where a cell had
looked low), so that a single cell has a standard error of {error:.1f} points, and of up to {worst:.1f}. Measures that
take long ({slow}) are on one sample in {every} or fewer, and not on samples of 3000 cases or more. Bootstraps have
{resamples} resamples here, where 2000 are the default. [intervals.md](intervals.md) names the default of each measure,
[coverage-methods.md](coverage-methods.md) compares other methods on eight measures."""
JUDGED = """A cell is one measure in one population, with at least {fewest} intervals. {inside} of {total} cells
({inside_share:.1f} %) held the truth in 92.5 to 97.5 % of their samples; if every interval held it in exactly 95 %,
{expected:.1f} % of the cells would, because the samples are few. By a binomial test at 2.5 %, {below} cells are below
92.5 % and {above} above 97.5 % ({above_share:.1f} %); by chance alone {below_expected:.1f} would be below. A cell is
silently below if its misses without a warning are alone too many by this test: {below_silent} ({below_share:.1f} % of
all)."""


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 120, break_on_hyphens=False)


class Tally(NamedTuple):
    """Numbers of intervals: all, those that held the truth, those with a warning, and of these those that missed."""

    made: int = 0
    held: int = 0
    warned: int = 0
    warned_misses: int = 0

    def plus(self, other: Iterable[float]) -> Tally:
        made, held, warned, misses, *_ = other
        return Tally(
            self.made + int(made), self.held + int(held), self.warned + int(warned), self.warned_misses + misses
        )

    @property
    def share(self) -> float:
        return self.held / self.made if self.made else math.nan

    @property
    def error(self) -> float:
        return math.sqrt(0.95 * 0.05 / self.made) if self.made else math.nan

    @property
    def verdict(self) -> str:
        """Verdict of a binomial test at 2.5 % at the nearer bound: below, within or above."""
        if bdtr(self.held, self.made, LOW) < TAIL:
            return "below"
        return "above" if self.held and bdtrc(self.held - 1, self.made, HIGH) < TAIL else "within"

    @property
    def is_silently_below(self) -> bool:
        """Whether the misses without a warning alone are too many by this test."""
        missed = self.made - self.held - self.warned_misses
        return bool(bdtr(self.made - missed, self.made, LOW) < TAIL)

    @property
    def below_by_chance(self) -> float:
        """Probability that the test says below although the coverage is exactly 95 %."""
        held = np.arange(self.made + 1)
        called = held[bdtr(held, self.made, LOW) < TAIL]
        return float(bdtr(called.max(), self.made, 0.95)) if len(called) else 0.0

    @property
    def is_inside(self) -> bool:
        """Whether the share itself is within bounds."""
        return LOW <= self.share <= HIGH

    @property
    def by_chance(self) -> float:
        """Probability that the share is within bounds if the coverage is 95 %."""
        least, most = math.ceil(LOW * self.made - 1e-9), math.floor(HIGH * self.made + 1e-9)
        return float(bdtr(most, self.made, 0.95) - (bdtr(least - 1, self.made, 0.95) if least else 0.0))

    @property
    def is_noted(self) -> bool:
        return self.warned > 0.5 * self.made


def tallies(lines: list[dict[str, Any]]) -> dict[tuple[str, str], Tally]:
    """Add up the results by population and measure, over all methods of the default rule."""
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for line in lines:
        for key, row in line["found"].items():
            cell = line["cell"], key.partition("|")[0]
            found[cell] = found[cell].plus(row)
    return found


def sizes() -> dict[str, int]:
    """Return the expected number of cases of the smaller class of each population."""
    both = (*development(), *validation())
    return {f"{p.positives} + {p.negatives}, {p.name}": min(p.positives, p.negatives) for p in both}


def pooled(found: Mapping[tuple[str, str], Tally], place: int, keep: Any) -> dict[str, Tally]:
    sums: dict[str, Tally] = defaultdict(Tally)
    for cell, tally in found.items():
        if keep(cell):
            sums[cell[place]] = sums[cell[place]].plus(tally)
    return sums


def shown(tally: Tally | None) -> str:
    return f"{100 * tally.share:.1f} ({tally.made})" if tally and tally.made else ""


def write_page(
    both: Mapping[str, list[dict[str, Any]]], facts: Mapping[str, Any], designs: list[str], widths: str
) -> None:
    """Write docs/coverage.md and its heat map.

    Args:
        both: The results of each half, by its name.
        facts: Facts of the run: `resamples`, `slow` and `every`.
        designs: The table of the audits' designs.
        widths: The text on widths.
    """
    every = [line for lines in both.values() for line in lines]
    intervals = tallies(every)
    text = opening(intervals, facts)
    for half, lines in both.items():
        mine = tallies(lines)
        text += [f"## The {half} half", "", *judged(mine), *warnings(mine), *by_warning(lines)]
    text += ["![Heat map of the coverage](coverage.png)", ""]
    text += [*of_audit(designs), *of_widths(widths), *by_measure(intervals), *by_population(intervals)]
    (DOCS / "coverage.md").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    draw(intervals, "coverage.png", "Coverage of the default intervals of 95 %; ! where most carry a warning", LEVELS)


def warnings(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    """Return how often intervals with and without a warning missed, and how many have one."""
    size = sizes()
    whole, usual = Tally(), Tally()
    for (cell, _), tally in found.items():
        whole = whole.plus(tally)
        if size.get(cell, 0) >= AMPLE:
            usual = usual.plus(tally)
    if not whole.made:
        return []
    missed, quiet = whole.made - whole.held, whole.made - whole.warned
    told = (
        f"**Warnings.** Of {whole.made:,} intervals {100 * whole.warned / whole.made:.1f} % carry a warning, and "
        f"{100 * usual.warned / max(usual.made, 1):.1f} % of those of populations with {AMPLE} or more of each class. "
        f"Intervals with a warning missed the truth in {100 * whole.warned_misses / max(whole.warned, 1):.1f} %, those "
        f"without in {100 * (missed - whole.warned_misses) / max(quiet, 1):.1f} %; "
        f"{100 * whole.warned_misses / max(missed, 1):.1f} % of the misses had been warned of."
    )
    return [*wrapped(told), ""]


def by_warning(lines: list[dict[str, Any]]) -> list[str]:
    """Return the table of warnings: how often each is given, and how often such intervals miss."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        for name, (given, missed) in line.get("warnings", {}).items():
            sums[name][0] += given
            sums[name][1] += missed
    if not sums:
        return []
    return [
        "| warning | intervals | missed the truth, % |",
        "|---|---|---|",
        *(f"| {name} | {given:,} | {100 * missed / given:.1f} |" for name, (given, missed) in sorted(sums.items())),
        "",
    ]


def of_audit(table: list[str]) -> list[str]:
    """Return the section on the designs in which audits found defaults that failed."""
    about = (
        "Two audits named designs in which intervals and tests failed silently. `python benchmarks/audit_designs.py "
        "run` draws them with the defaults of today: the share of intervals that hold the truth, or of tests of equal "
        "models that reject at 5 %."
    )
    return ["## What the audits found, then and now", "", *wrapped(about), "", *table, ""]


def of_widths(about: str) -> list[str]:
    """Return the section on widths."""
    before = "The defaults from before the present table of methods are those of commit 2bdeac2 (17 November 2026)."
    return ["## Widths beside earlier defaults", "", *wrapped(f"{before} {about}"), ""]


def samples_of(found: Mapping[tuple[str, str], Tally]) -> dict[str, int]:
    """Return the number of samples of each population."""
    samples: dict[str, int] = defaultdict(int)
    for (cell, _), tally in found.items():
        samples[cell] = max(samples[cell], tally.made)
    return samples


def opening(found: Mapping[tuple[str, str], Tally], facts: Mapping[str, Any]) -> list[str]:
    samples = sorted(samples_of(found).values()) or [0]
    middle = samples[len(samples) // 2]
    about = ABOUT.format(
        development=len(development()),
        validation=len(validation()),
        least=samples[0],
        most=samples[-1],
        middle=middle,
        error=100 * math.sqrt(0.95 * 0.05 / max(middle, 1)),
        worst=100 * math.sqrt(0.95 * 0.05 / max(samples[0], 1)),
        made=sum(tally.made for tally in found.values()),
        **facts,
    )
    paragraphs = [line for part in about.split("\n\n") for line in (*wrapped(part), "")]
    return ["# How often the intervals hold the truth", "", *paragraphs]


def judged(found: Mapping[tuple[str, str], Tally]) -> list[str]:
    """Return how many cells are within bounds, and the cells that are silently below."""
    cells = {cell: tally for cell, tally in found.items() if tally.made >= FEWEST}
    total = max(len(cells), 1)
    out = {side: [c for c, t in cells.items() if t.verdict == side] for side in ("below", "above")}
    silent = [cell for cell, tally in cells.items() if tally.is_silently_below]
    inside = sum(tally.is_inside for tally in cells.values())
    text = JUDGED.format(
        fewest=FEWEST,
        inside=inside,
        total=len(cells),
        inside_share=100 * inside / total,
        expected=100 * sum(tally.by_chance for tally in cells.values()) / total,
        below=len(out["below"]),
        above=len(out["above"]),
        above_share=100 * len(out["above"]) / total,
        below_expected=sum(tally.below_by_chance for tally in cells.values()),
        below_silent=len(silent),
        below_share=100 * len(silent) / total,
    )
    return [*wrapped(text), "", *_listed(silent, cells)]


def _listed(cells: list[tuple[str, str]], judged: Mapping[tuple[str, str], Tally]) -> list[str]:
    """Return the table of the cells that are silently below."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for population, name in sorted(cells, key=lambda cell: judged[cell].share):
        tally = judged[population, name]
        by_name[name].append(f"{population} ({100 * tally.share:.1f} of {tally.made})")
    if not cells:
        return ["Silently below 92.5 %: none.", ""]
    return [
        "Silently below 92.5 %:",
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


def findings(both: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    """Return the cells that fail, also those of few samples, and how often warned intervals miss."""
    text = []
    for half, lines in both.items():
        found = tallies(lines)
        samples = samples_of(found)
        text.append(
            f"== {half}: intervals, {min(samples.values(), default=0)} to {max(samples.values(), default=0)} each"
        )
        text += warnings(found)
        low = sorted((t.share, c) for c, t in found.items() if t.made >= FEWEST and t.verdict == "below")
        text += [_finding(cell, found[cell], lines) for _, cell in low]
        whole = pooled(found, 1, lambda _: True)
        few = sorted((t.share, name) for name, t in whole.items() if t.verdict == "below")
        text += [f"  pooled {name}: {shown(whole[name])}" for _, name in few]
    return text


def _finding(cell: tuple[str, str], tally: Tally, lines: list[dict[str, Any]]) -> str:
    """Return the line of a cell with its methods."""
    methods = {
        key.partition("|")[2]
        for line in lines
        if line["cell"] == cell[0]
        for key in line["found"]
        if key.partition("|")[0] == cell[1]
    }
    return f"  {cell[1]} in {cell[0]}: {shown(tally)}, warned {tally.warned}, by {', '.join(sorted(methods))}"


LEVELS = ([70, 95, 100], ["#b2182b", "#f7f7f7", "#2166ac"], "held the truth, %")


def draw(found: Mapping[tuple[str, str], Tally], name: str, title: str, colours: tuple[Any, Any, str]) -> None:
    """Draw a heat map with a row for each measure and a column for each population."""
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
