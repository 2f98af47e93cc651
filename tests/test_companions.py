"""The companions of the sources: every value in them is computed, and agrees with the text or says why it does not."""

import ast
import importlib.util
import math
import re
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cutline.studies import STUDIES

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
def test_every_value_of_a_companion_is_what_its_call_gives_and_agrees_with_the_print_or_with_the_errata(name):
    setup, rows = parsed(name)
    names = companions.namespace(setup)

    assert len(rows) > 20
    for place, what, call, gives, printed, note in rows:
        if call.startswith(companions.COMMAND):
            assert not problem_of_command(call, gives, printed, note), (place, what)
            continue
        value = companions.value_of(call, names)

        assert gives, (place, what)
        assert companions.shown(value) == gives, (place, what)
        assert not printed or agrees(value, printed) or is_in_errata(name, place, note), (place, what, printed)


def problem_of_command(call, gives, printed, note):
    """What is wrong with a row that a study answers: it must exist, and its report must be linked and kept."""
    study = call.removeprefix(companions.COMMAND).strip()
    if study not in STUDIES or gives or printed:
        return "no study gives this value"
    kept = (companions.FOLDER.parent / "studies" / f"{study}.md").exists()
    return "" if kept and f"(../studies/{study}.md)" in note else "no report is linked"


AUTHORS = {"berrar": "Berrar", "murphy": "Murphy", "arbel-rokach": "Arbel & Rokach", "sonnenburg": "Sonnenburg"}


def is_in_errata(name, place, note):
    """Whether a note points to the errata, and they have a row on this place of this text."""
    page = (companions.FOLDER.parent / "errata.md").read_text(encoding="utf-8").lower()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    [number] = re.findall(r"(?:definition|section|table|figure|eq\.) \d+", place.lower())[:1] or ["?"]
    known = any(AUTHORS[name].lower() in row and re.search(rf"{re.escape(number)}\b", row) for row in rows)
    return "(errata)" in note and known


@pytest.mark.parametrize("name", companions.NAMES)
def test_a_companion_is_what_its_maker_writes(name):
    page = (companions.FOLDER / f"{name}.md").read_text(encoding="utf-8")

    assert page == companions.page(name), f"run `make docs`, which writes {name}.md from {name}.toml"


def agrees(value, printed):
    """Whether a value rounds to what is printed, digit for digit; a list item by item."""
    if printed.startswith("["):
        items = [item.strip() for item in printed[1:-1].split(",") if item.strip()]
        return len(items) == len(value) and all(map(agrees, value, items))
    if isinstance(value, bool | np.bool | str):
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


def test_a_note_alone_excuses_nothing():
    assert is_in_errata("berrar", "Definition 24, eq. 26", "0.50 is the chance agreement (errata).")
    assert not is_in_errata("berrar", "Definition 24, eq. 26", "It is another one.")
    assert not is_in_errata("berrar", "Definition 2, eq. 2", "It is another one (errata).")  # not Definition 24 or 20
    assert not problem_of_command("cutline study skew", "", "", "See [the study](../studies/skew.md).")
    assert problem_of_command("cutline study skew", "", "", "A note.")
    assert problem_of_command("cutline study nothing", "", "", "See [the study](../studies/nothing.md).")


def errata():
    """The first cell of each row of the errata: which places of which texts it is about."""
    page = (companions.FOLDER.parent / "errata.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")]
    return [cell for cell in cells if cell != "where"]


def places_of(words):
    """The places that words name: numbered ones such as ("section", "4.3.2"), and titles of slides."""
    found = {title.lower() for title in SLIDES if re.search(rf"(^|, ){re.escape(title)}($|[,:])", words, re.IGNORECASE)}
    numbered = r"(definition|section|table|figure|eq)s?\.? (\d[\d.]*[a-d]?(?:(?:-|, | and )\d[\d.]*[a-d]?)*)"
    for kind, run in re.findall(numbered, words.lower().replace("\N{EN DASH}", "-")):
        for low, high in re.findall(r"(\d[\d.]*)[a-d]?(?:-(\d+))?", run):
            found |= {(kind, str(n)) for n in range(int(low), int(high) + 1)} if high else {(kind, low.rstrip("."))}
    return found


def places_by_text(cell):
    """The places that an erratum names, by text: those after an author belong to that author."""
    parts = re.split(f"({'|'.join(map(re.escape, AUTHORS.values()))})", cell)
    names = {author: name for name, author in AUTHORS.items()}
    return {
        names[author]: places_of(after.lstrip(", ")) for author, after in zip(parts[1::2], parts[2::2], strict=True)
    }


def subject_of(cell):
    """What an erratum is about, where its place has several: "EER" in "Murphy, section 1, EER"."""
    if ":" in cell:
        return ""
    parts = cell.replace("$", "").replace("_", "").lower().split(", ")[1:]
    return next((part for part in parts if not places_of(part) and not part[0].isdigit()), "")


def unnamed(name, rows):
    """The errata of a text that its companion does not name: each place needs as many notes as it has errata."""
    named = [
        (places_of(place), f"{place} {what} {note}".lower(), note.count("(errata)")) for place, what, *_, note in rows
    ]
    wanted = [(c, frozenset(at), subject_of(c)) for c in errata() if (at := places_by_text(c).get(name))]
    count = Counter(places for _, places, _ in wanted)
    return [
        cell
        for cell, places, subject in wanted
        if sum(n for at, _, n in named if at & places) < count[places]
        or not any(n and at & places and subject in words for at, words, n in named)
    ]


@pytest.mark.parametrize("name", companions.NAMES)
def test_every_erratum_of_a_text_is_named_in_its_companion_at_its_place(name):
    assert not unnamed(name, parsed(name)[1])


def test_every_erratum_names_a_place():
    assert len(errata()) > 45
    assert not [cell for cell in errata() if not any(places_by_text(cell).values())]


def test_an_erratum_that_a_companion_leaves_out_would_be_seen():
    rows = [row for row in parsed("berrar")[1] if "triplets" not in row[-1] and "step sum" not in row[-1]]
    left_out = unnamed("berrar", rows)

    assert "Berrar, Definition 34" in left_out
    assert "Berrar, Definition 32, formula" in left_out
    assert places_of("Eq. 16, 19, Figures 6-8 and Section 4.3.2") == {
        ("eq", "16"), ("eq", "19"), ("figure", "6"), ("figure", "7"), ("figure", "8"), ("section", "4.3.2"),
    }  # fmt: skip
    assert subject_of("Berrar, Definition 23, $I(x_7)$") == "i(x7)"
    assert subject_of("Arbel & Rokach, Tables 8 and 9, Monks2, Naive Bayes") == "monks2"
    assert subject_of("Sonnenburg, Scores III, cc") == "cc"
    assert not subject_of("Berrar, eq. 20, 21 and 23")
    assert places_of("Contingency table, against") == {"contingency table"}


def test_a_wrong_value_would_be_seen():
    assert agrees(0.6666, "0.67")
    assert not agrees(0.6, "0.2")
    assert not agrees([0.1, 0.2], "[0.1, 0.3]")
    assert agrees(7 / 9, "7/9")
    assert agrees(1.75 / 3, "1.75/3")


# The slides are not numbered: their titles, and how many statements (formulas and bullet points) each makes. Those of
# the two training slides are shortened; the road map makes no statement.
SLIDES = {
    "Contingency table": 2,
    "Scores I": 2,
    "Scores II": 8,
    "Scores III": 4,
    "ROC": 4,
    "PRC": 4,
    "ROC vs. PRC": 1,
    "auROC": 5,
    "auPRC": 4,
    "Comparison": 1,
    "Extensions": 1,
    "Summary": 2,
    "auROC/auPRC optimised training": 2,
    "SVM-multi": 1,
    "Aim": 2,
    "Outlook": 1,
}


def test_every_slide_has_a_row_for_each_of_its_statements_in_their_order():
    places = [row[0] for row in parsed("sonnenburg")[1]]

    assert list(dict.fromkeys(places)) == list(SLIDES)
    short = {title: places.count(title) for title, statements in SLIDES.items() if places.count(title) < statements}
    assert not short


# What each text numbers: the last equation, figure, table and definition, and what the text version of it lacks.
NUMBERED = {
    "berrar": {"Definition": 38, "eq.": 48, "Figure": 8},
    "murphy": {"eq.": 16, "Figure": 4, "Table": 5},
    "arbel-rokach": {"eq.": 19, "Figure": 11, "Table": 9},
}


# Statements of slides that they leave open, or that are left out, with the reason in items.toml.
OPEN = {"Extensions": 1, "Summary": 1, "Outlook": 1}
ITEMS = tomllib.loads((companions.FOLDER / "items.toml").read_text(encoding="utf-8"))


def test_each_of_the_289_items_has_a_row_or_a_reason():
    rows = {name: parsed(name)[1] for name in companions.NAMES}
    shown, reasons = 0, 0
    for name, kinds in NUMBERED.items():
        for kind, last in kinds.items():
            kind_in_rows = kind if kind.endswith(".") else f"{kind} "
            shown += len(set(numbers([row[0] for row in rows[name]], kind_in_rows)) & set(range(1, last + 1)))
    for title, statements in SLIDES.items():
        shown += min(statements, sum(row[0] == title for row in rows["sonnenburg"]))
    reasons += sum(OPEN[title] for title in ITEMS["left_out"]["sonnenburg"])
    numbered = shown + reasons
    remarks = sum(len(own) for own in ITEMS["remarks"].values())

    assert numbered == 205
    assert remarks == 84
    assert numbered + remarks == 289
    assert not unshown(rows)


def unshown(rows):
    """The remarks of the texts that no row shows."""
    return [
        (name, says)
        for name, own in ITEMS["remarks"].items()
        for _, says, row in own
        if not any(what.startswith(row) for _, what, *_ in rows[name])
    ]


def test_a_remark_without_its_row_would_be_seen():
    rows = {name: parsed(name)[1] for name in companions.NAMES}
    rows["murphy"] = [row for row in rows["murphy"] if "rare event" not in row[1]]

    assert unshown(rows) == [("murphy", "For rare events compare recall with precision")]
    assert all(len(reason) > 20 for reason in ITEMS["left_out"]["sonnenburg"].values())


def numbers(places, kind):
    """The numbers of a kind that places such as "Eq. 16, 19" or "Figures 6-8" name, in their order."""
    found = []
    for place in places:
        for run in re.findall(rf"{re.escape(kind[:-1])}s?\.? (\d+[a-d]?(?:(?:-|, | and )\d+)*)", place, re.IGNORECASE):
            for low, high in re.findall(r"(\d+)(?:-(\d+))?", run):
                found += range(int(low), int(high or low) + 1)
    return found


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in NUMBERED.items() for kind in kinds])
def test_everything_that_a_text_numbers_has_a_row(name, kind):
    kind_in_rows = kind if kind.endswith(".") else f"{kind} "
    found = numbers([row[0] for row in parsed(name)[1]], kind_in_rows)

    assert set(found) == set(range(1, NUMBERED[name][kind] + 1))


def test_the_definitions_and_equations_follow_the_order_of_the_chapter():
    places = [row[0] for row in parsed("berrar")[1]]

    for kind in ("Definition ", "eq."):
        found = numbers(places, kind)
        assert found == sorted(found)
