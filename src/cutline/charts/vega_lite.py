"""Vega-Lite specifications as plain dictionaries, whose encodings, scales, axes and legends have Altair's names.

Altair copies and checks every part of a chart whenever it is touched, which took most of a page's time. A finished
chart becomes one of Altair's on demand (`Picture.altair`).
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking

DIGITS = 6
_EXACT = 22  # powers of ten up to this one are exact
WHOLE = 2**53  # up to here every whole number is a float


def count_digits(values: Any) -> int:
    """Count the digits that tell values apart to 1e-5 of their range, or a single value to 1e-5.

    >>> count_digits([0.0, 0.25, 1.0]), count_digits([1e9, 1e9 + 10]), count_digits([0.7]), count_digits([123456.789])
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


def round_value(value: Any, digits: int = DIGITS) -> Any:
    """Round a value for the data of a chart; whole numbers become integers, non-finite ones None."""
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < WHOLE else float(f"{number:.{digits}g}")


def round_column(column: Any) -> list[Any]:
    """Round a column for the data of a chart to the digits that tell its values apart.

    >>> round_column([0.1234567, 2.0, float("nan")]), round_column([1.0, 2.0]), round_column(["a"])
    ([0.123457, 2.0, None], [1, 2], ['a'])
    """
    values = np.asarray(column)
    if values.dtype.kind not in "iuf":
        return [round_value(value) for value in column]
    enough, numbers = count_digits(values), values.astype(float)
    if len(numbers) and np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all():
        whole_numbers: list[Any] = (numbers.astype(np.int64) if np.abs(numbers).max() < WHOLE else numbers).tolist()
        return whole_numbers
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = enough - 1 - np.floor(np.log10(np.abs(numbers)))
    # Powers of ten beyond these are no exact numbers, and would leave digits that nobody wrote.
    if not (np.abs(places[np.isfinite(places)]) <= _EXACT).all():
        return [round_value(value, enough) for value in numbers.tolist()]
    places = np.where(np.isfinite(places), places, 0.0)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    rounded = np.round(numbers * up / down) / up * down
    whole = np.abs(numbers) < WHOLE
    column_values: list[Any] = np.where((numbers == np.floor(numbers)) & whole, numbers, rounded).tolist()
    if np.isfinite(numbers).all():
        return column_values
    return [value if math.isfinite(value) else None for value in column_values]


def format_score(ranking: Ranking, score: float, fewer: int = 0) -> str:
    """Format a score or threshold with the digits that tell the scores of a ranking apart.

    >>> from cutline import rank
    >>> format_score(rank([1, 0], [0.25, 0.75]), 0.5), format_score(rank([1, 0], [1e9, 1e9 + 40]), 1e9 + 5)
    ('0.5', '1000000005')
    """
    return f"{score:.{count_digits(ranking.score) - fewer}g}"


def format_rule(ranking: Ranking, threshold: float) -> str:
    """Return the rule that flags a case at a threshold, as text."""
    return f"score {'≥' if ranking.higher_is_positive else '≤'} {format_score(ranking, threshold)}"


SCHEMA_VERSION = "v6.4.1"
SCHEMA_URL = f"https://vega.github.io/schema/vega-lite/{SCHEMA_VERSION}.json"
SEPARATOR = "-"  # between the name of rows and the number that only these rows have
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}

Spec = dict[str, Any]
Axis = Legend = Scale = Spec


def encode_channel(shorthand: str, **options: Any) -> Spec:
    """Return the encoding of a channel: a field with its type, such as "x:Q", and options."""
    field, _, kind = shorthand.partition(":")
    return {"field": field, "type": _TYPES[kind], **options}


Color = Detail = Fill = FillOpacity = Shape = Size = Stroke = StrokeDash = StrokeOpacity = StrokeWidth = encode_channel
Order = Text = Tooltip = X = Y = XOffset = encode_channel


def encode_far_end(shorthand: str) -> Spec:
    """Return the encoding of the far end of a mark, which has the type of the near end."""
    return {"field": shorthand.partition(":")[0]}


X2 = Y2 = encode_far_end


def value(constant: Any, **options: Any) -> Spec:
    """Return an encoding that is the same for all marks, but for a condition among the options."""
    return {"value": constant, **options}


def title(text: str, subtitle: Sequence[str] | str = ()) -> Spec:
    """Return a title, with lines below it."""
    if isinstance(subtitle, str):
        return {"text": text, "subtitle": subtitle}
    return {"text": text, "subtitle": list(subtitle)} if subtitle else {"text": text}


def selection_point(*, name: str, fields: list[str], bind: str) -> Spec:
    """Return a selection by clicks, such as on the entries of a legend."""
    return {"name": name, "select": {"type": "point", "fields": fields}, "bind": bind}


class ChartData:
    """Rows of a chart; a program can replace those with a name."""

    def __init__(self, values: Sequence[Spec], name: str = "") -> None:
        self.values = list(values)
        self.name = name


def make_data(rows: Sequence[Spec], name: str | None = None) -> ChartData:
    """Make the data of a chart; a name lets a program find them."""
    if name is None:
        return ChartData(rows)
    # The number is one that only these rows have, so that pictures can be put together.
    return ChartData(rows, f"{name}{SEPARATOR}{zlib.crc32(json.dumps(list(rows)).encode()):08x}")


class Chart:
    """A chart: a mark with its encodings, or several charts together. Every method returns another chart.

    Attributes:
        spec: The specification; charts share its parts, so nothing in it is changed.
        drawn: The lines, points or axes that it was made from, for other drawing programs.
    """

    def __init__(self, data: ChartData | None = None, *, drawn: Any = None, **options: Any) -> None:
        self.spec: Spec = options if data is None else {"data": data, **options}
        self.drawn = drawn

    def properties(self, **options: Any) -> Chart:
        """Return the chart with these options too, such as width=300."""
        return Chart(drawn=self.drawn, **(self.spec | options))

    def drawn_from(self, parts: Any) -> Chart:
        """Return the chart with the lines, points or axes that it was made from.

        Args:
            parts: The lines, points or axes, before they became rows.
        """
        return Chart(drawn=parts, **self.spec)

    def mark(self, kind: str, **options: Any) -> Chart:
        """Return the chart with its rows drawn as "line", "area", "bar", "point", "rule", "text" and so on."""
        return self.properties(mark={"type": kind, **options})

    def encode(self, **channels: Any) -> Chart:
        """Return the chart with these encodings too, such as x=alt.X("x:Q")."""
        return self.properties(encoding=self.spec.get("encoding", {}) | channels)

    def transform_flatten(self, fields: Sequence[str]) -> Chart:
        """Return the chart with rows of lists made into rows of numbers."""
        return self.properties(transform=[{"flatten": list(fields)}])

    def add_params(self, *params: Spec) -> Chart:
        """Return the chart with these parameters."""
        return self.properties(params=list(params))

    def resolve_scale(self, **scales: str) -> Chart:
        """Return the chart with scales that its parts share or not."""
        return self.properties(resolve={"scale": scales})

    def to_spec(self, *, named: bool = True) -> Spec:
        """Return the whole specification, which shares no part with the chart.

        Args:
            named: Whether the rows stand together under `datasets`; else each part has its own.
        """
        datasets: dict[str, list[Spec]] = {}
        names: dict[int, str] = {}

        def write(part: object) -> Spec:
            """Return the specification of a chart within a chart, or of rows."""
            if isinstance(part, Chart):
                return part.spec
            if not isinstance(part, ChartData):
                raise TypeError(f"{part!r} in the specification of a chart")
            if not named:
                return ({"name": part.name} if part.name else {}) | {"values": part.values}
            name = part.name.partition(SEPARATOR)[0] or names.setdefault(id(part.values), f"rows{len(names)}")
            datasets[name] = list(part.values)
            return {"name": name}

        # Through JSON and back: a walk over the parts takes ten times as long.
        spec: Spec = json.loads(json.dumps(self.spec, default=write))
        return {"$schema": SCHEMA_URL, **spec} | ({"datasets": datasets} if named else {})


def layer(charts: Sequence[Chart], **options: Any) -> Chart:
    """Return charts on top of each other."""
    return Chart(layer=list(charts), **options)


def hconcat(*charts: Chart, **options: Any) -> Chart:
    """Return charts side by side."""
    return Chart(hconcat=list(charts), **options)


def vconcat(*charts: Chart, **options: Any) -> Chart:
    """Return charts below each other."""
    return Chart(vconcat=list(charts), **options)
