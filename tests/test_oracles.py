"""cutline's values against those that other packages gave, frozen in `oracles/answers.json`.

`oracles/make_oracles.py` made the file and says how; these tests need none of the packages. Intervals and tests are in
`oracles/inference.json`, by `oracles/make_inference_oracles.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, chi2

from cutline import MEASURES, Discordance, evaluate, mcnemar
from cutline.inference import delong
from cutline.inference.single.reference import METHODS

FROZEN = json.loads((Path(__file__).parent / "oracles" / "answers.json").read_text())
INFERENCE = json.loads((Path(__file__).parent / "oracles" / "inference.json").read_text())

# torchmetrics divides counts in single precision, whatever the type of the scores.
TOLERANCE = {"torchmetrics": {"rel": 1e-6, "abs": 1e-7}}


@pytest.mark.parametrize("peer", FROZEN["answers"])
def test_the_measures_agree_with_the_frozen_answers_of_the_peer(peer: str) -> None:
    tolerance = TOLERANCE.get(peer, {"rel": 1e-9, "abs": 1e-12})
    wrong = [
        f"{measure} of {data} with {parameters}: {value}, but {peer} said {answer}"
        for data, answers in FROZEN["answers"][peer].items()
        for measure, parameters, answer in answers
        for value in (MEASURES[measure](*FROZEN["data"][data].values(), **parameters),)
        if not agrees(value, answer, tolerance)
    ]

    assert wrong == []


def agrees(value: float, answer: float | str | None, tolerance: dict[str, float]) -> bool:
    """Whether a value is the answer of a peer; None where it refuses to divide by zero: NaN or infinite here."""
    return not np.isfinite(value) if answer is None else bool(value == pytest.approx(float(answer), **tolerance))


@pytest.mark.parametrize("peer", list(FROZEN["answers"]))
def test_the_file_states_the_version_of_each_peer_and_holds_an_answer_of_it(peer: str) -> None:
    assert FROZEN["versions"][peer]
    assert any(FROZEN["answers"][peer].values())


WITHOUT_PEER = ("wilson_modified", "mid_p")


@pytest.mark.parametrize("method", [name for name in METHODS if name not in WITHOUT_PEER])
def test_an_interval_of_a_proportion_agrees_with_the_frozen_one(method: str) -> None:
    rows = [row for row in INFERENCE["proportions"] if row[0] == method]
    assert len(rows) > 100, (
        f"add {method!r} to METHODS in tests/oracles/make_inference_oracles.py, or to WITHOUT_PEER and test it by hand"
    )
    for _, k, n, level, low, high in rows:
        found = np.clip(METHODS[method](k, n, level), 0, 1)  # the peer cuts them there
        if method == "jeffreys":  # an end that was observed is the limit here, and almost so there
            low, high = 0.0 if k == 0 else low, 1.0 if k == n else high
        assert found.tolist() == pytest.approx([low, high], rel=1e-8, abs=1e-10), (k, n, level)


@pytest.mark.parametrize(
    ("k", "n", "level"), [(1, 5, 0.95), (3, 5, 0.9), (7, 40, 0.999), (39, 40, 0.95), (500, 1000, 0.99)]
)
def test_the_limits_of_mid_p_leave_half_of_what_was_observed_in_each_tail(k: int, n: int, level: float) -> None:
    low, high = METHODS["mid_p"](k, n, level)
    assert binom.sf(k, n, low) + binom.pmf(k, n, low) / 2 == pytest.approx((1 - level) / 2, rel=1e-9)
    assert binom.cdf(k - 1, n, high) + binom.pmf(k, n, high) / 2 == pytest.approx((1 - level) / 2, rel=1e-9)


def test_the_modified_interval_is_the_frozen_one_of_wilson_with_the_limit_of_a_poisson_mean() -> None:
    rows = [row for row in INFERENCE["proportions"] if row[0] == "wilson"]
    modified = 0
    for _, k, n, level, low, high in rows:
        limits = [low, high]
        if k in (1, 2, 3) and k <= n / 5:
            limits[0] = min(low, chi2.ppf(1 - level, 2 * k) / 2 / n)
        if n - k in (1, 2, 3) and n - k <= n / 5:
            limits[1] = max(high, 1 - chi2.ppf(1 - level, 2 * (n - k)) / 2 / n)
        modified += limits != [low, high]
        found = np.array(METHODS["wilson_modified"](k, n, level))
        assert found.tolist() == pytest.approx(limits, rel=1e-8, abs=1e-10), (k, n, level)
    assert modified > 10


def test_mcnemar_agrees_with_the_frozen_p_values() -> None:
    for b, c, exact, asymptotic in INFERENCE["mcnemar"]:
        table = Discordance(b, c, n=100 + b + c)
        assert mcnemar(table, "exact") == pytest.approx(exact, rel=1e-9)
        assert mcnemar(table, "asymptotic") == pytest.approx(asymptotic, rel=1e-9, abs=1e-300)


def test_delong_agrees_with_the_published_areas_and_errors() -> None:
    told = INFERENCE["delong"]
    for name, expected in told["areas"].items():
        scores = told["scores"][name]
        ev = evaluate([1] * told["positives"] + [0] * (len(scores) - told["positives"]), scores)
        assert [round(float(x), 4) for x in (ev.auc, np.sqrt(delong.compute_variance(ev.ranking)))] == expected
