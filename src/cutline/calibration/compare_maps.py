"""worth_recalibrating(): compare methods of recalibration by cross-fitting."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from cutline.calibration.maps import METHODS, apply_map, fit_map
from cutline.calibration.recalibration import check_ranking
from cutline.core.array_ops import Array
from cutline.core.errors import Argument, InputError, ParameterError, Text, shorten_repr
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_choice, check_level, check_whole
from cutline.inference.resampling.binning import bin_scores
from cutline.results.estimate import quantile

_MOST = 100_000_000  # cases, each of which is put into a fold
_LONG = 10_000  # distinct probabilities, beyond which maps are fitted and judged in bins
_PER_ROOT = 25  # bins for each square root of a case of the smaller class
FREE = {"intercept": 1, "logistic": 2, "beta": 3}  # parameters of the maps that can leave everything as it is


class MapComparison(NamedTuple):
    """A method: its cross-fitted log loss and Brier score, and by how much it lowers the log loss, with an interval.

    `p_value` is that of the likelihood ratio test that nothing needs to be changed; NaN for maps that are not a few
    parameters. It is sharper than the interval, which compares two losses as if neither map were a case of the other.
    """

    method: str
    log_loss: float
    brier: float
    gain: float
    low: float
    high: float
    standard_error: float
    p_value: float = math.nan


@dataclass(frozen=True, eq=False)
class Worth(ComparedByFields):
    """Whether recalibration is worth it: the candidates, the best of them, and the verdict in words.

    `best` is "none" unless some method lowers the log loss on cases that it was not fitted on, and by more than chance
    would: its interval is above 0, or a likelihood ratio test (Bonferroni's level) rejects that nothing needs to be
    changed. Among those that do, it is the simplest that is no worse than the best by more than a standard error
    of their difference.
    """

    candidates: tuple[MapComparison, ...]
    best: str
    verdict: str
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "schema": "cutline/worth/1",
            "best": self.best,
            "verdict": self.verdict,
            "level": self.level,
            "candidates": [
                {k: to_json_value(v) for k, v in candidate._asdict().items()} for candidate in self.candidates
            ],
        }

    def __repr__(self) -> str:
        # The p-value tests something else than the interval is about: the verdict has it where it decides.
        # Gains have the decimals of the losses: what does not change these is nothing.
        gains = [[round(gain, 4) + 0.0 for gain in (c.gain, c.low, c.high)] for c in self.candidates]
        rows = tuple((c.method, c.log_loss, c.brier, *own) for c, own in zip(self.candidates, gains, strict=True))
        below = f"gain: by how much the log loss of new cases falls; low and high: its {100 * self.level:g} % interval."
        table = Table(("method", "log loss", "Brier", "gain", "low", "high"), rows, below=(below,))
        return f"{self.verdict}\n\n{table!r}"


@public
def worth_recalibrating(
    ev: Any, methods: tuple[str, ...] = METHODS, *, folds: int = 10, level: float = LEVEL, seed: int = 0
) -> Worth:
    """Compare doing nothing with each method, always on cases that the map was not fitted on.

    Args:
        ev: What `evaluate` gives, or a `Ranking`; its scores are probabilities.
        methods: The methods to try.
        folds: How many parts the cases are divided into; each is judged by a map fitted on the others.
        level: The level of the intervals of the gains.
        seed: Makes the division reproducible.

    Returns:
        The candidates and the verdict.
    """
    r, level = getattr(ev, "ranking", ev), check_level(level)
    if not isinstance(r, Ranking):
        raise InputError(f"is {shorten_repr(ev)}", "pass what evaluate() gives, or a ranking", argument="ev")
    check_ranking(r)
    if getattr(ev, "groups", None) is not None:
        remedy = "pass ev.ranking to treat the cases as independent"
        raise ParameterError("The cases come in groups, which the folds would split", remedy)
    folds, seed = check_whole(folds, "folds", 2), check_whole(seed, "seed", 0)
    if not isinstance(methods, tuple | list):
        raise ParameterError(f"is {shorten_repr(methods)}", f"pass some of {METHODS}", argument="methods")
    methods = tuple(check_choice(method, "methods", METHODS) for method in methods)
    if not r.integral:
        raise ParameterError("The weights are not whole numbers, so the cases cannot be divided into folds.")
    if min(int(r.positives), int(r.negatives)) < 2 * folds:
        remedy = Text("pass more, or a smaller ", Argument("folds"))
        raise InputError(f"A class has fewer than {2 * folds} cases", remedy)
    if r.total > _MOST:
        remedy = "pass a sample of them, or say in evaluate() what the weights are"
        raise InputError(f"The weights count as {int(r.total):,} cases, too many to divide into folds", remedy)
    base, short = _compute_losses([(r.key, r)]), _shorten(r)
    parts = _divide_into_folds(short, folds, np.random.default_rng(seed))
    candidates = [MapComparison("none", base.mean, base.brier, 0.0, 0.0, 0.0, 0.0)]
    verdicts = [_judge(short, parts, method, level) for method in methods]
    in_bins = base if short is r else _compute_losses([(short.key, short)])
    candidates += [_shift_losses(candidate, base, in_bins) for candidate, _ in verdicts]
    best = _choose_best(candidates, {candidate.method: gains for candidate, gains in verdicts}, level)
    return Worth(tuple(candidates), best, _write_verdict(candidates, best, level), level)


def _shorten(r: Ranking) -> Ranking:
    """Put a long ranking into about five thousand bins of mean probabilities, which does not affect the maps."""
    bins = bin_scores(r, per_root=_PER_ROOT) if len(r) > _LONG else None
    return r if bins is None else replace(bins.ranking, exact=r.exact, reach=r.reach)


def _shift_losses(candidate: MapComparison, exact: _Losses, in_bins: _Losses) -> MapComparison:
    """Return a candidate with its losses shifted from those in bins to those of the whole list."""
    moved = candidate.log_loss + exact.mean - in_bins.mean, candidate.brier + exact.brier - in_bins.brier
    return candidate._replace(log_loss=moved[0], brier=moved[1])


def _divide_into_folds(r: Ranking, folds: int, rng: np.random.Generator) -> list[Ranking]:
    """Divide the cases at random into folds of equal size, stratified by class."""

    def divide(cells: Array) -> Array:
        cell = np.repeat(np.arange(len(cells)), cells.astype(int))
        fold = rng.permutation(np.arange(len(cell)) % folds)
        return np.array([np.bincount(cell[fold == i], minlength=len(cells)) for i in range(folds)])

    pos, neg = divide(r.pos), divide(r.neg)
    return [replace(r, pos=p, neg=n, pos2=p, neg2=n) for p, n in zip(pos, neg, strict=True)]


class _Losses(NamedTuple):
    mean: float
    brier: float


def _compute_log_losses(p: Array) -> tuple[Array, Array]:
    inside = np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps)
    return -np.log(inside), -np.log1p(-inside)


def _compute_losses(predictions: list[tuple[Array, Ranking]]) -> _Losses:
    total = sum(float(part.total) for _, part in predictions)
    log = brier = 0.0
    for p, part in predictions:
        of_positive, of_negative = _compute_log_losses(p)
        log += float(part.pos @ of_positive + part.neg @ of_negative)
        brier += float(part.pos @ (1 - p) ** 2 + part.neg @ p**2)
    return _Losses(log / total, brier / total)


class _Gains(NamedTuple):
    """By how much a method lowers the log loss of each kind of case, and how many cases there are of it."""

    cases: Array
    gain: Array

    @property
    def mean(self) -> float:
        return float(self.cases @ self.gain / self.cases.sum())

    @property
    def standard_error(self) -> float:
        n = self.cases.sum()
        return math.sqrt(float(self.cases @ (self.gain - self.mean) ** 2) / n / (n - 1))

    def subtract(self, other: _Gains) -> _Gains:
        """Return the gain over another method on the same cases."""
        return _Gains(self.cases, self.gain - other.gain)


def _judge(r: Ranking, parts: list[Ranking], method: str, level: float) -> tuple[MapComparison, _Gains]:
    predictions, gains = [], []
    for part in parts:
        pos, neg = r.pos - part.pos, r.neg - part.neg
        rest = replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg)
        p = apply_map(method, fit_map(rest, method), r.key)
        predictions.append((p, part))
        for cells, old, new in zip(
            (part.pos, part.neg), _compute_log_losses(r.key), _compute_log_losses(p), strict=True
        ):
            gains.append((cells.astype(float), old - new))
    losses, gained = (
        _compute_losses(predictions),
        _Gains(*(np.concatenate(column) for column in zip(*gains, strict=True))),
    )
    mean, error = gained.mean, gained.standard_error
    half = quantile(level) * error
    p_value = _test_change(r, method)
    return MapComparison(method, losses.mean, losses.brier, mean, mean - half, mean + half, error, p_value), gained


def _test_change(r: Ranking, method: str) -> float:
    """Return the p-value of the likelihood ratio test that the map is the identity, for maps with few parameters."""
    from scipy.special import chdtrc

    if method not in FREE:
        return math.nan
    before, after = (_compute_losses([(p, r)]).mean for p in (r.key, apply_map(method, fit_map(r, method), r.key)))
    return float(chdtrc(FREE[method], 2 * float(r.total) * max(before - after, 0.0)))


def _choose_best(candidates: list[MapComparison], gains: dict[str, _Gains], level: float) -> str:
    tail = (1 - level) / max(sum(candidate.method in FREE for candidate in candidates), 1)
    better = [
        candidate for candidate in candidates if candidate.gain > 0 and (candidate.low > 0 or candidate.p_value < tail)
    ]
    if not better:
        return "none"
    top = max(better, key=lambda candidate: candidate.gain)
    lag = {candidate.method: gains[top.method].subtract(gains[candidate.method]) for candidate in better}
    near = [candidate for candidate in better if lag[candidate.method].mean <= lag[candidate.method].standard_error]
    return min(near, key=lambda candidate: METHODS.index(candidate.method)).method


def _write_verdict(candidates: list[MapComparison], best: str, level: float) -> str:
    tried = ", ".join(candidate.method for candidate in candidates[1:])
    if best == "none":
        return f"Leave it: no method ({tried}) lowers the log loss on new cases by more than chance would."
    chosen = next(candidate for candidate in candidates if candidate.method == best)
    interval = f"{100 * level:g} % interval {format_value(chosen.low)} to {format_value(chosen.high)}"
    gain = f"{format_value(chosen.gain)} ({interval})"
    test = f" A likelihood ratio test rejects leaving them as they are (p {format_p(chosen.p_value)})."
    evidence = "" if chosen.low > 0 else test
    return f"Recalibrate with the method {best!r}: it lowers the log loss on new cases by {gain}.{evidence}"
