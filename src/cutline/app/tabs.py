"""Open pages: each has a file, a process that works on it, and the parts that it shows."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

JOB_SECONDS = 30 * 60.0  # after which a job is stopped
FILE_SECONDS = 24 * 3600.0  # after which a file is removed
MOST_MEMORY = 500 * 10**6  # bytes; a process that used more does not work on the next file or evaluation
LONGEST_EVENT = 2**24  # bytes
_SOON = 1.0  # seconds after which another process is made ready
# What a new evaluation makes out of date.
RESULTS = ("table", "cut", "files", "charts", "recalibration", "refusal")


class Worker:
    """The process that works for a page."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.peak_memory = 0  # bytes, after its last job

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @classmethod
    async def start(cls, root: Path) -> Worker:
        """Start a process, which loads its modules in the meantime."""
        # -P: no module is imported from the folder that the server was started in.
        command = (sys.executable, "-P", "-m", "cutline.app.worker", str(root))
        pipe, quiet = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=pipe,
            stderr=None if os.environ.get("CUTLINE_DEBUG") else quiet,
            limit=LONGEST_EVENT,
            env=os.environ | {"TMPDIR": str(root)},
        )
        return cls(process)

    async def run(self, job: dict[str, Any]) -> AsyncIterator[tuple[str, Any]]:
        """Run a job and yield its messages, until it ends."""
        if self._process.stdin is None or self._process.stdout is None:
            return
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        while line := await self._process.stdout.readline():
            event = json.loads(line)
            if event["part"] == "end":
                self.peak_memory = event["value"]
                return
            yield event["part"], event["value"]
        yield "refusal", {"message": "The work stopped unexpectedly, perhaps for lack of memory. Try a smaller file."}
        yield "lost", None

    async def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


class Workers:
    """Starts processes, and keeps one ready: loading takes a second or two.

    Args:
        root: The folder of the server.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._spare: asyncio.Task[Worker] | None = None
        self._is_closed = False

    def take(self) -> asyncio.Task[Worker]:
        """Return a ready process, and start the next one soon."""
        spare, self._spare = self._spare, None
        asyncio.get_running_loop().call_later(_SOON, self.prepare)
        return self._start() if spare is None else spare

    def prepare(self) -> None:
        """Start a process unless one is ready."""
        if self._spare is None and not self._is_closed:
            self._spare = self._start()

    def _start(self) -> asyncio.Task[Worker]:
        return asyncio.get_running_loop().create_task(Worker.start(self.root))

    async def close(self) -> None:
        """End the process that is ready."""
        self._is_closed = True
        if self._spare is not None:
            await (await self._spare).kill()


@dataclass
class Tab:
    """A page: its folder, its file, and the parts that it shows, each with the number of its last change."""

    workers: Workers
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    connections: int = 0
    last_seen: float = field(default_factory=time.monotonic)
    file: Path | None = None
    title: str = ""
    since: float = 0.0  # when the file came
    parts: dict[str, tuple[int, Any]] = field(default_factory=dict)
    _changes: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _worker: asyncio.Task[Worker] | None = None
    _job: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.folder = self.workers.root / self.key
        self.folder.mkdir(mode=0o700)
        self._worker = self.workers.take()

    # ------------------------------------------------------------------ what the page shows

    def show(self, part: str, value: Any) -> None:
        """Update a part of the page."""
        self._changes += 1
        self.parts[part] = self._changes, value
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """Wait until a part changes, for at most `seconds`; return whether one did."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def find_result(self, name: str) -> Path | None:
        """Return the file of a result that a job has sent; None if there is none."""
        files = self.parts.get("files", (0, {}))[1] or {}
        return self.folder / name if name in files else None

    # ------------------------------------------------------------------ the work

    def begin(self, slots: asyncio.Semaphore, name: str, settings: dict[str, Any], argument: str) -> None:
        """Begin a job, in place of the one that is running."""
        previous, self._job = self._job, None
        if name == "evaluate":
            for part in RESULTS:
                self.show(part, None)
        self.show("refusal", None)
        self.show("job", {"name": name, "stage": "Starting"})
        job = {
            "name": name,
            "folder": str(self.folder),
            "file": str(self.file),
            "title": self.title,
            "settings": settings,
            "argument": argument,
        }
        self._job = asyncio.get_running_loop().create_task(self._work(previous, slots, job))

    async def stop(self) -> None:
        """Stop the job that is running, and with it its process; another is started."""
        job, self._job = self._job, None
        await self._end(job)

    async def _end(self, job: asyncio.Task[None] | None) -> None:
        if job is None or job.done():
            return
        job.cancel()
        await asyncio.wait({job})  # which does not take a cancellation of this task for one of the job
        await self._replace_worker()
        if self._job is None:
            self.show("job", None)

    async def _replace_large_worker(self) -> None:
        """Replace the process if it used much memory, which it would not release."""
        if self._worker is not None and (await self._worker).peak_memory > MOST_MEMORY:
            await self._replace_worker()

    async def _replace_worker(self) -> None:
        if self._worker is not None:
            await (await self._worker).kill()
        self._worker = self.workers.take()

    async def _work(self, previous: asyncio.Task[None] | None, slots: asyncio.Semaphore, job: dict[str, Any]) -> None:
        await self._end(previous)
        state: dict[str, Any] = {
            "name": job["name"],
            "stage": "Waiting for the work of another page",
            "since": time.time(),
        }
        self.show("job", dict(state))
        async with slots:
            self.show("job", state | {"stage": "Starting"})
            if job["name"] == "evaluate":
                await self._replace_large_worker()
            try:
                async with asyncio.timeout(JOB_SECONDS):
                    if self._worker is None:
                        return
                    async for part, value in (await self._worker).run(job):
                        self._take(part, value, state)
                        if part == "lost":
                            await self._replace_worker()
            except TimeoutError:
                await self._replace_worker()
                minutes = round(JOB_SECONDS / 60)
                self.show("refusal", {"message": f"This took more than {minutes} minutes and was stopped."})
        self.show("job", None)

    def _take(self, part: str, value: Any, state: dict[str, Any]) -> None:
        """Show what a job sends."""
        if part == "file":
            files = self.parts.get("files", (0, None))[1] or {}
            self.show("files", files | {value["name"]: value["bytes"]})
            self.show("made", value["name"])
        elif part == "stage":
            state["stage"] = value
            state.pop("done", None)
            self.show("job", dict(state))
        elif part == "progress":
            state |= value
            self.show("job", dict(state))
        elif part not in ("ready", "lost"):
            self.show(part, value)

    # ------------------------------------------------------------------ the file

    async def take_file(self, chunks: AsyncIterator[bytes], suffix: str, title: str) -> None:
        """Write a new file in place of the last one, under a name of ours.

        Args:
            chunks: The bytes.
            suffix: What says its format.
            title: What the user calls it.
        """
        await self.stop()
        await self._replace_large_worker()
        self.forget_file()
        path = self.folder / f"data{suffix}"
        try:
            with path.open("wb") as stream:
                async for chunk in chunks:
                    stream.write(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        self.file, self.title, self.since = path, title, time.monotonic()
        self.show("upload", {"name": title, "bytes": path.stat().st_size})

    def forget_file(self) -> None:
        """Remove the file and everything that was made of it."""
        self.file = None
        for path in self.folder.iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        for part in ("upload", "columns", "values", *RESULTS):
            self.show(part, None)

    async def close(self) -> None:
        """End the work and remove the folder."""
        job, self._job = self._job, None
        if job is not None:
            job.cancel()
            await asyncio.wait({job})
        if self._worker is not None:
            await (await self._worker).kill()
        shutil.rmtree(self.folder, ignore_errors=True)
