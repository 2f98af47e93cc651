"""Reports of studies: sections, written as Markdown, as an HTML page with charts, and as CSV files."""

from __future__ import annotations

import html
import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.core.atomic_write import json_text, write
from cutline.core.table import Table, shown

if TYPE_CHECKING:
    from cutline.charts import Picture

_PACKAGES = ("cutline", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class StudySection:
    """A heading, what there is to say in paragraphs, and a table or a chart that shows it."""

    title: str
    text: tuple[str, ...] = ()
    table: Table | None = None
    chart: Picture | None = None
    name: str = ""  # of its files


@dataclass(frozen=True)
class StudyReport:
    """A finished study: its question, the answer in short, the sections, and what the run depended on."""

    name: str
    title: str
    source: str
    question: str
    answer: tuple[str, ...]
    sections: tuple[StudySection, ...]
    seed: int
    quick: bool
    left_out: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    data: Path | None = None

    @property
    def made_with(self) -> str:
        """The command, the seed and the versions that made these numbers."""
        versions = ", ".join(
            [*(f"{name} {version(name)}" for name in _PACKAGES), f"Python {platform.python_version()}"]
        )
        folder = "" if self.data is None else f" --data {shlex.quote(str(self.data))}"
        command = f"cutline study {self.name}{folder} --seed {self.seed}{' --quick' if self.quick else ''}"
        return f"Made by `{command}` with {versions}."

    def markdown(self) -> str:
        """Return the report as Markdown; its pictures are files beside it."""
        lines = [f"# {self.title}", "", f"*{self.source}.* {self.question}", ""]
        for paragraph in self.answer:
            lines += [paragraph, ""]
        for section in self.sections:
            lines += [f"## {section.title}", ""]
            for paragraph in section.text:
                lines += [paragraph, ""]
            if section.chart is not None:
                lines += [f"![{section.title}]({_file(section, 'svg')})", ""]
            if section.table is not None:
                lines += [*_markdown_table(section.table), ""]
        if self.left_out:
            lines += ["## What was left out", "", *(f"- {line}" for line in self.left_out), ""]
        return "\n".join([*lines, self.made_with, ""])

    def html(self) -> str:
        """Return the report as one page that makes no network requests."""
        body = [f"<h1>{html.escape(self.title)}</h1>", _paragraph(f"{self.source}. {self.question}")]
        body += [_paragraph(text) for text in self.answer]
        for section in self.sections:
            body.append(f"<h2>{html.escape(section.title)}</h2>")
            body += [_paragraph(text) for text in section.text]
            if section.chart is not None:
                picture = section.chart.render(".svg").decode()
                label = html.escape(section.title, quote=True)
                body.append(f'<div role="img" aria-label="{label}">{picture}</div>')
            if section.table is not None:
                body.append(f'<div class="scroll" tabindex="0">{section.table._repr_html_()}</div>')
        if self.left_out:
            items = "".join(f"<li>{html.escape(line)}</li>" for line in self.left_out)
            body += ["<h2>What was left out</h2>", f"<ul>{items}</ul>"]
        body.append(_paragraph(self.made_with))
        return _PAGE.format(title=html.escape(self.title), body="\n".join(body))

    def save(self, folder: Path, *, overwrite: bool = True) -> list[Path]:
        """Write the report into a folder: NAME.md, NAME.html, the pictures, a CSV for each table, and NAME.json.

        Args:
            folder: Where to write; it is made when it is missing.
            overwrite: Whether files of an earlier run are replaced.
        """
        folder.mkdir(parents=True, exist_ok=True)
        contents = {f"{self.name}.md": self.markdown(), f"{self.name}.html": self.html()}
        facts = {"study": self.name, "seed": self.seed, "quick": self.quick, "made with": self.made_with, **self.facts}
        contents[f"{self.name}.json"] = json_text(facts) + "\n"
        for section in self.sections:
            if section.table is not None:
                contents[_file(section, "csv")] = section.table.to_csv()
            if section.chart is not None:
                contents[_file(section, "svg")] = section.chart.render(".svg").decode()
        return [write(folder / name, text.encode(), overwrite=overwrite) for name, text in contents.items()]


def _file(section: StudySection, suffix: str) -> str:
    return f"{section.name}.{suffix}"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _markdown_table(table: Table) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rows = [line([shown(cell) for cell in row]) for row in table.rows]
    return [line(table.columns), line(["---"] * len(table.columns)), *rows]


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · cutline</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 68rem; }}
body {{ margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }}
th, td {{ padding: 0.2rem 0.6rem; border-bottom: 1px solid #e4e4e4; text-align: left; white-space: nowrap; }}
.scroll {{ overflow-x: auto; }}
svg {{ max-width: 100%; height: auto; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""
