"""Check this machine as a run would find it; nothing is changed."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal

from commodore_py.adapters.http import HttpError
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.auth.session import token_state
from commodore_py.lieutenant.clusters import check_reachable, list_clusters, load_cluster
from commodore_py.model.names import counted

from .tools.folder import BUILT_IN, TOOLS, ToolFolder, find_tool

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.lieutenant.auth.session import TokenState

Status = Literal["ok", "warn", "fail"]
STATUSES: tuple[Status, ...] = ("ok", "warn", "fail")
"""From good to bad."""

NEWEST_TESTED_PYTHON = (3, 13)
OLDEST_GIT = (2, 31)
"""The first with `rev-parse --path-format`; worktrees can be repaired since the one before."""

_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
_GROUP_AND_OTHERS = 0o077
_WRITABLE_BY_OTHERS = 0o022


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one check."""

    status: Status
    finding: str
    remedy: str = ""


def run_checks(config: Config, cache: Path | None) -> dict[str, Verdict]:
    """Every check's verdict."""
    token = token_state(config, cache)
    api, rejection = _api(config, token)
    return {
        "python": _python(),
        "git": _git(),
        **{name: _tool(name) for name in TOOLS},
        "managed tools": _managed_tools(cache),
        "api": api,
        "token": _token(token, rejection),
        "working directory": _working_directory(config),
        "caches": _caches(cache),
    }


def worst(verdicts: Iterable[Verdict]) -> Status:
    """The worst status of all verdicts."""
    return max((verdict.status for verdict in verdicts), key=STATUSES.index, default="ok")


def _python() -> Verdict:
    """A tested version of Python; older ones cannot run this."""
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] > NEWEST_TESTED_PYTHON:
        newest = ".".join(map(str, NEWEST_TESTED_PYTHON))
        return Verdict("warn", f"{version}, not tested yet", f"if it fails, use Python {newest}")
    return Verdict("ok", version)


def _git() -> Verdict:
    """A version of git with all features that we need."""
    needed = ".".join(map(str, OLDEST_GIT))
    remedy = f"install git {needed} or newer"
    path = shutil.which("git")
    if path is None:
        return Verdict("fail", "not found in PATH", remedy)
    try:
        output = run([path, "--version"]).decode(errors="replace").strip()
    except ProgramFailed:
        output = ""
    numbers = re.search(r"(\d+)\.(\d+)", output)
    if numbers is None:
        return Verdict("fail", f"{path} does not print a version", remedy)
    installation = f"{output.removeprefix('git version ')} ({path})"
    if (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        return Verdict("fail", f"{installation} is too old", remedy)
    return Verdict("ok", installation)


def _tool(name: str) -> Verdict:
    """A program that some components use."""
    tool = find_tool(name)
    remedy = f"commodore tool install {name}"
    if tool.works:
        return Verdict("ok", f"{tool.version} ({tool.path})")
    if tool.path:
        return Verdict("fail", f"{tool.path} does not run", f"remove it, then: {remedy}")
    if name in BUILT_IN:
        return Verdict("ok", f"built in; the program is {BUILT_IN[name]}")
    kubectl = shutil.which("kubectl")
    if name == "kustomize" and kubectl:
        use = f"kustomizations are built by {kubectl}; entries of type kustomize will fail"
        return Verdict("ok", f"not found in PATH; {use}", remedy)
    return Verdict("warn", "not found in PATH; components that use it will fail", remedy)


def _managed_tools(cache: Path | None) -> Verdict:
    """The record of managed tools is readable."""
    try:
        if cache:
            ToolFolder(cache / "tools").managed()
    except CommodoreError as error:
        return _failed(error)
    return Verdict("ok", "the record of tools is readable")


def _api(config: Config, token: TokenState) -> tuple[Verdict, CommodoreError | None]:
    """Cluster facts can be read; or why the server rejected the token.

    Without a token, only whether the API is reachable.
    """
    url, number, rejection = config.api_url, None, None
    if not url:
        remedy = (
            "set COMMODORE_API_URL to a Lieutenant API, or to a folder of cluster facts like"
            " ./facts; `commodore demo` creates an example"
        )
        return Verdict("warn", "no API URL", remedy), None
    is_folder = facts_folder(url) is not None
    try:
        if is_folder:
            clusters = list_clusters(config)
            for cluster in clusters:
                load_cluster(config, cluster["id"])
            number = len(clusters)
        elif token.is_good:
            number = len(list_clusters(replace(config, may_log_in=False)))
        else:
            check_reachable(config)
    except CommodoreError as error:
        if not isinstance(error, HttpError) or error.status not in _REFUSED:
            return _failed(error), None
        rejection = error
    if number is None:
        return Verdict("ok", f"{url} is reachable"), rejection
    kind = "the folder" if is_folder else "the API"
    return Verdict("ok", f"{kind} {url} has {counted(number, 'cluster')}"), rejection


def _token(token: TokenState, rejection: CommodoreError | None) -> Verdict:
    """There is a valid token."""
    log_in = "commodore login, or set COMMODORE_API_TOKEN"
    if not token.needed:
        return Verdict("ok", "not required")
    problem = token.problem or rejection
    if problem:
        return _failed(problem, otherwise=log_in)
    if not token.origin:
        return Verdict("warn", "none", log_in)
    if not token.has_expired:
        until = f"valid until {_time(token.expiry)}" if token.expiry else "without expiry"
        return Verdict("ok", f"{token.origin}, {until}")
    ended = f"{token.origin}, expired {_time(token.expiry)}"
    if token.renewable:
        return Verdict("ok", f"{ended}; it is renewed when needed")
    return Verdict("warn", ended, log_in)


def _working_directory(config: Config) -> Verdict:
    """The working directory can be used; one that is missing would be made."""
    root = config.paths.root
    try:
        existing_folder = next(path for path in (root, *root.parents) if path.exists())
        # Modes do not apply to root, or on a read-only disk: try it.
        with tempfile.TemporaryFile(dir=existing_folder):
            pass
    except OSError as error:
        remedy = "choose another directory with --working-dir"
        return Verdict("fail", f"{root} cannot be written to: {error.strerror or error}", remedy)
    if not root.is_dir():
        return Verdict("ok", f"{root}, created when needed")
    if (config.paths.targets / "cluster.yml").is_file():
        return Verdict("ok", f"{root}, with an earlier compile")
    return Verdict("ok", f"{root}, not compiled yet")


def _caches(cache: Path | None) -> Verdict:
    """Caches are not accessible to other users."""
    if cache is None:
        return Verdict("warn", "there is no cache folder", "set HOME or XDG_CACHE_HOME")
    try:
        paths = sorted(path for path in cache.iterdir() if path.exists())
    except OSError:  # missing, or not readable
        paths = []
    exposed = [path.name for path in paths if path.stat().st_mode & _exposing(path.name)]
    if exposed:
        finding = f"{cache}: accessible to other users: {', '.join(exposed)}"
        return Verdict("warn", finding, f"chmod -R go-rwx {shlex.quote(str(cache))}")
    return Verdict("ok", str(cache))


def _exposing(name: str) -> int:
    """Bits of a mode by which others can read tokens, or write anything."""
    return _GROUP_AND_OTHERS if name.startswith("token") else _WRITABLE_BY_OTHERS


def _failed(error: CommodoreError, *, otherwise: str = "") -> Verdict:
    errors = error.parts
    messages = [f"{error} ({error.where})" if error.where else str(error) for error in errors]
    hints = dict.fromkeys(error.hint for error in errors if error.hint)
    return Verdict("fail", "; ".join(messages), "; ".join(hints) or otherwise)


def _time(expiry: float | None) -> str:
    try:
        when = datetime.fromtimestamp(expiry or 0, UTC)
    except (ValueError, OverflowError, OSError):
        return "an unknown time"
    return f"{when.isoformat(sep=' ', timespec='minutes').removesuffix('+00:00')} UTC"
