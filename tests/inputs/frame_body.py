"""What a frame of every engine has to do: one body of checks, which `test_frames` and `test_spark` run over all."""

import numpy as np
import pytest

from cutline import InputError, ParameterError, compare, evaluate, rank

ROWS = 300
RNG = np.random.default_rng(3)
COLUMNS = {
    "y": RNG.integers(0, 2, ROWS),
    "p": np.round(RNG.random(ROWS), 2),  # with ties
    "single": RNG.random(ROWS).round(2).astype(np.float32),
    "w": RNG.random(ROWS),
    "whole": RNG.integers(0, 4, ROWS),
    "g": RNG.integers(0, 20, ROWS),
}
COLUMNS["said"] = np.where(COLUMNS["y"] == 1, "yes", "no").astype(object)


def gives_the_ranking_of_its_arrays(frame, score, weight, higher):
    weights = None if weight is None else COLUMNS[weight]
    expected = rank(COLUMNS["y"], COLUMNS[score], weights, higher_is_positive=higher)
    found = rank("y", score, weight, data=frame, higher_is_positive=higher)
    assert found == expected
    assert found.score.dtype == expected.score.dtype
    assert found.pos.dtype == expected.pos.dtype
    assert (found.pos2 is found.pos) == (weight is None)


def reads_text_labels(frame):
    assert rank("said", "p", data=frame, positive="yes") == rank(COLUMNS["said"], COLUMNS["p"], positive="yes")
    assert rank("said", "p", data=frame) == rank("said", "p", data=frame, positive="yes")  # what else may it be
    with pytest.raises(InputError, match=r"labels \(column 'said'\) holds 'no' and 'yes', which|holds 3|is not among"):
        rank("said", "p", data=frame, positive="Yes")


def draws_groups(frame):
    asked = {"method": "bootstrap", "resamples": 50}
    expected = evaluate(COLUMNS["y"], COLUMNS["p"], groups=COLUMNS["g"]).estimate("auc", **asked)
    assert evaluate("y", "p", data=frame, groups="g").estimate("auc", **asked) == expected


def compares_models(frame):
    found = compare("y", {"a": "p", "b": "w"}, data=frame)
    here = compare(COLUMNS["y"], {"a": COLUMNS["p"], "b": COLUMNS["w"]})
    assert found["b"].ranking == rank(COLUMNS["y"], COLUMNS["w"])
    for how in ({"method": "delong"}, {"method": "bootstrap", "resamples": 50}):
        assert found.difference("auc", **how) == here.difference("auc", **how)


def is_sliced(frame):
    found = evaluate("y", "p", "whole", data=frame, by="g", threshold=0.4)
    here = evaluate(COLUMNS["y"], COLUMNS["p"], COLUMNS["whole"], by=COLUMNS["g"], threshold=0.4)
    assert list(found) == list(here) == list(range(20))
    for value, one in found.items():
        mine = COLUMNS["g"] == value
        assert one.ranking == rank(COLUMNS["y"][mine], COLUMNS["p"][mine], COLUMNS["whole"][mine])
        assert one.threshold == 0.4
    assert found.together.ranking == rank(COLUMNS["y"], COLUMNS["p"], COLUMNS["whole"])
    table = found.summary(["auc", "recall"], resamples=0)
    assert table.columns[:4] == ("g", "cases", "positives", "measure")
    assert len(table) == 42  # all cases, and twenty slices
    assert "20 slices by g" in repr(found)


SLICED = {
    **COLUMNS,
    "age": RNG.integers(18, 90, ROWS),
    "height": RNG.normal(1.7, 0.1, ROWS),
    "site": np.array(["north", "south", 'it\'s "east"'])[RNG.integers(0, 3, ROWS)].astype(object),
    "day": np.datetime64("2026-01-01", "us") + RNG.integers(0, 100, ROWS).astype("timedelta64[D]"),
    "time": np.datetime64("2026-01-01", "us") + RNG.integers(0, 10**6, ROWS).astype("timedelta64[s]"),
}
RULES = (
    "site",
    ["site", "g"],
    {"age": [18, 40, 65, 89]},
    {"height": [0, 1.65, 1.75, 3], "site": None},
    {"height": 4},
    {"height": 3, "g": None},
    "day",  # of 100 days, by month
    {"time": "day", "site": None},
)


def is_sliced_where_it_lives(frame, **how):
    """A frame of `SLICED`: the same to the bit as in memory, though nothing but cells leaves its engine."""
    here = {name: values.tolist() if values.dtype == object else values for name, values in SLICED.items()}
    for by in RULES:
        for weights, score, higher in ((None, "p", True), ("whole", "single", False)):
            options = {"by": by, "threshold": 0.4, "higher_is_positive": higher}
            found = evaluate("y", score, weights, data=frame, **options, **how)
            expected = evaluate("y", score, weights, data=here, **options)
            assert list(found) == list(expected)
            for key, one in found.items():
                assert one.ranking == expected[key].ranking
                assert one.ranking.pos.dtype == expected[key].ranking.pos.dtype
            assert found.overall.ranking == expected.overall.ranking
            if weights is None:
                rows = [one.summary(["auc", "recall"]).to_csv() for one in (found, expected)]
                assert rows[0] == rows[1]


def refuses_slices(frame, **how):
    """A frame of `SLICELESS`, in which two rows have no site, one no age, and one an age beyond the edges."""
    with pytest.raises(InputError, match=r"by.* holds 2 missing values \(NaN\)"):
        evaluate("y", "p", data=frame, by="site", **how)
    with pytest.raises(InputError, match="age has 1 value outside 0 to 60: pass edges that include all values"):
        evaluate("y", "p", data=frame, by={"age": [0, 40, 60]}, missing="drop", **how)
    with pytest.raises(InputError, match="site does not hold numbers, so it has no ranges"):
        evaluate("y", "p", data=frame, by={"site": [0, 1]}, missing="drop", **how)
    found = evaluate("y", "p", data=frame, by="site", missing="drop", **how)
    assert found.left_out == 2
    assert {key: (ev.ranking.total, ev.ranking.dropped) for key, ev in found.items()} == {"a": (3, 1), "b": (4, 0)}
    ages = evaluate("y", "p", data=frame, by={"age": [0, 40, 70]}, missing="drop", **how)
    assert (ages.left_out, list(ages)) == (1, ["[0, 40)", "[40, 70]"])


SLICELESS = {
    "y": [1, 0, 1, 0, 1, 0, 1, 0, 1, 0],
    "p": [0.9, 0.8, None, 0.3, 0.5, 0.4, 0.7, 0.2, 0.6, 0.1],
    "site": ["a", "a", "a", "a", None, "b", "b", "b", "b", None],
    "age": [20.0, 30.0, 50.0, None, 61.0, 20.0, 30.0, 50.0, 20.0, 60.0],
}


def refuses_names(frame):
    with pytest.raises(InputError, match=r"data has no column 'singel', which scores= names\. Did you mean single"):
        rank("y", "singel", data=frame)
    with pytest.raises(InputError, match=r"data has no column 'gg', which by= names"):
        evaluate("y", "p", data=frame, by="gg")
    with pytest.raises(ParameterError, match="with data=, pass the name of a column"):
        rank("y", COLUMNS["p"], data=frame)


def refuses_missing_values_or_drops_them(frame):
    """A frame of four rows: y, p with two missing scores, w, and n with NaN."""
    assert rank("y", "n", data=frame, missing="drop").dropped == 2
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds 2 missing values"):
        rank("y", "p", data=frame)
    found = rank("y", "p", data=frame, missing="drop")
    assert (found.dropped, found.total) == (2, 2)
    assert rank("y", "p", "w", data=frame, missing="drop").dropped == 2


LACKING = {
    "y": [1, 0, 1, 0],
    "p": [0.9, None, 0.4, None],
    "w": [1.0, 1.0, 2.0, 1.0],
    "n": [0.5, float("nan"), 0.4, float("nan")],
}


def refuses_text_in_the_scores(frame):
    """A frame of two rows, whose scores are '0.9' and 'high'."""
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds text, for example '(0\.9|high)'"):
        rank("y", "p", data=frame)
