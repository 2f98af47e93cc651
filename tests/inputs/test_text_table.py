"""Python's own reader of CSV files says and gives what DuckDB's does, on the files of the fuzzer."""

import os
import random
import sys

import pytest
from benchmarks.fuzzing import tables

from cutline import rank
from cutline.inputs import files
from inputs.test_typed_scan import answer


def by_python(monkeypatch, function, *args, **options):
    with monkeypatch.context() as patch:
        patch.setattr(files, "find_spec", lambda name: None)
        patch.setitem(sys.modules, "duckdb", None)
        return answer(function, *args, **options)


def by_duckdb(monkeypatch, function, *args, **options):
    with monkeypatch.context() as patch:
        patch.setattr(files, "_SMALL", -1)
        return answer(function, *args, **options)


@pytest.mark.parametrize("part", range(int(os.environ.get("SCANNED_FILES", "100")) // 50))
def test_python_reads_the_fuzzers_files_as_duckdb_does(tmp_path, monkeypatch, part):
    path = tmp_path / "cases.csv"
    differ = []
    for number in range(50):
        dice = random.Random(f"{part} {number}")  # noqa: S311
        rows = tables.table(dice)
        content = tables._as_csv(dice, rows)
        path.write_bytes(content)
        options = {"missing": dice.choice(("error", "drop")), "positive": dice.choice((None, None, "yes", 1))}
        named = ("y", "p", "w" if "w" in rows and dice.random() < 0.5 else None)
        one, two = (by(monkeypatch, rank, *named, data=path, **options) for by in (by_python, by_duckdb))
        # Where lines end in several ways, DuckDB gets a copy, and the two may count or blame lines in other ways.
        is_line = all(isinstance(answer, str) and " in line " in answer for answer in (one, two))
        if one != two and not is_line:
            differ.append((part, number, *("" if isinstance(a, list) else a for a in (one, two)), content[:200]))
    assert not differ, "\n".join(map(str, differ))
