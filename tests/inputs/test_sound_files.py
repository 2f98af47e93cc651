"""Files that are sound though few writers make them so, and some that look sound and are not."""

import struct
import zlib
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from cutline import InputError, evaluate, rank

BODY = b"y,p\n1,0.5\n0,0.2\n"


@pytest.fixture(params=["python", "duckdb"])
def by_each(request):
    """Read by Python, then by DuckDB."""
    if request.param == "duckdb":
        request.getfixturevalue("by_duckdb")


def packed(flags, fields=b""):
    """A gzip file with optional fields of its header (RFC 1952)."""
    start = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff" + fields
    if flags & 2:
        start += struct.pack("<H", zlib.crc32(start) & 0xFFFF)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return start + packer.compress(BODY) + packer.flush() + struct.pack("<II", zlib.crc32(BODY), len(BODY))


@pytest.mark.parametrize(("flags", "fields"), [(16, b"a comment\0"), (2, b""), (26, b"a.csv\0a comment\0")])
def test_gzip_may_have_a_comment_or_a_checksum_of_its_header(tmp_path, by_each, flags, fields):
    (tmp_path / "a.csv.gz").write_bytes(packed(flags, fields))
    assert rank("y", "p", data=tmp_path / "a.csv.gz").score.tolist() == [0.5, 0.2]


@pytest.mark.parametrize(("flags", "flipped"), [(0x20, 0), (0x80, 0), (2, 10)])
def test_a_header_of_gzip_that_is_damaged_is_refused(tmp_path, by_each, flags, flipped):
    damaged = bytearray(packed(flags))
    damaged[flipped] ^= 1 if flipped else 0
    (tmp_path / "a.csv.gz").write_bytes(damaged)
    with pytest.raises(InputError, match="is a damaged gzip file"):
        rank("y", "p", data=tmp_path / "a.csv.gz")


@pytest.mark.parametrize("where", ["first", "last"])
def test_zstd_may_have_a_frame_that_is_skipped(tmp_path, where):
    data, skipped = pa.compress(BODY, "zstd", asbytes=True), struct.pack("<II", 0x184D2A50, 5) + b"abcde"
    (tmp_path / "a.csv.zst").write_bytes(skipped + data if where == "first" else data + skipped)
    assert rank("y", "p", data=tmp_path / "a.csv.zst").score.tolist() == [0.5, 0.2]


@pytest.mark.parametrize("quote", ["", '"'])
def test_lines_may_end_in_another_way_far_below_the_header(tmp_path, by_each, quote):
    rows = f"1,{quote}0.5{quote}\n0,0.25\n" * 8000 + "1,0.5\r\n0,0.2\r1,0.3\n"
    (tmp_path / "a.csv").write_bytes(b"y,p\n" + rows.encode())
    assert rank("y", "p", data=tmp_path / "a.csv").total == 16_003


@pytest.mark.parametrize("name", ["a.csv", "b.csv"])
def test_odd_numbers_are_refused_however_lines_end(tmp_path, by_each, name):
    (tmp_path / name).write_bytes(b"y,p\r1,1_000\r0,0.5\r" if name == "a.csv" else b"y,p\r1,+-1\r0,0.5\r")
    with pytest.raises(InputError, match="holds text"):
        rank("y", "p", data=tmp_path / name)


def test_numbers_in_a_dictionary_are_numbers(tmp_path):
    table = pa.table(
        {"y": pa.array([1, 0, 1]).dictionary_encode(), "p": pa.array([0.5, 0.25, 0.5]).dictionary_encode()}
    )
    feather.write_feather(table, tmp_path / "a.arrow")
    assert rank("y", "p", data=tmp_path / "a.arrow") == rank([1, 0, 1], [0.5, 0.25, 0.5])
    frame = pd.DataFrame({"y": pd.Categorical([1, 0, None]), "p": [0.5, 0.2, 0.1]})
    assert rank("y", "p", data=frame, missing="drop").positive == 1


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_bytes_are_no_scores(tmp_path, kind):
    table = pa.table({"y": [1, 0], "p": [b"0.5", b"0.2"]})
    (feather.write_feather if kind == "arrow" else parquet.write_table)(table, tmp_path / f"a.{kind}")
    with pytest.raises(InputError, match=r"holds text, for example b|holds a bytearray"):
        rank("y", "p", data=tmp_path / f"a.{kind}")


def test_decimals_that_floats_cannot_tell_apart_are_refused(tmp_path, by_each):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,0.1000000000000000055511\n0,0.1000000000000000055512\n")
    with pytest.raises(InputError, match="holds decimals that float64 cannot tell apart"):
        rank("y", "p", data=path)
    path.write_text("y,p\n1,0.1000000000000000055511\n0,0.10000000000000000555110\n1,0.25\n")
    assert len(rank("y", "p", data=path)) == 2  # one number, written twice


@pytest.mark.parametrize("many", [False, True])
def test_decimals_of_parquet_beyond_those_of_duckdb_are_refused(tmp_path, many):
    (tmp_path / "days").mkdir()
    for name, digits in [("a", 60), ("b", 60), ("c", 30)]:
        values = pa.array([Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891"), Decimal("0.5")])
        kind = pa.decimal256(digits, 20) if digits > 38 else pa.decimal128(digits, 20)
        parquet.write_table(pa.table({"y": [1, 0, 1], "p": values.cast(kind)}), tmp_path / "days" / f"{name}.parquet")
    with pytest.raises(InputError, match="holds decimals of 60 digits, of which float64 cannot tell all apart"):
        rank("y", "p", data=tmp_path / "days" / ("[ab].parquet" if many else "a.parquet"))
    with pytest.raises(InputError, match="holds decimals that float64 cannot tell apart"):
        rank("y", "p", data=tmp_path / "days" / "c.parquet")


HIDDEN_TIES = {
    "a short and a long number": ("0.5", "0.50000000000000000001"),
    "whole numbers beyond 2**53": ("9007199254740992", "9007199254740993"),
    "whole numbers beyond 2**53 with decimals": ("9007199254740992.0", "9007199254740993.00"),
    "whole numbers beyond 2**63": ("10000000000000000000", "10000000000000000001"),
    "percent": ("50.0000000000000000001%", "50.0000000000000000002%"),
    "decimal commas": ("0,50000000000000000001", "0,50000000000000000002"),
}


@pytest.mark.parametrize("pair", HIDDEN_TIES.values(), ids=[*HIDDEN_TIES])
@pytest.mark.parametrize("place", ["first", "last"])
def test_numbers_that_become_ties_as_floats_are_refused_wherever_they_stand(tmp_path, by_each, pair, place):
    path = tmp_path / "a.csv"
    mark, percent = "," if "," in pair[0] else ".", "%" if "%" in pair[0] else ""
    others = [f"0{mark}{i:05}{percent}" for i in range(1, 3000)]
    texts = [*pair, *others] if place == "first" else [*others, *pair]
    path.write_text("y;p\n" + "".join(f"{i % 2};{text}\n" for i, text in enumerate(texts)))
    with pytest.raises(InputError, match="float64 cannot tell apart"):
        rank("y", "p", data=path)
    texts.remove(pair[1])
    path.write_text("y;p\n" + "".join(f"{i % 2};{text}\n" for i, text in enumerate(texts)))
    assert len(rank("y", "p", data=path)) == 3000  # alone it is no tie


EXPONENTS = ("9.007199254740992E+15", "9.007199254740993E+15")


@pytest.mark.parametrize("pair", [*[*HIDDEN_TIES.values()][:3], ("1e999", "1e1000"), ("1e-999", "2e-999"), EXPONENTS])
def test_numbers_of_json_that_become_ties_as_floats_are_refused(tmp_path, pair):
    path = tmp_path / "a.jsonl"
    for texts, is_tie in ((["0.25", *pair], True), (["0.25", pair[1]], False), (["0.25", pair[1], pair[1]], False)):
        path.write_text("".join(f'{{"y": {i % 2}, "p": {text}, "n": {{"p": 1}}}}\n' for i, text in enumerate(texts)))
        if is_tie:
            with pytest.raises(InputError, match="float64 cannot tell apart"):
                rank("y", "p", data=path)
        else:
            assert len(rank("y", "p", data=path)) == 2


@pytest.mark.parametrize(
    "pair",
    [
        ("1e999", "1e1000"),
        ("1e-999", "2e-999"),
        ("inf", "1e400"),
        ("0", "1e-400"),
        EXPONENTS,
        ("900719925474099200%", "900719925474099300%"),
    ],
)
def test_numbers_beyond_the_range_of_floats_are_no_ties(tmp_path, pair):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,{}\n0,{}\n1,0.5{}\n".format(*pair, "%" if "%" in pair[0] else ""))
    with pytest.raises(InputError, match="float64 cannot tell apart"):
        rank("y", "p", data=path)


def test_labels_of_text_and_none_are_found_missing():
    with pytest.raises(InputError, match="holds 1 missing value"):
        rank(["yes", None, "no"], [0.5, 0.4, 0.2], positive="yes")


def test_slices_of_json_may_have_infinite_scores(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = ['{"y": 1, "p": Infinity, "s": "a"}', '{"y": 0, "p": 0.5, "s": "b"}', '{"y": 1, "p": 0.25, "s": "b"}']
    path.write_text("\n".join(rows))
    slices = evaluate("y", "p", data=path, by="s")
    assert [slice_.ranking.score.tolist() for slice_ in slices.values()] == [[float("inf")], [0.5, 0.25]]
    path.write_text("\n".join(rows).replace("Infinity", "inf"))
    with pytest.raises(InputError, match="has inf, which is not a number in JSON"):
        evaluate("y", "p", data=path, by="s")
