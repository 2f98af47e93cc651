"""A page as one file (sections, template, style, programs, data), and the tables and figures of still pages."""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import io
import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.charts import DARK, LIGHT, PAGE, Picture, Theme
from cutline.charts.bars_and_densities import MOST_BARS
from cutline.charts.renderer import drawable
from cutline.core.escaping import spell_out
from cutline.core.table import Table, are_numbers, plain, shown
from cutline.report import chart_specs, measure_rows
from cutline.results.base import list_versions
from cutline.results.notes import Note

if TYPE_CHECKING:
    from jinja2 import Environment

Context = Mapping[str, Any]
View = dict[str, Any]  # what a part of the template reads


def _always(_: Context) -> bool:
    return True


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes:
        name: The anchor.
        title: The heading.
        link: What the navigation calls it; the title when empty.
        part: The part of the template in assets/parts that renders it; that of its name when empty.
        folded: Whether it is closed until somebody opens it. Printing opens it, unless it is long.
        is_long: Whether it is printed only where the reader has opened it.
        follows_cut: Whether it moves with the slider, which stays in view there.
        heading: Whether the heading is visible; a section that explains itself has one for screen readers alone.
        appears: Whether there is anything to show, from what the templates are given.
    """

    name: str
    title: str
    link: str = ""
    part: str = ""
    folded: bool = False
    is_long: bool = False
    follows_cut: bool = False
    heading: bool = True
    appears: Callable[[Context], bool] = _always


# The last section of every page.
CONVENTIONS = Section("conventions", "How the numbers were made", "Conventions", folded=True)
# Those of a page of sentences, charts and tables.
PLAIN_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("pictures", "Charts"),
    Section("tables", "Numbers"),
    Section("notes", "Notes", folded=True),
    CONVENTIONS,
)


def groups(context: Context, sections: Sequence[Section]) -> list[View]:
    """Return the sections that appear; neighbours that follow the cut are together."""
    appearing = [section for section in sections if section.appears(context)]
    return [
        {"follows_cut": follows_cut, "sections": list(own)}
        for follows_cut, own in itertools.groupby(appearing, key=lambda section: section.follows_cut)
    ]


# ---------------------------------------------------------------------- one file

# The programs of a page without a movable cut.
STILL = ("files", "saving", "shell", "still")


def render_page(
    sections: Sequence[Section],
    context: Context,
    data: Any,
    *,
    modules: tuple[str, ...] = STILL,
    library: str = "",
) -> str:
    """Return a page as one file that makes no network requests.

    Args:
        sections: The sections, in their order.
        context: What the templates read.
        data: The data of the page's program.
        modules: The modules of the program.
        library: The program that draws charts, where the page draws any.
    """
    scripts = ({"library": library} if library else {}) | {"program": script(modules)}
    page: str = (
        environment()
        .get_template("page")
        .render(
            **context,
            groups=groups(context, sections),
            skip="cut" if any(section.name == "cut" for section in sections) else "verdict",
            policy=policy(scripts.values()),
            style=asset("style.css") + theme_variables(),
            scripts=scripts,
            data=packed(data),
        )
    )
    return page


def environment() -> Environment:
    """Return the Jinja environment: the parts of the page by name, and the number formats."""
    from jinja2 import Environment, FunctionLoader

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_template),
        auto_reload=False,
        finalize=lambda value: spell_out(value, keep="\t\r\n") if type(value) is str else value,
    )
    environment.filters |= {
        "shown": measure_rows.number,
        "interval": measure_rows.interval,
        "interval_or_reason": measure_rows.interval_or_reason,
        "scale": measure_rows.scale,
        "p_value": measure_rows.p_value,
    }
    return environment


def _template(name: str) -> str:
    return asset("page.html" if name == "page" else f"parts/{name}.html")


@cache
def asset(name: str) -> str:
    """Return a file of the page."""
    return (files("cutline.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def script(modules: tuple[str, ...]) -> str:
    """Return the modules of a page as one program."""
    text = "\n".join(asset(f"{name}.js") for name in modules)
    return re.sub(r"^(?:import .*\n|export )", "", text, flags=re.MULTILINE)


def packed(data: Any) -> str:
    """Pack data as text that cannot contain markup, in a tenth of the bytes: JSON, compressed, in base 64."""
    text = drawable(json.dumps(data, allow_nan=False, separators=(",", ":"), default=_plain))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _plain(value: Any) -> Any:
    return plain(value.item()) if isinstance(value, np.generic) else str(value)


def policy(programs: Iterable[str]) -> str:
    """Return the content security policy: these very programs and this style; nothing can be fetched or sent."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(p.encode()).digest()).decode()}'" for p in programs)
    rules = ("default-src 'none'", f"script-src {hashes}", "style-src 'unsafe-inline'", "img-src data:")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def page_colours(theme: Theme) -> dict[str, str]:
    """Return the colours of a theme by the names of the style's variables."""
    bars = {
        name[len("var(") : -1]: colour
        for count in range(2, MOST_BARS + 1)
        for name, colour in zip(PAGE.fills(count)[1:], theme.fills(count)[1:], strict=True)
    }
    return (
        {f"--line-{i}": colour for i, colour in enumerate(theme.lines)}
        | bars
        | {
            "--ink": theme.text,
            "--grid": theme.grid,
            "--reference": theme.reference,
            "--ground": theme.ground,
        }
    )


def theme_variables() -> str:
    """Return the colours of the charts' two themes as variables of the style."""

    def variables(theme: Theme) -> str:
        return ";".join(f"{name}:{colour}" for name, colour in page_colours(theme).items())

    dark = variables(DARK)
    return (
        f"\n:root{{{variables(LIGHT)}}}\n:root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root[data-theme=dark]{{{variables(LIGHT)}}}}}\n"
    )


# ---------------------------------------------------------------------- still pages


def plain_page(
    *,
    title: str,
    heading: str,
    verdict: Sequence[str],
    level: str,
    charts: Sequence[tuple[str, Picture]],
    tables: Sequence[Table],
    notes: Sequence[Note],
    conventions: Mapping[str, str],
    document: Mapping[str, Any],
    csv: str,
    cards: Sequence[Any] = (),
    row_notes: Sequence[Note] = (),
    warnings: Sequence[Note] = (),
    words: Mapping[str, str] | None = None,
) -> str:
    """Return a page of sentences, charts and tables; its charts speak in the words that are given."""
    context = {
        "title": title,
        "heading": heading,
        "verdict": list(verdict),
        "cards": list(cards),
        "level": level,
        "warnings": list(warnings),
        "charts": [figure(picture, i, name, words) for i, (name, picture) in enumerate(charts)],
        "tables": [view_of_table(table) for table in tables],
        "notes": notes,
        "row_notes": row_notes,
        "conventions": with_versions(conventions),
    }
    return render_page(PLAIN_SECTIONS, context, numbers_to_save(document, csv))


def with_versions(conventions: Mapping[str, str], made_with: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return how the numbers were made, with the versions of the packages that made them."""
    packages = list_versions() if made_with is None else made_with
    return {**conventions, "Versions": ", ".join(f"{name} {number}" for name, number in packages.items())}


def numbers_to_save(document: Any, table: str) -> View:
    """Return the data of a still page, which its reader can save or copy.

    Args:
        document: All numbers, ready for JSON.
        table: Those of the table as CSV, which is copied with tabs between the cells, as spreadsheets take it.
    """
    return {"document": document, "csv": table, "tabs": "\n".join(map("\t".join, csv.reader(io.StringIO(table))))}


def figure(picture: Picture, index: int, title: str = "", words: Mapping[str, str] | None = None) -> View:
    """Return a picture in the page's colours as the template reads it: still, with a title and lines below it.

    Args:
        picture: The picture, drawn in the theme "page".
        index: Its place among the figures of the page.
        title: The title, in place of the picture's own.
        words: What to call things on it, in place of the words of machine learning.
    """
    chart = chart_specs.of_picture(picture)
    notes = [] if words else chart["notes"]  # which are in the words of machine learning
    drawing = chart_specs.still(chart_specs.in_words(chart, words or {}), [], index)
    return {"title": title or chart["title"], "notes": notes, "picture": drawing, "index": index}


Cell = Any  # what is shown, or a pair of that and what stands below it
_NUMBER = re.compile(r"[-+<\d.,\s%]*\d[\d.,\s%]*( to [-\d.,\s%]+)?")


_LONG = 60  # characters of a cell that leave no room for others on a narrow screen


def table_view(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    title: str = "",
    caption: str = "",
    marked: Collection[int] = (),
) -> View:
    """Return a table as the template reads it; columns of numbers stand to the right.

    Args:
        columns: The names of the columns.
        rows: The cells of each row, of which the first names it.
        title: The heading above the table.
        caption: What the table shows.
        marked: The rows that stand out, by their places.
    """
    pairs = [[cell if isinstance(cell, tuple) else (cell, "") for cell in row] for row in rows]
    is_wide = len(columns) > 3 or any(len(str(text)) > _LONG for row in pairs for text, _ in row)
    return {
        "title": title,
        "caption": caption,
        "is_wide": is_wide,  # on a narrow screen its cells stand below each other
        "columns": [
            {"name": name, "is_number": _is_numeric([row[i][0] for row in pairs])} for i, name in enumerate(columns)
        ],
        "rows": [
            {"cells": [{"text": shown(text), "under": under} for text, under in row], "marked": i in marked}
            for i, row in enumerate(pairs)
        ],
    }


def view_of_table(table: Table) -> View:
    """Return a finished table as the template reads it, without its hidden columns."""
    chosen = table.shown_columns
    names = [table.columns[i].replace("_", " ") for i in chosen]
    return table_view(names, [[row[i] for i in chosen] for row in table.rows], title=table.title or "Models")


def _is_numeric(cells: Sequence[Any]) -> bool:
    """Whether a column holds numbers, or texts such as "4.79 %", "< 0.0005" and "0.1 to 0.2"."""
    written = [cell for cell in cells if cell not in ("", None, "undefined")]
    return are_numbers(written) or all(isinstance(cell, str) and _NUMBER.fullmatch(cell) for cell in written)
