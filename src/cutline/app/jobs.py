"""Jobs of the process of a page: each calls the package as the commands do, and sends its results."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import cutline as cl
from cutline.app.settings import METHODS, TITLES, Settings
from cutline.charts import CHARTS, Shows
from cutline.cli.compare import summarize_comparison
from cutline.cli.evaluate import summarize_evaluation
from cutline.cli.options import ColumnOptions, ReadingAtCut, SelectionOptions
from cutline.cli.reading import choose_columns, read_comparison, read_evaluation, read_slices
from cutline.cli.render import format_interval
from cutline.cli.text import OPTIONS, escape_controls
from cutline.comparison import Comparison
from cutline.core.errors import CutlineError, InputError, ParameterError, format_error
from cutline.core.messages import Argument
from cutline.core.table import format_value
from cutline.core.validation import to_integers_if_whole
from cutline.cuts.cut import Cut
from cutline.evaluation import Evaluation
from cutline.inputs import files
from cutline.inputs.column_source import Request, Source
from cutline.inputs.file_formats import is_compressed
from cutline.inputs.labels import find_affirming_label
from cutline.inputs.write_flags import CaseColumns, Flags
from cutline.report import save
from cutline.results.measure_selection import list_headlines
from cutline.results.summary import Summary

Send = Callable[[str, Any], None]

MOST_VALUES = 50  # of a column of labels that are offered as positive
_SELECTION = SelectionOptions(0.95, None, 0, None)
_FORMATS = (".svg", ".png", ".pdf")


class Jobs:
    """Jobs on the file of one page; the models read last are cached for the next job.

    Args:
        send: Takes a part of the page by name, with what it shows.
    """

    def __init__(self, send: Send) -> None:
        self._folder, self._send = Path(), send
        self._titles = "", ""
        self._read: tuple[Any, Evaluation | Comparison] | None = None
        self._cut: tuple[Any, Cut] | None = None

    def run(self, name: str, folder: Path, file: str, title: str, settings: Settings, argument: str) -> None:
        """Run a job by its name.

        Args:
            name: What to do.
            folder: Where results are written.
            file: The file of predictions.
            title: What the user calls the file.
            settings: The columns and the cut.
            argument: What a job takes besides: a column, a chart or a method.
        """
        self._folder, self._titles = folder, (Path(file).name, escape_controls(title))
        jobs = {
            "describe": lambda: self._describe(file),
            "values": lambda: self._send_values(files.read(file), argument),
            "evaluate": lambda: self._evaluate(file, settings),
            "flag": lambda: self._flag(file, settings),
            "chart": lambda: self._draw(file, settings, argument),
            "recalibrate": lambda: self._recalibrate(file, settings, argument),
        }
        try:
            jobs[name]()
        except CutlineError as error:
            self._send("refusal", {"message": self._retitle(name_fields(error))})

    def _retitle(self, text: str) -> str:
        """Replace our name of the file in a text by the user's."""
        ours, theirs = self._titles
        return text.replace(ours, theirs) if ours in text else text

    # ------------------------------------------------------------------ the file

    def _describe(self, file: str) -> None:
        """Send the columns of a file, and label and score if they are unambiguous; refuse a compressed file."""
        if is_compressed(Path(file)):
            raise InputError(f"{Path(file).name} is compressed", "unpack it first")
        source = files.read(file)
        guess: dict[str, Any] = {"columns": list(source.columns), "label": "", "score": ""}
        with suppress(InputError):
            guess["label"] = choose_columns(source, None, ("",), ()).label
            guess["score"] = choose_columns(source, guess["label"], (), ()).scores[0]
        self._send("columns", guess)
        if guess["label"]:
            self._send_values(source, guess["label"])

    def _send_values(self, source: Source, column: str) -> None:
        """Send the values of a column of labels, and the value that must be the positive one, as "yes" beside "no"."""
        rows = source.read_columns({"labels": Request("labels", column, as_text=True)})["labels"]
        values = sorted(
            {escape_controls(value) for value in set(rows.tolist()) if value is not None and value == value}
        )
        self._send(
            "values",
            {
                "column": column,
                "values": values[:MOST_VALUES],
                "count": len(values),
                "positive": find_affirming_label(values) or "",
            },
        )

    # ------------------------------------------------------------------ the numbers

    def _evaluate(self, file: str, settings: Settings) -> None:
        """Send the table at once, then all numbers, the report, and the slices."""
        begin = time.perf_counter()
        cut = self._choose(file, settings)
        self._send("cut", _describe_cut(cut))
        models = self._read_models_at_cut(file, settings)
        evaluations = dict(models) if isinstance(models, Comparison) else {models.name or "the model": models}
        quick = {name: ev.summary(list_headlines(ev.cut), resamples=0) for name, ev in evaluations.items()}
        self._send("table", _tabulate(quick) | {"seconds": round(time.perf_counter() - begin, 2)})
        self._send("charts", _list_charts(len(evaluations)))
        self._send("stage", "Computing every measure with its interval")
        if isinstance(models, Comparison):
            summary: Any = summarize_comparison(models, _SELECTION, whole=True, quiet=True)
            whole: Mapping[str, Summary] = summary.models
        else:
            summary = summarize_evaluation(models, _SELECTION, whole=True, quiet=True)
            whole = dict.fromkeys(evaluations, summary)
        summary = summary.with_notes(tuple(replace(note, text=self._retitle(note.text)) for note in summary.notes))
        notes = [name_fields(note.text) for note in summary.notes]
        usual = {name: own.only({m.name for m in list_headlines(evaluations[name].cut)}) for name, own in whole.items()}
        self._send("table", _tabulate(usual) | {"notes": notes, "seconds": round(time.perf_counter() - begin, 2)})
        for suffix in ("json", "csv"):
            self._write(f"numbers.{suffix}", lambda path: save(models, path, summary=summary, overwrite=True))
        self._send("stage", "Drawing the report")
        self._write("report.html", lambda path: save(models, path, summary=summary, overwrite=True))
        if settings.by:
            self._slice(file, settings, cut)

    def _slice(self, file: str, settings: Settings, cut: Cut) -> None:
        """Send the page of the slices, all of them at the threshold of the cut: a quota is one of all cases."""
        self._send("stage", "Comparing the slices")
        reading = _make_reading(replace(settings, second=""))
        if settings.cut != "default" and cut.possible:
            reading = replace(reading, threshold=cut.threshold, quota=None, share=None)
        slices, _ = read_slices([file], [settings.by], reading, None, quiet=True)
        options: dict[str, Any] = {"measure": "auc", "least": 5, "overwrite": True, "level": 0.95, "seed": 0}
        self._write("slices.html", lambda path: slices.save(path, **options))

    def _read_models(self, file: str, settings: Settings) -> Evaluation | Comparison:
        """Read the model of the file, or two models."""
        reading = _make_reading(settings)
        key = (file, reading)
        if self._read is None or self._read[0] != key:
            self._send("stage", "Reading the predictions")
            self._read = None
            read = read_comparison([file], reading)[0] if settings.second else read_evaluation([file], reading, None)[0]
            self._read = key, read
        return self._read[1]

    def _read_models_at_cut(self, file: str, settings: Settings) -> Evaluation | Comparison:
        """Read the models, at the cut that the costs or the promises choose."""
        models, cut = self._read_models(file, settings), self._choose(file, settings)
        if not cut.possible or settings.cut not in ("costs", "promise"):
            return models
        if isinstance(models, Evaluation):
            return models.with_cut(threshold=cut.threshold)
        return read_comparison([file], replace(_make_reading(settings), threshold=cut.threshold))[0]

    def _choose(self, file: str, settings: Settings) -> Cut:
        """Return the cut with its guarantees; of two models, the first one's."""
        if self._cut is not None and self._cut[0] == (file, settings):
            return self._cut[1]
        models = self._read_models(file, settings)
        ev = models[settings.score] if isinstance(models, Comparison) else models
        level = settings.number("confidence")
        if settings.cut == "promise":
            how: dict[str, Any] = {"after_looking": settings.after_looking, "level": level}
            cut = cl.choose_cut(ev, *settings.requirements, **how)
        elif settings.cut == "costs":
            costs: dict[str, Any] = {name: settings.number(name) for name in ("cost_fp", "cost_fn")}
            cut = cl.choose_cut(ev, **costs, level=level)
        elif settings.cut in ("quota", "share"):
            place: dict[str, Any] = {settings.cut: settings.number(settings.cut)}
            cut = cl.choose_cut(ev, **place, level=level)
        else:
            cut = cl.cut_at(ev, threshold=float(ev.counts.threshold), level=level)
        cut = replace(cut, score=settings.score)
        if cut.possible:
            self._write("cut.json", lambda path: cut.save(path, overwrite=True))
        self._cut = (file, settings), cut
        return cut

    # ------------------------------------------------------------------ what is downloaded

    def _flag(self, file: str, settings: Settings) -> None:
        """Write the cases with a column that says whether the cut flags them."""
        cut = self._choose(file, settings)
        cut.require()
        self._send("stage", "Flagging the cases")
        flags = Flags(settings.score, cut.threshold, cut.higher_is_positive, "flagged", settings.drop_missing)
        with CaseColumns(file) as cases:
            self._write("flagged.csv", lambda path: cases.flag(flags, path, "csv"))

    def _draw(self, file: str, settings: Settings, name: str) -> None:
        """Draw a chart, whose name has the suffix of a file."""
        chart, suffix = Path(name).stem, Path(name).suffix
        if chart not in CHARTS or suffix not in _FORMATS:
            raise ParameterError("There is no such chart", "choose one from the list")
        models = self._read_models_at_cut(file, settings)
        self._send("stage", "Drawing the chart")
        self._write(f"{chart}{suffix}", lambda path: cl.chart(chart, models).save(path, overwrite=True))

    def _recalibrate(self, file: str, settings: Settings, method: str) -> None:
        """Compare the recalibration methods, or write one map and the recalibrated probabilities."""
        from cutline.calibration.recalibration import write_in_sql

        reading = _make_reading(replace(settings, second="", cut="default"))
        self._send("stage", "Recalibrating")
        ev = read_evaluation([file], reading, None)[0]
        if not method:
            worth = cl.worth_recalibrating(ev)
            head = ["Method", "Log loss", "Brier score", "Gain", "95 % interval of the gain"]
            rows = [
                [
                    c.method,
                    format_value(c.log_loss),
                    format_value(c.brier),
                    format_value(c.gain),
                    format_interval((c.low, c.high)),
                ]
                if c.method != "none"
                else [c.method, format_value(c.log_loss), format_value(c.brier), "", ""]
                for c in worth.candidates
            ]
            self._send("recalibration", {"verdict": worth.verdict, "best": worth.best, "head": head, "rows": rows})
            return
        if method not in METHODS:
            raise ParameterError("There is no such method", "choose one from the list")
        made = cl.recalibrate(ev, method=method)
        self._write("recalibration.json", lambda path: made.save(path, overwrite=True))
        expression, functions = write_in_sql(made)
        how: dict[str, Any] = {"column": "recalibrated", "drop": settings.drop_missing, "functions": functions}
        with CaseColumns(file) as cases:
            self._write("recalibrated.csv", lambda path: cases.derive(settings.score, expression, path, "csv", **how))

    def _write(self, name: str, write: Callable[[Path], Any]) -> None:
        """Write a file of results (atomic), and report it."""
        path = self._folder / name
        path.unlink(missing_ok=True)
        write(path)
        self._send("file", {"name": name, "bytes": path.stat().st_size})


# ---------------------------------------------------------------------- what the page shows


def _make_reading(settings: Settings) -> ReadingAtCut:
    """Return the settings as options of the command line."""
    if not settings.label or not settings.score:
        raise ParameterError("The columns of the labels and the scores have not been chosen", "choose both")
    scores = (settings.score, settings.second) if settings.second else (settings.score,)
    columns = ColumnOptions(settings.label, scores, settings.weight or None, settings.group or None)
    is_place = settings.cut in ("threshold", "quota", "share")
    place: dict[str, Any] = {settings.cut: settings.number(settings.cut)} if is_place else {}
    return ReadingAtCut(
        columns,
        positive=settings.positive or None,
        lower_is_positive=settings.lower_is_positive,
        missing="drop" if settings.drop_missing else "error",
        **place,
    )


def _tabulate(summaries: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the table of one model or of several: each measure with its value and interval."""
    first = next(iter(summaries.values()))
    columns = [{row.key: row for row in summary.rows} for summary in summaries.values()]
    rows = [
        {
            "title": title,
            "cells": [
                {"value": format_value(row.value), "interval": format_interval(row.interval), "reason": row.reason}
                if (row := own.get(key)) is not None
                else {"value": "", "interval": "", "reason": ""}
                for own in columns
            ],
        }
        for key, title in {row.key: row.title for summary in summaries.values() for row in summary.rows}.items()
    ]
    return {
        "heading": first.heading,
        "verdict": " ".join(first.verdict) if len(summaries) == 1 else "",
        "models": list(summaries),
        "level": f"{100 * first.level:g} %",
        "rows": rows,
        "counts": [
            {"model": name, "cut": own.cut.describe(own.data.ranking)}
            | {
                cell: format_value(to_integers_if_whole(getattr(own.counts, cell)).item())
                for cell in ("tp", "fp", "fn", "tn")
            }
            for name, own in summaries.items()
        ],
    }


def _describe_cut(cut: Cut) -> dict[str, Any]:
    """Return the sentences and numbers that `cutline cut` prints."""
    return {
        "statement": cut.statement,
        "possible": cut.possible,
        "details": list(cut.details) if cut.possible else [],
        "assumptions": [name_fields(text) for text in cut.assumptions] if cut.possible else [],
        "notes": [name_fields(text) for text in (*cut.warnings, *cut.notes)],
    }


def _list_charts(models: int) -> list[dict[str, str]]:
    """Return the charts that can be drawn for a number of models."""
    kinds = (Shows.ONE, Shows.SEVERAL, Shows.TABLES) if models == 1 else (Shows.SEVERAL, Shows.TWO_OR_MORE)
    kinds = (*kinds, Shows.DIFFERENCE) if models == 2 else kinds
    return [{"name": kind.name, "title": kind.title} for kind in CHARTS.values() if kind.shows in kinds]


class FieldWords:
    """Words of the page: fields for arguments, rows for positions."""

    def argument(self, mentioned: Argument) -> str:
        """Return the field with its value."""
        title = TITLES.get(mentioned.name, mentioned.name)
        is_switch = mentioned.name in ("missing", "higher_is_positive", "after_looking")
        return f"“{title}”" if mentioned.value is None or is_switch else f"“{title}”: {mentioned.value}"

    def subject(self, name: str) -> str:
        """Return the field."""
        return TITLES.get(name, name)

    def place(self, position: int) -> str:
        """Return a row, counted from one."""
        return f"in row {position + 1}"


_FIELD_OF_OPTION = {option: TITLES[name] for name, option in OPTIONS.items() if name in TITLES}


def name_fields(text: str | CutlineError) -> str:
    """Return a text or a refusal with the fields of the page for arguments and options."""
    from cutline.core.messages import render

    words = FieldWords()
    sentence = format_error(text, words) if isinstance(text, CutlineError) else render(text, words)
    named = re.sub(
        r"--[a-z-]+", lambda option: f"“{_FIELD_OF_OPTION.get(option[0], option[0])}”", escape_controls(sentence)
    )
    return named.replace("pass “", "set “")
