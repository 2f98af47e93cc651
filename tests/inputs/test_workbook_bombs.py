"""Workbooks are zip archives: one that unpacks to far more than its size is refused before it is unpacked."""

import io
import random
import struct
import zipfile

import pytest

import cutline as cl
from cutline.inputs import excel_files

pytest.importorskip("python_calamine")
openpyxl = pytest.importorskip("openpyxl")


def workbook(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def archive(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", "<Types/>")
        made.writestr("xl/worksheets/sheet1.xml", content)
    return packed.getvalue()


def test_a_bomb_is_refused_by_what_it_says_of_itself(tmp_path):
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(archive(b"0" * 50_000_000))
    with pytest.raises(cl.InputError, match=r"bomb.xlsx would unpack to 50,000,00\d+ bytes, 1,0\d\d times its size"):
        cl.evaluate("y", "p", data=path)


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_files, "MOST_UNPACKED", 2_000_000)
    content = random.Random(1).randbytes(1_000) * 3_000  # noqa: S311
    honest = archive(content)
    lying = honest.replace(struct.pack("<L", len(content)), struct.pack("<L", 1_000))
    assert lying != honest
    path = tmp_path / "lie.xlsx"
    path.write_bytes(lying)
    with pytest.raises(cl.InputError, match="cannot be read as a workbook"):
        excel_files.check_unpacked_size(path, "lie.xlsx")


def test_a_sound_workbook_of_many_equal_rows_is_read(tmp_path):
    path = tmp_path / "sound.xlsx"
    path.write_bytes(workbook([("y", "p"), *[(i % 2, 0.25 + 0.5 * (i % 2)) for i in range(20_000)]]))
    assert cl.evaluate("y", "p", data=path).auc == 1.0
