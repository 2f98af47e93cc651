"""The literature that the measures come from."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def sources() -> dict[str, str]:
    """The bibliography: author, title, where, year, by key."""
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
        entries[kind_and_key.split("{")[1]] = plain_text(entry)
    return entries


def plain_text(tex: str) -> str:
    """TeX's accents and braces as plain text."""
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
