"""What a file is: its format by name and by its first bytes, pipes, awkward names, and what is not read."""

import bz2
import gc
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path, PureWindowsPath

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from cutline import InputError, rank
from cutline.core import parallel
from cutline.inputs import file_formats, files
from cutline.inputs.column_source import Request
from cutline.inputs.csv_layout import Layout, copy_with_one_line_end
from cutline.inputs.text_table import CsvFile

CSV = b"y,p\n1,0.9\n0,0.5\n1,0.7\n"
JSON = b'{"y": 1, "p": 0.9}\n{"y": 0, "p": 0.5}\n{"y": 1, "p": 0.7}\n'
EXPECTED = rank([1, 0, 1], [0.9, 0.5, 0.7])


def zstd(content):
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


def zipped(name):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), CSV)  # dated 1980: workers that collect it later get the same
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv.gz", gzip.compress(CSV, mtime=0)),
        ("x.gz", gzip.compress(CSV, mtime=0)),
        ("x.csv", gzip.compress(CSV, mtime=0)),
        ("x.csv.zst", zstd(CSV)),
        ("x.jsonl.gz", gzip.compress(JSON, mtime=0)),
        ("x.json.zst", zstd(JSON)),
        ("x.jsonl", b"\xef\xbb\xbf" + JSON),
        ("x.json", b"\xef\xbb\xbf[" + b", ".join(JSON.strip().splitlines()) + b"]"),
        ("x.json.gz", gzip.compress(b"\xef\xbb\xbf[\n" + b",\n".join(JSON.strip().splitlines()) + b"\n]", mtime=0)),
        ("back\\slash*[a].csv", CSV),
        ("quote's.csv", CSV),
        ("tab\there.csv", CSV),
    ],
)
def test_a_file_is_read_as_what_it_is(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)

    assert rank("y", "p", data=tmp_path / name) == EXPECTED


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.csv", zipped("xl/workbook.xml"), "Excel workbook without .xlsx in its name: unpack it"),
        ("x.zip", zipped("x.csv"), "a ZIP archive"),
        ("x.csv.bz2", bz2.compress(CSV), "compressed with bzip2"),
        ("x.csv.xz", lzma.compress(CSV), "compressed with xz"),
        ("x.csv", zipped("x.csv"), "a ZIP archive"),
        ("x.npy", b"\x93NUMPY\x01\x00", "a NumPy array"),
        ("x.db", b"SQLite format 3\x00", "an SQLite database"),
        ("x.csv", "y,p\n1,0.5\n".encode("utf-16"), "UTF-16 text"),
        ("x.csv", "y,p\n1,0.5\n".encode("utf-32"), "UTF-32 text"),
    ],
)
def test_what_is_not_read_is_called_by_its_name(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(InputError, match=says):
        rank("y", "p", data=tmp_path / name)


def test_a_name_that_is_not_utf8_is_read(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff\xfe.csv"
    with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(CSV)

    assert rank("y", "p", data=os.fsdecode(path)) == EXPECTED


def test_a_file_here_may_begin_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~f.csv").write_bytes(CSV)

    assert rank("y", "p", data="./~f.csv") == EXPECTED


def test_nobody_has_no_home():
    with pytest.raises(InputError, match="no home folder"):
        rank("y", "p", data="~no_such_user_here/x.csv")


@pytest.mark.parametrize("path", ["a\0b.csv", "x" * 5000])
def test_what_cannot_be_a_path_is_refused(path):
    with pytest.raises(InputError, match="cannot be opened"):
        rank("y", "p", data=path)


@pytest.mark.parametrize("path", ["s3://bucket/x.parquet", "https://example.org/x.csv"])
def test_a_remote_path_is_refused_with_the_way_out(path):
    with pytest.raises(InputError, match="is not on this machine: download it"):
        rank("y", "p", data=path)


@pytest.mark.posix
def test_a_named_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(CSV,))
    writer.start()

    assert rank("y", "p", data=pipe) == EXPECTED
    writer.join()


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["/dev/stdin", "-"])
def test_standard_input_by_either_name(name):
    code = f"import sys, cutline as cl; from cutline.inputs import files; print(files.read({name!r}).count)"
    done = subprocess.run([sys.executable, "-c", code], input=CSV, capture_output=True, check=True)  # noqa: S603

    assert done.stdout.strip() == b"3"


def test_json_with_a_mark_on_standard_input_is_json():
    assert files.read(io.BytesIO(b"\xef\xbb\xbf" + JSON)).count == 3


@pytest.mark.parametrize("packed", [gzip.compress(JSON, mtime=0), zstd(JSON), gzip.compress(CSV, mtime=0), zstd(CSV)])
def test_what_comes_compressed_through_a_pipe_is_read_as_what_it_is(packed):
    assert files.read(io.BytesIO(packed)).count == 3


@pytest.mark.parametrize("name", ["x.csv.zst", "x.jsonl.zst", "x"])
def test_a_zstd_file_that_was_cut_off_is_refused(tmp_path, name):
    rows = (JSON if "json" in name else CSV[4:]) * 50_000
    whole = zstd(rows if "json" in name else CSV[:4] + rows)
    (tmp_path / name).write_bytes(whole)
    assert files.read(tmp_path / name).count == 150_000

    for lost in (1, 3, 4, len(whole) // 3, len(whole) - 5):
        (tmp_path / name).write_bytes(whole[:-lost])
        with pytest.raises(InputError, match="is not a complete zstd file: compress it again"):
            files.read(tmp_path / name)


def test_zstd_frames_one_after_the_other_are_whole(tmp_path):
    skipped = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    (tmp_path / "x.csv.zst").write_bytes(zstd(CSV) + skipped + zstd(CSV[4:]))

    assert files.read(tmp_path / "x.csv.zst").count == 6


def test_columns_that_differ_in_case_alone_are_seen_in_zstd_too(tmp_path):
    (tmp_path / "x.jsonl.zst").write_bytes(zstd(b'{"y": 1, "p": 0.9, "P": 0.1}\n'))

    with pytest.raises(InputError, match="differ only in case"):
        files.read(tmp_path / "x.jsonl.zst")


@pytest.mark.parametrize(
    "content",
    [
        b'[{"y": 1, "p": 0.9, "P": 0.1}, {"y": 0, "p": 0.2, "P": 0.3}]',
        b'[\n {\n  "y": 1,\n  "p": 0.9,\n  "P": 0.1\n }\n]',
        b'{"y": 1, "p": 0.9}\n' * 150 + b'{"y": 0, "P": 0.2}\n',
    ],
)
def test_columns_that_differ_in_case_alone_are_seen_wherever_they_are(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)

    with pytest.raises(InputError, match=r"has columns '[pP]' and '[pP]', which differ only in case: rename one"):
        files.read(tmp_path / "x.json")


def test_a_number_at_the_end_of_a_name_is_part_of_it(tmp_path):
    (tmp_path / "x.json").write_bytes(b'[{"y": 1, "p": 0.9, "p_1": 0.1}, {"y": 0, "p": 0.2, "p_1": 0.3}]')

    assert files.read(tmp_path / "x.json").columns == ("y", "p", "p_1")


def test_a_ranking_file_through_a_pipe_is_called_by_its_name(tmp_path):
    EXPECTED.save(tmp_path / "x.ranking")

    with pytest.raises(InputError, match="standard input is a ranking file: pass it by its path"):
        files.read(io.BytesIO((tmp_path / "x.ranking").read_bytes()))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a system without such devices")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/urandom"])
def test_a_device_that_never_ends_is_refused(name):
    with pytest.raises(InputError, match=f"{name} is a device, not a file: pass a file, or a pipe"):
        rank("y", "p", data=name)


@pytest.mark.posix
def test_standard_input_that_never_ends_is_refused():
    with open("/dev/zero", "rb") as stream, pytest.raises(InputError, match="is a device"):  # noqa: PTH123
        files.read(stream)


def test_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="Standard input is closed"):
        files.read("-")


# ---------------------------------------------------------------------- names that are written twice


def test_two_columns_of_one_name_in_parquet_are_refused(tmp_path):
    table = pa.table([pa.array([1, 0]), pa.array([0.9, 0.1]), pa.array([0.1, 0.9])], names=["y", "p", "p"])
    parquet.write_table(table, tmp_path / "x.parquet")

    with pytest.raises(InputError, match=r"x\.parquet has several columns called 'p'"):
        rank("y", "p", data=tmp_path / "x.parquet")


def test_names_that_differ_in_case_are_told_apart_in_parquet(tmp_path):
    names = ["y", "nested", "p", "P"]
    columns = [pa.array([1, 0]), pa.array([{"p": 1}, {"p": 2}]), pa.array([0.9, 0.1]), pa.array([0.1, 0.9])]
    parquet.write_table(pa.table(columns, names=names), tmp_path / "x.parquet")

    assert files.read(tmp_path / "x.parquet").columns == tuple(names)
    assert rank("y", "p", data=tmp_path / "x.parquet").pos.tolist() == [1, 0]
    assert rank("y", "P", data=tmp_path / "x.parquet").pos.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"y": 1, "p": 0.5, "p": 0.4}', "several columns called 'p'"),
        ('{"y": 1, "p": 0.5, "P": 1}', "only in case"),
        ('[{"y": 0, "p": 0.1}, {"y": 1, "p": 0.5, "p": 0.4}]', "several columns called 'p'"),
    ],
)
def test_names_that_json_repeats_are_refused(tmp_path, line, says):
    (tmp_path / "x.jsonl").write_text(line + "\n", encoding="utf-8")

    with pytest.raises(InputError, match=says):
        rank("y", "p", data=tmp_path / "x.jsonl")


# ---------------------------------------------------------------------- nested columns


@pytest.mark.parametrize("role", ["labels", "groups"])
@pytest.mark.parametrize("kind", ["list", "struct", "map", "binary"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_nested_columns_are_refused(tmp_path, role, kind, suffix):
    from cutline import evaluate

    values = {
        "list": pa.array([[1], [2], [3]]),
        "struct": pa.array([{"a": 1}] * 3),
        "map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
        "binary": pa.array([b"a", b"b", b"c"]),
    }[kind]
    table = pa.table({"y": [1, 0, 1], "p": [0.1, 0.2, 0.3], "x": values})
    path = tmp_path / f"x.{suffix}"
    if suffix == "parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)

    with pytest.raises(InputError, match=rf"{role} .*holds a \w+"):
        evaluate("x" if role == "labels" else "y", "p", data=path, groups="x" if role == "groups" else None)


@pytest.mark.parametrize("role", ["labels", "scores", "groups", "strata"])
def test_a_union_is_no_column(tmp_path, role):
    from cutline import evaluate

    union = pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 0, 1]), pa.array([0.5, 0.4, 0.3])])
    table = pa.table({"y": [1, 0, 1], "p": [0.1, 0.2, 0.3], "x": union})
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)

    asked = {"labels": "y", "scores": "p"} | {role: "x"}
    with pytest.raises(InputError, match="A column is of the type sparse_union"):
        evaluate(data=tmp_path / "x.arrow", **asked)


def test_a_stream_stays_a_file_as_long_as_its_path_and_is_closed_with_it():
    """Left to the garbage collector, Python 3.13 warns of it, and a warning is an error here."""
    path = file_formats.spool(io.BytesIO(CSV))
    copy = Path(str(path))
    assert copy.read_bytes() == CSV
    path.itself = path  # as when an error holds it: the collector then ends all of it in any order
    del path
    gc.collect()
    assert not copy.exists()
    for refused in (io.BytesIO(b""), io.FileIO(os.devnull)):
        with refused, pytest.raises(InputError):
            file_formats.spool(refused)
    gc.collect()


@pytest.mark.parametrize("damage", ["data", "checksum", "length", "cut off"])
def test_a_gzip_file_damaged_far_behind_its_start_is_refused(tmp_path, damage):
    rows = "".join(f"{i % 2},{(i * 7919 % 100_003) / 100_003}\n" for i in range(60_000))
    packed = bytearray(gzip.compress(b"y,p\n" + rows.encode(), mtime=0))
    assert len(packed) > 3 * 65_536
    if damage == "cut off":
        packed = packed[: len(packed) * 3 // 4]
    else:
        packed[{"data": len(packed) * 3 // 4, "checksum": -8, "length": -4}[damage]] ^= 0x55
    path = tmp_path / "late.csv.gz"
    path.write_bytes(packed)

    with pytest.raises(InputError, match=r"late\.csv\.gz is (a damaged|not a complete) gzip file"):
        rank("y", "p", data=path)


def test_the_check_of_a_gzip_file_is_told_and_made_once_while_the_file_is_the_same(tmp_path):
    rows = "".join(f"{i % 2},{(i * 7919 % 100_003) / 100_003}\n" for i in range(150_000))
    path = tmp_path / "large.csv.gz"
    path.write_bytes(packed := gzip.compress(rows.encode(), mtime=0))
    told = []
    with parallel.report_progress_to(lambda *step: told.append(step)):
        assert file_formats.find_compression(path, "large") == "gzip"
        once = list(told)
        assert file_formats.find_compression(path, "large") == "gzip"
    path.write_bytes(packed[:-9])

    assert told == once
    assert len(once) > 2
    assert [done for done, _ in once] == sorted(done for done, _ in once)
    assert {of for _, of in once} == {once[-1][0]} == {len(packed)}  # bytes of the packed file
    with pytest.raises(InputError, match="not a complete gzip file"):
        file_formats.find_compression(path, "large")


@pytest.mark.posix
@pytest.mark.slow
def test_a_full_disk_is_not_blamed_on_the_input(tmp_path, monkeypatch):
    """A limit on the size of files stands for the end of the disk, which a child process hits."""
    (tmp_path / "cases.csv").write_bytes(b"y,p\n1,0.9\r\n0,0.2\n" * 1 + b"1,0.5\n" * 60_000)
    program = (
        "import io, resource, signal, sys; import cutline as cl; from cutline.inputs import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "files._SMALL = -1\n"
        "for data in (sys.argv[1], io.BytesIO(b'y,p\\n' + b'1,0.5\\n' * 60_000)):\n"
        "    try: files.read(data)\n"
        "    except cl.InputError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "cases.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    said = done.stdout.splitlines()
    assert len(said) == 2
    assert all(line.startswith("The folder of temporary files, ") and "TMPDIR" in line for line in said)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl"])
def test_a_full_disk_under_the_flags_is_blamed_on_their_file(tmp_path, name):
    rows = "".join(f"{i % 2},{i * 7919 % 100_003}\n" for i in range(200_000))
    (tmp_path / "cases.csv").write_text("y,p\n" + rows)
    program = (
        "import resource, signal, sys; from cutline.cli.main import main\n"
        "main('cut cases.csv --label y --score p --quota 5 --output cut.json --quiet'.split())\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "sys.exit(main(['apply', 'cut.json', 'cases.csv', '--score', 'p', '--output', sys.argv[1]]))\n"
    )
    command = [sys.executable, "-c", program, name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603

    assert done.returncode == 2
    assert done.stderr == f"cutline: {name!r} cannot be written (No space left on device): pass another path.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.csv", "cut.json"]


def test_what_duckdb_cannot_write_is_not_blamed_on_the_input(tmp_path, by_duckdb):
    (tmp_path / "cases.csv").write_text("y,p\n1,0.9\n0,0.2\n")
    file = files.read(tmp_path / "cases.csv")
    with pytest.raises(InputError, match="The folder of temporary files"), file._translate_errors():
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")


def test_paths_of_windows_need_no_link():
    assert file_formats.is_plain_path(str(PureWindowsPath("C:/cases/may.csv")), "\\")
    assert not file_formats.is_plain_path(r"C:\cases\may[1].csv", "\\")


def test_where_nobody_may_make_links_the_file_is_copied(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(1314, "A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    (tmp_path / "may[1].csv").write_text("y,p\n1,0.9\n0,0.2\n1,0.1\n")
    assert len(rank("y", "p", data=tmp_path / "may[1].csv")) == 3


@pytest.mark.posix
def test_what_came_from_a_stream_is_closed_before_another_opens_it():
    path = file_formats.spool(io.BytesIO(b"y,p\n1,0.9\n"))
    opened = {str(link.resolve()) for link in Path("/proc/self/fd").iterdir()}
    assert str(path) not in opened
    name = Path(str(path))
    del path
    gc.collect()
    assert not name.exists()


OTHERS = {  # another table of as many columns
    "csv": (b"p,q,y\n0.9,0.1,1\n0.2,0.8,0\n", b"q,p,y\n0.9,0.1,1\n0.2,0.8,0\n"),
    "csv.gz": (gzip.compress(b"p,q,y\n0.9,0.1,1\n0.2,0.8,0\n"), gzip.compress(b"q,p,y\n0.9,0.1,1\n0.2,0.8,0\n")),
    "jsonl": (b'{"p": 0.9, "q": 0.1, "y": 1}\n{"p": 0.2, "q": 0.8, "y": 0}\n', b'{"p": 0.1, "y": 1}\n'),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("has_duckdb", [True, False])
def test_a_file_that_is_replaced_between_two_looks_at_it_is_refused(tmp_path, monkeypatch, kind, has_duckdb):
    if not has_duckdb and kind == "jsonl":
        pytest.skip("DuckDB alone reads it")
    first, second = OTHERS[kind]
    path = tmp_path / f"f.{kind}"
    path.write_bytes(first)
    if has_duckdb:
        monkeypatch.setattr(files, "_SMALL", -1)
    source = files.read(path) if has_duckdb else CsvFile(path, path.name, Layout.of(path, path.name))
    path.unlink()
    path.write_bytes(second)

    requests = {"labels": Request("labels", "y"), "scores": Request("scores", "p")}
    with pytest.raises(InputError, match=rf"f\.{kind} changed while it was read: read it again when it is complete"):
        source.read_columns(requests)


@pytest.mark.parametrize("damage", [lambda packed: packed[:-9], lambda packed: packed[:-6] + b"xxxxxx"])
def test_a_gzip_file_that_is_damaged_after_its_check_is_refused_in_a_sentence(tmp_path, damage):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(packed := gzip.compress(b"y,p\n1,0.9\n0,0.2\n", mtime=0))
    layout = Layout.of(path, path.name)
    path.write_bytes(damage(packed))

    with pytest.raises(InputError, match=r"f\.csv\.gz changed while it was read"):
        CsvFile(path, path.name, layout).check()
    with pytest.raises(InputError, match=r"f\.csv\.gz changed while it was read"):
        copy_with_one_line_end(path, layout, path.name)
