"""Definitions as data: what a measure computes, as a small program that any other language can run.

A definition is called once, on symbols instead of numbers. The symbols note what is done to them, and what comes out is
the definition as an expression, so that a page can evaluate a measure at any cut without stating its formula again.
Operations are numpy's and keep their names; as everywhere, 0/0 is NaN and x/0 is infinite. A definition that asks a
symbol for its value (`if c.tp > 3`, `math.log(c.tp)`) cannot be traced.

A measure of one cut is an expression of its counts, which are numbers. A measure of the ranking is one of its columns,
which have an entry for each distinct score: these can be cumulated, cut, added up and compared too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from cutline.core.array_ops import Symbol
from cutline.core.counts import Counts, TrustedCounts, divide
from cutline.core.errors import UnavailableError
from cutline.core.ranking import Ranking
from cutline.measures.forms import Proportion
from cutline.measures.metadata import Context
from cutline.measures.registry import MEASURES, Measure, Needs

# What a program may do, by the names of numpy's functions: whoever runs one has to know these.
OPERATIONS = frozenset((
    "add", "subtract", "multiply", "divide", "floor_divide", "negative", "absolute", "sign", "power", "square", "sqrt",
    "cbrt", "exp", "expm1", "log", "log2", "log10", "log1p", "floor", "ceil", "minimum", "maximum", "fmin", "fmax",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_not",
    "isnan", "isfinite", "isinf", "where", "hypot", "frexp_mantissa", "frexp_exponent", "ldexp",
))  # fmt: skip


def _compute_student_quantile(level: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return -float(stdtrit(freedom, (1 - level) / 2))


# What it may do with columns besides, which all operations above take entry by entry.
COLUMN_OPERATIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "dot": lambda a, b: np.einsum("i,i->", a, b),
    "cumulate": lambda a: np.concatenate(([0.0], np.cumsum(a))),  # from zero, so that it has one entry more
    "cumsum": np.cumsum,
    "diff": np.diff,
    "reverse": lambda a: a[::-1],
    "at": lambda a, place: a[int(place)],  # from the end if the place is negative
    "slice": lambda a, start, stop: a[int(start) : None if np.isinf(stop) else int(stop)],
    "student_quantile": _compute_student_quantile,
    "bincount": lambda places, weights, length: np.bincount(places.astype(int), weights, int(length)),
}


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
# Of a ranking; the scores are turned so that higher means more positive.
COLUMNS = ("score", "pos", "neg", "pos2", "neg2")


class UntraceableError(UnavailableError):
    """Raised by operations that have no expression."""


def _make_operator(name: str, *, turned: bool = False) -> Callable[..., Expression]:
    def method(self: Expression, *others: Any) -> Expression:
        return _make_node(name, *((*others, self) if turned else (self, *others)))

    return method


@dataclass(frozen=True, eq=False)
class Expression(Symbol):
    """A symbol (`input`), a number, or an operation on other expressions."""

    operation: str
    arguments: tuple[Any, ...]

    # What numpy asks of an array.
    ndim = 0
    shape: ClassVar[tuple[int, ...]] = ()
    dtype = np.dtype(float)

    __hash__ = object.__hash__
    __add__, __radd__ = _make_operator("add"), _make_operator("add", turned=True)
    __sub__, __rsub__ = _make_operator("subtract"), _make_operator("subtract", turned=True)
    __mul__, __rmul__ = _make_operator("multiply"), _make_operator("multiply", turned=True)
    __truediv__, __rtruediv__ = _make_operator("divide"), _make_operator("divide", turned=True)
    __floordiv__, __rfloordiv__ = _make_operator("floor_divide"), _make_operator("floor_divide", turned=True)
    __pow__, __rpow__ = _make_operator("power"), _make_operator("power", turned=True)
    __and__, __rand__ = _make_operator("logical_and"), _make_operator("logical_and", turned=True)
    __or__, __ror__ = _make_operator("logical_or"), _make_operator("logical_or", turned=True)
    __neg__, __abs__, __invert__ = _make_operator("negative"), _make_operator("absolute"), _make_operator("logical_not")
    __lt__, __le__ = _make_operator("less"), _make_operator("less_equal")
    __gt__, __ge__ = _make_operator("greater"), _make_operator("greater_equal")
    __eq__ = _make_operator("equal")
    __ne__ = _make_operator("not_equal")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        # Where a result is put and its type are the concern of arrays alone: whoever uses the result gets it.
        if method != "__call__" or set(options) - {"out", "dtype"}:
            raise UntraceableError(f"A traced definition cannot use {ufunc.__name__}.{method}.")
        if ufunc is np.frexp:
            return _make_node("frexp_mantissa", *inputs), _make_node("frexp_exponent", *inputs)
        return _make_node(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        known = _FUNCTIONS.get(function)
        if known is None:
            raise UntraceableError(f"A traced definition cannot use {function.__name__}.")
        return known(*arguments, **options)

    def __getitem__(self, index: Any) -> Expression:
        if index is not Ellipsis and index not in ((), (Ellipsis, None)):
            raise UntraceableError("A traced definition cannot take a part of its data.")
        return self  # the usual way from an array without axes to a number, or to one that goes with every entry

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise UntraceableError("A traced definition cannot turn its data into an array.")

    def __bool__(self) -> bool:
        raise UntraceableError("A traced definition cannot decide by a value: np.where does.")

    def __float__(self) -> float:
        raise UntraceableError("A traced definition cannot ask for a number: numpy's functions take what is given.")

    __int__ = __index__ = __float__

    def student_quantile(self, level: float) -> Expression:
        """Return Student's quantile of a level, this being the degrees of freedom."""
        return Expression("student_quantile", (_make_expression(level), self))


class Column(Expression):
    """A symbol that has a value at each distinct score, or at each cut."""

    ndim = 1
    shape = (1,)  # as of a short column: how many entries it has, a program learns when it runs
    size = 1

    def __getitem__(self, index: Any) -> Expression:
        if isinstance(index, tuple) and len(index) == 2 and index[0] is Ellipsis:
            index = index[1]
        if isinstance(index, int) or type(index) is Expression:
            return Expression("at", (self, _make_expression(index)))
        if index in (Ellipsis, ()):
            return self
        if index == slice(-1, None):
            return Expression("at", (self, _make_expression(-1)))  # a last entry that goes with every other
        if index == slice(None, None, -1):
            return Column("reverse", (self,))
        if isinstance(index, slice) and index.step is None:
            stop = math.inf if index.stop is None else index.stop
            return Column("slice", (self, _make_expression(index.start or 0), _make_expression(stop)))
        raise UntraceableError("A traced definition cannot choose among its data.")

    def cumulate(self) -> Column:
        """Return the running totals from zero."""
        return Column("cumulate", (self,))

    def sum(self, axis: int = -1) -> Expression:  # noqa: ARG002 - a column has one
        """Return the sum of all entries."""
        return Expression("sum", (self,))

    def max(self, axis: int = -1) -> Expression:  # noqa: ARG002 - a column has one
        """Return the largest entry."""
        return Expression("max", (self,))

    def min(self, axis: int = -1) -> Expression:  # noqa: ARG002 - a column has one
        """Return the smallest entry."""
        return Expression("min", (self,))

    def astype(self, dtype: Any, copy: bool = True) -> Column:  # noqa: ARG002 - nothing is stored
        """Return the column itself, which holds floats."""
        if np.dtype(dtype).kind != "f":
            raise UntraceableError("A traced definition cannot turn its data into whole numbers.")
        return self


def _clip(value: Any, low: Any = None, high: Any = None) -> Any:
    value = value if low is None else _make_node("maximum", value, low)
    return value if high is None else _make_node("minimum", value, high)


def _trace_dot(how: str, *columns: Any) -> Expression:
    if how != "...i,...i->..." or not all(isinstance(column, Column) for column in columns):
        raise UntraceableError("A traced definition cannot use einsum but for the sum of products.")
    return Expression("dot", columns)


def _make_column_operation(name: str, node_type: type[Expression] = Expression) -> Callable[..., Expression]:
    def apply(column: Any, axis: int = -1) -> Expression:  # noqa: ARG001 - a column has one
        if not isinstance(column, Column):
            raise UntraceableError(f"A traced definition cannot use {name} of a number.")
        return node_type(name, (column,))

    return apply


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: lambda condition, yes, no: _make_node("where", condition, yes, no),
    np.clip: _clip,
    np.shape: lambda value: value.shape,
    np.ndim: lambda value: value.ndim,
    np.einsum: _trace_dot,
    np.sum: _make_column_operation("sum"),
    np.max: _make_column_operation("max"),
    np.min: _make_column_operation("min"),
    np.diff: _make_column_operation("diff", Column),
    np.cumsum: _make_column_operation("cumsum", Column),
    np.bincount: lambda places, weights, minlength: Column("bincount", (places, weights, _make_expression(minlength))),
    np.zeros_like: lambda value, dtype=None: _make_expression(0.0),
    np.ones_like: lambda value, dtype=None: _make_expression(1.0),
    np.nan_to_num: lambda value: _make_node("where", _make_node("isnan", value), 0.0, value),
}


def _make_node(name: str, *arguments: Any) -> Expression:
    name = _SAME.get(name, name)
    if name not in OPERATIONS:
        raise UntraceableError(f"A traced definition cannot use {name}.")
    nodes = tuple(map(_make_expression, arguments))
    if name == "multiply" and nodes[1].operation == "number" and nodes[1].arguments[0] == 1:
        return nodes[0]  # how counts are made floats, as symbols are
    node_type = Column if Column in map(type, nodes) else Expression
    return node_type(name, nodes)


def _make_expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    if np.ndim(value) or not isinstance(value, int | float | np.number | np.bool_ | np.ndarray):
        raise UntraceableError(f"A traced definition cannot use {value!r:.40}: only numbers and what is given.")
    return Expression("number", (float(value),))


def make_symbol(name: str) -> Expression:
    """Make the symbol of an input of the program."""
    return Expression("input", (name,))


def make_column(name: str) -> Column:
    """Make the symbol of a column that is an input of the program."""
    return Column("input", (name,))


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
    """Return the definition of a measure of one cut as expressions; None when it cannot be traced.

    Args:
        measure: The measure, of which parameters may be bound.
        adjustable: Names of parameters that stay inputs of the program, where the measure has them and leaves them
            open; `Traced.parameters` has these inputs, such as `expected_cost.cost_fp`, with their defaults.
    """
    if measure.needs is not Needs.COUNTS:
        return None
    bound = {name: value for name, value in measure.defaults.items() if name in measure.parameters}
    names = {name: f"{measure.name}.{name}" for name in adjustable if name in bound and name not in measure.bound}
    free = {names[name]: float(bound[name]) for name in names}
    parameters = bound | {name: make_symbol(names[name]) for name in names}
    inputs: list[Any] = [make_symbol(name) for name in INPUTS]
    counts = _Symbols(*inputs)
    value = _attempt(lambda: measure.function(counts, **parameters))
    undefined = _attempt_all([(c.words, c.holds, counts, parameters) for c in measure.undefined])
    if value is None or undefined is None or not _agrees(measure, value, free):
        return None
    form = measure.form
    share = then = None
    if isinstance(form, Proportion):
        share = _attempt_share(form, counts)
        then = None if form.then is float else _attempt(lambda: form.then(make_symbol("share")))
        if share is None or (form.then is not float and then is None):
            return None
    n = counts.total
    context = Context(divide(counts.positives, n), divide(counts.flagged, n), n, counts.threshold)
    baseline = _attempt(lambda: measure.baseline.function(context, **parameters))
    return Traced(value, baseline, undefined, share, then, free)


class _SymbolicRanking(Ranking):
    """The ranking of any cases: its columns are symbols, and what follows from them are expressions."""

    def __post_init__(self) -> None:
        """Check nothing, as `Ranking` does: it is valid by construction."""

    @property
    def integral(self) -> bool:
        """Whether the weights are whole numbers; what supposes nothing of them holds for these too."""
        return False

    @property
    def are_probabilities(self) -> bool:
        """Whether the scores are probabilities: whoever runs the program of such a measure has seen to that."""
        return True


class _SymbolicCounts(_SymbolicRanking):
    """The ranking of cases that count one each, or a whole number."""

    @property
    def integral(self) -> bool:
        """Whether the weights are whole numbers."""
        return True


def make_symbolic_ranking(*, integral: bool = False) -> Ranking:
    """Return a ranking of symbols, which definitions and intervals can be traced on.

    Args:
        integral: Whether its weights are whole numbers, where a definition distinguishes these.
    """
    return (_SymbolicCounts if integral else _SymbolicRanking)(*(make_column(name) for name in COLUMNS))


@lru_cache(maxsize=1024)
def trace_ranking(measure: Measure) -> Traced | None:
    """Return the definition of a measure of the ranking as expressions of its columns; None if it cannot be traced.

    Args:
        measure: The measure, whose parameters have their defaults or are bound.
    """
    if measure.needs not in (Needs.RANKING, Needs.PROBABILITIES):
        return None
    parameters = {name: value for name, value in measure.defaults.items() if name in measure.parameters}
    ranking = make_symbolic_ranking()
    value = _attempt(lambda: measure.function(ranking, **parameters))
    undefined = _attempt_all([(c.words, c.holds, ranking, parameters) for c in measure.undefined])
    if value is None or undefined is None or not _agrees_on_rankings(measure, value):
        return None
    n = ranking.total
    context = Context(divide(ranking.positives, n), math.nan, n, math.nan)
    baseline = _attempt(lambda: measure.baseline.function(context, **parameters))
    return Traced(value, baseline, undefined)


def list_columns(r: Ranking) -> dict[str, Any]:
    """Return the columns that the program of a measure of the ranking reads."""
    second = (r.pos, r.neg) if r.integral else (r.pos2, r.neg2)  # whole weights are that many cases
    columns = (r.key, r.pos, r.neg, *second)
    return {name: np.asarray(cells, dtype=float) for name, cells in zip(COLUMNS, columns, strict=True)}


def _agrees_on_rankings(measure: Measure, value: Expression) -> bool:
    """Whether expression and definition agree on some rankings."""
    program = Program()
    place = program.add(value)
    try:
        with np.errstate(all="ignore"):
            return all(
                np.allclose(
                    measure.compute(r), program.run(list_columns(r))[place], rtol=1e-12, atol=1e-12, equal_nan=True
                )
                for r in _make_example_rankings()
            )
    except Exception:
        return False


@cache
def _make_example_rankings() -> tuple[Ranking, ...]:
    """Return rankings with ties, with weights, of one class, and of a single case."""
    random = np.random.default_rng(0)
    tables = [random.integers(0, 4, (2, 12)) + 1, random.integers(0, 2, (2, 30)), np.array([[3, 1, 2], [0, 0, 0]])]
    tables += [np.array([[0, 0], [1, 4]]), np.array([[1], [0]]), np.array([[5, 0, 0], [0, 2, 9]])]
    rankings = []
    for pos, neg in tables:
        some = pos + neg > 0
        scores = np.linspace(1, 0, some.sum())
        whole = Ranking.of_counts(scores, pos[some], neg[some])
        weighted = [cells * (random.random(some.sum()) + 0.5) for cells in (pos[some], neg[some])]
        squared = [cells * random.random(some.sum()) for cells in weighted]
        rankings += [whole, Ranking(scores, *weighted, *squared)]
    return tuple(rankings)


def trace_function(function: Callable[..., Any], *names: str) -> tuple[Expression, ...]:
    """Return the numbers that a function of some inputs returns, as expressions of them."""
    return tuple(_make_expression(part) for part in function(*(make_symbol(name) for name in names)))


def _attempt(make: Callable[[], Any]) -> Expression | None:
    """Evaluate a definition with symbols; return None if it raises, as it cannot be traced then."""
    try:
        return _make_expression(make())
    except Exception:
        return None


def _agrees(measure: Measure, value: Expression, free: Mapping[str, float]) -> bool:
    """Whether expression and definition agree on some tables; they may not if the definition catches exceptions."""
    cells = np.array(list(itertools.product((0.0, 3.0, 40.0), repeat=4))).T
    tp, fp, fn, tn = cells
    counts = Counts(tp, fp, fn, tn, np.float64(0.3))
    program = Program()
    place = program.add(value)
    try:
        with np.errstate(all="ignore"):
            expected = measure.compute(counts)
            computed = program.run(dict(zip(INPUTS, (*cells, 0.3, True), strict=True)) | dict(free))[place]
            return bool(np.allclose(expected, computed, rtol=1e-12, atol=1e-12, equal_nan=True))
    except Exception:
        return False


def _attempt_all(conditions: Any) -> tuple[tuple[str, Expression], ...] | None:
    traced = []
    for words, holds, c, p in conditions:
        expression = _attempt(partial(holds, c, **p))
        if expression is None:
            return None
        traced.append((words, expression))
    return tuple(traced)


def _attempt_share(form: Proportion, counts: Any) -> tuple[Expression, Expression] | None:
    numerator, denominator = _attempt(lambda: form.of(counts)[0]), _attempt(lambda: form.of(counts)[1])
    return None if numerator is None or denominator is None else (numerator, denominator)


# ---------------------------------------------------------------------- programs


class Program:
    """Expressions as steps without repetition, such as `["divide", 0, 4]`.

    The first entry of a step is its operation, `input` (with a name) or `number`; the others are the positions of its
    operands among the earlier steps.

    >>> program = Program()
    >>> program.add(make_symbol("tp") / (make_symbol("tp") + make_symbol("fp")))
    3
    >>> program.steps
    [['input', 'tp'], ['input', 'fp'], ['add', 0, 1], ['divide', 0, 2]]
    """

    def __init__(self) -> None:
        self.steps: list[list[Any]] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._added: dict[int, tuple[Expression, int]] = {}  # by identity: an expression is used many times

    def add(self, expression: Expression) -> int:
        """Return the position of the step that computes the expression, adding it if needed."""
        if id(expression) in self._added:
            return self._added[id(expression)][1]
        if expression.operation == "number":
            step: tuple[Any, ...] = ("number", _spell_number(expression.arguments[0]))
        elif expression.operation == "input":
            step = ("input", expression.arguments[0])
        else:
            step = (expression.operation, *map(self.add, expression.arguments))
        if step not in self._places:
            self._places[step] = len(self.steps)
            self.steps.append(list(step))
        self._added[id(expression)] = (expression, self._places[step])
        return self._places[step]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """Return the result of every step, over arrays too."""
        registers: list[Any] = []
        for operation, *arguments in self.steps:
            if operation == "number":
                registers.append(np.float64(arguments[0]))
            elif operation == "input":
                registers.append(inputs[arguments[0]])
            elif operation.startswith("frexp"):
                registers.append(np.frexp(registers[arguments[0]])[operation == "frexp_exponent"])
            elif operation in COLUMN_OPERATIONS:
                registers.append(COLUMN_OPERATIONS[operation](*(registers[place] for place in arguments)))
            else:
                registers.append(getattr(np, operation)(*(registers[place] for place in arguments)))
        return registers


def _spell_number(number: float) -> float | str:
    """Convert a number to JSON."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
