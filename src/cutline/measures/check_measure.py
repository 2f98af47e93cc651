"""check_measure(): what every measure promises, found out on small data that cover the corners.

Each law takes a measure and data, and says in a sentence where they disagree. The measures of cutline keep the same
laws, on these data and on random ones.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core.counts import Counts, TrustedCounts, divide
from cutline.core.errors import CutlineError
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.inputs.rank import rank
from cutline.measures.forms import LinearInAuc, MeanOfCases, Proportion
from cutline.measures.measure_type import Measure, Needs
from cutline.measures.metadata import Context
from cutline.measures.registry import MEASURES

_CLOSE = {"rtol": 1e-9, "atol": 1e-12}
_SIZES = ((3, 5), (5, 3), (6, 54))  # of the two classes
_FLAGGED = (0.1, 0.5, 0.8)
_MOST = 3  # findings of one law: more of the same would hide the other laws


Law = Callable[[Measure, Ranking], Iterator[str]]


class ContractError(CutlineError):
    """A measure that does not keep what it declares; `findings` holds a sentence for each disagreement."""

    def __init__(self, name: str, findings: tuple[str, ...]) -> None:
        super().__init__(
            f"The measure {name} does not keep what it declares:" + "".join(f"\n- {finding}" for finding in findings)
        )
        self.name, self.findings = name, findings

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.findings)


@public
def check_measure(measure: str | Measure) -> None:
    """Raise a `ContractError` that says where a measure does not keep what it declares.

    The measure is computed on some dozens of small data sets: its values are inside the declared range; a perfect model
    and a score without information get the declared values; it is undefined exactly where it says so; a weight is a
    repetition; a stack of resamples gives what one after the other gives; it can be stored. In a test of your own:
    `def test_my_measure(): cutline.check_measure("my_measure")`.

    Args:
        measure: the measure, or its name.

    >>> check_measure("auc")
    """
    chosen = MEASURES[measure]
    problems: list[str] = []
    for law in LAWS:
        problems += _collect_findings(partial(law, chosen))
    for on_ranking in RANKING_LAWS:
        problems += _collect_findings(partial(_check_on_small_rankings, on_ranking, chosen))
    if problems:
        raise ContractError(chosen.name, tuple(dict.fromkeys(problems)))


def _check_on_small_rankings(law: Law, m: Measure) -> Iterator[str]:
    return chain.from_iterable(law(m, ranking) for ranking in make_small_rankings())


def _collect_findings(findings: Callable[[], Iterator[str]]) -> list[str]:
    """Return the first few findings of a law; an error of the definition counts as one."""
    problems: list[str] = []
    try:
        for finding in findings():
            problems.append(finding)
            if len(problems) == _MOST:
                break
    except Exception as error:  # whatever a definition may raise
        problems.append(f"The definition raises {type(error).__name__}: {error}")
    return problems


# ---------------------------------------------------------------------- the data


def make_small_rankings() -> list[Ranking]:
    """Rankings of one to six distinct scores: all classes and none, ties, the probabilities 0 and 1."""
    cells = ((1, 0), (0, 1), (1, 2), (2, 1))
    rankings = [_make_ranking([0.6], [cell]) for cell in cells]
    rankings += [_make_ranking([0.8, 0.3], pair) for pair in product(cells, cells)]
    rng = np.random.default_rng(0)
    for size in (3, 4, 5, 6, 6, 6):
        score = np.sort(rng.choice(9, size, replace=False) / 8)[::-1]
        cells_of_both = 1 + rng.integers(0, 4, (size, 2))
        cells_of_both[:2, 0] = 0  # the list begins with negatives only
        rankings.append(_make_ranking(score, cells_of_both))
    return rankings


def _make_ranking(score: npt.ArrayLike, cells: npt.ArrayLike) -> Ranking:
    return Ranking.of_counts(score, *np.array(cells).T)


def fix_parameters(m: Measure, total: float = math.inf) -> Measure:
    """Return the measure with an example for each required parameter; a quota is at most the number of cases."""
    examples = {name: m.parameters[name].example for name in m.required}
    if "quota" in examples:
        examples["quota"] = max(1, min(examples["quota"] or 1, int(min(total, 3))))
    return m.with_(**examples)


def compute_values(m: Measure, ranking: Ranking) -> Any:
    """Return the measure of the ranking, or of its tables at every cut."""
    chosen = fix_parameters(m, float(np.min(ranking.total)))
    return chosen.compute(ranking.counts if m.needs is Needs.COUNTS else ranking)


def are_equal(actual: npt.ArrayLike, expected: npt.ArrayLike) -> bool:
    """Whether two values are the same up to rounding; two that are undefined are."""
    return np.shape(actual) == np.shape(expected) and np.allclose(actual, expected, equal_nan=True, **_CLOSE)


def _describe(r: Ranking | Counts) -> str:
    """Describe the data of a finding in a few words."""
    if isinstance(r, Counts):
        return repr(r)
    return f"the scores {r.score.tolist()} with {r.pos.tolist()} positives and {r.neg.tolist()} negatives"


# ---------------------------------------------------------------------- a perfect model, and no information


def make_perfect_data(needs: Needs, s: Context) -> Counts | Ranking:
    """Return the data of a perfect model: every positive flagged and no negative, or scores that are the labels."""
    positives, negatives = _compute_class_sizes(s)
    if needs is Needs.COUNTS:
        return Counts(tp=positives, fp=0, fn=0, tn=negatives, threshold=s.threshold)
    return Ranking.of_counts([1.0, 0.0 if needs is not Needs.MARGINS else -1.0], [positives, 0], [0, negatives])


def make_baseline_data(needs: Needs, s: Context) -> Counts | Ranking:
    """Return what a score without information is: flags whatever the class, or one score for all."""
    if needs is Needs.COUNTS:  # of numbers or of symbols
        positives, negatives, flagged = s.n * s.prevalence, s.n * (1 - s.prevalence), s.flagged
        table = (positives * flagged, negatives * flagged, positives * (1 - flagged), negatives * (1 - flagged))
        return TrustedCounts(*table, threshold=s.threshold)
    positives, negatives = _compute_class_sizes(s)
    score = s.prevalence if needs is Needs.PROBABILITIES else 0.0
    return Ranking.of_counts([score], [positives], [negatives])


def _compute_class_sizes(s: Context) -> tuple[float, float]:
    """Return the sizes of the classes, whole where they are up to rounding."""
    positives = s.n * s.prevalence
    whole = round(positives)
    positives = float(whole) if math.isclose(positives, whole, rel_tol=1e-9, abs_tol=1e-9) else positives
    return positives, s.n - positives


# ---------------------------------------------------------------------- laws of one ranking


def stays_in_range(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that every value is inside the declared range."""
    computed = np.atleast_1d(np.asarray(compute_values(m, r), dtype=float))
    low, high = m.range
    for value in computed[(computed < low - 1e-12) | (computed > high + 1e-12)].tolist():
        yield f"Its range is declared as {low:g} to {high:g}, but it is {value:g} for {_describe(r)}."


def is_undefined_where_it_says(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that the value is NaN exactly where a condition of `undefined=` holds."""
    chosen = fix_parameters(m, float(r.total))
    for data in [r.at_cut(cut) for cut in range(len(r) + 1)] if m.needs is Needs.COUNTS else [r]:
        value, reason = float(chosen.compute(data)), chosen.reason(data, **chosen.bound)
        if math.isnan(value) and not reason:
            yield f"It is NaN for {_describe(data)}, but no condition in undefined= holds there."
        elif reason and not math.isnan(value):
            yield f"It is declared undefined when {reason}, but it is {value:g} for {_describe(data)}."


def takes_a_weight_as_a_repetition(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that a case of weight 2 counts as two cases."""
    weight = np.concatenate((r.pos, r.neg))
    labels, scores = np.repeat([1, 0], len(r)), np.tile(r.score, 2)
    weighted, repeated = rank(labels, scores, weight), rank(labels.repeat(weight), scores.repeat(weight))
    with_weights, with_rows = compute_values(m, weighted), compute_values(m, repeated)
    if not are_equal(with_weights, with_rows):
        yield (
            f"A weight should count as a repetition, but with weights it is {with_weights}, and {with_rows} with "
            f"repeated rows, for {_describe(r)}."
        )


def keeps_to_the_scale_of_weights(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that scaling all weights changes nothing, where the measure says so."""
    weight = np.concatenate((r.pos, r.neg))
    scaled = rank(np.repeat([1, 0], len(r)), np.tile(r.score, 2), weight * 3)
    expected, actual = compute_values(m, r), compute_values(m, scaled)
    if m.scales and "quota" not in m.parameters and not are_equal(actual, expected):
        yield (
            f"Weights times 3 should change nothing, but they make {actual} of {expected} for {_describe(r)}: "
            "divide by a total, or declare scales=False."
        )


def ignores_empty_cells(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that scores without a case, as resamples leave them, change nothing."""
    if m.needs is Needs.COUNTS:
        return
    scores = np.union1d(r.score, [0.0, 0.4, 1.0])[::-1]
    pos, neg = np.zeros(len(scores), dtype=int), np.zeros(len(scores), dtype=int)
    where = np.searchsorted(-scores, -r.score)
    pos[where], neg[where] = r.pos, r.neg
    actual, expected = compute_values(m, Ranking(scores, pos, neg, pos, neg)), compute_values(m, r)
    if not are_equal(actual, expected):
        yield f"Scores without a case should change nothing, but they make {actual} of {expected} for {_describe(r)}."


def broadcasts(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that a stack of resamples gives the values of the single ones."""
    pos, neg = (np.stack((cells, cells[::-1], 2 * cells)) for cells in (r.pos, r.neg))
    chosen = fix_parameters(m, float(r.total))
    for stack in (Ranking(r.score, pos, neg, pos, neg), Ranking(r.score, pos[:1], neg[:1], pos[:1], neg[:1])):
        alone = [
            chosen.compute(ranking.counts if m.needs is Needs.COUNTS else ranking) for ranking in stack.one_by_one()
        ]
        stacked = chosen.compute(stack.counts if m.needs is Needs.COUNTS else stack)
        if np.shape(stacked) != np.shape(alone):
            yield (
                f"It should broadcast over leading axes: {len(alone)} resamples should give the shape "
                f"{np.shape(alone)}, but give {np.shape(stacked)}. Sum over axis=-1, or pass vectorised=False."
            )
        elif not are_equal(stacked, alone):
            yield f"It should give {alone} for a stack of resamples, as one by one, but gives {stacked}."


def is_the_same_however_called(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that arrays, the ranking and, for one cut, the table give the same number."""
    chosen = fix_parameters(m, float(r.total))
    repeated = np.concatenate((r.pos, r.neg))
    labels, scores = np.repeat([1, 0], len(r)).repeat(repeated), np.tile(r.score, 2).repeat(repeated)
    expected = chosen(labels, scores)
    forms: dict[str, Any] = {"a Ranking": r}
    if m.needs is Needs.COUNTS:
        forms["Counts"] = r.at_threshold(0.5)
    for words, data in forms.items():
        actual = chosen(data)
        if not isinstance(actual, float) or not are_equal(actual, expected):
            yield f"It is {expected!r} for labels and scores, but {actual!r} for the same cases as {words}."


def has_its_form(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that the value follows from the declared form, from which the interval is computed."""
    expected = _compute_by_form(m, r)
    actual = compute_values(m, r)
    if expected is not None and not are_equal(actual, np.where(np.isnan(actual), np.nan, expected)[()]):
        form = type(m.form).__name__
        yield f"It is declared as a {form} with the value {expected}, but it is {actual} for {_describe(r)}."


def _compute_by_form(m: Measure, r: Ranking) -> Any:
    if isinstance(m.form, Proportion):
        hits, among = m.form.of(r.counts)
        share = divide(hits, among)
        return share if m.form.then is float else m.form.then(share)
    if isinstance(m.form, LinearInAuc):
        with np.errstate(divide="ignore", invalid="ignore"):
            slope, intercept = m.form.of(r, **m.bound)
        return slope * float(divide(r.pairs.concordant + r.pairs.tied / 2, r.pairs.every)) + intercept
    if isinstance(m.form, MeanOfCases):
        chosen = fix_parameters(m, float(r.total))
        of_positive, of_negative = m.form.of(r, **chosen.defaults)
        gained = np.where(r.pos > 0, r.pos * of_positive, 0.0) + np.where(r.neg > 0, r.neg * of_negative, 0.0)
        return gained.sum() / float(r.total)
    return None


def gains_from_concordant_swaps(m: Measure, r: Ranking) -> Iterator[str]:
    """Check that it does not fall when a positive moves up past a negative, where the measure says so."""
    if not m.concordant or m.better is None or len(r) < 2 or not (r.pos[1] and r.neg[0]):
        return
    up = np.eye(1, len(r), 0, dtype=int)[0] - np.eye(1, len(r), 1, dtype=int)[0]
    better = Ranking.of_counts(r.score, r.pos + up, r.neg - up)
    sign = 1 if m.better == "higher" else -1
    with np.errstate(invalid="ignore"):  # infinite less infinite
        lost = sign * (np.asarray(compute_values(m, better)) - np.asarray(compute_values(m, r)))
    if (lost < -1e-12).any():
        yield f"It is declared concordant, but it loses {-lost.min():g} when a positive moves up in {_describe(r)}."


RANKING_LAWS: tuple[Law, ...] = (
    stays_in_range,
    is_undefined_where_it_says,
    takes_a_weight_as_a_repetition,
    keeps_to_the_scale_of_weights,
    ignores_empty_cells,
    broadcasts,
    is_the_same_however_called,
    has_its_form,
    gains_from_concordant_swaps,
)


# ---------------------------------------------------------------------- laws of the declaration


def declares_what_people_read(m: Measure) -> Iterator[str]:
    """Check title, meaning, range, direction, and words and examples for the parameters."""
    if not m.meaning:
        yield "It has no meaning: begin its docstring with a sentence that says what it is."
    if not m.range[0] < m.range[1]:
        yield f"Its range is declared as {m.range[0]:g} to {m.range[1]:g}: the first should be lower."
    if m.better not in ("higher", "lower", None):
        yield f"better is {m.better!r}: declare 'higher', 'lower' or None."
    for name in m.required:
        if m.parameters[name].example is None:
            yield f"Its parameter {name} has to be given: declare it as a Parameter with an example."


def is_perfect_for_a_perfect_model(m: Measure) -> Iterator[str]:
    """Check that scores that are the labels, or distinct scores in a perfect order, get the declared value."""
    for positives, negatives in _SIZES:
        n = positives + negatives
        chosen = fix_parameters(m, n)
        context = Context(positives / n, positives / n, n, 0.5)
        in_order = np.concatenate((np.arange(positives, 0, -1) + 1.0, -np.arange(negatives) - 2.0))
        data = [make_perfect_data(m.needs, context)]
        if m.needs in (Needs.RANKING, Needs.MARGINS):
            data.append(rank([1] * positives + [0] * negatives, in_order))
        expected = m.perfect.at(context, **chosen.defaults)
        computed = [float(chosen.compute(sample)) for sample in data if not chosen.reason(sample, **chosen.bound)]
        if computed and not math.isnan(expected) and not any(are_equal(value, expected) for value in computed):
            got = " and ".join(f"{value:g}" for value in computed)
            yield (
                f"Its value for a perfect model is declared as {expected:g}, but it is {got} for "
                f"{_describe_context(context)}."
            )


def has_its_baseline(m: Measure) -> Iterator[str]:
    """Check that a constant score, or flags that do not depend on the class, get the declared baseline."""
    for (positives, negatives), flagged in product(_SIZES, _FLAGGED):
        n = positives + negatives
        chosen = fix_parameters(m, n)
        quota = chosen.bound.get("quota", flagged * n)
        context = Context(positives / n, quota / n, n, 0.2)
        data = make_baseline_data(m.needs, context)
        if chosen.reason(data, **chosen.bound):
            continue
        expected, actual = m.baseline.at(context, **chosen.defaults), float(chosen.compute(data))
        if not math.isnan(expected) and not are_equal(actual, expected):
            yield f"Its baseline is declared as {expected:g}, but it is {actual:g} for {_describe_context(context)}."


def is_better_when_perfect(m: Measure) -> Iterator[str]:
    """Check that a perfect model is not worse than one without information."""
    chosen = fix_parameters(m)
    context = Context(prevalence=0.3, flagged=chosen.bound.get("quota", 3) / 100, n=100, threshold=0.2)
    perfect, baseline = (value.at(context, **chosen.defaults) for value in (m.perfect, m.baseline))
    if (m.better == "higher" and perfect < baseline) or (m.better == "lower" and perfect > baseline):
        yield f"It is better when {m.better}, but a perfect model gets {perfect:g}, and the baseline is {baseline:g}."


def can_be_stored(m: Measure) -> Iterator[str]:
    """Check that the pickled measure comes back unchanged."""
    if m.name in MEASURES and MEASURES[m.name] is m and pickle.loads(pickle.dumps(m)) is not m:  # noqa: S301
        yield "It comes back from pickle as another measure."


def _describe_context(s: Context) -> str:
    return f"a prevalence of {s.prevalence:g}, {s.flagged:.0%} of {s.n:g} cases flagged"


LAWS: tuple[Callable[[Measure], Iterator[str]], ...] = (
    declares_what_people_read,
    is_perfect_for_a_perfect_model,
    has_its_baseline,
    is_better_when_perfect,
    can_be_stored,
)
