"""Vega-Lite specifications as plain dictionaries, written with the names of Altair.

A page draws two dozen charts, and Altair copies and checks every part of each whenever it is touched, which took most
of a page's time. Here a part is a dictionary. The few names that charts use mean the same as in Altair, and a finished
chart becomes one of Altair's on demand (`Picture.altair`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking

DIGITS = 6
_EXACT = 22  # powers of ten up to this one are exact
WHOLE = 2**53  # up to here every whole number is a float


def digits(values: Any) -> int:
    """Return how many digits tell values apart to 1e-5 of their range: more than six for large ones close together.

    Of a value alone, to 1e-5 of one.

    >>> digits([0.0, 0.25, 1.0]), digits([1e9, 1e9 + 10]), digits([0.7]), digits([123456.789])
    (6, 14, 6, 11)
    """
    column = np.asarray(values)
    if column.dtype.kind not in "iuf":
        return DIGITS
    finite = column[np.isfinite(column)].astype(float)
    largest = float(np.abs(finite).max(initial=0.0))
    if not largest:
        return DIGITS
    spread = float(np.ptp(finite / largest))  # as a share of the largest: a difference may overflow
    more = -math.log10(spread) if spread else math.log10(largest)
    return min(DIGITS + max(0, math.floor(more)), 17)


def plain(value: Any, digits: int = DIGITS) -> Any:
    """Round a value for the data of a chart; whole numbers become integers, non-finite ones None."""
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < WHOLE else float(f"{number:.{digits}g}")


def plain_column(column: Any) -> list[Any]:
    """Return a column for the data of a chart, in as few digits as tell its values apart.

    >>> plain_column([0.1234567, 2.0, float("nan")]), plain_column([1.0, 2.0]), plain_column(["a"])
    ([0.123457, 2.0, None], [1, 2], ['a'])
    """
    values = np.asarray(column)
    if values.dtype.kind not in "iuf":
        return [plain(value) for value in column]
    enough, numbers = digits(values), values.astype(float)
    if len(numbers) and np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all():
        whole_numbers: list[Any] = (numbers.astype(np.int64) if np.abs(numbers).max() < WHOLE else numbers).tolist()
        return whole_numbers
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = enough - 1 - np.floor(np.log10(np.abs(numbers)))
    # Powers of ten beyond these are no exact numbers, and would leave digits that nobody wrote.
    if not (np.abs(places[np.isfinite(places)]) <= _EXACT).all():
        return [plain(value, enough) for value in numbers.tolist()]
    places = np.where(np.isfinite(places), places, 0.0)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    rounded = np.round(numbers * up / down) / up * down
    whole = np.abs(numbers) < WHOLE
    column_values: list[Any] = np.where((numbers == np.floor(numbers)) & whole, numbers, rounded).tolist()
    if np.isfinite(numbers).all():
        return column_values
    return [value if math.isfinite(value) else None for value in column_values]


def score_text(ranking: Ranking, score: float, fewer: int = 0) -> str:
    """Return a score or threshold in words, with the digits that tell the scores of a ranking apart.

    >>> from cutline import rank
    >>> score_text(rank([1, 0], [0.25, 0.75]), 0.5), score_text(rank([1, 0], [1e9, 1e9 + 40]), 1e9 + 5)
    ('0.5', '1000000005')
    """
    return f"{score:.{digits(ranking.score) - fewer}g}"


def rule_text(ranking: Ranking, threshold: float) -> str:
    """Return the rule that flags a case at a threshold, in words."""
    return f"score {'≥' if ranking.higher_is_positive else '≤'} {score_text(ranking, threshold)}"


SCHEMA_VERSION = "v6.4.1"
SCHEMA_URL = f"https://vega.github.io/schema/vega-lite/{SCHEMA_VERSION}.json"
SEPARATOR = "-"  # between the name of rows and the number that only these rows have
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
_SECOND = ("x2", "y2")  # the far ends of marks, which have the type of the near ones


class _Undefined:
    """What was not given."""

    def __bool__(self) -> bool:
        return False


Undefined: Any = _Undefined()


class Part(dict[str, Any]):
    """A part of a specification: its options by name, without those that are undefined; also as attributes."""

    def __init__(self, **options: Any) -> None:
        super().__init__({name: value for name, value in options.items() if value is not Undefined})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # by which copy and pickle ask what a class can do
            raise AttributeError(name)
        return self.get(name, Undefined)


class Channel(Part):
    """The encoding of a channel: a field with its type, such as "x:Q", and options."""

    def __init__(self, shorthand: str, **options: Any) -> None:
        field, _, kind = shorthand.partition(":")
        super().__init__(field=field, type=_TYPES[kind], **options)


class SecondChannel(Part):
    """The encoding of the far end of a mark."""

    def __init__(self, shorthand: str, **options: Any) -> None:
        super().__init__(field=shorthand.partition(":")[0], **options)


class OpacityValue(Part):
    """An opacity that is the same for all marks, but for a condition."""

    def __init__(self, value: float, **options: Any) -> None:
        super().__init__(value=value, **options)


class TitleParams(Part):
    """A title, with lines below it."""

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(text=text, **options)


Axis = Part
Config = Part
Legend = Part
Resolve = Part
Scale = Part
ScaleResolveMap = Part
ViewConfig = Part
Color = Channel
Detail = Channel
Fill = Channel
FillOpacity = Channel
Shape = Channel
Size = Channel
Stroke = Channel
StrokeDash = Channel
StrokeOpacity = Channel
StrokeWidth = Channel
Text = Channel
Tooltip = Channel
X = Channel
Y = Channel
XOffset = Channel
YOffset = Channel
X2 = SecondChannel
Y2 = SecondChannel


def value(constant: Any) -> Part:
    """Return an encoding that is the same for all marks."""
    return Part(value=constant)


def selection_point(*, name: str, fields: list[str], bind: str) -> Part:
    """Return a selection by clicks, such as on the entries of a legend."""
    return Part(name=name, select={"type": "point", "fields": fields}, bind=bind)


class InlineData:
    """Rows of a chart; those with a name can be found and replaced by a program."""

    def __init__(self, values: Any = ()) -> None:
        self.values = values
        self.name: str = ""


class Chart:
    """A chart: a mark with its encodings. Every method returns another chart that shares its parts.

    `drawn` holds the finished lines, points or axes that it was made from, for other drawing programs.
    """

    def __init__(self, data: InlineData | None = None, **options: Any) -> None:
        self.__dict__["spec"] = Part(**({} if data is None else {"data": data}), **options)
        self.__dict__["drawn"] = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("mark_"):
            return lambda **options: self._with(mark=Part(type=name.removeprefix("mark_"), **options))
        if name.startswith("__"):
            raise AttributeError(name)
        return self.spec.get(name, Undefined)

    def __setattr__(self, name: str, option: Any) -> None:
        self.spec[name] = option

    def _with(self, **options: Any) -> Any:
        other = object.__new__(type(self))
        other.__dict__.update(spec=Part(**(self.spec | options)), drawn=self.drawn)
        return other

    def drawn_from(self, parts: Any) -> Any:
        """Return the chart with what it was made from.

        Args:
            parts: The lines, points or axes, before they became rows.
        """
        other = self._with()
        other.__dict__["drawn"] = parts
        return other

    def copy(self, *, deep: bool = False) -> Any:
        """Return another chart with the same parts.

        Args:
            deep: Not used; the parts are shared.
        """
        del deep
        return self._with()

    def encode(self, **channels: Any) -> Any:
        """Return the chart with these encodings too, such as x="x:Q"."""
        parsed = {name: _channel(name, value) for name, value in channels.items() if value is not Undefined}
        return self._with(encoding=self.spec.get("encoding", {}) | parsed)

    def transform_flatten(self, fields: list[str]) -> Any:
        """Return the chart with rows of lists made into rows of numbers."""
        return self._with(transform=[*self.spec.get("transform", []), {"flatten": list(fields)}])

    def add_params(self, *params: Part) -> Any:
        """Return the chart with these parameters too."""
        return self._with(params=[*self.spec.get("params", []), *params])

    def properties(self, **options: Any) -> Any:
        """Return the chart with these options too."""
        return self._with(**options)

    def resolve_scale(self, **scales: str) -> Any:
        """Return the chart with scales that its parts share or not."""
        return self._with(resolve={"scale": scales})

    def to_spec(self, *, named: bool = True) -> dict[str, Any]:
        """Return the whole specification.

        Args:
            named: Whether the rows stand together under `datasets`; else each part has its own.
        """
        datasets: dict[str, list[Any]] | None = {} if named else None
        spec = _copy_part(self._flat(), datasets, {})
        return {"$schema": SCHEMA_URL, **spec} | ({"datasets": datasets} if named else {})

    def _flat(self) -> dict[str, Any]:
        """Return the specification with those of the parts in it."""
        spec = dict(self.spec)
        for key in ("hconcat", "vconcat"):
            if key in spec:
                spec[key] = [part._flat() for part in spec[key]]
        if "layer" in spec:  # layers share one size, which the whole has
            layers = [part._flat() for part in spec["layer"]]
            for side in ("width", "height"):
                sizes = [layer.pop(side) for layer in layers if side in layer]
                if sizes and side not in spec:
                    spec[side] = sizes[0]
            spec["layer"] = layers
        return spec


class LayerChart(Chart):
    """Charts on top of each other."""


class HConcatChart(Chart):
    """Charts side by side."""


class VConcatChart(Chart):
    """Charts below each other."""


def layer(*charts: Chart) -> LayerChart:
    """Return charts on top of each other."""
    return LayerChart(layer=list(charts))


def hconcat(*charts: Chart, **options: Any) -> HConcatChart:
    """Return charts side by side."""
    return HConcatChart(hconcat=list(charts), **options)


def vconcat(*charts: Chart, **options: Any) -> VConcatChart:
    """Return charts below each other."""
    return VConcatChart(vconcat=list(charts), **options)


def _channel(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return SecondChannel(value) if name in _SECOND else Channel(value)


def _copy_part(node: Any, datasets: dict[str, list[Any]] | None, names: dict[int, str]) -> Any:
    """Return a part that shares no dictionary with the chart, its rows under their names."""
    if isinstance(node, InlineData):
        return _data(node, datasets, names)
    copied: Any = dict(node) if isinstance(node, dict) else list(node)
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(child, InlineData | dict | list | tuple):
            copied[key] = _copy_part(child, datasets, names)
    return copied


def _data(data: InlineData, datasets: dict[str, list[Any]] | None, names: dict[int, str]) -> dict[str, Any]:
    if datasets is None:
        return ({"name": data.name} if data.name else {}) | {"values": list(data.values)}
    name = data.name.partition(SEPARATOR)[0] or names.setdefault(id(data.values), f"rows{len(names)}")
    datasets[name] = list(data.values)
    return {"name": name}
