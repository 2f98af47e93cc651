"""drift(): whether two periods have the same scores, without labels; with labels, how the measures differ too."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core import atomic_write
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.escaping import json_text
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.ranking_file import is_ranking_file
from cutline.core.ranking_file import load as load_ranking
from cutline.core.table import ComparedByFields, ShownAsTable, Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_level, check_names, check_number, check_whole
from cutline.core.validation import as_scores as check_scores
from cutline.evaluation import Evaluation, evaluate
from cutline.independent_comparison import compare_independent
from cutline.inference import drift as statistics
from cutline.inputs import column_source
from cutline.measures import MEASURES

if TYPE_CHECKING:
    from cutline.charts import Picture

BINS = 10
MOST_BINS = 10_000
DRAWN = 40  # bins of the chart
_SIDES = ("reference", "sample")
_MEASURES = ("recall", "precision", "fpr", "auc", "brier")


@dataclass(frozen=True, eq=False)
class Side(ComparedByFields):
    """The scores of one period, from the most to the least positive, and its evaluation where it has labels."""

    name: str
    score: Array
    size: Array
    evaluation: Evaluation | None
    higher_is_positive: bool = True
    effective: float = 0.0  # how many cases its weights are worth

    def flagged(self, threshold: float) -> float:
        """Return the share of the cases that a threshold flags."""
        key = threshold if self.higher_is_positive else -threshold
        return float(self.size[self.score >= key].sum() / self.size.sum())


@public
def drift(
    reference: Any,
    sample: Any,
    *,
    score: str | None = None,
    label: str | None = None,
    cut: float | None = None,
    bins: int = BINS,
    level: float = LEVEL,
    names: tuple[str, str] | None = None,
    seed: int = 0,
) -> Drift:
    """Compare the scores of two periods: population stability index, Kolmogorov-Smirnov, and the flagged share.

    No labels are needed. Where both periods have labels, the measures at the fixed cut are compared too.

    Args:
        reference: The first period: scores, a ranking, an evaluation, or the path of a ranking file or a table.
        sample: The second period.
        score: The column of the scores, for tables.
        label: The column of the labels, for tables that have them.
        cut: The threshold whose flagged share is compared; for evaluations, their own when None.
        bins: The number of bins, by quantiles of the reference; ties make them fewer.
        level: The confidence level.
        names: What to call the periods.
        seed: The seed of the permutations of the Kolmogorov-Smirnov test with ties.

    >>> result = drift([0.1, 0.2, 0.3, 0.4] * 50, [0.1, 0.2, 0.3, 0.4] * 40, bins=4)
    >>> result.psi.value, result.drifted
    (0.0, False)
    """
    level, bins = check_level(level), check_whole(bins, "bins", 2)
    if bins > MOST_BINS:
        raise ParameterError(f"is {bins:.6g}", f"pass a whole number from 2 to {MOST_BINS:,}", argument="bins")
    contents = (reference, sample)
    if names is None:
        titles = tuple(_name_period(content, side) for content, side in zip(contents, _SIDES, strict=True))
    else:
        titles = check_names(names)
    if titles[0] == titles[1]:
        titles = _SIDES
    threshold = None if cut is None else check_number(cut, "cut")
    both = [_read_side(c, str(t), a, score, label, threshold) for c, t, a in zip(contents, titles, _SIDES, strict=True)]
    first, second = both
    if first.higher_is_positive != second.higher_is_positive:
        raise InputError("The two periods have scores that run in opposite directions", "rank both alike")
    if threshold is None and first.evaluation is not None and isinstance(reference, Evaluation):
        threshold = float(first.evaluation.threshold)
    return Drift(first, second, bins, level, threshold, check_whole(seed, "seed", 0))


def _name_period(content: Any, side: str) -> str:
    if isinstance(content, str | os.PathLike):
        return Path(content).stem
    return (content.name or side) if isinstance(content, Evaluation) else side


def _read_side(
    content: Any, name: str, argument: str, score: str | None, label: str | None, threshold: float | None
) -> Side:
    """Return the scores of one period."""
    if isinstance(content, str | os.PathLike):
        content = load_ranking(content) if is_ranking_file(content) else _read(content, score, label, threshold)
    if isinstance(content, Evaluation):
        ranking = content.ranking
        evaluation: Evaluation | None = content if threshold is None else content.with_cut(threshold=threshold)
    elif isinstance(content, Ranking):
        ranking = content
        evaluation = Evaluation(ranking, threshold) if ranking.positives and ranking.negatives else None
    else:
        values = check_scores(content, argument)
        if not len(values) or np.isnan(values).any():
            what = "has no scores" if not len(values) else "has missing scores"
            raise InputError(what, "pass the scores of the period", argument=argument)
        distinct, size = np.unique(values.astype(float), return_counts=True)
        return Side(name, distinct[::-1], size[::-1], None, effective=float(size.sum()))
    squares = float(ranking.pos2.sum() + ranking.neg2.sum())
    return Side(
        name, ranking.key, ranking.size, evaluation, ranking.higher_is_positive, float(ranking.total) ** 2 / squares
    )


def _read(path: Any, score: str | None, label: str | None, threshold: float | None) -> Any:
    """Return the scores of a table, or its evaluation where the labels are named."""
    if score is None:
        raise ParameterError("is missing", "name the column of the scores, such as score='p'", argument="score")
    if label is not None:
        return evaluate(label, score, data=path, threshold=threshold)
    columns = {"scores": column_source.Request("scores", score)}
    with column_source.read_rows(column_source.open_source(path), columns, any_order=True) as rows:
        return rows["scores"]


@public
@dataclass(frozen=True, eq=False, repr=False)
class Drift(ShownAsTable):
    """How the scores of two periods differ. `verdict` says it, `table` shows the bins, `chart()` draws both."""

    reference: Side
    sample: Side
    bins: int
    level: float
    cut: float | None
    seed: int = 0

    @cached_property
    def _edges(self) -> Array:
        return statistics.find_quantile_edges(self.reference.score, self.reference.size, self.bins)

    @cached_property
    def _histograms(self) -> tuple[Array, Array]:
        first, second = (statistics.count_by_bin(s.score, s.size, self._edges) for s in (self.reference, self.sample))
        return first, second

    @cached_property
    def psi(self) -> statistics.Psi:
        """Return the population stability index, with its critical value and an interval."""
        sizes = (self.reference.effective, self.sample.effective)
        return statistics.estimate_psi(*self._histograms, level=self.level, sizes=sizes)

    @cached_property
    def ks(self) -> statistics.KolmogorovSmirnov:
        """Return the Kolmogorov-Smirnov test of the two samples of scores."""
        pooled = np.union1d(self.reference.score, self.sample.score)
        counts = []
        for sample in (self.reference, self.sample):
            own = np.zeros(len(pooled), dtype=sample.size.dtype)
            own[np.searchsorted(pooled, sample.score)] = sample.size
            counts.append(own)
        return statistics.run_kolmogorov_smirnov(counts[0], counts[1], self.seed)

    @property
    def _ks_p(self) -> str:
        """Return the p-value with its sign, never below the smallest that permutations can give."""
        if self.ks.method == "permutation" and self.ks.p_value <= statistics.SMALLEST_P:
            return f"<= {statistics.SMALLEST_P:g}"
        return format_p(self.ks.p_value)

    @property
    def drifted(self) -> bool:
        """Whether the index is larger than chance explains, at the level."""
        return self.psi.value > self.psi.critical

    @cached_property
    def flagged(self) -> tuple[float, float] | None:
        """Return the share of each period that the fixed cut flags; None without a cut."""
        if self.cut is None:
            return None
        return self.reference.flagged(self.cut), self.sample.flagged(self.cut)

    def _evaluate_both(self) -> tuple[Evaluation, Evaluation] | None:
        """Return the evaluations of both periods at the same cut; None where one has no labels."""
        first, second = self.reference.evaluation, self.sample.evaluation
        if first is None or second is None:
            return None
        return first, second if self.cut is not None else second.with_cut(threshold=float(first.threshold))

    @cached_property
    def performance(self) -> Table | None:
        """Return the measures of both periods and their differences, if both have labels."""
        both = self._evaluate_both()
        if both is None:
            return None
        first, second = both
        probabilities = first.ranking.are_probabilities and second.ranking.are_probabilities
        measures = [name for name in _MEASURES if name != "brier" or probabilities]
        names = (self.sample.name, self.reference.name)
        return compare_independent(second, first, names=names).summary(measures, level=self.level)

    def no_worse(self, measures: str | Iterable[str], *, margin: float | None = None) -> Table:
        """Return a gate: whether the second period is no worse than the first in some measures.

        Without a margin, a measure fails when the whole interval of its difference is on the worse side; with one, it
        passes only if the interval excludes any larger loss.

        Args:
            measures: The measures, by name.
            margin: The loss that is acceptable.
        """
        both = self._evaluate_both()
        if both is None:
            raise InputError("Measures can be compared only if both periods have labels", "pass the labels")
        rows = []
        for measure in [MEASURES[name] for name in ([measures] if isinstance(measures, str) else measures)]:
            if measure.better is None:
                raise ParameterError(f"{measure.name} has no better direction", "choose another measure")
            difference = compare_independent(both[1], both[0]).difference(measure, level=self.level, seed=self.seed)
            least, most = difference.low, difference.high
            if measure.better == "higher":  # as a loss
                least, most = -most, -least
            passed = least <= 0 if margin is None else most <= check_number(margin, "margin")
            rows.append((measure.name, difference.value, difference.low, difference.high, passed))
        return Table(("measure", "difference", "low", "high", "passed"), tuple(rows))

    @property
    def verdict(self) -> str:
        """Whether the scores have drifted, in two or three sentences."""
        psi, ks = self.psi, self.ks
        chance = (
            f"without drift it exceeds {format_value(psi.critical)} in {100 * (1 - self.level):.3g} % of such samples"
        )
        index = f"PSI {format_value(psi.value)} [{format_value(psi.low)}, {format_value(psi.high)}]"
        head = "The scores have drifted" if self.drifted else "No evidence that the scores have drifted"
        sentences = [f"{head}: {index}; {chance}.", f"Kolmogorov-Smirnov {format_value(ks.value)}, p {self._ks_p}."]
        if self.flagged is not None:
            before, after = self.flagged
            sentences.append(
                f"At the cut {self.cut:g}, {100 * after:.1f} % are flagged instead of {100 * before:.1f} %."
            )
        if self.performance is not None:
            alpha = 1 - self.level
            differs = [
                f"{row['measure']} {row['difference']:+.4f} [{format_value(row['low'])}, {format_value(row['high'])}]"
                for row in self.performance
                if row["p_value"] is not None and row["p_value"] < alpha
            ]
            sentences.append(
                f"Measures that differ: {', '.join(differs)}." if differs else "No measure differs significantly."
            )
        return " ".join(sentences)

    @cached_property
    def table(self) -> Table:
        """Return the bins: their limits, the share of each period, and their part of the index."""
        shares = [counts / counts.sum() for counts in self._histograms]
        p, q = ((counts + 0.5) / (counts.sum() + 0.5 * len(counts)) for counts in self._histograms)
        parts = (p - q) * np.log(p / q)
        starts, ends = [None, *self._edges.tolist()], [*self._edges.tolist(), None]
        if not self.reference.higher_is_positive:
            starts, ends = ([None if e is None else -e for e in side] for side in (starts, ends))
        head = ("from", "below", self.reference.name, self.sample.name, "part of PSI")
        if not self.reference.higher_is_positive:
            head = ("down to", "above", *head[2:])
        rows = tuple(zip(starts, ends, *(s.tolist() for s in shares), parts.tolist(), strict=True))
        return Table(head, rows, title=self.title, below=(self.verdict,))

    @property
    def title(self) -> str:
        """Return the compared samples, in one line."""
        sizes = (f"{sample.size.sum():,.0f} from {sample.name}" for sample in (self.reference, self.sample))
        return f"Scores: {' and '.join(sizes)}"

    def chart(self, *, theme: str = "light") -> Picture:
        """Return the chart of both distributions of scores.

        Args:
            theme: "light", "dark" or "print".
        """
        samples = (self.reference, self.sample)
        sign = 1 if self.reference.higher_is_positive else -1
        low, high = (f(s.score[i] for s in samples) for f, i in ((min, -1), (max, 0)))
        grid = np.linspace(low, high, DRAWN + 1) if high > low else np.array([low - 0.5, low + 0.5])
        shares = {s.name: statistics.count_by_bin(s.score, s.size, grid[1:-1]) / s.size.sum() for s in samples}
        edges = [(sign * float(a), sign * float(b)) for a, b in pairwise(grid)]
        if sign < 0:
            edges = [(b, a) for a, b in edges]
        from cutline.charts.periods import draw_drift

        listed = {name: [float(x) for x in values] for name, values in shares.items()}
        return draw_drift(edges, listed, f"Scores of {self.reference.name} and {self.sample.name}", theme)

    def to_dict(self) -> dict[str, Any]:
        """Return verdict, tests, bins and measures, ready for JSON."""
        return {
            "schema": "cutline/drift/1",
            "verdict": self.verdict,
            "drifted": self.drifted,
            "level": self.level,
            "psi": {name: to_json_value(value) for name, value in self.psi._asdict().items()},
            "ks": {name: to_json_value(value) for name, value in self.ks._asdict().items()},
            "cut": self.cut,
            "flagged": None if self.flagged is None else dict(zip(_SIDES, self.flagged, strict=True)),
            "bins": self.table.to_dict(),
            "performance": None if self.performance is None else self.performance.to_dict(),
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the page (.html), everything (.json) or the bins (.csv), by the suffix.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced.
        """
        contents = {
            ".html": lambda: import_module("cutline.report.monitor_page").render_drift_page(self),
            ".json": lambda: json_text(self.to_dict()) + "\n",
            ".csv": self.table.to_csv,
        }
        return atomic_write.save(path, "drift.html", contents, overwrite=overwrite)
