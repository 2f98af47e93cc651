"""The work of `evaluate` and `compare`: which numbers, and where they go."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from cutline.advice import Note, notes, notes_on
from cutline.advice.citations import DATA
from cutline.cli import render
from cutline.cli.progress import waiting
from cutline.cli.reading import Reading, read_comparison, read_evaluation
from cutline.cli.text import in_options, printable
from cutline.comparison import Comparison
from cutline.core import writing
from cutline.core.checks import check_whole
from cutline.core.errors import ParameterError
from cutline.core.table import Table
from cutline.cuts.requirements import terms
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES, Measure, Needs

_RESAMPLES = 2000
_FEWEST = 100
_SCORES_AT_ONCE = 20_000_000  # resampled scores that take some seconds; longer lists get fewer resamples

CHARTS = ("roc", "precision_recall", "gain", "score_distribution", "confusion_matrix")
CHARTS_OF_SEVERAL = ("roc", "precision_recall", "gain")


@dataclass(frozen=True)
class Asked:
    """Which numbers are wanted."""

    measures: str | None = None
    family: str | None = None
    all: bool = False
    quota: float | None = None
    share: float | None = None
    level: float = 0.95
    resamples: int | None = None
    seed: int = 0

    @property
    def by_name(self) -> bool:
        """Whether the reader asked for these measures; what the headlines have in common needs no word."""
        return self.measures is not None or self.family is not None or self.all

    def chosen(self, ev: Evaluation) -> list[Measure]:
        """The measures: those named, those of a question, all, or the headlines."""
        if self.measures is not None and (self.family or self.all):
            raise ParameterError("--measures, --family and --all each say what to show", "pass one of them")
        if self.measures is not None:
            return [_bound(term) for term in terms(self.measures)]
        has_quota = self.quota is not None or self.share is not None
        found = MEASURES.search(family=self.family)
        if self.family or self.all:
            return [m for m in found if (not m.required or has_quota) and _suits(m, ev)]
        return [m for m in found if m.headline or (has_quota and m.required == ("quota",))]

    def rounds(self, scores: int) -> int:
        """How many resamples: as asked, or as many as a list of this length allows in some seconds."""
        if self.resamples is not None:
            return check_whole(self.resamples, "--resamples", 0)
        return max(_FEWEST, min(_RESAMPLES, _SCORES_AT_ONCE // max(scores, 1)))

    def fewer(self, scores: int, methods: Iterable[str]) -> list[Note]:
        """That there are fewer resamples than usual, where some interval is from them."""
        rounds = self.rounds(scores)
        if self.resamples is not None or rounds == _RESAMPLES or not {"bca", "bootstrap"} & {*methods}:
            return []
        text = f"The intervals that no formula gives are from {rounds} resamples: --resamples 2000 takes longer."
        return [Note("resamples", text, DATA, "fact")]


def _bound(term: Any) -> Measure:
    cuts = [name for name in ("threshold", "quota", "share") if name in term.parameters]
    own = {name: value for name, value in term.parameters.items() if name in term.measure.parameters}
    if len(own) < len(term.parameters):
        raise ParameterError(f"--measures takes no {' or '.join(cuts)} after @", f"pass --{cuts[0]} for all of them")
    measure: Measure = term.measure.with_(**own)
    return measure


def _suits(measure: Measure, ev: Evaluation) -> bool:
    """Probabilities are no signed distances."""
    return measure.needs is not Needs.MARGINS or not ev.ranking.are_probabilities


@dataclass(frozen=True)
class Output:
    """Where the results go."""

    json: bool = False
    csv: bool = False
    html: Path | None = None
    png: Path | None = None
    force: bool = False
    quiet: bool = False

    def check(self, charts: Sequence[str] = ()) -> None:
        """Refuse what cannot be written, before any work is done."""
        if self.json and self.csv:
            raise ParameterError("--json and --csv both print to standard output", "pass one of them")
        if self.html is not None and self.html.suffix.lower() != ".html":
            raise ParameterError(f"--html is {str(self.html)!r}", "pass a path that ends in .html")
        if self.png is not None and self.png.exists() and not self.png.is_dir():
            raise ParameterError(f"--png is {str(self.png)!r}, which is a file", "pass a folder")
        wanted = [self.png / f"{name}.png" for name in charts] if self.png is not None and self.png.is_dir() else []
        for path in [*wanted, *([self.html] if self.html else [])]:
            writing.check(path, overwrite=self.force)

    def show(self, document: Mapping[str, Any], rows: Table, table: RenderableType, notes: Iterable[Note]) -> None:
        """Print the results as they are wanted."""
        if self.json:
            print_json({**document, "advice": [note.to_dict() | {"text": in_options(note.text)} for note in notes]})
        elif self.csv:
            print_csv(rows)
        else:
            screen = render.console()
            screen.print(table)
            if not self.quiet:
                screen.print(render.notes(notes))

    def save(self, result: Evaluation | Comparison, charts: Sequence[str], level: float) -> None:
        """Write the files that are wanted."""
        if self.png is not None:
            self.png.mkdir(parents=True, exist_ok=True)
            for name in charts:
                result.chart(name).save(self.png / f"{name}.png")
            self.said(f"{len(charts)} charts are in {self.png}.")
        if self.html is not None:
            result.save(self.html, overwrite=self.force, level=level)
            self.said(f"The report is {self.html}.")

    def said(self, message: str) -> None:
        """A remark beside the result."""
        if not self.quiet:
            render.say(message)

    def guessed(self, guesses: Sequence[str]) -> None:
        """Say what was guessed."""
        if guesses and not self.quiet:
            render.say(f"The columns were guessed: {' '.join(guesses)}")


def print_json(document: Mapping[str, Any]) -> None:
    """A document as JSON; it holds no NaN."""
    text = json.dumps(document, allow_nan=False, indent=2, ensure_ascii=not _is_utf8())
    render.put(text + "\n")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


def print_csv(table: Table) -> None:
    """A table as CSV, without what is empty or undefined."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([name.replace(" ", "_") for name in table.columns])
    for row in table.to_dict():
        out.writerow(["" if value is None else writing.csv_cell(printable(value)) for value in row.values()])
    render.put(text.getvalue())


# ---------------------------------------------------------------------- commands


def run_evaluate(path: str, reading: Reading, asked: Asked, output: Output, name: str | None) -> None:
    """Evaluate one model and show the results."""
    output.check(CHARTS)
    if asked.measures is not None:
        terms(asked.measures)
    ev, found = read_evaluation(path, reading, name)
    table, found_notes = evaluated(ev, asked, quiet=output.quiet)
    output.guessed(found.chosen.guesses)
    screen = render.console()
    output.show(
        ev.to_dict(table, level=asked.level),
        table,
        render.evaluation(screen, ev, list(table), asked.level),
        found_notes,
    )
    output.save(ev, CHARTS, asked.level)


def evaluated(ev: Evaluation, asked: Asked, *, quiet: bool) -> tuple[Table, list[Note]]:
    """The measures that are wanted, with their intervals, and the notes on them."""
    chosen, rounds = asked.chosen(ev), asked.rounds(len(ev.ranking))
    with waiting("Resampling for the intervals", quiet=quiet or not rounds):
        table = ev.summary(
            chosen,
            quota=asked.quota,
            share=asked.share,
            intervals="bootstrap" if rounds else "formula",
            level=asked.level,
            resamples=max(rounds, 2),
            seed=asked.seed,
        )
    named = [measure.name for measure in chosen] if asked.by_name else None
    found = [*notes(ev, quota=asked.quota, share=asked.share, measures=named)]
    return table, [*found, *asked.fewer(len(ev.ranking), (row["method"] for row in table))]


def run_compare(paths: Sequence[str], reading: Reading, asked: Asked, output: Output) -> None:
    """Compare models and show the results."""
    output.check(CHARTS_OF_SEVERAL)
    chosen = None if asked.measures is None else [_bound(term) for term in terms(asked.measures)]
    cmp, guesses = read_comparison(paths, reading)
    rounds = max(1, asked.rounds(len(cmp.pairing)))
    with waiting("Resampling for the intervals", quiet=output.quiet):
        table = cmp.summary(chosen, level=asked.level, resamples=rounds, seed=asked.seed)
    verdict = cmp.verdict("auc", level=asked.level, resamples=rounds, seed=asked.seed)
    document = cmp.to_dict(table, level=asked.level)
    shown = render.comparison(render.console(), cmp, list(table), asked.level)
    told = notes_on(cmp, measures=None if chosen is None else [m.name for m in chosen])
    found = [] if any(note.rule == "too-small" for note in told) else verdict.splitlines()
    lines = [Note("verdict", line, DATA, "fact") for line in found]
    fewer = asked.fewer(len(cmp.pairing), (row["method"] for row in table))
    output.guessed(guesses)
    output.show(document, table, shown, [*lines, *told, *fewer])
    output.save(cmp, CHARTS_OF_SEVERAL, asked.level)
