"""A short run of the fuzzer, and every seed that ever failed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import fuzz

# Files and calls that ended in a traceback, a crash, a hang or a wrong number once.
FILES = [*range(40), 591]
CALLS = [0, 18, 35, 130, 149, 382, 470, 575, 757, 842, 1169, 1349, 1540, 1541, 1552, 2280, 2658, 3268, 6744, 201771]


@pytest.mark.parametrize(("kind", "seeds"), [("files", FILES), ("calls", CALLS), ("calls", range(10_000, 10_150))])
def test_hostile_inputs_end_in_a_result_or_a_sentence(kind, seeds):
    outcomes, failures = fuzz.fuzz(kind, seeds)

    assert failures == []
    assert outcomes["refused"]
    assert outcomes["read"] + outcomes["checked"] or seeds is CALLS  # of which all are refused now


def test_the_fuzzer_sees_what_is_wrong(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("y,p\n1,0.9\n0,0.1\n", encoding="utf-8")
    wrong = '{"measures": [{"measure": "auc", "value": 0.5}]}'
    right = '{"measures": [{"measure": "auc", "value": 1.0}]}'

    assert fuzz.judged(path, [], wrong) == "misread"
    assert fuzz.judged(path, [], right) == "checked"
    assert fuzz.expected(path, ["--lower-is-positive"]) == {"positives": 1, "negatives": 1, "auc": 0}


def test_a_seed_is_one_input():
    assert fuzz.case(7) == fuzz.case(7)
    assert fuzz.case(7) != fuzz.case(8)
