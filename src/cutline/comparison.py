"""compare(): several models on the same cases, and whether they differ."""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cutline.core.checks import LEVEL, check_choice, check_level, check_whole
from cutline.core.counts import written
from cutline.core.errors import Argument, ParameterError, Text, UnknownNameError, near
from cutline.core.table import Table
from cutline.evaluation import Evaluation
from cutline.inference.one.estimand import as_measure
from cutline.inference.resampling.pairing import Pairing, Question, Resamples, bootstrap, pair
from cutline.inference.two.confidence_curve import ConfidenceCurve, confidence_curve
from cutline.inference.two.differences import chi_square
from cutline.inference.two.dominance import CURVES, Dominance, of_curves, of_thresholds
from cutline.inference.two.paired_measure import INTERVALS, ROW, TESTS, PairedMeasure, covariance_of_all, said_once
from cutline.inference.two.test_results import PairTests, corrected
from cutline.inputs.alignment import columns_of, groups_of, join_frames, share_cases, thresholds_of
from cutline.inputs.predictions import Missing
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.definition import DEFAULT_THRESHOLD
from cutline.results.estimate import Estimate

RESAMPLES = 2000
Asked = str | Measure | Callable[..., float]

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from cutline.charts import Picture
    from cutline.curves import SharedHull


def compare(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    positive: Any = None,
    threshold: float | Mapping[str, float] = DEFAULT_THRESHOLD,
    missing: Missing = "error",
    higher_is_positive: bool = True,
    data: Any = None,
    id: str | None = None,
    groups: Any = None,
) -> Comparison:
    """Compare models that scored the same cases.

    `scores` holds the scores of each model by its name, each column in the order of `labels`. With `data`, columns
    are given by name: of one frame that holds the scores of all models, `compare("y", {"a": "p_a", "b": "p_b"},
    data=frame)`, or of one frame for each model, whose rows are joined by the column `id`,
    `compare("y", "p", data={"a": frame_a, "b": frame_b}, id="case")`. A case without a score of every model is refused,
    or dropped for all of them with `missing="drop"`. `threshold` is one for all models, or one for each. `groups` names
    for each case the group it belongs to, as in `evaluate`: whole groups are then resampled and exchanged.

    >>> found = compare([1, 1, 1, 0, 0, 0], {"a": [6, 5, 3, 4, 2, 1], "b": [6, 3, 2, 5, 4, 1]}, threshold=3.5)
    >>> found["a"].accuracy, found.test("accuracy")  # a is right on all of b's right cases, and on two more
    (0.6666666666666666, accuracy: a - b = 0.3333, p = 0.2500 (mcnemar_midp))
    """
    ids = None
    if data is not None and isinstance(scores, Mapping) and id is None:
        labels, scores, weights, groups = columns_of(labels, scores, weights, data, positive, groups)
    elif data is not None:
        labels, scores, weights, groups, ids = join_frames(labels, scores, weights, data, id, positive, groups)
    elif id is not None:
        raise ParameterError(
            "names a column of the frames in data",
            Text("pass ", Argument("data"), " with one frame for each model"),
            argument="id",
        )
    cases = share_cases(labels, scores, weights, positive=positive, missing=missing, ids=ids)
    thresholds = thresholds_of(threshold, tuple(cases.scores))
    rankings = {name: cases.of(name).ranked(higher_is_positive=higher_is_positive) for name in cases.scores}
    groups = None if groups is None else groups_of(groups, cases)
    pairing = pair(list(rankings.values()), list(cases.scores.values()), cases.is_positive, cases.weights, groups)
    return Comparison(
        {
            name: Evaluation(r, thresholds[name], name, pairing.sampler(model))
            for model, (name, r) in enumerate(rankings.items())
        },
        pairing,
    )


@dataclass(frozen=True, eq=False)
class Comparison(Mapping[str, Evaluation]):
    """Models on the same cases: a mapping of their evaluations, and what only the pairs of scores can tell."""

    evaluations: Mapping[str, Evaluation]
    pairing: Pairing

    def __getitem__(self, name: str) -> Evaluation:
        try:
            return self.evaluations[str(name)]  # models may have been named by numbers
        except KeyError:
            known = ", ".join(map(repr, self))
            raise UnknownNameError(f"There is no model {name!r} among {known}.{near(name, self)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.evaluations)

    def values_of(self, measure: Asked, **parameters: Any) -> dict[str, float]:
        """The value of a measure for each model."""
        chosen = _measure(measure, parameters)
        return {name: evaluation.value(chosen, **parameters) for name, evaluation in self.items()}

    # ------------------------------------------------------------------ tests

    def test(
        self,
        measure: Asked = "auc",
        method: str = "auto",
        *,
        resamples: int = RESAMPLES,
        seed: int = 0,
        **parameters: Any,
    ) -> PairTests:
        """Whether the models differ in a measure: a test of each pair, corrected for their number.

        `auto` is DeLong's test for the AUC and what is linear in it, McNemar's mid-p test for shares of decisions
        (accuracy, recall, specificity, ...), and the bootstrap for all else. `resamples` is how many resamples or
        permutations are drawn. `measure` may be a function of yours, as in `Evaluation.estimate`.
        """
        check_choice(method, "method", TESTS)
        resamples, seed = check_whole(resamples, "resamples", 1), check_whole(seed, "seed", 0)
        question, asked = self._ask(measure, parameters, resamples, seed)
        chosen = next(iter(asked.values())).chosen(method)
        if method in ("auto", "bootstrap") and _needs_resamples(asked, method):
            asked = _answered(asked, bootstrap(self.pairing, [question], resamples, seed), 0)
        found = corrected([one.test(method) for one in asked.values()])
        if len(found) > 1 and chosen == "delong":
            statistic, degrees, p_value = chi_square(*covariance_of_all(self.pairing))
            if not math.isnan(p_value):
                return PairTests(str(question.measure), found, p_value, statistic, degrees)
        known = [test.p_holm for test in found if not math.isnan(test.p_holm)]
        return PairTests(str(question.measure), found, min(known, default=math.nan))

    def difference(
        self,
        measure: Asked = "auc",
        a: str | None = None,
        b: str | None = None,
        *,
        level: float = LEVEL,
        method: str = "auto",
        resamples: int = RESAMPLES,
        seed: int = 0,
        **parameters: Any,
    ) -> Estimate:
        """By how much model a exceeds model b in a measure, with an interval.

        `auto` is DeLong's interval for the AUC and what is linear in it, Tango's for shares of decisions, and the
        bootstrap percentile interval for all else, functions of yours too. With two models, a and b need not be named.
        """
        level = check_level(level)
        asked = self._ask_two(measure, a, b, method, resamples, seed, parameters)
        return asked.estimate(method, level)

    def confidence_curve(
        self,
        measure: Asked = "auc",
        a: str | None = None,
        b: str | None = None,
        *,
        method: str = "auto",
        resamples: int = RESAMPLES,
        seed: int = 0,
        **parameters: Any,
    ) -> ConfidenceCurve:
        """The intervals of a difference at all levels: how compatible each true difference is with the data."""
        asked = self._ask_two(measure, a, b, method, resamples, seed, parameters)
        return confidence_curve(asked.title, *asked.difference(method))

    def verdict(
        self,
        measure: Asked = "auc",
        *,
        level: float = LEVEL,
        resamples: int = RESAMPLES,
        seed: int = 0,
        **parameters: Any,
    ) -> str:
        """Which models can be told apart by a measure, in plain words, and about how many cases it would take."""
        level, resamples, seed = (
            check_level(level),
            check_whole(resamples, "resamples", 1),
            check_whole(seed, "seed", 0),
        )
        asked = self._ask(measure, parameters, resamples, seed)[1].values()
        tests = corrected([one.test("auto") for one in asked])
        return "\n".join(one.sentence(test, level) for one, test in zip(asked, tests, strict=True))

    # ------------------------------------------------------------------ pictures

    def chart(self, name: str, **parameters: Any) -> Picture:
        """A chart of all models together, by its name: `CHARTS` lists them."""
        from cutline.charts import chart

        return chart(name, self, **parameters)

    # ------------------------------------------------------------------ dominance

    def hull(self) -> SharedHull:
        """The ROC convex hull of all models, and which of them owns which part: the best for some costs and skew."""
        from cutline.curves import shared_hull

        return shared_hull({name: evaluation.ranking for name, evaluation in self.items()})

    def dominance(self, curve: str = "roc", *, measure: str | Measure = "accuracy", **parameters: Any) -> Dominance:
        """Over which part of an axis each model is the best, and whether one dominates everywhere.

        The curves are `roc` (by false positive rate), `quota` (positives found, by places of the list),
        `precision_recall` (by recall) and `threshold` (a measure of one cut, by the threshold that all are cut at).
        """
        check_choice(curve, "curve", (*CURVES, "threshold"))
        rankings = [evaluation.ranking for evaluation in self.values()]
        if curve != "threshold":
            return of_curves(curve, self.names, rankings)
        chosen = MEASURES[measure]
        if chosen.needs is not Needs.COUNTS or chosen.better is None:
            raise ParameterError(f"{chosen.name} is not a measure of one cut that is good or bad", "choose another")
        return of_thresholds(chosen, self.names, rankings, **parameters)

    # ------------------------------------------------------------------ many measures

    def method(self, measure: Asked = "auc") -> str:
        """The test that `method="auto"` chooses for a measure."""
        return self._ask(measure, {}, 1, 0)[1][0, 1].chosen("auto")

    def summary(
        self,
        measures: Iterable[str | Measure] | str | Measure | None = None,
        *,
        level: float = LEVEL,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Table:
        """A table of differences: a row for each measure and pair of models; the headlines unless `measures` says.

        All measures share the same resamples. p_holm is corrected for the pairs, not for the number of measures. What
        qualifies a row is in its column `note`; printed, each note stands once below the table.
        """
        level, resamples, seed = (
            check_level(level),
            check_whole(resamples, "resamples", 1),
            check_whole(seed, "seed", 0),
        )
        listed = [measures] if isinstance(measures, str | Measure) else measures
        chosen = [m for m in MEASURES if m.headline] if listed is None else [MEASURES[m] for m in listed]
        fitting = [m for m in chosen if all(m.fits(ranking) for ranking in self.pairing.rankings)]
        questions = {m: self._ask(m, {}, resamples, seed) for m in fitting}
        drawn = [m for m, (_, asked) in questions.items() if _needs_resamples(asked)]
        found = bootstrap(self.pairing, [questions[m][0] for m in drawn], resamples, seed) if drawn else None
        rows: list[tuple[Any, ...]] = []
        for m in chosen:
            if m in questions:
                asked = questions[m][1]
                asked = _answered(asked, found, drawn.index(m)) if found and m in drawn else asked
                tests = corrected([one.test("auto") for one in asked.values()])
                rows += [one.row(test, level) for one, test in zip(asked.values(), tests, strict=True)]
            else:
                why = f"undefined: {m.reason(self.pairing.rankings[0]) or m.reason(self.pairing.rankings[-1])}"
                pairs = itertools.combinations(self.names, 2)
                rows += [(str(m), a, b, *[math.nan] * 7, "", (why,)) for a, b in pairs]
        below = said_once(rows)
        rows = [(*row[:-1], " ".join(row[-1])) for row in rows]
        return Table(ROW, tuple(rows), title=self._heading(), hidden=("note",), below=below)

    def to_dict(self, summary: Table | None = None, *, level: float = LEVEL) -> dict[str, Any]:
        """The models and their differences, ready for JSON (docs/schema.json); what is not a finite number is None.

        `summary` is a finished one, of the measures and `level` that are wanted; the headlines without.
        """
        return {
            "schema": "cutline/comparison/1",
            "level": level,
            "models": {name: evaluation.to_dict() for name, evaluation in self.items()},
            "cases": self.pairing.total,
            "differences": (self.summary(level=level) if summary is None else summary).to_dict(),
            "verdict": self.verdict(level=level),
            "dominance": self.dominance().to_dict(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """The summary as a data frame of pandas, polars or pyarrow."""
        return self.summary().to_frame(backend)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, level: float = LEVEL) -> Path:
        """Write the report (.html), the numbers (.json, .csv) or the ROC curves (.png, .svg, .pdf), by the suffix."""
        from cutline.report import save

        return save(self, path, overwrite=overwrite, level=level)

    # ------------------------------------------------------------------ asking

    def _ask(
        self, measure: Asked, parameters: Mapping[str, Any], resamples: int, seed: int
    ) -> tuple[Question, dict[tuple[int, int], PairedMeasure]]:
        """A measure as a question to all models, and as a question to each pair of them."""
        chosen = _measure(measure, parameters)
        both = "quota" in parameters and "share" in parameters  # which is refused below
        own = {name: value for name, value in parameters.items() if name in chosen.parameters and not both}
        chosen = chosen.with_(**own)  # so that its name says them
        parameters = {name: value for name, value in parameters.items() if name not in own}
        values = [evaluation.value(chosen, **parameters) for evaluation in self.values()]
        given = []
        for evaluation in self.values():
            mine = evaluation.completed(chosen, parameters)
            quota = mine.get("quota", chosen.bound.get("quota"))
            if quota is not None and not self.pairing.is_of_one_size:
                mine = {**mine, "share": quota / float(evaluation.ranking.total)}
                mine.pop("quota", None)
            given.append(mine)
        asked = {
            (i, j): PairedMeasure(
                (self.names[i], self.names[j]),
                self.pairing.of(i, j),
                Question(chosen, (given[i], given[j])),
                (values[i], values[j]),
                resamples,
                seed,
            )
            for i, j in itertools.combinations(range(len(self)), 2)
        }
        return Question(chosen, tuple(given)), asked

    def _ask_two(
        self,
        measure: Asked,
        a: str | None,
        b: str | None,
        method: str,
        resamples: int,
        seed: int,
        parameters: Mapping[str, Any],
    ) -> PairedMeasure:
        """A measure as a question to two of the models."""
        check_choice(method, "method", INTERVALS)
        resamples, seed = check_whole(resamples, "resamples", 1), check_whole(seed, "seed", 0)
        i, j = self._places(a, b)
        asked = self._ask(measure, parameters, resamples, seed)[1]
        return asked[i, j] if i < j else asked[j, i].turned()

    def _places(self, a: str | None, b: str | None) -> tuple[int, int]:
        """Where two models stand, by their names; of two models they need no names."""
        if a is None and b is None and len(self) == 2:
            return 0, 1
        if a is None or b is None:
            raise ParameterError(
                f"There are {len(self)} models, {', '.join(map(repr, self))}", "pass the names of two, a and b"
            )
        a, b = str(a), str(b)  # as models may be named by numbers
        self[a], self[b]
        if a == b:
            raise ParameterError(f"a and b are both {a!r}", "pass the names of two models")
        return self.names.index(a), self.names.index(b)

    # ------------------------------------------------------------------ looks

    def _heading(self) -> str:
        r = self.pairing.rankings[0]
        return (
            f"{len(self)} models on the same {written(r.total)} cases, {written(r.positives)} positive "
            f"({100 * r.positives / r.total:.3g} %; positive is {r.positive!r})"
        )

    def _headlines(self) -> Table:
        rows = []
        for measure in (m for m in MEASURES if m.headline):
            values = [e.value(measure) if measure.fits(e.ranking) else math.nan for e in self.values()]
            rows.append((measure.title + (f" ({measure.unit})" if measure.unit else ""), *values))
        return Table(("measure", *self.names), tuple(rows))

    def __repr__(self) -> str:
        return "\n".join([self._heading(), "", repr(self._headlines()), "", self.verdict(), "more: .summary()"])

    def _repr_html_(self) -> str:
        verdict = "".join(f"<li>{html.escape(line)}</li>" for line in self.verdict().splitlines())
        return f"<div><p>{html.escape(self._heading())}</p>{self._headlines()._repr_html_()}<ul>{verdict}</ul></div>"


def _measure(measure: Asked, parameters: Mapping[str, Any]) -> Measure:
    """The measure of a name, or a function as one."""
    is_function = callable(measure) and not isinstance(measure, Measure)
    return as_measure(measure, parameters) if is_function else MEASURES[measure]  # type: ignore[index]


def _needs_resamples(asked: Mapping[tuple[int, int], PairedMeasure], method: str = "auto") -> bool:
    """Whether a pair of models is compared on resamples, which all pairs then share."""
    return any(one.chosen(method) == "bootstrap" for one in asked.values())


def _answered(
    asked: Mapping[tuple[int, int], PairedMeasure], resamples: Resamples, place: int
) -> dict[tuple[int, int], PairedMeasure]:
    """The same questions, answered from resamples that all models share."""
    values = resamples.values[place]
    return {(i, j): replace(one, resampled=values[[i, j]], redrawn=resamples.redrawn) for (i, j), one in asked.items()}
