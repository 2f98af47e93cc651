"""The work of `evaluate --by`, `slices` and `check --by`: one model on each slice of its cases, such as each site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.evaluate import evaluated, print_json
from cutline.cli.groups import Asked, Files, Reading
from cutline.cli.progress import waiting
from cutline.cli.reading import opened
from cutline.cli.text import printable
from cutline.core.errors import InputError, ParameterError
from cutline.core.table import Table, between, p_number, shown
from cutline.core.validation import counted, name_of
from cutline.evaluation import evaluate
from cutline.results.summary import Row, Summary
from cutline.slice_search import find_slices
from cutline.slices import OVERALL, AgainstRest, Fairness, Slices, common_table, slices_document

_ENDS = 5  # slices at each end of a long table
_LONG = 3 * _ENDS  # slices above which a table is folded


def run_slices(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    asked: Asked,
    output: Files,
    name: str | None,
    unused: Mapping[str, Any],
) -> None:
    """Evaluate one model on each slice and show the results: the work of `evaluate --by`.

    Args:
        paths: The files of predictions.
        by: The columns whose values are the slices.
        reading: How the files are read.
        asked: Which numbers are wanted.
        output: Where they go.
        name: What to call the model.
        unused: Options that slices have no use for, with what was given: none is read and ignored.
    """
    for option, given in unused.items():
        if given:
            raise ParameterError(f"--by cannot be combined with {option}", "leave one of them out")
    if output.documents or output.png:
        raise ParameterError(
            "evaluate --by prints a table alone", "pass --json or --csv here, or use `cutline slices --html FILE`"
        )
    output.check()
    asked.check()
    slices, guesses = read_slices(paths, by, reading, name, quiet=output.quiet)
    found = {OVERALL: evaluated(slices.overall, asked, quiet=True)}
    found |= {key: evaluated(ev, asked, quiet=True) for key, ev in slices.items()}
    output.guessed(guesses)
    if output.json:
        print_json(slices_document(slices, found))
    elif output.csv:
        render.put(common_table(slices.by, found).to_csv())
    else:
        render.console().print(_rendered(slices, found, with_notes=not output.quiet))


def run_comparison(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    measure: str,
    options: Mapping[str, Any],
    output: Files,
    *,
    gap: bool,
    fairness: bool,
    least: int,
) -> None:
    """Compare slices and show who is served worse: the work of `slices`.

    Args:
        paths: The files of predictions.
        by: The columns whose values are the slices.
        reading: How the files are read.
        measure: The measure that slices are compared by.
        options: What `Slices.against_rest` takes.
        output: Where the results go.
        gap: Whether the largest gap is shown.
        fairness: Whether the criteria of fairness are shown.
        least: Slices with fewer cases are left out of files.
    """
    output.check()
    slices, guesses = read_slices(paths, by, reading, None, quiet=output.quiet)
    with waiting("Comparing the slices", quiet=output.quiet):
        found = slices.against_rest(measure, **options)
        level = found.level
        largest = slices.gap(measure, level=level) if gap else None
        criteria = slices.fairness(level=level) if fairness else None
    output.guessed(guesses)
    for path in output.documents:
        slices.save(path, measure=measure, least=least, overwrite=output.force, **options)
    if output.json:
        document = found.document()
        document |= {} if largest is None else {"gap": largest.to_dict()}
        document |= {} if criteria is None else {"fairness": criteria.to_dict()}
        print_json(document)
    elif output.csv:
        render.put(found.to_csv())
    else:
        screen = render.console()
        lines = [found.verdict, "", _against(screen, found), *_left_out(len(slices))]
        if largest is not None:
            lines += ["", *repr(largest).splitlines()]
        if criteria is not None:
            lines += ["", criteria.table.title, _criteria(screen, criteria), *criteria.table.below]
        for line in [*lines, "", found.how]:
            screen.print(Text(printable(line)) if isinstance(line, str) else line)
        if not output.quiet and slices.notes:
            screen.print(render.notes(slices.notes, "Notes"))


def run_search(
    paths: Sequence[str], reading: Reading, features: str | None, options: Mapping[str, Any], output: Files
) -> None:
    """Search slices that do worse: the work of `slices --find`.

    Args:
        paths: The files of predictions.
        reading: How the files are read.
        features: The columns that conditions are on, with commas; all others when None.
        options: What `find_slices` takes.
        output: Where the results go.
    """
    output.check()
    found = opened(paths, reading)
    names = None if features is None else [name.strip() for name in features.split(",") if name.strip()]
    common = {key: value for key, value in reading.common.items() if key in ("positive", "missing", "threshold")}
    with waiting("Searching slices", quiet=output.quiet):
        made = find_slices(
            found.chosen.label, found.chosen.scores[0], data=found.file, features=names, **common, **options
        )
    output.guessed(found.chosen.guesses)
    if output.json:
        print_json(made.document())
    elif output.csv:
        render.put(made.to_csv())
    else:
        screen = render.console()
        screen.print(Text(printable(made.verdict)))
        if made.rows:
            screen.print(Text())
            screen.print(_plain_table(screen, made.table))
        screen.print(Text(printable(made.how)))


def read_slices(
    paths: Sequence[str], by: Sequence[str], how: Reading, name: str | None, *, quiet: bool
) -> tuple[Slices, tuple[str, ...]]:
    """Read the evaluation of each slice, and say which columns were guessed."""
    if not paths:
        raise ParameterError("Pass the files of the predictions.")
    c = how.columns
    if c.group or c.stratum or c.id:
        raise ParameterError("--by cannot be combined with --group, --stratum or --id", "leave one of them out")
    if len(c.scores) > 1:
        raise ParameterError(f"--score is given {len(c.scores)} times", "pass it once for this command")
    rules = _rules(by)
    found = opened(paths, how, by=tuple(rules))
    score = found.chosen.scores[0]
    with waiting("Reading the predictions", quiet=quiet, unit="rows"):
        slices: Any = evaluate(
            found.chosen.label,
            score,
            c.weight,
            by=rules,
            data=found.file,
            name=printable(name_of(name) or score),
            exact=how.exact or None,
            memory=how.memory,
            **how.common,
        )
    return slices, found.chosen.guesses


def _rules(by: Sequence[str]) -> dict[str, Any]:
    """Return the columns of --by with their ranges: "age:0,40,65,120" cuts a number, "day:month" a date."""
    rules: dict[str, Any] = {}
    for text in by:
        name, _, rule = text.partition(":")
        if name in rules:
            raise ParameterError(f"--by names {name!r} twice", "name each column once")
        rules[name] = _rule(rule) if rule else None
    return rules


def _rule(text: str) -> Any:
    if text in ("day", "month", "year"):
        return text
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--by has the rule {text!r}", "write edges such as age:0,40,65,120, a number of ranges, or day:month"
        ) from None
    return int(numbers[0]) if len(numbers) == 1 else numbers


# ---------------------------------------------------------------------- the screen


def _rendered(slices: Slices, found: Mapping[Any, Summary], *, with_notes: bool) -> RenderableType:
    """The verdict, then each measure with a line for all cases and for each slice, then the notes."""
    screen = render.console()
    first = next(iter(found.values()))
    head = f"{counted(len(slices), 'slice')} by {slices.by}; predicted positive: {first.cut.words(first.data.ranking)}"
    level = f"{100 * first.level:g} % interval"
    keys = {row.key: row.title for summary in found.values() for row in summary.rows}
    rows: list[tuple[Any, ...]] = []
    for key, title in keys.items():
        lines = []
        for value, summary in found.items():
            row = next((row for row in summary.rows if row.key == key), None)
            cells = ("", "", "") if row is None else (shown(row.value), render.interval(row.interval), _bracket(row))
            cases = shown(summary.data.cases)
            lines.append((row.value if row is not None else float("nan"), (slices.label(value), cases, *cells)))
        own = _worst_and_best(lines)
        rows += [(title if not i else "", *cells) for i, cells in enumerate(own)]
    heads = ["", slices.by, "cases", "value", level, "exact value from"]
    if not any(row[-1] for row in rows):  # nothing was binned
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    verdict = [Text(printable(slices.verdict())), Text()] if _can_compare(slices) else []
    parts: list[RenderableType] = [
        Text(printable(head)),
        Text(),
        *verdict,
        render.grid(screen, heads, rows),
        *map(Text, _left_out(len(slices))),
    ]
    if with_notes and slices.notes:
        parts.append(render.notes(slices.notes, "Notes"))
    return Group(*parts)


def _left_out(count: int) -> list[str]:
    """Return which slices a long table shows, in a sentence."""
    return [f"The {_ENDS} lowest and the {_ENDS} highest of {count} slices."] if count > _LONG else []


def _can_compare(slices: Slices) -> bool:
    r = slices.overall.ranking
    return len(slices) > 1 and bool(r.positives > 0 and r.negatives > 0)


def _worst_and_best(lines: Sequence[tuple[float, tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """Return the lines of all cases and of each slice; of many slices those at both ends, with a count."""
    overall, *slices = lines
    if len(slices) <= _LONG:
        return [cells for _, cells in lines]
    ordered = [cells for _, cells in sorted(slices, key=lambda line: (line[0] != line[0], line[0]))]
    between_them = ("...", "", "", "", "")
    return [overall[1], *ordered[:_ENDS], between_them, *ordered[-_ENDS:]]


def _against(screen: Any, found: AgainstRest) -> RenderableType:
    """Each slice beside the rest, the lowest values first; of many slices, those at both ends, with a count."""
    ordered = sorted(found.rows, key=lambda row: (row.value != row.value, row.value))
    rows: list[tuple[str, ...]] = [
        (
            row.slice,
            shown(row.cases),
            shown(row.value),
            shown(row.rest),
            shown(row.difference),
            "" if row.low != row.low else f"[{shown(row.low)}, {shown(row.high)}]",
            p_number(row.p_adjusted),
            row.verdict,
        )
        for row in ordered
    ]
    if len(rows) > _LONG:
        between_them = ("...", *([""] * 7))
        rows = [*rows[:_ENDS], between_them, *rows[-_ENDS:]]
    interval = f"{100 * found.level:g} % interval"
    heads = (found.slices.by, "cases", found.measure.name, "rest", "difference", interval, "p adjusted", "")
    return render.grid(screen, heads, rows)


def _criteria(screen: Any, found: Fairness) -> RenderableType:
    rows = [
        (row["criterion"], "", row["note"])
        if row["value"] != row["value"]
        else (row["criterion"], shown(row["value"]), f"[{shown(row['low'])}, {shown(row['high'])}]")
        for row in found.table
    ]
    return render.grid(screen, ("criterion", "value", f"{100 * found.level:g} % interval"), rows)


def _plain_table(screen: Any, table: Table, rows: Sequence[Sequence[Any]] | None = None) -> RenderableType:
    chosen = [i for i, name in enumerate(table.columns) if name not in table.hidden]
    cells = [[shown(row[i]) for i in chosen] for row in (table.rows if rows is None else rows)]
    return render.grid(screen, [table.columns[i] for i in chosen], cells)


def _bracket(row: Row) -> str:
    return "" if row.bounds is None else between(row.bounds.low, row.bounds.high)
