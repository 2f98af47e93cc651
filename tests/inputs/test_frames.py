"""Frames of every kind: the same ranking as from arrays, and the same refusals."""

import duckdb
import frame_body
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frame_body import COLUMNS, ROWS

from cutline import InputError, ParameterError, auc, evaluate, rank
from grouping import each_case

pytestmark = pytest.mark.slow

KINDS = {
    "mapping": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    "ibis": lambda columns: pytest.importorskip("ibis").memtable(pa.table(columns)),
    "dask": lambda columns: pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(columns), npartitions=3),
}
LAZY = ("polars lazy", "duckdb", "ibis", "dask")


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@each_case("score", ["p", "single"])
@each_case("weight", [None, "w", "whole"])
@each_case("higher", [True, False])
def test_a_frame_gives_the_ranking_of_its_arrays(kind, score, weight, higher):
    shuffled = np.random.default_rng(1).permutation(ROWS)
    for columns in (COLUMNS, {name: values[shuffled] for name, values in COLUMNS.items()}):
        frame_body.gives_the_ranking_of_its_arrays(KINDS[kind](columns), score, weight, higher)


@pytest.mark.parametrize(
    "check",
    [
        frame_body.reads_text_labels,
        frame_body.draws_groups,
        frame_body.compares_models,
        frame_body.is_sliced,
        frame_body.refuses_names,
    ],
)
def test_a_frame_of_any_kind(kind, check):
    check(KINDS[kind](COLUMNS))


@pytest.mark.parametrize("kind", LAZY)
def test_slices_are_aggregated_where_the_cases_are(kind, monkeypatch):
    from cutline.inputs.frames import ElsewhereFrame

    frame = KINDS[kind](frame_body.SLICED)
    monkeypatch.setattr(ElsewhereFrame, "read_columns", lambda *_: pytest.fail("the rows were collected"))
    monkeypatch.setattr(ElsewhereFrame, "group_rows", lambda *_: pytest.fail("distinct rows were collected"))
    frame_body.is_sliced_where_it_lives(frame, exact=True)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_a_slice_are_refused_or_counted(kind):
    how = {"exact": True} if kind in LAZY else {}
    frame_body.refuses_slices(KINDS[kind](frame_body.SLICELESS), **how)


@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("weight", [None, "whole"])
def test_slices_of_a_large_frame_are_binned_where_they_are(kind, weight, monkeypatch):
    from cutline.inputs import binning, out_of_core

    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate, most: binning.count_in_bins(aggregate, width=0.02, most=4000)
    )
    rng = np.random.default_rng(8)
    columns = {**COLUMNS, "fine": rng.normal(size=ROWS), "site": rng.integers(0, 3, ROWS)}
    columns["fine"][:4] = [0, np.inf, -np.inf, 1e-300]
    frame = KINDS[kind](columns)
    exact = evaluate("y", "fine", weight, data=columns, by="site", threshold=0.3)
    found = evaluate("y", "fine", weight, data=frame, by="site", threshold=0.3, exact=False)

    assert list(found) == list(exact)
    for key in (*exact, None):
        mine, true = (found.overall, exact.overall) if key is None else (found[key], exact[key])
        low, high = mine.ranking.bracket or (mine.ranking, mine.ranking)
        assert auc(low) <= auc(true.ranking) <= auc(high)
        assert auc(high) - auc(low) <= 0.05
        assert mine.counts.to_dict() == true.counts.to_dict()
    assert found.overall.ranking.bracket is not None


@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("weight", [None, "whole"])
def test_a_large_frame_is_binned_where_it_lives(kind, weight, monkeypatch):
    from cutline.inputs import binning, out_of_core

    monkeypatch.setattr(out_of_core, "MOST", 50)
    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate, **_: binning.count_in_bins(aggregate, width=0.02, most=4000)
    )
    rng = np.random.default_rng(8)
    columns = {**COLUMNS, "fine": rng.normal(size=ROWS)}
    columns["fine"][:4] = [0, np.inf, -np.inf, 1e-300]
    frame = KINDS[kind](columns)
    exact = rank(columns["y"], columns["fine"], None if weight is None else columns[weight])
    found = rank("y", "fine", weight, data=frame, threshold=0.3)
    low, high = found.bracket

    assert auc(low) <= auc(exact) <= auc(high)
    assert auc(high) - auc(low) <= 0.02
    assert found.total == exact.total
    assert found.at_threshold(0.3).to_dict() == exact.at_threshold(0.3).to_dict()
    assert rank("y", "fine", weight, data=frame, exact=True) == exact
    assert rank("said", "fine", weight, data=frame, positive="yes", exact=True).pos.tolist() == exact.pos.tolist()
    sliced = evaluate("y", "fine", weight, data=KINDS[kind](columns), by="said")
    assert sliced.together.ranking.total == exact.total
    with pytest.raises(InputError, match=r"labels \(column 'g'\) holds 20 different values"):
        rank("g", "fine", data=frame)
    lacking = KINDS[kind]({"y": [1, 0] * 60, "p": [None, *np.linspace(0, 1, 119)], "w": [-1.0, *[1.0] * 119]})
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds 1 missing value \(NaN\):"):
        rank("y", "p", data=lacking)
    assert rank("y", "p", data=lacking, missing="drop").dropped == 1
    with pytest.raises(InputError, match=r"weights \(column 'w'\) holds 1 negative value, the first, -1,"):
        rank("y", "p", "w", data=lacking)


@pytest.mark.parametrize("kind", LAZY)
def test_bins_are_divided_twice_where_scores_crowd_and_no_case_is_lost(kind, monkeypatch):
    from cutline.inputs import binning, out_of_core
    from cutline.inputs.frames import FrameEngine

    passes, bins = [], FrameEngine.count_bins
    monkeypatch.setattr(FrameEngine, "count_bins", lambda self, given: passes.append(len(given)) or bins(self, given))
    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate: binning.count_in_bins(aggregate, width=0.004, most=4000)
    )
    rng = np.random.default_rng(2)
    near, far = 0.5 + 1e-6 * rng.normal(size=ROWS), 0.505 + 0.001 * rng.random(ROWS)
    columns = {"y": COLUMNS["y"], "p": np.where(rng.random(ROWS) < 0.95, near, far)}
    found, exact = rank("y", "p", data=KINDS[kind](columns), exact=False), rank(columns["y"], columns["p"])

    assert passes == [0, 1, 2]
    assert (found.positives, found.negatives) == (exact.positives, exact.negatives)
    low, high = found.bracket or (found, found)
    assert auc(low) <= auc(exact) <= auc(high)
    assert auc(high) - auc(low) <= 0.004


def decimals(values):
    from decimal import Decimal

    return [None if value is None else Decimal(str(value)) for value in values]


TYPED = {
    "nullable integers": lambda: pd.DataFrame({"y": pd.array([1, 0, None, 0], dtype="Int64"), "p": [4, 3, 2, 1]}),
    "nullable booleans": lambda: pd.DataFrame({"y": pd.array([True, False, None, False]), "p": [4, 3, 2, 1]}),
    "nullable floats": lambda: pd.DataFrame({"y": [1, 0, 1, 0], "p": pd.array([4, 3, None, 1], dtype="Float64")}),
    "arrow booleans": lambda: pa.table({"y": pa.array([True, False, None, False]), "p": [4, 3, 2, 1]}),
    "arrow chunks": lambda: pa.concat_tables(
        [pa.table({"y": [1], "p": [4.0]}), pa.table({"y": [0, None, 0], "p": [3.0, 2.0, 1.0]})]
    ),
    "decimals": lambda: pa.table({"y": [1, 0, 1, 0], "p": pa.array(decimals([4, 3, None, 1]))}),
    "lazy decimals": lambda: pl.LazyFrame({"y": [1, 0, 1, 0], "p": decimals([4, 3, None, 1])}),
    "lazy booleans": lambda: pl.LazyFrame({"y": [True, False, None, False], "p": [4, 3, 2, 1]}),
    "lazy categories": lambda: pl.LazyFrame(
        {"y": pl.Series(["1", "0", None, "0"], dtype=pl.Categorical), "p": [4, 3, 2, 1]}
    ),
    "duckdb decimals": lambda: duckdb.connect().sql(
        "SELECT * FROM (VALUES (1, 4.0), (0, 3.0), (1, NULL), (0, 1.0)) AS t(y, p)"
    ),
}


@pytest.mark.parametrize("exact", [None, True])
@pytest.mark.parametrize("name", TYPED)
def test_types_that_only_some_frames_have(name, exact):
    positive = "1" if "categories" in name else None
    found = rank("y", "p", data=TYPED[name](), missing="drop", positive=positive, exact=exact)
    assert (found.score.tolist(), found.pos.tolist(), found.neg.tolist()) == ([4, 3, 1], [1, 0, 0], [0, 1, 1])
    assert found.dropped == 1
    with pytest.raises(InputError, match="holds 1 missing value"):
        rank("y", "p", data=TYPED[name](), positive=positive, exact=exact)


def test_missing_values_are_refused_with_their_place_or_dropped(kind):
    columns = dict(frame_body.LACKING)
    if kind == "mapping":
        columns["p"] = np.array([0.9, np.nan, 0.4, np.nan])
    frame_body.refuses_missing_values_or_drops_them(KINDS[kind](columns))
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds 2 missing values .* at position 1"):
        rank("y", "p", data=KINDS[kind](columns))


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_missing_categories_stay_missing(frame):
    labels = ["yes", None, "no"]
    made = {
        "pandas": lambda: pd.DataFrame({"y": pd.Categorical(labels), "p": [0.9, 0.5, 0.1]}),
        "polars": lambda: pl.DataFrame({"y": pl.Series(labels, dtype=pl.Categorical), "p": [0.9, 0.5, 0.1]}),
        "pyarrow": lambda: pa.table({"y": pa.array(labels).dictionary_encode(), "p": [0.9, 0.5, 0.1]}),
    }[frame]()
    assert rank("y", "p", data=made, positive="yes", missing="drop").dropped == 1


def test_text_in_the_scores(kind):
    frame = KINDS[kind]({"y": [1, 0], "p": ["0.9", "high"]})
    frame_body.refuses_text_in_the_scores(frame)
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds text, for example '0.9', at position 0"):
        rank("y", "p", data=frame)


@pytest.mark.parametrize("kind", LAZY)
def test_only_distinct_rows_leave_a_lazy_frame(kind, monkeypatch):
    from cutline.inputs import frames

    sizes = []
    collect = frames.collect
    monkeypatch.setattr(frames, "collect", lambda frame: sizes.append(len(found := collect(frame))) or found)
    monkeypatch.setattr(frames.ElsewhereFrame, "read_columns", lambda *_: pytest.fail("the rows were collected"))
    assert rank("y", "p", data=KINDS[kind](COLUMNS)).total == ROWS
    assert sizes == [1, 3]  # the number of rows; label, score, and how often


def fails(_):
    raise ValueError("the model is not there")


def failing_duckdb():
    connection = duckdb.connect()
    connection.create_function("scored", fails, ["DOUBLE"], "DOUBLE")
    return connection.sql("SELECT range % 2 AS y, scored(range) AS p FROM range(9)")


def failing_dask():
    frame = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame({"y": [1, 0, 1], "p": 0.5}), npartitions=1)
    return frame.assign(p=frame["p"].map(fails, meta=("p", "float64")))


def failing_ibis():
    table = pytest.importorskip("ibis").memtable(pa.table({"y": [1, 0, 1], "said": ["the model is not there"] * 3}))
    return table.mutate(p=table.said.cast("float64"))


def failing_ibis_function():
    ibis = pytest.importorskip("ibis")
    table = ibis.memtable(pa.table({"y": [1, 0, 1], "said": [0.5, 0.4, 0.3]}))
    scored = ibis.udf.scalar.python(fails, signature=((float,), float))
    return table.mutate(p=scored(table.said))


FAILING = {
    "polars": lambda: pl.LazyFrame({"y": [1, 0, 1], "p": [0.5, 0.4, 0.3]}).with_columns(
        pl.col("p").map_elements(fails, return_dtype=pl.Float64)
    ),
    "duckdb": failing_duckdb,
    "dask": failing_dask,
    "ibis": failing_ibis,
    "ibis function": failing_ibis_function,
}


@pytest.mark.parametrize("exact", [None, False, True])
@pytest.mark.parametrize("name", FAILING)
def test_a_function_that_fails_in_the_engine_is_told_in_a_sentence(name, exact):
    with pytest.raises(InputError, match=r"^The engine of data failed: .*the model is not there") as refusal:
        rank("y", "p", data=FAILING[name](), exact=exact)
    assert "\n" not in str(refusal.value)
    assert "the model is not there" in str(refusal.value.__cause__)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda _: pl.LazyFrame({"y": [0, 1], "p": [0.5, 0.4]}).select("y", pl.col("q")), "q"),
        (lambda folder: pl.scan_parquet(folder / "gone.parquet"), "No such file"),
        (lambda folder: pl.scan_csv(folder / "gone.csv"), "No such file"),
    ],
)
def test_a_lazy_frame_of_what_is_not_there_is_told_in_a_sentence(tmp_path, make, said):
    with pytest.raises(InputError, match=f"^The engine of data failed: .*{said}") as refusal:
        rank("y", "p", data=make(tmp_path))
    assert "\n" not in str(refusal.value)


def test_what_is_no_frame():
    for wrong in ([1, 2], 3, np.zeros((2, 2)), pd.Series([1])):
        with pytest.raises(ParameterError, match="pass a data frame, a mapping of columns, or the path of a file"):
            rank("y", "p", data=wrong)
    with pytest.raises(InputError, match="several columns of one name"):
        rank("y", "p", data=pd.DataFrame([[1, 2]], columns=["y", "y"]))
    with pytest.raises(InputError, match=r"labels is text, 'y'.*data="):
        rank("y", "p")
