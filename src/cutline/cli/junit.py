"""The results of a gate as JUnit XML, which build servers read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET  # only written, never read

from cutline.cli.text import without_controls
from cutline.core.table import shown

if TYPE_CHECKING:
    from cutline.cli.check import Outcome


def document(outcome: Outcome) -> bytes:
    """One test case for each requirement."""
    results = outcome.results
    failures = str(sum(not result.passed for result in results))
    counts = {"tests": str(len(results)), "failures": failures, "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": f"cutline check {without_controls(outcome.file)}", **counts})
    for result in results:
        names = {"classname": "cutline.check", "name": without_controls(result.requirement)}
        case = ET.SubElement(suite, "testcase", names)
        if not result.passed:
            found = f"found {shown(float(result.value))}" + (f", interval {result.interval}" if result.interval else "")
            message = without_controls(f"{found}. {result.reason}".strip())
            ET.SubElement(case, "failure", {"message": message}).text = message
    ET.indent(suites)
    text: bytes = ET.tostring(suites, "utf-8", xml_declaration=True)
    return text + b"\n"
