"""What the site does to its pages: formulas become MathML, which browsers draw without a program; sessions are told."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
LISTS = ("api/", "cli/", "changelog.md", "ledger.md", "measures.md")
_NAMES = re.compile(r"\\text\{[^{}]*\}|\\[A-Za-z]+|([A-Z]{2,})(?![a-z])")


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as browsers draw it; names of several capitals, such as TP, stand upright as one word.

    >>> "<mi>TP</mi>" in mathml("TP + 1"), "<mi>T</mi>" in mathml("TP + 1")
    (True, False)
    """
    upright = _NAMES.sub(lambda found: rf"\text{{{found[1]}}}" if found[1] else found[0], latex)
    drawn = convert(upright, display=display)
    return re.sub(r"<mtext>([A-Z]{2,})</mtext>", r"<mi>\1</mi>", drawn)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with its Python sessions marked as such, so that what is copied is the code alone (assets/site.css).

    The list of all pages is not found by the search: it is the navigation, which every page has. Pages that explain are
    found before those that list.
    """
    if page.file.src_uri == "SUMMARY.md":
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri.startswith(LISTS):
        page.meta["search"] = {"boost": 0.3}
    return re.sub(r"^```python\n(?=>>> )", "```pycon\n", markdown, flags=re.MULTILINE)


def on_page_content(text: str, **_: Any) -> str:
    """The page with its formulas drawn."""
    text = _BLOCK.sub(lambda found: mathml(html.unescape(found[1]), "block"), text)
    return _INLINE.sub(lambda found: mathml(html.unescape(found[1])), text)


def on_post_page(output: str, **_: Any) -> str:
    """What may scroll sideways, code and formulas, can be reached with the keyboard."""
    output = re.sub(r"<pre(?![^>]*tabindex)", '<pre tabindex="0"', output)
    return re.sub(r'<math ([^>]*display="block")', r'<math tabindex="0" \1', output)
