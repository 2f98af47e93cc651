"""What the site does to its pages: formulas become MathML, which browsers draw without a program."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(text: str, **_: Any) -> str:
    """The page with its formulas drawn."""
    text = _BLOCK.sub(lambda found: convert(html.unescape(found[1]), display="block"), text)
    return _INLINE.sub(lambda found: convert(html.unescape(found[1])), text)
