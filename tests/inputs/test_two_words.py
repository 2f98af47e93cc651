"""Long columns of two words are ranked by codes: with the same result and the same refusals as row by row."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cutline as cl
from cutline.inputs import labels as module
from cutline.inputs.labels import read_two_words

RNG = np.random.default_rng(5)
N = 12_000
WORDS = np.where(RNG.random(N) < 0.3, "yes", "no")
SCORES = RNG.random(N).round(3)
KINDS = {
    "objects": lambda words: np.array(words, dtype=object),
    "pandas text": lambda words: pd.Series(words, dtype="str"),
    "pandas objects": lambda words: pd.Series(words, dtype=object),
    "pandas categories": lambda words: pd.Series(words, dtype="category"),
    "polars text": pl.Series,
    "polars categories": lambda words: pl.Series(words).cast(pl.Categorical),
    "polars enum": lambda words: pl.Series(words).cast(pl.Enum(["no", "unused", "yes", "perhaps"])),
    "pyarrow": lambda words: pa.chunked_array([words[:5000], words[5000:]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_codes_rank_as_rows_do(kind, monkeypatch):
    column = KINDS[kind](WORDS.tolist())
    weights = np.where(np.arange(N) < 100, 0, 1)  # the first rows are left out
    asked = [({}, None), ({"missing": "drop"}, None), ({}, weights)]
    short = [cl.rank(column, SCORES, w, positive="yes", **options) for options, w in asked]
    if kind != "pyarrow":
        assert read_two_words(column) is not None
    monkeypatch.setattr(module, "_WORTH_CODES", N + 1)
    assert read_two_words(column) is None
    assert short == [cl.rank(column, SCORES, w, positive="yes", **options) for options, w in asked]


def _told(column, **options):
    with pytest.raises(cl.CutlineError) as error:
        cl.rank(column, SCORES, **options)
    return str(error.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("words", "options"),
    [
        (np.where(WORDS == "yes", "perhaps", "unused").tolist(), {}),
        (WORDS.tolist(), {"positive": "perhaps"}),
        (WORDS.tolist(), {"positive": 1}),
        (["no"] * N, {"positive": 1}),
        ([*WORDS[:-1].tolist(), "perhaps"], {"positive": "yes"}),
        ([*WORDS[:-1].tolist(), None], {"positive": "yes"}),
    ],
)
def test_codes_are_refused_as_rows_are(kind, words, options, monkeypatch):
    column = KINDS[kind](words)
    told = _told(column, **options)
    monkeypatch.setattr(module, "_WORTH_CODES", N + 1)
    assert told == _told(column, **options)


def test_one_word_and_masked_words():
    every = pl.Series(["no"] * N)
    assert cl.rank(every, SCORES, positive="yes").positives == 0
    assert cl.rank(every, SCORES, positive="no").negatives == 0
    masked = np.ma.MaskedArray(WORDS.astype(object), mask=np.arange(N) == 7)
    assert "1 missing value" in _told(masked, positive="yes")
