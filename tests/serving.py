"""A server of the app on a thread, and a client that says what a browser, or an attacker, would."""

import asyncio
import http.client
import json
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import uvicorn

from cutline.app.access import Access
from cutline.app.server import AppServer, BoundedProtocol, bind

PATIENCE = 120  # seconds after which a test gives up: a busy machine takes many of them


class Client:
    """Return the headers that the app's own page sends, unless a test changes them."""

    def __init__(self, server, access):
        self.server, self.access = server, access
        self.session = access.open_session(access.password or access.token)

    def send(self, method, path, body=None, **headers):
        """Return the status, the headers and the content of an answer; a header that is None is left out."""
        own = f"127.0.0.1:{self.access.port}"
        sent = {"Host": own, "Cookie": f"{self.access.cookie}={self.session}"}
        sent |= {"Origin": f"http://{own}", "Sec-Fetch-Site": "same-origin"} if method == "POST" else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.access.port, timeout=PATIENCE)
        try:
            encoded = json.dumps(body).encode() if isinstance(body, dict) else body
            chunked = encoded is not None and not isinstance(encoded, bytes)
            present = {name: value for name, value in sent.items() if value is not None}
            connection.request(method, path, encoded, present, encode_chunked=chunked)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def open_tab(self):
        status, _, content = self.send("POST", "/tabs", b"")
        if status == 503:  # other tests opened all that there may be
            self.leave_pages()
            status, _, content = self.send("POST", "/tabs", b"")
        assert status == 200, content
        return json.loads(content)["tab"]

    def leave_pages(self):
        """Leave all pages a while ago: room is made for others, and the server, which ends without any, goes on."""
        end = time.monotonic() + PATIENCE
        while any(tab.connections for tab in list(self.server.tabs.values())) and time.monotonic() < end:
            time.sleep(0.02)  # a browser that was closed is noticed a little later, and counts as seen then
        for tab in list(self.server.tabs.values()):
            tab.last_seen = time.monotonic() - 10

    def upload(self, tab, name, content):
        return self.send("POST", f"/tabs/{tab}/file?name={quote(name, safe='')}", content)

    def run(self, tab, job, argument="", **settings):
        return self.send("POST", f"/tabs/{tab}/run", {"job": job, "argument": argument, "settings": settings})

    def parts(self, tab):
        """Return what the page shows now."""
        now = self.server.tabs[tab].parts.copy()  # at once: the server goes on changing them
        return {name: value for name, (_, value) in now.items()}

    def wait(self, tab, is_there, seconds=PATIENCE):
        """Wait until what the page shows is as it should be, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            parts = self.parts(tab)
            if is_there(parts):
                return parts
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {parts}")

    def wait_idle(self, tab, seconds=PATIENCE):
        return self.wait(tab, lambda parts: "job" in parts and parts["job"] is None, seconds)


@contextmanager
def running(password=None, limit=10**7, grace=600, **options):
    """Run a server until the block ends; pages without a browser stay for longer than any test takes."""
    listening = bind("127.0.0.1", 0)
    access = Access("127.0.0.1", listening.getsockname()[1], password, limit)
    server = AppServer(access, grace=grace, **options)
    config = uvicorn.Config(
        server.app,
        http=BoundedProtocol,
        loop="asyncio",
        ws="none",
        log_level="critical",
        timeout_keep_alive=PATIENCE,
        timeout_graceful_shutdown=2,
    )
    process = uvicorn.Server(config)
    process.install_signal_handlers = lambda: None
    server.on_end = lambda: setattr(process, "should_exit", True)
    thread = threading.Thread(target=lambda: asyncio.run(process.serve([listening])))
    thread.start()
    while not process.started:
        time.sleep(0.01)
    client = Client(server, access)
    client.thread = thread
    try:
        yield client
    finally:
        process.should_exit = True
        thread.join(PATIENCE)
        listening.close()
        assert not thread.is_alive()
        assert not server.root.exists()


def is_running(pid):
    """Whether a process is still running; a zombie does not count."""
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # it ended meanwhile, unless this system has no such folder
        return not Path("/proc/self").exists()


def worker_of(client, tab):
    """Return the number of the process of a page."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        task = client.server.tabs[tab]._worker
        if task is not None and task.done():
            return task.result().pid
        time.sleep(0.02)
    raise AssertionError
