"""`cutline app`: the local web app."""

from __future__ import annotations

import click

from cutline.cli.command import command, option
from cutline.cli.output import say
from cutline.core.errors import ParameterError

SERVER = "Run the server"
_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9}
_SHORTEST_PASSWORD = 8


@command
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    group=SERVER,
    help="The port; by default, a free one. Example: --port 8000",
)
@option("--no-browser", is_flag=True, group=SERVER, help="Print the address, but do not open a browser.")
@option(
    "--limit",
    default="2GB",
    group=SERVER,
    help="The largest file, in kB, MB or GB. Example: --limit 500MB",
)
@option(
    "--host",
    default="127.0.0.1",
    group=SERVER,
    advanced=True,
    help="Listen on another address, so that other machines can connect; needs --password. Example: --host "
    "192.168.1.20",
)
@option(
    "--password",
    envvar="CUTLINE_PASSWORD",
    group=SERVER,
    advanced=True,
    help="The password that users of other machines have to enter; safer in the variable CUTLINE_PASSWORD, which "
    "other users of this machine cannot see. Example: --password 'a long one'",
)
def app(port: int, no_browser: bool, limit: str, host: str, password: str | None) -> None:
    """Serve the app until Ctrl-C, or until its page is closed."""
    from cutline.core.extras import require

    require("starlette", "app")
    require("uvicorn", "app")
    from cutline.app.access import Access, is_loopback
    from cutline.app.server import bind, serve

    most = _parse_limit(limit)
    is_local = is_loopback(host)
    if not is_local and password is None:
        raise ParameterError(f"--host {host} can be reached from other machines", "pass --password too")
    if password is not None and len(password) < _SHORTEST_PASSWORD:
        raise ParameterError("--password is too short", f"pass at least {_SHORTEST_PASSWORD} characters")
    listening = bind("127.0.0.1" if host == "localhost" else host, port)
    access = Access(host, listening.getsockname()[1], password, most)
    if not is_local:
        say(
            "Warning: other machines can reach this server, and what they send is not encrypted, nor is the password. "
            "Use it in a network that you trust, or through an encrypted tunnel."
        )
    say(f"cutline app is at {access.make_url(access.token)}")
    say("Stop it with Ctrl-C" + (", or close its page." if is_local else "."))
    serve(access, listening, opens_browser=is_local and not no_browser)


def _parse_limit(text: str) -> int:
    """Return how many bytes a text such as 500MB means."""
    plain = text.strip().lower().replace(" ", "")
    try:
        return int(float(plain[:-2]) * _UNITS[plain[-2:]])
    except (KeyError, ValueError, OverflowError):
        raise ParameterError(f"--limit is {text!r}", "pass a size such as 500MB") from None
