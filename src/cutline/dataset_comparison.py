"""compare_datasets(): several models on several data sets, each of which is one observation."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, UnknownNameError, hint_similar, shorten_repr
from cutline.core.escaping import html_text
from cutline.core.messages import join_with_and
from cutline.core.public import public
from cutline.core.table import ShownAsTable, Table, format_p, to_json_value
from cutline.core.validation import (
    LEVEL,
    check_choice,
    check_flag,
    check_level,
    check_text,
    format_count,
    is_among,
    list_names,
)
from cutline.core.validation import as_column as as_column
from cutline.inference import datasets as statistics
from cutline.inference.simultaneous import holm
from cutline.inputs import column_source

if TYPE_CHECKING:
    from cutline.charts import Picture

TESTS = ("wilcoxon", "nemenyi")
MOST_MODELS = 100
FEW_DATASETS = 6  # with fewer, Wilcoxon's test cannot reach p < 0.05
_LARGEST = 1e100  # no measure comes near; squares of larger values overflow


class Pair(NamedTuple):
    """Two models: on how many data sets each was better, their mean ranks' difference, and the p-values."""

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    median_difference: float
    rank_difference: float
    p_value: float
    p_adjusted: float


@public
@dataclass(frozen=True, eq=False)
class DatasetComparison(ShownAsTable):
    """Several models on several data sets: mean ranks, Friedman's test, and the test of each pair.

    `test` is "wilcoxon" (signed ranks of each pair, adjusted by Holm) or "nemenyi" (mean ranks of all models at once).
    With a `control`, only pairs with that model are tested.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    values: Array
    higher_is_better: bool = True
    level: float = LEVEL
    test: str = "wilcoxon"
    control: str | None = None

    @cached_property
    def ranks(self) -> Array:
        """Return the rank of each model (columns) on each data set (rows); 1 is the best."""
        return statistics.rank_models(self.values, higher_is_better=self.higher_is_better)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """Return the mean rank of each model."""
        return dict(zip(self.models, self.ranks.mean(axis=0).tolist(), strict=True))

    @cached_property
    def friedman(self) -> statistics.FriedmanTest:
        """Friedman's test that all models are equal, with the F statistic of Iman and Davenport."""
        return statistics.friedman(self.ranks)

    @cached_property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference of mean ranks at this level."""
        return statistics.compute_critical_difference(len(self.models), len(self.datasets), 1 - self.level)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the pairs of models that are tested, in the order of the table."""
        k = len(self.models)
        places = [(a, b) for a, b in itertools.combinations(range(k), 2)]
        if self.control is not None:
            place = self.models.index(self.control)
            places = [(place, other) for other in range(k) if other != place]
        sign = 1 if self.higher_is_better else -1
        gaps = [sign * (self.values[:, a] - self.values[:, b]) for a, b in places]
        if self.test == "nemenyi":
            every = statistics.nemenyi(self.ranks)
            p = adjusted = np.array([every[a, b] for a, b in places])
        else:
            p = np.array([statistics.run_signed_rank_test(gap).p_value for gap in gaps])
            adjusted = np.asarray(holm(p.tolist()), dtype=float)
        means = self.ranks.mean(axis=0)
        return tuple(
            Pair(
                self.models[a],
                self.models[b],
                int((gap > 0).sum()),
                int((gap == 0).sum()),
                int((gap < 0).sum()),
                float(np.median(self.values[:, a] - self.values[:, b])),
                float(means[a] - means[b]),
                float(p[i]),
                float(adjusted[i]),
            )
            for i, ((a, b), gap) in enumerate(zip(places, gaps, strict=True))
        )

    @cached_property
    def cliques(self) -> list[tuple[str, ...]]:
        """Return the groups of models, neighbours in mean rank, in which no two differ significantly."""
        k = len(self.models)
        different = np.zeros((k, k), dtype=bool)
        for pair in self.pairs:
            a, b = self.models.index(pair.a), self.models.index(pair.b)
            different[a, b] = different[b, a] = pair.p_adjusted <= 1 - self.level
        groups = statistics.find_cliques(self.ranks.mean(axis=0), different)
        return [tuple(self.models[i] for i in clique) for clique in groups]

    # ------------------------------------------------------------------ words

    @property
    def verdict(self) -> str:
        """Return the result as sentences: whether the models differ at all, and which pairs do."""
        order = sorted(self.mean_ranks.items(), key=lambda item: item[1])
        best = f"Best mean rank: {order[0][0]} ({order[0][1]:.2f} of {len(self.models)})."
        p = self.friedman.f_p_value
        differ = "differ" if p <= 1 - self.level else "do not differ significantly"
        overall = f"The models {differ} (Friedman with Iman-Davenport, p {format_p(p)})."
        if len(self.models) == 2:
            overall = ""
        real = [pair for pair in self.pairs if pair.p_adjusted <= 1 - self.level]
        how = self.method
        if not real:
            each = f"No pair differs significantly ({how})."
        else:
            named = [f"{p.a} over {p.b}" if p.rank_difference < 0 else f"{p.b} over {p.a}" for p in real[:6]]
            more = f" and {len(real) - 6} more pairs" if len(real) > 6 else ""
            each = f"Significantly better ({how}): {join_with_and(named)}{more}."
        return " ".join(part for part in (best, overall, each) if part)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on the numbers."""
        notes = []
        n = len(self.datasets)
        if n < FEW_DATASETS and self.test == "wilcoxon":
            least = format_p(2 * 0.5**n)
            notes.append(
                f"With {format_count(n, 'data set')} no pair can reach p < 0.05: the smallest possible is p {least}."
            )
        if self.test == "nemenyi":
            notes.append("Nemenyi's test of a pair depends on the other models in the table; Wilcoxon's does not.")
        return tuple(notes)

    # ------------------------------------------------------------------ views

    @property
    def table(self) -> Table:
        """Return the pairs as a table."""
        title = f"{format_count(len(self.models), 'model')} on {format_count(len(self.datasets), 'data set')}"
        return Table(Pair._fields, tuple(tuple(pair) for pair in self.pairs), title=title)

    @property
    def rank_table(self) -> Table:
        """Return the mean ranks as a table, the best first."""
        rows = sorted(self.mean_ranks.items(), key=lambda item: item[1])
        means = dict(zip(self.models, self.values.mean(axis=0).tolist(), strict=True))
        return Table(("model", "mean_rank", "mean"), tuple((name, rank, means[name]) for name, rank in rows))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        test = self.friedman
        return {
            "schema": "cutline/dataset-comparison/1",
            "models": list(self.models),
            "datasets": list(self.datasets),
            "higher_is_better": self.higher_is_better,
            "level": self.level,
            "mean_ranks": self.mean_ranks,
            "friedman": {
                "chi2": to_json_value(test.chi2),
                "chi2_p_value": test.chi2_p_value,
                "f": to_json_value(test.f),
                "f_p_value": test.f_p_value,
                "degrees_of_freedom": list(test.degrees_of_freedom),
            },
            "critical_difference": self.critical_difference,
            "test": self.test,
            "control": self.control,
            "pairs": self.table.to_dict(),
            "cliques": [list(clique) for clique in self.cliques],
            "verdict": self.verdict,
            "notes": list(self.notes),
        }

    def to_csv(self) -> str:
        """Return the pairs as CSV."""
        return self.table.to_csv()

    def chart(self, name: str = "critical_difference", *, theme: str = "light", title: str = "Mean ranks") -> Picture:
        """Draw the critical difference diagram: models by mean rank, bars join those that do not differ.

        Args:
            name: "critical_difference".
            theme: "light", "dark" or "print".
            title: The title.
        """
        check_choice(name, "name", ("critical_difference",))
        check_text(title, "title", "Mean ranks")
        from cutline.charts.fold_charts import draw_critical_difference

        by_rank = self.test == "nemenyi"
        how = self.method
        if self.control is not None:
            how += f", against {self.control}"
        size = f"{format_count(len(self.datasets), 'data set')}; Friedman's test: p {format_p(self.friedman.f_p_value)}"
        subtitle = [size, f"bars join models that do not differ ({how})"]
        cliques = [] if self.control is not None else self.cliques
        places = [[self.models.index(model) for model in clique] for clique in cliques]
        difference = self.critical_difference if by_rank else None
        ranks = [self.mean_ranks[model] for model in self.models]
        return draw_critical_difference(
            self.models, ranks, places, subtitle, difference=difference, theme=theme, title=title
        )

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the page (.html), the numbers (.json, .csv) or the picture (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced; refused otherwise.
        """
        save: Any = import_module("cutline.report").save_comparison  # the report stands above: loaded by name
        target: Path = save(self, path, overwrite=overwrite)
        return target

    @property
    def friedman_line(self) -> str:
        """Friedman's test in one line."""
        test = self.friedman
        return (
            f"Friedman chi2 {test.chi2:.2f} (p {format_p(test.chi2_p_value)}), Iman-Davenport F {test.f:.2f} "
            f"(p {format_p(test.f_p_value)})"
        )

    @property
    def method(self) -> str:
        """Return the title of the test of pairs."""
        if self.test == "nemenyi":
            return "Nemenyi"
        return "Wilcoxon signed ranks with Holm's correction"

    def __repr__(self) -> str:
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join(
            [repr(self.rank_table), "", self.friedman_line, "", repr(self.table), "", self.verdict, *notes]
        )

    def _repr_html_(self) -> str:
        return f"{self.rank_table._repr_html_()}{self.table._repr_html_()}<p>{html_text(self.verdict)}</p>"


@public
def compare_datasets(
    table: Any,
    *,
    higher_is_better: bool = True,
    level: float = LEVEL,
    test: str = "wilcoxon",
    control: str | None = None,
    models: Sequence[str] | None = None,
) -> DatasetComparison:
    """Compare models over several data sets (Demsar 2006; Benavoli, Corani & Mangili 2016).

    Args:
        table: A row for each data set and a column for each model: a data frame of any kind, a mapping of columns, or
            the path of a file. Columns of text name the data sets.
        higher_is_better: Whether larger values are better, as of the AUC.
        level: The level of the tests.
        test: "wilcoxon", signed ranks of each pair with Holm's correction, or "nemenyi", mean ranks of all models.
        control: The model that the others are compared with; all pairs when None.
        models: The columns of the models; all columns of numbers when None.

    >>> compare_datasets({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.7], "c": [0.7, 0.6, 0.5, 0.8]}).mean_ranks
    {'a': 1.0, 'b': 2.25, 'c': 2.75}
    """
    level = check_level(level)
    test = check_choice(test, "test", TESTS)
    higher_is_better = check_flag(higher_is_better, "higher_is_better")
    names, datasets, values = _read(table, models)
    if len(names) < 2:
        raise InputError(
            f"has {format_count(len(names), 'column')} of numbers", "pass at least two models", argument="table"
        )
    if len(names) > MOST_MODELS:
        raise InputError(f"has {len(names)} models", f"pass at most {MOST_MODELS}", argument="table")
    if len(values) < 2:
        raise InputError(f"has {format_count(len(values), 'row')}", "pass at least two data sets", argument="table")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"has no number for {names[column]} on {datasets[row]}",
            "fill it, or leave the data set out",
            argument="table",
        )
    if control is not None and not is_among(control, names):
        raise UnknownNameError(
            f"is {shorten_repr(control)}",
            "pass one of the models",
            argument="control",
            hint=hint_similar(control, names),
        )
    return DatasetComparison(tuple(names), tuple(datasets), values, higher_is_better, level, test, control)


def _read(table: Any, models: Sequence[str] | None) -> tuple[list[str], list[str], Array]:
    """Return the names of the models and of the data sets, and the values."""
    if not (isinstance(table, str | os.PathLike | Mapping) or hasattr(table, "columns")):
        raise InputError(
            f"is of type {type(table).__name__}",
            "pass a data frame, a mapping of columns, or the path of a file",
            argument="table",
        )
    if isinstance(table, str | os.PathLike) and not os.path.exists(table):  # noqa: PTH110 - False for names that no file can have
        raise InputError(f"{os.fspath(table)} does not exist", "pass the path of a file with a row for each data set")
    if isinstance(table, Mapping) and not all(isinstance(name, str) for name in table):
        raise InputError("has names of columns that are not text", "pass the values by name", argument="table")
    source = column_source.open_source(table, title="table")
    columns = {name: as_column(column, "table") for name, column in _read_columns(source).items()}
    if not columns:
        raise InputError("has no columns", "pass a row for each data set", argument="table")
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise InputError("has columns of different lengths", "pass one value for each data set", argument="table")
    numbers = {name: _convert_to_numbers(column) for name, column in columns.items()}
    if models is not None:
        models = list_names(models, "models")
        for name in models:
            if name not in columns:
                hint = hint_similar(name, columns)
                raise UnknownNameError(
                    f"holds {name!r}, which is not a column", "pass columns", argument="models", hint=hint
                )
            if numbers[name] is None:
                raise InputError(f"has text in the column {name}", "pass columns of numbers", argument="table")
    chosen = [name for name, column in numbers.items() if column is not None] if models is None else list(models)
    texts = [name for name in columns if numbers[name] is None]
    (rows,) = lengths
    datasets = [str(value) for value in columns[texts[0]]] if texts else [f"data set {i + 1}" for i in range(rows)]
    values = [column for name in chosen if (column := numbers[name]) is not None]
    for name, column in zip(chosen, values, strict=True):
        if (np.abs(column[np.isfinite(column)]) > _LARGEST).any():
            raise InputError(f"The column {name} has values beyond {_LARGEST:g}", "pass columns of a measure")
    return chosen, datasets, np.column_stack(values) if values else np.empty((rows, 0))


def _read_columns(source: column_source.Source) -> dict[str, Any]:
    return dict(source.read_columns({name: column_source.Request("id", name) for name in source.columns}))


def _convert_to_numbers(column: Array) -> Array | None:
    """Return the column as floats, missing values as NaN; None where it is text."""
    if column.dtype.kind in "iuf":
        return column.astype(float)
    if column.dtype.kind == "b":
        return None
    try:
        return np.array([math.nan if value is None or value == "" else float(value) for value in column.tolist()])
    except (TypeError, ValueError):
        return None
