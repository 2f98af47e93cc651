"""Write docs/advice.md from the rules of cutline.advice: `make docs`. A test checks that the page is up to date."""

from __future__ import annotations

from pathlib import Path

from cutline.advice import CHOICES, COMPARISON_RULES, MODEL_RULES, Rule

PAGE = Path(__file__).with_name("advice.md")

START = """# Advice

Written by `make docs` from the rules in `cutline.advice`. A note is given only where its condition holds, in
plain words, with your numbers and its source. Warnings come first, then advice, then facts.

    from cutline.advice import notes, notes_on

    for note in notes(ev, quota=100):           # of one model; quota=, share=, measures= and level= are optional
        print(note.kind, note.rule, note.text, note.source)
    notes_on(models)                            # of a comparison

Where the sources speak in general terms, a rule needs a number: four fifths of one class is unbalanced, a tenth is rare
or the top of a list. These numbers are our choice.
"""


def page() -> str:
    """The page of all rules."""
    lines = [START, "## Notes on one model", "", *table(MODEL_RULES)]
    lines += ["", "## Notes on a comparison", "", *table(COMPARISON_RULES)]
    lines += ["", "## Which measure for which situation", ""]
    lines += [
        '`cl.advise(cl.Situation(goal="quota", quota_known=True))` answers with the measures of each line that holds.'
    ]
    for choice in CHOICES:
        lines += ["", f"**{choice.when[0].upper()}{choice.when[1:]}.** ({choice.source})"]
        lines += [f"- `{measure}`: {why}" for measure, why in choice.measures.items()]
    return "\n".join(lines) + "\n"


def table(rules: tuple[Rule, ...]) -> list[str]:
    """One row for each rule."""
    rows = [f"| `{rule.id}` | {rule.kind} | {rule.when} | {rule.source} |" for rule in rules]
    return ["| rule | kind | given when | source |", "|---|---|---|---|", *rows]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
