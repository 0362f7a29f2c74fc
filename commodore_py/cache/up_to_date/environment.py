"""What a run depends on besides files: settings, environment, tools, packages."""

from __future__ import annotations

import marshal
import os
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import commodore_py
from commodore_py.adapters.git.safe import settings_files
from commodore_py.cache.digests import BY_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TOOLS = ("git", "helm", "jb", "kustomize", "kubectl")
_HOMEBREW = "/opt/homebrew/bin"  # where the wrapper of kustomize looks in the end
# Of a terminal, a session or a single call: they differ each time, and no result depends on them.
_OF_SESSIONS = frozenset(
    [
        "_",
        "SHLVL",
        "PWD",
        "OLDPWD",
        "TERM",
        "COLUMNS",
        "LINES",
        "WINDOWID",
        "DISPLAY",
        "COLORTERM",
        "NO_COLOR",
        "FORCE_COLOR",
        "SSH_CLIENT",
        "SSH_CONNECTION",
        "SSH_TTY",
        "SSH_AUTH_SOCK",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "GPG_TTY",
        "GOGC",
        "GODEBUG",
        "PYTEST_CURRENT_TEST",
    ]
)
_OF_SESSIONS_TOO = ("TERM_", "XDG_SESSION_", "GIT_TRACE")


def fingerprint(settings: Mapping[str, object], *, root: str) -> str:
    """The fingerprint of everything but the files of a run and responses of servers."""
    parts = (
        sorted((name, repr(value)) for name, value in settings.items()),
        sorted(_environment(os.environ)),
        (root, os.getcwd(), os.geteuid(), os.getegid(), _umask()),
        (sys.version, sys.executable, sys.prefix),
        (commodore_py.__version__, [_stat(folder) for folder in sys.path if _has_packages(folder)]),
        [_stat(file) for file in _tools(os.environ.get("PATH", ""))],
        [_stat(file) for file in settings_files()],
    )
    return blake2b(marshal.dumps(parts, BY_VALUE), digest_size=20).hexdigest()


def _environment(variables: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for name, value in variables.items():
        if name not in _OF_SESSIONS and not name.startswith(_OF_SESSIONS_TOO):
            yield name, os.fsencode(value)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _has_packages(folder: str) -> bool:
    """Another version of a package has other names in such a folder."""
    return folder.endswith("-packages")


def _tools(path: str) -> Iterator[str]:
    named = os.environ.get("KAPITAN_HELM_PATH", "")
    for name in (*_TOOLS, *([named] if named else [])):
        yield next((file for file in _candidates(name, path) if os.access(file, os.X_OK)), name)


def _candidates(name: str, path: str) -> Iterable[str]:
    if os.sep in name:
        return (name,)
    return (f"{folder}/{name}" for folder in (*path.split(os.pathsep), _HOMEBREW) if folder)


def _stat(path: str) -> tuple[Any, ...]:
    try:
        found = os.stat(path) if path else None
    except OSError:
        found = None
    return path, found and _signature(found)


def _signature(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
