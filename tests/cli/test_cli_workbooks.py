"""Workbooks as people have them, and numbers as people write them: read as meant, and said in a note."""

import json

import pytest

from cutline import InputError, compare, evaluate, rank
from cutline.inputs import files
from workbooks import write_xlsx

pytest.importorskip("python_calamine")

PERCENT = ["67%", "12.5 %", "90%", "3%"]
ROWS = [("customer", "Bought", "score"), (101, 1, 0.67), (102, 0, 0.125), (103, 1, 0.9), (104, 0, 0.03)]


@pytest.fixture
def workbook(tmp_path):
    return write_xlsx(tmp_path / "customers.xlsx", ROWS)


def test_a_workbook_is_the_table_of_its_first_sheet(workbook):
    assert files.read(workbook).columns == ("customer", "Bought", "score")
    found = rank("Bought", "score", data=workbook)
    assert found == rank([1, 0, 1, 0], [0.67, 0.125, 0.9, 0.03])
    assert (found.positive, type(found.positive), found.read_as) == (1, int, "")


def test_empty_rows_and_columns_are_passed_over_and_rows_counted_as_in_the_sheet(tmp_path):
    rows = [(None, None), (None, "y", "p"), (None, True, 0.9), (None, None, None), (None, False, "n/a")]
    path = write_xlsx(tmp_path / "a.xlsx", [row + (None,) * (3 - len(row)) for row in rows])
    assert files.read(path).columns == ("y", "p")
    with pytest.raises(InputError, match=r"holds 1 missing value .*in row 5 of the sheet"):
        rank("y", "p", data=path)
    assert rank("y", "p", data=path, missing="drop").positive is True


def test_a_note_says_which_of_several_sheets_was_read(tmp_path):
    path = write_xlsx(tmp_path / "a.xlsx", [], ROWS, ROWS[:3])
    notes = [str(note) for note in evaluate("Bought", "score", data=path).notes]
    assert "Sheet Sheet2 of a.xlsx was read, the first of 2." in notes


def test_a_damaged_workbook_is_refused(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 and nothing else")
    with pytest.raises(InputError, match=r"a.xlsx cannot be read as a workbook: it is damaged"):
        files.read(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (PERCENT, "Column p is written in percent: 12.5 % is read as 0.125."),
        (["0,67", "0,125", "0,9", "0,03"], "Column p is written with decimal commas: 0,03 is read as 0.03."),
        (["67 %", "12,5 %", "90 %", "3 %"], "in percent with decimal commas: 12,5 % is read as 0.125."),
    ],
)
@pytest.mark.parametrize("by", ["python", "duckdb"])
def test_a_whole_column_in_percent_or_with_decimal_commas_is_read_with_a_note(tmp_path, request, cells, said, by):
    if by == "duckdb":
        request.getfixturevalue("by_duckdb")
    path = tmp_path / "cases.csv"
    path.write_text("y;p\n" + "".join(f"{y};{p}\n" for y, p in zip((1, 0, 1, 0), cells, strict=True)) + "0;NA\n")
    found = evaluate("y", "p", data=path, missing="drop")
    assert found.ranking == rank([1, 0, 1, 0], [0.67, 0.125, 0.9, 0.03])
    assert said in " ".join(map(str, found.notes))


@pytest.mark.parametrize("cells", [["67%", "0.5"], ["0,5", "0.5"], ["1,234", "2,345"], ["1,234.5", "0,5"], ["%", "5%"]])
@pytest.mark.parametrize("by", ["python", "duckdb"])
def test_a_column_that_is_so_in_part_or_may_be_meant_otherwise_is_refused(tmp_path, request, cells, by):
    if by == "duckdb":
        request.getfixturevalue("by_duckdb")
    path = tmp_path / "cases.csv"
    path.write_text(f"y;p\n1;{cells[0]}\n0;{cells[1]}\n")
    with pytest.raises(InputError, match=r"scores \(column 'p'\) holds text"):
        rank("y", "p", data=path)


def test_models_of_a_workbook_are_compared(tmp_path):
    rows = [("y", "a", "b")] + [(i % 2, (i * 7 % 10) / 10, f"{i * 3 % 10}%") for i in range(20)]
    path = write_xlsx(tmp_path / "models.xlsx", rows)
    found = compare("y", {"a": "a", "b": "b"}, data=path)
    assert found["b"].auc == evaluate([row[0] for row in rows[1:]], [float(row[2][:-1]) for row in rows[1:]]).auc


COMMANDS = [
    ("evaluate", "--json"),
    ("check", "--require", "auc >= 0"),
    ("cut", "--require", "recall >= 0.1"),
    ("slices", "--by", "site"),
    ("rank", "-o", "cases.ranking"),
    ("compare", "--label", "y", "--score", "p", "--score", "q"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_reads_a_workbook(cutline, tmp_path, command):
    rows = [("site", "y", "p", "q")] + [
        ("NS"[i // 20], i % 2, (i * 7 % 40) / 40, (i * 11 % 40) / 40) for i in range(40)
    ]
    write_xlsx(tmp_path / "cases.xlsx", rows)
    name, *more = command
    columns = [] if name == "compare" else ["--label", "y", "--score", "p"]
    done = cutline(name, "cases.xlsx", *columns, *more)
    assert done.code == 0, done.err
    assert "was read" not in done.err


def test_a_cut_is_applied_to_a_workbook(cutline, tmp_path):
    write_xlsx(tmp_path / "cases.xlsx", ROWS)
    cut = cutline("cut", "cases.xlsx", "--label", "Bought", "--score", "score", "--share", "0.5", "--json")
    (tmp_path / "cut.json").write_text(cut.out)
    assert json.loads(cut.out)
    done = cutline("apply", "cut.json", "cases.xlsx", "-o", "flagged.csv")
    assert done.code == 0, done.err
    assert (tmp_path / "flagged.csv").read_text().splitlines()[0] == "customer,Bought,score,flagged"


def test_a_number_that_names_the_cases_is_no_score(cutline, tmp_path):
    cells = ROWS[1:]
    write_xlsx(tmp_path / "a.xlsx", [("visits", "Bought", "risk"), *cells])
    assert cutline("evaluate", "a.xlsx", "--json").code == 2  # visits might be a score
    write_xlsx(tmp_path / "a.xlsx", [("customer_id", "Bought", "risk"), *cells])
    done = cutline("evaluate", "a.xlsx", "--json")
    assert (done.code, done.err) == (0, "The columns were guessed: --label Bought --score risk\n")
