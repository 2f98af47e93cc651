"""The page of the app: one document in the look of the report, with the policy that lets its own program run alone."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from cutline.app.settings import METHODS, PROMISES
from cutline.report.page import asset as report_asset
from cutline.report.page import environment, theme_variables
from cutline.report.page import script as report_script


@cache
def page(*, asks_password: bool, limit: int) -> tuple[str, str]:
    """Return the page and its content security policy.

    Args:
        asks_password: Whether a session is opened by a password.
        limit: The most bytes of a file.
    """
    style = report_asset("style.css") + theme_variables() + _asset("app.css")
    program = report_script(("shell",)) + _asset("app.js")
    text: str = (
        environment()
        .from_string(_asset("app.html"))
        .render(
            style=style,
            program=program,
            asks="password" if asks_password else "token",
            limit=limit,
            promises=PROMISES,
            methods=METHODS,
        )
    )
    rules = (
        "default-src 'none'",
        f"script-src '{_hash(program)}'",
        f"style-src '{_hash(style)}'",
        "connect-src 'self'",
        "frame-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return text, "; ".join(rules)


def _asset(name: str) -> str:
    return (files("cutline.app") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
