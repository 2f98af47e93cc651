"""Access control: every page open in the browser can reach a local server, so each request must show
that it comes from our own page.

- The Host header must be our address: a foreign name that was pointed at this machine (DNS rebinding) is refused.
- What changes anything must come from our own origin; what reads must not come from another site.
- Everything but the empty page needs the cookie, which the page gets for the token of the address in the terminal, or
  for the password.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
import time
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN = ("/", "/session")  # what is answered without the cookie: a page without data, and the exchange of the token
SMALL_BODY = 64 * 1024  # bytes of a request that is no file
PATIENCE = 30.0  # seconds that the next part of a request may take
_ATTEMPTS = 5  # wrong passwords in a minute

HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass
class Access:
    """Address, secrets and open sessions of the server.

    Attributes:
        host: The address that the server listens on.
        port: Its port.
        password: What opens a session on another host than loopback; None where the token does.
        limit: The most bytes of a file.
        token: What opens a session, in the fragment of the address that the terminal shows.
        once: The same for the address that the browser is started with, which other users of the machine may see among
            the processes: it opens one session alone.
    """

    host: str
    port: int
    password: str | None = None
    limit: int = 2 * 10**9
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    once: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _failures: list[float] = field(default_factory=list, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether the server listens on loopback alone."""
        return is_loopback(self.host)

    @property
    def cookie(self) -> str:
        """Name of the cookie, with the port, as all ports of a host share cookies."""
        return f"cutline-{self.port}"

    def make_url(self, token: str) -> str:
        """Return the address to open, with a token if there is no password."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host  # noqa: S104
        fragment = "" if self.password else f"#{token}"
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/{fragment}"

    def knows_host(self, name: str) -> bool:
        """Whether a Host header is an address of this server.

        A server on all addresses is known by any number and by the name of the machine: what rebinding needs is a
        name of its own.
        """
        try:
            split = urlsplit(f"//{name}")
            host, port = split.hostname or "", split.port
        except ValueError:
            return False
        if port != self.port and not (port is None and self.port == 80):
            return False
        if self.host in ("0.0.0.0", "::"):  # noqa: S104
            return host in ("localhost", socket.gethostname().lower()) or _is_number(host)
        return host in ((self.host.lower(), "localhost", "127.0.0.1", "::1") if self.is_local else (self.host.lower(),))

    def open_session(self, offered: str) -> str | None:
        """Return the value of the cookie for the token or the password, or None if it is wrong."""
        now = time.monotonic()
        self._failures = [moment for moment in self._failures if now - moment < 60]
        if self.password is not None and len(self._failures) >= _ATTEMPTS:
            raise HTTPException(429, "Too many wrong passwords: wait a minute.")
        expected = self.token if self.password is None else self.password
        if secrets.compare_digest(offered.encode(), expected.encode()):
            return self._session
        if self.password is None and secrets.compare_digest(offered.encode(), self.once.encode()):
            self.once = secrets.token_urlsafe(32)
            return self._session
        self._failures.append(now)
        return None

    def has_session(self, headers: Headers) -> bool:
        """Whether a request has the cookie."""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return cookie is not None and secrets.compare_digest(cookie.value.encode(), self._session.encode())

    def find_refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the sentence of a refusal; None if the request is answered."""
        headers, method, path = Headers(scope=scope), scope["method"], scope["path"]
        host = headers.get("host", "")
        if not self.knows_host(host):
            return 421, "This is not an address of cutline. Open the one that the terminal shows."
        if method not in ("GET", "HEAD", "POST"):
            return 405, "This method is not used here."
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        own = {f"http://{host}"}
        if method == "POST" and (origin not in own or site not in (None, "same-origin")):
            return 403, "This request comes from another page than that of cutline."
        if origin is not None and origin not in own:
            return 403, "This request comes from another page than that of cutline."
        if path != "/" and site not in (None, "same-origin", "none"):
            return 403, "This request comes from another site."
        if path not in OPEN and not self.has_session(headers):
            return 403, "There is no session. Open the address that the terminal shows."
        size, most = headers.get("content-length", "0"), self.limit_bytes(path)
        if not size.isascii() or not size.isdigit() or int(size) > most:
            return 413, f"This is larger than the limit of {most} bytes."
        return None

    def limit_bytes(self, path: str) -> int:
        """Return the most bytes of a request to a path."""
        return self.limit if path.endswith("/file") else SMALL_BODY


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Guard:
    """Middleware that refuses requests, bounds the size and the time of their bodies, and adds headers to answers."""

    def __init__(self, app: ASGIApp, access: Access, patience: float = PATIENCE) -> None:
        self.app, self.access, self.patience = app, access, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is spoken

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            await send(message)

        refusal = self.access.find_refusal(scope)
        if refusal is not None:
            await JSONResponse({"message": refusal[1]}, refusal[0])(scope, receive, send_with_headers)
            return
        await self.app(scope, self._bound_body(scope, receive), send_with_headers)

    def _bound_body(self, scope: Scope, receive: Receive) -> Receive:
        """Return a receive that ends a body that is too large or too slow; a declared size may be wrong or absent."""
        most, seen, is_whole = self.access.limit_bytes(scope["path"]), 0, scope["method"] != "POST"

        async def receive_bounded() -> Message:
            nonlocal seen, is_whole
            if is_whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), self.patience)
            except TimeoutError:
                raise HTTPException(408, "The request took too long.") from None
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, f"This is larger than the limit of {most} bytes.")
            is_whole = not message.get("more_body", False)
            return message

        return receive_bounded
