"""For the tests of the app: a server that runs while the tests of a module do."""

import asyncio
import socket
from contextlib import aclosing

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from cutline.app.tabs import Worker
from serving import running


@pytest.fixture(scope="module")
def client():
    with running() as opened:
        yield opened


@pytest.fixture
def unending(monkeypatch):
    """Evaluations that go no further than their first table, until they are stopped: others end while a test looks."""
    run = Worker.run

    async def stay(worker, job):
        async with aclosing(run(worker, job)) as events:
            async for part, value in events:
                yield part, value
                if value == "Computing every measure with its interval":
                    await asyncio.Event().wait()

    monkeypatch.setattr(Worker, "run", stay)


@pytest.fixture
def listens():
    """Return a function that opens the stream of events of a page, as a browser does."""
    opened = []

    def listen(client, tab):
        stream = socket.create_connection(("127.0.0.1", client.access.port))
        cookie = f"{client.access.cookie}={client.session}"
        head = f"GET /tabs/{tab}/events HTTP/1.1\r\nHost: 127.0.0.1:{client.access.port}\r\nCookie: {cookie}\r\n\r\n"
        stream.sendall(head.encode())
        stream.recv(4096)
        opened.append(stream)
        return stream

    yield listen
    for stream in opened:
        stream.close()
