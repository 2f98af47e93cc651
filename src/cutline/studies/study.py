"""Studies: a question from a text, the settings of a run, the cache of finished parts, and the report."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.core.atomic_write import write
from cutline.core.escaping import html_text, json_text
from cutline.core.table import Table, format_value
from cutline.core.validation import check_whole

if TYPE_CHECKING:
    from cutline.charts import Picture


Progress = Callable[[int, int], None]


def _ignore_progress(done: int, of: int) -> None:
    pass


@dataclass(frozen=True)
class StudySettings:
    """The settings of a run of a study.

    Args:
        seed: The seed of everything random; the same seed gives the same numbers.
        quick: A short version that takes less than two minutes.
        data: A folder of data sets, for the study that needs them.
        jobs: The number of processes that run in parallel.
        progress_file: The file of finished parts, from which an interrupted run continues.
        progress: Called with how many parts are done, and of how many.
    """

    seed: int = 0
    quick: bool = False
    data: Path | None = None
    jobs: int = 2
    progress_file: Path | None = None
    progress: Progress = field(default=_ignore_progress, compare=False)

    def __post_init__(self) -> None:
        check_whole(self.seed, "seed", 0)
        check_whole(self.jobs, "jobs", 1)


@dataclass(frozen=True)
class Study:
    """A published experiment: its name, source and question, and the function that runs it again."""

    name: str
    title: str
    source: str
    question: str
    run: Callable[[StudySettings], StudyReport]

    @property
    def heading(self) -> tuple[str, str, str, str]:
        """Title, source and question, for the head of its report."""
        return self.name, self.title, self.source, self.question


def do_parts(
    work: Callable[..., Any], parts: Sequence[tuple[Any, ...]], settings: StudySettings, what: str
) -> list[Any]:
    """Return the results of all parts of a study, in their order: those kept from an earlier run, and the others
    computed.

    A result must be plain data (it is kept as JSON). A part is recognised by its arguments, the seed and `what`, which
    names the study and the version of its design.
    """
    from joblib import Parallel, delayed

    journal = _Journal(settings.progress_file, what, settings.seed)
    left = [part for part in dict.fromkeys(parts) if part not in journal]  # each once, though it may serve twice
    settings.progress(len(parts) - len(left), len(parts))
    # As they are finished: one that waited for a slow part before it would be lost by a kill.
    as_finished = Parallel(n_jobs=settings.jobs, return_as="generator_unordered")
    done = as_finished(delayed(_run_numbered)(i, work, *part, settings.seed) for i, part in enumerate(left))
    for count, (number, result) in enumerate(done, len(parts) - len(left) + 1):
        journal.add(left[number], result)
        settings.progress(count, len(parts))
    return [journal[part] for part in parts]


def _run_numbered(number: int, work: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return number, work(*arguments)


class _Journal:
    """Finished parts, in memory and as lines of a file; a line that was cut off by a kill is done again."""

    def __init__(self, path: Path | None, what: str, seed: int) -> None:
        self._path, self._what, self._seed = path, what, seed
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            self._results = dict(_complete(path.read_bytes().splitlines()))

    def _make_key(self, part: tuple[Any, ...]) -> str:
        text = json.dumps([self._what, self._seed, part], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def __contains__(self, part: tuple[Any, ...]) -> bool:
        return self._make_key(part) in self._results

    def __getitem__(self, part: tuple[Any, ...]) -> Any:
        return self._results[self._make_key(part)]

    def add(self, part: tuple[Any, ...], result: Any) -> None:
        key = self._make_key(part)
        self._results[key] = result
        if self._path is None:
            return
        line = json.dumps([key, result, _digest(result)]).encode()
        with self._path.open("ab") as file:
            file.write(b"\n" + line + b"\n")  # the line break before it ends a line that was cut off
            file.flush()
            os.fsync(file.fileno())


def _complete(lines: Iterable[bytes]) -> Iterable[tuple[str, Any]]:
    """Yield the key and the result of each line that is complete and unchanged."""
    for line in lines:
        try:
            key, result, digest = json.loads(line)
            is_same = digest == _digest(result)
        except (ValueError, TypeError, RecursionError):
            continue
        if is_same and isinstance(key, str):
            yield key, result


def _digest(result: Any) -> str:
    return hashlib.sha256(json.dumps(result).encode()).hexdigest()[:24]


# ---------------------------------------------------------------------- reports

_PACKAGES = ("cutline", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class StudySection:
    """A section of a report: a heading, paragraphs, and a table or a chart."""

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
        """Command, seed and versions that made these numbers."""
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
                lines += [f"![{section.title}]({_name_file(section, 'svg')})", ""]
            if section.table is not None:
                lines += [*_format_table(section.table), ""]
        if self.left_out:
            lines += ["## What was left out", "", *(f"- {line}" for line in self.left_out), ""]
        return "\n".join([*lines, self.made_with, ""])

    def html(self) -> str:
        """Return the report as one page that makes no network requests."""
        body = [f"<h1>{html_text(self.title)}</h1>", _format_paragraph(f"{self.source}. {self.question}")]
        body += [_format_paragraph(text) for text in self.answer]
        for section in self.sections:
            body.append(f"<h2>{html_text(section.title)}</h2>")
            body += [_format_paragraph(text) for text in section.text]
            if section.chart is not None:
                picture = section.chart.render(".svg").decode()
                label = html_text(section.title)
                body.append(f'<div role="img" aria-label="{label}">{picture}</div>')
            if section.table is not None:
                body.append(f'<div class="scroll" tabindex="0">{section.table._repr_html_()}</div>')
        if self.left_out:
            items = "".join(f"<li>{html_text(line)}</li>" for line in self.left_out)
            body += ["<h2>What was left out</h2>", f"<ul>{items}</ul>"]
        body.append(_format_paragraph(self.made_with))
        return _PAGE.format(title=html_text(self.title), body="\n".join(body))

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
                contents[_name_file(section, "csv")] = section.table.to_csv()
            if section.chart is not None:
                contents[_name_file(section, "svg")] = section.chart.render(".svg").decode()
        return [write(folder / name, text.encode(), overwrite=overwrite) for name, text in contents.items()]


def _name_file(section: StudySection, suffix: str) -> str:
    return f"{section.name}.{suffix}"


def _format_paragraph(text: str) -> str:
    return f"<p>{html_text(text)}</p>"


def _format_table(table: Table) -> list[str]:
    def format_line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rows = [format_line([format_value(cell) for cell in row]) for row in table.rows]
    return [format_line(table.columns), format_line(["---"] * len(table.columns)), *rows]


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
