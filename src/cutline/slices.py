"""evaluate(by=...): the evaluation of each slice of the cases, such as each site, and one table of all."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.errors import InputError, ParameterError, UnknownNameError, near
from cutline.core.merging import merge
from cutline.core.messages import Argument, Text
from cutline.core.table import Table
from cutline.evaluation import Evaluation
from cutline.inputs import column_source, out_of_core
from cutline.inputs.rank import rank
from cutline.results.measure_selection import Named, headlines
from cutline.results.summary import Summary

MOST = 1000  # slices
COLUMNS = ("measure", "value", "low", "high", "method", "reason", "note", "at_least", "at_most")


@dataclass(frozen=True, eq=False)
class Slices(Mapping[Any, Evaluation]):
    """The evaluations of slices by the value that the cases of each have in common."""

    evaluations: Mapping[Any, Evaluation]
    by: str

    def __getitem__(self, value: Any) -> Evaluation:
        try:
            return self.evaluations[value]
        except KeyError:
            known = ", ".join(map(repr, list(self)[:8]))
            hint = near(value, map(str, self))
            raise UnknownNameError(f"There is no slice {value!r} of {self.by} among {known}.{hint}") from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @cached_property
    def together(self) -> Evaluation:
        """The evaluation of all slices together: their rankings add up."""
        first = next(iter(self.values()))
        cut = first.cut
        how: dict[str, Any] = {} if cut.is_default else cut.parameters
        return Evaluation(merge(one.ranking for one in self.values()), name=first.name, **how)

    def summary(self, measures: Iterable[Named] | Named | None = None, **options: Any) -> Table:
        """One table of all slices, a row for each slice and measure.

        Args:
            measures: Which ones, as in `Evaluation.summary`; the headlines when None.
            options: What `Evaluation.summary` takes, such as `level` or `resamples`.
        """
        return common_table(
            self.by,
            {
                value: one.summary(headlines(one.cut) if measures is None else measures, **options)
                for value, one in self.items()
            },
        )

    @property
    def _table(self) -> Table:
        """The headlines side by side."""
        shown = headlines()
        rows = []
        for value, one in self.items():
            r = one.ranking
            fitting = [one.value(m) if m.fits(r) else None for m in shown]
            rows.append((value, r.total.item(), r.positives.item(), *fitting))
        return Table((self.by, "cases", "positives", *(m.name for m in shown)), tuple(rows))

    def __repr__(self) -> str:
        return f"{validation.counted(len(self), 'slice')} by {self.by}\n{self._table!r}\nmore: .summary()"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(f'{len(self)} slices by {self.by}')}</p>{self._table._repr_html_()}"


def common_table(by: str, summaries: Mapping[Any, Summary]) -> Table:
    """The numbers of all slices, a row for each slice and measure."""
    rows: list[tuple[Any, ...]] = []
    for value, one in summaries.items():
        facts = (value, one.data.cases, one.data.positives)
        rows += [(*facts, *(row[name] for name in COLUMNS)) for row in one]
    return Table((by, "cases", "positives", *COLUMNS), tuple(rows), hidden=("method", "note"))


def evaluate_slices(
    labels: Any, scores: Any, weights: Any, by: Any, *, data: Any, how: Mapping[str, Any], cut: Mapping[str, Any]
) -> Slices:
    """The evaluation of each slice; `by` holds the value of each case, or with `data` names the column that does.

    Args:
        labels: As in `evaluate`.
        scores: As in `evaluate`.
        weights: As in `evaluate`.
        by: The values, or the name of their column.
        data: As in `evaluate`.
        how: The options of `evaluate` that say how the columns are read.
        cut: Those that say where to cut.
    """
    if data is None:
        found = {"labels": labels, "scores": scores, "weights": weights, "by": by}
        rankings = _of_rows({key: value for key, value in found.items() if value is not None}, how)
        return _slices(rankings, "slice", cut)
    if not isinstance(by, str):
        raise ParameterError(f"is a {type(by).__name__}", "with data, pass the name of a column", argument="by")
    asked = column_source.asked_of(labels, scores, weights, positive=how.get("positive"))
    source = column_source.opened(data, memory=how.get("memory"))
    column_source.check(source, {**asked, "by": column_source.Ask("groups", by)})
    engine = source.engine(asked)
    if engine is not None and out_of_core.is_large(engine):
        return _slices(_one_by_one(source, (labels, scores, weights), by, how), by, cut)
    with column_source.reading(source, {**asked, "by": column_source.Ask("groups", by)}, any_order=True) as rows:
        return _slices(_of_rows(rows, how), by, cut)


def _slices(rankings: Mapping[Any, Any], by: str, cut: Mapping[str, Any]) -> Slices:
    return Slices({value: Evaluation(ranking, **cut) for value, ranking in rankings.items()}, by)


def _of_rows(found: Mapping[str, Any], how: Mapping[str, Any]) -> dict[Any, Any]:
    """The rankings of slices whose rows are here."""
    rest: dict[str, Any] = {key: validation.column(value, key) for key, value in found.items() if key != "by"}
    by = validation.column(found["by"], "by")
    for name, column in {**rest, "by": by}.items():
        if len(column) != len(rest["labels"]):
            found_many = f"has {len(column)} values but labels has {len(rest['labels'])}"
            raise InputError(found_many, "pass one for each label", argument=name)
    absent = validation.missing_mask(by)
    if absent is not None and absent.any():
        if how.get("missing") != "drop":
            raise validation.missing_error("by", absent, None)
        by, rest = by[~absent], {key: value[~absent] for key, value in rest.items()}
    values, code = np.unique(_as_keys(by), return_inverse=True)
    _check_few(len(values))
    order = np.argsort(code, kind="stable")
    ends = np.searchsorted(code[order], np.arange(len(values) + 1))
    options: dict[str, Any] = {key: value for key, value in how.items() if key not in ("exact", "memory")}
    return {
        value: rank(**({key: column[order[start:end]] for key, column in rest.items()} | options))
        for value, start, end in zip(values.tolist(), ends[:-1], ends[1:], strict=True)
    }


def _one_by_one(source: Any, named: tuple[Any, Any, Any], by: str, how: Mapping[str, Any]) -> dict[Any, Any]:
    """The rankings of slices of data that are too many to collect, aggregated one after the other."""
    asked = {"by": column_source.Ask("groups", by), "text": column_source.Ask("groups", by, as_text=True)}
    found, _ = source.grouped(asked)
    values, texts = (validation.column(found[name], "by") for name in asked)
    absent = validation.missing_mask(values)
    if absent is not None and absent.any():
        if how.get("missing") != "drop":
            raise InputError("holds missing values", "fill them, or pass missing='drop'", argument="by")
        values, texts = values[~absent], texts[~absent]
    _check_few(len(values))
    keys = _as_keys(values)
    order = np.argsort(keys, kind="stable")
    return {
        key: rank(*named, data=source.restricted(by, text), **how)
        for key, text in zip(keys[order].tolist(), texts[order].tolist(), strict=True)
    }


def _as_keys(values: np.ndarray) -> np.ndarray:
    """The values by which slices are found: objects as text, and times that are all at midnight as dates."""
    if values.dtype.kind == "O":
        return values.astype(str)
    if values.dtype.kind == "M":
        dates = values.astype("datetime64[D]")
        return dates if np.array_equal(dates, values) else values
    return values


def _check_few(count: int) -> None:
    if count > MOST:
        found = f"has {count:,} different values, more than {MOST:,} slices"
        way_out = Text("pass a column with fewer, or ", Argument("groups"), " for cases that belong together")
        raise InputError(found, way_out, argument="by")
