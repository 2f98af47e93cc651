"""The typed scan of files gives what grouping every value as text in SQL gives: to the bit, and word for word."""

import gzip
import json
import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import cutline as cl
from cutline import CutlineError, rank
from cutline.inputs import column_source, duckdb_files
from cutline.inputs import rank as door
from cutline.inputs.column_source import fill_masked

FORMATS = ("csv", "csv.gz", "csv.zst", "tsv", "semicolon", "parquet", "jsonl", "arrow")
LABELS = (
    ("1", "0"), ("1", "-1"), ("1.0", "0.0"), ("true", "false"), ("TRUE", "False"), ("yes", "no"), ("007", "1"),
    ("a_b", "it's"), ("1", "0", "2"), ("1", "0", "NA"), ("1", "0", ""), ("1", " 0"), ("1",), ("0",),
    ("good", "bad", " NA "),
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("by_duckdb")


ODD = ("1_000", "+-1", "NA", "", "nan", "-nan", "inf", "-Infinity", "1e400", " 0.5", "0.5 ", "abc", "1,5", "0x10",
       "1e5", "+.5", "5.", "00.5", "null", "None", " NA", "1e-320", "-0", "0",
       "0.1000000000000000055511151231257827")  # fmt: skip


def by_sql(path, positive=None, missing="error", weighted=False):
    """The ranking as it was made before: distinct rows counted in SQL from columns of text."""
    source = column_source.open_source(path)
    asked = column_source.request_columns("y", "p", "w" if weighted else None, positive=positive)
    column_source.check_columns(source, asked)
    options = door.RankingOptions(positive, True, missing)
    if not isinstance(source, duckdb_files.File) or weighted:
        with column_source.read_rows(source, asked) as rows:
            return door._rank_rows(options, **rows)
    try:
        query = f"SELECT *, count(*) AS times FROM ({source._write_typed_query(asked)}) GROUP BY ALL"  # noqa: S608
        *columns, times = (fill_masked(array) for array in source._connection.execute(query).fetchnumpy().values())
        return door._rank_rows(options, **dict(zip(asked, columns, strict=True)), times=times)
    except cl.InputError:
        with column_source.read_rows(source, asked) as rows:
            return door._rank_rows(options, **rows)


def answer(function, *args, **options):
    try:
        found = function(*args, **options)
    except CutlineError as error:
        return str(error)
    columns = (found.score, found.pos, found.neg, found.pos2, found.neg2)
    facts = found.positive, type(found.positive), found.negative, type(found.negative), found.dropped
    return [column.dtype.str + column.tobytes().hex() for column in columns], facts


def write(folder, rng, kind):
    """A file of random cases in a format, often with a value that needs a closer look."""
    n = int(rng.choice([1, 3, 40, 5000]))
    names = LABELS[rng.integers(len(LABELS))]
    y = rng.choice(names[:2], n).tolist()
    if len(names) > 2 and n > 2:
        y[int(rng.integers(n))] = names[2]
    p = [repr(float(x)) for x in (rng.random(n) if rng.random() < 0.5 else rng.integers(0, 9, n) / 8)]
    if rng.random() < 0.5:
        p[int(rng.integers(n))] = str(rng.choice(ODD))
    w = [str(x) for x in rng.integers(0, 4, n)]
    path = folder / f"cases.{'csv' if kind == 'semicolon' else kind}"
    if kind in ("parquet", "jsonl", "arrow"):
        number = [None if x.strip() in ("", "NA", "abc", "1,5", "0x10", "null", "None", "+-1") else float(x) for x in p]
        label = y if rng.random() < 0.5 or not {*y} <= {"1", "0", "-1"} else [int(x) for x in y]
        if kind == "jsonl":
            rows = ({"y": a, "p": b, "w": int(c)} for a, b, c in zip(label, number, w, strict=True))
            path.write_text("".join(json.dumps(row) + "\n" for row in rows).replace("Infinity", "1e308"))
            return path
        single = pa.float32() if rng.random() < 0.3 else pa.float64()
        table = pa.table({"y": label, "p": pa.array(number, single), "w": [int(x) for x in w]})
        (parquet.write_table if kind == "parquet" else feather.write_feather)(table, path)
        return path
    sign = {"tsv": "\t", "semicolon": ";"}.get(kind, ",")
    lines = [sign.join(('"' + p_ + '"' if sign in p_ else p_, y_, w_)) for y_, p_, w_ in zip(y, p, w, strict=True)]
    text = sign.join(("p", "y", "w")) + "\n" + "\n".join(lines) + "\n"
    data = text.encode()
    if kind == "csv.gz":
        data = gzip.compress(data)
    if kind == "csv.zst":
        data = pa.compress(data, "zstd", asbytes=True)
    path.write_bytes(data)
    return path


# SCANNED_FILES=300 reads as many; a few of each format suffice from day to day.
@pytest.mark.parametrize("part", range(int(os.environ.get("SCANNED_FILES", "48")) // 24))
def test_files_give_the_same_to_the_bit_as_grouping_in_sql(tmp_path, part):
    read = 0
    for number in range(24):
        rng = np.random.default_rng((part, number))
        kind = FORMATS[number % len(FORMATS)]
        path = write(tmp_path, rng, kind)
        options = {
            "positive": [None, "yes", "1", 1][int(rng.integers(4))],
            "missing": str(rng.choice(["error", "drop"])),
        }
        weighted = bool(rng.random() < 0.25)
        found = answer(rank, "y", "p", "w" if weighted else None, data=path, **options)
        assert found == answer(by_sql, path, **options, weighted=weighted), (kind, options, path.read_bytes()[:300])
        read += not isinstance(found, str)
    assert read >= 3


def test_a_label_that_turns_up_late_is_read(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("y,p\n" + "no,0.5\n" * 5000 + "yes,0.75\nno,0.25\n")
    found = rank("y", "p", data=path, positive="yes")
    assert (found.positives, found.negatives, len(found)) == (1, 5001, 3)


def test_a_file_is_scanned_once_and_exact_where_it_fits(tmp_path, monkeypatch):
    path = tmp_path / "cases.csv"
    path.write_text("y,p\n1,0.9\n0,0.5\n1,0.4\n")
    monkeypatch.setattr(duckdb_files.File, "read_columns", None)
    monkeypatch.setattr(duckdb_files.File, "engine", None)
    assert rank("y", "p", data=path).exact
    assert rank("y", "p", data=path, exact=True).score.tolist() == [0.9, 0.5, 0.4]


def test_what_does_not_fit_is_aggregated_in_sql(tmp_path, monkeypatch):
    path = tmp_path / "cases.csv"
    path.write_text("y,p\n" + "1,0.9\n0,0.5\n1,0.4\n" * 10)
    monkeypatch.setattr("cutline.inputs.out_of_core.MOST_IN_MEMORY", 5)
    monkeypatch.setattr(duckdb_files.File, "scan", None)
    assert len(rank("y", "p", data=path)) == 3
