"""cutline's values against those that other packages gave, frozen in `oracles/answers.json`.

`oracles/make_oracles.py` made the file and says how; these tests need none of the packages. Intervals and tests are in
`oracles/inference.json`, by `oracles/make_inference_oracles.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from cutline import MEASURES, Discordance, evaluate, mcnemar
from cutline.inference import delong
from cutline.inference.single.reference import METHODS

FROZEN = json.loads((Path(__file__).parent / "oracles" / "answers.json").read_text())
INFERENCE = json.loads((Path(__file__).parent / "oracles" / "inference.json").read_text())

# torchmetrics divides counts in single precision, whatever the type of the scores.
TOLERANCE = {"torchmetrics": {"rel": 1e-6, "abs": 1e-7}}


def cases() -> Iterator[Any]:
    for peer, by_data in FROZEN["answers"].items():
        for data, answers in by_data.items():
            for measure, parameters, answer in answers:
                given = ",".join(
                    f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}"
                    for name, value in parameters.items()
                )
                yield pytest.param(peer, data, measure, parameters, answer, id=f"{peer}-{data}-{measure}({given})")


@pytest.mark.parametrize(("peer", "data", "measure", "parameters", "answer"), list(cases()))
def test_a_measure_agrees_with_the_frozen_answer_of_the_peer(
    peer: str, data: str, measure: str, parameters: dict[str, Any], answer: float | str | None
) -> None:
    value = MEASURES[measure](*FROZEN["data"][data].values(), **parameters)
    if answer is None:
        # The peer refuses to divide by zero: 0/0, which is NaN here, and x/0, which is infinite.
        assert not np.isfinite(value)
    else:
        assert value == pytest.approx(float(answer), **TOLERANCE.get(peer, {"rel": 1e-9, "abs": 1e-12}))


@pytest.mark.parametrize("peer", list(FROZEN["answers"]))
def test_the_file_states_the_version_of_each_peer_and_holds_an_answer_of_it(peer: str) -> None:
    assert FROZEN["versions"][peer]
    assert any(FROZEN["answers"][peer].values())


@pytest.mark.parametrize("method", [name for name in METHODS if name != "wilson_modified"])  # which no peer has
def test_an_interval_of_a_proportion_agrees_with_the_frozen_one(method: str) -> None:
    rows = [row for row in INFERENCE["proportions"] if row[0] == method]
    assert len(rows) > 100
    for _, k, n, level, low, high in rows:
        found = np.clip(METHODS[method](k, n, level), 0, 1)  # the peer cuts them there
        if method == "jeffreys":  # an end that was observed is the limit here, and almost so there
            low, high = 0.0 if k == 0 else low, 1.0 if k == n else high
        assert found.tolist() == pytest.approx([low, high], rel=1e-8, abs=1e-10), (k, n, level)


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
        assert [round(float(x), 4) for x in (ev.auc, np.sqrt(delong.variance(ev.ranking)))] == expected
