"""The companions of the sources: every value in them is computed, and agrees with the text or says why it does not."""

import ast
import importlib.util
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("make_companions", ROOT / "docs" / "make_companions.py")
companions = importlib.util.module_from_spec(spec)
spec.loader.exec_module(companions)

ROW = re.compile(r"^\| (.*?) \| (.*?) \| `(.*?)` \| (.*?) \| (.*?) \| (.*?) ?\|$")


def parsed(name):
    """The first block of code of a page, and the rows of its tables."""
    page = (companions.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    setup = re.search(r"```python\n(.*?)```", page, flags=re.DOTALL)[1]
    rows = [ROW.match(line.replace("\\|", "\0")) for line in page.splitlines() if line.startswith("|") and "`" in line]
    assert all(rows)
    return setup, [tuple(cell.replace("\0", "|").strip() for cell in row.groups()) for row in rows]


@pytest.mark.parametrize("name", companions.NAMES)
def test_every_value_of_a_companion_is_what_its_call_gives(name):
    setup, rows = parsed(name)
    names = companions.namespace(setup)

    assert len(rows) > 20
    for place, what, call, gives, _, _ in rows:
        assert companions.shown(companions.value_of(call, names)) == gives, (place, what)


@pytest.mark.parametrize("name", companions.NAMES)
def test_a_companion_agrees_with_the_print_or_says_why_not(name):
    setup, rows = parsed(name)
    names = companions.namespace(setup)
    for place, what, call, _, printed, note in rows:
        if printed and not agrees(companions.value_of(call, names), printed):
            assert note, (place, what, printed)


@pytest.mark.parametrize("name", companions.NAMES)
def test_a_companion_is_what_its_maker_writes(name):
    page = (companions.FOLDER / f"{name}.md").read_text(encoding="utf-8")

    assert page == companions.page(name), "run `make docs`"


def agrees(value, printed):
    """Whether a value rounds to what is printed, digit for digit; a list item by item."""
    if printed.startswith("["):
        items = [item.strip() for item in printed[1:-1].split(",")]
        return len(items) == len(value) and all(map(agrees, value, items))
    if isinstance(value, bool | str):
        return str(value) == printed.strip("'")
    if "/" in printed:
        return (
            math.isclose(value, Fraction(printed.replace(" ", "")), abs_tol=1e-12)
            if "." not in printed
            else (math.isclose(value, float(printed.split("/")[0]) / float(printed.split("/")[1]), abs_tol=1e-12))
        )
    number = float(ast.literal_eval(printed))
    digits = len(printed.partition(".")[2])
    tolerance = 0.5 * 10.0**-digits if digits else 1e-9
    return abs(float(value) - number) <= tolerance * (1 + 1e-9) + 1e-12


def test_a_wrong_value_would_be_seen():
    assert agrees(0.6666, "0.67")
    assert not agrees(0.6, "0.2")
    assert not agrees([0.1, 0.2], "[0.1, 0.3]")
    assert agrees(7 / 9, "7/9")
    assert agrees(1.75 / 3, "1.75/3")


def test_every_definition_of_the_chapter_has_a_row():
    _, rows = parsed("berrar")
    places = " ".join(row[0] for row in rows)

    assert all(re.search(rf"Definition {number}\b", places) for number in range(1, 39))
    assert all(re.search(rf"Figure {number}\b|Figure {number}[a-d]", places) for number in range(1, 9))


def test_every_table_of_the_other_texts_has_a_row():
    murphy, arbel = (" ".join(row[0] for row in parsed(name)[1]) for name in ("murphy", "arbel-rokach"))

    assert all(f"Table {number}" in murphy for number in range(1, 6))
    assert all(re.search(rf"Tables? (\d+ and )?{number}\b|Tables {number} and", arbel) for number in range(1, 10))
