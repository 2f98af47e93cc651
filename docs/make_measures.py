"""Write docs/measures.md, and how many measures other pages count, from the registry: `make docs`. Tests check both."""

from __future__ import annotations

import math
import re
from pathlib import Path

from cutline import MEASURES
from cutline.measures import Family, Measure
from cutline.measures.references import load_bibliography

PAGE = Path(__file__).with_name("measures.md")
# The sentences that count the measures and their names, by the page that they stand in.
COUNTS = {
    Path(__file__).with_name("features.md"): "**{} measures** with {} names",
    Path(__file__).parents[1] / "CHANGELOG.md": "{} measures of binary classifiers with {} names",
}


def page() -> str:
    """The page of all measures, by the question that they answer."""
    lines = [
        "# All measures",
        "",
        "Written by `make docs` from the definitions. In the formulas P and N are the weights of the positives and of",
        "the negatives, n both together, $\\pi = P/n$, and q the share of the cases that is flagged. Where a measure",
        "is undefined it is NaN, and its reason is given with it.",
    ]
    for family in Family:
        lines += ["", f"## {family.value}"]
        for measure in MEASURES.search(family=family):
            lines += ["", *entry(measure)]
    lines += ["", "## Sources", "", *(f"- {key}: {text}" for key, text in load_bibliography().items())]
    return "\n".join(lines) + "\n"


def entry(measure: Measure) -> list[str]:
    """One measure: names, meaning, formula, facts, parameters."""
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in measure.range)
    better = {"higher": "higher is better", "lower": "lower is better", None: "neither is better"}[measure.better]
    facts = f"From {low} to {high}; {better}; perfect ${measure.perfect.latex}$, baseline ${measure.baseline.latex}$."
    lines = [
        f"### {measure.title}: `{measure.name}`",
        "",
        measure.meaning,
        "",
        *((f"$${measure.formula}$$", "") if measure.formula else ()),
        facts + (f" Undefined when {measure.undefined_when}." if measure.undefined else ""),
    ]
    if measure.blind_to:
        lines += ["", f"**Blind to** {measure.blind_to[0].lower()}{measure.blind_to[1:]}"]
    if measure.parameters:
        lines.append("")
    for name, parameter in measure.parameters.items():
        value = measure.defaults.get(name)
        default = "required" if name in measure.required else f"default {'e' if value == math.e else repr(value)}"
        lines.append(f"- `{name}`: {parameter.words} ({default})")
    also = f"Also `{'`, `'.join(measure.aliases)}`. " if measure.aliases else ""
    source = f"Source: {measure.cited}." if measure.source else ""
    return [*lines, "", also + source] if also or source else lines


def update_count(text: str, sentence: str) -> str:
    """Return the text of a page with the sentence that counts the measures brought up to date."""
    pattern = re.escape(sentence).replace(r"\{\}", r"\d+")
    return re.sub(pattern, sentence.format(len(MEASURES), len(MEASURES.names)), text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    for path, sentence in COUNTS.items():
        path.write_text(update_count(path.read_text(encoding="utf-8"), sentence), encoding="utf-8")
