"""The results of a gate as files: Markdown for a build's summary or a pull request, JUnit XML for build servers."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from cutline.cli.text import without_controls
from cutline.core.table import shown

if TYPE_CHECKING:
    from cutline.cli.check import GateOutcome, Result

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|#~"})


def markdown_document(outcome: GateOutcome) -> bytes:
    """Return a heading, a sentence, and a table with what failed first."""
    heads = ("", "requirement", "found", f"{100 * outcome.level:g} % interval", "why")
    rows = [_row(result) for result in sorted(outcome.results, key=lambda result: result.passed)]
    table = [heads, tuple("---" for _ in heads), *rows]
    lines = [f"### cutline check: {_plain(outcome.file)}", "", outcome.conclusion, ""]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in table), ""]).encode()


def _row(result: Result) -> tuple[str, ...]:
    state = result.state if result.passed else f"**{result.state}**"
    return state, _plain(result.requirement), shown(float(result.value)), result.interval, _plain(result.reason)


def _plain(text: str) -> str:
    """Escape text so that Markdown shows it unchanged."""
    return html.escape(" ".join(without_controls(text).split()), quote=False).translate(_SPECIAL)


def junit_document(outcome: GateOutcome) -> bytes:
    """Return a JUnit document with one test case for each requirement."""
    from xml.etree import ElementTree as ET  # only written, never read

    results = outcome.results
    failures = str(sum(not result.passed for result in results))
    counts = {"tests": str(len(results)), "failures": failures, "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": f"cutline check {without_controls(outcome.file)}", **counts})
    for result in results:
        names = {"classname": "cutline.check", "name": without_controls(result.requirement)}
        case = ET.SubElement(suite, "testcase", names)
        if not result.passed:
            value = f"found {shown(float(result.value))}" + (f", interval {result.interval}" if result.interval else "")
            message = without_controls(f"{value}. {result.reason}".strip())
            ET.SubElement(case, "failure", {"message": message}).text = message
    ET.indent(suites)
    text: bytes = ET.tostring(suites, "utf-8", xml_declaration=True)
    return text + b"\n"
