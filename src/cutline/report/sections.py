"""The sections of the page, in their order: each is an entry here and a part of the template in assets/parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Context = Mapping[str, Any]


def _always(_: Context) -> bool:
    return True


@dataclass(frozen=True)
class Section:
    """A section: its name is its anchor and that of its part.

    Attributes:
        name: The anchor, and the name of the part that renders it.
        title: The heading.
        link: What the navigation calls it; the title when empty.
        folded: Whether it is closed until somebody opens it. Printing opens it.
        follows_cut: Whether it belongs under the bar with the slider, which stays in view there.
        appears: Whether there is anything to show, from what the templates are given.
    """

    name: str
    title: str
    link: str = ""
    folded: bool = False
    follows_cut: bool = False
    appears: Callable[[Context], bool] = _always


SECTIONS = (
    Section("verdict", "Verdict"),
    Section("models", "Models side by side", "Models", appears=lambda found: bool(found["comparison"])),
    Section("trust", "Can I trust the probabilities?", "Probabilities", appears=lambda found: bool(found["trust"])),
    Section("cut", "Where to cut", "The cut", follows_cut=True),
    Section("promise", "What the cut promises", "Promise", follows_cut=True),
    Section("charts", "Charts", follows_cut=True),
    Section("notes", "Notes"),
    Section(
        "measures",
        "Measures of the whole list",
        "Measures",
        folded=True,
        appears=lambda found: bool(found["others"] or (found["comparison"] and found["comparison"]["groups"])),
    ),
    Section("ranking", "The ranking", "Ranking", folded=True),
    Section("tools", "What would other tools say?", "Other tools", appears=lambda found: bool(found["tools"])),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)

# Those of a page of several classes.
CLASS_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("differences", "Models side by side", "Models", appears=lambda found: bool(found["differences"])),
    Section("pictures", "Charts"),
    Section("classes", "Each class"),
    Section("matrix", "Confusion matrix", "Confusion"),
    Section("overall", "Means over the classes, and all classes together", "All classes"),
    Section("notes", "Notes"),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)

# Those of the page of a folder of days.
MONITOR_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("alarms", "Alarms", appears=lambda found: bool(found["alarms"]["rows"])),
    Section("tracks", "Since release", "Charts"),
    Section("latest", "The last day", "Last day", appears=lambda found: bool(found["latest"]["rows"])),
    Section("labels", "Labels that come late", "Labels", appears=lambda found: bool(found["labels"]["rows"])),
    Section("notes", "Notes"),
    Section("days", "Every day", "Days", folded=True),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)

# Those of the page of two periods.
DRIFT_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("periods", "Measures of both periods", "Measures", appears=lambda found: bool(found["periods"]["rows"])),
    Section("tracks", "Distribution of scores", "Charts"),
    Section("bins", "Bins of scores", "Bins"),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)


# Those of a cross-validation, and of comparisons over folds or data sets.
FOLD_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("pictures", "Charts"),
    Section("tables", "Numbers"),
    Section("notes", "Notes"),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)


def groups(context: Context, sections: tuple[Section, ...] = SECTIONS) -> list[dict[str, Any]]:
    """The sections that appear; neighbours that follow the cut are together."""
    shown = [
        {"name": s.name, "title": s.title, "link": s.link or s.title, "folded": s.folded, "follows_cut": s.follows_cut}
        for s in sections
        if s.appears(context)
    ]
    return [
        {"follows_cut": follows_cut, "sections": list(own)}
        for follows_cut, own in itertools.groupby(shown, key=lambda section: section["follows_cut"])
    ]
