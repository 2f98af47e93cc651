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
from cutline.charts.renderer import escape_undrawable
from cutline.core.escaping import spell_out
from cutline.core.table import Table, are_numbers, format_value, to_json_value
from cutline.report import chart_specs, measure_rows
from cutline.results.base import list_versions
from cutline.results.notes import Note

if TYPE_CHECKING:
    from jinja2 import Environment

Context = Mapping[str, Any]
View = dict[str, Any]  # what a part of the template reads


def _is_always_shown(_: Context) -> bool:
    return True


@dataclass(frozen=True)
class Section:
    """A section of a page.

    Attributes:
        name: The anchor.
        title: The heading.
        link: The title in the navigation; the same title by default.
        part: The part of the template in assets/parts that renders it; the part of its name by default.
        folded: Whether it is closed at first. Printing opens it, unless it is long.
        is_long: Whether it is printed only where the reader has opened it.
        follows_cut: Whether it moves with the slider, which stays in view there.
        heading: Whether the heading is visible; otherwise it is for screen readers alone.
        appears: Whether there is anything to show in a context.
    """

    name: str
    title: str
    link: str = ""
    part: str = ""
    folded: bool = False
    is_long: bool = False
    follows_cut: bool = False
    heading: bool = True
    appears: Callable[[Context], bool] = _is_always_shown


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


def group_sections(context: Context, sections: Sequence[Section]) -> list[View]:
    """Group the sections that appear; neighbours that follow the cut are together."""
    appearing = [section for section in sections if section.appears(context)]
    return [
        {"follows_cut": follows_cut, "sections": list(own)}
        for follows_cut, own in itertools.groupby(appearing, key=lambda section: section.follows_cut)
    ]


# ---------------------------------------------------------------------- one file

# The programs of a page without a movable cut.
STILL = ("files", "saving", "shell", "still")


def assemble_page(
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
        context: The context of the templates.
        data: The data of the page's program.
        modules: The modules of the program.
        library: The program that draws charts, where the page draws any.
    """
    scripts = ({"library": library} if library else {}) | {"program": load_script(modules)}
    page: str = (
        make_environment()
        .get_template("page")
        .render(
            **context,
            groups=group_sections(context, sections),
            skip="cut" if any(section.name == "cut" for section in sections) else "verdict",
            policy=write_policy(scripts.values()),
            style=load_asset("style.css") + write_theme_variables(),
            scripts=scripts,
            data=pack_data(data),
        )
    )
    return page


def make_environment() -> Environment:
    """Make the Jinja environment of the parts of the page and the formats of numbers."""
    from jinja2 import Environment, FunctionLoader

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_load_template),
        auto_reload=False,
        finalize=lambda value: spell_out(value, keep="\t\r\n") if type(value) is str else value,
    )
    environment.filters |= {
        "shown": measure_rows.format_number,
        "interval": measure_rows.format_interval,
        "interval_or_reason": measure_rows.format_interval_or_reason,
        "scale": measure_rows.place_on_scale,
        "p_value": measure_rows.format_p_value,
    }
    return environment


def _load_template(name: str) -> str:
    return load_asset("page.html" if name == "page" else f"parts/{name}.html")


@cache
def load_asset(name: str, package: str = "cutline.report") -> str:
    """Return the text of a file among the assets of a package."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


@cache
def load_script(modules: tuple[str, ...]) -> str:
    """Return modules of the report as one program."""
    return join_modules(load_asset(f"{name}.js") for name in modules)


def join_modules(modules: Iterable[str]) -> str:
    """Join JavaScript modules to one program without imports and exports."""
    return re.sub(r"^(?:import .*\n|export )", "", "\n".join(modules), flags=re.MULTILINE)


def pack_data(data: Any) -> str:
    """Pack data as text that cannot contain markup, in a tenth of the bytes: JSON, compressed, in base 64."""
    text = escape_undrawable(json.dumps(data, allow_nan=False, separators=(",", ":"), default=_encode_value))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _encode_value(value: Any) -> Any:
    return to_json_value(value.item()) if isinstance(value, np.generic) else str(value)


def hash_source(text: str) -> str:
    """Return the hash of a program or a style, as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def write_policy(programs: Iterable[str]) -> str:
    """Return the content security policy: it allows these programs and the style; nothing can be fetched or sent."""
    hashes = " ".join(map(hash_source, programs))
    rules = ("default-src 'none'", f"script-src {hashes}", "style-src 'unsafe-inline'", "img-src data:")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def list_colours(theme: Theme) -> dict[str, str]:
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


def write_theme_variables() -> str:
    """Return the colours of the charts' two themes as variables of the style."""

    def variables(theme: Theme) -> str:
        return ";".join(f"{name}:{colour}" for name, colour in list_colours(theme).items())

    dark = variables(DARK)
    return (
        f"\n:root{{{variables(LIGHT)}}}\n:root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root[data-theme=dark]{{{variables(LIGHT)}}}}}\n"
    )


# ---------------------------------------------------------------------- still pages


def render_plain_page(
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
    """Render a page of sentences, charts and tables; `words` replaces terms on the charts."""
    context = {
        "title": title,
        "heading": heading,
        "verdict": list(verdict),
        "cards": list(cards),
        "level": level,
        "warnings": list(warnings),
        "charts": [draw_figure(picture, i, name, words) for i, (name, picture) in enumerate(charts)],
        "tables": [view_table(table) for table in tables],
        "notes": notes,
        "row_notes": row_notes,
        "conventions": add_versions(conventions),
    }
    return assemble_page(PLAIN_SECTIONS, context, collect_numbers(document, csv))


def add_versions(conventions: Mapping[str, str], made_with: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return how the numbers were made, with the versions of the packages."""
    packages = list_versions() if made_with is None else made_with
    return {**conventions, "Versions": ", ".join(f"{name} {number}" for name, number in packages.items())}


def collect_numbers(document: Any, table: str) -> View:
    """Return the data of a still page that a reader can save or copy.

    Args:
        document: All numbers, ready for JSON.
        table: Those of the table as CSV, which is copied with tabs between the cells, as spreadsheets take it.
    """
    return {"document": document, "csv": table, "tabs": "\n".join(map("\t".join, csv.reader(io.StringIO(table))))}


def draw_figure(picture: Picture, index: int, title: str = "", words: Mapping[str, str] | None = None) -> View:
    """Draw a picture in the page's colours for the template: still, with a title and lines below it.

    Args:
        picture: The picture, drawn in the theme "page".
        index: Its place among the figures of the page.
        title: The title, in place of the picture's own.
        words: Terms by the terms of machine learning that they replace on it.
    """
    chart = chart_specs.specify_picture(picture)
    notes = [] if words else chart["notes"]  # which are in the words of machine learning
    drawing = chart_specs.render_still(chart_specs.replace_words(chart, words or {}), [], index)
    return {"title": title or chart["title"], "notes": notes, "picture": drawing, "index": index}


Cell = Any  # what is shown, or a pair of that and what stands below it
_NUMBER = re.compile(r"[-+<\d.,\s%]*\d[\d.,\s%]*( to [-\d.,\s%]+)?")


_LONG = 60  # characters of a cell that leave no room for others on a narrow screen


def view_cells(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    title: str = "",
    caption: str = "",
    marked: Collection[int] = (),
) -> View:
    """Return a table for the template; columns of numbers are aligned to the right.

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
            {"cells": [{"text": format_value(text), "under": under} for text, under in row], "marked": i in marked}
            for i, row in enumerate(pairs)
        ],
    }


def view_table(table: Table) -> View:
    """Return a finished table for the template, without its hidden columns."""
    chosen = table.shown_columns
    names = [table.columns[i].replace("_", " ") for i in chosen]
    return view_cells(names, [[row[i] for i in chosen] for row in table.rows], title=table.title or "Models")


def _is_numeric(cells: Sequence[Any]) -> bool:
    """Whether a column holds numbers, or texts such as "4.79 %", "< 0.0005" and "0.1 to 0.2"."""
    filled = [cell for cell in cells if cell not in ("", None, "undefined")]
    return are_numbers(filled) or all(isinstance(cell, str) and _NUMBER.fullmatch(cell) for cell in filled)
