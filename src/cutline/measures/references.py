"""The literature that the measures come from."""

from __future__ import annotations

import re
from functools import cache

FOLLOWED = ("berrar2025", "murphy2007", "arbel2006", "sonnenburg")  # the four texts whose definitions cutline follows


@cache
def load_bibliography() -> dict[str, str]:
    """Return the bibliography: author, title, where, year, by key."""
    from importlib.resources import files  # which loads what unpacks archives

    text = (files("cutline.measures") / "references.bib").read_text(encoding="utf-8")
    entries = {}
    for kind_and_key, body in re.findall(r"@(\w+{\w+), (.*)}", text):
        fields = dict(re.findall(r"(\w+) = {((?:[^{}]|{[^{}]*})*)}", body))
        where = (
            fields.get("journal")
            or fields.get("booktitle")
            or fields.get("institution")
            or fields.get("publisher")
            or fields.get("note", "")
        )
        authors = "; ".join(fields["author"].split(" and "))
        entry = f"{authors}: *{fields['title']}*. {where}, {fields['year']}."
        entries[kind_and_key.split("{")[1]] = strip_tex(entry)
    return entries


def cite(key: str, place: str = "") -> str:
    """Return a short citation of a text and a place in it; a text outside the bibliography is cited as given.

    >>> cite("berrar2025", "Definition 15"), cite("sonnenburg"), cite("Our handbook")
    ('Berrar 2025, Definition 15', 'Sonnenburg', 'Our handbook')
    """
    text = _make_short_names().get(key, key)
    return f"{text}, {place}" if place else text


@cache
def _make_short_names() -> dict[str, str]:
    """Return the first author, or both of two, with the year if it is known, by key."""
    short = {}
    for key, entry in load_bibliography().items():
        authors = entry.partition(": *")[0].split("; ")
        names = [author.partition(",")[0] for author in authors]
        who = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        year = entry.rstrip(".").rpartition(", ")[2]
        short[key] = f"{who} {year}" if year.isdigit() else who
    return short


def strip_tex(tex: str) -> str:
    """Convert TeX's accents and braces to plain text."""
    for accented, letter in {'{\\"o}': "ö", "{\\v c}": "č", "{\\v z}": "ž", "{\\'a}": "á", "{\\c c}": "ç"}.items():
        tex = tex.replace(accented, letter)
    return (
        tex.replace("{", "")
        .replace("}", "")
        .replace("\\&", "&")
        .replace("--", "-")
        .replace("``", '"')
        .replace("''", '"')
    )
