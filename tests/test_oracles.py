"""cutline's values against those that other packages gave, frozen in `oracles/answers.json`.

`oracles/make_oracles.py` made the file and says how; these tests need none of the packages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cutline import MEASURES

FROZEN = json.loads((Path(__file__).parent / "oracles" / "answers.json").read_text())

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
