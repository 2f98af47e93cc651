"""Several files as one: lists, patterns, folders and hive partitions give the ranking of all their rows."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from cutline import InputError, ParameterError, evaluate, rank
from cutline.inputs import files
from cutline.inputs.column_source import Request

RNG = np.random.default_rng(5)
FRAME = pd.DataFrame({"y": RNG.integers(0, 2, 90), "p": RNG.random(90).round(2), "w": RNG.integers(1, 4, 90)})
PARTS = [FRAME[:20], FRAME[20:50], FRAME[50:]]
WHOLE = rank(FRAME.y, FRAME.p)


def as_json(frame, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")))


def zstandard(frame, path):
    import pyarrow as pa

    with pa.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(frame.to_csv(index=False).encode())


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "csv.zst": zstandard,
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "jsonl": as_json,
    "feather": lambda frame, path: frame.reset_index(drop=True).to_feather(path),
}


@pytest.fixture(params=WRITERS)
def folder(request, tmp_path):
    """A folder with the rows in three files of one format, and what other tools leave there."""
    for i, part in enumerate(PARTS):
        WRITERS[request.param](part, tmp_path / f"part-{i}.{request.param}")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("y,p\n1,1\n")
    return tmp_path


def test_a_folder_a_pattern_and_a_list_are_all_their_rows(folder):
    listed = sorted(folder.glob("part-*"))
    assert rank("y", "p", data=folder) == WHOLE
    assert rank("y", "p", data=str(folder / "part-*")) == WHOLE
    assert rank("y", "p", data=listed) == WHOLE
    assert rank("y", "p", data=[str(folder / "part-[01].*"), listed[2]]) == WHOLE
    assert rank("y", "p", "w", data=folder) == rank(FRAME.y, FRAME.p, FRAME.w)
    assert evaluate("y", "p", data=listed[0]).ranking == rank(PARTS[0].y, PARTS[0].p)


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_the_folders_of_hive_partitions_are_columns(tmp_path, kind):
    for day, part in zip(("2024-05-01", "2024-05-02", "2024-05-03"), PARTS, strict=True):
        for site in ("a", "b"):
            (tmp_path / f"day={day}" / f"site={site}").mkdir(parents=True)
            WRITERS[kind](part[part.y == (site == "a")], tmp_path / f"day={day}" / f"site={site}" / f"x.{kind}")

    source = files.read(tmp_path)
    assert set(source.columns) == {"y", "p", "w", "day", "site"}
    assert rank("y", "p", data=tmp_path) == WHOLE
    assert rank("site", "p", data=str(tmp_path / "day=*"), positive="a") == rank(FRAME.y, FRAME.p).__class__(
        WHOLE.score, WHOLE.pos, WHOLE.neg, WHOLE.pos, WHOLE.neg, positive="a"
    )


def test_columns_may_stand_in_another_order_and_layout(tmp_path):
    PARTS[0].to_csv(tmp_path / "a.csv", index=False)
    PARTS[1][["w", "p", "y"]].to_csv(tmp_path / "b.csv", index=False, sep=";")
    PARTS[2].assign(more=1).to_csv(tmp_path / "c.csv.gz", index=False)
    assert rank("y", "p", data=tmp_path) == WHOLE
    PARTS[0].to_parquet(tmp_path / "a.parquet")
    PARTS[1][["w", "p", "y"]].to_parquet(tmp_path / "b.parquet")
    PARTS[2].assign(more=1).to_parquet(tmp_path / "c.parquet")
    assert rank("y", "p", data=str(tmp_path / "*.parquet")) == WHOLE


def test_what_is_wrong_with_several_files_is_said_in_a_sentence(tmp_path):
    good, bad = tmp_path / "a.csv", tmp_path / "b.csv"
    good.write_text("y,p\n1,0.9\n0,0.1\n")

    def refused(said, *, score="p", data=tmp_path):
        with pytest.raises(InputError, match=said) as refusal:
            rank("y", score, data=data)
        assert "\n" not in str(refusal.value)

    bad.write_text("y,q\n1,0.9\n")
    refused(r"b\.csv has no column 'p', which a\.csv has: pass files with the same columns\.")
    refused("has no column 'qq'", score="qq")
    bad.write_text("y,p\n1,0.9\n0,abc\n")
    refused(r"scores \(column 'p'\) holds text, 'abc', in row 2 below the header of b\.csv")
    bad.write_text("y,p\n1,0.9\n0,\n")
    refused(r"holds 1 missing value \(NaN\), the first in row 2 below the header of b\.csv")
    bad.write_text("y,p\n1,0.9\n0,0.1,3\n")
    refused(r"b\.csv has 3 fields in line 3 but 2 in its header")
    bad.write_text("")
    refused(r"b\.csv is empty, 0 bytes")
    bad.unlink()
    PARTS[0].to_parquet(tmp_path / "c.parquet")
    refused(r"holds files of several formats, CSV \(a\.csv\) and Parquet \(c\.parquet\): pass those of one")
    PARTS[1].assign(p="high").to_parquet(tmp_path / "d.parquet")
    refused(r"Column 'p' is text in d\.parquet but not in c\.parquet", data=str(tmp_path / "*.parquet"))


def test_nothing_to_read_is_said_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"The folder .* is empty: pass CSV, Parquet"):
        rank("y", "p", data=tmp_path)
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError, match=r"holds 1 file, but none with predictions"):
        rank("y", "p", data=tmp_path)
    with pytest.raises(
        InputError, match=r"No file matches .*\*\.parquet: check the pattern, and put it between quotes"
    ):
        rank("y", "p", data=str(tmp_path / "*.parquet"))
    with pytest.raises(InputError, match="is not on this machine: download it"):
        rank("y", "p", data="s3://bucket/preds/*.parquet")


@pytest.mark.parametrize("memory", ["2 apples", "5MB", "-1GB", 0])
def test_a_limit_of_memory_is_a_size(tmp_path, memory):
    FRAME.to_csv(tmp_path / "a.csv")
    with pytest.raises(ParameterError, match=r"memory.*pass (a size such as \"2GB\"|at least 200MB)"):
        rank("y", "p", data=tmp_path / "a.csv", memory=memory)
    assert rank("y", "p", data=tmp_path / "a.csv", memory="0.5GB") == WHOLE


def test_a_folder_with_too_many_files_is_refused_before_all_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("cutline.inputs.file_sets.MOST_FILES", 3)
    for name in "abcd":
        (tmp_path / f"{name}.csv").write_bytes(b"y,p\n1,0.9\n0,0.5\n")

    with pytest.raises(InputError, match="holds more than 3 files: pass the folder of the predictions"):
        rank("y", "p", data=tmp_path)


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="the superuser may look into every folder")
def test_a_folder_that_cannot_be_opened_is_refused(tmp_path):
    tmp_path.chmod(0)
    try:
        with pytest.raises(InputError, match="cannot be opened"):
            rank("y", "p", data=tmp_path)
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.posix
def test_what_cannot_be_looked_into_below_a_folder_is_left_out(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"y,p\n1,0.9\n0,0.5\n")
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere")

    assert rank("y", "p", data=tmp_path).total == 2


def test_rows_of_text_files_come_in_the_order_of_the_files(tmp_path):
    # Two threads of DuckDB return the second file first in every second reading when a join is on the way.
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text("y,p\n" + "".join(f"{j % 2},{i}.{j}\n" for j in range(3)))
    expected = [float(f"{i}.{j}") for i in range(3) for j in range(3)]
    for _ in range(60):
        found = files.read(tmp_path).read_columns({"x": Request("scores", "p")})["x"]
        assert found.tolist() == expected


def test_columns_that_are_not_needed_are_not_read(tmp_path):
    """A column whose bytes are destroyed does not matter to those who do not ask for it."""
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    FRAME.assign(junk=np.arange(90.0)).to_parquet(path, compression="gzip")
    group = pq.ParquetFile(path).metadata.row_group(0)
    junk = next(group.column(i) for i in range(group.num_columns) if group.column(i).path_in_schema == "junk")
    start = junk.dictionary_page_offset or junk.data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + junk.total_compressed_size] = b"\xff" * junk.total_compressed_size
    path.write_bytes(bytes(content))

    assert rank("y", "p", data=path) == WHOLE
    with pytest.raises(InputError, match=r"a\.parquet cannot be read as Parquet"):
        rank("y", "junk", data=path)
