"""Definitions as data: what a measure of one cut computes, as a small program that any other language can run.

A definition is called once, on symbols instead of numbers. The symbols note what is done to them, and what comes out is
the definition as an expression, so that a page can evaluate a measure at any cut without stating its formula again.
Operations are numpy's and keep their names; as everywhere, 0/0 is NaN and x/0 is infinite. A definition that asks a
symbol for its value (`if c.tp > 3`, `math.log(c.tp)`) cannot be traced.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from cutline.core.counts import Counts, TrustedCounts, divide
from cutline.core.errors import UnavailableError
from cutline.measures.kinds import Proportion
from cutline.measures.metadata import Context
from cutline.measures.registry import MEASURES, Measure, Needs

# What a program may do, by the names of numpy's functions: whoever runs one has to know these.
OPERATIONS = frozenset((
    "add", "subtract", "multiply", "divide", "negative", "absolute", "sign", "power", "square", "sqrt", "cbrt",
    "exp", "expm1", "log", "log2", "log10", "log1p", "floor", "ceil", "minimum", "maximum", "fmin", "fmax",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_not",
    "isnan", "isfinite", "isinf", "where", "frexp_mantissa", "frexp_exponent", "ldexp",
))  # fmt: skip
_SAME = {
    "true_divide": "divide",
    "abs": "absolute",
    "pow": "power",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "invert": "logical_not",
    "bitwise_invert": "logical_not",
}
INPUTS = ("tp", "fp", "fn", "tn", "threshold", "is_risk")


class UntraceableError(UnavailableError):
    """A definition does with its data what an expression cannot say."""


def _operator(name: str, *, turned: bool = False) -> Callable[..., Expression]:
    def method(self: Expression, *others: Any) -> Expression:
        return _node(name, *((*others, self) if turned else (self, *others)))

    return method


@dataclass(frozen=True, eq=False)
class Expression:
    """A symbol (`input`), a number, or an operation on other expressions."""

    operation: str
    arguments: tuple[Any, ...]

    # What numpy asks of an array.
    ndim = 0
    shape = ()
    dtype = np.dtype(float)

    __hash__ = object.__hash__
    __add__, __radd__ = _operator("add"), _operator("add", turned=True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", turned=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", turned=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", turned=True)
    __pow__, __rpow__ = _operator("power"), _operator("power", turned=True)
    __and__, __rand__ = _operator("logical_and"), _operator("logical_and", turned=True)
    __or__, __ror__ = _operator("logical_or"), _operator("logical_or", turned=True)
    __neg__, __abs__, __invert__ = _operator("negative"), _operator("absolute"), _operator("logical_not")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__ = _operator("equal")  # type: ignore[assignment]
    __ne__ = _operator("not_equal")  # type: ignore[assignment]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            raise UntraceableError(f"A traced definition cannot use {ufunc.__name__}.{method}.")
        if ufunc is np.frexp:
            return _node("frexp_mantissa", *inputs), _node("frexp_exponent", *inputs)
        return _node(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        known = _FUNCTIONS.get(function)
        if known is None:
            raise UntraceableError(f"A traced definition cannot use {function.__name__}.")
        return known(*arguments, **options)

    def __getitem__(self, index: Any) -> Expression:
        if index not in ((), Ellipsis):
            raise UntraceableError("A traced definition cannot take a part of its data.")
        return self  # the usual way from an array without axes to a number

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise UntraceableError("A traced definition cannot turn its data into an array.")

    def __bool__(self) -> bool:
        raise UntraceableError("A traced definition cannot decide by a value: np.where does.")

    def __float__(self) -> float:
        raise UntraceableError("A traced definition cannot ask for a number: numpy's functions take what is given.")

    __int__ = __index__ = __float__


def _clip(value: Any, low: Any = None, high: Any = None) -> Any:
    value = value if low is None else _node("maximum", value, low)
    return value if high is None else _node("minimum", value, high)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: lambda condition, yes, no: _node("where", condition, yes, no),
    np.clip: _clip,
    np.shape: lambda _: (),
    np.ndim: lambda _: 0,
}


def _node(name: str, *arguments: Any) -> Expression:
    name = _SAME.get(name, name)
    if name not in OPERATIONS:
        raise UntraceableError(f"A traced definition cannot use {name}.")
    nodes = tuple(_expression(argument) for argument in arguments)
    if name == "multiply" and nodes[1].operation == "number" and nodes[1].arguments[0] == 1:
        return nodes[0]  # how counts are made floats, as symbols are
    return Expression(name, nodes)


def _expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    if np.ndim(value) or not isinstance(value, int | float | np.number | np.bool_ | np.ndarray):
        raise UntraceableError(f"A traced definition cannot use {value!r:.40}: only numbers and what is given.")
    return Expression("number", (float(value),))


def symbol(name: str) -> Expression:
    """A quantity that is known when the program runs."""
    return Expression("input", (name,))


# ---------------------------------------------------------------------- definitions


class _Symbols(TrustedCounts):
    """The counts of any cut. Other measures of it (`c.recall`) are traced in their turn."""

    def __getattr__(self, name: str) -> Any:
        is_measure = not name.startswith("_") and name in MEASURES and MEASURES[name].needs is Needs.COUNTS
        return MEASURES[name].compute(self) if is_measure else super().__getattr__(name)  # type: ignore[misc]


@dataclass(frozen=True)
class Traced:
    """A measure of one cut as expressions of its counts.

    `undefined` holds, for each condition in which the measure has no value, its words and when it holds. `share` is
    what the interval of a proportion needs: how many cases, of how many; and `then`, of the input `share`, what becomes
    of it, if it is not the measure itself.
    """

    value: Expression
    baseline: Expression | None
    undefined: tuple[tuple[str, Expression], ...]
    share: tuple[Expression, Expression] | None = None
    then: Expression | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)


@lru_cache(maxsize=1024)
def trace(measure: Measure, adjustable: tuple[str, ...] = ()) -> Traced | None:
    """The definition of a measure of one cut as expressions; None when it cannot be traced.

    Args:
        measure: The measure, of which parameters may be bound.
        adjustable: Names of parameters that stay inputs of the program, where the measure has them and leaves them
            open; `Traced.parameters` has these inputs, such as `expected_cost.cost_fp`, with their defaults.
    """
    if measure.needs is not Needs.COUNTS:
        return None
    given = {name: value for name, value in measure.defaults.items() if name in measure.parameters}
    names = {name: f"{measure.name}.{name}" for name in adjustable if name in given and name not in measure.bound}
    free = {names[name]: float(given[name]) for name in names}
    parameters = given | {name: symbol(names[name]) for name in names}
    inputs: list[Any] = [symbol(name) for name in INPUTS]
    counts = _Symbols(*inputs)
    value = _attempt(lambda: measure.function(counts, **parameters))
    undefined = _attempt_all([(c.words, c.holds, counts, parameters) for c in measure.undefined])
    if value is None or undefined is None or not _agrees(measure, value, free):
        return None
    kind = measure.kind
    share = then = None
    if isinstance(kind, Proportion):
        share = _attempt_share(kind, counts)
        then = None if kind.then is float else _attempt(lambda: kind.then(symbol("share")))
        if share is None or (kind.then is not float and then is None):
            return None
    n = counts.total
    context = Context(divide(counts.positives, n), divide(counts.flagged, n), n, counts.threshold)
    baseline = _attempt(lambda: measure.baseline.function(context, **parameters))
    return Traced(value, baseline, undefined, share, then, free)


def traced(function: Callable[..., Any], *names: str) -> tuple[Expression, ...]:
    """The numbers that a function of some inputs returns, as expressions of them."""
    return tuple(_expression(part) for part in function(*(symbol(name) for name in names)))


def _attempt(make: Callable[[], Any]) -> Expression | None:
    """What a definition gives for symbols. Whatever goes wrong in somebody's definition, it just cannot be traced."""
    try:
        return _expression(make())
    except Exception:
        return None


def _agrees(measure: Measure, value: Expression, free: Mapping[str, float]) -> bool:
    """Whether the expression gives what the definition does on some tables: a definition may catch our refusal."""
    cells = np.array(list(itertools.product((0.0, 3.0, 40.0), repeat=4))).T
    tp, fp, fn, tn = cells
    counts = Counts(tp, fp, fn, tn, np.float64(0.3))
    program = Program()
    place = program.add(value)
    try:
        with np.errstate(all="ignore"):
            expected = measure.compute(counts)
            found = program.run(dict(zip(INPUTS, (*cells, 0.3, True), strict=True)) | dict(free))[place]
            return bool(np.allclose(expected, found, rtol=1e-12, atol=1e-12, equal_nan=True))
    except Exception:
        return False


def _attempt_all(conditions: Any) -> tuple[tuple[str, Expression], ...] | None:
    found = [
        (words, _attempt(lambda holds=holds, c=c, p=p: holds(c, **p)))  # type: ignore[misc]
        for words, holds, c, p in conditions
    ]
    return None if any(holds is None for _, holds in found) else tuple(found)  # type: ignore[arg-type]


def _attempt_share(kind: Proportion, counts: Any) -> tuple[Expression, Expression] | None:
    some, every = (_attempt(lambda i=i: kind.of(counts)[i]) for i in (0, 1))  # type: ignore[misc]
    return None if some is None or every is None else (some, every)


# ---------------------------------------------------------------------- programs


class Program:
    """Expressions as steps, each of which stands once and uses earlier ones: `["divide", 0, 4]`.

    The first entry of a step is its operation, `input` (of a name) or `number`; the others are the places of the steps
    it works on.

    >>> program = Program()
    >>> program.add(symbol("tp") / (symbol("tp") + symbol("fp")))
    3
    >>> program.steps
    [['input', 'tp'], ['input', 'fp'], ['add', 0, 1], ['divide', 0, 2]]
    """

    def __init__(self) -> None:
        self.steps: list[list[Any]] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._added: dict[int, tuple[Expression, int]] = {}  # by identity: an expression is used many times

    def add(self, expression: Expression) -> int:
        """The place of the step whose result is that of the expression."""
        if id(expression) in self._added:
            return self._added[id(expression)][1]
        if expression.operation == "number":
            step: tuple[Any, ...] = ("number", _spelled(expression.arguments[0]))
        elif expression.operation == "input":
            step = ("input", expression.arguments[0])
        else:
            step = (expression.operation, *(self.add(argument) for argument in expression.arguments))
        if step not in self._places:
            self._places[step] = len(self.steps)
            self.steps.append(list(step))
        self._added[id(expression)] = (expression, self._places[step])
        return self._places[step]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The result of every step, over arrays too."""
        found: list[Any] = []
        for operation, *arguments in self.steps:
            if operation == "number":
                found.append(np.float64(arguments[0]))
            elif operation == "input":
                found.append(inputs[arguments[0]])
            elif operation.startswith("frexp"):
                found.append(np.frexp(found[arguments[0]])[operation == "frexp_exponent"])
            else:
                found.append(getattr(np, operation)(*(found[place] for place in arguments)))
        return found


def _spelled(number: float) -> float | str:
    """A number as JSON can hold it."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
