"""measure(): a measure of your own, in a notebook, a module or a package, that works wherever cutline's do."""

from __future__ import annotations

import functools
import keyword
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter as Argument
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

import cutline
from cutline.comparison import Comparison
from cutline.core.counts import Counts
from cutline.core.errors import ParameterError
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.evaluation import Evaluation
from cutline.measures import Context, Family, Measure, Needs, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.check_measure import make_baseline_data, make_perfect_data
from cutline.measures.forms import Form
from cutline.measures.registry import Better, find_member
from cutline.measures.registry import measure as define

_CELLS = ("tp", "fp", "fn", "tn")
_NAMED = {"c": Needs.COUNTS, "counts": Needs.COUNTS, "r": Needs.RANKING, "ranking": Needs.RANKING}
_FAMILIES = {
    Needs.COUNTS: Family.CUT,
    Needs.RANKING: Family.RANKING,
    Needs.PROBABILITIES: Family.PROBABILITY,
    Needs.MARGINS: Family.RANKING,
}

Function = Callable[..., Any]
Undefined = Mapping[str, Function] | Iterable[UndefinedWhen] | UndefinedWhen


@public(kind="form")
def measure(
    *,
    name: str | None = None,
    title: str | None = None,
    range: tuple[float, float] = (-math.inf, math.inf),
    better: Better = "higher",
    needs: Needs | str | None = None,
    perfect: float | ReferenceValue | None = None,
    baseline: float | ReferenceValue | None = None,
    undefined: Undefined | None = None,
    parameters: Mapping[str, str | Parameter] | None = None,
    formula: str = "",
    source: str | Iterable[str] | Mapping[str, str] = (),
    blind_to: str = "",
    aliases: Iterable[str] = (),
    family: Family | str | None = None,
    vectorised: bool = True,
    scales: bool = True,
    concordant: bool = False,
    headline: bool = True,
    form: Form = None,
) -> Callable[[Function], Measure]:
    """Define a measure of your own; from then on it is one of `cutline.MEASURES`.

    Decorate a function of some of `tp`, `fp`, `fn` and `tn`, of `Counts`, or of a `Ranking`. Only that is required:
    every other fact has a default. Divide as you like: 0/0 is NaN, and the measure is undefined there.

    Args:
        name: what it is called; the function's name by default.
        title: the title in tables and charts; by default from the name.
        range: the lowest and the highest value that it can take.
        better: "higher", "lower", or None if neither is better.
        needs: "counts", "ranking", "probabilities" or "margins": what it is a function of. By default, what the
            names or the annotations of the function's arguments say.
        perfect: its value for a perfect model: a number or a `ReferenceValue`. By default, it is computed.
        baseline: its value for a score without information. By default, it is computed.
        undefined: when it has no value, in words, each with a function of what the measure is a function of. By
            default, where the definition gives NaN.
        parameters: its parameters besides, which are arguments of the function, each with its meaning in words, or
            with a `Parameter`, which also tells which values are allowed.
        formula: in LaTeX.
        source: where it comes from: keys of the bibliography or any words, with the places if it is a mapping.
        blind_to: what can go wrong without the measure showing it, in a sentence.
        aliases: other names.
        family: the question that it answers, such as "cut"; by default, what follows from `needs`.
        vectorised: whether the function takes arrays of tables, or stacks of rankings, at once, as the bootstrap and
            curves need. If not, it is called for each of them.
        scales: whether weights times a constant change nothing.
        concordant: whether it can only gain when a positive moves up past a negative.
        headline: whether it is shown in short tables too.
        form: its statistical form, such as `cutline.measures.Proportion`, for which there is a closed-form interval;
            without, the bootstrap gives one.

    >>> @measure(range=(-1, 1))
    ... def net_hits(tp, fp):
    ...     "Right flags less wrong flags, as a share of all flags."
    ...     return (tp - fp) / (tp + fp)
    >>> net_hits([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.1]), cutline.evaluate([1, 0], [0.2, 0.1]).reason("net_hits")
    (0.3333333333333333, 'the definition gives no number')
    >>> cutline.MEASURES.remove("net_hits")
    """
    open_facts = _OpenFacts(name, title, needs, perfect, baseline, undefined, parameters or {}, family, vectorised)
    facts = {
        "range": range,
        "better": better,
        "formula": formula,
        "source": source,
        "blind_to": blind_to,
        "aliases": tuple(aliases),
        "scales": scales,
        "concordant": concordant,
        "headline": headline,
        "form": form,
    }
    return lambda function: _define(function, open_facts, facts)


class _OpenFacts(NamedTuple):
    """The facts that the function itself gives by default."""

    name: str | None
    title: str | None
    needs: Needs | str | None
    perfect: float | ReferenceValue | None
    baseline: float | ReferenceValue | None
    undefined: Undefined | None
    parameters: Mapping[str, str | Parameter]
    family: Family | str | None
    vectorised: bool


def _define(function: Function, open_facts: _OpenFacts, facts: Mapping[str, Any]) -> Measure:
    """Return the measure of a function: the facts as they are given, the others as the function tells them."""
    name = open_facts.name or function.__name__
    _check_names((name, *facts["aliases"]))
    needs = _find_needs(name, function, open_facts.needs)
    own = _find_own_arguments(function)
    parameters = _declare_parameters(name, own, open_facts.parameters)
    computed = _as_definition(function, needs, vectorised=open_facts.vectorised)
    computed.__kwdefaults__ = {a.name: a.default for a in own.values() if a.default is not Argument.empty}
    by_default = Family.QUOTA if "quota" in parameters else _FAMILIES[needs]
    return define(
        name=name,
        title=open_facts.title or name.replace("_", " ").capitalize(),
        needs=needs,
        perfect=_derive_value(computed, needs, make_perfect_data) if open_facts.perfect is None else open_facts.perfect,
        baseline=_derive_value(computed, needs, make_baseline_data)
        if open_facts.baseline is None
        else open_facts.baseline,
        undefined=_make_conditions(computed, open_facts.undefined),
        parameters=parameters,
        family=find_member(Family, open_facts.family) if open_facts.family else by_default,
        own=True,
        **facts,
    )(computed)


# ---------------------------------------------------------------------- names and arguments


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
            raise ParameterError(
                f"A measure cannot be called {name!r}", "choose small letters, digits and _, such as my_measure"
            )
        if name in _list_used_names():
            raise ParameterError(f"A measure cannot be called {name!r}, which means something else", "choose another")


@functools.cache
def _list_used_names() -> set[str]:
    """Return the names that people use for something else: where measures are attributes, and in the package."""
    owners = (Evaluation, Comparison, Counts, Ranking)
    attributes = {name for owner in owners for name in (*vars(owner), *owner.__dataclass_fields__)}
    return {*vars(cutline)["__all__"], *attributes, "threshold", "quota", "share"}


def _list_arguments(function: Function) -> list[Argument]:
    return [a for a in signature(function).parameters.values() if a.kind is not Argument.VAR_KEYWORD]


def _find_data_arguments(function: Function) -> list[str]:
    """Return the arguments that the data are passed as: cells of the table, or the first one."""
    names = [a.name for a in _list_arguments(function)]
    return [name for name in names if name in _CELLS] or names[:1]


def _find_own_arguments(function: Function) -> dict[str, Argument]:
    """Return the arguments besides the data: the parameters of the measure."""
    data = _find_data_arguments(function)
    return {a.name: a for a in _list_arguments(function) if a.name not in data}


def _find_needs(name: str, function: Function, declared: Needs | str | None) -> Needs:
    if declared is not None:
        return find_member(Needs, declared)
    if set(_find_data_arguments(function)) & set(_CELLS):
        return Needs.COUNTS
    for first in _list_arguments(function)[:1]:
        annotation = getattr(first.annotation, "__name__", str(first.annotation)).rpartition(".")[2]
        needs = _NAMED.get(annotation.lower()) or _NAMED.get(first.name)
        if needs is not None:
            return needs
    raise ParameterError(
        f"{name} does not declare what it is a function of",
        "call its arguments tp, fp, fn and tn, annotate the first with Counts or Ranking, or pass needs='counts', "
        "'ranking', 'probabilities' or 'margins'",
    )


def _declare_parameters(
    name: str, own: Mapping[str, Argument], descriptions: Mapping[str, str | Parameter]
) -> dict[str, Parameter]:
    """Return the parameters of the function with their declarations."""
    unknown = [parameter for parameter in descriptions if parameter not in own]
    if unknown:
        raise ParameterError(
            f"parameters describes {unknown[0]!r}, which is not an argument of {name}", "leave it out, or add it there"
        )
    declared = {parameter: descriptions.get(parameter, parameter.replace("_", " ")) for parameter in own}
    return {
        parameter: words if isinstance(words, Parameter) else Parameter(words) for parameter, words in declared.items()
    }


# ---------------------------------------------------------------------- the function that is computed


def _as_definition(function: Function, needs: Needs, *, vectorised: bool) -> Function:
    """Return the definition as a function of what measures are computed from, which may divide as it likes."""
    data_of = _find_data_arguments(function)
    of_cells = needs is Needs.COUNTS and set(data_of) <= set(_CELLS)

    def compute_one(data: Any, parameters: Mapping[str, Any]) -> Any:
        data = _convert_to_floats(data)
        if of_cells:
            return function(**{cell: getattr(data, cell) for cell in data_of}, **parameters)
        return function(data, **parameters)

    @functools.wraps(function)
    def compute(data: Any, **parameters: Any) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return (
                compute_one(data, parameters)
                if vectorised
                else _apply_one_by_one(data, lambda single: compute_one(single, parameters))
            )

    return compute


def _convert_to_floats(data: Any) -> Any:
    """Return counts as numbers whose division by zero raises no error; symbols of a trace, and rankings, as they
    are.
    """
    if type(data) is not Counts:
        return data
    tp, fp, fn, tn = (np.asarray(getattr(data, cell), dtype=float)[()] for cell in _CELLS)
    return replace(data, tp=tp, fp=fp, fn=fn, tn=tn)


def _apply_one_by_one(data: Any, function: Callable[[Any], Any]) -> Any:
    """Return a function of one table, or of one ranking, over all of a stack."""
    if isinstance(data, Ranking):
        return np.array([function(single) for single in data.one_by_one()], dtype=float).reshape(data.pos.shape[:-1])[
            ()
        ]
    if not isinstance(data, Counts):
        return function(data)
    cells = np.broadcast_arrays(*(getattr(data, cell) for cell in _CELLS), data.threshold)
    rows = zip(*(cell.ravel() for cell in cells), strict=True)
    tables = (Counts(tp, fp, fn, tn, threshold, data.is_risk) for tp, fp, fn, tn, threshold in rows)
    return np.array([function(table) for table in tables], dtype=float).reshape(cells[0].shape)[()]


# ---------------------------------------------------------------------- facts that follow from the function


def _make_conditions(function: Function, declared: Any) -> tuple[UndefinedWhen, ...]:
    if declared is None:
        return (UndefinedWhen("the definition gives no number", lambda data, **p: np.isnan(function(data, **p))),)
    if isinstance(declared, UndefinedWhen):
        return (declared,)
    if isinstance(declared, Mapping):
        return tuple(UndefinedWhen(words, _ignore_others(holds)) for words, holds in declared.items())
    return tuple(declared)


def _select_parameters(function: Function, parameters: Mapping[str, Any]) -> dict[str, Any]:
    names = {a.name for a in _list_arguments(function)}
    return {name: value for name, value in parameters.items() if name in names}


def _ignore_others(holds: Function) -> Function:
    """Return a test that is given those parameters only that it takes."""
    return lambda data, **parameters: holds(data, **_select_parameters(holds, parameters))


def _derive_value(function: Function, needs: Needs, made: Callable[[Needs, Context], Any]) -> ReferenceValue:
    """Return a reference value that is computed from the data on first use."""
    return ReferenceValue(
        r"\text{computed from the definition}",
        lambda context, **parameters: function(made(needs, context), **parameters),
    )
