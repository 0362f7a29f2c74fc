"""What surrounds us: whether somebody is there, a browser, the folder of caches."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

from commodore_py.errors import CommodoreError

_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def somebody_is_there() -> bool:
    """Whether a user can be prompted: there is a terminal, and this is not a CI run."""
    if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
        return False
    return any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def has_browser() -> bool:
    """Whether a browser opened from here would show up in front of that person."""
    if os.environ.get("BROWSER"):
        # Editors set this in their remote terminals; it reaches the person's own machine.
        return True
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    return sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def open_browser(url: str) -> None:
    """Start a browser and go on at once; whether one came up shows in the answer it brings."""
    command = [sys.executable, "-c", _OPEN, url]
    # A program of its own without our streams: browsers chat on stdout, where a token may go.
    start = partial(
        subprocess.run,
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # Waited for in the background, as it may well outlive us.
    threading.Thread(target=start, daemon=True).start()


def cache_folder() -> Path:
    """Where this user's caches of Commodore lie; the peer's place, shared with it."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "commodore"
    except RuntimeError as error:
        raise CommodoreError(
            "there is no home directory to keep caches in", hint="set HOME, or XDG_CACHE_HOME"
        ) from error
