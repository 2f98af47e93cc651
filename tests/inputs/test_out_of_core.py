"""Data that are aggregated where they live: exact where all scores are held, and bracketed where they are binned."""

import frame_body
import numpy as np
import pandas as pd
import pytest
from frame_body import RULES, SLICED, SLICELESS
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import InputError, ParameterError, auc, evaluate, rank
from cutline.core.binned_ranking import auc_width
from cutline.inputs import binning, out_of_core
from cutline.inputs.duckdb_files import File

pytestmark = pytest.mark.usefixtures("by_duckdb")

POPULATIONS = {
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.beta(0.1, 5, n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "tiny": lambda rng, n: 1e-9 + 9e-9 * rng.random(n),
    "huge": lambda rng, n: (rng.random(n) - 0.5) * 1.6e308,
    "crowded": lambda rng, n: 0.5 + 1e-7 * rng.normal(size=n),
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.95, 0.5 + 1e-6 * rng.normal(size=n), 2 + rng.random(n)),
    "ties": lambda rng, n: np.round(rng.random(n), 2),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.1, np.inf * np.sign(rng.normal(size=n)), rng.normal(size=n)),
    "single": lambda rng, n: rng.random(n).astype(np.float32),
}


def rows(name="uniform", n=6000):
    rng = np.random.default_rng(3)
    score = POPULATIONS[name](rng, n)
    y = rng.random(n) < np.where(score > np.median(score), 0.5, 0.2)
    return pd.DataFrame({"y": y.astype(int), "p": score, "w": rng.integers(0, 4, n), "v": rng.random(n)})


def writer(folder, kind):
    def write(frame, name="rows"):
        path = folder / f"{name}.{kind}"
        frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
        return path

    return write


@pytest.fixture
def written(tmp_path):
    return writer(tmp_path, "parquet")


@pytest.fixture(params=["parquet", "csv"])
def written_twice(request, tmp_path):
    return writer(tmp_path, request.param)


@pytest.fixture
def bins_from_500_scores(monkeypatch):
    """As if five hundred scores were many, and a width of a thousandth fine."""
    monkeypatch.setattr(out_of_core, "MOST", 500)
    monkeypatch.setattr(out_of_core, "MOST_IN_MEMORY", 500)
    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate, **_: binning.count_in_bins(aggregate, width=2e-3, most=4000)
    )


def contains(binned, exact):
    low, high = (auc(part) for part in binned.bracket or (binned, binned))  # bins of one score each are exact
    assert low <= auc(exact) <= high
    assert low <= auc(binned) <= high
    assert high - low == pytest.approx(auc_width(binned), abs=1e-12)


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("higher", [True, False])
def test_bins_keep_every_case_and_bracket_the_auc(bins_from_500_scores, written, name, higher):
    frame = rows(name)
    exact = rank(frame.y, frame.p, higher_is_positive=higher)
    found = rank("y", "p", data=written(frame), higher_is_positive=higher, exact=False)

    assert (found.positives, found.negatives, found.positive) == (exact.positives, exact.negatives, 1)
    contains(found, exact)
    assert auc_width(found) <= 2e-3
    assert found.higher_is_positive == higher


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("weight", [None, "w", "v"])
def test_exactness_can_be_asked_for(bins_from_500_scores, written, name, weight):
    frame = rows(name)
    exact = rank(frame.y, frame.p, None if weight is None else frame[weight])
    found = rank("y", "p", weight, data=written(frame), exact=True)

    assert found.exact
    assert np.array_equal(found.score, exact.score)
    assert found.score.dtype == exact.score.dtype
    for name in ("pos", "neg", "pos2", "neg2"):
        assert getattr(found, name).dtype == getattr(exact, name).dtype
        assert np.allclose(getattr(found, name), getattr(exact, name), rtol=1e-14, atol=0)
    assert (found.pos2 is found.pos) == (weight is None)


def test_many_scores_are_binned_and_few_are_not(bins_from_500_scores, written_twice):
    assert rank("y", "p", data=written_twice(rows())).reach is not None
    assert rank("y", "p", data=written_twice(rows("ties"), "ties")).exact


@pytest.mark.parametrize("weight", ["w", "v"])
def test_weights_are_binned_too(bins_from_500_scores, written, weight):
    frame = rows("heavy tails")
    exact = rank(frame.y, frame.p, frame[weight])
    found = rank("y", "p", weight, data=written(frame), exact=False)

    contains(found, exact)
    assert found.positives == pytest.approx(exact.positives, rel=1e-12)
    assert found.pos2.sum() == pytest.approx(exact.pos2.sum(), rel=1e-12)
    assert found.integral == exact.integral


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("name", ["uniform", "single"])
@pytest.mark.parametrize("threshold", [0.3, 0.7])
def test_no_bin_straddles_the_threshold(bins_from_500_scores, written, name, threshold, higher):
    frame = rows(name)
    how = {"threshold": threshold, "higher_is_positive": higher}
    found = evaluate("y", "p", data=written(frame), exact=False, **how)
    exact = evaluate(frame.y, frame.p, **how)

    assert found.ranking.reach is not None
    assert found.counts.to_dict() == exact.counts.to_dict()


def test_labels_of_any_kind(bins_from_500_scores, written_twice):
    frame = rows()
    frame["said"] = np.where(frame.y == 1, "yes", "no")
    frame["truth"] = frame.y == 1
    path = written_twice(frame)
    number = rank("y", "p", data=path)

    for label, how, positive in (("said", {"positive": "yes"}, "yes"), ("truth", {}, True)):
        found = rank(label, "p", data=path, **how)
        assert found.positive == positive
        assert np.array_equal(found.pos, number.pos)
    assert rank("said", "p", data=path).positive == "yes"  # what else may it be
    frame["kind"] = np.where(frame.y == 1, "spam", "ham")
    with pytest.raises(InputError, match=r"\(column 'kind'\) holds 'ham' and 'spam', .* for example positive='spam'"):
        rank("kind", "p", data=written_twice(frame))
    with pytest.raises(InputError, match="holds 4 different values"):
        rank("w", "p", data=path)


def test_what_is_missing_is_refused_with_its_place_or_dropped(bins_from_500_scores, written_twice):
    frame = rows()
    frame.loc[7, "p"] = np.nan
    frame.loc[[3, 5], "v"] = np.nan
    path = written_twice(frame)
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds 1 missing value \(NaN\), the first in row 8"):
        rank("y", "p", data=path)
    with pytest.raises(InputError, match=r"weights \(column 'v'\) holds 2 missing values \(NaN\), the first in row 4"):
        rank("y", "p", "v", data=path)
    found = rank("y", "p", "v", data=path, missing="drop")
    assert found.dropped == 3
    assert found.total == pytest.approx(rank(frame.y, frame.p, frame.v, missing="drop").total, rel=1e-12)
    frame["y"] = frame.y.astype("Int64").mask(frame.index == 2)
    with pytest.raises(InputError, match=r"labels \(column 'y'\) holds 1 missing value \(NaN\), the first in row 3"):
        rank("y", "p", data=written_twice(frame, "labels"))
    assert rank("y", "p", "v", data=written_twice(frame, "labels"), missing="drop").dropped == 4


def test_wrong_weights_are_refused_with_their_place(bins_from_500_scores, written):
    frame = rows()
    frame.loc[[4, 9], "v"] = -2.0
    with pytest.raises(InputError, match=r"weights \(column 'v'\) holds 2 negative values, the first, -2, in row 5"):
        rank("y", "p", "v", data=written(frame))
    frame["v"] = 0.0
    with pytest.raises(InputError, match="because all weights are zero"):
        rank("y", "p", "v", data=written(frame, "zero"))


def test_text_is_refused_and_large_whole_numbers_too(bins_from_500_scores, tmp_path):
    frame = rows()
    frame["p"] = "high"
    frame.to_parquet(tmp_path / "text.parquet")
    with pytest.raises(InputError, match="holds text, 'high'"):
        rank("y", "p", data=tmp_path / "text.parquet")
    frame["p"] = 2**60 + np.arange(len(frame))
    frame.to_parquet(tmp_path / "whole.parquet")
    with pytest.raises(InputError, match="2\\*\\*53"):
        rank("y", "p", data=tmp_path / "whole.parquet", exact=False)
    with pytest.raises(ParameterError, match="exact is 'yes': pass True or False"):
        rank("y", "p", data=tmp_path / "whole.parquet", exact="yes")


def test_an_exact_ranking_that_no_memory_holds_is_refused(bins_from_500_scores, written, monkeypatch):
    monkeypatch.setattr(out_of_core, "_BYTES", 10**9)
    monkeypatch.setattr("cutline.inputs.duckdb_files._ROW_BYTES", 10**9)
    with pytest.raises(InputError, match=r"takes about .* GB: leave exact= out for bins"):
        rank("y", "p", data=written(rows()), exact=True)


SCORES = st.floats(allow_nan=False) | st.sampled_from(
    [0.0, -0.0, 5e-324, 1.0, np.inf, -np.inf, 1e308, 0.1, 0.1 + 1e-17]
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), SCORES, st.integers(1, 3)), min_size=2, max_size=50))
def test_duckdb_makes_the_bins_of_arrays(tmp_path_factory, cases):
    frame = pd.DataFrame(cases, columns=["y", "p", "w"])
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame.to_parquet(path)
    found = rank("y", "p", "w", data=path, exact=False)
    whole = rank(frame.y, frame.p, frame.w)

    assert found.total == whole.total
    if 0 < frame.y.sum() < len(frame):
        low, high = (auc(part) for part in (found.bracket or (found, found)))
        assert low - 1e-12 <= auc(whole) <= high + 1e-12
    first, last = found.reach or (found.score, found.score)
    assert (first[1:] < last[:-1]).all()  # no tie is split


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "float32", "bool"])
def test_squares_of_weights_fit_whatever_their_type(bins_from_500_scores, written, kind):
    frame = rows()
    large_one = {"int8": 100, "int16": 30_000, "int32": 2_000_000, "int64": 5_000_000_000, "float32": 0.1}.get(kind, 1)
    frame["w"] = np.where(frame.index % 7 == 0, large_one, 1).astype(kind)
    found = rank("y", "p", "w", data=written(frame), exact=True)
    here = rank(frame.y, frame.p, frame.w.astype(float) if kind != "float32" else frame.w.to_numpy())
    assert float(found.pos2.sum()) == pytest.approx(float(here.pos2.sum()), rel=1e-12 if kind != "float32" else 1e-6)


def test_whole_scores_that_are_all_missing_are_refused_in_a_sentence(bins_from_500_scores):
    pl = pytest.importorskip("polars")
    frame = pl.LazyFrame({"y": [0, 1], "p": pl.Series([None, None], dtype=pl.Int64)})
    with pytest.raises(InputError, match="missing"):
        rank("y", "p", data=frame, exact=True)


def test_dask_divides_crowded_scores_twice(bins_from_500_scores):
    dd = pytest.importorskip("dask.dataframe")
    frame = rows("two scales", 3000)
    found = rank("y", "p", data=dd.from_pandas(frame, npartitions=2), exact=False)
    assert found.total == len(frame)
    contains(found, rank(frame.y, frame.p))


# ---------------------------------------------------------------------- slices


def beyond_memory(monkeypatch):
    """As if no file fitted into memory."""
    monkeypatch.setattr(File, "fits", lambda *_: False)
    monkeypatch.setattr(File, "read_columns", lambda *_: pytest.fail("the rows were read"))
    monkeypatch.setattr(File, "scan", lambda *_: pytest.fail("the rows were scanned"))


def same_slices(found, expected):
    assert list(found) == list(expected)
    for key, one in found.items():
        assert one.ranking == expected[key].ranking
    assert found.overall.ranking == expected.overall.ranking
    assert found.summary(["auc", "recall"]).to_csv() == expected.summary(["auc", "recall"]).to_csv()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "two files"])
@pytest.mark.parametrize("out_of_core_", [False, True], ids=["read once", "aggregated"])
def test_slices_of_a_file_are_those_of_its_rows(tmp_path, kind, out_of_core_, monkeypatch):
    frame = pd.DataFrame(SLICED)
    path = tmp_path / f"rows.{'parquet' if kind == 'two files' else kind}"
    if kind == "two files":
        for number in range(2):
            frame[number::2].to_parquet(tmp_path / f"part{number}.parquet")
        path = tmp_path / "part*.parquet"
    elif kind == "jsonl":
        frame.drop(columns=["day", "time"]).to_json(path, orient="records", lines=True)
    else:
        writer(tmp_path, kind)(frame)
    here = {name: values.tolist() if values.dtype == object else values for name, values in SLICED.items()}
    if kind == "csv":  # whose slices are text
        here |= {name: np.array(pd.DataFrame(SLICED)[name].astype(str)) for name in ("g", "age", "height", "day")}
    if out_of_core_:
        beyond_memory(monkeypatch)
    for by in RULES:
        if ("day" in by or "time" in by) and (kind == "jsonl" or (kind == "csv" and "time" in by)):
            continue
        for labels, weights, higher in (("y", None, True), ("said", "whole", False)):
            how = {"positive": "yes"} if labels == "said" else {}
            how |= {"by": by, "threshold": 0.4, "higher_is_positive": higher}
            found = evaluate(labels, "p", weights, data=path, exact=True if out_of_core_ else None, **how)
            same_slices(found, evaluate(labels, "p", weights, data=here, **how))


@pytest.mark.parametrize("name", POPULATIONS)
def test_bins_of_slices_keep_every_case_and_bracket_their_auc(bins_from_500_scores, written, name):
    frame = rows(name)
    frame["site"] = np.random.default_rng(5).integers(0, 4, len(frame))
    cut = float(frame.p.median())
    exact = evaluate("y", "p", "w", data=frame, by="site", threshold=cut)
    found = evaluate("y", "p", "w", data=written(frame), by="site", threshold=cut, exact=False)
    assert list(found) == list(exact)
    for key, one in found.items():
        contains(one.ranking, exact[key].ranking)
        assert auc_width(one.ranking) < 0.02
        assert one.counts.to_dict() == exact[key].counts.to_dict()
    contains(found.overall.ranking, exact.overall.ranking)


@pytest.mark.parametrize("how", [{}, {"exact": True}], ids=["read once", "aggregated"])
def test_rows_of_a_file_without_a_slice_are_refused_or_counted(written_twice, how, monkeypatch):
    if how:
        monkeypatch.setattr(File, "fits", lambda *_: False)
    frame_body.refuses_slices(written_twice(pd.DataFrame(SLICELESS)), **how)


def test_a_slice_without_a_complete_row_is_left_out(written, monkeypatch):
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.1, None, None], "g": ["a", "a", "b", "b"]})
    for how in ({}, {"exact": True}):
        found = evaluate("y", "p", data=written(frame), by="g", missing="drop", **how)
        assert list(found) == ["a"]
        assert "Slice g b has no complete row: left out." in [note.text for note in found.notes]
        assert found.overall.ranking.dropped == 2
        beyond_memory(monkeypatch)


def test_slices_say_how_the_numbers_of_a_file_were_read(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,p,g\n" + "1,90 %,a\n0,20.5 %,a\n1,80 %,b\n0,10 %,b\n" * 3)
    found = evaluate("y", "p", data=path, by="g")
    assert found.overall.ranking.score[0] == 0.9
    assert any("written in percent" in note.text for note in found.notes), found.notes


def test_more_values_than_can_be_looked_up_are_refused_unless_ranges_are_named(written, monkeypatch):
    monkeypatch.setattr("cutline.inputs.slicing.MOST_VALUES", 100)
    frame = rows()
    with pytest.raises(InputError, match="by has more than 100 different values in v: pass the edges of ranges"):
        evaluate("y", "p", data=written(frame), by="v")
    assert len(evaluate("y", "p", data=written(frame), by={"v": [0, 0.5, 1]})) == 2


def test_times_of_more_values_than_can_be_looked_up_are_taken_by_day(written, monkeypatch):
    frame = rows()
    frame["at"] = np.datetime64("2026-01-01", "us") + np.arange(len(frame)) * np.timedelta64(1, "h")
    expected = evaluate("y", "p", data=frame, by="at")
    monkeypatch.setattr("cutline.inputs.slicing.MOST_VALUES", 1000)
    same_slices(evaluate("y", "p", data=written(frame), by="at"), expected)
    assert list(expected)[:2] == ["2026-01", "2026-02"]
