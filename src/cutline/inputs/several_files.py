"""Several files of one format as one table: their common columns, and which of them a row is in."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from cutline.core.errors import InputError
from cutline.inputs.duckdb_files import File
from cutline.inputs.file_sets import FileSet
from cutline.inputs.sql_text import quoted

_TEXT = ("VARCHAR", "JSON")


class Files(File):
    """The columns of several files."""

    def __init__(self, parts: Sequence[File], files: FileSet, connection: duckdb.DuckDBPyConnection) -> None:
        self.title, self._kind, self._connection = files.title, files.kind, connection
        self._parts, self._layout = parts, None
        self.lacking = _differences(parts)
        with self._plainly():
            self._from = self._together(files.hive)
            described = connection.execute(f"DESCRIBE SELECT * FROM {self._from}").fetchall()  # noqa: S608
        own = {str(row[0]): str(row[1]) for row in described}
        first = {name: duck for name, duck in parts[0].own_names.items() if name not in self.lacking}
        partitions = {name: name for name in own if name not in parts[0].own_names.values() and files.hive}
        self._names = {name: duck for name, duck in {**first, **partitions}.items() if duck in own}
        self.types = {name: own[duck] for name, duck in self._names.items()}

    def _together(self, hive: bool) -> str:
        """Return how DuckDB reads them: in one go where they are alike, else one after the other."""
        literals = f"[{', '.join(part.literal for part in self._parts)}]"
        folders = f"hive_partitioning = {str(hive).lower()}"
        if self._kind == "parquet":
            return f"read_parquet({literals}, {folders}, union_by_name = {str(not self._alike).lower()})"
        if self._alike:
            return self._parts[0].reader(literals, f", {folders}" + (", hive_types_autocast = false" if hive else ""))
        if hive:
            raise InputError(
                f"The files of {self.title} have different columns or layouts", "pass files that are alike"
            )
        common = [name for name in self._parts[0].own_names if name not in self.lacking]
        names = {name: self._parts[0].own_names[name] for name in common}
        each = (
            f"SELECT {', '.join(f'{quoted(part.own_names[name])} AS {quoted(names[name])}' for name in common)} "  # noqa: S608
            f"FROM {part.reader(part.literal)}"
            for part in self._parts
        )
        return f"({' UNION ALL '.join(each)})"

    @property
    def _alike(self) -> bool:
        first = self._parts[0]
        return all(part.own_names == first.own_names and part.alike(first) for part in self._parts)

    def place(self, position: int) -> str:
        """Return the row, as a person counts them, and the file."""
        for part in self._parts:
            if position < part.count:
                return f"{part.place(position)} of {part.title}"
            position -= part.count
        return super().place(position)

    def _reason(self) -> InputError:
        """Return the fault of the first file that cannot be read by itself."""
        for part in self._parts:
            try:
                part.read_all()
            except InputError as error:
                return error
        return InputError(f"The files of {self.title} cannot be read together", "pass files of one kind")


def _differences(parts: Sequence[File]) -> dict[str, str]:
    """Return why columns of the files are not common to all, by name."""
    first = parts[0]
    reasons: dict[str, str] = {}
    for part in parts[1:]:
        for file, other in ((first, part), (part, first)):
            for name in file.columns:
                if name not in other.columns:
                    reasons.setdefault(name, f"{other.title} has no column {name!r}, which {file.title} has")
        for name in first.columns:
            if name in part.columns and (first.types[name] in _TEXT) != (part.types[name] in _TEXT):
                text, numbers = (first, part) if first.types[name] in _TEXT else (part, first)
                reasons.setdefault(name, f"Column {name!r} is text in {text.title} but not in {numbers.title}")
    return reasons
