"""The links of a built site: `python docs/site/check_links.py site`. MkDocs checks those of Markdown, and this all.

Every link, picture, frame, script and style must lead to a file of the site and to a place that is there, and nothing
that a page loads may come from elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"img": "src", "script": "src", "iframe": "src", "link": "href", "source": "src", "object": "data"}
NOT_LOADED = ("canonical", "alternate", "prev", "next", "icon")


@dataclass
class Links(HTMLParser):
    """What a page links to, what it loads, and the places that it has."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One element."""
        found = {name: value for name, value in attrs if value is not None}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in LOADS and LOADS[tag] in found and found.get("rel") not in NOT_LOADED:
            self.loads.append(found[LOADS[tag]])


@cache
def read(path: Path) -> Links:
    """A page, parsed."""
    page = Links()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken(site: Path) -> Iterator[str]:
    """Each link that leads nowhere, and each thing that is loaded from elsewhere, in words.

    Args:
        site: The folder of the site.
    """
    for path in sorted(site.rglob("*.html")):
        page = read(path)
        for address in (*page.links, *page.loads):
            parts = urlsplit(address)
            if parts.scheme in ("http", "https") or address.startswith("//"):
                if address in page.loads:
                    yield f"{path.relative_to(site)} loads {address}"
            elif not parts.scheme and (why := _missing(site, path, unquote(parts.path), unquote(parts.fragment))):
                yield f"{path.relative_to(site)} links to {address}: {why}"


def _missing(site: Path, path: Path, target: str, place: str) -> str:
    start = site if target.startswith("/") else path.parent  # the page for a wrong address counts from the root
    found = (start / target.lstrip("/")).resolve() if target else path.resolve()
    if found.is_dir():
        found /= "index.html"
    if not found.is_file():
        return "there is no such file"
    if place and found.suffix == ".html" and place not in read(found).places and not place.startswith("__"):
        return "there is no such place in it"
    return ""


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    wrong = list(broken(folder))
    found = "\n".join(wrong) or f"{pages} pages: every link leads somewhere, and nothing is loaded from elsewhere."
    sys.stdout.write(f"{found}\n")
    sys.exit(bool(wrong) or not pages)
