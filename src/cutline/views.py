"""What is made of a model or of several when it is asked for: charts, curves, tables.

The rooms that make these are loaded on demand: numbers alone need none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cutline.core.checks import LEVEL
from cutline.core.ranking import Ranking
from cutline.core.table import Table
from cutline.inference.resampling.samplers import GroupSampler
from cutline.results.estimate import Estimate

if TYPE_CHECKING:
    from cutline.charts import Picture
    from cutline.curves import Curve
    from cutline.curves.gains import Gains


class Pictured:
    """Something that charts can be drawn of."""

    def chart(self, name: str, **parameters: Any) -> Picture:
        """A chart by its name: a picture that shows itself in a notebook and saves itself as a file.

        Args:
            name: The name of the chart, such as "roc" (`CHARTS` lists them), or a measure of one cut.
            **parameters: Those of the chart, and `theme`, `title`, `width` and `height`.
        """
        from cutline.charts import chart

        return chart(name, self, **parameters)  # type: ignore[arg-type]


class OneModelViews(Pictured):
    """The views of one model."""

    ranking: Ranking
    threshold: Any
    groups: GroupSampler | None

    def at_prevalence(
        self, prevalence: float, *, level: float = LEVEL, risk: float | None = None
    ) -> dict[str, Estimate]:
        """Precision, npv, accuracy, F1 and net benefit of the cut in a population of another prevalence, by name.

        Args:
            prevalence: The share of positives there.
            level: The level of the intervals.
            risk: The threshold probability of the net benefit; the threshold itself where that is a probability.
        """
        from cutline.inference.one.at_prevalence import at_prevalence

        return at_prevalence(self.ranking, self.threshold, prevalence, level=level, risk=risk, groups=self.groups)

    def gains(self, portions: int | Sequence[float] = 10) -> Gains:
        """The gains table: what each portion of the list holds, from the top, with score ranges and KS.

        Args:
            portions: Into how many portions the list is divided; or the shares of the list at which they end, such as
                [0.01, 0.05, 0.1].
        """
        from cutline.curves.gains import gains

        return gains(self.ranking, portions)

    def curve(self, name: str, **parameters: Any) -> Curve:
        """A curve by its name, or any measure of one cut over the threshold: `CURVES` lists them.

        Args:
            name: The name of the curve, such as "roc", or a measure of one cut.
            **parameters: Those of the curve or of the measure.

        >>> import cutline as cl
        >>> cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).curve("roc").area
        0.875
        """
        from cutline.curves import curve

        return curve(self.ranking, name, **parameters)

    def places(self, ids: Sequence[Any] | None = None, scores: Any = None) -> Table:
        """What every place of the list brings: score, class, counts, rates, lift, hit rate, Qrecall and their areas.

        It is Berrar's Figure 2 (and, for signed distances, 8b) and Table 5 of Arbel and Rokach as one table. Inside a
        tie all is an expectation over the orders of the tied cases.

        >>> import cutline as cl
        >>> [row["lift"] for row in cl.evaluate([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]).places()][:2]
        [2.0, 1.5]

        Args:
            ids: The names of the cases, where no scores are tied.
            scores: The score of each named case, in the order of the names: an evaluation keeps no rows.
        """
        from cutline.curves import list_table

        return list_table(self.ranking, ids, scores)
