"""How often the default tests tell apart two models that are equal in truth, and how often two that are not.

    python benchmarks/type_one_error.py run [minutes] [name part] [measure ...]   # adds samples to the results
    python benchmarks/type_one_error.py findings                                  # the cells above 7.5 %, as text
    python benchmarks/type_one_error.py page                                      # writes docs/test-errors.md

A cell is a measure and a pair of models (`pairs.py`, in two halves). A batch is some samples of one pair, on each of
which every measure has its default test; the results have one line for each pair, to which batches add. The seed of a
batch is its pair, the number of samples before it and the version of the rules, so that an interrupted run goes on
where it stopped. When a default test changes, raise `RULES`: older results are no longer counted.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pairs import HALVES, Pair, pairs, unequal
from scipy.special import bdtrc

import cutline as cl
from cutline.core import parallel
from cutline.results.method_titles import format_method

RESULTS = Path(__file__).with_name("type_one_error.jsonl")
PAGE = Path(__file__).parents[1] / "docs" / "test-errors.md"
RULES = 4  # the version of the default tests; older ones do not count
RESAMPLES = 150  # 2000 are drawn in use
BATCH = 10  # samples
LEVEL = 0.95  # of the intervals; tests are at 5 %
MOST = 0.075  # rejections that are allowed, judged by a binomial test
LEAST = 0.03  # below which a test is called conservative
TAIL = 0.025  # of the binomial test
FEWEST = 10  # tests of a cell, below which it is not judged
SHARE = 0.1  # of the list that a quota takes
QUOTAS = ("hit_rate", "qrecall", "enrichment")
# These take most of the time: one sample in EVERY has them.
SLOW = frozenset({"mcb", "ici", "e50", "e90", "emax", "eci", "smooth_ece"})
EVERY = 2
FEWER = 2  # times fewer samples of the pairs from the coverage study's populations


class Test(NamedTuple):
    """A default test of one measure at 5 %: whether it rejects; None if the comparison is refused."""

    measure: str
    method: str
    rejects: bool | None


class Tally(NamedTuple):
    """Numbers of tests, rejections and refusals."""

    made: int = 0
    rejected: int = 0
    none: int = 0

    def plus(self, other: Iterable[int]) -> Tally:
        """Return the sum of two tallies."""
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def share(self) -> float:
        """Share of the tests that rejected at 5 %."""
        return self.rejected / self.made if self.made else math.nan

    @property
    def is_above(self) -> bool:
        """Whether it rejects more often than 7.5 %, by a binomial test at 2.5 %."""
        return self.rejected > 0 and float(bdtrc(self.rejected - 1, self.made, MOST)) < TAIL

    @property
    def p_above(self) -> float:
        """P-value of that test."""
        return float(bdtrc(self.rejected - 1, self.made, MOST)) if self.rejected else 1.0


# ---------------------------------------------------------------------- one sample


def measures_of(pair: Pair) -> list[str]:
    """Return the measures that are tested on a pair: all in which it is equal."""
    return list(pair.measures) or [measure.name for measure in cl.MEASURES]


def tests_of(pair: Pair, cases: Any, measures: Sequence[str], seed: int) -> Iterator[Test]:
    """Yield the default test of each measure that suits the scores of one sample.

    Args:
        pair: The two models.
        cases: The sample.
        measures: Their names.
        seed: The seed of the resamples.
    """
    if pair.is_paired:
        models = cl.compare(**cases, threshold=pair.threshold)
        fitting = [name for name in measures if all(cl.MEASURES[name].fits(m.ranking) for m in models.values())]
        chosen = [(name, {"share": SHARE}) if name in QUOTAS else name for name in fitting]
        for row in models.summary(chosen, of_models=(), resamples=RESAMPLES, seed=seed).rows:
            yield Test(row.measure.name, row.test, None if math.isnan(row.p_value) else row.p_value <= 1 - LEVEL)
        return
    ends = [cl.evaluate(**one, threshold=pair.threshold) for one in cases]
    models = cl.compare_independent(*ends)
    for name in measures:
        if all(cl.MEASURES[name].fits(end.ranking) for end in ends):
            given = {"share": SHARE} if name in QUOTAS else {}
            # The interval excludes 0 where the test rejects, and takes a tenth of the time.
            gap = models.difference(name, level=LEVEL, resamples=RESAMPLES, seed=seed, **given)
            yield Test(name, gap.method, None if math.isnan(gap.low) else not gap.low <= 0 <= gap.high)


def batch(pair: Pair, number: int, measures: Sequence[str]) -> dict[str, Any]:
    """Return the tests of some samples of a pair.

    Args:
        pair: The two models.
        number: How many samples came before.
        measures: Their names.
    """
    rng = np.random.default_rng([sum(pair.name.encode()), len(pair.name), number, RULES])
    counts: dict[str, Tally] = defaultdict(Tally)
    for i in range(BATCH):
        some = [name for name in measures if name not in SLOW or pair.measures or (number + i) % EVERY == 0]
        for name, method, rejects in tests_of(pair, pair.sample(rng), some, number + i):
            is_none = rejects is None
            counts[f"{name}|{method}"] = counts[f"{name}|{method}"].plus((not is_none, bool(rejects), is_none))
    return {
        "rules": RULES,
        "pair": pair.name,
        "half": pair.half,
        "samples": dict.fromkeys(measures, BATCH),
        "tests": {key: list(tally) for key, tally in counts.items()},
    }


# ---------------------------------------------------------------------- many batches


def read() -> list[dict[str, Any]]:
    """Return the results of the present rules."""
    if not RESULTS.exists():
        return []
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["rules"] == RULES]


def add(lines: list[dict[str, Any]], more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines with a batch added to that of its pair.

    Args:
        lines: The results so far.
        more: The batch.
    """
    for line in lines:
        if line["pair"] == more["pair"]:
            for name, count in more["samples"].items():
                line["samples"][name] = line["samples"].get(name, 0) + count
            for key, row in more["tests"].items():
                line["tests"][key] = list(Tally(*line["tests"].get(key, (0,) * 3)).plus(row))
            return lines
    return [*lines, more]


def write(lines: list[dict[str, Any]]) -> None:
    """Replace the file of results (atomic)."""
    new = RESULTS.with_suffix(".new")
    new.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    new.replace(RESULTS)


def run(minutes: float, part: str = "", measures: Sequence[str] = ()) -> None:
    """Add batches for some minutes, those of the pairs and measures with fewest samples first.

    Args:
        minutes: For how long.
        part: A part of the names of the pairs.
        measures: Names; all when there is none.
    """
    parallel.WORTH_THREADS = sys.maxsize
    whole = [p for p in (*pairs("development"), *pairs("validation"), *unequal()) if part in p.name]
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        lines, count = read(), defaultdict(int)
        for line in lines:
            for name, samples in line["samples"].items():
                count[line["pair"], name] += samples
        wanted = {p.name: [name for name in measures_of(p) if not measures or name in measures] for p in whole}
        least = {name: min((count[name, m] for m in some), default=math.inf) for name, some in wanted.items()}
        pair = min(whole, key=lambda p: least[p.name] * (FEWER if p.is_of_population else 1))
        number = int(least[pair.name])
        some = [name for name in wanted[pair.name] if count[pair.name, name] <= number]
        write(add(read(), batch(pair, number, some)))


# ---------------------------------------------------------------------- the page


def tally(lines: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], Tally]:
    """Return the tallies by half, pair and measure."""
    counts: dict[tuple[str, str, str], Tally] = defaultdict(Tally)
    for line in lines:
        for key, row in line["tests"].items():
            cell = line["half"], line["pair"], key.partition("|")[0]
            counts[cell] = counts[cell].plus(row)
    return counts


def findings() -> list[str]:
    """Return the cells that reject more often than 7.5 % by a binomial test, and those of one measure together."""
    cells = {cell: t for cell, t in tally(read()).items() if cell[0] in HALVES}
    texts = [
        f"{half}: {name} in {pair}: {100 * t.share:.1f} % of {t.made}, p {t.p_above:.2g}"
        for (half, pair, name), t in sorted(cells.items(), key=lambda one: one[1].p_above)
        if t.is_above
    ]
    return [*texts, f"{len(texts)} of {len(cells)} cells"]


ABOUT = """Written by `python benchmarks/type_one_error.py page` from the results of `python
benchmarks/type_one_error.py run`. Two models that are equal in truth are drawn many times (`benchmarks/pairs.py`), and
every measure has its default test at 5 %: on the same cases (paired, `compare`) and on different cases (unpaired,
`compare_independent`).

The pairs are two versions of one model, of which 5 to 40 % of the cases are scored anew; calibrated models of different
sharpness (equal in calibration errors); a score and its own best cut (equal in the best over all cuts); samples of
unequal sizes; a missed subtype, heavy tails, rounded and zero-inflated scores; prevalence 0.3 to 50 %; weights and
groups; and populations of the [coverage study](coverage.md). They are in two halves: the tests were chosen by the
{development} pairs of the **development** half, and the {validation} of the **validation** half judge them.

All {tests:,} tests are by the present defaults: where one changed, its tests were drawn anew. Cells that had looked
high have more samples than others, pairs of the coverage study and measures that take long ({slow}) have fewer.
Resampled tests have {resamples} resamples or fewer, where 2000 are the default."""
JUDGED = """A cell is one measure on one pair: {cells:,} cells with {least} to {most} tests each ({middle} in the
middle). By a binomial test at 2.5 %, {above} of them are above 7.5 %{named}; if every test rejected in exactly 5 %,
{expected:.0f} would by chance. The measures of a pair go together. Pooled over the pairs of a half, {often} of
{measures} measures (paired or unpaired) reject in more than 7.5 % by the same test."""
CONSERVATIVE = """**Conservative tests** reject equal models in fewer than 3 %: {names}. Where few cases change, a rate
moves in steps; calibration errors are compared as if the models had seen different cases; resampled tests have the
degrees of freedom of the smaller class. What such a test reports can be believed, but it needs more cases."""
REFUSED = """**Refused.** Between samples of different cases, some measures are not compared, and the note names the
measure to compare instead: test statistics (Hosmer-Lemeshow's and Spiegelhalter's); measures that depend on the number
of cases, of samples of unequal sizes; measures of a quota that flags fewer than 5 cases; losses and the prevalence
threshold with fewer than 5 cases, or groups, of a class."""


def is_paired(pair: str) -> bool:
    """Whether a pair of that name scores the same cases."""
    return " v " not in pair and not pair.endswith("twice")


def write_page() -> None:
    """Write docs/test-errors.md."""
    lines = read()
    cells = {cell: t for cell, t in tally(lines).items() if cell[0] in HALVES and t.made >= FEWEST}
    above = {cell: t for cell, t in cells.items() if t.is_above}
    made = sorted(t.made for t in cells.values())
    named = [f"- {half}: {name}, {pair}: {100 * t.share:.1f} % of {t.made}" for (half, pair, name), t in above.items()]
    judged = JUDGED.format(
        cells=len(cells),
        least=made[0],
        most=made[-1],
        middle=made[len(made) // 2],
        above=len(above),
        expected=sum(_by_chance(t.made) for t in cells.values()),
        measures=len(_pooled(cells)),
        often=sum(t.is_above for t in _pooled(cells).values()),
        named=" (named below)" if named else "",
    )
    judged_pairs = {half: len({pair for of, pair, _ in cells if of == half}) for half in HALVES}
    about = ABOUT.format(
        resamples=RESAMPLES,
        slow=", ".join(sorted(SLOW)),
        tests=sum(_made(line) for line in lines),
        **judged_pairs,
    )
    paragraphs = [line for part in about.split("\n\n") for line in (*_wrapped(part), "")]
    text = ["# How often tests err", "", *paragraphs, *_wrapped(judged), "", *named, *([""] if named else [])]
    text += [*_by_method(lines), *_power(lines), *_by_measure(cells)]
    PAGE.write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")


def _made(line: Mapping[str, Any]) -> int:
    """Return how many tests a line of the results has."""
    return int(sum(made for made, *_ in line["tests"].values()))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 120, break_on_hyphens=False)


@lru_cache
def _by_chance(made: int) -> float:
    """Return the probability that this number of tests at exactly 5 % is judged to be above 7.5 %."""
    fewest = next((k for k in range(made + 1) if Tally(made, k).is_above), None)
    return 0.0 if fewest is None else float(bdtrc(fewest - 1, made, 1 - LEVEL))


def _by_method(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of methods: worst and mean cell, and how many are conservative."""
    cells: dict[tuple[str, str, str, str], Tally] = defaultdict(Tally)
    for line in lines:
        if line["half"] in HALVES:
            kind = "paired" if is_paired(line["pair"]) else "unpaired"
            for key, row in line["tests"].items():
                name, _, method = key.partition("|")
                cells[kind, method, line["pair"], name] = cells[kind, method, line["pair"], name].plus(row)
    by_method: dict[tuple[str, str], list[Tally]] = defaultdict(list)
    for (kind, method, *_), t in cells.items():
        if t.made >= FEWEST:
            by_method[kind, method].append(t)
    rows, conservative = [], []
    for (kind, method), some in sorted(by_method.items(), key=lambda one: (one[0][0], -len(one[1]))):
        whole = Tally()
        for t in some:
            whole = whole.plus(t)
        worst = max(some, key=lambda t: t.share)
        careful = sum(t.share < LEAST for t in some) / len(some)
        rows.append(
            f"| {kind} | {format_method(method)} | {len(some)} | {whole.made:,} | {100 * whole.share:.1f} | "
            f"{100 * worst.share:.1f} (of {worst.made}) | {sum(t.is_above for t in some)} | {100 * careful:.0f} % |"
        )
        if whole.share < LEAST:
            conservative.append(f"{format_method(method)} ({kind}, {100 * whole.share:.1f} %)")
    return [
        "## By method",
        "",
        *_wrapped(f"Rejections of equal models in percent; cells with {FEWEST} or more tests by the method."),
        "",
        "| cases | test | cells | tests | mean | worst cell | above 7.5 % | cells below 3 % |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        *_wrapped(CONSERVATIVE.format(names="; ".join(conservative) or "none")),
        "",
        *_wrapped(REFUSED),
        "",
    ]


def _power(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the table of power: how often models that differ in truth differ significantly."""
    counts = {cell: t for cell, t in tally(lines).items() if cell[0] not in HALVES}
    names = list(dict.fromkeys(name for _, _, name in counts))
    rows = []
    for pair in dict.fromkeys(pair for _, pair, _ in counts):
        mine = {name: t for (_, other, name), t in counts.items() if other == pair}
        shares = [f"{100 * mine[name].share:.0f}" if name in mine else "" for name in names]
        rows.append(f"| {pair} ({max(t.made for t in mine.values())}) | {' | '.join(shares)} |")
    about = (
        "How often the default tests reject in percent (and the number of samples). A calibrated model (log odds of "
        "two normal classes, prevalence 0.3) is compared with one with twice its log odds, which orders the cases "
        "alike, and with a noisier one with twice its log odds."
    )
    head = [f"| models | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    return ["## Power", "", *_wrapped(about), "", *head, *rows, ""]


def _pooled(cells: Mapping[tuple[str, str, str], Tally]) -> dict[tuple[str, str, str], Tally]:
    """Return the tallies by measure, kind of cases and half."""
    sums: dict[tuple[str, str, str], Tally] = defaultdict(Tally)
    for (half, pair, name), t in cells.items():
        kind = "paired" if is_paired(pair) else "unpaired"
        sums[name, kind, half] = sums[name, kind, half].plus(t)
    return dict(sums)


def _by_measure(cells: Mapping[tuple[str, str, str], Tally]) -> list[str]:
    """Return the table of measures, pooled over the pairs of each half."""
    sums = defaultdict(Tally, _pooled(cells))
    columns = [(kind, half) for kind in ("paired", "unpaired") for half in HALVES]

    def shown(t: Tally) -> str:
        return f"{100 * t.share:.1f} ({t.made})" if t.made else ""

    rows = [f"| {m.name} | {' | '.join(shown(sums[m.name, k, h]) for k, h in columns)} |" for m in cl.MEASURES]
    return [
        "## By measure",
        "",
        "Rejections in percent (and tests), pooled over the pairs.",
        "",
        f"| measure | {' | '.join(f'{kind}, {half}' for kind, half in columns)} |",
        "|---" * (1 + len(columns)) + "|",
        *rows,
    ]


def main() -> None:
    """Run the study, print its findings or write the page."""
    what, *rest = sys.argv[1:] or ["run"]
    if what == "findings":
        print("\n".join(findings()))
    elif what == "page":
        write_page()
    else:
        run(float(rest[0]) if rest else 60.0, rest[1] if rest[1:] else "", rest[2:])


if __name__ == "__main__":
    main()
