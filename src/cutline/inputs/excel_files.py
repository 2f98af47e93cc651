"""Excel workbooks: the first sheet that holds a table, read by python-calamine."""

from __future__ import annotations

import csv
import datetime as dt
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cutline.core.errors import InputError, quote_if_unclear
from cutline.core.extras import require
from cutline.inputs.column_source import check_distinct_names
from cutline.inputs.text_table import Cells, TextTable

MOST_UNPACKED = 10**9  # bytes of all parts of a workbook
MOST_RATIO = 100  # of unpacked to packed bytes
_HARMLESS = 10**7  # bytes, below which the ratio does not matter
_DEFLATE_RATIO = 1032  # the most that deflated data can unpack to


class Sheet(TextTable):
    """The columns of a sheet, whose first row that is not empty is the header.

    Args:
        title: What messages call the workbook.
        cells: The cells, row by row.
    """

    def __init__(self, title: str, cells: Sequence[Sequence[Any]]) -> None:
        filled = [(number, row) for number, row in enumerate(cells, 1) if any(cell != "" for cell in row)]
        (_, header), *rows = filled
        used = [i for i in range(len(header)) if header[i] != "" or any(row[i] != "" for _, row in rows)]
        names = [_format_cell(header[i]) for i in used]
        check_distinct_names(names, title)
        super().__init__(title, names)
        self._numbers = [number for number, _ in rows]
        self._cells = [[_format_cell(row[i]) for _, row in rows] for i in used]

    def parts(self) -> Iterator[tuple[Cells, bool]]:
        """Yield the cells of all columns."""
        if self._numbers:
            yield self._cells, True

    def place(self, position: int) -> str:
        """Describe the place of a row by its number in the workbook."""
        return f"in row {self._numbers[position]} of the sheet"

    def write_csv(self, path: Path) -> Path:
        """Write the table as a CSV file and return its path."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*self._cells, strict=True))
        return path


def read_workbook(path: Path, title: str) -> Sheet:
    """Return the first sheet of a workbook that holds a table, with a note where there are several."""
    calamine = require("python_calamine", "excel")
    check_unpacked_size(path, title)
    try:
        workbook = calamine.load_workbook(path)
        sheets = {
            name: workbook.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in workbook.sheet_names
        }
    except calamine.PasswordError:
        raise InputError(f"{title} is protected by a password", "save it without one") from None
    except (calamine.CalamineError, OSError, ValueError):
        raise InputError(f"{title} cannot be read as a workbook", "it is damaged, or in another format") from None
    filled = {name: cells for name, cells in sheets.items() if any(cell != "" for row in cells for cell in row)}
    if not filled:
        raise InputError(f"{title} has no cells", "pass a sheet with a header and rows")
    name = next(iter(filled))
    sheet = Sheet(title, filled[name])
    if len(filled) > 1:
        sheet.notes[""] = f"Sheet {quote_if_unclear(name)} of {title} was read, the first of {len(filled)}."
    return sheet


def check_unpacked_size(path: Path, title: str) -> None:
    """Raise if a workbook, which is a zip archive, would unpack to far more than its size, before anything is unpacked.

    What an archive says of its sizes may be false. Deflated data unpacks to at most about a thousand times its size, so
    that only archives beyond the thousandth part of the limit have to be read through; there the checksums tell.
    """
    if not zipfile.is_zipfile(path):  # a workbook of the old format
        return
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            packed, unpacked = sum(part.compress_size for part in parts), sum(part.file_size for part in parts)
            if unpacked > MOST_UNPACKED or (unpacked > _HARMLESS and unpacked > MOST_RATIO * packed):
                raise InputError(
                    f"{title} would unpack to {unpacked:,} bytes, {unpacked / max(packed, 1):,.0f} times its size",
                    "save the sheet as CSV",
                )
            if packed > MOST_UNPACKED / _DEFLATE_RATIO:
                for part in parts:
                    with archive.open(part) as stream:
                        while stream.read(1 << 20):
                            pass
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError):
        raise InputError(f"{title} cannot be read as a workbook", "it is damaged, or in another format") from None


def _format_cell(cell: Any) -> str:
    """Format a cell as in a CSV file."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)
