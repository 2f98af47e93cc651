"""The header of a CSV file, however long, and lines that begin or end in unusual ways."""

import pytest

from cutline import InputError, rank
from cutline.inputs import files
from cutline.inputs.column_source import Request
from cutline.inputs.csv_layout import Layout, has_long_numbers

EXPECTED = rank([1, 0, 1], [0.9, 0.5, 0.7])


def test_a_header_longer_than_the_first_block_is_read_whole(tmp_path):
    names = [f"column_number_{i}" for i in range(6000)]
    rows = (",".join([str(y), str(p), *["0"] * len(names)]) for y, p in ((1, 0.9), (0, 0.5), (1, 0.7)))
    (tmp_path / "wide.csv").write_text("\n".join([",".join(["y", "p", *names]), *rows]) + "\n", encoding="utf-8")

    assert len(files.read(tmp_path / "wide.csv").columns) == 6002
    assert rank("y", "p", data=tmp_path / "wide.csv") == EXPECTED


def test_a_long_header_may_be_cut_inside_a_character(tmp_path):
    name = "é" * 70_001  # its bytes do not end where a block does
    (tmp_path / "wide.csv").write_text(f"y,p,x{name}\n1,0.9,0\n0,0.5,0\n1,0.7,0\n", encoding="utf-8")

    assert rank("y", "p", data=tmp_path / "wide.csv") == EXPECTED


@pytest.mark.parametrize(
    "content",
    [
        b"y,p\r\n1,0.9\n0,0.5\r\n1,0.7\n",
        b"y,p\n1,0.9\r\n0,0.5\r1,0.7\n",
        b"\n\ny,p\n1,0.9\n0,0.5\n1,0.7\n",
        b"\r\n\r\ny,p\r\n1,0.9\r\n0,0.5\r\n1,0.7\r\n",
        b"  \n\t\ny,p\n1,0.9\n0,0.5\n1,0.7\n",
        b"\x0c\ny,p\n1,0.9\n0,0.5\n1,0.7\n",
        b"\r\ry,p\r1,0.9\r0,0.5\r1,0.7\r",
        b"\xef\xbb\xbf\ny,p\n1,0.9\n0,0.5\n1,0.7\n",
        b'y,p,t\r\n1,0.9,"a\nb"\r\n0,0.5,"a\r\nb"\n1,0.7,c\r\n',
        b'y,p,t\r\n1,0.9,"a\rb"\r\n0,0.5,c\r\n1,0.7,d\r\n',
    ],
)
def test_blank_lines_and_mixed_line_ends_are_read(tmp_path, content):
    (tmp_path / "x.csv").write_bytes(content)

    assert rank("y", "p", data=tmp_path / "x.csv") == EXPECTED


def test_a_line_is_counted_from_the_start_of_the_file(tmp_path):
    (tmp_path / "x.csv").write_text("\n\ny,p\n1,0.9\n0\n", encoding="utf-8")

    with pytest.raises(InputError, match="has 1 field in line 5 but 2 in its header"):
        rank("y", "p", data=tmp_path / "x.csv")


@pytest.mark.parametrize("text", ["+-1", "-+1", "++1", "--1", "1_0", "0x1", "1d", "1e", "e1", "."])
def test_what_only_looks_like_a_number_is_text(tmp_path, text):
    (tmp_path / "x.csv").write_text(f"y,p\n1,0.9\n0,{text}\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"holds text.* in row 2"):
        rank("y", "p", data=tmp_path / "x.csv")


@pytest.mark.parametrize("text", ["+1", "-1", ".5", "1.", "1e5", "1E-5", "inf", "-Infinity", " 1 "])
def test_what_is_a_number_is_read(tmp_path, text):
    (tmp_path / "x.csv").write_text(f"y,p\n1,0.9\n0,{text}\n", encoding="utf-8")

    assert float(text) in rank("y", "p", data=tmp_path / "x.csv").score.tolist()


@pytest.mark.parametrize("inside", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_break_in_a_name_loses_no_rows(tmp_path, end, inside):
    # DuckDB finds no rows at all below a header whose line break is of another kind than those of the lines.
    lines = [f'y,p,"a{inside}b"', "1,0.9,x", "0,0.5,x", "1,0.7,x"]
    (tmp_path / "x.csv").write_bytes("".join(line + end for line in lines).encode())

    source = files.read(tmp_path / "x.csv")
    assert source.columns == ("y", "p", f"a{inside}b")
    assert len(source.read_columns({"labels": Request("labels", "y")})["labels"]) == 3
    assert rank("y", "p", data=tmp_path / "x.csv") == EXPECTED


def test_the_line_of_an_error_is_counted_with_the_lines_of_the_header(tmp_path):
    (tmp_path / "x.csv").write_bytes(b'y,p,"a\nb"\n1,0.9,x\n0,0.5\n')

    with pytest.raises(InputError, match="in line 4"):
        rank("y", "p", data=tmp_path / "x.csv")


def test_line_breaks_in_a_name_longer_than_the_first_block_do_not_end_the_header(tmp_path):
    name = "a\nb" * 30_000
    (tmp_path / "x.csv").write_text(f'"{name}",y,p\nx,1,0.9\nx,0,0.5\nx,1,0.7\n', encoding="utf-8", newline="")

    assert files.read(tmp_path / "x.csv").columns == (name, "y", "p")
    assert rank("y", "p", data=tmp_path / "x.csv") == EXPECTED


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("z" * 200_000, "a name of a column of more than 131,072 characters"),
        ('"z', "a name of a column of more than 131,072 characters: give it a shorter one, or close its quote"),
        (",".join("z" * 50_000 + str(i) for i in range(50)), "a header of more than 2 million bytes"),
        (",".join(map(str, range(50_000))), "has 50,002 columns, of which a CSV file may have 50,000"),
    ],
)
def test_what_is_too_long_in_a_header_is_said(tmp_path, more, said):
    (tmp_path / "x.csv").write_text(f"y,p,{more}\n" + "1,0.9,x\n0,0.5,x\n" * 10_000, encoding="utf-8")

    with pytest.raises(InputError, match=said):
        rank("y", "p", data=tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("number", "is_long"),
    [
        ("0.5118216247002567", False),
        ("0.0005118216247002567", False),
        ("0.51182162470025671", False),
        ("0.511821624700256712", True),
        ("900719925474099", False),
        ("9007199254740993", True),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_samples_of_a_file_tell_numbers_with_more_digits_than_floats_hold(tmp_path, number, is_long, delimiter):
    path = tmp_path / "x.csv"
    # so long that samples begin in the middle of lines
    path.write_text(f"y{delimiter}p\n" + f"1{delimiter}{number}\n" * 20_000, encoding="utf-8")

    assert has_long_numbers(path, "x.csv", Layout.of(path, "x.csv")) is is_long
