"""From files and options to an evaluation or a comparison."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cutline.cli.options import Reading
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, quote
from cutline.core.errors import InputError, ParameterError, PositionError
from cutline.core.ranking import Ranking
from cutline.core.ranking_file import is_ranking_file, load
from cutline.core.validation import clean_model_name
from cutline.evaluation import Evaluation, evaluate
from cutline.inputs import files
from cutline.inputs.column_source import IDS, LABELS, SCORES, Request, Source, check_columns, read_rows
from cutline.inputs.column_source import ColumnMapping as NoColumns
from cutline.inputs.rank import rank

if TYPE_CHECKING:
    from cutline.comparison import Comparison
    from cutline.slices.evaluation import Slices

_FEW = 8  # columns that are looked through for the one with two values


class Chosen(NamedTuple):
    """The columns to read, and the options that were guessed."""

    label: str
    scores: tuple[str, ...]
    guesses: tuple[str, ...] = ()


@dataclass(frozen=True)
class PredictionFile:
    """A file with the columns to read; of a finished ranking, its title alone."""

    file: Source
    chosen: Chosen
    finished: str = ""

    @property
    def name(self) -> str:
        """Name of the file in messages."""
        return escape_controls(self.finished or self.file.title)

    @property
    def score(self) -> str | None:
        """Column of the scores of one model; None in a ranking file."""
        return self.chosen.scores[0] if self.chosen.scores else None

    def with_positive(self, reading: Reading, ranking: Ranking) -> PredictionFile:
        """Return the same with the positive label among the guesses, where it is a text that no option names."""
        if reading.positive is not None or not isinstance(ranking.positive, str):
            return self
        guesses = (*self.chosen.guesses, f"--positive {shlex.quote(escape_controls(ranking.positive))}")
        return replace(self, chosen=self.chosen._replace(guesses=guesses))

    def check_cases(self) -> None:
        """Refuse a ranking where cases are needed."""
        if self.finished:
            problem = (
                f"{escape_controls(self.finished)} is a ranking, which holds counts per score and not single cases"
            )
            way_out = "pass the predictions themselves, which paired tests and ids need"
            raise InputError(problem, f"{way_out}, or --independent to compare two rankings of different cases")


def open_predictions(
    path: str | Sequence[str],
    reading: Reading,
    models: int = 1,
    by: Sequence[str] = (),
    folds: Sequence[str] = (),
    quota_by: str | None = None,
    *,
    quiet: bool = True,
) -> PredictionFile:
    """Open a file, or several, and choose the columns that the options name, or guess them.

    Args:
        path: The file, or the files.
        reading: How they are read.
        models: How many columns hold scores.
        by: The columns whose values are slices.
        folds: The columns of the folds and of the repeats.
        quota_by: The column whose values are periods.
        quiet: Whether no progress is shown.
    """
    if not path:
        raise ParameterError("Pass the files of the predictions.")
    if models == 1 and len(reading.columns.scores) > 1:
        raise ParameterError(f"--score is given {len(reading.columns.scores)} times", "pass it once for this command")
    paths = path if isinstance(path, str) else path[0] if len(path) == 1 else list(path)
    _check_no_ranking([path] if isinstance(path, str) else path)
    with show_progress("Opening the predictions", quiet=quiet):  # all of a compressed file is checked
        file, c = files.read(paths, reading.format, reading.memory), reading.columns
    named = {
        "label": Request("labels", c.label),
        "weight": Request("weights", c.weight),
        "group": Request("groups", c.group),
        "stratum": Request("strata", c.stratum),
        "id": Request("id", c.id),
        "quota_by": Request("groups", quota_by),
        **{"by" if not i else f"by{i}": Request("groups", column) for i, column in enumerate(by)},
    }
    named |= {name: Request("groups", column) for name, column in zip(("folds", "repeats"), folds, strict=False)}
    scores = {f"score{i}": Request("scores", column) for i, column in enumerate(c.scores)}
    check_columns(file, scores | {option: ask for option, ask in named.items() if ask.column is not None})
    periods = () if quota_by is None else (quota_by,)
    chosen = choose_columns(file, c.label, c.scores, (*c.others, *by, *folds, *periods), models)
    _check_apart(chosen, c.weight)
    if c.id is not None:
        _check_ids(file, c.id)
    return PredictionFile(file, chosen)


def read_evaluation(
    path: str | Sequence[str], reading: Reading, name: str | None, *, quiet: bool = True
) -> tuple[Evaluation, PredictionFile]:
    """Return the evaluation of one model, and its file."""
    paths = [path] if isinstance(path, str) else list(path)
    if any(is_ranking_file(path) for path in paths):
        return _evaluate_ranking_file(paths, reading, name), wrap_ranking_file(Path(paths[0]).name)
    predictions, c = open_predictions(paths, reading, quiet=quiet), reading.columns
    design: dict[str, Any] = {"groups": c.group, "strata": c.stratum, "exact": reading.exact or None}
    ev: Evaluation = evaluate_columns(predictions, reading, name, quiet=quiet, **design)
    return ev, predictions.with_positive(reading, ev.ranking)


def evaluate_columns(
    predictions: PredictionFile,
    reading: Reading,
    name: str | None,
    *,
    quiet: bool,
    score: str | None = None,
    **design: Any,
) -> Any:
    """Evaluate a column of scores: one evaluation, or one for each slice or period.

    Args:
        predictions: The file, and which of its columns are meant.
        reading: How it is read.
        name: What to call the model; as its column when None.
        quiet: Whether no progress is shown.
        score: The column of the scores; the first that is meant when None.
        design: More arguments of evaluate(), such as groups, slices or periods.
    """
    score, c = predictions.chosen.scores[0] if score is None else score, reading.columns
    design |= {
        "data": predictions.file,
        "name": escape_controls(clean_model_name(name) or score),
        "memory": reading.memory,
    }
    with show_progress("Reading the predictions", quiet=quiet, unit="rows"):
        return evaluate(predictions.chosen.label, score, c.weight, **design, **reading.common)


def read_slices(
    paths: Sequence[str], by: Sequence[str], reading: Reading, name: str | None, *, quiet: bool
) -> tuple[Slices, tuple[str, ...]]:
    """Read the evaluation of each slice, and say which columns were guessed."""
    c = reading.columns
    if c.stratum or c.id:
        raise ParameterError("--by cannot be combined with --stratum or --id", "leave one of them out")
    rules = parse_slices(by)
    source = open_predictions(paths, reading, by=tuple(rules), quiet=quiet)
    design: dict[str, Any] = {"by": rules, "groups": c.group, "exact": reading.exact or None}
    slices: Slices = evaluate_columns(source, reading, name, quiet=quiet, **design)
    return slices, source.with_positive(reading, slices.overall.ranking).chosen.guesses


def parse_slices(by: Sequence[str]) -> dict[str, Any]:
    """Return the columns of --by with their ranges: "age:0,40,65,120" cuts a number, "day:month" a date."""
    rules: dict[str, Any] = {}
    for text in by:
        name, _, rule = text.partition(":")
        if name in rules:
            raise ParameterError(f"--by names {name!r} twice", "name each column once")
        rules[name] = _parse_rule(rule) if rule else None
    return rules


def _parse_rule(text: str) -> Any:
    if text in ("day", "month", "year"):
        return text
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--by has the rule {text!r}", "write edges such as age:0,40,65,120, a number of ranges, or day:month"
        ) from None
    return int(numbers[0]) if len(numbers) == 1 else numbers


def read_ranking(paths: Sequence[str], reading: Reading, *, quiet: bool) -> tuple[Ranking, tuple[str, ...]]:
    """Return the ranking of predictions, and the options that were guessed."""
    predictions, c = open_predictions(paths, reading, quiet=quiet), reading.columns
    with show_progress("Reading the predictions", quiet=quiet, unit="rows"):
        ranking = rank(
            predictions.chosen.label,
            predictions.chosen.scores[0],
            c.weight,
            data=predictions.file,
            positive=reading.positive,
            missing=reading.missing,
            higher_is_positive=not reading.lower_is_positive,
            exact=reading.exact or None,
            memory=reading.memory,
            threshold=reading.threshold,
        )
    return ranking, predictions.with_positive(reading, ranking).chosen.guesses


def evaluate_ranking(ranking: Ranking, reading: Reading, name: str, *, is_table: bool = False) -> Evaluation:
    """Evaluate a finished ranking; raise if an option of reading predictions is given.

    Args:
        ranking: The ranking.
        reading: What the options say.
        name: What to call the model.
        is_table: Whether it is the result of a query, for which the options name the positive label.
    """
    c = reading.columns
    named = {"--label": c.label, "--score": c.scores, "--weight": c.weight, "--group": c.group, "--id": c.id}
    for option in [option for option, value in (named | {"--stratum": c.stratum}).items() if value]:
        raise ParameterError(f"A finished ranking has no columns, so {option} names nothing", "leave it out")
    settled = {
        "--missing": reading.missing != "error",
        "--weights-are": reading.weights_are is not None,
        "--format": reading.format is not None,
        "--memory": reading.memory is not None,
        "--exact": reading.exact,
        **(
            {}
            if is_table
            else {"--positive": reading.positive is not None, "--lower-is-positive": reading.lower_is_positive}
        ),
    }
    for option in [option for option, is_used in settled.items() if is_used]:
        problem = f"{option} says how predictions are read, and a finished ranking holds none"
        raise ParameterError(problem, f"leave it out, or pass {option} when the ranking is made")
    return Evaluation(ranking, reading.threshold, escape_controls(name), quota=reading.quota, share=reading.share)


def wrap_ranking_file(title: str) -> PredictionFile:
    """Return a finished ranking, which has no columns."""
    return PredictionFile(NoColumns({}, title), Chosen("", ()), title)


def _evaluate_ranking_file(paths: Sequence[str], reading: Reading, name: str | None) -> Evaluation:
    if len(paths) > 1:
        raise InputError(
            "Several files are given, and one of them is a ranking", "add rankings up with `cutline merge`"
        )
    return evaluate_ranking(load(paths[0]), reading, clean_model_name(name) or Path(paths[0]).stem)


def _check_no_ranking(paths: Sequence[str]) -> None:
    """Refuse rankings where cases are needed."""
    for path in paths:
        if is_ranking_file(path):
            wrap_ranking_file(Path(path).name).check_cases()


def read_comparison(
    paths: Sequence[str], reading: Reading, *, quiet: bool = True
) -> tuple[Comparison, tuple[str, ...]]:
    """Return the comparison of the models of one file, or of several, and the options that were guessed."""
    from cutline.comparison import compare  # most commands have one model

    scores = reading.columns.scores
    if len(paths) == 1:
        if len(scores) == 1:
            raise ParameterError("A comparison takes at least two models", "pass --score once for each, or more files")
        predictions = open_predictions(paths[0], reading, models=2, quiet=quiet)
        names = {escape_controls(column): column for column in predictions.chosen.scores}
        c = reading.columns
        design: dict[str, Any] = {"groups": c.group, "strata": c.stratum}
        label = predictions.chosen.label
        with show_progress("Reading the predictions", quiet=quiet, unit="rows"), _name_column("labels", label):
            cmp = compare(label, names, c.weight, data=predictions.file, **design, **reading.common)
        return cmp, predictions.with_positive(reading, next(iter(cmp.values())).ranking).chosen.guesses
    _check_no_ranking(paths)
    if reading.columns.id is None:
        raise ParameterError(
            "Several files are joined by the names of their cases",
            "pass --id with that column, or --independent if they hold different cases, such as two months",
        )
    if len(scores) not in (0, 1, len(paths)):
        raise ParameterError(
            f"--score is given {len(scores)} times for {len(paths)} files", "pass one for all files, or one for each"
        )
    scores_by_file = [scores[i : i + 1] if len(scores) == len(paths) else scores for i in range(len(paths))]
    models = {}
    for place, (name, path, of_model) in enumerate(zip(_name_models(paths), paths, scores_by_file, strict=True)):
        # The first file says which cases belong together, and which strata they are of.
        without: dict[str, Any] = {"group": None, "stratum": None} if place else {}
        of_file = replace(reading, columns=replace(reading.columns, scores=of_model, **without))
        models[name] = open_predictions(path, of_file, quiet=quiet)
    return compare_joined(models, reading), next(iter(models.values())).chosen.guesses


@contextmanager
def _name_column(argument: str, column: str) -> Iterator[None]:
    """Name the column in what the block refuses about an argument."""
    try:
        yield
    except PositionError as error:
        raise error.altered(column=column) if error.argument == argument and error.column is None else error from None


def _name_models(paths: Sequence[str]) -> list[str]:
    """Return the names of the models of some files: the stems, or the whole paths where stems are equal."""
    stems = [_name_model(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else [escape_controls(path) for path in paths]
    if len(set(names)) < len(names):
        raise ParameterError("The same file is given twice", "pass one for each model")
    return names


def _name_model(path: str) -> str:
    """Return the name of the model of one file; of a pipe such as /dev/fd/63, the whole path."""
    if path in ("-", "/dev/stdin"):
        return "standard input"
    return escape_controls(path if path.startswith(("/dev/", "/proc/")) else Path(path).stem)


def compare_joined(models: Mapping[str, PredictionFile], reading: Reading) -> Comparison:
    """Return the comparison of models from files of their own, joined by the ids of the cases."""
    from cutline.comparison import compare  # most commands have one model

    first = next(iter(models.values()))
    frames = {name: predictions.file for name, predictions in models.items()}
    scores = {name: predictions.chosen.scores[0] for name, predictions in models.items()}
    c = reading.columns
    design: dict[str, Any] = {"groups": c.group, "strata": c.stratum}
    return compare(first.chosen.label, scores, c.weight, data=frames, id=c.id, **design, **reading.common)


def compare_in_order(models: Mapping[str, PredictionFile], reading: Reading) -> Comparison:
    """Return the comparison of models from files whose rows are the same cases in the same order."""
    from cutline.comparison import compare  # most commands have one model

    rows = {name: _read_rows(predictions, reading, place) for place, (name, predictions) in enumerate(models.items())}
    (first_name, first), *others = rows.items()
    for name, columns in others:
        mine, theirs = first["labels"].tolist(), columns["labels"].tolist()
        files_named = f"{models[first_name].name} and {models[name].name}"
        if len(mine) != len(theirs):
            raise InputError(
                f"{files_named} have {len(mine)} and {len(theirs)} rows",
                "pass the same cases, --id to join them, or --independent if they hold different cases",
            )
        differ = next((row for row, (a, b) in enumerate(zip(mine, theirs, strict=True), 1) if a != b), None)
        if differ is not None:
            raise InputError(
                f"The labels of {files_named} differ, first in row {differ}",
                "pass the cases in one order, or --id to join them",
            )
    scores = {name: columns["scores"] for name, columns in rows.items()}
    design: dict[str, Any] = {role: first.get(role) for role in ("groups", "strata")}
    return compare(first["labels"], scores, first.get("weights"), **design, **reading.common)


def _read_rows(predictions: PredictionFile, reading: Reading, place: int) -> dict[Any, Any]:
    columns = {
        "labels": Request("labels", predictions.chosen.label, reading.positive is not None),
        "scores": Request("scores", predictions.chosen.scores[0]),
    }
    if reading.columns.weight is not None:
        columns["weights"] = Request("weights", reading.columns.weight)
    if reading.columns.group is not None and not place:  # the first file says which cases belong together
        columns["groups"] = Request("groups", reading.columns.group)
    if reading.columns.stratum is not None and not place:
        columns["strata"] = Request("strata", reading.columns.stratum)
    with read_rows(predictions.file, columns) as rows:
        return rows


def _check_apart(chosen: Chosen, weight: str | None) -> None:
    """Raise if two options name one column: labels as scores would make a perfect model."""
    named = {"--label": [chosen.label], "--score": [*chosen.scores], "--weight": [] if weight is None else [weight]}
    by_column: dict[str, list[str]] = {}
    for option, columns in named.items():
        for column in columns:
            by_column.setdefault(column, []).append(option)
    for column, options in by_column.items():
        if len(options) > 1:
            both = f"{options[0]} and {options[1]} both name" if options[0] != options[1] else f"{options[0]} names"
            twice = "" if options[0] != options[1] else " twice"
            raise ParameterError(f"{both} {quote(column)}{twice}", "pass another column for one of them")


def _check_ids(file: Source, column: str) -> None:
    with read_rows(file, {"id": Request("id", column)}) as rows:
        ids = rows["id"].tolist()
    if len(set(ids)) == len(ids) and None not in ids:
        return
    seen: dict[Any, int] = {}
    for position, case in enumerate(ids):
        if case is None or case != case:
            raise InputError(f"{escape_controls(file.title)} has no id {file.place(position)}", "name every case")
        if case in seen:
            repeated = f"repeats the id {quote(case)} of row {seen[case] + 1} {file.place(position)}"
            raise InputError(f"{escape_controls(file.title)} {repeated}", "pass each case once")
        seen[case] = position


# ---------------------------------------------------------------------- choosing columns


def choose_columns(
    file: Source, label: str | None, scores: Sequence[str], taken: Sequence[str], models: int = 1
) -> Chosen:
    """Return the columns of the labels and of the scores: as named, or guessed if there is one candidate."""
    guesses = []
    if label is None:
        label = _choose_label(file, [c for c in file.columns if c not in (*scores, *taken)])
        guesses.append(f"--label {shlex.quote(escape_controls(label))}")
    if not scores:
        scores = _choose_scores(file, [c for c in file.columns if c not in (label, *taken)], models)
        guesses += [f"--score {shlex.quote(escape_controls(score))}" for score in scores]
    return Chosen(label, tuple(scores), tuple(guesses))


def _choose_label(file: Source, free: Sequence[str]) -> str:
    named = _match_names(free, LABELS) or [column for column in free if column not in _match_names(free, SCORES)]
    if len(named) == 1:
        return named[0]
    candidates = [column for column in named if _has_two_values(file, column)] if len(named) <= _FEW else []
    if len(candidates) == 1:
        return candidates[0]
    raise _make_unclear_error(file, "labels", "--label", candidates or named)


def _choose_scores(file: Source, free: Sequence[str], models: int) -> Sequence[str]:
    candidates = _match_names(free, SCORES) if models == 1 else []
    if len(free) != models and len(candidates) != models:
        candidates = [column for column in free if _is_number(file, column)]
        if len(candidates) > models:  # numbers that name the cases are no scores
            candidates = [column for column in candidates if not _is_id_column(column)]
    elif len(candidates) != models:
        candidates = list(free)  # text will be refused, with its row
    if len(candidates) == models:
        return candidates
    raise _make_unclear_error(
        file, "scores", "--score" + (" once for each model" if models > 1 else ""), candidates or free
    )


def _is_id_column(column: str) -> bool:
    """Whether the name of a column is usual for ids."""
    name = column.strip().lower()
    return name in IDS or name.endswith(("_id", " id")) or column.endswith("Id")


def _match_names(columns: Sequence[str], usual: Sequence[str]) -> list[str]:
    return [column for column in columns if column.strip().lower() in usual]


def _has_two_values(file: Source, column: str) -> bool:
    try:
        values = file.read_columns({"labels": Request("labels", column)})["labels"].tolist()
    except InputError:
        return False
    return len({value for value in values if value is not None and value == value}) == 2


def _is_number(file: Source, column: str) -> bool:
    try:
        values = file.read_columns({"scores": Request("scores", column)})["scores"]
    except InputError:
        return False
    return bool(values.dtype.kind in "iuf")


def _make_unclear_error(file: Source, what: str, option: str, candidates: Sequence[str]) -> InputError:
    columns = ", ".join(quote(column) for column in (candidates or file.columns)[:8])
    return InputError(f"Which column of {escape_controls(file.title)} holds the {what}, of {columns}? Pass {option}.")
