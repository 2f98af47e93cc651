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
        folded: Whether it is closed until somebody opens it. Printing opens it, unless it is long.
        is_long: Whether it is printed only where the reader has opened it.
        follows_cut: Whether it moves with the slider, which stays in view there.
        heading: Whether the heading is visible; a section that explains itself has one for screen readers alone.
        appears: Whether there is anything to show, from what the templates are given.
    """

    name: str
    title: str
    link: str = ""
    folded: bool = False
    is_long: bool = False
    follows_cut: bool = False
    heading: bool = True
    appears: Callable[[Context], bool] = _always


def _has_other_measures(context: Context) -> bool:
    comparison = context["comparison"]
    return bool(context["others"] or context["more_live"] or (comparison and comparison["groups"]))


# The page of one model or of several: pictures first, then what the cut does and promises; the rest is folded.
SECTIONS = (
    Section("verdict", "Verdict", heading=False),
    Section("look", "Charts with the cut", "Charts", follows_cut=True, heading=False),
    Section(
        "models",
        "Models side by side",
        "Models",
        follows_cut=True,
        appears=lambda context: bool(context["comparison"]),
    ),
    Section("cut", "What the cut does", "The cut", follows_cut=True),
    Section("promise", "What the cut promises for future cases", "Promise", follows_cut=True),
    Section("measures", "All measures", "Measures", folded=True, appears=_has_other_measures),
    Section(
        "trust",
        "Can I trust the probabilities?",
        "Probabilities",
        folded=True,
        appears=lambda context: bool(context["trust"]),
    ),
    Section("charts", "More charts", folded=True, appears=lambda context: bool(context["charts"]["more"])),
    Section("notes", "Notes", folded=True),
    Section("ranking", "The ranking", "Ranking", folded=True, is_long=True),
    Section("tools", "What would other tools say?", "Other tools", appears=lambda context: bool(context["tools"])),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)

# Those of a page of several classes.
CLASS_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("differences", "Models side by side", "Models", appears=lambda context: bool(context["differences"])),
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
    Section("alarms", "Alarms", appears=lambda context: bool(context["alarms"]["rows"])),
    Section("tracks", "Since release", "Charts"),
    Section("latest", "The last day", "Last day", appears=lambda context: bool(context["latest"]["rows"])),
    Section("labels", "Labels that come late", "Labels", appears=lambda context: bool(context["labels"]["rows"])),
    Section("notes", "Notes"),
    Section("days", "Every day", "Days", folded=True),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)

# Those of the page of two periods.
DRIFT_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("periods", "Measures of both periods", "Measures", appears=lambda shown: bool(shown["periods"]["rows"])),
    Section("tracks", "Distribution of scores", "Charts"),
    Section("bins", "Bins of scores", "Bins"),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)


# Those of a cross-validation, and of comparisons over folds or data sets.
FOLD_SECTIONS = (
    Section("verdict", "Verdict"),
    Section("pictures", "Charts"),
    Section("tables", "Numbers"),
    Section("notes", "Notes", folded=True),
    Section("conventions", "How the numbers were made", "Conventions", folded=True),
)


def groups(context: Context, sections: tuple[Section, ...] = SECTIONS) -> list[dict[str, Any]]:
    """Return the sections that appear; neighbours that follow the cut are together."""
    shown = [
        {"name": s.name, "title": s.title, "link": s.link or s.title, "folded": s.folded}
        | {"follows_cut": s.follows_cut, "heading": s.heading, "is_long": s.is_long}
        for s in sections
        if s.appears(context)
    ]
    return [
        {"follows_cut": follows_cut, "sections": list(own)}
        for follows_cut, own in itertools.groupby(shown, key=lambda section: section["follows_cut"])
    ]
