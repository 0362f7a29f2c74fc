"""The daemon as users start it, and a client of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import requests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKENS = {
    "ada": "a-token-that-only-ada-has",
    "bob": "a-token-that-only-bob-has",
    "eve": "a-token-that-only-reads read-only",
}
SECRET = "a-secret-that-only-the-code-host-has"
_PATIENCE = 60


@dataclass
class Daemon:
    """A running daemon, called as the owner of a token."""

    process: subprocess.Popen[str]
    url: str
    lines: list[str] = field(default_factory=list)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        by: str = "ada",
        **more: Any,  # noqa: ANN401 - of requests
    ) -> requests.Response:
        """One request; `more` is for the client."""
        headers = {"Authorization": f"Bearer {TOKENS[by].split()[0]}"} if by else {}
        headers |= more.pop("headers", {})
        if body is not None:
            more["json"] = body
        return requests.request(
            method, f"{self.url}{path}", headers=headers, timeout=_PATIENCE, **more
        )

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """The content of a successful request."""
        answer = self.call("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def done(self, started: requests.Response) -> Any:  # noqa: ANN401 - JSON
        """The job that a request has started, once it is over."""
        assert started.status_code == 202, started.text
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            job = self.get(started.headers["location"])
            if job["state"] not in ("queued", "running"):
                return job
            time.sleep(0.1)
        raise AssertionError("the job does not end")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)


@contextmanager
def serving(work: Path, facts: Path, *options: str, home: Path) -> Iterator[Daemon]:
    """A daemon for a working directory, with two tokens."""
    tokens = home / "tokens"
    if not tokens.exists():
        tokens.touch(mode=0o600)
        lines_of_tokens = {**TOKENS, "webhook": SECRET}.items()
        tokens.write_text("".join(f"{name} {token}\n" for name, token in lines_of_tokens))
    words = ("-d", str(work), "serve", "--port", "0", "--token-file", str(tokens))
    process = subprocess.Popen(
        [sys.executable, "-m", "commodore_py", *words, "--api-url", str(facts), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")},
        cwd=home,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while lines[-1] and not lines[-1].startswith("Serving "):
        lines.append(process.stdout.readline())
    assert lines[-1], lines
    daemon = Daemon(process, lines[-1].split()[-1].rstrip("/"), lines)
    reader = threading.Thread(target=lambda: daemon.lines.extend(process.stdout or ()))
    reader.start()
    try:
        yield daemon
    finally:
        was_killed = process.poll() == -signal.SIGKILL
        if process.poll() is None:
            daemon.stop()
        reader.join()
        process.stdout.close()
    text = "".join(daemon.lines)
    # A process that was just starting is surprised by the end of the daemon that is killed.
    assert was_killed or "Traceback" not in text, text
