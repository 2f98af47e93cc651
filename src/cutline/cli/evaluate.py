"""The work of `evaluate` and `compare`: which numbers, and where they go."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rich.console import RenderableType

from cutline.advice import noted
from cutline.classes.one_vs_rest import OneVsRest
from cutline.classes.summary import ClassSummary
from cutline.cli import render
from cutline.cli.progress import waiting
from cutline.cli.reading import Reading, evaluated_ranking, finished, read_comparison, read_evaluation
from cutline.cli.text import in_options
from cutline.comparison import Comparison
from cutline.core import writing
from cutline.core.checks import check_whole
from cutline.core.errors import ParameterError
from cutline.cuts.requirements import terms
from cutline.evaluation import Evaluation
from cutline.inputs.ranking_tables import read_ranking_table
from cutline.measures import MEASURES, Measure
from cutline.results.budget import FEWEST
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.summary import Summary
from cutline.results.wanted import headlines

CHARTS = ("roc", "precision_recall", "gain", "score_distribution", "confusion_matrix")
CHARTS_OF_SEVERAL = ("roc", "precision_recall", "gain")
SAVED = (".html", ".json", ".csv")
Document = TypeVar("Document", Summary, ComparisonSummary)


@dataclass(frozen=True)
class Asked:
    """Which numbers are wanted, and how they are to be made."""

    measures: str | None = None
    family: str | None = None
    all: bool = False
    level: float = 0.95
    resamples: int | None = None
    seed: int = 0

    def check(self) -> None:
        """Refuse options that contradict each other, before any file is read."""
        if self.measures is not None and (self.family or self.all):
            raise ParameterError("--measures, --family and --all each say what to show", "pass one of them")
        if self.measures is not None:
            terms(self.measures)
        if self.resamples is not None and 0 < check_whole(self.resamples, "--resamples", 0) < FEWEST:
            raise ParameterError(
                f"--resamples is {self.resamples}, too few for an interval",
                f"pass at least {FEWEST}, or 0 to leave the bootstrap intervals out",
            )

    @property
    def named(self) -> list[tuple[Measure, dict[str, Any]]] | None:
        """The measures that are named, with their parameters."""
        return None if self.measures is None else [(term.measure, term.parameters) for term in terms(self.measures)]

    @property
    def by_name(self) -> list[str] | None:
        """The measures that the reader asked for; what the headlines have in common needs no note."""
        if self.measures is not None:
            return [term.measure.name for term in terms(self.measures)]
        return [m.name for m in MEASURES.search(family=self.family)] if self.family or self.all else None

    @property
    def how(self) -> dict[str, Any]:
        """How intervals are to be made."""
        return {"level": self.level, "resamples": self.resamples, "seed": self.seed}


@dataclass(frozen=True)
class Output:
    """Where the results go."""

    json: bool = False
    csv: bool = False
    html: Path | None = None
    save: tuple[Path, ...] = ()
    png: Path | None = None
    force: bool = False
    quiet: bool = False
    template: str = "report"

    @property
    def files(self) -> list[Path]:
        """The documents that are to be written."""
        return [*([self.html] if self.html else []), *self.save]

    @property
    def is_whole(self) -> bool:
        """Whether a report is wanted, which shows all measures unless some are named."""
        return any(path.suffix.lower() == ".html" for path in self.files)

    def check(self, charts: Sequence[str] = ()) -> None:
        """Refuse what cannot be written, before any work is done."""
        if self.json and self.csv:
            raise ParameterError(
                "--json and --csv both print to standard output", "pass one of them, and --save FILE for the other"
            )
        if self.html is not None and self.html.suffix.lower() != ".html":
            raise ParameterError(f"--html is {str(self.html)!r}", "pass a path that ends in .html")
        for path in self.save:
            if path.suffix.lower() not in SAVED:
                raise ParameterError(f"--save is {str(path)!r}", f"pass a path that ends in {', '.join(SAVED)}")
        if self.png is not None and self.png.exists() and not self.png.is_dir():
            raise ParameterError(f"--png is {str(self.png)!r}, which is a file", "pass a folder")
        wanted = [self.png / f"{name}.png" for name in charts] if self.png is not None and self.png.is_dir() else []
        for path in [*wanted, *self.files]:
            writing.check(path, overwrite=self.force)

    def show(self, summary: Summary | ComparisonSummary | ClassSummary, table: RenderableType) -> None:
        """Print the results as they are wanted."""
        if self.json:
            print_json(summary.document())
        elif self.csv:
            render.put(summary.to_csv())
        else:
            screen = render.console()
            screen.print(table)
            if not self.quiet:
                screen.print(render.notes(summary.notes))

    def write(
        self,
        result: Evaluation | Comparison | OneVsRest,
        summary: Summary | ComparisonSummary | ClassSummary,
        charts: Sequence[str],
    ) -> None:
        """Write the files that are wanted."""
        from cutline.report import save

        if self.png is not None:
            self.png.mkdir(parents=True, exist_ok=True)
            for name in charts:
                result.chart(name).save(self.png / f"{name}.png")
            self.said(f"{len(charts)} charts are in {self.png}.")
        for path in self.files:
            template = self.template if path.suffix.lower() == ".html" else "report"
            save(result, path, overwrite=self.force, summary=summary, template=template)
            what = "report is" if path.suffix.lower() == ".html" else "numbers are in"
            self.said(f"The {what} {path}.")

    def said(self, message: str) -> None:
        """A message beside the result."""
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


# ---------------------------------------------------------------------- commands


def run_evaluate(
    paths: Sequence[str],
    reading: Reading,
    asked: Asked,
    output: Output,
    name: str | None,
    ranking_csv: str | None = None,
) -> None:
    """Evaluate one model and show the results; `ranking_csv` holds a finished ranking in place of predictions."""
    output.check(CHARTS)
    asked.check()
    if bool(paths) == bool(ranking_csv):
        raise ParameterError("Pass the files of the predictions, or --ranking-csv with a finished ranking.")
    if ranking_csv:
        ranking = read_ranking_table(
            ranking_csv, positive=reading.positive, higher_is_positive=not reading.lower_is_positive
        )
        ev = evaluated_ranking(ranking, reading, name or Path(ranking_csv).stem)
        found = finished(ranking_csv)
    else:
        ev, found = read_evaluation(paths, reading, name, quiet=output.quiet)
    summary = evaluated(ev, asked, whole=output.is_whole, quiet=output.quiet)
    usual = {m.name for m in headlines(ev.cut)}
    shown = summary if asked.by_name else summary.only(usual)
    output.guessed(found.chosen.guesses)
    output.show(shown, render.evaluation(render.console(), shown))
    output.write(ev, summary, CHARTS)


def evaluated(ev: Evaluation, asked: Asked, *, whole: bool = False, quiet: bool) -> Summary:
    """The measures that are wanted, with their intervals and the notes on them; all of them for a report."""
    chosen = headlines(ev.cut) if asked.by_name is None and not whole else asked.named
    with waiting("Resampling for the intervals", quiet=quiet or asked.resamples == 0):
        summary = ev.summary(chosen, family=asked.family, **asked.how)
    return _in_options(noted(ev, summary, asked.by_name))


def run_compare(paths: Sequence[str], reading: Reading, asked: Asked, output: Output) -> None:
    """Compare models and show the results."""
    output.check(CHARTS_OF_SEVERAL)
    asked.check()
    cmp, guesses = read_comparison(paths, reading)
    of_models = "all" if asked.measures is None and (output.is_whole or output.json) else None
    with waiting("Resampling for the intervals", quiet=output.quiet or asked.resamples == 0):
        summary = cmp.summary(asked.named, of_models=of_models, **asked.how)
    summary = _in_options(noted(cmp, summary, asked.by_name))
    output.guessed(guesses)
    output.show(summary, render.comparison(render.console(), summary))
    output.write(cmp, summary, CHARTS_OF_SEVERAL)


def _in_options(summary: Document) -> Document:
    """The summary with notes that name options of the command line."""
    return summary.with_notes(tuple(replace(note, text=in_options(note.text)) for note in summary.notes))
