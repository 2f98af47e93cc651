"""The server of the app: it answers the browser, and starts and stops jobs in other processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import tempfile
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from cutline.app.access import PATIENCE, Access, Guard
from cutline.app.settings import METHODS, PROMISES, Settings
from cutline.app.tabs import FILE_SECONDS, Tab, Workers
from cutline.cli.text import escape_controls
from cutline.core.errors import CutlineError
from cutline.report.html_page import hash_source, load_asset, load_script, make_environment, write_theme_variables


@cache
def render_page(*, asks_password: bool, limit: int) -> tuple[str, str]:
    """Return the page and its content security policy.

    Args:
        asks_password: Whether a session is opened by a password.
        limit: The most bytes of a file.
    """
    style = load_asset("style.css") + write_theme_variables() + load_asset("app.css", "cutline.app")
    program = load_script(("shell",)) + load_asset("app.js", "cutline.app")
    text: str = (
        make_environment()
        .from_string(load_asset("app.html", "cutline.app"))
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
        f"script-src {hash_source(program)}",
        f"style-src {hash_source(style)}",
        "connect-src 'self'",
        "frame-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return text, "; ".join(rules)


# The files that are taken, and the suffix that they get here: the name that the browser sends is shown, and no more.
SUFFIXES = {".csv": ".csv", ".tsv": ".csv", ".txt": ".csv", ".parquet": ".parquet", ".pq": ".parquet", ".xlsx": ".xlsx"}
JOBS = ("values", "evaluate", "flag", "chart", "recalibrate")
MOST_TABS = 4
HEADER_SECONDS = 10.0  # that the head of a request may take
GRACE = 45.0  # seconds without a connection after which a page counts as closed
_HOUSEKEEPING = 5.0  # seconds between two looks at what is to be removed
_ALIVE = 10.0  # seconds after which a silent stream says that it is there
_PREFIX = "cutline-app-"
_IN_FRAME = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
_PAGES = ("report.html", "slices.html")


class AppServer:
    """Open pages, and the handlers of their requests.

    Args:
        access: Who is answered.
        grace: The seconds after which a page without a connection is closed.
        patience: The seconds that the next part of a request may take.
    """

    def __init__(self, access: Access, *, grace: float = GRACE, patience: float = PATIENCE) -> None:
        self.access, self.grace, self.patience = access, grace, patience
        self.root = Path(tempfile.mkdtemp(prefix=_PREFIX))  # which only its owner can enter
        self.tabs: dict[str, Tab] = {}
        self.workers = Workers(self.root)
        self.on_end: Callable[[], None] = lambda: None
        self._slots = asyncio.Semaphore(2)
        self._ending = False

    @property
    def app(self) -> ASGIApp:
        """Application behind its guard."""
        routes = [
            Route("/", self.show_page),
            Route("/session", self.open_session, methods=["POST"]),
            Route("/close", self.close, methods=["POST"]),
            Route("/tabs", self.open_tab, methods=["POST"]),
            Route("/tabs/{tab}", self.find_tab),
            Route("/tabs/{tab}/events", self.stream_events),
            Route("/tabs/{tab}/file", self.take_file, methods=["POST"]),
            Route("/tabs/{tab}/example", self.take_example, methods=["POST"]),
            Route("/tabs/{tab}/run", self.run_job, methods=["POST"]),
            Route("/tabs/{tab}/cancel", self.cancel_job, methods=["POST"]),
            Route("/tabs/{tab}/view/{name}", self.view),
            Route("/tabs/{tab}/download/{name}", self.download),
        ]
        handlers: dict[Any, Any] = {HTTPException: _answer_error, CutlineError: _answer_refusal}
        starlette = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._run_housekeeping)
        return Guard(starlette, self.access, self.patience)

    @contextlib.asynccontextmanager
    async def _run_housekeeping(self, _: Starlette) -> AsyncIterator[None]:
        remove_old_folders(self.root.parent)
        keeping = asyncio.get_running_loop().create_task(self._keep_house())
        try:
            yield
        finally:
            keeping.cancel()
            for tab in list(self.tabs.values()):
                await tab.close()
            await self.workers.close()
            self.remove()

    def remove(self) -> None:
        """Remove every file of this server."""
        shutil.rmtree(self.root, ignore_errors=True)

    async def _keep_house(self) -> None:
        """Close pages that have gone, remove old files, and end when the last page has gone."""
        had_tabs = False
        while True:
            await asyncio.sleep(min(_HOUSEKEEPING, self.grace / 3))
            now = time.monotonic()
            with contextlib.suppress(OSError):
                os.utime(self.root)  # which says that it is in use
            for key, tab in list(self.tabs.items()):
                if not tab.connections and now - tab.last_seen > self.grace:
                    del self.tabs[key]
                    await tab.close()
                elif tab.file is not None and now - tab.since > FILE_SECONDS:
                    await tab.stop()
                    tab.forget_file()
            had_tabs = had_tabs or bool(self.tabs)
            if had_tabs and not self.tabs and self.access.is_local:
                self.end()

    def end(self) -> None:
        """End the streams, and the server with them."""
        self._ending = True
        for tab in self.tabs.values():
            tab.show("closed", True)
        self.on_end()

    # ------------------------------------------------------------------ sessions and pages

    async def show_page(self, _: Request) -> Response:
        """Answer with the page, which holds no data."""
        text, policy = render_page(asks_password=self.access.password is not None, limit=self.access.limit)
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def open_session(self, request: Request) -> Response:
        """Exchange the token, or the password, for the cookie."""
        document = await _read_document(request)
        session = self.access.open_session(str(document.get("secret", "")))
        if session is None:
            await asyncio.sleep(0.5)
            what = "password is wrong" if self.access.password else "address is not the one that the terminal shows"
            raise HTTPException(403, f"The {what}.")
        self.workers.prepare()
        response = JSONResponse({})
        response.set_cookie(self.access.cookie, session, path="/", httponly=True, samesite="strict")
        return response

    async def close(self, _: Request) -> Response:
        """End the server, where it is the user's own."""
        if not self.access.is_local:
            raise HTTPException(403, "This server is closed in its terminal.")
        asyncio.get_running_loop().call_later(0.2, self.end)
        return JSONResponse({})

    async def open_tab(self, _: Request) -> Response:
        """Open a page: a folder and a process of its own."""
        if len(self.tabs) >= MOST_TABS:
            left = [tab for tab in self.tabs.values() if not tab.connections and time.monotonic() - tab.last_seen > 3]
            if not left:
                raise HTTPException(503, f"{MOST_TABS} pages are open already: close one of them, then reload this.")
            oldest = min(left, key=lambda tab: tab.last_seen)
            del self.tabs[oldest.key]
            await oldest.close()
        tab = Tab(self.workers)
        self.tabs[tab.key] = tab
        return JSONResponse({"tab": tab.key})

    async def find_tab(self, request: Request) -> Response:
        """Say whether a page is still open, which was reloaded."""
        return JSONResponse({"tab": self._require_tab(request).key})

    def _require_tab(self, request: Request) -> Tab:
        tab = self.tabs.get(request.path_params["tab"])
        if tab is None:
            raise HTTPException(404, "This page was closed. Reload it.")
        tab.last_seen = time.monotonic()
        return tab

    async def stream_events(self, request: Request) -> Response:
        """Send every part of the page when it changes, as server-sent events."""
        tab = self._require_tab(request)
        return StreamingResponse(self._write_events(tab), media_type="text/event-stream")

    async def _write_events(self, tab: Tab) -> AsyncIterator[str]:
        sent: dict[str, int] = {}
        tab.connections += 1
        try:
            yield "retry: 1000\n\n"
            while not self._ending:
                for part, (change, value) in list(tab.parts.items()):
                    if sent.get(part) != change:
                        sent[part] = change
                        yield f"event: {part}\ndata: {json.dumps(value)}\n\n"
                if not await tab.wait(_ALIVE):
                    yield ": still here\n\n"
            yield "event: closed\ndata: true\n\n"
        finally:
            tab.connections -= 1
            tab.last_seen = time.monotonic()

    # ------------------------------------------------------------------ the file and the work

    async def take_file(self, request: Request) -> Response:
        """Take a file: the bytes of the request, as they come."""
        tab = self._require_tab(request)
        title = escape_controls(PurePosixPath(request.query_params.get("name", "").replace("\\", "/")).name)[:200]
        suffix = SUFFIXES.get(Path(title).suffix.lower())
        if suffix is None:
            raise HTTPException(415, "This kind of file cannot be read: choose a .csv, .xlsx or .parquet file.")
        size = int(request.headers.get("content-length", "0"))
        if size + 10**8 > shutil.disk_usage(self.root).free:
            raise HTTPException(507, "There is not enough space on the disk for this file.")
        await tab.take_file(request.stream(), suffix, title)
        tab.begin(self._slots, "describe", {}, "")
        return JSONResponse({})

    async def take_example(self, request: Request) -> Response:
        """Take the predictions that come with the package."""
        tab = self._require_tab(request)

        async def content() -> AsyncIterator[bytes]:
            yield (files("cutline.examples") / "tumours.csv").read_bytes()

        await tab.take_file(content(), ".csv", "tumours.csv")
        tab.begin(self._slots, "describe", {}, "")
        return JSONResponse({})

    async def run_job(self, request: Request) -> Response:
        """Begin a job, in place of the one that is running."""
        tab, document = self._require_tab(request), await _read_document(request)
        name, argument, settings = document.get("job"), document.get("argument", ""), document.get("settings", {})
        if name not in JOBS or not isinstance(argument, str) or len(argument) > 1000:
            raise HTTPException(400, "There is no such job.")
        Settings.parse(settings)
        if tab.file is None:
            raise HTTPException(409, "There is no file yet: choose one.")
        tab.begin(self._slots, name, settings, argument)
        return JSONResponse({})

    async def cancel_job(self, request: Request) -> Response:
        """Stop the job that is running."""
        await self._require_tab(request).stop()
        return JSONResponse({})

    async def view(self, request: Request) -> Response:
        """Show a page of results in a frame that may run its own program and nothing else."""
        path = self._require_result(request)
        if path.name not in _PAGES:
            raise HTTPException(404, "There is no such page.")
        return FileResponse(path, media_type="text/html", headers={"Content-Security-Policy": _IN_FRAME})

    async def download(self, request: Request) -> Response:
        """Send a file of results."""
        path = self._require_result(request)
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    def _require_result(self, request: Request) -> Path:
        path = self._require_tab(request).find_result(request.path_params["name"])
        if path is None or not path.is_file():
            raise HTTPException(404, "There is no such file any more: evaluate again.")
        return path


async def _read_document(request: Request) -> dict[str, Any]:
    """Return the object that a request holds as JSON."""
    try:
        document = json.loads(await request.body())
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise HTTPException(400, "This request is not one of the page.")
    return document


async def _answer_error(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"message": error.detail}, error.status_code)


async def _answer_refusal(_: Request, error: CutlineError) -> Response:
    return JSONResponse({"message": str(error)}, 400)


def remove_old_folders(parent: Path) -> None:
    """Remove folders that killed servers left, after a day."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            is_ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
            if is_ours and folder.is_dir() and time.time() - status.st_mtime > FILE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


class BoundedProtocol(H11Protocol):
    """HTTP with a time limit for the head of a request, so that slow clients cannot hold every connection."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADER_SECONDS, transport.close)

    def data_received(self, data: bytes) -> None:
        """Stop waiting when the head of a request is whole; wait again when another begins."""
        super().data_received(data)
        is_in_head = repr(self.conn.their_state) == "IDLE" and not self.transport.is_closing()  # a state of h11
        if not is_in_head and self._late is not None:
            self._late.cancel()
            self._late = None
        elif is_in_head and self._late is None:
            self._late = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    listening.listen(64)
    return listening


def serve(access: Access, listening: socket.socket, *, opens_browser: bool) -> None:
    """Answer until the user ends it: by Ctrl-C, by the page's button, or by closing the last page."""
    server = AppServer(access)
    config = uvicorn.Config(
        server.app,
        http=BoundedProtocol,
        loop="asyncio",
        ws="none",
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=64,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=3,
        lifespan="on",
    )
    running = uvicorn.Server(config)
    server.on_end = lambda: setattr(running, "should_exit", True)
    if opens_browser:
        address = access.make_url(access.once)
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        running.run(sockets=[listening])
    finally:
        server.remove()
        listening.close()
