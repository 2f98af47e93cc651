"""compare_folds(): two models or more on the same folds of a cross-validation."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cutline.core.errors import CutlineError, InputError, ParameterError, shorten_repr
from cutline.core.messages import join_with_and
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_level, check_number, check_text, format_count, is_among
from cutline.folds.evaluation import FoldEvaluation, evaluate_folds
from cutline.inference.folds import FoldMean, Posterior, correlated_t, nadeau_bengio
from cutline.inference.simultaneous import holm
from cutline.inputs import column_source
from cutline.measures import MEASURES, Measure
from cutline.measures.aliases import use_alias
from cutline.measures.registry import list_measures
from cutline.results.base import NamedParts, Summarized
from cutline.results.notes import Note

if TYPE_CHECKING:
    from cutline.charts import Picture

SHOWN = ("auc", "average_precision", "accuracy", "f1", "brier", "log_loss")


@dataclass(frozen=True, eq=False, repr=False)
class FoldTest(ComparedByFields):
    """The difference of two models over the folds: the corrected t test and the Bayesian correlated t test.

    `difference` is a minus b with its interval. `worse`, `same` and `better` are the posterior probabilities that a is
    worse than b, practically the same (a difference of at most `rope`), or better, whichever direction is good.
    """

    measure: str
    title: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    level: float
    t: float
    degrees_of_freedom: float
    p_value: float
    worse: float
    same: float
    better: float
    rope: float
    p_holm: float = math.nan
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Return the result in one sentence."""
        head = (
            f"{self.title}: {self.a} {format_value(self.value_a)}, {self.b} {format_value(self.value_b)}, "
            f"difference {format_value(self.difference)} [{format_value(self.low)}, {format_value(self.high)}]"
        )
        p = self.p_value if math.isnan(self.p_holm) else self.p_holm
        significant = "" if p <= 1 - self.level else "not "
        adjusted = "" if math.isnan(self.p_holm) else " after Holm's correction"
        regions = f"P({self.a} better) {self.better:.3f}, P({self.b} better) {self.worse:.3f}"
        if self.rope:
            regions = (
                f"P({self.a} better) {self.better:.3f}, P(same) {self.same:.3f}, P({self.b} better) {self.worse:.3f}"
            )
        return f"{head}; {significant}significant{adjusted}, p {format_p(p)}; {regions}."

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        fields = {name: to_json_value(value) for name, value in self.__dict__.items()}
        return fields | {"notes": list(self.notes), "verdict": self.verdict}

    def __repr__(self) -> str:
        return "\n".join([self.verdict, *(f"  note: {note}" for note in self.notes)])


@public
@dataclass(frozen=True, eq=False)
class FoldComparison(Summarized, NamedParts[str, FoldEvaluation]):
    """Several models on the same folds: a mapping of names to evaluations."""

    models: Mapping[str, FoldEvaluation]

    more: ClassVar[str] = ".test(measure, rope=0.01)"

    @property
    def _parts(self) -> Mapping[str, FoldEvaluation]:
        return self.models

    # ------------------------------------------------------------------ tests

    def test(
        self,
        measure: str | Measure = "auc",
        *,
        rope: float = 0.0,
        a: str | None = None,
        b: str | None = None,
        level: float = LEVEL,
        **parameters: Any,
    ) -> FoldTest:
        """Test whether two models differ, by the corrected t test and the Bayesian correlated t test.

        Args:
            measure: The measure, by name or alias.
            rope: The region of practical equivalence: differences up to this size count as practically the same.
            a: The first model; the first of all when None.
            b: The second; the second of all when None.
            level: The level of the interval.
            **parameters: The parameters of the measure, and where it is cut.
        """
        names = list(self.models)
        a = names[0] if a is None else check_text(a, "a", names[0])
        b = next(name for name in names if name != a) if b is None else check_text(b, "b", names[-1])
        if a == b:
            raise ParameterError(f"Both models are {a!r}", "pass two different ones")
        level, rope = check_level(level), _check_rope(rope)
        chosen = use_alias(MEASURES[measure], measure)
        first, second = (self[name].fold_values(chosen, **parameters) for name in (a, b))
        difference, notes = self._compute_difference(a, b, chosen, parameters)
        oriented = self._turn_to_first(chosen, difference)
        posterior = correlated_t(oriented, rope)
        return FoldTest(
            str(chosen),
            chosen.title,
            a,
            b,
            first.value,
            second.value,
            difference.value,
            *difference.limits(level),
            level,
            difference.t,
            difference.degrees_of_freedom,
            difference.p_value,
            posterior.worse,
            posterior.same,
            posterior.better,
            rope,
            notes=notes,
        )

    def tests(self, measure: str | Measure = "auc", *, rope: float = 0.0, level: float = LEVEL) -> list[FoldTest]:
        """Test all pairs of models, with p-values adjusted by Holm.

        Args:
            measure: The measure, by name or alias.
            rope: The region of practical equivalence.
            level: The level of the intervals.
        """
        pairs = list(itertools.combinations(self.models, 2))
        results = [self.test(measure, rope=rope, a=a, b=b, level=level) for a, b in pairs]
        if len(results) == 1:
            return results
        adjusted = holm([test.p_value for test in results])
        return [replace(test, p_holm=p) for test, p in zip(results, adjusted, strict=True)]

    def _compute_difference(
        self, a: str, b: str, measure: Measure, parameters: Mapping[str, Any]
    ) -> tuple[FoldMean, tuple[str, ...]]:
        model_a, model_b = self[a], self[b]
        first, second = (model.fold_values(measure, **parameters) for model in (model_a, model_b))
        if bool(first.pooled) != bool(second.pooled):  # both the same way, or their folds are not comparable
            raise InputError(
                f"{measure.title} can be averaged over the folds of one model only", "choose another measure"
            )
        gaps = first.values - second.values
        if not np.isfinite(gaps).all():
            raise InputError(f"{measure.title} is undefined or infinite in some folds", "choose another measure")
        more = model_a.compute_prevalence_variance(first.slope - second.slope)
        mean = nadeau_bengio(gaps, model_a.folds, model_a.test_to_train, more)
        notes = (f"{first.pooled}: the folds of each repeat were pooled.",) if first.pooled else ()
        return replace(mean, value=first.value - second.value), notes

    @staticmethod
    def _turn_to_first(measure: Measure, difference: FoldMean) -> FoldMean:
        """Return the difference so that positive means a is better."""
        if measure.better is None:
            raise ParameterError(
                f"{measure.name} is neither better nor worse when it is higher", "choose another measure to compare by"
            )
        return difference if measure.better == "higher" else replace(difference, value=-difference.value)

    # ------------------------------------------------------------------ views

    def summary(self, measures: Iterable[str] | str | None = None, *, rope: float = 0.0, level: float = LEVEL) -> Table:
        """Return a table with a row for each measure and pair of models.

        Args:
            measures: The measures; common ones when None.
            rope: The region of practical equivalence.
            level: The level of the intervals.
        """
        level, rope = check_level(level), _check_rope(rope)
        ranking = next(iter(self.values())).ranking
        compared = (
            [name for name in SHOWN if MEASURES[name].fits(ranking)] if measures is None else list_measures(measures)
        )
        tests = [test for measure in compared for test in self.tests(measure, rope=rope, level=level)]
        values = ("measure", "a", "b", "value_a", "value_b", "difference", "low", "high", "p_value", "p_holm")
        names = (*values, "better", "same", "worse", "rope")
        rows = tuple(tuple(to_json_value(getattr(test, name)) for name in names) for test in tests)
        first = next(iter(self.values()))
        title = f"{format_count(len(self), 'model')} on {first.design}; difference is a minus b, better is P(a better)"
        hidden = ("rope",) if rope else ("rope", "same")
        return Table(names, rows, title=title, hidden=hidden, below=tuple(str(note) for note in self.notes))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes on the numbers."""
        first = next(iter(self.values()))
        text = (
            "The test is cautious: two models that were equally good differed significantly at 5 % in 0 to 7 % of "
            "simulated "
            "samples, 2 % on average (docs/cross-validation.md)."
        )
        return (*(note for note in first.notes if note.rule != "cautious"), Note("cautious", text))

    @property
    def verdict(self) -> str:
        """Return the result for the AUC, a sentence for each pair."""
        return "\n".join(test.verdict for test in self.tests("auc"))

    def to_dict(self, *, rope: float = 0.0, level: float = LEVEL) -> dict[str, Any]:
        """Return the tests, ready for JSON.

        Args:
            rope: The region of practical equivalence.
            level: The level of the intervals.
        """
        first = next(iter(self.values()))
        return {
            "schema": "cutline/fold-comparison/1",
            "models": list(self.models),
            "cross_validation": {"folds": first.folds, "repeats": first.repeats},
            "tests": self.summary(rope=rope, level=level).to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }

    def chart(
        self,
        name: str = "posterior",
        *,
        measure: str = "auc",
        rope: float = 0.0,
        a: str | None = None,
        b: str | None = None,
        **look: Any,
    ) -> Picture:
        """Draw the posterior distribution of the difference of two models.

        Args:
            name: "posterior".
            measure: The measure.
            rope: The region of practical equivalence.
            a: The first model.
            b: The second.
            **look: `theme` and `title`.
        """
        if not is_among(name, ["posterior"]):
            raise ParameterError(
                f"is {shorten_repr(name)}", "pass 'posterior'; single models have more charts", argument="name"
            )
        from cutline.charts import fold_charts

        test = self.test(measure, rope=rope, a=a, b=b)
        chosen = use_alias(MEASURES[measure], measure)
        mean = self._turn_to_first(chosen, self._compute_difference(test.a, test.b, chosen, {})[0])
        posterior = Posterior(test.worse, test.same, test.better, test.rope)
        title = test.title if chosen.better == "higher" else f"{test.title}, lower is better: advantage"
        return fold_charts.draw_posterior(mean, posterior, (test.a, test.b), title, **look)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False, level: float = LEVEL) -> Path:
        """Write the page (.html), the numbers (.json, .csv) or the picture (.png, .svg, .pdf), by the suffix.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced; refused otherwise.
            level: The level of the intervals.
        """
        save: Any = import_module("cutline.report").save_comparison  # the report stands above: loaded by name
        target: Path = save(self, path, overwrite=overwrite, level=level)
        return target

    def __repr__(self) -> str:
        try:
            return super().__repr__()
        except CutlineError as error:  # such as a fold of one class
            return f"Comparison of {join_with_and([*self])} on folds. {error}"


@public
def compare_folds(
    labels: Any,
    models: Mapping[str, Any] | Iterable[str],
    folds: Any = None,
    repeats: Any = None,
    *,
    data: Any = None,
    **options: Any,
) -> FoldComparison:
    """Compare models on the same folds of a cross-validation.

    Args:
        labels: The true classes; with `data`, the name of their column. None where `models` are evaluations.
        models: The out-of-fold scores of each model by name, or what `evaluate(folds=)` or `cross_validate` gave; with
            `data`, the names of the columns.
        folds: The fold of each case.
        repeats: The repeat of each case, where the cases were split several times.
        data: A data frame of any kind or the path of files.
        options: More of what `evaluate` takes: positive, threshold, train_sizes, missing.

    >>> labels, folds = [1, 0, 1, 0, 1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 2, 2]
    >>> a, b = [0.9, 0.2, 0.7, 0.1, 0.8, 0.3, 0.9, 0.6], [0.9, 0.2, 0.4, 0.5, 0.8, 0.9, 0.7, 0.6]
    >>> compare_folds(labels, {"a": a, "b": b}, folds).test("auc").difference
    0.375
    """
    if not isinstance(models, Mapping | Sequence) or isinstance(models, str):
        found_type = type(models).__name__
        raise InputError(f"is of type {found_type}", "pass the scores of each model by name", argument="models")
    named: Mapping[Any, Any] = (
        models if isinstance(models, Mapping) else {check_text(name, "models", "score"): name for name in models}
    )
    if len(named) < 2:
        raise InputError(f"has {format_count(len(named), 'model')}", "pass at least two", argument="models")
    if all(isinstance(model, FoldEvaluation) for model in named.values()):
        evaluations: dict[str, FoldEvaluation] = {str(name): model for name, model in named.items()}
    else:
        if folds is None:
            raise InputError("is missing", "pass the fold of each case", argument="folds")
        if data is not None:
            data = column_source.open_source(data)
        evaluations = {
            str(name): evaluate_folds(
                labels, scores, folds=folds, repeats=repeats, data=data, name=str(name), **options
            )
            for name, scores in named.items()
        }
    _check_same_folds(evaluations)
    return FoldComparison(evaluations)


def _check_same_folds(models: Mapping[str, FoldEvaluation]) -> None:
    """Raise if the models have different folds, as their differences could not be compared."""
    (first, model), *others = models.items()
    sizes = [(part.positives.item(), part.negatives.item()) for own in model.parts for part in own]
    for name, other in others:
        same = other.folds == model.folds and other.repeats == model.repeats
        if not same or [(part.positives.item(), part.negatives.item()) for own in other.parts for part in own] != sizes:
            raise InputError(f"{first} and {name} have different folds", "split both by the same splitter and seed")


_LARGEST_ROPE = 1e100  # beyond which differences with it would leave the range of floats


def _check_rope(rope: Any) -> float:
    size = check_number(rope, "rope")
    if not 0 <= size <= _LARGEST_ROPE:
        raise ParameterError(
            f"is {size:g}", "pass the largest difference that does not matter, 0 or more", argument="rope"
        )
    return size
