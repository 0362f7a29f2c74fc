"""The desktop: whether a user can be prompted, and the browser."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial

_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def is_ci_job() -> bool:
    """As GitHub, GitLab and others say: `CI=true`."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


def is_interactive() -> bool:
    """Return whether a user can be prompted: there is a terminal, and this is not a CI run."""
    if is_ci_job():
        return False
    return any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def has_browser() -> bool:
    """Return whether a browser opened by this process is visible to the user."""
    if os.environ.get("BROWSER"):
        # Editors set this in their remote terminals; it opens the browser on the user's machine.
        return True
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    return sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def open_browser(url: str) -> None:
    """Start a browser and return at once; that it works shows in the request it sends."""
    command = [sys.executable, "-c", _OPEN, url]
    # A process without our streams: browsers print on stdout, where a token may go.
    start = partial(
        subprocess.run,
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # Waited for in the background, as it may outlive this process.
    threading.Thread(target=start, daemon=True).start()
