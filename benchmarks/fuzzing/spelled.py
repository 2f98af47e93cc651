"""Spreadsheets as people save them: workbooks, and columns in percent or with decimal commas, in small and large files.

Sound ones must be read to the digit; columns that are written in two ways must be refused.
"""

from __future__ import annotations

import collections
import csv
import gzip
import io
import random
import zipfile
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape

# How often each is run among the commands.
KINDS = {"sheets": 4, "spelled": 4, "mixed": 2}
ASKED = ["--measures", "auc", "--resamples", "0", "--json"]
Cases = list[tuple[bool, float, float]]

# ---------------------------------------------------------------------- percent and decimal commas

# How a column is written: a number of percent or a number, and the mark before its decimals.
WAYS = (("{} %", "."), ("{}%", "."), ("{}", ","), ("{}%", ","), ("{} %", ","))
# A cell that is written in another way than its column, by the way of the column; no reader can be sure of it.
STRANGERS = {
    ("{} %", "."): ("0.5", "3,5%", "5%%", "%", "5 0%", "1,234.5%", "5\u066a", "0x5%"),
    ("{}%", "."): ("0.5", "12,25%", "5%%", "%5", "5e%", "\u0665%", "5 pct"),
    ("{}", ","): ("0.5", "1.234,5", "1,5,5", ",", "0,5%", "1,2e3", "\uff10,5", "'0,5"),
    ("{}%", ","): ("0.5%", "0,5", "1.234,5%", ",%", "1,5,5%"),
    ("{} %", ","): ("0.5 %", "0,5", "1.234,5 %", ", %"),
}
THOUSANDS = ("1,234", "12,000", "999,999", "1,234,567")  # which may be thousands or decimals


def spelled(dice: random.Random) -> tuple[str, bytes, Cases]:
    """Return a CSV file whose scores are in percent or have decimal commas, and its cases."""
    pattern, mark = dice.choice(WAYS)
    texts = _texts(dice, _size(dice), pattern, mark)
    labels = [1, 0, *(dice.randint(0, 1) for _ in texts[2:])]
    numbers = [_number(text) for text in texts]
    name, content = _written(dice, labels, texts)
    return name, content, _weighted(zip((label == 1 for label in labels), numbers, strict=True))


def mixed(dice: random.Random) -> tuple[str, bytes]:
    """Return a CSV file with a cell that is written in another way than its column, or with thousands alone."""
    if dice.random() < 0.3:
        texts = [dice.choice(THOUSANDS) + dice.choice(("", "%")) * (dice.random() < 0.3) for _ in range(_size(dice))]
        texts[:2] = dice.sample(THOUSANDS, 2)
    else:
        way = dice.choice(WAYS)
        texts = _texts(dice, _size(dice), *way)
        place = dice.randrange(len(texts)) if dice.random() < 0.7 else len(texts)
        texts.insert(place, dice.choice(STRANGERS[way]))
    return _written(dice, [1, 0, *(dice.randint(0, 1) for _ in texts[2:])], texts)


def _size(dice: random.Random) -> int:
    return dice.choice((12, 12, 60, 60, 300, 5_000)) if dice.random() < 0.95 else 60_000


def _texts(dice: random.Random, n: int, pattern: str, mark: str) -> list[str]:
    """Return numbers as text, of which the first or the last alone may show how they are written."""
    digits = dice.choice((1, 2, 4, 12)) if n < 1000 else 1  # of many rows, few values, whose pairs can be counted
    values = [Decimal(dice.randrange(10**digits * (100 if "%" in pattern else 1))).scaleb(-digits) for _ in range(n)]
    if dice.random() < 0.3:  # whole numbers, with one that is not
        values = [Decimal(int(value)) for value in values]
        values[dice.choice((0, -1, n // 2))] = Decimal("0.25")
    signs = dice.choice(("", "", "", "+", "-"))
    texts = [signs * (dice.random() < 0.2) + f"{value:f}" for value in values]
    if not any("." in text and not text.lstrip("+-").partition(".")[0].strip("0") for text in texts):
        texts[dice.randrange(n)] = "0.5"  # which cannot be a number of thousands
    return [pattern.format(text.replace(".", mark)) for text in texts]


def _number(text: str) -> float:
    """Return what a text means, by exact arithmetic."""
    value = Decimal(text.strip("% ").replace(",", "."))
    return float(value / 100 if "%" in text else value)


def _written(dice: random.Random, labels: list[int], texts: list[str]) -> tuple[str, bytes]:
    out = io.StringIO()
    quoting = dice.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(
        out, delimiter=dice.choice(";;;\t|,"), lineterminator=dice.choice(("\n", "\r\n")), quoting=quoting
    )
    names, columns = ["y", "p"], [labels, texts]
    if dice.random() < 0.3:
        names, columns = ["p", "note", "y"], [texts, ["a b"] * len(texts), labels]
    writer.writerows([names, *zip(*columns, strict=True)])
    content = out.getvalue().encode(dice.choice(("utf-8", "utf-8", "utf-8-sig")))
    return ("f.csv.gz", gzip.compress(content, 1, mtime=0)) if dice.random() < 0.15 else ("f.csv", content)


def _weighted(cases: Any) -> Cases:
    """Return equal cases as one with a weight, so that pairs of many rows can be counted."""
    alike = collections.Counter(cases)
    return [(*case, float(many)) for case, many in alike.items()]


# ---------------------------------------------------------------------- workbooks

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def sheets(dice: random.Random) -> tuple[str, bytes, Cases, bool]:
    """Return a workbook, its cases, and whether it is damaged."""
    n = dice.choice((12, 40, 120))
    draw = dice.choice((dice.random, lambda: round(dice.random(), 1), lambda: dice.gauss(0, 1e3), lambda: 5e-324))
    scores = [draw() for _ in range(n)]
    pair: tuple[Any, Any] = dice.choice(((1, 0), (1, 0), (True, False), ("1", "0")))
    labels = [*pair, *(dice.choice(pair) for _ in scores[2:])]
    cells: list[Any] = [*scores]
    way = dice.randrange(4)
    if way == 0 and all(0 <= score < 1e3 for score in scores):  # text in percent, with decimal commas
        cells = [f"{Decimal(repr(score)) * 100:f}%".replace(".", ",") for score in scores]
        cells[0], scores[0] = "0,5%", 0.005
    elif way == 1:  # what a formula gave
        cells = [("formula", score) for score in scores]
    table = [["y", "p", "g"], *([label, cell, "a & b"] for label, cell in zip(labels, cells, strict=True))]
    empty = dice.choice((0, 0, 3))
    book = _workbook(dice, [*([[]] * empty), *table])
    truth: Cases = [(label == pair[0], score, 1.0) for label, score in zip(labels, scores, strict=True)]
    is_damaged = dice.random() < 0.4
    if is_damaged:
        bad = bytearray(book)
        for _ in range(dice.choice((1, 1, 3))):
            bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(8)
        book = bytes(bad[: dice.randrange(len(bad))]) if dice.random() < 0.2 else bytes(bad)
    return "f.xlsx", book, truth, is_damaged


def _workbook(dice: random.Random, rows: list[list[Any]]) -> bytes:
    """Return an Excel workbook, laid out as one of the programs does that write them."""
    shared: list[str] | None = [] if dice.random() < 0.5 else None
    has_places, way = dice.random() < 0.8, dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    body = "".join(
        (f'<row r="{r}">' if has_places else "<row>")
        + "".join(_cell(f"{'ABC'[c]}{r}" if has_places else "", value, shared) for c, value in enumerate(row))
        + "</row>"
        for r, row in enumerate(rows, 1)
        if row or not has_places
    )
    more = dice.random() < 0.3  # a sheet without cells before it
    names = (["empty"] if more else []) + ["data & more"]
    listed = "".join(f'<sheet name="{escape(name)}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(names, 1))
    relation = '<Relationship Id="{}" Type="{}" Target="{}"/>'
    links = [
        relation.format(f"r{i}", f"{_DOCUMENT}/worksheet", f"worksheets/s{i}.xml") for i in range(1, len(names) + 1)
    ]
    links += [relation.format("s", f"{_DOCUMENT}/sharedStrings", "sharedStrings.xml")] if shared is not None else []
    all_links = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
    sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{{}}</sheetData></worksheet>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": all_links.format(relation.format("w", f"{_DOCUMENT}/officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": all_links.format("".join(links)),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>{listed}</sheets></workbook>',
        f"xl/worksheets/s{len(names)}.xml": sheet.format(body),
    }
    if more:
        parts["xl/worksheets/s1.xml"] = sheet.format("")
    if shared is not None:
        texts = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{_MAIN}">{texts}</sst>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", way) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text, way)
    return out.getvalue()


def _cell(place: str, value: Any, shared: list[str] | None) -> str:
    at = f' r="{place}"' if place else ""
    if isinstance(value, tuple):
        return f"<c{at}><f>A1*1</f><v>{value[1]!r}</v></c>"
    if isinstance(value, bool):
        return f'<c{at} t="b"><v>{int(value)}</v></c>'
    if not isinstance(value, str):
        return f"<c{at}><v>{value!r}</v></c>"
    if shared is None:
        return f'<c{at} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    if value not in shared:
        shared.append(value)
    return f'<c{at} t="s"><v>{shared.index(value)}</v></c>'


MAKERS: dict[str, Callable[[random.Random], tuple[Any, ...]]] = {"sheets": sheets, "spelled": spelled, "mixed": mixed}


def made(identity: str) -> tuple[str, bytes, Cases, bool, bool]:
    """Return a file, its cases, and whether it must be read and whether it must be refused."""
    kind = identity.rpartition("-")[0]
    found = MAKERS[kind](random.Random(identity))  # noqa: S311 - not for secrets
    name, content, *rest = found
    if kind == "mixed":
        return name, content, [], False, True
    is_damaged = kind == "sheets" and rest[1]
    return name, content, rest[0], not is_damaged, False
