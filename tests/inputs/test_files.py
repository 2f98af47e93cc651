"""Files: the same ranking as from arrays, and one sentence for each way in which a file can be wrong."""

import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cutline import InputError, ParameterError, compare, evaluate, rank
from cutline.inputs import files
from cutline.inputs.column_source import Request
from cutline.inputs.write_flags import CaseColumns, Flags

ROWS = 200
RNG = np.random.default_rng(5)
LABELS = RNG.integers(0, 2, ROWS)
SCORES = np.round(RNG.random(ROWS), 2)  # with ties
WEIGHTS = RNG.random(ROWS)
FRAME = pd.DataFrame({"y": LABELS, "p": SCORES, "w": WEIGHTS, "said": np.where(LABELS == 1, "yes", "no")})
CSV = FRAME.to_csv(index=False)


def as_json(path):
    path.write_text("".join(json.dumps(row) + "\n" for row in FRAME.to_dict("records")))


WRITERS = {
    "a.csv": lambda path: path.write_text(CSV),
    "semicolon.csv": lambda path: path.write_text(FRAME.to_csv(index=False, sep=";")),
    "bar.txt": lambda path: path.write_text(FRAME.to_csv(index=False, sep="|")),
    "crlf.csv": lambda path: path.write_bytes(CSV.replace("\n", "\r\n").encode()),
    "mark.csv": lambda path: path.write_bytes(b"\xef\xbb\xbf" + CSV.encode()),
    "a.tsv": lambda path: path.write_text(FRAME.to_csv(index=False, sep="\t")),
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(CSV.encode())),
    "a.parquet": FRAME.to_parquet,
    "a.jsonl": as_json,
    "list.json": lambda path: path.write_text(json.dumps(FRAME.to_dict("records"))),
    "a.feather": FRAME.to_feather,
    "it's [a]*?.csv": lambda path: path.write_text(CSV),
    "year=2020/x.parquet": FRAME.to_parquet,  # the folder is no column
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    (tmp_path / request.param).parent.mkdir(exist_ok=True)
    WRITERS[request.param](tmp_path / request.param)
    return tmp_path / request.param


def test_a_file_gives_the_ranking_of_its_arrays(path):
    assert files.read(path).columns == ("y", "p", "w", "said")
    assert rank("y", "p", data=path) == rank(LABELS, SCORES)
    assert rank("y", "p", "w", data=str(path)) == rank(LABELS, SCORES, WEIGHTS)
    assert rank("said", "p", data=path, positive="yes") == rank(FRAME.said, SCORES, positive="yes")
    assert rank("y", "p", data=path, higher_is_positive=False) == rank(LABELS, SCORES, higher_is_positive=False)


def written(tmp_path, text, name="preds.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_name_with_a_star_is_a_name_before_it_is_a_pattern(tmp_path):
    written(tmp_path, "y,p\n1,0.9\n0,0.1\n", "ab.csv")
    assert rank("y", "p", data=tmp_path / "a*.csv").total == 2
    star = written(tmp_path, "y,p\n1,0.9\n", "a*.csv")
    assert rank("y", "p", data=star).total == 1


@pytest.mark.parametrize(
    ("cells", "positive"),
    [(("1", "0"), 1), (("1.0", "0.0"), 1), (("True", "False"), True), (("TRUE", "FALSE"), True), (("1", "-1"), 1)],
)
def test_labels_of_a_text_file_have_the_type_that_all_of_them_have(tmp_path, cells, positive):
    found = rank("y", "p", data=written(tmp_path, f"y,p\n{cells[0]},0.9\n{cells[1]},0.1\n{cells[0]},0.5\n"))
    assert (found.positive, found.pos.tolist(), found.neg.tolist()) == (positive, [1, 1, 0], [0, 0, 1])


def test_names_may_be_empty_or_differ_in_their_case(tmp_path):
    path = written(tmp_path, ",y,P,p\n0,1,0.9,0.1\n1,0,0.1,0.9\n")
    assert files.read(path).columns == ("", "y", "P", "p")
    assert rank("y", "P", data=path).pos.tolist() == [1, 0]
    assert rank("y", "p", data=path).pos.tolist() == [0, 1]


def test_ids_keep_their_zeros(tmp_path):
    a = written(tmp_path, "id,y,p\n007,1,0.9\n7,0,0.1\n", "a.csv")
    b = written(tmp_path, "id,y,p\n7,0,0.2\n007,1,0.3\n", "b.csv")
    assert compare("y", "p", data={"a": a, "b": b}, id="id")["b"].auc == 1
    assert files.read(a).read_columns({"id": Request("id", "id")})["id"].tolist() == ["007", "7"]
    twice = written(tmp_path, "id,y,p\n7,0,0.2\n7,1,0.3\n", "c.csv")
    with pytest.raises(InputError, match="repeats an id in 1 of its 2 rows"):
        compare("y", "p", data={"a": a, "c": twice}, id="id")


@pytest.mark.parametrize("token", ["", "NA", "nan", "NULL", "N/A", "None"])
def test_missing_cells_are_counted_refused_and_dropped(tmp_path, token):
    path = written(tmp_path, f"y,p,w\n1,0.9,1\n0,0.1,2\n0,{token},1\n1,{token},1\n")
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds 2 missing values .* in row 3 below the header"):
        rank("y", "p", data=path)
    found = rank("y", "p", data=path, missing="drop")
    assert (found.dropped, found.total) == (2, 2)
    assert rank("y", "p", "w", data=path, missing="drop") == rank([1, 0], [0.9, 0.1], [1, 2])


def test_groups_are_drawn_from_a_file(tmp_path):
    path = written(
        tmp_path, "y,p,g\n" + "".join(f"{y},{p},{i % 9}\n" for i, (y, p) in enumerate(zip(LABELS, SCORES, strict=True)))
    )
    groups = [str(i % 9) for i in range(ROWS)]
    asked = {"method": "bootstrap", "resamples": 50}
    here = evaluate(LABELS, SCORES, groups=groups).estimate("auc", **asked)
    assert evaluate("y", "p", data=path, groups="g").estimate("auc", **asked) == here


REFUSED = {
    "text in row 2": ("y,p\n1,0.9\n0,abc\n", r"scores \(column 'p'\) holds text, 'abc', in row 2 below the header"),
    "decimal comma": ("y;p\n1;0,9\n0;0.1\n", "'0,9', in row 1 below the header: write numbers with a decimal point"),
    "thousands": ('y,p\n1,9\n0,"1,000.5"\n', "without separators of thousands"),
    "underscore": ("y,p\n1,9\n0,1_000\n", "'1_000', in row 2"),
    "header only": ("y,p\n", "has columns but no rows"),
    "0 bytes": ("", "is empty, 0 bytes"),
    "blank": ("\n\n", "has no header"),
    "NUL bytes": (b"y,p\n1,\x00\n", "NUL bytes"),
    "not UTF-8": (b"y,p\n1,0.5\n\x81,0.5\n", "not UTF-8 text in line 3"),
    "late bytes": (b"y,p\n" + b"1,0.5\n" * 20000 + b"\x81,0.5\n", "not UTF-8 text in line 20002"),
    "twice": ("y,p,p\n1,2,3\n", "several columns called 'p'"),
    "short row": ("y,p\n1,0.5\n0\n", "has 1 field in line 3 but 2 in its header"),
    "long row": ("y,p\n1,0.5\n0,1,2\n", "has 3 fields in line 3 but 2 in its header"),
    "open quote": ('y,p\n1,0.5\n"0,1\n', "has a quote in line 3 that does not end"),
    "three labels": ("y,p\n1,0.5\n0,1\n2,3\n", r"labels \(column 'y'\) holds 3 different values"),
    "text labels": ("y,p\nspam,0.5\nham,1\n", r"labels \(column 'y'\) holds .* for example positive="),
    "unknown": ("y,prob\n1,0.5\n", r"preds.csv has no column 'p', which scores= names. It has y, prob"),
    "escape": ("y,\x1b[2Jp\n1,0.5\n", r"'\\x1b\[2Jp'"),
}


@pytest.mark.parametrize("rows", [40, 400_000])  # which Python reads, and DuckDB
def test_a_file_that_a_spreadsheet_saved_in_windows_1252_is_read(tmp_path, rows):
    """The euro sign is not that of Latin-1."""
    lines = "\r\n".join(("Kündigung;0,9", "bleibt;0,4", "Kündigung;0,3", "bleibt;0,2") * (rows // 4))
    path = written(tmp_path, f"Größe €;Wert\r\n{lines}\r\n".encode("cp1252"))
    assert evaluate("Größe €", "Wert", data=path, positive="Kündigung").value("auc") == 0.75
    ranking = rank("Größe €", "Wert", data=path, positive="Kündigung")
    assert ranking.read_as.startswith(
        "preds.csv is not UTF-8 text and was read as Windows-1252. Column Wert is written"
    )
    with CaseColumns(path) as cases:
        assert cases.flag(Flags("Wert", 0.35, higher=True), tmp_path / "flagged.csv", "csv") == (rows // 2, rows)
    assert (tmp_path / "flagged.csv").read_text("utf-8").startswith("Größe €")


def test_letters_in_two_encodings_are_refused(tmp_path):
    with pytest.raises(InputError, match="not UTF-8 text in line 3"):
        rank("y", "p", data=written(tmp_path, "y,p\né,0.5\n".encode() + b"\xe9,0.4\n"))


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_file_is_refused_in_one_sentence(tmp_path, case):
    text, said = REFUSED[case]
    with pytest.raises(InputError, match=said) as refusal:
        rank("y", "p", data=written(tmp_path, text))
    message = str(refusal.value)
    assert "\n" not in message
    assert message.isprintable()


def test_weights_are_refused_by_row(tmp_path):
    with pytest.raises(InputError, match=r"weights \(column 'w'\) holds 1 negative value, .* in row 2 below"):
        rank("y", "p", "w", data=written(tmp_path, "y,p,w\n1,0.9,1\n0,0.1,-2\n"))


@pytest.mark.parametrize("name", ["x.parquet", "x.feather", "x.csv.gz", "x.jsonl"])
def test_a_damaged_file_is_refused(tmp_path, name):
    content = b"\x1f\x8bnonsense" if name.endswith("gz") else b"PAR1 is not all {"
    with pytest.raises(InputError, match=r"x\.\w+") as refusal:
        rank("y", "p", data=written(tmp_path, content, name))
    assert "\n" not in str(refusal.value)


def test_text_scores_of_typed_files_are_refused_by_row(tmp_path):
    path = written(tmp_path, '{"y": 1, "p": 0.5}\n{"y": 0, "p": "abc"}\n', "x.jsonl")
    with pytest.raises(InputError, match=r"abc.*in row 2"):
        rank("y", "p", data=path)
    pd.DataFrame({"y": [1, 0], "p": ["0.5", "0.4"]}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"holds text, '0\.5', in row 1"):
        rank("y", "p", data=tmp_path / "x.parquet")


def test_what_is_no_file(tmp_path):
    written(tmp_path, "y,p\n1,2\n", "preds.csv")
    with pytest.raises(InputError, match=r"There is no file .*Did you mean preds\.csv"):
        rank("y", "p", data=tmp_path / "pred.csv")
    with pytest.raises(ParameterError, match="format is 'xls'"):
        files.read(tmp_path / "preds.csv", format="xls")


def test_a_stream_is_a_file_without_a_name(tmp_path):
    found = files.read(io.BytesIO(CSV.encode()))
    assert found.columns == ("y", "p", "w", "said")
    assert len(found.read_columns({"scores": Request("scores", "p")})["scores"]) == ROWS
    FRAME.to_parquet(tmp_path / "x.parquet")
    assert files.read(io.BytesIO((tmp_path / "x.parquet").read_bytes())).count == ROWS
    with pytest.raises(InputError, match="standard input is empty"):
        files.read(io.BytesIO(b""))


@pytest.mark.slow
def test_text_files_need_neither_pandas_nor_pyarrow(tmp_path):
    path = written(tmp_path, CSV)
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['pyarrow'] = None\n"
        f"import cutline as cl; print(cl.rank('y', 'p', data={str(path)!r}).total)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # noqa: S603
    assert done.stdout.strip() == str(ROWS)


@pytest.mark.slow
def test_reading_a_file_leaves_nothing_behind_when_python_ends(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,p\n1,0.9\n0,0.2\n")
    code = f"import cutline as cl; print(cl.evaluate('y', 'p', data={str(path)!r}).auc)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert (done.stdout, done.stderr) == ("1.0\n", "")


@pytest.fixture
def nan_file(tmp_path):
    """A Parquet file whose statistics, as pyarrow writes them, pass over the NaN in it."""
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "nan.parquet"
    parquet.write_table(pa.table({"y": [1, 0, 1, 0], "p": [0.1, 0.9, float("nan"), 0.3]}), path)
    return path


def test_nan_in_a_parquet_file_is_found_whatever_its_statistics_say(nan_file, tmp_path):
    from pyarrow import parquet

    from cutline.inputs.write_flags import CaseColumns, Flags

    cases, into = CaseColumns(nan_file), tmp_path / "flagged.parquet"
    with pytest.raises(InputError, match="1 missing value, the first in row 3"):
        cases.flag(Flags("p", 0.5, higher=True), into, "parquet")

    assert cases.flag(Flags("p", 0.5, higher=True, drop=True), into, "parquet") == (1, 3)  # of those written
    assert parquet.read_table(into).column("p").to_pylist() == [0.1, 0.9, 0.3]


def test_nan_in_a_parquet_file_is_no_score_of_bins(nan_file):
    from cutline.inputs.files import read
    from cutline.inputs.sql_engine import SqlEngine

    file = read(nan_file)
    rows = "SELECT y, p AS x FROM " + file._from  # noqa: S608
    engine = SqlEngine(file._connection, rows, 4, file._translate_errors)

    assert engine.find_first("scores")[0] == 2
    engine.prepare(np.array([0, 1]), np.array([False, True]), None)
    assert engine._fetch(f"SELECT count(*) AS n FROM ({engine._complete})")["n"][0] == 3  # noqa: S608
