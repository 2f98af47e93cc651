"""The declaration of a chart, which the page, the gallery, the command line and the docs read, and the registry."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, Flag, auto
from functools import cached_property
from typing import Any

from cutline.charts.vega_lite import Chart
from cutline.core.errors import UnknownNameError, shorten_repr
from cutline.core.messages import join_with_and
from cutline.core.public import CHARTS_ELSEWHERE
from cutline.curves import CURVES
from cutline.measures import MEASURES, Needs


class Shows(Enum):
    """The type of result that a chart shows."""

    ONE = "one model"
    SEVERAL = "one model or several"
    TWO_OR_MORE = "two models or more"
    DIFFERENCE = "the difference of two models on the same cases"
    TABLES = "tables of counts, or models at their cuts"
    CLASSES = "several classes"
    NOTHING = "no predictions"


class Requires(Flag):
    """The requirements of a chart on the predictions."""

    NOTHING = 0
    PROBABILITIES = auto()
    POSITIVES = auto()
    BOTH_CLASSES = auto()
    FINITE_SCORES = auto()
    CLASSES = auto()

    @property
    def words(self) -> str:
        """Sentence about the requirements; empty if there is none."""
        return join_with_and([words for requirement, words in _REQUIRED.items() if requirement in self])


_REQUIRED = {
    Requires.PROBABILITIES: "probabilities",
    Requires.POSITIVES: "a positive case",
    Requires.BOTH_CLASSES: "cases of both classes",
    Requires.FINITE_SCORES: "finite scores",
    Requires.CLASSES: "cases of two classes or more",
}


class Place(Flag):
    """The places where a chart appears, besides `chart()` and `cutline chart`, which draw all charts."""

    NOWHERE = 0
    PAGE_FIRST = auto()  # among the first charts of the report
    PAGE = auto()  # among the others
    TRUST = auto()  # in the report's section on the probabilities
    EACH = auto()  # a chart of one model that a report draws of each, however many there are
    FOLDER = auto()  # among the files of `evaluate --png`
    GALLERY = auto()


@dataclass(frozen=True)
class CutPlace:
    """Where a chart shows the cut, in coordinates that can be read off the counts of any cut.

    A coordinate is "threshold", "flagged", "tp" or any measure of one cut, with "_deviate" for its normal deviate. `y`
    is None where the cut is a line across the chart.
    """

    x: str
    y: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Return the coordinates, by axis."""
        return {"x": self.x} | ({} if self.y is None else {"y": self.y})


@dataclass(frozen=True, kw_only=True)
class ChartKind:
    """The declaration of a chart.

    Attributes:
        name: The name that `chart()` and `cutline chart` take.
        title: What it is called in lists and on the page.
        caption: What can be seen on it, in one sentence.
        draw: The function that draws it, of the models by name and the theme; its keywords are the chart's parameters.
        shows: Whether it shows one model, several, a difference or none.
        source: The figures and tables of the literature that it stands for.
        needs: What the predictions must have. Of several models, those without the probabilities that a chart needs are
            left out.
        cut: Where the chosen cut is; None when the chart does not show it.
        places: Where the chart appears.
        curves: Curves without a chart of their own that this one draws.
        names_model: Whether the model's name is in the legend, so that the title need not say it.
    """

    name: str
    title: str
    caption: str
    draw: Callable[..., Chart]
    shows: Shows = Shows.SEVERAL
    source: str = ""
    needs: Requires = Requires.BOTH_CLASSES
    cut: CutPlace | None = None
    places: Place = Place.PAGE | Place.GALLERY
    curves: tuple[str, ...] = ()
    names_model: bool = True

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the chart with their defaults."""
        signature = inspect.signature(self.draw).parameters.values()
        return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}

    def __reduce__(self) -> tuple[Callable[..., ChartKind], tuple[Charts, str]]:
        # Its function cannot be found by name: the declaration stands there.
        return operator.getitem, (_load_charts(), self.name)

    def __repr__(self) -> str:
        return f"<chart {self.name}: {self.title}>"


def declare_chart(**facts: Any) -> Callable[[Callable[..., Chart]], ChartKind]:
    """Declare the function below it as a chart, which has its name unless `name` is among the facts.

    Args:
        facts: The other attributes of a `ChartKind`.
    """

    def declare(draw: Callable[..., Chart]) -> ChartKind:
        return ChartKind(**{"name": draw.__name__, **facts}, draw=draw)

    return declare


class Charts(Mapping[str, ChartKind]):
    """Registry of the charts by name; every measure of one cut is a chart over the threshold too."""

    def __init__(self, *kinds: ChartKind, over_threshold: Callable[..., Chart]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._over_threshold = over_threshold

    def __reduce__(self) -> tuple[Callable[[], Charts], tuple[()]]:
        return _load_charts, ()  # there is one list of charts

    def __getitem__(self, name: str) -> ChartKind:
        if not isinstance(name, str):
            raise UnknownNameError(f"There is no chart {shorten_repr(name)}", "pass its name, such as 'roc'")
        if (lower := name.lower()) in self._kinds:
            return self._kinds[lower]
        if name in CURVES and CURVES[name].name in self._kinds:
            return self._kinds[CURVES[name].name]
        if name in MEASURES and MEASURES[name].needs is Needs.COUNTS:
            return self._make_measure_chart(name)
        raise UnknownNameError(f"There is no chart {name!r}", hint=self.hint(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def at(self, place: Place) -> list[ChartKind]:
        """Return the charts that appear in a place."""
        return [kind for kind in self.values() if kind.places & place]

    def hint(self, name: object) -> str:
        """Return a hint for a name that is no chart: the chart of a measure or curve, or the known names."""
        if isinstance(name, str) and name in CURVES:
            curve = CURVES[str(name)].name
            drawn_by = next((kind.name for kind in self.values() if curve in kind.curves), None)
            if drawn_by is not None:
                return f" The chart {drawn_by} draws that curve: ask for it."
        if isinstance(name, str) and name in MEASURES:
            return self._explain_measure(str(name))
        if ours := CHARTS_ELSEWHERE.get(str(name).lower()):
            return f" Did you mean {ours}?"
        from difflib import get_close_matches

        close = get_close_matches(str(name).lower().replace("-", "_"), self, n=1, cutoff=0.6)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        return f"{hint} There are {', '.join(self)}; and every measure of one cut, such as f1."

    def _explain_measure(self, name: str) -> str:
        measure = MEASURES[name].name
        for kind in CURVES:
            if kind.area is not None and kind.area.name == measure:
                return f" {measure} is the area under the curve of the chart {kind.name}: use that."
            if measure in {m.name for m in kind.measures}:
                return f" {measure} belongs to the chart {kind.name}: use that."
        return f" {measure} is one number for all cuts: only a measure of one cut has a chart."

    def _make_measure_chart(self, name: str) -> ChartKind:
        measure = MEASURES[name]
        return ChartKind(
            name=name,
            title=f"{measure.title} over the threshold",
            caption=f"{measure.title} at every threshold, with the chosen cut.",
            draw=self._over_threshold,
            needs=Requires.NOTHING,
            cut=CutPlace("threshold", measure.name),
            names_model=False,
        )

    def __repr__(self) -> str:
        return f"Registry of {len(self)} charts: {', '.join(self)}; and every measure of one cut"


def _load_charts() -> Charts:
    from cutline.charts.drawing import CHARTS  # which is made of the modules that import this one

    return CHARTS
