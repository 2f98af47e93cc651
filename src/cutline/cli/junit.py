"""The results of a gate as JUnit XML, which build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET  # only written, never read

from cutline.cli.text import without_controls
from cutline.core.table import shown


def document(file: str, results: Sequence[Any]) -> bytes:
    """One test case for each requirement."""
    failures = str(sum(not result.passed for result in results))
    counts = {"tests": str(len(results)), "failures": failures, "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": f"cutline check {without_controls(file)}", **counts})
    for result in results:
        names = {"classname": "cutline.check", "name": without_controls(result.requirement)}
        case = ET.SubElement(suite, "testcase", names)
        if not result.passed:
            found = f"found {shown(float(result.value))}"
            if result.low == result.low:
                found += f", interval [{shown(float(result.low))}, {shown(float(result.high))}]"
            message = without_controls(f"{found}. {result.reason}".strip())
            ET.SubElement(case, "failure", {"message": message}).text = message
    ET.indent(suites)
    text: bytes = ET.tostring(suites, "utf-8", xml_declaration=True)
    return text + b"\n"
